// SPDX-License-Identifier: Apache-2.0
// Property tests of src/numeric/sparse.c: a dense matrix, to which every triplet is added, is the
// judge.

#include "numeric/helpers.h"

enum { ROUNDS = 100, LARGEST = 30 };

typedef struct triplets {
    uint32_t rows, columns, count;
    uint32_t *row, *column;
    double *value;
    double *dense; // rows x columns
} triplets;

// Small integers as values, so that sums are exact.
static triplets random_triplets(bench *on)
{
    support_random *random = &on->random;
    triplets t = {.rows = 1 + support_random_below(random, LARGEST),
                  .columns = 1 + support_random_below(random, LARGEST),
                  .count = support_random_below(random, 4 * LARGEST)};
    t.row = rh__arena_array(&on->arena, uint32_t, t.count);
    t.column = rh__arena_array(&on->arena, uint32_t, t.count);
    t.value = new_numbers(on, t.count);
    t.dense = new_numbers(on, (size_t)t.rows * t.columns);
    for (uint32_t k = 0; k < t.count; k++) {
        t.row[k] = support_random_below(random, t.rows);
        t.column[k] = support_random_below(random, t.columns);
        t.value[k] = (double)support_random_below(random, 21) - 10.0;
        t.dense[t.row[k] + (size_t)t.column[k] * t.rows] += t.value[k];
    }
    return t;
}

static rh_sparse make_sparse(bench *on, const triplets *t)
{
    rh_sparse sparse;
    assert_int_equal(
        rh__sparse_create(&on->arena, t->rows, t->columns, t->count, t->row, t->column, &sparse),
        RH_OK);
    rh__sparse_fill(&sparse, t->value);
    return sparse;
}

static void entries_are_sorted_sums_of_triplets(void **state)
{
    (void)state;
    bench on = begin_bench("entries_are_sorted_sums_of_triplets");
    for (int round = 0; round < ROUNDS; round++) {
        const triplets t = random_triplets(&on);
        rh_sparse sparse = make_sparse(&on, &t);
        assert_int_equal(sparse.start[0], 0);
        assert_int_equal(sparse.start[t.columns], sparse.count);
        double *back = new_numbers(&on, (size_t)t.rows * t.columns);
        for (uint32_t j = 0; j < t.columns; j++) {
            for (uint32_t k = sparse.start[j]; k < sparse.start[j + 1]; k++) {
                assert_true(k == sparse.start[j] || sparse.row[k - 1] < sparse.row[k]);
                back[sparse.row[k] + (size_t)j * t.rows] = sparse.value[k];
            }
        }
        for (size_t k = 0; k < (size_t)t.rows * t.columns; k++) {
            assert_true(back[k] == t.dense[k]);
        }
        // filling again replaces, and does not add
        rh__sparse_fill(&sparse, t.value);
        for (uint32_t k = 0; k < t.count; k++) {
            const double expected = t.dense[t.row[k] + (size_t)t.column[k] * t.rows];
            assert_int_equal(sparse.row[sparse.slot[k]], t.row[k]);
            assert_true(sparse.value[sparse.slot[k]] == expected);
        }
    }
    end_bench(&on);
}

static void products_agree_with_dense_ones(void **state)
{
    (void)state;
    bench on = begin_bench("products_agree_with_dense_ones");
    for (int round = 0; round < ROUNDS; round++) {
        const triplets t = random_triplets(&on);
        const rh_sparse sparse = make_sparse(&on, &t);
        const double *x = random_numbers(&on, t.columns);
        double *y = random_numbers(&on, t.rows);
        rh__sparse_multiply(&sparse, x, y);
        const double *expected = product(&on, t.rows, t.columns, 1, t.dense, x);
        for (uint32_t i = 0; i < t.rows; i++) {
            assert_near(y[i], expected[i], 1e-13);
        }
        const double *left = random_numbers(&on, t.rows);
        double *z = random_numbers(&on, t.columns);
        rh__sparse_multiply_transposed(&sparse, left, z);
        expected = product(&on, 1, t.rows, t.columns, left, t.dense);
        for (uint32_t j = 0; j < t.columns; j++) {
            assert_near(z[j], expected[j], 1e-13);
        }
    }
    end_bench(&on);
}

