// SPDX-License-Identifier: Apache-2.0
// Periodic orbits against numbers of their own: reference cases R04, closed forms.

#include "orbiting.h"

#include "orbit/orbit.h"

typedef struct lorenz_case {
    const char *mu;
    double xi, eta, period;
    double real, imaginary; // of a multiplier, and ...
    double other;           // where they are real, of the second
} lorenz_case;

static const lorenz_case LORENZ[] = {
    {"mu=0.01", 0.59330806942589170402, 0.8456036318832291379, 22.830354407140808561,
     0.842723030713656, 0.206997970378078, NAN},
    {"mu=0.05", 0.59396345518718555409, 0.84621546620191762382, 22.838279491521703731,
     0.165818138798404, 0.463165979937295, NAN},
    {"mu=0.1", 0.59597642919780017717, 0.84808163544787780837, 22.86343506889336296,
     -0.210441652005852, 0.118762073299244, NAN},
    {"mu=0.2", 0.60354190023695457748, 0.85494704686440835449, 22.970013835678246471,
     1.07093422200159, 0.0, 0.00310037632447335},
};

static void assert_lorenz(const orbiting *it, const lorenz_case *expected)
{
    const rh_orbit_summary summary = rh_orbit_summarise(it->orbit);
    assert_near(orbiting_value(it, "xi"), expected->xi, 1e-11);
    assert_near(orbiting_value(it, "eta"), expected->eta, 1e-11);
    assert_near(summary.period, expected->period, 1e-11);
    assert_int_equal(summary.trivial_count, 1);
    assert_int_equal(summary.integral_count, 0);
    orbiting_has(it, expected->real, expected->imaginary, 1e-10);
    orbiting_has(it, isnan(expected->other) ? expected->real : expected->other,
                 -expected->imaginary, 1e-10);
    assert_int_equal(summary.is_stable, isnan(expected->other));
}

// R04 (c): from the averaged solution, over half a period and over the whole.
static void lorenz_orbits_are_the_reference(void **state)
{
    (void)state;
    for (size_t k = 0; k < sizeof LORENZ / sizeof *LORENZ; k++) {
        for (int half = 0; half < 2; half++) {
            // without its symmetry the last one has stable neighbours: begin nearer
            const bool is_near = half == 1 && !isnan(LORENZ[k].other);
            const orbiting_conditions with = {.set = {LORENZ[k].mu},
                                              .set_count = 1,
                                              .start = {"xi=0.6035", "eta=0.8549"},
                                              .start_count = is_near ? 2 : 0};
            rh_orbit_def def = rh_orbit_def_default();
            def.free = "xi, eta";
            def.period = is_near ? 22.97 : 22.83;
            def.symmetry = half == 0 ? "xi=-xi, p=-p" : NULL;
            orbiting it = orbiting_find(ORBITING_LORENZ, &with, &def);
            assert_int_equal(rh_orbit_summarise(it.orbit).is_half, half == 0);
            assert_lorenz(&it, &LORENZ[k]);
            orbiting_end(&it);
        }
    }
}

static void without_a_period_the_motion_is_watched(void **state)
{
    (void)state;
    const orbiting_conditions with = {.set = {"mu=0.01"}, .set_count = 1};
    rh_orbit_def def = rh_orbit_def_default();
    def.free = "xi, eta";
    orbiting it = orbiting_find(ORBITING_LORENZ, &with, &def);
    assert_lorenz(&it, &LORENZ[0]);
    orbiting_end(&it);
    def.symmetry = "xi=-xi, p=-p";
    it = orbiting_find(ORBITING_LORENZ, &with, &def);
    assert_lorenz(&it, &LORENZ[0]);
    orbiting_end(&it);
}

// R04: sigma = 1.5, b = 1, the cn orbit.
static void the_other_lorenz_orbit(void **state)
{
    (void)state;
    const orbiting_conditions with = {
        .set = {"mu=0.01", "sigma=1.5", "b=1"},
        .set_count = 3,
        .start = {"xi=1.010808450604607512496", "eta=0.4912391918581140267726"},
        .start_count = 2};
    rh_orbit_def def = rh_orbit_def_default();
    def.free = "xi, eta";
    def.period = 23.1058;
    def.symmetry = "xi=-xi, p=-p";
    orbiting it = orbiting_find(ORBITING_LORENZ, &with, &def);
    assert_near(orbiting_value(&it, "xi"), 1.0108362306847190311, 1e-11);
    assert_near(orbiting_value(&it, "eta"), 0.49123994907807377859, 1e-11);
    assert_near(rh_orbit_summarise(it.orbit).period, 23.108427105426356126, 1e-11);
    orbiting_end(&it);
}

