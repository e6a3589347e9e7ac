// SPDX-License-Identifier: Apache-2.0
// Signs. In: an expression and the signs of parameters; out: a proof that it is never zero, or
// none. Of every node the set of signs its value can have is found from the sets of its arguments;
// values that are not defined (1/0, roots of negative numbers) do not count. Beside it stands a
// bound of the size where there is one, so that 2 + cos(x) is positive.

#include "expr/store.h"

#include <math.h>

// A set of signs.
enum { NEGATIVE = 1, ZERO = 2, POSITIVE = 4, ANY = 7 };

typedef struct verdict {
    uint32_t signs;
    double size;   // the absolute value is never above; INFINITY when unknown
    bool may_fail; // may be undefined: then min, max, sign and others have a value nevertheless
} verdict;

// Bounds are sums of rounded numbers: this much is given away.
static const double MARGIN = 1e-9;

static uint32_t negated(uint32_t signs)
{
    return (signs & ZERO) | (signs & NEGATIVE ? POSITIVE : 0) | (signs & POSITIVE ? NEGATIVE : 0);
}

static uint32_t product(uint32_t a, uint32_t b)
{
    uint32_t result = (a | b) & ZERO;
    result |= a & POSITIVE ? b : 0;
    result |= a & NEGATIVE ? negated(b) : 0;
    return a == 0 || b == 0 ? 0 : result;
}

static uint32_t sum(uint32_t a, uint32_t b)
{
    if (a == 0 || b == 0) {
        return 0;
    }
    const bool may_cancel =
        ((a & POSITIVE) && (b & NEGATIVE)) || ((a & NEGATIVE) && (b & POSITIVE));
    const uint32_t kept = ((a | b) & (NEGATIVE | POSITIVE)) | (a & b & ZERO);
    return may_cancel ? ANY : kept;
}

static uint32_t sign_of(double value)
{
    return value > 0 ? POSITIVE : value < 0 ? NEGATIVE : value == 0 ? ZERO : ANY;
}

typedef struct judge {
    rh_store *store;
    const verdict *verdicts; // by place
    rh_value_of *value_of;
    const void *user;
} judge;

static verdict verdict_of(const judge *by, rh_expr e)
{
    return by->verdicts[by->store->places[e.i]];
}

static verdict argument(const judge *by, rh_expr e, uint32_t k)
{
    return verdict_of(by, rh__expr_argument(by->store, e, k));
}

static verdict judge_symbol(const judge *by, rh_expr e)
{
    const bool moves = (rh__expr_mask(by->store, e) & RH_EXPR_VARIABLE) != 0;
    const double value = moves || by->value_of == NULL ? NAN : by->value_of(by->user, by->store, e);
    // a parameter that is 0 now says nothing
    return (verdict){isnan(value) || value == 0 ? ANY : sign_of(value), INFINITY, false};
}

// Signs add up; and a number that outweighs all bounded terms decides.
static verdict judge_sum(const judge *by, rh_expr e)
{
    verdict result = {ZERO, 0.0, false};
    uint32_t others = ZERO; // terms without bound
    double number = 0.0;
    double bounded = 0.0;
    for (uint32_t k = 0; k < rh__expr_count(by->store, e); k += 2) {
        const double factor = rh__expr_number_value(by->store, rh__expr_argument(by->store, e, k));
        const rh_expr term = rh__expr_argument(by->store, e, k + 1);
        const verdict part = verdict_of(by, term);
        const uint32_t signs =
            product(sign_of(rh__expr_number_sign(by->store, rh__expr_argument(by->store, e, k))),
                    part.signs);
        result.signs = sum(result.signs, signs);
        result.size += fabs(factor) * part.size;
        if (rh__expr_is_one(by->store, term)) {
            number = factor;
        } else if (part.size < INFINITY) {
            bounded += fabs(factor) * part.size;
        } else {
            others = sum(others, signs);
        }
    }
    const bool outweighs = fabs(number) * (1.0 - MARGIN) > bounded;
    const uint32_t wanted = sign_of(number) | ZERO;
    if (result.signs != 0 && outweighs && (others & ~wanted) == 0) {
        result.signs = sign_of(number);
    }
    return result;
}

static verdict judge_product(const judge *by, rh_expr e)
{
    verdict result = {POSITIVE, 1.0, false};
    for (uint32_t k = 0; k < rh__expr_count(by->store, e); k++) {
        const verdict part = argument(by, e, k);
        result.signs = product(result.signs, part.signs);
        result.size = part.size == 0 || result.size == 0 ? 0.0 : result.size * part.size;
    }
    return result;
}

static verdict judge_power(const judge *by, rh_expr e)
{
    const verdict base = argument(by, e, 0);
    const rh_expr exponent = rh__expr_argument(by->store, e, 1);
    if (!rh__expr_is_number(by->store, exponent)) {
        return (verdict){base.signs == POSITIVE ? POSITIVE : ANY, INFINITY, false};
    }
    const rh_rational r = rh__store_value(by->store, exponent);
    const bool is_above = rh__rational_sign(r) > 0;
    const double size =
        is_above ? pow(base.size, rh__rational_value(r)) * (1.0 + MARGIN) : INFINITY;
    const uint32_t zero = is_above ? base.signs & ZERO : 0; // 1/0 is not defined
    if (!rh__rational_is_integer(r)) {
        return (verdict){(base.signs & POSITIVE) | zero, size, false};
    }
    const bool is_even = r.big == NULL && r.numerator % 2 == 0;
    if (r.big != NULL) {
        return (verdict){ANY, INFINITY, false};
    }
    const uint32_t turned =
        (base.signs & POSITIVE) | (base.signs & NEGATIVE ? (is_even ? POSITIVE : NEGATIVE) : 0);
    return (verdict){turned | zero, size, false};
}

