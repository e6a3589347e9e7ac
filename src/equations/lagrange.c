// SPDX-License-Identifier: Apache-2.0
// Carriers, and what moves them: energies, laws and equations -> inertia M and force h.
// With L = T - V + Lagrangian + sum lambda phi (type II), p = L_v:
//     M = p_v,   h = L_q - d0 p + Q,   d0 = d/dt with the rates of carriers left out.
// A law adds its own inertia and value to its row, an equation its coefficients of accelerations.

#include "equations/derive.h"

// --- carriers ----------------------------------------------------------------------------------

static bool add_carrier(rh_derive *derive, rh_carrier carrier)
{
    rh_equations *equations = derive->equations;
    const uint32_t at = equations->carriers.count;
    return carrier.variable.i != 0 && carrier.rate.i != 0 &&
           rh__array_push(derive->arena, &equations->carriers, carrier) &&
           rh__marks_put(&derive->scratch, &derive->carrier, carrier.variable, at) &&
           (carrier.position.i == 0 ||
            rh__marks_put(&derive->scratch, &derive->position, carrier.position, at));
}

static bool add_coordinates(rh_derive *derive, const rh_marks *selected)
{
    const rh_model *model = derive->model;
    rh_store *store = derive->store;
    bool ok = true;
    for (uint32_t k = 0; k < model->coordinates.count; k++) {
        const rh_variable *variable = &model->coordinates.data[k];
        for (uint32_t member = 0; ok && member < variable->size; member++) {
            rh_carrier carrier = {
                .position = rh__expr_symbol(store, variable->family[0], member),
                .variable = rh__expr_symbol(store, variable->family[1], member),
                .rate = rh__expr_symbol(store, variable->family[2], member),
            };
            carrier.is_selected = rh__marks_find(selected, carrier.variable) != 0;
            ok = add_carrier(derive, carrier);
        }
    }
    derive->equations->coordinate_count = derive->equations->carriers.count;
    return ok;
}

static bool add_states(rh_derive *derive, const rh_marks *selected)
{
    const rh_model *model = derive->model;
    rh_store *store = derive->store;
    bool ok = true;
    for (uint32_t k = 0; k < model->laws.count && ok; k++) {
        const rh_law *law = &model->laws.data[k];
        if ((rh__expr_mask(store, law->target) & RH_ROLE_RATE) == 0) {
            continue;
        }
        // the law's target is the rate: its variable is the family without prime
        const rh_variable *owner = NULL;
        for (uint32_t j = 0; j < model->states.count && owner == NULL; j++) {
            const rh_variable *variable = &model->states.data[j];
            owner =
                variable->family[1].i == rh__expr_family(store, law->target).i ? variable : NULL;
        }
        if (owner == NULL) {
            continue; // the model saw to it that there is one
        }
        const rh_expr variable =
            rh__expr_symbol(store, owner->family[0], rh__expr_member(store, law->target));
        if (rh__marks_find(selected, variable) != 0) {
            ok = add_carrier(
                derive,
                (rh_carrier){.variable = variable, .rate = law->target, .is_selected = true});
        } else {
            const rh_passive passive = {variable, law->target,
                                        rh__expr_divide(store, law->value, law->inertia)};
            ok = rh__array_push(derive->arena, &derive->equations->passives, passive) &&
                 rh__marks_put(&derive->scratch, &derive->passive, variable,
                               derive->equations->passives.count - 1);
        }
    }
    return ok;
}

// The derivative of a symbol along the motion.
static rh_expr rate_of(void *user, rh_store *store, rh_expr symbol)
{
    rh_derive *derive = user;
    const uint32_t mask = rh__expr_mask(store, symbol);
    const uint32_t position = rh__marks_find(&derive->position, symbol);
    const uint32_t passive = rh__marks_find(&derive->passive, symbol);
    if ((mask & RH_ROLE_TIME) != 0) {
        return rh__expr_integer(store, 1);
    }
    if (position != 0) {
        return derive->equations->carriers.data[position - 1].variable;
    }
    if (passive != 0) {
        return derive->equations->passives.data[passive - 1].value;
    }
    return (mask & RH_ROLE_INPUT) != 0 ? rh__derive_input_rate(derive->equations, symbol)
                                       : rh__expr_integer(store, 0);
}

rh_expr rh__derive_input_rate(const rh_equations *equations, rh_expr symbol)
{
    for (uint32_t k = 0; k < equations->input_rates.count; k++) {
        if (equations->input_rates.data[k].symbol.i == symbol.i) {
            return equations->input_rates.data[k].value;
        }
    }
    return RH_EXPR_NONE;
}

