// SPDX-License-Identifier: Apache-2.0
// All of that for one model, what one thread needs to work with it, and states without a linear
// part.

#pragma once

#include "steady/engine.h"

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

// --- obstacles -----------------------------------------------------------------------------------

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
