// SPDX-License-Identifier: Apache-2.0
// Antiderivatives by substitution. A term c*g'*f(g) is found by dividing it by g'*f(g) for each
// factor f(g) that it has: what is left must be free of x. f(g) may be g itself. Powers of a
// quadratic Q = A x^2 + B x + C have their own formulas; with d = 4AC - B^2 and s = sqrt(-d)
//     Q^(-1)    2/sqrt(d) atan(Q'/sqrt(d)), or log|(Q' - s)/(Q' + s)|/s where d < 0
//     Q^(-1/2)  log|2 sqrt(A Q) + Q'|/sqrt(A), or -asin(Q'/s)/sqrt(-A) where A < 0
//     Q^(1/2)   Q' sqrt(Q)/(4A) + d/(8A) * (that of Q^(-1/2))
//     x^n Q^r   from those of n - 1 and n - 2
//     Q^(-p)    Q'/((p-1) d Q^(p-1)) + 2A (2p-3)/((p-1) d) * (that of Q^(1-p))

#include "expr/inner.h"

enum { FOLD_TERMS = 200, MOST_FACTORS = 16, LEAST_HALF = -12, MOST_DEGREE = 8 };

typedef struct inner {
    rh_store *store;
    rh_expr x;
    rh_arena *scratch;
} inner;

static bool holds(const inner *of, rh_expr e)
{
    rh_expr_list all;
    const rh_mark mark = rh__arena_mark(of->scratch);
    bool result = !rh__expr_reach(of->store, &e, 1, of->scratch, &all);
    for (uint32_t k = 0; !result && k < all.count; k++) {
        result = rh__expr_same(all.data[k], of->x);
    }
    rh__arena_rewind(of->scratch, mark);
    return result;
}

static rh_expr fold(const inner *of, rh_expr e)
{
    return rh__expr_is_none(e) ? e : rh__expr_fold(of->store, e, FOLD_TERMS, of->scratch);
}

// --- c*g'*f(g) -------------------------------------------------------------------------------

// 1/cos^2, 1/cosh^2, tan^2 and tanh^2 by their argument; none when it is no such square.
static rh_expr square_integral(rh_store *store, rh_expr factor, rh_expr *out_inside)
{
    static const struct {
        rh_op of, to;
        int64_t exponent, bare, function; // bare*u + function*to(u)
    } ROWS[] = {{RH_OP_COS, RH_OP_TAN, -2, 0, 1},
                {RH_OP_COSH, RH_OP_TANH, -2, 0, 1},
                {RH_OP_TAN, RH_OP_TAN, 2, -1, 1},
                {RH_OP_TANH, RH_OP_TANH, 2, 1, -1}};
    int64_t exponent = 0;
    const rh_expr base = rh__expr_base(store, factor);
    if (!rh__expr_as_integer(store, rh__expr_exponent(store, factor), &exponent)) {
        return RH_EXPR_NONE;
    }
    for (size_t k = 0; k < sizeof ROWS / sizeof *ROWS; k++) {
        if (ROWS[k].of == rh__expr_op(store, base) && ROWS[k].exponent == exponent) {
            *out_inside = rh__expr_argument(store, base, 0);
            const rh_expr to = rh__expr_apply(store, ROWS[k].to, out_inside, 1);
            return rh__expr_add(
                store, rh__expr_multiply(store, rh__expr_integer(store, ROWS[k].bare), *out_inside),
                rh__expr_multiply(store, rh__expr_integer(store, ROWS[k].function), to));
        }
    }
    return RH_EXPR_NONE;
}

// f(g) by g for one factor, and g; none when the factor is no function of something inside.
static rh_expr outer_integral(const inner *of, rh_expr factor, rh_expr *out_inside)
{
    rh_store *store = of->store;
    if (rh__integral_is_easy(rh__expr_op(store, factor))) {
        *out_inside = rh__expr_argument(store, factor, 0);
        return rh__integral_function(store, factor);
    }
    const rh_expr exponent = rh__expr_exponent(store, factor);
    *out_inside = rh__expr_base(store, factor);
    return rh__expr_is_number(store, exponent) && !rh__expr_same(*out_inside, of->x)
               ? rh__integral_power(store, *out_inside, exponent)
               : RH_EXPR_NONE;
}

// Functions whose square is the integral of what they are times their derivative.
static bool is_smooth(rh_op op)
{
    return op == RH_OP_ASIN || op == RH_OP_ACOS ||
           (rh__integral_is_easy(op) && op != RH_OP_ABS && op != RH_OP_SIGN);
}

// c*primitive when the term is c*factor*(inside)'.
static rh_expr try_inside(const inner *of, rh_expr term, rh_expr factor, rh_expr inside,
                          rh_expr primitive)
{
    rh_store *store = of->store;
    if (rh__expr_is_none(primitive) || !holds(of, inside)) {
        return RH_EXPR_NONE;
    }
    const rh_expr slope = rh__expr_differentiate(store, inside, of->x);
    // x may not be in it after all, and the slope a long way of writing zero
    if (rh__expr_is_none(slope) ||
        rh__expr_vanishes(store, slope, NULL, NULL, of->scratch) != RH_VANISHING_NO) {
        return RH_EXPR_NONE;
    }
    const rh_expr ratio =
        fold(of, rh__expr_divide(store, rh__expr_divide(store, term, factor), slope));
    return rh__expr_is_none(ratio) || holds(of, ratio) ? RH_EXPR_NONE
                                                       : rh__expr_multiply(store, ratio, primitive);
}

