// SPDX-License-Identifier: Apache-2.0
// Solve blocks in numbers; see pivot.h. The margin of a factorisation is the smallest size of a
// pivot relative to the sizes of the terms it is made of; where pivots are chosen by value,
// relative to the largest that these terms can be, u_jk of the rows before it in units of the rows.
// It costs next to nothing and goes to rounding where the matrix becomes singular, also when the
// terms of a pivot are themselves what rounding left of larger ones.

#include "tape/pivot.h"

#include <math.h>
#include <string.h>

enum { SPARE = 64 }; // up to this size a block with fixed pivots has room for others

#define BACKWARD 1e-7 // backward error of order 0 above which fixed pivots do not serve

// --- room ------------------------------------------------------------------------------------

// The rows of shares by position.
static rh_status reserve_shares(const rh_tape_block *block, rh_arena *arena, rh_arena *scratch,
                                rh_block_state *it)
{
    RH_ASSERT(block->share_begin[block->n] == block->share_count);
    const uint32_t n = block->n;
    uint32_t *begin = rh__arena_array(scratch, uint32_t, n);
    uint32_t *end = rh__arena_array(scratch, uint32_t, n);
    it->share_home = rh__arena_array(arena, uint32_t, (size_t)block->share_count + 1);
    it->right_row = rh__arena_array(arena, uint32_t, n);
    if (begin == NULL || end == NULL || it->share_home == NULL || it->right_row == NULL) {
        return RH_E_MEMORY;
    }
    for (uint32_t k = 0; k < n; k++) {
        const uint32_t row = block->saddle->order[k];
        begin[k] = block->share_begin[row];
        end[k] = block->share_begin[row + 1];
        if (block->right[k].slot != RH_SLOT_NONE) {
            it->right_row[it->right_count++] = k;
        }
    }
    const rh_bundle_def def = {.rows = n, .begin = begin, .end = end, .of = block->share_sum};
    if (!rh__bundle_create(&def, arena, &it->shares, it->share_home, 0)) {
        return RH_E_MEMORY;
    }
    it->share_value = rh__arena_array(arena, double, (size_t)it->shares.size + 1);
    return it->share_value != NULL ? RH_OK : RH_E_MEMORY;
}

static rh_status reserve_fixed(rh_tape_state *state, const rh_tape_block *block, rh_block_state *it)
{
    if (!rh__saddle_reserve(block->saddle, &state->arena, &it->factors)) {
        return state->arena.status;
    }
    rh_arena scratch = rh__arena_begin(state->arena.allocator, state->arena.limit);
    const rh_status status = reserve_shares(block, &state->arena, &scratch, it);
    rh__arena_end(&scratch);
    return status;
}

void rh__block_bind(rh_tape_state *state, uint32_t index)
{
    const rh_tape_block *block = &state->tape->blocks[index];
    const rh_block_state *it = &state->blocks[index];
    const double *weight = state->weight + block->weight + block->entry_count + block->n;
    for (uint32_t k = 0; it->share_value != NULL && k < block->share_count; k++) {
        it->share_value[it->share_home[k]] = weight[k];
    }
}

rh_status rh__block_reserve(rh_tape_state *state, uint32_t index)
{
    RH_ASSERT(state->tape->blocks[index].factor <= index);
    const rh_tape_block *block = &state->tape->blocks[index];
    rh_block_state *it = &state->blocks[index];
    rh_arena *arena = &state->arena;
    if (block->factor != index) {
        return RH_OK;
    }
    bool has_hold = false;
    for (uint32_t k = 0; k < block->n; k++) {
        has_hold = has_hold || block->hold[k] != UINT32_MAX;
    }
    it->values = rh__arena_array(arena, double, (size_t)block->entry_count + 1);
    it->is_released = has_hold ? rh__arena_array(arena, bool, block->n) : NULL;
    if (it->values == NULL || (has_hold && it->is_released == NULL)) {
        return arena->status;
    }
    if (block->saddle != NULL) {
        RH_TRY(reserve_fixed(state, block, it));
    }
    if (block->saddle != NULL && block->n > SPARE) {
        return RH_OK;
    }
    it->dense = rh__arena_array(arena, double, (size_t)block->n * block->n);
    it->row = rh__arena_array(arena, uint32_t, block->n);
    it->inverse = rh__arena_array(arena, double, block->n);
    return it->dense != NULL && it->row != NULL && it->inverse != NULL ? RH_OK : arena->status;
}

