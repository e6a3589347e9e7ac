// SPDX-License-Identifier: Apache-2.0
// Door of the room `motion`: tape -> motion. Everything is reserved when a
// motion is made; stepping does not allocate.

#pragma once

#include "rheonom/motion.h"

#include "base/base.h"
#include "tape/tape.h"

#include <string.h>

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

/// One kept level of a constraint, and how it is moved back to zero
/// (project.c).
typedef struct rh_kept_level {
    uint32_t link, level;
    bool is_one_sided;
} rh_kept_level;

/// One stage of the projection: residuals g, and the shortest way back to g = 0.
/// Neighbours: `size` numbers from one place on belong to as many from another place on.
typedef struct rh_run {
    uint32_t from, to, size;
} rh_run;

/// Where numbers of a list stand, one by one and as runs.
typedef struct rh_runs {
    const uint32_t *place;
    uint32_t total;
    rh_run *data;
    uint32_t count; // 0: they are too short to be worth it
} rh_runs;

typedef struct rh_project_stage {
    rh_tape *miss; // outputs: g, |dg/dx|^2, each by row; NULL: no rows
    rh_tape_state *miss_state;
    rh_runs misses;        // from slots of `miss` to its outputs
    rh_kept_level *levels; // by row
    double *gap;           // by row: g where it is kept, else 0
    double *steepness;     // by row: |dg/dx|^2; behind `gap`
    double *size;          // by row: of the terms of g, for relative gaps; behind `steepness`
    double *bounds;        // of the slots of `miss`
    uint32_t looks;        // steps since the sizes were found
    uint32_t rows;
    uint32_t x_count, x_read; // of x, and as far as `miss` reads it
    rh_tape *shift;           // outputs: the change of each column
    rh_tape_state *shift_state;
    rh_runs shifts;    // from slots of `shift` to columns
    uint32_t *x_index; // by column: index into x
    rh_runs places;    // from columns into x
    double *change;    // by column
    uint32_t columns;
    uint32_t metric;  // input of `shift`: 1, or 0 for weights in place of the metric; these follow
    bool has_weights; // some columns always have them
    const double *unit; // by x: its size, for these
    uint32_t *hold;     // by row: in `shift`; UINT32_MAX: it is always kept
    bool can_release;   // some rows are not always kept
    uint64_t likeness;  // of the matrix of `shift`: the same for the same one
} rh_project_stage;

/// What a stage has to mend (project.c), from which its `shift` is made (inertia.c).
typedef struct rh_project_gap {
    const rh_expr *g;        // by row
    const rh_entry *entries; // of dg/dx
    uint32_t entry_count;
    bool is_second; // velocities and states; else positions and states
} rh_project_gap;

rh_status rh__inertia_create(const rh_system *system, const rh_project_gap *gap, rh_arena *arena,
                             rh_project_stage *stage, rh_error *err);

typedef struct rh_projector {
    rh_project_stage stages[2]; // positions, velocities
    bool is_shared; // both have one matrix, and the factors of the first may serve twice
} rh_projector;

/// Is it moved back to, where it is kept? Not where a law or friction lets it be missed.
bool rh__projector_keeps(const rh_link *link);
rh_status rh__projector_create(rh_system *system, rh_arena *arena, rh_projector *out,
                               rh_error *err);
void rh__projector_destroy(rh_projector *projector);
/// Constants from another state of the same system; see rh__tape_bind.
rh_status rh__projector_bind(rh_projector *projector, rh_value_of *value_of, const void *user);

/// A motion begins at x; `unit`: by x, borrowed.
void rh__projector_begin(rh_projector *projector, double time, const double *x, const double *unit);
/// Find the sizes of the rows at x, where that or its units jumped.
void rh__projector_measure(rh_projector *projector, double time, const double *x);
/// Move x onto the constraints that are kept now. `out_residual`: the largest relative one
/// that is left; `residuals`: by constraint, the largest absolute deviation is
/// kept.
rh_status rh__projector_apply(rh_projector *projector, double time, double *x, const bool *is_kept,
                              double *out_residual, double *residuals);
/// The largest relative deviation of a constraint that is kept now at x as it is.
double rh__projector_residual(rh_projector *projector, double time, const double *x,
                              const bool *is_kept);
/// |dg/dx|^2 of a level; false: it has no row.
bool rh__projector_steepness(rh_projector *projector, double time, const double *x, uint32_t link,
                             uint32_t level, double *out);

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

enum {
    RH_SERIES_PIECE = 8, // rows as short as this are read in one piece
    RH_SERIES_ORDER = 39 // the highest there is
};

/// Components from `first` on. Of a ladder those from `rate` on are their rates, and the rates of
/// these stand at `source` in rows that are lent: c_(k+1) of the one is c_k / (k + 1) of the next,
/// so that the last tell all.
typedef struct rh_series_run {
    uint32_t first, rate, source, count;
    bool is_ladder;
} rh_series_run;

/// A polynomial in time over the last step, for each component of x.
typedef struct rh_series {
    double begin, length;
    uint32_t degree;
    uint32_t count;
    const double *rows;    // coefficient k of component i at [k * pitch + i]: its own ones, or long
    size_t pitch;          // rows of the jets of the stepping tape, which nobody else needs then
    rh_tape_state *lender; // of these; NULL: they are its own
    double *own;           // room for (degree + 1) x count coefficients and a piece behind them
    rh_series_run *runs;   // all components, once, for rows that are lent
    uint32_t run_count;
    double sizes[RH_SERIES_ORDER + 1]; // of Taylor's coefficients, by order: the largest relative
                                       // to unit + |x|; of rows longer than a piece
} rh_series;

/// Where a step began, in case it is taken back.
typedef struct rh_past {
    double t, length;
    double *x;
    uint32_t occurrence_count;
} rh_past;

enum { RH_LEAP_PAST = 4 };

/// Leaping over singular configurations (leap.c).
typedef struct rh_leap {
    rh_past past[RH_LEAP_PAST]; // the last steps, oldest first
    uint32_t count;
    double longest; // of these
    uint32_t tries; // how often steps were taken back at the present place
    double cap;     // of the next step; 0: none
    bool is_due;    // the step after that leaps over `place`, unless the equations changed
    uint64_t jumps; // of the motion, when it went back
    double place;
    bool is_done; // the last step was a leap
    double cut;   // where it ended because the caller wanted to be there; infinite: it did not
} rh_leap;

/// The length of the step whose series is at hand: `own`, or what a leap wants; 0 when the last
/// steps were taken back.
double rh__leap_length(rh_motion *motion, double own, double left);
/// Go back to leap over what is at `place`, or where the series at hand says; false: it cannot.
bool rh__leap_retreat(rh_motion *motion, double place);
/// The same for steppers without series, whose next step has the length `own`: true when the last
/// ones were taken back. The leap is then made by Taylor steps: it is due when there is no cap.
bool rh__leap_escape(rh_motion *motion, double own, double left);
/// There is no way back: expand again, with an honest look at the rank. False: it was done.
bool rh__leap_look_closer(rh_motion *motion);

