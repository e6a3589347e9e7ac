// SPDX-License-Identifier: Apache-2.0
// Where gates are met: a few orders of the motion, by a state of the stepping tape that is there
// for this alone, and what units of multipliers do to it.

#include "motion/motion.h"

#include <math.h>
#include <string.h>

#define LEAST_DONE 0x1p-150 // of a rate by a unit of a multiplier: less is nothing

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

// Where the whole series is there, and nothing is lent, the first orders are those of the step.
static const rh_tape_state *look_without(rh_motion *motion, uint32_t hold)
{
    const rh_tape_state *step = motion->step;
    const double *row = rh__jet_row(step, 0);
    if (step->ready == motion->order && step->is_released[hold] && step->lent[hold] == 0.0 &&
        row[0] == motion->t && memcmp(row + 1, motion->x, motion->n * sizeof *row) == 0) {
        return step;
    }
    rh__tape_release(motion->probe, hold, 0.0);
    expand_briefly(motion);
    return motion->probe;
}

static const rh_tape_state *look_with(rh_motion *motion, uint32_t hold, double unit)
{
    rh__tape_release(motion->probe, hold, unit);
    expand_briefly(motion);
    return motion->probe;
}

// A multiplier that does no less than all that acts besides it to any rate, a power of 2: what a
// unit of it does is a difference, in which the digits of large forces are not to be lost. `push`:
// minus the rates without it.
static double choose_unit(rh_motion *motion, uint32_t hold, const double *push)
{
    const double large = 0x1p200; // beside which nothing else is to be seen
    const rh_tape_state *by = look_with(motion, hold, large);
    double least = INFINITY;
    for (uint32_t i = 0; i < motion->system->form.rate_count; i++) {
        const double done = fabs(rh__tape_output(by, motion->n + i, 0)) / large;
        const double share = done / fabs(push[i]);
        least = done > LEAST_DONE * fabs(push[i]) ? fmin(least, share) : least;
    }
    return isfinite(least) ? ldexp(1.0, -ilogb(least)) : 1.0;
}

// G between the open gates, and what a unit of each multiplier does to the rates of x. The open
// ones are released.
void rh__gate_respond(rh_motion *motion)
{
    rh_mode *mode = &motion->mode;
    const uint32_t count = mode->open_count;
    const uint32_t rates = motion->system->form.rate_count;
    rh_tape_state *probe = motion->probe;
    follow_step(motion);
    for (uint32_t j = 0; j < count; j++) {
        const rh_gate *gate = &mode->gates[mode->open[j]];
        for (int unit = 0; unit < 2; unit++) {
            const double sign = unit == 0 ? -1.0 : 1.0;
            const double *free = mode->push + (size_t)j * motion->n;
            const double lent = unit == 0 ? 1.0 : choose_unit(motion, gate->hold, free);
            const rh_tape_state *by =
                unit == 0 ? look_without(motion, gate->hold) : look_with(motion, gate->hold, lent);
            for (uint32_t i = 0; i < count; i++) {
                const double rate = rh__tape_output(by, last_level(&mode->gates[mode->open[i]]), 1);
                double *g = &mode->response[i * count + j];
                *g = (sign * rate + (unit == 0 ? 0.0 : *g)) / lent;
            }
            for (uint32_t k = 0; k < rates; k++) {
                double *push = &mode->push[(size_t)j * motion->n + k];
                *push = (sign * rh__tape_output(by, motion->n + k, 0) + (unit == 0 ? 0.0 : *push)) /
                        lent;
            }
        }
        rh__tape_release(probe, gate->hold, 0.0);
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
