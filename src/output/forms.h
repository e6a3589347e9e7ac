// SPDX-License-Identifier: Apache-2.0
// Private to `output`: a form of the equations with all that is printed of it.

#pragma once

#include "output/output.h"

#include "equations/equations.h"
#include "output/page.h"

typedef struct rh_sheet {
    rh_equations *equations;
    rh_store *store;
    rh_arena *arena; // of the form
    rh_arena *scratch;
    rh_form form;
    rh_reactions reactions;
    rh_status reacted;   // RH_OK: there are reactions as formulas; why not else
    rh_cost cost;        // of evaluating matrix, right side, kinematics and passive states
    uint64_t operations; // of everything that is printed
} rh_sheet;

const char *rh__sheet_word(rh_form_kind kind); // "free" ...

/// Make a form, without reactions as formulas and not counted yet.
rh_status rh__sheet_create(rh_equations *equations, rh_form_kind kind, rh_arena *arena,
                           rh_arena *scratch, rh_sheet *out, rh_error *err);
/// Find the reactions as formulas, where the form has any.
rh_status rh__sheet_react(rh_sheet *sheet, rh_error *err);
/// Count its operations.
rh_status rh__sheet_count(rh_sheet *sheet, rh_error *err);
/// RH_E_LIMIT with a reason when `operations` of it or a text of `size` bytes are too many to
/// print.
rh_status rh__sheet_judge(const rh_sheet *sheet, uint64_t operations, size_t size, rh_error *err);
/// Every expression of the sheet. False when memory was refused.
bool rh__sheet_roots(const rh_sheet *sheet, rh_arena *arena, rh_expr_list *out);

/// A row with one unknown is written solved: `*out_value` is the unknown's. False: it has several.
bool rh__sheet_solved(const rh_sheet *sheet, uint32_t row, rh_expr *out_unknown,
                      rh_expr *out_value);
/// The k-th term of a row, coefficient * unknown, without its sign. True: it is subtracted.
bool rh__sheet_term(const rh_sheet *sheet, uint32_t entry, rh_expr *out);

/// The levels of a link in the variables of the form.
const rh_expr *rh__sheet_level(const rh_sheet *sheet, uint32_t link);
const char *rh__sheet_verdict(rh_vanishing verdict); // "proved" ...
/// Does a branch before this one say the same?
bool rh__sheet_is_said(const rh_restated *restated, uint32_t branch);

/// What is known of a pivot.
typedef enum rh_pivot_kind {
    RH_PIVOT_DOUBTFUL, // may be zero somewhere
    RH_PIVOT_NEVER_ZERO,
    RH_PIVOT_PARAMETERS // parameters only
} rh_pivot_kind;

rh_pivot_kind rh__sheet_pivot(const rh_sheet *sheet, rh_expr pivot);
/// `2 rates, 1 multiplier, 3 equations`
void rh__sheet_size(const rh_form *form, rh_text *out);
/// `2 additions, 1 division`
void rh__sheet_cost(const rh_cost *cost, rh_text *out);

/// Definitions, rows, constraint rows and outputs as sections of a page.
void rh__sheet_list(const rh_sheet *sheet, rh_page *page);
/// Levels of all links as a section.
void rh__sheet_levels(const rh_sheet *sheet, rh_page *page);
/// All of it as text but for its head and its cost.
void rh__sheet_gather(const rh_sheet *sheet, rh_page *page);
/// The page between head and cost.
void rh__sheet_text(const rh_sheet *sheet, const rh_page *page, rh_text *out);
void rh__sheet_json(const rh_sheet *sheet, const rh_show *show, rh_text *out);
void rh__sheet_latex(const rh_sheet *sheet, const rh_show *show, rh_text *out);
