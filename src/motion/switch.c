// SPDX-License-Identifier: Apache-2.0
// Conditions (`if`, `abs`, `sign`, `min`, `max`): each has a surface and a side
// of it, which is kept during a step, so that every piece of the motion is
// smooth.

#include "motion/motion.h"

#include <math.h>

static double truth_of(rh_switch_rule rule, double side)
{
    switch (rule) {
    case RH_SWITCH_BELOW:
    case RH_SWITCH_NOT_ABOVE:
        return side < 0.0;
    case RH_SWITCH_ZERO:
        return 0.0;
    case RH_SWITCH_NOT_BELOW:
        return side > 0.0;
    case RH_SWITCH_SIGN:
        return side;
    }
    return 0.0;
}

// The sign of the first coefficient of a surface that is not zero: the side it
// goes to.
static double side_ahead(const rh_motion *motion, const rh_tape_state *state, uint32_t slot)
{
    for (uint32_t k = 0; k < motion->order; k++) {
        const double c = rh__jet_row(state, k)[slot];
        if (fabs(c) > 1e-14) {
            return c > 0.0 ? 1.0 : -1.0;
        }
    }
    return 0.0;
}

// Rows of the last step see the truths of that step; from here on `plain` belongs to the next.
static void bring_up(rh_motion *motion)
{
    for (uint32_t k = 0; k < motion->system->step->switch_count; k++) {
        if (motion->side[k] != 0.0) {
            rh__tape_force(motion->plain, k,
                           truth_of(motion->system->step->switches[k].rule, motion->side[k]));
        }
    }
}

bool rh__switch_decide(rh_motion *motion)
{
    const rh_tape *tape = motion->system->step;
    bool is_changed = false;
    bring_up(motion);
    for (uint32_t k = 0; k < tape->switch_count; k++) {
        if (motion->side[k] != 0.0) {
            continue;
        }
        motion->side[k] = side_ahead(motion, motion->step, tape->switches[k].surface);
        const double truth = truth_of(tape->switches[k].rule, motion->side[k]);
        if (motion->side[k] != 0.0) {
            is_changed = is_changed || truth != rh__tape_truth(motion->step, k);
            rh__tape_force(motion->step, k, truth);
            rh__tape_force(motion->plain, k, truth);
        }
    }
    return is_changed;
}

void rh__switch_settle(rh_motion *motion)
{
    bool is_open = false;
    bring_up(motion);
    for (uint32_t k = 0; k < motion->system->step->switch_count; k++) {
        is_open = is_open || motion->side[k] == 0.0;
    }
    if (is_open) {
        rh__system_series(motion->system, motion->step, motion->t, motion->x, motion->order);
        (void)rh__switch_decide(motion);
    }
}

// Conditions inside event functions: the same, but nothing moves by them.
bool rh__switch_decide_watched(rh_motion *motion)
{
    const rh_tape *tape = motion->system->watch;
    bool is_changed = false;
    for (uint32_t k = 0; k < tape->switch_count; k++) {
        if (motion->watch_side[k] != 0.0) {
            continue;
        }
        motion->watch_side[k] = side_ahead(motion, motion->watch, tape->switches[k].surface);
        const double truth = truth_of(tape->switches[k].rule, motion->watch_side[k]);
        if (motion->watch_side[k] != 0.0) {
            is_changed = is_changed || truth != rh__tape_truth(motion->watch, k);
            rh__tape_force(motion->watch, k, truth);
        }
    }
    return is_changed;
}

void rh__switch_flip(rh_motion *motion, uint32_t index, int direction)
{
    const uint32_t own = motion->system->step->switch_count;
    if (index >= own) {
        motion->watch_side[index - own] = direction;
        rh__tape_force(motion->watch, index - own,
                       truth_of(motion->system->watch->switches[index - own].rule, direction));
        return;
    }
    motion->jumps++;
    motion->side[index] = direction;
    const double truth = truth_of(motion->system->step->switches[index].rule, motion->side[index]);
    rh__tape_force(motion->step, index, truth);
    motion->leap.count = 0; // steps of another length from here on are no sign of a singularity
    motion->leap.longest = 0.0;
}
