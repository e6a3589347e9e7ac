// SPDX-License-Identifier: Apache-2.0
// Taylor steps: the series of x at the present point, and how far it can be
// trusted. With the last coefficients c_m, h = min (tolerance / |c_m|)^(1/m),
// sizes relative to 1 + |x|.

#include "motion/motion.h"

#include <math.h>

static bool expand(rh_motion *motion)
{
    const rh_system *system = motion->system;
    rh_series *series = &motion->series;
    const uint32_t n = motion->n;
    rh__system_series(system, motion->step, motion->t, motion->x, motion->order);
    series->begin = motion->t;
    series->degree = motion->order;
    bool is_finite = true;
    for (uint32_t k = 0; k <= motion->order; k++) {
        const double *row = rh__jet_row(motion->step, k) + 1;
        for (uint32_t i = 0; i < n; i++) {
            series->coefficients[(size_t)k * n + i] = row[i];
            is_finite = is_finite && isfinite(row[i]);
        }
    }
    return is_finite;
}

static double find_length(const rh_motion *motion, double limit)
{
    enum { LOOK = 3 }; // series of even or odd functions have gaps
    const uint32_t n = motion->n;
    const double *c = motion->series.coefficients;
    double length = limit;
    for (uint32_t m = motion->order - LOOK + 1; m <= motion->order; m++) {
        double size = 0.0;
        for (uint32_t i = 0; i < n; i++) {
            size = fmax(size, fabs(c[(size_t)m * n + i]) / (1.0 + fabs(c[i])));
        }
        if (size > 0.0) {
            length = fmin(length, pow(motion->tolerance / size, 1.0 / m));
        }
    }
    return length;
}

// The same for one slot: an event function or a switching surface, known to order - 1.
static double limit_by(const rh_motion *motion, const rh_tape_state *state, uint32_t slot,
                       double length)
{
    enum { LOOK = 3 };
    const double scale = 1.0 + fabs(rh__jet_row(state, 0)[slot]);
    for (uint32_t m = motion->order - LOOK; m < motion->order; m++) {
        const double size = fabs(rh__jet_row(state, m)[slot]) / scale;
        if (size > 0.0) {
            length = fmin(length, pow(motion->tolerance / size, 1.0 / m));
        }
    }
    return length;
}

// A step is no longer than the series of what is watched along it can be trusted.
static double limit_by_watched(rh_motion *motion, double length)
{
    const rh_tape *step = motion->system->step;
    const uint32_t events = motion->equations->model->events.count;
    for (uint32_t k = 0; k < step->switch_count; k++) {
        length = limit_by(motion, motion->step, step->switches[k].surface, length);
    }
    for (uint32_t k = 0; k < motion->mode.gate_count; k++) {
        length =
            limit_by(motion, motion->step, rh__gate_slot(motion, &motion->mode.gates[k]), length);
    }
    if (events > 0) {
        rh__crossing_watch(motion);
    }
    for (uint32_t k = 0; k < events; k++) {
        length = limit_by(motion, motion->watch, motion->system->watch->outputs[k], length);
    }
    return length;
}

// --- leaping
// -------------------------------------------------------------------------------------

// Singular configurations. What is off the constraints by rounding grows on the way to one without
// bound, and the steps collapse. Then the motion goes back to its last long step, halves it, and
// the next one leaps to the other side of the place. The terms of its series fall, and then rise
// with the noise: it is cut at its smallest term. What the noise leaves is off the constraints, and
// projection takes it away.

// The last step of a length worth the name; NULL when there is none.
static const rh_past *last_long(const rh_leap *leap)
{
    const rh_past *found = NULL;
    for (uint32_t k = 0; k < leap->count; k++) {
        found = leap->past[k].length >= 0.5 * leap->longest ? &leap->past[k] : found;
    }
    return found;
}

static bool retreat(rh_motion *motion, double place)
{
    enum { MOST_RETREATS = 3 };
    rh_leap *leap = &motion->leap;
    const rh_past *back = last_long(leap);
    if (back == NULL || leap->tries >= MOST_RETREATS || !(place > back->t)) {
        return false;
    }
    const double half = 0.5 * (place - back->t);
    motion->t = back->t;
    motion->occurrences.count = back->occurrence_count;
    for (uint32_t k = 0; k < motion->equations->model->events.count; k++) {
        motion->event_last[k] = motion->event_last[k] > back->t ? -INFINITY : motion->event_last[k];
    }
    for (uint32_t k = 0; k < motion->n; k++) {
        motion->x[k] = back->x[k];
    }
    leap->tries++;
    leap->count = 0;
    leap->cap = half;
    leap->jump = half;
    return true;
}

