// SPDX-License-Identifier: Apache-2.0
// Private to `tape`: factors of a large block with an order of pivots fixed in advance. Rates come
// before the multipliers that act on them ("masses first"), each time the one with the fewest
// neighbours; row and column k are eliminated together. The pattern is taken as symmetric.
//
// With a margin that is not small and a small residual the factors are as good as any; else they do
// not serve, and the block falls back on pivots chosen by value (pivot.c).

#pragma once

#include "tape/bundle.h"
#include "tape/tape.h"

/// at -= lower * upper
typedef struct rh_saddle_change {
    uint32_t at, lower, upper; // homes
} rh_saddle_change;

/// Rows and columns are numbered by position. Those below `lead` have nothing before them: they are
/// eliminated all at once, and found again all at once from the rest.
struct rh_saddle {
    uint32_t n;
    uint32_t lead;
    uint32_t *order;       // position -> row and column of the block
    uint32_t *position;    // row or column -> position
    uint32_t *entry_begin; // by row: its entries in `entry`
    uint32_t *entry;       // indices into the entries of the block
    uint32_t *lower_begin; // by row
    uint32_t *lower;       // columns before the diagonal, ascending
    uint32_t *upper_begin; // by row
    uint32_t *upper;       // columns behind the diagonal, ascending
    // where numbers are kept: the diagonal by position, then the bundles, then the rest
    uint32_t *lower_home; // as lower
    uint32_t *upper_home; // as upper
    uint32_t *entry_home; // by entry of the block
    uint32_t *hold_home;  // by row of the block: of its hold column; UINT32_MAX: no hold
    uint32_t home_count;
    rh_bundle early; // rows from `lead` on, columns below it
    rh_bundle late;  // rows below `lead`
    uint32_t early_home, late_home;
    // what the elimination of the leading rows changes: each pair of neighbours of each of them
    uint32_t *twin;   // as upper, of leading rows: home of the mirror image
    uint32_t *leader; // as upper, of leading rows: the row
    rh_saddle_change *changes;
    uint32_t change_count;
    uint32_t *split; // by row: its first lower column that is not leading
};

/// Choose the order and find the pattern of the factors.
RH_NODISCARD rh_status rh__saddle_create(const rh_tape_block *block, rh_arena *arena,
                                         rh_arena *scratch, rh_saddle **out);

/// Where the numbers are kept, for a pattern that is known (schur.c).
RH_NODISCARD bool rh__saddle_furnish(const rh_tape_block *block, rh_saddle *saddle,
                                     rh_arena *arena);

/// The numbers of one factorisation.
typedef struct rh_saddle_factors {
    double *home;    // diagonal, L, U
    double *scaled;  // U by rows divided by their pivots: as home
    double *inverse; // of the pivots
} rh_saddle_factors;

/// Room for them.
RH_NODISCARD bool rh__saddle_reserve(const rh_saddle *saddle, rh_arena *arena,
                                     rh_saddle_factors *out);

/// Factor the entries with these values; rows with `is_released` (may be NULL) are unit rows of
/// their hold column. `work` has 2 n numbers. Returns the margin: the smallest size of a pivot
/// relative to the terms it is the sum of; 0 when one is zero.
double rh__saddle_factor(const rh_tape_block *block, const double *values, const bool *is_released,
                         double *work, rh_saddle_factors *out);

/// The right sides y, by position, become the solution.
void rh__saddle_pass(const rh_saddle *saddle, const rh_saddle_factors *factors, double *y);
/// b becomes the solution; `work` has n numbers.
void rh__saddle_solve(const rh_saddle *saddle, const rh_saddle_factors *factors, double *work,
                      double *b);
