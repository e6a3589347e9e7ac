// SPDX-License-Identifier: Apache-2.0
// Property tests of src/expr/diff.c. The judges are finite differences, and a differentiator of the
// textbook kind: it works on random trees in plain doubles and shares nothing with the room.

#include "helpers.h"

enum { ROUNDS = 3000, LEAVES = 14, DEEP = 100000 };

// --- the textbook -----------------------------------------------------------------------------

// A value and its derivative along one symbol.
typedef struct dual {
    double value, slope;
    double size;    // the sum of the absolute terms of the slope: what its rounding error is in
                    // proportion to
    uint64_t sides; // which sides of kinks and jumps were taken
    bool is_tame;   // moderate, and far from poles, kinks and jumps
} dual;

static dual dual_of(double value, double slope, double size, dual a, dual b)
{
    const bool is_tame = a.is_tame && b.is_tame && fabs(value) < 1e4 && size < 1e6;
    return (dual){value, slope, size, a.sides * 31 + b.sides, is_tame};
}

// f(a) with the derivative f' of f at a.
static dual chain(double value, double f, dual a)
{
    const dual nothing = {.is_tame = true};
    return dual_of(value, f * a.slope, fabs(f) * a.size, a, nothing);
}

static dual require(dual result, bool is_tame)
{
    result.is_tame = result.is_tame && is_tame;
    return result;
}

static dual take_side(dual a, bool side)
{
    a.sides = a.sides * 31 + 1 + side;
    return a;
}

static dual dual_single(rh_op op, dual a)
{
    const double u = a.value;
    const double far = 1e-4;
    switch (op) {
    case RH_OP_SIN:
        return chain(sin(u), cos(u), a);
    case RH_OP_COS:
        return chain(cos(u), -sin(u), a);
    case RH_OP_TAN:
        return require(chain(tan(u), 1.0 / (cos(u) * cos(u)), a), fabs(cos(u)) > 0.01);
    case RH_OP_ASIN:
        return require(chain(asin(u), 1.0 / sqrt(1.0 - u * u), a), fabs(u) < 0.99);
    case RH_OP_ACOS:
        return require(chain(acos(u), -1.0 / sqrt(1.0 - u * u), a), fabs(u) < 0.99);
    case RH_OP_ATAN:
        return chain(atan(u), 1.0 / (1.0 + u * u), a);
    case RH_OP_SINH:
        return chain(sinh(u), cosh(u), a);
    case RH_OP_COSH:
        return chain(cosh(u), sinh(u), a);
    case RH_OP_TANH:
        return chain(tanh(u), 1.0 / (cosh(u) * cosh(u)), a);
    case RH_OP_EXP:
        return chain(exp(u), exp(u), a);
    case RH_OP_LOG:
        return require(chain(log(u), 1.0 / u, a), u > 0.01);
    case RH_OP_ABS:
        return take_side(require(chain(fabs(u), u > 0 ? 1.0 : -1.0, a), fabs(u) > far), u > 0);
    case RH_OP_SIGN:
        return take_side(require(chain(u > 0 ? 1.0 : -1.0, 0.0, a), fabs(u) > far), u > 0);
    default:
        fail();
        return a;
    }
}

static dual dual_pair(rh_op op, dual a, dual b)
{
    const double u = a.value;
    const double v = b.value;
    if (op == RH_OP_ATAN2) {
        const double r = u * u + v * v;
        const bool is_cut = v < 0.01 && fabs(u) < 0.01;
        return require(dual_of(atan2(u, v), (v * a.slope - u * b.slope) / r,
                               (fabs(v) * a.size + fabs(u) * b.size) / r, a, b),
                       r > 0.01 && !is_cut);
    }
    const bool is_first = (op == RH_OP_MIN) == (u < v);
    dual result = is_first ? a : b;
    result.is_tame = a.is_tame && b.is_tame && fabs(u - v) > 1e-4;
    result.sides = a.sides * 31 + b.sides;
    return take_side(result, is_first);
}

