// SPDX-License-Identifier: Apache-2.0
// Beginning anew: other numbers for what --set and --start gave, the consistent start for them, and
// the motion put there. Tapes stay; their states get the new constants and forget all they know.
// The result is that of a motion made from the text with these numbers, bit by bit: the start is
// found and the motion set out by the functions that make a motion.

#include "motion/motion.h"

#include <math.h>
#include <string.h>

rh_status rh__motion_set_out(rh_motion *motion, rh_error *err)
{
    const rh_equations *equations = motion->equations;
    RH_ASSERT(motion->steps == 0 && motion->occurrences.count == 0);
    rh_arena scratch = rh__arena_begin(motion->arena.allocator, motion->arena.limit);
    const rh_status packed =
        rh__system_pack(motion->system, &motion->start.point, &scratch, motion->x);
    rh__arena_end(&scratch);
    RH_TRY(packed);
    motion->t = motion->t_before = rh__point_get(
        &motion->start.point, rh__expr_symbol(equations->store, equations->model->time, 0));
    rh__tracks_select(motion, motion->t);
    rh__projector_begin(&motion->projector, motion->t, motion->x, motion->unit);
    rh__unit_guess(motion);
    RH_TRY(rh__motion_begin(motion, err));
    RH_TRY(rh__unit_reserve(motion));
    return rh__method_begin(motion, motion->restart.method, err);
}

// --- forgetting ----------------------------------------------------------------------------------

static void forget_tape(rh_tape_state *state)
{
    for (uint32_t k = 0; k < state->tape->switch_count; k++) {
        state->forced[k] = (double)NAN;
    }
    for (uint32_t k = 0; k < state->tape->hold_count; k++) {
        state->is_released[k] = false;
        state->lent[k] = 0.0;
    }
    state->is_wary = false;
    rh__tape_forget_ranks(state);
    state->ready = 0;
}

static void forget_mode(rh_motion *motion)
{
    rh_mode *mode = &motion->mode;
    for (uint32_t k = 0; k < motion->system->step->switch_count; k++) {
        rh_condition *it = &mode->conditions[k];
        *it = (rh_condition){.name = it->name, .slide = it->slide};
    }
    for (uint32_t k = 0; k < motion->system->watch->switch_count; k++) {
        motion->watch_side[k] = 0.0;
    }
    mode->has_jumped = false;
    mode->worst = INFINITY;
    mode->is_begun = false;
    mode->since = 0.0;
    mode->changes = 0;
    rh__accumulation_forget(motion);
}

static void forget_leap(rh_leap *leap, uint32_t n)
{
    rh_leap fresh = {.count = 0};
    for (uint32_t k = 0; k < RH_LEAP_PAST; k++) {
        fresh.past[k].x = leap->past[k].x;
        memset(fresh.past[k].x, 0, n * sizeof(double));
    }
    *leap = fresh;
}

static void forget_results(rh_motion *motion)
{
    for (uint32_t k = 0; k < motion->equations->links.count; k++) {
        motion->residuals[k] = motion->residuals_try[k] = 0.0;
    }
    for (uint32_t k = 0; k < motion->equations->model->events.count; k++) {
        motion->event_last[k] = -INFINITY;
    }
    motion->occurrences.count = 0;
    motion->residual = 0.0;
    motion->steps = motion->singular_steps = 0;
    motion->unique.steps = UINT64_MAX;
    motion->unique.since = (double)NAN;
    motion->unique.changes = 0;
    motion->reason = "";
    motion->reason_code = 0;
}

