// SPDX-License-Identifier: Apache-2.0
// The tangent of a tape: a tape that computes the old one and, beside it, directional derivatives
// of every value. Operation by operation; a value that no active input moves has no tangent. The
// tangent of a block uses its factors:  K dz = db - dK z. Constants move where a seed says so: then
// a weight w of something y adds dw y to what the motion of y does.

#include "tape/weave.h"

#include <string.h>

typedef struct tangency {
    rh_weave *weave;
    const rh_tape *tape;
    const rh_tangent_def *def;
    uint32_t *id;         // by old slot: new id
    rh_strand *direction; // by direction, by old slot
    uint32_t *block;      // by old block: new index
    rh_arena scratch;
    rh_arena drifts;          // of `constants`
    rh_derivation *constants; // along the seed; NULL: they stay
} tangency;

// --- looking ---------------------------------------------------------------------------------

static rh_strand value(const tangency *in, uint32_t slot)
{
    return rh__strand_value(in->weave, in->id[slot]);
}

static rh_strand *tangent(const tangency *in, uint32_t d, uint32_t slot)
{
    return &in->direction[(size_t)d * in->tape->slot_count + slot];
}

static rh_expr weight(const tangency *in, uint32_t constant)
{
    return constant == RH_SLOT_NONE ? in->weave->zero : in->tape->constants[constant];
}

// How a weight moves.
static rh_expr drift(const tangency *in, uint32_t constant)
{
    return constant == RH_SLOT_NONE || in->constants == NULL
               ? in->weave->zero
               : rh__derivation_apply(in->constants, in->tape->constants[constant]);
}

// d(weight y), y being a slot, or 1 without one.
static rh_strand product_tangent(const tangency *in, uint32_t constant, uint32_t slot, uint32_t d)
{
    rh_weave *weave = in->weave;
    const rh_expr moved = drift(in, constant);
    if (slot == RH_SLOT_NONE) {
        return rh__strand_constant(moved);
    }
    const rh_strand along = rh__weave_scale(
        weave, in->direction[(size_t)d * in->tape->slot_count + slot], weight(in, constant));
    if (rh__expr_is_zero(weave->store, moved)) {
        return along;
    }
    const rh_strand terms[] = {along, rh__weave_scale(weave, value(in, slot), moved)};
    return rh__weave_sum(weave, terms, 2);
}

static uint32_t operand(const tangency *in, const rh_tape_group *group, uint32_t j, uint32_t i)
{
    return in->tape->operands[group->operand + (size_t)j * group->count + i];
}

static rh_strand times(const tangency *in, rh_strand a, rh_strand b)
{
    return rh__strand_is_zero(in->weave, a) || rh__strand_is_zero(in->weave, b)
               ? rh__strand_constant(in->weave->zero)
               : rh__weave_multiply(in->weave, a, b);
}

static rh_strand over(const tangency *in, rh_strand a, rh_strand b)
{
    return rh__strand_is_zero(in->weave, a) ? a : rh__weave_divide(in->weave, a, b);
}

static rh_strand number(const tangency *in, int64_t n)
{
    return rh__strand_constant(rh__expr_integer(in->weave->store, n));
}

// --- the old tape ----------------------------------------------------------------------------

static uint32_t copy_operation(tangency *in, const rh_tape_group *group, uint32_t i,
                               uint32_t *words)
{
    const rh_tape *tape = in->tape;
    const uint32_t extra = group->code == RH_TAPE_LINEAR   ? group->arity + 1
                           : group->code == RH_TAPE_CHOOSE ? 2
                           : group->code == RH_TAPE_NEAR   ? 3
                           : group->code == RH_TAPE_POWER || group->code == RH_TAPE_WITHIN ? 1
                                                                                           : 0;
    for (uint32_t j = 0; j < group->arity; j++) {
        words[j] = in->id[operand(in, group, j, i)];
    }
    for (uint32_t j = 0; j < extra; j++) {
        const uint32_t constant = tape->weights[group->weight + (size_t)j * group->count + i];
        words[group->arity + j] = constant == RH_SLOT_NONE
                                      ? RH_SLOT_NONE
                                      : rh__weave_constant(in->weave, tape->constants[constant]);
    }
    if (group->code == RH_TAPE_SWITCH) {
        const rh_tape_switch *it = &tape->switches[group->weight + i];
        return rh__weave_switch(in->weave, value(in, it->surface), it->rule, it->source).id;
    }
    return rh__weave_knot(in->weave, group->code, words, group->arity, group->arity + extra);
}

