// SPDX-License-Identifier: Apache-2.0
// Property tests of src/numeric/klu.c: residuals, agreement with dense LU, old pivots against fresh
// ones, singular and unbounded matrices, refused memory.

#include "numeric/helpers.h"

#include <stdlib.h>

#if __has_include(<suitesparse/SuiteSparse_config.h>)
#include <suitesparse/SuiteSparse_config.h>
#if SUITESPARSE_MAIN_VERSION < 6
#define CAN_FAIL_SUITESPARSE 1
#endif
#endif

enum { ROUNDS = 60, LARGEST = 40 };

typedef struct problem {
    uint32_t n, count;
    uint32_t *row, *column;
    double *value;
    rh_sparse sparse;
} problem;

static void fill_random(bench *on, problem *p)
{
    for (uint32_t k = 0; k < p->count; k++) {
        p->value[k] = support_random_real(&on->random, -1.0, 1.0);
    }
    rh__sparse_fill(&p->sparse, p->value);
}

// A random permutation and a few places more for each column, so that it is regular as a pattern.
static problem random_problem(bench *on)
{
    problem p = {.n = 1 + support_random_below(&on->random, LARGEST)};
    p.count = p.n + support_random_below(&on->random, 4 * p.n);
    p.row = rh__arena_array(&on->arena, uint32_t, p.count);
    p.column = rh__arena_array(&on->arena, uint32_t, p.count);
    p.value = new_numbers(on, p.count);
    for (uint32_t k = 0; k < p.n; k++) {
        const uint32_t other = support_random_below(&on->random, k + 1);
        p.column[k] = k;
        p.row[k] = p.row[other];
        p.row[other] = k;
    }
    for (uint32_t k = p.n; k < p.count; k++) {
        p.row[k] = support_random_below(&on->random, p.n);
        p.column[k] = support_random_below(&on->random, p.n);
    }
    assert_int_equal(rh__sparse_create(&on->arena, p.n, p.n, p.count, p.row, p.column, &p.sparse),
                     RH_OK);
    fill_random(on, &p);
    return p;
}

static double *to_dense(bench *on, const rh_sparse *sparse)
{
    double *a = new_numbers(on, (size_t)sparse->rows * sparse->columns);
    for (size_t j = 0; j < sparse->columns; j++) {
        for (uint32_t k = sparse->start[j]; k < sparse->start[j + 1]; k++) {
            a[sparse->row[k] + j * sparse->rows] = sparse->value[k];
        }
    }
    return a;
}

static void check_solve(bench *on, const problem *p, rh_klu *klu)
{
    const double *a = to_dense(on, &p->sparse);
    const double *b = random_numbers(on, 2 * (size_t)p->n);
    double *x = new_numbers(on, 2 * (size_t)p->n);
    memcpy(x, b, sizeof *x * 2 * p->n);
    assert_int_equal(rh__klu_solve(klu, x, 2), RH_OK);
    for (size_t c = 0; c < 2; c++) {
        const double error = backward_error(on, p->n, a, x + c * p->n, b + c * p->n);
        assert_near_by(error, 0.0, 0.0, 1e-12);
    }
}

static void random_systems_are_solved(void **state)
{
    (void)state;
    bench on = begin_bench("random_systems_are_solved");
    for (int round = 0; round < ROUNDS; round++) {
        const problem p = random_problem(&on);
        rh_klu klu;
        rh_lu lu;
        assert_int_equal(rh__klu_create(&p.sparse, &klu), RH_OK);
        assert_int_equal(rh__lu_create(&on.arena, p.n, to_dense(&on, &p.sparse), &lu), RH_OK);
        assert_true(klu.rcond > 0.0 && klu.rcond <= 1.0);
        // both are estimates of the same number
        assert_true(klu.rcond < 10.0 * lu.rcond && lu.rcond < 10.0 * klu.rcond);
        check_solve(&on, &p, &klu);
        rh__klu_destroy(&klu);
        rh__klu_destroy(&klu);
    }
    end_bench(&on);
}

