// SPDX-License-Identifier: Apache-2.0
// Laws with constant coefficients: roots, verdicts, Lyapunov functions (case L1), overshoot (case
// OV), amplification and step limits against closed forms (docs/theory/programs.md).

#include "programs.h"

static const char *const ONE = "param a0 = 4, a1 = 4\n"
                               "coord y\n"
                               "kinetic y'^2/2\n"
                               "constraint aim: y = 0 with aim'' = -a0*aim - a1*aim'\n"
                               "start y = 0.1, y' = 0\n";

static void double_roots_overshoot_as_the_reference(void **state)
{
    static const struct {
        const char *path;
        double time, value;
    } CASES[] = {
        {"tests/golden/models/perturbation_overshoot.rhe", 0.2, 0.073575888234288464319},
        {"tests/golden/models/perturbation_overshoot_growing.rhe", 0.13333333333333333333,
         1.5402513570977760806},
        {"tests/golden/models/perturbation_overswing.rhe", 0.26666666666666666667,
         -0.79079141434718031024},
        {"examples/pendulum_program/model.rhe", 0.1007633587786259542, 0.15830565821501253133},
    };
    (void)state;
    for (size_t k = 0; k < sizeof CASES / sizeof *CASES; k++) {
        programs it = programs_read(CASES[k].path, NULL, NULL);
        assert_near(it.summary.overshoot_time, CASES[k].time, 2e-15);
        assert_near(it.summary.overshoot, CASES[k].value, 2e-15);
        programs_root(&it, 0, -5.0, 0.0, 0.0);
        programs_root(&it, 1, -5.0, 0.0, 0.0);
        assert_int_equal(it.summary.verdict, RH_PROGRAM_ASYMPTOTIC);
        programs_end(&it);
    }
}

// In other units of time rounding parts a double root by a hair: its overshoot stays what it is.
static void a_double_root_overshoots_in_any_unit_of_time(void **state)
{
    static const struct {
        const char *text;
        double unit;
    } UNITS[] = {{"1/27", 1.0 / 27.0}, {"27", 27.0}, {"1/10^9", 1e-9}, {"10^9", 1e9}, {"7", 7.0}};
    (void)state;
    for (size_t k = 0; k < sizeof UNITS / sizeof *UNITS; k++) {
        char text[512];
        (void)snprintf(text, sizeof text,
                       "param mu = 5, u = %s\ncoord y\nkinetic y'^2/2\n"
                       "constraint aim: y = 0 with aim'' = (-mu^2*aim - 2*mu*(aim'/u))*u^2\n"
                       "start y = 0, y' = u\n",
                       UNITS[k].text);
        programs it = programs_make(text, NULL, NULL);
        assert_near(it.summary.overshoot_time * UNITS[k].unit, 0.2, 1e-7);
        assert_near(it.summary.overshoot, 0.073575888234288464319, 1e-12);
        programs_end(&it);
    }
}

// From rest the deviation of a double root has no extremum.
static void from_rest_there_is_no_overshoot(void **state)
{
    (void)state;
    programs it = programs_make(ONE, NULL, NULL);
    assert_true(isnan(it.summary.overshoot));
    programs_end(&it);
}

