// SPDX-License-Identifier: Apache-2.0
// Sparse factors with pivots in an order fixed by the pattern; see saddle.h. The order is that of
// minimum degree on the graph of the pattern (George and Liu, 1981), except that a multiplier waits
// for all rates beside it: only then its pivot is sure not to be zero, being minus a sum of squares
// for ideal constraints that are independent.

#include "tape/saddle.h"

#include <string.h>

// --- the order -------------------------------------------------------------------------------

typedef struct neighbours {
    uint32_t *data; // ascending
    uint32_t count;
    uint32_t rates; // how many of them are rates
} neighbours;

typedef struct candidate {
    uint32_t degree, turn, node;
} candidate;

typedef struct ordering {
    const rh_tape_block *block;
    rh_saddle *saddle;
    rh_arena *arena;
    rh_arena *scratch;
    neighbours *around; // by node
    bool *is_gone;
    RH_ARRAY(candidate) heap; // smallest first; out-of-date ones are skipped
    uint32_t turn;            // candidates so far
} ordering;

// Of equal ones that which has waited longest: a chain is taken from both ends, a tree from all its
// leaves, so what follows each other does not wait for each other.
static bool comes_before(candidate a, candidate b)
{
    return a.degree < b.degree || (a.degree == b.degree && a.turn < b.turn);
}

static bool push_candidate(ordering *in, uint32_t node)
{
    if (!in->block->is_rate[node] && in->around[node].rates > 0) {
        return true; // comes again when the last rate beside it goes
    }
    const candidate added = {in->around[node].count, in->turn++, node};
    if (!rh__array_push(in->scratch, &in->heap, added)) {
        return false;
    }
    uint32_t hole = in->heap.count - 1;
    while (hole > 0 && comes_before(added, in->heap.data[(hole - 1) / 2])) {
        in->heap.data[hole] = in->heap.data[(hole - 1) / 2];
        hole = (hole - 1) / 2;
    }
    in->heap.data[hole] = added;
    return true;
}

static candidate pop_candidate(ordering *in)
{
    const candidate top = in->heap.data[0];
    const candidate moving = in->heap.data[--in->heap.count];
    uint32_t hole = 0;
    for (uint32_t child = 1; child < in->heap.count; child = 2 * hole + 1) {
        if (child + 1 < in->heap.count &&
            comes_before(in->heap.data[child + 1], in->heap.data[child])) {
            child++;
        }
        if (!comes_before(in->heap.data[child], moving)) {
            break;
        }
        in->heap.data[hole] = in->heap.data[child];
        hole = child;
    }
    in->heap.data[hole] = moving;
    return top;
}

static void sort_ascending(uint32_t *data, uint32_t count)
{
    for (uint32_t gap = count / 2; gap > 0; gap /= 2) {
        for (uint32_t k = gap; k < count; k++) {
            const uint32_t moving = data[k];
            uint32_t hole = k;
            for (; hole >= gap && data[hole - gap] > moving; hole -= gap) {
                data[hole] = data[hole - gap];
            }
            data[hole] = moving;
        }
    }
}

static void drop_twins(const ordering *in, neighbours *list)
{
    uint32_t kept = 0;
    list->rates = 0;
    for (uint32_t k = 0; k < list->count; k++) {
        if (kept == 0 || list->data[kept - 1] != list->data[k]) {
            list->data[kept++] = list->data[k];
            list->rates += in->block->is_rate[list->data[k]];
        }
    }
    list->count = kept;
}

static void add_edge(ordering *in, uint32_t a, uint32_t b)
{
    if (a != b) {
        in->around[a].data[in->around[a].count++] = b;
        in->around[b].data[in->around[b].count++] = a;
    }
}

static bool find_neighbours(ordering *in)
{
    const rh_tape_block *block = in->block;
    uint32_t *degree = rh__arena_array(in->scratch, uint32_t, block->n);
    if (degree == NULL) {
        return false;
    }
    for (uint32_t k = 0; k < block->entry_count; k++) {
        degree[block->entries[k].row]++;
        degree[block->entries[k].column]++;
    }
    for (uint32_t k = 0; k < block->n; k++) {
        degree[k]++;
        if (block->hold[k] != UINT32_MAX) {
            degree[block->hold_column[k]]++;
        }
    }
    for (uint32_t k = 0; k < block->n; k++) {
        in->around[k].data = rh__arena_array(in->scratch, uint32_t, degree[k]);
        if (in->around[k].data == NULL) {
            return false;
        }
    }
    for (uint32_t k = 0; k < block->entry_count; k++) {
        add_edge(in, block->entries[k].row, block->entries[k].column);
    }
    for (uint32_t k = 0; k < block->n; k++) {
        if (block->hold[k] != UINT32_MAX) {
            add_edge(in, k, block->hold_column[k]);
        }
    }
    for (uint32_t k = 0; k < block->n; k++) {
        sort_ascending(in->around[k].data, in->around[k].count);
        drop_twins(in, &in->around[k]);
    }
    return true;
}

