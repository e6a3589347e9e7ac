// SPDX-License-Identifier: Apache-2.0
// Property tests of src/expr/shape.c and src/expr/roll.c: rows of one loop share a shape,
// expressions of one shape agree leaf by leaf, and a rolled line stands for each of its rows to the
// letter.

#include "helpers.h"

#include <inttypes.h>

enum { LENGTH = 1000, ROUNDS = 1500 };

// Two arrays and a grid beside the symbols of the lab.
typedef struct field {
    lab on;
    rh_family x, y, z; // x[1..1000], y[-5..994], z[1..40, 0..24]
} field;

static void field_begin(field *at)
{
    lab_begin(&at->on);
    const rh_family_def x = {.name = rh__slice_of("x"),
                             .dimensions = 1,
                             .first = {1},
                             .extent = {LENGTH},
                             .sort = 1,
                             .mask = MOVES};
    const rh_family_def y = {.name = rh__slice_of("y"),
                             .dimensions = 1,
                             .first = {-5},
                             .extent = {LENGTH},
                             .primes = 1,
                             .sort = 1,
                             .mask = MOVES};
    const rh_family_def z = {.name = rh__slice_of("z"),
                             .dimensions = 2,
                             .first = {1, 0},
                             .extent = {40, 25},
                             .sort = 1,
                             .mask = MOVES};
    at->x = rh__family_create(at->on.store, &x);
    at->y = rh__family_create(at->on.store, &y);
    at->z = rh__family_create(at->on.store, &z);
}

static rh_expr x_of(field *at, int64_t i)
{
    return rh__expr_symbol(at->on.store, at->x, (uint32_t)(i - 1));
}

static rh_expr y_of(field *at, int64_t i)
{
    return rh__expr_symbol(at->on.store, at->y, (uint32_t)(i + 5));
}

static rh_expr z_of(field *at, int64_t i, int64_t j)
{
    return rh__expr_symbol(at->on.store, at->z, (uint32_t)((i - 1) * 25 + j));
}

static uint32_t shape_of(field *at, rh_expr e)
{
    assert_true(e.i != 0);
    return rh__expr_shape(at->on.store, e).i;
}

static rh_expr stretch(field *at, int64_t i)
{
    return power(&at->on, minus(&at->on, x_of(at, i), x_of(at, i - 1)), 2);
}

// --- shapes -----------------------------------------------------------------------------------

static void rows_of_a_chain_share_one_shape(void **state)
{
    (void)state;
    field at;
    field_begin(&at);
    lab *on = &at.on;
    const uint32_t shape = shape_of(&at, stretch(&at, 2));
    rh_expr rows[LENGTH];
    for (int64_t i = 2; i <= LENGTH; i++) {
        rows[i - 2] = stretch(&at, i);
        assert_int_equal(shape_of(&at, rows[i - 2]), shape);
    }
    assert_true(shape_of(&at, power(on, x_of(&at, 1), 2)) != shape);
    assert_true(shape_of(&at, power(on, minus(on, x_of(&at, 3), x_of(&at, 2)), 3)) != shape);
    assert_true(shape_of(&at, power(on, minus(on, x_of(&at, 3), y_of(&at, 2)), 2)) != shape);
    // the forces of the chain: all alike but for the ends
    const rh_expr energy = rh__expr_sum(on->store, rows, LENGTH - 1);
    rh_gradient gradient;
    assert_true(rh__expr_gradient(on->store, energy, MOVES, &on->scratch, &gradient));
    assert_int_equal(gradient.count, LENGTH);
    const uint32_t inner = shape_of(&at, gradient.data[1].value);
    for (uint32_t k = 0; k < LENGTH; k++) {
        assert_true(same(gradient.data[k].symbol, x_of(&at, k + 1)));
        const bool is_end = k == 0 || k == LENGTH - 1;
        assert_true((shape_of(&at, gradient.data[k].value) == inner) == !is_end);
    }
    lab_end(on);
}

