// SPDX-License-Identifier: Apache-2.0
// Operations in order: by level, then by code, then by number of operands, each such set being one
// group with contiguous outputs, families side by side. Values get their final slots.

#include "tape/schedule.h"

#include <stdlib.h>
#include <string.h>

// --- order -----------------------------------------------------------------------------------

typedef struct rank {
    uint32_t level, code, arity, knot;
} rank;

static int compare_ranks(const void *left, const void *right)
{
    const rank *a = left;
    const rank *b = right;
    if (a->level != b->level) {
        return a->level < b->level ? -1 : 1;
    }
    if (a->code != b->code) {
        return a->code < b->code ? -1 : 1;
    }
    if (a->arity != b->arity) {
        return a->arity < b->arity ? -1 : 1;
    }
    return a->knot < b->knot ? -1 : a->knot > b->knot;
}

static bool sort_knots(rh_scheduling *in)
{
    const rh_weave *weave = in->weave;
    const uint32_t count = weave->knots.count;
    rank *ranks = rh__arena_array(in->scratch, rank, (size_t)count + 1);
    in->sorted = rh__arena_array(in->scratch, uint32_t, (size_t)count + 1);
    if (ranks == NULL || in->sorted == NULL) {
        return false;
    }
    for (uint32_t k = 0; k < count; k++) {
        const rh_knot *knot = &weave->knots.data[k];
        // blocks of all sizes are one group
        const uint32_t arity = knot->code == RH_TAPE_SOLVE ? 0 : knot->arity;
        ranks[k] = (rank){knot->level, (uint32_t)knot->code, arity, k};
    }
    qsort(ranks, count, sizeof *ranks, compare_ranks);
    for (uint32_t k = 0; k < count; k++) {
        in->sorted[k] = ranks[k].knot;
    }
    return true;
}

static bool belong_together(const rh_knot *a, const rh_knot *b)
{
    return a->level == b->level && a->code == b->code &&
           (a->arity == b->arity || a->code == RH_TAPE_SOLVE);
}

static const rh_knot *knot_at(const rh_scheduling *in, uint32_t place)
{
    return &in->weave->knots.data[in->sorted[place]];
}

// Families side by side: operations whose operands have the same distances, by the first of them.
typedef struct bearing {
    uint32_t first, second, third; // third operands are compared last
    uint32_t knot;
} bearing;

static int compare_bearings(const void *left, const void *right)
{
    const bearing *a = left;
    const bearing *b = right;
    const uint32_t keys[4][2] = {{a->second - a->first, b->second - b->first},
                                 {a->third - a->first, b->third - b->first},
                                 {a->first, b->first},
                                 {a->knot, b->knot}};
    for (uint32_t k = 0; k < 4; k++) {
        if (keys[k][0] != keys[k][1]) {
            return keys[k][0] < keys[k][1] ? -1 : 1;
        }
    }
    return 0;
}

static bool align_group(rh_scheduling *in, uint32_t place, uint32_t count)
{
    RH_ASSERT(count > 0 && knot_at(in, place)->code != RH_TAPE_SOLVE);
    const rh_mark mark = rh__arena_mark(in->scratch);
    const uint32_t arity = knot_at(in, place)->arity;
    bearing *bearings = rh__arena_array(in->scratch, bearing, count);
    if (bearings == NULL) {
        return false;
    }
    for (uint32_t k = 0; k < count; k++) {
        const uint32_t *words = in->weave->words.data + knot_at(in, place + k)->word;
        const uint32_t first = arity > 0 ? in->slot[words[0]] : 0;
        bearings[k] = (bearing){.first = first,
                                .second = arity > 1 ? in->slot[words[1]] : first,
                                .third = arity > 2 ? in->slot[words[2]] : first,
                                .knot = in->sorted[place + k]};
    }
    qsort(bearings, count, sizeof *bearings, compare_bearings);
    for (uint32_t k = 0; k < count; k++) {
        in->sorted[place + k] = bearings[k].knot;
    }
    rh__arena_rewind(in->scratch, mark);
    return true;
}

