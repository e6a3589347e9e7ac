// SPDX-License-Identifier: Apache-2.0
// Feeds: inputs of tapes that the state fills from the time. Values, series and tangents of a
// straight line, and which derivatives of an input the equations of a model hold.

#include "scribble.h"

#include <stdio.h>

enum { ORDER = 12 };

// inputs t, x, u, u'; outputs u x, u', exp(u)
static rh_tape *make_tape(page *on)
{
    const rh_expr u = page_symbol(on, "u", RH_EXPR_VARIABLE);
    const rh_expr slope = page_symbol(on, "v", RH_EXPR_VARIABLE);
    const rh_expr inputs[] = {on->t, on->x[0], u, slope};
    const rh_expr outputs[] = {rh__expr_multiply(on->store, u, on->x[0]), slope,
                               page_apply(on, RH_OP_EXP, u)};
    const rh_tape_def def = {.store = on->store,
                             .allocator = rh_allocator_default(),
                             .memory_limit = (size_t)1 << 31,
                             .inputs = inputs,
                             .input_count = 4,
                             .feed_count = 1,
                             .outputs = outputs,
                             .output_count = 3};
    rh_tape *tape = NULL;
    assert_int_equal(rh__tape_create(&def, &tape, NULL), RH_OK);
    return tape;
}

static void a_line_has_its_series(void **unused)
{
    (void)unused;
    page on;
    page_begin(&on);
    rh_tape *tape = make_tape(&on);
    rh_tape_state *state = page_state(&on, tape, ORDER);
    const rh_feed_piece piece = {.begin = 1000.0, .value = 0.5, .slope = -2.0};
    state->feeds = &piece;
    // t = 1000.25 + s, x = 3 + s: u = -2 s exactly, however late it is
    rh__jet_row(state, 0)[0] = 1000.25;
    rh__jet_row(state, 0)[1] = 3.0;
    rh__jet_order(state, 0);
    double power = 1.0;
    for (uint32_t k = 0; k <= ORDER; k++, power *= -2.0 / k) {
        if (k > 0) {
            rh__jet_row(state, k)[0] = rh__jet_row(state, k)[1] = k == 1;
            rh__jet_order(state, k);
        }
        const double product = k == 1 ? -6.0 : k == 2 ? -2.0 : 0.0;
        assert_near(rh__tape_output(state, 0, k), product, 0.0);
        assert_near(rh__tape_output(state, 1, k), k == 0 ? -2.0 : 0.0, 0.0);
        assert_near(rh__tape_output(state, 2, k), power, 1e-15 * fabs(power));
    }
    // another piece is seen at once; none at all is zero
    const rh_feed_piece other = {.begin = 1000.25, .value = 7.0, .slope = 1.0};
    state->feeds = &other;
    rh__tape_run(state);
    assert_near(rh__tape_output(state, 0, 0), 21.0, 0.0);
    state->feeds = NULL;
    rh__tape_run(state);
    assert_near(rh__tape_output(state, 0, 0), 0.0, 0.0);
    rh__tape_state_destroy(state);
    rh__tape_destroy(tape);
    page_end(&on);
}

static void tangents_are_fed_too(void **unused)
{
    (void)unused;
    static const uint32_t ACTIVE[] = {1};
    page on;
    page_begin(&on);
    rh_tape *tape = make_tape(&on);
    const rh_tangent_def def = {.direction_count = 1, .active = ACTIVE, .active_count = 1};
    rh_tape *tangent = NULL;
    assert_int_equal(rh__tape_tangent(tape, &def, &tangent, NULL), RH_OK);
    assert_int_equal(tangent->input_count, 5);
    rh_tape_state *state = page_state(&on, tangent, 0);
    const rh_feed_piece piece = {.begin = 0.0, .value = 1.5, .slope = 1.0};
    state->feeds = &piece;
    state->jet[0] = 0.25;
    state->jet[1] = 2.0;
    state->jet[4] = 1.0; // dx
    rh__tape_run(state);
    assert_near(rh__tape_output(state, 0, 0), 3.5, 0.0);
    assert_near(rh__tape_output(state, 3, 0), 1.75, 0.0); // d(u x)/dx = u
    assert_near(rh__tape_output(state, 5, 0), 0.0, 0.0);
    rh__tape_state_destroy(state);
    rh__tape_destroy(tangent);
    rh__tape_destroy(tape);
    page_end(&on);
}

