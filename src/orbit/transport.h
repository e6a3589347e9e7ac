// SPDX-License-Identifier: Apache-2.0
// Variables of an orbit, how deviations are carried along it, and the manifold it lies on.

#pragma once

#include "rheonom/orbit.h"

#include "base/base.h"
#include "numeric/numeric.h"
#include "tape/tape.h"
#include "motion/motion.h"

/// The names of all variables of a motion, in order.
RH_NODISCARD rh_status rh__variable_names(const rh_motion *motion, rh_arena *arena,
                                          const char ***out);
/// The order in which they are shown, which is that of the columns: indices into x.
RH_NODISCARD rh_status rh__variable_order(const rh_motion *motion, const char *const *names,
                                          rh_arena *arena, uint32_t **out);
/// RH_E_ARGUMENT with the nearest name when there is none.
RH_NODISCARD rh_status rh__variable_find(const char *const *names, uint32_t count, rh_slice name,
                                         uint32_t *out, rh_error *err);

// --- transport -----------------------------------------------------------------------------------

/// Taylor coefficients of numbers and of their tangents, from a tape whose first outputs are the
/// rates of its inputs 1 ... n (fan.c).
typedef struct rh_fan {
    rh_tape *tape; // tangents of the one it is made of, `directions` in one run
    rh_tape_state *state;
    uint32_t n, outputs; // of the tape it is made of
    uint32_t directions, order;
    uint32_t integral_count; // outputs behind the rates that will be integrated
    const double *sizes;     // by variable: what errors of x and of tangents are relative to
} rh_fan;

typedef struct rh_fan_def {
    const rh_tape *tape;
    uint32_t n;
    uint32_t directions;
    uint32_t order;
    rh_seed *seed; // how constants move along each direction, besides; NULL: they stay
    void *user;
} rh_fan_def;

RH_NODISCARD rh_status rh__fan_create(const rh_fan_def *def, rh_allocator allocator, rh_fan *out,
                                      rh_error *err);
void rh__fan_destroy(rh_fan *fan);
/// Coefficients of x and of the tangents v (n x directions) at a time; hands back how long they are
/// good for to `tolerance`, relative to the sizes of variables, and to the largest part of each
/// column in them.
double rh__fan_expand(rh_fan *fan, double time, const double *x, const double *v, double tolerance);
/// x and tangents after a while; NULL: not wanted.
void rh__fan_reach(const rh_fan *fan, double length, double *x, double *v);
/// The integral of output `index` over a while, of its tangent in a direction (0: of itself, 1: of
/// the first).
double rh__fan_integral(const rh_fan *fan, uint32_t index, uint32_t direction, double length);

/// Coefficients of x and of the derivatives of all outputs along `seeds` (n x directions), which
/// stay as they are: of df/dx where each of them is a unit vector.
void rh__fan_slopes(rh_fan *fan, double time, const double *x, const double *seeds);
/// Coefficient k < order of such a derivative.
double rh__fan_slope(const rh_fan *fan, uint32_t output, uint32_t direction, uint32_t k);

/// The equations of variation as a matrix, v' = A(t) v, for many tangents of large systems
/// (strain.c).
typedef struct rh_strain {
    rh_arena arena;
    uint32_t n, count;     // count: of entries of A that may differ from 0
    uint32_t *begin;       // n + 1: the entries of each row
    uint32_t *column;      // by entry
    uint32_t *colour;      // by column: columns of one colour have no row in common
    uint32_t colour_count; // 0: it would not pay, and there is no strain
    double *seeds;         // n x directions of the fan
    double *bound;         // by order: the largest coefficient over the length of a piece
    uint32_t width;        // doubles of a vector: what the machine has, 2, 4 or 8
    double pace;           // how long pieces were; 0: there was none
    double *own;           // count x order: coefficients of A, entries innermost
    double *here;          // the same, shifted
    double *factor;        // the same, orders innermost
    uint32_t *length;      // by entry: how many of them matter
    double *lanes;         // coefficients of some tangents: by variable, by order, by tangent
} rh_strain;

/// Where tangents are carried.
typedef struct rh_stretch {
    const rh_series *series; // of x
    const double *sizes;     // by variable
    double time, end;
    double tolerance; // relative, of each tangent
    double *x;        // work, n
} rh_stretch;

