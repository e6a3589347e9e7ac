// SPDX-License-Identifier: Apache-2.0
// Ratios near the zero of their argument. At order 0 the series of the ratio at 0 is summed up; at
// order 1 it is moved to u_0, g(u_0 + h) = sum C_m h^m, and from there on coefficient k is
//     y_k = sum_{m=1..k} C_m P_(m,k),   P_(m,k) = sum_j u_j P_(m-1,k-j),
// where P_(m,k) is coefficient k of (u - u_0)^m. Farther away the value is 0 and nobody reads it.

#include "tape/kernel.h"

#include <math.h>

size_t rh__near_room(uint32_t order)
{
    const size_t terms = (size_t)order + 1;
    return terms + terms * (terms + 1) / 2;
}

// Coefficient k of the powers m = 1 ... k stand together.
static double *powers_of(double *powers, uint32_t k)
{
    RH_ASSERT(k > 0);
    return powers + (size_t)k * (k - 1) / 2 - 1;
}

// What an operation works on: its argument by order, its series and its powers.
typedef struct nearness {
    const rh_tape_state *state;
    uint32_t argument; // slot
    double *series, *powers;
} nearness;

static double grow(const nearness *on, uint32_t k)
{
    RH_ASSERT(0 < k && k <= on->state->order);
    double *mine = powers_of(on->powers, k);
    double sum = 0.0;
    for (uint32_t m = 1; m <= k; m++) {
        double power = m == 1 ? rh__jet_row(on->state, k)[on->argument] : 0.0;
        for (uint32_t j = 1; m > 1 && j <= k - m + 1; j++) {
            power += rh__jet_row(on->state, j)[on->argument] * powers_of(on->powers, k - j)[m - 1];
        }
        mine[m] = power;
        sum += on->series[m] * power;
    }
    return sum;
}

void rh__group_near(rh_tape_state *state, const rh_tape_group *group, uint32_t k)
{
    const uint32_t *a = rh__group_operands(state, group, 0);
    const double *radius = state->weight + group->weight;
    for (uint32_t i = 0; i < group->count; i++) {
        const double u = state->jet[a[i]];
        double *out = rh__jet_row(state, k) + group->first + i;
        *out = 0.0;
        if (!(fabs(u) < radius[i])) {
            continue;
        }
        const rh_ratio *ratio =
            rh__ratio_at(state->tape->store, (uint32_t)radius[group->count + i]);
        const uint32_t n = (uint32_t)radius[2 * group->count + i];
        double *series = state->near + (group->other + i) * rh__near_room(state->order);
        const nearness on = {state, a[i], series, series + state->order + 1};
        if (k <= 1) {
            rh__ratio_shift(ratio, n, u, k == 0 ? 1 : state->order + 1, series);
        }
        *out = k == 0 ? series[0] : grow(&on, k);
    }
}
