// SPDX-License-Identifier: Apache-2.0
// The linear form of a constraint: f(q, v, t) that is not linear in velocities may still be
// a factor times a linear form, f = phi (w v + w_t), with w of coordinates and time alone. Where
// phi is not zero both say the same. The form is a factor of the text, or the gradient by the
// velocities at rest; what it is not is told by numbers: the constraint keeps a function of
// coordinates only if, at one place, its gradient has one direction for all velocities it allows.

#include "analysis/examine.h"

#include <math.h>

#define NEARBY 0.02 // of the velocities: how far others are looked for
#define TURNED 1e-6 // an angle that is no rounding

// Velocities put to rest.
static rh_expr at_rest(void *user, rh_store *store, rh_expr symbol)
{
    (void)user;
    return (rh__expr_mask(store, symbol) & RH_ROLE_VELOCITY) != 0 ? rh__expr_integer(store, 0)
                                                                  : symbol;
}

static rh_expr level_of(const rh_checkup *checkup, uint32_t link)
{
    const rh_link *it = &checkup->equations->links.data[link];
    RH_ASSERT(it->level_count > 0);
    return it->levels[it->level_count - 1];
}

// --- candidates ----------------------------------------------------------------------------------

typedef struct linear_form {
    rh_checkup *checkup;
    rh_arena *scratch;
    uint32_t link;
    rh_expr f;
    rh_expr form;   // w v + w_t
    rh_expr factor; // phi
} linear_form;

static bool is_free_of_velocities(const linear_form *in, rh_expr e)
{
    return (rh__expr_mask(in->checkup->equations->store, e) & RH_ROLE_VELOCITY) == 0;
}

static bool is_zero_at_start(const linear_form *in, rh_expr e)
{
    return rh__expr_zero_at(in->checkup->equations->store, e, rh__point_value,
                            &in->checkup->start.point, in->scratch) == RH_ZERO_AT_YES;
}

static bool is_linear(const linear_form *in, rh_expr e)
{
    rh_gradient partials;
    bool is = rh__expr_gradient(in->checkup->equations->store, e, RH_ROLE_VELOCITY, in->scratch,
                                &partials) &&
              partials.count > 0;
    for (uint32_t k = 0; is && k < partials.count; k++) {
        is = is_free_of_velocities(in, partials.data[k].value);
    }
    return is;
}

// A factor that vanishes at the start while the others do not.
static bool find_factor(linear_form *in)
{
    rh_store *store = in->checkup->equations->store;
    const rh_expr product = in->f;
    if (rh__expr_op(store, product) != RH_OP_MUL) {
        return false;
    }
    for (uint32_t k = 0; k < rh__expr_count(store, product); k++) {
        const rh_expr form = rh__expr_argument(store, product, k);
        const rh_expr factor = rh__expr_divide(store, product, form);
        if (is_linear(in, form) && is_zero_at_start(in, form) && factor.i != 0 &&
            !is_zero_at_start(in, factor)) {
            RH_ASSERT(is_free_of_velocities(in, in->f) == false);
            in->form = form;
            in->factor = factor;
            return true;
        }
    }
    return false;
}

typedef struct exchange {
    rh_expr symbol, value;
} exchange;

static rh_expr put_one(void *user, rh_store *store, rh_expr symbol)
{
    const exchange *it = user;
    (void)store;
    return symbol.i == it->symbol.i ? it->value : symbol;
}

// Does f vanish wherever the form does? `lead`: a velocity with its coefficient.
static bool follows_from(linear_form *in, rh_expr form, const rh_partial *lead)
{
    rh_store *store = in->checkup->equations->store;
    const rh_expr own = rh__expr_multiply(store, lead->value, lead->symbol);
    exchange solved = {lead->symbol,
                       rh__expr_divide(store, rh__expr_subtract(store, own, form), lead->value)};
    const rh_expr rest = rh__expr_substitute(store, in->f, put_one, &solved);
    return rest.i != 0 && rh__derive_vanishes(in->checkup->equations, rest, in->scratch);
}

