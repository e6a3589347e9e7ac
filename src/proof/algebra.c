// SPDX-License-Identifier: Apache-2.0
// Expressions into fractions of polynomials, part by part; each part once, however many roots reach
// it.

#include "proof/algebra.h"

#include <stdlib.h>

static int by_id(const void *a, const void *b)
{
    const uint32_t x = ((const rh_expr *)a)->i;
    const uint32_t y = ((const rh_expr *)b)->i;
    return (x > y) - (x < y);
}

static rh_fraction *entry(const rh_algebra *algebra, rh_expr e)
{
    const rh_expr *found = bsearch(&e, algebra->order.data, algebra->order.count, sizeof e, by_id);
    RH_ASSERT(found != NULL);
    return &algebra->known[found - algebra->order.data];
}

rh_fraction rh__algebra_known(const rh_algebra *algebra, rh_expr e)
{
    return *entry(algebra, e);
}

bool rh__algebra_begin(rh_algebra *algebra, rh_store *store, const rh_expr *roots, uint32_t count,
                       rh_arena *arena)
{
    rh__balls_prepare();
    *algebra = (rh_algebra){.store = store, .arena = arena};
    algebra->scratch = rh__arena_begin(arena->allocator, arena->limit);
    if (!rh__expr_reach(store, roots, count, arena, &algebra->order)) {
        return false;
    }
    qsort(algebra->order.data, algebra->order.count, sizeof *algebra->order.data, by_id);
    algebra->known = rh__arena_array(arena, rh_fraction, algebra->order.count + 1);
    if (algebra->known == NULL) {
        return false;
    }
    uint32_t most = 1;
    for (uint32_t k = 0; k < algebra->order.count && most < 4 * RH_ALGEBRA_GENERATORS; k++) {
        most += rh__generator_plan(algebra, algebra->order.data[k]);
    }
    if (algebra->has_failed) {
        return false;
    }
    most = most < RH_ALGEBRA_GENERATORS ? most : RH_ALGEBRA_GENERATORS;
    fmpq_mpoly_ctx_init(algebra->ring, (slong)most, ORD_LEX);
    algebra->has_ring = true;
    return true;
}

void rh__algebra_end(rh_algebra *algebra)
{
    if (algebra->has_ring) {
        for (uint32_t k = 0; k < algebra->keeping.count; k++) {
            fmpq_mpoly_clear(algebra->keeping.data[k].poly, algebra->ring);
        }
        for (uint32_t k = 0; k < algebra->pinned.count; k++) {
            fmpq_mpoly_clear(algebra->pinned.data[k].poly, algebra->ring);
        }
        fmpq_mpoly_ctx_clear(algebra->ring);
    }
    for (uint32_t k = 0; k < algebra->divisors.count; k++) {
        fmpz_clear(&algebra->divisors.data[k].value);
        fmpz_clear(&algebra->divisors.data[k].share);
    }
    for (uint32_t k = 0; k < algebra->count; k++) {
        fmpz_clear(&algebra->generators[k].divisor);
    }
    algebra->has_ring = false;
    rh__arena_end(&algebra->scratch);
}

// --- nodes -----------------------------------------------------------------------------------

static rh_fraction read_number(rh_algebra *algebra, rh_expr e)
{
    fmpq_t value;
    fmpq_init(value);
    rh__fmpq_of_number(value, algebra->store, e, &algebra->scratch);
    const rh_fraction out = rh__fraction_number(algebra, value);
    fmpq_clear(value);
    return out;
}

// By halves, so that long sums do not carry a large polynomial through every step.
static rh_fraction read_sum(rh_algebra *algebra, rh_expr e, uint32_t from, uint32_t to)
{
    if (to - from == 2) {
        const rh_fraction term =
            rh__algebra_known(algebra, rh__expr_argument(algebra->store, e, from + 1));
        fmpq_t number;
        fmpq_init(number);
        rh__fmpq_of_number(number, algebra->store, rh__expr_argument(algebra->store, e, from),
                           &algebra->scratch);
        const rh_fraction out = rh__fraction_scale(algebra, term, number);
        fmpq_clear(number);
        return out;
    }
    const uint32_t middle = from + (to - from) / 4 * 2;
    const rh_fraction first = read_sum(algebra, e, from, middle);
    if (algebra->has_failed) {
        return first;
    }
    return rh__fraction_add(algebra, first, read_sum(algebra, e, middle, to));
}

