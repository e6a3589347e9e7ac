// SPDX-License-Identifier: Apache-2.0
// Why a motion cannot go on: the code, and the sentence with its numbers.

#include "motion/motion.h"

#include <math.h>
#include <stdio.h>

#define FAR 1e6 // from any start

void rh__motion_fail(rh_motion *motion, rh_diagnostic_code code, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    (void)vsnprintf(motion->reason_text, sizeof motion->reason_text, format, arguments);
    va_end(arguments);
    motion->reason = motion->reason_text;
    motion->reason_code = code;
}

// What goes to infinity: it is large, and at its rate it grows by its own size within
// a small part of the time so far; the fastest such. NULL: nothing does.
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

static rh_slice name_of(const rh_equations *equations, const rh_link *link, rh_arena *scratch)
{
    rh_text text = rh__text_begin(scratch, NULL);
    rh__link_name(equations, link, &text);
    return rh__text_slice(&text);
}

// Where control is lost its multiplier tells.
void rh__fail_at_singularity(rh_motion *motion, rh_diagnostic_code code, const char *what)
{
    const rh_equations *equations = motion->equations;
    const rh_range multipliers = motion->system->sections[RH_SECTION_MULTIPLIER];
    rh__motion_evaluate(motion, motion->t, motion->x);
    for (uint32_t k = 0; k < equations->links.count; k++) {
        const rh_link *link = &equations->links.data[k];
        const rh_realisation by = link->constraint->by;
        const double multiplier = rh__tape_output(motion->output, multipliers.first + k, 0);
        const bool is_control = by == RH_BY_SERVO || by == RH_BY_INERTIA || by == RH_BY_VAKONOMIC;
        if (is_control && motion->mode.is_kept[k] && !(fabs(multiplier) < FAR)) {
            rh_arena scratch = rh__arena_begin(motion->arena.allocator, motion->arena.limit);
            rh__motion_fail(motion, RH_DIAGNOSTIC_E511,
                            "control of %.*s is lost at t = %.17g: its multiplier grows without "
                            "bound (%.3g)",
                            RH_SLICE_FORMAT(name_of(equations, link, &scratch)), motion->t,
                            multiplier);
            rh__arena_end(&scratch);
            return;
        }
    }
    const rh_column *grown = find_grown(motion);
    if (grown != NULL) {
        rh__motion_fail(motion, code, "%s t = %.17g, where %s = %.3g and seems to go to infinity",
                        what, motion->t, grown->name, motion->x[grown->index]);
    } else {
        rh__motion_fail(motion, code, "%s t = %.17g", what, motion->t);
    }
}

// Is the largest change of a rate, over a step that leads nowhere, more than a change can be?
static bool has_jump(rh_motion *motion, double length)
{
    const double t = motion->t + 4.0 * length;
    bool jumps = false;
    bool is_finite = true;
    rh__series_value(&motion->series, t, motion->x_try);
    rh__motion_rate(motion, t, motion->x_try, motion->x_row);
    rh__motion_rate(motion, motion->t, motion->x, motion->slope);
    for (uint32_t i = 0; i < motion->n; i++) {
        const double change = fabs(motion->x_row[i] - motion->slope[i]);
        is_finite = is_finite && isfinite(change);
        jumps = jumps || change > 1e-2 * (1.0 + fabs(motion->slope[i]));
    }
    return jumps && is_finite;
}

void rh__fail_at_end_of_domain(rh_motion *motion, double length)
{
    const rh_column *grown = find_grown(motion);
    if (grown != NULL) {
        rh__motion_fail(
            motion, RH_DIAGNOSTIC_E503,
            "steps lead nowhere at t = %.17g, where %s = %.3g and seems to go to infinity",
            motion->t, grown->name, motion->x[grown->index]);
    } else if (has_jump(motion, length)) {
        rh__motion_fail(motion, RH_DIAGNOSTIC_E504,
                        "the rates jump at t = %.17g where no condition of the model tells it (the "
                        "cut of atan2, the root of a square)",
                        motion->t);
    } else {
        rh__motion_fail(
            motion, RH_DIAGNOSTIC_E504,
            "the motion comes to the end of its domain (a root or logarithm of zero, a "
            "divisor that vanishes) at t = %.17g; `explain E504` says how it may rest there",
            motion->t);
    }
}
