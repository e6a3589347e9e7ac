// SPDX-License-Identifier: Apache-2.0
// Private to `tape`: operations getting their place.

#pragma once

#include "tape/weave.h"

typedef struct rh_scheduling {
    rh_weave *weave;
    rh_tape *tape;
    rh_arena *scratch;
    uint32_t *sorted;   // knots in order
    uint32_t *slot;     // by id
    uint32_t *block_of; // by block of the weave: its index in the tape
    RH_ARRAY(uint32_t) operands;
    RH_ARRAY(uint32_t) weights;
    RH_ARRAY(bool) chunks;
    RH_ARRAY(rh_tape_group) groups;
} rh_scheduling;

/// Are RH_TAPE_LANES slots consecutive?
bool rh__schedule_is_run(const uint32_t *slots);
/// Does a finished tape keep what holds of all of them? For asserts (sound.c).
bool rh__tape_is_sound(const rh_tape *tape);
/// List what reads finished orders only (sums.c). False when an arena refused.
bool rh__schedule_sums(rh_scheduling *in);
