// SPDX-License-Identifier: Apache-2.0
// Zeros of f on the manifold of the constraints, and marks on arcs between them.

#pragma once

#include "steady/reduction.h"

// --- steady motions ------------------------------------------------------------------------------

/// What is given: places that keep their value, and outputs that shall have one.
typedef struct rh_rest_query {
    const bool *is_fixed;     // by place
    const uint32_t *observed; // outputs of the tape that shall have a value
    const double *wanted;     // these values
    uint32_t observed_count;
    uint32_t round_limit; // 0: as many as it takes
    // with a further equation: normal . (places, last) = level
    const double *normal;
    double level;
    uint32_t extra;                // a moving slot that is solved for besides; UINT32_MAX: none
    bool (*is_wanted)(void *user); // asked in every round; NULL: it is
    void *user;
    const double *base; // by output: what may be left of it, from an answer nearby; NULL: nothing
} rh_rest_query;

typedef struct rh_rest_answer {
    bool is_found;
    bool is_sharp;   // nothing is left of any equation but rounding
    bool is_blurred; // rounding decides there: it is none
    double residual; // largest, relative to the size of its terms
    uint32_t rounds;
    uint32_t loose; // directions in which the answer may still be moved
    uint64_t work;  // operations, about
} rh_rest_answer;

/// Solve f = 0 on the constraints from bench->values, in place. Leaves outputs and slopes there.
/// Never fails otherwise than by `is_found`, or by memory.
RH_NODISCARD rh_status rh__rest_solve(rh_workbench *bench, const rh_rest_query *query,
                                      rh_rest_answer *out);

/// A change of what is given: of a slot, or of the value that an output shall have.
typedef struct rh_rest_change {
    uint32_t slot;   // UINT32_MAX: none
    uint32_t wanted; // which of the outputs, when there is no slot
    double amount;
} rh_rest_change;

/// Move the places on the bench, a steady motion, by what changes of what is given do to first
/// order, along the branch. What is given stays as it is. False: nothing could be told.
RH_NODISCARD rh_status rh__rest_predict(rh_workbench *bench, const rh_rest_query *query,
                                        const rh_rest_change *changes, uint32_t count, bool *out);

/// One whole step of Newton from the bench, in place, with what it was by place; if wanted, with
/// what rounding alone may make of such a step there. False: there is none.
RH_NODISCARD rh_status rh__rest_newton(rh_workbench *bench, const rh_rest_query *query,
                                       double *out_step, double *out_noise, bool *out);

/// Is the answer on the bench one (outputs and slopes are there)? Whole steps of Newton must lead
/// to where nothing is left but rounding: `is_sharp`; or hardly anything is left, and the step is
/// none: `is_found`. In place, and as it was where neither holds.
RH_NODISCARD rh_status rh__rest_confirm(rh_workbench *bench, const rh_rest_query *query,
                                        rh_rest_answer *out);

/// The same where no more than bounds of rounding is left is an answer too, and where hardly
/// anything is left beside the terms of each row.
RH_NODISCARD rh_status rh__rest_check(rh_workbench *bench, const rh_rest_query *query,
                                      rh_rest_answer *out);

/// Follow the motion from bench->values for some time, coarsely, towards where it may come to rest;
/// what is fixed stays. False: it runs off, or cannot be followed (stream.c).
RH_NODISCARD rh_status rh__stream_follow(rh_workbench *bench, const rh_rest_query *query,
                                         uint64_t *work, bool *out);

// --- arcs ----------------------------------------------------------------------------------------

/// What is looked for on an arc: where a quantity turns round, where a real root vanishes, or the
/// real part of a pair.
typedef enum rh_arc_mark { RH_ARC_FOLD, RH_ARC_ROOT, RH_ARC_PAIR } rh_arc_mark;

/// A short piece of a branch between two motions on it.
typedef struct rh_arc {
    const rh_rest_query *query; // what is given; without a further equation
    uint32_t extra;             // a dial that changes along it, as a moving slot; UINT32_MAX: none
    uint32_t slot, output;      // the quantity: a slot, or if that is UINT32_MAX an output
    uint32_t dimension;         // of the kernel along it
    rh_arc_mark mark;
    const double *scale;     // by moving slot
    const double *ends[2];   // by slot: both motions
    const double *slopes[2]; // by moving slot: the direction of the branch at both
} rh_arc;

typedef struct rh_arc_answer {
    bool is_found;
    double value, bar; // of the quantity at the mark
    double *values;    // by slot: the motion there
} rh_arc_answer;

/// The mark on an arc, to rounding, also where branches cross and the equations are singular.
/// `out->values` is the caller's. The bench is anywhere afterwards.
RH_NODISCARD rh_status rh__arc_pinpoint(rh_workbench *bench, const rh_arc *arc, rh_arc_answer *out);
