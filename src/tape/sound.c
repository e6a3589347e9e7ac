// SPDX-License-Identifier: Apache-2.0
// What holds of every tape that was made: slots are filled in the order in which groups run,
// nothing is read before it was written, and all indices lie in their lists.

#include "tape/schedule.h"

static uint32_t outputs_of(const rh_tape *tape, const rh_tape_group *group)
{
    uint32_t count = group->count;
    if (group->code == RH_TAPE_SOLVE) {
        count = 0;
        for (uint32_t k = 0; k < group->count; k++) {
            count += tape->blocks[group->operand + k].n;
        }
    } else if (group->code == RH_TAPE_SINCOS || group->code == RH_TAPE_SINHCOSH ||
               group->code == RH_TAPE_TANH) {
        count = 2 * group->count;
    }
    return count;
}

static bool is_before(const rh_tape_term *term, uint32_t slot)
{
    return term->slot == RH_SLOT_NONE || term->slot < slot;
}

static bool is_block_sound(const rh_tape *tape, uint32_t index)
{
    const rh_tape_block *block = &tape->blocks[index];
    bool ok = block->n > 0 && block->factor <= index &&
              tape->blocks[block->factor].factor == block->factor &&
              tape->blocks[block->factor].n == block->n &&
              block->unknown + block->n <= tape->unknown_count &&
              block->share_begin[block->n] == block->share_count;
    for (uint32_t k = 0; ok && k < block->entry_count; k++) {
        const rh_tape_entry *entry = &block->entries[k];
        ok = entry->row < block->n && entry->column < block->n &&
             is_before(&entry->value, block->first);
    }
    for (uint32_t k = 0; ok && k < block->n; k++) {
        ok = is_before(&block->right[k], block->first) && block->hold_column[k] < block->n &&
             (block->hold[k] == UINT32_MAX || block->hold[k] < tape->hold_count);
    }
    for (uint32_t k = 0; ok && k < block->share_count; k++) {
        ok = block->shares[k].row < block->n && block->shares[k].matrix < block->first &&
             block->shares[k].unknown < tape->slot_count && block->share_sum[k] < block->sums.count;
    }
    return ok;
}

static bool is_group_sound(const rh_tape *tape, const rh_tape_group *group)
{
    bool ok = group->count > 0;
    if (group->code == RH_TAPE_SOLVE) {
        ok = ok && group->operand + group->count <= tape->block_count;
        for (uint32_t k = 0; ok && k < group->count; k++) {
            ok = is_block_sound(tape, group->operand + k);
        }
        return ok;
    }
    const size_t operands = (size_t)group->arity * group->count;
    ok = ok && group->operand + operands <= tape->operand_count;
    for (size_t k = 0; ok && k < operands; k++) {
        ok = tape->operands[group->operand + k] < group->first;
    }
    return ok;
}

static bool are_switches_sound(const rh_tape *tape)
{
    bool ok = true;
    for (uint32_t k = 0; ok && k < tape->switch_count; k++) {
        ok = tape->switches[k].surface < tape->switches[k].truth &&
             (k == 0 || tape->switches[k - 1].truth < tape->switches[k].truth);
    }
    return ok;
}

static bool are_pairs_sound(const rh_tape *tape, const rh_tape_pairs *pairs)
{
    bool ok = true;
    for (uint32_t k = 0; ok && k < pairs->count; k++) {
        ok = pairs->left[k] < tape->slot_count && pairs->right[k] < tape->slot_count;
    }
    return ok;
}

bool rh__tape_is_sound(const rh_tape *tape)
{
    uint32_t next = tape->input_count; // the first slot that nothing has filled yet
    bool ok = true;
    for (uint32_t g = 0; ok && g < tape->group_count; g++) {
        ok = tape->groups[g].first == next && is_group_sound(tape, &tape->groups[g]) &&
             (g == 0 || tape->groups[g - 1].level <= tape->groups[g].level);
        next += ok ? outputs_of(tape, &tape->groups[g]) : 0;
    }
    ok = ok && next == tape->slot_count;
    for (uint32_t k = 0; ok && k < tape->weight_count; k++) {
        ok = tape->weights[k] == RH_SLOT_NONE || tape->weights[k] < tape->constant_count;
    }
    for (uint32_t k = 0; ok && k < tape->output_count; k++) {
        ok = tape->outputs[k] < tape->slot_count;
    }
    for (uint32_t k = 0; ok && k < tape->assumptions.count; k++) {
        ok = tape->assumptions.data[k].constant < tape->constant_count;
    }
    return ok && are_switches_sound(tape) && are_pairs_sound(tape, &tape->products) &&
           are_pairs_sound(tape, &tape->squares) && are_pairs_sound(tape, &tape->moments);
}