static rh_expr make_input_rate(rh_derive *derive, const rh_input *input, rh_expr symbol)
{
    if (input->value.i != 0) {
        return rh__derivation_apply(derive->along, input->value);
    }
    rh_family_def def = *rh__family_def(derive->store, rh__expr_family(derive->store, symbol));
    def.primes++;
    return rh__expr_symbol(derive->store, rh__family_create(derive->store, &def), 0);
}

// Inputs with their first two derivatives, in which constraints may need them.
static bool add_inputs(rh_derive *derive)
{
    for (uint32_t k = 0; k < derive->model->inputs.count; k++) {
        const rh_input *input = &derive->model->inputs.data[k];
        rh_expr symbol = rh__expr_symbol(derive->store, input->family, 0);
        for (uint32_t order = 0; order < 4; order++) {
            const rh_definition rate = {symbol, make_input_rate(derive, input, symbol)};
            if (rate.value.i == 0 ||
                !rh__array_push(derive->arena, &derive->equations->input_rates, rate)) {
                return false;
            }
            if (input->value.i != 0) {
                break; // its derivatives are formulas
            }
            symbol = rate.value;
        }
    }
    return true;
}

rh_status rh__derive_carriers(rh_derive *derive)
{
    rh_marks selected = {0};
    const rh_expr_list *list = &derive->model->selected;
    bool ok = true;
    for (uint32_t k = 0; ok && k < list->count; k++) {
        ok = rh__marks_put(&derive->scratch, &selected, list->data[k], 0);
    }
    ok = ok && add_coordinates(derive, &selected) && add_states(derive, &selected);
    derive->along =
        ok ? rh__derivation_create(derive->store, &derive->scratch, rate_of, derive) : NULL;
    return derive->along != NULL && add_inputs(derive) ? RH_OK : rh__derive_refused(derive);
}

rh_expr rh__derive_along(rh_derive *derive, rh_expr e)
{
    return rh__derivation_apply(derive->along, e);
}

uint32_t rh__derive_carrier(const rh_derive *derive, rh_expr symbol)
{
    const uint32_t at = rh__marks_find(&derive->carrier, symbol);
    const uint32_t place = at != 0 ? at : rh__marks_find(&derive->position, symbol);
    return place == 0 ? UINT32_MAX : place - 1;
}

bool rh__derive_force(rh_derive *derive, uint32_t carrier, rh_expr value, bool is_rest)
{
    const rh_entry entry = {carrier, 0, value};
    return value.i != 0 && rh__array_push(&derive->scratch, &derive->forces, entry) &&
           (!is_rest || rh__array_push(&derive->scratch, &derive->rest, entry));
}

// --- energies ----------------------------------------------------------------------------------

rh_expr rh__derive_phi(const rh_constraint *constraint)
{
    return constraint->by == RH_BY_VAKONOMIC ? constraint->deviation : constraint->argument;
}

rh_expr rh__link_phi(const rh_link *link)
{
    return rh__derive_phi(link->constraint);
}

// L = T - V + Lagrangian + sum lambda phi.
static rh_expr find_lagrangian(rh_derive *derive)
{
    rh_store *store = derive->store;
    const rh_model *model = derive->model;
    rh_expr sum = rh__expr_subtract(store, rh__model_kinetic(model), rh__model_potential(model));
    sum = rh__expr_add(store, sum, rh__model_lagrangian(model));
    for (uint32_t k = 0; k < model->constraints.count; k++) {
        const rh_constraint *constraint = &model->constraints.data[k];
        if (constraint->multiplier_rate.i != 0) {
            const rh_expr lambda =
                rh__expr_symbol(store, constraint->multiplier, constraint->row.member);
            sum = rh__expr_add(store, sum,
                               rh__expr_multiply(store, lambda, rh__derive_phi(constraint)));
        }
    }
    return sum;
}

// Inertia of one row from its momentum. The part in coordinates is symmetric: each pair once.
static bool add_momentum(rh_derive *derive, uint32_t row, rh_expr momentum)
{
    rh_gradient partials;
    bool ok = rh__expr_gradient(derive->store, momentum, RH_ROLE_VELOCITY | RH_ROLE_STATE,
                                &derive->scratch, &partials);
    for (uint32_t k = 0; ok && k < partials.count; k++) {
        const uint32_t column = rh__derive_carrier(derive, partials.data[k].symbol);
        if (column == UINT32_MAX || column < row) {
            continue; // a state that follows its law, or done with the other row
        }
        const rh_expr value = partials.data[k].value;
        ok = rh__grid_push(&derive->scratch, &derive->inertia, row, column, value);
        if (column != row && column < derive->equations->coordinate_count) {
            ok = ok && rh__grid_push(&derive->scratch, &derive->inertia, column, row, value);
        }
    }
    const rh_expr drift = rh__derive_along(derive, momentum);
    return ok && rh__derive_force(derive, row, rh__expr_negate(derive->store, drift), false);
}

