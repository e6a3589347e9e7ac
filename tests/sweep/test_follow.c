// SPDX-License-Identifier: Apache-2.0
// Peaks, lows and means along motions whose solutions are known.

#include "sweeping.h"

// x = A sin(w t) from rest at 0 with velocity A w.
static const char OSCILLATOR[] = "param w = 3, A = 2\n"
                                 "coord x\n"
                                 "kinetic x'^2/2\n"
                                 "potential w^2*x^2/2\n"
                                 "start x = 0, x' = A*w\n";

static const rh_method METHODS[] = {RH_METHOD_TAYLOR, RH_METHOD_DOP853, RH_METHOD_CVODE};

static void an_oscillation_has_its_amplitude(void **state)
{
    (void)state;
    const char *grids[] = {"A=0.5:2.5:5"};
    for (size_t k = 0; k < sizeof METHODS / sizeof *METHODS; k++) {
        rh_sweep_def def = sweeping_def(OSCILLATOR);
        const double good = k < 2 ? 1e-10 : 1e-5;
        def.grids = grids;
        def.grid_count = 1;
        def.until = 2.0;
        def.motion.method = METHODS[k];
        def.motion.tolerance = k < 2 ? 1e-12 : 1e-9;
        def.observe = "peak(x), low(x), mean(x), final(x), peak(x^2), low(x'), mean(x'^2)";
        rh_sweep *sweep = sweeping_run(&def);
        for (int i = 0; i < 5; i++) {
            const rh_sweep_member it = sweeping_next(sweep);
            const double a = 0.5 + 0.5 * i;
            assert_near(it.values[0], a, 0.0);
            assert_near(it.values[1], a, good);
            assert_near(it.values[2], -a, good);
            assert_near(it.values[3], a * (1.0 - cos(6.0)) / 6.0, good);
            assert_near(it.values[4], a * sin(6.0), good);
            assert_near(it.values[5], a * a, good);
            assert_near(it.values[6], -3.0 * a, good);
            assert_near(it.values[7], 9.0 * a * a * (0.5 + sin(12.0) / 24.0), good);
            assert_int_equal(it.stop, RH_STOP_REACHED);
        }
        rh_sweep_destroy(sweep);
    }
}

// Fast functions of a slow motion: the series of the step is not enough for them.
static void fast_quantities_are_followed(void **state)
{
    (void)state;
    const char *grids[] = {"w=1:2:2"};
    rh_sweep_def def = sweeping_def("param w = 1\nstate x\nlaw x' = w\nstart x = 0\n");
    def.grids = grids;
    def.grid_count = 1;
    def.until = 1.0;
    def.observe = "peak(sin(20*x)), low(sin(20*x)), mean(sin(20*x)), mean(abs(x - 1/2)), "
                  "peak(if(x < 1/2, x, 1 - x))";
    rh_sweep *sweep = sweeping_run(&def);
    for (int i = 1; i <= 2; i++) {
        const rh_sweep_member it = sweeping_next(sweep);
        const double w = i;
        assert_near(it.values[1], 1.0, 1e-11);
        assert_near(it.values[2], -1.0, 1e-11);
        assert_near(it.values[3], (1.0 - cos(20.0 * w)) / (20.0 * w), 1e-10);
        const double mean = i == 1 ? 0.25 : (0.125 + 1.125) / 2.0;
        assert_near(it.values[4], mean, 1e-11); // a kink
        assert_near(it.values[5], 0.5, 1e-9);
    }
    rh_sweep_destroy(sweep);
}

// Constant to rounding where a step begins, kinked, jumping, or small, by all methods.
static void steep_and_small_quantities_are_followed(void **state)
{
    (void)state;
    const char *grids[] = {"k=20:400:2"};
    for (size_t m = 0; m < sizeof METHODS / sizeof *METHODS; m++) {
        rh_sweep_def def = sweeping_def("param k = 1\nstate x\nlaw x' = -1\nstart x = 2\n");
        def.grids = grids;
        def.grid_count = 1;
        def.until = 4.1;
        def.motion.method = METHODS[m];
        def.observe =
            "mean(tanh(k*x)), mean(abs(x)), mean(if(x < 1, 1, 0)), peak(1e-12*sin(30*x)), "
            "mean(1e-15*x^2), low(1e-15*sqrt(x^2 + 1e-4))";
        rh_sweep *sweep = sweeping_run(&def);
        for (int i = 0; i < 2; i++) {
            const rh_sweep_member it = sweeping_next(sweep);
            assert_near(it.values[1], -0.1 / 4.1, 1e-10);
            assert_near(it.values[2], 4.205 / 4.1, 1e-10);
            assert_near(it.values[3], 3.1 / 4.1, 1e-10);
            assert_near(it.values[4], 1e-12, 1e-22);
            assert_near(it.values[5], 17.261 / 12.3 * 1e-15, 1e-25);
            assert_near(it.values[6], 1e-17, 1e-25);
        }
        rh_sweep_destroy(sweep);
    }
}

// What jumps has an extreme on either side of the jump.
static void jumps_are_seen_from_both_sides(void **state)
{
    (void)state;
    const char *grids[] = {"e=0.5:1:2"};
    rh_sweep_def def = sweeping_def("param e = 1\n"
                                    "coord h\n"
                                    "kinetic h'^2/2\n"
                                    "potential 2*h\n"
                                    "start h = 1, h' = 0\n"
                                    "event floor: h = 0 down reset h' = -e*h'\n");
    def.grids = grids;
    def.grid_count = 1;
    def.until = 1.5; // it falls until 1
    def.observe = "peak(h'), low(h'), mean(h'), final(h'), low(h)";
    rh_sweep *sweep = sweeping_run(&def);
    for (int i = 1; i <= 2; i++) {
        const rh_sweep_member it = sweeping_next(sweep);
        const double e = 0.5 * i;
        assert_near(it.values[1], 2.0 * e, 1e-11);
        assert_near(it.values[2], -2.0, 1e-11);
        assert_near(it.values[4], 2.0 * e - 1.0, 1e-11);
        assert_near(it.values[3], (-1.0 + 0.5 * (2.0 * e - 0.5)) / 1.5, 1e-10);
        assert_near(it.values[5], 0.0, 1e-11);
        assert_int_equal(it.events, 1);
    }
    rh_sweep_destroy(sweep);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_oscillation_has_its_amplitude),
        cmocka_unit_test(fast_quantities_are_followed),
        cmocka_unit_test(steep_and_small_quantities_are_followed),
        cmocka_unit_test(jumps_are_seen_from_both_sides),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
