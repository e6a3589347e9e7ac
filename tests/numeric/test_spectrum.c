// SPDX-License-Identifier: Apache-2.0
// Eigenvalues of small matrices against LAPACK, their condition numbers, balancing; reflections.

#include "support.h"

#include "numeric/numeric.h"

#include <math.h>
#include <stdlib.h>

enum { MOST = 9 };

static int by_size(const void *a, const void *b)
{
    const double *x = a;
    const double *y = b;
    return fabs(x[0] - y[0]) > 1e-7 ? (x[0] < y[0] ? -1 : 1) : (x[1] > y[1]) - (x[1] < y[1]);
}

static void small_eigenvalues_are_those_of_lapack(void **state)
{
    (void)state;
    support_random random = support_random_begin("small_eigenvalues_are_those_of_lapack");
    rh_arena arena = rh__arena_begin(rh_allocator_default(), 1 << 20);
    for (uint32_t k = 0; k < 400; k++) {
        const uint32_t n = 1 + support_random_below(&random, MOST);
        double a[MOST * MOST];
        double copy[MOST * MOST];
        double re[MOST];
        double im[MOST];
        double one[MOST][2];
        double two[MOST][2];
        double size = 0.0;
        for (uint32_t i = 0; i < n * n; i++) {
            a[i] = copy[i] = support_random_below(&random, 4) == 0
                                 ? 0.0
                                 : support_random_real(&random, -3.0, 3.0);
            size = hypot(size, a[i]);
        }
        assert_true(rh__eigen_small(n, copy, re, im));
        for (uint32_t i = 0; i < n; i++) {
            one[i][0] = re[i];
            one[i][1] = im[i];
        }
        double condition[MOST];
        assert_int_equal(rh__eigen_conditions(&arena, n, a, re, im, condition), RH_OK);
        double worst = 1.0;
        for (uint32_t i = 0; i < n; i++) {
            two[i][0] = re[i];
            two[i][1] = im[i];
            assert_true(condition[i] > 1.0 - 1e-12);
            worst = fmax(worst, condition[i]);
        }
        qsort(one, n, sizeof *one, by_size);
        qsort(two, n, sizeof *two, by_size);
        if (worst < 1e4) { // next to a double root both are right and differ
            for (uint32_t i = 0; i < n; i++) {
                assert_near(one[i][0], two[i][0], 1e-13 * worst * (1.0 + size));
                assert_near(one[i][1], two[i][1], 1e-13 * worst * (1.0 + size));
            }
        }
    }
    rh__arena_end(&arena);
}

// [[1, c], [0, 2]]: the condition of both eigenvalues is sqrt(1 + c^2).
static void a_known_condition(void **state)
{
    (void)state;
    rh_arena arena = rh__arena_begin(rh_allocator_default(), 1 << 20);
    const double a[] = {1.0, 0.0, 7.0, 2.0};
    double re[2];
    double im[2];
    double condition[2];
    assert_int_equal(rh__eigen_conditions(&arena, 2, a, re, im, condition), RH_OK);
    assert_near(condition[0], sqrt(50.0), 1e-13);
    assert_near(condition[1], sqrt(50.0), 1e-13);
    const double bad[] = {NAN};
    assert_int_equal(rh__eigen_conditions(&arena, 1, bad, re, im, condition), RH_E_ARGUMENT);
    rh__arena_end(&arena);
}

static void balancing_evens_rows_and_columns(void **state)
{
    (void)state;
    const double a[] = {1.0, 1e-8, 1e8, 2.0};
    double d[2];
    rh__eigen_balance(2, a, d);
    const double upper = a[2] * d[1] / d[0];
    const double lower = a[1] * d[0] / d[1];
    assert_true(upper / lower < 4.1 && lower / upper < 4.1);
}

// --- reflections ---------------------------------------------------------------------------------

static void least_squares_by_reflections(void **state)
{
    (void)state;
    support_random random = support_random_begin("least_squares_by_reflections");
    for (uint32_t k = 0; k < 200; k++) {
        const uint32_t columns = 1 + support_random_below(&random, MOST);
        const uint32_t rows = columns + support_random_below(&random, 5);
        double a[(MOST + 5) * MOST];
        double kept[(MOST + 5) * MOST];
        double b[MOST + 5];
        double right[MOST + 5];
        double x[MOST];
        double diagonal[MOST];
        double factor[MOST];
        uint32_t pivot[MOST];
        for (uint32_t i = 0; i < rows * columns; i++) {
            a[i] = kept[i] = support_random_real(&random, -1.0, 1.0);
        }
        for (uint32_t i = 0; i < rows; i++) {
            b[i] = right[i] = support_random_real(&random, -1.0, 1.0);
        }
        rh__reflect(rows, columns, a, pivot, diagonal, factor);
        assert_int_equal(rh__reflect_rank(rows, columns, diagonal, 1e-12), columns);
        rh__reflect_solve(rows, columns, a, pivot, diagonal, factor, b, x);
        for (uint32_t j = 0; j < columns; j++) { // the residual is across all columns
            double sum = 0.0;
            double size = 0.0;
            for (uint32_t i = 0; i < rows; i++) {
                double rest = -right[i];
                for (uint32_t c = 0; c < columns; c++) {
                    rest += kept[i + c * rows] * x[c];
                    size += fabs(kept[i + c * rows] * x[c]);
                }
                sum += rest * kept[i + j * rows];
            }
            assert_near(sum, 0.0, 1e-13 * (1.0 + size));
        }
    }
}

// The last columns of Q span the kernel of the transposed matrix.
static void a_rank_and_a_kernel(void **state)
{
    (void)state;
    double a[] = {1.0, 2.0, 3.0, 2.0, 4.0, 6.0, 1.0, 0.0, 1.0}; // columns 1 and 2 depend
    double diagonal[3];
    double factor[3];
    uint32_t pivot[3];
    const double kept[] = {1.0, 2.0, 3.0, 2.0, 4.0, 6.0, 1.0, 0.0, 1.0};
    rh__reflect(3, 3, a, pivot, diagonal, factor);
    assert_int_equal(rh__reflect_rank(3, 3, diagonal, 1e-12), 2);
    double q[3] = {0.0, 0.0, 1.0};
    rh__reflect_apply(3, 3, a, factor, false, q);
    for (uint32_t j = 0; j < 3; j++) {
        assert_near(rh__vector_dot(3, kept + 3 * j, q), 0.0, 1e-14);
    }
    rh__reflect_apply(3, 3, a, factor, true, q);
    assert_near(q[2], 1.0, 1e-14);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(small_eigenvalues_are_those_of_lapack),
        cmocka_unit_test(a_known_condition),
        cmocka_unit_test(balancing_evens_rows_and_columns),
        cmocka_unit_test(least_squares_by_reflections),
        cmocka_unit_test(a_rank_and_a_kernel),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
