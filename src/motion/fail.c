// SPDX-License-Identifier: Apache-2.0
// Why a motion cannot go on: the code, and the sentence with its numbers.

#include "motion/motion.h"

#include <math.h>
#include <stdio.h>

#define FAR 1e6 // from any start
#define LEFT 10 // times the last step: steps towards a pole shrink with the way to it

void rh__motion_fail(rh_motion *motion, rh_diagnostic_code code, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    (void)vsnprintf(motion->reason_text, sizeof motion->reason_text, format, arguments);
    va_end(arguments);
    RH_ASSERT(motion->reason_text[0] != '\0'); // without a text it would go on
    motion->reason = motion->reason_text;
    motion->reason_code = code;
}

// Where the motion ceases to be smooth: x ~ (T - t)^-power, which goes to infinity unless the power
// is negative.
typedef struct singularity {
    const rh_column *column; // NULL: there is none near
    double time, power;
} singularity;

// The coefficients of x have the ratios (k + 1) c_(k+1)/c_k = (k + power)/(T - t).
static singularity read_series(const double c[4], double t)
{
    const double first = 2.0 * c[1] / c[0];
    const double second = 3.0 * c[2] / c[1];
    const double third = 4.0 * c[3] / c[2];
    const double left = 1.0 / (second - first);
    const bool is_one = isfinite(third) && left > 0.0 && left < 1e-6 * fabs(t) &&
                        fabs((third - second) * left - 1.0) < 0.1;
    return (singularity){.time = is_one ? t + left : NAN, .power = first * left - 1.0};
}

// The variable that has a singularity next; of several at one place the one that comes first in the
// model and goes to infinity.
static singularity find_singularity(rh_motion *motion)
{
    enum { TERMS = 4 };
    singularity found = {.column = NULL, .time = INFINITY};
    if (motion->step->order < TERMS) {
        return found;
    }
    rh__series_keep(&motion->series);
    rh__system_series(motion->system, motion->step, motion->t, motion->x, TERMS);
    for (uint32_t k = 0; k < motion->columns.count; k++) {
        const rh_column *column = &motion->columns.data[k];
        if (column->source != RH_COLUMN_X) {
            continue;
        }
        double c[TERMS];
        for (uint32_t m = 0; m < TERMS; m++) {
            c[m] = rh__jet_row(motion->step, m + 1)[1 + column->index];
        }
        singularity it = read_series(c, motion->t);
        it.column = column;
        const double left = it.time - motion->t;
        const double best = found.time - motion->t;
        const bool is_clearer = it.power > -0.1 && !(found.power > -0.1);
        if (left < 0.5 * best || (left < 2.0 * best && is_clearer)) {
            found = it;
        }
    }
    return found;
}

// What goes to infinity, when no series tells: it is large, and at its rate it grows by its own
// size within a small part of the time so far; the fastest such. NULL: nothing does.
static const rh_column *find_grown(rh_motion *motion)
{
    const double least = 1e4 / fmax(fabs(motion->t), 1e-300);
    double fastest = least;
    const rh_column *grown = NULL;
    rh__motion_rate(motion, motion->t, motion->x, motion->slope);
    for (uint32_t k = 0; k < motion->columns.count; k++) {
        const rh_column *column = &motion->columns.data[k];
        if (column->source != RH_COLUMN_X) {
            continue;
        }
        const double x = motion->x[column->index];
        const double rate = motion->slope[column->index] / x;
        if (fabs(x) > FAR && rate > fastest) {
            fastest = rate;
            grown = column;
        }
    }
    return grown;
}

// Something goes to infinity: then that is said.
static bool say_infinite(rh_motion *motion, rh_diagnostic_code code, const char *what)
{
    const singularity at = find_singularity(motion);
    const bool is_infinite = at.column != NULL && at.power > -0.1;
    const rh_column *grown = is_infinite ? at.column : find_grown(motion);
    if (grown != NULL) {
        rh__motion_fail(motion, code, "%s t = %.17g, where %s = %.3g and seems to go to infinity",
                        what, is_infinite ? at.time : motion->t, grown->name,
                        motion->x[grown->index]);
    }
    return grown != NULL;
}

