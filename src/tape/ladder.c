// SPDX-License-Identifier: Apache-2.0
// States that change by other states, whose rates lie side by side: of x' = v, v' = a the
// coefficients of a tell those of both, v_(k+1) = a_k / (k + 1) and x_(k+2) = v_(k+1) / (k + 2). A
// text in loops need not keep them by order, and nobody has to read them: of large systems that is
// a good part of what goes through the caches.

#include "tape/emit.h"

// --- finding them --------------------------------------------------------------------------------

// How many states from slot x on change by as many others with rates side by side, none of which is
// taken.
static uint32_t rise(const rh_tape *tape, uint32_t n, uint32_t x, const bool *is_taken)
{
    RH_ASSERT(0 < x && x <= n);
    const uint32_t *rates = tape->outputs; // slot 0 is time, so that of slot x is at x - 1
    const uint32_t v = rates[x - 1];
    if (v < 1 || v > n) {
        return 0;
    }
    const uint32_t a = rates[v - 1];
    uint32_t count = 0;
    while (a > n && x + count <= n && v + count <= n && rates[x - 1 + count] == v + count &&
           rates[v - 1 + count] == a + count && !is_taken[x + count] && !is_taken[v + count] &&
           (x > v ? x > v + count : v > x + count)) {
        count++;
    }
    return count;
}

rh_status rh__tape_ladders(const rh_tape *tape, uint32_t n, uint32_t least, rh_arena *arena,
                           rh_ladder_list *out)
{
    RH_ASSERT(least > 0 && n <= tape->output_count);
    bool *is_taken = rh__arena_array(arena, bool, (size_t)n + 1);
    rh_ladder *ladders = rh__arena_array(arena, rh_ladder, (size_t)n / least + 1);
    *out = (rh_ladder_list){.data = ladders};
    if (is_taken == NULL || ladders == NULL) {
        return arena->status;
    }
    for (uint32_t x = 1, count = 1; x <= n; x += count) {
        count = is_taken[x] ? 0 : rise(tape, n, x, is_taken);
        if (count < least) {
            count = 1;
            continue;
        }
        const uint32_t v = tape->outputs[x - 1];
        RH_ASSERT(out->count < n / least);
        ladders[out->count++] =
            (rh_ladder){.x = x, .v = v, .a = tape->outputs[v - 1], .count = count};
        for (uint32_t i = 0; i < count; i++) {
            is_taken[x + i] = is_taken[v + i] = true;
        }
    }
    return RH_OK;
}

// --- filling in what a text left out -------------------------------------------------------------

static void scale(uint32_t count, const double *from, double factor, double *out)
{
    for (uint32_t i = 0; i < count; i++) {
        out[i] = from[i] * factor;
    }
}

void rh__jet_fill(rh_tape_state *state)
{
    for (uint32_t k = 1; state->is_lean && k <= state->kernel_order; k++) {
        const double *before = rh__jet_row(state, k - 1);
        RH_ASSERT(state->kernel_order <= state->order);
        double *row = rh__jet_row(state, k);
        for (uint32_t r = 0; r < state->ladders.count; r++) {
            const rh_ladder *it = &state->ladders.data[r];
            scale(it->count, before + it->a, 1.0 / (double)k, row + it->v);
            scale(it->count, before + it->v, 1.0 / (double)k, row + it->x);
        }
    }
    state->is_lean = false;
}

// --- texts ---------------------------------------------------------------------------------------

// The row of the slot is read; that of x is made from the one of v.
static void keep(rh_emission *in, uint32_t slot)
{
    RH_ASSERT(slot < in->tape->slot_count);
    in->is_kept[slot] = true;
    if (in->ladder_of[slot] % 2 == 1) {
        const rh_ladder *it = &in->ladders.data[(in->ladder_of[slot] - 1) / 2];
        in->is_kept[slot - it->x + it->v] = true;
    }
}

static void keep_sums(rh_emission *in, const rh_tape_pairs *pairs, uint32_t first)
{
    for (uint32_t k = 0; k < pairs->count; k++) {
        const unsigned char kind = in->sum_kind[first + k];
        if (kind != RH_SUM_NONE) {
            keep(in, pairs->left[k]);
            keep(in, kind == RH_SUM_BEND ? pairs->left[k] : pairs->right[k]);
        }
    }
}

