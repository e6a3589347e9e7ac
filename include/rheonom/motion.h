// SPDX-License-Identifier: Apache-2.0
// A motion is one run of one system. It owns the state, the clock and the workspace; the equations
// are kept by reference. It goes step by step: after each step everything between the two ends can
// be asked for.

#pragma once

#include "rheonom/base.h"
#include "rheonom/equations.h"
#include "rheonom/model.h"

RH_EXTERN_C_BEGIN

/// Why a motion came to rest.
typedef enum rh_stop {
    RH_STOP_NONE,    ///< it did not: it can go on
    RH_STOP_REACHED, ///< the time that was asked for
    RH_STOP_EVENT,   ///< an event marked `stop`
    RH_STOP_FAILED   ///< it cannot go on; the reason says why
} rh_stop;

typedef enum rh_occurrence_kind {
    RH_OCCURRENCE_RECORD,    ///< an event of the model
    RH_OCCURRENCE_STOP,      ///< an event of the model that ends the motion
    RH_OCCURRENCE_RESET,     ///< an event of the model that changes the state
    RH_OCCURRENCE_SLIDE,     ///< from here on it slides on the surface of a condition
    RH_OCCURRENCE_LEAVE,     ///< it lets go of a one-sided constraint or of a surface
    RH_OCCURRENCE_ENGAGE,    ///< a one-sided constraint acts from here on
    RH_OCCURRENCE_GRAZE,     ///< a one-sided constraint is touched and not pressed
    RH_OCCURRENCE_NEUTRAL,   ///< a one-sided constraint could act or not: the motion is the same
    RH_OCCURRENCE_IMPACT,    ///< velocities jump by impulses of constraints
    RH_OCCURRENCE_REFRACT,   ///< velocities jump where an energy or a gradient does, at a condition
    RH_OCCURRENCE_REFLECT,   ///< they are thrown back from there
    RH_OCCURRENCE_ACCUMULATE ///< changes came ever faster, and this is their limit
} rh_occurrence_kind;

/// One word: "record", "stop", "reset", "slide", "leave", "engage", "graze", "neutral", "impact",
/// "refract", "reflect", "accumulate".
RH_API const char *rh_occurrence_kind_text(rh_occurrence_kind kind);

/// Something that happened at a point of time. Texts are borrowed from the motion.
typedef struct rh_occurrence {
    double time;
    rh_occurrence_kind kind;
    const char *name; ///< of the event, the constraint or the condition
    uint64_t count;   ///< of changes that accumulated, as far as they were followed; else 0
} rh_occurrence;

/// Ways to move.
typedef enum rh_method {
    RH_METHOD_AUTO,   ///< Taylor series, except where the equations are stiff
    RH_METHOD_TAYLOR, ///< Taylor series of high order
    RH_METHOD_DOP853, ///< explicit Runge-Kutta of order 8 (Dormand, Prince)
    RH_METHOD_CVODE,  ///< backward differences of SUNDIALS, for stiff equations
    RH_METHOD_IDA,    ///< the equations with multipliers as they stand, by SUNDIALS: a check
    RH_METHOD_EULER,  ///< Euler's, with steps of one length, as all that follow
    RH_METHOD_RK2,    ///< Heun's, of order 2
    RH_METHOD_RK3,    ///< Kutta's, of order 3
    RH_METHOD_RK4,    ///< Kutta's, of order 4
    RH_METHOD_DP5     ///< of order 5 (Dormand, Prince)
} rh_method;

/// Who computes Taylor series.
typedef enum rh_tier {
    RH_TIER_AUTO,        ///< interpreted, and emitted from a step on that the size of the model
                         ///< fixes, when compiling pays; RHEONOM_TIER in the environment may say
                         ///< `interpreted` or `emitted` instead
    RH_TIER_INTERPRETED, ///< tapes, from the first step to the last
    RH_TIER_EMITTED      ///< C text for the tape, compiled before the first step
} rh_tier;

/// What flows in through an input that comes from a file: straight lines between points, the first
/// value before them and the last one after them. Times do not decrease; two points at one time are
/// a jump.
typedef struct rh_feed {
    const char *name; ///< of the input
    const double *times;
    const double *values;
    size_t count; ///< at least 1
} rh_feed;

/// How large the local error of a variable may be however small the variable is: no smaller error
/// is asked for.
typedef struct rh_tolerance {
    const char *name; ///< of a coordinate, a velocity `NAME'` or a state; of an array: all members
    double value;     ///< positive
} rh_tolerance;