/// What came of expanding.
typedef enum rh_expansion {
    RH_EXPANSION_DONE,
    RH_EXPANSION_TAKEN_BACK, // the last step was taken back: begin again
    RH_EXPANSION_FAILED      // not finite
} rh_expansion;

/// A way to move: makes the series of the next step from (t, x).
typedef struct rh_stepper {
    const char *name;
    bool has_jets;  // the series are the jets in `step`: so are those of events
    uint32_t order; // 0: that of the motion
    rh_status (*create)(rh_motion *motion, rh_error *err); // NULL: nothing to do
    void (*destroy)(rh_motion *motion);                    // NULL: nothing to do
    /// `length`: in, the longest; out, how far the series can be trusted.
    rh_expansion (*expand)(rh_motion *motion, double *length);
    /// Take the last step back because of what is at `place`; false: it cannot. NULL: never.
    bool (*retreat)(rh_motion *motion, double place);
    /// Begin the next step without the history of earlier ones. NULL: there is none.
    void (*forget)(rh_motion *motion);
    /// Numbers of its own that the next step depends on. NULL: none.
    double *(*memory)(rh_motion *motion, uint32_t *out_count);
} rh_stepper;

extern const rh_stepper rh__stepper_taylor;
/// A logarithm to base 2, to three digits: what lengths of steps are made of.
double rh__taylor_logarithm(double size);
/// The same, rounded down.
double rh__taylor_exponent(double size);
/// The largest parts of the first `count` coefficients of `step`, relative to unit + |x|; what has
/// no unit has no part.
void rh__taylor_sizes(const rh_motion *motion, uint32_t count, double *out);
/// The largest coefficients of orders 1 and 2, relative to unit + |x|.
void rh__taylor_rates(const rh_motion *motion, double *out_first, double *out_second);
/// What rates may be off at the end of a step, over its length, relative to unit + |x|.
double rh__taylor_fineness(const rh_motion *motion);
/// The time to the nearest surface of a condition ahead, by its rate; INFINITY: there is none.
double rh__taylor_time_to_surface(const rh_motion *motion);
/// A surface that is nearer than time can tell is met at once: the series is cut to a straight
/// line.
bool rh__taylor_meet_surface(rh_motion *motion, double *length);
/// Has the motion no series here, because the base of a root or of a power begins at zero?
bool rh__taylor_is_at_branch(rh_motion *motion);
#define RH_TAYLOR_BEFORE 0.97 // up to there a step that leads over a surface must be true
/// May the polynomial of a step read the jets where they stand? Long rows, unless there are modes:
/// to decide them the jets of other points are looked at.
bool rh__taylor_may_lend(const rh_motion *motion);
/// The Taylor series of x at the present point; false: it is not finite.
bool rh__taylor_series(rh_motion *motion);
extern const rh_stepper rh__stepper_runge;
/// Steps of one length, as RH_METHOD_EULER and what follows (fixed.c).
enum { RH_FIXED_COUNT = 5 };
extern const rh_stepper rh__steppers_fixed[RH_FIXED_COUNT];
extern const rh_stepper rh__stepper_backward;
extern const rh_stepper rh__stepper_residual;

/// Derivatives of the first outputs of a tape by its inputs after the time (rate.c).
typedef struct rh_jacobian {
    rh_tape *tape; // tangents, `directions` in one run
    rh_tape_state *state;
    uint32_t rows, columns, directions;
    rh_arena arena;         // of the structure
    bool is_sparse;         // there is one
    rh_sparse sparse;       // the structure; its values are not used
    uint32_t *by_colour;    // columns, colour by colour
    uint32_t *colour_begin; // colour_count + 1: in `by_colour`
    uint32_t colour_count;  // columns of one colour are found by one tangent
    const rh_motion *motion;
    uint64_t changes; // of its values, when constants were bound last
} rh_jacobian;

/// Entries of a sparse Jacobian besides those that the operations of the tape say.
typedef struct rh_jacobian_extra {
    const uint32_t *row, *column;
    uint32_t count;
} rh_jacobian_extra;

/// What is watched, at points of a step (sample.c): surfaces, values of slides, gates, events,
/// surfaces of conditions inside events.
typedef struct rh_samples {
    uint32_t slide, gate, event, condition; // the first ones
    uint32_t count;
    double *values;   // by function, by point
    double *sizes;    // by function: of its terms
    int *event_side;  // by event: its sign at the end of the last step; 0: not known
    bool *is_timed;   // by function: it is a condition of the time alone
    double *spectrum; // values -> Chebyshev coefficients
    double *powers;   // Chebyshev coefficients -> powers
} rh_samples;

enum { RH_SAMPLE_DEGREE = 12 };

/// Which way to move, chosen on the way (method.c), by the stiffness that is found (stiffness.c).
typedef struct rh_choice {
    bool is_free;               // RH_METHOD_AUTO
    const rh_stepper *implicit; // owner of what the stepper has, once it was found stiff
    uint64_t next_look;         // number of the step from which on it is looked at again
    uint64_t pause;             // steps between looks when nothing was found
    uint64_t next_spectrum;     // the same for eigenvalues
    uint64_t patience;
    uint32_t samples;        // how many of these are there
    double times[2];         // the last first
    uint64_t steps[2];       // of the motion
    double *past;            // 2 x n: x then
    double since;            // the motion is smooth from then on; infinite: it is not
    double length;           // of the steps of series, when it was found stiff
    bool is_near;            // a surface is: series go on from here
    uint64_t jumps, found;   // of the motion, at the last look, and when it was found stiff
    const rh_stepper *asked; // in whose place series make this step; NULL: none
    uint64_t looked;         // jumps of the motion when a place without a series was looked for
    double place, reach;     // its time, or NaN; so far series lead away from it
    char text[240];          // of the reason
} rh_choice;

/// Events that change the state (reset.c).
typedef struct rh_reset {
    rh_tape *tape; // outputs: new values, each with what it is of; NULL: there are none
    rh_tape_state *state;
    uint32_t *first;         // by event: its first value
    double *wanted, *before; // of the reset at hand
    bool *is_kept;           // by link: it holds whatever the state is
    bool *is_bound;          // by symbol: it is named
    rh_point point;
    rh_arena scratch;
} rh_reset;

/// A condition of the equations (switch.c), by switch of the stepping tape.
typedef struct rh_condition {
    const char *name; // of those that may slide
    uint32_t slide;   // index; UINT32_MAX: the motion cannot slide on it
    int side;         // -1, 1: of its surface; 0: not decided
    bool is_sliding;  // on the surface
    bool was_sliding; // when all was settled last
    bool is_open;     // to be settled
    bool is_lifting;  // it slid, and is not clear of its surface yet
    bool is_idle;     // while it is being settled: it moves nothing
    bool is_growing;  // the same: it moves nothing yet
    bool is_tried;    // the same: it slides because that was tried first
    bool is_lent;    // without a side, and others hold it there: its value is `lent`, which is free
    double lent;     // between its ends
    uint64_t rounds; // of changes that come ever faster: the last ones it took part in
    int side_noted;  // its side behind the last change
    uint32_t known;  // so many coefficients of the surface are known to vanish: 1, it is met
    uint32_t zeros;  // the same, at the beginning of the step at hand
} rh_condition;

