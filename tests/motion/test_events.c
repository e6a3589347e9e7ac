// SPDX-License-Identifier: Apache-2.0
// Events: all of them, once, in order, at the right times.

#include "moving.h"

#define OSCILLATOR "coord x\nkinetic x'^2/2\npotential x^2/2\nstart x = 0, x' = 1\n" // x = sin t
#define RUNNER "coord x\nkinetic x'^2/2\nstart x = 0, x' = 1\n"                      // x = t

static const double PI = 3.14159265358979323846;

static void assert_event(const moving *it, size_t index, const char *name, double time,
                         double tolerance)
{
    assert_true(index < rh_motion_occurrence_count(it->motion));
    const rh_occurrence found = rh_motion_occurrence(it->motion, index);
    assert_string_equal(found.name, name);
    assert_near(found.time, time, tolerance);
}

static size_t count_named(const moving *it, const char *name)
{
    size_t count = 0;
    for (size_t k = 0; k < rh_motion_occurrence_count(it->motion); k++) {
        count += strcmp(rh_motion_occurrence(it->motion, k).name, name) == 0;
    }
    return count;
}

// --- times ---------------------------------------------------------------------------------------

// From the horizontal a pendulum is lowest at odd multiples of K(sin(pi/4))/sqrt(9.81).
static void lowest_points_of_a_pendulum(void **state)
{
    (void)state;
    static const char *const FILES[] = {"examples/pendulum/model.rhe",
                                        "examples/pendulum_cartesian/model.rhe"};
    for (size_t f = 0; f < 2; f++) {
        moving it = moving_file(FILES[f], NULL);
        moving_reach(&it, 100.0);
        assert_int_equal(rh_motion_occurrence_count(it.motion), 84);
        for (size_t k = 0; k < 84; k++) {
            const double time = (2.0 * (double)k + 1.0) * 0.59196048689405936233;
            assert_event(&it, k, "lowest", time, 1e-13);
            assert_int_equal(rh_motion_occurrence(it.motion, k).kind, RH_OCCURRENCE_RECORD);
        }
        moving_end(&it);
    }
}

// The tension of a pendulum from the horizontal is -3 g y; it is half its largest at y = -1/2.
static void events_of_multipliers(void **state)
{
    (void)state;
    moving it = moving_begin("coord x, y\nkinetic (x'^2 + y'^2)/2\npotential 9.81*y\n"
                             "constraint rod: x^2 + y^2 = 1\nstart x = -1, y = 0, x' = 0, y' = 0\n"
                             "event half: -2*lambda.rod = 3*9.81/2\n"
                             "event low: y = -1/2\n",
                             NULL);
    moving_reach(&it, 10.0);
    const size_t count = rh_motion_occurrence_count(it.motion);
    assert_int_equal(count, 34); // four crossings in each period of 2.3678 s, 10 s
    for (size_t k = 0; k < count; k += 2) {
        assert_near(rh_motion_occurrence(it.motion, k).time,
                    rh_motion_occurrence(it.motion, k + 1).time, 1e-13);
    }
    moving_end(&it);
}

static void directions(void **state)
{
    (void)state;
    moving it = moving_begin(OSCILLATOR "event rise: x = 1/2 up\nevent fall: x = 1/2 down\n"
                                        "event any: x = 1/2\nevent both: x = 1/2 both record\n",
                             NULL);
    moving_reach(&it, 20.0 * PI);
    assert_int_equal(count_named(&it, "rise"), 10);
    assert_int_equal(count_named(&it, "fall"), 10);
    assert_int_equal(count_named(&it, "any"), 20);
    assert_int_equal(count_named(&it, "both"), 20);
    size_t rises = 0;
    size_t falls = 0;
    for (size_t k = 0; k < 60; k++) {
        const rh_occurrence found = rh_motion_occurrence(it.motion, k);
        if (strcmp(found.name, "rise") == 0) {
            assert_near(found.time, PI / 6.0 + 2.0 * PI * (double)rises++, 1e-13);
        } else if (strcmp(found.name, "fall") == 0) {
            assert_near(found.time, 5.0 * PI / 6.0 + 2.0 * PI * (double)falls++, 1e-13);
        }
        assert_true(k == 0 || rh_motion_occurrence(it.motion, k - 1).time <= found.time);
    }
    moving_end(&it);
}

