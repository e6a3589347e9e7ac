// SPDX-License-Identifier: Apache-2.0
// Workers, where their blocks come from, the ledger, other processes.

#pragma once

#include "sweep/plan.h"

/// A block to be filled, then one that is done, or the reason why none can be.
typedef struct rh_parcel {
    uint64_t block;
    rh_bytes bytes;
    rh_status status;
    struct rh_parcel *next;
} rh_parcel;

/// Where blocks come from and go to.
typedef struct rh_supply {
    void *user;
    /// NULL: there are no more; without waiting, there is none now.
    rh_parcel *(*take)(void *user, bool may_wait);
    /// What is not whole is dropped, unless it has a status.
    void (*hand_back)(void *user, rh_parcel *parcel, bool is_whole);
    /// There are no more: nobody waits from now on.
    void (*end)(void *user);
} rh_supply;

rh_parcel *rh__parcel_create(uint64_t block);
void rh__parcel_destroy(rh_parcel *parcel);

/// One thread's own models, equations and motions.
typedef struct rh_worker rh_worker;

/// NULL when there is no memory. `is_stopped`, when it becomes true, ends the member at hand.
rh_worker *rh__worker_create(const rh_sweep *sweep, atomic_bool *is_stopped);
void rh__worker_destroy(rh_worker *worker);
/// Fill blocks of rows, as bytes, until there are no more.
void rh__worker_run(rh_worker *worker, const rh_supply *supply);
/// Why its members were interpreted, if they should not have been; else "".
const char *rh__worker_tier_reason(const rh_worker *worker);

/// What is made of the sources along one motion (follow.c).
typedef struct rh_follower {
    const rh_plan *plan;
    uint32_t count; // of sources
    double *now, *peak, *low, *sum;
    double *noise;   // of the sources, along the step at hand
    double *samples; // by point, by source
    double *polynomial, *slope, *spectrum, *root_work;
    rh_root *roots;
    double tolerance;
    bool *is_open;     // by source: not followed yet in the step at hand
    uint32_t halvings; // that are left for the step at hand
} rh_follower;

RH_NODISCARD rh_status rh__follower_create(const rh_plan *plan, double tolerance, rh_arena *arena,
                                           rh_follower *out);
/// At the start of a motion, and after each of its steps.
void rh__follower_begin(rh_follower *follower, const rh_glance *glance);
RH_NODISCARD rh_status rh__follower_step(rh_follower *follower, const rh_glance *glance);
/// The reductions of a motion that lasted for `duration`.
void rh__follower_end(rh_follower *follower, const rh_glance *glance, double duration, double *out);

// --- crews ---------------------------------------------------------------------------------------

/// Threads that go through the blocks of a supply.
typedef struct rh_crew rh_crew;

/// To be destroyed whatever the status is.
RH_NODISCARD rh_status rh__crew_create(const rh_sweep *sweep, uint32_t threads, rh_supply supply,
                                       rh_crew **out);
/// Ends what is under way and waits for it.
void rh__crew_destroy(rh_crew *crew);
/// How many threads there are.
uint32_t rh__crew_count(const rh_crew *crew);

/// The supply of process number 0: blocks that are not in the ledger, and the ledger for them.
typedef struct rh_desk rh_desk;

RH_NODISCARD rh_status rh__desk_create(rh_sweep *sweep, rh_error *err, rh_desk **out);
void rh__desk_destroy(rh_desk *desk);
rh_supply rh__desk_supply(rh_desk *desk);
/// A block for somebody else; false: there are no more.
bool rh__desk_next(rh_desk *desk, uint64_t *out_block);
/// Blocks that nobody has yet.
uint64_t rh__desk_left(rh_desk *desk);
/// What somebody else has done.
RH_NODISCARD rh_status rh__desk_add(rh_desk *desk, uint64_t block, const rh_bytes *bytes);
/// Wait for the end, or for some time; what is wrong, and the number of members in the ledger.
RH_NODISCARD rh_status rh__desk_wait(rh_desk *desk, double seconds, uint64_t *out_done);

/// The supply of another process: blocks as they are sent.
typedef struct rh_queue rh_queue;

RH_NODISCARD rh_status rh__queue_create(rh_queue **out);
void rh__queue_destroy(rh_queue *queue);
rh_supply rh__queue_supply(rh_queue *queue);
/// One more block to do.
RH_NODISCARD rh_status rh__queue_give(rh_queue *queue, uint64_t block);
/// A parcel that is done, after waiting for one for some time; NULL: there was none. The caller
/// destroys it.
rh_parcel *rh__queue_get(rh_queue *queue, double seconds);
/// Is anything under way?
bool rh__queue_is_busy(rh_queue *queue);

// --- the ledger ----------------------------------------------------------------------------------

typedef struct rh_ledger rh_ledger;

RH_NODISCARD rh_status rh__ledger_open(const rh_sweep *sweep, const char *path, bool is_resumed,
                                       rh_ledger **out, rh_error *err);
void rh__ledger_close(rh_ledger *ledger);
/// Remove the file.
void rh__ledger_remove(rh_ledger *ledger);
bool rh__ledger_has(const rh_ledger *ledger, uint64_t block);
/// How many members are in it.
uint64_t rh__ledger_done(const rh_ledger *ledger);
RH_NODISCARD rh_status rh__ledger_add(rh_ledger *ledger, uint64_t block, const rh_bytes *bytes,
                                      rh_error *err);
/// The bytes of a block, in place of those that were there.
RH_NODISCARD rh_status rh__ledger_get(const rh_ledger *ledger, uint64_t block, rh_bytes *out,
                                      rh_error *err);

// --- guests --------------------------------------------------------------------------------------

/// A library of ours that is loaded when it is asked for, by the name of its file; NULL: it is not
/// there. Other libraries see its names when it is global.
void *rh__guest_open(const char *name, bool is_global);

// --- ranks ---------------------------------------------------------------------------------------

struct rh_ranks {
    const struct rh_ranks_guest *guest;
    int own, count;
    bool is_met; // the others were told that there is nothing more to do
};

/// What a guest that moves bytes between processes can do (ranks_mpi.c); found at run time.
typedef struct rh_ranks_guest {
    bool (*begin)(int *own, int *count);
    void (*end)(void);
    void (*send)(int to, const void *data, size_t size);
    /// True when a message was there: `*out` is from malloc.
    bool (*receive)(int *from, unsigned char **out, size_t *size);
} rh_ranks_guest;

/// Go through the sweep together with other processes, or alone.
RH_NODISCARD rh_status rh__ranks_run(rh_sweep *sweep, const rh_sweep_run_def *def,
                                     uint64_t *out_done, rh_error *err);
