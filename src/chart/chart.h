// SPDX-License-Identifier: Apache-2.0
// Door of the room `chart`: steady motions over a grid -> verdicts, and the curves between them.
//
// A seed (chart.c) is a steady motion in the middle of the grid. It is followed from point to point
// (spot.c) along its row, then along all columns, then round what could not be passed (fill.c).
// The dimension of the steady set is certified region by region (regions.c).
// Work is shared by threads so that every result depends on its own place alone. Where
// neighbours have different verdicts the edge between them is cut at a root of what decides
// (verge.c), and the cuts are joined to curves (contour.c). docs/theory/charts.md has the reasons.

#pragma once

#include "rheonom/chart.h"

#include "steady/steady.h"

#include <stdatomic.h>

/// Instead of a dimension.
typedef enum rh_spot_doubt {
    RH_SPOT_NO_DIMENSION = 253, // that no matrix has: everything is certified region by region
    RH_SPOT_UNCERTAIN,          // the steady set there is not smooth, or its dimension not certain
    RH_SPOT_UNASKED
} rh_spot_doubt;

/// What is known of a point of the grid.
typedef struct rh_spot_mark {
    uint8_t kind;      // rh_steady_verdict, RH_CHART_NONE, RH_CHART_MISSING
    uint8_t traced;    // the same for curves: a lone point on a curve belongs to one of its sides
    uint8_t nullity;   // of the matrix there, as its pivots show it
    uint8_t dimension; // k that was certified for it; or one of rh_spot_doubt
    uint8_t tried;     // neighbours from which it was not reached: a bit each
    uint8_t hopes;     // neighbours from which it is tried in the round at hand
    uint8_t came;      // the neighbour from which it was reached; 4: none
    bool is_new;       // found in the round at hand
    bool is_singular;  // branches may meet there: none is followed from it
    bool is_disputed;  // a neighbour leads to another motion, and it to another one there
} rh_spot_mark;

/// A quantity of an axis: a slot of the reduction, or the value that an output shall have.
typedef struct rh_spot_dial {
    uint32_t slot;   // UINT32_MAX: none
    uint32_t wanted; // index into rh_wish.wanted, when there is no slot
} rh_spot_dial;

#define RH_VERGE_KNOT (UINT32_C(1) << 31)

/// An edge of the grid between points of different kinds.
typedef struct rh_verge {
    uint32_t from;    // point; the other one is `step` further
    bool is_upright;  // along y
    uint8_t kinds[2]; // at both ends
    double at;        // 0 ... 1: where it is cut
    double bar;       // how far that may be off, in the same unit
    uint32_t next[2]; // cuts joined to it: verge + 1, or RH_VERGE_KNOT; 0: none
} rh_verge;

typedef struct rh_chart_line {
    size_t first, count;
    uint32_t kinds[2];
    bool is_closed;
} rh_chart_line;

typedef struct rh_spot rh_spot;

struct rh_chart {
    rh_arena arena;
    rh_equations *equations;
    rh_chart_def def;  // texts of the caller, valid during the making only
    char *names[2];    // of the axes
    rh_steady *steady; // at the seed: reduction, wish, all motions there
    rh_spot_dial dials[2];
    uint32_t counts[2]; // of points along x, y
    uint32_t seed[2];
    uint32_t dimension;  // k at the seed; at the end that of the largest region
    uint32_t width;      // numbers kept for each point: the places of the reduction
    rh_spot_mark *marks; // by point
    double *abscissas;   // by point
    double *places;      // by point: width numbers
    uint32_t *shown;     // places
    uint32_t shown_count;
    uint32_t regions;
    double longest; // step along a branch, of the way between points
    RH_ARRAY(rh_verge) verges;
    uint32_t *flat, *upright; // by point: the cut of the edge from it + 1, or 0; NULL: not joined
    RH_ARRAY(double) points;  // of all curves
    RH_ARRAY(double) bars;    // of points
    RH_ARRAY(rh_chart_line) lines;
    rh_spot **spots; // one for each thread
    uint32_t thread_count;
    atomic_ullong done; // points
    atomic_bool is_stopped;
    bool is_complete;
};

static inline uint32_t rh__chart_index(const rh_chart *chart, uint32_t i, uint32_t j)
{
    return j * chart->counts[0] + i;
}

/// k for rh__judge() near these points: known where it was certified for all of them.
static inline uint32_t rh__chart_known(const rh_spot_mark *first, const rh_spot_mark *second)
{
    return first->dimension == second->dimension && first->dimension < RH_SPOT_NO_DIMENSION
               ? first->dimension
               : UINT32_MAX;
}

static inline bool rh__spot_is_known(const rh_spot_mark *mark)
{
    return mark->kind != RH_CHART_NONE && mark->kind != RH_CHART_MISSING && !mark->is_new;
}

