// SPDX-License-Identifier: Apache-2.0
// Balls hold what they promise: random expressions lie inside, boxes hold their points, jumps and
// poles are indeterminate; matrices and polynomials against closed forms.

#include "expr/helpers.h"
#include "proof/proof.h"

// The symbols of the lab as balls around a point.
typedef struct corner {
    const lab *on;
    double at[SYMBOLS];
    double radius;
} corner;

static void corner_ball(void *user, const rh_store *store, rh_expr symbol, rh_balls *out,
                        uint32_t k)
{
    const corner *here = user;
    (void)store;
    for (int s = 0; s < SYMBOLS; s++) {
        if (same(here->on->symbol[s], symbol)) {
            rh__balls_set_interval(
                out, k, (rh_interval){here->at[s] - here->radius, here->at[s] + here->radius});
            return;
        }
    }
    fail();
}

// A ball at a point must hold the true value, so it meets [value - error, value + error]; and more
// bits never leave the ball of fewer.
static void test_points(void **state)
{
    (void)state;
    support_random random = support_random_begin("balls");
    lab on;
    lab_begin(&on);
    uint32_t judged = 0;
    uint32_t finite = 0;
    for (int k = 0; k < 3000; k++) {
        const rh_mark mark = rh__arena_mark(&on.scratch);
        const grower by = {&on.scratch, &random, MENU_ALL};
        const tree *made = tree_grow(&by, 2 + support_random_below(&random, 10));
        const rh_expr e = tree_build(&on, made);
        corner here = {.on = &on, .radius = 0.0};
        for (int s = 0; s < SYMBOLS; s++) {
            here.at[s] = support_random_real(&random, -2, 2);
        }
        const reading value = tree_value(made, here.at);
        if (!lab_renew(&on) && !lab_has_zero_below(&on, e) && value.is_defined && !value.is_near &&
            isfinite(value.error)) {
            rh_enclosure *enclosure = rh__enclosure_create(on.store, &e, 1, &on.scratch);
            rh_balls *out = rh__balls_create(&on.scratch, 2);
            rh__enclosure_evaluate(enclosure, corner_ball, &here, 53, out);
            rh__balls_copy(out, 1, out, 0);
            rh__enclosure_evaluate(enclosure, corner_ball, &here, 200, out);
            const rh_interval fine = rh__balls_interval(out, 0);
            const rh_interval rough = rh__balls_interval(out, 1);
            const double slack = 4 * value.error;
            if (!(fine.lo <= value.value + slack && fine.hi >= value.value - slack)) {
                print_message("%s: %.17g +- %.3g is not in [%.17g, %.17g]\n", lab_text(&on, e),
                              value.value, value.error, fine.lo, fine.hi);
            }
            assert_true(fine.lo <= value.value + slack && fine.hi >= value.value - slack);
            assert_true(rough.lo <= fine.hi && rough.hi >= fine.lo);
            judged++;
            finite += rh__balls_is_finite(out, 0);
            rh__balls_destroy(out);
            rh__enclosure_destroy(enclosure);
        }
        rh__arena_rewind(&on.scratch, mark);
    }
    assert_true(judged > 500);
    assert_true(10 * finite > 9 * judged); // at points nearly everything is decided
    lab_end(&on);
}

// A box holds the values at its points, wherever they are defined.
static void test_boxes(void **state)
{
    (void)state;
    support_random random = support_random_begin("boxes");
    lab on;
    lab_begin(&on);
    uint32_t judged = 0;
    for (int k = 0; k < 3000; k++) {
        const rh_mark mark = rh__arena_mark(&on.scratch);
        const grower by = {&on.scratch, &random, MENU_ALL};
        const tree *made = tree_grow(&by, 2 + support_random_below(&random, 8));
        const rh_expr e = tree_build(&on, made);
        corner here = {.on = &on, .radius = support_random_real(&random, 0, 0.5)};
        double inside[SYMBOLS];
        for (int s = 0; s < SYMBOLS; s++) {
            here.at[s] = support_random_real(&random, -2, 2);
            inside[s] = here.at[s] + 0.999 * here.radius * support_random_real(&random, -1, 1);
        }
        const reading value = tree_value(made, inside);
        if (!lab_renew(&on) && !lab_has_zero_below(&on, e) && value.is_defined && !value.is_near &&
            isfinite(value.error)) {
            rh_enclosure *enclosure = rh__enclosure_create(on.store, &e, 1, &on.scratch);
            rh_balls *out = rh__balls_create(&on.scratch, 1);
            rh__enclosure_evaluate(enclosure, corner_ball, &here, 64, out);
            const rh_interval box = rh__balls_interval(out, 0);
            assert_true(box.lo <= value.value + 4 * value.error);
            assert_true(box.hi >= value.value - 4 * value.error);
            judged += rh__balls_is_finite(out, 0);
            rh__balls_destroy(out);
            rh__enclosure_destroy(enclosure);
        }
        rh__arena_rewind(&on.scratch, mark);
    }
    assert_true(judged > 300);
    lab_end(&on);
}

