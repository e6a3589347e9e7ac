// SPDX-License-Identifier: Apache-2.0
// Is a reaction ideal, does it keep its constraint, which one-sided constraints act at the start,
// and what control do servo and type II reactions have (cases R05, R06, R09, R12, R13, R14, R20,
// R22, R23).

#include "examined.h"

// --- ideal or not, keeping or not
// ------------------------------------------------------------------

typedef struct verdict {
    const char *path;
    bool is_ideal, keeps;
    double ideality, virtual_work;
} verdict;

static void assert_rod(const examined *it, const verdict *expected)
{
    const rh_link_report *report = report_of(it, "rod");
    assert_int_equal(report->is_ideal, expected->is_ideal);
    assert_int_equal(report->keeps, expected->keeps);
    assert_near(report->ideality, expected->ideality, 1e-14);
    assert_near(report->virtual_work, expected->virtual_work, 1e-13);
}

static void rods_on_a_line(void **state)
{
    (void)state;
    static const verdict files[] = {
        {"examples/servo_rod/ideal.rhe", true, true, 0.0, 0.0},
        {"examples/servo_rod/model.rhe", false, true, 0.70710678118654752440, 15.0},
        {"examples/servo_rod/reaction_ideal.rhe", true, true, 0.0, 0.0},
        {"examples/servo_rod/reaction_servo.rhe", false, true, 0.70710678118654752440, 15.0},
    };
    for (size_t k = 0; k < sizeof files / sizeof *files; k++) {
        examined it = examine_file(files[k].path);
        assert_rod(&it, &files[k]);
        examined_end(&it);
    }
    examined ideal = examine_file("examples/servo_rod/ideal.rhe");
    assert_near(report_of(&ideal, "rod")->reaction[0], -6.0, 1e-14);
    assert_near(report_of(&ideal, "rod")->reaction[1], 6.0, 1e-14);
    assert_true(isnan(report_of(&ideal, "rod")->control));
    examined_end(&ideal);
    examined servo = examine_file("examples/servo_rod/model.rhe");
    const uint32_t *begin = servo.equations->push.begin;
    assert_int_equal(begin[1] - begin[0], 1); // it pushes one end
    assert_near(report_of(&servo, "rod")->reaction[0], 15.0, 1e-14);
    assert_near(report_of(&servo, "rod")->control, 1.0 / 3.0, 1e-14);
    examined_end(&servo);
}

#define ROD                                                                                        \
    "coord x1, x2\nkinetic x1'^2 + 3*x2'^2/2\nforce x1: 10\n"                                      \
    "start x1 = 0, x2 = 1, x1' = 0, x2' = 0\n"

static void proposed_reactions_are_judged_twice(void **state)
{
    (void)state;
    static const verdict texts[] = {
        {ROD "constraint rod: x2 - x1 = 1 by reaction(x1: -5, x2: 5)\n", true, false, 0.0, 0.0},
        {ROD "constraint rod: x2 - x1 = 1 by reaction(x1: 1, x2: 2)\n", false, false,
         3.0 / 3.16227766016837933200, 3.0},
        {ROD "constraint rod: x2 - x1 = 1 by reaction(x1: -10, x2: 0)\n", false, true,
         0.70710678118654752440, -10.0},
        {ROD "constraint rod: x2 - x1 = 1 by reaction(x1: 0, x2: 0)\n", true, false, 0.0, 0.0},
    };
    for (size_t k = 0; k < sizeof texts / sizeof *texts; k++) {
        examined it = examine_text(texts[k].path);
        assert_rod(&it, &texts[k]);
        assert_int_equal(it.checkup->degrees_of_freedom, 2); // nothing is enforced
        examined_end(&it);
    }
}

// Friction pulls back to its constraint, it does not keep it.
static void friction_does_not_keep(void **state)
{
    (void)state;
    examined it = examine_text("coord x, y\nkinetic (x'^2 + y'^2)/2\nforce x: 1\n"
                               "constraint drag: x' + y' = 0 by friction(100)\n"
                               "start x' = 0.25, y' = 0\n");
    const rh_link_report *report = report_of(&it, "drag");
    assert_false(report->keeps);
    assert_true(report->is_ideal);
    assert_near(report->multiplier, -25.0, 1e-13);
    assert_near(report->reaction[1], -25.0, 1e-13);
    assert_int_equal(it.checkup->row_count, 0);
    examined_end(&it);
}

