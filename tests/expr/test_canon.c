// SPDX-License-Identifier: Apache-2.0
// Property tests of src/expr/canon.c and src/expr/apply.c: however an expression is built it is the
// same node, the order is total, and no fold changes a value where there is one.

#include "helpers.h"

enum { ROUNDS = 4000 };

// --- one tree built in two ways ---------------------------------------------------------------

enum { MOST_PARTS = 32 };

typedef struct parts {
    rh_expr data[MOST_PARTS];
    uint32_t count;
} parts;

static rh_expr build_otherwise(lab *on, const tree *of, support_random *random);

static bool toss(support_random *random)
{
    return support_random_below(random, 2) == 0;
}

static rh_expr negate_somehow(lab *on, rh_expr e, support_random *random)
{
    switch (support_random_below(random, 4)) {
    case 0:
        return rh__expr_negate(on->store, e);
    case 1:
        return times(on, e, whole(on, -1));
    case 2:
        return minus(on, whole(on, 0), e);
    default:
        return over(on, e, whole(on, -1));
    }
}

static rh_expr invert_somehow(lab *on, rh_expr e, support_random *random)
{
    switch (support_random_below(random, 3)) {
    case 0:
        return over(on, whole(on, 1), e);
    case 1:
        return power(on, e, -1);
    default:
        return over(on, e, power(on, e, 2));
    }
}

static void put_part(parts *list, rh_expr e)
{
    assert_true(list->count < MOST_PARTS);
    list->data[list->count++] = e;
}

// The terms of a chain of + and -.
static void gather_terms(lab *on, const tree *of, bool is_negative, parts *out,
                         support_random *random)
{
    if (of->kind == TREE_PLUS || of->kind == TREE_MINUS) {
        gather_terms(on, of->part[0], is_negative, out, random);
        gather_terms(on, of->part[1], is_negative != (of->kind == TREE_MINUS), out, random);
    } else if (of->kind == TREE_NEGATIVE) {
        gather_terms(on, of->part[0], !is_negative, out, random);
    } else {
        const rh_expr e = build_otherwise(on, of, random);
        put_part(out, is_negative ? negate_somehow(on, e, random) : e);
    }
}

// The factors of a chain of * and /.
static void gather_factors(lab *on, const tree *of, bool is_below, parts *out,
                           support_random *random)
{
    if (of->kind == TREE_TIMES || of->kind == TREE_OVER) {
        gather_factors(on, of->part[0], is_below, out, random);
        gather_factors(on, of->part[1], is_below != (of->kind == TREE_OVER), out, random);
    } else {
        const rh_expr e = build_otherwise(on, of, random);
        put_part(out, is_below ? invert_somehow(on, e, random) : e);
    }
}

// Shuffle, then join neighbours in random order, or all at once.
static rh_expr join_parts(lab *on, parts *list, bool is_sum, support_random *random)
{
    for (uint32_t k = list->count; k > 1; k--) {
        const uint32_t j = support_random_below(random, k);
        const rh_expr moved = list->data[k - 1];
        list->data[k - 1] = list->data[j];
        list->data[j] = moved;
    }
    if (support_random_below(random, 4) == 0) {
        return is_sum ? rh__expr_sum(on->store, list->data, list->count)
                      : rh__expr_product(on->store, list->data, list->count);
    }
    while (list->count > 1) {
        const uint32_t k = support_random_below(random, list->count - 1);
        const rh_expr a = list->data[k];
        const rh_expr b = list->data[k + 1];
        list->data[k] = is_sum ? plus(on, a, b) : times(on, a, b);
        list->count--;
        memmove(list->data + k + 1, list->data + k + 2, (list->count - k - 1) * sizeof *list->data);
    }
    return list->data[0];
}

