// SPDX-License-Identifier: Apache-2.0
// Least squares with nonnegative unknowns, and the shortest vector of a polyhedron. Matrices are
// arrays column after column, as everywhere in this room.

#pragma once

#include "base/base.h"

/// Minimise |matrix x - right| over x >= 0.
typedef struct rh_nonnegative {
    uint32_t rows, columns;
    const double *matrix;
    const double *right; // rows
    double *x;           // columns; the columns of the matrix that x uses are independent
    double *residual;    // rows; right - matrix x
} rh_nonnegative;

/// Scratch is rewound. RH_E_MEMORY or RH_E_LIMIT when the arena refused.
RH_NODISCARD rh_status rh__nonnegative_solve(rh_arena *arena, const rh_nonnegative *problem);

/// Find the shortest u with matrix u >= right.
typedef struct rh_shortest {
    uint32_t rows, columns;
    const double *matrix; // its rows have lengths of about 1
    const double *right;  // rows
    double *u;            // columns; zero when there is none
    bool has_solution;
} rh_shortest;

RH_NODISCARD rh_status rh__shortest_solve(rh_arena *arena, rh_shortest *problem);