// a^b = exp(b*log(a)), and where b rests b*a^(b-1)*a'.
static dual dual_power(dual a, dual b, bool is_whole)
{
    const double value = pow(a.value, b.value);
    const double by_base = b.value == 0 ? 0.0 : b.value * pow(a.value, b.value - 1.0);
    const double by_exponent = b.slope == 0 ? 0.0 : value * log(a.value);
    const bool is_safe = is_whole ? b.value >= 0 || fabs(a.value) > 0.01 : a.value > 0.01;
    return require(dual_of(value, by_base * a.slope + by_exponent * b.slope,
                           fabs(by_base) * a.size + fabs(by_exponent) * b.size, a, b),
                   is_safe);
}

static dual tree_dual(const tree *of, const double *at, int along)
{
    const dual nothing = {.is_tame = true};
    const dual a = of->part[0] != NULL ? tree_dual(of->part[0], at, along) : nothing;
    const dual b = of->part[1] != NULL ? tree_dual(of->part[1], at, along) : nothing;
    dual n = nothing;
    switch (of->kind) {
    case TREE_NUMBER:
        n.value = (double)of->p / (double)of->q;
        return n;
    case TREE_PI:
        n.value = acos(-1.0);
        return n;
    case TREE_SYMBOL:
        n = (dual){at[of->p], of->p == along, of->p == along, 0, true};
        return n;
    case TREE_PLUS:
        return dual_of(a.value + b.value, a.slope + b.slope, a.size + b.size, a, b);
    case TREE_MINUS:
        return dual_of(a.value - b.value, a.slope - b.slope, a.size + b.size, a, b);
    case TREE_TIMES:
        return dual_of(a.value * b.value, a.slope * b.value + a.value * b.slope,
                       a.size * fabs(b.value) + fabs(a.value) * b.size, a, b);
    case TREE_OVER:
        return require(
            dual_of(a.value / b.value,
                    (a.slope * b.value - a.value * b.slope) / (b.value * b.value),
                    (a.size * fabs(b.value) + fabs(a.value) * b.size) / (b.value * b.value), a, b),
            fabs(b.value) > 0.01);
    case TREE_NEGATIVE:
        return chain(-a.value, -1.0, a);
    case TREE_WHOLE_POWER:
        n.value = (double)of->p;
        return dual_power(a, n, true);
    case TREE_ROOT:
        n.value = (double)of->p / (double)of->q;
        return dual_power(a, n, false);
    case TREE_POWER:
        return dual_power(a, b, false);
    case TREE_CALL:
        return rh__op_arity(of->op) == 1 ? dual_single(of->op, a) : dual_pair(of->op, a, b);
    case TREE_CHOICE:
        break;
    }
    const bool holds = (of->op == RH_OP_EQUAL ? false : a.value < b.value) != (of->p == 1);
    dual result = tree_dual(of->part[holds ? 2 : 3], at, along);
    result.is_tame = result.is_tame && a.is_tame && b.is_tame && fabs(a.value - b.value) > 1e-4;
    result.sides = result.sides * 31 + a.sides * 17 + b.sides;
    return take_side(result, holds);
}

// --- single partials and gradients ------------------------------------------------------------

static void count_ops(const tree *of, int *seen)
{
    if (of->kind == TREE_CALL || of->kind == TREE_CHOICE) {
        seen[of->kind == TREE_CALL ? of->op : RH_OP_IF]++;
    }
    for (int k = 0; k < 4 && of->part[k] != NULL; k++) {
        count_ops(of->part[k], seen);
    }
}

static double gradient_value(lab *on, const rh_gradient *gradient, rh_expr symbol, point *here)
{
    for (uint32_t k = 0; k < gradient->count; k++) {
        if (same(gradient->data[k].symbol, symbol)) {
            return lab_value(on, gradient->data[k].value, here);
        }
    }
    return 0.0;
}

static void check_slope(lab *on, rh_expr e, int along, const char *what, double value,
                        dual expected)
{
    if (!(fabs(value - expected.slope) <= 1e-8 * (1.0 + expected.size))) {
        fail_msg("%s of %s by %s is %.17g, expected %.17g", what, lab_text(on, e),
                 lab_text(on, on->symbol[along]), value, expected.slope);
    }
}

