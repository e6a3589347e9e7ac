// SPDX-License-Identifier: Apache-2.0
// Conditions inside energies and constraints. Where one of them changes its truth, momenta, the
// Hamiltonian or the rows of the constraints may change at once, and velocities jump with them
// (theory, onesided 15). All that decides about it is one tape over the released system: what the
// form eliminates, and how, has no part in it. The conditions are outputs of `step` too: some have
// no part in the rates (a step of the potential has no force on either side) and would not be seen.

#include "tape/tapes.h"

#include <math.h>

typedef struct finding {
    rh_system *system;
    rh_equations *equations;
    rh_store *store;
    rh_arena *scratch;
    rh_expr_list outputs;
} finding;

// --- conditions
// ------------------------------------------------------------------------------------

static bool is_moving(const finding *in, rh_expr e)
{
    return (rh__expr_mask(in->store, e) & RH_EXPR_VARIABLE) != 0;
}

// The condition by which the derivatives of an operation are chosen; none where it is smooth.
static rh_expr condition_of(const finding *in, rh_expr e)
{
    rh_store *store = in->store;
    const rh_op op = rh__expr_op(store, e);
    rh_expr pair[2] = {RH_EXPR_NONE, RH_EXPR_NONE};
    for (uint32_t k = 0; k < 2 && k < rh__expr_count(store, e); k++) {
        pair[k] = rh__expr_argument(store, e, k);
    }
    switch (op) {
    case RH_OP_SIGN:
    case RH_OP_LESS:
    case RH_OP_LESS_EQUAL:
        return e;
    case RH_OP_ABS:
        return rh__expr_apply(store, RH_OP_SIGN, pair, 1);
    case RH_OP_MIN:
        return rh__expr_apply(store, RH_OP_LESS_EQUAL, pair, 2);
    case RH_OP_MAX:
        return rh__expr_apply(store, RH_OP_LESS_EQUAL, (rh_expr[]){pair[1], pair[0]}, 2);
    default:
        return RH_EXPR_NONE;
    }
}

static bool is_known(const finding *in, rh_expr condition)
{
    bool is_there = false;
    for (uint32_t k = 0; k < in->system->jumps.count; k++) {
        is_there = is_there || in->system->jumps.conditions[k].condition.i == condition.i;
    }
    return is_there;
}

static bool add_condition(finding *in, rh_expr condition)
{
    rh_jumps *jumps = &in->system->jumps;
    const rh_expr surface = rh__expr_surface(in->store, condition);
    const uint32_t strange = RH_ROLE_VELOCITY | RH_ROLE_ACCELERATION | RH_ROLE_RATE;
    if (jumps->count % 8 == 0) {
        rh_jump_condition *more =
            rh__arena_array(&in->system->arena, rh_jump_condition, (size_t)jumps->count + 8);
        for (uint32_t k = 0; more != NULL && k < jumps->count; k++) {
            more[k] = jumps->conditions[k];
        }
        jumps->conditions = more;
    }
    if (jumps->conditions == NULL || surface.i == 0) {
        return false;
    }
    jumps->conditions[jumps->count++] =
        (rh_jump_condition){.condition = condition,
                            .surface = surface,
                            .holds_velocity = (rh__expr_mask(in->store, surface) & strange) != 0};
    return true;
}

static bool collect(finding *in, rh_expr e)
{
    rh_expr_list parts = {0};
    const rh_expr whole = rh__model_through_inputs(in->equations->model, e);
    bool ok = whole.i != 0 && rh__expr_reach(in->store, &whole, 1, in->scratch, &parts);
    for (uint32_t k = 0; ok && k < parts.count; k++) {
        const rh_expr condition =
            is_moving(in, parts.data[k]) ? condition_of(in, parts.data[k]) : RH_EXPR_NONE;
        // a comparison may be decided by its form
        const bool is_one = condition.i != 0 && is_moving(in, condition) &&
                            condition_of(in, condition).i == condition.i;
        ok = !is_one || is_known(in, condition) || add_condition(in, condition);
    }
    return ok;
}

// --- outputs
// ---------------------------------------------------------------------------------------

// Has it impulses? Forces that are given, and perturbation laws, are finite.
static bool has_impulse(const rh_link *link)
{
    return rh__link_is_enforced(link) && !link->constraint->has_law;
}

static bool put(finding *in, rh_expr e)
{
    return e.i != 0 && rh__array_push(in->scratch, &in->outputs, e);
}

static bool put_grid(finding *in, const rh_grid *grid, rh_jump_grid *out)
{
    bool ok = true;
    *out = (rh_jump_grid){grid, in->outputs.count};
    for (uint32_t k = 0; ok && k < grid->entries.count; k++) {
        ok = put(in, grid->entries.data[k].value);
    }
    return ok;
}