// R04: the orbit within one well is near the averaged one. A step of Newton's method that is not
// shortened leads from there to the point of rest instead.
static void the_orbit_in_one_well(void **state)
{
    (void)state;
    const orbiting_conditions with = {
        .set = {"mu=0.05", "sigma=1.5", "b=1"},
        .set_count = 3,
        .start = {"xi=0.9809215422756576447743", "eta=0.514907677281477367288"},
        .start_count = 2};
    rh_orbit_def def = rh_orbit_def_default();
    def.free = "xi, eta";
    def.period = 10.92357601780562784158;
    orbiting it = orbiting_find(ORBITING_LORENZ, &with, &def);
    assert_near(orbiting_value(&it, "xi"), 0.98092154, 0.05 * 0.05);
    assert_near(orbiting_value(&it, "eta"), 0.51490768, 0.05 * 0.05);
    assert_true(rh_orbit_summarise(it.orbit).residual < 1e-13);
    orbiting_end(&it);
}

// R04: a search that ends at the point of rest says so; exactly there, and from beside it.
static void a_point_of_rest_is_recognised(void **state)
{
    (void)state;
    static const char *const STARTS[][2] = {{"xi=1/sqrt(3)", "eta=2/3"}, {"xi=0.58", "eta=0.666"}};
    for (size_t k = 0; k < 2; k++) {
        const orbiting_conditions with = {.set = {"mu=0.05", "sigma=1.5", "b=1"},
                                          .set_count = 3,
                                          .start = {STARTS[k][0], STARTS[k][1]},
                                          .start_count = 2};
        rh_orbit_def def = rh_orbit_def_default();
        def.free = "xi, eta";
        def.period = 10.92;
        orbiting it = orbiting_begin(ORBITING_LORENZ, &with, &def);
        const rh_orbit_summary summary = rh_orbit_summarise(it.orbit);
        if (summary.outcome != RH_ORBIT_EQUILIBRIUM) {
            fail_msg("outcome %d: %s, xi %.10g eta %.10g T %.10g", (int)summary.outcome,
                     summary.reason, orbiting_value(&it, "xi"), orbiting_value(&it, "eta"),
                     summary.period);
        }
        assert_near(orbiting_value(&it, "xi"), 1.0 / sqrt(3.0), 1e-12);
        assert_near(orbiting_value(&it, "p"), 0.0, 1e-12);
        assert_near(orbiting_value(&it, "eta"), 2.0 / 3.0, 1e-12);
        assert_true(isnan(summary.period));
        assert_int_equal(rh_orbit_multiplier_count(it.orbit), 3);
        // the trace of the linear part is that of the divergence
        double trace = 0.0;
        for (size_t j = 0; j < 3; j++) {
            trace += rh_orbit_multiplier(it.orbit, j).real;
        }
        assert_near(trace, -0.05 - 0.05 * 1.0 / 2.5, 1e-12);
        orbiting_end(&it);
    }
}

// R04: the orbit in the variables of Lorenz.
static void the_lorenz_equations_have_the_same_orbit(void **state)
{
    (void)state;
    static const char TEXT[] = "param sigma = 10, a = 1211, b = 8/3\nstate x1, x2, x3\n"
                               "law x1' = -sigma*(x1 - x2)\nlaw x2' = a*x1 - x2 - x1*x3\n"
                               "law x3' = -b*x3 + x1*x2\n"
                               "start x1 = 92.7, x2 = 92.7, x3 = 1456\n";
    rh_orbit_def def = rh_orbit_def_default();
    def.period = 0.2078;
    def.symmetry = "x1=-x1, x2=-x2";
    orbiting it = orbiting_find(TEXT, NULL, &def);
    const rh_orbit_summary summary = rh_orbit_summarise(it.orbit);
    assert_near(summary.period, 0.207849409717212391, 1e-11);
    orbiting_has(&it, -0.210441652005852, 0.118762073299244, 1e-9);
    orbiting_end(&it);
}

static void van_der_pol(void **state)
{
    (void)state;
    static const char TEXT[] = "param mu = 1\nstate x, v\nlaw x' = v\nlaw v' = mu*(1 - x^2)*v - x\n"
                               "start x = 1.9, v = 0.1\n";
    rh_orbit_def def = rh_orbit_def_default();
    orbiting it = orbiting_find(TEXT, NULL, &def);
    const rh_orbit_summary summary = rh_orbit_summarise(it.orbit);
    assert_near(summary.period, 6.6632868593231301896996, 1e-12);
    assert_true(summary.is_stable);
    assert_int_equal(rh_orbit_multiplier_count(it.orbit), 2);
    orbiting_end(&it);
}

