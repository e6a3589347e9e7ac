// SPDX-License-Identifier: Apache-2.0
// Systems and evaluators: names, rates and matrices against closed forms and motions, derivatives
// against differences, parameters, inputs, one-sided constraints, threads that share a system.

#include "support.h"

#include "rheonom/motion.h"
#include "rheonom/system.h"

#include <math.h>
#include <stdio.h>
#include <pthread.h>

enum { MOST = 32 };

typedef struct bench {
    rh_model *model;
    rh_equations *equations;
    rh_system *system;
    rh_evaluator *evaluator;
    size_t n, velocities, inputs, constraints;
    double x[MOST];
    rh_error err;
} bench;

static bench begin_with(const char *text, const char *const *set, size_t set_count)
{
    bench it = {.n = 0};
    rh_model_def def = rh_model_def_default();
    def.text = text;
    def.text_size = strlen(text);
    def.set = set;
    def.set_count = set_count;
    const rh_equations_def derive = rh_equations_def_default();
    const rh_system_def make = rh_system_def_default();
    if (rh_model_create(&def, &it.model, &it.err) != RH_OK ||
        rh_equations_create(it.model, &derive, &it.equations, &it.err) != RH_OK ||
        rh_system_create(it.equations, &make, &it.system, &it.err) != RH_OK ||
        rh_evaluator_create(it.system, &it.evaluator, &it.err) != RH_OK) {
        fail_msg("%s, in:\n%s", it.err.message, text);
    }
    it.n = rh_system_count(it.system, RH_ITEM_VARIABLE);
    it.velocities = rh_system_velocity_count(it.system);
    it.inputs = rh_system_input_count(it.system);
    it.constraints = rh_system_count(it.system, RH_ITEM_CONSTRAINT);
    assert_true(it.n + it.inputs <= MOST && it.constraints <= MOST);
    for (size_t k = 0; k < it.n; k++) {
        it.x[k] = rh_system_item(it.system, RH_ITEM_VARIABLE, k).value;
    }
    return it;
}

static bench begin(const char *text)
{
    return begin_with(text, NULL, 0);
}

static void end(bench *it)
{
    rh_evaluator_destroy(it->evaluator);
    rh_system_destroy(it->system);
    rh_equations_destroy(it->equations);
    rh_model_destroy(it->model);
}

static void run(bench *it, double t, const double *u)
{
    if (rh_evaluator_run(it->evaluator, t, it->x, u, &it->err) != RH_OK) {
        fail_msg("%s", it->err.message);
    }
}

static const char PENDULUMS[] = "param m[1..2] = [2, 3], l[1..2] = [1, 0.5], g = 9.81\n"
                                "coord a, b\n"
                                "let x1 = l[1]*sin(a)\nlet y1 = -l[1]*cos(a)\n"
                                "let x2 = x1 + l[2]*sin(b)\nlet y2 = y1 - l[2]*cos(b)\n"
                                "kinetic m[1]*(x1'^2 + y1'^2)/2 + m[2]*(x2'^2 + y2'^2)/2\n"
                                "potential g*(m[1]*y1 + m[2]*y2)\n"
                                "start a = 0.7, b = -0.4, a' = 1.5, b' = -2\n";

static const char SLEIGH[] =
    "param c = 0.3, m = 2, J = 0.7\ncoord x, y, th\nstate z\ninput u from \"u.csv\"\n"
    "input w = 2*t\nkinetic (m*(x'^2 + y'^2) + J*th'^2)/2\nforce th: u - 0.1*th' + w\n"
    "constraint blade: -x'*sin(th) + y'*cos(th) - c*th' = 0\nlaw z' = x*u\n"
    "observe speed = x'*cos(th) + y'*sin(th)\nevent turned: th = 1 record\n"
    "start x = 0.1, y = 0.2, th = 0.4, th' = 0.9, x' = 1.2, z = 3\n";

// --- names ---------------------------------------------------------------------------------------

