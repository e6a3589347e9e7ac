// SPDX-License-Identifier: Apache-2.0
// A system: the equations of a model as functions of numbers. It never changes after it was made,
// so any number of evaluators, one or more for each thread, may share it. With q the coordinates
// and v the velocities of coordinates and the selected states,
//
//     M(q, t) v' = h + B lambda,     x' = f(t, x, p, u),
//
// x being the coordinates, v, the other states, and multipliers that are states (type II), in the
// order of RH_ITEM_VARIABLE; p the parameters, in the order of RH_ITEM_PARAMETER; u the inputs from
// files, in the order in which they stand among RH_ITEM_INPUT.

#pragma once

#include "rheonom/base.h"
#include "rheonom/equations.h"

RH_EXTERN_C_BEGIN

/// What a system names.
typedef enum rh_item_kind {
    RH_ITEM_PARAMETER,  ///< members of parameters, each by itself
    RH_ITEM_VARIABLE,   ///< x
    RH_ITEM_INPUT,      ///< inputs, those with a formula too
    RH_ITEM_CONSTRAINT, ///< constraints, members of arrays each by itself
    RH_ITEM_OBSERVE,    ///< observed quantities
    RH_ITEM_EVENT       ///< events
} rh_item_kind;

/// One of them. Texts are borrowed from the system.
typedef struct rh_item {
    const char *name;
    const char *type; ///< variables: "coordinate", "velocity", "state", "multiplier"; inputs:
                      ///< "formula", "file"; constraints: "holonomic", "nonholonomic",
                      ///< "restriction"; events: "record", "stop", "reset"; else ""
    double value; ///< parameters: as the model and --set say; variables: at the consistent start;
                  ///< NaN: it has none
} rh_item;

/// Recipe for a system. Begin with rh_system_def_default(), then change what you need.
typedef struct rh_system_def {
    uint32_t struct_size; ///< set by the default function; do not touch
    bool has_derivatives; ///< evaluators can give derivatives by x, u and p
} rh_system_def;

/// The defaults, in the open: this function is the documentation of them.
static inline rh_system_def rh_system_def_default(void)
{
    rh_system_def def = RH_ZERO;
    def.struct_size = (uint32_t)sizeof def;
    def.has_derivatives = true;
    return def;
}

/// Make the system of equations, with a multiplier for each constraint.
/// @param equations  kept by reference; must outlive the system. Nothing else may be made from it
///                   or its model while evaluators work in other threads.
/// @param out        receives a system the caller destroys
/// @return RH_E_UNAVAILABLE when the equations have no form that moves, RH_E_MEMORY, RH_E_LIMIT,
///         RH_E_ARGUMENT
RH_API RH_NODISCARD rh_status rh_system_create(rh_equations *equations, const rh_system_def *def,
                                               rh_system **out, rh_error *err);
/// Destroy a system, after its evaluators. NULL is allowed.
RH_API void rh_system_destroy(rh_system *system);

/// How many items of a kind there are.
RH_API size_t rh_system_count(const rh_system *system, rh_item_kind kind);
/// One of them; with an empty name when there is none.
RH_API rh_item rh_system_item(const rh_system *system, rh_item_kind kind, size_t index);
/// The index of a name; SIZE_MAX when there is none.
RH_API size_t rh_system_find(const rh_system *system, rh_item_kind kind, const char *name);
/// How many numbers v has: rows of the mass matrix.
RH_API size_t rh_system_velocity_count(const rh_system *system);
/// How many inputs come from files: numbers of u.
RH_API size_t rh_system_input_count(const rh_system *system);

// --- evaluation ----------------------------------------------------------------------------------

/// Make an evaluator: a place where the system is evaluated, for one thread at a time.
/// @param system  kept by reference; must outlive the evaluator
RH_API RH_NODISCARD rh_status rh_evaluator_create(const rh_system *system, rh_evaluator **out,
                                                  rh_error *err);
/// Destroy an evaluator. NULL is allowed.
RH_API void rh_evaluator_destroy(rh_evaluator *evaluator);

