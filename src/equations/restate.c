// SPDX-License-Identifier: Apache-2.0
// First-order equations in the variables of `change`. With y = Y(x, t), tau = T(t) and their
// inverse x = X(y, tau), t = S(tau), W x' = h + B lambda becomes, a prime now being d/dtau,
//     y' - S' (Y_x W^-1 B) lambda = S' (Y_x W^-1 h + Y_t)    with X and S put in,
//     C X_y y' = S' (Y - gamma) - C X_tau.
// That this is the same system is shown the other way round, with the derivatives of X instead of
// those of Y: X_y y' + X_tau = S' x'. States that the inverse does not give keep their names.

#include "equations/form.h"

#include <math.h>

typedef struct rate_family {
    rh_family of, made;
} rate_family;

typedef struct restating {
    rh_forming *forming;
    rh_equations *equations;
    const rh_model *model;
    rh_store *store;
    rh_restated *out;
    rh_placed placed;
    rh_expr time;                // t
    rh_expr pace;                // S'
    rh_marks there;              // old variable -> its place in `inverse`
    rh_marks column;             // variable of the new system -> its column
    rh_marks state;              // old state -> carrier, or carriers + passive
    RH_ARRAY(rate_family) rates; // of the families of variables
    rh_expr_list image;          // by column: Y
} restating;

// --- putting in ----------------------------------------------------------------------------------

static rh_expr insert_inverse(void *user, rh_store *store, rh_expr symbol)
{
    const restating *in = user;
    (void)store;
    const uint32_t at = rh__marks_find(&in->there, symbol);
    return at != 0 ? in->model->inverse.data[at - 1].value : symbol;
}

static rh_expr put(restating *in, rh_expr e)
{
    return e.i == 0 ? e : rh__expr_substitute(in->store, e, insert_inverse, in);
}

static rh_expr fold(restating *in, rh_expr e)
{
    return rh__forming_shorten(in->forming, e);
}

typedef struct near_start {
    const rh_point *start;
    uint64_t seed;
} near_start;

static double near_value(const void *user, const rh_store *store, rh_expr symbol)
{
    enum { NEAR = 1024 };
    const near_start *here = user;
    const double value = rh__point_value(here->start, store, symbol);
    const uint64_t bits = rh__hash_mix(here->seed ^ ((uint64_t)symbol.i << 20));
    const double step = ((double)(bits >> 11) * 0x1p-53 - 0.5) / NEAR;
    const bool moves = (rh__expr_mask(store, symbol) & RH_EXPR_VARIABLE) != 0;
    return moves ? value + step * fmax(fabs(value), 1.0) : value;
}

// At random points around the start, where the branch is the right one.
static rh_vanishing judge_near_start(restating *in, rh_expr e)
{
    enum { POINTS = 16 };
    uint32_t zeros = 0;
    if (!in->placed.has_start &&
        (rh__placed_start(in->forming, &in->placed) != RH_OK || !in->placed.has_start)) {
        return RH_VANISHING_NO;
    }
    for (uint32_t k = 0; k < POINTS; k++) {
        const near_start here = {&in->placed.start.point, rh__hash_mix(k + 1)};
        const rh_zero_at found =
            rh__expr_zero_at(in->store, e, near_value, &here, &in->forming->scratch);
        if (found == RH_ZERO_AT_NO || found == RH_ZERO_AT_REFUSED) {
            return RH_VANISHING_NO;
        }
        zeros += found == RH_ZERO_AT_YES;
    }
    return zeros > 0 ? RH_VANISHING_SAMPLED : RH_VANISHING_NO;
}

// Is it zero with the signs of the branch, whatever other signs are?
static bool vanishes_on_branch(restating *in, rh_expr e)
{
    const uint32_t first = in->placed.signs.count;
    uint32_t most = 0;
    bool result = true;
    for (uint32_t choice = 0; result && choice < 1u << most; choice++) {
        rh_unfolding signs = in->placed.signs;
        signs.choice = choice << first;
        const rh_expr open =
            rh__forming_explain(in->forming, rh__expr_unfold(in->store, e, &signs));
        result = open.i != 0 && (rh__expr_is_zero(in->store, open) ||
                                 rh__folder_is_zero(in->equations->folder, open));
        most = signs.count - first > most ? signs.count - first : most;
    }
    return result;
}

