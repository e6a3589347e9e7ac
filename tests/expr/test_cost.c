// SPDX-License-Identifier: Apache-2.0
// Tests of src/expr/cost.c and factor.c: counts by hand, sharing, and common factors of random
// products.

#include "helpers.h"

static void expect(lab *on, rh_expr e, uint64_t additions, uint64_t multiplications,
                   uint64_t divisions, uint64_t functions)
{
    rh_cost cost;
    assert_true(rh__expr_cost(on->store, &e, 1, &on->scratch, &cost));
    assert_int_equal(cost.additions, additions);
    assert_int_equal(cost.multiplications, multiplications);
    assert_int_equal(cost.divisions, divisions);
    assert_int_equal(cost.functions, functions);
}

static void counts_are_those_made_by_hand(void **state)
{
    (void)state;
    lab on;
    lab_begin(&on);
    const rh_expr m = on.symbol[0];
    const rh_expr k = on.symbol[1];
    const rh_expr x = on.symbol[2];
    const rh_expr y = on.symbol[3];
    expect(&on, whole(&on, 7), 0, 0, 0, 0);
    expect(&on, x, 0, 0, 0, 0);
    expect(&on, times(&on, m, call(&on, RH_OP_SIN, k)), 0, 0, 0, 0);
    expect(&on, plus(&on, x, y), 1, 0, 0, 0);
    expect(&on, minus(&on, x, y), 1, 0, 0, 0);
    expect(&on, times(&on, whole(&on, 3), x), 0, 1, 0, 0);
    expect(&on, times(&on, whole(&on, -1), x), 0, 0, 0, 0);
    // 3*m*k is one constant
    expect(&on, times(&on, times(&on, whole(&on, 3), m), times(&on, k, x)), 0, 1, 0, 0);
    expect(&on, plus(&on, plus(&on, x, m), plus(&on, k, whole(&on, 1))), 1, 0, 0, 0);
    expect(&on, power(&on, x, 2), 0, 1, 0, 0);
    expect(&on, power(&on, x, 7), 0, 4, 0, 0);
    expect(&on, power(&on, x, -2), 0, 1, 1, 0);
    expect(&on, over(&on, y, x), 0, 0, 1, 0);
    expect(&on, over(&on, whole(&on, 3), x), 0, 0, 1, 0);
    expect(&on, over(&on, m, times(&on, x, y)), 0, 1, 1, 0);
    expect(&on, rh__expr_sqrt(on.store, x), 0, 0, 0, 1);
    expect(&on, over(&on, y, rh__expr_sqrt(on.store, x)), 0, 0, 1, 1);
    expect(&on, plus(&on, call(&on, RH_OP_SIN, x), call(&on, RH_OP_COS, x)), 1, 0, 0, 2);
    lab_end(&on);
}

static void shared_parts_count_once(void **state)
{
    (void)state;
    lab on;
    lab_begin(&on);
    const rh_expr x = on.symbol[2];
    const rh_expr y = on.symbol[3];
    const rh_expr s = call(&on, RH_OP_SIN, plus(&on, x, y));
    const rh_expr roots[] = {times(&on, s, x), times(&on, s, y), s};
    rh_cost cost;
    assert_true(rh__expr_cost(on.store, roots, 3, &on.scratch, &cost));
    assert_int_equal(cost.functions, 1);
    assert_int_equal(cost.additions, 1);
    assert_int_equal(cost.multiplications, 2);
    assert_int_equal(rh__cost_total(cost), 23);
    lab_end(&on);
}

static void common_factors_come_out(void **state)
{
    (void)state;
    lab on;
    lab_begin(&on);
    const rh_expr m = on.symbol[0];
    const rh_expr x = on.symbol[2];
    const rh_expr y = on.symbol[3];
    const rh_expr s = call(&on, RH_OP_SIN, x);
    const rh_expr x2y = times(&on, power(&on, x, 2), y);
    const rh_expr first = plus(&on, times(&on, m, x2y), times(&on, times(&on, s, x), y));
    const rh_expr second = times(&on, times(&on, power(&on, x, 3), power(&on, y, 2)), m);
    const rh_expr roots[] = {first, rh__expr_integer(on.store, 0), second};
    const rh_expr factor = rh__expr_common_factor(on.store, roots, 3, &on.scratch);
    assert_true(same(factor, times(&on, x, y)));
    assert_true(same(rh__expr_divide_out(on.store, first, factor), plus(&on, times(&on, m, x), s)));
    assert_true(same(rh__expr_divide_out(on.store, second, factor),
                     times(&on, times(&on, power(&on, x, 2), y), m)));
    const rh_expr none[] = {first, plus(&on, x, whole(&on, 1))};
    assert_true(rh__expr_is_one(on.store, rh__expr_common_factor(on.store, none, 2, &on.scratch)));
    // parameters and quotients are no factors
    const rh_expr still[] = {times(&on, m, over(&on, whole(&on, 1), x))};
    assert_true(rh__expr_is_one(on.store, rh__expr_common_factor(on.store, still, 1, &on.scratch)));
    lab_end(&on);
}

// A factor multiplied into random expressions is found again, and dividing gives them back.
static void known_factors_are_found(void **state)
{
    (void)state;
    support_random random = support_random_begin("known_factors_are_found");
    lab on;
    lab_begin(&on);
    for (int round = 0; round < 300; round++) {
        const grower by = {&on.scratch, &random, MENU_SQUARABLE};
        rh_expr hidden = whole(&on, 1);
        for (int k = 0; k < 3; k++) {
            const uint32_t which = 2 + support_random_below(&random, SYMBOLS - 2);
            hidden = times(&on, hidden, on.symbol[which]);
        }
        rh_expr roots[3];
        rh_expr parts[3];
        for (int k = 0; k < 3; k++) {
            parts[k] = tree_build(&on, tree_grow(&by, 8));
            roots[k] = times(&on, parts[k], hidden);
        }
        if (lab_renew(&on)) {
            continue;
        }
        const rh_expr factor = rh__expr_common_factor(on.store, roots, 3, &on.scratch);
        for (int k = 0; k < 3; k++) {
            const rh_expr left = rh__expr_divide_out(on.store, roots[k], factor);
            point here = random_point(&on, &random, 0.2, 1.2);
            const double expected = lab_value(&on, roots[k], &here);
            const double actual = lab_value(&on, times(&on, left, factor), &here);
            if (isfinite(expected) && fabs(expected) < 1e6) {
                assert_near(actual, expected, 1e-9);
            }
        }
    }
    lab_end(&on);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(counts_are_those_made_by_hand),
        cmocka_unit_test(shared_parts_count_once),
        cmocka_unit_test(common_factors_come_out),
        cmocka_unit_test(known_factors_are_found),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