static void expect_item(const bench *it, rh_item_kind kind, size_t index, const char *name,
                        const char *type, double value)
{
    const rh_item item = rh_system_item(it->system, kind, index);
    assert_string_equal(item.name, name);
    assert_string_equal(item.type, type);
    assert_true(isnan(value) ? isnan(item.value) : fabs(item.value - value) < 1e-15);
    assert_int_equal(rh_system_find(it->system, kind, name), index);
}

static void everything_has_a_name(void **state)
{
    (void)state;
    bench it = begin(SLEIGH);
    assert_int_equal(rh_system_count(it.system, RH_ITEM_PARAMETER), 3);
    expect_item(&it, RH_ITEM_PARAMETER, 1, "m", "", 2.0);
    assert_int_equal(it.n, 7);
    expect_item(&it, RH_ITEM_VARIABLE, 0, "x", "coordinate", 0.1);
    expect_item(&it, RH_ITEM_VARIABLE, 5, "th'", "velocity", 0.9);
    expect_item(&it, RH_ITEM_VARIABLE, 6, "z", "state", 3.0);
    expect_item(&it, RH_ITEM_INPUT, 0, "u", "file", NAN);
    expect_item(&it, RH_ITEM_INPUT, 1, "w", "formula", NAN);
    assert_int_equal(it.inputs, 1);
    expect_item(&it, RH_ITEM_CONSTRAINT, 0, "blade", "nonholonomic", NAN);
    expect_item(&it, RH_ITEM_OBSERVE, 0, "speed", "", NAN);
    expect_item(&it, RH_ITEM_EVENT, 0, "turned", "record", NAN);
    assert_int_equal(rh_system_find(it.system, RH_ITEM_EVENT, "turn"), SIZE_MAX);
    assert_string_equal(rh_system_item(it.system, RH_ITEM_EVENT, 1).name, "");
    assert_int_equal(rh_system_count(it.system, (rh_item_kind)99), 0);
    end(&it);
}

// --- closed forms --------------------------------------------------------------------------------

static void matrices_of_a_double_pendulum(void **state)
{
    (void)state;
    bench it = begin(PENDULUMS);
    run(&it, 0.0, NULL);
    const double a = 0.7;
    const double b = -0.4;
    const double coupling = 3.0 * 0.5 * cos(a - b);
    const double mass[4] = {5.0, coupling, coupling, 0.75};
    const double turn = 3.0 * 0.5 * sin(a - b);
    const double force[2] = {-turn * 4.0 - 5.0 * 9.81 * sin(a), turn * 2.25 - 1.5 * 9.81 * sin(b)};
    double found[4];
    double pull[2];
    double rates[4];
    rh_evaluator_mass_matrix(it.evaluator, found);
    rh_evaluator_forces(it.evaluator, pull);
    rh_evaluator_rates(it.evaluator, rates);
    for (size_t k = 0; k < 4; k++) {
        assert_near(found[k], mass[k], 1e-14);
    }
    for (size_t k = 0; k < 2; k++) {
        assert_near(pull[k], force[k], 1e-13);
        assert_near(rates[k], it.x[2 + k], 0.0);
        assert_near(mass[2 * k] * rates[2] + mass[2 * k + 1] * rates[3], force[k], 1e-12);
    }
    end(&it);
}

// M v' = h + B lambda, C = B^T, observed quantities, deviations.
static void a_constraint_acts(void **state)
{
    (void)state;
    bench it = begin(SLEIGH);
    const double u = 0.6;
    run(&it, 0.25, &u);
    double mass[16];
    double force[4];
    double rates[7];
    double row[4];
    double push[4];
    double lambda = 0.0;
    double speed = 0.0;
    double missed = 1.0;
    rh_evaluator_mass_matrix(it.evaluator, mass);
    rh_evaluator_forces(it.evaluator, force);
    rh_evaluator_rates(it.evaluator, rates);
    rh_evaluator_constraint_jacobian(it.evaluator, row);
    rh_evaluator_directions(it.evaluator, push);
    rh_evaluator_multipliers(it.evaluator, &lambda);
    rh_evaluator_observes(it.evaluator, &speed);
    rh_evaluator_deviations(it.evaluator, &missed);
    const double th = 0.4;
    const double expected[4] = {-sin(th), cos(th), -0.3, 0.0};
    assert_int_equal(it.velocities, 4); // the state z may be moved by reactions too
    assert_near(force[2], u - 0.09 + 0.5, 1e-15);
    for (size_t r = 0; r < 4; r++) {
        double sum = -force[r] - push[r] * lambda;
        for (size_t c = 0; c < 4; c++) {
            sum += mass[4 * r + c] * rates[3 + c];
        }
        assert_near(sum, 0.0, 1e-13);
        assert_near(row[r], expected[r], 1e-15);
        assert_near(push[r], expected[r], 1e-15);
    }
    assert_near(rates[6], 0.1 * u, 1e-16);
    assert_near(speed, it.x[3] * cos(th) + it.x[4] * sin(th), 1e-15);
    assert_near(missed, 0.0, 1e-15);
    end(&it);
}

