// SPDX-License-Identifier: Apache-2.0
// One way round: the motion from a start on the constraints for a given time, with tangents in all
// directions that the constraints allow there.

#include "orbit/orbit.h"

#include <math.h>
#include <string.h>

// Steps of the first passage, and of others as a multiple of it: starts far off may lead where the
// motion hardly gets on.
enum { FIRST_LIMIT = 1000000, MORE_STEPS = 1000, TIMES_STEPS = 20 };

rh_status rh__passage_reserve(rh_arena *arena, uint32_t n, rh_passage *out)
{
    *out = (rh_passage){.count = 0};
    out->start = rh__arena_array(arena, double, (size_t)n + 1);
    out->end = rh__arena_array(arena, double, (size_t)n + 1);
    out->rate = rh__arena_array(arena, double, (size_t)n + 1);
    out->leaving = rh__arena_array(arena, double, (size_t)n + 1);
    out->tangents = rh__arena_array(arena, double, (size_t)n *n + 1);
    out->basis = rh__arena_array(arena, double, (size_t)n *n + 1);
    out->shift = rh__arena_array(arena, double, 2 * (size_t)n + 1);
    out->slope = out->shift != NULL ? out->shift + n : NULL;
    out->scale = rh__arena_array(arena, double, 3 * (size_t)n + 1);
    out->went = out->scale != NULL ? out->scale + n : NULL;
    out->most = out->scale != NULL ? out->went + n : NULL;
    const bool ok = out->start != NULL && out->shift != NULL && out->scale != NULL &&
                    out->end != NULL && out->rate != NULL && out->leaving != NULL &&
                    out->tangents != NULL && out->basis != NULL;
    return ok ? RH_OK : arena->status;
}

void rh__passage_copy(const rh_passage *from, uint32_t n, rh_passage *to)
{
    RH_ASSERT(from->count <= n && from->tangents != to->tangents);
    const rh_passage own = *to;
    const size_t size = n * sizeof(double);
    *to = *from;
    to->start = memcpy(own.start, from->start, size);
    to->end = memcpy(own.end, from->end, size);
    to->rate = memcpy(own.rate, from->rate, size);
    to->leaving = memcpy(own.leaving, from->leaving, size);
    to->shift = memcpy(own.shift, from->shift, size);
    to->slope = memcpy(own.slope, from->slope, size);
    to->scale = memcpy(own.scale, from->scale, size);
    to->went = memcpy(own.went, from->went, size);
    to->most = memcpy(own.most, from->most, size);
    to->tangents = memcpy(own.tangents, from->tangents, size * from->count);
    to->basis = memcpy(own.basis, from->basis, size * from->count);
}

void rh__passage_miss(const rh_orbit *orbit, const rh_passage *passage, double *out)
{
    rh__image_apply(&orbit->image, passage->start, out);
    for (uint32_t i = 0; i < orbit->n; i++) {
        out[i] = (passage->end[i] - out[i]) / orbit->manifold.scale[i];
    }
}

void rh__passage_weigh(const rh_orbit *orbit, rh_passage *passage)
{
    double *miss = orbit->transport.work;
    passage->extent = passage->residual = 0.0;
    rh__passage_miss(orbit, passage, miss);
    for (uint32_t i = 0; i < orbit->n; i++) {
        const double way = passage->went[i] / orbit->manifold.scale[i];
        passage->extent = fmax(passage->extent, way);
        passage->residual = fmax(passage->residual, fabs(miss[i]));
    }
}

double rh__passage_share(const rh_orbit *orbit, const rh_passage *passage, uint32_t k,
                         const double *own)
{
    RH_ASSERT(k < passage->count);
    const double *basis = passage->basis + (size_t)k * orbit->n;
    double sum = 0.0;
    for (uint32_t i = 0; i < orbit->n; i++) {
        sum += basis[i] * own[i] * (orbit->manifold.scale[i] / passage->scale[i]);
    }
    return sum;
}

// The rate at (t, x) in the mode of the step to come.
static void find_rate(rh_orbit *orbit, double *out)
{
    rh_motion *motion = orbit->motion;
    rh_tape_state *state = orbit->transport.probe;
    rh__tape_follow(state, motion->step);
    double *row = rh__jet_row(state, 0);
    row[0] = motion->t;
    memcpy(row + 1, motion->x, motion->n * sizeof *row);
    rh__tape_run(state);
    for (uint32_t i = 0; i < motion->n; i++) {
        out[i] = rh__tape_output(state, i, 0);
    }
}

