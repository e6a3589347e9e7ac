// SPDX-License-Identifier: Apache-2.0
// Conditions whose surface holds other conditions, as sign(max(0, x - 1)) or if(if(x < 1, 0, 1) >
// 0.5, ...). Where an inner condition changes, the surface may jump past zero without a root, or be
// zero all along on one side: it says no more where the outer condition changes. So the inner
// condition is made the outer one: with u what vanishes where it changes, the whole is
//     E-  where u < 0,    E0  where u = 0,    E+  where u > 0,
// the inner conditions of u being replaced by what they are there. What is left has surfaces that
// neither jump nor are flat, and changes where they vanish. An outer condition that is continuous
// on either side of continuous inner ones, as sign(max(x, y) - 1), stays as it is.

#include "expr/expr.h"

enum { MOST_PIECES = 256 }; // more stay as they are

typedef struct splitting {
    rh_store *store;
    rh_arena *scratch;
    uint32_t pieces;
} splitting;

// What is compared in a condition.
typedef struct border {
    rh_expr a, b;
    rh_expr surface; // a - b; none: there is no condition
} border;

static bool is_moving(const splitting *in, rh_expr e)
{
    return (rh__expr_mask(in->store, e) & RH_EXPR_VARIABLE) != 0;
}

static bool jumps(rh_op op)
{
    return op == RH_OP_SIGN || op == RH_OP_LESS || op == RH_OP_LESS_EQUAL || op == RH_OP_EQUAL;
}

static bool is_condition(rh_op op)
{
    return jumps(op) || op == RH_OP_ABS || op == RH_OP_MIN || op == RH_OP_MAX;
}

static border border_of(const splitting *in, rh_expr e)
{
    const rh_op op = rh__expr_op(in->store, e);
    if (!is_condition(op) || !is_moving(in, e)) {
        return (border){.surface = RH_EXPR_NONE};
    }
    const rh_expr a = rh__expr_argument(in->store, e, 0);
    const bool is_alone = op == RH_OP_SIGN || op == RH_OP_ABS;
    const rh_expr b =
        is_alone ? rh__expr_integer(in->store, 0) : rh__expr_argument(in->store, e, 1);
    return (border){a, b, rh__expr_subtract(in->store, a, b)};
}

// --- one side of a surface
// -------------------------------------------------------------------------

// The sign of s where u has this sign, if u tells it: s is a multiple of u, or u + c or c - u with
// c on the same side.
static bool tells_linear(const splitting *in, rh_expr u, int sign, rh_expr s, int *out)
{
    rh_store *store = in->store;
    const rh_expr ratio = rh__expr_divide(store, s, u);
    if (ratio.i != 0 && rh__expr_is_number(store, ratio)) {
        *out = sign * rh__expr_number_sign(store, ratio);
        return true;
    }
    for (int turn = -1; turn <= 1; turn += 2) {
        const rh_expr c = turn > 0 ? rh__expr_subtract(store, s, u) : rh__expr_add(store, s, u);
        const int side =
            c.i != 0 && rh__expr_is_number(store, c) ? rh__expr_number_sign(store, c) : 0;
        if (side != 0 && (sign == 0 || sign * turn == side)) {
            *out = side;
            return true;
        }
    }
    return false;
}

static bool tells(const splitting *in, rh_expr u, int sign, rh_expr s, int *out);

// A product has the sign of its factors, a sum that of its terms if these have one.
static bool tells_by_parts(const splitting *in, rh_expr u, int sign, rh_expr s, int *out)
{
    rh_store *store = in->store;
    const rh_op op = rh__expr_op(store, s);
    const uint32_t count = op == RH_OP_ADD || op == RH_OP_MUL ? rh__expr_count(store, s) : 0;
    int64_t exponent = 0;
    int part = 0;
    if (op == RH_OP_POW && rh__expr_as_integer(store, rh__expr_argument(store, s, 1), &exponent) &&
        exponent > 0 && tells(in, u, sign, rh__expr_argument(store, s, 0), &part)) {
        *out = exponent % 2 == 0 ? part * part : part;
        return true;
    }
    *out = op == RH_OP_MUL;
    bool is_told = count > 0;
    for (uint32_t k = 0; is_told && op == RH_OP_MUL && k < count; k++) {
        is_told = tells(in, u, sign, rh__expr_argument(store, s, k), &part);
        *out *= part;
    }
    for (uint32_t k = 0; is_told && op == RH_OP_ADD && k < count; k += 2) {
        is_told = tells(in, u, sign, rh__expr_argument(store, s, k + 1), &part);
        part *= rh__expr_number_sign(store, rh__expr_argument(store, s, k));
        is_told = is_told && (*out == 0 || part == 0 || part == *out);
        *out = part != 0 ? part : *out;
    }
    return is_told;
}

