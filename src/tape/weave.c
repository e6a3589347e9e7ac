// SPDX-License-Identifier: Apache-2.0
// A tape under construction: operations made once, constant factors carried outside of them.
// Products are known by their pair of values, whatever their weights.

#include "tape/weave.h"

#include <stdlib.h>
#include <string.h>

rh_weave rh__weave_begin(rh_store *store, rh_arena *arena, uint32_t input_count)
{
    rh_weave weave = {.store = store,
                      .arena = arena,
                      .scratch = rh__arena_begin(arena->allocator, arena->limit),
                      .input_count = input_count,
                      .zero = rh__expr_integer(store, 0),
                      .one = rh__expr_integer(store, 1)};
    if (!rh__array_reserve(&weave.scratch, &weave.levels, input_count)) {
        weave.status = weave.scratch.status;
        return weave;
    }
    weave.levels.count = input_count;
    for (uint32_t k = 0; k < input_count; k++) {
        weave.levels.data[k] = 0;
    }
    return weave;
}

void rh__weave_end(rh_weave *weave)
{
    rh__arena_end(&weave->scratch);
}

void rh__weave_fail(rh_weave *weave, rh_status status)
{
    if (weave->status == RH_OK) {
        weave->status = status == RH_OK ? RH_E_MEMORY : status;
    }
}

static bool is_well(rh_weave *weave, bool ok)
{
    if (!ok) {
        rh__weave_fail(weave, weave->scratch.status);
    }
    return ok && weave->status == RH_OK;
}

// The store says no with a none; that must not go unnoticed.
static rh_expr noticed(rh_weave *weave, rh_expr e)
{
    if (e.i == 0) {
        rh__weave_fail(weave, rh__store_refusal(weave->store) == RH_REFUSAL_MEMORY ? RH_E_MEMORY
                                                                                   : RH_E_LIMIT);
        return weave->one;
    }
    return e;
}

static rh_expr times(rh_weave *weave, rh_expr a, rh_expr b)
{
    return a.i == weave->one.i   ? b
           : b.i == weave->one.i ? a
                                 : noticed(weave, rh__expr_multiply(weave->store, a, b));
}

// --- strands ---------------------------------------------------------------------------------

rh_strand rh__strand_constant(rh_expr weight)
{
    return (rh_strand){weight, RH_SLOT_NONE};
}

rh_strand rh__strand_value(const rh_weave *weave, uint32_t id)
{
    RH_ASSERT(weave->status != RH_OK || id < weave->levels.count);
    return (rh_strand){weave->one, id};
}

bool rh__strand_is_zero(const rh_weave *weave, rh_strand a)
{
    return a.weight.i == weave->zero.i;
}

uint32_t rh__weave_constant(rh_weave *weave, rh_expr e)
{
    RH_ASSERT(weave->status != RH_OK || e.i != 0);
    bool ok = true;
    if (e.i >= weave->constant_of.count) {
        const uint32_t extra = e.i + 1 - weave->constant_of.count;
        ok = rh__array_reserve(&weave->scratch, &weave->constant_of, extra);
        if (ok) {
            memset(weave->constant_of.data + weave->constant_of.count, 0,
                   extra * sizeof *weave->constant_of.data);
            weave->constant_of.count += extra;
        }
    }
    if (ok && weave->constant_of.data[e.i] == 0) {
        ok = rh__array_push(&weave->scratch, &weave->constants, e);
        weave->constant_of.data[e.i] = ok ? weave->constants.count : 0;
    }
    return is_well(weave, ok) ? weave->constant_of.data[e.i] - 1 : 0;
}

// --- knots -----------------------------------------------------------------------------------

static uint64_t hash_knot(rh_tape_code code, const uint32_t *words, uint32_t word_count)
{
    return rh__hash_slot_bytes(words, word_count * sizeof *words, (uint64_t)code);
}

static bool is_knot(const rh_weave *weave, uint32_t knot, rh_tape_code code, const uint32_t *words,
                    uint32_t word_count)
{
    const rh_knot *it = &weave->knots.data[knot];
    return it->code == code && it->word_count == word_count &&
           memcmp(weave->words.data + it->word, words, word_count * sizeof *words) == 0;
}

