// SPDX-License-Identifier: Apache-2.0
// Who gives energy to a system and who takes it. With E = T + V, W = T - V and p = W_v,
//
//     dE/dt = sum v Q  +  sum over links of v R  -  W_t - W_s s'  +  d/dt (2 T - v p),
//
// because (p)' - W_q = Q + R along the motion: Q are forces that are no energies, R reactions, s
// everything that moves and is no coordinate. The last two terms are what drives the system through
// its energies; they vanish where T is quadratic and nothing but coordinates moves.
// A reaction of type II comes from lambda phi in the kinetic energy:
//
//     v R = -v ((lambda phi_v)' - lambda phi_q) = d/dt (lambda (phi - v phi_v)) - lambda' phi
//           - lambda (phi_t + phi_s s').
//
// So each power is a rate and the derivative of a level, and no total derivative is ever written.

#include "equations/derive.h"

typedef struct reckoning {
    rh_equations *equations;
    rh_store *store;
    rh_arena *scratch;
    bool ok;
} reckoning;

static rh_expr add(const reckoning *in, rh_expr a, rh_expr b)
{
    return rh__expr_add(in->store, a, b);
}

static rh_expr take(const reckoning *in, rh_expr a, rh_expr b)
{
    return rh__expr_subtract(in->store, a, b);
}

static rh_expr times(const reckoning *in, rh_expr a, rh_expr b)
{
    return rh__expr_multiply(in->store, a, b);
}

// The rate of a symbol that is no coordinate and no velocity.
static rh_expr rate_of(const reckoning *in, rh_expr symbol)
{
    const rh_equations *equations = in->equations;
    if ((rh__expr_mask(in->store, symbol) & RH_ROLE_TIME) != 0) {
        return rh__expr_integer(in->store, 1);
    }
    for (uint32_t k = equations->coordinate_count; k < equations->carriers.count; k++) {
        if (equations->carriers.data[k].variable.i == symbol.i) {
            return equations->carriers.data[k].rate;
        }
    }
    for (uint32_t k = 0; k < equations->passives.count; k++) {
        if (equations->passives.data[k].variable.i == symbol.i) {
            return equations->passives.data[k].rate;
        }
    }
    const rh_expr rate = rh__derive_input_rate(equations, symbol);
    return rate.i != 0 ? rate : rh__expr_integer(in->store, 0);
}

// Sum of partial derivatives times rates, over symbols that are no coordinates.
static rh_expr drift_of(reckoning *in, rh_expr e)
{
    rh_gradient partials = {0};
    rh_expr sum = rh__expr_integer(in->store, 0);
    in->ok = in->ok && rh__expr_gradient(in->store, e, RH_ROLE_TIME | RH_ROLE_STATE | RH_ROLE_INPUT,
                                         in->scratch, &partials);
    for (uint32_t k = 0; in->ok && k < partials.count; k++) {
        const rh_partial *partial = &partials.data[k];
        sum = add(in, sum, times(in, partial->value, rate_of(in, partial->symbol)));
    }
    return sum;
}

// Sum of velocities times partial derivatives by them.
static rh_expr swing_of(reckoning *in, rh_expr e)
{
    rh_gradient partials = {0};
    rh_expr sum = rh__expr_integer(in->store, 0);
    in->ok = in->ok && rh__expr_gradient(in->store, e, RH_ROLE_VELOCITY, in->scratch, &partials);
    for (uint32_t k = 0; in->ok && k < partials.count; k++) {
        sum = add(in, sum, times(in, partials.data[k].symbol, partials.data[k].value));
    }
    return sum;
}

// --- forces and drives
// -----------------------------------------------------------------------------