static void badly_scaled_systems_are_solved(void **state)
{
    (void)state;
    bench on = begin_bench("badly_scaled_systems_are_solved");
    for (int round = 0; round < ROUNDS; round++) {
        problem p = random_problem(&on);
        int row_exponent[LARGEST + 1];
        int column_exponent[LARGEST + 1];
        for (uint32_t k = 0; k < p.n; k++) {
            row_exponent[k] = (int)support_random_below(&on.random, 61) - 30;
            column_exponent[k] = (int)support_random_below(&on.random, 61) - 30;
        }
        for (uint32_t k = 0; k < p.count; k++) {
            p.value[k] = ldexp(p.value[k], row_exponent[p.row[k]] + column_exponent[p.column[k]]);
        }
        rh__sparse_fill(&p.sparse, p.value);
        rh_klu klu;
        assert_int_equal(rh__klu_create(&p.sparse, &klu), RH_OK);
        assert_true(klu.rcond > 0.0);
        check_solve(&on, &p, &klu);
        rh__klu_destroy(&klu);
    }
    end_bench(&on);
}

static void refactoring_agrees_with_factoring(void **state)
{
    (void)state;
    bench on = begin_bench("refactoring_agrees_with_factoring");
    for (int round = 0; round < ROUNDS; round++) {
        problem p = random_problem(&on);
        rh_klu old;
        assert_int_equal(rh__klu_create(&p.sparse, &old), RH_OK);
        for (int again = 0; again < 4; again++) {
            fill_random(&on, &p);
            rh_klu fresh;
            assert_int_equal(rh__klu_refactor(&old, &p.sparse), RH_OK);
            assert_int_equal(rh__klu_create(&p.sparse, &fresh), RH_OK);
            assert_true(old.rcond < 10.0 * fresh.rcond && fresh.rcond < 10.0 * old.rcond);
            check_solve(&on, &p, &old);
            double *x = random_numbers(&on, p.n);
            double *y = new_numbers(&on, p.n);
            memcpy(y, x, sizeof *x * p.n);
            assert_int_equal(rh__klu_solve(&old, x, 1), RH_OK);
            assert_int_equal(rh__klu_solve(&fresh, y, 1), RH_OK);
            const double size = rh__vector_norm(p.n, y);
            for (uint32_t k = 0; k < p.n; k++) {
                assert_near_by(x[k] / size, y[k] / size, 0.0, 1e-13 / fresh.rcond);
            }
            rh__klu_destroy(&fresh);
        }
        rh__klu_destroy(&old);
    }
    end_bench(&on);
}

// What was factored in between leaves no trace, to the last bit.
static void earlier_values_are_forgotten(void **state)
{
    (void)state;
    bench on = begin_bench("earlier_values_are_forgotten");
    for (int round = 0; round < ROUNDS; round++) {
        problem p = random_problem(&on);
        const double *first = random_numbers(&on, p.count);
        const double *last = random_numbers(&on, p.count);
        double *b[3];
        rh_klu klu[3];
        b[0] = random_numbers(&on, p.n);
        for (int k = 0; k < 3; k++) {
            b[k] = k > 0 ? new_numbers(&on, p.n) : b[k];
            memcpy(b[k], b[0], sizeof *b[k] * p.n);
            rh__sparse_fill(&p.sparse, k < 2 ? first : last);
            assert_int_equal(rh__klu_create(&p.sparse, &klu[k]), RH_OK);
        }
        // the first one sees others, singular ones and such as need other pivots
        for (int between = 0; between < 4; between++) {
            fill_random(&on, &p);
            for (uint32_t k = 0; k < p.sparse.count; k += between == 1 ? 1 : 3) {
                p.sparse.value[k] *= between == 1 ? 0.0 : 1e-13;
            }
            assert_int_equal(rh__klu_refactor(&klu[0], &p.sparse), RH_OK);
        }
        rh__sparse_fill(&p.sparse, last);
        assert_int_equal(rh__klu_refactor(&klu[0], &p.sparse), RH_OK);
        assert_int_equal(rh__klu_refactor(&klu[1], &p.sparse), RH_OK);
        assert_true(klu[0].rcond == klu[1].rcond);
        assert_int_equal(rh__klu_solve(&klu[0], b[0], 1), rh__klu_solve(&klu[1], b[1], 1));
        assert_memory_equal(b[0], b[1], sizeof *b[0] * p.n);
        // pivots that are chosen again are those of a new one
        memcpy(b[0], b[2], sizeof *b[0] * p.n);
        assert_int_equal(rh__klu_factor(&klu[0], &p.sparse), RH_OK);
        assert_int_equal(rh__klu_solve(&klu[0], b[0], 1), rh__klu_solve(&klu[2], b[2], 1));
        assert_memory_equal(b[0], b[2], sizeof *b[0] * p.n);
        for (int k = 0; k < 3; k++) {
            rh__klu_destroy(&klu[k]);
        }
    }
    end_bench(&on);
}

