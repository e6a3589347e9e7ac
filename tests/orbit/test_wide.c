// SPDX-License-Identifier: Apache-2.0
// Branches over wide ranges, and with a period that changes with the parameter.

#include "orbiting.h"

#define PI 3.14159265358979323846

typedef struct wide {
    orbiting on;
    rh_branch *branch;
    rh_error err;
} wide;

static wide wide_begin(const char *text, const char *parameter, double from, double to,
                       const char *period)
{
    wide it = {.branch = NULL};
    char setting[64];
    rh_orbit_def def = rh_orbit_def_default();
    (void)snprintf(setting, sizeof setting, "%s=%.17g", parameter, from);
    const orbiting_conditions with = {.set = {setting}, .set_count = 1, .observe = period};
    def.is_period_asked = period != NULL;
    it.on = orbiting_find(text, &with, &def);
    rh_branch_def branch = rh_branch_def_default();
    branch.set_count = 1;
    branch.from = from;
    branch.to = to;
    if (rh_branch_create(it.on.orbit, &branch, &it.branch, &it.err) != RH_OK) {
        fail_msg("%s", it.err.message);
    }
    return it;
}

static void wide_end(wide *it)
{
    rh_branch_destroy(it->branch);
    orbiting_end(&it->on);
}

static bool wide_step(wide *it, rh_branch_point *out)
{
    bool is_there = false;
    if (rh_branch_step(it->branch, out, &is_there, &it->err) != RH_OK) {
        fail_msg("%s", it->err.message);
    }
    return is_there;
}

static const char VAN_DER_POL[] =
    "param mu = 1\nstate x, v\nlaw x' = v\nlaw v' = mu*(1 - x^2)*v - x\nstart x = 2, v = 0\n";

// From a nearly harmonic to a relaxation oscillation in a few hundred points at most, both ways; at
// small mu T = 2 pi (1 + mu^2/16 - 5 mu^4/3072 + ...), at large mu Dorodnitsyn's expansion.
static void van_der_pol_over_three_decades(void **state)
{
    (void)state;
    static const double ENDS[][2] = {{0.1, 60.0}, {60.0, 0.1}, {1.0, 30.0}};
    for (size_t k = 0; k < sizeof ENDS / sizeof *ENDS; k++) {
        wide it = wide_begin(VAN_DER_POL, "mu", ENDS[k][0], ENDS[k][1], NULL);
        rh_branch_point point;
        uint32_t count = 0;
        double last = 0.0;
        while (wide_step(&it, &point)) {
            const double mu = point.parameter;
            const double small = 2.0 * PI * (1.0 + mu * mu / 16.0 - 5.0 * pow(mu, 4.0) / 3072.0);
            const double large = (3.0 - 2.0 * log(2.0)) * mu + 7.01432 * pow(mu, -1.0 / 3.0) -
                                 2.0 / 3.0 * log(mu) / mu - 1.3233 / mu;
            assert_int_equal(point.mark, RH_BRANCH_POINT);
            assert_true(point.is_stable && point.residual < 1e-10);
            if (mu < 0.3) {
                assert_near(point.period, small, 2e-5);
            }
            if (mu > 30.0) {
                assert_near(point.period, large, 1e-2);
            }
            last = mu;
            count++;
        }
        assert_string_equal(rh_branch_reason(it.branch), "");
        assert_near(last, ENDS[k][1], 0.0);
        if (count > 200) {
            fail_msg("%u points from %g to %g", count, ENDS[k][0], ENDS[k][1]);
        }
        wide_end(&it);
    }
}

// A forced linear oscillator through its resonance: x'' + c x' + 4 x = cos(w t) has the answer
// Re 1/(4 - w^2 + i c w) at t = 0, and multipliers exp(r T) with r^2 + c r + 4 = 0, T = 2 pi/w.
static void the_period_of_a_force_is_followed(void **state)
{
    (void)state;
    static const char TEXT[] = "param w = 1, c = 1/5\ncoord x\nkinetic x'^2/2\npotential 2*x^2\n"
                               "force x: cos(w*t) - c*x'\nstart x = 0, x' = 0\n";
    wide it = wide_begin(TEXT, "w", 0.5, 5.0, "2*pi/w");
    rh_branch_point point;
    uint32_t count = 0;
    while (wide_step(&it, &point)) {
        const double w = point.parameter;
        const double complex answer = 1.0 / (4.0 - w * w + I * w / 5.0);
        const double complex root = -0.1 + I * sqrt(4.0 - 0.01);
        const double complex multiplier = cexp(root * 2.0 * PI / w);
        assert_near(point.period, 2.0 * PI / w, 1e-13);
        assert_near(point.variables[0], creal(answer), 1e-11);
        assert_near(point.variables[1], creal(I * w * answer), 1e-11);
        assert_near(point.multipliers[0].real, creal(multiplier), 1e-11);
        count++;
    }
    assert_string_equal(rh_branch_reason(it.branch), "");
    assert_true(count > 10 && count < 200);
    wide_end(&it);
}