static rh_interval box_of(lab *on, rh_expr e, double at, double radius)
{
    corner here = {.on = on, .radius = radius};
    for (int s = 0; s < SYMBOLS; s++) {
        here.at[s] = at;
    }
    rh_enclosure *enclosure = rh__enclosure_create(on->store, &e, 1, &on->scratch);
    rh_balls *out = rh__balls_create(&on->scratch, 1);
    rh__enclosure_evaluate(enclosure, corner_ball, &here, 64, out);
    const rh_interval box = rh__balls_interval(out, 0);
    rh__balls_destroy(out);
    rh__enclosure_destroy(enclosure);
    return box;
}

// Poles, borders of domains and jumps inside a box: nothing is claimed; beside it: something is.
static void test_undecided(void **state)
{
    (void)state;
    lab on;
    lab_begin(&on);
    const rh_expr x = on.symbol[2];
    const rh_expr zero = whole(&on, 0);
    const rh_expr half = rh__expr_ratio(on.store, 1, 2);
    const rh_expr doubtful[] = {
        over(&on, whole(&on, 1), x),
        call(&on, RH_OP_LOG, x),
        rh__expr_sqrt(on.store, x),
        rh__expr_power(on.store, x, rh__expr_ratio(on.store, 1, 3)),
        call(&on, RH_OP_SIGN, x),
        call2(&on, RH_OP_ATAN2, x, whole(&on, -1)),
        rh__expr_if(on.store, call2(&on, RH_OP_LESS, x, zero), whole(&on, 1), whole(&on, 2)),
        rh__expr_if(on.store, call2(&on, RH_OP_EQUAL, x, half), whole(&on, 1), whole(&on, 2)),
        call(&on, RH_OP_TAN, times(&on, rh__expr_pi(on.store), plus(&on, x, half))),
        call(&on, RH_OP_ASIN, plus(&on, x, whole(&on, 1))),
    };
    for (size_t k = 0; k < sizeof doubtful / sizeof *doubtful; k++) {
        const double around = k == 7 ? 0.5 : 0.0;
        assert_true(isinf(box_of(&on, doubtful[k], around, 0.125).lo));
        assert_true(isfinite(box_of(&on, doubtful[k], k == 9 ? -0.375 : 0.25, 0.125 / 2).lo));
    }
    // what is continuous is known across its kink
    assert_true(isfinite(box_of(&on, call(&on, RH_OP_ABS, x), 0, 0.125).lo));
    assert_true(isfinite(box_of(&on, call2(&on, RH_OP_MIN, x, zero), 0, 0.125).lo));
    // an even power is never negative
    assert_true(box_of(&on, power(&on, x, 4), 0, 0.125).lo >= 0);
    // an overflow of doubles is none of balls
    assert_true(box_of(&on, call(&on, RH_OP_EXP, times(&on, whole(&on, 5000), x)), 1, 0).hi >
                1e308);
    lab_end(&on);
}

static rh_balls *balls_of(rh_arena *arena, const double *values, uint32_t count)
{
    rh_balls *balls = rh__balls_create(arena, count);
    assert_non_null(balls);
    for (uint32_t k = 0; k < count; k++) {
        rh__balls_set_double(balls, k, values[k]);
    }
    return balls;
}

static void assert_holds(const rh_balls *balls, uint32_t k, double value, double width)
{
    const rh_interval box = rh__balls_interval(balls, k);
    assert_true(box.lo <= value && value <= box.hi);
    assert_true(box.hi - box.lo <= width);
}

