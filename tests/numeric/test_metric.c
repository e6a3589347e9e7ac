// SPDX-License-Identifier: Apache-2.0
// Least squares in a metric: the equations are met where they can be, and nothing shorter meets
// them: with J x = b and J z = 0, z^T W x = 0.

#include "helpers.h"

#include <string.h>

// A positive definite matrix.
static double *random_metric(bench *on, uint32_t n)
{
    const double *a = random_numbers(on, (size_t)n * n);
    double *w = new_numbers(on, (size_t)n * n);
    for (size_t i = 0; i < n; i++) {
        for (size_t j = 0; j < n; j++) {
            for (size_t k = 0; k < n; k++) {
                w[i + j * n] += a[i + k * n] * a[j + k * n];
            }
        }
        w[i + i * n] += 0.5;
    }
    return w;
}

// |J x - b|, relative to b.
static double find_residual(const rh_metric_problem *problem, const double *x)
{
    double worst = 0.0;
    double size = 0.0;
    for (size_t i = 0; i < problem->rows; i++) {
        long double sum = -problem->right[i];
        for (size_t j = 0; j < problem->columns; j++) {
            sum += (long double)problem->matrix[i + j * problem->rows] * x[j];
        }
        worst = fmax(worst, (double)fabsl(sum));
        size = fmax(size, fabs(problem->right[i]));
    }
    return worst / size;
}

// The largest z^T W x over the null space of J.
static double find_slant(bench *on, const rh_metric_problem *problem, const double *x,
                         uint32_t rank)
{
    const uint32_t n = problem->columns;
    rh_svd svd;
    assert_int_equal(rh__svd_create(&on->arena, problem->rows, n, problem->matrix, &svd), RH_OK);
    assert_int_equal(rh__svd_rank(&svd, problem->tolerance), rank);
    double worst = 0.0;
    double size = 0.0;
    for (size_t k = rank; k < n; k++) {
        long double sum = 0.0;
        for (size_t i = 0; i < n; i++) {
            for (size_t j = 0; j < n; j++) {
                sum += (long double)svd.v[i + k * n] * problem->metric[i + j * n] * x[j];
                size = fmax(size, fabs(problem->metric[i + j * n] * x[j]));
            }
        }
        worst = fmax(worst, (double)fabsl(sum));
    }
    return size > 0.0 ? worst / size : 0.0;
}

static void check(bench *on, const rh_metric_problem *problem, uint32_t wanted, double precision)
{
    double *x = new_numbers(on, problem->columns);
    uint32_t rank = 0;
    assert_int_equal(rh__metric_solve(&on->arena, problem, x, &rank), RH_OK);
    assert_int_equal(rank, wanted);
    assert_true(find_residual(problem, x) <= precision);
    assert_true(find_slant(on, problem, x, rank) <= precision);
}

static void independent_rows(void **state)
{
    (void)state;
    bench on = begin_bench("metric: independent rows");
    for (uint32_t k = 0; k < 200; k++) {
        const uint32_t n = 1 + support_random_below(&on.random, 12);
        const uint32_t rows = 1 + support_random_below(&on.random, n);
        double *matrix = random_numbers(&on, (size_t)rows * n);
        // rows of very different lengths are independent too
        for (size_t j = 0; k % 4 == 0 && j < n; j++) {
            matrix[j * rows] *= 1e3;
        }
        const rh_metric_problem problem = {.rows = rows,
                                           .columns = n,
                                           .matrix = matrix,
                                           .metric = random_metric(&on, n),
                                           .right = random_numbers(&on, rows),
                                           .tolerance = 1e-10};
        check(&on, &problem, rows, 1e-9);
    }
    end_bench(&on);
}

// The last row is a sum of the others, or differs from it by very little.
static void dependent_rows(void **state)
{
    (void)state;
    static const double APART[] = {0.0, 1e-13, 1e-8, 1e-7, 1e-5};
    bench on = begin_bench("metric: dependent rows");
    for (uint32_t k = 0; k < 100; k++) {
        const uint32_t n = 5 + support_random_below(&on.random, 8);
        const uint32_t rows = 3;
        const double apart = APART[k % 5];
        double *matrix = random_numbers(&on, (size_t)rows * n);
        double *right = random_numbers(&on, rows);
        const double *other = random_numbers(&on, n);
        for (size_t j = 0; j < n; j++) {
            matrix[2 + j * rows] = matrix[j * rows] + matrix[1 + j * rows] + apart * other[j];
        }
        right[2] = right[0] + right[1];
        const rh_metric_problem problem = {.rows = rows,
                                           .columns = n,
                                           .matrix = matrix,
                                           .metric = random_metric(&on, n),
                                           .right = right,
                                           .tolerance = 1e-10};
        check(&on, &problem, apart > 1e-10 ? 3 : 2, 1e-6);
    }
    end_bench(&on);
}

static void more_rows_than_unknowns(void **state)
{
    (void)state;
    bench on = begin_bench("metric: more rows");
    double *matrix = random_numbers(&on, 12);
    double *right = new_numbers(&on, 4);
    const double *x = random_numbers(&on, 3);
    for (size_t i = 0; i < 4; i++) {
        for (size_t j = 0; j < 3; j++) {
            right[i] += matrix[i + j * 4] * x[j];
        }
    }
    const rh_metric_problem problem = {.rows = 4,
                                       .columns = 3,
                                       .matrix = matrix,
                                       .metric = random_metric(&on, 3),
                                       .right = right,
                                       .tolerance = 1e-10};
    check(&on, &problem, 3, 1e-12);
    end_bench(&on);
}

static void what_is_no_number_is_refused(void **state)
{
    (void)state;
    bench on = begin_bench("metric: no numbers");
    const double matrix[] = {1.0, (double)NAN, 0.0, 1.0};
    const double metric[] = {1.0, 0.0, 0.0, 1.0};
    const double right[] = {1.0, 2.0};
    const rh_metric_problem problem = {.rows = 2,
                                       .columns = 2,
                                       .matrix = matrix,
                                       .metric = metric,
                                       .right = right,
                                       .tolerance = 1e-10};
    double x[2];
    uint32_t rank = 0;
    assert_int_equal(rh__metric_solve(&on.arena, &problem, x, &rank), RH_E_ARGUMENT);
    end_bench(&on);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(independent_rows),
        cmocka_unit_test(dependent_rows),
        cmocka_unit_test(more_rows_than_unknowns),
        cmocka_unit_test(what_is_no_number_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
