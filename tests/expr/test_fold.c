// SPDX-License-Identifier: Apache-2.0
// Property tests of src/expr/fold.c, atom.c and horner.c: folding keeps values, never costs more,
// and proves the identities of mechanics.

#include "helpers.h"

enum { ROUNDS = 1500, LEAVES = 14, LIMIT = 500, DEEP = 100000 };

static uint64_t cost_of(lab *on, rh_expr e)
{
    rh_cost cost;
    assert_true(rh__expr_cost(on->store, &e, 1, &on->scratch, &cost));
    return rh__cost_total(cost);
}

static void expect_zero(lab *on, rh_expr e)
{
    rh_folder *folder = rh__folder_create(on->store, &on->scratch, LIMIT);
    assert_non_null(folder);
    if (!rh__folder_is_zero(folder, e)) {
        print_message("not proved: %s\n", lab_text(on, e));
    }
    assert_true(rh__folder_is_zero(folder, e));
    assert_true(rh__expr_is_zero(on->store, rh__folder_apply(folder, e)));
    rh__folder_destroy(folder);
}

static void expect_nonzero(lab *on, rh_expr e)
{
    rh_folder *folder = rh__folder_create(on->store, &on->scratch, LIMIT);
    assert_non_null(folder);
    assert_false(rh__folder_is_zero(folder, e));
    assert_false(rh__expr_is_zero(on->store, rh__folder_apply(folder, e)));
    rh__folder_destroy(folder);
}

// --- examples ---------------------------------------------------------------------------------

static void quotients_and_roots_cancel(void **state)
{
    (void)state;
    lab on;
    lab_begin(&on);
    const rh_expr m = on.symbol[0];
    const rh_expr x = on.symbol[2];
    const rh_expr y = on.symbol[3];
    const rh_expr one = whole(&on, 1);
    const rh_expr s = call(&on, RH_OP_SIN, x);
    const rh_expr c = call(&on, RH_OP_COS, x);
    const rh_expr next = plus(&on, one, x);
    expect_zero(&on, minus(&on, plus(&on, over(&on, one, next), over(&on, x, next)), one));
    expect_zero(&on, minus(&on, call(&on, RH_OP_TAN, x), over(&on, s, c)));
    expect_zero(&on, minus(&on, call(&on, RH_OP_TANH, x),
                           over(&on, call(&on, RH_OP_SINH, x), call(&on, RH_OP_COSH, x))));
    // 1/(x + y) + 1/(x - y) = 2x/(x^2 - y^2)
    const rh_expr left = plus(&on, over(&on, one, plus(&on, x, y)), over(&on, m, minus(&on, x, y)));
    const rh_expr top = plus(&on, minus(&on, x, y), times(&on, m, plus(&on, x, y)));
    const rh_expr below = minus(&on, power(&on, x, 2), power(&on, y, 2));
    expect_zero(&on, minus(&on, left, over(&on, top, below)));
    // (1 - cos^2)/sin^2 = 1, sqrt(a)^2 = a, x/sqrt(x + y) + y/sqrt(x + y) = sqrt(x + y)
    expect_zero(&on,
                minus(&on, over(&on, times(&on, plus(&on, one, c), minus(&on, one, c)), s), s));
    const rh_expr root = rh__expr_sqrt(on.store, plus(&on, x, y));
    expect_zero(&on, minus(&on, plus(&on, over(&on, x, root), over(&on, y, root)), root));
    const rh_expr two = rh__expr_sqrt(on.store, whole(&on, 2));
    expect_zero(&on, minus(&on, power(&on, plus(&on, two, x), 2),
                           plus(&on, plus(&on, whole(&on, 2), power(&on, x, 2)),
                                times(&on, times(&on, whole(&on, 2), two), x))));
    // exp(x)*exp(-x) = 1, |x|^2 = x^2
    expect_zero(&on, minus(&on,
                           times(&on, call(&on, RH_OP_EXP, x),
                                 call(&on, RH_OP_EXP, times(&on, whole(&on, -1), x))),
                           one));
    const rh_expr size = call(&on, RH_OP_ABS, x);
    expect_zero(&on, minus(&on, times(&on, plus(&on, size, one), minus(&on, size, one)),
                           minus(&on, power(&on, x, 2), one)));
    // arguments that are equal only after folding
    const rh_expr square = power(&on, plus(&on, x, y), 2);
    const rh_expr open = plus(&on, plus(&on, power(&on, x, 2), power(&on, y, 2)),
                              times(&on, whole(&on, 2), times(&on, x, y)));
    expect_zero(&on, minus(&on, call(&on, RH_OP_SIN, square), call(&on, RH_OP_SIN, open)));
    expect_zero(&on, minus(&on, over(&on, one, square), over(&on, one, open)));
    expect_zero(&on, minus(&on, rh__expr_sqrt(on.store, plus(&on, square, m)),
                           rh__expr_sqrt(on.store, plus(&on, open, m))));
    expect_nonzero(&on, minus(&on, call(&on, RH_OP_SIN, square), call(&on, RH_OP_COS, open)));
    expect_nonzero(&on, minus(&on, over(&on, x, next), over(&on, y, next)));
    expect_nonzero(&on, minus(&on, rh__expr_sqrt(on.store, power(&on, x, 2)), x));
    lab_end(&on);
}

