// SPDX-License-Identifier: Apache-2.0
// Removable singularities: x/(exp(x) - 1), sin(x)/x, 0.1*(25 - V)/(exp((25 - V)/10) - 1). In: a
// product with divisors; out: an equal one in which factors that vanish together are ratios
// F(z)/z^p of one argument z, times the power of z that is left. docs/theory/motion.md, section 2.

#include "expr/ratio.h"

enum {
    MOST_ZERO = 8,
    MOST_DEGREE = 12,
    MOST_CANDIDATES = 24,
    MOST_NODES = 200,
    MOST_FACTORS = RH_EXPR_FLATTEN
};

static bool moves(const rh_store *store, rh_expr e)
{
    return (rh__expr_mask(store, e) & RH_EXPR_VARIABLE) != 0;
}

// --- arguments that may vanish ---------------------------------------------------------------

typedef struct candidates {
    rh_expr data[MOST_CANDIDATES];
    uint32_t count;
} candidates;

static void add_candidate(const rh_store *store, candidates *list, rh_expr z)
{
    bool is_new = !rh__expr_is_none(z) && moves(store, z) && list->count < MOST_CANDIDATES;
    for (uint32_t k = 0; is_new && k < list->count; k++) {
        is_new = !rh__expr_same(list->data[k], z);
    }
    if (is_new) {
        list->data[list->count++] = z;
    }
}

// exp(w) - 1, sin(w), 1 - cosh(w) vanish with w, log(w) and sqrt(w) - 1 with w - 1; anything with
// itself.
static void find_candidates(rh_store *store, rh_expr factor, candidates *out)
{
    rh_expr_list all;
    rh_arena scratch = rh__arena_begin(store->arena->allocator, store->scratch.limit);
    const bool ok = rh__expr_reach(store, &factor, 1, &scratch, &all) && all.count <= MOST_NODES;
    for (uint32_t k = 0; ok && k < all.count; k++) {
        const rh_expr e = all.data[k];
        const rh_op op = rh__expr_op(store, e);
        int64_t n = 0;
        const bool is_root =
            op == RH_OP_POW && !rh__expr_as_integer(store, rh__expr_argument(store, e, 1), &n);
        if (op == RH_OP_SYMBOL) {
            add_candidate(store, out, e);
        } else if (op == RH_OP_LOG || is_root) {
            add_candidate(store, out,
                          rh__expr_subtract(store, rh__expr_argument(store, e, 0), store->one));
        } else if (op > RH_OP_IF && rh__expr_count(store, e) == 1) {
            add_candidate(store, out, rh__expr_argument(store, e, 0));
        }
    }
    rh__arena_end(&scratch);
    add_candidate(store, out, factor);
}

// --- one argument ----------------------------------------------------------------------------

// Put `by`, which holds the symbol of ratios, in the place of `part`: then z is that symbol.
typedef struct exchange {
    rh_expr z, part, by;
} exchange;

// c*A of a product, A being its only factor that moves.
static bool split_term(rh_store *store, rh_expr term, rh_expr *out_part, rh_expr *out_factor)
{
    uint32_t moving = 0;
    for (uint32_t k = 0; k < rh__factor_count(store, term); k++) {
        if (moves(store, rh__factor(store, term, k))) {
            *out_part = rh__factor(store, term, k);
            moving++;
        }
    }
    *out_factor = moving == 1 ? rh__expr_divide(store, term, *out_part) : RH_EXPR_NONE;
    return moving == 1;
}

static exchange find_exchange(rh_store *store, rh_expr z)
{
    const rh_expr s = rh__ratio_symbol(store);
    rh_expr part = z;
    rh_expr factor = store->one;
    if (rh__expr_op(store, z) == RH_OP_ADD) {
        for (uint32_t k = 0; k < rh__expr_count(store, z); k += 2) {
            const rh_expr term = rh__expr_argument(store, z, k + 1);
            if (!moves(store, term) || !split_term(store, term, &part, &factor)) {
                continue;
            }
            factor = rh__expr_multiply(store, factor, rh__expr_argument(store, z, k));
            const rh_expr rest =
                rh__expr_subtract(store, z, rh__expr_multiply(store, factor, part));
            return (exchange){z, part,
                              rh__expr_divide(store, rh__expr_subtract(store, s, rest), factor)};
        }
    } else if (split_term(store, z, &part, &factor)) {
        return (exchange){z, part, rh__expr_divide(store, s, factor)};
    }
    return (exchange){z, z, s};
}

