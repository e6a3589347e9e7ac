// SPDX-License-Identifier: Apache-2.0
// A series in loops: over orders, and over the operations of a group. Coefficient k of slot s is
// J[k * STRIDE + s], in the jet itself or, of lanes, in the work array; lo is row 0 and hi row k.
// Operands that lie side by side are counted up, others are found by tables. Small groups and
// blocks are written out.

#include "tape/refrain.h"

#include <math.h>
#include <string.h>

enum {
    SMALL = 3, // operations up to which a group has no loop
    LONG = 8,  // and from which on a run has one of its own
    TWICE = 32 // ... and its last ones are done twice, if they are not eight: what was just
               // written is slow to read at other places, so this pays only behind many others
};

typedef struct word {
    char text[96];
} word;

// One group, or one operation of a small one.
typedef struct place {
    rh_emission *in;
    const rh_tape_group *group;
    bool has_loop;
    bool has_chunks; // eight operations at a time
    bool has_tables; // operands do not lie side by side
    uint32_t begin;  // of the loop
    uint32_t i;
} place;

// Is as much of two operations left above order 0?
static bool are_alike(const rh_emission *in, const rh_tape_group *group, uint32_t i, uint32_t other)
{
    bool ok = in->is_idle[group->first + i] == in->is_idle[group->first + other] &&
              in->is_ahead[group->first + i] == in->is_ahead[group->first + other];
    for (uint32_t j = 0; ok && j < group->arity; j++) {
        const size_t row = group->operand + (size_t)j * group->count;
        const uint32_t *slots = in->tape->operands + row;
        ok = in->is_dropped[row + i] == in->is_dropped[row + other] &&
             (in->ladders.count == 0 || in->ladder_of[slots[i]] == in->ladder_of[slots[other]]);
    }
    return ok;
}

// How far all operands of a group lie side by side from operation `begin` on.
static uint32_t run_end(const rh_emission *in, const rh_tape_group *group, uint32_t begin)
{
    const uint32_t *list = in->tape->operands + group->operand;
    for (uint32_t end = begin + 1; end < group->count; end++) {
        if (!are_alike(in, group, begin, end)) {
            return end;
        }
        for (uint32_t j = 0; j < group->arity; j++) {
            const size_t row = (size_t)j * group->count;
            if (list[row + end] != list[row + begin] + end - begin) {
                return end;
            }
        }
    }
    return group->count;
}

// A number that counts up with the operation.
static word counted(const place *at, const char *array, uint32_t first)
{
    word made;
    if (at->has_chunks) {
        (void)rh__text_fill(made.text, sizeof made.text, "chunk(%s + %u + i)", array, first);
    } else {
        (void)rh__text_fill(made.text, sizeof made.text, at->has_loop ? "%s[%u + i]" : "%s[%u]",
                            array, at->has_loop ? first : first + at->i);
    }
    return made;
}

// Where a coefficient is read: in `row`, or one of a ladder where it comes from.
typedef struct source {
    const char *row, *factor;
    uint32_t slot;
} source;

// Order k of v comes from a_(k-1), order k + 1 of x, which is ahead, from the same, and order 1 of
// x from v_0. What is looked up in tables is kept.
static source source_of(const place *at, const char *row, uint32_t slot)
{
    const rh_emission *in = at->in;
    const source itself = {.row = row, .factor = "", .slot = slot};
    if (in->ladders.count == 0 || in->ladder_of[slot] == 0 || strcmp(row, "hi") != 0 ||
        at->has_tables) {
        return itself;
    }
    const rh_ladder *it = &in->ladders.data[(in->ladder_of[slot] - 1) / 2];
    const bool is_x = in->ladder_of[slot] % 2 == 1;
    if (is_x != in->is_ahead[at->group->first + (at->has_loop ? at->begin : at->i)]) {
        return itself;
    }
    if (is_x && in->is_first) {
        return (source){.row = "(hi - STRIDE)", .factor = "", .slot = slot - it->x + it->v};
    }
    return is_x ? (source){.row = "(hi - 2 * STRIDE)",
                           .factor = " * by * next",
                           .slot = slot - it->x + it->a}
                : (source){.row = "(hi - STRIDE)", .factor = " * by", .slot = slot - it->v + it->a};
}

