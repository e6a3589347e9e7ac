// SPDX-License-Identifier: Apache-2.0
// Functions, conditions and choices: what folds exactly, and the canonical sign of arguments
// (sin(-u) is -sin(u)). Nothing here trades exactness for a double.

#include "expr/ratio.h"

// --- functions of one argument ----------------------------------------------------------------

static bool is_odd(rh_op op)
{
    switch (op) {
    case RH_OP_SIN:
    case RH_OP_TAN:
    case RH_OP_ASIN:
    case RH_OP_ATAN:
    case RH_OP_SINH:
    case RH_OP_TANH:
    case RH_OP_SIGN:
        return true;
    default:
        return false;
    }
}

static bool is_even(rh_op op)
{
    return op == RH_OP_COS || op == RH_OP_COSH || op == RH_OP_ABS;
}

// e = n*pi/6 with an integer n: n modulo 12, else -1.
static int sixths_of_pi(rh_store *store, rh_expr e)
{
    const rh_expr six = rh__expr_integer(store, 6);
    const rh_expr ratio =
        rh__expr_divide(store, rh__expr_multiply(store, six, e), rh__expr_pi(store));
    int64_t n = 0;
    return rh__expr_as_integer(store, ratio, &n) ? (int)((n % 12 + 12) % 12) : -1;
}

// sin(n*pi/6) where it is rational.
static rh_expr sine_of_sixths(rh_store *store, int n)
{
    static const int HALVES[12] = {0, 1, 9, 2, 9, 1, 0, -1, 9, -2, 9, -1}; // 9: irrational
    return HALVES[n] == 9 ? RH_EXPR_NONE : rh__expr_ratio(store, HALVES[n], 2);
}

// Values at 0, at 1, and at simple parts of pi; none when there is no exact one.
static rh_expr exact_value(rh_store *store, rh_op op, rh_expr a)
{
    const bool is_zero = rh__expr_is_zero(store, a);
    if (op == RH_OP_SIN || op == RH_OP_COS) {
        const rh_op top = rh__expr_op(store, a);
        const bool may_be_pi = is_zero || top == RH_OP_PI ||
                               (top == RH_OP_ADD && rh__expr_count(store, a) == 2 &&
                                rh__expr_op(store, rh__expr_argument(store, a, 1)) == RH_OP_PI);
        const int n = may_be_pi ? sixths_of_pi(store, a) : -1;
        return n < 0 ? RH_EXPR_NONE : sine_of_sixths(store, op == RH_OP_SIN ? n : (n + 3) % 12);
    }
    if (is_zero) {
        if (op == RH_OP_COSH || op == RH_OP_EXP) {
            return store->one;
        }
        return op == RH_OP_ACOS || op == RH_OP_LOG ? RH_EXPR_NONE : store->zero;
    }
    if (op == RH_OP_LOG && rh__expr_is_one(store, a)) {
        return store->zero;
    }
    if (rh__expr_is_number(store, a) && (op == RH_OP_ABS || op == RH_OP_SIGN)) {
        const int sign = rh__expr_number_sign(store, a);
        const rh_expr unit = rh__expr_integer(store, sign);
        return op == RH_OP_SIGN ? unit : rh__number_multiply(store, unit, a);
    }
    return RH_EXPR_NONE;
}

// log(exp(u)), exp(log(u)), abs(abs(u)), sin(asin(u)) and the like; none when nothing cancels.
static rh_expr cancelled(const rh_store *store, rh_op op, rh_expr a)
{
    const rh_op inner = rh__expr_op(store, a);
    const bool cancels =
        (op == RH_OP_LOG && inner == RH_OP_EXP) || (op == RH_OP_EXP && inner == RH_OP_LOG) ||
        (op == RH_OP_SIN && inner == RH_OP_ASIN) || (op == RH_OP_COS && inner == RH_OP_ACOS) ||
        (op == RH_OP_TAN && inner == RH_OP_ATAN);
    if (cancels) {
        return rh__expr_argument(store, a, 0);
    }
    const bool is_idle =
        (op == RH_OP_ABS && inner == RH_OP_ABS) || (op == RH_OP_SIGN && inner == RH_OP_SIGN);
    return is_idle ? a : RH_EXPR_NONE;
}

