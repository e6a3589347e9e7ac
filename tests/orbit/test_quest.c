// SPDX-License-Identifier: Apache-2.0
// Where a search begins: on walls, beside attractors, with steps too short to be watched, after
// several rounds.

#include "orbiting.h"

// An elastic ball on the floor, going up, or just hitting it: v^2 = 2 g H, and it takes 2 v/g.
static void a_start_on_a_wall(void **state)
{
    (void)state;
    static const char BALL[] = "coord h\nkinetic h'^2/2\npotential 10*h\n"
                               "constraint floor: h >= 0 impact 1\nstart h = 0, h' = 3\n";
    static const char *const SPEEDS[] = {"h'=3", "h'=-3"};
    for (size_t k = 0; k < 2; k++) {
        const orbiting_conditions with = {.start = {SPEEDS[k]}, .start_count = 1};
        const rh_orbit_def def = rh_orbit_def_default();
        orbiting it = orbiting_find(BALL, &with, &def);
        const rh_orbit_summary summary = rh_orbit_summarise(it.orbit);
        assert_near(summary.period, 0.6, 1e-12);
        assert_true(summary.led > 0.0 && summary.led < 0.6);
        assert_int_equal(summary.event_count, 1);
        const double h = orbiting_value(&it, "h");
        const double v = orbiting_value(&it, "h'");
        assert_near(v * v / 2.0 + 10.0 * h, 4.5, 1e-11);
        orbiting_end(&it);
    }
}

// A block that sticks and slips: whatever it did before, it leaves the belt at one place. The
// period is the time between two leaves of the motion.
static void an_attractor_that_is_reached_in_finite_time(void **state)
{
    (void)state;
    static const char BELT[] =
        "param v = 1/2, mu = 1, c = 1/5\ncoord x\nlet grip = -mu*sign(x' - v) + c*(x' - v)\n"
        "kinetic x'^2/2\npotential x^2/2\nforce x: grip\nstart x = 0, x' = v\n";
    orbiting motion;
    rh_stop stop = RH_STOP_NONE;
    assert_int_equal(orbiting_move(BELT, NULL, &motion), RH_OK);
    assert_int_equal(rh_motion_advance(motion.motion, 30.0, &stop, NULL), RH_OK);
    double leaves[2] = {0.0, 0.0};
    for (size_t k = 0; k < rh_motion_occurrence_count(motion.motion); k++) {
        const rh_occurrence it = rh_motion_occurrence(motion.motion, k);
        if (it.kind == RH_OCCURRENCE_LEAVE) {
            leaves[0] = leaves[1];
            leaves[1] = it.time;
        }
    }
    orbiting_end(&motion);
    const rh_orbit_def def = rh_orbit_def_default();
    orbiting it = orbiting_find(BELT, NULL, &def);
    const rh_orbit_summary summary = rh_orbit_summarise(it.orbit);
    assert_near(summary.period, leaves[1] - leaves[0], 1e-11);
    assert_true(summary.is_stable && summary.led > 0.0);
    orbiting_has(&it, 0.0, 0.0, 1e-10); // nothing is left of a distance
    orbiting_end(&it);
}

// Long quiet stretches and steps that are short for another reason. Dorodnitsyn's expansion for
// large mu: T = (3 - 2 log 2) mu + 7.01432 mu^(-1/3) - (2/3) log(mu)/mu - 1.3233/mu + ...
static void stiff_orbits_from_a_crude_start(void **state)
{
    (void)state;
    static const char TEXT[] = "param mu = 1\nstate x, v\nlaw x' = v\nlaw v' = mu*(1 - x^2)*v - x\n"
                               "start x = 2, v = 0\n";
    static const double LIST[] = {60.0, 100.0};
    for (size_t k = 0; k < sizeof LIST / sizeof *LIST; k++) {
        char setting[32];
        const double mu = LIST[k];
        (void)snprintf(setting, sizeof setting, "mu=%g", mu);
        const orbiting_conditions with = {.set = {setting}, .set_count = 1};
        const rh_orbit_def def = rh_orbit_def_default();
        orbiting it = orbiting_find(TEXT, &with, &def);
        const rh_orbit_summary summary = rh_orbit_summarise(it.orbit);
        assert_near(summary.period,
                    (3.0 - 2.0 * log(2.0)) * mu + 7.01432 * pow(mu, -1.0 / 3.0) -
                        2.0 / 3.0 * log(mu) / mu - 1.3233 / mu,
                    3e-3);
        assert_true(summary.residual < 1e-11 && summary.is_stable);
        assert_int_equal(summary.trivial_count, 1);
        assert_int_equal(summary.integral_count, 0);
        orbiting_end(&it);
    }
}

