// SPDX-License-Identifier: Apache-2.0
// Private to `tape`: the numbers of solve blocks. A block is factored once, at order 0, and solved
// at every order with the same factors. Small ones are dense with pivots chosen by value, large
// ones have a fixed order (saddle.h). Where the margin of the pivots is small, or the residual
// large, the rescue looks closer: other pivots, and singular values when the matrix is singular.

#pragma once

#include "tape/saddle.h"
#include "tape/tape.h"

typedef enum rh_block_kind {
    RH_BLOCK_PIVOTED,  // dense, pivots chosen by value
    RH_BLOCK_FIXED,    // sparse, pivots in a fixed order
    RH_BLOCK_LU,       // rescued: dense
    RH_BLOCK_KLU,      // rescued: sparse
    RH_BLOCK_SINGULAR, // rescued: pseudo-inverse
    RH_BLOCK_FAILED    // no numbers
} rh_block_kind;

/// What a block in trouble needs; made when it is needed first, in the arena for it.
typedef struct rh_rescue {
    double *matrix; // n x n by columns
    rh_lu lu;
    rh_sparse sparse;
    rh_klu klu;
    double *inverse; // n x n by rows: the pseudo-inverse
    double *right;   // n
    double *loose;   // n: a vector of the null space that has a part of all of it
    bool *is_loose;  // n: unknowns, where the block was last on the constraints
    bool *is_spare;  // n: rows, likewise
    bool is_known;   // these are
} rh_rescue;

struct rh_block_state {
    rh_block_kind kind;
    double *values;    // of the entries at order 0
    bool *is_released; // by row; NULL when no row has a hold
    double *dense;     // n x n by rows: factors
    uint32_t *row;     // n: where the rows of the factors come from
    double *inverse;   // n: of the pivots
    rh_saddle_factors factors;
    rh_rescue *rescue; // NULL until needed
    // with a fixed order: what moves in K z, by position
    rh_bundle shares;
    uint32_t *share_home; // by share
    double *share_value;
    uint32_t *right_row; // the rows whose right side moves
    uint32_t right_count;
};

RH_NODISCARD rh_status rh__block_reserve(rh_tape_state *state, uint32_t index);
/// Factor the block and solve for b, which becomes the solution. Fills the quality of the state.
void rh__block_begin(rh_tape_state *state, uint32_t index, double *b);
/// Constants have new values.
void rh__block_bind(rh_tape_state *state, uint32_t index);
/// K_0 z_k = b_k - sum_{j=1..k} K_j z_{k-j}, the sums being there: row k of the jet receives z_k.
void rh__block_grow(rh_tape_state *state, uint32_t index, double *high);
/// b becomes the solution with the factors there are.
void rh__block_solve(rh_tape_state *state, uint32_t index, double *b);

/// Other pivots or singular values for the values there are, then b becomes the solution. The new
/// kind of the block stands in its state; `*out_rcond` is the estimate of the dense or sparse
/// factors. Unless `is_forced`, a regular matrix keeps the factors it has (and b stays).
void rh__rescue_begin(rh_tape_state *state, uint32_t index, bool is_forced, double *b,
                      double *out_rcond);
/// What rounding may have done to the entries of a block, n x n by columns, and to its right sides;
/// scratch on the arena of the rescue stays (noise.c).
RH_NODISCARD rh_status rh__block_noise(rh_tape_state *state, uint32_t index, double *out,
                                       double *right);
/// b becomes the solution, for the kinds LU, KLU, SINGULAR and FAILED.
void rh__rescue_solve(rh_tape_state *state, uint32_t index, double *b);
void rh__rescue_end(rh_rescue *rescue);
