// SPDX-License-Identifier: Apache-2.0
// What is a steady motion and what is nearly one: flat places, folds that are just missed, starts
// at which everything rests.

#include "resting.h"

static const resting_call NOTHING = {.fix_count = 0};

static rh_steady_verdict verdict_of(const char *text)
{
    resting it = resting_begin(text, &NOTHING);
    assert_true(rh_steady_summarise(it.steady).solution_count > 0);
    const rh_steady_motion motion = rh_steady_solution(it.steady, 0);
    const rh_steady_verdict verdict = motion.verdict;
    assert_int_equal(motion.is_certain, verdict != RH_STEADY_DEGENERATE);
    resting_end(&it);
    return verdict;
}

// Motions leave x = 0, slowly at first: no manifold of steady motions is there. A root of 1e-14 is
// slow and no rounding.
static void flat_places_are_no_manifolds(void **state)
{
    (void)state;
    static const char *const LAWS[] = {"x^3",
                                       "x^7",
                                       "x^9",
                                       "x^15",
                                       "1e-14*x",
                                       "x - sin(x) - x^3/6",
                                       "exp(-1/(x^2 + 1e-3))*x - exp(-1000)*x"};
    char text[200];
    for (size_t k = 0; k < sizeof LAWS / sizeof *LAWS; k++) {
        (void)snprintf(text, sizeof text, "state x, y\nlaw x' = %s\nlaw y' = -y\n", LAWS[k]);
        const rh_steady_verdict verdict =
            strcmp(LAWS[k], "1e-14*x") == 0 ? RH_STEADY_UNSTABLE : RH_STEADY_DEGENERATE;
        assert_int_equal(verdict_of(text), verdict);
        (void)snprintf(text, sizeof text,
                       "coord x\nkinetic x'^2/2\nforce x: %s\ndissipation x'^2/2\n", LAWS[k]);
        assert_int_equal(verdict_of(text), verdict);
    }
}

static void manifolds_are_manifolds(void **state)
{
    (void)state;
    // a circle of points of rest, a line, and one that ends where the square root does
    static const char *const TEXTS[] = {
        "state x, y, z\nlaw x' = -x*(x^2 + y^2 - 1)\nlaw y' = -y*(x^2 + y^2 - 1)\n"
        "law z' = -z\nstart x = 0.6, y = 0.8\n",
        "param a = 0.1, b = 0.2, c = 0.3\nstate x, y\nlaw x' = (a + b - c)*y\n"
        "law y' = -y + c*(sin(x)^2 + cos(x)^2 - 1)\n",
        "state x, y\nlaw x' = y\nlaw y' = -y*(1 + sqrt(x))\nstart x = 0.01\n"};
    for (size_t k = 0; k < sizeof TEXTS / sizeof *TEXTS; k++) {
        assert_int_equal(verdict_of(TEXTS[k]), RH_STEADY_ASYMPTOTICALLY_STABLE);
    }
}

// x' = r - x^2 has the zeros +-sqrt(r), and none for r < 0.
static void beside_a_fold(void **state)
{
    (void)state;
    static const double LEVELS[] = {-1e-9, -1e-12, -1e-16, -1e-20, 1e-12, 1e-18};
    for (size_t k = 0; k < sizeof LEVELS / sizeof *LEVELS; k++) {
        char text[100];
        (void)snprintf(text, sizeof text, "state x\nlaw x' = %.17g - x^2\nstart x = 1\n",
                       LEVELS[k]);
        resting it = resting_begin(text, &NOTHING);
        const uint32_t count = rh_steady_summarise(it.steady).solution_count;
        if (LEVELS[k] < 0.0) {
            assert_int_equal(count, 0);
        } else {
            assert_true(count > 0);
        }
        for (uint32_t j = 0; j < count; j++) {
            assert_near(fabs(rh_steady_solution(it.steady, j).values[0]), sqrt(LEVELS[k]), 1e-14);
        }
        resting_end(&it);
    }
}

