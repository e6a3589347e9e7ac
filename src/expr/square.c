// SPDX-License-Identifier: Apache-2.0
// Is a sum a square that was written out, c*q^2? A root of it has a kink where q is zero, as abs(q)
// has, which nothing but q shows. The square root of a polynomial, as by hand: its first term is
// the root of the leading one, each next term the leading one of what is left over twice the first.
// Terms are ordered by weights of their factors, which are independent over the rationals, so that
// leading terms of products are products of leading terms.

#include "expr/store.h"

#include <math.h>

enum { MOST_TERMS = 36, MOST_ROOT = 8, MOST_FACTORS = 8 };

typedef struct term {
    rh_expr number;
    int exponents[MOST_FACTORS];
    double weight;
} term;

typedef struct polynomial {
    rh_store *store;
    rh_expr factors[MOST_FACTORS];
    uint32_t factor_count;
    uint32_t count;
    term terms[MOST_TERMS + MOST_ROOT * MOST_ROOT];
} polynomial;

static const double WEIGHTS[MOST_FACTORS] = { // square roots of primes
    1.4142135623730951, 1.7320508075688772, 2.2360679774997898, 2.6457513110645907,
    3.3166247903554,    3.6055512754639891, 4.1231056256176606, 4.358898943540674};

static double weight_of(const int *exponents)
{
    double weight = 0.0;
    for (uint32_t k = 0; k < MOST_FACTORS; k++) {
        weight += exponents[k] * WEIGHTS[k];
    }
    return weight;
}

// --- reading -------------------------------------------------------------------------------------

static bool read_factor(polynomial *p, rh_expr part, term *out)
{
    int64_t n = 1;
    rh_expr base = rh__expr_base(p->store, part);
    if (!rh__expr_as_integer(p->store, rh__expr_exponent(p->store, part), &n)) {
        base = part;
        n = 1;
    }
    uint32_t k = 0;
    while (k < p->factor_count && !rh__expr_same(p->factors[k], base)) {
        k++;
    }
    if (k == MOST_FACTORS || n < 0 || n > 32) {
        return false;
    }
    p->factors[k] = base;
    p->factor_count = k == p->factor_count ? k + 1 : p->factor_count;
    out->exponents[k] += (int)n;
    return true;
}

static bool read_sum(polynomial *p, rh_expr sum)
{
    const rh_store *store = p->store;
    const uint32_t count = rh__expr_count(store, sum) / 2;
    bool ok = count >= 3 && count <= MOST_TERMS;
    for (uint32_t k = 0; ok && k < count; k++) {
        const rh_expr product = rh__expr_argument(store, sum, 2 * k + 1);
        term *it = &p->terms[p->count++];
        *it = (term){.number = rh__expr_argument(store, sum, 2 * k)};
        for (uint32_t j = 0; ok && j < rh__factor_count(store, product); j++) {
            const rh_expr part = rh__factor(store, product, j);
            ok = rh__expr_is_one(store, part) || read_factor(p, part, it);
        }
        it->weight = weight_of(it->exponents);
    }
    return ok;
}

// --- the root ------------------------------------------------------------------------------------

// The term that is extreme in the order, by sign.
static uint32_t find_extreme(const polynomial *p, double sign)
{
    uint32_t best = 0;
    for (uint32_t k = 1; k < p->count; k++) {
        best = sign * p->terms[k].weight > sign * p->terms[best].weight ? k : best;
    }
    return best;
}

static bool is_square(const polynomial *p, uint32_t k)
{
    bool is = rh__expr_number_sign(p->store, p->terms[k].number) > 0;
    for (uint32_t j = 0; is && j < MOST_FACTORS; j++) {
        is = p->terms[k].exponents[j] % 2 == 0;
    }
    return is;
}

