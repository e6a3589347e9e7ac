// SPDX-License-Identifier: Apache-2.0
// Every reason for which a motion stops on its way: the code, the time, the state that is kept. And
// what is refused before there is a motion.

#include "moving.h"

#define PI 3.14159265358979323846

typedef struct stopping {
    const char *code, *text;
    double t_end, at, near; // it stops at `at`, up to `near`
    const char *column;     // what it keeps; NULL: not asked
    double value;
} stopping;

static void check_kept(moving *it, const stopping *what)
{
    double *row = moving_row(it, rh_motion_time(it->motion));
    bool ok = isfinite(row[1]);
    if (what->column != NULL) {
        const double found = row[moving_column(it, what->column)];
        ok = ok && fabs(found - what->value) <= fmax(1e-11, 10.0 * what->near);
        if (!ok) {
            print_error("%s is %.17g, expected %.17g\n", what->column, found, what->value);
        }
    }
    free(row);
    if (!ok) {
        fail_msg("the state is not kept: %s, in:\n%s", what->code, what->text);
    }
}

// Again: the same, at once.
static void check_stays(moving *it, double t_end)
{
    const double time = rh_motion_time(it->motion);
    const uint64_t steps = rh_motion_summarise(it->motion).steps;
    const size_t count = rh_motion_occurrence_count(it->motion);
    assert_int_equal(moving_advance(it, t_end), RH_STOP_FAILED);
    assert_true(rh_motion_time(it->motion) == time);
    assert_true(rh_motion_summarise(it->motion).steps == steps);
    assert_int_equal(rh_motion_occurrence_count(it->motion), count);
}

static void try_stop(const stopping *what, bool is_plain, rh_method method)
{
    const moving_conditions with = {.is_plain = is_plain, .method = method};
    moving it = moving_begin(what->text, &with);
    const rh_stop stop = moving_advance(&it, what->t_end);
    const double time = rh_motion_time(it.motion);
    const char *code = rh_motion_reason_code(it.motion);
    if (stop != RH_STOP_FAILED || strcmp(code, what->code) != 0 ||
        !(fabs(time - what->at) <= what->near)) {
        fail_msg("stop %d, %s at %.17g (%s), expected %s at %.17g, in:\n%s", (int)stop, code, time,
                 rh_motion_reason(it.motion), what->code, what->at, what->text);
    }
    assert_non_null(strstr(rh_motion_reason(it.motion), "t = "));
    check_kept(&it, what);
    check_stays(&it, what->t_end);
    moving_end(&it);
}

static void try_all(const stopping *list, size_t count)
{
    for (size_t k = 0; k < count; k++) {
        try_stop(&list[k], false, RH_METHOD_AUTO);
        try_stop(&list[k], true, RH_METHOD_AUTO);
    }
}

#define TRY_ALL(list) try_all((list), sizeof(list) / sizeof *(list))
#define PLANE "coord x, y\nkinetic (x'^2 + y'^2)/2\n"

// --- the equations themselves --------------------------------------------------------------------