static bool add_energies(rh_derive *derive)
{
    rh_equations *equations = derive->equations;
    rh_gradient partials;
    equations->kinetic = find_lagrangian(derive);
    bool ok = equations->kinetic.i != 0 &&
              rh__expr_gradient(derive->store, equations->kinetic, RH_ROLE_VELOCITY | RH_ROLE_COORD,
                                &derive->scratch, &partials);
    for (uint32_t k = 0; ok && k < partials.count; k++) {
        const rh_partial *partial = &partials.data[k];
        const uint32_t row = rh__derive_carrier(derive, partial->symbol);
        RH_ASSERT(row != UINT32_MAX);
        if ((rh__expr_mask(derive->store, partial->symbol) & RH_ROLE_COORD) != 0) {
            ok = rh__derive_force(derive, row, partial->value, false);
        } else {
            ok = add_momentum(derive, row, partial->value);
        }
    }
    return ok;
}

// --- laws and equations ------------------------------------------------------------------------

static bool add_other(rh_derive *derive, uint32_t row, uint32_t column, rh_expr value)
{
    return rh__grid_push(&derive->scratch, &derive->inertia, row, column, value) &&
           rh__grid_push(&derive->scratch, &derive->other, row, column, value);
}

// Rates of carriers, by id.
static bool mark_rates(rh_derive *derive, rh_marks *rates)
{
    const rh_equations *equations = derive->equations;
    for (uint32_t k = 0; k < equations->carriers.count; k++) {
        if (!rh__marks_put(&derive->scratch, rates, equations->carriers.data[k].rate, k)) {
            return false;
        }
    }
    return true;
}

// A term that stands in several laws, as that of a reaction does, must be the same number in all of
// them: what they conserve together is conserved up to the rounding of their sums only then. Such
// sums are not folded.
static bool keep_shared_terms(rh_derive *derive)
{
    const rh_store *store = derive->store;
    rh_marks owner = {.data = NULL}; // of a term: the law where it was first seen
    rh_marks *unfolded = rh__arena_new(derive->arena, rh_marks);
    bool ok = unfolded != NULL;
    for (uint32_t k = 0; ok && k < derive->model->laws.count; k++) {
        const rh_expr sum = derive->model->laws.data[k].value;
        const bool is_sum = sum.i != 0 && rh__expr_op(store, sum) == RH_OP_ADD;
        for (uint32_t j = 1; ok && is_sum && j < rh__expr_count(store, sum); j += 2) {
            const rh_expr term = rh__expr_argument(store, sum, j);
            const uint32_t first =
                rh__expr_is_number(store, term) ? 0 : rh__marks_find(&owner, term);
            if (first == 0) {
                ok = rh__marks_put(&derive->scratch, &owner, term, k);
            } else if (first != k + 1) {
                const rh_expr other = derive->model->laws.data[first - 1].value;
                ok = rh__marks_put(derive->arena, unfolded, sum, 0) &&
                     rh__marks_put(derive->arena, unfolded, other, 0);
            }
        }
    }
    derive->equations->unfolded = ok && unfolded->count > 0 ? unfolded : NULL;
    return ok;
}

static bool add_laws(rh_derive *derive, const rh_marks *rates)
{
    bool ok = true;
    for (uint32_t k = 0; ok && k < derive->model->laws.count; k++) {
        const rh_law *law = &derive->model->laws.data[k];
        const uint32_t at = rh__marks_find(rates, law->target);
        if (at != 0) {
            ok = add_other(derive, at - 1, at - 1, law->inertia) &&
                 rh__derive_force(derive, at - 1, law->value, true);
        }
    }
    return ok;
}

static rh_expr without_rates(void *user, rh_store *store, rh_expr symbol)
{
    (void)user;
    const uint32_t mask = rh__expr_mask(store, symbol);
    return (mask & (RH_ROLE_ACCELERATION | RH_ROLE_RATE)) != 0 ? rh__expr_integer(store, 0)
                                                               : symbol;
}

// Who receives the reaction of an equation: a matching of equations and coordinates through the
// accelerations they hold (Kuhn).
typedef struct matching {
    const rh_gradient *held; // by equation
    uint32_t *owner;         // by carrier: equation + 1
    bool *seen;              // by carrier
    const rh_marks *rates;
} matching;

