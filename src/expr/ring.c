// SPDX-License-Identifier: Apache-2.0
// Rings: interned atoms and monomials, and sums under construction, which find like terms by the id
// of the monomial.

#include "expr/ring.h"

#include <string.h>

static bool run_out(rh_ring *ring)
{
    ring->trouble = RH_TROUBLE_MEMORY;
    return false;
}

static bool give_up(rh_ring *ring)
{
    ring->trouble = RH_TROUBLE_LIMIT;
    return false;
}

bool rh__ring_begin(rh_ring *ring, const rh_arena *like, uint32_t limit)
{
    *ring = (rh_ring){.pool = rh__arena_begin(like->allocator, like->limit), .limit = limit};
    const rh_atom no_atom = {.step = 0};
    uint32_t one = 0;
    const bool ok = rh__array_push(&ring->pool, &ring->atoms, no_atom) &&
                    rh__monomial_intern(ring, NULL, 0, &one);
    RH_ASSERT(!ok || one == 0);
    return ok || run_out(ring);
}

void rh__ring_end(rh_ring *ring)
{
    rh__arena_end(&ring->pool);
}

bool rh__ring_spend(rh_ring *ring, uint64_t steps)
{
    if (steps > ring->work) {
        ring->work = 0;
        return give_up(ring);
    }
    ring->work -= steps;
    return true;
}

// --- indices: id + 1 by hash, 0 for empty -----------------------------------------------------

static uint64_t hash_monomial(const rh_ring *ring, uint32_t id)
{
    const rh_monomial at = ring->monomials.data[id];
    const rh_power *powers = at.count > 0 ? ring->powers.data + at.first : NULL;
    return rh__hash_slot_bytes(powers, at.count * sizeof(rh_power), at.count);
}

static uint64_t hash_atom(const rh_ring *ring, uint32_t id)
{
    return rh__hash_slot(ring->atoms.data[id].key.i);
}

typedef uint64_t hash_function(const rh_ring *ring, uint32_t id);

static void put_id(const rh_ring *ring, rh_index *index, hash_function *hash, uint32_t id)
{
    uint32_t slot = (uint32_t)hash(ring, id) & (index->count - 1);
    while (index->slots[slot] != 0) {
        slot = (slot + 1) & (index->count - 1);
    }
    index->slots[slot] = id + 1;
    RH_ASSERT_LOAD(index->used, index->count);
}

// Room for one more; `first` and `end` are the ids in it.
static bool grow_ids(rh_ring *ring, rh_index *index, hash_function *hash, uint32_t first,
                     uint32_t end)
{
    if (2 * (uint64_t)(index->used + 1) <= index->count) {
        return true;
    }
    const uint32_t count = index->count == 0 ? 64 : 2 * index->count;
    uint32_t *slots = rh__arena_resize(&ring->pool, index->slots, index->count * sizeof *slots,
                                       count * sizeof *slots);
    if (slots == NULL) {
        return run_out(ring);
    }
    memset(slots, 0, count * sizeof *slots);
    index->slots = slots;
    index->count = count;
    for (uint32_t id = first; id < end; id++) {
        put_id(ring, index, hash, id);
    }
    return true;
}

// --- atoms -----------------------------------------------------------------------------------

uint32_t rh__ring_find(const rh_ring *ring, rh_expr key)
{
    const rh_index *index = &ring->atom_index;
    if (index->count == 0) {
        return 0;
    }
    uint32_t slot = (uint32_t)rh__hash_slot(key.i) & (index->count - 1);
    while (index->slots[slot] != 0) {
        const uint32_t id = index->slots[slot] - 1;
        if (rh__expr_same(ring->atoms.data[id].key, key)) {
            return id;
        }
        slot = (slot + 1) & (index->count - 1);
    }
    return 0;
}

uint32_t rh__ring_insert(rh_ring *ring, const rh_atom *atom)
{
    RH_ASSERT(rh__ring_find(ring, atom->key) == 0);
    if (!grow_ids(ring, &ring->atom_index, hash_atom, 1, ring->atoms.count) ||
        !rh__array_push(&ring->pool, &ring->atoms, *atom)) {
        run_out(ring);
        return 0;
    }
    const uint32_t id = ring->atoms.count - 1;
    put_id(ring, &ring->atom_index, hash_atom, id);
    ring->atom_index.used++;
    return id;
}

// --- monomials -------------------------------------------------------------------------------

static bool find_monomial(const rh_ring *ring, const rh_power *powers, uint32_t count,
                          uint32_t *out)
{
    const rh_index *index = &ring->monomial_index;
    const size_t size = count * sizeof *powers;
    uint32_t slot = (uint32_t)rh__hash_slot_bytes(powers, size, count) & (index->count - 1);
    while (index->slots[slot] != 0) {
        const uint32_t id = index->slots[slot] - 1;
        const rh_monomial at = ring->monomials.data[id];
        if (at.count == count &&
            (count == 0 || memcmp(ring->powers.data + at.first, powers, size) == 0)) {
            *out = id;
            return true;
        }
        slot = (slot + 1) & (index->count - 1);
    }
    return false;
}