static rh_expr apply_function(rh_store *store, rh_op op, rh_expr a)
{
    rh_expr result = exact_value(store, op, a);
    if (rh__expr_is_none(result)) {
        result = cancelled(store, op, a);
    }
    if (!rh__expr_is_none(result) || store->refusal != RH_REFUSAL_NONE) {
        return result;
    }
    if ((is_odd(op) || is_even(op)) && rh__expr_leads_negative(store, a)) {
        const rh_expr flipped = rh__expr_negate(store, a);
        const rh_expr value =
            rh__expr_is_none(flipped) ? flipped : apply_function(store, op, flipped);
        return rh__expr_is_none(value) || is_even(op) ? value : rh__expr_negate(store, value);
    }
    return rh__store_intern(store, op, &a.i, 1);
}

// --- functions of two arguments ---------------------------------------------------------------

static rh_expr apply_pair(rh_store *store, rh_op op, rh_expr a, rh_expr b)
{
    const bool is_choice = op == RH_OP_MIN || op == RH_OP_MAX;
    if (is_choice && rh__expr_same(a, b)) {
        return a;
    }
    if (is_choice && rh__expr_is_number(store, a) && rh__expr_is_number(store, b)) {
        const bool takes_first = (rh__expr_compare(store, a, b) < 0) == (op == RH_OP_MIN);
        return takes_first ? a : b;
    }
    if (op == RH_OP_ATAN2 && rh__expr_is_zero(store, a) && rh__expr_is_number(store, b) &&
        rh__expr_number_sign(store, b) > 0) {
        return store->zero;
    }
    // min and max do not mind the order
    const bool is_swapped = is_choice && rh__expr_compare(store, a, b) > 0;
    const uint32_t arguments[] = {is_swapped ? b.i : a.i, is_swapped ? a.i : b.i};
    return rh__store_intern(store, op, arguments, 2);
}

// --- conditions: the numbers 1 and 0 are true and false
// -------------------------------------------

static rh_expr truth(const rh_store *store, bool is_true)
{
    return is_true ? store->one : store->zero;
}

static rh_expr apply_relation(rh_store *store, rh_op op, rh_expr a, rh_expr b)
{
    const rh_expr difference = rh__expr_subtract(store, a, b);
    if (rh__expr_is_none(difference)) {
        return difference;
    }
    if (rh__expr_is_number(store, difference)) {
        const int sign = rh__expr_number_sign(store, difference);
        return truth(store, op == RH_OP_EQUAL  ? sign == 0
                            : op == RH_OP_LESS ? sign < 0
                                               : sign <= 0);
    }
    const bool is_swapped = op == RH_OP_EQUAL && rh__expr_compare(store, a, b) > 0;
    const uint32_t arguments[] = {is_swapped ? b.i : a.i, is_swapped ? a.i : b.i};
    return rh__store_intern(store, op, arguments, 2);
}

// `and` with `neutral` true and `final` false, `or` the other way round.
static rh_expr apply_logic(rh_store *store, rh_op op, const rh_expr *arguments, uint32_t count)
{
    const rh_expr neutral = truth(store, op == RH_OP_AND);
    const rh_expr final = truth(store, op == RH_OP_OR);
    const rh_mark mark = rh__arena_mark(&store->scratch);
    uint32_t *kept = rh__arena_array(&store->scratch, uint32_t, count);
    rh_expr result = RH_EXPR_NONE;
    uint32_t size = 0;
    for (uint32_t k = 0; kept != NULL && k < count; k++) {
        if (rh__expr_same(arguments[k], final)) {
            rh__arena_rewind(&store->scratch, mark);
            return final;
        }
        if (!rh__expr_same(arguments[k], neutral)) {
            kept[size++] = arguments[k].i;
        }
    }
    if (kept == NULL) {
        result = rh__store_refuse(store, RH_REFUSAL_MEMORY);
    } else if (size <= 1) {
        result = size == 0 ? neutral : (rh_expr){kept[0]};
    } else {
        result = rh__store_intern(store, op, kept, size);
    }
    rh__arena_rewind(&store->scratch, mark);
    return result;
}