static void edges_are_answered(void **state)
{
    (void)state;
    bench on = begin_bench("edges_are_answered");
    rh_sparse sparse;
    assert_int_equal(rh__sparse_create(&on.arena, 0, 0, 0, NULL, NULL, &sparse), RH_OK);
    assert_int_equal(sparse.start[0], 0);
    rh__sparse_fill(&sparse, NULL);
    rh__sparse_multiply(&sparse, NULL, NULL);
    assert_int_equal(rh__sparse_create(&on.arena, 2, 0, 0, NULL, NULL, &sparse), RH_OK);
    double y[] = {1, 1};
    rh__sparse_multiply(&sparse, NULL, y);
    assert_true(y[0] == 0.0 && y[1] == 0.0);
    const uint32_t outside = 2;
    const uint32_t inside = 0;
    assert_int_equal(rh__sparse_create(&on.arena, 2, 2, 1, &outside, &inside, &sparse),
                     RH_E_ARGUMENT);
    assert_int_equal(rh__sparse_create(&on.arena, 2, 2, 1, &inside, &outside, &sparse),
                     RH_E_ARGUMENT);
    assert_int_equal(rh__sparse_create(&on.arena, UINT32_MAX, 2, 0, NULL, NULL, &sparse),
                     RH_E_LIMIT);
    end_bench(&on);
}

static void refused_memory_is_a_status(void **state)
{
    (void)state;
    enum { COUNT = 30000 };
    bench on = begin_bench("refused_memory_is_a_status");
    uint32_t *index = rh__arena_array(&on.arena, uint32_t, COUNT);
    for (uint32_t k = 0; k < COUNT; k++) {
        index[k] = k;
    }
    bool is_done = false;
    for (size_t fail_at = 1; !is_done; fail_at++) {
        support_memory memory = {.fail_at = fail_at};
        rh_arena arena = rh__arena_begin(support_memory_allocator(&memory), SIZE_MAX / 2);
        rh_sparse sparse;
        const rh_status status =
            rh__sparse_create(&arena, COUNT, COUNT, COUNT, index, index, &sparse);
        is_done = status == RH_OK;
        assert_true(is_done || (status == RH_E_MEMORY && arena.chunks == NULL));
        assert_true(!is_done || fail_at > 5);
        rh__arena_end(&arena);
        assert_int_equal(memory.block_count, 0);
    }
    end_bench(&on);
}

// No two columns of one colour have a row in common, and every colour is used.
static void columns_of_a_colour_have_no_common_row(void **state)
{
    (void)state;
    bench on = begin_bench("columns_of_a_colour_have_no_common_row");
    for (int round = 0; round < ROUNDS; round++) {
        const triplets t = random_triplets(&on);
        const rh_sparse sparse = make_sparse(&on, &t);
        uint32_t *colour = rh__arena_array(&on.arena, uint32_t, t.columns);
        bool *is_used = rh__arena_array(&on.arena, bool, (size_t)t.columns *t.rows);
        uint32_t count = 0;
        assert_int_equal(rh__sparse_colour(&on.arena, &sparse, colour, &count), RH_OK);
        uint32_t most = 0;
        for (uint32_t j = 0; j < t.columns; j++) {
            assert_true(colour[j] < count);
            most = colour[j] > most ? colour[j] : most;
            for (uint32_t k = sparse.start[j]; k < sparse.start[j + 1]; k++) {
                bool *used = &is_used[sparse.row[k] + (size_t)colour[j] * t.rows];
                assert_false(*used);
                *used = true;
            }
        }
        assert_int_equal(most + 1, count);
    }
    end_bench(&on);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(entries_are_sorted_sums_of_triplets),
        cmocka_unit_test(products_agree_with_dense_ones),
        cmocka_unit_test(columns_of_a_colour_have_no_common_row),
        cmocka_unit_test(edges_are_answered),
        cmocka_unit_test(refused_memory_is_a_status),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
