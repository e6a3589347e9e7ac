// SPDX-License-Identifier: Apache-2.0
// Streams: motions followed coarsely. Where many motions come to rest a search for zeros may not
// come: from afar it falls into whatever zero is downhill of the residual. The motion itself leads
// there. Steps are those of the linearly implicit method of Euler, (1/h - J) d = f, with exact
// slopes: stable however stiff, and it damps what oscillates, so that sinks are reached in few
// steps. The error of a step is half of the change of f h along it (theory 3).

#include "steady/steady.h"

#include <math.h>
#include <string.h>

#define ERROR 0.05  // of a step, in sizes of the variables
#define CALM 1e-3   // a step that is none, in the same units, over a long time
#define FAR 1e6     // sizes: where a motion has run off
#define FIRST 0.01  // step, in units of the time in which something happens
#define LONGEST 1e4 // the same
enum { STEPS = 300, TRIES = 12 };

typedef struct streaming {
    rh_workbench *bench;
    const rh_rest_query *query;
    uint32_t count;  // of places that move
    uint32_t *place; // them
    double *matrix;  // count x count
    double *right;   // count
    double *step;    // count
    double *kept;    // count: values
    double *rates;   // count
    uint32_t *pivot;
    double *diagonal, *factor;
} streaming;

static double unit_of(const streaming *in, uint32_t k)
{
    const rh_reduction *reduction = in->bench->reduction;
    const uint32_t slot = reduction->place[in->place[k]];
    return rh__engine_size(&reduction->engine, slot, in->kept[k]);
}

static double *value_of(const streaming *in, uint32_t k)
{
    return &in->bench->values[in->bench->reduction->place[in->place[k]]];
}

static double rate_of(const streaming *in, uint32_t k)
{
    return in->bench->outputs[in->bench->reduction->place[in->place[k]] - 1];
}

static rh_status reserve(streaming *in)
{
    const rh_reduction *reduction = in->bench->reduction;
    rh_arena *arena = &in->bench->scratch;
    const size_t n = (size_t)reduction->place_count + 1;
    in->place = rh__arena_array(arena, uint32_t, 2 * n);
    in->matrix = rh__arena_array(arena, double, n *n + 6 * n);
    RH_TRY(in->place == NULL || in->matrix == NULL ? arena->status : RH_OK);
    in->pivot = in->place + n;
    in->right = in->matrix + n * n;
    in->step = in->right + n;
    in->kept = in->step + n;
    in->rates = in->kept + n;
    in->diagonal = in->rates + n;
    in->factor = in->diagonal + n;
    for (uint32_t k = 0; k < reduction->place_count; k++) {
        if (!in->query->is_fixed[k]) {
            in->place[in->count++] = k;
        }
    }
    return RH_OK;
}

// One step of length h, in units of the variables; false: it cannot be told.
static bool find_step(streaming *in, double h)
{
    const rh_workbench *bench = in->bench;
    const rh_reduction *reduction = bench->reduction;
    const uint32_t n = in->count;
    const size_t outputs = reduction->slopes.output_count;
    for (uint32_t i = 0; i < n; i++) {
        const uint32_t rate = reduction->place[in->place[i]] - 1;
        in->right[i] = h * in->rates[i] / unit_of(in, i);
        for (uint32_t j = 0; j < n; j++) {
            const double slope =
                bench->jacobian[rate + in->place[j] * outputs] * unit_of(in, j) / unit_of(in, i);
            in->matrix[i + (size_t)j * n] = (i == j ? 1.0 : 0.0) - h * slope;
        }
    }
    rh__reflect(n, n, in->matrix, in->pivot, in->diagonal, in->factor);
    if (rh__reflect_rank(n, n, in->diagonal, 1e-12) < n) {
        return false;
    }
    rh__reflect_solve(n, n, in->matrix, in->pivot, in->diagonal, in->factor, in->right, in->step);
    return rh__vector_is_finite(n, in->step);
}

// Try a step; its error, INFINITY where it cannot be taken. Slopes are those at its beginning
// before, and those at its end afterwards.
static double try_step(streaming *in, double h)
{
    double error = 0.0;
    if (!find_step(in, h)) {
        return INFINITY;
    }
    for (uint32_t k = 0; k < in->count; k++) {
        *value_of(in, k) = in->kept[k] + in->step[k] * unit_of(in, k);
    }
    if (!rh__workbench_slope(in->bench)) {
        return INFINITY;
    }
    // the implicit step has d = h f(end) but for what is not linear
    for (uint32_t k = 0; k < in->count; k++) {
        error = fmax(error, fabs(in->step[k] - h * rate_of(in, k) / unit_of(in, k)));
    }
    return error;
}

static void keep(streaming *in)
{
    for (uint32_t k = 0; k < in->count; k++) {
        in->kept[k] = *value_of(in, k);
        in->rates[k] = rate_of(in, k);
    }
}

static bool go_back(streaming *in)
{
    for (uint32_t k = 0; k < in->count; k++) {
        *value_of(in, k) = in->kept[k];
    }
    return rh__workbench_slope(in->bench);
}

static bool has_run_off(const streaming *in)
{
    const rh_reduction *reduction = in->bench->reduction;
    double largest = 0.0;
    for (uint32_t k = 0; k < in->count; k++) {
        const uint32_t slot = reduction->place[in->place[k]];
        largest = fmax(largest, fabs(in->kept[k] - reduction->engine.origin[slot]) /
                                    reduction->engine.unit[slot]);
    }
    return !(largest < FAR);
}

// How far the last step led, in units of the variables.
static double length_of(const streaming *in)
{
    double size = 0.0;
    for (uint32_t k = 0; k < in->count; k++) {
        size = fmax(size, fabs(in->step[k]));
    }
    return size;
}

rh_status rh__stream_follow(rh_workbench *bench, const rh_rest_query *query, uint64_t *work,
                            bool *out)
{
    const rh_mark mark = rh__arena_mark(&bench->scratch);
    const double time = 1.0 / bench->reduction->engine.pace;
    const rh_slopes *slopes = &bench->reduction->slopes;
    streaming in = {.bench = bench, .query = query};
    *out = false;
    RH_TRY(reserve(&in));
    const uint64_t cost =
        (slopes->tape != NULL ? 4u * (uint64_t)slopes->tape->slot_count : 1u) *
            (slopes->directions > 0 ? slopes->moving_count / slopes->directions + 1 : 1) +
        2 * (uint64_t)in.count * in.count * in.count;
    double h = FIRST * time;
    bool ok = in.count > 0 && rh__workbench_slope(bench);
    bool is_calm = false;
    for (uint32_t n = 0; ok && !is_calm && n < STEPS; n++) {
        double error = INFINITY;
        keep(&in);
        for (uint32_t k = 0; ok && error > ERROR && k < TRIES; k++) {
            h *= k == 0 ? 1.0 : 0.25;
            error = try_step(&in, h);
            *work += cost;
            ok = error <= ERROR || go_back(&in);
        }
        ok = ok && error <= ERROR && !has_run_off(&in);
        is_calm = ok && h > 10.0 * time && length_of(&in) < CALM;
        h = fmin(h * fmin(2.0, 0.8 * sqrt(ERROR / fmax(error, 1e-30))), LONGEST * time);
        if (query->is_wanted != NULL && !query->is_wanted(query->user)) {
            break;
        }
    }
    *out = ok;
    rh__arena_rewind(&bench->scratch, mark);
    return RH_OK;
}