// Add number * a * b; terms that vanish go.
static bool add_product(polynomial *p, rh_expr number, const term *a, const term *b)
{
    term it = {.number = rh__number_multiply(p->store, number,
                                             rh__number_multiply(p->store, a->number, b->number))};
    for (uint32_t j = 0; j < MOST_FACTORS; j++) {
        it.exponents[j] = a->exponents[j] + b->exponents[j];
    }
    it.weight = weight_of(it.exponents);
    if (rh__expr_is_none(it.number)) {
        return false;
    }
    for (uint32_t k = 0; k < p->count; k++) {
        term *other = &p->terms[k];
        bool is_like = true;
        for (uint32_t j = 0; is_like && j < MOST_FACTORS; j++) {
            is_like = other->exponents[j] == it.exponents[j];
        }
        if (!is_like) {
            continue;
        }
        other->number = rh__number_add(p->store, other->number, it.number);
        if (rh__expr_is_none(other->number)) {
            return false;
        }
        if (rh__expr_is_zero(p->store, other->number)) {
            *other = p->terms[--p->count];
        }
        return true;
    }
    if (p->count == sizeof p->terms / sizeof *p->terms) {
        return false;
    }
    p->terms[p->count++] = it;
    return true;
}

// `of` over twice `first`, the leading term of a root with leading number 1; false: it does not
// divide.
static bool divide(rh_store *store, const term *of, const term *first, term *out)
{
    *out = (term){.number = rh__number_multiply(store, of->number, rh__expr_ratio(store, 1, 2))};
    bool ok = !rh__expr_is_none(out->number);
    for (uint32_t j = 0; ok && j < MOST_FACTORS; j++) {
        out->exponents[j] = of->exponents[j] - first->exponents[j];
        ok = out->exponents[j] >= 0;
    }
    out->weight = weight_of(out->exponents);
    return ok;
}

// The terms of q, whose square is what `rest` begins as; 0: there is none.
static uint32_t extract(polynomial *rest, term *root)
{
    rh_store *store = rest->store;
    const rh_expr minus_two = rh__expr_integer(store, -2);
    const uint32_t lead = find_extreme(rest, 1.0);
    uint32_t count = 1;
    root[0] = (term){.number = store->one};
    for (uint32_t j = 0; j < MOST_FACTORS; j++) {
        root[0].exponents[j] = rest->terms[lead].exponents[j] / 2;
    }
    root[0].weight = weight_of(root[0].exponents);
    bool ok = add_product(rest, store->minus_one, &root[0], &root[0]);
    while (ok && rest->count > 0 && count < MOST_ROOT) {
        term *next = &root[count];
        ok = divide(store, &rest->terms[find_extreme(rest, 1.0)], &root[0], next) &&
             next->weight < root[count - 1].weight;
        for (uint32_t k = 0; ok && k < count; k++) {
            ok = add_product(rest, minus_two, &root[k], next);
        }
        ok = ok && add_product(rest, store->minus_one, next, next);
        count += ok;
    }
    return ok && rest->count == 0 ? count : 0;
}

static rh_expr write_root(const polynomial *p, const term *root, uint32_t count)
{
    rh_store *store = p->store;
    rh_expr sum = store->zero;
    for (uint32_t k = 0; k < count; k++) {
        rh_expr product = root[k].number;
        for (uint32_t j = 0; j < p->factor_count; j++) {
            product =
                rh__expr_multiply(store, product,
                                  rh__expr_power(store, p->factors[j],
                                                 rh__expr_integer(store, root[k].exponents[j])));
        }
        sum = rh__expr_add(store, sum, product);
    }
    return sum;
}

rh_expr rh__expr_find_square(rh_store *store, rh_expr sum, rh_expr *out_number)
{
    polynomial p = {.store = store};
    term root[MOST_ROOT + 1];
    *out_number = store->one;
    if (rh__expr_op(store, sum) != RH_OP_ADD || !read_sum(&p, sum) ||
        !is_square(&p, find_extreme(&p, 1.0)) || !is_square(&p, find_extreme(&p, -1.0))) {
        return RH_EXPR_NONE;
    }
    const rh_expr lead = p.terms[find_extreme(&p, 1.0)].number;
    const rh_expr inverse = rh__expr_divide(store, store->one, lead);
    for (uint32_t k = 0; k < p.count; k++) {
        p.terms[k].number = rh__number_multiply(store, inverse, p.terms[k].number);
        if (rh__expr_is_none(p.terms[k].number)) {
            return RH_EXPR_NONE;
        }
    }
    const uint32_t count = extract(&p, root);
    *out_number = lead;
    return count > 0 ? write_root(&p, root, count) : RH_EXPR_NONE;
}
