// SPDX-License-Identifier: Apache-2.0
// Which way to move. Free to choose, it is Taylor series as long as their steps are fit for the
// motion. Steps far shorter than the time in which x and dx/dt change are a sign of stiffness; then
// the eigenvalues of the Jacobian tell. It is stiff when one of them is a fast decay that no other
// eigenvalue comes near, and whose time is shorter than the step: nothing of it is left to be seen.
// Everything is decided by numbers of the motion, nothing by the clock.

#include "motion/motion.h"

#include <math.h>
#include <stdio.h>

#define SHORT 3e-4 // a step far shorter than the time of the motion
#define MANY 20.0  // times of a decay after which it is believed
enum { SHORT_RUNS = 4, FIRST_PAUSE = 32, MOST_UNKNOWNS = 600 };

static const char *const ASKED = "it was asked for";

rh_status rh__method_begin(rh_motion *motion, rh_method method, rh_error *err)
{
    motion->method_reason = ASKED;
    motion->stepper = &rh__stepper_taylor;
    switch (method) {
    case RH_METHOD_AUTO:
        motion->choice.is_free = true;
        motion->choice.pause = FIRST_PAUSE;
        motion->method_reason = "the equations are not stiff";
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
    const rh_stepper *owner = motion->choice.is_free ? &rh__stepper_backward : motion->stepper;
    if (owner != NULL && owner->destroy != NULL && motion->stepper_data != NULL) {
        owner->destroy(motion);
    }
}

const char *rh_motion_method_reason(const rh_motion *motion)
{
    return motion->method_reason;
}

// --- stiffness -----------------------------------------------------------------------------------

// The time in which x and dx/dt change by their size. Higher coefficients tell of the noise.
static double time_of_motion(const rh_motion *motion)
{
    double speed = 0.0;
    double bend = 0.0;
    rh__taylor_rates(motion, &speed, &bend);
    return 1.0 / fmax(fmax(speed, sqrt(bend)), 1e-300);
}

// The rate of the fastest decay when it stands alone, else 0.
static double find_decay(rh_motion *motion, rh_arena *scratch)
{
    const uint32_t n = motion->n;
    double *matrix = rh__arena_array(scratch, double, (size_t)n *n + 1);
    double *real = rh__arena_array(scratch, double, 2 * (size_t)n + 1);
    rh_jacobian jacobian;
    if (matrix == NULL || real == NULL ||
        rh__jacobian_create(motion, motion->system->step, n, &jacobian, NULL) != RH_OK) {
        return 0.0;
    }
    rh__motion_rate(motion, motion->t, motion->x, motion->x_try);
    const bool is_well = rh__jacobian_run(&jacobian, motion->plain, matrix) &&
                         rh__eigen_values(scratch, n, matrix, real, real + n) == RH_OK;
    rh__jacobian_destroy(&jacobian);
    double decay = 0.0;
    double other = 0.0;
    for (uint32_t k = 0; is_well && k < n; k++) {
        const bool is_decay = real[k] < 0.0 && fabs(real[n + k]) <= -real[k];
        decay = is_decay ? fmax(decay, -real[k]) : decay;
        other = is_decay ? other : fmax(other, hypot(real[k], real[n + k]));
    }
    return decay > 10.0 * other ? decay : 0.0;
}

static double look_for_decay(rh_motion *motion)
{
    if (motion->n > MOST_UNKNOWNS) {
        return 0.0;
    }
    rh_arena scratch = rh__arena_begin(motion->arena.allocator, motion->arena.limit);
    const double decay = find_decay(motion, &scratch);
    rh__arena_end(&scratch);
    return decay;
}

// A fast decay has to stay for many of its times: near a singularity everything is fast.
static bool is_stiff(rh_motion *motion, double length)
{
    rh_choice *choice = &motion->choice;
    const double time = time_of_motion(motion);
    choice->short_runs = length < SHORT * time ? choice->short_runs + 1 : 0;
    choice->decay = choice->short_runs == 0 ? 0.0 : choice->decay;
    if (choice->short_runs < SHORT_RUNS || motion->steps < choice->next_look ||
        (choice->decay > 0.0 && (motion->t - choice->since) * choice->decay < MANY)) {
        return false;
    }
    const double decay = look_for_decay(motion);
    if (decay * length > 1.0 && choice->decay == 0.0) {
        choice->decay = decay;
        choice->since = motion->t;
        return false;
    }
    if (decay * length > 1.0 && decay < 1.5 * choice->decay && choice->decay < 1.5 * decay) {
        (void)snprintf(choice->text, sizeof choice->text,
                       "the equations are stiff at t = %.6g: something decays at the rate %.3g, "
                       "which the motion (time %.3g) does not show",
                       motion->t, decay, time);
        return true;
    }
    choice->decay = 0.0;
    choice->next_look = motion->steps + choice->pause;
    choice->pause *= 2;
    return false;
}

// --- choosing ------------------------------------------------------------------------------------

static bool change_to_backward(rh_motion *motion)
{
    if (motion->stepper_data == NULL && rh__stepper_backward.create(motion, NULL) != RH_OK) {
        motion->choice.next_look = UINT64_MAX;
        return false;
    }
    motion->stepper = &rh__stepper_backward;
    motion->method_reason = motion->choice.text;
    motion->choice.jumps = motion->jumps;
    motion->choice.short_runs = 0;
    motion->choice.decay = 0.0;
    rh__samples_unknown(motion);
    return true;
}

rh_expansion rh__method_expand(rh_motion *motion, double *length)
{
    rh_choice *choice = &motion->choice;
    const double limit = *length;
    // after a jump it may be another motion
    if (choice->is_free && motion->stepper == &rh__stepper_backward &&
        choice->jumps != motion->jumps) {
        motion->stepper = &rh__stepper_taylor;
        motion->leap.count = 0;
    }
    rh_expansion expansion = motion->stepper->expand(motion, length);
    if (choice->is_free && motion->stepper == &rh__stepper_taylor &&
        expansion == RH_EXPANSION_DONE && *length < limit && motion->step->quality.singular == 0 &&
        is_stiff(motion, *length) && change_to_backward(motion)) {
        *length = limit;
        expansion = motion->stepper->expand(motion, length);
    }
    return expansion;
}
