// SPDX-License-Identifier: Apache-2.0
// Blocks in trouble. First pivots chosen by value with an honest estimate of the condition (dense
// up to DENSE unknowns, sparse above); when that is in doubt, the rank that is more than rounding,
// and the least solution if it is not full: rates and reactions usually are unique, the multipliers
// are those of least norm. Constraints may be redundant on themselves only: off them, by what a
// step misses, the matrix is regular, and its solution is nothing but that miss. So a rank found on
// the constraints holds near them. This is the only place where a running tape takes memory, from
// an arena of its own.

#include "tape/pivot.h"

#include <math.h>
#include <string.h>

enum { DENSE = 400, LARGEST = 2500 };

#define ROUNDINGS 64.0 // of the equations, below which what they contradict each other is none

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

// --- the pseudo-inverse ----------------------------------------------------------------------

// What no choice of unknowns can reach, relative to the whole; nothing where it is no more than
// what rounding can do to the equations.
static double lost_share(const rh_reveal *reveal, const rh_reveal_problem *of, const double *noise,
                         const double *b)
{
    const uint32_t n = reveal->n;
    double size = 0.0;
    double nothing = 0.0;
    for (uint32_t i = 0; i < n; i++) {
        double own = noise[i];
        for (uint32_t j = 0; j < n; j++) {
            const double entry = of->noise[i + (size_t)j * n];
            own += entry == 0.0 ? 0.0
                                : entry * fabs(rh__vector_dot(n, of->inverse + (size_t)j * n, b));
        }
        size = hypot(size, of->row_scale[i] * b[i]);
        nothing = hypot(nothing, of->row_scale[i] * own);
    }
    const double lost = rh__reveal_lost(reveal, of->row_scale, b);
    return lost > ROUNDINGS * nothing ? lost / size : 0.0;
}

static void find_loose(const rh_reveal *reveal, const double *column_scale, rh_rescue *rescue)
{
    RH_ASSERT(reveal->rank <= reveal->n);
    const uint32_t n = reveal->n;
    for (uint32_t j = 0; j < n; j++) {
        rescue->loose[j] = 0.0;
        rescue->is_loose[j] = reveal->is_loose[j];
        rescue->is_spare[j] = reveal->is_spare[j];
        for (uint32_t k = reveal->rank; reveal->is_loose[j] && k < n; k++) {
            const double part = reveal->null[j + (size_t)(k - reveal->rank) * n];
            rescue->loose[j] += cos((double)k) * column_scale[j] * part; // no simple ratios
        }
    }
}

static rh_status reserve_inverse(rh_tape_state *state, const rh_tape_block *block,
                                 rh_rescue *rescue)
{
    const uint32_t n = block->n;
    RH_TRY(reserve_matrix(state, block, rescue));
    if (rescue->inverse == NULL) {
        rescue->inverse = rh__arena_array(&state->rescue, double, (size_t)n *n);
    }
    if (rescue->loose == NULL) {
        rescue->loose = rh__arena_array(&state->rescue, double, n);
    }
    if (rescue->is_loose == NULL) {
        rescue->is_loose = rh__arena_array(&state->rescue, bool, n);
    }
    if (rescue->is_spare == NULL) {
        rescue->is_spare = rh__arena_array(&state->rescue, bool, n);
    }
    return rescue->inverse != NULL && rescue->loose != NULL && rescue->is_loose != NULL &&
                   rescue->is_spare != NULL
               ? RH_OK
               : state->rescue.status;
}

static rh_status decompose(rh_tape_state *state, uint32_t index, const double *b,
                           uint32_t *out_rank)
{
    const rh_tape_block *block = &state->tape->blocks[index];
    rh_block_state *it = &state->blocks[index];
    const uint32_t n = block->n;
    double *row_scale = rh__arena_array(&state->rescue, double, n);
    double *column_scale = rh__arena_array(&state->rescue, double, n);
    double *noise = rh__arena_array(&state->rescue, double, (size_t)n *n);
    double *right_noise = rh__arena_array(&state->rescue, double, n);
    if (row_scale == NULL || column_scale == NULL || noise == NULL || right_noise == NULL) {
        return state->rescue.status;
    }
    RH_TRY(rh__block_noise(state, index, noise, right_noise));
    fill_matrix(block, it, it->rescue->matrix);
    rh__reveal_scales(n, it->rescue->matrix, block->is_rate, row_scale, column_scale);
    rh__reveal_metric(n, it->rescue->matrix, block->is_rate, noise);
    const rh_reveal_problem problem = {.n = n,
                                       .matrix = it->rescue->matrix,
                                       .noise = noise,
                                       .row_scale = row_scale,
                                       .column_scale = column_scale,
                                       .inverse = it->rescue->inverse,
                                       .defect = state->is_settled ? 0 : state->defect[index]};
    rh_reveal reveal;
    RH_TRY(rh__reveal(&state->rescue, &problem, &reveal));
    *out_rank = reveal.rank;
    const double lost = lost_share(&reveal, &problem, right_noise, b);
    state->quality.residual = lost > state->quality.residual ? lost : state->quality.residual;
    if (state->defect[index] == 0 || state->is_settled || !it->rescue->is_known) {
        find_loose(&reveal, column_scale, it->rescue); // near a settled point the same is loose
        it->rescue->is_known = true;
    }
    for (uint32_t j = 0; j < n; j++) {
        state->is_unique[block->unknown + j] = !it->rescue->is_loose[j];
    }
    return RH_OK;
}