// --- one operation ---------------------------------------------------------------------------

static rh_strand linear_tangent(tangency *in, const rh_tape_group *group, uint32_t i, uint32_t d,
                                rh_strand *terms)
{
    for (uint32_t j = 0; j < group->arity; j++) {
        const size_t at = (size_t)j * group->count + i;
        terms[j] = product_tangent(in, in->tape->weights[group->weight + at],
                                   in->tape->operands[group->operand + at], d);
    }
    const size_t bias = (size_t)group->arity * group->count + i;
    terms[group->arity] = rh__strand_constant(drift(in, in->tape->weights[group->weight + bias]));
    return rh__weave_sum(in->weave, terms, group->arity + (in->constants != NULL));
}

static rh_strand choose_tangent(tangency *in, const rh_tape_group *group, uint32_t i, uint32_t d)
{
    rh_strand side[2];
    for (uint32_t j = 0; j < 2; j++) {
        const uint32_t factor = in->tape->weights[group->weight + (size_t)j * group->count + i];
        side[j] = product_tangent(in, factor, operand(in, group, j + 1, i), d);
    }
    const bool is_still =
        rh__strand_is_zero(in->weave, side[0]) && rh__strand_is_zero(in->weave, side[1]);
    return is_still
               ? side[0]
               : rh__weave_choose(in->weave, value(in, operand(in, group, 0, i)), side[0], side[1]);
}

// da and db through an operation of two operands or less; `y` is its first output.
static rh_strand simple_tangent(tangency *in, const rh_tape_group *group, uint32_t i, uint32_t d)
{
    rh_weave *weave = in->weave;
    const rh_strand y = value(in, group->first + i);
    const rh_strand a = value(in, operand(in, group, 0, i));
    const rh_strand b = value(in, operand(in, group, group->arity - 1, i));
    const rh_strand da = *tangent(in, d, operand(in, group, 0, i));
    const rh_strand db = *tangent(in, d, operand(in, group, group->arity - 1, i));
    switch (group->code) {
    case RH_TAPE_MULTIPLY: {
        const rh_strand terms[] = {times(in, da, b), times(in, a, db)};
        return rh__weave_sum(weave, terms, 2);
    }
    case RH_TAPE_SQUARE:
        return times(in, times(in, number(in, 2), a), da);
    case RH_TAPE_DIVIDE:
        return over(in, rh__weave_subtract(weave, da, times(in, y, db)), b);
    case RH_TAPE_RECIPROCAL:
        return times(in, rh__weave_negate(weave, times(in, y, y)), da);
    case RH_TAPE_ROOT:
        return over(in, da, times(in, number(in, 2), y));
    case RH_TAPE_EXP:
        return times(in, y, da);
    case RH_TAPE_LOG:
    case RH_TAPE_ASIN:
    case RH_TAPE_ATAN:
        return over(in, da, b);
    case RH_TAPE_ACOS:
        return rh__weave_negate(weave, over(in, da, b));
    default:
        return number(in, 0); // truths
    }
}

// a^e log a de
static rh_strand exponent_tangent(tangency *in, const rh_tape_group *group, uint32_t i)
{
    const rh_expr moved = drift(in, in->tape->weights[group->weight + i]);
    if (rh__expr_is_zero(in->weave->store, moved)) {
        return number(in, 0);
    }
    const rh_strand log =
        rh__weave_primitive(in->weave, RH_TAPE_LOG, value(in, operand(in, group, 0, i)));
    return rh__weave_scale(in->weave, times(in, value(in, group->first + i), log), moved);
}

