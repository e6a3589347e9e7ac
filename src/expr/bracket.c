// SPDX-License-Identifier: Apache-2.0
// Folding that keeps digits by its making. Sums that a rewriting about another point would spoil
// are atoms: constants of a run, sums of plain symbols (x - 1000, x - y), and bases of roots and
// quotients. Squares of sines are left as they are; only sin^2 + cos^2 with equal factors is 1.

#include "expr/folder.h"

static bool moves(const rh_store *store, rh_expr e)
{
    return (rh__expr_mask(store, e) & RH_EXPR_VARIABLE) != 0;
}

// A symbol that moves, with factors that do not; or nothing that moves.
static bool is_plain(const rh_store *store, rh_expr term)
{
    const bool is_product = rh__expr_op(store, term) == RH_OP_MUL;
    const uint32_t count = is_product ? rh__expr_count(store, term) : 1;
    uint32_t moving = 0;
    for (uint32_t k = 0; k < count; k++) {
        const rh_expr part = is_product ? rh__expr_argument(store, term, k) : term;
        if (moves(store, part)) {
            moving += rh__expr_op(store, part) == RH_OP_SYMBOL ? 1 : 2;
        }
    }
    return moving < 2;
}

bool rh__bracket_is_closed(const rh_folder *folder, rh_expr e)
{
    const rh_store *store = folder->store;
    const uint32_t count = rh__expr_count(store, e);
    bool is_closed = count > 2;
    for (uint32_t k = 0; is_closed && k < count; k += 2) {
        is_closed = is_plain(store, rh__expr_argument(store, e, k + 1));
    }
    for (uint32_t k = 0; !is_closed && k < folder->closed.count; k++) {
        is_closed = rh__expr_same(folder->closed.data[k], e);
    }
    return is_closed;
}

// x - 1000: plain terms, of which some move and some do not.
static bool is_far_sum(const rh_store *store, rh_expr e)
{
    const uint32_t count = rh__expr_op(store, e) == RH_OP_ADD ? rh__expr_count(store, e) : 0;
    bool is_plain_sum = count > 2;
    bool has_constant = false;
    for (uint32_t k = 0; k < count; k += 2) {
        const rh_expr term = rh__expr_argument(store, e, k + 1);
        is_plain_sum = is_plain_sum && is_plain(store, term);
        has_constant = has_constant || !moves(store, term);
    }
    return is_plain_sum && has_constant && moves(store, e);
}

bool rh__bracket_is_far(const rh_store *store, rh_expr e)
{
    const rh_op op = rh__expr_op(store, e);
    const uint32_t count = op == RH_OP_MUL ? rh__expr_count(store, e) : op == RH_OP_POW;
    uint32_t sums = 0;
    for (uint32_t k = 0; k < count; k++) {
        const rh_expr part = op == RH_OP_MUL ? rh__expr_argument(store, e, k) : e;
        const bool is_power = rh__expr_op(store, part) == RH_OP_POW;
        sums += is_far_sum(store, rh__expr_base(store, part)) ? 1 + is_power : 0;
    }
    return sums > 1;
}

bool rh__bracket_begin(rh_folder *folder, rh_expr e)
{
    rh_store *store = folder->store;
    rh_arena *pool = &folder->ring.pool;
    rh_expr_list all;
    bool ok = rh__expr_reach(store, &e, 1, pool, &all);
    for (uint32_t k = 0; ok && k < all.count; k++) {
        int64_t n = 0;
        const rh_expr base = rh__expr_base(store, all.data[k]);
        const bool is_base =
            rh__expr_op(store, all.data[k]) == RH_OP_POW && rh__expr_op(store, base) == RH_OP_ADD &&
            (!rh__expr_as_integer(store, rh__expr_exponent(store, all.data[k]), &n) || n < 0);
        ok = !is_base || rh__array_push(pool, &folder->closed, base);
    }
    return ok;
}

// --- squares ---------------------------------------------------------------------------------

// f^2 + p*g^2 = q for the partners f and g.
typedef struct rule {
    int p, q;
} rule;

static rule rule_of(rh_op f)
{
    switch (f) {
    case RH_OP_COSH:
        return (rule){-1, 1};
    case RH_OP_SINH:
        return (rule){-1, -1};
    default:
        return (rule){1, 1};
    }
}

// Two terms that are one.
typedef struct join {
    uint32_t first, second; // places
    rh_term instead;
} join;

static uint32_t find_monomial(rh_poly a, uint32_t monomial)
{
    uint32_t at = 0;
    while (at < a.count && a.data[at].monomial != monomial) {
        at++;
    }
    return at;
}

static bool is_times(rh_ring *ring, rh_rational a, int sign, rh_rational b)
{
    rh_rational product = b;
    return rh__rational_multiply(&ring->pool, b, (rh_rational){sign, 1, NULL}, RH_RING_NUMBER_BITS,
                                 &product) &&
           rh__rational_equal(a, product);
}

// Is there a term to be joined with term k through its power f^2? c*f^2*m and p*c*g^2*m are q*c*m.
static bool find_partner(const rh_store *store, rh_ring *ring, rh_poly a, uint32_t k,
                         rh_power power, join *out)
{
    const uint32_t g = ring->atoms.data[power.atom].partner;
    if (g == 0 || power.exponent < 2 * RH_RING_UNIT) {
        return false;
    }
    const rule by = rule_of(rh__expr_op(store, ring->atoms.data[power.atom].key));
    const rh_power without = {power.atom, -2 * RH_RING_UNIT};
    const rh_power square = {g, 2 * RH_RING_UNIT};
    uint32_t inverse = 0;
    uint32_t with = 0;
    uint32_t partner = 0;
    *out = (join){.first = k, .instead = a.data[k]};
    if (!rh__monomial_intern(ring, &without, 1, &inverse) ||
        !rh__monomial_intern(ring, &square, 1, &with) ||
        !rh__monomial_multiply(ring, a.data[k].monomial, inverse, &out->instead.monomial) ||
        !rh__monomial_multiply(ring, out->instead.monomial, with, &partner)) {
        return false;
    }
    out->second = find_monomial(a, partner);
    return out->second < a.count &&
           is_times(ring, a.data[out->second].number, by.p, a.data[k].number) &&
           rh__rational_multiply(&ring->pool, a.data[k].number, (rh_rational){by.q, 1, NULL},
                                 RH_RING_NUMBER_BITS, &out->instead.number);
}

static bool find_join(rh_folder *folder, rh_poly a, join *out)
{
    rh_ring *ring = &folder->ring;
    for (uint32_t k = 0; k < a.count; k++) {
        const rh_monomial at = ring->monomials.data[a.data[k].monomial];
        for (uint32_t j = 0; j < at.count; j++) {
            if (find_partner(folder->store, ring, a, k, ring->powers.data[at.first + j], out)) {
                return true;
            }
        }
    }
    return false;
}

bool rh__bracket_join(rh_folder *folder, rh_poly a, rh_poly *out)
{
    rh_ring *ring = &folder->ring;
    join found;
    bool ok = true;
    *out = a;
    while (ok && find_join(folder, *out, &found)) {
        const rh_poly before = *out;
        ok = rh__ring_spend(ring, 4 * (uint64_t)before.count);
        rh__sum_begin(ring);
        for (uint32_t k = 0; ok && k < before.count; k++) {
            ok = k == found.second ||
                 (k == found.first
                      ? rh__sum_add(ring, found.instead.number, found.instead.monomial)
                      : rh__sum_add(ring, before.data[k].number, before.data[k].monomial));
        }
        ok = ok && rh__sum_end(ring, out);
    }
    return ok;
}
