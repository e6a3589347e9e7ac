// SPDX-License-Identifier: Apache-2.0
// Unit tests of src/output/check.c and src/output/summary.c: what `rheonom check` says, as text and
// as JSON.

#include "support.h"

#include "output/output.h"

#include "json.h"

#include <stdio.h>
#include <stdlib.h>

static rh_model *make_model(const char *text, rh_allocator allocator)
{
    rh_model_def def = rh_model_def_default();
    def.allocator = allocator;
    def.text = text;
    def.text_size = strlen(text);
    rh_model *model = NULL;
    rh_error err = RH_ZERO;
    const rh_status status = rh_model_create(&def, &model, &err);
    if (status != RH_OK) {
        print_error("%s: %s\n", err.message,
                    model != NULL ? rh_model_diagnostic(model, 0).message : "");
    }
    assert_int_equal(status, RH_OK);
    return model;
}

static support_text check(const rh_model *model, rh_format format)
{
    support_text text = {0};
    rh_error err = RH_ZERO;
    assert_int_equal(rh_output_check(model, format, support_text_sink(&text), &err), RH_OK);
    return text;
}

static void check_contains(const char *source, rh_format format, const char *const *expected)
{
    rh_model *model = make_model(source, rh_allocator_default());
    support_text text = check(model, format);
    assert_true(format == RH_FORMAT_TEXT || json_is_valid(text.data, text.size));
    for (; *expected != NULL; expected++) {
        if (strstr(text.data, *expected) == NULL) {
            fail_msg("\"%s\" is missing in:\n%s", *expected, text.data);
        }
    }
    free(text.data);
    rh_model_destroy(model);
}

static const char SLEIGH[] = "model \"Sleigh \\\"A\\\"\"\n"
                             "param m = 1, J = m/2, k[1..2] = [1, 2]\n"
                             "coord x, y, psi\n"
                             "kinetic m/2*(x'^2 + y'^2) + J*psi'^2/2\n"
                             "force x: -k[1]*x' - k[2]*x\n"
                             "constraint blade: y'*cos(psi) - x'*sin(psi) = 0 by servo(psi: 1)\n"
                             "constraint speed: x'^2 + y'^2 >= m\n"
                             "observe p = [x, y]\n";

static void the_text_is_compact(void **state)
{
    (void)state;
    rh_model *model = make_model(SLEIGH, rh_allocator_default());
    support_text text = check(model, RH_FORMAT_TEXT);
    assert_string_equal(text.data,
                        "Sleigh \"A\"\n\n"
                        "3 coordinates     x, y, psi\n"
                        "selected (rule)   x', y', psi'\n"
                        "parameters        m = 1, J = m/2, k[1..2] = [1, 2]\n"
                        "motion from       kinetic, forces\n"
                        "observes          p.x, p.y\n"
                        "2 constraints\n"
                        "  blade  nonholonomic, linear, two-sided, level 1, servo(psi: 1)\n"
                        "  speed  nonholonomic, nonlinear, one-sided, level 1, ideal\n");
    free(text.data);
    rh_model_destroy(model);
}

static void json_has_the_keys_others_rely_on(void **state)
{
    (void)state;
    const char *const expected[] = {
        "\"title\": \"Sleigh \\\"A\\\"\"",
        "\"coordinates\": [\"x\", \"y\", \"psi\"], \"states\": [], ",
        "\"selected\": [\"x'\", \"y'\", \"psi'\"]",
        "\"degrees_of_freedom\": null, \"configuration_dimension\": null, "
        "\"hidden_integrals\": null",
        "{\"name\": \"blade\", \"kind\": \"nonholonomic\", \"linear\": true, \"sided\": \"two\", "
        "\"realisation\": \"servo\", \"realisation_text\": \"servo(psi: 1)\", "
        "\"integrable\": null, \"redundant_with\": [], \"levels\": []}",
        "{\"name\": \"speed\", \"kind\": \"nonholonomic\", \"linear\": false, \"sided\": \"one\"",
        "\"reactions\": []",
        "\"parameters\": {\"m\": \"1\", \"J\": \"m/2\", \"k[1]\": \"1\", \"k[2]\": \"2\"}",
        "\"structural\": []",
        "\"counts\": {\"coordinates\": 3, \"states\": 0, \"inputs\": 0, \"constraints\": 2, "
        "\"one_sided\": 1, \"program\": 0,",
        "\"diagnostics\": [",
        NULL};
    check_contains(SLEIGH, RH_FORMAT_JSON, expected);
}