static void zero_does_not_depend_on_turned_arguments(void **state)
{
    (void)state;
    lab on;
    lab_begin(&on);
    const rh_expr x = on.symbol[2];
    const rh_expr y = on.symbol[3];
    // arguments whose folding turns their sign: y*(x - y) - x*y + ... = -y^2 and the like
    const rh_expr u = minus(&on, times(&on, y, minus(&on, x, y)), times(&on, x, y));
    const rh_expr v = power(&on, y, 2);
    expect_zero(&on, plus(&on, call(&on, RH_OP_SIN, u), call(&on, RH_OP_SIN, v)));
    expect_zero(&on, minus(&on, call(&on, RH_OP_COS, u), call(&on, RH_OP_COS, v)));
    expect_zero(&on, plus(&on, call(&on, RH_OP_TAN, u), call(&on, RH_OP_TAN, v)));
    expect_zero(&on, plus(&on, call(&on, RH_OP_ATAN, u), call(&on, RH_OP_ATAN, v)));
    const rh_expr mixed =
        plus(&on, times(&on, x, call(&on, RH_OP_COS, u)), times(&on, y, call(&on, RH_OP_SIN, u)));
    const rh_expr folded = rh__expr_fold(on.store, mixed, LIMIT, &on.scratch);
    point here = {.on = &on, .at = {1, 1, 0.7, 0.4, 0.3, 0.2, 0.1, 0.5}};
    assert_near(lab_value(&on, folded, &here), lab_value(&on, mixed, &here), 1e-14);
    lab_end(&on);
}

// --- rotations --------------------------------------------------------------------------------

typedef struct matrix {
    rh_expr at[3][3];
} matrix;

static matrix rotation(lab *on, int axis, rh_expr angle)
{
    const rh_expr c = call(on, RH_OP_COS, angle);
    const rh_expr s = call(on, RH_OP_SIN, angle);
    const int i = (axis + 1) % 3;
    const int j = (axis + 2) % 3;
    matrix r;
    for (int k = 0; k < 9; k++) {
        r.at[k / 3][k % 3] = whole(on, k / 3 == k % 3);
    }
    r.at[i][i] = c;
    r.at[i][j] = times(on, whole(on, -1), s);
    r.at[j][i] = s;
    r.at[j][j] = c;
    return r;
}

static matrix multiply(lab *on, matrix a, matrix b, bool is_turned)
{
    matrix r;
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            rh_expr sum = whole(on, 0);
            for (int k = 0; k < 3; k++) {
                const rh_expr x = is_turned ? a.at[k][i] : a.at[i][k];
                sum = plus(on, sum, times(on, x, b.at[k][j]));
            }
            r.at[i][j] = sum;
        }
    }
    return r;
}

