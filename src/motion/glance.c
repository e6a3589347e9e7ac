// SPDX-License-Identifier: Apache-2.0
// Some quantities along the steps of a motion: their values at a time of the last step, and where
// the step came from jets their series over it, which are jets too.

#include "motion/motion.h"

#include <math.h>
#include <string.h>

static rh_status build(rh_glance *glance, const rh_expr *what, rh_error *err)
{
    const rh_motion *motion = glance->motion;
    const rh_allocator allocator = motion->arena.allocator;
    const rh_extra_def def = {.outputs = what, .output_count = glance->count};
    RH_TRY(rh__system_extra(motion->system, &def, &glance->tape, err));
    RH_TRY(rh__tape_state_create(glance->tape, 0, allocator, &glance->point));
    RH_TRY(rh__tape_state_create(glance->tape, motion->order_chosen, allocator, &glance->jets));
    glance->point->feeds = glance->jets->feeds = motion->tracks.pieces;
    glance->noise =
        rh__arena_array(&glance->motion->arena, double, (size_t)glance->tape->slot_count + 1);
    if (glance->noise == NULL) {
        return glance->motion->arena.status;
    }
    return rh__glance_bind(glance);
}

rh_status rh__glance_create(rh_motion *motion, const rh_expr *what, uint32_t count, rh_glance *out,
                            rh_error *err)
{
    *out = (rh_glance){.motion = motion, .count = count, .changes = UINT64_MAX};
    const rh_status status = build(out, what, err);
    if (status != RH_OK) {
        rh__glance_destroy(out);
    }
    return status;
}

void rh__glance_destroy(rh_glance *glance)
{
    rh__tape_state_destroy(glance->point);
    rh__tape_state_destroy(glance->jets);
    rh__tape_destroy(glance->tape);
    *glance = (rh_glance){.count = 0};
}

rh_status rh__glance_bind(rh_glance *glance)
{
    if (rh__motion_is_bound(glance->motion, glance->changes)) {
        return RH_OK;
    }
    RH_TRY(rh__tape_bind(glance->point, rh__point_value, &glance->motion->start.point));
    rh__tape_bind_like(glance->jets, glance->point);
    glance->changes = glance->motion->values.changes;
    return RH_OK;
}

// --- at a time -----------------------------------------------------------------------------------

// The state at a time within the step, as the step left it.
static rh_status find_state(rh_motion *motion, double time)
{
    double residual = 0.0;
    rh__series_value(&motion->series, time, motion->x_row);
    return rh__projector_apply(&motion->projector, time, motion->x_row, motion->mode.was_kept,
                               &residual, NULL);
}

static void find_values(const rh_glance *glance, rh_tape_state *rates, double time, const double *x,
                        double *out)
{
    const rh_motion *motion = glance->motion;
    const uint32_t n = motion->n;
    RH_ASSERT(rates->tape == motion->system->step && out != x);
    double *inputs = rh__jet_row(rates, 0);
    double *own = rh__jet_row(glance->point, 0);
    inputs[0] = own[0] = time;
    memcpy(inputs + 1, x, n * sizeof *x);
    memcpy(own + 1, x, n * sizeof *x);
    rh__tape_run(rates);
    for (uint32_t k = 0; k < motion->system->form.unknowns.count; k++) {
        own[1 + n + k] = rh__tape_output(rates, n + k, 0);
    }
    rh__tape_run(glance->point);
    for (uint32_t k = 0; k < glance->count; k++) {
        out[k] = rh__tape_output(glance->point, k, 0);
    }
}

rh_status rh__glance_along(const rh_glance *glance, double time, double *out)
{
    rh_motion *motion = glance->motion;
    // one piece of each input, to its end
    rh__tracks_select(motion, 0.5 * (motion->t_before + motion->t));
    RH_TRY(find_state(motion, time));
    find_values(glance, motion->plain, time, motion->x_row, out);
    rh__tracks_select(motion, motion->t);
    return RH_OK;
}

void rh__glance_noise(const rh_glance *glance, double *out)
{
    rh__tape_noise(glance->point, glance->noise);
    for (uint32_t k = 0; k < glance->count; k++) {
        out[k] = glance->noise[glance->tape->outputs[k]];
    }
}

void rh__glance_now(const rh_glance *glance, double *out)
{
    rh_motion *motion = glance->motion;
    rh__tracks_select(motion, motion->t);
    const bool is_border = rh__border_is_at(motion, motion->t);
    find_values(glance, is_border ? motion->step : motion->plain, motion->t, motion->x, out);
}

// --- along the step ------------------------------------------------------------------------------

// Do the jets of the stepping tape still belong to the step that was taken?
static bool has_jets(const rh_motion *motion)
{
    const rh_series *series = &motion->series;
    bool is_same = motion->stepper->has_jets && series->begin == motion->t_before &&
                   series->degree == motion->order &&
                   rh__jet_row(motion->step, 0)[0] == series->begin;
    for (uint32_t k = 0; is_same && k <= series->degree; k++) {
        is_same = memcmp(rh__jet_row(motion->step, k) + 1, rh__series_row(series, k),
                         motion->n * sizeof(double)) == 0;
    }
    return is_same;
}

// Compiled steps leave no jets behind, but those of their beginning can be had again.
static bool find_jets(rh_motion *motion)
{
    const rh_series *series = &motion->series;
    if (!has_jets(motion) && motion->glider.is_ready && series->begin == motion->t_before) {
        rh__system_series(motion->system, motion->step, series->begin, series->own, motion->order);
    }
    return has_jets(motion);
}

bool rh__glance_series(const rh_glance *glance)
{
    rh_motion *motion = glance->motion;
    const uint32_t n = motion->n;
    // conditions decided at the beginning may not hold to the end
    if (glance->tape->switch_count > 0 || motion->tracks.count > 0 || !find_jets(motion)) {
        return false;
    }
    for (uint32_t k = 0; k < motion->order; k++) {
        double *inputs = rh__jet_row(glance->jets, k);
        memcpy(inputs, rh__jet_row(motion->step, k), (n + 1) * sizeof *inputs);
        for (uint32_t i = 0; i < motion->system->form.unknowns.count; i++) {
            inputs[1 + n + i] = rh__tape_output(motion->step, n + i, k);
        }
        if (k == 0) {
            rh__tape_run(glance->jets);
        } else {
            rh__jet_order(glance->jets, k);
        }
    }
    return true;
}

uint32_t rh__glance_polynomial(const rh_glance *glance, uint32_t index, double *out)
{
    const rh_motion *motion = glance->motion;
    RH_ASSERT(index < glance->count && motion->order <= glance->jets->order + 1);
    const double length = motion->t - motion->t_before;
    double power = 1.0;
    for (uint32_t k = 0; k < motion->order; k++, power *= length) {
        out[k] = rh__tape_output(glance->jets, index, k) * power;
    }
    return motion->order - 1;
}
