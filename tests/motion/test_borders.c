// SPDX-License-Identifier: Apache-2.0
// Borders between the pieces of an input from a file: events and switches there, by every method.

#include "feeding.h"

// Crossings inside pieces, at kinks, by jumps; touching a level with a kink; reaching it and
// staying.
static void events_at_borders(void **state)
{
    (void)state;
    static const char TEXT[] = "input u from \"u.csv\"\nstate x\nlaw x' = u\nstart x = 0\n"
                               "event any: u = 1\nevent up: u = 1 up\nevent down: u = 1 down\n";
    static const expected_event EXPECTED[] = {
        {"any", 0.5}, {"up", 0.5},   // inside a piece
        {"any", 1.5}, {"down", 1.5}, // down again, inside
        {"any", 2},   {"up", 2},     // jump
        {"any", 3},   {"down", 3},   // jump back
        {"any", 4},                  // touched by a kink from below
        {"any", 5},   {"up", 5},     // straight through a point of the table
        {"any", 7},                  // touched from above
        {"any", 9},   {"down", 9},   // reached, and kept
        {"any", 13},  {"up", 13},    // through a kink
        {"any", 15},  {"down", 15},  // jump
        {"any", 16},                 // reached from below, and left by a jump
        {"any", 17},  {"up", 17},    // reached by a jump, and kept
    };
    signal u;
    const rh_feed feed = make_signal(&u, "u",
                                     POINTS(0, 0, 1, 2, 2, 0, 2, 3, 3, 2, 3, 0, 4, 1, 4.5, 0.5, 5,
                                            1, 6, 2, 7, 1, 8, 2, 9, 1, 11, 1, 12, 0, 13, 1, 13.5, 5,
                                            15, 5, 15, 0, 16, 1, 16, 0, 17, 0, 17, 1));
    for (size_t m = 0; m < METHODS; m++) {
        moving it = begin_with(TEXT, &feed, 1, METHOD[m]);
        moving_reach(&it, 20.0);
        expect_events(&it, EXPECTED, sizeof EXPECTED / sizeof *EXPECTED, m == 0 ? 1e-14 : 1e-12);
        moving_end(&it);
    }
}

// A border that is also the end of the motion tells its events once.
static void an_event_at_the_last_border(void **state)
{
    (void)state;
    static const char TEXT[] = "input u from \"u.csv\"\nstate x\nlaw x' = u\nstart x = 0\n"
                               "event on: u = 0.5\n";
    static const expected_event EXPECTED[] = {{"on", 1}};
    signal u;
    const rh_feed feed = make_signal(&u, "u", POINTS(0, 0, 1, 0, 1, 1));
    for (size_t m = 0; m < METHODS; m++) {
        moving it = begin_with(TEXT, &feed, 1, METHOD[m]);
        moving_reach(&it, 1.0);
        expect_events(&it, EXPECTED, 1, 0.0);
        moving_reach(&it, 2.0);
        expect_events(&it, EXPECTED, 1, 0.0);
        moving_end(&it);
    }
}

static void a_jump_may_stop(void **state)
{
    (void)state;
    static const char TEXT[] = "input u from \"u.csv\"\nstate x\nlaw x' = 1 + 0*u\nstart x = 0\n"
                               "event off: u = 0.5 down stop\nobserve seen = u\n";
    signal u;
    const rh_feed feed = make_signal(&u, "u", POINTS(0, 1, 1.5, 1, 1.5, 0));
    for (size_t m = 0; m < METHODS; m++) {
        moving it = begin_with(TEXT, &feed, 1, METHOD[m]);
        assert_int_equal(moving_advance(&it, 3.0), RH_STOP_EVENT);
        assert_near(rh_motion_time(it.motion), 1.5, 0.0);
        assert_near(moving_value(&it, "x"), 1.5, 1e-12);
        assert_near(moving_value(&it, "seen"), 0.0, 0.0);
        moving_end(&it);
    }
}

// What a reset reads is the input after the jump.
static void a_jump_may_reset(void **state)
{
    (void)state;
    static const char TEXT[] = "input u from \"u.csv\"\nstate x\nlaw x' = 1\nstart x = 0\n"
                               "event kick: u = 0.5 reset x = 10*u\n";
    static const expected_event EXPECTED[] = {{"kick", 1}, {"kick", 2}};
    signal u;
    const rh_feed feed = make_signal(&u, "u", POINTS(1, 0, 1, 3, 2, 3, 2, -1));
    for (size_t m = 0; m < METHODS; m++) {
        moving it = begin_with(TEXT, &feed, 1, METHOD[m]);
        moving_reach(&it, 1.5);
        assert_near(moving_value(&it, "x"), 30.5, 1e-11);
        moving_reach(&it, 3.0);
        assert_near(moving_value(&it, "x"), -9.0, 1e-11);
        expect_events(&it, EXPECTED, 2, 0.0);
        moving_end(&it);
    }
}

