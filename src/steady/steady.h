// SPDX-License-Identifier: Apache-2.0
// Door of the room `steady`: equations -> steady motions, their stability, and linear systems.
//
// Sizes of variables come from the terms of the equations (magnitudes.c), units of angles from the
// arguments of sines (turns.c). A frame (frame.c) is a choice of quasi-velocities omega; an engine
// (engine.c) is the tape of x' = f(x) in it, x = (q, omega, states); the split (split.c,
// conditions.c) parts the coordinates into positional and cyclic ones. A reduction (reduction.c,
// choice.c, bodies.c, lengths.c) is all of that for one model: constant after it was made, shared
// by threads. What a thread needs for itself is a workbench (workbench.c, slopes.c). Steady motions
// are zeros of f on the manifold of the constraints (rest.c), judged by the roots of its linear
// part (judge.c), where it has one (switching.c, cells.c, obstacle.c), followed in one quantity
// (family.c); wish.c finds the names of a call, steady.c searches from many starts.
//
// For many points of one model: make one reduction with rh__wish_reduce(), what shall vary being
// fixed or dials; then, in each thread, a workbench and a judgement; for each point write fixed
// values, dials and a guess into bench->values and call rh__steady_again() with the k that was
// certified once.
//
// Matrices are column after column. docs/theory/steady.md has the mathematics.

#pragma once

#include "rheonom/steady.h"

#include "base/base.h"
#include "expr/expr.h"
#include "numeric/numeric.h"
#include "model/model.h"
#include "equations/equations.h"
#include "tape/tape.h"

// --- frames --------------------------------------------------------------------------------------

/// Where frames are chosen: the constraints whose rows restrict velocities, and two states at which
/// rows are compared.
typedef struct rh_frame_ground {
    rh_equations *equations;
    rh_arena *arena;
    rh_layout layout;
    rh_point start, near;  // a consistent start, and a state near it
    bool is_consistent;    // the start is
    const char *complaint; // what contradicts the start as it is written; NULL: nothing
    bool *is_kept;         // by link: it holds exactly; one-sided ones that touch at the start too
    bool *is_off;          // by link: one-sided, and away from it at the start: it does not act
    bool *is_row;          // by link: linear, ideal, exact: its row restricts the velocities
    bool *is_used;         // by link: the same without rows that depend on earlier ones
    uint32_t n, row_count;
    double *rows[2];           // n x row_count: of the used links at both states, orthonormal
    rh_quasi *units;           // by coordinate: its velocity as a quasi-velocity
    const double *dial_values; // by dial, for the split; NULL: they may take any values
    double *sizes;             // of variables, by slot of the layout
    double *speeds;            // of velocities, by coordinate
    double *dial_sizes;        // of dials
    double *origins;           // of variables, by slot: what sizes are measured from
    double *dial_origins;      // of dials
    double time_size;          // the time in which something happens
    rh_expr *turn;             // by coordinate: radians in one unit of an angle; none: it is none
    double *turn_value;        // the same as numbers; 0
} rh_frame_ground;

/// What is known of a call when frames are chosen.
typedef struct rh_frame_ground_def {
    const rh_expr *dials; // parameters and inputs of the model that may change
    uint32_t dial_count;
    const rh_steady_value *values; // of variables and other quantities, by name
    size_t value_count;
} rh_frame_ground_def;

/// A choice of quasi-velocities: with the rows of the used links they determine all velocities.
typedef struct rh_frame {
    rh_quasi *rows;
    uint32_t count;
    bool is_given;    // rows of the user stand first
    double condition; // of all rows together at the start, each scaled to length one
    uint32_t plain;   // rows that are velocities of positional coordinates, once the split is known
} rh_frame;

RH_NODISCARD rh_status rh__frame_ground(rh_equations *equations, const rh_frame_ground_def *def,
                                        rh_arena *arena, rh_frame_ground *out);
