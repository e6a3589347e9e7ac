// SPDX-License-Identifier: Apache-2.0
// The split into positional and cyclic coordinates. A coordinate is positional when the rates of
// velocities or states depend on it, or a surface on which they switch does, or the velocity of a
// positional coordinate: the smallest set closed in this way (theory 5.2). Dependence is a
// derivative that is not zero at one of several random states, whatever the values of dials. What
// is large beside its row is there; of what is small, but not zero, it is asked whether it stays
// when states and parameters are shaken a little: rounding does not.

#include "steady/steady.h"

#include <float.h>
#include <math.h>
#include <string.h>

#define TRACE 1e-8  // a derivative that is there, relative to the largest of its row
#define FLOOR 1e-4  // and to the largest of all
#define NEARER 0.1  // to singular than others: slopes there hold more rounding
#define SHAKE 1e-9  // of states; parameters are shaken by some roundings
#define STAYS 0.03  // what a derivative that is there may change by, relative
#define CLEAR 1e-11 // no rounding, relative to the largest of its row
enum { STATES = 4, ATTEMPTS = 12, SHAKES = 8, SHAKEN_STATES = 2 };
#define MOST_WORK UINT64_C(400000000) // operations of shaking

typedef struct probing {
    const rh_frame_ground *ground;
    const rh_engine *engine;
    rh_arena scratch;
    rh_slopes slopes; // by time and coordinates
    rh_tape_state *state;
    uint32_t *moving;
    double *inputs, *outputs, *slope;
    double *shaken, *shaken_inputs, *shaken_outputs; // the same beside a state
    uint8_t *stays;                                  // by slope: at how many states it stayed
    bool *is_doubted;                                // by slope: small, and as yet the same
    double *row;                                     // by output: its largest slope
    rh_random random;
    uint64_t work;
} probing;

// Time, x and dials that may take any value pushed at random.
static void push_inputs(probing *on, const double *start, double size)
{
    const uint32_t count =
        on->ground->dial_values == NULL ? on->engine->tape->input_count : on->engine->x.count + 1;
    memcpy(on->inputs, start, on->engine->tape->input_count * sizeof *start);
    for (uint32_t k = 0; k < count; k++) {
        on->inputs[k] +=
            rh__random_uniform(&on->random, -size, size) * rh__engine_size(on->engine, k, start[k]);
    }
}

// The outputs whose slopes count: rates, and what vanishes where they switch.
static bool counts(const probing *on, uint32_t output)
{
    const rh_engine *engine = on->engine;
    return output < engine->x.count ||
           (output >= engine->switch_first && output < engine->switch_first + engine->switch_count);
}

static bool is_known(const rh_split *split, uint32_t output, uint32_t j)
{
    return j == 0              ? split->reads_time
           : output < split->n ? split->of_velocity[output + (size_t)(j - 1) * split->n]
                               : split->of_rates[j - 1] == RH_DEPENDENCE_THERE;
}

static void know(rh_split *split, uint32_t output, uint32_t j)
{
    if (j == 0) {
        split->reads_time = true;
    } else if (output < split->n) {
        split->of_velocity[output + (size_t)(j - 1) * split->n] = true;
    } else {
        split->of_rates[j - 1] = RH_DEPENDENCE_THERE;
    }
}

// What a slope does, in sizes of inputs (time and coordinates).
static double share_of(const probing *on, size_t at)
{
    return fabs(on->slope[at]) * on->engine->unit[at / on->slopes.output_count];
}

// The size of a rate; 1 of what is no rate.
static double rate_size(const probing *on, uint32_t output)
{
    return output < on->engine->x.count ? on->engine->unit[1 + output] * on->engine->pace : 1.0;
}

// Note what is large; hands back how many slopes are small, not zero, and would be new.
static uint32_t note(probing *on, rh_split *split)
{
    const uint32_t rows = on->slopes.output_count;
    const uint32_t n = split->n;
    double all = 0.0;
    uint32_t doubts = 0;
    for (uint32_t i = 0; i < rows; i++) {
        on->row[i] = fabs(on->outputs[i]);
        for (uint32_t j = 0; j <= n; j++) {
            on->row[i] = fmax(on->row[i], share_of(on, i + (size_t)j * rows));
        }
        all = i < on->engine->x.count ? fmax(all, on->row[i] / rate_size(on, i)) : all;
    }
    for (size_t at = 0; at < (size_t)rows * (n + 1); at++) {
        const uint32_t i = (uint32_t)(at % rows);
        const double beside =
            on->row[i] + (i < on->engine->x.count ? FLOOR * all * rate_size(on, i) : 0.0);
        if (counts(on, i) && share_of(on, at) > TRACE * beside) {
            know(split, i, (uint32_t)(at / rows));
        }
    }
    for (size_t at = 0; at < (size_t)rows * (n + 1); at++) {
        const uint32_t i = (uint32_t)(at % rows);
        on->is_doubted[at] =
            counts(on, i) && on->slope[at] != 0.0 && !is_known(split, i, (uint32_t)(at / rows));
        doubts += on->is_doubted[at];
    }
    return doubts;
}