/// A one-sided constraint (gate.c).
typedef struct rh_gate {
    const char *name;
    uint32_t link;
    uint32_t hold, unknown;       // of the form: its multiplier (of type II: the rate of it)
    uint32_t level, level_count;  // outputs of `step`
    uint32_t held;                // index in x of a multiplier that is a state; UINT32_MAX
    bool is_spinning, is_literal; // options of type II: hold, literal
    double restitution;
    bool is_active;       // it acts
    bool was_active;      // when all was settled last
    bool began_active;    // at the start
    bool is_neutral;      // nothing tells whether it acts
    bool is_undetermined; // the motion ended where it has no multiplier, or many
    bool is_met;          // its surface was met at the end of the step
    bool is_loose;        // its multiplier came to zero there
    bool is_settling;     // its impacts come to an end
    bool is_lifting;      // it let go and is not clear of its surface yet
    int sign;             // of the multiplier that pushes to the right side
    uint32_t zeros; // so many coefficients of what is watched vanish at the beginning of the step
    double speed, impulse; // of the impact at hand
    double delay;          // until its impacts have come to an end
    double last_graze;
    uint64_t rounds; // as of a condition
    double reach[2]; // of the last series before it began to act, and before it let go; 0: none
} rh_gate;

/// A two-sided constraint that holds while a condition is true (intermittent.c).
typedef struct rh_intermittent {
    const char *name;
    uint32_t link, hold;
    uint32_t level, level_count; // outputs of `step`
    uint32_t condition;          // the same
    rh_expr constant;            // const.NAME, which is taken anew each time it comes on; none
    bool has_law;                // its deviation follows a law: no impulse
    bool is_on, was_on;          // now; when all was settled last
    bool began_on;               // at the start
    bool has_changed;            // while all is being settled
} rh_intermittent;

typedef struct rh_intermittents {
    rh_intermittent *data;
    uint32_t count;
    uint32_t *coming; // those that come on
    uint32_t coming_count;
    double *response; // coming x coming: what a unit of multiplier j does to the rate of level i
    double *push;     // coming x n: and to the rates of the variables
    double *speed;    // 3 x coming: last levels, units, impulses
    bool *was_true;
    double *rates;  // by switch of `step`: of its surface, before an impulse
    rh_point point; // the start with the constants that were taken last
    rh_arena scratch;
} rh_intermittents;

/// What holds now (mode.c).
typedef struct rh_mode {
    rh_condition *conditions;
    uint64_t *inner; // by condition, as bits: those that decide about its surface
    size_t inner_words;
    uint32_t *border_of; // by condition: 2 k + (turned round), k the first with the same surface
    rh_gate *gates;
    uint32_t gate_count;
    rh_intermittents intermittents;
    bool *is_kept;  // by link: it is kept now
    bool *was_kept; // in the last step, whose rows belong to its mode
    uint32_t *open; // gates to be decided
    uint32_t open_count;
    double *response; // open x open: what a unit of multiplier j does to the rate of level i
    double *push;     // open x n: and to the rates of the variables
    double *rate;     // by open gate
    double span;      // of the series that decides; see rh__mode_span
    double *noise;    // 2 x open: what is rounding in it
    rh_arena scratch;
    bool has_jumped;  // velocities did, while it was settled
    double worst;     // of the multipliers that push: the least one so far
    bool is_begun;    // the start is settled
    double begin;     // when that was
    double since;     // the beginning of a moment ...
    uint64_t changes; // and how many there were in it
} rh_mode;

enum { RH_GATE_OPEN = 512, RH_FOUND_MOST = 256 };
#define RH_STEP_LEAST 1e-14 // of |t|: shorter ones the time cannot tell, nor x
#define RH_MODE_MET 1e-12   // of its terms: values of a surface that is met
#define RH_MODE_CLEAR 10.0  // tolerances, of its terms: of a gate that is clear of its surface

/// The first coefficient that tells something.
typedef struct rh_mode_term {
    uint32_t order;
    int sign; // 0: there is none
} rh_mode_term;

enum { RH_ACCUMULATION_MOST = 25 }; // changes that are remembered: three rounds of eight

/// Changes that follow each other ever faster (accumulation.c).
enum { RH_ACCUMULATION_ENDS = 3 };

typedef struct rh_accumulation {
    bool is_on;     // there can be some
    uint32_t count; // of the last changes that are remembered:
    double time[RH_ACCUMULATION_MOST];
    uint64_t what[RH_ACCUMULATION_MOST];
    double *x;        // the state behind each
    uint32_t period;  // changes in a round; 0: there are no rounds
    uint64_t rounds;  // number of the present ones
    uint64_t passed;  // changes since these began
    double since;     // when
    double until;     // the last change of rounds
    double last;      // estimate of the limit
    double best;      // how well the best estimate is known: it is
    double best_left; // what was left then
    double time_limit;
    double *limit; // the state there
    double *ends;  // the states at the ends of the rounds that it was found from:
    double end[RH_ACCUMULATION_ENDS]; // and when these were, the last first
    double *way;                      // work: two states
    uint64_t *event_rounds;           // by event: as of a condition
    double *event_size;               // work
} rh_accumulation;

/// An input from a file (track.c).
typedef struct rh_track {
    const rh_input *input;
    double *times, *values; // points; those on level stretches are left out
    uint32_t count;
    uint32_t at;          // how many points lie at the selected time or before it
    uint32_t order;       // of its highest derivative in the equations
    uint32_t *gate_order; // by gate: the same while it acts
    bool is_live;         // rh_motion_set_input() gives its values
} rh_track;

typedef struct rh_tracks {
    rh_track *data;
    uint32_t count;
    rh_feed_piece *pieces; // by track: what all states see
    double next;           // where one of these pieces ends; INFINITY: never
    double border;         // the last such time that was passed
    bool is_stuck;         // the motion cannot go over to the next ones
    double *before, *near; // by event: just before the border, and at it (border.c)
} rh_tracks;

enum { RH_JUMP_FOLLOWERS = 5 }; // states that follow the sides of the conditions of the jumps

/// Jumps of velocities where a condition in an energy or a constraint changes (jump.c).
typedef struct rh_jump {
    rh_tape_state *state;    // of the released tape; NULL: there are no such conditions
    const char **names;      // by condition
    const char **link_names; // by constraint
    rh_tape_state *followers[RH_JUMP_FOLLOWERS];
    uint32_t *sides[RH_JUMP_FOLLOWERS]; // of each: see rh__system_sides
    rh_point point;
    rh_arena scratch;
    int *side;   // by condition: before the state was reset; 0: it is not on its surface
    double at;   // the time of the last jump
    double work; // of the impulses of constraints in it
} rh_jump;

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