// around[node] becomes the union with around[gone], without both of them.
static bool merge_neighbours(ordering *in, uint32_t node, uint32_t gone)
{
    RH_ASSERT(node != gone && in->is_gone[gone]);
    const neighbours *a = &in->around[node];
    const neighbours *b = &in->around[gone];
    neighbours merged = {.data =
                             rh__arena_array(in->scratch, uint32_t, (size_t)a->count + b->count)};
    if (merged.data == NULL) {
        return false;
    }
    for (uint32_t i = 0, j = 0; i < a->count || j < b->count;) {
        const bool is_left = j == b->count || (i < a->count && a->data[i] <= b->data[j]);
        const uint32_t next = is_left ? a->data[i++] : b->data[j++];
        if (next != node && next != gone) {
            merged.data[merged.count++] = next;
        }
    }
    drop_twins(in, &merged);
    // room that was there already is used again
    if (merged.count <= a->count) {
        memcpy(in->around[node].data, merged.data, merged.count * sizeof *merged.data);
        merged.data = in->around[node].data;
    }
    in->around[node] = merged;
    return push_candidate(in, node);
}

static bool eliminate(ordering *in, uint32_t node, uint32_t place)
{
    RH_ASSERT(!in->is_gone[node] && place < in->block->n);
    const neighbours *around = &in->around[node];
    bool ok = true;
    in->is_gone[node] = true;
    in->saddle->position[node] = place;
    in->saddle->order[place] = node;
    for (uint32_t k = 0; ok && k < around->count; k++) {
        ok = merge_neighbours(in, around->data[k], node);
    }
    return ok;
}

// Eliminate nodes one by one, from a place on; around[k] holds in the end what was left beside k
// when it went.
static bool choose_order(ordering *in, uint32_t done)
{
    bool ok = true;
    in->heap.count = 0;
    for (uint32_t k = 0; ok && k < in->block->n; k++) {
        ok = in->is_gone[k] || push_candidate(in, k);
    }
    while (ok && in->heap.count > 0) {
        const candidate next = pop_candidate(in);
        if (!in->is_gone[next.node] && next.degree == in->around[next.node].count) {
            ok = eliminate(in, next.node, done++);
        }
    }
    RH_ASSERT(!ok || done == in->block->n);
    return ok;
}

// Rows that have none before them change places with those that have: what comes after what else
// stays the same, and so do the factors.
static bool put_leaders_first(ordering *in)
{
    enum { MOST_CHANGES = 64 }; // for each unknown: beyond it rows are better taken one by one
    rh_saddle *saddle = in->saddle;
    const uint32_t n = saddle->n;
    bool *has_before = rh__arena_array(in->scratch, bool, n);
    uint32_t *order = rh__arena_array(in->scratch, uint32_t, n);
    if (has_before == NULL || order == NULL) {
        return false;
    }
    size_t changes = 0;
    for (uint32_t k = 0; k < n; k++) {
        const neighbours *around = &in->around[saddle->order[k]];
        for (uint32_t j = 0; j < around->count; j++) {
            has_before[around->data[j]] = true;
        }
        changes += has_before[saddle->order[k]] ? 0 : (size_t)around->count * around->count;
    }
    if (changes > (size_t)MOST_CHANGES * n) {
        return true;
    }
    for (uint32_t part = 0, at = 0; part < 2; part++) {
        for (uint32_t k = 0; k < n; k++) {
            if (has_before[saddle->order[k]] == (part == 1)) {
                order[at++] = saddle->order[k];
            }
        }
        saddle->lead = part == 0 ? at : saddle->lead;
    }
    for (uint32_t k = 0; k < n; k++) {
        saddle->order[k] = order[k];
        saddle->position[order[k]] = k;
    }
    return true;
}

// With the leading rows gone at first the others have more ways to go: a chain of multipliers
// behind its masses can be taken from both ends.
static bool choose_rest(ordering *in)
{
    const uint32_t lead = in->saddle->lead;
    bool ok = true;
    if (lead > 0) {
        memset(in->is_gone, 0, in->block->n * sizeof *in->is_gone);
        memset(in->around, 0, in->block->n * sizeof *in->around);
        ok = find_neighbours(in);
        for (uint32_t k = 0; ok && k < lead; k++) {
            ok = eliminate(in, in->saddle->order[k], k);
        }
        ok = ok && choose_order(in, lead);
    }
    return ok;
}

// --- the pattern -----------------------------------------------------------------------------

