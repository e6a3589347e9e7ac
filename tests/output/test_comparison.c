// SPDX-License-Identifier: Apache-2.0
// Unit tests of src/output/comparison.c and comparison_text.c.

#include "support.h"

#include "json.h"

#include <math.h>
#include <stdlib.h>

enum { VARIANTS = 2, ROWS = 3, COLUMNS = 16 };

typedef struct race {
    rh_model *models[VARIANTS];
    rh_equations *equations[VARIANTS];
    rh_checkup *checkups[VARIANTS];
    rh_motion *motions[VARIANTS];
    rh_outcome_def outcomes[VARIANTS];
    rh_variant variants[VARIANTS];
    double rows[VARIANTS][ROWS * COLUMNS];
    rh_comparison_def def;
} race;

static void begin_one(race *r, size_t k, const char *path, const char *by)
{
    const rh_equations_def equations_def = rh_equations_def_default();
    const rh_motion_def motion_def = rh_motion_def_default();
    r->models[k] = support_model(path);
    assert_int_equal(rh_equations_create(r->models[k], &equations_def, &r->equations[k], NULL),
                     RH_OK);
    assert_int_equal(rh_checkup_create(r->equations[k], &r->checkups[k], NULL), RH_OK);
    assert_int_equal(rh_motion_create(r->equations[k], &motion_def, &r->motions[k], NULL), RH_OK);
    r->outcomes[k] = rh_outcome_def_default();
    r->outcomes[k].motion = r->motions[k];
    r->outcomes[k].checkup = r->checkups[k];
    assert_int_equal(rh_motion_advance(r->motions[k], 1.0, &r->outcomes[k].stop, NULL), RH_OK);
    r->variants[k] =
        (rh_variant){.by = by, .outcome = &r->outcomes[k], .rows = r->rows[k], .row_count = ROWS};
}

static void begin(race *r, const char *first, const char *second)
{
    *r = (race){.def = rh_comparison_def_default()};
    begin_one(r, 0, first, "one");
    begin_one(r, 1, second, "an \"other\"");
    r->def.variants = r->variants;
    r->def.variant_count = VARIANTS;
}

static void end(race *r)
{
    for (size_t k = 0; k < VARIANTS; k++) {
        rh_motion_destroy(r->motions[k]);
        rh_checkup_destroy(r->checkups[k]);
        rh_equations_destroy(r->equations[k]);
        rh_model_destroy(r->models[k]);
    }
}

static support_text write_comparison(const race *r, rh_format format)
{
    support_text text = {0};
    assert_int_equal(rh_output_comparison(&r->def, format, support_text_sink(&text), NULL), RH_OK);
    return text;
}

static const char SKATE[] = "examples/skate_on_incline/model.rhe";

// Rows with known distances: 0.5 at t = 1 in the second column, a gap at t = 2.
static void fill_rows(race *r)
{
    const size_t width = rh_motion_column_count(r->motions[0]);
    assert_true(width <= COLUMNS);
    for (size_t k = 0; k < VARIANTS; k++) {
        for (size_t row = 0; row < ROWS; row++) {
            r->rows[k][row * width] = (double)row;
        }
    }
    r->rows[1][1 * width + 1] = -0.5;
    r->rows[1][2 * width + 1] = NAN;
    r->rows[1][2 * width + 2] = 3.0;
}

static void differences_are_the_largest(void **state)
{
    (void)state;
    race r;
    begin(&r, SKATE, SKATE);
    fill_rows(&r);
    support_text text = write_comparison(&r, RH_FORMAT_JSON);
    assert_true(json_is_valid(text.data, text.size));
    assert_non_null(strstr(text.data, "{\"variants\": [{\"by\": \"one\", \"status\": \"reached\""));
    assert_non_null(strstr(text.data, "\"differences\": [{\"by\": \"an \\\"other\\\"\", "
                                      "\"largest\": {\"x\": 0.5, \"y\": 3, \"th\": 0, "));
    assert_non_null(strstr(text.data, "\"at\": {\"x\": 1, \"y\": 2, \"th\": 0, "));
    free(text.data);
    end(&r);
}

// Only moments to which both came count.
static void the_shorter_motion_ends_the_comparison(void **state)
{
    (void)state;
    race r;
    begin(&r, SKATE, SKATE);
    fill_rows(&r);
    r.variants[0].row_count = 2;
    support_text text = write_comparison(&r, RH_FORMAT_JSON);
    assert_non_null(strstr(text.data, "\"largest\": {\"x\": 0.5, \"y\": 0, \"th\": 0, "));
    free(text.data);
    r.variants[1].row_count = 0;
    text = write_comparison(&r, RH_FORMAT_JSON);
    assert_non_null(strstr(text.data, "\"largest\": {}, \"at\": {}"));
    free(text.data);
    end(&r);
}

static void the_text_has_a_column_for_each(void **state)
{
    (void)state;
    race r;
    begin(&r, SKATE, SKATE);
    fill_rows(&r);
    r.outcomes[1].stop = RH_STOP_NONE;
    r.outcomes[1].reason = "it was\n\033[31mtired";
    support_text text = write_comparison(&r, RH_FORMAT_TEXT);
    assert_non_null(strstr(text.data, "2  an \"other\"\n   stopped at t = 1, because it was?"));
    assert_non_null(strstr(text.data, "reached t = 1       stopped t = 1\n"));
    assert_non_null(strstr(text.data, "\n  x                     -                   0.5 at 1\n"));
    assert_null(strchr(text.data, '\033'));
    free(text.data);
    end(&r);
}

static void wrong_calls_are_refused(void **state)
{
    (void)state;
    race r;
    support_text text = {0};
    const rh_sink sink = support_text_sink(&text);
    begin(&r, SKATE, "examples/pendulum/model.rhe");
    // not the same columns
    assert_int_equal(rh_output_comparison(&r.def, RH_FORMAT_JSON, sink, NULL), RH_E_ARGUMENT);
    end(&r);
    begin(&r, SKATE, SKATE);
    assert_int_equal(rh_output_comparison(&r.def, RH_FORMAT_LATEX, sink, NULL), RH_E_ARGUMENT);
    r.variants[1].rows = NULL;
    assert_int_equal(rh_output_comparison(&r.def, RH_FORMAT_JSON, sink, NULL), RH_E_ARGUMENT);
    r.variants[1].row_count = 0;
    r.variants[1].by = NULL;
    assert_int_equal(rh_output_comparison(&r.def, RH_FORMAT_JSON, sink, NULL), RH_E_ARGUMENT);
    r.def.variant_count = 0;
    assert_int_equal(rh_output_comparison(&r.def, RH_FORMAT_JSON, sink, NULL), RH_E_ARGUMENT);
    assert_int_equal(rh_output_comparison(NULL, RH_FORMAT_JSON, sink, NULL), RH_E_ARGUMENT);
    assert_int_equal(text.size, 0);
    end(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(differences_are_the_largest),
        cmocka_unit_test(the_shorter_motion_ends_the_comparison),
        cmocka_unit_test(the_text_has_a_column_for_each),
        cmocka_unit_test(wrong_calls_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
