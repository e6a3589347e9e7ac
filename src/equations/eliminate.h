// SPDX-License-Identifier: Apache-2.0
// Private to `equations`: linear forms with expressions as coefficients, and their elimination.

#pragma once

#include "equations/form.h"

typedef struct rh_term {
    uint32_t column;
    rh_expr value;
} rh_term;

/// sum of value * column, plus rest.
typedef struct rh_linear {
    RH_ARRAY(rh_term) terms;
    rh_expr rest;
} rh_linear;

/// Which pivots may be taken.
typedef enum rh_pivoting {
    RH_PIVOT_SAFE, // numbers, and expressions proved never to be zero
    RH_PIVOT_ANY   // whatever is not zero at the start; the form says where it is valid
} rh_pivoting;

/// Gauss-Jordan elimination, one row at a time. Columns below `unknown_count` can be solved for;
/// the others are data (new velocities, slacks of rows).
typedef struct rh_elimination {
    rh_forming *forming;
    rh_pivoting pivoting;
    const rh_point *sample; // where pivots are compared: the start, and anywhere; NULL: all equal
    const double *sizes;    // of unknowns, by which their pivots are compared; NULL: all equal
    uint32_t unknown_count;
    uint32_t column_count;
    rh_linear *solved; // by unknown, in unsolved unknowns and data
    bool *is_solved;
    rh_expr *work; // by column; none: zero
    uint32_t *touched;
    uint32_t touched_count;
    bool *is_touched;
    uint64_t size; // terms made so far
    rh_expr_list pivots;
} rh_elimination;

enum { RH_ELIMINATION_LIMIT = 100000 }; // terms

typedef enum rh_eliminated {
    RH_ELIMINATED,          // solved for an unknown
    RH_ELIMINATED_NOTHING,  // no pivot that may be taken
    RH_ELIMINATED_DEPENDENT // nothing of the unknowns is left
} rh_eliminated;

rh_status rh__elimination_begin(rh_elimination *elimination, uint32_t unknowns, uint32_t columns);
/// Use the row `row = 0`. RH_E_LIMIT when it becomes too large.
rh_status rh__elimination_use(rh_elimination *elimination, const rh_linear *row,
                              rh_eliminated *out);
/// The row with all solved unknowns replaced. False when an arena refused.
bool rh__elimination_reduce(rh_elimination *elimination, const rh_linear *row, rh_linear *out);