static const char CHAIN[] =
    "param N = 1000, l = 1\n"
    "coord x[1..N], y[1..N]\n"
    "kinetic sum(i in 1..N: (x[i]'^2 + y[i]'^2)/2)\n"
    "constraint rod[1]: x[1]^2 + y[1]^2 = l^2\n"
    "for i in 2..N: constraint rod[i]: (x[i] - x[i-1])^2 + (y[i] - y[i-1])^2 = l^2\n"
    "constraint end: y[N] = 0 with baumgarte(10, 1)\n";

static void loops_are_ranges_in_the_text(void **state)
{
    (void)state;
    const char *const expected[] = {
        "2000 coordinates  x[1..1000], y[1..1000]\n",
        "selected (rule)   x[1..1000]', y[1..1000]'\n",
        "N = 1000 (structural)",
        "1001 constraints\n  rod[1..1000]  holonomic, two-sided, level 2, ideal (1000 rows)\n",
        "  end           holonomic, two-sided, level 2, ideal, with a law\n",
        NULL};
    check_contains(CHAIN, RH_FORMAT_TEXT, expected);
}

static void loops_are_expanded_in_json(void **state)
{
    (void)state;
    const char *const expected[] = {"\"x[3]\", \"x[4]\"",
                                    "\"y[1000]\"]",
                                    "{\"name\": \"rod[1000]\", \"kind\": \"holonomic\"",
                                    "\"structural\": [\"N\"]",
                                    "\"program\": 1,",
                                    NULL};
    check_contains(CHAIN, RH_FORMAT_JSON, expected);
}

static void arguments_of_realisations_are_shown(void **state)
{
    (void)state;
    const char *const expected[] = {"inertia(x'*y')", "friction(100)", "vakonomic(literal)", NULL};
    check_contains("coord x, y\nkinetic (x'^2 + y'^2)/2\n"
                   "constraint a: x' = 2*y' by inertia(x'*y')\n"
                   "constraint b: x' >= y' by vakonomic(literal)\n"
                   "constraint c: x' + y' >= 0 by friction(100)\n",
                   RH_FORMAT_JSON, expected);
}

// Doubling thirty times: the tree has a billion leaves, the text must not.
static void shared_parts_do_not_grow_like_the_tree(void **state)
{
    (void)state;
    char source[4000] = "param p0 = 3\ncoord x, y\nkinetic (x'^2 + y'^2)/2\n"
                        "let s0 = sin(x) + y\n";
    for (int k = 1; k <= 30; k++) {
        char line[80];
        (void)snprintf(line, sizeof line, "let s%d = sin(s%d)*cos(s%d) + x\n", k, k - 1, k - 1);
        (void)strncat(source, line, sizeof source - strlen(source) - 1);
    }
    (void)strncat(source, "constraint c: x' = y' by inertia(s30*x')\n",
                  sizeof source - strlen(source) - 1);
    rh_model *model = make_model(source, rh_allocator_default());
    support_text json = check(model, RH_FORMAT_JSON);
    support_text text = check(model, RH_FORMAT_TEXT);
    assert_true(json_is_valid(json.data, json.size));
    assert_non_null(strstr(json.data, "\"parts\": [\"%1 = "));
    assert_non_null(strstr(text.data, "where\n  %1 = "));
    assert_true(json.size < 100000 && text.size < 100000);
    free(json.data);
    free(text.data);
    rh_model_destroy(model);
}

