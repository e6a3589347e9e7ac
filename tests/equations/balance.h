// SPDX-License-Identifier: Apache-2.0
// Are these rates and multipliers right? Judged from the model alone, with differences: the state
// is moved by the rates a little, and the equations of Lagrange, the laws and the rates of the
// deviations are looked at there. Nothing of `equations` is used but the values it found.

#pragma once

#include "derived.h"

typedef struct balance {
    derived *on;
    const rh_point *at; // state, rates and multipliers
    rh_point moved;
    rh_expr energy; // T - V and the Lagrangians; V holds no velocities
    rh_expr dissipation;
    double worst; // relative error of what was looked at
} balance;

// --- differences ---------------------------------------------------------------------------------

typedef double function_of(balance *in, double s, const void *user);

/// The first or second derivative at 0, extrapolated from four steps.
static inline double derivative(balance *in, function_of *f, const void *user, int order)
{
    double table[4];
    double h = 0.04;
    const double middle = order == 2 ? f(in, 0.0, user) : 0.0;
    for (int k = 0; k < 4; k++, h /= 2) {
        const double up = f(in, h, user);
        const double down = f(in, -h, user);
        table[k] = order == 1 ? (up - down) / (2 * h) : (up - 2 * middle + down) / (h * h);
    }
    for (int level = 1; level < 4; level++) {
        for (int k = 0; k + level < 4; k++) {
            const double factor = pow(4.0, level);
            table[k] = (factor * table[k + 1] - table[k]) / (factor - 1);
        }
    }
    return table[0];
}

static inline double get(const balance *in, rh_expr symbol)
{
    return rh__point_get(in->at, symbol);
}

/// The state after the time s, to the second order in positions.
static inline void move(balance *in, double s)
{
    const rh_equations *equations = in->on->equations;
    memcpy(in->moved.values, in->at->values, in->on->layout.symbols.count * sizeof(double));
    for (uint32_t k = 0; k < equations->carriers.count; k++) {
        const rh_carrier *it = &equations->carriers.data[k];
        const double rate = get(in, it->rate);
        const double variable = get(in, it->variable);
        rh__point_set(&in->moved, it->variable, variable + s * rate);
        if (it->position.i != 0) {
            rh__point_set(&in->moved, it->position,
                          get(in, it->position) + s * variable + s * s / 2 * rate);
        }
    }
    for (uint32_t k = 0; k < equations->passives.count; k++) {
        const rh_passive *it = &equations->passives.data[k];
        rh__point_set(&in->moved, it->variable, get(in, it->variable) + s * get(in, it->rate));
    }
    for (uint32_t k = 0; k < equations->links.count; k++) {
        const rh_link *it = &equations->links.data[k];
        if (it->held.i != 0) {
            rh__point_set(&in->moved, it->held, get(in, it->held) + s * get(in, it->multiplier));
        }
    }
    const rh_expr time = rh__expr_symbol(equations->store, in->on->model->time, 0);
    rh__point_set(&in->moved, time, get(in, time) + s);
}

static inline double moved_value(balance *in, rh_expr e)
{
    const rh_mark mark = rh__arena_mark(&in->on->arena);
    const double value = value_at(in->on, &in->moved, e);
    rh__arena_rewind(&in->on->arena, mark);
    return value;
}

static inline double along_motion(balance *in, double s, const void *user)
{
    move(in, s);
    return moved_value(in, *(const rh_expr *)user);
}

/// An expression and a symbol by which it is differentiated.
typedef struct partial {
    rh_expr of, by;
} partial;

static inline double along_symbol(balance *in, double s, const void *user)
{
    const partial *it = user;
    move(in, 0.0);
    rh__point_set(&in->moved, it->by, get(in, it->by) + s);
    return moved_value(in, it->of);
}

static inline double partial_of(balance *in, rh_expr of, rh_expr by)
{
    const partial it = {of, by};
    return derivative(in, along_symbol, &it, 1);
}

// --- energies ------------------------------------------------------------------------------------

static inline bool is_second_type(const rh_constraint *constraint)
{
    return constraint->by == RH_BY_VAKONOMIC || constraint->by == RH_BY_INERTIA;
}

/// T - V + lambda PHI at the moved state.
static inline double moved_energy(balance *in)
{
    double sum = moved_value(in, in->energy);
    for (uint32_t k = 0; k < in->on->equations->links.count; k++) {
        const rh_link *it = &in->on->equations->links.data[k];
        const rh_constraint *constraint = it->constraint;
        if (is_second_type(constraint)) {
            sum += rh__point_get(&in->moved, it->held) *
                   moved_value(in, constraint->by == RH_BY_VAKONOMIC ? constraint->deviation
                                                                     : constraint->argument);
        }
    }
    return sum;
}

