// SPDX-License-Identifier: Apache-2.0
// Sparse matrices of expressions, and numbers for symbols.

#include "equations/derive.h"

#include <stdlib.h>
#include <string.h>

// --- marks -----------------------------------------------------------------------------------

uint32_t rh__marks_find(const rh_marks *marks, rh_expr e)
{
    return e.i < marks->count ? marks->data[e.i] : 0;
}

bool rh__marks_put(rh_arena *arena, rh_marks *marks, rh_expr e, uint32_t number)
{
    if (e.i >= marks->count) {
        const uint32_t count = e.i + e.i / 2 + 64;
        uint32_t *data =
            rh__arena_resize(arena, marks->data, marks->count * sizeof *data, count * sizeof *data);
        if (data == NULL) {
            return false;
        }
        *marks = (rh_marks){data, count};
    }
    RH_ASSERT(e.i < marks->count);
    marks->data[e.i] = number + 1;
    return true;
}

// --- grids -----------------------------------------------------------------------------------

bool rh__grid_push(rh_arena *arena, rh_grid *grid, uint32_t row, uint32_t column, rh_expr value)
{
    const rh_entry entry = {row, column, value};
    return value.i != 0 && rh__array_push(arena, &grid->entries, entry);
}

static int compare_entries(const void *left, const void *right)
{
    const rh_entry *a = left;
    const rh_entry *b = right;
    if (a->row != b->row) {
        return a->row < b->row ? -1 : 1;
    }
    if (a->column != b->column) {
        return a->column < b->column ? -1 : 1;
    }
    return a->value.i < b->value.i ? -1 : a->value.i > b->value.i;
}

// The sum of the entries of one place, folded.
static rh_expr add_up(rh_equations *equations, const rh_entry *entries, uint32_t count)
{
    RH_ASSERT(count > 0);
    rh_expr sum = entries[0].value;
    for (uint32_t k = 1; k < count; k++) {
        sum = rh__expr_add(equations->store, sum, entries[k].value);
    }
    return rh__derive_fold(equations, sum);
}

// Each place once, row by row, columns ascending; no zeros.
static bool is_sound(const rh_store *store, const rh_grid *grid)
{
    bool ok = grid->begin[0] == 0 && grid->begin[grid->rows] == grid->entries.count;
    for (uint32_t row = 0; ok && row < grid->rows; row++) {
        ok = grid->begin[row] <= grid->begin[row + 1];
        for (uint32_t k = grid->begin[row]; ok && k < grid->begin[row + 1]; k++) {
            const rh_entry *it = &grid->entries.data[k];
            ok = it->row == row && it->column < grid->columns &&
                 !rh__expr_is_zero(store, it->value) &&
                 (k == grid->begin[row] || grid->entries.data[k - 1].column < it->column);
        }
    }
    return ok;
}

bool rh__grid_finish(rh_equations *equations, rh_arena *arena, rh_grid *grid, uint32_t rows,
                     uint32_t columns)
{
    grid->rows = rows;
    grid->columns = columns;
    grid->begin = rh__arena_array(arena, uint32_t, (size_t)rows + 1);
    if (grid->begin == NULL) {
        return false;
    }
    const uint32_t all = grid->entries.count;
    rh_entry *entries = grid->entries.data;
    if (all > 0) {
        qsort(entries, all, sizeof *entries, compare_entries);
    }
    uint32_t kept = 0;
    for (uint32_t first = 0; first < all;) {
        uint32_t end = first + 1;
        while (end < all && entries[end].row == entries[first].row &&
               entries[end].column == entries[first].column) {
            end++;
        }
        const rh_entry place = entries[first];
        const rh_expr value = add_up(equations, entries + first, end - first);
        if (value.i == 0) {
            return false;
        }
        if (!rh__expr_is_zero(equations->store, value)) {
            entries[kept++] = (rh_entry){place.row, place.column, value};
        }
        first = end;
    }
    grid->entries.count = kept;
    for (uint32_t k = 0, row = 0; row <= rows; row++) {
        while (k < kept && entries[k].row < row) {
            k++;
        }
        grid->begin[row] = k;
    }
    RH_ASSERT(is_sound(equations->store, grid));
    return true;
}

