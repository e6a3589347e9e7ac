// SPDX-License-Identifier: Apache-2.0
// Potentials of forms, closed where that is found. First by homogeneous parts: a part of degree k
// along rays from the origin, F(u x) = u^k F(x), has the potential x.F/(k + 1); that is the
// integral along the ray where it converges, and right for every k but -1. What is left is
// integrated one variable after the other. Every answer is proved, or at least seen at random
// points, by differentiating back (rh__primitive_find).

#include "inverse/inverse.h"

enum { MOST_DEGREES = 48, SPLIT_CALLS = 20000, EXPAND_TERMS = 1500, WHOLE_POWER = 12, DEPTH = 60 };

// --- homogeneous parts -------------------------------------------------------------------------

typedef struct part {
    int64_t p, q; // its degree p/q in lowest terms, q > 0
    rh_expr e;
} part;

typedef struct parts {
    part data[MOST_DEGREES];
    uint32_t count;
} parts;

typedef struct splitter {
    rh_inverse *inverse;
    rh_store *store;
    const rh_expr *x;
    uint32_t n;
    uint32_t role;  // bits that every variable has: what has none of them is of degree 0
    uint32_t calls; // left
    uint32_t depth; // left
} splitter;

static int64_t gcd(int64_t a, int64_t b)
{
    while (b != 0) {
        const int64_t rest = a % b;
        a = b;
        b = rest;
    }
    return a < 0 ? -a : a;
}

static bool add_part(const splitter *by, parts *to, int64_t p, int64_t q, rh_expr e)
{
    const int64_t common = gcd(p, q);
    p /= common == 0 ? 1 : common;
    q /= common == 0 ? 1 : common;
    if (p > 1000 || p < -1000 || q > 100 || e.i == 0) {
        return false;
    }
    for (uint32_t k = 0; k < to->count; k++) {
        if (to->data[k].p == p && to->data[k].q == q) {
            to->data[k].e = rh__expr_add(by->store, to->data[k].e, e);
            return to->data[k].e.i != 0;
        }
    }
    if (to->count == MOST_DEGREES) {
        return false;
    }
    to->data[to->count++] = (part){p, q, e};
    return true;
}

static bool is_variable(const splitter *by, rh_expr symbol)
{
    for (uint32_t k = 0; k < by->n; k++) {
        if (by->x[k].i == symbol.i) {
            return true;
        }
    }
    return false;
}

static bool split(splitter *by, rh_expr e, parts *out);

static bool multiply_parts(const splitter *by, const parts *a, const parts *b, parts *out)
{
    bool ok = true;
    out->count = 0;
    for (uint32_t i = 0; ok && i < a->count; i++) {
        for (uint32_t j = 0; ok && j < b->count; j++) {
            const part *x = &a->data[i];
            const part *y = &b->data[j];
            ok = add_part(by, out, x->p * y->q + y->p * x->q, x->q * y->q,
                          rh__expr_multiply(by->store, x->e, y->e));
        }
    }
    return ok;
}

static bool split_sum(splitter *by, rh_expr e, parts *out)
{
    bool ok = true;
    parts inner;
    for (uint32_t k = 0; ok && k < rh__expr_count(by->store, e); k += 2) {
        const rh_expr number = rh__expr_argument(by->store, e, k);
        ok = split(by, rh__expr_argument(by->store, e, k + 1), &inner);
        for (uint32_t i = 0; ok && i < inner.count; i++) {
            ok = add_part(by, out, inner.data[i].p, inner.data[i].q,
                          rh__expr_multiply(by->store, number, inner.data[i].e));
        }
    }
    return ok;
}

static bool split_product(splitter *by, rh_expr e, parts *out)
{
    parts left = {.count = 0};
    parts right;
    bool ok = add_part(by, &left, 0, 1, rh__expr_integer(by->store, 1));
    for (uint32_t k = 0; ok && k < rh__expr_count(by->store, e); k++) {
        ok = split(by, rh__expr_argument(by->store, e, k), &right) &&
             multiply_parts(by, &left, &right, out);
        left = *out;
    }
    *out = left;
    return ok;
}

