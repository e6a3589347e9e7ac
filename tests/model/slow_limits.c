// SPDX-License-Identifier: Apache-2.0
// Limits that take a while to reach: steps, turns of loops, different expressions.

#include "support.h"

#include <stdio.h>

static void expect_refusal(const char *text, const char *code)
{
    rh_model_def def = rh_model_def_default();
    def.text = text;
    def.text_size = strlen(text);
    rh_model *model = NULL;
    rh_error err = RH_ZERO;
    const rh_status status = rh_model_create(&def, &model, &err);
    const size_t count = rh_model_diagnostic_count(model);
    const char *found = count > 0 ? rh_model_diagnostic(model, 0).code : rh_status_text(status);
    const bool is_fine = status == RH_E_MODEL && count == 1 && strcmp(found, code) == 0;
    if (!is_fine) {
        print_error("%.80s...: expected %s alone, found %s of %zu\n", text, code, found, count);
    }
    rh_model_destroy(model);
    assert_true(is_fine);
}

static void nested_sums_take_steps(void **state)
{
    (void)state;
    expect_refusal("coord x\nkinetic x'^2/2\n"
                   "potential sum(i in 1..1000: sum(j in 1..1000: sum(k in 1..1000: x)))\n",
                   "E912");
}

// Each function calls the one before it twice: 2^60 calls.
static void doubling_functions_take_steps(void **state)
{
    (void)state;
    char text[4096] = "coord x\nkinetic x'^2/2\nlet f0(u) = sin(u)\n";
    for (int i = 1; i <= 60; i++) {
        char line[64];
        (void)snprintf(line, sizeof line, "let f%d(u) = f%d(u) + f%d(u/2)\n", i, i - 1, i - 1);
        strcat(text, line);
    }
    strcat(text, "potential f60(x)\n");
    expect_refusal(text, "E912");
}

static void empty_loops_take_turns(void **state)
{
    (void)state;
    expect_refusal("coord x\nkinetic x'^2/2\nfor i in 1..2000000000: for j in 1..0: potential x\n",
                   "E912");
}

static void derivatives_make_expressions(void **state)
{
    (void)state;
    expect_refusal("coord x\nkinetic x'^2/2\n"
                   "for i in 1..400000: let a[i] = (sin(i*x)*exp(x/i)*cos(x + i))''\n",
                   "E910");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nested_sums_take_steps),
        cmocka_unit_test(doubling_functions_take_steps),
        cmocka_unit_test(empty_loops_take_turns),
        cmocka_unit_test(derivatives_make_expressions),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
