// SPDX-License-Identifier: Apache-2.0
// Unit and property tests of src/numeric/dense.c and scale.c: residuals, orthogonality, ranks that
// were built in, empty and unbounded input, refused memory.

#include "numeric/helpers.h"

enum { ROUNDS = 60, LARGEST = 40 };

static uint32_t random_size(bench *on)
{
    return 1 + support_random_below(&on->random, LARGEST);
}

// --- vectors ---------------------------------------------------------------------------------

static void norm_neither_overflows_nor_underflows(void **state)
{
    (void)state;
    const double large[] = {3e300, -4e300};
    const double small[] = {3e-310, 4e-310};
    const double wrong[] = {1.0, (double)NAN, (double)INFINITY};
    const double endless[] = {1.0, -(double)INFINITY};
    assert_near_by(rh__vector_norm(2, large), 5e300, 1e-15, 0.0);
    assert_near_by(rh__vector_norm(2, small), 5e-310, 1e-12, 0.0);
    assert_true(isnan(rh__vector_norm(3, wrong)));
    assert_true(isinf(rh__vector_norm(2, endless)));
    assert_true(rh__vector_norm(0, NULL) == 0.0);
    assert_true(rh__vector_dot(2, large, small) < 0.0);
    assert_false(rh__vector_is_finite(3, wrong));
    assert_true(rh__vector_is_finite(2, large));
}

// --- LU --------------------------------------------------------------------------------------

static void check_solve(bench *on, uint32_t n, const double *a)
{
    const uint32_t columns = 3;
    const double *b = random_numbers(on, (size_t)n * columns);
    double *x = new_numbers(on, (size_t)n * columns);
    memcpy(x, b, sizeof *x * n * columns);
    rh_lu lu;
    assert_int_equal(rh__lu_create(&on->arena, n, a, &lu), RH_OK);
    assert_true(lu.rcond > 0.0 && lu.rcond <= 1.0);
    assert_int_equal(rh__lu_solve(&lu, x, columns), RH_OK);
    for (size_t c = 0; c < columns; c++) {
        const double error = backward_error(on, n, a, x + c * n, b + c * n);
        assert_near_by(error, 0.0, 0.0, 8 * n * DBL_EPSILON);
    }
}

static void random_systems_are_solved(void **state)
{
    (void)state;
    bench on = begin_bench("random_systems_are_solved");
    for (int round = 0; round < ROUNDS; round++) {
        const uint32_t n = random_size(&on);
        check_solve(&on, n, random_numbers(&on, (size_t)n * n));
    }
    end_bench(&on);
}

// Elements are away from zero, so that a row can be recognised by any one of them: then the scaling
// is undone up to a factor of 8 on each side, and the condition is about that of the plain matrix.
static void badly_scaled_systems_are_solved(void **state)
{
    (void)state;
    bench on = begin_bench("badly_scaled_systems_are_solved");
    for (int round = 0; round < ROUNDS; round++) {
        const uint32_t n = random_size(&on);
        double *a = random_numbers(&on, (size_t)n * n);
        for (size_t k = 0; k < (size_t)n * n; k++) {
            a[k] += copysign(0.3, a[k]);
        }
        rh_lu plain;
        assert_int_equal(rh__lu_create(&on.arena, n, a, &plain), RH_OK);
        double *scaled = new_numbers(&on, (size_t)n * n);
        int row_exponent[LARGEST + 1];
        int column_exponent[LARGEST + 1];
        for (uint32_t k = 0; k < n; k++) {
            row_exponent[k] = (int)support_random_below(&on.random, 401) - 200;
            column_exponent[k] = (int)support_random_below(&on.random, 401) - 200;
        }
        for (size_t k = 0; k < (size_t)n * n; k++) {
            scaled[k] = ldexp(a[k], row_exponent[k % n] + column_exponent[k / n]);
        }
        check_solve(&on, n, scaled);
        rh_lu lu;
        assert_int_equal(rh__lu_create(&on.arena, n, scaled, &lu), RH_OK);
        assert_true(lu.rcond > plain.rcond * 1e-3);
    }
    end_bench(&on);
}

