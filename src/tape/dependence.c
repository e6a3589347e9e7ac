// SPDX-License-Identifier: Apache-2.0
// What depends on what: which inputs move an output, by looking at the operations alone. An output
// that does not depend on an input has no tangent along it, whatever the numbers are. And which
// conditions decide about the surfaces of others.

#include "tape/tape.h"

// Words of bits for all slots, above which nobody wants to know.
#define MOST_WORDS ((size_t)1 << 24)

typedef struct marking {
    const rh_tape *tape;
    uint64_t *bits;  // by slot
    size_t words;    // of each
    bool has_truths; // what follows from truths counts too
} marking;

static void join(const marking *in, uint32_t to, uint32_t from)
{
    for (size_t w = 0; from != RH_SLOT_NONE && w < in->words; w++) {
        in->bits[to * in->words + w] |= in->bits[from * in->words + w];
    }
}

// Truths jump where they change, and have no derivative elsewhere.
static bool is_truth(rh_tape_code code)
{
    return code == RH_TAPE_SWITCH || code == RH_TAPE_AND || code == RH_TAPE_OR ||
           code == RH_TAPE_NOT || code == RH_TAPE_WITHIN;
}

static void mark_group(const marking *in, const rh_tape_group *group)
{
    const rh_tape *tape = in->tape;
    const bool is_pair = group->code == RH_TAPE_SINCOS || group->code == RH_TAPE_SINHCOSH ||
                         group->code == RH_TAPE_TANH;
    for (uint32_t i = 0; (in->has_truths || !is_truth(group->code)) && i < group->count; i++) {
        for (uint32_t j = 0; j < group->arity; j++) {
            join(in, group->first + i,
                 tape->operands[group->operand + (size_t)j * group->count + i]);
        }
        if (is_pair) {
            join(in, group->first + group->count + i, group->first + i);
        }
    }
}

// Every unknown depends on all of its matrix and of its right sides.
static void mark_block(const marking *in, const rh_tape_block *block)
{
    for (uint32_t k = 0; k < block->entry_count; k++) {
        join(in, block->first, block->entries[k].value.slot);
    }
    for (uint32_t k = 0; k < block->n; k++) {
        join(in, block->first, block->right[k].slot);
    }
    for (uint32_t k = 1; k < block->n; k++) {
        join(in, block->first + k, block->first);
    }
}

static void mark_all(const marking *in)
{
    const rh_tape *tape = in->tape;
    for (uint32_t g = 0; g < tape->group_count; g++) {
        const rh_tape_group *group = &tape->groups[g];
        if (group->code != RH_TAPE_SOLVE) {
            mark_group(in, group);
            continue;
        }
        for (uint32_t k = 0; k < group->count; k++) {
            mark_block(in, &tape->blocks[group->operand + k]);
        }
    }
}

rh_status rh__tape_depend(const rh_tape *tape, rh_range inputs, uint32_t outputs, rh_arena *arena,
                          uint64_t **out, size_t *out_words)
{
    marking in = {.tape = tape, .words = (inputs.count + 63) / 64};
    *out_words = in.words;
    if (in.words * tape->slot_count > MOST_WORDS) {
        return RH_E_LIMIT;
    }
    *out = rh__arena_array(arena, uint64_t, in.words * outputs + 1);
    in.bits = rh__arena_array(arena, uint64_t, in.words * tape->slot_count + 1);
    if (*out == NULL || in.bits == NULL) {
        return arena->status;
    }
    for (uint32_t k = 0; k < inputs.count; k++) {
        in.bits[(inputs.first + k) * in.words + k / 64] |= (uint64_t)1 << k % 64;
    }
    mark_all(&in);
    for (uint32_t k = 0; k < outputs; k++) {
        for (size_t w = 0; w < in.words; w++) {
            (*out)[k * in.words + w] = in.bits[tape->outputs[k] * in.words + w];
        }
    }
    return RH_OK;
}

rh_status rh__tape_nesting(const rh_tape *tape, rh_arena *arena, uint64_t **out, size_t *out_words)
{
    const uint32_t count = tape->switch_count;
    marking in = {.tape = tape, .words = ((size_t)count + 63) / 64, .has_truths = true};
    *out_words = in.words;
    *out = rh__arena_array(arena, uint64_t, in.words * count + 1);
    if (*out == NULL || in.words * tape->slot_count > MOST_WORDS) {
        return *out == NULL ? arena->status : RH_E_LIMIT;
    }
    rh_arena scratch = rh__arena_begin(arena->allocator, arena->limit);
    in.bits = rh__arena_array(&scratch, uint64_t, in.words * tape->slot_count + 1);
    for (uint32_t k = 0; in.bits != NULL && k < count; k++) {
        in.bits[tape->switches[k].truth * in.words + k / 64] |= (uint64_t)1 << k % 64;
    }
    if (in.bits != NULL) {
        mark_all(&in);
    }
    for (size_t k = 0; in.bits != NULL && k < count * in.words; k++) {
        const uint32_t surface = tape->switches[k / in.words].surface;
        (*out)[k] = in.bits[surface * in.words + k % in.words];
    }
    const rh_status status = scratch.status;
    rh__arena_end(&scratch);
    return status;
}

rh_status rh__tape_timed(const rh_tape *tape, rh_arena *arena, bool *out)
{
    marking in = {.tape = tape, .words = 1, .has_truths = true};
    rh_arena scratch = rh__arena_begin(arena->allocator, arena->limit);
    in.bits = rh__arena_array(&scratch, uint64_t, (size_t)tape->slot_count + 1);
    for (uint32_t k = 1; in.bits != NULL && k < tape->input_count; k++) {
        in.bits[k] = 1;
    }
    if (in.bits != NULL) {
        mark_all(&in);
    }
    for (uint32_t k = 0; in.bits != NULL && k < tape->switch_count; k++) {
        out[k] = in.bits[tape->switches[k].surface] == 0;
    }
    const rh_status status = scratch.status;
    rh__arena_end(&scratch);
    return status;
}
