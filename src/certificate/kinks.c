// SPDX-License-Identifier: Apache-2.0
// Where the rows are not smooth. A ball of no width may lie exactly on a switching surface: a sign
// is 0 there and a choice is made, both finite, and neither says what holds beside it. So what
// switches must be proved not to vanish (theory, certificates 5).

#include "certificate/thesis.h"

// What vanishes where a node is not smooth; none: it is smooth wherever its ball is finite.
static rh_expr surface_of(rh_store *store, rh_expr e)
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

bool rh__thesis_list_kinks(rh_thesis *thesis)
{
    rh_store *store = thesis->store;
    rh_expr_list roots = {0};
    rh_expr_list all = {0};
    bool ok = true;
    for (uint32_t k = 0; ok && k < thesis->rows.count; k++) {
        ok = rh__array_push(&thesis->arena, &roots, thesis->rows.data[k]);
    }
    for (size_t k = 0; ok && k < (size_t)thesis->size * thesis->size; k++) {
        ok =
            thesis->inertia[k].i == 0 || rh__array_push(&thesis->arena, &roots, thesis->inertia[k]);
    }
    ok = ok && rh__expr_reach(store, roots.data, roots.count, &thesis->arena, &all);
    for (uint32_t k = 0; ok && k < all.count; k++) {
        const rh_expr surface = surface_of(store, all.data[k]);
        ok = rh__store_refusal(store) == RH_REFUSAL_NONE &&
             (surface.i == 0 || rh__expr_is_number(store, surface) ||
              rh__array_push(&thesis->arena, &thesis->never_zero, surface));
    }
    return ok;
}
