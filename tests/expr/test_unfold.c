// SPDX-License-Identifier: Apache-2.0
// Tests of src/expr/unfold.c: what is left with each choice of signs, and soundness: where the
// signs are as chosen random trees keep their values.

#include "helpers.h"

enum { ROUNDS = 3000, LEAVES = 7, POINTS = 20 };

static rh_expr unfold(lab *on, rh_expr e, uint32_t choice)
{
    rh_unfolding with = {.choice = choice};
    return rh__expr_unfold(on->store, e, &with);
}

static void sides_are_opened(void **state)
{
    (void)state;
    lab on;
    lab_begin(&on);
    rh_store *store = on.store;
    const rh_expr x = on.symbol[2];
    const rh_expr y = on.symbol[3];
    const rh_expr u = minus(&on, x, whole(&on, 3));
    const rh_expr size = rh__expr_sqrt(store, power(&on, u, 2));
    assert_true(same(unfold(&on, size, 0), u));
    assert_true(same(unfold(&on, size, 1), rh__expr_negate(store, u)));
    const rh_expr log = call(&on, RH_OP_LOG, power(&on, u, 2));
    const rh_expr half = times(&on, rh__expr_ratio(store, 1, 2), log);
    assert_true(same(unfold(&on, call(&on, RH_OP_EXP, half), 0), u));
    // one sign for both
    rh_unfolding with = {.choice = 1};
    const rh_expr minus_u = rh__expr_negate(store, u);
    const rh_expr both = plus(&on, call(&on, RH_OP_SIGN, times(&on, whole(&on, 7), minus_u)), size);
    const rh_expr opened = rh__expr_unfold(store, both, &with);
    assert_true(same(opened, minus(&on, whole(&on, 1), u)));
    assert_int_equal(with.count, 1);
    assert_true(same(with.signs[0].of, u));
    assert_int_equal(with.signs[0].sign, -1);
    assert_false(with.signs[0].is_needed);
    // an odd root has a value on one side alone
    with = (rh_unfolding){.choice = 1};
    const rh_expr cube = rh__expr_power(store, power(&on, u, 3), rh__expr_ratio(store, 1, 3));
    assert_true(same(rh__expr_unfold(store, cube, &with), u));
    assert_int_equal(with.signs[0].sign, 1);
    assert_true(with.signs[0].is_needed);
    // the sides of a triangle
    const rh_expr angle = call2(&on, RH_OP_ATAN2, y, u);
    const rh_expr radius = rh__expr_sqrt(store, plus(&on, power(&on, y, 2), power(&on, u, 2)));
    assert_true(same(unfold(&on, times(&on, radius, call(&on, RH_OP_COS, angle)), 0), u));
    // arcs stay unless they are asked for
    const rh_expr arc = call(&on, RH_OP_ASIN, call(&on, RH_OP_SIN, u));
    assert_true(same(unfold(&on, arc, 0), arc));
    with = (rh_unfolding){.opens_arcs = true};
    assert_true(same(rh__expr_unfold(store, arc, &with), u));
    assert_true(with.has_arcs);
    lab_end(&on);
}

// A root or a logarithm of a power of what grew, alone or as an exponent, beside something else.
static rh_expr wrapped(lab *on, support_random *random, rh_expr e, rh_expr other)
{
    const int64_t n = 2 + (int64_t)support_random_below(random, 3);
    const rh_expr raised = power(on, e, n);
    const rh_expr part = rh__expr_ratio(on->store, 1, 2 + (int64_t)support_random_below(random, 3));
    const rh_expr log = call(on, RH_OP_LOG, raised);
    const uint32_t kind = support_random_below(random, 4);
    const rh_expr made = kind == 0   ? rh__expr_power(on->store, raised, part)
                         : kind == 1 ? log
                         : kind == 2 ? call(on, RH_OP_EXP, times(on, part, log))
                                     : call(on, RH_OP_ABS, e);
    return plus(on, made, times(on, made, other));
}

static bool has_these_signs(lab *on, const rh_unfolding *with, point *here)
{
    bool result = true;
    for (uint32_t k = 0; result && k < with->count; k++) {
        const double value = lab_value(on, with->signs[k].of, here);
        result = isfinite(value) && value * with->signs[k].sign > 1e-6;
    }
    return result;
}

static void values_are_kept(void **state)
{
    (void)state;
    support_random random = support_random_begin("values_are_kept");
    lab on;
    lab_begin(&on);
    uint32_t compared = 0;
    for (int round = 0; round < ROUNDS; round++) {
        const rh_mark mark = rh__arena_mark(&on.scratch);
        const grower by = {&on.scratch, &random, MENU_ROOTS | MENU_SQUARABLE | MENU_SMOOTH};
        const rh_expr grown =
            tree_build(&on, tree_grow(&by, 1 + support_random_below(&random, LEAVES)));
        const rh_expr other = tree_build(&on, tree_grow(&by, 1 + support_random_below(&random, 3)));
        rh_unfolding with = {.choice = support_random_below(&random, 64)};
        const rh_expr e = wrapped(&on, &random, grown, other);
        const rh_expr opened = rh__expr_unfold(on.store, e, &with);
        if (lab_renew(&on) || e.i == 0 || opened.i == 0 || opened.i == e.i ||
            lab_has_zero_below(&on, e)) {
            continue;
        }
        for (int k = 0; k < POINTS; k++) {
            point here = random_point(&on, &random, -2.5, 2.5);
            const double value = lab_value(&on, e, &here);
            const double kept = lab_value(&on, opened, &here);
            if (!has_these_signs(&on, &with, &here) || !(fabs(value) < 1e6)) {
                continue;
            }
            compared++;
            if (!(fabs(value - kept) <= 1e-6 * (1.0 + fabs(value)))) {
                fail_msg("%s is %g, and %s is %g", lab_text(&on, e), value, lab_text(&on, opened),
                         kept);
            }
        }
        rh__arena_rewind(&on.scratch, mark);
    }
    print_message("%u values\n", compared);
    assert_true(compared > ROUNDS);
    lab_end(&on);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sides_are_opened),
        cmocka_unit_test(values_are_kept),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