// A motor that has nothing to do at the start is a motor still.
static void a_servo_at_rest_is_not_ideal(void **state)
{
    (void)state;
    examined it = examine_text("coord x1, x2\nkinetic x1'^2 + 3*x2'^2/2\n"
                               "constraint rod: x2 - x1 = 1 by servo(x2: 1)\n"
                               "start x1 = 0, x2 = 1, x1' = 0, x2' = 0\n");
    const rh_link_report *report = report_of(&it, "rod");
    assert_near(report->multiplier, 0.0, 1e-15);
    assert_false(report->is_ideal);
    assert_near(report->ideality, 0.70710678118654752440, 1e-14);
    assert_near(report->virtual_work, 0.0, 1e-15);
    examined_end(&it);
}

// Two constraints: work is asked for on what both allow.
static void other_constraints_limit_displacements(void **state)
{
    (void)state;
    examined it = examine_text("coord x, y\nkinetic (x'^2 + y'^2)/2\nforce x: 1\nforce y: 2\n"
                               "constraint a: x = 0\nconstraint b: y = 0 by servo(y: 1, x: 3)\n");
    assert_true(report_of(&it, "a")->is_ideal);
    assert_true(report_of(&it, "b")->is_ideal); // nothing is left to be displaced
    examined_end(&it);
}

// --- R05
// -------------------------------------------------------------------------------------------

static void assert_rod_in_space(const char *path, double lambda, double x, double z)
{
    examined it = examine_file(path);
    const rh_link_report *report = report_of(&it, "rod");
    const double expected[] = {x, 0.0, z, -x, 0.0, -z};
    assert_near(report->multiplier, lambda, 1e-14);
    assert_true(report->is_ideal && report->keeps);
    assert_int_equal(it.equations->carriers.count, 6);
    double force[3] = {0};
    for (uint32_t k = 0; k < 6; k++) {
        assert_near(report->reaction[k], expected[k], 1e-13);
        force[k % 3] += report->reaction[k];
    }
    // no work on translations, none on rotations: d x R2 with d = (3, 0, 4)
    const double *r = report->reaction + 3;
    const double torque[] = {0.0 * r[2] - 4.0 * r[1], 4.0 * r[0] - 3.0 * r[2], 3.0 * r[1]};
    for (uint32_t k = 0; k < 3; k++) {
        assert_near(force[k], 0.0, 1e-14);
        assert_near(torque[k], 0.0, 1e-13);
    }
    examined_end(&it);
}

static void rods_in_space(void **state)
{
    (void)state;
    assert_rod_in_space("examples/two_mass_rod/model.rhe", -0.816, 4.896, 6.528);
    assert_rod_in_space("examples/two_mass_rod/weight_masses.rhe", -0.816, 4.896, 6.528);
    assert_rod_in_space("examples/two_mass_rod/weight_unit.rhe", -0.34, 2.04, 2.72);
}

// --- one-sided constraints at the start
// -----------------------------------------------------------

typedef struct contact {
    const char *path, *name;
    bool is_active;
    double multiplier;
} contact;

static void assert_contact(const examined *it, const contact *expected)
{
    const rh_link_report *report = report_of(it, expected->name);
    if (report->is_active != expected->is_active) {
        fail_msg("%s of %s acts: %d", expected->name, expected->path, report->is_active);
    }
    assert_near(report->multiplier, expected->multiplier, 1e-12);
    if (expected->is_active) {
        assert_true(report->keeps);
    }
}

static void contacts_act_or_not(void **state)
{
    (void)state;
    static const contact contacts[] = {
        {"examples/sleigh_one_sided/model.rhe", "blade", false, 0.0},
        {"examples/sleigh_one_sided/reversed.rhe", "blade", true, 1.0},
        {"tests/golden/models/r17_at_five.rhe", "blade", true, 1.0},
        {"tests/golden/models/r17_two_sided.rhe", "blade", true, -1.0},
        {"tests/golden/models/r16_neutral.rhe", "blade", true, 0.0},
        {"examples/sleigh_offset/model.rhe", "blade", false, 0.0},
        {"examples/sleigh_torque/model.rhe", "blade", true, 1.3},
        {"examples/speed_floor/model.rhe", "speed", false, 0.0},
        {"examples/bouncing_ball/model.rhe", "floor", false, 0.0},
        {"examples/beghin_servo/one_sided.rhe", "aim", true, 2.8824746956289802666},
        {"examples/beghin_servo/negative_grip_stays.rhe", "aim", true, -5.2506463376995802058},
        {"examples/beghin_servo/negative_grip_leaves.rhe", "aim", false, 0.0},
        {"examples/corner/model.rhe", "one", true, 1.2371517158435249663},
        {"examples/corner/model.rhe", "two", true, 0.59928192325525375034},
        {"tests/golden/models/r20_l1.rhe", "one", false, 0.0},
        {"tests/golden/models/r20_l1.rhe", "two", true, 0.5},
        {"tests/golden/models/r20_l2.rhe", "one", false, 0.0},
        {"tests/golden/models/r20_l2.rhe", "two", true, 2.0},
        {"tests/golden/models/r20_l3.rhe", "one", true, 0.6},
        {"tests/golden/models/r20_l3.rhe", "two", true, 1.2},
        {"tests/golden/models/r25c_before.rhe", "two", false, 0.0},
    };
    for (size_t k = 0; k < sizeof contacts / sizeof *contacts; k++) {
        examined it = examine_file(contacts[k].path);
        assert_contact(&it, &contacts[k]);
        examined_end(&it);
    }
}

