// SPDX-License-Identifier: Apache-2.0
// A motion: made at the consistent start, moved step by step. A step expands
// the series, looks how far it can be trusted and what happens on the way, goes
// there, and projects.

#include "motion/motion.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum { MOST_OCCURRENCES = 100000, MOST_IDLE = 64, STEPS_AT_ONCE = 20000 };

// --- making
// --------------------------------------------------------------------------------------

// A step of order p costs a + b p + c p^2 and leads as far as rho tol^(1/(p - 1)); the cost of a
// unit of time is least near p = 2 + share ln(1/tol). What is around a series weighs more in small
// systems (bench/README.md, "Order": a : b : c is 9 : 1 : 0.01 for ten rods, 15 : 1 : 0.03 for a
// hundred, whose numbers leave the first cache), so their orders are higher. Two or three orders
// more or less cost a few per cent; beyond 24 nothing is won. Side by side in lanes almost all of a
// step is the products of its series, which grow with p^2.
static uint32_t choose_order(const rh_motion *motion, const rh_motion_def *def)
{
    enum { SMALL = 100 };
    const bool is_abreast =
        def->struct_size >= offsetof(rh_motion_def, is_abreast) + sizeof def->is_abreast &&
        def->is_abreast && rh__glider_is_free(motion);
    const double share = is_abreast ? 0.6 : motion->system->x.count <= SMALL ? 1.0 : 0.85;
    const double order = ceil(-share * log(def->tolerance)) + 2.0;
    return order < 8.0 ? 8 : order > 24.0 ? 24 : (uint32_t)order;
}

static rh_status reserve(rh_motion *motion)
{
    const rh_model *model = motion->equations->model;
    rh_arena *arena = &motion->arena;
    const uint32_t n = motion->n = motion->system->x.count;
    motion->x = rh__arena_array(arena, double, (size_t)n + 1);
    motion->x_try = rh__arena_array(arena, double, (size_t)n + 1);
    motion->x_row = rh__arena_array(arena, double, (size_t)n + 1);
    motion->slope = rh__arena_array(arena, double, (size_t)n + 1);
    RH_TRY(rh__tape_ladders(motion->system->step, n, RH_LADDER_LEAST, arena, &motion->ladders));
    RH_TRY(rh__series_create(n, motion->order, motion->ladders, arena, &motion->series));
    motion->watch_side =
        rh__arena_array(arena, double, (size_t)motion->system->watch->switch_count + 1);
    motion->residuals = rh__arena_array(arena, double, (size_t)motion->equations->links.count + 1);
    motion->residuals_try =
        rh__arena_array(arena, double, (size_t)motion->equations->links.count + 1);
    const uint32_t degree = motion->order > RH_SAMPLE_DEGREE ? motion->order : RH_SAMPLE_DEGREE;
    RH_ASSERT(degree <= RH_POLYNOMIAL_DEGREE);
    motion->polynomial = rh__arena_array(arena, double, (size_t)degree + 1);
    motion->root_work = rh__arena_array(arena, double, RH_POLYNOMIAL_WORK(degree));
    motion->roots = rh__arena_array(arena, rh_root, 2 * (size_t)RH_ROOT_MOST);
    motion->event_names = rh__arena_array(arena, const char *, (size_t)model->events.count + 1);
    motion->event_last = rh__arena_array(arena, double, (size_t)model->events.count + 1);
    motion->due = rh__arena_array(arena, bool, (size_t)model->events.count + 1);
    for (uint32_t k = 0; motion->event_last != NULL && k < model->events.count; k++) {
        motion->event_last[k] = -INFINITY;
    }
    bool has_past = true;
    for (uint32_t k = 0; k < RH_LEAP_PAST; k++) {
        motion->leap.past[k].x = rh__arena_array(arena, double, (size_t)n + 1);
        has_past = has_past && motion->leap.past[k].x != NULL;
    }
    const bool ok =
        has_past && motion->event_last != NULL && motion->due != NULL && motion->x != NULL &&
        motion->x_try != NULL && motion->x_row != NULL && motion->slope != NULL &&
        motion->watch_side != NULL && motion->residuals != NULL && motion->residuals_try != NULL &&
        motion->polynomial != NULL && motion->root_work != NULL && motion->roots != NULL &&
        motion->event_names != NULL &&
        (model->events.count + motion->system->step->hold_count + motion->system->jumps.count ==
             0 ||
         rh__array_reserve(arena, &motion->occurrences, MOST_OCCURRENCES));
    return ok ? RH_OK : arena->status;
}

