// SPDX-License-Identifier: Apache-2.0
// Members side by side: whatever happens on one lane, the others do not notice.

#include "flocking.h"

static void more_lanes_give_the_same_bits(void **state)
{
    (void)state;
    static const char *const LORENZ[] = {"x=normal(1, 5)", "r=uniform(0.5, 30)"};
    compare_lanes("param r = 28\nstate x, y, z\nlaw x' = 10*(y - x)\nlaw y' = x*(r - z) - y\n"
                  "law z' = x*y - 8/3*z\nstart x = 1, y = 2, z = 3\n",
                  LORENZ, 2, 3.0, 1000000);
}

// Some members blow up, some leave the domain of a root, some use up their steps, some have no
// start, some end before they begin; the others must not notice.
static void troubles_stay_on_their_lane(void **state)
{
    (void)state;
    static const char *const BLOW[] = {"x=uniform(-1, 1)"};
    compare_lanes("state x, y\nlaw x' = x^2\nlaw y' = x\nstart x = 1, y = 0\n", BLOW, 1, 2.0,
                  1000000);
    static const char *const ROOT[] = {"c=uniform(0, 2)"};
    compare_lanes("param c = 1\nstate x, y\nlaw x' = -c\nlaw y' = sqrt(x)\nstart x = 1, y = 0\n",
                  ROOT, 1, 1.0, 1000000);
    static const char *const FAST[] = {"w=loguniform(1, 300)"};
    compare_lanes("param w = 1\nstate x, y\nlaw x' = w*y\nlaw y' = -w*x\nstart x = 1, y = 0\n",
                  FAST, 1, 1.0, 40);
    static const char *const BEGIN[] = {"t=uniform(-1, 3)"};
    compare_lanes("state x\nlaw x' = cos(t)*x\nstart x = 1, t = 0\n", BEGIN, 1, 2.0, 1000000);
}

// Resting, at the largest numbers, with rates that vanish: nothing to be divided by.
static void members_at_rest(void **state)
{
    (void)state;
    static const char *const REST[] = {"x=uniform(-1e-300, 1e-300)"};
    compare_lanes("state x, y\nlaw x' = -x\nlaw y' = 0\nstart x = 0, y = 0\n", REST, 1, 5.0,
                  1000000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(more_lanes_give_the_same_bits),
        cmocka_unit_test(troubles_stay_on_their_lane),
        cmocka_unit_test(members_at_rest),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