// --- slots -----------------------------------------------------------------------------------

static uint32_t block_index(const rh_scheduling *in, const rh_knot *knot)
{
    RH_ASSERT(knot->code == RH_TAPE_SOLVE && knot->word_count == knot->arity + 1);
    return in->weave->words.data[knot->word + knot->word_count - 1];
}

// Outputs of a group: all first ones, then all second ones; blocks one after the other.
static void give_slots(rh_scheduling *in, const rh_tape_group *group, uint32_t place)
{
    rh_tape *tape = in->tape;
    if (group->code == RH_TAPE_SOLVE) {
        for (uint32_t k = 0; k < group->count; k++) {
            const rh_knot *knot = knot_at(in, place + k);
            const uint32_t from = block_index(in, knot);
            RH_ASSERT(from < in->weave->blocks.count);
            RH_ASSERT(in->weave->blocks.data[from].n == knot->output_count);
            in->block_of[from] = tape->block_count;
            tape->blocks[tape->block_count] = in->weave->blocks.data[from];
            tape->blocks[tape->block_count].unknown = tape->unknown_count;
            tape->blocks[tape->block_count++].first = tape->slot_count;
            tape->unknown_count += knot->output_count;
            for (uint32_t j = 0; j < knot->output_count; j++) {
                in->slot[knot->output + j] = tape->slot_count++;
            }
        }
        return;
    }
    const uint32_t outputs = knot_at(in, place)->output_count;
    for (uint32_t j = 0; j < outputs; j++) {
        for (uint32_t k = 0; k < group->count; k++) {
            in->slot[knot_at(in, place + k)->output + j] = tape->slot_count++;
        }
    }
}

bool rh__schedule_is_run(const uint32_t *slots)
{
    for (uint32_t l = 1; l < RH_TAPE_LANES; l++) {
        if (slots[l] != slots[0] + l) {
            return false;
        }
    }
    return true;
}

static bool find_chunks(rh_scheduling *in, rh_tape_group *group)
{
    bool ok = true;
    group->chunk = in->chunks.count;
    for (uint32_t j = 0; ok && j < group->arity; j++) {
        const uint32_t *operands = in->operands.data + group->operand + (size_t)j * group->count;
        for (uint32_t i = 0; ok && i + RH_TAPE_LANES <= group->count; i += RH_TAPE_LANES) {
            ok = rh__array_push(in->scratch, &in->chunks, rh__schedule_is_run(operands + i));
        }
    }
    return ok;
}

static bool copy_weights(rh_scheduling *in, rh_tape_block *block)
{
    bool ok = true;
    block->weight = in->weights.count;
    for (uint32_t k = 0; ok && k < block->entry_count; k++) {
        ok = rh__array_push(in->scratch, &in->weights, block->entries[k].value.weight);
    }
    for (uint32_t k = 0; ok && k < block->n; k++) {
        ok = rh__array_push(in->scratch, &in->weights, block->right[k].weight);
    }
    for (uint32_t k = 0; ok && k < block->share_count; k++) {
        ok = rh__array_push(in->scratch, &in->weights, block->shares[k].weight);
    }
    return ok;
}

// Operands and further words of a group, operand after operand.
static bool copy_words(rh_scheduling *in, rh_tape_group *group, uint32_t place)
{
    const uint32_t *words = in->weave->words.data;
    if (group->code == RH_TAPE_SOLVE) {
        bool is_copied = true;
        for (uint32_t k = 0; is_copied && k < group->count; k++) {
            is_copied = copy_weights(in, &in->tape->blocks[group->operand + k]);
        }
        return is_copied;
    }
    group->operand = in->operands.count;
    group->weight = in->weights.count;
    bool ok = true;
    for (uint32_t j = 0; ok && j < group->arity; j++) {
        for (uint32_t k = 0; ok && k < group->count; k++) {
            ok = rh__array_push(in->scratch, &in->operands,
                                in->slot[words[knot_at(in, place + k)->word + j]]);
        }
    }
    const uint32_t word_count = knot_at(in, place)->word_count;
    RH_ASSERT(word_count >= group->arity);
    // the rule of a switch is found by its truth
    for (uint32_t j = group->arity; ok && group->code != RH_TAPE_SWITCH && j < word_count; j++) {
        for (uint32_t k = 0; ok && k < group->count; k++) {
            ok = rh__array_push(in->scratch, &in->weights, words[knot_at(in, place + k)->word + j]);
        }
    }
    return ok && (group->code != RH_TAPE_LINEAR || find_chunks(in, group));
}

