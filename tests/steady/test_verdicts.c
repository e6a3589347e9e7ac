// SPDX-License-Identifier: Apache-2.0
// Verdicts: sleigh, rattleback (reference cases SLEIGH-1, RATTLE-G), the rules for critical cases,
// equilibria of all kinds of models.

#include "resting.h"

static const char SLEIGH[] = "param m = 2, J = 0.3, l = 0.25\n"
                             "coord x, y, th\n"
                             "let xc = x + l*cos(th)\n"
                             "let yc = y + l*sin(th)\n"
                             "kinetic m/2*(xc'^2 + yc'^2) + J/2*th'^2\n"
                             "constraint blade: -sin(th)*x' + cos(th)*y' = 0\n";

static const char WITH_QUASI[] = "quasi w1 = cos(th)*x' + sin(th)*y'\nquasi w2 = th'\n";

static char *join(const char *a, const char *b)
{
    char *text = malloc(strlen(a) + strlen(b) + 1);
    assert_non_null(text);
    strcpy(text, a);
    strcat(text, b);
    return text;
}

// --- the sleigh ----------------------------------------------------------------------------------

static void forwards_and_backwards(void **state)
{
    (void)state;
    char *text = join(SLEIGH, WITH_QUASI);
    for (int side = -1; side <= 1; side += 2) {
        const resting_call call = {.fix = {{"w1", 2.0 * side}}, .fix_count = 1};
        resting it = resting_begin(text, &call);
        const rh_steady_motion motion = rh_steady_solution(it.steady, 0);
        assert_int_equal(rh_steady_positional_count(it.steady), 0);
        assert_int_equal(rh_steady_cyclic_count(it.steady), 3);
        assert_int_equal(motion.size, 2);
        assert_int_equal(motion.dimension, 1);
        assert_near(motion.roots[0].real, 0.0, 0.0);
        assert_near(motion.roots[1].real, -2.3529411764705882353 * side, 1e-14);
        assert_int_equal(motion.verdict,
                         side > 0 ? RH_STEADY_ASYMPTOTICALLY_STABLE : RH_STEADY_UNSTABLE);
        resting_end(&it);
    }
    free(text);
}

// Without quasi-velocities in the model they are found: along and across the blade.
static void quasi_velocities_are_found(void **state)
{
    (void)state;
    char *text = join(SLEIGH, "start x' = 2, th' = 0.1\n");
    const resting_call call = {.fix_count = 0};
    resting it = resting_begin(text, &call);
    assert_int_equal(rh_steady_positional_count(it.steady), 0);
    assert_false(rh_steady_summarise(it.steady).is_frame_given);
    const rh_steady_motion motion = rh_steady_solution(it.steady, 0);
    assert_int_equal(motion.dimension, 1);
    assert_int_equal(motion.loose, 1); // nothing says how fast
    assert_int_equal(motion.verdict, RH_STEADY_ASYMPTOTICALLY_STABLE);
    resting_end(&it);
    free(text);
}

// Plain velocities as quasi-velocities: the direction becomes positional, the root stays.
static void other_quasi_velocities_have_the_same_root(void **state)
{
    (void)state;
    char *text = join(SLEIGH, "quasi u = x'\nquasi w = th'\nstart th = 0.3\n");
    const resting_call call = {.fix = {{"u", 2.0 * cos(0.3)}, {"th", 0.3}}, .fix_count = 2};
    resting it = resting_begin(text, &call);
    const rh_steady_motion motion = rh_steady_solution(it.steady, 0);
    assert_int_equal(rh_steady_positional_count(it.steady), 1);
    assert_string_equal(rh_steady_positional(it.steady, 0), "th");
    assert_int_equal(motion.dimension, 2);
    assert_near(motion.roots[2].real, -2.3529411764705882353, 1e-13);
    assert_int_equal(motion.verdict, RH_STEADY_ASYMPTOTICALLY_STABLE);
    resting_end(&it);
    free(text);
}

// --- the rattleback ------------------------------------------------------------------------------

typedef struct spin {
    const char *h;
    double omega;
    double roots[4]; // real and imaginary parts of both pairs, rightmost first
    rh_steady_verdict verdict;
} spin;

static const spin SPINS[] = {
    {"h=0",
     5.0,
     {0.234404046948932736, 20.7609058889103096, -5.92698865866494634, 101.279303870339002},
     RH_STEADY_UNSTABLE},
    {"h=0",
     -5.0,
     {5.92698865866494634, 101.279303870339002, -0.234404046948932736, 20.7609058889103096},
     RH_STEADY_UNSTABLE},
    {"h=0.002",
     5.0,
     {-1.42583832780263091, 20.7544038856601103, -6.43341295058004935, 101.04758143367416},
     RH_STEADY_ASYMPTOTICALLY_STABLE},
    {"h=0.002",
     -5.0,
     {5.40722894594036476, 101.506304847226031, -1.88131100089101783, 20.6362829970752206},
     RH_STEADY_UNSTABLE},
};