static rh_expr build_otherwise(lab *on, const tree *of, support_random *random)
{
    parts list = {.count = 0};
    rh_expr part[4] = {{0}};
    switch (of->kind) {
    case TREE_PLUS:
    case TREE_MINUS:
    case TREE_NEGATIVE:
        gather_terms(on, of, false, &list, random);
        return join_parts(on, &list, true, random);
    case TREE_TIMES:
    case TREE_OVER:
        gather_factors(on, of, false, &list, random);
        return join_parts(on, &list, false, random);
    case TREE_WHOLE_POWER: {
        const rh_expr base = build_otherwise(on, of->part[0], random);
        if (of->p <= 0 || toss(random)) {
            return toss(random) ? power(on, base, of->p) : power(on, power(on, base, -of->p), -1);
        }
        for (int64_t k = 0; k < of->p; k++) {
            put_part(&list, base);
        }
        return join_parts(on, &list, false, random);
    }
    case TREE_NUMBER:
    case TREE_PI:
    case TREE_SYMBOL:
    case TREE_ROOT:
    case TREE_POWER:
    case TREE_CALL:
    case TREE_CHOICE:
        break;
    }
    for (int k = 0; k < 4 && of->part[k] != NULL; k++) {
        part[k] = build_otherwise(on, of->part[k], random);
    }
    switch (of->kind) {
    case TREE_ROOT:
        return rh__expr_power(on->store, part[0], rh__expr_ratio(on->store, of->p, of->q));
    case TREE_POWER:
        return rh__expr_power(on->store, part[0], part[1]);
    case TREE_CALL: {
        const bool is_swapped = (of->op == RH_OP_MIN || of->op == RH_OP_MAX) && toss(random);
        return part[1].i == 0 ? call(on, of->op, part[0])
                              : call2(on, of->op, part[is_swapped], part[!is_swapped]);
    }
    case TREE_CHOICE: {
        // not swaps the branches
        const bool is_equal = of->op == RH_OP_EQUAL;
        const bool is_turned = is_equal && toss(random);
        const rh_expr condition = tree_condition(on, of, part[is_turned], part[!is_turned]);
        return rh__expr_if(on->store, condition, part[2], part[3]);
    }
    default:
        return tree_build(on, of);
    }
}

// Squares of sin and cos fold step by step, roots of anything but symbols join step by step, and so
// do powers of abs: there the way matters, and the form is only one of several.
static void the_way_of_building_does_not_matter(void **state)
{
    (void)state;
    support_random random = support_random_begin("the_way_of_building_does_not_matter");
    lab on;
    lab_begin(&on);
    int judged = 0;
    for (int round = 0; round < ROUNDS; round++) {
        const rh_mark mark = rh__arena_mark(&on.scratch);
        const grower by = {&on.scratch, &random, MENU_SMOOTH | MENU_CHOICES | MENU_SYMBOL_POWERS};
        const tree *of = tree_grow(&by, 2 + support_random_below(&random, 10));
        const rh_expr a = tree_build(&on, of);
        for (int again = 0; again < 3; again++) {
            const rh_expr b = build_otherwise(&on, of, &random);
            const bool is_sound = !lab_has_zero_below(&on, a) && !lab_has_zero_below(&on, b);
            judged += is_sound;
            if (is_sound && !same(a, b)) {
                fail_msg("round %d: %s\n  but %s", round, lab_text(&on, a), lab_text(&on, b));
            }
        }
        rh__arena_rewind(&on.scratch, mark);
    }
    assert_true(judged > ROUNDS / 2);
    assert_int_equal(rh__store_refusal(on.store), RH_REFUSAL_NONE);
    lab_end(&on);
}

// --- values -----------------------------------------------------------------------------------

static void check_value(lab *on, rh_expr e, const tree *of, point *here, int *judged)
{
    const reading expected = tree_value(of, here->at);
    const double slack = 1e-9 * fabs(expected.value) + 1e4 * expected.error + 1e-300;
    if (!expected.is_defined || expected.is_near || !(slack <= 1e-3 * fabs(expected.value))) {
        return;
    }
    const double value = lab_value(on, e, here);
    (*judged)++;
    if (!(fabs(value - expected.value) <= slack)) {
        fail_msg("%s is %.17g, expected %.17g (+- %.2g)", lab_text(on, e), value, expected.value,
                 slack);
    }
}

