// SPDX-License-Identifier: Apache-2.0
// Singular configurations: motions pass through them, begin and pause on them, as exactly as
// elsewhere. What only looks like one, a hard wall, is not passed.

#include "moving.h"

// A row of parallel bars on hinges, joined by couplers: where all bars lie flat, each of them could
// turn by itself. Its motion is that of a pendulum, which has no such place.
static const char BARS[] =
    "param N = 2, g = 9.81, turn = 0, speed = 1\ncoord x[0..N], y[0..N]\n"
    "kinetic sum(i in 0..N: (x[i]'^2 + y[i]'^2)/6)\n"
    "kinetic sum(i in 1..N: (x[i-1]'^2 + x[i-1]'*x[i]' + x[i]'^2)/6)\n"
    "kinetic sum(i in 1..N: (y[i-1]'^2 + y[i-1]'*y[i]' + y[i]'^2)/6)\n"
    "potential sum(i in 0..N: g*y[i]/2) + sum(i in 1..N: g*(y[i-1] + y[i])/2)\n"
    "for i in 0..N: constraint upright[i]: (x[i] - i)^2 + y[i]^2 = 1\n"
    "for i in 1..N: constraint coupler[i]: (x[i] - x[i-1])^2 + (y[i] - y[i-1])^2 = 1\n"
    "for i in 0..N: start x[i] = i + sin(turn), y[i] = cos(turn)\n"
    "for i in 0..N: start x[i]' = speed*cos(turn), y[i]' = -speed*sin(turn)\n"
    "observe a = x[0]\nobserve b = y[0]\nobserve va = x[0]'\nobserve vb = y[0]'\n"
    "observe skew = y[N] - y[0]\n";

static const char PENDULUM[] =
    "param N = 2, g = 9.81, turn = 0, speed = 1\ncoord p\n"
    "kinetic ((N + 1)/6 + N/2)*p'^2\npotential ((N + 1)/2 + N)*g*cos(p)\n"
    "start p = turn, p' = speed\n"
    "observe a = sin(p)\nobserve b = cos(p)\nobserve va = cos(p)*p'\nobserve vb = -sin(p)*p'\n"
    "event flat: cos(p) = 0\n";

static const char *const NAMES[] = {"a", "b", "va", "vb"};

static double difference(moving *it, moving *like)
{
    double worst = 0.0;
    for (uint32_t k = 0; k < 4; k++) {
        const double expected = moving_value(like, NAMES[k]);
        const double d = fabs(moving_value(it, NAMES[k]) - expected) / (1.0 + fabs(expected));
        worst = d <= worst ? worst : d;
    }
    return fmax(worst, fabs(moving_value(it, "skew")));
}

typedef struct passage {
    double time, step; // how far, and how often it pauses
    double error;      // at the end
    const char *turn, *speed, *count;
    double tolerance;
} passage;

static void try_passage(const passage *what, bool is_plain)
{
    const moving_conditions with = {.set = {what->turn, what->speed, what->count},
                                    .set_count = 3,
                                    .is_plain = is_plain,
                                    .tolerance = what->tolerance};
    const moving_conditions exact = {.set = {what->turn, what->speed, what->count}, .set_count = 3};
    moving it = moving_begin(BARS, &with);
    moving like = moving_begin(PENDULUM, &exact);
    for (double t = what->step; t <= what->time; t += what->step) {
        moving_reach(&it, t);
        moving_reach(&like, t);
    }
    const double error = difference(&it, &like);
    const rh_motion_summary summary = rh_motion_summarise(it.motion);
    const double loss = summary.energy_now - summary.energy_start;
    print_message("%s, %s, %s, tolerance %.0e, to %g by %g: %llu steps, error %.2e, energy %.2e\n",
                  what->turn, what->speed, what->count, what->tolerance, what->time, what->step,
                  (unsigned long long)summary.steps, error, loss);
    moving_end(&it);
    moving_end(&like);
    assert_true(error <= what->error);
    assert_true(fabs(loss) <= what->error * (1.0 + fabs(summary.energy_start)));
    assert_true(summary.residual < 1e-13);
}

static void motions_pass_through(void **state)
{
    (void)state;
    static const passage LIST[] = {
        {10.0, 10.0, 1e-11, "turn=0", "speed=1", "N=2", 0.0},
        {10.0, 0.25, 1e-11, "turn=0", "speed=1", "N=2", 0.0},
        {10.0, 0.01, 1e-11, "turn=0", "speed=1", "N=2", 0.0},
        {5.0, 0.001, 1e-11, "turn=0", "speed=1", "N=2", 0.0},
        {50.0, 50.0, 1e-9, "turn=0", "speed=1", "N=2", 0.0},
        {10.0, 10.0, 1e-10, "turn=1", "speed=3", "N=3", 0.0},
        {5.0, 5.0, 1e-10, "turn=0", "speed=1", "N=12", 0.0},
    };
    for (size_t k = 0; k < 2 * (sizeof LIST / sizeof LIST[0]); k++) {
        try_passage(&LIST[k / 2], k % 2 == 1);
    }
}

