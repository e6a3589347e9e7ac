// SPDX-License-Identifier: Apache-2.0
// Constraints that projection does not keep: those with a law, with friction in place of a
// reaction, and one-sided ones. How far they are missed is looked at along every step.

#include "motion/motion.h"

#include <math.h>

enum { POINTS = 8 }; // of a step, besides its beginning

static bool list_deviations(rh_motion *motion, rh_arena *scratch, rh_expr_list *out)
{
    const rh_equations *equations = motion->equations;
    rh_deviations *it = &motion->deviations;
    it->link = rh__arena_array(&motion->arena, uint32_t, (size_t)equations->links.count + 1);
    bool ok = it->link != NULL;
    for (uint32_t k = 0; ok && k < equations->links.count; k++) {
        if (!rh__projector_keeps(&equations->links.data[k])) {
            it->link[it->count++] = k;
            ok = rh__array_push(scratch, out, equations->links.data[k].levels[0]);
        }
    }
    return ok;
}

rh_status rh__deviations_create(rh_motion *motion, rh_error *err)
{
    rh_deviations *it = &motion->deviations;
    rh_arena scratch = rh__arena_begin(motion->arena.allocator, motion->arena.limit);
    rh_expr_list levels = {0};
    rh_status status = list_deviations(motion, &scratch, &levels) ? RH_OK : RH_E_MEMORY;
    if (status == RH_OK && levels.count > 0) {
        status = rh__system_extra(
            motion->system, &(rh_extra_def){.outputs = levels.data, .output_count = levels.count},
            &it->tape, err);
    }
    RH_ASSERT(status != RH_OK || levels.count == it->count);
    rh__arena_end(&scratch);
    if (status == RH_OK && it->tape != NULL) {
        status = rh__tape_state_create(it->tape, 0, motion->arena.allocator, &it->state);
    }
    return status == RH_OK && it->tape != NULL
               ? rh__tape_bind(it->state, rh__point_value, &motion->start.point)
               : status;
}

void rh__deviations_destroy(rh_motion *motion)
{
    rh__tape_state_destroy(motion->deviations.state);
    rh__tape_destroy(motion->deviations.tape);
}

void rh__deviations_note(rh_motion *motion, double time, const double *x)
{
    const rh_deviations *it = &motion->deviations;
    if (it->count == 0) {
        return;
    }
    double *inputs = rh__jet_row(it->state, 0);
    inputs[0] = time;
    for (uint32_t k = 0; k < motion->n; k++) {
        inputs[1 + k] = x[k];
    }
    rh__tape_run(it->state);
    for (uint32_t k = 0; k < it->count; k++) {
        const rh_link *link = &motion->equations->links.data[it->link[k]];
        const double value = rh__tape_output(it->state, k, 0);
        const bool is_off = rh__link_is_intermittent(link) && !motion->mode.is_kept[it->link[k]];
        const double missed = is_off ? 0.0 : link->constraint->is_one_sided ? -value : fabs(value);
        double *most = &motion->residuals[it->link[k]];
        *most = fmax(*most, missed);
    }
}

void rh__deviations_follow(rh_motion *motion)
{
    const double length = motion->t - motion->t_before;
    RH_ASSERT(length >= 0.0);
    for (uint32_t k = 0; motion->deviations.count > 0 && k < POINTS; k++) {
        const double time = motion->t_before + length * k / POINTS;
        rh__series_value(&motion->series, time, motion->x_row);
        rh__deviations_note(motion, time, motion->x_row);
    }
    rh__deviations_note(motion, motion->t, motion->x);
}
