// SPDX-License-Identifier: Apache-2.0
// Work along motions (src/motion/work.c, src/equations/power.c), against closed forms. Every motion
// is balanced too: what is missing of the change of energy is rounding.

#include "moving.h"

static const double NONE = 0.0;

typedef struct shares {
    double forces, impacts, drive;
    double constraints[4];
} shares;

typedef struct result {
    rh_work_summary summary;
    double constraints[4];
} result;

static result count(moving *it, double t_end)
{
    rh_work *work = NULL;
    rh_stop stop = RH_STOP_NONE;
    assert_int_equal(rh_work_create(it->motion, &work, &it->err), RH_OK);
    while (stop == RH_STOP_NONE) {
        assert_int_equal(rh_motion_step(it->motion, t_end, &stop, &it->err), RH_OK);
        assert_int_equal(rh_work_add(work, &it->err), RH_OK);
        // a step counts once
        assert_int_equal(rh_work_add(work, &it->err), RH_OK);
    }
    assert_int_equal(stop, RH_STOP_REACHED);
    result found = {.summary = rh_work_summarise(work)};
    for (size_t k = 0; k < 4; k++) {
        found.constraints[k] = rh_work_constraint(work, k);
    }
    rh_work_destroy(work);
    return found;
}

static void near(const char *text, const char *what, double found, double wanted, double tolerance)
{
    if (!(fabs(found - wanted) <= tolerance * (1.0 + fabs(wanted)))) {
        fail_msg("%s is %.17g, expected %.17g, in:\n%s", what, found, wanted, text);
    }
}

static void check(const char *text, double t_end, const shares *wanted)
{
    for (int is_plain = 0; is_plain < 2; is_plain++) {
        const moving_conditions with = {.is_plain = is_plain != 0};
        moving it = moving_begin(text, &with);
        const result found = count(&it, t_end);
        near(text, "forces", found.summary.forces, wanted->forces, 1e-12);
        near(text, "impacts", found.summary.impacts, wanted->impacts, 1e-12);
        near(text, "drive", found.summary.drive, wanted->drive, 1e-12);
        double sum = 0.0;
        for (size_t k = 0; k < 4 && !isnan(found.constraints[k]); k++) {
            near(text, "a reaction", found.constraints[k], wanted->constraints[k], 1e-12);
            sum += found.constraints[k];
        }
        near(text, "the sum of reactions", found.summary.constraints, sum, 1e-15);
        assert_true(found.summary.has_energy);
        near(text, "missing", found.summary.error, NONE, 1e-12);
        moving_end(&it);
    }
}

// --- reactions -----------------------------------------------------------------------------------

static const char ROD[] = "coord a, b\nkinetic a'^2 + 3*b'^2/2\nforce a: 10\n"
                          "constraint rod: b - a = 1 by %s\nstart a = 0, a' = 0\n";

// R06: the servo does 15 per unit of length, the ideal rod nothing.
static void a_servo_does_work(void **state)
{
    (void)state;
    char text[200];
    (void)snprintf(text, sizeof text, ROD, "servo(b: 1)");
    check(text, 2.0, &(shares){.forces = 10.0 * 10.0, .constraints = {15.0 * 10.0}});
    (void)snprintf(text, sizeof text, ROD, "ideal");
    check(text, 2.0, &(shares){.forces = 10.0 * 4.0, .constraints = {0.0}});
}

static void a_pendulum_is_left_alone(void **state)
{
    (void)state;
    check("coord x, y\nkinetic (x'^2 + y'^2)/2\npotential 9.81*y\n"
          "constraint rod: x^2 + y^2 = 1\nstart x = 1, y = 0, x' = 0, y' = 0\n",
          10.0, &(shares){.forces = 0.0});
}

// A force that changes much faster than the state: the powers are integrated by their own time.
static void a_fast_force_against_a_rail(void **state)
{
    (void)state;
    const double done = sin(50.0) / 50.0;
    check("coord x\nkinetic x'^2/2\nforce x: cos(50*t)\nconstraint go: x' = 1\n"
          "start x = 0\n",
          1.0, &(shares){.forces = done, .constraints = {-done}});
}