static rh_status name_events(rh_motion *motion)
{
    const rh_model *model = motion->equations->model;
    for (uint32_t k = 0; k < model->events.count; k++) {
        const rh_row *row = &model->events.data[k].row;
        rh_text text = rh__text_begin(&motion->arena, NULL);
        if (row->family.i != 0) {
            rh__family_show(model->store, row->family, row->member, &text);
        } else {
            rh__text_put_slice(&text, row->name);
        }
        motion->event_names[k] =
            rh__text_print(&motion->arena, "%.*s", RH_SLICE_FORMAT(rh__text_slice(&text)));
    }
    return motion->arena.status;
}

static rh_status make_states(rh_motion *motion)
{
    const rh_allocator allocator = motion->arena.allocator;
    rh_system *system = motion->system;
    RH_ASSERT(RH_BRIEF_ORDER <= motion->order); // the probe may be the step
    RH_TRY(rh__tape_state_create(system->step, motion->order, allocator, &motion->step));
    RH_TRY(rh__tape_state_create(system->step, 0, allocator, &motion->plain));
    motion->probe = motion->step;
    if (system->step->hold_count > 0) {
        motion->probe = NULL;
        RH_TRY(rh__tape_state_create(system->step, RH_BRIEF_ORDER, allocator, &motion->probe));
    }
    motion->step->is_settled = motion->probe->is_settled = true; // expanded where the motion stands
    RH_TRY(rh__tape_state_create(system->watch, motion->order, allocator, &motion->watch));
    RH_TRY(rh__tape_state_create(system->watch, 0, allocator, &motion->watch_point));
    RH_TRY(rh__tape_state_create(system->output, 0, allocator, &motion->output));
    rh_tape_state *const states[] = {motion->step, motion->plain, motion->watch,
                                     motion->watch_point, motion->output};
    for (uint32_t k = 0; k < sizeof states / sizeof states[0]; k++) {
        RH_TRY(rh__tape_bind(states[k], rh__point_value, &motion->start.point));
    }
    if (motion->probe != motion->step) {
        rh__tape_bind_like(motion->probe, motion->step);
    }
    return rh__projector_bind(&motion->projector, rh__point_value, &motion->start.point);
}

static double energy_of(const rh_motion *motion)
{
    const rh_range energies = motion->system->sections[RH_SECTION_ENERGY];
    const rh_model *model = motion->equations->model;
    if (model->kinetic.count + model->potential.count == 0 || energies.count < 2) {
        return NAN;
    }
    return rh__tape_output(motion->output, energies.first, 0) +
           rh__tape_output(motion->output, energies.first + 1, 0);
}

rh_status rh__motion_begin(rh_motion *motion, rh_error *err)
{
    rh__mode_open(motion);
    rh__mode_settle(motion);
    if (motion->reason[0] == '\0' && rh__jump_begin(motion)) {
        rh__mode_settle(motion);
    }
    if (motion->reason_code == RH_DIAGNOSTIC_E413) {
        return rh__error_fill(err, RH_E_MODEL, "%s: %s", rh_motion_reason_code(motion),
                              motion->reason);
    }
    rh__mode_begin(motion);
    rh__motion_evaluate(motion, motion->t, motion->x);
    motion->energy_start = energy_of(motion);
    rh__deviations_note(motion, motion->t, motion->x);
    rh__eliminated_note(motion);
    rh__unique_begin(motion);
    return RH_OK;
}

// Inputs, numbers of parameters, and the consistent start with them.
static rh_status prepare_start(rh_motion *motion, const rh_motion *like, const rh_motion_def *def,
                               rh_error *err)
{
    rh_equations *equations = motion->equations;
    RH_TRY(rh__tracks_create(motion, def, err));
    RH_TRY(rh__values_copy(like != NULL ? &like->values : &equations->model->values, &motion->arena,
                           &motion->values));
    RH_TRY(rh__layout_create(equations, &motion->arena, &motion->layout));
    motion->layout.values = &motion->values;
    motion->layout.feed_of = rh__tracks_value;
    motion->layout.feed_user = motion;
    rh_diagnostics unheard = rh__diagnostics_begin(&motion->arena);
    RH_TRY(rh__start_find(equations, &motion->layout, &motion->arena, &unheard, &motion->start));
    if (unheard.error_count > 0) {
        return rh__error_fill(err, RH_E_MODEL, "%s: %s",
                              rh__diagnostic_name(unheard.remarks.data[0].code),
                              unheard.remarks.data[0].message);
    }
    return RH_OK;
}

