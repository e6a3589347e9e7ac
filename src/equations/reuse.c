// SPDX-License-Identifier: Apache-2.0
// What verbs ask for again and again is found once and kept with the equations: the layout of
// symbols, the consistent start with the model's own numbers, the forms that are solved. Askers get
// copies of everything they may write to.

#include "equations/derive.h"

#include <math.h>
#include <string.h>

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