static void folding_keeps_values(void **state)
{
    (void)state;
    support_random random = support_random_begin("folding_keeps_values");
    lab on;
    lab_begin(&on);
    int judged = 0;
    for (int round = 0; round < 2 * ROUNDS; round++) {
        const rh_mark mark = rh__arena_mark(&on.scratch);
        const grower by = {&on.scratch, &random, MENU_ALL};
        const tree *of = tree_grow(&by, 2 + support_random_below(&random, 30));
        const rh_expr a = tree_build(&on, of);
        const rh_expr b = build_otherwise(&on, of, &random);
        for (int k = 0; k < 3 && !lab_renew(&on); k++) {
            const double low = k == 0 ? -2.0 : 0.1;
            point here = random_point(&on, &random, low, 2.0);
            check_value(&on, a, of, &here, &judged);
            check_value(&on, b, of, &here, &judged);
        }
        rh__arena_rewind(&on.scratch, mark);
    }
    assert_true(judged > 4 * ROUNDS);
    assert_int_equal(rh__store_refusal(on.store), RH_REFUSAL_NONE);
    lab_end(&on);
}

// --- form -------------------------------------------------------------------------------------

static void check_sum_form(lab *on, rh_expr e)
{
    rh_store *store = on->store;
    const uint32_t pairs = rh__expr_count(store, e) / 2;
    const rh_expr first = rh__expr_argument(store, e, 0);
    assert_true(pairs >= 1);
    assert_false(pairs == 1 && rh__expr_is_one(store, first));
    for (uint32_t k = 0; k < pairs; k++) {
        const rh_expr number = rh__expr_argument(store, e, 2 * k);
        const rh_expr term = rh__expr_argument(store, e, 2 * k + 1);
        const bool is_constant = rh__expr_is_one(store, term);
        assert_true(rh__expr_is_number(store, number));
        assert_false(rh__expr_is_zero(store, number));
        assert_true(is_constant ? k == pairs - 1 && k > 0 : !rh__expr_is_number(store, term));
        assert_true(rh__expr_op(store, term) != RH_OP_ADD ||
                    rh__expr_count(store, term) / 2 > RH_EXPR_FLATTEN);
    }
}

static void check_product_form(lab *on, rh_expr e)
{
    rh_store *store = on->store;
    assert_true(rh__expr_count(store, e) >= 2);
    for (uint32_t k = 0; k < rh__expr_count(store, e); k++) {
        const rh_expr factor = rh__expr_argument(store, e, k);
        const rh_op op = rh__expr_op(store, factor);
        assert_true(op != RH_OP_NUMBER);
        assert_true(op != RH_OP_MUL || rh__expr_count(store, factor) > RH_EXPR_FLATTEN);
        assert_true(op != RH_OP_ADD || rh__expr_count(store, factor) > 2);
        if (k > 0) {
            assert_true(rh__expr_compare(store, rh__expr_argument(store, e, k - 1), factor) < 0);
        }
    }
}

// What expr.h says of ADD, MUL and POW, for every node of a store that was filled at random.
static void every_node_has_the_canonical_form(void **state)
{
    (void)state;
    support_random random = support_random_begin("every_node_has_the_canonical_form");
    lab on;
    lab_begin(&on);
    for (int round = 0; round < ROUNDS; round++) {
        const rh_mark mark = rh__arena_mark(&on.scratch);
        const grower by = {&on.scratch, &random, MENU_ALL};
        (void)tree_build(&on, tree_grow(&by, 2 + support_random_below(&random, 60)));
        rh__arena_rewind(&on.scratch, mark);
        (void)lab_renew(&on);
    }
    for (uint32_t id = 1; id < rh__store_count(on.store); id++) {
        const rh_expr e = {id};
        for (uint32_t k = 0; k < rh__expr_count(on.store, e); k++) {
            assert_true(rh__expr_argument(on.store, e, k).i < id);
        }
        switch (rh__expr_op(on.store, e)) {
        case RH_OP_ADD:
            check_sum_form(&on, e);
            break;
        case RH_OP_MUL:
            check_product_form(&on, e);
            break;
        case RH_OP_POW: {
            const rh_expr exponent = rh__expr_argument(on.store, e, 1);
            assert_false(rh__expr_is_zero(on.store, exponent) ||
                         rh__expr_is_one(on.store, exponent));
            break;
        }
        default:
            break;
        }
    }
    lab_end(&on);
}

