// SPDX-License-Identifier: Apache-2.0
// One active set: with zero slack on it and zero multipliers off it the problem is a square linear
// system. It is solved by exchanging multipliers and slacks (Gauss-Jordan, largest pivots), which
// leaves the inverse, and with it bounds of what rounding does to every component.

#include "numeric/complement.h"

#include <float.h>
#include <math.h>

rh_status rh__complement_work_create(rh_arena *arena, uint32_t n, rh_complement_work *out)
{
    out->block = rh__arena_array(arena, double, (size_t)n *n);
    out->magnitude = rh__arena_array(arena, double, (size_t)n *n);
    out->column_of = rh__arena_array(arena, uint32_t, n);
    out->row_of = rh__arena_array(arena, uint32_t, n);
    out->size = rh__arena_array(arena, double, n);
    const bool is_ready = out->block != NULL && out->magnitude != NULL && out->column_of != NULL &&
                          out->row_of != NULL && out->size != NULL;
    return is_ready ? RH_OK : arena->status;
}

// --- the inverse -----------------------------------------------------------------------------

static void gather_block(const rh_complement_frame *frame, const rh_complement_point *point,
                         rh_complement_work *work)
{
    const size_t m = point->active_count;
    for (size_t i = 0; i < m; i++) {
        const size_t row = (size_t)point->active[i] * frame->n;
        for (size_t j = 0; j < m; j++) {
            work->block[i * m + j] = frame->matrix[row + point->active[j]];
            work->magnitude[i * m + j] = frame->magnitude[row + point->active[j]];
        }
        work->column_of[i] = point->active_count;
        work->row_of[i] = point->active_count;
    }
}

// The largest element that has digits, in rows and columns not exchanged yet.
static bool choose_pivot(const rh_complement_work *work, uint32_t m, uint32_t *out_row,
                         uint32_t *out_column)
{
    double best = 0.0;
    for (uint32_t i = 0; i < m; i++) {
        for (uint32_t j = 0; j < m && work->column_of[i] == m; j++) {
            const double value = fabs(work->block[(size_t)i * m + j]);
            if (work->row_of[j] == m && value > best &&
                value > RH_COMPLEMENT_LOST * work->magnitude[(size_t)i * m + j]) {
                best = value;
                *out_row = i;
                *out_column = j;
            }
        }
    }
    return best > 0.0;
}

// What a difference is measured by: the largest of its parts, and of what these were made of.
static void raise_magnitudes(rh_complement_work *work, uint32_t m, uint32_t row, uint32_t column)
{
    const double *pivot_row = work->block + (size_t)row * m;
    const double *pivot_magnitude = work->magnitude + (size_t)row * m;
    for (uint32_t i = 0; i < m; i++) {
        double *magnitude = work->magnitude + (size_t)i * m;
        const double factor = fabs(work->block[(size_t)i * m + column] / pivot_row[column]);
        const double reach = magnitude[column] / fabs(pivot_row[column]);
        for (uint32_t j = 0; j < m && work->column_of[i] == m && i != row; j++) {
            const double part = fmax(factor * pivot_magnitude[j], reach * fabs(pivot_row[j]));
            magnitude[j] = fmax(magnitude[j], part);
        }
    }
}

// y = block x becomes the same relation with x[column] on the left and y[row] on the right.
static void exchange(rh_complement_work *work, uint32_t m, uint32_t row, uint32_t column)
{
    double *pivot_row = work->block + (size_t)row * m;
    const double reciprocal = 1.0 / pivot_row[column];
    raise_magnitudes(work, m, row, column);
    work->column_of[row] = column;
    work->row_of[column] = row;
    for (uint32_t j = 0; j < m; j++) {
        pivot_row[j] *= -reciprocal;
    }
    pivot_row[column] = reciprocal;
    for (uint32_t i = 0; i < m; i++) {
        double *other = work->block + (size_t)i * m;
        const double factor = other[column];
        if (i == row || factor == 0.0) {
            continue;
        }
        other[column] = 0.0;
        for (uint32_t j = 0; j < m; j++) {
            other[j] += factor * pivot_row[j];
        }
    }
}

// Could the rows that were not exchanged hold? They are combinations of the others, and so must be
// their constants. Only clear contradictions count here; constants are about 1.
static bool is_consistent(const rh_complement_frame *frame, const rh_complement_work *work,
                          const rh_complement_point *point)
{
    const size_t m = point->active_count;
    for (size_t i = 0; i < m; i++) {
        double gap = frame->constant[point->active[i]];
        double unit = 1e-9 + frame->slack_tolerance[point->active[i]];
        for (size_t j = 0; j < m && work->column_of[i] == m; j++) {
            if (work->row_of[j] != m) {
                const double factor = work->block[i * m + j];
                const uint32_t row = point->active[work->row_of[j]];
                gap -= factor * frame->constant[row];
                unit += fabs(factor) * (1e-9 + frame->slack_tolerance[row]);
            }
        }
        if (work->column_of[i] == m && fabs(gap) > unit) {
            return false;
        }
    }
    return true;
}

// --- the point -------------------------------------------------------------------------------