rh_expr rh__grid_at(const rh_grid *grid, uint32_t row, uint32_t column)
{
    RH_ASSERT(row < grid->rows && column < grid->columns);
    for (uint32_t k = grid->begin[row]; k < grid->begin[row + 1]; k++) {
        if (grid->entries.data[k].column == column) {
            return grid->entries.data[k].value;
        }
    }
    return RH_EXPR_NONE;
}

// --- folding -----------------------------------------------------------------------------------

static bool reserve_visits(rh_equations *equations, rh_expr e)
{
    const rh_store *store = equations->store;
    rh_visits *visits = &equations->visits;
    if (e.i >= visits->count) {
        const uint32_t count = rh__store_count(store) + rh__store_count(store) / 2 + 64;
        uint32_t *round = rh__arena_resize(&equations->arena, visits->round,
                                           visits->count * sizeof *round, count * sizeof *round);
        if (round == NULL) {
            return false;
        }
        visits->round = round;
        visits->count = count;
    }
    return true;
}

// Has an expression at most FOLD_NODES distinct parts? Larger ones gain little and cost much.
static bool is_small(rh_equations *equations, rh_expr e)
{
    enum { FOLD_NODES = 600 };
    const rh_store *store = equations->store;
    rh_visits *visits = &equations->visits;
    rh_expr stack[FOLD_NODES];
    uint32_t depth = 0;
    uint32_t seen = 1;
    visits->now++;
    visits->round[e.i] = visits->now;
    stack[depth++] = e;
    while (depth > 0) {
        const rh_expr at = stack[--depth];
        const uint32_t count = rh__expr_count(store, at);
        for (uint32_t k = 0; k < count; k++) {
            const rh_expr part = rh__expr_argument(store, at, k);
            if (visits->round[part.i] == visits->now) {
                continue;
            }
            if (seen++ == FOLD_NODES) {
                return false;
            }
            visits->round[part.i] = visits->now;
            stack[depth++] = part;
        }
    }
    return true;
}

rh_expr rh__derive_fold(rh_equations *equations, rh_expr e)
{
    const bool is_kept = equations->unfolded != NULL && rh__marks_find(equations->unfolded, e) != 0;
    if (equations->folder == NULL || e.i == 0 || is_kept) {
        return e;
    }
    // an expression that is not folded is another one to look at: never for want of memory
    if (!reserve_visits(equations, e)) {
        return RH_EXPR_NONE;
    }
    return is_small(equations, e) ? rh__folder_apply(equations->folder, e) : e;
}

bool rh__derive_vanishes(rh_equations *equations, rh_expr e, rh_arena *scratch)
{
    if (rh__expr_is_zero(equations->store, e)) {
        return true;
    }
    if (equations->folder != NULL && rh__folder_is_zero(equations->folder, e)) {
        return true;
    }
    const rh_mark mark = rh__arena_mark(scratch);
    const rh_vanishing vanishing = rh__expr_vanishes(equations->store, e, rh__values_parameter,
                                                     &equations->model->values, scratch);
    rh__arena_rewind(scratch, mark);
    return vanishing != RH_VANISHING_NO;
}

// --- refusals ------------------------------------------------------------------------------------

rh_status rh__derive_refused(const rh_derive *derive)
{
    if (derive->arena->status != RH_OK) {
        return derive->arena->status;
    }
    if (derive->scratch.status != RH_OK) {
        return derive->scratch.status;
    }
    switch (rh__store_refusal(derive->store)) {
    case RH_REFUSAL_NONE:
        return RH_OK;
    case RH_REFUSAL_MEMORY:
        return derive->model->arena.status != RH_OK ? derive->model->arena.status : RH_E_MEMORY;
    case RH_REFUSAL_NODES:
    case RH_REFUSAL_NUMBER:
    case RH_REFUSAL_WORK:
        return RH_E_LIMIT;
    }
    return RH_E_MEMORY;
}

rh_status rh__derive_failed(const rh_derive *derive)
{
    const rh_status status = rh__derive_refused(derive);
    return status != RH_OK ? status : RH_E_MEMORY;
}
