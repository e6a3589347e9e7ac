// SPDX-License-Identifier: Apache-2.0
// Small and odd models: nothing to constrain, nothing to move, constraints that say nothing or the
// same twice, masses that are missing, constraints that do not act.

#include "derived.h"

/// Solve a form at the start; the rates stand in the result.
static rh_point solve_at_start(derived *it, rh_form_kind kind, const bool *is_active)
{
    rh_form form;
    rh_form_result result;
    const rh_point point = copy_point(it, &it->start.point);
    assert_int_equal(rh__form_create(it->equations, kind, &it->arena, &form, NULL), RH_OK);
    assert_int_equal(rh__form_solve(&form, &point, is_active, &it->arena, &result), RH_OK);
    assert_true(result.residual < RH_FORM_INCONSISTENT);
    for (uint32_t k = 0; k < form.rate_count; k++) {
        assert_true(result.is_unique[k]);
    }
    return point;
}

static void derive(const char *text, bool is_plain, derived *out)
{
    derive_sound(text, &(conditions){.is_plain = is_plain}, out);
}

/// A value expected in every form that has reactions.
typedef struct wanted {
    const char *name;
    double value;
} wanted;

static void expect_values(const char *text, const wanted *values, uint32_t count)
{
    for (uint32_t is_plain = 0; is_plain < 2; is_plain++) {
        derived it;
        derive(text, is_plain != 0, &it);
        for (uint32_t kind = RH_FORM_MULTIPLIERS; kind < FORM_COUNT; kind++) {
            const rh_point point = solve_at_start(&it, (rh_form_kind)kind, NULL);
            for (uint32_t k = 0; k < count; k++) {
                support_near(value_named(&it, &point, values[k].name), values[k].value, 1e-12,
                             1e-12, values[k].name, text, (int)kind);
            }
        }
        derived_end(&it);
    }
}

#define EXPECT(text, ...)                                                                          \
    expect_values((text), (const wanted[]){__VA_ARGS__},                                           \
                  (uint32_t)(sizeof((const wanted[]){__VA_ARGS__}) / sizeof(wanted)))

static void without_constraints(void **state)
{
    (void)state;
    const char *const text = "coord x, y\nkinetic (1 + x^2)*x'^2/2 + y'^2\nforce y: t - y'\n"
                             "start t = 2, x = 1, x' = 3, y' = 5\n";
    EXPECT(text, {"x''", -4.5}, {"y''", -1.5});
    derived it;
    derive(text, false, &it);
    const rh_point point = solve_at_start(&it, RH_FORM_FREE, NULL);
    assert_near(value_named(&it, &point, "x''"), -4.5, 1e-15);
    derived_end(&it);
}

static void without_coordinates(void **state)
{
    (void)state;
    EXPECT("state x\nlaw x' = -2*x\nstart x = 3\n", {"x'", -6});
    // none is selected: x' = y is kinematics
    EXPECT("state x, y\nlaw x' = y\nlaw 2*y' = -x\nselect y\nstart x = 4, y = 5\n", {"x'", 5},
           {"y'", -2});
    derived it;
    derive("param a = 1\nobserve b = a\n", false, &it);
    for (uint32_t kind = 0; kind < FORM_COUNT; kind++) {
        (void)solve_at_start(&it, (rh_form_kind)kind, NULL);
    }
    derived_end(&it);
}

static void constraints_that_say_nothing(void **state)
{
    (void)state;
    EXPECT("coord x\nkinetic x'^2/2\nforce x: 7\nconstraint c: 0 = 0\n", {"x''", 7},
           {"lambda.c", 0});
    EXPECT("coord x\nkinetic x'^2/2\nforce x: 7\nconstraint c: x - x = 0\n", {"x''", 7},
           {"lambda.c", 0});
    EXPECT("coord x, y\nkinetic (x'^2 + y'^2)/2\nforce x: 7\n"
           "constraint c: sin(x)^2 + cos(x)^2 = 1\nconstraint d: x = y\n",
           {"x''", 3.5}, {"y''", 3.5}, {"lambda.c", 0}, {"lambda.d", -3.5});
}

#define WEIGHT "coord x, y\nkinetic (x'^2 + y'^2)/2\nforce y: -10\n"