static void rotations_are_rotations(void **state)
{
    (void)state;
    lab on;
    lab_begin(&on);
    const rh_expr sum = plus(&on, on.symbol[5], on.symbol[6]);
    const matrix r = multiply(
        &on, multiply(&on, rotation(&on, 2, on.symbol[2]), rotation(&on, 0, on.symbol[3]), false),
        rotation(&on, 2, sum), false);
    const matrix unit = multiply(&on, r, r, true);
    rh_expr norm = whole(&on, 0);
    rh_expr rotated = whole(&on, 0);
    for (int i = 0; i < 3; i++) {
        rh_expr row = whole(&on, 0);
        for (int j = 0; j < 3; j++) {
            expect_zero(&on, minus(&on, unit.at[i][j], whole(&on, i == j)));
            row = plus(&on, row, times(&on, r.at[i][j], on.symbol[5 + j]));
        }
        rotated = plus(&on, rotated, power(&on, row, 2));
        norm = plus(&on, norm, power(&on, on.symbol[5 + i], 2));
    }
    expect_zero(&on, minus(&on, rotated, norm));
    assert_int_equal(cost_of(&on, rh__expr_fold(on.store, rotated, LIMIT, &on.scratch)), 5);
    lab_end(&on);
}

// --- the rolling disc ---------------------------------------------------------------------------

static void the_kinetic_energy_of_a_rolling_disc_is_short(void **state)
{
    (void)state;
    lab on;
    lab_begin(&on);
    const rh_expr m = on.symbol[0];
    const rh_expr a = on.symbol[1];
    const rh_expr th = on.symbol[2];
    const rh_expr ps = on.symbol[3];
    const rh_expr w1 = on.symbol[5];
    const rh_expr w2 = on.symbol[6];
    const rh_expr w3 = on.symbol[7];
    const rh_expr st = call(&on, RH_OP_SIN, th);
    const rh_expr ct = call(&on, RH_OP_COS, th);
    const rh_expr sp = call(&on, RH_OP_SIN, ps);
    const rh_expr cp = call(&on, RH_OP_COS, ps);
    const rh_expr roll = times(&on, a, plus(&on, w3, times(&on, st, w2)));
    // velocities of x - a sin th sin ps, y + a sin th cos ps, a cos th
    const rh_expr tilt = times(&on, a, times(&on, ct, w1));
    const rh_expr turn = times(&on, a, times(&on, st, w2));
    const rh_expr vx =
        minus(&on, times(&on, roll, cp), plus(&on, times(&on, tilt, sp), times(&on, turn, cp)));
    const rh_expr vy =
        plus(&on, times(&on, roll, sp), minus(&on, times(&on, tilt, cp), times(&on, turn, sp)));
    const rh_expr vz = times(&on, whole(&on, -1), times(&on, a, times(&on, st, w1)));
    const rh_expr squares =
        plus(&on, plus(&on, power(&on, vx, 2), power(&on, vy, 2)), power(&on, vz, 2));
    const rh_expr half = rh__expr_ratio(on.store, 1, 2);
    const rh_expr energy = times(&on, times(&on, half, m), squares);
    const rh_expr expected = times(&on, times(&on, half, times(&on, m, power(&on, a, 2))),
                                   plus(&on, power(&on, w1, 2), power(&on, w3, 2)));
    const rh_expr folded = rh__expr_fold(on.store, energy, LIMIT, &on.scratch);
    print_message("%s\n", lab_text(&on, folded));
    assert_int_equal(cost_of(&on, folded), cost_of(&on, expected));
    expect_zero(&on, minus(&on, energy, expected));
    lab_end(&on);
}

// --- properties ---------------------------------------------------------------------------------

// Random polynomial identities: (a + b)*(a - b) - a^2 + b^2 and the square of a sum.
static void identities_are_proved(void **state)
{
    (void)state;
    support_random random = support_random_begin("identities_are_proved");
    lab on;
    lab_begin(&on);
    for (int round = 0; round < 300; round++) {
        const rh_mark mark = rh__arena_mark(&on.scratch);
        const grower by = {&on.scratch, &random, MENU_SQUARABLE};
        const rh_expr a = tree_build(&on, tree_grow(&by, 5));
        const rh_expr b = tree_build(&on, tree_grow(&by, 5));
        if (lab_renew(&on) || a.i == 0 || b.i == 0 || lab_has_zero_below(&on, a) ||
            lab_has_zero_below(&on, b)) {
            continue;
        }
        const rh_expr squares = minus(&on, power(&on, a, 2), power(&on, b, 2));
        const rh_expr product = times(&on, plus(&on, a, b), minus(&on, a, b));
        rh_folder *folder = rh__folder_create(on.store, &on.scratch, 5000);
        assert_non_null(folder);
        if (!rh__folder_is_zero(folder, minus(&on, product, squares))) {
            print_message("a = %s, b = %s\n", lab_text(&on, a), lab_text(&on, b));
            fail();
        }
        assert_false(rh__folder_is_zero(
            folder, plus(&on, minus(&on, product, squares), rh__expr_ratio(on.store, 1, 1000))));
        rh__folder_destroy(folder);
        rh__arena_rewind(&on.scratch, mark);
    }
    lab_end(&on);
}

