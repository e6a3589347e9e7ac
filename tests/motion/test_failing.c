// SPDX-License-Identifier: Apache-2.0
// Motions that cannot go on: they stop near the right time, say why, and stay stopped.

#include "moving.h"

typedef struct failing {
    const char *text;
    double t_end, at, near; // it stops at `at`, up to `near`
} failing;

static void assert_stopped(moving *it, const char *text, double t_end)
{
    const double time = rh_motion_time(it->motion);
    const char *reason = rh_motion_reason(it->motion);
    print_message("%s\n", reason);
    if (reason[0] == '\0' || strstr(reason, "t = ") == NULL) {
        fail_msg("it does not say when: \"%s\", in:\n%s", reason, text);
    }
    // again: the same, at once
    const uint64_t steps = rh_motion_summarise(it->motion).steps;
    assert_int_equal(moving_advance(it, t_end), RH_STOP_FAILED);
    assert_true(rh_motion_time(it->motion) == time);
    assert_true(rh_motion_summarise(it->motion).steps == steps);
    // where it stands the state is finite
    double *row = moving_row(it, time);
    const bool is_finite = isfinite(row[1]);
    free(row);
    assert_true(is_finite);
}

static void try_failing(const failing *what, bool is_plain)
{
    const moving_conditions with = {.is_plain = is_plain, .step_limit = 100000};
    moving it = moving_begin(what->text, &with);
    const rh_stop stop = moving_advance(&it, what->t_end);
    const double time = rh_motion_time(it.motion);
    if (stop != RH_STOP_FAILED || !(fabs(time - what->at) <= what->near)) {
        print_error("stop %d at t = %.17g, expected a failure at %.17g (%s), in:\n%s", (int)stop,
                    time, what->at, rh_motion_reason(it.motion), what->text);
        fail();
    }
    assert_stopped(&it, what->text, what->t_end);
    assert_true(rh_motion_summarise(it.motion).steps < 5000);
    moving_end(&it);
}

static void try_all(const failing *list, size_t count)
{
    for (size_t k = 0; k < 2 * count; k++) {
        try_failing(&list[k / 2], k % 2 == 1);
    }
}

// --- singularities on the way --------------------------------------------------------------------

static void blow_up(void **state)
{
    (void)state;
    static const failing LIST[] = {
        // x = 1/(1 - t)
        {"state x\nlaw x' = x^2\nstart x = 1\n", 2.0, 1.0, 1e-9},
        // x = tan t
        {"state x\nlaw x' = 1 + x^2\nstart x = 0\n", 3.0, 1.57079632679489662, 1e-9},
        // x = 1/(1 - t) as a coordinate
        {"coord x\nlaw x'' = 2*x^3\nstart x = 1, x' = 1\n", 2.0, 1.0, 1e-7},
        // fall upon a centre: x = (1 - 3 t/sqrt 2)^(2/3), parabolic
        {"coord x\nkinetic x'^2/2\npotential -1/x\nstart x = 1, x' = -sqrt(2)\n", 1.0,
         0.47140452079103168, 1e-7},
        // exp(exp(...)): overflow
        {"state x\nlaw x' = exp(x)\nstart x = 0\n", 2.0, 1.0, 1e-9},
    };
    try_all(LIST, sizeof LIST / sizeof LIST[0]);
}

static void ends_of_domains(void **state)
{
    (void)state;
    static const failing LIST[] = {
        // the force is not a number beyond x = 1
        {"coord x\nkinetic x'^2/2\nforce x: sqrt(1 - x)\nstart x = 0, x' = 1\n", 3.0, 0.8, 0.2},
        {"state x, y\nlaw x' = -1\nlaw y' = log(x)\nstart x = 1, y = 0\n", 3.0, 1.0, 1e-5},
        {"state x, y\nlaw x' = 1\nlaw y' = asin(x)\nstart x = 0, y = 0\n", 3.0, 1.0, 1e-5},
        {"state x, y\nlaw x' = 1\nlaw y' = 1/(1 - x)\nstart x = 0, y = 0\n", 3.0, 1.0, 1e-5},
        {"state x, y\nlaw x' = 1\nlaw y' = tan(x)\nstart x = 0, y = 0\n", 3.0, 1.57079632679489662,
         1e-5},
    };
    try_all(LIST, sizeof LIST / sizeof LIST[0]);
}

// x = (1 - t/2)^2 arrives at the end of the root. Its series does not see it: a polynomial, that
// goes on where x' = +sqrt(x).
static void an_empty_tank(void **state)
{
    (void)state;
    static const failing TANK = {"state x\nlaw x' = -sqrt(x)\nstart x = 1\n", 3.0, 2.0, 1e-5};
    try_all(&TANK, 1);
}

// Polar coordinates at the pole, with angular momentum; a servo that loses its grip (R13).
static void singular_equations(void **state)
{
    (void)state;
    static const failing LIST[] = {
        // phi is driven: phi'' = (1 - 2 r r' phi')/r^2, r = 1 - t
        {"coord r, phi\nkinetic (r'^2 + r^2*phi'^2)/2\nforce phi: 1\nforce r: -r*phi'^2\n"
         "start r = 1, phi = 0, r' = -1, phi' = 0\n",
         2.0, 1.0, 1e-4},
        {"coord x, y\nkinetic (x'^2 + y'^2)/2\n"
         "constraint aim: x' + y'*cos(x) = 0 by servo(y: 1)\n"
         "start x = -1, y = 0, x' = 1, y' = -1/cos(1)\n",
         4.0, 2.5707963267948966, 1e-4},
    };
    try_all(LIST, sizeof LIST / sizeof LIST[0]);
}

