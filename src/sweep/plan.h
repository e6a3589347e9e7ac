// SPDX-License-Identifier: Apache-2.0
// The plan of a sweep, and rows of results.

#pragma once

#include "rheonom/sweep.h"

#include "base/base.h"
#include "motion/motion.h"

#include <stdatomic.h>

typedef enum rh_spread_kind {
    RH_SPREAD_GRID,
    RH_SPREAD_NORMAL,
    RH_SPREAD_UNIFORM,
    RH_SPREAD_LOGUNIFORM
} rh_spread_kind;

/// Something that is varied.
typedef struct rh_spread {
    const char *name;
    bool is_start; // a start value; else a parameter
    rh_spread_kind kind;
    const char *first_text, *second_text; // of its two numbers
    double first, second;                 // ends, or mean and deviation
    uint64_t count;                       // of a grid
} rh_spread;

typedef enum rh_reduction_kind {
    RH_REDUCTION_PEAK,
    RH_REDUCTION_LOW,
    RH_REDUCTION_MEAN,
    RH_REDUCTION_FINAL,
    RH_REDUCTION_COUNT
} rh_reduction_kind;

/// One observed column: what becomes of a source along the motion.
typedef struct rh_reduction {
    const char *name; // "peak(theta)"
    rh_reduction_kind kind;
    uint32_t source;
} rh_reduction;

/// Something that is looked at along a motion: an expression in the names of the model, a quantity
/// that it observes itself, or how far a constraint is missed.
typedef struct rh_source_text {
    const char *text;
    bool is_deviation; // `text` is the name of the constraint
    bool is_observed;  // `text` is the name of a column
    bool has_extremes, has_mean;
} rh_source_text;

typedef struct rh_plan {
    RH_ARRAY(rh_spread) spreads;
    RH_ARRAY(rh_reduction) reductions;
    RH_ARRAY(rh_source_text) sources;
    uint64_t draws;
    uint64_t member_count;
    uint64_t block_size; // members; the last block may be shorter
    uint64_t block_count;
    uint64_t seed;
} rh_plan;

enum { RH_SWEEP_SPREADS = 64 };
#define RH_SWEEP_MEMBERS UINT64_C(1000000000)

struct rh_sweep {
    rh_arena arena;
    rh_model_def model; // its texts are ours
    rh_equations_def equations;
    rh_motion_def motion;
    double until;
    uint32_t thread_count;
    uint32_t lane_count; // 0: as many as the processor has
    rh_plan plan;
    const char **observe; // the sources that are expressions
    size_t observe_count;
    const char **columns;
    rh_model *looked_at; // read with the numbers of member 0, or as written: has the remarks
    uint64_t fingerprint;
    rh_ranks *ranks;
    struct rh_ledger *ledger; // NULL: it was not run
    struct rh_reader *reader;
    char *tier_reason; // RH_SWEEP_REASON bytes
};

enum { RH_SWEEP_REASON = 256 };

/// Are all quantities those of the end? Then members may go side by side.
bool rh__plan_is_final(const rh_plan *plan);
/// Members that may go side by side in a thread.
enum { RH_SWEEP_LANES = 8 };
/// How many members a block has.
static inline uint64_t rh__plan_members(const rh_plan *plan, uint64_t block)
{
    const uint64_t left = plan->member_count - block * plan->block_size;
    return left < plan->block_size ? left : plan->block_size;
}
static inline size_t rh__plan_width(const rh_plan *plan)
{
    return (size_t)plan->spreads.count + plan->reductions.count;
}

/// Read the texts of the def: what can be judged without a model.
RH_NODISCARD rh_status rh__plan_read(rh_plan *plan, const rh_sweep_def *def, rh_arena *arena,
                                     rh_error *err);
/// Count members and blocks; all numbers are known.
RH_NODISCARD rh_status rh__plan_count(rh_plan *plan, const rh_sweep_def *def, rh_error *err);
/// The numbers of a member, by spread.
void rh__plan_values(const rh_plan *plan, uint64_t member, double *out);
/// The peaks, means ... of a def, into reductions and sources.
RH_NODISCARD rh_status rh__plan_observe(rh_plan *plan, const char *text, rh_arena *arena,
                                        rh_error *err);
/// One more reduction.
RH_NODISCARD rh_status rh__plan_reduce(rh_plan *plan, rh_reduction_kind kind, rh_slice text,
                                       rh_arena *arena);

// --- rows ----------------------------------------------------------------------------------------

/// The row of a member, before it is put into bytes.
typedef struct rh_member_row {
    double *values; // spreads, then reductions
    rh_stop stop;
    double time;
    uint64_t steps, events;
    char code[8];
    char reason[256];
} rh_member_row;

/// Bytes that grow; `data` is from malloc.
typedef struct rh_bytes {
    unsigned char *data;
    size_t size, capacity;
} rh_bytes;

RH_NODISCARD bool rh__bytes_put(rh_bytes *bytes, const void *data, size_t size);
void rh__bytes_free(rh_bytes *bytes);

/// A row as bytes, and back: false when the bytes are none.
RH_NODISCARD bool rh__row_write(const rh_member_row *row, size_t width, rh_bytes *out);
RH_NODISCARD bool rh__row_read(rh_member_row *row, size_t width, const rh_bytes *in, size_t *at);