// Built again from its parts, a node is itself.
static void parts_give_back_the_whole(void **state)
{
    (void)state;
    support_random random = support_random_begin("parts_give_back_the_whole");
    lab on;
    lab_begin(&on);
    for (int round = 0; round < ROUNDS / 2; round++) {
        const rh_mark mark = rh__arena_mark(&on.scratch);
        const grower by = {&on.scratch, &random, MENU_ALL};
        (void)tree_build(&on, tree_grow(&by, 2 + support_random_below(&random, 60)));
        rh__arena_rewind(&on.scratch, mark);
        (void)lab_renew(&on);
    }
    const uint32_t count = rh__store_count(on.store);
    for (uint32_t id = 1; id < count; id++) {
        const rh_expr e = {id};
        const rh_mark mark = rh__arena_mark(&on.scratch);
        const uint32_t size = rh__expr_count(on.store, e);
        rh_expr *list = rh__arena_array(&on.scratch, rh_expr, size);
        for (uint32_t k = 0; k < size; k++) {
            list[k] = rh__expr_argument(on.store, e, k);
        }
        if (size > 0) {
            const rh_expr again = rh__expr_apply(on.store, rh__expr_op(on.store, e), list, size);
            if (!same(again, e)) {
                fail_msg("%s\n  but %s", lab_text(&on, e), lab_text(&on, again));
            }
        }
        rh__arena_rewind(&on.scratch, mark);
    }
    lab_end(&on);
}

// --- order ------------------------------------------------------------------------------------

static int order_of(const lab *on, rh_expr a, rh_expr b)
{
    const int order = rh__expr_compare(on->store, a, b);
    return (order > 0) - (order < 0);
}

static void the_order_is_total(void **state)
{
    (void)state;
    support_random random = support_random_begin("the_order_is_total");
    lab on;
    lab_begin(&on);
    // powers of one base with all kinds of exponents, so that ties go deep
    const rh_expr x = on.symbol[2];
    const rh_expr root = rh__expr_sqrt(on.store, whole(&on, 2));
    for (int64_t n = -3; n < 4; n++) {
        const rh_expr p = power(&on, x, n);
        (void)rh__expr_sqrt(on.store, p);
        (void)rh__expr_power(on.store, x, plus(&on, root, whole(&on, n)));
        (void)rh__expr_power(on.store, x, times(&on, root, whole(&on, n)));
        (void)rh__expr_power(on.store, p, on.symbol[3]);
        (void)rh__expr_power(on.store, whole(&on, n + 5), rh__expr_ratio(on.store, 1, 2));
    }
    for (int round = 0; round < 600; round++) {
        const rh_mark mark = rh__arena_mark(&on.scratch);
        const grower by = {&on.scratch, &random, MENU_ALL};
        (void)tree_build(&on, tree_grow(&by, 1 + support_random_below(&random, 12)));
        rh__arena_rewind(&on.scratch, mark);
    }
    const uint32_t count = rh__store_count(on.store) - 1;
    for (int round = 0; round < 400000; round++) {
        // half of the time from a small window: there are the near ties
        const uint32_t window = round % 2 == 0 ? count : (count < 90 ? count : 90);
        const rh_expr a = {1 + support_random_below(&random, window)};
        const rh_expr b = {1 + support_random_below(&random, window)};
        const rh_expr c = {1 + support_random_below(&random, window)};
        const int ab = order_of(&on, a, b);
        assert_int_equal(ab, -order_of(&on, b, a));
        assert_true((ab == 0) == same(a, b));
        const int bc = order_of(&on, b, c);
        const int ac = order_of(&on, a, c);
        if (ab <= 0 && bc <= 0 && ac > 0) {
            fail_msg("a <= b <= c < a:\n  %s\n  %s\n  %s", lab_text(&on, a), lab_text(&on, b),
                     lab_text(&on, c));
        }
    }
    lab_end(&on);
}

// --- examples ---------------------------------------------------------------------------------

