// SPDX-License-Identifier: Apache-2.0
// Operations of a tape, and solve blocks.

#pragma once

#include "base/base.h"
#include "expr/expr.h"
#include "numeric/numeric.h"
#include "model/model.h"
#include "equations/equations.h"

#define RH_SLOT_NONE UINT32_MAX

typedef struct rh_range {
    uint32_t first, count;
} rh_range;

// --- operations ------------------------------------------------------------------------------

/// What a group does; a, b, c are its operands. Two outputs lie one group length apart.
typedef enum rh_tape_code {
    RH_TAPE_LINEAR,     // bias + weight a + weight b + ...: `arity` terms
    RH_TAPE_MULTIPLY,   // a b
    RH_TAPE_SQUARE,     // a a
    RH_TAPE_DIVIDE,     // a / b
    RH_TAPE_RECIPROCAL, // 1 / a
    RH_TAPE_ROOT,       // sqrt a
    RH_TAPE_POWER,      // a ^ weight
    RH_TAPE_EXP,        // exp a
    RH_TAPE_SINCOS,     // sin a; cos a
    RH_TAPE_SINHCOSH,   // sinh a; cosh a
    RH_TAPE_TANH,       // tanh a; 1 - tanh^2 a
    RH_TAPE_LOG,        // log a,      b y' =  a' with b = a
    RH_TAPE_ASIN,       // arcsin a,   b y' =  a' with b = sqrt(1 - a^2)
    RH_TAPE_ACOS,       // arccos a,   b y' = -a' with b = sqrt(1 - a^2)
    RH_TAPE_ATAN,       // arctan a,   b y' =  a' with b = 1 + a^2
    RH_TAPE_ANGLE,      // atan2(a, b), c y' = b a' - a b' with c = a^2 + b^2
    RH_TAPE_SWITCH,     // a truth: what the surface a says, or what was forced
    RH_TAPE_AND,        // truths a and b
    RH_TAPE_OR,         // truths a or b
    RH_TAPE_NOT,        // truth a is false
    RH_TAPE_WITHIN,     // a truth: |a| < weight
    RH_TAPE_NEAR,       // within that weight a ratio of a by its series at 0, else 0 (expr/ratio.c)
    RH_TAPE_CHOOSE,     // b where the truth a holds, c where not
    RH_TAPE_SOLVE,      // the unknowns of `count` blocks
    RH_TAPE_CODE_COUNT
} rh_tape_code;

/// Operations of one code on one level. Operand j of operation i is
/// operands[operand + j * count + i], its output is slot first + i.
typedef struct rh_tape_group {
    rh_tape_code code;
    uint32_t level;
    uint32_t first;   // slot
    uint32_t count;   // operations; SOLVE: blocks
    uint32_t arity;   // operands of each
    uint32_t operand; // in `operands`; SOLVE: the first block
    uint32_t weight;  // in `weights`, likewise; LINEAR: `count` biases after the terms
    uint32_t sum;     // first convolution sum
    uint32_t other;   // first of the second kind (POWER, TANH); NEAR: its first place in `near`
    uint32_t chunk;   // LINEAR: in `chunks`, for each operand one for each RH_TAPE_LANES operations
} rh_tape_group;

/// When the truth of a switch holds, s being the value of its surface.
typedef enum rh_switch_rule {
    RH_SWITCH_BELOW,     // s < 0
    RH_SWITCH_NOT_ABOVE, // s <= 0
    RH_SWITCH_ZERO,      // s == 0
    RH_SWITCH_NOT_BELOW, // s >= 0
    RH_SWITCH_SIGN       // no truth but a sign: -1, 0, 1
} rh_switch_rule;

/// A condition, decided at order 0 and kept for all higher orders. Where its surface changes sign
/// the motion has an event.
typedef struct rh_tape_switch {
    rh_switch_rule rule;
    uint32_t surface; // slot
    uint32_t truth;   // slot
    rh_expr source;   // the surface as an expression: the same one in every tape of a store
} rh_tape_switch;

// --- solve blocks ----------------------------------------------------------------------------

/// weight * slot; the weight alone without a slot.
typedef struct rh_tape_term {
    uint32_t weight; // index of a constant
    uint32_t slot;   // RH_SLOT_NONE: constant
} rh_tape_term;

typedef struct rh_tape_entry {
    uint32_t row, column;
    rh_tape_term value;
} rh_tape_entry;

/// A moving part of row `row` of K z: weight * matrix * unknown, where `unknown` is one of the
/// block or a sum of them.
typedef struct rh_tape_share {
    uint32_t row; // ascending
    uint32_t weight;
    uint32_t matrix, unknown; // slots
    uint32_t sum;             // convolution sum, among those of the block
} rh_tape_share;

/// A fixed order of pivots and the pattern of the factors (saddle.c).
typedef struct rh_saddle rh_saddle;

/// K z = b of one connected component. Unknown k is slot first + k.
typedef struct rh_tape_block {
    uint32_t n;
    uint32_t first;   // slot
    uint32_t unknown; // its first unknown among those of all blocks
    uint32_t
        factor; // whose factors it uses: its own index, or that of an earlier block of the same K
    rh_tape_entry *entries;
    uint32_t entry_count;
    rh_tape_term *right; // n
    rh_tape_share *shares;
    uint32_t share_count;
    uint32_t *share_begin; // n + 1: the shares of each row
    uint32_t *share_sum;   // share_count: as their `sum`, side by side
    rh_range sums;         // in the products of the tape: those of its shares, each pair once
    uint32_t weight;       // in `weights`: of the entries, the right sides, the shares
    bool *is_rate;         // n, by column; the others are multipliers and share one scale
    uint32_t *hold;        // n, by row: index of its hold, UINT32_MAX when it always acts
    uint32_t *hold_column; // n, by row: the unknown that is given when the row is released
    rh_saddle *saddle;     // NULL: dense
    double margin;         // of the pivots, below which the rescue looks closer
} rh_tape_block;

#define RH_BLOCK_MARGIN 1e-9 // that of blocks that do not say otherwise

#define RH_BLOCK_LARGER 1.25 // than another pivot: so much that rounding does not decide

enum { RH_BLOCK_DENSE = 12 }; // up to this size a block is dense