// The same rates and the same whole reaction, however often it is said.
static void constraints_said_twice(void **state)
{
    (void)state;
    static const char *const repeated[] = {
        WEIGHT "constraint a: x + y = 1\nguess x = 1\n",
        WEIGHT "constraint a: x + y = 1\nconstraint b: x + y = 1\nguess x = 1\n",
        WEIGHT "constraint a: x + y = 1\nconstraint b: 3*x' + 3*y' = 0\nguess x = 1\n",
        WEIGHT "constraint a: x + y = 1\nconstraint b: 2*x + 2*y = 2\n"
               "constraint c: x' + y' = 0\nguess x = 1\n",
        WEIGHT "constraint a: x + y = 1\nconstraint b: exp(x + y) = exp(1)\nguess x = 1\n",
    };
    for (size_t n = 0; n < sizeof repeated / sizeof *repeated; n++) {
        EXPECT(repeated[n], {"x''", 5}, {"y''", -5});
        derived it;
        derive(repeated[n], false, &it);
        for (uint32_t kind = RH_FORM_MULTIPLIERS; kind < FORM_COUNT; kind++) {
            const rh_point point = solve_at_start(&it, (rh_form_kind)kind, NULL);
            assert_near(reaction_at(&it, &point, 0), 5.0, 1e-12);
            assert_near(reaction_at(&it, &point, 1), 5.0, 1e-12);
        }
        derived_end(&it);
    }
}

// Least norm: lambda is shared in proportion to the gradients.
static void shared_multipliers_are_least(void **state)
{
    (void)state;
    derived it;
    derive("coord x\nkinetic x'^2/2\nforce x: -3\nconstraint a: x' = 0\nconstraint b: 2*x' = 0\n",
           true, &it);
    const rh_point point = solve_at_start(&it, RH_FORM_MULTIPLIERS, NULL);
    assert_near(value_named(&it, &point, "lambda.a"), 0.6, 1e-14);
    assert_near(value_named(&it, &point, "lambda.b"), 1.2, 1e-14);
    derived_end(&it);
}

// A coordinate without mass that a constraint holds.
static void massless_but_held(void **state)
{
    (void)state;
    EXPECT("coord x, y\nkinetic x'^2/2\nforce x: 3\nconstraint c: y = 2*x\n", {"x''", 3},
           {"y''", 6}, {"lambda.c", 0});
    EXPECT("coord x, y\nkinetic x'^2/2\nforce x: 3\nforce y: 1\nconstraint c: y = 2*x\n",
           {"x''", 5}, {"y''", 10}, {"lambda.c", -1});
    EXPECT("coord x, y, z\nkinetic x'^2/2\nforce x: 3\nconstraint c: y' = 2*x'\n"
           "constraint d: z' = x*y'\nstart x = 1, x' = 1\n",
           {"x''", 3}, {"y''", 6}, {"z''", 8});
}

// --- constraints that do not act -----------------------------------------------------------------

static void expect_active(const char *text, rh_form_kind kind, const bool *is_active,
                          const wanted *values, uint32_t count)
{
    derived it;
    derive(text, true, &it);
    const rh_point point = solve_at_start(&it, kind, is_active);
    for (uint32_t k = 0; k < count; k++) {
        support_near(value_named(&it, &point, values[k].name), values[k].value, 1e-12, 1e-12,
                     values[k].name, text, (int)kind);
    }
    derived_end(&it);
}

// Two ratchets pressed from outside, each on or off.
static void inactive_constraints(void **state)
{
    (void)state;
    const char *const text = "coord x, y\nkinetic x'^2/2 + y'^2 + x'*y'\nforce x: -1\nforce y: -3\n"
                             "constraint a: x' >= 0\nconstraint b: y' >= 0\n";
    static const rh_form_kind kinds[] = {RH_FORM_MULTIPLIERS, RH_FORM_REDUCED};
    for (size_t k = 0; k < 2; k++) {
        expect_active(text, kinds[k], (const bool[]){true, true},
                      (const wanted[]){{"x''", 0}, {"y''", 0}, {"lambda.a", 1}, {"lambda.b", 3}},
                      4);
        expect_active(
            text, kinds[k], (const bool[]){true, false},
            (const wanted[]){{"x''", 0}, {"y''", -1.5}, {"lambda.a", -0.5}, {"lambda.b", 0}}, 4);
        expect_active(text, kinds[k], (const bool[]){false, true},
                      (const wanted[]){{"x''", -1}, {"y''", 0}, {"lambda.a", 0}, {"lambda.b", 2}},
                      4);
        expect_active(text, kinds[k], (const bool[]){false, false},
                      (const wanted[]){{"x''", 1}, {"y''", -2}, {"lambda.a", 0}, {"lambda.b", 0}},
                      4);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(without_constraints),          cmocka_unit_test(without_coordinates),
        cmocka_unit_test(constraints_that_say_nothing), cmocka_unit_test(constraints_said_twice),
        cmocka_unit_test(shared_multipliers_are_least), cmocka_unit_test(massless_but_held),
        cmocka_unit_test(inactive_constraints),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
