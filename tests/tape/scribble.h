// SPDX-License-Identifier: Apache-2.0
// What the tests of single expressions share: a store with a time, a few variables and parameters
// with values, and random expressions that stay away from the borders of every domain.

#pragma once

#include "support.h"

#include "tape/tape.h"

#include <math.h>

enum { PAGE_VARIABLES = 3, PAGE_PARAMETERS = 2 };

typedef struct page {
    rh_arena arena;
    rh_store *store;
    rh_expr t;
    rh_expr x[PAGE_VARIABLES];
    rh_expr p[PAGE_PARAMETERS];
    double time;
    double value[PAGE_VARIABLES];
    double parameter[PAGE_PARAMETERS];
} page;

static inline rh_expr page_symbol(page *on, const char *name, uint32_t mask)
{
    const rh_family_def def = {.name = rh__slice_of(name), .mask = mask};
    return rh__expr_symbol(on->store, rh__family_create(on->store, &def), 0);
}

static inline void page_begin(page *on)
{
    static const char *const NAMES[] = {"x", "y", "z"};
    static const char *const PARAMETERS[] = {"a", "b"};
    *on = (page){.arena = rh__arena_begin(rh_allocator_default(), (size_t)1 << 31)};
    on->store = rh__store_create(&on->arena);
    assert_non_null(on->store);
    on->t = page_symbol(on, "t", RH_EXPR_VARIABLE);
    for (uint32_t k = 0; k < PAGE_VARIABLES; k++) {
        on->x[k] = page_symbol(on, NAMES[k], RH_EXPR_VARIABLE);
        on->value[k] = 0.3 + 0.4 * k;
    }
    for (uint32_t k = 0; k < PAGE_PARAMETERS; k++) {
        on->p[k] = page_symbol(on, PARAMETERS[k], 0);
        on->parameter[k] = 1.25 - 0.5 * k;
    }
}

static inline void page_end(page *on)
{
    rh__store_destroy(on->store);
    rh__arena_end(&on->arena);
}

static inline double page_value(const void *user, const rh_store *store, rh_expr symbol)
{
    (void)store;
    const page *on = user;
    for (uint32_t k = 0; k < PAGE_VARIABLES; k++) {
        if (on->x[k].i == symbol.i) {
            return on->value[k];
        }
    }
    for (uint32_t k = 0; k < PAGE_PARAMETERS; k++) {
        if (on->p[k].i == symbol.i) {
            return on->parameter[k];
        }
    }
    return on->t.i == symbol.i ? on->time : NAN;
}

/// A tape with the variables as inputs.
static inline rh_tape *page_tape(page *on, const rh_expr *outputs, uint32_t count)
{
    const rh_tape_def def = {.store = on->store,
                             .allocator = rh_allocator_default(),
                             .memory_limit = (size_t)1 << 31,
                             .inputs = on->x,
                             .input_count = PAGE_VARIABLES,
                             .outputs = outputs,
                             .output_count = count};
    rh_tape *tape = NULL;
    rh_error err = RH_ZERO;
    if (rh__tape_create(&def, &tape, &err) != RH_OK) {
        fail_msg("%s", err.message);
    }
    return tape;
}

static inline rh_tape_state *page_state(page *on, const rh_tape *tape, uint32_t order)
{
    rh_tape_state *state = NULL;
    assert_int_equal(rh__tape_state_create(tape, order, rh_allocator_default(), &state), RH_OK);
    assert_int_equal(rh__tape_bind(state, page_value, on), RH_OK);
    return state;
}

static inline rh_expr page_apply(page *on, rh_op op, rh_expr a)
{
    return rh__expr_apply(on->store, op, &a, 1);
}

static inline rh_expr page_apply_two(page *on, rh_op op, rh_expr a, rh_expr b)
{
    const rh_expr arguments[] = {a, b};
    return rh__expr_apply(on->store, op, arguments, 2);
}

static inline rh_expr page_number(page *on, int64_t over, int64_t under)
{
    return rh__expr_ratio(on->store, over, under);
}

