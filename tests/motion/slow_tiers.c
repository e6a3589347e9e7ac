// SPDX-License-Identifier: Apache-2.0
// Every example by both tiers: over a hundred units of time they differ by at most 1e-13. Where
// less is asked the table says why.

#include "tiering.h"

#include <dirent.h>

#define WHOLE 100.0 // units of time
#define ALIKE 1e-13 // relative to 1 and to the largest number of the row

typedef struct example {
    const char *name;
    double time;
    double near;
    const char *why; // it is shorter, or looser; NULL: it is not
} example;

static const example LIST[] = {
    {"andrews", 0.05, 1e-13,
     "a mechanism of milliseconds, in which rounding grows with every turn"},
    {"beghin_servo", 100.0, 1e-11,
     "it ends where a multiplier is infinite, whose digits are those of the place"},
    {"bertrand", 100.0, 1e-13, NULL},
    {"bouncing_ball", 100.0, 1e-13, NULL},
    {"bricard", 100.0, 1e-13, NULL},
    {"chain", 100.0, 1e-12, "its rods whip: rounding grows a thousandfold"},
    {"chain_3d", 10.0, 1e-13, "it takes a quarter of a minute for every hundred units of time"},
    {"changing_mass", 100.0, 1e-13, NULL},
    {"chaplygin_sleigh", 100.0, 1e-13, NULL},
    {"chetaev_system", 100.0, 1e-13, NULL},
    {"circle_tangential_force", 10.0, 1e-13,
     "its speed grows for ever, and the same error of time is more and more"},
    {"control_loop", 2.0, 1e-12, "the pendulum falls"},
    {"corner", 100.0, 1e-13, NULL},
    {"double_pendulum", 5.0, 1e-13, "chaotic"},
    {"fekete_points", 100.0, 1e-13, NULL},
    {"flywheel", 100.0, 1e-13, NULL},
    {"four_bar", 100.0, 1e-9, "it passes singular configurations, each of which costs digits"},
    {"hoop", 100.0, 1e-13, NULL},
    {"inverse_problem", 100.0, 1e-13, NULL},
    {"jumping_ball", 100.0, 1e-13, NULL},
    {"knife_edge", 100.0, 1e-13, NULL},
    {"lorenz", 100.0, 1e-13, NULL},
    {"lorenz_change", 100.0, 1e-13, NULL},
    {"lorenz_chetaev", 100.0, 1e-13, NULL},
    {"moving_circle", 100.0, 1e-13, NULL},
    {"oscillator_speed_floor", 100.0, 1e-13, NULL},
    {"pendulum", 100.0, 1e-13, NULL},
    {"pendulum_cartesian", 100.0, 1e-13, NULL},
    {"pendulum_program", 100.0, 1e-13, NULL},
    {"quarter_car", 15.0, 1e-13,
     "at rest behind the road rounding decides how often it is seen to touch"},
    {"ratchet", 100.0, 1e-13, NULL},
    {"ratchet_two_principles", 100.0, 1e-13, NULL},
    {"rattleback", 5.0, 1e-11, "it turns over: rounding grows with the instability that does it"},
    {"relative_degree_three", 100.0, 1e-13, NULL},
    {"rolling_disc", 100.0, 1e-13, NULL},
    {"rolling_torus", 100.0, 1e-13, NULL},
    {"servo_rod", 100.0, 1e-13, NULL},
    {"skate_on_incline", 100.0, 1e-13, NULL},
    {"sleigh_gravity", 10.0, 1e-13, "each of hundreds of changes of its mode multiplies rounding"},
    {"sleigh_offset", 100.0, 1e-13, NULL},
    {"sleigh_one_sided", 100.0, 1e-13, NULL},
    {"sleigh_torque", 100.0, 1e-13, NULL},
    {"speed_floor", 100.0, 1e-13, NULL},
    {"speed_limit", 100.0, 1e-13, NULL},
    {"stick_slip", 100.0, 1e-13, NULL},
    {"two_link_arm_program", 100.0, 1e-11, "its reactions are differences of larger terms"},
    {"two_mass_rod", 100.0, 1e-13, NULL},
    {"van_der_pol", 100.0, 1e-13, NULL},
    {"velocity_program", 100.0, 1e-13, NULL},
    {"verdict_rules", 100.0, 1e-13, NULL},
    {"wheeled_vehicle_program", 100.0, 1e-13, NULL},
    {"whipple_bicycle", 20.0, 1e-13,
     "its contact points are as far from the start as it has come, and so are their errors"},
    {"woodpecker", 1.0, 1e-12, "impacts multiply rounding until it is caught by its cycle"},
};
enum { COUNT = sizeof LIST / sizeof LIST[0] };

static const double TIMES[] = {0.0, 1.0, 1.5, 4.0, 20.0};
static const double HEIGHTS[] = {0.0, 0.05, 0.05, -0.02, 0.0};
static const rh_feed ROAD = {.name = "road", .times = TIMES, .values = HEIGHTS, .count = 5};
static const rh_feed PUSH = {.name = "u", .times = TIMES, .values = HEIGHTS, .count = 5};

static void every_example(void **unused)
{
    (void)unused;
    for (size_t k = 0; k < COUNT; k++) {
        const example *it = &LIST[k];
        char path[256];
        (void)snprintf(path, sizeof path, "examples/%s/model.rhe", it->name);
        const rh_feed *feed = strcmp(it->name, "quarter_car") == 0    ? &ROAD
                              : strcmp(it->name, "control_loop") == 0 ? &PUSH
                                                                      : NULL;
        const course what = {path, it->time, 0.0, it->near, feed};
        compare_tiers(&what);
    }
}

static bool is_listed(const char *name)
{
    bool found = false;
    for (size_t k = 0; k < COUNT; k++) {
        found = found || strcmp(LIST[k].name, name) == 0;
    }
    return found;
}

// Whoever adds an example adds a row, and whoever asks for less says why.
static void none_is_left_out(void **unused)
{
    (void)unused;
    DIR *folder = opendir(RH_SOURCE_DIR "/examples");
    assert_non_null(folder);
    size_t models = 0;
    for (const struct dirent *entry = readdir(folder); entry != NULL; entry = readdir(folder)) {
        char path[1024];
        (void)snprintf(path, sizeof path, RH_SOURCE_DIR "/examples/%s/model.rhe", entry->d_name);
        FILE *file = entry->d_name[0] != '.' ? fopen(path, "r") : NULL;
        if (file != NULL) {
            (void)fclose(file);
            models++;
            if (!is_listed(entry->d_name)) {
                fail_msg("examples/%s is not in the table", entry->d_name);
            }
        }
    }
    (void)closedir(folder);
    assert_int_equal(models, COUNT);
    for (size_t k = 0; k < COUNT; k++) {
        if ((LIST[k].time < WHOLE || LIST[k].near > ALIKE) != (LIST[k].why != NULL)) {
            fail_msg("%s: is there a reason, and is there need of one?", LIST[k].name);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(none_is_left_out),
        cmocka_unit_test(every_example),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
