// SPDX-License-Identifier: Apache-2.0
// Is the series of a step true? The rates at its end, and on the way of a long one, are compared
// with the slope of the series, and the step is shortened until they agree: beyond the end of a
// domain, or where a force wakes up that was nothing at the beginning, coefficients tell nothing.

#include "motion/motion.h"

#include <math.h>
#include <string.h>

// In short steps of loose tolerance slopes may be off by much and x by less than it may, if the
// step leads anywhere: in those that come to a singularity nothing is left of x to be off by.
static bool is_getting_on(const rh_motion *motion, double length)
{
    const double *c = rh__series_row(&motion->series, 0);
    const double *rate = rh__series_row(&motion->series, 1);
    double move = 0.0;
    for (uint32_t i = 0; i < motion->n; i++) {
        move = fmax(move, fabs(rate[i]) * length / (rh__unit_of(motion, i) + fabs(c[i])));
    }
    return move > 1e-6;
}

// What is rounding in a rate where `plain` was run.
static double rounding_of(rh_motion *motion, uint32_t i, bool *has_bounds)
{
    const double enough = 8.0;
    if (!*has_bounds) {
        memset(motion->bounds, 0, (motion->n + 1) * sizeof *motion->bounds);
        rh__tape_bounds(motion->plain, motion->bounds);
        motion->bounds_at[0] = (double)NAN;
        *has_bounds = true;
    }
    return enough * motion->bounds[motion->system->step->outputs[i]];
}

// How far the series is from moving as the equations say: above 1 it is too far, INFINITY that it
// is another motion. Where a solution leaves the domain of a root or a logarithm its series may go
// on as if nothing were. Where a force wakes up on the way (an exponential that was nothing at the
// beginning) its coefficients do not tell: what the rates are off, over the length of the step, is
// an error of x.
static double untruth_at(rh_motion *motion, double share, double length)
{
    RH_ASSERT(0.0 < share && share <= 1.0 && length >= 0.0);
    const rh_series *series = &motion->series;
    // a series that is cut short has no slopes to speak of
    const double coarse =
        motion->cut > 0.0 ? INFINITY : fmax(1e-3, 1e3 * motion->order * motion->tolerance);
    const double fine = rh__taylor_fineness(motion);
    const double t = motion->t + share * length;
    const double usual = rh__unit_pace(motion);
    // behind a border the time of the last steps says nothing about a step of first terms
    const double pace = motion->cut > 0.0 ? fmin(usual, 1e-3 / length) : usual;
    double *inputs = rh__jet_row(motion->plain, 0);
    double worst = 0.0;
    int gets_on = -1; // not known
    bool has_bounds = false;
    rh__series_value(series, t, motion->x_try);
    inputs[0] = t;
    memcpy(inputs + 1, motion->x_try, motion->n * sizeof *inputs);
    rh__tape_follow_ranks(motion->plain, motion->step);
    rh__tape_run(motion->plain);
    rh__series_slope(series, t, motion->slope);
    for (uint32_t i = 0; i < motion->n; i++) {
        const double rate = rh__tape_output(motion->plain, i, 0);
        const double size =
            fmax(pace * rh__unit_of(motion, i) + fabs(rate), fabs(rh__series_row(series, 1)[i]));
        double off = fabs(motion->slope[i] - rate);
        if ((motion->cut > 0.0 || off > coarse * size) && isfinite(rate)) {
            // a bound that is not a number says nothing
            off = off <= rounding_of(motion, i, &has_bounds) ? 0.0 : off;
        }
        const double missed =
            off * length / (fine * (rh__unit_of(motion, i) + fabs(motion->x_try[i])));
        const bool is_coarse = !(off <= coarse * size);
        if (is_coarse && missed <= 1.0 && gets_on < 0) {
            gets_on = is_getting_on(motion, length);
        }
        // what is not a number anywhere near is left to the next expansion
        if (!isfinite(rate) || (is_coarse && !(missed <= 1.0 && gets_on > 0))) {
            return INFINITY;
        }
        if (off > RH_GLIDE_ROUNDING * size) {
            worst = fmax(worst, missed);
        }
    }
    return worst;
}

