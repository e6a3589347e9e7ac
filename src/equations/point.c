// SPDX-License-Identifier: Apache-2.0
// Numbers for symbols: every variable, rate and multiplier has a slot; parameters have their
// values, inputs their formulas.

#include "equations/derive.h"

#include <math.h>

// --- layout ------------------------------------------------------------------------------------

static bool add_slot(rh_arena *arena, rh_layout *layout, rh_expr symbol)
{
    if (symbol.i == 0) {
        return true;
    }
    if (symbol.i >= layout->limit) {
        const uint32_t limit = symbol.i + symbol.i / 2 + 64;
        uint32_t *slots = rh__arena_resize(arena, layout->slot_of, layout->limit * sizeof *slots,
                                           limit * sizeof *slots);
        if (slots == NULL) {
            return false;
        }
        layout->slot_of = slots;
        layout->limit = limit;
    }
    if (layout->slot_of[symbol.i] == 0) {
        layout->slot_of[symbol.i] = layout->symbols.count + 1;
        return rh__array_push(arena, &layout->symbols, symbol);
    }
    return true;
}

static bool add_variables(rh_arena *arena, rh_layout *layout)
{
    const rh_equations *equations = layout->equations;
    bool ok = add_slot(arena, layout, rh__expr_symbol(equations->store, equations->model->time, 0));
    for (uint32_t k = 0; ok && k < equations->carriers.count; k++) {
        const rh_carrier *carrier = &equations->carriers.data[k];
        ok = add_slot(arena, layout, carrier->position) &&
             add_slot(arena, layout, carrier->variable) && add_slot(arena, layout, carrier->rate);
    }
    for (uint32_t k = 0; ok && k < equations->passives.count; k++) {
        const rh_passive *passive = &equations->passives.data[k];
        ok = add_slot(arena, layout, passive->variable) && add_slot(arena, layout, passive->rate);
    }
    return ok;
}

static bool add_others(rh_arena *arena, rh_layout *layout)
{
    const rh_equations *equations = layout->equations;
    const rh_model *model = equations->model;
    bool ok = true;
    for (uint32_t k = 0; ok && k < equations->links.count; k++) {
        const rh_link *link = &equations->links.data[k];
        rh_expr_list constants = {0};
        ok = add_slot(arena, layout, link->multiplier) && add_slot(arena, layout, link->held) &&
             rh__expr_symbols(equations->store, link->constraint->deviation, RH_ROLE_CONSTANT,
                              arena, &constants);
        for (uint32_t c = 0; ok && c < constants.count; c++) {
            ok = add_slot(arena, layout, constants.data[c]);
        }
    }
    for (uint32_t k = 0; ok && k < model->inputs.count; k++) {
        ok = model->inputs.data[k].value.i == 0 ||
             add_slot(arena, layout,
                      rh__expr_symbol(equations->store, model->inputs.data[k].family, 0));
    }
    for (uint32_t k = 0; ok && k < model->quasis.count; k++) {
        const rh_quasi *quasi = &model->quasis.data[k];
        ok = add_slot(arena, layout,
                      rh__expr_symbol(equations->store, quasi->symbol, quasi->row.member)) &&
             add_slot(arena, layout,
                      rh__expr_symbol(equations->store, quasi->rate, quasi->row.member));
    }
    return ok;
}

rh_status rh__layout_make(rh_equations *equations, rh_arena *arena, rh_layout *out)
{
    *out = (rh_layout){.equations = equations, .values = &equations->model->values};
    return add_variables(arena, out) && add_others(arena, out)
               ? RH_OK
               : (arena->status != RH_OK ? arena->status : RH_E_MEMORY);
}

uint32_t rh__layout_slot(const rh_layout *layout, rh_expr symbol)
{
    return symbol.i < layout->limit && layout->slot_of[symbol.i] != 0
               ? layout->slot_of[symbol.i] - 1
               : UINT32_MAX;
}

// --- points ------------------------------------------------------------------------------------

rh_status rh__point_create(const rh_layout *layout, rh_arena *arena, rh_point *out)
{
    *out = (rh_point){.layout = layout};
    out->values = rh__arena_array(arena, double, (size_t)layout->symbols.count + 1);
    return out->values != NULL ? RH_OK : arena->status;
}

// An input from a file: before there is a motion, nothing flows.
static double feed_value(const rh_point *point, rh_expr symbol)
{
    const rh_layout *layout = point->layout;
    const rh_expr time =
        rh__expr_symbol(layout->equations->store, layout->equations->model->time, 0);
    return layout->feed_of == NULL
               ? 0.0
               : layout->feed_of(layout->feed_user, symbol, rh__point_get(point, time));
}

double rh__point_value(const void *user, const rh_store *store, rh_expr symbol)
{
    const rh_point *point = user;
    const uint32_t slot = rh__layout_slot(point->layout, symbol);
    if (slot != UINT32_MAX) {
        return point->values[slot];
    }
    if (point->parameter_seed != 0 && (rh__expr_mask(store, symbol) & RH_ROLE_PARAM) != 0) {
        const uint64_t bits = rh__hash_mix(point->parameter_seed ^ (uint64_t)symbol.i << 20);
        return 0.4 + (double)(bits >> 11) * 0x1p-53;
    }
    return (rh__expr_mask(store, symbol) & RH_ROLE_INPUT) != 0
               ? feed_value(point, symbol)
               : rh__values_parameter(point->layout->values, store, symbol);
}

void rh__point_set(const rh_point *point, rh_expr symbol, double value)
{
    const uint32_t slot = rh__layout_slot(point->layout, symbol);
    if (slot != UINT32_MAX) {
        point->values[slot] = value;
    }
}

double rh__point_get(const rh_point *point, rh_expr symbol)
{
    const uint32_t slot = rh__layout_slot(point->layout, symbol);
    return slot != UINT32_MAX ? point->values[slot] : NAN;
}

static rh_status find_values(const rh_point *point, const rh_expr *roots, uint32_t count,
                             rh_arena *scratch, double *out)
{
    rh_store *store = point->layout->equations->store;
    return rh__expr_values(store, roots, count, rh__point_value, point, scratch, out)
               ? RH_OK
               : (scratch->status != RH_OK ? scratch->status : RH_E_MEMORY);
}

// Inputs given as formulas have slots of their own, filled before anything that holds them.
static rh_status follow_inputs(const rh_point *point, rh_arena *scratch)
{
    const rh_equations *equations = point->layout->equations;
    for (uint32_t k = 0; k < equations->model->inputs.count; k++) {
        const rh_input *input = &equations->model->inputs.data[k];
        double value = 0.0;
        if (input->value.i != 0) {
            RH_TRY(find_values(point, &input->value, 1, scratch, &value));
            rh__point_set(point, rh__expr_symbol(equations->store, input->family, 0), value);
        }
    }
    return RH_OK;
}

rh_status rh__point_values(const rh_point *point, const rh_recipe *recipe, rh_arena *scratch,
                           double *out)
{
    RH_TRY(follow_inputs(point, scratch));
    return rh__recipe_values(point->layout->equations->store, recipe, rh__point_value, point,
                             scratch, out)
               ? RH_OK
               : (scratch->status != RH_OK ? scratch->status : RH_E_MEMORY);
}

rh_status rh__point_evaluate(const rh_point *point, const rh_expr *roots, uint32_t count,
                             rh_arena *scratch, double *out)
{
    RH_TRY(follow_inputs(point, scratch));
    return find_values(point, roots, count, scratch, out);
}
