// SPDX-License-Identifier: Apache-2.0
// What cannot be derived or started is refused with its code, at its place, with the number that
// tells why; what only looks like it is not.

#include "derived.h"

/// A refusal: code, line of the place, and a part of the message.
typedef struct refusal {
    const char *code;
    uint32_t line;
    const char *part;
} refusal;

static void expect_remark(const rh_diagnostic *remark, const refusal *of, const char *text)
{
    const bool is_it = strcmp(remark->code, of->code) == 0 && remark->at.line == of->line &&
                       strstr(remark->message, of->part) != NULL;
    if (!is_it) {
        print_error("%u:%u: %s: %s\n", remark->at.line, remark->at.column, remark->code,
                    remark->message);
        fail_msg("expected %s on line %u with \"%s\", in:\n%s", of->code, of->line, of->part, text);
    }
}

static void refuse_with(const char *text, const conditions *with, refusal of)
{
    derived it;
    assert_int_equal(derive_only(text, with, &it), RH_E_MODEL);
    assert_int_equal(rh_equations_diagnostic_count(it.equations), 1);
    const rh_diagnostic remark = rh_equations_diagnostic(it.equations, 0);
    expect_remark(&remark, &of, text);
    assert_non_null(remark.repair);
    rh_equations_destroy(it.equations);
    rh_model_destroy(it.model);
}

static void refuse(const char *text, refusal of)
{
    refuse_with(text, &(conditions){0}, of);
}

static void refuse_file(const char *path, const conditions *with, refusal of)
{
    size_t size = 0;
    char *text = support_read(path, &size);
    refuse_with(text, with, of);
    free(text);
}

static void pass_with(const char *text, const conditions *with)
{
    derived it;
    derive_sound(text, with, &it);
    assert_int_equal(rh_equations_diagnostic_count(it.equations), 0);
    derived_end(&it);
}

static void pass(const char *text)
{
    pass_with(text, &(conditions){0});
}

static void pass_file(const char *path, const conditions *with)
{
    size_t size = 0;
    char *text = support_read(path, &size);
    pass_with(text, with);
    free(text);
}

// --- derivation ----------------------------------------------------------------------------------

static void equations_must_determine_the_motion(void **state)
{
    (void)state;
    refuse("coord x\nequation one: x''^2 + x = 0\n",
           (refusal){"W111", 2, "not linear in the accelerations"});
    refuse("coord x, y\nequation one: x'' = 0\nequation two: x'' + x' = 0\n",
           (refusal){"W111", 3, "do not determine"});
    refuse("coord x, y\nequation one: x''*y'' = 1\nequation two: y'' = x\n",
           (refusal){"W111", 2, "not linear"});
    pass("coord x, y\nequation one: x'' + y'' = 0\nequation two: x'' - y'' = x\n");
    // linear after all
    pass("coord x\nequation one: (x'' + 1)^2 - x''^2 + x = 0\n");
}

static void out_of_reach(void **state)
{
    (void)state;
    refuse_file("tests/golden/models/refuse_relative_degree.rhe", &(conditions){0},
                (refusal){"E401", 10, "follow"});
    refuse("state x, y\nlaw x' = -x\nlaw y' = -y\nselect y\nconstraint c: x = const\n",
           (refusal){"E401", 5, "c"});
    pass("state x, y\nlaw x' = y\nlaw y' = -x\nselect y\nconstraint c: x = sin(t)\n");
    pass("coord x\nkinetic x'^2/2\nconstraint empty: 0 = 0\n"); // always true is no obstacle
}

static void reactions_act_on_selected_variables(void **state)
{
    (void)state;
    refuse("coord x, y\nkinetic (x'^2 + y'^2)/2\nselect y\n"
           "constraint c: y' = 0 by servo(x: 1)\n",
           (refusal){"E402", 4, "the reaction acts on x"});
    refuse("coord x, y\nkinetic (x'^2 + y'^2)/2\nselect y\n"
           "constraint c: y' = 0 by reaction(x: 1, y: 0)\n",
           (refusal){"E402", 4, "the reaction acts on x"});
    pass("coord x, y\nkinetic (x'^2 + y'^2)/2\nselect y\nconstraint c: y' = 0 by servo(y: 1)\n");
}