// `like`: a motion of the same equations that has the system already; NULL: none.
static rh_status build(rh_motion *motion, const rh_motion *like, const rh_motion_def *def,
                       rh_error *err)
{
    rh_equations *equations = motion->equations;
    const bool has_method =
        def->struct_size >= offsetof(rh_motion_def, method) + sizeof def->method;
    const rh_method method = has_method ? def->method : RH_METHOD_AUTO;
    const bool is_reduced = equations->has_presolve && method != RH_METHOD_IDA;
    const bool has_step = def->struct_size >= offsetof(rh_motion_def, step) + sizeof def->step;
    motion->fixed_step = has_step ? def->step : 0.0;
    if (method >= RH_METHOD_EULER && !(motion->fixed_step > 0.0 && isfinite(motion->fixed_step))) {
        return rh__error_fill(err, RH_E_ARGUMENT, "the method needs the length of its steps");
    }
    motion->tolerance = def->tolerance;
    motion->drift = def->drift;
    motion->step_limit = def->step_limit;
    motion->reason = "";
    RH_TRY(prepare_start(motion, like, def, err));
    motion->is_system_lent = like != NULL;
    motion->system = like != NULL ? like->system : NULL;
    RH_TRY(like != NULL ? RH_OK : rh__motion_make_system(motion, is_reduced, err));
    RH_TRY(rh__projector_create(motion->system, &motion->arena, &motion->projector, err));
    motion->order_chosen = def->order != 0 ? def->order : choose_order(motion, def);
    motion->order = motion->order_chosen;
    RH_ASSERT(4 <= motion->order && motion->order <= RH_SERIES_ORDER);
    RH_TRY(reserve(motion));
    RH_TRY(name_events(motion));
    RH_TRY(make_states(motion));
    RH_TRY(rh__growth_create(motion));
    RH_TRY(rh__reset_create(motion, err));
    RH_TRY(rh__mode_create(motion));
    RH_TRY(rh__jump_create(motion));
    RH_TRY(rh__accumulation_create(motion));
    RH_TRY(rh__columns_create(motion));
    RH_TRY(rh__least_create(motion, def, err));
    RH_TRY(rh__unit_create(motion));
    RH_TRY(rh__conserved_create(motion));
    RH_TRY(rh__saturation_create(motion));
    RH_TRY(rh__control_loss_create(motion));
    RH_TRY(rh__samples_create(motion));
    RH_TRY(rh__watched_create(motion));
    RH_TRY(rh__deviations_create(motion, err));
    RH_TRY(rh__eliminated_create(motion, err));
    RH_TRY(rh__tracks_attach(motion));
    RH_TRY(rh__border_create(motion));
    RH_TRY(rh__rank_create(motion));
    RH_TRY(rh__unique_create(motion));
    RH_TRY(rh__tier_create(motion, def));
    motion->restart.method = method;
    motion->restart.changes = motion->values.changes;
    motion->restart.mark = rh__arena_mark(&motion->arena);
    RH_TRY(rh__motion_set_out(motion, err));
    motion->restart.singular = motion->plain->quality.singular;
    return motion->reason[0] == '\0' ? rh__motion_is_determined(motion, err) : RH_OK;
}

static rh_status create(rh_equations *equations, const rh_motion *like, const rh_motion_def *def,
                        rh_motion **out, rh_error *err)
{
    RH_REQUIRE(equations != NULL && def != NULL && out != NULL, err);
    RH_REQUIRE(def->struct_size != 0 && equations->is_sound, err);
    RH_REQUIRE(def->tolerance > 0.0 && def->tolerance < 1.0, err);
    RH_REQUIRE(def->order == 0 || (def->order >= 4 && def->order <= 39), err);
    *out = NULL;
    rh_arena arena = rh__arena_begin(equations->arena.allocator, equations->arena.limit);
    rh_motion *motion = rh__arena_new(&arena, rh_motion);
    if (motion == NULL) {
        rh__arena_end(&arena);
        return rh__guard_explain(
            arena.allocator, rh__error_fill(err, RH_E_MEMORY, "%s", rh_status_text(RH_E_MEMORY)),
            err);
    }
    motion->arena = arena;
    motion->equations = equations;
    rh_error reason = {.status = RH_OK, .message = ""};
    const rh_status status = rh__guard_settle(arena.allocator, build(motion, like, def, &reason));
    if (status != RH_OK) {
        rh_motion_destroy(motion);
        return rh__guard_explain(
            arena.allocator,
            rh__error_fill(err, status, "%s",
                           reason.message[0] != '\0' ? reason.message : rh_status_text(status)),
            err);
    }
    rh__tier_follow(motion);
    *out = motion;
    return RH_OK;
}