static void extreme_sizes_keep_their_digits(void **state)
{
    (void)state;
    bench on = begin_bench("extreme_sizes_keep_their_digits");
    const double a[] = {1e300, 1e-300, 3e-10, 2e300};
    double b[] = {1e-5 * 1e300, 1e-5 * 1e-300};
    rh_lu lu;
    assert_int_equal(rh__lu_create(&on.arena, 2, a, &lu), RH_OK);
    assert_true(lu.rcond > 0.1);
    assert_int_equal(rh__lu_solve(&lu, b, 1), RH_OK);
    assert_near_by(b[0], 1e-5, 1e-14, 0.0);

    const double tiny[] = {3e-308};
    double right[] = {6e-308};
    assert_int_equal(rh__lu_create(&on.arena, 1, tiny, &lu), RH_OK);
    assert_int_equal(rh__lu_solve(&lu, right, 1), RH_OK);
    assert_near_by(right[0], 2.0, 1e-14, 0.0);
    end_bench(&on);
}

// Of the Hilbert matrix of order 8, whose condition in the 1-norm is 3.4e10.
static void rcond_is_an_estimate(void **state)
{
    (void)state;
    bench on = begin_bench("rcond_is_an_estimate");
    enum { N = 8 };
    double a[N * N];
    for (int k = 0; k < N * N; k++) {
        a[k] = 1.0 / (1 + k % N + k / N);
    }
    rh_lu lu;
    assert_int_equal(rh__lu_create(&on.arena, N, a, &lu), RH_OK);
    assert_true(lu.rcond > 1e-12 && lu.rcond < 1e-8);
    end_bench(&on);
}

static void singular_is_a_number(void **state)
{
    (void)state;
    bench on = begin_bench("singular_is_a_number");
    const double singular[][4] = {{1, 2, 2, 4},
                                  {0, 0, 0, 0},
                                  {0, 0, 1, 1},
                                  {1, 0, 0, (double)NAN},
                                  {1, (double)INFINITY, 0, 1}};
    for (size_t k = 0; k < sizeof singular / sizeof *singular; k++) {
        rh_lu lu;
        assert_int_equal(rh__lu_create(&on.arena, 2, singular[k], &lu), RH_OK);
        assert_true(lu.rcond == 0.0);
        double b[] = {1, 2};
        assert_int_equal(rh__lu_solve(&lu, b, 1), RH_E_ARGUMENT);
        assert_true(b[0] == 1 && b[1] == 2);

        const double sound[] = {2, 0, 0, 4};
        rh__lu_refactor(&lu, sound);
        assert_true(lu.rcond > 0.4);
        assert_int_equal(rh__lu_solve(&lu, b, 1), RH_OK);
        assert_true(b[0] == 0.5 && b[1] == 0.5);
        double wrong[] = {(double)NAN, 1, 2, 4};
        assert_int_equal(rh__lu_solve(&lu, wrong, 2), RH_OK);
        assert_true(isnan(wrong[0]) && isnan(wrong[1]) && wrong[2] == 1 && wrong[3] == 1);
    }
    end_bench(&on);
}

// --- SVD -------------------------------------------------------------------------------------

static void check_orthogonal(uint32_t n, const double *q)
{
    for (size_t i = 0; i < n; i++) {
        for (size_t j = 0; j <= i; j++) {
            const double expected = i == j ? 1.0 : 0.0;
            assert_near(rh__vector_dot(n, q + i * n, q + j * n), expected, 1e-13);
        }
    }
}

static void check_reconstruction(const rh_svd *svd, const double *a)
{
    const size_t rows = svd->rows;
    for (size_t i = 0; i < rows; i++) {
        for (size_t j = 0; j < svd->columns; j++) {
            double sum = 0.0;
            for (size_t k = 0; k < svd->count; k++) {
                sum += svd->u[i + k * rows] * svd->values[k] * svd->v[j + k * svd->columns];
            }
            assert_near_by(sum, a[i + j * rows], 0.0, 1e-13 * (1.0 + svd->values[0]));
        }
    }
}

// A product of random matrices through a bottleneck of width `rank`.
static double *random_of_rank(bench *on, uint32_t rows, uint32_t columns, uint32_t rank)
{
    const double *left = random_numbers(on, (size_t)rows * rank);
    const double *right = random_numbers(on, (size_t)rank * columns);
    return product(on, rows, rank, columns, left, right);
}