static void sums_of_like_terms_are_counted(void **state)
{
    (void)state;
    field at;
    field_begin(&at);
    lab *on = &at.on;
    rh_expr terms[LENGTH];
    for (int64_t i = 1; i <= LENGTH; i++) {
        terms[i - 1] = times(on, whole(on, i + 2), call(on, RH_OP_SIN, x_of(&at, i)));
    }
    const rh_expr all = rh__expr_sum(on->store, terms, LENGTH);
    const rh_expr front = rh__expr_sum(on->store, terms, LENGTH / 2);
    const rh_expr back = rh__expr_sum(on->store, terms + LENGTH / 2, LENGTH / 2);
    const rh_expr fewer = rh__expr_sum(on->store, terms, LENGTH / 2 - 1);
    assert_int_equal(rh__expr_count(on->store, all), 2 * LENGTH);
    assert_int_equal(shape_of(&at, front), shape_of(&at, back));
    assert_true(shape_of(&at, front) != shape_of(&at, all));
    assert_true(shape_of(&at, front) != shape_of(&at, fewer));
    rh_expr_list leaves;
    assert_true(rh__shape_leaves(on->store, all, 2 * LENGTH, &on->scratch, &leaves));
    assert_int_equal(leaves.count, 2 * LENGTH);
    assert_false(rh__shape_leaves(on->store, all, 2 * LENGTH - 1, &on->scratch, &leaves));
    lab_end(on);
}

// The same terms in another order have another shape: their leaves would not agree.
static void order_is_part_of_the_shape(void **state)
{
    (void)state;
    field at;
    field_begin(&at);
    lab *on = &at.on;
    const rh_expr sine = call(on, RH_OP_SIN, y_of(&at, 1));
    const rh_expr cosine = call(on, RH_OP_COS, y_of(&at, 2));
    const rh_expr rows[] = {
        plus(on, times(on, x_of(&at, 1), sine), times(on, x_of(&at, 2), cosine)),
        plus(on, times(on, x_of(&at, 1), cosine), times(on, x_of(&at, 2), sine))};
    assert_true(shape_of(&at, rows[0]) != shape_of(&at, rows[1]));
    rh_text text = rh__text_begin(&on->scratch, NULL);
    assert_false(rh__show_family(on->store, rows, 2, rh__slice_of("i"), 1, &on->scratch, &text));
    lab_end(on);
}

// --- random rows ------------------------------------------------------------------------------

// A random tree whose symbols are members that depend on the row: symbol p becomes one of these.
static rh_expr row_symbol(field *at, int64_t p, int64_t i)
{
    switch (p) {
    case 0:
        return at->on.symbol[0];
    case 1:
        return x_of(at, 5);
    case 2:
        return x_of(at, i);
    case 3:
        return x_of(at, i - 1);
    case 4:
        return y_of(at, 2 * i - 7);
    case 5:
        return y_of(at, 100 - i);
    case 6:
        return z_of(at, i, 3);
    default:
        return z_of(at, 41 - i, i % 25 == i ? i : 0);
    }
}

static rh_expr build_row(field *at, const tree *of, int64_t i)
{
    lab row = at->on;
    for (int64_t p = 0; p < SYMBOLS; p++) {
        row.symbol[p] = row_symbol(at, p, i);
    }
    return tree_build(&row, of);
}

// What is left of an expression without members and numeric factors, compared part by part.
static bool is_alike(field *at, rh_expr a, rh_expr b)
{
    const rh_store *store = at->on.store;
    const rh_op op = rh__expr_op(store, a);
    if (op != rh__expr_op(store, b) || rh__expr_count(store, a) != rh__expr_count(store, b)) {
        return false;
    }
    if (op == RH_OP_SYMBOL) {
        return rh__expr_family(store, a).i == rh__expr_family(store, b).i;
    }
    bool alike = true;
    for (uint32_t k = 0; alike && k < rh__expr_count(store, a); k++) {
        const rh_expr x = rh__expr_argument(store, a, k);
        const rh_expr y = rh__expr_argument(store, b, k);
        const bool is_exponent = op == RH_OP_POW && k == 1 && rh__expr_is_number(store, x);
        alike = is_exponent ? same(x, y) : is_alike(at, x, y);
    }
    return alike;
}

