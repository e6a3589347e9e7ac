// SPDX-License-Identifier: Apache-2.0
// Scaling of right-hand sides and solutions: the factored matrix is R a C with powers of two on the
// diagonals of R and C; a x = b becomes (R a C) y = R b, x = C y.

#include "numeric/scale.h"

#include <math.h>

int32_t rh__scale_exponent(double magnitude)
{
    RH_ASSERT(isfinite(magnitude));
    return magnitude == 0.0 ? 0 : -ilogb(magnitude);
}

int32_t rh__scale_enter(uint32_t n, const int32_t *exponent, const double *b, double *y)
{
    // the right-hand side alone may be far from 1; the problem is linear, so it is shifted as well
    int32_t shift = 0;
    bool is_zero = true;
    for (uint32_t k = 0; k < n; k++) {
        const int32_t size = exponent[k] - rh__scale_exponent(b[k]);
        if (b[k] != 0.0 && (is_zero || size > shift)) {
            shift = size;
            is_zero = false;
        }
    }
    for (uint32_t k = 0; k < n; k++) {
        y[k] = ldexp(b[k], exponent[k] - shift);
    }
    return shift;
}

void rh__scale_leave(uint32_t n, const int32_t *exponent, int32_t shift, const double *y, double *b)
{
    for (uint32_t k = 0; k < n; k++) {
        b[k] = ldexp(y[k], exponent[k] + shift);
    }
}
