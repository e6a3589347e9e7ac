// SPDX-License-Identifier: Apache-2.0
// Antiderivatives where they are easy. In: an expression and a symbol x; out: an expression whose
// derivative is proved (or at random points seen) to be the first. Each term of the expanded form
// is taken alone: c * x^n * f(a*x + b) with c, a, b free of x and f one of sin, cos, exp, sinh,
// cosh or a power; without x^n also one of tan, tanh, log, atan, abs, sign. Or a product in which
// the derivative of an argument stands beside its function, or a power of a quadratic (inner.c).
// Products of sines and cosines become sums first (waves.c).

#include "expr/inner.h"

enum { EXPAND_TERMS = 2000, MOST_PARTS = 64 };

typedef struct integral {
    rh_store *store;
    rh_expr x;
    rh_arena *scratch;
} integral;

// --- the pattern -----------------------------------------------------------------------------

// c * x^degree * function, the function of a*x + b.
typedef struct pattern {
    rh_expr constant;
    rh_expr degree;   // a number
    rh_expr function; // none: 1
    rh_expr inside, slope, offset;
} pattern;

static bool holds(const integral *of, rh_expr e)
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

// inside = slope*x + offset; false when it is not, or x is not in it after all: then the slope may
// be a long way of writing zero.
static bool split_affine(const integral *of, rh_expr inside, pattern *out)
{
    rh_store *store = of->store;
    out->inside = inside;
    out->slope = rh__expr_expand(store, rh__expr_differentiate(store, inside, of->x), EXPAND_TERMS,
                                 of->scratch);
    if (rh__expr_is_none(out->slope) || holds(of, out->slope) ||
        rh__expr_vanishes(store, out->slope, NULL, NULL, of->scratch) != RH_VANISHING_NO) {
        return false;
    }
    const rh_expr rest =
        rh__expr_subtract(store, inside, rh__expr_multiply(store, out->slope, of->x));
    out->offset = rh__expr_expand(store, rest, EXPAND_TERMS, of->scratch);
    return !rh__expr_is_none(out->offset) && !holds(of, out->offset);
}

bool rh__integral_is_easy(rh_op op)
{
    switch (op) {
    case RH_OP_SIN:
    case RH_OP_COS:
    case RH_OP_EXP:
    case RH_OP_SINH:
    case RH_OP_COSH:
    case RH_OP_TAN:
    case RH_OP_TANH:
    case RH_OP_LOG:
    case RH_OP_ATAN:
    case RH_OP_ABS:
    case RH_OP_SIGN:
        return true;
    default:
        return false;
    }
}

// Put one factor where it belongs; false when it has no place.
static bool put_factor(const integral *of, rh_expr factor, pattern *out)
{
    rh_store *store = of->store;
    if (!holds(of, factor)) {
        out->constant = rh__expr_multiply(store, out->constant, factor);
        return !rh__expr_is_none(out->constant);
    }
    const rh_expr exponent = rh__expr_exponent(store, factor);
    const rh_expr base = rh__expr_base(store, factor);
    if (rh__expr_same(base, of->x) && rh__expr_is_number(store, exponent)) {
        out->degree = exponent;
        return true;
    }
    if (!rh__expr_is_none(out->function)) {
        return false;
    }
    out->function = factor;
    if (rh__integral_is_easy(rh__expr_op(store, factor))) {
        return split_affine(of, rh__expr_argument(store, factor, 0), out);
    }
    return rh__expr_op(store, factor) == RH_OP_POW && rh__expr_is_number(store, exponent) &&
           split_affine(of, base, out);
}

static bool find_pattern(const integral *of, rh_expr term, pattern *out)
{
    const rh_store *store = of->store;
    const bool is_product = rh__expr_op(store, term) == RH_OP_MUL;
    const uint32_t count = is_product ? rh__expr_count(store, term) : 1;
    *out = (pattern){.constant = store->one, .degree = store->zero};
    bool ok = true;
    for (uint32_t k = 0; ok && k < count; k++) {
        ok = put_factor(of, is_product ? rh__expr_argument(store, term, k) : term, out);
    }
    return ok;
}

// --- antiderivatives -------------------------------------------------------------------------

// Half the logarithm of a square: defined on both sides of 0.
static rh_expr log_of_size(rh_store *store, rh_expr u)
{
    const rh_expr square = rh__expr_power(store, u, rh__expr_integer(store, 2));
    return rh__expr_multiply(store, rh__expr_ratio(store, 1, 2),
                             rh__expr_apply(store, RH_OP_LOG, &square, 1));
}

// u^r by u; the logarithm is written so that it is defined on both sides of 0.
rh_expr rh__integral_power(rh_store *store, rh_expr u, rh_expr r)
{
    const rh_expr next = rh__expr_add(store, r, store->one);
    if (!rh__expr_is_zero(store, next)) {
        return rh__expr_divide(store, rh__expr_power(store, u, next), next);
    }
    if (rh__expr_sign(store, u, NULL, NULL) > 0) {
        return rh__expr_apply(store, RH_OP_LOG, &u, 1);
    }
    return log_of_size(store, u);
}

