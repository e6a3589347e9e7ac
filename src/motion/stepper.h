// SPDX-License-Identifier: Apache-2.0
// Ways to make a step, and which one is chosen: series, Runge-Kutta, implicit and fixed ones,
// leaps.

#pragma once

#include "motion/series.h"

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
/// How far the series at hand moves as the equations say; `length`, or shorter (truth.c).
double rh__truth_limit(rh_motion *motion, double length);
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