static word operand(const place *at, const char *row, uint32_t j)
{
    const rh_tape_group *group = at->group;
    const uint32_t begin = group->operand + j * group->count;
    const uint32_t *list = at->in->tape->operands + begin;
    const source from = source_of(at, row, list[at->has_loop ? at->begin : at->i]);
    word made;
    if (!at->has_loop) {
        (void)rh__text_fill(made.text, sizeof made.text, "(%s[%u]%s)", from.row, from.slot,
                            from.factor);
    } else if (at->has_tables) {
        (void)rh__text_fill(made.text, sizeof made.text, "%s[t%u[i]]", row, at->in->mark + begin);
    } else {
        const int64_t offset = (int64_t)from.slot - at->begin;
        (void)rh__text_fill(made.text, sizeof made.text,
                            at->has_chunks ? "(chunk(%s + (i + %lld))%s)" : "(%s[i + %lld]%s)",
                            from.row, (long long)offset, from.factor);
    }
    return made;
}

// Weights that all operations share are literals.
static word weight(const place *at, uint32_t first)
{
    const double literal = rh__emit_literal(at->in, first + (at->has_loop ? 0 : at->i));
    bool is_shared = literal == literal;
    for (uint32_t k = 0; at->has_loop && is_shared && k < at->group->count; k++) {
        is_shared = rh__emit_literal(at->in, first + k) == literal;
    }
    word made;
    if (is_shared && at->has_chunks) {
        (void)rh__text_fill(made.text, sizeof made.text, "(%.17g - (C){0})", literal);
    } else if (is_shared) {
        (void)rh__text_fill(made.text, sizeof made.text, "K(%.17g)", literal);
    } else if (at->has_chunks) {
        made = counted(at, "p->weight", first);
    } else {
        (void)rh__text_fill(made.text, sizeof made.text, at->has_loop ? "W(%u + i)" : "W(%u)",
                            at->has_loop ? first : first + at->i);
    }
    return made;
}

// --- tables --------------------------------------------------------------------------------------

// Has a group runs that are too short for loops of their own?
static bool has_short_runs(const rh_emission *in, const rh_tape_group *group)
{
    for (uint32_t begin = 0, end = 0; begin < group->count; begin = end) {
        end = run_end(in, group, begin);
        if (end - begin < LONG && end < group->count) {
            return true;
        }
    }
    return false;
}

bool rh__emit_has_tables(const rh_emission *in, const rh_tape_group *group)
{
    return group->code != RH_TAPE_SOLVE && group->count > SMALL && has_short_runs(in, group);
}

static void write_tables(rh_emission *in)
{
    const rh_tape *tape = in->tape;
    char name[32];
    for (uint32_t g = 0; g < tape->group_count; g++) {
        const rh_tape_group *group = &tape->groups[g];
        for (uint32_t j = 0; rh__emit_has_tables(in, group) && j < group->arity; j++) {
            const uint32_t begin = group->operand + j * group->count;
            (void)rh__text_fill(name, sizeof name, "t%u", in->mark + begin);
            rh__refrain_table(in, name, tape->operands + begin, group->count);
        }
    }
}

// --- groups --------------------------------------------------------------------------------------

