// SPDX-License-Identifier: Apache-2.0
// Tests of src/numeric/echelon.c: the span stays, every pivot stands alone in its row.

#include "support.h"

#include "numeric/numeric.h"

#include <math.h>

enum { ROWS = 7, COLUMNS = 3, TRIES = 50 };

// How much of `a` lies outside the span of `b`, both ROWS x COLUMNS.
static double outside(rh_arena *arena, const double *a, const double *b)
{
    rh_svd svd;
    double worst = 0.0;
    assert_int_equal(rh__svd_create(arena, ROWS, COLUMNS, b, &svd), RH_OK);
    const uint32_t rank = rh__svd_rank(&svd, 1e-12);
    for (uint32_t j = 0; j < COLUMNS; j++) {
        for (uint32_t k = rank; k < ROWS; k++) {
            worst = fmax(
                worst, fabs(rh__vector_dot(ROWS, svd.u + (size_t)k * ROWS, a + (size_t)j * ROWS)));
        }
    }
    return worst;
}

static void the_span_stays(void **state)
{
    (void)state;
    rh_random random = rh__random_begin(5);
    rh_arena arena = rh__arena_begin(rh_allocator_default(), SIZE_MAX);
    for (uint32_t k = 0; k < TRIES; k++) {
        double a[ROWS * COLUMNS];
        double b[ROWS * COLUMNS];
        for (size_t i = 0; i < ROWS * COLUMNS; i++) {
            a[i] = b[i] = rh__random_normal(&random);
        }
        rh__echelon(ROWS, COLUMNS, 1e-9, k % 2 == 1, b);
        assert_true(outside(&arena, a, b) < 1e-11 && outside(&arena, b, a) < 1e-9);
        for (uint32_t j = 0; j < COLUMNS; j++) {
            const uint32_t row = k % 2 == 1 ? ROWS - 1 - j : j;
            for (uint32_t c = 0; c < COLUMNS; c++) {
                assert_near(b[row + c * ROWS], c == j ? 1.0 : 0.0, 1e-12);
            }
        }
    }
    rh__arena_end(&arena);
}

static void rows_have_length_one(void **state)
{
    (void)state;
    double a[] = {3.0, 0.0, 1e-200, 4.0, 0.0, 0.0};
    rh__matrix_scale_rows(3, 2, a);
    const double expected[] = {0.6, 0.0, 1.0, 0.8, 0.0, 0.0};
    for (size_t k = 0; k < 6; k++) {
        assert_near(a[k], expected[k], 1e-15);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_span_stays),
        cmocka_unit_test(rows_have_length_one),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
