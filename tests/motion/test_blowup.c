// SPDX-License-Identifier: Apache-2.0
// Blow-up beside what turns ever faster (src/motion/blowup.c): the motion ends after a bounded
// number of steps, says what goes to infinity and when. And what grows without blowing up goes on.

#include "moving.h"

static void blow_up_ends_beside_fast_phases(void **state)
{
    (void)state;
    // x = 1/(1 - t)
    moving it = moving_begin("state y, x\nlaw x' = x^2\nlaw y' = sin(x^2)\nstart x = 1, y = 0\n",
                             &(moving_conditions){.is_plain = false});
    assert_int_equal(moving_advance(&it, 4.0), RH_STOP_FAILED);
    assert_string_equal(rh_motion_reason_code(it.motion), "E503");
    assert_non_null(strstr(rh_motion_reason(it.motion), "where x = "));
    assert_non_null(strstr(rh_motion_reason(it.motion), "infinity near t = 1"));
    assert_true(rh_motion_summarise(it.motion).steps <= 1 << 19);
    assert_true(rh_motion_time(it.motion) > 0.99 && rh_motion_time(it.motion) < 1.0);
    moving_end(&it);
}

// x = exp(t), and a phase that turns as fast: steps double in equal times.
static void exponential_growth_goes_on(void **state)
{
    (void)state;
    moving it = moving_begin("state x, y\nlaw x' = x\nlaw y' = cos(x)*x\nstart x = 1, y = 0\n",
                             &(moving_conditions){.is_plain = false});
    assert_int_equal(moving_advance(&it, 14.5), RH_STOP_REACHED);
    assert_true(rh_motion_summarise(it.motion).steps > 1 << 18);
    moving_end(&it);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(blow_up_ends_beside_fast_phases),
        cmocka_unit_test(exponential_growth_goes_on),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
