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
#define AWAY 1e-3           // of the time of the motion: so far from a place without a series

static const char *const ASKED = "it was asked for";
static const char *const NOT_STIFF = "the equations are not stiff";
static const char *const IN_PARTS = "the equations are stiff in parts, and not at the end";

rh_status rh__method_begin(rh_motion *motion, rh_method method, rh_error *err)
{
    RH_ASSERT(motion->stepper_data == NULL && !motion->choice.is_free);
    motion->method_reason = ASKED;
    motion->stepper = &rh__stepper_taylor;
    motion->choice.place = (double)NAN;
    motion->choice.looked = UINT64_MAX;
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
    RH_ASSERT(choice->is_free && motion->stepper == &rh__stepper_taylor);
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
    RH_ASSERT(motion->choice.is_free && motion->stepper != &rh__stepper_taylor);
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

// --- leaving a place without a series ------------------------------------------------------------
//
// Behind a condition rates may grow as a root of the time: if(x > 0, sqrt(x), 0). A method that
// looks at rates, or at slopes that are infinite there, does not get away, or by luck. The steps of
// taylor.c are made for such places, and lead on to where the motion is smooth.

// A method that was asked for, chooses its steps and has no series.
static bool is_guest(const rh_motion *motion)
{
    return !motion->choice.is_free && !motion->stepper->has_jets &&
           !(rh_motion_fixed_step(motion) > 0.0);
}

static bool is_leaving(rh_motion *motion)
{
    rh_choice *choice = &motion->choice;
    if (!is_guest(motion)) {
        return false;
    }
    if (choice->looked != motion->jumps) {
        choice->looked = motion->jumps;
        const bool is_there = rh__taylor_is_at_branch(motion);
        choice->place = is_there ? motion->t : (double)NAN;
        choice->reach = is_there ? AWAY * motion->unit_time : 0.0;
    }
    return motion->t - choice->place <= choice->reach;
}

void rh__method_return(rh_motion *motion)
{
    rh_choice *choice = &motion->choice;
    if (choice->asked == NULL) {
        return;
    }
    RH_ASSERT(motion->stepper == &rh__stepper_taylor);
    motion->stepper = choice->asked;
    choice->asked = NULL;
    if (motion->stepper->forget != NULL) {
        motion->stepper->forget(motion);
    }
}

rh_expansion rh__method_expand(rh_motion *motion, double *length)
{
    rh_choice *choice = &motion->choice;
    const double limit = *length;
    RH_ASSERT(choice->asked == NULL);
    if (is_leaving(motion)) {
        choice->asked = motion->stepper;
        motion->stepper = &rh__stepper_taylor;
    }
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
    RH_ASSERT(expansion != RH_EXPANSION_DONE || *length <= limit);
    return expansion;
}
