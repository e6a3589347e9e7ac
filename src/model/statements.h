// SPDX-License-Identifier: Apache-2.0
// Statements of a model, as scalar rows.

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
