// SPDX-License-Identifier: Apache-2.0
// Inputs and parameters that are set while a motion goes on: closed forms, the same controller
// inside the model, events that an input brings about, contacts, and what is refused.

#include "feeding.h"

static moving begin_live(const char *text, rh_method method)
{
    const moving_conditions with = {.has_live_inputs = true, .method = method};
    return moving_begin(text, &with);
}

static void set(moving *it, const char *name, double value)
{
    if (rh_motion_set_input(it->motion, name, value, &it->err) != RH_OK) {
        fail_msg("%s: %s", name, it->err.message);
    }
}

static void refuse(moving *it, const char *name, rh_status status, const char *why)
{
    const double before = moving_value(it, "x");
    assert_int_equal(rh_motion_set_input(it->motion, name, 1.0, &it->err), status);
    assert_non_null(strstr(it->err.message, why));
    assert_near(moving_value(it, "x"), before, 0.0);
}

// --- motions -------------------------------------------------------------------------------------

// x'' = u with a new level at each step of the caller.
static void levels_of_force(void **state)
{
    (void)state;
    static const char TEXT[] = "input u from \"live\"\ncoord x\nkinetic x'^2/2\nforce x: u\n"
                               "start x = 1, x' = -0.5\n";
    for (size_t m = 0; m < METHODS; m++) {
        moving it = begin_live(TEXT, METHOD[m]);
        double x = 1.0;
        double v = -0.5;
        for (int k = 1; k <= 24; k++) {
            const double u = k % 5 == 0 ? 0.0 : 3.0 * sin(1.7 * k);
            set(&it, "u", -99.0); // only the last one counts
            set(&it, "u", u);
            moving_reach(&it, 0.125 * k);
            x += 0.125 * (v + 0.0625 * u);
            v += 0.125 * u;
            assert_near(moving_value(&it, "x"), x, ERROR[m]);
            assert_near(moving_value(&it, "x'"), v, ERROR[m]);
        }
        moving_end(&it);
    }
}

// A sampled controller outside of the model, and the same one inside.
static void a_controller_outside(void **state)
{
    (void)state;
    enum { SAMPLES = 100 };
    static const char PLANT[] = "coord s, th\n"
                                "let x = s + sin(th)\nlet y = -cos(th)\n"
                                "kinetic (1.5*s'^2 + x'^2 + y'^2)/2\npotential 9.81*y\n"
                                "force s: u\nstart s = 0.5, th = 3\n";
    static const char LIVE[] = "input u from \"live\"\n%s";
    static const char INSIDE[] = "state u\nlaw u' = 0\nstart u = 12*(3 - pi) - 2*0.5\n"
                                 "event sample: sin(50*pi*t) = 0 reset "
                                 "u = 12*(th - pi) + 3*th' - 2*s - 1.5*s'\n%s";
    char text[2][1024];
    (void)snprintf(text[0], sizeof text[0], LIVE, PLANT);
    (void)snprintf(text[1], sizeof text[1], INSIDE, PLANT);
    moving live = begin_live(text[0], RH_METHOD_TAYLOR);
    moving inside = begin_live(text[1], RH_METHOD_TAYLOR);
    for (int k = 0; k < SAMPLES; k++) {
        set(&live, "u",
            12.0 * (moving_value(&live, "th") - 3.14159265358979323846) +
                3.0 * moving_value(&live, "th'") - 2.0 * moving_value(&live, "s") -
                1.5 * moving_value(&live, "s'"));
        moving_reach(&live, (k + 1) / 50.0);
    }
    moving_reach(&inside, SAMPLES / 50.0);
    static const char *const COLUMNS[] = {"s", "th", "s'", "th'"};
    for (size_t k = 0; k < sizeof COLUMNS / sizeof *COLUMNS; k++) {
        assert_near(moving_value(&live, COLUMNS[k]), moving_value(&inside, COLUMNS[k]), 1e-10);
    }
    moving_end(&live);
    moving_end(&inside);
}

// Rows of the last step hold the value of before, that of its end the new one.
static void rows_hold_what_held(void **state)
{
    (void)state;
    moving it = begin_live("input u from \"live\"\nstate x\nlaw x' = u\nobserve u\nstart x = 0\n",
                           RH_METHOD_TAYLOR);
    set(&it, "u", 2.0);
    moving_reach(&it, 1.0);
    set(&it, "u", 5.0);
    set(&it, "u", 7.0);
    assert_near(moving_value(&it, "u"), 7.0, 0.0);
    double row[8];
    const double before = rh_motion_time_before(it.motion);
    assert_true(before < 1.0 && rh_motion_column_count(it.motion) <= 8);
    assert_int_equal(rh_motion_row(it.motion, (before + 1.0) / 2.0, row, &it.err), RH_OK);
    assert_near(row[moving_column(&it, "u")], 2.0, 0.0);
    moving_end(&it);
}