static bool split_power(splitter *by, rh_expr e, parts *out)
{
    rh_store *store = by->store;
    const rh_expr exponent = rh__expr_argument(store, e, 1);
    parts base;
    int64_t n = 0;
    if (!rh__expr_is_number(store, exponent) || !split(by, rh__expr_argument(store, e, 0), &base)) {
        return false;
    }
    const bool is_whole = rh__expr_as_integer(store, exponent, &n);
    if (base.count == 1) {
        for (int64_t q = 1; q <= 12; q++) {
            int64_t p = 0;
            if (rh__expr_as_integer(
                    store, rh__expr_multiply(store, exponent, rh__expr_integer(store, q)), &p)) {
                return p > -1000 && p < 1000 &&
                       add_part(by, out, base.data[0].p * p, base.data[0].q * q,
                                rh__expr_power(store, base.data[0].e, exponent));
            }
        }
        return false;
    }
    parts product = {.count = 0};
    bool ok = is_whole && n > 0 && n <= WHOLE_POWER &&
              add_part(by, out, 0, 1, rh__expr_integer(store, 1));
    for (int64_t k = 0; ok && k < n; k++) {
        ok = multiply_parts(by, out, &base, &product);
        *out = product;
    }
    return ok;
}

// A function of what has degree 0 has degree 0; |x| has the degree of x, sign(x) and the angle of
// two of one degree have none.
static bool split_function(splitter *by, rh_expr e, parts *out)
{
    const rh_op op = rh__expr_op(by->store, e);
    const uint32_t count = rh__expr_count(by->store, e);
    parts first;
    parts second = {.count = 0};
    if (count == 0 || count > 2 || !split(by, rh__expr_argument(by->store, e, 0), &first) ||
        first.count != 1) {
        return false;
    }
    if (count == 2 &&
        (!split(by, rh__expr_argument(by->store, e, 1), &second) || second.count != 1 ||
         second.data[0].p != first.data[0].p || second.data[0].q != first.data[0].q)) {
        return false;
    }
    const bool keeps = op == RH_OP_ABS || op == RH_OP_MIN || op == RH_OP_MAX;
    const bool forgets = op == RH_OP_SIGN || op == RH_OP_ATAN2;
    if (first.data[0].p != 0 && !keeps && !forgets) {
        return false;
    }
    return add_part(by, out, keeps ? first.data[0].p : 0, keeps ? first.data[0].q : 1, e);
}

static bool split_kind(splitter *by, rh_expr e, parts *out)
{
    switch (rh__expr_op(by->store, e)) {
    case RH_OP_SYMBOL:
        return add_part(by, out, is_variable(by, e) ? 1 : 0, 1, e);
    case RH_OP_ADD:
        return split_sum(by, e, out);
    case RH_OP_MUL:
        return split_product(by, e, out);
    case RH_OP_POW:
        return split_power(by, e, out);
    default:
        return split_function(by, e, out);
    }
}

static bool split(splitter *by, rh_expr e, parts *out)
{
    out->count = 0;
    if ((rh__expr_mask(by->store, e) & by->role) == 0) {
        return add_part(by, out, 0, 1, e);
    }
    if (by->calls == 0 || by->depth == 0) {
        return false;
    }
    by->calls--;
    by->depth--;
    const bool ok = split_kind(by, e, out);
    by->depth++;
    return ok;
}

static bool add_parts(const splitter *by, parts *to, rh_expr number, const parts *of)
{
    bool ok = true;
    for (uint32_t i = 0; ok && i < of->count; i++) {
        ok = add_part(by, to, of->data[i].p, of->data[i].q,
                      rh__expr_multiply(by->store, number, of->data[i].e));
    }
    return ok;
}

// The parts of one term; where it has none as it stands, of the term expanded.
static bool split_term(splitter *by, rh_expr term, parts *out)
{
    if (split(by, term, out)) {
        return true;
    }
    const rh_expr wide = rh__expr_expand(by->store, term, EXPAND_TERMS, &by->inverse->scratch);
    return wide.i != 0 && wide.i != term.i && split(by, wide, out);
}

// The homogeneous parts of a sum, term by term; terms that have none add up to `left`, as they
// stand.
static bool split_terms(splitter *by, rh_expr e, parts *out, rh_expr *left)
{
    rh_store *store = by->store;
    const bool is_sum = rh__expr_op(store, e) == RH_OP_ADD;
    const uint32_t count = is_sum ? rh__expr_count(store, e) / 2 : 1;
    bool ok = true;
    out->count = 0;
    *left = rh__expr_integer(store, 0);
    for (uint32_t k = 0; ok && k < count; k++) {
        parts inner;
        const rh_expr term = is_sum ? rh__expr_argument(store, e, 2 * k + 1) : e;
        const rh_expr number =
            is_sum ? rh__expr_argument(store, e, 2 * k) : rh__expr_integer(store, 1);
        if (split_term(by, term, &inner)) {
            ok = add_parts(by, out, number, &inner);
        } else {
            *left = rh__expr_add(store, *left, rh__expr_multiply(store, number, term));
        }
    }
    return ok;
}