// Central differences over h and h/2 with one step of Richardson; false when a kink lies between,
// or h is too large.
static bool difference(const tree *of, const point *here, int along, double *out, double *out_error)
{
    const double h = 1e-3;
    const dual middle = tree_dual(of, here->at, along);
    double slope[2];
    for (int k = 0; k < 2; k++) {
        const double step = h / (k + 1);
        point left = *here;
        point right = *here;
        left.at[along] -= step;
        right.at[along] += step;
        const dual below = tree_dual(of, left.at, along);
        const dual above = tree_dual(of, right.at, along);
        const double bend = fabs(above.slope - middle.slope) + fabs(below.slope - middle.slope);
        if (!below.is_tame || !above.is_tame || below.sides != middle.sides ||
            above.sides != middle.sides || bend > 0.1 * (1.0 + fabs(middle.slope))) {
            return false;
        }
        slope[k] = (above.value - below.value) / (2.0 * step);
    }
    *out = (4.0 * slope[1] - slope[0]) / 3.0;
    *out_error = fabs(slope[1] - slope[0]);
    return *out_error < 1e-3 * (1.0 + fabs(*out));
}

typedef struct tally {
    int judged, differences;
    int seen[RH_OP_COUNT];
} tally;

static void check_at(lab *on, const tree *of, rh_expr e, const rh_gradient *gradient, point *here,
                     int along, tally *count)
{
    const dual expected = tree_dual(of, here->at, along);
    if (!expected.is_tame) {
        return;
    }
    const rh_expr partial = rh__expr_differentiate(on->store, e, on->symbol[along]);
    const double single = lab_value(on, partial, here);
    check_slope(on, e, along, "the derivative", single, expected);
    check_slope(on, e, along, "the gradient", gradient_value(on, gradient, on->symbol[along], here),
                expected);
    count->judged++;
    double slope = 0.0;
    double error = 0.0;
    if (difference(of, here, along, &slope, &error)) {
        count->differences++;
        if (!(fabs(slope - single) <= error + 1e-7 * (1.0 + expected.size))) {
            fail_msg("the difference of %s by %s is %.17g, but the derivative %.17g",
                     lab_text(on, e), lab_text(on, on->symbol[along]), slope, single);
        }
    }
}

static void derivatives_agree_with_the_textbook_and_with_differences(void **state)
{
    (void)state;
    support_random random =
        support_random_begin("derivatives_agree_with_the_textbook_and_with_differences");
    lab on;
    lab_begin(&on);
    tally count = {0};
    for (int round = 0; round < ROUNDS; round++) {
        const rh_mark mark = rh__arena_mark(&on.scratch);
        const grower by = {&on.scratch, &random, MENU_ALL};
        const tree *of = tree_grow(&by, 2 + support_random_below(&random, LEAVES));
        const rh_expr e = tree_build(&on, of);
        rh_gradient gradient;
        if (e.i != 0 && rh__expr_gradient(on.store, e, MOVES | RESTS, &on.scratch, &gradient)) {
            const int before = count.judged;
            for (int k = 0; k < 2 * SYMBOLS; k++) {
                point here = random_point(&on, &random, k % 2 == 0 ? -1.5 : 0.2, 1.5);
                check_at(&on, of, e, &gradient, &here, k / 2, &count);
            }
            if (count.judged > before) {
                count_ops(of, count.seen);
            }
        }
        rh__arena_rewind(&on.scratch, mark);
        (void)lab_renew(&on);
    }
    assert_true(count.judged > 2 * ROUNDS);
    assert_true(count.differences > count.judged / 2);
    for (int op = RH_OP_IF; op < RH_OP_COUNT; op++) {
        if (count.seen[op] < 20) {
            fail_msg("%s was judged only %d times", rh__op_word((rh_op)op), count.seen[op]);
        }
    }
    lab_end(&on);
}

