// SPDX-License-Identifier: Apache-2.0
// Outer eigenvalues by products: against matrices whose eigenvalues are known.

#include "numeric/helpers.h"

#include <math.h>

typedef struct matrix {
    uint32_t n;
    const double *dense; // NULL: second differences
} matrix;

static bool multiply(void *user, const double *x, double *out)
{
    const matrix *a = user;
    for (uint32_t i = 0; i < a->n; i++) {
        out[i] = 0.0;
        for (uint32_t j = 0; a->dense != NULL && j < a->n; j++) {
            out[i] += a->dense[i + (size_t)j * a->n] * x[j];
        }
        if (a->dense == NULL) {
            out[i] = (i > 0 ? x[i - 1] : 0.0) - 2.0 * x[i] + (i + 1 < a->n ? x[i + 1] : 0.0);
        }
    }
    return true;
}

// As many products as there are unknowns give all eigenvalues.
static void small_matrices_are_solved(void **state)
{
    (void)state;
    bench on = begin_bench("small_matrices_are_solved");
    enum { N = 12 };
    double *a = new_numbers(&on, N * N);
    double *judge = new_numbers(&on, 2 * N);
    double *found = new_numbers(&on, 2 * N);
    for (uint32_t k = 0; k < N * N; k++) {
        a[k] = support_random_real(&on.random, -1.0, 1.0);
    }
    uint32_t count = 0;
    matrix it = {.n = N, .dense = a};
    assert_int_equal(rh__eigen_values(&on.arena, N, a, judge, judge + N), RH_OK);
    assert_int_equal(rh__krylov_values(&on.arena, N, 40, multiply, &it, found, found + N, &count),
                     RH_OK);
    assert_int_equal(count, N);
    for (uint32_t k = 0; k < N; k++) {
        double nearest = INFINITY;
        for (uint32_t j = 0; j < N; j++) {
            nearest = fmin(nearest, hypot(found[k] - judge[j], found[N + k] - judge[N + j]));
        }
        assert_true(nearest < 1e-9);
    }
    end_bench(&on);
}

// The largest of second differences is -4 cos^2(pi / (2 n + 2)).
static void outer_values_are_found_first(void **state)
{
    (void)state;
    bench on = begin_bench("outer_values_are_found_first");
    double found[80];
    uint32_t count = 0;
    matrix it = {.n = 3000};
    assert_int_equal(
        rh__krylov_values(&on.arena, it.n, 40, multiply, &it, found, found + 40, &count), RH_OK);
    assert_int_equal(count, 40);
    double least = 0.0;
    for (uint32_t k = 0; k < count; k++) {
        least = fmin(least, found[k]);
        assert_true(fabs(found[40 + k]) < 1e-9 && found[k] < 0.0);
    }
    assert_true(least > -4.0 && least < -3.96);
    end_bench(&on);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(small_matrices_are_solved),
        cmocka_unit_test(outer_values_are_found_first),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
