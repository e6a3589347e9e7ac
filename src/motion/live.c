// SPDX-License-Identifier: Apache-2.0
// Numbers that the caller changes while a motion stands between two steps: inputs and parameters.
// A live input is an input from a file without a table: a level piece that ends where the caller
// says so, which is a border like that of a table (border.c). Nothing teleports: where the new
// number would make coordinates or velocities jump, it is refused and the motion stands as before.

#include "motion/motion.h"

#include <math.h>
#include <string.h>

// Nothing changes a motion that has ended, or one whose checkpoints could not tell of the change.
static rh_status check_open(const rh_motion *motion, rh_error *err)
{
    if (motion->reason[0] != '\0') {
        return rh__error_fill(err, RH_E_ARGUMENT, "the motion has ended at t = %.17g: %s",
                              motion->t, motion->reason);
    }
    return !motion->keep.is_on
               ? RH_OK
               : rh__error_fill(err, RH_E_UNAVAILABLE,
                                "checkpoints of a motion do not hold what was set on the way");
}

// --- inputs --------------------------------------------------------------------------------------

// NULL, with the reason, when there is no live input of this name.
static rh_track *find_track(const rh_motion *motion, const char *name, rh_error *err)
{
    const rh_model *model = motion->equations->model;
    const rh_slice wanted = rh__slice_of(name);
    const char *why = "is none of the model";
    for (uint32_t k = 0; k < motion->tracks.count; k++) {
        rh_track *track = &motion->tracks.data[k];
        if (rh__slice_equal(track->input->name, wanted) && track->is_live) {
            return track;
        }
    }
    for (uint32_t k = 0; k < model->inputs.count; k++) {
        if (rh__slice_equal(model->inputs.data[k].name, wanted)) {
            why = model->inputs.data[k].file != NULL
                      ? "has a table: make the motion without a feed for it"
                      : "is given by a formula: write it in the model as `from \"live\"`";
        }
    }
    (void)rh__error_fill(err, RH_E_ARGUMENT, "the input %.80s %s", name, why);
    return NULL;
}

// From now on the track has another value; it keeps the one that it had before.
static void bend(rh_motion *motion, rh_track *track, double value)
{
    RH_ASSERT(track->is_live && 0 < track->count && track->count <= 2);
    const bool is_again = track->count == 2 && track->times[0] == motion->t;
    track->values[0] = is_again ? track->values[0] : track->values[track->count - 1];
    track->values[1] = value;
    track->times[0] = track->times[1] = motion->t;
    track->count = 2;
    track->at = 0;
    motion->tracks.next = motion->t;
}

rh_status rh_motion_set_input(rh_motion *motion, const char *name, double value, rh_error *err)
{
    RH_REQUIRE(motion != NULL && name != NULL && isfinite(value), err);
    rh_track *track = find_track(motion, name, err);
    if (track == NULL) {
        return RH_E_ARGUMENT;
    }
    RH_TRY(check_open(motion, err));
    if (track->values[track->count - 1] == value) {
        return RH_OK;
    }
    if (rh__track_order(motion, track) > 0) {
        return rh__error_fill(err, RH_E_UNAVAILABLE,
                              "the equations hold a derivative of the input %.120s: velocities or "
                              "coordinates would have to jump with it",
                              name);
    }
    bend(motion, track, value);
    rh__motion_pass_border(motion);
    return RH_OK;
}

// --- parameters ----------------------------------------------------------------------------------

static rh_status find_parameter(const rh_motion *motion, const char *name, rh_expr *out,
                                rh_error *err)
{
    const rh_model *model = motion->equations->model;
    rh_arena scratch = rh__arena_begin(motion->arena.allocator, motion->arena.limit);
    const rh_mark mark = rh__arena_mark(&scratch);
    out->i = 0;
    for (uint32_t k = 0; out->i == 0 && k < model->value_order.count; k++) {
        const rh_parameter_place at = model->value_order.data[k];
        const rh_parameter *parameter = &model->parameters.data[at.parameter];
        rh_text text = rh__text_begin(&scratch, NULL);
        rh__family_show(model->store, parameter->family, at.member, &text);
        if (rh__slice_equal(rh__text_slice(&text), rh__slice_of(name))) {
            *out = rh__expr_symbol(model->store, parameter->family, at.member);
        }
        rh__arena_rewind(&scratch, mark);
    }
    const rh_status refused = scratch.status;
    rh__arena_end(&scratch);
    return out->i != 0 ? RH_OK
           : refused != RH_OK
               ? rh__error_fill(err, refused, "%s", rh_status_text(refused))
               : rh__error_fill(err, RH_E_ARGUMENT, "the model has no parameter %.120s", name);
}