// --- motions -------------------------------------------------------------------------------------

// Rates against differences of a motion.
static void rates_are_those_of_a_motion(void **state)
{
    (void)state;
    bench it = begin(PENDULUMS);
    const rh_motion_def def = rh_motion_def_default();
    rh_motion *motion = NULL;
    rh_stop stop = RH_STOP_NONE;
    double rows[3][MOST];
    double rates[4];
    const double h = 1e-3;
    assert_int_equal(rh_motion_create(it.equations, &def, &motion, &it.err), RH_OK);
    assert_true(rh_motion_column_count(motion) <= MOST);
    for (size_t k = 0; k < 3; k++) {
        const double t = 0.5 + h * ((double)k - 1.0);
        assert_int_equal(rh_motion_advance(motion, t, &stop, &it.err), RH_OK);
        assert_int_equal(rh_motion_row(motion, t, rows[k], &it.err), RH_OK);
    }
    for (size_t k = 0; k < 4; k++) { // the columns are the time and x, here
        it.x[k] = rows[1][1 + k];
    }
    run(&it, 0.5, NULL);
    rh_evaluator_rates(it.evaluator, rates);
    for (size_t k = 0; k < 4; k++) {
        assert_near(rates[k], (rows[2][1 + k] - rows[0][1 + k]) / (2.0 * h), 1e-3);
    }
    rh_motion_destroy(motion);
    end(&it);
}

// --- derivatives ---------------------------------------------------------------------------------

static void values_at(bench *it, size_t column, double push, double t, double u, double *rates,
                      double *multipliers)
{
    const double kept = column < it->n ? it->x[column] : 0.0;
    const double input = u + (column < it->n ? 0.0 : push);
    if (column < it->n) {
        it->x[column] += push;
    }
    run(it, t, &input);
    if (column < it->n) {
        it->x[column] = kept;
    }
    rh_evaluator_rates(it->evaluator, rates);
    rh_evaluator_multipliers(it->evaluator, multipliers);
}

static void derivatives_are_differences(void **state)
{
    (void)state;
    static const char *const TEXTS[] = {PENDULUMS, SLEIGH};
    for (size_t m = 0; m < 2; m++) {
        bench it = begin(TEXTS[m]);
        const size_t columns = it.n + it.inputs;
        double slopes[MOST * MOST];
        double reactions[MOST * MOST];
        double rates[2][MOST];
        double lambda[2][MOST];
        const double h = 1e-5;
        const double u = 0.6;
        run(&it, 0.25, &u);
        assert_int_equal(rh_evaluator_derivatives(it.evaluator, slopes, reactions, &it.err), RH_OK);
        for (size_t c = 0; c < columns; c++) {
            values_at(&it, c, h, 0.25, u, rates[0], lambda[0]);
            values_at(&it, c, -h, 0.25, u, rates[1], lambda[1]);
            for (size_t r = 0; r < it.n; r++) {
                assert_near(slopes[r * columns + c], (rates[0][r] - rates[1][r]) / (2.0 * h), 1e-7);
            }
            for (size_t r = 0; r < it.constraints; r++) {
                assert_near(reactions[r * columns + c], (lambda[0][r] - lambda[1][r]) / (2.0 * h),
                            1e-7);
            }
        }
        end(&it);
    }
}

