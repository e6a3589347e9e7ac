// SPDX-License-Identifier: Apache-2.0
// Making a tape: the passes in order, and who owns what meanwhile.

#include "tape/tape.h"

#include "tape/weave.h"

// Expressions -> operations made once -> groups and slots.
static rh_status build_tape(const rh_tape_def *def, rh_tape *tape, rh_weave *weave, rh_error *err)
{
    tape->store = def->store;
    tape->input_count = def->input_count;
    tape->inputs = rh__arena_array(&tape->arena, rh_expr, (size_t)def->input_count + 1);
    if (tape->inputs == NULL) {
        return tape->arena.status;
    }
    for (uint32_t k = 0; k < def->input_count; k++) {
        tape->inputs[k] = def->inputs[k];
    }
    tape->feed_count = def->feed_count;
    tape->feed_first = def->input_count - 2 * def->feed_count;
    weave->hold_count = def->hold_count;
    RH_TRY(weave->status);
    RH_TRY(rh__translate(weave, def, err));
    return rh__schedule(weave, tape);
}

rh_status rh__tape_create(const rh_tape_def *def, rh_tape **out, rh_error *err)
{
    *out = NULL;
    rh_arena arena = rh__arena_begin(def->allocator, def->memory_limit);
    rh_tape *tape = rh__arena_new(&arena, rh_tape);
    if (tape == NULL) {
        const rh_status refused = arena.status;
        rh__arena_end(&arena);
        return rh__error_fill(err, refused, "%s", rh_status_text(refused));
    }
    if (err != NULL) {
        err->status = RH_OK;
    }
    tape->arena = arena;
    rh_weave weave = rh__weave_begin(def->store, &tape->arena, def->input_count);
    const rh_status status = build_tape(def, tape, &weave, err);
    rh__weave_end(&weave);
    if (status != RH_OK) {
        rh__tape_destroy(tape);
        return err != NULL && err->status != RH_OK
                   ? status
                   : rh__error_fill(err, status, "%s", rh_status_text(status));
    }
    *out = tape;
    return RH_OK;
}

void rh__tape_destroy(rh_tape *tape)
{
    if (tape != NULL) {
        rh_arena arena = tape->arena; // the tape lies in it
        rh__arena_end(&arena);
    }
}