// Rossler's system comes near its start after two rounds first: the orbit is one round all the
// same, also where three are asked for.
static void several_rounds_are_one_orbit(void **state)
{
    (void)state;
    static const char TEXT[] = "state x, y, z\nlaw x' = -y - z\nlaw y' = x + 0.2*y\n"
                               "law z' = 0.2 + z*(x - 2.5)\nstart x = -3, y = 0, z = 0.05\n";
    rh_orbit_def def = rh_orbit_def_default();
    orbiting it = orbiting_find(TEXT, NULL, &def);
    const double period = rh_orbit_summarise(it.orbit).period;
    assert_true(period > 5.7 && period < 5.8);
    orbiting_end(&it);
    def.period = 3.0 * period;
    it = orbiting_find(TEXT, NULL, &def);
    assert_near(rh_orbit_summarise(it.orbit).period, period, 1e-10);
    orbiting_end(&it);
}

static void a_motion_that_comes_to_rest(void **state)
{
    (void)state;
    static const char TEXT[] = "state x, v\nlaw x' = v\nlaw v' = -x - v\nstart x = 1, v = 0\n";
    const rh_orbit_def def = rh_orbit_def_default();
    orbiting it = orbiting_begin(TEXT, NULL, &def);
    const rh_orbit_summary summary = rh_orbit_summarise(it.orbit);
    assert_int_equal(summary.outcome, RH_ORBIT_FAILED);
    assert_non_null(strstr(summary.reason, "the motion from the start comes to rest"));
    orbiting_end(&it);
}

// The same oscillation in units of its own: a small orbit is no point of rest, and has all digits.
static void orbits_in_any_unit(void **state)
{
    (void)state;
    static const char TEXT[] = "param s = 1\nstate x, v\nlaw x' = v\n"
                               "law v' = (1 - (x/s)^2)*v - x\nstart x = 2*s, v = 0\n";
    static const char *const UNITS[] = {"s=1", "s=1e-3", "s=1e-6", "s=1e-8", "s=1e7"};
    static const double VALUES[] = {1.0, 1e-3, 1e-6, 1e-8, 1e7};
    for (size_t k = 0; k < sizeof UNITS / sizeof *UNITS; k++) {
        const orbiting_conditions with = {.set = {UNITS[k]}, .set_count = 1};
        rh_orbit_def def = rh_orbit_def_default();
        def.free = "x";
        orbiting it = orbiting_find(TEXT, &with, &def);
        const rh_orbit_summary summary = rh_orbit_summarise(it.orbit);
        assert_int_equal(summary.outcome, RH_ORBIT_FOUND);
        assert_near(summary.period, 6.6632868593231301896, 1e-13);
        assert_near(orbiting_value(&it, "x") / VALUES[k], 2.0086198608748431365, 1e-13);
        orbiting_has(&it, 0.000859695063601, 0.0, 1e-13);
        orbiting_end(&it);
    }
    // what comes to rest from a small start does so
    const orbiting_conditions with = {.set = {"s=1e-6"}, .set_count = 1};
    rh_orbit_def def = rh_orbit_def_default();
    def.period = 6.0;
    orbiting it;
    assert_int_equal(orbiting_try("param s = 1\nstate x, v\nlaw x' = v\n"
                                  "law v' = ((x/s)^2 - 1)*v - x\nstart x = s/10, v = 0\n",
                                  &with, &def, &it),
                     RH_OK);
    assert_int_equal(rh_orbit_summarise(it.orbit).outcome, RH_ORBIT_EQUILIBRIUM);
    orbiting_end(&it);
}

// Far from 0 a variable is measured by the way it goes: van der Pol's oscillator around 1e6, beside
// itself around 0. A number near 1e6 has ten digits behind the point.
static void orbits_far_from_zero(void **state)
{
    (void)state;
    static const char TEXT[] = "param c = 0\nstate x, y\nlaw x' = y\n"
                               "law y' = c - x + (1 - (x - c)^2)*y/10\nstart x = c + 2, y = 0\n";
    static const char *const PLACES[] = {"c=0", "c=1e4", "c=1e6"};
    static const double DIGITS[] = {1e-12, 1e-10, 1e-8};
    for (size_t k = 0; k < 3; k++) {
        const orbiting_conditions with = {.set = {PLACES[k]}, .set_count = 1};
        const rh_orbit_def def = rh_orbit_def_default();
        orbiting it = orbiting_find(TEXT, &with, &def);
        assert_near(rh_orbit_summarise(it.orbit).period, 6.2871112722887261, DIGITS[k]);
        orbiting_has(&it, 0.533069259209674, 0.0, DIGITS[k]);
        orbiting_end(&it);
    }
}

