// SPDX-License-Identifier: Apache-2.0
// Private to `motion`: jumps of velocities by impulses of constraints (impulse.c).

#pragma once

#include "motion/motion.h"

/// All matrices by columns.
typedef struct rh_impulse_def {
    uint32_t n, rows;
    const double *inertia; // n x n
    const double *push;    // n x rows
    const double *row;     // rows x n
} rh_impulse_def;

typedef struct rh_impulse {
    rh_impulse_def def; // borrowed
    uint32_t size, rank;
    bool is_regular;
    double *scale;  // by equation; of the first n unknowns too
    double *reach;  // by row: of its impulse
    double *matrix; // scaled
    double *right;  // 2 * size
    rh_lu lu;
    rh_svd svd;
} rh_impulse;

/// Factor; RH_E_ARGUMENT when it is not finite.
RH_NODISCARD rh_status rh__impulse_create(rh_arena *arena, const rh_impulse_def *def,
                                          rh_impulse *out);
/// M d = force + B mu, C d = rate. False when there is no such d.
bool rh__impulse_solve(const rh_impulse *impulse, const double *force, const double *rate,
                       double *out_d, double *out_mu);
