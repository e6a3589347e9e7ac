// SPDX-License-Identifier: Apache-2.0
// A series in straight lines: every coefficient is a local variable, s<slot>_<order>. What is zero
// for every point (higher coefficients of the time, of constants) is left out. d<slot>_<k> is k
// times a coefficient, p<sum>_<k> a sum over finished orders, r<slot> what a recurrence divides by.

#include "tape/chain.h"

#include <math.h>

// --- sums over finished orders -------------------------------------------------------------------

static bool *sum_at(const rh_emission *in, uint32_t sum)
{
    return &in->has_sum[sum];
}

static void sum_products(rh_emission *in, uint32_t k)
{
    const rh_tape_pairs *pairs = &in->tape->products;
    for (uint32_t i = 0; i < pairs->count; i++) {
        if (rh__pack_has(in, i, k)) {
            continue;
        }
        rh_chain c = rh__chain_begin(in, 'p', i, k);
        for (uint32_t j = 1; j < k; j++) {
            rh__chain_pair(&c, 1, pairs->left[i], j, pairs->right[i], k - j);
        }
        *sum_at(in, i) = c.is_begun;
    }
}

static void sum_squares(rh_emission *in, uint32_t k)
{
    const rh_tape_pairs *pairs = &in->tape->squares;
    for (uint32_t i = 0; i < pairs->count; i++) {
        rh_chain c = rh__chain_begin(in, 'p', in->tape->products.count + i, k);
        for (uint32_t j = 1; 2 * j < k; j++) {
            rh__chain_pair(&c, 1, pairs->left[i], j, pairs->left[i], k - j);
        }
        rh__chain_scale(&c, 1, rh__label_number(2.0));
        if (k % 2 == 0) {
            rh__chain_pair(&c, 1, pairs->left[i], k / 2, pairs->left[i], k / 2);
        }
        *sum_at(in, c.index) = c.is_begun;
    }
}

static void sum_moments(rh_emission *in, uint32_t k)
{
    const rh_tape_pairs *pairs = &in->tape->moments;
    const uint32_t first = in->tape->products.count + in->tape->squares.count;
    for (uint32_t i = 0; i < pairs->count; i++) {
        if (rh__pack_has(in, first + i, k)) {
            continue;
        }
        rh_chain c = rh__chain_begin(in, 'p', first + i, k);
        for (uint32_t j = 1; j < k; j++) {
            const uint32_t left = pairs->left[i];
            if (!*rh__chain_zero(in, left, j) && !*rh__chain_zero(in, pairs->right[i], k - j)) {
                rh__chain_product(&c, 1, rh__label_name(j > 1 ? 'd' : 's', left, j),
                                  rh__label_coefficient(pairs->right[i], k - j));
            }
        }
        *sum_at(in, c.index) = c.is_begun;
    }
}

// One operation of a group: its operands, its sums.
typedef struct spot {
    rh_emission *in;
    const rh_tape_group *group;
    uint32_t i, k;
    uint32_t a, b, c; // operands: first, second (or last), last
    uint32_t out;
} spot;

static void add_sum(rh_chain *c, int sign, uint32_t sum, double factor)
{
    if (!c->in->has_sum[sum]) {
        return;
    }
    if (factor == 1.0) {
        rh__chain_plain(c, sign, rh__label_name('p', sum, c->k));
    } else {
        rh__chain_product(c, sign, rh__label_number(factor), rh__label_name('p', sum, c->k));
    }
}

// --- operations ----------------------------------------------------------------------------------

// Order k > 0 of one operation; the rules are those of jet.c.
typedef void grower(const spot *at, rh_chain *c);

static bool moves(const spot *at, uint32_t slot)
{
    return !*rh__chain_zero(at->in, slot, at->k);
}

static uint32_t sum_of(const spot *at)
{
    return at->group->sum + at->i;
}

static void grow_linear(const spot *at, rh_chain *c)
{
    const rh_tape_group *group = at->group;
    const uint32_t bias = group->weight + group->arity * group->count + at->i;
    if (at->k == 0 && rh__emit_literal(at->in, bias) != 0.0) {
        rh__chain_plain(c, 1, rh__label_weight(at->in, bias));
    }
    for (uint32_t j = 0; j < group->arity; j++) {
        const uint32_t place = j * group->count + at->i;
        rh__chain_weighted(c, 1, group->weight + place,
                           at->in->tape->operands[group->operand + place], at->k);
    }
}