// x' = the sign of u where it is positive or not, y' = |u|; u crosses zero inside pieces, at a
// kink, by jumps, and jumps onto zero itself.
static void switches_follow_a_feed(void **state)
{
    (void)state;
    static const char TEXT[] = "input u from \"u.csv\"\nstate x, y\nlaw x' = if(u > 0, 1, -1)\n"
                               "law y' = abs(u)\nstart x = 0, y = 0\n"
                               "event far: if(u > 0, x, 3) = 0.25\n";
    signal u;
    const rh_feed feed = make_signal(
        &u, "u",
        POINTS(0, -1, 1, 1, 2, 1, 2, -1, 3, -1, 3, 0, 4, -1, 5, 0, 6, 1, 7, 0, 8, 1, 8, 0, 9, 1));
    for (size_t m = 0; m < METHODS; m++) {
        moving it = begin_with(TEXT, &feed, 1, METHOD[m]);
        moving_reach(&it, 2.0);
        assert_near(moving_value(&it, "x"), 1.0, 10.0 * ERROR[m]);
        moving_reach(&it, 5.0);
        assert_near(moving_value(&it, "x"), -2.0, 10.0 * ERROR[m]);
        assert_near(moving_value(&it, "y"), 3.5, 10.0 * ERROR[m]);
        moving_reach(&it, 10.0);
        assert_near(moving_value(&it, "x"), 3.0, 20.0 * ERROR[m]);
        assert_near(moving_value(&it, "y"), 6.5, 20.0 * ERROR[m]);
        moving_end(&it);
    }
}

// On zero itself: u > 0 is false, u >= 0 is true, and u has no sign, whether u came by a kink or
// by a jump, from above or from below.
static void switches_on_a_level_stretch(void **state)
{
    (void)state;
    static const char TEXT[] = "input u from \"u.csv\"\nstate x, y, z\nlaw x' = if(u > 0, 1, 0)\n"
                               "law y' = if(u >= 0, 1, 0)\nlaw z' = sign(u)\n"
                               "start x = 0, y = 0, z = 0\n"
                               "observe a = if(u >= 0, 1, 0)\nobserve b = y'\n";
    signal u;
    const rh_feed feed = make_signal(&u, "u",
                                     POINTS(0, 2, 1, 0, 2, 0, 3, -1, 4, 0, 5, 0, 5, 1, 6, 1, 6, 0,
                                            7, 0, 7, -1, 8, -1, 8, 0, 9, 0, 10, 1));
    for (size_t m = 0; m < METHODS; m++) {
        moving it = begin_with(TEXT, &feed, 1, METHOD[m]);
        moving_reach(&it, 1.5);
        assert_near(moving_value(&it, "a"), 1.0, 0.0);
        assert_near(moving_value(&it, "b"), 1.0, 0.0);
        moving_reach(&it, 11.0);
        assert_near(moving_value(&it, "x"), 1.0 + 1.0 + 2.0, 20.0 * ERROR[m]);
        assert_near(moving_value(&it, "y"), 11.0 - 3.0, 20.0 * ERROR[m]);
        assert_near(moving_value(&it, "z"), 4.0 - 3.0, 20.0 * ERROR[m]);
        moving_end(&it);
    }
}

// Conditions of event functions are carried along too: by series they are kept from step to step.
static void conditions_follow_a_feed(void **state)
{
    (void)state;
    static const char TEXT[] = "input u from \"u.csv\"\nstate x\nlaw x' = 1\nstart x = 0\n"
                               "event far: if(u > 0, x, -x) = 2.5\n";
    static const expected_event EXPECTED[] = {{"far", 2.5}, {"far", 3}, {"far", 4}};
    signal u;
    // x = 2.5 is passed with the sign +; -x is below; at the jumps it goes to and fro
    const rh_feed feed =
        make_signal(&u, "u", POINTS(1, 1, 1, -1, 2, -1, 2, 1, 3, 1, 3, -1, 4, -1, 4, 1));
    for (size_t m = 0; m < METHODS; m++) {
        moving it = begin_with(TEXT, &feed, 1, METHOD[m]);
        moving_reach(&it, 5.0);
        expect_events(&it, EXPECTED, 3, 1e-11);
        moving_end(&it);
    }
}

