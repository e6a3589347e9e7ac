// SPDX-License-Identifier: Apache-2.0
// Averaged reactions against reference case R04, and what is refused.

#include "averaging.h"

// R04 (a): a point that is no solution.
static void means_over_an_orbit(void **state)
{
    (void)state;
    const orbiting_conditions with = {.start = {"xi=0.7", "eta=0.8"}, .start_count = 2};
    const rh_average_def def = rh_average_def_default();
    averaging it = lorenz_begin(&with, &def);
    const rh_average_orbit orbit = rh_average_begin(it.average);
    assert_true(orbit.is_closed);
    assert_near(orbit.period, 17.628986170284389866, 1e-13);
    assert_string_equal(rh_average_restriction_name(it.average, 0), "level");
    // level is 2 E
    assert_near(orbit.constants[0] / 2.0, 0.011025, 1e-15);
    assert_near(orbit.constants[1], 0.8, 1e-15);
    assert_near(orbit.means[0] / 2.0 / 0.1, -0.0057260012459791539533, 1e-13);
    assert_near(orbit.means[1] / 0.1, -0.10599377084519555041, 1e-13);
    assert_int_equal(rh_average_solution_count(it.average), 0);
    averaging_end(&it);
}

typedef struct solution {
    double D, eta, period, energy;
} solution;

typedef struct search_case {
    const char *sigma, *b;
    size_t count;
    solution solutions[2];
} search_case;

static const search_case SEARCHES[] = {
    {"sigma=10",
     "b=8/3",
     1,
     {{0.5932806406231609131004, 0.8455779782789528793805, 22.83002550474469165115,
       0.003795938009499922608356}}},
    {"sigma=4",
     "b=1",
     1,
     {{0.5833639128599533968772, 0.844963419771534722281, 24.8501087867043593272,
       0.002572794763041455967809}}},
    {"sigma=1.5",
     "b=1",
     2,
     {{1.010808450604607512496, 0.4912391918581140267726, 23.1058296151586547758,
       0.00107591307791101276372},
      {0.9809215422756576447743, 0.514907677281477367288, 10.92357601780562784158,
       -0.00191901937066684001798}}},
    {"sigma=1", "b=1", 0, {{.D = 0.0}}},
    {"sigma=0.9", "b=1", 0, {{.D = 0.0}}},
    {"sigma=2", "b=4", 0, {{.D = 0.0}}},
    {"sigma=1", "b=5", 0, {{.D = 0.0}}},
};

static void assert_solution(const averaging *it, const solution *expected)
{
    const rh_average_orbit *nearest = NULL;
    rh_average_orbit found[8];
    double distance = INFINITY;
    for (size_t k = 0; k < rh_average_solution_count(it->average) && k < 8; k++) {
        found[k] = rh_average_solution(it->average, k);
        if (fabs(found[k].start[0] - expected->D) < distance) {
            distance = fabs(found[k].start[0] - expected->D);
            nearest = &found[k];
        }
    }
    assert_non_null(nearest);
    for (size_t k = 0; k < rh_average_variable_count(it->average); k++) {
        const char *name = rh_average_variable_name(it->average, k);
        const double value = strcmp(name, "xi") == 0    ? expected->D
                             : strcmp(name, "eta") == 0 ? expected->eta
                                                        : 0.0;
        assert_near(nearest->start[k], value, 1e-11);
    }
    assert_near(nearest->period, expected->period, 1e-11);
    assert_near(nearest->constants[0] / 2.0, expected->energy, 1e-11);
    assert_true(nearest->residual <= 1e-12);
}