// A hardening spring bends its resonance over: two folds, between them the orbit is not stable.
// Their places are those of Newton's method for closing and det(M - 1) = 0 with series of order 30,
// apart from this program.
static void a_resonance_that_bends_over(void **state)
{
    (void)state;
    static const char TEXT[] = "param w = 1, F = 0.3\ncoord x\nkinetic x'^2/2\n"
                               "potential x^2/2 + x^4/4\nforce x: F*cos(w*t) - x'/10\n"
                               "start x = 0.5, x' = 0\n";
    wide it = wide_begin(TEXT, "w", 0.7, 2.5, "2*pi/w");
    rh_branch_point point;
    double folds[4] = {0.0};
    uint32_t count = 0;
    while (wide_step(&it, &point)) {
        assert_near(point.period, 2.0 * PI / point.parameter, 1e-13);
        if (point.mark == RH_BRANCH_FOLD && count < 4) {
            assert_true(point.is_stable == (count == 1));
            folds[count] = point.parameter;
        }
        count += point.mark == RH_BRANCH_FOLD;
    }
    assert_int_equal(count, 2);
    assert_near(folds[0], 1.7797195242985733, 1e-10);
    assert_near(folds[1], 1.3242362007705655, 1e-10);
    wide_end(&it);
}

// Orbits of a family close to a point of rest: a double pendulum whose period goes with 1/sqrt g.
static void small_orbits_of_a_family(void **state)
{
    (void)state;
    static const char TEXT[] =
        "param g = 1\ncoord a, b\nkinetic (2*a'^2 + 2*a'*b'*cos(a - b) + b'^2)/2\n"
        "potential -g*(2*cos(a) + cos(b))\nstart a = 0.01, b = 0.0141421356, a' = 0, b' = 0\n";
    wide it = wide_begin(TEXT, "g", 1.0, 1.5, NULL);
    rh_branch_point point;
    uint32_t count = 0;
    double last = 0.0;
    double first = 0.0;
    while (wide_step(&it, &point)) {
        const double period = point.period * sqrt(point.parameter);
        first = count++ == 0 ? period : first;
        assert_near(period, first, 1e-3 * first);
        last = point.parameter;
    }
    assert_string_equal(rh_branch_reason(it.branch), "");
    assert_near(last, 1.5, 0.0);
    wide_end(&it);
}

typedef struct formula {
    const char *text, *why;
} formula;

static void periods_that_are_none(void **state)
{
    (void)state;
    static const formula LIST[] = {
        {"2*pi/x", "the period 2*pi/x is not made of numbers and parameters alone"},
        {"t", "the period t is not made of numbers and parameters alone"},
        {"-w", "the period -w is no positive time but -1"},
        {"w - 1", "the period w - 1 is no positive time but 0"},
    };
    static const char TEXT[] = "param w = 1\nstate x\nlaw x' = cos(w*t) - x\nstart x = 1\n";
    for (size_t k = 0; k < sizeof LIST / sizeof *LIST; k++) {
        const orbiting_conditions with = {.observe = LIST[k].text};
        orbiting it;
        rh_orbit_def def = rh_orbit_def_default();
        def.is_period_asked = true;
        assert_int_equal(orbiting_try(TEXT, &with, &def, &it), RH_E_ARGUMENT);
        assert_string_equal(it.err.message, LIST[k].why);
        orbiting_end(&it);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(van_der_pol_over_three_decades),
        cmocka_unit_test(the_period_of_a_force_is_followed),
        cmocka_unit_test(a_resonance_that_bends_over),
        cmocka_unit_test(small_orbits_of_a_family),
        cmocka_unit_test(periods_that_are_none),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