static bool vanishes(rh_store *store, rh_expr e)
{
    const rh_expr there = rh__expr_replace(store, e, store->ratio_symbol, store->zero);
    return !rh__expr_is_none(there) && rh__expr_is_zero(store, there);
}

// The order of the zero of e at the argument 0; 0: there is none, or it is not proved.
static uint32_t zero_order(rh_store *store, rh_expr e)
{
    uint32_t order = 0;
    while (order < MOST_ZERO && vanishes(store, e)) {
        e = rh__expr_differentiate(store, e, store->ratio_symbol);
        order++;
        if (rh__expr_is_none(e) || rh__expr_is_zero(store, e)) {
            return 0;
        }
    }
    return order < MOST_ZERO ? order : 0;
}

// base = z^order * ratio.
typedef struct zero {
    rh_expr ratio;
    uint32_t order;
} zero;

// Is `e` made of sums, products and positive whole powers of the symbol, and of what does not hold
// it?
static bool is_polynomial(rh_store *store, rh_expr e)
{
    rh_expr_list all;
    rh_arena scratch = rh__arena_begin(store->arena->allocator, store->scratch.limit);
    bool ok = rh__expr_reach(store, &e, 1, &scratch, &all) && all.count <= MOST_NODES;
    bool *holds = ok ? rh__arena_array(&scratch, bool, all.count) : NULL;
    ok = holds != NULL;
    for (uint32_t k = 0; ok && k < all.count; k++) {
        const rh_op op = rh__expr_op(store, all.data[k]);
        int64_t n = 0;
        holds[k] = rh__expr_same(all.data[k], store->ratio_symbol);
        for (uint32_t j = 0; j < rh__expr_count(store, all.data[k]); j++) {
            holds[k] |= holds[store->places[rh__expr_argument(store, all.data[k], j).i]];
        }
        const bool is_power =
            op == RH_OP_POW &&
            rh__expr_as_integer(store, rh__expr_argument(store, all.data[k], 1), &n) && n > 0;
        ok = !holds[k] || op == RH_OP_SYMBOL || op == RH_OP_ADD || op == RH_OP_MUL || is_power;
    }
    rh__arena_end(&scratch);
    return ok;
}

// A polynomial of the symbol is divided exactly, whatever its coefficients are:
// sum_{k >= order} function^(k)(0)/k! z^(k - order). Order 0: it is none, or has no zero.
static zero divide_polynomial(rh_store *store, rh_expr function, rh_expr z)
{
    rh_expr terms[MOST_DEGREE + 1];
    uint32_t order = 0;
    uint32_t count = 0;
    int64_t factorial = 1;
    function = is_polynomial(store, function) ? function : RH_EXPR_NONE;
    for (int64_t k = 0; k <= MOST_DEGREE && !rh__expr_is_none(function); k++) {
        factorial *= k > 0 ? k : 1;
        const rh_expr there = rh__expr_replace(store, function, store->ratio_symbol, store->zero);
        const bool is_zero = !rh__expr_is_none(there) && rh__expr_is_zero(store, there);
        order = count == 0 && !is_zero ? (uint32_t)k : order;
        if (!is_zero) {
            const rh_expr factors[] = {
                there, rh__expr_ratio(store, 1, factorial),
                rh__expr_power(store, z, rh__expr_integer(store, k - order))};
            terms[count++] = rh__expr_product(store, factors, 3);
        }
        function = rh__expr_differentiate(store, function, store->ratio_symbol);
        if (!rh__expr_is_none(function) && rh__expr_is_zero(store, function)) {
            return (zero){rh__expr_sum(store, terms, count), order};
        }
    }
    return (zero){RH_EXPR_NONE, 0};
}

