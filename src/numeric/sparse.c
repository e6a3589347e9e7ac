// SPDX-License-Identifier: Apache-2.0
// Sparse matrices in compressed columns, from triplets. Two stable counting sorts, by row and then
// by column, put the triplets in order in linear time; equal neighbours share an entry.

#include "numeric/numeric.h"

#include <string.h>

// The triplets of `from` (NULL: as they come) in the order of key[triplet]; `first` has keys + 1.
static void sort_by(uint32_t count, const uint32_t *key, uint32_t keys, const uint32_t *from,
                    uint32_t *first, uint32_t *to)
{
    memset(first, 0, sizeof *first * ((size_t)keys + 1));
    for (uint32_t k = 0; k < count; k++) {
        first[key[k] + 1]++;
    }
    for (uint32_t k = 0; k < keys; k++) {
        first[k + 1] += first[k];
    }
    for (uint32_t k = 0; k < count; k++) {
        const uint32_t triplet = from == NULL ? k : from[k];
        RH_ASSERT(key[triplet] < keys);
        to[first[key[triplet]]++] = triplet;
    }
}

// Number the entries in order; the slots of the triplets, and per column how many there are.
static void merge_equal(rh_sparse *sparse, const uint32_t *row, const uint32_t *column,
                        const uint32_t *order)
{
    uint32_t count = 0;
    for (uint32_t k = 0; k < sparse->triplet_count; k++) {
        const uint32_t triplet = order[k];
        const bool is_same =
            k > 0 && row[triplet] == row[order[k - 1]] && column[triplet] == column[order[k - 1]];
        if (!is_same) {
            sparse->row[count++] = row[triplet];
            sparse->start[column[triplet] + 1]++;
        }
        sparse->slot[triplet] = count - 1;
    }
    sparse->count = count;
    for (uint32_t j = 0; j < sparse->columns; j++) {
        sparse->start[j + 1] += sparse->start[j];
    }
}

// Rows ascend within a column, each once; a triplet is added to the entry of its place.
static bool is_sound(const rh_sparse *sparse, const uint32_t *row, const uint32_t *column)
{
    bool ok = sparse->start[0] == 0 && sparse->start[sparse->columns] == sparse->count;
    for (uint32_t j = 0; ok && j < sparse->columns; j++) {
        for (uint32_t k = sparse->start[j]; ok && k + 1 < sparse->start[j + 1]; k++) {
            ok = sparse->row[k] < sparse->row[k + 1];
        }
    }
    for (uint32_t t = 0; ok && t < sparse->triplet_count; t++) {
        const uint32_t at = sparse->slot[t];
        ok = at < sparse->count && sparse->row[at] == row[t] && at >= sparse->start[column[t]] &&
             at < sparse->start[column[t] + 1];
    }
    return ok;
}

static rh_status build_pattern(rh_arena *arena, const uint32_t *row, const uint32_t *column,
                               rh_sparse *sparse)
{
    const uint32_t count = sparse->triplet_count;
    const uint32_t longer = sparse->rows > sparse->columns ? sparse->rows : sparse->columns;
    sparse->start = rh__arena_array(arena, uint32_t, (size_t)sparse->columns + 1);
    sparse->row = rh__arena_array(arena, uint32_t, count);
    sparse->value = rh__arena_array(arena, double, count);
    sparse->slot = rh__arena_array(arena, uint32_t, count);
    const rh_mark scratch = rh__arena_mark(arena);
    uint32_t *first = rh__arena_array(arena, uint32_t, (size_t)longer + 1);
    uint32_t *by_row = rh__arena_array(arena, uint32_t, count);
    uint32_t *order = rh__arena_array(arena, uint32_t, count);
    if (sparse->start == NULL || sparse->row == NULL || sparse->value == NULL ||
        sparse->slot == NULL || first == NULL || by_row == NULL || order == NULL) {
        return arena->status != RH_OK ? arena->status : RH_E_MEMORY;
    }
    sort_by(count, row, sparse->rows, NULL, first, by_row);
    sort_by(count, column, sparse->columns, by_row, first, order);
    merge_equal(sparse, row, column, order);
    RH_ASSERT(is_sound(sparse, row, column));
    rh__arena_rewind(arena, scratch);
    return RH_OK;
}

rh_status rh__sparse_create(rh_arena *arena, uint32_t rows, uint32_t columns, uint32_t count,
                            const uint32_t *row, const uint32_t *column, rh_sparse *out)
{
    *out = (rh_sparse){0};
    if (rows >= INT32_MAX || columns >= INT32_MAX || count >= INT32_MAX) {
        return RH_E_LIMIT;
    }
    for (uint32_t k = 0; k < count; k++) {
        if (row[k] >= rows || column[k] >= columns) {
            return RH_E_ARGUMENT;
        }
    }
    const rh_mark mark = rh__arena_mark(arena);
    rh_sparse sparse = {.rows = rows, .columns = columns, .triplet_count = count};
    const rh_status status = build_pattern(arena, row, column, &sparse);
    if (status != RH_OK) {
        rh__arena_rewind(arena, mark);
        return status;
    }
    *out = sparse;
    return RH_OK;
}