// Order k > 0; the rules are those of jet.c, and `by` is 1 / k.
static const char *const ORDERS[RH_TAPE_CODE_COUNT] = {
    [RH_TAPE_MULTIPLY] = "$F($a, $B, $F($A, $b, $s))",
    [RH_TAPE_SQUARE] = "$F(2.0 * $a, $A, $s)",
    [RH_TAPE_DIVIDE] = "$F(-$y, $B, $A - $s) / $b",
    [RH_TAPE_RECIPROCAL] = "$F($A, $y, $s) * -$y",
    [RH_TAPE_ROOT] = "0.5 * ($A - $s) / $y",
    [RH_TAPE_POWER] = "$F($w * $A, $y, $F(($w + 1.0) * by, $s, 0.0 - $t)) / $a",
    [RH_TAPE_EXP] = "$F($A, $y, $s * by)",
    [RH_TAPE_SINCOS] = "$F($A, $z, $s * by)",
    [RH_TAPE_SINHCOSH] = "$F($A, $z, $s * by)",
    [RH_TAPE_TANH] = "$F($A, $z, $s * by)",
    [RH_TAPE_LOG] = "($A - $s * by) / $c",
    [RH_TAPE_ASIN] = "($A - $s * by) / $c",
    [RH_TAPE_ACOS] = "(0.0 - $A - $s * by) / $c",
    [RH_TAPE_ATAN] = "($A - $s * by) / $c",
    [RH_TAPE_ANGLE] = "($F($A, $b, ($s - $t - $u) * by) - $B * $a) / $c",
    [RH_TAPE_SWITCH] = "K(0.0)",
    [RH_TAPE_AND] = "K(0.0)",
    [RH_TAPE_OR] = "K(0.0)",
    [RH_TAPE_NOT] = "K(0.0)",
    [RH_TAPE_WITHIN] = "K(0.0)",
    [RH_TAPE_NEAR] = "K(0.0)",
    [RH_TAPE_CHOOSE] = "CHOICE($a != 0.0, $w * $B, $v * $C)"};

static const char *second_form(rh_tape_code code)
{
    return code == RH_TAPE_SINCOS     ? "$F(-$y, $A, $t * -by)"
           : code == RH_TAPE_SINHCOSH ? "$F($A, $y, $t * by)"
                                      : "$F(-2.0 * $y, $Y, 0.0 - $t)";
}

// An expression of one output with all words filled in.
static void put_form(const place *at, const char *form)
{
    const rh_tape_group *group = at->group;
    const uint32_t last = group->arity - 1;
    const uint32_t n = group->count;
    const bool has_other = group->code == RH_TAPE_POWER || group->code == RH_TAPE_TANH;
    const bool has_weight = rh__emit_has_weight(group->code);
    const word a = operand(at, "lo", 0);
    const word b = operand(at, "lo", last > 0 ? 1 : 0);
    const word c = operand(at, "lo", last);
    const word high_a = operand(at, "hi", 0);
    const word high_b = operand(at, "hi", last > 0 ? 1 : 0);
    const word high_c = operand(at, "hi", last);
    const word y = counted(at, "lo", group->first);
    const word z = counted(at, "lo", group->first + n);
    const word high_y = counted(at, "hi", group->first);
    const word s = counted(at, "S", group->sum);
    const word t = counted(at, "S", has_other ? group->other : group->sum + n);
    const word u = counted(at, "S", group->sum + 2 * n);
    const word w = has_weight ? weight(at, group->weight) : a;
    const word v = group->code == RH_TAPE_CHOOSE ? weight(at, group->weight + n) : a;
    const rh_phrase words = {.words = {['a'] = a.text,
                                       ['b'] = b.text,
                                       ['c'] = c.text,
                                       ['A'] = high_a.text,
                                       ['B'] = high_b.text,
                                       ['C'] = high_c.text,
                                       ['y'] = y.text,
                                       ['z'] = z.text,
                                       ['Y'] = high_y.text,
                                       ['s'] = s.text,
                                       ['t'] = t.text,
                                       ['u'] = u.text,
                                       ['w'] = w.text,
                                       ['v'] = v.text,
                                       ['F'] = at->has_chunks ? "fuse" : "F"}};
    rh__emit_phrase(at->in->out, form, &words);
}

// Operations from `begin` on are alike in this.
static bool is_dropped(const place *at, uint32_t j)
{
    const rh_tape_group *group = at->group;
    return at->in
        ->is_dropped[group->operand + j * group->count + (at->has_loop ? at->begin : at->i)];
}

// bias + weight a + weight b + ...
static void put_linear(const place *at, bool is_order)
{
    const rh_tape_group *group = at->group;
    const char *row = is_order ? "hi" : "lo";
    rh_text *out = at->in->out;
    uint32_t terms = 0;
    for (uint32_t j = group->arity; j-- > 0;) {
        if (is_order && is_dropped(at, j)) {
            continue;
        }
        terms++;
        const word w = weight(at, group->weight + j * group->count);
        rh__text_format(out, "%s(%s, %s, ", at->has_chunks ? "fuse" : "F", w.text,
                        operand(at, row, j).text);
    }
    const uint32_t bias = group->weight + group->arity * group->count;
    rh__text_put(out, !is_order ? weight(at, bias).text : at->has_chunks ? "(C){0}" : "K(0.0)");
    for (uint32_t j = 0; j < terms; j++) {
        rh__text_put(out, ")");
    }
    rh__emit_count(at->in, terms);
}