// Behind a border they are free again where they are not kept.
static void conditions_change_within_pieces(void **state)
{
    (void)state;
    static const char TEXT[] = "input u from \"u.csv\"\nstate x\nlaw x' = 1\nstart x = 0\n"
                               "event far: max(u, 0) = 1\n";
    static const expected_event EXPECTED[] = {{"far", 2.5}, {"far", 3.5}, {"far", 6.5}};
    signal u;
    const rh_feed feed = make_signal(&u, "u", POINTS(0, -1, 1, -0.5, 3, 1.5, 5, -0.5, 7, 1.5));
    for (size_t m = 0; m < METHODS; m++) {
        moving it = begin_with(TEXT, &feed, 1, METHOD[m]);
        moving_reach(&it, 8.0);
        // without jets a step may go over the kink of max, which its samples blur
        expect_events(&it, EXPECTED, 3, m == 0 ? 1e-13 : 1e-3);
        moving_end(&it);
    }
}

// --- sliding and one-sided constraints
// -------------------------------------------------------------

// A body on a belt of the speed u, held by dry friction of the size 1: it keeps up with gentle
// ramps and over kinks; jumps and steep ramps leave it behind until it has caught up.
static void a_body_on_a_belt(void **state)
{
    (void)state;
    static const char TEXT[] = "input u from \"u.csv\"\ncoord x\nkinetic x'^2/2\n"
                               "force x: -sign(x' - u)\nstart x = 0, x' = 0\n";
    static const struct {
        double time, speed;
    } SEEN[] = {{1, 0.5}, {2, 1}, {2.5, 1}, {3.5, 1.5}, {4.5, 2}, {5.5, 2.5}, {7, 4}, {8.5, 5}};
    static const struct {
        rh_occurrence_kind kind;
        double time;
    } EXPECTED[] = {{RH_OCCURRENCE_LEAVE, 3},
                    {RH_OCCURRENCE_SLIDE, 4},
                    {RH_OCCURRENCE_LEAVE, 5},
                    {RH_OCCURRENCE_SLIDE, 8}};
    signal u;
    const rh_feed feed = make_signal(&u, "u", POINTS(0, 0, 2, 1, 3, 1, 3, 2, 5, 2, 6, 5));
    for (size_t m = 0; m < METHODS; m++) {
        moving it = begin_with(TEXT, &feed, 1, METHOD[m]);
        for (size_t k = 0; k < sizeof SEEN / sizeof *SEEN; k++) {
            moving_reach(&it, SEEN[k].time);
            assert_near(moving_value(&it, "x'"), SEEN[k].speed, 10.0 * ERROR[m]);
        }
        assert_near(moving_value(&it, "x"), 1.0 + 1.0 + 1.5 + 2.0 + 10.5 + 2.5, 40.0 * ERROR[m]);
        assert_int_equal(rh_motion_occurrence_count(it.motion), 4);
        for (size_t k = 0; k < 4; k++) {
            const rh_occurrence found = rh_motion_occurrence(it.motion, k);
            assert_int_equal(found.kind, EXPECTED[k].kind);
            assert_near(found.time, EXPECTED[k].time, 1e-9);
        }
        moving_end(&it);
    }
}

