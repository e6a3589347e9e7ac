// SPDX-License-Identifier: Apache-2.0
// The passes of the build, by file.

#pragma once

#include "model/declare.h"

/// Which --set (or, `is_start`, --start) a piece of text stands in, + 1; 0: in none, or beside
/// other settings.
uint32_t rh__build_dial(const rh_build *build, rh_code code, bool is_start);

// --- override.c ----------------------------------------------------------------------------------

/// The last --by for the constraint of that name, else the clause of its statement.
rh_code rh__build_by(const rh_build *build, rh_code clause, rh_slice name);
/// A --by for what is no constraint is said.
void rh__build_check_by(rh_build *build);

// --- names.c: entities, members, families, messages
// -----------------------------------------------

/// Report, once per code and place; loop indices of `env` are appended.
void rh__build_report(rh_build *build, rh_diagnostic_code code, rh_span span, const rh_env *env,
                      const char *format, ...) __attribute__((format(printf, 5, 6)));
/// Extend the last report, unless it was a repetition.
void rh__build_repair(rh_build *build, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
void rh__build_note(rh_build *build, rh_span span, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/// What stands there in the text, on one line and not too long.
const char *rh__build_quote(rh_build *build, rh_span span);
/// Stop everything for want of memory, or by the memory limit.
void rh__build_stop(rh_build *build);
/// Nobody knows what the names below `at` are, because the statement around them is wrong (said).
void rh__build_lose(rh_build *build, const rh_tree *tree, rh_ast at);
/// Begin with the names that the parser lost.
void rh__build_begin_lost(rh_build *build);
bool rh__build_is_lost(const rh_build *build, rh_slice name);
/// Could parts of the model be missing because their statements could not be read?
bool rh__build_has_gaps(const rh_build *build);

uint32_t rh__marks_get(const rh_marks *marks, rh_expr symbol);
void rh__marks_set(rh_build *build, rh_marks *marks, rh_expr symbol, uint32_t value);

rh_entity *rh__build_entity(rh_build *build, uint32_t index);
/// UINT32_MAX when there is none.
uint32_t rh__build_find(const rh_build *build, rh_slice name);
/// The family of an entity with so many primes; none when it cannot be had.
rh_family rh__build_family(rh_build *build, uint32_t entity, uint32_t primes);
/// The families lambda.NAME and const.NAME of a constraint.
rh_family rh__build_multiplier(rh_build *build, uint32_t entity);
rh_family rh__build_multiplier_rate(rh_build *build, uint32_t entity);
rh_family rh__build_constant(rh_build *build, uint32_t entity);
rh_owner rh__build_owner(const rh_build *build, rh_family family);
/// Place of an index in the entity's box; UINT32_MAX when it lies outside.
uint32_t rh__entity_place(const rh_entity *entity, const int64_t *index);
/// The member at a place of the box; NULL when there is no definition.
rh_member *rh__entity_member(rh_entity *entity, uint32_t place);
const char *rh__entity_word(rh_entity_kind kind);
const char *rh__entity_article(rh_entity_kind kind); // "a", "an" or "the"
/// The name with its index: `rod[3]`.
const char *rh__entity_show(rh_build *build, const rh_entity *entity, uint32_t place);

// --- resolve.c: declarations
// ----------------------------------------------------------------------

/// Find all names, bounds and members, and expand all loops.
void rh__build_declare(rh_build *build);
/// Read the index of `x[..]` into `out`; false when it was wrong (and said).
bool rh__build_index(rh_build *build, rh_code code, rh_entity *entity,
                     int64_t out[RH_EXPR_DIMENSIONS]);

// --- scope.c: what may stand where, and derivatives
// -------------------------------------------------

/// What may stand in an expression.
typedef struct rh_scope {
    uint32_t allowed;    // roles
    const char *where;   // "the kinetic energy"
    bool has_deviations; // constraint names are symbols, not expressions
    bool keeps_rates;    // rates of selected states are an error when false
} rh_scope;

extern const rh_scope RH_SCOPE_ANY;

/// The value if all of it may stand here, else bad (said).
rh_value rh__build_check(rh_build *build, rh_value value, rh_code code, const rh_scope *scope);
/// n-th total derivative of each item.
rh_value rh__build_derivative(rh_build *build, rh_value value, uint32_t primes, rh_span span,
                              const rh_env *env);
/// The total derivative of a symbol, with the build as user.
rh_seed rh__build_seed;

// --- condition.c: constraints that come and go
// -----------------------------------------------------

/// The condition of a `while` clause.
void rh__build_while(rh_build *build, rh_constraint *constraint, rh_code clause);
/// As rh__expr_unnest, through inputs.
rh_expr rh__build_condition(rh_build *build, rh_op op, const rh_expr *arguments, uint32_t count);
/// A deviation that is void where a condition fails: the rest of it, and the condition.
void rh__build_split(rh_build *build, rh_constraint *constraint);
/// Can this kind of constraint have a condition?
void rh__build_check_condition(rh_build *build, const rh_constraint *constraint, rh_code clause);

// --- lookup.c: names and definitions
// ----------------------------------------------------------------

rh_value rh__build_name(rh_build *build, rh_code code, const rh_scope *scope);
rh_value rh__build_indexed(rh_build *build, rh_code code, const rh_scope *scope);
rh_value rh__build_lambda(rh_build *build, rh_code code);
/// The value of a member, read when first needed.
rh_value rh__build_member(rh_build *build, uint32_t entity, rh_member *member);
/// All lets, quasi-velocities and parameters, so that their errors are found even when nothing uses
/// them.
void rh__build_definitions(rh_build *build);

// --- lower.c: expressions
// -------------------------------------------------------------------------

rh_value rh__build_lower(rh_build *build, rh_code code, const rh_scope *scope);
/// A scalar, or none (said).
rh_expr rh__build_scalar(rh_build *build, rh_code code, const rh_scope *scope);
/// An integer known beforehand; false when it is not (said).
bool rh__build_integer(rh_build *build, rh_code code, int64_t *out);
/// Report that the store refused, once, and stop. True when it did.
bool rh__build_refused(rh_build *build, rh_span span, const rh_env *env);

// --- tensor.c: vectors and matrices
// ----------------------------------------------------------------

rh_value rh__value_scalar(rh_expr e);
rh_value rh__value_bad(void);
const char *rh__value_text(rh_build *build, rh_value value); // "a vector of 3"
rh_expr rh__value_item(rh_value value, uint32_t k);
uint32_t rh__value_count(rh_value value);
rh_value rh__value_make(rh_build *build, rh_value_kind kind, uint32_t rows, uint32_t columns,
                        rh_expr **out_items);
rh_value rh__value_scale(rh_build *build, rh_value value, rh_expr factor);
/// Bad when the shapes do not fit; nothing is said.
rh_value rh__value_add(rh_build *build, rh_value a, rh_value b);
rh_value rh__value_multiply(rh_build *build, rh_value a, rh_value b);
rh_value rh__value_transpose(rh_build *build, rh_value value);
rh_value rh__value_dot(rh_build *build, rh_value a, rh_value b);
rh_value rh__value_cross(rh_build *build, rh_value a, rh_value b);
rh_value rh__value_rotation(rh_build *build, uint32_t axis, rh_expr angle);
/// Is it a 3x3 matrix whose transpose is its inverse?
bool rh__value_is_rotation(rh_build *build, rh_value value);
/// The body angular velocity of a 3x3 rotation.
rh_value rh__value_spin(rh_build *build, rh_value rotation, rh_span span, const rh_env *env);

// --- written.c -----------------------------------------------------------------------------------

/// Is the function defined for all numbers?
bool rh__op_is_total(rh_op op);
/// Note an operation, as it is written, that is not defined everywhere.
void rh__build_write_down(rh_build *build, rh_expr e);
/// What was noted since `first` counts only where the test is true (or, else, false).
void rh__build_write_under(rh_build *build, uint32_t first, rh_expr test, bool is_true);

// --- calls.c: functions
// ---------------------------------------------------------------------------

rh_value rh__build_call(rh_build *build, rh_code code, const rh_scope *scope);
/// integral(u, a, b, EXPRESSION).
rh_value rh__build_integral(rh_build *build, rh_code code, const rh_scope *scope);
/// The name is not known: say so and suggest the nearest, unless it was lost.
void rh__build_unknown(rh_build *build, rh_slice name, rh_span span, const rh_env *env,
                       const char *what);

// --- assemble.c, constrain.c, settle.c: statements
// ---------------------------------------------------

/// Laws and selection; energies. Each is read once, when first needed. False when it must wait:
/// definitions are still being read in an order of their own.
bool rh__build_laws(rh_build *build);
bool rh__build_energies(rh_build *build);
/// Replace the rates of states by their laws.
rh_expr rh__build_without_rates(rh_build *build, rh_expr e);
void rh__build_path(rh_build *build, const rh_input *input); // of a file (path.c)
void rh__build_dynamics(rh_build *build);                    // inputs, equations, forces
void rh__build_constraints(rh_build *build); // constraints, quasi-velocities, construct
void rh__build_exchanges(rh_build *build);   // both halves of `change` (exchange.c)
void rh__build_settings(rh_build *build); // start, guess, events, observes, drawings, pairs, change
void rh__build_scales(rh_build *build);   // of variables (scales.c)
/// The deviation of a constraint's member, read when first needed.
rh_value rh__build_deviation(rh_build *build, uint32_t entity, rh_member *member);
/// A target `NAME` or `NAME[i]` of coordinates or states: the symbol without primes, or none
/// (said).
rh_expr rh__build_target(rh_build *build, rh_code code, uint32_t roles,
                         rh_diagnostic_code complaint, const char *what);
/// What makes a coordinate or state move.
enum {
    RH_MOVES_BY_LAW = 1,
    RH_MOVES_BY_EQUATION = 2,
    RH_MOVES_BY_ENERGY = 4,
    RH_MOVES_BY_FORCE = 8
};

uint8_t rh__build_moves(const rh_build *build, rh_expr symbol);
bool rh__build_is_selected(const rh_build *build, rh_expr symbol);
rh_row rh__build_row(rh_build *build, const rh_instance *instance, rh_ast name);

// --- advice.c
// -------------------------------------------------------------------------------------

void rh__build_advise(rh_build *build);

// --- parameter.c

/// The values of parameters in doubles; circles are said.
void rh__build_values(rh_build *build);