// e a^(e - 1) da
static rh_strand power_tangent(tangency *in, const rh_tape_group *group, uint32_t i, uint32_t d)
{
    rh_store *store = in->weave->store;
    const rh_strand da = *tangent(in, d, operand(in, group, 0, i));
    const rh_expr exponent = weight(in, in->tape->weights[group->weight + i]);
    const rh_strand besides = exponent_tangent(in, group, i);
    if (rh__strand_is_zero(in->weave, da)) {
        return besides;
    }
    const rh_expr lower = rh__expr_subtract(store, exponent, rh__expr_integer(store, 1));
    const rh_strand power = rh__weave_power(in->weave, value(in, operand(in, group, 0, i)), lower);
    const rh_strand terms[] = {rh__weave_scale(in->weave, times(in, power, da), exponent), besides};
    return rh__weave_sum(in->weave, terms, rh__strand_is_zero(in->weave, besides) ? 1 : 2);
}

// The next derivative of a ratio, times da.
static rh_strand near_tangent(tangency *in, const rh_tape_group *group, uint32_t i, uint32_t d)
{
    rh_store *store = in->weave->store;
    const rh_strand da = *tangent(in, d, operand(in, group, 0, i));
    if (rh__strand_is_zero(in->weave, da)) {
        return da;
    }
    const uint32_t *words = in->tape->weights + group->weight + i;
    const double radius = rh__expr_number_value(store, weight(in, words[0]));
    const rh_expr n = weight(in, words[2 * group->count]);
    const rh_strand near = rh__weave_near(in->weave, value(in, operand(in, group, 0, i)), radius,
                                          weight(in, words[group->count]),
                                          rh__expr_add(store, n, rh__expr_integer(store, 1)));
    return times(in, near, da);
}

static rh_strand angle_tangent(tangency *in, const rh_tape_group *group, uint32_t i, uint32_t d)
{
    const uint32_t a = operand(in, group, 0, i);
    const uint32_t b = operand(in, group, 1, i);
    const rh_strand above =
        rh__weave_subtract(in->weave, times(in, value(in, b), *tangent(in, d, a)),
                           times(in, value(in, a), *tangent(in, d, b)));
    return over(in, above, value(in, operand(in, group, 2, i)));
}

// The two outputs of sin and cos, sinh and cosh, tanh and its companion.
static void pair_tangent(tangency *in, const rh_tape_group *group, uint32_t i, uint32_t d)
{
    rh_weave *weave = in->weave;
    const uint32_t first = group->first + i;
    const uint32_t second = first + group->count;
    const rh_strand da = *tangent(in, d, operand(in, group, 0, i));
    const rh_strand dy = times(in, value(in, second), da);
    *tangent(in, d, first) = dy;
    *tangent(in, d, second) = times(in, value(in, first), da);
    if (group->code == RH_TAPE_SINCOS) {
        *tangent(in, d, second) = rh__weave_negate(weave, *tangent(in, d, second));
    } else if (group->code == RH_TAPE_TANH) {
        *tangent(in, d, second) = times(in, times(in, number(in, -2), value(in, first)), dy);
    }
}

static void operation_tangent(tangency *in, const rh_tape_group *group, uint32_t i, uint32_t d,
                              rh_strand *terms)
{
    rh_strand *out = tangent(in, d, group->first + i);
    switch (group->code) {
    case RH_TAPE_LINEAR:
        *out = linear_tangent(in, group, i, d, terms);
        return;
    case RH_TAPE_POWER:
        *out = power_tangent(in, group, i, d);
        return;
    case RH_TAPE_NEAR:
        *out = near_tangent(in, group, i, d);
        return;
    case RH_TAPE_ANGLE:
        *out = angle_tangent(in, group, i, d);
        return;
    case RH_TAPE_CHOOSE:
        *out = choose_tangent(in, group, i, d);
        return;
    case RH_TAPE_SINCOS:
    case RH_TAPE_SINHCOSH:
    case RH_TAPE_TANH:
        pair_tangent(in, group, i, d);
        return;
    default:
        *out = simple_tangent(in, group, i, d);
        return;
    }
}