/// Recipe for a motion. Begin with rh_motion_def_default(), then change what you need.
typedef struct rh_motion_def {
    uint32_t struct_size; ///< set by the default function; do not touch
    double tolerance; ///< local error of a step, relative to scale + |x|; the scale is 1 or given
    double drift;     ///< largest residual of a kept constraint, relative to its terms
    uint32_t order;   ///< of the Taylor series; 0: chosen by the tolerance
    uint32_t step_limit;  ///< steps after which it gives up
    rh_method method;     ///< which way to move
    const rh_feed *feeds; ///< one for each input that comes from a file; need not outlive the call
    size_t feed_count;
    rh_tier tier;      ///< who computes Taylor series; without a compiler they are interpreted
    uint64_t expected; ///< motions of this kind that are to come, by beginning anew: compiling pays
                       ///< sooner then; 0: no others
    double step;       ///< length of the steps of RH_METHOD_EULER and those after it
    bool is_abreast;   ///< one of many that may go side by side: lower orders pay then
    const rh_tolerance *tolerances; ///< absolute, of single variables; need not outlive the call
    size_t tolerance_count;
    bool has_live_inputs; ///< inputs from files that have no feed are 0 until rh_motion_set_input()
                          ///< sets them; else a missing feed is refused
} rh_motion_def;

/// The defaults, in the open: this function is the documentation of them.
static inline rh_motion_def rh_motion_def_default(void)
{
    rh_motion_def def = RH_ZERO;
    def.struct_size = (uint32_t)sizeof def;
    def.tolerance = 1e-13;
    def.drift = 1e-10;
    def.step_limit = 100000000;
    return def;
}

/// Create a motion at the consistent start of the equations.
/// @param equations  kept by reference; must outlive the motion
/// @param out        receives a motion the caller destroys
/// @return RH_E_MODEL when there is no consistent start, or the equations do not determine how it
///         goes on from there (a checkup says why), RH_E_UNAVAILABLE when
///         the equations have no form that moves, RH_E_MEMORY, RH_E_LIMIT, RH_E_ARGUMENT (also when
///         feeds and inputs do not fit together, or a tolerance names no variable)
RH_API RH_NODISCARD rh_status rh_motion_create(rh_equations *equations, const rh_motion_def *def,
                                               rh_motion **out, rh_error *err);

/// Begin anew with other numbers for what stood in rh_model_def.set and .start, in their order
/// (NaN: as it was): parameters get these values, the start is made consistent anew, and the motion
/// stands there as one that was just made from the text with these numbers, bit by bit, at a small
/// part of the cost. The values of the model change with it: other motions of the model keep
/// theirs, and see the new ones when they are begun anew. A motion that is kept cannot be begun
/// anew.
/// @return RH_E_UNAVAILABLE when other equations may hold for these numbers: the model must be made
///         anew. RH_E_MODEL when there is no consistent start, RH_E_ARGUMENT when one of them gave
///         no single value, RH_E_MEMORY. After a failure the motion can only be begun anew or
///         destroyed.
RH_API RH_NODISCARD rh_status rh_motion_restart(rh_motion *motion, const double *set,
                                                size_t set_count, const double *start,
                                                size_t start_count, rh_error *err);

/// Destroy a motion. NULL is allowed.
RH_API void rh_motion_destroy(rh_motion *motion);

/// Take one step, at most to `t_end`. Never allocates, except where RH_METHOD_AUTO looks for
/// stiffness and changes the method, and where RH_TIER_AUTO compiles.
/// @return RH_OK also when the motion cannot go on: then *out_stop is RH_STOP_FAILED
RH_API RH_NODISCARD rh_status rh_motion_step(rh_motion *motion, double t_end, rh_stop *out_stop,
                                             rh_error *err);
/// Take steps until `t_end`, a stopping event, or a failure.
RH_API RH_NODISCARD rh_status rh_motion_advance(rh_motion *motion, double t_end, rh_stop *out_stop,
                                                rh_error *err);

/// Set a live input (rh_motion_def.has_live_inputs) from the present time on, between two steps. It
/// keeps its value until it is set again: rows of the last step hold the value of before. Events
/// whose functions jump with it happen at once; one that stops ends the next step. Never allocates.
/// @return RH_E_ARGUMENT when there is no such live input, or the motion has ended;
///         RH_E_UNAVAILABLE when coordinates or velocities would have to jump with it, or the
///         motion keeps checkpoints
RH_API RH_NODISCARD rh_status rh_motion_set_input(rh_motion *motion, const char *name, double value,
                                                  rh_error *err);

