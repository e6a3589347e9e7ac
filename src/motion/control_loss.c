// SPDX-License-Identifier: Apache-2.0
// Where the direction of a servo reaction stops having an effect on its constraint its multiplier
// has a pole, which the motion itself may not feel: a force that must stay 1 while its factor
// 1 - y passes zero. The series of the multiplier knows it: a step is shorter than its radius of
// convergence, so that steps come to the pole.

#include "motion/motion.h"

#include <math.h>

enum { LEAST_ORDER = 6 };
#define BEFORE 0.8 // of the radius
#define NEAR 1e-8  // of the time of the motion: so near a pole is reached

rh_status rh__control_loss_create(rh_motion *motion)
{
    const rh_equations *equations = motion->equations;
    const rh_form *form = &motion->system->form;
    rh_control_loss *loss = &motion->control_loss;
    loss->controls = rh__arena_array(&motion->arena, rh_control, (size_t)form->unknowns.count + 1);
    loss->count = 0;
    if (loss->controls == NULL) {
        return motion->arena.status;
    }
    for (uint32_t k = 0; k < equations->links.count; k++) {
        const rh_link *link = &equations->links.data[k];
        for (uint32_t i = form->rate_count;
             link->constraint->by == RH_BY_SERVO && i < form->unknowns.count; i++) {
            if (form->unknowns.data[i].i == link->multiplier.i) {
                RH_ASSERT(loss->count < form->unknowns.count);
                loss->controls[loss->count++] =
                    (rh_control){k, motion->system->step->outputs[motion->n + i]};
            }
        }
    }
    return RH_OK;
}

// The larger one of coefficients k and k - 1: of even and odd functions every other one vanishes.
static double size_at(const rh_motion *motion, uint32_t slot, uint32_t k)
{
    RH_ASSERT(0 < k && k < motion->order);
    return fmax(fabs(rh__jet_row(motion->step, k)[slot]),
                fabs(rh__jet_row(motion->step, k - 1)[slot]));
}

// The radius of convergence, as the growth of the last half of the coefficients tells; INFINITY:
// they vanish.
static double find_radius(const rh_motion *motion, uint32_t slot)
{
    const uint32_t last = motion->order - 1; // of what is solved for
    const uint32_t middle = last / 2;
    const double growth = size_at(motion, slot, last) / size_at(motion, slot, middle);
    return growth > 0.0 ? pow(growth, -1.0 / (last - middle)) : INFINITY;
}

// A pole on the way, not beside it: the last coefficients have one sign.
static bool is_ahead(const rh_motion *motion, uint32_t slot)
{
    const uint32_t last = motion->order - 1;
    bool is = true;
    for (uint32_t k = last / 2 + 1; k <= last; k++) {
        is = is && rh__jet_row(motion->step, k)[slot] * rh__jet_row(motion->step, last)[slot] > 0.0;
    }
    return is;
}

static void fail(rh_motion *motion, const rh_control *control, double distance)
{
    rh_arena scratch = rh__arena_begin(motion->arena.allocator, motion->arena.limit);
    rh_text name = rh__text_begin(&scratch, NULL);
    rh__link_name(motion->equations, &motion->equations->links.data[control->link], &name);
    rh__motion_fail(motion, RH_DIAGNOSTIC_E511,
                    "control of %.*s is lost at t = %.12g: its multiplier grows without bound "
                    "(%.3g)",
                    RH_SLICE_FORMAT(rh__text_slice(&name)), motion->t + distance,
                    rh__jet_row(motion->step, 0)[control->slot]);
    rh__arena_end(&scratch);
}

double rh__control_loss_limit(rh_motion *motion, double length)
{
    const rh_control_loss *loss = &motion->control_loss;
    if (loss->count == 0 || motion->order < LEAST_ORDER || rh_motion_fixed_step(motion) > 0.0) {
        return length;
    }
    rh__system_series(motion->system, motion->step, motion->t, motion->x, motion->order);
    for (uint32_t k = 0; k < loss->count; k++) {
        const rh_control *control = &loss->controls[k];
        const double radius = find_radius(motion, control->slot);
        if (radius <= length && radius <= NEAR * (fabs(motion->t) + motion->unit_time) &&
            is_ahead(motion, control->slot)) {
            fail(motion, control, radius);
        }
        length = radius <= length ? BEFORE * radius : length;
    }
    return length;
}
