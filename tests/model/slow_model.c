// SPDX-License-Identifier: Apache-2.0
// A model of ten thousand rods is read in linear time and memory, and its text is as short as that
// of ten.

#include "subject.h"

#include <time.h>

static const char *const CHAIN =
    "param N = 10000, m = 1, l = 1/N, g = 9.81\ncoord x[1..N], y[1..N]\n"
    "kinetic   sum(i in 1..N: m*(x[i]'^2 + y[i]'^2)/2)\npotential sum(i in 1..N: m*g*y[i])\n"
    "constraint rod[1]: x[1]^2 + y[1]^2 = l^2\n"
    "for i in 2..N: constraint rod[i]: (x[i] - x[i-1])^2 + (y[i] - y[i-1])^2 = l^2\n"
    "for i in 1..N: start x[i] = i*l, y[i] = 0, x[i]' = 0, y[i]' = 0\n";

// The same in relative angles: every position is a recursion over all links before it.
static const char *const ARM =
    "param N = 10000, g = 9.81\ncoord q[1..N]\nlet a[0] = 0\nlet X[0] = 0\nlet Y[0] = 0\n"
    "for i in 1..N: let a[i] = a[i-1] + q[i]\nfor i in 1..N: let X[i] = X[i-1] + cos(a[i])/N\n"
    "for i in 1..N: let Y[i] = Y[i-1] + sin(a[i])/N\n"
    "kinetic sum(i in 1..N: (X[i]'^2 + Y[i]'^2)/2)\npotential g*sum(i in 1..N: Y[i])\n"
    "observe tip = [X[N], Y[N]]\n";

enum { LIMIT = 300000000 };

typedef struct bill {
    size_t bytes;
    double seconds;
} bill;

// What a model takes, through a counting allocator: bytes held once it is whole.
static bill measure(const char *text, const char *set, rh_model **out)
{
    static support_memory memory;
    memory = (support_memory){0};
    rh_model_def def = rh_model_def_default();
    def.allocator = support_memory_allocator(&memory);
    def.text = text;
    def.text_size = strlen(text);
    def.set = &set;
    def.set_count = 1;
    def.memory_limit = LIMIT; // at any time, for the model and for the scratch memory
    rh_error err = {0};
    const clock_t begin = clock();
    const rh_status status = rh_model_create(&def, out, &err);
    const bill cost = {memory.byte_count, (double)(clock() - begin) / CLOCKS_PER_SEC};
    if (status != RH_OK) {
        print_remarks(*out);
        print_error("%s\n", err.message);
    }
    assert_int_equal(status, RH_OK);
    print_message("%s: %.1f MB, %.2f s\n", set, (double)cost.bytes / 1e6, cost.seconds);
    return cost;
}

static size_t count_lines(const rh_model *model)
{
    support_text dump = {0};
    size_t lines = 0;
    assert_int_equal(rh_model_dump(model, RH_STAGE_MODEL, support_text_sink(&dump), NULL), RH_OK);
    for (size_t k = 0; k < dump.size; k++) {
        lines += dump.data[k] == '\n';
    }
    free(dump.data);
    return lines;
}

static void ten_thousand_rods(void **state)
{
    (void)state;
    rh_model *model = NULL;
    const bill small = measure(CHAIN, "N=1000", &model);
    const size_t lines = count_lines(model);
    rh_model_destroy(model);
    const bill large = measure(CHAIN, "N=10000", &model);
    assert_int_equal(rh__model_coordinate_count(model), 20000);
    assert_int_equal(model->constraints.count, 10000);
    assert_int_equal(model->starts.count, 40000);
    assert_true(large.bytes < LIMIT);
    assert_true(large.bytes < 15 * small.bytes);
    assert_int_equal(count_lines(model), lines);
    const point where = {.seed = 5};
    const double dx = at(&where, "x[9999]") - at(&where, "x[10000]");
    const double dy = at(&where, "y[9999]") - at(&where, "y[10000]");
    assert_near(value_of(model, find_constraint(model, "rod", 9999)->deviation, &where),
                dx * dx + dy * dy - at(&where, "l") * at(&where, "l"), 1e-12);
    rh_model_destroy(model);
}

static void ten_thousand_links_by_recursion(void **state)
{
    (void)state;
    rh_model *model = NULL;
    const bill small = measure(ARM, "N=1000", &model);
    rh_model_destroy(model);
    const bill large = measure(ARM, "N=10000", &model);
    assert_true(large.bytes < LIMIT);
    assert_true(large.bytes < 15 * small.bytes);
    const point where = {.seed = 6};
    double angle = 0.0, x = 0.0;
    for (int i = 1; i <= 10000; i++) {
        angle += at_member(&where, "q", i, "");
        x += cos(angle) / 10000;
    }
    assert_near(value_of(model, observed(model, "tip.x"), &where), x, 1e-9);
    rh_model_destroy(model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ten_thousand_rods),
        cmocka_unit_test(ten_thousand_links_by_recursion),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
