// SPDX-License-Identifier: Apache-2.0
// What other modules ask of a model: sums of its statements, counts, names, words, and expressions
// with inputs or new variables replaced.

#include "model/model.h"

static rh_expr sum_formulas(const rh_model *model, const rh_formula *formulas, uint32_t count)
{
    rh_store *store = model->store;
    rh_arena scratch = rh__arena_begin(model->arena.allocator, model->arena.limit);
    rh_expr *terms = rh__arena_array(&scratch, rh_expr, count);
    rh_expr sum = RH_EXPR_NONE;
    if (terms != NULL) {
        for (uint32_t k = 0; k < count; k++) {
            terms[k] = formulas[k].expr;
        }
        sum = rh__expr_sum(store, terms, count);
    }
    rh__arena_end(&scratch);
    return sum;
}

rh_expr rh__model_kinetic(const rh_model *model)
{
    return sum_formulas(model, model->kinetic.data, model->kinetic.count);
}

rh_expr rh__model_potential(const rh_model *model)
{
    return sum_formulas(model, model->potential.data, model->potential.count);
}

rh_expr rh__model_dissipation(const rh_model *model)
{
    return sum_formulas(model, model->dissipation.data, model->dissipation.count);
}

rh_expr rh__model_lagrangian(const rh_model *model)
{
    return sum_formulas(model, model->lagrangian.data, model->lagrangian.count);
}

uint32_t rh__model_coordinate_count(const rh_model *model)
{
    uint32_t count = 0;
    for (uint32_t k = 0; k < model->coordinates.count; k++) {
        count += model->coordinates.data[k].size;
    }
    return count;
}

uint32_t rh__model_state_count(const rh_model *model)
{
    uint32_t count = 0;
    for (uint32_t k = 0; k < model->states.count; k++) {
        count += model->states.data[k].size;
    }
    return count;
}

bool rh__model_has_name(const rh_model *model, rh_slice name)
{
    bool is_taken = false;
    for (uint32_t k = 0; k < model->parameters.count; k++) {
        is_taken = is_taken || rh__slice_equal(model->parameters.data[k].name, name);
    }
    for (uint32_t k = 0; k < model->coordinates.count; k++) {
        is_taken = is_taken || rh__slice_equal(model->coordinates.data[k].name, name);
    }
    for (uint32_t k = 0; k < model->states.count; k++) {
        is_taken = is_taken || rh__slice_equal(model->states.data[k].name, name);
    }
    for (uint32_t k = 0; k < model->inputs.count; k++) {
        is_taken = is_taken || rh__slice_equal(model->inputs.data[k].name, name);
    }
    for (uint32_t k = 0; k < model->quasis.count; k++) {
        is_taken = is_taken || rh__slice_equal(model->quasis.data[k].row.name, name);
    }
    return is_taken;
}

rh_slice rh__model_letter(const rh_model *model)
{
    static const char *const LETTERS[] = {"i", "j", "k", "n", "index", "index_"};
    size_t k = 0;
    while (k + 1 < sizeof LETTERS / sizeof *LETTERS &&
           rh__model_has_name(model, rh__slice_of(LETTERS[k]))) {
        k++;
    }
    return rh__slice_of(LETTERS[k]);
}

const char *rh__kind_word(rh_constraint_kind kind)
{
    switch (kind) {
    case RH_KIND_HOLONOMIC:
        return "holonomic";
    case RH_KIND_NONHOLONOMIC:
        return "nonholonomic";
    case RH_KIND_RESTRICTION:
        return "restriction";
    }
    return "";
}

const char *rh__realisation_word(rh_realisation realisation)
{
    switch (realisation) {
    case RH_BY_IDEAL:
        return "ideal";
    case RH_BY_SERVO:
        return "servo";
    case RH_BY_INERTIA:
        return "inertia";
    case RH_BY_VAKONOMIC:
        return "vakonomic";
    case RH_BY_FRICTION:
        return "friction";
    case RH_BY_REACTION:
        return "reaction";
    }
    return "";
}

static rh_expr replace_new_variable(void *user, rh_store *store, rh_expr symbol)
{
    const rh_model *model = *(const rh_model *const *)user;
    (void)store;
    for (uint32_t k = 0; k < model->change.count; k++) {
        if (model->change.data[k].target.i == symbol.i) {
            return model->change.data[k].value;
        }
    }
    return symbol;
}

rh_expr rh__model_through_change(const rh_model *model, rh_expr e)
{
    return rh__expr_substitute(model->store, e, replace_new_variable, &model);
}

static rh_expr replace_input(void *user, rh_store *store, rh_expr symbol)
{
    const rh_model *model = *(const rh_model *const *)user;
    const bool is_input = (rh__expr_mask(store, symbol) & RH_ROLE_INPUT) != 0;
    for (uint32_t k = 0; is_input && k < model->inputs.count; k++) {
        const rh_input *input = &model->inputs.data[k];
        if (input->value.i != 0 && rh__expr_symbol(store, input->family, 0).i == symbol.i) {
            return input->value;
        }
    }
    return symbol;
}

rh_expr rh__model_through_inputs(const rh_model *model, rh_expr e)
{
    return rh__expr_substitute(model->store, e, replace_input, &model);
}
