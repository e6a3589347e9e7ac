// SPDX-License-Identifier: Apache-2.0
// Ranges of the verbs for steady motions: NAME=LO:HI and NAME=LO:HI:N.

#include "cli/still.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

// A number and where it ends; NULL: there is none.
static const char *read_number(const char *text, double *out)
{
    char *end = NULL;
    *out = strtod(text, &end);
    return end != text && isfinite(*out) ? end : NULL;
}

bool cli_range_read(const char *word, const char *text, bool has_count, cli_range *out)
{
    const char *equals = strchr(text, '=');
    const size_t size = equals != NULL ? (size_t)(equals - text) : 0;
    const char *at = equals != NULL && size > 0 && size < sizeof out->name
                         ? read_number(equals + 1, &out->low)
                         : NULL;
    at = at != NULL && *at == ':' ? read_number(at + 1, &out->high) : NULL;
    bool is_fine = at != NULL && out->low != out->high;
    out->count = 0;
    if (is_fine && has_count) {
        char *end = NULL;
        errno = 0;
        is_fine = *at == ':' && isdigit((unsigned char)at[1]) != 0;
        const unsigned long count = is_fine ? strtoul(at + 1, &end, 10) : 0;
        is_fine = is_fine && errno == 0 && *end == '\0' && count >= 2 && count <= UINT32_MAX;
        out->count = (uint32_t)count;
    } else {
        is_fine = is_fine && *at == '\0';
    }
    if (!is_fine) {
        cli_talk(has_count ? "%s wants NAME=LO:HI:N with two different numbers and at least 2 "
                             "points, not \"%s\""
                           : "%s wants NAME=LO:HI with two different numbers, not \"%s\"",
                 word, text);
        return false;
    }
    RH_ASSERT(size < sizeof out->name && (!has_count || out->count >= 2));
    memcpy(out->name, text, size);
    out->name[size] = '\0';
    return true;
}