// --- dense -----------------------------------------------------------------------------------

static void fill_dense(const rh_tape_block *block, rh_block_state *it)
{
    const uint32_t n = block->n;
    memset(it->dense, 0, (size_t)n * n * sizeof *it->dense);
    for (uint32_t k = 0; k < block->entry_count; k++) {
        const rh_tape_entry *entry = &block->entries[k];
        RH_ASSERT(entry->row < n && entry->column < n);
        it->dense[(size_t)entry->row * n + entry->column] += it->values[k];
    }
    for (uint32_t k = 0; it->is_released != NULL && k < n; k++) {
        if (it->is_released[k]) {
            memset(it->dense + (size_t)k * n, 0, n * sizeof *it->dense);
            it->dense[(size_t)k * n + block->hold_column[k]] = 1.0;
        }
    }
}

// The sizes of the unknowns that a diagonal entry tells: a_jj z_j^2 is an energy, or a power. Of
// multipliers it tells them only where there are no rates: else it is zero, or what keeps redundant
// rows apart, or the 1 of a released row.
static bool find_anchors(const double *a, uint32_t n, const bool *is_rate, double *row,
                         double *column)
{
    const bool has_rates = is_rate[0]; // they stand first
    bool is_whole = true;
    for (uint32_t j = 0; j < n; j++) {
        const double own = is_rate[j] == has_rates ? fabs(a[j * n + j]) : 0.0;
        row[j] = column[j] = own > 0.0 ? 1.0 / sqrt(own) : 0.0;
        is_whole = is_whole && own > 0.0;
    }
    return is_whole;
}

// 1 / the largest |a_k| scale_k, where `step` leads from one entry to the next; 0 without any.
static double share_of(const double *a, size_t step, uint32_t n, const double *scale)
{
    double largest = 0.0;
    for (uint32_t k = 0; k < n; k++) {
        const double size = fabs(a[k * step]) * scale[k];
        largest = size > largest ? size : largest;
    }
    return largest > 0.0 ? 1.0 / largest : 0.0;
}

// 1 / the sizes of the rows, which depend on no unit: with the sizes of the unknowns that the
// diagonal tells, and of the others that rows of a known size tell.
static void find_scales(const double *a, uint32_t n, const bool *is_rate, double *row)
{
    RH_ASSERT(n <= SPARE);
    double column[SPARE];
    bool is_whole = find_anchors(a, n, is_rate, row, column);
    for (uint32_t round = 0; !is_whole && round <= n; round++) {
        is_whole = true;
        for (uint32_t i = 0; i < n; i++) {
            row[i] = row[i] > 0.0 ? row[i] : share_of(a + i * n, 1, n, column);
        }
        for (uint32_t j = 0; j < n; j++) {
            column[j] = column[j] > 0.0 ? column[j] : share_of(a + j, n, n, row);
            // in the end there are some that nothing tells
            column[j] = column[j] > 0.0 || round < n ? column[j] : 1.0;
            is_whole = is_whole && column[j] > 0.0;
        }
    }
    for (uint32_t i = 0; i < n; i++) {
        row[i] = share_of(a + i * n, 1, n, column);
    }
}

// A row that says what multiplier k is, and nothing else: a released one. Rows with nothing but a
// rate are constraints: where their control is lost the pivots of all others have to show it.
static bool is_given(const double *row, uint32_t n, const bool *is_rate, uint32_t k)
{
    uint32_t j = 0;
    while (j < n && (j == k || row[j] == 0.0)) {
        j++;
    }
    return j == n && row[k] != 0.0 && is_rate[0] && !is_rate[k];
}

// The row from `k` on whose entry in column k is largest relative to its row, the first of those
// that are about as large. But a multiplier that is given is taken from there, however large the
// others are: what they make of it is a difference, and all rounding where it hardly acts.
static uint32_t choose_row(const rh_tape_block *block, const double *a, uint32_t k,
                           const double *scale)
{
    RH_ASSERT(k < block->n);
    const uint32_t n = block->n;
    uint32_t best = k;
    double largest = -1.0;
    for (uint32_t i = k; i < n; i++) {
        if (is_given(a + i * n, n, block->is_rate, k)) {
            return i;
        }
        const double size = fabs(a[i * n + k]) * scale[i];
        if (size > RH_BLOCK_LARGER * largest) {
            largest = size;
            best = i;
        }
    }
    return best;
}

