// SPDX-License-Identifier: Apache-2.0
// What the forms of the equations are put together with: unknowns, rows, entries, forces, and two
// states at which pivots are compared.

#include "equations/form.h"

rh_status rh__forming_refused(const rh_forming *forming)
{
    if (rh__store_count(forming->store) > forming->budget ||
        rh__store_work(forming->store) > forming->work_budget) {
        return RH_E_LIMIT;
    }
    const rh_derive as_derive = {.equations = forming->equations,
                                 .model = forming->equations->model,
                                 .store = forming->store,
                                 .arena = forming->arena,
                                 .scratch = forming->scratch};
    return rh__derive_refused(&as_derive);
}

bool rh__forming_unknown(rh_forming *forming, rh_expr symbol)
{
    return rh__array_push(forming->arena, &forming->form->unknowns, symbol);
}

bool rh__forming_rate(rh_forming *forming, rh_expr variable, rh_expr rate)
{
    rh_form *form = forming->form;
    RH_ASSERT(form->unknowns.count == form->rate_count); // rates come first
    form->rate_count++;
    return rh__forming_unknown(forming, rate) &&
           rh__array_push(forming->arena, &form->variables, variable);
}

bool rh__forming_row(rh_forming *forming, rh_expr right, uint32_t link)
{
    return right.i != 0 && rh__array_push(forming->arena, &forming->right, right) &&
           rh__array_push(forming->arena, &forming->link_of, link);
}

bool rh__forming_entry(rh_forming *forming, uint32_t column, rh_expr value)
{
    return rh__grid_push(forming->arena, &forming->form->matrix, forming->right.count - 1, column,
                         value);
}

// Most models have none; asked for every carrier, all links would be looked through each time.
static bool find_given(rh_forming *forming)
{
    const rh_equations *equations = forming->equations;
    bool ok = true;
    for (uint32_t k = 0; ok && !forming->knows_given && k < equations->links.count; k++) {
        ok = rh__link_is_enforced(&equations->links.data[k]) ||
             rh__array_push(forming->arena, &forming->given, k);
    }
    forming->knows_given = ok;
    return ok;
}

rh_expr rh__forming_force(rh_forming *forming, uint32_t carrier)
{
    const rh_equations *equations = forming->equations;
    rh_store *store = forming->store;
    rh_expr sum = find_given(forming) ? equations->force[carrier] : RH_EXPR_NONE;
    for (uint32_t k = 0; k < forming->given.count; k++) {
        const uint32_t link = forming->given.data[k];
        const rh_expr push = rh__grid_at(&equations->push, link, carrier);
        if (push.i != 0) {
            sum = rh__expr_add(store, sum,
                               rh__expr_multiply(store, push, equations->links.data[link].given));
        }
    }
    return sum;
}

rh_expr rh__forming_target(rh_forming *forming, uint32_t link)
{
    const rh_link *it = &forming->equations->links.data[link];
    return rh__expr_subtract(forming->store, it->target, it->bias);
}

rh_status rh__forming_samples(rh_forming *forming, rh_point out[2])
{
    rh_layout *layout = rh__arena_new(&forming->scratch, rh_layout);
    rh_start start;
    bool is_met = false;
    if (layout == NULL) {
        return forming->scratch.status;
    }
    RH_TRY(rh__layout_create(forming->equations, &forming->scratch, layout));
    rh_diagnostics unheard = rh__diagnostics_begin(&forming->scratch);
    RH_TRY(rh__start_find(forming->equations, layout, &forming->scratch, &unheard, &start));
    out[0] = start.point;
    return rh__start_wander(forming->equations, &start.point, 0.3, 1, &forming->scratch, &out[1],
                            &is_met);
}