static void add_group(tangency *in, const rh_tape_group *group)
{
    const rh_mark mark = rh__arena_mark(&in->scratch);
    uint32_t *words = rh__arena_array(&in->scratch, uint32_t, 2 * (size_t)group->arity + 4);
    rh_strand *terms = rh__arena_array(&in->scratch, rh_strand, (size_t)group->arity + 1);
    if (words == NULL || terms == NULL) {
        rh__weave_fail(in->weave, in->scratch.status);
        return;
    }
    const bool is_pair = group->code == RH_TAPE_SINCOS || group->code == RH_TAPE_SINHCOSH ||
                         group->code == RH_TAPE_TANH;
    for (uint32_t i = 0; i < group->count && in->weave->status == RH_OK; i++) {
        in->id[group->first + i] = copy_operation(in, group, i, words);
        if (is_pair) {
            in->id[group->first + group->count + i] = in->id[group->first + i] + 1;
        }
    }
    for (uint32_t d = 0; d < in->def->direction_count; d++) {
        for (uint32_t i = 0; i < group->count && in->weave->status == RH_OK; i++) {
            operation_tangent(in, group, i, d, terms);
        }
    }
    rh__arena_rewind(&in->scratch, mark);
}

// --- blocks ----------------------------------------------------------------------------------

static rh_tape_term copy_term(tangency *in, rh_tape_term term)
{
    return (rh_tape_term){rh__weave_constant(in->weave, weight(in, term.weight)),
                          term.slot == RH_SLOT_NONE ? RH_SLOT_NONE : in->id[term.slot]};
}

// The same matrix once more; right sides are the caller's.
static bool copy_block(tangency *in, const rh_tape_block *from, rh_tape_block *out)
{
    *out = (rh_tape_block){.n = from->n,
                           .factor = UINT32_MAX,
                           .entry_count = from->entry_count,
                           .margin = from->margin};
    if (!rh__weave_reserve_block(in->weave, out)) {
        return false;
    }
    for (uint32_t k = 0; k < from->entry_count; k++) {
        out->entries[k] = (rh_tape_entry){from->entries[k].row, from->entries[k].column,
                                          copy_term(in, from->entries[k].value)};
    }
    memcpy(out->is_rate, from->is_rate, from->n * sizeof *out->is_rate);
    memcpy(out->hold, from->hold, from->n * sizeof *out->hold);
    memcpy(out->hold_column, from->hold_column, from->n * sizeof *out->hold_column);
    return true;
}

// db - dK z of one row.
static rh_strand right_tangent(tangency *in, const rh_tape_block *from, uint32_t row, uint32_t d,
                               rh_strand *terms)
{
    rh_weave *weave = in->weave;
    const rh_tape_term *right = &from->right[row];
    uint32_t count = 0;
    if (right->slot != RH_SLOT_NONE || in->constants != NULL) {
        terms[count++] = product_tangent(in, right->weight, right->slot, d);
    }
    for (uint32_t k = 0; in->constants != NULL && k < from->entry_count; k++) {
        const rh_tape_entry *entry = &from->entries[k];
        const rh_expr moved = entry->row == row ? drift(in, entry->value.weight) : in->weave->zero;
        if (!rh__expr_is_zero(weave->store, moved)) {
            const rh_strand z = value(in, from->first + entry->column);
            const rh_strand part =
                entry->value.slot == RH_SLOT_NONE ? z : times(in, value(in, entry->value.slot), z);
            terms[count++] = rh__weave_negate(weave, rh__weave_scale(weave, part, moved));
        }
    }
    for (uint32_t k = from->share_begin[row]; k < from->share_begin[row + 1]; k++) {
        const rh_tape_share *share = &from->shares[k];
        const rh_strand part = times(in, *tangent(in, d, share->matrix), value(in, share->unknown));
        terms[count++] =
            rh__weave_negate(weave, rh__weave_scale(weave, part, weight(in, share->weight)));
    }
    return rh__weave_sum(weave, terms, count);
}