typedef struct rough_model {
    const char *text;
    bool is_plain; // without presolve
    uint32_t order;
} rough_model;

// Of the highest derivative of u that the motion needs.
static const rough_model ROUGH[] = {
    {"state x\nlaw x' = u*sin(u)\nstart x = 0\n", false, 0},
    {"coord x\nkinetic x'^2/2\nforce x: u - x'\nstart x = 0, x' = 0\n", false, 0},
    {"coord x\nkinetic x'^2/2\npotential (x - u)^2/2\nstart x = 0, x' = 0\n", false, 0},
    {"coord x\nkinetic u*x'^2/2\nstart x = 0, x' = 1\n", false, 1},
    {"coord x\nkinetic (x' + u)^2/2\nstart x = 0, x' = 0\n", true, 1},
    {"coord x, y\nkinetic (x'^2 + y'^2)/2 + x'*y'/4\nconstraint c: x' = u\nstart y' = 0\n", true,
     1},
    {"coord x, y\nkinetic (x'^2 + y'^2)/2 + x'*y'/4\nconstraint c: x' = u\nstart y' = 0\n", false,
     1},
    {"coord x, y\nkinetic (x'^2 + y'^2)/2\nconstraint c: x + y = u\nstart y = 0\n", true, 2},
    {"coord x, y\nkinetic (x'^2 + y'^2)/2\nconstraint c: x + y = u with c'' = -c - c'\nstart y = "
     "0\n",
     true, 2},
    {"coord x, y\nkinetic (x'^2 + y'^2)/2\nconstraint c: x' + y' = u by friction(2)\nstart y = 0\n",
     true, 0},
};

static void derivatives_in_the_equations(void **unused)
{
    (void)unused;
    for (size_t k = 0; k < sizeof ROUGH / sizeof *ROUGH; k++) {
        char text[512];
        const int size = snprintf(text, sizeof text,
                                  "input w from \"w.csv\"\ninput u from \"u.csv\"\n"
                                  "state z\nlaw z' = w\nstart z = 0\n%s",
                                  ROUGH[k].text);
        rh_model_def def = rh_model_def_default();
        def.text = text;
        def.text_size = (size_t)size;
        rh_model *model = NULL;
        assert_int_equal(rh_model_create(&def, &model, NULL), RH_OK);
        rh_equations_def derive = rh_equations_def_default();
        derive.has_presolve = !ROUGH[k].is_plain;
        rh_equations *equations = NULL;
        assert_int_equal(rh_equations_create(model, &derive, &equations, NULL), RH_OK);
        const rh_tapes_def form = {
            .form = ROUGH[k].is_plain ? RH_FORM_MULTIPLIERS : RH_FORM_REDUCED, .has_outputs = true};
        rh_system *system = NULL;
        assert_int_equal(rh__system_create(equations, &form, &system, NULL), RH_OK);
        assert_int_equal(system->feeds.count, 4);
        assert_int_equal(system->step->feed_count, 2);
        assert_int_equal(system->step->input_count, 1 + system->x.count + 4);
        rh_arena scratch = rh__arena_begin(rh_allocator_default(), SIZE_MAX / 2);
        uint32_t order = 9;
        assert_int_equal(rh__system_feed_order(system, 0, UINT32_MAX, &scratch, &order), RH_OK);
        assert_int_equal(order, 0);
        assert_int_equal(rh__system_feed_order(system, 1, UINT32_MAX, &scratch, &order), RH_OK);
        if (order != ROUGH[k].order) {
            fail_msg("order %u instead of %u in:\n%s", order, ROUGH[k].order, text);
        }
        rh__arena_end(&scratch);
        rh__system_destroy(system);
        rh_equations_destroy(equations);
        rh_model_destroy(model);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_line_has_its_series),
        cmocka_unit_test(tangents_are_fed_too),
        cmocka_unit_test(derivatives_in_the_equations),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