static void grow_multiply(const spot *at, rh_chain *c)
{
    add_sum(c, 1, sum_of(at), 1.0);
    rh__chain_pair(c, 1, at->a, 0, at->b, at->k);
    rh__chain_pair(c, 1, at->a, at->k, at->b, 0);
}

// "r5 = 1.0 / s3_0", once; or another sign in between
static void keep_factor(const spot *at, const char *before, uint32_t slot)
{
    if (at->k == 1) {
        rh__text_format(at->in->out, "    const V r%u = %s s%u_0;\n", at->out, before, slot);
    }
}

static rh_label factor_of(const spot *at)
{
    rh_label made;
    (void)rh__text_fill(made.text, sizeof made.text, "r%u", at->out);
    return made;
}

static void grow_square(const spot *at, rh_chain *c)
{
    keep_factor(at, "2.0 *", at->a);
    add_sum(c, 1, sum_of(at), 1.0);
    if (moves(at, at->a)) {
        rh__chain_product(c, 1, factor_of(at), rh__label_coefficient(at->a, at->k));
    }
}

static void grow_divide(const spot *at, rh_chain *c)
{
    keep_factor(at, "1.0 /", at->b);
    if (moves(at, at->a)) {
        rh__chain_plain(c, 1, rh__label_coefficient(at->a, at->k));
    }
    add_sum(c, -1, sum_of(at), 1.0);
    rh__chain_pair(c, -1, at->b, at->k, at->out, 0);
    rh__chain_scale(c, 1, factor_of(at));
}

static void grow_reciprocal(const spot *at, rh_chain *c)
{
    add_sum(c, 1, sum_of(at), 1.0);
    rh__chain_pair(c, 1, at->a, at->k, at->out, 0);
    rh__chain_scale(c, -1, rh__label_coefficient(at->out, 0));
}

static void grow_root(const spot *at, rh_chain *c)
{
    keep_factor(at, "0.5 /", at->out);
    if (moves(at, at->a)) {
        rh__chain_plain(c, 1, rh__label_coefficient(at->a, at->k));
    }
    add_sum(c, -1, sum_of(at), 1.0);
    rh__chain_scale(c, 1, factor_of(at));
}

static void grow_power(const spot *at, rh_chain *c)
{
    const rh_label exponent = rh__label_weight(at->in, at->group->weight + at->i);
    rh_label factor;
    keep_factor(at, "1.0 /", at->a);
    if (at->in->has_sum[sum_of(at)]) {
        (void)rh__text_fill(factor.text, sizeof factor.text, "x%u_%u", at->out, at->k);
        rh__text_format(at->in->out, "    const V %s = (%s + 1.0) * %.17g;\n", factor.text,
                        exponent.text, 1.0 / at->k);
        rh__chain_product(c, 1, factor, rh__label_name('p', sum_of(at), at->k));
    }
    add_sum(c, -1, at->group->other + at->i, 1.0);
    if (moves(at, at->a)) {
        (void)rh__text_fill(factor.text, sizeof factor.text, "e%u_%u", at->out, at->k);
        rh__text_format(at->in->out, "    const V %s = %s * s%u_%u;\n", factor.text, exponent.text,
                        at->a, at->k);
        rh__chain_product(c, 1, factor, rh__label_coefficient(at->out, 0));
    }
    rh__chain_scale(c, 1, factor_of(at));
}

static void grow_exp(const spot *at, rh_chain *c)
{
    add_sum(c, 1, sum_of(at), 1.0 / at->k);
    rh__chain_pair(c, 1, at->a, at->k, at->out, 0);
}

// sin, sinh, tanh: the second output is the derivative
static void grow_first(const spot *at, rh_chain *c)
{
    add_sum(c, 1, sum_of(at), 1.0 / at->k);
    rh__chain_pair(c, 1, at->a, at->k, at->out + at->group->count, 0);
}

