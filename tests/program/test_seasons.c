// SPDX-License-Identifier: Apache-2.0
// Laws with periodic coefficients: multipliers, the period that is seen and the one that is given.
// References: Vinograd's matrix has the solution exp(2 t) (cos 6t + 2 sin 6t, 2 cos 6t - sin 6t);
// the others by a method of Runge and Kutta with 20000 steps in a period.

#include "programs.h"

#define SAMPLE(law)                                                                                \
    "coord x, y\nkinetic (x'^2 + y'^2)/2\nconstraint u: x = 0 with u'' = " law                     \
    "\nstart x = 0.1, y = 0, x' = 0, y' = 0\n"

#define PI 3.14159265358979323846

typedef struct season_case {
    const char *text;
    double period, given;
    double multiplier;
    rh_program_verdict verdict;
} season_case;

static const season_case CASES[] = {
    {SAMPLE("-(2 + sin(t))*u - 2*u'"), 2 * PI, 0, 0.0033083499455, RH_PROGRAM_ASYMPTOTIC},
    {SAMPLE("-(1 + 0.4*cos(2*t))*u"), PI, 0, 1.3671153555631, RH_PROGRAM_UNSTABLE},
    {SAMPLE("-(1 + 0.4*cos(2*t))*u - u'/100"), PI, 0, 1.3458124517868, RH_PROGRAM_UNSTABLE},
    {SAMPLE("-(2 + sin(t))*u - 2*u' - u^3"), 2 * PI, 0, 0.0033083499455, RH_PROGRAM_ASYMPTOTIC},
    // |sin| and products are followed through their kinks; exp(-3 pi) by Liouville
    {SAMPLE("-(2 + abs(sin(t)))*u - 3*u'"), 2 * PI, 0, 8.0699517570304e-5, RH_PROGRAM_ASYMPTOTIC},
    {SAMPLE("-(2 + sin(3*t/2)*cos(t/2))*u - u'"), 4 * PI, 0, 0.0018674427317,
     RH_PROGRAM_ASYMPTOTIC},
    // all roots of P at every single time are -1 and -10
    {"coord x, y\nkinetic (x'^2 + y'^2)/2\nlet c = cos(6*t)\nlet s = sin(6*t)\n"
     "constraint u: x' = 0 with u' = (-1 - 9*c^2 + 12*s*c)*u + (12*c^2 + 9*s*c)*v\n"
     "constraint v: y' = 0 with v' = (-12*s^2 + 9*s*c)*u + (-1 - 9*s^2 - 12*s*c)*v\n"
     "start x = 0, y = 0, x' = 0.1, y' = 0\n",
     PI / 3, 0, 8.1205273966697, RH_PROGRAM_UNSTABLE},
    // a given period that is shorter than the one seen; and one that is none
    {SAMPLE("-(2 + sin(t)^2)*u - 2*u'"), PI, PI, 0.04321391826377201, RH_PROGRAM_ASYMPTOTIC},
    {SAMPLE("-(2 + sin(t))*u - 2*u'"), 0, 6.28, 0, RH_PROGRAM_INCONCLUSIVE},
    {SAMPLE("-(2 + sin(t) + sin(pi*t))*u - 2*u'"), 0, 0, 0, RH_PROGRAM_INCONCLUSIVE},
    {SAMPLE("-(2 + sin(t) + t)*u - 2*u'"), 0, 0, 0, RH_PROGRAM_INCONCLUSIVE},
    {SAMPLE("-(2 + sin(t^2))*u - 2*u'"), 0, 0, 0, RH_PROGRAM_INCONCLUSIVE},
    {SAMPLE("-(2 + sin(t)*y)*u - 2*u'"), 0, 0, 0, RH_PROGRAM_INCONCLUSIVE},
    {SAMPLE("-(2 + if(t > 1000, sin(t), 0))*u - 2*u'"), 0, 1, 0, RH_PROGRAM_INCONCLUSIVE},
    {SAMPLE("-(2 + sin(t))*u - 2*u' - u^3*exp(t)"), 0, 0, 0, RH_PROGRAM_INCONCLUSIVE},
};

static void multipliers_decide(void **state)
{
    (void)state;
    for (size_t k = 0; k < sizeof CASES / sizeof *CASES; k++) {
        rh_program_def def = rh_program_def_default();
        def.period = CASES[k].given;
        def.is_certified = true;
        programs it = programs_make(CASES[k].text, NULL, &def);
        if (it.summary.verdict != CASES[k].verdict) {
            print_error("%s: %s\n", CASES[k].text, it.summary.reason);
        }
        assert_int_equal(it.summary.verdict, CASES[k].verdict);
        assert_false(it.summary.is_certified);
        if (CASES[k].period > 0.0) {
            assert_near_by(it.summary.period, CASES[k].period, 1e-14, 0.0);
            assert_near_by(it.summary.multiplier, CASES[k].multiplier, 1e-10, 0.0);
        } else {
            assert_true(isnan(it.summary.multiplier));
        }
        programs_end(&it);
    }
}

// A multiplier on the circle, or nearly: Mathieu's equation inside a band keeps |rho| = 1.
static void the_circle_decides_nothing(void **state)
{
    (void)state;
    programs it = programs_make(SAMPLE("-(2 + cos(t)/10)*u"), NULL, NULL);
    assert_int_equal(it.summary.verdict, RH_PROGRAM_INCONCLUSIVE);
    assert_non_null(strstr(it.summary.reason, "unit circle"));
    assert_near(it.summary.multiplier, 1.0, 1e-12);
    programs_end(&it);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(multipliers_decide),
        cmocka_unit_test(the_circle_decides_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
