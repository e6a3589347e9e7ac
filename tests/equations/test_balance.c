// SPDX-License-Identifier: Apache-2.0
// The equations of Lagrange hold on the models of the examples, by differences of their energies.

#include "balance.h"

static const char *const MODELS[] = {
    "examples/beghin_servo/ideal.rhe",
    "examples/beghin_servo/model.rhe",
    "examples/bricard/model.rhe",
    "examples/chain/model.rhe",
    "examples/chain_3d/model.rhe",
    "examples/chain_3d/relative.rhe",
    "examples/changing_mass/model.rhe",
    "examples/chaplygin_sleigh/model.rhe",
    "examples/chetaev_system/mixed.rhe",
    "examples/chetaev_system/model.rhe",
    "examples/circle_tangential_force/model.rhe",
    "examples/double_pendulum/model.rhe",
    "examples/flywheel/model.rhe",
    "examples/flywheel/vakonomic.rhe",
    "examples/four_bar/model.rhe",
    "examples/hoop/damped.rhe",
    "examples/knife_edge/model.rhe",
    "examples/knife_edge/vakonomic.rhe",
    "examples/lorenz_chetaev/level_only.rhe",
    "examples/moving_circle/model.rhe",
    "examples/pendulum/model.rhe",
    "examples/pendulum_cartesian/model.rhe",
    "examples/rolling_disc/damped.rhe",
    "examples/rolling_torus/damped.rhe",
    "examples/rolling_torus/vectors.rhe",
    "examples/servo_rod/model.rhe",
    "examples/servo_rod/reaction_servo.rhe",
    "examples/skate_on_incline/vakonomic.rhe",
    "examples/sleigh_offset/two_sided.rhe",
    "examples/two_mass_rod/model.rhe",
    "examples/whipple_bicycle/model.rhe",
    "tests/golden/models/language_by_friction.rhe",
    "tests/golden/models/language_lagrangian.rhe",
    "tests/golden/models/language_law_inertia.rhe",
    "tests/golden/models/language_moving_constraint.rhe",
    "tests/golden/models/language_nonlinear.rhe",
    "tests/golden/models/language_states_array.rhe",
    "tests/golden/models/language_states_mixed.rhe",
};

static double imbalance_at(derived *it, const rh_form *form, const rh_point *at)
{
    rh_form_result result;
    const rh_point point = copy_point(it, at);
    assert_int_equal(rh__form_solve(form, &point, NULL, &it->arena, &result), RH_OK);
    return find_imbalance(it, &point);
}

static void examples_are_in_balance(void **state)
{
    (void)state;
    uint32_t failures = 0;
    for (size_t k = 0; k < sizeof MODELS / sizeof *MODELS; k++) {
        size_t size = 0;
        char *text = support_read(MODELS[k], &size);
        derived it;
        rh_form form;
        rh_point near;
        bool is_met = false;
        derive_sound(text, &(conditions){0}, &it);
        free(text);
        assert_int_equal(rh__form_create(it.equations, RH_FORM_MULTIPLIERS, &it.arena, &form, NULL),
                         RH_OK);
        assert_int_equal(
            rh__start_wander(it.equations, &it.start.point, 0.05, k + 1, &it.arena, &near, &is_met),
            RH_OK);
        const double first = imbalance_at(&it, &form, &it.start.point);
        const double second = is_met ? imbalance_at(&it, &form, &near) : INFINITY;
        if (!(fmax(first, second) < 1e-6)) {
            print_error("%s: %.1e at the start, %.1e near it\n", MODELS[k], first, second);
            failures++;
        }
        derived_end(&it);
    }
    assert_int_equal(failures, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(examples_are_in_balance),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