static void swap_rows(double *a, uint32_t n, uint32_t i, uint32_t j)
{
    for (uint32_t k = 0; k < n; k++) {
        const double kept = a[i * n + k];
        a[i * n + k] = a[j * n + k];
        a[j * n + k] = kept;
    }
}

// How far the pivots are from being nothing but rounding. A factor of row k by row j is at most
// scale[j] / scale[k].
static double find_margin(const double *a, uint32_t n, const double *scale)
{
    double margin = 1.0;
    for (uint32_t k = 0; k < n; k++) {
        const double pivot = fabs(a[k * n + k]) * scale[k];
        double size = pivot;
        for (uint32_t j = 0; j < k; j++) {
            size += fabs(a[j * n + k]) * scale[j];
        }
        const double ratio = pivot / size;
        margin = ratio < margin ? ratio : (ratio == ratio ? margin : 0.0);
    }
    RH_ASSERT(0.0 <= margin && margin <= 1.0);
    return margin;
}

static double factor_dense(const rh_tape_block *block, rh_block_state *it)
{
    const uint32_t n = block->n;
    double *a = it->dense;
    double scale[SPARE];
    find_scales(a, n, block->is_rate, scale);
    for (uint32_t i = 0; i < n; i++) {
        it->row[i] = i;
    }
    for (uint32_t k = 0; k < n; k++) {
        const uint32_t best = choose_row(block, a, k, scale);
        if (best != k) {
            const uint32_t row = it->row[k];
            const double kept = scale[k];
            swap_rows(a, n, k, best);
            scale[k] = scale[best];
            scale[best] = kept;
            it->row[k] = it->row[best];
            it->row[best] = row;
        }
        it->inverse[k] = 1.0 / a[k * n + k];
        for (uint32_t i = k + 1; i < n; i++) {
            const double factor = a[i * n + k] *= it->inverse[k];
            for (uint32_t j = k + 1; j < n; j++) {
                a[i * n + j] -= factor * a[k * n + j];
            }
        }
    }
    return find_margin(a, n, scale);
}

static void solve_dense(uint32_t n, const rh_block_state *it, double *b)
{
    RH_ASSERT(n <= SPARE);
    const double *a = it->dense;
    double y[SPARE];
    for (uint32_t i = 0; i < n; i++) {
        double sum = b[it->row[i]];
        for (uint32_t j = 0; j < i; j++) {
            sum -= a[i * n + j] * y[j];
        }
        y[i] = sum;
    }
    for (uint32_t i = n; i-- > 0;) {
        double sum = y[i];
        for (uint32_t j = i + 1; j < n; j++) {
            sum -= a[i * n + j] * y[j];
        }
        b[i] = y[i] = sum * it->inverse[i];
    }
}

// --- fixed order -----------------------------------------------------------------------------

// The largest |b - K z| relative to |K| |z| + |b|, row by row. `work` has 2 n numbers; the first n
// of them become b - K z.
static double backward_error(const rh_tape_block *block, const rh_block_state *it, const double *b,
                             const double *z, double *work)
{
    RH_ASSERT(b != work && z != work);
    const uint32_t n = block->n;
    double *rest = work;
    double *size = work + n;
    for (uint32_t k = 0; k < n; k++) {
        const bool is_free = it->is_released != NULL && it->is_released[k];
        const double own = is_free ? z[block->hold_column[k]] : 0.0;
        rest[k] = b[k] - own;
        size[k] = fabs(b[k]) + fabs(own);
    }
    for (uint32_t k = 0; k < block->entry_count; k++) {
        const rh_tape_entry *entry = &block->entries[k];
        if (it->is_released == NULL || !it->is_released[entry->row]) {
            const double part = it->values[k] * z[entry->column];
            rest[entry->row] -= part;
            size[entry->row] += fabs(part);
        }
    }
    // rows in which next to nothing happens are not held to their own noise
    double largest = 0.0;
    for (uint32_t k = 0; k < n; k++) {
        largest = size[k] > largest ? size[k] : largest;
    }
    double worst = 0.0;
    for (uint32_t k = 0; k < n; k++) {
        const double whole = size[k] + 1e-9 * largest;
        const double error = whole > 0.0 ? fabs(rest[k]) / whole : 0.0;
        worst = error <= worst ? worst : (error == error ? error : INFINITY);
    }
    return worst;
}

