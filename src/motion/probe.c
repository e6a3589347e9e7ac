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
    RH_ASSERT(motion->probe->tape == motion->step->tape);
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
    RH_ASSERT(level < gate->level_count);
    return rh__tape_output(motion->probe, gate->level + level, 0);
}

double rh__gate_met(rh_motion *motion, const rh_gate *gate, uint32_t level)
{
    RH_ASSERT(level < gate->level_count);
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

static void look_with(rh_motion *motion, uint32_t hold, double lent)
{
    RH_ASSERT(motion->probe != motion->step);
    rh__tape_release(motion->probe, hold, lent);
    expand_briefly(motion);
}

// What the probe has, times a factor, into the column of an open gate.
static void add_rates(rh_motion *motion, double factor, uint32_t j)
{
    rh_mode *mode = &motion->mode;
    RH_ASSERT(j < mode->open_count);
    for (uint32_t i = 0; i < mode->open_count; i++) {
        const uint32_t level = last_level(&mode->gates[mode->open[i]]);
        mode->response[i * mode->open_count + j] +=
            factor * rh__tape_output(motion->probe, level, 1);
    }
    for (uint32_t k = 0; k < motion->system->form.rate_count; k++) {
        mode->push[(size_t)j * motion->n + k] +=
            factor * rh__tape_output(motion->probe, motion->n + k, 0);
    }
}

static void clear_column(rh_mode *mode, uint32_t n, uint32_t j)
{
    for (uint32_t i = 0; i < mode->open_count; i++) {
        mode->response[i * mode->open_count + j] = 0.0;
    }
    memset(mode->push + (size_t)j * n, 0, n * sizeof *mode->push);
}

// Is what a multiplier lent to the probe does, its column times it, more than rounding of the terms
// that cancel?
static bool has_effect(rh_motion *motion, uint32_t j, double lent)
{
    const double *push = motion->mode.push + (size_t)j * motion->n;
    double *bounds = motion->drift_bounds[0];
    bool has = false;
    memset(bounds, 0, ((size_t)motion->n + 1) * sizeof *bounds); // t and x are what they are
    motion->has_drift_bounds = false;
    rh__tape_bounds(motion->probe, bounds);
    for (uint32_t i = 0; i < motion->system->form.rate_count; i++) {
        const uint32_t slot = motion->system->step->outputs[motion->n + i];
        has = has || fabs(push[i]) * lent > ROUNDINGS * bounds[slot];
    }
    return has;
}

// G between the open gates, and what a unit of each multiplier does to the rates of x: what one
// does beside which all else that acts is nothing, so that no digits are lost in a difference. The
// open ones are released.
void rh__gate_respond(rh_motion *motion)
{
    rh_mode *mode = &motion->mode;
    RH_ASSERT(mode->open_count <= RH_GATE_OPEN && motion->system->form.rate_count <= motion->n);
    follow_step(motion);
    for (uint32_t j = 0; j < mode->open_count; j++) {
        const rh_gate *gate = &mode->gates[mode->open[j]];
        clear_column(mode, motion->n, j);
        look_with(motion, gate->hold, 0.0);
        add_rates(motion, -1.0 / LARGE, j);
        look_with(motion, gate->hold, LARGE);
        add_rates(motion, 1.0 / LARGE, j);
        if (!has_effect(motion, j, LARGE)) {
            clear_column(mode, motion->n, j);
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
