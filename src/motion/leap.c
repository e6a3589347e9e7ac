// SPDX-License-Identifier: Apache-2.0
// Leaping over singular configurations. What is off the constraints by rounding grows on the way to
// one without bound, and the steps collapse: the high coefficients of the series are those of the
// noise. Then the motion goes back to its last long step, halves the way to the place, and the next
// one leaps to the other side of it. The terms of its series fall, and then rise with the noise: it
// is cut behind its smallest term. What the noise leaves is off the constraints, and projection
// takes it away.
//
// Noise is what changes when x does by a rounding. Where steps collapse for reasons of the motion
// itself (a hard wall, the end of a domain) the series stays the same, and nothing is leapt over.

#include "motion/motion.h"

#include <math.h>

enum { MOST_RETREATS = 3, FIRST_TERM = 6, MORE_TERMS = 2 };

#define COLLAPSED 0.1        // of the longest of the last steps
#define COLLAPSED_FIRST 1e-4 // of the time in which x changes
#define ALIKE 0.1            // estimates of a place, relative to the way there
#define LITTLE 1e-13         // relative to unit + |x|: some roundings
#define NOISE 0.01           // of a coefficient, by moving x a little

// --- what the coefficients tell ------------------------------------------------------------------

static double size_of(const rh_motion *motion, uint32_t i)
{
    return rh__unit_of(motion, i) + fabs(rh__series_row(&motion->series, 0)[i]);
}

// The largest part of coefficient k, relative to unit + |x|.
static uint32_t largest_part(const rh_motion *motion, uint32_t k)
{
    const double *part = rh__series_row(&motion->series, k);
    uint32_t best = 0;
    for (uint32_t i = 1; i < motion->n; i++) {
        best = fabs(part[i]) / size_of(motion, i) > fabs(part[best]) / size_of(motion, best) ? i
                                                                                             : best;
    }
    return best;
}

// Coefficients of a function with one singularity, at d, go as c_k / c_(k-1) = (1 + a / k) / d:
// straight lines over 1 / k (Domb and Sykes).
static double distance_by(const rh_motion *motion, uint32_t part, uint32_t k)
{
    RH_ASSERT(2 <= k && k <= motion->step->order);
    const double c = rh__series_row(&motion->series, k - 1)[part];
    const double last = rh__series_row(&motion->series, k)[part] / c;
    const double before = c / rh__series_row(&motion->series, k - 2)[part];
    return 1.0 / (k * last - (k - 1) * before);
}

// Where the series at hand breaks; `other` when it does not tell.
static double place_of(const rh_motion *motion, double other)
{
    enum { LEAST_ORDER = 3 }; // for two estimates
    if (motion->order < LEAST_ORDER) {
        return other; // the first terms alone, where a root or a power begins
    }
    const uint32_t part = largest_part(motion, motion->order);
    const double d = distance_by(motion, part, motion->order);
    const double like = distance_by(motion, part, motion->order - 1);
    return isfinite(d) && fabs(d - like) <= ALIKE * fabs(d) ? motion->series.begin + d : other;
}

// Does the last coefficient come from rounding? Then it is another one when x is moved a little and
// put back onto the constraints. The jets of the step are those of x afterwards.
static bool is_noise(rh_motion *motion)
{
    const uint32_t n = motion->n;
    rh__series_keep(&motion->series);
    const double *last = rh__series_row(&motion->series, motion->order);
    const uint32_t part = largest_part(motion, motion->order);
    double residual = 0.0;
    for (uint32_t i = 0; i < n; i++) {
        const double way = LITTLE * (rh__unit_of(motion, i) + fabs(motion->x[i]));
        motion->x_try[i] = motion->x[i] + (i % 3 == 1 ? -way : way);
    }
    (void)rh__projector_apply(&motion->projector, motion->t, motion->x_try, motion->mode.is_kept,
                              &residual, NULL);
    rh__system_series(motion->system, motion->step, motion->t, motion->x_try, motion->order);
    rh__jet_fill(motion->step);
    const double *moved = rh__jet_row(motion->step, motion->order) + 1;
    double change = 0.0;
    for (uint32_t i = 0; i < n; i++) {
        const double d = fabs(moved[i] - last[i]) / size_of(motion, i);
        change = d <= change ? change : d; // what is no number counts
    }
    rh__system_series(motion->system, motion->step, motion->t, motion->x, motion->order);
    return !(change < NOISE * fabs(last[part]) / size_of(motion, part));
}

