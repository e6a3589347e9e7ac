// SPDX-License-Identifier: Apache-2.0
// Sizes of variables: all that an orbit is measured by, so that it does not depend on units. A
// variable counts by its largest value on the way round, or by how far it goes; far from zero by a
// hundred times how far it goes, or by a share of its value where it hardly moves; and by no less
// than what rounding of the rates does to it. One that is zero and stays
// there counts by what it does to others over the way, or others to it.

#include "orbit/orbit.h"

#include <math.h>
#include <string.h>

#define NEAR                                                                                       \
    100.0        // times how far it goes: a variable whose value is no more than that counts by it
#define FAR 1e-3 // of its value: what goes less far counts by that
#define LEAST 1e-4 // of the sizes that a search had: what is less is the rounding of its steps
#define NOISE 1e11 // of what rounding does: ten times the default tolerance of an orbit

// --- what stays zero -----------------------------------------------------------------------------

// A size for variable k by those that are known: what it takes to move another one by its size, or
// what all of them move it by. 0: none is coupled to it.
static double size_by_others(const rh_orbit *orbit, const double *matrix, uint32_t k)
{
    const uint32_t n = orbit->n;
    const double *scale = orbit->manifold.scale;
    double acts = INFINITY;
    double suffers = 0.0;
    for (uint32_t i = 0; i < n; i++) {
        const double by = matrix[(size_t)k * n + i];
        if (scale[i] > 0.0 && by > 0.0) {
            acts = fmin(acts, scale[i] / by);
        }
        suffers = fmax(suffers, matrix[(size_t)i * n + k] * scale[i]);
    }
    const double size = isfinite(acts) ? acts : suffers;
    return isfinite(size) ? size : 0.0;
}

static void spread(const rh_orbit *orbit, const double *matrix)
{
    double *scale = orbit->manifold.scale;
    uint32_t unknown = 0;
    do {
        bool is_any = false;
        unknown = orbit->n;
        for (uint32_t k = orbit->n; k-- > 0;) {
            if (!(scale[k] > 0.0)) {
                scale[k] = size_by_others(orbit, matrix, k);
                is_any = is_any || scale[k] > 0.0;
                unknown = scale[k] > 0.0 ? unknown : k;
            }
        }
        if (!is_any && unknown < orbit->n) {
            scale[unknown] = 1.0; // nothing known depends on it
        }
    } while (unknown < orbit->n);
}

// The derivatives of all rates on the way from `start`, integrated over its time: moduli.
// Into the second n x n numbers of `slopes`, which has n more for the rates.
static rh_status integrate(rh_orbit *orbit, const double *start, double time, double *slopes)
{
    rh_motion *motion = orbit->motion;
    const size_t size = (size_t)orbit->n * orbit->n;
    double *matrix = slopes + size;
    rh_stop stop = RH_STOP_NONE;
    rh_error err;
    RH_TRY(rh__tape_bind(orbit->jacobian.state, rh__point_value, &motion->start.point));
    RH_TRY(rh__motion_place(motion, start, &err));
    const double end = motion->t + time;
    while (stop == RH_STOP_NONE && !rh__orbit_is_over(orbit)) {
        const double before = motion->t;
        RH_TRY(rh_motion_step(motion, end, &stop, &err));
        rh__motion_rate(motion, motion->t, motion->x, slopes + 2 * size);
        const bool is_there = rh__jacobian_run(&orbit->jacobian, motion->plain, slopes);
        for (size_t k = 0; is_there && k < size; k++) {
            const double part = fabs(slopes[k]) * (motion->t - before);
            matrix[k] += isfinite(part) ? part : 0.0;
        }
    }
    return RH_OK;
}

static rh_status complete(rh_orbit *orbit, const double *start, double time)
{
    const rh_mark mark = rh__arena_mark(&orbit->scratch);
    const size_t size = (size_t)orbit->n * orbit->n;
    bool is_whole = true;
    for (uint32_t i = 0; i < orbit->n; i++) {
        is_whole = is_whole && orbit->manifold.scale[i] > 0.0;
    }
    if (is_whole) {
        return RH_OK;
    }
    double *slopes = rh__arena_array(&orbit->scratch, double, 2 * size + orbit->n + 1);
    if (slopes == NULL) {
        return orbit->scratch.status;
    }
    RH_TRY(integrate(orbit, start, time, slopes));
    spread(orbit, slopes + size);
    rh__arena_rewind(&orbit->scratch, mark);
    return RH_OK;
}

// --- all -----------------------------------------------------------------------------------------

static double size_of(const rh_orbit *orbit, const rh_passage *passage, uint32_t i)
{
    const double noise = NOISE * orbit->motion->tolerance * orbit->floor[i];
    const double went = passage->went[i];
    const double most = passage->most[i];
    const double value = fmax(fmin(most, NEAR * went), FAR * most);
    const double size = fmax(went, fmax(value, noise));
    return isfinite(size) ? size : 0.0;
}

void rh__measure_take(rh_orbit *orbit, rh_passage *passage)
{
    for (uint32_t i = 0; i < orbit->n; i++) {
        const double size = size_of(orbit, passage, i);
        orbit->manifold.scale[i] = fmax(size, LEAST * orbit->manifold.scale[i]);
    }
    rh__passage_weigh(orbit, passage);
}

void rh__measure_grow(rh_orbit *orbit, rh_passage *passage)
{
    for (uint32_t i = 0; i < orbit->n; i++) {
        const double size = size_of(orbit, passage, i);
        orbit->manifold.scale[i] = fmax(orbit->manifold.scale[i], size);
    }
    rh__passage_weigh(orbit, passage);
}

rh_status rh__measure_find(rh_orbit *orbit, bool *out_is_there)
{
    rh_passage *passage = &orbit->passage;
    memcpy(orbit->trial.start, passage->start, orbit->n * sizeof *passage->start);
    memset(orbit->floor, 0, orbit->n * sizeof *orbit->floor);
    orbit->is_weighed = true;
    const rh_status status =
        rh__passage_try(orbit, orbit->trial.start, passage->time, passage, out_is_there);
    orbit->is_weighed = false;
    RH_TRY(status);
    if (!*out_is_there) {
        return RH_OK;
    }
    for (uint32_t i = 0; i < orbit->n; i++) {
        orbit->manifold.scale[i] = size_of(orbit, passage, i);
    }
    RH_TRY(complete(orbit, passage->start, passage->time));
    rh__passage_weigh(orbit, passage);
    return RH_OK;
}

rh_status rh__measure_begin(rh_orbit *orbit, rh_error *err)
{
    rh_motion *motion = orbit->motion;
    double *scale = orbit->manifold.scale;
    double *start = orbit->passage.start;
    rh_stop stop = RH_STOP_NONE;
    memcpy(start, motion->x, orbit->n * sizeof *start);
    const double since = motion->t;
    RH_TRY(rh_motion_step(motion, since + motion->unit_time, &stop, err));
    const double taken = motion->t - since;
    orbit->pace = motion->unit_time > 0.0 ? motion->unit_time : taken;
    for (uint32_t i = 0; i < orbit->n; i++) {
        const double noise = NOISE * motion->tolerance * motion->floor[i];
        scale[i] = fmax(fmax(motion->unit[i], noise), fmax(fabs(motion->x[i]), fabs(start[i])));
        scale[i] = isfinite(scale[i]) ? scale[i] : fabs(start[i]);
    }
    RH_TRY(complete(orbit, start, taken > 0.0 ? taken : orbit->pace));
    return rh__motion_place(motion, start, err);
}
