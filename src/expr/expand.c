// SPDX-License-Identifier: Apache-2.0
// Expressions into polynomials. In: an expression; out: an entry with its polynomial for each of
// its parts, arguments first, with a stack of its own. A sum or product that passes a limit becomes
// an atom, so that what holds it can still be folded.

#include "expr/folder.h"

#include <string.h>

enum { MOST_DETOURS = 6 };

// --- entries ---------------------------------------------------------------------------------

static uint32_t slot_of(const rh_folder *folder, rh_expr e)
{
    const uint32_t last = folder->index.count - 1;
    RH_ASSERT_LOAD(folder->index.used, folder->index.count);
    uint32_t slot = (uint32_t)rh__hash_slot(e.i) & last;
    while (folder->index.slots[slot] != 0 &&
           !rh__expr_same(folder->entries.data[folder->index.slots[slot]].e, e)) {
        slot = (slot + 1) & last;
    }
    return slot;
}

rh_entry *rh__folder_entry(const rh_folder *folder, rh_expr e)
{
    const uint32_t id = folder->index.count == 0 ? 0 : folder->index.slots[slot_of(folder, e)];
    return id == 0 ? NULL : &folder->entries.data[id];
}

static bool is_done(const rh_folder *folder, rh_expr e)
{
    return rh__folder_entry(folder, e) != NULL;
}

static bool grow_entries(rh_folder *folder)
{
    rh_index *index = &folder->index;
    if (2 * (uint64_t)(index->used + 1) <= index->count) {
        return true;
    }
    const uint32_t count = index->count == 0 ? 256 : 2 * index->count;
    uint32_t *slots = rh__arena_resize(&folder->ring.pool, index->slots,
                                       index->count * sizeof *slots, count * sizeof *slots);
    if (slots == NULL) {
        return false;
    }
    memset(slots, 0, count * sizeof *slots);
    index->slots = slots;
    index->count = count;
    for (uint32_t id = 1; id < folder->entries.count; id++) {
        slots[slot_of(folder, folder->entries.data[id].e)] = id;
    }
    return true;
}

static bool push_entry(rh_folder *folder, rh_entry entry)
{
    const rh_entry unused = {.poly = {NULL, 0}};
    rh_arena *pool = &folder->ring.pool;
    if (!grow_entries(folder) ||
        (folder->entries.count == 0 && !rh__array_push(pool, &folder->entries, unused)) ||
        !rh__array_push(pool, &folder->entries, entry)) {
        folder->ring.trouble = RH_TROUBLE_MEMORY;
        return false;
    }
    folder->index.slots[slot_of(folder, entry.e)] = folder->entries.count - 1;
    folder->index.used++;
    return true;
}

// --- back to plain expressions -----------------------------------------------------------------

rh_expr rh__folder_number(rh_folder *folder, rh_rational number)
{
    rh_store *store = folder->store;
    rh_rational kept = number;
    const bool ok =
        number.big == NULL || rh__rational_multiply(store->arena, number, rh__rational_make(1, 1),
                                                    RH_EXPR_NUMBER_BITS, &kept);
    return rh__number_result(store, ok, kept);
}

static rh_expr plain_term(rh_folder *folder, rh_term term, rh_expr *factors)
{
    const rh_ring *ring = &folder->ring;
    const rh_monomial at = ring->monomials.data[term.monomial];
    for (uint32_t k = 0; k < at.count; k++) {
        const rh_power power = ring->powers.data[at.first + k];
        factors[k] = rh__expr_power(folder->store, ring->atoms.data[power.atom].key,
                                    rh__expr_ratio(folder->store, power.exponent, RH_RING_UNIT));
    }
    factors[at.count] = rh__folder_number(folder, term.number);
    return rh__expr_product(folder->store, factors, at.count + 1);
}

rh_expr rh__folder_plain(rh_folder *folder, rh_poly poly)
{
    rh_ring *ring = &folder->ring;
    uint32_t most = 0;
    uint64_t total = 0;
    for (uint32_t k = 0; k < poly.count; k++) {
        const uint32_t count = ring->monomials.data[poly.data[k].monomial].count;
        most = count > most ? count : most;
        total += 1 + count;
    }
    if (!rh__ring_spend(ring, total)) {
        return RH_EXPR_NONE;
    }
    const rh_mark mark = rh__arena_mark(&ring->pool);
    rh_expr *terms = rh__arena_array(&ring->pool, rh_expr, poly.count);
    rh_expr *factors = rh__arena_array(&ring->pool, rh_expr, (size_t)most + 1);
    rh_expr result = RH_EXPR_NONE;
    if (terms == NULL || factors == NULL) {
        ring->trouble = RH_TROUBLE_MEMORY;
    } else {
        for (uint32_t k = 0; k < poly.count; k++) {
            terms[k] = plain_term(folder, poly.data[k], factors);
        }
        result = rh__expr_sum(folder->store, terms, poly.count);
    }
    rh__arena_rewind(&ring->pool, mark);
    return result;
}

