// SPDX-License-Identifier: Apache-2.0
// Is the series of what is watched true along the step? The length of a step is chosen for x. An
// event function, or a surface, may be a steep function of x, as atan(1e5*(x - 1)) or
// 1/(1 + (1e5*(x - 1))^2): its own series says nothing beyond the poles of that, and roots of its
// polynomial are none of the function. So polynomials are compared with the functions at some
// points of the step, and the step is shortened while they differ by more than rounding.

#include "motion/motion.h"

#include <math.h>

enum { POINTS = 4, MOST_SHORTENINGS = 24 };

static const double SHARES[POINTS] = {0.27, 0.52, 0.79, 1.0}; // where nothing is symmetric

#define SHORTER 0.47 // no place that is round in the model
#define TRUE 1e-9    // of the size of the function: a polynomial so near is true
#define HELPS 0.1    // what is no rounding falls by more than that with the length

static bool is_polynomial(rh_tape_code code)
{
    return code == RH_TAPE_LINEAR || code == RH_TAPE_MULTIPLY || code == RH_TAPE_SQUARE;
}

static bool has_curved_operand(const rh_tape *tape, const rh_tape_group *group, uint32_t i,
                               const bool *is_curved)
{
    bool has = false;
    for (uint32_t j = 0; !has && j < group->arity; j++) {
        has = is_curved[tape->operands[group->operand + j * group->count + i]];
    }
    return has;
}

// By slot: is it more than a polynomial of x, the time and unknowns? Those have series of their
// own.
static bool *find_curved(const rh_tape *tape, rh_arena *arena)
{
    bool *is_curved = rh__arena_array(arena, bool, (size_t)tape->slot_count + 1);
    for (uint32_t g = 0; is_curved != NULL && g < tape->group_count; g++) {
        const rh_tape_group *group = &tape->groups[g];
        const bool is_pair = group->code == RH_TAPE_SINCOS || group->code == RH_TAPE_SINHCOSH ||
                             group->code == RH_TAPE_TANH;
        for (uint32_t i = 0; group->code != RH_TAPE_SOLVE && i < group->count; i++) {
            const bool is =
                !is_polynomial(group->code) || has_curved_operand(tape, group, i, is_curved);
            is_curved[group->first + i] = is;
            if (is_pair) {
                is_curved[group->first + group->count + i] = is;
            }
        }
    }
    return is_curved;
}

rh_status rh__watched_create(rh_motion *motion)
{
    const rh_tape *watch = motion->system->watch;
    rh_curved *curved = &motion->curved;
    curved->step = find_curved(motion->system->step, &motion->arena);
    curved->watch = find_curved(watch, &motion->arena);
    if (curved->step == NULL || curved->watch == NULL) {
        return motion->arena.status;
    }
    for (uint32_t k = 0; k < motion->equations->model->events.count; k++) {
        curved->has_watch = curved->has_watch || curved->watch[watch->outputs[k]];
    }
    for (uint32_t k = 0; k < watch->switch_count; k++) {
        curved->has_watch = curved->has_watch || curved->watch[watch->switches[k].surface];
    }
    return RH_OK;
}

static bool has_curved(const rh_motion *motion)
{
    const rh_tape *step = motion->system->step;
    const bool *is_curved = motion->curved.step;
    bool has = motion->curved.has_watch;
    for (uint32_t k = 0; !has && k < step->switch_count; k++) {
        has = is_curved[step->switches[k].surface] && !motion->mode.conditions[k].is_sliding;
    }
    for (uint32_t k = 0; !has && k < motion->mode.gate_count; k++) {
        has = is_curved[rh__gate_slot(motion, &motion->mode.gates[k])];
    }
    return has;
}

