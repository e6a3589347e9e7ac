// SPDX-License-Identifier: Apache-2.0
// Members side by side: lanes give the bits of members alone.

#include "flocking.h"

static void lanes_give_the_same_bits(void **state)
{
    (void)state;
    static const char *const PENDULUM[] = {"a=uniform(0.1, 3)", "k=uniform(0, 0.3)"};
    compare_lanes("param k = 0.1\nparam a = 1\ncoord x\nkinetic x'^2/2\npotential -9*cos(x)\n"
                  "force x: -k*x'\nstart x = a, x' = 0\n",
                  PENDULUM, 2, 7.0, 1000000);
}

// Compiled steps are those of the interpreter.
static void tiers_agree(void **state)
{
    (void)state;
    static const char *const RANDOMS[] = {"x=uniform(0.1, 2)"};
    static const char TEXT[] = "coord x, y\nkinetic (x'^2 + y'^2)/2\n"
                               "potential (x^2 + y^2)/2 + x^2*y\nstart x = 0.1, y = 0.1\n";
    rh_sweep *sweeps[2];
    for (int k = 0; k < 2; k++) {
        rh_sweep_def def = sweeping_def(TEXT);
        def.randoms = RANDOMS;
        def.random_count = 1;
        def.draws = MANY;
        def.until = 2.0;
        def.motion.tier = k == 0 ? RH_TIER_INTERPRETED : RH_TIER_EMITTED;
        sweeps[k] = sweeping_run(&def);
        rh_sweep_rewind(sweeps[k]);
    }
    for (size_t k = 0; k < MANY; k++) {
        const rh_sweep_member told = sweeping_next(sweeps[0]);
        const rh_sweep_member made = sweeping_next(sweeps[1]);
        assert_int_equal(told.stop, made.stop);
        assert_int_equal(told.steps, made.steps);
        for (size_t c = 0; c < rh_sweep_column_count(sweeps[0]); c++) {
            assert_near(made.values[c], told.values[c], 1e-12 * (1.0 + fabs(told.values[c])));
        }
    }
    rh_sweep_destroy(sweeps[0]);
    rh_sweep_destroy(sweeps[1]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lanes_give_the_same_bits),
        cmocka_unit_test(tiers_agree),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