// The multiplier of active[column_of[i]] is the sum over j of block[i, j] times what stands on the
// right in the row of active[row_of[j]].
static void subtract_solution(const rh_complement_work *work, rh_complement_point *point,
                              const double *right)
{
    const size_t m = point->active_count;
    for (size_t i = 0; i < m; i++) {
        double sum = 0.0;
        for (size_t j = 0; j < m; j++) {
            sum += work->block[i * m + j] * right[point->active[work->row_of[j]]];
        }
        point->multiplier[point->active[work->column_of[i]]] -= sum;
    }
}

// slack = constant + matrix multiplier in all rows, and the sum of the magnitudes.
static void fill_slack(const rh_complement_frame *frame, const rh_complement_point *point,
                       double *size)
{
    const size_t n = frame->n;
    for (size_t i = 0; i < n; i++) {
        double sum = frame->constant[i];
        double total = fabs(sum);
        for (uint32_t k = 0; k < point->active_count; k++) {
            const uint32_t j = point->active[k];
            const double part = frame->matrix[i * n + j] * point->multiplier[j];
            sum += part;
            total += fabs(part);
        }
        point->slack[i] = sum;
        size[i] = total;
    }
}

// A residual of a few roundings in every row moves the multipliers by |inverse| times that, and
// these the slacks.
static void bound_errors(const rh_complement_frame *frame, const rh_complement_work *work,
                         rh_complement_point *point)
{
    const size_t n = frame->n;
    const size_t m = point->active_count;
    const double unit = 4.0 * (double)(m + 2) * DBL_EPSILON;
    for (size_t i = 0; i < m; i++) {
        double sum = 0.0;
        for (size_t j = 0; j < m; j++) {
            sum += fabs(work->block[i * m + j]) * work->size[point->active[work->row_of[j]]];
        }
        point->multiplier_error[point->active[work->column_of[i]]] = unit * sum;
    }
    for (size_t i = 0; i < n; i++) {
        double sum = unit * work->size[i];
        for (size_t k = 0; k < m; k++) {
            const uint32_t j = point->active[k];
            sum += fabs(frame->matrix[i * n + j]) * point->multiplier_error[j];
        }
        point->slack_error[i] = sum;
    }
}

rh_complement_found rh__complement_active_solve(const rh_complement_frame *frame,
                                                rh_complement_work *work,
                                                rh_complement_point *point, uint32_t *out_rank)
{
    const uint32_t m = point->active_count;
    uint32_t row = 0;
    uint32_t column = 0;
    *out_rank = 0;
    gather_block(frame, point, work);
    while (choose_pivot(work, m, &row, &column)) {
        exchange(work, m, row, column);
        ++*out_rank;
    }
    if (*out_rank < m) {
        return is_consistent(frame, work, point) ? RH_COMPLEMENT_SINGULAR
                                                 : RH_COMPLEMENT_INCONSISTENT;
    }
    for (uint32_t i = 0; i < frame->n; i++) {
        point->multiplier[i] = 0.0;
        point->multiplier_error[i] = 0.0;
    }
    subtract_solution(work, point, frame->constant);
    // one step of refinement: the slack of the active rows is what is left of them
    fill_slack(frame, point, work->size);
    subtract_solution(work, point, point->slack);
    fill_slack(frame, point, work->size);
    bound_errors(frame, work, point);
    for (uint32_t k = 0; k < m; k++) {
        point->slack[point->active[k]] = 0.0;
    }
    point->is_unique = true;
    return RH_COMPLEMENT_REGULAR;
}

// --- the judge -------------------------------------------------------------------------------

double rh__complement_slack_unit(const rh_complement_frame *frame, const rh_complement_point *point,
                                 uint32_t index)
{
    return fmax(frame->slack_tolerance[index], point->slack_error[index]);
}

double rh__complement_multiplier_unit(const rh_complement_frame *frame,
                                      const rh_complement_point *point, uint32_t index)
{
    return fmax(frame->multiplier_tolerance[index], point->multiplier_error[index]);
}

// Not a number is beyond every tolerance.
static double in_units(double excess, double unit)
{
    const double ratio = excess / unit;
    return excess <= 0.0 ? 0.0 : ratio >= 0.0 ? ratio : (double)INFINITY;
}

void rh__complement_point_judge(const rh_complement_frame *frame, bool is_strict,
                                rh_complement_point *point)
{
    const size_t n = frame->n;
    double worst = 0.0;
    for (uint32_t i = 0; i < n; i++) {
        const double *row = frame->matrix + i * n;
        const double slack_unit =
            is_strict ? point->slack_error[i] : rh__complement_slack_unit(frame, point, i);
        const double multiplier_unit = is_strict ? point->multiplier_error[i]
                                                 : rh__complement_multiplier_unit(frame, point, i);
        const double gap =
            frame->constant[i] + rh__vector_dot(n, row, point->multiplier) - point->slack[i];
        worst = fmax(worst, in_units(fabs(gap), slack_unit));
        worst = fmax(worst, in_units(-point->slack[i], slack_unit));
        worst = fmax(worst, in_units(-point->multiplier[i], multiplier_unit));
    }
    point->violation = worst;
}