// --- small slopes --------------------------------------------------------------------------------

static double shaken_value(const void *user, const rh_store *store, rh_expr symbol)
{
    probing *const *on = user;
    const double value = rh__point_value(&(*on)->ground->start, store, symbol);
    return value * (1.0 + 8.0 * DBL_EPSILON * rh__random_uniform(&(*on)->random, -1.0, 1.0));
}

// Beside the state: does each doubted slope stay? Those that do not are rounding.
static rh_status shake(probing *on, uint32_t doubts)
{
    const rh_tape *tape = on->engine->tape;
    const size_t count = (size_t)on->slopes.output_count * on->slopes.moving_count;
    const uint64_t cost = (uint64_t)on->slopes.tape->slot_count *
                          (on->slopes.moving_count / on->slopes.directions + 1);
    uint32_t k = 0;
    for (; k < SHAKES && doubts > 0 && on->work < MOST_WORK; k++) {
        RH_TRY(rh__tape_bind(on->state, shaken_value, &on));
        for (uint32_t j = 0; j < tape->input_count; j++) {
            on->shaken_inputs[j] =
                on->inputs[j] + SHAKE * rh__engine_size(on->engine, j, on->inputs[j]) *
                                    rh__random_uniform(&on->random, -1.0, 1.0);
        }
        on->work += cost;
        const bool is_sound = rh__slopes_run(&on->slopes, on->state, on->shaken_inputs,
                                             on->shaken_outputs, on->shaken);
        for (size_t at = 0; is_sound && at < count; at++) {
            if (on->is_doubted[at] &&
                fabs(on->shaken[at] - on->slope[at]) > STAYS * fabs(on->slope[at])) {
                on->is_doubted[at] = false;
                doubts--;
            }
        }
    }
    for (size_t at = 0; at < count; at++) {
        // of a large system, which cannot be shaken so often, only what is clear of rounding
        const bool is_clear =
            k == SHAKES || share_of(on, at) > CLEAR * on->row[at % on->slopes.output_count];
        on->stays[at] = (uint8_t)(on->stays[at] + (on->is_doubted[at] && is_clear));
    }
    return rh__tape_bind(on->state, rh__point_value, &on->ground->start);
}

// What stayed at all states at which it was shaken is there, however small.
static void settle_doubts(const probing *on, rh_split *split, uint32_t shaken_count)
{
    const uint32_t rows = on->slopes.output_count;
    const size_t count = (size_t)rows * on->slopes.moving_count;
    for (size_t at = 0; shaken_count > 0 && at < count; at++) {
        if (on->stays[at] == shaken_count) {
            know(split, (uint32_t)(at % rows), (uint32_t)(at / rows));
        }
    }
}

// --- the whole -----------------------------------------------------------------------------------

static rh_status reserve(probing *on)
{
    const rh_engine *engine = on->engine;
    const uint32_t n = engine->coordinates.count;
    const size_t inputs = (size_t)engine->tape->input_count + 1;
    const size_t outputs = (size_t)engine->tape->output_count + 1;
    const size_t slopes = ((size_t)n + 1) * outputs;
    rh_allocator allocator = engine->arena.allocator;
    on->moving = rh__arena_array(&on->scratch, uint32_t, (size_t)n + 1);
    double *numbers = rh__arena_array(&on->scratch, double, 2 * inputs + 3 * outputs + 2 * slopes);
    on->stays = rh__arena_array(&on->scratch, uint8_t, slopes);
    on->is_doubted = rh__arena_array(&on->scratch, bool, slopes);
    if (on->moving == NULL || numbers == NULL || on->stays == NULL || on->is_doubted == NULL) {
        return on->scratch.status;
    }
    on->inputs = numbers;
    on->shaken_inputs = on->inputs + inputs;
    on->outputs = on->shaken_inputs + inputs;
    on->shaken_outputs = on->outputs + outputs;
    on->row = on->shaken_outputs + outputs;
    on->slope = on->row + outputs;
    on->shaken = on->slope + slopes;
    for (uint32_t k = 0; k <= n; k++) {
        on->moving[k] = k; // time, coordinates
    }
    RH_TRY(rh__slopes_create(engine->tape, on->moving, n + 1, &on->slopes, NULL));
    RH_TRY(rh__tape_state_create(on->slopes.tape, 0, allocator, &on->state));
    return rh__tape_bind(on->state, rh__point_value, &on->ground->start);
}

