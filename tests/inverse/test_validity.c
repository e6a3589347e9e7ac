// SPDX-License-Identifier: Apache-2.0
// For which values of parameters an answer holds: functions said to hold for all give the equations
// back at other values too, and those that rest on values name them.

#include "inverse/helmholtz_cases.h"

typedef struct general {
    const char *special, *other; // the same parameters, where something happens to vanish or not
    const char *laws;            // of q1 and q2
} general;

// What is said to hold for all values holds at others, and is the same text there.
static void test_all_values(void **state)
{
    (void)state;
    static const general CASES[] = {
        {"a = 1, b = 1", "a = 2, b = 1", "law q1'' = -q1 - a*q2\nlaw q2'' = -b*q1 - q2\n"},
        {"k = 1", "k = 3", "law q1'' = -k*q2\nlaw q2'' = -q1/k\n"},
        {"k = 1", "k = 3", "law q1'' = -k*(k - 1)*q2\nlaw q2'' = -q2\n"},
        {"k = 1", "k = -2", "law q1'' = -abs(k)*q2\nlaw q2'' = -k*q1\n"},
        {"a = 1, b = 1", "a = 2, b = 1", "law q1'' = -q1 - a*q2'\nlaw q2'' = b*q1' - q2\n"},
        {"a = 1, b = 1", "a = 2, b = 1",
         "law q1'' = -sin(a*q1 + q2)\nlaw q2'' = -sin(q1 + b*q2)\n"},
        {"a = 1, b = 1", "a = 2, b = 1", "law q1'' = -a*abs(q2)\nlaw q2'' = -b*q1*sign(q2)\n"},
        {"a = 1, b = 1", "a = 2, b = 1",
         "law q1'' = -a*q1/(q1^2 + q2^2)\nlaw q2'' = -b*q2/(q1^2 + q2^2)\n"},
        {"a = 1, b = 1", "a = 2, b = 1",
         "law q1'' = -cos(q1)*exp(a*q2)\nlaw q2'' = -sin(q1)*exp(b*q2)\n"},
        {"a = 2", "a = 3", "law q1'' = -a*q2\nlaw q2'' = -a*q1\n"}, // a potential as ever
    };
    for (size_t k = 0; k < sizeof CASES / sizeof *CASES; k++) {
        char text[400];
        char head[200];
        (void)snprintf(text, sizeof text, "param %s\ncoord q1, q2\n%s", CASES[k].special,
                       CASES[k].laws);
        asked it = ask_text(text);
        (void)snprintf(text, sizeof text, "param %s\ncoord q1, q2\n%s", CASES[k].other,
                       CASES[k].laws);
        asked other = ask_text(text);
        const rh_inverse_summary here = rh_inverse_summarise(it.inverse);
        const rh_inverse_summary there = rh_inverse_summarise(other.inverse);
        assert_int_equal(here.check.verdict, RH_INVERSE_HOLDS);
        assert_true(here.is_for_all_values);
        assert_string_equal(here.values, "");
        assert_string_equal(here.lagrangian, there.lagrangian);
        assert_string_equal(here.dissipation, there.dissipation);
        (void)snprintf(head, sizeof head, "param %s\ncoord q1, q2", CASES[k].other);
        assert_read_as(it.inverse, other.inverse, head, 1e-13);
        asked_end(&it);
        asked_end(&other);
    }
}

// Conditions that hold for a = b alone name both; what else vanishes for values only does not hide
// behind them.
static void test_named_values(void **state)
{
    (void)state;
    asked it = ask_text("param a = 1/2, b = 1/2, c = 1, d = 1\ncoord q1, q2\n"
                        "equation f1: q1'' + a*q2'' + c*q2 = 0\n"
                        "equation f2: 2*q2'' + b*q1'' + d*q1 = 0\n");
    rh_inverse_summary summary = rh_inverse_summarise(it.inverse);
    assert_int_equal(summary.verdict, RH_INVERSE_HOLDS);
    assert_true(summary.check.is_proved);
    assert_false(summary.is_for_all_values);
    assert_string_equal(summary.values, "a = 0.5, b = 0.5");
    assert_non_null(strstr(summary.circulatory, "c*q2*q1'/2"));
    asked_end(&it);
    it = ask_text("param a = 1, b = 1\nstate x, p\npair x, p\nlaw x' = p + a*x\n"
                  "law p' = -x - b*p\n");
    summary = rh_inverse_summarise(it.inverse);
    assert_true(summary.check.is_proved);
    assert_false(summary.is_for_all_values);
    assert_string_equal(summary.values, "a = 1, b = 1");
    asked_end(&it);
}

// exp(k x)/k is no potential for k = 0: there another one is found, and elsewhere that is said.
static void test_gaps(void **state)
{
    (void)state;
    static const struct {
        const char *head, *lagrangian, *values, *note;
    } CASES[] = {
        {"param k = 0\ncoord x\nlaw x'' = exp(k*x)\n", "x + x'^2/2", "k = 0", ""},
        {"param k = 2\ncoord x\nlaw x'' = exp(k*x)\n", "exp(k*x)/k + x'^2/2", "",
         "for k = 0 these functions have no value: others serve there"},
        {"param a = 1, b = 1\ncoord x\nlaw x'' = -exp(x*(a - b))\n", "x'^2/2 - x", "a = 1, b = 1",
         ""},
        // the equations have no value there either
        {"param k = 2\ncoord x\nlaw x'' = -x/k\n", "x'^2/2 - x^2/(2*k)", "", ""},
    };
    for (size_t k = 0; k < sizeof CASES / sizeof *CASES; k++) {
        asked it = ask_text(CASES[k].head);
        const rh_inverse_summary summary = rh_inverse_summarise(it.inverse);
        assert_int_equal(summary.check.verdict, RH_INVERSE_HOLDS);
        assert_true(summary.check.is_proved);
        assert_string_equal(summary.lagrangian, CASES[k].lagrangian);
        assert_string_equal(summary.values, CASES[k].values);
        assert_int_equal(summary.is_for_all_values, CASES[k].values[0] == '\0');
        assert_string_equal(summary.note, CASES[k].note);
        asked_end(&it);
    }
    asked it = ask_text("param k = 0\nstate x, p\npair x, p\nlaw x' = p\nlaw p' = -exp(k*x)\n");
    const rh_inverse_summary summary = rh_inverse_summarise(it.inverse);
    assert_string_equal(summary.hamiltonian, "x + p^2/2");
    assert_string_equal(summary.values, "k = 0");
    asked_end(&it);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_all_values),
        cmocka_unit_test(test_named_values),
        cmocka_unit_test(test_gaps),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