// Remember where a step of its own length begins; the oldest is forgotten.
static void remember(rh_motion *motion, double length)
{
    rh_leap *leap = &motion->leap;
    if (leap->count == RH_LEAP_PAST) {
        double *x = leap->past[0].x;
        for (uint32_t k = 1; k < RH_LEAP_PAST; k++) {
            leap->past[k - 1] = leap->past[k];
        }
        leap->past[--leap->count].x = x;
    }
    rh_past *now = &leap->past[leap->count++];
    now->t = motion->t;
    now->length = length;
    now->occurrence_count = motion->occurrences.count;
    for (uint32_t k = 0; k < motion->n; k++) {
        now->x[k] = motion->x[k];
    }
    leap->longest = 0.0;
    for (uint32_t k = 0; k < leap->count; k++) {
        leap->longest = fmax(leap->longest, leap->past[k].length);
    }
}

// Cut the series at its smallest term; how small that is.
static double cut_series(rh_motion *motion, double length)
{
    const uint32_t n = motion->n;
    const double *c = motion->series.coefficients;
    double power = pow(length, 6.0);
    double least = INFINITY;
    for (uint32_t m = 6; m <= motion->order; m++, power *= length) {
        double size = 0.0;
        for (uint32_t i = 0; i < n; i++) {
            size = fmax(size, fabs(c[(size_t)m * n + i]) * power / (1.0 + fabs(c[i])));
        }
        if (size < least) {
            least = size;
            motion->series.degree = m;
        }
    }
    return least;
}

// The longest leap whose smallest term is small enough, else the one with the smallest; `half` is
// the way to the place.
static double choose_jump(rh_motion *motion, double half)
{
    static const double SHARES[] = {1.5, 1.4, 1.3, 1.25, 1.2, 1.15, 1.1};
    double best = SHARES[0];
    double least = INFINITY;
    for (size_t k = 0; k < sizeof SHARES / sizeof *SHARES && least > 2.0 * motion->tolerance; k++) {
        const double size = cut_series(motion, SHARES[k] * half);
        best = size < least ? SHARES[k] : best;
        least = fmin(least, size);
    }
    (void)cut_series(motion, best * half);
    return best * half;
}

// The length of the step at hand; 0 when the last ones were taken back.
static double choose_length(rh_motion *motion, double left)
{
    rh_leap *leap = &motion->leap;
    const double own = find_length(motion, left);
    if (leap->cap > 0.0) {
        const double length = fmin(leap->cap, own);
        leap->cap = 0.0;
        return length;
    }
    if (leap->jump > 0.0) {
        const double length = fmin(choose_jump(motion, leap->jump), left);
        leap->jump = 0.0;
        motion->singular_steps++;
        return length;
    }
    if (leap->count > 0 && own < left && own < 0.1 * leap->longest &&
        retreat(motion, motion->t + own)) {
        return 0.0;
    }
    leap->tries = own > 0.5 * leap->longest ? 0 : leap->tries;
    if (own < left) {
        remember(motion, own);
    }
    return own;
}

// --- the stepper -------------------------------------------------------------------------------

static rh_expansion expand_taylor(rh_motion *motion, double *length)
{
    const bool is_finite = expand(motion);
    const rh_tape_quality *quality = &motion->step->quality;
    const bool contradicts = quality->singular > 0 && quality->residual > RH_TAPE_INCONSISTENT;
    if (!is_finite || quality->is_failed || contradicts) {
        return retreat(motion, motion->t) ? RH_EXPANSION_TAKEN_BACK : RH_EXPANSION_FAILED;
    }
    const double chosen = choose_length(motion, *length);
    *length = chosen == 0.0 ? 0.0 : limit_by_watched(motion, chosen);
    return chosen == 0.0 ? RH_EXPANSION_TAKEN_BACK : RH_EXPANSION_DONE;
}

const rh_stepper rh__stepper_taylor = {
    .name = "taylor", .has_jets = true, .expand = expand_taylor, .retreat = retreat};