static void gradients_hold_what_was_asked_for_in_order(void **state)
{
    (void)state;
    support_random random = support_random_begin("gradients_hold_what_was_asked_for_in_order");
    lab on;
    lab_begin(&on);
    for (int round = 0; round < ROUNDS / 2; round++) {
        const rh_mark mark = rh__arena_mark(&on.scratch);
        const grower by = {&on.scratch, &random, MENU_SQUARABLE | MENU_SMOOTH};
        const rh_expr e = tree_build(&on, tree_grow(&by, 2 + support_random_below(&random, 20)));
        const uint32_t mask = 1 + support_random_below(&random, 3);
        rh_gradient gradient;
        if (rh__expr_gradient(on.store, e, mask, &on.scratch, &gradient)) {
            for (uint32_t k = 0; k < gradient.count; k++) {
                const rh_partial part = gradient.data[k];
                assert_int_equal(rh__expr_op(on.store, part.symbol), RH_OP_SYMBOL);
                assert_true((rh__expr_mask(on.store, part.symbol) & mask) != 0);
                assert_false(rh__expr_is_zero(on.store, part.value));
                assert_true(k == 0 || rh__expr_compare(on.store, gradient.data[k - 1].symbol,
                                                       part.symbol) < 0);
            }
        }
        rh__arena_rewind(&on.scratch, mark);
        (void)lab_renew(&on);
    }
    lab_end(&on);
}

// A branch that is not taken may have no value; its derivative must not spoil the one that is.
static void guarded_branches_do_not_leak(void **state)
{
    (void)state;
    lab on;
    lab_begin(&on);
    const rh_expr x = on.symbol[2];
    const rh_expr y = on.symbol[3];
    const rh_expr is_positive = call2(&on, RH_OP_LESS, whole(&on, 0), x);
    const rh_expr root = rh__expr_sqrt(on.store, x);
    const rh_expr inner = rh__expr_if(on.store, call2(&on, RH_OP_LESS, y, whole(&on, 5)),
                                      times(&on, y, call(&on, RH_OP_LOG, x)), whole(&on, 0));
    const rh_expr cases[] = {
        rh__expr_if(on.store, is_positive, root, whole(&on, 0)),
        rh__expr_if(on.store, is_positive, times(&on, y, root), power(&on, x, 2)),
        plus(&on, rh__expr_if(on.store, is_positive, root, whole(&on, 0)),
             rh__expr_if(on.store, is_positive, times(&on, y, root), x)),
        rh__expr_if(on.store, is_positive, inner, x),
        rh__expr_if(on.store, call(&on, RH_OP_NOT, is_positive), x,
                    over(&on, y, call(&on, RH_OP_SIN, root))),
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        rh_gradient gradient;
        assert_true(rh__expr_gradient(on.store, cases[k], MOVES, &on.scratch, &gradient));
        for (int side = -1; side <= 1; side += 2) {
            point here = {.on = &on, .at = {1, 1, 0.7 * side, 1.3, 1, 1, 1, 1}};
            for (int along = 2; along <= 3; along++) {
                const rh_expr partial =
                    rh__expr_differentiate(on.store, cases[k], on.symbol[along]);
                const double expected = lab_value(&on, partial, &here);
                assert_near(gradient_value(&on, &gradient, on.symbol[along], &here), expected,
                            1e-14);
            }
        }
    }
    lab_end(&on);
}

static void second_derivatives_are_symmetric(void **state)
{
    (void)state;
    support_random random = support_random_begin("second_derivatives_are_symmetric");
    lab on;
    lab_begin(&on);
    int judged = 0;
    for (int round = 0; round < ROUNDS; round++) {
        const rh_mark mark = rh__arena_mark(&on.scratch);
        const grower by = {&on.scratch, &random, MENU_ALL};
        const tree *of = tree_grow(&by, 2 + support_random_below(&random, 8));
        const rh_expr e = tree_build(&on, of);
        const uint32_t i = support_random_below(&random, SYMBOLS);
        const uint32_t j = support_random_below(&random, SYMBOLS);
        const rh_expr by_i = rh__expr_differentiate(on.store, e, on.symbol[i]);
        const rh_expr by_j = rh__expr_differentiate(on.store, e, on.symbol[j]);
        const rh_expr ij = rh__expr_differentiate(on.store, by_i, on.symbol[j]);
        const rh_expr ji = rh__expr_differentiate(on.store, by_j, on.symbol[i]);
        for (int k = 0; k < 3 && ij.i != 0 && ji.i != 0; k++) {
            point here = random_point(&on, &random, 0.2, 1.5);
            if (tree_dual(of, here.at, (int)i).is_tame) {
                const double a = lab_value(&on, ij, &here);
                const double b = lab_value(&on, ji, &here);
                judged += a != 0;
                assert_near(a, b, 1e-7);
            }
        }
        rh__arena_rewind(&on.scratch, mark);
        (void)lab_renew(&on);
    }
    assert_true(judged > ROUNDS / 16);
    lab_end(&on);
}