static void check_same(lab *on, rh_expr a, rh_expr b)
{
    if (!same(a, b)) {
        fail_msg("%s is not %s", lab_text(on, a), lab_text(on, b));
    }
}

static rh_expr square(lab *on, rh_op op, rh_expr u)
{
    return power(on, call(on, op, u), 2);
}

static void squares_fold_with_any_cofactor(void **state)
{
    (void)state;
    support_random random = support_random_begin("squares_fold_with_any_cofactor");
    lab on;
    lab_begin(&on);
    for (int round = 0; round < ROUNDS / 4; round++) {
        const rh_mark mark = rh__arena_mark(&on.scratch);
        const grower by = {&on.scratch, &random, MENU_SMOOTH};
        const rh_expr u = on.symbol[support_random_below(&random, SYMBOLS)];
        // the cofactor must not hold squares of its own, nor be a sum (that would be distributed or
        // not)
        const rh_expr c = call(&on, RH_OP_TANH, tree_build(&on, tree_grow(&by, 6)));
        const rh_expr n = rh__expr_ratio(on.store, 1 + support_random_below(&random, 9), 7);
        const rh_expr cn = times(&on, c, n);
        const rh_expr sin2 = square(&on, RH_OP_SIN, u);
        const rh_expr cos2 = square(&on, RH_OP_COS, u);
        const rh_expr sinh2 = square(&on, RH_OP_SINH, u);
        const rh_expr cosh2 = square(&on, RH_OP_COSH, u);
        check_same(&on, plus(&on, times(&on, cn, sin2), times(&on, cn, cos2)), cn);
        check_same(&on, minus(&on, cn, times(&on, cn, sin2)), times(&on, cn, cos2));
        check_same(&on, minus(&on, cn, times(&on, cn, cos2)), times(&on, cn, sin2));
        check_same(&on, minus(&on, times(&on, cn, sin2), cn),
                   rh__expr_negate(on.store, times(&on, cn, cos2)));
        check_same(&on, minus(&on, times(&on, cn, cosh2), times(&on, cn, sinh2)), cn);
        check_same(&on, plus(&on, times(&on, cn, sinh2), cn), times(&on, cn, cosh2));
        check_same(&on, minus(&on, times(&on, cn, cosh2), cn), times(&on, cn, sinh2));
        // higher powers: s^4 + s^2 c^2 = s^2
        check_same(&on, plus(&on, power(&on, sin2, 2), times(&on, sin2, cos2)), sin2);
        rh__arena_rewind(&on.scratch, mark);
    }
    assert_int_equal(rh__store_refusal(on.store), RH_REFUSAL_NONE);
    lab_end(&on);
}

static void simple_folds(void **state)
{
    (void)state;
    lab on;
    lab_begin(&on);
    const rh_expr x = on.symbol[2];
    const rh_expr y = on.symbol[3];
    const rh_expr m = on.symbol[0];
    const rh_expr one = whole(&on, 1);
    const rh_expr zero = whole(&on, 0);
    check_same(&on, plus(&on, square(&on, RH_OP_SIN, x), square(&on, RH_OP_COS, x)), one);
    check_same(&on, minus(&on, one, square(&on, RH_OP_SIN, x)), square(&on, RH_OP_COS, x));
    check_same(&on, minus(&on, square(&on, RH_OP_COSH, x), square(&on, RH_OP_SINH, x)), one);
    check_same(&on, plus(&on, times(&on, minus(&on, y, x), m), times(&on, minus(&on, x, y), m)),
               zero);
    check_same(&on, power(&on, times(&on, whole(&on, 2), x), 3),
               times(&on, whole(&on, 8), power(&on, x, 3)));
    check_same(&on, rh__expr_sqrt(on.store, times(&on, whole(&on, 4), x)),
               times(&on, whole(&on, 2), rh__expr_sqrt(on.store, x)));
    check_same(&on, over(&on, x, x), one);
    check_same(&on, times(&on, zero, x), zero);
    check_same(&on, minus(&on, x, x), zero);
    check_same(&on, power(&on, x, 0), one);
    check_same(&on, power(&on, minus(&on, x, y), 2), power(&on, minus(&on, y, x), 2));
    check_same(&on, over(&on, minus(&on, x, y), minus(&on, y, x)), whole(&on, -1));
    check_same(&on, call(&on, RH_OP_SIN, minus(&on, x, y)),
               rh__expr_negate(on.store, call(&on, RH_OP_SIN, minus(&on, y, x))));
    check_same(&on, call(&on, RH_OP_COS, minus(&on, x, y)), call(&on, RH_OP_COS, minus(&on, y, x)));
    check_same(&on, call(&on, RH_OP_LOG, call(&on, RH_OP_EXP, x)), x);
    check_same(&on, rh__expr_power(on.store, whole(&on, 8), rh__expr_ratio(on.store, 2, 3)),
               whole(&on, 4));
    lab_end(&on);
}

