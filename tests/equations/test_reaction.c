// SPDX-License-Identifier: Apache-2.0
// Reactions as formulas (src/equations/reaction.c) are the multipliers that solving gives, at the
// start and at states near it; what is too long or not unique is said.

#include "derived.h"

enum { STATES = 4 };

static double smallest(derived *on, const rh_expr_list *pivots, const rh_point *point)
{
    double least = 1.0;
    for (uint32_t k = 0; k < pivots->count; k++) {
        least = fmin(least, fabs(value_at(on, point, pivots->data[k])));
    }
    return least;
}

static void compare_at(derived *on, const rh_form *form, const rh_reactions *reactions,
                       const rh_point *at)
{
    rh_form_result result;
    const rh_point point = copy_point(on, at);
    assert_int_equal(rh__form_solve(form, &point, NULL, &on->arena, &result), RH_OK);
    if (smallest(on, &reactions->pivots, at) < 1e-3) {
        return;
    }
    for (uint32_t k = 0; k < reactions->values.count; k++) {
        const rh_definition *it = &reactions->values.data[k];
        const double expected = rh__point_get(&point, it->symbol);
        assert_near(value_at(on, at, it->value), expected, 1e-8);
    }
}

static void check_model(const char *path, bool is_plain)
{
    derived on;
    const conditions with = {.is_plain = is_plain};
    char *text = support_read(path, &(size_t){0});
    on = derive_any(text, &with);
    find_start(&on);
    rh_form form;
    rh_reactions reactions;
    assert_int_equal(rh__form_create(on.equations, RH_FORM_MULTIPLIERS, &on.arena, &form, NULL),
                     RH_OK);
    assert_int_equal(rh__form_reactions(on.equations, &on.arena, &reactions), RH_OK);
    assert_int_equal(reactions.values.count, form.unknowns.count - form.rate_count);
    compare_at(&on, &form, &reactions, &on.start.point);
    for (uint32_t k = 1; k < STATES; k++) {
        rh_point near;
        bool is_met = false;
        assert_int_equal(
            rh__start_wander(on.equations, &on.start.point, 0.3, k, &on.arena, &near, &is_met),
            RH_OK);
        compare_at(&on, &form, &reactions, &near);
    }
    derived_end(&on);
    free(text);
}

static void formulas_agree_with_solving(void **state)
{
    (void)state;
    static const char *const PATHS[] = {
        "examples/pendulum_cartesian/model.rhe",
        "examples/rolling_disc/model.rhe",
        "examples/lorenz_chetaev/model.rhe",
        "examples/chaplygin_sleigh/model.rhe",
        "examples/two_link_arm_program/model.rhe",
        "examples/two_mass_rod/model.rhe",
        "examples/servo_rod/model.rhe",
        "examples/knife_edge/vakonomic.rhe",
        "examples/rolling_torus/model.rhe",
        "examples/flywheel/model.rhe",
    };
    for (size_t k = 0; k < sizeof PATHS / sizeof *PATHS; k++) {
        check_model(PATHS[k], false);
    }
    check_model("examples/pendulum_cartesian/model.rhe", true);
    check_model("examples/rolling_disc/model.rhe", true);
}

static rh_status react(const char *text, rh_reactions *out)
{
    const conditions with = {.set_count = 0};
    derived on = derive_any(text, &with);
    const rh_status status = rh__form_reactions(on.equations, &on.arena, out);
    derived_end(&on);
    return status;
}

static void rows_that_depend_on_each_other_have_none(void **state)
{
    (void)state;
    rh_reactions reactions;
    assert_int_equal(react("coord x, y\nkinetic (x'^2 + y'^2)/2\n"
                           "constraint a: x^2 + y^2 = 1\n"
                           "constraint b: 2*x^2 + 2*y^2 = 2\n",
                           &reactions),
                     RH_E_UNAVAILABLE);
}

static void long_ones_are_given_up(void **state)
{
    (void)state;
    rh_reactions reactions;
    char *text = support_read("examples/chain/model.rhe", &(size_t){0});
    assert_int_equal(react(text, &reactions), RH_E_LIMIT);
    free(text);
}

static void without_constraints_there_are_none(void **state)
{
    (void)state;
    rh_reactions reactions;
    assert_int_equal(react("coord x\nkinetic x'^2/2\n", &reactions), RH_OK);
    assert_int_equal(reactions.values.count, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(formulas_agree_with_solving),
        cmocka_unit_test(rows_that_depend_on_each_other_have_none),
        cmocka_unit_test(long_ones_are_given_up),
        cmocka_unit_test(without_constraints_there_are_none),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
