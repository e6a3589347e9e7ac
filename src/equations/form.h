// SPDX-License-Identifier: Apache-2.0
// Private to `equations`: making forms. A form is put together row by row.

#pragma once

#include "equations/derive.h"

typedef struct rh_forming {
    rh_equations *equations;
    rh_store *store;
    rh_arena *arena;  // of the form
    rh_arena scratch; // given back when the form is made
    rh_form *form;
    RH_ARRAY(rh_expr) right;
    RH_ARRAY(uint32_t) link_of;
    RH_ARRAY(uint32_t) given; // links with given reactions, when they are known
    bool knows_given;
    uint32_t budget;      // expressions the store may hold in the end
    uint32_t work_budget; // and the work it may have done
    rh_error *err;        // why a form cannot be
} rh_forming;

enum {
    RH_FORM_BUDGET = 500000, // expressions that one form may add
    RH_FORM_WORK = 12000000  // parts of sums and products that it may put in order
};

bool rh__forming_unknown(rh_forming *forming, rh_expr symbol);
/// An unknown that is the rate of a variable; all of them come before the multipliers.
bool rh__forming_rate(rh_forming *forming, rh_expr variable, rh_expr rate);
/// Begin a row; entries follow.
bool rh__forming_row(rh_forming *forming, rh_expr right, uint32_t link);
bool rh__forming_entry(rh_forming *forming, uint32_t column, rh_expr value);
#define rh__forming_push(forming, array, symbol, value)                                            \
    rh__array_push((forming)->arena, (array), ((rh_definition){(symbol), (value)}))
rh_status rh__forming_refused(const rh_forming *forming);

/// h with the given multipliers (friction, proposed reactions) acting.
rh_expr rh__forming_force(rh_forming *forming, uint32_t carrier);
/// Y - gamma of a link.
rh_expr rh__forming_target(rh_forming *forming, uint32_t link);

/// With every parameter that is given by others put through them.
rh_expr rh__forming_explain(const rh_forming *forming, rh_expr e);
/// An equal expression that is short to read: parameters by name or explained, common factors of
/// quotients cancelled.
rh_expr rh__forming_shorten(rh_forming *forming, rh_expr e);

/// Two points at which pivots are compared: the start, and a state near it.
rh_status rh__forming_samples(rh_forming *forming, rh_point out[2]);

rh_status rh__form_reduced(rh_forming *forming);   // presolve.c
rh_status rh__form_principal(rh_forming *forming); // principal.c
rh_status rh__form_quasi(rh_forming *forming);     // quasi.c
rh_status rh__form_changed(rh_forming *forming);   // restate.c
/// Where the way back of a change is looked at.
typedef struct rh_placed {
    rh_unfolding signs; // of its branches
    rh_layout layout;
    rh_start start; // in this layout, wherever the record lies
    bool has_start;
} rh_placed;

/// Find the start of the model, if it has one that is consistent.
rh_status rh__placed_start(rh_forming *forming, rh_placed *out);
/// Where the way back of a change holds (returning.c). RH_E_MODEL when the start is not there.
rh_status rh__restated_place(rh_forming *forming, rh_restated *out, rh_placed *placed);

/// Scales of a form at a point (equalise.c), powers of two.
typedef struct rh_form_scales {
    double *row, *column;
    double *excess; // by row: what is missing to the scale itself, 1 to 2
} rh_form_scales;

/// `entries` are the values of the matrix, in its order.
RH_NODISCARD rh_status rh__form_scale(const rh_form *form, const double *entries, rh_arena *arena,
                                      rh_form_scales *out);
