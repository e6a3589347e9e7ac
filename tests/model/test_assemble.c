// SPDX-License-Identifier: Apache-2.0
// Tests of src/model/assemble.c: energies, laws with their inertia, equations, forces, inputs, and
// which variables a reaction may act on. What is expected is observed in the model itself under a
// name.

#include "subject.h"

// --- energies ------------------------------------------------------------------------------------

static void energies_add_up(void **state)
{
    (void)state;
    rh_model *model = make("param m = 2, k = 3\ncoord x[1..3]\nfor i in 1..3: kinetic m*x[i]'^2/2\n"
                           "potential k*x[1]^2\npotential k*x[2]\ndissipation x[3]'^2\n"
                           "lagrangian x[1]*x[2]'\n"
                           "observe kinetic_ = m/2*(x[1]'^2 + x[2]'^2 + x[3]'^2)\n"
                           "observe potential_ = k*(x[1]^2 + x[2])\n"
                           "observe dissipation_ = x[3]'^2\nobserve lagrangian_ = x[1]*x[2]'\n");
    assert_int_equal(model->kinetic.count, 3);
    assert_int_equal(model->potential.count, 2);
    assert_means(model, rh__model_kinetic(model), "kinetic_");
    assert_means(model, rh__model_potential(model), "potential_");
    assert_means(model, rh__model_dissipation(model), "dissipation_");
    assert_means(model, rh__model_lagrangian(model), "lagrangian_");
    rh_model_destroy(model);

    model = make("state x\nlaw x' = -x\n");
    assert_true(rh__expr_is_zero(model->store, rh__model_kinetic(model)));
    assert_true(rh__expr_is_zero(model->store, rh__model_potential(model)));
    rh_model_destroy(model);

    refuse("coord x\nkinetic x''^2\n", "E205");
    refuse("coord x\nkinetic x'^2/2\npotential x''\n", "E205");
    refuse("coord x\nkinetic [x', 1]\n", "E201");
}

// The rate of a state may stand in an energy or a force when no reaction acts on the state; it is
// what the law says.
static void rates_in_energies_are_laws(void **state)
{
    (void)state;
    rh_model *model =
        make("param k = 2\ncoord x\nstate a, b\nlaw k*a' = -a*b\nlaw b' = a\nselect x\n"
             "kinetic (1 + a'^2)*x'^2/2\nforce x: b'\n"
             "observe want = (1 + (a*b/k)^2)*x'^2/2\nobserve force_ = a\n");
    assert_means(model, rh__model_kinetic(model), "want");
    assert_means(model, model->forces.data[0].value, "force_");
    rh_model_destroy(model);
    static const char *const SELECTED = "coord x\nstate a\nlaw a' = -a\nkinetic (1 + a')*x'^2/2\n";
    refuse(SELECTED, "E328");
    refuse("coord x\nstate a\nlaw a' = -a\nkinetic (1 + a')*x'^2/2\nlet twice = 2*T\n", "E328");
    refuse("coord x\nstate a\nlaw a' = -a\nkinetic x'^2/2\nforce x: a'\n", "E328");
}

// --- laws ----------------------------------------------------------------------------------------

static void what_stands_before_is_the_inertia(void **state)
{
    (void)state;
    rh_model *model =
        make("param kappa = 2, m = 3\ncoord q1, q2, q3, q4\nstate eta, xi\n"
             "law q1''          = q1*q2'^2\n"
             "law q1^2*q2''     = -2*q1*q1'*q2'\n"
             "law 2*q3''/m      = q3\n"
             "law (1 + q4^2)*q4'' + q4''*kappa = -q4\n"
             "law kappa*eta'    = -eta + t\n"
             "law -xi'          = xi*q1'\n"
             "observe inertia2 = q1^2\nobserve value2 = -2*q1*q1'*q2'\nobserve inertia3 = 2/m\n"
             "observe inertia4 = 1 + q4^2 + kappa\nobserve inertia5 = kappa\n"
             "observe value5 = t - eta\nobserve value6 = xi*q1'\n");
    assert_int_equal(model->laws.count, 6);
    static const char *const TARGETS[] = {"q1''", "q2''", "q3''", "q4''", "eta'", "xi'"};
    for (uint32_t k = 0; k < 6; k++) {
        assert_shown(model, model->laws.data[k].target, TARGETS[k]);
    }
    const rh_law *laws = model->laws.data;
    assert_true(rh__expr_is_one(model->store, laws[0].inertia));
    assert_means(model, laws[1].inertia, "inertia2");
    assert_means(model, laws[1].value, "value2");
    assert_means(model, laws[2].inertia, "inertia3");
    assert_means(model, laws[3].inertia, "inertia4");
    assert_means(model, laws[4].inertia, "inertia5");
    assert_means(model, laws[4].value, "value5");
    assert_shown(model, laws[5].inertia, "-1");
    assert_means(model, laws[5].value, "value6");
    rh_model_destroy(model);
}