static rh_vanishing judge(restating *in, rh_expr e)
{
    const rh_expr plain = rh__forming_explain(in->forming, e);
    if (plain.i == 0) {
        return RH_VANISHING_NO;
    }
    if (rh__expr_is_zero(in->store, plain) || rh__folder_is_zero(in->equations->folder, plain)) {
        return RH_VANISHING_PROVED;
    }
    // in the old variables roots open on the branch that was found, and numbers that are tried lie
    // in the range of the new ones
    const rh_expr old = rh__model_through_change(in->model, e);
    if (old.i == 0) {
        return RH_VANISHING_NO;
    }
    if (vanishes_on_branch(in, old)) {
        return RH_VANISHING_PROVED;
    }
    const rh_vanishing anywhere =
        in->placed.has_start && in->out->branches.count > 0
            ? RH_VANISHING_NO
            : rh__expr_vanishes(in->store, old, rh__values_parameter, &in->model->values,
                                &in->forming->scratch);
    return anywhere != RH_VANISHING_NO ? anywhere : judge_near_start(in, old);
}

static void note(rh_vanishing *worst, rh_vanishing found)
{
    *worst = found < *worst ? found : *worst;
}

// --- variables -----------------------------------------------------------------------------------

// The rate by the new time is a symbol of its own, though it looks like the old one. Members of an
// array stay members of one, so that rows of a loop are seen to be such.
static rh_expr rate_of(restating *in, rh_expr variable)
{
    const rh_family of = rh__expr_family(in->store, variable);
    rh_family made = {0};
    for (uint32_t k = 0; k < in->rates.count; k++) {
        made = in->rates.data[k].of.i == of.i ? in->rates.data[k].made : made;
    }
    if (made.i == 0) {
        rh_family_def def = *rh__family_def(in->store, of);
        def.primes = (uint8_t)(def.primes + 1);
        def.mask = RH_EXPR_VARIABLE | RH_ROLE_LOCAL;
        made = rh__family_create(in->store, &def);
        const rate_family rates = {of, made};
        if (made.i == 0 || !rh__array_push(&in->forming->scratch, &in->rates, rates)) {
            return RH_EXPR_NONE;
        }
    }
    return rh__expr_symbol(in->store, made, rh__expr_member(in->store, variable));
}

static bool add_variable(restating *in, rh_expr variable, rh_expr image)
{
    rh_forming *forming = in->forming;
    const rh_expr rate = rate_of(in, variable);
    return rate.i != 0 &&
           rh__marks_put(&forming->scratch, &in->column, variable, in->image.count) &&
           rh__array_push(&forming->scratch, &in->image, image) &&
           rh__forming_rate(forming, variable, rate);
}

static rh_expr state_at(const restating *in, uint32_t k)
{
    const uint32_t carriers = in->equations->carriers.count;
    return k < carriers ? in->equations->carriers.data[k].variable
                        : in->equations->passives.data[k - carriers].variable;
}

static uint32_t count_states(const restating *in)
{
    return in->equations->carriers.count + in->equations->passives.count;
}

// New names in their order, then the states that keep theirs.
static bool add_variables(restating *in)
{
    const rh_model *model = in->model;
    rh_arena *scratch = &in->forming->scratch;
    bool ok = true;
    for (uint32_t k = 0; ok && k < model->inverse.count; k++) {
        const rh_exchange *exchange = &model->inverse.data[k];
        ok = rh__marks_put(scratch, &in->there, exchange->target, k) &&
             rh__forming_push(in->forming, &in->out->back, exchange->target, exchange->value);
        if (ok && exchange->target.i == in->time.i) {
            rh_expr_list names = {0};
            ok = rh__expr_symbols(in->store, exchange->value, RH_ROLE_LOCAL, scratch, &names);
            RH_ASSERT(!ok || names.count == 1); // the model saw to it
            in->out->time = ok ? names.data[0] : in->time;
            in->pace = rh__expr_differentiate(in->store, exchange->value, in->out->time);
        }
    }
    for (uint32_t k = 0; ok && k < model->change.count; k++) {
        const rh_exchange *exchange = &model->change.data[k];
        ok = rh__forming_push(in->forming, &in->out->fresh, exchange->target, exchange->value) &&
             (exchange->target.i == in->out->time.i ||
              add_variable(in, exchange->target, exchange->value));
    }
    for (uint32_t k = 0; ok && k < count_states(in); k++) {
        const rh_expr state = state_at(in, k);
        ok = rh__marks_put(scratch, &in->state, state, k) &&
             (rh__marks_find(&in->there, state) != 0 || add_variable(in, state, state));
    }
    return ok;
}

