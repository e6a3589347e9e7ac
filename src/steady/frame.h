// SPDX-License-Identifier: Apache-2.0
// Choices of quasi-velocities, and sizes of variables.

#pragma once

#include "rheonom/steady.h"

#include "base/base.h"
#include "expr/expr.h"
#include "numeric/numeric.h"
#include "model/model.h"
#include "equations/equations.h"
#include "tape/tape.h"

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
