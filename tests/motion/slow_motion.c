// SPDX-License-Identifier: Apache-2.0
// Long motions: constraints and energy are as good after a thousand seconds as after one.

#include "moving.h"

typedef struct long_run {
    const char *path;
    double energy;   // largest loss, relative to 1 + |energy|
    double residual; // largest deviation of a constraint, absolute: 1e-13 of its terms
} long_run;

static void try_run(const long_run *what, bool is_plain)
{
    const moving_conditions with = {.is_plain = is_plain};
    moving it = moving_file(what->path, &with);
    moving_reach(&it, 1.0);
    const double early = rh_motion_summarise(it.motion).residual;
    moving_reach(&it, 1000.0);
    (void)moving_value(&it, "time"); // the energy is that of the last row
    const rh_motion_summary summary = rh_motion_summarise(it.motion);
    print_message("%s%s: %llu steps, energy %.3g, residual %.3g (%.3g after 1 s)\n", what->path,
                  is_plain ? ", without presolve" : "", (unsigned long long)summary.steps,
                  summary.energy_now - summary.energy_start, summary.residual, early);
    moving_end(&it);
    assert_near(summary.energy_now, summary.energy_start, what->energy);
    assert_true(summary.residual <= what->residual);
}

static void disc(void **state)
{
    (void)state;
    const long_run run = {"examples/rolling_disc/model.rhe", 1e-12, 1e-13 * 6.0};
    try_run(&run, false);
    try_run(&run, true);
}

static void chain(void **state)
{
    (void)state;
    const long_run run = {"examples/chain/model.rhe", 1e-11, 1e-13 * 0.01};
    try_run(&run, false);
    try_run(&run, true);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(disc),
        cmocka_unit_test(chain),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