static splitter begin_split(rh_inverse *inverse, const rh_expr *x, uint32_t n)
{
    uint32_t role = 0;
    for (uint32_t k = 0; k < n; k++) {
        role |= rh__expr_mask(inverse->store, x[k]);
    }
    return (splitter){inverse,     inverse->store, x, n, role & ~(uint32_t)RH_EXPR_VARIABLE,
                      SPLIT_CALLS, DEPTH};
}

// log r of the variables that some expressions depend on.
static rh_expr log_of_distance(rh_inverse *inverse, const rh_expr *e, uint32_t count,
                               const rh_expr *x, uint32_t n)
{
    rh_store *store = inverse->store;
    rh_expr square = rh__expr_integer(store, 0);
    for (uint32_t k = 0; k < n; k++) {
        bool depends = false;
        for (uint32_t i = 0; i < count && !depends; i++) {
            depends = !rh__expr_is_zero(store, rh__inverse_partial(inverse, e[i], x[k]));
        }
        square = depends ? rh__expr_add(store, square,
                                        rh__expr_power(store, x[k], rh__expr_integer(store, 2)))
                         : square;
    }
    return rh__expr_multiply(store, rh__expr_ratio(store, 1, 2),
                             rh__expr_apply(store, RH_OP_LOG, &square, 1));
}

// e x_k / (p/q + 2); where that is a division by zero e x_k log r, which is right in the plane.
static rh_expr weigh(rh_inverse *inverse, const part *of, const rh_expr *x, uint32_t n, uint32_t k)
{
    rh_store *store = inverse->store;
    const int64_t below = of->p + 2 * of->q;
    const rh_expr factor = below == 0 ? log_of_distance(inverse, &of->e, 1, x, n)
                                      : rh__expr_ratio(store, of->q, below);
    return rh__expr_product(store, (rh_expr[]){factor, x[k], of->e}, 3);
}

// --- degree by degree --------------------------------------------------------------------------

// A form in its homogeneous parts.
typedef struct layers {
    rh_inverse *inverse;
    const rh_expr *x;
    uint32_t n;
    parts *of;      // by component
    rh_expr *left;  // by component: terms that have no degree
    rh_expr *layer; // of one degree
} layers;

static rh_status split_form(layers *in, const rh_expr *form)
{
    rh_inverse *inverse = in->inverse;
    in->of = rh__arena_array(&inverse->arena, parts, in->n + 1);
    in->left = rh__arena_array(&inverse->arena, rh_expr, in->n + 1);
    in->layer = rh__arena_array(&inverse->arena, rh_expr, in->n + 1);
    if (in->of == NULL || in->left == NULL || in->layer == NULL) {
        return inverse->arena.status;
    }
    for (uint32_t i = 0; i < in->n; i++) {
        splitter by = begin_split(inverse, in->x, in->n);
        if (!split_terms(&by, form[i], &in->of[i], &in->left[i])) {
            in->of[i].count = 0;
            in->left[i] = form[i];
        }
    }
    return rh__inverse_refused(inverse);
}

// The parts of one degree, taken out; x.F of them.
static rh_expr take_layer(layers *in, int64_t p, int64_t q)
{
    rh_store *store = in->inverse->store;
    rh_expr sum = rh__expr_integer(store, 0);
    for (uint32_t i = 0; i < in->n; i++) {
        in->layer[i] = rh__expr_integer(store, 0);
        for (uint32_t k = 0; k < in->of[i].count; k++) {
            part *it = &in->of[i].data[k];
            if (it->p == p && it->q == q) {
                in->layer[i] = it->e;
                *it = in->of[i].data[--in->of[i].count];
                break;
            }
        }
        sum = rh__expr_add(store, sum, rh__expr_multiply(store, in->x[i], in->layer[i]));
    }
    return sum;
}

// The potential of a layer of degree p/q with x.F = `product`: none where there is no candidate.
static rh_expr layer_potential(const layers *in, int64_t p, int64_t q, rh_expr product)
{
    rh_store *store = in->inverse->store;
    if (p + q != 0) {
        return rh__expr_multiply(store, rh__expr_ratio(store, q, p + q), product);
    }
    return rh__expr_multiply(store, rh__inverse_fold(in->inverse, product),
                             log_of_distance(in->inverse, in->layer, in->n, in->x, in->n));
}

