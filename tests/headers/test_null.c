// SPDX-License-Identifier: Apache-2.0
// Calls of the C interface with strings that are not there, and summaries of nothing: they are
// refused or empty, and never read what is not there.

#include "support.h"

#include <rheonom/average.h>
#include <rheonom/chart.h>
#include <rheonom/inverse.h>
#include <rheonom/motion.h>
#include <rheonom/optimum.h>
#include <rheonom/orbit.h>
#include <rheonom/program.h>
#include <rheonom/steady.h>
#include <rheonom/sweep.h>

static const char *const GAP[] = {"k=1", NULL};
static const char TEXT[] = "param k = 1\ncoord x\nkinetic x'^2/2\npotential k*x^2/2\nstart x = 1\n";

static rh_model_def model_def(void)
{
    rh_model_def def = rh_model_def_default();
    def.text = TEXT;
    def.text_size = sizeof TEXT - 1;
    return def;
}

static void refused(rh_model_def def)
{
    rh_model *model = NULL;
    assert_int_equal(rh_model_create(&def, &model, NULL), RH_E_ARGUMENT);
    assert_null(model);
}

static void models_need_their_strings(void **state)
{
    (void)state;
    rh_model_def def = model_def();
    def.set = GAP;
    def.set_count = 2;
    refused(def);
    def = model_def();
    def.start = GAP + 1;
    def.start_count = 1;
    refused(def);
    def = model_def();
    def.by = GAP + 1;
    def.by_count = 1;
    refused(def);
    def = model_def();
    def.observe = GAP + 1;
    def.observe_count = 1;
    refused(def);
    def = model_def();
    def.name = NULL;
    refused(def);
    def = model_def();
    def.text = NULL;
    refused(def);
}

static void searches_need_their_names(void **state)
{
    (void)state;
    rh_model_def text = model_def();
    rh_model *model = NULL;
    rh_equations *equations = NULL;
    rh_equations_def plain = rh_equations_def_default();
    assert_int_equal(rh_model_create(&text, &model, NULL), RH_OK);
    assert_int_equal(rh_equations_create(model, &plain, &equations, NULL), RH_OK);
    const rh_steady_value nameless = {NULL, 1.0};
    rh_steady_def steady = rh_steady_def_default();
    rh_steady *found = NULL;
    steady.fix = &nameless;
    steady.fix_count = 1;
    assert_int_equal(rh_steady_create(equations, &steady, &found, NULL), RH_E_ARGUMENT);
    rh_chart_def chart = rh_chart_def_default();
    rh_chart *drawn = NULL;
    assert_int_equal(rh_chart_create(equations, &chart, &drawn, NULL), RH_E_ARGUMENT);
    const rh_optimum_range range = {NULL, 0.0, 1.0};
    rh_optimum_def optimum = rh_optimum_def_default();
    rh_optimum *best = NULL;
    optimum.over = &range;
    optimum.over_count = 1;
    assert_int_equal(rh_optimum_create(equations, &optimum, &best, NULL), RH_E_ARGUMENT);
    optimum.over = NULL;
    assert_int_equal(rh_optimum_create(equations, &optimum, &best, NULL), RH_E_ARGUMENT);
    rh_linear_def linear = rh_linear_def_default();
    rh_linear *system = NULL;
    linear.inputs = GAP + 1;
    linear.input_count = 1;
    assert_int_equal(rh_linear_create(equations, &linear, &system, NULL), RH_E_ARGUMENT);
    rh_equations_destroy(equations);
    rh_model_destroy(model);
}

static void sweeps_need_their_strings(void **state)
{
    (void)state;
    rh_sweep_def def = rh_sweep_def_default();
    rh_sweep *sweep = NULL;
    def.model = model_def();
    def.model.set = GAP;
    def.model.set_count = 2;
    assert_int_equal(rh_sweep_create(&def, &sweep, NULL), RH_E_ARGUMENT);
}

static void summaries_of_nothing_are_empty(void **state)
{
    (void)state;
    assert_int_equal(rh_chart_summarise(NULL).struct_size, sizeof(rh_chart_summary));
    assert_int_equal(rh_inverse_summarise(NULL).struct_size, sizeof(rh_inverse_summary));
    assert_int_equal(rh_motion_summarise(NULL).struct_size, sizeof(rh_motion_summary));
    assert_int_equal(rh_work_summarise(NULL).struct_size, sizeof(rh_work_summary));
    assert_int_equal(rh_optimum_summarise(NULL).struct_size, sizeof(rh_optimum_summary));
    assert_int_equal(rh_orbit_summarise(NULL).struct_size, sizeof(rh_orbit_summary));
    assert_int_equal(rh_program_summarise(NULL).struct_size, sizeof(rh_program_summary));
    assert_int_equal(rh_steady_summarise(NULL).solution_count, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(models_need_their_strings),
        cmocka_unit_test(searches_need_their_names),
        cmocka_unit_test(sweeps_need_their_strings),
        cmocka_unit_test(summaries_of_nothing_are_empty),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