/// Give a parameter (`m`, or a member `m[2]`) another value from the present time on, between two
/// steps. Parameters given by it follow. The model stays as it is, and other motions of it do.
/// Conditions, contacts and events are decided anew; coordinates, velocities and states stay. Works
/// (rh_work) that follow the motion cannot go on.
/// @return RH_E_UNAVAILABLE, with the motion as it was, when other equations may hold for the value
///         (it vanishes or ceases to, sizes depend on it), when coordinates or velocities would
///         have to jump with it, or when the motion keeps checkpoints; RH_E_ARGUMENT when there is
///         no such parameter or the motion has ended; RH_E_MEMORY
RH_API RH_NODISCARD rh_status rh_motion_set_parameter(rh_motion *motion, const char *name,
                                                      double value, rh_error *err);

/// The time now, and where the last step began.
RH_API double rh_motion_time(const rh_motion *motion);
RH_API double rh_motion_time_before(const rh_motion *motion);
/// Why it cannot go on; "" when it can.
RH_API const char *rh_motion_reason(const rh_motion *motion);
/// The code of that reason ("E507"), which `rheonom explain` knows; "" when it can go on.
RH_API const char *rh_motion_reason_code(const rh_motion *motion);

/// Columns: time, coordinates and states, velocities `NAME'`, quasi-velocities, `lambda.NAME`,
/// `dev.NAME`, observes.
RH_API size_t rh_motion_column_count(const rh_motion *motion);
RH_API const char *rh_motion_column_name(const rh_motion *motion, size_t index);
/// The columns at a time within the last step (or at the start).
/// @param out  room for rh_motion_column_count() numbers
RH_API RH_NODISCARD rh_status rh_motion_row(rh_motion *motion, double time, double *out,
                                            rh_error *err);

/// What happened so far, in order of time. Only the first hundred thousand are kept.
RH_API size_t rh_motion_occurrence_count(const rh_motion *motion);
RH_API rh_occurrence rh_motion_occurrence(const rh_motion *motion, size_t index);

/// What the run was like.
typedef struct rh_motion_summary {
    uint32_t struct_size; ///< of the caller's struct
    uint64_t steps;
    uint32_t order;
    double energy_start, energy_now; ///< T + V; NaN when the model has none
    double residual;                 ///< largest residual of a kept constraint so far, absolute
    uint64_t singular_steps;         ///< steps in which constraints were redundant or singular
    const char *method;              ///< as rh_motion_method()
    const char *method_reason;       ///< as rh_motion_method_reason()
    double push; ///< least multiplier of a one-sided constraint that acted, with the sign with
                 ///< which it pushes: not negative but for rounding; NaN when none acted
    uint64_t unique_changes; ///< how often reactions became unique or ceased to be
    double unique_since;     ///< when that was seen last; NaN: it was not
    const char *tier;        ///< as rh_motion_tier()
    const char *tier_reason; ///< as rh_motion_tier_reason()
} rh_motion_summary;

RH_API rh_motion_summary rh_motion_summarise(rh_motion *motion);
/// Largest absolute deviation of a constraint so far: at the ends of steps where it is kept, and at
/// points along them where it may be missed (a law, friction, one-sided: there by how much it is
/// below zero).
RH_API double rh_motion_residual(const rh_motion *motion, size_t constraint);
/// Is the multiplier of a constraint determined at the present time? Where constraints are
/// redundant or lose their rank the load may be shared in many ways, and the multipliers told are
/// the least.
RH_API bool rh_motion_is_unique(rh_motion *motion, size_t constraint);

/// Does a constraint hold on one side only?
RH_API bool rh_motion_is_one_sided(const rh_motion *motion, size_t constraint);
/// Does it act now, and did it at the start? True for two-sided ones.
RH_API bool rh_motion_is_active(const rh_motion *motion, size_t constraint);
RH_API bool rh_motion_was_active(const rh_motion *motion, size_t constraint);
/// Can nothing tell whether it acts, now? Both motions agree then.
RH_API bool rh_motion_is_neutral(const rh_motion *motion, size_t constraint);