static rh_slice name_of(const rh_equations *equations, const rh_link *link, rh_arena *scratch)
{
    rh_text text = rh__text_begin(scratch, NULL);
    rh__link_name(equations, link, &text);
    return rh__text_slice(&text);
}

// Has a rate no derivative where it has a value?
static bool has_no_slope(rh_motion *motion)
{
    enum { ORDER = 2 };
    rh_tape_state *step = motion->step;
    rh_series_kernel *kernel = step->kernel;
    bool has_none = false;
    if (!motion->stepper->has_jets) {
        return false;
    }
    step->kernel = NULL; // compiled text does not know what the zero of a base makes of a power
    step->ready = 0;
    rh__system_series(motion->system, step, motion->t, motion->x, ORDER);
    step->kernel = kernel;
    for (uint32_t i = 0; i < motion->n; i++) {
        has_none = has_none || isnan(rh__jet_row(step, ORDER)[1 + i]);
    }
    return has_none;
}

// Have the rates, which have values here, none a little farther on, or no derivatives? A number
// that is too large is one. `may_be_outside`: they may have none here already.
static bool leaves_domain(rh_motion *motion, bool may_be_outside)
{
    enum { LENGTHS = 12 };
    double length = motion->length_last;
    bool is_inside = true;
    bool is_outside = false;
    const bool was_exact = motion->plain->is_exact;
    motion->plain->is_exact = true; // not by compiled text, which knows no rounding of a base
    rh__motion_rate(motion, motion->t, motion->x, motion->slope);
    motion->plain->is_exact = was_exact;
    for (uint32_t i = 0; i < motion->n; i++) {
        is_inside = is_inside && isfinite(motion->slope[i]);
        is_outside = is_outside || (may_be_outside && isnan(motion->slope[i]));
    }
    is_outside = is_outside || (is_inside && motion->length_last > 0.0 && has_no_slope(motion));
    for (uint32_t k = 0; k < LENGTHS && is_inside && !is_outside; k++, length *= 4.0) {
        for (uint32_t i = 0; i < motion->n; i++) {
            motion->x_try[i] = motion->x[i] + length * motion->slope[i];
        }
        rh__motion_rate(motion, motion->t + length, motion->x_try, motion->x_row);
        for (uint32_t i = 0; i < motion->n; i++) {
            is_outside = is_outside || isnan(motion->x_row[i]);
        }
    }
    return is_outside;
}

#define END_OF_DOMAIN                                                                              \
    "the motion comes to the end of its domain (a root or logarithm of zero, a divisor that "      \
    "vanishes) at t = %.17g; `explain E504` says how it may rest there"

void rh__fail_review(rh_motion *motion)
{
    if (motion->reason_code != RH_DIAGNOSTIC_E514 || motion->equations->links.count > 0) {
        return;
    }
    if (!say_infinite(motion, RH_DIAGNOSTIC_E503, "the step size collapsed at") &&
        leaves_domain(motion, true)) {
        rh__motion_fail(motion, RH_DIAGNOSTIC_E504, END_OF_DOMAIN, motion->t);
    }
}

// Its multiplier; infinite where that has no influence on what it should keep.
static double effort_of(rh_motion *motion, uint32_t link)
{
    const rh_range multipliers = motion->system->sections[RH_SECTION_MULTIPLIER];
    RH_ASSERT(link < multipliers.count);
    const rh_tape_quality *quality = &motion->plain->quality;
    const double multiplier = rh__tape_output(motion->output, multipliers.first + link, 0);
    const bool contradicts = quality->singular > 0 && quality->residual > RH_TAPE_INCONSISTENT;
    return contradicts && !rh_motion_is_unique(motion, link) ? (double)INFINITY : multiplier;
}

// When control is lost, in as many digits as steps came near to it.
static void say_lost(rh_motion *motion, const rh_link *link, double multiplier)
{
    enum { DIGITS = 12 };
    const double share = LEFT * fabs(motion->t - motion->t_before) / fabs(motion->t);
    const double known = share > 0.0 ? floor(-log10(share)) : DIGITS;
    rh_arena scratch = rh__arena_begin(motion->arena.allocator, motion->arena.limit);
    rh__motion_fail(motion, RH_DIAGNOSTIC_E511,
                    "control of %.*s is lost at t = %.*g: its multiplier grows without bound "
                    "(%.3g)",
                    RH_SLICE_FORMAT(name_of(motion->equations, link, &scratch)),
                    (int)fmin(fmax(known, 1.0), DIGITS), motion->t, multiplier);
    rh__arena_end(&scratch);
}

