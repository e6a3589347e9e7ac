// SPDX-License-Identifier: Apache-2.0
// Tapes: how they are made, and what can be asked of them.

#pragma once

#include "tape/operations.h"

/// A constant whose value was taken as fixed when the tape was made (an exponent).
typedef struct rh_tape_assumption {
    uint32_t constant;
    double value;
} rh_tape_assumption;

enum { RH_TAPE_LANES = 8 }; // operations that run side by side where their operands do

/// Pairs of slots whose series are convolved: sum k is that of left[k] and right[k].
typedef struct rh_tape_pairs {
    uint32_t *left, *right;
    bool *is_run; // by RH_TAPE_LANES pairs: both sides are consecutive slots
    uint32_t count;
} rh_tape_pairs;

typedef struct rh_tape {
    rh_arena arena;
    rh_store *store;
    rh_expr *inputs;       // symbols; none where an input is no symbol (tangents)
    uint32_t *outputs;     // slots
    rh_expr *constants;    // expressions
    rh_recipe values;      // theirs
    rh_tape_group *groups; // in order of execution
    uint32_t *operands;
    bool *chunks;      // are RH_TAPE_LANES operands consecutive slots?
    uint32_t *weights; // indices of constants; RH_SLOT_NONE: 0
    rh_tape_switch *switches;
    rh_tape_block *blocks;
    RH_ARRAY(rh_tape_assumption) assumptions;
    // what reads finished orders only, of the whole tape; sums are numbered in this order
    rh_tape_pairs products; // sum of x_j y_(k-j), 0 < j < k
    rh_tape_pairs squares;  // the same with x = y
    rh_tape_pairs moments;  // sum of j x_j y_(k-j), 0 < j < k
    uint32_t input_count, output_count, slot_count, constant_count;
    uint32_t feed_first, feed_count; // inputs that the state fills: value and slope of each feed
    uint32_t group_count, operand_count, weight_count;
    uint32_t switch_count, hold_count, block_count;
    uint32_t unknown_count; // of all blocks
    uint32_t near_count;    // operations NEAR
} rh_tape;

/// A linear system among the expressions: unknowns are symbols that others may use. Row k belongs
/// to unknown k: where a pivot order is chosen in advance it stands on the diagonal.
typedef struct rh_tape_solve {
    const rh_grid *matrix;
    const rh_expr *right;
    const rh_expr *unknowns;
    uint32_t count;
    uint32_t rate_count;  // the unknowns that come first are rates, the rest multipliers
    const uint32_t *hold; // by row: index of a hold, UINT32_MAX without; NULL: none
    const uint32_t
        *hold_column; // by row with a hold: the unknown that is given when it is released
    double margin;    // pivots of this size relative to their terms are meant; 0: RH_BLOCK_MARGIN
} rh_tape_solve;

/// Recipe for a tape.
typedef struct rh_tape_def {
    rh_store *store; // may grow
    rh_allocator allocator;
    size_t memory_limit;
    const rh_expr *inputs; // symbols, parameters too
    uint32_t input_count;
    uint32_t feed_count; // the last 2 * feed_count inputs are feeds; input 0 is then the time
    const rh_definition *definitions; // symbols that stand for expressions, in any order
    uint32_t definition_count;
    const rh_tape_solve *solves;
    uint32_t solve_count;
    uint32_t hold_count;
    const rh_expr *outputs; // expressions
    uint32_t output_count;
    rh_value_of
        *value_of;    // of parameters: exponents with whole values become products, and signs are
    const void *user; // proved; NULL: nothing is assumed
} rh_tape_def;

/// RH_E_ARGUMENT with the name in `err` when a symbol that moves is no input, no definition and no
/// unknown, or when definitions go in a circle.
RH_NODISCARD rh_status rh__tape_create(const rh_tape_def *def, rh_tape **out, rh_error *err);
void rh__tape_destroy(rh_tape *tape); // NULL is allowed

/// Groups, totals by operation, blocks: the canonical text of the stage.
void rh__tape_describe(const rh_tape *tape, rh_text *out);

/// Recipe for a tangent: directional derivatives of all outputs. The inputs of the new tape are
/// those of the old one, then for each direction one tangent of each active input, in order. Its
/// outputs are the old ones, then for each direction the derivative of each.
typedef struct rh_tangent_def {
    uint32_t direction_count;
    const uint32_t *active; // indices of inputs that move; NULL: all
    uint32_t active_count;
    rh_seed *seed; // how constants move along each direction, besides; NULL: they stay
    void *user;
} rh_tangent_def;

/// RH_E_UNAVAILABLE when a constant moves that was taken as fixed (an assumption of the tape).
RH_NODISCARD rh_status rh__tape_tangent(const rh_tape *tape, const rh_tangent_def *def,
                                        rh_tape **out, rh_error *err);

/// Which of some inputs the first outputs can depend on smoothly, as bits: word w of output k is
/// (*out)[k * *out_words + w]. By the operations alone, so a bit may be there for nothing.
/// @return RH_E_LIMIT when there are too many to be told, RH_E_MEMORY
RH_NODISCARD rh_status rh__tape_depend(const rh_tape *tape, rh_range inputs, uint32_t outputs,
                                       rh_arena *arena, uint64_t **out, size_t *out_words);

/// Which switches decide about the surface of a switch, as bits: bit j of word w of switch k is
/// switch 64 w + j. RH_E_LIMIT: there are too many, and none is told.
RH_NODISCARD rh_status rh__tape_nesting(const rh_tape *tape, rh_arena *arena, uint64_t **out,
                                        size_t *out_words);

/// Of every switch: does its surface depend on no input but the first, which is the time?
RH_NODISCARD rh_status rh__tape_timed(const rh_tape *tape, rh_arena *arena, bool *out);

/// Entries (output, input) of a Jacobian that may differ from zero, each once, by rows.
typedef struct rh_tape_pattern {
    uint32_t *row, *column;
    uint32_t count;
} rh_tape_pattern;

/// The same as rh__tape_depend as a list, in `arena`; columns count from the first of `inputs`.
/// @return RH_E_LIMIT when it has too many entries, RH_E_MEMORY
RH_NODISCARD rh_status rh__tape_pattern(const rh_tape *tape, rh_range inputs, uint32_t outputs,
                                        rh_arena *arena, rh_tape_pattern *out);