static void laws_vanish_on_the_program(void **state)
{
    (void)state;
    const char *const before = "coord x, y\nkinetic (x'^2 + y'^2)/2\n"
                               "constraint rod: x^2 + y^2 = 1 with rod'' = ";
    char text[256];
    (void)snprintf(text, sizeof text, "%s-4*rod - x\nstart x = 1, y = 0\n", before);
    refuse(text, (refusal){"E403", 3, "leaves -x"});
    (void)snprintf(text, sizeof text, "%s-4*rod + 1e-6\nstart x = 1, y = 0\n", before);
    refuse(text, (refusal){"E403", 3, "does not vanish"});
    (void)snprintf(text, sizeof text, "%s-4*rod*x - rod'*cos(y)*x'^2\nstart x = 1\n", before);
    pass(text);
    (void)snprintf(text, sizeof text, "%ssin(x)^2 + cos(x)^2 - 1 - rod'\nstart x = 1\n", before);
    pass(text); // zero, though not at sight
}

// R14: pi = 1/m - a d/J; R23: (J^-1 l, m).
static void what_cannot_be_controlled(void **state)
{
    (void)state;
    const char *const d2 = "tests/golden/models/r14_control_d2.rhe";
    const conditions none = {0};
    refuse_file(d2, &none, (refusal){"E404", 12, "blade cannot be controlled"});
    pass_file("tests/golden/models/r14_control_d1.rhe", &none);
    pass_file("tests/golden/models/r14_control_d3.rhe", &none);
    pass_file(d2, &(conditions){.set = {"d=2.001"}, .set_count = 1});
    pass_file(d2, &(conditions){.set = {"J=2"}, .set_count = 1});
    refuse_file("tests/golden/models/r14_control_body.rhe",
                &(conditions){.set = {"d=2"}, .set_count = 1},
                (refusal){"E404", 14, "blade cannot be controlled"});
    refuse_file("examples/flywheel/across.rhe", &none, (refusal){"E412", 15, "axis"});
    refuse_file("examples/flywheel/model.rhe", &(conditions){.set = {"l3=0"}, .set_count = 1},
                (refusal){"E412", 15, "axis"});
    refuse("coord x, y\nkinetic (x'^2 + y'^2)/2\nconstraint c: x' = 0 by servo(y: 1)\n",
           (refusal){"E404", 3, "c cannot be controlled"});
    // zero at single states only: no refusal
    pass_file("examples/beghin_servo/model.rhe", &none);
}

static void too_many_constraints(void **state)
{
    (void)state;
    refuse_file("tests/golden/models/refuse_too_many.rhe", &(conditions){0},
                (refusal){"E405", 12, "3 constraints on 2 selected variables"});
    refuse("coord x\nkinetic x'^2/2\nconstraint one: x' = 0\nconstraint two: x' + x = t\n",
           (refusal){"E405", 4, "2 constraints on 1"});
    // the surplus follows from the others
    pass("coord x\nkinetic x'^2/2\nconstraint one: x = 1\nconstraint two: 2*x = 2\n"
         "constraint three: x^2 = 1\nguess x = 1\n");
    pass("param N = 40\ncoord x[1..N]\nkinetic sum(i in 1..N: x[i]'^2/2)\n"
         "for i in 1..N: constraint a[i]: x[i] = 1\n"
         "for i in 1..N: constraint b[i]: x[i]^2 = 1\nguess x = 1\n");
    // inequalities do not count
    pass("coord x, y\nkinetic (x'^2 + y'^2)/2\nconstraint one: x' >= 0\n"
         "constraint two: y' >= 0\nconstraint three: x' + y' >= 0\n");
}