// A weight on the floor is lifted by a jump of the force, dropped by another, and bounces.
static void a_weight_is_lifted_by_a_jump(void **state)
{
    (void)state;
    static const char TEXT[] = "input u from \"u.csv\"\ncoord y\nkinetic y'^2/2\nforce y: u - 10\n"
                               "constraint floor: y >= 0 impact 0.5\nstart y = 0, y' = 0\n";
    signal u;
    const rh_feed feed = make_signal(&u, "u", POINTS(0, 0, 1, 9, 1, 20, 2, 20, 2, 0));
    for (size_t m = 0; m < METHODS; m++) {
        moving it = begin_with(TEXT, &feed, 1, METHOD[m]);
        moving_reach(&it, 0.5);
        assert_near(moving_value(&it, "lambda.floor"), 5.5, 1e-12);
        moving_reach(&it, 1.0);
        assert_near(moving_value(&it, "lambda.floor"), 0.0, 0.0); // behind the jump
        moving_reach(&it, 2.0);
        assert_near(moving_value(&it, "y"), 5.0, 10.0 * ERROR[m]);
        moving_reach(&it, 3.0);
        assert_near(moving_value(&it, "y"), 10.0, 20.0 * ERROR[m]);
        moving_reach(&it, 4.5); // down again at 3 + sqrt(2) with the speed 10 sqrt(2)
        const double flight = 1.5 - sqrt(2.0);
        assert_near(moving_value(&it, "y"), flight * (5.0 * sqrt(2.0) - 5.0 * flight), 1e-8);
        assert_int_equal(rh_motion_occurrence(it.motion, 0).kind, RH_OCCURRENCE_LEAVE);
        assert_near(rh_motion_occurrence(it.motion, 0).time, 1.0, 0.0);
        assert_int_equal(rh_motion_occurrence(it.motion, 1).kind, RH_OCCURRENCE_IMPACT);
        assert_near(rh_motion_occurrence(it.motion, 1).time, 3.0 + sqrt(2.0), 1e-10);
        assert_int_equal(rh_motion_occurrence_count(it.motion), 2);
        moving_end(&it);
    }
}

// A wall that is met at the very border.
static void a_wall_is_met_at_a_border(void **state)
{
    (void)state;
    static const char TEXT[] = "input u from \"u.csv\"\ncoord x, y\nkinetic (x'^2 + y'^2)/2\n"
                               "force x: u\nforce y: -10\nconstraint floor: y >= 0 impact 0.5\n"
                               "start x = 0, x' = 0, y = 5, y' = 0\n";
    signal u;
    const rh_feed feed = make_signal(&u, "u", POINTS(0, 0, 1, 0, 1, 2));
    for (size_t m = 0; m < METHODS; m++) {
        moving it = begin_with(TEXT, &feed, 1, METHOD[m]);
        moving_reach(&it, 1.5);
        assert_near(moving_value(&it, "y"), 2.5 - 1.25, 1e-10);
        assert_near(moving_value(&it, "x'"), 1.0, 10.0 * ERROR[m]);
        assert_int_equal(rh_motion_occurrence_count(it.motion), 1);
        assert_int_equal(rh_motion_occurrence(it.motion, 0).kind, RH_OCCURRENCE_IMPACT);
        assert_near(rh_motion_occurrence(it.motion, 0).time, 1.0, 1e-10);
        moving_end(&it);
    }
}

// A wall that bends in time matters to what lies on it, not to what is away from it.
static void only_walls_that_act_are_followed(void **state)
{
    (void)state;
    static const char TEXT[] = "input u from \"u.csv\"\ncoord y\nkinetic y'^2/2\nforce y: -10\n"
                               "constraint floor: y >= u impact 0\n";
    signal u;
    const rh_feed feed = make_signal(&u, "u", POINTS(0, 0, 0.5, 0, 1, 0.5, 1.5, 0, 2, 0));
    for (size_t m = 0; m < METHODS; m++) {
        char text[512];
        (void)snprintf(text, sizeof text, "%sstart y = 5, y' = 10\n", TEXT);
        moving away = begin_with(text, &feed, 1, METHOD[m]);
        moving_reach(&away, 1.75);
        assert_near(moving_value(&away, "y"), 5.0 + 17.5 - 15.3125, 10.0 * ERROR[m]);
        moving_end(&away);
        (void)snprintf(text, sizeof text, "%sstart y = 0, y' = 0\n", TEXT);
        moving on = begin_with(text, &feed, 1, METHOD[m]);
        assert_int_equal(moving_advance(&on, 2.0), RH_STOP_FAILED);
        assert_near(rh_motion_time(on.motion), 0.5, 0.0);
        assert_string_equal(rh_motion_reason_code(on.motion), "E608");
        moving_end(&on);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(events_at_borders),
        cmocka_unit_test(an_event_at_the_last_border),
        cmocka_unit_test(a_jump_may_stop),
        cmocka_unit_test(a_jump_may_reset),
        cmocka_unit_test(switches_follow_a_feed),
        cmocka_unit_test(switches_on_a_level_stretch),
        cmocka_unit_test(conditions_follow_a_feed),
        cmocka_unit_test(conditions_change_within_pieces),
        cmocka_unit_test(a_body_on_a_belt),
        cmocka_unit_test(a_weight_is_lifted_by_a_jump),
        cmocka_unit_test(a_wall_is_met_at_a_border),
        cmocka_unit_test(only_walls_that_act_are_followed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