// All that holds numbers of parameters gets those of now.
static rh_status take_over(rh_motion *motion)
{
    const rh_intermittents *intermittents = &motion->mode.intermittents;
    rh_point point = intermittents->count > 0 ? intermittents->point : motion->start.point;
    RH_TRY(rh__motion_bind(motion, &point));
    RH_TRY(rh__gate_find_restitutions(motion));
    motion->restart.changes = motion->values.changes;
    return rh__least_renew(motion);
}

// Coordinates, velocities and states at the present point, into `out`.
static void look(rh_motion *motion, double *out)
{
    rh__motion_evaluate(motion, motion->t, motion->x);
    for (uint32_t k = 0; k < motion->columns.count; k++) {
        const rh_column *column = &motion->columns.data[k];
        const rh_quantity kind = rh_motion_column_quantity(motion, k);
        const bool counts = kind == RH_QUANTITY_VARIABLE || kind == RH_QUANTITY_VELOCITY;
        out[k] = !counts ? 0.0
                 : column->source == RH_COLUMN_X
                     ? motion->x[column->index]
                     : rh__tape_output(motion->output, column->index, 0);
    }
}

// With the numbers of now: does every constraint hold, and is the motion where it was?
static rh_status check_place(rh_motion *motion, const char *name, const double *before,
                             double *after, rh_error *err)
{
    RH_ASSERT(before != after);
    rh__projector_measure(&motion->projector, motion->t, motion->x);
    const double missed =
        rh__projector_residual(&motion->projector, motion->t, motion->x, motion->mode.is_kept);
    if (!(missed <= motion->drift)) {
        return rh__error_fill(err, RH_E_UNAVAILABLE,
                              "with this value of %.80s a constraint is missed by %.3g (relative) "
                              "at t = %.17g: coordinates or velocities would have to jump",
                              name, missed, motion->t);
    }
    look(motion, after);
    for (uint32_t k = 0; k < motion->columns.count; k++) {
        if (!(fabs(after[k] - before[k]) <= motion->drift * fabs(before[k]))) {
            return rh__error_fill(err, RH_E_UNAVAILABLE,
                                  "with this value of %.80s %.80s would jump from %.17g to %.17g "
                                  "at t = %.17g",
                                  name, motion->columns.data[k].name, before[k], after[k],
                                  motion->t);
        }
    }
    return RH_OK;
}

static rh_status change(rh_motion *motion, const char *name, rh_expr symbol, double value,
                        rh_arena *scratch, rh_error *err)
{
    rh_values kept;
    double *before = rh__arena_array(scratch, double, 2 * (size_t)motion->columns.count + 1);
    if (before == NULL) {
        return rh__error_fill(err, scratch->status, "%s", rh_status_text(scratch->status));
    }
    look(motion, before);
    RH_TRY(rh__values_copy(&motion->values, scratch, &kept));
    const rh_status stands = rh__values_change(&motion->values, &symbol, &value, 1, scratch);
    if (stands != RH_OK) {
        return rh__error_fill(err, stands,
                              "other equations may hold for this value of %.80s: make the model "
                              "anew",
                              name);
    }
    rh_status status = take_over(motion);
    if (status == RH_OK) {
        status = check_place(motion, name, before, before + motion->columns.count, err);
    } else {
        (void)rh__error_fill(err, status, "%.80s cannot be %.17g in this model", name, value);
    }
    if (status != RH_OK) { // as it was
        rh__values_assign(&motion->values, &kept);
        RH_TRY(take_over(motion));
        rh__projector_measure(&motion->projector, motion->t, motion->x);
    }
    return status;
}

rh_status rh_motion_set_parameter(rh_motion *motion, const char *name, double value, rh_error *err)
{
    RH_REQUIRE(motion != NULL && name != NULL && isfinite(value), err);
    rh_expr symbol;
    RH_TRY(find_parameter(motion, name, &symbol, err));
    RH_TRY(check_open(motion, err));
    if (rh__values_parameter(&motion->values, motion->equations->store, symbol) == value) {
        return RH_OK;
    }
    rh_arena scratch = rh__arena_begin(motion->arena.allocator, motion->arena.limit);
    const rh_status status = change(motion, name, symbol, value, &scratch, err);
    rh__arena_end(&scratch);
    if (status == RH_OK) {
        motion->jumps++;
        motion->leap.count = 0;
        motion->leap.longest = 0.0;
        rh__samples_unknown(motion);
        rh__motion_open(motion);
    }
    return rh__guard_explain(motion->arena.allocator, status, err);
}