/// A text that was compiled and loaded (native.c).
typedef struct rh_native {
    void *library;
    rh_series_kernel *kernel;
    rh_steps_kernel *steps; // NULL: it has none
    bool is_lent;           // the library belongs to another one
    bool is_found;          // it was there already
    char *text;             // what it was made of
    size_t text_size;
    char reason[256]; // why there is none
} rh_native;

#define RH_NATIVE_NAME "rheonom_series" // of the function
#define RH_NATIVE_STEPS "rheonom_steps"
#define RH_NATIVE_BRIEF "rheonom_brief"

typedef struct rh_native_def {
    rh_slice text;
    uint32_t lanes;
    bool is_long;    // so long that a compiler shall not look for the best
    rh_guard *guard; // asked while the compiler runs; NULL: nobody is
} rh_native_def;

/// Compile and load; false with a reason, and nothing to destroy.
bool rh__native_create(const rh_native_def *def, rh_native *out);
void rh__native_destroy(rh_native *native);

/// Who computes the series (tier.c).
typedef struct rh_tiering {
    rh_tier asked;
    bool is_settled;    // compiled, or given up
    uint64_t switch_at; // number of the step from which on they are compiled
    rh_native native;
    const char *reason;
} rh_tiering;

/// Whole steps by compiled text, where nothing but the series decides (glider.c).
typedef struct rh_glider {
    double *room; // NULL: there are none
    double *jet;
    bool is_ready; // the series of the present point stands in `jet`
} rh_glider;

/// Is the motion one for compiled steps? No events, no constraints to return to, no switches.
bool rh__glider_is_free(const rh_motion *motion);
/// Make room; false: there is none.
bool rh__glider_create(rh_motion *motion);
/// One place of several in a room of compiled steps.
typedef struct rh_lane {
    double *room;
    uint32_t index, count;
} rh_lane;

/// Numbers for a room, or for jets, aligned for the widest cells.
double *rh__glider_room(rh_arena *arena, size_t count);
/// What does not change along a motion.
void rh__glider_set(const rh_motion *motion, const rh_lane *at);
/// May it go by compiled steps from here?
bool rh__glider_is_due(const rh_motion *motion, double t_end);
/// Put the motion on a lane; take it off, with what the steps made of it.
void rh__glider_load(rh_motion *motion, const rh_lane *at, double t_end, uint64_t budget);
void rh__glider_unload(rh_motion *motion, const rh_lane *at, double margin);
/// At most so many steps towards t_end; false: none was made, the next one is for the library.
bool rh__glider_go(rh_motion *motion, double t_end, uint64_t budget);

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

/// The multiplier of a servo constraint (control_loss.c).
typedef struct rh_control {
    uint32_t link;
    uint32_t slot; // of the step tape
} rh_control;

typedef struct rh_control_loss {
    rh_control *controls;
    uint32_t count;
} rh_control_loss;

/// The argument of a function that may be constant to rounding (saturation.c).
typedef struct rh_saturating {
    uint32_t slot;
    bool is_exp;     // else tanh
    bool is_watched; // of the event functions, else of the rates
} rh_saturating;

typedef struct rh_saturation {
    rh_saturating *arguments;
    uint32_t count, stepping; // all; those of the rates, which come first
    double *samples;          // of each argument along the step
} rh_saturation;

/// What is more than a polynomial of x, the time and unknowns, by slot (watched.c).
typedef struct rh_curved {
    const bool *step, *watch;
    bool has_watch; // an event function or a surface of one
} rh_curved;

/// Linear first integrals (conserved.c).
typedef struct rh_conserved {
    uint32_t count;
    double *weights;   // by integral, then by x
    double *values;    // by integral, since the last jump
    double *work;      // like the weights
    uint32_t *leaders; // by integral: its own large variable; UINT32_MAX: there is none
} rh_conserved;

struct rh_motion {
    rh_arena arena;
    rh_equations *equations;
    rh_system *system;
    rh_values values; // of parameters and start values: its own
    rh_layout layout;
    rh_start start;
    rh_tape_state *step;  // jets of the stepping tape
    rh_tape_state *plain; // the stepping tape at a point
    rh_tape_state *probe; // a few orders of it, where gates are met; without holds it is `step`
    rh_tape_state *watch; // jets of the event functions
    rh_tape_state *watch_point; // the same at a point
    rh_tape_state *output;      // all columns at a point
    rh_projector projector;
    rh_deviations deviations;
    rh_eliminated eliminated;
    rh_unique unique;
    double *steepness; // by row of the projector: work of rank_loss.c

    uint32_t n;            // of x
    bool is_system_lent;   // it belongs to another motion, which lives longer
    bool has_trial_units;  // by a time that says nothing of the motion, for the first step
    bool has_drift_bounds; // where `bounds` was looked for last
    double t, t_before;
    double t_seen; // what callers have seen: steps taken back do not go behind it
    double *x;
    double *x_try, *x_row, *slope; // work
    rh_series series;
    rh_ladder_list ladders; // of the stepping tape
    double tolerance, drift;
    rh_least_list errors; // what was given for single variables
    double *least;  // by x: no error below tolerance * least[i] is asked for; 0: nothing is given
    double *unit;   // by x: errors are relative to unit + |x|; 0: it was always zero
    double *bounds; // by slot of `step`: rounding, where it was looked for last
    double *watch_bounds;    // by slot of `watch`
    double *drift_bounds[2]; // the same with x as it is, and with the rounding of its rates
    double *bounds_at;       // the time and x there
    uint64_t bounds_jumps;   // `jumps` there
    double *floor;           // by x: no unit is smaller, by `least` and by rounding of the rates
    double *most;            // by x: the largest unit, while units fade (implicit.c)
    double unit_time;        // in which the motion changed at the start; 0: not known
    uint64_t unit_jumps;     // `jumps` when they were found
    double fixed_step;       // of methods that have one length
    const rh_stepper *stepper;
    void *stepper_data; // of the stepper
    rh_choice choice;
    const char *method_reason;
    uint64_t jumps; // how often the state or the equations changed at once
    rh_leap leap;
    rh_reset reset;
    rh_jump jump;
    rh_tracks tracks;

    rh_keep keep;
    rh_tiering tier;
    rh_glider glider;
    uint32_t order; // of the step under way
    double cut;     // not 0: the series is cut short, and must be true up to this share of the step
    uint32_t order_chosen; // of steps whose coefficients are not too large for numbers
    rh_restart restart;
    uint64_t steps, step_limit, singular_steps;

