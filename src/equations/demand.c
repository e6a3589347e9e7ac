// SPDX-License-Identifier: Apache-2.0
// Demands at a point, and how large the variables are that they hold. Coordinates, velocities and
// states are each as large as the largest of their kind, weighed by masses; what has no mass is
// measured by itself.

#include "equations/consistent.h"

#include <float.h>
#include <math.h>
#include <string.h>

#define ROUNDINGS 64.0 // of a demand, below which it is met

double rh__demand_noise(rh_settling *settling, const rh_demand *demand)
{
    return rh__expr_rounding(settling->equations->store, demand->value, rh__point_value,
                             &settling->point, &settling->scratch) +
           DBL_EPSILON * fabs(demand->aim);
}

rh_status rh__demand_look(rh_settling *settling, rh_demand *demand)
{
    const uint32_t count = demand->recipe.count;
    const rh_mark mark = rh__arena_mark(&settling->scratch);
    double *values = rh__arena_array(&settling->scratch, double, count);
    if (values == NULL) {
        return settling->scratch.status;
    }
    RH_TRY(rh__point_values(&settling->point, &demand->recipe, &settling->scratch, values));
    demand->found = values[0] - demand->aim;
    demand->scale = 0.0;
    demand->floor = 0.0;
    demand->noise = 0.0;
    for (uint32_t k = 1; k < count; k++) {
        const rh_expr symbol = demand->partials.data[k - 1].symbol;
        const uint32_t slot = rh__layout_slot(settling->layout, symbol);
        demand->scale += fabs(values[k] * rh__point_get(&settling->point, symbol));
        demand->floor += fabs(values[k]) * rh__settling_size(settling, slot);
    }
    if (!rh__demand_is_met(demand)) {
        demand->noise = rh__demand_noise(settling, demand);
    }
    rh__arena_rewind(&settling->scratch, mark);
    return RH_OK;
}

// Without looking at what is no number.
static double larger(double a, double b)
{
    return b > a ? b : a;
}

// Variables are weighed by their masses, so that their units do not count.
static rh_status weigh(rh_settling *settling)
{
    const rh_equations *equations = settling->equations;
    const uint32_t slots = settling->layout->symbols.count;
    const uint32_t count = equations->carriers.count;
    if (settling->weight == NULL) {
        settling->weight = rh__arena_array(&settling->keep, double, (size_t)slots + 1);
    }
    const rh_mark mark = rh__arena_mark(&settling->scratch);
    rh_expr *roots = rh__arena_array(&settling->scratch, rh_expr, (size_t)count + 1);
    double *masses = rh__arena_array(&settling->scratch, double, (size_t)count + 1);
    if (settling->weight == NULL || roots == NULL || masses == NULL) {
        return settling->weight == NULL ? settling->keep.status : settling->scratch.status;
    }
    memset(settling->weight, 0, slots * sizeof *settling->weight);
    for (uint32_t k = 0; k < count; k++) {
        const rh_expr mass = rh__grid_at(&equations->inertia, k, k);
        roots[k] = mass.i != 0 ? mass : rh__expr_integer(equations->store, 0);
    }
    RH_TRY(rh__point_evaluate(&settling->point, roots, count, &settling->scratch, masses));
    for (uint32_t k = 0; k < count; k++) {
        const rh_carrier *carrier = &equations->carriers.data[k];
        const uint32_t own[] = {rh__layout_slot(settling->layout, carrier->variable),
                                rh__layout_slot(settling->layout, carrier->position)};
        const double weight = 1.0 / sqrt(fabs(masses[k]));
        for (uint32_t i = 0; i < 2; i++) {
            if (own[i] != UINT32_MAX && isfinite(weight)) {
                settling->weight[own[i]] = weight;
            }
        }
    }
    rh__arena_rewind(&settling->scratch, mark);
    return RH_OK;
}

uint32_t rh__settling_kind(const rh_settling *settling, uint32_t slot)
{
    const uint32_t role = settling->roles[slot];
    return (role & RH_ROLE_COORD) != 0      ? 0
           : (role & RH_ROLE_VELOCITY) != 0 ? 1
           : (role & RH_ROLE_STATE) != 0    ? 2
                                            : RH_SETTLING_KINDS;
}

static double own_size(const rh_settling *settling, uint32_t slot)
{
    return larger(fabs(settling->draft[slot]), fabs(settling->point.values[slot]));
}

double rh__settling_size(const rh_settling *settling, uint32_t slot)
{
    const uint32_t kind =
        slot != UINT32_MAX ? rh__settling_kind(settling, slot) : RH_SETTLING_KINDS;
    return kind == RH_SETTLING_KINDS      ? 0.0
           : settling->weight[slot] > 0.0 ? settling->size[kind] * settling->weight[slot]
                                          : own_size(settling, slot);
}

rh_status rh__settling_measure(rh_settling *settling)
{
    RH_TRY(weigh(settling));
    memset(settling->size, 0, sizeof settling->size);
    for (uint32_t k = 0; k < settling->layout->symbols.count; k++) {
        const uint32_t kind = rh__settling_kind(settling, k);
        if (kind < RH_SETTLING_KINDS && settling->weight[k] > 0.0) {
            double *size = &settling->size[kind];
            *size = larger(*size, own_size(settling, k) / settling->weight[k]);
        }
    }
    return RH_OK;
}

rh_status rh__settling_look(rh_settling *settling)
{
    RH_TRY(rh__settling_measure(settling));
    for (uint32_t k = 0; k < settling->demands.count; k++) {
        RH_TRY(rh__demand_look(settling, &settling->demands.data[k]));
    }
    return RH_OK;
}

bool rh__demand_is_met(const rh_demand *demand)
{
    return fabs(demand->found) <=
           1e-9 * demand->scale + 1e-12 * demand->floor + ROUNDINGS * demand->noise;
}

bool rh__demand_moves(const rh_settling *settling, const rh_demand *demand)
{
    bool moves = false;
    for (uint32_t k = 0; !moves && k < demand->partials.count; k++) {
        const uint32_t slot = rh__layout_slot(settling->layout, demand->partials.data[k].symbol);
        moves = slot != UINT32_MAX && settling->is_moving[slot];
    }
    return moves;
}
