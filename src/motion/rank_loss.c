// SPDX-License-Identifier: Apache-2.0
// Do constraints lose their rank? In: the present point of a motion, or a place that a step leads
// over. A rank falls where multipliers are no longer determined, where the matrix of the equations
// with constraints comes close to a singular one, or where the gradient of a constraint vanishes.
// A step that is hard for another reason (0/0 in a force) is none of these.

#include "motion/motion.h"

#include <math.h>

#define FALLEN 0.01 // reciprocal condition at the place, relative to that before it
#define FLAT 1e-4   // the same for the square of a gradient

rh_status rh__rank_create(rh_motion *motion)
{
    size_t rows = 1;
    for (uint32_t k = 0; k < 2; k++) {
        rows += motion->projector.stages[k].miss != NULL ? motion->projector.stages[k].rows : 0;
    }
    motion->steepness = rh__arena_array(&motion->arena, double, rows);
    return motion->steepness != NULL ? RH_OK : motion->arena.status;
}

bool rh__rank_is_lost(const rh_motion *motion)
{
    const rh_form *form = &motion->system->form;
    const rh_tape_state *state = motion->stepper->has_jets ? motion->step : motion->plain;
    bool is_lost = false;
    for (uint32_t k = form->rate_count; !is_lost && k < form->unknowns.count; k++) {
        is_lost = !rh__tape_is_unique(state, motion->system->step->outputs[motion->n + k]);
    }
    return is_lost;
}

static double condition_at(rh_motion *motion, double time, const double *x)
{
    RH_ASSERT(x != motion->slope);
    motion->plain->is_wary = true;
    rh__motion_rate(motion, time, x, motion->slope);
    motion->plain->is_wary = false;
    return motion->plain->quality.rcond;
}

// The squares of the gradients of all rows at a point: keep them, or compare them with those that
// are kept and tell the least share.
static double find_steepness(rh_motion *motion, double time, const double *x, bool is_kept)
{
    double *kept = motion->steepness;
    double least = INFINITY;
    for (uint32_t k = 0; k < 2; k++) {
        const rh_project_stage *stage = &motion->projector.stages[k];
        if (stage->miss == NULL) {
            continue;
        }
        double first = 0.0;
        const bool is_known = rh__projector_steepness(
            &motion->projector, time, x, stage->levels[0].link, stage->levels[0].level, &first);
        for (uint32_t row = 0; row < stage->rows; row++) {
            if (is_kept) {
                kept[row] = is_known ? stage->steepness[row] : 0.0;
            } else if (is_known && kept[row] > 0.0) {
                least = fmin(least, stage->steepness[row] / kept[row]);
            }
        }
        kept += stage->rows;
    }
    return least;
}

bool rh__rank_falls(rh_motion *motion, double place)
{
    double *x = motion->x_try;
    const double before = condition_at(motion, motion->t, motion->x);
    (void)find_steepness(motion, motion->t, motion->x, true);
    rh__series_value(&motion->series, place, x);
    return condition_at(motion, place, x) <= FALLEN * before ||
           find_steepness(motion, place, x, false) <= FLAT;
}
