// SPDX-License-Identifier: Apache-2.0
// The way back (src/motion/reverse.c): smooth conservative motions come to their start, motions
// that met a one-sided constraint do not.

#include "moving.h"

enum { COLUMNS = 32 };

typedef struct journey {
    moving there;
    rh_motion *back;
    double start[COLUMNS], end[COLUMNS], differences[COLUMNS];
    rh_reversal verdict;
    rh_error err;
} journey;

static rh_motion *make_motion(const moving *it)
{
    const rh_motion_def def = rh_motion_def_default();
    rh_motion *motion = NULL;
    assert_int_equal(rh_motion_create(it->equations, &def, &motion, NULL), RH_OK);
    return motion;
}

// There, and turned; the status is that of the turn.
static rh_status go_there(moving there, double t_end, journey *j)
{
    *j = (journey){.there = there};
    j->back = make_motion(&j->there);
    assert_true(rh_motion_column_count(j->back) <= COLUMNS);
    assert_int_equal(rh_motion_row(j->back, 0.0, j->start, NULL), RH_OK);
    moving_reach(&j->there, t_end);
    return rh_motion_turn(j->back, j->there.motion, &j->err);
}

static void go_back(journey *j, double t_end)
{
    rh_stop stop = RH_STOP_NONE;
    assert_int_equal(rh_motion_advance(j->back, 2.0 * t_end, &stop, NULL), RH_OK);
    assert_int_equal(stop, RH_STOP_REACHED);
    assert_int_equal(rh_motion_row(j->back, 2.0 * t_end, j->end, NULL), RH_OK);
    assert_int_equal(rh_reversal_judge(j->there.motion, j->start, j->end, 1e-13, j->differences,
                                       &j->verdict, NULL),
                     RH_OK);
}

static void end(journey *j)
{
    rh_motion_destroy(j->back);
    moving_end(&j->there);
}

static journey travel(moving there, double t_end)
{
    journey j;
    if (go_there(there, t_end, &j) != RH_OK) {
        fail_msg("%s", j.err.message);
    }
    go_back(&j, t_end);
    return j;
}

// --- what can be undone
// ----------------------------------------------------------------------------

static void smooth_motions_come_back(void **state)
{
    (void)state;
    static const char *const MODELS[] = {
        "examples/pendulum_cartesian/model.rhe", "examples/rolling_disc/model.rhe",
        "examples/chaplygin_sleigh/model.rhe",   "examples/beghin_servo/model.rhe",
        "examples/skate_on_incline/model.rhe",   "examples/skate_on_incline/vakonomic.rhe",
        "examples/changing_mass/model.rhe",      "examples/flywheel/model.rhe",
    };
    for (size_t k = 0; k < sizeof MODELS / sizeof *MODELS; k++) {
        journey j = travel(moving_file(MODELS[k], NULL), 1.5);
        if (!j.verdict.holds || !(j.verdict.largest < 1e-11) || j.verdict.reason[0] != '\0') {
            fail_msg("%s: %.3g, %s", MODELS[k], j.verdict.largest, j.verdict.reason);
        }
        end(&j);
    }
}

// A multiplier that is a state goes with the sign of its phi.
static void multipliers_turn_with_their_phi(void **state)
{
    (void)state;
    journey j = travel(moving_file("examples/skate_on_incline/vakonomic.rhe", NULL), 1.5);
    size_t column = moving_column(&j.there, "lambda.skate");
    assert_int_equal(rh_motion_column_parity(j.back, column), -1);
    assert_true(fabs(j.start[column] + j.end[column]) < 1e-11);
    end(&j);
    j = travel(moving_file("examples/changing_mass/model.rhe", NULL), 1.5);
    column = moving_column(&j.there, "lambda.speed");
    assert_int_equal(rh_motion_column_parity(j.back, column), 1);
    assert_true(fabs(j.start[column] - j.end[column]) < 1e-11);
    assert_int_equal(rh_motion_column_parity(j.back, moving_column(&j.there, "x")), 1);
    assert_int_equal(rh_motion_column_parity(j.back, moving_column(&j.there, "x'")), -1);
    assert_int_equal(rh_motion_column_parity(j.back, moving_column(&j.there, "dev.speed")), 0);
    end(&j);
}

