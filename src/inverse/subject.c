// SPDX-License-Identifier: Apache-2.0
// The equations that the question is about. As written where `law` and `equation` give all of them:
// the law m*x'' = F is m*x'' - F, an equation is its left side less its right side, laws in the row
// of their coordinate and equations in the rows that are left, in order. Otherwise as derived:
// M a - h - B lambda with the reactions as formulas.

#include "inverse/inverse.h"

#include <math.h>

static bool is_written(const rh_model *model)
{
    const uint32_t others = model->kinetic.count + model->potential.count +
                            model->dissipation.count + model->lagrangian.count +
                            model->forces.count + model->loads.count + model->constraints.count;
    return others == 0 && !model->construct.is_given;
}

// --- variables -------------------------------------------------------------------------------

// Rates of accelerations: a family of their own, since the model need not have one.
static rh_family higher_family(rh_inverse *inverse, rh_family acceleration)
{
    rh_family_def def = *rh__family_def(inverse->store, acceleration);
    def.primes++;
    def.mask = RH_EXPR_VARIABLE | RH_ROLE_HIGHER;
    return rh__family_create(inverse->store, &def);
}

static rh_status name_variables(rh_inverse *inverse)
{
    const rh_model *model = inverse->model;
    rh_store *store = inverse->store;
    uint32_t at = 0;
    for (uint32_t k = 0; k < model->coordinates.count; k++) {
        const rh_variable *variable = &model->coordinates.data[k];
        const rh_family higher = higher_family(inverse, variable->family[2]);
        for (uint32_t member = 0; member < variable->size; member++, at++) {
            inverse->q[at] = rh__expr_symbol(store, variable->family[0], member);
            inverse->v[at] = rh__expr_symbol(store, variable->family[1], member);
            inverse->a[at] = rh__expr_symbol(store, variable->family[2], member);
            inverse->j[at] = rh__expr_symbol(store, higher, member);
            inverse->names[at] = rh__inverse_name(inverse, inverse->q[at]);
        }
    }
    return rh__inverse_refused(inverse);
}

static rh_status take_variables(rh_inverse *inverse)
{
    rh_arena *arena = &inverse->arena;
    const uint32_t n = rh__model_coordinate_count(inverse->model);
    inverse->n = n;
    inverse->q = rh__arena_array(arena, rh_expr, n + 1);
    inverse->v = rh__arena_array(arena, rh_expr, n + 1);
    inverse->a = rh__arena_array(arena, rh_expr, n + 1);
    inverse->j = rh__arena_array(arena, rh_expr, n + 1);
    inverse->names = rh__arena_array(arena, const char *, n + 1);
    if (inverse->q == NULL || inverse->v == NULL || inverse->a == NULL || inverse->j == NULL ||
        inverse->names == NULL) {
        return arena->status;
    }
    return name_variables(inverse);
}

// --- inputs ----------------------------------------------------------------------------------

static rh_status note_input_rates(rh_inverse *inverse)
{
    for (uint32_t k = 0; k < inverse->model->inputs.count; k++) {
        const rh_input *input = &inverse->model->inputs.data[k];
        rh_family_def def = *rh__family_def(inverse->store, input->family);
        rh_expr symbol = rh__expr_symbol(inverse->store, input->family, 0);
        for (uint32_t order = 0; input->value.i == 0 && order < 3; order++) {
            def.primes++;
            const rh_expr rate =
                rh__expr_symbol(inverse->store, rh__family_create(inverse->store, &def), 0);
            if (rate.i == 0 || !rh__array_push(&inverse->arena, &inverse->input_rates,
                                               ((rh_definition){symbol, rate}))) {
                return rh__inverse_refused(inverse);
            }
            symbol = rate;
        }
    }
    return RH_OK;
}

// --- as written ------------------------------------------------------------------------------

static uint32_t row_of(const rh_inverse *inverse, rh_expr acceleration)
{
    for (uint32_t k = 0; k < inverse->n; k++) {
        if (inverse->a[k].i == acceleration.i) {
            return k;
        }
    }
    return RH_INVERSE_NO_INDEX;
}

