// SPDX-License-Identifier: Apache-2.0
// Roots and verdicts do not depend on how a motion is described: disc and sleigh in random
// quasi-velocities and random coordinates.

#include "resting.h"

enum { TRIES = 6 };

static void check_same(const rh_steady_motion *a, const rh_steady_motion *b)
{
    assert_int_equal(a->verdict, b->verdict);
    const uint32_t rest_a = a->size - a->zero_count;
    assert_int_equal(rest_a, b->size - b->zero_count);
    for (uint32_t k = 0; k < rest_a; k++) {
        const rh_steady_root *x = &a->roots[a->zero_count + k];
        const rh_steady_root *y = &b->roots[b->zero_count + k];
        assert_near(x->real, y->real, 1e-9);
        assert_near(fabs(x->imaginary), fabs(y->imaginary), 1e-9);
    }
}

// --- quasi-velocities ----------------------------------------------------------------------------

static const char DISC[] =
    "param m = 1, a = 0.5, g = 9.81, h = 0.1\nparam A = m*a^2/4, C = m*a^2/2\n"
    "coord theta, psi, phi, x, y\n"
    "let xc = x - a*sin(theta)*sin(psi)\nlet yc = y + a*sin(theta)*cos(psi)\n"
    "let zc = a*cos(theta)\nlet spin3 = phi' - sin(theta)*psi'\n"
    "kinetic m/2*(xc'^2 + yc'^2 + zc'^2) + (A*theta'^2 + A*cos(theta)^2*psi'^2 + C*spin3^2)/2\n"
    "potential m*g*zc\ndissipation h*theta'^2/2\n"
    "constraint roll_x: x' = a*cos(psi)*phi'\nconstraint roll_y: y' = a*sin(psi)*phi'\n"
    "start theta = 0.5, psi' = 1.1726273059845602709, phi' = 6.5621877\n";

// omega = S(theta) (theta', psi', spin3) with a random S: the positional coordinate stays.
static void random_quasi_velocities_of_the_disc(void **state)
{
    (void)state;
    support_random random = support_random_begin("random_quasi_velocities_of_the_disc");
    const resting_call call = {.fix = {{"theta", 0.5}, {"spin3", 6.0}},
                               .fix_count = 2,
                               .observe = {"spin3"},
                               .observe_count = 1};
    resting plain = resting_begin(DISC, &call);
    const rh_steady_motion reference = resting_near(&plain, "theta", 0.5);
    assert_int_equal(rh_steady_positional_count(plain.steady), 1);
    assert_near(reference.roots[2].real, -0.16, 1e-12);
    for (uint32_t k = 0; k < TRIES; k++) {
        char text[4096];
        int size = snprintf(text, sizeof text, "%s", DISC);
        for (uint32_t i = 0; i < 3; i++) {
            double s[4];
            for (uint32_t j = 0; j < 4; j++) {
                s[j] = support_random_real(&random, -0.6, 0.6);
            }
            s[i] += s[i] > 0.0 ? 1.5 : -1.5;
            size += snprintf(text + size, sizeof text - (size_t)size,
                             "quasi o%u = %.17g*theta' + (%.17g + %.17g*sin(theta))*psi' + "
                             "%.17g*spin3\n",
                             i + 1, s[0], s[1], s[3], s[2]);
        }
        resting other = resting_begin(text, &call);
        assert_int_equal(rh_steady_positional_count(other.steady), 1);
        const rh_steady_motion motion = rh_steady_solution(other.steady, 0);
        check_same(&reference, &motion);
        resting_end(&other);
    }
    resting_end(&plain);
}

// Plain velocities of other coordinates make the heading positional too: one more zero root, the
// same others.
static void plain_velocities_of_the_disc(void **state)
{
    (void)state;
    static const char *const FRAMES[] = {
        "quasi a1 = theta'\nquasi a2 = psi'\nquasi a3 = phi'\n",
        "quasi a1 = theta'\nquasi a2 = psi'\nquasi a3 = x'\n",
        "quasi a1 = theta'\nquasi a2 = psi' + phi'\nquasi a3 = cos(psi)*x' + sin(psi)*y'\n"};
    static const uint32_t POSITIONAL[] = {1, 2, 1};
    const resting_call call = {.fix = {{"theta", 0.5}, {"spin3", 6.0}},
                               .fix_count = 2,
                               .observe = {"spin3"},
                               .observe_count = 1};
    for (uint32_t k = 0; k < 3; k++) {
        char text[4096];
        (void)snprintf(text, sizeof text, "%s%s", DISC, FRAMES[k]);
        resting it = resting_begin(text, &call);
        assert_int_equal(rh_steady_positional_count(it.steady), POSITIONAL[k]);
        const rh_steady_motion motion = rh_steady_solution(it.steady, 0);
        if (POSITIONAL[k] == 1) {
            assert_int_equal(motion.verdict, RH_STEADY_ASYMPTOTICALLY_STABLE);
            assert_near(motion.roots[2].real, -0.16, 1e-11);
        }
        resting_end(&it);
    }
}

