// SPDX-License-Identifier: Apache-2.0
// Private to `tape`: what the evaluators share. A kernel runs one group at one order.

#pragma once

#include "tape/pivot.h"
#include "tape/tape.h"

// Loops so short that vectors cost more than they bring.
#if defined(__GNUC__) && !defined(__clang__)
#define RH_PLAIN __attribute__((optimize("no-tree-vectorize")))
#else
#define RH_PLAIN
#endif

typedef void rh_kernel(rh_tape_state *state, const rh_tape_group *group, uint32_t k);

/// Operand `j` of all operations of a group.
static inline const uint32_t *rh__group_operands(const rh_tape_state *state,
                                                 const rh_tape_group *group, uint32_t j)
{
    return state->tape->operands + group->operand + (size_t)j * group->count;
}

/// weights * operands of a group, added up into its outputs at order k; `bias` is NULL above order
/// 0 (convolve.c).
void rh__group_linear(rh_tape_state *state, const rh_tape_group *group, uint32_t k,
                      const double *bias);
/// What the truths chose, at order k (eval.c).
void rh__group_choose(rh_tape_state *state, const rh_tape_group *group, uint32_t k);
/// Coefficient k of all feeds from that of the time (feed.c).
void rh__feed_fill(rh_tape_state *state, uint32_t k);
/// Numbers of `near` for one operation (near.c).
size_t rh__near_room(uint32_t order);
/// Operations NEAR at order k (near.c).
void rh__group_near(rh_tape_state *state, const rh_tape_group *group, uint32_t k);
/// Add x_k y_0 to the sums of some products (convolve.c).
void rh__products_finish(rh_tape_state *state, rh_range sums, uint32_t k);
/// The sums over finished orders 0 < j < k, of the whole tape (convolve.c).
void rh__convolve_all(rh_tape_state *state, uint32_t k);