// Place in the index: of the knot, or free for it.
static uint32_t find_place(const rh_weave *weave, rh_tape_code code, const uint32_t *words,
                           uint32_t word_count)
{
    const uint32_t mask = weave->index_size - 1;
    RH_ASSERT_LOAD(weave->knots.count, weave->index_size);
    uint32_t place = (uint32_t)hash_knot(code, words, word_count) & mask;
    while (weave->index[place] != 0 &&
           !is_knot(weave, weave->index[place] - 1, code, words, word_count)) {
        place = (place + 1) & mask;
    }
    return place;
}

static bool grow_index(rh_weave *weave)
{
    if (2 * (weave->knots.count + 1) < weave->index_size) {
        return true;
    }
    weave->index_size = weave->index_size == 0 ? 1024 : 2 * weave->index_size;
    weave->index = rh__arena_array(&weave->scratch, uint32_t, weave->index_size);
    for (uint32_t k = 0; weave->index != NULL && k < weave->knots.count; k++) {
        const rh_knot *knot = &weave->knots.data[k];
        weave->index[find_place(weave, knot->code, weave->words.data + knot->word,
                                knot->word_count)] = k + 1;
    }
    return weave->index != NULL;
}

static uint32_t output_count(rh_tape_code code)
{
    return code == RH_TAPE_SINCOS || code == RH_TAPE_SINHCOSH || code == RH_TAPE_TANH ? 2 : 1;
}

uint32_t rh__weave_add(rh_weave *weave, rh_tape_code code, const uint32_t *words, uint32_t arity,
                       uint32_t word_count, uint32_t outputs)
{
    RH_ASSERT(arity <= word_count && outputs > 0);
    rh_knot knot = {.code = code,
                    .arity = arity,
                    .word = weave->words.count,
                    .word_count = word_count,
                    .output = weave->levels.count,
                    .output_count = outputs};
    for (uint32_t k = 0; k < arity; k++) {
        RH_ASSERT(words[k] < weave->levels.count);
        const uint32_t level = weave->levels.data[words[k]];
        knot.level = level > knot.level ? level : knot.level;
    }
    knot.level++;
    if (!is_well(weave, rh__array_reserve(&weave->scratch, &weave->words, word_count) &&
                            rh__array_reserve(&weave->scratch, &weave->levels, outputs) &&
                            rh__array_push(&weave->scratch, &weave->knots, knot))) {
        return 0;
    }
    memcpy(weave->words.data + weave->words.count, words, word_count * sizeof *words);
    weave->words.count += word_count;
    for (uint32_t k = 0; k < outputs; k++) {
        weave->levels.data[weave->levels.count++] = knot.level;
    }
    return knot.output;
}

uint32_t rh__weave_knot(rh_weave *weave, rh_tape_code code, const uint32_t *words, uint32_t arity,
                        uint32_t word_count)
{
    RH_ASSERT(code != RH_TAPE_SOLVE); // no two of them are equal
    if (!is_well(weave, grow_index(weave))) {
        return 0;
    }
    const uint32_t place = find_place(weave, code, words, word_count);
    if (weave->index[place] == 0) {
        const uint32_t output =
            rh__weave_add(weave, code, words, arity, word_count, output_count(code));
        weave->index[place] = weave->status == RH_OK ? weave->knots.count : 0;
        return output;
    }
    return weave->knots.data[weave->index[place] - 1].output;
}

// --- sums ------------------------------------------------------------------------------------

uint32_t rh__weave_settle(rh_weave *weave, rh_strand a)
{
    if (a.id != RH_SLOT_NONE && a.weight.i == weave->one.i) {
        return a.id;
    }
    if (a.id == RH_SLOT_NONE) {
        const uint32_t bias = rh__weave_constant(weave, a.weight);
        return rh__weave_knot(weave, RH_TAPE_LINEAR, &bias, 0, 1);
    }
    const uint32_t words[] = {a.id, rh__weave_constant(weave, a.weight), RH_SLOT_NONE};
    return rh__weave_knot(weave, RH_TAPE_LINEAR, words, 1, 3);
}

static int compare_ids(const void *left, const void *right)
{
    const uint32_t a = ((const rh_strand *)left)->id;
    const uint32_t b = ((const rh_strand *)right)->id;
    return (a > b) - (a < b);
}

