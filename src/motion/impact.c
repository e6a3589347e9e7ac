// SPDX-License-Identifier: Apache-2.0
// Impacts: gates in positions that are met with speed. All velocities jump at once by impulses of
// all gates that are met,
//     0 <= impulse  _|_  speed after + e speed before >= 0,
// in the metric of the kinetic energy, with the kept constraints kept. Impacts that follow each
// other ever faster (accumulation) end in lasting contact: after a speed v against the acceleration
// a the flights still to come take 2 v / (a (1 - e)) in all, up to higher powers of v.

#include "motion/motion.h"

#include <math.h>

#define BRIEF 1e-7 // share of the time of the motion below which the flights to come are summed up

// Without jets flights that rise no higher than the error of steps cannot be followed.
static double brief_share(const rh_motion *motion)
{
    const bool is_exact = motion->stepper == NULL || motion->stepper->has_jets;
    return is_exact ? BRIEF : fmax(BRIEF, 10.0 * sqrt(motion->tolerance));
}

static bool is_position(const rh_gate *gate)
{
    return gate->level_count == 2;
}

static bool is_met(rh_motion *motion, const rh_gate *gate)
{
    return gate->is_met || fabs(rh__gate_level(motion, gate, 0)) <= rh__gate_met(motion, gate, 0);
}

// Gates whose impulses count. True when one of them is hit.
static bool find_hit(rh_motion *motion)
{
    rh_mode *mode = &motion->mode;
    bool is_hit = false;
    mode->open_count = 0;
    for (uint32_t k = 0; k < mode->gate_count; k++) {
        rh_gate *gate = &mode->gates[k];
        const double speed = rh__gate_level(motion, gate, gate->level_count - 1);
        const double still = rh__gate_met(motion, gate, gate->level_count - 1);
        const bool counts =
            gate->is_active || (is_position(gate) ? is_met(motion, gate) : speed <= still);
        if (counts) {
            rh__gate_put(motion, k);
        }
        gate->speed = speed;
        is_hit = is_hit || (counts && is_position(gate) && speed < -still);
    }
    return is_hit;
}

static void clear_impulses(rh_motion *motion)
{
    for (uint32_t k = 0; k < motion->mode.open_count; k++) {
        motion->mode.gates[motion->mode.open[k]].impulse = 0.0;
    }
}

// Impulses of the open gates, which are released, and what they do to x: `rate` is what they must
// make up for.
static bool push_back(rh_motion *motion)
{
    rh_mode *mode = &motion->mode;
    const uint32_t first = motion->system->variables.first;
    RH_ASSERT(first + motion->system->variables.count <= motion->n);
    rh__gate_respond(motion);
    rh__gate_turn(motion);
    const rh_mark mark = rh__arena_mark(&mode->scratch);
    const rh_complement_solution *found = rh__corner_solve(motion, mode->push, motion->n);
    for (uint32_t k = 0; found != NULL && k < mode->open_count; k++) {
        mode->gates[mode->open[k]].impulse = found->multiplier[k];
        for (uint32_t j = 0; j < motion->system->variables.count; j++) {
            motion->x[first + j] += mode->push[(size_t)k * motion->n + j] * found->multiplier[k];
        }
    }
    rh__arena_rewind(&mode->scratch, mark);
    return found != NULL;
}

// The jump of x; impulses into the gates.
static bool jump(rh_motion *motion)
{
    rh_mode *mode = &motion->mode;
    for (uint32_t k = 0; k < mode->open_count; k++) {
        const rh_gate *gate = &mode->gates[mode->open[k]];
        const double e =
            is_position(gate) && !gate->is_settling && gate->speed < 0.0 ? gate->restitution : 0.0;
        RH_ASSERT(0.0 <= e && e <= 1.0);
        mode->rate[k] = (1.0 + e) * gate->speed;
        mode->noise[k] = 1e-2 * rh__gate_met(motion, gate, gate->level_count - 1);
        rh__tape_release(motion->step, gate->hold, 0.0);
    }
    return push_back(motion);
}

