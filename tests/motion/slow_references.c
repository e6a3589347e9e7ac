// SPDX-License-Identifier: Apache-2.0
// Motions against numbers found without this code, by the methods that have no series: dop853 to
// 1e-8, cvode and ida to 1e-6 (multipliers a hundred times that).

#include "references.h"

static void run(const char *name, rh_method method, double tolerance, double looseness,
                bool is_singular)
{
    for (uint32_t plain = 0; plain < 2; plain++) {
        reference_run(&(reference_way){.name = name,
                                       .is_plain = plain == 1,
                                       .is_singular = is_singular,
                                       .is_guest = method != RH_METHOD_DOP853,
                                       .method = method,
                                       .motion_tolerance = tolerance,
                                       .looseness = looseness});
    }
}

static void by_runge_kutta(void **state)
{
    (void)state;
    run("dop853", RH_METHOD_DOP853, 1e-13, 100.0, false);
}

static void by_runge_kutta_through_singular_places(void **state)
{
    (void)state;
    run("dop853", RH_METHOD_DOP853, 1e-13, 100.0, true);
}

static void by_backward_differences(void **state)
{
    (void)state;
    run("cvode", RH_METHOD_CVODE, 1e-12, 1e4, false);
}

static void by_residuals(void **state)
{
    (void)state;
    run("ida", RH_METHOD_IDA, 1e-11, 1e4, false);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(by_runge_kutta),
        cmocka_unit_test(by_runge_kutta_through_singular_places),
        cmocka_unit_test(by_backward_differences),
        cmocka_unit_test(by_residuals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