// Inertia that laws and equations bring along is in no energy: against the energies it is a force.
// So is a Lagrangian beside them.
static rh_power forces_of(reckoning *in, bool has_energy)
{
    const rh_equations *equations = in->equations;
    const rh_grid *other = &equations->other;
    rh_power power = {rh__expr_integer(in->store, 0), rh__expr_integer(in->store, 0)};
    for (uint32_t k = 0; k < equations->coordinate_count; k++) {
        rh_expr force = equations->rest[k];
        for (uint32_t j = other->begin[k]; has_energy && j < other->begin[k + 1]; j++) {
            const rh_entry *entry = &other->entries.data[j];
            force = take(in, force,
                         times(in, entry->value, equations->carriers.data[entry->column].rate));
        }
        power.rate = add(in, power.rate, times(in, equations->carriers.data[k].variable, force));
    }
    if (has_energy) {
        const rh_expr lagrangian = rh__model_lagrangian(equations->model);
        power.rate = take(in, power.rate, drift_of(in, lagrangian));
        power.level = take(in, lagrangian, swing_of(in, lagrangian));
    }
    return power;
}

static rh_power drive_of(reckoning *in)
{
    const rh_model *model = in->equations->model;
    const rh_expr kinetic = rh__model_kinetic(model);
    const rh_expr whole = take(in, kinetic, rh__model_potential(model));
    const rh_expr twice = times(in, rh__expr_integer(in->store, 2), kinetic);
    return (rh_power){rh__expr_negate(in->store, drift_of(in, whole)),
                      take(in, twice, swing_of(in, whole))};
}

// --- links
// -----------------------------------------------------------------------------------------

static rh_power reaction_of(reckoning *in, uint32_t index)
{
    const rh_equations *equations = in->equations;
    const rh_link *link = &equations->links.data[index];
    const rh_grid *push = &equations->push;
    rh_power power = {rh__expr_integer(in->store, 0), rh__expr_integer(in->store, 0)};
    if (link->held.i != 0) {
        const rh_expr phi = rh__link_phi(link);
        const rh_expr drift = times(in, link->held, drift_of(in, phi));
        power.rate = rh__expr_negate(in->store, add(in, times(in, link->multiplier, phi), drift));
        power.level = times(in, link->held, take(in, phi, swing_of(in, phi)));
        return power;
    }
    for (uint32_t k = push->begin[index]; k < push->begin[index + 1]; k++) {
        const rh_entry *entry = &push->entries.data[k];
        if (entry->column < equations->coordinate_count) {
            const rh_expr velocity = equations->carriers.data[entry->column].variable;
            power.rate = add(in, power.rate, times(in, entry->value, velocity));
        }
    }
    power.rate = times(in, link->multiplier, power.rate);
    return power;
}

// --- the whole
// ---------------------------------------------------------------------------------------

// Levels that vanish cost nothing; what remains is made cheap.
static void fold(reckoning *in, rh_power *power)
{
    const bool is_none = rh__derive_vanishes(in->equations, power->level, in->scratch);
    power->level =
        is_none ? rh__expr_integer(in->store, 0) : rh__derive_fold(in->equations, power->level);
    power->rate = rh__derive_fold(in->equations, power->rate);
    in->ok = in->ok && power->rate.i != 0 && power->level.i != 0;
}

rh_status rh__powers_create(rh_equations *equations, rh_arena *arena, rh_arena *scratch,
                            rh_powers *out)
{
    const rh_model *model = equations->model;
    reckoning in = {
        .equations = equations, .store = equations->store, .scratch = scratch, .ok = true};
    const uint32_t count = equations->links.count;
    *out = (rh_powers){.links = rh__arena_array(arena, rh_power, (size_t)count + 1)};
    if (out->links == NULL) {
        return arena->status;
    }
    out->has_energy = model->kinetic.count + model->potential.count > 0;
    out->energy = add(&in, rh__model_kinetic(model), rh__model_potential(model));
    out->forces = forces_of(&in, out->has_energy);
    out->drive = drive_of(&in);
    fold(&in, &out->forces);
    fold(&in, &out->drive);
    for (uint32_t k = 0; in.ok && k < count; k++) {
        out->links[k] = reaction_of(&in, k);
        fold(&in, &out->links[k]);
    }
    return in.ok && out->energy.i != 0 ? RH_OK : RH_E_MEMORY;
}