// As far as its coefficients are numbers.
static double polynomial_at(const rh_tape_state *state, uint32_t slot, uint32_t order, double time)
{
    double value = 0.0;
    uint32_t count = 0;
    while (count < order && isfinite(rh__jet_row(state, count)[slot])) {
        count++;
    }
    for (uint32_t k = count; k-- > 0;) {
        value = value * time + rh__jet_row(state, k)[slot];
    }
    return value;
}

// How far a polynomial is off at the point where the tapes were run, of its size so far.
static double miss(const rh_motion *motion, const rh_tape_state *jets, const rh_tape_state *point,
                   uint32_t slot, double time)
{
    RH_ASSERT(jets == motion->step || jets == motion->watch);
    RH_ASSERT(jets->tape == point->tape && slot < jets->tape->slot_count);
    const bool *is_curved = jets == motion->step ? motion->curved.step : motion->curved.watch;
    if (!is_curved[slot]) {
        return 0.0;
    }
    const double begin = rh__jet_row(jets, 0)[slot];
    const double value = rh__jet_row(point, 0)[slot];
    const double off = fabs(polynomial_at(jets, slot, motion->order, time) - value);
    const double size = fmax(fabs(begin), fabs(value));
    // what has no value there is left to the roots that are found before
    return off > 0.0 && isfinite(value) ? (size > 0.0 ? fmin(off / size, 1.0) : 1.0) : 0.0;
}

static double miss_at(rh_motion *motion, double time)
{
    const rh_tape *step = motion->system->step;
    const rh_tape *watch = motion->system->watch;
    double *inputs = rh__jet_row(motion->plain, 0);
    double worst = 0.0;
    rh__series_value(&motion->series, motion->t + time, motion->x_try);
    inputs[0] = motion->t + time;
    for (uint32_t i = 0; i < motion->n; i++) {
        inputs[1 + i] = motion->x_try[i];
    }
    rh__tape_run(motion->plain);
    for (uint32_t k = 0; k < step->switch_count; k++) {
        if (!motion->mode.conditions[k].is_sliding) {
            worst = fmax(
                worst, miss(motion, motion->step, motion->plain, step->switches[k].surface, time));
        }
    }
    for (uint32_t k = 0; k < motion->mode.gate_count; k++) {
        worst = fmax(worst, miss(motion, motion->step, motion->plain,
                                 rh__gate_slot(motion, &motion->mode.gates[k]), time));
    }
    if (motion->curved.has_watch) {
        rh__cluster_run_watched(motion);
        for (uint32_t k = 0; k < motion->equations->model->events.count; k++) {
            worst = fmax(worst,
                         miss(motion, motion->watch, motion->watch_point, watch->outputs[k], time));
        }
        for (uint32_t k = 0; k < watch->switch_count; k++) {
            worst = fmax(worst, miss(motion, motion->watch, motion->watch_point,
                                     watch->switches[k].surface, time));
        }
    }
    return worst;
}

static double miss_along(rh_motion *motion, double length)
{
    double worst = 0.0;
    for (uint32_t k = 0; k < POINTS; k++) {
        worst = fmax(worst, miss_at(motion, SHARES[k] * length));
    }
    return worst;
}

double rh__watched_limit(rh_motion *motion, double length)
{
    RH_ASSERT(length > 0.0);
    if (!has_curved(motion)) {
        return length;
    }
    const double whole = length;
    const double least = 1e-12 * fabs(motion->t); // along less it is rounding
    rh__tape_follow_ranks(motion->plain, motion->step);
    rh__tape_follow(motion->watch_point, motion->watch);
    double missed = length > least ? miss_along(motion, length) : 0.0;
    for (uint32_t k = 0; k < MOST_SHORTENINGS && missed > TRUE; k++) {
        const double shorter = SHORTER * length;
        const double next = miss_along(motion, shorter);
        // a miss of the whole size says nothing about how it falls
        if (missed < 1.0 && !(next < HELPS * missed)) {
            break;
        }
        if (shorter < least) {
            return whole;
        }
        length = shorter;
        missed = next;
    }
    return missed < 1.0 ? length : whole;
}
