// SPDX-License-Identifier: Apache-2.0
// What is known while a model is built: values, entities, the build itself.

#pragma once

#include "model/model.h"

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

/// A surface of conditions as it was written first; see rh__expr_surface_split.
typedef struct rh_known_surface {
    rh_expr surface, factor;
} rh_known_surface;

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
    rh_marks surface_of;  // by core of a surface: index into surfaces + 1
    RH_ARRAY(rh_known_surface) surfaces;
    bool is_too_deep; // said once
    uint8_t *motions; // by symbol of a variable: RH_MOVES_...
    uint32_t motion_count;
    bool has_bad_energy;    // one that could not be read
    bool has_stray_law;     // a law of nobody knows which variable
    bool is_declaring;      // names and bounds are not all known yet
    rh_tree *setting_trees; // --set, then --start, then --by, then --observe
    size_t set_count, start_count, by_count, observe_count;
    bool is_surrounding; // what is read now does not belong to the dynamics
} rh_build;
