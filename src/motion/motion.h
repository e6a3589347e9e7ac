// SPDX-License-Identifier: Apache-2.0
// Door of the room `motion`: tape -> motion. Everything is reserved when a motion is made; stepping
// does not allocate, but for resets after which constraints have to be met anew.

#pragma once

#include "rheonom/motion.h"

#include "motion/change.h"
#include "motion/glance.h"
#include "motion/mode.h"
#include "motion/projector.h"
#include "motion/record.h"
#include "motion/series.h"
#include "motion/stepper.h"
#include "motion/tier.h"
#include "motion/watch.h"

#include <string.h>

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
