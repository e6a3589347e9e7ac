// SPDX-License-Identifier: Apache-2.0
// Orbits in other units: small and large variables beside each other, nanoseconds, masses of
// 1e-12. All numbers are those of the same model in units of its own, up to their units.

#include "orbiting.h"

// Units of two variables, or of mass and length; and of time.
typedef struct other {
    const char *set[3];
    double units[3];
} other;

static const other OTHERS[] = {{{"a=1e-9", "b=1e6", "s=1e-9"}, {1e-9, 1e6, 1e-9}},
                               {{"a=1e6", "b=1e-9", "s=3600"}, {1e6, 1e-9, 3600.0}},
                               {{"a=1e-12", "b=1e-9", "s=1e-9"}, {1e-12, 1e-9, 1e-9}},
                               {{"a=1e20", "b=1e9", "s=1e12"}, {1e20, 1e9, 1e12}}};
enum { OTHER_COUNT = sizeof OTHERS / sizeof OTHERS[0] };

static orbiting find_in(const char *text, const other *units, const rh_orbit_def *def)
{
    orbiting_conditions with = {.set_count = units != NULL ? 3 : 0};
    for (uint32_t k = 0; k < with.set_count; k++) {
        with.set[k] = units->set[k];
    }
    return orbiting_begin(text, &with, def);
}

// The same verdicts, counts and multipliers, and the same period up to its unit.
static void compare(const orbiting *plain, const orbiting *it, const other *units, double tolerance)
{
    const rh_orbit_summary a = rh_orbit_summarise(plain->orbit);
    const rh_orbit_summary b = rh_orbit_summarise(it->orbit);
    assert_int_equal(a.outcome, b.outcome);
    assert_int_equal(a.is_stable, b.is_stable);
    assert_int_equal(a.is_still, b.is_still);
    assert_int_equal(a.trivial_count, b.trivial_count);
    assert_int_equal(a.integral_count, b.integral_count);
    assert_int_equal(a.event_count, b.event_count);
    const bool is_rest = a.outcome == RH_ORBIT_EQUILIBRIUM;
    if (!is_rest) {
        assert_near(b.period / units->units[2] / a.period, 1.0, tolerance);
    }
    const double rate = is_rest ? units->units[2] : 1.0;
    for (size_t k = 0; k < rh_orbit_multiplier_count(it->orbit); k++) {
        const rh_multiplier m = rh_orbit_multiplier(plain->orbit, k);
        const rh_multiplier n = rh_orbit_multiplier(it->orbit, k);
        assert_near(n.real * rate, m.real, tolerance);
        assert_near(n.imaginary * rate, m.imaginary, tolerance);
    }
}

// FitzHugh and Nagumo's neuron, from a start far away from its orbit.
static void a_small_and_a_large_variable(void **state)
{
    (void)state;
    static const char TEXT[] = "param a = 1, b = 1, s = 1, i = 1/2\nstate v, w\n"
                               "law v' = a/s*(v/a - (v/a)^3/3 - w/b + i)\n"
                               "law w' = b/s*0.08*(v/a + 0.7 - 0.8*w/b)\n"
                               "start v = -a, w = b\nevent fires: v = 0 up\n";
    const rh_orbit_def def = rh_orbit_def_default();
    orbiting plain = find_in(TEXT, NULL, &def);
    assert_int_equal(rh_orbit_summarise(plain.orbit).outcome, RH_ORBIT_FOUND);
    assert_int_equal(rh_orbit_summarise(plain.orbit).event_count, 1);
    for (size_t k = 0; k < OTHER_COUNT; k++) {
        orbiting it = find_in(TEXT, &OTHERS[k], &def);
        compare(&plain, &it, &OTHERS[k], 1e-13);
        const double *units = OTHERS[k].units;
        assert_near(orbiting_value(&it, "v") / units[0], orbiting_value(&plain, "v"), 1e-12);
        assert_near(orbiting_value(&it, "w") / units[1], orbiting_value(&plain, "w"), 1e-12);
        orbiting_end(&it);
    }
    orbiting_end(&plain);
}

// A pendulum in Cartesian coordinates that is driven by its speed: a is its mass, b its length.
static void a_constraint(void **state)
{
    (void)state;
    static const char TEXT[] = "param a = 1, b = 1, s = 1\ncoord x, y\n"
                               "kinetic a*(x'^2 + y'^2)/2\npotential a*9.81*b*y/s^2\n"
                               "constraint rod: x^2 + y^2 = b^2\n"
                               "force x: a*x'/s*(1 - (3*x'*s/b)^2)/10\n"
                               "start x = 0.3*b, y = -sqrt(0.91)*b, x' = 0\n";
    const rh_orbit_def def = rh_orbit_def_default();
    orbiting plain = find_in(TEXT, NULL, &def);
    assert_int_equal(rh_orbit_summarise(plain.orbit).outcome, RH_ORBIT_FOUND);
    for (size_t k = 0; k < OTHER_COUNT; k++) {
        orbiting it = find_in(TEXT, &OTHERS[k], &def);
        compare(&plain, &it, &OTHERS[k], 1e-12);
        assert_near(orbiting_value(&it, "x") / OTHERS[k].units[1], orbiting_value(&plain, "x"),
                    1e-12);
        orbiting_end(&it);
    }
    orbiting_end(&plain);
}

// What comes to rest does so in all units.
static void a_point_of_rest(void **state)
{
    (void)state;
    static const char TEXT[] =
        "param a = 1, b = 1, s = 1\ncoord q\nkinetic a*(q'*s/b)^2/2\n"
        "potential -a*cos(q/b) - a*q/b/2\nforce q: -a*q'*s/b^2/3\nstart q = 0.7*b, q' = 0\n";
    rh_orbit_def def = rh_orbit_def_default();
    def.period = 6.0;
    orbiting plain = find_in(TEXT, NULL, &def);
    assert_int_equal(rh_orbit_summarise(plain.orbit).outcome, RH_ORBIT_EQUILIBRIUM);
    for (size_t k = 0; k < OTHER_COUNT; k++) {
        def.period = 6.0 * OTHERS[k].units[2];
        orbiting it = find_in(TEXT, &OTHERS[k], &def);
        compare(&plain, &it, &OTHERS[k], 1e-12);
        orbiting_end(&it);
    }
    orbiting_end(&plain);
}

// A variable that stays zero has a size by what it does to others: multipliers across a plane.
static void variables_that_stay_zero(void **state)
{
    (void)state;
    static const char TEXT[] = "param a = 1, b = 1, s = 1\nstate x, v, z, w\nlaw x' = a/s*v/b\n"
                               "law v' = b/s*((1 - (x/a)^2)*v/b - x/a*(1 + z^2/a^2))\n"
                               "law z' = a/s*w/b\nlaw w' = b/s*(-2*z/a - w/b/10 + (x/a)*(z/a))\n"
                               "start x = 2*a, v = 0, z = 0, w = 0\n";
    const rh_orbit_def def = rh_orbit_def_default();
    orbiting plain = find_in(TEXT, NULL, &def);
    assert_int_equal(rh_orbit_summarise(plain.orbit).outcome, RH_ORBIT_FOUND);
    for (size_t k = 0; k < OTHER_COUNT; k++) {
        orbiting it = find_in(TEXT, &OTHERS[k], &def);
        compare(&plain, &it, &OTHERS[k], 1e-12);
        orbiting_end(&it);
    }
    orbiting_end(&plain);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_small_and_a_large_variable),
        cmocka_unit_test(a_constraint),
        cmocka_unit_test(a_point_of_rest),
        cmocka_unit_test(variables_that_stay_zero),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
