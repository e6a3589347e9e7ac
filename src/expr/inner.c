// SPDX-License-Identifier: Apache-2.0
// Antiderivatives by substitution. A term c*g'*f(g) is found by dividing it by g'*f(g) for each
// factor f(g) that it has: what is left must be free of x. Powers of a quadratic Q that is positive
// everywhere have their own formulas, with d = 4AC - B^2 and Q = A x^2 + B x + C:
//     Q^(-1)    2/sqrt(d) atan(Q'/sqrt(d))
//     Q^(-1/2)  log(2 sqrt(A Q) + Q')/sqrt(A)
//     Q^(-3/2)  2 Q'/(d sqrt(Q))
//     Q^(1/2)   Q' sqrt(Q)/(4A) + d/(8A) * (that of Q^(-1/2))

#include "expr/inner.h"

enum { FOLD_TERMS = 200, MOST_FACTORS = 16 };

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

static rh_expr try_factor(const inner *of, rh_expr term, rh_expr factor)
{
    rh_store *store = of->store;
    rh_expr inside = RH_EXPR_NONE;
    const rh_expr primitive = outer_integral(of, factor, &inside);
    if (rh__expr_is_none(primitive) || !holds(of, inside)) {
        return RH_EXPR_NONE;
    }
    const rh_expr slope = rh__expr_differentiate(store, inside, of->x);
    const rh_expr ratio =
        fold(of, rh__expr_divide(store, rh__expr_divide(store, term, factor), slope));
    return rh__expr_is_none(ratio) || holds(of, ratio) ? RH_EXPR_NONE
                                                       : rh__expr_multiply(store, ratio, primitive);
}

// --- powers of quadratics ----------------------------------------------------------------------

typedef struct quadratic {
    rh_expr a, slope, d; // A, Q', 4AC - B^2
} quadratic;

static rh_expr product(rh_store *store, int64_t number, rh_expr a, rh_expr b)
{
    return rh__expr_product(store, (rh_expr[]){rh__expr_integer(store, number), a, b}, 3);
}

// Is `e` a quadratic in x, positive everywhere? With `anywhere` it need only have no double root.
static bool read_quadratic(const inner *of, rh_expr e, bool anywhere, quadratic *out)
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
    const int sign = rh__expr_sign(store, out->d, NULL, NULL);
    return anywhere ? sign != 0 : sign > 0 && rh__expr_sign(store, out->a, NULL, NULL) > 0;
}

// Q^(-1/2)
static rh_expr inverse_root(rh_store *store, const quadratic *q, rh_expr e)
{
    const rh_expr both = rh__expr_sqrt(store, rh__expr_multiply(store, q->a, e));
    const rh_expr inside =
        rh__expr_add(store, rh__expr_multiply(store, rh__expr_integer(store, 2), both), q->slope);
    return rh__expr_divide(store, rh__expr_apply(store, RH_OP_LOG, &inside, 1),
                           rh__expr_sqrt(store, q->a));
}

// Q^(half/2)
static rh_expr quadratic_integral(rh_store *store, const quadratic *q, rh_expr e, int64_t half)
{
    const rh_expr root = rh__expr_sqrt(store, e);
    if (half == -2) {
        const rh_expr width = rh__expr_sqrt(store, q->d);
        const rh_expr angle = rh__expr_divide(store, q->slope, width);
        return rh__expr_divide(
            store, product(store, 2, rh__expr_apply(store, RH_OP_ATAN, &angle, 1), store->one),
            width);
    }
    if (half == -1) {
        return inverse_root(store, q, e);
    }
    if (half == -3) {
        return rh__expr_divide(store, product(store, 2, q->slope, store->one),
                               rh__expr_multiply(store, q->d, root));
    }
    const rh_expr first = rh__expr_divide(store, rh__expr_multiply(store, q->slope, root),
                                          product(store, 4, q->a, store->one));
    const rh_expr second =
        rh__expr_divide(store, rh__expr_multiply(store, q->d, inverse_root(store, q, e)),
                        product(store, 8, q->a, store->one));
    return rh__expr_add(store, first, second);
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
        half < -3 || half > 1 || half == 0) {
        return RH_EXPR_NONE;
    }
    const rh_expr constant = rh__expr_divide(store, term, factor);
    if (rh__expr_is_none(constant) || holds(of, constant) ||
        !read_quadratic(of, base, half == -3, &q)) {
        return RH_EXPR_NONE;
    }
    return rh__expr_multiply(store, constant, quadratic_integral(store, &q, base, half));
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