// Laws that do not act on each other have steps of their own, however far apart their roots are;
// kinks and other terms that are not linear are followed. References: closed forms, and a method of
// Runge and Kutta with steps of 1e-4 (the last two).
static void overshoot_is_found_for_all_laws(void **state)
{
    static const struct {
        const char *laws;
        double time, value;
    } CASES[] = {
        {"a: x = 0 with a'' = -1e3*a - 1e3*a'\nconstraint b: y = 0 with b'' = -1e-3*b - 1e-2*b'",
         43.2430263779221, 2.577798339710517},
        {"a: x = 0 with a'' = -1e9*a - 1e9*a'\nconstraint b: y = 0 with b'' = -1e-9*b - 2e-5*b'",
         41632.85911994341, 2085.448535172081},
        // the same, and both act on each other by next to nothing
        {"a: x = 0 with a'' = -1e6*a - 1e6*a' + 1e-9*b\nconstraint b: y = 0 with b'' = -1e-3*b - "
         "1e-2*b' + 1e-18*a",
         43.2430263779221, 2.577798339710517},
        {"a: x = 0 with a'' = -a - 0.1*a'\nconstraint b: y' = 0 with b' = -b", 3.1455270228880017,
         -0.08544678930067566},
        {"a: x - 0.4 = 0 with a'' = -4*a - a' - a'*abs(a')\nconstraint b: y' = 0 with b' = -b",
         1.6801029334202198, 0.10072252128484989},
        {"a: x - 0.4 = 0 with a'' = -a - a' + 3*a^2 - a^3\nconstraint b: y' = 0 with b' = -b",
         2.9548102290274185, 0.09095344700212346},
    };
    (void)state;
    for (size_t k = 0; k < sizeof CASES / sizeof *CASES; k++) {
        char text[400];
        (void)snprintf(text, sizeof text,
                       "coord x, y\nkinetic (x'^2 + y'^2)/2\nconstraint %s\n"
                       "start x = 0.1, y = 0.2, x' = 0, y' = 0.1\n",
                       CASES[k].laws);
        programs it = programs_make(text, NULL, NULL);
        assert_near_by(it.summary.overshoot_time, CASES[k].time, k < 2 || k == 3 ? 1e-13 : 1e-9,
                       0.0);
        assert_near_by(it.summary.overshoot, CASES[k].value, k < 2 || k == 3 ? 1e-13 : 1e-10, 0.0);
        programs_end(&it);
    }
}

// max(mu, 1/mu) exp(-|mu^2 - 1| / (mu^2 + 1)) at |mu^2 - 1| / (mu (mu^2 + 1))
static void amplification_is_the_closed_form(void **state)
{
    static const struct {
        const char *mu;
        double number, value;
    } CASES[] = {{"mu=5", 5.0, 1.9864735659885565},
                 {"mu=10", 10.0, 3.7523678717975809},
                 {"mu=50", 50.0, 18.408687235434478},
                 {"mu=0.3", 0.3, 1.4464473101297940},
                 {"mu=1", 1.0, 1.0}};
    (void)state;
    for (size_t k = 0; k < sizeof CASES / sizeof *CASES; k++) {
        const double mu = CASES[k].number;
        const programs_conditions with = {.set = {CASES[k].mu}, .set_count = 1};
        programs it = programs_read("tests/golden/models/perturbation_overshoot.rhe", &with, NULL);
        assert_near(it.summary.amplification, CASES[k].value, 1e-13);
        assert_near(it.summary.amplification_time, fabs(mu * mu - 1.0) / (mu * (mu * mu + 1.0)),
                    1e-12);
        programs_end(&it);
    }
}

// One pair drives another that it nearly meets: the norm swings while it grows for long, and the
// highest of its many peaks is not the one at which a coarse look is best. Values from 25 digits.
static void the_highest_peak_is_found(void **state)
{
    static const struct {
        const char *first, *second;
        double value, time;
    } CASES[] = {
        {"-100*u - 0.02*u' + 10*v", "-100*v - 0.02*v'", 183.9406507047884, 99.9027986344},
        {"-100*u - 0.002*u' + 10*v", "-101*v - 0.002*v'", 188.8803048722335, 61.4220528738},
        {"-100*u - 0.002*u' + v", "-100.5*v - 0.002*v'", 37.51926270705167, 119.545446161},
    };
    (void)state;
    for (size_t k = 0; k < sizeof CASES / sizeof *CASES; k++) {
        char text[400];
        (void)snprintf(
            text, sizeof text,
            "coord x, y\nkinetic (x'^2 + y'^2)/2\nconstraint u: x = 0 with u'' = %s\n"
            "constraint v: y = 0 with v'' = %s\nstart x = 0.1, y = 0.1, x' = 0, y' = 0\n",
            CASES[k].first, CASES[k].second);
        programs it = programs_make(text, NULL, NULL);
        assert_near(it.summary.amplification, CASES[k].value, 1e-12);
        assert_near(it.summary.amplification_time, CASES[k].time, 1e-8);
        programs_end(&it);
    }
}