static void expressions_of_one_shape_agree_leaf_by_leaf(void **state)
{
    (void)state;
    support_random random = support_random_begin("expressions_of_one_shape_agree_leaf_by_leaf");
    field at;
    field_begin(&at);
    for (int round = 0; round < ROUNDS; round++) {
        const rh_mark mark = rh__arena_mark(&at.on.scratch);
        const grower by = {&at.on.scratch, &random, MENU_ALL};
        const tree *of = tree_grow(&by, 2 + support_random_below(&random, 10));
        (void)build_row(&at, of, 4 + support_random_below(&random, 4));
        (void)build_row(&at, of, 10 + support_random_below(&random, 10));
        rh__arena_rewind(&at.on.scratch, mark);
        if (rh__store_refusal(at.on.store) != RH_REFUSAL_NONE) {
            lab_end(&at.on);
            field_begin(&at);
        }
    }
    // the first node of each shape stands for all of them
    const uint32_t count = rh__store_count(at.on.store);
    uint32_t *first = calloc(count + 1, sizeof *first);
    assert_non_null(first);
    uint32_t met = 0;
    for (uint32_t id = 1; id < count; id++) {
        const uint32_t shape = shape_of(&at, (rh_expr){id});
        assert_true(shape > 0 && shape <= count);
        if (first[shape] == 0) {
            first[shape] = id;
        } else if (!is_alike(&at, (rh_expr){first[shape]}, (rh_expr){id})) {
            fail_msg("one shape: %s and %s", lab_text(&at.on, (rh_expr){first[shape]}),
                     lab_text(&at.on, (rh_expr){id}));
        } else {
            met++;
        }
    }
    free(first);
    assert_true(met > ROUNDS);
    lab_end(&at.on);
}

// --- rolling ----------------------------------------------------------------------------------

// a, i, i+b, c*i-b, b-i: what stands between brackets, at a value of i.
static int64_t read_index(const char **at, int64_t i)
{
    int64_t sum = 0;
    int64_t sign = 1;
    while (**at != ']' && **at != ',') {
        if (**at == '-' || **at == '+') {
            sign = *(*at)++ == '-' ? -1 : 1;
        }
        int64_t size = 1;
        if (**at >= '0' && **at <= '9') {
            size = strtoll(*at, (char **)at, 10);
        }
        if (**at == '*') {
            (*at)++;
        }
        if (**at == 'i') {
            (*at)++;
            size *= i;
        }
        sum += sign * size;
    }
    return sum;
}

// The rolled line with the index put in.
static const char *unroll(field *at, const char *line, int64_t i)
{
    rh_text text = rh__text_begin(&at->on.scratch, NULL);
    for (const char *c = line; *c != '\0';) {
        if (*c != '[') {
            rh__text_put_char(&text, *c++);
            continue;
        }
        while (*c != ']') {
            rh__text_put_char(&text, *c++);
            rh__text_format(&text, "%" PRId64, read_index(&c, i));
        }
    }
    assert_true(text.ok);
    return text.data;
}

static const char *roll(field *at, const rh_expr *rows, uint32_t count, int64_t first)
{
    rh_text text = rh__text_begin(&at->on.scratch, NULL);
    rh_arena scratch = rh__arena_begin(rh_allocator_default(), SIZE_MAX / 2);
    const bool ok =
        rh__show_family(at->on.store, rows, count, rh__slice_of("i"), first, &scratch, &text);
    rh__arena_end(&scratch);
    assert_true(text.ok);
    return ok ? text.data : NULL;
}