typedef struct rh_strain_def {
    const rh_tape *tape; // whose first outputs are the rates of its inputs 1 ... n
    uint32_t n, order;   // order: of A
    uint32_t tangents;
} rh_strain_def;

/// Without colours where a fan does it as fast by itself. With them, the fan that tells A has no
/// more directions than colours.
RH_NODISCARD rh_status rh__strain_create(const rh_strain_def *def, rh_allocator allocator,
                                         rh_strain *out);
void rh__strain_destroy(rh_strain *strain);
/// Carry `tangents` columns of v over a stretch; false: they are not finite.
bool rh__strain_carry(rh_strain *strain, rh_fan *fan, const rh_stretch *over, uint32_t tangents,
                      double *v);

/// How parameters move with one of them, of which others may be made (slope.c).
typedef struct rh_drift {
    const rh_model *model;
    const rh_values *values; // of the motion
    uint32_t dial;           // which --set gives it, + 1
    bool is_unknown;         // a constant of the start moves as well, nobody knows how
} rh_drift;

rh_expr rh__drift_seed(void *drift, rh_store *store, rh_expr symbol);

/// Tangents that go along with a motion.
typedef struct rh_transport {
    rh_motion *motion; // kept by reference
    rh_arena arena;
    rh_fan fan;
    rh_strain strain;
    uint32_t n, count;    // count: of tangents
    double *v;            // n x count
    const double *sizes;  // by variable, kept by reference; NULL: those that the motion has
    double *own_sizes;    // n: these
    double time;          // up to which they are carried
    rh_tape_state *probe; // of the stepping tape, order 2: derivatives in one direction
    rh_tape_state *probe_reset;
    double *x, *before, *rate, *direction, *work; // n each; `before`: x just before a jump
    double *image;                                // n
    // what held when the last step began
    uint64_t jumps;
    uint32_t occurrence_count;
    bool *was_active; // by gate
    int *side;        // by condition: 2 while it slides
    uint64_t changes; // of its values, when constants were bound last
    bool is_rough;    // eight digits of them will do, at a third of the cost
    rh_drift *drift;  // tangents by a parameter: constants move too; NULL: they stay
    char reason[200]; // why tangents could not go on
} rh_transport;

RH_NODISCARD rh_status rh__transport_create(rh_motion *motion, uint32_t count, rh_drift *drift,
                                            rh_transport *out, rh_error *err);
void rh__transport_destroy(rh_transport *transport);
/// Take over the constants of the motion.
RH_NODISCARD rh_status rh__transport_bind(rh_transport *transport);
/// Start with `v` where the motion is now.
RH_NODISCARD rh_status rh__transport_begin(rh_transport *transport, const double *v);
/// Before each step.
void rh__transport_prepare(rh_transport *transport);
/// After it. False: tangents cannot follow, and the reason says why.
bool rh__transport_follow(rh_transport *transport);
/// What happened at the end of the last step: the tangents just after it. (saltation.c)
bool rh__transport_jump(rh_transport *transport);

// --- manifold ------------------------------------------------------------------------------------

/// Where a start may lie: the directions along the constraints that are kept, in units of `scale`.
typedef struct rh_manifold {
    const rh_motion *motion;
    rh_arena arena;
    rh_tape_state *rows[2]; // of the stages of the projector; NULL: none
    uint32_t n, count;      // count: of directions
    double *scale;          // by variable: its size (measure.c)
    double *basis;          // n x count: orthonormal in units of `scale`
    double *matrix;         // work
} rh_manifold;

RH_NODISCARD rh_status rh__manifold_create(const rh_motion *motion, rh_manifold *out);
void rh__manifold_destroy(rh_manifold *manifold);
/// The directions at x; those with `is_free` false stay (NULL: none does). `out` has n x n numbers.
RH_NODISCARD rh_status rh__manifold_directions(rh_manifold *manifold, const double *x,
                                               const bool *is_free, double *out,
                                               uint32_t *out_count);

/// The shortest way in which x follows the constraints when they miss it by `gap` (by row, stage
/// after stage): into `out`, n.
RH_NODISCARD rh_status rh__manifold_follow(rh_manifold *manifold, const double *x,
                                           const double *gap, double *out);

/// Move x onto the constraints that are kept, the shortest way in sizes of variables.
RH_NODISCARD rh_status rh__manifold_project(rh_manifold *manifold, double *x);