static void test_matrices(void **state)
{
    (void)state;
    rh_arena arena = rh__arena_begin(rh_allocator_default(), 1 << 20);
    const double hilbert[] = {1, 1.0 / 2, 1.0 / 4, 1.0 / 2, 1, 1.0 / 2, 1.0 / 4, 1.0 / 2, 1};
    rh_balls *a = balls_of(&arena, hilbert, 9);
    rh_balls *b = balls_of(&arena, (double[]){1, 2, 3}, 3);
    rh_balls *x = rh__balls_create(&arena, 3);
    assert_true(rh__balls_solve(3, a, 1, b, 128, x));
    // the inverse of this matrix is 4/3 [[1, -1/2, 0], [-1/2, 5/4, -1/2], [0, -1/2, 1]]
    assert_holds(x, 0, 0.0, 1e-30);
    assert_holds(x, 1, 2.0 / 3, 1e-15);
    assert_holds(x, 2, 8.0 / 3, 1e-15);
    rh__balls_determinant(3, a, 128, x, 0);
    assert_holds(x, 0, 9.0 / 16, 1e-30);
    assert_true(rh__balls_is_definite(3, a, 64));
    rh__balls_set_interval(a, 0, (rh_interval){0.2, 0.3}); // a minor of 0.25 - 0.25 lies inside
    assert_false(rh__balls_is_definite(3, a, 64));
    // a box of matrices that holds a singular one
    rh_balls *singular = balls_of(&arena, (double[]){1, 2, 2, 4}, 4);
    rh__balls_set_interval(singular, 0, (rh_interval){0.9, 1.1});
    rh_balls *y = rh__balls_create(&arena, 2);
    assert_false(rh__balls_solve(2, singular, 1, b, 128, y));
    assert_false(rh__balls_is_finite(y, 0));
    rh_balls *product = rh__balls_create(&arena, 4);
    rh__balls_multiply(2, 2, 2, singular, singular, 64, product);
    assert_holds(product, 3, 20.0, 1e-15);
    rh__balls_destroy(a);
    rh__balls_destroy(b);
    rh__balls_destroy(x);
    rh__balls_destroy(y);
    rh__balls_destroy(singular);
    rh__balls_destroy(product);
    rh__arena_end(&arena);
}

// Congruences of known diagonals have their signs; zeros and wide balls hide some.
static void test_inertia(void **state)
{
    (void)state;
    support_random random = support_random_begin("inertia");
    rh_arena arena = rh__arena_begin(rh_allocator_default(), 1 << 20);
    uint32_t positive = 0;
    uint32_t negative = 0;
    for (int trial = 0; trial < 200; trial++) {
        enum { N = 5 };
        double c[N][N];
        double m[N * N] = {0};
        int signs[N];
        uint32_t up = 0;
        uint32_t down = 0;
        for (int i = 0; i < N; i++) {
            signs[i] = (int)support_random_below(&random, 3) - 1;
            up += signs[i] > 0;
            down += signs[i] < 0;
            for (int k = 0; k < N; k++) { // whole numbers: the products are exact
                c[i][k] = (double)support_random_below(&random, 9) - 4 + (i == k ? 20 : 0);
            }
        }
        for (int i = 0; i < N * N; i++) {
            for (int k = 0; k < N; k++) {
                m[i] += signs[k] * c[i / N][k] * c[i % N][k];
            }
        }
        rh_balls *a = balls_of(&arena, m, N * N);
        assert_true(rh__balls_inertia(N, a, 128, &arena, &positive, &negative));
        assert_int_equal(positive, up);
        assert_int_equal(negative, down);
        for (uint32_t i = 0; i < N; i++) { // a wide diagonal: never more than there are
            rh__balls_set_interval(a, i * (N + 1),
                                   (rh_interval){m[i * (N + 1)] - 200, m[i * (N + 1)] + 200});
        }
        assert_true(rh__balls_inertia(N, a, 128, &arena, &positive, &negative));
        assert_true(positive <= up && negative <= down);
        rh__balls_destroy(a);
    }
    rh_balls *swap = balls_of(&arena, (double[]){0, 1, 1, 0}, 4); // no pivot on the diagonal
    assert_true(rh__balls_inertia(2, swap, 128, &arena, &positive, &negative));
    assert_int_equal(positive, 1);
    assert_int_equal(negative, 1);
    rh__balls_destroy(swap);
    rh__arena_end(&arena);
}

// How many of the n balls hold the number re + i im.
static uint32_t holders(const rh_balls *re, const rh_balls *im, uint32_t n, double r, double i)
{
    uint32_t count = 0;
    for (uint32_t k = 0; k < n; k++) {
        const rh_interval a = rh__balls_interval(re, k);
        const rh_interval b = rh__balls_interval(im, k);
        count += a.lo <= r && r <= a.hi && b.lo <= i && i <= b.hi;
    }
    return count;
}

