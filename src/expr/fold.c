// SPDX-License-Identifier: Apache-2.0
// Folders: choose the cheapest among an expression, the same with cheap parts, and what can be
// written for its polynomial. An answer never costs more than the question, because the whole is
// compared at last.

#include "expr/folder.h"

#include "expr/cost.h"

enum {
    INNER_TERMS = 64,     // parts with longer polynomials are not written anew
    ALGEBRA_NODES = 2000, // nor are parts of more nodes
    ROUNDS = 6,           // of folding what was folded
    WORK_PER_TERM = 400   // steps of one answer, in proportion to the limit
};

static const size_t POOL_SIZE = (size_t)1 << 26; // more than this is given back between answers

// Folding is a luxury: it never brings a store to its limits.
static bool is_crowded(const rh_store *store)
{
    return store->nodes.count > RH_EXPR_NODES / 2 || store->work > RH_EXPR_WORK / 2;
}

static uint64_t full_work(uint32_t limit)
{
    return 100000 + (uint64_t)WORK_PER_TERM * limit;
}

// --- choosing --------------------------------------------------------------------------------

static uint64_t algebra_cost(rh_folder *folder, rh_expr e)
{
    rh_cost cost;
    rh_arena *scratch = &folder->ring.pool;
    if (!rh__cost_algebra(folder->store, e, ALGEBRA_NODES, scratch, &cost)) {
        rh__ring_spend(&folder->ring, ALGEBRA_NODES / 4);
        return UINT64_MAX;
    }
    const uint64_t total = rh__cost_total(cost);
    rh__ring_spend(&folder->ring, 1 + total / 4);
    return total;
}

rh_expr rh__folder_choose(rh_folder *folder, rh_expr rebuilt, rh_poly poly)
{
    rh_store *store = folder->store;
    if (poly.count == 0) {
        return store->zero;
    }
    if (poly.count > INNER_TERMS || is_crowded(store) || folder->ring.work == 0 ||
        (rh__expr_mask(store, rebuilt) & RH_EXPR_VARIABLE) == 0) {
        return rebuilt;
    }
    rh_expr best = rebuilt;
    uint64_t least = UINT64_MAX;
    rh_poly shorter = poly;
    const bool has_shorter =
        rh__poly_shorten(&folder->ring, poly, &shorter) && shorter.data != poly.data;
    for (int k = 0; k < 1 + has_shorter; k++) {
        const rh_expr written = rh__folder_write(folder, k == 0 ? poly : shorter);
        if (rh__expr_is_none(written) || rh__expr_same(written, best)) {
            continue;
        }
        least = rh__expr_same(best, rebuilt) ? algebra_cost(folder, rebuilt) : least;
        const uint64_t cost = algebra_cost(folder, written);
        best = cost < least ? written : best;
        least = cost < least ? cost : least;
    }
    return store->refusal == RH_REFUSAL_NONE ? best : RH_EXPR_NONE;
}

// --- folders ---------------------------------------------------------------------------------

static bool begin_folder(rh_folder *folder, rh_store *store, uint32_t limit, bool folds)
{
    *folder = (rh_folder){.store = store, .folds = folds, .limit = limit};
    const bool ok = rh__ring_begin(&folder->ring, store->arena, limit);
    folder->ring.work = full_work(limit);
    return ok;
}

static void end_folder(rh_folder *folder)
{
    rh__ring_end(&folder->ring);
}

rh_folder *rh__folder_create(rh_store *store, rh_arena *arena, uint32_t limit)
{
    rh_folder *folder = rh__arena_new(arena, rh_folder);
    if (folder != NULL && !begin_folder(folder, store, limit, true)) {
        end_folder(folder);
        return NULL;
    }
    return folder;
}

void rh__folder_destroy(rh_folder *folder)
{
    if (folder != NULL) {
        end_folder(folder);
    }
}

// Before each answer: work anew, and memory anew when there is much of it.
static bool refresh(rh_folder *folder)
{
    bool ok = true;
    if (folder->ring.pool.used > POOL_SIZE) {
        end_folder(folder);
        ok = begin_folder(folder, folder->store, folder->limit, folder->folds);
    }
    folder->ring.work = full_work(folder->limit);
    return ok;
}

static bool whole_cost(rh_folder *folder, rh_expr e, uint64_t *out)
{
    rh_cost cost;
    const bool ok = rh__expr_cost(folder->store, &e, 1, &folder->ring.pool, &cost);
    *out = rh__cost_total(cost);
    return ok;
}

