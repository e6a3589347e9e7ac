// SPDX-License-Identifier: Apache-2.0
// Tests of src/orbit/separatrix.c: motions that tend to a point of rest are no orbits, motions
// beside them are.

#include "orbiting.h"

typedef struct limit {
    const char *text;
    const char *rest; // what is named
} limit;

static const char PENDULUM[] = "param g = 1, l = 1, k = 1\ncoord x\nkinetic l^2*x'^2/2\n"
                               "potential -g*l*cos(x)\nstart x = 0, x' = 2*k*sqrt(g/l)\n";
static const char WELLS[] = "param s = 1, d = 0\ncoord x\nkinetic x'^2/2\n"
                            "potential -x^2/2 + x^4/(4*s^2)\nstart x = s*d, x' = 0\n";

static void refuses(const char *text, const orbiting_conditions *with, const char *rest)
{
    rh_orbit_def def = rh_orbit_def_default();
    orbiting it = orbiting_begin(text, with, &def);
    const rh_orbit_summary summary = rh_orbit_summarise(it.orbit);
    char named[64];
    (void)snprintf(named, sizeof named, "tends to the equilibrium %s and", rest);
    if (summary.outcome != RH_ORBIT_FAILED || strstr(summary.reason, named) == NULL ||
        strstr(summary.reason, "separatrix") == NULL || !isnan(summary.period)) {
        fail_msg("outcome %d, period %.10g, \"%s\", in:\n%s", (int)summary.outcome, summary.period,
                 summary.reason, text);
    }
    assert_int_equal(rh_orbit_multiplier_count(it.orbit), 0);
    orbiting_end(&it);
}

static void what_tends_to_rest_is_no_orbit(void **state)
{
    (void)state;
    static const limit LIMITS[] = {
        {PENDULUM, "x = 3.14159, x' = 0"},
        {"coord x\nkinetic x'^2/2\npotential x^2/2 - x^3/3\nstart x = -0.5, x' = 0\n",
         "x = 1, x' = 0"},
        // a body that turns about its middle axis in the end
        {"state p, q, r\nlaw p' = -q*r\nlaw q' = r*p\nlaw r' = -p*q/3\n"
         "start p = sqrt(3), q = 0, r = 1\n",
         "p = 0, q = -1.73205, r = 0"},
        // a loop that attracts from inside, and is met exactly
        {"state x, y\nlet H = y^2/2 - x^2/2 + x^3/3\nlaw x' = y\nlaw y' = x - x^2 - H*y\n"
         "start x = 1.5, y = 0\n",
         "x = 0, y = 0"},
        // where the force vanishes with its derivatives: the motion comes near like a power of t
        {"coord x\nkinetic x'^2/2\npotential -x^4/4 + x^6/6\nstart x = sqrt(3/2), x' = 0\n",
         "x = 0, x' = 0"},
        {"state x, y\nlaw x' = y\nlaw y' = x^3 - x^5\nstart x = 1, y = sqrt(1/6)\n",
         "x = 0, y = 0"},
        {"coord x\nkinetic x'^2/2\npotential -x^6/6 + x^8/8\nstart x = sqrt(4/3), x' = 0\n",
         "x = 0, x' = 0"},
        // on its constraint
        {"coord x, y\nkinetic (x'^2 + y'^2)/2\npotential y\nconstraint rod: x^2 + y^2 = 1\n"
         "guess y = -1\nstart x = 0, x' = 2\n",
         "x = 0, y = 1, x' = 0, y' = 0"},
    };
    for (size_t k = 0; k < sizeof LIMITS / sizeof *LIMITS; k++) {
        refuses(LIMITS[k].text, NULL, LIMITS[k].rest);
    }
}

static void so_it_is_in_other_units(void **state)
{
    (void)state;
    static const char *const SIZES[] = {"s=1e-9", "s=1", "s=1e9"};
    for (size_t k = 0; k < 3; k++) {
        const orbiting_conditions wells = {.set = {SIZES[k], "d=1.4142135623730951"},
                                           .set_count = 2};
        refuses(WELLS, &wells, "x = 0, x' = 0");
    }
    const orbiting_conditions quick = {.set = {"g=9.81e9", "l=1e-9"}, .set_count = 2};
    refuses(PENDULUM, &quick, "x = 3.14159, x' = 0");
    const orbiting_conditions slow = {.set = {"g=9.81e-9", "l=1e9"}, .set_count = 2};
    refuses(PENDULUM, &slow, "x = 3.14159, x' = 0");
}

// Complete elliptic integrals, in 30 digits: 4 K(k) for the pendulum, 2 K(1 - d^2/A^2) sqrt(2)/A
// with A^2 = 2 - d^2 in a well.
static void what_passes_beside_it_is_one(void **state)
{
    (void)state;
    static const struct {
        const char *text, *set;
        double period;
    } ORBITS[] = {
        {PENDULUM, "k=0.9995", 19.365029468689214},
        {PENDULUM, "k=0.999999995", 42.386539033350641},
        {"param k = 1\ncoord x\nkinetic x'^2/2\npotential -cos(x)\nstart x = k, x' = 0\n",
         "k=3.1415", 45.464337631353079},
        {PENDULUM, "k=0.999995", 28.571094802192292},
        {WELLS, "d=1e-3", 17.281252191234689},
        {WELLS, "d=1e-4", 21.886416721326155},
    };
    for (size_t k = 0; k < sizeof ORBITS / sizeof *ORBITS; k++) {
        const orbiting_conditions with = {.set = {ORBITS[k].set}, .set_count = 1};
        rh_orbit_def def = rh_orbit_def_default();
        orbiting it = orbiting_find(ORBITS[k].text, &with, &def);
        const rh_orbit_summary summary = rh_orbit_summarise(it.orbit);
        const double wrong = fabs(summary.period - ORBITS[k].period);
        if (!(wrong <= summary.period_error + 1e-11 * summary.period) ||
            !(summary.period_error < 1e-6 * summary.period)) {
            fail_msg("period %.15g, wrong by %.3g, said %.3g, with %s", summary.period, wrong,
                     summary.period_error, ORBITS[k].set);
        }
        // and a centre beside it is no more decided than others
        assert_int_equal(summary.trivial_count, 2);
        assert_true(!summary.is_stable && !summary.is_unstable);
        orbiting_end(&it);
    }
}