// phi = f/(w v). Where f is linear in one velocity that is a quotient of coefficients.
static rh_expr find_quotient(const linear_form *in, rh_expr form)
{
    rh_equations *equations = in->checkup->equations;
    rh_store *store = equations->store;
    const rh_grid *rows = &equations->rows;
    for (uint32_t k = rows->begin[in->link]; k < rows->begin[in->link + 1]; k++) {
        const rh_entry *entry = &rows->entries.data[k];
        const rh_expr velocity = equations->carriers.data[entry->column].variable;
        const rh_expr w = rh__expr_differentiate(store, form, velocity);
        const rh_expr bend = rh__expr_differentiate(store, entry->value, velocity);
        if (w.i != 0 && !rh__expr_is_zero(store, w) && bend.i != 0 &&
            rh__expr_is_zero(store, bend)) {
            return rh__derive_fold(equations, rh__expr_divide(store, entry->value, w));
        }
    }
    return rh__derive_fold(equations, rh__expr_divide(store, in->f, form));
}

// The gradient at rest, where rest is allowed.
static bool find_at_rest(linear_form *in)
{
    rh_equations *equations = in->checkup->equations;
    rh_store *store = equations->store;
    const rh_grid *rows = &equations->rows;
    const rh_expr rest = rh__expr_substitute(store, in->f, at_rest, NULL);
    rh_partial lead = {RH_EXPR_NONE, RH_EXPR_NONE};
    rh_expr form = rh__expr_integer(store, 0);
    bool is_regular = false;
    if (rest.i == 0 || !rh__derive_vanishes(equations, rest, in->scratch)) {
        return false;
    }
    for (uint32_t k = rows->begin[in->link]; k < rows->begin[in->link + 1]; k++) {
        const rh_entry *entry = &rows->entries.data[k];
        const rh_expr velocity = equations->carriers.data[entry->column].variable;
        const rh_expr w =
            rh__derive_fold(equations, rh__expr_substitute(store, entry->value, at_rest, NULL));
        is_regular = is_regular || !is_zero_at_start(in, entry->value);
        if (w.i != 0 && !rh__expr_is_zero(store, w)) {
            lead = lead.symbol.i == 0 ? (rh_partial){velocity, w} : lead;
            form = rh__expr_add(store, form, rh__expr_multiply(store, w, velocity));
        }
    }
    if (!is_regular || lead.symbol.i == 0 || form.i == 0 || !follows_from(in, form, &lead)) {
        return false;
    }
    in->form = form;
    in->factor = find_quotient(in, form);
    return in->factor.i != 0;
}

// L with L^2 = d, as a linear form in velocities without a constant; none: RH_EXPR_NONE.
static rh_expr find_root(const linear_form *in, rh_expr d)
{
    rh_store *store = in->checkup->equations->store;
    rh_gradient partials;
    if (!rh__expr_gradient(store, d, RH_ROLE_VELOCITY, in->scratch, &partials)) {
        return RH_EXPR_NONE;
    }
    for (uint32_t k = 0; k < partials.count; k++) {
        const rh_expr twice = rh__derive_fold(
            in->checkup->equations,
            rh__expr_differentiate(store, partials.data[k].value, partials.data[k].symbol));
        if (twice.i == 0 || rh__expr_is_zero(store, twice) || !is_free_of_velocities(in, twice)) {
            continue;
        }
        const rh_expr two = rh__expr_integer(store, 2);
        const rh_expr lead = rh__expr_sqrt(store, rh__expr_divide(store, twice, two));
        const rh_expr root =
            rh__expr_divide(store, partials.data[k].value, rh__expr_multiply(store, two, lead));
        const rh_expr square = rh__expr_multiply(store, root, root);
        return root.i != 0 && square.i != 0 &&
                       rh__derive_vanishes(in->checkup->equations,
                                           rh__expr_subtract(store, d, square), in->scratch)
                   ? root
                   : RH_EXPR_NONE;
    }
    return RH_EXPR_NONE;
}

// f = A u^2 + B u + C in one velocity, whose discriminant is a square L^2, is the product of
// 2 A u + B - L and 2 A u + B + L: the branch of the start is the one that vanishes there.
static bool find_branch(linear_form *in)
{
    rh_equations *equations = in->checkup->equations;
    rh_store *store = equations->store;
    const rh_grid *rows = &equations->rows;
    for (uint32_t k = rows->begin[in->link]; k < rows->begin[in->link + 1]; k++) {
        const rh_entry *entry = &rows->entries.data[k];
        const rh_expr velocity = equations->carriers.data[entry->column].variable;
        const rh_expr twice =
            rh__derive_fold(equations, rh__expr_differentiate(store, entry->value, velocity));
        if (twice.i == 0 || rh__expr_is_zero(store, twice) || !is_free_of_velocities(in, twice)) {
            continue;
        }
        // (2 A u + B)^2 - 4 A f
        const rh_expr square = rh__expr_multiply(store, entry->value, entry->value);
        const rh_expr product = rh__expr_multiply(
            store, rh__expr_multiply(store, rh__expr_integer(store, 2), twice), in->f);
        const rh_expr root =
            find_root(in, rh__derive_fold(equations, rh__expr_subtract(store, square, product)));
        for (uint32_t side = 0; root.i != 0 && side < 2; side++) {
            const rh_expr less = rh__expr_subtract(store, entry->value, root);
            const rh_expr more = rh__expr_add(store, entry->value, root);
            in->form = rh__derive_fold(equations, side == 0 ? less : more);
            in->factor = rh__derive_fold(
                equations,
                rh__expr_divide(store, side == 0 ? more : less,
                                rh__expr_multiply(store, rh__expr_integer(store, 2), twice)));
            if (in->form.i != 0 && in->factor.i != 0 && is_linear(in, in->form) &&
                is_zero_at_start(in, in->form) && !is_zero_at_start(in, in->factor)) {
                return true;
            }
        }
    }
    return false;
}