static void events_of_time(void **state)
{
    (void)state;
    moving it = moving_begin(OSCILLATOR "param T = 7/3\nevent noon: t = T\nevent beat: sin(pi*t) = "
                                        "0\n",
                             NULL);
    moving_reach(&it, 9.5);
    assert_int_equal(count_named(&it, "noon"), 1);
    assert_int_equal(count_named(&it, "beat"), 9);
    assert_event(&it, 2, "noon", 7.0 / 3.0, 1e-15);
    for (size_t k = 0; k < 9; k++) {
        assert_event(&it, k < 2 ? k : k + 1, "beat", (double)k + 1.0, 1e-14);
    }
    moving_end(&it);
}

// Functions that change faster than the motion, which is a polynomial: one step could be as long as
// the whole run.
static void fast_functions(void **state)
{
    (void)state;
    moving it =
        moving_begin(RUNNER "event beat: sin(x) = 0\nevent half: 1/(1 + x^2) = 1/2\n", NULL);
    moving_reach(&it, 100.0);
    assert_int_equal(count_named(&it, "half"), 1);
    assert_int_equal(count_named(&it, "beat"), 31);
    assert_event(&it, 0, "half", 1.0, 1e-12);
    for (size_t k = 1; k <= 31; k++) {
        assert_event(&it, k, "beat", PI * (double)k, 1e-12);
    }
    moving_end(&it);
}

// Conditions in event functions: x = t - 2.
static void events_with_conditions(void **state)
{
    (void)state;
    moving it = moving_begin("coord x\nkinetic x'^2/2\nstart x = -2, x' = 1\n"
                             "event one: abs(x) = 1\nevent most: max(x, -x) = 1.5\n"
                             "event either: if(x < 0, x + 3/4, x - 3/4) = 0\n",
                             NULL);
    moving_reach(&it, 4.0);
    // at 2 it jumps from 3/4 to -3/4
    static const char *const NAMES[] = {"most", "one", "either", "either", "either", "one", "most"};
    static const double TIMES[] = {0.5, 1.0, 1.25, 2.0, 2.75, 3.0, 3.5};
    for (size_t k = 0; k < 7; k++) {
        assert_event(&it, k, NAMES[k], TIMES[k], 1e-14);
    }
    assert_int_equal(rh_motion_occurrence_count(it.motion), 7);
    moving_end(&it);
}

// --- several, and where they stop ----------------------------------------------------------------

static void several_in_one_step(void **state)
{
    (void)state;
    moving it = moving_begin(RUNNER "event c: x = 0.75\nevent a: x = 0.25\nevent b: x = 0.5\n"
                                    "event pair: (x - 1/8)*(x - 7/8) = 0\n",
                             NULL);
    rh_stop stop = RH_STOP_NONE;
    assert_int_equal(rh_motion_step(it.motion, 1.0, &stop, NULL), RH_OK);
    assert_int_equal(stop, RH_STOP_REACHED); // one step
    assert_int_equal(rh_motion_occurrence_count(it.motion), 5);
    static const char *const NAMES[] = {"pair", "a", "b", "c", "pair"};
    static const double TIMES[] = {0.125, 0.25, 0.5, 0.75, 0.875};
    for (size_t k = 0; k < 5; k++) {
        assert_event(&it, k, NAMES[k], TIMES[k], 1e-15);
    }
    moving_end(&it);
}

// What comes after a stop in the same step did not happen yet, and does when the motion goes on.
static void a_stop_in_the_middle(void **state)
{
    (void)state;
    moving it = moving_begin(RUNNER "event late: x = 0.75\nevent halt: x = 0.5 stop\n"
                                    "event early: x = 0.25\nevent same: x = 1/2\n",
                             NULL);
    assert_int_equal(moving_advance(&it, 1.0), RH_STOP_EVENT);
    assert_near(rh_motion_time(it.motion), 0.5, 1e-15);
    assert_near(moving_value(&it, "x"), 0.5, 1e-15);
    assert_int_equal(rh_motion_occurrence_count(it.motion), 3);
    assert_event(&it, 0, "early", 0.25, 1e-15);
    assert_int_equal(count_named(&it, "halt"), 1);
    assert_int_equal(count_named(&it, "same"), 1);
    assert_string_equal(rh_motion_reason(it.motion), "");
    moving_reach(&it, 1.0); // goes on
    assert_int_equal(rh_motion_occurrence_count(it.motion), 4);
    assert_event(&it, 3, "late", 0.75, 1e-15);
    moving_end(&it);
}