/// Sizes of variables, of the time and of dials, from the equations, and what they are measured
/// from (magnitudes.c).
RH_NODISCARD rh_status rh__magnitudes_find(rh_frame_ground *ground, const rh_frame_ground_def *def);
/// Which coordinates are angles, and in which unit (turns.c).
RH_NODISCARD rh_status rh__turns_find(rh_frame_ground *ground);
/// A level of a constraint at the start, and whether it is none there beside sizes of variables.
RH_NODISCARD rh_status rh__frame_level(const rh_frame_ground *ground, rh_expr level, double *out,
                                       bool *out_is_none);
/// Rows of the user, completed with velocities in order of declaration.
RH_NODISCARD rh_status rh__frame_given(rh_frame_ground *ground, rh_frame *out);
/// Velocities of coordinates: the choices whose rows are independent, best conditioned first.
RH_NODISCARD rh_status rh__frame_units(rh_frame_ground *ground, uint32_t limit, rh_frame *out,
                                       uint32_t *out_count);
/// The same with the velocities of two coordinates replaced by their components along and across
/// the direction of an angle.
RH_NODISCARD rh_status rh__frame_turned(rh_frame_ground *ground, const uint32_t turned[3],
                                        uint32_t limit, rh_frame *out, uint32_t *out_count);

/// The unit of the second of a pair of coordinates in units of the first, as their inertia tells:
/// an expression (NULL: it is not asked for) and its value. RH_E_UNAVAILABLE: it is not constant.
RH_NODISCARD rh_status rh__frame_ratio(const rh_frame_ground *ground, const uint32_t pair[2],
                                       rh_expr *out, double *out_value);

/// A quasi-velocity of this name; `value` is linear in the velocities. False: refused.
bool rh__frame_row(rh_frame_ground *ground, const char *name, rh_expr value, rh_quasi *out);
/// Choices out of other rows, one by coordinate, as of velocities.
RH_NODISCARD rh_status rh__frame_choose(rh_frame_ground *ground, const rh_quasi *rows,
                                        uint32_t limit, rh_frame *out, uint32_t *out_count);
/// Its condition.
RH_NODISCARD rh_status rh__frame_measure(rh_frame_ground *ground, rh_frame *frame);

// --- engines -------------------------------------------------------------------------------------

/// What an engine computes besides the rates of x.
typedef struct rh_engine_def {
    const rh_frame_ground *ground;
    const rh_frame *frame;
    bool is_closed;       // in closed form (quasi); else velocities and rates are solved for
    const rh_expr *dials; // parameters and inputs of the model that are inputs of the tape
    uint32_t dial_count;
    const rh_expr *extras; // further outputs
    uint32_t extra_count;
} rh_engine_def;

/// Inputs of its tape: time, x, dials. Outputs: x', the levels of the constraints that x
/// does not satisfy by itself, extras, and what vanishes where the equations switch.
typedef struct rh_engine {
    rh_arena arena;
    rh_form form;
    bool is_closed;
    rh_expr_list x;
    rh_range coordinates, velocities, states; // in x; states: all others
    uint32_t dial_first;                      // among the inputs of the tape
    uint32_t level_count, extra_first;        // outputs
    uint32_t switch_first, switch_count;      // outputs
    rh_expr_list switches;                    // the same as expressions
    double *unit;                             // by input of the tape: its size at the start
    double *origin;                           // by input: what it is measured from
    double pace;                              // what rates are measured by: 1 over a time
    rh_tape *tape;
} rh_engine;

RH_NODISCARD rh_status rh__engine_create(const rh_engine_def *def, rh_engine *out, rh_error *err);
/// The size of a value of an input of its tape beside that at the start: what steps and differences
/// are measured by.
double rh__engine_size(const rh_engine *engine, uint32_t input, double value);
/// The inputs of its tape at the start of the model.
RH_NODISCARD rh_status rh__engine_start(const rh_engine *engine, const rh_frame_ground *ground,
                                        const rh_frame *frame, rh_arena *scratch, double *out);