static bool make_groups(rh_scheduling *in)
{
    const uint32_t count = in->weave->knots.count;
    for (uint32_t place = 0, end = 0; place < count; place = end) {
        const rh_knot *knot = knot_at(in, place);
        for (end = place + 1; end < count && belong_together(knot, knot_at(in, end));) {
            end++;
        }
        if (knot->code != RH_TAPE_SOLVE && !align_group(in, place, end - place)) {
            return false;
        }
        rh_tape_group group = {.code = knot->code,
                               .level = knot->level,
                               .first = in->tape->slot_count,
                               .count = end - place,
                               .arity = knot->code == RH_TAPE_SOLVE ? 0 : knot->arity,
                               .operand = in->tape->block_count};
        if (group.code == RH_TAPE_NEAR) {
            group.other = in->tape->near_count;
            in->tape->near_count += group.count;
        }
        give_slots(in, &group, place);
        RH_ASSERT(place == 0 || in->groups.data[in->groups.count - 1].level <= group.level);
        if (!copy_words(in, &group, place) || !rh__array_push(in->scratch, &in->groups, group)) {
            return false;
        }
    }
    return true;
}

// --- blocks and switches -----------------------------------------------------------------------

static uint32_t slot_of(const rh_scheduling *in, uint32_t id)
{
    return id == RH_SLOT_NONE ? RH_SLOT_NONE : in->slot[id];
}

static void renumber_blocks(rh_scheduling *in)
{
    for (uint32_t b = 0; b < in->tape->block_count; b++) {
        rh_tape_block *block = &in->tape->blocks[b];
        RH_ASSERT(in->block_of[block->factor] <= b); // factors are there before they are used
        block->factor = in->block_of[block->factor];
        for (uint32_t k = 0; k < block->entry_count; k++) {
            block->entries[k].value.slot = slot_of(in, block->entries[k].value.slot);
        }
        for (uint32_t k = 0; k < block->n; k++) {
            block->right[k].slot = slot_of(in, block->right[k].slot);
        }
        for (uint32_t k = 0; k < block->share_count; k++) {
            block->shares[k].matrix = in->slot[block->shares[k].matrix];
            block->shares[k].unknown = in->slot[block->shares[k].unknown];
        }
    }
}

static int compare_truths(const void *left, const void *right)
{
    const uint32_t a = ((const rh_tape_switch *)left)->truth;
    const uint32_t b = ((const rh_tape_switch *)right)->truth;
    return (a > b) - (a < b);
}

// Switches in the order of their truths, so that a group of them is a range.
static void renumber_switches(rh_scheduling *in)
{
    rh_tape *tape = in->tape;
    for (uint32_t k = 0; k < tape->switch_count; k++) {
        tape->switches[k] = in->weave->switches.data[k];
        tape->switches[k].surface = in->slot[tape->switches[k].surface];
        tape->switches[k].truth = in->slot[tape->switches[k].truth];
    }
    if (tape->switch_count > 0) {
        qsort(tape->switches, tape->switch_count, sizeof *tape->switches, compare_truths);
    }
    uint32_t next = 0;
    for (uint32_t g = 0; g < in->groups.count; g++) {
        if (in->groups.data[g].code == RH_TAPE_SWITCH) {
            RH_ASSERT(tape->switches[next].truth == in->groups.data[g].first);
            in->groups.data[g].weight = next;
            next += in->groups.data[g].count;
        }
    }
    RH_ASSERT(next == tape->switch_count);
}

// --- the tape --------------------------------------------------------------------------------