static void at_any_tolerance(void **state)
{
    (void)state;
    for (int digits = 6; digits <= 16; digits++) {
        const double tolerance = pow(10.0, -digits);
        const passage what = {10.0,  10.0,     1e4 * tolerance + 1e-11, "turn=0", "speed=1",
                              "N=2", tolerance};
        try_passage(&what, false);
    }
}

// The rates at such a place are those of bars that are not joined.
static void a_start_on_the_place(void **state)
{
    (void)state;
    static const passage LIST[] = {
        {5.0, 5.0, 1e-10, "turn=pi/2", "speed=5", "N=2", 0.0},
        {5.0, 5.0, 1e-10, "turn=-pi/2", "speed=6", "N=3", 0.0},
    };
    for (size_t k = 0; k < 4; k++) {
        try_passage(&LIST[k / 2], k % 2 == 1);
    }
}

// To the place, up to rounding, and on from there.
static void a_pause_on_the_place(void **state)
{
    (void)state;
    moving it = moving_begin(BARS, NULL);
    moving like = moving_begin(PENDULUM, NULL);
    for (uint32_t k = 0; k < 6; k++) {
        while (rh_motion_occurrence_count(like.motion) <= k) {
            moving_reach(&like, rh_motion_time(like.motion) + 0.25);
        }
        const double place = rh_motion_occurrence(like.motion, k).time;
        moving_reach(&it, place);
    }
    moving_reach(&it, 6.0);
    moving_reach(&like, 6.0);
    const double error = difference(&it, &like);
    moving_end(&it);
    moving_end(&like);
    print_message("error %.2e\n", error);
    assert_true(error < 1e-9);
}

// --- walls ---------------------------------------------------------------------------------------

// A bead on a ring meets a wall that is felt at a distance of the square root of `e` only. Steps
// collapse there too, but it is the motion that is short, and the bead turns round.
static void walls_are_not_passed(void **state)
{
    (void)state;
    static const char *const WALLS[] = {"e=1e-6", "e=1e-8", "e=1e-10", "e=1e-12", "e=1e-14"};
    for (size_t k = 0; k < 2 * (sizeof WALLS / sizeof WALLS[0]); k++) {
        const moving_conditions with = {.set = {WALLS[k / 2]}, .set_count = 1, .is_plain = k % 2};
        moving it = moving_begin("param e = 1\ncoord x, y\nkinetic (x'^2 + y'^2)/2\n"
                                 "potential e/(y - 4/5)^2\nconstraint ring: x^2 + y^2 = 1\n"
                                 "start x = 1, y = 0, x' = 0, y' = 1\n",
                                 &with);
        moving_reach(&it, 1.5);
        const rh_motion_summary summary = rh_motion_summarise(it.motion);
        const double y = moving_value(&it, "y");
        // there and back at the speed 1, but for what the wall takes
        const double expected = sin(2.0 * asin(0.8) - 1.5);
        print_message("%s: y = %.10f, energy %.2e\n", WALLS[k / 2], y,
                      summary.energy_now - summary.energy_start);
        moving_end(&it);
        assert_near(y, expected, 0.01);
        assert_near(summary.energy_now, summary.energy_start, 1e-8);
        assert_true(summary.singular_steps == 0);
    }
}

// --- redundant constraints -----------------------------------------------------------------------

// Both constraints are one where they hold, and nothing acts along z.
static void constraints_redundant_where_they_hold(void **state)
{
    (void)state;
    static const char TEXT[] =
        "coord x, y, z\nkinetic (x'^2 + y'^2 + z'^2)/2\npotential y\n"
        "constraint a: x^2 + y^2 = 1\nconstraint b: (x^2 + y^2)*(2 + z) = 2 + z\n"
        "start x = 0.6, y = -0.8, z = 0.1, x' = 0.8, y' = 0.6, z' = 0.3\nobserve v = z'\n";
    static const rh_method METHODS[] = {RH_METHOD_TAYLOR, RH_METHOD_DOP853, RH_METHOD_CVODE,
                                        RH_METHOD_IDA};
    for (size_t k = 0; k < 8; k++) {
        const moving_conditions with = {.method = METHODS[k / 2], .is_plain = k % 2 == 1};
        moving it = moving_begin(TEXT, &with);
        moving_reach(&it, 1.0);
        const rh_motion_summary summary = rh_motion_summarise(it.motion);
        const double speed = moving_value(&it, "v");
        const bool is_unique =
            rh_motion_is_unique(it.motion, 0) || rh_motion_is_unique(it.motion, 1);
        moving_end(&it);
        assert_near(speed, 0.3, 1e-9);
        assert_near(summary.energy_now, -0.255, 1e-9);
        assert_false(is_unique);
        assert_int_equal(summary.singular_steps, summary.steps);
    }
}