/// The neighbour of a point in a direction, 0 to 3; UINT32_MAX beyond the border.
uint32_t rh__chart_neighbour(const rh_chart *chart, uint32_t point, uint32_t direction);
/// Both coordinates of a point.
void rh__chart_point(const rh_chart *chart, uint32_t point, double out[2]);
/// The value of an axis (0: x, 1: y) at a line of the grid.
double rh__chart_coordinate(const rh_chart *chart, int axis, uint32_t index);
/// Has the caller enough of it?
bool rh__chart_is_over(rh_chart *chart);

// --- spots: what one thread looks at -------------------------------------------------------------

struct rh_spot {
    rh_chart *chart;
    rh_workbench *bench;
    rh_arena arena;
    rh_judgement judgement;
    rh_rest_query query;
    double *wanted;    // its own, for query
    double *kept;      // places
    double *slopes[2]; // by place, at both ends of a step: over the whole way
    double *move;      // by place: the last step of Newton
    double *noise;     // by place: steps that rounding alone makes
    double *span;      // by place: what a step is about to change
    double *ends;      // places of both ends of an edge
    double *work;      // of rh__spot_decide()
    double *slots;     // by slot, for a walk
    double came[2][2]; // from where to where it was moved last
    double *origin;    // places there, at first
    bool is_smoothing; // it walks around a place where branches meet
    bool is_singular;  // as in rh_spot_mark, where it was judged last
    uint32_t *pivot;
    rh_status status;
};

RH_NODISCARD rh_status rh__spot_create(rh_chart *chart, rh_spot **out);
void rh__spot_destroy(rh_spot *spot); // NULL is allowed
/// Begin at the places of a motion.
void rh__spot_load(rh_spot *spot, const double *places);
void rh__spot_save(const rh_spot *spot, double *places);
/// Give both quantities the values of a point of the plane.
void rh__spot_turn(rh_spot *spot, const double at[2]);
/// The motion that was loaded, at its point: outputs and slopes.
bool rh__spot_stand(rh_spot *spot, const double at[2]);

// --- strides (stride.c) --------------------------------------------------------------------------

/// Follow the branch from a point, whose motion was loaded, to another one, in as many steps as it
/// takes. False: it does not lead there; the spot is where it ended.
bool rh__spot_reach(rh_spot *spot, const double from[2], const double to[2]);
/// How the places change over a way from where the spot stands, to first order.
bool rh__spot_slope(rh_spot *spot, const double way[2], double *out);
/// Solve at a point next to a motion that `last` and the places that were loaded lead to in a
/// straight line. False: there is none so near.
bool rh__spot_leap(rh_spot *spot, const double *last, const double at[2]);

// --- judging (spot.c) ----------------------------------------------------------------------------

/// The motion where the spot came to, where the equations are singular and it is known badly: from
/// places around it on its way, through which it is smooth. False: it is not, and stays as it is.
bool rh__spot_smooth(rh_spot *spot);
/// The dimension of a judgement that is certain, for a mark.
static inline uint8_t rh__spot_dimension(const rh_judgement *it)
{
    return it->dimension < RH_SPOT_NO_DIMENSION ? (uint8_t)it->dimension : RH_SPOT_UNCERTAIN;
}

/// Is a real root so small that branches may meet there? Then the motion itself is known badly.
bool rh__judgement_is_singular(const rh_judgement *it);

/// The verdict where the spot is; `dimension` as in rh__judge().
uint32_t rh__spot_judge(rh_spot *spot, uint32_t dimension);

/// The same where the spot came to last, which may be a place where branches meet.
uint32_t rh__spot_judge_there(rh_spot *spot, uint32_t dimension);

/// What decides: functions of the remaining roots that are smooth where a verdict changes.
typedef struct rh_spot_signs {
    double product;  // of the negated remaining roots: zero where a real one passes zero
    double abscissa; // the rightmost real part: zero where the rightmost roots pass the axis
    double size;     // of the largest root
    uint32_t right;  // remaining roots with positive real part
} rh_spot_signs;

/// The signs where the spot is, for k = dimension zero roots.
bool rh__spot_decide(rh_spot *spot, uint32_t dimension, rh_spot_signs *out);

// --- threads -------------------------------------------------------------------------------------

/// Do a thing for all items 0 ... count - 1, in any order, by all threads. What is done for one
/// item may not depend on others. Ends early when the chart is stopped.
typedef void rh_chart_task(rh_spot *spot, void *user, size_t item);
RH_NODISCARD rh_status rh__chart_for_each(rh_chart *chart, size_t count, rh_chart_task *task,
                                          void *user);

// --- passes --------------------------------------------------------------------------------------

/// Follow the seed over the grid.
RH_NODISCARD rh_status rh__chart_fill(rh_chart *chart);
/// Do neighbours agree that were not reached from each other? Those that do not are disputed
/// (dispute.c).
RH_NODISCARD rh_status rh__chart_verify(rh_chart *chart, bool *out_agree);
/// Certify the dimension of each connected region of points with the same nullity (regions.c).
RH_NODISCARD rh_status rh__chart_certify(rh_chart *chart);
/// Cut the edges between points of different kinds.
RH_NODISCARD rh_status rh__chart_cut(rh_chart *chart);
/// Join the cuts to curves.
RH_NODISCARD rh_status rh__chart_join(rh_chart *chart);
