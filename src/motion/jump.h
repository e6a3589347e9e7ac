// SPDX-License-Identifier: Apache-2.0
// Private to `motion`: a condition in an energy or a constraint changes its truth, and velocities
// may jump (theory, onesided 15). Letters: y the variables of all carriers, p the momenta, C the
// rows of the constraints, B their pushes, g the surface, s its speed.

#pragma once

#include "motion/impulse.h"

enum { RH_JUMP_GATES = 8 }; // closed one-sided constraints that are tried in all combinations

/// What is different behind a surface.
typedef enum rh_disparity {
    RH_DISPARITY_NONE,
    RH_DISPARITY_LINEAR,  // impulses of the constraints alone
    RH_DISPARITY_GENERAL, // and one across the surface
    RH_DISPARITY_FAILED   // it is not determined what happens: the motion has failed
} rh_disparity;

/// A constraint that takes part.
typedef struct rh_jump_row {
    uint32_t link;
    uint32_t gate;  // index; UINT32_MAX: two-sided
    bool is_kinked; // what it asks of the velocities is another on both sides
} rh_jump_row;

/// One side of the surface, or one state: all outputs of the released tape.
typedef struct rh_jumping {
    rh_motion *motion;
    const rh_jumps *jumps;
    rh_arena *scratch;
    uint32_t n, q;          // carriers, coordinates
    const double *rate;     // of x, before
    uint32_t *place;        // by carrier that is a state: index in x
    double *y;              // before
    double *y_after;        //
    double *y_rate;         // of y, before
    int *side;              // by condition of the jumps: before
    int *side_after;        //
    bool *is_crossed;       // by condition: its surface is this one
    uint32_t index;         // of the condition that was crossed
    uint32_t other;         // one that is crossed at the same time, elsewhere; UINT32_MAX: none
    double shift;           // of time, onto the surface itself
    double *before, *after; // outputs for y
    double *slope;          // dg/dq, by carrier
    double drift, speed;    // dg/dt without velocities, and with those before
    bool is_of_time;        // no position moves the surface
    bool has_energy;        // momenta or the Hamiltonian jump
    rh_jump_row *rows;      // two-sided ones first
    uint32_t row_count, two_sided;
    double *impulse; // by row
    double work;     // of the impulses
} rh_jumping;

/// The outputs with the conditions on some sides and the variables y, on the surface.
void rh__jumping_look(const rh_jumping *in, const int *side, const double *y, double *out);
/// Row r of C and column r of B; the value of the last level.
void rh__jumping_row(const rh_jumping *in, uint32_t row, const double *outputs, double *out_row,
                     double *out_push);
double rh__jumping_level(const rh_jumping *in, uint32_t row, const double *outputs);
/// The inertia, n x n.
void rh__jumping_inertia(const rh_jumping *in, const double *outputs, double *out);
void rh__jumping_fail(const rh_jumping *in, rh_diagnostic_code code, const char *what);

/// What differs (disparity.c).
rh_disparity rh__disparity_find(rh_jumping *in);
/// The new velocities into y_after, their impulses (refraction.c). `out_kind`: impact, refract or
/// reflect; false: the motion has failed.
bool rh__refraction_find(rh_jumping *in, rh_disparity disparity, rh_occurrence_kind *out_kind);