static rh_expr try_factor(const inner *of, rh_expr term, rh_expr factor)
{
    rh_store *store = of->store;
    rh_expr inside = RH_EXPR_NONE;
    rh_expr primitive = outer_integral(of, factor, &inside);
    rh_expr result = try_inside(of, term, factor, inside, primitive);
    if (rh__expr_is_none(result)) {
        primitive = square_integral(store, factor, &inside);
        result = try_inside(of, term, factor, inside, primitive);
    }
    if (rh__expr_is_none(result) && is_smooth(rh__expr_op(store, factor))) { // itself
        primitive = rh__integral_power(store, factor, store->one);
        result = try_inside(of, term, factor, factor, primitive);
    }
    return result;
}

// --- powers of quadratics ----------------------------------------------------------------------

typedef struct quadratic {
    rh_expr a, slope, d; // A, Q', 4AC - B^2
    int a_sign, d_sign;  // 0: not known
} quadratic;

static rh_expr product(rh_store *store, int64_t number, rh_expr a, rh_expr b)
{
    return rh__expr_product(store, (rh_expr[]){rh__expr_integer(store, number), a, b}, 3);
}

// Is `e` a quadratic in x without a double root?
static bool read_quadratic(const inner *of, rh_expr e, quadratic *out)
{
    rh_store *store = of->store;
    out->slope = rh__expr_differentiate(store, e, of->x);
    const rh_expr twice = fold(of, rh__expr_differentiate(store, out->slope, of->x));
    if (rh__expr_is_none(twice) || holds(of, twice)) {
        return false;
    }
    out->a = rh__expr_multiply(store, rh__expr_ratio(store, 1, 2), twice);
    // 4A Q - Q'^2 does not depend on x: it is 4AC - B^2
    out->d =
        fold(of, rh__expr_replace(store,
                                  rh__expr_subtract(store, product(store, 4, out->a, e),
                                                    rh__expr_power(store, out->slope,
                                                                   rh__expr_integer(store, 2))),
                                  of->x, store->zero));
    if (rh__expr_is_none(out->d)) {
        return false;
    }
    out->d_sign = rh__expr_sign(store, out->d, NULL, NULL);
    out->a_sign = rh__expr_sign(store, out->a, NULL, NULL);
    return out->d_sign != 0;
}

// Q^(-1)
static rh_expr inverse(rh_store *store, const quadratic *q)
{
    if (q->d_sign > 0) {
        const rh_expr width = rh__expr_sqrt(store, q->d);
        const rh_expr angle = rh__expr_divide(store, q->slope, width);
        return rh__expr_divide(
            store, product(store, 2, rh__expr_apply(store, RH_OP_ATAN, &angle, 1), store->one),
            width);
    }
    const rh_expr s = rh__expr_sqrt(store, rh__expr_negate(store, q->d));
    const rh_expr minus = rh__expr_integer(store, -1);
    const rh_expr above = rh__integral_power(store, rh__expr_subtract(store, q->slope, s), minus);
    const rh_expr below = rh__integral_power(store, rh__expr_add(store, q->slope, s), minus);
    return rh__expr_divide(store, rh__expr_subtract(store, above, below), s);
}

// Q^(-1/2); none where Q is negative everywhere, or its side is not known
static rh_expr inverse_root(rh_store *store, const quadratic *q, rh_expr e)
{
    if (q->a_sign == 0 || (q->a_sign < 0 && q->d_sign > 0)) {
        return RH_EXPR_NONE;
    }
    if (q->a_sign < 0) {
        const rh_expr s = rh__expr_sqrt(store, rh__expr_negate(store, q->d));
        const rh_expr sine = rh__expr_divide(store, q->slope, s);
        const rh_expr root = rh__expr_sqrt(store, rh__expr_negate(store, q->a));
        return rh__expr_negate(
            store, rh__expr_divide(store, rh__expr_apply(store, RH_OP_ASIN, &sine, 1), root));
    }
    const rh_expr both = rh__expr_sqrt(store, rh__expr_multiply(store, q->a, e));
    const rh_expr inside =
        rh__expr_add(store, rh__expr_multiply(store, rh__expr_integer(store, 2), both), q->slope);
    const rh_expr primitive = q->d_sign > 0
                                  ? rh__expr_apply(store, RH_OP_LOG, &inside, 1)
                                  : rh__integral_power(store, inside, rh__expr_integer(store, -1));
    return rh__expr_divide(store, primitive, rh__expr_sqrt(store, q->a));
}

