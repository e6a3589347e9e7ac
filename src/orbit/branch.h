// SPDX-License-Identifier: Apache-2.0
// Branches of periodic orbits.

#pragma once

#include "orbit/search.h"

/// What changes its sign along a branch where something happens.
typedef enum rh_branch_test {
    RH_TEST_FOLD,  // the slope of the parameter
    RH_TEST_PLUS,  // a multiplier of the passage is 1
    RH_TEST_MINUS, // a multiplier of the passage is -1
    RH_TEST_TORUS, // two multipliers of the passage have the product 1
    RH_TEST_COUNT
} rh_branch_test;

/// A point of a branch.
typedef struct rh_station {
    double parameter;
    rh_passage passage;
    double period_error; // what is missed moves the time by
    double *tangent;     // of the branch: x, time, parameter, in units of their scales; n + 2
    double *scale;       // n: sizes of variables then
    double *shown;       // start in the order of the columns
    rh_multiplier *multipliers, *own;
    uint32_t multiplier_count;
    bool is_stable, is_unstable;
    double tests[RH_TEST_COUNT];
} rh_station;

/// Where a test vanishes (sharpen.c).
typedef struct rh_branch_place {
    double parameter, width; // and how far it may be off
    double period, period_error;
    double *start;  // n, in the order of the columns
    bool has_orbit; // `middle` is the orbit there
    bool is_sharp;  // else bars are what two orbits around it differ by
} rh_branch_place;

struct rh_branch {
    rh_arena arena;
    rh_arena scratch;
    rh_orbit *orbit;
    rh_branch_def def;
    double *set, *start; // for beginning anew
    double *slope, *work, *like;
    double *anchor, *anchor_slope; // n each: where the motion starts now, by the parameter
    double *offset;                // n: how far from there the first orbit is
    double *gap;                   // n: by how much orbits are asked not to close
    uint32_t family;               // directions along which orbits stay orbits
    bool is_family;                // there are some: orbits stay where the motion starts
    rh_passage aside;              // work
    double now;                    // the parameter that the motion has
    double span;                   // its scale
    double length;                 // of the next step
    rh_station last, next, low, high, middle;
    double before[RH_TEST_COUNT]; // tests of the station before `last`
    double before_length;         // and how far it is from there; 0: there is none
    rh_branch_place place;        // of the test that was located last
    uint32_t point_count;
    uint32_t due;    // tests that are to be located before `next` is told, as bits
    bool is_begun;   // the first point was told
    bool has_next;   // `next` is there and was not told
    bool is_ended;   // `next` is the last one
    bool has_high;   // `high` is a station between `last` and `next`, not `next` itself
    bool has_graze;  // motions tried in this step met something else than `last`:
    uint64_t grazed; // so often
    char reason[248];
};

rh_status rh__station_reserve(rh_arena *arena, uint32_t n, rh_station *out);

/// Where a station is wanted: at a distance from another one along its tangent, or at a parameter.
typedef struct rh_aim {
    const rh_station *from;
    double length;
    bool is_parameter;
    double parameter;
} rh_aim;

/// Give the motion another parameter; false when there is none, with the reason.
RH_NODISCARD rh_status rh__branch_set(rh_branch *branch, double parameter, bool *out_is_there);
/// Solve for a station, with its tangent and multipliers; false: it does not converge.
RH_NODISCARD rh_status rh__branch_correct(rh_branch *branch, const rh_aim *aim, rh_station *out,
                                          uint32_t *out_rounds, bool *out_is_there);
/// Is the orbit one of a family, in which the start of the motion chooses one?
RH_NODISCARD rh_status rh__branch_begin_family(rh_branch *branch);
/// Fill a station from the passage of the orbit; `from`: whose tangent it goes on.
RH_NODISCARD rh_status rh__branch_arrive(rh_branch *branch, const rh_station *from,
                                         rh_station *out);
/// Find the place between `last` and `next` where a test changes its sign: `low` and `high` are
/// around it, as near as could be, and `place` says where (turning.c).
RH_NODISCARD rh_status rh__branch_locate(rh_branch *branch, rh_branch_test test,
                                         bool *out_is_found);
/// Where a test vanishes near a place along the branch, which lies within a step: into
/// branch->place (sharpen.c).
RH_NODISCARD rh_status rh__branch_sharpen(rh_branch *branch, rh_branch_test test, double place,
                                          double step);
/// How far a station is from `last`, along its tangent.
double rh__branch_distance(const rh_branch *branch, const rh_station *station);
/// Does a test pass zero and come back between `last` and `next`? Then `next` becomes a station in
/// between, where the test has the other sign (twins.c).
RH_NODISCARD rh_status rh__branch_split(rh_branch *branch, bool *out_is_split);
/// Tests that tell `last` and `next` apart, as bits.
uint32_t rh__branch_compare(const rh_branch *branch);
rh_branch_mark rh__branch_name(const rh_branch *branch, rh_branch_test test);