static void put_right_side(const place *at, bool is_order, bool is_second)
{
    const rh_tape_code code = at->group->code;
    if (code == RH_TAPE_LINEAR) {
        put_linear(at, is_order);
    } else if (code == RH_TAPE_SWITCH && !is_order) {
        rh__emit_decision(at->in, at->group->weight + at->i, operand(at, "lo", 0).text);
    } else if (is_order) {
        put_form(at, is_second ? second_form(code) : ORDERS[code]);
    } else {
        put_form(at, rh__emit_value_form(code, is_second));
    }
}

static bool has_second(rh_tape_code code)
{
    return code == RH_TAPE_SINCOS || code == RH_TAPE_SINHCOSH || code == RH_TAPE_TANH;
}

static void write_outputs(const place *at, bool is_order)
{
    const rh_tape_group *group = at->group;
    const char *row = is_order ? "hi" : "lo";
    for (uint32_t j = 0; j < (has_second(group->code) ? 2 : 1); j++) {
        const word out = counted(at, row, group->first + j * group->count);
        rh__text_format(at->in->out, "    %s = ", out.text);
        put_right_side(at, is_order, j == 1);
        rh__text_put(at->in->out, ";\n");
        rh__emit_count(at->in, 2);
        if (group->code == RH_TAPE_NEAR && !is_order) { // the interpreter knows the series
            rh__text_format(at->in->out, "    sane = sane + %s;\n", out.text);
        }
    }
}

// Can eight operations be done at a time?
static bool can_be_wide(const place *at, bool is_order)
{
    switch (at->group->code) {
    case RH_TAPE_LINEAR:
    case RH_TAPE_MULTIPLY:
    case RH_TAPE_SQUARE:
    case RH_TAPE_DIVIDE:
    case RH_TAPE_RECIPROCAL:
        return !at->has_tables;
    case RH_TAPE_ROOT:
    case RH_TAPE_POWER:
    case RH_TAPE_EXP:
    case RH_TAPE_SINCOS:
    case RH_TAPE_SINHCOSH:
    case RH_TAPE_TANH:
    case RH_TAPE_LOG:
    case RH_TAPE_ASIN:
    case RH_TAPE_ACOS:
    case RH_TAPE_ATAN:
    case RH_TAPE_ANGLE:
        return is_order && !at->has_tables; // functions are called for each
    case RH_TAPE_SWITCH:
    case RH_TAPE_AND:
    case RH_TAPE_OR:
    case RH_TAPE_NOT:
    case RH_TAPE_WITHIN:
    case RH_TAPE_NEAR:
    case RH_TAPE_CHOOSE:
    case RH_TAPE_SOLVE:
    case RH_TAPE_CODE_COUNT:
        break;
    }
    return false;
}

// Eight operations at a time, from i on; `is_twice`: the last ones again with some before them, so
// that none is left.
static void write_chunks(const place *from, uint32_t end, bool is_order, bool is_twice)
{
    const rh_tape_group *group = from->group;
    place at = *from;
    rh_text *out = at.in->out;
    at.has_chunks = true;
    rh__text_format(out,
                    is_twice ? "#if WIDTH == 8\n    for (; i < %u; i = NEXT(i, %u)) {\n"
                             : "#if WIDTH == 8\n    for (; i + 8 <= %u; i += 8) {\n",
                    end, end);
    for (uint32_t j = 0; j < (has_second(group->code) ? 2 : 1); j++) {
        rh__text_put(out, "    { const C done = ");
        put_right_side(&at, is_order, j == 1);
        rh__text_format(out, "; KEEP(done, %s + %u + i); }\n", is_order ? "hi" : "lo",
                        group->first + j * group->count);
    }
    rh__text_put(out, is_twice ? "    }\n#else\n" : "    }\n#endif\n");
}

