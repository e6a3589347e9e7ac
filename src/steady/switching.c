// SPDX-License-Identifier: Apache-2.0
// Where equations switch: surfaces in the space of states on which a sign, a condition, the larger
// of two or an absolute value changes. Tangents do not see them: a coordinate that only stands in a
// condition has no slope, and on the surface itself there is no linear part.

#include "steady/steady.h"

#include <math.h>
#include <string.h>

#define NEXT                                                                                       \
    1e-9 // distance from a surface, in units of |z| and the size of z: the state lies on it
#define JUMP 1e-6     // of a rate, relative to its size at a generic state
#define ASIDE 1e-6    // to the sides of a surface, in the same units
#define ROUNDED 1e-12 // a gap that is none

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

// The first surface, from `first` on, on which the state lies; UINT32_MAX: none.
static uint32_t surface_at(const rh_workbench *bench, uint32_t first)
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

// --- kinks ---------------------------------------------------------------------------------------

/// The sides of one surface.
typedef struct siding {
    rh_workbench *bench;
    const rh_kink_query *query;
    double *from;           // by slot: the state on the surface
    double *normal;         // by moving slot, of length one in units of |z| and the size of z
    double *values, *slope; // outputs and slopes on one side
} siding;

// The direction across a surface; false: it has none.
static bool find_normal(siding *on, uint32_t output)
{
    const rh_reduction *reduction = on->bench->reduction;
    double square = 0.0;
    for (uint32_t j = 0; j < reduction->moving_count; j++) {
        const bool is_free = j < reduction->place_count || on->query->moves_dials;
        const double unit = rh__engine_size(&reduction->engine, reduction->moving[j],
                                            on->from[reduction->moving[j]]);
        on->normal[j] =
            is_free
                ? unit * on->bench->jacobian[output + (size_t)j * reduction->slopes.output_count]
                : 0.0;
        square += on->normal[j] * on->normal[j];
    }
    for (uint32_t j = 0; square > 0.0 && j < reduction->moving_count; j++) {
        on->normal[j] /= sqrt(square);
    }
    return square > 0.0;
}

static bool look_aside(siding *on, double length)
{
    const rh_reduction *reduction = on->bench->reduction;
    for (uint32_t j = 0; j < reduction->moving_count; j++) {
        const uint32_t slot = reduction->moving[j];
        on->bench->values[slot] =
            on->from[slot] +
            length * rh__engine_size(&reduction->engine, slot, on->from[slot]) * on->normal[j];
    }
    return rh__workbench_slope(on->bench);
}

// What differs between the sides at a distance: rates and slopes, in units of the rows.
static double find_gap(siding *on, double length)
{
    const rh_workbench *bench = on->bench;
    const rh_reduction *reduction = bench->reduction;
    const size_t outputs = reduction->slopes.output_count;
    double gap = 0.0;
    if (!look_aside(on, -length)) {
        return INFINITY;
    }
    memcpy(on->values, bench->outputs, outputs * sizeof *on->values);
    memcpy(on->slope, bench->jacobian, outputs * reduction->moving_count * sizeof *on->slope);
    if (!look_aside(on, length)) {
        return INFINITY;
    }
    for (uint32_t i = 0; i < on->query->row_count; i++) {
        gap = fmax(gap, fabs(bench->outputs[i] - on->values[i]) / reduction->typical[i]);
        for (uint32_t j = 0; j < reduction->moving_count; j++) {
            const double unit = rh__engine_size(&reduction->engine, reduction->moving[j],
                                                on->from[reduction->moving[j]]);
            gap = fmax(gap, fabs(bench->jacobian[i + j * outputs] - on->slope[i + j * outputs]) *
                                unit / reduction->typical[i]);
        }
    }
    return gap;
}

// A gap that does not close as the sides come nearer to each other, and is no rounding.
static bool has_kink(siding *on, uint32_t surface)
{
    const rh_engine *engine = &on->bench->reduction->engine;
    const uint32_t still = RH_ROLE_PARAM | RH_ROLE_CONSTANT | RH_ROLE_INPUT | RH_ROLE_TIME;
    if (!find_normal(on, engine->switch_first + surface)) {
        return (rh__expr_mask(on->bench->reduction->equations->store,
                              engine->switches.data[surface]) &
                ~still) != 0;
    }
    const double wide = find_gap(on, ASIDE);
    const double narrow = find_gap(on, ASIDE / 16.0);
    return narrow > ROUNDED && !(narrow <= 0.5 * wide);
}

rh_status rh__switches_kink(rh_workbench *bench, const rh_kink_query *query, const char **out)
{
    const rh_reduction *reduction = bench->reduction;
    rh_arena *arena = &bench->scratch;
    const rh_mark mark = rh__arena_mark(arena);
    const size_t outputs = reduction->slopes.output_count;
    const size_t moving = reduction->moving_count;
    uint32_t k = surface_at(bench, 0);
    *out = NULL;
    if (k == UINT32_MAX) {
        return RH_OK;
    }
    double *numbers =
        rh__arena_array(arena, double, reduction->slot_count + moving + outputs * (moving + 1) + 1);
    if (numbers == NULL) {
        return arena->status;
    }
    siding on = {.bench = bench, .query = query, .from = numbers};
    on.normal = on.from + reduction->slot_count;
    on.values = on.normal + moving;
    on.slope = on.values + outputs;
    memcpy(on.from, bench->values, reduction->slot_count * sizeof *on.from);
    for (; *out == NULL && k != UINT32_MAX; k = surface_at(bench, k + 1)) {
        *out = has_kink(&on, k) ? reduction->switch_names[k] : NULL;
        memcpy(bench->values, on.from, reduction->slot_count * sizeof *on.from);
        (void)rh__workbench_slope(bench);
    }
    rh__arena_rewind(arena, mark);
    return RH_OK;
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
    uint32_t k = surface_at(bench, 0);
    if (k == UINT32_MAX) {
        return RH_OK;
    }
    double *values = rh__arena_array(arena, double, (size_t)reduction->slot_count + 1);
    double *kept = rh__arena_array(arena, double, (size_t)outputs + 1);
    RH_TRY(values == NULL || kept == NULL ? arena->status : RH_OK);
    memcpy(values, bench->values, reduction->slot_count * sizeof *values);
    memcpy(kept, bench->outputs, outputs * sizeof *kept);
    for (; *out && k != UINT32_MAX; k = surface_at(bench, k + 1)) {
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
