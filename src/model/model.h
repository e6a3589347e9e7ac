// SPDX-License-Identifier: Apache-2.0
// Door of the room `model`: the model in the user's words. Every array and loop is expanded to
// scalars, and every expanded row remembers the statement and the member it came from; its
// expression's shape (expr.h) tells which rows are one family. Expressions live in the model's
// store.

#pragma once

#include "rheonom/model.h"

#include "base/base.h"
#include "expr/expr.h"
#include "syntax/syntax.h"

/// What a symbol is: bits of a family's mask (bit 0, RH_EXPR_VARIABLE, is set for all but
/// parameters and constants).
enum {
    RH_ROLE_TIME = 1 << 1,
    RH_ROLE_COORD = 1 << 2,
    RH_ROLE_VELOCITY = 1 << 3,
    RH_ROLE_ACCELERATION = 1 << 4,
    RH_ROLE_HIGHER = 1 << 5, // third and higher derivatives, second ones of states
    RH_ROLE_STATE = 1 << 6,
    RH_ROLE_RATE = 1 << 7, // first derivative of a state
    RH_ROLE_INPUT = 1 << 8,
    RH_ROLE_MULTIPLIER = 1 << 9, // lambda.NAME
    RH_ROLE_DEVIATION = 1 << 10, // of a constraint, with any number of primes
    RH_ROLE_PARAM = 1 << 11,
    RH_ROLE_CONSTANT = 1 << 12, // const.NAME: taken from the start
    RH_ROLE_LOCAL = 1 << 13     // new names of `change`
};

/// A declared array or scalar: its family for each number of primes that occurs or that an equation
/// of motion needs (none else).
typedef struct rh_variable {
    rh_slice name;
    rh_span span;                         // of its declaration
    rh_family family[RH_EXPR_PRIMES + 1]; // [0] always
    uint32_t size;                        // members
} rh_variable;

typedef struct rh_parameter {
    rh_slice name;
    rh_span span;
    rh_family family;
    uint32_t size;
    rh_expr *defaults;  // by member; in other parameters
    uint32_t first;     // its place in rh_values.parameters
    uint32_t *dial;     // by member: which --set gave it, + 1; 0: none (values.c)
    bool is_structural; // stands in a bound or an index: replaced by its value
    bool is_used;
} rh_parameter;

/// A scalar expression with the text it came from.
typedef struct rh_formula {
    rh_expr expr;
    rh_span span;
} rh_formula;

/// A row of a statement, possibly one of many made by a loop.
typedef struct rh_row {
    rh_slice name;    // without index; empty when the statement has no name
    rh_family family; // of its name (for constraints: lambda.NAME has the same members); none
                      // without name
    uint32_t member;
    rh_ast statement; // where it was written
    rh_span span;     // of the name, or of the statement
} rh_row;

/// Generalised force on one coordinate, additive.
typedef struct rh_force {
    rh_row row;
    rh_expr target; // the coordinate's symbol
    rh_expr value;
} rh_force;

/// Force at a point (position and force of equal length 2 or 3) or torque on a body (rotation 3x3
/// by rows, torque 3), both in fixed axes.
typedef struct rh_load {
    rh_row row;
    bool is_torque;
    uint32_t length; // of the force or torque
    rh_expr *place;  // `length` coordinates, or 9 entries
    rh_expr *value;
} rh_load;

typedef struct rh_input {
    rh_slice name;
    rh_span span;
    rh_family family;
    rh_expr value;    // none when it comes from a file
    const char *file; // NULL when it is an expression
    rh_span path_span;
} rh_input;

/// inertia * target = value.
typedef struct rh_law {
    rh_row row;
    rh_expr target; // x'' of a coordinate, x' of a state
    rh_expr inertia;
    rh_expr value;
} rh_law;

typedef struct rh_equation {
    rh_row row;
    rh_expr left, right;
} rh_equation;

typedef enum rh_constraint_kind {
    RH_KIND_HOLONOMIC,
    RH_KIND_NONHOLONOMIC,
    RH_KIND_RESTRICTION // holds states
} rh_constraint_kind;

typedef enum rh_realisation {
    RH_BY_IDEAL,
    RH_BY_SERVO,
    RH_BY_INERTIA,
    RH_BY_VAKONOMIC,
    RH_BY_FRICTION,
    RH_BY_REACTION
} rh_realisation;

/// One component of a covector or of a reaction.
typedef struct rh_component {
    rh_expr target; // symbol of a coordinate or state
    rh_expr value;
} rh_component;

