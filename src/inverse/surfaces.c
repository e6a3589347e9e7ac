// SPDX-License-Identifier: Apache-2.0
// Where the equations are not smooth or have no value at all. Derivatives hold between the surfaces
// on which signs, sizes and conditions switch, so a proof by derivatives is one off these surfaces;
// and a potential that jumps across one is none. Equations that have no value at any point have no
// answer.

#include "inverse/inverse.h"

enum { TEXT_LIMIT = 200, SURFACE_LIMIT = 64 }; // further ones are not listed, nor looked at

// --- the list --------------------------------------------------------------------------------

static rh_expr surface_of(rh_store *store, rh_expr e)
{
    // the angle jumps across a half of this one
    return rh__expr_op(store, e) == RH_OP_ATAN2 ? rh__expr_argument(store, e, 0)
                                                : rh__switch_of(store, e);
}

// x of sqrt(x^2) or sqrt(x^2*y), which is a size in disguise; none for all other roots.
static rh_expr hidden_size(rh_store *store, rh_expr e)
{
    int64_t n = 0;
    if (rh__expr_op(store, e) != RH_OP_POW ||
        rh__expr_as_integer(store, rh__expr_argument(store, e, 1), &n)) {
        return RH_EXPR_NONE;
    }
    const rh_expr base = rh__expr_argument(store, e, 0);
    const bool is_product = rh__expr_op(store, base) == RH_OP_MUL;
    for (uint32_t k = 0; k < (is_product ? rh__expr_count(store, base) : 1); k++) {
        const rh_expr factor = is_product ? rh__expr_argument(store, base, k) : base;
        if (rh__expr_op(store, factor) == RH_OP_POW &&
            rh__expr_as_integer(store, rh__expr_argument(store, factor, 1), &n) && n % 2 == 0 &&
            rh__expr_sign(store, rh__expr_argument(store, factor, 0), NULL, NULL) == 0) {
            return rh__expr_argument(store, factor, 0);
        }
    }
    return RH_EXPR_NONE;
}

static rh_status push_surface(rh_inverse *inverse, rh_expr surface)
{
    if (surface.i == 0 || (rh__expr_mask(inverse->store, surface) & RH_EXPR_VARIABLE) == 0 ||
        inverse->surfaces.count == SURFACE_LIMIT) {
        return rh__inverse_refused(inverse);
    }
    const rh_expr opposite = rh__expr_negate(inverse->store, surface);
    for (uint32_t k = 0; k < inverse->surfaces.count; k++) {
        const uint32_t known = inverse->surfaces.data[k].e.i;
        if (known == surface.i || known == opposite.i) {
            return RH_OK;
        }
    }
    const rh_surface made = {surface, rh__inverse_text(inverse, surface, TEXT_LIMIT)};
    return rh__array_push(&inverse->arena, &inverse->surfaces, made) ? RH_OK
                                                                     : inverse->arena.status;
}

static rh_status list_surfaces(rh_inverse *inverse, const rh_expr *e, uint32_t count)
{
    rh_expr_list all = {0};
    if (!rh__expr_reach(inverse->store, e, count, &inverse->scratch, &all)) {
        return RH_E_MEMORY;
    }
    for (uint32_t k = 0; k < all.count; k++) {
        RH_TRY(push_surface(inverse, surface_of(inverse->store, all.data[k])));
        RH_TRY(push_surface(inverse, hidden_size(inverse->store, all.data[k])));
    }
    return rh__inverse_refused(inverse);
}

bool rh__inverse_switches(const rh_inverse *inverse, uint32_t roles)
{
    for (uint32_t k = 0; k < inverse->surfaces.count; k++) {
        if ((rh__expr_mask(inverse->store, inverse->surfaces.data[k].e) & roles) != 0) {
            return true;
        }
    }
    return false;
}

// --- jumps -----------------------------------------------------------------------------------