// A rail that rises carries its load: m g h and what is in the motion.
static void a_moving_rail_lifts(void **state)
{
    (void)state;
    check("coord x, y\nkinetic (x'^2 + y'^2)/2\npotential 2*y\nconstraint rail: y = t^2\n"
          "start x = 0, x' = 1, y = 0, y' = 0\n",
          3.0, &(shares){.constraints = {2.0 * 9.0 + 6.0 * 6.0 / 2.0}});
}

static void friction_takes(void **state)
{
    (void)state;
    const double left = exp(-2.0 * 0.5 * 2.0);
    check("coord x\nkinetic x'^2/2\nconstraint stop: x' = 0 by friction(0.5)\n"
          "start x = 0, x' = 1\n",
          2.0, &(shares){.constraints = {-(1.0 - left) / 2.0}});
    check("coord x\nkinetic x'^2/2\ndissipation x'^2/4\nstart x = 0, x' = 1\n", 2.0,
          &(shares){.forces = -(1.0 - left) / 2.0});
}

// R22: the force works, the changing mass takes it away; closed form y = 1 - |P|.
static void a_changing_mass_takes(void **state)
{
    (void)state;
    const double y = 1.0 - hypot(0.6, 1.2);
    check("coord x, y\nkinetic (x'^2 + y'^2)/2\nforce y: -1\n"
          "constraint speed: x'^2 + y'^2 = 1 by inertia((x'^2 + y'^2)/2)\n"
          "start x = 0, y = 0, x' = 0.6, y' = 0.8, lambda.speed = 0\n",
          2.0, &(shares){.forces = -y, .constraints = {y}});
}

// R23 (b): linear and homogeneous, so the vakonomic blade does nothing; the incline does x.
static void a_vakonomic_blade_does_nothing(void **state)
{
    (void)state;
    check("coord x, y, th\nkinetic (x'^2 + y'^2 + th'^2)/2\nforce x: 1\n"
          "constraint skate: x'*sin(th) - y'*cos(th) = 0 by vakonomic\n"
          "start x = 0, y = 0, th = 0, x' = 0, y' = 0, th' = 1, lambda.skate = 0.5\n",
          2.0, &(shares){.forces = 0.20181391425462507105});
}

// R23 (a): energy from 0.75 to 1.2100247330032712542 through the axis alone.
static void a_flywheel_is_driven_by_its_axis(void **state)
{
    (void)state;
    moving it = moving_file("examples/flywheel/model.rhe", NULL);
    const result found = count(&it, 5.0);
    near("flywheel", "axis", found.constraints[0], 1.2100247330032712542 - 0.75, 1e-12);
    near("flywheel", "missing", found.summary.error, NONE, 1e-12);
    moving_end(&it);
}

// --- forces and drives
// -----------------------------------------------------------------------------

// x'' = -x + cos t at rest: x = t sin(t)/2, and the force gave all there is.
static void resonance_feeds(void **state)
{
    (void)state;
    const double t = 10.0;
    const double x = t * sin(t) / 2.0;
    const double v = (sin(t) + t * cos(t)) / 2.0;
    check("coord x\nkinetic x'^2/2\npotential x^2/2\nforce x: cos(t)\nstart x = 0, x' = 0\n", t,
          &(shares){.forces = (x * x + v * v) / 2.0});
}

// Dry friction brings the block to rest, where it stays: the force goes on and does nothing.
static void dry_friction_comes_to_rest(void **state)
{
    (void)state;
    check("coord x\nkinetic x'^2/2\nforce x: -sign(x')/2\nstart x = 0, x' = 1\n", 5.0,
          &(shares){.forces = -0.5});
}

