// SPDX-License-Identifier: Apache-2.0
// Tests of families through a whole model (docs/decisions/families.md): rows of a loop share their
// shapes, so that neither the number of shapes nor the text of the model depends on the number of
// turns; and a loop means what it would mean written out.

#include "subject.h"

// --- shapes of a model ---------------------------------------------------------------------------

typedef struct shapes {
    uint32_t seen[4096];
    uint32_t count;
} shapes;

static void add_shape(shapes *all, const rh_model *model, rh_expr e)
{
    const uint32_t shape = rh__expr_shape(model->store, e).i;
    for (uint32_t k = 0; k < all->count; k++) {
        if (all->seen[k] == shape) {
            return;
        }
    }
    assert_true(all->count < sizeof all->seen / sizeof *all->seen);
    all->seen[all->count++] = shape;
}

static void add_formulas(shapes *all, const rh_model *model, const rh_formula *data, uint32_t count)
{
    for (uint32_t k = 0; k < count; k++) {
        add_shape(all, model, data[k].expr);
    }
}

// How many shapes the rows of a model have, and their gradients by coordinates and velocities.
static uint32_t count_shapes(const rh_model *model, bool with_gradients)
{
    static shapes all;
    rh_arena arena = rh__arena_begin(rh_allocator_default(), SIZE_MAX / 2);
    all.count = 0;
    add_formulas(&all, model, model->kinetic.data, model->kinetic.count);
    add_formulas(&all, model, model->potential.data, model->potential.count);
    for (uint32_t k = 0; k < model->laws.count; k++) {
        add_shape(&all, model, model->laws.data[k].value);
        add_shape(&all, model, model->laws.data[k].inertia);
    }
    for (uint32_t k = 0; k < model->forces.count; k++) {
        add_shape(&all, model, model->forces.data[k].value);
    }
    for (uint32_t k = 0; k < model->constraints.count; k++) {
        add_shape(&all, model, model->constraints.data[k].deviation);
        rh_gradient gradient = {0};
        if (with_gradients) {
            assert_true(rh__expr_gradient(model->store, model->constraints.data[k].deviation,
                                          RH_ROLE_COORD | RH_ROLE_VELOCITY, &arena, &gradient));
        }
        for (uint32_t j = 0; j < gradient.count; j++) {
            add_shape(&all, model, gradient.data[j].value);
        }
    }
    rh__arena_end(&arena);
    return all.count;
}

// --- the text of a model -------------------------------------------------------------------------

typedef struct extent {
    size_t lines, bytes;
    uint32_t shapes, gradient_shapes;
} extent;

static rh_model *make_sized(const char *text, int n)
{
    char set[32];
    (void)snprintf(set, sizeof set, "N=%d", n);
    return make_with(text, (settings){set, NULL});
}

static extent measure(const char *text, int n)
{
    rh_model *model = make_sized(text, n);
    support_text dump = {0};
    assert_int_equal(rh_model_dump(model, RH_STAGE_MODEL, support_text_sink(&dump), NULL), RH_OK);
    extent size = {.bytes = dump.size, .shapes = count_shapes(model, false)};
    size.gradient_shapes = count_shapes(model, true);
    for (size_t k = 0; k < dump.size; k++) {
        size.lines += dump.data[k] == '\n';
    }
    free(dump.data);
    rh_model_destroy(model);
    return size;
}

// From 10 to 1000 turns nothing grows but the digits of numbers.
static void expect_steady(const char *text)
{
    const extent small = measure(text, 10);
    const extent middle = measure(text, 100);
    const extent large = measure(text, 1000);
    if (large.lines != middle.lines || large.shapes != small.shapes) {
        print_error("lines %zu %zu %zu, bytes %zu %zu %zu, shapes %u %u %u\n", small.lines,
                    middle.lines, large.lines, small.bytes, middle.bytes, large.bytes, small.shapes,
                    middle.shapes, large.shapes);
    }
    assert_int_equal(small.shapes, middle.shapes);
    assert_int_equal(middle.shapes, large.shapes);
    assert_int_equal(small.gradient_shapes, middle.gradient_shapes);
    assert_int_equal(middle.gradient_shapes, large.gradient_shapes);
    assert_int_equal(middle.lines, large.lines);
    assert_true(large.bytes <= middle.bytes + 4 * middle.lines);
    // a sum of ten terms may still be written as one line
    assert_true(middle.lines <= small.lines + 8 && small.lines <= middle.lines + 8);
    assert_true(large.lines < 80);
}

static const char *const CHAIN =
    "param N = 10, m = 1, l = 1/N, g = 9.81\ncoord x[1..N], y[1..N]\n"
    "for i in 1..N: kinetic m*(x[i]'^2 + y[i]'^2)/2\nfor i in 1..N: potential m*g*y[i]\n"
    "constraint rod[1]: x[1]^2 + y[1]^2 = l^2\n"
    "for i in 2..N: constraint rod[i]: (x[i] - x[i-1])^2 + (y[i] - y[i-1])^2 = l^2\n"
    "for i in 1..N: start x[i] = i*l, y[i] = 0\n";

static void a_chain_has_few_shapes(void **state)
{
    (void)state;
    expect_steady(CHAIN);
    rh_model *model = make_sized(CHAIN, 1000);
    shapes *all = calloc(1, sizeof *all);
    assert_non_null(all);
    for (uint32_t k = 0; k < model->constraints.count; k++) {
        add_shape(all, model, model->constraints.data[k].deviation);
    }
    assert_int_equal(model->constraints.count, 1000);
    assert_int_equal(all->count, 2); // the first rod, and all others
    all->count = 0;
    add_formulas(all, model, model->kinetic.data, model->kinetic.count);
    assert_int_equal(all->count, 1);
    free(all);
    rh_model_destroy(model);
}