void rh__sparse_fill(rh_sparse *sparse, const double *values)
{
    for (uint32_t k = 0; k < sparse->count; k++) {
        sparse->value[k] = 0.0;
    }
    for (uint32_t k = 0; k < sparse->triplet_count; k++) {
        sparse->value[sparse->slot[k]] += values[k];
    }
}

void rh__sparse_multiply(const rh_sparse *sparse, const double *x, double *y)
{
    RH_ASSERT(x != y || sparse->count == 0);
    for (uint32_t i = 0; i < sparse->rows; i++) {
        y[i] = 0.0;
    }
    for (uint32_t j = 0; j < sparse->columns; j++) {
        for (uint32_t k = sparse->start[j]; k < sparse->start[j + 1]; k++) {
            y[sparse->row[k]] += sparse->value[k] * x[j];
        }
    }
}

void rh__sparse_multiply_transposed(const rh_sparse *sparse, const double *x, double *y)
{
    RH_ASSERT(x != y || sparse->count == 0);
    for (uint32_t j = 0; j < sparse->columns; j++) {
        double sum = 0.0;
        for (uint32_t k = sparse->start[j]; k < sparse->start[j + 1]; k++) {
            sum += sparse->value[k] * x[sparse->row[k]];
        }
        y[j] = sum;
    }
}

// --- colours -------------------------------------------------------------------------------------

// The entries by rows: row i holds column[start[i]] ... column[start[i + 1] - 1].
typedef struct by_rows {
    uint32_t *start, *column;
} by_rows;

static bool list_by_rows(rh_arena *arena, const rh_sparse *sparse, by_rows *out)
{
    out->start = rh__arena_array(arena, uint32_t, (size_t)sparse->rows + 2);
    out->column = rh__arena_array(arena, uint32_t, (size_t)sparse->count + 1);
    if (out->start == NULL || out->column == NULL) {
        return false;
    }
    for (uint32_t k = 0; k < sparse->count; k++) {
        out->start[sparse->row[k] + 2]++;
    }
    for (uint32_t i = 0; i < sparse->rows; i++) {
        out->start[i + 2] += out->start[i + 1];
    }
    for (uint32_t j = 0; j < sparse->columns; j++) {
        for (uint32_t k = sparse->start[j]; k < sparse->start[j + 1]; k++) {
            out->column[out->start[sparse->row[k] + 1]++] = j;
        }
    }
    return true;
}

// The least colour that no column with a common row has; `taken` is marked by column + 1.
static uint32_t choose_colour(const rh_sparse *sparse, const by_rows *rows, uint32_t column,
                              const uint32_t *colour, uint32_t *taken)
{
    for (uint32_t k = sparse->start[column]; k < sparse->start[column + 1]; k++) {
        const uint32_t row = sparse->row[k];
        for (uint32_t at = rows->start[row]; at < rows->start[row + 1]; at++) {
            const uint32_t its = colour[rows->column[at]];
            if (its != UINT32_MAX) {
                taken[its] = column + 1;
            }
        }
    }
    uint32_t chosen = 0;
    while (taken[chosen] == column + 1) {
        chosen++;
    }
    return chosen;
}

// Columns with many entries first.
static void colour_columns(const rh_sparse *sparse, const by_rows *rows, uint32_t *work,
                           uint32_t *out_colour, uint32_t *out_count)
{
    uint32_t *key = work;
    uint32_t *order = key + sparse->columns + 1;
    uint32_t *taken = order + sparse->columns + 1;
    uint32_t *first = taken + sparse->columns + 1;
    for (uint32_t j = 0; j < sparse->columns; j++) {
        key[j] = sparse->rows - (sparse->start[j + 1] - sparse->start[j]);
        out_colour[j] = UINT32_MAX;
    }
    sort_by(sparse->columns, key, sparse->rows + 1, NULL, first, order);
    *out_count = 0;
    for (uint32_t k = 0; k < sparse->columns; k++) {
        const uint32_t colour = choose_colour(sparse, rows, order[k], out_colour, taken);
        RH_ASSERT(colour < sparse->columns); // as many as columns always do
        out_colour[order[k]] = colour;
        *out_count = colour + 1 > *out_count ? colour + 1 : *out_count;
    }
}

rh_status rh__sparse_colour(rh_arena *arena, const rh_sparse *sparse, uint32_t *out_colour,
                            uint32_t *out_count)
{
    const rh_mark scratch = rh__arena_mark(arena);
    by_rows rows = {0};
    uint32_t *work =
        rh__arena_array(arena, uint32_t, 3 * ((size_t)sparse->columns + 1) + sparse->rows + 2);
    const bool ok = work != NULL && list_by_rows(arena, sparse, &rows);
    if (ok) {
        colour_columns(sparse, &rows, work, out_colour, out_count);
    }
    rh__arena_rewind(arena, scratch);
    return ok ? RH_OK : arena->status;
}