// --- along a direction ------------------------------------------------------------------------

// x moves with x', the rest of what moves with something of its own.
static rh_expr direction(void *user, rh_store *store, rh_expr symbol)
{
    lab *on = (lab *)user;
    (void)store;
    if ((rh__expr_mask(on->store, symbol) & MOVES) == 0) {
        return whole(on, 0);
    }
    if (same(symbol, on->symbol[2])) {
        return on->symbol[4];
    }
    return times(on, call(on, RH_OP_SIN, symbol), on->symbol[0]);
}

static void total_derivatives_are_sums_over_partials(void **state)
{
    (void)state;
    support_random random = support_random_begin("total_derivatives_are_sums_over_partials");
    lab on;
    lab_begin(&on);
    rh_arena arena = rh__arena_begin(rh_allocator_default(), SIZE_MAX / 2);
    rh_derivation *derivation = rh__derivation_create(on.store, &arena, direction, &on);
    assert_non_null(derivation);
    int judged = 0;
    for (int round = 0; round < ROUNDS / 2; round++) {
        const rh_mark mark = rh__arena_mark(&on.scratch);
        const grower by = {&on.scratch, &random, MENU_ALL & ~(unsigned)MENU_POWERS};
        const tree *of = tree_grow(&by, 2 + support_random_below(&random, LEAVES));
        const rh_expr e = tree_build(&on, of);
        const rh_expr total = rh__derivation_apply(derivation, e);
        assert_true(total.i != 0);
        assert_true(same(total, rh__derivation_apply(derivation, e)));
        point here = random_point(&on, &random, -1.0, 1.5);
        double expected = 0.0;
        double size = 0.0;
        bool is_tame = true;
        for (int k = 0; k < SYMBOLS; k++) {
            const dual partial = tree_dual(of, here.at, k);
            const double speed = lab_value(&on, direction(&on, on.store, on.symbol[k]), &here);
            expected += partial.slope * speed;
            size += partial.size * fabs(speed);
            is_tame = is_tame && partial.is_tame;
        }
        if (is_tame) {
            judged++;
            assert_near_by(lab_value(&on, total, &here), expected, 0.0, 1e-8 * (1.0 + size));
        }
        rh__arena_rewind(&on.scratch, mark);
    }
    assert_true(judged > ROUNDS / 8);
    rh__arena_end(&arena);
    assert_int_equal(rh__store_refusal(on.store), RH_REFUSAL_NONE);
    lab_end(&on);
}

// --- size -------------------------------------------------------------------------------------

static uint32_t reach_count(lab *on, const rh_expr *roots, uint32_t count)
{
    const rh_mark mark = rh__arena_mark(&on->scratch);
    rh_expr_list list;
    assert_true(rh__expr_reach(on->store, roots, count, &on->scratch, &list));
    rh__arena_rewind(&on->scratch, mark);
    return list.count;
}

static uint32_t gradient_size(lab *on, rh_expr e, uint32_t *out_count)
{
    rh_gradient gradient;
    assert_true(rh__expr_gradient(on->store, e, MOVES, &on->scratch, &gradient));
    rh_expr *roots = rh__arena_array(&on->scratch, rh_expr, gradient.count);
    for (uint32_t k = 0; k < gradient.count; k++) {
        roots[k] = gradient.data[k].value;
    }
    *out_count = gradient.count;
    return reach_count(on, roots, gradient.count);
}

