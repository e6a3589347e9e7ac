// SPDX-License-Identifier: Apache-2.0
// Unit tests of src/output/explain.c: every code of the catalogue has a text, a code that is not
// there a suggestion.

#include "support.h"

#include "output/output.h"

#include <stdio.h>
#include <stdlib.h>

static void every_code_is_explained(void **state)
{
    (void)state;
    for (unsigned k = 0; k < RH_DIAGNOSTIC_COUNT; k++) {
        const char *name = rh__diagnostic_name((rh_diagnostic_code)k);
        support_text text = {0};
        rh_error err = RH_ZERO;
        assert_int_equal(rh_output_explain(name, support_text_sink(&text), &err), RH_OK);
        assert_int_equal(strncmp(text.data, name, strlen(name)), 0);
        const char *body = strstr(text.data, "\n\n");
        assert_non_null(body);
        if (strlen(body) < 30) {
            fail_msg("%s has no long text", name);
        }
        assert_int_equal(text.data[text.size - 1], '\n');
        free(text.data);
    }
}

static void case_does_not_matter(void **state)
{
    (void)state;
    support_text upper = {0};
    support_text lower = {0};
    assert_int_equal(rh_output_explain("E900", support_text_sink(&upper), NULL), RH_OK);
    assert_int_equal(rh_output_explain("e900", support_text_sink(&lower), NULL), RH_OK);
    assert_string_equal(upper.data, lower.data);
    assert_int_equal(strncmp(upper.data, "E900 (error): ", 14), 0);
    free(upper.data);
    free(lower.data);
}

static void the_nearest_code_is_suggested(void **state)
{
    (void)state;
    support_text text = {0};
    const rh_sink sink = support_text_sink(&text);
    rh_error err = RH_ZERO;
    assert_int_equal(rh_output_explain("e9o0", sink, &err), RH_E_ARGUMENT);
    assert_string_equal(err.message, "there is no diagnostic \"e9o0\"; did you mean E900?");
    assert_int_equal(rh_output_explain("nothing like a code", sink, &err), RH_E_ARGUMENT);
    assert_non_null(strstr(err.message, "lists all"));
    assert_int_equal(rh_output_explain("", sink, &err), RH_E_ARGUMENT);
    assert_int_equal(rh_output_explain("\033[31mE900 and very much more of it", sink, &err),
                     RH_E_ARGUMENT);
    assert_null(strchr(err.message, '\033'));
    assert_int_equal(text.size, 0);
}

static void the_list_has_every_code_once(void **state)
{
    (void)state;
    support_text text = {0};
    assert_int_equal(rh_output_codes(support_text_sink(&text), NULL), RH_OK);
    size_t lines = 0;
    for (size_t k = 0; k < text.size; k++) {
        lines += text.data[k] == '\n';
    }
    assert_int_equal(lines, RH_DIAGNOSTIC_COUNT);
    for (unsigned k = 0; k < RH_DIAGNOSTIC_COUNT; k++) {
        char line[256];
        (void)snprintf(line, sizeof line, "%s  %-7s  %s\n",
                       rh__diagnostic_name((rh_diagnostic_code)k),
                       rh__output_rank(rh__diagnostic_rank((rh_diagnostic_code)k)),
                       rh__diagnostic_title((rh_diagnostic_code)k));
        assert_non_null(strstr(text.data, line));
    }
    free(text.data);
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
    const rh_sink refusing = {refuse, NULL};
    const rh_sink no_sink = RH_ZERO;
    rh_error err = RH_ZERO;
    assert_int_equal(rh_output_explain("E900", refusing, &err), RH_E_WRITE);
    assert_int_equal(rh_output_codes(refusing, &err), RH_E_WRITE);
    assert_int_equal(rh_output_explain(NULL, refusing, &err), RH_E_ARGUMENT);
    assert_int_equal(rh_output_explain("E900", no_sink, &err), RH_E_ARGUMENT);
    assert_int_equal(rh_output_codes(no_sink, &err), RH_E_ARGUMENT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_code_is_explained),
        cmocka_unit_test(case_does_not_matter),
        cmocka_unit_test(the_nearest_code_is_suggested),
        cmocka_unit_test(the_list_has_every_code_once),
        cmocka_unit_test(failures_are_reported),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
