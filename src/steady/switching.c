// SPDX-License-Identifier: Apache-2.0
// Where equations switch: surfaces in the space of states on which a sign, a condition, the larger
// of two or an absolute value changes. Tangents do not see them: a coordinate that only stands in a
// condition has no slope, and on the surface itself there is no linear part.

#include "steady/steady.h"

#include <math.h>
#include <string.h>

#define NEXT                                                                                       \
    1e-9 // distance from a surface, in units of |z| and the size of z: the state lies on it
#define JUMP 1e-6 // of a rate, relative to its size at a generic state

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
        const rh_expr surface = op == RH_OP_POW ? RH_EXPR_NONE
                                : op == RH_OP_ATAN2
                                    ? rh__expr_argument(store, all.data[k], 0) // it jumps on a part
                                    : rh__expr_surface(store, all.data[k]);
        ok = rh__store_refusal(store) == RH_REFUSAL_NONE &&
             (surface.i == 0 || (rh__expr_mask(store, surface) & ~still) == 0 ||
              is_listed(out, surface) || rh__array_push(arena, out, surface));
    }
    return ok;
}

uint32_t rh__switches_at(const rh_workbench *bench, uint32_t first)
{
    const rh_reduction *reduction = bench->reduction;
    const rh_engine *engine = &reduction->engine;
    const size_t outputs = reduction->slopes.output_count;
    for (uint32_t k = first; k < engine->switch_count; k++) {
        const uint32_t output = engine->switch_first + k;
        double reach = 0.0;
        for (uint32_t j = 0; j < reduction->moving_count; j++) {
            reach += fabs(bench->jacobian[output + j * outputs]) *
                     rh__engine_size(&reduction->engine, reduction->moving[j],
                                     bench->values[reduction->moving[j]]);
        }
        if (fabs(bench->outputs[output]) <= NEXT * reach) {
            return k;
        }
    }
    return UINT32_MAX;
}

// --- sides ---------------------------------------------------------------------------------------

// Move the places to the other side of a surface, by twice the distance from it.
static void cross(rh_workbench *bench, uint32_t output)
{
    const rh_reduction *reduction = bench->reduction;
    const size_t outputs = reduction->slopes.output_count;
    double square = 0.0;
    for (uint32_t j = 0; j < reduction->place_count; j++) {
        const uint32_t slot = reduction->place[j];
        const double slope = bench->jacobian[output + j * outputs] *
                             rh__engine_size(&reduction->engine, slot, bench->values[slot]);
        square += slope * slope;
    }
    for (uint32_t j = 0; square > 0.0 && j < reduction->place_count; j++) {
        const uint32_t slot = reduction->place[j];
        const double size = rh__engine_size(&reduction->engine, slot, bench->values[slot]);
        bench->values[slot] -= 2.0 * bench->outputs[output] *
                               bench->jacobian[output + j * outputs] * size * size / square;
    }
}

rh_status rh__switches_agree(rh_workbench *bench, bool *out)
{
    const rh_reduction *reduction = bench->reduction;
    rh_arena *arena = &bench->scratch;
    const rh_mark mark = rh__arena_mark(arena);
    const uint32_t outputs = reduction->slopes.output_count;
    *out = true;
    uint32_t k = rh__switches_at(bench, 0);
    if (k == UINT32_MAX) {
        return RH_OK;
    }
    double *values = rh__arena_array(arena, double, (size_t)reduction->slot_count + 1);
    double *kept = rh__arena_array(arena, double, (size_t)outputs + 1);
    RH_TRY(values == NULL || kept == NULL ? arena->status : RH_OK);
    memcpy(values, bench->values, reduction->slot_count * sizeof *values);
    memcpy(kept, bench->outputs, outputs * sizeof *kept);
    for (; *out && k != UINT32_MAX; k = rh__switches_at(bench, k + 1)) {
        const uint32_t output = reduction->engine.switch_first + k;
        if (kept[output] != 0.0) { // exactly on it the model says what holds
            cross(bench, output);
            *out = rh__workbench_look(bench);
        }
        for (uint32_t j = 0; *out && j < reduction->y_count; j++) {
            const uint32_t rate = reduction->place[j] - 1;
            *out = fabs(bench->outputs[rate] - kept[rate]) <= JUMP * reduction->typical[rate];
        }
        memcpy(bench->values, values, reduction->slot_count * sizeof *values);
        memcpy(bench->outputs, kept, outputs * sizeof *kept);
    }
    rh__arena_rewind(arena, mark);
    return RH_OK;
}