static void examples_give_valid_json(void **state)
{
    (void)state;
    const char *const paths[] = {
        "examples/rolling_disc/model.rhe",    "examples/chain/model.rhe",
        "examples/whipple_bicycle/model.rhe", "examples/lorenz_chetaev/model.rhe",
        "examples/bouncing_ball/model.rhe",   "examples/two_link_arm_program/model.rhe",
    };
    for (size_t k = 0; k < sizeof paths / sizeof *paths; k++) {
        rh_model *model = support_model(paths[k]);
        support_text first = check(model, RH_FORMAT_JSON);
        support_text second = check(model, RH_FORMAT_JSON);
        assert_true(json_is_valid(first.data, first.size));
        assert_string_equal(first.data, second.data);
        free(first.data);
        free(second.data);
        rh_model_destroy(model);
    }
}

static bool refuse(void *user, const char *data, size_t size)
{
    (void)user;
    (void)data;
    (void)size;
    return false;
}

static void failures_are_reported(void **state)
{
    (void)state;
    rh_model *model = make_model(SLEIGH, rh_allocator_default());
    const rh_sink refusing = {refuse, NULL};
    const rh_sink no_sink = RH_ZERO;
    rh_error err = RH_ZERO;
    assert_int_equal(rh_output_check(model, RH_FORMAT_TEXT, refusing, &err), RH_E_WRITE);
    assert_int_equal(rh_output_check(model, RH_FORMAT_JSON, refusing, NULL), RH_E_WRITE);
    assert_int_equal(rh_output_check(model, RH_FORMAT_TEXT, no_sink, &err), RH_E_ARGUMENT);
    assert_int_equal(rh_output_check(NULL, RH_FORMAT_TEXT, refusing, &err), RH_E_ARGUMENT);
    assert_int_equal(rh_output_check(model, (rh_format)9, refusing, &err), RH_E_ARGUMENT);
    rh_model_destroy(model);
}

static void a_wrong_model_has_no_summary(void **state)
{
    (void)state;
    rh_model_def def = rh_model_def_default();
    def.text = "kinetic";
    def.text_size = strlen(def.text);
    rh_model *model = NULL;
    assert_int_equal(rh_model_create(&def, &model, NULL), RH_E_MODEL);
    support_text text = {0};
    rh_error err = RH_ZERO;
    assert_int_equal(rh_output_check(model, RH_FORMAT_JSON, support_text_sink(&text), &err),
                     RH_E_MODEL);
    assert_int_equal(text.size, 0);
    assert_int_equal(
        rh_output_diagnostics(model, RH_FORMAT_JSON, false, support_text_sink(&text), &err), RH_OK);
    assert_true(json_is_valid(text.data, text.size));
    assert_non_null(strstr(text.data, "{\"status\": \"wrong\""));
    free(text.data);
    rh_model_destroy(model);
}

// Every request for memory fails in turn, until one call needs no more.
static void want_of_memory_is_reported(void **state)
{
    (void)state;
    for (int format = RH_FORMAT_TEXT; format <= RH_FORMAT_JSON; format++) {
        rh_status status = RH_E_MEMORY;
        for (size_t n = 1; status != RH_OK; n++) {
            support_memory memory = {0};
            rh_model *model = make_model(SLEIGH, support_memory_allocator(&memory));
            memory.fail_at = memory.request_count + n;
            support_text text = {0};
            rh_error err = RH_ZERO;
            status = rh_output_check(model, (rh_format)format, support_text_sink(&text), &err);
            assert_true(status == RH_OK || status == RH_E_MEMORY);
            assert_true(n < 1000);
            free(text.data);
            rh_model_destroy(model);
            assert_int_equal(memory.block_count, 0);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_text_is_compact),
        cmocka_unit_test(json_has_the_keys_others_rely_on),
        cmocka_unit_test(loops_are_ranges_in_the_text),
        cmocka_unit_test(loops_are_expanded_in_json),
        cmocka_unit_test(arguments_of_realisations_are_shown),
        cmocka_unit_test(shared_parts_do_not_grow_like_the_tree),
        cmocka_unit_test(examples_give_valid_json),
        cmocka_unit_test(failures_are_reported),
        cmocka_unit_test(a_wrong_model_has_no_summary),
        cmocka_unit_test(want_of_memory_is_reported),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
