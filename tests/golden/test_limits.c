// SPDX-License-Identifier: Apache-2.0
// Texts that ask for too much: each is answered by its own diagnostic, soon and without taking the
// machine down.

#include "support.h"

#include <stdio.h>
#include <stdlib.h>

/// A text made of a head, an opening many times over, a tail, and a closing as many times.
typedef struct excess {
    const char *code; // NULL: it is just within the limit
    const char *head;
    const char *opening;
    size_t count;
    const char *tail;
    const char *closing;
} excess;

static const excess EXCESSES[] = {
    {"E900", "# ", "0123456789abcde\n", 8 << 16, "state x\nlaw x' = 1\n", ""},
    {"E901", "state x\nlaw x' = ", "(", 300, "x", ")"},
    {"E901", "state x\nlaw x' = ", "-", 100000, "x", ""},
    {"E901", "state x\nlaw x' = x", "^x", 100000, "", ""},
    {"E901", "state x\nlaw x' = ", "[", 100000, "x", "]"},
    {"E901", "state x\nlaw x' = ", "sin(", 100000, "x", ")"},
    {"E901", "coord x\nkinetic x'^2\n", "for i in 1..1: ", 300, "draw point [x, x]", ""},
    {"E902", "state x\nlaw x' = x", "+x", 4190000, "", ""},
    {"E903", "state x\nlaw x' = ", "a", 100000, "", ""},
    {"E904", "state x\nlaw x' = x + ", "1", 100000, "", ""},
    {"E911", "state x\nlaw x' = 9", "^9", 3, "*x", ""},
    {"E911", "param a = 9^999\nstate x\nlaw x' = x*a", "*9^9999", 9, "", ""},
    {"E912", "coord x\nkinetic x'^2\n", "for i in 1..1000: ", 3, "draw point [x, x]", ""},
    {"E913", "coord x[1..3000000]\nkinetic 1\n", "", 0, "", ""},
    {NULL, "state x\nlaw x' = ", "(", 150, "x", ")"},
    {NULL, "# ", "0123456789abcde\n# ", 300000, "\nstate x\nlaw x' = 1\n", ""},
};

static char *put(char *out, const char *text, size_t count)
{
    const size_t size = strlen(text);
    for (size_t i = 0; i < count; i++) {
        memcpy(out, text, size);
        out += size;
    }
    return out;
}

static char *write_text(const excess *row, size_t *out_size)
{
    const size_t many = row->count * (strlen(row->opening) + strlen(row->closing));
    char *text = malloc(strlen(row->head) + many + strlen(row->tail) + 1);
    assert_non_null(text);
    char *out = put(text, row->head, 1);
    out = put(out, row->opening, row->count);
    out = put(out, row->tail, 1);
    out = put(out, row->closing, row->count);
    out = put(out, "\n", 1);
    *out_size = (size_t)(out - text);
    return text;
}

static bool has_error(const rh_model *model, const char *code)
{
    for (size_t i = 0; i < rh_model_diagnostic_count(model); i++) {
        if (strcmp(rh_model_diagnostic(model, i).code, code) == 0) {
            return true;
        }
    }
    return false;
}

static bool is_answered(const excess *row)
{
    rh_model_def def = rh_model_def_default();
    char *text = write_text(row, &def.text_size);
    def.text = text;
    rh_model *model = NULL;
    const rh_status status = rh_model_create(&def, &model, NULL);
    const bool is_fine =
        row->code == NULL ? status == RH_OK : status == RH_E_MODEL && has_error(model, row->code);
    if (!is_fine) {
        print_error("%.40s%s... : expected %s, got: %s\n", row->head, row->opening,
                    row->code != NULL ? row->code : "no error", rh_status_text(status));
    }
    rh_model_destroy(model);
    free(text);
    return is_fine;
}

static void too_much_is_said(void **state)
{
    (void)state;
    size_t failures = 0;
    for (size_t i = 0; i < sizeof EXCESSES / sizeof EXCESSES[0]; i++) {
        failures += !is_answered(&EXCESSES[i]);
    }
    assert_int_equal(failures, 0);
}

static void many_errors_are_counted(void **state)
{
    (void)state;
    const excess row = {NULL, "state x\nlaw x' = x\n", "let y = = 1\n", 5000, "", ""};
    rh_model_def def = rh_model_def_default();
    char *text = write_text(&row, &def.text_size);
    def.text = text;
    rh_model *model = NULL;
    assert_int_equal(rh_model_create(&def, &model, NULL), RH_E_MODEL);
    assert_true(rh_model_diagnostic_count(model) >= 50);
    assert_true(rh_model_diagnostic_count(model) + rh_model_diagnostic_dropped(model) >= 5000);
    rh_model_destroy(model);
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(too_much_is_said),
        cmocka_unit_test(many_errors_are_counted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