static void wrong_laws_are_refused(void **state)
{
    (void)state;
    refuse("coord x\nlaw x' = 1\n", "E300");
    refuse("coord x\nlaw x'' + 1 = 0\n", "E300");
    refuse("coord x\nlaw x''^2 = 1\n", "E300");
    refuse("coord x, y\nlaw x'' + y'' = 1\nlaw y'' = 0\n", "E300");
    refuse("coord x, y\nlaw x'' = y''\nlaw y'' = 0\n", "E205");
    refuse("state x, y\nlaw x' = y'\nlaw y' = 1\n", "E205");
    refuse("coord x\nlaw x'' = 1\nlaw 2*x'' = 3\n", "E301");
    refuse("state x, y\nlaw x' = 1\n", "E302");
    refuse("coord x\nlaw x'' = 1\nkinetic x'^2/2\n", "E303");
    refuse("coord x\nequation e: x'' = 1\nkinetic x'^2/2\n", "E303");
    refuse("coord x\nequation e: x'' = 1\nlaw x'' = 2\n", "E303");
    refuse("state x[1..3]\nfor i in 1..2: law x[i]' = 1\n", "E302");
}

// --- equations, forces, inputs -------------------------------------------------------------------

static void equations_are_kept_as_written(void **state)
{
    (void)state;
    rh_model *model = make("param N = 2\ncoord q[1..N], z\n"
                           "for i in 1..N: equation e[i]: i*q[i]'' + z'' = q[i]'\n"
                           "equation last: z'' = -z + q[1]''*q[2]''\n"
                           "observe left = 2*q[2]'' + z''\nobserve right = q[2]'\n");
    assert_int_equal(model->equations.count, 3);
    assert_means(model, model->equations.data[1].left, "left");
    assert_means(model, model->equations.data[1].right, "right");
    assert_true(rh__slice_is(model->equations.data[1].row.name, "e"));
    assert_int_equal(model->equations.data[1].row.member, 1);
    assert_true(rh__slice_is(model->equations.data[2].row.name, "last"));
    rh_model_destroy(model);
    refuse("coord x\nequation e: x' = 1\n", "E327");
    refuse("coord x\nstate s\nlaw s' = 1\nequation e: x'' = s'\n", "E205");
}

static void forces_and_inputs(void **state)
{
    (void)state;
    rh_model *model = make("param c = 2\ninput u = sin(c*t)\ninput f from \"push.csv\"\n"
                           "coord x, y[1..2]\nkinetic (x'^2 + dot(y', y'))/2\n"
                           "force x: u - c*x'\nforce x: f\nforce y[2]: x*y[1]\n"
                           "observe first = u - c*x'\nobserve third = x*y[1]\n"
                           "observe course = sin(c*t)\n");
    assert_int_equal(model->forces.count, 3);
    assert_shown(model, model->forces.data[0].target, "x");
    assert_means(model, model->forces.data[0].value, "first");
    assert_shown(model, model->forces.data[1].value, "f");
    assert_shown(model, model->forces.data[2].target, "y[2]");
    assert_means(model, model->forces.data[2].value, "third");
    assert_int_equal(model->inputs.count, 2);
    assert_means(model, model->inputs.data[0].value, "course");
    assert_null(model->inputs.data[0].file);
    assert_string_equal(model->inputs.data[1].file, "push.csv");
    assert_int_equal(model->inputs.data[1].value.i, 0);
    rh_model_destroy(model);
    refuse("param p = 1\ncoord x\nkinetic x'^2/2\nforce p: 1\n", "E326");
    refuse("coord x\nkinetic x'^2/2\nforce x: x''\n", "E205");
    refuse("coord x\nkinetic x'^2/2\ninput u = x\nforce x: u\n", "E205");
    refuse("coord x\nkinetic x'^2/2\ninput f from \"f.csv\"\nforce x: f'\n", "E209");
}

static void loads_act_at_places(void **state)
{
    (void)state;
    rh_model *model = make("param F = 2, l = 3\ncoord x, y, a, b\n"
                           "kinetic (x'^2 + y'^2 + a'^2 + b'^2)/2\n"
                           "let R = rotz(a)*rotx(b)\n"
                           "force at [x + l*cos(a), y]: [F, -x']\n"
                           "force at [x, y, t]: [0, 0, F]\n"
                           "torque on R: R*[0, 0, F]\n"
                           "observe place1 = x + l*cos(a)\nobserve value1 = -x'\n"
                           "observe r32 = sin(b)\nobserve torque2 = -F*cos(a)*sin(b)\n");
    assert_int_equal(model->loads.count, 3);
    const rh_load *loads = model->loads.data;
    assert_false(loads[0].is_torque);
    assert_int_equal(loads[0].length, 2);
    assert_means(model, loads[0].place[0], "place1");
    assert_means(model, loads[0].value[1], "value1");
    assert_int_equal(loads[1].length, 3);
    assert_shown(model, loads[1].place[2], "t");
    assert_true(loads[2].is_torque);
    assert_int_equal(loads[2].length, 3);
    assert_means(model, loads[2].place[7], "r32");
    assert_means(model, loads[2].value[1], "torque2");
    rh_model_destroy(model);
    refuse("coord x\nkinetic x'^2/2\nforce at [x, 0]: [1, 2, 3]\n", "E325");
    refuse("coord x\nkinetic x'^2/2\nforce at x: 1\n", "E325");
    refuse("coord x\nkinetic x'^2/2\nforce at [x', 0]: [1, 0]\n", "E205");
    refuse("coord x\nkinetic x'^2/2\ntorque on [x, 0, 0]: [1, 2, 3]\n", "E325");
    refuse("coord x\nkinetic x'^2/2\ntorque on rotz(x): [1, 2]\n", "E325");
}