void rh__engine_destroy(rh_engine *engine);

// --- switching -----------------------------------------------------------------------------------

/// What vanishes where expressions switch, each once; `arena` holds the list. False: it refused.
RH_NODISCARD bool rh__switches_find(rh_store *store, const rh_expr_list *roots, rh_arena *arena,
                                    rh_expr_list *out);
struct rh_workbench;
typedef struct rh_kink_query {
    uint32_t row_count; // outputs that matter: the first ones
    bool moves_dials;
    bool asks_leaving; // whether a side proves that motions leave
} rh_kink_query;

/// The first surface, from `first` on, on which the state of a bench lies (slopes are there);
/// UINT32_MAX: none.
uint32_t rh__switches_at(const struct rh_workbench *bench, uint32_t first);

/// What is found around a state on surfaces (cells.c).
typedef struct rh_kink {
    const char *name;   // what vanishes there; NULL: outputs have a linear part
    bool is_left;       // on one side motions leave the state: proved by `root`, or by a rate
    bool has_root;      // by this root
    double root, other; // its real and imaginary part
} rh_kink;

/// Do outputs have one linear part at the state of a bench, on all sides of the surfaces there, on
/// the surfaces and at the state itself? Values, outputs and slopes of the bench are as before.
RH_NODISCARD rh_status rh__cells_compare(struct rh_workbench *bench, const rh_kink_query *query,
                                         rh_kink *out);
/// Are the rates the same on both sides of the surfaces next to the state of a bench? Else an
/// answer that is not exactly on them is that of one side only.
RH_NODISCARD rh_status rh__switches_agree(struct rh_workbench *bench, bool *out);

// --- slopes --------------------------------------------------------------------------------------

/// Derivatives of all outputs of a tape by some of its inputs, by runs of its tangent.
typedef struct rh_slopes {
    rh_tape *tape;          // the tangent
    const uint32_t *moving; // inputs
    uint32_t moving_count;
    uint32_t input_count, output_count; // of the tape it is made of
    uint32_t directions;                // in one run
} rh_slopes;

/// `moving` is kept by reference.
RH_NODISCARD rh_status rh__slopes_create(const rh_tape *tape, const uint32_t *moving,
                                         uint32_t moving_count, rh_slopes *out, rh_error *err);
void rh__slopes_destroy(rh_slopes *slopes);
/// Outputs (of the tape) and their slopes, output_count x moving_count, at the inputs. False: not
/// finite, or an equation cannot be solved there.
bool rh__slopes_run(const rh_slopes *slopes, rh_tape_state *state, const double *inputs,
                    double *outputs, double *out);
/// Did the last run of a state go well?
bool rh__slopes_are_sound(const rh_tape_state *state);

// --- the split -----------------------------------------------------------------------------------

/// What is known of one dependence.
typedef enum rh_dependence {
    RH_DEPENDENCE_NONE,    // proved: the derivative is identically zero
    RH_DEPENDENCE_SAMPLED, // no trace of it at random states
    RH_DEPENDENCE_THERE
} rh_dependence;

typedef struct rh_split {
    uint32_t n;
    bool *is_positional; // by coordinate
    bool reads_time;
    uint32_t count;          // of positional ones
    rh_dependence *of_rates; // by coordinate: the rates of velocities and states on it
    bool *of_velocity;       // n x n: velocity i on coordinate j
    double *state;           // of x and dials: a generic one, for later questions
} rh_split;

/// Find the positional coordinates by tangents at random states near `start` (inputs of the tape).
RH_NODISCARD rh_status rh__split_find(const rh_frame_ground *ground, const rh_engine *engine,
                                      const double *start, rh_arena *arena, rh_split *out,
                                      rh_error *err);