typedef struct rh_constraint {
    rh_row row;
    rh_expr
        deviation; // left - right (for <=: right - left); `= const` subtracts the symbol const.NAME
    bool is_one_sided; // deviation >= 0
    bool takes_constant;
    bool is_linear; // in velocities (restrictions: in selected states)
    bool has_law;   // `with`: never projected, may start off its manifold
    rh_constraint_kind kind;
    uint32_t level; // derivatives until accelerations appear: 2 holonomic, 1 nonholonomic; 0: not
                    // known yet
    rh_expr impact; // restitution; none without
    rh_expr condition; // it holds while this is true; none: always
    rh_realisation by;
    rh_option option;
    rh_expr argument;         // inertia: PHI; friction: N; none else
    rh_component *components; // servo, reaction
    uint32_t component_count;
    rh_family multiplier;      // lambda.NAME
    rh_family multiplier_rate; // lambda.NAME', where the multiplier is a state; none else
    uint32_t law_order;        // of the left side of `with`
    rh_expr law;               // its right side, in deviation symbols
} rh_constraint;

typedef struct rh_quasi {
    rh_row row;
    rh_family symbol; // family of its name, for columns and start values
    rh_family rate;   // its derivative, with the same members
    rh_expr value;    // in velocities
} rh_quasi;

typedef struct rh_pair {
    rh_expr position, momentum;
    rh_span span;
} rh_pair;

typedef struct rh_exchange {
    rh_expr target; // new symbol (forward), old symbol or time (inverse)
    rh_expr value;
    rh_span span;
} rh_exchange;

/// A start or guess value: `place` is a symbol (coordinate, velocity, state, multiplier, time), or
/// for a let or quasi-velocity an expression that shall have the value.
typedef struct rh_setting {
    rh_expr place;
    rh_expr value; // in parameters
    rh_span span;
    bool is_symbol;
    uint32_t dial; // which --start gave it, + 1; 0: none (values.c)
} rh_setting;

/// A member of a parameter.
typedef struct rh_parameter_place {
    uint32_t parameter, member;
} rh_parameter_place;

typedef enum rh_action { RH_ACTION_RECORD, RH_ACTION_STOP, RH_ACTION_RESET } rh_action;

typedef struct rh_event {
    rh_row row;
    rh_expr function; // left - right
    rh_direction direction;
    rh_action action;
    rh_component *resets;
    uint32_t reset_count;
} rh_event;

typedef struct rh_observe {
    const char *name; // with index or component, as the column is called
    rh_row row;
    rh_expr value;
    rh_expr kept; // the same with symbols for deviations, where a call asks for it; else none
} rh_observe;

typedef enum rh_drawing_kind { RH_DRAW_POINT, RH_DRAW_LINE, RH_DRAW_DISC } rh_drawing_kind;

typedef struct rh_drawing {
    rh_row row;
    rh_drawing_kind kind;
    uint32_t length;  // of its vectors: 2 or 3
    rh_expr *vectors; // point: 1; line: 2; disc: centre, normal
    uint32_t vector_count;
    rh_expr radius; // none but for a disc
} rh_drawing;

/// `construct`: equations from the program alone.
typedef struct rh_construct {
    bool is_given;
    rh_span span;
    rh_expr tangent;  // none without
    rh_expr *vectors; // vector_count * (number of scalar coordinates)
    uint32_t vector_count;
} rh_construct;

/// Numbers of parameters and start values: those of the text, which stay with the model, or a copy
/// with others in their place, which belongs to whoever moves (values.c).
typedef struct rh_values {
    const rh_model *model;
    RH_ARRAY(double) parameters; // by parameter and member; NaN: it has none
    bool *is_given;              // likewise: another number than that of its default; NULL: none is
    double *starts; // by setting of the start: a number in place of its formula, or NaN; NULL: none
    uint64_t changes; // how often numbers of parameters were changed
} rh_values;

struct rh_model {
    rh_arena arena;
    rh_guard *guard; // of all arenas that are made from this one
    rh_source source;
    rh_diagnostics diagnostics;
    rh_tree tree;
    rh_store *store; // NULL until the text was read
    bool is_sound;

    rh_slice title;
    rh_family time;
    RH_ARRAY(rh_parameter) parameters;
    rh_values values;                         // as the text gives them
    RH_ARRAY(rh_parameter_place) value_order; // all members, each after those it is given by
    RH_ARRAY(uint32_t) parameter_of; // by family: index into `parameters` + 1, 0 for others
    RH_ARRAY(rh_variable) coordinates;
    RH_ARRAY(rh_variable) states;
    RH_ARRAY(rh_input) inputs;

