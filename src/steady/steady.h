// SPDX-License-Identifier: Apache-2.0
// Door of the room `steady`: equations -> steady motions, their stability, and linear systems.
//
// Sizes of variables come from the terms of the equations (magnitudes.c), units of angles from the
// arguments of sines (turns.c). A frame (frame.c) is a choice of quasi-velocities omega; an engine
// (engine.c) is the tape of x' = f(x) in it, x = (q, omega, states); the split (split.c,
// conditions.c) parts the coordinates into positional and cyclic ones. A reduction (reduction.c,
// choice.c, bodies.c, lengths.c) is all of that for one model: constant after it was made, shared
// by threads. What a thread needs for itself is a workbench (workbench.c, slopes.c). Steady motions
// are zeros of f on the manifold of the constraints (rest.c), judged by the roots of its linear
// part (judge.c), where it has one (switching.c, cells.c, obstacle.c), followed in one quantity
// (family.c); wish.c finds the names of a call, steady.c searches from many starts.
//
// For many points of one model: make one reduction with rh__wish_reduce(), what shall vary being
// fixed or dials; then, in each thread, a workbench and a judgement; for each point write fixed
// values, dials and a guess into bench->values and call rh__steady_again() with the k that was
// certified once.
//
// Matrices are column after column. docs/theory/steady.md has the mathematics.

#pragma once

#include "steady/judge.h"

/// Names of a call, found in a reduction.
typedef struct rh_wish {
    bool *is_fixed;     // by place
    uint32_t *observed; // outputs
    double *wanted;
    const char **names; // of these
    uint32_t observed_count;
    double *values; // by slot: where the search begins, with all that is fixed
} rh_wish;

/// A steady motion that was found.
typedef struct rh_steady_found {
    double *values;        // by slot
    double *variables;     // by variable
    double *speeds;        // by cyclic coordinate
    rh_steady_root *roots; // all, the zero ones first
    const char **rows;
    rh_judgement judgement;
    uint32_t loose;
    double residual, power, distance;
    bool is_rest;
} rh_steady_found;

struct rh_steady {
    rh_arena arena;
    rh_equations *equations;
    rh_reduction *reduction;
    rh_workbench *bench;
    rh_wish wish;
    RH_ARRAY(rh_steady_found) found;
    uint32_t *cyclic; // coordinates
    uint32_t cyclic_count;
    const char **formulas;               // of the quasi-velocities
    bool is_ended;                       // somebody did not want to wait
    bool has_more;                       // motions were found that did not fit into the list
    uint32_t refused;                    // motions that one-sided constraints do not allow
    uint64_t work;                       // operations of all searches
    const char *unseen;                  // a surface on which motions are not found; "" without
    char singular[248];                  // a state that was left out; "" without
    double singular_distance;            // of it from the guess
    char reason[248], first_reason[248]; // the latter in the frame that was tried first
};

/// Resolve the names of a call; a name that means nothing is RH_E_ARGUMENT, with the nearest one.
RH_NODISCARD rh_status rh__wish_read(const rh_reduction *reduction, const rh_reduction_def *def,
                                     const rh_steady_def *call, rh_arena *arena, rh_wish *out,
                                     rh_error *err);
/// Make the reduction that a call needs: parameters that it fixes become dials, observed quantities
/// outputs.
RH_NODISCARD rh_status rh__wish_reduce(rh_equations *equations, const rh_steady_def *call,
                                       const rh_reduction_def *more, rh_arena *arena,
                                       rh_reduction **out, rh_wish *out_wish, rh_error *err);
/// The query of a wish.
rh_rest_query rh__wish_query(const rh_wish *wish);
/// A walk of a thread of its own: `steady` is a copy with a bench, a wish and one motion of its
/// own; the dimension of the kernel is known, and not certified. `from` and the motion go together.
RH_NODISCARD rh_status rh__walk_known(rh_steady *steady, const rh_walk_def *def, uint32_t dimension,
                                      rh_walk **out);
/// Fill a record with the steady motion on the bench and judge it. `dimension` as in rh__judge().
RH_NODISCARD rh_status rh__steady_fill(rh_steady *steady, rh_workbench *bench, uint32_t dimension,
                                       rh_arena *arena, rh_steady_found *out);
rh_steady_motion rh__steady_show(const rh_steady *steady, const rh_steady_found *found);

/// What is zero where rates have no slopes, of surfaces near a state (by slot); "": nothing
/// (unseen.c). The bench is anywhere afterwards.
RH_NODISCARD rh_status rh__unseen_find(rh_workbench *bench, const double *from, const char **out);

/// Has everything that a call names a name?
bool rh__steady_names_are_there(const rh_steady_def *def);
