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

/// Reflections of the rows of a matrix, each a column of `t` from its own place on.
typedef struct reflections {
    uint32_t rows, n;
    double *t;        // n numbers for each row
    double *diagonal; // of R
    double *square;   // v^T v of each reflection
    double *right;    // in the order of the rows
} reflections;

static double product(uint32_t from, uint32_t n, const double *a, const double *b)
{
    double sum = 0.0;
    for (uint32_t c = from; c < n; c++) {
        sum += a[c] * b[c];
    }
    return sum;
}

static void reflect(const reflections *on, uint32_t k, double *x)
{
    const double *v = on->t + (size_t)k * on->n;
    const double share = 2.0 * product(k, on->n, v, x) / on->square[k];
    for (uint32_t c = k; c < on->n; c++) {
        x[c] -= share * v[c];
    }
}

// The longest of what is left comes next.
static void exchange(const reflections *on, uint32_t k)
{
    uint32_t best = k;
    double most = -1.0;
    for (uint32_t i = k; i < on->rows; i++) {
        const double *row = on->t + (size_t)i * on->n;
        const double size = product(k, on->n, row, row);
        best = size > most ? i : best;
        most = fmax(most, size);
    }
    for (uint32_t c = 0; best != k && c < on->n; c++) {
        double *a = on->t + (size_t)k * on->n + c;
        double *b = on->t + (size_t)best * on->n + c;
        const double kept = *a;
        *a = *b;
        *b = kept;
    }
    const double kept = on->right[k];
    on->right[k] = on->right[best];
    on->right[best] = kept;
}

// Rows that are far from depending on each other need no singular values: with J^T = Q R the
// shortest y of J y = b is Q R^-T b. False: they are not.
static bool solve_regular(const reflections *on, double *y)
{
    for (uint32_t k = 0; k < on->rows; k++) {
        exchange(on, k);
        double *v = on->t + (size_t)k * on->n;
        const double size = sqrt(product(k, on->n, v, v));
        if (!(size > 1e-6 * fabs(on->diagonal[0])) || !isfinite(size)) {
            return false;
        }
        on->diagonal[k] = v[k] > 0.0 ? -size : size;
        v[k] -= on->diagonal[k];
        on->square[k] = product(k, on->n, v, v);
        for (uint32_t i = k + 1; i < on->rows; i++) {
            reflect(on, k, on->t + (size_t)i * on->n);
        }
    }
    for (uint32_t i = 0; i < on->n; i++) {
        y[i] = i < on->rows
                   ? (on->right[i] - product(0, i, on->t + (size_t)i * on->n, y)) / on->diagonal[i]
                   : 0.0;
    }
    for (uint32_t k = on->rows; k-- > 0;) {
        reflect(on, k, y);
    }
    return true;
}

static bool try_regular(rh_arena *arena, const rh_metric_problem *problem, const double *j,
                        double *y)
{
    const uint32_t rows = problem->rows;
    const uint32_t n = problem->columns;
    const reflections on = {.rows = rows,
                            .n = n,
                            .t = rh__arena_array(arena, double, (size_t)rows *n + 1),
                            .diagonal = rh__arena_array(arena, double, (size_t)rows + 1),
                            .square = rh__arena_array(arena, double, (size_t)rows + 1),
                            .right = rh__arena_array(arena, double, (size_t)rows + 1)};
    if (rows > n || on.t == NULL || on.diagonal == NULL || on.square == NULL || on.right == NULL) {
        return false;
    }
    for (uint32_t i = 0; i < rows; i++) {
        on.right[i] = problem->right[i];
        for (uint32_t c = 0; c < n; c++) {
            on.t[(size_t)i * n + c] = j[i + (size_t)c * rows];
        }
    }
    return solve_regular(&on, y);
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
    const rh_status status =
        try_regular(arena, problem, j, x) ? RH_OK : solve_any(arena, problem, j, x, out_rank);
    if (status == RH_OK && has_metric) {
        divide_vector(n, l, x);
    }
    rh__arena_rewind(arena, mark);
    return status;
}
