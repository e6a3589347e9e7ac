// SPDX-License-Identifier: Apache-2.0
// What verbs ask for again and again is found once and kept with the equations: the layout of
// symbols, the consistent start with the model's own numbers, the forms that are solved. Askers get
// copies of everything they may write to.

#include "equations/derive.h"

#include <math.h>
#include <string.h>

typedef struct rh_reuse {
    rh_layout layout;
    bool has_layout;
    rh_start start;
    rh_diagnostics remarks; // of the start
    uint64_t start_changes; // of the model's numbers when it was found
    bool has_start;
    rh_form forms[2];
    bool has_form[2];
} rh_reuse;

void rh__reuse_begin(rh_equations *equations)
{
    equations->reuse = rh__arena_new(&equations->arena, rh_reuse); // without it all is found anew
}

void rh__reuse_forget(rh_equations *equations)
{
    if (equations->reuse != NULL) {
        *equations->reuse = (rh_reuse){.has_layout = false};
    }
}

// --- layouts -------------------------------------------------------------------------------------

rh_status rh__layout_create(rh_equations *equations, rh_arena *arena, rh_layout *out)
{
    rh_reuse *reuse = equations->reuse;
    if (reuse == NULL) {
        return rh__layout_make(equations, arena, out);
    }
    if (!reuse->has_layout) {
        RH_TRY(rh__layout_make(equations, &equations->arena, &reuse->layout));
        reuse->has_layout = true;
    }
    *out = reuse->layout;
    return RH_OK;
}

// --- the start -----------------------------------------------------------------------------------

// Do all symbols have the values that the model gives them?
static bool has_own_numbers(const rh_layout *layout)
{
    const rh_model *model = layout->equations->model;
    const rh_values *own = &model->values;
    const rh_values *values = layout->values;
    bool is_own = true;
    for (uint32_t k = 0; is_own && k < model->inputs.count; k++) {
        is_own = layout->feed_of == NULL || model->inputs.data[k].value.i != 0;
    }
    if (values == own) {
        return is_own;
    }
    for (uint32_t k = 0; is_own && values->starts != NULL && k < model->starts.count; k++) {
        is_own = isnan(values->starts[k]);
    }
    const size_t size = own->parameters.count * sizeof *own->parameters.data;
    return is_own &&
           (size == 0 || memcmp(values->parameters.data, own->parameters.data, size) == 0);
}

static rh_status copy_start(const rh_reuse *reuse, const rh_layout *layout, rh_arena *arena,
                            rh_diagnostics *diagnostics, rh_start *out)
{
    rh_point point;
    RH_TRY(rh__point_create(layout, arena, &point));
    memcpy(point.values, reuse->start.point.values, layout->symbols.count * sizeof *point.values);
    *out = reuse->start;
    out->point = point;
    rh__diagnostics_append(diagnostics, &reuse->remarks);
    return RH_OK;
}

rh_status rh__start_find(rh_equations *equations, const rh_layout *layout, rh_arena *arena,
                         rh_diagnostics *diagnostics, rh_start *out)
{
    rh_reuse *reuse = equations->reuse;
    if (reuse == NULL || layout->slot_of != reuse->layout.slot_of || !has_own_numbers(layout)) {
        return rh__start_search(equations, layout, arena, diagnostics, out);
    }
    const uint64_t changes = equations->model->values.changes;
    if (!reuse->has_start || reuse->start_changes != changes) {
        reuse->has_start = false;
        reuse->remarks = rh__diagnostics_begin(&equations->arena);
        RH_TRY(rh__start_search(equations, &reuse->layout, &equations->arena, &reuse->remarks,
                                &reuse->start));
        reuse->has_start = true;
        reuse->start_changes = changes;
    }
    return copy_start(reuse, layout, arena, diagnostics, out);
}

// --- forms ---------------------------------------------------------------------------------------

static rh_definition *copy_definitions(rh_arena *arena, const rh_definition *data, uint32_t count)
{
    rh_definition *out = rh__arena_array(arena, rh_definition, (size_t)count + 1);
    if (out != NULL && count > 0) {
        memcpy(out, data, count * sizeof *out);
    }
    return out;
}

static rh_status copy_form(const rh_form *form, rh_arena *arena, rh_form *out)
{
    *out = *form;
    out->unknowns.capacity = out->unknowns.count; // who adds to it gets a copy
    out->passives.data = copy_definitions(arena, form->passives.data, form->passives.count);
    out->passives.capacity = form->passives.count;
    out->outputs.data = copy_definitions(arena, form->outputs.data, form->outputs.count);
    out->outputs.capacity = form->outputs.count;
    out->right = rh__arena_array(arena, rh_expr, (size_t)form->matrix.rows + 1);
    if (out->passives.data == NULL || out->outputs.data == NULL || out->right == NULL) {
        return arena->status;
    }
    if (form->matrix.rows > 0) {
        memcpy(out->right, form->right, form->matrix.rows * sizeof *out->right);
    }
    return RH_OK;
}

rh_status rh__form_create(rh_equations *equations, rh_form_kind kind, rh_arena *arena, rh_form *out,
                          rh_error *err)
{
    rh_reuse *reuse = equations->reuse;
    const bool is_solved = kind == RH_FORM_MULTIPLIERS || kind == RH_FORM_REDUCED;
    if (reuse == NULL || !is_solved) {
        return rh__form_make(equations, kind, arena, out, err);
    }
    const uint32_t at = kind == RH_FORM_REDUCED;
    if (!reuse->has_form[at]) {
        RH_TRY(rh__form_make(equations, kind, &equations->arena, &reuse->forms[at], err));
        reuse->has_form[at] = true;
    }
    return copy_form(&reuse->forms[at], arena, out);
}
