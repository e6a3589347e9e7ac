// SPDX-License-Identifier: Apache-2.0
// Where there is no linear part, and no verdict: constraints that cannot hold, singular states,
// one-sided constraints that are left or pull. And slow roots that are none of rounding's.

#include "resting.h"

static const resting_call NOTHING = {.fix_count = 0};

static rh_status linearise(const char *text, rh_linear **out, resting *it)
{
    resting_derive(text, &NOTHING, it);
    const rh_linear_def def = rh_linear_def_default();
    return rh_linear_create(it->equations, &def, out, &it->err);
}

static void refuse(const char *text, rh_status status, const char *says)
{
    resting it;
    rh_linear *linear = NULL;
    assert_int_equal(linearise(text, &linear, &it), status);
    if (strstr(it.err.message, says) == NULL) {
        fail_msg("%s", it.err.message);
    }
    assert_null(linear);
    resting_end(&it);
}

#define BODY                                                                                       \
    "kinetic (x'^2 + y'^2)/2\ndissipation (x'^2 + y'^2)/2\n"                                       \
    "start x = 0.3\n"

// No state satisfies the constraint, whether a search would ask for it or not.
static void impossible_constraints(void **state)
{
    (void)state;
    static const char BESIDE[] = "coord x, y, z\n" BODY "kinetic z'^2/2\npotential z^2\n"
                                 "dissipation z'^2/2\nconstraint a: x^2 + y^2 + 1 = 0\n";
    static const char TWO[] = "coord x, y, z\n" BODY "kinetic z'^2/2\npotential z^2\n"
                              "constraint a: x^2 + y^2 = 1\nconstraint b: x + y = 3\n";
    static const char WITHIN[] = "coord x, y\n" BODY "potential x + x^2 + y^2\n"
                                 "constraint a: x^2 + y^2 + 1 = 0\n";
    static const char RATES[] = "state u, v\nlaw u' = -u\nlaw v' = -v\nselect u, v\n"
                                "constraint a: u^2 + v^2 + 1 = 0\nstart u = 0.4, v = 0.3\n";
    static const char *const ALL[] = {BESIDE, TWO, WITHIN, RATES};
    for (size_t k = 0; k < sizeof ALL / sizeof *ALL; k++) {
        resting it;
        const rh_status status = resting_try(ALL[k], &NOTHING, &it);
        if (k < 2) {
            assert_int_equal(status, RH_E_MODEL);
            assert_non_null(strstr(it.err.message, "no state near the start satisfies"));
        } else {
            assert_int_equal(status, RH_OK);
            assert_int_equal(rh_steady_summarise(it.steady).solution_count, 0);
            assert_non_null(strstr(rh_steady_summarise(it.steady).reason,
                                   "no state near the start satisfies the constraint a"));
        }
        resting_end(&it);
        refuse(ALL[k], RH_E_MODEL,
               k == 1 ? "no state near the start satisfies" : "the start contradicts a");
    }
    // one that could be met, and is not
    refuse("coord x, y\n" BODY "potential y\nconstraint a: x^2 + y^2 = 1\nstart y = 2\n",
           RH_E_MODEL, "nothing is linearised where the constraints do not hold");
}

// A constraint that says what another one says takes nothing away.
static void constraints_that_say_the_same(void **state)
{
    (void)state;
    resting it = resting_begin("coord x, y\n" BODY "potential x^2 + y^2\nconstraint a: x + y = 1\n"
                               "constraint b: 2*x + 2*y = 2\n",
                               &NOTHING);
    const rh_steady_motion motion = resting_near(&it, "x", 0.5);
    assert_near(resting_value(&it, &motion, "x"), 0.5, 1e-14);
    assert_near(resting_value(&it, &motion, "y"), 0.5, 1e-14);
    assert_int_equal(motion.verdict, RH_STEADY_ASYMPTOTICALLY_STABLE);
    resting_end(&it);
}

typedef struct singular {
    const char *text;
    const char *place;
} singular;

