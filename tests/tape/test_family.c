// SPDX-License-Identifier: Apache-2.0
// Families of bodies: the number of groups does not grow with the number of bodies, the text of a
// tape tells it, and running a state takes no memory.

#include "workshop.h"

typedef struct size {
    uint32_t groups, outputs, products, slots;
} size;

static size chain_of(const char *set)
{
    machine it;
    const machine_def def = {.path = "examples/chain/model.rhe", .set = set};
    assert_true(machine_begin(&def, &it));
    const rh_system *system = it.system;
    const size found = {system->step->group_count, system->output->group_count,
                        system->step->products.count, system->step->slot_count};
    machine_end(&it);
    return found;
}

static void groups_do_not_grow_with_the_chain(void **unused)
{
    (void)unused;
    const size small = chain_of("N=100");
    const size large = chain_of("N=1000");
    assert_int_equal(small.groups, large.groups);
    assert_true(small.groups <= 8);
    assert_true(large.outputs == small.outputs);
    // linear in N
    assert_int_equal(large.products, 10 * small.products);
    assert_true(large.slots <= 10 * small.slots + 100);
}

static void tapes_describe_themselves(void **unused)
{
    (void)unused;
    machine it;
    const machine_def def = {.path = "examples/chain/model.rhe", .set = "N=100"};
    assert_true(machine_begin(&def, &it));
    rh_text text = rh__text_begin(&it.arena, NULL);
    rh__tape_describe(it.system->step, &text);
    rh__text_put_char(&text, '\0');
    assert_non_null(strstr(text.data, "inputs: 401, outputs: 700"));
    assert_non_null(strstr(text.data, "block 0: 300 unknowns"));
    assert_non_null(strstr(text.data, "400 products, 200 squares, 0 moments"));
    machine_end(&it);
}

// --- memory ----------------------------------------------------------------------------------

static void running_takes_no_memory(void **unused)
{
    (void)unused;
    static const char *const MODELS[] = {"examples/chain/model.rhe",
                                         "examples/rolling_disc/model.rhe",
                                         "examples/whipple_bicycle/model.rhe"};
    for (uint32_t k = 0; k < 3; k++) {
        machine it;
        const machine_def def = {.path = MODELS[k], .is_plain = true};
        assert_true(machine_begin(&def, &it));
        support_memory memory = {0};
        rh_tape_state *state = NULL;
        assert_int_equal(
            rh__tape_state_create(it.system->step, 12, support_memory_allocator(&memory), &state),
            RH_OK);
        assert_int_equal(rh__tape_bind(state, rh__point_value, &it.start.point), RH_OK);
        const double *x = packed(&it, &it.start.point);
        const size_t before = memory.request_count;
        for (uint32_t round = 0; round < 3; round++) {
            rh__system_series(it.system, state, 0.0, x, 12);
        }
        assert_int_equal(memory.request_count, before);
        rh__tape_state_destroy(state);
        assert_int_equal(memory.block_count, 0);
        machine_end(&it);
    }
}

// Every request fails in turn: a status, and nothing is lost.
static void refused_memory_is_a_status(void **unused)
{
    (void)unused;
    machine it;
    const machine_def def = {.path = "examples/chain/model.rhe", .set = "N=8"};
    assert_true(machine_begin(&def, &it));
    const rh_form *form = &it.system->form;
    const rh_expr time = rh__expr_symbol(it.equations->store, it.model->time, 0);
    rh_expr inputs[64] = {time};
    for (uint32_t k = 0; k < it.system->x.count; k++) {
        inputs[1 + k] = it.system->x.data[k];
    }
    const rh_tape_solve solve = {.matrix = &form->matrix,
                                 .right = form->right,
                                 .unknowns = form->unknowns.data,
                                 .count = form->unknowns.count,
                                 .rate_count = form->rate_count};
    support_memory memory = {0};
    const rh_tape_def tape_def = {.store = it.equations->store,
                                  .allocator = support_memory_allocator(&memory),
                                  .memory_limit = (size_t)1 << 30,
                                  .inputs = inputs,
                                  .input_count = 1 + it.system->x.count,
                                  .solves = &solve,
                                  .solve_count = 1,
                                  .outputs = form->unknowns.data,
                                  .output_count = form->unknowns.count};
    bool is_made = false;
    for (size_t fail_at = 1; !is_made && fail_at < 500; fail_at++) {
        rh_tape *tape = NULL;
        rh_tape *tangent = NULL;
        rh_tape_state *state = NULL;
        memory.request_count = 0;
        memory.fail_at = fail_at;
        rh_status status = rh__tape_create(&tape_def, &tape, NULL);
        const rh_tangent_def tangent_def = {.direction_count = 2};
        status = status == RH_OK ? rh__tape_tangent(tape, &tangent_def, &tangent, NULL) : status;
        status = status == RH_OK ? rh__tape_state_create(tangent, 3, tape_def.allocator, &state)
                                 : status;
        is_made = status == RH_OK;
        assert_true(is_made || status == RH_E_MEMORY);
        rh__tape_state_destroy(state);
        rh__tape_destroy(tangent);
        rh__tape_destroy(tape);
        assert_int_equal(memory.block_count, 0);
    }
    assert_true(is_made);
    machine_end(&it);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(groups_do_not_grow_with_the_chain),
                                       cmocka_unit_test(tapes_describe_themselves),
                                       cmocka_unit_test(running_takes_no_memory),
                                       cmocka_unit_test(refused_memory_is_a_status)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