static void grow_primitive(const spot *at, rh_chain *c)
{
    keep_factor(at, "1.0 /", at->c);
    if (moves(at, at->a)) {
        rh__chain_plain(c, at->group->code == RH_TAPE_ACOS ? -1 : 1,
                        rh__label_coefficient(at->a, at->k));
    }
    add_sum(c, -1, sum_of(at), 1.0 / at->k);
    rh__chain_scale(c, 1, factor_of(at));
}

static void grow_angle(const spot *at, rh_chain *c)
{
    const uint32_t n = at->group->count;
    keep_factor(at, "1.0 /", at->c);
    add_sum(c, 1, sum_of(at), 1.0 / at->k);
    add_sum(c, -1, sum_of(at) + n, 1.0 / at->k);
    add_sum(c, -1, sum_of(at) + 2 * n, 1.0 / at->k);
    rh__chain_pair(c, 1, at->a, at->k, at->b, 0);
    rh__chain_pair(c, -1, at->b, at->k, at->a, 0);
    rh__chain_scale(c, 1, factor_of(at));
}

static void grow_choose(const spot *at, rh_chain *c)
{
    const uint32_t slots[] = {at->b, at->c};
    const uint32_t weights[] = {at->group->weight + at->i,
                                at->group->weight + at->group->count + at->i};
    rh_label sides[2];
    bool is_moving = false;
    for (uint32_t j = 0; j < 2; j++) {
        rh_chain side = rh__chain_begin(at->in, j == 0 ? 'y' : 'n', at->out, at->k);
        rh__chain_weighted(&side, 1, weights[j], slots[j], at->k);
        sides[j] =
            side.is_begun ? rh__label_name(side.letter, at->out, at->k) : rh__label_number(0.0);
        is_moving = is_moving || side.is_begun;
    }
    if (is_moving) {
        rh__chain_open(c);
        rh__text_format(at->in->out, "CHOICE(s%u_0 != 0.0, %s, %s);\n", at->a, sides[0].text,
                        sides[1].text);
        c->is_begun = true;
    }
}

// Truths do not change.
static void grow_truth(const spot *at, rh_chain *c)
{
    (void)at;
    (void)c;
}

static grower *const GROWERS[RH_TAPE_CODE_COUNT] = {[RH_TAPE_LINEAR] = grow_linear,
                                                    [RH_TAPE_MULTIPLY] = grow_multiply,
                                                    [RH_TAPE_SQUARE] = grow_square,
                                                    [RH_TAPE_DIVIDE] = grow_divide,
                                                    [RH_TAPE_RECIPROCAL] = grow_reciprocal,
                                                    [RH_TAPE_ROOT] = grow_root,
                                                    [RH_TAPE_POWER] = grow_power,
                                                    [RH_TAPE_EXP] = grow_exp,
                                                    [RH_TAPE_SINCOS] = grow_first,
                                                    [RH_TAPE_SINHCOSH] = grow_first,
                                                    [RH_TAPE_TANH] = grow_first,
                                                    [RH_TAPE_LOG] = grow_primitive,
                                                    [RH_TAPE_ASIN] = grow_primitive,
                                                    [RH_TAPE_ACOS] = grow_primitive,
                                                    [RH_TAPE_ATAN] = grow_primitive,
                                                    [RH_TAPE_ANGLE] = grow_angle,
                                                    [RH_TAPE_SWITCH] = grow_truth,
                                                    [RH_TAPE_AND] = grow_truth,
                                                    [RH_TAPE_OR] = grow_truth,
                                                    [RH_TAPE_NOT] = grow_truth,
                                                    [RH_TAPE_WITHIN] = grow_truth,
                                                    [RH_TAPE_NEAR] = grow_truth,
                                                    [RH_TAPE_CHOOSE] = grow_choose};

static bool has_second(rh_tape_code code)
{
    return code == RH_TAPE_SINCOS || code == RH_TAPE_SINHCOSH || code == RH_TAPE_TANH;
}

