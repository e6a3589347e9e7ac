// SPDX-License-Identifier: Apache-2.0
// What the tests of `expr` share: a store with a few symbols, and random trees: a tiny expression
// type of its own that knows nothing of canonical forms, is evaluated in plain doubles, and is
// built through the public builders.

#pragma once

#include "support.h"

#include "expr/expr.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

// --- a store with symbols ---------------------------------------------------------------------

enum { SYMBOLS = 8, MOVES = RH_EXPR_VARIABLE, RESTS = 2 };

typedef struct lab {
    rh_arena arena;
    rh_arena scratch;
    rh_store *store;
    rh_expr symbol[SYMBOLS]; // m, k, x, y, x', q[1], q[2], q[3]
} lab;

static inline rh_family lab_family(rh_store *store, const char *name, uint32_t extent,
                                   uint8_t primes, uint32_t mask)
{
    const rh_family_def def = {.name = rh__slice_of(name),
                               .dimensions = extent > 0,
                               .first = {1},
                               .extent = {extent},
                               .primes = primes,
                               .sort = mask == RESTS ? 0 : 1,
                               .mask = mask};
    return rh__family_create(store, &def);
}

static inline void lab_fill(lab *on)
{
    rh_store *store = on->store;
    on->symbol[0] = rh__expr_symbol(store, lab_family(store, "m", 0, 0, RESTS), 0);
    on->symbol[1] = rh__expr_symbol(store, lab_family(store, "k", 0, 0, RESTS), 0);
    on->symbol[2] = rh__expr_symbol(store, lab_family(store, "x", 0, 0, MOVES), 0);
    on->symbol[3] = rh__expr_symbol(store, lab_family(store, "y", 0, 0, MOVES), 0);
    on->symbol[4] = rh__expr_symbol(store, lab_family(store, "x", 0, 1, MOVES), 0);
    const rh_family q = lab_family(store, "q", 3, 0, MOVES);
    for (uint32_t k = 0; k < 3; k++) {
        on->symbol[5 + k] = rh__expr_symbol(store, q, k);
    }
}

static inline void lab_begin_store(lab *on)
{
    on->arena = rh__arena_begin(rh_allocator_default(), SIZE_MAX / 2);
    on->store = rh__store_create(&on->arena);
    assert_non_null(on->store);
    lab_fill(on);
    assert_int_equal(rh__store_refusal(on->store), RH_REFUSAL_NONE);
}

static inline void lab_begin(lab *on)
{
    on->scratch = rh__arena_begin(rh_allocator_default(), SIZE_MAX / 2);
    lab_begin_store(on);
}

static inline void lab_end(lab *on)
{
    rh__store_destroy(on->store);
    rh__arena_end(&on->scratch);
    rh__arena_end(&on->arena);
}

// A tower of numbers may pass the limit of bits: then the store is done, and a new one is needed.
static inline bool lab_renew(lab *on)
{
    if (rh__store_refusal(on->store) == RH_REFUSAL_NONE) {
        return false;
    }
    assert_int_equal(rh__store_refusal(on->store), RH_REFUSAL_NUMBER);
    rh__store_destroy(on->store);
    rh__arena_end(&on->arena);
    lab_begin_store(on);
    return true;
}

static inline bool same(rh_expr a, rh_expr b)
{
    return a.i == b.i;
}

// 0 to a negative power is no expression worth agreeing about.
static inline bool lab_has_zero_below(lab *on, rh_expr e)
{
    const rh_mark mark = rh__arena_mark(&on->scratch);
    rh_expr_list all;
    bool has_one = false;
    assert_true(rh__expr_reach(on->store, &e, 1, &on->scratch, &all));
    for (uint32_t k = 0; k < all.count; k++) {
        has_one =
            has_one || (rh__expr_op(on->store, all.data[k]) == RH_OP_POW &&
                        rh__expr_is_zero(on->store, rh__expr_argument(on->store, all.data[k], 0)));
    }
    rh__arena_rewind(&on->scratch, mark);
    return has_one;
}

// What is written for an expression; borrowed from the lab's scratch arena.
static inline const char *lab_show(lab *on, rh_expr e, rh_notation notation)
{
    if (e.i == 0) {
        return "(none)";
    }
    const rh_show *show = rh__show_create(on->store, &on->scratch, notation, &e, 1);
    assert_non_null(show);
    rh_text text = rh__text_begin(&on->scratch, NULL);
    for (uint32_t k = 0; k < rh__show_part_count(show); k++) {
        rh__show_part(show, k, &text);
        rh__text_put(&text, "; ");
    }
    rh__show_expr(show, e, &text);
    assert_true(text.ok);
    return text.data;
}