// What swings for ever turns at its first extremum; of what grows without end none is told.
static void swings_without_end_are_told_once(void **state)
{
    (void)state;
    programs it = programs_make(
        "coord x, y\nkinetic (x'^2 + y'^2)/2\nconstraint u: x = 0 with u'' = -100*u - 40*u' + v\n"
        "constraint v: y = 0 with v'' = -4*v\nstart x = 0, y = 0, x' = 0, y' = 1\n",
        NULL, NULL);
    assert_near(it.summary.overshoot, 0.5, 1e-12);
    assert_near(it.summary.overshoot_time, atan(1.0), 1e-10);
    programs_end(&it);
    it = programs_make(
        "coord x, y\nkinetic (x'^2 + y'^2)/2\nconstraint u: x = 0 with u'' = -4*u + u' + v\n"
        "constraint v: y = 0 with v'' = -4*v + u\nstart x = 0.1, y = 0, x' = 0, y' = 1\n",
        NULL, NULL);
    assert_int_equal(it.summary.verdict, RH_PROGRAM_UNSTABLE);
    assert_true(isnan(it.summary.overshoot));
    programs_end(&it);
    it = programs_make( // one that vanishes drives one that grows
        "coord x, y\nkinetic (x'^2 + y'^2)/2\nconstraint u: x = 0 with u'' = -4*u + 4*u' + v\n"
        "constraint v: y = 0 with v'' = -4*v - 4*v'\nstart x = 0.1, y = 0, x' = 0, y' = 1\n",
        NULL, NULL);
    assert_near(it.summary.overshoot, 0.5 * exp(-1.0), 1e-12);
    assert_near(it.summary.overshoot_time, 0.5, 1e-10);
    programs_end(&it);
    it = programs_make("coord x\nkinetic x'^2/2\nconstraint u: x = 0 with u'' = -4*u + u'\n"
                       "start x = 0.1, x' = 0\n",
                       NULL, NULL);
    assert_true(isnan(it.summary.overshoot));
    programs_end(&it);
}

// C solves P^T C + C P = -I for a0 = a1 = 4.
static void the_lyapunov_function_is_the_reference(void **state)
{
    (void)state;
    programs it = programs_make(ONE, NULL, NULL);
    assert_near(rh_program_lyapunov(it.program, 0, 0), 1.125, 1e-15);
    assert_near(rh_program_lyapunov(it.program, 0, 1), 0.125, 1e-15);
    assert_near(rh_program_lyapunov(it.program, 1, 0), 0.125, 1e-15);
    assert_near(rh_program_lyapunov(it.program, 1, 1), 0.15625, 1e-15);
    programs_end(&it);
}

// The largest eigenvalue of S for this C and other gains. The roots decide all the same.
static void a_given_matrix_is_tried(void **state)
{
    static const struct {
        const char *a0, *a1;
        double value;
    } CASES[] = {{"a0=4", "a1=4", -0.5},
                 {"a0=6", "a1=4", -0.42490236758022347855},
                 {"a0=20", "a1=4", 0.10078105935821217162},
                 {"a0=2", "a1=3", -0.073159045886306981962},
                 {"a0=1", "a1=2", 0.20448113689422486558},
                 {"a0=0.9240009760859536813", "a1=4", 0.0},
                 {"a0=17.315999023914046319", "a1=4", 0.0}};
    (void)state;
    rh_program_def def = rh_program_def_default();
    def.matrix = "[[1.125, 0.125], [0.125, 0.15625]]";
    for (size_t k = 0; k < sizeof CASES / sizeof *CASES; k++) {
        const programs_conditions with = {.set = {CASES[k].a0, CASES[k].a1}, .set_count = 2};
        programs it = programs_make(ONE, &with, &def);
        assert_near(it.summary.worst, CASES[k].value, 1e-15);
        assert_int_equal(it.summary.verdict, RH_PROGRAM_ASYMPTOTIC);
        programs_end(&it);
    }
}

// --- verdicts ------------------------------------------------------------------------------------

typedef struct verdict_case {
    const char *law;
    rh_program_verdict verdict;
    bool is_local, is_proved;
} verdict_case;