static rh_fraction read_product(rh_algebra *algebra, rh_expr e)
{
    rh_fraction out = rh__fraction_integer(algebra, 1);
    for (uint32_t k = 0; k < rh__expr_count(algebra->store, e) && !algebra->has_failed; k++) {
        out = rh__fraction_multiply(
            algebra, out, rh__algebra_known(algebra, rh__expr_argument(algebra->store, e, k)));
    }
    return out;
}

static rh_fraction read_power(rh_algebra *algebra, rh_expr e)
{
    const rh_expr base = rh__expr_argument(algebra->store, e, 0);
    const rh_expr exponent = rh__expr_argument(algebra->store, e, 1);
    int64_t n = 0;
    if (rh__expr_as_integer(algebra->store, exponent, &n)) {
        (void)rh__algebra_demand(algebra, n >= -RH_ALGEBRA_POWER && n <= RH_ALGEBRA_POWER);
        return rh__fraction_power(algebra, rh__algebra_known(algebra, base), (slong)n);
    }
    return rh__generator_power(algebra, base, exponent);
}

// --- choices ---------------------------------------------------------------------------------
//
// Away from where a choice changes, a condition is a number: a < b is (1 + |b - a|/(b - a))/2.

static rh_fraction sign_of(rh_algebra *algebra, rh_fraction a)
{
    const rh_fraction size = rh__generator_size(algebra, a);
    return algebra->has_failed
               ? size
               : rh__fraction_multiply(algebra, size, rh__fraction_invert(algebra, a));
}

static rh_fraction half_of(rh_algebra *algebra, rh_fraction a)
{
    fmpq_t half;
    fmpq_init(half);
    fmpq_set_si(half, 1, 2);
    const rh_fraction out = rh__fraction_scale(algebra, a, half);
    fmpq_clear(half);
    return out;
}

static rh_fraction read_comparison(rh_algebra *algebra, rh_op op, const rh_fraction *of)
{
    const rh_fraction difference = rh__fraction_subtract(algebra, of[1], of[0]);
    if (algebra->has_failed || rh__fraction_is_zero(algebra, difference)) {
        return rh__fraction_integer(algebra, op == RH_OP_LESS ? 0 : 1);
    }
    if (op == RH_OP_EQUAL) {
        return rh__fraction_integer(algebra, 0);
    }
    const rh_fraction sign = sign_of(algebra, difference);
    const rh_fraction one = rh__fraction_integer(algebra, 1);
    return algebra->has_failed ? one : half_of(algebra, rh__fraction_add(algebra, one, sign));
}

// The smaller or larger of two: half of their sum less or plus the size of their difference.
static rh_fraction read_extreme(rh_algebra *algebra, rh_op op, const rh_fraction *of)
{
    const rh_fraction difference = rh__fraction_subtract(algebra, of[0], of[1]);
    const rh_fraction sum = rh__fraction_add(algebra, of[0], of[1]);
    if (algebra->has_failed) {
        return sum;
    }
    const rh_fraction size = rh__generator_size(algebra, difference);
    if (algebra->has_failed) {
        return size;
    }
    return half_of(algebra, op == RH_OP_MAX ? rh__fraction_add(algebra, sum, size)
                                            : rh__fraction_subtract(algebra, sum, size));
}

// `and` is a product, `or` one of the opposites.
static rh_fraction read_logic(rh_algebra *algebra, rh_expr e, rh_op op)
{
    const rh_fraction one = rh__fraction_integer(algebra, 1);
    rh_fraction out = one;
    for (uint32_t k = 0; k < rh__expr_count(algebra->store, e) && !algebra->has_failed; k++) {
        rh_fraction part = rh__algebra_known(algebra, rh__expr_argument(algebra->store, e, k));
        part = op == RH_OP_AND ? part : rh__fraction_subtract(algebra, one, part);
        out = algebra->has_failed ? out : rh__fraction_multiply(algebra, out, part);
    }
    return op == RH_OP_OR && !algebra->has_failed ? rh__fraction_subtract(algebra, one, out) : out;
}

static rh_fraction read_choice(rh_algebra *algebra, const rh_fraction *of)
{
    const rh_fraction gain = rh__fraction_subtract(algebra, of[1], of[2]);
    if (algebra->has_failed) {
        return gain;
    }
    const rh_fraction part = rh__fraction_multiply(algebra, of[0], gain);
    return algebra->has_failed ? part : rh__fraction_add(algebra, of[2], part);
}

