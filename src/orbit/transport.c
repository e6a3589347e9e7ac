// SPDX-License-Identifier: Apache-2.0
// Tangents along a motion: after each step the equations of variation are integrated over the same
// stretch, x being taken from the series of the step. Their own lengths are chosen anew, since
// tangents may need shorter steps than x.

#include "orbit/orbit.h"

#include <math.h>
#include <string.h>

// Coefficients of tangents are larger than those of x: a few orders more, and one piece does for a
// step.
enum { DIRECTIONS = 8, MOST_PIECES = 4096, MORE_ORDERS = 3, ROUGH_ORDER = 14 };

#define ROUGH 1e-9 // of tangents that only lead somewhere

#define SLACK                                                                                      \
    10.0 // tolerances of the motion: what tangents may miss in a step, relative to their size

static rh_status reserve(rh_transport *transport)
{
    const rh_motion *motion = transport->motion;
    rh_arena *arena = &transport->arena;
    const size_t n = (size_t)transport->n + 1;
    transport->v = rh__arena_array(arena, double, n *((size_t)transport->count + DIRECTIONS));
    double **const vectors[] = {&transport->x,         &transport->before, &transport->rate,
                                &transport->direction, &transport->work,   &transport->image,
                                &transport->own_sizes};
    bool ok = transport->v != NULL;
    for (size_t k = 0; ok && k < sizeof vectors / sizeof *vectors; k++) {
        *vectors[k] = rh__arena_array(arena, double, n);
        ok = *vectors[k] != NULL;
    }
    transport->was_active = rh__arena_array(arena, bool, (size_t)motion->mode.gate_count + 1);
    transport->side = rh__arena_array(arena, int, (size_t)motion->system->step->switch_count + 1);
    return ok && transport->was_active != NULL && transport->side != NULL ? RH_OK : arena->status;
}

static rh_status build(rh_transport *transport, rh_error *err)
{
    const rh_motion *motion = transport->motion;
    const rh_allocator allocator = motion->arena.allocator;
    const uint32_t order = motion->order_chosen + MORE_ORDERS;
    uint32_t directions = transport->count < DIRECTIONS ? transport->count : DIRECTIONS;
    RH_TRY(reserve(transport));
    if (transport->count > DIRECTIONS) {
        const rh_strain_def many = {.tape = motion->system->step,
                                    .n = transport->n,
                                    .order = order,
                                    .tangents = transport->count};
        RH_TRY(rh__strain_create(&many, allocator, &transport->strain));
        const uint32_t colours = transport->strain.colour_count;
        directions = colours > 0 && colours < directions ? colours : directions;
    }
    const rh_fan_def def = {.tape = motion->system->step,
                            .n = transport->n,
                            .directions = directions,
                            .order = order,
                            .seed = transport->drift != NULL ? rh__drift_seed : NULL,
                            .user = transport->drift};
    RH_TRY(rh__fan_create(&def, allocator, &transport->fan, err));
    RH_TRY(rh__tape_state_create(motion->system->step, 2, allocator, &transport->probe));
    if (motion->reset.tape != NULL) {
        RH_TRY(rh__tape_state_create(motion->reset.tape, 1, allocator, &transport->probe_reset));
    }
    transport->fan.state->feeds = transport->probe->feeds = motion->tracks.pieces;
    return RH_OK;
}

rh_status rh__transport_create(rh_motion *motion, uint32_t count, rh_drift *drift,
                               rh_transport *out, rh_error *err)
{
    RH_ASSERT(motion->system != NULL);
    *out = (rh_transport){
        .motion = motion, .n = motion->n, .count = count, .drift = drift, .changes = UINT64_MAX};
    out->arena = rh__arena_begin(motion->arena.allocator, motion->arena.limit);
    const rh_status status = build(out, err);
    if (status != RH_OK) {
        rh__transport_destroy(out);
        return rh__error_fill(err, status, "%s", rh_status_text(status));
    }
    return RH_OK;
}

void rh__transport_destroy(rh_transport *transport)
{
    rh__strain_destroy(&transport->strain);
    rh__fan_destroy(&transport->fan);
    rh__tape_state_destroy(transport->probe);
    rh__tape_state_destroy(transport->probe_reset);
    rh__arena_end(&transport->arena);
    *transport = (rh_transport){.n = 0};
}

rh_status rh__transport_bind(rh_transport *transport)
{
    rh_motion *motion = transport->motion;
    if (!rh__motion_is_bound(motion, transport->changes)) {
        RH_TRY(rh__tape_bind(transport->fan.state, rh__point_value, &motion->start.point));
        rh__tape_bind_like(transport->probe, motion->step);
        if (transport->probe_reset != NULL) {
            rh__tape_bind_like(transport->probe_reset, motion->reset.state);
        }
        transport->changes = motion->values.changes;
    }
    return RH_OK;
}