static inline const char *lab_text(lab *on, rh_expr e)
{
    return lab_show(on, e, RH_NOTATION_TEXT);
}

typedef struct point {
    const lab *on;
    double at[SYMBOLS];
} point;

static inline double point_value(const void *user, const rh_store *store, rh_expr symbol)
{
    const point *here = (const point *)user;
    (void)store;
    for (int k = 0; k < SYMBOLS; k++) {
        if (same(here->on->symbol[k], symbol)) {
            return here->at[k];
        }
    }
    fail();
    return 0.0;
}

static inline point random_point(const lab *on, support_random *random, double low, double high)
{
    point here = {.on = on};
    for (int k = 0; k < SYMBOLS; k++) {
        here.at[k] = support_random_real(random, low, high);
    }
    return here;
}

static inline double lab_value(lab *on, rh_expr e, point *here)
{
    const rh_mark mark = rh__arena_mark(&on->scratch);
    double value = 0.0;
    assert_true(rh__expr_values(on->store, &e, 1, point_value, here, &on->scratch, &value));
    rh__arena_rewind(&on->scratch, mark);
    return value;
}

// --- shorthand for builders -------------------------------------------------------------------

static inline rh_expr call(lab *on, rh_op op, rh_expr a)
{
    return rh__expr_apply(on->store, op, &a, 1);
}

static inline rh_expr call2(lab *on, rh_op op, rh_expr a, rh_expr b)
{
    return rh__expr_apply(on->store, op, (rh_expr[]){a, b}, 2);
}

static inline rh_expr whole(lab *on, int64_t value)
{
    return rh__expr_integer(on->store, value);
}

static inline rh_expr plus(lab *on, rh_expr a, rh_expr b)
{
    return rh__expr_add(on->store, a, b);
}

static inline rh_expr minus(lab *on, rh_expr a, rh_expr b)
{
    return rh__expr_subtract(on->store, a, b);
}

static inline rh_expr times(lab *on, rh_expr a, rh_expr b)
{
    return rh__expr_multiply(on->store, a, b);
}

static inline rh_expr over(lab *on, rh_expr a, rh_expr b)
{
    return rh__expr_divide(on->store, a, b);
}

static inline rh_expr power(lab *on, rh_expr a, int64_t n)
{
    return rh__expr_power(on->store, a, whole(on, n));
}

// --- random trees -----------------------------------------------------------------------------

typedef enum tree_kind {
    TREE_NUMBER, // p/q
    TREE_PI,
    TREE_SYMBOL, // number p
    TREE_PLUS,
    TREE_MINUS,
    TREE_TIMES,
    TREE_OVER,
    TREE_NEGATIVE,
    TREE_WHOLE_POWER, // part[0]^p
    TREE_ROOT,        // part[0]^(p/q)
    TREE_POWER,       // part[0]^part[1]
    TREE_CALL,        // op(part[0]) or op(part[0], part[1])
    TREE_CHOICE       // if(part[0] op part[1], part[2], part[3]), negated when p is 1
} tree_kind;

typedef struct tree {
    tree_kind kind;
    rh_op op;
    int64_t p, q;
    struct tree *part[4];
} tree;

// What a random tree may hold, besides numbers, symbols, + - * / and whole powers.
typedef enum menu {
    MENU_ROOTS = 1,          // of anything
    MENU_POWERS = 2,         // anything to anything
    MENU_SQUARABLE = 4,      // sin cos sinh cosh, whose squares fold
    MENU_SMOOTH = 8,         // other smooth functions
    MENU_KINKS = 16,         // abs sign min max
    MENU_CHOICES = 32,       // if
    MENU_SYMBOL_POWERS = 64, // symbols to roots and to anything
    MENU_ALL = 63
} menu;

static const rh_op TREE_SQUARABLE[] = {RH_OP_SIN, RH_OP_COS, RH_OP_SINH, RH_OP_COSH};
static const rh_op TREE_SMOOTH[] = {RH_OP_TAN,  RH_OP_ASIN, RH_OP_ACOS, RH_OP_ATAN,
                                    RH_OP_TANH, RH_OP_EXP,  RH_OP_LOG,  RH_OP_ATAN2};