// Turn the basis such that its first direction is the one of the flow, whose tangent is known: it
// is the rate wherever the motion is. (A reflection that exchanges the two.)
static void put_flow_first(const rh_orbit *orbit, rh_passage *passage)
{
    const uint32_t n = orbit->n;
    double *part = orbit->transport.work; // of the flow along each direction
    double size = 0.0;
    for (uint32_t k = 0; k < passage->count; k++) {
        part[k] = 0.0;
        for (uint32_t i = 0; i < n; i++) {
            part[k] +=
                passage->basis[(size_t)k * n + i] * passage->leaving[i] / orbit->manifold.scale[i];
        }
        size += part[k] * part[k];
    }
    size = sqrt(size);
    passage->speed = passage->count > 0 ? part[0] : 0.0;
    if (!(size > 0.0) || passage->count < 2) {
        return;
    }
    // v = e1 - flow / size; basis <- basis (1 - 2 v v^T / v.v)
    const double sign = part[0] > 0.0 ? -1.0 : 1.0; // no cancellation
    double square = 0.0;
    for (uint32_t k = 0; k < passage->count; k++) {
        part[k] = (k == 0 ? 1.0 : 0.0) - sign * part[k] / size;
        square += part[k] * part[k];
    }
    for (uint32_t i = 0; i < n; i++) {
        double along = 0.0;
        for (uint32_t k = 0; k < passage->count; k++) {
            along += passage->basis[(size_t)k * n + i] * part[k];
        }
        for (uint32_t k = 0; k < passage->count; k++) {
            passage->basis[(size_t)k * n + i] -= 2.0 * along * part[k] / square;
        }
    }
    passage->speed = sign * size;
}

// Tangents that are carried: all, or all but the first, which is that of the flow.
static uint32_t first_carried(const rh_orbit *orbit)
{
    return orbit->is_timed ? 0 : 1;
}

static rh_status begin_tangents(rh_orbit *orbit, rh_passage *out)
{
    const uint32_t n = orbit->n;
    const uint32_t first = first_carried(orbit);
    const size_t room = (size_t)(orbit->transport.count + first) * n;
    if (out->count > orbit->transport.count + first) {
        (void)rh__text_fill(
            orbit->reason, sizeof orbit->reason,
            "the constraints leave %u directions at the start now and left %u at first", out->count,
            orbit->transport.count + first);
        return RH_OK;
    }
    for (size_t k = 0; k < room; k++) {
        const bool is_there = k < (size_t)out->count * n;
        out->tangents[k] = is_there ? out->basis[k] * orbit->manifold.scale[k % n] : 0.0;
    }
    return rh__transport_begin(&orbit->transport, out->tangents + (size_t)first * n);
}

static rh_status set_out(rh_orbit *orbit, const double *start, rh_passage *out)
{
    rh_motion *motion = orbit->motion;
    rh_error err = {.message = ""};
    const bool is_bound = motion->projector.stages[0].rows + motion->projector.stages[1].rows > 0;
    rh_status placed = rh__motion_place(motion, start, &err);
    if (placed == RH_OK && is_bound) { // it knows now what is kept there
        double *x = orbit->transport.x;
        memcpy(x, start, motion->n * sizeof *x);
        RH_TRY(rh__manifold_project(&orbit->manifold, x));
        placed = rh__motion_place(motion, x, &err);
    }
    if (placed == RH_E_MODEL) {
        (void)rh__text_fill(orbit->reason, sizeof orbit->reason, "%s", err.message);
        return RH_OK;
    }
    RH_TRY(placed);
    memcpy(out->start, motion->x, motion->n * sizeof *start);
    if (orbit->is_plain) {
        return rh__transport_bind(&orbit->transport);
    }
    RH_TRY(rh__manifold_directions(&orbit->manifold, motion->x, NULL, out->basis, &out->count));
    RH_TRY(rh__transport_bind(&orbit->transport));
    find_rate(orbit, out->leaving);
    if (!orbit->is_timed) {
        put_flow_first(orbit, out);
    }
    return begin_tangents(orbit, out);
}

// How far variables went after a step; and what its rounding does to them in the whole time, where
// that is asked for.
static void note_extent(const rh_orbit *orbit, rh_passage *passage)
{
    rh_motion *motion = orbit->motion;
    for (uint32_t i = 0; i < orbit->n; i++) {
        passage->went[i] = fmax(passage->went[i], fabs(motion->x[i] - passage->start[i]));
        passage->most[i] = fmax(passage->most[i], fabs(motion->x[i]));
    }
    if (orbit->is_weighed && motion->reason[0] == '\0') {
        (void)rh__unit_find_floor(motion, passage->time);
        for (uint32_t i = 0; i < orbit->n; i++) {
            orbit->floor[i] = fmax(orbit->floor[i], motion->floor[i]);
        }
    }
}

static void prepare(rh_orbit *orbit, const rh_passage *out)
{
    if (!orbit->is_plain) {
        rh__transport_prepare(&orbit->transport);
    }
    if (out->has_slope) {
        rh__transport_prepare(&orbit->slope.transport);
    }
}

// The slope goes its own way; where it cannot follow there is none.
static void follow_slope(rh_orbit *orbit, rh_passage *out)
{
    out->has_slope = out->has_slope && rh__transport_follow(&orbit->slope.transport);
}

