// SPDX-License-Identifier: Apache-2.0
// Back onto the constraints: the shortest way from x to the levels that are kept (project.c,
// inertia.c).

#pragma once

#include "rheonom/motion.h"

#include "base/base.h"
#include "tape/tape.h"

/// One kept level of a constraint, and how it is moved back to zero
/// (project.c).
typedef struct rh_kept_level {
    uint32_t link, level;
    bool is_one_sided;
} rh_kept_level;

/// One stage of the projection: residuals g, and the shortest way back to g = 0.
/// Neighbours: `size` numbers from one place on belong to as many from another place on.
typedef struct rh_run {
    uint32_t from, to, size;
} rh_run;

/// Where numbers of a list stand, one by one and as runs.
typedef struct rh_runs {
    const uint32_t *place;
    uint32_t total;
    rh_run *data;
    uint32_t count; // 0: they are too short to be worth it
} rh_runs;

typedef struct rh_project_stage {
    rh_tape *miss; // outputs: g, |dg/dx|^2, each by row; NULL: no rows
    rh_tape_state *miss_state;
    rh_runs misses;        // from slots of `miss` to its outputs
    rh_kept_level *levels; // by row
    double *gap;           // by row: g where it is kept, else 0
    double *steepness;     // by row: |dg/dx|^2; behind `gap`
    double *size;          // by row: of the terms of g, for relative gaps; behind `steepness`
    double *bounds;        // of the slots of `miss`
    uint32_t looks;        // steps since the sizes were found
    uint32_t rows;
    uint32_t x_count, x_read; // of x, and as far as `miss` reads it
    rh_tape *shift;           // outputs: the change of each column
    rh_tape_state *shift_state;
    rh_runs shifts;    // from slots of `shift` to columns
    uint32_t *x_index; // by column: index into x
    rh_runs places;    // from columns into x
    double *change;    // by column
    uint32_t columns;
    uint32_t metric;  // input of `shift`: 1, or 0 for weights in place of the metric; these follow
    bool has_weights; // some columns always have them
    const double *unit; // by x: its size, for these
    uint32_t *hold;     // by row: in `shift`; UINT32_MAX: it is always kept
    bool can_release;   // some rows are not always kept
    uint64_t likeness;  // of the matrix of `shift`: the same for the same one
} rh_project_stage;

/// What a stage has to mend (project.c), from which its `shift` is made (inertia.c).
typedef struct rh_project_gap {
    const rh_expr *g;        // by row
    const rh_entry *entries; // of dg/dx
    uint32_t entry_count;
    bool is_second; // velocities and states; else positions and states
} rh_project_gap;

rh_status rh__inertia_create(const rh_system *system, const rh_project_gap *gap, rh_arena *arena,
                             rh_project_stage *stage, rh_error *err);

typedef struct rh_projector {
    rh_project_stage stages[2]; // positions, velocities
    bool is_shared; // both have one matrix, and the factors of the first may serve twice
} rh_projector;

/// Is it moved back to, where it is kept? Not where a law or friction lets it be missed.
bool rh__projector_keeps(const rh_link *link);
rh_status rh__projector_create(rh_system *system, rh_arena *arena, rh_projector *out,
                               rh_error *err);
void rh__projector_destroy(rh_projector *projector);
/// Constants from another state of the same system; see rh__tape_bind.
rh_status rh__projector_bind(rh_projector *projector, rh_value_of *value_of, const void *user);

/// A motion begins at x; `unit`: by x, borrowed.
void rh__projector_begin(rh_projector *projector, double time, const double *x, const double *unit);
/// Find the sizes of the rows at x, where that or its units jumped.
void rh__projector_measure(rh_projector *projector, double time, const double *x);
/// Move x onto the constraints that are kept now. `out_residual`: the largest relative one
/// that is left; `residuals`: by constraint, the largest absolute deviation is
/// kept.
rh_status rh__projector_apply(rh_projector *projector, double time, double *x, const bool *is_kept,
                              double *out_residual, double *residuals);
/// The largest relative deviation of a constraint that is kept now at x as it is.
double rh__projector_residual(rh_projector *projector, double time, const double *x,
                              const bool *is_kept);
/// The same with the rates of constraints on positions.
double rh__projector_miss(rh_projector *projector, double time, const double *x,
                          const bool *is_kept);
/// |dg/dx|^2 of a level; false: it has no row.
bool rh__projector_steepness(rh_projector *projector, double time, const double *x, uint32_t link,
                             uint32_t level, double *out);
