// SPDX-License-Identifier: Apache-2.0
// Ranks of the constraint rows at the start, on and off the constraints, and redundant sets by
// name. Entries that rounding can make are zero, columns are in units of the sizes of variables,
// rows are scaled to length one. Redundancy is judged where the rank is largest, never at the start
// alone: there the configuration may be singular, and at a state found near it too.

#include "analysis/examine.h"

#include <math.h>

enum { DENSE_ROWS = 500 };

#define RANK 1e-9      // of scaled rows
#define ROUNDINGS 16.0 // of an entry, below which it is zero

rh_status rh__checkup_rows(const rh_checkup *checkup, const rh_grid *rows, const rh_point *point,
                           const bool *use, uint32_t count, rh_arena *arena, double *out)
{
    (void)checkup;
    const uint32_t entries = rows->entries.count;
    const rh_mark mark = rh__arena_mark(arena);
    rh_expr *roots = rh__arena_array(arena, rh_expr, (size_t)entries + 1);
    double *values = rh__arena_array(arena, double, (size_t)entries + 1);
    if (roots == NULL || values == NULL) {
        return arena->status;
    }
    for (uint32_t k = 0; k < entries; k++) {
        roots[k] = rows->entries.data[k].value;
    }
    RH_TRY(rh__point_evaluate(point, roots, entries, arena, values));
    for (size_t k = 0; k < (size_t)count * rows->columns; k++) {
        out[k] = 0.0;
    }
    for (uint32_t row = 0, place = 0; row < rows->rows; row++) {
        if (use != NULL && !use[row]) {
            continue;
        }
        for (uint32_t k = rows->begin[row]; k < rows->begin[row + 1]; k++) {
            RH_ASSERT(place < count && rows->entries.data[k].column < rows->columns);
            out[place + (size_t)rows->entries.data[k].column * count] = values[k];
        }
        place++;
    }
    rh__arena_rewind(arena, mark);
    return RH_OK;
}

// --- sizes -------------------------------------------------------------------------------------

static double size_of(const rh_checkup *checkup, rh_expr symbol)
{
    const uint32_t slot = rh__layout_slot(&checkup->layout, symbol);
    return slot != UINT32_MAX ? checkup->sizes[slot] : 1.0;
}

double rh__checkup_size(const rh_checkup *checkup, uint32_t carrier)
{
    return size_of(checkup, checkup->equations->carriers.data[carrier].variable);
}

double rh__checkup_rate_size(const rh_checkup *checkup, uint32_t carrier)
{
    return size_of(checkup, checkup->equations->carriers.data[carrier].rate);
}

// --- scaled rows -------------------------------------------------------------------------------

// Entries that are no more than rounding become zero: a row of such would count as any other when
// it is scaled.
static void drop_noise(const rh_checkup *checkup, const rh_point *point, const bool *use,
                       uint32_t count, rh_arena *arena, double *a)
{
    const rh_grid *rows = &checkup->equations->rows;
    for (uint32_t row = 0, place = 0; row < rows->rows; row++) {
        for (uint32_t k = rows->begin[row]; use[row] && k < rows->begin[row + 1]; k++) {
            const rh_entry *entry = &rows->entries.data[k];
            RH_ASSERT(entry->row == row && place < count);
            double *value = &a[place + (size_t)entry->column * count];
            const double noise = rh__expr_rounding(checkup->equations->store, entry->value,
                                                   rh__point_value, point, arena);
            *value = fabs(*value) <= ROUNDINGS * noise ? 0.0 : *value;
        }
        place += use[row];
    }
}

rh_status rh__checkup_scaled_rows(const rh_checkup *checkup, const rh_point *point, const bool *use,
                                  uint32_t count, rh_arena *arena, double *out)
{
    const uint32_t n = checkup->equations->carriers.count;
    RH_TRY(rh__checkup_rows(checkup, &checkup->equations->rows, point, use, count, arena, out));
    drop_noise(checkup, point, use, count, arena, out);
    for (uint32_t j = 0; j < n; j++) {
        const double size = rh__checkup_size(checkup, j);
        for (uint32_t i = 0; i < count; i++) {
            out[i + (size_t)j * count] *= size;
        }
    }
    rh__matrix_scale_rows(count, n, out);
    return RH_OK;
}

// --- large systems: full rank or not known -------------------------------------------------------