rh_status rh_motion_create(rh_equations *equations, const rh_motion_def *def, rh_motion **out,
                           rh_error *err)
{
    return create(equations, NULL, def, out, err);
}

rh_status rh__motion_create_like(const rh_motion *like, const rh_motion_def *def, rh_motion **out,
                                 rh_error *err)
{
    return create(like->equations, like, def, out, err);
}

void rh_motion_destroy(rh_motion *motion)
{
    if (motion == NULL) {
        return;
    }
    rh__tier_destroy(motion);
    rh__eliminated_destroy(motion);
    rh__deviations_destroy(motion);
    rh__reset_destroy(motion);
    rh__jump_destroy(motion);
    rh__gate_destroy(motion);
    rh__method_end(motion);
    rh__projector_destroy(&motion->projector);
    rh__tape_state_destroy(motion->probe != motion->step ? motion->probe : NULL);
    rh__tape_state_destroy(motion->step);
    rh__tape_state_destroy(motion->plain);
    rh__tape_state_destroy(motion->watch);
    rh__tape_state_destroy(motion->watch_point);
    rh__tape_state_destroy(motion->output);
    rh__system_destroy(motion->is_system_lent ? NULL : motion->system);
    rh__settling_destroy(motion->restart.settling);
    rh__arena_end(&motion->restart.start);
    rh_arena arena = motion->arena;
    rh__arena_end(&arena);
}

// --- steps
// -------------------------------------------------------------------------------------

static bool is_contradictory(const rh_motion *motion)
{
    const rh_tape_quality *quality = &motion->step->quality;
    return quality->singular > 0 && quality->residual > RH_TAPE_INCONSISTENT;
}

// The state of affairs at the beginning of a step; false when it cannot be
// left.
static bool is_able(rh_motion *motion)
{
    const rh_tape_quality *quality = &motion->step->quality;
    if (quality->is_failed) {
        rh__motion_fail(motion, RH_DIAGNOSTIC_E501,
                        "the equations have no finite solution at t = %.17g", motion->t);
        return false;
    }
    if (is_contradictory(motion)) {
        rh__motion_fail(motion, RH_DIAGNOSTIC_E502,
                        "the constraints contradict each other at t = %.17g (relative residual "
                        "%.3g)",
                        motion->t, quality->residual);
        return false;
    }
    motion->singular_steps += quality->singular > 0 && rh__rank_is_lost(motion);
    return true;
}

void rh__motion_open(rh_motion *motion)
{
    rh__samples_forget(motion);
    rh__mode_open(motion);
    rh__jump_open(motion);
    rh__mode_settle(motion);
}

static void reset(rh_motion *motion, uint32_t event)
{
    RH_ASSERT(event < motion->equations->model->events.count);
    if (rh__reset_apply(motion, event) != RH_OK) {
        rh__motion_fail(motion, RH_DIAGNOSTIC_E515, "there was no memory for a reset at t = %.17g",
                        motion->t);
        return;
    }
    rh__motion_open(motion);
}

// A surface was met, or a slide came to an end of its range; false: it goes on, with other values
// of what is lent, and nothing changed.
static bool follow_switch(rh_motion *motion, const rh_crossing *crossing)
{
    RH_ASSERT(crossing->index < motion->system->step->switch_count);
    const rh_condition *it = &motion->mode.conditions[crossing->index];
    const bool was_sliding = it->is_sliding;
    rh__jump_cross(motion, crossing->index, crossing->direction);
    if (motion->reason[0] == '\0') {
        rh__mode_settle(motion);
    }
    return !(was_sliding && it->is_sliding);
}