static void test_spectrum(void **state)
{
    (void)state;
    rh_arena arena = rh__arena_begin(rh_allocator_default(), 1 << 20);
    rh_balls *re = rh__balls_create(&arena, 4);
    rh_balls *im = rh__balls_create(&arena, 4);
    // a rotation by 2 and a decay by 3
    rh_balls *a = balls_of(&arena, (double[]){0, 2, 0, -2, 0, 0, 0, 0, -3}, 9);
    assert_true(rh__balls_eigenvalues(3, a, 128, re, im));
    assert_int_equal(holders(re, im, 3, 0, 2), 1);
    assert_int_equal(holders(re, im, 3, 0, -2), 1);
    assert_int_equal(holders(re, im, 3, -3, 0), 1);
    rh__balls_characteristic(3, a, 128, re);
    assert_holds(re, 0, 12, 1e-30);
    assert_holds(re, 1, 4, 1e-30);
    assert_holds(re, 2, 3, 1e-30);
    assert_holds(re, 3, 1, 1e-30);
    // a Jordan block: both in one ball
    rh_balls *jordan = balls_of(&arena, (double[]){5, 1, 0, 5}, 4);
    assert_true(rh__balls_eigenvalues(2, jordan, 128, re, im));
    assert_int_equal(holders(re, im, 2, 5, 0), 2);
    // (x - 1)^2 (x + 2) and (x - 1)(x - 2)(x - 3)
    rh_balls *twice = balls_of(&arena, (double[]){2, -3, 0, 1}, 4);
    assert_true(rh__balls_roots(3, twice, 128, re, im));
    assert_int_equal(holders(re, im, 3, 1, 0), 2);
    assert_int_equal(holders(re, im, 3, -2, 0), 1);
    rh_balls *simple = balls_of(&arena, (double[]){-6, 11, -6, 1}, 4);
    assert_true(rh__balls_roots(3, simple, 128, re, im));
    for (int root = 1; root <= 3; root++) {
        assert_int_equal(holders(re, im, 3, root, 0), 1);
    }
    // a leading coefficient that may be zero
    rh__balls_set_interval(simple, 3, (rh_interval){-1, 1});
    assert_false(rh__balls_roots(3, simple, 128, re, im));
    assert_false(rh__balls_is_finite(re, 0));
    rh_balls *all[] = {re, im, a, jordan, twice, simple};
    for (size_t k = 0; k < sizeof all / sizeof *all; k++) {
        rh__balls_destroy(all[k]);
    }
    rh__arena_end(&arena);
}

// Routh against roots that are known: products of random factors.
static void test_hurwitz(void **state)
{
    (void)state;
    support_random random = support_random_begin("hurwitz");
    rh_arena arena = rh__arena_begin(rh_allocator_default(), 1 << 20);
    for (int trial = 0; trial < 400; trial++) {
        double p[12] = {1};
        uint32_t degree = 0;
        bool is_stable = true;
        const uint32_t factors = 1 + support_random_below(&random, 4);
        for (uint32_t k = 0; k < factors; k++) { // x^2 + b x + c
            const double b = support_random_real(&random, -0.2, 2);
            const double c = support_random_real(&random, 0.1, 3);
            is_stable = is_stable && b > 0;
            for (uint32_t i = degree + 3; i-- > 0;) {
                p[i] = c * p[i] + (i > 0 ? b * p[i - 1] : 0) + (i > 1 ? p[i - 2] : 0);
            }
            degree += 2;
        }
        if (support_random_below(&random, 2) == 0) { // -(x + 1)
            for (uint32_t i = degree + 2; i-- > 0;) {
                p[i] = -p[i] - (i > 0 ? p[i - 1] : 0);
            }
            degree++;
        }
        rh_balls *balls = balls_of(&arena, p, degree + 1);
        assert_int_equal(rh__balls_is_hurwitz(degree, balls, 256, &arena), is_stable);
        rh__balls_destroy(balls);
    }
    rh__arena_end(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_points),    cmocka_unit_test(test_boxes),
        cmocka_unit_test(test_undecided), cmocka_unit_test(test_matrices),
        cmocka_unit_test(test_inertia),   cmocka_unit_test(test_spectrum),
        cmocka_unit_test(test_hurwitz),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