// Values agree as well as rounding lets them.
static void check_value(lab *on, const tree *grown, rh_expr e, rh_expr folded,
                        support_random *random, int *judged)
{
    point here = random_point(on, random, 0.2, 1.5);
    const reading expected = tree_value(grown, here.at);
    if (!expected.is_defined || expected.is_near || !(expected.error < 1e-11)) {
        return;
    }
    const double actual = lab_value(on, folded, &here);
    const double slack = 1e-12 * (1.0 + fabs(expected.value)) + 1e3 * expected.error;
    if (!(fabs(actual - expected.value) <= slack)) {
        print_message("%s\n-> %s\n%.17g %.17g\n", lab_text(on, e), lab_text(on, folded),
                      expected.value, actual);
    }
    assert_true(fabs(actual - expected.value) <= slack);
    (*judged)++;
}

static void check_random(unsigned offered, uint32_t limit, const char *name)
{
    support_random random = support_random_begin(name);
    lab on;
    lab_begin(&on);
    int judged = 0;
    uint64_t before = 0;
    uint64_t after = 0;
    for (int round = 0; round < ROUNDS; round++) {
        const rh_mark mark = rh__arena_mark(&on.scratch);
        const grower by = {&on.scratch, &random, offered};
        const tree *grown = tree_grow(&by, LEAVES);
        const rh_expr e = tree_build(&on, grown);
        if (lab_renew(&on) || e.i == 0 || lab_has_zero_below(&on, e)) {
            continue;
        }
        const rh_expr folded = rh__expr_fold(on.store, e, limit, &on.scratch);
        assert_int_equal(rh__store_refusal(on.store), RH_REFUSAL_NONE);
        assert_int_not_equal(folded.i, 0);
        assert_true(cost_of(&on, folded) <= cost_of(&on, e));
        const rh_expr again = rh__expr_fold(on.store, folded, limit, &on.scratch);
        // a second look may see more: where parts pass the limit, and where digits that a first
        // form kept were refused for it
        assert_true(cost_of(&on, again) <= cost_of(&on, folded));
        check_value(&on, grown, e, folded, &random, &judged);
        before += cost_of(&on, e);
        after += cost_of(&on, folded);
        rh__arena_rewind(&on.scratch, mark);
    }
    print_message("%s: cost %llu -> %llu, judged %d\n", name, (unsigned long long)before,
                  (unsigned long long)after, judged);
    assert_true(judged > ROUNDS / 5);
    lab_end(&on);
}

static void values_of_polynomials_stay(void **state)
{
    (void)state;
    check_random(MENU_SQUARABLE, LIMIT, "values_of_polynomials_stay");
}

static void values_of_all_stay(void **state)
{
    (void)state;
    check_random(MENU_ALL, LIMIT, "values_of_all_stay");
}

static void values_stay_at_small_limits(void **state)
{
    (void)state;
    check_random(MENU_ALL, 3, "values_stay_at_small_limits");
}

static void one_folder_serves_many(void **state)
{
    (void)state;
    support_random random = support_random_begin("one_folder_serves_many");
    lab on;
    lab_begin(&on);
    rh_folder *folder = rh__folder_create(on.store, &on.arena, LIMIT);
    assert_non_null(folder);
    for (int round = 0; round < 500; round++) {
        const rh_mark mark = rh__arena_mark(&on.scratch);
        const grower by = {&on.scratch, &random, MENU_SQUARABLE};
        const rh_expr e = tree_build(&on, tree_grow(&by, LEAVES));
        assert_int_equal(rh__store_refusal(on.store), RH_REFUSAL_NONE);
        if (!lab_has_zero_below(&on, e)) {
            const rh_expr folded = rh__folder_apply(folder, e);
            assert_true(cost_of(&on, folded) <= cost_of(&on, e));
            assert_true(same(rh__folder_apply(folder, e), folded));
            assert_true(same(rh__folder_apply(folder, folded), folded));
        }
        rh__arena_rewind(&on.scratch, mark);
    }
    rh__folder_destroy(folder);
    lab_end(&on);
}