// --- edges -----------------------------------------------------------------------------------

static const uint32_t FULL_ROW[] = {0, 1, 0, 1};
static const uint32_t FULL_COLUMN[] = {0, 0, 1, 1};

// The pivot chosen first is zero later, or next to it.
static void old_pivots_are_given_up(void **state)
{
    (void)state;
    bench on = begin_bench("old_pivots_are_given_up");
    rh_sparse sparse;
    assert_int_equal(rh__sparse_create(&on.arena, 2, 2, 4, FULL_ROW, FULL_COLUMN, &sparse), RH_OK);
    const double values[][4] = {{1, 0.5, 0.5, 1}, {0, 1, 1, 0}, {1e-14, 1, 1, 1e-15}};
    rh__sparse_fill(&sparse, values[0]);
    for (size_t k = 1; k < 3; k++) {
        rh_klu klu;
        rh__sparse_fill(&sparse, values[0]);
        assert_int_equal(rh__klu_create(&sparse, &klu), RH_OK);
        rh__sparse_fill(&sparse, values[k]);
        assert_int_equal(rh__klu_refactor(&klu, &sparse), RH_OK);
        assert_true(klu.rcond > 0.9);
        double b[] = {3, 5};
        assert_int_equal(rh__klu_solve(&klu, b, 1), RH_OK);
        assert_near(b[0], 5.0, 1e-13);
        assert_near(b[1], 3.0, 1e-13);
        rh__klu_destroy(&klu);
    }
    end_bench(&on);
}

static void singular_is_a_number(void **state)
{
    (void)state;
    bench on = begin_bench("singular_is_a_number");
    rh_sparse sparse;
    assert_int_equal(rh__sparse_create(&on.arena, 2, 2, 4, FULL_ROW, FULL_COLUMN, &sparse), RH_OK);
    const double singular[][4] = {{1, 2, 2, 4},
                                  {0, 0, 0, 0},
                                  {0, 0, 1, 1},
                                  {1, 0, 0, (double)NAN},
                                  {1, (double)INFINITY, 0, 1}};
    const double sound[] = {2, 1, 0, 4};
    for (size_t k = 0; k < sizeof singular / sizeof *singular; k++) {
        rh_klu klu;
        rh__sparse_fill(&sparse, singular[k]);
        assert_int_equal(rh__klu_create(&sparse, &klu), RH_OK);
        assert_true(klu.rcond == 0.0);
        double b[] = {2, 5};
        assert_int_equal(rh__klu_solve(&klu, b, 1), RH_E_ARGUMENT);
        assert_true(b[0] == 2 && b[1] == 5);
        // and back, and there again
        rh__sparse_fill(&sparse, sound);
        assert_int_equal(rh__klu_refactor(&klu, &sparse), RH_OK);
        assert_true(klu.rcond > 0.1);
        assert_int_equal(rh__klu_solve(&klu, b, 1), RH_OK);
        assert_true(b[0] == 1 && b[1] == 1);
        double wrong[] = {(double)NAN, 1};
        assert_int_equal(rh__klu_solve(&klu, wrong, 1), RH_OK);
        assert_true(isnan(wrong[0]) && isnan(wrong[1]));
        rh__sparse_fill(&sparse, singular[k]);
        assert_int_equal(rh__klu_refactor(&klu, &sparse), RH_OK);
        assert_true(klu.rcond == 0.0);
        rh__klu_destroy(&klu);
    }
    end_bench(&on);
}

