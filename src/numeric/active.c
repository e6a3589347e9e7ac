// SPDX-License-Identifier: Apache-2.0
// One active set: with zero slack on it and zero multipliers off it the problem is a square linear
// system. It is solved by exchanging multipliers and slacks (Gauss-Jordan, largest pivots), which
// leaves the inverse, and with it bounds of what rounding does to every component.

#include "numeric/complement.h"

#include <float.h>
#include <math.h>

rh_status rh__complement_work_create(rh_arena *arena, uint32_t n, rh_complement_work *out)
{
    out->block = rh__arena_array(arena, double, (size_t)n *((size_t)n + 1));
    out->magnitude = rh__arena_array(arena, double, (size_t)n *n);
    out->column_of = rh__arena_array(arena, uint32_t, n);
    out->row_of = rh__arena_array(arena, uint32_t, n);
    out->size = rh__arena_array(arena, double, n);
    const bool is_ready = out->block != NULL && out->magnitude != NULL && out->column_of != NULL &&
                          out->row_of != NULL && out->size != NULL;
    return is_ready ? RH_OK : arena->status;
}

// --- a quick look ----------------------------------------------------------------------------

// Pivots and rows above this have nothing to fear from rounding: no test against it is needed.
#define CLEAR 1e-6

// Gather the block and minus its constants as a last column.
static void gather_system(const rh_complement_frame *frame, const rh_complement_point *point,
                          rh_complement_work *work)
{
    const size_t m = point->active_count;
    for (size_t i = 0; i < m; i++) {
        const double *row = frame->matrix + (size_t)point->active[i] * frame->n;
        double *to = work->block + i * (m + 1);
        for (size_t j = 0; j < m; j++) {
            to[j] = row[point->active[j]];
        }
        to[m] = -frame->constant[point->active[i]];
        work->column_of[i] = (uint32_t)i;
    }
}

// The largest element from step `k` on, brought to the place (k, k).
static double bring_pivot(rh_complement_work *work, size_t m, size_t k)
{
    double best = 0.0;
    size_t row = k;
    size_t column = k;
    for (size_t i = k; i < m; i++) {
        for (size_t j = k; j < m; j++) {
            const double value = fabs(work->block[i * (m + 1) + j]);
            if (value > best) {
                best = value;
                row = i;
                column = j;
            }
        }
    }
    for (size_t j = 0; j <= m && row != k; j++) {
        const double kept = work->block[k * (m + 1) + j];
        work->block[k * (m + 1) + j] = work->block[row * (m + 1) + j];
        work->block[row * (m + 1) + j] = kept;
    }
    for (size_t i = 0; i < m && column != k; i++) {
        const double kept = work->block[i * (m + 1) + k];
        work->block[i * (m + 1) + k] = work->block[i * (m + 1) + column];
        work->block[i * (m + 1) + column] = kept;
    }
    const uint32_t kept = work->column_of[k];
    work->column_of[k] = work->column_of[column];
    work->column_of[column] = kept;
    return best;
}

// Multipliers by elimination. False when a pivot is not clear.
static bool solve_quickly(const rh_complement_frame *frame, rh_complement_work *work,
                          const rh_complement_point *point)
{
    const size_t m = point->active_count;
    gather_system(frame, point, work);
    for (size_t k = 0; k < m; k++) {
        if (!(bring_pivot(work, m, k) > CLEAR * frame->largest_magnitude)) {
            return false;
        }
        const double *from = work->block + k * (m + 1);
        for (size_t i = k + 1; i < m; i++) {
            double *to = work->block + i * (m + 1);
            const double factor = to[k] / from[k];
            for (size_t j = k + 1; j <= m; j++) {
                to[j] -= factor * from[j];
            }
        }
    }
    for (size_t k = m; k-- > 0;) {
        const double *row = work->block + k * (m + 1);
        double sum = row[m];
        for (size_t j = k + 1; j < m; j++) {
            sum -= row[j] * work->size[j];
        }
        work->size[k] = sum / row[k];
    }
    return true;
}

