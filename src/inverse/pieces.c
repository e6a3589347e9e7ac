// SPDX-License-Identifier: Apache-2.0
// Antiderivatives of what switches. Conditions, sizes, min and max are written through signs s of
// things that are linear in x; off the surfaces s^2 = 1, so e = A + s B with A and B free of s, and
//     int e dx = int A dx + s (G(x) - G(x0)),   G = int B dx,  x0 the zero of the argument of s,
// which is continuous where the integrand jumps.

#include "inverse/inverse.h"

enum { ROUNDS = 32, MOST_SIGNS = 6, DEPTH = 12 };

static rh_expr half(rh_store *store, rh_expr e)
{
    return rh__expr_multiply(store, rh__expr_ratio(store, 1, 2), e);
}

static rh_expr sign_of(rh_store *store, rh_expr e)
{
    return rh__expr_apply(store, RH_OP_SIGN, &e, 1);
}

// --- through signs ---------------------------------------------------------------------------

// A condition as a number, 0 or 1; none where it is no condition.
static rh_expr truth_of(rh_store *store, rh_expr e, uint32_t depth)
{
    const rh_expr one = rh__expr_integer(store, 1);
    const rh_op op = rh__expr_op(store, e);
    if (depth == 0) {
        return RH_EXPR_NONE;
    }
    if (op == RH_OP_LESS || op == RH_OP_LESS_EQUAL) {
        const rh_expr rise = rh__expr_subtract(store, rh__expr_argument(store, e, 1),
                                               rh__expr_argument(store, e, 0));
        return half(store, rh__expr_add(store, one, sign_of(store, rise)));
    }
    if (op == RH_OP_NOT) {
        return rh__expr_subtract(store, one,
                                 truth_of(store, rh__expr_argument(store, e, 0), depth - 1));
    }
    if (op != RH_OP_AND && op != RH_OP_OR) {
        return RH_EXPR_NONE;
    }
    rh_expr product = one; // of what is true, or of what is false
    for (uint32_t k = 0; k < rh__expr_count(store, e); k++) {
        const rh_expr part = truth_of(store, rh__expr_argument(store, e, k), depth - 1);
        product = rh__expr_multiply(store, product,
                                    op == RH_OP_AND ? part : rh__expr_subtract(store, one, part));
    }
    return op == RH_OP_AND ? product : rh__expr_subtract(store, one, product);
}

static rh_expr through_signs(rh_store *store, rh_expr e)
{
    RH_ASSERT(rh__expr_op(store, e) == RH_OP_ABS || rh__expr_op(store, e) == RH_OP_MIN ||
              rh__expr_op(store, e) == RH_OP_MAX || rh__expr_op(store, e) == RH_OP_IF);
    const rh_op op = rh__expr_op(store, e);
    const rh_expr a = rh__expr_argument(store, e, 0);
    if (op == RH_OP_ABS) {
        return rh__expr_multiply(store, a, sign_of(store, a));
    }
    const rh_expr b = rh__expr_argument(store, e, 1);
    if (op == RH_OP_IF) {
        const rh_expr other = rh__expr_argument(store, e, 2);
        return rh__expr_add(store, other,
                            rh__expr_multiply(store, truth_of(store, a, DEPTH),
                                              rh__expr_subtract(store, b, other)));
    }
    const rh_expr difference = rh__expr_subtract(store, a, b);
    const rh_expr size = rh__expr_multiply(store, difference, sign_of(store, difference));
    const rh_expr sum = rh__expr_add(store, a, b);
    return half(store, op == RH_OP_MAX ? rh__expr_add(store, sum, size)
                                       : rh__expr_subtract(store, sum, size));
}

// The first part of a kind: parts come before what they stand in.
typedef bool is_wanted(rh_inverse *inverse, rh_expr e);

static rh_expr find_part(rh_inverse *inverse, rh_expr e, is_wanted *wanted)
{
    rh_expr_list all = {0};
    rh_expr found = RH_EXPR_NONE;
    if (e.i == 0 || !rh__expr_reach(inverse->store, &e, 1, &inverse->scratch, &all)) {
        return RH_EXPR_NONE;
    }
    for (uint32_t k = 0; k < all.count && found.i == 0; k++) {
        found = wanted(inverse, all.data[k]) ? all.data[k] : found;
    }
    return found;
}

static bool is_choice(rh_inverse *inverse, rh_expr e)
{
    const rh_op op = rh__expr_op(inverse->store, e);
    return op == RH_OP_ABS || op == RH_OP_MIN || op == RH_OP_MAX || op == RH_OP_IF;
}

static bool is_sign(rh_inverse *inverse, rh_expr e)
{
    return rh__expr_op(inverse->store, e) == RH_OP_SIGN;
}

// A sign of something that holds a sign.
static bool is_nested(rh_inverse *inverse, rh_expr e)
{
    return is_sign(inverse, e) &&
           find_part(inverse, rh__expr_argument(inverse->store, e, 0), is_sign).i != 0;
}

