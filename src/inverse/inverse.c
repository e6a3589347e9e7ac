// SPDX-License-Identifier: Apache-2.0
// The inverse problem from the model to the answer: equations -> conditions, in each form that is
// tried -> functions -> check -> parts -> texts.

#include "inverse/inverse.h"

#include <math.h>
#include <string.h>

static bool goes_on(void *user)
{
    return rh__inverse_goes_on(user);
}

// --- values and rates
// ------------------------------------------------------------------------------

// The exact value of a parameter, in numbers: found once, since a seed must not begin a walk of its
// own.
static rh_expr parameter_value(void *user, rh_store *store, rh_expr symbol)
{
    const rh_inverse *inverse = user;
    const rh_model *model = inverse->model;
    const uint32_t family = rh__expr_family(store, symbol).i;
    if ((rh__expr_mask(store, symbol) & RH_ROLE_PARAM) == 0 ||
        family >= model->parameter_of.count || model->parameter_of.data[family] == 0) {
        return symbol;
    }
    const uint32_t parameter = model->parameter_of.data[family] - 1;
    const rh_expr value = inverse->values[parameter][rh__expr_member(store, symbol)];
    return value.i != 0 ? value : symbol;
}

// The same for parameters of the scope alone.
static rh_expr scope_value(void *user, rh_store *store, rh_expr symbol)
{
    const rh_inverse *inverse = user;
    for (uint32_t k = 0; k < inverse->scope.count; k++) {
        if (inverse->scope.data[k].i == symbol.i) {
            return parameter_value(user, store, symbol);
        }
    }
    return symbol;
}

static rh_status find_values(rh_inverse *inverse)
{
    const rh_model *model = inverse->model;
    inverse->values = rh__arena_array(&inverse->arena, rh_expr *, model->parameters.count + 1);
    if (inverse->values == NULL) {
        return inverse->arena.status;
    }
    for (uint32_t k = 0; k < model->parameters.count; k++) {
        inverse->values[k] =
            rh__arena_array(&inverse->arena, rh_expr, model->parameters.data[k].size + 1);
        if (inverse->values[k] == NULL) {
            return inverse->arena.status;
        }
    }
    for (uint32_t k = 0; k < model->value_order.count; k++) { // each after those it is given by
        const rh_parameter_place at = model->value_order.data[k];
        const rh_parameter *it = &model->parameters.data[at.parameter];
        if (it->defaults != NULL && it->defaults[at.member].i != 0) {
            inverse->values[at.parameter][at.member] = rh__expr_substitute(
                inverse->store, it->defaults[at.member], parameter_value, inverse);
        }
    }
    return rh__inverse_refused(inverse);
}

static double home_value(const void *user, const rh_store *store, rh_expr symbol)
{
    const rh_inverse *inverse = user;
    (void)store;
    for (uint32_t k = 0; k < inverse->home.count; k++) {
        if (inverse->home.data[k].symbol.i == symbol.i) {
            return inverse->home.data[k].value;
        }
    }
    return NAN;
}

static uint32_t place_in(const rh_expr *symbols, uint32_t n, rh_expr symbol)
{
    uint32_t k = 0;
    while (k < n && symbols[k].i != symbol.i) {
        k++;
    }
    return k;
}

// D0: the accelerations are left out.
static rh_expr drift_of(void *user, rh_store *store, rh_expr symbol)
{
    const rh_inverse *inverse = user;
    const uint32_t mask = rh__expr_mask(store, symbol);
    if ((mask & RH_ROLE_TIME) != 0) {
        return rh__expr_integer(store, 1);
    }
    if ((mask & RH_ROLE_COORD) != 0) {
        const uint32_t k = place_in(inverse->q, inverse->n, symbol);
        return k < inverse->n ? inverse->v[k] : rh__expr_integer(store, 0);
    }
    for (uint32_t k = 0; (mask & RH_ROLE_INPUT) != 0 && k < inverse->input_rates.count; k++) {
        if (inverse->input_rates.data[k].symbol.i == symbol.i) {
            return inverse->input_rates.data[k].value;
        }
    }
    return rh__expr_integer(store, 0);
}

