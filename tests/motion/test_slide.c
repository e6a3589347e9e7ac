// SPDX-License-Identifier: Apache-2.0
// Sliding on switching surfaces: sticking by dry friction, Filippov's motions, against their closed
// forms, by all methods.

#include "moving.h"

static const double PI = 3.14159265358979323846;

typedef struct expected {
    rh_occurrence_kind kind;
    double time;
    const char *name;
} expected;

static void check_events(const moving *it, const expected *list, size_t count, double tolerance)
{
    const size_t found = rh_motion_occurrence_count(it->motion);
    for (size_t k = 0; k < found; k++) {
        const rh_occurrence at = rh_motion_occurrence(it->motion, k);
        if (k >= count || at.kind != list[k].kind || strcmp(at.name, list[k].name) != 0 ||
            !(fabs(at.time - list[k].time) <= tolerance * (1.0 + fabs(list[k].time)))) {
            fail_msg("event %zu: %s of %s at %.17g", k, rh_occurrence_kind_text(at.kind), at.name,
                     at.time);
        }
    }
    assert_int_equal(found, count);
}

static void check_value(moving *it, const char *name, double value, double tolerance)
{
    const double found = moving_value(it, name);
    if (!(fabs(found - value) <= tolerance * (1.0 + fabs(value)))) {
        fail_msg("%s is %.17g, expected %.17g", name, found, value);
    }
}

typedef struct way {
    rh_method method;
    double tolerance;
    double wanted;
} way;

static const way WAYS[] = {{RH_METHOD_TAYLOR, 0.0, 2e-12},
                           {RH_METHOD_DOP853, 1e-11, 1e-8},
                           {RH_METHOD_CVODE, 1e-11, 1e-6},
                           {RH_METHOD_IDA, 1e-11, 1e-6}};

enum { WAY_COUNT = sizeof WAYS / sizeof WAYS[0] };

// A block on a spring with dry friction: half waves about -mu and mu, until it sticks.
static void a_block_sticks(void **state)
{
    (void)state;
    for (size_t k = 0; k < WAY_COUNT; k++) {
        for (int is_plain = 0; is_plain < 2; is_plain++) {
            const moving_conditions with = {.method = WAYS[k].method,
                                            .tolerance = WAYS[k].tolerance,
                                            .is_plain = is_plain != 0};
            moving it = moving_begin("param mu = 0.3\ncoord x\nkinetic x'^2/2\npotential x^2/2\n"
                                     "force x: -mu*sign(x')\nobserve rub = -mu*sign(x')\n"
                                     "start x = 1.4, x' = 0\n",
                                     &with);
            moving_reach(&it, 20.0);
            const expected list[] = {{RH_OCCURRENCE_SLIDE, 2.0 * PI, "sign(x')"}};
            check_events(&it, list, 1, WAYS[k].wanted);
            check_value(&it, "x", 0.2, WAYS[k].wanted);
            check_value(&it, "x'", 0.0, 1e-13);
            check_value(&it, "rub", 0.2, WAYS[k].wanted);
            moving_end(&it);
        }
    }
}

// x'' = sin t - mu sign(x') from rest: it sticks until sin t = mu, then
// x' = cos a - cos t - mu (t - a), until that vanishes.
static void a_block_lets_go(void **state)
{
    (void)state;
    const double mu = 0.6;
    const double a = asin(mu);
    double b = 4.0;
    for (int k = 0; k < 60; k++) {
        b -= (cos(a) - cos(b) - mu * (b - a)) / (sin(b) - mu);
    }
    const double x = cos(a) * (b - a) - sin(b) + sin(a) - mu * (b - a) * (b - a) / 2.0;
    // then the other way: |sin b| < mu, so it sticks until sin t = -mu
    assert_true(fabs(sin(b)) < mu);
    const expected list[] = {{RH_OCCURRENCE_LEAVE, a, "sign(x')"},
                             {RH_OCCURRENCE_SLIDE, b, "sign(x')"},
                             {RH_OCCURRENCE_LEAVE, PI + a, "sign(x')"}};
    for (size_t k = 0; k < WAY_COUNT; k++) {
        const moving_conditions with = {.method = WAYS[k].method, .tolerance = WAYS[k].tolerance};
        moving it = moving_begin("param mu = 0.6\ncoord x\nkinetic x'^2/2\n"
                                 "force x: sin(t) - mu*sign(x')\nstart x = 0, x' = 0\n",
                                 &with);
        moving_reach(&it, 0.5);
        check_value(&it, "x'", 0.0, 1e-15);
        moving_reach(&it, 0.5 * (b + PI + a));
        check_value(&it, "x", x, WAYS[k].wanted);
        moving_reach(&it, PI + a + 0.01);
        check_events(&it, list, 3, WAYS[k].wanted);
        moving_end(&it);
    }
}

