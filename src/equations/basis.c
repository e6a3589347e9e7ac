// SPDX-License-Identifier: Apache-2.0
// Velocities through a basis: v = Z u + z0. Rows of constraints that are linear in the velocities
// and ideal are solved first, then the user's quasi-velocities; velocities left over stay as they
// are. Slack columns carry d v / d (row of a link), which gives the multipliers that left.

#include "equations/basis.h"

// --- rows --------------------------------------------------------------------------------------

// Does a condition that may change stand in it? Where its truth changes velocities may jump, and a
// basis that changes with it has no velocities u that would belong to both sides. So what is
// integrated is never solved for through such a row.
static bool holds_condition(const rh_basis *basis, rh_expr e)
{
    rh_forming *forming = basis->forming;
    rh_store *store = forming->store;
    const rh_mark mark = rh__arena_mark(&forming->scratch);
    rh_expr_list parts = {0};
    const rh_expr whole = rh__model_through_inputs(forming->equations->model, e);
    bool found = whole.i == 0 || !rh__expr_reach(store, &whole, 1, &forming->scratch, &parts);
    for (uint32_t k = 0; k < parts.count && !found; k++) {
        const rh_op op = rh__expr_op(store, parts.data[k]);
        const bool is_one = op == RH_OP_IF || op == RH_OP_SIGN || op == RH_OP_ABS ||
                            op == RH_OP_MIN || op == RH_OP_MAX;
        found = is_one && (rh__expr_mask(store, parts.data[k]) & RH_EXPR_VARIABLE) != 0;
    }
    rh__arena_rewind(&forming->scratch, mark);
    return found;
}

// A two-sided ideal link whose last level is linear in the velocities of selected coordinates.
static bool is_eligible(const rh_basis *basis, uint32_t index)
{
    const rh_equations *equations = basis->forming->equations;
    const rh_link *link = &equations->links.data[index];
    bool ok = rh__link_is_exact(link) && link->constraint->by == RH_BY_IDEAL;
    for (uint32_t k = 0; ok && basis->is_for_motion && k < link->level_count; k++) {
        ok = !holds_condition(basis, link->levels[k]);
    }
    const rh_grid *rows = &equations->rows;
    for (uint32_t k = rows->begin[index]; ok && k < rows->begin[index + 1]; k++) {
        const rh_entry *entry = &rows->entries.data[k];
        ok = entry->column < basis->n && equations->carriers.data[entry->column].is_selected &&
             (rh__expr_mask(equations->store, entry->value) & RH_ROLE_VELOCITY) == 0;
    }
    return ok;
}

static bool add_term(rh_basis *basis, rh_linear *row, uint32_t column, rh_expr value)
{
    const rh_term term = {column, value};
    return value.i != 0 && rh__array_push(&basis->forming->scratch, &row->terms, term);
}

static rh_status use_links(rh_basis *basis)
{
    const rh_equations *equations = basis->forming->equations;
    rh_store *store = equations->store;
    const rh_expr minus = rh__expr_integer(store, -1);
    for (uint32_t link = 0; link < equations->links.count; link++) {
        if (!is_eligible(basis, link)) {
            continue;
        }
        const rh_link *it = &equations->links.data[link];
        rh_linear row = {.rest = rh__link_rest(equations, it)};
        bool ok = row.rest.i != 0;
        for (uint32_t k = equations->rows.begin[link]; ok && k < equations->rows.begin[link + 1];
             k++) {
            const rh_entry *entry = &equations->rows.entries.data[k];
            ok = add_term(basis, &row, entry->column, entry->value);
        }
        ok = ok && add_term(basis, &row, basis->n + basis->quasi_count + link, minus);
        rh_eliminated result = RH_ELIMINATED_NOTHING;
        if (!ok) {
            return rh__forming_refused(basis->forming);
        }
        RH_TRY(rh__elimination_use(&basis->elimination, &row, &result));
        basis->is_gone[link] = result == RH_ELIMINATED;
    }
    return RH_OK;
}