/// What a column holds.
typedef enum rh_quantity {
    RH_QUANTITY_TIME,
    RH_QUANTITY_VARIABLE,   ///< a coordinate or a state
    RH_QUANTITY_VELOCITY,   ///< `NAME'` of a coordinate
    RH_QUANTITY_QUASI,      ///< a quasi-velocity
    RH_QUANTITY_MULTIPLIER, ///< `lambda.NAME`
    RH_QUANTITY_HELD,       ///< `lambda.NAME` that is a state (type II)
    RH_QUANTITY_DEVIATION,  ///< `dev.NAME`; these stand in the order of the constraints
    RH_QUANTITY_OBSERVE
} rh_quantity;

RH_API rh_quantity rh_motion_column_quantity(const rh_motion *motion, size_t index);
/// The length of its steps when its method has one length; else 0.
RH_API double rh_motion_fixed_step(const rh_motion *motion);
/// The way it moves, in one word: "taylor", "dop853", "cvode", "ida", "euler", "rk2", "rk3", "rk4",
/// "dp5"; it may change on the way.
RH_API const char *rh_motion_method(const rh_motion *motion);
/// Why this way, in one sentence.
RH_API const char *rh_motion_method_reason(const rh_motion *motion);

/// Who computes its series now, in one word: "interpreted", "emitted".
RH_API const char *rh_motion_tier(const rh_motion *motion);
/// Why, in one sentence.
RH_API const char *rh_motion_tier_reason(const rh_motion *motion);
/// Was it asked for by name, compiled, or could it not be had? Then it is worth a word.
RH_API bool rh_motion_tier_matters(const rh_motion *motion);

// --- tables of inputs ----------------------------------------------------------------------------

/// What a table may hold.
enum {
    RH_RECORD_SIZE = 64 << 20, ///< bytes
    RH_RECORD_ROWS = 4000000
};

/// Recipe for a record. Begin with rh_record_def_default(), then change what you need.
typedef struct rh_record_def {
    uint32_t struct_size;  ///< set by the default function; do not touch
    const rh_model *model; ///< must outlive the record
    size_t index;          ///< which input: as in rh_model_feed_path()
    const char *name;      ///< of the file, as shown in messages; NULL: as in the model
    const char *text;      ///< the table; need not be terminated, need not outlive the call
    size_t text_size;      ///< in bytes
    const char *reason;    ///< why there is no text; NULL: there is one
} rh_record_def;

/// The defaults, in the open: this function is the documentation of them.
static inline rh_record_def rh_record_def_default(void)
{
    rh_record_def def = RH_ZERO;
    def.struct_size = (uint32_t)sizeof def;
    return def;
}

/// Read the table of an input: rows of numbers separated by commas. A first line that does not
/// begin with a number names the columns; then those called `time` and as the input are taken,
/// else the first two. Empty lines and lines that begin with `#` are passed over.
/// @param out  receives a record the caller destroys. With RH_E_MODEL it is made too: it holds the
///             diagnostics, whose places are in the table or in the model.
/// @return RH_E_MODEL when the table is wrong or there is none, RH_E_MEMORY, RH_E_LIMIT or
///         RH_E_ARGUMENT (then *out is NULL)
RH_API RH_NODISCARD rh_status rh_record_create(const rh_record_def *def, rh_record **out,
                                               rh_error *err);

/// Destroy a record. NULL is allowed.
RH_API void rh_record_destroy(rh_record *record);

/// Its points, borrowed from the record; none when the table is wrong.
RH_API rh_feed rh_record_feed(const rh_record *record);

/// Remarks in order of place.
RH_API size_t rh_record_diagnostic_count(const rh_record *record);
RH_API rh_diagnostic rh_record_diagnostic(const rh_record *record, size_t index);

// --- saving and loading ------------------------------------------------------------------------

/// What is remembered of a motion on its way. Begin with rh_keep_def_default(), then change what
/// you need.
typedef struct rh_keep_def {
    uint32_t struct_size; ///< set by the default function; do not touch
    uint32_t note_count;
    uint64_t every; ///< steps after which a method with a history (cvode, ida) begins anew, since
                    ///< its history is not saved; 0: as in what is loaded, else 1000
    double *notes;  ///< numbers of the caller that belong to the state: saved as they are when a
                    ///< step begins, and loaded. Borrowed until the motion is destroyed
} rh_keep_def;

/// The defaults, in the open: this function is the documentation of them.
static inline rh_keep_def rh_keep_def_default(void)
{
    rh_keep_def def = RH_ZERO;
    def.struct_size = (uint32_t)sizeof def;
    return def;
}

/// Remember from now on what rh_motion_save() needs. Once for each motion, before anything is
/// loaded.
RH_API RH_NODISCARD rh_status rh_motion_keep(rh_motion *motion, const rh_keep_def *def,
                                             rh_error *err);

