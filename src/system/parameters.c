// SPDX-License-Identifier: Apache-2.0
// Derivatives of a system by its parameters: tangents of its tapes whose constants move. How each
// parameter moves is a symbol of its own, so that one tangent serves all of them: it is bound with
// 1 for the one that is asked for and 0 for the others.

#include "system/system.h"

#include <math.h>

// --- which parameters ----------------------------------------------------------------------------

static uint32_t place_of(const rh_model *model, const rh_store *store, rh_expr symbol)
{
    const rh_family family = rh__expr_family(store, symbol);
    const uint32_t index =
        family.i < model->parameter_of.count ? model->parameter_of.data[family.i] : 0;
    return index == 0 ? UINT32_MAX
                      : model->parameters.data[index - 1].first + rh__expr_member(store, symbol);
}

// Exponents that were taken as fixed stay.
static rh_status keep_assumed(const rh_model *model, const rh_tape *tape, rh_arena *scratch,
                              bool *is_free)
{
    for (uint32_t k = 0; k < tape->assumptions.count; k++) {
        const rh_expr assumed = tape->constants[tape->assumptions.data[k].constant];
        rh_gradient gradient = {.count = 0};
        if (!rh__expr_gradient(tape->store, assumed, RH_ROLE_PARAM, scratch, &gradient)) {
            return scratch->status != RH_OK ? scratch->status : RH_E_MEMORY;
        }
        for (uint32_t j = 0; j < gradient.count; j++) {
            const uint32_t at = place_of(model, tape->store, gradient.data[j].symbol);
            RH_ASSERT(at != UINT32_MAX);
            is_free[at] = false;
        }
    }
    return RH_OK;
}

// Do the equations hold beside the value of a parameter too? Sizes have none beside; of 0 it
// depends on whether anything was decided by that.
static rh_status find_free(const rh_model *model, rh_arena *scratch, bool *is_free)
{
    rh_values beside;
    RH_TRY(rh__values_copy(&model->values, scratch, &beside));
    for (uint32_t k = 0; k < model->parameters.count; k++) {
        const rh_parameter *parameter = &model->parameters.data[k];
        for (uint32_t member = 0; member < parameter->size; member++) {
            double *value = rh__values_at(&beside, parameter, member);
            bool *is = &is_free[parameter->first + member];
            *is = !parameter->is_structural && isfinite(*value);
            if (*is && *value == 0.0) {
                *value = 0x1p-3;
                *is = rh__store_zeros_stand(model->store, &beside, scratch);
                *value = 0.0;
            }
        }
    }
    return RH_OK;
}

// --- tangents ------------------------------------------------------------------------------------

typedef struct rh_parameter_seed {
    const rh_model *model;
    const rh_items *items;
} rh_parameter_seed;

static rh_expr move_parameter(void *user, rh_store *store, rh_expr symbol)
{
    const rh_parameter_seed *seed = user;
    const uint32_t at = (rh__expr_mask(store, symbol) & RH_ROLE_PARAM) != 0
                            ? place_of(seed->model, store, symbol)
                            : UINT32_MAX;
    return at != UINT32_MAX && seed->items->is_free[at]
               ? rh__expr_symbol(store, seed->items->variation, at)
               : rh__expr_integer(store, 0);
}

static rh_status make_drifts(const rh_system *system, rh_items *items, rh_arena *scratch,
                             rh_error *err)
{
    const uint32_t unknowns = system->form.unknowns.count;
    uint32_t *active = rh__arena_array(scratch, uint32_t, (size_t)unknowns + 1);
    if (active == NULL) {
        return scratch->status;
    }
    for (uint32_t k = 0; k < unknowns; k++) {
        active[k] = 1 + system->x.count + k;
    }
    rh_parameter_seed seed = {system->equations->model, items};
    rh_tangent_def def = {.direction_count = 1,
                          .active = active,
                          .active_count = 0,
                          .seed = move_parameter,
                          .user = &seed};
    RH_TRY(rh__tape_tangent(system->step, &def, &items->rate_drifts, err));
    def.active_count = unknowns;
    return rh__tape_tangent(items->reactions, &def, &items->reaction_drifts, err);
}

rh_status rh__items_drift(const rh_system *system, rh_items *items, rh_arena *arena,
                          rh_arena *scratch, rh_error *err)
{
    const rh_model *model = system->equations->model;
    const uint32_t count = model->values.parameters.count;
    items->is_free = rh__arena_array(arena, bool, (size_t)count + 1);
    if (items->is_free == NULL) {
        return arena->status;
    }
    const rh_family_def def = {
        .name = rh__slice_of("along"), .dimensions = 1, .extent = {count}, .mask = RH_ROLE_PARAM};
    items->variation = count > 0 ? rh__family_create(model->store, &def) : (rh_family){0};
    if (count > 0 && items->variation.i == 0) {
        return RH_E_MEMORY;
    }
    RH_TRY(find_free(model, scratch, items->is_free));
    RH_TRY(keep_assumed(model, system->step, scratch, items->is_free));
    RH_TRY(keep_assumed(model, items->reactions, scratch, items->is_free));
    return make_drifts(system, items, scratch, err);
}

double rh__parameter_value(const void *user, const rh_store *store, rh_expr symbol)
{
    const rh_parameter_direction *direction = user;
    return rh__expr_family(store, symbol).i == direction->family.i
               ? (double)(rh__expr_member(store, symbol) == direction->parameter)
               : rh__point_value(direction->point, store, symbol);
}