static void ranks_are_found(void **state)
{
    (void)state;
    bench on = begin_bench("ranks_are_found");
    for (int round = 0; round < ROUNDS; round++) {
        const uint32_t rows = random_size(&on);
        const uint32_t columns = random_size(&on);
        const uint32_t most = rows < columns ? rows : columns;
        const uint32_t rank = support_random_below(&on.random, most + 1);
        const double *a = random_of_rank(&on, rows, columns, rank);
        rh_svd svd;
        assert_int_equal(rh__svd_create(&on.arena, rows, columns, a, &svd), RH_OK);
        check_orthogonal(rows, svd.u);
        check_orthogonal(columns, svd.v);
        check_reconstruction(&svd, a);
        assert_int_equal(rh__svd_rank(&svd, 1e-13), rank);
        rh_qr qr;
        assert_int_equal(rh__qr_create(&on.arena, rows, columns, a, &qr), RH_OK);
        assert_int_equal(rh__qr_rank(&qr, 1e-13), rank);
    }
    end_bench(&on);
}

static void null_spaces_are_the_last_columns(void **state)
{
    (void)state;
    bench on = begin_bench("null_spaces_are_the_last_columns");
    const uint32_t rows = 7;
    const uint32_t columns = 9;
    const uint32_t rank = 4;
    const double *a = random_of_rank(&on, rows, columns, rank);
    rh_svd svd;
    assert_int_equal(rh__svd_create(&on.arena, rows, columns, a, &svd), RH_OK);
    for (uint32_t k = rank; k < columns; k++) {
        const double *image = product(&on, rows, columns, 1, a, svd.v + k * columns);
        assert_near(rh__vector_norm(rows, image), 0.0, 1e-13);
    }
    for (uint32_t k = rank; k < rows; k++) {
        const double *image = product(&on, 1, rows, columns, svd.u + k * rows, a);
        assert_near(rh__vector_norm(columns, image), 0.0, 1e-13);
    }
    end_bench(&on);
}

// The residual is normal to the range, and the solution to the null space.
static void least_squares_are_shortest(void **state)
{
    (void)state;
    bench on = begin_bench("least_squares_are_shortest");
    for (int round = 0; round < ROUNDS; round++) {
        const uint32_t rows = random_size(&on);
        const uint32_t columns = random_size(&on);
        const uint32_t most = rows < columns ? rows : columns;
        const uint32_t rank = support_random_below(&on.random, most + 1);
        const double *a = random_of_rank(&on, rows, columns, rank);
        double *b = random_numbers(&on, rows);
        double *x = new_numbers(&on, columns);
        rh_svd svd;
        assert_int_equal(rh__svd_create(&on.arena, rows, columns, a, &svd), RH_OK);
        rh__svd_solve(&svd, rank, b, x);
        const double *image = product(&on, rows, columns, 1, a, x);
        for (size_t i = 0; i < rows; i++) {
            b[i] -= image[i];
        }
        const double size = 1.0 + rh__vector_norm(columns, x) * (rank > 0 ? svd.values[0] : 1.0);
        for (size_t k = 0; k < rank; k++) {
            assert_near(rh__vector_dot(rows, svd.u + k * rows, b) / size, 0.0, 1e-12);
        }
        for (size_t k = rank; k < columns; k++) {
            assert_near(rh__vector_dot(columns, svd.v + k * columns, x) / size, 0.0, 1e-12);
        }
    }
    end_bench(&on);
}

static void independent_columns_come_first(void **state)
{
    (void)state;
    bench on = begin_bench("independent_columns_come_first");
    const uint32_t rows = 8;
    const uint32_t columns = 12;
    const uint32_t rank = 5;
    const double *a = random_of_rank(&on, rows, columns, rank);
    rh_qr qr;
    assert_int_equal(rh__qr_create(&on.arena, rows, columns, a, &qr), RH_OK);
    double *chosen = new_numbers(&on, (size_t)rows * rank);
    bool is_seen[12] = {false};
    for (uint32_t k = 0; k < columns; k++) {
        assert_true(qr.permutation[k] < columns && !is_seen[qr.permutation[k]]);
        is_seen[qr.permutation[k]] = true;
    }
    for (uint32_t k = 0; k < rank; k++) {
        memcpy(chosen + k * rows, a + (size_t)qr.permutation[k] * rows, sizeof *a * rows);
        assert_true(k == 0 || qr.diagonal[k] <= qr.diagonal[k - 1] * (1 + 1e-12));
    }
    rh_svd svd;
    assert_int_equal(rh__svd_create(&on.arena, rows, rank, chosen, &svd), RH_OK);
    assert_int_equal(rh__svd_rank(&svd, 1e-13), rank);
    end_bench(&on);
}