// Are the flights that begin now so brief that they are over at once? Then their gates are
// settling.
static bool find_settling(rh_motion *motion)
{
    rh_mode *mode = &motion->mode;
    bool is_found = false;
    rh__system_series(motion->system, motion->step, motion->t, motion->x, motion->order);
    const double span = rh__mode_span(motion);
    for (uint32_t k = 0; k < mode->open_count; k++) {
        rh_gate *gate = &mode->gates[mode->open[k]];
        const uint32_t last = gate->level + gate->level_count - 1;
        const double speed = rh__tape_output(motion->step, last, 0);
        const double pull = -rh__tape_output(motion->step, last, 1);
        const double left = 2.0 * speed / (pull * (1.0 - gate->restitution));
        if (is_position(gate) && !gate->is_settling && gate->impulse > 0.0 && speed > 0.0 &&
            pull > 0.0 && gate->restitution < 1.0 && left < brief_share(motion) * span) {
            gate->is_settling = true;
            gate->delay = left;
            is_found = true;
        }
    }
    return is_found;
}

static void copy(uint32_t n, const double *from, double *to)
{
    for (uint32_t k = 0; k < n; k++) {
        to[k] = from[k];
    }
}

// Those still touched are decided anew.
static void release_open(rh_motion *motion)
{
    rh_mode *mode = &motion->mode;
    for (uint32_t k = 0; k < mode->open_count; k++) {
        rh_gate *gate = &mode->gates[mode->open[k]];
        mode->is_kept[gate->link] = gate->is_active = false;
        if (is_position(gate) && gate->impulse > 0.0) {
            rh__mode_record(motion, RH_OCCURRENCE_IMPACT, gate->name, motion->t);
        }
    }
}

void rh__impact_release(rh_motion *motion)
{
    rh_mode *mode = &motion->mode;
    (void)find_hit(motion);
    clear_impulses(motion);
    for (uint32_t k = 0; k < mode->open_count; k++) {
        rh__tape_release(motion->step, mode->gates[mode->open[k]].hold, 0.0);
    }
}

// Speeds are those after the impulse, and of what was approached before it e times that more.
void rh__impact_press(rh_motion *motion)
{
    rh_mode *mode = &motion->mode;
    if (mode->open_count == 0) {
        return;
    }
    rh__gate_look(motion);
    for (uint32_t k = 0; k < mode->open_count; k++) {
        rh_gate *gate = &mode->gates[mode->open[k]];
        const double e = is_position(gate) && gate->speed < 0.0 ? gate->restitution : 0.0;
        RH_ASSERT(0.0 <= e && e <= 1.0);
        const double before = gate->speed;
        gate->speed = rh__gate_level(motion, gate, gate->level_count - 1);
        mode->rate[k] = gate->speed + e * before;
        mode->noise[k] = 1e-2 * rh__gate_met(motion, gate, gate->level_count - 1);
    }
    if (push_back(motion)) {
        release_open(motion);
    }
}

void rh__impact_apply(rh_motion *motion)
{
    rh_mode *mode = &motion->mode;
    double residual = 0.0;
    if (!find_hit(motion)) {
        return;
    }
    mode->has_jumped = true;
    motion->length_last = motion->t - motion->t_before; // elsewhere it may be another
    rh__switch_let_go(motion);
    copy(motion->n, motion->x, motion->x_row);
    bool is_well = jump(motion);
    if (is_well && find_settling(motion)) {
        copy(motion->n, motion->x_row, motion->x);
        is_well = jump(motion);
    }
    if (is_well) {
        release_open(motion);
    }
    rh__projector_measure(&motion->projector, motion->t, motion->x);
    (void)rh__projector_apply(&motion->projector, motion->t, motion->x, mode->is_kept, &residual,
                              NULL);
    rh__gate_look(motion);
}