static void block_tangent(tangency *in, uint32_t index, uint32_t d)
{
    rh_weave *weave = in->weave;
    const rh_tape_block *from = &in->tape->blocks[index];
    rh_tape_block made;
    const rh_mark mark = rh__arena_mark(&in->scratch);
    rh_strand *terms = rh__arena_array(&in->scratch, rh_strand,
                                       (size_t)from->share_count + 1 +
                                           (in->constants != NULL ? from->entry_count : 0));
    if (terms == NULL || !copy_block(in, from, &made)) {
        rh__weave_fail(weave, in->scratch.status);
        return;
    }
    bool moves = false;
    for (uint32_t row = 0; row < from->n; row++) {
        const rh_strand right = right_tangent(in, from, row, d, terms);
        made.right[row] = (rh_tape_term){rh__weave_constant(weave, right.weight), right.id};
        moves = moves || !rh__strand_is_zero(weave, right);
    }
    rh__arena_rewind(&in->scratch, mark);
    made.factor = in->block[from->factor];
    const uint32_t first = moves ? rh__weave_block(weave, &made) : 0;
    for (uint32_t k = 0; k < from->n; k++) {
        *tangent(in, d, from->first + k) =
            moves ? rh__strand_value(weave, first + k) : number(in, 0);
    }
}

static void add_block(tangency *in, uint32_t index)
{
    rh_weave *weave = in->weave;
    const rh_tape_block *from = &in->tape->blocks[index];
    rh_tape_block made;
    if (!copy_block(in, from, &made)) {
        return;
    }
    for (uint32_t k = 0; k < from->n; k++) {
        made.right[k] = copy_term(in, from->right[k]);
    }
    made.factor = from->factor == index ? UINT32_MAX : in->block[from->factor];
    const uint32_t first = rh__weave_block(weave, &made);
    in->block[index] = weave->blocks.count - 1;
    for (uint32_t k = 0; k < from->n; k++) {
        in->id[from->first + k] = first + k;
    }
    // sums of unknowns that its moving parts are made of: they come later in the old tape
    RH_ASSERT(weave->status != RH_OK || made.share_count == from->share_count);
    for (uint32_t k = 0; weave->status == RH_OK && k < from->share_count; k++) {
        in->id[from->shares[k].unknown] = made.shares[k].unknown;
    }
    for (uint32_t d = 0; weave->status == RH_OK && d < in->def->direction_count; d++) {
        block_tangent(in, index, d);
    }
}

// --- the new tape ----------------------------------------------------------------------------

static uint32_t active_count(const rh_tape *tape, const rh_tangent_def *def)
{
    return def->active != NULL ? def->active_count : tape->input_count;
}

static bool begin_tangents(tangency *in)
{
    const rh_tape *tape = in->tape;
    const size_t slots = tape->slot_count;
    in->id = rh__arena_array(&in->scratch, uint32_t, slots + 1);
    in->block = rh__arena_array(&in->scratch, uint32_t, (size_t)tape->block_count + 1);
    in->direction = rh__arena_array(&in->scratch, rh_strand, slots * in->def->direction_count + 1);
    if (in->id == NULL || in->block == NULL || in->direction == NULL) {
        rh__weave_fail(in->weave, in->scratch.status);
        return false;
    }
    for (uint32_t k = 0; k < tape->input_count; k++) {
        in->id[k] = k;
    }
    for (size_t k = 0; k < slots * in->def->direction_count; k++) {
        in->direction[k] = rh__strand_constant(in->weave->zero);
    }
    uint32_t next = tape->input_count;
    for (uint32_t d = 0; d < in->def->direction_count; d++) {
        for (uint32_t k = 0; k < active_count(tape, in->def); k++) {
            const uint32_t input = in->def->active != NULL ? in->def->active[k] : k;
            RH_ASSERT(input < tape->input_count);
            *tangent(in, d, input) = rh__strand_value(in->weave, next++);
        }
    }
    return true;
}

// Constants that were taken as fixed must be.
static void check_assumptions(const tangency *in)
{
    const rh_tape *tape = in->tape;
    for (uint32_t k = 0; k < tape->assumptions.count; k++) {
        if (!rh__expr_is_zero(tape->store, drift(in, tape->assumptions.data[k].constant))) {
            rh__weave_fail(in->weave, RH_E_UNAVAILABLE);
        }
    }
}