// --- edges -----------------------------------------------------------------------------------

static void empty_matrices_are_fine(void **state)
{
    (void)state;
    bench on = begin_bench("empty_matrices_are_fine");
    const uint32_t sizes[][2] = {{0, 0}, {0, 3}, {4, 0}};
    for (size_t k = 0; k < 3; k++) {
        rh_svd svd;
        assert_int_equal(rh__svd_create(&on.arena, sizes[k][0], sizes[k][1], NULL, &svd), RH_OK);
        check_orthogonal(sizes[k][0], svd.u);
        check_orthogonal(sizes[k][1], svd.v);
        assert_int_equal(rh__svd_rank(&svd, 0.0), 0);
        double x[3] = {1, 1, 1};
        const double b[4] = {1, 1, 1, 1};
        rh__svd_solve(&svd, 0, b, x);
        assert_true(x[0] == (sizes[k][1] > 0 ? 0.0 : 1.0));
        rh_qr qr;
        assert_int_equal(rh__qr_create(&on.arena, sizes[k][0], sizes[k][1], NULL, &qr), RH_OK);
        assert_int_equal(rh__qr_rank(&qr, 0.0), 0);
        assert_true(sizes[k][1] == 0 || qr.permutation[2] == 2);
    }
    rh_lu lu;
    assert_int_equal(rh__lu_create(&on.arena, 0, NULL, &lu), RH_OK);
    assert_true(lu.rcond == 1.0);
    assert_int_equal(rh__lu_solve(&lu, NULL, 2), RH_OK);
    end_bench(&on);
}

static void unbounded_input_is_refused(void **state)
{
    (void)state;
    bench on = begin_bench("unbounded_input_is_refused");
    const double wrong[] = {(double)NAN, (double)INFINITY, -(double)INFINITY};
    for (size_t k = 0; k < 3; k++) {
        double *a = random_numbers(&on, 30);
        a[support_random_below(&on.random, 30)] = wrong[k];
        rh_svd svd;
        rh_qr qr;
        assert_int_equal(rh__svd_create(&on.arena, 5, 6, a, &svd), RH_E_ARGUMENT);
        assert_int_equal(rh__svd_rank(&svd, 1e-10), 0);
        assert_int_equal(rh__qr_create(&on.arena, 5, 6, a, &qr), RH_E_ARGUMENT);
        assert_int_equal(rh__qr_rank(&qr, 1e-10), 0);
    }
    rh_lu lu;
    rh_svd svd;
    rh_qr qr;
    assert_int_equal(rh__lu_create(&on.arena, RH_DENSE_LIMIT + 1, NULL, &lu), RH_E_LIMIT);
    assert_int_equal(rh__svd_create(&on.arena, 1, UINT32_MAX, NULL, &svd), RH_E_LIMIT);
    assert_int_equal(rh__qr_create(&on.arena, UINT32_MAX, 1, NULL, &qr), RH_E_LIMIT);
    end_bench(&on);
}

static void huge_and_tiny_matrices_have_ranks(void **state)
{
    (void)state;
    bench on = begin_bench("huge_and_tiny_matrices_have_ranks");
    const double sizes[] = {1e-300, 1e300};
    for (size_t k = 0; k < 2; k++) {
        double *a = random_of_rank(&on, 6, 5, 3);
        for (int i = 0; i < 30; i++) {
            a[i] *= sizes[k];
        }
        rh_svd svd;
        rh_qr qr;
        assert_int_equal(rh__svd_create(&on.arena, 6, 5, a, &svd), RH_OK);
        assert_int_equal(rh__svd_rank(&svd, 1e-12), 3);
        assert_int_equal(rh__qr_create(&on.arena, 6, 5, a, &qr), RH_OK);
        assert_int_equal(rh__qr_rank(&qr, 1e-12), 3);
    }
    end_bench(&on);
}

