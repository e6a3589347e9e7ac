// SPDX-License-Identifier: Apache-2.0
// Blocks in trouble. First pivots chosen by value with an honest estimate of the condition (dense
// up to DENSE unknowns, sparse above); when that says singular, the least solution by singular
// values: rates and reactions usually are unique, the multipliers are those of least norm. This is
// the only place where a running tape takes memory, from an arena of its own.

#include "tape/pivot.h"

#include <math.h>
#include <string.h>

enum { DENSE = 400, LARGEST = 2500 };

#define RANK 1e-11 // of the scaled matrix
#define SHARE 1e-7 // of an unknown in the null space, above which it is not unique

static void fill_matrix(const rh_tape_block *block, const rh_block_state *it, double *a)
{
    const uint32_t n = block->n;
    memset(a, 0, (size_t)n * n * sizeof *a);
    for (uint32_t k = 0; k < block->entry_count; k++) {
        const rh_tape_entry *entry = &block->entries[k];
        if (it->is_released == NULL || !it->is_released[entry->row]) {
            a[entry->row + (size_t)entry->column * n] += it->values[k];
        }
    }
    for (uint32_t k = 0; it->is_released != NULL && k < n; k++) {
        if (it->is_released[k]) {
            a[k + (size_t)block->hold_column[k] * n] = 1.0;
        }
    }
}

// --- other pivots ----------------------------------------------------------------------------

static rh_status reserve_matrix(rh_tape_state *state, const rh_tape_block *block, rh_rescue *rescue)
{
    if (rescue->matrix == NULL) {
        rescue->matrix = rh__arena_array(&state->rescue, double, (size_t)block->n * block->n);
    }
    return rescue->matrix != NULL ? RH_OK : state->rescue.status;
}

static rh_status factor_dense(rh_tape_state *state, const rh_tape_block *block, rh_block_state *it)
{
    rh_rescue *rescue = it->rescue;
    RH_TRY(reserve_matrix(state, block, rescue));
    fill_matrix(block, it, rescue->matrix);
    if (rescue->lu.matrix == NULL) {
        return rh__lu_create(&state->rescue, block->n, rescue->matrix, &rescue->lu);
    }
    rh__lu_refactor(&rescue->lu, rescue->matrix);
    return RH_OK;
}

// Entries, then one for each row that may be released.
static rh_status create_sparse(rh_tape_state *state, const rh_tape_block *block, rh_sparse *out)
{
    const size_t most = (size_t)block->entry_count + block->n;
    const rh_mark mark = rh__arena_mark(&state->rescue);
    uint32_t *row = rh__arena_array(&state->rescue, uint32_t, most);
    uint32_t *column = rh__arena_array(&state->rescue, uint32_t, most);
    if (row == NULL || column == NULL) {
        rh__arena_rewind(&state->rescue, mark);
        return state->rescue.status;
    }
    for (uint32_t k = 0; k < block->entry_count; k++) {
        row[k] = block->entries[k].row;
        column[k] = block->entries[k].column;
    }
    for (uint32_t k = 0; k < block->n; k++) {
        row[block->entry_count + k] = k;
        column[block->entry_count + k] = block->hold[k] != UINT32_MAX ? block->hold_column[k] : k;
    }
    return rh__sparse_create(&state->rescue, block->n, block->n, (uint32_t)most, row, column, out);
}

static void fill_sparse(const rh_tape_block *block, const rh_block_state *it, rh_sparse *sparse)
{
    memset(sparse->value, 0, sparse->count * sizeof *sparse->value);
    for (uint32_t k = 0; k < block->entry_count; k++) {
        if (it->is_released == NULL || !it->is_released[block->entries[k].row]) {
            sparse->value[sparse->slot[k]] += it->values[k];
        }
    }
    for (uint32_t k = 0; it->is_released != NULL && k < block->n; k++) {
        sparse->value[sparse->slot[block->entry_count + k]] += it->is_released[k] ? 1.0 : 0.0;
    }
}

static rh_status factor_sparse(rh_tape_state *state, const rh_tape_block *block, rh_block_state *it)
{
    rh_rescue *rescue = it->rescue;
    if (rescue->klu.core != NULL) {
        fill_sparse(block, it, &rescue->sparse);
        return rh__klu_factor(&rescue->klu, &rescue->sparse); // no pivots of earlier troubles
    }
    if (rescue->sparse.start == NULL) {
        RH_TRY(create_sparse(state, block, &rescue->sparse));
    }
    fill_sparse(block, it, &rescue->sparse);
    return rh__klu_create(&rescue->sparse, &rescue->klu);
}

// --- singular values -------------------------------------------------------------------------

static double power_of_two(double size)
{
    return size > 0.0 && isfinite(size) ? ldexp(1.0, -ilogb(size)) : 1.0;
}

