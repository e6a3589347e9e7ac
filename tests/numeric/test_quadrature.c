// SPDX-License-Identifier: Apache-2.0
// Tests of src/numeric/quadrature.c: exact where it should be, and not beyond.

#include "numeric/helpers.h"

#include <math.h>

enum { MOST = 64 };

static double integrate_power(uint32_t n, uint32_t power)
{
    double nodes[MOST] = {0};
    double weights[MOST] = {0};
    double sum = 0.0;
    rh__quadrature_gauss(n, nodes, weights);
    for (uint32_t k = 0; k < n; k++) {
        sum += weights[k] * pow(nodes[k], power);
    }
    return sum;
}

static void powers_are_exact(void **state)
{
    (void)state;
    for (uint32_t n = 1; n <= MOST; n++) {
        for (uint32_t power = 0; power < 2 * n; power++) {
            assert_true(fabs(integrate_power(n, power) - 1.0 / (power + 1.0)) < 1e-15);
        }
    }
}

// The first power that is not: its error is (n!)^4 / ((2n + 1) ((2n)!)^2).
static void the_next_power_is_not(void **state)
{
    (void)state;
    for (uint32_t n = 1; n <= 8; n++) {
        double share = 1.0;
        for (uint32_t k = 1; k <= n; k++) {
            share *= (double)k / (n + k);
        }
        const double error = share * share / (2.0 * n + 1.0);
        const double found = 1.0 / (2.0 * n + 1.0) - integrate_power(n, 2 * n);
        assert_true(fabs(found - error) < 1e-15 + 1e-9 * error);
    }
}

static void nodes_ascend_and_weights_are_symmetric(void **state)
{
    (void)state;
    double nodes[MOST] = {0};
    double weights[MOST] = {0};
    rh__quadrature_gauss(MOST, nodes, weights);
    for (uint32_t k = 0; k < MOST; k++) {
        assert_true(nodes[k] > (k > 0 ? nodes[k - 1] : 0.0) && nodes[k] < 1.0);
        assert_true(fabs(nodes[k] + nodes[MOST - 1 - k] - 1.0) < 1e-15);
        assert_true(weights[k] > 0.0 && fabs(weights[k] - weights[MOST - 1 - k]) < 1e-15);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(powers_are_exact),
        cmocka_unit_test(the_next_power_is_not),
        cmocka_unit_test(nodes_ascend_and_weights_are_symmetric),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