// The best condition of the equations at some of the states that will be tried.
static double best_condition(probing *on, const double *start)
{
    const rh_random before = on->random;
    double best = 0.0;
    on->state->is_wary = true;
    for (uint32_t tries = 0; tries < ATTEMPTS; tries++) {
        push_inputs(on, start, 0.8);
        if (rh__slopes_run(&on->slopes, on->state, on->inputs, on->outputs, on->slope)) {
            best = fmax(best, on->state->quality.rcond);
        }
    }
    on->random = before;
    return best;
}

// Several random states, nearer and nearer to the start where the equations cannot be evaluated.
static rh_status sample(probing *on, const double *start, rh_split *split, rh_error *err)
{
    uint32_t count = 0;
    uint32_t shaken = 0;
    double size = 0.8;
    const double best = best_condition(on, start);
    for (uint32_t tries = 0; count < STATES && tries < STATES * ATTEMPTS; tries++) {
        push_inputs(on, start, size);
        if (!rh__slopes_run(&on->slopes, on->state, on->inputs, on->outputs, on->slope)) {
            size *= 0.6;
            continue;
        }
        if (on->state->quality.rcond < NEARER * best && tries < STATES * ATTEMPTS / 2) {
            continue; // there are better ones
        }
        memcpy(split->state, on->inputs + 1,
               (on->engine->tape->input_count - 1) * sizeof *split->state);
        const uint32_t doubts = note(on, split);
        count++;
        if (shaken < SHAKEN_STATES) {
            RH_TRY(shake(on, doubts));
            shaken++;
        }
    }
    settle_doubts(on, split, shaken);
    return count > 0 ? RH_OK
                     : rh__error_fill(err, RH_E_UNAVAILABLE,
                                      "the equations of motion cannot be evaluated near the start: "
                                      "try another start");
}

static void close(rh_split *split)
{
    const uint32_t n = split->n;
    for (uint32_t k = 0; k < n; k++) {
        split->is_positional[k] = split->of_rates[k] == RH_DEPENDENCE_THERE;
    }
    for (bool grows = true; grows;) {
        grows = false;
        for (uint32_t i = 0; i < n; i++) {
            for (uint32_t j = 0; split->is_positional[i] && j < n; j++) {
                if (split->of_velocity[i + (size_t)j * n] && !split->is_positional[j]) {
                    split->is_positional[j] = grows = true;
                }
            }
        }
    }
    split->count = 0;
    for (uint32_t k = 0; k < n; k++) {
        split->count += split->is_positional[k];
    }
}

rh_status rh__split_find(const rh_frame_ground *ground, const rh_engine *engine,
                         const double *start, rh_arena *arena, rh_split *out, rh_error *err)
{
    const uint32_t n = engine->coordinates.count;
    *out = (rh_split){.n = n};
    out->is_positional = rh__arena_array(arena, bool, (size_t)n + 1);
    out->of_rates = rh__arena_array(arena, rh_dependence, (size_t)n + 1);
    out->of_velocity = rh__arena_array(arena, bool, (size_t)n *n + 1);
    out->state = rh__arena_array(arena, double, (size_t)engine->tape->input_count + 1);
    if (out->is_positional == NULL || out->of_rates == NULL || out->of_velocity == NULL ||
        out->state == NULL) {
        return arena->status;
    }
    for (uint32_t k = 0; k < n; k++) {
        out->of_rates[k] = RH_DEPENDENCE_SAMPLED;
    }
    probing on = {.ground = ground,
                  .engine = engine,
                  .scratch = rh__arena_begin(arena->allocator, arena->limit),
                  .random = rh__random_begin(20801)};
    rh_status status = reserve(&on);
    if (status == RH_OK) {
        status = sample(&on, start, out, err);
    }
    rh__tape_state_destroy(on.state);
    rh__slopes_destroy(&on.slopes);
    rh__arena_end(&on.scratch);
    if (status == RH_OK) {
        close(out);
    }
    return status;
}