// What ended the step.
static void follow(rh_motion *motion, const rh_crossing *crossing, rh_stop *out)
{
    static const rh_crossing NOTHING = {.kind = RH_CROSSING_NONE};
    const rh_model *model = motion->equations->model;
    switch (crossing->kind) {
    case RH_CROSSING_NONE:
        break;
    case RH_CROSSING_SWITCH:
        crossing = follow_switch(motion, crossing) ? crossing : &NOTHING;
        break;
    case RH_CROSSING_GATE:
        // what was held so far may be nothing but rounding of forces in balance
        (void)rh__unit_find_floor(motion, motion->series.length);
        rh__gate_cross(motion, crossing->index);
        rh__mode_settle(motion);
        break;
    case RH_CROSSING_CONDITION:
        rh__switch_flip_watched(motion, crossing->index, crossing->direction);
        break;
    case RH_CROSSING_EVENT:
        RH_ASSERT(crossing->index < model->events.count);
        motion->due[crossing->index] = true;
        break;
    }
    // all that is due, in the order of the model; a stop ends it
    for (uint32_t k = 0; k < model->events.count && motion->reason[0] == '\0'; k++) {
        if (motion->due[k] && model->events.data[k].action == RH_ACTION_STOP) {
            *out = RH_STOP_EVENT;
            break;
        }
        if (motion->due[k]) {
            reset(motion, k);
        }
    }
    rh__accumulation_note(motion, crossing);
    rh__crossing_clear(motion);
}

static void pass_border(rh_motion *motion, const rh_crossing *how, rh_stop *out)
{
    rh_crossing event;
    rh__border_pass(motion, how, &event);
    follow(motion, &event, out);
}

void rh__motion_pass_border(rh_motion *motion)
{
    static const rh_crossing NOTHING = {.kind = RH_CROSSING_NONE};
    pass_border(motion, &NOTHING, &motion->stop_due);
}

// The state at t by the series, on the constraints; by how much it misses them.
static double arrive(rh_motion *motion, double t)
{
    double residual = 0.0;
    for (uint32_t k = 0; k < motion->equations->links.count; k++) {
        motion->residuals_try[k] = 0.0;
    }
    rh__series_value(&motion->series, t, motion->x_try);
    (void)rh__projector_apply(&motion->projector, t, motion->x_try, motion->mode.is_kept, &residual,
                              motion->residuals_try);
    return residual;
}

// The step turned out to end at t.
static void forget_after(rh_motion *motion, double t)
{
    for (uint32_t k = 0; k < motion->equations->model->events.count; k++) {
        motion->event_last[k] = motion->event_last[k] > t ? -INFINITY : motion->event_last[k];
    }
    for (uint32_t k = 0; k < motion->mode.gate_count; k++) {
        rh_gate *gate = &motion->mode.gates[k];
        gate->last_graze = gate->last_graze > t ? -INFINITY : gate->last_graze;
    }
    while (motion->occurrences.count > 0 &&
           motion->occurrences.data[motion->occurrences.count - 1].time > t) {
        motion->occurrences.count--;
    }
}

static void finish(rh_motion *motion, double t, const rh_crossing *crossing, rh_stop *out)
{
    enum { MOST_HALVINGS = 48 };
    static const rh_crossing NOTHING = {.kind = RH_CROSSING_NONE};
    RH_ASSERT(motion->t <= t && t <= motion->t_most);
    double residual = arrive(motion, t);
    if (residual > motion->drift && motion->stepper->retreat != NULL &&
        motion->stepper->retreat(motion, t)) {
        return;
    }
    for (uint32_t k = 0; residual > motion->drift && k < MOST_HALVINGS; k++) {
        t = motion->t + (t - motion->t) / 2.0;
        residual = arrive(motion, t);
        crossing = &NOTHING;
        rh__crossing_clear(motion);
        forget_after(motion, t);
    }
    if (residual > motion->drift) { // it stays where it was
        rh__motion_fail(motion, RH_DIAGNOSTIC_E505,
                        "a constraint is missed by %.3g (relative) from t = %.17g on", residual,
                        motion->t);
        return;
    }
    motion->idle = t - motion->t <= 1e-15 * fabs(t) ? motion->idle + 1 : 0;
    // what ends a step without a jump says nothing against the length that its series has
    motion->length_last = crossing->kind == RH_CROSSING_GATE || crossing->kind == RH_CROSSING_SWITCH
                              ? motion->series.length
                              : t - motion->t;
    motion->t_before = motion->t;
    motion->t = t;
    motion->steps++;
    motion->residual = fmax(motion->residual, residual);
    for (uint32_t k = 0; k < motion->equations->links.count; k++) {
        const double missed = motion->residuals_try[k];
        motion->residuals[k] = missed > motion->residuals[k] ? missed : motion->residuals[k];
    }
    for (uint32_t k = 0; k < motion->n; k++) {
        motion->x[k] = motion->x_try[k];
    }
    rh__rest_keep(motion);
    if (!motion->has_trial_units && motion->stepper->order != 5 && motion->series.degree > 0) {
        rh__unit_fade(motion);
    }
    rh__unit_follow(motion);
    rh__mode_advance(motion);
    rh__deviations_follow(motion);
    rh__unique_follow(motion);
    if (t == motion->tracks.next) {
        pass_border(motion, crossing, out);
    } else {
        follow(motion, crossing, out);
    }
    motion->met = crossing->kind != RH_CROSSING_NONE ? motion->t : motion->met;
    if (motion->idle > MOST_IDLE && motion->reason[0] == '\0') {
        rh__fail_at_singularity(motion, RH_DIAGNOSTIC_E503, "the motion does not get away from");
    }
}

