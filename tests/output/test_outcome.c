// SPDX-License-Identifier: Apache-2.0
// Unit tests of src/output/outcome.c, outcome_text.c and file.c.

#define _XOPEN_SOURCE 700

#include "support.h"

#include "json.h"

#include "analysis/analysis.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

typedef struct journey {
    rh_model *model;
    rh_equations *equations;
    rh_checkup *checkup;
    rh_motion *motion;
    rh_outcome_def def;
} journey;

static journey begin(const char *path, double until)
{
    journey j = {.model = support_model(path), .def = rh_outcome_def_default()};
    const rh_equations_def equations_def = rh_equations_def_default();
    const rh_motion_def motion_def = rh_motion_def_default();
    rh_error err = RH_ZERO;
    assert_int_equal(rh_equations_create(j.model, &equations_def, &j.equations, &err), RH_OK);
    assert_int_equal(rh_checkup_create(j.equations, &j.checkup, &err), RH_OK);
    assert_int_equal(rh_motion_create(j.equations, &motion_def, &j.motion, &err), RH_OK);
    j.def.time_start = rh_motion_time(j.motion);
    assert_int_equal(rh_motion_advance(j.motion, until, &j.def.stop, &err), RH_OK);
    j.def.motion = j.motion;
    j.def.checkup = j.checkup;
    return j;
}

static void end(journey *j)
{
    rh_motion_destroy(j->motion);
    rh_checkup_destroy(j->checkup);
    rh_equations_destroy(j->equations);
    rh_model_destroy(j->model);
}

static support_text write_outcome(const journey *j, rh_format format)
{
    support_text text = {0};
    assert_int_equal(rh_output_outcome(&j->def, format, support_text_sink(&text), NULL), RH_OK);
    return text;
}

static void check_object(const support_text *text)
{
    assert_true(text->size > 0 && text->data[text->size - 1] == '\n');
    assert_true(json_is_valid(text->data, text->size));
}

static void every_object_is_json(void **state)
{
    (void)state;
    static const char *const MODELS[] = {
        "examples/pendulum/model.rhe", "examples/rolling_disc/model.rhe",
        "examples/chain/model.rhe", "tests/cli/models/stop.rhe", "tests/cli/models/singular.rhe"};
    for (size_t k = 0; k < sizeof MODELS / sizeof *MODELS; k++) {
        journey j = begin(MODELS[k], 3.0);
        support_text text = write_outcome(&j, RH_FORMAT_JSON);
        check_object(&text);
        free(text.data);
        end(&j);
    }
}

// The observes stand at the end and in every row, by the names of their columns.
static void observes_are_told(void **state)
{
    (void)state;
    journey j = begin("examples/pendulum/model.rhe", 2.0);
    const size_t width = rh_motion_column_count(j.motion);
    double *row = calloc(width, sizeof *row);
    assert_non_null(row);
    assert_int_equal(rh_motion_row(j.motion, rh_motion_time(j.motion), row, NULL), RH_OK);
    j.def.rows = row;
    j.def.row_count = 1;
    support_text text = write_outcome(&j, RH_FORMAT_JSON);
    check_object(&text);
    char *const whole = calloc(text.size + 1, 1);
    assert_non_null(whole);
    memcpy(whole, text.data, text.size);
    char wanted[64];
    for (size_t k = 0; k < width; k++) {
        if (rh_motion_column_quantity(j.motion, k) == RH_QUANTITY_OBSERVE) {
            (void)snprintf(wanted, sizeof wanted, "\"observe\": {\"%s",
                           rh_motion_column_name(j.motion, k));
            break;
        }
    }
    const char *last = strstr(whole, wanted);
    assert_non_null(last);
    const char *rows = strstr(whole, "\"at\": [");
    assert_true(rows != NULL && last < rows && strstr(rows, wanted) != NULL);
    free(whole);
    free(row);
    free(text.data);
    end(&j);
}

static void a_reason_may_hold_anything(void **state)
{
    (void)state;
    journey j = begin("examples/pendulum_cartesian/model.rhe", 1.0);
    double row[16] = {0};
    assert_true(rh_motion_column_count(j.motion) <= 16);
    j.def.stop = RH_STOP_NONE;
    j.def.reason = "a \"quote\", a \\ and\na line";
    j.def.rows = row;
    j.def.row_count = 1;
    support_text text = write_outcome(&j, RH_FORMAT_JSON);
    check_object(&text);
    assert_non_null(strstr(text.data, "\"status\": \"stopped\""));
    assert_non_null(strstr(text.data, "\"at\": [{\"time\": 0, "));
    free(text.data);
    end(&j);
}

// A program misses its constraint, and the largest miss is told.
static void what_is_missed_is_told(void **state)
{
    (void)state;
    journey j = begin("examples/pendulum_program/model.rhe", 1.0);
    char expected[64];
    (void)snprintf(expected, sizeof expected, "\"residual\": {\"rod\": %.6f",
                   rh_motion_residual(j.motion, 0));
    support_text text = write_outcome(&j, RH_FORMAT_JSON);
    assert_true(rh_motion_residual(j.motion, 0) > 0.1);
    expected[strlen(expected) - 2] = '\0'; // what rounding leaves
    assert_non_null(strstr(text.data, expected));
    free(text.data);
    end(&j);
}

