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
    rh_svd svd;
    const rh_status status = rh__svd_create(arena, rows, n, j, &svd);
    if (status == RH_OK) {
        *out_rank = rh__svd_rank(&svd, problem->tolerance);
        rh__svd_solve(&svd, *out_rank, problem->right, x);
        if (has_metric) {
            divide_vector(n, l, x);
        }
    }
    rh__arena_rewind(arena, mark);
    return status;
}
