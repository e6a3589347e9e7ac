// SPDX-License-Identifier: Apache-2.0
// Workbenches: values, outputs and slopes of one reduction for one thread. After it was made
// nothing is allocated but scratch, which is rewound.

#include "steady/steady.h"

#include <math.h>
#include <string.h>

static rh_status reserve(rh_workbench *bench)
{
    const rh_reduction *reduction = bench->reduction;
    rh_arena *arena = &bench->arena;
    const rh_tape *tape = reduction->engine.tape;
    const size_t outputs = tape->output_count;
    bench->values = rh__arena_array(arena, double, (size_t)reduction->slot_count + 1);
    bench->outputs = rh__arena_array(arena, double, outputs + 1);
    bench->jacobian =
        rh__arena_array(arena, double, outputs *((size_t)reduction->moving_count + 1));
    if (bench->values == NULL || bench->outputs == NULL || bench->jacobian == NULL) {
        return arena->status;
    }
    bench->output_bounds = rh__arena_array(arena, double, outputs + 1);
    bench->slope_bounds =
        rh__arena_array(arena, double, outputs *((size_t)reduction->moving_count + 1));
    if (reduction->slopes.tape != NULL) {
        bench->bounds =
            rh__arena_array(arena, double, rh__tape_bounds_room(reduction->slopes.tape) + 1);
    }
    if (bench->output_bounds == NULL || bench->slope_bounds == NULL ||
        (reduction->slopes.tape != NULL && bench->bounds == NULL)) {
        return arena->status;
    }
    memcpy(bench->values, reduction->start, reduction->slot_count * sizeof *bench->values);
    RH_TRY(rh__tape_state_create(tape, 0, arena->allocator, &bench->state));
    rh__tape_bind_like(bench->state, reduction->bound);
    if (reduction->slopes.tape != NULL) {
        RH_TRY(rh__tape_state_create(reduction->slopes.tape, 0, arena->allocator, &bench->tangent));
        rh__tape_bind_like(bench->tangent, reduction->bound_tangent);
    }
    return RH_OK;
}

rh_status rh__workbench_create(const rh_reduction *reduction, rh_workbench **out)
{
    rh_arena arena = rh__arena_begin(reduction->arena.allocator, reduction->arena.limit);
    rh_workbench *bench = rh__arena_new(&arena, rh_workbench);
    *out = NULL;
    if (bench == NULL) {
        rh__arena_end(&arena);
        return RH_E_MEMORY;
    }
    bench->arena = arena;
    bench->scratch = rh__arena_begin(reduction->arena.allocator, reduction->arena.limit);
    bench->reduction = reduction;
    const rh_status status = reserve(bench);
    if (status != RH_OK) {
        rh__workbench_destroy(bench);
        return status;
    }
    *out = bench;
    return RH_OK;
}

void rh__workbench_destroy(rh_workbench *bench)
{
    if (bench == NULL) {
        return;
    }
    rh__tape_state_destroy(bench->state);
    rh__tape_state_destroy(bench->tangent);
    rh__arena_end(&bench->scratch);
    rh_arena arena = bench->arena;
    rh__arena_end(&arena);
}

// What vanishes by algebra is no matter of rounding.
static void hold_still(rh_workbench *bench, bool has_slopes)
{
    const rh_reduction *reduction = bench->reduction;
    for (uint32_t k = 0; k < reduction->still_count; k++) {
        const uint32_t at = reduction->still[k];
        bench->outputs[at] = 0.0;
        for (uint32_t j = 0; has_slopes && j < reduction->moving_count; j++) {
            bench->jacobian[at + (size_t)j * reduction->slopes.output_count] = 0.0;
        }
    }
}

bool rh__workbench_look(rh_workbench *bench)
{
    const rh_tape *tape = bench->reduction->engine.tape;
    memcpy(rh__jet_row(bench->state, 0), bench->values, tape->input_count * sizeof(double));
    rh__tape_run(bench->state);
    for (uint32_t k = 0; k < tape->output_count; k++) {
        bench->outputs[k] = rh__tape_output(bench->state, k, 0);
    }
    const bool is_sound = rh__slopes_are_sound(bench->state) &&
                          rh__vector_is_finite(tape->output_count, bench->outputs);
    hold_still(bench, false);
    return is_sound;
}

// Between half a bound and a whole one, to either side: smooth functions stay smooth.
static double swayed(uint32_t seed, uint64_t at, double bound)
{
    const uint64_t bits = rh__hash_mix(((uint64_t)seed << 40) ^ at);
    const double share = 0.5 + 0.5 * (double)(bits >> 11) * 0x1p-53;
    return (bits & 1) != 0 ? share * bound : -share * bound;
}

static void sway(rh_workbench *bench)
{
    const rh_slopes *slopes = &bench->reduction->slopes;
    const uint64_t outputs = slopes->output_count;
    if (!rh__workbench_doubt(bench, NULL)) {
        return;
    }
    for (uint64_t i = 0; i < outputs; i++) {
        bench->outputs[i] += swayed(bench->sway, i, bench->sway_share * bench->output_bounds[i]);
    }
    for (uint64_t i = 0; i < outputs * slopes->moving_count; i++) {
        bench->jacobian[i] +=
            swayed(bench->sway, outputs + i, bench->sway_share * bench->slope_bounds[i]);
    }
}

bool rh__workbench_slope(rh_workbench *bench)
{
    const rh_reduction *reduction = bench->reduction;
    if (reduction->moving_count == 0) {
        return rh__workbench_look(bench);
    }
    const bool is_sound = rh__slopes_run(&reduction->slopes, bench->tangent, bench->values,
                                         bench->outputs, bench->jacobian);
    if (is_sound && bench->sway != 0) {
        sway(bench);
    }
    hold_still(bench, true);
    return is_sound;
}

double rh__workbench_condition(rh_workbench *bench)
{
    double condition = 1.0;
    const bool is_sound = rh__workbench_look(bench) &&
                          rh__regular_measure(bench->state, &bench->scratch, &condition) == RH_OK;
    return is_sound ? condition : 0.0;
}

double rh__workbench_stretch(const rh_workbench *bench)
{
    const rh_reduction *reduction = bench->reduction;
    const rh_engine *engine = &reduction->engine;
    double largest = 0.0;
    for (uint32_t k = 0; k < reduction->y_count; k++) {
        const uint32_t x = reduction->place[k] - 1;
        const bool is_velocity = x >= engine->velocities.first &&
                                 x < engine->velocities.first + engine->velocities.count;
        for (uint32_t i = 0; is_velocity && i < engine->coordinates.count; i++) {
            const double slope = bench->jacobian[i + (size_t)k * reduction->slopes.output_count];
            largest = fmax(largest, fabs(slope) * engine->unit[1 + x] /
                                        (engine->unit[1 + i] * engine->pace));
        }
    }
    return largest;
}