static bool tells(const splitting *in, rh_expr u, int sign, rh_expr s, int *out)
{
    if (rh__expr_is_number(in->store, s)) {
        *out = rh__expr_number_sign(in->store, s);
        return true;
    }
    return is_moving(in, s) &&
           (tells_linear(in, u, sign, s, out) || tells_by_parts(in, u, sign, s, out));
}

// What a condition is where its surface has this sign.
static rh_expr value_at(const splitting *in, rh_expr e, int sign)
{
    rh_store *store = in->store;
    const border it = border_of(in, e);
    switch (rh__expr_op(store, e)) {
    case RH_OP_SIGN:
        return rh__expr_integer(store, sign);
    case RH_OP_ABS:
        return rh__expr_multiply(store, rh__expr_integer(store, sign), it.a);
    case RH_OP_LESS:
        return rh__expr_integer(store, sign < 0);
    case RH_OP_LESS_EQUAL:
        return rh__expr_integer(store, sign <= 0);
    case RH_OP_EQUAL:
        return rh__expr_integer(store, sign == 0);
    case RH_OP_MIN:
        return sign <= 0 ? it.a : it.b;
    default:
        return sign >= 0 ? it.a : it.b;
    }
}

// An expression where u has this sign.
static rh_expr restrict_to(const splitting *in, rh_expr e, rh_expr u, int sign)
{
    bool is_done = false;
    while (e.i != 0 && !is_done) {
        rh_expr_list parts = {0};
        const rh_mark mark = rh__arena_mark(in->scratch);
        is_done = true;
        if (!rh__expr_reach(in->store, &e, 1, in->scratch, &parts)) {
            e = RH_EXPR_NONE;
        }
        for (uint32_t k = 0; k < parts.count && is_done; k++) {
            const border it = border_of(in, parts.data[k]);
            int own = 0;
            if (it.surface.i != 0 && tells(in, u, sign, it.surface, &own)) {
                e = rh__expr_replace(in->store, e, parts.data[k], value_at(in, parts.data[k], own));
                is_done = false;
            }
        }
        rh__arena_rewind(in->scratch, mark);
    }
    return e;
}

// --- what is to be split
// ---------------------------------------------------------------------------

// The first condition in an expression; `out_jumps`: one of them is more than a kink.
static border find_first(const splitting *in, rh_expr e, bool *out_jumps)
{
    border first = {.surface = RH_EXPR_NONE};
    rh_expr_list parts = {0};
    const rh_mark mark = rh__arena_mark(in->scratch);
    *out_jumps = false;
    if (is_moving(in, e) && rh__expr_reach(in->store, &e, 1, in->scratch, &parts)) {
        for (uint32_t k = 0; k < parts.count; k++) {
            const border it = border_of(in, parts.data[k]);
            first = first.surface.i == 0 ? it : first;
            *out_jumps =
                *out_jumps || (it.surface.i != 0 && jumps(rh__expr_op(in->store, parts.data[k])));
        }
    }
    rh__arena_rewind(in->scratch, mark);
    return first;
}

static bool is_flat(splitting *in, rh_expr surface);

// Does an inner condition decide about a surface of kinks alone, on this side of it?
static bool is_decided(splitting *in, rh_expr surface, rh_expr u, int sign)
{
    int told = 0;
    const rh_expr there = restrict_to(in, surface, u, sign);
    return there.i != 0 && (tells(in, u, sign, there, &told) || is_flat(in, there));
}

// Is a surface of kinks alone constant on some side of them, or its sign told by them?
static bool is_flat(splitting *in, rh_expr surface)
{
    bool has_jumps = false;
    if (!is_moving(in, surface)) {
        return true;
    }
    const border inner = find_first(in, surface, &has_jumps);
    if (inner.surface.i == 0 || in->pieces >= MOST_PIECES) {
        return false;
    }
    in->pieces++;
    return is_decided(in, surface, inner.surface, -1) || is_decided(in, surface, inner.surface, 1);
}