// x'' = -sign(x) - sign(x')/2: a half swing from a leads to -a/3, so the swings end after a finite
// time, after infinitely many crossings. Inward the acceleration is 1/2, outward 3/2: 2 sqrt(a) and
// 2/3 sqrt(a), in all 8/3 sqrt(a) / (1 - sqrt(1/3)). There it rests: both sides push back.
static void accumulation(void **state)
{
    (void)state;
    moving it = moving_begin("coord x\nkinetic x'^2/2\nforce x: -sign(x) - sign(x')/2\n"
                             "start x = 1, x' = 0\n",
                             NULL);
    moving_reach(&it, 100.0);
    const double end = 8.0 / 3.0 / (1.0 - sqrt(1.0 / 3.0));
    bool is_told = false;
    for (size_t k = 0; k < rh_motion_occurrence_count(it.motion); k++) {
        const rh_occurrence found = rh_motion_occurrence(it.motion, k);
        is_told = is_told ||
                  (found.kind == RH_OCCURRENCE_ACCUMULATE && fabs(found.time - end) < 1e-9 * end);
    }
    assert_true(is_told);
    assert_near(moving_value(&it, "x"), 0.0, 0.0);
    moving_end(&it);
}

static void too_many_steps(void **state)
{
    (void)state;
    const moving_conditions with = {.step_limit = 10};
    moving it =
        moving_begin("coord x\nkinetic x'^2/2\npotential x^2/2\nstart x = 1, x' = 0\n", &with);
    assert_int_equal(moving_advance(&it, 1e6), RH_STOP_FAILED);
    assert_true(rh_motion_summarise(it.motion).steps == 10);
    assert_non_null(strstr(rh_motion_reason(it.motion), "10 steps"));
    moving_end(&it);
}

// --- no start ------------------------------------------------------------------------------------

static void no_motion_at_all(void **state)
{
    (void)state;
    static const char *const TEXTS[] = {
        // contradiction
        "coord x, y\nkinetic (x'^2 + y'^2)/2\nconstraint a: x^2 + y^2 = 1\nstart x = 2, y = 1\n",
        // no value
        "coord x\nkinetic x'^2/2\nforce x: 1/x\nstart x = 0, x' = 0\n",
        "coord x\nkinetic x'^2/2\nforce x: log(x)\nstart x = -1, x' = 0\n",
        "state x\nlaw x' = 0*sqrt(x) + sqrt(x)\nstart x = -1\n",
        // no inertia at the pole
        "coord r, phi\nkinetic (r'^2 + r^2*phi'^2)/2\nforce phi: 1\n"
        "start r = 0, phi = 0, r' = 1, phi' = 0\n",
        // constraints that contradict each other in the accelerations
        "coord x\nkinetic x'^2/2\nconstraint a: x = 0\nconstraint b: 2*x = t^2\n"
        "start x = 0, x' = 0\n",
    };
    for (size_t k = 0; k < sizeof TEXTS / sizeof TEXTS[0]; k++) {
        moving it;
        const rh_status status = moving_try(TEXTS[k], &(moving_conditions){.set_count = 0}, &it);
        if (status == RH_OK) { // then it must not move
            const rh_stop stop = moving_advance(&it, 1.0);
            print_message("%zu: made; %s\n", k, rh_motion_reason(it.motion));
            if (stop != RH_STOP_FAILED || rh_motion_time(it.motion) > 1e-6) {
                fail_msg("stop %d at %.17g, in:\n%s", (int)stop, rh_motion_time(it.motion),
                         TEXTS[k]);
            }
        } else {
            print_message("%zu: %s\n", k, it.err.message);
            assert_int_equal(status, RH_E_MODEL);
            assert_true(it.err.message[0] != '\0' || it.motion == NULL);
        }
        moving_end(&it);
    }
}

// Wrong recipes are refused.
static void wrong_recipes(void **state)
{
    (void)state;
    moving it = moving_begin("coord x\nkinetic x'^2/2\nstart x = 0, x' = 1\n", NULL);
    rh_motion *motion = NULL;
    static const double TOLERANCES[] = {0.0, -1.0, 1.0, 2.0, NAN, INFINITY};
    for (size_t k = 0; k < 6; k++) {
        rh_motion_def def = rh_motion_def_default();
        def.tolerance = TOLERANCES[k];
        assert_int_equal(rh_motion_create(it.equations, &def, &motion, NULL), RH_E_ARGUMENT);
        assert_null(motion);
    }
    static const uint32_t ORDERS[] = {1, 3, 40, 1000};
    for (size_t k = 0; k < 4; k++) {
        rh_motion_def def = rh_motion_def_default();
        def.order = ORDERS[k];
        assert_int_equal(rh_motion_create(it.equations, &def, &motion, NULL), RH_E_ARGUMENT);
        assert_null(motion);
    }
    const rh_motion_def empty = RH_ZERO;
    assert_int_equal(rh_motion_create(it.equations, &empty, &motion, NULL), RH_E_ARGUMENT);
    assert_int_equal(rh_motion_create(NULL, &empty, &motion, NULL), RH_E_ARGUMENT);
    rh_stop stop = RH_STOP_NONE;
    assert_int_equal(rh_motion_step(NULL, 1.0, &stop, NULL), RH_E_ARGUMENT);
    assert_int_equal(rh_motion_advance(NULL, 1.0, &stop, NULL), RH_E_ARGUMENT);
    rh_motion_destroy(NULL);
    moving_end(&it);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(blow_up),          cmocka_unit_test(ends_of_domains),
        cmocka_unit_test(an_empty_tank),    cmocka_unit_test(singular_equations),
        cmocka_unit_test(accumulation),     cmocka_unit_test(too_many_steps),
        cmocka_unit_test(no_motion_at_all), cmocka_unit_test(wrong_recipes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