static rh_fraction read_other(rh_algebra *algebra, rh_expr e, rh_op op)
{
    rh_fraction arguments[3] = {{0}};
    const uint32_t count = rh__expr_count(algebra->store, e);
    if (!rh__algebra_demand(algebra, count <= 3)) {
        return (rh_fraction){0};
    }
    for (uint32_t k = 0; k < count; k++) {
        arguments[k] = rh__algebra_known(algebra, rh__expr_argument(algebra->store, e, k));
    }
    switch (op) {
    case RH_OP_ABS:
        return rh__generator_size(algebra, arguments[0]);
    case RH_OP_SIGN:
        return sign_of(algebra, arguments[0]);
    case RH_OP_MIN:
    case RH_OP_MAX:
        return read_extreme(algebra, op, arguments);
    case RH_OP_LESS:
    case RH_OP_LESS_EQUAL:
    case RH_OP_EQUAL:
        return read_comparison(algebra, op, arguments);
    case RH_OP_IF:
        return read_choice(algebra, arguments);
    default:
        return rh__generator_other(algebra, op, arguments, count);
    }
}

static rh_fraction read_node(rh_algebra *algebra, rh_expr e)
{
    const rh_op op = rh__expr_op(algebra->store, e);
    switch (op) {
    case RH_OP_NUMBER:
        return read_number(algebra, e);
    case RH_OP_SYMBOL:
    case RH_OP_PI:
        return rh__generator_symbol(algebra, e);
    case RH_OP_ADD:
        return read_sum(algebra, e, 0, rh__expr_count(algebra->store, e));
    case RH_OP_MUL:
        return read_product(algebra, e);
    case RH_OP_POW:
        return read_power(algebra, e);
    case RH_OP_RATIO: // an identity of analytic functions holds where it holds beside a point
        return rh__fraction_power(
            algebra, rh__algebra_known(algebra, rh__expr_argument(algebra->store, e, 1)), 1);
    case RH_OP_AND:
    case RH_OP_OR:
    case RH_OP_NOT:
        return read_logic(algebra, e, op);
    case RH_OP_SIN:
    case RH_OP_COS:
    case RH_OP_TAN:
    case RH_OP_EXP:
    case RH_OP_SINH:
    case RH_OP_COSH:
    case RH_OP_TANH:
        return rh__generator_function(algebra, op, rh__expr_argument(algebra->store, e, 0));
    default:
        return read_other(algebra, e, op);
    }
}

// What was made on the way to a part is given back; the part itself stays.
static void keep_only(rh_algebra *algebra, uint32_t mark, fmpq_mpoly_struct *result)
{
    for (uint32_t k = mark; k < algebra->keeping.count; k++) {
        fmpq_mpoly_struct *poly = algebra->keeping.data[k].poly;
        if (poly != result) {
            fmpq_mpoly_clear(poly, algebra->ring);
        }
    }
    algebra->keeping.count = mark;
    if (result != NULL) {
        algebra->keeping.data[algebra->keeping.count++].poly = result;
    }
}

static void read_part(rh_algebra *algebra, rh_expr e)
{
    rh_fraction *to = entry(algebra, e);
    if (to->numerator != NULL) {
        return;
    }
    const uint32_t mark = algebra->keeping.count;
    const rh_fraction made = read_node(algebra, e);
    keep_only(algebra, mark, algebra->has_failed ? NULL : made.numerator);
    if (!algebra->has_failed && made.numerator != NULL) {
        const uint64_t words = (uint64_t)fmpq_mpoly_ctx_nvars(algebra->ring) / 8 + 2;
        algebra->held += words * (uint64_t)fmpq_mpoly_length(made.numerator, algebra->ring);
        *to = made;
        (void)rh__algebra_demand(algebra, algebra->held <= RH_ALGEBRA_HELD);
    }
}

bool rh__algebra_is_zero(rh_algebra *algebra, rh_expr root, uint64_t work, bool *out_is_read)
{
    rh_expr_list parts;
    algebra->has_failed = false;
    algebra->work = work;
    const rh_mark mark = rh__arena_mark(&algebra->scratch);
    (void)rh__algebra_demand(algebra,
                             rh__expr_reach(algebra->store, &root, 1, &algebra->scratch, &parts));
    if (!algebra->has_failed) {
        qsort(parts.data, parts.count, sizeof *parts.data, by_id);
    }
    for (uint32_t k = 0; !algebra->has_failed && k < parts.count; k++) {
        read_part(algebra, parts.data[k]);
    }
    rh__arena_rewind(&algebra->scratch, mark);
    *out_is_read = !algebra->has_failed;
    return !algebra->has_failed && rh__fraction_is_zero(algebra, rh__algebra_known(algebra, root));
}