static rh_status take_written(rh_inverse *inverse, rh_trial *trial, rh_error *err)
{
    const rh_model *model = inverse->model;
    rh_store *store = inverse->store;
    trial->form = "as written";
    for (uint32_t k = 0; k < model->laws.count; k++) {
        const rh_law *law = &model->laws.data[k];
        const uint32_t row = row_of(inverse, law->target);
        if (row != RH_INVERSE_NO_INDEX) {
            trial->f[row] = rh__expr_subtract(
                store, rh__expr_multiply(store, law->inertia, law->target), law->value);
        }
    }
    uint32_t row = 0;
    for (uint32_t k = 0; k < model->equations.count; k++) {
        while (row < inverse->n && trial->f[row].i != 0) {
            row++;
        }
        if (row == inverse->n) {
            return rh__error_fill(err, RH_E_UNAVAILABLE,
                                  "there are more equations than coordinates without a law");
        }
        trial->f[row] =
            rh__expr_subtract(store, model->equations.data[k].left, model->equations.data[k].right);
    }
    for (uint32_t k = 0; k < inverse->n; k++) {
        if (trial->f[k].i == 0 && rh__inverse_refused(inverse) == RH_OK) {
            return rh__error_fill(err, RH_E_UNAVAILABLE,
                                  "there are fewer equations than coordinates: %s has none",
                                  inverse->names[k]);
        }
    }
    return rh__inverse_refused(inverse);
}

// --- as derived ------------------------------------------------------------------------------

static rh_expr multiplier_of(const rh_reactions *reactions, const rh_link *link)
{
    if (link->given.i != 0) {
        return link->given;
    }
    for (uint32_t k = 0; k < reactions->values.count; k++) {
        if (reactions->values.data[k].symbol.i == link->multiplier.i) {
            return reactions->values.data[k].value;
        }
    }
    return RH_EXPR_NONE;
}

static rh_status find_reactions(rh_inverse *inverse, rh_reactions *out, rh_error *err)
{
    const rh_equations *derived = inverse->derived;
    RH_TRY(rh__equations_refuse_intermittent(derived, "Lagrangians", err));
    for (uint32_t k = 0; k < derived->links.count; k++) {
        const rh_link *link = &derived->links.data[k];
        if (link->held.i != 0) {
            return rh__error_fill(err, RH_E_UNAVAILABLE,
                                  "the multiplier of %.*s is a state: there are no equations of "
                                  "second order in the coordinates alone",
                                  RH_SLICE_FORMAT(link->constraint->row.name));
        }
        if (link->constraint->is_one_sided) {
            inverse->note = "one-sided constraints are taken as acting";
        }
    }
    if (derived->links.count == 0) {
        return RH_OK;
    }
    const rh_status status = rh__form_reactions(inverse->derived, &inverse->arena, out);
    if (status == RH_E_LIMIT && rh__inverse_refused(inverse) == RH_OK) {
        return rh__inverse_take_implicit(inverse, err);
    }
    if (status == RH_E_UNAVAILABLE) {
        return rh__error_fill(err, status,
                              "the reactions are not determined: the constraints depend on each "
                              "other");
    }
    return status;
}

static rh_status add_pushes(rh_inverse *inverse, const rh_reactions *reactions, rh_trial *trial,
                            rh_error *err)
{
    const rh_equations *derived = inverse->derived;
    rh_store *store = inverse->store;
    for (uint32_t k = 0; k < derived->push.entries.count; k++) {
        const rh_entry *push = &derived->push.entries.data[k];
        const rh_link *link = &derived->links.data[push->row];
        const rh_expr multiplier = multiplier_of(reactions, link);
        if (multiplier.i == 0) {
            return rh__error_fill(err, RH_E_UNAVAILABLE, "the reaction of %.*s has no formula",
                                  RH_SLICE_FORMAT(link->constraint->row.name));
        }
        trial->f[push->column] = rh__expr_subtract(
            store, trial->f[push->column], rh__expr_multiply(store, push->value, multiplier));
    }
    return rh__inverse_refused(inverse);
}

