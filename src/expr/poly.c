// SPDX-License-Identifier: Apache-2.0
// Arithmetic of polynomials in a ring. Products are settled as they are made, so squares of sines
// never pile up.

#include "expr/ring.h"

static const rh_rational ONE = {1, 1, NULL};

static bool give_up(rh_ring *ring)
{
    ring->trouble = RH_TROUBLE_LIMIT;
    return false;
}

static bool multiply_numbers(rh_ring *ring, rh_rational a, rh_rational b, rh_rational *out)
{
    if (rh__rational_multiply(&ring->pool, a, b, RH_RING_NUMBER_BITS, out)) {
        return true;
    }
    ring->trouble = ring->pool.status == RH_OK ? RH_TROUBLE_LIMIT : RH_TROUBLE_MEMORY;
    return false;
}

bool rh__poly_constant(rh_ring *ring, rh_rational number, rh_poly *out)
{
    rh__sum_begin(ring);
    return rh__sum_add(ring, number, 0) && rh__sum_end(ring, out);
}

bool rh__poly_atom(rh_ring *ring, rh_rational number, uint32_t atom, int32_t exponent, rh_poly *out)
{
    const rh_power power = {atom, exponent};
    uint32_t monomial = 0;
    rh__sum_begin(ring);
    return rh__monomial_intern(ring, &power, exponent != 0, &monomial) &&
           rh__sum_add(ring, number, monomial) && rh__sum_end(ring, out) &&
           rh__poly_settle(ring, *out, out);
}

// number * monomial * a into the sum under construction.
static bool add_shifted(rh_ring *ring, rh_poly a, rh_rational number, uint32_t monomial)
{
    bool ok = rh__ring_spend(ring, a.count);
    for (uint32_t k = 0; ok && k < a.count; k++) {
        uint32_t product = 0;
        rh_rational both = number;
        ok = rh__monomial_multiply(ring, a.data[k].monomial, monomial, &product) &&
             multiply_numbers(ring, a.data[k].number, number, &both) &&
             rh__sum_add(ring, both, product);
    }
    return ok;
}

bool rh__poly_shift(rh_ring *ring, rh_poly a, rh_rational number, uint32_t monomial, rh_poly *out)
{
    rh__sum_begin(ring);
    return add_shifted(ring, a, number, monomial) && rh__sum_end(ring, out);
}

static bool multiply_bare(rh_ring *ring, rh_poly a, rh_poly b, rh_poly *out)
{
    bool ok = true;
    rh__sum_begin(ring);
    for (uint32_t k = 0; ok && k < a.count; k++) {
        ok = add_shifted(ring, b, a.data[k].number, a.data[k].monomial);
    }
    return ok && rh__sum_end(ring, out);
}

bool rh__poly_multiply(rh_ring *ring, rh_poly a, rh_poly b, rh_poly *out)
{
    return multiply_bare(ring, a, b, out) && rh__poly_settle(ring, *out, out);
}

bool rh__poly_term_power(rh_ring *ring, rh_term term, int64_t n, rh_poly *out)
{
    uint32_t monomial = 0;
    rh_rational number = ONE;
    if (!rh__monomial_power(ring, term.monomial, n, 1, &monomial)) {
        return false;
    }
    if (!rh__rational_power(&ring->pool, term.number, n, RH_RING_NUMBER_BITS, &number)) {
        return give_up(ring);
    }
    rh__sum_begin(ring);
    return rh__sum_add(ring, number, monomial) && rh__sum_end(ring, out);
}

bool rh__poly_power(rh_ring *ring, rh_poly a, uint32_t n, rh_poly *out)
{
    if (a.count == 1) {
        return rh__poly_term_power(ring, a.data[0], n, out) && rh__poly_settle(ring, *out, out);
    }
    // one factor after the other: cheaper than squaring where terms are many
    rh_poly result;
    bool ok = rh__poly_constant(ring, ONE, &result);
    for (uint32_t k = 0; ok && k < n && a.count > 0; k++) {
        ok = rh__poly_multiply(ring, result, a, &result);
    }
    *out = a.count == 0 && n > 0 ? (rh_poly){NULL, 0} : result;
    return ok;
}

// --- rules -----------------------------------------------------------------------------------

// How often the rule of a power applies. A body of one term can be turned upside down: numbers are
// left with a positive fraction, products with one above -1.
static int32_t rule_times(const rh_ring *ring, rh_power power)
{
    const rh_atom *atom = &ring->atoms.data[power.atom];
    if (atom->step == 0) {
        return 0;
    }
    const int32_t times = power.exponent / atom->step;
    if (atom->body.count != 1) {
        return times > 0 ? times : 0;
    }
    const bool is_number = atom->body.data[0].monomial == 0;
    return times - (is_number && power.exponent % atom->step < 0);
}

