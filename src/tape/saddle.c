// SPDX-License-Identifier: Apache-2.0
// Sparse factors with pivots in an order fixed by the pattern; see saddle.h. The order is that of
// minimum degree on the graph of the pattern (George and Liu, 1981), except that a multiplier waits
// for all rates beside it: only then its pivot is sure not to be zero, being minus a sum of squares
// for ideal constraints that are independent.

#include "tape/saddle.h"

#include <math.h>
#include <string.h>

// --- the order -------------------------------------------------------------------------------

typedef struct neighbours {
    uint32_t *data; // ascending
    uint32_t count;
    uint32_t rates; // how many of them are rates
} neighbours;

typedef struct candidate {
    uint32_t degree, node;
} candidate;

typedef struct ordering {
    const rh_tape_block *block;
    rh_saddle *saddle;
    rh_arena *arena;
    rh_arena *scratch;
    neighbours *around; // by node
    bool *is_gone;
    RH_ARRAY(candidate) heap; // smallest first; out-of-date ones are skipped
} ordering;

static bool comes_before(candidate a, candidate b)
{
    return a.degree < b.degree || (a.degree == b.degree && a.node < b.node);
}

static bool push_candidate(ordering *in, uint32_t node)
{
    if (!in->block->is_rate[node] && in->around[node].rates > 0) {
        return true; // comes again when the last rate beside it goes
    }
    const candidate added = {in->around[node].count, node};
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

// Eliminate nodes one by one; around[k] holds in the end what was left beside k when it went.
static bool choose_order(ordering *in)
{
    bool ok = true;
    uint32_t done = 0;
    for (uint32_t k = 0; ok && k < in->block->n; k++) {
        ok = push_candidate(in, k);
    }
    while (ok && in->heap.count > 0) {
        const candidate next = pop_candidate(in);
        const neighbours *around = &in->around[next.node];
        if (in->is_gone[next.node] || next.degree != around->count) {
            continue;
        }
        in->is_gone[next.node] = true;
        in->saddle->position[next.node] = done;
        in->saddle->order[done++] = next.node;
        for (uint32_t k = 0; ok && k < around->count; k++) {
            ok = merge_neighbours(in, around->data[k], next.node);
        }
    }
    RH_ASSERT(!ok || done == in->block->n);
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

rh_status rh__saddle_create(const rh_tape_block *block, rh_arena *arena, rh_arena *scratch,
                            rh_saddle **out)
{
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
                    find_neighbours(&in) && choose_order(&in) && find_pattern(&in) &&
                    sort_entries(&in);
    *out = in.saddle;
    const rh_status refused = arena->status != RH_OK ? arena->status : scratch->status;
    return ok ? RH_OK : (refused != RH_OK ? refused : RH_E_MEMORY);
}

// --- the factors -----------------------------------------------------------------------------

// Row `k` of the matrix into `row`, its sizes into `size`.
static void scatter_row(const rh_tape_block *block, const double *values, const bool *is_released,
                        uint32_t k, double *row, double *size)
{
    const rh_saddle *saddle = block->saddle;
    const uint32_t origin = saddle->order[k];
    if (is_released != NULL && is_released[origin]) {
        row[saddle->position[block->hold_column[origin]]] = 1.0;
    } else {
        for (uint32_t j = saddle->entry_begin[k]; j < saddle->entry_begin[k + 1]; j++) {
            const uint32_t entry = saddle->entry[j];
            row[saddle->position[block->entries[entry].column]] += values[entry];
        }
    }
    size[k] = fabs(row[k]);
}

double rh__saddle_factor(const rh_tape_block *block, const double *values, const bool *is_released,
                         double *work, rh_saddle_factors *out)
{
    const rh_saddle *saddle = block->saddle;
    const uint32_t n = saddle->n;
    double *row = work; // zero between rows
    double *size = work + n;
    double margin = 1.0;
    memset(row, 0, n * sizeof *row);
    for (uint32_t k = 0; k < n; k++) {
        scatter_row(block, values, is_released, k, row, size);
        for (uint32_t i = saddle->lower_begin[k]; i < saddle->lower_begin[k + 1]; i++) {
            const uint32_t pivot = saddle->lower[i];
            const double factor = row[pivot] * out->inverse[pivot];
            row[pivot] = 0.0;
            out->lower[i] = factor;
            for (uint32_t j = saddle->upper_begin[pivot]; j < saddle->upper_begin[pivot + 1]; j++) {
                const double part = factor * out->upper[j];
                row[saddle->upper[j]] -= part;
                size[k] += saddle->upper[j] == k ? fabs(part) : 0.0;
            }
        }
        const double ratio = fabs(row[k]) / size[k];
        margin = ratio < margin ? ratio : (ratio == ratio ? margin : 0.0);
        out->inverse[k] = 1.0 / row[k];
        row[k] = 0.0;
        for (uint32_t j = saddle->upper_begin[k]; j < saddle->upper_begin[k + 1]; j++) {
            out->upper[j] = row[saddle->upper[j]];
            row[saddle->upper[j]] = 0.0;
        }
    }
    return margin;
}

void rh__saddle_solve(const rh_saddle *saddle, const rh_saddle_factors *factors, double *work,
                      double *b)
{
    const uint32_t n = saddle->n;
    for (uint32_t k = 0; k < n; k++) {
        double sum = b[saddle->order[k]];
        for (uint32_t j = saddle->lower_begin[k]; j < saddle->lower_begin[k + 1]; j++) {
            sum -= factors->lower[j] * work[saddle->lower[j]];
        }
        work[k] = sum;
    }
    for (uint32_t k = n; k-- > 0;) {
        double sum = work[k];
        for (uint32_t j = saddle->upper_begin[k]; j < saddle->upper_begin[k + 1]; j++) {
            sum -= factors->upper[j] * work[saddle->upper[j]];
        }
        work[k] = sum * factors->inverse[k];
        b[saddle->order[k]] = work[k];
    }
}
