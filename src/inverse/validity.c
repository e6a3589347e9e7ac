// SPDX-License-Identifier: Apache-2.0
// For which values of parameters an answer holds: those of the parameters in residuals that vanish
// only with their values put in, and in the power whose sign was found.

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
        e.i == 0 || rh__expr_symbols(inverse->store, e, RH_ROLE_PARAM, &inverse->scratch, &found);
    for (uint32_t k = 0; ok && k < found.count; k++) {
        ok = has(out, found.data[k]) || rh__array_push(&inverse->scratch, out, found.data[k]);
    }
    return ok;
}

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

rh_status rh__inverse_scope(rh_inverse *inverse)
{
    const rh_trial *trial = &inverse->trials.data[inverse->chosen];
    rh_expr_list whole = {0};
    rh_expr_list sign = {0};
    bool ok = true;
    if (trial->whole.verdict == RH_INVERSE_HOLDS && !trial->is_for_all_values) {
        ok = gather_trial(inverse, trial, &whole);
    }
    if (inverse->has_power && inverse->sign != RH_DEFINITE_UNKNOWN) {
        ok = ok && gather(inverse, inverse->power.closed, &sign);
    }
    inverse->scope_text = write_values(inverse, &whole);
    inverse->sign_scope_text = write_values(inverse, &sign);
    ok = ok && inverse->scope_text != NULL && inverse->sign_scope_text != NULL;
    return ok ? RH_OK : RH_E_MEMORY;
}