static const verdict_case VERDICTS[] = {
    {"with u'' = -2*u - 3*u'", RH_PROGRAM_ASYMPTOTIC, false, true},
    {"with u'' = 0", RH_PROGRAM_UNSTABLE, false, true},
    {"with u'' = -u'", RH_PROGRAM_STABLE, false, true},
    {"with u'' = -4*u", RH_PROGRAM_STABLE, false, true},
    {"with u'' = -sqrt(2)*u", RH_PROGRAM_STABLE, false, true},
    // a coordinate that the constraint gives is a deviation: u'' = -u', u'' = -3 u - 2 u'
    {"with u'' = -u - u' + y", RH_PROGRAM_STABLE, false, true},
    {"with u'' = -5*y + 2*u - 3*u' + y'", RH_PROGRAM_ASYMPTOTIC, false, true},
    // nearly on the axis is not on it
    {"with u'' = -u + 1e-14*u'", RH_PROGRAM_UNSTABLE, false, true},
    {"with u'' = -u - 1e-14*u'", RH_PROGRAM_ASYMPTOTIC, false, true},
    {"with u'' = -u - 1e-400*u'", RH_PROGRAM_ASYMPTOTIC, false, true},
    {"with u'' = -pi*u + (sqrt(2) - 1.41421356237309504880)*u'", RH_PROGRAM_UNSTABLE, false, true},
    {"with u'' = -pi*u + (sqrt(2) - 1.41421356237309504881)*u'", RH_PROGRAM_ASYMPTOTIC, false,
     true},
    // zero by the algebra of roots, and zero in a way that it does not see
    {"with u'' = -pi*u + (sqrt(2)*sqrt(3) - sqrt(6))*u'", RH_PROGRAM_STABLE, false, true},
    {"with u'' = -pi*u + (sqrt(2) + sqrt(3) - sqrt(5 + 2*sqrt(6)))*u'", RH_PROGRAM_INCONCLUSIVE,
     false, false},
    {"with u'' = u - u'", RH_PROGRAM_UNSTABLE, false, true},
    {"with u'' = -u + u'/10", RH_PROGRAM_UNSTABLE, false, true},
    {"with u'' = -2*u - 3*u' - u^3", RH_PROGRAM_ASYMPTOTIC, true, true},
    {"with u'' = -4*u - u'^3", RH_PROGRAM_INCONCLUSIVE, true, false},
    {"with u'' = -4*u - u'*abs(u')", RH_PROGRAM_INCONCLUSIVE, true, false},
    {"with u'' = -4*u - sign(u')", RH_PROGRAM_INCONCLUSIVE, true, false},
    {"with u'' = -sqrt(abs(u)) - u'", RH_PROGRAM_INCONCLUSIVE, true, false},
    {"with u'' = -2*abs(u) - u'", RH_PROGRAM_INCONCLUSIVE, true, false},
    {"with u'' = -u^(1/3) - u'", RH_PROGRAM_INCONCLUSIVE, true, false},
    {"with u'' = -u - u'*exp(100*u)", RH_PROGRAM_ASYMPTOTIC, true, true},
    // kinks of second order have a first approximation, others have none
    {"with u'' = -4*u - u' - u'*abs(u')", RH_PROGRAM_ASYMPTOTIC, true, true},
    {"with u'' = -4*u - u' - sign(u')*u'^2", RH_PROGRAM_ASYMPTOTIC, true, true},
    {"with u'' = -4*u - u' + max(u, 0)*min(u', 0)", RH_PROGRAM_ASYMPTOTIC, true, true},
    {"with u'' = -4*u - u' - abs(u + 1) + 1 + u", RH_PROGRAM_ASYMPTOTIC, true, true},
    {"with u'' = 4*u - u' - u'*abs(u')", RH_PROGRAM_UNSTABLE, true, true},
    {"with u'' = -sin(u) - tanh(u')", RH_PROGRAM_ASYMPTOTIC, true, true},
    {"with u'' = -u - u' - 5*min(u, 0)*min(x, 0)", RH_PROGRAM_INCONCLUSIVE, true, false},
    {"with u'' = -u - u' + abs(u)*max(0, x - 50)", RH_PROGRAM_INCONCLUSIVE, true, false},
    {"with u'' = -u - u' + abs(x - 1000) + x - 1000", RH_PROGRAM_INCONCLUSIVE, true, false},
    {"with u'' = -u - u' + 1 - tanh(50 - x)", RH_PROGRAM_INCONCLUSIVE, true, false},
    // a rest that grows along the motion; one that does not
    {"with u'' = -u - u' + u^2*exp(t)", RH_PROGRAM_INCONCLUSIVE, true, false},
    {"with u'' = -u - u' + u^2*x", RH_PROGRAM_INCONCLUSIVE, true, false},
    {"with u'' = -u - u' + u^2*sin(t)", RH_PROGRAM_ASYMPTOTIC, true, false},
    {"with u'' = -(1 + x^2)*u - 2*u'", RH_PROGRAM_INCONCLUSIVE, false, false},
    {"with u'' = -(2 + t)*u - 2*u'", RH_PROGRAM_INCONCLUSIVE, false, false},
};