rh_expr rh__folder_key(rh_folder *folder, rh_expr e)
{
    const rh_entry *entry = rh__folder_entry(folder, e);
    if (!rh__expr_is_none(entry->key)) {
        return entry->key;
    }
    const rh_expr key = rh__folder_plain(folder, entry->poly);
    rh__folder_entry(folder, e)->key = key;
    return key;
}

// --- sums and products -------------------------------------------------------------------------

static bool sum_of(rh_folder *folder, rh_expr e, rh_poly *out)
{
    rh_ring *ring = &folder->ring;
    bool ok = true;
    rh__sum_begin(ring);
    for (uint32_t k = 0; ok && k < rh__expr_count(folder->store, e); k += 2) {
        const rh_rational number =
            rh__store_value(folder->store, rh__expr_argument(folder->store, e, k));
        const rh_poly part =
            rh__folder_entry(folder, rh__expr_argument(folder->store, e, k + 1))->poly;
        ok = rh__ring_spend(ring, part.count);
        for (uint32_t j = 0; ok && j < part.count; j++) {
            rh_rational both = number;
            ok = rh__rational_multiply(&ring->pool, number, part.data[j].number,
                                       RH_RING_NUMBER_BITS, &both);
            ring->trouble = ok ? ring->trouble : RH_TROUBLE_LIMIT;
            ok = ok && rh__sum_add(ring, both, part.data[j].monomial);
        }
    }
    return ok && rh__sum_end(ring, out);
}

static bool product_of(rh_folder *folder, rh_expr e, rh_poly *out)
{
    rh_poly result = rh__folder_entry(folder, rh__expr_argument(folder->store, e, 0))->poly;
    bool ok = true;
    for (uint32_t k = 1; ok && k < rh__expr_count(folder->store, e); k++) {
        const rh_poly part = rh__folder_entry(folder, rh__expr_argument(folder->store, e, k))->poly;
        ok = rh__poly_multiply(&folder->ring, result, part, &result);
    }
    *out = result;
    return ok;
}

// --- walking ---------------------------------------------------------------------------------

typedef struct frame {
    rh_expr e;
    uint32_t next;
    uint32_t detours; // on the way here
    rh_expr instead;  // whose polynomial it gets
} frame;

// The same operation on the cheap forms of the arguments.
static rh_expr rebuild(rh_folder *folder, rh_expr e)
{
    rh_store *store = folder->store;
    const uint32_t count = rh__expr_count(store, e);
    const rh_mark mark = rh__arena_mark(&folder->ring.pool);
    rh_expr *arguments = rh__arena_array(&folder->ring.pool, rh_expr, count);
    rh_expr result = e;
    bool is_changed = false;
    if (arguments == NULL) {
        folder->ring.trouble = RH_TROUBLE_MEMORY;
        return RH_EXPR_NONE;
    }
    for (uint32_t k = 0; k < count; k++) {
        const rh_expr old = rh__expr_argument(store, e, k);
        arguments[k] = rh__folder_entry(folder, old)->cheap;
        is_changed = is_changed || !rh__expr_same(old, arguments[k]);
    }
    if (is_changed && folder->folds) {
        result = rh__expr_apply(store, rh__expr_op(store, e), arguments, count);
    }
    rh__arena_rewind(&folder->ring.pool, mark);
    return result;
}

static bool poly_of(rh_folder *folder, rh_expr e, rh_expr rebuilt, rh_poly *out,
                    rh_expr *out_instead)
{
    rh_store *store = folder->store;
    switch (rh__expr_op(store, e)) {
    case RH_OP_NUMBER:
        return rh__poly_constant(&folder->ring, rh__store_value(store, e), out);
    case RH_OP_PI:
    case RH_OP_SYMBOL:
        return rh__folder_plain_atom(folder, e, e, out);
    case RH_OP_ADD:
        return folder->guards && rh__bracket_is_closed(folder, e)
                   ? rh__folder_plain_atom(folder, e, rebuilt, out)
                   : sum_of(folder, e, out);
    case RH_OP_MUL:
        return product_of(folder, e, out);
    default:
        return rh__folder_atom(folder, e, rebuilt, out, out_instead);
    }
}