// The form as coefficients of differentials.
static rh_status keep_form(linear_form *in)
{
    RH_ASSERT(in->form.i != 0 && in->factor.i != 0);
    rh_checkup *checkup = in->checkup;
    const rh_equations *equations = checkup->equations;
    rh_store *store = equations->store;
    rh_link_report *report = &checkup->links[in->link];
    const rh_grid *rows = &equations->rows;
    const uint32_t first = rows->begin[in->link];
    const uint32_t count = rows->begin[in->link + 1] - first;
    report->form.data = rh__arena_array(&checkup->arena, rh_partial, (size_t)count + 1);
    RH_TRY(report->form.data == NULL ? checkup->arena.status : RH_OK);
    for (uint32_t k = 0; k < count; k++) {
        const rh_carrier *carrier = &equations->carriers.data[rows->entries.data[first + k].column];
        const rh_expr w = rh__expr_differentiate(store, in->form, carrier->variable);
        if (w.i != 0 && !rh__expr_is_zero(store, w)) {
            report->form.data[report->form.count++] = (rh_partial){carrier->position, w};
        }
    }
    const rh_expr rest = rh__expr_substitute(store, in->form, at_rest, NULL);
    if (rest.i != 0 && !rh__expr_is_zero(store, rest)) {
        report->form.data[report->form.count++] =
            (rh_partial){rh__expr_symbol(store, equations->model->time, 0), rest};
    }
    report->factor = in->factor;
    report->is_factor_sure =
        rh__expr_sign(store, in->factor, rh__values_parameter, &equations->model->values) != 0;
    return RH_OK;
}

// --- by numbers ----------------------------------------------------------------------------------

typedef struct turning {
    const rh_checkup *checkup;
    rh_arena *scratch;
    rh_point point;
    rh_expr *roots;   // the gradient, then f
    double *values;   // of them, the gradient in sizes of velocities
    double *velocity; // in sizes
    uint32_t *slots;
    double *sizes;
    uint32_t count;
} turning;

static rh_status look(turning *in)
{
    for (uint32_t k = 0; k < in->count; k++) {
        RH_ASSERT(in->slots[k] < in->checkup->layout.symbols.count);
        in->point.values[in->slots[k]] = in->velocity[k] * in->sizes[k];
    }
    RH_TRY(rh__point_evaluate(&in->point, in->roots, in->count + 1, in->scratch, in->values));
    for (uint32_t k = 0; k < in->count; k++) {
        in->values[k] *= in->sizes[k];
    }
    return RH_OK;
}

// Onto the constraint along its gradient. False: it was not reached.
static rh_status approach(turning *in, bool *out)
{
    enum { ROUNDS = 40 };
    *out = false;
    for (uint32_t round = 0; round < ROUNDS && !*out; round++) {
        RH_TRY(look(in));
        const double length = rh__vector_norm(in->count, in->values);
        const double off = in->values[in->count] / length;
        *out = fabs(off) <= 1e-13 * rh__vector_norm(in->count, in->velocity);
        if (!isfinite(off)) {
            return RH_OK;
        }
        for (uint32_t k = 0; !*out && k < in->count; k++) {
            in->velocity[k] -= off * in->values[k] / length;
        }
    }
    return RH_OK;
}

// The sine of the angle between two vectors.
static double angle(uint32_t n, const double *a, const double *b)
{
    const double share = rh__vector_dot(n, a, b) / rh__vector_dot(n, a, a);
    double sum = 0.0;
    for (uint32_t k = 0; k < n; k++) {
        sum = hypot(sum, b[k] - share * a[k]);
    }
    return sum / rh__vector_norm(n, b);
}

