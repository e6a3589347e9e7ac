// SPDX-License-Identifier: Apache-2.0
// Tests of src/expr/integrate.c: integrals differentiate back, easy ones are found, hard ones are
// left alone.

#include "helpers.h"

enum { ROUNDS = 400 };

// The derivative at random points, by differences of the integral and by the integrand.
static void expect_integral(lab *on, rh_expr e, support_random *random)
{
    const rh_expr x = on->symbol[2];
    const rh_expr integral = rh__expr_integrate(on->store, e, x, &on->scratch);
    if (integral.i == 0) {
        print_message("not found: %s\n", lab_text(on, e));
    }
    assert_int_not_equal(integral.i, 0);
    int agreed = 0;
    for (int k = 0; k < 10; k++) {
        const double h = 1e-4;
        point here = random_point(on, random, 0.4, 1.4);
        const double expected = lab_value(on, e, &here);
        double total = 0.0;
        // five-point differences: error of order h^4
        const double weights[] = {1.0 / 12, -8.0 / 12, 0.0, 8.0 / 12, -1.0 / 12};
        double size = 1.0;
        const double middle = here.at[2];
        for (int j = 0; j < 5; j++) {
            here.at[2] = middle + (j - 2) * h;
            const double value = lab_value(on, integral, &here);
            total += weights[j] * value / h;
            size = fmax(size, fabs(value));
        }
        // steep places spoil differences, but not everywhere
        agreed +=
            !isfinite(expected) || fabs(total - expected) <= 1e-8 * fabs(expected) + 1e-8 * size;
    }
    assert_true(agreed > 0);
}

static void easy_ones_are_found(void **state)
{
    (void)state;
    support_random random = support_random_begin("easy_ones_are_found");
    lab on;
    lab_begin(&on);
    const rh_expr m = on.symbol[0];
    const rh_expr x = on.symbol[2];
    const rh_expr y = on.symbol[3];
    const rh_expr u = plus(&on, times(&on, m, x), y);
    const rh_op easy[] = {RH_OP_SIN, RH_OP_COS, RH_OP_EXP, RH_OP_SINH, RH_OP_COSH};
    expect_integral(&on, whole(&on, 0), &random);
    expect_integral(&on, call(&on, RH_OP_TAN, times(&on, m, y)), &random);
    for (int64_t n = -4; n <= 4; n++) {
        expect_integral(&on, times(&on, y, power(&on, x, n)), &random);
        expect_integral(&on, power(&on, u, n), &random);
    }
    const rh_op once[] = {RH_OP_TAN, RH_OP_TANH, RH_OP_LOG, RH_OP_ATAN, RH_OP_ABS, RH_OP_SIGN};
    for (size_t k = 0; k < sizeof once / sizeof *once; k++) {
        expect_integral(&on, times(&on, y, call(&on, once[k], u)), &random);
    }
    expect_integral(&on, rh__expr_sqrt(on.store, u), &random);
    expect_integral(&on, over(&on, power(&on, x, 3), rh__expr_sqrt(on.store, u)), &random);
    expect_integral(&on, over(&on, power(&on, x, 2), u), &random);
    for (int k = 0; k < 5; k++) {
        expect_integral(&on, call(&on, easy[k], u), &random);
        expect_integral(&on, times(&on, plus(&on, power(&on, x, 3), y), call(&on, easy[k], u)),
                        &random);
    }
    expect_integral(&on, power(&on, plus(&on, call(&on, RH_OP_COS, y), x), 3), &random);
    // the derivative of what is inside stands beside its function
    const rh_expr g = plus(&on, plus(&on, power(&on, x, 2), times(&on, x, y)), power(&on, y, 2));
    const rh_expr slope = plus(&on, times(&on, whole(&on, 2), x), y);
    for (size_t k = 0; k < sizeof once / sizeof *once; k++) {
        expect_integral(&on, times(&on, slope, call(&on, once[k], g)), &random);
    }
    for (int64_t n = -3; n <= 3; n++) {
        const rh_expr r = rh__expr_ratio(on.store, 2 * n + 1, 2);
        expect_integral(&on, times(&on, times(&on, m, slope), rh__expr_power(on.store, g, r)),
                        &random);
    }
    expect_integral(
        &on, times(&on, call(&on, RH_OP_COS, x), power(&on, call(&on, RH_OP_SIN, x), -2)), &random);
    // powers of a quadratic that is positive everywhere
    const rh_expr q =
        plus(&on, plus(&on, power(&on, x, 2), x), plus(&on, whole(&on, 3), power(&on, y, 2)));
    for (int64_t half = -3; half <= 1; half++) {
        const rh_expr r = rh__expr_ratio(on.store, half, 2);
        expect_integral(&on, times(&on, m, rh__expr_power(on.store, q, r)), &random);
    }
    lab_end(&on);
}

