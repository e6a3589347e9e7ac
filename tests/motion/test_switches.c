// SPDX-License-Identifier: Apache-2.0
// Conditions in forces (`if`, `abs`, `sign`, `min`, `max`): motions made of smooth pieces, against
// their closed forms. The ends of the pieces are met to rounding.

#include "moving.h"

static const double PI = 3.14159265358979323846;

typedef struct wanted {
    const char *const *names;
    const double *values;
    size_t count;
    double tolerance; // relative to 1 + |value|
} wanted;

static void run_to(const char *text, bool is_plain, double t_end, const wanted *what)
{
    const moving_conditions with = {.is_plain = is_plain};
    moving it = moving_begin(text, &with);
    moving_reach(&it, t_end);
    for (size_t k = 0; k < what->count; k++) {
        const double value = what->values[k];
        const double found = moving_value(&it, what->names[k]);
        if (!(fabs(found - value) <= what->tolerance * (1.0 + fabs(value)))) {
            print_error("t = %.17g: %s is %.17g, expected %.17g (off by %.3g), in:\n%s", t_end,
                        what->names[k], found, value, found - value, text);
            moving_end(&it);
            fail();
        }
    }
    moving_end(&it);
}

static void run(const char *text, bool is_plain, double t_end, const char *const *names,
                const double *expected, size_t count)
{
    const wanted what = {names, expected, count, t_end > 50.0 ? 2e-12 : 1e-12};
    run_to(text, is_plain, t_end, &what);
}

static void check_x(const char *text, double t_end, double x, double v)
{
    static const char *const NAMES[] = {"x", "x'"};
    const double expected[] = {x, v};
    run(text, false, t_end, NAMES, expected, 2);
    run(text, true, t_end, NAMES, expected, 2);
}

// --- periodic pieces -----------------------------------------------------------------------------

// x'' = -sign(x) from x = a at rest: parabolas, a quarter of the period is sqrt(2 a).
static void signed_x(double a, double t, double *x, double *v)
{
    const double quarter = sqrt(2.0 * a);
    const double phase = fmod(t + quarter, 4.0 * quarter); // 0: upward through zero
    const double side = phase < 2.0 * quarter ? 1.0 : -1.0;
    const double s = phase < 2.0 * quarter ? phase : phase - 2.0 * quarter;
    *x = side * (quarter * s - s * s / 2.0);
    *v = side * (quarter - s);
}

static void a_force_of_constant_size(void **state)
{
    (void)state;
    static const char *const TEXTS[] = {
        "coord x\nkinetic x'^2/2\nforce x: -sign(x)\nstart x = 2, x' = 0\n",
        "coord x\nkinetic x'^2/2\npotential abs(x)\nstart x = 2, x' = 0\n",
        "coord x\nkinetic x'^2/2\nforce x: if(x > 0, -1, 1)\nstart x = 2, x' = 0\n",
        "coord x\nkinetic x'^2/2\nforce x: if(x >= 0, -1, 1)\nstart x = 2, x' = 0\n",
        "coord x\nkinetic x'^2/2\nforce x: if(x < 0, 1, -1)\nstart x = 2, x' = 0\n",
        "coord x\nkinetic x'^2/2\nforce x: if(x <= 0, 1, -1)\nstart x = 2, x' = 0\n",
        "coord x\nkinetic x'^2/2\nforce x: if(not x <= 0, -1, 1)\nstart x = 2, x' = 0\n",
        "coord x\nkinetic x'^2/2\npotential max(x, -x)\nstart x = 2, x' = 0\n",
        "coord x\nkinetic x'^2/2\npotential -min(x, -x)\nstart x = 2, x' = 0\n",
        "state x, v\nlaw x' = v\nlaw v' = -sign(x)\nstart x = 2, v = 0\n",
    };
    static const double TIMES[] = {1.0, 2.0, 2.5, 8.0, 33.3, 100.0};
    for (size_t k = 0; k < sizeof TEXTS / sizeof TEXTS[0]; k++) {
        for (size_t j = 0; j < sizeof TIMES / sizeof TIMES[0]; j++) {
            double expected[2];
            signed_x(2.0, TIMES[j], &expected[0], &expected[1]);
            const char *const names[] = {"x", k == 9 ? "v" : "x'"};
            run(TEXTS[k], j % 2 == 1, TIMES[j], names, expected, TIMES[j] == 2.0 ? 1 : 2);
        }
    }
}

