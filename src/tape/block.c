// SPDX-License-Identifier: Apache-2.0
// Blocks under construction: an operation with n outputs, and the moving parts of K z. Entries of a
// row with the same value are taken together, so that what moves in d (z2 - z1) is one product.

#include "tape/weave.h"

#include "tape/saddle.h"

bool rh__weave_reserve_block(rh_weave *weave, rh_tape_block *block)
{
    RH_ASSERT(block->n > 0);
    rh_arena *arena = weave->arena;
    block->entries = rh__arena_array(arena, rh_tape_entry, (size_t)block->entry_count + 1);
    block->shares = rh__arena_array(arena, rh_tape_share, (size_t)block->entry_count + 1);
    block->share_begin = rh__arena_array(arena, uint32_t, (size_t)block->n + 1);
    block->share_sum = rh__arena_array(arena, uint32_t, (size_t)block->entry_count + 1);
    block->right = rh__arena_array(arena, rh_tape_term, block->n);
    block->is_rate = rh__arena_array(arena, bool, block->n);
    block->hold = rh__arena_array(arena, uint32_t, block->n);
    block->hold_column = rh__arena_array(arena, uint32_t, block->n);
    const bool ok = block->entries != NULL && block->shares != NULL && block->right != NULL &&
                    block->share_begin != NULL && block->share_sum != NULL &&
                    block->is_rate != NULL && block->hold != NULL && block->hold_column != NULL;
    if (!ok) {
        rh__weave_fail(weave, arena->status);
    }
    return ok;
}

// The operation: it waits for entries, right sides and factors.
static uint32_t add_unknowns(rh_weave *weave, rh_tape_block *block)
{
    const size_t most = (size_t)block->entry_count + block->n + 2;
    uint32_t *words = rh__arena_array(&weave->scratch, uint32_t, most);
    if (words == NULL) {
        rh__weave_fail(weave, weave->scratch.status);
        return 0;
    }
    uint32_t arity = 0;
    for (uint32_t k = 0; k < block->entry_count; k++) {
        if (block->entries[k].value.slot != RH_SLOT_NONE) {
            words[arity++] = block->entries[k].value.slot;
        }
    }
    for (uint32_t k = 0; k < block->n; k++) {
        if (block->right[k].slot != RH_SLOT_NONE) {
            words[arity++] = block->right[k].slot;
        }
    }
    if (block->factor == UINT32_MAX) {
        block->factor = weave->blocks.count;
    } else {
        RH_ASSERT(block->factor < weave->blocks.count);
        RH_ASSERT(weave->blocks.data[block->factor].n == block->n);
        words[arity++] = weave->blocks.data[block->factor].first;
    }
    RH_ASSERT(arity < most);
    words[arity] = weave->blocks.count;
    return rh__weave_add(weave, RH_TAPE_SOLVE, words, arity, arity + 1, block->n);
}

// For each row and each value in it: the sum of the unknowns it multiplies.
static void add_shares(rh_weave *weave, rh_tape_block *block, rh_strand *terms, bool *is_taken)
{
    uint32_t end = 0;
    for (uint32_t k = 0; k < block->entry_count; k++) {
        const rh_tape_entry *entry = &block->entries[k];
        RH_ASSERT(entry->row < block->n && entry->column < block->n);
        RH_ASSERT(k == 0 || block->entries[k - 1].row <= entry->row);
        while (end < block->entry_count && block->entries[end].row <= entry->row) {
            end++;
        }
        if (is_taken[k] || entry->value.slot == RH_SLOT_NONE) {
            continue;
        }
        uint32_t count = 0;
        for (uint32_t j = k; j < end; j++) {
            const rh_tape_entry *other = &block->entries[j];
            if (other->value.slot == entry->value.slot) {
                terms[count++] = (rh_strand){weave->constants.data[other->value.weight],
                                             block->first + other->column};
                is_taken[j] = true;
            }
        }
        const rh_strand sum = rh__weave_sum(weave, terms, count);
        if (sum.id != RH_SLOT_NONE) {
            block->share_begin[entry->row + 1]++;
            block->shares[block->share_count++] =
                (rh_tape_share){.row = entry->row,
                                .weight = rh__weave_constant(weave, sum.weight),
                                .matrix = entry->value.slot,
                                .unknown = sum.id};
        }
    }
    for (uint32_t row = 0; row < block->n; row++) {
        block->share_begin[row + 1] += block->share_begin[row];
    }
}

uint32_t rh__weave_block(rh_weave *weave, rh_tape_block *block)
{
    const bool has_factors = block->factor == UINT32_MAX;
    const size_t most = (size_t)block->entry_count + 1;
    rh_strand *terms = rh__arena_array(&weave->scratch, rh_strand, most);
    bool *is_taken = rh__arena_array(&weave->scratch, bool, most);
    if (terms == NULL || is_taken == NULL) {
        rh__weave_fail(weave, weave->scratch.status);
        return 0;
    }
    if (has_factors && block->n > RH_BLOCK_DENSE) {
        const rh_status status =
            rh__saddle_create(block, weave->arena, &weave->scratch, &block->saddle);
        if (status != RH_OK) {
            rh__weave_fail(weave, status);
            return 0;
        }
    }
    block->first = add_unknowns(weave, block);
    if (weave->status == RH_OK) {
        add_shares(weave, block, terms, is_taken);
        if (!rh__array_push(&weave->scratch, &weave->blocks, *block)) {
            rh__weave_fail(weave, weave->scratch.status);
        }
    }
    return block->first;
}