// Filippov's combination where a condition is not a factor: x' = 1 below, exp(-t) - 2 above.
static void a_state_slides(void **state)
{
    (void)state;
    static const char *const TEXTS[] = {
        "state x, y\nlaw x' = if(x + y > 1, -2 + exp(-t), 1)\nlaw y' = 0.5*sin(t)\n"
        "start x = 0, y = 0\n",
        "state x, y\nlaw x' = if(x + y <= 1, 1, -2 + exp(-t))\nlaw y' = 0.5*sin(t)\n"
        "start x = 0, y = 0\n",
        "state x, y\nlaw x' = (1 - exp(-t) + 2)*(1 - sign(x + y - 1))/2 - 2 + exp(-t)\n"
        "law y' = 0.5*sin(t)\nselect x\nstart x = 0, y = 0\n",
    };
    double b = 0.8; // x + y = t + (1 - cos t)/2 = 1
    for (int k = 0; k < 60; k++) {
        b -= (b + 0.5 * (1.0 - cos(b)) - 1.0) / (1.0 + 0.5 * sin(b));
    }
    for (size_t j = 0; j < sizeof TEXTS / sizeof TEXTS[0]; j++) {
        for (size_t k = 0; k < WAY_COUNT; k++) {
            const moving_conditions with = {.method = WAYS[k].method,
                                            .tolerance = WAYS[k].tolerance};
            moving it = moving_begin(TEXTS[j], &with);
            moving_reach(&it, 5.0);
            check_value(&it, "x", 1.0 - 0.5 * (1.0 - cos(5.0)), WAYS[k].wanted);
            assert_int_equal(rh_motion_occurrence_count(it.motion), 1);
            const rh_occurrence at = rh_motion_occurrence(it.motion, 0);
            assert_int_equal(at.kind, RH_OCCURRENCE_SLIDE);
            assert_true(fabs(at.time - b) <= WAYS[k].wanted);
            moving_end(&it);
        }
    }
}

// Two blocks at rest, one on the other, the lower one pulled: each contact has its own friction.
static void stacked_blocks(void **state)
{
    (void)state;
    // F = t: all sticks until t = 3, then both go together until the upper one is left behind: its
    // acceleration (t - 3)/3 comes to 1 at t = 6
    moving it = moving_begin("coord x, y\nkinetic 2*x'^2/2 + y'^2/2\n"
                             "force x: t - 3*sign(x') - sign(x' - y')\nforce y: sign(x' - y')\n"
                             "start x = 0, y = 0, x' = 0, y' = 0\n",
                             NULL);
    const expected list[] = {{RH_OCCURRENCE_LEAVE, 3.0, "sign(x')"},
                             {RH_OCCURRENCE_LEAVE, 6.0, "sign(x' - y')"}};
    moving_reach(&it, 5.0);
    check_value(&it, "x'", 2.0 / 3.0, 1e-12);
    check_value(&it, "y'", 2.0 / 3.0, 1e-12);
    moving_reach(&it, 8.0);
    check_value(&it, "y'", 1.5 + 2.0, 1e-12);
    // 2 x'' = t - 4
    check_value(&it, "x'", 1.5 + (16.0 - 4.0) / 4.0, 1e-12);
    check_events(&it, list, 2, 1e-12);
    moving_end(&it);
}

// With a kept constraint: a bead on a hoop with dry friction along it sticks where g sin a < mu.
static void a_bead_sticks(void **state)
{
    (void)state;
    for (int is_plain = 0; is_plain < 2; is_plain++) {
        const moving_conditions with = {.is_plain = is_plain != 0};
        moving it = moving_begin("coord x, y\nkinetic (x'^2 + y'^2)/2\npotential 10*y\n"
                                 "constraint hoop: x^2 + y^2 = 1\n"
                                 "let s = x*y' - y*x'\n"
                                 "force x: 4*y*sign(s)\nforce y: -4*x*sign(s)\n"
                                 "start x = 1, y = 0, x' = 0, y' = 0\n",
                                 &with);
        moving_reach(&it, 10.0);
        check_value(&it, "x'", 0.0, 1e-12);
        check_value(&it, "y'", 0.0, 1e-12);
        assert_true(fabs(10.0 * moving_value(&it, "x")) < 4.0);
        const size_t count = rh_motion_occurrence_count(it.motion);
        assert_true(count >= 1);
        assert_int_equal(rh_motion_occurrence(it.motion, count - 1).kind, RH_OCCURRENCE_SLIDE);
        moving_end(&it);
    }
}

