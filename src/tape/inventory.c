// SPDX-License-Identifier: Apache-2.0
// The canonical text of a tape: what it is made of, group after group.

#include "tape/tape.h"

static const char *const WORDS[RH_TAPE_CODE_COUNT] = {[RH_TAPE_LINEAR] = "linear",
                                                      [RH_TAPE_MULTIPLY] = "multiply",
                                                      [RH_TAPE_SQUARE] = "square",
                                                      [RH_TAPE_DIVIDE] = "divide",
                                                      [RH_TAPE_RECIPROCAL] = "reciprocal",
                                                      [RH_TAPE_ROOT] = "root",
                                                      [RH_TAPE_POWER] = "power",
                                                      [RH_TAPE_EXP] = "exp",
                                                      [RH_TAPE_SINCOS] = "sincos",
                                                      [RH_TAPE_SINHCOSH] = "sinhcosh",
                                                      [RH_TAPE_TANH] = "tanh",
                                                      [RH_TAPE_LOG] = "log",
                                                      [RH_TAPE_ASIN] = "asin",
                                                      [RH_TAPE_ACOS] = "acos",
                                                      [RH_TAPE_ATAN] = "atan",
                                                      [RH_TAPE_ANGLE] = "angle",
                                                      [RH_TAPE_SWITCH] = "switch",
                                                      [RH_TAPE_AND] = "and",
                                                      [RH_TAPE_OR] = "or",
                                                      [RH_TAPE_NOT] = "not",
                                                      [RH_TAPE_WITHIN] = "within",
                                                      [RH_TAPE_NEAR] = "near",
                                                      [RH_TAPE_CHOOSE] = "choose",
                                                      [RH_TAPE_SOLVE] = "solve"};

static void describe_block(const rh_tape *tape, uint32_t index, rh_text *out)
{
    const rh_tape_block *block = &tape->blocks[index];
    rh__text_format(out, "    block %u: %u unknowns from s%u", index, block->n, block->first);
    if (block->factor != index) {
        rh__text_format(out, ", with the factors of block %u\n", block->factor);
        return;
    }
    rh__text_format(out, ", %u entries, %u moving products, %s\n", block->entry_count,
                    block->sums.count, block->saddle != NULL ? "sparse" : "dense");
}

static void describe_group(const rh_tape *tape, const rh_tape_group *group, rh_text *out)
{
    rh__text_format(out, "  level %u: %s", group->level, WORDS[group->code]);
    if (group->code == RH_TAPE_LINEAR) {
        rh__text_format(out, " of %u", group->arity);
    }
    rh__text_format(out, " x %u -> s%u\n", group->count, group->first);
    for (uint32_t k = 0; group->code == RH_TAPE_SOLVE && k < group->count; k++) {
        describe_block(tape, group->operand + k, out);
    }
}

static void describe_totals(const rh_tape *tape, rh_text *out)
{
    uint64_t totals[RH_TAPE_CODE_COUNT] = {0};
    uint64_t terms = 0;
    for (uint32_t g = 0; g < tape->group_count; g++) {
        const rh_tape_group *group = &tape->groups[g];
        totals[group->code] += group->count;
        terms += group->code == RH_TAPE_LINEAR ? (uint64_t)group->arity * group->count : 0;
    }
    rh__text_put(out, "operations:");
    const char *before = " ";
    for (uint32_t code = 0; code < RH_TAPE_CODE_COUNT; code++) {
        if (totals[code] > 0) {
            rh__text_format(out, "%s%llu %s", before, (unsigned long long)totals[code],
                            WORDS[code]);
            before = ", ";
        }
    }
    rh__text_format(out, "\nterms of linear: %llu\n", (unsigned long long)terms);
    rh__text_format(out, "sums of an order: %u products, %u squares, %u moments\n",
                    tape->products.count, tape->squares.count, tape->moments.count);
}

void rh__tape_describe(const rh_tape *tape, rh_text *out)
{
    rh__text_format(out, "inputs: %u, outputs: %u, slots: %u, constants: %u\n", tape->input_count,
                    tape->output_count, tape->slot_count, tape->constant_count);
    rh__text_format(out, "groups: %u\n", tape->group_count);
    for (uint32_t g = 0; g < tape->group_count; g++) {
        describe_group(tape, &tape->groups[g], out);
    }
    describe_totals(tape, out);
    if (tape->switch_count + tape->hold_count > 0) {
        rh__text_format(out, "switches: %u, holds: %u\n", tape->switch_count, tape->hold_count);
    }
}
