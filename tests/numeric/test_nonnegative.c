// SPDX-License-Identifier: Apache-2.0
// Tests of src/numeric/nonnegative.c: the conditions of optimality, planted solutions, dependent
// columns, polyhedra that are empty.

#include "numeric/helpers.h"

#include "numeric/nonnegative.h"

enum { ROUNDS = 200 };

// x >= 0, and no column of the matrix makes an acute angle with the residual; those in use none but
// a right one.
static double solve_and_check(bench *on, uint32_t rows, uint32_t columns, const double *matrix,
                              const double *right)
{
    double *x = new_numbers(on, columns);
    double *residual = new_numbers(on, rows);
    const rh_nonnegative problem = {.rows = rows,
                                    .columns = columns,
                                    .matrix = matrix,
                                    .right = right,
                                    .x = x,
                                    .residual = residual};
    assert_int_equal(rh__nonnegative_solve(&on->arena, &problem), RH_OK);
    const double size = 1e-11 * (1.0 + rh__vector_norm(rows, right));
    for (size_t i = 0; i < rows; i++) {
        double gap = right[i] - residual[i];
        for (size_t j = 0; j < columns; j++) {
            gap -= matrix[i + j * rows] * x[j];
        }
        assert_near_by(gap, 0.0, 0.0, size * (1.0 + rh__vector_norm(columns, x)));
    }
    for (size_t j = 0; j < columns; j++) {
        const double slope = rh__vector_dot(rows, matrix + j * rows, residual);
        const double length = rh__vector_norm(rows, matrix + j * rows);
        assert_true(x[j] >= 0.0);
        assert_true(slope <= size * length);
        assert_true(x[j] == 0.0 || fabs(slope) <= size * length);
    }
    return rh__vector_norm(rows, residual);
}

static void random_problems_are_optimal(void **state)
{
    (void)state;
    bench on = begin_bench("random_problems_are_optimal");
    for (int round = 0; round < ROUNDS; round++) {
        const uint32_t rows = 1 + support_random_below(&on.random, 15);
        const uint32_t columns = 1 + support_random_below(&on.random, 25);
        const double *matrix = random_numbers(&on, (size_t)rows * columns);
        (void)solve_and_check(&on, rows, columns, matrix, random_numbers(&on, rows));
    }
    end_bench(&on);
}

// Columns come twice or are zero, and the right-hand side is a combination of them.
static void combinations_are_found(void **state)
{
    (void)state;
    bench on = begin_bench("combinations_are_found");
    for (int round = 0; round < ROUNDS; round++) {
        const uint32_t rows = 1 + support_random_below(&on.random, 10);
        const uint32_t columns = 2 + support_random_below(&on.random, 15);
        double *matrix = random_numbers(&on, (size_t)rows * columns);
        double *right = new_numbers(&on, rows);
        for (size_t i = 0; i < rows; i++) {
            matrix[i + rows] = matrix[i];
            matrix[i + (columns - 1) * rows] = 0.0;
        }
        for (size_t j = 0; j < columns; j++) {
            const double part = support_random_below(&on.random, 2) == 0
                                    ? 0.0
                                    : support_random_real(&on.random, 0.0, 1.0);
            for (size_t i = 0; i < rows; i++) {
                right[i] += part * matrix[i + j * rows];
            }
        }
        assert_true(solve_and_check(&on, rows, columns, matrix, right) < 1e-12);
    }
    end_bench(&on);
}

static void nothing_is_fine(void **state)
{
    (void)state;
    bench on = begin_bench("nothing_is_fine");
    const double right[] = {3.0, 4.0};
    assert_near(solve_and_check(&on, 2, 0, NULL, right), 5.0, 1e-15);
    const double row[] = {0.0};
    assert_near(solve_and_check(&on, 0, 1, row, right), 0.0, 0.0);
    rh_shortest all = {0};
    assert_int_equal(rh__shortest_solve(&on.arena, &all), RH_OK);
    assert_true(all.has_solution);
    end_bench(&on);
}

// The shortest vector of a polyhedron is a combination of the rows that it touches, with factors
// that are not negative.
static void shortest_vectors_are_optimal(void **state)
{
    (void)state;
    bench on = begin_bench("shortest_vectors_are_optimal");
    uint32_t count[2] = {0, 0};
    for (int round = 0; round < ROUNDS; round++) {
        const uint32_t columns = 1 + support_random_below(&on.random, 5);
        const uint32_t rows = 1 + support_random_below(&on.random, 8);
        const double *matrix = random_numbers(&on, (size_t)rows * columns);
        const double *right = random_numbers(&on, rows);
        double *u = new_numbers(&on, columns);
        rh_shortest problem = {
            .rows = rows, .columns = columns, .matrix = matrix, .right = right, .u = u};
        assert_int_equal(rh__shortest_solve(&on.arena, &problem), RH_OK);
        count[problem.has_solution]++;
        if (!problem.has_solution) {
            continue;
        }
        const double unit = 1e-9 * (1.0 + rh__vector_norm(columns, u));
        double *touched = new_numbers(&on, (size_t)rows * columns);
        uint32_t touched_count = 0;
        for (size_t i = 0; i < rows; i++) {
            double value = 0.0;
            for (size_t j = 0; j < columns; j++) {
                value += matrix[i + j * rows] * u[j];
                touched[j + touched_count * columns] = matrix[i + j * rows];
            }
            assert_true(value >= right[i] - unit);
            touched_count += value <= right[i] + unit ? 1 : 0;
        }
        assert_true(solve_and_check(&on, columns, touched_count, touched, u) < unit);
    }
    assert_true(count[0] > 10 && count[1] > 10);
    end_bench(&on);
}

static void empty_polyhedra_are_told(void **state)
{
    (void)state;
    bench on = begin_bench("empty_polyhedra_are_told");
    const double matrix[] = {1.0, -1.0};
    double u[] = {7.0};
    rh_shortest problem = {.rows = 2, .columns = 1, .matrix = matrix, .u = u};
    problem.right = (const double[]){1.0, -1.0}; // u is 1
    assert_int_equal(rh__shortest_solve(&on.arena, &problem), RH_OK);
    assert_true(problem.has_solution);
    assert_near(u[0], 1.0, 1e-15);
    problem.right = (const double[]){1.0, 0.0}; // u >= 1 and u <= 0
    assert_int_equal(rh__shortest_solve(&on.arena, &problem), RH_OK);
    assert_false(problem.has_solution);
    assert_near(u[0], 0.0, 0.0);
    problem.right = (const double[]){-1.0, 0.0}; // zero will do
    assert_int_equal(rh__shortest_solve(&on.arena, &problem), RH_OK);
    assert_true(problem.has_solution);
    assert_near(u[0], 0.0, 0.0);
    end_bench(&on);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_problems_are_optimal),
        cmocka_unit_test(combinations_are_found),
        cmocka_unit_test(nothing_is_fine),
        cmocka_unit_test(shortest_vectors_are_optimal),
        cmocka_unit_test(empty_polyhedra_are_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