static bool is_algebra(rh_op op)
{
    return op == RH_OP_ADD || op == RH_OP_MUL || op == RH_OP_POW;
}

// The entry of `e`, whose arguments have theirs. `*out_instead` not none: that one is needed first.
static bool enter_node(rh_folder *folder, rh_expr e, bool may_detour, rh_expr *out_instead)
{
    rh_ring *ring = &folder->ring;
    rh_store *store = folder->store;
    const rh_expr rebuilt = rebuild(folder, e);
    rh_entry entry = {.e = e, .cheap = rebuilt};
    if (rh__expr_is_none(rebuilt)) {
        return false;
    }
    bool ok = rh__ring_spend(ring, 1 + rh__expr_count(store, e)) || folder->folds;
    ok = ok && poly_of(folder, e, rebuilt, &entry.poly, out_instead);
    if (ok && !rh__expr_is_none(*out_instead) && may_detour) {
        return true;
    }
    entry.is_far = !folder->guards && rh__bracket_is_far(store, e);
    for (uint32_t k = 0; k < rh__expr_count(store, e) && !entry.is_far; k++) {
        entry.is_far = rh__folder_entry(folder, rh__expr_argument(store, e, k))->is_far;
    }
    const bool is_atom = !ok || !rh__expr_is_none(*out_instead);
    *out_instead = RH_EXPR_NONE;
    if (store->refusal != RH_REFUSAL_NONE || (!ok && ring->trouble == RH_TROUBLE_MEMORY) ||
        (!ok && !folder->folds)) {
        return false;
    }
    if (is_atom) {
        ok = rh__folder_plain_atom(folder, e, rebuilt, &entry.poly);
    } else if (folder->folds && !entry.is_far && is_algebra(rh__expr_op(store, e))) {
        folder->is_held = false;
        entry.cheap = rh__folder_choose(folder, e, rebuilt, entry.poly);
        entry.is_held = folder->is_held;
    }
    entry.is_held = entry.is_held || entry.is_far;
    for (uint32_t k = 0; k < rh__expr_count(store, e) && !entry.is_held; k++) {
        entry.is_held = rh__folder_entry(folder, rh__expr_argument(store, e, k))->is_held;
    }
    return ok && !rh__expr_is_none(entry.cheap) && push_entry(folder, entry);
}

// `e` is what `instead` is.
static bool copy_entry(rh_folder *folder, rh_expr e, rh_expr instead)
{
    rh_entry entry = *rh__folder_entry(folder, instead);
    const rh_expr rebuilt = rebuild(folder, e);
    if (rh__expr_is_none(rebuilt)) {
        return false;
    }
    entry.e = e;
    entry.cheap = rh__folder_may_stand(folder, e, entry.cheap) ? entry.cheap : rebuilt;
    entry.folded = RH_EXPR_NONE;
    return push_entry(folder, entry);
}

static rh_expr next_argument(const rh_folder *folder, frame *top)
{
    while (top->next < rh__expr_count(folder->store, top->e)) {
        const rh_expr child = rh__expr_argument(folder->store, top->e, top->next++);
        if (!is_done(folder, child)) {
            return child;
        }
    }
    return RH_EXPR_NONE;
}

bool rh__folder_enter(rh_folder *folder, rh_expr root)
{
    rh_arena work = rh__arena_begin(folder->ring.pool.allocator, folder->ring.pool.limit);
    RH_ARRAY(frame) stack = {0};
    const frame first = {.e = root};
    bool ok = is_done(folder, root) || rh__array_push(&work, &stack, first);
    while (ok && stack.count > 0) {
        frame *top = &stack.data[stack.count - 1];
        frame below = {.e = next_argument(folder, top), .detours = top->detours};
        if (rh__expr_is_none(below.e) && is_done(folder, top->e)) {
            stack.count--;
            continue;
        }
        if (rh__expr_is_none(below.e) && !rh__expr_is_none(top->instead)) {
            ok = copy_entry(folder, top->e, top->instead);
            continue;
        }
        if (rh__expr_is_none(below.e)) {
            ok = enter_node(folder, top->e, top->detours < MOST_DETOURS, &top->instead);
            below = (frame){.e = top->instead, .detours = top->detours + 1};
        }
        if (ok && !rh__expr_is_none(below.e) && !is_done(folder, below.e)) {
            ok = rh__array_push(&work, &stack, below);
        }
    }
    rh__arena_end(&work);
    return ok;
}
