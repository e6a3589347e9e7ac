// SPDX-License-Identifier: Apache-2.0
// For which values of parameters an answer holds. The scope are the parameters whose values it
// rests on: those in conditions that hold only with values put in. The functions are made for all
// values of the others; where they give the equations back only with values put in, the parameters
// of what they miss belong to the scope too. The sign of the dissipation has a list of its own.

#include "inverse/inverse.h"

static bool has(const rh_expr_list *list, rh_expr symbol)
{
    bool is = false;
    for (uint32_t k = 0; k < list->count; k++) {
        is = is || list->data[k].i == symbol.i;
    }
    return is;
}

static bool gather(rh_inverse *inverse, rh_expr e, rh_expr_list *out)
{
    rh_expr_list found = {0};
    bool ok =
        e.i == 0 || rh__expr_symbols(inverse->store, e, RH_ROLE_PARAM, &inverse->arena, &found);
    for (uint32_t k = 0; ok && k < found.count; k++) {
        ok = has(out, found.data[k]) || rh__array_push(&inverse->arena, out, found.data[k]);
    }
    return ok;
}

bool rh__inverse_widen_scope(rh_inverse *inverse, rh_expr e)
{
    return gather(inverse, e, &inverse->scope);
}

// --- the conditions ------------------------------------------------------------------------------

// Residuals that vanish for the values only; where there are none to be seen, the equations.
static bool gather_trial(rh_inverse *inverse, const rh_trial *trial, rh_expr_list *out)
{
    bool ok = true;
    for (uint32_t k = 0; ok && k < trial->residuals.count; k++) {
        const rh_residual *it = &trial->residuals.data[k];
        ok = it->claim.for_all_values || gather(inverse, it->e, out);
    }
    for (uint32_t k = 0; ok && out->count == 0 && trial->f != NULL && k < inverse->n; k++) {
        ok = gather(inverse, trial->f[k], out);
    }
    return ok;
}

rh_status rh__inverse_begin_scope(rh_inverse *inverse)
{
    const rh_trial *trial = &inverse->trials.data[inverse->chosen];
    const bool is_narrow = trial->whole.verdict == RH_INVERSE_HOLDS && !trial->is_for_all_values;
    return !is_narrow || gather_trial(inverse, trial, &inverse->scope) ? RH_OK : RH_E_MEMORY;
}

// --- the functions -------------------------------------------------------------------------------

// What holds for the values, asked again with the parameters outside the scope as letters, unless
// it is proved for all values already.
static rh_status ask_again(rh_inverse *inverse, const rh_expr *e, uint32_t count, rh_claim *claims)
{
    bool is_general = true;
    for (uint32_t k = 0; k < count; k++) {
        is_general = is_general && claims[k].for_all_values;
    }
    if (is_general) {
        return RH_OK;
    }
    rh_claim *again = rh__arena_array(&inverse->scratch, rh_claim, count + 1);
    if (again == NULL) {
        return inverse->scratch.status;
    }
    RH_TRY(rh__inverse_claim(inverse, &inverse->general, e, count, again));
    for (uint32_t k = 0; k < count; k++) {
        claims[k] = claims[k].for_all_values ? claims[k] : again[k];
    }
    return RH_OK;
}

rh_status rh__inverse_vanishes(rh_inverse *inverse, const rh_expr *e, uint32_t count, bool *out)
{
    const rh_mark mark = rh__arena_mark(&inverse->scratch);
    rh_claim *claims = rh__arena_array(&inverse->scratch, rh_claim, count + 1);
    *out = false;
    if (claims == NULL) {
        return inverse->scratch.status;
    }
    RH_TRY(rh__inverse_claim(inverse, &inverse->prover, e, count, claims));
    *out = rh__inverse_weakest(claims, count).verdict == RH_INVERSE_HOLDS;
    if (*out) {
        RH_TRY(ask_again(inverse, e, count, claims));
        *out = rh__inverse_weakest(claims, count).verdict != RH_INVERSE_FAILS;
    }
    rh__arena_rewind(&inverse->scratch, mark);
    return RH_OK;
}

rh_status rh__inverse_check(rh_inverse *inverse, const rh_expr *defects)
{
    const uint32_t n = inverse->n;
    rh_claim *claims = rh__arena_array(&inverse->arena, rh_claim, n + 1);
    if (claims == NULL) {
        return inverse->arena.status;
    }
    RH_TRY(rh__inverse_claim(inverse, &inverse->prover, defects, n, claims));
    inverse->check = rh__inverse_weakest(claims, n);
    if (inverse->check.verdict != RH_INVERSE_HOLDS) {
        return RH_OK;
    }
    RH_TRY(ask_again(inverse, defects, n, claims));
    bool ok = true;
    for (uint32_t k = 0; ok && k < n; k++) {
        const bool is_general =
            claims[k].identity == RH_IDENTITY_PROVED || claims[k].identity == RH_IDENTITY_SAMPLED;
        ok = is_general || gather(inverse, defects[k], &inverse->scope);
    }
    return ok ? RH_OK : inverse->arena.status;
}

// --- the texts -----------------------------------------------------------------------------------

// "k = 0, m = 2"; "" when there are none.
static const char *write_values(rh_inverse *inverse, const rh_expr_list *symbols)
{
    rh_store *store = inverse->store;
    rh_text text = rh__text_begin(&inverse->scratch, NULL);
    for (uint32_t k = 0; k < symbols->count; k++) {
        const rh_expr symbol = symbols->data[k];
        rh__text_put(&text, k == 0 ? "" : ", ");
        rh__family_show(store, rh__expr_family(store, symbol), rh__expr_member(store, symbol),
                        &text);
        rh__text_format(&text, " = %.10g",
                        rh__values_parameter(&inverse->model->values, store, symbol));
    }
    return rh__text_print(&inverse->arena, "%.*s", RH_SLICE_FORMAT(rh__text_slice(&text)));
}

rh_status rh__inverse_tell_scope(rh_inverse *inverse)
{
    rh_expr_list sign = {0};
    const bool ok = !inverse->has_power || inverse->sign == RH_DEFINITE_UNKNOWN ||
                    gather(inverse, inverse->power.closed, &sign);
    inverse->scope_text = write_values(inverse, &inverse->scope);
    inverse->sign_scope_text = write_values(inverse, &sign);
    return ok && inverse->scope_text != NULL && inverse->sign_scope_text != NULL ? RH_OK
                                                                                 : RH_E_MEMORY;
}
