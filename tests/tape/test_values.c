// SPDX-License-Identifier: Apache-2.0
// Order 0 of tapes against the plain evaluation of expressions.

#include "scribble.h"

enum { EXPRESSIONS = 3000, TOGETHER = 10, DEPTH = 5 };

static void values_are_those_of_the_expressions(void **unused)
{
    (void)unused;
    support_random random = support_random_begin("values");
    uint32_t finite = 0;
    for (uint32_t round = 0; round < EXPRESSIONS / TOGETHER; round++) {
        page on;
        page_begin(&on);
        rh_expr roots[TOGETHER];
        for (uint32_t k = 0; k < TOGETHER; k++) {
            roots[k] = page_random(&on, &random, 1 + support_random_below(&random, DEPTH));
        }
        rh_tape *tape = page_tape(&on, roots, TOGETHER);
        rh_tape_state *state = page_state(&on, tape, 0);
        double expected[TOGETHER];
        for (uint32_t k = 0; k < PAGE_VARIABLES; k++) {
            state->jet[k] = on.value[k] = support_random_real(&random, -1.5, 1.5);
        }
        assert_true(
            rh__expr_values(on.store, roots, TOGETHER, page_value, &on, &on.arena, expected));
        // what a few units in the last place of the inputs change may be off as well
        double nearby[TOGETHER];
        for (uint32_t k = 0; k < PAGE_VARIABLES; k++) {
            on.value[k] *= 1.0 + 1e-14;
        }
        for (uint32_t k = 0; k < PAGE_PARAMETERS; k++) {
            on.parameter[k] *= 1.0 + 1e-14;
        }
        assert_true(rh__expr_values(on.store, roots, TOGETHER, page_value, &on, &on.arena, nearby));
        rh__tape_run(state);
        for (uint32_t k = 0; k < TOGETHER; k++) {
            const double slack = 10.0 * fabs(nearby[k] - expected[k]);
            if (isfinite(expected[k]) && isfinite(slack)) {
                assert_near_by(rh__tape_output(state, k, 0), expected[k], 1e-12, 1e-12 + slack);
                finite++;
            }
        }
        rh__tape_state_destroy(state);
        rh__tape_destroy(tape);
        page_end(&on);
    }
    assert_true(finite > EXPRESSIONS * 9 / 10);
}

static void equal_parts_are_computed_once(void **unused)
{
    (void)unused;
    page on;
    page_begin(&on);
    rh_store *store = on.store;
    const rh_expr xy = rh__expr_multiply(store, on.x[0], on.x[1]);
    const rh_expr roots[] = {
        xy, rh__expr_multiply(store, on.p[0], xy),
        rh__expr_multiply(store, rh__expr_multiply(store, xy, on.x[2]), on.p[1]),
        rh__expr_divide(store, on.x[2], xy)};
    rh_tape *tape = page_tape(&on, roots, 4);
    assert_int_equal(tape->products.count, 3); // x y, (x y) z, z / (x y)
    rh__tape_destroy(tape);
    page_end(&on);
}

static void parameters_change_without_a_new_tape(void **unused)
{
    (void)unused;
    page on;
    page_begin(&on);
    const rh_expr root =
        rh__expr_multiply(on.store, rh__expr_power(on.store, on.p[0], on.p[1]), on.x[0]);
    rh_tape *tape = page_tape(&on, &root, 1);
    rh_tape_state *state = page_state(&on, tape, 0);
    state->jet[0] = 3.0;
    rh__tape_run(state);
    assert_near(rh__tape_output(state, 0, 0), 3.0 * pow(1.25, 0.75), 1e-15);
    on.parameter[0] = 2.0;
    assert_int_equal(rh__tape_bind(state, page_value, &on), RH_OK);
    rh__tape_run(state);
    assert_near(rh__tape_output(state, 0, 0), 3.0 * pow(2.0, 0.75), 1e-15);
    rh__tape_state_destroy(state);
    rh__tape_destroy(tape);
    page_end(&on);
}

// An exponent with a whole value is a product; another value needs another tape.
static void assumed_exponents_are_checked(void **unused)
{
    (void)unused;
    page on;
    page_begin(&on);
    on.parameter[0] = 4.0;
    const rh_expr root = rh__expr_power(on.store, on.x[0], on.p[0]);
    const rh_tape_def def = {.store = on.store,
                             .allocator = rh_allocator_default(),
                             .memory_limit = (size_t)1 << 30,
                             .inputs = on.x,
                             .input_count = 1,
                             .outputs = &root,
                             .output_count = 1,
                             .value_of = page_value,
                             .user = &on};
    rh_tape *tape = NULL;
    assert_int_equal(rh__tape_create(&def, &tape, NULL), RH_OK);
    assert_int_equal(tape->assumptions.count, 1);
    rh_tape_state *state = page_state(&on, tape, 4);
    rh__jet_row(state, 1)[0] = 2.0;
    for (uint32_t k = 0; k <= 4; k++) {
        rh__jet_order(state, k);
        assert_near(rh__tape_output(state, 0, k), k == 4 ? 16.0 : 0.0, 0.0);
    }
    on.parameter[0] = 3.5;
    assert_int_equal(rh__tape_bind(state, page_value, &on), RH_E_UNAVAILABLE);
    rh__tape_state_destroy(state);
    rh__tape_destroy(tape);
    page_end(&on);
}

static void unknown_names_are_refused(void **unused)
{
    (void)unused;
    page on;
    page_begin(&on);
    const rh_definition circle[] = {{on.x[0], on.x[1]}, {on.x[1], on.x[0]}};
    rh_tape_def def = {.store = on.store,
                       .allocator = rh_allocator_default(),
                       .memory_limit = (size_t)1 << 30,
                       .outputs = on.x,
                       .output_count = 1};
    rh_tape *tape = NULL;
    rh_error err = RH_ZERO;
    assert_int_equal(rh__tape_create(&def, &tape, &err), RH_E_ARGUMENT);
    assert_string_equal(err.message, "`x` has no value here");
    def.definitions = circle;
    def.definition_count = 2;
    assert_int_equal(rh__tape_create(&def, &tape, &err), RH_E_ARGUMENT);
    assert_string_equal(err.message, "definitions go in a circle");
    assert_null(tape);
    page_end(&on);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(values_are_those_of_the_expressions),
                                       cmocka_unit_test(equal_parts_are_computed_once),
                                       cmocka_unit_test(parameters_change_without_a_new_tape),
                                       cmocka_unit_test(assumed_exponents_are_checked),
                                       cmocka_unit_test(unknown_names_are_refused)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