// One side of a surface: 1 or -1.
static rh_expr on_side(rh_inverse *inverse, rh_expr e, rh_expr surface, int side)
{
    rh_store *store = inverse->store;
    rh_expr_list all = {0};
    const rh_mark mark = rh__arena_mark(&inverse->scratch);
    if (!rh__expr_reach(store, &e, 1, &inverse->scratch, &all)) {
        return RH_EXPR_NONE;
    }
    for (uint32_t k = 0; k < all.count && e.i != 0; k++) {
        const rh_expr part = all.data[k];
        const rh_expr b = surface_of(store, part);
        const bool is_same = b.i == surface.i;
        if (b.i == 0 || (!is_same && rh__expr_negate(store, b).i != surface.i)) {
            continue;
        }
        const int sign = is_same ? side : -side; // of b
        const rh_op op = rh__expr_op(store, part);
        const uint32_t chosen = (op == RH_OP_MAX) == (sign > 0) ? 0 : 1;
        const rh_expr value =
            op == RH_OP_ABS    ? rh__expr_multiply(store, rh__expr_integer(store, sign), b)
            : op == RH_OP_SIGN ? rh__expr_integer(store, sign)
            : op == RH_OP_MIN || op == RH_OP_MAX         ? rh__expr_argument(store, part, chosen)
            : op == RH_OP_LESS || op == RH_OP_LESS_EQUAL ? rh__expr_integer(store, sign < 0)
            : op == RH_OP_EQUAL                          ? rh__expr_integer(store, 0)
                                                         : RH_EXPR_NONE;
        e = value.i != 0 ? rh__expr_replace(store, e, part, value) : RH_EXPR_NONE;
    }
    rh__arena_rewind(&inverse->scratch, mark);
    return e;
}

// The jump of `e` across a surface, written on the surface: a symbol in which that is linear is
// eliminated. None when there is no such symbol.
static rh_expr jump_of(rh_inverse *inverse, rh_expr e, rh_expr surface)
{
    rh_store *store = inverse->store;
    rh_expr_list symbols = {0};
    const rh_expr above = on_side(inverse, e, surface, 1);
    const rh_expr below = on_side(inverse, e, surface, -1);
    if (above.i == 0 || below.i == 0 ||
        !rh__expr_symbols(store, surface, RH_EXPR_VARIABLE, &inverse->scratch, &symbols)) {
        return RH_EXPR_NONE;
    }
    const rh_expr jump = rh__expr_subtract(store, above, below);
    for (uint32_t k = 0; k < symbols.count; k++) {
        const rh_expr slope =
            rh__inverse_fold(inverse, rh__expr_differentiate(store, surface, symbols.data[k]));
        if (slope.i == 0 || rh__expr_is_zero(store, slope) ||
            (rh__expr_mask(store, slope) & RH_EXPR_VARIABLE) != 0) {
            continue;
        }
        const rh_expr rest =
            rh__expr_replace(store, surface, symbols.data[k], rh__expr_integer(store, 0));
        const rh_expr root = rh__expr_negate(store, rh__expr_divide(store, rest, slope));
        return rh__expr_replace(store, jump, symbols.data[k], root);
    }
    return RH_EXPR_NONE;
}

rh_status rh__inverse_is_continuous(rh_inverse *inverse, rh_expr e, bool *out)
{
    rh_expr_list all = {0};
    *out = e.i != 0;
    if (inverse->surfaces.count == 0 || !*out) {
        return rh__inverse_refused(inverse);
    }
    if (!rh__expr_reach(inverse->store, &e, 1, &inverse->scratch, &all)) {
        return RH_E_MEMORY;
    }
    uint32_t count = 0;
    for (uint32_t k = 0; k < all.count && *out; k++) {
        const rh_expr surface = surface_of(inverse->store, all.data[k]);
        if (surface.i == 0 || rh__expr_is_number(inverse->store, surface)) {
            continue;
        }
        if (++count > SURFACE_LIMIT) {
            *out = false;
            break;
        }
        const rh_expr jump = jump_of(inverse, e, surface);
        RH_TRY(rh__inverse_refused(inverse));
        *out = jump.i != 0;
        if (*out) {
            RH_TRY(rh__inverse_vanishes(inverse, &jump, 1, out));
        }
    }
    return rh__inverse_refused(inverse);
}

// --- values ----------------------------------------------------------------------------------

