// SPDX-License-Identifier: Apache-2.0
// When a motion comes back near the image of its start: where a search for its period begins.

#include "orbit/orbit.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum {
    POINTS = 8,
    LONE_STEPS = 1000,
    MOST_STEPS = 4000,
    SLOW_STEPS = 400000,
    LEAD_STEPS = 1000000
};

#define HORIZON 1e6    // times the pace
#define NEARER 0.1     // of what each variable went through: it is coming back
#define WINDOW 0.25    // how far around a time that was given one looks
#define ASLEEP 1e-9    // of the way so far, that a motion coming to rest would go in the same time
#define ROUNDING 1e-12 // of sizes of variables: less is no way
#define SLOW 0.02      // what a step changes in the mean, if it is short for another reason

typedef struct watch {
    rh_orbit *orbit;
    double near;        // 0: the first return
    double begin;       // of the motion
    double *low, *high; // by variable, so far
    double last[2];     // distances before
    double last_time;   // of the first of them
    double best, best_time;
    double path; // what the steps changed, together
    bool is_over;
} watch;

// What a variable went through so far, if it is no rounding; else 0.
static double range_of(const watch *on, uint32_t i)
{
    const double range = on->high[i] - on->low[i];
    return range > ROUNDING * on->orbit->manifold.scale[i] ? range : 0.0;
}

// How far x is from the image of the start, in what each variable went through: the largest part,
// which is about 1 until the motion comes back, or all of them.
static double return_of(const watch *on, const double *x)
{
    const rh_orbit *orbit = on->orbit;
    double largest = 0.0;
    double sum = 0.0;
    rh__image_apply(&orbit->image, orbit->passage.start, orbit->transport.image);
    for (uint32_t i = 0; i < orbit->n; i++) {
        on->low[i] = fmin(on->low[i], x[i]);
        on->high[i] = fmax(on->high[i], x[i]);
        const double range = range_of(on, i);
        const double away = fabs(x[i] - orbit->transport.image[i]);
        // what never moves is not at its image, or it is
        const double size = range > 0.0 ? range : orbit->manifold.scale[i];
        const double part = away > ROUNDING * orbit->manifold.scale[i] ? away / size : 0.0;
        largest = fmax(largest, part);
        sum += part * part;
    }
    return on->near > 0.0 ? sqrt(sum) : largest;
}

// A moment after the start and how far away it is.
static void look(watch *on, double time, double away)
{
    const double span = WINDOW * on->near;
    if (on->near > 0.0) {
        if (fabs(time - on->near) <= span && away < on->best) {
            on->best = away;
            on->best_time = time;
        }
        on->is_over = time > on->near + span;
    } else if (on->last[0] < on->last[1] && on->last[0] <= away && on->last[0] < NEARER) {
        on->best_time = on->last_time;
        on->is_over = true;
    }
    on->last[1] = on->last[0];
    on->last[0] = away;
    on->last_time = time;
}

// Nothing moves any more, by the series of the last step: what it did so far would last for ages.
static bool is_asleep(const watch *on)
{
    const rh_orbit *orbit = on->orbit;
    const rh_motion *motion = orbit->motion;
    double fastest = 0.0;
    rh__series_slope(&motion->series, motion->t, orbit->transport.rate);
    for (uint32_t i = 0; i < orbit->n; i++) {
        const double way = fabs(orbit->transport.rate[i]) * (motion->t - on->begin);
        const double size = fmax(range_of(on, i), ROUNDING * orbit->manifold.scale[i]);
        fastest = fmax(fastest, way / size);
    }
    return !orbit->is_timed && fastest < ASLEEP;
}

// By how much the last step, from the time `before`, changed x.
static double change_of(const watch *on, double before)
{
    const rh_orbit *orbit = on->orbit;
    const rh_motion *motion = orbit->motion;
    double largest = 0.0;
    rh__series_value(&motion->series, before, orbit->transport.x);
    for (uint32_t i = 0; i < orbit->n; i++) {
        const double change = fabs(motion->x[i] - orbit->transport.x[i]);
        const double range = range_of(on, i);
        largest = range > 0.0 ? fmax(largest, change / range) : largest;
    }
    return largest;
}

// Has it been watched long enough? Steps that change little are not counted like others.
static bool is_enough(const watch *on, uint64_t steps)
{
    const bool is_slow = on->path < SLOW * (double)steps;
    return steps >= (is_slow || on->near > 0.0 ? SLOW_STEPS : MOST_STEPS);
}

