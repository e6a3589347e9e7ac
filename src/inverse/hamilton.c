// SPDX-License-Identifier: Apache-2.0
// States in canonical pairs (x, p): the field x' = X, p' = P is Hamiltonian when the form
// -P dx + X dp is closed, and H is its potential. States in no pair are held as parameters.

#include "inverse/inverse.h"

// The right side of the law of a state, divided by its inertia.
static rh_expr rate_of(rh_inverse *inverse, rh_expr state)
{
    const rh_model *model = inverse->model;
    rh_store *store = inverse->store;
    rh_expr rate = RH_EXPR_NONE;
    for (uint32_t k = 0; k < model->states.count; k++) {
        if (model->states.data[k].family[0].i == rh__expr_family(store, state).i) {
            rate = rh__expr_symbol(store, model->states.data[k].family[1],
                                   rh__expr_member(store, state));
        }
    }
    for (uint32_t k = 0; k < model->laws.count; k++) {
        if (model->laws.data[k].target.i == rate.i) {
            return rh__inverse_fold(inverse, rh__expr_divide(store, model->laws.data[k].value,
                                                             model->laws.data[k].inertia));
        }
    }
    return RH_EXPR_NONE;
}

// Rates of states that stand in other laws are their laws.
static rh_expr replace_rate(void *user, rh_store *store, rh_expr symbol)
{
    rh_inverse *inverse = user;
    if ((rh__expr_mask(store, symbol) & RH_ROLE_RATE) == 0) {
        return symbol;
    }
    for (uint32_t k = 0; k < inverse->model->laws.count; k++) {
        const rh_law *law = &inverse->model->laws.data[k];
        if (law->target.i == symbol.i) {
            return rh__expr_divide(store, law->value, law->inertia);
        }
    }
    return symbol;
}

static rh_status take_pairs(rh_inverse *inverse, rh_expr *form, rh_error *err)
{
    const rh_model *model = inverse->model;
    for (uint32_t k = 0; k < model->pairs.count; k++) {
        const rh_pair *pair = &model->pairs.data[k];
        const rh_expr rates[] = {rate_of(inverse, pair->position),
                                 rate_of(inverse, pair->momentum)};
        inverse->q[2 * k] = pair->position;
        inverse->q[2 * k + 1] = pair->momentum;
        for (uint32_t i = 0; i < 2; i++) {
            inverse->names[2 * k + i] = rh__inverse_name(inverse, inverse->q[2 * k + i]);
            if (rates[i].i == 0) {
                RH_TRY(rh__inverse_refused(inverse));
                return rh__error_fill(err, RH_E_UNAVAILABLE, "%s has no law",
                                      inverse->names[2 * k + i]);
            }
        }
        form[2 * k] = rh__expr_negate(inverse->store, rates[1]);
        form[2 * k + 1] = rates[0];
        for (uint32_t i = 0; i < 2; i++) {
            form[2 * k + i] =
                rh__expr_substitute(inverse->store, form[2 * k + i], replace_rate, inverse);
        }
    }
    return rh__inverse_refused(inverse);
}

static rh_status ask_closed(rh_inverse *inverse, rh_trial *trial, const rh_expr *form)
{
    const uint32_t n = inverse->n;
    for (uint32_t i = 0; i < n; i++) {
        for (uint32_t k = i + 1; k < n; k++) {
            const rh_residual residual = {
                .index = {i, k, RH_INVERSE_NO_INDEX},
                .e = rh__expr_subtract(inverse->store,
                                       rh__inverse_partial(inverse, form[i], inverse->q[k]),
                                       rh__inverse_partial(inverse, form[k], inverse->q[i])),
            };
            if (residual.e.i == 0 ||
                !rh__array_push(&inverse->arena, &trial->residuals, residual)) {
                return rh__inverse_refused(inverse);
            }
        }
    }
    const uint32_t count = trial->residuals.count;
    rh_expr *e = rh__arena_array(&inverse->scratch, rh_expr, count + 1);
    rh_claim *claims = rh__arena_array(&inverse->scratch, rh_claim, count + 1);
    if (e == NULL || claims == NULL) {
        return RH_E_MEMORY;
    }
    for (uint32_t k = 0; k < count; k++) {
        e[k] = trial->residuals.data[k].e;
    }
    if (!rh__prover_judge(inverse->store, &inverse->prover, e, count, &inverse->scratch, claims)) {
        return RH_E_MEMORY;
    }
    trial->is_for_all_values = true;
    for (uint32_t k = 0; k < count; k++) {
        trial->residuals.data[k].claim = claims[k];
        trial->is_for_all_values = trial->is_for_all_values && claims[k].for_all_values;
    }
    return rh__inverse_judge(inverse, e, count, &trial->whole);
}

static const char NO_TEXT[] =
    "H exists where the domain has no holes, but no text for it was found: the field is not "
    "defined somewhere on rays, it switches, or H has several values around a hole";

// H as an integral along rays, where no closed text was found.
static rh_status find_ray(rh_inverse *inverse, const rh_expr *form)
{
    RH_TRY(rh__inverse_ray_symbols(inverse));
    RH_TRY(
        rh__inverse_ray(inverse, form, inverse->q, &inverse->hamiltonian, &inverse->has_functions));
    if (!inverse->has_functions) {
        inverse->reason = NO_TEXT;
    }
    return RH_OK;
}