// The first power of a monomial to which a rule applies; false when there is none.
static bool find_rule(const rh_ring *ring, uint32_t monomial, rh_power *out, int32_t *out_times)
{
    const rh_monomial at = ring->monomials.data[monomial];
    for (uint32_t k = 0; k < at.count; k++) {
        *out = ring->powers.data[at.first + k];
        *out_times = rule_times(ring, *out);
        if (*out_times != 0) {
            return true;
        }
    }
    return false;
}

// What atom^(times*step) becomes.
static bool rule_power(rh_ring *ring, uint32_t atom, int32_t times, rh_poly *out)
{
    const rh_poly body = ring->atoms.data[atom].body;
    if (body.count == 1) {
        return rh__poly_term_power(ring, body.data[0], times, out);
    }
    rh_poly result = body;
    bool ok = true;
    for (int32_t k = 1; ok && k < times; k++) {
        ok = multiply_bare(ring, result, body, &result);
    }
    *out = result;
    return ok;
}

// The bodies that one pass needs are made before its sum begins, because sums do not nest.
typedef struct opening {
    rh_poly body;
    uint32_t rest; // monomial
    bool applies;
} opening;

static bool open_term(rh_ring *ring, uint32_t monomial, opening *out)
{
    rh_power power;
    int32_t times = 0;
    *out = (opening){.rest = monomial};
    if (!find_rule(ring, monomial, &power, &times)) {
        return true;
    }
    const rh_power back = {power.atom, -times * ring->atoms.data[power.atom].step};
    uint32_t inverse = 0;
    out->applies = true;
    return rule_power(ring, power.atom, times, &out->body) &&
           rh__monomial_intern(ring, &back, 1, &inverse) &&
           rh__monomial_multiply(ring, monomial, inverse, &out->rest);
}

// One pass over all terms. `*out_changed` when a rule applied.
static bool settle_once(rh_ring *ring, rh_poly a, rh_poly *out, bool *out_changed)
{
    rh_power power;
    int32_t times = 0;
    uint32_t first = 0;
    while (first < a.count && !find_rule(ring, a.data[first].monomial, &power, &times)) {
        first++;
    }
    *out = a;
    *out_changed = first < a.count;
    if (!*out_changed) {
        return true;
    }
    opening *openings = rh__arena_array(&ring->pool, opening, a.count);
    bool ok = rh__ring_spend(ring, a.count);
    if (openings == NULL) {
        ring->trouble = RH_TROUBLE_MEMORY;
        return false;
    }
    for (uint32_t k = 0; ok && k < a.count; k++) {
        ok = open_term(ring, a.data[k].monomial, &openings[k]);
    }
    rh__sum_begin(ring);
    for (uint32_t k = 0; ok && k < a.count; k++) {
        ok = openings[k].applies
                 ? add_shifted(ring, openings[k].body, a.data[k].number, openings[k].rest)
                 : rh__sum_add(ring, a.data[k].number, a.data[k].monomial);
    }
    return ok && rh__sum_end(ring, out);
}

bool rh__poly_settle(rh_ring *ring, rh_poly a, rh_poly *out)
{
    bool is_changed = true;
    bool ok = true;
    rh_poly result = a;
    while (ok && is_changed) {
        ok = settle_once(ring, result, &result, &is_changed);
    }
    *out = result;
    return ok;
}

// --- denominators ----------------------------------------------------------------------------

// The lower exponent of each atom; one that is missing has exponent 0.
static uint32_t lower_powers(const rh_power *a, uint32_t count_a, const rh_power *b,
                             uint32_t count_b, rh_power *out)
{
    uint32_t i = 0;
    uint32_t j = 0;
    uint32_t size = 0;
    while (i < count_a || j < count_b) {
        const bool takes_a = j == count_b || (i < count_a && a[i].atom <= b[j].atom);
        const bool takes_b = i == count_a || (j < count_b && b[j].atom <= a[i].atom);
        const rh_power x = takes_a ? a[i++] : (rh_power){0, 0};
        const rh_power y = takes_b ? b[j++] : (rh_power){0, 0};
        const int32_t exponent = x.exponent < y.exponent ? x.exponent : y.exponent;
        out[size] = (rh_power){takes_a ? x.atom : y.atom, exponent};
        size += exponent != 0;
    }
    return size;
}

bool rh__poly_content(rh_ring *ring, rh_poly a, uint32_t *out)
{
    *out = a.count == 0 ? 0 : a.data[0].monomial;
    size_t most = 0;
    for (uint32_t k = 0; k < a.count; k++) {
        most += ring->monomials.data[a.data[k].monomial].count;
    }
    rh_power *low = rh__arena_array(&ring->pool, rh_power, 2 * most);
    if (low == NULL) {
        ring->trouble = RH_TROUBLE_MEMORY;
        return false;
    }
    rh_power *next = low + most;
    uint32_t size = 0;
    for (uint32_t k = 0; k < a.count; k++) {
        const rh_monomial at = ring->monomials.data[a.data[k].monomial];
        const rh_power *powers = at.count > 0 ? ring->powers.data + at.first : NULL;
        size = k == 0 ? lower_powers(powers, at.count, powers, at.count, next)
                      : lower_powers(low, size, powers, at.count, next);
        rh_power *spare = low;
        low = next;
        next = spare;
    }
    return rh__ring_spend(ring, most) && rh__monomial_intern(ring, low, size, out);
}