static const stopping EQUATIONS[] = {
    // too large from t = 1 on
    {"E501", "state x, y\nlaw x' = 1\nlaw y' = if(x > 1, exp(1000*x), 0)\nstart x = 0, y = 2\n",
     3.0, 1.0, 1e-12, "y", 2.0},
    // no inertia from t = 1 on, and a force
    {"E501",
     "coord x, y\nkinetic (x'^2 + if(t < 1, 1, 0)*y'^2)/2\nforce y: 1\n"
     "start x = 0, y = 0, x' = 1, y' = 0\n",
     2.0, 1.0, 1e-12, "y'", 1.0},
    // x' = 0, and x' = t - 1 from t = 1 on
    {"E502",
     PLANE "constraint a: x' = 0\nconstraint b: x' = max(t - 1, 0)\n"
           "start x = 0, y = 0, x' = 0, y' = 1\n",
     3.0, 1.0, 1e-12, "y", 1.0},
    // the same in the next derivative: seen once it is more than the drift
    {"E502",
     "coord x\nkinetic x'^2/2\nconstraint a: x' = 0\nconstraint b: x'*(1 + t) = max(t - 1, 0)^2\n"
     "start x = 0, x' = 0\n",
     3.0, 1.0, 1e-6, "x'", 0.0},
    // a circle that shrinks to a point
    {"E503", PLANE "constraint c: x^2 + y^2 = 1 - t\nstart x = 1, y = 0, y' = 0\n", 3.0, 1.0, 1e-9,
     "y", 0.0},
    // x = (1 - t/2)^2: nothing beyond x = 0
    {"E504", "state x\nlaw x' = -sqrt(x)\nstart x = 1\n", 3.0, 2.0, 1e-5, "x", 0.0},
    // a root that touches zero: its series goes on with the other sign
    {"E504", "state x\nlaw x' = sqrt(1 - x^2)\nstart x = 0\n", 3.0, 1.5707963267948966, 2e-6, "x",
     1.0},
    {"E504", "state x\nlaw x' = sqrt(max(0, 1 - x^2))\nstart x = 0\n", 3.0, 1.5707963267948966,
     2e-6, "x", 1.0},
    {"E504",
     "state x, y\nlaw x' = sqrt(max(0, 1 - x^2))\nlaw y' = 1 - sign(y)\nstart x = 0, y = -1\n", 3.0,
     1.5707963267948966, 1e-7, "x", 1.0},
    {"E504", "state x\nlaw x' = -2*sqrt(max(0, x))\nstart x = 1\n", 3.0, 1.0, 1e-13, "x", 0.0},
    // a velocity that the rod does not allow where it hangs
    {"E523",
     "coord x, y\nkinetic (x'^2 + y'^2)/2\nconstraint rod: x^2 + y^2 = 1\n"
     "event kick: t = 1 reset y' = 1\nstart x = 0, x' = 0\nguess y = -1\n",
     3.0, 1.0, 1e-12, "x", 0.0},
    // x' = 0, and from t = 1 on x' = 1: no impulse serves both
    {"E502",
     "coord x\nkinetic x'^2/2\nconstraint a: x' = 0\nconstraint b: x' = if(t > 1, 1, 0)\n"
     "start x = 0, x' = 0\n",
     3.0, 1.0, 1e-12, "x'", 0.0},
    // the value of the angle jumps at t = 1, and has the same slope on both sides
    {"E505",
     "coord x\nkinetic x'^2/2\nconstraint a: x' = 0\nconstraint b: x' = atan2(t - 1, 0) + pi/2\n"
     "start x = 0, x' = 0\n",
     3.0, 1.0, 1e-12, "x'", 0.0},
};

static void equations_without_a_solution(void **state)
{
    (void)state;
    TRY_ALL(EQUATIONS);
}

// What goes to infinity is named with its value, also where other rates change faster than steps
// can follow.
static void what_blows_up_is_named(void **state)
{
    (void)state;
    static const struct {
        stopping stop;
        const char *name;
    } LIST[] = {
        {{"E503", "state y, x\nlaw x' = x^2\nlaw y' = cos(y)\nstart x = 1, y = 0\n", 3.0, 1.0,
          1e-12, NULL, 0.0},
         "where x = "},
        {{"E503", "state y, x\nlaw x' = x^2\nlaw y' = sin(x)\nstart x = 1, y = 0\n", 3.0, 1.0, 1e-6,
          NULL, 0.0},
         "where x = "},
        // x = -1/(1 - t)
        {{"E503", "coord x\nkinetic x'^2/2\npotential -x^4/2\nstart x = -1, x' = -1\n", 3.0, 1.0,
          1e-6, NULL, 0.0},
         "where x = -"},
    };
    for (size_t k = 0; k < sizeof LIST / sizeof *LIST; k++) {
        try_stop(&LIST[k].stop, false, RH_METHOD_AUTO);
        moving it = moving_begin(LIST[k].stop.text, &(moving_conditions){.is_plain = false});
        (void)moving_advance(&it, LIST[k].stop.t_end);
        if (strstr(rh_motion_reason(it.motion), LIST[k].name) == NULL) {
            fail_msg("%s, in:\n%s", rh_motion_reason(it.motion), LIST[k].stop.text);
        }
        moving_end(&it);
    }
}

