// SPDX-License-Identifier: Apache-2.0
// Tests of src/expr/loss.c and bracket.c: forms that lose digits are told from those that keep
// them, and folding does not choose them.

#include "helpers.h"

#include "expr/loss.h"

enum { LIMIT = 500 };

static bool is_safe(lab *on, rh_expr e, rh_expr other)
{
    return rh__loss_is_safe(on->store, e, other, &on->scratch);
}

// e and its polynomial written out.
static rh_expr opened(lab *on, rh_expr e)
{
    const rh_expr wide = rh__expr_expand(on->store, e, LIMIT, &on->scratch);
    assert_int_not_equal(wide.i, 0);
    return wide;
}

static void powers_about_a_far_point_stay(void **state)
{
    (void)state;
    lab on;
    lab_begin(&on);
    const rh_expr x = on.symbol[2];
    const rh_expr y = on.symbol[3];
    const rh_expr far[] = {minus(&on, x, whole(&on, 1000)), minus(&on, x, on.symbol[1]),
                           minus(&on, x, y)};
    for (uint32_t k = 0; k < 3; k++) {
        for (int n = 2; n <= 5; n++) {
            const rh_expr e = power(&on, far[k], n);
            assert_false(is_safe(&on, e, opened(&on, e)));
            const rh_expr more = plus(&on, e, times(&on, whole(&on, 2), power(&on, far[k], 2)));
            const rh_expr folded = rh__expr_fold(on.store, more, LIMIT, &on.scratch);
            assert_true(is_safe(&on, more, folded));
        }
    }
    // both must be near for the loss to show
    const rh_expr both = plus(&on, power(&on, minus(&on, x, whole(&on, 1000)), 2),
                              power(&on, minus(&on, y, whole(&on, 500)), 2));
    assert_false(is_safe(&on, both, opened(&on, both)));
    // a product of differences may be written out: it is no worse than its factors
    const rh_expr product = times(&on, y, minus(&on, x, whole(&on, 1000)));
    assert_true(is_safe(&on, product, opened(&on, product)));
    lab_end(&on);
}

static void sums_of_like_signs_stay(void **state)
{
    (void)state;
    lab on;
    lab_begin(&on);
    const rh_expr m = on.symbol[0];
    const rh_expr k = on.symbol[1];
    const rh_expr s = power(&on, call(&on, RH_OP_SIN, on.symbol[2]), 2);
    const rh_expr c = power(&on, call(&on, RH_OP_COS, on.symbol[2]), 2);
    const rh_expr e = plus(&on, times(&on, m, s), times(&on, k, c));
    const rh_expr by_cosine = minus(&on, m, times(&on, c, minus(&on, m, k)));
    const rh_expr by_sine = plus(&on, k, times(&on, s, minus(&on, m, k)));
    assert_false(is_safe(&on, e, by_cosine));
    assert_false(is_safe(&on, e, by_sine));
    assert_true(same(rh__expr_fold(on.store, e, LIMIT, &on.scratch), e));
    // the other way round nothing is lost
    assert_true(is_safe(&on, by_sine, e));
    // equal factors: one of them
    const rh_expr x = on.symbol[3];
    const rh_expr one = plus(&on, times(&on, times(&on, m, x), s), times(&on, times(&on, m, x), c));
    assert_true(same(rh__expr_fold(on.store, one, LIMIT, &on.scratch), times(&on, m, x)));
    lab_end(&on);
}

static void bounded_functions_stay_bounded(void **state)
{
    (void)state;
    lab on;
    lab_begin(&on);
    const rh_expr x = on.symbol[2];
    const rh_expr one = whole(&on, 1);
    const rh_expr minus_square = times(&on, whole(&on, -1), power(&on, x, 2));
    const rh_expr bell = call(&on, RH_OP_EXP, minus_square);
    const rh_expr up = call(&on, RH_OP_EXP, power(&on, x, 2));
    const rh_expr three = whole(&on, 3);
    const rh_expr e = over(&on, x, plus(&on, one, times(&on, three, bell)));
    assert_false(is_safe(&on, e, over(&on, times(&on, x, up), plus(&on, up, three))));
    const rh_expr slope = call(&on, RH_OP_TANH, x);
    const rh_expr ratio = over(&on, call(&on, RH_OP_SINH, x), call(&on, RH_OP_COSH, x));
    assert_false(is_safe(&on, slope, ratio));
    // a parameter in the exponent, and a whole row of it
    const rh_expr part = over(&on, on.symbol[3], on.symbol[1]);
    const rh_expr decay = call(&on, RH_OP_EXP, times(&on, whole(&on, -1), power(&on, part, 2)));
    const rh_expr below = plus(&on, on.symbol[0], times(&on, on.symbol[1], decay));
    const rh_expr row =
        minus(&on, times(&on, x, over(&on, on.symbol[4], below)), times(&on, on.symbol[0], x));
    const rh_expr all[] = {row, e, over(&on, on.symbol[3], plus(&on, one, bell)),
                           times(&on, on.symbol[4], plus(&on, slope, power(&on, slope, 3))),
                           over(&on, bell, plus(&on, bell, times(&on, on.symbol[0], one)))};
    for (uint32_t k = 0; k < sizeof all / sizeof *all; k++) {
        const rh_expr folded = rh__expr_fold(on.store, all[k], LIMIT, &on.scratch);
        point here = {.on = &on, .at = {2, 0.01, 40, 2, 3, 1, 1, 1}};
        const double before = lab_value(&on, all[k], &here);
        assert_near(lab_value(&on, folded, &here), before, 1e-14 * fabs(before));
    }
    lab_end(&on);
}

// Folding random expressions keeps their digits at random points of wide range.
static void folded_forms_are_safe(void **state)
{
    (void)state;
    support_random random = support_random_begin("folded_forms_are_safe");
    lab on;
    lab_begin(&on);
    uint32_t judged = 0;
    for (int round = 0; round < 600; round++) {
        const rh_mark mark = rh__arena_mark(&on.scratch);
        const grower by = {&on.scratch, &random, MENU_SQUARABLE};
        const rh_expr e = tree_build(&on, tree_grow(&by, 12));
        if (lab_renew(&on) || e.i == 0 || lab_has_zero_below(&on, e)) {
            continue;
        }
        const rh_expr folded = rh__expr_fold(on.store, e, LIMIT, &on.scratch);
        assert_true(rh__expr_is_zero(on.store, folded) || is_safe(&on, e, folded));
        judged++;
        rh__arena_rewind(&on.scratch, mark);
    }
    assert_true(judged > 300);
    lab_end(&on);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(powers_about_a_far_point_stay),
        cmocka_unit_test(sums_of_like_signs_stay),
        cmocka_unit_test(bounded_functions_stay_bounded),
        cmocka_unit_test(folded_forms_are_safe),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