static zero find_zero(rh_store *store, rh_expr base, const exchange *by)
{
    const zero none = {base, 0};
    const rh_expr function = rh__expr_replace(store, base, by->part, by->by);
    if (rh__expr_is_none(function) || rh__expr_same(function, base) || !vanishes(store, function)) {
        return none;
    }
    const zero divided = divide_polynomial(store, function, by->z);
    if (divided.order > 0) {
        return divided;
    }
    const uint32_t order = rh__expr_mask(store, function) == 0 ? zero_order(store, function) : 0;
    const rh_expr ratio = order > 0 ? rh__ratio_apply(store, function, order, by->z) : RH_EXPR_NONE;
    return rh__expr_is_none(ratio) ? none : (zero){ratio, order};
}

// The whole exponent of a factor that moves, else 0.
static int64_t exponent_of(const rh_store *store, rh_expr factor)
{
    int64_t n = 0;
    const bool is_whole =
        moves(store, factor) && rh__expr_as_integer(store, rh__expr_exponent(store, factor), &n);
    return is_whole ? n : 0;
}

// The product with the zeros at one argument cancelled; none when they do not cancel. Divisors come
// first: where none vanishes there is nothing to do.
static rh_expr cancel(rh_store *store, rh_expr product, rh_expr z)
{
    const exchange by = find_exchange(store, z);
    const uint32_t count = rh__factor_count(store, product);
    rh_expr factors[MOST_FACTORS + 1];
    int64_t total = 0;
    for (int pass = 0; pass < 2 && !rh__expr_is_none(by.by); pass++) {
        for (uint32_t k = 0; k < count; k++) {
            const rh_expr factor = rh__factor(store, product, k);
            const int64_t n = exponent_of(store, factor);
            if ((n < 0) != (pass == 0)) {
                continue;
            }
            const zero at =
                n != 0 ? find_zero(store, rh__expr_base(store, factor), &by) : (zero){factor, 0};
            total += n * at.order;
            factors[k] = at.order > 0
                             ? rh__expr_power(store, at.ratio, rh__expr_exponent(store, factor))
                             : factor;
        }
        if (pass == 0 ? total == 0 : total < 0) {
            return RH_EXPR_NONE;
        }
    }
    if (rh__expr_is_none(by.by)) {
        return RH_EXPR_NONE;
    }
    factors[count] = rh__expr_power(store, z, rh__expr_integer(store, total));
    return rh__expr_product(store, factors, count + 1);
}

static rh_expr cancel_any(rh_store *store, rh_expr product)
{
    candidates list = {.count = 0};
    const uint32_t count = rh__factor_count(store, product);
    if (count < 2 || count > MOST_FACTORS) {
        return product;
    }
    bool has_divisor = false;
    for (uint32_t k = 0; k < count; k++) {
        has_divisor |= exponent_of(store, rh__factor(store, product, k)) < 0;
    }
    for (uint32_t k = 0; has_divisor && k < count; k++) {
        find_candidates(store, rh__expr_base(store, rh__factor(store, product, k)), &list);
    }
    for (uint32_t k = 0; k < list.count; k++) {
        const rh_expr made = cancel(store, product, list.data[k]);
        if (!rh__expr_is_none(made)) {
            return made;
        }
    }
    return product;
}

rh_expr rh__expr_quotient(rh_store *store, const rh_expr *factors, uint32_t count)
{
    const rh_expr product = rh__expr_product(store, factors, count);
    if (rh__expr_is_none(product)) {
        return product;
    }
    const bool is_scaled =
        rh__expr_op(store, product) == RH_OP_ADD && rh__expr_count(store, product) == 2;
    if (!is_scaled) {
        return cancel_any(store, product);
    }
    return rh__expr_multiply(store, rh__expr_argument(store, product, 0),
                             cancel_any(store, rh__expr_argument(store, product, 1)));
}
