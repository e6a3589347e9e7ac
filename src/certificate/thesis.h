// SPDX-License-Identifier: Apache-2.0
// Private to `certificate`: the exact equations of the model of a statement, in its
// quasi-velocities, with parameters as exact numbers.
//
// Variables z: positional coordinates, quasi-velocities, states, and multipliers that remain in the
// equations. Rows: one for the rate of each of them (for multipliers the constraint that they
// keep), then the levels of constraints that restrict z, then what was fixed and is no variable. A
// steady motion is a zero of all rows. For variables `unknown` the row is the right side of
// inertia * rates = right: its zeros are those of the rates where the inertia is regular.

#pragma once

#include "rheonom/certificate.h"

#include "certificate/wording.h"

#include "expr/expr.h"
#include "proof/proof.h"
#include "model/model.h"
#include "equations/equations.h"

enum { RH_THESIS_VARIABLES = 128 }; // more are refused

typedef struct rh_thesis {
    const rh_certificate_def *def;
    rh_arena arena;
    rh_model *model;
    rh_equations *equations;
    rh_store *store;
    rh_form form;

    rh_expr *variables;
    const char **names;
    uint32_t count;
    uint32_t positional_count;
    uint32_t state_count;                  // variables that are no multipliers
    uint32_t unknown_first, unknown_count; // variables whose rates are unknowns of the form
    uint32_t size;                         // of the form: rates and multipliers

    rh_expr_list rows;
    RH_ARRAY(const char *) row_names;
    uint32_t level_first, demand_first; // rows
    rh_expr *inertia;                   // size x size, row by row; none: 0
    rh_expr_list written;               // operations of the model as written: to have values
    rh_expr_list never_zero;            // the equations are valid where none of these vanishes
    rh_expr_list kept;                  // must be identically zero: the rows of the constraints
    rh_expr_list cyclic;                // symbols of the other coordinates
    uint32_t *kept_row;  // by variable: of a multiplier, the row of what it keeps + 1
    uint32_t *fixed_row; // by fix of the statement: its row + 1; 0: a variable

    rh_expr *image; // by id of a symbol: what stands for it; none: itself
    uint32_t image_limit;
} rh_thesis;

/// Derive it from the text. RH_E_MODEL when the model is wrong; RH_E_UNAVAILABLE with the reason
/// when its equations have no such form.
RH_NODISCARD rh_status rh__thesis_create(const rh_wording *statement, const rh_certificate_def *def,
                                         rh_thesis *out, rh_error *err);
void rh__thesis_destroy(rh_thesis *thesis);
/// Take constraints along and across angles as the statement says (recombine.c), before anything is
/// derived. RH_E_UNAVAILABLE with the reason.
RH_NODISCARD rh_status rh__thesis_recombine(rh_thesis *thesis, const rh_wording *statement,
                                            rh_error *err);
/// Add to `never_zero` what vanishes where rows or inertia are not smooth (kinks.c). False when
/// memory ran out.
bool rh__thesis_list_kinks(rh_thesis *thesis);
/// Why its arena or its store refused.
rh_status rh__thesis_refusal(const rh_thesis *thesis);
/// The variable of a name; UINT32_MAX.
uint32_t rh__thesis_variable(const rh_thesis *thesis, rh_slice name);
uint32_t rh__thesis_row(const rh_thesis *thesis, rh_slice name);
/// A decimal, or half turns, as an exact number; none when the store refuses.
rh_expr rh__thesis_number(rh_thesis *thesis, rh_slice decimal);
/// The name of a symbol in the arena.
const char *rh__thesis_name(rh_arena *arena, const rh_store *store, rh_expr symbol);
