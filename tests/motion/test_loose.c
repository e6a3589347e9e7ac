// SPDX-License-Identifier: Apache-2.0
// Motions at loose tolerances: they are rougher, and come to their end all the same.

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

// Hundreds of equal rounds whose lengths differ by errors come to no limit, and none of their
// changes is lost: a ball on a floor, a relay, a square wave, and a clock whose steps are as long
// as its rounds.
static void long_series_of_rounds_go_on(void **state)
{
    (void)state;
    static const struct {
        const char *text, *name;
        double end, value;
        double rough; // times the tolerance
    } LIST[] = {
        {"coord x\nkinetic x'^2/2\npotential x\nstart x = 1/2, x' = 0\n"
         "event a: x = 0 down reset x' = -x'\n",
         "x", 400.3, 0.455, 1e5},
        {"coord x\nkinetic x'^2/2\nforce x: -sign(x)\nstart x = 1/2, x' = 0\n", "x", 400.3, 0.455,
         1e5},
        {"state x\nlaw x' = sign(sin(pi*t))\nstart x = 0\n", "x", 200.0, 0.0, 1.0},
        {"state x, n\nlaw x' = 1\nlaw n' = 0\nevent a: x = 1 up reset x = 0, n = n + 1\n"
         "start x = 0, n = 0\n",
         "n", 100.3, 100.0, 0.0},
    };
    static const rh_method METHODS[] = {RH_METHOD_DOP853, RH_METHOD_CVODE, RH_METHOD_IDA};
    static const double TOLERANCES[] = {1e-5, 1e-6, 1e-7, 1e-8, 1e-13};
    for (size_t k = 0; k < sizeof LIST / sizeof *LIST; k++) {
        for (size_t m = 0; m < sizeof METHODS / sizeof *METHODS; m++) {
            for (size_t j = 0; j < sizeof TOLERANCES / sizeof *TOLERANCES; j++) {
                const moving_conditions with = {.method = METHODS[m], .tolerance = TOLERANCES[j]};
                moving it = moving_begin(LIST[k].text, &with);
                moving_reach(&it, LIST[k].end);
                assert_near(moving_value(&it, LIST[k].name), LIST[k].value,
                            LIST[k].rough * TOLERANCES[j] + 1e-9);
                moving_end(&it);
            }
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(a_blade_lets_go_at_any_tolerance),
                                       cmocka_unit_test(long_series_of_rounds_go_on)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