// --- motion --------------------------------------------------------------------------------------

// x' of an old state without reactions, in the old variables.
static rh_expr drift_of(restating *in, uint32_t state)
{
    const rh_equations *equations = in->equations;
    if (state >= equations->carriers.count) {
        return equations->passives.data[state - equations->carriers.count].value;
    }
    return rh__expr_divide(in->store, rh__forming_force(in->forming, state),
                           rh__grid_at(&equations->inertia, state, state));
}

// The share of a multiplier in x'; none: it does not act there.
static rh_expr share_of(restating *in, uint32_t state, uint32_t link)
{
    const rh_equations *equations = in->equations;
    const rh_expr push = state < equations->carriers.count
                             ? rh__grid_at(&equations->push, link, state)
                             : RH_EXPR_NONE;
    return push.i == 0
               ? push
               : rh__expr_divide(in->store, push, rh__grid_at(&equations->inertia, state, state));
}

// d/dt of what is neither a variable nor a parameter: time itself, inputs.
static rh_expr outer_rate(const restating *in, rh_expr symbol)
{
    if (symbol.i == in->time.i) {
        return rh__expr_integer(in->store, 1);
    }
    const rh_expr rate = rh__derive_input_rate(in->equations, symbol);
    return rate.i != 0 ? rate : rh__expr_integer(in->store, 0);
}

// y' of one column: its right side, and the coefficients of multipliers.
static bool add_motion(restating *in, uint32_t column)
{
    rh_store *store = in->store;
    rh_forming *forming = in->forming;
    const rh_form *form = forming->form;
    rh_gradient partials;
    bool ok = rh__expr_gradient(store, in->image.data[column], RH_EXPR_VARIABLE, &forming->scratch,
                                &partials);
    rh_expr sum = rh__expr_integer(store, 0);
    for (uint32_t k = 0; ok && k < partials.count; k++) {
        const uint32_t state = rh__marks_find(&in->state, partials.data[k].symbol);
        const rh_expr rate =
            state != 0 ? drift_of(in, state - 1) : outer_rate(in, partials.data[k].symbol);
        sum = rh__expr_add(store, sum, rh__expr_multiply(store, partials.data[k].value, rate));
    }
    sum = fold(in, rh__expr_multiply(store, in->pace, put(in, sum)));
    ok = ok && rh__forming_row(forming, sum, 0) &&
         rh__forming_entry(forming, column, rh__expr_integer(store, 1));
    for (uint32_t link = 0, at = form->rate_count; ok && link < in->equations->links.count;
         link++) {
        if (!rh__link_is_enforced(&in->equations->links.data[link])) {
            continue;
        }
        rh_expr share = rh__expr_integer(store, 0);
        for (uint32_t k = 0; k < partials.count; k++) {
            const uint32_t state = rh__marks_find(&in->state, partials.data[k].symbol);
            const rh_expr part = state != 0 ? share_of(in, state - 1, link) : RH_EXPR_NONE;
            share = part.i == 0
                        ? share
                        : rh__expr_add(store, share,
                                       rh__expr_multiply(store, partials.data[k].value, part));
        }
        share = fold(in, rh__expr_multiply(store, in->pace, put(in, share)));
        ok = rh__forming_entry(forming, at++, rh__expr_negate(store, share));
    }
    return ok;
}

static bool add_multipliers(restating *in)
{
    bool ok = true;
    for (uint32_t k = 0; ok && k < in->equations->links.count; k++) {
        const rh_link *link = &in->equations->links.data[k];
        ok = rh__link_is_enforced(link)
                 ? rh__forming_unknown(in->forming, link->multiplier)
                 : rh__forming_push(in->forming, &in->forming->form->outputs, link->multiplier,
                                    fold(in, put(in, link->given)));
    }
    return ok;
}

// --- the way back --------------------------------------------------------------------------------