// A spring with play: free flight between -s and s, half waves outside.
static void a_spring_with_play(void **state)
{
    (void)state;
    static const char *const TEXTS[] = {
        "coord x\nkinetic x'^2/2\nforce x: -4*(max(x - 1/2, 0) + min(x + 1/2, 0))\n"
        "start x = 0, x' = 1\n",
        "coord x\nkinetic x'^2/2\n"
        "potential 2*(if(x > 1/2, x - 1/2, if(x < -1/2, x + 1/2, 0)))^2\n"
        "start x = 0, x' = 1\n",
        "coord x\nkinetic x'^2/2\nforce x: if(x < 1/2 and x > -1/2, 0, -4*x + 2*sign(x))\n"
        "start x = 0, x' = 1\n",
        "coord x\nkinetic x'^2/2\nforce x: if(x > 1/2 or x < -1/2, -4*x + 2*sign(x), 0)\n"
        "start x = 0, x' = 1\n",
    };
    const double half = 1.0 + PI / 2.0; // half a period: free for 1, half a wave of frequency 2
    for (size_t k = 0; k < sizeof TEXTS / sizeof TEXTS[0]; k++) {
        for (uint32_t n = 0; n < 12; n++) {
            const double s = 0.3 * n;
            const double side = fmod(s, 2.0 * half) < half ? 1.0 : -1.0;
            const double phase = fmod(s, half);
            const double wave = phase - 0.5;
            const bool is_free = wave <= 0.0 || wave >= PI / 2.0;
            const double x = wave <= 0.0        ? phase
                             : wave >= PI / 2.0 ? half - phase
                                                : 0.5 + sin(2.0 * wave) / 2.0;
            const double v = is_free ? (wave <= 0.0 ? 1.0 : -1.0) : cos(2.0 * wave);
            check_x(TEXTS[k], s, side * x, side * v);
            check_x(TEXTS[k], s + 20.0 * half, side * x, side * v);
        }
    }
}

// A weak spring above, a stiff one below: half waves of frequencies 1 and 1000. The steps on the
// two sides differ a thousandfold.
static void a_hard_floor(void **state)
{
    (void)state;
    static const char TEXT[] = "coord x\nkinetic x'^2/2\npotential if(x > 0, 1/2, 500000)*x^2\n"
                               "start x = 1, x' = 0\n";
    static const char *const NAMES[] = {"x", "x'"};
    static const double TIMES[] = {0.3, 1.0, 1.572, 2.0, 3.3, 4.0, 4.7, 6.0};
    const double period = PI + PI / 1000.0;
    for (size_t k = 0; k < 2 * (sizeof TIMES / sizeof TIMES[0]); k++) {
        const double time = TIMES[k / 2] + (k % 2 == 0 ? 0.0 : 5.0 * period);
        const double phase = fmod(time + PI / 2.0, period); // 0: upward through zero
        const bool is_above = phase < PI;
        const double s = is_above ? phase : 1000.0 * (phase - PI);
        const double values[] = {is_above ? sin(s) : -sin(s) / 1000.0, is_above ? cos(s) : -cos(s)};
        // one rounding of the time changes x' a thousand times as much
        const wanted what = {NAMES, values, 2, 2e-11};
        run_to(TEXT, k % 4 > 1, time, &what);
    }
}

// --- conditions of time --------------------------------------------------------------------------

static void a_push_for_a_while(void **state)
{
    (void)state;
    check_x("coord x\nkinetic x'^2/2\nforce x: if(t >= 1 and t <= 2, 1, 0)\n"
            "start x = 0, x' = 0\n",
            5.0, 0.5 + 3.0, 1.0);
    check_x("coord x\nkinetic x'^2/2\nforce x: min(t, 1) + max(0, t - 3)\nstart x = 0, x' = 0\n",
            4.0, 1.0 / 6.0 + 3.0 / 2.0 + 9.0 / 2.0 + 1.0 / 6.0, 1.0 / 2.0 + 3.0 + 1.0 / 2.0);
}

// A square wave: the surface is not smooth on the scale of the motion, which is a polynomial.
static void a_square_wave(void **state)
{
    (void)state;
    // sign(sin(pi t)): +1, -1, ... for one second each; x' returns to 0 at even times
    check_x("coord x\nkinetic x'^2/2\nforce x: sign(sin(pi*t))\nstart x = 0, x' = 0\n", 20.0, 10.0,
            0.0);
    check_x("coord x\nkinetic x'^2/2\nforce x: if(cos(2*pi*t) > 0, 2, 0)\nstart x = 0, x' = 0\n",
            10.0, 50.0, 10.0);
    // the same much faster: conditions have a time scale of their own
    check_x("coord x\nkinetic x'^2/2\nforce x: if(cos(200*pi*t) > 0, 2, 0)\nstart x = 0, x' = 0\n",
            1.0, 0.5, 1.0);
}

