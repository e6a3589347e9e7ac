// SPDX-License-Identifier: Apache-2.0
// Private to `certificate`: rows, slopes and inertia of a thesis in balls; the steady motion in a
// box by Krawczyk's operator; its linear part and the polynomial that remains.

#pragma once

#include "certificate/thesis.h"

/// All expressions of a thesis, ready to be evaluated in balls.
typedef struct rh_field {
    rh_thesis *thesis;
    rh_arena *arena;
    rh_enclosure *enclosure;
    rh_balls *values;     // rows, slopes row by row, inertia row by row, never_zero, written
    const rh_balls *here; // by variable
    uint32_t slope_first, inertia_first, never_first, written_first, total;
    uint32_t *place; // by id of a symbol: its variable + 1
    uint32_t place_limit;
} rh_field;

RH_NODISCARD rh_status rh__field_create(rh_thesis *thesis, rh_arena *arena, rh_field *out);
void rh__field_destroy(rh_field *field);
/// Values over a box: `box` has one ball for each variable.
void rh__field_look(rh_field *field, const rh_balls *box, uint32_t precision);
/// Where values of a row, a slope, an entry of the inertia stand in field->values.
uint32_t rh__field_slope(const rh_field *field, uint32_t row, uint32_t variable);

/// A steady motion in a box.
typedef struct rh_anchor {
    rh_field *field;
    rh_expr *known;      // by variable: its exact value; none: it is enclosed
    rh_expr *low, *high; // by variable that is enclosed
    uint32_t *free;      // variables that are enclosed
    uint32_t *rows;      // as many rows that determine them
    uint32_t free_count;
    rh_balls *box; // by variable: the steady motion lies in it, after rh__anchor_prove()
} rh_anchor;

/// box = what is stated.
void rh__anchor_begin(rh_anchor *anchor, uint32_t precision, rh_arena *scratch);
/// Proved: the rows have exactly one zero in the box; the box is narrowed around it. False: not.
bool rh__anchor_prove(rh_anchor *anchor, uint32_t precision, rh_arena *arena);
/// The box as narrow as so many bits make it; it was proved before.
void rh__anchor_narrow(rh_anchor *anchor, uint32_t precision, rh_arena *arena);

/// Newton's method on the middles of the box, without any proof. False when it does not settle.
bool rh__anchor_refine(rh_anchor *anchor, uint32_t precision, rh_arena *arena);

/// The linear part at an anchor.
typedef struct rh_portrait {
    uint32_t size;        // N_x
    bool is_regular;      // inertia and levels are
    rh_balls *polynomial; // characteristic, size + 1 coefficients, lowest first
} rh_portrait;

/// `dependent`: by variable; as many as there are levels.
RH_NODISCARD rh_status rh__portrait_draw(rh_anchor *anchor, const bool *dependent,
                                         uint32_t precision, rh_arena *arena, rh_portrait *out);
void rh__portrait_destroy(rh_portrait *portrait);
/// Variables that follow from the others by the levels: those with the largest pivots.
RH_NODISCARD rh_status rh__portrait_choose(rh_anchor *anchor, rh_arena *arena, bool *out,
                                           bool *out_is_found);