// d/dtau of an old state: adds `factor` times its coefficients of y' to `entries`, by column, and
// gives the rest, X_tau.
static bool go_back(restating *in, rh_expr state, rh_expr factor, rh_expr *entries,
                    rh_expr *out_rest)
{
    rh_store *store = in->store;
    rh_gradient partials;
    if (!rh__expr_gradient(store, put(in, state), RH_EXPR_VARIABLE, &in->forming->scratch,
                           &partials)) {
        return false;
    }
    *out_rest = rh__expr_integer(store, 0);
    for (uint32_t k = 0; k < partials.count; k++) {
        const rh_partial *partial = &partials.data[k];
        const uint32_t column = rh__marks_find(&in->column, partial->symbol);
        if (column != 0) {
            entries[column - 1] = rh__expr_add(store, entries[column - 1],
                                               rh__expr_multiply(store, factor, partial->value));
            continue;
        }
        const rh_expr rate =
            partial->symbol.i == in->out->time.i
                ? rh__expr_integer(store, 1)
                : rh__expr_multiply(store, in->pace, put(in, outer_rate(in, partial->symbol)));
        *out_rest = rh__expr_add(store, *out_rest, rh__expr_multiply(store, partial->value, rate));
    }
    return true;
}

static rh_expr *new_entries(restating *in)
{
    const uint32_t count = in->image.count;
    rh_expr *entries = rh__arena_array(&in->forming->scratch, rh_expr, (size_t)count + 1);
    for (uint32_t k = 0; entries != NULL && k < count; k++) {
        entries[k] = rh__expr_integer(in->store, 0);
    }
    return entries;
}

static bool add_constraint(restating *in, uint32_t link)
{
    rh_store *store = in->store;
    const rh_grid *rows = &in->equations->rows;
    rh_expr *entries = new_entries(in);
    rh_expr sum =
        rh__expr_multiply(store, in->pace, put(in, rh__forming_target(in->forming, link)));
    bool ok = entries != NULL;
    for (uint32_t k = rows->begin[link]; ok && k < rows->begin[link + 1]; k++) {
        const rh_expr factor = put(in, rows->entries.data[k].value);
        rh_expr rest = RH_EXPR_NONE;
        ok = go_back(in, in->equations->carriers.data[rows->entries.data[k].column].variable,
                     factor, entries, &rest);
        sum = rh__expr_subtract(store, sum, rh__expr_multiply(store, factor, rest));
    }
    ok = ok && rh__forming_row(in->forming, fold(in, sum), link + 1);
    for (uint32_t k = 0; ok && k < in->image.count; k++) {
        ok = rh__forming_entry(in->forming, k, fold(in, entries[k]));
    }
    return ok;
}

static bool add_constraints(restating *in)
{
    const rh_equations *equations = in->equations;
    in->out->levels = rh__arena_array(in->forming->arena, rh_expr *, equations->links.count);
    bool ok = equations->links.count == 0 || in->out->levels != NULL;
    for (uint32_t k = 0; ok && k < equations->links.count; k++) {
        const rh_link *link = &equations->links.data[k];
        in->out->levels[k] = rh__arena_array(in->forming->arena, rh_expr, link->level_count);
        ok = in->out->levels[k] != NULL;
        for (uint32_t j = 0; ok && j < link->level_count; j++) {
            in->out->levels[k][j] = fold(in, put(in, link->levels[j]));
        }
        ok = ok && (!rh__link_is_enforced(link) || add_constraint(in, k));
    }
    return ok;
}

// --- is it the same? -----------------------------------------------------------------------------

// y' of a column as the rows have it, multipliers included.
static rh_expr rate_at(const restating *in, uint32_t column)
{
    rh_store *store = in->store;
    const rh_form *form = in->forming->form;
    rh_expr sum = in->forming->right.data[column];
    for (uint32_t k = 0; k < form->matrix.entries.count; k++) {
        const rh_entry *entry = &form->matrix.entries.data[k];
        if (entry->row == column && entry->column >= form->rate_count) {
            sum = rh__expr_subtract(
                store, sum,
                rh__expr_multiply(store, entry->value, form->unknowns.data[entry->column]));
        }
    }
    return sum;
}

