// SPDX-License-Identifier: Apache-2.0
// Where operations are not smooth: what vanishes there.

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