// --- both ------------------------------------------------------------------------------------

static bool read_entries(rh_tape_state *state, const rh_tape_block *block, rh_block_state *it)
{
    const double *weight = state->weight + block->weight;
    double sum = 0.0;
    for (uint32_t k = 0; k < block->entry_count; k++) {
        const uint32_t slot = block->entries[k].value.slot;
        const double value = weight[k] * (slot == RH_SLOT_NONE ? 1.0 : state->jet[slot]);
        it->values[k] = value;
        sum += fabs(value);
    }
    for (uint32_t k = 0; it->is_released != NULL && k < block->n; k++) {
        it->is_released[k] = block->hold[k] != UINT32_MAX && state->is_released[block->hold[k]];
    }
    return isfinite(sum);
}

static void note_rcond(rh_tape_state *state, double rcond)
{
    state->quality.rcond = rcond < state->quality.rcond ? rcond : state->quality.rcond;
}

// Pivots chosen by value; b becomes the solution when the margin is good.
static double try_pivots(const rh_tape_block *block, rh_block_state *it, double *b)
{
    fill_dense(block, it);
    it->kind = RH_BLOCK_PIVOTED;
    const double margin = factor_dense(block, it);
    if (margin >= block->margin) {
        solve_dense(block->n, it, b);
    }
    return margin;
}

// Solve by the factors; where what is left is too much, once more for that. Of long chains the
// pivots are as good as any, and the steps to the last of them many. `work` has 3 n numbers, the
// last of them b. False: what is left is still too much.
static bool solve_well(const rh_tape_block *block, rh_block_state *it, double *work, double *z)
{
    const uint32_t n = block->n;
    const double *b = work + 2 * (size_t)n;
    double *more = work + n;
    rh__saddle_solve(block->saddle, &it->factors, work, z);
    if (backward_error(block, it, b, z, work) <= BACKWARD) {
        return true;
    }
    memcpy(more, work, n * sizeof *more);
    rh__saddle_solve(block->saddle, &it->factors, work, more);
    for (uint32_t k = 0; k < n; k++) {
        z[k] += more[k];
    }
    return backward_error(block, it, b, z, work) <= BACKWARD;
}

// Pivots in the fixed order; returns the margin, 0 when the residual is large.
static double try_order(rh_tape_state *state, const rh_tape_block *block, rh_block_state *it,
                        double *b)
{
    double *kept = state->work + 2 * (size_t)block->n;
    it->kind = RH_BLOCK_FIXED;
    const double margin =
        rh__saddle_factor(block, it->values, it->is_released, state->work, &it->factors);
    if (margin < block->margin) {
        return margin;
    }
    memcpy(kept, b, block->n * sizeof *b);
    if (!solve_well(block, it, state->work, b)) {
        memcpy(b, kept, block->n * sizeof *b);
        return 0.0;
    }
    return margin;
}

static double try_factors(rh_tape_state *state, const rh_tape_block *block, rh_block_state *it,
                          double *b)
{
    if (block->saddle == NULL) {
        return try_pivots(block, it, b);
    }
    double margin = try_order(state, block, it, b);
    if (margin < block->margin && it->dense != NULL) {
        margin = try_pivots(block, it, b);
        state->quality.exchanged += margin >= block->margin;
    }
    return margin;
}

