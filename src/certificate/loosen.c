// SPDX-License-Identifier: Apache-2.0
// Equations that say the same of what is left unknown, and variables that were taken for zero too
// early: a constraint that gives one of them is wanted to say so. Found by elimination in doubles.

#include "certificate/propose.h"

#include <math.h>

#define DEPENDENT 1e-9 // of a row whose largest slope is 1

typedef struct sieving {
    rh_proposing *in;
    double *slope;  // rows x variables, row by row, each row scaled to a largest slope of 1
    bool *is_pivot; // by variable
    uint32_t n;
} sieving;

static bool begin(sieving *on)
{
    rh_proposing *in = on->in;
    rh_thesis *thesis = &in->on.thesis;
    on->n = thesis->count;
    on->slope = rh__arena_array(in->on.arena, double, (size_t)thesis->rows.count * on->n + 1);
    on->is_pivot = rh__arena_array(in->on.arena, bool, (size_t)on->n + 1);
    if (on->slope == NULL || on->is_pivot == NULL) {
        return false;
    }
    for (uint32_t k = 0; k < on->n; k++) {
        rh__balls_set_double(in->on.anchor.box, k, in->values[k]);
    }
    rh__field_look(&in->on.field, in->on.anchor.box, RH_BALLS_PRECISION);
    for (uint32_t i = 0; i < thesis->rows.count; i++) {
        double *row = on->slope + (size_t)i * on->n;
        double size = 0.0;
        for (uint32_t j = 0; j < on->n; j++) {
            const uint32_t at = rh__field_slope(&in->on.field, i, j);
            const double slope = rh__balls_middle(in->on.field.values, at);
            row[j] = isfinite(slope) ? slope : 0.0;
            size = fmax(size, fabs(row[j]));
        }
        for (uint32_t j = 0; j < on->n && size > 0.0; j++) {
            row[j] /= size;
        }
    }
    return true;
}

// The variable with the largest slope in a row: among those that are left unknown, or that are
// zero.
static uint32_t largest(const sieving *on, uint32_t row, bool is_zero)
{
    const rh_proposing *in = on->in;
    uint32_t best = UINT32_MAX;
    for (uint32_t j = 0; j < on->n; j++) {
        const bool is_there =
            is_zero ? in->is_zero[j] : !in->is_zero[j] && !in->is_fixed[j] && !on->is_pivot[j];
        const double size = fabs(on->slope[(size_t)row * on->n + j]);
        if (is_there && size > DEPENDENT &&
            (best == UINT32_MAX || size > fabs(on->slope[(size_t)row * on->n + best]))) {
            best = j;
        }
    }
    return best;
}

static void eliminate(sieving *on, uint32_t row, uint32_t pivot)
{
    const double *from = on->slope + (size_t)row * on->n;
    on->is_pivot[pivot] = true;
    for (uint32_t i = row + 1; i < on->in->on.thesis.rows.count; i++) {
        double *to = on->slope + (size_t)i * on->n;
        const double share = to[pivot] / from[pivot];
        for (uint32_t j = 0; j < on->n; j++) {
            to[j] -= share * from[j];
        }
    }
}

rh_status rh__propose_loosen(rh_proposing *in, bool *out)
{
    sieving on = {.in = in};
    *out = false;
    if (!begin(&on)) {
        return in->on.arena->status;
    }
    for (uint32_t i = 0; i < in->on.thesis.rows.count && !*out; i++) {
        if (in->on.is_vanishing[i]) {
            continue;
        }
        const uint32_t pivot = largest(&on, i, false);
        const uint32_t zero = pivot == UINT32_MAX ? largest(&on, i, true) : UINT32_MAX;
        if (pivot != UINT32_MAX) {
            eliminate(&on, i, pivot);
        } else if (zero != UINT32_MAX) {
            in->is_zero[zero] = false;
            *out = true;
        }
    }
    return RH_OK;
}
