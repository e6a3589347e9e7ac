// SPDX-License-Identifier: Apache-2.0
// The canonical order: by structure, symbols of one family by member, so that rows of one loop are
// ordered alike and nothing depends on when a node was made.

#include "expr/store.h"

// Leaves first, then functions, then sums.
static int op_rank(rh_op op)
{
    return op == RH_OP_ADD ? RH_OP_COUNT : (int)op;
}

static int compare_leaves(const rh_store *store, rh_expr a, rh_expr b)
{
    if (rh__expr_op(store, a) == RH_OP_NUMBER) {
        return rh__number_compare(store, a, b);
    }
    RH_ASSERT(rh__expr_op(store, a) == RH_OP_SYMBOL);
    const rh_node *x = rh__store_node(store, a);
    const rh_node *y = rh__store_node(store, b);
    const int sort_x = store->families.data[x->first].sort;
    const int sort_y = store->families.data[y->first].sort;
    if (sort_x != sort_y) {
        return sort_x - sort_y;
    }
    if (x->first != y->first) {
        return x->first < y->first ? -1 : 1;
    }
    return x->count < y->count ? -1 : 1;
}

// One step of the comparison: decided, or go on with a pair of parts.
typedef struct step {
    int order; // when not 0: the answer
    rh_expr a, b;
} step;

static step compare_products(const rh_store *store, rh_expr a, rh_expr b)
{
    const uint32_t count_a = rh__factor_count(store, a);
    const uint32_t count_b = rh__factor_count(store, b);
    for (uint32_t k = 0; k < count_a && k < count_b; k++) {
        const rh_expr x = rh__factor(store, a, k);
        const rh_expr y = rh__factor(store, b, k);
        if (!rh__expr_same(x, y)) {
            return (step){0, x, y};
        }
    }
    RH_ASSERT(count_a != count_b);
    return (step){count_a < count_b ? -1 : 1, a, b};
}

static step compare_powers(const rh_store *store, rh_expr a, rh_expr b)
{
    const rh_expr base_a = rh__expr_base(store, a);
    const rh_expr base_b = rh__expr_base(store, b);
    if (!rh__expr_same(base_a, base_b)) {
        return (step){0, base_a, base_b};
    }
    const rh_expr x = rh__expr_exponent(store, a);
    const rh_expr y = rh__expr_exponent(store, b);
    const bool is_number_x = rh__expr_is_number(store, x);
    const bool is_number_y = rh__expr_is_number(store, y);
    if (is_number_x && is_number_y) {
        return (step){-rh__number_compare(store, x, y), a, b}; // x^2 before x
    }
    if (is_number_x != is_number_y) {
        return (step){is_number_x ? -1 : 1, a, b};
    }
    return (step){0, x, y};
}

static step compare_arguments(const rh_store *store, rh_expr a, rh_expr b)
{
    const uint32_t depth_a = rh__shape_depth(store, rh__expr_shape(store, a));
    const uint32_t depth_b = rh__shape_depth(store, rh__expr_shape(store, b));
    if (depth_a != depth_b) {
        // the lower first: else telling two links of a long chain apart would walk down all of it
        return (step){depth_a < depth_b ? -1 : 1, a, b};
    }
    const uint32_t count_a = rh__expr_count(store, a);
    const uint32_t count_b = rh__expr_count(store, b);
    const bool is_sum = rh__expr_op(store, a) == RH_OP_ADD;
    for (uint32_t k = 0; k < count_a && k < count_b; k++) {
        // of a pair (number, term) look at the term first
        const uint32_t at = is_sum ? k ^ 1u : k;
        const rh_expr x = rh__expr_argument(store, a, at);
        const rh_expr y = rh__expr_argument(store, b, at);
        if (!rh__expr_same(x, y)) {
            return (step){0, x, y};
        }
    }
    RH_ASSERT(count_a != count_b);
    return (step){count_a < count_b ? -1 : 1, a, b};
}

// Walks down one path: two different nodes differ in some part, and the first such part decides.
int rh__expr_compare(const rh_store *store, rh_expr a, rh_expr b)
{
    while (!rh__expr_same(a, b)) {
        const rh_op op_a = rh__expr_op(store, a);
        const rh_op op_b = rh__expr_op(store, b);
        step next;
        if (rh__expr_is_open(store, a) || rh__expr_is_open(store, b)) {
            next = compare_products(store, a, b);
        } else if (op_a == RH_OP_POW || op_b == RH_OP_POW) {
            next = compare_powers(store, a, b);
        } else if (op_a != op_b) {
            return op_rank(op_a) - op_rank(op_b);
        } else if (op_a == RH_OP_NUMBER || op_a == RH_OP_SYMBOL) {
            return compare_leaves(store, a, b);
        } else {
            next = compare_arguments(store, a, b);
        }
        if (next.order != 0) {
            return next.order;
        }
        a = next.a;
        b = next.b;
    }
    return 0;
}
