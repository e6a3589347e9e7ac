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
    for (uint32_t j = 0; j < sparse->columns; j++) {
        double sum = 0.0;
        for (uint32_t k = sparse->start[j]; k < sparse->start[j + 1]; k++) {
            sum += sparse->value[k] * x[sparse->row[k]];
        }
        y[j] = sum;
    }
}
