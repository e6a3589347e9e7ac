// SPDX-License-Identifier: Apache-2.0
// Making a family of steady motions: over which quantity it goes, and its first motion.

#include "steady/family.h"

#include <math.h>
#include <string.h>

static rh_status reserve_station(rh_walk *walk, rh_walk_station *out)
{
    const rh_reduction *reduction = walk->steady->reduction;
    out->values = rh__arena_array(&walk->arena, double, (size_t)reduction->slot_count + 1);
    out->tangent = rh__arena_array(&walk->arena, double, (size_t)reduction->moving_count + 1);
    return out->values != NULL && out->tangent != NULL ? RH_OK : walk->arena.status;
}

// Which quantity it is: a moving slot, or an output that shall have a value.
static rh_status find_quantity(rh_walk *walk, rh_error *err)
{
    const rh_reduction *reduction = walk->steady->reduction;
    const rh_wish *wish = &walk->steady->wish;
    walk->slot = rh__reduction_slot(reduction, walk->def.name);
    walk->moving = walk->output = walk->wished = UINT32_MAX;
    for (uint32_t k = 0; k < reduction->moving_count; k++) {
        walk->moving = reduction->moving[k] == walk->slot ? k : walk->moving;
    }
    walk->observed = rh__arena_array(&walk->arena, uint32_t, (size_t)wish->observed_count + 1);
    walk->wanted = rh__arena_array(&walk->arena, double, (size_t)wish->observed_count + 1);
    walk->landing = rh__arena_array(&walk->arena, double, (size_t)wish->observed_count + 1);
    if (walk->observed == NULL || walk->wanted == NULL || walk->landing == NULL) {
        return walk->arena.status;
    }
    for (uint32_t k = 0; k < wish->observed_count; k++) {
        walk->landing[k] = wish->wanted[k];
        if (walk->moving == UINT32_MAX && strcmp(wish->names[k], walk->def.name) == 0) {
            walk->output = wish->observed[k];
            walk->wished = k;
        } else {
            walk->observed[walk->observed_count] = wish->observed[k];
            walk->wanted[walk->observed_count++] = wish->wanted[k];
        }
    }
    if (walk->moving == UINT32_MAX && walk->output == UINT32_MAX) {
        return rh__error_fill(
            err, RH_E_ARGUMENT,
            "--continue: %.80s is no positional coordinate, quasi-velocity, state, "
            "parameter or fixed quantity of the steady motion",
            walk->def.name);
    }
    return RH_OK;
}

static rh_status begin(rh_walk *walk, rh_error *err)
{
    rh_steady *steady = walk->steady;
    const rh_reduction *reduction = steady->reduction;
    RH_TRY(find_quantity(walk, err));
    walk->is_fixed = rh__arena_array(&walk->arena, bool, (size_t)reduction->place_count + 1);
    const size_t moving = (size_t)reduction->moving_count + 1;
    walk->normal = rh__arena_array(&walk->arena, double, 4 * moving);
    walk->settled = rh__arena_array(&walk->arena, double, (size_t)reduction->slot_count + 1);
    walk->arc_values = rh__arena_array(&walk->arena, double, (size_t)reduction->slot_count + 1);
    if (walk->is_fixed == NULL || walk->normal == NULL || walk->settled == NULL ||
        walk->arc_values == NULL) {
        return walk->arena.status;
    }
    walk->scale = walk->normal + moving;
    walk->slopes[0] = walk->scale + moving;
    walk->slopes[1] = walk->slopes[0] + moving;
    memcpy(walk->is_fixed, steady->wish.is_fixed, reduction->place_count * sizeof(bool));
    if (walk->moving < reduction->place_count) { // not an output, which is none of them
        walk->is_fixed[walk->moving] = false;
    }
    enum { STATIONS = 5 };
    rh_walk_station *const all[STATIONS] = {&walk->last, &walk->next, &walk->low, &walk->high,
                                            &walk->middle};
    memcpy(steady->bench->values, steady->found.data[0].values,
           reduction->slot_count * sizeof *steady->bench->values);
    if (!rh__workbench_slope(steady->bench)) {
        return rh__error_fill(err, RH_E_UNAVAILABLE, "the first motion cannot be evaluated");
    }
    for (uint32_t k = 0; k < STATIONS; k++) {
        RH_TRY(reserve_station(walk, all[k]));
        RH_TRY(rh__walk_arrive(walk, NULL, all[k]));
    }
    walk->last.found.residual = steady->found.data[0].residual;
    walk->settled_value = walk->last.value;
    memcpy(walk->settled, walk->last.values, reduction->slot_count * sizeof *walk->settled);
    return RH_OK;
}

static rh_status create(rh_steady *steady, const rh_walk_def *def, uint32_t dimension,
                        rh_walk **out, rh_error *err)
{
    *out = NULL;
    rh_arena arena = rh__arena_begin(steady->arena.allocator, steady->arena.limit);
    rh_walk *walk = rh__arena_new(&arena, rh_walk);
    if (walk == NULL) {
        rh__arena_end(&arena);
        return rh__guard_explain(
            arena.allocator, rh__error_fill(err, RH_E_MEMORY, "%s", rh_status_text(RH_E_MEMORY)),
            err);
    }
    walk->arena = arena;
    walk->steady = steady;
    walk->def = *def;
    walk->dimension = walk->known = dimension;
    walk->span = fabs(def->to - def->from);
    walk->sign = def->to > def->from ? 1.0 : -1.0;
    walk->length = def->first_step;
    rh_error reason = {.message = ""};
    const rh_status status = begin(walk, &reason);
    if (status != RH_OK) {
        rh_walk_destroy(walk);
        return rh__guard_explain(
            arena.allocator,
            rh__error_fill(err, status, "%s",
                           reason.message[0] != '\0' ? reason.message : rh_status_text(status)),
            err);
    }
    walk->def.name = NULL; // borrowed
    *out = walk;
    return RH_OK;
}

rh_status rh_walk_create(rh_steady *steady, const rh_walk_def *def, rh_walk **out, rh_error *err)
{
    RH_REQUIRE(steady != NULL && def != NULL && out != NULL && def->name != NULL, err);
    RH_REQUIRE(def->struct_size == sizeof *def && steady->found.count > 0, err);
    RH_REQUIRE(isfinite(def->from) && isfinite(def->to) && def->from != def->to, err);
    return create(steady, def, UINT32_MAX, out, err);
}

rh_status rh__walk_known(rh_steady *steady, const rh_walk_def *def, uint32_t dimension,
                         rh_walk **out)
{
    return create(steady, def, dimension, out, NULL);
}

void rh_walk_destroy(rh_walk *walk)
{
    if (walk == NULL) {
        return;
    }
    rh_arena arena = walk->arena;
    rh__arena_end(&arena);
}
