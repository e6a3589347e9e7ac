// SPDX-License-Identifier: Apache-2.0
// States of a tape: everything that changes, in one arena. Rows of coefficients are padded to whole
// cache lines.

#include "tape/kernel.h"

#include <math.h>
#include <string.h>

enum { LINE = 8 }; // numbers in a cache line

static rh_status reserve_blocks(rh_tape_state *state)
{
    const rh_tape *tape = state->tape;
    uint32_t largest = 0;
    state->blocks = rh__arena_array(&state->arena, rh_block_state, (size_t)tape->block_count + 1);
    if (state->blocks == NULL) {
        return state->arena.status;
    }
    for (uint32_t k = 0; k < tape->block_count; k++) {
        largest = tape->blocks[k].n > largest ? tape->blocks[k].n : largest;
        RH_TRY(rh__block_reserve(state, k));
    }
    state->work = rh__arena_array(&state->arena, double, 3 * (size_t)largest + 1);
    return state->work != NULL ? RH_OK : state->arena.status;
}

static rh_status build_state(rh_tape_state *state)
{
    RH_ASSERT(state->stride % LINE == 0 && state->stride >= state->tape->slot_count);
    const rh_tape *tape = state->tape;
    rh_arena *arena = &state->arena;
    const size_t sums = (size_t)tape->products.count + tape->squares.count + tape->moments.count;
    state->jet = rh__arena_array(arena, double, ((size_t)state->order + 1) * state->stride + LINE);
    state->sums = rh__arena_array(arena, double, sums + 1);
    state->near =
        rh__arena_array(arena, double, (size_t)tape->near_count *rh__near_room(state->order) + 1);
    state->constant = rh__arena_array(arena, double, (size_t)tape->constant_count + 1);
    state->weight = rh__arena_array(arena, double, (size_t)tape->weight_count + 1);
    state->forced = rh__arena_array(arena, double, (size_t)tape->switch_count + 1);
    state->is_released = rh__arena_array(arena, bool, (size_t)tape->hold_count + 1);
    state->lent = rh__arena_array(arena, double, (size_t)tape->hold_count + 1);
    state->is_unique = rh__arena_array(arena, bool, (size_t)tape->unknown_count + 1);
    state->defect = rh__arena_array(arena, uint32_t, (size_t)tape->block_count + 1);
    if (state->jet == NULL || state->sums == NULL || state->constant == NULL ||
        state->weight == NULL || state->forced == NULL || state->is_released == NULL ||
        state->lent == NULL || state->is_unique == NULL || state->defect == NULL ||
        state->near == NULL) {
        return arena->status;
    }
    for (uint32_t k = 0; k < tape->constant_count; k++) {
        state->constant[k] = (double)NAN;
    }
    for (uint32_t k = 0; k < tape->weight_count; k++) {
        state->weight[k] = (double)NAN;
    }
    for (uint32_t k = 0; k < tape->switch_count; k++) {
        state->forced[k] = (double)NAN;
    }
    state->quality.rcond = 1.0;
    return reserve_blocks(state);
}

rh_status rh__tape_state_create(const rh_tape *tape, uint32_t order, rh_allocator allocator,
                                rh_tape_state **out)
{
    *out = NULL;
    rh_arena arena = rh__arena_begin(allocator, tape->arena.limit);
    rh_tape_state *state = rh__arena_new(&arena, rh_tape_state);
    if (state == NULL) {
        const rh_status refused = arena.status;
        rh__arena_end(&arena);
        return refused;
    }
    state->arena = arena;
    state->rescue = rh__arena_begin(allocator, tape->arena.limit);
    state->tape = tape;
    state->order = order;
    state->stride = (tape->slot_count + LINE - 1) / LINE * LINE;
    const rh_status status = build_state(state);
    if (status != RH_OK) {
        rh__tape_state_destroy(state);
        return status;
    }
    *out = state;
    return RH_OK;
}

void rh__tape_state_destroy(rh_tape_state *state)
{
    if (state == NULL) {
        return;
    }
    for (uint32_t k = 0; state->blocks != NULL && k < state->tape->block_count; k++) {
        rh__rescue_end(state->blocks[k].rescue);
    }
    rh__arena_end(&state->rescue);
    rh_arena arena = state->arena; // the state lies in it
    rh__arena_end(&arena);
}

// --- constants -------------------------------------------------------------------------------

static void spread_constants(rh_tape_state *state)
{
    const rh_tape *tape = state->tape;
    for (uint32_t k = 0; k < tape->weight_count; k++) {
        const uint32_t constant = tape->weights[k];
        RH_ASSERT(constant == RH_SLOT_NONE || constant < tape->constant_count);
        state->weight[k] = constant == RH_SLOT_NONE ? 0.0 : state->constant[constant];
    }
    for (uint32_t k = 0; k < tape->block_count; k++) {
        rh__block_bind(state, k);
    }
    state->ready = 0;
}