/// The momentum of a velocity after the time s; energies are quadratic in velocities.
static inline double moved_momentum(balance *in, double s, const void *user)
{
    const rh_expr velocity = *(const rh_expr *)user;
    move(in, s);
    const double value = rh__point_get(&in->moved, velocity);
    rh__point_set(&in->moved, velocity, value + 0.5);
    const double up = moved_energy(in);
    rh__point_set(&in->moved, velocity, value - 0.5);
    return up - moved_energy(in);
}

static inline double energy_along(balance *in, double s, const void *user)
{
    const rh_expr position = *(const rh_expr *)user;
    move(in, 0.0);
    rh__point_set(&in->moved, position, get(in, position) + s);
    return moved_energy(in);
}

/// What reactions must supply to the equation of a carrier.
static inline double demand_of(balance *in, const rh_carrier *carrier, double *size)
{
    const rh_model *model = in->on->model;
    double sum = 0.0;
    if (carrier->position.i != 0) {
        const double inertial = derivative(in, moved_momentum, &carrier->variable, 1);
        const double applied = derivative(in, energy_along, &carrier->position, 1) -
                               partial_of(in, in->dissipation, carrier->variable);
        sum += inertial - applied;
        *size += fabs(inertial) + fabs(applied);
    }
    for (uint32_t k = 0; k < model->laws.count; k++) {
        const rh_law *law = &model->laws.data[k];
        if (law->target.i == carrier->rate.i) {
            const double inertial = value_at(in->on, in->at, law->inertia) * get(in, carrier->rate);
            sum += inertial - value_at(in->on, in->at, law->value);
            *size += fabs(inertial);
        }
    }
    for (uint32_t k = 0; k < model->forces.count; k++) {
        if (model->forces.data[k].target.i == carrier->position.i) {
            const double force = value_at(in->on, in->at, model->forces.data[k].value);
            sum -= force;
            *size += fabs(force);
        }
    }
    return sum;
}

// --- reactions and deviations --------------------------------------------------------------------

static inline double supply_of(balance *in, const rh_carrier *carrier, double *size)
{
    double sum = 0.0;
    for (uint32_t k = 0; k < in->on->equations->links.count; k++) {
        const rh_link *it = &in->on->equations->links.data[k];
        const rh_constraint *constraint = it->constraint;
        double push = 0.0;
        if (constraint->by == RH_BY_IDEAL || constraint->by == RH_BY_FRICTION) {
            const bool is_position = constraint->kind == RH_KIND_HOLONOMIC;
            const rh_expr by = is_position ? carrier->position : carrier->variable;
            push =
                carrier->is_selected && by.i != 0 ? partial_of(in, constraint->deviation, by) : 0.0;
        }
        for (uint32_t j = 0; j < constraint->component_count; j++) {
            const rh_expr target = constraint->components[j].target;
            push += target.i == carrier->position.i || target.i == carrier->variable.i
                        ? value_at(in->on, in->at, constraint->components[j].value)
                        : 0.0;
        }
        sum += push * get(in, it->multiplier);
        *size += fabs(push * get(in, it->multiplier));
    }
    return sum;
}

/// How far the deviation of a link is from its law, -2 c' (order 1) or -4 c - 3 c' (order 2) where
/// it has one.
static inline double deviation_error(balance *in, const rh_link *link)
{
    const rh_constraint *constraint = link->constraint;
    const int order = constraint->kind == RH_KIND_HOLONOMIC ? 2 : 1;
    const double found = derivative(in, along_motion, &constraint->deviation, order);
    if (!constraint->has_law) {
        return found;
    }
    const double value = value_at(in->on, in->at, constraint->deviation);
    return order == 1
               ? found + 2 * value
               : found + 4 * value + 3 * derivative(in, along_motion, &constraint->deviation, 1);
}

/// The largest error of the equations of motion, and of the constraints that are kept; relative to
/// the sizes of their terms.
static inline double find_imbalance(derived *on, const rh_point *at)
{
    const rh_model *model = on->model;
    rh_store *store = on->equations->store;
    balance in = {.on = on, .at = at, .moved = copy_point(on, at)};
    in.energy = rh__expr_add(
        store, rh__expr_subtract(store, rh__model_kinetic(model), rh__model_potential(model)),
        rh__model_lagrangian(model));
    in.dissipation = rh__model_dissipation(model);
    for (uint32_t k = 0; k < on->equations->carriers.count; k++) {
        const rh_carrier *carrier = &on->equations->carriers.data[k];
        double size = 1.0;
        const double error = demand_of(&in, carrier, &size) - supply_of(&in, carrier, &size);
        in.worst = fmax(in.worst, fabs(error) / size);
    }
    for (uint32_t k = 0; k < on->equations->links.count; k++) {
        if (rh__link_is_enforced(&on->equations->links.data[k])) {
            in.worst =
                fmax(in.worst, fabs(deviation_error(&in, &on->equations->links.data[k])) / 10);
        }
    }
    return in.worst;
}