static rh_status use_quasis(rh_basis *basis)
{
    const rh_equations *equations = basis->forming->equations;
    rh_store *store = equations->store;
    rh_arena *scratch = &basis->forming->scratch;
    rh_marks column = {0};
    bool ok = true;
    for (uint32_t k = 0; ok && k < basis->n; k++) {
        ok = rh__marks_put(scratch, &column, equations->carriers.data[k].variable, k);
    }
    for (uint32_t j = 0; ok && j < basis->quasi_count; j++) {
        const rh_expr value = equations->model->quasis.data[j].value;
        rh_linear row = {.rest = rh__derive_at_rest(store, value)};
        rh_gradient partials;
        ok = row.rest.i != 0 &&
             rh__expr_gradient(store, value, RH_ROLE_VELOCITY, scratch, &partials);
        for (uint32_t k = 0; ok && k < partials.count; k++) {
            ok = add_term(basis, &row, rh__marks_find(&column, partials.data[k].symbol) - 1,
                          rh__derive_fold(basis->forming->equations, partials.data[k].value));
        }
        ok = ok && add_term(basis, &row, basis->n + j, rh__expr_integer(store, -1));
        rh_eliminated result = RH_ELIMINATED_NOTHING;
        if (ok && !(basis->is_for_motion && holds_condition(basis, value))) {
            RH_TRY(rh__elimination_use(&basis->elimination, &row, &result));
        }
        basis->is_quasi[j] = result == RH_ELIMINATED;
    }
    return ok ? RH_OK : rh__forming_refused(basis->forming);
}

// --- variables -----------------------------------------------------------------------------------

static bool add_variable(rh_basis *basis, uint32_t column, rh_expr variable, rh_expr rate)
{
    rh_arena *arena = &basis->forming->scratch;
    if (column != UINT32_MAX) {
        basis->place[column] = basis->variables.count;
    }
    return rh__array_push(arena, &basis->variables, variable) &&
           rh__array_push(arena, &basis->rates, rate);
}

static bool find_variables(rh_basis *basis)
{
    const rh_equations *equations = basis->forming->equations;
    const uint32_t columns = basis->elimination.column_count;
    bool ok = true;
    basis->place = rh__arena_array(&basis->forming->scratch, uint32_t, (size_t)columns + 1);
    for (uint32_t k = 0; basis->place != NULL && k < columns; k++) {
        basis->place[k] = UINT32_MAX;
    }
    ok = basis->place != NULL;
    for (uint32_t j = 0; ok && j < basis->quasi_count; j++) {
        const rh_quasi *quasi = &equations->model->quasis.data[j];
        ok = !basis->is_quasi[j] ||
             add_variable(basis, basis->n + j,
                          rh__expr_symbol(equations->store, quasi->symbol, quasi->row.member),
                          rh__expr_symbol(equations->store, quasi->rate, quasi->row.member));
    }
    for (uint32_t k = 0; ok && k < equations->carriers.count; k++) {
        const rh_carrier *carrier = &equations->carriers.data[k];
        ok = (k < basis->n && basis->elimination.is_solved[k]) ||
             add_variable(basis, k < basis->n ? k : UINT32_MAX, carrier->variable, carrier->rate);
    }
    return ok;
}

// One carrier through the variables.
static bool find_carrier(rh_basis *basis, uint32_t k, uint32_t own)
{
    const rh_equations *equations = basis->forming->equations;
    rh_store *store = equations->store;
    rh_linear *form = &basis->carrier[k];
    const bool is_solved = k < basis->n && basis->elimination.is_solved[k];
    form->rest = rh__expr_integer(store, 0);
    basis->drift[k] = form->rest;
    basis->velocity[k] = equations->carriers.data[k].variable;
    if (!is_solved) {
        return add_term(basis, form, own, rh__expr_integer(store, 1));
    }
    const rh_linear *solved = &basis->elimination.solved[k];
    rh_expr sum = form->rest = solved->rest;
    bool ok = true;
    for (uint32_t j = 0; ok && j < solved->terms.count; j++) {
        const uint32_t place = basis->place[solved->terms.data[j].column];
        RH_ASSERT(place == UINT32_MAX || place < basis->variables.count);
        if (place == UINT32_MAX) {
            continue; // a slack
        }
        ok = add_term(basis, form, place, solved->terms.data[j].value);
        sum = rh__expr_add(
            store, sum,
            rh__expr_multiply(store, solved->terms.data[j].value, basis->variables.data[place]));
    }
    basis->velocity[k] = rh__derive_fold(basis->forming->equations, sum);
    return ok && rh__marks_put(&basis->forming->scratch, &basis->replaced,
                               equations->carriers.data[k].variable, k);
}

static rh_expr rate_through(void *user, rh_store *store, rh_expr symbol)
{
    RH_ASSERT(rh__expr_op(store, symbol) == RH_OP_SYMBOL);
    rh_basis *basis = user;
    const rh_equations *equations = basis->forming->equations;
    const uint32_t mask = rh__expr_mask(store, symbol);
    const uint32_t position = rh__marks_find(&basis->position, symbol);
    const uint32_t passive = rh__marks_find(&basis->passive, symbol);
    if ((mask & RH_ROLE_TIME) != 0) {
        return rh__expr_integer(store, 1);
    }
    if (position != 0) {
        return basis->velocity[position - 1];
    }
    if (passive != 0) {
        return rh__basis_put(basis, equations->passives.data[passive - 1].value);
    }
    return (mask & RH_ROLE_INPUT) != 0
               ? rh__basis_put(basis, rh__derive_input_rate(equations, symbol))
               : rh__expr_integer(store, 0);
}

