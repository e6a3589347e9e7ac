// SPDX-License-Identifier: Apache-2.0
// Which way to move. Free to choose, it is Taylor series as long as their length is that of the
// motion. Where it is limited by stability (stiffness.c) an implicit method takes over: cvode, or
// ida where constraints couple so much that the Jacobian of solved equations is dense. It is Taylor
// again when something jumps, and when the steps become so short that nothing stiff limits them.
// Everything is decided by numbers of the motion, nothing by the clock.

#include "motion/motion.h"

#include <math.h>

enum { LARGE_BLOCK = 100 }; // unknowns that are solved for together: what they move is dense
#define LAST_STEPS 100.0    // of series, before a surface

static const char *const ASKED = "it was asked for";
static const char *const NOT_STIFF = "the equations are not stiff";
static const char *const IN_PARTS = "the equations are stiff in parts, and not at the end";

rh_status rh__method_begin(rh_motion *motion, rh_method method, rh_error *err)
{
    motion->method_reason = ASKED;
    motion->stepper = &rh__stepper_taylor;
    switch (method) {
    case RH_METHOD_AUTO:
        motion->choice.is_free = true;
        motion->method_reason = NOT_STIFF;
        motion->choice.past = rh__arena_array(&motion->arena, double, 2 * (size_t)motion->n + 1);
        if (motion->choice.past == NULL) {
            return motion->arena.status;
        }
        rh__stiffness_begin(motion);
        break;
    case RH_METHOD_TAYLOR:
        break;
    case RH_METHOD_DOP853:
        motion->stepper = &rh__stepper_runge;
        break;
    case RH_METHOD_CVODE:
        motion->stepper = &rh__stepper_backward;
        break;
    case RH_METHOD_IDA:
        motion->stepper = &rh__stepper_residual;
        break;
    case RH_METHOD_EULER:
    case RH_METHOD_RK2:
    case RH_METHOD_RK3:
    case RH_METHOD_RK4:
    case RH_METHOD_DP5:
        motion->stepper = &rh__steppers_fixed[method - RH_METHOD_EULER];
        break;
    }
    return motion->stepper->create != NULL ? motion->stepper->create(motion, err) : RH_OK;
}

void rh__method_end(rh_motion *motion)
{
    const rh_stepper *owner = motion->choice.is_free ? motion->choice.implicit : motion->stepper;
    if (owner != NULL && owner->destroy != NULL && motion->stepper_data != NULL) {
        owner->destroy(motion);
    }
}

const char *rh_motion_method_reason(const rh_motion *motion)
{
    return motion->method_reason;
}

// --- choosing ------------------------------------------------------------------------------------

static const rh_stepper *implicit_for(const rh_motion *motion)
{
    const rh_tape *step = motion->system->step;
    bool is_dense = false;
    for (uint32_t k = 0; k < step->block_count; k++) {
        is_dense = is_dense || step->blocks[k].n > LARGE_BLOCK;
    }
    return is_dense ? &rh__stepper_residual : &rh__stepper_backward;
}

rh_status rh__method_make_implicit(rh_motion *motion, rh_error *err)
{
    const rh_stepper *stepper = implicit_for(motion);
    RH_TRY(motion->stepper_data == NULL ? stepper->create(motion, err) : RH_OK);
    motion->choice.implicit = stepper;
    return RH_OK;
}

static bool change_to_implicit(rh_motion *motion)
{
    rh_choice *choice = &motion->choice;
    if (rh__method_make_implicit(motion, NULL) != RH_OK) {
        choice->next_look = UINT64_MAX;
        motion->method_reason =
            "the equations are stiff, but there is no memory for an implicit method";
        return false;
    }
    motion->stepper = choice->implicit;
    motion->method_reason = choice->text;
    choice->found = motion->jumps;
    if (motion->stepper->forget != NULL) {
        motion->stepper->forget(motion);
    }
    rh__stiffness_begin(motion);
    rh__samples_unknown(motion);
    return true;
}

static void change_to_series(rh_motion *motion)
{
    motion->stepper = &rh__stepper_taylor;
    motion->method_reason = IN_PARTS;
    motion->leap.count = 0;
    motion->length_last = 0.0;
    motion->choice.is_near = false;
    rh__stiffness_begin(motion);
    rh__samples_unknown(motion);
}

// An implicit method knows a surface to its error only, and where something stiff begins or ends
// there that decides: the last bit of the way is left to series.
rh_status rh__method_approach(rh_motion *motion, double *length, rh_crossing *crossing)
{
    rh_choice *choice = &motion->choice;
    const bool is_surface =
        crossing->kind == RH_CROSSING_SWITCH || crossing->kind == RH_CROSSING_GATE;
    if (!choice->is_free || motion->stepper == &rh__stepper_taylor || !is_surface ||
        !(crossing->share <= 1.0)) {
        return RH_OK;
    }
    const double way = crossing->share * *length;
    const double left = fmin(LAST_STEPS * choice->length, 0.5 * way);
    if (!(motion->t + (way - left) > motion->t)) {
        return RH_OK;
    }
    choice->is_near = true;
    *length = motion->series.length = way - left;
    return rh__crossing_find(motion, length, crossing);
}

rh_expansion rh__method_expand(rh_motion *motion, double *length)
{
    rh_choice *choice = &motion->choice;
    const double limit = *length;
    if (choice->is_free && motion->stepper != &rh__stepper_taylor) {
        // after a jump it may be another motion
        const bool has_jumped = choice->found != motion->jumps;
        if (has_jumped || choice->is_near || rh__stiffness_is_over(motion)) {
            change_to_series(motion);
        }
    }
    rh_expansion expansion = motion->stepper->expand(motion, length);
    if (choice->is_free && motion->stepper != &rh__stepper_taylor &&
        motion->reason_code == RH_DIAGNOSTIC_E514 && motion->reason[0] != '\0') {
        motion->reason = ""; // series may get through
        change_to_series(motion);
        *length = limit;
        expansion = motion->stepper->expand(motion, length);
    }
    if (choice->is_free && motion->stepper == &rh__stepper_taylor &&
        motion->steps >= choice->next_look && expansion == RH_EXPANSION_DONE && *length < limit &&
        motion->step->quality.singular == 0 && rh__stiffness_is_due(motion) &&
        change_to_implicit(motion)) {
        *length = limit;
        expansion = motion->stepper->expand(motion, length);
    }
    return expansion;
}