// ... and a constraint of a family by its number.
static void lost_control_has_a_number(void **state)
{
    (void)state;
    moving it = moving_begin(
        "param N = 3\ncoord x[1..N], psi[1..N]\nkinetic sum(i in 1..N: (x[i]'^2 + psi[i]'^2)/2)\n"
        "for i in 1..N: constraint g[i]: x[i] + sin(psi[i]) = 0.1*t*i by servo(psi[i]: 1)\n"
        "for i in 1..N: start psi[i] = 0.4*i, psi[i]' = 1\n",
        &(moving_conditions){.is_plain = false});
    assert_int_equal(moving_advance(&it, 5.0), RH_STOP_FAILED);
    assert_string_equal(rh_motion_reason_code(it.motion), "E511");
    assert_non_null(strstr(rh_motion_reason(it.motion), "control of g[3] is lost"));
    moving_end(&it);
}

static void too_many_steps(void **state)
{
    (void)state;
    const moving_conditions with = {.step_limit = 7};
    moving it =
        moving_begin("coord x\nkinetic x'^2/2\npotential x^2/2\nstart x = 1, x' = 0\n", &with);
    assert_int_equal(moving_advance(&it, 1e6), RH_STOP_FAILED);
    assert_string_equal(rh_motion_reason_code(it.motion), "E506");
    assert_true(rh_motion_summarise(it.motion).steps == 7);
    assert_near(moving_value(&it, "x"), cos(rh_motion_time(it.motion)), 1e-12);
    check_stays(&it, 1e6);
    moving_end(&it);
}

// x = 1/(1 - t) by Runge and Kutta; CVODE where its right side has no value any more; IDA where
// constraints contradict each other from t = 1 on.
static void steppers_that_give_up(void **state)
{
    (void)state;
    static const stopping LIST[] = {
        {"E503", "state x\nlaw x' = x^2\nstart x = 1\n", 2.0, 1.0, 1e-9, NULL, 0.0},
        {"E504", "state x\nlaw x' = -sqrt(x)\nstart x = 1\n", 3.0, 2.0, 1e-4, "x", 0.0},
        {"E502",
         "coord x\nkinetic x'^2/2\nconstraint a: x' = 0\nconstraint b: x' = if(t > 1, 1, 0)\n"
         "start x = 0, x' = 0\n",
         3.0, 1.0, 1e-9, "x'", 0.0},
        {"E514",
         "state x, y\nselect y\nlaw x' = -sqrt(x)\nlaw y' = 0\nconstraint c: y = 1\n"
         "start x = 1, y = 1\n",
         3.0, 2.0, 1e-4, "x", 0.0},
    };
    static const rh_method METHODS[] = {RH_METHOD_DOP853, RH_METHOD_CVODE, RH_METHOD_IDA,
                                        RH_METHOD_CVODE};
    for (size_t k = 0; k < 4; k++) {
        try_stop(&LIST[k], false, METHODS[k]);
    }
}

// --- conditions ----------------------------------------------------------------------------------

static const stopping CONDITIONS[] = {
    // a floor of resets: flights of 2 v/10 with half the speed each time, from sqrt(0.2) on
    {"E510",
     "coord y\nkinetic y'^2/2\npotential 10*y\nstart y = 1, y' = 0\n"
     "event hit: y = 0 down reset y' = -y'/2\n",
     100.0, 1.3416407864998738, 1e-6, "y", 0.0},
    // y' = -3/2 and x' = -1/2 until y = 0 at 2/3; there y stays and x' = -1, until x = 0 as well
    {"E513",
     "state x, y\nlaw x' = -sign(x) + sign(x)*sign(y)/2\nlaw y' = -sign(y) - sign(x)*sign(y)/2\n"
     "start x = 1, y = 1\n",
     10.0, 4.0 / 3.0, 1e-12, "x", 0.0},
};

static void conditions_without_end(void **state)
{
    (void)state;
    TRY_ALL(CONDITIONS);
}

// --- one-sided constraints -----------------------------------------------------------------------

#define SERVOS(p)                                                                                  \
    PLANE "force x: -1\nforce y: -1\nconstraint f1: x' >= 0 by servo(x: 1, y: " p ")\n"            \
          "constraint f2: y' >= 0 by servo(x: " p ", y: 1)\n"