// Rows and the columns of rates are scaled to 1; all multipliers by one factor, so that the norm in
// which they are least is theirs.
static void scale_matrix(const rh_tape_block *block, double *a, double *row_scale,
                         double *column_scale)
{
    const uint32_t n = block->n;
    double largest = 0.0;
    for (uint32_t j = 0; j < n; j++) {
        double size = 0.0;
        for (uint32_t i = 0; i < n; i++) {
            size = fmax(size, fabs(a[i + (size_t)j * n]));
        }
        column_scale[j] = power_of_two(size);
        largest = block->is_rate[j] ? largest : fmax(largest, size);
    }
    for (uint32_t j = 0; j < n; j++) {
        column_scale[j] = block->is_rate[j] ? column_scale[j] : power_of_two(largest);
    }
    for (uint32_t i = 0; i < n; i++) {
        double size = 0.0;
        for (uint32_t j = 0; j < n; j++) {
            size = fmax(size, fabs(a[i + (size_t)j * n] *= column_scale[j]));
        }
        row_scale[i] = power_of_two(size);
        for (uint32_t j = 0; j < n; j++) {
            a[i + (size_t)j * n] *= row_scale[i];
        }
    }
}

typedef struct decomposed {
    rh_svd svd;
    uint32_t rank;
    double *row_scale, *column_scale;
} decomposed;

// V 1/S U^T, several rows at a time: all columns of U are read for each.
static void keep_inverse(const decomposed *it, uint32_t n, double *inverse)
{
    enum { TOGETHER = 8 };
    memset(inverse, 0, (size_t)n * n * sizeof *inverse);
    for (uint32_t first = 0; first < n; first += TOGETHER) {
        const uint32_t end = n - first < TOGETHER ? n : first + TOGETHER;
        for (uint32_t k = 0; k < it->rank; k++) {
            const double *u = it->svd.u + (size_t)k * n;
            for (uint32_t i = first; i < end; i++) {
                const double share = it->svd.v[i + (size_t)k * n] / it->svd.values[k];
                double *row = inverse + (size_t)i * n;
                for (uint32_t j = 0; j < n; j++) {
                    row[j] += share * u[j];
                }
            }
        }
    }
    for (uint32_t i = 0; i < n; i++) {
        for (uint32_t j = 0; j < n; j++) {
            inverse[(size_t)i * n + j] *= it->column_scale[i] * it->row_scale[j];
        }
    }
}

// What no choice of unknowns can reach, relative to the whole.
static double lost_share(const decomposed *it, uint32_t n, const double *b)
{
    double lost = 0.0;
    double size = 0.0;
    for (uint32_t j = 0; j < n; j++) {
        size = hypot(size, it->row_scale[j] * b[j]);
    }
    for (uint32_t k = it->rank; k < n; k++) {
        double part = 0.0;
        for (uint32_t j = 0; j < n; j++) {
            part += it->svd.u[j + (size_t)k * n] * it->row_scale[j] * b[j];
        }
        lost = hypot(lost, part);
    }
    return size > 0.0 ? lost / size : 0.0;
}

static void mark_unique(const decomposed *it, uint32_t n, bool *is_unique, double *loose)
{
    for (uint32_t j = 0; j < n; j++) {
        double share = 0.0;
        loose[j] = 0.0;
        for (uint32_t k = it->rank; k < n; k++) {
            const double part = it->svd.v[j + (size_t)k * n];
            share = hypot(share, part);
            loose[j] += cos((double)k) * it->column_scale[j] * part; // no simple ratios
        }
        is_unique[j] = share < SHARE;
    }
}

static rh_status decompose(rh_tape_state *state, uint32_t index, const double *b)
{
    const rh_tape_block *block = &state->tape->blocks[index];
    rh_block_state *it = &state->blocks[index];
    const uint32_t n = block->n;
    RH_TRY(reserve_matrix(state, block, it->rescue));
    if (it->rescue->inverse == NULL) {
        it->rescue->inverse = rh__arena_array(&state->rescue, double, (size_t)n *n);
    }
    if (it->rescue->loose == NULL) {
        it->rescue->loose = rh__arena_array(&state->rescue, double, n);
    }
    decomposed made = {.row_scale = rh__arena_array(&state->rescue, double, n),
                       .column_scale = rh__arena_array(&state->rescue, double, n)};
    if (it->rescue->inverse == NULL || it->rescue->loose == NULL || made.row_scale == NULL ||
        made.column_scale == NULL) {
        return state->rescue.status;
    }
    fill_matrix(block, it, it->rescue->matrix);
    scale_matrix(block, it->rescue->matrix, made.row_scale, made.column_scale);
    RH_TRY(rh__svd_create(&state->rescue, n, n, it->rescue->matrix, &made.svd));
    made.rank = rh__svd_rank(&made.svd, RANK);
    keep_inverse(&made, n, it->rescue->inverse);
    const double lost = lost_share(&made, n, b);
    state->quality.residual = lost > state->quality.residual ? lost : state->quality.residual;
    mark_unique(&made, n, state->is_unique + block->unknown, it->rescue->loose);
    return RH_OK;
}

