// SPDX-License-Identifier: Apache-2.0
// Order 0 by compiled functions: the stepping tape at a point, and the tapes of the projection; and
// a few orders of the stepping tape.
// They stand in the text of the series and serve as long as it does.

#include "motion/native.h"

static const char *const NAMES[RH_POINT_COUNT] = {
    "rheonom_point_0", "rheonom_point_1", "rheonom_point_2", "rheonom_point_3", "rheonom_point_4"};
// The way back for positions serves velocities too (project.c).
static const char *const AGAIN[RH_POINT_COUNT] = {[2] = "rheonom_again_2"};

// The states that have such functions, or NULL.
static rh_tape_state *state_of(const rh_motion *motion, uint32_t index)
{
    RH_ASSERT(index < RH_POINT_COUNT);
    const rh_project_stage *stages = motion->projector.stages;
    rh_tape_state *const states[RH_POINT_COUNT] = {motion->plain, stages[0].miss_state,
                                                   stages[0].shift_state, stages[1].miss_state,
                                                   stages[1].shift_state};
    return states[index];
}

uint32_t rh__points_list(const rh_motion *motion, rh_emit_point out[RH_POINT_COUNT])
{
    uint32_t count = 0;
    for (uint32_t k = 0; k < RH_POINT_COUNT; k++) {
        const rh_tape_state *state = state_of(motion, k);
        if (state != NULL) {
            out[count++] =
                (rh_emit_point){.tape = state->tape, .name = NAMES[k], .again = AGAIN[k]};
        }
    }
    return count;
}

// A few orders at once, in straight lines: they need no work.
static void attach_brief(rh_motion *motion, const rh_native *native)
{
    rh_tape_state *probe = motion->probe;
    RH_ASSERT(probe->order >= RH_BRIEF_ORDER && native->library != NULL);
    motion->step->ready = probe->ready = 0; // from the interpreter
    if (probe != motion->step) {
        probe->kernel = rh__native_find(native, RH_NATIVE_BRIEF);
        probe->kernel_order = RH_BRIEF_ORDER;
    }
}

void rh__points_attach(rh_motion *motion, const rh_native *native)
{
    attach_brief(motion, native);
    for (uint32_t k = 0; k < RH_POINT_COUNT; k++) {
        rh_tape_state *state = state_of(motion, k);
        if (state != NULL && state->point_work == NULL) {
            state->point_work =
                rh__arena_array(&state->arena, double, rh__emit_point_room(state->tape));
        }
        // without memory the interpreter goes on
        if (state != NULL && state->point_work != NULL) {
            state->point = rh__native_find(native, NAMES[k]);
            state->again = AGAIN[k] != NULL ? rh__native_find(native, AGAIN[k]) : NULL;
        }
    }
}

void rh__points_detach(rh_motion *motion)
{
    motion->step->ready = motion->probe->ready = 0;
    motion->probe->kernel = NULL;
    for (uint32_t k = 0; k < RH_POINT_COUNT; k++) {
        rh_tape_state *state = state_of(motion, k);
        if (state != NULL) {
            state->point = state->again = NULL;
        }
    }
}
