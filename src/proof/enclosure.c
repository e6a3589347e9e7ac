// SPDX-License-Identifier: Apache-2.0
// Expressions in balls. The parts that the roots reach are laid out once, arguments before users;
// an evaluation goes through them in order. Every operation keeps the promise of the door: a finite
// result means that the part is defined and continuous on the balls of its arguments.

#include "proof/arbs.h"

#include <stdlib.h>

enum { EXPONENT_BITS = 4096 }; // larger powers of two are not kept: nothing is known of them

// One part: what to do with which earlier ones.
typedef struct step {
    rh_op op;
    rh_expr e;
    uint32_t first; // of its arguments in `arguments`; NUMBER: its place in `numbers`
    uint32_t count;
} step;

struct rh_enclosure {
    const rh_store *store;
    step *steps;
    uint32_t count;
    uint32_t *arguments;
    fmpq *numbers;
    uint32_t number_count;
    rh_balls *values; // one for each step
    uint32_t *roots;
    uint32_t root_count;
};

static int by_id(const void *a, const void *b)
{
    const uint32_t x = ((const rh_expr *)a)->i;
    const uint32_t y = ((const rh_expr *)b)->i;
    return (x > y) - (x < y);
}

// Where a part stands: the list is in order of ids.
static uint32_t place_of(const rh_expr_list *order, rh_expr e)
{
    const rh_expr *found = bsearch(&e, order->data, order->count, sizeof e, by_id);
    RH_ASSERT(found != NULL);
    return (uint32_t)(found - order->data);
}

static uint32_t count_arguments(const rh_store *store, const rh_expr_list *order, uint32_t *numbers)
{
    uint32_t total = 0;
    for (uint32_t k = 0; k < order->count; k++) {
        total += rh__expr_count(store, order->data[k]);
        *numbers += rh__expr_op(store, order->data[k]) == RH_OP_NUMBER;
    }
    return total;
}

static void lay_out(rh_enclosure *to, const rh_expr_list *order, rh_arena *scratch)
{
    uint32_t filled = 0;
    uint32_t numbers = 0;
    for (uint32_t k = 0; k < order->count; k++) {
        const rh_expr e = order->data[k];
        step *one = &to->steps[k];
        *one = (step){rh__expr_op(to->store, e), e, filled, rh__expr_count(to->store, e)};
        if (one->op == RH_OP_NUMBER) {
            one->first = numbers;
            rh__fmpq_of_number(to->numbers + numbers++, to->store, e, scratch);
        }
        for (uint32_t i = 0; i < one->count; i++) {
            to->arguments[filled++] = place_of(order, rh__expr_argument(to->store, e, i));
        }
    }
}

rh_enclosure *rh__enclosure_create(rh_store *store, const rh_expr *roots, uint32_t count,
                                   rh_arena *arena)
{
    rh_expr_list order = {0};
    rh_enclosure *to = rh__arena_new(arena, rh_enclosure);
    if (to == NULL || !rh__expr_reach(store, roots, count, arena, &order) ||
        order.count > RH_BALLS_MOST) {
        return NULL;
    }
    qsort(order.data, order.count, sizeof *order.data, by_id); // ids are in building order
    to->store = store;
    to->count = order.count;
    to->root_count = count;
    const uint32_t total = count_arguments(store, &order, &to->number_count);
    to->steps = rh__arena_array(arena, step, order.count + 1);
    to->arguments = rh__arena_array(arena, uint32_t, total + 1);
    to->roots = rh__arena_array(arena, uint32_t, count + 1);
    to->values = rh__balls_create(arena, order.count);
    fmpq *numbers = rh__arena_array(arena, fmpq, (size_t)to->number_count + 1); // 0/0: none yet
    if (to->steps == NULL || to->arguments == NULL || to->roots == NULL || to->values == NULL ||
        numbers == NULL) {
        rh__balls_destroy(to->values);
        return NULL;
    }
    to->numbers = numbers;
    lay_out(to, &order, arena);
    for (uint32_t k = 0; k < count; k++) {
        to->roots[k] = place_of(&order, roots[k]);
    }
    return to;
}

void rh__enclosure_destroy(rh_enclosure *enclosure)
{
    if (enclosure == NULL || enclosure->numbers == NULL) {
        return;
    }
    for (uint32_t k = 0; k < enclosure->number_count; k++) {
        fmpq_clear(enclosure->numbers + k);
    }
    enclosure->numbers = NULL;
    rh__balls_destroy(enclosure->values);
}

// --- operations ------------------------------------------------------------------------------

// x^n for a whole n: an even power is never negative, which a product of a ball with itself
// forgets.
static void whole_power(arb_t out, const arb_t x, const fmpz_t n, slong bits)
{
    fmpz_t size;
    fmpz_init(size);
    fmpz_abs(size, n);
    arb_pow_fmpz(out, x, size, bits);
    if (fmpz_is_even(size) && arb_is_finite(out)) {
        arb_nonnegative_part(out, out);
    }
    if (fmpz_sgn(n) < 0) {
        arb_inv(out, out, bits);
    }
    fmpz_clear(size);
}

