// SPDX-License-Identifier: Apache-2.0
// The exponential of a matrix. The argument is divided by a power of two until its norm is below
// one half, where 18 terms of Taylor's series are exact to rounding; then it is squared as often.
// What is squared is exp - 1, so that a part near 1 loses nothing (Higham, Functions of Matrices,
// section 10.3).

#include "numeric/numeric.h"

#include <math.h>
#include <string.h>

enum { TERMS = 18, MOST_SQUARINGS = 1000 };

// out = a b
static void multiply(uint32_t n, const double *a, const double *b, double *out)
{
    memset(out, 0, sizeof *out * n * n);
    for (uint32_t j = 0; j < n; j++) {
        for (uint32_t k = 0; k < n; k++) {
            const double factor = b[k + (size_t)j * n];
            for (uint32_t i = 0; factor != 0.0 && i < n; i++) {
                out[i + (size_t)j * n] += a[i + (size_t)k * n] * factor;
            }
        }
    }
}

static double norm_of(uint32_t n, const double *a)
{
    double largest = 0.0;
    for (uint32_t j = 0; j < n; j++) {
        double sum = 0.0;
        for (uint32_t i = 0; i < n; i++) {
            sum += fabs(a[i + (size_t)j * n]);
        }
        largest = fmax(largest, sum);
    }
    return largest;
}

// out = exp(a) - 1 for a small a, by Horner's rule: a (1 + a/2 (1 + a/3 (...))).
static void expand(uint32_t n, const double *a, double *work, double *out)
{
    memset(out, 0, sizeof *out * n * n);
    for (uint32_t k = TERMS; k > 0; k--) {
        for (uint32_t i = 0; i < n; i++) {
            out[i + (size_t)i * n] += 1.0;
        }
        multiply(n, a, out, work);
        for (size_t i = 0; i < (size_t)n * n; i++) {
            out[i] = work[i] / k;
        }
    }
}

rh_status rh__matrix_exponential(rh_arena *arena, uint32_t n, const double *a, double t,
                                 double *out)
{
    const size_t whole = (size_t)n * n;
    if (n > RH_DENSE_LIMIT) {
        return RH_E_LIMIT;
    }
    if (!rh__vector_is_finite(whole, a) || !isfinite(t)) {
        return RH_E_ARGUMENT;
    }
    const rh_mark mark = rh__arena_mark(arena);
    double *small = rh__arena_array(arena, double, 2 * whole + 1);
    if (small == NULL) {
        return arena->status;
    }
    double *work = small + whole;
    int squarings = 0;
    const double norm = norm_of(n, a) * fabs(t);
    if (norm > 0.5) {
        (void)frexp(norm, &squarings);
        squarings = squarings + 1 > MOST_SQUARINGS ? MOST_SQUARINGS : squarings + 1;
    }
    for (size_t k = 0; k < whole; k++) {
        small[k] = ldexp(a[k] * t, -squarings);
    }
    expand(n, small, work, out);
    for (int s = 0; s < squarings; s++) { // exp(2 x) - 1 = e (2 + e)
        multiply(n, out, out, work);
        for (size_t k = 0; k < whole; k++) {
            out[k] = 2.0 * out[k] + work[k];
        }
    }
    for (uint32_t i = 0; i < n; i++) {
        out[i + (size_t)i * n] += 1.0;
    }
    rh__arena_rewind(arena, mark);
    return RH_OK;
}