/// The conditions (45), (66) ... (69) one by one, and proofs where there are any.
RH_NODISCARD rh_status rh__split_examine(const rh_frame_ground *ground, const rh_engine *engine,
                                         rh_split *split, rh_arena *arena,
                                         rh_steady_condition out[RH_STEADY_CONDITIONS]);

// --- the reduction -------------------------------------------------------------------------------

enum {
    RH_STEADY_DIRECTIONS = 12, // tangents in one run
    RH_STEADY_SHAKEN = 3
};

/// What a reduction shall know besides.
typedef struct rh_reduction_def {
    const char *const *dials; // names of parameters and inputs
    uint32_t dial_count;
    const uint32_t *observes; // indices of observed quantities of the model
    uint32_t observe_count;
    uint32_t rank;         // of the frame among those that serve equally well: 0 is the first
    bool keeps_velocities; // the call names some: they are quasi-velocities where these are found
    bool allows_time;      // the equations may contain the time; it stands still at the start
    bool keeps_dials;      // the split is that of the dials as they are given, not of any values
    const double *dial_values;     // by dial, where it is; NAN: that of the model
    const rh_steady_value *values; // that the call names
    size_t value_count;
} rh_reduction_def;

/// x' = f(x) on the manifold of the constraints. Constant after it was made.
///
/// Slots are the inputs of the tape: time, x, dials. A place is a slot that may be solved
/// for: first those of y = (positional coordinates, quasi-velocities, states), whose rates vanish
/// on a steady motion, then cyclic coordinates that stand in constraints.
typedef struct rh_reduction {
    rh_arena arena;
    rh_equations *equations;
    rh_frame_ground ground;
    rh_frame frame;
    rh_engine engine;
    rh_split split;
    rh_steady_condition conditions[RH_STEADY_CONDITIONS];
    uint32_t slot_count;
    const char **names;        // by slot
    const char **switch_names; // by surface on which the equations switch
    uint32_t *place;           // slots
    uint32_t y_count, place_count;
    double *period;  // by place: of an angle, after which all is the same; 0: it is none
    uint32_t *level; // outputs: levels that hold a place
    uint32_t level_count;
    uint32_t observe_first, observe_count; // outputs
    uint32_t *still;                       // outputs: rates that vanish identically, by algebra
    uint32_t still_count;
    bool has_more;       // there are further frames that serve equally well
    uint32_t power;      // output: what dissipation takes; UINT32_MAX without
    uint32_t side_first; // outputs: of each one-sided constraint what must not be negative
    uint32_t side_count;
    const char **side_names; // of these constraints
    const char *unmet;       // a constraint that no state near the start satisfies; NULL: none
    uint32_t *moving;        // slots with tangents: places, dials
    uint32_t moving_count;
    rh_slopes slopes;
    double *start;                           // by slot: the start of the model
    double *typical;                         // by output: its size at a generic state
    double stretch;                          // there
    rh_tape_state *bound;                    // of the tape, with all constants
    rh_tape_state *bound_tangent;            // of its tangent
    rh_tape_state *shaken[RH_STEADY_SHAKEN]; // of the tape, with parameters moved by roundings
} rh_reduction;

RH_NODISCARD rh_status rh__reduction_create(rh_equations *equations, const rh_reduction_def *def,
                                            rh_reduction **out, rh_error *err);
void rh__reduction_destroy(rh_reduction *reduction); // NULL is allowed
/// Bind the constants of its tape or of the tangent as other roundings would have made them.
RH_NODISCARD rh_status rh__reduction_bind_shaken(const rh_reduction *reduction, rh_random *random,
                                                 rh_tape_state *state);
/// The slot of a name: variable, dial; UINT32_MAX.
uint32_t rh__reduction_slot(const rh_reduction *reduction, const char *name);

// --- the workbench: what one thread needs --------------------------------------------------------

