// SPDX-License-Identifier: Apache-2.0
// Events that change the state: all values are taken from the state before, then put in together.
// What they name has these values; the constraints are restored by moving what they do not name,
// and where that is impossible the motion ends.

#include "motion/motion.h"

#include <math.h>

#define KEPT 1e-10 // of what is named: by more it was moved

rh_status rh__reset_create(rh_motion *motion, rh_error *err)
{
    const rh_model *model = motion->equations->model;
    rh_reset *reset = &motion->reset;
    rh_expr_list values = {0};
    uint32_t most = 0;
    reset->first = rh__arena_array(&motion->arena, uint32_t, (size_t)model->events.count + 1);
    if (reset->first == NULL) {
        return motion->arena.status;
    }
    for (uint32_t k = 0; k < model->events.count; k++) {
        reset->first[k] = values.count / 2;
        most = most > model->events.data[k].reset_count ? most : model->events.data[k].reset_count;
        for (uint32_t j = 0; j < model->events.data[k].reset_count; j++) {
            const rh_component *one = &model->events.data[k].resets[j];
            if (!rh__array_push(&motion->arena, &values, one->value) ||
                !rh__array_push(&motion->arena, &values, one->target)) {
                return motion->arena.status;
            }
        }
    }
    if (values.count == 0) {
        return RH_OK;
    }
    reset->wanted = rh__arena_array(&motion->arena, double, (size_t)most + 1);
    reset->before = rh__arena_array(&motion->arena, double, (size_t)most + 1);
    reset->is_kept =
        rh__arena_array(&motion->arena, bool, (size_t)motion->equations->links.count + 1);
    reset->is_bound =
        rh__arena_array(&motion->arena, bool, (size_t)motion->layout.symbols.count + 1);
    if (reset->wanted == NULL || reset->before == NULL || reset->is_kept == NULL ||
        reset->is_bound == NULL) {
        return motion->arena.status;
    }
    reset->scratch = rh__arena_begin(motion->arena.allocator, motion->arena.limit);
    (void)rh__arena_push(&reset->scratch, 1); // its first piece of memory stays
    RH_TRY(rh__point_create(&motion->layout, &motion->arena, &reset->point));
    RH_TRY(rh__system_extra(motion->system,
                            &(rh_extra_def){.outputs = values.data, .output_count = values.count},
                            &reset->tape, err));
    RH_ASSERT(reset->tape->output_count == values.count);
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

// The numbers of the reset tape at the present state: of reset j of the event its value, then what
// it names.
static void evaluate(rh_motion *motion)
{
    rh_reset *reset = &motion->reset;
    RH_ASSERT(reset->tape->input_count <= motion->output->tape->input_count);
    rh__motion_evaluate(motion, motion->t, motion->x);
    for (uint32_t k = 0; k < reset->tape->input_count; k++) {
        rh__jet_row(reset->state, 0)[k] = rh__jet_row(motion->output, 0)[k];
    }
    rh__tape_run(reset->state);
}

uint32_t rh__reset_output(const rh_motion *motion, uint32_t event, uint32_t index)
{
    RH_ASSERT(event < motion->equations->model->events.count);
    RH_ASSERT(index < motion->equations->model->events.data[event].reset_count);
    return 2 * (motion->reset.first[event] + index);
}

static double value_of(const rh_motion *motion, uint32_t event, uint32_t index, bool is_target)
{
    return rh__tape_output(motion->reset.state, rh__reset_output(motion, event, index) + is_target,
                           0);
}

// Constraints that hold whatever the state is: a closed one-sided one may be left.
static void find_kept(rh_motion *motion)
{
    for (uint32_t k = 0; k < motion->equations->links.count; k++) {
        const rh_link *link = &motion->equations->links.data[k];
        motion->reset.is_kept[k] =
            motion->mode.is_kept[k] && !link->constraint->is_one_sided && rh__projector_keeps(link);
    }
}

// Put the point into x. The first thing named that x does not have then, or UINT32_MAX; `wanted`
// are the values.
static rh_status put(rh_motion *motion, uint32_t index, uint32_t *out_lost)
{
    const rh_event *event = &motion->equations->model->events.data[index];
    rh_reset *reset = &motion->reset;
    const rh_mark mark = rh__arena_mark(&reset->scratch);
    RH_TRY(rh__system_pack(motion->system, &reset->point, &reset->scratch, motion->x));
    rh__arena_rewind(&reset->scratch, mark);
    evaluate(motion);
    *out_lost = UINT32_MAX;
    for (uint32_t k = 0; k < event->reset_count && *out_lost == UINT32_MAX; k++) {
        const double wanted = reset->wanted[k];
        const double size = fabs(wanted) + fabs(reset->before[k]);
        const bool is_kept = fabs(value_of(motion, index, k, true) - wanted) <= KEPT * size;
        *out_lost = is_kept ? UINT32_MAX : k;
    }
    return RH_OK;
}

static void fail(rh_motion *motion, uint32_t index, uint32_t lost, const rh_start_missed *missed)
{
    const rh_event *event = &motion->equations->model->events.data[index];
    const rh_store *store = motion->equations->store;
    const uint32_t named = lost != UINT32_MAX ? lost : 0;
    RH_ASSERT(named < event->reset_count);
    const rh_expr symbol = event->resets[named].target;
    const rh_mark mark = rh__arena_mark(&motion->reset.scratch);
    rh_text name = rh__text_begin(&motion->reset.scratch, NULL);
    rh_text link = rh__text_begin(&motion->reset.scratch, NULL);
    rh__family_show(store, rh__expr_family(store, symbol), rh__expr_member(store, symbol), &name);
    if (!missed->is_met) {
        rh__link_name(motion->equations, &motion->equations->links.data[missed->link], &link);
    }
    rh__motion_fail(motion, RH_DIAGNOSTIC_E523,
                    "the reset of %s at t = %.17g cannot be kept: with %.*s = %.9g %s%.*s%s",
                    motion->event_names[index], motion->t, RH_SLICE_FORMAT(rh__text_slice(&name)),
                    motion->reset.wanted[named], missed->is_met ? "" : "the constraint ",
                    RH_SLICE_FORMAT(rh__text_slice(&link)),
                    missed->is_met ? "no state on the constraints was found" : " does not hold");
    rh__arena_rewind(&motion->reset.scratch, mark);
}

// Everything that is not named moves until the constraints hold.
static rh_status settle(rh_motion *motion, uint32_t index)
{
    const rh_event *event = &motion->equations->model->events.data[index];
    rh_reset *reset = &motion->reset;
    rh_start_missed missed;
    uint32_t lost = UINT32_MAX;
    for (uint32_t k = 0; k < motion->layout.symbols.count; k++) {
        reset->is_bound[k] = false;
    }
    for (uint32_t k = 0; k < event->reset_count; k++) {
        const uint32_t slot = rh__layout_slot(&motion->layout, event->resets[k].target);
        reset->is_bound[slot != UINT32_MAX ? slot : motion->layout.symbols.count] = true;
    }
    const rh_mark mark = rh__arena_mark(&reset->scratch);
    RH_TRY(rh__start_bind(motion->equations, reset->is_bound, reset->is_kept, &reset->scratch,
                          &reset->point, &missed));
    rh__arena_rewind(&reset->scratch, mark);
    RH_TRY(put(motion, index, &lost));
    if (!missed.is_met || lost != UINT32_MAX) {
        fail(motion, index, lost, &missed);
    }
    return RH_OK;
}

// What two-sided constraints and their rates are off by.
static double find_miss(rh_motion *motion)
{
    find_kept(motion);
    rh__projector_measure(&motion->projector, motion->t, motion->x);
    return rh__projector_miss(&motion->projector, motion->t, motion->x, motion->reset.is_kept);
}

rh_status rh__reset_apply(rh_motion *motion, uint32_t index)
{
    const rh_event *event = &motion->equations->model->events.data[index];
    rh_reset *reset = &motion->reset;
    uint32_t lost = UINT32_MAX;
    double residual = 0.0;
    const bool was_met = find_miss(motion) <= motion->drift; // else a kink is met as well
    evaluate(motion);
    rh__motion_point(motion, &reset->point);
    for (uint32_t k = 0; k < event->reset_count; k++) {
        reset->wanted[k] = value_of(motion, index, k, false);
        reset->before[k] = value_of(motion, index, k, true);
        if (!isfinite(reset->wanted[k])) {
            fail(motion, index, k, &(rh_start_missed){.is_met = true});
            return RH_OK;
        }
        rh__point_set(&reset->point, event->resets[k].target, reset->wanted[k]);
    }
    RH_TRY(put(motion, index, &lost));
    rh__intermittent_drop(motion);
    const double rates = find_miss(motion);
    const double places =
        rh__projector_residual(&motion->projector, motion->t, motion->x, reset->is_kept);
    if (lost != UINT32_MAX || places > motion->drift || (was_met && rates > motion->drift)) {
        RH_TRY(settle(motion, index));
    }
    if (motion->reason[0] == '\0') {
        rh__jump_reset(motion);
    }
    return motion->reason[0] != '\0'
               ? RH_OK
               : rh__projector_apply(&motion->projector, motion->t, motion->x, reset->is_kept,
                                     &residual, motion->residuals);
}