static const rh_op TREE_KINKS[] = {RH_OP_ABS, RH_OP_SIGN, RH_OP_MIN, RH_OP_MAX};
static const rh_op TREE_RELATIONS[] = {RH_OP_LESS, RH_OP_LESS_EQUAL, RH_OP_EQUAL};

typedef struct grower {
    rh_arena *arena;
    support_random *random;
    unsigned menu;
} grower;

static inline tree *tree_new(const grower *by, tree content)
{
    tree *made = rh__arena_new(by->arena, tree);
    assert_non_null(made);
    *made = content;
    return made;
}

static inline tree *tree_leaf(const grower *by)
{
    const uint32_t kind = support_random_below(by->random, 10);
    if (kind == 0 && support_random_below(by->random, 3) == 0) {
        return tree_new(by, (tree){.kind = TREE_PI});
    }
    if (kind < 3) {
        const int64_t p = (int64_t)support_random_below(by->random, 9) - 4;
        const int64_t q =
            support_random_below(by->random, 3) == 0 ? 1 + support_random_below(by->random, 20) : 1;
        return tree_new(by, (tree){.kind = TREE_NUMBER, .p = p, .q = q});
    }
    return tree_new(by,
                    (tree){.kind = TREE_SYMBOL, .p = support_random_below(by->random, SYMBOLS)});
}

static inline tree *tree_grow(const grower *by, uint32_t leaves);

// A function or choice that the menu offers, or NULL.
static inline tree *tree_grow_special(const grower *by, uint32_t leaves)
{
    const uint32_t first = 1 + support_random_below(by->random, leaves - 1);
    const uint32_t kind = support_random_below(by->random, 6);
    tree made = {.kind = TREE_CALL};
    if ((by->menu & (1u << kind)) == 0) {
        return NULL;
    }
    switch (kind) {
    case 0:
        made = (tree){.kind = TREE_ROOT,
                      .p = (int64_t)support_random_below(by->random, 5) - 2,
                      .q = 2 + support_random_below(by->random, 2)};
        made.p = made.p == 0 ? 1 : made.p;
        made.part[0] = tree_grow(by, leaves - 1);
        return tree_new(by, made);
    case 1:
        made.kind = TREE_POWER;
        break;
    case 2:
        made.op = TREE_SQUARABLE[support_random_below(by->random, 4)];
        break;
    case 3:
        made.op = TREE_SMOOTH[support_random_below(by->random, 8)];
        break;
    case 4:
        made.op = TREE_KINKS[support_random_below(by->random, 4)];
        break;
    default:
        if (leaves < 4) {
            return NULL;
        }
        made.kind = TREE_CHOICE;
        made.op = TREE_RELATIONS[support_random_below(by->random, 3)];
        made.p = support_random_below(by->random, 2);
        for (int k = 0; k < 4; k++) {
            made.part[k] = tree_grow(by, leaves / 4);
        }
        return tree_new(by, made);
    }
    const bool is_single = made.kind == TREE_CALL && rh__op_arity(made.op) == 1;
    made.part[0] = tree_grow(by, is_single ? leaves - 1 : first);
    made.part[1] = is_single ? NULL : tree_grow(by, leaves - first);
    return tree_new(by, made);
}

// At most `leaves` leaves.
static inline tree *tree_grow(const grower *by, uint32_t leaves)
{
    if (leaves <= 1) {
        return tree_leaf(by);
    }
    const uint32_t first = 1 + support_random_below(by->random, leaves - 1);
    const uint32_t kind = support_random_below(by->random, 12);
    tree made = {0};
    if (kind < 7) {
        static const tree_kind ALGEBRA[] = {TREE_PLUS,  TREE_PLUS,  TREE_MINUS, TREE_TIMES,
                                            TREE_TIMES, TREE_TIMES, TREE_OVER};
        made.kind = ALGEBRA[kind];
        made.part[0] = tree_grow(by, first);
        made.part[1] = tree_grow(by, leaves - first);
        return tree_new(by, made);
    }
    if (kind == 7 || (kind == 8 && (by->menu & MENU_SYMBOL_POWERS) == 0)) {
        made = (tree){.kind = kind == 7 ? TREE_NEGATIVE : TREE_WHOLE_POWER,
                      .p = (int64_t)support_random_below(by->random, 7) - 2};
        made.part[0] = tree_grow(by, leaves - 1);
        return tree_new(by, made);
    }
    if (kind == 8) {
        const bool is_root = support_random_below(by->random, 2) == 0;
        made = (tree){.kind = is_root ? TREE_ROOT : TREE_POWER,
                      .p = 1 + (int64_t)support_random_below(by->random, 5),
                      .q = 2 + support_random_below(by->random, 2)};
        made.part[0] = tree_new(
            by, (tree){.kind = TREE_SYMBOL, .p = support_random_below(by->random, SYMBOLS)});
        made.part[1] = is_root ? NULL : tree_grow(by, leaves - 1);
        return tree_new(by, made);
    }
    tree *special = tree_grow_special(by, leaves);
    return special != NULL ? special : tree_grow(by, leaves);
}