static bool find_carriers(rh_basis *basis)
{
    rh_equations *equations = basis->forming->equations;
    rh_arena *scratch = &basis->forming->scratch;
    const uint32_t count = equations->carriers.count;
    basis->carrier = rh__arena_array(scratch, rh_linear, (size_t)count + 1);
    basis->velocity = rh__arena_array(scratch, rh_expr, (size_t)count + 1);
    basis->drift = rh__arena_array(scratch, rh_expr, (size_t)count + 1);
    bool ok = basis->carrier != NULL && basis->velocity != NULL && basis->drift != NULL;
    uint32_t own = 0;
    for (uint32_t j = 0; ok && j < basis->quasi_count; j++) {
        own += basis->is_quasi[j];
    }
    for (uint32_t k = 0; ok && k < count; k++) {
        const bool is_solved = k < basis->n && basis->elimination.is_solved[k];
        RH_ASSERT(is_solved || own < basis->variables.count);
        ok = find_carrier(basis, k, own);
        own += !is_solved;
        ok = ok &&
             (equations->carriers.data[k].position.i == 0 ||
              rh__marks_put(scratch, &basis->position, equations->carriers.data[k].position, k));
    }
    for (uint32_t k = 0; ok && k < equations->passives.count; k++) {
        ok = rh__marks_put(scratch, &basis->passive, equations->passives.data[k].variable, k);
    }
    basis->along =
        ok ? rh__derivation_create(equations->store, scratch, rate_through, basis) : NULL;
    for (uint32_t k = 0; basis->along != NULL && k < basis->n; k++) {
        if (basis->elimination.is_solved[k]) {
            basis->drift[k] =
                rh__derive_fold(equations, rh__derivation_apply(basis->along, basis->velocity[k]));
        }
    }
    return basis->along != NULL;
}

rh_status rh__basis_create(rh_forming *forming, rh_pivoting pivoting, bool has_constraints,
                           const rh_point *sample, rh_basis *out)
{
    const rh_equations *equations = forming->equations;
    *out = (rh_basis){.forming = forming,
                      .is_for_motion = forming->form->kind == RH_FORM_REDUCED,
                      .n = equations->coordinate_count,
                      .quasi_count = has_constraints ? equations->model->quasis.count : 0};
    out->elimination = (rh_elimination){
        .forming = forming, .pivoting = pivoting, .sample = sample, .sizes = equations->speeds};
    out->is_gone = rh__arena_array(&forming->scratch, bool, (size_t)equations->links.count + 1);
    out->is_quasi = rh__arena_array(&forming->scratch, bool, (size_t)out->quasi_count + 1);
    if (out->is_gone == NULL || out->is_quasi == NULL) {
        return forming->scratch.status;
    }
    RH_TRY(rh__elimination_begin(&out->elimination, out->n,
                                 out->n + out->quasi_count + equations->links.count));
    if (has_constraints && !equations->keeps_links) {
        RH_TRY(use_links(out));
    }
    if (has_constraints) {
        RH_TRY(use_quasis(out));
    }
    return find_variables(out) && find_carriers(out) ? RH_OK : rh__forming_refused(forming);
}

static rh_expr replace(void *user, rh_store *store, rh_expr symbol)
{
    (void)store;
    const rh_basis *basis = user;
    const uint32_t at = rh__marks_find(&basis->replaced, symbol);
    RH_ASSERT(at <= basis->forming->equations->carriers.count);
    return at == 0 ? symbol : basis->velocity[at - 1];
}

rh_expr rh__basis_put(rh_basis *basis, rh_expr e)
{
    rh_store *store = basis->forming->store;
    return e.i == 0 || (rh__expr_mask(store, e) & RH_ROLE_VELOCITY) == 0
               ? e
               : rh__expr_substitute(store, e, replace, basis);
}

// --- the form ------------------------------------------------------------------------------------