static void add_outputs(tangency *in)
{
    rh_weave *weave = in->weave;
    const rh_tape *tape = in->tape;
    bool ok = true;
    for (uint32_t k = 0; ok && k < tape->output_count; k++) {
        ok = rh__array_push(&weave->scratch, &weave->outputs, in->id[tape->outputs[k]]);
    }
    for (uint32_t d = 0; ok && d < in->def->direction_count; d++) {
        for (uint32_t k = 0; ok && k < tape->output_count; k++) {
            const uint32_t id = rh__weave_settle(weave, *tangent(in, d, tape->outputs[k]));
            ok = rh__array_push(&weave->scratch, &weave->outputs, id);
        }
    }
    for (uint32_t k = 0; ok && k < tape->assumptions.count; k++) {
        const rh_tape_assumption *old = &tape->assumptions.data[k];
        const rh_tape_assumption made = {rh__weave_constant(weave, tape->constants[old->constant]),
                                         old->value};
        ok = rh__array_push(&weave->scratch, &weave->assumptions, made);
    }
    if (!ok) {
        rh__weave_fail(weave, weave->scratch.status);
    }
}

static void transform(tangency *in)
{
    const rh_tape *tape = in->tape;
    if (!begin_tangents(in)) {
        return;
    }
    for (uint32_t g = 0; g < tape->group_count && in->weave->status == RH_OK; g++) {
        const rh_tape_group *group = &tape->groups[g];
        if (group->code != RH_TAPE_SOLVE) {
            add_group(in, group);
            continue;
        }
        for (uint32_t k = 0; k < group->count && in->weave->status == RH_OK; k++) {
            add_block(in, group->operand + k);
        }
    }
    check_assumptions(in);
    if (in->weave->status == RH_OK) {
        add_outputs(in);
    }
}

static rh_status build_tangent(const rh_tape *from, const rh_tangent_def *def, rh_tape *tape)
{
    const uint32_t inputs = from->input_count + def->direction_count * active_count(from, def);
    tape->store = from->store;
    tape->input_count = inputs;
    tape->inputs = rh__arena_array(&tape->arena, rh_expr, (size_t)inputs + 1);
    if (tape->inputs == NULL) {
        return tape->arena.status;
    }
    for (uint32_t k = 0; k < from->input_count; k++) {
        tape->inputs[k] = from->inputs[k];
    }
    tape->feed_first = from->feed_first;
    tape->feed_count = from->feed_count;
    rh_weave weave = rh__weave_begin(from->store, &tape->arena, inputs);
    weave.hold_count = from->hold_count;
    tangency in = {.weave = &weave,
                   .tape = from,
                   .def = def,
                   .scratch = rh__arena_begin(tape->arena.allocator, tape->arena.limit)};
    if (def->seed != NULL) {
        in.drifts = rh__arena_begin(tape->arena.allocator, tape->arena.limit);
        in.constants = rh__derivation_create(from->store, &in.drifts, def->seed, def->user);
        weave.status = in.constants != NULL ? weave.status : RH_E_MEMORY;
    }
    if (weave.status == RH_OK) {
        transform(&in);
    }
    const rh_status status = weave.status == RH_OK ? rh__schedule(&weave, tape) : weave.status;
    rh__arena_end(&in.scratch);
    if (def->seed != NULL) {
        rh__arena_end(&in.drifts);
    }
    rh__weave_end(&weave);
    return status;
}

rh_status rh__tape_tangent(const rh_tape *tape, const rh_tangent_def *def, rh_tape **out,
                           rh_error *err)
{
    *out = NULL;
    rh_arena arena = rh__arena_begin(tape->arena.allocator, tape->arena.limit);
    rh_tape *made = rh__arena_new(&arena, rh_tape);
    if (made == NULL) {
        const rh_status refused = arena.status;
        rh__arena_end(&arena);
        return rh__error_fill(err, refused, "%s", rh_status_text(refused));
    }
    made->arena = arena;
    const rh_status status = build_tangent(tape, def, made);
    if (status != RH_OK) {
        rh__tape_destroy(made);
        return rh__error_fill(err, status, "%s", rh_status_text(status));
    }
    *out = made;
    return RH_OK;
}