// --- several surfaces ----------------------------------------------------------------------------

// Two surfaces that are passed at the same time, by different expressions.
static void surfaces_passed_together(void **state)
{
    (void)state;
    double x = 0.0;
    double v = 0.0;
    signed_x(4.0, 7.3 * sqrt(2.0), &x, &v); // x'' = -2 sign x: time runs sqrt(2) times faster
    check_x("coord x\nkinetic x'^2/2\nforce x: -sign(x) - sign(x + x^3)\nstart x = 4, x' = 0\n",
            7.3, x, v * sqrt(2.0));
    check_x("coord x\nkinetic x'^2/2\nforce x: -sign(x) - sign(sin(x/4))\nstart x = 4, x' = 0\n",
            7.3, x, v * sqrt(2.0));
    check_x("coord x\nkinetic x'^2/2\nforce x: -sign(x) - if(x + x^3 > 0, 1, -1)\n"
            "start x = 4, x' = 0\n",
            7.3, x, v * sqrt(2.0));
}

// Two bodies, independent of each other, that pass at the same time.
static void bodies_in_step(void **state)
{
    (void)state;
    static const char *const NAMES[] = {"x", "x'", "y", "y'"};
    double expected[4];
    signed_x(2.0, 30.7, &expected[0], &expected[1]);
    expected[2] = expected[0];
    expected[3] = expected[1];
    run("coord x, y\nkinetic (x'^2 + y'^2)/2\nforce x: -sign(x)\nforce y: -sign(y)\n"
        "start x = 2, y = 2, x' = 0, y' = 0\n",
        false, 30.7, NAMES, expected, 4);
}

// A corner: |x| + |y| passes (0, 0) along the diagonal.
static void a_corner_of_min_and_max(void **state)
{
    (void)state;
    static const char *const NAMES[] = {"x", "y"};
    // uniform motion along x = t - 1, y = t - 2; z'' = min(x, y, 0) + max(x, y)
    static const char TEXT[] = "coord x, y, z\nkinetic (x'^2 + y'^2 + z'^2)/2\n"
                               "force z: max(x, y) + min(x, y, 0)\n"
                               "start x = -1, y = -2, z = 0, x' = 1, y' = 1, z' = 0\n";
    const double places[] = {2.0, 1.0};
    run(TEXT, false, 3.0, NAMES, places, 2);
    // z'' = (t - 1) + min(t - 2, 0)
    static const char *const Z[] = {"z'"};
    const double speed[] = {3.0 * 3.0 / 2.0 - 3.0 - 2.0};
    run(TEXT, false, 3.0, Z, speed, 1);
}

// --- starts and touches --------------------------------------------------------------------------

static void a_start_on_the_surface(void **state)
{
    (void)state;
    double x = 0.0;
    double v = 0.0;
    signed_x(2.0, 2.0 * 3.0 + 0.7, &x, &v); // upward through zero at 3 quarters
    check_x("coord x\nkinetic x'^2/2\nforce x: -sign(x)\nstart x = 0, x' = 2\n", 0.7, x, v);
    check_x("coord x\nkinetic x'^2/2\nforce x: -sign(x)\nstart x = 0, x' = -2\n", 0.7, -x, -v);
    check_x("coord x\nkinetic x'^2/2\nforce x: if(x > 0, -1, 1)\nstart x = 0, x' = 2\n", 0.7, x, v);
    check_x("coord x\nkinetic x'^2/2\nforce x: if(x < 0, 1, -1)\nstart x = 0, x' = -2\n", 0.7, -x,
            -v);
    // at rest on the surface, driven off it by another force
    check_x("coord x\nkinetic x'^2/2\nforce x: 3 + sign(x)\nstart x = 0, x' = 0\n", 1.0, 2.0, 4.0);
    check_x("coord x\nkinetic x'^2/2\nforce x: t + abs(x)\nstart x = 0, x' = 0\n", 1.0,
            sinh(1.0) - 1.0, cosh(1.0) - 1.0);
}