// Slopes next to a singular state are those of no place: no verdict rests on them.
static void singular_states(void **state)
{
    (void)state;
    static const singular ALL[] = {
        {"coord r, p\nkinetic (r'^2 + r^2*p'^2)/2\npotential r^2\n"
         "dissipation (r'^2 + r^2*p'^2)/2\nstart r = 0.4\n",
         "r = 0"},
        {"coord s, p\nkinetic (s'^2 + (s - 1)^2*p'^2)/2\npotential (s - 1)^2\n"
         "dissipation (s'^2 + (s - 1)^2*p'^2)/2\nstart s = 1.4\n",
         "s = 1"},
        {"coord x\nkinetic x^2*x'^2/2\npotential x^4/4\ndissipation x^2*x'^2/2\nstart x = 0.4\n",
         "x = 0"},
        {"coord x, y\n" BODY "potential x^2 + y^2\nconstraint a: x*y = 0\n", "x = 0, y = 0"},
        {"coord x, y, z\nkinetic (x'^2 + y'^2 + z'^2)/2\ndissipation (x'^2 + y'^2 + z'^2)/2\n"
         "potential 9.81*y + z^2\nconstraint a: x^2 + y^2 = 1\n"
         "constraint b: (x - z)^2 + y^2 = 1\nstart x = 0, y = -1, z = 0\n",
         "x = 0, y = -1, z = 0"},
    };
    for (size_t k = 0; k < sizeof ALL / sizeof *ALL; k++) {
        resting it = resting_begin(ALL[k].text, &NOTHING);
        const rh_steady_summary summary = rh_steady_summarise(it.steady);
        assert_int_equal(summary.solution_count, 0);
        assert_string_equal(summary.singular, ALL[k].place);
        assert_non_null(strstr(summary.reason, "singular"));
        resting_end(&it);
    }
    // the dead point of a crank with a rod of its length, known to the last digit of pi/2
    refuse("coord a, b, s\nkinetic (a'^2 + b'^2 + s'^2)/2\npotential s^2 + sin(a)\n"
           "constraint c: s = cos(a) + cos(b)\nconstraint d: sin(a) + sin(b) = 0\n"
           "start a = -1.5707963267948966, b = 1.5707963267948966, s = 0\n",
           RH_E_UNAVAILABLE, "singular within rounding");
}

// A parallel four-bar linkage is singular where it is flat, and nowhere else.
static void beside_singular_states(void **state)
{
    (void)state;
    resting it = resting_begin(
        "coord a, b, c\nkinetic (a'^2 + b'^2 + c'^2)/2\npotential 9.81*(sin(a) + sin(c))\n"
        "dissipation (a'^2 + b'^2 + c'^2)/2\nconstraint h: cos(a) + 2*cos(b) = 2 + cos(c)\n"
        "constraint v: sin(a) + 2*sin(b) = sin(c)\nstart a = -1.4, b = 0, c = -1.4\n",
        &NOTHING);
    assert_true(rh_steady_summarise(it.steady).solution_count >= 4);
    assert_string_equal(rh_steady_summarise(it.steady).singular, "");
    resting_end(&it);
}

#define BALL "coord x, z\nkinetic (x'^2 + z'^2)/2\nconstraint floor: z >= 0 impact 0\n"

// Matrices are those of one side of a contact, and say of which.
static void one_sided_constraints(void **state)
{
    (void)state;
    resting it;
    rh_linear *linear = NULL;
    assert_int_equal(linearise(BALL "potential 9.81*z + x^2\nstart x = 0.1, z = 0\n", &linear, &it),
                     RH_OK);
    assert_string_equal(rh_linear_look(linear).acting, "floor");
    assert_null(rh_linear_look(linear).switching);
    rh_linear_destroy(linear);
    resting_end(&it);
    assert_int_equal(linearise(BALL "potential 9.81*z + x^2\nstart x = 0.1, z = 1\n", &linear, &it),
                     RH_OK);
    assert_string_equal(rh_linear_look(linear).acting, "");
    rh_linear_destroy(linear);
    resting_end(&it);
    assert_int_equal(linearise(BALL "potential z^2 + x^2\nstart x = 0.1, z = 0\n", &linear, &it),
                     RH_OK);
    assert_string_equal(rh_linear_look(linear).switching, "the push of floor");
    rh_linear_destroy(linear);
    resting_end(&it);
    refuse(BALL "potential -9.81*z + x^2\nstart x = 0.1, z = 0\n", RH_E_UNAVAILABLE,
           "would have to pull");
    refuse(BALL "potential 9.81*z + x^2\nstart x = 0.1, z = 0, z' = 1\n", RH_E_UNAVAILABLE,
           "is being left");
    refuse(BALL "potential 9.81*z + x^2\nstart x = 0.1, z = -1\n", RH_E_MODEL, "violates floor");
}

// What rests for a moment is no steady motion.
static void time_does_not_stand_still(void **state)
{
    (void)state;
    resting it;
    rh_linear *linear = NULL;
    assert_int_equal(linearise("coord x\nkinetic x'^2/2\nforce x: sin(t) - x\n", &linear, &it),
                     RH_OK);
    assert_false(rh_linear_look(linear).is_steady);
    rh_linear_destroy(linear);
    resting_end(&it);
}

