// SPDX-License-Identifier: Apache-2.0
// Forms of the equations: what they share, and the two that follow directly from the core:
//     free         M y' = h
//     multipliers  M y' - B lambda = h,  C y' = Y - gamma

#include "equations/form.h"

#include <string.h>

// --- putting together ----------------------------------------------------------------------------

static bool add_passives(rh_forming *forming)
{
    const rh_equations *equations = forming->equations;
    bool ok = true;
    for (uint32_t k = 0; ok && k < equations->passives.count; k++) {
        const rh_passive *passive = &equations->passives.data[k];
        ok = rh__forming_push(forming, &forming->form->passives, passive->rate, passive->value);
    }
    return ok;
}

// --- free and multipliers ------------------------------------------------------------------------

static bool add_motion(rh_forming *forming, uint32_t carrier, bool has_reactions)
{
    const rh_equations *equations = forming->equations;
    const rh_grid *inertia = &equations->inertia;
    bool ok = rh__forming_row(
        forming, has_reactions ? rh__forming_force(forming, carrier) : equations->force[carrier],
        0);
    for (uint32_t k = inertia->begin[carrier]; ok && k < inertia->begin[carrier + 1]; k++) {
        ok = rh__forming_entry(forming, inertia->entries.data[k].column,
                               inertia->entries.data[k].value);
    }
    return ok;
}

// Column of the multiplier of each link; UINT32_MAX where it is no unknown.
static uint32_t *add_multipliers(rh_forming *forming)
{
    const rh_equations *equations = forming->equations;
    uint32_t *column = rh__arena_array(&forming->scratch, uint32_t, equations->links.count);
    for (uint32_t k = 0; column != NULL && k < equations->links.count; k++) {
        const rh_link *link = &equations->links.data[k];
        column[k] = UINT32_MAX;
        if (rh__link_is_enforced(link)) {
            column[k] = forming->form->unknowns.count;
            if (!rh__forming_unknown(forming, link->multiplier)) {
                return NULL;
            }
        }
    }
    return column;
}

// -B lambda in the equations of motion: entries of rows that exist already.
static bool add_pushes(rh_forming *forming, const uint32_t *column)
{
    const rh_grid *push = &forming->equations->push;
    bool ok = true;
    for (uint32_t k = 0; ok && k < push->entries.count; k++) {
        const rh_entry *entry = &push->entries.data[k];
        ok = column[entry->row] == UINT32_MAX ||
             rh__grid_push(forming->arena, &forming->form->matrix, entry->column,
                           column[entry->row], rh__expr_negate(forming->store, entry->value));
    }
    return ok;
}

static bool add_constraints(rh_forming *forming)
{
    const rh_equations *equations = forming->equations;
    const rh_grid *rows = &equations->rows;
    bool ok = true;
    for (uint32_t link = 0; ok && link < equations->links.count; link++) {
        if (!rh__link_is_enforced(&equations->links.data[link])) {
            continue;
        }
        ok = rh__forming_row(forming, rh__forming_target(forming, link), link + 1);
        for (uint32_t k = rows->begin[link]; ok && k < rows->begin[link + 1]; k++) {
            ok = rh__forming_entry(forming, rows->entries.data[k].column,
                                   rows->entries.data[k].value);
        }
    }
    return ok;
}

static bool add_given(rh_forming *forming)
{
    const rh_equations *equations = forming->equations;
    bool ok = true;
    for (uint32_t k = 0; ok && k < equations->links.count; k++) {
        const rh_link *link = &equations->links.data[k];
        ok = rh__link_is_enforced(link) ||
             rh__forming_push(forming, &forming->form->outputs, link->multiplier, link->given);
    }
    return ok;
}

static rh_status form_direct(rh_forming *forming, bool has_reactions)
{
    const rh_equations *equations = forming->equations;
    bool ok = true;
    for (uint32_t k = 0; ok && k < equations->carriers.count; k++) {
        const rh_carrier *carrier = &equations->carriers.data[k];
        ok = rh__forming_rate(forming, carrier->variable, carrier->rate);
    }
    for (uint32_t k = 0; ok && k < equations->carriers.count; k++) {
        ok = add_motion(forming, k, has_reactions);
    }
    if (ok && has_reactions) {
        const uint32_t *column = add_multipliers(forming);
        ok = column != NULL && add_pushes(forming, column) && add_constraints(forming) &&
             add_given(forming);
    }
    return ok ? RH_OK : rh__forming_refused(forming);
}

// --- factors of rows -----------------------------------------------------------------------------

// A moving factor that a whole row shares goes: where it is zero the row says nothing.
static bool divide_rows(rh_forming *forming)
{
    rh_form *form = forming->form;
    rh_store *store = forming->store;
    bool ok = true;
    for (uint32_t row = 0; ok && row < form->matrix.rows; row++) {
        const rh_mark mark = rh__arena_mark(&forming->scratch);
        rh_entry *entries = form->matrix.entries.data + form->matrix.begin[row];
        const uint32_t count = form->matrix.begin[row + 1] - form->matrix.begin[row];
        rh_expr *roots = rh__arena_array(&forming->scratch, rh_expr, (size_t)count + 1);
        ok = roots != NULL;
        for (uint32_t k = 0; ok && k < count; k++) {
            roots[k] = entries[k].value;
        }
        const bool has_right = ok && !rh__expr_is_zero(store, forming->right.data[row]);
        if (ok && has_right) {
            roots[count] = forming->right.data[row];
        }
        const rh_expr factor =
            ok && count > 0
                ? rh__expr_common_factor(store, roots, count + has_right, &forming->scratch)
                : RH_EXPR_NONE;
        rh__arena_rewind(&forming->scratch, mark);
        if (factor.i == 0 || rh__expr_is_one(store, factor)) {
            continue;
        }
        for (uint32_t k = 0; k < count; k++) {
            entries[k].value = rh__expr_divide_out(store, entries[k].value, factor);
        }
        forming->right.data[row] =
            has_right ? rh__expr_divide_out(store, forming->right.data[row], factor)
                      : forming->right.data[row];
        ok = rh__array_push(forming->arena, &form->pivots, factor);
    }
    return ok;
}

