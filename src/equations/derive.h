// SPDX-License-Identifier: Apache-2.0
// Private to `equations`: what is known while equations are derived. The passes are listed in
// equations.c.

#pragma once

#include "equations/equations.h"

/// Numbers for symbols (or other expressions), by id.
typedef struct rh_marks {
    uint32_t *data;
    uint32_t count;
} rh_marks;

/// The number + 1, 0 when there is none.
uint32_t rh__marks_find(const rh_marks *marks, rh_expr e);
bool rh__marks_put(rh_arena *arena, rh_marks *marks, rh_expr e, uint32_t number);

typedef struct rh_derive {
    rh_equations *equations;
    const rh_model *model; // its store grows; nothing else changes
    rh_store *store;
    rh_arena *arena;           // of the equations
    rh_arena scratch;          // given back when the derivation ends
    rh_marks carrier;          // variable -> carrier
    rh_marks position;         // coordinate -> carrier
    rh_marks passive;          // state -> passive
    rh_derivation *along;      // total derivative, rates of carriers left out
    bool is_stuck;             // there are no equations of motion, though nothing is wrong
    rh_grid inertia, other;    // under construction
    RH_ARRAY(rh_entry) forces; // row = carrier
    RH_ARRAY(rh_entry) rest;   // those that do not come from energies
} rh_derive;

// --- the passes (equations.c has their order) ------------------------------------------------

rh_status rh__derive_carriers(rh_derive *derive);  // lagrange.c
rh_status rh__derive_motion(rh_derive *derive);    // lagrange.c
rh_status rh__derive_construct(rh_derive *derive); // cross.c
rh_status rh__derive_levels(rh_derive *derive);    // release.c
rh_status rh__derive_pushes(rh_derive *derive);    // realise.c
rh_status rh__derive_laws(rh_derive *derive);      // perturb.c
rh_status rh__derive_forces(rh_derive *derive);    // loads.c
rh_status rh__derive_control(rh_derive *derive);   // control.c
rh_status rh__derive_combine(rh_derive *derive);   // combine.c

/// Go on with a link from a new level: its row (and push, when ideal) is made anew (release.c).
rh_status rh__derive_extend(rh_derive *derive, uint32_t link, rh_expr level);

/// What was found already, and serves all askers (reuse.c, form.c).
typedef struct rh_reuse {
    rh_layout layout;
    bool has_layout;
    rh_start start;
    rh_diagnostics remarks; // of the start
    uint64_t start_changes; // of the model's numbers when it was found
    bool has_start;
    rh_form forms[2];
    bool has_form[2];
} rh_reuse;

/// All links and carriers are there. What is found from now on is kept and used again (reuse.c).
void rh__reuse_begin(rh_equations *equations);
/// Levels were added: what was kept is void.
void rh__reuse_forget(rh_equations *equations);

/// What reuse.c keeps, found anew (point.c, consistent.c, form.c).
rh_status rh__layout_make(rh_equations *equations, rh_arena *arena, rh_layout *out);
rh_status rh__start_search(rh_equations *equations, const rh_layout *layout, rh_arena *arena,
                           rh_diagnostics *diagnostics, rh_start *out);
rh_status rh__form_make(rh_equations *equations, rh_form_kind kind, rh_arena *arena, rh_form *out,
                        rh_error *err);

/// Type II: the function in T + lambda phi (lagrange.c).
rh_expr rh__derive_phi(const rh_constraint *constraint);
/// An expression with all velocities zero.
rh_expr rh__derive_at_rest(rh_store *store, rh_expr e);
/// By link: is it two-sided? NULL when the scratch arena refused.
bool *rh__derive_two_sided(rh_derive *derive);
/// d e / dt along the motion, the rates of carriers left out.
rh_expr rh__derive_along(rh_derive *derive, rh_expr e);
/// Add `value` to the force on a carrier; `is_rest`: it does not come from an energy.
bool rh__derive_force(rh_derive *derive, uint32_t carrier, rh_expr value, bool is_rest);
/// UINT32_MAX when there is none.
uint32_t rh__derive_carrier(const rh_derive *derive, rh_expr variable_or_position);
/// Why an arena or the store refused.
rh_status rh__derive_refused(const rh_derive *derive);
/// The same where something is known to have failed: never RH_OK.
rh_status rh__derive_failed(const rh_derive *derive);