// Rates and multipliers at the same point of a model made anew with another value of a parameter.
static void values_with(const char *text, const rh_item *parameter, double value, const double *x,
                        double u, double *rates, double *multipliers)
{
    char setting[80];
    (void)snprintf(setting, sizeof setting, "%s=%.17g", parameter->name, value);
    const char *const set[] = {setting};
    bench it = begin_with(text, set, 1);
    memcpy(it.x, x, it.n * sizeof *x);
    run(&it, 0.25, &u);
    rh_evaluator_rates(it.evaluator, rates);
    rh_evaluator_multipliers(it.evaluator, multipliers);
    end(&it);
}

// A rod and a spring whose damping, tilt and drive are 0, on a rail; a size; a whole exponent.
static const char CART[] =
    "param n = 2, m = 1.5, k = 3, c = 0, tilt = 0, f = 0, l = 0.8, power = 3, w = 1.2\n"
    "coord x[1..n], a\n"
    "kinetic m*(x[1]'^2 + x[2]'^2)/2 + (l*a')^2/2\n"
    "potential k*(x[1] - x[2])^power + 9.81*(cos(tilt)*l*cos(a) + sin(tilt)*x[1])\n"
    "force x[1]: f*sin(w*t) - c*x[1]'\nforce a: -c*a'^3\n"
    "constraint joint: x[2] - l*sin(a) = 0\n"
    "start a = 0.3, a' = 0.7, x[1] = 0.5, x[1]' = -0.2\n";

static void expect_parameter_derivatives(const char *text, const char *const *unknown,
                                         size_t unknown_count)
{
    enum { PARAMETERS = 10 };
    bench it = begin(text);
    const size_t columns = rh_system_count(it.system, RH_ITEM_PARAMETER);
    double slopes[MOST * PARAMETERS];
    double reactions[MOST * PARAMETERS];
    double rates[2][MOST];
    double lambda[2][MOST];
    const double h = 1e-5;
    const double u = 0.6;
    assert_true(columns <= PARAMETERS);
    run(&it, 0.25, &u);
    assert_int_equal(rh_evaluator_parameter_derivatives(it.evaluator, slopes, reactions, &it.err),
                     RH_OK);
    for (size_t c = 0; c < columns; c++) {
        const rh_item item = rh_system_item(it.system, RH_ITEM_PARAMETER, c);
        bool is_unknown = false;
        for (size_t k = 0; k < unknown_count; k++) {
            is_unknown = is_unknown || strcmp(unknown[k], item.name) == 0;
        }
        if (is_unknown) {
            assert_true(isnan(slopes[c]));
            continue;
        }
        values_with(text, &item, item.value + h, it.x, u, rates[0], lambda[0]);
        values_with(text, &item, item.value - h, it.x, u, rates[1], lambda[1]);
        for (size_t r = 0; r < it.n; r++) {
            assert_near(slopes[r * columns + c], (rates[0][r] - rates[1][r]) / (2.0 * h), 1e-7);
        }
        for (size_t r = 0; r < it.constraints; r++) {
            assert_near(reactions[r * columns + c], (lambda[0][r] - lambda[1][r]) / (2.0 * h),
                        1e-7);
        }
    }
    end(&it);
}

static void parameter_derivatives_are_differences(void **state)
{
    (void)state;
    static const char *const FIXED[] = {"n", "power"};
    expect_parameter_derivatives(PENDULUMS, NULL, 0);
    expect_parameter_derivatives(SLEIGH, NULL, 0);
    expect_parameter_derivatives(CART, FIXED, 2);
    expect_parameter_derivatives("param m = 0, k = 2\ncoord x, y\nkinetic x'^2/2 + m*y'^2/2\n"
                                 "potential k*(x - y)^2/2\nconstraint tie: y = 2*x\n"
                                 "start x = 1\n",
                                 NULL, 0);
    expect_parameter_derivatives("state x\nlaw x' = -x\nstart x = 1\n", NULL, 0);
}

// --- parameters, inputs, contacts ----------------------------------------------------------------

