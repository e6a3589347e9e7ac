// SPDX-License-Identifier: Apache-2.0
// Private to `steady`: a family under way. family.c walks, poles.c sees what it must not step over.

#pragma once

#include "steady/steady.h"

/// A point on the family.
typedef struct rh_walk_station {
    double *values;  // by slot
    double *tangent; // by moving slot, of length one in units of |z| and the size of z
    double value;    // of the quantity
    double rise;     // of it along the tangent
    rh_steady_found found;
} rh_walk_station;

struct rh_walk {
    rh_arena arena;
    rh_steady *steady;
    rh_walk_def def;
    uint32_t moving;          // the moving slot of the quantity; UINT32_MAX: it is an output
    uint32_t slot;            // its slot
    uint32_t output;          // its output
    uint32_t wished;          // which of the outputs that shall have a value
    uint32_t *observed;       // the others
    double *wanted, *landing; // their values; those of all
    uint32_t observed_count;
    bool *is_fixed; // by place
    double *normal; // by moving slot
    double span, length, sign;
    rh_walk_station last, next, low, high, middle;
    double *scale, *slopes[2]; // by moving slot, of an arc
    double *arc_values;        // by slot: the motion at its mark
    double *settled;           // by slot: where the quantity was last seen to change
    double settled_value;
    double before[2];     // what decides marks, at the station before `last`
    double before_length; // and how far it is from there; 0: there is none
    uint32_t point_count;
    uint32_t short_count; // of short steps, one after the other
    uint32_t dimension;   // of the kernel while a mark is enclosed; UINT32_MAX: k is certified
    uint32_t known;       // the same elsewhere
    bool is_begun, has_next, is_due, is_folded, is_ended;
    bool is_blurred; // the last place that was looked at lies where rounding decides
    char reason[248];
};

/// What a moving slot is measured by where it has the value that it has among these.
double rh__walk_scale(const rh_walk *walk, const double *values, uint32_t moving);
/// How far it is from one station to another along the tangent of the first.
double rh__walk_arc(const rh_walk *walk, const rh_walk_station *from, const rh_walk_station *to);
/// A station at a distance from another one along its tangent. False: there is none.
RH_NODISCARD rh_status rh__walk_step_from(rh_walk *walk, const rh_walk_station *from, double length,
                                          rh_walk_station *out, bool *out_is_there);
/// Does the step of a length from one station to another stay on its branch?
bool rh__walk_stays(const rh_walk *walk, const rh_walk_station *from, const rh_walk_station *to,
                    double length);
void rh__walk_copy(const rh_walk *walk, const rh_walk_station *from, rh_walk_station *to);
/// The motion at the values of the workbench: its tangent on the side of `like` (NULL: towards the
/// end of the range), its verdict, the quantity.
RH_NODISCARD rh_status rh__walk_arrive(rh_walk *walk, const double *like, rh_walk_station *out);

static inline bool rh__walk_is_definite(rh_steady_verdict verdict)
{
    return verdict == RH_STEADY_ASYMPTOTICALLY_STABLE || verdict == RH_STEADY_UNSTABLE;
}

/// What decides changes of the verdict (0) and folds (1), in units (pairs.c).
double rh__walk_decider(const rh_walk_station *it, int which);
/// Of two marks between `last` and `next`, that cancel each other, the walk shall see both: `next`
/// becomes a station between them, or shortly before. Spoils `middle`.
RH_NODISCARD rh_status rh__walk_split(rh_walk *walk);

/// What the way from one station to the next is.
typedef enum rh_walk_gap {
    RH_WALK_WHOLE,
    RH_WALK_POLE, // slopes of the equations grow without bound on it
    RH_WALK_APART // both stations lie on branches that do not hang together
} rh_walk_gap;

/// Is there a pole on the way from `last` to `next`, or a gap? `*out_at`: the quantity at a pole.
/// Spoils `low`, `high` and `middle`.
RH_NODISCARD rh_status rh__walk_find_pole(rh_walk *walk, double *out_at, rh_walk_gap *out);
/// A change between a verdict and none is enclosed in `low` and `high`: the quantity up to where
/// what decides may vanish (blur.c). Spoils `middle`.
RH_NODISCARD rh_status rh__walk_find_blur(rh_walk *walk, double *out);
