// SPDX-License-Identifier: Apache-2.0
// Outputs and slopes that are nothing but rounding become zero: those that are tiny beside their
// row and change wholly when values and parameters are shaken by a few roundings.

#include "steady/steady.h"

#include <float.h>
#include <math.h>
#include <string.h>

#define TINY 1e-9  // beside the largest of its row
#define WHOLLY 0.3 // what rounding changes by, of itself
enum { SHAKES = 6, SEED = 2718 };

typedef struct shaking {
    rh_workbench *bench;
    rh_random random;
    rh_tape_state *state;
    double *values, *outputs, *slopes; // shaken
    bool *is_output, *is_slope;        // tiny: it may be rounding
    bool *output_moves, *slope_moves;  // it changed wholly
} shaking;

static double size_of(const rh_workbench *bench, uint32_t moving)
{
    const uint32_t slot = bench->reduction->moving[moving];
    return rh__engine_size(&bench->reduction->engine, slot, bench->values[slot]);
}

// What is tiny and not zero.
static void doubt(shaking *on)
{
    const rh_workbench *bench = on->bench;
    const rh_reduction *reduction = bench->reduction;
    const size_t rows = reduction->slopes.output_count;
    for (size_t i = 0; i < rows; i++) {
        double largest = 0.0;
        on->is_output[i] = fabs(bench->outputs[i]) < TINY * reduction->typical[i];
        for (uint32_t j = 0; j < reduction->moving_count; j++) {
            largest = fmax(largest, fabs(bench->jacobian[i + j * rows]) * size_of(bench, j));
        }
        for (uint32_t j = 0; j < reduction->moving_count; j++) {
            const double share = fabs(bench->jacobian[i + j * rows]) * size_of(bench, j);
            on->is_slope[i + j * rows] = share < TINY * largest;
        }
    }
}

static bool changes(double value, double shaken)
{
    return fabs(shaken - value) > WHOLLY * fmax(fabs(value), fabs(shaken));
}

static rh_status shake(shaking *on)
{
    const rh_workbench *bench = on->bench;
    const rh_reduction *reduction = bench->reduction;
    const size_t rows = reduction->slopes.output_count;
    RH_TRY(rh__reduction_bind_shaken(reduction, &on->random, on->state));
    for (uint32_t k = 0; k < reduction->slot_count; k++) {
        on->values[k] = bench->values[k] *
                        (1.0 + 4.0 * DBL_EPSILON * rh__random_uniform(&on->random, -1.0, 1.0));
    }
    const bool is_sound =
        rh__slopes_run(&reduction->slopes, on->state, on->values, on->outputs, on->slopes);
    for (size_t i = 0; is_sound && i < rows; i++) {
        on->output_moves[i] = on->output_moves[i] || changes(bench->outputs[i], on->outputs[i]);
    }
    for (size_t k = 0; is_sound && k < rows * reduction->moving_count; k++) {
        on->slope_moves[k] = on->slope_moves[k] || changes(bench->jacobian[k], on->slopes[k]);
    }
    return RH_OK;
}

static rh_status reserve(shaking *on, rh_arena *arena)
{
    const rh_reduction *reduction = on->bench->reduction;
    const size_t rows = reduction->slopes.output_count;
    const size_t count = rows * reduction->moving_count;
    on->values = rh__arena_array(arena, double, (size_t)reduction->slot_count + 1);
    on->outputs = rh__arena_array(arena, double, rows + 1);
    on->slopes = rh__arena_array(arena, double, count + 1);
    on->is_output = rh__arena_array(arena, bool, rows + 1);
    on->is_slope = rh__arena_array(arena, bool, count + 1);
    on->output_moves = rh__arena_array(arena, bool, rows + 1);
    on->slope_moves = rh__arena_array(arena, bool, count + 1);
    if (on->values == NULL || on->outputs == NULL || on->slopes == NULL || on->is_output == NULL ||
        on->is_slope == NULL || on->output_moves == NULL || on->slope_moves == NULL) {
        return arena->status;
    }
    return rh__tape_state_create(reduction->slopes.tape, 0, reduction->arena.allocator, &on->state);
}

rh_status rh__workbench_clear(rh_workbench *bench)
{
    const rh_reduction *reduction = bench->reduction;
    const rh_mark mark = rh__arena_mark(&bench->scratch);
    shaking on = {.bench = bench, .random = rh__random_begin(SEED)};
    if (reduction->moving_count == 0) {
        return RH_OK;
    }
    rh_status status = reserve(&on, &bench->scratch);
    if (status == RH_OK) {
        doubt(&on);
    }
    for (uint32_t k = 0; status == RH_OK && k < SHAKES; k++) {
        status = shake(&on);
    }
    const size_t rows = reduction->slopes.output_count;
    for (size_t i = 0; status == RH_OK && i < rows; i++) {
        bench->outputs[i] = on.is_output[i] && on.output_moves[i] ? 0.0 : bench->outputs[i];
    }
    for (size_t k = 0; status == RH_OK && k < rows * reduction->moving_count; k++) {
        bench->jacobian[k] = on.is_slope[k] && on.slope_moves[k] ? 0.0 : bench->jacobian[k];
    }
    rh__tape_state_destroy(on.state);
    rh__arena_rewind(&bench->scratch, mark);
    return status;
}