// What is known of the rank from now on.
static void note_rank(rh_tape_state *state, uint32_t index, uint32_t defect)
{
    state->defect[index] = state->is_settled ? defect : state->defect[index];
    state->is_defective = state->is_defective || state->defect[index] > 0;
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

static rh_status find_rank(rh_tape_state *state, uint32_t index, const double *b,
                           uint32_t *out_rank)
{
    const rh_tape_block *block = &state->tape->blocks[index];
    if (block->n > LARGEST) {
        return RH_E_LIMIT;
    }
    RH_TRY(reserve_inverse(state, block, state->blocks[index].rescue));
    const rh_mark mark = rh__arena_mark(&state->rescue);
    const rh_status status = decompose(state, index, b, out_rank);
    rh__arena_rewind(&state->rescue, mark);
    return status;
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
    const bool is_known = state->defect[index] > 0 && !state->is_settled;
    uint32_t rank = block->n;
    if (is_known || !(*out_rcond > RH_TAPE_REGULAR)) {
        RH_TRY(find_rank(state, index, b, &rank));
    }
    RH_ASSERT(rank <= block->n);
    note_rank(state, index, block->n - rank);
    state->quality.singular += rank < block->n;
    if (rank < block->n || *out_rcond == 0.0) {
        it->kind = RH_BLOCK_SINGULAR;
    } else if (is_forced) {
        it->kind = is_dense ? RH_BLOCK_LU : RH_BLOCK_KLU;
    }
    return RH_OK;
}

void rh__rescue_begin(rh_tape_state *state, uint32_t index, bool is_forced, double *b,
                      double *out_rcond)
{
    RH_ASSERT(state->tape->blocks[index].factor == index);
    rh_block_state *it = &state->blocks[index];
    const rh_status status = look_closer(state, index, is_forced, b, out_rcond);
    if (status != RH_OK) {
        it->kind = RH_BLOCK_FAILED;
        state->quality.is_failed = true;
    }
    state->quality.exchanged += it->kind == RH_BLOCK_LU || it->kind == RH_BLOCK_KLU;
    if (it->kind != RH_BLOCK_PIVOTED) {
        rh__rescue_solve(state, index, b);
    }
}

static void apply_inverse(const rh_rescue *rescue, uint32_t n, double *b)
{
    RH_ASSERT(b != rescue->right);
    for (uint32_t i = 0; i < n; i++) {
        b[i] = rh__vector_dot(n, rescue->inverse + (size_t)i * n, rescue->right);
    }
}

static rh_status apply_factors(rh_block_state *it, uint32_t n, double *b)
{
    switch (it->kind) {
    case RH_BLOCK_SINGULAR:
        apply_inverse(it->rescue, n, b);
        return RH_OK;
    case RH_BLOCK_LU:
        return rh__lu_solve(&it->rescue->lu, b, 1);
    case RH_BLOCK_KLU:
        return rh__klu_solve(&it->rescue->klu, b, 1);
    case RH_BLOCK_PIVOTED:
    case RH_BLOCK_FIXED:
    case RH_BLOCK_FAILED:
        break;
    }
    return RH_E_ARGUMENT;
}

void rh__rescue_solve(rh_tape_state *state, uint32_t index, double *b)
{
    const rh_tape_block *block = &state->tape->blocks[index];
    rh_block_state *it = &state->blocks[index];
    const uint32_t n = block->n;
    bool is_solved = false;
    if (it->rescue != NULL) {
        memcpy(it->rescue->right, b, n * sizeof *b);
        is_solved = apply_factors(it, n, b) == RH_OK;
        // a released row says what its unknown is; pivots of others leave rounding of it
        for (uint32_t k = 0; is_solved && it->is_released != NULL && k < n; k++) {
            if (it->is_released[k]) {
                b[block->hold_column[k]] = it->rescue->right[k];
            }
        }
    }
    for (uint32_t k = 0; !is_solved && k < n; k++) {
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

bool rh__tape_is_spare(const rh_tape_state *state, uint32_t slot)
{
    const uint32_t k = block_of(state->tape, slot);
    return k < state->tape->block_count && state->blocks[k].kind == RH_BLOCK_SINGULAR &&
           state->blocks[k].rescue->is_spare[slot - state->tape->blocks[k].first];
}

void rh__rescue_end(rh_rescue *rescue)
{
    if (rescue != NULL) {
        rh__klu_destroy(&rescue->klu);
    }
}
