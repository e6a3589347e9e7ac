// SPDX-License-Identifier: Apache-2.0
// Plain double evaluation, and the test whether an expression vanishes identically (exactly, or at
// random points).

#include "expr/loss.h"
#include "expr/store.h"

#include <float.h>
#include <math.h>

static double function_value(rh_op op, double a, double b)
{
    (void)b;
    switch (op) {
#define RH_OP(name, word, arity, first, second, value, latex)                                      \
    case RH_OP_##name:                                                                             \
        return value;
#include "expr/ops.def"
    default:
        RH_ASSERT(op == RH_OP_SIN); // only functions come here
        return NAN;
    }
}

// An integer power by repeated squaring: exact signs, and x^2 is x*x.
static double integer_power(double base, int64_t exponent)
{
    double result = 1.0;
    double square = base;
    for (uint64_t n = exponent < 0 ? 0 - (uint64_t)exponent : (uint64_t)exponent; n > 0; n /= 2) {
        result = n % 2 == 1 ? result * square : result;
        square *= square;
    }
    return exponent < 0 ? 1.0 / result : result;
}

// --- recipes -------------------------------------------------------------------------------------

static double power_value(const rh_recipe_line *line, double a, double b)
{
    if (line->is_whole) {
        return integer_power(a, line->exponent);
    }
    return b == 0.5 ? sqrt(a) : b == -0.5 ? 1.0 / sqrt(a) : pow(a, b);
}

// The coefficients and terms of a sum, in stored order.
static double sum_value(const uint32_t *from, uint32_t count, const double *values)
{
    double result = 0.0;
    for (uint32_t k = 0; k < count; k += 2) {
        result += values[from[k]] * values[from[k + 1]];
    }
    return result;
}

static double product_value(const uint32_t *from, uint32_t count, const double *values)
{
    double result = 1.0;
    for (uint32_t k = 0; k < count; k++) {
        result *= values[from[k]];
    }
    return result;
}

// Do all of them hold, or, of alternatives, any?
static double logic_value(const uint32_t *from, uint32_t count, const double *values, bool is_any)
{
    bool result = !is_any;
    for (uint32_t k = 0; k < count; k++) {
        const bool holds = values[from[k]] != 0;
        result = is_any ? result || holds : result && holds;
    }
    return (double)result;
}

static double ratio_value(const rh_store *store, const uint32_t *from, const double *values)
{
    return rh__ratio_value(rh__ratio_at(store, (uint32_t)values[from[2]]),
                           (uint32_t)values[from[3]], values[from[0]], values[from[1]]);
}

double rh__recipe_line_value(const rh_store *store, const rh_recipe_line *line,
                             const uint32_t *from, const double *values)
{
    const double a = line->count > 0 ? values[from[0]] : 0.0;
    const double b = line->count > 1 ? values[from[1]] : 0.0;
    switch (line->op) {
    case RH_OP_NUMBER:
    case RH_OP_PI:
        return line->number;
    case RH_OP_ADD:
        return sum_value(from, line->count, values);
    case RH_OP_MUL:
        return product_value(from, line->count, values);
    case RH_OP_AND:
    case RH_OP_OR:
        return logic_value(from, line->count, values, line->op == RH_OP_OR);
    case RH_OP_POW:
        return power_value(line, a, b);
    case RH_OP_RATIO:
        return ratio_value(store, from, values);
    case RH_OP_LESS:
        return (double)(a < b);
    case RH_OP_LESS_EQUAL:
        return (double)(a <= b);
    case RH_OP_EQUAL:
        return (double)(a == b);
    case RH_OP_NOT:
        return (double)(a == 0);
    case RH_OP_IF:
        return a != 0 ? b : values[from[2]];
    default:
        return function_value(line->op, a, b);
    }
}

// What can be known of a node before any value is; `from` takes the places of its arguments.
static rh_recipe_line read_line(const rh_store *store, rh_expr e, uint32_t *from)
{
    rh_recipe_line line = {.op = rh__expr_op(store, e), .symbol = e};
    line.count = rh__expr_count(store, e);
    for (uint32_t k = 0; k < line.count; k++) {
        from[k] = store->places[rh__expr_argument(store, e, k).i];
    }
    if (line.op == RH_OP_NUMBER) {
        line.number = rh__expr_number_value(store, e);
    } else if (line.op == RH_OP_PI) {
        line.number = 3.14159265358979323846;
    } else if (line.op == RH_OP_POW) {
        line.is_whole = rh__expr_as_integer(store, rh__expr_argument(store, e, 1), &line.exponent);
    }
    return line;
}