// --- events --------------------------------------------------------------------------------------

static void inputs_bring_about_events(void **state)
{
    (void)state;
    moving it = begin_live("input u from \"live\"\nstate x\nlaw x' = 1\nstart x = 0\n"
                           "event seen: u = 1 up record\nevent over: u = 3 up stop\n",
                           RH_METHOD_TAYLOR);
    moving_reach(&it, 0.5);
    set(&it, "u", 2.0);
    assert_int_equal(rh_motion_occurrence_count(it.motion), 1);
    moving_reach(&it, 1.0);
    set(&it, "u", 4.0);
    assert_int_equal(moving_advance(&it, 2.0), RH_STOP_EVENT);
    assert_near(rh_motion_time(it.motion), 1.0, 0.0);
    assert_int_equal(moving_advance(&it, 2.0), RH_STOP_REACHED);
    moving_end(&it);
}

// --- parameters ----------------------------------------------------------------------------------

// x'' = -k x, with another k at each quarter of a time unit; w follows k.
static void stiffness_on_the_way(void **state)
{
    (void)state;
    static const char TEXT[] = "param k = 4, w = sqrt(k)\ncoord x\nkinetic x'^2/2\n"
                               "potential w^2*x^2/2\nstart x = 1, x' = 0\n";
    for (size_t m = 0; m < METHODS; m++) {
        moving it = begin_live(TEXT, METHOD[m]);
        double x = 1.0;
        double v = 0.0;
        for (int n = 1; n <= 12; n++) {
            const double k = 4.0 + 3.0 * sin(n);
            const double w = sqrt(k);
            assert_int_equal(rh_motion_set_parameter(it.motion, "k", k, &it.err), RH_OK);
            moving_reach(&it, 0.25 * n);
            const double next = x * cos(0.25 * w) + v / w * sin(0.25 * w);
            v = v * cos(0.25 * w) - x * w * sin(0.25 * w);
            x = next;
            assert_near(moving_value(&it, "x"), x, 10.0 * ERROR[m]);
            assert_near(moving_value(&it, "x'"), v, 10.0 * ERROR[m]);
        }
        moving_end(&it);
    }
}

// A body rests on the floor until its weight is turned round; another motion keeps the old one.
static void contacts_are_decided_anew(void **state)
{
    (void)state;
    static const char TEXT[] = "param g[1..2] = 9.81\ncoord y\nkinetic y'^2/2\n"
                               "potential g[1]*y\nconstraint floor: y >= 0 impact 0.5\n"
                               "start y = 0, y' = 0\n";
    moving it = begin_live(TEXT, RH_METHOD_TAYLOR);
    rh_motion *other = NULL;
    const rh_motion_def def = rh_motion_def_default();
    assert_int_equal(rh_motion_create(it.equations, &def, &other, &it.err), RH_OK);
    moving_reach(&it, 1.0);
    assert_near(moving_value(&it, "lambda.floor"), 9.81, 1e-14);
    assert_int_equal(rh_motion_set_parameter(it.motion, "g[1]", -2.0, &it.err), RH_OK);
    moving_reach(&it, 2.0);
    assert_near(moving_value(&it, "y"), 1.0, 1e-13);
    assert_false(rh_motion_is_active(it.motion, 0));
    rh_stop stop = RH_STOP_NONE;
    assert_int_equal(rh_motion_advance(other, 2.0, &stop, &it.err), RH_OK);
    assert_true(rh_motion_is_active(other, 0));
    rh_motion_destroy(other);
    moving_end(&it);
}

static void refuse_parameter(moving *it, const char *name, double value, rh_status status,
                             const char *why)
{
    const double before = moving_value(it, "x");
    assert_int_equal(rh_motion_set_parameter(it->motion, name, value, &it->err), status);
    if (strstr(it->err.message, why) == NULL) {
        fail_msg("%s: not \"%s\"", it->err.message, why);
    }
    assert_near(moving_value(it, "x"), before, 0.0);
}

