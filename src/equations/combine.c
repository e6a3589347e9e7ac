// SPDX-License-Identifier: Apache-2.0
// Hidden levels of combinations (theory 1.3): when n C = 0 identically for some n(x), no reaction
// enters n (C y' + gamma - Y), so that n (gamma - Y) = 0 is a level of its own. It replaces the row
// of one link and is differentiated further. Rows that are dependent and consistent stay: they are
// redundant, which does no harm.

#include "equations/eliminate.h"

// Is some combination of rows asked for what no reaction can give, at states that satisfy all known
// levels?
static rh_status is_contradictory(rh_derive *derive, bool *out)
{
    rh_equations *equations = derive->equations;
    rh_layout layout;
    rh_start start;
    rh_form form;
    rh_form_result result;
    rh_diagnostics unheard = rh__diagnostics_begin(&derive->scratch);
    const bool *acts = rh__derive_two_sided(derive);
    *out = false;
    RH_TRY(acts == NULL ? derive->scratch.status : RH_OK);
    RH_TRY(rh__layout_create(equations, &derive->scratch, &layout));
    RH_TRY(rh__start_find(equations, &layout, &derive->scratch, &unheard, &start));
    RH_TRY(rh__form_create(equations, RH_FORM_MULTIPLIERS, &derive->scratch, &form, NULL));
    RH_TRY(rh__form_solve(&form, &start.point, acts, &derive->scratch, &result));
    if (!start.is_consistent || result.rcond > 0.0) {
        return RH_OK;
    }
    rh_point point;
    bool is_met = false;
    RH_TRY(rh__start_wander(equations, &start.point, 0.3, 1, &derive->scratch, &point, &is_met));
    RH_TRY(rh__form_solve(&form, &point, acts, &derive->scratch, &result));
    *out = is_met && result.rcond == 0.0 && result.residual > RH_FORM_INCONSISTENT;
    return RH_OK;
}

// Eliminate rows until one becomes empty: what is left of its slacks is n.
static rh_status find_combination(rh_derive *derive, rh_forming *forming, uint32_t *out_link,
                                  rh_expr *out_level)
{
    rh_equations *equations = derive->equations;
    rh_store *store = derive->store;
    const uint32_t n = equations->carriers.count;
    rh_elimination elimination = {.forming = forming, .pivoting = RH_PIVOT_ANY};
    rh_point sample[2];
    RH_TRY(rh__forming_samples(forming, sample));
    elimination.sample = sample;
    *out_link = UINT32_MAX;
    RH_TRY(rh__elimination_begin(&elimination, n, n + equations->links.count));
    for (uint32_t link = 0; link < equations->links.count && *out_link == UINT32_MAX; link++) {
        const rh_link *it = &equations->links.data[link];
        rh_linear row = {.rest = rh__expr_integer(store, 0)};
        rh_linear left = {.rest = RH_EXPR_NONE};
        rh_eliminated result = RH_ELIMINATED_NOTHING;
        if (!rh__link_is_kept(it)) {
            continue;
        }
        bool ok = true;
        for (uint32_t k = equations->rows.begin[link]; ok && k < equations->rows.begin[link + 1];
             k++) {
            const rh_entry *entry = &equations->rows.entries.data[k];
            const rh_term term = {entry->column, entry->value};
            ok = rh__array_push(&forming->scratch, &row.terms, term);
        }
        const rh_term slack = {n + link, rh__expr_integer(store, -1)};
        if (!ok || !rh__array_push(&forming->scratch, &row.terms, slack) ||
            !rh__elimination_reduce(&elimination, &row, &left)) {
            return rh__forming_refused(forming);
        }
        RH_TRY(rh__elimination_use(&elimination, &row, &result));
        if (result != RH_ELIMINATED_DEPENDENT) {
            continue;
        }
        // sum n_j slack_j = 0 with slack_j = (row of C y')_j: so sum n_j (Y - gamma)_j = 0
        rh_expr level = rh__expr_integer(store, 0);
        for (uint32_t k = 0; k < left.terms.count; k++) {
            level = rh__expr_add(
                store, level,
                rh__expr_multiply(store, left.terms.data[k].value,
                                  rh__forming_target(forming, left.terms.data[k].column - n)));
        }
        level = rh__derive_fold(equations, level);
        if (!rh__derive_vanishes(equations, level, &forming->scratch)) {
            *out_link = link;
            *out_level = level;
        }
    }
    return RH_OK;
}

rh_status rh__derive_combine(rh_derive *derive)
{
    rh_equations *equations = derive->equations;
    const uint32_t most = 2 * equations->carriers.count + equations->passives.count;
    for (uint32_t k = 0; k <= most && equations->links.count > 1; k++) {
        bool is_wrong = false;
        RH_TRY(is_contradictory(derive, &is_wrong));
        if (!is_wrong) {
            break;
        }
        rh_form unused = {.kind = RH_FORM_MULTIPLIERS};
        rh_forming forming = {.equations = equations,
                              .store = derive->store,
                              .arena = &derive->scratch,
                              .scratch =
                                  rh__arena_begin(derive->arena->allocator, derive->arena->limit),
                              .form = &unused,
                              .budget = rh__store_count(derive->store) + RH_FORM_BUDGET,
                              .work_budget = rh__store_work(derive->store) + RH_FORM_WORK};
        uint32_t link = UINT32_MAX;
        rh_expr level = RH_EXPR_NONE;
        const rh_status status = find_combination(derive, &forming, &link, &level);
        rh__arena_end(&forming.scratch);
        if (status == RH_E_LIMIT && rh__store_refusal(derive->store) == RH_REFUSAL_NONE) {
            break; // too large to look at: the doctor will tell what contradicts
        }
        RH_TRY(status);
        if (link == UINT32_MAX) {
            break;
        }
        rh__reuse_forget(equations);
        RH_TRY(rh__derive_extend(derive, link, level));
        if (equations->diagnostics.error_count > 0) {
            break;
        }
    }
    return RH_OK;
}