// Operations from at->begin up to `end`.
static void write_loop(const place *at, uint32_t end, bool is_order)
{
    rh_text *out = at->in->out;
    const bool is_wide = end - at->begin >= LONG && can_be_wide(at, is_order);
    const bool is_twice = is_wide && end - at->begin >= TWICE;
    rh__text_format(out, "    {\n    int i = %u;\n", at->begin);
    if (is_wide) {
        write_chunks(at, end, is_order, is_twice);
    }
    rh__text_format(out, "    for (; i < %u; i++) {\n", end);
    write_outputs(at, is_order);
    rh__text_put(out, is_twice ? "    }\n#endif\n    }\n" : "    }\n    }\n");
}

// Which operations: all at order 0, above it those that are ahead or those that are not.
typedef enum part { ALL, AHEAD, LATE } part;

// Is an operation for nobody, or not for now?
static bool is_passed(const rh_emission *in, uint32_t slot, part which)
{
    return which != ALL && (in->is_idle[slot] || in->is_ahead[slot] != (which == AHEAD));
}

static void write_group(rh_emission *in, const rh_tape_group *group, part which)
{
    const bool is_order = which != ALL;
    // decisions have each its own rule
    const bool has_loop = group->count > SMALL && (group->code != RH_TAPE_SWITCH || is_order);
    place at = {.in = in, .group = group, .has_loop = has_loop};
    for (at.i = 0; !has_loop && at.i < group->count; at.i++) {
        if (!is_passed(in, group->first + at.i, which)) {
            write_outputs(&at, is_order);
        }
    }
    while (has_loop && at.begin < group->count) {
        uint32_t end = run_end(in, group, at.begin);
        at.has_tables = end - at.begin < LONG && end < group->count;
        // short runs are taken together
        while (at.has_tables && end < group->count && are_alike(in, group, at.begin, end) &&
               run_end(in, group, end) - end < LONG) {
            end = run_end(in, group, end);
        }
        if (!is_passed(in, group->first + at.begin, which)) {
            write_loop(&at, end, is_order);
        }
        at.begin = end;
    }
}

// --- blocks --------------------------------------------------------------------------------------

static void write_entries(rh_emission *in, uint32_t index)
{
    const rh_tape_block *block = &in->tape->blocks[index];
    rh__text_format(in->out,
                    "static void entries_%u(const struct point *p, const V *restrict lo, "
                    "V *restrict v)\n{\n    (void)p;\n    (void)lo;\n",
                    in->mark + index);
    for (uint32_t k = 0; k < block->entry_count; k++) {
        const uint32_t slot = block->entries[k].value.slot;
        rh__text_format(in->out, "    v[%u] = ", k);
        rh__emit_weight(in, block->weight + k);
        if (slot != RH_SLOT_NONE) {
            rh__text_format(in->out, " * lo[%u]", slot);
        }
        rh__text_put(in->out, ";\n");
    }
    rh__text_put(in->out, "}\n");
    rh__emit_count(in, block->entry_count);
}

// b_k - sum_{j=1..k} K_j z_{k-j}; at order 0 the right side alone.
static void write_right(rh_emission *in, const rh_tape_block *block, uint32_t row, bool is_order)
{
    const uint32_t weights = block->weight + block->entry_count;
    const uint32_t slot = rh__emit_right_slot(in, block, row, is_order);
    const uint32_t begin = block->share_begin[row];
    const uint32_t end = is_order ? block->share_begin[row + 1] : begin;
    rh__text_format(in->out, "    b[%u] = ", row);
    for (uint32_t j = end; j-- > begin;) {
        rh__text_put(in->out, "F(-");
        rh__emit_weight(in, weights + block->n + j);
        rh__text_format(in->out, ", S[%u], ", block->sums.first + block->share_sum[j]);
    }
    if (slot == RH_SLOT_NONE && is_order) {
        rh__text_put(in->out, "K(0.0)");
    } else {
        rh__emit_weight(in, weights + row);
        if (slot != RH_SLOT_NONE) {
            rh__text_format(in->out, " * x[%u]", slot);
        }
    }
    for (uint32_t j = begin; j < end; j++) {
        rh__text_put(in->out, ")");
    }
    rh__text_put(in->out, ";\n");
    rh__emit_count(in, end - begin + 2);
}

