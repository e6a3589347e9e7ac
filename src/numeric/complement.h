// SPDX-License-Identifier: Apache-2.0
// What the files of the complementarity solver share. Everything happens in a frame: the problem
// in balanced units (powers of two for each row, each column and the whole), in which the largest
// elements of rows and columns and the largest constant are about 1.

#pragma once

#include "numeric/numeric.h"

/// A difference whose size is below this part of what was subtracted has no digits left: zero.
#define RH_COMPLEMENT_LOST 1e-12

typedef struct rh_complement_frame {
    uint32_t n;
    double *matrix;    // row after row
    double *magnitude; // of each element: no smaller than it, 1e-12 of it is not known
    double largest_magnitude;
    double *constant;
    double *slack_tolerance;
    double *multiplier_tolerance;
    int32_t *row_exponent;    // slack here = 2^(row_exponent - shift) slack of the caller
    int32_t *column_exponent; // multiplier of the caller = 2^(column_exponent + shift) that here
    int32_t shift;
} rh_complement_frame;

/// What the matrix promises, the strongest that holds.
typedef enum rh_complement_kind {
    RH_COMPLEMENT_GENERAL,
    RH_COMPLEMENT_MONOTONE, // x^T matrix x >= 0: a ray of Lemke's method means: no solution
    RH_COMPLEMENT_GAUSSIAN, // and symmetric: all solutions have the same slack
    RH_COMPLEMENT_UNIQUE,   // positive definite, or a P-matrix: one solution for every constant
} rh_complement_kind;

/// Multipliers and slack in the units of a frame.
typedef struct rh_complement_point {
    uint32_t active_count;
    uint32_t *active; // ascending: slack is zero there by construction, multiplier elsewhere
    double *multiplier;
    double *slack;
    double *multiplier_error; // of rounding
    double *slack_error;
    double violation; // of the conditions, in the units given to `judge`
    bool is_unique;   // the multipliers, as far as is known
    bool has_twin;    // a point with other multipliers has the same slack
} rh_complement_point;

// --- definite.c

RH_NODISCARD rh_status rh__complement_kind(rh_arena *arena, const rh_complement_frame *frame,
                                           rh_complement_kind *out);

// --- active.c: one active set

typedef struct rh_complement_work {
    double *block;       // n x (n + 1); of the matrix, later its inverse
    double *magnitude;   // n x n
    uint32_t *column_of; // the column exchanged with each row of the block, or its size
    uint32_t *row_of;    // the row exchanged with each column, or its size
    double *size;        // n
} rh_complement_work;

RH_NODISCARD rh_status rh__complement_work_create(rh_arena *arena, uint32_t n,
                                                  rh_complement_work *out);

typedef enum rh_complement_found {
    RH_COMPLEMENT_REGULAR,      // the active set has one point, whatever its signs
    RH_COMPLEMENT_SINGULAR,     // it may have many
    RH_COMPLEMENT_INCONSISTENT, // it has none
    RH_COMPLEMENT_NEGATIVE,     // it has one, which is clearly no solution
} rh_complement_found;

/// Fill the point that has zero slack on its active set and zero multipliers elsewhere.
rh_complement_found rh__complement_active_solve(const rh_complement_frame *frame,
                                                rh_complement_work *work,
                                                rh_complement_point *point, uint32_t *out_rank);

/// How far are the conditions missed: signs, and slack = constant + matrix multiplier? In units of
/// rounding when strict, else of rounding or the tolerances, what is larger. Sets `violation`.
void rh__complement_point_judge(const rh_complement_frame *frame, bool is_strict,
                                rh_complement_point *point);

/// Rounding or the tolerance, what is larger.
double rh__complement_slack_unit(const rh_complement_frame *frame, const rh_complement_point *point,
                                 uint32_t index);
double rh__complement_multiplier_unit(const rh_complement_frame *frame,
                                      const rh_complement_point *point, uint32_t index);

// --- piece.c: the points of a singular active set

/// Fill two points: the one that comes nearest to the conditions, and another with another slack
/// where both obey; their violations are set. The active set is that of the first, `rank` that of
/// its block.
RH_NODISCARD rh_status rh__complement_piece_solve(rh_arena *arena, const rh_complement_frame *frame,
                                                  uint32_t rank, bool is_strict,
                                                  rh_complement_point *points, uint32_t *out_count);

// --- face.c: all multipliers with one slack

/// Replace the multipliers of a point by the shortest with the same slack, in units of the caller,
/// and say whether they are the only ones.
RH_NODISCARD rh_status rh__complement_face_shorten(rh_arena *arena,
                                                   const rh_complement_frame *frame,
                                                   rh_complement_point *point);

// --- lemke.c

typedef enum rh_lemke_end {
    RH_LEMKE_SOLVED, // the active set of the point is a solution, rounding apart
    RH_LEMKE_RAY,
    RH_LEMKE_TIRED, // too many pivots
} rh_lemke_end;

/// Only the active set of the point is filled. `constant` may differ from that of the frame.
RH_NODISCARD rh_status rh__lemke_run(rh_arena *arena, const rh_complement_frame *frame,
                                     const double *constant, rh_complement_point *point,
                                     rh_lemke_end *out);