static void parameters_are_the_evaluators_own(void **state)
{
    (void)state;
    static const char *const SET[] = {"m[2]=4", "g=3.5"};
    bench it = begin(PENDULUMS);
    bench other = begin_with(PENDULUMS, SET, 2);
    rh_evaluator *second = NULL;
    double p[5];
    double rates[3][4];
    for (size_t k = 0; k < 5; k++) {
        p[k] = rh_system_item(it.system, RH_ITEM_PARAMETER, k).value;
    }
    p[rh_system_find(it.system, RH_ITEM_PARAMETER, "m[2]")] = 4.0;
    p[rh_system_find(it.system, RH_ITEM_PARAMETER, "g")] = 3.5;
    assert_int_equal(rh_evaluator_set_parameters(it.evaluator, p, &it.err), RH_OK);
    assert_int_equal(rh_evaluator_create(it.system, &second, &it.err), RH_OK);
    run(&it, 0.0, NULL);
    run(&other, 0.0, NULL);
    rh_evaluator_rates(it.evaluator, rates[0]);
    rh_evaluator_rates(other.evaluator, rates[1]);
    assert_int_equal(rh_evaluator_run(second, 0.0, it.x, NULL, &it.err), RH_OK);
    rh_evaluator_rates(second, rates[2]);
    for (size_t k = 0; k < 4; k++) {
        assert_near(rates[0][k], rates[1][k], 1e-14);
    }
    assert_true(fabs(rates[2][2] - rates[0][2]) > 1e-3);
    p[0] = 0.0; // other equations hold for a mass of zero
    assert_int_equal(rh_evaluator_set_parameters(it.evaluator, p, &it.err), RH_E_UNAVAILABLE);
    run(&it, 0.0, NULL);
    rh_evaluator_rates(it.evaluator, rates[2]);
    for (size_t k = 0; k < 4; k++) {
        assert_near(rates[2][k], rates[0][k], 0.0);
    }
    rh_evaluator_destroy(second);
    end(&other);
    end(&it);
}

static void contacts_act_when_they_are_told(void **state)
{
    (void)state;
    bench it =
        begin("coord y, z\nkinetic (y'^2 + z'^2)/2\npotential 9.81*y\n"
              "constraint floor: y >= 0 impact 0.5\nconstraint rod: z = y\nstart y = 0, y' = 0\n");
    double rates[2];
    double lambda[2];
    assert_int_equal(rh_evaluator_set_active(it.evaluator, 1, false, &it.err), RH_E_ARGUMENT);
    end(&it);
    it = begin("coord y\nkinetic y'^2/2\npotential 9.81*y\nconstraint floor: y >= 0 impact 0.5\n"
               "start y = 0, y' = 0\n");
    run(&it, 0.0, NULL);
    rh_evaluator_rates(it.evaluator, rates);
    rh_evaluator_multipliers(it.evaluator, lambda);
    assert_near(rates[1], -9.81, 1e-15);
    assert_near(lambda[0], 0.0, 0.0);
    assert_int_equal(rh_evaluator_set_active(it.evaluator, 0, true, &it.err), RH_OK);
    run(&it, 0.0, NULL);
    rh_evaluator_rates(it.evaluator, rates);
    rh_evaluator_multipliers(it.evaluator, lambda);
    assert_near(rates[1], 0.0, 1e-15);
    assert_near(lambda[0], 9.81, 1e-14);
    end(&it);
}

static void what_has_no_value_is_refused(void **state)
{
    (void)state;
    bench it = begin("state x\nlaw x' = log(x)\nstart x = 1\n");
    double none[4];
    assert_int_equal(rh_evaluator_derivatives(it.evaluator, none, none, &it.err), RH_E_ARGUMENT);
    it.x[0] = -1.0;
    assert_int_equal(rh_evaluator_run(it.evaluator, 0.0, it.x, NULL, &it.err), RH_E_UNAVAILABLE);
    assert_int_equal(rh_evaluator_run(it.evaluator, 0.0, NULL, NULL, &it.err), RH_E_ARGUMENT);
    assert_int_equal(rh_evaluator_create(NULL, &it.evaluator, &it.err), RH_E_ARGUMENT);
    rh_evaluator_destroy(NULL);
    rh_system_destroy(NULL);
    assert_int_equal(rh_system_velocity_count(NULL), 0);
    end(&it);
}