// A ball that is thrown up again by hand: t_n = t_1 (1 + 2 (e + ... + e^(n-1))), e = 0.7.
static void a_ball_that_bounces(void **state)
{
    (void)state;
    const double first = 0.4515236409857309; // sqrt(2/9.81)
    double speed = 0.0;
    double height = 1.0;
    double time = 0.0;
    double expected = first;
    double power = 1.0;
    for (uint32_t k = 0; k < 20; k++) {
        char starts[3][64];
        moving_conditions with = {.start = {starts[0], starts[1], starts[2]}, .start_count = 3};
        (void)snprintf(starts[0], sizeof starts[0], "y=%.17g", height);
        (void)snprintf(starts[1], sizeof starts[1], "y'=%.17g", speed);
        (void)snprintf(starts[2], sizeof starts[2], "t=%.17g", time);
        moving it = moving_begin("coord y\nkinetic y'^2/2\npotential 9.81*y\n"
                                 "event hit: y = 0 down stop\n",
                                 &with);
        assert_int_equal(moving_advance(&it, 1e3), RH_STOP_EVENT);
        time = rh_motion_time(it.motion);
        assert_near(time, expected, 2e-15 * (k + 1));
        speed = -0.7 * moving_value(&it, "y'");
        height = 0.0;
        power *= 0.7;
        expected += 2.0 * first * power;
        moving_end(&it);
    }
}

// The same with a reset.
static void a_ball_with_resets(void **state)
{
    (void)state;
    moving it = moving_begin("coord y\nkinetic y'^2/2\npotential 9.81*y\nstart y = 1, y' = 0\n"
                             "event hit: y = 0 down reset y' = -0.7*y'\nevent top: y' = 0 down\n",
                             NULL);
    moving_reach(&it, 2.5);
    const double first = 0.4515236409857309;
    double expected = first;
    double power = 1.0;
    size_t hits = 0;
    for (size_t k = 0; k < rh_motion_occurrence_count(it.motion); k++) {
        const rh_occurrence found = rh_motion_occurrence(it.motion, k);
        if (found.kind == RH_OCCURRENCE_RESET) {
            assert_near(found.time, expected, 1e-13);
            power *= 0.7;
            expected += 2.0 * first * power;
            hits++;
        } else {
            assert_near(found.time, expected - first * power, 1e-13);
        }
    }
    assert_int_equal(hits, 11); // t_11 = 2.4990, t_12 = 2.5169
    assert_int_equal(rh_motion_occurrence_count(it.motion), 21);
    moving_end(&it);
}

// A step that is taken back (the steps behind the floor are a thousand times shorter) is not
// forgotten, nor told twice.
static void events_before_a_hard_floor(void **state)
{
    (void)state;
    moving it = moving_begin("coord x\nkinetic x'^2/2\npotential if(x > 0, 1/2, 500000)*x^2\n"
                             "start x = 1, x' = 0\nevent floor: x = 0\nevent half: x = 1/2\n"
                             "event near: x = 1/100\nevent deep: x' = 0 up\n",
                             NULL);
    const double period = PI + PI / 1000.0;
    moving_reach(&it, 10.0 * period);
    assert_int_equal(count_named(&it, "half"), 20);
    assert_int_equal(count_named(&it, "near"), 20);
    assert_int_equal(count_named(&it, "floor"), 20);
    assert_int_equal(count_named(&it, "deep"), 10);
    moving_end(&it);
}

// The four-bar mechanism passes its singular configuration twice in each turn of 1.9425 s.
static void events_at_singular_configurations(void **state)
{
    (void)state;
    moving it = moving_file("examples/four_bar/model.rhe", NULL);
    moving_reach(&it, 10.0);
    assert_int_equal(rh_motion_occurrence_count(it.motion), 10);
    for (size_t k = 0; k < 10; k++) {
        const double turn = 1.9425149226070836835;
        const double first = 0.71435552929296047246;
        const double time = (double)(k / 2) * turn + (k % 2 == 0 ? first : turn - first);
        assert_event(&it, k, "flat", time, 1e-8);
    }
    moving_end(&it);
}

