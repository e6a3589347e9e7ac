// SPDX-License-Identifier: Apache-2.0
// Where on an orbit its start is told, when that is free: where the orbit is nearest to the start
// of the motion. The search leaves it anywhere, after thousands of steps or where neighbours part
// along the orbit, so that rounding would decide. Variables count by their deviation from their
// means, which is the same wherever the orbit begins.

#include "orbit/orbit.h"

#include <math.h>
#include <string.h>

enum { POINTS = 8, HALVINGS = 60, NODES = 26 }; // as many nodes as squares of series need

#define MORE 1.05    // periods that are looked at: a place at the start is found at the end
#define HERE 1e-12   // of the period: it is there already
#define EDGE 1e-6    // of the period: so near to what happens on the way it does not begin
#define UNMOVED 1e-6 // of the size of a variable: with less deviation it does not count

typedef struct nearest {
    rh_orbit *orbit;
    double since;                   // when the passage began
    double distance, time;          // the least, and after which time
    double jump_before, jump_after; // around the last step: when something happened
    double *x, *best;               // n each; `x` has n more
    double *weight;                 // n: one over the square of the deviation of each variable
} nearest;

// Means and squares of all variables over the last step, from the start on.
static void add_step(const nearest *in, double *mean, double *square)
{
    const rh_motion *motion = in->orbit->motion;
    const double *start = in->orbit->passage.start;
    const double length = motion->t - motion->t_before;
    double nodes[NODES];
    double weights[NODES];
    rh__quadrature_gauss(NODES, nodes, weights);
    for (uint32_t k = 0; k < NODES; k++) {
        rh__series_value(&motion->series, motion->t_before + nodes[k] * length, in->x);
        for (uint32_t i = 0; i < in->orbit->n; i++) {
            const double away = in->x[i] - start[i];
            mean[i] += weights[k] * length * away;
            square[i] += weights[k] * length * away * away;
        }
    }
}

static rh_status weigh(nearest *in)
{
    rh_motion *motion = in->orbit->motion;
    const rh_passage *passage = &in->orbit->passage;
    double *mean = in->best;
    double *square = in->weight;
    rh_stop stop = RH_STOP_NONE;
    rh_error err;
    RH_TRY(rh__motion_place(motion, passage->start, &err));
    const double end = motion->t + passage->time;
    while (stop == RH_STOP_NONE && !rh__orbit_is_over(in->orbit)) {
        RH_TRY(rh_motion_step(motion, end, &stop, &err));
        add_step(in, mean, square);
    }
    for (uint32_t i = 0; i < in->orbit->n; i++) {
        const double part = mean[i] / passage->time;
        const double least = UNMOVED * in->orbit->manifold.scale[i];
        const double deviation = square[i] / passage->time - part * part;
        in->weight[i] = deviation > least * least ? 1.0 / deviation : 0.0;
    }
    return RH_OK;
}

// How fast it goes away at a time of the last step; `out_distance`: squared.
static double look(const nearest *in, double time, double *out_distance)
{
    const rh_orbit *orbit = in->orbit;
    double *rate = in->x + orbit->n;
    double away = 0.0;
    *out_distance = 0.0;
    rh__series_value(&orbit->motion->series, time, in->x);
    rh__series_slope(&orbit->motion->series, time, rate);
    for (uint32_t i = 0; i < orbit->n; i++) {
        const double part = in->x[i] - orbit->begin[i];
        away += part * rate[i] * in->weight[i];
        *out_distance += part * part * in->weight[i];
    }
    return away;
}

// It comes nearer at `low` and goes away at `high`, and not where something happens.
static void narrow(nearest *in, double low, double high)
{
    RH_ASSERT(low <= high);
    const double edge = EDGE * in->orbit->passage.time;
    double distance = 0.0;
    for (uint32_t k = 0; k < HALVINGS && low < high; k++) {
        const double middle = low + 0.5 * (high - low);
        *(look(in, middle, &distance) < 0.0 ? &low : &high) = middle;
    }
    (void)look(in, high, &distance);
    if (distance < in->distance && high - in->jump_before > edge && in->jump_after - high > edge) {
        in->distance = distance;
        in->time = high - in->since;
        memcpy(in->best, in->x, in->orbit->n * sizeof *in->best);
    }
}

