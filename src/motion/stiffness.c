// SPDX-License-Identifier: Apache-2.0
// Stiffness: steps that are limited by the stability of the method and not by the motion. At loose
// tolerances the fast decays that limit them are excited again and again by errors as large as the
// tolerance, so derivatives at a point tell of these and not of the motion. What tells is the way
// of the motion over many steps: it is smooth when three points many steps apart lie so near to a
// line that an implicit method could do with far fewer steps. Then the eigenvalues of the Jacobian
// are looked at: all that are as fast as the step (|rate| times its length above 1) must have
// decayed for many of their times while the motion was smooth. An oscillation that does not decay
// is a motion, and is followed.

#include "motion/motion.h"

#include <math.h>
#include <stdio.h>

#define GAIN 20.0   // an implicit method has to take so much longer steps
#define LIMITED 2.0 // |rate| times length of steps that stability limits; its bounds are 3 to 10
#define OVER 0.5    // the same of implicit steps that nothing stiff limits
#define MANY 20.0   // times of a decay after which nothing of it is left
enum {
    STRIDE = 32, // steps from one point to the next
    FIRST_PAUSE = 64,
    MOST_PAUSE = 1024,
    SMALL = 64,   // unknowns up to which all eigenvalues are computed
    PRODUCTS = 40 // by which the outer ones are found else
};

// --- the way of the motion -----------------------------------------------------------------------

void rh__stiffness_begin(rh_motion *motion)
{
    rh_choice *choice = &motion->choice;
    choice->samples = 0;
    choice->since = INFINITY;
    choice->jumps = motion->jumps;
    choice->pause = FIRST_PAUSE;
    choice->patience = STRIDE;
    choice->next_look = motion->steps + STRIDE;
    choice->next_spectrum = 0;
}

static void take_sample(rh_motion *motion)
{
    rh_choice *choice = &motion->choice;
    RH_ASSERT(choice->is_free); // else there is no room for points
    const uint32_t n = motion->n;
    for (uint32_t i = 0; i < n; i++) {
        choice->past[n + i] = choice->past[i];
        choice->past[i] = motion->x[i];
    }
    choice->times[1] = choice->times[0];
    choice->times[0] = motion->t;
    choice->steps[1] = choice->steps[0];
    choice->steps[0] = motion->steps;
    choice->samples = choice->samples < 2 ? choice->samples + 1 : 2;
}

// The size of a variable, in which errors are counted.
static double size_of(const rh_motion *motion, uint32_t i)
{
    return rh__unit_of(motion, i) + fabs(motion->x[i]);
}

// By how much x misses the line through the two points before.
static double bend_of(const rh_motion *motion)
{
    const rh_choice *choice = &motion->choice;
    const uint32_t n = motion->n;
    const double share = (motion->t - choice->times[0]) / (choice->times[0] - choice->times[1]);
    double worst = 0.0;
    for (uint32_t i = 0; i < n; i++) {
        const double line = choice->past[i] + share * (choice->past[i] - choice->past[n + i]);
        worst = fmax(worst, fabs(motion->x[i] - line) / size_of(motion, i));
    }
    return worst;
}

// The average length of the steps since the earlier of the two points.
static double length_of(const rh_motion *motion)
{
    const rh_choice *choice = &motion->choice;
    return (motion->t - choice->times[1]) / (double)(motion->steps - choice->steps[1]);
}

// A motion of time T bends by D (D + D') / (2 T^2), D and D' being the times between the points; an
// implicit method of order 5 goes about T tol^(1/6) in a step.
static bool is_smooth(const rh_motion *motion)
{
    const rh_choice *choice = &motion->choice;
    RH_ASSERT(choice->samples == 2 && choice->times[1] < choice->times[0]);
    const double last = motion->t - choice->times[0];
    const double both = motion->t - choice->times[1];
    const double step = GAIN * length_of(motion) / pow(motion->tolerance, 1.0 / 6.0);
    return bend_of(motion) <= fmin(0.1, 0.5 * last * both / (step * step));
}

// --- the spectrum --------------------------------------------------------------------------------

typedef struct spectrum {
    double largest; // |rate|
    double decay;   // the slowest of those that are fast; not positive: one of them does not decay
    double lasting; // |rate| of the fastest that does not decay; 0: there is none
} spectrum;

typedef struct products {
    rh_motion *motion;
    rh_jacobian jacobian;
    double *work; // n
} products;

// In the sizes of the variables: units do not matter.
static bool multiply(void *user, const double *x, double *out)
{
    products *by = user;
    const rh_motion *motion = by->motion;
    RH_ASSERT(x != out && x != by->work);
    for (uint32_t i = 0; i < motion->n; i++) {
        by->work[i] = x[i] * size_of(motion, i);
    }
    rh__jacobian_multiply(&by->jacobian, motion->plain, by->work, out);
    for (uint32_t i = 0; i < motion->n; i++) {
        out[i] /= size_of(motion, i);
    }
    return true;
}

static rh_status find_outer(rh_motion *motion, rh_arena *scratch, double *real, double *imaginary,
                            uint32_t *out_count)
{
    products by = {.motion = motion, .work = rh__arena_array(scratch, double, motion->n)};
    if (by.work == NULL) {
        return scratch->status;
    }
    RH_TRY(rh__jacobian_create_single(motion, motion->system->step, motion->n, &by.jacobian, NULL));
    const rh_status status =
        rh__krylov_values(scratch, motion->n, PRODUCTS, multiply, &by, real, imaginary, out_count);
    rh__jacobian_destroy(&by.jacobian);
    return status;
}