// However far the end is: "until the event".
static void a_far_end(void **state)
{
    (void)state;
    static const double ENDS[] = {1e3, 1e12, 1e30, 1e300, INFINITY};
    for (size_t k = 0; k < 5; k++) {
        moving it = moving_begin(RUNNER "event one: x = 1 stop\n", NULL);
        rh_stop stop = RH_STOP_NONE;
        const rh_status status = rh_motion_advance(it.motion, ENDS[k], &stop, &it.err);
        const double time = rh_motion_time(it.motion);
        moving_end(&it);
        if (isfinite(ENDS[k]) || status == RH_OK) { // or no end is refused
            assert_int_equal(status, RH_OK);
            assert_int_equal(stop, RH_STOP_EVENT);
            assert_near(time, 1.0, 1e-14);
        }
    }
}

// --- touching ------------------------------------------------------------------------------------

static void a_touch_is_told_once(void **state)
{
    (void)state;
    static const char *const TEXTS[] = {
        // x = t - t^2/2 has its top 1/2 at t = 1
        "coord x\nkinetic x'^2/2\nforce x: -1\nstart x = 0, x' = 1\n"
        "event any: x = 1/2\nevent rise: x = 1/2 up\nevent fall: x = 1/2 down\n",
        // x = sin(pi t/2)
        "coord x\nkinetic x'^2/2\npotential (pi/2)^2*x^2/2\nstart x = 0, x' = pi/2\n"
        "event any: x = 1\nevent rise: x = 1 up\nevent fall: x = 1 down\n",
        // (t - 1)^2
        "coord x\nkinetic x'^2/2\nstart x = 0, x' = 1\n"
        "event any: (x - 1)^2 = 0\nevent rise: (x - 1)^2 = 0 up\nevent fall: (x - 1)^2 = 0 down\n",
    };
    for (size_t k = 0; k < 3; k++) {
        moving it = moving_begin(TEXTS[k], NULL);
        moving_reach(&it, 2.5);
        assert_int_equal(rh_motion_occurrence_count(it.motion), 1);
        assert_event(&it, 0, "any", 1.0, 1e-7);
        moving_end(&it);
    }
}

static void a_triple_root_is_a_crossing(void **state)
{
    (void)state;
    moving it = moving_begin(RUNNER "event any: (x - 1)^3 = 0\nevent rise: (x - 1)^3 = 0 up\n"
                                    "event fall: (x - 1)^3 = 0 down\n",
                             NULL);
    moving_reach(&it, 2.5);
    assert_int_equal(count_named(&it, "any"), 1);
    assert_int_equal(count_named(&it, "rise"), 1);
    assert_int_equal(count_named(&it, "fall"), 0);
    assert_near(rh_motion_occurrence(it.motion, 0).time, 1.0, 1e-5);
    moving_end(&it);
}

// --- borders -------------------------------------------------------------------------------------

static void an_event_at_the_end(void **state)
{
    (void)state;
    moving it = moving_begin(RUNNER "event one: x = 1\n", NULL);
    moving_reach(&it, 1.0);
    assert_int_equal(rh_motion_occurrence_count(it.motion), 1);
    assert_event(&it, 0, "one", 1.0, 1e-15);
    moving_reach(&it, 2.0);
    assert_int_equal(rh_motion_occurrence_count(it.motion), 1);
    moving_end(&it);
    it = moving_begin(RUNNER "event one: x = 1 stop\n", NULL);
    assert_int_equal(moving_advance(&it, 1.0), RH_STOP_EVENT);
    assert_int_equal(rh_motion_occurrence_count(it.motion), 1);
    moving_end(&it);
}

static double value_of(const moving *it, double time, const char *name)
{
    double row[16];
    rh_error err;
    for (size_t k = 0; k < rh_motion_column_count(it->motion); k++) {
        if (strcmp(rh_motion_column_name(it->motion, k), name) == 0) {
            assert_int_equal(rh_motion_row(it->motion, time, row, &err), RH_OK);
            return row[k];
        }
    }
    fail();
    return 0.0;
}