#define RATCHET "coord x\nkinetic x'^2/2\nforce x: cos(t)\nconstraint up: x' >= 0"
#define CONE                                                                                       \
    "coord x, y, z\nkinetic (x'^2 + y'^2 + z'^2)/2\n"                                              \
    "constraint cone: x'^2 + y'^2 - z'^2/4 >= 0\n"

static const stopping GATES[] = {
    // R20 L4: G = [[1, -2], [-2, 1]], no solution; at once, and when the corner is reached
    {"E507", SERVOS("-2") "start x = 7, y = 0, x' = 0, y' = 0\n", 1.0, 0.0, 0.0, "x", 7.0},
    {"E507", SERVOS("-2") "start x = 0, y = 0, x' = 1, y' = 1\n", 3.0, 1.0, 1e-12, "x", 0.5},
    // x' >= 0 and x' <= 1 - t
    {"E507",
     "coord x\nkinetic x'^2/2\nconstraint a: x' >= 0\nconstraint b: x' <= 1 - t\n"
     "start x = 0, x' = 1\n",
     3.0, 1.0, 1e-12, "x", 0.5},
    // R20 L5: G = [[1, 2], [2, 1]], three solutions
    {"E508", SERVOS("2") "start x = 7, y = 0, x' = 0, y' = 0\n", 1.0, 0.0, 0.0, "x", 7.0},
    {"E508", SERVOS("2") "start x = 0, y = 0, x' = 1, y' = 1\n", 3.0, 1.0, 1e-12, "y", 0.5},
    // R24 literal: from the free region, and when lambda = 1/2 + sin t comes down to zero
    {"E509", RATCHET " by vakonomic(literal)\nstart x = 0, x' = 0\n", 7.0, PI, 1e-12, "x", 2.0},
    {"E509", RATCHET " by vakonomic(literal)\nstart x = 3, x' = 0, lambda.up = 1/2\n", 7.0,
     7.0 * PI / 6.0, 1e-12, "x", 3.0},
    // R13: pi = cos x comes to zero at x = pi/2 while the constraint is kept, two-sided ...
    {"E511",
     PLANE "constraint aim: x' + y'*cos(x) = 0 by servo(y: 1)\n"
           "start x = -1, y = 0, x' = 1, y' = -1/cos(1)\n",
     4.0, 2.5707963267948966192, 1e-6, "x", PI / 2.0},
    // ... one-sided, pushed by a force 1 - y of which nothing is left at t = 1 ...
    {"E511",
     PLANE "force x: -1\nconstraint c: x' >= 0 by servo(x: 1 - y)\n"
           "start x = 4, y = 0, x' = 0, y' = 1\n",
     4.0, 1.0, 1e-6, "x", 4.0},
    // ... and met where there is none
    {"E511",
     PLANE "force x: -1\nconstraint c: x' >= 0 by servo(x: 1 - y)\n"
           "start x = 0, y = 0, x' = 1, y' = 1\n",
     4.0, 1.0, 1e-12, "x", 0.5},
    // two-sided constraints lead across it
    {"E507",
     PLANE "constraint a: x' = y'\nconstraint b: x' + y' = 2 - t\nconstraint c: x' >= 0\n"
           "start x = 0, y = 0, x' = 1, y' = 1\n",
     4.0, 2.0, 1e-12, "x", 1.0},
    // a cone at its tip: from rest, and arrived at
    {"E512", CONE "force z: -1\nstart x = 0, y = 0, z = 2, x' = 0, y' = 0, z' = 0\n", 1.0, 0.0, 0.0,
     "z", 2.0},
    {"E512",
     CONE "force x: -1\nforce z: if(t > 1, 1, 0)\n"
          "start x = 0, y = 0, z = 2, x' = 1, y' = 0, z' = 0\n",
     3.0, 1.0, 1e-6, "x", 0.5},
    // resets onto the wrong side
    {"E516",
     "coord x\nkinetic x'^2/2\nconstraint up: x' >= 0\nstart x = 0, x' = 1\n"
     "event one: x = 1 reset x' = -2\n",
     3.0, 1.0, 1e-12, "x", 1.0},
    {"E516",
     "coord x\nkinetic x'^2/2\nconstraint wall: x >= 0 impact 1/2\nstart x = 0, x' = 1\n"
     "event one: t = 1 reset x = -1\n",
     3.0, 1.0, 1e-12, "x'", 1.0},
};