// It comes near a point of rest and is an orbit all the same, known to all digits.
static void slow_orbits_stay_orbits(void **state)
{
    (void)state;
    static const char TEXT[] = "param mu = 30\nstate x, v\nlaw x' = v\n"
                               "law v' = mu*(1 - x^2)*v - x\nstart x = 2, v = 0\n";
    rh_orbit_def def = rh_orbit_def_default();
    orbiting it = orbiting_find(TEXT, NULL, &def);
    const rh_orbit_summary summary = rh_orbit_summarise(it.orbit);
    assert_true(summary.is_stable && summary.period_error == 0.0);
    orbiting_end(&it);
}

static void where_a_motion_comes_to_rest_is_told(void **state)
{
    (void)state;
    static const char TEXT[] = "coord x\nkinetic x'^2/2\npotential -cos(x)\nforce x: -x'\n"
                               "start x = 4, x' = 0\n";
    rh_orbit_def def = rh_orbit_def_default();
    orbiting it = orbiting_begin(TEXT, NULL, &def);
    const rh_orbit_summary summary = rh_orbit_summarise(it.orbit);
    assert_int_equal(summary.outcome, RH_ORBIT_FAILED);
    assert_non_null(strstr(summary.reason, "comes to rest at x = 6.28319, x' = 0"));
    orbiting_end(&it);
}

// Stays near saddles, each longer than the one before (May and Leonard; Guckenheimer and Holmes).
static void cycles_of_rests_are_told(void **state)
{
    (void)state;
    static const char TEXT[] = "param s = 1, m = 1, u = 0.8, v = 1.3\nstate a, b, c\n"
                               "law a' = a*(1 - (a/s)^m - u*(b/s)^m - v*(c/s)^m)\n"
                               "law b' = b*(1 - (b/s)^m - u*(c/s)^m - v*(a/s)^m)\n"
                               "law c' = c*(1 - (c/s)^m - u*(a/s)^m - v*(b/s)^m)\n"
                               "start a = 0.5*s, b = 0.3*s, c = 0.2*s\n";
    static const orbiting_conditions CASES[] = {
        {.set = {"s=1"}, .set_count = 1},
        {.set = {"s=1e6"}, .set_count = 1},
        {.set = {"u=0.7", "v=1.6"}, .set_count = 2},
        {.set = {"m=2", "u=0.55", "v=1.5"}, .set_count = 3},
    };
    for (size_t k = 0; k < sizeof CASES / sizeof *CASES; k++) {
        rh_orbit_def def = rh_orbit_def_default();
        orbiting it = orbiting_begin(TEXT, &CASES[k], &def);
        const rh_orbit_summary summary = rh_orbit_summarise(it.orbit);
        if (summary.outcome != RH_ORBIT_FAILED ||
            strstr(summary.reason, "heteroclinic cycle") == NULL) {
            fail_msg("outcome %d, \"%s\" with %s", (int)summary.outcome, summary.reason,
                     CASES[k].set[0]);
        }
        orbiting_end(&it);
    }
}

// Where neighbours part by much a multiplier that is 1 is known badly: Kepler near escape.
static void bars_of_multipliers_hold(void **state)
{
    (void)state;
    static const char TEXT[] = "param k = 0.9\ncoord x, y\nkinetic (x'^2 + y'^2)/2\n"
                               "potential -1/sqrt(x^2 + y^2)\n"
                               "start x = 1, y = 0, x' = 0, y' = k*sqrt(2)\n";
    static const char *const SPEEDS[] = {"k=0.9", "k=0.99", "k=0.999", "k=0.9997", "k=0.9999"};
    for (size_t k = 0; k < sizeof SPEEDS / sizeof *SPEEDS; k++) {
        const orbiting_conditions with = {.set = {SPEEDS[k]}, .set_count = 1};
        rh_orbit_def def = rh_orbit_def_default();
        orbiting it = orbiting_find(TEXT, &with, &def);
        for (size_t i = 0; i < rh_orbit_multiplier_count(it.orbit); i++) {
            const rh_multiplier one = rh_orbit_multiplier(it.orbit, i);
            if (!(hypot(one.real - 1.0, one.imaginary) <= one.bar)) {
                fail_msg("%.10g + %.10g i to %.3g with %s", one.real, one.imaginary, one.bar,
                         SPEEDS[k]);
            }
        }
        orbiting_end(&it);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_tends_to_rest_is_no_orbit),
        cmocka_unit_test(so_it_is_in_other_units),
        cmocka_unit_test(what_passes_beside_it_is_one),
        cmocka_unit_test(slow_orbits_stay_orbits),
        cmocka_unit_test(where_a_motion_comes_to_rest_is_told),
        cmocka_unit_test(cycles_of_rests_are_told),
        cmocka_unit_test(bars_of_multipliers_hold),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
