// SPDX-License-Identifier: Apache-2.0
// By which quantities a family is parametrised: those of the call first, then variables that move
// most along it.

#include "certificate/propose.h"

#include <math.h>

#define PIVOT 1e-7 // of the kernel

typedef struct choosing {
    double *basis; // dimension x dimension: rows so far, orthonormal
    double *row;
    uint32_t count;
} choosing;

// The part of a row that is not in the basis: its length.
static double reduce(const choosing *on, uint32_t k, double *row)
{
    for (uint32_t j = 0; j < on->count; j++) {
        double dot = 0.0;
        for (uint32_t i = 0; i < k; i++) {
            dot += row[i] * on->basis[(size_t)j * k + i];
        }
        for (uint32_t i = 0; i < k; i++) {
            row[i] -= dot * on->basis[(size_t)j * k + i];
        }
    }
    double size = 0.0;
    for (uint32_t i = 0; i < k; i++) {
        size = hypot(size, row[i]);
    }
    return size;
}

static void take_row(choosing *on, uint32_t k, double size)
{
    for (uint32_t i = 0; i < k; i++) {
        on->basis[(size_t)on->count * k + i] = on->row[i] / size;
    }
    on->count++;
}

static double look_at_variable(const rh_proposing *in, choosing *on, uint32_t variable)
{
    const uint32_t k = in->draft.dimension;
    for (uint32_t j = 0; j < k; j++) {
        on->row[j] = in->kernel[variable + (size_t)j * in->on.thesis.count];
    }
    return reduce(on, k, on->row);
}

// Demands of the call count first: their slopes along the family.
static bool take_demands(const rh_proposing *in, choosing *on)
{
    const rh_thesis *thesis = &in->on.thesis;
    const uint32_t k = in->draft.dimension;
    for (uint32_t i = thesis->demand_first; i < thesis->rows.count; i++) {
        for (uint32_t j = 0; j < k; j++) {
            on->row[j] = 0.0;
            for (uint32_t v = 0; v < thesis->count; v++) {
                on->row[j] +=
                    rh__propose_slope(in, i, v) * in->kernel[v + (size_t)j * thesis->count];
            }
        }
        const double size = on->count < k ? reduce(on, k, on->row) : 0.0;
        if (!(size > PIVOT)) {
            return false;
        }
        take_row(on, k, size);
    }
    return true;
}

// As many variables as the family has dimensions: those of the call, then those that move most.
bool rh__propose_fixed(rh_proposing *in)
{
    const uint32_t k = in->draft.dimension;
    const uint32_t n = in->on.thesis.count;
    choosing on = {.count = 0};
    on.basis = rh__arena_array(in->on.arena, double, (size_t)k *k + 1);
    on.row = rh__arena_array(in->on.arena, double, (size_t)k + 1);
    if (on.basis == NULL || on.row == NULL) {
        return false;
    }
    if (!take_demands(in, &on)) {
        return rh__propose_give_up(in, "more is fixed than the family has dimensions");
    }
    for (uint32_t v = 0; v < n && on.count < k; v++) {
        const double size = in->wanted[v] != NULL ? look_at_variable(in, &on, v) : 0.0;
        if (size > PIVOT) {
            in->is_fixed[v] = true;
            take_row(&on, k, size);
        }
    }
    while (on.count < k) {
        uint32_t best = 0;
        double largest = 0.0;
        for (uint32_t v = 0; v < in->on.thesis.state_count; v++) {
            const double size = in->is_fixed[v] ? 0.0 : look_at_variable(in, &on, v);
            if (size > largest) {
                largest = size;
                best = v;
            }
        }
        if (!(largest > PIVOT)) {
            return rh__propose_give_up(in, "the family could not be parametrised");
        }
        in->is_fixed[best] = true;
        take_row(&on, k, look_at_variable(in, &on, best));
    }
    return true;
}