static rh_expr root(lab *on, rh_expr e, int64_t p, int64_t q)
{
    return rh__expr_power(on->store, e, rh__expr_ratio(on->store, p, q));
}

// The kink of a root of an even power is that of abs; what cannot be negative needs none, and what
// has no root of its own keeps its domain.
static void roots_of_powers_are_sizes(void **state)
{
    (void)state;
    lab on;
    lab_begin(&on);
    const rh_expr x = on.symbol[2];
    const rh_expr y = on.symbol[3];
    const rh_expr m = on.symbol[0];
    const rh_expr size = call(&on, RH_OP_ABS, x);
    const rh_expr two = whole(&on, 2);
    check_same(&on, root(&on, power(&on, x, 2), 1, 2), size);
    check_same(&on, root(&on, power(&on, x, 4), 1, 2), power(&on, x, 2));
    check_same(&on, root(&on, power(&on, x, 6), 1, 2), power(&on, size, 3));
    check_same(&on, root(&on, power(&on, x, 2), 1, 3), root(&on, size, 2, 3));
    check_same(&on, root(&on, power(&on, x, 2), -1, 2), over(&on, whole(&on, 1), size));
    check_same(&on, root(&on, times(&on, power(&on, x, 2), y), 1, 2),
               times(&on, size, root(&on, y, 1, 2)));
    check_same(&on, root(&on, times(&on, two, power(&on, x, 2)), 1, 2),
               times(&on, size, root(&on, two, 1, 2)));
    const rh_expr wave = call(&on, RH_OP_EXP, x);
    check_same(&on, root(&on, power(&on, plus(&on, wave, two), 2), 1, 2), plus(&on, wave, two));
    const rh_expr larger = rh__expr_apply(on.store, RH_OP_MAX, (rh_expr[]){whole(&on, 0), x}, 2);
    check_same(&on, root(&on, power(&on, larger, 2), 1, 2), larger);
    // an odd power has a root where its base is not negative
    check_same(&on, root(&on, power(&on, x, 3), 1, 2), root(&on, x, 3, 2));
    assert_false(same(root(&on, power(&on, x, 3), 1, 3), x));
    // a negative factor, and what does not move, stay inside
    assert_int_equal(
        rh__expr_op(on.store, root(&on, rh__expr_negate(on.store, power(&on, x, 2)), 1, 2)),
        RH_OP_POW);
    assert_int_equal(rh__expr_op(on.store, root(&on, power(&on, m, 2), 1, 2)), RH_OP_POW);
    lab_end(&on);
}

// The square of a sum of random terms, written out.
static rh_expr write_square(lab *on, const rh_expr *terms, uint32_t count)
{
    rh_expr sum = whole(on, 0);
    for (uint32_t i = 0; i < count; i++) {
        for (uint32_t j = 0; j < count; j++) {
            sum = plus(on, sum, times(on, terms[i], terms[j]));
        }
    }
    return sum;
}