// All choices through signs, none of them inside another; none when there are too many.
static rh_expr unfold(rh_inverse *inverse, rh_expr e)
{
    rh_store *store = inverse->store;
    for (uint32_t round = 0; round < ROUNDS && e.i != 0; round++) {
        const rh_expr choice = find_part(inverse, e, is_choice);
        if (choice.i != 0) {
            e = rh__expr_replace(store, e, choice, through_signs(store, choice));
            continue;
        }
        const rh_expr outer = find_part(inverse, e, is_nested);
        if (outer.i == 0) {
            return e;
        }
        const rh_expr inside = rh__expr_argument(store, outer, 0);
        const rh_expr inner = find_part(inverse, inside, is_sign);
        rh_expr sides[2];
        for (int side = 0; side < 2; side++) { // (1 +- inner)/2 * sign(inside with inner = +-1)
            const rh_expr value = rh__expr_integer(store, side == 0 ? 1 : -1);
            const rh_expr share = half(store, rh__expr_add(store, rh__expr_integer(store, 1),
                                                           rh__expr_multiply(store, value, inner)));
            sides[side] = rh__expr_multiply(
                store, share, sign_of(store, rh__expr_replace(store, inside, inner, value)));
        }
        e = rh__expr_replace(store, e, outer, rh__expr_add(store, sides[0], sides[1]));
    }
    return RH_EXPR_NONE;
}

// --- integrals -------------------------------------------------------------------------------

// The zero in x of the argument of a sign; none when that is not linear in x.
static rh_expr zero_of(rh_inverse *inverse, rh_expr sign, rh_expr x)
{
    RH_ASSERT(rh__expr_op(inverse->store, sign) == RH_OP_SIGN);
    rh_store *store = inverse->store;
    const rh_expr inside = rh__expr_argument(store, sign, 0);
    const rh_expr slope = rh__inverse_fold(inverse, rh__expr_differentiate(store, inside, x));
    if (slope.i == 0 || rh__expr_is_zero(store, slope) ||
        (rh__expr_mask(store, slope) & RH_EXPR_VARIABLE) != 0) {
        return RH_EXPR_NONE;
    }
    const rh_expr offset = rh__expr_replace(store, inside, x, rh__expr_integer(store, 0));
    return rh__inverse_fold(inverse, rh__expr_negate(store, rh__expr_divide(store, offset, slope)));
}

// The first sign that depends on x.
static rh_expr find_sign(rh_inverse *inverse, rh_expr e, rh_expr x)
{
    RH_ASSERT(e.i != 0 && rh__expr_op(inverse->store, x) == RH_OP_SYMBOL);
    rh_expr_list all = {0};
    if (!rh__expr_reach(inverse->store, &e, 1, &inverse->scratch, &all)) {
        return RH_EXPR_NONE;
    }
    for (uint32_t k = 0; k < all.count; k++) {
        if (is_sign(inverse, all.data[k]) &&
            !rh__expr_is_zero(inverse->store,
                              rh__inverse_partial(
                                  inverse, rh__expr_argument(inverse->store, all.data[k], 0), x))) {
            return all.data[k];
        }
    }
    return RH_EXPR_NONE;
}

static rh_expr integrate_pieces(rh_inverse *inverse, rh_expr e, rh_expr x, uint32_t depth)
{
    RH_ASSERT(depth <= MOST_SIGNS);
    rh_store *store = inverse->store;
    const rh_expr sign = e.i != 0 ? find_sign(inverse, e, x) : RH_EXPR_NONE;
    if (sign.i == 0) {
        return rh__expr_integrate(store, e, x, &inverse->scratch);
    }
    const rh_expr zero = zero_of(inverse, sign, x);
    if (depth == 0 || zero.i == 0) {
        return RH_EXPR_NONE;
    }
    const rh_expr above = rh__expr_replace(store, e, sign, rh__expr_integer(store, 1));
    const rh_expr below = rh__expr_replace(store, e, sign, rh__expr_integer(store, -1));
    const rh_expr even = rh__inverse_fold(inverse, half(store, rh__expr_add(store, above, below)));
    const rh_expr odd =
        rh__inverse_fold(inverse, half(store, rh__expr_subtract(store, above, below)));
    const rh_expr smooth = integrate_pieces(inverse, even, x, depth - 1);
    const rh_expr part =
        smooth.i != 0 ? integrate_pieces(inverse, odd, x, depth - 1) : RH_EXPR_NONE;
    if (part.i == 0) {
        return RH_EXPR_NONE;
    }
    const rh_expr rise = rh__expr_subtract(store, part, rh__expr_replace(store, part, x, zero));
    return rh__expr_add(store, smooth, rh__expr_multiply(store, sign, rise));
}

rh_expr rh__primitive_integrate(rh_inverse *inverse, rh_expr e, rh_expr x)
{
    const rh_mark mark = rh__arena_mark(&inverse->scratch);
    rh_expr result = rh__expr_integrate(inverse->store, e, x, &inverse->scratch);
    if (result.i == 0 && rh__inverse_switches(inverse, ~(uint32_t)0)) {
        result = integrate_pieces(inverse, unfold(inverse, e), x, MOST_SIGNS);
    }
    rh__arena_rewind(&inverse->scratch, mark);
    return rh__inverse_fold(inverse, result);
}