// x^y with any other exponent: real for x >= 0; at 0 only a positive exponent is continuous.
static void real_power(arb_t out, const arb_t x, const arb_t y, slong bits)
{
    if (arb_is_positive(x)) {
        arb_pow(out, x, y, bits);
    } else if (arb_is_nonnegative(x) && arb_is_positive(y)) {
        arb_t top;
        arb_init(top);
        arb_get_ubound_arf(arb_midref(top), x, bits);
        arb_pow(top, top, y, bits);
        arb_zero(out);
        arb_union(out, out, top, bits);
        arb_clear(top);
    } else {
        arb_indeterminate(out);
    }
}

static void power(const rh_enclosure *in, const step *one, arb_t out, const arb_t x, const arb_t y,
                  slong bits)
{
    const step *exponent = &in->steps[in->arguments[one->first + 1]];
    const fmpq *q = exponent->op == RH_OP_NUMBER ? in->numbers + exponent->first : NULL;
    if (q != NULL && fmpz_is_one(fmpq_denref(q))) {
        whole_power(out, x, fmpq_numref(q), bits);
    } else if (q != NULL && fmpz_equal_ui(fmpq_denref(q), 2) && arb_is_nonnegative(x)) {
        arb_t root;
        arb_init(root);
        arb_sqrtpos(root, x, bits);
        whole_power(out, root, fmpq_numref(q), bits);
        arb_clear(root);
    } else {
        real_power(out, x, y, bits);
    }
}

// 1, 0, or -1 when it is not decided.
static int truth(const arb_t x)
{
    return !arb_is_finite(x) ? -1 : arb_is_zero(x) ? 0 : arb_contains_zero(x) ? -1 : 1;
}

static void set_truth(arb_t out, int decided)
{
    if (decided < 0) {
        arb_indeterminate(out);
    } else {
        arb_set_si(out, decided);
    }
}

static int compare(rh_op op, const arb_t x, const arb_t y)
{
    if (!arb_is_finite(x) || !arb_is_finite(y)) {
        return -1;
    }
    switch (op) {
    case RH_OP_LESS:
        return arb_lt(x, y) ? 1 : arb_ge(x, y) ? 0 : -1;
    case RH_OP_LESS_EQUAL:
        return arb_le(x, y) ? 1 : arb_gt(x, y) ? 0 : -1;
    default:
        return arb_eq(x, y) ? 1 : arb_ne(x, y) ? 0 : -1;
    }
}

// `and` is settled by one that is false, `or` by one that is true, whatever the others are.
static int connect(const rh_enclosure *in, const step *one)
{
    const int settling = one->op == RH_OP_OR;
    int result = 1 - settling;
    for (uint32_t k = 0; k < one->count; k++) {
        const int part = truth(in->values->data + in->arguments[one->first + k]);
        if (part == settling) {
            return settling;
        }
        result = part < 0 ? -1 : result;
    }
    return result;
}

// A choice between continuous parts is continuous only where the condition is decided.
static void choose(arb_t out, const arb_t condition, const arb_t yes, const arb_t no)
{
    const int decided = truth(condition);
    if (decided < 0) {
        arb_indeterminate(out);
    } else {
        arb_set(out, decided ? yes : no);
    }
}

static void sign(arb_t out, const arb_t x)
{
    set_truth(out, arb_is_zero(x) ? 0 : arb_is_positive(x) || arb_is_negative(x) ? 1 : -1);
    if (arb_is_negative(x)) {
        arb_neg(out, out);
    }
}

// The angle jumps on the negative x axis and has no value at the origin.
static void angle(arb_t out, const arb_t y, const arb_t x, slong bits)
{
    if (arb_contains_zero(y) && !arb_is_positive(x) && !(arb_is_zero(y) && arb_is_negative(x))) {
        arb_indeterminate(out);
    } else {
        arb_atan2(out, y, x, bits);
    }
}

static void sum(const rh_enclosure *in, const step *one, arb_t out, slong bits)
{
    arb_zero(out);
    const uint32_t *from = in->arguments + one->first;
    for (uint32_t k = 0; k < one->count; k += 2) {
        arb_addmul(out, in->values->data + from[k], in->values->data + from[k + 1], bits);
    }
}

static void product(const rh_enclosure *in, const step *one, arb_t out, slong bits)
{
    arb_one(out);
    for (uint32_t k = 0; k < one->count; k++) {
        arb_mul(out, out, in->values->data + in->arguments[one->first + k], bits);
    }
}