// --- selection -----------------------------------------------------------------------------------

static void expect_selected(const char *text, const char *const *names, uint32_t count)
{
    rh_model *model = make(text);
    bool is_same = model->selected.count == count;
    for (uint32_t k = 0; k < count && is_same; k++) {
        // by name, in any order
        bool is_found = false;
        for (uint32_t j = 0; j < count; j++) {
            bool has_parts = false;
            char *shown = show_expr(model, model->selected.data[j], &has_parts);
            is_found = is_found || strcmp(shown, names[k]) == 0;
            free(shown);
        }
        is_same = is_found;
    }
    if (!is_same) {
        print_error("%u selected in:\n%s\n", model->selected.count, text);
    }
    rh_model_destroy(model);
    assert_true(is_same);
}

#define EXPECT_SELECTED(text, ...)                                                                 \
    expect_selected((text), (const char *const[]){__VA_ARGS__},                                    \
                    sizeof((const char *const[]){__VA_ARGS__}) / sizeof(char *))

static void selection_by_the_rule(void **state)
{
    (void)state;
    EXPECT_SELECTED("param mu = 1\nstate xi, v, eta\nlaw xi' = v\nlaw v' = -mu*v - xi\n"
                    "law mu*eta' = -eta\n",
                    "v", "eta");
    // merely x' = y: with y another state, and nothing else
    EXPECT_SELECTED("state x\nlaw x' = x\n", "x");
    EXPECT_SELECTED("state x, y\nlaw x' = -y\nlaw y' = 2*x\n", "x", "y");
    EXPECT_SELECTED("state x, y\nlaw x' = y\nlaw y' = x\nselect y\n", "y");
    EXPECT_SELECTED("param c = 1\nstate x, y\nlaw c*x' = y\nlaw y' = y + x\n", "x", "y");
    EXPECT_SELECTED("param c = 1\nstate x\nlaw x' = c\n", "x");
    // coordinates through their velocities, also beside states
    EXPECT_SELECTED("coord x, q[1..2]\nstate s, r\nkinetic (x'^2 + dot(q', q'))/2\nlaw s' = r\n"
                    "law r' = x\n",
                    "x'", "q[1]'", "q[2]'", "r");
    EXPECT_SELECTED("state x, y, z[1..3]\nlaw x' = y\nlaw y' = -x\nlaw z[1]' = z[2]\n"
                    "law z[2]' = z[3]\nlaw z[3]' = -z[1]^2\n",
                    "y", "z[3]");
}

static void selection_as_given(void **state)
{
    (void)state;
    EXPECT_SELECTED("state x, y\nlaw x' = y\nlaw y' = -x\nselect x\n", "x");
    EXPECT_SELECTED("coord q[1..3], x\nkinetic x'^2 + dot(q', q')\nselect q\n", "q[1]'", "q[2]'",
                    "q[3]'");
    EXPECT_SELECTED("coord q[1..3], x\nkinetic x'^2 + dot(q', q')\nselect q[2], x\n", "q[2]'",
                    "x'");
    EXPECT_SELECTED("coord q[1..3]\nkinetic dot(q', q')\nfor i in 2..3: select q[i]\n", "q[2]'",
                    "q[3]'");
    rh_model *given = make("state x, y\nlaw x' = y\nlaw y' = -x\nselect x\n");
    assert_true(given->is_selection_given);
    rh_model_destroy(given);
    rh_model *free = make("state x, y\nlaw x' = y\nlaw y' = -x\n");
    assert_false(free->is_selection_given);
    rh_model_destroy(free);
    refuse("param p = 1\nstate x\nlaw x' = p\nselect p\n", "E315");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(energies_add_up),
        cmocka_unit_test(rates_in_energies_are_laws),
        cmocka_unit_test(what_stands_before_is_the_inertia),
        cmocka_unit_test(wrong_laws_are_refused),
        cmocka_unit_test(equations_are_kept_as_written),
        cmocka_unit_test(forces_and_inputs),
        cmocka_unit_test(loads_act_at_places),
        cmocka_unit_test(selection_by_the_rule),
        cmocka_unit_test(selection_as_given),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
