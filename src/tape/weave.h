// SPDX-License-Identifier: Apache-2.0
// Private to `tape`: a tape under construction. Values have ids (inputs first, then outputs of
// operations in order of making); equal operations are made once. A strand is a value with its
// constant factor, so constants never become operations.
//
// After a refusal (memory, a limit of the store) strands are of no meaning and `status` says why.

#pragma once

#include "tape/tape.h"

/// weight * value; the weight alone when there is no value.
typedef struct rh_strand {
    rh_expr weight; // does not move
    uint32_t id;    // RH_SLOT_NONE: a constant
} rh_strand;

/// An operation: `arity` operands (ids), then its further words (constants, rules, blocks).
typedef struct rh_knot {
    rh_tape_code code;
    uint32_t arity;
    uint32_t word; // the first one
    uint32_t word_count;
    uint32_t output; // its first id
    uint32_t output_count;
    uint32_t level;
} rh_knot;

typedef struct rh_weave {
    rh_store *store;
    rh_arena *arena;  // of the tape
    rh_arena scratch; // of everything below
    rh_status status;
    uint32_t input_count;
    RH_ARRAY(uint32_t) levels; // by id
    RH_ARRAY(rh_knot) knots;
    RH_ARRAY(uint32_t) words;
    uint32_t *index; // hash table of knots + 1
    uint32_t index_size;
    RH_ARRAY(rh_expr) constants;
    RH_ARRAY(uint32_t) constant_of; // by id of the expression, + 1
    RH_ARRAY(rh_tape_block) blocks; // ids in place of slots
    RH_ARRAY(rh_tape_switch) switches;
    RH_ARRAY(rh_tape_assumption) assumptions;
    RH_ARRAY(uint32_t) outputs; // ids
    uint32_t hold_count;
    rh_expr zero, one;
} rh_weave;

rh_weave rh__weave_begin(rh_store *store, rh_arena *arena, uint32_t input_count);
void rh__weave_end(rh_weave *weave);
/// Note the first reason.
void rh__weave_fail(rh_weave *weave, rh_status status);

rh_strand rh__strand_constant(rh_expr weight);
rh_strand rh__strand_value(const rh_weave *weave, uint32_t id);
bool rh__strand_is_zero(const rh_weave *weave, rh_strand a);

/// Index of a constant expression.
uint32_t rh__weave_constant(rh_weave *weave, rh_expr e);
/// The id of a value that equals the strand, weight and all.
uint32_t rh__weave_settle(rh_weave *weave, rh_strand a);
/// The truth |a| < radius.
rh_strand rh__weave_within(rh_weave *weave, rh_strand a, double radius);
/// Derivative n of ratio `index` by its series; both are numbers.
rh_strand rh__weave_near(rh_weave *weave, rh_strand a, double radius, rh_expr index, rh_expr n);
/// The sum of strands.
rh_strand rh__weave_sum(rh_weave *weave, const rh_strand *terms, uint32_t count);
rh_strand rh__weave_scale(rh_weave *weave, rh_strand a, rh_expr factor);
rh_strand rh__weave_negate(rh_weave *weave, rh_strand a);
rh_strand rh__weave_subtract(rh_weave *weave, rh_strand a, rh_strand b);
rh_strand rh__weave_multiply(rh_weave *weave, rh_strand a, rh_strand b);
/// Was the product of these two made already?
bool rh__weave_has_product(const rh_weave *weave, rh_strand a, rh_strand b);
rh_strand rh__weave_divide(rh_weave *weave, rh_strand a, rh_strand b);
/// a^exponent, by repeated squaring, for exponent >= 0.
rh_strand rh__weave_whole_power(rh_weave *weave, rh_strand a, uint32_t exponent);
/// An operation with one operand (and, for POWER, an exponent); `which` of its outputs.
rh_strand rh__weave_function(rh_weave *weave, rh_tape_code code, rh_strand a, uint32_t which);
rh_strand rh__weave_power(rh_weave *weave, rh_strand a, rh_expr exponent);
/// LOG, ASIN, ACOS, ATAN with their companions.
rh_strand rh__weave_primitive(rh_weave *weave, rh_tape_code code, rh_strand a);
rh_strand rh__weave_angle(rh_weave *weave, rh_strand a, rh_strand b);
/// The truth of a rule on a surface; `source` is the expression of that.
rh_strand rh__weave_switch(rh_weave *weave, rh_strand surface, rh_switch_rule rule, rh_expr source);
rh_strand rh__weave_logic(rh_weave *weave, rh_tape_code code, rh_strand a, rh_strand b);
rh_strand rh__weave_choose(rh_weave *weave, rh_strand truth, rh_strand yes, rh_strand no);
/// Any operation, taken as it is; gives its first output.
uint32_t rh__weave_knot(rh_weave *weave, rh_tape_code code, const uint32_t *words, uint32_t arity,
                        uint32_t word_count);
/// A new operation, equal to another or not, with all its outputs; gives the first one.
uint32_t rh__weave_add(rh_weave *weave, rh_tape_code code, const uint32_t *words, uint32_t arity,
                       uint32_t word_count, uint32_t outputs);

/// Room for the arrays of a block of n unknowns with `entry_count` entries, in the arena of the
/// tape (block.c). False when it was refused.
bool rh__weave_reserve_block(rh_weave *weave, rh_tape_block *block);
/// A block whose entries (rows in order) and right sides are there: its unknowns get ids now, its
/// moving parts are found, and large ones get their order of pivots. `factor` is the index of the
/// block whose factors it uses, UINT32_MAX for its own. Gives the first unknown, and fills `block`.
uint32_t rh__weave_block(rh_weave *weave, rh_tape_block *block);

// --- the passes (tape.c has their order) -----------------------------------------------------

/// Expressions to strands (translate.c).
rh_status rh__translate(rh_weave *weave, const rh_tape_def *def, rh_error *err);

/// A strand for each unknown of a linear system (component.c). `values` are the strands of the
/// entries, then of the right sides.
typedef struct rh_solve_plan {
    const rh_tape_solve *solve;
    const rh_strand *values;
    rh_value_of *value_of;
    const void *user;
    rh_strand *unknowns; // out
} rh_solve_plan;
void rh__weave_solve(rh_weave *weave, const rh_solve_plan *plan);

/// Levels, groups, slots (schedule.c).
rh_status rh__schedule(rh_weave *weave, rh_tape *tape);