// What roundings put behind the end is met at the end, by every method; and a row there shows what
// is behind it, whether the motion ends there or goes on.
static void meetings_at_the_end(void **state)
{
    (void)state;
    static const rh_method METHODS[] = {RH_METHOD_TAYLOR, RH_METHOD_DOP853, RH_METHOD_CVODE,
                                        RH_METHOD_IDA};
    static const struct {
        const char *text;
        double end;
        double value;   // of x'
        size_t methods; // that have no error but roundings
    } LIST[] = {
        {"coord x, y\nkinetic (x'^2 + y'^2)/2 + x'*y'/4\npotential y\n"
         "constraint rail: y = 0 while x > 1 and x < 3\n"
         "start x = -2/15, y = 1/30, x' = 1, y' = 1/2\n",
         1.0, 1.125, 4},
        {RUNNER "event kick: 3*x = 0.3 up reset x' = 2*x'\n", 0.1, 2.0, 4},
        {RUNNER "event kick: t = 7/10 reset x' = 2*x'\n", 0.7, 2.0, 4},
        {OSCILLATOR "event kick: x = 1/2 up reset x' = 2\n", 0.52359877559829882, 2.0, 1},
        {OSCILLATOR "constraint wall: x <= 1/2 impact 1/2\n", 0.52359877559829882,
         -0.43301270189221932, 1},
    };
    for (size_t k = 0; k < sizeof LIST / sizeof LIST[0]; k++) {
        for (size_t m = 0; m < LIST[k].methods; m++) {
            const moving_conditions with = {.method = METHODS[m], .tolerance = 1e-12};
            moving it = moving_begin(LIST[k].text, &with);
            moving_reach(&it, LIST[k].end);
            assert_near(value_of(&it, LIST[k].end, "x'"), LIST[k].value, 1e-9);
            moving_end(&it);
            it = moving_begin(LIST[k].text, &with);
            rh_stop stop = RH_STOP_NONE;
            while (rh_motion_time(it.motion) < LIST[k].end) {
                assert_int_equal(rh_motion_step(it.motion, 1.5, &stop, &it.err), RH_OK);
            }
            assert_near(value_of(&it, LIST[k].end, "x'"), LIST[k].value, 1e-9);
            moving_end(&it);
        }
    }
}

// Beginning on the surface is no passing.
static void an_event_at_the_start(void **state)
{
    (void)state;
    moving it = moving_begin(OSCILLATOR "event zero: x = 0\n", NULL);
    moving_reach(&it, 10.0);
    assert_int_equal(rh_motion_occurrence_count(it.motion), 3);
    for (size_t k = 0; k < 3; k++) {
        assert_event(&it, k, "zero", PI * ((double)k + 1.0), 1e-14);
    }
    moving_end(&it);
}

// Wherever the caller puts the ends of steps, also upon the events to the last bit, each event is
// told once.
static void borders_lose_and_double_nothing(void **state)
{
    (void)state;
    support_random random = support_random_begin("borders_lose_and_double_nothing");
    for (uint32_t trial = 0; trial < 200; trial++) {
        moving it = moving_begin(OSCILLATOR "event up: x = 1/2 up\nevent down: x = 1/2 down\n"
                                            "event any: x = 1/2\n",
                                 NULL);
        for (uint32_t k = 0; k < 10; k++) {
            const double event = (k % 2 == 0 ? PI / 6.0 : 5.0 * PI / 6.0) + 2.0 * PI * (k / 2);
            double border = event + 1e-16 * support_random_real(&random, -10.0, 10.0) * event;
            if (support_random_below(&random, 4) == 0) {
                border = event;
            }
            moving_reach(&it, border);
        }
        moving_reach(&it, 10.0 * PI);
        if (count_named(&it, "up") != 5 || count_named(&it, "down") != 5 ||
            count_named(&it, "any") != 10) {
            fail_msg("trial %u: %zu up, %zu down, %zu both", trial, count_named(&it, "up"),
                     count_named(&it, "down"), count_named(&it, "any"));
        }
        moving_end(&it);
    }
}

// The same for stops: each stops once.
static void borders_and_stops(void **state)
{
    (void)state;
    support_random random = support_random_begin("borders_and_stops");
    for (uint32_t trial = 0; trial < 100; trial++) {
        moving it = moving_begin(OSCILLATOR "event halt: x = 1/2 stop\n", NULL);
        uint32_t stops = 0;
        const double border = PI / 6.0 * (1.0 + 1e-16 * support_random_real(&random, -10.0, 10.0));
        stops += moving_advance(&it, border) == RH_STOP_EVENT;
        for (uint32_t k = 0; k < 20 && rh_motion_time(it.motion) < 6.0; k++) {
            stops += moving_advance(&it, 6.0) == RH_STOP_EVENT;
        }
        assert_int_equal(stops, 2);
        assert_int_equal(rh_motion_occurrence_count(it.motion), 2);
        moving_end(&it);
    }
}