// --- going back ----------------------------------------------------------------------------------

// The last step before the place of a length worth the name; NULL when there is none.
static const rh_past *last_long(const rh_leap *leap, double place)
{
    const rh_past *found = NULL;
    for (uint32_t k = 0; k < leap->count; k++) {
        const rh_past *past = &leap->past[k];
        found = past->length >= 0.5 * leap->longest && past->t < place ? past : found;
    }
    return found;
}

static void go_back(rh_motion *motion, const rh_past *back)
{
    motion->t = back->t;
    motion->occurrences.count = back->occurrence_count;
    for (uint32_t k = 0; k < motion->equations->model->events.count; k++) {
        motion->event_last[k] = motion->event_last[k] > back->t ? -INFINITY : motion->event_last[k];
    }
    for (uint32_t k = 0; k < motion->n; k++) {
        motion->x[k] = back->x[k];
    }
    motion->leap.count = 0;
    motion->leap.is_due = true;
    motion->leap.jumps = motion->jumps;
}

// A leap that ended too early because its caller wanted to see that time is made again. The steps
// after a leap are no shorter than they must be.
static bool resume(rh_motion *motion)
{
    rh_leap *leap = &motion->leap;
    const bool is_cut =
        leap->is_done && leap->count > 0 && fabs(motion->t - leap->cut) <= 1e-15 * fabs(motion->t);
    if (is_cut) {
        go_back(motion, &leap->past[leap->count - 1]);
    }
    leap->count = leap->is_done ? 0 : leap->count;
    leap->is_done = false;
    return is_cut;
}

bool rh__leap_retreat(rh_motion *motion, double place)
{
    rh_leap *leap = &motion->leap;
    if (resume(motion)) {
        return true;
    }
    // without constraints there is no projection to take noise away
    const bool is_kept =
        motion->projector.stages[0].miss != NULL || motion->projector.stages[1].miss != NULL;
    place = place_of(motion, place);
    const rh_past *back = last_long(leap, place);
    if (!is_kept || back == NULL || leap->tries >= MOST_RETREATS) {
        return false;
    }
    leap->tries++;
    leap->cap = 0.5 * (place - back->t);
    leap->place = place;
    go_back(motion, back);
    return true;
}

// Is a step worth to be remembered? One that is much shorter than those before may be the beginning
// of a collapse, and then they are needed; but not those that are long past. Of steps that are cut
// short by the caller some are enough.
static bool is_worth(rh_motion *motion, double length, bool is_cut)
{
    rh_leap *leap = &motion->leap;
    if (leap->count == 0) {
        return true;
    }
    const rh_past *last = &leap->past[leap->count - 1];
    const double since = motion->t - last->t;
    if (length < 0.5 * leap->longest && since > 2.0 * last->length) {
        leap->count = 0;
        return true;
    }
    return length >= 0.5 * leap->longest && (!is_cut || since >= 0.5 * length);
}