// The root of a square that is written out has the kink of its base, and no other sum has one.
static void roots_of_written_squares_are_sizes(void **state)
{
    (void)state;
    enum { MOST = 4 };
    support_random random = support_random_begin("roots_of_written_squares_are_sizes");
    lab on;
    lab_begin(&on);
    const rh_expr atoms[] = {on.symbol[2], on.symbol[3], call(&on, RH_OP_SIN, on.symbol[2]),
                             on.symbol[0]};
    for (uint32_t round = 0; round < 300; round++) {
        const uint32_t count = 2 + (uint32_t)support_random_below(&random, MOST - 1);
        rh_expr terms[MOST];
        rh_expr q = whole(&on, 0);
        for (uint32_t k = 0; k < count; k++) {
            // different powers of x keep the terms apart
            const rh_expr atom = atoms[support_random_below(&random, 4)];
            const int64_t number = 1 + (int64_t)support_random_below(&random, 9);
            terms[k] = times(&on, times(&on, atom, power(&on, on.symbol[2], 2 * (int64_t)k)),
                             whole(&on, toss(&random) ? number : -number));
            q = plus(&on, q, terms[k]);
        }
        const rh_expr square = write_square(&on, terms, count);
        const rh_expr found = root(&on, square, 1, 2);
        const rh_expr beside = root(&on, plus(&on, square, power(&on, on.symbol[3], 9)), 1, 2);
        point here = random_point(&on, &random, -2.0, 2.0);
        const double value = lab_value(&on, q, &here);
        assert_near(lab_value(&on, found, &here), fabs(value), 1e-9 * (1.0 + fabs(value)));
        assert_int_not_equal(rh__expr_op(on.store, found), RH_OP_POW);
        assert_int_equal(rh__expr_op(on.store, beside), RH_OP_POW);
    }
    lab_end(&on);
}

// A number in front of a sum goes in, a number in front of a product stays out; both in one way
// only.
static void numbers_leave_the_sums_of_products(void **state)
{
    (void)state;
    lab on;
    lab_begin(&on);
    const rh_expr x = on.symbol[2];
    const rh_expr y = on.symbol[3];
    const rh_expr k = on.symbol[1];
    const rh_expr two = whole(&on, 2);
    const rh_expr sum = plus(&on, x, y);
    const rh_expr half = rh__expr_ratio(on.store, 1, 2);
    check_same(&on, times(&on, times(&on, two, sum), k), times(&on, two, times(&on, sum, k)));
    check_same(&on, power(&on, times(&on, two, sum), 2),
               times(&on, whole(&on, 4), power(&on, sum, 2)));
    check_same(&on, over(&on, times(&on, two, sum), sum), two);
    // a spring: d/dx k/2*(x - 1/2)^2 = k*(x - 1/2)
    const rh_expr stretch = minus(&on, x, half);
    const rh_expr energy =
        rh__expr_product(on.store, (rh_expr[]){half, k, power(&on, stretch, 2)}, 3);
    check_same(&on, rh__expr_differentiate(on.store, energy, x), times(&on, k, stretch));
    assert_string_equal(lab_text(&on, rh__expr_differentiate(on.store, energy, x)), "k*(x - 0.5)");
    // roots of a sum meet its whole powers, whatever its first number
    const rh_expr b = minus(&on, whole(&on, 1), times(&on, two, power(&on, x, 2)));
    const rh_expr root = rh__expr_sqrt(on.store, b);
    check_same(&on, times(&on, root, root), b);
    check_same(&on, over(&on, b, root), root);
    check_same(&on, over(&on, times(&on, b, y), root), times(&on, root, y));
    lab_end(&on);
}

