// SPDX-License-Identifier: Apache-2.0
// The structure of the Jacobian of a tape: for each slot the list of inputs that it can depend on,
// found from the operations alone. Slots with the same inputs share one list, so the work is
// proportional to the entries and not to outputs times inputs.

#include "tape/tape.h"

#define MOST_ENTRIES ((size_t)1 << 25) // of all lists, above which a structure is of no use

typedef struct inputs_of {
    const uint32_t *data;
    uint32_t count;
} inputs_of;

typedef struct search {
    const rh_tape *tape;
    rh_arena *arena;
    inputs_of *slots;
    uint32_t *stamp; // by input: the last union it was put into
    uint32_t stamps;
    uint32_t *room; // of the union under way
    uint32_t count;
    bool is_single; // the union is one list that exists already
    inputs_of single;
    size_t total;
} search;

static void begin_union(search *in)
{
    in->stamps++;
    in->count = 0;
    in->is_single = true;
    in->single = (inputs_of){0};
}

static void put_list(search *in, inputs_of list)
{
    for (uint32_t k = 0; k < list.count; k++) {
        if (in->stamp[list.data[k]] != in->stamps) {
            in->stamp[list.data[k]] = in->stamps;
            in->room[in->count++] = list.data[k];
        }
    }
}

static void join(search *in, uint32_t slot)
{
    if (slot == RH_SLOT_NONE || in->slots[slot].count == 0 ||
        (in->is_single && in->single.data == in->slots[slot].data)) {
        return;
    }
    if (in->is_single && in->single.count == 0) {
        in->single = in->slots[slot];
        return;
    }
    if (in->is_single) {
        in->is_single = false;
        put_list(in, in->single);
    }
    put_list(in, in->slots[slot]);
}

static rh_status end_union(search *in, inputs_of *out)
{
    RH_ASSERT(!in->is_single || in->count == 0);
    if (in->is_single) {
        *out = in->single;
        return RH_OK;
    }
    in->total += in->count;
    uint32_t *data = in->total <= MOST_ENTRIES
                         ? rh__arena_array(in->arena, uint32_t, (size_t)in->count + 1)
                         : NULL;
    for (uint32_t k = 0; data != NULL && k < in->count; k++) {
        data[k] = in->room[k];
    }
    *out = (inputs_of){.data = data, .count = in->count};
    return data != NULL ? RH_OK : in->total > MOST_ENTRIES ? RH_E_LIMIT : in->arena->status;
}

// Truths jump where they change, and have no derivative elsewhere.
static bool is_truth(rh_tape_code code)
{
    return code == RH_TAPE_SWITCH || code == RH_TAPE_AND || code == RH_TAPE_OR ||
           code == RH_TAPE_NOT;
}

static rh_status find_group(search *in, const rh_tape_group *group)
{
    const bool is_pair = group->code == RH_TAPE_SINCOS || group->code == RH_TAPE_SINHCOSH ||
                         group->code == RH_TAPE_TANH;
    for (uint32_t i = 0; !is_truth(group->code) && i < group->count; i++) {
        begin_union(in);
        for (uint32_t j = 0; j < group->arity; j++) {
            join(in, in->tape->operands[group->operand + (size_t)j * group->count + i]);
        }
        RH_TRY(end_union(in, &in->slots[group->first + i]));
        if (is_pair) {
            in->slots[group->first + group->count + i] = in->slots[group->first + i];
        }
    }
    return RH_OK;
}

// Every unknown depends on the whole matrix and on all right sides.
static rh_status find_block(search *in, const rh_tape_block *block)
{
    begin_union(in);
    for (uint32_t k = 0; k < block->entry_count; k++) {
        join(in, block->entries[k].value.slot);
    }
    for (uint32_t k = 0; k < block->n; k++) {
        join(in, block->right[k].slot);
    }
    inputs_of list = {0};
    RH_TRY(end_union(in, &list));
    for (uint32_t k = 0; k < block->n; k++) {
        in->slots[block->first + k] = list;
    }
    return RH_OK;
}

static rh_status find_all(search *in)
{
    const rh_tape *tape = in->tape;
    for (uint32_t g = 0; g < tape->group_count; g++) {
        const rh_tape_group *group = &tape->groups[g];
        if (group->code != RH_TAPE_SOLVE) {
            RH_TRY(find_group(in, group));
            continue;
        }
        for (uint32_t k = 0; k < group->count; k++) {
            RH_TRY(find_block(in, &tape->blocks[group->operand + k]));
        }
    }
    return RH_OK;
}

static rh_status list_entries(const search *in, uint32_t outputs, rh_arena *arena,
                              rh_tape_pattern *out)
{
    size_t total = 0;
    for (uint32_t k = 0; k < outputs; k++) {
        total += in->slots[in->tape->outputs[k]].count;
    }
    if (total > MOST_ENTRIES) {
        return RH_E_LIMIT;
    }
    out->row = rh__arena_array(arena, uint32_t, total + 1);
    out->column = rh__arena_array(arena, uint32_t, total + 1);
    if (out->row == NULL || out->column == NULL) {
        return arena->status;
    }
    for (uint32_t k = 0; k < outputs; k++) {
        const inputs_of list = in->slots[in->tape->outputs[k]];
        for (uint32_t j = 0; j < list.count; j++) {
            out->row[out->count] = k;
            out->column[out->count++] = list.data[j];
        }
    }
    return RH_OK;
}

static rh_status find_pattern(search *in, rh_range inputs, uint32_t outputs, rh_arena *arena,
                              rh_tape_pattern *out)
{
    uint32_t *own = rh__arena_array(in->arena, uint32_t, (size_t)inputs.count + 1);
    in->slots = rh__arena_array(in->arena, inputs_of, (size_t)in->tape->slot_count + 1);
    in->stamp = rh__arena_array(in->arena, uint32_t, (size_t)inputs.count + 1);
    in->room = rh__arena_array(in->arena, uint32_t, (size_t)inputs.count + 1);
    if (own == NULL || in->slots == NULL || in->stamp == NULL || in->room == NULL) {
        return in->arena->status;
    }
    for (uint32_t k = 0; k < inputs.count; k++) {
        own[k] = k;
        in->slots[inputs.first + k] = (inputs_of){.data = own + k, .count = 1};
    }
    RH_TRY(find_all(in));
    return list_entries(in, outputs, arena, out);
}

rh_status rh__tape_pattern(const rh_tape *tape, rh_range inputs, uint32_t outputs, rh_arena *arena,
                           rh_tape_pattern *out)
{
    RH_ASSERT(inputs.first + inputs.count <= tape->input_count && outputs <= tape->output_count);
    *out = (rh_tape_pattern){0};
    rh_arena scratch = rh__arena_begin(arena->allocator, arena->limit);
    search in = {.tape = tape, .arena = &scratch};
    const rh_status status = find_pattern(&in, inputs, outputs, arena, out);
    rh__arena_end(&scratch);
    return status;
}