static bool add_definitions(rh_basis *basis)
{
    rh_forming *forming = basis->forming;
    const rh_equations *equations = forming->equations;
    RH_ASSERT(basis->rates.count == basis->variables.count);
    rh_form *form = forming->form;
    bool ok = true;
    for (uint32_t j = 0; ok && j < basis->quasi_count; j++) {
        const rh_quasi *quasi = &equations->model->quasis.data[j];
        ok = !basis->is_quasi[j] ||
             rh__forming_push(forming, &form->basis,
                              rh__expr_symbol(forming->store, quasi->symbol, quasi->row.member),
                              quasi->value);
    }
    for (uint32_t k = 0; ok && k < basis->n; k++) {
        ok = !basis->elimination.is_solved[k] ||
             rh__forming_push(forming, &form->velocities, equations->carriers.data[k].variable,
                              basis->velocity[k]);
    }
    for (uint32_t k = 0; k < form->passives.count; k++) {
        form->passives.data[k].value =
            rh__derive_fold(forming->equations, rh__basis_put(basis, form->passives.data[k].value));
    }
    for (uint32_t k = 0; ok && k < basis->rates.count; k++) {
        ok = rh__forming_rate(forming, basis->variables.data[k], basis->rates.data[k]);
    }
    form->pivots = basis->elimination.pivots;
    return ok;
}

static bool is_left(const rh_basis *basis, uint32_t link)
{
    RH_ASSERT(link < basis->forming->equations->links.count);
    return rh__link_is_enforced(&basis->forming->equations->links.data[link]) &&
           !basis->is_gone[link];
}

// -Z^T B lambda into the equations of motion.
static bool add_pushes(rh_basis *basis, uint32_t link, uint32_t column)
{
    rh_forming *forming = basis->forming;
    const rh_grid *push = &forming->equations->push;
    bool ok = true;
    for (uint32_t k = push->begin[link]; ok && k < push->begin[link + 1]; k++) {
        const rh_entry *entry = &push->entries.data[k];
        RH_ASSERT(entry->row == link);
        const rh_linear *carrier = &basis->carrier[entry->column];
        const rh_expr value = rh__expr_negate(forming->store, rh__basis_put(basis, entry->value));
        for (uint32_t j = 0; ok && j < carrier->terms.count; j++) {
            ok = rh__grid_push(
                forming->arena, &forming->form->matrix, carrier->terms.data[j].column, column,
                rh__expr_multiply(forming->store, value, carrier->terms.data[j].value));
        }
    }
    return ok;
}

// C Z u' = Y - gamma - C drift
static bool add_constraint(rh_basis *basis, uint32_t link)
{
    RH_ASSERT(is_left(basis, link));
    rh_forming *forming = basis->forming;
    rh_store *store = forming->store;
    const rh_grid *rows = &forming->equations->rows;
    rh_expr right = rh__basis_put(basis, rh__forming_target(forming, link));
    for (uint32_t k = rows->begin[link]; k < rows->begin[link + 1]; k++) {
        const rh_entry *entry = &rows->entries.data[k];
        right = rh__expr_subtract(store, right,
                                  rh__expr_multiply(store, rh__basis_put(basis, entry->value),
                                                    basis->drift[entry->column]));
    }
    bool ok = rh__forming_row(forming, rh__derive_fold(forming->equations, right), link + 1);
    for (uint32_t k = rows->begin[link]; ok && k < rows->begin[link + 1]; k++) {
        const rh_entry *entry = &rows->entries.data[k];
        const rh_expr value = rh__basis_put(basis, entry->value);
        const rh_linear *carrier = &basis->carrier[entry->column];
        for (uint32_t j = 0; ok && j < carrier->terms.count; j++) {
            ok = rh__forming_entry(forming, carrier->terms.data[j].column,
                                   rh__expr_multiply(store, value, carrier->terms.data[j].value));
        }
    }
    return ok;
}

static bool add_left_links(rh_basis *basis)
{
    const uint32_t links = basis->forming->equations->links.count;
    bool ok = true;
    for (uint32_t link = 0; ok && link < links; link++) {
        if (is_left(basis, link)) {
            const uint32_t column = basis->forming->form->unknowns.count;
            ok = rh__forming_unknown(basis->forming,
                                     basis->forming->equations->links.data[link].multiplier) &&
                 add_pushes(basis, link, column);
        }
    }
    for (uint32_t link = 0; ok && link < links; link++) {
        ok = !is_left(basis, link) || add_constraint(basis, link);
    }
    return ok;
}

// --- what left the system ------------------------------------------------------------------------

static bool add_rates(rh_basis *basis)
{
    rh_forming *forming = basis->forming;
    rh_store *store = forming->store;
    bool ok = true;
    for (uint32_t k = 0; ok && k < basis->n; k++) {
        if (!basis->elimination.is_solved[k]) {
            continue;
        }
        rh_expr sum = basis->drift[k];
        const rh_linear *carrier = &basis->carrier[k];
        for (uint32_t j = 0; j < carrier->terms.count; j++) {
            sum = rh__expr_add(store, sum,
                               rh__expr_multiply(store, carrier->terms.data[j].value,
                                                 basis->rates.data[carrier->terms.data[j].column]));
        }
        ok = rh__forming_push(forming, &forming->form->outputs,
                              forming->equations->carriers.data[k].rate, sum);
    }
    return ok;
}

