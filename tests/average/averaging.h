// SPDX-License-Identifier: Apache-2.0
// What the tests of `average` share: averages of a text, and of the Lorenz system in its Chetaev
// form.

#pragma once

#include "../orbit/orbiting.h"

#include "rheonom/average.h"

typedef struct averaging {
    orbiting on;
    rh_average *average;
    rh_error err;
} averaging;

static const char AVERAGING_HELD[] = "select p, eta\n"
                                     "constraint level: p^2 + (eta - 1)*xi^2 + xi^4/2 = const\n"
                                     "constraint held: eta = const\n";

static inline void averaging_end(averaging *it)
{
    rh_average_destroy(it->average);
    orbiting_end(&it->on);
}

static inline rh_status averaging_try(const char *text, const orbiting_conditions *with,
                                      const rh_average_def *def, averaging *out)
{
    *out = (averaging){.average = NULL};
    if (orbiting_move(text, with, &out->on) != RH_OK) {
        fail_msg("%s, in:\n%s", out->on.err.message, text);
    }
    return rh_average_create(out->on.motion, def, &out->average, &out->err);
}

static inline averaging lorenz_begin(const orbiting_conditions *with, const rh_average_def *def)
{
    char text[1024];
    averaging it;
    (void)snprintf(text, sizeof text, "%s%s", ORBITING_LORENZ, AVERAGING_HELD);
    if (averaging_try(text, with, def, &it) != RH_OK) {
        fail_msg("%s", it.err.message);
    }
    return it;
}
