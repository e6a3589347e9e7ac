// SPDX-License-Identifier: Apache-2.0
// When a motion comes back near the image of its start: where a search for its period begins.

#include "orbit/orbit.h"

#include <math.h>

enum { POINTS = 8, MOST_STEPS = 400000 };

#define NEARER 0.1  // of what each variable went through: it is coming back
#define WINDOW 0.25 // how far around a time that was given one looks

typedef struct watch {
    rh_orbit *orbit;
    double near;        // 0: the first return
    double begin;       // of the motion
    double *low, *high; // by variable, so far
    double last[2];     // distances before
    double last_time;   // of the first of them
    double best, best_time;
    bool is_over;
} watch;

static double distance(const rh_orbit *orbit, const double *x)
{
    double sum = 0.0;
    rh__image_apply(&orbit->image, orbit->passage.start, orbit->transport.image);
    for (uint32_t i = 0; i < orbit->n; i++) {
        const double part = (x[i] - orbit->transport.image[i]) / orbit->manifold.scale[i];
        sum += part * part;
    }
    return sqrt(sum);
}

// The same for each variable relative to what it went through, the largest of them: about 1 until
// the motion comes back.
static double return_of(const watch *on, const double *x)
{
    const rh_orbit *orbit = on->orbit;
    double largest = 0.0;
    rh__image_apply(&orbit->image, orbit->passage.start, orbit->transport.image);
    for (uint32_t i = 0; i < orbit->n; i++) {
        on->low[i] = fmin(on->low[i], x[i]);
        on->high[i] = fmax(on->high[i], x[i]);
        const double range = on->high[i] - on->low[i];
        const double away = fabs(x[i] - orbit->transport.image[i]);
        largest = away > 1e-12 * orbit->manifold.scale[i] ? fmax(largest, away / range) : largest;
    }
    return largest;
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

rh_status rh__orbit_recur(rh_orbit *orbit, double near, double *out)
{
    rh_motion *motion = orbit->motion;
    rh_stop stop = RH_STOP_NONE;
    rh_error err;
    watch on = {.orbit = orbit,
                .near = near,
                .begin = motion->t,
                .low = orbit->trial.start, // not used yet
                .high = orbit->trial.end,
                .last = {0.0, 0.0},
                .best = INFINITY};
    for (uint32_t i = 0; i < orbit->n; i++) {
        on.low[i] = on.high[i] = motion->x[i];
    }
    for (uint32_t k = 0;
         k < MOST_STEPS && stop == RH_STOP_NONE && !on.is_over && !rh__orbit_is_over(orbit); k++) {
        const double before = motion->t;
        RH_TRY(rh_motion_step(motion, before + 1e6, &stop, &err));
        for (uint32_t p = 1; p <= POINTS && !on.is_over && stop != RH_STOP_FAILED; p++) {
            const double now = before + (motion->t - before) * p / POINTS;
            rh__series_value(&motion->series, now, orbit->transport.x);
            look(&on, now - on.begin,
                 near > 0.0 ? distance(orbit, orbit->transport.x)
                            : return_of(&on, orbit->transport.x));
        }
    }
    *out = on.best_time;
    return RH_OK;
}