// Where nothing ends it a step is as long as it may be: the first one by the pace of the motion,
// for it tells the sizes of variables, others far longer.
static rh_status take_step(rh_orbit *orbit, rh_stop *out_stop)
{
    rh_motion *motion = orbit->motion;
    rh_error err;
    const double most = (motion->steps == 0 ? 1.0 : HORIZON) * orbit->pace;
    RH_TRY(rh_motion_step(motion, motion->t + most, out_stop, &err));
    *out_stop = *out_stop == RH_STOP_REACHED ? RH_STOP_NONE : *out_stop;
    return RH_OK;
}

rh_status rh__orbit_recur(rh_orbit *orbit, double near, rh_watch *out)
{
    rh_motion *motion = orbit->motion;
    rh_stop stop = RH_STOP_NONE;
    watch on = {.orbit = orbit,
                .near = near,
                .begin = motion->t,
                .low = orbit->trial.start, // not used yet
                .high = orbit->trial.end,
                .last = {0.0, 0.0},
                .best = INFINITY};
    *out = (rh_watch){.time = 0.0};
    for (uint32_t i = 0; i < orbit->n; i++) {
        on.low[i] = on.high[i] = motion->x[i];
    }
    for (uint64_t k = 0; !is_enough(&on, k) && stop == RH_STOP_NONE && !on.is_over &&
                         !out->is_rest && !rh__orbit_is_over(orbit);
         k++) {
        const double before = motion->t;
        RH_TRY(take_step(orbit, &stop));
        for (uint32_t p = 1; p <= POINTS && !on.is_over && stop != RH_STOP_FAILED; p++) {
            const double now = before + (motion->t - before) * p / POINTS;
            rh__series_value(&motion->series, now, orbit->transport.x);
            look(&on, now - on.begin, return_of(&on, orbit->transport.x));
        }
        out->is_rest = near <= 0.0 && is_asleep(&on);
        on.path += change_of(&on, before);
    }
    out->time = on.best_time;
    return RH_OK;
}

// --- further on ----------------------------------------------------------------------------------

bool rh__orbit_is_open(const rh_motion *motion)
{
    bool open = true;
    for (uint32_t k = 0; k < motion->mode.gate_count; k++) {
        open = open && !motion->mode.gates[k].is_active && !motion->mode.gates[k].is_lifting;
    }
    for (uint32_t k = 0; k < motion->system->step->switch_count; k++) {
        open = open && !motion->mode.conditions[k].is_sliding;
    }
    return open;
}

rh_status rh__orbit_lead(rh_orbit *orbit, double time)
{
    rh_motion *motion = orbit->motion;
    rh_stop stop = RH_STOP_NONE;
    rh_error err = {.message = ""};
    const double end = fmin(motion->t + time, DBL_MAX);
    // a period that was given may be far too long
    for (uint32_t k = 0;
         k < LEAD_STEPS && motion->t < end && stop == RH_STOP_NONE && !rh__orbit_is_over(orbit);
         k++) {
        RH_TRY(rh_motion_step(motion, end, &stop, &err));
    }
    double middle = motion->t;
    memcpy(orbit->transport.x, motion->x, orbit->n * sizeof *orbit->transport.x);
    // where the equations contain the time, the time is that of the start again
    bool is_found = orbit->is_timed || stop == RH_STOP_FAILED;
    for (uint32_t k = 0; k < LONE_STEPS && !is_found && !rh__orbit_is_over(orbit); k++) {
        const double before = motion->t;
        const bool was_open = rh__orbit_is_open(motion);
        RH_TRY(take_step(orbit, &stop));
        is_found = was_open || stop != RH_STOP_NONE;
        if (stop != RH_STOP_FAILED && (was_open || k == 0)) {
            middle = 0.5 * (before + motion->t);
            rh__series_value(&motion->series, middle, orbit->transport.x);
        }
    }
    orbit->led += middle - orbit->since;
    memcpy(orbit->passage.start, orbit->transport.x, orbit->n * sizeof *orbit->passage.start);
    const rh_status status = rh__motion_place(motion, orbit->passage.start, &err);
    memcpy(orbit->passage.start, motion->x, orbit->n * sizeof *orbit->passage.start);
    return status;
}