// Reactions are unique or not at the end of the motion, and the text says since when.
static void what_is_unique_is_told(void **state)
{
    (void)state;
    journey j = begin("tests/cli/models/flat.rhe", 0.0);
    support_text text = write_outcome(&j, RH_FORMAT_JSON);
    assert_non_null(strstr(text.data, "\"unique\": {\"upright[0]\": false, \"upright[1]\": false"));
    free(text.data);
    text = write_outcome(&j, RH_FORMAT_TEXT);
    assert_non_null(strstr(text.data, "\nnot unique        upright[0], upright[1], upright[2], "
                                      "coupler[1], coupler[2]\n"));
    free(text.data);
    end(&j);
    j = begin("tests/cli/models/flat.rhe", 0.1);
    text = write_outcome(&j, RH_FORMAT_JSON);
    assert_non_null(strstr(text.data, "\"unique\": {\"upright[0]\": true, \"upright[1]\": true"));
    free(text.data);
    text = write_outcome(&j, RH_FORMAT_TEXT);
    assert_non_null(strstr(text.data, "\nunique            all reactions since t = "));
    assert_null(strstr(text.data, "not unique"));
    free(text.data);
    end(&j);
}

// The doctor and the motion agree at the start.
static void the_doctor_says_the_same(void **state)
{
    (void)state;
    static const char *const MODELS[] = {
        "examples/bricard/model.rhe", "examples/four_bar/model.rhe",
        "tests/cli/models/flat.rhe",  "examples/rolling_disc/model.rhe",
        "examples/chain/model.rhe",   "examples/lorenz_chetaev/model.rhe"};
    for (size_t k = 0; k < sizeof MODELS / sizeof *MODELS; k++) {
        journey j = begin(MODELS[k], 0.0);
        for (uint32_t link = 0; link < j.checkup->equations->links.count; link++) {
            assert_int_equal(rh_motion_is_unique(j.motion, link), j.checkup->links[link].is_unique);
        }
        end(&j);
    }
}

static void work_and_the_way_back_are_told(void **state)
{
    (void)state;
    journey j = begin("examples/pendulum_cartesian/model.rhe", 1.0);
    const double differences[16] = {NAN, 0.5, NAN};
    const rh_reversal reversal = {
        .largest = 0.25, .differences = differences, .reason = "a \"quote\"\n"};
    rh_work *work = NULL;
    assert_int_equal(rh_work_create(j.motion, &work, NULL), RH_OK);
    j.def.work = work;
    j.def.reversal = &reversal;
    support_text text = write_outcome(&j, RH_FORMAT_JSON);
    check_object(&text);
    assert_non_null(strstr(text.data, "\"work\": {\"forces\": 0, \"constraints\": {\"rod\": 0}, "
                                      "\"impacts\": 0, \"drive\": 0, \"error\": 0}"));
    assert_non_null(strstr(text.data, "\"reversal\": {\"holds\": false, \"largest\": 0.25, "
                                      "\"differences\": {\"x\": 0.5, "));
    free(text.data);
    text = write_outcome(&j, RH_FORMAT_TEXT);
    assert_non_null(strstr(text.data, "not reversible: a \"quote\"?\n"));
    free(text.data);
    rh_work_destroy(work);
    end(&j);
}

static void a_long_list_is_counted(void **state)
{
    (void)state;
    journey j = begin("examples/fekete_points/model.rhe", 0.0);
    support_text text = write_outcome(&j, RH_FORMAT_TEXT);
    assert_non_null(strstr(text.data, " more; --json has all\n"));
    free(text.data);
    end(&j);
}

static void wrong_calls_are_refused(void **state)
{
    (void)state;
    support_text text = {0};
    const rh_sink sink = support_text_sink(&text);
    const rh_outcome_def def = rh_outcome_def_default();
    assert_int_equal(rh_output_outcome(&def, RH_FORMAT_JSON, sink, NULL), RH_E_ARGUMENT);
    assert_int_equal(rh_output_outcome(NULL, RH_FORMAT_JSON, sink, NULL), RH_E_ARGUMENT);
    assert_int_equal(text.size, 0);
}

// --- files -------------------------------------------------------------------------------------

static void a_file_is_whole_or_not_there(void **state)
{
    (void)state;
    char folder[] = "/tmp/rheonom-XXXXXX";
    assert_non_null(mkdtemp(folder));
    char path[64];
    (void)snprintf(path, sizeof path, "%s/a.txt", folder);
    for (int is_kept = 0; is_kept < 2; is_kept++) {
        rh_file *file = NULL;
        assert_int_equal(rh_file_begin(path, &file, NULL), RH_OK);
        const rh_sink sink = rh_file_sink(file);
        assert_true(sink.write(sink.user, "hello\n", 6));
        assert_int_not_equal(access(path, F_OK), 0);
        assert_int_equal(rh_file_end(file, is_kept != 0, NULL), RH_OK);
        assert_int_equal(access(path, F_OK) == 0, is_kept);
    }
    assert_int_equal(unlink(path), 0);
    // nothing else was left
    assert_int_equal(rmdir(folder), 0);
}

static void a_file_that_cannot_be_says_why(void **state)
{
    (void)state;
    rh_error err = RH_ZERO;
    rh_file *file = NULL;
    assert_int_equal(rh_file_begin("/no/such/folder/a.txt", &file, &err), RH_E_WRITE);
    assert_null(file);
    assert_non_null(strstr(err.message, "/no/such/folder/a.txt"));
    assert_int_equal(rh_file_end(NULL, true, NULL), RH_OK);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(observes_are_told),
        cmocka_unit_test(every_object_is_json),
        cmocka_unit_test(a_reason_may_hold_anything),
        cmocka_unit_test(what_is_missed_is_told),
        cmocka_unit_test(what_is_unique_is_told),
        cmocka_unit_test(the_doctor_says_the_same),
        cmocka_unit_test(work_and_the_way_back_are_told),
        cmocka_unit_test(a_long_list_is_counted),
        cmocka_unit_test(wrong_calls_are_refused),
        cmocka_unit_test(a_file_is_whole_or_not_there),
        cmocka_unit_test(a_file_that_cannot_be_says_why),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
