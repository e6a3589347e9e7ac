// SPDX-License-Identifier: Apache-2.0
// Variables that constraints give: where a level holds one with a number as factor, the level says
// what the variable is. So an expression in coordinates is brought to the deviations. Where a level
// is curved, an expression may be a multiple of it all the same.

#include "equations/equations.h"

enum { MOST_GIVEN = 256 };

typedef struct given {
    rh_store *store;
    rh_expr symbol[MOST_GIVEN];
    rh_expr by[MOST_GIVEN]; // without any of the symbols
    uint32_t count;
    rh_expr one; // to be set to zero
} given;

static rh_expr put_in(void *user, rh_store *store, rh_expr symbol)
{
    const given *it = user;
    (void)store;
    for (uint32_t k = 0; k < it->count; k++) {
        if (it->symbol[k].i == symbol.i) {
            return it->by[k];
        }
    }
    return symbol;
}

static rh_expr leave_out(void *user, rh_store *store, rh_expr symbol)
{
    const given *it = user;
    return symbol.i == it->one.i ? rh__expr_integer(store, 0) : symbol;
}

// A variable that the level holds with a number as factor; false when memory is short.
static bool find_variable(const given *it, rh_expr level, rh_arena *scratch, rh_expr *out,
                          rh_expr *out_factor)
{
    rh_gradient gradient = {NULL, 0};
    *out = RH_EXPR_NONE;
    if (!rh__expr_gradient(it->store, level, RH_ROLE_COORD | RH_ROLE_VELOCITY | RH_ROLE_STATE,
                           scratch, &gradient)) {
        return false;
    }
    for (uint32_t k = 0; k < gradient.count && out->i == 0; k++) {
        const rh_expr factor = gradient.data[k].value;
        if (rh__expr_is_number(it->store, factor) && !rh__expr_is_zero(it->store, factor)) {
            *out = gradient.data[k].symbol;
            *out_factor = factor;
        }
    }
    return true;
}

static bool add_level(given *it, rh_expr level, rh_expr value, rh_arena *scratch)
{
    rh_expr factor = RH_EXPR_NONE;
    level = rh__expr_substitute(it->store, level, put_in, it);
    if (level.i == 0 || !find_variable(it, level, scratch, &it->one, &factor)) {
        return false;
    }
    if (it->one.i == 0 || it->count == MOST_GIVEN) {
        return true;
    }
    const rh_expr rest = rh__expr_substitute(it->store, level, leave_out, it);
    given last = {.store = it->store, .count = 1};
    last.symbol[0] = it->one;
    last.by[0] = rh__expr_divide(it->store, rh__expr_subtract(it->store, value, rest), factor);
    bool ok = rest.i != 0 && last.by[0].i != 0;
    for (uint32_t k = 0; ok && k < it->count; k++) {
        it->by[k] = rh__expr_substitute(it->store, it->by[k], put_in, &last);
        ok = it->by[k].i != 0;
    }
    it->symbol[it->count] = last.symbol[0];
    it->by[it->count++] = last.by[0];
    return ok;
}

rh_expr rh__derive_restate(rh_equations *equations, rh_expr e, rh_level_of *level_of, void *user,
                           rh_arena *scratch)
{
    const rh_mark mark = rh__arena_mark(scratch);
    given *it = rh__arena_new(scratch, given);
    bool ok = it != NULL;
    if (ok) {
        it->store = equations->store;
    }
    for (uint32_t k = 0; ok && k < equations->links.count; k++) {
        const rh_link *link = &equations->links.data[k];
        for (uint32_t p = 0; ok && rh__link_is_kept(link) && p < link->level_count; p++) {
            const rh_expr value = level_of(user, k, p);
            ok = value.i == 0 || add_level(it, link->levels[p], value, scratch);
        }
    }
    const rh_expr out = ok ? rh__expr_substitute(equations->store, e, put_in, it) : RH_EXPR_NONE;
    rh__arena_rewind(scratch, mark);
    return out;
}

// --- multiples ----------------------------------------------------------------------------------

// Is `e` a multiple of the level, or has it one in it? Then the factor, by their slopes.
static rh_expr factor_of(rh_equations *equations, rh_expr e, rh_expr level, rh_arena *scratch)
{
    rh_store *store = equations->store;
    rh_gradient gradient = {NULL, 0};
    if (!rh__expr_gradient(store, level, RH_ROLE_COORD | RH_ROLE_VELOCITY | RH_ROLE_STATE, scratch,
                           &gradient)) {
        return RH_EXPR_NONE;
    }
    for (uint32_t k = 0; k < gradient.count; k++) {
        const rh_expr slope = rh__expr_differentiate(store, e, gradient.data[k].symbol);
        if (slope.i == 0 || rh__expr_is_zero(store, slope) ||
            rh__expr_is_zero(store, gradient.data[k].value)) {
            continue;
        }
        const rh_expr factor =
            rh__derive_fold(equations, rh__expr_divide(store, slope, gradient.data[k].value));
        const rh_expr rest =
            factor.i != 0 ? rh__expr_subtract(store, e, rh__expr_multiply(store, factor, level))
                          : RH_EXPR_NONE;
        if (rest.i != 0 &&
            (rh__expr_is_number(store, factor) || rh__derive_vanishes(equations, rest, scratch))) {
            return factor;
        }
    }
    return RH_EXPR_NONE;
}

rh_expr rh__derive_multiples(rh_equations *equations, rh_expr e, rh_level_of *level_of, void *user,
                             rh_arena *scratch)
{
    rh_store *store = equations->store;
    const rh_mark mark = rh__arena_mark(scratch);
    rh_expr sum = rh__expr_integer(store, 0);
    bool is_over = false;
    for (uint32_t k = 0; !is_over && k < equations->links.count; k++) {
        const rh_link *link = &equations->links.data[k];
        // the last level first: what it holds highest is in no other
        for (uint32_t p = rh__link_is_kept(link) ? link->level_count : 0; !is_over && p-- > 0;) {
            const rh_expr value = level_of(user, k, p);
            const rh_expr factor =
                value.i != 0 ? factor_of(equations, e, link->levels[p], scratch) : RH_EXPR_NONE;
            if (factor.i != 0) {
                e = rh__expr_subtract(store, e, rh__expr_multiply(store, factor, link->levels[p]));
                sum = rh__expr_add(store, sum, rh__expr_multiply(store, factor, value));
            }
            is_over = e.i == 0 || sum.i == 0 ||
                      (factor.i != 0 && rh__derive_vanishes(equations, e, scratch));
        }
    }
    rh__arena_rewind(scratch, mark);
    return is_over && e.i != 0 ? sum : RH_EXPR_NONE;
}