// The second of two outputs, which lies a group length behind the first.
static void grow_second(const spot *at)
{
    const uint32_t n = at->group->count;
    rh_chain c = rh__chain_begin(at->in, 's', at->out + n, at->k);
    if (at->group->code == RH_TAPE_TANH) { // w_k = -Q(y) - 2 y_0 y_k
        keep_factor(at, "2.0 *", at->out);
        add_sum(&c, -1, at->group->other + at->i, 1.0);
        if (moves(at, at->out)) {
            rh__chain_product(&c, -1, factor_of(at), rh__label_coefficient(at->out, at->k));
        }
    } else {
        const int sign = at->group->code == RH_TAPE_SINCOS ? -1 : 1;
        add_sum(&c, sign, sum_of(at) + n, 1.0 / at->k);
        rh__chain_pair(&c, sign, at->a, at->k, at->out, 0);
    }
    rh__chain_finish(&c);
}

// Order 0 of one output.
static void value(const spot *at, uint32_t out, bool is_second)
{
    const rh_tape_group *group = at->group;
    const rh_label a = rh__label_coefficient(at->a, 0);
    const rh_label b = rh__label_coefficient(at->b, 0);
    const rh_label c = rh__label_coefficient(at->c, 0);
    const bool has_weights = rh__emit_has_weight(group->code);
    const rh_label w = has_weights ? rh__label_weight(at->in, group->weight + at->i) : a;
    const rh_label v = group->code == RH_TAPE_CHOOSE
                           ? rh__label_weight(at->in, group->weight + group->count + at->i)
                           : a;
    const rh_label y = rh__label_coefficient(at->out, 0);
    const rh_phrase words = {.words = {['a'] = a.text,
                                       ['b'] = b.text,
                                       ['c'] = c.text,
                                       ['w'] = w.text,
                                       ['v'] = v.text,
                                       ['y'] = y.text}};
    rh__text_format(at->in->out, "    const V s%u_0 = ", out);
    if (group->code == RH_TAPE_SWITCH) {
        rh__emit_decision(at->in, group->weight + at->i, a.text);
    } else {
        rh__emit_phrase(at->in->out, rh__emit_value_form(group->code, is_second), &words);
    }
    rh__text_put(at->in->out, ";\n");
    if (group->code == RH_TAPE_NEAR) { // the interpreter knows the series
        rh__text_format(at->in->out, "    sane = sane + s%u_0;\n", out);
    }
    rh__emit_count(at->in, 1);
    rh__chain_publish(at->in, out, 0);
}

// --- blocks --------------------------------------------------------------------------------------

static void read_entries(rh_emission *in, uint32_t index)
{
    const rh_tape_block *block = &in->tape->blocks[index];
    if (block->saddle != NULL) {
        rh__text_format(in->out, "    V *const v%u = A%u + %zu;\n", index, index,
                        rh__emit_values_room(block));
    } else {
        rh__text_format(in->out, "    V v%u[%u];\n", index, block->entry_count + 1);
    }
    for (uint32_t k = 0; k < block->entry_count; k++) {
        const uint32_t slot = block->entries[k].value.slot;
        const rh_label weight = rh__label_weight(in, block->weight + k);
        rh__text_format(in->out, "    v%u[%u] = %s%s%s;\n", index,
                        rh__emit_entry_place(in, index, k), weight.text,
                        slot == RH_SLOT_NONE ? "" : " * ",
                        slot == RH_SLOT_NONE ? "" : rh__label_coefficient(slot, 0).text);
    }
    rh__emit_count(in, block->entry_count);
}

// b_k - sum_{j=1..k} K_j z_{k-j}, row by row; at order 0 the right side alone.
static void write_right(rh_emission *in, const rh_tape_block *block, uint32_t row, uint32_t k)
{
    const uint32_t weight = block->weight + block->entry_count;
    rh_chain c = rh__chain_begin(in, 'b', block->first + row, k);
    if (block->right[row].slot != RH_SLOT_NONE) {
        rh__chain_weighted(&c, 1, weight + row, block->right[row].slot, k);
    } else if (k == 0) {
        rh__chain_plain(&c, 1, rh__label_weight(in, weight + row));
    }
    for (uint32_t j = block->share_begin[row]; k > 0 && j < block->share_begin[row + 1]; j++) {
        const uint32_t sum = block->sums.first + block->share_sum[j];
        const double literal = rh__emit_literal(in, weight + block->n + j);
        if (in->has_sum[sum] && fabs(literal) == 1.0) {
            rh__chain_plain(&c, literal < 0.0 ? 1 : -1, rh__label_name('p', sum, k));
        } else if (in->has_sum[sum]) {
            rh__chain_product(&c, -1, rh__label_weight(in, weight + block->n + j),
                              rh__label_name('p', sum, k));
        }
    }
    if (!c.is_begun) {
        rh__chain_plain(&c, 1, rh__label_number(0.0));
    }
}

