// SPDX-License-Identifier: Apache-2.0
// Linear complementarity problems.

#pragma once

#include "numeric/polynomial.h"

enum {
    RH_COMPLEMENT_ENUMERATED = 12, // the largest n whose active sets are all tried
    RH_COMPLEMENT_LIMIT = 16,      // how many solutions are listed when the caller does not say
};

typedef enum rh_complement_method {
    RH_COMPLEMENT_AUTO,      // what the size and the matrix allow
    RH_COMPLEMENT_ENUMERATE, // every active set; RH_E_LIMIT above RH_COMPLEMENT_ENUMERATED
    RH_COMPLEMENT_LEMKE,     // one path of pivots, to one solution or none
} rh_complement_method;

/// Find multipliers >= 0 whose slack = constant + matrix multiplier is >= 0, and of each pair
/// (multiplier[i], slack[i]) at least one is zero. Tolerances are absolute and not negative; where
/// rounding is larger, it takes their place. Elements below their uncertainty count as zero.
typedef struct rh_complement_problem {
    uint32_t n;
    const double *matrix;               // n x n, any; row after row, unlike elsewhere in this room
    const double *constant;             // n
    const double *slack_tolerance;      // n
    const double *multiplier_tolerance; // n
    const double *uncertainty; // of each element of the matrix, n x n; NULL: 1e-12 of its size
    uint32_t limit;            // of solutions in the list; 0: RH_COMPLEMENT_LIMIT
    rh_complement_method method;
} rh_complement_problem;

typedef enum rh_complement_side {
    RH_COMPLEMENT_UNDECIDED, // both are zero to their tolerances: the next derivatives decide
    RH_COMPLEMENT_POSITIVE,  // the multiplier is positive
    RH_COMPLEMENT_LEAVING,   // the slack is positive
} rh_complement_side;

/// All multipliers with the same slack are one solution: the shortest of them, in the units of the
/// caller. (They make the same motion when the matrix is that of ideal constraints.) Numbers may be
/// negative within their tolerances; `violation` tells.
typedef struct rh_complement_solution {
    double *multiplier; // n
    double *slack;      // n; constant + matrix multiplier
    rh_complement_side *side;
    double violation; // 0 to 1: what is missed of the conditions, in units of the tolerances
    bool is_unique;   // no other multipliers have this slack
} rh_complement_solution;

typedef enum rh_complement_answer {
    RH_COMPLEMENT_NONE,
    RH_COMPLEMENT_ONE,
    RH_COMPLEMENT_SEVERAL,
} rh_complement_answer;

typedef struct rh_complement_result {
    rh_complement_answer answer;
    bool is_certain;    // else it says what Lemke's method met with: there may be others
    bool is_complete;   // all solutions are in the list
    bool is_continuous; // some are ends or points of a whole line of them
    uint32_t count;
    rh_complement_solution *solutions;
} rh_complement_result;

/// Solutions that hold to rounding come first; only when there is none, those that hold to the
/// tolerances. Not solvable is an answer, no failure. RH_E_ARGUMENT when a number is not finite or
/// a tolerance negative, RH_E_LIMIT when n is above RH_DENSE_LIMIT; `out` is empty after a failure.
RH_NODISCARD rh_status rh__complement_solve(rh_arena *arena, const rh_complement_problem *problem,
                                            rh_complement_result *out);

/// Are all principal minors positive, and that beyond rounding? Then there is exactly one solution
/// for every constant. False when n is above RH_COMPLEMENT_ENUMERATED.
bool rh__complement_is_p_matrix(uint32_t n, const double *matrix);