// A field that jumps may be Hamiltonian on each side of a surface, and not across it.
static rh_status note_jump(rh_inverse *inverse, bool is_found)
{
    bool is_continuous = true;
    if (is_found && inverse->surfaces.count > 0) {
        RH_TRY(rh__inverse_is_continuous(inverse, inverse->hamiltonian.closed, &is_continuous));
    }
    if (!is_continuous) {
        inverse->note = rh__text_print(
            &inverse->arena,
            "%s%sH may jump where the field switches: it is one on each side, not across",
            inverse->note != NULL ? inverse->note : "", inverse->note != NULL ? "; " : "");
    }
    return rh__inverse_refused(inverse);
}

static rh_status find_function(rh_inverse *inverse, const rh_expr *form)
{
    bool is_found = false;
    rh_expr *defects = rh__arena_array(&inverse->arena, rh_expr, inverse->n + 1);
    if (defects == NULL) {
        return inverse->arena.status;
    }
    RH_TRY(rh__primitive_find(inverse, form, inverse->q, inverse->n, &inverse->hamiltonian.closed,
                              &is_found));
    inverse->has_functions = is_found;
    RH_TRY(note_jump(inverse, is_found));
    if (!is_found) {
        RH_TRY(find_ray(inverse, form));
    }
    if (!inverse->has_functions) {
        return RH_OK;
    }
    const rh_expr h = rh__inverse_whole(inverse, &inverse->hamiltonian);
    for (uint32_t i = 0; i < inverse->n; i++) {
        defects[i] = rh__expr_subtract(inverse->store, form[i],
                                       rh__inverse_partial(inverse, h, inverse->q[i]));
    }
    RH_TRY(rh__inverse_refused(inverse));
    RH_TRY(is_found ? rh__inverse_check(inverse, defects)
                    : rh__inverse_compare(inverse, form, defects));
    if (inverse->check.verdict == RH_INVERSE_FAILS) {
        inverse->has_functions = false;
        inverse->check.verdict = RH_INVERSE_UNKNOWN;
        inverse->reason = NO_TEXT;
    }
    return RH_OK;
}

// Again with values where H has none for those of the model.
static rh_status find_functions(rh_inverse *inverse, rh_expr *form)
{
    enum { ROUNDS = 4 };
    const char *note = inverse->note;
    bool is_open = true;
    for (uint32_t k = 0; is_open && k < ROUNDS && rh__inverse_goes_on(inverse); k++) {
        if (k > 0) {
            RH_TRY(rh__inverse_put_scope(inverse, form, inverse->n));
        }
        inverse->hamiltonian = (rh_function){.closed = rh__expr_integer(inverse->store, 0)};
        inverse->note = note;
        inverse->reason = NULL;
        RH_TRY(find_function(inverse, form));
        RH_TRY(rh__inverse_close_gaps(inverse, form, &is_open));
    }
    return RH_OK;
}

// What else must be known: states without a partner, constraints.
static void note_rest(rh_inverse *inverse)
{
    const rh_model *model = inverse->model;
    rh_text text = rh__text_begin(&inverse->arena, NULL);
    for (uint32_t k = 0; k < model->states.count; k++) {
        for (uint32_t member = 0; member < model->states.data[k].size; member++) {
            const rh_expr state =
                rh__expr_symbol(inverse->store, model->states.data[k].family[0], member);
            bool is_paired = false;
            for (uint32_t i = 0; i < inverse->n; i++) {
                is_paired = is_paired || inverse->q[i].i == state.i;
            }
            if (!is_paired) {
                rh__text_format(&text, "%s%s", text.size == 0 ? "held as parameters: " : ", ",
                                rh__inverse_name(inverse, state));
            }
        }
    }
    if (model->constraints.count > 0) {
        rh__text_put(&text, text.size == 0 ? "the laws alone, without the constraints"
                                           : "; the laws alone, without the constraints");
    }
    rh__text_put_char(&text, '\0');
    inverse->note = text.ok && text.size > 1 ? text.data : NULL;
}

rh_status rh__inverse_hamilton(rh_inverse *inverse, rh_error *err)
{
    const uint32_t n = 2 * inverse->model->pairs.count;
    inverse->n = n;
    inverse->q = rh__arena_array(&inverse->arena, rh_expr, n + 1);
    inverse->names = rh__arena_array(&inverse->arena, const char *, n + 1);
    rh_expr *form = rh__arena_array(&inverse->arena, rh_expr, n + 1);
    rh_trial trial = {.form = "as written"};
    if (inverse->q == NULL || inverse->names == NULL || form == NULL) {
        return inverse->arena.status;
    }
    inverse->hamiltonian.closed = rh__expr_integer(inverse->store, 0);
    RH_TRY(take_pairs(inverse, form, err));
    note_rest(inverse);
    RH_TRY(rh__inverse_examine(inverse, form, n, err));
    RH_TRY(ask_closed(inverse, &trial, form));
    if (!rh__array_push(&inverse->arena, &inverse->trials, trial)) {
        return inverse->arena.status;
    }
    RH_TRY(rh__inverse_begin_scope(inverse));
    return trial.whole.verdict == RH_INVERSE_HOLDS ? find_functions(inverse, form) : RH_OK;
}
