// SPDX-License-Identifier: Apache-2.0
// What is told of a motion, saved, and watched over: columns, checkpoints, deviations, ranks,
// growth.

#pragma once

#include "rheonom/motion.h"

#include "base/base.h"
#include "tape/tape.h"

/// A table that was read for an input (record.c). Its source is the model's text, then the table's.
struct rh_record {
    rh_arena arena;
    const rh_model *model;
    const rh_input *input;
    const char *name; // of the input
    rh_source source;
    rh_diagnostics diagnostics;
    double *times, *values;
    size_t count, capacity;
};

/// A column of the table of results.
typedef enum rh_column_source {
    RH_COLUMN_TIME,
    RH_COLUMN_X,     // index into x
    RH_COLUMN_OUTPUT // index into the outputs of the output tape
} rh_column_source;

typedef struct rh_column {
    const char *name;
    rh_column_source source;
    uint32_t index;
} rh_column;

/// The state that rh_motion_save writes (keep.c).
typedef struct rh_keep {
    bool is_on;
    bool is_ended;      // the last step ended the motion: the state before it is the one
    bool is_asked;      // `every` was asked for
    uint64_t every;     // steps after which a method with a history begins anew; 0: never
    uint64_t steps_now; // of the motion when the present step began
    uint64_t steps;     // of the image
    unsigned char *image;
    size_t size, capacity; // of it, in bytes
    rh_occurrence *open;   // its last occurrences, which may still be taken back; those before
    uint32_t open_first;   // them stand in the motion
    uint32_t open_count;
    double *notes; // of the caller
    uint32_t note_count;
} rh_keep;

/// Constraints that are not kept, and how far they are missed (deviation.c).
typedef struct rh_deviations {
    rh_tape *tape; // NULL: there are none
    rh_tape_state *state;
    uint32_t *link; // by output
    uint32_t count;
} rh_deviations;

/// Constraints that the elimination of velocities satisfies, measured as they were written
/// (eliminated.c).
typedef struct rh_eliminated {
    rh_tape *velocities; // outputs: those that the texts hold and x does not
    rh_tape *text;       // outputs: deviations; inputs: these velocities besides. NULL: none
    rh_tape_state *velocities_state, *text_state;
    uint32_t *link; // by output of `text`
    uint32_t count, velocity_count;
} rh_eliminated;

/// Which multipliers are determined (unique.c).
typedef struct rh_unique {
    bool *is_unique;                      // by constraint, at `time` after `steps`
    double *multipliers, *change, *sizes; // work
    double *noise, *slots;                // by constraint, by slot of the output tape
    double time;
    uint64_t steps;
    bool *flags;      // by unknown of the blocks, in the last step
    uint64_t changes; // of the flags
    double since;     // when they changed last; NaN: never
} rh_unique;

/// What it takes to begin anew (restart.c).
typedef struct rh_restart {
    rh_method method;      // as asked for
    rh_mark mark;          // of the arena: behind it lies what the stepper made
    rh_arena start;        // holds the start of a motion that was begun anew
    rh_settling *settling; // finds it
    rh_mark begin;         // of it
    uint32_t singular;     // blocks that were singular at the first start
    uint64_t changes;      // of the values, when constants were bound last
} rh_restart;

enum { RH_GROWTH_NOTES = 5 };

/// Where a motion was when the number of its steps had doubled, the last times.
typedef struct rh_growth {
    uint32_t count;
    double time[RH_GROWTH_NOTES];
    double *x; // RH_GROWTH_NOTES * n
} rh_growth;

/// An absolute error of a variable, or its scale (least.c).
typedef struct rh_least {
    uint32_t index;   // in x
    uint32_t setting; // among the scales of the model; UINT32_MAX: an absolute error
    double error;     // absolute
} rh_least;

typedef struct rh_least_list {
    rh_least *data;
    uint32_t count;
} rh_least_list;

/// Linear first integrals (conserved.c).
typedef struct rh_conserved {
    uint32_t count;
    double *weights;   // by integral, then by x
    double *values;    // by integral, since the last jump
    double *work;      // like the weights
    uint32_t *leaders; // by integral: its own large variable; UINT32_MAX: there is none
} rh_conserved;

/// Find the linear first integrals of laws (conserved.c); take their values at the present x; put x
/// on them.
RH_NODISCARD rh_status rh__conserved_create(rh_motion *motion);
void rh__conserved_begin(rh_motion *motion);
void rh__conserved_keep(const rh_motion *motion, double *x);
/// By how much x misses integral k.
double rh__conserved_miss(const rh_motion *motion, uint32_t k, const double *x);
/// Choose for each integral a large variable in it, one that no other has: it can be found from the
/// rest of the integrals. Is each still about as large as the others?
void rh__conserved_lead(rh_motion *motion, const double *x);
bool rh__conserved_is_led(const rh_motion *motion, const double *x);

/// What goes to infinity (blowup.c). Nothing is allocated after creation.
RH_NODISCARD rh_status rh__growth_create(rh_motion *motion);
/// How many steps there are until the next note is due.
uint64_t rh__growth_budget(const rh_motion *motion);
/// Note the present point when it is time; fails a motion that goes to infinity.
void rh__growth_follow(rh_motion *motion);

/// Around each step: remember the state that would be saved.
void rh__keep_before(rh_motion *motion);
void rh__keep_after(rh_motion *motion, rh_stop stop);

rh_status rh__deviations_create(rh_motion *motion, rh_error *err);
void rh__deviations_destroy(rh_motion *motion);
/// Keep the largest deviations: those at a point, or along the step that was taken.
void rh__deviations_note(rh_motion *motion, double time, const double *x);
void rh__deviations_follow(rh_motion *motion);

rh_status rh__eliminated_create(rh_motion *motion, rh_error *err);
void rh__eliminated_destroy(rh_motion *motion);
/// Keep the largest deviations at the present point.
void rh__eliminated_note(rh_motion *motion);

rh_status rh__rank_create(rh_motion *motion);
/// Are there multipliers at the present point that are not determined?
bool rh__rank_is_lost(const rh_motion *motion);
/// Does the rank of constraints fall at `place`, to which the series at hand leads?
bool rh__rank_falls(rh_motion *motion, double place);

rh_status rh__unique_create(rh_motion *motion);
/// What `plain` says of the start.
void rh__unique_begin(rh_motion *motion);
/// Was anything unique in the step that was taken that was not before, or the reverse?
void rh__unique_follow(rh_motion *motion);
