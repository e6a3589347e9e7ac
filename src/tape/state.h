// SPDX-License-Identifier: Apache-2.0
// States: the values of a tape in some arithmetic.

#pragma once

#include "tape/instructions.h"

/// How the solve blocks fared at the last run of order 0.
typedef struct rh_tape_quality {
    double rcond;       // the smallest reciprocal condition, estimated; 1 without blocks
    double residual;    // the largest relative residual of a singular block; 0 when all are regular
    uint32_t singular;  // blocks solved by singular values
    uint32_t exchanged; // blocks whose fixed pivots did not serve (slow, but as exact)
    bool is_failed;     // not finite, or too large for singular values: the unknowns are NaN
    bool is_branched;   // by jets: the base of a root or a power passes zero, there is no series
} rh_tape_quality;

#define RH_TAPE_SPECK                                                                              \
    1e-12 // bases of roots and powers that are negative by less are zero, beside conditions
#define RH_TAPE_REGULAR 1e-10     // reciprocal condition above which a block is surely regular
#define RH_TAPE_INCONSISTENT 1e-8 // residual above which there is no solution

typedef struct rh_block_state rh_block_state;

/// A feed near the present time: value + slope * (time - begin).
typedef struct rh_feed_piece {
    double begin, value, slope;
} rh_feed_piece;

enum { RH_LADDER_LEAST = 32 }; // shorter ones are not worth it

/// Inputs of a system from slot x on whose rates are those from v on, and whose second derivatives
/// stand in the slots from a on.
typedef struct rh_ladder {
    uint32_t x, v, a, count;
} rh_ladder;

typedef struct rh_ladder_list {
    const rh_ladder *data;
    uint32_t count;
} rh_ladder_list;

/// All ladders of at least so many inputs among 1 ... n, whose rates are the first outputs; no
/// input is in two of them.
RH_NODISCARD rh_status rh__tape_ladders(const rh_tape *tape, uint32_t n, uint32_t least,
                                        rh_arena *arena, rh_ladder_list *out);

/// What a compiled series works on; its text knows it as `struct point`.
typedef struct rh_series_point {
    double *jet;
    const double *weight, *forced, *lent, *feed;
    const unsigned char *released;
    double *work;  // rh__emit_room numbers for each lane
    double margin; // out: the smallest one of all pivots
} rh_series_point;

/// Coefficients 0 ... order of x at all points, one for each lane, and those that others read
/// besides, from coefficient 0 of time and x. Gives the lanes it could not serve, as bits: there a
/// pivot is too small or a number not finite.
typedef unsigned rh_series_kernel(rh_series_point *points);

/// All that changes. One state, one thread; nothing is allocated after it was made, except by the
/// rescue of singular blocks and exchanged pivots.
typedef struct rh_tape_state {
    rh_arena arena;
    rh_arena rescue; // for blocks in trouble
    const rh_tape *tape;
    uint32_t order;    // highest it has room for
    uint32_t stride;   // from one coefficient to the next
    double *jet;       // (order + 1) * stride
    double *sums;      // convolution sums of the order under way
    double *near;      // of each operation NEAR: series of the ratio, powers of its argument
    double *constant;  // values
    double *weight;    // values by place in tape->weights
    double *forced;    // by switch; NaN: the surface decides
    bool *is_released; // by hold
    double *lent;      // by hold: the value of its unknown while it is released
    bool *is_unique;   // by unknown of all blocks
    bool is_exact;    // at a point: sums are right to the last digit of what is left of their terms
    bool is_wary;     // no block is taken for regular by its pivots alone
    bool is_settled;  // runs are at points on all constraints: ranks found there hold near them
    uint32_t *defect; // by block: n - rank at the last settled point; near it that is so as well
    bool is_defective; // some are not zero
    uint32_t ready;    // the coefficients are a series of this order; 0: they may be anything
    rh_block_state *blocks;
    double *work; // of the blocks
    rh_tape_quality quality;
    const rh_feed_piece *feeds; // borrowed; NULL: all feeds are 0
    rh_series_kernel *kernel;   // compiled from its tape, for one lane; NULL: there is none
    uint32_t kernel_order;
    double *kernel_work;
    rh_ladder_list ladders;  // whose coefficients above order 0 the kernel leaves out
    bool is_lean;            // it did
    rh_series_kernel *point; // compiled from its tape, for order 0; NULL: there is none
    double *point_work;      // rh__emit_point_room numbers
    rh_series_kernel *again; // solves its only block once more by the factors in point_work
    bool has_factors;        // those of the last run are there
} rh_tape_state;