// M y' - h - B lambda of one carrier, without the links that left.
static rh_expr unbalanced(rh_basis *basis, uint32_t carrier)
{
    rh_forming *forming = basis->forming;
    const rh_equations *equations = forming->equations;
    rh_store *store = forming->store;
    rh_expr sum = rh__expr_negate(store, rh__basis_put(basis, rh__forming_force(forming, carrier)));
    const rh_grid *inertia = &equations->inertia;
    for (uint32_t k = inertia->begin[carrier]; k < inertia->begin[carrier + 1]; k++) {
        const rh_entry *entry = &inertia->entries.data[k];
        sum = rh__expr_add(store, sum,
                           rh__expr_multiply(store, rh__basis_put(basis, entry->value),
                                             equations->carriers.data[entry->column].rate));
    }
    for (uint32_t link = 0; link < equations->links.count; link++) {
        const rh_expr push =
            is_left(basis, link) ? rh__grid_at(&equations->push, link, carrier) : RH_EXPR_NONE;
        if (push.i != 0) {
            sum = rh__expr_subtract(store, sum,
                                    rh__expr_multiply(store, rh__basis_put(basis, push),
                                                      equations->links.data[link].multiplier));
        }
    }
    return sum;
}

// lambda = W2^T (M y' - h - B lambda of the others), W2 = d v / d slack
static bool add_multipliers(rh_basis *basis)
{
    rh_forming *forming = basis->forming;
    const rh_equations *equations = forming->equations;
    rh_store *store = forming->store;
    rh_expr *sums = rh__arena_array(&forming->scratch, rh_expr, (size_t)equations->links.count + 1);
    bool ok = sums != NULL;
    const uint32_t first = basis->n + basis->quasi_count;
    for (uint32_t k = 0; ok && k < basis->n; k++) {
        const rh_linear *solved = &basis->elimination.solved[k];
        rh_expr balance = RH_EXPR_NONE;
        for (uint32_t j = 0; ok && basis->elimination.is_solved[k] && j < solved->terms.count;
             j++) {
            const rh_term *term = &solved->terms.data[j];
            RH_ASSERT(term->column < first + equations->links.count);
            if (term->column < first) {
                continue;
            }
            balance = balance.i != 0 ? balance : unbalanced(basis, k);
            rh_expr *sum = &sums[term->column - first];
            const rh_expr part = rh__expr_multiply(store, term->value, balance);
            *sum = sum->i == 0 ? part : rh__expr_add(store, *sum, part);
        }
    }
    for (uint32_t link = 0; ok && link < equations->links.count; link++) {
        const rh_link *it = &equations->links.data[link];
        const rh_expr value = basis->is_gone[link]        ? sums[link]
                              : !rh__link_is_enforced(it) ? rh__basis_put(basis, it->given)
                                                          : RH_EXPR_NONE;
        ok = value.i == 0 ||
             rh__forming_push(forming, &forming->form->outputs, it->multiplier, value);
    }
    return ok;
}

bool rh__basis_square(rh_basis *basis, const rh_grid *grid)
{
    rh_forming *forming = basis->forming;
    rh_store *store = forming->store;
    bool ok = true;
    for (uint32_t k = 0; ok && k < grid->entries.count; k++) {
        const rh_entry *entry = &grid->entries.data[k];
        const rh_expr value = rh__basis_put(basis, entry->value);
        const rh_linear *left = &basis->carrier[entry->row];
        const rh_linear *right = &basis->carrier[entry->column];
        for (uint32_t a = 0; ok && a < left->terms.count; a++) {
            for (uint32_t b = 0; ok && b < right->terms.count; b++) {
                const rh_expr factors[] = {left->terms.data[a].value, value,
                                           right->terms.data[b].value};
                ok = rh__grid_push(forming->arena, &forming->form->matrix,
                                   left->terms.data[a].column, right->terms.data[b].column,
                                   rh__expr_product(store, factors, 3));
            }
        }
    }
    return ok;
}

rh_status rh__basis_form(rh_basis *basis, bool (*add_motion)(rh_basis *basis))
{
    const bool ok = add_definitions(basis) && add_motion(basis) && add_left_links(basis) &&
                    add_rates(basis) && add_multipliers(basis);
    return ok ? RH_OK : rh__forming_refused(basis->forming);
}