static void verdicts_are_what_the_roots_allow(void **state)
{
    (void)state;
    rh_program_def def = rh_program_def_default();
    def.is_certified = true;
    for (size_t k = 0; k < sizeof VERDICTS / sizeof *VERDICTS; k++) {
        char text[400];
        (void)snprintf(text, sizeof text,
                       "coord x, y\nkinetic (x'^2 + y'^2)/2\nconstraint u: y = 0 %s\n"
                       "start x = 1, y = 0.1, x' = 0, y' = 0.2\n",
                       VERDICTS[k].law);
        programs it = programs_make(text, NULL, &def);
        if (it.summary.verdict != VERDICTS[k].verdict ||
            it.summary.is_certified != VERDICTS[k].is_proved ||
            it.summary.is_local != VERDICTS[k].is_local) {
            print_error("%s: %s (%d, %d)\n", text, rh_program_verdict_text(it.summary.verdict),
                        it.summary.is_certified, it.summary.is_local);
        }
        assert_int_equal(it.summary.verdict, VERDICTS[k].verdict);
        assert_int_equal(it.summary.is_certified, VERDICTS[k].is_proved);
        assert_int_equal(it.summary.is_local, VERDICTS[k].is_local);
        assert_true(strlen(it.summary.reason) > 20);
        programs_end(&it);
    }
}

// Roots that are many times the same: a law of order three, laws that act on each other.
static void multiple_roots_keep_their_digits(void **state)
{
    (void)state;
    programs it =
        programs_make("state p, q, r\nlaw p' = q\nlaw q' = r\nlaw r' = 0\nselect r\n"
                      "constraint u: p = 0 with u''' = -27/1000*u - 27/100*u' - 9/10*u''\n"
                      "start p = 0.1, q = 0, r = 0\n",
                      NULL, NULL);
    assert_int_equal(it.summary.size, 3);
    for (size_t k = 0; k < 3; k++) {
        programs_root(&it, k, -0.3, 0.0, 1e-15);
    }
    programs_end(&it);
    it = programs_make("coord x, y\nkinetic (x'^2 + y'^2)/2\n"
                       "constraint u: x = 0 with u'' = -u - 2*u' + v\n"
                       "constraint v: y = 0 with v'' = -0.01*v - 0.2*v'\n"
                       "start x = 0.1, y = 0.2, x' = 0, y' = 0\n",
                       NULL, NULL);
    programs_root(&it, 0, -0.1, 0.0, 1e-16);
    programs_root(&it, 1, -0.1, 0.0, 1e-16);
    programs_root(&it, 2, -1.0, 0.0, 1e-16);
    programs_root(&it, 3, -1.0, 0.0, 1e-16);
    programs_end(&it);
}

// That v acts on u makes zero a root with too few vectors.
static void vectors_are_counted_over_the_whole_part(void **state)
{
    (void)state;
    programs it = programs_make("coord x, y\nkinetic (x'^2 + y'^2)/2\n"
                                "constraint u: x' = 0 with u' = v\n"
                                "constraint v: y' = 0 with v' = 0\n"
                                "start x = 0, y = 0, x' = 1, y' = 1\n",
                                NULL, NULL);
    assert_int_equal(it.summary.verdict, RH_PROGRAM_UNSTABLE);
    programs_end(&it);
}