    const char **event_names; // by event
    double *event_last;       // by event: when it happened last
    bool *due;                // by event: it ends the step, or happens where that ends
    rh_mode mode;
    rh_accumulation accumulation;
    double t_most;      // the end of the present step at most
    double met;         // where a step was ended last by something that was met
    double *watch_side; // by switch of the event functions
    RH_ARRAY(rh_occurrence) occurrences;
    struct {
        double share;
        uint32_t event;     // index; that of a gate comes after those of the model
    } found[RH_FOUND_MOST]; // in the step at hand, by time: recorded once its end is known
    uint32_t found_count;
    RH_ARRAY(rh_column) columns;
    double *residuals;     // by constraint
    double *residuals_try; // the same, of the step at hand
    double residual;       // largest relative one
    double energy_start;
    rh_samples samples;
    double *polynomial; // of one event function
    double *root_work;
    rh_root *roots;
    uint32_t idle;      // steps without progress
    double length_last; // of the last step, or of its series; 0: there was none
    uint32_t strays;    // steps that had to be shortened, one after another
    rh_stop stop_due;   // what the next step comes back with at once
    rh_growth growth;
    rh_conserved conserved;
    rh_saturation saturation;
    rh_curved curved;
    rh_control_loss control_loss;
    const char *reason; // "" while it can go on
    rh_diagnostic_code reason_code;
    char reason_text[256];
};

/// A time to 20 bits. Times that are found by roots and logarithms are rounded so, since these
/// round differently in other units of time: then steps are the same there, bit by bit.
static inline double rh__unit_rounded(double time)
{
    uint64_t bits = 0;
    memcpy(&bits, &time, sizeof bits);
    bits = (bits + 0x80000000ULL) & ~0xffffffffULL;
    memcpy(&time, &bits, sizeof time);
    return time;
}
/// The units of all variables (unit.c): by what is given and by the values at the start; and by the
/// series there, once it is known what holds.
RH_NODISCARD rh_status rh__unit_create(rh_motion *motion);
void rh__unit_guess(rh_motion *motion);
/// What steps need of memory to solve for the rates, once it is known what holds.
RH_NODISCARD rh_status rh__unit_reserve(rh_motion *motion);
void rh__unit_find(rh_motion *motion, double left);
/// The same at the end of a step.
void rh__unit_follow(rh_motion *motion);
/// A rate that counts, by units.
static inline double rh__unit_pace(const rh_motion *motion)
{
    return motion->unit_time > 0.0 ? 1e-3 / motion->unit_time : 0.0;
}
/// What rounding of the rates at the present point moves x by over a step is an error that no
/// method can avoid: motion->floor is no less. True: it is more than the size of a variable.
bool rh__unit_find_floor(rh_motion *motion, double step);
/// The same of the rates at the end of the series at hand: forces in balance may grow on the way.
bool rh__unit_find_floor_ahead(rh_motion *motion);
/// No unit fades below: what is given; of what is nothing but such rounding, motion->floor.
double rh__unit_least(const rh_motion *motion, uint32_t i);
/// Before that, in methods without a memory of their own: sizes of what became small and slow fade.
void rh__unit_fade(rh_motion *motion);
/// Variables that were zero get units by the series; are there such?
bool rh__unit_wake(rh_motion *motion);
#define RH_UNIT_NONE 1e-60 // of what is zero, and has no errors: shares of it are numbers
static inline double rh__unit_of(const rh_motion *motion, uint32_t i)
{
    return motion->unit[i] > RH_UNIT_NONE ? motion->unit[i] : RH_UNIT_NONE;
}
/// The size of a variable: the largest that it had, and no less than what rounding of its rate
/// leaves.
double rh__unit_size(const rh_motion *motion, uint32_t i, double x);
/// The size of a slot of `step`: that of its terms, by what rounding does to it.
double rh__unit_of_slot(rh_motion *motion, uint32_t slot);
/// The size of its rate, by what rounding does to the rates of x.
double rh__unit_of_rate(rh_motion *motion, uint32_t slot);
/// The same of an event function; that of event 0 is asked for first.
double rh__unit_of_event(rh_motion *motion, uint32_t index);
/// What is rounding in the row of a hold, with the rates as they are at the present point: in the
/// rate of the last level of its constraint.
double rh__unit_of_hold(rh_motion *motion, uint32_t hold);
/// Read `scale` of the model and the absolute errors of the def into motion->least (least.c). Needs
/// the columns.
RH_NODISCARD rh_status rh__least_create(rh_motion *motion, const rh_motion_def *def, rh_error *err);
/// The same for the present values of parameters and the present tolerance. RH_E_UNAVAILABLE when a
/// scale is not positive.
RH_NODISCARD rh_status rh__least_renew(rh_motion *motion);

/// Find the multipliers of servo constraints (control_loss.c).
RH_NODISCARD rh_status rh__control_loss_create(rh_motion *motion);
/// A step that ends before the pole of such a multiplier; at most `length`. The motion ends (E511)
/// where it has come to one.
double rh__control_loss_limit(rh_motion *motion, double length);

/// Find the functions that may saturate (saturation.c).
RH_NODISCARD rh_status rh__saturation_create(rh_motion *motion);
bool rh__saturation_is_possible(const rh_motion *motion);
/// How far the step at hand may go before a function that is constant to rounding comes back; at
/// most `length`. Its polynomial must be there.
double rh__saturation_limit(rh_motion *motion, double length);

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

static inline const double *rh__series_row(const rh_series *series, uint32_t k)
{
    if (k > 0 && series->lender != NULL && series->lender->is_lean) {
        rh__jet_fill(series->lender);
    }
    return series->rows + (size_t)k * series->pitch;
}
/// Room for series up to an order, of `count` components.
RH_NODISCARD rh_status rh__series_create(uint32_t count, uint32_t order, rh_ladder_list ladders,
                                         rh_arena *arena, rh_series *out);
/// Coefficients of its own, to be filled.
double *rh__series_begin(rh_series *series);
/// Keep coefficients that are lent: the jets they stand in will be those of another point.
void rh__series_keep(rh_series *series);
/// x at a time within the series.
void rh__series_value(const rh_series *series, double time, double *out);
/// Its derivative there.
void rh__series_slope(const rh_series *series, double time, double *out);

/// What ends a step early.
typedef enum rh_crossing_kind {
    RH_CROSSING_NONE,
    RH_CROSSING_EVENT,     // of the model
    RH_CROSSING_SWITCH,    // a surface of the equations, or the end of a slide
    RH_CROSSING_CONDITION, // inside an event function
    RH_CROSSING_GATE       // a one-sided constraint is met, or lets go
} rh_crossing_kind;

typedef struct rh_crossing {
    double share; // of the step, in (0, 1]; above 1: nothing
    rh_crossing_kind kind;
    uint32_t index; // of its kind
    int direction;  // sign after the crossing
} rh_crossing;

/// Jets of the event functions from those of the step.
void rh__crossing_watch(rh_motion *motion);
/// Find what happens within the step and what ends it.
/// `length`: of the step; out, as far as what is watched can be trusted.
rh_status rh__crossing_find(rh_motion *motion, double *length, rh_crossing *out);
/// Times that lie no farther apart are one where something is met: by roundings of the time, and
/// where the motion is known to its error only, by no more than is taken for one moment.
double rh__crossing_moment(const rh_motion *motion, double time);
/// Record what was found up to the end of the step.
void rh__crossing_note(rh_motion *motion, const rh_crossing *end);

