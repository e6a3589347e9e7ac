// SPDX-License-Identifier: Apache-2.0
// Where the text of a sparse block keeps its numbers; see shelving.h.

#include "tape/shelving.h"

enum { DEPTH = 8 }; // numbers of a row that lie beside those of the next; the rest lie anywhere

// Lists of numbers, one for each row: the first ones side by side with those of other rows.
typedef struct shelf {
    uint32_t first, n;
    uint32_t depth; // of the longest list, at most DEPTH
    uint32_t tail;  // numbers beyond that
} shelf;

static void measure_list(shelf *it, uint32_t count)
{
    const uint32_t depth = count < DEPTH ? count : DEPTH;
    it->depth = depth > it->depth ? depth : it->depth;
    it->tail += count - depth;
}

static uint32_t shelf_end(const shelf *it)
{
    return it->first + it->depth * it->n + it->tail;
}

// The place of number t of a row; `*next` counts those beyond the depth.
static uint32_t shelf_place(const shelf *it, uint32_t row, uint32_t t, uint32_t *next)
{
    return t < DEPTH ? it->first + t * it->n + row : it->first + it->depth * it->n + (*next)++;
}

// The parts of the factors: rows of U; columns of L of leading rows, which mirror them; the other
// rows of L, from their ends.
typedef struct shelves {
    shelf upper, mirror, lower, entries;
} shelves;

static shelves measure(const rh_tape_block *block)
{
    const rh_saddle *saddle = block->saddle;
    const uint32_t n = saddle->n;
    shelves all = {
        .upper = {.first = n, .n = n}, .mirror = {.n = n}, .lower = {.n = n}, .entries = {.n = n}};
    for (uint32_t k = 0; k < n; k++) {
        const uint32_t width = saddle->upper_begin[k + 1] - saddle->upper_begin[k];
        measure_list(&all.upper, width);
        if (k < saddle->lead) {
            measure_list(&all.mirror, width);
        } else {
            measure_list(&all.lower, saddle->lower_begin[k + 1] - saddle->split[k]);
        }
        measure_list(&all.entries, saddle->entry_begin[k + 1] - saddle->entry_begin[k]);
    }
    all.mirror.first = shelf_end(&all.upper);
    all.lower.first = shelf_end(&all.mirror);
    return all;
}

rh_shelving_size rh__shelving_measure(const rh_tape_block *block)
{
    const shelves all = measure(block);
    return (rh_shelving_size){.homes = shelf_end(&all.lower), .places = shelf_end(&all.entries)};
}

// Where a column stands in an ascending list; it does.
static uint32_t find_column(const uint32_t *list, rh_range range, uint32_t column)
{
    uint32_t low = range.first;
    uint32_t high = range.first + range.count;
    while (low + 1 < high) {
        const uint32_t middle = low + (high - low) / 2;
        if (list[middle] <= column) {
            low = middle;
        } else {
            high = middle;
        }
    }
    RH_ASSERT(low < high && list[low] == column);
    return low;
}

static uint32_t find_upper(const rh_saddle *saddle, uint32_t row, uint32_t column)
{
    const uint32_t first = saddle->upper_begin[row];
    return find_column(saddle->upper, (rh_range){first, saddle->upper_begin[row + 1] - first},
                       column);
}

static uint32_t find_lower(const rh_saddle *saddle, uint32_t row, uint32_t column)
{
    const uint32_t first = saddle->lower_begin[row];
    return find_column(saddle->lower, (rh_range){first, saddle->lower_begin[row + 1] - first},
                       column);
}

// The columns of each row by their numbers: those of a family come in one order, whatever the order
// is in which they are eliminated.
static void rank_upper(rh_shelving *shelving)
{
    const rh_saddle *saddle = shelving->saddle;
    for (uint32_t k = 0; k < saddle->n; k++) {
        const uint32_t begin = saddle->upper_begin[k];
        for (uint32_t j = begin; j < saddle->upper_begin[k + 1]; j++) {
            uint32_t hole = j;
            const uint32_t number = saddle->order[saddle->upper[j]];
            while (hole > begin &&
                   saddle->order[saddle->upper[shelving->ranked[hole - 1]]] > number) {
                shelving->ranked[hole] = shelving->ranked[hole - 1];
                hole--;
            }
            shelving->ranked[hole] = j;
        }
    }
}