static void keep_rights(rh_emission *in, const rh_tape_block *block)
{
    for (uint32_t row = 0; row < block->n; row++) {
        const uint32_t slot = rh__emit_right_slot(in, block, row, true);
        if (slot != RH_SLOT_NONE) {
            keep(in, slot);
        }
    }
}

// Operations that look their operands up, or that are done when order k + 1 of x is there already.
static void keep_operands(rh_emission *in, const rh_tape_group *group)
{
    const bool has_tables = rh__emit_has_tables(in, group);
    for (uint32_t j = 0; j < group->arity; j++) {
        for (uint32_t i = 0; i < group->count; i++) {
            const uint32_t place = group->operand + j * group->count + i;
            const uint32_t slot = in->tape->operands[place];
            const bool is_late = in->is_ahead[slot] != in->is_ahead[group->first + i];
            if (!in->is_idle[group->first + i] && !in->is_dropped[place] &&
                (has_tables || is_late)) {
                keep(in, slot);
            }
        }
    }
}

rh_status rh__emit_ladders(rh_emission *in)
{
    const rh_tape *tape = in->tape;
    const size_t slots = (size_t)tape->slot_count + 1;
    in->ladder_of = rh__arena_array(in->scratch, uint32_t, slots);
    in->is_kept = rh__arena_array(in->scratch, bool, slots);
    if (in->ladder_of == NULL || in->is_kept == NULL) {
        return in->scratch->status;
    }
    for (uint32_t r = 0; r < in->ladders.count; r++) {
        const rh_ladder *it = &in->ladders.data[r];
        for (uint32_t i = 0; i < it->count; i++) {
            in->ladder_of[it->x + i] = 2 * r + 1;
            in->ladder_of[it->v + i] = 2 * r + 2;
        }
    }
    for (uint32_t slot = 0; slot < tape->slot_count; slot++) {
        in->is_kept[slot] = in->ladder_of[slot] == 0;
    }
    // states beside a ladder may change by those of it
    for (uint32_t i = 0; i < in->n; i++) {
        if (in->ladder_of[1 + i] == 0) {
            keep(in, tape->outputs[i]);
        }
    }
    keep_sums(in, &tape->products, 0);
    keep_sums(in, &tape->squares, tape->products.count);
    keep_sums(in, &tape->moments, tape->products.count + tape->squares.count);
    for (uint32_t b = 0; b < tape->block_count; b++) {
        keep_rights(in, &tape->blocks[b]);
    }
    for (uint32_t g = 0; g < tape->group_count; g++) {
        if (tape->groups[g].code != RH_TAPE_SOLVE) {
            keep_operands(in, &tape->groups[g]);
        }
    }
    return RH_OK;
}

void rh__emit_sanity(rh_emission *in)
{
    for (uint32_t slot = 1, end = 1; slot <= in->n; slot = end) {
        const uint32_t ladder = in->ladder_of[slot];
        for (end = slot + 1; end <= in->n && in->ladder_of[end] == ladder;) {
            end++;
        }
        if (ladder == 0) {
            rh__text_format(in->out, "    sane = sane + sanity(J + %u * STRIDE + %u, %u);\n",
                            in->order, slot, end - slot);
        }
    }
    for (uint32_t r = 0; r < in->ladders.count; r++) {
        const rh_ladder *it = &in->ladders.data[r];
        for (uint32_t k = in->order < 2 ? 0 : in->order - 2; k < in->order; k++) {
            rh__text_format(in->out, "    sane = sane + sanity(J + %u * STRIDE + %u, %u);\n", k,
                            it->a, it->count);
        }
    }
}

void rh__emit_fill(rh_emission *in)
{
    for (uint32_t r = 0; r < in->ladders.count; r++) {
        const rh_ladder *it = &in->ladders.data[r];
        rh__text_format(in->out,
                        "    for (int k = 1; k <= %u; k++) {\n"
                        "    V *const hi = J + k * STRIDE;\n"
                        "    scale_run(hi + %u, hi - STRIDE + %u, 1.0 / (double)k, %u);\n"
                        "    scale_run(hi + %u, hi - STRIDE + %u, 1.0 / (double)k, %u);\n"
                        "    }\n",
                        in->order, it->v, it->a, it->count, it->x, it->v, it->count);
    }
}
