// SPDX-License-Identifier: Apache-2.0
// Gauss-Legendre rules on [0, 1]: the roots of the Legendre polynomials by Newton's method from
// Tricomi's guesses.

#include "numeric/numeric.h"

#include <math.h>

// P_n and its derivative at x, by the three-term recurrence.
static void legendre(uint32_t n, double x, double *out_value, double *out_slope)
{
    double before = 1.0;
    double value = x;
    for (uint32_t k = 2; k <= n; k++) {
        const double next = ((2.0 * k - 1.0) * x * value - (k - 1.0) * before) / k;
        before = value;
        value = next;
    }
    *out_value = n == 0 ? 1.0 : value;
    *out_slope = n == 0 ? 0.0 : n * (x * value - before) / (x * x - 1.0);
}

void rh__quadrature_gauss(uint32_t n, double *nodes, double *weights)
{
    RH_ASSERT(n > 0);
    const double pi = 3.14159265358979323846;
    for (uint32_t k = 0; k < n; k++) {
        double x = cos(pi * (k + 0.75) / (n + 0.5));
        double value = 0.0;
        double slope = 1.0;
        for (uint32_t round = 0; round < 8; round++) {
            legendre(n, x, &value, &slope);
            x -= value / slope;
        }
        legendre(n, x, &value, &slope);
        nodes[n - 1 - k] = 0.5 * (1.0 + x);
        weights[n - 1 - k] = 1.0 / ((1.0 - x * x) * slope * slope);
    }
}