/// Other numbers for all parameters. Those that the model gives by others are given by `p` too.
/// @return RH_E_UNAVAILABLE, with the numbers of before, when other equations may hold for these:
///         the model must be made anew. RH_E_MEMORY
RH_API RH_NODISCARD rh_status rh_evaluator_set_parameters(rh_evaluator *evaluator, const double *p,
                                                          rh_error *err);
/// Which constraints act: all two-sided ones at first, and no one-sided one. Conditions (`while`)
/// are not asked.
/// @return RH_E_ARGUMENT when the constraint can not be let go
RH_API RH_NODISCARD rh_status rh_evaluator_set_active(rh_evaluator *evaluator, size_t constraint,
                                                      bool is_active, rh_error *err);

/// Evaluate at a point; what follows is asked for there. Without a point, after a failure and after
/// other parameters or constraints were set, results are NaN (entries of matrices that are 0
/// everywhere stay 0). Positions and velocities are taken as they are given, whether they obey the
/// constraints or not. Conditions in the equations are decided by the point.
/// @param u  one number for each input from a file; NULL: all 0. Their derivatives are 0
/// @return RH_E_UNAVAILABLE when the equations have no finite solution there
RH_API RH_NODISCARD rh_status rh_evaluator_run(rh_evaluator *evaluator, double t, const double *x,
                                               const double *u, rh_error *err);

/// x'. @param out  as many numbers as x has
RH_API void rh_evaluator_rates(const rh_evaluator *evaluator, double *out);
/// lambda, by constraint; of type II its rate. Of redundant constraints those of least norm.
RH_API void rh_evaluator_multipliers(const rh_evaluator *evaluator, double *out);
/// M, by rows.
RH_API void rh_evaluator_mass_matrix(const rh_evaluator *evaluator, double *out);
/// h, without what constraints do.
RH_API void rh_evaluator_forces(const rh_evaluator *evaluator, double *out);
/// The derivatives by v of the last level of each constraint that holds v (of a holonomic one those
/// of its first derivative), by rows: constraints times v.
RH_API void rh_evaluator_constraint_jacobian(const rh_evaluator *evaluator, double *out);
/// B^T by rows: what a multiplier of 1 does to each row of the equations; with ideal constraints
/// the same matrix.
RH_API void rh_evaluator_directions(const rh_evaluator *evaluator, double *out);
/// By how much each constraint is missed.
RH_API void rh_evaluator_deviations(const rh_evaluator *evaluator, double *out);
/// All observed quantities.
RH_API void rh_evaluator_observes(const rh_evaluator *evaluator, double *out);

/// Derivatives at the point of the last run, by rows: those of x' and of lambda, by x and then by
/// u. Which conditions and constraints hold stays.
/// @param rates        x' : n times (n + inputs) numbers; NULL: they are not wanted
/// @param multipliers  lambda: constraints times (n + inputs) numbers; NULL: they are not wanted
/// @return RH_E_ARGUMENT when the system was made without derivatives, or nothing was run
RH_API RH_NODISCARD rh_status rh_evaluator_derivatives(rh_evaluator *evaluator, double *rates,
                                                       double *multipliers, rh_error *err);
/// The same by the parameters, each by itself (those that the model gives by others stay), at fixed
/// x and u. Constants taken from the start (`= const`) stay too. Columns are NaN where other
/// equations would hold beside the present value: of sizes, whole exponents, parameters whose
/// vanishing decides about the equations.
/// @param rates        x' : n times parameters numbers; NULL: they are not wanted
/// @param multipliers  lambda: constraints times parameters numbers; NULL: they are not wanted
/// @return RH_E_ARGUMENT when the system was made without derivatives, or nothing was run;
///         RH_E_MEMORY
RH_API RH_NODISCARD rh_status rh_evaluator_parameter_derivatives(rh_evaluator *evaluator,
                                                                 double *rates, double *multipliers,
                                                                 rh_error *err);

RH_EXTERN_C_END