static void arrive(rh_orbit *orbit, rh_passage *out)
{
    RH_ASSERT(orbit->is_plain || out->count <= orbit->transport.count + first_carried(orbit));
    rh_motion *motion = orbit->motion;
    const uint32_t first = first_carried(orbit);
    memcpy(out->end, motion->x, motion->n * sizeof *out->end);
    if (!orbit->is_plain) {
        memcpy(out->tangents + (size_t)first * orbit->n, orbit->transport.v,
               (size_t)orbit->n * (out->count > first ? out->count - first : 0) *
                   sizeof *out->tangents);
    }
    if (out->has_slope) {
        memcpy(out->slope, orbit->slope.transport.v, motion->n * sizeof *out->slope);
    }
    find_rate(orbit, out->rate);
    for (uint32_t i = 0; !orbit->is_plain && first == 1 && i < orbit->n; i++) {
        out->tangents[i] = out->speed != 0.0 ? out->rate[i] / out->speed : 0.0;
    }
    out->event_count = motion->occurrences.count;
    out->jumps = motion->jumps - orbit->jumps;
    out->steps = motion->steps;
    rh__passage_weigh(orbit, out);
}

// What grows beyond all numbers leads nowhere.
static bool has_values(const rh_orbit *orbit, const rh_passage *passage)
{
    const size_t n = orbit->n;
    bool is_finite = isfinite(passage->residual);
    for (size_t i = 0; i < n; i++) {
        is_finite = is_finite && isfinite(passage->rate[i] * passage->time) &&
                    (orbit->is_plain || isfinite(passage->leaving[i] * passage->time));
    }
    return is_finite &&
           (orbit->is_plain || rh__vector_is_finite(n * passage->count, passage->tangents));
}

void rh__passage_limit(rh_orbit *orbit, const rh_passage *like)
{
    orbit->step_limit = MORE_STEPS + TIMES_STEPS * like->steps;
}

rh_status rh__passage_run(rh_orbit *orbit, const double *start, double time, rh_passage *out,
                          bool *out_is_there)
{
    rh_motion *motion = orbit->motion;
    rh_stop stop = RH_STOP_NONE;
    rh_error err;
    *out_is_there = false;
    orbit->reason[0] = '\0';
    if (!isfinite(motion->t + time)) {
        (void)rh__text_fill(orbit->reason, sizeof orbit->reason, "its period is not finite");
        return RH_OK;
    }
    RH_TRY(set_out(orbit, start, out));
    RH_TRY(rh__slope_begin(orbit, out));
    out->is_stale = false;
    orbit->jumps = motion->jumps;
    out->time = time;
    memset(out->most, 0, orbit->n * sizeof *out->most);
    // the whole orbit comes to the image of its start
    rh__image_apply(&orbit->image, out->start, out->went);
    for (uint32_t i = 0; i < orbit->n; i++) {
        out->went[i] = fabs(out->went[i] - out->start[i]);
    }
    memcpy(out->scale, orbit->manifold.scale, orbit->n * sizeof *out->scale);
    const double end = motion->t + time;
    bool is_well = orbit->reason[0] == '\0';
    uint64_t left = orbit->step_limit > 0 ? orbit->step_limit : FIRST_LIMIT;
    for (; is_well && stop == RH_STOP_NONE && left > 0 && !rh__orbit_is_over(orbit); left--) {
        prepare(orbit, out);
        RH_TRY(rh_motion_step(motion, end, &stop, &err));
        is_well =
            stop == RH_STOP_FAILED || orbit->is_plain || rh__transport_follow(&orbit->transport);
        follow_slope(orbit, out);
        note_extent(orbit, out);
    }
    if (stop == RH_STOP_REACHED && is_well) {
        arrive(orbit, out);
        *out_is_there = has_values(orbit, out);
        if (!*out_is_there) {
            (void)rh__text_fill(orbit->reason, sizeof orbit->reason,
                                "its neighbours part beyond all numbers");
        }
        if (orbit->step_limit == 0) {
            rh__passage_limit(orbit, out);
        }
    } else if (orbit->reason[0] == '\0') {
        (void)rh__text_fill(orbit->reason, sizeof orbit->reason, "%s",
                            orbit->over != NULL      ? orbit->over
                            : stop == RH_STOP_FAILED ? motion->reason
                            : stop == RH_STOP_EVENT  ? "an event stops the motion on its way round"
                            : left == 0 && orbit->step_limit == 0
                                ? "the motion takes more than a million steps for it"
                            : left == 0 ? "a motion nearby takes far more steps"
                                        : orbit->transport.reason);
    }
    return RH_OK;
}

rh_status rh__passage_try(rh_orbit *orbit, const double *start, double time, rh_passage *out,
                          bool *out_is_there)
{
    orbit->is_plain = true;
    const rh_status status = rh__passage_run(orbit, start, time, out, out_is_there);
    orbit->is_plain = false;
    return status;
}