void rh__block_begin(rh_tape_state *state, uint32_t index, double *b)
{
    RH_ASSERT(state->tape->blocks[index].factor == index);
    const rh_tape_block *block = &state->tape->blocks[index];
    rh_block_state *it = &state->blocks[index];
    for (uint32_t k = 0; k < block->n; k++) {
        state->is_unique[block->unknown + k] = true;
    }
    state->defect[index] = state->is_settled ? 0 : state->defect[index];
    if (!read_entries(state, block, it) || !rh__vector_is_finite(block->n, b)) {
        it->kind = RH_BLOCK_FAILED;
        state->quality.is_failed = true;
        state->quality.rcond = 0.0;
        rh__rescue_solve(state, index, b);
        return;
    }
    // a released row says what its unknown is
    for (uint32_t k = 0; it->is_released != NULL && k < block->n; k++) {
        b[k] = it->is_released[k] ? state->lent[block->hold[k]] : b[k];
    }
    const bool is_doubted = state->is_wary || state->defect[index] > 0;
    const double margin = is_doubted ? 0.0 : try_factors(state, block, it, b);
    if (margin >= block->margin) {
        note_rcond(state, margin);
        return;
    }
    double rcond = 0.0;
    rh__rescue_begin(state, index, is_doubted || it->kind != RH_BLOCK_PIVOTED, b, &rcond);
    note_rcond(state, rcond);
    if (it->kind == RH_BLOCK_PIVOTED) {
        solve_dense(block->n, it, b);
    }
}

void rh__block_solve(rh_tape_state *state, uint32_t index, double *b)
{
    const uint32_t factor = state->tape->blocks[index].factor;
    const rh_tape_block *block = &state->tape->blocks[factor];
    RH_ASSERT(block->factor == factor && block->n == state->tape->blocks[index].n);
    const rh_block_state *it = &state->blocks[factor];
    for (uint32_t k = 0; it->is_released != NULL && k < block->n; k++) {
        b[k] = it->is_released[k] ? 0.0 : b[k];
    }
    switch (it->kind) {
    case RH_BLOCK_PIVOTED:
        solve_dense(block->n, it, b);
        return;
    case RH_BLOCK_FIXED:
        rh__saddle_solve(block->saddle, &it->factors, state->work, b);
        return;
    case RH_BLOCK_LU:
    case RH_BLOCK_KLU:
    case RH_BLOCK_SINGULAR:
    case RH_BLOCK_FAILED:
        rh__rescue_solve(state, factor, b);
        return;
    }
}

// --- higher orders ---------------------------------------------------------------------------

// b_k - sum_{j=1..k} K_j z_{k-j}, row by row
static void find_right(const rh_tape_state *state, const rh_tape_block *block, const double *high,
                       double *out)
{
    const double *weight = state->weight + block->weight + block->entry_count;
    const double *share_weight = weight + block->n;
    const double *sums = state->sums + block->sums.first;
    for (uint32_t row = 0; row < block->n; row++) {
        const uint32_t slot = block->right[row].slot;
        double value = slot == RH_SLOT_NONE ? 0.0 : weight[row] * high[slot];
        for (uint32_t k = block->share_begin[row]; k < block->share_begin[row + 1]; k++) {
            value -= share_weight[k] * sums[block->share_sum[k]];
        }
        out[row] = value;
    }
}

// The same by position, and at once solved.
static void grow_fixed(rh_tape_state *state, const rh_tape_block *block, const rh_block_state *it,
                       double *high)
{
    const rh_saddle *saddle = block->saddle;
    const double *weight = state->weight + block->weight + block->entry_count;
    double *y = state->work;
    double *out = high + block->first;
    memset(y, 0, block->n * sizeof *y);
    for (uint32_t k = 0; k < it->right_count; k++) {
        const uint32_t row = it->right_row[k];
        y[saddle->position[row]] = weight[row] * high[block->right[row].slot];
    }
    rh__bundle_subtract(&it->shares, it->share_value, state->sums + block->sums.first, y);
    for (uint32_t k = 0; it->is_released != NULL && k < block->n; k++) {
        y[saddle->position[k]] = it->is_released[k] ? 0.0 : y[saddle->position[k]];
    }
    rh__saddle_pass(saddle, &it->factors, y);
    for (uint32_t k = 0; k < block->n; k++) {
        out[saddle->order[k]] = y[k];
    }
}

void rh__block_grow(rh_tape_state *state, uint32_t index, double *high)
{
    const rh_tape_block *block = &state->tape->blocks[index];
    const rh_block_state *it = &state->blocks[index];
    if (block->factor == index && it->kind == RH_BLOCK_FIXED) {
        grow_fixed(state, block, it, high);
        return;
    }
    find_right(state, block, high, high + block->first);
    rh__block_solve(state, index, high + block->first);
}