// --- the rescue ------------------------------------------------------------------------------

static rh_status reserve_rescue(rh_tape_state *state, const rh_tape_block *block,
                                rh_block_state *it)
{
    if (it->rescue == NULL) {
        rh_rescue *made = rh__arena_new(&state->rescue, rh_rescue);
        double *right = rh__arena_array(&state->rescue, double, block->n);
        if (made == NULL || right == NULL) {
            return state->rescue.status;
        }
        made->right = right;
        it->rescue = made;
    }
    return RH_OK;
}

static rh_status look_closer(rh_tape_state *state, uint32_t index, bool is_forced, const double *b,
                             double *out_rcond)
{
    const rh_tape_block *block = &state->tape->blocks[index];
    rh_block_state *it = &state->blocks[index];
    RH_TRY(reserve_rescue(state, block, it));
    const bool is_dense = block->n <= DENSE;
    RH_TRY(is_dense ? factor_dense(state, block, it) : factor_sparse(state, block, it));
    *out_rcond = is_dense ? it->rescue->lu.rcond : it->rescue->klu.rcond;
    if (*out_rcond > RH_TAPE_REGULAR) {
        it->kind = !is_forced ? it->kind : is_dense ? RH_BLOCK_LU : RH_BLOCK_KLU;
        return RH_OK;
    }
    if (block->n > LARGEST) {
        return RH_E_LIMIT;
    }
    const rh_mark mark = rh__arena_mark(&state->rescue);
    const bool had_room =
        it->rescue->inverse != NULL && it->rescue->matrix != NULL && it->rescue->loose != NULL;
    const rh_status status = decompose(state, index, b);
    if (had_room) {
        rh__arena_rewind(&state->rescue, mark);
    }
    it->kind = RH_BLOCK_SINGULAR;
    return status;
}

void rh__rescue_begin(rh_tape_state *state, uint32_t index, bool is_forced, double *b,
                      double *out_rcond)
{
    rh_block_state *it = &state->blocks[index];
    const rh_status status = look_closer(state, index, is_forced, b, out_rcond);
    if (status != RH_OK) {
        it->kind = RH_BLOCK_FAILED;
        state->quality.is_failed = true;
    }
    state->quality.singular += it->kind == RH_BLOCK_SINGULAR;
    state->quality.exchanged += it->kind == RH_BLOCK_LU || it->kind == RH_BLOCK_KLU;
    if (it->kind != RH_BLOCK_PIVOTED) {
        rh__rescue_solve(state, index, b);
    }
}

static void apply_inverse(const rh_rescue *rescue, uint32_t n, double *b)
{
    memcpy(rescue->right, b, n * sizeof *b);
    for (uint32_t i = 0; i < n; i++) {
        b[i] = rh__vector_dot(n, rescue->inverse + (size_t)i * n, rescue->right);
    }
}

void rh__rescue_solve(rh_tape_state *state, uint32_t index, double *b)
{
    const uint32_t n = state->tape->blocks[index].n;
    rh_block_state *it = &state->blocks[index];
    rh_status status = RH_E_ARGUMENT;
    if (it->kind == RH_BLOCK_SINGULAR) {
        apply_inverse(it->rescue, n, b);
        return;
    }
    if (it->kind == RH_BLOCK_LU) {
        status = rh__lu_solve(&it->rescue->lu, b, 1);
    } else if (it->kind == RH_BLOCK_KLU) {
        status = rh__klu_solve(&it->rescue->klu, b, 1);
    }
    for (uint32_t k = 0; status != RH_OK && k < n; k++) {
        b[k] = (double)NAN;
    }
}

// The block of an unknown; block_count: it is none.
static uint32_t block_of(const rh_tape *tape, uint32_t slot)
{
    uint32_t k = 0;
    while (k < tape->block_count &&
           (slot < tape->blocks[k].first || slot - tape->blocks[k].first >= tape->blocks[k].n)) {
        k++;
    }
    return k;
}

double rh__tape_looseness(const rh_tape_state *state, uint32_t slot)
{
    const uint32_t k = block_of(state->tape, slot);
    const bool is_singular =
        k < state->tape->block_count && state->blocks[k].kind == RH_BLOCK_SINGULAR;
    return is_singular ? state->blocks[k].rescue->loose[slot - state->tape->blocks[k].first] : 0.0;
}

bool rh__tape_is_unique(const rh_tape_state *state, uint32_t slot)
{
    const uint32_t k = block_of(state->tape, slot);
    const rh_tape_block *block = &state->tape->blocks[k];
    return k == state->tape->block_count || state->is_unique[block->unknown + slot - block->first];
}

void rh__rescue_end(rh_rescue *rescue)
{
    if (rescue != NULL) {
        rh__klu_destroy(&rescue->klu);
    }
}
