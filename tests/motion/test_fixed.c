// SPDX-License-Identifier: Apache-2.0
// Steps of one length: case D0, orders of convergence, and how a step ends early.

#include "support.h"

#include <math.h>
#include <stdlib.h>

typedef struct travel {
    rh_model *model;
    rh_equations *equations;
    rh_motion *motion;
} travel;

static travel begin(const char *text, const char *const *set, size_t set_count, rh_method method,
                    double step)
{
    travel it = {NULL, NULL, NULL};
    rh_error err;
    rh_model_def def = rh_model_def_default();
    def.text = text;
    def.text_size = strlen(text);
    def.set = set;
    def.set_count = set_count;
    assert_int_equal(rh_model_create(&def, &it.model, &err), RH_OK);
    const rh_equations_def derive = rh_equations_def_default();
    assert_int_equal(rh_equations_create(it.model, &derive, &it.equations, &err), RH_OK);
    rh_motion_def move = rh_motion_def_default();
    move.method = method;
    move.step = step;
    assert_int_equal(rh_motion_create(it.equations, &move, &it.motion, &err), RH_OK);
    return it;
}

static void end(travel *it)
{
    rh_motion_destroy(it->motion);
    rh_equations_destroy(it->equations);
    rh_model_destroy(it->model);
}

static double value(travel *it, const char *name)
{
    double row[64];
    rh_error err;
    assert_true(rh_motion_column_count(it->motion) <= 64);
    assert_int_equal(rh_motion_row(it->motion, rh_motion_time(it->motion), row, &err), RH_OK);
    for (size_t k = 0; k < rh_motion_column_count(it->motion); k++) {
        if (strcmp(rh_motion_column_name(it->motion, k), name) == 0) {
            return row[k];
        }
    }
    fail_msg("no column %s", name);
    return NAN;
}

static void go(travel *it, double time)
{
    rh_stop stop = RH_STOP_NONE;
    rh_error err;
    assert_int_equal(rh_motion_advance(it->motion, time, &stop, &err), RH_OK);
    assert_int_equal(stop, RH_STOP_REACHED);
}

// Reference case D0: the deviation is the integrator's; gains that help Euler hurt a method of
// order 4.
static void the_drift_is_the_reference(void **state)
{
    static const struct {
        rh_method method;
        double step;
        const char *set[2];
        double deviation;
    } CASES[] = {
        {RH_METHOD_EULER, 0.001, {"w=0", "mu=0"}, 1.735790896e-01},
        {RH_METHOD_EULER, 0.001, {"w=5", "mu=5"}, 1.924331566e-03},
        {RH_METHOD_EULER, 0.001, {"w=20", "mu=20"}, 5.532808807e-04},
        {RH_METHOD_RK4, 0.01, {"w=0", "mu=0"}, -7.17659293e-05},
        {RH_METHOD_RK4, 0.01, {"w=5", "mu=5"}, 1.7442175e-07},
        {RH_METHOD_RK4, 0.01, {"w=20", "mu=20"}, 2.4012994e-06},
    };
    (void)state;
    size_t size = 0;
    char *text = support_read("examples/pendulum_program/drift.rhe", &size);
    for (size_t k = 0; k < sizeof CASES / sizeof *CASES; k++) {
        travel it = begin(text, CASES[k].set, 2, CASES[k].method, CASES[k].step);
        go(&it, 10.0);
        assert_near_by(value(&it, "dev.rod"), CASES[k].deviation, 1e-6, 0.0);
        end(&it);
    }
    free(text);
}

// y'' = -25 y - 10 y' from (0.1, 0) after 200 steps of Euler's: below the limit 0.4 and beyond it.
static void beyond_the_limit_deviations_grow(void **state)
{
    static const char TEXT[] = "coord y\nkinetic y'^2/2\n"
                               "constraint aim: y = 0 with aim'' = -25*aim - 10*aim'\n"
                               "start y = 0.1, y' = 0\n";
    (void)state;
    travel it = begin(TEXT, NULL, 0, RH_METHOD_EULER, 0.39);
    go(&it, 78.0);
    assert_int_equal(rh_motion_summarise(it.motion).steps, 200);
    assert_near_by(value(&it, "y"), -0.0014355, 0.0, 5e-8);
    end(&it);
    it = begin(TEXT, NULL, 0, RH_METHOD_EULER, 0.41);
    go(&it, 82.0);
    assert_near_by(value(&it, "y"), -673504.85, 1e-8, 0.0);
    end(&it);
}