bool rh__recipe_create(rh_store *store, const rh_expr *roots, uint32_t count, rh_arena *arena,
                       rh_recipe *out)
{
    rh_expr_list order;
    *out = (rh_recipe){.count = count};
    if (!rh__expr_reach(store, roots, count, arena, &order)) {
        return false;
    }
    size_t arguments = 0;
    for (uint32_t k = 0; k < order.count; k++) {
        store->places[order.data[k].i] = k;
        arguments += rh__expr_count(store, order.data[k]);
    }
    uint32_t *from = rh__arena_array(arena, uint32_t, arguments + 1);
    uint32_t *places = rh__arena_array(arena, uint32_t, (size_t)count + 1);
    rh_recipe_line *lines = rh__arena_array(arena, rh_recipe_line, (size_t)order.count + 1);
    if (from == NULL || places == NULL || lines == NULL) {
        rh__store_refuse(store, RH_REFUSAL_MEMORY);
        return false;
    }
    out->arguments = from;
    for (uint32_t k = 0; k < order.count; k++) {
        lines[k] = read_line(store, order.data[k], from);
        from += lines[k].count;
    }
    for (uint32_t k = 0; k < count; k++) {
        places[k] = store->places[roots[k].i];
    }
    out->places = places;
    out->lines = lines;
    out->line_count = order.count;
    return true;
}

bool rh__recipe_values(rh_store *store, const rh_recipe *recipe, rh_value_of *value_of,
                       const void *user, rh_arena *scratch, double *out)
{
    enum { FEW = 64 };
    double few[FEW];
    double *values =
        recipe->line_count <= FEW ? few : rh__arena_array(scratch, double, recipe->line_count);
    if (values == NULL) {
        rh__store_refuse(store, RH_REFUSAL_MEMORY);
        return false;
    }
    const uint32_t *from = recipe->arguments;
    for (uint32_t k = 0; k < recipe->line_count; k++) {
        const rh_recipe_line *line = &recipe->lines[k];
        values[k] = line->op == RH_OP_SYMBOL ? value_of(user, store, line->symbol)
                                             : rh__recipe_line_value(store, line, from, values);
        from += line->count;
    }
    for (uint32_t k = 0; k < recipe->count; k++) {
        out[k] = values[recipe->places[k]];
    }
    return true;
}

bool rh__expr_values(rh_store *store, const rh_expr *roots, uint32_t count, rh_value_of *value_of,
                     const void *user, rh_arena *scratch, double *out)
{
    rh_recipe recipe;
    return rh__recipe_create(store, roots, count, scratch, &recipe) &&
           rh__recipe_values(store, &recipe, value_of, user, scratch, out);
}

// --- vanishing -------------------------------------------------------------------------------

typedef struct sample {
    uint64_t seed;
    rh_value_of *value_of;
    const void *user;
} sample;

// Parameters keep their values where these are known; the rest lies in (0.1, 1.9), the same on
// every run.
static double sample_value(const void *user, const rh_store *store, rh_expr symbol)
{
    const sample *random = user;
    const bool moves = (rh__expr_mask(store, symbol) & RH_EXPR_VARIABLE) != 0;
    if (!moves && random->value_of != NULL) {
        const double value = random->value_of(random->user, store, symbol);
        if (!isnan(value)) {
            return value;
        }
    }
    const uint64_t bits = rh__hash_mix(random->seed ^ ((uint64_t)symbol.i << 20));
    return 0.1 + 1.8 * (double)(bits >> 11) * 0x1p-53;
}

// The terms of a sum with their numbers, or the expression alone.
static uint32_t split_terms(rh_store *store, rh_expr e, rh_expr *out)
{
    const bool is_sum = rh__expr_op(store, e) == RH_OP_ADD;
    const uint32_t count = is_sum ? rh__expr_count(store, e) / 2 : 1;
    for (uint32_t k = 0; k < count; k++) {
        out[k] = is_sum ? rh__expr_scale(store, rh__expr_argument(store, e, 2 * k),
                                         rh__expr_argument(store, e, 2 * k + 1))
                        : e;
    }
    return count;
}

// Is `e`, the sum of these terms, zero at a point?
static rh_zero_at judge_terms(rh_store *store, rh_expr e, const rh_expr *terms, uint32_t count,
                              rh_value_of *value_of, const void *user, rh_arena *scratch,
                              double *values)
{
    enum { ROUNDINGS = 4 };
    double sum = 0.0;
    double size = 0.0;
    if (!rh__expr_values(store, terms, count, value_of, user, scratch, values)) {
        return RH_ZERO_AT_REFUSED;
    }
    for (uint32_t k = 0; k < count; k++) {
        sum += values[k];
        size += fabs(values[k]);
    }
    if (!isfinite(size)) {
        return RH_ZERO_AT_NOTHING;
    }
    // where the terms are themselves what sums within them leave over, rounding decides
    const bool is_zero =
        fabs(sum) <= 1e-10 * size ||
        fabs(sum) <= ROUNDINGS * DBL_EPSILON * rh__loss_bound(store, e, value_of, user, scratch);
    return is_zero ? RH_ZERO_AT_YES : RH_ZERO_AT_NO;
}

