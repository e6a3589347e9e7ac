// SPDX-License-Identifier: Apache-2.0
// Where operations are not smooth: what vanishes there, and which surfaces are the same one.

#include "expr/expr.h"

rh_expr rh__expr_surface(rh_store *store, rh_expr e)
{
    const uint32_t count = rh__expr_count(store, e);
    const rh_expr a = count > 0 ? rh__expr_argument(store, e, 0) : RH_EXPR_NONE;
    const rh_expr b = count > 1 ? rh__expr_argument(store, e, 1) : RH_EXPR_NONE;
    int64_t n = 0;
    switch (rh__expr_op(store, e)) {
    case RH_OP_ABS:
    case RH_OP_SIGN:
        return a;
    case RH_OP_MIN:
    case RH_OP_MAX:
    case RH_OP_LESS:
    case RH_OP_LESS_EQUAL:
    case RH_OP_EQUAL:
        return rh__expr_subtract(store, a, b);
    case RH_OP_POW: // a root ends at zero
        return rh__expr_as_integer(store, b, &n) ? RH_EXPR_NONE : a;
    case RH_OP_ATAN2: { // jumps across the negative axis
        const rh_expr squares =
            rh__expr_add(store, rh__expr_multiply(store, a, a), rh__expr_multiply(store, b, b));
        return rh__expr_add(store, b, rh__expr_sqrt(store, squares));
    }
    default:
        return RH_EXPR_NONE;
    }
}

// --- one surface, written in several ways
// ---------------------------------------------------------

typedef struct surface_parts {
    rh_store *store;
    rh_expr core, factor;
} surface_parts;

static void split_surface(surface_parts *parts, rh_expr e);

static void scale_factor(surface_parts *parts, rh_expr by)
{
    parts->factor = rh__expr_multiply(parts->store, parts->factor, by);
}

// A factor of the surface: what does not move, or never vanishes, decides about its sign alone.
static void split_factor(surface_parts *parts, rh_expr e)
{
    rh_store *store = parts->store;
    const int sign = rh__expr_sign(store, e, NULL, NULL);
    if ((rh__expr_mask(store, e) & RH_EXPR_VARIABLE) == 0) {
        scale_factor(parts, e);
    } else if (sign != 0) {
        scale_factor(parts, rh__expr_integer(store, sign));
    } else {
        split_surface(parts, e);
    }
}

// The number in front of the first term that moves.
static void split_sum(surface_parts *parts, rh_expr e)
{
    rh_store *store = parts->store;
    const uint32_t count = rh__expr_count(store, e);
    uint32_t first = 0;
    while (first < count &&
           (rh__expr_mask(store, rh__expr_argument(store, e, first + 1)) & RH_EXPR_VARIABLE) == 0) {
        first += 2;
    }
    const rh_expr lead = first < count ? rh__expr_argument(store, e, first) : RH_EXPR_NONE;
    rh_expr sum = rh__expr_integer(store, 0);
    for (uint32_t k = 0; k < count; k += 2) {
        const rh_expr number = rh__expr_divide(store, rh__expr_argument(store, e, k), lead);
        sum = rh__expr_add(store, sum,
                           rh__expr_multiply(store, number, rh__expr_argument(store, e, k + 1)));
    }
    parts->core = rh__expr_multiply(store, parts->core, sum);
    scale_factor(parts, lead);
}

static void split_surface(surface_parts *parts, rh_expr e)
{
    rh_store *store = parts->store;
    const rh_op op = rh__expr_op(store, e);
    const uint32_t count = rh__expr_count(store, e);
    int64_t exponent = 0;
    if (op == RH_OP_MUL) {
        for (uint32_t k = 0; k < count; k++) {
            split_factor(parts, rh__expr_argument(store, e, k));
        }
    } else if (op == RH_OP_POW &&
               rh__expr_as_integer(store, rh__expr_argument(store, e, 1), &exponent) &&
               exponent > 0 && exponent % 2 != 0) {
        split_factor(parts, rh__expr_argument(store, e, 0));
    } else if (op == RH_OP_ADD) {
        split_sum(parts, e);
    } else {
        parts->core = rh__expr_multiply(store, parts->core, e);
    }
}

bool rh__expr_surface_split(rh_store *store, rh_expr surface, rh_expr *out_core,
                            rh_expr *out_factor)
{
    const rh_expr one = rh__expr_integer(store, 1);
    surface_parts parts = {.store = store, .core = one, .factor = one};
    split_factor(&parts, surface);
    *out_core = parts.core;
    *out_factor = parts.factor;
    return parts.core.i != 0 && parts.factor.i != 0 &&
           (rh__expr_mask(store, parts.core) & RH_EXPR_VARIABLE) != 0;
}
