// SPDX-License-Identifier: Apache-2.0
// Names of a model that have a factor in other units: what the tree declares, and what only the
// derived model knows (levels of constraints, variables that take reactions).

#include "names.h"

#include "equations/equations.h"
#include "model/model.h"

#include <stdlib.h>

const units_name *units_name_find(const units_text *it, rh_slice name)
{
    for (uint32_t k = 0; k < it->name_count; k++) {
        if (rh__slice_equal(it->names[k].name, name)) {
            return &it->names[k];
        }
    }
    return NULL;
}

static units_name *add(units_text *it, rh_slice name, units_role role)
{
    if (it->name_count == UNITS_NAMES) {
        it->refusal = "too many names";
        return &it->names[0];
    }
    units_name *out = &it->names[it->name_count++];
    *out = (units_name){.name = name, .role = role};
    if (role == UNITS_COORD || role == UNITS_STATE) {
        out->variable = it->variable_count++;
    }
    return out;
}

static rh_slice name_in(const units_text *it, rh_ast id)
{
    const rh_ast_node *node = rh__tree_node(&it->tree, id);
    return node->kind == RH_AST_INDEX ? rh__tree_node(&it->tree, node->first)->text : node->text;
}

static void add_declared(units_text *it, const rh_ast_node *node, units_role role)
{
    for (rh_ast c = node->first; c.i != 0; c = rh__tree_next(&it->tree, c)) {
        (void)add(it, rh__tree_node(&it->tree, c)->text, role);
    }
}

// Coordinates and states in the first round, others in the second.
static void add_statements(units_text *it, bool are_variables)
{
    for (uint32_t k = 1; k < it->tree.nodes.count; k++) {
        const rh_ast_node *node = &it->tree.nodes.data[k];
        if (are_variables && (node->kind == RH_AST_COORD || node->kind == RH_AST_STATE)) {
            add_declared(it, node, node->kind == RH_AST_COORD ? UNITS_COORD : UNITS_STATE);
        }
        const bool is_quasi = node->kind == RH_AST_QUASI;
        if (!are_variables && (is_quasi || node->kind == RH_AST_CONSTRAINT)) {
            const rh_slice name = name_in(it, node->first);
            if (units_name_find(it, name) == NULL) {
                (void)add(it, name, is_quasi ? UNITS_QUASI : UNITS_CONSTRAINT);
            }
        }
        it->is_whole = it->is_whole || node->kind == RH_AST_CONSTRUCT;
    }
}

static void add_energies(units_text *it, const rh_model *model)
{
    static const char *const ENERGIES[] = {"T", "V", "energy"};
    for (uint32_t k = 0; k < 3; k++) {
        if (!rh__model_has_name(model, rh__slice_of(ENERGIES[k]))) {
            (void)add(it, rh__slice_of(ENERGIES[k]), UNITS_ENERGY);
        }
    }
    (void)add(it, rh__slice_of("t"), UNITS_CLOCK);
}

// A reaction lambda*gradient stands in the equations of coordinates times unit_mass*unit_k; the
// gradient of the k-th derivative by a velocity is unit_k*unit_time^(k-1) times the old one.
// With `construct` all masses are 1, whatever the units.
static void learn_link(units_text *it, const rh_constraint *c, uint32_t level_count,
                       bool is_constructed)
{
    for (uint32_t k = 0; k < it->name_count; k++) {
        units_name *name = &it->names[k];
        if (name->role == UNITS_CONSTRAINT && rh__slice_equal(name->name, c->row.name)) {
            const bool is_ideal = c->by == RH_BY_IDEAL || c->by == RH_BY_FRICTION;
            name->mass_power = is_constructed || c->by == RH_BY_REACTION ? 0 : 1;
            name->whole_power = is_constructed ? -2 : 0;
            name->time_power = is_constructed ? 4 - (int32_t)level_count
                               : is_ideal     ? 2 - (int32_t)level_count
                                              : 0;
            name->link_power = is_ideal || c->by == RH_BY_VAKONOMIC ? -1 : 0;
        }
    }
}

static void put_selection(units_text *it, const rh_model *model)
{
    rh_show *show = rh__show_create(model->store, &it->arena, RH_NOTATION_TEXT,
                                    model->selected.data, model->selected.count);
    rh__text_put(&it->out, "\nselect ");
    for (uint32_t k = 0; k < model->selected.count; k++) {
        rh_text name = rh__text_begin(&it->arena, NULL);
        rh__show_expr(show, model->selected.data[k], &name);
        rh_slice text = rh__text_slice(&name);
        while (text.size > 0 && text.data[text.size - 1] == '\'') {
            text.size--;
        }
        rh__text_put(&it->out, k > 0 ? ", " : "");
        rh__text_put_slice(&it->out, text);
    }
    rh__text_put(&it->out, "\n");
}

// What the derived model knows.
static void learn(units_text *it, rh_model *model)
{
    rh_equations *equations = NULL;
    rh_error err = RH_ZERO;
    const rh_equations_def def = rh_equations_def_default();
    const rh_status status = rh_equations_create(model, &def, &equations, &err);
    if (status == RH_OK) {
        for (uint32_t k = 0; k < equations->links.count; k++) {
            learn_link(it, equations->links.data[k].constraint,
                       equations->links.data[k].level_count, model->construct.is_given);
        }
    } else {
        it->refusal = "the model has no equations";
    }
    rh_equations_destroy(equations);
}

void units_name_all(units_text *it, const char *path)
{
    rh_model_def def = rh_model_def_default();
    def.name = path;
    def.text = it->original;
    def.text_size = strlen(it->original);
    rh_model *model = NULL;
    rh_error err = RH_ZERO;
    if (rh_model_create(&def, &model, &err) != RH_OK) {
        it->refusal = "the model is wrong";
        rh_model_destroy(model);
        return;
    }
    add_statements(it, true);
    add_statements(it, false);
    add_energies(it, model);
    learn(it, model);
    if (!model->is_selection_given && model->states.count > 0 && model->constraints.count > 0 &&
        model->selected.count > 0) {
        put_selection(it, model);
    }
    it->is_whole = it->is_whole || (model->equations.count > 0 && model->constraints.count > 0);
    rh_model_destroy(model);
}
