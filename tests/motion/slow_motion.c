// SPDX-License-Identifier: Apache-2.0
// Long motions: constraints and energy are as good after a thousand seconds as after one.

#include "moving.h"

#include "motion/motion.h"
#include "tape/pivot.h"

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

// What thousands of pivots leave over is solved for once more, not by other pivots.
static void long_chains_keep_their_pivots(void **state)
{
    (void)state;
    static const char TEXT[] =
        "param N = 6000\nparam l = 1/N, m = 1/N, g = 9.81\ncoord x[1..N], y[1..N]\n"
        "kinetic sum(i in 1..N: m*(x[i]'^2 + y[i]'^2)/2)\npotential sum(i in 1..N: m*g*y[i])\n"
        "constraint rod[1]: x[1]^2 + y[1]^2 = l^2\n"
        "for i in 2..N: constraint rod[i]: (x[i] - x[i-1])^2 + (y[i] - y[i-1])^2 = l^2\n"
        "for i in 1..N: start x[i] = i*l*sin(0.05), y[i] = -i*l*cos(0.05), x[i]' = 0, y[i]' = 0\n";
    const moving_conditions with = {.tolerance = 1e-9};
    moving it = moving_begin(TEXT, &with);
    rh_stop stop = RH_STOP_NONE;
    int others = 0; // once it looks closer, since the beginning is at rest
    for (int k = 0; k < 30; k++) {
        assert_int_equal(rh_motion_step(it.motion, 1.0, &stop, NULL), RH_OK);
        const rh_tape_state *step = it.motion->step;
        others += step->kernel == NULL && step->blocks[0].kind == RH_BLOCK_KLU;
    }
    print_message("%d of 30 steps by other pivots\n", others);
    assert_true(others <= 2);
    moving_end(&it);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(disc),
        cmocka_unit_test(chain),
        cmocka_unit_test(long_chains_keep_their_pivots),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