rh_status rh__transport_begin(rh_transport *transport, const double *v)
{
    RH_TRY(rh__transport_bind(transport));
    memcpy(transport->v, v, (size_t)transport->n * transport->count * sizeof *v);
    transport->time = transport->motion->t;
    transport->reason[0] = '\0';
    transport->strain.pace = 0.0; // the same bits, whatever was before
    return RH_OK;
}

void rh__transport_prepare(rh_transport *transport)
{
    const rh_motion *motion = transport->motion;
    transport->jumps = motion->jumps;
    transport->occurrence_count = motion->occurrences.count;
    for (uint32_t k = 0; k < motion->mode.gate_count; k++) {
        transport->was_active[k] = motion->mode.gates[k].is_active;
    }
    for (uint32_t k = 0; k < motion->system->step->switch_count; k++) {
        const rh_condition *it = &motion->mode.conditions[k];
        transport->side[k] = it->is_sliding ? 2 : it->side;
    }
}

static double tolerance_of(const rh_transport *transport)
{
    return transport->is_rough ? ROUGH : SLACK * transport->motion->tolerance;
}

static const double *sizes_of(rh_transport *transport)
{
    const rh_motion *motion = transport->motion;
    for (uint32_t i = 0; transport->sizes == NULL && i < transport->n; i++) {
        const double size = rh__unit_size(motion, i, motion->x[i]);
        transport->own_sizes[i] = size > 0.0 && isfinite(size) ? size : 1.0;
    }
    return transport->sizes != NULL ? transport->sizes : transport->own_sizes;
}

// Some columns from `time` to `end`.
static bool carry(rh_transport *transport, uint32_t first, double time, double end)
{
    RH_ASSERT(first < transport->count);
    rh_fan *fan = &transport->fan;
    const double tolerance = tolerance_of(transport);
    double *v = transport->v + (size_t)first * transport->n;
    for (uint32_t k = 0; time < end && k < MOST_PIECES; k++) {
        rh__series_value(&transport->motion->series, time, transport->x);
        const double length = rh__fan_expand(fan, time, transport->x, v, tolerance);
        if (!(length > 0.0)) {
            return false;
        }
        const bool is_last = time + length >= end;
        rh__fan_reach(fan, is_last ? end - time : length, NULL, v);
        time = is_last ? end : time + length;
    }
    return time >= end && rh__vector_is_finite((size_t)fan->directions * transport->n, v);
}

// All columns to `end`.
static bool carry_all(rh_transport *transport, double end)
{
    rh_fan *fan = &transport->fan;
    const uint32_t order = fan->order;
    bool is_well = true;
    fan->sizes = sizes_of(transport);
    fan->order = transport->is_rough && order > ROUGH_ORDER ? ROUGH_ORDER : order;
    if (transport->strain.colour_count > 0) {
        const rh_stretch over = {.series = &transport->motion->series,
                                 .sizes = fan->sizes,
                                 .time = transport->time,
                                 .end = end,
                                 .tolerance = tolerance_of(transport),
                                 .x = transport->x};
        is_well = rh__strain_carry(&transport->strain, fan, &over, transport->count, transport->v);
    } else {
        // the last run has fewer columns of its own
        memset(transport->v + (size_t)transport->count * transport->n, 0,
               (size_t)fan->directions * transport->n * sizeof *transport->v);
        for (uint32_t first = 0; is_well && first < transport->count; first += fan->directions) {
            is_well = carry(transport, first, transport->time, end);
        }
    }
    fan->order = order;
    return is_well;
}

bool rh__transport_follow(rh_transport *transport)
{
    RH_ASSERT(transport->motion->t >= transport->time ||
              transport->motion->t != transport->motion->t);
    rh_motion *motion = transport->motion;
    const double end = motion->t;
    bool is_well = true;
    if (end > transport->time) {
        // one piece of each input, to its end, and what held in this step
        rh__tracks_select(motion, 0.5 * (transport->time + end));
        rh__tape_follow(transport->fan.state, motion->plain);
        is_well = carry_all(transport, end);
        rh__tracks_select(motion, end);
    }
    if (!is_well) {
        (void)rh__text_fill(transport->reason, sizeof transport->reason,
                            "the tangents are not finite after t = %.10g%s", transport->time,
                            motion->singular_steps > 0
                                ? ": constraints become redundant or singular on the way, where "
                                  "neighbours part"
                                : "");
        return false;
    }
    transport->time = end;
    return motion->jumps == transport->jumps || rh__transport_jump(transport);
}
