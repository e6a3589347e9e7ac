// SPDX-License-Identifier: Apache-2.0
// Lyapunov's equation, symmetric eigenvalues and the exponential of a matrix: identities on random
// matrices, closed forms, refusals.

#include "helpers.h"

#include "numeric/numeric.h"

#include <math.h>

enum { MOST = 9 };

static void fill(support_random *random, uint32_t n, double *a)
{
    for (uint32_t k = 0; k < n * n; k++) {
        a[k] = support_random_real(random, -1.0, 1.0);
    }
}

// A matrix that decays, and a symmetric right side: the equation holds to rounding.
static void lyapunov_solves_its_equation(void **state)
{
    (void)state;
    support_random random = support_random_begin("lyapunov");
    for (uint32_t round = 0; round < 60; round++) {
        rh_arena arena = rh__arena_begin(rh_allocator_default(), (size_t)1 << 26);
        const uint32_t n = 1 + support_random_below(&random, MOST);
        double a[MOST * MOST];
        double q[MOST * MOST];
        double c[MOST * MOST];
        fill(&random, n, a);
        fill(&random, n, q);
        for (uint32_t i = 0; i < n; i++) {
            a[i + i * n] -= 4.0;
            for (uint32_t j = 0; j < i; j++) {
                q[i + j * n] = q[j + i * n];
            }
        }
        assert_int_equal(rh__lyapunov_solve(&arena, n, a, q, c), RH_OK);
        for (uint32_t i = 0; i < n; i++) {
            for (uint32_t j = 0; j < n; j++) {
                double sum = q[i + j * n];
                for (uint32_t k = 0; k < n; k++) {
                    sum += a[k + i * n] * c[k + j * n] + c[i + k * n] * a[k + j * n];
                }
                assert_near(sum, 0.0, 1e-14);
                assert_near(c[i + j * n], c[j + i * n], 0.0);
            }
        }
        rh__arena_end(&arena);
    }
}

// Eigenvalues 1 and -1 have the sum 0: there is no c. Numbers that are none are refused.
static void lyapunov_refuses_what_has_no_solution(void **state)
{
    (void)state;
    rh_arena arena = rh__arena_begin(rh_allocator_default(), (size_t)1 << 26);
    const double a[4] = {1.0, 0.0, 0.0, -1.0};
    const double q[4] = {1.0, 0.5, 0.5, 1.0};
    const double bad[4] = {1.0, NAN, 0.0, -1.0};
    double c[4];
    assert_int_equal(rh__lyapunov_solve(&arena, 2, a, q, c), RH_E_LIMIT);
    assert_int_equal(rh__lyapunov_solve(&arena, 2, bad, q, c), RH_E_ARGUMENT);
    assert_int_equal(rh__lyapunov_solve(&arena, 0, a, q, c), RH_OK);
    rh__arena_end(&arena);
}

static void symmetric_matrices_are_put_together_again(void **state)
{
    (void)state;
    support_random random = support_random_begin("symmetric");
    for (uint32_t round = 0; round < 40; round++) {
        rh_arena arena = rh__arena_begin(rh_allocator_default(), (size_t)1 << 26);
        const uint32_t n = 1 + support_random_below(&random, MOST);
        double a[MOST * MOST];
        double values[MOST];
        double v[MOST * MOST];
        fill(&random, n, a);
        assert_int_equal(rh__eigen_symmetric(&arena, n, a, values, v), RH_OK);
        for (uint32_t i = 0; i < n; i++) {
            assert_true(i == 0 || values[i] >= values[i - 1]);
            for (uint32_t j = 0; j <= i; j++) { // the lower triangle was read
                double sum = 0.0;
                for (uint32_t k = 0; k < n; k++) {
                    sum += v[i + k * n] * values[k] * v[j + k * n];
                }
                assert_near(sum, a[i + j * n], 1e-14);
            }
        }
        a[0] = INFINITY;
        assert_int_equal(rh__eigen_symmetric(&arena, n, a, values, v), RH_E_ARGUMENT);
        rh__arena_end(&arena);
    }
}

// exp of a rotation, of a double root, and exp(a) exp(-a) = 1.
static void exponentials_are_what_they_are(void **state)
{
    (void)state;
    rh_arena arena = rh__arena_begin(rh_allocator_default(), (size_t)1 << 26);
    support_random random = support_random_begin("exponential");
    const double turn[4] = {0.0, 1.0, -1.0, 0.0};
    const double root[4] = {0.0, -25.0, 1.0, -10.0};
    double e[MOST * MOST];
    double back[MOST * MOST];
    double a[MOST * MOST];
    assert_int_equal(rh__matrix_exponential(&arena, 2, turn, 20.0, e), RH_OK);
    assert_near(e[0], cos(20.0), 1e-13);
    assert_near(e[1], sin(20.0), 1e-13);
    assert_int_equal(rh__matrix_exponential(&arena, 2, root, 0.2, e), RH_OK);
    assert_near(e[0], 2.0 * exp(-1.0), 1e-15);
    assert_near(e[2], 0.2 * exp(-1.0), 1e-15);
    for (uint32_t round = 0; round < 20; round++) {
        const uint32_t n = 1 + support_random_below(&random, MOST);
        fill(&random, n, a);
        assert_int_equal(rh__matrix_exponential(&arena, n, a, 1.0, e), RH_OK);
        assert_int_equal(rh__matrix_exponential(&arena, n, a, -1.0, back), RH_OK);
        for (uint32_t i = 0; i < n; i++) {
            for (uint32_t j = 0; j < n; j++) {
                double sum = 0.0;
                for (uint32_t k = 0; k < n; k++) {
                    sum += e[i + k * n] * back[k + j * n];
                }
                assert_near(sum, i == j ? 1.0 : 0.0, 1e-13);
            }
        }
    }
    assert_int_equal(rh__matrix_exponential(&arena, 2, turn, NAN, e), RH_E_ARGUMENT);
    rh__arena_end(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lyapunov_solves_its_equation),
        cmocka_unit_test(lyapunov_refuses_what_has_no_solution),
        cmocka_unit_test(symmetric_matrices_are_put_together_again),
        cmocka_unit_test(exponentials_are_what_they_are),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