static void function(rh_op op, arb_t out, const arb_t x, const arb_t y, slong bits)
{
    switch (op) {
    case RH_OP_SIN:
        arb_sin(out, x, bits);
        break;
    case RH_OP_COS:
        arb_cos(out, x, bits);
        break;
    case RH_OP_TAN:
        arb_tan(out, x, bits);
        break;
    case RH_OP_ASIN:
        arb_asin(out, x, bits);
        break;
    case RH_OP_ACOS:
        arb_acos(out, x, bits);
        break;
    case RH_OP_ATAN:
        arb_atan(out, x, bits);
        break;
    case RH_OP_SINH:
        arb_sinh(out, x, bits);
        break;
    case RH_OP_COSH:
        arb_cosh(out, x, bits);
        break;
    case RH_OP_TANH:
        arb_tanh(out, x, bits);
        break;
    case RH_OP_EXP:
        arb_exp(out, x, bits);
        break;
    case RH_OP_LOG:
        arb_log(out, x, bits);
        break;
    case RH_OP_ABS:
        arb_abs(out, x);
        break;
    case RH_OP_SIGN:
        sign(out, x);
        break;
    case RH_OP_ATAN2:
        angle(out, x, y, bits);
        break;
    case RH_OP_MIN:
        arb_min(out, x, y, bits);
        break;
    case RH_OP_MAX:
        arb_max(out, x, y, bits);
        break;
    default:
        RH_ASSERT(op == RH_OP_SIN); // every function has its ball: nothing else comes here
        arb_indeterminate(out);
    }
}

static void number(const rh_enclosure *in, const step *one, arb_t out, slong bits)
{
    const fmpq *value = in->numbers + one->first;
    if (fmpz_is_zero(fmpq_denref(value))) {
        arb_indeterminate(out);
    } else {
        arb_set_fmpq(out, value, bits);
    }
}

// Nothing is known of what comes out of something unknown; only conditions may not need it.
static bool is_known(const rh_enclosure *in, const step *one)
{
    bool ok = one->op != RH_OP_AND && one->op != RH_OP_OR && one->op != RH_OP_IF;
    for (uint32_t k = 0; ok && k < one->count; k++) {
        if (!arb_is_finite(in->values->data + in->arguments[one->first + k])) {
            return false;
        }
    }
    return true;
}

static void take_step(const rh_enclosure *in, const step *one, arb_t out, slong bits)
{
    arb_srcptr values = in->values->data;
    const uint32_t *from = in->arguments + one->first;
    // what has fewer arguments does not look at them
    arb_srcptr x = one->count > 0 ? values + from[0] : values;
    arb_srcptr y = one->count > 1 ? values + from[1] : values;
    switch (one->op) {
    case RH_OP_NUMBER:
        number(in, one, out, bits);
        break;
    case RH_OP_PI:
        arb_const_pi(out, bits);
        break;
    case RH_OP_ADD:
        sum(in, one, out, bits);
        break;
    case RH_OP_MUL:
        product(in, one, out, bits);
        break;
    case RH_OP_POW:
        power(in, one, out, x, y, bits);
        break;
    case RH_OP_RATIO: // where z may be 0 the quotient is not known, and so is it
        arb_set(out, y);
        break;
    case RH_OP_LESS:
    case RH_OP_LESS_EQUAL:
    case RH_OP_EQUAL:
        set_truth(out, compare(one->op, x, y));
        break;
    case RH_OP_AND:
    case RH_OP_OR:
        set_truth(out, connect(in, one));
        break;
    case RH_OP_NOT:
        set_truth(out, truth(x) < 0 ? -1 : !truth(x));
        break;
    case RH_OP_IF:
        choose(out, x, y, values + from[2]);
        break;
    default:
        function(one->op, out, x, y, bits);
    }
    if (!arb_is_finite(out) || fmpz_bits(ARF_EXPREF(arb_midref(out))) > EXPONENT_BITS ||
        fmpz_bits(MAG_EXPREF(arb_radref(out))) > EXPONENT_BITS) {
        arb_indeterminate(out);
    }
}

void rh__enclosure_evaluate(rh_enclosure *enclosure, rh_ball_of *ball_of, void *user,
                            uint32_t precision, rh_balls *out)
{
    const slong bits = rh__balls_bits(precision);
    RH_ASSERT(out->count >= enclosure->root_count);
    for (uint32_t k = 0; k < enclosure->count; k++) {
        const step *one = &enclosure->steps[k];
        if (rh__reserve_is_low()) { // numbers stay from step to step
            rh__guard_starve(enclosure->values->guard);
        }
        if (rh__reserve_is_low() || !is_known(enclosure, one)) {
            arb_indeterminate(enclosure->values->data + k);
        } else if (one->op == RH_OP_SYMBOL) {
            ball_of(user, enclosure->store, one->e, enclosure->values, k);
        } else {
            take_step(enclosure, one, enclosure->values->data + k, bits);
        }
    }
    for (uint32_t k = 0; k < enclosure->root_count; k++) {
        arb_set(out->data + k, enclosure->values->data + enclosure->roots[k]);
    }
}
