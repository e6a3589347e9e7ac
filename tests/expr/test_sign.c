// SPDX-License-Identifier: Apache-2.0
// Tests of src/expr/sign.c: known proofs, and soundness against random points.

#include "helpers.h"

enum { ROUNDS = 6000, LEAVES = 7, POINTS = 40 };

static double parameter_value(const void *user, const rh_store *store, rh_expr symbol)
{
    const lab *on = (const lab *)user;
    (void)store;
    assert_true(same(symbol, on->symbol[0]) || same(symbol, on->symbol[1]));
    return same(symbol, on->symbol[0]) ? 2.0 : -3.0; // m, k
}

static int sign_of(lab *on, rh_expr e)
{
    return rh__expr_sign(on->store, e, parameter_value, on);
}

static void proofs_are_found(void **state)
{
    (void)state;
    lab on;
    lab_begin(&on);
    const rh_expr m = on.symbol[0];
    const rh_expr k = on.symbol[1];
    const rh_expr x = on.symbol[2];
    const rh_expr y = on.symbol[3];
    const rh_expr one = whole(&on, 1);
    const rh_expr s2 = power(&on, call(&on, RH_OP_SIN, x), 2);
    assert_int_equal(sign_of(&on, one), 1);
    assert_int_equal(sign_of(&on, whole(&on, 0)), 0);
    assert_int_equal(sign_of(&on, rh__expr_ratio(on.store, -1, 3)), -1);
    assert_int_equal(sign_of(&on, rh__expr_pi(on.store)), 1);
    assert_int_equal(sign_of(&on, m), 1);
    assert_int_equal(sign_of(&on, k), -1);
    assert_int_equal(rh__expr_sign(on.store, m, NULL, NULL), 0);
    assert_int_equal(sign_of(&on, x), 0);
    assert_int_equal(sign_of(&on, power(&on, x, 2)), 0);
    assert_int_equal(sign_of(&on, power(&on, x, -2)), 1);
    assert_int_equal(sign_of(&on, plus(&on, power(&on, x, 2), m)), 1);
    assert_int_equal(sign_of(&on, plus(&on, times(&on, k, s2), k)), -1);
    assert_int_equal(sign_of(&on, minus(&on, times(&on, k, s2), m)), -1);
    assert_int_equal(sign_of(&on, plus(&on, times(&on, m, s2), k)), 0);
    assert_int_equal(sign_of(&on, call(&on, RH_OP_EXP, minus(&on, x, y))), 1);
    assert_int_equal(sign_of(&on, times(&on, k, call(&on, RH_OP_COSH, x))), -1);
    assert_int_equal(sign_of(&on, rh__expr_sqrt(on.store, plus(&on, power(&on, x, 2), one))), 1);
    assert_int_equal(sign_of(&on, rh__expr_sqrt(on.store, x)), 0);
    assert_int_equal(sign_of(&on, plus(&on, rh__expr_sqrt(on.store, x), m)), 1);
    // bounds
    const rh_expr c = call(&on, RH_OP_COS, times(&on, x, y));
    assert_int_equal(sign_of(&on, plus(&on, whole(&on, 2), c)), 1);
    assert_int_equal(sign_of(&on, plus(&on, one, c)), 0);
    assert_int_equal(sign_of(&on, minus(&on, times(&on, c, s2), whole(&on, 2))), -1);
    assert_int_equal(sign_of(&on, plus(&on, plus(&on, whole(&on, 2), c), power(&on, y, 2))), 1);
    assert_int_equal(sign_of(&on, plus(&on, plus(&on, whole(&on, 2), c), y)), 0);
    assert_int_equal(sign_of(&on, call2(&on, RH_OP_MAX, x, m)), 1);
    assert_int_equal(sign_of(&on, call2(&on, RH_OP_MIN, x, m)), 0);
    assert_int_equal(sign_of(&on, call2(&on, RH_OP_MIN, x, k)), -1);
    // 1/0 is an infinity of either sign, of which these have a value
    const rh_expr pole = power(&on, call2(&on, RH_OP_MIN, whole(&on, 0), x), -1);
    assert_int_equal(sign_of(&on, pole), -1);
    assert_int_equal(sign_of(&on, call(&on, RH_OP_TANH, pole)), 0);
    assert_int_equal(sign_of(&on, call(&on, RH_OP_ATAN, pole)), 0);
    assert_int_equal(sign_of(&on, call(&on, RH_OP_SIGN, pole)), 0);
    lab_end(&on);
}

static void proofs_hold(void **state)
{
    (void)state;
    support_random random = support_random_begin("proofs_hold");
    lab on;
    lab_begin(&on);
    int proofs = 0;
    for (int round = 0; round < ROUNDS; round++) {
        const rh_mark mark = rh__arena_mark(&on.scratch);
        const grower by = {&on.scratch, &random, MENU_ALL};
        const tree *grown = tree_grow(&by, 1 + support_random_below(&random, LEAVES));
        const rh_expr e = tree_build(&on, grown);
        if (lab_renew(&on) || e.i == 0 || lab_has_zero_below(&on, e)) {
            continue;
        }
        const int sign = sign_of(&on, e);
        proofs += sign != 0 && !rh__expr_is_number(on.store, e);
        for (int k = 0; sign != 0 && k < POINTS; k++) {
            point here = random_point(&on, &random, -2.5, 2.5);
            here.at[0] = 2.0;
            here.at[1] = -3.0;
            for (int j = 2; k % 4 == 0 && j < SYMBOLS; j++) {
                here.at[j] = support_random_below(&random, 2) == 0 ? 0.0 : here.at[j];
            }
            const double value = lab_value(&on, e, &here);
            // underflow makes exp(-1000) a zero
            if (isfinite(value) && value != 0 && (value > 0) != (sign > 0)) {
                print_message("%s is %g\n", lab_text(&on, e), value);
                fail();
            }
            const reading plain = tree_value(grown, here.at);
            if (plain.is_defined && !plain.is_near && fabs(plain.value) > 1e-3 &&
                plain.error < 1e-6 && (plain.value > 0) != (sign > 0)) {
                print_message("%s is %g\n", lab_text(&on, e), plain.value);
                fail();
            }
        }
        rh__arena_rewind(&on.scratch, mark);
    }
    print_message("%d proofs\n", proofs);
    assert_true(proofs > ROUNDS / 100);
    lab_end(&on);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(proofs_are_found),
        cmocka_unit_test(proofs_hold),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
