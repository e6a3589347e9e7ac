// SPDX-License-Identifier: Apache-2.0
// Private to `tape`: C text under construction. It is written over a type V, which is a number or a
// vector of numbers (lanes), with the words of the preamble (preamble.c): F(a, b, c) is a b + c,
// K(number) a literal, W(k) a weight, OUT(k, slot, value) a coefficient that others read. What is
// fused is said by F alone, so every number of lanes gives the same bits.

#pragma once

#include "tape/saddle.h"
#include "tape/tape.h"

/// How loops take a sum.
typedef enum rh_sum_kind {
    RH_SUM_PLAIN, // x_j y_(k-j), 0 < j < k
    RH_SUM_WHOLE, // x_k y_0 too: x is ahead
    RH_SUM_BEND,  // half of the coefficient k + 2 of x x, from order 2 on (bend.c)
    RH_SUM_NONE   // nobody reads it
} rh_sum_kind;

typedef struct rh_emission {
    const rh_tape *tape;
    rh_arena *scratch;
    rh_text *out;
    uint32_t n;       // inputs 1 ... n have the first n outputs for rates
    uint32_t order;   // of the series of x
    double *literal;  // by constant: its value when it is a plain number, else NaN
    bool *is_visible; // by slot: somebody else reads it
    bool *is_zero;    // by order, by slot: the coefficient is 0 whatever the point is (unroll.c)
    bool *has_double; // by slot: k times each coefficient has a name
    bool *has_sum;    // by sum: at the present order it is not 0
    uint32_t *pack;   // by sum: 1 + its place in the rows of pack.c, 0: none
    uint32_t *packed; // by place: the sum
    uint32_t pack_count;
    uint32_t *shelf; // by slot, twice (itself, k times it): 1 + its place in the rows of lanes
    uint32_t shelf_count;
    uint64_t count;                // of operations written
    uint32_t *canon;               // by weight: the first one with the same constant
    struct rh_shelving *shelvings; // by block: where sparse ones keep their numbers
    unsigned char *sum_kind;       // by sum: an rh_sum_kind
    bool *is_linked;               // by slot: of one family with the slot before it
    bool *is_ahead;                // by slot: order k + 1 of it is there with order k of others
    bool *is_dropped;              // by operand of a linear operation: no term of it above order 0
    bool *is_idle;                 // by slot: nobody reads it above order 0
    rh_ladder_list ladders;        // whose coefficients need not be kept (ladder.c)
    uint32_t *ladder_of;           // by slot: 1 + twice the ladder where it is an x, 2 + where it
                                   // is a v, 0: none
    bool *is_kept;                 // by slot: its coefficients above order 0 are
    bool is_first;                 // order 1 of what is ahead is under way
    bool has_loops;                // not in straight lines
    rh_status status;              // why the text is not whole
    uint32_t mark; // of all names of blocks and tables: those of other tapes come before
} rh_emission;

/// One more operation, or several.
void rh__emit_count(rh_emission *in, uint64_t operations);
/// The value of a weight where it is a plain number, else NaN.
double rh__emit_literal(const rh_emission *in, uint32_t weight);
/// "K(2)" or "W(7)".
void rh__emit_weight(rh_emission *in, uint32_t weight);
/// A literal that is read back bit by bit.
void rh__emit_number(rh_emission *in, double value);

/// What the letters of a template stand for. a, b, c: operands at order 0, A, B, C: at order k;
/// y, z: outputs at order 0, Y: the first at order k; s, t, u: sums; w, v: weights.
typedef struct rh_phrase {
    const char *words['z' + 1];
} rh_phrase;

/// A template with $a and so on replaced.
void rh__emit_phrase(rh_text *out, const char *form, const rh_phrase *words);
/// Order 0 of an operation, the first or the second of its outputs; NULL for LINEAR, SWITCH and
/// SOLVE.
/// Has it one weight for each operation, behind which others may stand?
bool rh__emit_has_weight(rh_tape_code code);
const char *rh__emit_value_form(rh_tape_code code, bool is_second);
/// A switch: what is forced, or what its surface says.
void rh__emit_decision(rh_emission *in, uint32_t index, const char *surface);