static void place_upper(rh_shelving *shelving, const shelves *all, uint32_t *mirrored)
{
    const rh_saddle *saddle = shelving->saddle;
    uint32_t next = 0;
    uint32_t next_mirror = 0;
    for (uint32_t k = 0; k < saddle->n; k++) {
        for (uint32_t j = saddle->upper_begin[k]; j < saddle->upper_begin[k + 1]; j++) {
            const uint32_t t = j - saddle->upper_begin[k];
            const uint32_t at = shelving->ranked[j];
            shelving->upper_home[at] = shelf_place(&all->upper, saddle->order[k], t, &next);
            if (k < saddle->lead) {
                mirrored[at] = shelf_place(&all->mirror, saddle->order[k], t, &next_mirror);
            }
        }
    }
}

static void place_lower(rh_shelving *shelving, const shelves *all, const uint32_t *mirrored)
{
    const rh_saddle *saddle = shelving->saddle;
    uint32_t next = 0;
    for (uint32_t k = 0; k < saddle->n; k++) {
        for (uint32_t j = saddle->lower_begin[k]; j < saddle->lower_begin[k + 1]; j++) {
            const uint32_t t = saddle->lower_begin[k + 1] - 1 - j;
            RH_ASSERT((j < saddle->split[k]) == (saddle->lower[j] < saddle->lead));
            shelving->lower_home[j] = j < saddle->split[k]
                                          ? mirrored[find_upper(saddle, saddle->lower[j], k)]
                                          : shelf_place(&all->lower, saddle->order[k], t, &next);
        }
    }
}

static void place_entries(rh_shelving *shelving, const shelves *all)
{
    const rh_saddle *saddle = shelving->saddle;
    uint32_t next = 0;
    for (uint32_t k = 0; k < saddle->n; k++) {
        for (uint32_t j = saddle->entry_begin[k]; j < saddle->entry_begin[k + 1]; j++) {
            shelving->entry_place[saddle->entry[j]] =
                shelf_place(&all->entries, saddle->order[k], j - saddle->entry_begin[k], &next);
        }
    }
}

bool rh__shelving_create(const rh_tape_block *block, rh_arena *arena, rh_shelving *out)
{
    const rh_saddle *saddle = block->saddle;
    const size_t count = (size_t)saddle->upper_begin[saddle->n] + 1;
    *out = (rh_shelving){.block = block, .saddle = saddle};
    out->upper_home = rh__arena_array(arena, uint32_t, count);
    out->lower_home = rh__arena_array(arena, uint32_t, count);
    out->ranked = rh__arena_array(arena, uint32_t, count);
    out->entry_place = rh__arena_array(arena, uint32_t, (size_t)block->entry_count + 1);
    uint32_t *mirrored = rh__arena_array(arena, uint32_t, count);
    if (out->upper_home == NULL || out->lower_home == NULL || out->ranked == NULL ||
        out->entry_place == NULL || mirrored == NULL) {
        return false;
    }
    const shelves all = measure(block);
    rank_upper(out);
    place_upper(out, &all, mirrored);
    place_lower(out, &all, mirrored);
    place_entries(out, &all);
    return true;
}

uint32_t rh__shelving_home(const rh_shelving *shelving, uint32_t row, uint32_t column)
{
    RH_ASSERT(row < shelving->saddle->n && column < shelving->saddle->n);
    const rh_saddle *saddle = shelving->saddle;
    return row == column  ? saddle->order[row]
           : row < column ? shelving->upper_home[find_upper(saddle, row, column)]
                          : shelving->lower_home[find_lower(saddle, row, column)];
}