// --- making --------------------------------------------------------------------------------------

static rh_status make_form(rh_forming *forming)
{
    switch (forming->form->kind) {
    case RH_FORM_FREE:
        return form_direct(forming, false);
    case RH_FORM_MULTIPLIERS:
        return form_direct(forming, true);
    case RH_FORM_REDUCED:
        return rh__form_reduced(forming);
    case RH_FORM_PRINCIPAL:
        return rh__form_principal(forming);
    case RH_FORM_QUASI:
        return rh__form_quasi(forming);
    case RH_FORM_CHANGED:
        return rh__form_changed(forming);
    }
    return RH_E_ARGUMENT;
}

// Pivots whose product is a number say nothing: the form holds everywhere.
static void drop_pivots(rh_forming *forming)
{
    rh_form *form = forming->form;
    if (form->pivots.count == 0 || form->pivots.count > 16) {
        return;
    }
    const rh_expr product = rh__expr_product(forming->store, form->pivots.data, form->pivots.count);
    if (rh__expr_is_number(forming->store, rh__derive_fold(forming->equations, product))) {
        form->pivots.count = 0;
    }
}

rh_status rh__form_make(rh_equations *equations, rh_form_kind kind, rh_arena *arena, rh_form *out,
                        rh_error *err)
{
    *out = (rh_form){.kind = kind, .equations = equations};
    rh_forming forming = {.equations = equations,
                          .store = equations->store,
                          .arena = arena,
                          .scratch = rh__arena_begin(arena->allocator, arena->limit),
                          .form = out,
                          .budget = rh__store_count(equations->store) + RH_FORM_BUDGET,
                          .work_budget = rh__store_work(equations->store) + RH_FORM_WORK,
                          .err = err};
    rh_status status = add_passives(&forming) ? make_form(&forming) : RH_E_MEMORY;
    if (status == RH_OK && !rh__grid_finish(equations, arena, &out->matrix, forming.right.count,
                                            out->unknowns.count)) {
        status = RH_E_MEMORY;
    }
    if (status == RH_OK && equations->has_presolve &&
        (kind == RH_FORM_REDUCED || kind == RH_FORM_QUASI) && !divide_rows(&forming)) {
        status = RH_E_MEMORY;
    }
    if (status == RH_OK) {
        drop_pivots(&forming);
    }
    out->right = forming.right.data;
    out->link_of = forming.link_of.data;
    const rh_status refused = rh__forming_refused(&forming);
    rh__arena_end(&forming.scratch);
    if (refused != RH_OK) {
        status = refused;
    }
    if (status == RH_E_LIMIT && rh__store_refusal(equations->store) == RH_REFUSAL_NONE) {
        return rh__error_fill(err, status,
                              "this form needs more than %d expressions; another form, or "
                              "`--no-presolve`, may be smaller",
                              RH_FORM_BUDGET);
    }
    return status == RH_OK || status == RH_E_UNAVAILABLE || status == RH_E_MODEL // told why
               ? status
               : rh__error_fill(err, status, "%s", rh_status_text(status));
}

// --- made once ---------------------------------------------------------------------------------

static rh_definition *copy_definitions(rh_arena *arena, const rh_definition *data, uint32_t count)
{
    rh_definition *out = rh__arena_array(arena, rh_definition, (size_t)count + 1);
    if (out != NULL && count > 0) {
        memcpy(out, data, count * sizeof *out);
    }
    return out;
}

static rh_status copy_form(const rh_form *form, rh_arena *arena, rh_form *out)
{
    *out = *form;
    out->unknowns.capacity = out->unknowns.count; // who adds to it gets a copy
    out->passives.data = copy_definitions(arena, form->passives.data, form->passives.count);
    out->passives.capacity = form->passives.count;
    out->outputs.data = copy_definitions(arena, form->outputs.data, form->outputs.count);
    out->outputs.capacity = form->outputs.count;
    out->right = rh__arena_array(arena, rh_expr, (size_t)form->matrix.rows + 1);
    if (out->passives.data == NULL || out->outputs.data == NULL || out->right == NULL) {
        return arena->status;
    }
    if (form->matrix.rows > 0) {
        memcpy(out->right, form->right, form->matrix.rows * sizeof *out->right);
    }
    return RH_OK;
}

rh_status rh__form_create(rh_equations *equations, rh_form_kind kind, rh_arena *arena, rh_form *out,
                          rh_error *err)
{
    rh_reuse *reuse = equations->reuse;
    const bool is_solved = kind == RH_FORM_MULTIPLIERS || kind == RH_FORM_REDUCED;
    if (reuse == NULL || !is_solved) {
        return rh__form_make(equations, kind, arena, out, err);
    }
    const uint32_t at = kind == RH_FORM_REDUCED;
    if (!reuse->has_form[at]) {
        RH_TRY(rh__form_make(equations, kind, &equations->arena, &reuse->forms[at], err));
        reuse->has_form[at] = true;
    }
    return copy_form(&reuse->forms[at], arena, out);
}