// --- the start -----------------------------------------------------------------------------------

static void refuse_start(const char *text, const conditions *with, refusal of)
{
    derived it = derive_any(text, with);
    find_start(&it);
    assert_true(it.diagnostics.remarks.count > 0);
    const rh_diagnostic remark = rh__model_remark(it.model, &it.diagnostics.remarks.data[0]);
    expect_remark(&remark, &of, text);
    const uint32_t last = it.diagnostics.remarks.count - 1;
    assert_non_null(it.diagnostics.remarks.data[last].repair); // the last one tells what to do
    assert_int_equal(it.start.is_consistent,
                     strcmp(of.code, "E407") != 0 && strcmp(of.code, "E411") != 0);
    derived_end(&it);
}

static void refuse_start_file(const char *path, const conditions *with, refusal of)
{
    size_t size = 0;
    char *text = support_read(path, &size);
    refuse_start(text, with, of);
    free(text);
}

// R05 with v2 = (5, -1, -2): 2 d.d' = 8.
static void hidden_levels(void **state)
{
    (void)state;
    const conditions none = {0};
    const refusal rod = {"E411", 13, "hidden level rod': derivative 1 of rod is 8 there"};
    refuse_start_file("tests/golden/models/r05_hidden_level.rhe", &none, rod);
    refuse_start_file("examples/two_mass_rod/model.rhe",
                      &(conditions){.start = {"z2'=-2"}, .start_count = 1},
                      (refusal){"E411", 13, "hidden level rod': derivative 1 of rod is 8 there"});
    refuse_start_file("examples/two_mass_rod/weight_masses.rhe",
                      &(conditions){.start = {"w2=-2"}, .start_count = 1},
                      (refusal){"E411", 23, "hidden level rod': derivative 1 of rod is 8 there"});
    refuse_start_file("examples/two_mass_rod/model.rhe",
                      &(conditions){.start = {"x2=4"}, .start_count = 1},
                      (refusal){"E407", 13, "left minus right is 7 there"});
    refuse_start_file(
        "examples/relative_degree_three/model.rhe",
        &(conditions){.start = {"x3=0.5"}, .start_count = 1},
        (refusal){"E411", 10, "hidden level follow'': derivative 2 of follow is 0.5 there"});
    pass_file("tests/golden/models/r05_hidden_level.rhe",
              &(conditions){.start = {"z2'=-3"}, .start_count = 1});
}

static void wrong_sides(void **state)
{
    (void)state;
    const conditions none = {0};
    refuse_start_file("tests/golden/models/r16_refused.rhe", &none,
                      (refusal){"E408", 11, "violates blade >= 0: it is -0.1"});
    refuse_start("coord y\nkinetic y'^2/2\nconstraint floor: y >= 0 impact 0.5\nstart y = -1\n",
                 &none, (refusal){"E408", 3, "violates floor >= 0: it is -1"});
    refuse_start("coord y\nkinetic y'^2/2\nconstraint roof: y <= 2 impact 0.5\nstart y = 2.5\n",
                 &none, (refusal){"E408", 3, "violates roof >= 0: it is -0.5"});
    pass("coord y\nkinetic y'^2/2\nconstraint floor: y >= 0 impact 0.5\nstart y = 0\n");
    pass("coord y\nkinetic y'^2/2\nconstraint floor: y >= 0 impact 0.5\nstart y = 3\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(equations_must_determine_the_motion),
        cmocka_unit_test(out_of_reach),
        cmocka_unit_test(reactions_act_on_selected_variables),
        cmocka_unit_test(laws_vanish_on_the_program),
        cmocka_unit_test(what_cannot_be_controlled),
        cmocka_unit_test(too_many_constraints),
        cmocka_unit_test(hidden_levels),
        cmocka_unit_test(wrong_sides),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
