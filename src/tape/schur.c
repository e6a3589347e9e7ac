// SPDX-License-Identifier: Apache-2.0
// The numbers of a block with a fixed order of pivots; see saddle.h. Leading rows (masses, as a
// rule) do not see each other: all of them are eliminated by one flat list of changes, and a
// solution passes them in two flat sums, eight rows at a time. What is left between them, the
// system of the multipliers, is taken row by row.

#include "tape/kernel.h"
#include "tape/saddle.h"

#include <math.h>
#include <string.h>

// --- homes -----------------------------------------------------------------------------------

typedef struct furnishing {
    const rh_tape_block *block;
    rh_saddle *saddle;
    rh_arena *arena;
} furnishing;

// The home of an entry in the factors.
static uint32_t find_home(const rh_saddle *saddle, uint32_t row, uint32_t column)
{
    RH_ASSERT(row < saddle->n && column < saddle->n);
    const bool is_lower = column < row;
    const uint32_t *of = is_lower ? saddle->lower : saddle->upper;
    const uint32_t *home = is_lower ? saddle->lower_home : saddle->upper_home;
    uint32_t low = is_lower ? saddle->lower_begin[row] : saddle->upper_begin[row];
    uint32_t high = is_lower ? saddle->lower_begin[row + 1] : saddle->upper_begin[row + 1];
    if (row == column) {
        return row;
    }
    while (low + 1 < high) {
        const uint32_t middle = low + (high - low) / 2;
        if (of[middle] <= column) {
            low = middle;
        } else {
            high = middle;
        }
    }
    RH_ASSERT(low < high && of[low] == column);
    return home[low];
}

static bool give_homes(furnishing *in)
{
    rh_saddle *saddle = in->saddle;
    const uint32_t n = saddle->n;
    const size_t count = (size_t)saddle->upper_begin[n] + 1;
    saddle->split = rh__arena_array(in->arena, uint32_t, n);
    saddle->lower_home = rh__arena_array(in->arena, uint32_t, count);
    saddle->upper_home = rh__arena_array(in->arena, uint32_t, count);
    if (saddle->split == NULL || saddle->lower_home == NULL || saddle->upper_home == NULL) {
        return false;
    }
    for (uint32_t k = 0; k < n; k++) {
        uint32_t j = saddle->lower_begin[k];
        while (j < saddle->lower_begin[k + 1] && saddle->lower[j] < saddle->lead) {
            j++;
        }
        saddle->split[k] = j;
    }
    const rh_bundle_def early = {.rows = n - saddle->lead,
                                 .begin = saddle->lower_begin + saddle->lead,
                                 .end = saddle->split + saddle->lead,
                                 .of = saddle->lower};
    const rh_bundle_def late = {.rows = saddle->lead,
                                .begin = saddle->upper_begin,
                                .end = saddle->upper_begin + 1,
                                .of = saddle->upper,
                                .base = saddle->lead};
    saddle->early_home = n;
    bool ok = rh__bundle_create(&early, in->arena, &saddle->early, saddle->lower_home, n);
    saddle->late_home = n + saddle->early.size;
    ok = ok &&
         rh__bundle_create(&late, in->arena, &saddle->late, saddle->upper_home, saddle->late_home);
    uint32_t at = saddle->late_home + saddle->late.size;
    for (uint32_t k = saddle->lead; ok && k < n; k++) {
        for (uint32_t j = saddle->split[k]; j < saddle->lower_begin[k + 1]; j++) {
            saddle->lower_home[j] = at++;
        }
        for (uint32_t j = saddle->upper_begin[k]; j < saddle->upper_begin[k + 1]; j++) {
            saddle->upper_home[j] = at++;
        }
    }
    saddle->home_count = at;
    return ok;
}

static bool give_entries_homes(furnishing *in)
{
    rh_saddle *saddle = in->saddle;
    const rh_tape_block *block = in->block;
    saddle->entry_home = rh__arena_array(in->arena, uint32_t, (size_t)block->entry_count + 1);
    saddle->hold_home = rh__arena_array(in->arena, uint32_t, saddle->n);
    if (saddle->entry_home == NULL || saddle->hold_home == NULL) {
        return false;
    }
    for (uint32_t k = 0; k < block->entry_count; k++) {
        saddle->entry_home[k] = find_home(saddle, saddle->position[block->entries[k].row],
                                          saddle->position[block->entries[k].column]);
    }
    for (uint32_t k = 0; k < saddle->n; k++) {
        saddle->hold_home[k] =
            block->hold[k] == UINT32_MAX
                ? UINT32_MAX
                : find_home(saddle, saddle->position[k], saddle->position[block->hold_column[k]]);
    }
    return true;
}

