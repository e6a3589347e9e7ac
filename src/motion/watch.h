// SPDX-License-Identifier: Apache-2.0
// What is watched along a step: events, surfaces, gates, functions that saturate or have poles.

#pragma once

#include "motion/series.h"

/// What is watched, at points of a step (sample.c): surfaces, values of slides, gates, events,
/// surfaces of conditions inside events.
typedef struct rh_samples {
    uint32_t slide, gate, event, condition; // the first ones
    uint32_t count;
    double *values;   // by function, by point
    double *sizes;    // by function: of its terms
    double *between;  // by function: somewhere between the points
    int *event_side;  // by event: its sign at the end of the last step; 0: not known
    bool *is_timed;   // by function: it is a condition of the time alone
    double *spectrum; // values -> Chebyshev coefficients
    double *powers;   // Chebyshev coefficients -> powers
} rh_samples;

enum { RH_SAMPLE_DEGREE = 12 };

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