static void the_rattleback_prefers_a_direction(void **state)
{
    (void)state;
    for (size_t k = 0; k < sizeof SPINS / sizeof *SPINS; k++) {
        const spin *it = &SPINS[k];
        const resting_call call = {.fix = {{"w3", it->omega}},
                                   .fix_count = 1,
                                   .guess = {{"al", 0.0}, {"be", 0.0}, {"w1", 0.0}, {"w2", 0.0}},
                                   .guess_count = 4,
                                   .set = {it->h},
                                   .set_count = 1};
        resting found = resting_example("examples/rattleback/model.rhe", &call);
        const rh_steady_motion motion = rh_steady_solution(found.steady, 0);
        assert_int_equal(motion.size, 5);
        assert_int_equal(motion.dimension, 1);
        assert_int_equal(motion.verdict, it->verdict);
        for (uint32_t j = 0; j < 2; j++) {
            assert_near(motion.roots[1 + 2 * j].real, it->roots[2 * j], 1e-11);
            assert_near(fabs(motion.roots[1 + 2 * j].imaginary), it->roots[2 * j + 1], 1e-12);
        }
        resting_end(&found);
    }
}

static void the_matrix_of_the_rattleback(void **state)
{
    (void)state;
    static const double ROWS[4][5] = {
        {0.0, 5.0, 1.0, 0.0, 0.0},
        {-5.0, 0.0, 0.0, 1.0, 0.0},
        {1218.86507827825988, -1204.73088940233401, -3.32750485949103006, -330.380072334669488,
         0.0},
        {47.6725703173347998, -10260.6865832965974, 4.88352768057870049, -12.3909976972743305, 0.0},
    };
    const resting_call call = {.fix = {{"w3", 5.0}},
                               .fix_count = 1,
                               .guess = {{"al", 0.0}, {"be", 0.0}},
                               .guess_count = 2,
                               .set = {"h=0.002"},
                               .set_count = 1};
    resting it = resting_example("examples/rattleback/model.rhe", &call);
    const rh_steady_motion motion = rh_steady_solution(it.steady, 0);
    for (uint32_t i = 0; i < 4; i++) {
        for (uint32_t j = 0; j < 5; j++) {
            assert_near(resting_entry(&motion, i, j), ROWS[i][j], 1e-12);
        }
    }
    resting_end(&it);
}

// --- critical cases ------------------------------------------------------------------------------

static void the_rules_of_critical_cases(void **state)
{
    (void)state;
    const struct {
        const char *path;
        rh_steady_verdict verdict;
        uint32_t dimension, zeros, size;
        const char *word;
    } rows[] = {
        {"examples/verdict_rules/model.rhe", RH_STEADY_DEGENERATE, 0, 2, 2, "singular point"},
        {"examples/verdict_rules/nilpotent_zero.rhe", RH_STEADY_NILPOTENT, 1, 2, 2,
         "not semisimple"},
        {"examples/verdict_rules/sleigh_at_rest.rhe", RH_STEADY_DEGENERATE, 1, 2, 2,
         "singular point"},
        {"examples/verdict_rules/disc_undamped.rhe", RH_STEADY_UNDECIDED, 2, 2, 4,
         "linearisation cannot decide"},
    };
    const resting_call call = {.fix_count = 0};
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
        resting it = resting_example(rows[k].path, &call);
        const rh_steady_motion motion = rh_steady_solution(it.steady, 0);
        assert_int_equal(motion.verdict, rows[k].verdict);
        assert_int_equal(motion.dimension, rows[k].dimension);
        assert_int_equal(motion.zero_count, rows[k].zeros);
        assert_int_equal(motion.size, rows[k].size);
        assert_non_null(strstr(motion.reason, rows[k].word));
        resting_end(&it);
    }
}

// Where every state is steady the motion is stable, and not asymptotically.
static void everything_steady_is_stable(void **state)
{
    (void)state;
    const resting_call call = {.fix_count = 0};
    resting it = resting_begin("state a, b\nlaw a' = 0\nlaw b' = 0\nstart a = 1, b = 2\n", &call);
    const rh_steady_motion motion = rh_steady_solution(it.steady, 0);
    assert_int_equal(motion.verdict, RH_STEADY_STABLE);
    assert_int_equal(motion.dimension, 2);
    resting_end(&it);
}

// --- equilibria ----------------------------------------------------------------------------------