static uint32_t *keep_words(rh_arena *arena, const uint32_t *data, uint32_t count)
{
    uint32_t *kept = rh__arena_array(arena, uint32_t, (size_t)count + 1);
    if (kept != NULL && count > 0) {
        memcpy(kept, data, count * sizeof *kept);
    }
    return kept;
}

static bool keep_all(rh_scheduling *in)
{
    rh_tape *tape = in->tape;
    const rh_weave *weave = in->weave;
    rh_arena *arena = &tape->arena;
    tape->groups = rh__arena_array(arena, rh_tape_group, (size_t)in->groups.count + 1);
    tape->group_count = in->groups.count;
    tape->operands = keep_words(arena, in->operands.data, in->operands.count);
    tape->operand_count = in->operands.count;
    tape->chunks = rh__arena_array(arena, bool, (size_t)in->chunks.count + 1);
    tape->weights = keep_words(arena, in->weights.data, in->weights.count);
    tape->weight_count = in->weights.count;
    tape->outputs = keep_words(arena, weave->outputs.data, weave->outputs.count);
    tape->output_count = weave->outputs.count;
    tape->constants = rh__arena_array(arena, rh_expr, (size_t)weave->constants.count + 1);
    tape->constant_count = weave->constants.count;
    bool ok = tape->groups != NULL && tape->operands != NULL && tape->weights != NULL &&
              tape->outputs != NULL && tape->constants != NULL && tape->chunks != NULL;
    for (uint32_t k = 0; ok && k < in->chunks.count; k++) {
        tape->chunks[k] = in->chunks.data[k];
    }
    for (uint32_t k = 0; ok && k < in->groups.count; k++) {
        tape->groups[k] = in->groups.data[k];
    }
    for (uint32_t k = 0; ok && k < tape->output_count; k++) {
        tape->outputs[k] = in->slot[tape->outputs[k]];
    }
    for (uint32_t k = 0; ok && k < tape->constant_count; k++) {
        tape->constants[k] = weave->constants.data[k];
    }
    ok = ok && rh__recipe_create(tape->store, tape->constants, tape->constant_count, arena,
                                 &tape->values);
    for (uint32_t k = 0; ok && k < weave->assumptions.count; k++) {
        ok = rh__array_push(arena, &tape->assumptions, weave->assumptions.data[k]);
    }
    return ok;
}

static bool schedule(rh_scheduling *in)
{
    const rh_weave *weave = in->weave;
    rh_tape *tape = in->tape;
    tape->slot_count = weave->input_count;
    tape->hold_count = weave->hold_count;
    tape->switch_count = weave->switches.count;
    tape->blocks = rh__arena_array(&tape->arena, rh_tape_block, (size_t)weave->blocks.count + 1);
    tape->switches =
        rh__arena_array(&tape->arena, rh_tape_switch, (size_t)weave->switches.count + 1);
    in->slot = rh__arena_array(in->scratch, uint32_t, (size_t)weave->levels.count + 1);
    in->block_of = rh__arena_array(in->scratch, uint32_t, (size_t)weave->blocks.count + 1);
    if (tape->blocks == NULL || tape->switches == NULL || in->slot == NULL ||
        in->block_of == NULL || !sort_knots(in)) {
        return false;
    }
    for (uint32_t k = 0; k < weave->input_count; k++) {
        in->slot[k] = k;
    }
    if (!make_groups(in)) {
        return false;
    }
    renumber_blocks(in);
    renumber_switches(in);
    return rh__schedule_sums(in) && keep_all(in);
}

rh_status rh__schedule(rh_weave *weave, rh_tape *tape)
{
    rh_scheduling in = {.weave = weave, .tape = tape, .scratch = &weave->scratch};
    const bool ok = schedule(&in);
    RH_ASSERT(!ok || tape->slot_count == weave->levels.count);
    RH_ASSERT(!ok || tape->block_count == weave->blocks.count);
    RH_ASSERT(!ok || rh__tape_is_sound(tape));
    const rh_status refused =
        tape->arena.status != RH_OK ? tape->arena.status : weave->scratch.status;
    return ok ? RH_OK : (refused != RH_OK ? refused : RH_E_MEMORY);
}
