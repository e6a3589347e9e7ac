// SPDX-License-Identifier: Apache-2.0
// Property tests of src/expr/expand.c, ring.c and poly.c: nothing to distribute is left, values
// stay, limits are kept.

#include "helpers.h"

enum { ROUNDS = 2000, LEAVES = 12, LIMIT = 30 };

// No product or positive whole power of a sum outside functions and quotients.
static bool is_expanded(lab *on, rh_expr e)
{
    const rh_store *store = on->store;
    const bool is_sum = rh__expr_op(store, e) == RH_OP_ADD;
    const uint32_t terms = is_sum ? rh__expr_count(store, e) / 2 : 1;
    for (uint32_t k = 0; k < terms; k++) {
        const rh_expr term = is_sum ? rh__expr_argument(store, e, 2 * k + 1) : e;
        const bool is_product = rh__expr_op(store, term) == RH_OP_MUL;
        const uint32_t factors = is_product ? rh__expr_count(store, term) : 1;
        for (uint32_t j = 0; j < factors; j++) {
            const rh_expr factor = is_product ? rh__expr_argument(store, term, j) : term;
            int64_t n = 0;
            const bool is_power =
                rh__expr_op(store, factor) == RH_OP_POW &&
                rh__expr_as_integer(store, rh__expr_argument(store, factor, 1), &n);
            const rh_expr base = is_power ? rh__expr_argument(store, factor, 0) : factor;
            if (rh__expr_op(store, base) == RH_OP_ADD && (!is_power || n > 0)) {
                return false;
            }
        }
    }
    return true;
}

static void binomials_open(void **state)
{
    (void)state;
    lab on;
    lab_begin(&on);
    const rh_expr x = on.symbol[2];
    const rh_expr y = on.symbol[3];
    const rh_expr square =
        rh__expr_expand(on.store, power(&on, plus(&on, x, y), 2), 10, &on.scratch);
    const rh_expr expected = plus(&on, plus(&on, power(&on, x, 2), power(&on, y, 2)),
                                  times(&on, whole(&on, 2), times(&on, x, y)));
    assert_true(same(square, expected));
    // sqrt(x + y)^2 only appears while expanding
    const rh_expr root = rh__expr_sqrt(on.store, plus(&on, x, y));
    const rh_expr product = times(&on, plus(&on, root, x), minus(&on, root, x));
    assert_true(same(rh__expr_expand(on.store, product, 10, &on.scratch),
                     minus(&on, plus(&on, x, y), power(&on, x, 2))));
    // x/x, within arguments
    const rh_expr inside = times(&on, x, plus(&on, over(&on, whole(&on, 1), x), y));
    assert_true(same(rh__expr_expand(on.store, call(&on, RH_OP_SIN, inside), 10, &on.scratch),
                     call(&on, RH_OP_SIN, plus(&on, whole(&on, 1), times(&on, x, y)))));
    lab_end(&on);
}

static void a_limit_leaves_the_store_whole(void **state)
{
    (void)state;
    lab on;
    lab_begin(&on);
    const rh_expr three = plus(&on, plus(&on, on.symbol[2], on.symbol[3]), on.symbol[4]);
    // (x + y + z)^8 has 45 terms
    const rh_expr e = power(&on, three, 8);
    const uint32_t before = rh__store_count(on.store);
    assert_int_equal(rh__expr_expand(on.store, e, 44, &on.scratch).i, 0);
    assert_int_equal(rh__store_refusal(on.store), RH_REFUSAL_NONE);
    assert_true(rh__store_count(on.store) < before + 20);
    const rh_expr all = rh__expr_expand(on.store, e, 45, &on.scratch);
    assert_int_equal(rh__expr_count(on.store, all), 90);
    // far beyond any patience
    const rh_expr huge = power(&on, plus(&on, three, on.symbol[5]), 70000);
    assert_int_equal(rh__expr_expand(on.store, huge, 1000, &on.scratch).i, 0);
    assert_int_equal(rh__store_refusal(on.store), RH_REFUSAL_NONE);
    lab_end(&on);
}

static void values_stay(void **state)
{
    (void)state;
    support_random random = support_random_begin("values_stay");
    lab on;
    lab_begin(&on);
    int judged = 0;
    for (int round = 0; round < ROUNDS; round++) {
        const rh_mark mark = rh__arena_mark(&on.scratch);
        const grower by = {&on.scratch, &random, MENU_ALL};
        const tree *grown = tree_grow(&by, LEAVES);
        const rh_expr e = tree_build(&on, grown);
        if (lab_renew(&on) || e.i == 0 || lab_has_zero_below(&on, e)) {
            continue;
        }
        const rh_expr expanded = rh__expr_expand(on.store, e, LIMIT, &on.scratch);
        assert_int_equal(rh__store_refusal(on.store), RH_REFUSAL_NONE);
        if (expanded.i == 0) {
            continue;
        }
        if (!is_expanded(&on, expanded)) {
            print_message("%s\n-> %s\n", lab_text(&on, e), lab_text(&on, expanded));
            fail();
        }
        int agreed = 0;
        int seen = 0;
        for (int k = 0; k < 5; k++) {
            // what is expanded may cancel more, but not at every point
            point here = random_point(&on, &random, 0.2, 1.5);
            const reading expected = tree_value(grown, here.at);
            const double actual = lab_value(&on, expanded, &here);
            const bool counts = expected.is_defined && !expected.is_near && expected.error < 1e-9;
            seen += counts;
            agreed +=
                counts && fabs(actual - expected.value) <= 1e-6 * (1.0 + fabs(expected.value));
        }
        if (seen > 2 && agreed == 0) {
            print_message("%s\n-> %s\n", lab_text(&on, e), lab_text(&on, expanded));
            fail();
        }
        judged += seen > 0;
        rh__arena_rewind(&on.scratch, mark);
    }
    assert_true(judged > ROUNDS / 4);
    lab_end(&on);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(binomials_open),
        cmocka_unit_test(a_limit_leaves_the_store_whole),
        cmocka_unit_test(values_stay),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