// Is a multiplier or a slack negative beyond tolerances and rounding? The multipliers stand in
// `size`, in the order of the pivots.
static bool is_negative(const rh_complement_frame *frame, const rh_complement_work *work,
                        const rh_complement_point *point)
{
    const size_t n = frame->n;
    const size_t m = point->active_count;
    double largest = 0.0;
    for (size_t k = 0; k < m; k++) {
        const double value = fabs(work->size[k]);
        largest = value > largest ? value : largest;
    }
    for (size_t k = 0; k < m; k++) {
        const uint32_t index = point->active[work->column_of[k]];
        if (work->size[k] < -frame->multiplier_tolerance[index] - CLEAR * largest) {
            return true;
        }
    }
    for (size_t i = 0; i < n; i++) {
        double sum = frame->constant[i];
        for (size_t k = 0; k < m; k++) {
            sum += frame->matrix[i * n + point->active[work->column_of[k]]] * work->size[k];
        }
        const double rounding = fabs(frame->constant[i]) + (double)m * 2.0 * largest;
        if (sum < -frame->slack_tolerance[i] - CLEAR * rounding) {
            return true;
        }
    }
    return false;
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
            const double near = factor * pivot_magnitude[j];
            const double far = reach * fabs(pivot_row[j]);
            const double part = near > far ? near : far;
            magnitude[j] = part > magnitude[j] ? part : magnitude[j];
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

// An inverse leaves more of badly conditioned systems than elimination would.
static bool has_residual(const rh_complement_work *work, const rh_complement_point *point)
{
    for (uint32_t k = 0; k < point->active_count; k++) {
        const uint32_t i = point->active[k];
        if (fabs(point->slack[i]) >
            (double)(point->active_count + 2) * DBL_EPSILON * work->size[i]) {
            return true;
        }
    }
    return false;
}

// What a slack off the active set feels of residuals on it: the sum over these rows j of size[j]
// times the magnitude of (row of the matrix) (inverse) there.
static double felt_size(const rh_complement_frame *frame, const rh_complement_work *work,
                        const rh_complement_point *point, size_t index)
{
    const size_t m = point->active_count;
    const double *row = frame->matrix + index * frame->n;
    double total = work->size[index];
    for (size_t j = 0; j < m; j++) {
        double sum = 0.0;
        for (size_t i = 0; i < m; i++) {
            sum += row[point->active[work->column_of[i]]] * work->block[i * m + j];
        }
        total += fabs(sum) * work->size[point->active[work->row_of[j]]];
    }
    return total;
}

// A residual of a few roundings in every active row moves the multipliers by |inverse| times that,
// and the slacks with them.
static void bound_errors(const rh_complement_frame *frame, const rh_complement_work *work,
                         rh_complement_point *point)
{
    const size_t n = frame->n;
    const size_t m = point->active_count;
    const double unit = 4.0 * (double)(m + 2) * DBL_EPSILON;
    for (size_t i = 0; i < n; i++) {
        point->slack_error[i] = unit * felt_size(frame, work, point, i);
    }
    for (size_t i = 0; i < m; i++) {
        double sum = 0.0;
        for (size_t j = 0; j < m; j++) {
            sum += fabs(work->block[i * m + j]) * work->size[point->active[work->row_of[j]]];
        }
        point->multiplier_error[point->active[work->column_of[i]]] = unit * sum;
        point->slack_error[point->active[i]] = unit * work->size[point->active[i]];
    }
}

rh_complement_found rh__complement_active_solve(const rh_complement_frame *frame,
                                                rh_complement_work *work,
                                                rh_complement_point *point, uint32_t *out_rank)
{
    const uint32_t m = point->active_count;
    uint32_t row = 0;
    uint32_t column = 0;
    RH_ASSERT(m <= frame->n);
    *out_rank = 0;
    if (solve_quickly(frame, work, point) && is_negative(frame, work, point)) {
        return RH_COMPLEMENT_NEGATIVE;
    }
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
    // refinement: the slack of the active rows is what is left of them
    fill_slack(frame, point, work->size);
    for (uint32_t step = 0; step < 6 && (step == 0 || has_residual(work, point)); step++) {
        subtract_solution(work, point, point->slack);
        fill_slack(frame, point, work->size);
    }
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