static void the_pendulum_hangs_and_stands(void **state)
{
    (void)state;
    const resting_call call = {.guess = {{"phi", 0.4}}, .guess_count = 1};
    resting it = resting_begin("coord phi\nkinetic phi'^2/2\npotential -9*cos(phi)\n"
                               "dissipation phi'^2/4\n",
                               &call);
    assert_int_equal(rh_steady_summarise(it.steady).solution_count, 2);
    const rh_steady_motion down = rh_steady_solution(it.steady, 0);
    const rh_steady_motion up = rh_steady_solution(it.steady, 1);
    assert_true(down.is_rest);
    assert_int_equal(down.verdict, RH_STEADY_ASYMPTOTICALLY_STABLE);
    assert_int_equal(down.dimension, 0);
    assert_near(down.roots[0].real, -0.25, 1e-14);
    assert_near(fabs(down.roots[0].imaginary), sqrt(9.0 - 0.0625), 1e-14);
    assert_int_equal(up.verdict, RH_STEADY_UNSTABLE);
    assert_near(up.roots[0].real, -0.25 + sqrt(9.0625), 1e-14);
    resting_end(&it);
}

// In Cartesian coordinates the rod is part of the problem; the start lies where one of the two
// velocities is no quasi-velocity.
static void the_cartesian_pendulum_has_the_same_roots(void **state)
{
    (void)state;
    static const char *const STARTS[] = {"start x = 1, y = 0\n", "start x = 0.1\nguess y = -1\n"};
    for (size_t k = 0; k < 2; k++) {
        char *text = join("coord x, y\nkinetic (x'^2 + y'^2)/2\npotential 9*y\n"
                          "dissipation (x'^2 + y'^2)/4\nconstraint rod: x^2 + y^2 = 1\n",
                          STARTS[k]);
        const resting_call call = {.guess_count = 0};
        resting it = resting_begin(text, &call);
        assert_int_equal(rh_steady_summarise(it.steady).solution_count, 2);
        const rh_steady_motion down = resting_near(&it, "y", -1.0);
        const rh_steady_motion up = resting_near(&it, "y", 1.0);
        assert_int_equal(down.size, 2);
        assert_int_equal(down.dimension, 0);
        assert_int_equal(down.verdict, RH_STEADY_ASYMPTOTICALLY_STABLE);
        assert_near(down.roots[0].real, -0.25, 1e-13);
        assert_near(fabs(down.roots[0].imaginary), sqrt(9.0 - 0.0625), 1e-13);
        assert_int_equal(up.verdict, RH_STEADY_UNSTABLE);
        assert_near(up.roots[0].real, -0.25 + sqrt(9.0625), 1e-13);
        resting_end(&it);
        free(text);
    }
}

// Routh: a particle in a cone has a cyclic angle.
static void routh_with_a_cyclic_angle(void **state)
{
    (void)state;
    const resting_call call = {
        .fix = {{"r", 2.0}}, .fix_count = 1, .guess = {{"phi'", 1.0}}, .guess_count = 1};
    resting it = resting_begin("coord r, phi\nkinetic (2*r'^2 + r^2*phi'^2)/2\npotential 9.81*r\n"
                               "start r = 1, phi' = 1\n",
                               &call);
    const rh_steady_motion motion = rh_steady_solution(it.steady, 0);
    assert_int_equal(rh_steady_cyclic_count(it.steady), 1);
    assert_near(resting_value(&it, &motion, "phi'"), sqrt(9.81 / 2.0), 1e-14);
    assert_int_equal(motion.dimension, 1);
    // 2 r'' = p^2/r^3 - g: frequency^2 = 3 phi'^2 / 2
    assert_near(fabs(motion.roots[1].imaginary), sqrt(1.5 * 9.81 / 2.0), 1e-13);
    assert_int_equal(motion.verdict, RH_STEADY_UNDECIDED);
    resting_end(&it);
}

// A type II constraint brings its multiplier as a state; straight motion with lambda = 0 is steady.
static void a_multiplier_that_is_a_state(void **state)
{
    (void)state;
    const resting_call call = {.guess_count = 0};
    resting it = resting_begin("coord x, y, th\nkinetic (x'^2 + y'^2 + th'^2)/2\n"
                               "constraint blade: -sin(th)*x' + cos(th)*y' = 0 by vakonomic\n"
                               "start x' = 1, lambda.blade = 0.2\n",
                               &call);
    const rh_steady_motion motion = rh_steady_solution(it.steady, 0);
    assert_int_equal(motion.size, 3);
    assert_int_equal(motion.dimension, 1);
    assert_near(resting_value(&it, &motion, "lambda.blade"), 0.0, 1e-12);
    // th'' = lambda u, lambda' = u th' with the speed u: roots +-u
    assert_near(motion.roots[1].real, fabs(motion.speeds[0]), 1e-12);
    assert_int_equal(motion.verdict, RH_STEADY_UNSTABLE);
    resting_end(&it);
}

