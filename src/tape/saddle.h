// SPDX-License-Identifier: Apache-2.0
// Private to `tape`: factors of a large block with an order of pivots fixed in advance. Rates come
// before the multipliers that act on them ("masses first"), each time the one with the fewest
// neighbours; row and column k are eliminated together. The pattern is taken as symmetric.
//
// With a margin that is not small and a small residual the factors are as good as any; else they do
// not serve, and the block falls back on pivots chosen by value (pivot.c).

#pragma once

#include "tape/tape.h"

struct rh_saddle {
    uint32_t n;
    uint32_t *order;       // position -> row and column of the block
    uint32_t *position;    // row or column -> position
    uint32_t *entry_begin; // by position of the row: its entries in `entry`
    uint32_t *entry;       // indices into the entries of the block
    uint32_t *lower_begin; // by row, in positions
    uint32_t *lower;       // columns before the diagonal, ascending
    uint32_t *upper_begin; // by row
    uint32_t *upper;       // columns behind the diagonal, ascending
};

/// Choose the order and find the pattern of the factors.
RH_NODISCARD rh_status rh__saddle_create(const rh_tape_block *block, rh_arena *arena,
                                         rh_arena *scratch, rh_saddle **out);

/// The numbers of one factorisation.
typedef struct rh_saddle_factors {
    double *lower;   // as saddle->lower
    double *upper;   // as saddle->upper
    double *inverse; // of the pivots
} rh_saddle_factors;

/// Factor the entries with these values; rows with `is_released` (may be NULL) are unit rows of
/// their hold column. `work` has 2 n numbers. Returns the margin: the smallest size of a pivot
/// relative to the terms it is the sum of; 0 when one is zero.
double rh__saddle_factor(const rh_tape_block *block, const double *values, const bool *is_released,
                         double *work, rh_saddle_factors *out);

/// b becomes the solution; `work` has n numbers.
void rh__saddle_solve(const rh_saddle *saddle, const rh_saddle_factors *factors, double *work,
                      double *b);