// Add a layer to the potential, and what the potential misses of it to the rest.
static rh_status add_layer(layers *in, int64_t p, int64_t q, rh_expr *potential, rh_expr *rest)
{
    rh_inverse *inverse = in->inverse;
    rh_store *store = inverse->store;
    const rh_expr v = layer_potential(in, p, q, take_layer(in, p, q));
    rh_expr *defects = rh__arena_array(&inverse->arena, rh_expr, in->n + 1);
    bool holds = false;
    if (defects == NULL) {
        return inverse->arena.status;
    }
    for (uint32_t i = 0; i < in->n; i++) {
        defects[i] =
            rh__inverse_fold(inverse, rh__expr_subtract(store, in->layer[i],
                                                        rh__inverse_partial(inverse, v, in->x[i])));
    }
    RH_TRY(rh__inverse_refused(inverse));
    RH_TRY(rh__inverse_vanishes(inverse, defects, in->n, &holds));
    if (!holds && p + q == 0) { // the logarithm was a guess
        for (uint32_t i = 0; i < in->n; i++) {
            rest[i] = rh__expr_add(store, rest[i], in->layer[i]);
        }
        return rh__inverse_refused(inverse);
    }
    *potential = rh__expr_add(store, *potential, v);
    for (uint32_t i = 0; i < in->n && !holds; i++) {
        rest[i] = rh__expr_add(store, rest[i], defects[i]);
    }
    return rh__inverse_refused(inverse);
}

rh_status rh__primitive_part(rh_inverse *inverse, const rh_expr *form, const rh_expr *x, uint32_t n,
                             rh_expr *out, rh_expr *rest)
{
    layers in = {.inverse = inverse, .x = x, .n = n};
    *out = rh__expr_integer(inverse->store, 0);
    RH_TRY(split_form(&in, form));
    for (uint32_t i = 0; i < n; i++) {
        rest[i] = in.left[i];
    }
    for (uint32_t i = 0; i < n; i++) {
        while (in.of[i].count > 0) {
            const part it = in.of[i].data[0];
            RH_TRY(add_layer(&in, it.p, it.q, out, rest));
        }
    }
    *out = rh__inverse_fold(inverse, *out);
    for (uint32_t i = 0; i < n; i++) {
        rest[i] = rh__inverse_fold(inverse, rest[i]);
    }
    return rh__inverse_refused(inverse);
}

// --- one variable after the other --------------------------------------------------------------

// What a potential misses of component i; 0 where it is proved to miss nothing.
static rh_expr missing(rh_inverse *inverse, rh_expr component, rh_expr potential, rh_expr x)
{
    const rh_expr e =
        rh__expr_subtract(inverse->store, component, rh__inverse_partial(inverse, potential, x));
    const rh_expr folded = rh__inverse_fold(inverse, e);
    bool is_zero = false;
    if (folded.i == 0 || rh__expr_is_zero(inverse->store, folded) ||
        rh__inverse_vanishes(inverse, &folded, 1, &is_zero) != RH_OK || !is_zero) {
        return folded;
    }
    return rh__expr_integer(inverse->store, 0);
}

// Add antiderivatives of what is missing. False when one of them is not found.
static bool complete(rh_inverse *inverse, const rh_expr *form, const rh_expr *x, uint32_t n,
                     rh_expr *potential)
{
    for (uint32_t i = 0; i < n; i++) {
        const rh_expr rest = missing(inverse, form[i], *potential, x[i]);
        if (rest.i == 0) {
            return false;
        }
        if (rh__expr_is_zero(inverse->store, rest)) {
            continue;
        }
        const rh_expr piece = rh__primitive_integrate(inverse, rest, x[i]);
        if (piece.i == 0) {
            return false;
        }
        *potential = rh__expr_add(inverse->store, *potential, piece);
    }
    *potential = rh__inverse_fold(inverse, *potential);
    return potential->i != 0;
}

static bool is_exact(rh_inverse *inverse, const rh_expr *form, const rh_expr *x, uint32_t n,
                     rh_expr potential)
{
    for (uint32_t i = 0; i < n; i++) {
        const rh_expr rest = missing(inverse, form[i], potential, x[i]);
        if (rest.i == 0 || !rh__expr_is_zero(inverse->store, rest)) {
            return false;
        }
    }
    return true;
}