/// No event is due.
void rh__crossing_clear(rh_motion *motion);
/// An event happened.
void rh__crossing_record(rh_motion *motion, uint32_t event, double time);
bool rh__crossing_is_wanted(rh_direction direction, rh_root_kind kind);

enum { RH_ROOT_MOST = RH_POLYNOMIAL_DEGREE + 1 }; // of one function in a step

/// A function along the step: a slot of the watch tape for an event, else of the stepping tape.
typedef struct rh_watched {
    uint32_t slot;
    bool is_event;
    double bound;  // subtracted from it
    double factor; // negative: its sign is turned
} rh_watched;

/// Tell apart, and place, roots of `query` that its polynomial over the step leaves in doubt, by
/// values of the function itself; one at the beginning of the step is left out. motion->polynomial
/// and x_try are lost; `roots` has other data.
void rh__cluster_refine(rh_motion *motion, const rh_watched *what, const rh_root_query *query,
                        rh_root_list *roots);
/// The event functions at the point where `plain` was run, in `watch_point`.
void rh__cluster_run_watched(rh_motion *motion);
/// Is its sign there more than an error of the state?
bool rh__cluster_is_sure(rh_motion *motion, const rh_watched *what, double share);

rh_status rh__watched_create(rh_motion *motion);
/// As far as the series of all that is watched are true; `length`, or shorter (watched.c).
double rh__watched_limit(rh_motion *motion, double length);

/// Choose a stepper and make it ready at the start.
rh_status rh__method_begin(rh_motion *motion, rh_method method, rh_error *err);
void rh__method_end(rh_motion *motion);
/// Make the implicit method that a free choice falls on, if it is not there.
rh_status rh__method_make_implicit(rh_motion *motion, rh_error *err);
/// Are the steps limited by stability, and not by the motion? `text` says why.
bool rh__stiffness_is_due(rh_motion *motion);
/// Does everything decay that is as fast as steps of this length? Asked where they lead nowhere.
bool rh__stiffness_is_plain(rh_motion *motion, double length);
/// Begin to look, from the present point on.
void rh__stiffness_begin(rh_motion *motion);
/// Are the steps of an implicit method so short that nothing stiff limits them?
bool rh__stiffness_is_over(rh_motion *motion);
/// End a step of an implicit method that was chosen freely shortly before the surface it leads
/// over.
rh_status rh__method_approach(rh_motion *motion, double *length, rh_crossing *crossing);
/// Expand by the present stepper, or by another one that suits better from here on.
rh_expansion rh__method_expand(rh_motion *motion, double *length);
/// After a step: go on with the method that was asked for, where series stood in for it.
void rh__method_return(rh_motion *motion);

/// Which tier is asked for, and when the series are compiled.
rh_status rh__tier_create(rh_motion *motion, const rh_motion_def *def);
/// Can motions of these equations begin anew with other numbers? (restart.c)
bool rh__motion_can_restart(const rh_equations *equations);
/// Which one a recipe asks for, or the environment where it does not.
rh_tier rh__tier_asked(const rh_motion_def *def);
/// From how many steps on compiling pays.
uint64_t rh__tier_worth(const rh_motion *motion);
/// Beginning anew, it is the interpreter again.
void rh__tier_forget(rh_motion *motion);
/// Are its steps compiled, from the first one on?
bool rh__tier_is_early(const rh_motion *motion);
/// Compile the steps of a motion for several side by side; false with a reason.
bool rh__tier_widen(rh_motion *motion, uint32_t lanes, rh_native *out);
/// Numbers of work that a lane needs.
size_t rh__tier_room(const rh_motion *motion);
/// Lend the compiled steps of a motion to another one of the same equations and recipe, which must
/// be destroyed before it; false: there is no memory.
bool rh__tier_lend(const rh_motion *motion, rh_motion *other);
void rh__tier_destroy(rh_motion *motion);
/// A step begins: compile when it is time.
void rh__tier_follow(rh_motion *motion);

rh_status rh__samples_create(rh_motion *motion);
/// The state jumped: nothing is known of the signs before.
void rh__samples_forget(rh_motion *motion);
/// The stepper changed: the same, without a jump.
void rh__samples_unknown(rh_motion *motion);
/// Walk along the series from its beginning; gives the part of it that the samples are good for.
double rh__samples_take(rh_motion *motion, double length);
/// The polynomial through values at Chebyshev points of [0, 1], in motion->polynomial, without what
/// is rounding in it. Returns its degree.
uint32_t rh__samples_fit(rh_motion *motion, const double *values);
/// Function `index` at the beginning of the step, and at its end.
double rh__samples_first(const rh_motion *motion, uint32_t index);
double rh__samples_last(const rh_motion *motion, uint32_t index);
/// Is a function nowhere in the last step more than rounding of its terms?
bool rh__samples_are_rounding(const rh_motion *motion, uint32_t index);
/// Function `index` as a polynomial in the share of the step, in motion->polynomial. Returns its
/// degree; `out_floor`: how well it is known.
uint32_t rh__samples_polynomial(rh_motion *motion, uint32_t index, double *out_floor);

rh_status rh__mode_create(rh_motion *motion);
/// The text of a condition, in the arena of the motion; NULL: there is no memory.
const char *rh__mode_condition_text(rh_motion *motion, rh_expr condition);
/// Nothing is known any more: at the start, after a jump of the state.
void rh__mode_open(rh_motion *motion);
/// Decide at (t, x) all that is open, and record what changed. The tape `step` works with it at
/// once, `plain` from the next step on: rows of the last step belong to the last mode.
void rh__mode_settle(rh_motion *motion);
/// A step begins: `plain` and the rows from here on belong to the present mode.
void rh__mode_begin(rh_motion *motion);
/// A step was taken: what was known of its beginning is over.
void rh__mode_advance(rh_motion *motion);
/// The time in which the motion changes by its size, by the series in `step`.
double rh__mode_span(const rh_motion *motion);
/// The first coefficient of a slot of `step`, from `from` on, that is more than rounding.
rh_mode_term rh__mode_first(rh_motion *motion, uint32_t slot, uint32_t from, double span);
/// Values of a slot that count as zero: a step without jets is known to its error only.
double rh__mode_met(rh_motion *motion, uint32_t slot);
/// What is rounding in a coefficient.
double rh__mode_noise(rh_motion *motion, uint32_t slot, uint32_t order, double span);
void rh__mode_record(rh_motion *motion, rh_occurrence_kind kind, const char *name, double time);

rh_status rh__accumulation_create(rh_motion *motion);
void rh__accumulation_forget(rh_motion *motion);
/// How long a step may be that begins with a reset, or with one of the changes of rounds: without
/// jets what happens soon after it would be lost beside a much longer step.
double rh__accumulation_pace(const rh_motion *motion);
/// The equations or the state changed, by `how` and by the resets that are due. Where such changes
/// come to a limit the motion is put there.
void rh__accumulation_note(rh_motion *motion, const rh_crossing *how);

