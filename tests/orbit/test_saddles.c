// SPDX-License-Identifier: Apache-2.0
// Random orbits with known multipliers: a circle that attracts or repels in its plane, beside it a
// random linear system, all of it seen in random linear coordinates. And first integrals, found by
// the rank of the tangents.

#include "orbiting.h"

#define PI 3.14159265358979323846

enum { N = 4, ROUNDS = 20 };

typedef struct known {
    double matrix[N][N], inverse[N][N];
    double across;     // rate of return to the circle
    double a, b, c, d; // the linear system beside it
    char text[4096];
} known;

// Gauss-Jordan; the matrix is the identity plus something small.
static void invert(known *it)
{
    double work[N][2 * N];
    for (int i = 0; i < N; i++) {
        for (int j = 0; j < N; j++) {
            work[i][j] = it->matrix[i][j];
            work[i][N + j] = i == j ? 1.0 : 0.0;
        }
    }
    for (int p = 0; p < N; p++) {
        const double pivot = work[p][p];
        for (int j = 0; j < 2 * N; j++) {
            work[p][j] /= pivot;
        }
        for (int i = 0; i < N; i++) {
            const double factor = work[i][p];
            for (int j = 0; i != p && j < 2 * N; j++) {
                work[i][j] -= factor * work[p][j];
            }
        }
    }
    for (int i = 0; i < N; i++) {
        for (int j = 0; j < N; j++) {
            it->inverse[i][j] = work[i][N + j];
        }
    }
}

static size_t put_row(char *out, size_t room, const double *row, const char *const *names)
{
    size_t size = 0;
    for (int j = 0; j < N; j++) {
        size += (size_t)snprintf(out + size, room - size, "%s(%.17g)*%s", j > 0 ? " + " : "",
                                 row[j], names[j]);
    }
    return size;
}

static void write(known *it, support_random *random)
{
    static const char *const OLD[] = {"x", "y", "p", "q"};
    static const char *const NEW[] = {"u1", "u2", "u3", "u4"};
    static const char *const RATES[] = {"fx", "fy", "fp", "fq"};
    char *at = it->text;
    const char *const end = it->text + sizeof it->text;
    at += snprintf(at, (size_t)(end - at), "state u1, u2, u3, u4\n");
    for (int k = 0; k < N; k++) {
        at += snprintf(at, (size_t)(end - at), "let %s = ", OLD[k]);
        at += put_row(at, (size_t)(end - at), it->inverse[k], NEW);
        at += snprintf(at, (size_t)(end - at), "\n");
    }
    at += snprintf(at, (size_t)(end - at),
                   "let r = (%.17g)*(x^2 + y^2 - 1)/2\nlet fx = r*x - y\nlet fy = r*y + x\n"
                   "let fp = (%.17g)*p + (%.17g)*q\nlet fq = (%.17g)*p + (%.17g)*q\n",
                   it->across, it->a, it->b, it->c, it->d);
    for (int k = 0; k < N; k++) {
        at += snprintf(at, (size_t)(end - at), "law %s' = ", NEW[k]);
        at += put_row(at, (size_t)(end - at), it->matrix[k], RATES);
        at += snprintf(at, (size_t)(end - at), "\nstart %s = %.17g\n", NEW[k],
                       it->matrix[k][0] + support_random_real(random, -0.02, 0.02));
    }
}

static void random_orbits_have_their_multipliers(void **state)
{
    (void)state;
    support_random random = support_random_begin("saddles");
    for (int round = 0; round < ROUNDS; round++) {
        known it = {.across = support_random_real(&random, -0.4, 0.4),
                    .a = support_random_real(&random, -0.3, 0.3),
                    .b = support_random_real(&random, -0.3, 0.3),
                    .c = support_random_real(&random, -0.3, 0.3),
                    .d = support_random_real(&random, -0.3, 0.3)};
        it.across += it.across > 0.0 ? 0.1 : -0.1;
        for (int i = 0; i < N; i++) {
            for (int j = 0; j < N; j++) {
                it.matrix[i][j] = (i == j) + support_random_real(&random, -0.15, 0.15);
            }
        }
        const double complex half = 0.5 * (it.a + it.d);
        const double complex root = csqrt(half * half - (it.a * it.d - it.b * it.c));
        // a root near 0 would be as good as a family of orbits
        if (cabs(half + root) < 0.02 || cabs(half - root) < 0.02) {
            continue;
        }
        invert(&it);
        write(&it, &random);
        rh_orbit_def def = rh_orbit_def_default();
        def.period = 6.0;
        orbiting on = orbiting_find(it.text, NULL, &def);
        const rh_orbit_summary summary = rh_orbit_summarise(on.orbit);
        assert_near(summary.period, 2.0 * PI, 1e-11);
        assert_int_equal(summary.trivial_count, 1);
        const double complex expected[] = {exp(2.0 * PI * it.across),
                                           cexp(2.0 * PI * (half + root)),
                                           cexp(2.0 * PI * (half - root))};
        bool is_stable = true;
        for (int k = 0; k < 3; k++) {
            orbiting_has(&on, creal(expected[k]), cimag(expected[k]),
                         1e-10 * (1.0 + cabs(expected[k])) * 10.0);
            is_stable = is_stable && cabs(expected[k]) < 1.0;
        }
        assert_int_equal(summary.is_stable, is_stable);
        orbiting_end(&on);
    }
}