static const char BALL[] = "coord y\nkinetic y'^2/2\npotential 2*y\nparam e = 1\n"
                           "constraint floor: y >= 0 impact e\nstart y = 1, y' = 0\n";

static void elastic_impacts_can_be_undone(void **state)
{
    (void)state;
    journey j = travel(moving_begin(BALL, NULL), 4.5);
    assert_true(j.verdict.holds);
    assert_true(j.verdict.largest < 1e-12);
    end(&j);
}

// --- what cannot ---------------------------------------------------------------------------------

// R09 and R10: the reversed sleigh stays on the circle: (pi, -2), th = 0, v = (1, 0), w = 1.
static void a_met_blade_cannot(void **state)
{
    (void)state;
    static const char *const NAMES[] = {"x", "y", "th", "x'", "y'", "th'"};
    const double wanted[] = {3.14159265358979323846, -2.0, 0.0, 1.0, 0.0, 1.0};
    journey j = travel(moving_file("examples/sleigh_one_sided/model.rhe", NULL), 5.0);
    for (size_t k = 0; k < 6; k++) {
        assert_true(fabs(j.end[moving_column(&j.there, NAMES[k])] - wanted[k]) < 1e-11);
    }
    assert_false(j.verdict.holds);
    assert_string_equal(j.verdict.reason, "the motion met blade at t = 3.141592654 (engage)");
    assert_true(fabs(j.verdict.largest - wanted[0]) < 1e-11);
    assert_non_null(j.verdict.differences);
    assert_int_equal(rh_motion_occurrence_count(j.back), 0); // no event on the way back
    end(&j);
}

// However near the way back still comes: a meeting is a meeting.
static void a_meeting_just_now_counts(void **state)
{
    (void)state;
    journey j = travel(moving_file("examples/sleigh_one_sided/model.rhe", NULL), 3.1415927);
    assert_false(j.verdict.holds);
    assert_non_null(strstr(j.verdict.reason, "(engage)"));
    end(&j);
}

static void lossy_impacts_cannot(void **state)
{
    (void)state;
    const moving_conditions with = {.set = {"e=0.5"}, .set_count = 1};
    journey j = travel(moving_begin(BALL, &with), 1.5);
    assert_false(j.verdict.holds);
    assert_string_equal(j.verdict.reason, "the motion met floor at t = 1 (impact)");
    end(&j);
    // before the first one nothing is lost
    j = travel(moving_begin(BALL, &with), 0.5);
    assert_true(j.verdict.holds);
    end(&j);
}

static void friction_cannot(void **state)
{
    (void)state;
    journey j = travel(moving_begin("coord x\nkinetic x'^2/2\ndissipation x'^2/2\n"
                                    "start x = 0, x' = 1\n",
                                    NULL),
                       1.0);
    assert_false(j.verdict.holds);
    // out: 1 - 1/e; back: with the speed 1/e as far as (1 - 1/e)/e
    const double missed = (1.0 - exp(-1.0)) * (1.0 - exp(-1.0));
    assert_true(fabs(j.differences[moving_column(&j.there, "x")] - missed) < 1e-12);
    assert_non_null(strstr(j.verdict.reason, "x' comes back with a difference of 0.86"));
    end(&j);
}

// --- what has no way back ------------------------------------------------------------------------