static void same_input_gives_same_bits(void **state)
{
    (void)state;
    bench on = begin_bench("same_input_gives_same_bits");
    enum { N = 33 };
    const double *a = random_numbers(&on, N * N);
    rh_svd first;
    rh_svd second;
    assert_int_equal(rh__svd_create(&on.arena, N, N, a, &first), RH_OK);
    (void)new_numbers(&on, 1); // another place in memory
    assert_int_equal(rh__svd_create(&on.arena, N, N, a, &second), RH_OK);
    assert_memory_equal(first.u, second.u, sizeof *a * N * N);
    assert_memory_equal(first.v, second.v, sizeof *a * N * N);
    rh_lu one;
    rh_lu two;
    assert_int_equal(rh__lu_create(&on.arena, N, a, &one), RH_OK);
    (void)new_numbers(&on, 1);
    assert_int_equal(rh__lu_create(&on.arena, N, a, &two), RH_OK);
    assert_memory_equal(one.factor, two.factor, sizeof *a * N * N);
    assert_true(one.rcond == two.rcond);
    end_bench(&on);
}

// --- memory ----------------------------------------------------------------------------------

typedef rh_status (*maker)(rh_arena *arena, const double *a);

enum { SIDE = 150 };

static rh_status make_lu(rh_arena *arena, const double *a)
{
    rh_lu lu;
    return rh__lu_create(arena, SIDE, a, &lu);
}

static rh_status make_svd(rh_arena *arena, const double *a)
{
    rh_svd svd;
    return rh__svd_create(arena, SIDE, SIDE, a, &svd);
}

static rh_status make_qr(rh_arena *arena, const double *a)
{
    rh_qr qr;
    return rh__qr_create(arena, SIDE, SIDE, a, &qr);
}

// Each request fails once; what was made until then is rewound.
static void check_refusals(maker make, const double *a)
{
    bool is_done = false;
    for (size_t fail_at = 1; !is_done; fail_at++) {
        assert_true(fail_at < 100);
        support_memory memory = {.fail_at = fail_at};
        rh_arena arena = rh__arena_begin(support_memory_allocator(&memory), SIZE_MAX / 2);
        const rh_status status = make(&arena, a);
        is_done = status == RH_OK;
        assert_true(is_done || (status == RH_E_MEMORY && arena.chunks == NULL));
        assert_true(!is_done || fail_at > 2);
        rh__arena_end(&arena);
        assert_int_equal(memory.block_count, 0);
    }
    rh_arena narrow = rh__arena_begin(rh_allocator_default(), 40000);
    assert_int_equal(make(&narrow, a), RH_E_LIMIT);
    rh__arena_end(&narrow);
}

static void refused_memory_is_a_status(void **state)
{
    (void)state;
    bench on = begin_bench("refused_memory_is_a_status");
    const double *a = random_numbers(&on, SIDE * SIDE);
    check_refusals(make_lu, a);
    check_refusals(make_svd, a);
    check_refusals(make_qr, a);
    end_bench(&on);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(norm_neither_overflows_nor_underflows),
        cmocka_unit_test(random_systems_are_solved),
        cmocka_unit_test(badly_scaled_systems_are_solved),
        cmocka_unit_test(extreme_sizes_keep_their_digits),
        cmocka_unit_test(rcond_is_an_estimate),
        cmocka_unit_test(singular_is_a_number),
        cmocka_unit_test(ranks_are_found),
        cmocka_unit_test(null_spaces_are_the_last_columns),
        cmocka_unit_test(least_squares_are_shortest),
        cmocka_unit_test(independent_columns_come_first),
        cmocka_unit_test(empty_matrices_are_fine),
        cmocka_unit_test(unbounded_input_is_refused),
        cmocka_unit_test(huge_and_tiny_matrices_have_ranks),
        cmocka_unit_test(same_input_gives_same_bits),
        cmocka_unit_test(refused_memory_is_a_status),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