/// Between -1 and 1, whatever e is.
static inline rh_expr page_bounded(page *on, rh_expr e)
{
    return page_apply(on, RH_OP_SIN, e);
}

/// Between 1 and 3, whatever e is.
static inline rh_expr page_positive(page *on, rh_expr e)
{
    return rh__expr_add(on->store, page_number(on, 2, 1), page_bounded(on, e));
}

enum { PAGE_KINDS = 27 };

/// Operation `kind` on any two expressions, smooth where nothing is forced.
static inline rh_expr page_operation(page *on, uint32_t kind, rh_expr a, rh_expr b)
{
    rh_store *store = on->store;
    const rh_expr positive = page_positive(on, a);
    const rh_expr small = rh__expr_multiply(store, page_number(on, 2, 5), page_bounded(on, a));
    switch (kind) {
    case 0:
        return rh__expr_add(store, rh__expr_multiply(store, on->p[0], a), b);
    case 1:
        return rh__expr_multiply(store, a, b);
    case 2:
        return rh__expr_divide(store, b, positive);
    case 3:
        return rh__expr_power(store, page_bounded(on, a),
                              page_number(on, 2 + (int64_t)(b.i % 4), 1));
    case 4:
        return rh__expr_power(store, positive, page_number(on, -3, 1));
    case 5:
        return rh__expr_sqrt(store, positive);
    case 6:
        return rh__expr_power(store, positive, page_number(on, -3, 2));
    case 7:
        return rh__expr_power(store, positive, page_number(on, 1, 3));
    case 8:
        return rh__expr_power(store, positive, on->p[1]);
    case 9:
        return rh__expr_power(store, positive, page_bounded(on, b));
    case 10:
        return page_apply(on, RH_OP_SIN, a);
    case 11:
        return page_apply(on, RH_OP_COS, a);
    case 12:
        return page_apply(on, RH_OP_TAN, small);
    case 13:
        return page_apply(on, RH_OP_ASIN, small);
    case 14:
        return page_apply(on, RH_OP_ACOS, small);
    case 15:
        return page_apply(on, RH_OP_ATAN, a);
    case 16:
        return page_apply(on, RH_OP_SINH, page_bounded(on, a));
    case 17:
        return page_apply(on, RH_OP_COSH, page_bounded(on, a));
    case 18:
        return page_apply(on, RH_OP_TANH, a);
    case 19:
        return page_apply(on, RH_OP_EXP, small);
    case 20:
        return page_apply(on, RH_OP_LOG, positive);
    case 21:
        return page_apply_two(on, RH_OP_ATAN2, a, page_positive(on, b));
    case 22:
        return page_apply(on, RH_OP_ABS, rh__expr_subtract(store, a, positive));
    case 23:
        return rh__expr_multiply(store, page_apply(on, RH_OP_SIGN, a), b);
    case 24:
        return page_apply_two(on, RH_OP_MIN, a, b);
    case 25:
        return page_apply_two(on, RH_OP_MAX, a, b);
    default:
        return rh__expr_if(
            store,
            page_apply_two(
                on, RH_OP_OR, page_apply_two(on, RH_OP_LESS, a, b),
                page_apply(on, RH_OP_NOT, page_apply_two(on, RH_OP_LESS_EQUAL, on->p[1], b))),
            page_bounded(on, a), rh__expr_multiply(store, b, on->p[0]));
    }
}

/// A random expression.
static inline rh_expr page_random(page *on, support_random *random, uint32_t depth)
{
    if (depth == 0) {
        const uint32_t kind = support_random_below(random, 8);
        return kind < 6    ? on->x[kind % PAGE_VARIABLES]
               : kind == 6 ? on->p[support_random_below(random, PAGE_PARAMETERS)]
                           : page_number(on, 1 + support_random_below(random, 9), 4);
    }
    const rh_expr a = page_random(on, random, depth - 1);
    const rh_expr b = page_random(on, random, support_random_below(random, depth));
    return page_operation(on, support_random_below(random, PAGE_KINDS), a, b);
}