/// Values and slopes at one state. Rows are the outputs of the tape, columns the moving slots.
typedef struct rh_workbench {
    rh_arena arena, scratch;
    const rh_reduction *reduction;
    rh_tape_state *state, *tangent;
    double *values;   // by slot: the state at hand
    double *outputs;  // by output
    double *jacobian; // output_count x moving_count
    double *work;
    // what rounding may have done to outputs and slopes: after rh__workbench_doubt()
    double *output_bounds, *slope_bounds;
    double *bounds;    // by slot of the tape of slopes
    uint32_t sway;     // not 0: outputs and slopes are as other roundings would have made them
    double sway_share; // of the bounds
} rh_workbench;

RH_NODISCARD rh_status rh__workbench_create(const rh_reduction *reduction, rh_workbench **out);
void rh__workbench_destroy(rh_workbench *bench); // NULL is allowed
/// Outputs at values. False: not finite, or the equations cannot be solved there.
bool rh__workbench_look(rh_workbench *bench);
/// Outputs and slopes at values.
bool rh__workbench_slope(rh_workbench *bench);
/// The smallest reciprocal condition of the linear systems at values: near 0 the state is singular.
double rh__workbench_condition(rh_workbench *bench);
/// The same of the systems that a tape solved last, no more than `*out` (regular.c).
RH_NODISCARD rh_status rh__regular_measure(const rh_tape_state *state, rh_arena *arena,
                                           double *out);
/// How fast velocities grow with quasi-velocities (slopes are there): without bound where the frame
/// is singular.
double rh__workbench_stretch(const rh_workbench *bench);
/// Find what rounding may have done to outputs and slopes at values: of values their last digit, or
/// what they are off by (by moving slot; NULL: no more), and of all operations. False: no bound.
bool rh__workbench_doubt(rh_workbench *bench, const double *off);
/// Outputs and slopes at values become zero where they are nothing but rounding (rounding.c).
RH_NODISCARD rh_status rh__workbench_clear(rh_workbench *bench);

// --- obstacles
// ------------------------------------------------------------------------------------

/// A constraint (by link) that no state near the start satisfies together with the others, where
/// the start contradicts itself; UINT32_MAX: there is such a state.
RH_NODISCARD rh_status rh__constraints_unmet(rh_frame_ground *ground, uint32_t *out);
/// Are the equations singular at the state of a bench, or so near to it that rounding decides: the
/// inertia, the rows of the constraints, or those of the quasi-velocities? Outputs and slopes are
/// there afterwards, where there are any. A state that is given is known to its last digit, others
/// as well as the equations hold them.
RH_NODISCARD rh_status rh__state_is_singular(rh_workbench *bench, bool is_given, bool *out);
/// Name the state: "x = 1, y = 0".
void rh__state_say(const rh_workbench *bench, size_t size, char *out);
/// A one-sided constraint that pulls, or is violated, by its place among the sides of the
/// reduction; UINT32_MAX: none does.
uint32_t rh__sides_refuse(const rh_workbench *bench);

// --- steady motions ------------------------------------------------------------------------------

/// What is given: places that keep their value, and outputs that shall have one.
typedef struct rh_rest_query {
    const bool *is_fixed;     // by place
    const uint32_t *observed; // outputs of the tape that shall have a value
    const double *wanted;     // these values
    uint32_t observed_count;
    uint32_t round_limit; // 0: as many as it takes
    // with a further equation: normal . (places, last) = level
    const double *normal;
    double level;
    uint32_t extra;                // a moving slot that is solved for besides; UINT32_MAX: none
    bool (*is_wanted)(void *user); // asked in every round; NULL: it is
    void *user;
    const double *base; // by output: what may be left of it, from an answer nearby; NULL: nothing
} rh_rest_query;

typedef struct rh_rest_answer {
    bool is_found;
    bool is_sharp;   // nothing is left of any equation but rounding
    bool is_blurred; // rounding decides there: it is none
    double residual; // largest, relative to the size of its terms
    uint32_t rounds;
    uint32_t loose; // directions in which the answer may still be moved
    uint64_t work;  // operations, about
} rh_rest_answer;

