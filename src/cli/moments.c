// SPDX-License-Identifier: Apache-2.0
// Moments that are looked at while a motion goes by.

#include "cli/run.h"

// The ends are exact.
static double moment_at(const cli_moments *moments, size_t index)
{
    RH_ASSERT(index < moments->count);
    if (moments->list != NULL) {
        return moments->list[index];
    }
    if (index + 1 == moments->count) {
        return moments->last;
    }
    const double share = (double)index / (double)(moments->count - 1);
    return moments->first + share * (moments->last - moments->first);
}

size_t cli_moments_skip(cli_moments *moments, double now)
{
    double moment = 0.0;
    size_t count = 0;
    while (cli_moments_pass(moments, now, &moment)) {
        count++;
    }
    RH_ASSERT(moments->next <= moments->count);
    return count;
}

bool cli_moments_pass(cli_moments *moments, double now, double *out)
{
    if (moments->next >= moments->count) {
        return false;
    }
    const double moment = moment_at(moments, moments->next);
    if (moment > now) {
        return false;
    }
    moments->next++;
    *out = moment;
    return true;
}