// What ends the step, and that the series is true as far as that. Where it is not, what was found
// is void. Beyond a surface of a condition a series may have no value: then truth is looked at
// first.
static rh_status find_end(rh_motion *motion, double *length, rh_crossing *out)
{
    const bool has_surfaces = motion->cut > 0.0 || motion->system->step->switch_count > 0;
    if (has_surfaces) {
        *length = rh__truth_limit(motion, *length);
        if (motion->reason[0] != '\0' || !(motion->t + *length > motion->t)) {
            return RH_OK;
        }
    }
    motion->series.length = *length;
    RH_TRY(rh__crossing_find(motion, length, out));
    const double reach = fmin(out->share, 1.0) * *length;
    const double trusted = has_surfaces ? reach : rh__truth_limit(motion, reach);
    if (trusted == reach) {
        return RH_OK;
    }
    RH_ASSERT(trusted < reach);
    *length = motion->series.length = trusted;
    return motion->t + trusted > motion->t ? rh__crossing_find(motion, length, out) : RH_OK;
}

// Roots of what is watched cannot be looked for where it has no value.
static rh_status say_unseen(rh_motion *motion, rh_status status)
{
    if (status != RH_E_ARGUMENT) {
        return status;
    }
    rh__motion_fail(motion, RH_DIAGNOSTIC_E501,
                    "what is watched along the motion (an event, a condition, a one-sided "
                    "constraint) has no finite value at t = %.17g",
                    motion->t);
    return RH_OK;
}

// What neither the series of x nor an error estimate sees coming. A method with a memory of its own
// went farther.
static double limit_by_unseen(rh_motion *motion, double length)
{
    const double limit = rh__saturation_limit(motion, rh__control_loss_limit(motion, length));
    if (limit < length && motion->stepper->forget != NULL) {
        motion->stepper->forget(motion);
    }
    return limit;
}

// What is met a few roundings behind the end that is asked for is met there, by every method.
static double look_behind(const rh_motion *motion, double left, double length)
{
    RH_ASSERT(length <= left);
    const bool is_watched = motion->equations->model->events.count + motion->mode.gate_count +
                                motion->system->step->switch_count >
                            0;
    const bool is_end = length == left && motion->t + left >= motion->t_most &&
                        motion->t_most < motion->tracks.next;
    return is_end && is_watched ? length + rh__crossing_moment(motion, motion->t_most) : length;
}

// Expand, look how far, see what happens on the way, go there.
static rh_status take_step(rh_motion *motion, double t_asked, rh_stop *out_stop)
{
    motion->glider.is_ready = false;
    rh__tracks_select(motion, motion->t);
    const double t_end = motion->t_most = fmin(t_asked, motion->tracks.next);
    motion->order = motion->order_chosen;
    motion->cut = 0.0;
    rh__mode_begin(motion);
    rh__unit_find(motion, t_end - motion->t);
    if (motion->reason[0] != '\0') {
        return RH_OK;
    }
    // so far that powers of it stay finite
    const double left = fmin(t_end - motion->t, 1e12 * (motion->unit_time + fabs(motion->t)));
    double length = fmin(left, rh__accumulation_pace(motion));
    const rh_expansion expansion = rh__method_expand(motion, &length);
    if (expansion == RH_EXPANSION_TAKEN_BACK || motion->reason[0] != '\0') {
        rh__fail_review(motion);
        return RH_OK;
    }
    if (expansion == RH_EXPANSION_FAILED || !is_able(motion)) {
        if (motion->reason[0] == '\0' && motion->equations->links.count > 0 &&
            is_contradictory(motion)) {
            rh__fail_at_singularity(motion, RH_DIAGNOSTIC_E502,
                                    "the constraints contradict each other at");
        } else if (motion->reason[0] == '\0') {
            rh__fail_at_singularity(motion, RH_DIAGNOSTIC_E501, "the motion is not finite at");
        }
        return RH_OK;
    }
    rh_crossing crossing = {.kind = RH_CROSSING_NONE};
    if (motion->t + length > motion->t) {
        length = limit_by_unseen(motion, length);
    }
    if (motion->reason[0] == '\0' && motion->t + length > motion->t) {
        length = look_behind(motion, left, length);
        RH_TRY(say_unseen(motion, find_end(motion, &length, &crossing)));
    }
    if (motion->reason[0] == '\0') {
        RH_TRY(say_unseen(motion, rh__method_approach(motion, &length, &crossing)));
    }
    if (motion->reason[0] == '\0' && !(motion->t + length > motion->t)) {
        rh__fail_at_singularity(motion, RH_DIAGNOSTIC_E503, "the step size collapsed at");
    }
    if (motion->reason[0] != '\0') {
        return RH_OK;
    }
    rh__crossing_note(motion, &crossing);
    const double t = crossing.share <= 1.0 ? fmin(motion->t + crossing.share * length, t_end)
                     : length >= left && motion->t + left >= t_end ? t_end
                                                                   : motion->t + length;
    finish(motion, t, &crossing, out_stop);
    return RH_OK;
}