static bool put_momenta(finding *in)
{
    const rh_equations *equations = in->equations;
    rh_jumps *jumps = &in->system->jumps;
    const uint32_t n = equations->coordinate_count;
    rh_gradient partials;
    jumps->lagrangian = in->outputs.count;
    jumps->momentum = in->outputs.count + 1;
    bool ok =
        put(in, equations->kinetic) &&
        rh__expr_gradient(in->store, equations->kinetic, RH_ROLE_VELOCITY, in->scratch, &partials);
    for (uint32_t k = 0; ok && k < n; k++) {
        rh_expr value = rh__expr_integer(in->store, 0);
        for (uint32_t j = 0; j < partials.count; j++) {
            const bool is_own = partials.data[j].symbol.i == equations->carriers.data[k].variable.i;
            value = is_own ? partials.data[j].value : value;
        }
        ok = put(in, value);
    }
    return ok;
}

static bool put_levels(finding *in)
{
    const rh_equations *equations = in->equations;
    rh_jumps *jumps = &in->system->jumps;
    jumps->level_of =
        rh__arena_array(&in->system->arena, uint32_t, (size_t)equations->links.count + 1);
    bool ok = jumps->level_of != NULL;
    for (uint32_t k = 0; ok && k < equations->links.count; k++) {
        const rh_link *link = &equations->links.data[k];
        jumps->level_of[k] = has_impulse(link) ? in->outputs.count : UINT32_MAX;
        for (uint32_t level = 0; ok && has_impulse(link) && level < link->level_count; level++) {
            ok = put(in, link->levels[level]);
        }
    }
    return ok;
}

static bool put_surface(finding *in, rh_jump_condition *it)
{
    const rh_equations *equations = in->equations;
    rh_gradient partials;
    it->value = in->outputs.count;
    bool ok = put(in, it->surface) &&
              rh__expr_gradient(in->store, it->surface, RH_ROLE_COORD, in->scratch, &partials);
    it->slopes = (rh_range){in->outputs.count, 0};
    it->coordinate =
        ok ? rh__arena_array(&in->system->arena, uint32_t, (size_t)partials.count + 1) : NULL;
    ok = ok && it->coordinate != NULL;
    for (uint32_t k = 0; ok && k < equations->coordinate_count; k++) {
        for (uint32_t j = 0; ok && j < partials.count; j++) {
            if (partials.data[j].symbol.i == equations->carriers.data[k].position.i) {
                it->coordinate[it->slopes.count++] = k;
                ok = put(in, partials.data[j].value);
            }
        }
    }
    return ok;
}

// Lagrangian, momenta, inertia, levels, rows, pushes, surfaces.
static bool put_all(finding *in)
{
    const rh_equations *equations = in->equations;
    rh_jumps *jumps = &in->system->jumps;
    in->outputs.count = 0;
    bool ok = put_momenta(in) && put_grid(in, &equations->inertia, &jumps->inertia) &&
              put_grid(in, &equations->other, &jumps->other) && put_levels(in) &&
              put_grid(in, &equations->rows, &jumps->rows) &&
              put_grid(in, &equations->push, &jumps->push);
    for (uint32_t k = 0; ok && k < jumps->count; k++) {
        ok = put_surface(in, &jumps->conditions[k]);
    }
    return ok;
}

static finding begin(rh_system *system, rh_arena *scratch)
{
    return (finding){.system = system,
                     .equations = system->equations,
                     .store = system->equations->store,
                     .scratch = scratch};
}

rh_status rh__jumps_prepare(rh_system *system, rh_arena *scratch)
{
    finding in = begin(system, scratch);
    const rh_equations *equations = in.equations;
    bool ok = equations->kinetic.i == 0 || collect(&in, equations->kinetic);
    for (uint32_t k = 0; ok && k < equations->links.count; k++) {
        const rh_link *link = &equations->links.data[k];
        for (uint32_t level = 0; ok && has_impulse(link) && level < link->level_count; level++) {
            ok = collect(&in, link->levels[level]);
        }
    }
    // derivatives were folded, and may have conditions of another form
    for (uint32_t k = 0; ok && system->jumps.count > 0 && k < equations->inertia.entries.count;
         k++) {
        ok = collect(&in, equations->inertia.entries.data[k].value);
    }
    for (uint32_t k = 0; ok && system->jumps.count > 0 && k < equations->rows.entries.count; k++) {
        ok = collect(&in, equations->rows.entries.data[k].value);
    }
    return ok ? RH_OK : RH_E_MEMORY;
}

// --- the released tape
// -----------------------------------------------------------------------------

