// SPDX-License-Identifier: Apache-2.0
// How each constraint is realised: the direction B in which its reaction acts, and the multiplier
// where it is no unknown.
//     ideal      B = C^T on the selected carriers         friction  the same, lambda = -N g
//     servo      B = the given covector                   reaction  B = the given force, lambda = 1
//     inertia, vakonomic (type II)   B = -phi_v, the multiplier is the rate of the state lambda

#include "equations/derive.h"

static bool push_gradient(rh_derive *derive, uint32_t link)
{
    rh_equations *equations = derive->equations;
    const rh_grid *rows = &equations->rows;
    bool ok = true;
    for (uint32_t k = rows->begin[link]; ok && k < rows->begin[link + 1]; k++) {
        const rh_entry *entry = &rows->entries.data[k];
        ok = !equations->carriers.data[entry->column].is_selected ||
             rh__grid_push(derive->arena, &equations->push, link, entry->column, entry->value);
    }
    return ok;
}

static bool push_components(rh_derive *derive, uint32_t link)
{
    rh_equations *equations = derive->equations;
    const rh_constraint *constraint = equations->links.data[link].constraint;
    bool ok = true;
    for (uint32_t k = 0; ok && k < constraint->component_count; k++) {
        const rh_component *component = &constraint->components[k];
        const uint32_t carrier = rh__derive_carrier(derive, component->target);
        if (carrier == UINT32_MAX || !equations->carriers.data[carrier].is_selected) {
            rh_text text = rh__text_begin(&derive->scratch, NULL);
            rh__family_show(derive->store, rh__expr_family(derive->store, component->target),
                            rh__expr_member(derive->store, component->target), &text);
            rh__diagnostics_add(&equations->diagnostics, RH_DIAGNOSTIC_E402, constraint->row.span,
                                "the reaction acts on %.*s, which is not selected",
                                RH_SLICE_FORMAT(rh__text_slice(&text)));
            rh__diagnostics_repair(&equations->diagnostics, "select %.*s, or act on another one",
                                   RH_SLICE_FORMAT(rh__text_slice(&text)));
            return true;
        }
        ok = rh__grid_push(derive->arena, &equations->push, link, carrier, component->value);
    }
    return ok;
}

static bool push_inertia(rh_derive *derive, uint32_t link)
{
    rh_equations *equations = derive->equations;
    const rh_expr phi = rh__link_phi(&equations->links.data[link]);
    rh_gradient partials;
    bool ok = rh__expr_gradient(derive->store, phi, RH_ROLE_VELOCITY, &derive->scratch, &partials);
    for (uint32_t k = 0; ok && k < partials.count; k++) {
        ok = rh__grid_push(derive->arena, &equations->push, link,
                           rh__derive_carrier(derive, partials.data[k].symbol),
                           rh__expr_negate(derive->store, partials.data[k].value));
    }
    return ok;
}

// -N g, one-sided: -N min(g, 0).
static rh_expr friction_multiplier(rh_store *store, const rh_link *link)
{
    rh_expr g = link->levels[link->level_count - 1];
    if (link->constraint->is_one_sided) {
        const rh_expr both[] = {g, rh__expr_integer(store, 0)};
        g = rh__expr_apply(store, RH_OP_MIN, both, 2);
    }
    return rh__expr_negate(store, rh__expr_multiply(store, link->constraint->argument, g));
}

// 1; one-sided, as long as it is not left.
static rh_expr reaction_multiplier(rh_store *store, const rh_link *link)
{
    const rh_expr one = rh__expr_integer(store, 1);
    const rh_expr zero = rh__expr_integer(store, 0);
    const rh_expr both[] = {link->constraint->deviation, zero};
    return link->constraint->is_one_sided
               ? rh__expr_if(store, rh__expr_apply(store, RH_OP_LESS_EQUAL, both, 2), one, zero)
               : one;
}

rh_status rh__derive_pushes(rh_derive *derive)
{
    rh_equations *equations = derive->equations;
    bool ok = true;
    for (uint32_t k = 0; ok && k < equations->links.count; k++) {
        rh_link *link = &equations->links.data[k];
        if (link->given.i != 0) {
            continue;
        }
        switch (link->constraint->by) {
        case RH_BY_IDEAL:
            ok = push_gradient(derive, k);
            break;
        case RH_BY_SERVO:
            ok = push_components(derive, k);
            break;
        case RH_BY_INERTIA:
        case RH_BY_VAKONOMIC:
            ok = push_inertia(derive, k);
            break;
        case RH_BY_FRICTION:
            ok = push_gradient(derive, k);
            link->given = friction_multiplier(derive->store, link);
            break;
        case RH_BY_REACTION:
            ok = push_components(derive, k);
            link->given = reaction_multiplier(derive->store, link);
            break;
        }
    }
    ok = ok && rh__grid_finish(equations, derive->arena, &equations->push, equations->links.count,
                               equations->carriers.count);
    return ok ? RH_OK : rh__derive_refused(derive);
}
