// SPDX-License-Identifier: Apache-2.0
// Tests of src/motion/eliminated.c: constraints that the elimination of velocities satisfies are
// measured as they were written.

#include "moving.h"

#include "motion/motion.h"

static const char *const PLANES =
    "param a = 0.7\ncoord x, y, phi\nkinetic (x'^2 + y'^2 + phi'^2)/2\n"
    "potential 9.81*x + phi^2/2\nconstraint plane: 3*x' + 0.1*y' = a*phi'\n"
    "constraint groove: 0.3*y' = sin(x)*phi'\nstart x = 0, y = 0, phi = 0, phi' = 1\n";

// Rounding is left of them, and that is not nothing.
static void what_is_left_is_told(void **state)
{
    (void)state;
    moving it = moving_begin(PLANES, NULL);
    assert_int_equal(it.motion->eliminated.count, 2);
    moving_reach(&it, 10.0);
    for (size_t k = 0; k < 2; k++) {
        const double residual = rh_motion_residual(it.motion, k);
        assert_true(residual > 0.0 && residual < 1e-13);
    }
    moving_end(&it);
}

// Those that the projector has rows for are not measured twice.
static void kept_ones_are_measured_by_the_projector(void **state)
{
    (void)state;
    const moving_conditions plain = {.is_plain = true};
    moving it = moving_begin(PLANES, &plain);
    assert_int_equal(it.motion->eliminated.count, 0);
    moving_reach(&it, 10.0);
    assert_true(rh_motion_residual(it.motion, 0) > 0.0);
    moving_end(&it);
}

static void beginning_anew_measures_the_new_text(void **state)
{
    (void)state;
    const double other = 0.9;
    const moving_conditions set = {.set = {"a=0.7"}, .set_count = 1};
    const moving_conditions like = {.set = {"a=0.9"}, .set_count = 1};
    moving it = moving_begin(PLANES, &set);
    moving fresh = moving_begin(PLANES, &like);
    moving_reach(&it, 3.0);
    assert_int_equal(rh_motion_restart(it.motion, &other, 1, NULL, 0, &it.err), RH_OK);
    moving_reach(&it, 10.0);
    moving_reach(&fresh, 10.0);
    for (size_t k = 0; k < 2; k++) {
        assert_true(rh_motion_residual(it.motion, k) == rh_motion_residual(fresh.motion, k));
    }
    moving_end(&it);
    moving_end(&fresh);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_left_is_told),
        cmocka_unit_test(kept_ones_are_measured_by_the_projector),
        cmocka_unit_test(beginning_anew_measures_the_new_text),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
