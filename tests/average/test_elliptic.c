// SPDX-License-Identifier: Apache-2.0
// Means over orbits of the double well against their closed forms in complete elliptic integrals,
// which are evaluated with Arb (docs/theory/orbits.md).

#include "averaging.h"

#ifdef RH_HAS_ARB
#include <acb_elliptic.h>

enum { PAIRS = 10, BITS = 160 };

typedef struct closed {
    double sigma, b, D, eta;
    double period, level, held; // mean reactions with mu = 1
} closed;

// K and E of the parameter m.
static void find_integrals(double m, double *out_k, double *out_e)
{
    acb_t parameter;
    acb_t value;
    acb_init(parameter);
    acb_init(value);
    acb_set_d(parameter, m);
    acb_elliptic_k(value, parameter, BITS);
    *out_k = arf_get_d(arb_midref(acb_realref(value)), ARF_RND_NEAR);
    acb_elliptic_e(value, parameter, BITS);
    *out_e = arf_get_d(arb_midref(acb_realref(value)), ARF_RND_NEAR);
    acb_clear(parameter);
    acb_clear(value);
}

// From the means of xi^2, xi^4 and xi'^2.
static void conclude(closed *it, double second, double fourth, double speed)
{
    const double A = 2.0 * it->sigma - it->b;
    it->held = (it->b * it->eta - A * second) / (it->sigma + 1.0);
    const double product = (it->b * it->eta * second - A * fourth) / (it->sigma + 1.0);
    it->level = 2.0 * (speed + product / 2.0);
}

static void find_cn(closed *it)
{
    const double square = it->D * it->D;
    const double w2 = it->eta - 1.0 + square;
    const double m = square / (2.0 * w2);
    double K = 0.0;
    double E = 0.0;
    find_integrals(m, &K, &E);
    const double c2 = (E - (1.0 - m) * K) / (m * K);
    const double c4 = (2.0 * (2.0 * m - 1.0) * c2 + 1.0 - m) / (3.0 * m);
    const double sn = 1.0 - m + (2.0 * m - 1.0) * c2 - m * c4;
    it->period = 4.0 * K / sqrt(w2);
    conclude(it, square * c2, square * square * c4, square * w2 * sn);
}

static void find_dn(closed *it)
{
    const double square = it->D * it->D;
    const double w2 = square / 2.0;
    const double m = 2.0 * (it->eta - 1.0 + square) / square;
    double K = 0.0;
    double E = 0.0;
    find_integrals(m, &K, &E);
    const double s2 = (K - E) / (m * K);
    const double s4 = ((2.0 + m) * K - 2.0 * (1.0 + m) * E) / (3.0 * m * m * K);
    it->period = 2.0 * K / sqrt(w2);
    conclude(it, square * (1.0 - m * s2), square * square * (1.0 - 2.0 * m * s2 + m * m * s4),
             square * w2 * m * m * (s2 - s4));
}

static void compare(const closed *expected)
{
    char numbers[4][48];
    (void)snprintf(numbers[0], sizeof numbers[0], "sigma=%.17g", expected->sigma);
    (void)snprintf(numbers[1], sizeof numbers[1], "b=%.17g", expected->b);
    (void)snprintf(numbers[2], sizeof numbers[2], "xi=%.17g", expected->D);
    (void)snprintf(numbers[3], sizeof numbers[3], "eta=%.17g", expected->eta);
    const orbiting_conditions with = {.set = {numbers[0], numbers[1], "mu=1"},
                                      .set_count = 3,
                                      .start = {numbers[2], numbers[3]},
                                      .start_count = 2};
    const rh_average_def def = rh_average_def_default();
    averaging it = lorenz_begin(&with, &def);
    const rh_average_orbit orbit = rh_average_begin(it.average);
    assert_true(orbit.is_closed);
    assert_near(orbit.period, expected->period, 1e-12);
    assert_near(orbit.means[0], expected->level, 1e-12);
    assert_near(orbit.means[1], expected->held, 1e-12);
    averaging_end(&it);
}

static void means_are_those_of_elliptic_functions(void **state)
{
    (void)state;
    support_random random = support_random_begin("elliptic");
    for (int k = 0; k < 2 * PAIRS; k++) {
        closed it = {.sigma = support_random_real(&random, 0.5, 12.0),
                     .b = support_random_real(&random, 0.3, 4.0),
                     .eta = support_random_real(&random, 0.2, 0.9)};
        // the border of both families is sqrt(2 (1 - eta)), the point of rest sqrt(1 - eta)
        const double border = sqrt(2.0 * (1.0 - it.eta));
        if (k % 2 == 0) {
            it.D = border * support_random_real(&random, 1.01, 1.8);
            find_cn(&it);
        } else {
            it.D = border * support_random_real(&random, 0.75, 0.99);
            find_dn(&it);
        }
        compare(&it);
    }
}
#else
static void means_are_those_of_elliptic_functions(void **state)
{
    (void)state;
    print_error("SKIPPED: there is no Arb here (libflint-arb-dev); means over orbits of the double "
                "well were not compared with elliptic functions\n");
    skip();
}
#endif

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(means_are_those_of_elliptic_functions),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