static void energies_are_driven(void **state)
{
    (void)state;
    const double t = 2.0;
    // a potential that moves: x'' = t
    check("coord x\nkinetic x'^2/2\npotential -t*x\nstart x = 0, x' = 0\n", t,
          &(shares){.drive = -pow(t, 4) / 24.0});
    // a kinetic energy that is not quadratic: 2 x' + t^2/2 = 0
    check("coord x\nkinetic (x' + t^2/2)^2/2 + x'^2/2\nstart x = 0, x' = 0\n", t,
          &(shares){.drive = pow(t, 4) / 16.0});
    // a mass that grows by its own law: (1 + t) x' = 1
    check("coord x\nstate m\nkinetic m*x'^2/2\nlaw m' = 1\nstart x = 0, x' = 1, m = 1\n", t,
          &(shares){.drive = 1.0 / (2.0 * (1.0 + t)) - 0.5});
    // an input in the potential: the same as time in it
    check("coord x\ninput u = t\nkinetic x'^2/2\npotential -u*x\nstart x = 0, x' = 0\n", t,
          &(shares){.drive = -pow(t, 4) / 24.0});
}

// An input from a table, in the potential: x'' = u. It rises to 1 at t = 1, when x is 1/6, and
// jumps to 3 there, which changes the energy at once.
static void tables_drive(void **state)
{
    (void)state;
    const double times[] = {0.0, 1.0, 1.0, 2.0};
    const double values[] = {0.0, 1.0, 3.0, 3.0};
    const rh_feed feed = {.name = "u", .times = times, .values = values, .count = 4};
    const moving_conditions with = {.feeds = &feed, .feed_count = 1};
    static const char TEXT[] = "coord x\ninput u from \"u.csv\"\nkinetic x'^2/2\npotential -u*x\n"
                               "start x = 0, x' = 0\n";
    moving it = moving_begin(TEXT, &with);
    const result found = count(&it, 2.0);
    near(TEXT, "drive", found.summary.drive, -1.0 / 24.0, 1e-12);
    near(TEXT, "impacts", found.summary.impacts, -2.0 / 6.0, 1e-12);
    near(TEXT, "missing", found.summary.error, NONE, 1e-12);
    moving_end(&it);
}

// Inertia of a law is in no energy. Together x'' = -x, and V = 3 x is changed by the law alone.
static void laws_count_as_forces(void **state)
{
    (void)state;
    const double t = 2.0;
    check(
        "coord x, y\nkinetic y'^2/2\npotential 3*x\nlaw x'' = -x + 3\nstart x = 1, x' = 0, y = 0, "
        "y' = 0\n",
        t, &(shares){.forces = 3.0 * (cos(t) - 1.0)});
}

// --- jumps
// -----------------------------------------------------------------------------------------

static const char BALL[] = "coord y\nkinetic y'^2/2\npotential 2*y\n"
                           "constraint floor: y >= 0 impact 0.5\nstart y = 1, y' = 0\n";

// The first impact, at t = 1, leaves a quarter; all of them, by t = 3, leave nothing.
static void impacts_take(void **state)
{
    (void)state;
    check(BALL, 1.5, &(shares){.impacts = -2.0 * 0.75});
    check(BALL, 4.0, &(shares){.impacts = -2.0});
}

static void resets_are_jumps(void **state)
{
    (void)state;
    check("coord x\nkinetic x'^2/2\nstart x = 0, x' = 1\nevent gate: x = 1 reset x' = 3\n", 2.0,
          &(shares){.impacts = 4.0});
}

// --- more
// ------------------------------------------------------------------------------------------

static void every_example_is_balanced(void **state)
{
    (void)state;
    static const char *const MODELS[] = {"sleigh_one_sided", "sleigh_offset", "corner",
                                         "rolling_disc",     "four_bar",      "chain",
                                         "pendulum_program", "woodpecker",    "speed_floor"};
    for (size_t k = 0; k < sizeof MODELS / sizeof *MODELS; k++) {
        char path[80];
        (void)snprintf(path, sizeof path, "examples/%s/model.rhe", MODELS[k]);
        moving it = moving_file(path, NULL);
        const result found = count(&it, 1.0);
        assert_true(found.summary.has_energy);
        const double size = fabs(rh_motion_summarise(it.motion).energy_start);
        near(path, "missing", found.summary.error / (1.0 + size), NONE, 1e-12);
        moving_end(&it);
    }
}

