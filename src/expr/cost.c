// SPDX-License-Identifier: Apache-2.0
// What it takes to evaluate expressions. In: expressions; out: counts of operations, each node
// once. What does not move is never entered: it is a constant of the run.

#include "expr/cost.h"

typedef struct frame {
    uint32_t id;
    uint32_t next;
} frame;

static bool moves(const rh_store *store, rh_expr e)
{
    return (rh__expr_mask(store, e) & RH_EXPR_VARIABLE) != 0;
}

uint64_t rh__cost_total(rh_cost cost)
{
    return cost.additions + cost.multiplications + 5 * cost.divisions + 20 * cost.functions;
}

// Multiplications of x^n by repeated squaring.
static uint64_t squaring_steps(uint64_t n)
{
    uint64_t steps = 0;
    for (uint64_t rest = n; rest > 1; rest /= 2) {
        steps += 1 + rest % 2;
    }
    return steps;
}

// A power with a whole or half exponent p/q; false for every other node.
static bool plain_power(const rh_store *store, rh_expr e, int64_t *p, int64_t *q)
{
    if (rh__expr_op(store, e) != RH_OP_POW ||
        rh__expr_op(store, rh__expr_argument(store, e, 1)) != RH_OP_NUMBER) {
        return false;
    }
    const rh_rational exponent = rh__store_value(store, rh__expr_argument(store, e, 1));
    *p = exponent.numerator;
    *q = exponent.denominator;
    return exponent.big == NULL && (*q == 1 || *q == 2);
}

static bool is_below(const rh_store *store, rh_expr e)
{
    int64_t p = 0;
    int64_t q = 1;
    return plain_power(store, e, &p, &q) && p < 0;
}

// The factors of a product by kind; a product of one is anything else.
typedef struct factors {
    uint64_t above, below; // that move
    bool has_constant;
} factors;

static factors count_factors(const rh_store *store, rh_expr e)
{
    factors result = {0, 0, false};
    const bool is_product = rh__expr_op(store, e) == RH_OP_MUL;
    const uint32_t count = is_product ? rh__expr_count(store, e) : 1;
    for (uint32_t k = 0; k < count; k++) {
        const rh_expr part = is_product ? rh__expr_argument(store, e, k) : e;
        if (!moves(store, part)) {
            result.has_constant = true;
        } else if (is_below(store, part)) {
            result.below++;
        } else {
            result.above++;
        }
    }
    return result;
}

static void count_product(const rh_store *store, rh_expr e, rh_cost *cost)
{
    const factors parts = count_factors(store, e);
    const uint64_t above = parts.above + parts.has_constant;
    cost->multiplications += above > 0 ? above - 1 : 0;
    cost->multiplications += parts.below > 0 ? parts.below - 1 : 0;
    cost->divisions += parts.below > 0;
}

static void count_sum(const rh_store *store, rh_expr e, rh_cost *cost)
{
    uint64_t terms = 0;
    bool has_constant = false;
    for (uint32_t k = 0; k < rh__expr_count(store, e); k += 2) {
        const rh_expr number = rh__expr_argument(store, e, k);
        const rh_expr term = rh__expr_argument(store, e, k + 1);
        if (!moves(store, term)) {
            has_constant = true;
            continue;
        }
        terms++;
        // the number joins the constant of a product, or stands above the line alone
        const factors parts = count_factors(store, term);
        const bool is_free = rh__expr_same(number, store->one) ||
                             rh__expr_same(number, store->minus_one) || parts.has_constant ||
                             parts.above == 0;
        cost->multiplications += !is_free;
    }
    cost->additions += terms + has_constant - (terms + has_constant > 0);
}

static void count_power(const rh_store *store, rh_expr e, rh_cost *cost)
{
    int64_t p = 0;
    int64_t q = 1;
    if (!plain_power(store, e, &p, &q)) {
        cost->functions++;
        return;
    }
    const uint64_t whole = (uint64_t)(p < 0 ? -p : p) / (uint64_t)q;
    cost->multiplications += squaring_steps(whole) + (q == 2 && whole > 0);
    cost->functions += q == 2;
}

