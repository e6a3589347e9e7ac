// SPDX-License-Identifier: Apache-2.0
// The principal equation (theory 1.5): reaction-free equations. With a basis Z of the displacements
// on which no reaction works (Z^T B = 0; for ideal constraints C Z = 0),
//     Z^T (M y' - h) = 0,    C y' = Y - gamma.
// Slack columns S of the elimination (B^T S = I) give lambda = S^T (M y' - h).

#include "equations/eliminate.h"

static rh_status use_links(rh_elimination *elimination, bool *is_kept)
{
    rh_forming *forming = elimination->forming;
    const rh_equations *equations = forming->equations;
    const rh_grid *push = &equations->push;
    for (uint32_t link = 0; link < equations->links.count; link++) {
        if (!rh__link_is_enforced(&equations->links.data[link])) {
            continue;
        }
        rh_linear row = {.rest = rh__expr_integer(forming->store, 0)};
        bool ok = true;
        for (uint32_t k = push->begin[link]; ok && k < push->begin[link + 1]; k++) {
            const rh_term term = {push->entries.data[k].column, push->entries.data[k].value};
            ok = rh__array_push(&forming->scratch, &row.terms, term);
        }
        const rh_term slack = {equations->carriers.count + link,
                               rh__expr_integer(forming->store, -1)};
        rh_eliminated result = RH_ELIMINATED_NOTHING;
        if (!ok || !rh__array_push(&forming->scratch, &row.terms, slack)) {
            return rh__forming_refused(forming);
        }
        RH_TRY(rh__elimination_use(elimination, &row, &result));
        is_kept[link] = result == RH_ELIMINATED;
    }
    return RH_OK;
}

// Where the equation of a carrier goes: its share in row `row`.
typedef struct share {
    uint32_t row;
    rh_expr factor;
} share;

// share * (M y' - h)_carrier into a row.
static bool add_share(rh_forming *forming, uint32_t carrier, share part, rh_expr *right)
{
    const rh_grid *inertia = &forming->equations->inertia;
    rh_store *store = forming->store;
    bool ok = true;
    for (uint32_t k = inertia->begin[carrier]; ok && k < inertia->begin[carrier + 1]; k++) {
        const rh_entry *entry = &inertia->entries.data[k];
        ok = rh__grid_push(forming->arena, &forming->form->matrix, part.row, entry->column,
                           rh__expr_multiply(store, part.factor, entry->value));
    }
    const rh_expr force =
        rh__expr_multiply(store, part.factor, rh__forming_force(forming, carrier));
    right[part.row] = rh__expr_add(store, right[part.row], force);
    return ok;
}

static bool add_motion(rh_elimination *elimination)
{
    rh_forming *forming = elimination->forming;
    const uint32_t n = forming->equations->carriers.count;
    uint32_t *row_of = rh__arena_array(&forming->scratch, uint32_t, (size_t)n + 1);
    rh_expr *right = rh__arena_array(&forming->scratch, rh_expr, (size_t)n + 1);
    uint32_t rows = 0;
    bool ok = row_of != NULL && right != NULL;
    for (uint32_t k = 0; ok && k < n; k++) {
        right[k] = rh__expr_integer(forming->store, 0);
        row_of[k] = elimination->is_solved[k] ? UINT32_MAX : rows++;
    }
    for (uint32_t k = 0; ok && k < n; k++) {
        if (!elimination->is_solved[k]) {
            const share own = {row_of[k], rh__expr_integer(forming->store, 1)};
            ok = add_share(forming, k, own, right);
            continue;
        }
        const rh_linear *solved = &elimination->solved[k];
        for (uint32_t j = 0; ok && j < solved->terms.count; j++) {
            const rh_term *term = &solved->terms.data[j];
            const share part = {term->column < n ? row_of[term->column] : 0, term->value};
            ok = term->column >= n || add_share(forming, k, part, right);
        }
    }
    for (uint32_t k = 0; ok && k < rows; k++) {
        ok = rh__forming_row(forming, rh__derive_fold(forming->equations, right[k]), 0);
    }
    return ok;
}

static bool add_constraints(rh_forming *forming, const bool *is_kept)
{
    const rh_equations *equations = forming->equations;
    const rh_grid *rows = &equations->rows;
    bool ok = true;
    for (uint32_t link = 0; ok && link < equations->links.count; link++) {
        if (!is_kept[link]) {
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

// (M y' - h) of one carrier.
static rh_expr reaction(rh_forming *forming, uint32_t carrier)
{
    const rh_equations *equations = forming->equations;
    rh_store *store = forming->store;
    rh_expr sum = rh__expr_negate(store, rh__forming_force(forming, carrier));
    const rh_grid *inertia = &equations->inertia;
    for (uint32_t k = inertia->begin[carrier]; k < inertia->begin[carrier + 1]; k++) {
        const rh_entry *entry = &inertia->entries.data[k];
        sum = rh__expr_add(
            store, sum,
            rh__expr_multiply(store, entry->value, equations->carriers.data[entry->column].rate));
    }
    return sum;
}

static bool add_multipliers(rh_elimination *elimination)
{
    rh_forming *forming = elimination->forming;
    const rh_equations *equations = forming->equations;
    rh_store *store = forming->store;
    const uint32_t n = equations->carriers.count;
    rh_expr *sums = rh__arena_array(&forming->scratch, rh_expr, (size_t)equations->links.count + 1);
    bool ok = sums != NULL;
    for (uint32_t k = 0; ok && k < equations->links.count; k++) {
        sums[k] = rh__expr_integer(store, 0);
    }
    for (uint32_t k = 0; ok && k < n; k++) {
        const rh_linear *solved = &elimination->solved[k];
        for (uint32_t j = 0; elimination->is_solved[k] && j < solved->terms.count; j++) {
            const rh_term *term = &solved->terms.data[j];
            if (term->column >= n) {
                rh_expr *sum = &sums[term->column - n];
                *sum = rh__expr_add(store, *sum,
                                    rh__expr_multiply(store, term->value, reaction(forming, k)));
            }
        }
    }
    for (uint32_t k = 0; ok && k < equations->links.count; k++) {
        const rh_link *link = &equations->links.data[k];
        ok = rh__forming_push(forming, &forming->form->outputs, link->multiplier,
                              rh__link_is_enforced(link) ? sums[k] : link->given);
    }
    return ok;
}

rh_status rh__form_principal(rh_forming *forming)
{
    const rh_equations *equations = forming->equations;
    const uint32_t n = equations->carriers.count;
    rh_point sample[2];
    RH_TRY(rh__forming_samples(forming, sample));
    rh_elimination elimination = {.forming = forming, .pivoting = RH_PIVOT_ANY, .sample = sample};
    bool *is_kept = rh__arena_array(&forming->scratch, bool, (size_t)equations->links.count + 1);
    if (is_kept == NULL) {
        return forming->scratch.status;
    }
    RH_TRY(rh__elimination_begin(&elimination, n, n + equations->links.count));
    RH_TRY(use_links(&elimination, is_kept));
    bool ok = true;
    for (uint32_t k = 0; ok && k < n; k++) {
        const rh_carrier *carrier = &equations->carriers.data[k];
        ok = rh__forming_rate(forming, carrier->variable, carrier->rate);
    }
    forming->form->pivots = elimination.pivots;
    ok = ok && add_motion(&elimination) && add_constraints(forming, is_kept) &&
         add_multipliers(&elimination);
    return ok ? RH_OK : rh__forming_refused(forming);
}