static void methods_agree(void **state)
{
    (void)state;
    static const rh_method METHODS[] = {RH_METHOD_DOP853, RH_METHOD_CVODE, RH_METHOD_IDA};
    char text[200];
    (void)snprintf(text, sizeof text, ROD, "servo(b: 1)");
    for (size_t k = 0; k < 3; k++) {
        const moving_conditions with = {.method = METHODS[k], .tolerance = 1e-10};
        moving it = moving_begin(text, &with);
        const result found = count(&it, 2.0);
        near(text, "forces", found.summary.forces, 100.0, 1e-8);
        near(text, "rod", found.constraints[0], 150.0, 1e-8);
        moving_end(&it);
    }
}

static void without_energies_there_is_no_balance(void **state)
{
    (void)state;
    moving it = moving_begin("state x\nlaw x' = -x\nstart x = 1\n", NULL);
    const result found = count(&it, 1.0);
    assert_false(found.summary.has_energy);
    assert_true(isnan(found.constraints[0]));
    moving_end(&it);
    it = moving_begin("coord x\nlaw 2*x'' = 6\nstart x = 0, x' = 0\n", NULL);
    const result law = count(&it, 1.0);
    assert_false(law.summary.has_energy);
    near("law", "forces", law.summary.forces, 6.0 * 1.5, 1e-12);
    moving_end(&it);
}

static void adding_asks_for_no_memory(void **state)
{
    (void)state;
    support_memory memory = {0};
    const moving_conditions with = {.memory = &memory};
    moving it = moving_begin(BALL, &with);
    rh_work *work = NULL;
    rh_stop stop = RH_STOP_NONE;
    assert_int_equal(rh_work_create(it.motion, &work, NULL), RH_OK);
    while (stop == RH_STOP_NONE) {
        assert_int_equal(rh_motion_step(it.motion, 1.5, &stop, NULL), RH_OK);
        const size_t before = memory.request_count;
        assert_int_equal(rh_work_add(work, NULL), RH_OK);
        assert_int_equal(memory.request_count, before);
    }
    rh_work_destroy(work);
    moving_end(&it);
    assert_int_equal(memory.block_count, 0);
}

static void failing_memory_is_said(void **state)
{
    (void)state;
    rh_status status = RH_E_MEMORY;
    for (size_t k = 1; status == RH_E_MEMORY; k++) {
        support_memory memory = {0};
        const moving_conditions with = {.memory = &memory};
        moving it = moving_begin(BALL, &with);
        rh_work *work = NULL;
        memory.fail_at = memory.request_count + k;
        status = rh_work_create(it.motion, &work, NULL);
        assert_true(status == RH_OK || (status == RH_E_MEMORY && work == NULL));
        rh_work_destroy(work);
        moving_end(&it);
        assert_int_equal(memory.block_count, 0);
    }
    assert_int_equal(status, RH_OK);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_servo_does_work),
        cmocka_unit_test(a_pendulum_is_left_alone),
        cmocka_unit_test(a_fast_force_against_a_rail),
        cmocka_unit_test(a_moving_rail_lifts),
        cmocka_unit_test(friction_takes),
        cmocka_unit_test(a_changing_mass_takes),
        cmocka_unit_test(a_vakonomic_blade_does_nothing),
        cmocka_unit_test(a_flywheel_is_driven_by_its_axis),
        cmocka_unit_test(resonance_feeds),
        cmocka_unit_test(dry_friction_comes_to_rest),
        cmocka_unit_test(energies_are_driven),
        cmocka_unit_test(tables_drive),
        cmocka_unit_test(laws_count_as_forces),
        cmocka_unit_test(impacts_take),
        cmocka_unit_test(resets_are_jumps),
        cmocka_unit_test(every_example_is_balanced),
        cmocka_unit_test(methods_agree),
        cmocka_unit_test(without_energies_there_is_no_balance),
        cmocka_unit_test(adding_asks_for_no_memory),
        cmocka_unit_test(failing_memory_is_said),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