// Pairs on the axis that act on each other: the same pair twice grows, two that differ in the
// eighth digit do not. Laws of third order, with a pair on the axis and beside it.
static void pairs_on_the_axis_are_told_apart(void **state)
{
    static const struct {
        const char *laws;
        rh_program_verdict verdict;
    } CASES[] = {
        {"u'' = -u + v\nconstraint v: y = 0 with v'' = -v", RH_PROGRAM_UNSTABLE},
        {"u'' = -u + v\nconstraint v: y = 0 with v'' = -1.00000002*v", RH_PROGRAM_STABLE},
        {"u'' = -u\nconstraint v: y = 0 with v'' = -v", RH_PROGRAM_STABLE},
        {"u'' = -u + v\nconstraint v: y = 0 with v'' = -pi*v", RH_PROGRAM_INCONCLUSIVE},
        // (s^2 + 1)(s + 2)(s + 3) and a coefficient beside it
        {"u'' = -7*u - 5*u' + v\nconstraint v: y = 0 with v'' = -6*u - 5*u'", RH_PROGRAM_STABLE},
        {"u'' = -7*u - 5*u' + v\nconstraint v: y = 0 with v'' = -6*u - (5 + 1e-30)*u'",
         RH_PROGRAM_ASYMPTOTIC},
        {"u'' = -7*u - 5*u' + v\nconstraint v: y = 0 with v'' = -6*u - (5 - 1e-30)*u'",
         RH_PROGRAM_UNSTABLE},
    };
    (void)state;
    for (size_t k = 0; k < sizeof CASES / sizeof *CASES; k++) {
        char text[400];
        (void)snprintf(text, sizeof text,
                       "coord x, y\nkinetic (x'^2 + y'^2)/2\nconstraint u: x = 0 with %s\n"
                       "start x = 1, y = 0.1, x' = 0, y' = 0.2\n",
                       CASES[k].laws);
        programs it = programs_make(text, NULL, NULL);
        if (it.summary.verdict != CASES[k].verdict) {
            print_error("%s: %s\n", text, it.summary.reason);
        }
        assert_int_equal(it.summary.verdict, CASES[k].verdict);
        programs_end(&it);
    }
}

// Left sides of constraints that a law writes out are deviations, curved or not.
static void left_sides_are_deviations(void **state)
{
    static const struct {
        const char *law;
        double real, imaginary;
    } CASES[] = {
        {"-4*rod - 4*rod' - (x^2 + y^2 - 1)", -2.0, 1.0},
        {"-4*(x^2 + y^2 - 1) - 4*(x*x' + y*y')", -1.0, 1.7320508075688772935},
        {"-4*rod - 2*rod' + 3*(x^2 + y^2) - 3", -1.0, 0.0},
    };
    (void)state;
    for (size_t k = 0; k < sizeof CASES / sizeof *CASES; k++) {
        char text[400];
        double out[2];
        (void)snprintf(text, sizeof text,
                       "coord x, y\nkinetic (x'^2 + y'^2)/2\n"
                       "constraint rod: x^2 + y^2 = 1 with rod'' = %s\n"
                       "start x = 1.05, y = 0.1, x' = 0, y' = 0.2\n",
                       CASES[k].law);
        programs it = programs_make(text, NULL, NULL);
        assert_int_equal(it.summary.verdict, RH_PROGRAM_ASYMPTOTIC);
        assert_false(it.summary.is_local);
        programs_root(&it, 0, CASES[k].real, CASES[k].imaginary, 1e-15);
        assert_int_equal(rh_program_predict(it.program, 1.0, out, &it.err), RH_OK);
        programs_end(&it);
    }
}

// Numbers with many digits in a block of sixteen: exact algebra passes its limits on the way, or
// not, and nothing else suffers.
static void many_digits_do_no_harm(void **state)
{
    enum { LAWS = 8, ROOM = 8000 };
    static char text[ROOM];
    support_random random = support_random_begin("digits");
    size_t at = (size_t)snprintf(text, ROOM, "coord x[1..%d]\nkinetic sum(i in 1..%d: x[i]'^2/2)\n",
                                 LAWS, LAWS);
    for (int i = 1; i <= LAWS; i++) {
        at += (size_t)snprintf(text + at, ROOM - at, "constraint c%d: x[%d] = 0 with c%d'' = -c%d",
                               i, i, i, i);
        for (int j = 1; j <= LAWS; j++) {
            at += (size_t)snprintf(
                text + at, ROOM - at, " - %.15f*c%d - %.15f*c%d'",
                support_random_real(&random, i == j ? 20.0 : 0.1, i == j ? 30.0 : 0.4), j,
                support_random_real(&random, i == j ? 8.0 : 0.1, i == j ? 9.0 : 0.2), j);
        }
        at += (size_t)snprintf(text + at, ROOM - at, "\n");
    }
    (void)state;
    programs it = programs_make(text, NULL, NULL);
    assert_int_equal(it.summary.verdict, RH_PROGRAM_ASYMPTOTIC);
    programs_end(&it);
}

// --- steps ---------------------------------------------------------------------------------------

