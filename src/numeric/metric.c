// SPDX-License-Identifier: Apache-2.0
// Least squares in a metric: with W = L L^T, the shortest x of J x = b in the norm x^T W x is
// L^-T times the shortest y of (J L^-T) y = b.

#include "numeric/numeric.h"

#include <math.h>

bool rh__cholesky(uint32_t n, double *a)
{
    for (uint32_t j = 0; j < n; j++) {
        double *column = a + (size_t)j * n;
        double pivot = column[j];
        for (uint32_t k = 0; k < j; k++) {
            pivot -= a[j + (size_t)k * n] * a[j + (size_t)k * n];
        }
        // a pivot that lost all its digits is zero
        if (!(pivot > 1e-14 * fabs(column[j]))) {
            return false;
        }
        column[j] = sqrt(pivot);
        for (uint32_t i = j + 1; i < n; i++) {
            double sum = column[i];
            for (uint32_t k = 0; k < j; k++) {
                sum -= a[i + (size_t)k * n] * a[j + (size_t)k * n];
            }
            column[i] = sum / column[j];
        }
    }
    return true;
}

// Rows of `j` times L^-T: solve y L^T = row, from the first column on.
static void divide_rows(uint32_t rows, uint32_t n, const double *l, double *j)
{
    for (uint32_t c = 0; c < n; c++) {
        double *column = j + (size_t)c * rows;
        for (uint32_t k = 0; k < c; k++) {
            const double factor = l[c + (size_t)k * n];
            const double *other = j + (size_t)k * rows;
            for (uint32_t i = 0; factor != 0.0 && i < rows; i++) {
                column[i] -= factor * other[i];
            }
        }
        for (uint32_t i = 0; i < rows; i++) {
            column[i] /= l[c + (size_t)c * n];
        }
    }
}

// x <- L^-T x
static void divide_vector(uint32_t n, const double *l, double *x)
{
    for (uint32_t i = n; i-- > 0;) {
        for (uint32_t k = i + 1; k < n; k++) {
            x[i] -= l[k + (size_t)i * n] * x[k];
        }
        x[i] /= l[i + (size_t)i * n];
    }
}

// --- full rank ---------------------------------------------------------------------------------

// Rows that are far from depending on each other need no singular values: with J^T P = Q R the
// shortest y of J y = b is Q R^-T P^T b. False: they are not, or there was no memory.
static bool try_regular(rh_arena *arena, const rh_metric_problem *problem, const double *j,
                        double *y)
{
    const uint32_t rows = problem->rows;
    const uint32_t n = problem->columns;
    double *t = rh__arena_array(arena, double, (size_t)rows *n + 1);
    double *diagonal = rh__arena_array(arena, double, (size_t)rows + 1);
    double *factor = rh__arena_array(arena, double, (size_t)rows + 1);
    uint32_t *pivot = rh__arena_array(arena, uint32_t, (size_t)rows + 1);
    if (rows > n || t == NULL || diagonal == NULL || factor == NULL || pivot == NULL) {
        return false;
    }
    for (size_t i = 0; i < rows; i++) {
        for (size_t c = 0; c < n; c++) {
            t[c + i * n] = j[i + c * rows];
        }
    }
    rh__reflect(n, rows, t, pivot, diagonal, factor);
    if (rh__reflect_rank(n, rows, diagonal, 1e-6) < rows || !isfinite(diagonal[0])) {
        return false;
    }
    for (size_t i = 0; i < n; i++) {
        y[i] = i < rows ? problem->right[pivot[i]] : 0.0;
        for (size_t c = 0; i < rows && c < i; c++) {
            y[i] -= t[c + i * n] * y[c];
        }
        y[i] /= i < rows ? t[i + i * n] : 1.0;
    }
    rh__reflect_apply(n, rows, t, factor, false, y);
    return true;
}

// --- any rank ----------------------------------------------------------------------------------

static rh_status solve_any(rh_arena *arena, const rh_metric_problem *problem, const double *j,
                           double *y, uint32_t *out_rank)
{
    rh_svd svd;
    RH_TRY(rh__svd_create(arena, problem->rows, problem->columns, j, &svd));
    *out_rank = rh__svd_rank(&svd, problem->tolerance);
    rh__svd_solve(&svd, *out_rank, problem->right, y);
    return RH_OK;
}

rh_status rh__metric_solve(rh_arena *arena, const rh_metric_problem *problem, double *x,
                           uint32_t *out_rank)
{
    const uint32_t rows = problem->rows;
    const uint32_t n = problem->columns;
    const rh_mark mark = rh__arena_mark(arena);
    double *l = rh__arena_array(arena, double, (size_t)n *n + 1);
    double *j = rh__arena_array(arena, double, (size_t)rows *n + 1);
    if (l == NULL || j == NULL) {
        return arena->status;
    }
    for (size_t k = 0; k < (size_t)n * n; k++) {
        l[k] = problem->metric[k];
    }
    for (size_t k = 0; k < (size_t)rows * n; k++) {
        j[k] = problem->matrix[k];
    }
    const bool has_metric = rh__cholesky(n, l);
    if (has_metric) {
        divide_rows(rows, n, l, j);
    }
    *out_rank = rows;
    const bool is_solved = try_regular(arena, problem, j, x);
    const rh_status status = is_solved                ? RH_OK
                             : arena->status != RH_OK ? arena->status
                                                      : solve_any(arena, problem, j, x, out_rank);
    if (status == RH_OK && has_metric) {
        divide_vector(n, l, x);
    }
    rh__arena_rewind(arena, mark);
    return status;
}