// --- building trees, one node at a time -------------------------------------------------------

static inline rh_expr tree_condition(lab *on, const tree *of, rh_expr a, rh_expr b)
{
    const rh_expr condition = call2(on, of->op, a, b);
    return of->p == 1 ? call(on, RH_OP_NOT, condition) : condition;
}

static inline rh_expr tree_build(lab *on, const tree *of)
{
    rh_store *store = on->store;
    rh_expr part[4] = {{0}};
    for (int k = 0; k < 4 && of->part[k] != NULL; k++) {
        part[k] = tree_build(on, of->part[k]);
    }
    switch (of->kind) {
    case TREE_NUMBER:
        return rh__expr_ratio(store, of->p, of->q);
    case TREE_PI:
        return rh__expr_pi(store);
    case TREE_SYMBOL:
        return on->symbol[of->p];
    case TREE_PLUS:
        return rh__expr_add(store, part[0], part[1]);
    case TREE_MINUS:
        return rh__expr_subtract(store, part[0], part[1]);
    case TREE_TIMES:
        return rh__expr_multiply(store, part[0], part[1]);
    case TREE_OVER:
        return rh__expr_divide(store, part[0], part[1]);
    case TREE_NEGATIVE:
        return rh__expr_negate(store, part[0]);
    case TREE_WHOLE_POWER:
        return power(on, part[0], of->p);
    case TREE_ROOT:
        return rh__expr_power(store, part[0], rh__expr_ratio(store, of->p, of->q));
    case TREE_POWER:
        return rh__expr_power(store, part[0], part[1]);
    case TREE_CALL:
        return rh__expr_apply(store, of->op, part, part[1].i != 0 ? 2 : 1);
    case TREE_CHOICE:
        return rh__expr_if(store, tree_condition(on, of, part[0], part[1]), part[2], part[3]);
    }
    return RH_EXPR_NONE;
}

// --- evaluating trees -------------------------------------------------------------------------

// A value with a bound of its rounding error, to first order in the unit roundoff.
typedef struct reading {
    double value;
    double error;
    bool is_defined; // everything on the way was of moderate size
    bool is_near;    // a jump or a kink is too near to be sure of the side
} reading;

static const double UNIT = 0x1p-52;

static inline double tree_function(rh_op op, double a, double b)
{
    switch (op) {
    case RH_OP_SIN:
        return sin(a);
    case RH_OP_COS:
        return cos(a);
    case RH_OP_TAN:
        return tan(a);
    case RH_OP_ASIN:
        return asin(a);
    case RH_OP_ACOS:
        return acos(a);
    case RH_OP_ATAN:
        return atan(a);
    case RH_OP_SINH:
        return sinh(a);
    case RH_OP_COSH:
        return cosh(a);
    case RH_OP_TANH:
        return tanh(a);
    case RH_OP_EXP:
        return exp(a);
    case RH_OP_LOG:
        return log(a);
    case RH_OP_ABS:
        return fabs(a);
    case RH_OP_SIGN:
        return a > 0 ? 1.0 : a < 0 ? -1.0 : 0.0;
    case RH_OP_ATAN2:
        return atan2(a, b);
    case RH_OP_MIN:
        return fmin(a, b);
    case RH_OP_MAX:
        return fmax(a, b);
    default:
        fail();
        return 0.0;
    }
}

