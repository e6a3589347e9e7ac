// SPDX-License-Identifier: Apache-2.0
// What the files of this room share: names, simplified expressions and derivatives, and what is
// known of expressions that shall vanish.

#include "inverse/inverse.h"

rh_status rh__inverse_refused(const rh_inverse *inverse)
{
    if (inverse->arena.status != RH_OK) {
        return inverse->arena.status;
    }
    if (inverse->scratch.status != RH_OK) {
        return inverse->scratch.status;
    }
    switch (rh__store_refusal(inverse->store)) {
    case RH_REFUSAL_NONE:
        return RH_OK;
    case RH_REFUSAL_MEMORY:
        return inverse->model->arena.status != RH_OK ? inverse->model->arena.status : RH_E_MEMORY;
    case RH_REFUSAL_NODES:
    case RH_REFUSAL_NUMBER:
    case RH_REFUSAL_WORK:
        return RH_E_LIMIT;
    }
    return RH_E_MEMORY;
}

bool rh__inverse_goes_on(const rh_inverse *inverse)
{
    return inverse->def.goes_on == NULL || inverse->def.goes_on(inverse->def.user);
}

const char *rh__inverse_name(rh_inverse *inverse, rh_expr symbol)
{
    rh_text text = rh__text_begin(&inverse->arena, NULL);
    rh__family_show(inverse->store, rh__expr_family(inverse->store, symbol),
                    rh__expr_member(inverse->store, symbol), &text);
    rh__text_put_char(&text, '\0');
    return text.ok ? text.data : "";
}

rh_expr rh__inverse_fold(rh_inverse *inverse, rh_expr e)
{
    return e.i == 0 ? e : rh__folder_apply(inverse->folder, e);
}

rh_expr rh__inverse_partial(rh_inverse *inverse, rh_expr e, rh_expr symbol)
{
    const uint32_t roles = rh__expr_mask(inverse->store, symbol) & ~(uint32_t)RH_EXPR_VARIABLE;
    if (e.i == 0 || symbol.i == 0) {
        return RH_EXPR_NONE;
    }
    if ((rh__expr_mask(inverse->store, e) & roles) == 0) {
        return rh__expr_integer(inverse->store, 0);
    }
    return rh__expr_differentiate(inverse->store, e, symbol);
}

typedef struct removal {
    const rh_expr *symbols;
    uint32_t n;
} removal;

static rh_expr remove_symbol(void *user, rh_store *store, rh_expr symbol)
{
    const removal *of = user;
    for (uint32_t k = 0; k < of->n; k++) {
        if (of->symbols[k].i == symbol.i) {
            return rh__expr_integer(store, 0);
        }
    }
    return symbol;
}

rh_expr rh__inverse_without(rh_inverse *inverse, rh_expr e, const rh_expr *symbols, uint32_t n)
{
    removal of = {symbols, n};
    return rh__expr_substitute(inverse->store, e, remove_symbol, &of);
}

rh_status rh__inverse_claim(rh_inverse *inverse, const rh_prover_def *prover, const rh_expr *e,
                            uint32_t count, rh_claim *out)
{
    bool ok = true;
    for (uint32_t k = 0; ok && k < count; k++) {
        ok = e[k].i != 0;
    }
    ok = ok &&
         (count == 0 || rh__prover_judge(inverse->store, prover, e, count, &inverse->scratch, out));
    const rh_status status = rh__inverse_refused(inverse);
    return ok || status != RH_OK ? status : RH_E_MEMORY;
}

rh_inverse_condition rh__inverse_weakest(const rh_claim *claims, uint32_t count)
{
    rh_inverse_condition out = {(uint32_t)sizeof out, RH_INVERSE_HOLDS, true, 0};
    for (uint32_t k = 0; k < count; k++) {
        const rh_claim *claim = &claims[k];
        if (claim->identity == RH_IDENTITY_REFUTED) {
            return (rh_inverse_condition){(uint32_t)sizeof out, RH_INVERSE_FAILS, true,
                                          claim->points};
        }
        out.verdict = claim->identity == RH_IDENTITY_UNKNOWN ? RH_INVERSE_UNKNOWN : out.verdict;
        if (claim->identity != RH_IDENTITY_PROVED) {
            out.is_proved = false;
            out.point_count = out.point_count == 0 || claim->points < out.point_count
                                  ? claim->points
                                  : out.point_count;
        }
    }
    return out;
}

rh_status rh__inverse_judge(rh_inverse *inverse, const rh_expr *e, uint32_t count,
                            rh_inverse_condition *out)
{
    const rh_mark mark = rh__arena_mark(&inverse->scratch);
    rh_claim *claims = rh__arena_array(&inverse->scratch, rh_claim, count + 1);
    if (claims == NULL) {
        return inverse->scratch.status;
    }
    const rh_status status = rh__inverse_claim(inverse, &inverse->prover, e, count, claims);
    *out = rh__inverse_weakest(claims, status == RH_OK ? count : 0);
    rh__arena_rewind(&inverse->scratch, mark);
    return status;
}
