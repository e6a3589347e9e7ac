// SPDX-License-Identifier: Apache-2.0
// Householder's reflections for matrices of a few columns: no memory, no lock, so that many threads
// may solve many small problems side by side.

#include "numeric/numeric.h"

#include <math.h>

static double length_of(uint32_t count, const double *x)
{
    double size = 0.0;
    for (uint32_t k = 0; k < count; k++) {
        size = fmax(size, fabs(x[k]));
    }
    if (!(size > 0.0) || !isfinite(size)) {
        return size;
    }
    double sum = 0.0;
    for (uint32_t k = 0; k < count; k++) {
        sum += (x[k] / size) * (x[k] / size);
    }
    return size * sqrt(sum);
}

static void swap_columns(uint32_t rows, double *a, uint32_t *pivot, uint32_t j, uint32_t k)
{
    for (uint32_t i = 0; i < rows && j != k; i++) {
        const double kept = a[i + (size_t)j * rows];
        a[i + (size_t)j * rows] = a[i + (size_t)k * rows];
        a[i + (size_t)k * rows] = kept;
    }
    const uint32_t kept = pivot[j];
    pivot[j] = pivot[k];
    pivot[k] = kept;
}

void rh__reflect(uint32_t rows, uint32_t columns, double *a, uint32_t *pivot, double *diagonal,
                 double *factor)
{
    const uint32_t count = rows < columns ? rows : columns;
    for (uint32_t j = 0; j < columns; j++) {
        pivot[j] = j;
        diagonal[j] = 0.0;
    }
    for (uint32_t k = 0; k < count; k++) {
        // the longest of the columns that are left
        uint32_t best = k;
        double longest = -1.0;
        for (uint32_t j = k; j < columns; j++) {
            const double length = length_of(rows - k, a + k + (size_t)j * rows);
            if (length > longest) {
                longest = length;
                best = j;
            }
        }
        swap_columns(rows, a, pivot, k, best);
        double *v = a + k + (size_t)k * rows;
        factor[k] = 0.0;
        diagonal[k] = longest;
        if (!(longest > 0.0)) {
            continue;
        }
        // v = x - alpha e1, kept with its first element 1 left out
        const double alpha = v[0] > 0.0 ? -longest : longest;
        const double first = v[0] - alpha;
        factor[k] = -first / alpha;
        diagonal[k] = fabs(alpha);
        for (uint32_t i = 1; i < rows - k; i++) {
            v[i] /= first;
        }
        v[0] = alpha;
        for (uint32_t j = k + 1; j < columns; j++) {
            double *x = a + k + (size_t)j * rows;
            double sum = x[0];
            for (uint32_t i = 1; i < rows - k; i++) {
                sum += v[i] * x[i];
            }
            sum *= factor[k];
            x[0] -= sum;
            for (uint32_t i = 1; i < rows - k; i++) {
                x[i] -= sum * v[i];
            }
        }
    }
}

uint32_t rh__reflect_rank(uint32_t rows, uint32_t columns, const double *diagonal, double tolerance)
{
    const uint32_t count = rows < columns ? rows : columns;
    uint32_t rank = 0;
    while (rank < count && diagonal[rank] > 0.0 && diagonal[rank] > tolerance * diagonal[0]) {
        rank++;
    }
    return rank;
}

static void reflect_one(uint32_t rows, uint32_t k, const double *a, double factor, double *b)
{
    const double *v = a + k + (size_t)k * rows;
    double sum = b[k];
    for (uint32_t i = 1; i < rows - k; i++) {
        sum += v[i] * b[k + i];
    }
    sum *= factor;
    b[k] -= sum;
    for (uint32_t i = 1; i < rows - k; i++) {
        b[k + i] -= sum * v[i];
    }
}

void rh__reflect_apply(uint32_t rows, uint32_t columns, const double *a, const double *factor,
                       bool is_transposed, double *b)
{
    const uint32_t count = rows < columns ? rows : columns;
    for (uint32_t k = 0; k < count; k++) {
        const uint32_t at = is_transposed ? k : count - 1 - k;
        reflect_one(rows, at, a, factor[at], b);
    }
}

void rh__reflect_solve(uint32_t rows, uint32_t columns, const double *a, const uint32_t *pivot,
                       const double *diagonal, const double *factor, double *b, double *x)
{
    (void)diagonal;
    RH_ASSERT(rows >= columns);
    rh__reflect_apply(rows, columns, a, factor, true, b);
    for (uint32_t k = columns; k-- > 0;) {
        double sum = b[k];
        for (uint32_t j = k + 1; j < columns; j++) {
            sum -= a[k + (size_t)j * rows] * b[j];
        }
        b[k] = sum / a[k + (size_t)k * rows];
    }
    for (uint32_t k = 0; k < columns; k++) {
        x[pivot[k]] = b[k];
    }
}