// Terms of one value together, constants last (their id is the largest), zeros gone.
static uint32_t gather_terms(rh_weave *weave, rh_strand *terms, uint32_t count)
{
    qsort(terms, count, sizeof *terms, compare_ids);
    uint32_t kept = 0;
    for (uint32_t k = 0; k < count; k++) {
        if (kept > 0 && terms[kept - 1].id == terms[k].id) {
            rh_expr *weight = &terms[kept - 1].weight;
            *weight = noticed(weave, rh__expr_add(weave->store, *weight, terms[k].weight));
        } else {
            terms[kept++] = terms[k];
        }
        kept -= terms[kept - 1].weight.i == weave->zero.i;
    }
    return kept;
}

// Does a weight begin with a minus sign?
static bool leads_negative(const rh_weave *weave, rh_expr weight)
{
    const rh_expr leading = rh__expr_op(weave->store, weight) == RH_OP_ADD
                                ? rh__expr_argument(weave->store, weight, 0)
                                : weight;
    return rh__expr_is_number(weave->store, leading) &&
           rh__expr_number_sign(weave->store, leading) < 0;
}

// A weight that all terms share is the weight of the sum; else its sign is that of the first one,
// so that a sum and its opposite are the same value.
static rh_expr common_weight(rh_weave *weave, rh_strand *terms, uint32_t count)
{
    RH_ASSERT(count > 1 && terms[0].id != RH_SLOT_NONE); // constants come last
    const rh_expr first = terms[0].weight;
    const rh_expr opposite = noticed(weave, rh__expr_negate(weave->store, first));
    const rh_expr minus = noticed(weave, rh__expr_integer(weave->store, -1));
    bool is_common = terms[count - 1].id != RH_SLOT_NONE;
    for (uint32_t k = 1; is_common && k < count; k++) {
        is_common = terms[k].weight.i == first.i || terms[k].weight.i == opposite.i;
    }
    if (!is_common && !leads_negative(weave, first)) {
        return weave->one;
    }
    for (uint32_t k = 0; k < count; k++) {
        terms[k].weight = !is_common
                              ? noticed(weave, rh__expr_negate(weave->store, terms[k].weight))
                          : terms[k].weight.i == first.i ? weave->one
                                                         : minus;
    }
    return is_common ? first : minus;
}

rh_strand rh__weave_sum(rh_weave *weave, const rh_strand *terms, uint32_t count)
{
    const rh_mark mark = rh__arena_mark(&weave->scratch);
    rh_strand *sorted = rh__arena_array(&weave->scratch, rh_strand, (size_t)count + 1);
    uint32_t *words = rh__arena_array(&weave->scratch, uint32_t, 2 * (size_t)count + 1);
    if (!is_well(weave, sorted != NULL && words != NULL)) {
        return rh__strand_constant(weave->zero);
    }
    memcpy(sorted, terms, count * sizeof *terms);
    const uint32_t kept = gather_terms(weave, sorted, count);
    RH_ASSERT(kept <= count);
    if (kept <= 1) {
        const rh_strand only = kept == 1 ? sorted[0] : rh__strand_constant(weave->zero);
        rh__arena_rewind(&weave->scratch, mark);
        return only;
    }
    const rh_expr weight = common_weight(weave, sorted, kept);
    const bool has_bias = sorted[kept - 1].id == RH_SLOT_NONE;
    const uint32_t arity = kept - has_bias;
    for (uint32_t k = 0; k < arity; k++) {
        words[k] = sorted[k].id;
        words[arity + k] = 0;
    }
    // the words lie on top of the scratch, which constants may move; their arrays do not rewind
    for (uint32_t k = 0; k < arity; k++) {
        words[arity + k] = rh__weave_constant(weave, sorted[k].weight);
    }
    words[2 * arity] = has_bias ? rh__weave_constant(weave, sorted[kept - 1].weight) : RH_SLOT_NONE;
    const rh_strand sum = {weight,
                           rh__weave_knot(weave, RH_TAPE_LINEAR, words, arity, 2 * arity + 1)};
    return sum;
}

rh_strand rh__weave_scale(rh_weave *weave, rh_strand a, rh_expr factor)
{
    const rh_expr weight = times(weave, a.weight, factor);
    return weight.i == weave->zero.i ? rh__strand_constant(weight) : (rh_strand){weight, a.id};
}

rh_strand rh__weave_negate(rh_weave *weave, rh_strand a)
{
    return (rh_strand){noticed(weave, rh__expr_negate(weave->store, a.weight)), a.id};
}

