// SPDX-License-Identifier: Apache-2.0
// Memory that runs out at any request: a status, nothing lost, and an answer once there is enough.

#include "resting.h"

typedef struct trial {
    support_memory memory;
    rh_model *model;
    rh_equations *equations;
} trial;

static void begin(const char *text, trial *out)
{
    *out = (trial){.model = NULL};
    rh_model_def def = rh_model_def_default();
    def.allocator = support_memory_allocator(&out->memory);
    def.text = text;
    def.text_size = strlen(text);
    assert_int_equal(rh_model_create(&def, &out->model, NULL), RH_OK);
    const rh_equations_def derive = rh_equations_def_default();
    assert_int_equal(rh_equations_create(out->model, &derive, &out->equations, NULL), RH_OK);
}

static void end(trial *it)
{
    it->memory.fail_at = 0;
    rh_equations_destroy(it->equations);
    rh_model_destroy(it->model);
    assert_int_equal(it->memory.block_count, 0);
}

static rh_status walk_along(rh_steady *steady)
{
    rh_walk *walk = NULL;
    rh_walk_def def = rh_walk_def_default();
    rh_walk_point point;
    bool is_there = true;
    def.name = "p";
    def.from = 3.0;
    def.to = 2.5;
    rh_status status = rh_walk_create(steady, &def, &walk, NULL);
    while (status == RH_OK && is_there) {
        status = rh_walk_step(walk, &point, &is_there, NULL);
    }
    rh_walk_destroy(walk);
    return status;
}

static rh_status search(const trial *it)
{
    const rh_steady_value fix[] = {{"p", 3.0}};
    rh_steady *steady = NULL;
    rh_steady_def def = rh_steady_def_default();
    def.fix = fix;
    def.fix_count = 1;
    def.start_limit = 6;
    rh_status status = rh_steady_create(it->equations, &def, &steady, NULL);
    if (status == RH_OK && rh_steady_summarise(steady).solution_count > 0) {
        status = walk_along(steady);
    }
    rh_steady_destroy(steady);
    return status;
}

static rh_status linearise(const trial *it)
{
    rh_linear *linear = NULL;
    const rh_linear_def def = rh_linear_def_default();
    const rh_status status = rh_linear_create(it->equations, &def, &linear, NULL);
    rh_linear_destroy(linear);
    return status;
}

static void exhaust(const char *text, rh_status (*call)(const trial *it))
{
    uint32_t refused = 0;
    for (size_t n = 1; n < 4000; n += 1 + n / 12) {
        trial it;
        begin(text, &it);
        it.memory.fail_at = it.memory.request_count + n;
        const rh_status status = call(&it);
        const bool is_over = it.memory.request_count < it.memory.fail_at;
        assert_true(status == RH_OK || status == RH_E_MEMORY || status == RH_E_UNAVAILABLE ||
                    status == RH_E_LIMIT);
        assert_true(!is_over || status == RH_OK);
        refused += status != RH_OK;
        end(&it);
        if (is_over) {
            break;
        }
    }
    assert_true(refused > 3);
}

static const char DISC[] = "param p = 3\ncoord th, ps, ph, x, y\n"
                           "kinetic (th'^2 + cos(th)^2*ps'^2 + 2*ph'^2 + x'^2 + y'^2)/2\n"
                           "potential p*cos(th) + p*th^2\n"
                           "constraint a: x' = cos(ps)*ph'\nconstraint b: y' = sin(ps)*ph'\n";

static const char ROD[] = "param p = 3\ncoord x, y\nkinetic (x'^2 + y'^2)/2\npotential p*y + x^2\n"
                          "constraint rod: x^2 + y^2 = 1\nstart x = 0.6\nguess y = -1\n";

static void searches_without_memory(void **state)
{
    (void)state;
    exhaust(DISC, search);
    exhaust(ROD, search);
}

static void linear_systems_without_memory(void **state)
{
    (void)state;
    exhaust(DISC, linearise);
    exhaust(ROD, linearise);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(searches_without_memory),
        cmocka_unit_test(linear_systems_without_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
