// SPDX-License-Identifier: Apache-2.0
// Tests of src/expr/gauss.c: exact for polynomials up to degree 63, to rounding for smooth
// functions, with ends that are expressions; and numbers as exact text.

#include "helpers.h"

static rh_expr integral(lab *on, rh_expr e, rh_expr from, rh_expr to)
{
    return rh__expr_quadrature(on->store, e, on->symbol[2], from, to);
}

static double value(lab *on, rh_expr e)
{
    point here = {.on = on, .at = {0.5, 0.75, 9, 1.25, 0, 0, 0, 0}}; // m, k, x, y
    return lab_value(on, e, &here);
}

static void polynomials_are_exact(void **state)
{
    (void)state;
    lab on;
    lab_begin(&on);
    const rh_expr x = on.symbol[2];
    const rh_expr y = on.symbol[3];
    for (int64_t n = 0; n <= 63; n++) {
        const rh_expr e = integral(&on, power(&on, x, n), whole(&on, 0), whole(&on, 1));
        assert_near_by(value(&on, e), 1.0 / ((double)n + 1), 1e-15, 0);
        // over [m, y] = [0.5, 1.25]
        const rh_expr f = integral(&on, power(&on, x, n), on.symbol[0], y);
        const double exact = (pow(1.25, (double)n + 1) - pow(0.5, (double)n + 1)) / ((double)n + 1);
        assert_near_by(value(&on, f), exact, 4e-15, 0);
    }
    lab_end(&on);
}

static void smooth_ones_are_near(void **state)
{
    (void)state;
    lab on;
    lab_begin(&on);
    const rh_expr x = on.symbol[2];
    const rh_expr y = on.symbol[3];
    const rh_expr zero = whole(&on, 0);
    const rh_expr bell = call(&on, RH_OP_EXP, rh__expr_negate(on.store, power(&on, x, 2)));
    assert_near(value(&on, integral(&on, bell, zero, y)), 0.81789894316467702, 1e-15); // erf
    const rh_expr wave = call(&on, RH_OP_SIN, times(&on, whole(&on, 20), times(&on, x, y)));
    assert_near(value(&on, integral(&on, wave, zero, whole(&on, 1))), (1 - cos(25.0)) / 25, 1e-14);
    // an integral inside another: the inner one runs to x
    const rh_expr inner = rh__expr_quadrature(on.store, times(&on, x, y), y, zero, x); // x*x^2/2
    assert_near(value(&on, integral(&on, inner, zero, whole(&on, 2))), 2.0, 1e-14);
    // the derivative by an end is the integrand there
    const rh_expr slope = rh__expr_differentiate(on.store, integral(&on, bell, zero, y), y);
    assert_near(value(&on, slope), exp(-1.25 * 1.25), 1e-14);
    lab_end(&on);
}

static void numbers_are_written_exactly(void **state)
{
    (void)state;
    lab on;
    lab_begin(&on);
    static const struct {
        const char *literal, *text;
    } CASES[] = {
        {"0", "0"},
        {"12", "12"},
        {"9.81", "981/100"},
        {"0.1", "1/10"},
        {"123456789012345678901234567890", "123456789012345678901234567890"},
        {"1e-20", "1/100000000000000000000"},
    };
    for (size_t k = 0; k < sizeof CASES / sizeof *CASES; k++) {
        const rh_expr e = rh__expr_literal(on.store, rh__slice_of(CASES[k].literal));
        for (int sign = 0; sign < 2; sign++) {
            rh_text text = rh__text_begin(&on.scratch, NULL);
            const bool is_negative = sign == 1 && k > 0;
            rh__expr_number_text(on.store, is_negative ? rh__expr_negate(on.store, e) : e, &text);
            rh__text_put_char(&text, '\0');
            assert_true(text.ok);
            assert_true((text.data[0] == '-') == is_negative);
            assert_string_equal(text.data + is_negative, CASES[k].text);
        }
    }
    lab_end(&on);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(polynomials_are_exact),
        cmocka_unit_test(smooth_ones_are_near),
        cmocka_unit_test(numbers_are_written_exactly),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
