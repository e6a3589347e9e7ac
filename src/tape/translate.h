// SPDX-License-Identifier: Apache-2.0
// Private to `tape`: expressions on their way to operations. Exploring (explore.c) gives an order
// in which arguments come first, says what moves, and counts which factors occur together;
// translating (translate.c) follows that order.

#pragma once

#include "tape/weave.h"

typedef enum rh_standing {
    RH_STANDING_NEW,
    RH_STANDING_OPEN,     // on the stack
    RH_STANDING_CONSTANT, // does not move
    RH_STANDING_MOVING,
    RH_STANDING_DONE // moving, with its strand
} rh_standing;

typedef enum rh_meaning {
    RH_MEANING_NONE, // no symbol, or one that does not move
    RH_MEANING_INPUT,
    RH_MEANING_DEFINITION,
    RH_MEANING_UNKNOWN
} rh_meaning;

typedef struct rh_record {
    rh_strand strand;
    uint32_t index; // of the input, definition or unknown
    uint8_t standing;
    uint8_t meaning;
} rh_record;

/// Two factors that occur together.
typedef struct rh_pairing {
    uint32_t left, right; // ids of expressions, left < right; 0: free
    uint32_t count;
} rh_pairing;

typedef struct rh_translation {
    rh_weave *weave;
    const rh_tape_def *def;
    rh_store *store;
    rh_arena scratch;
    rh_record *records; // by expression
    uint32_t record_count;
    rh_expr_list order;
    uint32_t *solve_of; // by unknown of all solves
    uint8_t *solve_standing;
    rh_pairing *pairs;
    uint32_t pair_size; // a power of two
    rh_error *err;
} rh_translation;

enum { RH_PAIR_FACTORS = 8 }; // longer products do not look for pairs

static inline rh_record *rh__record_at(const rh_translation *in, rh_expr e)
{
    RH_ASSERT(e.i < in->record_count);
    return &in->records[e.i];
}

/// All that the outputs reach.
RH_NODISCARD rh_status rh__translation_explore(rh_translation *in);
bool rh__translation_moves(const rh_translation *in, rh_expr e);
/// The whole or half exponent of a power in halves; 0 when it is another one.
int64_t rh__translation_halves(const rh_translation *in, rh_expr exponent);
/// A power with a negative whole or half exponent: in a product it stands below.
bool rh__translation_divides(const rh_translation *in, rh_expr e);
/// How often two factors occur together in products of at most RH_PAIR_FACTORS.
uint32_t rh__translation_pair(const rh_translation *in, uint32_t a, uint32_t b);