// The sums of the shares get their last term: it needs no unknown of order k.
static void complete_shares(rh_emission *in, const rh_tape_block *block, uint32_t k)
{
    for (uint32_t j = 0; k > 0 && j < block->sums.count; j++) {
        const uint32_t sum = block->sums.first + j;
        rh_chain c = rh__chain_begin(in, 'p', sum, k);
        c.is_begun = in->has_sum[sum];
        rh__chain_pair(&c, 1, in->tape->products.left[sum], k, in->tape->products.right[sum], 0);
        in->has_sum[sum] = c.is_begun;
    }
}

static void solve(rh_emission *in, uint32_t index, uint32_t k)
{
    const rh_tape_block *block = &in->tape->blocks[index];
    rh_label b;
    (void)rh__text_fill(b.text, sizeof b.text, "z%u_%u", index, k);
    complete_shares(in, block, k);
    for (uint32_t row = 0; row < block->n; row++) {
        write_right(in, block, row, k);
    }
    rh__text_format(in->out, "    V %s[%u];\n", b.text, block->n);
    for (uint32_t row = 0; row < block->n; row++) {
        rh__text_format(in->out, "    %s[%u] = b%u_%u;\n", b.text, row, block->first + row, k);
    }
    if (k == 0 && block->factor == index) {
        read_entries(in, index);
    }
    if (k == 0) {
        rh__emit_block_begin(in, index, b.text);
    } else {
        rh__emit_block_solve(in, index, b.text);
    }
    for (uint32_t row = 0; row < block->n; row++) {
        rh__text_format(in->out, "    const V s%u_%u = %s[%u];\n", block->first + row, k, b.text,
                        row);
        rh__chain_publish(in, block->first + row, k);
    }
}

// --- orders --------------------------------------------------------------------------------------

static void write_group(rh_emission *in, const rh_tape_group *group, uint32_t k)
{
    const uint32_t *operands = in->tape->operands + group->operand;
    if (group->code == RH_TAPE_SOLVE) {
        for (uint32_t i = 0; i < group->count; i++) {
            solve(in, group->operand + i, k);
        }
        return;
    }
    for (uint32_t i = 0; i < group->count; i++) {
        const uint32_t last = group->arity > 0 ? group->arity - 1 : 0;
        const bool has_operands = group->code != RH_TAPE_LINEAR;
        const spot at = {.in = in,
                         .group = group,
                         .i = i,
                         .k = k,
                         .a = has_operands ? operands[i] : 0,
                         .b = has_operands ? operands[(last > 0 ? 1 : 0) * group->count + i] : 0,
                         .c = has_operands ? operands[last * group->count + i] : 0,
                         .out = group->first + i};
        if (k == 0 && group->code != RH_TAPE_LINEAR) {
            value(&at, at.out, false);
        } else {
            rh_chain c = rh__chain_begin(in, 's', at.out, k);
            GROWERS[group->code](&at, &c);
            rh__chain_finish(&c);
        }
        if (has_second(group->code) && k == 0) {
            value(&at, at.out + group->count, true);
        } else if (has_second(group->code)) {
            grow_second(&at);
        }
    }
}

static void write_feeds(rh_emission *in, uint32_t k)
{
    const rh_tape *tape = in->tape;
    for (uint32_t i = 0; i < tape->feed_count; i++) {
        const uint32_t slot = tape->feed_first + 2 * i;
        if (k == 0) {
            rh__text_format(in->out,
                            "    const V s%u_0 = F(FEED(%u), s0_0 - FEED(%u), FEED(%u));\n"
                            "    const V s%u_0 = FEED(%u);\n",
                            slot, 3 * i + 2, 3 * i, 3 * i + 1, slot + 1, 3 * i + 2);
        } else if (k == 1) {
            rh__text_format(in->out, "    const V s%u_1 = FEED(%u);\n", slot, 3 * i + 2);
        }
        *rh__chain_zero(in, slot, k) = k > 1;
        *rh__chain_zero(in, slot + 1, k) = k > 0;
        rh__chain_publish(in, slot, k);
        rh__chain_publish(in, slot + 1, k);
    }
}