// All that the steps so far left behind.
static void forget(rh_motion *motion)
{
    rh__method_end(motion);
    rh__arena_rewind(&motion->arena, motion->restart.mark);
    motion->stepper = NULL;
    motion->stepper_data = NULL;
    motion->choice = (rh_choice){.is_free = false};
    motion->t_seen = 0.0;
    motion->series.begin = motion->series.length = 0.0;
    motion->series.degree = 0;
    (void)rh__series_begin(&motion->series);
    motion->jumps = 0;
    motion->idle = motion->strays = 0;
    motion->growth.count = 0;
    motion->length_last = 0.0;
    motion->glider.is_ready = false;
    motion->order = motion->order_chosen;
    rh__crossing_clear(motion);
    rh__tier_forget(motion);
    motion->tracks.border = -INFINITY;
    motion->jump.at = -INFINITY;
    motion->tracks.is_stuck = false;
    motion->stop_due = RH_STOP_NONE;
    rh__tracks_renew(motion);
    rh__samples_unknown(motion);
    forget_leap(&motion->leap, motion->n);
    forget_mode(motion);
    forget_results(motion);
}

// --- beginning -----------------------------------------------------------------------------------

bool rh__motion_is_bound(const rh_motion *motion, uint64_t changes)
{
    const rh_equations *equations = motion->equations;
    bool is_bound = changes == motion->values.changes;
    // constants of `= const` change with the start
    for (uint32_t k = 0; is_bound && k < equations->links.count; k++) {
        is_bound = !equations->links.data[k].constraint->takes_constant;
    }
    return is_bound;
}

enum { STATES = 11 };

static void list_states(const rh_motion *motion, rh_tape_state *out[STATES])
{
    rh_tape_state *const states[STATES] = {motion->step,
                                           motion->plain,
                                           motion->probe,
                                           motion->watch,
                                           motion->watch_point,
                                           motion->output,
                                           motion->reset.state,
                                           motion->deviations.state,
                                           motion->jump.state,
                                           motion->eliminated.velocities_state,
                                           motion->eliminated.text_state};
    memcpy(out, states, sizeof states);
}

rh_status rh__motion_bind(rh_motion *motion, rh_point *point)
{
    rh_tape_state *states[STATES];
    list_states(motion, states);
    for (uint32_t k = 0; k < STATES; k++) {
        // states of one tape
        const bool is_like = states[k] == motion->plain || (k > 0 && states[k] == motion->probe);
        if (is_like && states[k] != motion->step) {
            rh__tape_bind_like(states[k], motion->step);
        } else if (states[k] != NULL && !is_like) {
            RH_TRY(rh__tape_bind(states[k], rh__point_value, point));
        }
    }
    return rh__projector_bind(&motion->projector, rh__point_value, point);
}

void rh__motion_bind_again(const rh_motion *motion, rh_tape_state *state, uint64_t *changes)
{
    if (*changes == motion->values.changes) {
        return;
    }
    *changes = motion->values.changes;
    if (rh__tape_bind(state, rh__point_value, &motion->start.point) != RH_OK) {
        rh__tape_lose_constants(state);
    }
}

static rh_status bind(rh_motion *motion)
{
    rh_tape_state *states[STATES];
    const bool is_bound = rh__motion_is_bound(motion, motion->restart.changes);
    motion->restart.changes = UINT64_MAX; // until all are
    RH_TRY(is_bound ? RH_OK : rh__motion_bind(motion, &motion->start.point));
    list_states(motion, states);
    for (uint32_t k = 0; k < STATES; k++) {
        if (states[k] != NULL) {
            forget_tape(states[k]);
        }
    }
    motion->restart.changes = motion->values.changes;
    return RH_OK;
}

static rh_status find_start(rh_motion *motion, rh_error *err)
{
    rh_equations *equations = motion->equations;
    rh_arena *arena = &motion->restart.start;
    if (arena->allocator.alloc == NULL) {
        *arena = rh__arena_begin(motion->arena.allocator, motion->arena.limit);
        (void)rh__arena_push(arena, 1); // its first piece of memory stays
        motion->restart.begin = rh__arena_mark(arena);
    }
    rh__arena_rewind(arena, motion->restart.begin);
    rh_diagnostics unheard = rh__diagnostics_begin(arena);
    rh_settling **settling = &motion->restart.settling;
    if (*settling == NULL) {
        RH_TRY(rh__settling_create(equations, &motion->layout, settling));
    }
    const rh_status status = rh__settling_find(*settling, arena, &unheard, &motion->start);
    if (status != RH_OK) {
        rh__settling_destroy(*settling);
        *settling = NULL;
        return status;
    }
    if (unheard.error_count > 0) {
        const rh_remark *first = &unheard.remarks.data[0];
        return rh__error_fill(err, RH_E_MODEL, "%s: %s", rh__diagnostic_name(first->code),
                              first->message);
    }
    return RH_OK;
}