static void count_node(const rh_store *store, rh_expr e, rh_cost *cost)
{
    const rh_op op = rh__expr_op(store, e);
    if (op == RH_OP_ADD) {
        count_sum(store, e, cost);
    } else if (op == RH_OP_MUL) {
        count_product(store, e, cost);
    } else if (op == RH_OP_POW) {
        count_power(store, e, cost);
    } else if (rh__op_arity(op) == 0 || op == RH_OP_ABS || op == RH_OP_SIGN || op == RH_OP_MIN ||
               op == RH_OP_MAX) {
        cost->additions += op != RH_OP_SYMBOL;
    } else {
        cost->functions++;
    }
}

// A quotient that is no factor of a product needs a division of its own, once.
static void count_lone(rh_store *store, rh_expr e, uint8_t *is_lone, rh_cost *cost)
{
    if (moves(store, e) && is_below(store, e) && is_lone[store->places[e.i]] == 0) {
        is_lone[store->places[e.i]] = 1;
        cost->divisions++;
    }
}

// Depth first over what moves. Within algebra only, functions are leaves.
static bool gather(rh_store *store, const rh_expr *roots, uint32_t count, bool within_algebra,
                   uint32_t limit, rh_arena *arena, rh_expr_list *out)
{
    *out = (rh_expr_list){0};
    bool ok = rh__store_begin_visit(store);
    RH_ARRAY(frame) stack = {0};
    for (uint32_t r = 0; ok && r < count; r++) {
        if (!moves(store, roots[r]) || !rh__store_visit(store, roots[r].i)) {
            continue;
        }
        const frame root = {roots[r].i, 0};
        ok = rh__array_push(arena, &stack, root);
        while (ok && stack.count > 0) {
            frame *top = &stack.data[stack.count - 1];
            const rh_expr e = {top->id};
            const bool is_leaf = within_algebra && rh__expr_op(store, e) > RH_OP_POW;
            if (!is_leaf && top->next < rh__expr_count(store, e)) {
                const uint32_t child = rh__store_arguments(store, e)[top->next++];
                if (moves(store, (rh_expr){child}) && rh__store_visit(store, child)) {
                    const frame below = {child, 0};
                    ok = rh__array_push(arena, &stack, below);
                }
            } else {
                stack.count--;
                store->places[e.i] = out->count;
                ok = out->count < limit && rh__array_push(arena, out, e);
            }
        }
    }
    return ok;
}

static bool count_all(rh_store *store, const rh_expr *roots, uint32_t count,
                      const rh_expr_list *order, bool within_algebra, rh_arena *scratch,
                      rh_cost *out)
{
    uint8_t *is_lone = rh__arena_array(scratch, uint8_t, order->count);
    *out = (rh_cost){0};
    if (is_lone == NULL) {
        return false;
    }
    for (uint32_t k = 0; k < order->count; k++) {
        const rh_expr e = order->data[k];
        const rh_op op = rh__expr_op(store, e);
        const bool is_entered = op != RH_OP_MUL && !(within_algebra && op > RH_OP_POW);
        count_node(store, e, out);
        for (uint32_t j = 0; is_entered && j < rh__expr_count(store, e); j++) {
            count_lone(store, rh__expr_argument(store, e, j), is_lone, out);
        }
    }
    for (uint32_t k = 0; k < count; k++) {
        count_lone(store, roots[k], is_lone, out);
    }
    return true;
}

bool rh__expr_cost(rh_store *store, const rh_expr *roots, uint32_t count, rh_arena *scratch,
                   rh_cost *out)
{
    const rh_mark mark = rh__arena_mark(scratch);
    rh_expr_list order;
    const bool ok = gather(store, roots, count, false, UINT32_MAX, scratch, &order) &&
                    count_all(store, roots, count, &order, false, scratch, out);
    rh__arena_rewind(scratch, mark);
    return ok;
}

bool rh__cost_algebra(rh_store *store, rh_expr e, uint32_t limit, rh_arena *scratch, rh_cost *out)
{
    const rh_mark mark = rh__arena_mark(scratch);
    rh_expr_list order;
    const bool ok = gather(store, &e, 1, true, limit, scratch, &order) &&
                    count_all(store, &e, 1, &order, true, scratch, out);
    rh__arena_rewind(scratch, mark);
    return ok;
}