// A one-sided constraint on the surface that the motion slides on needs not act: it sticks until
// 2 sin t = 1, and then goes to the allowed side.
static void a_gate_on_the_same_surface(void **state)
{
    (void)state;
    moving it = moving_begin("coord x\nkinetic x'^2/2\nforce x: 2*sin(t) - sign(x')\n"
                             "constraint r: x' >= 0\nstart x = 0, x' = 0\n",
                             NULL);
    const expected list[] = {{RH_OCCURRENCE_LEAVE, PI / 6.0, "sign(x')"}};
    moving_reach(&it, 3.0);
    check_events(&it, list, 1, 1e-12);
    check_value(&it, "x'", 2.0 * (cos(PI / 6.0) - cos(3.0)) - (3.0 - PI / 6.0), 1e-12);
    moving_end(&it);
}

// An impact lifts the body off a one-sided constraint on its speed: it falls with 0.7 on a floor.
static void an_impact_ends_a_gate(void **state)
{
    (void)state;
    moving it = moving_begin("coord y\nkinetic y'^2/2\npotential 10*y\n"
                             "constraint floor: y >= 0 impact 0.5\nconstraint slow: y' >= -0.7\n"
                             "start y = 1, y' = 0\n",
                             NULL);
    // 0.07 s of free fall over 0.0245, then with 0.7; flights of 0.07, 0.035, ... after it
    const double met = 0.07 + (1.0 - 0.0245) / 0.7;
    moving_reach(&it, met + 0.01);
    check_value(&it, "y'", 0.35 - 0.1, 1e-11);
    moving_reach(&it, 3.0);
    const size_t count = rh_motion_occurrence_count(it.motion);
    const rh_occurrence last = rh_motion_occurrence(it.motion, count - 1);
    assert_int_equal(last.kind, RH_OCCURRENCE_ENGAGE);
    assert_true(fabs(last.time - (met + 0.14)) <= 1e-12);
    check_value(&it, "y", 0.0, 1e-12);
    moving_end(&it);
}

// --- impacts while sliding -----------------------------------------------------------------------

// Dry friction is finite: it has no part in an impact.
static void a_carried_box_hits_a_stop(void **state)
{
    (void)state;
    static const char BOX[] = "coord x\nkinetic x'^2/2\nforce x: -sign(x' - 1)\n"
                              "constraint stop: x <= 2 impact %s\nstart x = 0, x' = 0\n";
    static const struct {
        const char *restitution;
        double x, v, multiplier;
    } LIST[] = {{"0", 2.0, 0.0, 1.0}, {"1", 1.625, 0.5, 0.0}, {"1/2", 2.0, 0.0, 1.0}};
    for (size_t k = 0; k < sizeof LIST / sizeof LIST[0]; k++) {
        char text[200];
        (void)snprintf(text, sizeof text, BOX, LIST[k].restitution);
        moving it = moving_begin(text, NULL);
        moving_reach(&it, 6.0);
        check_value(&it, "x", LIST[k].x, 1e-11);
        check_value(&it, "x'", LIST[k].v, 1e-11);
        check_value(&it, "lambda.stop", LIST[k].multiplier, 1e-10);
        moving_end(&it);
    }
    // both components jump in the metric of the kinetic energy, sliding or not
    moving it = moving_begin("coord x, y\nkinetic (x'^2 + y'^2)/2\npotential 10*y\n"
                             "force x: -sign(x' - 1)\n"
                             "constraint floor: y + x/10 >= 0 impact 1/2\n"
                             "start x = 0, y = 1, x' = 1, y' = 0\n",
                             NULL);
    const double t = 0.01 + sqrt(0.0001 + 0.2); // 1 + t/10 = 5 t^2
    const double speed = 0.1 - 10.0 * t;
    moving_reach(&it, t + 1e-3);
    check_value(&it, "x'", 1.0 - 1.5 * speed * 0.1 / 1.01 - 1e-3, 1e-10);
    moving_end(&it);
}

// Nothing in the state changes while it sticks: the series of the friction limits the steps.
static void a_block_sticks_for_long(void **state)
{
    (void)state;
    moving it = moving_begin("coord x\nkinetic x'^2/2\nforce x: -sign(x') + 0.5*cos(2*t)\n"
                             "start x = 0, x' = 0\n",
                             NULL);
    moving_reach(&it, 100.0);
    check_value(&it, "x", 0.0, 0.0);
    assert_int_equal(rh_motion_occurrence_count(it.motion), 0);
    moving_end(&it);
}