rh_strand rh__weave_subtract(rh_weave *weave, rh_strand a, rh_strand b)
{
    const rh_strand terms[] = {a, rh__weave_negate(weave, b)};
    return rh__weave_sum(weave, terms, 2);
}

// --- products and quotients ------------------------------------------------------------------

static void sort_pair(uint32_t *words)
{
    if (words[0] > words[1]) {
        const uint32_t first = words[0];
        words[0] = words[1];
        words[1] = first;
    }
}

bool rh__weave_has_product(const rh_weave *weave, rh_strand a, rh_strand b)
{
    uint32_t words[] = {a.id, b.id};
    if (weave->index_size == 0 || a.id == RH_SLOT_NONE || b.id == RH_SLOT_NONE) {
        return false;
    }
    sort_pair(words);
    return a.id == b.id ? weave->index[find_place(weave, RH_TAPE_SQUARE, words, 1)] != 0
                        : weave->index[find_place(weave, RH_TAPE_MULTIPLY, words, 2)] != 0;
}

rh_strand rh__weave_multiply(rh_weave *weave, rh_strand a, rh_strand b)
{
    if (a.id == RH_SLOT_NONE) {
        return rh__weave_scale(weave, b, a.weight);
    }
    if (b.id == RH_SLOT_NONE) {
        return rh__weave_scale(weave, a, b.weight);
    }
    uint32_t words[] = {a.id, b.id};
    sort_pair(words);
    return (rh_strand){times(weave, a.weight, b.weight),
                       a.id == b.id ? rh__weave_knot(weave, RH_TAPE_SQUARE, words, 1, 1)
                                    : rh__weave_knot(weave, RH_TAPE_MULTIPLY, words, 2, 2)};
}

rh_strand rh__weave_divide(rh_weave *weave, rh_strand a, rh_strand b)
{
    const rh_expr weight = noticed(weave, rh__expr_divide(weave->store, a.weight, b.weight));
    if (b.id == RH_SLOT_NONE || weight.i == weave->zero.i) {
        return (rh_strand){weight, weight.i == weave->zero.i ? RH_SLOT_NONE : a.id};
    }
    const uint32_t words[] = {a.id, b.id};
    return (rh_strand){weight, a.id == RH_SLOT_NONE
                                   ? rh__weave_knot(weave, RH_TAPE_RECIPROCAL, words + 1, 1, 1)
                                   : rh__weave_knot(weave, RH_TAPE_DIVIDE, words, 2, 2)};
}

rh_strand rh__weave_whole_power(rh_weave *weave, rh_strand a, uint32_t exponent)
{
    rh_strand result = rh__strand_constant(weave->one);
    rh_strand square = a;
    for (uint32_t n = exponent; n > 0; n /= 2) {
        result = n % 2 == 1 ? rh__weave_multiply(weave, result, square) : result;
        square = n > 1 ? rh__weave_multiply(weave, square, square) : square;
    }
    return result;
}

// --- functions -------------------------------------------------------------------------------

rh_strand rh__weave_function(rh_weave *weave, rh_tape_code code, rh_strand a, uint32_t which)
{
    RH_ASSERT(which < output_count(code));
    const uint32_t word = rh__weave_settle(weave, a);
    return rh__strand_value(weave, rh__weave_knot(weave, code, &word, 1, 1) + which);
}

rh_strand rh__weave_power(rh_weave *weave, rh_strand a, rh_expr exponent)
{
    const uint32_t words[] = {rh__weave_settle(weave, a), rh__weave_constant(weave, exponent)};
    return rh__strand_value(weave, rh__weave_knot(weave, RH_TAPE_POWER, words, 1, 2));
}

rh_strand rh__weave_primitive(rh_weave *weave, rh_tape_code code, rh_strand a)
{
    RH_ASSERT(RH_TAPE_LOG <= code && code <= RH_TAPE_ATAN);
    const rh_strand it = rh__strand_value(weave, rh__weave_settle(weave, a));
    rh_strand companion = it;
    if (code != RH_TAPE_LOG) {
        const rh_strand one = rh__strand_constant(weave->one);
        const rh_strand square = rh__weave_multiply(weave, it, it);
        const rh_strand terms[] = {one,
                                   code == RH_TAPE_ATAN ? square : rh__weave_negate(weave, square)};
        companion = rh__weave_sum(weave, terms, 2);
        if (code != RH_TAPE_ATAN) {
            companion = rh__weave_function(weave, RH_TAPE_ROOT, companion, 0);
        }
    }
    const uint32_t words[] = {it.id, rh__weave_settle(weave, companion)};
    return rh__strand_value(weave, rh__weave_knot(weave, code, words, 2, 2));
}