static void patterns_may_be_singular_or_empty(void **state)
{
    (void)state;
    bench on = begin_bench("patterns_may_be_singular_or_empty");
    rh_sparse sparse;
    rh_klu klu;
    const uint32_t row[] = {0, 0, 1, 2};
    const uint32_t column[] = {0, 1, 2, 2};
    const double value[] = {1, 2, 3, 4};
    assert_int_equal(rh__sparse_create(&on.arena, 3, 3, 4, row, column, &sparse), RH_OK);
    rh__sparse_fill(&sparse, value);
    assert_int_equal(rh__klu_create(&sparse, &klu), RH_OK);
    assert_true(klu.rcond == 0.0);
    rh__klu_destroy(&klu);

    assert_int_equal(rh__sparse_create(&on.arena, 3, 3, 0, NULL, NULL, &sparse), RH_OK);
    assert_int_equal(rh__klu_create(&sparse, &klu), RH_OK);
    assert_true(klu.rcond == 0.0);
    rh__klu_destroy(&klu);

    assert_int_equal(rh__sparse_create(&on.arena, 0, 0, 0, NULL, NULL, &sparse), RH_OK);
    assert_int_equal(rh__klu_create(&sparse, &klu), RH_OK);
    assert_true(klu.rcond == 1.0);
    assert_int_equal(rh__klu_refactor(&klu, &sparse), RH_OK);
    assert_int_equal(rh__klu_solve(&klu, NULL, 3), RH_OK);
    rh__klu_destroy(&klu);

    assert_int_equal(rh__sparse_create(&on.arena, 3, 4, 4, row, column, &sparse), RH_OK);
    assert_int_equal(rh__klu_create(&sparse, &klu), RH_E_ARGUMENT);
    rh__klu_destroy(&klu);
    end_bench(&on);
}

// --- memory ----------------------------------------------------------------------------------

#ifdef CAN_FAIL_SUITESPARSE
static size_t request_count;
static size_t fail_at;

static void *fail_malloc(size_t size)
{
    return ++request_count == fail_at ? NULL : malloc(size);
}

static void *fail_realloc(void *memory, size_t size)
{
    return ++request_count == fail_at ? NULL : realloc(memory, size);
}

static void *fail_calloc(size_t count, size_t size)
{
    return ++request_count == fail_at ? NULL : calloc(count, size);
}

static void refused_memory_is_a_status(void **state)
{
    (void)state;
    bench on = begin_bench("refused_memory_is_a_status");
    const problem p = random_problem(&on);
    SuiteSparse_config.malloc_func = fail_malloc;
    SuiteSparse_config.realloc_func = fail_realloc;
    SuiteSparse_config.calloc_func = fail_calloc;
    bool is_done = false;
    for (fail_at = 1; !is_done; fail_at++) {
        request_count = 0;
        rh_klu klu;
        const rh_status status = rh__klu_create(&p.sparse, &klu);
        is_done = request_count < fail_at;
        // a refused enlargement need not be a failure
        assert_true(status == RH_OK || (status == RH_E_MEMORY && klu.core == NULL));
        assert_true(!is_done || (status == RH_OK && fail_at > 10));
        request_count = 0;
        if (status == RH_OK) {
            fail_at += 1000;
            assert_int_equal(rh__klu_refactor(&klu, &p.sparse), RH_OK);
            fail_at -= 1000;
            assert_int_equal(request_count, 0); // nothing is allocated on the way
        }
        rh__klu_destroy(&klu);
    }
    SuiteSparse_config.malloc_func = malloc;
    SuiteSparse_config.realloc_func = realloc;
    SuiteSparse_config.calloc_func = calloc;
    end_bench(&on);
}
#endif

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_systems_are_solved),
        cmocka_unit_test(badly_scaled_systems_are_solved),
        cmocka_unit_test(refactoring_agrees_with_factoring),
        cmocka_unit_test(earlier_values_are_forgotten),
        cmocka_unit_test(old_pivots_are_given_up),
        cmocka_unit_test(singular_is_a_number),
        cmocka_unit_test(patterns_may_be_singular_or_empty),
#ifdef CAN_FAIL_SUITESPARSE
        cmocka_unit_test(refused_memory_is_a_status),
#endif
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
