// SPDX-License-Identifier: Apache-2.0
// Inputs from files along the time: points (time, value), straight lines between them, held before
// the first and after the last. Points at one time are a jump from the first of them to the last;
// at that time itself the value is the last. Where a piece ends a step ends, so every step sees one
// straight line of each.

#include "motion/motion.h"

#include <math.h>

// --- reading the feeds -------------------------------------------------------------------------

static double slope_between(const double *times, const double *values, size_t k)
{
    RH_ASSERT(times[k] < times[k + 1]);
    return (values[k + 1] - values[k]) / (times[k + 1] - times[k]);
}

static rh_status check_points(const rh_feed *feed, rh_error *err)
{
    if (feed->times == NULL || feed->values == NULL || feed->count == 0 ||
        feed->count > UINT32_MAX) {
        return rh__error_fill(err, RH_E_ARGUMENT, "the feed %s has no points", feed->name);
    }
    for (size_t k = 0; k < feed->count; k++) {
        if (!isfinite(feed->times[k]) || !isfinite(feed->values[k])) {
            return rh__error_fill(err, RH_E_ARGUMENT, "point %zu of the feed %s is not finite", k,
                                  feed->name);
        }
    }
    for (size_t k = 0; k + 1 < feed->count; k++) {
        const bool is_jump = feed->times[k + 1] == feed->times[k];
        if (feed->times[k + 1] < feed->times[k] ||
            (!is_jump && !isfinite(slope_between(feed->times, feed->values, k)))) {
            return rh__error_fill(err, RH_E_ARGUMENT,
                                  "the times of the feed %s go back, or are too near to each "
                                  "other, at point %zu",
                                  feed->name, k + 1);
        }
    }
    return RH_OK;
}

// A point on a level stretch ends no step.
static void keep_point(rh_track *track, double time, double value)
{
    const uint32_t count = track->count;
    RH_ASSERT(count == 0 || track->times[count - 1] <= time);
    const bool is_level = count > 0 && track->values[count - 1] == value;
    if (is_level && (count == 1 || track->values[count - 2] == value)) {
        track->times[count - 1] = time;
    } else if (!is_level || track->times[count - 1] != time) {
        track->times[count] = time;
        track->values[count] = value;
        track->count++;
    }
}

static rh_status read_points(rh_motion *motion, const rh_feed *feed, rh_track *out, rh_error *err)
{
    RH_TRY(check_points(feed, err));
    out->times = rh__arena_array(&motion->arena, double, feed->count);
    out->values = rh__arena_array(&motion->arena, double, feed->count);
    if (out->times == NULL || out->values == NULL) {
        return motion->arena.status;
    }
    for (size_t k = 0; k < feed->count; k++) {
        keep_point(out, feed->times[k], feed->values[k]);
    }
    // held at its end it stays on the same level
    out->count -= out->count > 1 && out->values[out->count - 1] == out->values[out->count - 2];
    RH_ASSERT(0 < out->count && out->count <= feed->count);
    return RH_OK;
}

// Without a table: 0 until rh_motion_set_input() says otherwise.
static rh_status begin_live(rh_motion *motion, rh_track *out)
{
    enum { POINTS = 2 };
    out->is_live = true;
    out->count = 1;
    out->times = rh__arena_array(&motion->arena, double, POINTS);
    out->values = rh__arena_array(&motion->arena, double, POINTS);
    return out->times != NULL && out->values != NULL ? RH_OK : motion->arena.status;
}

void rh__tracks_renew(rh_motion *motion)
{
    for (uint32_t k = 0; k < motion->tracks.count; k++) {
        rh_track *track = &motion->tracks.data[k];
        if (track->is_live) {
            track->times[0] = track->values[0] = 0.0;
            track->count = 1;
            track->at = 0;
        }
    }
}

static rh_status read_feed(rh_motion *motion, const rh_motion_def *def, const rh_input *input,
                           rh_track *out, rh_error *err)
{
    const rh_feed *found = NULL;
    for (size_t k = 0; k < def->feed_count; k++) {
        RH_REQUIRE(def->feeds[k].name != NULL, err);
        if (!rh__slice_equal(rh__slice_of(def->feeds[k].name), input->name)) {
            continue;
        }
        if (found != NULL) {
            return rh__error_fill(err, RH_E_ARGUMENT, "there are two feeds %s", def->feeds[k].name);
        }
        found = &def->feeds[k];
    }
    out->input = input;
    if (found == NULL && def->has_live_inputs) {
        return begin_live(motion, out);
    }
    if (found == NULL) {
        return rh__error_fill(err, RH_E_ARGUMENT,
                              "the input %.*s comes from a file, and there is no feed for it",
                              RH_SLICE_FORMAT(input->name));
    }
    return read_points(motion, found, out, err);
}

