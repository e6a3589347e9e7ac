// SPDX-License-Identifier: Apache-2.0
// What rounding may have done: bounds of the errors of outputs and slopes, carried through all
// operations of the tape (noise.c of `tape`), with values that are known to their last digit only.
// A place that solves the equations is known as well as these hold there; a root is known as well
// as the slopes at a place that is known so far (theory 3, 5).

#include "steady/steady.h"

#include <float.h>
#include <math.h>
#include <string.h>

#define ROUNDED 4.0  // roundings of each row of a matrix
#define UNKNOWN 1e-9 // of a matrix of which there are no bounds
#define WHOLLY 0.01  // of the slopes of a row: off by so much they tell nothing

static bool read_bounds(rh_workbench *bench, uint32_t first)
{
    const rh_slopes *slopes = &bench->reduction->slopes;
    const rh_tape *tape = slopes->tape;
    const size_t outputs = slopes->output_count;
    bool is_finite = true;
    for (uint32_t i = 0; first == 0 && i < outputs; i++) {
        bench->output_bounds[i] = bench->bounds[tape->outputs[i]];
        is_finite = is_finite && isfinite(bench->output_bounds[i]);
    }
    for (uint32_t d = 0; d < slopes->directions && first + d < slopes->moving_count; d++) {
        for (uint32_t i = 0; i < outputs; i++) {
            const double bound = bench->bounds[tape->outputs[(d + 1) * outputs + i]];
            bench->slope_bounds[i + (first + d) * outputs] = bound;
            is_finite = is_finite && isfinite(bound);
        }
    }
    return is_finite;
}

bool rh__workbench_doubt(rh_workbench *bench, const double *off)
{
    const rh_reduction *reduction = bench->reduction;
    const rh_slopes *slopes = &reduction->slopes;
    const uint32_t count = slopes->moving_count;
    double *row = count > 0 ? rh__jet_row(bench->tangent, 0) : NULL;
    bool is_finite = row != NULL;
    for (uint32_t first = 0; is_finite && first < count; first += slopes->directions) {
        const size_t wide = (size_t)slopes->directions * count;
        memcpy(row, bench->values, slopes->input_count * sizeof *row);
        memset(row + slopes->input_count, 0, wide * sizeof *row);
        memset(bench->bounds, 0, (slopes->input_count + wide) * sizeof *row);
        for (uint32_t k = 0; k < slopes->input_count; k++) {
            bench->bounds[k] = DBL_EPSILON * fabs(bench->values[k]);
        }
        for (uint32_t j = 0; off != NULL && j < count; j++) {
            double *own = &bench->bounds[reduction->moving[j]];
            *own = fmax(*own, off[j]);
        }
        for (uint32_t d = 0; d < slopes->directions && first + d < count; d++) {
            row[slopes->input_count + (size_t)d * count + first + d] = 1.0;
        }
        rh__tape_bounds(bench->tangent, bench->bounds);
        is_finite = read_bounds(bench, first);
    }
    for (uint32_t k = 0; k < reduction->still_count; k++) { // what vanishes by algebra
        bench->output_bounds[reduction->still[k]] = 0.0;
        for (uint32_t j = 0; j < count; j++) {
            bench->slope_bounds[reduction->still[k] + (size_t)j * slopes->output_count] = 0.0;
        }
    }
    return is_finite;
}

// --- the linear part -----------------------------------------------------------------------------

static uint32_t output_of(const rh_reduction *reduction, uint32_t row)
{
    return row < reduction->y_count ? reduction->place[row] - 1
                                    : reduction->level[row - reduction->y_count];
}

// Is something left of the slopes of each row, with the bounds at hand?
static bool are_slopes_left(const rh_workbench *bench)
{
    const rh_reduction *reduction = bench->reduction;
    const size_t outputs = reduction->slopes.output_count;
    bool is_left = true;
    for (uint32_t i = 0; i < reduction->y_count + reduction->level_count; i++) {
        const uint32_t output = output_of(reduction, i);
        double size = reduction->typical[output];
        double off = 0.0;
        for (uint32_t j = 0; j < reduction->moving_count; j++) {
            const uint32_t slot = reduction->moving[j];
            const double unit = rh__engine_size(&reduction->engine, slot, bench->values[slot]);
            size = fmax(size, fabs(bench->jacobian[output + j * outputs]) * unit);
            off = fmax(off, bench->slope_bounds[output + j * outputs] * unit);
        }
        is_left = is_left && off <= WHOLLY * size;
    }
    return is_left;
}

bool rh__doubt_leaves_slopes(rh_workbench *bench)
{
    // without bounds nothing is known of rounding
    return !rh__workbench_doubt(bench, NULL) || are_slopes_left(bench);
}