// Functions of the time that change much faster than the state, by every method.
static void functions_faster_than_the_state(void **state)
{
    (void)state;
    static const rh_method METHODS[] = {RH_METHOD_TAYLOR, RH_METHOD_DOP853, RH_METHOD_CVODE,
                                        RH_METHOD_IDA};
    for (size_t k = 0; k < sizeof METHODS / sizeof METHODS[0]; k++) {
        const moving_conditions with = {.method = METHODS[k]};
        moving it = moving_begin("coord x\nkinetic x'^2/2\nstart x = 0, x' = 0.05\n"
                                 "event e: x = sin(5*t) both\nevent f: sin(20*t) = 1/2 up\n",
                                 &with);
        moving_reach(&it, 20.0);
        assert_int_equal(count_named(&it, "f"), 64);
        assert_int_equal(count_named(&it, "e"), 31);
        moving_end(&it);
    }
}

// What happens at one time is done, all of it, in the order of the model.
static void events_at_one_time(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        double until, reached;
        const char *name;
        double value;
    } LIST[] = {
#define PLANE "coord x, y\nkinetic (x'^2 + y'^2)/2\n"
#define FROM "start x = 0, y = 0, x' = 1, y' = 1\n"
        {PLANE "event b: x = 1 up reset x' = -x'\nevent c: y = 1 up reset y = 0\n" FROM, 2.5, 2.5,
         "y", 0.5},
        {PLANE "event b: x = 1 up reset x' = -x'\nevent c: y = 1 up reset y = 0\n" FROM, 2.5, 2.5,
         "x", -0.5},
        {PLANE "constraint w: x <= 1 impact 1\nevent b: y = 1 up stop\n" FROM, 2.5, 1.0, "y", 1.0},
        {PLANE "constraint w: x <= 1 impact 1\nevent b: y = 1 up reset y' = 0\n" FROM, 2.5, 2.5,
         "y", 1.0},
        {PLANE "event a: x = 1 up reset x = 5\nevent b: y = 1 up stop\n" FROM, 2.5, 1.0, "x", 5.0},
        {PLANE "event b: y = 1 up stop\nevent a: x = 1 up reset x = 5\n" FROM, 2.5, 1.0, "x", 1.0},
        {PLANE "force x: if(t > 1, -2, 0)\nevent a: y = 1 up reset y' = 3\n" FROM, 2.0, 2.0, "y",
         4.0},
        {"state v[1..3]\nfor i in 1..3: law v[i]' = 2 - v[i]\n"
         "for i in 1..3: event f[i]: v[i] = 1 up reset v[i] = 0\n"
         "for i in 1..3: start v[i] = 0\n",
         3.0, 3.0, "v[3]", 0.406813812228354},
#undef PLANE
#undef FROM
    };
    for (size_t k = 0; k < sizeof LIST / sizeof LIST[0]; k++) {
        moving it = moving_begin(LIST[k].text, NULL);
        (void)moving_advance(&it, LIST[k].until);
        const double reached = rh_motion_time(it.motion);
        const double value = moving_value(&it, LIST[k].name);
        moving_end(&it);
        if (fabs(reached - LIST[k].reached) > 1e-12 || fabs(value - LIST[k].value) > 1e-12) {
            fail_msg("%zu: t = %.17g, %s = %.17g, expected %.17g, in:\n%s", k, reached,
                     LIST[k].name, value, LIST[k].value, LIST[k].text);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lowest_points_of_a_pendulum),
        cmocka_unit_test(events_of_multipliers),
        cmocka_unit_test(directions),
        cmocka_unit_test(events_of_time),
        cmocka_unit_test(fast_functions),
        cmocka_unit_test(functions_faster_than_the_state),
        cmocka_unit_test(events_with_conditions),
        cmocka_unit_test(several_in_one_step),
        cmocka_unit_test(a_stop_in_the_middle),
        cmocka_unit_test(a_ball_that_bounces),
        cmocka_unit_test(a_ball_with_resets),
        cmocka_unit_test(events_before_a_hard_floor),
        cmocka_unit_test(events_at_singular_configurations),
        cmocka_unit_test(a_far_end),
        cmocka_unit_test(a_touch_is_told_once),
        cmocka_unit_test(a_triple_root_is_a_crossing),
        cmocka_unit_test(an_event_at_the_end),
        cmocka_unit_test(meetings_at_the_end),
        cmocka_unit_test(an_event_at_the_start),
        cmocka_unit_test(borders_lose_and_double_nothing),
        cmocka_unit_test(borders_and_stops),
        cmocka_unit_test(events_at_one_time),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