// The right sides of a block, at order 0 and above it.
static rh_status write_rights(rh_emission *in, uint32_t index, bool is_order)
{
    const rh_tape_block *block = &in->tape->blocks[index];
    rh__text_format(in->out,
                    "static void right_%s_%u(const struct point *p, const V *restrict x, "
                    "const V *restrict S, V *restrict b)\n{\n    (void)p;\n    (void)x;\n"
                    "    (void)S;\n",
                    is_order ? "high" : "low", in->mark + index);
    for (uint32_t row = 0; block->n <= RH_BLOCK_DENSE && row < block->n; row++) {
        write_right(in, block, row, is_order);
    }
    if (block->n > RH_BLOCK_DENSE) {
        RH_TRY(rh__emit_sparse_right(in, index, is_order));
    }
    rh__text_put(in->out, "}\n");
    return RH_OK;
}

static rh_status write_block_functions(rh_emission *in)
{
    for (uint32_t k = 0; k < in->tape->block_count; k++) {
        const rh_tape_block *block = &in->tape->blocks[k];
        if (block->factor == k && block->saddle == NULL) {
            write_entries(in, k);
        }
        RH_TRY(write_rights(in, k, false));
        RH_TRY(in->order > 0 ? write_rights(in, k, true) : RH_OK);
    }
    return RH_OK;
}

// The sums of the shares get their last term: it needs no unknown of order k. Gives how many lie
// side by side from the first on.
static uint32_t write_share(rh_emission *in, uint32_t sum, uint32_t most)
{
    const uint32_t *left = in->tape->products.left + sum;
    const uint32_t *right = in->tape->products.right + sum;
    uint32_t count = 1;
    while (count < most && left[count] == left[0] + count && right[count] == right[0] + count &&
           in->sum_kind[sum + count] == in->sum_kind[sum] &&
           (count < LONG || in->is_linked[left[count]])) {
        count++;
    }
    if (in->sum_kind[sum] == RH_SUM_WHOLE) {
        return count;
    }
    if (in->sum_kind[sum] == RH_SUM_BEND) {
        rh__text_format(in->out, "    bend_run(S + %u, J + %u, k, %u);\n", sum, left[0], count);
    } else if (count > SMALL) {
        rh__text_format(in->out, "    fuse_run(S + %u, hi + %u, lo + %u, %u);\n", sum, left[0],
                        right[0], count);
    } else {
        rh__text_format(in->out, "    S[%u] = F(hi[%u], lo[%u], S[%u]);\n", sum, left[0], right[0],
                        sum);
        count = 1;
    }
    rh__emit_count(in, 1);
    return count;
}

static void write_solve(rh_emission *in, uint32_t index, bool is_order)
{
    const rh_tape_block *block = &in->tape->blocks[index];
    rh__text_format(in->out, "    {\n    V *const b = %s + %u;\n", is_order ? "hi" : "lo",
                    block->first);
    for (uint32_t j = 0; is_order && j < block->sums.count;) {
        j += write_share(in, block->sums.first + j, block->sums.count - j);
    }
    rh__text_format(in->out, "    right_%s_%u(p, %s, %s, b);\n", is_order ? "high" : "low",
                    in->mark + index, is_order ? "hi" : "lo", is_order ? "S" : "sums");
    if (!is_order && block->factor == index && block->saddle != NULL) {
        rh__text_format(in->out, "    V *const v%u = A%u + %zu;\n    entries_%u(p, lo, v%u);\n",
                        index, index, rh__emit_values_room(block), in->mark + index, index);
    } else if (!is_order && block->factor == index) {
        rh__text_format(in->out, "    V v%u[%u];\n    entries_%u(p, lo, v%u);\n", index,
                        block->entry_count + 1, in->mark + index, index);
    }
    if (is_order) {
        rh__emit_block_solve(in, index, "b");
    } else {
        rh__emit_block_begin(in, index, "b");
    }
    rh__text_put(in->out, "    }\n");
}