rh_status rh__gate_create(rh_motion *motion);
void rh__gate_destroy(rh_motion *motion);
/// All gates as they were made, for the present start. RH_E_UNAVAILABLE when a restitution is none.
rh_status rh__gate_renew(rh_motion *motion);
/// Their restitutions, for the present parameters; RH_E_UNAVAILABLE when one is none.
rh_status rh__gate_find_restitutions(rh_motion *motion);
void rh__gate_open(rh_motion *motion);
void rh__gate_decide(rh_motion *motion);
/// Record what changed since the last time.
void rh__gate_say(rh_motion *motion);
/// Gate `index` was met, or its multiplier vanishes.
void rh__gate_cross(rh_motion *motion, uint32_t index);
/// The slot of `step` that tells when it is met, or lets go.
uint32_t rh__gate_slot(const rh_motion *motion, const rh_gate *gate);
/// The tape `probe` at (t, x) in the mode of `step`, and a level of a gate there.
void rh__gate_look(rh_motion *motion);
double rh__gate_level(const rh_motion *motion, const rh_gate *gate, uint32_t level);
/// What of a level counts as zero: rh__mode_met.
double rh__gate_met(rh_motion *motion, const rh_gate *gate, uint32_t level);
/// One more open gate; more than RH_GATE_OPEN cannot be decided together.
void rh__gate_put(rh_motion *motion, uint32_t index);
/// Fill `response` and `push` for the open gates; then turn those whose own response is negative.
void rh__gate_respond(rh_motion *motion);
void rh__gate_turn(rh_motion *motion);
/// 0 <= multiplier _|_ rate + response multiplier >= 0, `noise` being what is rounding in it. NULL
/// when there is not exactly one motion: it has failed then. `push`: what a unit of each multiplier
/// does, `width` numbers by open gate.
const rh_complement_solution *rh__corner_solve(rh_motion *motion, const double *push,
                                               uint32_t width);
/// Did the motion fail where this multiplier is none or one of many?
bool rh__corner_is_open(const rh_motion *motion, uint32_t link);
/// Velocities jump where gates are hit.
void rh__impact_apply(rh_motion *motion);

/// Gates that are touched, released for an impulse; then those that it presses push back.
void rh__impact_release(rh_motion *motion);
void rh__impact_press(rh_motion *motion);

rh_status rh__intermittent_create(rh_motion *motion);
void rh__intermittent_destroy(rh_motion *motion);
/// All off, as they were made.
void rh__intermittent_renew(rh_motion *motion);
/// At the start: on or off as the text says there.
void rh__intermittent_open(rh_motion *motion);
/// The state jumped: those whose conditions do not hold there are off.
void rh__intermittent_drop(rh_motion *motion);
/// Conditions were decided: come on or go off.
void rh__intermittent_decide(rh_motion *motion);
/// Record what changed since the last time.
void rh__intermittent_say(rh_motion *motion);
/// NULL: the constraint does not come and go.
const rh_intermittent *rh__intermittent_find(const rh_motion *motion, size_t constraint);

RH_NODISCARD rh_status rh__switch_create(rh_motion *motion);
/// The condition by which the motion slides on the surface of another one; UINT32_MAX: none.
uint32_t rh__switch_held_by(const rh_motion *motion, uint32_t index);
void rh__switch_open(rh_motion *motion);
/// Every condition whose surface is met is open, and others have the side that they are on.
void rh__switch_meet(rh_motion *motion);
/// The tape `step` at (t, x): truths by the sides, that of `index` by `side`; those without a side
/// as on their surface. rh__switch_impose() ends it.
void rh__switch_run(rh_motion *motion, uint32_t index, int side);
void rh__switch_impose(rh_motion *motion);
/// The same with truths as they are at the point.
void rh__switch_run_plainly(rh_motion *motion);
/// Conditions that were on their surfaces all the time are looked at anew.
void rh__switch_reopen(rh_motion *motion);
/// At an impact: nothing slides while velocities jump.
void rh__switch_let_go(rh_motion *motion);
void rh__switch_decide(rh_motion *motion);
/// Constraints were decided: conditions whose surfaces they keep have no side. `is_all`: those on
/// which the motion cannot slide too.
void rh__switch_rest(rh_motion *motion, bool is_all);
void rh__switch_say(rh_motion *motion);
/// Condition `index` is open: its surface was met, or a slide came to an end of its range.
void rh__switch_cross(rh_motion *motion, uint32_t index, int direction);
/// Slide `index` came to an end of its range: can what is lent take over so much that it comes back
/// into it? The series is there behind it.
bool rh__rest_lend(rh_motion *motion, uint32_t index);
/// Would the motion be kept on the surface of slide `index` by no others than slides?
bool rh__rest_is_shared(rh_motion *motion, uint32_t index);
/// Slide `index` is lent a value; all that are lent one slide, or are to be decided.
void rh__rest_begin(rh_motion *motion, uint32_t index);
void rh__rest_open(rh_motion *motion);
/// Do both sides of a lent condition lead away from its surface, stronger than what holds it there?
bool rh__rest_is_repelled(rh_motion *motion, uint32_t index);
/// Where several surfaces are held: put the state back onto them.
void rh__rest_keep(rh_motion *motion);
/// Give conditions in event functions the side their surfaces go to, by the jets of `watch`; true
/// when a truth changed by that.
bool rh__switch_decide_watched(rh_motion *motion);
void rh__switch_flip_watched(rh_motion *motion, uint32_t index, int direction);

rh_status rh__jump_create(rh_motion *motion);
void rh__jump_destroy(rh_motion *motion);
/// Condition `index` is crossed: let velocities jump, and open it as rh__switch_cross does.
void rh__jump_cross(rh_motion *motion, uint32_t index, int direction);
/// The motion begins, all is decided: where it is on a border in time the text may say something
/// else at the start than behind it, and velocities jump. True when they did.
bool rh__jump_begin(rh_motion *motion);
/// Rows, energies and projections belong to the sides that `like` has, a state of `step`.
void rh__jump_follow(rh_motion *motion, const rh_tape_state *like);
/// The state was reset: the same with the sides of before where it is still on their surfaces.
void rh__jump_reset(rh_motion *motion);
/// Nothing is known any more (rh__mode_open): except these sides.
void rh__jump_open(rh_motion *motion);

rh_status rh__reset_create(rh_motion *motion, rh_error *err);
void rh__reset_destroy(rh_motion *motion);
/// The output of its tape that holds the new value of what event `event` names as number `index`;
/// the present value is the next one.
uint32_t rh__reset_output(const rh_motion *motion, uint32_t event, uint32_t index);
/// Change the state as the event says.
rh_status rh__reset_apply(rh_motion *motion, uint32_t event);

