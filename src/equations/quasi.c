// SPDX-License-Identifier: Apache-2.0
// Equations in quasi-velocities (theory 1.5), with the momenta of all of them:
// pi = U v + u0 = (omega, 0), v = W1 omega + w0, L*(q, omega) = L(q, v), c = W^T L_v,
//     d/dt L*_omega - W1^T L*_q + W1^T Gamma c = W1^T Q,
//     (Gamma c)_j = sum_i c_i (d/dt U_ij - d_j (U v + u0)_i).
// Rows U of plain velocities are constant and drop out of Gamma.

#include "equations/basis.h"

// --- momenta -------------------------------------------------------------------------------------

// d v_carrier / d pi for the row `column` of the elimination; none: 0.
static rh_expr through(const rh_basis *basis, uint32_t carrier, uint32_t column)
{
    const rh_linear *solved = &basis->elimination.solved[carrier];
    for (uint32_t k = 0; basis->elimination.is_solved[carrier] && k < solved->terms.count; k++) {
        if (solved->terms.data[k].column == column) {
            return solved->terms.data[k].value;
        }
    }
    return RH_EXPR_NONE;
}

// c of one row: W_i^T L_v.
static rh_expr momentum_of(rh_basis *basis, const rh_expr *momenta, uint32_t column)
{
    rh_store *store = basis->forming->store;
    rh_expr sum = rh__expr_integer(store, 0);
    for (uint32_t k = 0; k < basis->n; k++) {
        const rh_expr share = through(basis, k, column);
        if (share.i != 0 && momenta[k].i != 0) {
            sum = rh__expr_add(store, sum, rh__expr_multiply(store, share, momenta[k]));
        }
    }
    return rh__derive_fold(basis->forming->equations, sum);
}

// L_v at v = V, by coordinate; none where it is 0.
static rh_expr *find_momenta(rh_basis *basis)
{
    rh_forming *forming = basis->forming;
    const rh_equations *equations = forming->equations;
    rh_gradient partials;
    rh_expr *momenta = rh__arena_array(&forming->scratch, rh_expr, (size_t)basis->n + 1);
    if (momenta == NULL || !rh__expr_gradient(forming->store, equations->kinetic, RH_ROLE_VELOCITY,
                                              &forming->scratch, &partials)) {
        return NULL;
    }
    rh_marks place = {0};
    for (uint32_t k = 0; k < basis->n; k++) {
        if (!rh__marks_put(&forming->scratch, &place, equations->carriers.data[k].variable, k)) {
            return NULL;
        }
    }
    for (uint32_t k = 0; k < partials.count; k++) {
        const uint32_t at = rh__marks_find(&place, partials.data[k].symbol);
        if (at != 0) {
            momenta[at - 1] =
                rh__derive_fold(forming->equations, rh__basis_put(basis, partials.data[k].value));
        }
    }
    return momenta;
}

static bool show_momentum(rh_basis *basis, rh_family family, uint32_t member, rh_expr value)
{
    rh_forming *forming = basis->forming;
    rh_family_def def = *rh__family_def(forming->store, family);
    const char *name = rh__text_print(forming->arena, "p.%.*s", RH_SLICE_FORMAT(def.name));
    def.name = rh__slice_of(name);
    def.mask = RH_EXPR_VARIABLE | RH_ROLE_LOCAL;
    def.primes = 0;
    const rh_family made = rh__family_create(forming->store, &def);
    return made.i != 0 && rh__forming_push(forming, &forming->form->momenta,
                                           rh__expr_symbol(forming->store, made, member), value);
}

// --- Gamma ---------------------------------------------------------------------------------------

// gamma[j] += c (d/dt U_j - d_j row)
static bool add_row(rh_basis *basis, rh_expr row, rh_expr c, rh_expr *gamma)
{
    rh_forming *forming = basis->forming;
    rh_store *store = forming->store;
    const rh_equations *equations = forming->equations;
    rh_gradient partials;
    if (rh__expr_is_zero(store, c)) {
        return true;
    }
    if (!rh__expr_gradient(store, row, RH_ROLE_VELOCITY | RH_ROLE_COORD, &forming->scratch,
                           &partials)) {
        return false;
    }
    for (uint32_t k = 0; k < partials.count; k++) {
        const rh_partial *partial = &partials.data[k];
        const bool is_position = (rh__expr_mask(store, partial->symbol) & RH_ROLE_COORD) != 0;
        const rh_expr change = is_position
                                   ? rh__expr_negate(store, rh__basis_put(basis, partial->value))
                                   : rh__derivation_apply(basis->along, partial->value);
        for (uint32_t j = 0; j < basis->n; j++) {
            const rh_carrier *carrier = &equations->carriers.data[j];
            if ((is_position ? carrier->position : carrier->variable).i == partial->symbol.i) {
                gamma[j] = rh__expr_add(store, gamma[j], rh__expr_multiply(store, c, change));
            }
        }
    }
    return true;
}

static rh_expr *find_gamma(rh_basis *basis)
{
    rh_forming *forming = basis->forming;
    const rh_equations *equations = forming->equations;
    const rh_model *model = equations->model;
    rh_expr *gamma = rh__arena_array(&forming->scratch, rh_expr, (size_t)basis->n + 1);
    const rh_expr *momenta = find_momenta(basis);
    bool ok = gamma != NULL && momenta != NULL;
    for (uint32_t j = 0; ok && j < basis->n; j++) {
        gamma[j] = rh__expr_integer(forming->store, 0);
    }
    for (uint32_t j = 0; ok && j < basis->quasi_count; j++) {
        const rh_quasi *quasi = &model->quasis.data[j];
        if (basis->is_quasi[j]) {
            const rh_expr c = momentum_of(basis, momenta, basis->n + j);
            ok = show_momentum(basis, quasi->symbol, quasi->row.member, c) &&
                 add_row(basis, quasi->value, c, gamma);
        }
    }
    for (uint32_t k = 0; ok && k < equations->links.count; k++) {
        const rh_link *link = &equations->links.data[k];
        if (basis->is_gone[k]) {
            const rh_expr c = momentum_of(basis, momenta, basis->n + basis->quasi_count + k);
            ok = show_momentum(basis, link->constraint->row.family, link->constraint->row.member,
                               c) &&
                 add_row(basis, link->levels[link->level_count - 1], c, gamma);
        }
    }
    return ok ? gamma : NULL;
}

