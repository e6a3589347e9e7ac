// SPDX-License-Identifier: Apache-2.0
// Tests of src/numeric/reveal.c: ranks do not depend on units, and the pseudo-inverse is one.

#include "support.h"

#include "numeric/numeric.h"

#include <math.h>
#include <string.h>

enum { MOST = 12, TRIES = 400 };

typedef struct problem {
    uint32_t n;
    double a[MOST * MOST], inverse[MOST * MOST], noise[MOST * MOST];
    double row[MOST], column[MOST];
    bool is_own[MOST];
} problem;

static rh_reveal reveal(rh_arena *arena, problem *it)
{
    rh_reveal out;
    rh__reveal_scales(it->n, it->a, it->is_own, it->row, it->column);
    const rh_reveal_problem def = {.n = it->n,
                                   .matrix = it->a,
                                   .noise = it->noise,
                                   .row_scale = it->row,
                                   .column_scale = it->column,
                                   .inverse = it->inverse};
    assert_int_equal(rh__reveal(arena, &def, &out), RH_OK);
    return out;
}

// [W J^T; J 0] with `links` rows J, the last of which depend on the first `rank` ones; unknowns and
// equations in units of 10^-reach ... 10^reach.
static void draw_saddle(rh_random *random, uint32_t masses, uint32_t links, uint32_t rank,
                        double reach, problem *it)
{
    const uint32_t n = masses + links;
    double unit[MOST];
    memset(it, 0, sizeof *it);
    it->n = n;
    for (uint32_t i = 0; i < masses; i++) {
        it->is_own[i] = true;
        it->a[i + i * n] = 0.5 + rh__random_uniform(random, 0.0, 1.0);
    }
    for (uint32_t k = 0; k < links; k++) {
        for (uint32_t i = 0; i < masses; i++) {
            double value = k < rank ? rh__random_normal(random) : 0.0;
            for (uint32_t j = 0; k >= rank && j < rank; j++) {
                value += cos(1.0 + k + 3.0 * j) * it->a[i + (masses + j) * n];
            }
            it->a[i + (masses + k) * n] = it->a[masses + k + i * n] = value;
        }
    }
    for (uint32_t i = 0; i < n; i++) {
        unit[i] = pow(10.0, reach * (2.0 * rh__random_uniform(random, 0.0, 1.0) - 1.0));
    }
    for (uint32_t i = 0; i < n; i++) {
        for (uint32_t j = 0; j < n; j++) {
            it->a[i + j * n] *= unit[i] * unit[j];
        }
    }
    // a sum of products of entries is as uncertain as its terms
    for (uint32_t k = rank; k < links; k++) {
        for (uint32_t i = 0; i < masses; i++) {
            double size = 0.0;
            for (uint32_t j = 0; j < rank; j++) {
                size += fabs(cos(1.0 + k + 3.0 * j) * it->a[i + (masses + j) * n]) /
                        unit[masses + j] * unit[masses + k];
            }
            it->noise[i + (masses + k) * n] = it->noise[masses + k + i * n] = 4e-16 * size;
        }
    }
}

static void ranks_do_not_depend_on_units(void **state)
{
    (void)state;
    rh_random random = rh__random_begin(7);
    rh_arena arena = rh__arena_begin(rh_allocator_default(), SIZE_MAX);
    for (uint32_t k = 0; k < TRIES; k++) {
        problem it;
        const uint32_t masses = 2 + k % 5;
        const uint32_t links = 1 + k % 6;
        const uint32_t rank = links <= masses && k % 3 != 0 ? links
                              : links < masses              ? (links + 1) / 2
                                                            : (masses + 1) / 2;
        draw_saddle(&random, masses, links, rank, (double)(k % 10), &it);
        const rh_reveal found = reveal(&arena, &it);
        if (found.rank != masses + rank) {
            print_error("try %u: %u masses, %u links, rank %u of them, found %u\n", k, masses,
                        links, rank, found.rank);
            fail();
        }
        for (uint32_t i = 0; i < masses; i++) {
            assert_false(found.is_loose[i]);
        }
    }
    rh__arena_end(&arena);
}

// More links than masses are dependent whatever their rows are.
static void there_are_no_more_than_columns(void **state)
{
    (void)state;
    rh_random random = rh__random_begin(8);
    rh_arena arena = rh__arena_begin(rh_allocator_default(), SIZE_MAX);
    for (uint32_t k = 0; k < TRIES; k++) {
        problem it;
        const uint32_t masses = 1 + k % 5;
        const uint32_t links = masses + 1 + k % 2;
        draw_saddle(&random, masses, links, links, (double)(k % 10), &it);
        assert_int_equal(reveal(&arena, &it).rank, 2 * masses);
    }
    rh__arena_end(&arena);
}

static void multiply(uint32_t n, const double *a, const double *b, double *out)
{
    for (uint32_t i = 0; i < n; i++) {
        for (uint32_t j = 0; j < n; j++) {
            out[i + j * n] = 0.0;
            for (uint32_t k = 0; k < n; k++) {
                out[i + j * n] += a[i + k * n] * b[k + j * n];
            }
        }
    }
}

// A X A = A, X A X = X, and both products are symmetric in the scaled unknowns and equations.
static void the_inverse_is_that_of_moore_and_penrose(void **state)
{
    (void)state;
    rh_random random = rh__random_begin(9);
    rh_arena arena = rh__arena_begin(rh_allocator_default(), SIZE_MAX);
    for (uint32_t t = 0; t < TRIES; t++) {
        problem it;
        double x[MOST * MOST], ax[MOST * MOST], xa[MOST * MOST], again[MOST * MOST];
        draw_saddle(&random, 5, 1 + t % 5, 1 + t % 3 < 1 + t % 5 ? 1 + t % 3 : 1 + t % 5, 0.0, &it);
        (void)reveal(&arena, &it);
        const uint32_t n = it.n;
        for (uint32_t i = 0; i < n; i++) {
            for (uint32_t j = 0; j < n; j++) {
                x[i + j * n] = it.inverse[i * n + j];
            }
        }
        multiply(n, it.a, x, ax);
        multiply(n, x, it.a, xa);
        multiply(n, ax, it.a, again);
        for (uint32_t i = 0; i < n; i++) {
            for (uint32_t j = 0; j < n; j++) {
                assert_near(again[i + j * n], it.a[i + j * n], 1e-9);
                assert_near(ax[i + j * n] * it.row[i] / it.row[j],
                            ax[j + i * n] * it.row[j] / it.row[i], 1e-9);
                assert_near(xa[i + j * n] * it.column[j] / it.column[i],
                            xa[j + i * n] * it.column[i] / it.column[j], 1e-9);
            }
        }
    }
    rh__arena_end(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ranks_do_not_depend_on_units),
        cmocka_unit_test(there_are_no_more_than_columns),
        cmocka_unit_test(the_inverse_is_that_of_moore_and_penrose),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