// x^n Q^(k/2) for quadratics with and without real roots, opening to either side.
static void quadratics_are_found(void **state)
{
    (void)state;
    support_random random = support_random_begin("quadratics_are_found");
    lab on;
    lab_begin(&on);
    const rh_expr m = on.symbol[0];
    const rh_expr x = on.symbol[2];
    const int64_t forms[][3] = {{1, 1, 3}, {-1, 1, 3}, {1, 3, -1}, {4, 0, 1}, {-1, 0, 9}};
    for (size_t k = 0; k < sizeof forms / sizeof *forms; k++) {
        const rh_expr square = times(&on, whole(&on, forms[k][0]), power(&on, x, 2));
        const rh_expr line =
            plus(&on, times(&on, whole(&on, forms[k][1]), x), whole(&on, forms[k][2]));
        const rh_expr q = plus(&on, square, line);
        for (int64_t half = -6; half <= 1; half++) {
            const rh_expr root = rh__expr_power(on.store, q, rh__expr_ratio(on.store, half, 2));
            expect_integral(&on, times(&on, m, root), &random);
            for (int64_t n = 1; n <= 4; n++) {
                if (half > -3 || n < -half - 1) { // else logarithms come in, and it is left
                    expect_integral(&on, times(&on, power(&on, x, n), root), &random);
                }
            }
        }
    }
    lab_end(&on);
}

static void waves_are_found(void **state)
{
    (void)state;
    support_random random = support_random_begin("waves_are_found");
    lab on;
    lab_begin(&on);
    const rh_expr m = on.symbol[0];
    const rh_expr x = on.symbol[2];
    const rh_expr y = on.symbol[3];
    const rh_expr u = plus(&on, times(&on, m, x), y);
    const rh_expr sine = call(&on, RH_OP_SIN, u);
    const rh_expr cosine = call(&on, RH_OP_COS, u);
    const rh_expr other = call(&on, RH_OP_COS, times(&on, whole(&on, 2), x));
    for (int64_t n = 2; n <= 5; n++) {
        expect_integral(&on, power(&on, sine, n), &random);
        expect_integral(&on, times(&on, power(&on, x, 2), power(&on, cosine, n)), &random);
        expect_integral(&on, times(&on, other, power(&on, sine, n)), &random);
        expect_integral(&on, times(&on, power(&on, cosine, 2), power(&on, sine, n)), &random);
    }
    // squares that are derivatives, and functions beside their own
    const rh_op squares[] = {RH_OP_TAN, RH_OP_TANH};
    const rh_op inverse[] = {RH_OP_COS, RH_OP_COSH};
    const rh_op own[] = {RH_OP_LOG, RH_OP_ATAN, RH_OP_ASIN};
    const rh_expr small = over(&on, x, whole(&on, 3));
    for (size_t k = 0; k < 2; k++) {
        expect_integral(&on, power(&on, call(&on, squares[k], u), 2), &random);
        expect_integral(&on, power(&on, call(&on, inverse[k], u), -2), &random);
    }
    for (size_t k = 0; k < 3; k++) {
        const rh_expr f = call(&on, own[k], small);
        const rh_expr slope = rh__expr_differentiate(on.store, f, x);
        expect_integral(&on, times(&on, m, times(&on, f, slope)), &random);
    }
    lab_end(&on);
}

static void hard_ones_are_left_alone(void **state)
{
    (void)state;
    lab on;
    lab_begin(&on);
    const rh_expr x = on.symbol[2];
    const rh_expr y = on.symbol[3];
    const rh_expr hard[] = {
        call(&on, RH_OP_EXP, power(&on, x, 2)),
        over(&on, call(&on, RH_OP_SIN, x), x),
        call(&on, RH_OP_SIN, call(&on, RH_OP_SIN, x)),
        rh__expr_power(on.store, x, x),
        over(&on, whole(&on, 1), plus(&on, power(&on, x, 3), y)),
        rh__expr_if(on.store, call2(&on, RH_OP_LESS, x, y), x, y),
    };
    for (size_t k = 0; k < sizeof hard / sizeof *hard; k++) {
        assert_int_equal(rh__expr_integrate(on.store, hard[k], x, &on.scratch).i, 0);
    }
    assert_int_equal(rh__store_refusal(on.store), RH_REFUSAL_NONE);
    lab_end(&on);
}

// Whatever is found differentiates back; derivatives of polynomials in easy functions are found.
static void integrals_differentiate_back(void **state)
{
    (void)state;
    support_random random = support_random_begin("integrals_differentiate_back");
    lab on;
    lab_begin(&on);
    int found = 0;
    for (int round = 0; round < ROUNDS; round++) {
        const rh_mark mark = rh__arena_mark(&on.scratch);
        const grower by = {&on.scratch, &random, MENU_SQUARABLE};
        const rh_expr e = tree_build(&on, tree_grow(&by, 6));
        if (lab_renew(&on) || e.i == 0 || lab_has_zero_below(&on, e)) {
            continue;
        }
        const rh_expr integral = rh__expr_integrate(on.store, e, on.symbol[2], &on.scratch);
        assert_int_equal(rh__store_refusal(on.store), RH_REFUSAL_NONE);
        if (integral.i != 0) {
            expect_integral(&on, e, &random);
            found++;
        }
        rh__arena_rewind(&on.scratch, mark);
    }
    assert_true(found > ROUNDS / 3);
    lab_end(&on);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(easy_ones_are_found),
        cmocka_unit_test(quadratics_are_found),
        cmocka_unit_test(waves_are_found),
        cmocka_unit_test(hard_ones_are_left_alone),
        cmocka_unit_test(integrals_differentiate_back),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