static void expect(const char *format, double value, rh_steady_verdict verdict, double root)
{
    char text[300];
    (void)snprintf(text, sizeof text, format, value);
    resting it = resting_begin(text, &NOTHING);
    assert_true(rh_steady_summarise(it.steady).solution_count > 0);
    const rh_steady_motion motion = rh_steady_solution(it.steady, 0);
    if (motion.verdict != verdict) {
        fail_msg("%s%s: %s", text, rh_steady_verdict_text(motion.verdict), motion.reason);
    }
    assert_near(motion.roots[0].real, root, 0.02 * fabs(root));
    resting_end(&it);
}

// A root is judged by what rounding does to it, not by others that are faster.
static void slow_roots(void **state)
{
    (void)state;
    static const char BESIDE[] =
        "param a = %.17g\nstate x, y\nlaw x' = a*x\nlaw y' = -1000*y + x\n";
    static const char HIDDEN[] = "param e = %.17g\nstate x, y\nlaw x' = -500*x + 500*y\n"
                                 "law y' = 500*x - (500 - e)*y\n";
    static const char SPRING[] = "param e = %.17g\ncoord x, y\nkinetic (x'^2 + y'^2)/2\n"
                                 "potential 1e6*x^2/2 - e*y^2/2\ndissipation x'^2 + y'^2/2\n";
    static const char DAMPED[] = "param d = %.17g\ncoord x\nkinetic x'^2/2\npotential x^2/2\n"
                                 "dissipation d*x'^2/2\n";
    static const double SIZES[] = {1e-3, 1e-7, 1e-9, 1e-11};
    for (size_t k = 0; k < sizeof SIZES / sizeof *SIZES; k++) {
        const double s = SIZES[k];
        expect(BESIDE, s, RH_STEADY_UNSTABLE, s);
        expect(BESIDE, -s, RH_STEADY_ASYMPTOTICALLY_STABLE, -s);
        expect(HIDDEN, s, RH_STEADY_UNSTABLE, 0.5 * s);
        expect(HIDDEN, -s, RH_STEADY_ASYMPTOTICALLY_STABLE, -0.5 * s);
        expect(SPRING, s, RH_STEADY_UNSTABLE, s);
        expect(SPRING, -s, RH_STEADY_ASYMPTOTICALLY_STABLE, -s);
        expect(DAMPED, s, RH_STEADY_ASYMPTOTICALLY_STABLE, -0.5 * s);
        expect(DAMPED, -s, RH_STEADY_UNSTABLE, 0.5 * s);
    }
    expect(DAMPED, 0.0, RH_STEADY_UNDECIDED, 0.0);
    expect(HIDDEN, 0.0, RH_STEADY_ASYMPTOTICALLY_STABLE, 0.0);
}

// Units of lengths and of the time do not decide.
static void slow_roots_in_other_units(void **state)
{
    (void)state;
    static const double UNITS[] = {1e-9, 1.0, 1e9};
    for (size_t k = 0; k < 9; k++) {
        for (size_t side = 0; side < 2; side++) {
            char text[400];
            const double sign = side == 0 ? 1.0 : -1.0;
            (void)snprintf(text, sizeof text,
                           "param L = %g, T = %g, d = %g\ncoord x, q\n"
                           "kinetic (x'^2 + q'^2/L^2)/2\n"
                           "potential (x^2/2 + q^2/L^2 + 0.3*x*q/L)/T^2\n"
                           "dissipation d/T*(x'^2 + 0.5*q'^2/L^2)/2\n",
                           UNITS[k % 3], UNITS[k / 3], 1e-9 * sign);
            resting it = resting_begin(text, &NOTHING);
            const rh_steady_motion motion = rh_steady_solution(it.steady, 0);
            assert_int_equal(motion.verdict,
                             side == 0 ? RH_STEADY_ASYMPTOTICALLY_STABLE : RH_STEADY_UNSTABLE);
            resting_end(&it);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(impossible_constraints),
        cmocka_unit_test(constraints_that_say_the_same),
        cmocka_unit_test(singular_states),
        cmocka_unit_test(beside_singular_states),
        cmocka_unit_test(one_sided_constraints),
        cmocka_unit_test(time_does_not_stand_still),
        cmocka_unit_test(slow_roots),
        cmocka_unit_test(slow_roots_in_other_units),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
