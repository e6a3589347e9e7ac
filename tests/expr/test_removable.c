// SPDX-License-Identifier: Apache-2.0
// Ratios with removable singularities (src/expr/removable.c, ratio.c, expansion.c): values against
// functions of the C library that are exact near 0, derivatives against the known series at 0 and
// against each other.

#include "helpers.h"

enum { X = 2, Y = 3 };

static rh_expr apply(lab *on, rh_op op, rh_expr a)
{
    return rh__expr_apply(on->store, op, &a, 1);
}

static rh_expr one(lab *on)
{
    return rh__expr_integer(on->store, 1);
}

static rh_expr quotient(lab *on, rh_expr a, rh_expr b)
{
    const rh_expr factors[] = {a, rh__expr_power(on->store, b, rh__expr_integer(on->store, -1))};
    return rh__expr_quotient(on->store, factors, 2);
}

typedef struct place {
    lab *on;
    double x;
} place;

static double place_value(const void *user, const rh_store *store, rh_expr symbol)
{
    (void)store;
    const place *at = user;
    return symbol.i == at->on->symbol[X].i ? at->x : 0.75;
}

static double value_at(lab *on, rh_expr e, double x)
{
    place at = {on, x};
    double value = NAN;
    assert_true(rh__expr_values(on->store, &e, 1, place_value, &at, &on->scratch, &value));
    return value;
}

static const double POINTS[] = {0.0,  5e-324, -1e-300, 1e-16, -1e-9, 1e-7, 1e-5, -1e-3,
                                0.01, 0.2,    -0.4,    0.6,   0.9,   -1.3, 2.5,  -30.0};

static double bernoulli(double x)
{
    return x == 0.0 ? 1.0 : x / expm1(x);
}

static double sine(double x)
{
    return x == 0.0 ? 1.0 : sin(x) / x;
}

static double versine(double x)
{
    const double s = sine(x / 2);
    return s * s / 2;
}

static double hyperbolic(double x)
{
    return x == 0.0 ? 1.0 : tanh(x) / x;
}

static double exponential(double x)
{
    return x == 0.0 ? 1.0 : expm1(x) / x;
}

static void check(lab *on, rh_expr e, double (*exact)(double))
{
    for (size_t k = 0; k < sizeof POINTS / sizeof *POINTS; k++) {
        const double wanted = exact(POINTS[k]);
        assert_near(value_at(on, e, POINTS[k]), wanted, 4e-16 * fabs(wanted));
    }
}

static void values_are_exact_through_the_point(void **state)
{
    (void)state;
    lab on;
    lab_begin(&on);
    rh_store *store = on.store;
    const rh_expr x = on.symbol[X];
    const rh_expr growth = rh__expr_subtract(store, apply(&on, RH_OP_EXP, x), one(&on));
    const rh_expr lift = rh__expr_subtract(store, one(&on), apply(&on, RH_OP_COS, x));
    check(&on, quotient(&on, x, growth), bernoulli);
    check(&on, quotient(&on, growth, x), exponential);
    check(&on, quotient(&on, apply(&on, RH_OP_SIN, x), x), sine);
    check(&on, quotient(&on, lift, rh__expr_multiply(store, x, x)), versine);
    check(&on, quotient(&on, apply(&on, RH_OP_TANH, x), x), hyperbolic);
    lab_end(&on);
}

// (x^2 - y^2)/(x - y) is x + y, whatever y does.
static void polynomials_are_divided(void **state)
{
    (void)state;
    lab on;
    lab_begin(&on);
    rh_store *store = on.store;
    const rh_expr x = on.symbol[X];
    const rh_expr y = on.symbol[Y];
    const rh_expr squares =
        rh__expr_subtract(store, rh__expr_multiply(store, x, x), rh__expr_multiply(store, y, y));
    const rh_expr sum = quotient(&on, squares, rh__expr_subtract(store, x, y));
    assert_int_equal(rh__expr_add(store, x, y).i, sum.i);
    lab_end(&on);
}

// True poles stay what they are.
static void poles_stay(void **state)
{
    (void)state;
    lab on;
    lab_begin(&on);
    const rh_expr x = on.symbol[X];
    const rh_expr pole = quotient(&on, apply(&on, RH_OP_COS, x), x);
    assert_true(isinf(value_at(&on, pole, 0.0)));
    const rh_expr square = rh__expr_multiply(on.store, x, x);
    assert_true(!isfinite(value_at(&on, quotient(&on, apply(&on, RH_OP_SIN, x), square), 0.0)));
    lab_end(&on);
}

// Derivatives of sin(x)/x: at 0 those of its series, and no jump where series and quotient meet.
static void derivatives_go_on(void **state)
{
    (void)state;
    static const double AT_ZERO[] = {1.0, 0.0, -1.0 / 3, 0.0, 1.0 / 5, 0.0, -1.0 / 7};
    lab on;
    lab_begin(&on);
    const rh_expr x = on.symbol[X];
    rh_expr e = quotient(&on, apply(&on, RH_OP_SIN, x), x);
    for (size_t n = 0; n < sizeof AT_ZERO / sizeof *AT_ZERO; n++) {
        assert_near(value_at(&on, e, 0.0), AT_ZERO[n], 1e-15);
        const rh_expr next = rh__expr_differentiate(on.store, e, x);
        for (double at = -4.0; at < 4.0; at += 0.03) {
            const double h = 1e-4;
            const double slope = (8 * (value_at(&on, e, at + h) - value_at(&on, e, at - h)) -
                                  value_at(&on, e, at + 2 * h) + value_at(&on, e, at - 2 * h)) /
                                 (12 * h);
            assert_near(value_at(&on, next, at), slope, 1e-9);
        }
        e = next;
    }
    lab_end(&on);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values_are_exact_through_the_point),
        cmocka_unit_test(polynomials_are_divided),
        cmocka_unit_test(poles_stay),
        cmocka_unit_test(derivatives_go_on),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
