// SPDX-License-Identifier: Apache-2.0
// Tests that pass zero and come back between two points of a branch. They have the same sign at
// both ends, but come near zero, beside what they change from point to point. Where the least value
// between (numeric) lies beyond zero the branch gets a point there, and both changes are found like
// any others (turning.c).

#include "orbit/orbit.h"

#include <math.h>

#define DEEP 1e-8     // below zero: less may be rounding of multipliers
#define SHALLOW 1e-10 // the same where they have bars
#define VISIBLE 1e-6  // of a test at one end at least

// Is the station in the middle beyond zero? A little counts where multipliers are known that well.
static bool is_beyond(const rh_branch *branch, double height)
{
    return height < -DEEP ||
           (height < -SHALLOW && branch->middle.is_unstable != branch->last.is_unstable);
}

static rh_status look_between(rh_branch *branch, rh_branch_test test, double length, bool *out)
{
    const double sign = branch->last.tests[test] > 0.0 ? 1.0 : -1.0;
    const double ends[2] = {0.0, length};
    const double heights[2] = {sign * branch->last.tests[test], sign * branch->next.tests[test]};
    const double came =
        branch->before_length > 0.0
            ? (branch->last.tests[test] - branch->before[test]) * length / branch->before_length
            : 0.0;
    rh_dip dip = rh__dip_begin(ends, heights, SHALLOW);
    bool is_there = fmax(heights[0], heights[1]) > VISIBLE && rh__dip_is_near(heights, came);
    while (is_there && !*out && rh__dip_asks(&dip)) {
        const rh_aim aim = {.from = &branch->last, .length = dip.place};
        uint32_t rounds = 0;
        RH_TRY(rh__branch_correct(branch, &aim, &branch->middle, &rounds, &is_there));
        if (is_there) {
            const double height = sign * branch->middle.tests[test];
            *out = is_beyond(branch, height);
            rh__dip_tell(&dip, height);
        }
    }
    return RH_OK;
}

rh_status rh__branch_split(rh_branch *branch, bool *out_is_split)
{
    const double length = rh__branch_distance(branch, &branch->next);
    *out_is_split = false;
    for (uint32_t k = 0; k < RH_TEST_COUNT && !*out_is_split; k++) {
        RH_TRY(look_between(branch, (rh_branch_test)k, length, out_is_split));
    }
    if (*out_is_split) {
        const rh_station held = branch->next;
        branch->next = branch->middle;
        branch->middle = held;
    }
    return RH_OK;
}
