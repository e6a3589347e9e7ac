// SPDX-License-Identifier: Apache-2.0
// Angles in any unit. A coordinate q that stands in sines and cosines as c q + ..., with c
// constant, is an angle, and c the radians in one unit of it; the smallest c where there are
// several.

#include "steady/steady.h"

#include <math.h>

static bool is_turning(rh_op op)
{
    return op == RH_OP_SIN || op == RH_OP_COS || op == RH_OP_TAN;
}

static rh_status take_argument(rh_frame_ground *ground, rh_expr argument)
{
    const rh_equations *equations = ground->equations;
    const uint32_t still = RH_ROLE_PARAM | RH_ROLE_CONSTANT;
    rh_gradient slopes;
    if (!rh__expr_gradient(equations->store, argument, RH_ROLE_COORD, ground->arena, &slopes)) {
        return ground->arena->status != RH_OK ? ground->arena->status : RH_E_LIMIT;
    }
    for (uint32_t s = 0; s < slopes.count; s++) {
        const rh_expr slope = slopes.data[s].value;
        double value = 0.0;
        if ((rh__expr_mask(equations->store, slope) & ~still) != 0) {
            continue;
        }
        RH_TRY(rh__point_evaluate(&ground->start, &slope, 1, ground->arena, &value));
        const bool is_turn = fabs(value) > 0.0 && isfinite(value);
        for (uint32_t k = 0; k < ground->n && is_turn; k++) {
            const bool is_own = equations->carriers.data[k].position.i == slopes.data[s].symbol.i;
            const double before = fabs(ground->turn_value[k]);
            if (is_own && (before == 0.0 || fabs(value) < before * (1.0 - 1e-9))) {
                ground->turn[k] = value < 0.0 ? rh__expr_negate(equations->store, slope) : slope;
                ground->turn_value[k] = fabs(value);
                RH_TRY(ground->turn[k].i == 0 ? RH_E_LIMIT : RH_OK);
            }
        }
    }
    return RH_OK;
}

static bool list_roots(const rh_equations *equations, rh_arena *arena, rh_expr_list *out)
{
    const rh_grid *const grids[] = {&equations->inertia, &equations->rows};
    bool ok = true;
    for (uint32_t g = 0; g < 2; g++) {
        for (uint32_t k = 0; ok && k < grids[g]->entries.count; k++) {
            ok = rh__array_push(arena, out, grids[g]->entries.data[k].value);
        }
    }
    for (uint32_t k = 0; ok && k < equations->carriers.count; k++) {
        ok = equations->force[k].i == 0 || rh__array_push(arena, out, equations->force[k]);
    }
    for (uint32_t k = 0; ok && k < equations->passives.count; k++) {
        ok = rh__array_push(arena, out, equations->passives.data[k].value);
    }
    for (uint32_t k = 0; ok && k < equations->links.count; k++) {
        ok = rh__array_push(arena, out, equations->links.data[k].levels[0]);
    }
    for (uint32_t k = 0; ok && k < equations->model->quasis.count; k++) {
        ok = rh__array_push(arena, out, equations->model->quasis.data[k].value);
    }
    return ok;
}

rh_status rh__turns_find(rh_frame_ground *ground)
{
    const rh_equations *equations = ground->equations;
    rh_expr_list roots = {0};
    rh_expr_list reach = {0};
    ground->turn = rh__arena_array(ground->arena, rh_expr, (size_t)ground->n + 1);
    ground->turn_value = rh__arena_array(ground->arena, double, (size_t)ground->n + 1);
    if (ground->turn == NULL || ground->turn_value == NULL ||
        !list_roots(equations, ground->arena, &roots) ||
        !rh__expr_reach(equations->store, roots.data, roots.count, ground->arena, &reach)) {
        return ground->arena->status;
    }
    for (uint32_t k = 0; k < reach.count; k++) {
        const rh_expr e = reach.data[k];
        RH_TRY(is_turning(rh__expr_op(equations->store, e))
                   ? take_argument(ground, rh__expr_argument(equations->store, e, 0))
                   : RH_OK);
    }
    return RH_OK;
}