static void inadmissible_velocities_are_refused(void **state)
{
    (void)state;
    journey j;
    // free flight to the left of the blade: reversed it would go to the right
    assert_int_equal(go_there(moving_file("examples/sleigh_one_sided/model.rhe", NULL), 2.0, &j),
                     RH_E_MODEL);
    assert_non_null(strstr(j.err.message, "with reversed velocities blade does not hold"));
    assert_int_equal(
        rh_reversal_judge(j.there.motion, j.start, NULL, 1e-13, j.differences, &j.verdict, NULL),
        RH_OK);
    assert_false(j.verdict.holds);
    assert_true(isnan(j.verdict.largest) && j.verdict.differences == NULL);
    end(&j);
    // a belt that moves one way
    assert_int_equal(go_there(moving_begin("coord x, y\nkinetic (x'^2 + y'^2)/2\n"
                                           "constraint belt: x' = 2\n"
                                           "start x = 0, y = 0, y' = 1\n",
                                           NULL),
                              1.0, &j),
                     RH_E_MODEL);
    assert_string_equal(j.err.message, "the reversed velocities break belt (by -4)");
    end(&j);
}

static void check_refused(const char *text, const char *message)
{
    rh_error err = RH_ZERO;
    moving it = moving_begin(text, NULL);
    assert_int_equal(rh_motion_can_turn(it.motion, &err), RH_E_UNAVAILABLE);
    assert_non_null(strstr(err.message, message));
    rh_motion *other = make_motion(&it);
    assert_int_equal(rh_motion_turn(other, it.motion, NULL), RH_E_UNAVAILABLE);
    rh_motion_destroy(other);
    moving_end(&it);
}

static void what_cannot_be_asked_is_refused(void **state)
{
    (void)state;
    check_refused("state x\nlaw x' = -x\nstart x = 1\n", "has no coordinates");
    check_refused("coord x\nkinetic x'^2/2\nforce x: cos(t)\nstart x = 0, x' = 0\n", "the time");
    check_refused("coord x\nkinetic (1 + t^2)*x'^2/2\nstart x = 0, x' = 1\n", "the time");
    check_refused("coord x, y\nkinetic (x'^2 + y'^2)/2\nconstraint c: y = t^2\nstart x = 0\n",
                  "the time");
    check_refused("coord x\ninput u = t\nkinetic x'^2/2\nforce x: u\nstart x = 0, x' = 0\n",
                  "the time");
    check_refused("coord x\nstate s\nkinetic x'^2/2\nlaw s' = t\nstart x = 0, x' = 0, s = 0\n",
                  "the time");
    check_refused("coord x, y\nkinetic (x'^2 + y'^2)/2\n"
                  "constraint c: x' = y by inertia(x' + x'^2)\n"
                  "start x = 0, y = 0, x' = 0, y' = 0, lambda.c = 0\n",
                  "neither even nor odd");
}

static void wrong_calls_are_refused(void **state)
{
    (void)state;
    moving a = moving_begin(BALL, NULL);
    moving b = moving_begin(BALL, NULL);
    rh_motion *other = make_motion(&a);
    assert_int_equal(rh_motion_turn(a.motion, a.motion, NULL), RH_E_ARGUMENT);
    assert_int_equal(rh_motion_turn(a.motion, b.motion, NULL), RH_E_ARGUMENT);
    assert_int_equal(rh_motion_turn(NULL, a.motion, NULL), RH_E_ARGUMENT);
    moving_reach(&a, 0.5);
    // a motion that has gone is not turned again
    assert_int_equal(rh_motion_turn(a.motion, other, NULL), RH_E_ARGUMENT);
    rh_motion_destroy(other);
    moving_end(&a);
    moving_end(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(smooth_motions_come_back),
        cmocka_unit_test(multipliers_turn_with_their_phi),
        cmocka_unit_test(elastic_impacts_can_be_undone),
        cmocka_unit_test(a_met_blade_cannot),
        cmocka_unit_test(a_meeting_just_now_counts),
        cmocka_unit_test(lossy_impacts_cannot),
        cmocka_unit_test(friction_cannot),
        cmocka_unit_test(inadmissible_velocities_are_refused),
        cmocka_unit_test(what_cannot_be_asked_is_refused),
        cmocka_unit_test(wrong_calls_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