// R20 L3: the reaction is unique where the multipliers are not.
static void a_doubled_contact(void **state)
{
    (void)state;
    examined it = examine_file("tests/golden/models/r20_l3.rhe");
    const rh_link_report *one = report_of(&it, "one");
    const rh_link_report *two = report_of(&it, "two");
    assert_near(one->reaction[0] + two->reaction[0], 3.0, 1e-14);
    assert_false(one->is_unique || two->is_unique);
    examined_end(&it);
}

// R12 on the constraint: at the switch-on lambda = J m w u/(J + m a^2), later it lets go.
static void the_offset_sleigh_on_its_blade(void **state)
{
    (void)state;
    size_t size = 0;
    char *text = support_read("examples/sleigh_offset/model.rhe", &size);
    // th = -7 pi/6: u = -sqrt(3)/2 along the blade, lat = 0, lambda = w u/1.25
    const char *const on[] = {"th=-7*pi/6", "x'=3/4", "y'=-sqrt(3)/4", "th'=-1", NULL};
    examined it = examine_with(text, NULL, on);
    assert_int_equal(it.status, RH_OK);
    assert_contact(&it, &(contact){"R12", "blade", true, 0.86602540378443864676 / 1.25});
    examined_end(&it);
    const char *const off[] = {"th=0", "x'=1", "y'=0", "th'=-1", NULL};
    it = examine_with(text, NULL, off);
    assert_int_equal(it.status, RH_OK);
    assert_contact(&it, &(contact){"R12", "blade", false, 0.0});
    examined_end(&it);
    const char *const wrong[] = {"th=0", "x'=1", "y'=-0.1", "th'=0", NULL};
    it = examine_with(text, NULL, wrong);
    assert_int_equal(it.status, RH_E_MODEL);
    assert_string_equal(rh_checkup_diagnostic(it.checkup, 0).code, "E408");
    examined_end(&it);
    free(text);
}

// With equalities the free motion is the one that keeps them: x' >= 0 is pushed by y alone.
static void contacts_beside_equalities(void **state)
{
    (void)state;
    static const struct {
        const char *force;
        bool is_active;
        double multiplier;
    } cases[] = {{"force x: 1\nforce y: -3\n", true, 2.0}, {"force x: -1\nforce y: 3\n", false, 0}};
    for (size_t k = 0; k < 2; k++) {
        char text[512];
        (void)snprintf(text, sizeof text,
                       "coord x, y\nkinetic (x'^2 + y'^2)/2\n%sconstraint tie: x = y\n"
                       "constraint stop: x' >= 0\nstart x = 0, x' = 0\n",
                       cases[k].force);
        examined it = examine_text(text);
        assert_contact(&it, &(contact){text, "stop", cases[k].is_active, cases[k].multiplier});
        examined_end(&it);
    }
}

static void many_contacts_act_together(void **state)
{
    (void)state;
    examined it = examine_text("param n = 10\ncoord x[1..n]\nkinetic sum(i in 1..n: x[i]'^2)/2\n"
                               "for i in 1..n: force x[i]: if(i == 3 or i == 7, 1, -i)\n"
                               "for i in 1..n: constraint c[i]: x[i]' >= 0\n"
                               "start x = 0, x' = 0\n");
    for (uint32_t k = 0; k < 10; k++) {
        const bool is_free = k == 2 || k == 6;
        assert_int_equal(it.checkup->links[k].is_active, !is_free);
        assert_near(it.checkup->links[k].multiplier, is_free ? 0.0 : k + 1.0, 1e-13);
    }
    examined_end(&it);
}

// --- control -----------------------------------------------------------------------------------

static void assert_control(const char *path, const char *name, const char *const *start,
                           double expected)
{
    size_t size = 0;
    char *text = support_read(path, &size);
    examined it = examine_with(text, NULL, start);
    assert_int_equal(it.status, RH_OK);
    assert_near(report_of(&it, name)->control, expected, 1e-13);
    examined_end(&it);
    free(text);
}