/// Write the whole state of a motion that is kept. It is a state from which the motion goes on:
/// after a step that reached the time asked for, met a stopping event or failed, it is the one
/// before that step. Of methods with a history it is the last one at which they began anew.
/// @return RH_E_ARGUMENT when the motion is not kept, RH_E_WRITE when the sink refused, RH_E_MEMORY
RH_API RH_NODISCARD rh_status rh_motion_save(rh_motion *motion, rh_sink sink, rh_error *err);

/// How many steps led to the state that rh_motion_save() would write.
RH_API uint64_t rh_motion_kept_steps(const rh_motion *motion);

/// Continue a saved motion: this one, made in the same way from the same model and not moved yet,
/// becomes what the saved one was. Asked for the same times it gives the same bits from here on;
/// with cvode and ida, as one that is kept too. Rows can be had from its time on.
/// @return RH_E_ARGUMENT when the bytes are no saved motion, are damaged, or belong to another
///         model, start, tolerance or method; `err` says which, and the motion is as it was.
///         RH_E_MEMORY
RH_API RH_NODISCARD rh_status rh_motion_load(rh_motion *motion, const void *bytes, size_t size,
                                             rh_error *err);

// --- work ----------------------------------------------------------------------------------------

/// Begin to count the work along a motion, from its present state on.
/// @param motion  kept by reference; must outlive the work
/// @param out     receives a work the caller destroys
RH_API RH_NODISCARD rh_status rh_work_create(rh_motion *motion, rh_work **out, rh_error *err);
/// Destroy it. NULL is allowed.
RH_API void rh_work_destroy(rh_work *work);

/// Add the last step; to be called after each. A step that was added is not added again. Never
/// allocates.
RH_API RH_NODISCARD rh_status rh_work_add(rh_work *work, rh_error *err);

/// Who changed the energy T + V: energy = forces + constraints + impacts + drive + error.
typedef struct rh_work_summary {
    uint32_t struct_size; ///< of the caller's struct
    bool has_energy;      ///< the model gives energies; if not there is no balance
    double energy;        ///< its change
    double forces;        ///< work of given forces: generalised forces, dissipation
    double constraints;   ///< work of all reactions
    double impacts;       ///< what jumps of the state changed: impacts, resets
    double drive;         ///< of time, inputs and states in the energies themselves
    double error;         ///< what is missing: as good as the numbers are
} rh_work_summary;

RH_API rh_work_summary rh_work_summarise(const rh_work *work);
/// Work of the reaction of one constraint.
RH_API double rh_work_constraint(const rh_work *work, size_t constraint);

// --- the way back --------------------------------------------------------------------------------

/// Can velocities be reversed? RH_E_UNAVAILABLE, with the reason, for models without coordinates,
/// with the time or inputs in their equations, or with a multiplier nobody can reverse.
RH_API RH_NODISCARD rh_status rh_motion_can_turn(const rh_motion *motion, rh_error *err);
/// Put a motion that was just made to the present state of another one of the same equations, with
/// all velocities reversed. Its clock goes on from there.
/// @return RH_E_MODEL, with the reason, when the constraints do not admit these velocities
RH_API RH_NODISCARD rh_status rh_motion_turn(rh_motion *motion, rh_motion *from, rh_error *err);
/// What becomes of a column under reversal: 1 it stays, -1 it changes its sign, 0 it depends.
RH_API int rh_motion_column_parity(const rh_motion *motion, size_t index);

/// Did the way back lead to the start?
typedef struct rh_reversal {
    uint32_t struct_size;      ///< of the caller's struct
    bool holds;                ///< it did, to the square root of the tolerance
    double largest;            ///< difference, relative to 1 + |start|; NaN: there was no way back
    const double *differences; ///< by column, absolute; NaN: not compared. NULL: no way back
    char reason[200];          ///< why it does not hold; "" when nobody knows
} rh_reversal;

/// Judge a way back.
/// @param there        the motion that was reversed at its end
/// @param start        its columns at the start
/// @param end          those of the way back after the same time; NULL: it did not come so far
/// @param differences  room for one number for each column; kept by reference in `out`
RH_API RH_NODISCARD rh_status rh_reversal_judge(const rh_motion *there, const double *start,
                                                const double *end, double tolerance,
                                                double *differences, rh_reversal *out,
                                                rh_error *err);

RH_EXTERN_C_END