rh_strand rh__weave_angle(rh_weave *weave, rh_strand a, rh_strand b)
{
    const rh_strand x = rh__strand_value(weave, rh__weave_settle(weave, a));
    const rh_strand y = rh__strand_value(weave, rh__weave_settle(weave, b));
    const rh_strand squares[] = {rh__weave_multiply(weave, x, x), rh__weave_multiply(weave, y, y)};
    const uint32_t words[] = {x.id, y.id,
                              rh__weave_settle(weave, rh__weave_sum(weave, squares, 2))};
    return rh__strand_value(weave, rh__weave_knot(weave, RH_TAPE_ANGLE, words, 3, 3));
}

rh_strand rh__weave_switch(rh_weave *weave, rh_strand surface, rh_switch_rule rule, rh_expr source)
{
    const uint32_t words[] = {rh__weave_settle(weave, surface), (uint32_t)rule};
    const uint32_t before = weave->knots.count;
    const uint32_t truth = rh__weave_knot(weave, RH_TAPE_SWITCH, words, 1, 2);
    if (weave->knots.count > before) {
        const rh_tape_switch made = {rule, words[0], truth, source};
        (void)is_well(weave, rh__array_push(&weave->scratch, &weave->switches, made));
    }
    return rh__strand_value(weave, truth);
}

rh_strand rh__weave_logic(rh_weave *weave, rh_tape_code code, rh_strand a, rh_strand b)
{
    RH_ASSERT(RH_TAPE_AND <= code && code <= RH_TAPE_NOT);
    uint32_t words[] = {rh__weave_settle(weave, a), rh__weave_settle(weave, b)};
    const uint32_t arity = code == RH_TAPE_NOT ? 1 : 2;
    if (arity == 2) {
        sort_pair(words);
    }
    return rh__strand_value(weave, rh__weave_knot(weave, code, words, arity, arity));
}

rh_strand rh__weave_choose(rh_weave *weave, rh_strand truth, rh_strand yes, rh_strand no)
{
    const bool is_yes = yes.id == RH_SLOT_NONE;
    const bool is_no = no.id == RH_SLOT_NONE;
    const uint32_t words[] = {rh__weave_settle(weave, truth),
                              is_yes ? rh__weave_settle(weave, yes) : yes.id,
                              is_no ? rh__weave_settle(weave, no) : no.id,
                              rh__weave_constant(weave, is_yes ? weave->one : yes.weight),
                              rh__weave_constant(weave, is_no ? weave->one : no.weight)};
    return rh__strand_value(weave, rh__weave_knot(weave, RH_TAPE_CHOOSE, words, 3, 5));
}

// --- ratios ----------------------------------------------------------------------------------

static uint32_t radius_constant(rh_weave *weave, double radius)
{
    RH_ASSERT(radius > 0.0);
    char digits[32];
    const int size = rh__text_fill(digits, sizeof digits, "%.17g", radius);
    const rh_expr number = rh__expr_literal(weave->store, (rh_slice){digits, (size_t)size});
    return rh__weave_constant(weave, noticed(weave, number));
}

rh_strand rh__weave_within(rh_weave *weave, rh_strand a, double radius)
{
    const uint32_t words[] = {rh__weave_settle(weave, a), radius_constant(weave, radius)};
    return rh__strand_value(weave, rh__weave_knot(weave, RH_TAPE_WITHIN, words, 1, 2));
}

rh_strand rh__weave_near(rh_weave *weave, rh_strand a, double radius, rh_expr index, rh_expr n)
{
    RH_ASSERT(rh__expr_is_number(weave->store, index) && rh__expr_is_number(weave->store, n));
    const uint32_t words[] = {rh__weave_settle(weave, a), radius_constant(weave, radius),
                              rh__weave_constant(weave, index), rh__weave_constant(weave, n)};
    return rh__strand_value(weave, rh__weave_knot(weave, RH_TAPE_NEAR, words, 1, 4));
}