// A forced linear oscillator: its answer and its multipliers are known.
static void forced_oscillators(void **state)
{
    (void)state;
    static const char LINEAR[] = "coord x\nkinetic x'^2/2\npotential 2*x^2\n"
                                 "force x: cos(t) - x'/5\nstart x = 0, x' = 0\n";
    rh_orbit_def def = rh_orbit_def_default();
    def.period = 2.0 * 3.14159265358979323846;
    orbiting it = orbiting_find(LINEAR, NULL, &def);
    assert_true(rh_orbit_summarise(it.orbit).is_period_fixed);
    const double complex answer = 1.0 / (3.0 + I / 5.0);
    assert_near(orbiting_value(&it, "x"), creal(answer), 1e-13);
    assert_near(orbiting_value(&it, "x'"), creal(I * answer), 1e-13);
    const double complex root = -0.1 + I * sqrt(4.0 - 0.01);
    const double complex multiplier = cexp(root * def.period);
    orbiting_has(&it, creal(multiplier), cimag(multiplier), 1e-12);
    orbiting_end(&it);

    static const char DUFFING[] =
        "param F = 0.3\ncoord x\nkinetic x'^2/2\npotential x^2/2 + x^4/4\n"
        "force x: F*cos(1.4*t) - x'/10\nstart x = 0.5, x' = 0\n";
    def.period = 2.0 * 3.14159265358979323846 / 1.4;
    it = orbiting_find(DUFFING, NULL, &def);
    // damping contracts all of the plane alike: the product of the multipliers is known
    double complex product = 1.0;
    for (size_t k = 0; k < 2; k++) {
        const rh_multiplier m = rh_orbit_multiplier(it.orbit, k);
        product *= m.real + I * m.imaginary;
    }
    assert_near(creal(product), exp(-def.period / 10.0), 1e-12);
    assert_int_equal(rh_orbit_summarise(it.orbit).trivial_count, 0);
    orbiting_end(&it);
}

// A pendulum of any size, in the plane and on the circle: 4 K(sin(a/2)) / sqrt(g).
static double pendulum_period(double amplitude)
{
    double a = 1.0;
    double b = cos(amplitude / 2.0);
    for (int k = 0; k < 8; k++) {
        const double mean = 0.5 * (a + b);
        b = sqrt(a * b);
        a = mean;
    }
    return 2.0 * 3.14159265358979323846 / a;
}

static void a_family_of_orbits_with_an_integral(void **state)
{
    (void)state;
    static const char TEXT[] = "coord theta\nkinetic theta'^2/2\npotential -cos(theta)\n"
                               "start theta = 1.2, theta' = 0.3\n";
    rh_orbit_def def = rh_orbit_def_default();
    def.period = 7.0;
    orbiting it = orbiting_find(TEXT, NULL, &def);
    const rh_orbit_summary summary = rh_orbit_summarise(it.orbit);
    const double energy =
        pow(orbiting_value(&it, "theta'"), 2.0) / 2.0 - cos(orbiting_value(&it, "theta"));
    assert_near(summary.period, pendulum_period(acos(-energy)), 1e-11);
    assert_int_equal(summary.trivial_count, 2);
    assert_int_equal(summary.integral_count, 1);
    assert_true(!summary.is_stable && !summary.is_unstable);
    orbiting_end(&it);
}

static void a_pendulum_on_its_constraint(void **state)
{
    (void)state;
    static const char TEXT[] = "coord x, y\nkinetic (x'^2 + y'^2)/2\npotential y\n"
                               "constraint rod: x^2 + y^2 = 1\nguess y = -1\n"
                               "start x = 0.9, x' = 0.1\n";
    rh_orbit_def def = rh_orbit_def_default();
    orbiting it = orbiting_find(TEXT, NULL, &def);
    const rh_orbit_summary summary = rh_orbit_summarise(it.orbit);
    const double x = orbiting_value(&it, "x");
    const double y = orbiting_value(&it, "y");
    const double speed = hypot(orbiting_value(&it, "x'"), orbiting_value(&it, "y'"));
    assert_near(hypot(x, y), 1.0, 1e-14);
    assert_near(summary.period, pendulum_period(acos(-(speed * speed / 2.0 + y))), 1e-10);
    assert_int_equal(rh_orbit_multiplier_count(it.orbit), 2);
    assert_int_equal(summary.integral_count, 1);
    orbiting_end(&it);
}