/// The points of all feeds, from the def.
rh_status rh__tracks_create(rh_motion *motion, const rh_motion_def *def, rh_error *err);
/// All states see the pieces from now on.
rh_status rh__tracks_attach(rh_motion *motion);
/// The pieces that begin at `time` or hold there.
void rh__tracks_select(rh_motion *motion, double time);
/// An rh_feed_of.
double rh__tracks_value(void *motion, rh_expr symbol, double time);
/// Live ones are 0 again.
void rh__tracks_renew(rh_motion *motion);
/// The highest derivative of an input that the equations hold in the present mode.
uint32_t rh__track_order(const rh_motion *motion, const rh_track *track);
/// Go over a border at the present time, with the events there (motion.c).
void rh__motion_pass_border(rh_motion *motion);
/// The state or the equations are others from here on: decide all anew.
void rh__motion_open(rh_motion *motion);
/// Can the equations follow over the end of the present pieces? If not the motion fails.
bool rh__tracks_are_smooth(rh_motion *motion);

rh_status rh__border_create(rh_motion *motion);
/// Is an event at this time for rh__border_pass to find?
bool rh__border_is_near(const rh_motion *motion, double time);
/// The step ended with `how` where a piece of an input ends: go over to the next pieces. `out`: an
/// event that does more than record, if one happens there.
void rh__border_pass(rh_motion *motion, const rh_crossing *how, rh_crossing *out);
/// All columns at the border itself belong to the next pieces, and to the mode behind it.
bool rh__border_is_at(const rh_motion *motion, double time);

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

/// Everything that can be changed, with its present value, into a point of the layout of the
/// motion; it was evaluated at (t, x).
void rh__motion_point(const rh_motion *motion, const rh_point *out);
/// All tapes get the constants of a point: of the start, or of the start with others in it.
rh_status rh__motion_bind(rh_motion *motion, rh_point *point);
/// Constants of a state that were bound after so many changes of its values, if there were more
/// since. What cannot be bound has no values: NaN.
void rh__motion_bind_again(const rh_motion *motion, rh_tape_state *state, uint64_t *changes);
/// Are constants that were bound after so many changes of its values those of the present start?
bool rh__motion_is_bound(const rh_motion *motion, uint64_t changes);
/// Another motion of the same equations, by the same method, with the system of the first, which
/// has to live longer.
RH_NODISCARD rh_status rh__motion_create_like(const rh_motion *like, const rh_motion_def *def,
                                              rh_motion **out, rh_error *err);
/// Go to the start that was found, with a stepper: the last part of making a motion.
rh_status rh__motion_set_out(rh_motion *motion, rh_error *err);
/// Begin anew at the time of the start, from x moved onto the constraints that are two-sided. The
/// parameters, and the constants of `= const`, are those of the present start.
RH_NODISCARD rh_status rh__motion_place(rh_motion *motion, const double *x, rh_error *err);
/// Decide at (t, x) what holds there: a motion begins.
rh_status rh__motion_begin(rh_motion *motion, rh_error *err);

rh_status rh__columns_create(rh_motion *motion);
/// dx/dt at (t, x) through `plain`.
void rh__motion_rate(rh_motion *motion, double time, const double *x, double *out);
/// The system, by the presolve unless that loses rows at the start.
RH_NODISCARD rh_status rh__motion_make_system(rh_motion *motion, bool is_reduced, rh_error *err);
/// Run the plain state, whose inputs are there; ranks are found anew where the motion stands.
void rh__motion_run_plain(rh_motion *motion, double time, const double *x);
rh_status rh__jacobian_create(const rh_motion *motion, const rh_tape *tape, uint32_t rows,
                              rh_jacobian *out, rh_error *err);
/// The same with the structure of its entries, where it has few of them; else it is dense.
rh_status rh__jacobian_create_sparse(const rh_motion *motion, const rh_tape *tape, uint32_t rows,
                                     rh_jacobian_extra extra, rh_jacobian *out, rh_error *err);
/// The same for products with single directions.
rh_status rh__jacobian_create_single(const rh_motion *motion, const rh_tape *tape, uint32_t rows,
                                     rh_jacobian *out, rh_error *err);
void rh__jacobian_destroy(rh_jacobian *jacobian);
/// At the inputs of `like`, a state of the tape it is of, and with its switches and holds; `out`
/// has rows x columns numbers. False when it is not finite.
bool rh__jacobian_run(rh_jacobian *jacobian, const rh_tape_state *like, double *out);
/// The same for a sparse one; `out` has a number for each entry of the structure.
bool rh__jacobian_run_sparse(rh_jacobian *jacobian, const rh_tape_state *like, double *out);
/// The product with a direction.
void rh__jacobian_multiply(rh_jacobian *jacobian, const rh_tape_state *like, const double *along,
                           double *out);
/// Rates, multipliers and all outputs at (t, x).
void rh__motion_evaluate(rh_motion *motion, double time, const double *x);
/// Does the start determine all rates? RH_E_MODEL, with those that it does not (E409); the motion
/// ends there (E511) where control is lost. Asked before the first step.
RH_NODISCARD rh_status rh__motion_is_determined(rh_motion *motion, rh_error *err);
/// The motion cannot go on.
void rh__motion_fail(rh_motion *motion, rh_diagnostic_code code, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/// At a singularity, whose time follows on `what`.
void rh__fail_at_singularity(rh_motion *motion, rh_diagnostic_code code, const char *what);
/// A stepper gave up: when it was at a singularity, that is the reason.
void rh__fail_review(rh_motion *motion);
/// Where steps of this length lead nowhere.
void rh__fail_at_end_of_domain(rh_motion *motion, double length);

/// Some quantities along the steps of a motion (glance.c).
typedef struct rh_glance {
    rh_motion *motion; // kept by reference
    rh_tape *tape;     // inputs as the output tape
    rh_tape_state *point, *jets;
    double *noise; // by slot
    uint32_t count;
    uint64_t changes; // of the values of the motion, when constants were bound last
} rh_glance;

/// `what`: expressions of the model.
RH_NODISCARD rh_status rh__glance_create(rh_motion *motion, const rh_expr *what, uint32_t count,
                                         rh_glance *out, rh_error *err);
void rh__glance_destroy(rh_glance *glance);
/// The constants of the motion: to be called when it was begun anew.
RH_NODISCARD rh_status rh__glance_bind(rh_glance *glance);
/// What rounding may have done to the values that were found last.
void rh__glance_noise(const rh_glance *glance, double *out);
/// Values at a time of the last step; at its end, before anything jumped there.
RH_NODISCARD rh_status rh__glance_along(const rh_glance *glance, double time, double *out);
/// Values now.
void rh__glance_now(const rh_glance *glance, double *out);
/// Find the series over the last step, if they are jets; then each is a polynomial in the share of
/// the step, whose degree is handed back: `out` has room for as many numbers as the order is.
bool rh__glance_series(const rh_glance *glance);
uint32_t rh__glance_polynomial(const rh_glance *glance, uint32_t index, double *out);