static rh_expr rate_of(void *user, rh_store *store, rh_expr symbol)
{
    const rh_inverse *inverse = user;
    const uint32_t mask = rh__expr_mask(store, symbol);
    if ((mask & RH_ROLE_VELOCITY) != 0) {
        const uint32_t k = place_in(inverse->v, inverse->n, symbol);
        return k < inverse->n ? inverse->a[k] : rh__expr_integer(store, 0);
    }
    if ((mask & RH_ROLE_ACCELERATION) != 0) {
        const uint32_t k = place_in(inverse->a, inverse->n, symbol);
        return k < inverse->n ? inverse->j[k] : rh__expr_integer(store, 0);
    }
    return drift_of(user, store, symbol);
}

// --- passes
// ----------------------------------------------------------------------------------------

// M f: the equations multiplied by the matrix of their inertia.
static rh_status multiply_by_inertia(rh_inverse *inverse, const rh_trial *of, rh_trial *out)
{
    const uint32_t n = inverse->n;
    rh_store *store = inverse->store;
    out->form = "multiplied by the inertia";
    out->f = rh__arena_array(&inverse->arena, rh_expr, n + 1);
    if (out->f == NULL) {
        return inverse->arena.status;
    }
    for (uint32_t i = 0; i < n; i++) {
        out->f[i] = rh__expr_integer(store, 0);
        for (uint32_t k = 0; k < n; k++) {
            out->f[i] = rh__expr_add(store, out->f[i],
                                     rh__expr_multiply(store, of->inertia[i * n + k], of->f[k]));
        }
        out->f[i] = rh__inverse_fold(inverse, out->f[i]);
    }
    return rh__inverse_refused(inverse);
}

static bool is_unit(const rh_inverse *inverse, const rh_trial *trial)
{
    for (uint32_t i = 0; i < inverse->n; i++) {
        for (uint32_t k = 0; k < inverse->n; k++) {
            const rh_expr entry = trial->inertia[i * inverse->n + k];
            if (i == k ? !rh__expr_is_one(inverse->store, entry)
                       : !rh__expr_is_zero(inverse->store, entry)) {
                return false;
            }
        }
    }
    return true;
}

// The equations as they are, then times their inertia; the first form that holds is chosen.
static rh_status try_forms(rh_inverse *inverse)
{
    RH_TRY(rh__inverse_try(inverse, &inverse->trials.data[0]));
    const rh_trial *first = &inverse->trials.data[0];
    if (first->whole.verdict != RH_INVERSE_FAILS || !first->is_linear || inverse->derived != NULL ||
        is_unit(inverse, first) || !rh__inverse_goes_on(inverse)) {
        return RH_OK;
    }
    rh_trial second = {0};
    RH_TRY(multiply_by_inertia(inverse, first, &second));
    RH_TRY(rh__inverse_try(inverse, &second));
    if (!rh__array_push(&inverse->arena, &inverse->trials, second)) {
        return inverse->arena.status;
    }
    inverse->chosen = second.whole.verdict == RH_INVERSE_HOLDS ? 1 : 0;
    return RH_OK;
}

// The functions; made again with values where they have none for those of the model.
static rh_status construct(rh_inverse *inverse, rh_trial *trial)
{
    enum { ROUNDS = 4 };
    const uint32_t n = inverse->n;
    const char *note = inverse->note;
    bool is_open = true;
    for (uint32_t k = 0; is_open && k < ROUNDS && rh__inverse_goes_on(inverse); k++) {
        if (k > 0) {
            RH_TRY(rh__inverse_put_scope(inverse, trial->f, n));
            RH_TRY(rh__inverse_put_scope(inverse, trial->inertia, n * n));
            RH_TRY(rh__inverse_put_scope(inverse, trial->rest, n));
            RH_TRY(rh__inverse_put_scope(inverse, trial->beta, n * n));
        }
        inverse->note = note;
        inverse->reason = NULL;
        RH_TRY(rh__inverse_construct(inverse));
        RH_TRY(rh__inverse_close_gaps(inverse, trial->f, &is_open));
    }
    return RH_OK;
}

static rh_status solve_lagrange(rh_inverse *inverse)
{
    inverse->drift = rh__derivation_create(inverse->store, &inverse->arena, drift_of, inverse);
    inverse->total = rh__derivation_create(inverse->store, &inverse->arena, rate_of, inverse);
    if (inverse->drift == NULL || inverse->total == NULL) {
        return RH_E_MEMORY;
    }
    if (inverse->implicit != NULL) {
        return rh__inverse_try_implicit(inverse);
    }
    RH_TRY(try_forms(inverse));
    if (inverse->trials.data[inverse->chosen].whole.verdict != RH_INVERSE_HOLDS) {
        return RH_OK;
    }
    RH_TRY(rh__inverse_begin_scope(inverse));
    RH_TRY(construct(inverse, &inverse->trials.data[inverse->chosen]));
    return rh__inverse_split(inverse);
}