/// Solve f = 0 on the constraints from bench->values, in place. Leaves outputs and slopes there.
/// Never fails otherwise than by `is_found`, or by memory.
RH_NODISCARD rh_status rh__rest_solve(rh_workbench *bench, const rh_rest_query *query,
                                      rh_rest_answer *out);

/// A change of what is given: of a slot, or of the value that an output shall have.
typedef struct rh_rest_change {
    uint32_t slot;   // UINT32_MAX: none
    uint32_t wanted; // which of the outputs, when there is no slot
    double amount;
} rh_rest_change;

/// Move the places on the bench, a steady motion, by what changes of what is given do to first
/// order, along the branch. What is given stays as it is. False: nothing could be told.
RH_NODISCARD rh_status rh__rest_predict(rh_workbench *bench, const rh_rest_query *query,
                                        const rh_rest_change *changes, uint32_t count, bool *out);

/// One whole step of Newton from the bench, in place, with what it was by place; if wanted, with
/// what rounding alone may make of such a step there. False: there is none.
RH_NODISCARD rh_status rh__rest_newton(rh_workbench *bench, const rh_rest_query *query,
                                       double *out_step, double *out_noise, bool *out);

/// Is the answer on the bench one (outputs and slopes are there)? Whole steps of Newton must lead
/// to where nothing is left but rounding: `is_sharp`; or hardly anything is left, and the step is
/// none: `is_found`. In place, and as it was where neither holds.
RH_NODISCARD rh_status rh__rest_confirm(rh_workbench *bench, const rh_rest_query *query,
                                        rh_rest_answer *out);

/// The same where no more than bounds of rounding is left is an answer too, and where hardly
/// anything is left beside the terms of each row.
RH_NODISCARD rh_status rh__rest_check(rh_workbench *bench, const rh_rest_query *query,
                                      rh_rest_answer *out);

/// Follow the motion from bench->values for some time, coarsely, towards where it may come to rest;
/// what is fixed stays. False: it runs off, or cannot be followed (stream.c).
RH_NODISCARD rh_status rh__stream_follow(rh_workbench *bench, const rh_rest_query *query,
                                         uint64_t *work, bool *out);

// --- verdicts ------------------------------------------------------------------------------------

typedef struct rh_judgement {
    rh_steady_verdict verdict;
    uint32_t size;         // N_x: of the matrix
    uint32_t *slots;       // size: the variables of its rows
    double *matrix;        // size x size
    double *tangent;       // place_count x (size + dials): how all places move with them, and with
                           // the dials
    uint32_t nullity;      // of the matrix; k where that was known beforehand
    uint32_t measured;     // its nullity as its pivots show it, whatever was known
    uint32_t dimension;    // k: of the steady set
    bool is_certain;       // k was certified
    double *kernel;        // size x nullity
    uint32_t root_count;   // remaining ones
    rh_steady_root *roots; // remaining ones, rightmost first
    double abscissa;       // of the remaining roots; -INFINITY without
    double pace;           // what roots are measured by
    uint32_t zero_count;   // zero roots of the matrix, as far as it is known
    bool is_given;         // the state is known to its last digit: it is no answer
    bool is_hidden;        // nothing is known of the matrix but rounding
    rh_kink kink;          // where the equations switch here
    const char *border;    // a one-sided constraint that roots do not see; NULL: none
    bool is_elastic;       // it throws back without loss
    char reason[512];
} rh_judgement;

RH_NODISCARD rh_status rh__judgement_reserve(const rh_reduction *reduction, rh_arena *arena,
                                             rh_judgement *out);
