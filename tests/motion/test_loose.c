// SPDX-License-Identifier: Apache-2.0
// One-sided motions at loose tolerances: they are rougher, and come to their end all the same.

#include "moving.h"

static const char SLEIGH[] =
    "param J = 0.1, a = 0.3, g = 1\ncoord x, y, th\n"
    "kinetic ((x' - a*th'*sin(th))^2 + (y' + a*th'*cos(th))^2)/2 + J*th'^2/2\n"
    "potential g*(y + a*sin(th))\n"
    "constraint blade: -x'*sin(th) + y'*cos(th) >= 0\n"
    "quasi lon = x'*cos(th) + y'*sin(th)\nquasi lat = -x'*sin(th) + y'*cos(th)\n"
    "start x = 0, y = 0, lat = 0\n";

// A blade lets go where the series of its multiplier vanishes; at a loose tolerance the multiplier
// itself is not zero there yet.
static void a_blade_lets_go_at_any_tolerance(void **state)
{
    (void)state;
    static const double TOLERANCES[] = {1e-3, 1e-4, 1e-5, 1e-6, 1e-7, 1e-8, 1e-9};
    support_random random = support_random_begin("a_blade_lets_go_at_any_tolerance");
    for (int trial = 0; trial < 12; trial++) {
        char start[3][32];
        (void)snprintf(start[0], sizeof start[0], "th=%.6f",
                       support_random_real(&random, 0.0, 6.283));
        (void)snprintf(start[1], sizeof start[1], "lon=%.6f",
                       support_random_real(&random, -2.0, 2.0));
        (void)snprintf(start[2], sizeof start[2], "th'=%.6f",
                       support_random_real(&random, -2.0, 2.0));
        for (size_t k = 0; k < sizeof TOLERANCES / sizeof TOLERANCES[0]; k++) {
            const moving_conditions with = {.start = {start[0], start[1], start[2]},
                                            .start_count = 3,
                                            .tolerance = TOLERANCES[k]};
            moving it = moving_begin(SLEIGH, &with);
            moving_reach(&it, 5.0);
            // what acts pushes, but for the error of a step
            const double push = rh_motion_summarise(it.motion).push;
            assert_true(isnan(push) || push > -100.0 * TOLERANCES[k]);
            moving_end(&it);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(a_blade_lets_go_at_any_tolerance)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
