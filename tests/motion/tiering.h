// SPDX-License-Identifier: Apache-2.0
// What the tests of tiers share: the same motion by the interpreter and by emitted series.

#pragma once

#include "moving.h"

typedef struct course {
    const char *path;
    double time;
    double tolerance;    // 0: the default
    double near;         // how far the tiers may be apart, relative to 1 + the largest of the row
    const rh_feed *feed; // NULL: nothing flows in
} course;

static inline moving begin(const course *what, rh_tier tier)
{
    const moving_conditions with = {.tolerance = what->tolerance,
                                    .tier = tier,
                                    .feeds = what->feed,
                                    .feed_count = what->feed != NULL};
    return moving_file(what->path, &with);
}

static inline void advance(moving *it, double time)
{
    rh_stop stop = RH_STOP_NONE;
    assert_int_equal(rh_motion_advance(it->motion, time, &stop, NULL), RH_OK);
}

static inline void compare_tiers(const course *what)
{
    moving plain = begin(what, RH_TIER_INTERPRETED);
    moving emitted = begin(what, RH_TIER_EMITTED);
    advance(&plain, what->time);
    advance(&emitted, what->time);
    assert_string_equal(rh_motion_tier(plain.motion), "interpreted");
    if (strcmp(rh_motion_tier(emitted.motion), "emitted") != 0) {
        fail_msg("%s: %s", what->path, rh_motion_tier_reason(emitted.motion));
    }
    const size_t width = rh_motion_column_count(plain.motion);
    double *told = moving_row(&plain, rh_motion_time(plain.motion));
    double *made = moving_row(&emitted, rh_motion_time(emitted.motion));
    double size = 1.0;
    for (size_t k = 0; k < width; k++) {
        size = fmax(size, fabs(told[k]));
    }
    for (size_t k = 0; k < width; k++) {
        if (!(fabs(told[k] - made[k]) <= what->near * size)) {
            fail_msg("%s: %s is %.17g, not %.17g", what->path,
                     rh_motion_column_name(plain.motion, k), made[k], told[k]);
        }
    }
    const size_t events = rh_motion_occurrence_count(plain.motion);
    if (rh_motion_occurrence_count(emitted.motion) != events) {
        fail_msg("%s: %zu events, not %zu", what->path, rh_motion_occurrence_count(emitted.motion),
                 events);
    }
    free(told);
    free(made);
    moving_end(&plain);
    moving_end(&emitted);
}