static rh_status solve(rh_inverse *inverse, rh_error *err)
{
    RH_TRY(find_values(inverse));
    RH_TRY(rh__inverse_take(inverse, err));
    RH_TRY(inverse->kind == RH_INVERSE_HAMILTON ? rh__inverse_hamilton(inverse, err)
                                                : solve_lagrange(inverse));
    if (!rh__inverse_goes_on(inverse) && inverse->reason == NULL) {
        inverse->reason = "it was broken off";
    }
    RH_TRY(rh__inverse_tell(inverse));
    return rh__inverse_tell_scope(inverse);
}

// --- the street
// --------------------------------------------------------------------------------------

static rh_status build(rh_arena *arena, const rh_model *model, const rh_inverse_def *def,
                       rh_inverse **out, rh_error *err)
{
    rh_inverse *inverse = rh__arena_new(arena, rh_inverse);
    if (inverse == NULL) {
        return arena->status;
    }
    *out = inverse;
    inverse->arena = *arena;
    inverse->scratch = rh__arena_begin(model->arena.allocator, model->arena.limit);
    inverse->model = model;
    inverse->store = model->store;
    inverse->def = rh_inverse_def_default();
    memcpy(&inverse->def, def,
           def->struct_size < sizeof *def ? def->struct_size : sizeof inverse->def);
    inverse->witness = UINT32_MAX;
    inverse->sign = RH_DEFINITE_UNKNOWN;
    inverse->check =
        (rh_inverse_condition){(uint32_t)sizeof inverse->check, RH_INVERSE_UNKNOWN, false, 0};
    inverse->prover = (rh_prover_def){.value = parameter_value,
                                      .value_user = inverse,
                                      .home = home_value,
                                      .home_user = inverse,
                                      .goes_on = goes_on,
                                      .goes_on_user = inverse};
    inverse->general = inverse->prover;
    inverse->general.value = scope_value;
    inverse->general.home = NULL;
    enum { FOLD_LIMIT = 400 };
    inverse->folder = rh__folder_create(inverse->store, &inverse->arena, FOLD_LIMIT);
    return inverse->folder != NULL ? solve(inverse, err) : RH_E_MEMORY;
}

rh_status rh_inverse_create(const rh_model *model, const rh_inverse_def *def, rh_inverse **out,
                            rh_error *err)
{
    RH_REQUIRE(model != NULL && def != NULL && out != NULL, err);
    RH_REQUIRE(def->struct_size != 0, err);
    *out = NULL;
    if (!model->is_sound) {
        return rh__error_fill(err, RH_E_ARGUMENT,
                              "the inverse problem needs a model without errors");
    }
    rh_error reason = {0};
    rh_arena arena = rh__arena_begin(model->arena.allocator, model->arena.limit);
    const rh_status status =
        rh__guard_settle(arena.allocator, build(&arena, model, def, out, &reason));
    if (status == RH_OK) {
        return RH_OK;
    }
    if (*out != NULL) {
        rh_inverse_destroy(*out);
        *out = NULL;
    } else {
        rh__arena_end(&arena);
    }
    if (status == RH_E_LIMIT && reason.status != status) {
        (void)rh__error_fill(&reason, status,
                             "the expressions of the conditions grew beyond %d nodes or %d parts: "
                             "ask about fewer coordinates",
                             RH_EXPR_NODES, RH_EXPR_WORK);
    }
    const bool has_reason = reason.status == status && reason.message[0] != '\0';
    (void)rh__error_fill(err, status, "%s", has_reason ? reason.message : rh_status_text(status));
    return rh__guard_explain(arena.allocator, status, err);
}

void rh_inverse_destroy(rh_inverse *inverse)
{
    if (inverse != NULL) {
        rh__folder_destroy(inverse->folder);
        rh_equations_destroy(inverse->derived);
        rh__arena_end(&inverse->scratch);
        rh_arena arena = inverse->arena;
        rh__arena_end(&arena);
    }
}