// R04 (b): all four solutions, and the four answers that there is none.
static void all_solutions_in_a_box(void **state)
{
    (void)state;
    static const char *const BOX[] = {"xi=0.3:1.3", "eta=0.2:0.95"};
    for (size_t k = 0; k < sizeof SEARCHES / sizeof *SEARCHES; k++) {
        const search_case *on = &SEARCHES[k];
        const orbiting_conditions with = {.set = {on->sigma, on->b}, .set_count = 2};
        rh_average_def def = rh_average_def_default();
        def.unknowns = BOX;
        def.unknown_count = 2;
        averaging it = lorenz_begin(&with, &def);
        if (rh_average_solution_count(it.average) != on->count) {
            for (size_t j = 0; j < rh_average_solution_count(it.average); j++) {
                const rh_average_orbit o = rh_average_solution(it.average, j);
                print_error("%.12g %.12g %.12g: T = %.12g, residual %.3g\n", o.start[0], o.start[1],
                            o.start[2], o.period, o.residual);
            }
            fail_msg("%s, %s: %zu solutions, not %zu", on->sigma, on->b,
                     rh_average_solution_count(it.average), on->count);
        }
        for (size_t j = 0; j < on->count; j++) {
            assert_solution(&it, &on->solutions[j]);
        }
        assert_int_equal(rh_average_start_count(it.average), 64);
        averaging_end(&it);
    }
}

static void eigenvalues_of_the_averaged_solution(void **state)
{
    (void)state;
    static const char *const BOX[] = {"xi=0.5:0.7", "eta=0.8:0.9"};
    rh_average_def def = rh_average_def_default();
    def.unknowns = BOX;
    def.unknown_count = 2;
    averaging it = lorenz_begin(NULL, &def);
    assert_int_equal(rh_average_solution_count(it.average), 1);
    const rh_average_orbit orbit = rh_average_solution(it.average, 0);
    assert_near(orbit.real[0] / 0.1, -(1.0 + 8.0 / 33.0) / 2.0, 1e-10);
    assert_near(fabs(orbit.imaginary[0]) / 0.1, 1.05422758771, 1e-10);
    assert_near(orbit.real[1], orbit.real[0], 1e-12);
    assert_near(orbit.imaginary[1], -orbit.imaginary[0], 1e-12);
    averaging_end(&it);
}

// The orbit of the released system is near the averaged one: by the square of mu.
static void the_released_orbit_is_nearer_by_the_square(void **state)
{
    (void)state;
    static const double MU[] = {0.005, 0.01, 0.02};
    double away[3][3];
    for (size_t k = 0; k < 3; k++) {
        char setting[32];
        (void)snprintf(setting, sizeof setting, "mu=%.17g", MU[k]);
        const orbiting_conditions with = {.set = {setting}, .set_count = 1};
        rh_orbit_def def = rh_orbit_def_default();
        def.free = "xi, eta";
        def.period = 22.83002550474469165115;
        def.symmetry = "xi=-xi, p=-p";
        orbiting it = orbiting_find(ORBITING_LORENZ, &with, &def);
        away[k][0] = fabs(orbiting_value(&it, "xi") - SEARCHES[0].solutions[0].D);
        away[k][1] = fabs(orbiting_value(&it, "eta") - SEARCHES[0].solutions[0].eta);
        away[k][2] = fabs(rh_orbit_summarise(it.orbit).period - SEARCHES[0].solutions[0].period);
        orbiting_end(&it);
    }
    // the slope of log(away) over log(mu), by least squares: the values of mu are equally spaced
    for (size_t j = 0; j < 3; j++) {
        const double slope = (log(away[2][j]) - log(away[0][j])) / (log(MU[2]) - log(MU[0]));
        assert_true(fabs(slope - 2.0) <= 0.05);
    }
}

// Other systems: an oscillator whose amplitude is held, x'' + x = mu (1 - x^2) x', whose mean
// reaction vanishes at amplitude 2; and the same as a coordinate, with its inertia.
static void the_amplitude_of_van_der_pol(void **state)
{
    (void)state;
    static const char *const TEXTS[] = {
        "param mu = 0.1\nstate x, v\nlaw x' = v\nlaw v' = -x + mu*(1 - x^2)*v\nselect v\n"
        "constraint size: x^2 + v^2 = const\nstart x = 1, v = 0\n",
        "param mu = 0.1\nstate x, v\nlaw x' = v\nlaw 3*v' = -3*x + 3*mu*(1 - x^2)*v\nselect v\n"
        "constraint size: x^2 + v^2 = const\nstart x = 1, v = 0\n",
    };
    static const char *const BOX[] = {"x=0.5:3"};
    for (size_t k = 0; k < 2; k++) {
        rh_average_def def = rh_average_def_default();
        def.unknowns = BOX;
        def.unknown_count = 1;
        averaging it;
        assert_int_equal(averaging_try(TEXTS[k], NULL, &def, &it), RH_OK);
        const rh_average_orbit begin = rh_average_begin(it.average);
        // <2 v mu (1 - x^2) v> on the unit circle is mu (1 - 1/4)
        assert_near(begin.means[0], -0.1 * 0.75, 1e-13);
        assert_int_equal(rh_average_solution_count(it.average), 1);
        const rh_average_orbit orbit = rh_average_solution(it.average, 0);
        assert_near(orbit.start[0], 2.0, 1e-12);
        assert_near(orbit.period, 2.0 * 3.14159265358979323846, 1e-12);
        assert_near(orbit.real[0], -0.1, 1e-11);
        averaging_end(&it);
    }
}