// Coefficient k of the time and of x, from the rates of order k - 1.
static void write_inputs(rh_emission *in, uint32_t k)
{
    for (uint32_t i = 0; k == 0 && i <= in->n; i++) {
        rh__text_format(in->out, "    const V s%u_0 = IN(0, %u);\n", i, i);
    }
    for (uint32_t i = 0; k > 0 && i <= in->n; i++) {
        rh_chain c = rh__chain_begin(in, 's', i, k);
        if (i == 0 && k == 1) {
            rh__chain_plain(&c, 1, rh__label_number(1.0));
        } else if (i > 0 && !*rh__chain_zero(in, in->tape->outputs[i - 1], k - 1)) {
            const rh_label rate = rh__label_coefficient(in->tape->outputs[i - 1], k - 1);
            if (k == 1) {
                rh__chain_plain(&c, 1, rate);
            } else {
                rh__chain_product(&c, 1, rate, rh__label_number(1.0 / k));
            }
        }
        rh__chain_finish(&c);
        if (k == in->order && c.is_begun) {
            rh__text_format(in->out, "    sane = F(K(0.0), s%u_%u, sane);\n", i, k);
        }
    }
    if (k == 0) {
        for (uint32_t i = 0; i <= in->n; i++) {
            rh__chain_publish(in, i, 0);
        }
    }
}

static void write_order(rh_emission *in, uint32_t k)
{
    rh__text_format(in->out, "    /* order %u */\n", k);
    write_inputs(in, k);
    if (k == in->order) {
        return;
    }
    write_feeds(in, k);
    if (k > 0) {
        rh__pack_sums(in, k);
        sum_products(in, k);
        sum_squares(in, k);
        sum_moments(in, k);
    }
    for (uint32_t g = 0; g < in->tape->group_count; g++) {
        write_group(in, &in->tape->groups[g], k);
    }
    rh__pack_row(in, k);
}

static rh_status reserve(rh_emission *in)
{
    const rh_tape *tape = in->tape;
    const size_t sums = (size_t)tape->products.count + tape->squares.count + tape->moments.count;
    in->is_zero =
        rh__arena_array(in->scratch, bool, ((size_t)in->order + 1) * tape->slot_count + 1);
    in->has_double = rh__arena_array(in->scratch, bool, (size_t)tape->slot_count + 1);
    in->has_sum = rh__arena_array(in->scratch, bool, sums + 1);
    if (in->is_zero == NULL || in->has_double == NULL || in->has_sum == NULL) {
        return in->scratch->status;
    }
    for (uint32_t k = 0; k < tape->moments.count; k++) {
        in->has_double[tape->moments.left[k]] = true;
    }
    return RH_OK;
}

// Weights that are not literals, once.
static void read_weights(rh_emission *in)
{
    for (uint32_t k = 0; k < in->tape->weight_count; k++) {
        const double literal = rh__emit_literal(in, k);
        if (literal != literal) {
            rh__text_format(in->out, "    const V w%u = W(%u);\n", k, k);
        }
    }
}

static void write_orders(rh_emission *in)
{
    for (uint32_t k = 0; k <= in->order; k++) {
        write_order(in, k);
    }
}

// Which coefficients are zero: all is done once without a text.
static rh_status find_zeros(const rh_emission *in)
{
    rh_text nothing = {.arena = in->scratch, .ok = false};
    rh_emission trial = *in;
    trial.out = &nothing;
    write_orders(&trial);
    return trial.status;
}

rh_status rh__emit_unrolled(rh_emission *in)
{
    RH_TRY(reserve(in));
    RH_TRY(find_zeros(in));
    if (!rh__pack_plan(in)) {
        return in->scratch->status;
    }
    rh__pack_words(in);
    rh__emit_head(in);
    rh__emit_factor_room(in, NULL);
    rh__pack_room(in);
    read_weights(in);
    write_orders(in);
    rh__emit_tail(in);
    return RH_OK;
}