// A step much longer than the last one is looked at on the way too: a short pulse, or a narrow
// hill, may leave no trace in the series before it.
static double untruth_along(rh_motion *motion, double length, bool is_long)
{
    static const double SHARES[] = {0.27, 0.52, 0.79}; // where nothing is symmetric
    const double end = motion->cut > 0.0 ? motion->cut : 1.0;
    double worst = untruth_at(motion, end, length);
    for (size_t k = 0; isfinite(worst) && is_long && k < sizeof SHARES / sizeof *SHARES; k++) {
        worst = fmax(worst, untruth_at(motion, SHARES[k], length));
    }
    return worst;
}

// Operations whose rates cannot jump and have a value everywhere; steps that are shortened again
// and again where there are no others may be those of stiff equations.
#define SMOOTH                                                                                     \
    (1u << RH_TAPE_LINEAR | 1u << RH_TAPE_MULTIPLY | 1u << RH_TAPE_SQUARE | 1u << RH_TAPE_EXP |    \
     1u << RH_TAPE_SINCOS | 1u << RH_TAPE_SINHCOSH | 1u << RH_TAPE_TANH | 1u << RH_TAPE_ATAN)
// Those whose series may go on where they have none, as sqrt(1 - x^2) with x = sin(t).
#define BRANCHED                                                                                   \
    (1u << RH_TAPE_ROOT | 1u << RH_TAPE_POWER | 1u << RH_TAPE_LOG | 1u << RH_TAPE_ASIN |           \
     1u << RH_TAPE_ACOS | 1u << RH_TAPE_ANGLE)

static bool has_operations(const rh_motion *motion, uint32_t codes)
{
    const rh_tape *step = motion->system->step;
    bool has = false;
    for (uint32_t g = 0; !has && g < step->group_count; g++) {
        has = (codes >> step->groups[g].code & 1u) != 0;
    }
    return has;
}

// Shorten a step until it is true. What does not fall with the length is rounding of the rates, and
// no length helps; nor does one that rounding of the time changes.
double rh__truth_limit(rh_motion *motion, double length)
{
    enum { MOST_HALVINGS = 48, MOST_STRAYS = 16 };
    RH_ASSERT(length >= 0.0); // 0: what ends it is met where it begins
    const rh_form *form = &motion->system->form;
    const bool is_long = length > 2.0 * motion->length_last || motion->cut > 0.0;
    const bool is_regular = motion->step->quality.singular == 0 && !motion->step->is_wary;
    const bool is_sudden = is_long && motion->system->slide_count == 0;
    const bool is_watched = motion->stepper->has_jets &&
                            (motion->cut > 0.0 || form->unknowns.count == form->rate_count ||
                             (is_regular && (is_sudden || has_operations(motion, BRANCHED))));
    double untruth = is_watched ? untruth_along(motion, length, is_long) : 0.0;
    // beyond a surface what holds before it may have no value
    const double surface = isinf(untruth) ? 1.01 * rh__taylor_time_to_surface(motion) : INFINITY;
    if (surface < length && surface > 1e-15 * fabs(motion->t)) {
        length = surface;
        motion->cut = RH_TAYLOR_BEFORE;
        untruth = untruth_along(motion, length, is_long);
    }
    if (isinf(untruth) && rh__taylor_meet_surface(motion, &length)) {
        return length;
    }
    bool is_stray = false;
    for (uint32_t k = 0; k < MOST_HALVINGS && untruth > 1.0; k++) {
        const double shorter = 0.47 * length; // no place that is round in the model
        const double next = untruth_along(motion, shorter, is_long);
        const bool is_time = shorter > 1e-14 * fabs(motion->t);
        const bool helps = next < 0.1 * untruth && is_time;
        if (isfinite(untruth) && !(motion->cut > 0.0 ? is_time : helps)) {
            break;
        }
        is_stray = is_stray || isinf(untruth);
        length = shorter;
        untruth = next;
    }
    // steps to a surface, and those that grow again behind it, come away
    is_stray = is_stray && (motion->system->step->switch_count == 0 ||
                            (length <= motion->length_last && surface > 3.0 * length));
    motion->strays = is_stray ? motion->strays + 1 : 0;
    if (motion->strays > MOST_STRAYS && !has_operations(motion, ~SMOOTH) &&
        rh__stiffness_is_plain(motion, length)) {
        motion->strays = 0;
    }
    if (motion->strays > MOST_STRAYS) {
        rh__fail_at_end_of_domain(motion, length);
    }
    return length;
}
