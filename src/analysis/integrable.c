// SPDX-License-Identifier: Apache-2.0
// Is a single velocity row integrable in disguise? With w = sum w_i dq_i + w_t dt, Frobenius:
//     w_p (d_a w_b - d_b w_a) - w_a (d_p w_b - d_b w_p) + w_b (d_p w_a - d_a w_p) = 0
// for one p with w_p != 0 and all a, b. Proved where the simplifier can, else tried at random
// states. The integral is printed where it is easy: the row, or the row divided by one of its
// coefficients, is exact and has elementary antiderivatives.

#include "analysis/examine.h"

bool rh__checkup_is_form(const rh_checkup *checkup, uint32_t link)
{
    const rh_equations *equations = checkup->equations;
    const rh_grid *rows = &equations->rows;
    const uint32_t others = RH_ROLE_VELOCITY | RH_ROLE_STATE | RH_ROLE_INPUT | RH_ROLE_MULTIPLIER;
    const rh_link *it = &equations->links.data[link];
    if (checkup->links[link].form.count > 0) {
        return true;
    }
    bool ok = rows->begin[link] < rows->begin[link + 1];
    for (uint32_t k = rows->begin[link]; ok && k < rows->begin[link + 1]; k++) {
        ok = rows->entries.data[k].column < equations->coordinate_count &&
             (rh__expr_mask(equations->store, rows->entries.data[k].value) & others) == 0;
    }
    return ok && (rh__expr_mask(equations->store, it->levels[it->level_count - 1]) &
                  (RH_ROLE_STATE | RH_ROLE_INPUT)) == 0;
}

rh_status rh__link_differential(rh_checkup *checkup, uint32_t link, rh_arena *arena,
                                rh_gradient *out)
{
    rh_equations *equations = checkup->equations;
    rh_store *store = equations->store;
    const rh_grid *rows = &equations->rows;
    const uint32_t first = rows->begin[link];
    const uint32_t count = rows->begin[link + 1] - first;
    const rh_link *it = &equations->links.data[link];
    out->data = rh__arena_array(arena, rh_partial, (size_t)count + 2);
    out->count = 0;
    if (out->data == NULL) {
        return arena->status;
    }
    const rh_gradient *form = &checkup->links[link].form;
    for (uint32_t k = 0; k < form->count; k++) {
        out->data[out->count++] = form->data[k];
    }
    for (uint32_t k = 0; form->count == 0 && k < count; k++) {
        const rh_entry *entry = &rows->entries.data[first + k];
        out->data[out->count++] =
            (rh_partial){equations->carriers.data[entry->column].position, entry->value};
    }
    if (form->count > 0) {
        return RH_OK;
    }
    const rh_expr rest = rh__derive_fold(equations, rh__link_rest(equations, it));
    if (!rh__expr_is_zero(store, rest)) {
        out->data[out->count++] =
            (rh_partial){rh__expr_symbol(store, equations->model->time, 0), rest};
    }
    return RH_OK;
}

// --- Frobenius -----------------------------------------------------------------------------------

// The symbols of a form: those with a coefficient, and those the coefficients hold.
static bool find_symbols(rh_checkup *checkup, const rh_partial *form, uint32_t count,
                         rh_arena *scratch, rh_expr_list *out)
{
    rh_store *store = checkup->equations->store;
    rh_expr_list all = {0};
    bool ok = true;
    for (uint32_t k = 0; ok && k < count; k++) {
        rh_expr_list held;
        ok = rh__array_push(scratch, &all, form[k].symbol) &&
             rh__expr_symbols(store, form[k].value, RH_ROLE_COORD | RH_ROLE_TIME, scratch, &held);
        for (uint32_t j = 0; ok && j < held.count; j++) {
            ok = rh__array_push(scratch, &all, held.data[j]);
        }
    }
    for (uint32_t k = 0; ok && k < all.count; k++) {
        bool is_known = false;
        for (uint32_t j = 0; j < out->count; j++) {
            is_known = is_known || out->data[j].i == all.data[k].i;
        }
        ok = is_known || rh__array_push(scratch, out, all.data[k]);
    }
    return ok;
}

static rh_expr coefficient(const rh_partial *form, uint32_t count, rh_store *store, rh_expr symbol)
{
    for (uint32_t k = 0; k < count; k++) {
        if (form[k].symbol.i == symbol.i) {
            return form[k].value;
        }
    }
    return rh__expr_integer(store, 0);
}

// d_a w_b - d_b w_a
static rh_expr curl(rh_store *store, const rh_gradient *form, rh_expr a, rh_expr b)
{
    return rh__expr_subtract(
        store, rh__expr_differentiate(store, coefficient(form->data, form->count, store, b), a),
        rh__expr_differentiate(store, coefficient(form->data, form->count, store, a), b));
}

static rh_expr frobenius(rh_store *store, const rh_gradient *form, rh_expr p, rh_expr a, rh_expr b)
{
    const rh_expr first = rh__expr_multiply(store, coefficient(form->data, form->count, store, p),
                                            curl(store, form, a, b));
    const rh_expr second = rh__expr_multiply(store, coefficient(form->data, form->count, store, a),
                                             curl(store, form, p, b));
    const rh_expr third = rh__expr_multiply(store, coefficient(form->data, form->count, store, b),
                                            curl(store, form, p, a));
    return rh__expr_add(store, rh__expr_subtract(store, first, second), third);
}

