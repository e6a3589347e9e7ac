// SPDX-License-Identifier: Apache-2.0
// Folders: choose the cheapest among an expression, the same with cheap parts, and what can be
// written for its polynomial. An answer never costs more than the question, because the whole is
// compared at last.

#include "expr/folder.h"

#include "expr/cost.h"
#include "expr/loss.h"

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

bool rh__folder_may_stand(rh_folder *folder, rh_expr e, rh_expr other)
{
    if (rh__expr_same(e, other)) {
        return true;
    }
    rh_memo none = {.is_safe = false};
    const uint64_t hash = rh__hash_mix(((uint64_t)e.i << 32) | other.i);
    rh_memo *memo = folder->memos == NULL ? &none : &folder->memos[hash & (RH_FOLDER_MEMOS - 1)];
    if (!rh__expr_same(memo->e, e) || !rh__expr_same(memo->other, other)) {
        *memo = (rh_memo){e, other, rh__loss_is_safe(folder->store, e, other, &folder->ring.pool)};
    }
    folder->is_held = folder->is_held || !memo->is_safe;
    return memo->is_safe;
}

// What can be written for a polynomial: as it is, and with other squares.
enum { WRITINGS = 2 };

static uint32_t write_all(rh_folder *folder, rh_poly poly, rh_expr out[WRITINGS])
{
    rh_poly shorter = poly;
    uint32_t count = 0;
    out[count++] = rh__folder_write(folder, poly);
    if (rh__poly_shorten(&folder->ring, poly, &shorter) && shorter.data != poly.data) {
        out[count++] = rh__folder_write(folder, shorter);
    }
    return count;
}

rh_expr rh__folder_choose(rh_folder *folder, rh_expr e, rh_expr rebuilt, rh_poly poly)
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
    rh_expr written[WRITINGS];
    const uint32_t count = write_all(folder, poly, written);
    for (uint32_t k = 0; k < count; k++) {
        if (rh__expr_is_none(written[k]) || rh__expr_same(written[k], best)) {
            continue;
        }
        least = rh__expr_same(best, rebuilt) ? algebra_cost(folder, rebuilt) : least;
        const uint64_t cost = algebra_cost(folder, written[k]);
        const bool is_better = cost < least && rh__folder_may_stand(folder, e, written[k]);
        best = is_better ? written[k] : best;
        least = is_better ? cost : least;
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
    rh_memo *memos = rh__arena_array(arena, rh_memo, RH_FOLDER_MEMOS);
    if (folder != NULL && !begin_folder(folder, store, limit, true)) {
        end_folder(folder);
        return NULL;
    }
    if (folder != NULL) {
        folder->memos = memos;
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
        rh_memo *memos = folder->memos;
        end_folder(folder);
        ok = begin_folder(folder, folder->store, folder->limit, folder->folds);
        folder->memos = memos;
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

// Keep the cheaper one, if it keeps the digits of the question.
static bool compare_whole(rh_folder *folder, rh_expr question, rh_expr candidate, rh_expr *best,
                          uint64_t *least)
{
    uint64_t cost = 0;
    if (rh__expr_is_none(candidate) || rh__expr_same(candidate, *best)) {
        return true;
    }
    if (!whole_cost(folder, candidate, &cost)) {
        return false;
    }
    const bool is_better = cost < *least && rh__folder_may_stand(folder, question, candidate);
    *best = is_better ? candidate : *best;
    *least = is_better ? cost : *least;
    return true;
}

// One round: the best of `e`, its cheap form and its polynomial as a whole.
static bool fold_once(rh_folder *folder, rh_expr question, rh_expr e, rh_expr *out)
{
    rh_store *store = folder->store;
    uint64_t least = 0;
    *out = e;
    if (!rh__folder_enter(folder, e) || !whole_cost(folder, e, &least)) {
        return false;
    }
    const rh_entry entry = *rh__folder_entry(folder, e);
    folder->is_held = entry.is_held;
    // half of the work is kept for writing
    const uint64_t half = folder->ring.work / 2;
    folder->ring.work = half;
    if (rh__poly_vanishes(&folder->ring, entry.poly)) {
        *out = store->zero;
        return true;
    }
    folder->ring.work = half;
    if (!compare_whole(folder, question, entry.cheap, out, &least)) {
        return false;
    }
    rh_expr written[WRITINGS];
    const uint32_t count = entry.is_far ? 0 : write_all(folder, entry.poly, written);
    bool ok = true;
    for (uint32_t k = 0; ok && k < count; k++) {
        ok = compare_whole(folder, question, written[k], out, &least);
    }
    return ok && store->refusal == RH_REFUSAL_NONE;
}

// The same in a folder of its own that keeps sums which may cancel: it finds less, and what it
// finds keeps digits.
static bool fold_guarded(rh_folder *folder, rh_expr question, rh_expr e, rh_expr *best)
{
    rh_store *store = folder->store;
    rh_folder guard;
    uint64_t least = 0;
    bool ok = begin_folder(&guard, store, folder->limit, true);
    guard.guards = true;
    guard.memos = folder->memos;
    ok = ok && whole_cost(&guard, *best, &least) && rh__bracket_begin(&guard, e) &&
         rh__folder_enter(&guard, e);
    if (ok) {
        const rh_entry entry = *rh__folder_entry(&guard, e);
        guard.ring.work = full_work(folder->limit) / 2;
        ok = compare_whole(&guard, question, entry.cheap, best, &least) &&
             compare_whole(&guard, question, rh__folder_write(&guard, entry.poly), best, &least) &&
             store->refusal == RH_REFUSAL_NONE;
    }
    end_folder(&guard);
    return ok;
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
        folder->is_held = false;
        ok = fold_once(folder, e, before, &result) &&
             (!folder->is_held || fold_guarded(folder, e, before, &result));
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