// Levels that came from combinations of constraints were found at the first start.
bool rh__motion_can_restart(const rh_equations *equations)
{
    bool is_bound = false;
    for (uint32_t k = 0; k < equations->links.count; k++) {
        is_bound = is_bound || equations->links.data[k].combined != 0;
    }
    return !is_bound;
}

static rh_status begin_anew(rh_motion *motion, rh_error *err)
{
    forget(motion);
    RH_TRY(find_start(motion, err));
    RH_TRY(rh__gate_renew(motion));
    RH_TRY(rh__least_renew(motion));
    RH_TRY(bind(motion));
    RH_TRY(rh__motion_set_out(motion, err));
    // where constraints lose their rank at one start and not at the other, more may be different
    return motion->plain->quality.singular == motion->restart.singular ? RH_OK : RH_E_UNAVAILABLE;
}

rh_status rh__motion_place(rh_motion *motion, const double *x, rh_error *err)
{
    enum { PLACED = 6 };
    const rh_equations *equations = motion->equations;
    rh_tape_state *const states[PLACED] = {motion->step,        motion->plain,
                                           motion->watch,       motion->output,
                                           motion->reset.state, motion->deviations.state};
    double residual = 0.0;
    RH_ASSERT(x != motion->x);
    forget(motion);
    RH_TRY(rh__gate_renew(motion));
    for (uint32_t k = 0; k < PLACED; k++) {
        if (states[k] != NULL) {
            forget_tape(states[k]);
        }
    }
    memcpy(motion->x, x, motion->n * sizeof *x);
    motion->t = motion->t_before = rh__point_get(
        &motion->start.point, rh__expr_symbol(equations->store, equations->model->time, 0));
    rh__tracks_select(motion, motion->t);
    rh__projector_begin(&motion->projector, motion->t, motion->x, motion->unit);
    RH_TRY(rh__projector_apply(&motion->projector, motion->t, motion->x, motion->mode.is_kept,
                               &residual, NULL));
    rh__unit_guess(motion);
    RH_TRY(rh__motion_begin(motion, err));
    RH_TRY(rh__unit_reserve(motion));
    return rh__method_begin(motion, motion->restart.method, err);
}

static rh_status turn(rh_motion *motion, const double *set, uint32_t set_count, const double *start,
                      uint32_t start_count, rh_error *err)
{
    RH_TRY(rh__values_turn(&motion->values, set, set_count, start, start_count, err));
    rh_error reason = {.status = RH_OK, .message = ""};
    const rh_status status = begin_anew(motion, &reason);
    if (status != RH_OK) {
        (void)rh__error_fill(err, status, "%s",
                             reason.message[0] != '\0' ? reason.message : rh_status_text(status));
    }
    return rh__guard_explain(motion->arena.allocator, status, err);
}

rh_status rh_motion_restart(rh_motion *motion, const double *set, size_t set_count,
                            const double *start, size_t start_count, rh_error *err)
{
    RH_REQUIRE(motion != NULL && (set != NULL || set_count == 0), err);
    RH_REQUIRE(start != NULL || start_count == 0, err);
    RH_REQUIRE(set_count < UINT32_MAX && start_count < UINT32_MAX, err);
    RH_REQUIRE(!motion->keep.is_on, err);
    if (!rh__motion_can_restart(motion->equations)) {
        return rh__error_fill(
            err, RH_E_UNAVAILABLE,
            "what follows from constraints together was found at the first start");
    }
    rh_store *store = motion->equations->store;
    const uint32_t work = rh__store_work(store);
    const rh_status status =
        turn(motion, set, (uint32_t)set_count, start, (uint32_t)start_count, err);
    rh__store_repeat(store, work);
    return status;
}
