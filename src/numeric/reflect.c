// SPDX-License-Identifier: Apache-2.0
// Householder's reflections for matrices of a few columns: no memory, no lock, so that many threads
// may solve many small problems side by side.

#include "numeric/numeric.h"

#include <math.h>

#define RELIABLE 1e-6    // what must be left of a square after a subtraction
enum { REFRESHED = 16 }; // steps after which squares are summed up anew

// The sum of squares; numbers of this room's callers are scaled, so it neither overflows nor
// vanishes before its time.
static double square_of(uint32_t count, const double *x)
{
    double sum = 0.0;
    for (uint32_t k = 0; k < count; k++) {
        sum += x[k] * x[k];
    }
    return sum;
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

// The longest of the columns that are left. `diagonal` holds squares of their lengths, brought up
// to date by subtraction as long as that leaves digits.
static uint32_t find_longest(uint32_t rows, uint32_t columns, const double *a, uint32_t k,
                             double *diagonal)
{
    uint32_t best = k;
    for (uint32_t j = k; j < columns; j++) {
        if (k > 0) {
            const double gone = a[k - 1 + (size_t)j * rows];
            const double rest = diagonal[j] - gone * gone;
            diagonal[j] = rest > RELIABLE * diagonal[j] && k % REFRESHED != 0
                              ? rest
                              : square_of(rows - k, a + k + (size_t)j * rows);
        }
        best = diagonal[j] > diagonal[best] ? j : best;
    }
    return best;
}

// Reflect all columns behind k; v has its first element 1 left out.
static void reflect_rest(uint32_t rows, uint32_t columns, double *a, uint32_t k, double factor)
{
    const double *v = a + k + (size_t)k * rows;
    for (uint32_t j = k + 1; j < columns; j++) {
        double *x = a + k + (size_t)j * rows;
        double sum = x[0];
        for (uint32_t i = 1; i < rows - k; i++) {
            sum += v[i] * x[i];
        }
        sum *= factor;
        x[0] -= sum;
        for (uint32_t i = 1; i < rows - k; i++) {
            x[i] -= sum * v[i];
        }
    }
}

void rh__reflect(uint32_t rows, uint32_t columns, double *a, uint32_t *pivot, double *diagonal,
                 double *factor)
{
    const uint32_t count = rows < columns ? rows : columns;
    for (uint32_t j = 0; j < columns; j++) {
        pivot[j] = j;
        diagonal[j] = square_of(rows, a + (size_t)j * rows);
    }
    for (uint32_t k = 0; k < count; k++) {
        const uint32_t best = find_longest(rows, columns, a, k, diagonal);
        const double square = diagonal[best];
        diagonal[best] = diagonal[k];
        diagonal[k] = square;
        swap_columns(rows, a, pivot, k, best);
        double *v = a + k + (size_t)k * rows;
        const double length = sqrt(square_of(rows - k, v));
        factor[k] = 0.0;
        diagonal[k] = length;
        if (!(length > 0.0)) {
            continue;
        }
        // v = x - alpha e1, divided by its first element
        const double alpha = v[0] > 0.0 ? -length : length;
        const double first = v[0] - alpha;
        factor[k] = -first / alpha;
        for (uint32_t i = 1; i < rows - k; i++) {
            v[i] /= first;
        }
        v[0] = alpha;
        reflect_rest(rows, columns, a, k, factor[k]);
    }
    for (uint32_t j = count; j < columns; j++) {
        diagonal[j] = 0.0;
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