// How the function changes when its arguments change by their errors: measured, not derived.
static inline double tree_function_error(rh_op op, reading a, reading b)
{
    const double value = tree_function(op, a.value, b.value);
    double most = 0.0;
    for (int side = -1; side <= 1; side += 2) {
        const double first = tree_function(op, a.value + side * a.error, b.value);
        const double second = tree_function(op, a.value, b.value + side * b.error);
        const double change = fabs(first - value) + fabs(second - value);
        most = change > most || isnan(change) ? change : most;
    }
    return isnan(most) ? HUGE_VAL : most;
}

static inline reading reading_of(double value, double error, reading a, reading b)
{
    const bool is_moderate = fabs(value) < 1e12 && (value == 0 || fabs(value) > 1e-12);
    return (reading){value, error + fabs(value) * UNIT, a.is_defined && b.is_defined && is_moderate,
                     a.is_near || b.is_near};
}

static inline double tree_power_error(reading a, reading b)
{
    const double value = pow(a.value, b.value);
    double most = 0.0;
    for (int side = -1; side <= 1; side += 2) {
        const double change = fabs(pow(a.value + side * a.error, b.value) - value) +
                              fabs(pow(a.value, b.value + side * b.error) - value);
        most = change > most || isnan(change) ? change : most;
    }
    return isnan(most) ? HUGE_VAL : most;
}

static inline bool is_close(reading a, reading b)
{
    return fabs(a.value - b.value) <=
           1e-9 * (1.0 + fabs(a.value) + fabs(b.value)) + 1e3 * (a.error + b.error);
}

static inline reading tree_value(const tree *of, const double *at)
{
    const reading nothing = {0.0, 0.0, true, false};
    const bool is_choice = of->kind == TREE_CHOICE;
    const reading a = of->part[0] != NULL ? tree_value(of->part[0], at) : nothing;
    const reading b = of->part[1] != NULL ? tree_value(of->part[1], at) : nothing;
    if (!a.is_defined || !b.is_defined) {
        return (reading){NAN, 0.0, false, false};
    }
    switch (of->kind) {
    case TREE_NUMBER:
        return reading_of((double)of->p / (double)of->q, 0.0, a, b);
    case TREE_PI:
        return reading_of(acos(-1.0), 0.0, a, b);
    case TREE_SYMBOL:
        return (reading){at[of->p], 0.0, true, false};
    case TREE_PLUS:
        return reading_of(a.value + b.value, a.error + b.error, a, b);
    case TREE_MINUS:
        return reading_of(a.value - b.value, a.error + b.error, a, b);
    case TREE_TIMES:
        return reading_of(a.value * b.value, fabs(a.value) * b.error + fabs(b.value) * a.error, a,
                          b);
    case TREE_OVER: {
        const double value = a.value / b.value;
        return reading_of(value, (a.error + fabs(value) * b.error) / fabs(b.value), a, b);
    }
    case TREE_NEGATIVE:
        return reading_of(-a.value, a.error, a, b);
    case TREE_WHOLE_POWER: {
        const reading n = {(double)of->p, 0.0, true, false};
        return reading_of(pow(a.value, n.value), tree_power_error(a, n), a, n);
    }
    case TREE_ROOT: {
        const reading e = {(double)of->p / (double)of->q, 0.0, true, false};
        return reading_of(pow(a.value, e.value), tree_power_error(a, e), a, e);
    }
    case TREE_POWER:
        return reading_of(pow(a.value, b.value), tree_power_error(a, b), a, b);
    case TREE_CALL: {
        reading result = reading_of(tree_function(of->op, a.value, b.value),
                                    tree_function_error(of->op, a, b), a, b);
        const bool is_single = rh__op_arity(of->op) == 1;
        const bool has_kink = of->op == RH_OP_ABS || of->op == RH_OP_SIGN || of->op == RH_OP_MIN ||
                              of->op == RH_OP_MAX;
        result.is_near = result.is_near || (has_kink && is_close(a, is_single ? nothing : b)) ||
                         (of->op == RH_OP_ATAN2 && is_close(a, nothing) && b.value <= 0);
        return result;
    }
    case TREE_CHOICE:
        break;
    }
    assert_true(is_choice);
    const bool holds = (of->op == RH_OP_LESS         ? a.value < b.value
                        : of->op == RH_OP_LESS_EQUAL ? a.value <= b.value
                                                     : a.value == b.value) != (of->p == 1);
    reading result = tree_value(of->part[holds ? 2 : 3], at);
    result.is_near = result.is_near || a.is_near || b.is_near || is_close(a, b);
    return result;
}