// All partials together are a small multiple of the expression, however many there are.
static void gradients_stay_small(void **state)
{
    (void)state;
    lab on;
    lab_begin(&on);
    enum { LENGTH = 1000 };
    const rh_family z = lab_family(on.store, "z", LENGTH, 0, MOVES);
    rh_expr u = on.symbol[2];
    for (uint32_t k = 0; k < LENGTH; k++) {
        const rh_expr zk = rh__expr_symbol(on.store, z, k);
        // every u is used three times
        u = plus(&on, times(&on, call(&on, RH_OP_SIN, u), zk), over(&on, u, plus(&on, u, zk)));
    }
    uint32_t partials = 0;
    const uint32_t size = reach_count(&on, &u, 1);
    const uint32_t gradient = gradient_size(&on, u, &partials);
    assert_int_equal(partials, LENGTH + 1);
    print_message("%u nodes, gradient %u nodes\n", size, gradient);
    assert_true(gradient <= 6 * size);
    assert_int_equal(rh__store_refusal(on.store), RH_REFUSAL_NONE);
    lab_end(&on);
}

// As a tree it has 2^60 leaves and more.
static void doubling_sixty_times_is_nothing(void **state)
{
    (void)state;
    lab on;
    lab_begin(&on);
    const rh_expr x = on.symbol[2];
    rh_expr u = x;
    for (int k = 0; k < 60; k++) {
        u = plus(&on, power(&on, u, 2), call(&on, RH_OP_COS, u));
    }
    const rh_expr first = rh__expr_differentiate(on.store, u, x);
    const rh_expr second = rh__expr_differentiate(on.store, first, x);
    uint32_t partials = 0;
    assert_true(gradient_size(&on, u, &partials) < 2000);
    assert_int_equal(partials, 1);
    assert_true(second.i != 0);
    print_message("%u nodes\n", rh__store_count(on.store));
    assert_true(rh__store_count(on.store) < 20000);
    lab_end(&on);
}

// --- depth ------------------------------------------------------------------------------------

static rh_expr put_y_for_x(void *user, rh_store *store, rh_expr symbol)
{
    const lab *on = (const lab *)user;
    (void)store;
    return same(symbol, on->symbol[2]) ? on->symbol[3] : symbol;
}

static void show_everywhere(lab *on, rh_expr e)
{
    for (int notation = RH_NOTATION_TEXT; notation <= RH_NOTATION_JSON; notation++) {
        const rh_mark mark = rh__arena_mark(&on->scratch);
        const char *text = lab_show(on, e, (rh_notation)notation);
        assert_true(strlen(text) > DEEP && strlen(text) < 1000 * DEEP);
        rh__arena_rewind(&on->scratch, mark);
    }
}

static void check_deep(lab *on, rh_expr e, rh_expr swapped, double slope)
{
    const rh_expr x = on->symbol[2];
    point here = {.on = on, .at = {1, 1, 0.5, 0.5, 1, 1, 1, 1}};
    assert_true(reach_count(on, &e, 1) > DEEP);
    const rh_expr partial = rh__expr_differentiate(on->store, e, x);
    assert_true(partial.i != 0);
    rh_gradient gradient;
    assert_true(rh__expr_gradient(on->store, e, MOVES, &on->scratch, &gradient));
    assert_int_equal(gradient.count, 1);
    assert_near_by(lab_value(on, partial, &here), slope, 1e-6, 0.0);
    assert_near_by(lab_value(on, gradient.data[0].value, &here), slope, 1e-6, 0.0);
    rh_derivation *derivation = rh__derivation_create(on->store, &on->scratch, direction, on);
    const rh_expr total = rh__derivation_apply(derivation, e);
    assert_near_by(lab_value(on, total, &here), slope * here.at[4], 1e-6, 0.0);
    assert_true(same(rh__expr_substitute(on->store, e, put_y_for_x, on), swapped));
    show_everywhere(on, e);
    show_everywhere(on, partial);
    rh_expr_list list;
    assert_false(rh__shape_leaves(on->store, partial, 1000, &on->scratch, &list));
    assert_true(rh__expr_symbols(on->store, e, MOVES, &on->scratch, &list));
    assert_int_equal(list.count, 1);
}