// --- the function --------------------------------------------------------------------------------

static void write_groups(rh_emission *in, part which)
{
    const bool is_order = which != ALL;
    for (uint32_t g = 0; g < in->tape->group_count; g++) {
        const rh_tape_group *group = &in->tape->groups[g];
        for (uint32_t k = 0; group->code == RH_TAPE_SOLVE && which != AHEAD && k < group->count;
             k++) {
            write_solve(in, group->operand + k, is_order);
        }
        if (group->code != RH_TAPE_SOLVE) {
            write_group(in, group, which);
        }
    }
}

static void write_feeds(rh_emission *in, bool is_order)
{
    const rh_tape *tape = in->tape;
    for (uint32_t k = 0; k < tape->feed_count; k++) {
        const uint32_t slot = tape->feed_first + 2 * k;
        rh__text_format(in->out,
                        is_order ? "    hi[%u] = FEED(%u) * hi[0];\n"
                                 : "    lo[%u] = F(FEED(%u), lo[0] - FEED(%u), FEED(%u));\n",
                        slot, 3 * k + 2, 3 * k, 3 * k + 1);
        if (is_order) {
            rh__text_format(in->out, "    hi[%u] = K(0.0);\n", slot + 1);
        } else {
            rh__text_format(in->out, "    lo[%u] = FEED(%u);\n", slot + 1, 3 * k + 2);
        }
    }
}

static bool is_kept(const rh_emission *in, uint32_t slot)
{
    return in->ladders.count == 0 || in->is_kept[slot];
}

// Order k of the states from their rates: of those that are ahead from rates of the row before
// `hi`, which are others, or of all others.
static void write_rates(rh_emission *in, const char *k, bool is_ahead)
{
    const uint32_t *outputs = in->tape->outputs;
    for (uint32_t i = 0, count = 1; i < in->n; i += count) {
        for (count = 1; i + count < in->n && outputs[i + count] == outputs[i] + count &&
                        in->is_ahead[1 + i + count] == in->is_ahead[1 + i] &&
                        is_kept(in, 1 + i + count) == is_kept(in, 1 + i) &&
                        (count < LONG || in->is_linked[1 + i + count]);) {
            count++;
        }
        if (in->is_ahead[1 + i] == is_ahead && is_kept(in, 1 + i)) {
            rh__text_format(in->out,
                            "    scale_run(hi + %u, hi - STRIDE + %u, 1.0 / (double)(%s), %u);\n",
                            1 + i, outputs[i], k, count);
        }
    }
}

// Order k + 1 of what is ahead.
static void write_ahead(rh_emission *in, const char *next)
{
    rh__text_format(in->out,
                    "    {\n    V *const hi = J + (%s) * STRIDE;\n    (void)hi;\n"
                    "    const double next = 1.0 / (double)(%s);\n    (void)next;\n",
                    next, next);
    write_rates(in, next, true);
    write_groups(in, AHEAD);
    rh__text_put(in->out, "    }\n");
}

size_t rh__emit_loop_numbers(const rh_tape *tape)
{
    return 4 * rh__emit_sum_count(tape) + rh__emit_factor_numbers(tape);
}

static void write_begin(rh_emission *in)
{
    const rh_tape *tape = in->tape;
    rh__emit_head(in);
    rh__text_format(in->out,
                    "#if LANES == 1\n"
                    "    V *const sums = p->work;\n"
                    "    V *const J = p->jet;\n"
                    "#else\n"
                    "    V *const sums = (V *)p->work;\n"
                    "    V *const J = sums + %zu;\n"
                    "    for (int i = 0; i <= %u; i++) { J[i] = IN(0, i); }\n"
                    "#endif\n"
                    "    V *const lo = J;\n",
                    rh__emit_loop_numbers(tape), in->n);
    rh__text_format(in->out, "    V *const room = sums + %zu;\n", 4 * rh__emit_sum_count(tape));
    rh__emit_factor_room(in, "room");
}