// S' x' as the model has it.
static rh_expr known_rate(restating *in, uint32_t state)
{
    rh_store *store = in->store;
    rh_expr sum = drift_of(in, state);
    for (uint32_t k = 0; k < in->equations->links.count; k++) {
        const rh_link *link = &in->equations->links.data[k];
        const rh_expr share = rh__link_is_enforced(link) ? share_of(in, state, k) : RH_EXPR_NONE;
        sum = share.i == 0
                  ? sum
                  : rh__expr_add(store, sum, rh__expr_multiply(store, share, link->multiplier));
    }
    return rh__expr_multiply(store, in->pace, put(in, sum));
}

static bool compare_state(restating *in, uint32_t state)
{
    rh_store *store = in->store;
    const rh_mark mark = rh__arena_mark(&in->forming->scratch);
    rh_expr *entries = new_entries(in);
    rh_expr sum = RH_EXPR_NONE;
    if (entries == NULL ||
        !go_back(in, state_at(in, state), rh__expr_integer(store, 1), entries, &sum)) {
        return false;
    }
    for (uint32_t k = 0; k < in->image.count; k++) {
        if (!rh__expr_is_zero(store, entries[k])) {
            sum = rh__expr_add(store, sum, rh__expr_multiply(store, entries[k], rate_at(in, k)));
        }
    }
    sum = rh__expr_subtract(store, sum, known_rate(in, state));
    note(&in->out->equal, judge(in, sum));
    rh__arena_rewind(&in->forming->scratch, mark);
    return sum.i != 0;
}

static bool compare(restating *in)
{
    // X(Y(x)) = x gives Y(X(y)) = y for all y = Y(x) there
    in->out->inverted =
        in->out->leading == RH_VANISHING_NO ? RH_VANISHING_PROVED : in->out->leading;
    in->out->equal = RH_VANISHING_PROVED;
    for (uint32_t k = 0; in->out->leading != RH_VANISHING_PROVED && k < in->model->change.count;
         k++) {
        const rh_exchange *exchange = &in->model->change.data[k];
        note(&in->out->inverted,
             judge(in, rh__expr_subtract(in->store, put(in, exchange->value), exchange->target)));
    }
    bool ok = true;
    for (uint32_t k = 0; ok && k < count_states(in); k++) {
        ok = compare_state(in, k);
    }
    return ok;
}

// --- making --------------------------------------------------------------------------------------

// What rates were divided by.
static bool add_pivots(restating *in)
{
    bool ok = true;
    for (uint32_t k = 0; ok && k < in->equations->carriers.count; k++) {
        const rh_expr inertia = fold(in, put(in, rh__grid_at(&in->equations->inertia, k, k)));
        ok = (rh__expr_mask(in->store, inertia) & RH_EXPR_VARIABLE) == 0 ||
             rh__array_push(in->forming->arena, &in->forming->form->pivots, inertia);
    }
    return ok;
}

rh_status rh__form_changed(rh_forming *forming)
{
    rh_equations *equations = forming->equations;
    const rh_model *model = equations->model;
    if (model->change.count == 0) {
        return rh__error_fill(forming->err, RH_E_UNAVAILABLE,
                              "there is no form `changed`: the model has no `change`");
    }
    if (equations->coordinate_count > 0) {
        return rh__error_fill(forming->err, RH_E_UNAVAILABLE,
                              "there is no form `changed`: it is for states with laws, and this "
                              "model has coordinates");
    }
    rh_restated *out = rh__arena_new(forming->arena, rh_restated);
    if (out == NULL) {
        return forming->arena->status;
    }
    restating in = {.forming = forming,
                    .equations = equations,
                    .model = model,
                    .store = forming->store,
                    .out = out,
                    .time = rh__expr_symbol(forming->store, model->time, 0),
                    .pace = rh__expr_integer(forming->store, 1)};
    out->time = in.time;
    forming->form->restated = out;
    forming->form->passives.count = 0; // they are rows like all others
    RH_TRY(rh__restated_place(forming, out, &in.placed));
    bool ok = add_variables(&in) && add_multipliers(&in);
    for (uint32_t k = 0; ok && k < in.image.count; k++) {
        ok = add_motion(&in, k);
    }
    ok = ok && compare(&in) && add_constraints(&in) && add_pivots(&in);
    const rh_status refused = rh__forming_refused(forming);
    return ok || refused != RH_OK ? refused : RH_E_MEMORY;
}