static void real_roots_have_the_limits_of_the_books(void **state)
{
    static const double LIMITS[] = {2.0, 2.0, 2.5127453266183286, 2.7852935634052816,
                                    3.3065678926349465};
    (void)state;
    programs it = programs_read("tests/golden/models/perturbation_overshoot.rhe", NULL, NULL);
    for (size_t k = 0; k < RH_PROGRAM_METHOD_COUNT; k++) {
        assert_near(it.summary.step_limits[k], LIMITS[k] / 5.0, 1e-15);
    }
    programs_end(&it);
}

// Euler: h < 2 |Re| / |lambda|^2. On the axis Euler and Heun fail at once, Kutta's methods do not:
// h |lambda| < sqrt 3 and sqrt 8.
static void complex_roots_have_limits_of_their_own(void **state)
{
    (void)state;
    const programs_conditions with = {.set = {"a0=20", "a1=4"}, .set_count = 2};
    programs it = programs_make(ONE, &with, NULL);
    programs_root(&it, 0, -2.0, 4.0, 1e-15);
    assert_near(it.summary.step_limits[RH_PROGRAM_EULER], 0.2, 1e-15);
    programs_end(&it);
    const programs_conditions axis = {.set = {"a0=4", "a1=0"}, .set_count = 2};
    it = programs_make(ONE, &axis, NULL);
    assert_near(it.summary.step_limits[RH_PROGRAM_EULER], 0.0, 0.0);
    assert_near(it.summary.step_limits[RH_PROGRAM_RK2], 0.0, 0.0);
    assert_near(it.summary.step_limits[RH_PROGRAM_RK3], sqrt(3.0) / 2.0, 1e-14);
    assert_near(it.summary.step_limits[RH_PROGRAM_RK4], sqrt(8.0) / 2.0, 1e-14);
    programs_end(&it);
}

// A loop of too many laws, and a start where a law has no value.
static void limits_and_poles_are_said(void **state)
{
    (void)state;
    programs it;
    assert_int_equal(
        programs_try("coord x[0..201]\nkinetic sum(i in 0..201: x[i]'^2/2)\n"
                     "for i in 1..201: constraint g[i]: x[i] = 0 with g[i]'' = -g[i]\n",
                     NULL, NULL, &it),
        RH_E_LIMIT);
    assert_non_null(strstr(it.err.message, "more than 400 deviations"));
    programs_end(&it);
    it = programs_make("coord x, y\nkinetic (x'^2 + y'^2)/2\n"
                       "constraint u: y = 0 with u'' = -u/x - u'\nstart x = 0, y = 0.1\n",
                       NULL, NULL);
    assert_int_equal(it.summary.verdict, RH_PROGRAM_INCONCLUSIVE);
    assert_non_null(strstr(it.summary.reason, "not finite"));
    programs_end(&it);
}

static void models_without_laws_are_refused(void **state)
{
    (void)state;
    programs it;
    assert_int_equal(programs_try("coord x\nkinetic x'^2/2\n", NULL, NULL, &it), RH_E_UNAVAILABLE);
    assert_non_null(strstr(it.err.message, "no constraint of the model has a perturbation law"));
    programs_end(&it);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(double_roots_overshoot_as_the_reference),
        cmocka_unit_test(a_double_root_overshoots_in_any_unit_of_time),
        cmocka_unit_test(from_rest_there_is_no_overshoot),
        cmocka_unit_test(overshoot_is_found_for_all_laws),
        cmocka_unit_test(amplification_is_the_closed_form),
        cmocka_unit_test(the_highest_peak_is_found),
        cmocka_unit_test(swings_without_end_are_told_once),
        cmocka_unit_test(the_lyapunov_function_is_the_reference),
        cmocka_unit_test(a_given_matrix_is_tried),
        cmocka_unit_test(verdicts_are_what_the_roots_allow),
        cmocka_unit_test(multiple_roots_keep_their_digits),
        cmocka_unit_test(vectors_are_counted_over_the_whole_part),
        cmocka_unit_test(pairs_on_the_axis_are_told_apart),
        cmocka_unit_test(left_sides_are_deviations),
        cmocka_unit_test(many_digits_do_no_harm),
        cmocka_unit_test(real_roots_have_the_limits_of_the_books),
        cmocka_unit_test(complex_roots_have_limits_of_their_own),
        cmocka_unit_test(limits_and_poles_are_said),
        cmocka_unit_test(models_without_laws_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