rh_zero_at rh__expr_zero_at(rh_store *store, rh_expr e, rh_value_of *value_of, const void *user,
                            rh_arena *scratch)
{
    const bool is_product = rh__expr_op(store, e) == RH_OP_MUL;
    const rh_mark mark = rh__arena_mark(scratch);
    rh_zero_at found = RH_ZERO_AT_NO;
    for (uint32_t k = 0; is_product && found == RH_ZERO_AT_NO && k < rh__expr_count(store, e);
         k++) {
        found = rh__expr_zero_at(store, rh__expr_argument(store, e, k), value_of, user, scratch);
    }
    if (!is_product) {
        const uint32_t most = rh__expr_count(store, e) / 2 + 1;
        rh_expr *terms = rh__arena_array(scratch, rh_expr, most);
        double *values = rh__arena_array(scratch, double, most);
        found = terms == NULL || values == NULL
                    ? RH_ZERO_AT_REFUSED
                    : judge_terms(store, e, terms, split_terms(store, e, terms), value_of, user,
                                  scratch, values);
    }
    if (found == RH_ZERO_AT_REFUSED) {
        rh__store_refuse(store, RH_REFUSAL_MEMORY);
    }
    rh__arena_rewind(scratch, mark);
    return found;
}

// The same numbers with signs.
static double signed_value(const void *user, const rh_store *store, rh_expr symbol)
{
    const sample *random = user;
    const bool moves = (rh__expr_mask(store, symbol) & RH_EXPR_VARIABLE) != 0;
    const uint64_t bits = rh__hash_mix(~random->seed ^ ((uint64_t)symbol.i << 20));
    const double value = sample_value(user, store, symbol);
    return moves && (bits >> 40 & 1u) != 0 ? -value : value;
}

rh_vanishing_where rh__expr_vanishes_where(rh_store *store, rh_expr e, rh_value_of *value_of,
                                           const void *user, rh_arena *scratch)
{
    enum { POINTS = 128 };
    uint32_t zeros = 0;
    uint32_t others = 0;
    for (uint32_t point = 0; point < POINTS; point++) {
        sample random = {rh__hash_mix(point + 1), value_of, user};
        const rh_zero_at found = rh__expr_zero_at(store, e, signed_value, &random, scratch);
        zeros += found == RH_ZERO_AT_YES;
        others += found == RH_ZERO_AT_NO;
    }
    return zeros == 0    ? RH_VANISHING_NOWHERE
           : others == 0 ? RH_VANISHING_EVERYWHERE
                         : RH_VANISHING_SOMEWHERE;
}

rh_vanishing rh__expr_vanishes(rh_store *store, rh_expr e, rh_value_of *value_of, const void *user,
                               rh_arena *scratch)
{
    enum { POINTS = 8 };
    if (rh__expr_is_zero(store, e)) {
        return RH_VANISHING_PROVED;
    }
    if (rh__expr_op(store, e) == RH_OP_MUL) {
        rh_vanishing best = RH_VANISHING_NO;
        for (uint32_t k = 0; best == RH_VANISHING_NO && k < rh__expr_count(store, e); k++) {
            best =
                rh__expr_vanishes(store, rh__expr_argument(store, e, k), value_of, user, scratch);
        }
        return best;
    }
    if (rh__expr_op(store, e) != RH_OP_ADD) {
        return RH_VANISHING_NO;
    }
    const rh_mark mark = rh__arena_mark(scratch);
    const uint32_t most = rh__expr_count(store, e) / 2;
    rh_expr *terms = rh__arena_array(scratch, rh_expr, most);
    double *values = rh__arena_array(scratch, double, most);
    bool is_zero = terms != NULL && values != NULL;
    if (!is_zero) {
        rh__store_refuse(store, RH_REFUSAL_MEMORY);
    }
    const uint32_t count = is_zero ? split_terms(store, e, terms) : 0;
    uint32_t judged = 0;
    for (uint32_t point = 0; is_zero && point < POINTS; point++) {
        sample random = {rh__hash_mix(point + 1), value_of, user};
        const rh_zero_at found =
            judge_terms(store, e, terms, count, sample_value, &random, scratch, values);
        is_zero = found == RH_ZERO_AT_YES || found == RH_ZERO_AT_NOTHING;
        judged += found == RH_ZERO_AT_YES;
    }
    rh__arena_rewind(scratch, mark);
    is_zero = is_zero && judged > 0;
    rh__store_note(store, RH_WITNESS_VANISHES, e, value_of, user, is_zero);
    return is_zero ? RH_VANISHING_SAMPLED : RH_VANISHING_NO;
}