// Held by its own integral nothing reacts; by a force that is odd along every orbit the mean
// vanishes for each of them. Neither has a solution that stands alone.
static void means_that_vanish_everywhere(void **state)
{
    (void)state;
    static const char *const TEXTS[] = {
        "state x, v\nlaw x' = v\nlaw v' = -x - x^3\nselect v\n"
        "constraint level: v^2 + x^2 + x^4/2 = const\nstart x = 1, v = 0\n",
        "state x, v\nlaw x' = v\nlaw v' = -x + x*v/10\nselect v\n"
        "constraint level: v^2 + x^2 = const\nstart x = 1, v = 0\n"};
    static const char *const UNKNOWNS[] = {"x=0.5:2"};
    for (size_t k = 0; k < 2; k++) {
        averaging it;
        rh_average_def def = rh_average_def_default();
        def.unknowns = UNKNOWNS;
        def.unknown_count = 1;
        assert_int_equal(averaging_try(TEXTS[k], NULL, &def, &it), RH_OK);
        assert_int_equal(rh_average_solution_count(it.average), 0);
        assert_int_equal(rh_average_void_count(it.average), rh_average_start_count(it.average));
        assert_int_equal(rh_average_start_count(it.average), def.start_count);
        assert_string_equal(rh_average_failure_at(it.average, 0).reason,
                            "all means vanish there and around it");
        averaging_end(&it);
    }
}

// x'' + x = -mu x' P(x^2) has the mean 2 mu s prod (s - r_k^2) over amplitudes: P has as
// coefficients those of the product, divided by the means of cos^(2 j) sin^2 times 2.
static void write_cycles(const double *roots, uint32_t count, char *out, size_t size)
{
    enum { MOST = 16 };
    double p[MOST + 1] = {1.0};
    double even[MOST + 2] = {1.0}; // means of cos^(2 j)
    for (uint32_t k = 0; k < count; k++) {
        for (uint32_t j = k + 1; j-- > 0;) {
            p[j + 1] += p[j];
            p[j] *= -roots[k] * roots[k];
        }
    }
    for (uint32_t j = 1; j <= count + 1; j++) {
        even[j] = even[j - 1] * (2.0 * j - 1.0) / (2.0 * j);
    }
    int at = snprintf(out, size, "param mu = 0.05\nstate x, v\nlaw x' = v\nlaw v' = -x - mu*v*(");
    for (uint32_t j = 0; j <= count; j++) {
        at += snprintf(out + at, size - (size_t)at, "%s(%.17g)*x^%u", j > 0 ? " + " : "",
                       p[j] / (even[j] - even[j + 1]), 2 * j);
    }
    (void)snprintf(out + at, size - (size_t)at,
                   ")\nselect v\nconstraint E: v^2 + x^2 = const\nstart x = 1, v = 0\n");
}