static rh_expr apply_not(rh_store *store, rh_expr a)
{
    switch (rh__expr_op(store, a)) {
    case RH_OP_NUMBER:
        return truth(store, rh__expr_is_zero(store, a));
    case RH_OP_NOT:
        return rh__expr_argument(store, a, 0);
    case RH_OP_LESS: // not (x < y) is y <= x
    case RH_OP_LESS_EQUAL: {
        const rh_op other = rh__expr_op(store, a) == RH_OP_LESS ? RH_OP_LESS_EQUAL : RH_OP_LESS;
        return apply_relation(store, other, rh__expr_argument(store, a, 1),
                              rh__expr_argument(store, a, 0));
    }
    default:
        return rh__store_intern(store, RH_OP_NOT, &a.i, 1);
    }
}

rh_expr rh__expr_if(rh_store *store, rh_expr condition, rh_expr yes, rh_expr no)
{
    if (rh__expr_is_none(condition) || rh__expr_is_none(yes) || rh__expr_is_none(no)) {
        return RH_EXPR_NONE;
    }
    if (rh__expr_is_number(store, condition)) {
        return rh__expr_is_zero(store, condition) ? no : yes;
    }
    if (rh__expr_same(yes, no)) {
        return yes;
    }
    return rh__store_intern(store, RH_OP_IF, (uint32_t[]){condition.i, yes.i, no.i}, 3);
}

// Pairs (number, term), as they are stored; all at once, so that a long sum is the one it was.
static rh_expr apply_sum(rh_store *store, const rh_expr *arguments, uint32_t count)
{
    const rh_mark mark = rh__arena_mark(&store->scratch);
    rh_expr *terms = rh__arena_array(&store->scratch, rh_expr, count / 2);
    rh_expr result = RH_EXPR_NONE;
    if (terms == NULL) {
        rh__store_refuse(store, RH_REFUSAL_MEMORY);
    } else {
        for (uint32_t k = 0; k < count / 2; k++) {
            terms[k] = rh__expr_multiply(store, arguments[2 * k], arguments[2 * k + 1]);
        }
        result = rh__expr_sum(store, terms, count / 2);
    }
    rh__arena_rewind(&store->scratch, mark);
    return result;
}

rh_expr rh__expr_apply(rh_store *store, rh_op op, const rh_expr *arguments, uint32_t count)
{
    for (uint32_t k = 0; k < count; k++) {
        if (rh__expr_is_none(arguments[k])) {
            return RH_EXPR_NONE;
        }
    }
    switch (op) {
    case RH_OP_ADD:
        return apply_sum(store, arguments, count);
    case RH_OP_MUL:
        return rh__expr_product(store, arguments, count);
    case RH_OP_POW:
        RH_ASSERT(count == 2);
        return rh__expr_power(store, arguments[0], arguments[1]);
    case RH_OP_RATIO:
        RH_ASSERT(count == 4);
        return rh__ratio_rebuild(store, arguments);
    case RH_OP_LESS:
    case RH_OP_LESS_EQUAL:
    case RH_OP_EQUAL:
        RH_ASSERT(count == 2);
        return apply_relation(store, op, arguments[0], arguments[1]);
    case RH_OP_AND:
    case RH_OP_OR:
        return apply_logic(store, op, arguments, count);
    case RH_OP_NOT:
        RH_ASSERT(count == 1);
        return apply_not(store, arguments[0]);
    case RH_OP_IF:
        RH_ASSERT(count == 3);
        return rh__expr_if(store, arguments[0], arguments[1], arguments[2]);
    default:
        RH_ASSERT(count == rh__op_arity(op));
        return count == 1 ? apply_function(store, op, arguments[0])
                          : apply_pair(store, op, arguments[0], arguments[1]);
    }
}