// Remember where a step begins, and its own length; the oldest is forgotten.
static void remember(rh_motion *motion, double length, bool is_cut)
{
    rh_leap *leap = &motion->leap;
    if (!is_worth(motion, length, is_cut)) {
        return;
    }
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

// --- the leap ------------------------------------------------------------------------------------

// Cut the series behind its smallest term; how small that is. The noise in the next few does less
// harm than their absence: projection takes it away.
static double cut_series(rh_motion *motion, double length)
{
    double power = pow(length, FIRST_TERM);
    double least = INFINITY;
    uint32_t degree = motion->order;
    for (uint32_t m = FIRST_TERM; m <= motion->order; m++, power *= length) {
        const uint32_t part = largest_part(motion, m);
        const double size =
            fabs(rh__series_row(&motion->series, m)[part]) * power / size_of(motion, part);
        if (size < least) {
            least = size;
            degree = m;
        }
    }
    motion->series.degree =
        degree + MORE_TERMS < motion->order ? degree + MORE_TERMS : motion->order;
    return least;
}

// The longest leap whose smallest term is small enough, else the one with the smallest; `way` leads
// to the place. 0 when none is small: there is no smooth motion on the other side.
static double choose_jump(rh_motion *motion, double way)
{
    RH_ASSERT(way > 0.0);
    static const double SHARES[] = {1.5, 1.4, 1.3, 1.25, 1.2, 1.15, 1.1};
    const double most = fmax(100.0 * motion->tolerance, 1e-11);
    double best = SHARES[0];
    double least = INFINITY;
    for (size_t k = 0; k < sizeof SHARES / sizeof *SHARES && least > 2.0 * motion->tolerance; k++) {
        const double size = cut_series(motion, SHARES[k] * way);
        best = size < least ? SHARES[k] : best;
        least = fmin(least, size);
    }
    (void)cut_series(motion, best * way);
    if (!(least <= most)) {
        motion->series.degree = motion->order;
        return 0.0;
    }
    return best * way;
}

// The leap that is due, as far as the caller wants; 0 when there is none.
static double take_leap(rh_motion *motion, double left)
{
    rh_leap *leap = &motion->leap;
    const bool is_due = leap->is_due && leap->place > motion->t && leap->jumps == motion->jumps;
    const double length = is_due ? choose_jump(motion, leap->place - motion->t) : 0.0;
    leap->is_due = false;
    if (length > 0.0) {
        motion->singular_steps += rh__rank_falls(motion, leap->place);
        remember(motion, length, false);
        leap->is_done = true;
        leap->cut = length > left ? motion->t + left : INFINITY;
    } else if (is_due) {
        leap->tries = MOST_RETREATS;
    }
    return fmin(length, left);
}

// Is the step far shorter than those before, or at the beginning than the time of the motion?
static bool is_collapsed(const rh_motion *motion, double own)
{
    const rh_leap *leap = &motion->leap;
    if (leap->count > 0) {
        return own < COLLAPSED * leap->longest;
    }
    const double *first = rh__series_row(&motion->series, 1);
    double rate = 0.0;
    for (uint32_t i = 0; i < motion->n; i++) {
        rate = fmax(rate, fabs(first[i]) / size_of(motion, i));
    }
    return own * rate < COLLAPSED_FIRST;
}

double rh__leap_length(rh_motion *motion, double own, double left)
{
    rh_leap *leap = &motion->leap;
    RH_ASSERT(own > 0.0);
    if (resume(motion)) {
        return 0.0;
    }
    if (leap->cap > 0.0) {
        const double length = fmin(fmin(leap->cap, own), left);
        leap->cap = 0.0;
        return length;
    }
    const double length = take_leap(motion, left);
    if (length > 0.0) {
        return length;
    }
    if (own < left && leap->tries < MOST_RETREATS && !motion->step->is_wary &&
        is_collapsed(motion, own)) {
        if (!is_noise(motion)) {
            leap->count = 0; // the motion is faster here
        } else if (rh__leap_retreat(motion, motion->t + own) || rh__leap_look_closer(motion)) {
            return 0.0;
        }
    }
    leap->tries = own > 0.5 * leap->longest ? 0 : leap->tries;
    remember(motion, own, own >= left);
    return fmin(own, left);
}

bool rh__leap_escape(rh_motion *motion, double own, double left)
{
    rh_leap *leap = &motion->leap;
    const bool is_short = leap->count > 0 && own < left && own < COLLAPSED * leap->longest;
    if (is_short && leap->tries < MOST_RETREATS) {
        const bool is_broken = !rh__taylor_series(motion) || is_noise(motion);
        if (is_broken && rh__leap_retreat(motion, motion->t + own)) {
            return true;
        }
        leap->count = is_broken ? leap->count : 0;
    }
    leap->tries = own > 0.5 * leap->longest ? 0 : leap->tries;
    remember(motion, own, own >= left);
    return false;
}

bool rh__leap_look_closer(rh_motion *motion)
{
    const bool is_new = !motion->step->is_wary;
    motion->step->is_wary = true;
    return is_new;
}