static void a_double_zero_is_not_decided(void **state)
{
    (void)state;
    static const char *const TEXTS[] = {"state x\nlaw x' = -x^2\nstart x = 1\n",
                                        "state x\nlaw x' = -(x - 1)^2\nstart x = 2\n",
                                        "state x\nlaw x' = -(x - 0.3)^7\nstart x = 1\n"};
    static const double ZEROS[] = {0.0, 1.0, 0.3};
    for (size_t k = 0; k < sizeof TEXTS / sizeof *TEXTS; k++) {
        resting it = resting_begin(TEXTS[k], &NOTHING);
        assert_int_equal(rh_steady_summarise(it.steady).solution_count, 1);
        const rh_steady_motion motion = rh_steady_solution(it.steady, 0);
        assert_true(motion.verdict == RH_STEADY_DEGENERATE ||
                    motion.verdict == RH_STEADY_UNDECIDED);
        assert_near(motion.values[0], ZEROS[k], 1e-12);
        resting_end(&it);
    }
}

// Three families meet where a parameter has just its critical value; seen from afar.
static void where_families_meet(void **state)
{
    (void)state;
    static const char *const TEXTS[] = {
        ("param s = 10, r = 1, b = 8/3\nstate x, y, z\nlaw x' = s*(y - x)\n"
         "law y' = x*(r - z) - y\nlaw z' = x*y - b*z\nstart x = 1, y = 1, z = 1\n"),
        "state x, y\nlaw x' = y - x\nlaw y' = x - y - y^3\nstart x = 2\n",
        "state x, y\nlaw x' = y - x\nlaw y' = x - y - y^5\nstart x = 2\n"};
    for (size_t k = 0; k < sizeof TEXTS / sizeof *TEXTS; k++) {
        resting it = resting_begin(TEXTS[k], &NOTHING);
        assert_int_equal(rh_steady_summarise(it.steady).solution_count, 1);
        const rh_steady_motion motion = rh_steady_solution(it.steady, 0);
        assert_int_equal(motion.verdict, RH_STEADY_DEGENERATE);
        for (size_t j = 0; j < rh_steady_variable_count(it.steady); j++) {
            assert_true(motion.values[j] == 0.0);
        }
        resting_end(&it);
    }
}

// Points of rest on one side of a condition are no manifold: beyond it the motion goes away.
static void a_family_of_one_side_is_none(void **state)
{
    (void)state;
    static const char *const TEXTS[] = {
        "coord x\nkinetic x'^2/2\nforce x: max(x, 0)^1.5 - x'\nstart x = 0\n",
        "coord x, y\nkinetic (x'^2 + y'^2)/2\nforce x: max(x, 0)^2 - x'\nforce y: -y - y'\n",
        "state x\nlaw x' = max(x, 0)^2\nstart x = 0\n"};
    for (size_t k = 0; k < sizeof TEXTS / sizeof *TEXTS; k++) {
        resting it = resting_begin(TEXTS[k], &NOTHING);
        assert_true(rh_steady_summarise(it.steady).solution_count > 0);
        assert_int_equal(rh_steady_solution(it.steady, 0).verdict, RH_STEADY_DEGENERATE);
        resting_end(&it);
    }
}

// Whatever the sizes of its coefficients.
static void a_start_at_rest_is_found(void **state)
{
    (void)state;
    static const char *const TEXTS[] = {
        "param e = 1e-4\nstate a, b, c, d\nlaw a' = b\nlaw b' = c\nlaw c' = d\n"
        "law d' = -4*e*d - 6*e^2*c - 4*e^3*b - e^4*a\n",
        "param e = 1e-3\nstate a, b, c\nlaw a' = b\nlaw b' = c\n"
        "law c' = -3*e*c - 3*e^2*b - e^3*a\n",
        "state x\nlaw x' = -x + 1e308*x^3\n", "state x\nlaw x' = -1e-200*x\n"};
    for (size_t k = 0; k < sizeof TEXTS / sizeof *TEXTS; k++) {
        resting it = resting_begin(TEXTS[k], &NOTHING);
        assert_true(rh_steady_summarise(it.steady).solution_count > 0);
        const rh_steady_motion motion = rh_steady_solution(it.steady, 0);
        assert_true(motion.is_rest);
        assert_true(motion.verdict != RH_STEADY_UNSTABLE);
        for (size_t j = 0; j < rh_steady_variable_count(it.steady); j++) {
            assert_true(motion.values[j] == 0.0);
        }
        resting_end(&it);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(flat_places_are_no_manifolds),
        cmocka_unit_test(manifolds_are_manifolds),
        cmocka_unit_test(beside_a_fold),
        cmocka_unit_test(a_double_zero_is_not_decided),
        cmocka_unit_test(where_families_meet),
        cmocka_unit_test(a_family_of_one_side_is_none),
        cmocka_unit_test(a_start_at_rest_is_found),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
