// SPDX-License-Identifier: Apache-2.0
// Every example by both tiers, over a hundred units of time; chaotic ones for as long as rounding
// stays small.

#include "tiering.h"

static const double TIMES[] = {0.0, 1.0, 1.5, 4.0, 20.0};
static const double HEIGHTS[] = {0.0, 0.05, 0.05, -0.02, 0.0};
static const rh_feed ROAD = {.name = "road", .times = TIMES, .values = HEIGHTS, .count = 5};

static const course LIST[] = {
    {"examples/andrews/model.rhe", 0.05, 0.0, 1e-11, NULL},
    // it ends where its multiplier is infinite: digits of the last one are those of the place
    {"examples/beghin_servo/model.rhe", 100.0, 0.0, 1e-11, NULL},
    {"examples/bertrand/model.rhe", 100.0, 0.0, 1e-11, NULL},
    {"examples/bouncing_ball/model.rhe", 100.0, 0.0, 1e-13, NULL},
    {"examples/bricard/model.rhe", 100.0, 0.0, 1e-13, NULL},
    {"examples/chain/model.rhe", 100.0, 0.0, 1e-12, NULL},
    {"examples/chain_3d/model.rhe", 10.0, 0.0, 1e-11, NULL},
    {"examples/changing_mass/model.rhe", 100.0, 0.0, 1e-13, NULL},
    {"examples/chaplygin_sleigh/model.rhe", 100.0, 0.0, 1e-13, NULL},
    {"examples/chetaev_system/model.rhe", 100.0, 0.0, 1e-13, NULL},
    {"examples/circle_tangential_force/model.rhe", 20.0, 0.0, 1e-11, NULL},
    {"examples/corner/model.rhe", 100.0, 0.0, 1e-13, NULL},
    {"examples/double_pendulum/model.rhe", 5.0, 0.0, 1e-11, NULL},
    {"examples/fekete_points/model.rhe", 100.0, 0.0, 1e-12, NULL},
    {"examples/flywheel/model.rhe", 100.0, 0.0, 1e-13, NULL},
    {"examples/four_bar/model.rhe", 100.0, 0.0, 1e-9, NULL},
    {"examples/hoop/model.rhe", 100.0, 0.0, 1e-13, NULL},
    {"examples/inverse_problem/model.rhe", 100.0, 0.0, 1e-13, NULL},
    {"examples/knife_edge/model.rhe", 100.0, 0.0, 1e-13, NULL},
    {"examples/lorenz/model.rhe", 100.0, 0.0, 1e-12, NULL},
    {"examples/lorenz_chetaev/model.rhe", 100.0, 0.0, 1e-11, NULL},
    {"examples/moving_circle/model.rhe", 100.0, 0.0, 1e-13, NULL},
    {"examples/oscillator_speed_floor/model.rhe", 100.0, 0.0, 1e-13, NULL},
    {"examples/pendulum/model.rhe", 100.0, 0.0, 1e-12, NULL},
    {"examples/pendulum_cartesian/model.rhe", 100.0, 0.0, 1e-11, NULL},
    {"examples/pendulum_program/model.rhe", 100.0, 0.0, 1e-12, NULL},
    {"examples/quarter_car/model.rhe", 15.0, 0.0, 1e-12, &ROAD},
    {"examples/ratchet/model.rhe", 100.0, 0.0, 1e-13, NULL},
    {"examples/ratchet_two_principles/model.rhe", 100.0, 0.0, 1e-13, NULL},
    {"examples/rattleback/model.rhe", 10.0, 0.0, 1e-11, NULL},
    {"examples/relative_degree_three/model.rhe", 100.0, 0.0, 1e-13, NULL},
    {"examples/rolling_disc/model.rhe", 100.0, 0.0, 1e-13, NULL},
    {"examples/rolling_torus/model.rhe", 100.0, 0.0, 1e-13, NULL},
    {"examples/servo_rod/model.rhe", 100.0, 0.0, 1e-13, NULL},
    {"examples/skate_on_incline/model.rhe", 100.0, 0.0, 1e-13, NULL},
    {"examples/sleigh_gravity/model.rhe", 20.0, 0.0, 1e-11, NULL},
    {"examples/sleigh_offset/model.rhe", 100.0, 0.0, 1e-13, NULL},
    {"examples/sleigh_one_sided/model.rhe", 100.0, 0.0, 1e-13, NULL},
    {"examples/sleigh_torque/model.rhe", 100.0, 0.0, 1e-13, NULL},
    {"examples/speed_floor/model.rhe", 100.0, 0.0, 1e-13, NULL},
    {"examples/speed_limit/model.rhe", 100.0, 0.0, 1e-13, NULL},
    {"examples/stick_slip/model.rhe", 100.0, 0.0, 1e-13, NULL},
    {"examples/two_link_arm_program/model.rhe", 100.0, 0.0, 1e-11, NULL},
    {"examples/two_mass_rod/model.rhe", 100.0, 0.0, 1e-13, NULL},
    {"examples/van_der_pol/model.rhe", 100.0, 0.0, 1e-13, NULL},
    {"examples/velocity_program/model.rhe", 100.0, 0.0, 1e-13, NULL},
    {"examples/verdict_rules/model.rhe", 100.0, 0.0, 1e-13, NULL},
    {"examples/wheeled_vehicle_program/model.rhe", 100.0, 0.0, 1e-13, NULL},
    {"examples/whipple_bicycle/model.rhe", 100.0, 0.0, 1e-11, NULL},
    {"examples/woodpecker/model.rhe", 5.0, 0.0, 1e-11, NULL},
};

static void every_example(void **unused)
{
    (void)unused;
    for (size_t k = 0; k < sizeof LIST / sizeof LIST[0]; k++) {
        compare_tiers(&LIST[k]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_example)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