// Keep the cheaper one.
static bool compare_whole(rh_folder *folder, rh_expr candidate, rh_expr *best, uint64_t *least)
{
    uint64_t cost = 0;
    if (rh__expr_is_none(candidate) || rh__expr_same(candidate, *best)) {
        return true;
    }
    if (!whole_cost(folder, candidate, &cost)) {
        return false;
    }
    *best = cost < *least ? candidate : *best;
    *least = cost < *least ? cost : *least;
    return true;
}

// One round: the best of `e`, its cheap form and its polynomial as a whole.
static bool fold_once(rh_folder *folder, rh_expr e, rh_expr *out)
{
    rh_store *store = folder->store;
    uint64_t least = 0;
    *out = e;
    if (!rh__folder_enter(folder, e) || !whole_cost(folder, e, &least)) {
        return false;
    }
    const rh_entry entry = *rh__folder_entry(folder, e);
    // half of the work is kept for writing
    const uint64_t half = folder->ring.work / 2;
    folder->ring.work = half;
    if (rh__poly_vanishes(&folder->ring, entry.poly)) {
        *out = store->zero;
        return true;
    }
    folder->ring.work = half;
    if (!compare_whole(folder, entry.cheap, out, &least)) {
        return false;
    }
    rh_poly shorter = entry.poly;
    const bool has_shorter =
        rh__poly_shorten(&folder->ring, entry.poly, &shorter) && shorter.data != entry.poly.data;
    return compare_whole(folder, rh__folder_write(folder, entry.poly), out, &least) &&
           (!has_shorter ||
            compare_whole(folder, rh__folder_write(folder, shorter), out, &least)) &&
           store->refusal == RH_REFUSAL_NONE;
}

rh_expr rh__folder_apply(rh_folder *folder, rh_expr e)
{
    rh_store *store = folder->store;
    if (rh__expr_is_none(e) || store->refusal != RH_REFUSAL_NONE) {
        return RH_EXPR_NONE;
    }
    if (rh__expr_count(store, e) == 0 || is_crowded(store)) {
        return e;
    }
    const rh_entry *known = rh__folder_entry(folder, e);
    if (known != NULL && !rh__expr_is_none(known->folded)) {
        return known->folded;
    }
    rh_expr result = e;
    rh_expr before = RH_EXPR_NONE;
    bool ok = refresh(folder);
    for (int round = 0; ok && round < ROUNDS && !rh__expr_same(result, before); round++) {
        before = result;
        ok = fold_once(folder, before, &result);
    }
    rh_entry *entry = ok ? rh__folder_entry(folder, e) : NULL;
    if (entry != NULL) {
        entry->folded = result;
    }
    entry = ok ? rh__folder_entry(folder, result) : NULL;
    if (entry != NULL) {
        entry->folded = result;
    }
    return ok ? result : rh__store_refuse(store, RH_REFUSAL_MEMORY);
}

bool rh__folder_is_zero(rh_folder *folder, rh_expr e)
{
    const rh_store *store = folder->store;
    if (rh__expr_is_none(e) || store->refusal != RH_REFUSAL_NONE || rh__expr_is_zero(store, e)) {
        return rh__expr_is_zero(store, e);
    }
    if (is_crowded(store) || !refresh(folder) || !rh__folder_enter(folder, e)) {
        return false;
    }
    return rh__poly_vanishes(&folder->ring, rh__folder_entry(folder, e)->poly);
}

// --- for one expression ------------------------------------------------------------------------

rh_expr rh__expr_fold(rh_store *store, rh_expr e, uint32_t limit, rh_arena *scratch)
{
    const rh_mark mark = rh__arena_mark(scratch);
    rh_folder *folder = rh__folder_create(store, scratch, limit);
    const rh_expr result =
        folder == NULL ? rh__store_refuse(store, RH_REFUSAL_MEMORY) : rh__folder_apply(folder, e);
    rh__folder_destroy(folder);
    rh__arena_rewind(scratch, mark);
    return result;
}

rh_expr rh__expr_expand(rh_store *store, rh_expr e, uint32_t limit, rh_arena *scratch)
{
    const rh_mark mark = rh__arena_mark(scratch);
    rh_folder *folder = rh__arena_new(scratch, rh_folder);
    rh_expr result = RH_EXPR_NONE;
    if (folder == NULL || !begin_folder(folder, store, limit, false)) {
        rh__store_refuse(store, RH_REFUSAL_MEMORY);
    } else if (!rh__expr_is_none(e) && rh__folder_enter(folder, e)) {
        result = rh__folder_key(folder, e);
    } else if (folder->ring.trouble == RH_TROUBLE_MEMORY) {
        rh__store_refuse(store, RH_REFUSAL_MEMORY);
    }
    if (folder != NULL) {
        end_folder(folder);
    }
    rh__arena_rewind(scratch, mark);
    return result;
}