// What is met at the end itself, but for roundings, leaves nothing to go on with: steps that are
// no longer than rounding do not bring x nearer to what it is there.
static bool is_there(const rh_motion *motion, double t_end)
{
    enum { FEW = 2 };
    return motion->idle > FEW && t_end < motion->tracks.next &&
           t_end - motion->t <= 8.0 * DBL_EPSILON * fabs(t_end);
}

// At most `budget` steps where that is quicker than one by one, else one.
static rh_status take_steps(rh_motion *motion, double t_end, uint64_t budget, rh_stop *out_stop)
{
    *out_stop = motion->stop_due;
    motion->stop_due = RH_STOP_NONE;
    rh__tier_follow(motion);
    rh__keep_before(motion);
    if (motion->reason[0] == '\0' && motion->steps >= motion->step_limit) {
        rh__motion_fail(motion, RH_DIAGNOSTIC_E506,
                        "the limit of %llu steps was reached at t = %.17g",
                        (unsigned long long)motion->step_limit, motion->t);
    }
    motion->t_seen = motion->t;
    while (motion->reason[0] == '\0' && *out_stop == RH_STOP_NONE && motion->t < t_end &&
           motion->t <= motion->t_seen) {
        const uint64_t most = rh__growth_budget(motion);
        if (rh__glider_go(motion, t_end, budget < most ? budget : most)) {
            break;
        }
        if (is_there(motion, t_end)) {
            motion->t = t_end;
            motion->idle = 0;
            break;
        }
        const rh_status status = take_step(motion, t_end, out_stop);
        rh__method_return(motion);
        RH_TRY(status);
        if (motion->t == motion->t_seen && motion->idle > 0) {
            break; // no longer than rounding: let the caller see it
        }
    }
    if (motion->reason[0] == '\0' && motion->t > motion->t_seen) {
        rh__eliminated_note(motion);
        rh__growth_follow(motion);
    }
    RH_ASSERT(motion->t <= t_end);
    if (motion->reason[0] != '\0') {
        *out_stop = RH_STOP_FAILED;
    } else if (*out_stop == RH_STOP_NONE && motion->t >= t_end) {
        *out_stop = RH_STOP_REACHED;
    }
    rh__keep_after(motion, *out_stop);
    return RH_OK;
}

// Between steps the caller may end the work; a step is taken wholly or not at all.
static rh_status take_guarded(rh_motion *motion, double t_end, uint64_t budget, rh_stop *out_stop,
                              rh_error *err)
{
    rh_guard *guard = rh__guard_of(motion->arena.allocator);
    const char *reason = rh__guard_ask(guard);
    if (reason != NULL) {
        return rh__error_fill(err, RH_E_INTERRUPTED, "%s", reason);
    }
    rh__guard_hold(guard);
    const rh_status status = take_steps(motion, t_end, budget, out_stop);
    rh__guard_release(guard);
    return status;
}

rh_status rh_motion_step(rh_motion *motion, double t_end, rh_stop *out_stop, rh_error *err)
{
    RH_REQUIRE(motion != NULL && out_stop != NULL, err);
    RH_REQUIRE(isfinite(t_end) && t_end >= motion->t, err);
    *out_stop = RH_STOP_NONE;
    return take_guarded(motion, t_end, 1, out_stop, err);
}

