// SPDX-License-Identifier: Apache-2.0
// What is told of a proved motion is what is proved: its variables, its zero roots.

#include "proving.h"

// Zeros 1 +- 1e-8 of a polynomial that rounding does not tell apart: doubles find half the digits.
static void variables_are_told_as_they_are_proved(void **state)
{
    (void)state;
    const proving_call call = {.set = {NULL}};
    proving it = proving_begin("state x, y\nlaw x' = x^2 - 2*x + 1 - 1e-15\nlaw y' = -y\n"
                               "start x = 1.3\n",
                               &call);
    assert_true(rh_certificate_holds(it.certificate));
    const double x = rh_certificate_value(it.certificate, 0);
    assert_near(fabs(x - 1.0), 3.1622776601683794e-8, 1e-15);
    assert_string_equal(rh_certificate_verdict(it.certificate),
                        x > 1.0 ? "unstable" : "asymptotically stable");
    assert_true(isnan(rh_certificate_value(it.certificate, 2)));
    proving_end(&it);
}

// (x - 1)^3 = 1e-17 in doubles: many digits lead away from what was found.
static void another_motion_is_not_proved_instead(void **state)
{
    (void)state;
    const proving_call call = {.set = {NULL}};
    proving it = proving_begin("state x, y\nlaw x' = x^3 - 3*x^2 + 3*x - 1 - 1e-17\n"
                               "law y' = -y\nstart x = 1.3\n",
                               &call);
    assert_false(rh_certificate_holds(it.certificate));
    assert_non_null(strstr(rh_certificate_reason(it.certificate), "lead to another motion"));
    assert_true(isnan(rh_certificate_value(it.certificate, 0)));
    proving_end(&it);
}

// Numbers take the small root for zero; the proof does not, and its roots are told.
static void roots_are_told_as_they_are_proved(void **state)
{
    (void)state;
    const proving_call call = {.set = {NULL}};
    proving it = proving_begin("param M = 1e9, k = -1, c = 1e9\ncoord x\nkinetic M*x'^2/2\n"
                               "potential k*x^2/2\ndissipation c*x'^2/2\n",
                               &call);
    assert_true(rh_certificate_holds(it.certificate));
    assert_string_equal(rh_certificate_verdict(it.certificate), "unstable");
    assert_int_equal(rh_certificate_dimension(it.certificate), 0);
    rh_certificate *const list[] = {it.certificate};
    support_text text = {0};
    assert_int_equal(rh_output_steady_certified(it.steady, list, RH_FORMAT_TEXT,
                                                support_text_sink(&text), &it.err),
                     RH_OK);
    assert_non_null(strstr(text.data, "9.99999999e-10"));
    assert_null(strstr(text.data, "not certain"));
    assert_null(strstr(text.data, "not fixed"));
    free(text.data);
    proving_end(&it);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(variables_are_told_as_they_are_proved),
        cmocka_unit_test(another_motion_is_not_proved_instead),
        cmocka_unit_test(roots_are_told_as_they_are_proved),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