// [I C^T; C 0] is regular when C has full row rank.
static rh_status rank_sparse(const rh_checkup *checkup, const rh_point *point, const bool *use,
                             uint32_t count, rh_arena *scratch, uint32_t *out)
{
    const rh_grid *rows = &checkup->equations->rows;
    const uint32_t n = rows->columns;
    const size_t most = (size_t)n + 2 * (size_t)rows->entries.count;
    uint32_t *row = rh__arena_array(scratch, uint32_t, most + 1);
    uint32_t *column = rh__arena_array(scratch, uint32_t, most + 1);
    double *value = rh__arena_array(scratch, double, most + 1);
    rh_expr *roots = rh__arena_array(scratch, rh_expr, (size_t)rows->entries.count + 1);
    double *values = rh__arena_array(scratch, double, (size_t)rows->entries.count + 1);
    if (row == NULL || column == NULL || value == NULL || roots == NULL || values == NULL) {
        return scratch->status;
    }
    for (uint32_t k = 0; k < rows->entries.count; k++) {
        roots[k] = rows->entries.data[k].value;
    }
    RH_TRY(rh__point_evaluate(point, roots, rows->entries.count, scratch, values));
    uint32_t at = 0;
    for (; at < n; at++) {
        row[at] = column[at] = at;
        value[at] = 1.0;
    }
    for (uint32_t k = 0; k < rows->entries.count; k++) {
        values[k] *= rh__checkup_size(checkup, rows->entries.data[k].column);
    }
    for (uint32_t link = 0, place = n; link < rows->rows; link++) {
        const uint32_t width = rows->begin[link + 1] - rows->begin[link];
        const double length = rh__vector_norm(width, values + rows->begin[link]);
        for (uint32_t k = rows->begin[link]; use[link] && k < rows->begin[link + 1]; k++) {
            values[k] /= length > 0.0 ? length : 1.0;
            row[at] = place;
            column[at] = rows->entries.data[k].column;
            value[at++] = values[k];
            row[at] = rows->entries.data[k].column;
            column[at] = place;
            value[at++] = values[k];
        }
        place += use[link];
    }
    rh_sparse sparse;
    rh_klu klu = {0};
    RH_ASSERT(at <= most);
    RH_TRY(rh__sparse_create(scratch, n + count, n + count, at, row, column, &sparse));
    rh__sparse_fill(&sparse, value);
    RH_TRY(rh__klu_create(&sparse, &klu));
    *out = klu.rcond > 1e-12 ? count : RH_RANK_UNKNOWN;
    rh__klu_destroy(&klu);
    return RH_OK;
}

// --- ranks -------------------------------------------------------------------------------------

static rh_status find_rank(const rh_checkup *checkup, const rh_point *point, const bool *use,
                           uint32_t count, rh_arena *scratch, uint32_t *out)
{
    const uint32_t n = checkup->equations->carriers.count;
    const rh_mark mark = rh__arena_mark(scratch);
    rh_status status = RH_OK;
    *out = count == 0 ? 0 : RH_RANK_UNKNOWN;
    if (count > DENSE_ROWS) {
        status = rank_sparse(checkup, point, use, count, scratch, out);
    } else if (count > 0) {
        double *a = rh__arena_array(scratch, double, (size_t)count *n + 1);
        rh_svd svd;
        RH_TRY(a == NULL ? scratch->status : RH_OK);
        RH_TRY(rh__checkup_scaled_rows(checkup, point, use, count, scratch, a));
        status = rh__svd_create(scratch, count, n, a, &svd);
        if (status == RH_OK) {
            *out = rh__svd_rank(&svd, RANK);
        } else if (status == RH_E_ARGUMENT) {
            status = RH_OK; // not finite there: not known
        }
    }
    rh__arena_rewind(scratch, mark);
    return status;
}

// --- redundant sets ------------------------------------------------------------------------------