rh_status rh_motion_advance(rh_motion *motion, double t_end, rh_stop *out_stop, rh_error *err)
{
    RH_REQUIRE(motion != NULL && out_stop != NULL, err);
    *out_stop = RH_STOP_NONE;
    RH_REQUIRE(isfinite(t_end) && t_end >= motion->t, err);
    const uint64_t budget = motion->keep.is_on ? 1 : STEPS_AT_ONCE;
    while (*out_stop == RH_STOP_NONE) {
        RH_TRY(take_guarded(motion, t_end, budget, out_stop, err));
    }
    return RH_OK;
}

// --- looking
// -------------------------------------------------------------------------------------

double rh_motion_time(const rh_motion *motion)
{
    return motion->t;
}

double rh_motion_time_before(const rh_motion *motion)
{
    return fmax(motion->t_before, motion->t_seen);
}

const char *rh_motion_reason(const rh_motion *motion)
{
    return motion->reason;
}

const char *rh_motion_reason_code(const rh_motion *motion)
{
    return motion->reason[0] != '\0' ? rh__diagnostic_name(motion->reason_code) : "";
}

size_t rh_motion_occurrence_count(const rh_motion *motion)
{
    return motion->occurrences.count;
}

rh_occurrence rh_motion_occurrence(const rh_motion *motion, size_t index)
{
    return index < motion->occurrences.count ? motion->occurrences.data[index]
                                             : (rh_occurrence){.name = ""};
}

rh_motion_summary rh_motion_summarise(rh_motion *motion)
{
    if (motion == NULL) {
        return (rh_motion_summary){.struct_size = (uint32_t)sizeof(rh_motion_summary)};
    }
    double largest = 0.0;
    for (uint32_t k = 0; k < motion->equations->links.count; k++) {
        const bool is_kept = rh__projector_keeps(&motion->equations->links.data[k]);
        largest = is_kept ? fmax(largest, motion->residuals[k]) : largest;
    }
    rh__tracks_select(motion, motion->t);
    rh__jump_follow(motion, motion->step);
    rh__motion_evaluate(motion, motion->t, motion->x);
    rh__jump_follow(motion, motion->plain);
    return (rh_motion_summary){.struct_size = (uint32_t)sizeof(rh_motion_summary),
                               .steps = motion->steps,
                               .order = motion->stepper->order != 0 ? motion->stepper->order
                                                                    : motion->order_chosen,
                               .energy_start = motion->energy_start,
                               .energy_now = energy_of(motion),
                               .residual = largest,
                               .singular_steps = motion->singular_steps,
                               .method = rh_motion_method(motion),
                               .method_reason = motion->method_reason,
                               .push = isinf(motion->mode.worst) ? (double)NAN : motion->mode.worst,
                               .unique_changes = motion->unique.changes,
                               .unique_since = motion->unique.since,
                               .tier = rh_motion_tier(motion),
                               .tier_reason = rh_motion_tier_reason(motion)};
}

double rh_motion_residual(const rh_motion *motion, size_t constraint)
{
    return constraint < motion->equations->links.count ? motion->residuals[constraint] : NAN;
}

// The columns stand in a fixed order; all groups but the first have known sizes.
rh_quantity rh_motion_column_quantity(const rh_motion *motion, size_t index)
{
    const rh_equations *equations = motion->equations;
    const size_t links = equations->links.count;
    const size_t observe = motion->columns.count - equations->model->observes.count;
    const size_t deviation = observe - links;
    const size_t multiplier = deviation - links;
    const size_t quasi = multiplier - equations->model->quasis.count;
    const size_t velocity = quasi - equations->coordinate_count;
    if (index >= multiplier && index < deviation) {
        return equations->links.data[index - multiplier].held.i != 0 ? RH_QUANTITY_HELD
                                                                     : RH_QUANTITY_MULTIPLIER;
    }
    return index == 0          ? RH_QUANTITY_TIME
           : index < velocity  ? RH_QUANTITY_VARIABLE
           : index < quasi     ? RH_QUANTITY_VELOCITY
           : index < deviation ? RH_QUANTITY_QUASI
           : index < observe   ? RH_QUANTITY_DEVIATION
                               : RH_QUANTITY_OBSERVE;
}

const char *rh_motion_method(const rh_motion *motion)
{
    return motion->stepper->name;
}