// More of them than starts, and some beside each other.
static void solutions_side_by_side(void **state)
{
    (void)state;
    static const struct {
        uint32_t count;
        double roots[10];
    } CASES[] = {{6, {0.5, 0.52, 0.54, 0.9, 2.1, 2.15}},
                 {10, {0.31, 0.47, 0.63, 0.94, 1.12, 1.5, 1.77, 2.3, 2.55, 2.8}}};
    static const char *const BOX[] = {"x=0.1:3"};
    for (size_t k = 0; k < sizeof CASES / sizeof *CASES; k++) {
        char text[2000];
        averaging it;
        rh_average_def def = rh_average_def_default();
        def.unknowns = BOX;
        def.unknown_count = 1;
        write_cycles(CASES[k].roots, CASES[k].count, text, sizeof text);
        assert_int_equal(averaging_try(text, NULL, &def, &it), RH_OK);
        assert_int_equal(rh_average_solution_count(it.average), CASES[k].count);
        for (uint32_t j = 0; j < CASES[k].count; j++) {
            double nearest = INFINITY;
            for (size_t i = 0; i < rh_average_solution_count(it.average); i++) {
                const double x = rh_average_solution(it.average, i).start[0];
                nearest = fmin(nearest, fabs(x - CASES[k].roots[j]));
            }
            assert_near(nearest, 0.0, 1e-8);
        }
        averaging_end(&it);
    }
}

// Micrometres in metres; and starts that overflow are told as such.
static void averages_in_any_unit(void **state)
{
    (void)state;
    static const char TEXT[] = "param mu = 0.1, s = 1e-6\nstate x, v\nlaw x' = v\n"
                               "law v' = -x + mu*(1 - (x/s)^2)*v\nselect v\n"
                               "constraint size: x^2 + v^2 = const\nstart x = s, v = 0\n";
    static const char *const SMALL[] = {"x=0.5e-6:3e-6"};
    static const char *const HUGE_BOX[] = {"x=0:1e300"};
    averaging it;
    rh_average_def def = rh_average_def_default();
    def.unknowns = SMALL;
    def.unknown_count = 1;
    assert_int_equal(averaging_try(TEXT, NULL, &def, &it), RH_OK);
    assert_int_equal(rh_average_solution_count(it.average), 1);
    assert_near(rh_average_solution(it.average, 0).start[0] * 1e6, 2.0, 1e-12);
    averaging_end(&it);
    def.unknowns = HUGE_BOX;
    assert_int_equal(averaging_try(TEXT, NULL, &def, &it), RH_OK);
    assert_int_equal(rh_average_solution_count(it.average), 0);
    assert_int_equal(rh_average_failure_count(it.average), def.start_count);
    averaging_end(&it);
}

static const char *count_down(void *user)
{
    uint32_t *left = user;
    *left -= *left > 0;
    return *left == 0 ? "enough" : NULL;
}

// What was found until then is told.
static void a_search_that_is_ended(void **state)
{
    (void)state;
    static const char *const UNKNOWNS[] = {"xi=0.3:1", "eta=0.5:1"};
    const orbiting_conditions with = {.set = {"sigma=10"}, .set_count = 1};
    size_t before = 0;
    bool was_whole = false;
    for (uint32_t count = 1; count < 1000000; count *= 7) {
        uint32_t left = count;
        rh_average_def def = rh_average_def_default();
        def.unknowns = UNKNOWNS;
        def.unknown_count = 2;
        def.interrupt = count_down;
        def.user = &left;
        averaging it = lorenz_begin(&with, &def);
        const size_t starts = rh_average_start_count(it.average);
        assert_true(starts >= before);
        // after the last start there is still a look beside what was found
        if (starts < (size_t)def.start_count * def.start_count) {
            assert_string_equal(rh_average_reason(it.average), "enough");
        } else {
            assert_string_equal(rh_average_reason(it.average), left == 0 ? "enough" : "");
        }
        was_whole = left > 0;
        before = starts;
        averaging_end(&it);
    }
    assert_true(before > 10 && was_whole);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(means_over_an_orbit),
        cmocka_unit_test(all_solutions_in_a_box),
        cmocka_unit_test(eigenvalues_of_the_averaged_solution),
        cmocka_unit_test(the_released_orbit_is_nearer_by_the_square),
        cmocka_unit_test(the_amplitude_of_van_der_pol),
        cmocka_unit_test(means_that_vanish_everywhere),
        cmocka_unit_test(solutions_side_by_side),
        cmocka_unit_test(averages_in_any_unit),
        cmocka_unit_test(a_search_that_is_ended),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
