// SPDX-License-Identifier: Apache-2.0
// Taylor steps: the series of x at the present point, and how far it can be
// trusted. With the last coefficients c_m, h = min (tolerance / |c_m|)^(1/m),
// sizes relative to 1 + |x|.

#include "motion/motion.h"

#include <math.h>

bool rh__taylor_series(rh_motion *motion)
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

static double find_length(const rh_motion *motion)
{
    enum { LOOK = 3 }; // series of even or odd functions have gaps
    const uint32_t n = motion->n;
    const double *c = motion->series.coefficients;
    double length = INFINITY;
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

// The deviation of the series from the constraints after a while.
static double deviation_at(rh_motion *motion, double length)
{
    const double t = motion->t + length;
    rh__series_value(&motion->series, t, motion->x_try);
    return rh__projector_residual(&motion->projector, t, motion->x_try, motion->mode.is_kept);
}

// At a singular configuration rates are those of the constraints that are left: they may lead away
// from the others, in the direction in which these will push back at once. A step is then no longer
// than it stays on all of them, as far as it begins on them: one-sided ones that were just met are
// so up to the place of the event.
static double limit_by_constraints(rh_motion *motion, double length)
{
    const double now =
        rh__projector_residual(&motion->projector, motion->t, motion->x, motion->mode.is_kept);
    const double level = fmax(fmax(motion->tolerance, 1e-14), 4.0 * now);
    double share = 1.0;
    while (motion->t + share * length > motion->t &&
           !(deviation_at(motion, share * length) <= level)) {
        share /= 2.0;
    }
    // what is missed from the beginning no length can help
    if (!(motion->t + share * length > motion->t)) {
        return length;
    }
    if (share < 1.0) {
        motion->leap.count = 0; // the next steps are short for another reason than noise
    }
    return share * length;
}

// --- the stepper -------------------------------------------------------------------------------

static rh_expansion expand_taylor(rh_motion *motion, double *length)
{
    const bool is_finite = rh__taylor_series(motion);
    const rh_tape_quality *quality = &motion->step->quality;
    const bool contradicts = quality->singular > 0 && quality->residual > RH_TAPE_INCONSISTENT;
    if (!is_finite || quality->is_failed || contradicts) {
        return rh__leap_retreat(motion, motion->t) || rh__leap_look_closer(motion)
                   ? RH_EXPANSION_TAKEN_BACK
                   : RH_EXPANSION_FAILED;
    }
    const double chosen = rh__leap_length(motion, find_length(motion), *length);
    if (chosen == 0.0) {
        return RH_EXPANSION_TAKEN_BACK;
    }
    *length = limit_by_watched(motion, chosen);
    if (quality->singular > 0) {
        *length = limit_by_constraints(motion, *length);
    } else {
        motion->step->is_wary = false;
    }
    return RH_EXPANSION_DONE;
}

const rh_stepper rh__stepper_taylor = {
    .name = "taylor", .has_jets = true, .expand = expand_taylor, .retreat = rh__leap_retreat};