// Sums and products longer than RH_EXPR_FLATTEN are parts like any other.
static void long_sums_and_products_stay_nested(void **state)
{
    (void)state;
    lab on;
    lab_begin(&on);
    const rh_family z = lab_family(on.store, "z", 100, 0, MOVES);
    rh_expr list[100];
    for (uint32_t k = 0; k < 100; k++) {
        list[k] = rh__expr_symbol(on.store, z, k);
    }
    const rh_expr x = on.symbol[2];
    for (uint32_t size = RH_EXPR_FLATTEN - 1; size <= RH_EXPR_FLATTEN + 2; size++) {
        const bool is_long = size > RH_EXPR_FLATTEN;
        const rh_expr sum = rh__expr_sum(on.store, list, size);
        assert_int_equal(rh__expr_count(on.store, sum), 2 * size);
        const rh_expr more = plus(&on, sum, x);
        assert_int_equal(rh__expr_count(on.store, more), is_long ? 4 : 2 * size + 2);
        const rh_expr scaled = times(&on, sum, whole(&on, 3));
        assert_int_equal(rh__expr_count(on.store, scaled), is_long ? 2 : 2 * size);
        check_same(&on, over(&on, scaled, whole(&on, 3)), sum);
        const rh_expr product = rh__expr_product(on.store, list, size);
        assert_int_equal(rh__expr_count(on.store, product), size);
        const rh_expr bigger = times(&on, product, x);
        assert_int_equal(rh__expr_count(on.store, bigger), is_long ? 2 : size + 1);
        // one more than the limit, and the whole is too long to be opened again
        if (size != RH_EXPR_FLATTEN) {
            check_same(&on, minus(&on, more, x), sum);
            check_same(&on, minus(&on, more, sum), x);
            check_same(&on, over(&on, bigger, x), product);
            check_same(&on, over(&on, bigger, product), x);
        }
    }
    // built from its pairs, a long sum is itself
    rh_expr pairs[200];
    const rh_expr whole_sum = rh__expr_sum(on.store, list, 100);
    for (uint32_t k = 0; k < 200; k++) {
        pairs[k] = rh__expr_argument(on.store, whole_sum, k);
    }
    check_same(&on, rh__expr_apply(on.store, RH_OP_ADD, pairs, 200), whole_sum);
    // a long sum that leads negative is no moving target
    const rh_expr y = on.symbol[3];
    for (uint32_t k = 0; k < 100; k++) {
        list[k] = rh__expr_negate(on.store, list[k]);
    }
    const rh_expr sum = rh__expr_sum(on.store, list, 100);
    check_same(&on, times(&on, times(&on, sum, x), y), times(&on, sum, times(&on, x, y)));
    check_same(&on, times(&on, power(&on, sum, 2), sum), power(&on, sum, 3));
    check_same(&on, power(&on, rh__expr_negate(on.store, sum), 2), power(&on, sum, 2));
    lab_end(&on);
}

static void nothing_comes_of_none(void **state)
{
    (void)state;
    lab on;
    lab_begin(&on);
    const rh_expr none = RH_EXPR_NONE;
    const rh_expr x = on.symbol[2];
    assert_int_equal(plus(&on, x, none).i, 0);
    assert_int_equal(minus(&on, none, x).i, 0);
    assert_int_equal(times(&on, none, x).i, 0);
    assert_int_equal(over(&on, x, none).i, 0);
    assert_int_equal(rh__expr_negate(on.store, none).i, 0);
    assert_int_equal(rh__expr_power(on.store, none, x).i, 0);
    assert_int_equal(rh__expr_sqrt(on.store, none).i, 0);
    assert_int_equal(call(&on, RH_OP_SIN, none).i, 0);
    assert_int_equal(call2(&on, RH_OP_MIN, none, x).i, 0);
    assert_int_equal(rh__expr_if(on.store, none, x, x).i, 0);
    assert_int_equal(rh__expr_differentiate(on.store, none, x).i, 0);
    assert_int_equal(rh__expr_sum(on.store, (rh_expr[]){x, none}, 2).i, 0);
    assert_int_equal(rh__store_refusal(on.store), RH_REFUSAL_NONE);
    lab_end(&on);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_way_of_building_does_not_matter),
        cmocka_unit_test(folding_keeps_values),
        cmocka_unit_test(every_node_has_the_canonical_form),
        cmocka_unit_test(parts_give_back_the_whole),
        cmocka_unit_test(the_order_is_total),
        cmocka_unit_test(squares_fold_with_any_cofactor),
        cmocka_unit_test(simple_folds),
        cmocka_unit_test(roots_of_powers_are_sizes),
        cmocka_unit_test(roots_of_written_squares_are_sizes),
        cmocka_unit_test(numbers_leave_the_sums_of_products),
        cmocka_unit_test(long_sums_and_products_stay_nested),
        cmocka_unit_test(nothing_comes_of_none),
    };
    return cmocka_run_group_tests_name("canon", tests, NULL, NULL);
}
