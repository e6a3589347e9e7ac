// SPDX-License-Identifier: Apache-2.0
// Want of memory is an ordinary status: whichever request fails, creating a model says so and gives
// everything back.

#include "support.h"

#include <stdio.h>
#include <stdlib.h>

static const char *const TEXTS[] = {
    "",
    "state x\nlaw x' = -x\nstart x = 1\n",
    // names, lets, energies, quasi-velocities, constraints
    "model \"Disc\"\n"
    "param m = 1, a = 0.5, g = 9.81\n"
    "coord theta, psi, phi, x, y\n"
    "let xc = x - a*sin(theta)*sin(psi)\n"
    "let zc = a*cos(theta)\n"
    "kinetic m/2*(xc'^2 + y'^2 + zc'^2) + (theta'^2 + psi'^2 + phi'^2)/2\n"
    "potential m*g*zc\n"
    "constraint roll_x: x' = a*cos(psi)*phi'\n"
    "quasi w3 = phi' - sin(theta)*psi'\n"
    "start theta = 0.2, psi' = 1, w3 = 10\n"
    "observe height = zc\n",
    // vectors, loops and sums
    "param n = 6, l = 1/n\n"
    "coord a[1..n], b[1..n]\n"
    "for i in 1..n: let u[i] = rotx(a[i])*roty(b[i])*[0, 0, -l]\n"
    "for i in 1..n: let c[i] = sum(k in 1..i: u[k]) - u[i]/2\n"
    "kinetic sum(i in 1..n: dot(c[i]', c[i]')/2)\n"
    "for i in 2..n: constraint rod[i]: (a[i] - a[i-1])^2 = l^2\n",
    // wrong in several ways
    "coord x, x\nlet y = zz + 1\nkinetic x'^2 +\nconstraint q: x = = 2\n",
};

enum { TEXT_COUNT = sizeof TEXTS / sizeof TEXTS[0] };

static rh_status create(const char *text, support_memory *memory, size_t limit, rh_model **out)
{
    static const char *const settings[] = {"m=2", "n=4"};
    rh_model_def def = rh_model_def_default();
    def.allocator = support_memory_allocator(memory);
    def.text = text;
    def.text_size = strlen(text);
    def.memory_limit = limit;
    def.set = strstr(text, "param m") != NULL ? &settings[0] : &settings[1];
    def.set_count = strstr(text, "param") != NULL;
    rh_error err = RH_ZERO;
    const rh_status status = rh_model_create(&def, out, &err);
    assert_true(status == RH_OK || err.message[0] != '\0' || status == RH_E_MODEL);
    return status;
}

// Fail every request in turn until creation goes through.
static void fail_each_request(const char *text)
{
    support_memory counted = {0};
    rh_model *model = NULL;
    const rh_status wanted = create(text, &counted, SIZE_MAX / 2, &model);
    assert_true(wanted == RH_OK || wanted == RH_E_MODEL);
    rh_model_destroy(model);
    assert_int_equal(counted.block_count, 0);
    assert_int_equal(counted.byte_count, 0);

    for (size_t n = 1; n <= counted.request_count; n++) {
        support_memory memory = {.fail_at = n};
        model = NULL;
        const rh_status status = create(text, &memory, SIZE_MAX / 2, &model);
        if (status != RH_E_MEMORY || model != NULL || memory.block_count != 0) {
            fail_msg("request %zu of %zu failed: status \"%s\", %zu blocks left, in:\n%s", n,
                     counted.request_count, rh_status_text(status), memory.block_count, text);
        }
    }
    print_message("%zu requests\n", counted.request_count);
}

static void any_request_may_fail(void **state)
{
    (void)state;
    for (size_t i = 0; i < TEXT_COUNT; i++) {
        fail_each_request(TEXTS[i]);
    }
}

static void an_example_survives_too(void **state)
{
    (void)state;
    size_t size = 0;
    char *text = support_read("examples/knife_edge/model.rhe", &size);
    fail_each_request(text);
    free(text);
}

static void a_memory_limit_is_kept(void **state)
{
    (void)state;
    for (size_t i = 0; i < TEXT_COUNT; i++) {
        bool is_whole = false;
        for (size_t limit = 0; !is_whole; limit = limit == 0 ? 1000 : limit * 5 / 4) {
            support_memory memory = {0};
            rh_model *model = NULL;
            const rh_status status = create(TEXTS[i], &memory, limit, &model);
            is_whole = model != NULL;
            assert_true(is_whole ? status == RH_OK || status == RH_E_MODEL : status == RH_E_LIMIT);
            rh_model_destroy(model);
            assert_int_equal(memory.block_count, 0);
            assert_true(limit < (size_t)1 << 30);
        }
    }
}

// The outputs of a model ask for memory as well; they may not leak when it is refused.
static void outputs_may_fail(void **state)
{
    (void)state;
    support_memory memory = {0};
    rh_model *model = NULL;
    assert_int_equal(create(TEXTS[2], &memory, SIZE_MAX / 2, &model), RH_OK);
    for (size_t n = 1; n < 100; n++) {
        support_text text = {0};
        memory.fail_at = memory.request_count + n;
        const rh_status dumped =
            rh_model_dump(model, RH_STAGE_MODEL, support_text_sink(&text), NULL);
        const rh_status checked =
            rh_output_check(model, RH_FORMAT_JSON, support_text_sink(&text), NULL);
        assert_true(dumped == RH_OK || dumped == RH_E_MEMORY);
        assert_true(checked == RH_OK || checked == RH_E_MEMORY);
        free(text.data); // the model's own store may have grown; it is given back below
    }
    rh_model_destroy(model);
    assert_int_equal(memory.block_count, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(any_request_may_fail),
        cmocka_unit_test(an_example_survives_too),
        cmocka_unit_test(a_memory_limit_is_kept),
        cmocka_unit_test(outputs_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