// The inner condition that is made the outer one.
static border find_inner(splitting *in, rh_op op, rh_expr surface)
{
    bool has_jumps = false;
    const border inner = find_first(in, surface, &has_jumps);
    const uint32_t pieces = in->pieces;
    const bool is_split =
        inner.surface.i != 0 && (has_jumps || (jumps(op) && is_flat(in, surface)));
    in->pieces = pieces;
    return is_split ? inner : (border){.surface = RH_EXPR_NONE};
}

// --- putting together
// ------------------------------------------------------------------------------

static rh_expr apply_two(const splitting *in, rh_op op, rh_expr a, rh_expr b)
{
    const rh_expr ab[] = {a, b};
    return rh__expr_apply(in->store, op, ab, 2);
}

static rh_expr choose(const splitting *in, rh_op op, rh_expr test, rh_expr yes, rh_expr no)
{
    const bool is_truth = op == RH_OP_LESS || op == RH_OP_LESS_EQUAL || op == RH_OP_EQUAL;
    if (!is_truth || yes.i == no.i) {
        return rh__expr_if(in->store, test, yes, no);
    }
    const rh_expr other = rh__expr_apply(in->store, RH_OP_NOT, &test, 1);
    return apply_two(in, RH_OP_OR, apply_two(in, RH_OP_AND, test, yes),
                     apply_two(in, RH_OP_AND, other, no));
}

// One condition where one will do: the motion may slide on it.
static rh_expr put_together(const splitting *in, rh_op op, const border *at, const rh_expr *e)
{
    const rh_expr low = e[0];
    const rh_expr middle = e[1];
    const rh_expr high = e[2];
    const bool is_low = restrict_to(in, low, at->surface, 0).i == middle.i;
    const bool is_high = restrict_to(in, high, at->surface, 0).i == middle.i;
    // one of the pieces may be the whole
    if (is_low && restrict_to(in, low, at->surface, 1).i == high.i) {
        return low;
    }
    if (is_high && restrict_to(in, high, at->surface, -1).i == low.i) {
        return high;
    }
    const rh_op relation = is_low && !is_high ? RH_OP_LESS_EQUAL : RH_OP_LESS;
    const rh_expr twice = rh__expr_multiply(in->store, rh__expr_integer(in->store, 2), middle);
    if (!is_low && !is_high && rh__expr_add(in->store, low, high).i == twice.i) {
        // half of the jump by the sign
        const rh_expr half = rh__expr_subtract(in->store, high, middle);
        const rh_expr sign = rh__expr_apply(in->store, RH_OP_SIGN, &at->surface, 1);
        return rh__expr_add(in->store, middle, rh__expr_multiply(in->store, half, sign));
    }
    const rh_expr sides = choose(in, op, apply_two(in, relation, at->a, at->b), low, high);
    return is_low || is_high
               ? sides
               : choose(in, op, apply_two(in, RH_OP_EQUAL, at->a, at->b), middle, sides);
}

// None: there are too many pieces, or no memory.
static rh_expr split(splitting *in, rh_op op, const rh_expr *arguments, uint32_t count)
{
    rh_store *store = in->store;
    rh_expr pieces[3];
    const rh_expr surface =
        count == 1 ? arguments[0] : rh__expr_subtract(store, arguments[0], arguments[1]);
    const border inner = surface.i != 0 ? find_inner(in, op, surface) : (border){.a = {0}};
    if (inner.surface.i == 0 || ++in->pieces > MOST_PIECES) {
        return inner.surface.i == 0 ? rh__expr_apply(store, op, arguments, count) : RH_EXPR_NONE;
    }
    for (int sign = -1; sign <= 1; sign++) {
        rh_expr there[2] = {RH_EXPR_NONE, RH_EXPR_NONE};
        for (uint32_t k = 0; k < count; k++) {
            there[k] = restrict_to(in, arguments[k], inner.surface, sign);
        }
        // what is the same by another name
        const rh_expr piece = split(in, op, there, count);
        pieces[sign + 1] = restrict_to(in, piece, inner.surface, sign);
        if (pieces[sign + 1].i == 0) {
            return RH_EXPR_NONE;
        }
    }
    return put_together(in, op, &inner, pieces);
}

rh_expr rh__expr_unnest(rh_store *store, rh_op op, const rh_expr *arguments, uint32_t count,
                        rh_arena *scratch)
{
    splitting in = {.store = store, .scratch = scratch};
    const rh_expr plain = rh__expr_apply(store, op, arguments, count);
    if (plain.i == 0 || !is_condition(op) || !is_moving(&in, plain)) {
        return plain;
    }
    const rh_expr result = split(&in, op, arguments, count);
    return result.i != 0 ? result : plain;
}