// The motion of masses s^2 in the time t/s is that of masses 1.
static void light_masses_are_no_singularity(void **state)
{
    (void)state;
    static const char TEXT[] =
        "param s = 1\ncoord q1, q2, q3\n"
        "kinetic s^2*(1.5*q1'^2 + 1.7*q2'^2 + 0.5*q3'^2 + 0.7*q1'^2/(1 + q1^2))\n"
        "potential q1^2 + q2^2 + q3^2\nconstraint c1: 2*q1 + 0.3*q2^2 + 0.3*sin(q3) = 0\n"
        "start q2 = 0.2, q3 = 0.1, q2' = 0, q3' = 0\n";
    static const char *const SIZES[] = {"s=1e-9", "s=1e-12", "s=1e-15"};
    static const double TIMES[] = {1e-9, 1e-12, 1e-15};
    moving like = moving_begin(TEXT, NULL);
    moving_reach(&like, 1.0);
    for (size_t k = 0; k < 3; k++) {
        const moving_conditions with = {.set = {SIZES[k]}, .set_count = 1};
        moving it = moving_begin(TEXT, &with);
        moving_reach(&it, TIMES[k]);
        const char *const names[] = {"q1", "q2", "q3"};
        for (size_t i = 0; i < 3; i++) {
            assert_near(moving_value(&it, names[i]), moving_value(&like, names[i]), 1e-9);
        }
        moving_end(&it);
    }
    moving_end(&like);
}

// --- what is called singular ---------------------------------------------------------------------

// A force that is 0/0 at the lowest point is leapt over, and the rod keeps its rank there; the
// gradient of the second constraint vanishes at x = 0.
static void only_ranks_that_fall_are_told(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        bool is_singular;
    } CASES[] = {
        {"coord x, y\nkinetic (x'^2 + y'^2)/2\npotential 9.81*y\n"
         "constraint rod: x^2 + y^2 = 1\nforce x: sqrt(x^4 + x^5/9)/x^2\n"
         "start x = 0.6, y = -0.8, x' = -1\n",
         false},
        {"coord x, y\nkinetic (x'^2 + y'^2)/2\npotential 9.81*y\n"
         "constraint rod: x^2 + y^2 = 1\nforce x: 1/log(1 + x) - 1/x\n"
         "start x = 0.6, y = -0.8, x' = -1\n",
         false},
        {"param k = 2\ncoord x, y\nkinetic (x'^2 + y'^2)/2\n"
         "constraint c: x*y' = k*sin(x)*x'\nstart x = -1, y = 0, x' = 1\n"
         "event there: x = 0 stop\n",
         true},
    };
    for (size_t k = 0; k < 2 * (sizeof CASES / sizeof CASES[0]); k++) {
        const moving_conditions with = {.is_plain = k % 2};
        moving it = moving_begin(CASES[k / 2].text, &with);
        if (CASES[k / 2].is_singular) { // else a step may lead over the place
            assert_int_equal(moving_advance(&it, 2.0), RH_STOP_EVENT);
        }
        (void)moving_advance(&it, 2.0);
        const rh_motion_summary summary = rh_motion_summarise(it.motion);
        moving_end(&it);
        assert_true((summary.singular_steps > 0) == CASES[k / 2].is_singular);
    }
}

// Where a root begins a step has so few terms that its series tells of no place to go back to.
static void short_series_tell_no_place(void **state)
{
    (void)state;
    const moving_conditions with = {.drift = 1e-300, .tolerance = 1e-4, .method = RH_METHOD_TAYLOR};
    moving it = moving_begin("coord x, y\nstate w\nkinetic (x'^2 + y'^2)/2\n"
                             "constraint rod: x^2 + y^2 = 1\nlaw w' = sqrt(x - 0.6)\n"
                             "start x = 0.6, y = 0.8, x' = 0.8, y' = -0.6, w = 0\n",
                             &with);
    assert_int_equal(moving_advance(&it, 1.0), RH_STOP_FAILED); // such a drift nothing keeps
    assert_non_null(strstr(rh_motion_reason(it.motion), "is missed by"));
    moving_end(&it);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(motions_pass_through),
        cmocka_unit_test(at_any_tolerance),
        cmocka_unit_test(a_start_on_the_place),
        cmocka_unit_test(a_pause_on_the_place),
        cmocka_unit_test(walls_are_not_passed),
        cmocka_unit_test(constraints_redundant_where_they_hold),
        cmocka_unit_test(light_masses_are_no_singularity),
        cmocka_unit_test(only_ranks_that_fall_are_told),
        cmocka_unit_test(short_series_tell_no_place),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