/// The beginning and the end of the function.
void rh__emit_head(rh_emission *in);
void rh__emit_tail(rh_emission *in);

/// The words that all texts use.
void rh__emit_preamble(rh_emission *in, const rh_emit_def *def);
/// Those for eight numbers side by side (chunk.c).
void rh__emit_wide_words(rh_emission *in);
/// For each block with factors of its own: the functions `factor_B` and `solve_B` (elimination in
/// the order of its pattern, or with pivots by value).
rh_status rh__emit_factors(rh_emission *in);
/// How many numbers V the factors of all blocks take.
size_t rh__emit_factor_numbers(const rh_tape *tape);
/// Declare the factors of the blocks: in an array of the name `room`, or (NULL) each for itself.
void rh__emit_factor_room(rh_emission *in, const char *room);
/// Order 0 of a block: its entries stand in the array v and its index, the right side in the array
/// named `b`, which becomes the solution.
void rh__emit_block_begin(rh_emission *in, uint32_t index, const char *b);
/// The same above order 0, without entries.
void rh__emit_block_solve(rh_emission *in, uint32_t index, const char *b);

/// Where in the room of a block the values of its entries are kept; SIZE_MAX: not there.
size_t rh__emit_values_room(const rh_tape_block *block);
/// The place of an entry among them.
uint32_t rh__emit_entry_place(const rh_emission *in, uint32_t index, uint32_t entry);
/// The functions of a sparse block (sparse_text.c): its factors, its solutions, the test of them,
/// its entries.
RH_NODISCARD rh_status rh__emit_sparse(rh_emission *in, uint32_t index);
/// Its right sides in loops, at order 0 or above it.
RH_NODISCARD rh_status rh__emit_sparse_right(rh_emission *in, uint32_t index, bool is_order);
/// Released rows of the array b: what they are lent, or 0.
void rh__emit_releases(rh_emission *in, uint32_t index, bool is_lent);

/// What need not be done above order 0: bends, and what is dropped, spare or idle for them
/// (bend.c).
RH_NODISCARD rh_status rh__emit_bends(rh_emission *in);
/// What a right side is at order 0 or above it, where it may be dropped; RH_SLOT_NONE: no slot.
uint32_t rh__emit_right_slot(const rh_emission *in, const rh_tape_block *block, uint32_t row,
                             bool is_order);

/// Which coefficients of ladders are kept all the same, because they are read (ladder.c).
RH_NODISCARD rh_status rh__emit_ladders(rh_emission *in);
/// Are the last coefficients numbers? Those of ladders are when the ones they come from are.
void rh__emit_sanity(rh_emission *in);
/// What ladders left out.
void rh__emit_fill(rh_emission *in);
/// Does a group look operands up in tables?
bool rh__emit_has_tables(const rh_emission *in, const rh_tape_group *group);

/// The function `convolve`: all sums over finished orders (chunk.c).
void rh__emit_sums(rh_emission *in);
/// How many sums a row of them has room for; there are four rows.
size_t rh__emit_sum_count(const rh_tape *tape);
/// How many numbers V of work the loops need.
size_t rh__emit_loop_numbers(const rh_tape *tape);

/// The whole function in straight lines.
rh_status rh__emit_unrolled(rh_emission *in);
/// The whole function in loops over orders and families.
rh_status rh__emit_loops(rh_emission *in);
/// Order 0 alone, as another function.
RH_NODISCARD rh_status rh__emit_point(rh_emission *in, const rh_emit_point *point);
/// The function `rheonom_steps`: whole steps around the series (glide.c).
void rh__emit_steps(rh_emission *in);