static bool list_changes(furnishing *in)
{
    rh_saddle *saddle = in->saddle;
    const size_t leading = saddle->upper_begin[saddle->lead];
    size_t count = 0;
    for (uint32_t k = 0; k < saddle->lead; k++) {
        const size_t degree = saddle->upper_begin[k + 1] - saddle->upper_begin[k];
        count += degree * degree;
    }
    saddle->twin = rh__arena_array(in->arena, uint32_t, leading + 1);
    saddle->leader = rh__arena_array(in->arena, uint32_t, leading + 1);
    saddle->changes = rh__arena_array(in->arena, rh_saddle_change, count + 1);
    if (saddle->twin == NULL || saddle->leader == NULL || saddle->changes == NULL) {
        return false;
    }
    for (uint32_t k = 0; k < saddle->lead; k++) {
        for (uint32_t i = saddle->upper_begin[k]; i < saddle->upper_begin[k + 1]; i++) {
            saddle->leader[i] = k;
            saddle->twin[i] = find_home(saddle, saddle->upper[i], k);
            RH_ASSERT(saddle->upper[i] >= saddle->lead); // leading rows do not see each other
            for (uint32_t j = saddle->upper_begin[k]; j < saddle->upper_begin[k + 1]; j++) {
                saddle->changes[saddle->change_count++] =
                    (rh_saddle_change){find_home(saddle, saddle->upper[i], saddle->upper[j]),
                                       saddle->twin[i], saddle->upper_home[j]};
            }
        }
    }
    return true;
}

bool rh__saddle_furnish(const rh_tape_block *block, rh_saddle *saddle, rh_arena *arena)
{
    furnishing in = {.block = block, .saddle = saddle, .arena = arena};
    return give_homes(&in) && give_entries_homes(&in) && list_changes(&in);
}

bool rh__saddle_reserve(const rh_saddle *saddle, rh_arena *arena, rh_saddle_factors *out)
{
    out->home = rh__arena_array(arena, double, (size_t)saddle->home_count + 1);
    out->scaled = rh__arena_array(arena, double, (size_t)saddle->home_count + 1);
    out->inverse = rh__arena_array(arena, double, (size_t)saddle->n + 1);
    return out->home != NULL && out->scaled != NULL && out->inverse != NULL;
}

// --- factors ---------------------------------------------------------------------------------

static void scatter_entries(const rh_tape_block *block, const double *values,
                            const bool *is_released, double *home)
{
    const rh_saddle *saddle = block->saddle;
    memset(home, 0, saddle->home_count * sizeof *home);
    if (is_released == NULL) {
        for (uint32_t k = 0; k < block->entry_count; k++) {
            home[saddle->entry_home[k]] += values[k];
        }
        return;
    }
    for (uint32_t k = 0; k < block->entry_count; k++) {
        home[saddle->entry_home[k]] += is_released[block->entries[k].row] ? 0.0 : values[k];
    }
    for (uint32_t k = 0; k < saddle->n; k++) {
        if (is_released[k]) {
            home[saddle->hold_home[k]] = 1.0;
        }
    }
}

// Leading rows: their changes of all others. `size` is by position.
static void eliminate_leaders(const rh_saddle *saddle, double *size, rh_saddle_factors *out)
{
    double *home = out->home;
    const uint32_t leading = saddle->upper_begin[saddle->lead];
    for (uint32_t k = 0; k < saddle->lead; k++) {
        out->inverse[k] = 1.0 / home[k];
    }
    for (uint32_t i = 0; i < leading; i++) {
        const double factor = home[saddle->twin[i]] *= out->inverse[saddle->leader[i]];
        size[saddle->upper[i]] += fabs(factor * home[saddle->upper_home[i]]);
    }
    for (uint32_t i = 0; i < saddle->change_count; i++) {
        const rh_saddle_change *it = &saddle->changes[i];
        home[it->at] -= home[it->lower] * home[it->upper];
    }
}