// Links i and j are redundant with each other when a circuit holds both.
static rh_status keep_circuits(rh_checkup *checkup, const bool *use, uint32_t count, uint32_t k,
                               const double *null)
{
    const uint32_t links = checkup->equations->links.count;
    uint32_t *place = rh__arena_array(&checkup->arena, uint32_t, (size_t)count + 1);
    if (place == NULL) {
        return checkup->arena.status;
    }
    for (uint32_t link = 0, at = 0; link < links; link++) {
        if (use[link]) {
            place[at++] = link;
        }
    }
    for (uint32_t i = 0; i < count; i++) {
        rh_link_report *report = &checkup->links[place[i]];
        RH_ASSERT(place[i] < links);
        report->redundant_with = rh__arena_array(&checkup->arena, uint32_t, (size_t)count + 1);
        if (report->redundant_with == NULL) {
            return checkup->arena.status;
        }
        for (uint32_t j = 0; j < count; j++) {
            bool is_shared = false;
            for (uint32_t c = 0; c < k && j != i; c++) {
                is_shared = is_shared || (fabs(null[i + (size_t)c * count]) > 1e-6 &&
                                          fabs(null[j + (size_t)c * count]) > 1e-6);
            }
            if (is_shared) {
                report->redundant_with[report->redundant_count++] = place[j];
            }
        }
    }
    return RH_OK;
}

// A single row that is zero is redundant with nothing but itself; others by circuits.
static rh_status find_redundant(rh_checkup *checkup, const bool *use, rh_arena *scratch)
{
    const uint32_t n = checkup->equations->carriers.count;
    const uint32_t count = checkup->row_count;
    const uint32_t state = checkup->general;
    const uint32_t rank = checkup->rank[state];
    if (count == 0 || count > DENSE_ROWS || rank == RH_RANK_UNKNOWN || rank == count) {
        return RH_OK;
    }
    const rh_mark mark = rh__arena_mark(scratch);
    double *a = rh__arena_array(scratch, double, (size_t)count *n + 1);
    rh_svd svd;
    RH_TRY(a == NULL ? scratch->status : RH_OK);
    RH_TRY(rh__checkup_scaled_rows(checkup, &checkup->states[state], use, count, scratch, a));
    RH_TRY(rh__svd_create(scratch, count, n, a, &svd));
    RH_ASSERT(rank < count);
    double *null = svd.u + (size_t)rank * count;
    // each becomes a circuit, the smallest set it can be with the others
    rh__echelon(count, count - rank, 1e-6, true, null);
    RH_TRY(keep_circuits(checkup, use, count, count - rank, null));
    rh__arena_rewind(scratch, mark);
    return RH_OK;
}

// Of equal ranks the first state near the start.
static uint32_t find_general(const rh_checkup *checkup)
{
    static const uint32_t ORDER[] = {RH_CHECKUP_NEAR, RH_CHECKUP_FAR, RH_CHECKUP_START};
    uint32_t best = RH_CHECKUP_START;
    bool is_found = false;
    for (uint32_t k = 0; k < sizeof ORDER / sizeof *ORDER; k++) {
        const uint32_t rank = checkup->rank[ORDER[k]];
        if (rank != RH_RANK_UNKNOWN && (!is_found || rank > checkup->rank[best])) {
            best = ORDER[k];
            is_found = true;
        }
    }
    RH_ASSERT(best < RH_CHECKUP_STATES);
    return best;
}

rh_status rh__checkup_ranks(rh_checkup *checkup, rh_arena *scratch)
{
    const rh_equations *equations = checkup->equations;
    const uint32_t links = equations->links.count;
    bool *use = rh__arena_array(scratch, bool, (size_t)links + 1);
    bool *is_holonomic = rh__arena_array(scratch, bool, (size_t)links + 1);
    uint32_t holonomic = 0;
    if (use == NULL || is_holonomic == NULL) {
        return scratch->status;
    }
    for (uint32_t k = 0; k < links; k++) {
        const rh_link *link = &equations->links.data[k];
        use[k] = rh__checkup_keeps(checkup, k);
        is_holonomic[k] = use[k] && link->constraint->kind == RH_KIND_HOLONOMIC;
        checkup->row_count += use[k];
        holonomic += is_holonomic[k];
    }
    for (uint32_t state = 0; state < RH_CHECKUP_STATES; state++) {
        checkup->rank[state] = RH_RANK_UNKNOWN;
        if (checkup->is_state[state]) {
            RH_TRY(find_rank(checkup, &checkup->states[state], use, checkup->row_count, scratch,
                             &checkup->rank[state]));
        }
    }
    RH_ASSERT(holonomic <= checkup->row_count && checkup->row_count <= links);
    checkup->general = find_general(checkup);
    RH_TRY(find_rank(checkup, &checkup->states[checkup->general], is_holonomic, holonomic, scratch,
                     &checkup->holonomic_rank));
    return find_redundant(checkup, use, scratch);
}