// --- coordinates ---------------------------------------------------------------------------------

// The sleigh with its position in skew axes and its direction stretched: x = u + s v, th = c al.
static void random_coordinates_of_the_sleigh(void **state)
{
    (void)state;
    support_random random = support_random_begin("random_coordinates_of_the_sleigh");
    for (uint32_t k = 0; k < TRIES; k++) {
        char text[2048];
        const double skew = support_random_real(&random, -1.0, 1.0);
        const double stretch = support_random_real(&random, 0.3, 3.0);
        const double a = support_random_real(&random, -0.9, 0.9);
        const double b = support_random_real(&random, 0.5, 2.0);
        (void)snprintf(text, sizeof text,
                       "param m = 2, J = 0.3, l = 0.25\ncoord u, v, al\n"
                       "let x = u + %.17g*v\nlet y = v\nlet th = %.17g*al\n"
                       "kinetic m/2*((x + l*cos(th))'^2 + (y + l*sin(th))'^2) + J/2*th'^2\n"
                       "constraint blade: -sin(th)*x' + cos(th)*y' = 0\n"
                       "let along = cos(th)*x' + sin(th)*y'\n"
                       "quasi w1 = %.17g*along + %.17g*th'\nquasi w2 = th' - %.17g*along\n",
                       skew, stretch, b, a, a);
        for (int side = -1; side <= 1; side += 2) {
            const resting_call call = {.fix = {{"along", 2.0 * side}},
                                       .fix_count = 1,
                                       .observe = {"along"},
                                       .observe_count = 1,
                                       .guess = {{"w1", 2.0 * side}},
                                       .guess_count = 1};
            resting it = resting_begin(text, &call);
            const rh_steady_motion motion = rh_steady_solution(it.steady, 0);
            assert_int_equal(rh_steady_positional_count(it.steady), 0);
            assert_int_equal(motion.dimension, 1);
            assert_near(motion.roots[1].real, -2.3529411764705882353 * side, 1e-11);
            assert_int_equal(motion.verdict,
                             side > 0 ? RH_STEADY_ASYMPTOTICALLY_STABLE : RH_STEADY_UNSTABLE);
            resting_end(&it);
        }
    }
}

// The disc with its lean through a nonlinear coordinate, theta = t + c t^3, and turned headings.
static void random_coordinates_of_the_disc(void **state)
{
    (void)state;
    support_random random = support_random_begin("random_coordinates_of_the_disc");
    for (uint32_t k = 0; k < TRIES; k++) {
        char text[4096];
        const double bend = support_random_real(&random, 0.1, 0.8);
        const double mix = support_random_real(&random, -0.8, 0.8);
        (void)snprintf(
            text, sizeof text,
            "param m = 1, a = 0.5, g = 9.81, h = 0.1\nparam A = m*a^2/4, C = m*a^2/2\n"
            "coord t1, psi, chi, x, y\nlet theta = t1 + %.17g*t1^3\nlet phi = chi + %.17g*psi\n"
            "let xc = x - a*sin(theta)*sin(psi)\nlet yc = y + a*sin(theta)*cos(psi)\n"
            "let zc = a*cos(theta)\nlet spin3 = phi' - sin(theta)*psi'\n"
            "kinetic m/2*(xc'^2 + yc'^2 + zc'^2) + (A*theta'^2 + A*cos(theta)^2*psi'^2 + "
            "C*spin3^2)/2\npotential m*g*zc\ndissipation h*theta'^2/2\n"
            "constraint roll_x: x' = a*cos(psi)*phi'\nconstraint roll_y: y' = a*sin(psi)*phi'\n"
            "start t1 = 0.4, psi' = 1.2, chi' = 6\n",
            bend, mix);
        const resting_call call = {.fix = {{"theta", 0.5}, {"spin3", 6.0}, {"psi'", 0.0}},
                                   .fix_count = 2,
                                   .observe = {"theta", "spin3"},
                                   .observe_count = 2};
        resting it = resting_begin(text, &call);
        assert_int_equal(rh_steady_positional_count(it.steady), 1);
        bool is_there = false;
        for (uint32_t j = 0; j < rh_steady_summarise(it.steady).solution_count; j++) {
            const rh_steady_motion motion = rh_steady_solution(it.steady, j);
            assert_int_equal(motion.verdict, RH_STEADY_ASYMPTOTICALLY_STABLE);
            assert_near(motion.roots[2].real, -0.16, 1e-10);
            is_there =
                is_there || fabs(fabs(motion.roots[2].imaginary) - 8.9774576989421585609) < 1e-9;
        }
        assert_true(is_there);
        resting_end(&it);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_quasi_velocities_of_the_disc),
        cmocka_unit_test(plain_velocities_of_the_disc),
        cmocka_unit_test(random_coordinates_of_the_sleigh),
        cmocka_unit_test(random_coordinates_of_the_disc),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