static rh_status take_derived(rh_inverse *inverse, rh_trial *trial, rh_error *err)
{
    const rh_equations_def def = rh_equations_def_default();
    rh_store *store = inverse->store;
    rh_reactions reactions = {0};
    trial->form = "as derived";
    RH_TRY(rh_equations_create(inverse->model, &def, &inverse->derived, err));
    RH_TRY(find_reactions(inverse, &reactions, err));
    const rh_equations *derived = inverse->derived;
    for (uint32_t k = 0; k < inverse->n; k++) {
        trial->f[k] = rh__expr_negate(store, derived->force[k]);
    }
    for (uint32_t k = 0; k < derived->inertia.entries.count; k++) {
        const rh_entry *entry = &derived->inertia.entries.data[k];
        trial->f[entry->row] =
            rh__expr_add(store, trial->f[entry->row],
                         rh__expr_multiply(store, entry->value, inverse->a[entry->column]));
    }
    return inverse->implicit != NULL ? rh__inverse_refused(inverse)
                                     : add_pushes(inverse, &reactions, trial, err);
}

// --- the start as a first point --------------------------------------------------------------

static rh_status note_home(rh_inverse *inverse)
{
    const rh_model *model = inverse->model;
    for (uint32_t k = 0; k < model->starts.count; k++) {
        const rh_setting *setting = &model->starts.data[k];
        double value = 0.0;
        if (!setting->is_symbol ||
            !rh__expr_values(inverse->store, &setting->value, 1, rh__values_parameter,
                             &model->values, &inverse->scratch, &value)) {
            continue;
        }
        if (!rh__array_push(&inverse->arena, &inverse->home,
                            ((rh_home){setting->place, value, ""}))) {
            return inverse->arena.status;
        }
    }
    return rh__inverse_refused(inverse);
}

rh_status rh__inverse_take(rh_inverse *inverse, rh_error *err)
{
    const rh_model *model = inverse->model;
    RH_TRY(note_home(inverse));
    if (model->coordinates.count == 0 && model->pairs.count > 0) {
        inverse->kind = RH_INVERSE_HAMILTON;
        return RH_OK;
    }
    if (model->states.count > 0) {
        return rh__error_fill(
            err, RH_E_UNAVAILABLE,
            model->coordinates.count > 0
                ? "the model has coordinates and states: the conditions are about equations of "
                  "second order in coordinates alone"
                : "the model has states only: name canonical pairs (pair x, p) to ask for a "
                  "Hamiltonian");
    }
    if (model->coordinates.count == 0) {
        return rh__error_fill(err, RH_E_UNAVAILABLE, "the model has no coordinates");
    }
    RH_TRY(take_variables(inverse));
    RH_TRY(note_input_rates(inverse));
    rh_trial trial = {.f = rh__arena_array(&inverse->arena, rh_expr, inverse->n)};
    if (trial.f == NULL) {
        return inverse->arena.status;
    }
    RH_TRY(is_written(model) ? take_written(inverse, &trial, err)
                             : take_derived(inverse, &trial, err));
    for (uint32_t k = 0; k < inverse->n; k++) {
        trial.f[k] = rh__model_through_inputs(inverse->model, trial.f[k]);
    }
    RH_TRY(rh__inverse_refused(inverse));
    RH_TRY(rh__inverse_examine(inverse, trial.f, inverse->n, err)); // before anything cancels
    for (uint32_t k = 0; k < inverse->n; k++) {
        trial.f[k] = rh__inverse_fold(inverse, trial.f[k]);
    }
    RH_TRY(rh__inverse_refused(inverse));
    return rh__array_push(&inverse->arena, &inverse->trials, trial) ? RH_OK : inverse->arena.status;
}