static rh_expr root(rh_store *store, const quadratic *q, rh_expr e)
{
    const rh_expr first =
        rh__expr_divide(store, rh__expr_multiply(store, q->slope, rh__expr_sqrt(store, e)),
                        product(store, 4, q->a, store->one));
    const rh_expr second =
        rh__expr_divide(store, rh__expr_multiply(store, q->d, inverse_root(store, q, e)),
                        product(store, 8, q->a, store->one));
    return rh__expr_add(store, first, second);
}

// Q^(half/2); no deeper than LEAST_HALF lets it
static rh_expr quadratic_integral(rh_store *store, const quadratic *q, rh_expr e, int64_t half)
{
    if (half >= -2) {
        return half == -2   ? inverse(store, q)
               : half == -1 ? inverse_root(store, q, e)
                            : root(store, q, e);
    }
    const rh_expr less = rh__expr_ratio(store, -half - 2, 2); // p - 1
    const rh_expr below = rh__expr_multiply(store, less, q->d);
    const rh_expr power = rh__expr_power(store, e, rh__expr_negate(store, less));
    const rh_expr first = rh__expr_divide(store, rh__expr_multiply(store, q->slope, power), below);
    if (half == -3) {
        return first;
    }
    const rh_expr rest =
        product(store, 2 * (-half - 3), q->a, quadratic_integral(store, q, e, half + 2));
    return rh__expr_add(store, first, rh__expr_divide(store, rest, below));
}

static rh_expr at_zero(const inner *of, rh_expr e)
{
    return rh__expr_replace(of->store, e, of->x, of->store->zero);
}

// x^n Q^r with r = half/2, from those of n - 1 and n - 2:
// A (2r+n+1) J_n = x^(n-1) Q^(r+1) - B (r+n) J_(n-1) - C (n-1) J_(n-2)
static rh_expr weighted_integral(const inner *of, const quadratic *q, rh_expr e, int64_t half,
                                 int64_t n)
{
    rh_store *store = of->store;
    const rh_expr next = rh__expr_power(store, e, rh__expr_ratio(store, half + 2, 2));
    const rh_expr b = at_zero(of, q->slope);
    const rh_expr c = at_zero(of, e);
    rh_expr before = store->zero;
    rh_expr result = quadratic_integral(store, q, e, half);
    for (int64_t k = 1; k <= n; k++) {
        const rh_expr parts[] = {
            rh__expr_multiply(store, rh__expr_power(store, of->x, rh__expr_integer(store, k - 1)),
                              next),
            rh__expr_product(store, (rh_expr[]){rh__expr_ratio(store, -half - 2 * k, 2), b, result},
                             3),
            product(store, 1 - k, c, before)};
        rh_expr now = rh__expr_sum(store, parts, 3);
        const bool is_log = half + k + 1 == 0;
        now = is_log ? RH_EXPR_NONE
                     : rh__expr_divide(store, now, product(store, half + k + 1, q->a, store->one));
        if (is_log && k == 1) { // Q'/Q is what this formula does not give
            const rh_expr log = rh__integral_power(store, e, rh__expr_integer(store, -1));
            now = rh__expr_divide(
                store, rh__expr_subtract(store, log, rh__expr_multiply(store, b, result)),
                product(store, 2, q->a, store->one));
        }
        before = result;
        result = now;
    }
    return result;
}

static rh_expr try_quadratic(const inner *of, rh_expr term, rh_expr factor)
{
    rh_store *store = of->store;
    int64_t half = 0;
    quadratic q;
    const rh_expr base = rh__expr_base(store, factor);
    const rh_expr doubled =
        rh__expr_multiply(store, rh__expr_integer(store, 2), rh__expr_exponent(store, factor));
    if (rh__expr_op(store, factor) != RH_OP_POW || !rh__expr_as_integer(store, doubled, &half) ||
        half < LEAST_HALF || half > 1 || half == 0) {
        return RH_EXPR_NONE;
    }
    rh_expr constant = rh__expr_divide(store, term, factor);
    int64_t n = 0;
    while (!rh__expr_is_none(constant) && n < MOST_DEGREE && holds(of, constant)) {
        constant = rh__expr_divide(store, constant, of->x);
        n++;
    }
    if (rh__expr_is_none(constant) || holds(of, constant) || !read_quadratic(of, base, &q)) {
        return RH_EXPR_NONE;
    }
    return rh__expr_multiply(store, constant, weighted_integral(of, &q, base, half, n));
}

rh_expr rh__integral_inner(rh_store *store, rh_expr term, rh_expr x, rh_arena *scratch)
{
    const inner of = {store, x, scratch};
    const bool is_product = rh__expr_op(store, term) == RH_OP_MUL;
    const uint32_t count = is_product ? rh__expr_count(store, term) : 1;
    rh_expr result = RH_EXPR_NONE;
    for (uint32_t k = 0; k < count && k < MOST_FACTORS && rh__expr_is_none(result); k++) {
        const rh_expr factor = is_product ? rh__expr_argument(store, term, k) : term;
        if (rh__store_refusal(store) != RH_REFUSAL_NONE) {
            return RH_EXPR_NONE;
        }
        result = try_factor(&of, term, factor);
        result = rh__expr_is_none(result) ? try_quadratic(&of, term, factor) : result;
    }
    return result;
}