static void one_sided_constraints(void **state)
{
    (void)state;
    TRY_ALL(GATES);
}

// Blocks that stop all together: a large problem, for which memory is asked on the way.
static void no_memory_on_the_way(void **state)
{
    (void)state;
    support_memory memory = {0};
    const moving_conditions with = {.memory = &memory};
    moving it = moving_begin("param N = 60\ncoord x[1..N]\nkinetic sum(i in 1..N: x[i]'^2/2)\n"
                             "for i in 1..N: force x[i]: -1\n"
                             "for i in 1..N: constraint up[i]: x[i]' >= 0\n"
                             "for i in 1..N: start x[i] = 0, x[i]' = 1\n",
                             &with);
    memory.fail_at = memory.request_count + 1;
    const rh_stop stop = moving_advance(&it, 3.0);
    const double time = rh_motion_time(it.motion);
    char code[8];
    (void)snprintf(code, sizeof code, "%s", rh_motion_reason_code(it.motion));
    const double x = moving_value(&it, "x[1]");
    moving_end(&it);
    assert_int_equal(memory.block_count, 0);
    assert_int_equal(stop, RH_STOP_FAILED);
    assert_string_equal(code, "E515");
    assert_near(time, 1.0, 1e-12);
    assert_near(x, 0.5, 1e-12);
}

// --- no start ------------------------------------------------------------------------------------

typedef struct refusing {
    const char *part; // of the message
    const char *text;
} refusing;

static void starts_that_are_refused(void **state)
{
    (void)state;
    static const refusing LIST[] = {
        {"E413", RATCHET " by vakonomic\nstart x = 0, x' = 0, lambda.up = 1\n"},
        {"E413", RATCHET " by vakonomic\nstart x = 0, x' = 1, lambda.up = -1\n"},
        {"E413", RATCHET " by vakonomic(literal)\nstart x = 0, x' = 0, lambda.up = -1\n"},
        // R16: on the wrong side
        {"-0.1", "param m = 1, J = 1, a = 1/2\ncoord x, y, th\n"
                 "kinetic m/2*((x' - a*th'*sin(th))^2 + (y' + a*th'*cos(th))^2) + J*th'^2/2\n"
                 "constraint blade: -x'*sin(th) + y'*cos(th) >= 0\n"
                 "start x = 0, y = 0, th = 0, x' = 1, y' = -0.1, th' = 0\n"},
        {"-1", "coord x\nkinetic x'^2/2\nconstraint wall: x >= 0 impact 1/2\n"
               "start x = -1, x' = 1\n"},
    };
    for (size_t k = 0; k < sizeof LIST / sizeof *LIST; k++) {
        moving it;
        const rh_status status = moving_try(LIST[k].text, &(moving_conditions){0}, &it);
        const bool is_said = strstr(it.err.message, LIST[k].part) != NULL;
        print_message("%s\n", it.err.message);
        assert_null(it.motion);
        moving_end(&it);
        assert_int_equal(status, RH_E_MODEL);
        assert_true(is_said);
    }
}

// R14, R23: a direction without any effect is refused before.
static void no_control_at_all(void **state)
{
    (void)state;
    static const char *const PATHS[] = {"tests/golden/models/r14_control_d2.rhe",
                                        "examples/flywheel/across.rhe"};
    for (size_t k = 0; k < 2; k++) {
        size_t size = 0;
        char *text = support_read(PATHS[k], &size);
        moving it;
        const rh_status status = moving_try(text, &(moving_conditions){0}, &it);
        free(text);
        moving_end(&it);
        assert_int_equal(status, RH_E_MODEL);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(equations_without_a_solution), cmocka_unit_test(what_blows_up_is_named),
        cmocka_unit_test(lost_control_has_a_number),    cmocka_unit_test(too_many_steps),
        cmocka_unit_test(steppers_that_give_up),        cmocka_unit_test(conditions_without_end),
        cmocka_unit_test(one_sided_constraints),        cmocka_unit_test(no_memory_on_the_way),
        cmocka_unit_test(starts_that_are_refused),      cmocka_unit_test(no_control_at_all),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
