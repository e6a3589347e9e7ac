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

static rh_status find_track(const rh_motion *motion, const char *name, rh_track **out,
                            rh_error *err)
{
    const rh_model *model = motion->equations->model;
    const rh_slice wanted = rh__slice_of(name);
    for (uint32_t k = 0; k < motion->tracks.count; k++) {
        rh_track *track = &motion->tracks.data[k];
        if (rh__slice_equal(track->input->name, wanted)) {
            *out = track;
            return track->is_live ? RH_OK
                                  : rh__error_fill(err, RH_E_ARGUMENT,
                                                   "the input %.120s has a table; make the motion "
                                                   "without a feed for it",
                                                   name);
        }
    }
    for (uint32_t k = 0; k < model->inputs.count; k++) {
        if (rh__slice_equal(model->inputs.data[k].name, wanted)) {
            return rh__error_fill(
                err, RH_E_ARGUMENT,
                "the input %.120s is given by a formula; write it in the model as "
                "`input %.60s from \"live\"`",
                name, name);
        }
    }
    return rh__error_fill(err, RH_E_ARGUMENT, "the model has no input %.120s", name);
}

// From now on the track has another value; it keeps the one that it had before.
static void bend(rh_motion *motion, rh_track *track, double value)
{
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
    rh_track *track = NULL;
    RH_TRY(find_track(motion, name, &track, err));
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