    RH_ARRAY(rh_formula) kinetic;
    RH_ARRAY(rh_formula) potential;
    RH_ARRAY(rh_formula) dissipation;
    RH_ARRAY(rh_formula) lagrangian;
    RH_ARRAY(rh_force) forces;
    RH_ARRAY(rh_load) loads;
    RH_ARRAY(rh_law) laws;
    RH_ARRAY(rh_equation) equations;
    RH_ARRAY(rh_constraint) constraints;
    RH_ARRAY(rh_quasi) quasis;
    rh_construct construct;
    // operations of the dynamics that are not defined everywhere, as they are written: also those
    // that cancel or are multiplied by zero
    rh_expr_list written;

    rh_expr_list selected; // symbols: velocities of coordinates, states; given or by the rule
    bool is_selection_given;
    RH_ARRAY(rh_pair) pairs;
    RH_ARRAY(rh_exchange) change; // forward
    RH_ARRAY(rh_exchange) inverse;

    RH_ARRAY(rh_setting) starts;
    RH_ARRAY(rh_setting) guesses;
    RH_ARRAY(rh_setting) scales; // places are symbols of coordinates, velocities and states
    RH_ARRAY(rh_event) events;
    RH_ARRAY(rh_observe) observes;
    RH_ARRAY(rh_drawing) drawings;
};

/// An expression with the new variables of a `change` replaced by their formulas in the old ones.
rh_expr rh__model_through_change(const rh_model *model, rh_expr e);
/// An expression with the inputs that are given by formulas replaced by these.
rh_expr rh__model_through_inputs(const rh_model *model, rh_expr e);
/// Sums over all statements of their kind; the number 0 when there is none.
rh_expr rh__model_kinetic(const rh_model *model);
rh_expr rh__model_potential(const rh_model *model);
rh_expr rh__model_dissipation(const rh_model *model);
rh_expr rh__model_lagrangian(const rh_model *model);

/// How many scalar coordinates, states.
uint32_t rh__model_coordinate_count(const rh_model *model);
uint32_t rh__model_state_count(const rh_model *model);

/// Does the model declare something of this name?
bool rh__model_has_name(const rh_model *model, rh_slice name);

/// A running index for rows of loops: a letter that is no name of the model.
rh_slice rh__model_letter(const rh_model *model);

const char *rh__kind_word(rh_constraint_kind kind);           // "holonomic" ...
const char *rh__realisation_word(rh_realisation realisation); // "ideal" ...

/// The number of a parameter's member, NaN when it depends on what has none: an rh_value_of with
/// an rh_values as user.
double rh__values_parameter(const void *values, const rh_store *store, rh_expr symbol);
/// Where it stands.
double *rh__values_at(const rh_values *values, const rh_parameter *parameter, uint32_t member);

/// A copy, in an arena.
RH_NODISCARD rh_status rh__values_copy(const rh_values *values, rh_arena *arena, rh_values *out);
/// Other numbers for what --set and --start gave, in their order; NaN: as it was. All values that
/// follow from them are found anew. RH_E_UNAVAILABLE, with the old values, when the model must be
/// read again: sizes change, a value vanishes or ceases to, or what was derived so far would have
/// been derived otherwise. RH_E_ARGUMENT when one of them gave something else than one value.
RH_NODISCARD rh_status rh__values_turn(rh_values *values, const double *set, uint32_t set_count,
                                       const double *start, uint32_t start_count, rh_error *err);
/// Numbers of another copy.
void rh__values_assign(rh_values *values, const rh_values *from);
/// The same for some parameters.
RH_NODISCARD rh_status rh__values_change(rh_values *values, const rh_expr *symbols,
                                         const double *numbers, uint32_t count, rh_arena *scratch);
/// The same without asking whether the equations stand. False when the scratch arena refused.
RH_NODISCARD bool rh__values_put(rh_values *values, const rh_expr *symbols, const double *numbers,
                                 uint32_t count, rh_arena *scratch);
/// The number that a dial gave when the model was read; NaN when it gave none.
double rh__model_dial(const rh_model *model, bool is_start, uint32_t dial);

/// A remark about the model in the words of the street; rooms above have remarks of their own.
rh_diagnostic rh__model_remark(const rh_model *model, const rh_remark *remark);
/// The same for a source of one's own.
rh_diagnostic rh__model_remark_in(const rh_source *source, const rh_remark *remark);

/// An input that comes from a file, counted among its like; NULL when there is none.
const rh_input *rh__model_feed(const rh_model *model, size_t index);