static void servos_have_control(void **state)
{
    (void)state;
    assert_control("examples/beghin_servo/model.rhe", "aim", NULL, cos(1.0));
    assert_control("examples/beghin_servo/negative_grip_stays.rhe", "aim", NULL, cos(2.0));
    assert_control("examples/beghin_servo/negative_grip_leaves.rhe", "aim", NULL, cos(4.0));
    assert_control("tests/golden/models/r14_control_d1.rhe", "blade", NULL, 0.5);
    assert_control("tests/golden/models/r14_control_d3.rhe", "blade", NULL, -0.5);
    assert_control("tests/golden/models/r14_control_body.rhe", "blade", NULL, 0.5);
}

// pi_lam = f_v (A + lambda phi_vv)^-1 phi_v
static void type_two_has_control(void **state)
{
    (void)state;
    assert_control("examples/flywheel/model.rhe", "axis", NULL, 0.26666666666666666667);
    assert_control("examples/flywheel/vakonomic.rhe", "axis", NULL, 1.0 / 3.0);
    assert_control("examples/changing_mass/model.rhe", "speed", NULL, 1.0);
    const char *const later[] = {"x'=0.44721359549995793928", "y'=-0.89442719099991587856",
                                 "lambda.speed=0.34164078649987381785", NULL};
    assert_control("examples/changing_mass/model.rhe", "speed", later, 0.7453559924999298988);
    assert_control("tests/golden/models/r23b_vakonomic_half.rhe", "skate", NULL, 1.0);
}

// What is ideal at one state need not be: directions that agree with the gradient at the start
// only, reactions that happen to be zero there, other one-sided constraints that hold the rest.
static void ideality_is_no_matter_of_one_state(void **state)
{
    (void)state;
    static const struct {
        const char *by, *more;
        bool is_ideal;
    } ALL[] = {
        {"x' = 0 by servo(x: 1, y: y)", "start y = 0, y' = 1\n", false},
        {"x' = 0 by servo(x: 1, y: y)", "force x: 1\nstart y = 0, y' = 1\n", false},
        {"x' = 0 by servo(x: 1, y: 1e-9*y)", "scale y = 1e9\nstart y = 0, y' = 1e9\n", false},
        {"x' = 0 by servo(x: 2 + y)", "start y = 0, y' = 1\n", true},
        {"x' >= 0 by servo(x: 3, y: 3)", "force x: -1\nconstraint b: y' >= 0\n", false},
        {"x' >= 0 by servo(x: 3)", "force x: -1\nconstraint b: y' >= 0\n", true},
        {"x' = 0 by servo(x: 1, y: 1)", "constraint b: y' = 0\n", true},
        {"x' = y*y' by vakonomic", "start x' = 0, y' = 1, y = 0, lambda.a = 0\n", true},
        {"x' = z*y' by vakonomic", "start x' = 0, y' = 1, z = 0, lambda.a = 0\n", false},
        {"x' = z*y' by ideal", "start x' = 0, y' = 1, z = 0\n", true},
    };
    for (size_t k = 0; k < sizeof ALL / sizeof *ALL; k++) {
        char text[512];
        (void)snprintf(text, sizeof text,
                       "coord x, y, z\nkinetic (x'^2 + y'^2 + z'^2)/2\nconstraint a: %s\n%s",
                       ALL[k].by, ALL[k].more);
        examined it = examine_text(text);
        if (report_of(&it, "a")->is_ideal != ALL[k].is_ideal) {
            fail_msg("%s is said to be %sideal", ALL[k].by, ALL[k].is_ideal ? "not " : "");
        }
        examined_end(&it);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ideality_is_no_matter_of_one_state),
        cmocka_unit_test(rods_on_a_line),
        cmocka_unit_test(proposed_reactions_are_judged_twice),
        cmocka_unit_test(friction_does_not_keep),
        cmocka_unit_test(a_servo_at_rest_is_not_ideal),
        cmocka_unit_test(other_constraints_limit_displacements),
        cmocka_unit_test(rods_in_space),
        cmocka_unit_test(contacts_act_or_not),
        cmocka_unit_test(a_doubled_contact),
        cmocka_unit_test(the_offset_sleigh_on_its_blade),
        cmocka_unit_test(contacts_beside_equalities),
        cmocka_unit_test(many_contacts_act_together),
        cmocka_unit_test(servos_have_control),
        cmocka_unit_test(type_two_has_control),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