rh_status rh__tracks_create(rh_motion *motion, const rh_motion_def *def, rh_error *err)
{
    const rh_model *model = motion->equations->model;
    rh_tracks *tracks = &motion->tracks;
    rh_motion_def known = rh_motion_def_default();
    if (def->struct_size >= offsetof(rh_motion_def, feed_count) + sizeof def->feed_count) {
        known.feeds = def->feeds;
        known.feed_count = def->feed_count;
    }
    known.has_live_inputs = def->struct_size >= offsetof(rh_motion_def, has_live_inputs) +
                                                    sizeof def->has_live_inputs &&
                            def->has_live_inputs;
    RH_REQUIRE(known.feeds != NULL || known.feed_count == 0, err);
    const size_t wanted = rh_model_feed_count(model);
    size_t given = 0;
    tracks->next = INFINITY;
    tracks->data = rh__arena_array(&motion->arena, rh_track, wanted + 1);
    tracks->pieces = rh__arena_array(&motion->arena, rh_feed_piece, wanted + 1);
    if (tracks->data == NULL || tracks->pieces == NULL) {
        return motion->arena.status;
    }
    for (uint32_t k = 0; k < model->inputs.count; k++) {
        if (model->inputs.data[k].file != NULL) {
            RH_TRY(read_feed(motion, &known, &model->inputs.data[k], &tracks->data[tracks->count],
                             err));
            given += !tracks->data[tracks->count].is_live;
            tracks->count++;
        }
    }
    RH_ASSERT(tracks->count == wanted);
    // each input found its own, so one that is left over belongs to none
    if (known.feed_count != given) {
        return rh__error_fill(err, RH_E_ARGUMENT,
                              "there are %zu feeds for %zu inputs that come from files",
                              known.feed_count, wanted);
    }
    return RH_OK;
}

// --- values ------------------------------------------------------------------------------------

// How many points lie at `time` or before it, looked for from where it was last.
static uint32_t find_place(const rh_track *track, double time)
{
    RH_ASSERT(track->at <= track->count);
    uint32_t at = track->at;
    while (at < track->count && track->times[at] <= time) {
        at++;
    }
    while (at > 0 && track->times[at - 1] > time) {
        at--;
    }
    return at;
}

static rh_feed_piece piece_at(const rh_track *track, uint32_t at)
{
    RH_ASSERT(0 < track->count && at <= track->count);
    const bool is_between = at > 0 && at < track->count;
    const uint32_t from = at > 0 ? at - 1 : 0;
    return (rh_feed_piece){.begin = track->times[from],
                           .value = track->values[from],
                           .slope =
                               is_between ? slope_between(track->times, track->values, from) : 0.0};
}

void rh__tracks_select(rh_motion *motion, double time)
{
    rh_tracks *tracks = &motion->tracks;
    if (tracks->is_stuck) {
        return;
    }
    tracks->next = INFINITY;
    for (uint32_t k = 0; k < tracks->count; k++) {
        rh_track *track = &tracks->data[k];
        track->at = find_place(track, time);
        tracks->pieces[k] = piece_at(track, track->at);
        if (track->at < track->count) {
            tracks->next = fmin(tracks->next, track->times[track->at]);
        }
    }
    RH_ASSERT(tracks->next > time);
}

double rh__tracks_value(void *user, rh_expr symbol, double time)
{
    const rh_motion *motion = user;
    const rh_equations *equations = motion->equations;
    for (uint32_t k = 0; k < motion->tracks.count; k++) {
        const rh_track *track = &motion->tracks.data[k];
        const rh_expr base = rh__expr_symbol(equations->store, track->input->family, 0);
        const rh_feed_piece piece = piece_at(track, find_place(track, time));
        if (symbol.i == base.i) {
            return piece.value + piece.slope * (time - piece.begin);
        }
        if (symbol.i == rh__derive_input_rate(equations, base).i) {
            return piece.slope;
        }
    }
    return 0.0; // a higher derivative
}

