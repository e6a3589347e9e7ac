// SPDX-License-Identifier: Apache-2.0
// Unknowns move until the equations of a start hold: positions first, then velocities and states,
// and both at once where that fails.

#include "equations/consistent.h"

bool rh__demand_prepare(rh_settling *settling, rh_arena *arena, rh_demand *demand)
{
    rh_store *store = settling->equations->store;
    demand->holds_velocity = (rh__expr_mask(store, demand->value) & RH_ROLE_VELOCITY) != 0;
    if (demand->value.i == 0 ||
        !rh__expr_gradient(store, demand->value, RH_ROLE_COORD | RH_ROLE_VELOCITY | RH_ROLE_STATE,
                           arena, &demand->partials)) {
        return false;
    }
    const uint32_t count = demand->partials.count + 1;
    rh_expr *roots = rh__arena_array(arena, rh_expr, count);
    for (uint32_t k = 0; roots != NULL && k < count; k++) {
        roots[k] = k == 0 ? demand->value : demand->partials.data[k - 1].value;
    }
    return roots != NULL && rh__recipe_create(store, roots, count, arena, &demand->recipe);
}

bool rh__settling_add(rh_settling *settling, rh_arena *arena, rh_demand demand)
{
    return rh__demand_prepare(settling, arena, &demand) &&
           rh__array_push(arena, &settling->demands, demand);
}

// Positions and states first, then velocities and states.
void rh__settling_choose(rh_settling *settling)
{
    const uint32_t wanted = RH_ROLE_STATE | (settling->is_second ? (uint32_t)RH_ROLE_VELOCITY
                                                                 : (uint32_t)RH_ROLE_COORD);
    const uint32_t all = RH_ROLE_STATE | RH_ROLE_VELOCITY | RH_ROLE_COORD;
    for (uint32_t slot = 0; slot < settling->layout->symbols.count; slot++) {
        settling->is_moving[slot] =
            (settling->roles[slot] & (settling->is_joint ? all : wanted)) != 0 &&
            (settling->may_unbind || !settling->is_bound[slot]);
    }
}

// Are all demands met, or those on which what moves has an influence?
static bool is_met(const rh_settling *settling, bool is_all)
{
    bool ok = true;
    for (uint32_t k = 0; ok && k < settling->demands.count; k++) {
        const rh_demand *demand = &settling->demands.data[k];
        ok = (!is_all && !rh__demand_moves(settling, demand)) || rh__demand_is_met(demand);
    }
    return ok;
}

rh_status rh__settling_settle(rh_settling *settling, bool may_unbind, bool *out_met)
{
    settling->may_unbind = may_unbind;
    for (uint32_t stage = 0; stage < 2; stage++) {
        settling->is_second = stage == 1;
        rh__settling_choose(settling);
        RH_TRY(rh__settling_solve(settling));
    }
    RH_TRY(rh__settling_look(settling));
    // velocities alone may not do: then everything together
    if (!is_met(settling, false)) {
        settling->is_joint = true;
        rh__settling_choose(settling);
        RH_TRY(rh__settling_solve(settling));
        settling->is_joint = false;
        RH_TRY(rh__settling_look(settling));
    }
    *out_met = is_met(settling, true);
    return RH_OK;
}

const char *rh__settling_name(rh_settling *settling, rh_family family, uint32_t member)
{
    rh_text text = rh__text_begin(settling->arena, NULL);
    rh__family_show(settling->equations->store, family, member, &text);
    return rh__text_print(settling->arena, "%.*s", RH_SLICE_FORMAT(rh__text_slice(&text)));
}