// Places along the last step; `last`: how fast it went away before.
static void look_along(nearest *in, double before, double *last)
{
    const rh_motion *motion = in->orbit->motion;
    const double part = (motion->t - before) / POINTS;
    double distance = 0.0;
    for (uint32_t p = 0; p <= POINTS; p++) {
        const double now = p < POINTS ? before + part * p : motion->t;
        const double away = look(in, now, &distance);
        if (*last < 0.0 && away >= 0.0) {
            narrow(in, p == 0 ? now : now - part, now);
        }
        *last = away;
    }
}

// The nearest place where nothing is held or met.
static rh_status find(nearest *in)
{
    rh_motion *motion = in->orbit->motion;
    const rh_passage *passage = &in->orbit->passage;
    rh_stop stop = RH_STOP_NONE;
    rh_error err;
    double last = INFINITY;
    RH_TRY(rh__motion_place(motion, passage->start, &err));
    in->since = motion->t;
    in->jump_before = -INFINITY;
    const double end = in->since + MORE * passage->time;
    while (stop == RH_STOP_NONE && !rh__orbit_is_over(in->orbit)) {
        const double before = motion->t;
        const uint64_t jumps = motion->jumps;
        const bool is_open = rh__orbit_is_open(motion);
        RH_TRY(rh_motion_step(motion, end, &stop, &err));
        const bool has_jumped = motion->jumps != jumps;
        in->jump_after = has_jumped ? motion->t : INFINITY;
        if (is_open && stop != RH_STOP_FAILED) {
            look_along(in, before, &last);
        }
        last = is_open && !has_jumped ? last : INFINITY;
        in->jump_before = has_jumped ? motion->t : in->jump_before;
    }
    return RH_OK;
}

// Close it from there; where that fails it stays.
static rh_status move(rh_orbit *orbit, const double *start)
{
    rh_passage *passage = &orbit->passage;
    const uint32_t iterations = orbit->iterations;
    rh_passage old;
    bool is_there = false;
    RH_TRY(rh__passage_reserve(&orbit->scratch, orbit->n, &old));
    rh__passage_copy(passage, orbit->n, &old);
    RH_TRY(rh__passage_try(orbit, start, old.time, passage, &is_there));
    RH_TRY(is_there ? rh__shooting_solve(orbit) : RH_OK);
    if (!is_there || orbit->outcome != RH_ORBIT_FOUND) {
        rh__passage_copy(&old, orbit->n, passage);
        rh__measure_take(orbit, passage);
    }
    orbit->outcome = RH_ORBIT_FOUND;
    orbit->iterations = iterations;
    orbit->reason[0] = '\0';
    return RH_OK;
}

rh_status rh__phase_settle(rh_orbit *orbit)
{
    const double time = orbit->passage.time;
    if (orbit->is_timed || orbit->is_free != NULL || orbit->def.has_whole_steps ||
        orbit->leg_count > 0 || !orbit->image.is_identity) {
        return RH_OK;
    }
    const rh_mark mark = rh__arena_mark(&orbit->scratch);
    double *room = rh__arena_array(&orbit->scratch, double, 4 * (size_t)orbit->n + 1);
    if (room == NULL) {
        return orbit->scratch.status;
    }
    nearest in = {.orbit = orbit,
                  .distance = INFINITY,
                  .x = room,
                  .best = room + 2 * (size_t)orbit->n,
                  .weight = room + 3 * (size_t)orbit->n};
    RH_TRY(weigh(&in));
    RH_TRY(find(&in));
    const double shift = fabs(remainder(in.time, time));
    RH_TRY(isfinite(in.distance) && shift > HERE * time ? move(orbit, in.best) : RH_OK);
    rh__arena_rewind(&orbit->scratch, mark);
    return RH_OK;
}
