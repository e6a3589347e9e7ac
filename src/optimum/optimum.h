// SPDX-License-Identifier: Apache-2.0
// Door of the room `optimum`: steady motions -> the parameters that make them most stable.
//
// A trial (trial.c) is the motion at some parameters, followed there from another trial. The search
// (descend.c) divides the box (NLopt's DIRECT), and then closes in on the best place by nested
// golden sections, which do not care whether anything is smooth. docs/theory/charts.md has the
// reasons.

#pragma once

#include "rheonom/optimum.h"

#include "steady/steady.h"

enum { RH_OPTIMUM_MOST = 16 }; // quantities that may change

/// A quantity that may change: a slot of the reduction, or the value that an output shall have.
typedef struct rh_trial_dial {
    uint32_t slot;   // UINT32_MAX: none
    uint32_t wanted; // index into rh_wish.wanted, when there is no slot
} rh_trial_dial;

/// A place in the box where the motion is known.
typedef struct rh_trial_place {
    double at[RH_OPTIMUM_MOST];
    double *places; // of the reduction
    double value;   // the abscissa
} rh_trial_place;

/// How far off the optimum may be.
typedef struct rh_trial_bars {
    double at[RH_OPTIMUM_MOST];
    double value;
} rh_trial_bars;

struct rh_optimum {
    rh_arena arena;
    rh_equations *equations;
    rh_optimum_def def;     // texts of the caller, valid during the making only
    rh_optimum_range *over; // names are copied
    uint32_t count;
    rh_steady *steady; // at the seed; at the end at the optimum
    rh_workbench *bench;
    rh_judgement judgement;
    rh_trial_dial dials[RH_OPTIMUM_MOST];
    rh_rest_query query;
    double *wanted;
    double *kept;       // places
    uint32_t dimension; // k almost everywhere in the ranges; UINT32_MAX: not certain
    uint32_t nullity;   // the least that a matrix was seen to have; UINT32_MAX: none was seen
    double seed[RH_OPTIMUM_MOST];
    RH_ARRAY(rh_trial_place) known;
    rh_trial_place best, last;
    uint64_t looks, most; // so far, and about how many there will be
    uint32_t met;         // roots that were made to coincide there
    bool has_bars;        // they and ends of ranges determine all parameters
    rh_trial_bars bars;
    double gain; // what was still gained in the last part of the search
    bool is_stopped;
    rh_status status;
};

/// The abscissa of the motion there, followed from the nearest trial that is known; it is
/// remembered. INFINITY: there is no motion.
double rh__trial_far(rh_optimum *optimum, const double *at);
/// The same from the last trial, or from the best one; nothing but the best is remembered.
double rh__trial_near(rh_optimum *optimum, const double *at);
/// The last trial is the best one from now on.
void rh__trial_take(rh_optimum *optimum);
/// Has the caller enough of it?
bool rh__trial_is_over(rh_optimum *optimum);

/// Descend from the best place with slopes, whether smooth or not.
/// It begins a little beside it, elsewhere in every round: on the floor there is no slope.
void rh__optimum_follow(rh_optimum *optimum, uint32_t round);

/// Let roots that nearly coincide at the best place coincide, where that is no worse.
void rh__optimum_polish(rh_optimum *optimum);

/// The whole search, from the seed that is known.
RH_NODISCARD rh_status rh__optimum_search(rh_optimum *optimum);