// A satellite in metres and seconds: some start values are 0 that go far. Kepler's third law; the
// start is on the orbit already.
static void an_orbit_in_metres(void **state)
{
    (void)state;
    static const char TEXT[] = "param GM = 3.986004418e14\ncoord x, y, z\n"
                               "kinetic (x'^2 + y'^2 + z'^2)/2\n"
                               "potential -GM/sqrt(x^2 + y^2 + z^2)\n"
                               "start x = 7e6, y = 0, z = 0, x' = 0, y' = 7000, z' = 3000\n";
    const double GM = 3.986004418e14;
    const double axis = 1.0 / (2.0 / 7e6 - 58e6 / GM);
    const rh_orbit_def def = rh_orbit_def_default();
    orbiting it = orbiting_find(TEXT, NULL, &def);
    const rh_orbit_summary summary = rh_orbit_summarise(it.orbit);
    const double period = 2.0 * 3.14159265358979323846 * sqrt(axis * axis * axis / GM);
    assert_near(summary.period / period, 1.0, 1e-14);
    assert_near(summary.led, 0.0, 0.0);
    assert_near(orbiting_value(&it, "x"), 7e6, 1e-6);
    assert_near(orbiting_value(&it, "y"), 0.0, 1e-6);
    assert_int_equal(summary.integral_count, 5);
    orbiting_end(&it);
}

// A rate that nothing changes is no point of rest, however small it is beside x.
static void a_drift_is_no_rest(void **state)
{
    (void)state;
    static const double PERIODS[] = {0.0, 10.0};
    for (size_t k = 0; k < 2; k++) {
        orbiting it;
        rh_orbit_def def = rh_orbit_def_default();
        def.period = PERIODS[k];
        assert_int_equal(orbiting_try("state x\nlaw x' = 1\nstart x = 1e12\n", NULL, &def, &it),
                         RH_OK);
        assert_int_equal(rh_orbit_summarise(it.orbit).outcome, RH_ORBIT_FAILED);
        orbiting_end(&it);
    }
}

// A relay, x''' + 3 x'' + 2 x' = -3 sign(x): images lie on the other side of the switch. The period
// by exponentials of matrices in 30 digits.
static void a_symmetry_over_a_switch(void **state)
{
    (void)state;
    static const char RELAY[] = "state x, v, u\nlaw x' = v\nlaw v' = -v + u\n"
                                "law u' = -2*u - 3*sign(x)\nstart x = 0.5, v = 0, u = 0\n";
    rh_orbit_def def = rh_orbit_def_default();
    def.period = 4.5;
    def.symmetry = "x=-x, v=-v, u=-u";
    orbiting it = orbiting_find(RELAY, NULL, &def);
    const rh_orbit_summary summary = rh_orbit_summarise(it.orbit);
    assert_true(summary.is_half && summary.is_stable);
    assert_near(summary.period, 4.55107102608457558482, 1e-13);
    // all but the trivial one: their product is that of volumes, jumps of rates leave it
    const rh_multiplier a = rh_orbit_multiplier(it.orbit, 1);
    const rh_multiplier b = rh_orbit_multiplier(it.orbit, 2);
    assert_near(a.real * b.real, exp(-3.0 * 4.55107102608457558482), 1e-16);
    orbiting_end(&it);
    def.symmetry = "x=-x, v=-v";
    assert_int_equal(orbiting_try(RELAY, NULL, &def, &it), RH_E_ARGUMENT);
    assert_non_null(strstr(it.err.message, "no symmetry of the equations"));
    orbiting_end(&it);
}

// A period that is far too long is given up, and so is one that overflows.
static void a_period_far_too_long(void **state)
{
    (void)state;
    static const char TEXT[] = "state x, v\nlaw x' = v\nlaw v' = -x^3\nstart x = 1, v = 0\n";
    orbiting it;
    rh_orbit_def def = rh_orbit_def_default();
    const orbiting_conditions with = {.tolerance = 0.1}; // many steps in little time
    def.period = 1.7e308;
    assert_int_equal(orbiting_try(TEXT, &with, &def, &it), RH_OK);
    const rh_orbit_summary summary = rh_orbit_summarise(it.orbit);
    assert_int_equal(summary.outcome, RH_ORBIT_FAILED);
    assert_non_null(strstr(summary.reason, "more than a million steps"));
    orbiting_end(&it);
}

static void somebody_must_be_free(void **state)
{
    (void)state;
    static const char *const NONE[] = {"", " , "};
    for (size_t k = 0; k < 2; k++) {
        orbiting it;
        rh_orbit_def def = rh_orbit_def_default();
        def.free = NONE[k];
        assert_int_equal(orbiting_try(ORBITING_LORENZ, NULL, &def, &it), RH_E_ARGUMENT);
        assert_string_equal(it.err.message, "no start value is free: name those that may change");
        orbiting_end(&it);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_start_on_a_wall),
        cmocka_unit_test(an_attractor_that_is_reached_in_finite_time),
        cmocka_unit_test(stiff_orbits_from_a_crude_start),
        cmocka_unit_test(several_rounds_are_one_orbit),
        cmocka_unit_test(a_motion_that_comes_to_rest),
        cmocka_unit_test(orbits_in_any_unit),
        cmocka_unit_test(orbits_far_from_zero),
        cmocka_unit_test(an_orbit_in_metres),
        cmocka_unit_test(a_drift_is_no_rest),
        cmocka_unit_test(a_symmetry_over_a_switch),
        cmocka_unit_test(a_period_far_too_long),
        cmocka_unit_test(somebody_must_be_free),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