// The antiderivative by u of f(u) for the functions that can be integrated once; none for others.
static rh_expr integrate_once(rh_store *store, rh_op op, rh_expr f, rh_expr u)
{
    const rh_expr product = rh__expr_multiply(store, u, f); // u*f(u)
    switch (op) {
    case RH_OP_TAN:
        return rh__expr_negate(store, log_of_size(store, rh__expr_apply(store, RH_OP_COS, &u, 1)));
    case RH_OP_TANH: {
        const rh_expr inside = rh__expr_apply(store, RH_OP_COSH, &u, 1);
        return rh__expr_apply(store, RH_OP_LOG, &inside, 1);
    }
    case RH_OP_LOG:
        return rh__expr_subtract(store, product, u);
    case RH_OP_ATAN: {
        const rh_expr square = rh__expr_power(store, u, rh__expr_integer(store, 2));
        const rh_expr inside = rh__expr_add(store, store->one, square);
        return rh__expr_subtract(store, product,
                                 rh__expr_multiply(store, rh__expr_ratio(store, 1, 2),
                                                   rh__expr_apply(store, RH_OP_LOG, &inside, 1)));
    }
    case RH_OP_ABS:
        return rh__expr_multiply(store, rh__expr_ratio(store, 1, 2), product);
    case RH_OP_SIGN:
        return rh__expr_apply(store, RH_OP_ABS, &u, 1);
    default:
        return RH_EXPR_NONE;
    }
}

// The antiderivative of an easy function by its argument.
rh_expr rh__integral_function(rh_store *store, rh_expr f)
{
    static const struct {
        rh_op of, to;
        int sign;
    } ROWS[] = {{RH_OP_SIN, RH_OP_COS, -1},
                {RH_OP_COS, RH_OP_SIN, 1},
                {RH_OP_EXP, RH_OP_EXP, 1},
                {RH_OP_SINH, RH_OP_COSH, 1},
                {RH_OP_COSH, RH_OP_SINH, 1}};
    // -sin and the like are sums of one pair
    const bool is_negative = rh__expr_op(store, f) == RH_OP_ADD;
    const rh_expr bare = is_negative ? rh__expr_argument(store, f, 1) : f;
    for (size_t k = 0; k < sizeof ROWS / sizeof *ROWS; k++) {
        if (ROWS[k].of == rh__expr_op(store, bare)) {
            const rh_expr inside = rh__expr_argument(store, bare, 0);
            const rh_expr result = rh__expr_apply(store, ROWS[k].to, &inside, 1);
            return (ROWS[k].sign < 0) != is_negative ? rh__expr_negate(store, result) : result;
        }
    }
    return is_negative || !rh__integral_is_easy(rh__expr_op(store, f))
               ? RH_EXPR_NONE
               : integrate_once(store, rh__expr_op(store, f), f, rh__expr_argument(store, f, 0));
}

// x^n * f(a*x + b) by parts: the sum over k of (-1)^k * n!/(n-k)! * x^(n-k) * F_(k+1) / a^(k+1),
// where F_k is the k-th antiderivative of f.
static rh_expr integrate_by_parts(const integral *of, const pattern *term, int64_t n)
{
    rh_store *store = of->store;
    rh_expr parts[MOST_PARTS];
    rh_expr factor = store->one;
    rh_expr f = term->function;
    for (int64_t k = 0; k <= n; k++) {
        f = rh__integral_function(store, f);
        factor = rh__expr_divide(store, factor, term->slope);
        if (rh__expr_is_none(f) || rh__expr_is_none(factor)) {
            return RH_EXPR_NONE;
        }
        const rh_expr monomial = rh__expr_power(store, of->x, rh__expr_integer(store, n - k));
        parts[k] = rh__expr_product(store, (rh_expr[]){factor, monomial, f}, 3);
        factor = rh__expr_multiply(store, factor, rh__expr_integer(store, -(n - k)));
    }
    return rh__expr_sum(store, parts, (uint32_t)n + 1);
}

// x^n * u^r with u = a*x + b and x = (u - b)/a: the sum over k of
// n!/(k!*(n-k)!) * (-b)^(n-k) / a^(n+1) * (antiderivative of u^(k+r) by u).
static rh_expr integrate_shifted(const integral *of, const pattern *term, int64_t n)
{
    rh_store *store = of->store;
    rh_expr parts[MOST_PARTS];
    rh_expr binomial = store->one;
    const rh_expr r = rh__expr_exponent(store, term->function);
    const rh_expr slope = rh__expr_power(store, term->slope, rh__expr_integer(store, -(n + 1)));
    const rh_expr minus = rh__expr_negate(store, term->offset);
    for (int64_t k = 0; k <= n; k++) {
        const rh_expr shift = rh__expr_power(store, minus, rh__expr_integer(store, n - k));
        const rh_expr exponent = rh__expr_add(store, r, rh__expr_integer(store, k));
        if (rh__expr_is_none(exponent)) {
            return RH_EXPR_NONE;
        }
        const rh_expr primitive = rh__integral_power(store, term->inside, exponent);
        parts[k] = rh__expr_product(store, (rh_expr[]){binomial, shift, slope, primitive}, 4);
        binomial = rh__expr_multiply(store, binomial, rh__expr_ratio(store, n - k, k + 1));
    }
    return rh__expr_sum(store, parts, (uint32_t)n + 1);
}