rh_status rh__tape_bind(rh_tape_state *state, rh_value_of *value_of, const void *user)
{
    const rh_tape *tape = state->tape;
    rh_arena scratch = rh__arena_begin(state->arena.allocator, state->arena.limit);
    const bool ok =
        rh__recipe_values(tape->store, &tape->values, value_of, user, &scratch, state->constant);
    const rh_status refused = scratch.status != RH_OK ? scratch.status : RH_E_MEMORY;
    rh__arena_end(&scratch);
    if (!ok) {
        return refused;
    }
    spread_constants(state);
    for (uint32_t k = 0; k < tape->assumptions.count; k++) {
        const rh_tape_assumption *made = &tape->assumptions.data[k];
        if (state->constant[made->constant] != made->value) {
            return RH_E_UNAVAILABLE;
        }
    }
    return RH_OK;
}

void rh__tape_bind_like(rh_tape_state *state, const rh_tape_state *other)
{
    RH_ASSERT(state->tape == other->tape);
    memcpy(state->constant, other->constant, state->tape->constant_count * sizeof(double));
    spread_constants(state);
}

void rh__tape_lose_constants(rh_tape_state *state)
{
    for (uint32_t k = 0; k < state->tape->constant_count; k++) {
        state->constant[k] = (double)NAN;
    }
    spread_constants(state);
}

// --- switches and holds ------------------------------------------------------------------------

// Other equations: what was known of their ranks is no longer.
void rh__tape_forget_ranks(rh_tape_state *state)
{
    for (uint32_t k = 0; state->is_defective && k < state->tape->block_count; k++) {
        state->defect[k] = 0;
    }
    state->is_defective = false;
}

// The blocks of a tangent that are factored are those of its tape, in the same order.
void rh__tape_follow_ranks(rh_tape_state *state, const rh_tape_state *other)
{
    uint32_t at = 0;
    rh__tape_forget_ranks(state);
    for (uint32_t k = 0; other->is_defective && k < other->tape->block_count; k++) {
        if (other->tape->blocks[k].factor != k) {
            continue;
        }
        while (at < state->tape->block_count && state->tape->blocks[at].factor != at) {
            at++;
        }
        RH_ASSERT(at < state->tape->block_count &&
                  state->tape->blocks[at].n == other->tape->blocks[k].n);
        state->defect[at++] = other->defect[k];
    }
    state->is_defective = other->is_defective;
}

void rh__tape_force(rh_tape_state *state, uint32_t index, double value)
{
    RH_ASSERT(isnan(value) || fabs(value) <= 1.0); // a truth, or a sign
    RH_ASSERT(index < state->tape->switch_count);
    const double before = state->forced[index];
    const bool is_same = before == value || (isnan(before) && isnan(value));
    if (!is_same) {
        state->ready = 0;
        rh__tape_forget_ranks(state);
    }
    state->forced[index] = value;
}

double rh__tape_truth(const rh_tape_state *state, uint32_t index)
{
    RH_ASSERT(index < state->tape->switch_count);
    return state->jet[state->tape->switches[index].truth];
}

void rh__tape_hold(rh_tape_state *state, uint32_t hold)
{
    RH_ASSERT(hold < state->tape->hold_count);
    if (state->is_released[hold]) {
        state->ready = 0;
        rh__tape_forget_ranks(state);
    }
    state->is_released[hold] = false;
}

void rh__tape_release(rh_tape_state *state, uint32_t hold, double value)
{
    RH_ASSERT(hold < state->tape->hold_count);
    const bool is_same = state->is_released[hold] && state->lent[hold] == value;
    state->ready = is_same ? state->ready : 0;
    if (!state->is_released[hold]) {
        rh__tape_forget_ranks(state);
    }
    state->is_released[hold] = true;
    state->lent[hold] = value;
}

void rh__tape_follow(rh_tape_state *state, const rh_tape_state *other)
{
    const rh_tape *tape = other->tape;
    RH_ASSERT(state->tape->switch_count == tape->switch_count);
    RH_ASSERT(state->tape->hold_count == tape->hold_count);
    for (uint32_t k = 0; k < tape->switch_count; k++) {
        rh__tape_force(state, k, other->forced[k]);
    }
    for (uint32_t k = 0; k < tape->hold_count; k++) {
        if (other->is_released[k]) {
            rh__tape_release(state, k, other->lent[k]);
        } else {
            rh__tape_hold(state, k);
        }
    }
    if (state->tape != tape) { // a tangent has no points of its own
        rh__tape_follow_ranks(state, other);
    }
}