static rh_status prepare(turning *in, uint32_t link)
{
    const rh_checkup *checkup = in->checkup;
    const rh_equations *equations = checkup->equations;
    const rh_grid *rows = &equations->rows;
    const uint32_t first = rows->begin[link];
    in->count = rows->begin[link + 1] - first;
    in->roots = rh__arena_array(in->scratch, rh_expr, (size_t)in->count + 1);
    in->values = rh__arena_array(in->scratch, double, (size_t)in->count + 1);
    in->velocity = rh__arena_array(in->scratch, double, (size_t)in->count + 1);
    in->sizes = rh__arena_array(in->scratch, double, (size_t)in->count + 1);
    in->slots = rh__arena_array(in->scratch, uint32_t, (size_t)in->count + 1);
    if (in->roots == NULL || in->values == NULL || in->velocity == NULL || in->sizes == NULL ||
        in->slots == NULL) {
        return in->scratch->status;
    }
    RH_TRY(rh__point_create(&checkup->layout, in->scratch, &in->point));
    for (uint32_t k = 0; k < checkup->layout.symbols.count; k++) {
        in->point.values[k] = checkup->start.point.values[k];
    }
    for (uint32_t k = 0; k < in->count; k++) {
        const uint32_t column = rows->entries.data[first + k].column;
        in->roots[k] = rows->entries.data[first + k].value;
        in->slots[k] = rh__layout_slot(&checkup->layout, equations->carriers.data[column].variable);
        in->sizes[k] = rh__checkup_size(checkup, column);
        in->velocity[k] = in->point.values[in->slots[k]] / in->sizes[k];
    }
    in->roots[in->count] = level_of(checkup, link);
    return RH_OK;
}

// Does the gradient turn with the velocity? Then no function of coordinates is kept.
static rh_status does_turn(const rh_checkup *checkup, uint32_t link, rh_arena *scratch, bool *out)
{
    enum { TRIALS = 8 };
    turning in = {.checkup = checkup, .scratch = scratch};
    rh_random random = rh__random_begin(5);
    RH_TRY(prepare(&in, link));
    double *start = rh__arena_array(scratch, double, (size_t)in.count + 1);
    double *gradient = rh__arena_array(scratch, double, (size_t)in.count + 1);
    RH_TRY(start == NULL || gradient == NULL ? scratch->status : RH_OK);
    RH_TRY(look(&in));
    for (uint32_t k = 0; k < in.count; k++) {
        start[k] = in.velocity[k];
        gradient[k] = in.values[k];
    }
    const double speed = rh__vector_norm(in.count, start);
    const double reach = NEARBY * (speed > 0.0 ? speed : 1.0);
    *out = false;
    for (uint32_t trial = 0; trial < TRIALS && !*out; trial++) {
        bool is_there = false;
        for (uint32_t k = 0; k < in.count; k++) {
            in.velocity[k] = start[k] + rh__random_uniform(&random, -reach, reach);
        }
        RH_TRY(approach(&in, &is_there));
        *out = is_there && angle(in.count, gradient, in.values) > TURNED;
    }
    return RH_OK;
}

// --- together ------------------------------------------------------------------------------------

rh_status rh__checkup_find_linear_form(rh_checkup *checkup, uint32_t link, rh_arena *scratch,
                                       rh_answer *out)
{
    const rh_equations *equations = checkup->equations;
    const uint32_t others = RH_ROLE_STATE | RH_ROLE_INPUT | RH_ROLE_MULTIPLIER;
    linear_form in = {
        .checkup = checkup, .scratch = scratch, .link = link, .f = level_of(checkup, link)};
    const rh_grid *rows = &equations->rows;
    bool has_velocities = true; // and no others
    for (uint32_t k = rows->begin[link]; k < rows->begin[link + 1]; k++) {
        has_velocities =
            has_velocities && rows->entries.data[k].column < equations->coordinate_count;
    }
    const bool is_plain = has_velocities && (rh__expr_mask(equations->store, in.f) & others) == 0;
    *out = RH_ANSWER_UNKNOWN;
    if (is_plain && (find_factor(&in) || find_at_rest(&in) || find_branch(&in))) {
        return keep_form(&in);
    }
    bool turns = false;
    if (has_velocities) {
        RH_TRY(does_turn(checkup, link, scratch, &turns));
    }
    *out = turns ? RH_ANSWER_NO : RH_ANSWER_UNKNOWN;
    return RH_OK;
}
