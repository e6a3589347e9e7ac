// SPDX-License-Identifier: Apache-2.0
// Want of memory while deriving: whichever request fails, making equations, finding the start,
// making and solving every form say so and give everything back.

#include "support.h"

#include "equations/equations.h"

#include <stdlib.h>

static const char *const TEXTS[] = {
    // quasi-velocities, a state, a let in the start
    "coord x, y, th\nstate p\nlet lat = y'*cos(th) - x'*sin(th)\n"
    "kinetic (x'^2 + y'^2 + th'^2)/2\nforce x: p\nlaw p' = -p + x\n"
    "constraint blade: lat = 0\nquasi u = x'*cos(th) + y'*sin(th)\n"
    "start u = 1, th = 0.2, th' = 1\n",
    // a program, a servo, redundant constraints, a start that must move
    "coord x, y, z\nkinetic (x'^2 + (1 + x^2)*y'^2 + z'^2)/2\n"
    "constraint a: x^2 + y^2 = 1\nconstraint b: 2*x^2 + 2*y^2 = 2\n"
    "constraint c: z = x with c'' = -c - c'\nguess x = 2, y = 1\n",
    // a start that contradicts itself
    "coord x, y\nkinetic (x'^2 + y'^2)/2\nconstraint a: x^2 + y^2 = 1\nstart x = 2, y = 1\n",
    // more constraints than reactions
    "state x\nlaw x' = -x\nconstraint one: x = const\nconstraint two: x = t\n",
    // new variables and a new time
    "param k = 2, m = 1 + k\nstate x, y\nlaw x' = y/(k + 1)\nlaw m*y' = -x\nselect y\n"
    "constraint c: y + x = const\n"
    "change z = m*x + y, tau = t/m inverse x = (z - y)/m, t = m*tau\n",
};

enum { TEXT_COUNT = sizeof TEXTS / sizeof TEXTS[0], FORM_COUNT = RH_FORM_QUASI + 1 };

static rh_model *make(const char *text, support_memory *memory)
{
    rh_model_def def = rh_model_def_default();
    def.allocator = support_memory_allocator(memory);
    def.text = text;
    def.text_size = strlen(text);
    rh_model *model = NULL;
    assert_int_equal(rh_model_create(&def, &model, NULL), RH_OK);
    return model;
}

// Everything the room does with a model, in an arena of the model's allocator.
static rh_status use(rh_equations *equations, rh_arena *arena)
{
    rh_layout layout;
    rh_start start;
    rh_diagnostics diagnostics = rh__diagnostics_begin(arena);
    RH_TRY(rh__layout_create(equations, arena, &layout));
    RH_TRY(rh__start_find(equations, &layout, arena, &diagnostics, &start));
    for (uint32_t kind = 0; kind < FORM_COUNT; kind++) {
        rh_form form;
        rh_form_result result;
        RH_TRY(rh__form_create(equations, (rh_form_kind)kind, arena, &form, NULL));
        RH_TRY(rh__form_solve(&form, &start.point, NULL, arena, &result));
    }
    if (equations->model->change.count > 0) {
        rh_form form;
        RH_TRY(rh__form_create(equations, RH_FORM_CHANGED, arena, &form, NULL));
    }
    rh_point near;
    bool is_met = false;
    RH_TRY(rh__start_wander(equations, &start.point, 0.1, 1, arena, &near, &is_met));
    return arena->status; // a remark that found no room
}

static rh_status derive(const rh_model *model, support_memory *memory)
{
    const rh_equations_def def = rh_equations_def_default();
    rh_equations *equations = NULL;
    rh_status status = rh_equations_create(model, &def, &equations, NULL);
    if (status == RH_OK) {
        rh_arena arena = rh__arena_begin(support_memory_allocator(memory), SIZE_MAX / 2);
        status = use(equations, &arena);
        rh__arena_end(&arena);
    } else {
        assert_true((equations != NULL) == (status == RH_E_MODEL));
    }
    rh_equations_destroy(equations);
    return status;
}

static void try_request(const char *text, size_t n, rh_status wanted, size_t count)
{
    support_memory memory = {0};
    rh_model *model = make(text, &memory);
    memory.fail_at = memory.request_count + n;
    const rh_status status = derive(model, &memory);
    rh_model_destroy(model);
    // folding without memory is no failure: what it would have proved is sampled
    const bool is_said = status == RH_E_MEMORY || status == wanted;
    if (!is_said || memory.block_count != 0 || memory.byte_count != 0) {
        fail_msg("request %zu of %zu failed: status \"%s\", %zu blocks left, in:\n%s", n, count,
                 rh_status_text(status), memory.block_count, text);
    }
}

static void any_request_may_fail(void **state)
{
    (void)state;
    for (size_t k = 0; k < TEXT_COUNT; k++) {
        support_memory counted = {0};
        rh_model *model = make(TEXTS[k], &counted);
        const size_t before = counted.request_count;
        const rh_status wanted = derive(model, &counted);
        rh_model_destroy(model);
        assert_int_equal(wanted, k == 3 ? RH_E_MODEL : RH_OK);
        assert_int_equal(counted.block_count, 0);
        const size_t count = counted.request_count - before;
        for (size_t n = 1; n <= count; n++) {
            try_request(TEXTS[k], n, wanted, count);
        }
        print_message("%zu requests\n", count);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(any_request_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