// Rows of U from the neighbours, rows of L as the transpose.
static bool find_pattern(ordering *in)
{
    rh_saddle *saddle = in->saddle;
    const uint32_t n = saddle->n;
    saddle->upper_begin = rh__arena_array(in->arena, uint32_t, (size_t)n + 1);
    saddle->lower_begin = rh__arena_array(in->arena, uint32_t, (size_t)n + 2);
    if (saddle->upper_begin == NULL || saddle->lower_begin == NULL) {
        return false;
    }
    for (uint32_t k = 0; k < n; k++) {
        saddle->upper_begin[k + 1] = saddle->upper_begin[k] + in->around[saddle->order[k]].count;
    }
    const uint32_t count = saddle->upper_begin[n];
    saddle->upper = rh__arena_array(in->arena, uint32_t, (size_t)count + 1);
    saddle->lower = rh__arena_array(in->arena, uint32_t, (size_t)count + 1);
    if (saddle->upper == NULL || saddle->lower == NULL) {
        return false;
    }
    for (uint32_t k = 0; k < n; k++) {
        const neighbours *around = &in->around[saddle->order[k]];
        uint32_t *row = saddle->upper + saddle->upper_begin[k];
        for (uint32_t j = 0; j < around->count; j++) {
            row[j] = saddle->position[around->data[j]];
            RH_ASSERT(row[j] > k); // what was left beside it goes later
            saddle->lower_begin[row[j] + 2]++;
        }
        sort_ascending(row, around->count);
    }
    for (uint32_t k = 0; k < n; k++) {
        saddle->lower_begin[k + 1] += saddle->lower_begin[k];
    }
    for (uint32_t k = 0; k < n; k++) {
        for (uint32_t j = saddle->upper_begin[k]; j < saddle->upper_begin[k + 1]; j++) {
            saddle->lower[saddle->lower_begin[saddle->upper[j] + 1]++] = k;
        }
    }
    return true;
}

static bool sort_entries(ordering *in)
{
    RH_ASSERT(in->saddle->lower_begin[in->saddle->n] == in->saddle->upper_begin[in->saddle->n]);
    rh_saddle *saddle = in->saddle;
    const rh_tape_block *block = in->block;
    saddle->entry_begin = rh__arena_array(in->arena, uint32_t, (size_t)saddle->n + 2);
    saddle->entry = rh__arena_array(in->arena, uint32_t, (size_t)block->entry_count + 1);
    if (saddle->entry_begin == NULL || saddle->entry == NULL) {
        return false;
    }
    for (uint32_t k = 0; k < block->entry_count; k++) {
        saddle->entry_begin[saddle->position[block->entries[k].row] + 2]++;
    }
    for (uint32_t k = 0; k < saddle->n; k++) {
        saddle->entry_begin[k + 1] += saddle->entry_begin[k];
    }
    for (uint32_t k = 0; k < block->entry_count; k++) {
        saddle->entry[saddle->entry_begin[saddle->position[block->entries[k].row] + 1]++] = k;
    }
    return true;
}

// The order is one, and both factors have the same places, mirrored, in ascending columns.
static bool is_sound(const rh_saddle *saddle)
{
    bool ok = saddle->lead <= saddle->n;
    for (uint32_t k = 0; ok && k < saddle->n; k++) {
        ok = saddle->order[k] < saddle->n && saddle->position[saddle->order[k]] == k;
        for (uint32_t j = saddle->upper_begin[k]; ok && j < saddle->upper_begin[k + 1]; j++) {
            ok = saddle->upper[j] > k && saddle->upper[j] < saddle->n &&
                 (j == saddle->upper_begin[k] || saddle->upper[j - 1] < saddle->upper[j]);
        }
        for (uint32_t j = saddle->lower_begin[k]; ok && j < saddle->lower_begin[k + 1]; j++) {
            ok = saddle->lower[j] < k &&
                 (j == saddle->lower_begin[k] || saddle->lower[j - 1] < saddle->lower[j]);
        }
        ok = ok && (k >= saddle->lead || saddle->lower_begin[k] == saddle->lower_begin[k + 1]);
    }
    return ok && saddle->upper_begin[saddle->n] == saddle->lower_begin[saddle->n];
}

rh_status rh__saddle_create(const rh_tape_block *block, rh_arena *arena, rh_arena *scratch,
                            rh_saddle **out)
{
    RH_ASSERT(block->n > 0);
    const uint32_t n = block->n;
    ordering in = {.block = block,
                   .arena = arena,
                   .scratch = scratch,
                   .saddle = rh__arena_new(arena, rh_saddle),
                   .around = rh__arena_array(scratch, neighbours, n),
                   .is_gone = rh__arena_array(scratch, bool, n)};
    if (in.saddle == NULL || in.around == NULL || in.is_gone == NULL) {
        return RH_E_MEMORY;
    }
    in.saddle->n = n;
    in.saddle->order = rh__arena_array(arena, uint32_t, n);
    in.saddle->position = rh__arena_array(arena, uint32_t, n);
    const bool ok = in.saddle->order != NULL && in.saddle->position != NULL &&
                    find_neighbours(&in) && choose_order(&in, 0) && put_leaders_first(&in) &&
                    choose_rest(&in) && find_pattern(&in) && sort_entries(&in) &&
                    rh__saddle_furnish(block, in.saddle, arena);
    RH_ASSERT(!ok || is_sound(in.saddle));
    *out = in.saddle;
    const rh_status refused = arena->status != RH_OK ? arena->status : scratch->status;
    return ok ? RH_OK : (refused != RH_OK ? refused : RH_E_MEMORY);
}