static bool list_inputs(const finding *in, rh_expr_list *out)
{
    const rh_system *system = in->system;
    const rh_equations *equations = in->equations;
    bool ok =
        rh__array_push(in->scratch, out, rh__expr_symbol(in->store, equations->model->time, 0));
    for (uint32_t k = 0; ok && k < equations->coordinate_count; k++) {
        ok = rh__array_push(in->scratch, out, equations->carriers.data[k].position);
    }
    for (uint32_t k = 0; ok && k < equations->carriers.count; k++) {
        ok = rh__array_push(in->scratch, out, equations->carriers.data[k].variable);
    }
    for (uint32_t k = 0; ok && k < system->passives.count + system->held.count; k++) {
        ok = rh__array_push(in->scratch, out, system->x.data[system->passives.first + k]);
    }
    for (uint32_t k = 0; ok && k < system->feeds.count; k++) {
        ok = rh__array_push(in->scratch, out, system->feeds.data[k]);
    }
    return ok;
}

static void find_switches(rh_system *system, uint32_t first)
{
    const rh_tape *step = system->step;
    for (uint32_t k = 0; k < system->jumps.count; k++) {
        rh_jump_condition *it = &system->jumps.conditions[k];
        it->at = 0;
        while (it->at < step->switch_count &&
               step->switches[it->at].truth != step->outputs[first + k]) {
            it->at++;
        }
        RH_ASSERT(it->at < step->switch_count);
    }
}

rh_status rh__jumps_compile(rh_system *system, uint32_t first, rh_arena *scratch, rh_error *err)
{
    finding in = begin(system, scratch);
    rh_meanings meanings = {.system = system, .arena = scratch};
    rh_expr_list inputs = {0};
    if (system->jumps.count == 0) {
        return RH_OK;
    }
    RH_ASSERT(system->held.first == system->passives.first + system->passives.count);
    find_switches(system, first);
    if (!put_all(&in) || !rh__system_define_free(&meanings) || !list_inputs(&in, &inputs)) {
        return RH_E_MEMORY;
    }
    rh_tape_def def = rh__system_begin_def(system, &meanings);
    def.inputs = inputs.data;
    def.input_count = inputs.count;
    def.outputs = in.outputs.data;
    def.output_count = in.outputs.count;
    RH_TRY(rh__tape_create(&def, &system->jumps.tape, err));
    return rh__system_sides(system, system->jumps.tape, &system->arena, &system->jumps.side_of);
}

// --- sides
// -----------------------------------------------------------------------------------------

rh_status rh__system_sides(const rh_system *system, const rh_tape *tape, rh_arena *arena,
                           uint32_t **out)
{
    rh_store *store = system->equations->store;
    *out = rh__arena_array(arena, uint32_t, (size_t)tape->switch_count + 1);
    if (*out == NULL) {
        return arena->status;
    }
    for (uint32_t k = 0; k < tape->switch_count; k++) {
        const rh_expr source = tape->switches[k].source;
        (*out)[k] = UINT32_MAX;
        for (uint32_t j = 0; j < system->jumps.count && (*out)[k] == UINT32_MAX; j++) {
            const rh_expr surface = system->jumps.conditions[j].surface;
            const bool is_turned = rh__expr_negate(store, surface).i == source.i;
            (*out)[k] = surface.i == source.i ? 2 * j : is_turned ? 2 * j + 1 : UINT32_MAX;
        }
    }
    return RH_OK;
}

double rh__switch_truth(rh_switch_rule rule, double side)
{
    switch (rule) {
    case RH_SWITCH_BELOW:
        return side < 0.0;
    case RH_SWITCH_NOT_ABOVE:
        return side <= 0.0;
    case RH_SWITCH_ZERO:
        return side == 0.0;
    case RH_SWITCH_NOT_BELOW:
        return side >= 0.0;
    case RH_SWITCH_SIGN:
        return side;
    }
    return 0.0;
}

// The side on which a switch was forced; 0: it was not.
static double side_of_truth(rh_switch_rule rule, double truth)
{
    return isnan(truth)                            ? 0.0
           : truth == rh__switch_truth(rule, 1.0)  ? 1.0
           : truth == rh__switch_truth(rule, -1.0) ? -1.0
                                                   : 0.0;
}

void rh__system_follow(const rh_system *system, const uint32_t *side_of, const rh_tape_state *like,
                       rh_tape_state *state)
{
    for (uint32_t k = 0; k < state->tape->switch_count; k++) {
        if (side_of[k] == UINT32_MAX) {
            continue;
        }
        const uint32_t at = system->jumps.conditions[side_of[k] / 2].at;
        const double side =
            like != NULL ? side_of_truth(system->step->switches[at].rule, like->forced[at]) : 0.0;
        const double own = side_of[k] % 2 != 0 ? -side : side;
        rh__tape_force(state, k,
                       side == 0.0 ? (double)NAN
                                   : rh__switch_truth(state->tape->switches[k].rule, own));
    }
}
