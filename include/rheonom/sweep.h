// SPDX-License-Identifier: Apache-2.0
// One model, many motions: a sweep runs a model over grids of parameters and start values and over
// random draws of them, and keeps a row of numbers for each member. What a member gives depends on
// its number alone: not on threads, processes, or interruptions.

#pragma once

#include "rheonom/base.h"
#include "rheonom/equations.h"
#include "rheonom/model.h"
#include "rheonom/motion.h"

RH_EXTERN_C_BEGIN

/// The processes that work on one sweep.
typedef struct rh_ranks rh_ranks;

/// Meet the other processes, when the program was started by `mpirun` and the library was built
/// with MPI. MPI is neither loaded nor started else.
/// @param out  receives ranks the caller destroys; NULL when there is one process only
/// @return RH_E_UNAVAILABLE, with the reason, when MPI could not be started
RH_API RH_NODISCARD rh_status rh_ranks_create(rh_ranks **out, rh_error *err);
/// Part from the others: each process must. NULL is allowed.
RH_API void rh_ranks_destroy(rh_ranks *ranks);
/// The number of this process, from 0, and how many there are; 0 and 1 for NULL. Number 0 hands out
/// the work and has the results.
RH_API int rh_ranks_own(const rh_ranks *ranks);
RH_API int rh_ranks_count(const rh_ranks *ranks);

/// Recipe for a sweep. Begin with rh_sweep_def_default(), then change what you need.
typedef struct rh_sweep_def {
    uint32_t struct_size;       ///< set by the default function; do not touch
    uint32_t thread_count;      ///< in this process; 0: one for each processor
    rh_model_def model;         ///< its texts are copied; its allocator serves all threads
    rh_equations_def equations; ///< how to derive
    rh_motion_def motion;       ///< how to move; feeds must outlive the sweep
    double until;               ///< the time to reach
    const char *const *grids;   ///< "NAME=lo:hi:n"; the first one moves slowest
    size_t grid_count;          ///< of them
    const char *const *randoms; ///< "NAME=normal(mean, deviation)", `uniform(lo, hi)`,
    size_t random_count;        ///< `loguniform(lo, hi)`
    uint64_t draws;             ///< members for each point of the grid; 0: one
    uint64_t seed;              ///< of what is drawn
    const char *observe;        ///< "peak(EXPR), low(EXPR), mean(EXPR), final(EXPR)"; NULL: final
                                ///< of all coordinates, states and velocities
    rh_ranks *ranks;            ///< NULL: this process alone
    uint32_t lane_count;        ///< members side by side in a thread: 1, 4 or 8; 0: what the
                                ///< processor does best. All give the same bits
} rh_sweep_def;

/// The defaults, in the open: this function is the documentation of them.
static inline rh_sweep_def rh_sweep_def_default(void)
{
    rh_sweep_def def = RH_ZERO;
    def.struct_size = (uint32_t)sizeof def;
    def.model = rh_model_def_default();
    def.equations = rh_equations_def_default();
    def.motion = rh_motion_def_default();
    return def;
}

/// Plan a sweep: read the model, find what is varied and what is observed.
/// @param out  receives a sweep the caller destroys. With RH_E_MODEL it is made too: it holds the
///             diagnostics.
/// @return RH_E_ARGUMENT, with the reason, when a range, a distribution or the list of what is
///         observed is wrong; RH_E_MODEL when the model is, or a name or an expression in these;
///         RH_E_MEMORY, RH_E_LIMIT
RH_API RH_NODISCARD rh_status rh_sweep_create(const rh_sweep_def *def, rh_sweep **out,
                                              rh_error *err);
/// Destroy a sweep. NULL is allowed.
RH_API void rh_sweep_destroy(rh_sweep *sweep);

/// The model as the first member has it, with the remarks about it and about names and expressions
/// of the call. Borrowed from the sweep.
RH_API const rh_model *rh_sweep_model(const rh_sweep *sweep);

/// How many members there are, numbered from 0.
RH_API uint64_t rh_sweep_member_count(const rh_sweep *sweep);
/// Columns with numbers of their own: what is varied comes first, then what is observed.
RH_API size_t rh_sweep_varied_count(const rh_sweep *sweep);
RH_API size_t rh_sweep_column_count(const rh_sweep *sweep);
RH_API const char *rh_sweep_column_name(const rh_sweep *sweep, size_t index);

/// How a sweep is run. Begin with rh_sweep_run_def_default(), then change what you need.
typedef struct rh_sweep_run_def {
    uint32_t struct_size; ///< set by the default function; do not touch
    bool is_resumed;      ///< go on with the record that is there
    const char *record;   ///< file that holds what is done, block by block; NULL: one that is gone
                          ///< with the sweep
    bool (*go_on)(void *user, uint64_t done,
                  uint64_t count); ///< asked now and then by the calling
                                   ///< thread; false ends it. May be NULL
    void *user;
} rh_sweep_run_def;

/// The defaults, in the open: this function is the documentation of them.
static inline rh_sweep_run_def rh_sweep_run_def_default(void)
{
    rh_sweep_run_def def = RH_ZERO;
    def.struct_size = (uint32_t)sizeof def;
    return def;
}

/// Run all members that are not in the record yet. Each block of them is in the record as soon as
/// it is done, so a sweep that was interrupted in any way goes on from there.
/// @param out_done  how many members the record holds; with several processes known to number 0
/// @return RH_E_ARGUMENT when the record is none, belongs to another sweep, or is there and was not
///         asked for; RH_E_WRITE, RH_E_MEMORY
RH_API RH_NODISCARD rh_status rh_sweep_run(rh_sweep *sweep, const rh_sweep_run_def *def,
                                           uint64_t *out_done, rh_error *err);

/// What came of a member.
typedef struct rh_sweep_member {
    uint64_t number;
    const double *values; ///< by column; NaN: there is none
    rh_stop stop;         ///< RH_STOP_REACHED, RH_STOP_EVENT or RH_STOP_FAILED
    double time;          ///< where it ended; NaN: it did not begin
    uint64_t steps;
    uint64_t events;
    const char *code;   ///< of the reason of a failure ("E503"); "" without
    const char *reason; ///< of a failure; "" without
} rh_sweep_member;

/// Begin to read the members in order; then one after the other. Number 0 only, after a run.
RH_API void rh_sweep_rewind(rh_sweep *sweep);
/// The next member; texts and numbers are borrowed until the next call. `*out_is_there` is false
/// after the last one.
/// @return RH_E_WRITE when the record cannot be read
RH_API RH_NODISCARD rh_status rh_sweep_next(rh_sweep *sweep, rh_sweep_member *out,
                                            bool *out_is_there, rh_error *err);
/// The record is not needed any more: remove it.
RH_API void rh_sweep_forget(rh_sweep *sweep);
/// Why members of this process were interpreted though compiling was asked for or would have paid:
/// there is no compiler, the text is too long. "" when there is nothing to say.
RH_API const char *rh_sweep_tier_reason(const rh_sweep *sweep);

RH_EXTERN_C_END