bool rh__monomial_intern(rh_ring *ring, const rh_power *powers, uint32_t count, uint32_t *out)
{
    if (!grow_ids(ring, &ring->monomial_index, hash_monomial, 0, ring->monomials.count)) {
        return false;
    }
    if (find_monomial(ring, powers, count, out)) {
        return true;
    }
    const rh_monomial made = {ring->powers.count, count};
    const rh_seat seat = {0, 0};
    if (!rh__array_reserve(&ring->pool, &ring->powers, count) ||
        !rh__array_push(&ring->pool, &ring->monomials, made) ||
        !rh__array_push(&ring->pool, &ring->seats, seat)) {
        return run_out(ring);
    }
    if (count > 0) {
        memcpy(ring->powers.data + made.first, powers, count * sizeof *powers);
    }
    ring->powers.count += count;
    *out = ring->monomials.count - 1;
    put_id(ring, &ring->monomial_index, hash_monomial, *out);
    ring->monomial_index.used++;
    return true;
}

// Merge by atom; equal atoms add their exponents. UINT32_MAX when one becomes too large.
static uint32_t merge_powers(const rh_power *a, uint32_t count_a, const rh_power *b,
                             uint32_t count_b, rh_power *out)
{
    const int32_t most = RH_RING_EXPONENT * RH_RING_UNIT;
    uint32_t i = 0;
    uint32_t j = 0;
    uint32_t size = 0;
    while (i < count_a || j < count_b) {
        if (j == count_b || (i < count_a && a[i].atom < b[j].atom)) {
            out[size++] = a[i++];
        } else if (i == count_a || b[j].atom < a[i].atom) {
            out[size++] = b[j++];
        } else {
            const rh_power both = {a[i].atom, a[i].exponent + b[j].exponent};
            if (both.exponent > most || both.exponent < -most) {
                return UINT32_MAX;
            }
            i++;
            j++;
            out[size] = both;
            size += both.exponent != 0;
        }
    }
    return size;
}

bool rh__monomial_multiply(rh_ring *ring, uint32_t a, uint32_t b, uint32_t *out)
{
    enum { SMALL = 64 };
    if (a == 0 || b == 0) {
        *out = a == 0 ? b : a;
        return true;
    }
    const rh_monomial x = ring->monomials.data[a];
    const rh_monomial y = ring->monomials.data[b];
    rh_power small[SMALL];
    const bool is_long = x.count + y.count > SMALL;
    rh_power *powers = is_long ? rh__arena_array(&ring->pool, rh_power, x.count + y.count) : small;
    if (powers == NULL) {
        return run_out(ring);
    }
    const uint32_t size = merge_powers(ring->powers.data + x.first, x.count,
                                       ring->powers.data + y.first, y.count, powers);
    return size == UINT32_MAX ? give_up(ring) : rh__monomial_intern(ring, powers, size, out);
}

bool rh__monomial_power(rh_ring *ring, uint32_t a, int64_t p, int64_t q, uint32_t *out)
{
    RH_ASSERT(q > 0);
    const rh_monomial at = ring->monomials.data[a];
    rh_power *powers = rh__arena_array(&ring->pool, rh_power, at.count);
    if (powers == NULL) {
        return run_out(ring);
    }
    const int64_t most = RH_RING_EXPONENT * RH_RING_UNIT;
    for (uint32_t k = 0; k < at.count; k++) {
        const rh_power old = ring->powers.data[at.first + k];
        if (p > most || p < -most || old.exponent * p % q != 0 || old.exponent * p / q > most ||
            old.exponent * p / q < -most) {
            return give_up(ring);
        }
        powers[k] = (rh_power){old.atom, (int32_t)(old.exponent * p / q)};
    }
    return rh__monomial_intern(ring, powers, p == 0 ? 0 : at.count, out);
}

// --- sums ------------------------------------------------------------------------------------

void rh__sum_begin(rh_ring *ring)
{
    ring->sum.count = 0;
    ring->visit++;
    if (ring->visit == 0) {
        memset(ring->seats.data, 0, ring->seats.count * sizeof *ring->seats.data);
        ring->visit = 1;
    }
}

bool rh__sum_add(rh_ring *ring, rh_rational number, uint32_t monomial)
{
    // terms that cancel later are terms for a while
    const uint64_t most = 4 * (uint64_t)ring->limit + 16;
    rh_seat *seat = &ring->seats.data[monomial];
    if (seat->visit != ring->visit) {
        const rh_term term = {number, monomial};
        if (ring->sum.count >= most) {
            return give_up(ring);
        }
        *seat = (rh_seat){ring->visit, ring->sum.count};
        return rh__array_push(&ring->pool, &ring->sum, term) || run_out(ring);
    }
    rh_rational *total = &ring->sum.data[seat->place].number;
    return rh__rational_add(&ring->pool, *total, number, RH_RING_NUMBER_BITS, total) ||
           (ring->pool.status == RH_OK ? give_up(ring) : run_out(ring));
}

bool rh__sum_end(rh_ring *ring, rh_poly *out)
{
    uint32_t count = 0;
    for (uint32_t k = 0; k < ring->sum.count; k++) {
        if (rh__rational_sign(ring->sum.data[k].number) != 0) {
            ring->sum.data[count++] = ring->sum.data[k];
        }
    }
    if (count > ring->limit) {
        return give_up(ring);
    }
    rh_term *data = rh__arena_array(&ring->pool, rh_term, count);
    if (data == NULL) {
        return run_out(ring);
    }
    if (count > 0) {
        memcpy(data, ring->sum.data, count * sizeof *data);
    }
    *out = (rh_poly){data, count};
    return true;
}
