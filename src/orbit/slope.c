// SPDX-License-Identifier: Apache-2.0
// Derivatives of a passage by a parameter p. Along the motion they are one more tangent whose
// equations are forced, v' = (df/dx) v + df/dp; at the start constraints may move, and the start
// follows them the shortest way: G v = -dg/dp. All derivatives come from tangents of tapes whose
// constants move.

#include "orbit/orbit.h"

#include <string.h>

// --- parameters ----------------------------------------------------------------------------------

// What a parameter is made of moves it.
static rh_expr follow_default(rh_drift *drift, rh_store *store, rh_expr given)
{
    rh_arena scratch = rh__arena_begin(drift->model->arena.allocator, drift->model->arena.limit);
    rh_gradient gradient = {.count = 0};
    rh_expr sum = rh__expr_integer(store, 0);
    if (rh__expr_gradient(store, given, RH_ROLE_PARAM, &scratch, &gradient)) {
        for (uint32_t k = 0; k < gradient.count; k++) {
            const rh_expr by = rh__drift_seed(drift, store, gradient.data[k].symbol);
            sum = rh__expr_add(store, sum, rh__expr_multiply(store, gradient.data[k].value, by));
        }
    } else {
        drift->is_unknown = true;
    }
    rh__arena_end(&scratch);
    return sum;
}

rh_expr rh__drift_seed(void *user, rh_store *store, rh_expr symbol)
{
    rh_drift *drift = user;
    const uint32_t mask = rh__expr_mask(store, symbol);
    const rh_family family = rh__expr_family(store, symbol);
    const uint32_t member = rh__expr_member(store, symbol);
    const rh_model *model = drift->model;
    drift->is_unknown = drift->is_unknown || (mask & RH_ROLE_CONSTANT) != 0;
    const uint32_t index = (mask & RH_ROLE_PARAM) != 0 && family.i < model->parameter_of.count
                               ? model->parameter_of.data[family.i]
                               : 0;
    if (index == 0) {
        return rh__expr_integer(store, 0);
    }
    const rh_parameter *parameter = &model->parameters.data[index - 1];
    if (parameter->dial[member] == drift->dial) {
        return rh__expr_integer(store, 1);
    }
    const rh_expr given = parameter->defaults[member];
    const bool follows = given.i != 0 && !drift->values->is_given[parameter->first + member] &&
                         (rh__expr_mask(store, given) & RH_ROLE_PARAM) != 0;
    return follows ? follow_default(drift, store, given) : rh__expr_integer(store, 0);
}

// --- making --------------------------------------------------------------------------------------

static rh_status make_gaps(rh_orbit *orbit, rh_error *err)
{
    rh_slope *slope = &orbit->slope;
    const rh_motion *motion = orbit->motion;
    uint32_t rows = 0;
    for (uint32_t s = 0; s < 2; s++) {
        const rh_project_stage *stage = &motion->projector.stages[s];
        rows += stage->rows;
        if (stage->miss != NULL) {
            const uint32_t none = 0;
            const rh_tangent_def def = {.direction_count = 1,
                                        .active = &none,
                                        .active_count = 0,
                                        .seed = rh__drift_seed,
                                        .user = &slope->drift};
            RH_TRY(rh__tape_tangent(stage->miss, &def, &slope->gaps[s], err));
            RH_TRY(rh__tape_state_create(slope->gaps[s], 0, motion->arena.allocator,
                                         &slope->gap_states[s]));
        }
    }
    slope->work = rh__arena_array(&orbit->arena, double, (size_t)rows + 1);
    return slope->work != NULL ? RH_OK : orbit->arena.status;
}

static rh_status make(rh_orbit *orbit, rh_error *err)
{
    rh_slope *slope = &orbit->slope;
    RH_TRY(rh__transport_create(orbit->motion, 1, &slope->drift, &slope->transport, err));
    slope->transport.sizes = orbit->manifold.scale;
    RH_TRY(make_gaps(orbit, err));
    return slope->drift.is_unknown ? RH_E_UNAVAILABLE : RH_OK;
}

rh_status rh__slope_create(rh_orbit *orbit, size_t index, rh_error *err)
{
    rh_slope *slope = &orbit->slope;
    rh__slope_destroy(slope);
    slope->drift.model = orbit->motion->equations->model;
    slope->drift.values = &orbit->motion->values;
    slope->drift.dial = (uint32_t)index + 1;
    slope->changes = UINT64_MAX;
    const rh_status status = make(orbit, err);
    slope->is_there = status == RH_OK;
    rh__formula_turn(orbit);
    if (status != RH_OK) {
        rh__slope_destroy(slope);
    }
    return status == RH_E_UNAVAILABLE ? RH_OK : status;
}

void rh__slope_destroy(rh_slope *slope)
{
    if (slope->transport.motion != NULL) {
        rh__transport_destroy(&slope->transport);
    }
    for (uint32_t s = 0; s < 2; s++) {
        rh__tape_state_destroy(slope->gap_states[s]);
        rh__tape_destroy(slope->gaps[s]);
    }
    *slope = (rh_slope){.is_there = false};
}

// --- beginning -----------------------------------------------------------------------------------

static rh_status bind(rh_orbit *orbit)
{
    rh_slope *slope = &orbit->slope;
    rh_motion *motion = orbit->motion;
    for (uint32_t s = 0; s < 2; s++) {
        if (slope->gaps[s] != NULL && !rh__motion_is_bound(motion, slope->changes)) {
            RH_TRY(rh__tape_bind(slope->gap_states[s], rh__point_value, &motion->start.point));
        }
    }
    slope->changes = motion->values.changes;
    return RH_OK;
}

// How the rows of the constraints move away under x, into `work`; false: all stay.
static bool find_gaps(rh_orbit *orbit, const double *x)
{
    const rh_slope *slope = &orbit->slope;
    const rh_motion *motion = orbit->motion;
    bool moves = false;
    double *out = slope->work;
    for (uint32_t s = 0; s < 2; s++) {
        const rh_project_stage *stage = &motion->projector.stages[s];
        rh_tape_state *state = slope->gap_states[s];
        if (state == NULL) {
            continue;
        }
        double *row = rh__jet_row(state, 0);
        memset(row, 0, slope->gaps[s]->input_count * sizeof *row);
        row[0] = motion->t;
        memcpy(row + 1, x, orbit->n * sizeof *row);
        rh__tape_run(state);
        for (uint32_t k = 0; k < stage->rows; k++) {
            const bool is_kept = motion->mode.is_kept[stage->levels[k].link];
            out[k] = is_kept ? rh__tape_output(state, stage->miss->output_count + k, 0) : 0.0;
            moves = moves || out[k] != 0.0;
        }
        out += stage->rows;
    }
    return moves;
}

rh_status rh__slope_begin(rh_orbit *orbit, rh_passage *passage)
{
    rh_slope *slope = &orbit->slope;
    passage->has_slope = slope->is_there && !orbit->is_plain && orbit->reason[0] == '\0';
    memset(passage->shift, 0, orbit->n * sizeof *passage->shift);
    if (!passage->has_slope) {
        return RH_OK;
    }
    RH_TRY(bind(orbit));
    if (find_gaps(orbit, passage->start)) {
        RH_TRY(rh__manifold_follow(&orbit->manifold, passage->start, slope->work, passage->shift));
    }
    return rh__transport_begin(&slope->transport, passage->shift);
}