static void expect_no_results(const bench *it)
{
    double out[4] = {0.0};
    rh_evaluator_rates(it->evaluator, out);
    assert_true(isnan(out[0]) && isnan(out[1]));
    rh_evaluator_mass_matrix(it->evaluator, out);
    assert_true(isnan(out[0]));
    rh_evaluator_multipliers(it->evaluator, out);
    assert_true(isnan(out[0]));
    rh_evaluator_deviations(it->evaluator, out);
    assert_true(isnan(out[0]));
}

static void there_are_no_results_without_a_point(void **state)
{
    (void)state;
    bench it = begin("param m = 2\ncoord x\nkinetic m*x'^2/2\npotential -log(x)\n"
                     "constraint wall: x >= 0.5 impact 0\nstart x = 1\n");
    const double m = 3.0;
    expect_no_results(&it);
    run(&it, 0.0, NULL);
    assert_int_equal(rh_evaluator_set_active(it.evaluator, 0, true, &it.err), RH_OK);
    expect_no_results(&it);
    run(&it, 0.0, NULL);
    assert_int_equal(rh_evaluator_set_parameters(it.evaluator, &m, &it.err), RH_OK);
    expect_no_results(&it);
    it.x[0] = 0.0;
    assert_int_equal(rh_evaluator_run(it.evaluator, 0.0, it.x, NULL, &it.err), RH_E_UNAVAILABLE);
    expect_no_results(&it);
    end(&it);
}

// --- threads -------------------------------------------------------------------------------------

typedef struct errand {
    const rh_system *system;
    const double *x;
    double g;
    double sum;
    rh_status status;
} errand;

static void *work(void *user)
{
    errand *it = user;
    rh_evaluator *evaluator = NULL;
    double p[5];
    double rates[4];
    double slopes[16];
    for (size_t k = 0; k < 5; k++) {
        p[k] = rh_system_item(it->system, RH_ITEM_PARAMETER, k).value;
    }
    it->status = rh_evaluator_create(it->system, &evaluator, NULL);
    for (int k = 0; it->status == RH_OK && k < 50; k++) {
        p[4] = it->g + k;
        it->status = rh_evaluator_set_parameters(evaluator, p, NULL);
        if (it->status == RH_OK) {
            it->status = rh_evaluator_run(evaluator, 0.0, it->x, NULL, NULL);
        }
        if (it->status == RH_OK) {
            it->status = rh_evaluator_derivatives(evaluator, slopes, NULL, NULL);
            rh_evaluator_rates(evaluator, rates);
            it->sum += rates[2] + rates[3] + slopes[8];
        }
    }
    rh_evaluator_destroy(evaluator);
    return NULL;
}

static void threads_share_a_system(void **state)
{
    (void)state;
    enum { THREADS = 4 };
    bench it = begin(PENDULUMS);
    errand together[THREADS];
    pthread_t threads[THREADS];
    for (int k = 0; k < THREADS; k++) {
        together[k] = (errand){.system = it.system, .x = it.x, .g = 1.0 + k};
        assert_int_equal(pthread_create(&threads[k], NULL, work, &together[k]), 0);
    }
    for (int k = 0; k < THREADS; k++) {
        errand alone = {.system = it.system, .x = it.x, .g = 1.0 + k};
        (void)pthread_join(threads[k], NULL);
        (void)work(&alone);
        assert_int_equal(together[k].status, RH_OK);
        assert_near(together[k].sum, alone.sum, 0.0);
    }
    end(&it);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(everything_has_a_name),
                                       cmocka_unit_test(matrices_of_a_double_pendulum),
                                       cmocka_unit_test(a_constraint_acts),
                                       cmocka_unit_test(rates_are_those_of_a_motion),
                                       cmocka_unit_test(derivatives_are_differences),
                                       cmocka_unit_test(parameter_derivatives_are_differences),
                                       cmocka_unit_test(parameters_are_the_evaluators_own),
                                       cmocka_unit_test(contacts_act_when_they_are_told),
                                       cmocka_unit_test(what_has_no_value_is_refused),
                                       cmocka_unit_test(there_are_no_results_without_a_point),
                                       cmocka_unit_test(threads_share_a_system)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
