// SPDX-License-Identifier: Apache-2.0
// Door of the room `system`: what a system names, and the tapes that evaluators run.

#pragma once

#include "rheonom/system.h"

#include "base/base.h"
#include "tape/tape.h"

#include <threads.h>

enum { RH_ITEM_KINDS = RH_ITEM_EVENT + 1 };

typedef struct rh_item_list {
    RH_ARRAY(rh_item) items;
    rh_table places; // by name: index
} rh_item_list;

/// A sparse matrix among the outputs of `matrices`: entry k is output first + k.
typedef struct rh_matrix_outputs {
    const rh_grid *grid;
    uint32_t first;
} rh_matrix_outputs;

/// What a system for evaluators has besides its tapes.
typedef struct rh_items {
    rh_item_list lists[RH_ITEM_KINDS];
    rh_layout layout;
    rh_point start;    // the consistent one; else what the text says
    bool has_start;    // it is consistent
    rh_tape *matrices; // inputs as `output` of the system; outputs: inertia, rows, push, forces
    rh_matrix_outputs inertia, rows, push;
    uint32_t forces;          // first of its outputs
    rh_tape *reactions;       // the same inputs; outputs: multipliers by link
    rh_tape *rate_slopes;     // tangents of the stepping tape by x and inputs, one direction
    rh_tape *reaction_slopes; // of `reactions`, by x, unknowns and inputs
    rh_tape *rate_drifts;     // tangents of the stepping tape by constants that move
    rh_tape *reaction_drifts; // of `reactions`, by these and by unknowns
    rh_family variation;      // by parameter: how it moves, in the constants of these
    bool *is_free;            // by parameter: the equations hold beside its value too
    mtx_t mutex;              // of the store: equations are asked whether they stand
    bool has_mutex;
} rh_items;

/// Fill the lists (items.c).
RH_NODISCARD rh_status rh__items_list(rh_system *system, rh_items *items);
/// Make the tangents by parameters (parameters.c).
RH_NODISCARD rh_status rh__items_drift(const rh_system *system, rh_items *items, rh_arena *arena,
                                       rh_arena *scratch, rh_error *err);

/// Constants of a tape at a point, while one parameter moves.
typedef struct rh_parameter_direction {
    const rh_point *point;
    rh_family family;
    uint32_t parameter;
} rh_parameter_direction;

/// An rh_value_of.
double rh__parameter_value(const void *direction, const rh_store *store, rh_expr symbol);