// A surface on which the motion rests has a side as soon as the motion leaves it: y = (t - 1)^3/6
// from t = 1 on.
static void a_surface_gets_its_side_when_the_motion_leaves_it(void **state)
{
    (void)state;
    for (size_t k = 0; k < WAY_COUNT && WAYS[k].method != RH_METHOD_IDA; k++) {
        const moving_conditions with = {.method = WAYS[k].method, .tolerance = WAYS[k].tolerance};
        moving it = moving_begin("coord y, z\nstate c\nkinetic (y'^2 + z'^2)/2\n"
                                 "force y: t - sign(y')\nforce z: abs(y)\n"
                                 "law c' = if(y > 0, 1, 0)\nstart y = 0, y' = 0, z = 0, z' = 0\n",
                                 &with);
        moving_reach(&it, 3.0);
        const expected list[] = {{RH_OCCURRENCE_LEAVE, 1.0, "sign(y')"}};
        check_events(&it, list, 1, WAYS[k].wanted);
        check_value(&it, "y", 8.0 / 6.0, WAYS[k].wanted);
        check_value(&it, "z'", 16.0 / 24.0, WAYS[k].wanted);
        // without series a step beyond y = 0 is seen late
        check_value(&it, "c", 2.0, WAYS[k].method == RH_METHOD_TAYLOR ? WAYS[k].wanted : 0.1);
        moving_end(&it);
    }
}

// A one-sided constraint keeps the motion on the surface of a condition that does not move it: the
// condition has its value on the surface there, and does not slide.
static void what_is_held_does_not_slide(void **state)
{
    (void)state;
    static const char *const FORCES[] = {"if(y' > 0, 1, 0)", "sign(y')"};
    for (size_t k = 0; k < sizeof FORCES / sizeof *FORCES; k++) {
        char text[300];
        (void)snprintf(text, sizeof text,
                       "coord x, y\nkinetic (x'^2 + y'^2)/2\nforce x: %s\nforce y: t - 1\n"
                       "constraint g: y' >= 0\nstart x = 0, y = 0, x' = 0, y' = 0\n",
                       FORCES[k]);
        moving it = moving_begin(text, &(moving_conditions){0});
        moving_reach(&it, 3.0);
        const expected list[] = {{RH_OCCURRENCE_LEAVE, 1.0, "g"}};
        check_events(&it, list, 1, 1e-12);
        check_value(&it, "x'", 2.0, 1e-12);
        check_value(&it, "y'", 2.0, 1e-12);
        moving_end(&it);
    }
}

// A mass on a belt lets go where its spring is as strong as friction: x' - 1 = -(t - 1)^2/2 + ...,
// so slowly that a step without jets cannot tell it from the surface at first.
static void it_lets_go_slowly(void **state)
{
    (void)state;
    static const rh_method METHODS[] = {RH_METHOD_TAYLOR, RH_METHOD_DOP853, RH_METHOD_CVODE,
                                        RH_METHOD_IDA};
    for (size_t k = 0; k < sizeof METHODS / sizeof *METHODS; k++) {
        moving it = moving_begin("coord x\nkinetic x'^2/2\npotential x^2/2\n"
                                 "force x: -sign(x' - 1)\nstart x = 0, x' = 1\n",
                                 &(moving_conditions){.method = METHODS[k]});
        moving_reach(&it, 6.0);
        assert_near(moving_value(&it, "x"), 1.0 + sin(5.0), k == 0 ? 1e-12 : 1e-8);
        assert_int_equal(rh_motion_occurrence_count(it.motion), 1);
        moving_end(&it);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_block_sticks),
        cmocka_unit_test(a_block_lets_go),
        cmocka_unit_test(a_state_slides),
        cmocka_unit_test(stacked_blocks),
        cmocka_unit_test(a_bead_sticks),
        cmocka_unit_test(a_gate_on_the_same_surface),
        cmocka_unit_test(an_impact_ends_a_gate),
        cmocka_unit_test(a_carried_box_hits_a_stop),
        cmocka_unit_test(a_block_sticks_for_long),
        cmocka_unit_test(a_surface_gets_its_side_when_the_motion_leaves_it),
        cmocka_unit_test(what_is_held_does_not_slide),
        cmocka_unit_test(it_lets_go_slowly),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