// --- smoothness --------------------------------------------------------------------------------

// Does the derivative of an order jump where the present piece ends?
static bool jumps_at_end(const rh_track *track, uint32_t order)
{
    RH_ASSERT(track->at < track->count && order < 2);
    uint32_t after = track->at;
    while (after < track->count && track->times[after] == track->times[track->at]) {
        after++;
    }
    const double before = piece_at(track, track->at).slope;
    const double behind = piece_at(track, after).slope;
    return order == 0 ? track->values[track->at] != track->values[after - 1]
                      : fabs(behind - before) > 1e-12 * (fabs(behind) + fabs(before));
}

uint32_t rh__track_order(const rh_motion *motion, const rh_track *track)
{
    uint32_t order = track->order;
    for (uint32_t k = 0; k < motion->mode.gate_count; k++) {
        const bool counts = motion->mode.gates[k].is_active && track->gate_order[k] > order;
        order = counts ? track->gate_order[k] : order;
    }
    return order;
}

bool rh__tracks_are_smooth(rh_motion *motion)
{
    rh_tracks *tracks = &motion->tracks;
    for (uint32_t k = 0; k < tracks->count; k++) {
        const rh_track *track = &tracks->data[k];
        if (track->at == track->count || track->times[track->at] != tracks->next) {
            continue;
        }
        const uint32_t order = rh__track_order(motion, track);
        const bool is_rough =
            (order > 0 && jumps_at_end(track, 0)) || (order > 1 && jumps_at_end(track, 1));
        if (is_rough) {
            rh__motion_fail(motion, RH_DIAGNOSTIC_E608,
                            "the input %.*s %s at t = %.17g, and the equations hold its %s "
                            "derivative: velocities would have to jump",
                            RH_SLICE_FORMAT(track->input->name),
                            jumps_at_end(track, 0) ? "jumps" : "has a kink", tracks->next,
                            order > 1 ? "second" : "first");
            tracks->is_stuck = true;
            return false;
        }
    }
    return true;
}

// --- the states --------------------------------------------------------------------------------

static rh_status find_order(rh_motion *motion, uint32_t index, rh_arena *scratch)
{
    const rh_mode *mode = &motion->mode;
    rh_track *track = &motion->tracks.data[index];
    track->gate_order = rh__arena_array(&motion->arena, uint32_t, (size_t)mode->gate_count + 1);
    if (track->gate_order == NULL) {
        return motion->arena.status;
    }
    for (uint32_t k = 0; k < mode->gate_count; k++) {
        RH_TRY(rh__system_feed_order(motion->system, index, mode->gates[k].link, scratch,
                                     &track->gate_order[k]));
    }
    RH_TRY(rh__system_feed_order(motion->system, index, UINT32_MAX, scratch, &track->order));
    // those that come and go count always
    for (uint32_t k = 0; k < mode->intermittents.count; k++) {
        uint32_t order = 0;
        RH_TRY(rh__system_feed_order(motion->system, index, mode->intermittents.data[k].link,
                                     scratch, &order));
        track->order = order > track->order ? order : track->order;
    }
    return RH_OK;
}

static rh_status find_orders(rh_motion *motion)
{
    rh_arena scratch = rh__arena_begin(motion->arena.allocator, motion->arena.limit);
    rh_status status = RH_OK;
    for (uint32_t k = 0; status == RH_OK && k < motion->tracks.count; k++) {
        status = find_order(motion, k, &scratch);
    }
    rh__arena_end(&scratch);
    return status;
}

rh_status rh__tracks_attach(rh_motion *motion)
{
    enum { STATES = 15 };
    rh_tape_state *const states[STATES] = {motion->step,
                                           motion->plain,
                                           motion->probe,
                                           motion->watch,
                                           motion->watch_point,
                                           motion->output,
                                           motion->projector.stages[0].miss_state,
                                           motion->projector.stages[0].shift_state,
                                           motion->projector.stages[1].miss_state,
                                           motion->projector.stages[1].shift_state,
                                           motion->reset.state,
                                           motion->jump.state,
                                           motion->deviations.state,
                                           motion->eliminated.velocities_state,
                                           motion->eliminated.text_state};
    for (size_t k = 0; k < STATES; k++) {
        if (states[k] != NULL) {
            states[k]->feeds = motion->tracks.pieces;
        }
    }
    return find_orders(motion);
}
