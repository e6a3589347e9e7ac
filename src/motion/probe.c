// SPDX-License-Identifier: Apache-2.0
// Where gates are met: a few orders of the motion, by a state of the stepping tape that is there
// for this alone, and what units of multipliers do to it.

#include "motion/motion.h"

#include <math.h>
#include <string.h>

#define LARGE 0x1p200  // a multiplier beside which all forces are nothing
#define ROUNDINGS 64.0 // of the terms of a rate, below which it is none

// The probe in the mode of the step.
static void follow_step(rh_motion *motion)
{
    if (motion->probe != motion->step) {
        rh__tape_follow(motion->probe, motion->step);
        motion->probe->is_wary = motion->step->is_wary;
    }
}

// A few orders, by the probe.
static void expand_briefly(rh_motion *motion)
{
    rh__system_series(motion->system, motion->probe, motion->t, motion->x, RH_BRIEF_ORDER);
}

double rh__gate_level(const rh_motion *motion, const rh_gate *gate, uint32_t level)
{
    return rh__tape_output(motion->probe, gate->level + level, 0);
}

double rh__gate_met(rh_motion *motion, const rh_gate *gate, uint32_t level)
{
    return rh__mode_met(motion, motion->system->step->outputs[gate->level + level]);
}

void rh__gate_look(rh_motion *motion)
{
    follow_step(motion);
    expand_briefly(motion);
}

static uint32_t last_level(const rh_gate *gate)
{
    return gate->level + gate->level_count - 1;
}

static const rh_tape_state *look_with(rh_motion *motion, uint32_t hold, double unit)
{
    rh__tape_release(motion->probe, hold, unit);
    expand_briefly(motion);
    return motion->probe;
}

// Does a multiplier of this size change any rate by more than rounding of the terms that cancel?
// The probe is left with it.
static bool has_effect(rh_motion *motion, uint32_t hold, double lent)
{
    const rh_tape_state *by = look_with(motion, hold, 0.0);
    double *without = motion->slope;
    double *bounds = motion->drift_bounds[0];
    for (uint32_t i = 0; i < motion->system->form.rate_count; i++) {
        without[i] = rh__tape_output(by, motion->n + i, 0);
    }
    by = look_with(motion, hold, lent);
    memset(bounds, 0, ((size_t)motion->n + 1) * sizeof *bounds); // t and x are what they are
    motion->has_drift_bounds = false;
    rh__tape_bounds(motion->probe, bounds);
    bool has = false;
    for (uint32_t i = 0; i < motion->system->form.rate_count; i++) {
        const uint32_t slot = motion->system->step->outputs[motion->n + i];
        const double done = fabs(rh__tape_output(by, motion->n + i, 0) - without[i]);
        has = has || done > ROUNDINGS * bounds[slot];
    }
    expand_briefly(motion);
    return has;
}

// G between the open gates, and what a unit of each multiplier does to the rates of x: what one
// does beside which all else that acts is nothing, so that no digits are lost in a difference. The
// open ones are released.
void rh__gate_respond(rh_motion *motion)
{
    rh_mode *mode = &motion->mode;
    const uint32_t count = mode->open_count;
    const uint32_t rates = motion->system->form.rate_count;
    follow_step(motion);
    for (uint32_t j = 0; j < count; j++) {
        const rh_gate *gate = &mode->gates[mode->open[j]];
        double *push = mode->push + (size_t)j * motion->n;
        const double share = has_effect(motion, gate->hold, LARGE) ? 1.0 / LARGE : 0.0;
        for (uint32_t i = 0; i < count; i++) {
            const uint32_t level = last_level(&mode->gates[mode->open[i]]);
            mode->response[i * count + j] = share * rh__tape_output(motion->probe, level, 1);
        }
        for (uint32_t k = 0; k < rates; k++) {
            push[k] = share * rh__tape_output(motion->probe, motion->n + k, 0);
        }
        rh__tape_release(motion->probe, gate->hold, 0.0);
    }
}

// Columns with a negative diagonal are turned round.
void rh__gate_turn(rh_motion *motion)
{
    rh_mode *mode = &motion->mode;
    const uint32_t count = mode->open_count;
    for (uint32_t j = 0; j < count; j++) {
        rh_gate *gate = &mode->gates[mode->open[j]];
        const bool is_turned = mode->response[j * count + j] < 0.0;
        gate->sign = is_turned ? -1 : 1;
        for (uint32_t i = 0; is_turned && i < count; i++) {
            mode->response[i * count + j] = -mode->response[i * count + j];
        }
        for (uint32_t k = 0; is_turned && k < motion->system->form.rate_count; k++) {
            double *push = &mode->push[(size_t)j * motion->n + k];
            *push = -*push;
        }
    }
}