/// Room for coefficients 0 ... order. All inputs are 0, all constants NaN until bound.
RH_NODISCARD rh_status rh__tape_state_create(const rh_tape *tape, uint32_t order,
                                             rh_allocator allocator, rh_tape_state **out);
void rh__tape_state_destroy(rh_tape_state *state); // NULL is allowed

/// Give all constants their values. RH_E_UNAVAILABLE when an assumption of the tape does not hold:
/// it must be made anew.
RH_NODISCARD rh_status rh__tape_bind(rh_tape_state *state, rh_value_of *value_of, const void *user);
/// The constants of another state of the same tape.
void rh__tape_bind_like(rh_tape_state *state, const rh_tape_state *other);
/// No constant has a value.
void rh__tape_lose_constants(rh_tape_state *state);

/// Take `value` for the truth (or sign) of a switch from now on; NaN: its surface decides again.
void rh__tape_force(rh_tape_state *state, uint32_t index, double value);
/// The truth (or sign) of a switch at the last run.
double rh__tape_truth(const rh_tape_state *state, uint32_t index);
/// Rows with this hold act from now on.
void rh__tape_hold(rh_tape_state *state, uint32_t hold);
/// Rows with this hold do not act from now on: their unknown has the given value.
void rh__tape_release(rh_tape_state *state, uint32_t hold, double value);
/// Switches and holds as in another state of the same tape, or of a tangent of it.
void rh__tape_follow(rh_tape_state *state, const rh_tape_state *other);

/// The ranks of blocks that another state of the same tape, or of what it is a tangent of, found at
/// its last settled point.
void rh__tape_follow_ranks(rh_tape_state *state, const rh_tape_state *other);
/// Nothing is known of ranks.
void rh__tape_forget_ranks(rh_tape_state *state);

/// Coefficient 0 of all slots: plain evaluation. Factors all blocks.
void rh__tape_run(rh_tape_state *state);
/// What rounding may have done to coefficient 0 of each slot, inputs being right to their last
/// digit (noise.c).
void rh__tape_noise(const rh_tape_state *state, double *noise);
/// Run the tape, and find what given errors of its inputs and rounding may have done to each slot:
/// in, the first of `bounds` are those of the inputs; out, all. Of unknowns it is an estimate.
void rh__tape_bounds(rh_tape_state *state, double *bounds);
/// The same of the row of a hold, with its unknowns as they are.
double rh__tape_bound_of_row(const rh_tape_state *state, const double *bounds, uint32_t hold);
/// How long `bounds` must be.
size_t rh__tape_bounds_room(const rh_tape *tape);
/// By how much the unknown in `slot` may change, together with others, while all equations of its
/// block still hold: one way of many, at the last run of order 0. 0: it is unique, or no unknown.
double rh__tape_looseness(const rh_tape_state *state, uint32_t slot);
/// Is the unknown in `slot` determined? So is what is no unknown.
bool rh__tape_is_unique(const rh_tape_state *state, uint32_t slot);
/// Does the equation that belongs to the unknown in `slot` follow from the others, at the last run
/// of order 0? Of equations that do so together as few are spare as must be.
bool rh__tape_is_spare(const rh_tape_state *state, uint32_t slot);
/// Coefficient k of all slots from those of the inputs; all lower ones must be there. Order 0 is
/// rh__tape_run.
void rh__jet_order(rh_tape_state *state, uint32_t k);

static inline double *rh__jet_row(const rh_tape_state *state, uint32_t k)
{
    RH_ASSERT(k <= state->order);
    return state->jet + (size_t)k * state->stride;
}

/// Coefficient k of output `index`.
static inline double rh__tape_output(const rh_tape_state *state, uint32_t index, uint32_t k)
{
    RH_ASSERT(index < state->tape->output_count);
    return rh__jet_row(state, k)[state->tape->outputs[index]];
}