// How far places may be from where the equations hold, by moving slot: as far as what is left of
// them leads, and what rounding may leave, in directions in which slopes are no rounding.
static rh_status find_places(rh_workbench *bench, double *off)
{
    const rh_reduction *reduction = bench->reduction;
    rh_arena *arena = &bench->scratch;
    const uint32_t rows = reduction->y_count + reduction->level_count;
    const uint32_t columns = reduction->place_count;
    const size_t outputs = reduction->slopes.output_count;
    const double *unit = reduction->engine.unit;
    double *a = rh__arena_array(arena, double, (size_t)rows *columns + 1);
    double least = 0.0;
    RH_TRY(a == NULL ? arena->status : RH_OK);
    for (uint32_t j = 0; j < columns; j++) {
        for (uint32_t i = 0; i < rows; i++) {
            const uint32_t output = output_of(reduction, i);
            const double share = unit[reduction->place[j]] / reduction->typical[output];
            a[i + (size_t)j * rows] = bench->jacobian[output + j * outputs] * share;
            least = hypot(least, bench->slope_bounds[output + j * outputs] * share);
        }
    }
    rh_svd svd;
    const rh_status status = rh__svd_create(arena, rows, columns, a, &svd);
    if (status == RH_E_ARGUMENT || status == RH_E_LIMIT) {
        return RH_OK;
    }
    RH_TRY(status);
    const uint32_t most = rows < columns ? rows : columns;
    least = most > 0 ? fmax(least, ROUNDED * DBL_EPSILON * most * svd.values[0]) : 0.0;
    for (uint32_t k = 0; k < most && svd.values[k] > least; k++) {
        double sum = 0.0;
        for (uint32_t i = 0; i < rows; i++) {
            const uint32_t output = output_of(reduction, i);
            const double left = fmax(bench->output_bounds[output], fabs(bench->outputs[output]));
            sum += fabs(svd.u[i + (size_t)k * rows]) * left / reduction->typical[output];
        }
        for (uint32_t j = 0; j < columns; j++) {
            off[j] += fabs(svd.v[j + (size_t)k * columns]) * sum / svd.values[k] *
                      unit[reduction->place[j]];
        }
    }
    return RH_OK;
}

rh_status rh__doubt_is_whole(rh_workbench *bench, bool is_given, bool *out)
{
    const rh_reduction *reduction = bench->reduction;
    rh_arena *arena = &bench->scratch;
    *out = false;
    if (reduction->moving_count == 0 || !rh__workbench_doubt(bench, NULL)) {
        return RH_OK;
    }
    const rh_mark mark = rh__arena_mark(arena);
    double *off = rh__arena_array(arena, double, (size_t)reduction->moving_count + 1);
    const rh_status status = off == NULL ? arena->status
                             : is_given  ? RH_OK
                                         : find_places(bench, off);
    if (status == RH_OK) {
        *out =
            !are_slopes_left(bench) || !rh__workbench_doubt(bench, off) || !are_slopes_left(bench);
    }
    rh__arena_rewind(arena, mark);
    return status;
}

bool rh__doubt_hides(rh_matrix_size size)
{
    return size.off > WHOLLY * fmax(size.norm, size.pace);
}

rh_status rh__doubt_linear(rh_workbench *bench, const rh_judgement *at, const double *balance,
                           double norm, double *out)
{
    const rh_reduction *reduction = bench->reduction;
    rh_arena *arena = &bench->scratch;
    const rh_mark mark = rh__arena_mark(arena);
    const size_t outputs = reduction->slopes.output_count;
    double *off = rh__arena_array(arena, double, (size_t)reduction->moving_count + 1);
    *out = 0.0;
    RH_TRY(off == NULL ? arena->status : RH_OK);
    if (at->size == 0 || !rh__workbench_doubt(bench, NULL)) {
        *out = UNKNOWN * norm;
        return RH_OK;
    }
    RH_TRY(at->is_given ? RH_OK : find_places(bench, off));
    if (!rh__workbench_doubt(bench, off)) { // next to a place where there are no slopes
        *out = INFINITY;
    }
    for (uint32_t k = 0; k < at->size && isfinite(*out); k++) {
        for (uint32_t i = 0; i < at->size; i++) {
            double sum = 0.0;
            for (uint32_t j = 0; j < reduction->place_count; j++) {
                sum += bench->slope_bounds[at->slots[i] - 1 + j * outputs] *
                       fabs(at->tangent[j + (size_t)k * reduction->place_count]);
            }
            *out = hypot(*out, sum * balance[k] / balance[i]);
        }
    }
    rh__arena_rewind(arena, mark);
    return RH_OK;
}
