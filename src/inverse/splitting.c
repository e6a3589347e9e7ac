// SPDX-License-Identifier: Apache-2.0
// The potential part of a force that need not have a potential: V = int_0^1 F(u x).x du along rays,
// so that what is left, F - dV, does no work on rays (the homotopy of Poincare's lemma). Closed
// forms only, whole or term by term; a term that has none is integrated by its own coordinate when
// it depends on no other. Whatever is found, the rest is the difference: nothing is lost.

#include "inverse/inverse.h"

enum { TERMS = 400 };

typedef struct splitting {
    rh_inverse *inverse;
    const rh_expr *x;
    uint32_t n;
    const rh_expr *form; // what was given
    rh_expr *potential;
    rh_expr *left;
} splitting;

// Does `e` divide by something that the form does not divide by? Then it has holes of its own.
static bool has_new_poles(const splitting *in, rh_expr e)
{
    rh_inverse *inverse = in->inverse;
    rh_store *store = inverse->store;
    const rh_mark mark = rh__arena_mark(&inverse->scratch);
    rh_expr_list mine = {0};
    rh_expr_list given = {0};
    bool result = !rh__expr_reach(store, &e, 1, &inverse->scratch, &mine) ||
                  !rh__expr_reach(store, in->form, in->n, &inverse->scratch, &given);
    for (uint32_t k = 0; k < mine.count && !result; k++) {
        const rh_expr part = mine.data[k];
        const bool is_pole = rh__expr_op(store, part) == RH_OP_POW &&
                             rh__expr_number_sign(store, rh__expr_argument(store, part, 1)) < 0 &&
                             (rh__expr_mask(store, part) & RH_EXPR_VARIABLE) != 0;
        result = is_pole || rh__expr_op(store, part) == RH_OP_LOG;
        for (uint32_t i = 0; i < given.count && result; i++) {
            result = given.data[i].i != part.i;
        }
    }
    rh__arena_rewind(&inverse->scratch, mark);
    return result;
}

// Take a potential: it goes to V, and what it gives leaves the rest.
static rh_status take(splitting *in, rh_expr potential, bool *out_is_taken)
{
    rh_inverse *inverse = in->inverse;
    rh_store *store = inverse->store;
    *out_is_taken = false;
    if (potential.i == 0 || rh__expr_is_zero(store, potential) || has_new_poles(in, potential)) {
        return rh__inverse_refused(inverse);
    }
    RH_TRY(rh__inverse_is_continuous(inverse, potential, out_is_taken));
    for (uint32_t i = 0; i < in->n && *out_is_taken; i++) {
        in->left[i] = rh__inverse_fold(
            inverse, rh__expr_subtract(store, in->left[i],
                                       rh__inverse_partial(inverse, potential, in->x[i])));
    }
    *in->potential =
        *out_is_taken ? rh__expr_add(store, *in->potential, potential) : *in->potential;
    return rh__inverse_refused(inverse);
}

// int_0^1 work du, closed; none where it is not found or has no value.
static rh_expr integrate_work(rh_inverse *inverse, rh_expr work)
{
    rh_store *store = inverse->store;
    const rh_expr u = inverse->ray_symbols[0];
    if (work.i == 0 || rh__expr_is_zero(store, work) || !rh__ray_is_regular(inverse, work, u)) {
        return RH_EXPR_NONE;
    }
    const rh_expr whole = rh__expr_integrate(store, work, u, &inverse->scratch);
    if (whole.i == 0 || !rh__ray_is_regular(inverse, whole, u)) {
        return RH_EXPR_NONE;
    }
    const rh_expr ends =
        rh__expr_subtract(store, rh__expr_replace(store, whole, u, rh__expr_integer(store, 1)),
                          rh__expr_replace(store, whole, u, rh__expr_integer(store, 0)));
    return rh__inverse_fold(inverse, ends);
}

static bool is_own(const splitting *in, rh_expr term, uint32_t own)
{
    bool result = true;
    for (uint32_t k = 0; k < in->n && result; k++) {
        result = k == own || rh__expr_is_zero(in->inverse->store,
                                              rh__inverse_partial(in->inverse, term, in->x[k]));
    }
    return result;
}

// One term of component i.
static rh_status take_term(splitting *in, uint32_t i, rh_expr term)
{
    rh_inverse *inverse = in->inverse;
    const rh_expr u = inverse->ray_symbols[0];
    bool is_taken = false;
    if (is_own(in, term, i)) {
        return take(in, rh__primitive_integrate(inverse, term, in->x[i]), &is_taken);
    }
    const rh_expr work =
        rh__inverse_fold(inverse, rh__expr_multiply(inverse->store, in->x[i],
                                                    rh__ray_point(inverse, term, in->x, u)));
    return take(in, integrate_work(inverse, work), &is_taken);
}

static rh_status take_terms(splitting *in)
{
    rh_inverse *inverse = in->inverse;
    rh_store *store = inverse->store;
    rh_expr *before = rh__arena_array(&inverse->arena, rh_expr, in->n + 1);
    if (before == NULL) {
        return inverse->arena.status;
    }
    for (uint32_t i = 0; i < in->n; i++) {
        const rh_expr wide = rh__expr_expand(store, in->left[i], TERMS, &inverse->scratch);
        before[i] = wide.i != 0 ? wide : in->left[i];
    }
    RH_TRY(rh__inverse_refused(inverse));
    for (uint32_t i = 0; i < in->n; i++) {
        const bool is_sum = rh__expr_op(store, before[i]) == RH_OP_ADD;
        const uint32_t count = is_sum ? rh__expr_count(store, before[i]) / 2 : 1;
        for (uint32_t k = 0; k < count && rh__inverse_goes_on(inverse); k++) {
            const rh_expr term =
                is_sum ? rh__expr_multiply(store, rh__expr_argument(store, before[i], 2 * k),
                                           rh__expr_argument(store, before[i], 2 * k + 1))
                       : before[i];
            if (!rh__expr_is_zero(store, term)) {
                RH_TRY(take_term(in, i, term));
            }
        }
    }
    return RH_OK;
}

rh_status rh__primitive_split(rh_inverse *inverse, const rh_expr *form, const rh_expr *x,
                              uint32_t n, rh_expr *out, rh_expr *left)
{
    splitting in = {inverse, x, n, form, out, left};
    bool is_taken = false;
    RH_TRY(rh__primitive_part(inverse, form, x, n, out, left));
    RH_TRY(rh__inverse_is_continuous(inverse, *out, &is_taken));
    if (!is_taken) {
        *out = rh__expr_integer(inverse->store, 0);
        for (uint32_t i = 0; i < n; i++) {
            left[i] = form[i];
        }
    }
    const rh_expr work = rh__ray_work(inverse, left, x, inverse->ray_symbols[0]);
    RH_TRY(take(&in, integrate_work(inverse, work), &is_taken));
    if (!is_taken && !rh__expr_is_zero(inverse->store, work)) {
        RH_TRY(take_terms(&in));
    }
    *out = rh__inverse_fold(inverse, *out);
    return rh__inverse_refused(inverse);
}