// Which of several expressions have a value at some point.
static rh_status find_values(rh_inverse *inverse, const rh_expr *e, uint32_t count, uint32_t last,
                             bool *has_value)
{
    const rh_mark mark = rh__arena_mark(&inverse->scratch);
    rh_balls *balls = rh__balls_create(&inverse->scratch, count);
    bool ok = balls != NULL;
    bool is_open = true;
    for (uint32_t point = 0; ok && is_open && point <= last; point++) {
        ok = rh__prover_balls(inverse->store, &inverse->prover, e, count, point, &inverse->scratch,
                              balls);
        is_open = false;
        for (uint32_t k = 0; ok && k < count; k++) {
            has_value[k] = has_value[k] || rh__balls_is_finite(balls, k);
            is_open = is_open || !has_value[k];
        }
        is_open = is_open && rh__inverse_goes_on(inverse);
    }
    rh__balls_destroy(balls);
    rh__arena_rewind(&inverse->scratch, mark);
    return ok ? RH_OK : RH_E_MEMORY;
}

// The smallest part of an expression that has no value.
static rh_status find_culprit(rh_inverse *inverse, rh_expr e, rh_expr *out)
{
    rh_expr_list all = {0};
    *out = e;
    if (!rh__expr_reach(inverse->store, &e, 1, &inverse->scratch, &all)) {
        return RH_E_MEMORY;
    }
    bool *has_value = rh__arena_array(&inverse->scratch, bool, all.count + 1);
    if (has_value == NULL) {
        return RH_E_MEMORY;
    }
    RH_TRY(find_values(inverse, all.data, all.count, RH_PROVER_POINTS, has_value));
    for (uint32_t k = 0; k < all.count; k++) { // parts come first
        if (!has_value[k]) {
            *out = all.data[k];
            break;
        }
    }
    return RH_OK;
}

// "k = 0, m = 1": the parameters of a part.
static const char *parameter_values(rh_inverse *inverse, rh_expr e)
{
    rh_expr_list symbols = {0};
    rh_text out = rh__text_begin(&inverse->arena, NULL);
    if (!rh__expr_symbols(inverse->store, e, RH_ROLE_PARAM, &inverse->scratch, &symbols)) {
        return "";
    }
    for (uint32_t k = 0; k < symbols.count && k < 8; k++) {
        rh__text_format(
            &out, "%s%s = %g", k == 0 ? " with " : ", ", rh__inverse_name(inverse, symbols.data[k]),
            rh__values_parameter(&inverse->model->values, inverse->store, symbols.data[k]));
    }
    rh__text_put_char(&out, '\0');
    return out.ok ? out.data : "";
}

rh_status rh__inverse_examine(rh_inverse *inverse, const rh_expr *f, uint32_t count, rh_error *err)
{
    RH_TRY(list_surfaces(inverse, f, count));
    if (!rh__probes_find(inverse->store, &inverse->prover, f, count, &inverse->arena,
                         &inverse->probes)) {
        const rh_status status = rh__inverse_refused(inverse);
        return status != RH_OK ? status : RH_E_MEMORY;
    }
    inverse->prover.probes = inverse->general.probes = &inverse->probes;
    bool *has_value = rh__arena_array(&inverse->scratch, bool, count + 1);
    if (has_value == NULL) {
        return RH_E_MEMORY;
    }
    RH_TRY(find_values(inverse, f, count, rh__prover_last(&inverse->prover), has_value));
    for (uint32_t k = 0; k < count && rh__inverse_goes_on(inverse); k++) {
        if (has_value[k]) {
            continue;
        }
        rh_expr part = f[k];
        RH_TRY(find_culprit(inverse, f[k], &part));
        const char *text = rh__inverse_text(inverse, part, TEXT_LIMIT);
        const uint32_t row = inverse->kind == RH_INVERSE_HAMILTON ? k ^ 1 : k; // (-p', x')
        return rh__error_fill(err, RH_E_UNAVAILABLE,
                              "the equation of %s has no value at any of %u points: %s is not "
                              "defined%s; mend the formula or its parameters",
                              inverse->names[row], rh__prover_last(&inverse->prover) + 1,
                              text[0] != '\0' ? text : "a part of it",
                              parameter_values(inverse, part));
    }
    return rh__inverse_refused(inverse);
}