// --- the equations of motion ---------------------------------------------------------------------

// By coordinate: forces through the basis: L*_q - Gamma c + rest - other * drift.
static rh_expr *find_forces(rh_basis *basis, rh_expr lagrangian)
{
    rh_forming *forming = basis->forming;
    rh_store *store = forming->store;
    const rh_equations *equations = forming->equations;
    rh_expr *force = find_gamma(basis);
    rh_gradient partials;
    if (force == NULL ||
        !rh__expr_gradient(store, lagrangian, RH_ROLE_COORD, &forming->scratch, &partials)) {
        return NULL;
    }
    for (uint32_t j = 0; j < basis->n; j++) {
        // forces that do not come from energies, friction and proposed reactions among them
        const rh_expr given =
            rh__expr_subtract(store, rh__forming_force(forming, j), equations->force[j]);
        rh_expr sum = rh__expr_add(store, given, equations->rest[j]);
        sum = rh__expr_subtract(store, rh__basis_put(basis, sum), force[j]);
        for (uint32_t k = equations->other.begin[j]; k < equations->other.begin[j + 1]; k++) {
            const rh_entry *entry = &equations->other.entries.data[k];
            sum = rh__expr_subtract(store, sum,
                                    rh__expr_multiply(store, rh__basis_put(basis, entry->value),
                                                      basis->drift[entry->column]));
        }
        force[j] = sum;
    }
    for (uint32_t k = 0; k < partials.count; k++) {
        const uint32_t at = rh__marks_find(&basis->position, partials.data[k].symbol);
        RH_ASSERT(at != 0);
        force[at - 1] = rh__expr_add(store, force[at - 1], partials.data[k].value);
    }
    return force;
}

// Rows of selected states stay as they are.
static rh_expr state_force(rh_basis *basis, uint32_t carrier)
{
    return rh__basis_put(basis, rh__forming_force(basis->forming, carrier));
}

// d/dt of the momentum: entries in the rates of the basis, drift to the right side.
static bool add_momentum(rh_basis *basis, uint32_t row, rh_expr momentum, rh_expr *right)
{
    rh_forming *forming = basis->forming;
    rh_gradient partials;
    bool ok = rh__expr_gradient(forming->store, momentum, RH_ROLE_VELOCITY | RH_ROLE_STATE,
                                &forming->scratch, &partials);
    for (uint32_t k = 0; ok && k < partials.count; k++) {
        for (uint32_t b = 0; ok && b < basis->variables.count; b++) {
            ok = basis->variables.data[b].i != partials.data[k].symbol.i ||
                 rh__grid_push(forming->arena, &forming->form->matrix, row, b,
                               partials.data[k].value);
        }
    }
    *right =
        rh__expr_subtract(forming->store, *right, rh__derivation_apply(basis->along, momentum));
    return ok;
}

static bool add_motion(rh_basis *basis)
{
    rh_forming *forming = basis->forming;
    rh_store *store = forming->store;
    const rh_equations *equations = forming->equations;
    const uint32_t count = basis->variables.count;
    const rh_expr lagrangian =
        rh__derive_fold(forming->equations, rh__basis_put(basis, equations->kinetic));
    const rh_expr *force = find_forces(basis, lagrangian);
    rh_expr *right = rh__arena_array(&forming->scratch, rh_expr, (size_t)count + 1);
    rh_gradient momenta;
    bool ok = force != NULL && right != NULL &&
              rh__expr_gradient(store, lagrangian, RH_ROLE_VELOCITY, &forming->scratch, &momenta);
    for (uint32_t a = 0; ok && a < count; a++) {
        right[a] = rh__expr_integer(store, 0);
    }
    for (uint32_t k = 0; ok && k < equations->carriers.count; k++) {
        const rh_linear *carrier = &basis->carrier[k];
        const rh_expr value = k < basis->n ? force[k] : state_force(basis, k);
        for (uint32_t j = 0; j < carrier->terms.count; j++) {
            rh_expr *sum = &right[carrier->terms.data[j].column];
            *sum = rh__expr_add(store, *sum,
                                rh__expr_multiply(store, carrier->terms.data[j].value, value));
        }
    }
    for (uint32_t k = 0; ok && k < momenta.count; k++) {
        for (uint32_t a = 0; ok && a < count; a++) {
            ok = basis->variables.data[a].i != momenta.data[k].symbol.i ||
                 add_momentum(basis, a, momenta.data[k].value, &right[a]);
        }
    }
    for (uint32_t a = 0; ok && a < count; a++) {
        ok = rh__forming_row(forming, rh__derive_fold(forming->equations, right[a]), 0);
    }
    return ok && rh__basis_square(basis, &equations->other);
}

rh_status rh__form_quasi(rh_forming *forming)
{
    rh_basis basis;
    rh_point sample[2];
    RH_TRY(rh__forming_samples(forming, sample));
    RH_TRY(rh__basis_create(forming, RH_PIVOT_ANY, true, sample, &basis));
    return rh__basis_form(&basis, add_motion);
}