bool rh__poly_vanishes(rh_ring *ring, rh_poly a)
{
    enum { ROUNDS = 32 };
    rh_poly rest = a;
    for (int round = 0; round < ROUNDS && rest.count > 0; round++) {
        uint32_t content = 0;
        uint32_t inverse = 0;
        if (!rh__poly_content(ring, rest, &content) || content == 0 ||
            !rh__monomial_power(ring, content, -1, 1, &inverse) ||
            !rh__poly_shift(ring, rest, ONE, inverse, &rest) ||
            !rh__poly_settle(ring, rest, &rest)) {
            return false;
        }
    }
    return rest.count == 0;
}

// --- which square to keep --------------------------------------------------------------------

static uint64_t length_of(const rh_ring *ring, rh_poly a)
{
    uint64_t length = a.count;
    for (uint32_t k = 0; k < a.count; k++) {
        length += ring->monomials.data[a.data[k].monomial].count;
    }
    return length;
}

// f^2 = q + p*g^2 for the rule of f, so g^2 = p*f^2 - p*q: the rule of g in its stead.
static bool turned_body(rh_ring *ring, uint32_t f, rh_poly *out)
{
    const rh_atom *atom = &ring->atoms.data[f];
    const rh_power square = {f, 2 * RH_RING_UNIT};
    uint32_t monomial = 0;
    rh_rational p = ONE;
    rh_rational q = ONE;
    for (uint32_t k = 0; k < atom->body.count; k++) {
        const rh_term term = atom->body.data[k];
        *(term.monomial == 0 ? &q : &p) = term.number;
    }
    const rh_rational minus_pq = {-p.numerator * q.numerator, 1, NULL};
    if (!rh__monomial_intern(ring, &square, 1, &monomial)) {
        return false;
    }
    rh__sum_begin(ring);
    return rh__sum_add(ring, p, monomial) && rh__sum_add(ring, minus_pq, 0) &&
           rh__sum_end(ring, out);
}

// Turn the rule of `f` round, settle, and turn it back unless that is shorter.
static bool try_turn(rh_ring *ring, uint32_t f, rh_poly *best)
{
    const rh_atom before_f = ring->atoms.data[f];
    const uint32_t g = before_f.partner;
    const rh_atom before_g = ring->atoms.data[g];
    rh_poly body;
    rh_poly turned = *best;
    if (!turned_body(ring, f, &body)) {
        return false;
    }
    ring->atoms.data[f].step = 0;
    ring->atoms.data[g].step = 2 * RH_RING_UNIT;
    ring->atoms.data[g].body = body;
    const bool ok = rh__poly_settle(ring, *best, &turned);
    if (ok && length_of(ring, turned) < length_of(ring, *best)) {
        *best = turned;
        return true;
    }
    ring->atoms.data[f] = before_f;
    ring->atoms.data[g] = before_g;
    return ok;
}

// Rules as they were before the turns.
typedef struct turns {
    rh_atom before[32];
    uint32_t atom[32];
    uint32_t count;
} turns;

static bool is_tried(const turns *done, uint32_t atom)
{
    uint32_t k = 0;
    while (k < done->count && done->atom[k] != atom) {
        k++;
    }
    return k < done->count;
}

// Try the arguments whose kept square stands in a monomial.
static bool turn_powers(rh_ring *ring, uint32_t monomial, turns *done, rh_poly *best)
{
    const rh_monomial at = ring->monomials.data[monomial];
    bool ok = true;
    for (uint32_t k = 0; ok && k < at.count && done->count < 32; k++) {
        const rh_power power = ring->powers.data[at.first + k];
        const uint32_t f = ring->atoms.data[power.atom].partner;
        if (f == 0 || power.exponent < 2 * RH_RING_UNIT || ring->atoms.data[f].step == 0 ||
            is_tried(done, f)) {
            continue;
        }
        done->before[done->count] = ring->atoms.data[f];
        done->atom[done->count++] = f;
        done->before[done->count] = ring->atoms.data[power.atom];
        done->atom[done->count++] = power.atom;
        ok = try_turn(ring, f, best);
    }
    return ok;
}

bool rh__poly_shorten(rh_ring *ring, rh_poly a, rh_poly *out)
{
    turns done = {.count = 0};
    bool ok = true;
    *out = a;
    for (uint32_t k = 0; ok && k < a.count; k++) {
        ok = turn_powers(ring, a.data[k].monomial, &done, out);
    }
    for (uint32_t k = 0; k < done.count; k++) {
        ring->atoms.data[done.atom[k]] = done.before[k];
    }
    return ok;
}