static void sums_of_any_length(void **state)
{
    (void)state;
    expect_steady("param N = 10, m = 1, k = 5\ncoord x[0..N]\n"
                  "kinetic sum(i in 0..N: m*x[i]'^2/2)\n"
                  "potential sum(i in 1..N: k/2*(x[i] - x[i-1])^2 + sin(x[i])/i)\n");
    // every pair of neighbours in a ring, written with a choice by index
    expect_steady("param N = 10\ncoord x[1..N]\nkinetic dot(x', x')/2\n"
                  "for i in 1..N: constraint c[i]: x[i]' = if(i == 1, x[N], x[i-1])\n");
}

static void nested_loops(void **state)
{
    (void)state;
    expect_steady("param N = 10, M = 4, k = 20\ncoord x[1..N,1..M]\n"
                  "for i in 1..N: for j in 1..M: kinetic x[i,j]'^2/2\n"
                  "for i in 2..N: for j in 1..M: potential k/2*(x[i,j] - x[i-1,j])^2\n"
                  "for i in 1..N: for j in 2..M: potential k/2*(x[i,j] - x[i,j-1])^2\n"
                  "for i in 1..N: constraint edge[i]: x[i,1] = x[i,M]\n");
}

static void two_families(void **state)
{
    (void)state;
    expect_steady(
        "param N = 10\ncoord a[1..N], b[1..N]\nstate s[1..N], r[1..N]\n"
        "for i in 1..N: kinetic a[i]'^2/2 + b[i]'^2\n"
        "for i in 1..N: law s[i]' = -s[i]*a[i]\nfor i in 1..N: law (1 + s[i]^2)*r[i]' = i\n"
        "for i in 2..N: force a[i]: s[i-1] - b[i]'\n"
        "for i in 1..N: constraint tie[i]: a[i]*b[i] = 1 with baumgarte(5, 5)\n"
        "for i in 2..N: constraint gear[i]: a[i]' = b[i-1]'\n");
}

// A long recursion: the shapes of its members differ, the text stays short all the same.
static void recursions_have_a_short_text(void **state)
{
    (void)state;
    const char *const text = "param N = 10\ncoord q[1..N]\nlet s[0] = 0\n"
                             "for i in 1..N: let s[i] = s[i-1] + sin(q[i])\n"
                             "kinetic dot(q', q')/2\nfor i in 1..N: potential s[i]^2\n";
    const extent small = measure(text, 40);
    const extent large = measure(text, 400);
    assert_true(large.lines <= small.lines + 40);
    assert_true(large.bytes < 40000);
}

// --- loops written out ---------------------------------------------------------------------------

static void a_loop_is_what_it_would_be_written_out(void **state)
{
    (void)state;
    rh_model *loop =
        make("param l = 2, N = 3\ncoord x[1..3], y[1..3]\n"
             "kinetic sum(i in 1..N: i*(x[i]'^2 + y[i]'^2)/2)\n"
             "for i in 2..N: constraint rod[i]: (x[i] - x[i-1])^2 + (y[i] - y[i-1])^2 = l^2\n"
             "for i in 1..N: force x[i]: -i*x[i]' + sum(j in i..N: y[j])\n"
             "observe rod2 = (x[2] - x[1])^2 + (y[2] - y[1])^2 - l^2\n"
             "observe rod3 = (x[3] - x[2])^2 + (y[3] - y[2])^2 - l^2\n"
             "observe T_ = (x[1]'^2 + y[1]'^2)/2 + x[2]'^2 + y[2]'^2 +\n"
             "  3/2*(x[3]'^2 + y[3]'^2)\n"
             "observe force2 = -2*x[2]' + y[2] + y[3]\nobserve force3 = -3*x[3]' + y[3]\n"
             "observe sum_ = sum(i in 1..N: x[i]*i)\n"
             "observe out_ = x[1] + 2*x[2] + 3*x[3]\n");
    assert_int_equal(find_constraint(loop, "rod", 0)->deviation.i, observed(loop, "rod2").i);
    assert_int_equal(find_constraint(loop, "rod", 1)->deviation.i, observed(loop, "rod3").i);
    assert_means(loop, rh__model_kinetic(loop), "T_");
    assert_int_equal(loop->forces.data[1].value.i, observed(loop, "force2").i);
    assert_int_equal(loop->forces.data[2].value.i, observed(loop, "force3").i);
    assert_int_equal(observed(loop, "sum_").i, observed(loop, "out_").i);
    rh_model_destroy(loop);
}

// Rows written by hand belong to the family of those made by a loop.
static void rows_by_hand_join_the_family(void **state)
{
    (void)state;
    rh_model *model = make("coord x[1..9]\nkinetic dot(x', x')/2\n"
                           "for i in 2..5: constraint a[i]: x[i]^2 = sin(x[i-1])\n"
                           "constraint a[7]: x[7]^2 = sin(x[6])\n"
                           "constraint b: -sin(x[8]) + x[9]*x[9] = 0\n");
    const uint32_t shape = rh__expr_shape(model->store, model->constraints.data[0].deviation).i;
    assert_int_equal(model->constraints.count, 6);
    for (uint32_t k = 1; k < model->constraints.count; k++) {
        assert_int_equal(rh__expr_shape(model->store, model->constraints.data[k].deviation).i,
                         shape);
    }
    rh_model_destroy(model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_chain_has_few_shapes),
        cmocka_unit_test(sums_of_any_length),
        cmocka_unit_test(nested_loops),
        cmocka_unit_test(two_families),
        cmocka_unit_test(recursions_have_a_short_text),
        cmocka_unit_test(a_loop_is_what_it_would_be_written_out),
        cmocka_unit_test(rows_by_hand_join_the_family),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