// With a state that never changes every orbit is one of a family: one integral, and the
// multiplier 1 is not split.
static void integrals_are_counted(void **state)
{
    (void)state;
    static const char *const TEXTS[] = {
        "state x, v, c\nlaw x' = v\nlaw v' = (c - x^2)*v - x\nlaw c' = 0\n"
        "start x = 2, v = 0, c = 1\n",
        "coord x\nkinetic x'^2/2\npotential x^2/2 + x^4/4\nstart x = 0.8, x' = 0.1\n",
        "coord x, y\nkinetic (x'^2 + y'^2)/2\npotential -1/sqrt(x^2 + y^2)\n"
        "start x = 1, y = 0, x' = 0, y' = 1.2\n",
    };
    static const uint32_t INTEGRALS[] = {1, 1, 3};
    static const uint32_t TRIVIAL[] = {2, 2, 4};
    for (size_t k = 0; k < 3; k++) {
        rh_orbit_def def = rh_orbit_def_default();
        orbiting it = orbiting_find(TEXTS[k], NULL, &def);
        const rh_orbit_summary summary = rh_orbit_summarise(it.orbit);
        if (summary.integral_count != INTEGRALS[k] || summary.trivial_count != TRIVIAL[k]) {
            fail_msg("%u integrals and %u trivial multipliers, not %u and %u, in:\n%s",
                     summary.integral_count, summary.trivial_count, INTEGRALS[k], TRIVIAL[k],
                     TEXTS[k]);
        }
        assert_true(!summary.is_stable && !summary.is_unstable);
        orbiting_end(&it);
    }
}

// Arenstorf's orbit (Hairer, Norsett, Wanner, Solving Ordinary Differential Equations I, II.0):
// neighbours part by half a million, and 1/285 is no 1. Multipliers of canonical equations come in
// pairs m, 1/m.
static void small_multipliers_are_not_trivial(void **state)
{
    (void)state;
    static const char *const TEXTS[] = {
        "param mu = 0.012277471\nstate x, y, u, v\nlet a = ((x + mu)^2 + y^2)^1.5\n"
        "let b = ((x - 1 + mu)^2 + y^2)^1.5\nlaw x' = u\nlaw y' = v\n"
        "law u' = x + 2*v - (1 - mu)*(x + mu)/a - mu*(x - 1 + mu)/b\n"
        "law v' = y - 2*u - (1 - mu)*y/a - mu*y/b\n"
        "start x = 0.994, y = 0, u = 0, v = -2.00158510637908252240537862224\n",
        "param mu = 0.012277471\ncoord x, y\nkinetic ((x' - y)^2 + (y' + x)^2)/2\n"
        "potential -(1 - mu)/sqrt((x + mu)^2 + y^2) - mu/sqrt((x - 1 + mu)^2 + y^2)\n"
        "start x = 0.994, y = 0, x' = 0, y' = -2.00158510637908252240537862224\n",
    };
    for (size_t k = 0; k < 2; k++) {
        rh_orbit_def def = rh_orbit_def_default();
        def.period = 17.06521656015796;
        orbiting it = orbiting_find(TEXTS[k], NULL, &def);
        const rh_orbit_summary summary = rh_orbit_summarise(it.orbit);
        assert_int_equal(summary.trivial_count, 2);
        assert_int_equal(summary.integral_count, 1);
        assert_true(summary.is_unstable);
        orbiting_has(&it, 285.4037, 0.0, 1e-4);
        orbiting_has(&it, 1.0 / rh_orbit_multiplier(it.orbit, 0).real, 0.0, 1e-11);
        orbiting_end(&it);
    }
}