// Where control is lost its multiplier tells.
void rh__fail_at_singularity(rh_motion *motion, rh_diagnostic_code code, const char *what)
{
    const rh_equations *equations = motion->equations;
    rh__motion_evaluate(motion, motion->t, motion->x);
    for (uint32_t k = 0; k < equations->links.count; k++) {
        const rh_link *link = &equations->links.data[k];
        const rh_realisation by = link->constraint->by;
        const double multiplier = effort_of(motion, k);
        const bool is_control = by == RH_BY_SERVO || by == RH_BY_INERTIA || by == RH_BY_VAKONOMIC;
        if (is_control && motion->mode.is_kept[k] && !(fabs(multiplier) < FAR)) {
            say_lost(motion, link, multiplier);
            return;
        }
    }
    if (say_infinite(motion, code, what)) {
        return;
    }
    const singularity end = find_singularity(motion);
    if (end.column != NULL && end.power > -0.95) {
        const bool is_free = equations->links.count == 0;
        rh__motion_fail(motion, is_free ? RH_DIAGNOSTIC_E504 : code,
                        "%s t = %.17g, where the rate of %s = %.3g grows without bound",
                        is_free ? "the motion comes to the end of its domain at" : what, end.time,
                        end.column->name, motion->x[end.column->index]);
    } else if (equations->links.count == 0 && leaves_domain(motion, false)) {
        rh__motion_fail(motion, RH_DIAGNOSTIC_E504, END_OF_DOMAIN, motion->t);
    } else {
        rh__motion_fail(motion, code, "%s t = %.17g", what, motion->t);
    }
}

// The largest change of a rate between two times of the series, relative to it; INFINITY where it
// has none.
static double change_between(rh_motion *motion, double from, double to)
{
    double largest = 0.0;
    rh__series_value(&motion->series, from, motion->x_try);
    rh__motion_rate(motion, from, motion->x_try, motion->slope);
    rh__series_value(&motion->series, to, motion->x_try);
    rh__motion_rate(motion, to, motion->x_try, motion->x_row);
    for (uint32_t i = 0; i < motion->n; i++) {
        const double change = fabs(motion->x_row[i] - motion->slope[i]);
        const double share = change / (1.0 + fabs(motion->slope[i]));
        largest = isfinite(share) ? fmax(largest, share) : INFINITY;
    }
    return largest;
}

// Does a rate change, over a step that leads nowhere, by more than a change can be? What jumps does
// so within every half of the time that holds the place.
static bool has_jump(rh_motion *motion, double length)
{
    enum { HALVINGS = 24 };
    double from = motion->t;
    double to = motion->t + 4.0 * length;
    const double whole = change_between(motion, from, to);
    double change = whole;
    for (uint32_t k = 0; k < HALVINGS && isfinite(change) && change > 1e-2; k++) {
        const double middle = from + 0.5 * (to - from);
        if (!(middle > from && middle < to)) {
            break;
        }
        const double before = change_between(motion, from, middle);
        const double after = change_between(motion, middle, to);
        from = after > before ? middle : from;
        to = after > before ? to : middle;
        change = fmax(before, after);
    }
    return isfinite(change) && change > 1e-2 && change > 0.3 * whole;
}

void rh__fail_at_end_of_domain(rh_motion *motion, double length)
{
    if (say_infinite(motion, RH_DIAGNOSTIC_E503, "steps lead nowhere at")) {
        return;
    }
    if (has_jump(motion, length)) {
        rh__motion_fail(motion, RH_DIAGNOSTIC_E504,
                        "the rates jump at t = %.17g where no condition of the model tells it (the "
                        "cut of atan2, the root of a square)",
                        motion->t);
    } else {
        rh__motion_fail(motion, RH_DIAGNOSTIC_E504, END_OF_DOMAIN, motion->t);
    }
}