// Half the step, 2^order less of the error.
static void orders_are_what_they_are_called(void **state)
{
    static const char TEXT[] = "coord x\nkinetic x'^2/2\npotential -cos(x)\nforce x: sin(t)/3\n"
                               "start x = 1, x' = 0\n";
    static const struct {
        rh_method method;
        const char *name;
        double order;
    } CASES[] = {{RH_METHOD_EULER, "euler", 1.0},
                 {RH_METHOD_RK2, "rk2", 2.0},
                 {RH_METHOD_RK3, "rk3", 3.0},
                 {RH_METHOD_RK4, "rk4", 4.0},
                 {RH_METHOD_DP5, "dp5", 5.0}};
    (void)state;
    for (size_t k = 0; k < sizeof CASES / sizeof *CASES; k++) {
        double error[2] = {0.0, 0.0};
        for (size_t half = 0; half < 2; half++) {
            const double step = (half == 0 ? 0.02 : 0.01) * (k == 0 ? 0.1 : k < 3 ? 1.0 : 5.0);
            travel exact = begin(TEXT, NULL, 0, RH_METHOD_TAYLOR, 0.0);
            travel it = begin(TEXT, NULL, 0, CASES[k].method, step);
            assert_string_equal(rh_motion_method(it.motion), CASES[k].name);
            assert_near(rh_motion_fixed_step(it.motion), step, 0.0);
            assert_near(rh_motion_fixed_step(exact.motion), 0.0, 0.0);
            for (int t = 1; t <= 8; t++) {
                go(&exact, t);
                go(&it, t);
                error[half] += hypot(value(&it, "x") - value(&exact, "x"),
                                     value(&it, "x'") - value(&exact, "x'"));
            }
            end(&it);
            end(&exact);
        }
        assert_near(log2(error[0] / error[1]), CASES[k].order, 0.04);
    }
}

// A step ends at an event, and where the caller wants to be.
static void events_end_a_step(void **state)
{
    (void)state;
    travel it = begin("coord x\nkinetic x'^2/2\nevent half: x = 0.55 stop\nstart x = 0, x' = 1\n",
                      NULL, 0, RH_METHOD_RK4, 0.1);
    rh_stop stop = RH_STOP_NONE;
    rh_error err;
    assert_int_equal(rh_motion_advance(it.motion, 2.0, &stop, &err), RH_OK);
    assert_int_equal(stop, RH_STOP_EVENT);
    assert_near(rh_motion_time(it.motion), 0.55, 1e-12);
    end(&it);
    it = begin("coord x\nkinetic x'^2/2\nstart x = 0, x' = 1\n", NULL, 0, RH_METHOD_EULER, 0.4);
    go(&it, 1.0);
    assert_near(value(&it, "x"), 1.0, 1e-15);
    assert_int_equal(rh_motion_summarise(it.motion).steps, 3);
    end(&it);
}

// A saved motion goes on with the same bits, and not with other steps.
static void saved_motions_go_on(void **state)
{
    static const char TEXT[] = "coord x\nkinetic x'^2/2\npotential -cos(x)\nstart x = 1, x' = 0\n";
    (void)state;
    rh_error err;
    support_text bytes = {NULL, 0};
    const rh_keep_def keep = rh_keep_def_default();
    travel it = begin(TEXT, NULL, 0, RH_METHOD_RK4, 0.1);
    assert_int_equal(rh_motion_keep(it.motion, &keep, &err), RH_OK);
    go(&it, 1.0);
    assert_int_equal(rh_motion_save(it.motion, support_text_sink(&bytes), &err), RH_OK);
    go(&it, 3.0);
    travel same = begin(TEXT, NULL, 0, RH_METHOD_RK4, 0.1);
    assert_int_equal(rh_motion_keep(same.motion, &keep, &err), RH_OK);
    assert_int_equal(rh_motion_load(same.motion, bytes.data, bytes.size, &err), RH_OK);
    go(&same, 1.0);
    go(&same, 3.0);
    assert_near(value(&same, "x"), value(&it, "x"), 0.0);
    end(&same);
    travel other = begin(TEXT, NULL, 0, RH_METHOD_RK4, 0.2);
    assert_int_equal(rh_motion_keep(other.motion, &keep, &err), RH_OK);
    assert_int_equal(rh_motion_load(other.motion, bytes.data, bytes.size, &err), RH_E_ARGUMENT);
    assert_non_null(strstr(err.message, "its steps have the length 0.1, and not 0.2"));
    end(&other);
    end(&it);
    free(bytes.data);
}

static void a_length_is_needed(void **state)
{
    (void)state;
    rh_error err;
    travel it = begin("coord x\nkinetic x'^2/2\n", NULL, 0, RH_METHOD_AUTO, 0.0);
    rh_motion_def def = rh_motion_def_default();
    rh_motion *motion = NULL;
    def.method = RH_METHOD_RK4;
    assert_int_equal(rh_motion_create(it.equations, &def, &motion, &err), RH_E_ARGUMENT);
    assert_non_null(strstr(err.message, "needs the length of its steps"));
    end(&it);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_drift_is_the_reference),
        cmocka_unit_test(beyond_the_limit_deviations_grow),
        cmocka_unit_test(orders_are_what_they_are_called),
        cmocka_unit_test(events_end_a_step),
        cmocka_unit_test(saved_motions_go_on),
        cmocka_unit_test(a_length_is_needed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