// Neighbours part by two thousand in a period: the miss says little there, and steps that judge by
// it alone leave the family. Around the first libration point of the restricted three-body problem
// (earth and moon), from a guess of four digits. References by Taylor series of order 40 in 34
// digits, closed by a perpendicular crossing after half a period.
static void orbits_around_a_libration_point(void **state)
{
    (void)state;
    static const char TEXT[] =
        "param mu = 0.012150585609624\nstate x, y, z, u, v, w\n"
        "let r1 = sqrt((x + mu)^2 + y^2 + z^2)\nlet r2 = sqrt((x - 1 + mu)^2 + y^2 + z^2)\n"
        "law x' = u\nlaw y' = v\nlaw z' = w\n"
        "law u' = 2*v + x - (1 - mu)*(x + mu)/r1^3 - mu*(x - 1 + mu)/r2^3\n"
        "law v' = -2*u + y - (1 - mu)*y/r1^3 - mu*y/r2^3\n"
        "law w' = -(1 - mu)*z/r1^3 - mu*z/r2^3\n"
        "start x = 0.8234, y = 0, z = 0, u = 0, v = 0.1263, w = 0\n";
    typedef struct reference {
        const char *free;
        double x, v, period, multiplier;
    } reference;
    static const reference LIST[] = {
        {"v", 0.8234, 0.1262316940395862156071, 2.742912084328524250503, 2361.611973667009885705},
        {"x", 0.8233934357897336313898, 0.1263, 2.742971206000109034959, 2361.281512942410778937},
        // any of the family, near to where it began
        {"x, v", 0.8234, 0.1263, 0.0, 0.0},
        {NULL, 0.8234, 0.1263, 0.0, 0.0},
    };
    for (size_t k = 0; k < sizeof LIST / sizeof *LIST; k++) {
        const reference *of = &LIST[k];
        rh_orbit_def def = rh_orbit_def_default();
        def.free = of->free;
        def.period = 2.743;
        orbiting it = orbiting_find(TEXT, NULL, &def);
        const rh_orbit_summary summary = rh_orbit_summarise(it.orbit);
        const bool is_exact = of->period > 0.0;
        const double largest = rh_orbit_multiplier(it.orbit, 0).real;
        assert_near(orbiting_value(&it, "x"), of->x, is_exact ? 1e-13 : 0.01);
        assert_near(orbiting_value(&it, "v"), of->v, is_exact ? 1e-13 : 0.05);
        assert_near(summary.period, is_exact ? of->period : 2.72, is_exact ? 1e-12 : 0.03);
        assert_near(largest / (is_exact ? of->multiplier : 2450.0), 1.0, is_exact ? 1e-11 : 0.05);
        orbiting_has(&it, 1.0 / largest, 0.0, 1e-10);
        assert_int_equal(summary.integral_count, 1);
        assert_false(summary.is_stable);
        orbiting_end(&it);
    }
}

// Multipliers far below the rounding of others: the product of all is known from div f. On the
// circle r = 2 it is exp(-16 pi); of the Lorenz system div f = -41/3, and the references are Taylor
// series of order 44 in 50 digits.
static void smallest_multipliers_by_volumes(void **state)
{
    (void)state;
    rh_orbit_def def = rh_orbit_def_default();
    orbiting it = orbiting_find("param m = 4\nstate x, y\nlaw x' = m*x - y - x*(x^2 + y^2)\n"
                                "law y' = x + m*y - y*(x^2 + y^2)\nstart x = 2, y = 0.1\n",
                                NULL, &def);
    assert_near(rh_orbit_multiplier(it.orbit, 1).real / exp(-16.0 * PI), 1.0, 1e-11);
    orbiting_end(&it);
    def.period = 1.5586;
    it = orbiting_find("state x, y, z\nlaw x' = 10*(y - x)\nlaw y' = 28*x - y - x*z\n"
                       "law z' = x*y - 8*z/3\nstart x = -13.7636, y = -19.5788, z = 27\n",
                       NULL, &def);
    const double period = 1.5586522107161747276;
    const double smallest = rh_orbit_multiplier(it.orbit, 2).real;
    const double largest = rh_orbit_multiplier(it.orbit, 0).real;
    assert_near(rh_orbit_summarise(it.orbit).period, period, 1e-13);
    assert_near(largest + smallest, 4.712947273543083, 1e-12);
    assert_near(smallest * largest / exp(-41.0 / 3.0 * period), 1.0, 1e-11);
    orbiting_end(&it);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_orbits_have_their_multipliers),
        cmocka_unit_test(integrals_are_counted),
        cmocka_unit_test(small_multipliers_are_not_trivial),
        cmocka_unit_test(orbits_around_a_libration_point),
        cmocka_unit_test(smallest_multipliers_by_volumes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
