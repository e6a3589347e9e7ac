// SPDX-License-Identifier: Apache-2.0
// Private to `model`: what is known while a model is built. Names are entities; an entity with an
// index has members, each with the loop environment it was written in; a statement inside loops is
// one instance per turn.

#pragma once

#include "model/model.h"

// --- values ----------------------------------------------------------------------------------

typedef enum rh_value_kind {
    RH_VALUE_BAD, // something was wrong and has been said
    RH_VALUE_SCALAR,
    RH_VALUE_VECTOR,
    RH_VALUE_MATRIX,
    RH_VALUE_CONDITION
} rh_value_kind;

/// One elementary rotation of a product: axis 0, 1, 2 and angle.
typedef struct rh_turn {
    uint32_t axis;
    rh_expr angle;
} rh_turn;

typedef struct rh_value {
    rh_value_kind kind;
    uint32_t rows, columns; // vector: rows; matrix: both
    rh_expr scalar;         // scalar and condition
    const rh_expr *items;   // vector and matrix, row by row
    const rh_turn *turns;   // a matrix made of rotations remembers them, for `spin`
    uint32_t turn_count;
} rh_value;

/// A loop index or an argument of a user's function, innermost first.
typedef struct rh_env {
    const struct rh_env *outer;
    rh_slice name;
    rh_value value;
    bool is_index;
} rh_env;

// --- entities --------------------------------------------------------------------------------

typedef enum rh_entity_kind {
    RH_ENTITY_PARAM,
    RH_ENTITY_COORD,
    RH_ENTITY_STATE,
    RH_ENTITY_INPUT,
    RH_ENTITY_LET,
    RH_ENTITY_FUNCTION,
    RH_ENTITY_QUASI,
    RH_ENTITY_CONSTRAINT,
    RH_ENTITY_EQUATION,
    RH_ENTITY_EVENT,
    RH_ENTITY_OBSERVE,
    RH_ENTITY_TIME,
    RH_ENTITY_BUILTIN // T, V, energy
} rh_entity_kind;

typedef enum rh_progress { RH_PROGRESS_NEW, RH_PROGRESS_BUSY, RH_PROGRESS_DONE } rh_progress;

/// An expression to be read: where it stands, and in which loops.
typedef struct rh_code {
    const rh_tree *tree;
    rh_ast at;
    const rh_env *env;
} rh_code;

static inline rh_span rh__code_span(rh_code code)
{
    return rh__tree_node(code.tree, code.at)->span;
}

/// The k-th child, in the same loops; `at` is none when there are not so many.
static inline rh_code rh__code_child(rh_code code, uint32_t k)
{
    code.at = rh__tree_child(code.tree, code.at, k);
    return code;
}

static inline rh_code rh__code_next(rh_code code)
{
    code.at = rh__tree_next(code.tree, code.at);
    return code;
}

/// One definition of a name: a let, a quasi-velocity, a parameter, a constraint's deviation.
typedef struct rh_member {
    rh_code code; // the expression (constraints: the statement)
    rh_span span; // of the name in its definition
    rh_ast statement;
    int64_t index[RH_EXPR_DIMENSIONS];
    rh_value value;
    rh_progress progress;
    bool is_waiting; // for another one that lies too deep below it
} rh_member;

/// A definition under way.
typedef struct rh_reading {
    uint32_t entity;
    rh_member *member; // NULL: none
} rh_reading;

typedef struct rh_entity {
    rh_entity_kind kind;
    rh_slice name;
    rh_span span; // of its (first) declaration
    rh_ast statement;
    rh_ast declaration; // DECLARE, or the FUNCTION
    bool is_array;      // has indices
    bool is_used;
    bool is_structural;
    uint32_t dimensions;
    int64_t first[RH_EXPR_DIMENSIONS];
    uint32_t extent[RH_EXPR_DIMENSIONS];
    uint32_t size; // of the index box
    RH_ARRAY(rh_member) members;
    uint32_t *slots; // place in the index box -> member + 1; NULL: one to one
    rh_family families[RH_EXPR_PRIMES + 1];
    rh_family multiplier, multiplier_rate,
        constant;       // of a constraint: lambda.NAME, its rate, const.NAME
    uint32_t place;     // in the model's array of its kind
    const char *file;   // input from a file
    rh_value whole;     // of a parameter's array: the vector read last
    rh_code whole_code; // where that stands
    uint32_t calls;     // of a function, under way
} rh_entity;