// A ball that jumps on a floor at height sin t once in each period T = 2 pi of it. Just after an
// impact its speed is T/2, just before it -T/2, so that of the floor w follows from
// T/2 - w = e (w + T/2); the phase is the one in which the floor goes up and slows down.
static void a_ball_on_a_moving_floor(void **state)
{
    (void)state;
    static const char TEXT[] = "param e = 0.6\ncoord y\nkinetic y'^2/2\npotential y\n"
                               "constraint floor: y - sin(t) >= 0 impact e\n";
    const double T = 2.0 * 3.14159265358979323846;
    const double e = 0.6;
    const double w = T / 2.0 * (1.0 - e) / (1.0 + e);
    const double phase = acos(w);
    const double since = T - phase; // the last impact, at t = 0
    const double height = sin(phase) + T / 2.0 * since - since * since / 2.0;
    char y[64];
    char v[64];
    (void)snprintf(y, sizeof y, "y=%.3f", height);
    (void)snprintf(v, sizeof v, "y'=%.3f", T / 2.0 - since);
    const orbiting_conditions with = {.start = {y, v}, .start_count = 2};
    rh_orbit_def def = rh_orbit_def_default();
    def.period = T;
    orbiting it = orbiting_find(TEXT, &with, &def);
    assert_int_equal(rh_orbit_summarise(it.orbit).event_count, 1);
    assert_near(orbiting_value(&it, "y"), height, 1e-12);
    assert_near(orbiting_value(&it, "y'"), T / 2.0 - since, 1e-12);
    double complex product = 1.0;
    double complex trace = 0.0;
    for (size_t k = 0; k < 2; k++) {
        const rh_multiplier m = rh_orbit_multiplier(it.orbit, k);
        product *= m.real + I * m.imaginary;
        trace += m.real + I * m.imaginary;
    }
    // from impact to impact, time s and speed v: the flight takes longer by T dv / (w + T/2), and
    // dv' = -(1 + e) sin(phase) ds' - e (dv - change of the flight)
    const double longer = T / (w + T / 2.0);
    assert_near(creal(product), e * e, 1e-11);
    assert_near(creal(trace), 1.0 - (1.0 + e) * sin(phase) * longer - e * (1.0 - longer), 1e-11);
    orbiting_end(&it);
}

// A passage that needs many more steps than the first one is given up.
static void a_passage_has_a_limit(void **state)
{
    (void)state;
    static const char TEXT[] = "state x, v\nlaw x' = v\nlaw v' = -x\nstart x = 1, v = 0\n";
    rh_orbit_def def = rh_orbit_def_default();
    orbiting it = orbiting_find(TEXT, NULL, &def);
    bool is_there = true;
    const double start[] = {0.0, 1.0};
    it.orbit->step_limit = 2;
    assert_int_equal(rh__passage_run(it.orbit, start, 6.0, &it.orbit->trial, &is_there), RH_OK);
    assert_false(is_there);
    assert_string_equal(it.orbit->reason, "a motion nearby takes far more steps");
    orbiting_end(&it);
}

// Slow and fast in turn: it is back when both of its variables are.
static void a_relaxation_oscillation(void **state)
{
    (void)state;
    static const char TEXT[] = "state x, v\nlaw x' = v\nlaw v' = 10*(1 - x^2)*v - x\n"
                               "start x = 2, v = 0\n";
    const orbiting_conditions with = {.tolerance = 1e-13};
    rh_orbit_def def = rh_orbit_def_default();
    orbiting it = orbiting_find(TEXT, &with, &def);
    const rh_orbit_summary summary = rh_orbit_summarise(it.orbit);
    assert_near(summary.period, 19.0783695669, 1e-9);
    assert_true(summary.is_stable);
    orbiting_end(&it);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lorenz_orbits_are_the_reference),
        cmocka_unit_test(without_a_period_the_motion_is_watched),
        cmocka_unit_test(the_other_lorenz_orbit),
        cmocka_unit_test(the_orbit_in_one_well),
        cmocka_unit_test(a_point_of_rest_is_recognised),
        cmocka_unit_test(the_lorenz_equations_have_the_same_orbit),
        cmocka_unit_test(van_der_pol),
        cmocka_unit_test(forced_oscillators),
        cmocka_unit_test(a_passage_has_a_limit),
        cmocka_unit_test(a_relaxation_oscillation),
        cmocka_unit_test(a_family_of_orbits_with_an_integral),
        cmocka_unit_test(a_pendulum_on_its_constraint),
        cmocka_unit_test(a_ball_on_a_moving_floor),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