static rh_status judge_row(rh_checkup *checkup, const rh_gradient *form, rh_arena *scratch,
                           rh_answer *out)
{
    enum { MOST = 40 };
    rh_equations *equations = checkup->equations;
    rh_expr_list symbols = {0};
    *out = RH_ANSWER_UNKNOWN;
    if (!find_symbols(checkup, form->data, form->count, scratch, &symbols)) {
        return scratch->status;
    }
    if (symbols.count > MOST || form->count == 0) {
        return RH_OK;
    }
    const rh_expr p = form->data[0].symbol;
    *out = RH_ANSWER_YES;
    for (uint32_t a = 0; a < symbols.count && *out == RH_ANSWER_YES; a++) {
        for (uint32_t b = a + 1; b < symbols.count && *out == RH_ANSWER_YES; b++) {
            if (symbols.data[a].i == p.i || symbols.data[b].i == p.i) {
                continue;
            }
            const rh_expr e =
                frobenius(equations->store, form, p, symbols.data[a], symbols.data[b]);
            *out = rh__derive_vanishes(equations, e, scratch) ? RH_ANSWER_YES : RH_ANSWER_NO;
        }
    }
    return RH_OK;
}

// --- integrals -----------------------------------------------------------------------------------

rh_expr rh__form_integral(rh_checkup *checkup, const rh_partial *form, uint32_t count,
                          rh_arena *scratch)
{
    rh_equations *equations = checkup->equations;
    rh_store *store = equations->store;
    rh_expr_list symbols = {0};
    if (!find_symbols(checkup, form, count, scratch, &symbols)) {
        return RH_EXPR_NONE;
    }
    rh_expr sum = rh__expr_integer(store, 0);
    for (uint32_t k = 0; k < symbols.count; k++) {
        const rh_expr symbol = symbols.data[k];
        const rh_expr left = rh__derive_fold(
            equations, rh__expr_subtract(store, coefficient(form, count, store, symbol),
                                         rh__expr_differentiate(store, sum, symbol)));
        if (rh__expr_is_zero(store, left)) {
            continue;
        }
        const rh_expr part = rh__expr_integrate(store, left, symbol, scratch);
        if (part.i == 0) {
            return RH_EXPR_NONE;
        }
        sum = rh__expr_add(store, sum, part);
    }
    for (uint32_t k = 0; k < symbols.count; k++) {
        const rh_expr left =
            rh__expr_subtract(store, coefficient(form, count, store, symbols.data[k]),
                              rh__expr_differentiate(store, sum, symbols.data[k]));
        if (!rh__derive_vanishes(equations, left, scratch)) {
            return RH_EXPR_NONE;
        }
    }
    return sum;
}

// The row itself, or divided by one of its coefficients.
static rh_expr find_integral(rh_checkup *checkup, const rh_gradient *form, rh_arena *scratch)
{
    rh_equations *equations = checkup->equations;
    rh_expr found = rh__form_integral(checkup, form->data, form->count, scratch);
    rh_partial *divided = rh__arena_array(scratch, rh_partial, form->count);
    for (uint32_t p = 0; divided != NULL && found.i == 0 && p < form->count; p++) {
        for (uint32_t k = 0; k < form->count; k++) {
            divided[k].symbol = form->data[k].symbol;
            divided[k].value =
                rh__derive_fold(equations, rh__expr_divide(equations->store, form->data[k].value,
                                                           form->data[p].value));
        }
        found = rh__form_integral(checkup, divided, form->count, scratch);
    }
    return found;
}

// --- all links ---------------------------------------------------------------------------------

rh_status rh__checkup_integrable(rh_checkup *checkup, rh_arena *scratch)
{
    rh_equations *equations = checkup->equations;
    for (uint32_t k = 0; k < equations->links.count; k++) {
        const rh_link *link = &equations->links.data[k];
        rh_link_report *report = &checkup->links[k];
        rh_gradient form;
        if (link->constraint->kind == RH_KIND_HOLONOMIC) {
            report->is_integrable = RH_ANSWER_YES;
            continue;
        }
        if (link->constraint->kind == RH_KIND_RESTRICTION) {
            continue;
        }
        const rh_mark mark = rh__arena_mark(scratch);
        if (!link->constraint->is_linear && !rh__checkup_is_form(checkup, k)) {
            RH_TRY(rh__checkup_find_linear_form(checkup, k, scratch, &report->is_integrable));
            rh__arena_rewind(scratch, mark);
        }
        if (!rh__checkup_is_form(checkup, k)) {
            continue;
        }
        RH_TRY(rh__link_differential(checkup, k, scratch, &form));
        RH_TRY(judge_row(checkup, &form, scratch, &report->is_integrable));
        if (report->is_integrable == RH_ANSWER_YES) {
            report->integral = find_integral(checkup, &form, scratch);
        }
        rh__arena_rewind(scratch, mark);
    }
    return RH_OK;
}