static void a_rolled_line_stands_for_every_row(void **state)
{
    (void)state;
    support_random random = support_random_begin("a_rolled_line_stands_for_every_row");
    field at;
    field_begin(&at);
    enum { ROWS = 7, FIRST = 6 };
    int rolled = 0;
    for (int round = 0; round < ROUNDS; round++) {
        const rh_mark mark = rh__arena_mark(&at.on.scratch);
        const grower by = {&at.on.scratch, &random, MENU_ALL};
        const tree *of = tree_grow(&by, 2 + support_random_below(&random, 12));
        rh_expr rows[ROWS];
        for (uint32_t k = 0; k < ROWS; k++) {
            rows[k] = build_row(&at, of, FIRST + k);
        }
        const bool is_done = rh__store_refusal(at.on.store) != RH_REFUSAL_NONE;
        const char *line = is_done ? NULL : roll(&at, rows, ROWS, FIRST);
        for (uint32_t k = 0; line != NULL && k < ROWS; k++) {
            assert_string_equal(unroll(&at, line, FIRST + k), lab_text(&at.on, rows[k]));
        }
        rolled += line != NULL;
        rh__arena_rewind(&at.on.scratch, mark);
        if (is_done) {
            lab_end(&at.on);
            field_begin(&at);
        }
    }
    print_message("%d of %d rolled\n", rolled, ROUNDS);
    assert_true(rolled > ROUNDS / 2);
    lab_end(&at.on);
}

static void examples_of_rolled_lines(void **state)
{
    (void)state;
    field at;
    field_begin(&at);
    lab *on = &at.on;
    rh_expr rows[LENGTH];
    for (int64_t i = 2; i <= LENGTH; i++) {
        rows[i - 2] = stretch(&at, i);
    }
    assert_string_equal(roll(&at, rows, LENGTH - 1, 2), "(x[i-1] - x[i])^2");
    assert_string_equal(roll(&at, rows, LENGTH - 1, 1), "(x[i] - x[i+1])^2");
    assert_string_equal(roll(&at, rows, 1, 2), "(x[1] - x[2])^2");
    // one row out of step
    rows[500] = rows[501];
    assert_null(roll(&at, rows, LENGTH - 1, 2));
    for (int64_t i = 0; i < 10; i++) {
        rows[i] =
            times(on, times(on, y_of(&at, 50 - 2 * i), z_of(&at, 3 * i + 1, 4)), x_of(&at, 7));
    }
    assert_string_equal(roll(&at, rows, 10, 0), "x[7]*y[50-2*i]'*z[3*i+1,4]");
    // numbers do not move
    for (int64_t i = 0; i < 10; i++) {
        rows[i] = times(on, whole(on, i + 2), x_of(&at, i + 1));
    }
    assert_null(roll(&at, rows, 10, 0));
    lab_end(on);
}

// Rows as deep as can be are left unrolled; nothing overflows.
static void deep_rows_are_left_alone(void **state)
{
    (void)state;
    field at;
    field_begin(&at);
    rh_expr rows[3];
    for (int64_t i = 0; i < 3; i++) {
        rows[i] = x_of(&at, i + 1);
        for (int k = 0; k < 15000; k++) {
            rows[i] = call(&at.on, RH_OP_SIN, rows[i]);
        }
    }
    assert_int_equal(shape_of(&at, rows[0]), shape_of(&at, rows[2]));
    assert_null(roll(&at, rows, 3, 1));
    lab_end(&at.on);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_of_a_chain_share_one_shape),
        cmocka_unit_test(sums_of_like_terms_are_counted),
        cmocka_unit_test(order_is_part_of_the_shape),
        cmocka_unit_test(expressions_of_one_shape_agree_leaf_by_leaf),
        cmocka_unit_test(a_rolled_line_stands_for_every_row),
        cmocka_unit_test(examples_of_rolled_lines),
        cmocka_unit_test(deep_rows_are_left_alone),
    };
    return cmocka_run_group_tests_name("shape", tests, NULL, NULL);
}
