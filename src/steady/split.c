// SPDX-License-Identifier: Apache-2.0
// The split into positional and cyclic coordinates. A coordinate is positional when the rates of
// velocities or states depend on it, or the velocity of a positional coordinate does: the smallest
// set closed in this way (theory 5.2). Dependence is a derivative that is not zero at one of
// several random states.

#include "steady/steady.h"

#include <math.h>
#include <string.h>

#define TRACE 1e-8 // a derivative that is there, relative to the largest of its row
#define FLOOR 1e-4 // and to the largest of all
enum { STATES = 4, ATTEMPTS = 12 };

typedef struct probing {
    const rh_frame_ground *ground;
    const rh_engine *engine;
    rh_arena scratch;
    rh_slopes slopes; // by time and coordinates
    rh_tape_state *state;
    uint32_t *moving;
    double *inputs, *outputs, *slope;
    rh_random random;
} probing;

// Time and x pushed at random; dials as they are.
static void push_inputs(probing *on, const double *start, double size)
{
    memcpy(on->inputs, start, on->engine->tape->input_count * sizeof *start);
    for (uint32_t k = 0; k <= on->engine->x.count; k++) {
        on->inputs[k] += rh__random_uniform(&on->random, -size, size) * (1.0 + fabs(start[k]));
    }
}

static bool is_there(double slope, double row, double all)
{
    return fabs(slope) > TRACE * (row + FLOOR * all);
}

static void note(const probing *on, rh_split *split)
{
    const uint32_t rows = on->slopes.output_count;
    const uint32_t n = split->n;
    double all = 0.0;
    for (uint32_t i = 0; i < on->engine->x.count; i++) {
        all = fmax(all, fabs(on->outputs[i]));
        for (uint32_t j = 0; j <= n; j++) {
            all = fmax(all, fabs(on->slope[i + (size_t)j * rows]));
        }
    }
    for (uint32_t i = 0; i < on->engine->x.count; i++) {
        double row = fabs(on->outputs[i]);
        for (uint32_t j = 0; j <= n; j++) {
            row = fmax(row, fabs(on->slope[i + (size_t)j * rows]));
        }
        for (uint32_t j = 0; j <= n; j++) {
            if (!is_there(on->slope[i + (size_t)j * rows], row, all)) {
                continue;
            }
            if (j == 0) {
                split->reads_time = true;
            } else if (i < n) {
                split->of_velocity[i + (size_t)(j - 1) * n] = true;
            } else {
                split->of_rates[j - 1] = RH_DEPENDENCE_THERE;
            }
        }
    }
}

static rh_status reserve(probing *on)
{
    const rh_engine *engine = on->engine;
    const uint32_t n = engine->coordinates.count;
    rh_allocator allocator = engine->arena.allocator;
    on->moving = rh__arena_array(&on->scratch, uint32_t, (size_t)n + 1);
    on->inputs = rh__arena_array(&on->scratch, double, (size_t)engine->tape->input_count + 1);
    on->outputs = rh__arena_array(&on->scratch, double, (size_t)engine->tape->output_count + 1);
    on->slope =
        rh__arena_array(&on->scratch, double, ((size_t)n + 1) * engine->tape->output_count + 1);
    if (on->moving == NULL || on->inputs == NULL || on->outputs == NULL || on->slope == NULL) {
        return on->scratch.status;
    }
    for (uint32_t k = 0; k <= n; k++) {
        on->moving[k] = k; // time, coordinates
    }
    RH_TRY(rh__slopes_create(engine->tape, on->moving, n + 1, &on->slopes, NULL));
    RH_TRY(rh__tape_state_create(on->slopes.tape, 0, allocator, &on->state));
    return rh__tape_bind(on->state, rh__point_value, (void *)(uintptr_t)&on->ground->start);
}

// Several random states, nearer and nearer to the start where the equations cannot be evaluated.
static rh_status sample(probing *on, const double *start, rh_split *split, rh_error *err)
{
    uint32_t count = 0;
    double size = 0.8;
    for (uint32_t tries = 0; count < STATES && tries < STATES * ATTEMPTS; tries++) {
        push_inputs(on, start, size);
        if (rh__slopes_run(&on->slopes, on->state, on->inputs, on->outputs, on->slope)) {
            memcpy(split->state, on->inputs + 1, on->engine->x.count * sizeof *split->state);
            note(on, split);
            count++;
        } else {
            size *= 0.6;
        }
    }
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
    out->state = rh__arena_array(arena, double, (size_t)engine->x.count + 1);
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