// One term by its pattern or from the inside.
static rh_expr integrate_single(const integral *of, rh_expr term)
{
    rh_store *store = of->store;
    pattern found;
    if (!find_pattern(of, term, &found)) {
        return rh__integral_inner(store, term, of->x, of->scratch);
    }
    rh_expr result = RH_EXPR_NONE;
    int64_t n = 0;
    if (rh__expr_is_none(found.function)) {
        result = rh__integral_power(store, of->x, found.degree);
    } else if (rh__expr_as_integer(store, found.degree, &n) && n >= 0 && n < MOST_PARTS) {
        result = rh__expr_op(store, found.function) == RH_OP_POW
                     ? integrate_shifted(of, &found, n)
                     : integrate_by_parts(of, &found, n);
    }
    return rh__expr_is_none(result) ? rh__integral_inner(store, term, of->x, of->scratch)
                                    : rh__expr_multiply(store, found.constant, result);
}

// --- the whole -------------------------------------------------------------------------------

static rh_expr integrate_terms(const integral *of, rh_expr e, bool with_waves);

// Products of waves become sums once: their terms have one wave each.
static rh_expr integrate_term(const integral *of, rh_expr term, bool with_waves)
{
    const rh_expr result = integrate_single(of, term);
    if (!rh__expr_is_none(result) || !with_waves) {
        return result;
    }
    const rh_expr sum = rh__integral_waves(of->store, term);
    const rh_expr wide =
        rh__expr_is_none(sum) ? sum : rh__expr_expand(of->store, sum, EXPAND_TERMS, of->scratch);
    return rh__expr_is_none(wide) ? wide : integrate_terms(of, wide, false);
}

static rh_expr integrate_terms(const integral *of, rh_expr e, bool with_waves)
{
    rh_store *store = of->store;
    const bool is_sum = rh__expr_op(store, e) == RH_OP_ADD;
    const uint32_t count = is_sum ? rh__expr_count(store, e) / 2 : 1;
    rh_expr *parts = rh__arena_array(of->scratch, rh_expr, count);
    if (parts == NULL) {
        return rh__store_refuse(store, RH_REFUSAL_MEMORY);
    }
    for (uint32_t k = 0; k < count; k++) {
        const rh_expr term = is_sum ? rh__expr_argument(store, e, 2 * k + 1) : e;
        const rh_expr number = is_sum ? rh__expr_argument(store, e, 2 * k) : store->one;
        parts[k] = rh__expr_multiply(store, number, integrate_term(of, term, with_waves));
        if (rh__expr_is_none(parts[k])) {
            return RH_EXPR_NONE;
        }
    }
    return rh__expr_sum(store, parts, count);
}

// Does the derivative of `result` equal `e`?
static bool is_verified(const integral *of, rh_expr result, rh_expr e)
{
    rh_store *store = of->store;
    const rh_expr rest = rh__expr_subtract(store, rh__expr_differentiate(store, result, of->x), e);
    if (rh__expr_is_none(rest)) {
        return false;
    }
    rh_folder *folder = rh__folder_create(store, of->scratch, EXPAND_TERMS);
    const bool is_proved = folder != NULL && rh__folder_is_zero(folder, rest);
    rh__folder_destroy(folder);
    return is_proved || rh__expr_vanishes(store, rest, NULL, NULL, of->scratch) != RH_VANISHING_NO;
}

rh_expr rh__expr_integrate(rh_store *store, rh_expr e, rh_expr symbol, rh_arena *scratch)
{
    if (rh__expr_is_none(e) || rh__expr_is_none(symbol)) {
        return RH_EXPR_NONE;
    }
    RH_ASSERT(rh__expr_op(store, symbol) == RH_OP_SYMBOL);
    const integral of = {store, symbol, scratch};
    const rh_mark mark = rh__arena_mark(scratch);
    // what is free of the symbol is not opened, and a failed expansion may still be one term
    rh_expr result =
        holds(&of, e) ? integrate_terms(&of, e, true) : rh__expr_multiply(store, e, symbol);
    if (rh__expr_is_none(result)) {
        const rh_expr expanded = rh__expr_expand(store, e, EXPAND_TERMS, scratch);
        result = rh__expr_is_none(expanded) ? expanded : integrate_terms(&of, expanded, true);
    }
    if (!rh__expr_is_none(result) && !is_verified(&of, result, e)) {
        result = RH_EXPR_NONE;
    }
    rh__arena_rewind(scratch, mark);
    return result;
}
