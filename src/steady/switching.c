// SPDX-License-Identifier: Apache-2.0
// Where equations switch: surfaces in the space of states on which a sign, a condition, the larger
// of two or an absolute value changes. Tangents do not see them: a coordinate that only stands in a
// condition has no slope, and on the surface itself there is no linear part.

#include "steady/steady.h"

#include <math.h>

static bool is_listed(const rh_expr_list *list, rh_expr e)
{
    bool is_there = false;
    for (uint32_t k = 0; !is_there && k < list->count; k++) {
        is_there = list->data[k].i == e.i;
    }
    return is_there;
}

bool rh__switches_find(rh_store *store, const rh_expr_list *roots, rh_arena *arena,
                       rh_expr_list *out)
{
    const uint32_t still = RH_ROLE_PARAM | RH_ROLE_CONSTANT;
    rh_expr_list all = {0};
    bool ok = rh__expr_reach(store, roots->data, roots->count, arena, &all);
    for (uint32_t k = 0; ok && k < all.count; k++) {
        // roots end where they are no longer defined, and have slopes up to there
        const rh_op op = rh__expr_op(store, all.data[k]);
        const rh_expr surface = op == RH_OP_POW || op == RH_OP_ATAN2
                                    ? RH_EXPR_NONE
                                    : rh__expr_surface(store, all.data[k]);
        ok = rh__store_refusal(store) == RH_REFUSAL_NONE &&
             (surface.i == 0 || (rh__expr_mask(store, surface) & ~still) == 0 ||
              is_listed(out, surface) || rh__array_push(arena, out, surface));
    }
    return ok;
}

uint32_t rh__switches_at(const rh_workbench *bench)
{
    const rh_reduction *reduction = bench->reduction;
    const rh_engine *engine = &reduction->engine;
    const size_t outputs = reduction->slopes.output_count;
    for (uint32_t k = 0; k < engine->switch_count; k++) {
        const uint32_t output = engine->switch_first + k;
        double reach = 0.0;
        for (uint32_t j = 0; j < reduction->moving_count; j++) {
            reach += fabs(bench->jacobian[output + j * outputs]) *
                     (1.0 + fabs(bench->values[reduction->moving[j]]));
        }
        if (fabs(bench->outputs[output]) <= RH_STEADY_ON_SWITCH * reach) {
            return k;
        }
    }
    return UINT32_MAX;
}