// A row behind the leading ones; `row` is zero between rows.
RH_PLAIN static void eliminate_row(const rh_saddle *saddle, uint32_t k, double *row, double *size,
                                   rh_saddle_factors *out)
{
    double *home = out->home;
    row[k] = home[k];
    for (uint32_t j = saddle->split[k]; j < saddle->lower_begin[k + 1]; j++) {
        row[saddle->lower[j]] = home[saddle->lower_home[j]];
    }
    for (uint32_t j = saddle->upper_begin[k]; j < saddle->upper_begin[k + 1]; j++) {
        row[saddle->upper[j]] = home[saddle->upper_home[j]];
    }
    for (uint32_t i = saddle->split[k]; i < saddle->lower_begin[k + 1]; i++) {
        const uint32_t pivot = saddle->lower[i];
        RH_ASSERT(saddle->lead <= pivot && pivot < k);
        const double factor = row[pivot] * out->inverse[pivot];
        row[pivot] = 0.0;
        home[saddle->lower_home[i]] = factor;
        for (uint32_t j = saddle->upper_begin[pivot]; j < saddle->upper_begin[pivot + 1]; j++) {
            const double part = factor * home[saddle->upper_home[j]];
            row[saddle->upper[j]] -= part;
            size[k] += saddle->upper[j] == k ? fabs(part) : 0.0;
        }
    }
    home[k] = row[k];
    out->inverse[k] = 1.0 / row[k];
    row[k] = 0.0;
    for (uint32_t j = saddle->upper_begin[k]; j < saddle->upper_begin[k + 1]; j++) {
        home[saddle->upper_home[j]] = row[saddle->upper[j]];
        row[saddle->upper[j]] = 0.0;
    }
}

RH_PLAIN static void scale_upper(const rh_saddle *saddle, rh_saddle_factors *out)
{
    for (uint32_t k = 0; k < saddle->n; k++) {
        for (uint32_t j = saddle->upper_begin[k]; j < saddle->upper_begin[k + 1]; j++) {
            const uint32_t at = saddle->upper_home[j];
            out->scaled[at] = out->home[at] * out->inverse[k];
        }
    }
}

double rh__saddle_factor(const rh_tape_block *block, const double *values, const bool *is_released,
                         double *work, rh_saddle_factors *out)
{
    RH_ASSERT(block->saddle != NULL && block->saddle->n == block->n);
    const rh_saddle *saddle = block->saddle;
    const uint32_t n = saddle->n;
    double *row = work;
    double *size = work + n;
    double margin = 1.0;
    scatter_entries(block, values, is_released, out->home);
    memset(row, 0, n * sizeof *row);
    for (uint32_t k = 0; k < n; k++) {
        size[k] = fabs(out->home[k]);
    }
    eliminate_leaders(saddle, size, out);
    for (uint32_t k = saddle->lead; k < n; k++) {
        eliminate_row(saddle, k, row, size, out);
    }
    for (uint32_t k = 0; k < n; k++) {
        const double ratio = fabs(out->home[k]) / size[k];
        margin = ratio < margin ? ratio : (ratio == ratio ? margin : 0.0);
    }
    RH_ASSERT(0.0 <= margin && margin <= 1.0);
    scale_upper(saddle, out);
    return margin;
}

// --- solutions -------------------------------------------------------------------------------

// Behind the leading rows, forth and back. What a row waits for last comes last.
RH_PLAIN static void solve_rest(const rh_saddle *saddle, const rh_saddle_factors *factors,
                                double *y)
{
    const double *home = factors->home;
    const double *scaled = factors->scaled;
    for (uint32_t k = saddle->lead; k < saddle->n; k++) {
        double sum = y[k];
        for (uint32_t j = saddle->split[k]; j < saddle->lower_begin[k + 1]; j++) {
            sum -= home[saddle->lower_home[j]] * y[saddle->lower[j]];
        }
        y[k] = sum;
    }
    for (uint32_t k = saddle->n; k-- > saddle->lead;) {
        double sum = y[k] * factors->inverse[k];
        for (uint32_t j = saddle->upper_begin[k + 1]; j-- > saddle->upper_begin[k];) {
            sum -= scaled[saddle->upper_home[j]] * y[saddle->upper[j]];
        }
        y[k] = sum;
    }
}

void rh__saddle_pass(const rh_saddle *saddle, const rh_saddle_factors *factors, double *y)
{
    rh__bundle_subtract(&saddle->early, factors->home + saddle->early_home, y, y + saddle->lead);
    solve_rest(saddle, factors, y);
    for (uint32_t k = 0; k < saddle->lead; k++) {
        y[k] *= factors->inverse[k];
    }
    rh__bundle_subtract(&saddle->late, factors->scaled + saddle->late_home, y + saddle->lead, y);
}

void rh__saddle_solve(const rh_saddle *saddle, const rh_saddle_factors *factors, double *work,
                      double *b)
{
    RH_ASSERT(work != b);
    for (uint32_t k = 0; k < saddle->n; k++) {
        work[k] = b[saddle->order[k]];
    }
    rh__saddle_pass(saddle, factors, work);
    for (uint32_t k = 0; k < saddle->n; k++) {
        b[saddle->order[k]] = work[k];
    }
}