/// The linear part at bench->values (outputs and slopes are there): size, slots, matrix, tangent.
RH_NODISCARD rh_status rh__judge_linear(rh_workbench *bench, rh_judgement *out);
/// The whole verdict at a steady motion. `dimension`: k when it is known already (a chart certifies
/// it once for a region), UINT32_MAX: it is certified here.
RH_NODISCARD rh_status rh__judge(rh_workbench *bench, uint32_t dimension, rh_judgement *out);
/// A one-sided constraint that is on the border between acting and not acting, or that motions
/// leave and meet again for ever: `border`, `is_elastic`.
RH_NODISCARD rh_status rh__judge_border(rh_workbench *bench, rh_judgement *out);
/// A matrix in the variables of some slots, balanced: D^-1 A D with powers of two, D beginning with
/// the sizes of the variables, so that it is the same in all units.
void rh__judge_balance(const rh_reduction *reduction, uint32_t n, const uint32_t *slots,
                       const double *matrix, double *out_balance, double *out);
/// Put the reason of a verdict into words; rh__judge() does it only where it certifies k itself.
void rh__judgement_say(rh_judgement *out);

/// The norm of what rounding may have done to the linear part of a judgement, in the units of its
/// rows and columns; the places are off by what leaves the equations within rounding. Where there
/// are no bounds, a small share of `norm`, which is that of the matrix.
RH_NODISCARD rh_status rh__doubt_linear(rh_workbench *bench, const rh_judgement *at,
                                        const double *balance, double norm, double *out);

/// Are slopes at values known? Next to a place where the equations are singular the last digit of a
/// value changes them wholly: what vanishes there vanishes for no value in particular.
bool rh__doubt_leaves_slopes(rh_workbench *bench);
/// The same the other way round where places are known as well as the equations hold them: does
/// what leaves these within rounding change slopes wholly?
RH_NODISCARD rh_status rh__doubt_is_whole(rh_workbench *bench, bool is_given, bool *out);

/// How large a matrix is, and what is known of it.
typedef struct rh_matrix_size {
    double norm; // its largest singular value, about
    double off;  // the same of what rounding may have done to it
    double pace; // what its roots are measured by
} rh_matrix_size;

/// Is nothing known of a matrix but rounding? The equations are singular within rounding of the
/// state then: they have no linear part.
bool rh__doubt_hides(rh_matrix_size size);

/// Roots of a matrix with their error bars, in the order of rh__eigen_conditions().
RH_NODISCARD rh_status rh__bars_find(rh_arena *arena, uint32_t n, const double *a,
                                     rh_matrix_size size, rh_steady_root *out);

/// The same with a real part of zero where that is within its bar: its digits say nothing.
rh_steady_root rh__root_cleared(rh_steady_root root);
/// Rightmost first; of those whose real parts differ by no more than their bars the ones with
/// larger imaginary parts, each beside its conjugate.
void rh__roots_sort(rh_steady_root *roots, uint32_t count);

/// Both in one: solve again from bench->values, then judge. Nothing is derived anew: dials and
/// fixed places have the values that the caller wrote into bench->values. One workbench for each
/// thread.
RH_NODISCARD rh_status rh__steady_again(rh_workbench *bench, const rh_rest_query *query,
                                        uint32_t dimension, rh_rest_answer *out_answer,
                                        rh_judgement *out);

// --- arcs ----------------------------------------------------------------------------------------

/// What is looked for on an arc: where a quantity turns round, where a real root vanishes, or the
/// real part of a pair.
typedef enum rh_arc_mark { RH_ARC_FOLD, RH_ARC_ROOT, RH_ARC_PAIR } rh_arc_mark;

/// A short piece of a branch between two motions on it.
typedef struct rh_arc {
    const rh_rest_query *query; // what is given; without a further equation
    uint32_t extra;             // a dial that changes along it, as a moving slot; UINT32_MAX: none
    uint32_t slot, output;      // the quantity: a slot, or if that is UINT32_MAX an output
    uint32_t dimension;         // of the kernel along it
    rh_arc_mark mark;
    const double *scale;     // by moving slot
    const double *ends[2];   // by slot: both motions
    const double *slopes[2]; // by moving slot: the direction of the branch at both
} rh_arc;

