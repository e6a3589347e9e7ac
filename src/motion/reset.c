// SPDX-License-Identifier: Apache-2.0
// Events that change the state: all values are taken from the state before, then put in together;
// what the constraints keep is restored by projection.

#include "motion/motion.h"

rh_status rh__reset_create(rh_motion *motion, rh_error *err)
{
    const rh_model *model = motion->equations->model;
    rh_reset *reset = &motion->reset;
    rh_expr_list values = {0};
    reset->first = rh__arena_array(&motion->arena, uint32_t, (size_t)model->events.count + 1);
    if (reset->first == NULL) {
        return motion->arena.status;
    }
    for (uint32_t k = 0; k < model->events.count; k++) {
        reset->first[k] = values.count;
        for (uint32_t j = 0; j < model->events.data[k].reset_count; j++) {
            if (!rh__array_push(&motion->arena, &values, model->events.data[k].resets[j].value)) {
                return motion->arena.status;
            }
        }
    }
    if (values.count == 0) {
        return RH_OK;
    }
    reset->scratch = rh__arena_begin(motion->arena.allocator, motion->arena.limit);
    (void)rh__arena_push(&reset->scratch, 1); // its first piece of memory stays
    RH_TRY(rh__point_create(&motion->layout, &motion->arena, &reset->point));
    RH_TRY(rh__system_extra(motion->system,
                            &(rh_extra_def){.outputs = values.data, .output_count = values.count},
                            &reset->tape, err));
    RH_TRY(rh__tape_state_create(reset->tape, 0, motion->arena.allocator, &reset->state));
    return rh__tape_bind(reset->state, rh__point_value, &motion->start.point);
}

void rh__reset_destroy(rh_motion *motion)
{
    rh__tape_state_destroy(motion->reset.state);
    rh__tape_destroy(motion->reset.tape);
    rh__arena_end(&motion->reset.scratch);
}

void rh__motion_point(const rh_motion *motion, const rh_point *point)
{
    const rh_equations *equations = motion->equations;
    const rh_range velocities = motion->system->sections[RH_SECTION_VELOCITY];
    for (uint32_t k = 0; k < motion->layout.symbols.count; k++) {
        point->values[k] = motion->start.point.values[k]; // constants of `= const`
    }
    rh__point_set(point, rh__expr_symbol(equations->store, equations->model->time, 0), motion->t);
    for (uint32_t k = 0; k < motion->n; k++) {
        rh__point_set(point, motion->system->x.data[k], motion->x[k]);
    }
    for (uint32_t k = 0; k < equations->carriers.count; k++) {
        rh__point_set(point, equations->carriers.data[k].variable,
                      rh__tape_output(motion->output, velocities.first + k, 0));
    }
}

rh_status rh__reset_apply(rh_motion *motion, uint32_t index)
{
    const rh_event *event = &motion->equations->model->events.data[index];
    rh_reset *reset = &motion->reset;
    const uint32_t inputs = reset->tape->input_count;
    double residual = 0.0;
    rh__motion_evaluate(motion, motion->t, motion->x);
    for (uint32_t k = 0; k < inputs; k++) {
        rh__jet_row(reset->state, 0)[k] = rh__jet_row(motion->output, 0)[k];
    }
    rh__tape_run(reset->state);
    rh__motion_point(motion, &reset->point);
    for (uint32_t k = 0; k < event->reset_count; k++) {
        rh__point_set(&reset->point, event->resets[k].target,
                      rh__tape_output(reset->state, reset->first[index] + k, 0));
    }
    const rh_mark mark = rh__arena_mark(&reset->scratch);
    RH_TRY(rh__system_pack(motion->system, &reset->point, &reset->scratch, motion->x));
    rh__arena_rewind(&reset->scratch, mark);
    rh__intermittent_drop(motion);
    rh__jump_reset(motion);
    return rh__projector_apply(&motion->projector, motion->t, motion->x, motion->mode.is_kept,
                               &residual, motion->residuals);
}