// Of lanes: what others read goes into their jets.
static void write_end(rh_emission *in)
{
    rh__emit_sanity(in);
    rh__text_put(in->out, "#if LANES > 1\n");
    rh__emit_fill(in);
    rh__text_format(in->out,
                    "    for (int i = 0; i <= %u; i++) { OUT(%u, i, J[%u * STRIDE + i]); }\n"
                    "    for (int k = 0; k < %u; k++) {\n",
                    in->n, in->order, in->order, in->order);
    for (uint32_t s = 0, end = 0; s < in->tape->slot_count; s = end) {
        for (end = s + 1; end < in->tape->slot_count && in->is_visible[end] == in->is_visible[s];) {
            end++;
        }
        if (in->is_visible[s]) {
            rh__text_format(in->out,
                            "    for (int i = %u; i < %u; i++) { OUT(k, i, J[k * STRIDE + i]); }\n",
                            s, end);
        }
    }
    rh__text_put(in->out, "    }\n#endif\n");
    rh__emit_tail(in);
}

// What lies side by side is written so; what a compiler adds are gathers, which are slow.
static const char PLAIN[] = "#if defined(__GNUC__) && !defined(__clang__)\n"
                            "#pragma GCC optimize(\"no-tree-vectorize\")\n"
                            "#endif\n";

// The factors that the last call left in `work` serve another right side, which stands where the
// unknowns do. Those of dense blocks are not kept.
static void write_again(rh_emission *in, const char *name)
{
    const rh_tape_block *block = &in->tape->blocks[0];
    if (name == NULL || in->tape->block_count != 1 || block->saddle == NULL) {
        return;
    }
    rh__text_format(in->out, "#undef NAME\n#define NAME %s\n", name);
    write_begin(in);
    rh__text_format(in->out, "    (void)margin;\n    V *const b = lo + %u;\n", block->first);
    rh__emit_block_solve(in, 0, "b");
    rh__text_format(in->out, "    sane = sane + sanity(b, %u);\n", block->n);
    rh__emit_tail(in);
}

rh_status rh__emit_point(rh_emission *in, const rh_emit_point *point)
{
    RH_TRY(rh__emit_bends(in));
    rh__text_put(in->out, PLAIN);
    rh__text_format(in->out, "#undef NAME\n#define NAME %s\n", point->name);
    write_tables(in);
    RH_TRY(rh__emit_factors(in));
    RH_TRY(write_block_functions(in));
    write_begin(in);
    rh__text_put(in->out, "    (void)room;\n");
    write_feeds(in, false);
    write_groups(in, ALL);
    rh__emit_tail(in);
    write_again(in, point->again);
    return RH_OK;
}

rh_status rh__emit_loops(rh_emission *in)
{
    RH_TRY(rh__emit_bends(in));
    RH_TRY(rh__emit_ladders(in));
    rh__text_put(in->out, PLAIN);
    write_tables(in);
    rh__emit_sums(in);
    RH_TRY(write_block_functions(in));
    write_begin(in);
    write_feeds(in, false);
    write_groups(in, ALL);
    in->is_first = true;
    write_ahead(in, "1");
    in->is_first = false;
    rh__text_format(in->out,
                    "    for (int k = 1; k < %u; k++) {\n"
                    "    V *const hi = J + k * STRIDE;\n"
                    "    const double by = 1.0 / (double)k;\n"
                    "    (void)by;\n"
                    "    hi[0] = K(1.0) * (double)(k == 1);\n",
                    in->order);
    write_rates(in, "k", false);
    write_feeds(in, true);
    write_ahead(in, "k + 1");
    rh__text_put(in->out, "    V *const S = sums + (k - 1) % 4 * SUMS;\n"
                          "    (void)S;\n"
                          "    convolve(J, sums, k);\n");
    write_groups(in, LATE);
    rh__text_put(in->out, "    }\n    {\n");
    rh__text_format(in->out,
                    "    V *const hi = J + %u * STRIDE;\n"
                    "    hi[0] = K(1.0) * (double)(%u == 1);\n",
                    in->order, in->order);
    char order[16];
    (void)rh__text_fill(order, sizeof order, "%u", in->order);
    write_rates(in, order, false);
    rh__text_put(in->out, "    }\n");
    write_end(in);
    return RH_OK;
}