static bool match(matching *pairs, uint32_t equation)
{
    // in the order of the text, as long as that works
    for (uint32_t k = 0; k < pairs->held[equation].count; k++) {
        const uint32_t at = rh__marks_find(pairs->rates, pairs->held[equation].data[k].symbol);
        if (at != 0 && pairs->owner[at - 1] == 0) {
            pairs->owner[at - 1] = equation + 1;
            return true;
        }
    }
    for (uint32_t k = 0; k < pairs->held[equation].count; k++) {
        const uint32_t at = rh__marks_find(pairs->rates, pairs->held[equation].data[k].symbol);
        if (at == 0 || pairs->seen[at - 1]) {
            continue;
        }
        pairs->seen[at - 1] = true;
        if (pairs->owner[at - 1] == 0 || match(pairs, pairs->owner[at - 1] - 1)) {
            pairs->owner[at - 1] = equation + 1;
            return true;
        }
    }
    return false;
}

static void complain_equation(rh_derive *derive, uint32_t k, bool is_nonlinear)
{
    const rh_row *row = &derive->model->equations.data[k].row;
    derive->is_stuck = true;
    rh__diagnostics_add(&derive->equations->diagnostics, RH_DIAGNOSTIC_W111, row->span,
                        is_nonlinear ? "this equation is not linear in the accelerations"
                                     : "the accelerations of this equation are taken by the other "
                                       "equations: they do not determine the motion");
    rh__diagnostics_repair(
        &derive->equations->diagnostics,
        is_nonlinear ? "solve it for the accelerations; as it is, it is for `inverse` only"
                     : "give one independent equation for each coordinate");
}

static bool add_equation(rh_derive *derive, uint32_t k, uint32_t row, const rh_gradient *held,
                         const rh_marks *rates)
{
    const rh_equation *equation = &derive->model->equations.data[k];
    rh_store *store = derive->store;
    const rh_expr whole = rh__expr_subtract(store, equation->left, equation->right);
    const rh_expr still = rh__expr_substitute(store, whole, without_rates, NULL);
    bool ok = rh__derive_force(derive, row, rh__expr_negate(store, still), true);
    for (uint32_t j = 0; ok && j < held->count; j++) {
        const uint32_t at = rh__marks_find(rates, held->data[j].symbol);
        if ((rh__expr_mask(store, held->data[j].value) & RH_ROLE_ACCELERATION) != 0 &&
            !rh__derive_vanishes(derive->equations,
                                 rh__expr_subtract(store, held->data[j].value,
                                                   rh__expr_substitute(store, held->data[j].value,
                                                                       without_rates, NULL)),
                                 &derive->scratch)) {
            complain_equation(derive, k, true);
            return true;
        }
        ok = at == 0 ||
             add_other(derive, row, at - 1,
                       rh__expr_substitute(store, held->data[j].value, without_rates, NULL));
    }
    return ok;
}

static bool add_equations(rh_derive *derive, const rh_marks *rates)
{
    const uint32_t count = derive->model->equations.count;
    const uint32_t carriers = derive->equations->carriers.count;
    rh_gradient *held = rh__arena_array(&derive->scratch, rh_gradient, count);
    matching pairs = {.held = held,
                      .owner = rh__arena_array(&derive->scratch, uint32_t, carriers),
                      .seen = rh__arena_array(&derive->scratch, bool, carriers),
                      .rates = rates};
    bool ok = held != NULL && pairs.owner != NULL && pairs.seen != NULL;
    for (uint32_t k = 0; ok && k < count; k++) {
        const rh_equation *equation = &derive->model->equations.data[k];
        ok = rh__expr_gradient(derive->store,
                               rh__expr_subtract(derive->store, equation->left, equation->right),
                               RH_ROLE_ACCELERATION, &derive->scratch, &held[k]);
    }
    for (uint32_t k = 0; ok && k < count; k++) {
        for (uint32_t c = 0; c < carriers; c++) {
            pairs.seen[c] = false;
        }
        if (!match(&pairs, k)) {
            complain_equation(derive, k, false);
            return true;
        }
    }
    for (uint32_t c = 0; ok && c < carriers; c++) {
        if (pairs.owner[c] != 0) {
            const uint32_t k = pairs.owner[c] - 1;
            ok = add_equation(derive, k, c, &held[k], rates);
        }
    }
    return ok;
}

// `construct`: unit inertia.
static bool add_units(rh_derive *derive)
{
    bool ok = true;
    const bool is_asked = derive->model->construct.is_given;
    for (uint32_t k = 0; ok && is_asked && k < derive->equations->coordinate_count; k++) {
        ok = add_other(derive, k, k, rh__expr_integer(derive->store, 1));
    }
    return ok;
}

rh_status rh__derive_motion(rh_derive *derive)
{
    rh_marks rates = {0};
    const bool ok = mark_rates(derive, &rates) && add_energies(derive) &&
                    keep_shared_terms(derive) && add_laws(derive, &rates) &&
                    add_equations(derive, &rates) && add_units(derive);
    return ok ? RH_OK : rh__derive_failed(derive);
}