// The surface is touched and not passed: the same side goes on.
static void a_touched_surface(void **state)
{
    (void)state;
    // x = (t - 1)^2/2 touches 0 at t = 1
    check_x("coord x\nkinetic x'^2/2\nforce x: if(x >= 0, 1, 100)\nstart x = 1/2, x' = -1\n", 3.0,
            2.0, 2.0);
    check_x("coord x\nkinetic x'^2/2\nforce x: sign(x)\nstart x = 1/2, x' = -1\n", 0.5, 0.125,
            -0.5);
}

// --- events and rows at switches -----------------------------------------------------------------

// An event on the switching surface is told once, at its time.
static void events_on_the_surface(void **state)
{
    (void)state;
    moving it = moving_begin("coord x\nkinetic x'^2/2\nforce x: -sign(x)\nstart x = 2, x' = 0\n"
                             "event zero: x = 0\nevent down: x = 0 down\nevent rest: x' = 0\n",
                             NULL);
    moving_reach(&it, 40.5);
    size_t zeros = 0;
    size_t downs = 0;
    size_t rests = 0;
    for (size_t k = 0; k < rh_motion_occurrence_count(it.motion); k++) {
        const rh_occurrence found = rh_motion_occurrence(it.motion, k);
        if (strcmp(found.name, "zero") == 0) {
            assert_near(found.time, 2.0 + 4.0 * (double)zeros++, 1e-13);
        } else if (strcmp(found.name, "down") == 0) {
            assert_near(found.time, 2.0 + 8.0 * (double)downs++, 1e-13);
        } else {
            assert_near(found.time, 4.0 + 4.0 * (double)rests++, 1e-13);
        }
    }
    assert_int_equal(zeros, 10);
    assert_int_equal(downs, 5);
    assert_int_equal(rests, 10);
    moving_end(&it);
}

// Rows within the last step tell of the piece they lie in, also when the step ended at a switch.
static void rows_before_a_switch(void **state)
{
    (void)state;
    moving it = moving_begin("coord x\nkinetic x'^2/2\nforce x: -sign(x)\nstart x = 2, x' = 0\n"
                             "observe a = x''\n",
                             NULL);
    rh_stop stop = RH_STOP_NONE;
    while (rh_motion_time(it.motion) < 1.5) {
        assert_int_equal(rh_motion_step(it.motion, 3.0, &stop, NULL), RH_OK);
    }
    const double end = rh_motion_time(it.motion);
    assert_near(end, 2.0, 1e-14);
    const double time = (rh_motion_time_before(it.motion) + end) / 2.0;
    double *row = moving_row(&it, time);
    const double x = row[moving_column(&it, "x")];
    const double a = row[moving_column(&it, "a")];
    free(row);
    moving_end(&it);
    assert_near(x, 2.0 - time * time / 2.0, 1e-14);
    assert_near(a, -1.0, 1e-14);
}

// However the time is cut into pieces, also at the switches.
static void pieces_of_time(void **state)
{
    (void)state;
    support_random random = support_random_begin("pieces_of_time");
    for (uint32_t trial = 0; trial < 100; trial++) {
        moving it = moving_begin("coord x\nkinetic x'^2/2\nforce x: -sign(x)\nstart x = 2, x' = "
                                 "0\n",
                                 NULL);
        double time = 0.0;
        for (uint32_t k = 0; k < 10; k++) {
            const double border = 2.0 + 4.0 * k;
            const double cut = border * (1.0 + 1e-16 * support_random_real(&random, -10.0, 10.0));
            moving_reach(&it, support_random_below(&random, 4) == 0 ? border : cut);
            time = border + support_random_real(&random, 0.01, 3.9);
            moving_reach(&it, time);
        }
        double x = 0.0;
        double v = 0.0;
        signed_x(2.0, time, &x, &v);
        assert_near(moving_value(&it, "x"), x, 1e-12);
        assert_near(moving_value(&it, "x'"), v, 1e-12);
        moving_end(&it);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_force_of_constant_size),
        cmocka_unit_test(a_spring_with_play),
        cmocka_unit_test(a_hard_floor),
        cmocka_unit_test(a_push_for_a_while),
        cmocka_unit_test(a_square_wave),
        cmocka_unit_test(surfaces_passed_together),
        cmocka_unit_test(bodies_in_step),
        cmocka_unit_test(a_corner_of_min_and_max),
        cmocka_unit_test(a_start_on_the_surface),
        cmocka_unit_test(a_touched_surface),
        cmocka_unit_test(events_on_the_surface),
        cmocka_unit_test(rows_before_a_switch),
        cmocka_unit_test(pieces_of_time),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