rh_status rh__primitive_find(rh_inverse *inverse, const rh_expr *form, const rh_expr *x, uint32_t n,
                             rh_expr *out, bool *out_is_found)
{
    const rh_expr zero = rh__expr_integer(inverse->store, 0);
    rh_expr *rest = rh__arena_array(&inverse->arena, rh_expr, n + 1);
    rh_expr start = RH_EXPR_NONE;
    *out_is_found = false;
    if (rest == NULL) {
        return inverse->arena.status;
    }
    RH_TRY(rh__primitive_part(inverse, form, x, n, &start, rest));
    // what the homogeneous parts leave, one variable after the other; else the whole in this way
    for (uint32_t attempt = 0; attempt < 2 && !*out_is_found; attempt++) {
        if (!rh__inverse_goes_on(inverse)) {
            break;
        }
        rh_expr found = zero;
        if (complete(inverse, attempt == 0 ? rest : form, x, n, &found)) {
            found = attempt == 0 ? rh__expr_add(inverse->store, start, found) : found;
            *out_is_found = is_exact(inverse, form, x, n, found);
            *out = *out_is_found ? found : *out;
        }
        RH_TRY(rh__inverse_refused(inverse));
    }
    return RH_OK;
}

// --- forms of degree two -------------------------------------------------------------------------

// form_ik less what A gives already.
static rh_expr vector_missing(rh_inverse *inverse, const rh_expr *form, const rh_expr *x,
                              const rh_expr *a, uint32_t n, uint32_t i, uint32_t k)
{
    rh_store *store = inverse->store;
    const rh_expr given = rh__expr_subtract(store, rh__inverse_partial(inverse, a[i], x[k]),
                                            rh__inverse_partial(inverse, a[k], x[i]));
    const rh_expr e = rh__inverse_fold(inverse, rh__expr_subtract(store, form[i * n + k], given));
    bool is_zero = false;
    if (e.i != 0 && !rh__expr_is_zero(store, e) &&
        rh__inverse_vanishes(inverse, &e, 1, &is_zero) == RH_OK && is_zero) {
        return rh__expr_integer(store, 0);
    }
    return e;
}

// With A_n = 0 and so on down: A_i is the antiderivative by x_n of what is missing in (i, n).
static bool complete_vector(rh_inverse *inverse, const rh_expr *form, const rh_expr *x, uint32_t n,
                            rh_expr *a)
{
    for (uint32_t k = n; k-- > 1;) {
        for (uint32_t i = 0; i < k; i++) {
            const rh_expr rest = vector_missing(inverse, form, x, a, n, i, k);
            if (rest.i == 0) {
                return false;
            }
            if (rh__expr_is_zero(inverse->store, rest)) {
                continue;
            }
            const rh_expr piece = rh__primitive_integrate(inverse, rest, x[k]);
            if (piece.i == 0) {
                return false;
            }
            a[i] = rh__expr_add(inverse->store, a[i], piece);
        }
    }
    return true;
}

rh_status rh__primitive_vector(rh_inverse *inverse, const rh_expr *form, const rh_expr *x,
                               uint32_t n, rh_expr *out, bool *out_is_found)
{
    rh_store *store = inverse->store;
    for (uint32_t i = 0; i < n; i++) {
        out[i] = rh__expr_integer(store, 0);
        for (uint32_t k = 0; k < n; k++) {
            splitter by = begin_split(inverse, x, n);
            parts found;
            rh_expr left = RH_EXPR_NONE;
            if (!split_terms(&by, form[i * n + k], &found, &left)) {
                continue;
            }
            for (uint32_t p = 0; p < found.count; p++) {
                out[i] = rh__expr_add(store, out[i], weigh(inverse, &found.data[p], x, n, k));
            }
        }
        out[i] = rh__inverse_fold(inverse, out[i]);
    }
    RH_TRY(rh__inverse_refused(inverse));
    *out_is_found = complete_vector(inverse, form, x, n, out);
    for (uint32_t i = 0; i < n && *out_is_found; i++) {
        for (uint32_t k = i + 1; k < n && *out_is_found; k++) {
            const rh_expr rest = vector_missing(inverse, form, x, out, n, i, k);
            *out_is_found = rest.i != 0 && rh__expr_is_zero(store, rest);
        }
    }
    return rh__inverse_refused(inverse);
}
