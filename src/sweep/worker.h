// SPDX-License-Identifier: Apache-2.0
// Private to `sweep`: a worker from inside. Members are put on benches one by one (bench.c), or on
// the lanes of a flock, several side by side (flock.c).

#pragma once

#include "sweep/sweep.h"

enum {
    RH_WORKER_BENCHES = 4,
    RH_WORKER_NUMBER = 32, // bytes of `=`, a number and its end
    RH_FLOCK_LANES = RH_SWEEP_LANES,
    RH_FLOCK_FLIGHTS = 2 * RH_FLOCK_LANES
};

typedef struct rh_bench {
    rh_model *model;
    rh_equations *equations;
    rh_motion *motion; // NULL: the bench is empty
    rh_glance glance;
    uint64_t used; // when
} rh_bench;

/// Where a row stands.
typedef struct rh_flock_place {
    size_t first, size;
} rh_flock_place;

/// A block under way: its members are begun one after another, and come to their ends in any order.
typedef struct rh_flight {
    rh_parcel *parcel; // NULL: there is none
    uint64_t first, count;
    uint64_t begun, done;
    rh_bytes rows;          // as they come
    rh_flock_place *places; // of rows, by member of the block
} rh_flight;

/// Motions of one bench's equations, each on a lane of compiled steps.
typedef struct rh_flock {
    uint32_t lanes;        // 0: there is none
    const rh_bench *bench; // whose equations they have
    rh_native native;
    rh_motion *motions[RH_FLOCK_LANES];
    rh_glance glances[RH_FLOCK_LANES];
    double begin[RH_FLOCK_LANES];      // when they began
    uint64_t member[RH_FLOCK_LANES];   // who is there; UINT64_MAX: nobody
    rh_flight *flight[RH_FLOCK_LANES]; // where it comes from
    rh_series_point points[RH_FLOCK_LANES];
    double *room, *jet, *work;
    rh_flight flights[RH_FLOCK_FLIGHTS];
} rh_flock;

struct rh_worker {
    const rh_sweep *sweep;
    atomic_bool *is_stopped;
    rh_arena arena;
    rh_bench benches[RH_WORKER_BENCHES];
    uint64_t now;
    rh_follower follower;
    rh_member_row row;
    double *set, *start; // by dial; those of the call stay as they are
    const char **set_texts, **start_texts;
    char *texts; // `text_room` bytes for each spread
    size_t text_room;
    size_t set_count, start_count;
    rh_flock flock;
    bool has_looked; // whether there can be a flock
    rh_motion_def motion;
    bool is_piloted; // its tier is known
    char tier_reason[RH_SWEEP_REASON];
};

/// The quantities that are observed, of a motion of the bench.
RH_NODISCARD rh_status rh__bench_look(const rh_sweep *sweep, const rh_bench *it, rh_motion *motion,
                                      rh_glance *out, rh_error *err);
/// A fresh row with the numbers of a member, and the dials turned to them.
void rh__worker_turn(rh_worker *worker, uint64_t member);
/// Begin a motion anew with the dials as they are turned.
RH_NODISCARD rh_status rh__worker_restart(const rh_worker *worker, rh_motion *motion,
                                          rh_glance *glance, rh_error *err);
/// One member alone, into the row.
RH_NODISCARD rh_status rh__worker_member(rh_worker *worker, uint64_t member);
/// The row is that of a failure: "E407: the start contradicts ...".
void rh__worker_fail(rh_worker *worker, const char *message);
/// The row of a motion that came to its end.
void rh__worker_note(rh_worker *worker, const rh_glance *glance, double begin);
/// What cannot be helped by going on to the next member.
bool rh__worker_is_fatal(rh_status status);

/// Make a flock beside a bench, when what is observed and how it moves allow it.
RH_NODISCARD rh_status rh__flock_create(rh_worker *worker, const rh_bench *bench);
void rh__flock_destroy(rh_flock *flock);
/// Fill the rows of a block from member `begun` of it on, side by side; while its last ones are
/// under way, lanes that are free go on with further blocks. All of them are handed back.
void rh__flock_run(rh_worker *worker, const rh_supply *supply, rh_parcel *parcel, uint64_t begun);
