// SPDX-License-Identifier: Apache-2.0
// The decimal point belongs to the program that uses the library: where it has made a comma of it,
// what is written, read and derived is the same.

#include "support.h"

#include "rheonom/rheonom.h"

#include "base/base.h"

#include <locale.h>
#include <stdlib.h>
#include <string.h>

// Skips the test where there is no locale with a comma.
static void set_comma(void)
{
    static const char *const NAMES[] = {"de_DE.UTF-8", "de_DE.utf8", "fr_FR.UTF-8", "ru_RU.UTF-8"};
    for (size_t k = 0; k < sizeof NAMES / sizeof *NAMES; k++) {
        if (setlocale(LC_NUMERIC, NAMES[k]) != NULL && localeconv()->decimal_point[0] == ',') {
            return;
        }
    }
    skip();
}

static int forget_comma(void **state)
{
    (void)state;
    (void)setlocale(LC_NUMERIC, "C");
    return 0;
}

static void numbers_have_a_point(void **state)
{
    (void)state;
    set_comma();
    char text[32];
    char *end = NULL;
    rh_error err;
    rh_arena arena = rh__arena_begin(rh_allocator_default(), SIZE_MAX / 2);
    (void)rh__text_fill(text, sizeof text, "%.2f", 1.25);
    assert_string_equal(text, "1.25");
    assert_string_equal(rh__text_print(&arena, "%g", 0.5), "0.5");
    (void)rh__error_fill(&err, RH_E_LIMIT, "%g", 0.5);
    assert_string_equal(err.message, "0.5");
    assert_near(rh__text_number("2.5:3", &end), 2.5, 0.0);
    assert_string_equal(end, ":3");
    assert_int_equal(localeconv()->decimal_point[0], ','); // the program keeps its own
    rh__arena_end(&arena);
}

// --- the same model twice ------------------------------------------------------------------------

// sin(x)/x has a series near 0, which begins at a radius.
static const char TEXT[] = "param g = 9.81\nparam a = 0.1\ncoord x, y\nkinetic (x'^2 + y'^2)/2\n"
                           "potential g*y + sin(x - a)/(x - a)\nconstraint rod: x^2 + y^2 = 1.25\n"
                           "start x = 1, y = -0.5\n";

typedef struct written {
    support_text files[RH_C_FILE_COUNT], checkup;
} written;

static void write_motion(rh_equations *equations, written *out)
{
    rh_error err;
    rh_motion *motion = NULL;
    const rh_motion_def def = rh_motion_def_default();
    assert_int_equal(rh_motion_create(equations, &def, &motion, &err), RH_OK);
    rh_c_def c = rh_c_def_default();
    c.motion = motion;
    c.until = 0.5;
    for (rh_c_file file = 0; file < RH_C_FILE_COUNT; file++) {
        const rh_status status = rh_output_c(&c, file, support_text_sink(&out->files[file]), &err);
        if (status != RH_OK) {
            fail_msg("%s", err.message);
        }
    }
    rh_motion_destroy(motion);
}

static void write_all(written *out)
{
    rh_error err;
    rh_model *model = NULL;
    rh_equations *equations = NULL;
    rh_checkup *checkup = NULL;
    rh_model_def def = rh_model_def_default();
    def.text = TEXT;
    def.text_size = strlen(TEXT);
    const rh_equations_def derive = rh_equations_def_default();
    assert_int_equal(rh_model_create(&def, &model, &err), RH_OK);
    assert_int_equal(rh_equations_create(model, &derive, &equations, &err), RH_OK);
    assert_int_equal(rh_checkup_create(equations, &checkup, &err), RH_OK);
    assert_int_equal(
        rh_output_checkup(checkup, RH_FORMAT_JSON, support_text_sink(&out->checkup), &err), RH_OK);
    write_motion(equations, out);
    rh_checkup_destroy(checkup);
    rh_equations_destroy(equations);
    rh_model_destroy(model);
}

static void what_is_written_is_the_same(void **state)
{
    (void)state;
    written with_point = {.checkup = {NULL, 0}};
    written with_comma = {.checkup = {NULL, 0}};
    write_all(&with_point);
    set_comma();
    write_all(&with_comma);
    assert_string_equal(with_comma.checkup.data, with_point.checkup.data);
    for (size_t k = 0; k < RH_C_FILE_COUNT; k++) {
        assert_string_equal(with_comma.files[k].data, with_point.files[k].data);
        free(with_comma.files[k].data);
        free(with_point.files[k].data);
    }
    free(with_comma.checkup.data);
    free(with_point.checkup.data);
}

// --- what a call writes --------------------------------------------------------------------------

static void what_is_read_is_the_same(void **state)
{
    (void)state;
    static const char GROWTH[] = "param c = 1\nstate x\nlaw x' = c\nstart x = 0\n";
    static const char *const GRIDS[] = {"c=0.5:1.5:3"};
    set_comma();
    rh_error err = {.message = ""};
    rh_sweep *sweep = NULL;
    uint64_t done = 0;
    rh_sweep_def def = rh_sweep_def_default();
    def.model.text = GROWTH;
    def.model.text_size = strlen(GROWTH);
    def.until = 1.0;
    def.grids = GRIDS;
    def.grid_count = 1;
    def.observe = "final(x)";
    const rh_sweep_run_def run = rh_sweep_run_def_default();
    if (rh_sweep_create(&def, &sweep, &err) != RH_OK ||
        rh_sweep_run(sweep, &run, &done, &err) != RH_OK) {
        fail_msg("%s", err.message);
    }
    for (int k = 0; k < 3; k++) {
        rh_sweep_member member;
        bool is_there = false;
        assert_int_equal(rh_sweep_next(sweep, &member, &is_there, &err), RH_OK);
        assert_true(is_there);
        assert_near(member.values[0], 0.5 * (k + 1), 0.0);
        assert_near(member.values[1], 0.5 * (k + 1), 1e-12);
    }
    rh_sweep_destroy(sweep);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(numbers_have_a_point, forget_comma),
        cmocka_unit_test_teardown(what_is_written_is_the_same, forget_comma),
        cmocka_unit_test_teardown(what_is_read_is_the_same, forget_comma),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