static void parameters_that_are_refused(void **state)
{
    (void)state;
    static const char TEXT[] = "param l = 1, r = 0.5, n = 2, c = 3\ncoord x, y, a\ncoord z[1..n]\n"
                               "kinetic (x'^2 + y'^2 + a'^2 + z[1]'^2 + z[2]'^2)/2\n"
                               "potential 9.81*y + c*x^4\nconstraint rod: x^2 + y^2 = l^2\n"
                               "constraint roll: z[1]' = r*a'\n"
                               "start x = 0.6, y = -0.8, x' = 0, y' = 0, a = 0, a' = 1\n";
    for (size_t m = 0; m < METHODS; m++) {
        moving it = begin_live(TEXT, METHOD[m]);
        moving same = begin_live(TEXT, METHOD[m]);
        moving_reach(&it, 0.5);
        moving_reach(&same, 0.5);
        refuse_parameter(&it, "l", 1.5, RH_E_UNAVAILABLE, "would have to jump");
        refuse_parameter(&it, "r", 0.7, RH_E_UNAVAILABLE, "jump");
        refuse_parameter(&it, "n", 3.0, RH_E_UNAVAILABLE, "make the model anew");
        refuse_parameter(&it, "c", 0.0, RH_E_UNAVAILABLE, "make the model anew");
        refuse_parameter(&it, "q", 1.0, RH_E_ARGUMENT, "no parameter q");
        refuse_parameter(&it, "c", INFINITY, RH_E_ARGUMENT, "");
        // nothing of it is left
        moving_reach(&it, 1.0);
        moving_reach(&same, 1.0);
        assert_near(moving_value(&it, "x"), moving_value(&same, "x"), 1e-13);
        moving_end(&it);
        moving_end(&same);
    }
}

// --- refusals ------------------------------------------------------------------------------------

static void what_is_refused(void **state)
{
    (void)state;
    moving it = begin_live("input u from \"live\"\ninput v = sin(t)\ncoord x, y\n"
                           "kinetic (x'^2 + y'^2)/2\nforce x: v\nconstraint drive: y = u\n",
                           RH_METHOD_TAYLOR);
    moving_reach(&it, 1.0);
    refuse(&it, "u", RH_E_UNAVAILABLE, "hold a derivative of the input u");
    refuse(&it, "v", RH_E_ARGUMENT, "given by a formula");
    refuse(&it, "w", RH_E_ARGUMENT, "the input w is none of the model");
    assert_int_equal(rh_motion_set_input(it.motion, "u", (double)NAN, &it.err), RH_E_ARGUMENT);
    assert_int_equal(rh_motion_set_input(NULL, "u", 1.0, &it.err), RH_E_ARGUMENT);
    moving_reach(&it, 2.0);
    moving_end(&it);
}

static void tables_stay_as_they_are(void **state)
{
    (void)state;
    static const char TEXT[] = "input u from \"u.csv\"\nstate x\nlaw x' = u\nstart x = 0\n";
    signal u;
    const rh_feed feed = make_signal(&u, "u", POINTS(0, 1));
    moving it = begin_with(TEXT, &feed, 1, RH_METHOD_TAYLOR);
    refuse(&it, "u", RH_E_ARGUMENT, "has a table");
    moving_end(&it);
    const moving_conditions without = {.feed_count = 0};
    assert_int_equal(moving_try(TEXT, &without, &it), RH_E_ARGUMENT);
    assert_non_null(strstr(it.err.message, "there is no feed for it"));
    moving_end(&it);
}

static void checkpoints_do_not_hold_it(void **state)
{
    (void)state;
    moving it =
        begin_live("input u from \"live\"\nstate x\nlaw x' = u\nstart x = 0\n", RH_METHOD_TAYLOR);
    const rh_keep_def keep = rh_keep_def_default();
    assert_int_equal(rh_motion_keep(it.motion, &keep, &it.err), RH_OK);
    refuse(&it, "u", RH_E_UNAVAILABLE, "checkpoints");
    moving_end(&it);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(levels_of_force),
                                       cmocka_unit_test(a_controller_outside),
                                       cmocka_unit_test(rows_hold_what_held),
                                       cmocka_unit_test(inputs_bring_about_events),
                                       cmocka_unit_test(what_is_refused),
                                       cmocka_unit_test(tables_stay_as_they_are),
                                       cmocka_unit_test(checkpoints_do_not_hold_it),
                                       cmocka_unit_test(stiffness_on_the_way),
                                       cmocka_unit_test(contacts_are_decided_anew),
                                       cmocka_unit_test(parameters_that_are_refused)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