static rh_expr nest_sines(lab *on, rh_expr u)
{
    for (int k = 0; k < DEEP; k++) {
        u = call(on, RH_OP_SIN, u);
    }
    return u;
}

// Nothing recurses over the depth of an expression.
static void deep_chains_do_not_overflow_the_stack(void **state)
{
    (void)state;
    lab on;
    lab_begin(&on);
    double u = 0.5;
    double slope = 1.0;
    for (int k = 0; k < DEEP; k++) {
        slope *= cos(u);
        u = sin(u);
    }
    check_deep(&on, nest_sines(&on, on.symbol[2]), nest_sines(&on, on.symbol[3]), slope);
    assert_int_equal(rh__store_refusal(on.store), RH_REFUSAL_NONE);
    lab_end(&on);
}

static rh_expr nest_fractions(lab *on, rh_expr u)
{
    // k + x/(1 + u): the depth grows by sums, products and powers
    for (int k = 0; k < DEEP / 2; k++) {
        u = plus(on, on->symbol[1], over(on, whole(on, 2), plus(on, u, whole(on, 1))));
    }
    return u;
}

static void deep_fractions_do_not_overflow_the_stack(void **state)
{
    (void)state;
    lab on;
    lab_begin(&on);
    const rh_expr a = nest_fractions(&on, on.symbol[2]);
    const rh_expr b = nest_fractions(&on, on.symbol[3]);
    assert_true(same(rh__expr_substitute(on.store, a, put_y_for_x, &on), b));
    const rh_expr partial = rh__expr_differentiate(on.store, a, on.symbol[1]);
    point here = {.on = &on, .at = {1, 1, 0.5, 0.5, 1, 1, 1, 1}};
    // u = k + 2/(1 + u) in the limit, so du = dk - 2 du/(1 + u)^2
    const double u = lab_value(&on, a, &here);
    assert_near(u, sqrt(3.0), 1e-14);
    assert_near(lab_value(&on, partial, &here), 1.0 / (1.0 + 2.0 / ((1.0 + u) * (1.0 + u))), 1e-12);
    show_everywhere(&on, a);
    lab_end(&on);
}

// A replacement that is itself found by substitution: x becomes sin(y).
static rh_expr put_found_for_x(void *user, rh_store *store, rh_expr symbol)
{
    const lab *on = (const lab *)user;
    const rh_expr sine = rh__expr_apply(store, RH_OP_SIN, &on->symbol[2], 1);
    return same(symbol, on->symbol[2]) ? rh__expr_substitute(store, sine, put_y_for_x, user)
                                       : symbol;
}

static void replacements_may_substitute_themselves(void **state)
{
    (void)state;
    lab on;
    lab_begin(&on);
    const rh_expr k = on.symbol[1];
    const rh_expr x = on.symbol[2];
    const rh_expr sine = call(&on, RH_OP_SIN, on.symbol[3]);
    const rh_expr before = plus(&on, over(&on, k, call(&on, RH_OP_COS, x)), x);
    const rh_expr after = plus(&on, over(&on, k, call(&on, RH_OP_COS, sine)), sine);
    assert_true(same(rh__expr_substitute(on.store, before, put_found_for_x, &on), after));
    lab_end(&on);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(derivatives_agree_with_the_textbook_and_with_differences),
        cmocka_unit_test(gradients_hold_what_was_asked_for_in_order),
        cmocka_unit_test(guarded_branches_do_not_leak),
        cmocka_unit_test(second_derivatives_are_symmetric),
        cmocka_unit_test(total_derivatives_are_sums_over_partials),
        cmocka_unit_test(gradients_stay_small),
        cmocka_unit_test(doubling_sixty_times_is_nothing),
        cmocka_unit_test(deep_chains_do_not_overflow_the_stack),
        cmocka_unit_test(deep_fractions_do_not_overflow_the_stack),
        cmocka_unit_test(replacements_may_substitute_themselves),
    };
    return cmocka_run_group_tests_name("diff", tests, NULL, NULL);
}