static void points_of_rest_of_the_lorenz_system(void **state)
{
    (void)state;
    const resting_call call = {.guess_count = 0};
    resting it = resting_begin("state x, y, z\nlaw x' = 10*(y - x)\nlaw y' = 28*x - y - x*z\n"
                               "law z' = x*y - 8/3*z\nstart x = 1, y = 1, z = 1\n",
                               &call);
    assert_int_equal(rh_steady_summarise(it.steady).solution_count, 3);
    const rh_steady_motion wing = resting_near(&it, "x", 8.0);
    const rh_steady_motion origin = resting_near(&it, "x", 0.0);
    assert_near(resting_value(&it, &wing, "x"), sqrt(72.0), 1e-14);
    assert_int_equal(wing.verdict, RH_STEADY_UNSTABLE);
    assert_near(origin.roots[0].real, (-11.0 + sqrt(121.0 + 4 * 270.0)) / 2.0, 1e-13);
    resting_end(&it);
}

// A pendulum over magnets on a circle: below each of them it comes to rest. Searches for zeros from
// afar miss all five; motions lead there.
static void sinks_are_found_along_motions(void **state)
{
    (void)state;
    static const resting_call NOTHING = {.fix_count = 0};
    resting it = resting_begin(
        "param al = 0.2, om = 0.5, d = 0.1\n"
        "param mx[1..5] = [1, 0.30901699437494745, -0.8090169943749475, -0.8090169943749475, "
        "0.30901699437494745]\n"
        "param my[1..5] = [0, 0.9510565162951535, 0.5877852522924731, -0.5877852522924731, "
        "-0.9510565162951535]\n"
        "coord x, y\nkinetic (x'^2 + y'^2)/2\ndissipation al*(x'^2 + y'^2)/2\n"
        "potential om^2*(x^2 + y^2)/2"
        " - sum(i in 1..5: 1/sqrt((x - mx[i])^2 + (y - my[i])^2 + d^2))\n"
        "start x = 0.1, y = 0.1\n",
        &NOTHING);
    const uint32_t count = rh_steady_summarise(it.steady).solution_count;
    double angles = 0.0;
    uint32_t sinks = 0;
    for (uint32_t k = 0; k < count; k++) {
        const rh_steady_motion motion = rh_steady_solution(it.steady, k);
        if (motion.verdict == RH_STEADY_ASYMPTOTICALLY_STABLE) {
            const double x = resting_value(&it, &motion, "x");
            const double y = resting_value(&it, &motion, "y");
            assert_near(hypot(x, y), 1.0, 0.02);
            const double part = 5.0 * atan2(y, x) / (2.0 * 3.14159265358979323846);
            assert_near(part, round(part), 1e-9);
            angles += round(part);
            sinks++;
        }
    }
    assert_int_equal(sinks, 5);
    assert_near(angles, 0.0, 0.0); // -2 ... 2, each once
    resting_end(&it);
}

// Pairs that no bar tells apart: each root beside its conjugate all the same.
static void equal_pairs_stay_pairs(void **state)
{
    (void)state;
    const resting_call call = {.fix_count = 0};
    resting it = resting_begin("coord x, y, z\nkinetic (x'^2 + y'^2 + z'^2)/2\n"
                               "potential 2*(x^2 + y^2 + z^2)\n"
                               "dissipation (x'^2 + y'^2 + z'^2)/10\n",
                               &call);
    const rh_steady_motion motion = resting_near(&it, "x", 0.0);
    assert_int_equal(motion.size, 6);
    for (uint32_t k = 0; k < 6; k++) {
        assert_near(motion.roots[k].real, -0.1, 1e-13);
        assert_near(motion.roots[k].imaginary, k % 2 == 0 ? sqrt(3.99) : -sqrt(3.99), 1e-13);
    }
    resting_end(&it);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(forwards_and_backwards),
        cmocka_unit_test(quasi_velocities_are_found),
        cmocka_unit_test(equal_pairs_stay_pairs),
        cmocka_unit_test(other_quasi_velocities_have_the_same_root),
        cmocka_unit_test(the_rattleback_prefers_a_direction),
        cmocka_unit_test(the_matrix_of_the_rattleback),
        cmocka_unit_test(the_rules_of_critical_cases),
        cmocka_unit_test(everything_steady_is_stable),
        cmocka_unit_test(the_pendulum_hangs_and_stands),
        cmocka_unit_test(the_cartesian_pendulum_has_the_same_roots),
        cmocka_unit_test(routh_with_a_cyclic_angle),
        cmocka_unit_test(a_multiplier_that_is_a_state),
        cmocka_unit_test(points_of_rest_of_the_lorenz_system),
        cmocka_unit_test(sinks_are_found_along_motions),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