typedef struct rh_arc_answer {
    bool is_found;
    double value, bar; // of the quantity at the mark
    double *values;    // by slot: the motion there
} rh_arc_answer;

/// The mark on an arc, to rounding, also where branches cross and the equations are singular.
/// `out->values` is the caller's. The bench is anywhere afterwards.
RH_NODISCARD rh_status rh__arc_pinpoint(rh_workbench *bench, const rh_arc *arc, rh_arc_answer *out);

// --- what a call asks for ------------------------------------------------------------------------

/// Names of a call, found in a reduction.
typedef struct rh_wish {
    bool *is_fixed;     // by place
    uint32_t *observed; // outputs
    double *wanted;
    const char **names; // of these
    uint32_t observed_count;
    double *values; // by slot: where the search begins, with all that is fixed
} rh_wish;

/// A steady motion that was found.
typedef struct rh_steady_found {
    double *values;        // by slot
    double *variables;     // by variable
    double *speeds;        // by cyclic coordinate
    rh_steady_root *roots; // all, the zero ones first
    const char **rows;
    rh_judgement judgement;
    uint32_t loose;
    double residual, power, distance;
    bool is_rest;
} rh_steady_found;

struct rh_steady {
    rh_arena arena;
    rh_equations *equations;
    rh_reduction *reduction;
    rh_workbench *bench;
    rh_wish wish;
    RH_ARRAY(rh_steady_found) found;
    uint32_t *cyclic; // coordinates
    uint32_t cyclic_count;
    const char **formulas;               // of the quasi-velocities
    bool is_ended;                       // somebody did not want to wait
    bool has_more;                       // motions were found that did not fit into the list
    uint32_t refused;                    // motions that one-sided constraints do not allow
    uint64_t work;                       // operations of all searches
    const char *unseen;                  // a surface on which motions are not found; "" without
    char singular[248];                  // a state that was left out; "" without
    double singular_distance;            // of it from the guess
    char reason[248], first_reason[248]; // the latter in the frame that was tried first
};

/// Resolve the names of a call; a name that means nothing is RH_E_ARGUMENT, with the nearest one.
RH_NODISCARD rh_status rh__wish_read(const rh_reduction *reduction, const rh_reduction_def *def,
                                     const rh_steady_def *call, rh_arena *arena, rh_wish *out,
                                     rh_error *err);
/// Make the reduction that a call needs: parameters that it fixes become dials, observed quantities
/// outputs.
RH_NODISCARD rh_status rh__wish_reduce(rh_equations *equations, const rh_steady_def *call,
                                       const rh_reduction_def *more, rh_arena *arena,
                                       rh_reduction **out, rh_wish *out_wish, rh_error *err);
/// The query of a wish.
rh_rest_query rh__wish_query(const rh_wish *wish);
/// A walk of a thread of its own: `steady` is a copy with a bench, a wish and one motion of its
/// own; the dimension of the kernel is known, and not certified. `from` and the motion go together.
RH_NODISCARD rh_status rh__walk_known(rh_steady *steady, const rh_walk_def *def, uint32_t dimension,
                                      rh_walk **out);
/// Fill a record with the steady motion on the bench and judge it. `dimension` as in rh__judge().
RH_NODISCARD rh_status rh__steady_fill(rh_steady *steady, rh_workbench *bench, uint32_t dimension,
                                       rh_arena *arena, rh_steady_found *out);
rh_steady_motion rh__steady_show(const rh_steady *steady, const rh_steady_found *found);

/// What is zero where rates have no slopes, of surfaces near a state (by slot); "": nothing
/// (unseen.c). The bench is anywhere afterwards.
RH_NODISCARD rh_status rh__unseen_find(rh_workbench *bench, const double *from, const char **out);

/// Has everything that a call names a name?
bool rh__steady_names_are_there(const rh_steady_def *def);