/// What a family belongs to.
typedef struct rh_owner {
    uint32_t entity;
    uint32_t primes;
} rh_owner;

/// A statement in one turn of its loops.
typedef struct rh_instance {
    rh_ast statement;
    const rh_env *env;
} rh_instance;

/// Numbers by symbol, 0 where none was given: long loops stay linear.
typedef struct rh_marks {
    RH_ARRAY(uint32_t) of; // by expression id
} rh_marks;

/// What may stand in forces, laws and constraints.
enum {
    RH_ROLES_MOTION = RH_ROLE_PARAM | RH_ROLE_CONSTANT | RH_ROLE_TIME | RH_ROLE_COORD |
                      RH_ROLE_VELOCITY | RH_ROLE_STATE | RH_ROLE_INPUT
};

enum {
    RH_BUILD_STEPS = 8000000,    // nodes of the tree read, all loops and calls counted
    RH_BUILD_INSTANCES = 500000, // statements after expansion
    RH_BUILD_TURNS = 600000,     // of all loops
    RH_BUILD_ARRAY = 2000000,    // members of one array
    RH_BUILD_TENSOR = 4096,      // entries of a vector or matrix
    RH_BUILD_DEPTH = 1000,       // expressions inside one another, through definitions and calls
    RH_BUILD_SHALLOW = 250       // the same while definitions may still be put off
};

typedef struct rh_build {
    rh_model *model;
    rh_arena *arena; // the model's
    rh_store *store;
    const rh_tree *tree;
    rh_table names;   // -> index into entities
    rh_table columns; // of observed quantities
    rh_table lost;    // names in statements that could not be read: they may be anything
    RH_ARRAY(rh_entity) entities;
    RH_ARRAY(rh_instance) instances;
    RH_ARRAY(rh_owner) owners;   // by family id
    RH_ARRAY(uint64_t) reported; // hashes of (code, span), so that a loop complains once
    rh_derivation *time_derivative;
    uint32_t time;             // entity
    uint32_t undifferentiable; // entity + 1 that a total derivative met and could not pass
    uint64_t steps;
    uint64_t turns;     // of `for`
    uint32_t depth;     // expressions being read
    rh_arena scratch;   // marked and rewound by whoever uses it
    bool is_silent;     // the last report was a repetition and was dropped
    rh_reading current; // the innermost definition being read
    rh_reading wanted;  // the one that lay too deep and must be read first
    bool is_postponing; // a chain that is too long is put off, not an error
    bool was_postponed;
    bool is_stopped;      // a limit or the memory ended the work; said already
    bool is_starved;      // ... the memory did, and nothing was said
    rh_progress energies; // kinetic, potential, lagrangian
    rh_progress laws;     // laws and selection
    rh_marks law_of;      // by rate or acceleration: index into the model's laws + 1
    rh_marks selected;    // by state or velocity: 1
    rh_marks pair_of;     // by variable: index into the model's pairs + 1
    bool is_too_deep;     // said once
    uint8_t *motions;     // by symbol of a variable: RH_MOVES_...
    uint32_t motion_count;
    bool has_bad_energy;    // one that could not be read
    bool has_stray_law;     // a law of nobody knows which variable
    bool is_declaring;      // names and bounds are not all known yet
    rh_tree *setting_trees; // --set, then --start, then --by, then --observe
    size_t set_count, start_count, by_count, observe_count;
    bool is_surrounding; // what is read now does not belong to the dynamics
} rh_build;

// --- values.c ------------------------------------------------------------------------------------

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