static rh_status find_all(rh_motion *motion, rh_arena *scratch, double *real, double *imaginary,
                          uint32_t *out_count)
{
    const uint32_t n = motion->n;
    double *matrix = rh__arena_array(scratch, double, (size_t)n *n + 1);
    rh_jacobian jacobian;
    if (matrix == NULL) {
        return scratch->status;
    }
    RH_TRY(rh__jacobian_create(motion, motion->system->step, n, &jacobian, NULL));
    const bool is_finite = rh__jacobian_run(&jacobian, motion->plain, matrix);
    rh__jacobian_destroy(&jacobian);
    *out_count = n;
    return is_finite ? rh__eigen_values(scratch, n, matrix, real, imaginary) : RH_E_ARGUMENT;
}

static bool find_spectrum(rh_motion *motion, rh_arena *scratch, double length, spectrum *out)
{
    double *real = rh__arena_array(scratch, double, 2 * (size_t)motion->n + 1);
    uint32_t count = 0;
    if (real == NULL) {
        return false;
    }
    double *imaginary = real + motion->n;
    rh__motion_rate(motion, motion->t, motion->x, motion->x_try);
    const rh_status status = motion->n <= SMALL
                                 ? find_all(motion, scratch, real, imaginary, &count)
                                 : find_outer(motion, scratch, real, imaginary, &count);
    RH_ASSERT(count <= motion->n);
    *out = (spectrum){.decay = INFINITY};
    for (uint32_t k = 0; status == RH_OK && k < count; k++) {
        const double size = hypot(real[k], imaginary[k]);
        out->largest = fmax(out->largest, size);
        if (size * length >= 1.0) {
            out->decay = fmin(out->decay, -real[k]);
            out->lasting = -real[k] > 1e-3 * size ? out->lasting : fmax(out->lasting, size);
        }
    }
    return status == RH_OK;
}

static bool look_at_spectrum(rh_motion *motion, double length, spectrum *out)
{
    rh_arena scratch = rh__arena_begin(motion->arena.allocator, motion->arena.limit);
    const bool is_found = find_spectrum(motion, &scratch, length, out);
    rh__arena_end(&scratch);
    return is_found;
}

// --- the verdict ---------------------------------------------------------------------------------

static bool judge(rh_motion *motion)
{
    rh_choice *choice = &motion->choice;
    const double length = length_of(motion);
    spectrum found = {0};
    choice->next_spectrum = motion->steps + choice->patience;
    choice->patience = choice->patience < MOST_PAUSE ? 2 * choice->patience : MOST_PAUSE;
    if (!look_at_spectrum(motion, length, &found) || !(found.largest * length >= LIMITED)) {
        return false;
    }
    if (found.lasting > 0.0) {
        (void)snprintf(choice->text, sizeof choice->text,
                       "the equations are not stiff: steps follow an oscillation of the rate %.3g, "
                       "which does not decay",
                       found.lasting);
        motion->method_reason = choice->text;
        return false;
    }
    if (!((motion->t - choice->since) * found.decay > MANY)) {
        return false;
    }
    choice->length = length;
    (void)snprintf(choice->text, sizeof choice->text,
                   "the equations are stiff at t = %.6g: something decays at the rate %.3g, which "
                   "limits steps of series to %.3g and which the motion does not show",
                   motion->t, found.largest, length);
    return true;
}

bool rh__stiffness_is_plain(rh_motion *motion, double length)
{
    spectrum found = {0};
    return look_at_spectrum(motion, length, &found) && found.largest * length >= 1.0 &&
           found.decay >= 0.5 * found.largest;
}

bool rh__stiffness_is_due(rh_motion *motion)
{
    rh_choice *choice = &motion->choice;
    RH_ASSERT(motion->stepper == &rh__stepper_taylor);
    if (choice->jumps != motion->jumps) {
        rh__stiffness_begin(motion);
    }
    const bool is_ready =
        choice->samples == 2 && motion->t > choice->times[0] && choice->times[0] > choice->times[1];
    const bool was_smooth = is_ready && is_smooth(motion);
    choice->next_look = motion->steps + STRIDE;
    if (is_ready && !was_smooth) {
        choice->since = INFINITY;
        choice->samples = 0;
        choice->next_look = motion->steps + choice->pause;
        choice->pause = choice->pause < MOST_PAUSE ? 2 * choice->pause : MOST_PAUSE;
        return false;
    }
    choice->since = was_smooth ? fmin(choice->since, choice->times[1]) : choice->since;
    if (was_smooth && motion->steps >= choice->next_spectrum && judge(motion)) {
        return true;
    }
    take_sample(motion);
    return false;
}

bool rh__stiffness_is_over(rh_motion *motion)
{
    rh_choice *choice = &motion->choice;
    RH_ASSERT(motion->stepper != &rh__stepper_taylor);
    if (choice->samples == 0) {
        take_sample(motion);
        choice->next_look = motion->steps + FIRST_PAUSE;
        return false;
    }
    if (motion->steps < choice->next_look) {
        return false;
    }
    const double length =
        (motion->t - choice->times[0]) / (double)(motion->steps - choice->steps[0]);
    spectrum found = {0};
    const bool is_over = look_at_spectrum(motion, length, &found) && found.largest * length < OVER;
    take_sample(motion);
    choice->pause = choice->pause < MOST_PAUSE ? 2 * choice->pause : MOST_PAUSE;
    choice->next_look = motion->steps + choice->pause;
    return is_over;
}