static verdict judge_function(const judge *by, rh_expr e)
{
    const verdict a = argument(by, e, 0);
    // of 1/0, an infinity of either sign, these have a value
    const uint32_t even_there = a.may_fail ? ANY : a.signs;
    switch (rh__expr_op(by->store, e)) {
    case RH_OP_SIN:
    case RH_OP_COS:
        return (verdict){ANY, 1.0, false};
    case RH_OP_TANH:
    case RH_OP_SIGN:
        return (verdict){even_there, 1.0, false};
    case RH_OP_ATAN:
        return (verdict){even_there, 1.6, false};
    case RH_OP_ASIN:
        return (verdict){a.signs, 1.6, false};
    case RH_OP_SINH:
        return (verdict){a.signs, INFINITY, false};
    case RH_OP_COSH:
    case RH_OP_EXP:
        return (verdict){POSITIVE, INFINITY, false};
    case RH_OP_ABS:
        return (verdict){(a.signs & ZERO) | (a.signs & (NEGATIVE | POSITIVE) ? POSITIVE : 0),
                         a.size, false};
    case RH_OP_ACOS:
        return (verdict){ZERO | POSITIVE, 3.2, false};
    case RH_OP_ATAN2:
        return (verdict){ANY, 3.2, false};
    default:
        return (verdict){ANY, INFINITY, false};
    }
}

// The smaller or larger of two: one that cannot be negative keeps the larger from being so. One
// that is not defined leaves the other.
static verdict judge_choice(const judge *by, rh_expr e)
{
    const verdict a = argument(by, e, 0);
    const verdict b = argument(by, e, 1);
    const bool is_min = rh__expr_op(by->store, e) == RH_OP_MIN;
    const uint32_t x = is_min ? negated(a.signs) : a.signs;
    const uint32_t y = is_min ? negated(b.signs) : b.signs;
    uint32_t larger = x | y;
    if (a.may_fail || b.may_fail) {
        return (verdict){a.signs | b.signs, fmax(a.size, b.size), true};
    }
    larger &= x == POSITIVE || y == POSITIVE ? POSITIVE : ANY;
    larger &= (x & NEGATIVE) == 0 || (y & NEGATIVE) == 0 ? ZERO | POSITIVE : ANY;
    return (verdict){is_min ? negated(larger) : larger, fmax(a.size, b.size), false};
}

static verdict judge_operation(const judge *by, rh_expr e)
{
    const rh_op op = rh__expr_op(by->store, e);
    switch (op) {
    case RH_OP_NUMBER:
        return (verdict){sign_of(rh__expr_number_sign(by->store, e)),
                         fabs(rh__expr_number_value(by->store, e)) * (1.0 + MARGIN), false};
    case RH_OP_PI:
        return (verdict){POSITIVE, 3.2, false};
    case RH_OP_SYMBOL:
        return judge_symbol(by, e);
    case RH_OP_ADD:
        return judge_sum(by, e);
    case RH_OP_MUL:
        return judge_product(by, e);
    case RH_OP_POW:
        return judge_power(by, e);
    case RH_OP_RATIO:
        return (verdict){ANY, INFINITY, false};
    case RH_OP_IF: {
        const verdict yes = argument(by, e, 1);
        const verdict no = argument(by, e, 2);
        return (verdict){yes.signs | no.signs, fmax(yes.size, no.size), false};
    }
    case RH_OP_MIN:
    case RH_OP_MAX:
        return judge_choice(by, e);
    default:
        return op < RH_OP_IF ? (verdict){ZERO | POSITIVE, 1.0, false} : judge_function(by, e);
    }
}

// Can `e` be undefined where its arguments are not?
static bool may_fail(const judge *by, rh_expr e)
{
    switch (rh__expr_op(by->store, e)) {
    case RH_OP_POW: {
        int64_t n = 0;
        const uint32_t base = argument(by, e, 0).signs;
        const bool is_whole =
            rh__expr_as_integer(by->store, rh__expr_argument(by->store, e, 1), &n);
        return base != POSITIVE && !(is_whole && (n > 0 || (base & ZERO) == 0));
    }
    case RH_OP_LOG:
    case RH_OP_TAN:
    case RH_OP_ASIN:
    case RH_OP_ACOS:
        return true;
    default:
        return false;
    }
}

static verdict judge_node(const judge *by, rh_expr e)
{
    verdict result = judge_operation(by, e);
    result.may_fail = result.may_fail || may_fail(by, e);
    // the quotient of a ratio is not looked at where it has no value
    const bool is_ratio = rh__expr_op(by->store, e) == RH_OP_RATIO;
    const uint32_t count = is_ratio ? 1 : rh__expr_count(by->store, e);
    for (uint32_t k = 0; !result.may_fail && k < count; k++) {
        result.may_fail = argument(by, e, k).may_fail;
    }
    return result;
}

int rh__expr_sign(rh_store *store, rh_expr e, rh_value_of *value_of, const void *user)
{
    rh_walk walk;
    if (rh__expr_is_none(e) || !rh__walk_begin(store, &e, 1, &walk)) {
        return 0;
    }
    verdict *verdicts = rh__arena_array(&walk.arena, verdict, walk.order.count);
    const judge by = {store, verdicts, value_of, user};
    for (uint32_t k = 0; verdicts != NULL && k < walk.order.count; k++) {
        verdicts[k] = judge_node(&by, walk.order.data[k]);
    }
    const uint32_t signs = verdicts == NULL ? ANY : verdict_of(&by, e).signs;
    rh__walk_end(&walk);
    const int sign = signs == POSITIVE ? 1 : signs == NEGATIVE ? -1 : 0;
    rh__store_note(store, RH_WITNESS_SIGN, e, value_of, user, sign);
    return sign;
}