// Rows of one loop keep one shape.
static void rows_fold_alike(void **state)
{
    (void)state;
    lab on;
    lab_begin(&on);
    const rh_family z = lab_family(on.store, "z", 40, 0, MOVES);
    rh_folder *folder = rh__folder_create(on.store, &on.arena, LIMIT);
    rh_shape shape = {0};
    for (uint32_t k = 0; k + 2 < 40; k++) {
        const rh_expr a = rh__expr_symbol(on.store, z, k);
        const rh_expr b = rh__expr_symbol(on.store, z, k + 1);
        const rh_expr c = rh__expr_symbol(on.store, z, k + 2);
        const rh_expr s = call(&on, RH_OP_SIN, minus(&on, a, b));
        const rh_expr e = plus(&on, times(&on, plus(&on, a, b), plus(&on, times(&on, b, s), c)),
                               minus(&on, times(&on, c, a), times(&on, b, c)));
        const rh_expr folded = rh__folder_apply(folder, e);
        shape = k == 0 ? rh__expr_shape(on.store, folded) : shape;
        assert_int_equal(rh__expr_shape(on.store, folded).i, shape.i);
    }
    rh__folder_destroy(folder);
    lab_end(&on);
}

// Deep towers: no overflow of the C stack, no refusal, and an end.
static void deep_expressions_are_folded(void **state)
{
    (void)state;
    lab on;
    lab_begin(&on);
    rh_expr tower = on.symbol[2];
    rh_expr nest = on.symbol[2];
    for (int k = 0; k < DEEP; k++) {
        tower = call(&on, RH_OP_SIN, plus(&on, tower, on.symbol[3]));
        nest = plus(&on, times(&on, nest, on.symbol[3]), on.symbol[4 + k % 3]);
    }
    const rh_expr towers[] = {tower, nest};
    for (int k = 0; k < 2; k++) {
        const rh_expr folded = rh__expr_fold(on.store, towers[k], LIMIT, &on.scratch);
        assert_int_equal(rh__store_refusal(on.store), RH_REFUSAL_NONE);
        assert_true(cost_of(&on, folded) <= cost_of(&on, towers[k]));
    }
    lab_end(&on);
}

static void short_memory_is_a_refusal(void **state)
{
    (void)state;
    for (size_t fail_at = 1;; fail_at++) {
        support_memory memory = {.fail_at = 0};
        rh_arena arena = rh__arena_begin(support_memory_allocator(&memory), SIZE_MAX / 2);
        rh_store *store = rh__store_create(&arena);
        lab inner = {.store = store, .scratch = rh__arena_begin(arena.allocator, SIZE_MAX / 2)};
        lab_fill(&inner);
        const rh_expr s = call(&inner, RH_OP_SIN, plus(&inner, inner.symbol[2], inner.symbol[3]));
        const rh_expr e = over(&inner, power(&inner, plus(&inner, s, inner.symbol[3]), 6),
                               plus(&inner, times(&inner, s, inner.symbol[4]), inner.symbol[5]));
        memory.fail_at = memory.request_count + fail_at;
        const size_t last = memory.fail_at;
        const rh_expr folded = rh__expr_fold(store, e, LIMIT, &inner.scratch);
        const bool is_done = memory.request_count < last;
        assert_true(folded.i != 0 || rh__store_refusal(store) == RH_REFUSAL_MEMORY);
        rh__store_destroy(store);
        rh__arena_end(&inner.scratch);
        rh__arena_end(&arena);
        assert_int_equal(memory.block_count, 0);
        if (is_done) {
            break;
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(quotients_and_roots_cancel),
        cmocka_unit_test(zero_does_not_depend_on_turned_arguments),
        cmocka_unit_test(rotations_are_rotations),
        cmocka_unit_test(the_kinetic_energy_of_a_rolling_disc_is_short),
        cmocka_unit_test(identities_are_proved),
        cmocka_unit_test(values_of_polynomials_stay),
        cmocka_unit_test(values_of_all_stay),
        cmocka_unit_test(values_stay_at_small_limits),
        cmocka_unit_test(one_folder_serves_many),
        cmocka_unit_test(rows_fold_alike),
        cmocka_unit_test(deep_expressions_are_folded),
        cmocka_unit_test(short_memory_is_a_refusal),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
