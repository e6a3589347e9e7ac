// SPDX-License-Identifier: Apache-2.0
// Derivatives. Forwards along a direction (total derivatives, single partials) every node is
// differentiated once; backwards from one expression all its partials come at once. Both read the
// partials of functions from ops.def. Neither recurses: nodes are taken in topological order.

#include "expr/ratio.h"

#include <string.h>

enum { MOST_GUARDS = 8 }; // nested ones that a derivative goes through

// --- partials of functions: the words of ops.def
// --------------------------------------------------

#define NIL RH_EXPR_NONE
#define ZERO (s->zero)
#define ONE (s->one)
#define MINUS_HALF rh__expr_ratio(s, -1, 2)
#define PLUS(x, y) rh__expr_add(s, x, y)
#define MINUS(x, y) rh__expr_subtract(s, x, y)
#define NEG(x) rh__expr_negate(s, x)
#define OVER(x, y) rh__expr_divide(s, x, y)
#define POWER(x, y) rh__expr_power(s, x, y)
#define SQUARE(x) rh__expr_power(s, x, rh__expr_integer(s, 2))
#define SIN(x) rh__expr_apply(s, RH_OP_SIN, (rh_expr[]){x}, 1)
#define COS(x) rh__expr_apply(s, RH_OP_COS, (rh_expr[]){x}, 1)
#define SINH(x) rh__expr_apply(s, RH_OP_SINH, (rh_expr[]){x}, 1)
#define COSH(x) rh__expr_apply(s, RH_OP_COSH, (rh_expr[]){x}, 1)
#define SIGN(x) rh__expr_apply(s, RH_OP_SIGN, (rh_expr[]){x}, 1)
#define CHOOSE(c, x, y) rh__expr_if(s, c, x, y)
#define NOT_ABOVE(x, y) rh__expr_apply(s, RH_OP_LESS_EQUAL, (rh_expr[]){x, y}, 2)

// The partial derivative of a function by its k-th argument.
static rh_expr function_partial(rh_store *s, rh_expr e, uint32_t k)
{
    const rh_expr F = e;
    const rh_expr A = rh__expr_argument(s, e, 0);
    const rh_expr B = rh__expr_count(s, e) > 1 ? rh__expr_argument(s, e, 1) : RH_EXPR_NONE;
    (void)F;
    (void)B;
    switch (rh__expr_op(s, e)) {
#define RH_OP(name, word, arity, first, second, value, latex)                                      \
    case RH_OP_##name:                                                                             \
        return k == 0 ? (first) : (second);
#include "expr/ops.def"
    default:
        RH_ASSERT(k > 1); // only functions come here
        return RH_EXPR_NONE;
    }
}

// b^e by b: e*b^(e-1); by e: b^e*log(b).
static rh_expr power_partial(rh_store *store, rh_expr e, uint32_t k)
{
    const rh_expr base = rh__expr_argument(store, e, 0);
    const rh_expr exponent = rh__expr_argument(store, e, 1);
    if (k == 1) {
        return rh__expr_multiply(store, e, rh__expr_apply(store, RH_OP_LOG, &base, 1));
    }
    const rh_expr lower = rh__expr_subtract(store, exponent, store->one);
    return rh__expr_multiply(store, exponent, rh__expr_power(store, base, lower));
}

// A product without its k-th factor, times `instead`.
static rh_expr replace_factor(rh_store *store, rh_expr product, uint32_t k, rh_expr instead)
{
    const uint32_t count = rh__expr_count(store, product);
    const rh_mark mark = rh__arena_mark(&store->scratch);
    rh_expr *factors = rh__arena_array(&store->scratch, rh_expr, count);
    rh_expr result = RH_EXPR_NONE;
    if (factors == NULL) {
        rh__store_refuse(store, RH_REFUSAL_MEMORY);
    } else {
        for (uint32_t j = 0; j < count; j++) {
            factors[j] = j == k ? instead : rh__expr_argument(store, product, j);
        }
        result = rh__expr_product(store, factors, count);
    }
    rh__arena_rewind(&store->scratch, mark);
    return result;
}

// if(condition, inside, 0), or with `is_else` if(condition, 0, inside).
typedef struct guard {
    rh_expr condition, inside;
    bool is_else;
} guard;

static bool find_guard(const rh_store *store, rh_expr e, guard *out)
{
    if (rh__expr_is_none(e) || rh__expr_op(store, e) != RH_OP_IF) {
        return false;
    }
    const rh_expr yes = rh__expr_argument(store, e, 1);
    const rh_expr no = rh__expr_argument(store, e, 2);
    const bool is_else = rh__expr_is_zero(store, yes);
    *out = (guard){rh__expr_argument(store, e, 0), is_else ? no : yes, is_else};
    return is_else || rh__expr_is_zero(store, no);
}

static rh_expr put_guard(rh_store *store, guard how, rh_expr inside)
{
    return rh__expr_if(store, how.condition, how.is_else ? store->zero : inside,
                       how.is_else ? inside : store->zero);
}

// A short sum whose terms are all guarded.
static bool is_guarded_sum(const rh_store *store, rh_expr e)
{
    const bool is_sum = !rh__expr_is_none(e) && rh__expr_op(store, e) == RH_OP_ADD;
    const uint32_t count = is_sum ? rh__expr_count(store, e) : 0;
    guard how;
    uint32_t k = 1;
    while (k < count && find_guard(store, rh__expr_argument(store, e, k), &how)) {
        k += 2;
    }
    return is_sum && count / 2 <= RH_EXPR_FLATTEN && k > count;
}

// `factor` times the partial of `e` by its k-th argument, `factor` without a guard.
static rh_expr times_bare_partial(rh_store *store, rh_expr e, uint32_t k, rh_expr factor)
{
    const rh_op op = rh__expr_op(store, e);
    if (op == RH_OP_MUL) {
        return replace_factor(store, e, k, factor);
    }
    const rh_expr partial = op == RH_OP_POW     ? power_partial(store, e, k)
                            : op == RH_OP_RATIO ? rh__ratio_derivative(store, e)
                                                : function_partial(store, e, k);
    guard how;
    return find_guard(store, partial, &how)
               ? put_guard(store, how, rh__expr_multiply(store, how.inside, factor))
               : rh__expr_multiply(store, partial, factor);
}

// `factor` times the partial of `e` by its k-th argument; sums are dealt with where they are met.
// Guards stay outside: a branch that is not taken may have no value, and 0 times that would be none
// either.
static rh_expr times_partial(rh_store *store, rh_expr e, uint32_t k, rh_expr factor,
                             int most_guards)
{
    guard how;
    if (rh__expr_op(store, e) == RH_OP_IF) {
        how = (guard){rh__expr_argument(store, e, 0), factor, k == 2};
        return k == 0 ? store->zero : put_guard(store, how, factor);
    }
    if (most_guards > 0 && find_guard(store, factor, &how)) {
        return put_guard(store, how, times_partial(store, e, k, how.inside, most_guards - 1));
    }
    if (most_guards == 0 || !is_guarded_sum(store, factor)) {
        return times_bare_partial(store, e, k, factor);
    }
    rh_expr parts[RH_EXPR_FLATTEN];
    const uint32_t count = rh__expr_count(store, factor) / 2;
    for (uint32_t j = 0; j < count; j++) {
        const rh_expr term = rh__expr_argument(store, factor, 2 * j + 1);
        parts[j] = rh__expr_multiply(store, rh__expr_argument(store, factor, 2 * j),
                                     times_partial(store, e, k, term, most_guards));
    }
    return rh__expr_sum(store, parts, count);
}

static bool is_condition(rh_op op)
{
    return op >= RH_OP_LESS && op <= RH_OP_NOT;
}

// The arguments that are differentiated by, from the first one on.
static uint32_t count_active(const rh_store *store, rh_expr e)
{
    const rh_op op = rh__expr_op(store, e);
    return is_condition(op) ? 0 : op == RH_OP_RATIO ? 1 : rh__expr_count(store, e);
}

// What is made of a ratio walks through the store itself: then the places of this walk are written
// anew.
static bool resume(rh_store *store, const rh_walk *walk, uint32_t *visit)
{
    const bool ok = store->visit == *visit || rh__walk_resume(store, walk);
    *visit = store->visit;
    return ok;
}

// --- forwards --------------------------------------------------------------------------------

// Where the derivatives of arguments are found: by node id, or by place in the current walk.
typedef struct known {
    const rh_expr *by_id;
    const rh_walk *walk;
} known;

static rh_expr find_known(const rh_store *store, known table, rh_expr e)
{
    return table.walk != NULL ? rh__walk_result(store, table.walk, e) : table.by_id[e.i];
}

// Sum over the arguments that move: of a sum the number times the inner derivative, else by the
// partials.
static rh_expr derive_parts(rh_store *store, rh_expr e, known table, rh_expr *parts)
{
    const bool is_sum = rh__expr_op(store, e) == RH_OP_ADD;
    const uint32_t count = count_active(store, e);
    uint32_t size = 0;
    for (uint32_t k = is_sum; k < count; k += 1 + (uint32_t)is_sum) {
        const rh_expr inner = find_known(store, table, rh__expr_argument(store, e, k));
        if (!rh__expr_is_zero(store, inner)) {
            parts[size++] =
                is_sum ? rh__expr_multiply(store, rh__expr_argument(store, e, k - 1), inner)
                       : times_partial(store, e, k, inner, MOST_GUARDS);
        }
    }
    return rh__expr_sum(store, parts, size);
}

static rh_expr derive_node(rh_store *store, rh_expr e, known table)
{
    const rh_op op = rh__expr_op(store, e);
    const uint32_t count = rh__expr_count(store, e);
    RH_ASSERT(op != RH_OP_SYMBOL);
    if (count == 0 || is_condition(op)) {
        return store->zero;
    }
    if (op == RH_OP_IF) {
        return rh__expr_if(store, rh__expr_argument(store, e, 0),
                           find_known(store, table, rh__expr_argument(store, e, 1)),
                           find_known(store, table, rh__expr_argument(store, e, 2)));
    }
    const rh_mark mark = rh__arena_mark(&store->scratch);
    rh_expr *parts = rh__arena_array(&store->scratch, rh_expr, count);
    const rh_expr result = parts == NULL ? rh__store_refuse(store, RH_REFUSAL_MEMORY)
                                         : derive_parts(store, e, table, parts);
    rh__arena_rewind(&store->scratch, mark);
    return result;
}

// A derivation remembers by node id: total derivatives are asked of everything, again and again.
struct rh_derivation {
    rh_store *store;
    rh_arena *arena;
    rh_seed *seed;
    void *user;
    rh_expr *known; // none while unknown
    uint32_t capacity;
};

rh_derivation *rh__derivation_create(rh_store *store, rh_arena *arena, rh_seed *seed, void *user)
{
    rh_derivation *derivation = rh__arena_new(arena, rh_derivation);
    if (derivation != NULL) {
        *derivation = (rh_derivation){store, arena, seed, user, NULL, 0};
    }
    return derivation;
}

static bool reserve_known(rh_derivation *derivation)
{
    const uint32_t need = derivation->store->nodes.count;
    if (derivation->capacity >= need) {
        return true;
    }
    const uint32_t capacity = need + need / 2;
    rh_expr *grown =
        rh__arena_resize(derivation->arena, derivation->known, derivation->capacity * sizeof *grown,
                         capacity * sizeof *grown);
    if (grown == NULL) {
        return false;
    }
    derivation->known = grown;
    derivation->capacity = capacity;
    return true;
}

typedef struct frame {
    uint32_t id;
    uint32_t next;
} frame;

// Depth first over what is not known yet.
static bool derive_reachable(rh_derivation *derivation, rh_expr root, rh_arena *scratch)
{
    rh_store *store = derivation->store;
    RH_ARRAY(frame) stack = {0};
    const frame first = {root.i, 0};
    bool ok = rh__array_push(scratch, &stack, first);
    while (ok && stack.count > 0) {
        frame *top = &stack.data[stack.count - 1];
        const rh_expr e = {top->id};
        uint32_t child = 0;
        while (child == 0 && top->next < rh__expr_count(store, e)) {
            const uint32_t id = rh__store_arguments(store, e)[top->next++];
            child = rh__expr_is_none(derivation->known[id]) ? id : 0;
        }
        if (child != 0) {
            const frame below = {child, 0};
            ok = rh__array_push(scratch, &stack, below);
            continue;
        }
        stack.count--;
        const known table = {derivation->known, NULL};
        const rh_expr derivative = rh__expr_op(store, e) == RH_OP_SYMBOL
                                       ? derivation->seed(derivation->user, store, e)
                                       : derive_node(store, e, table);
        derivation->known[e.i] = derivative;
        ok = !rh__expr_is_none(derivative);
    }
    return ok;
}

rh_expr rh__derivation_apply(rh_derivation *derivation, rh_expr e)
{
    rh_store *store = derivation->store;
    if (rh__expr_is_none(e) || store->refusal != RH_REFUSAL_NONE) {
        return RH_EXPR_NONE;
    }
    if (!reserve_known(derivation)) {
        return rh__store_refuse(store, RH_REFUSAL_MEMORY);
    }
    if (rh__expr_is_none(derivation->known[e.i])) {
        rh_arena scratch = rh__arena_begin(store->arena->allocator, store->scratch.limit);
        const bool ok = derive_reachable(derivation, e, &scratch);
        rh__arena_end(&scratch);
        if (!ok) {
            return rh__store_refuse(store, RH_REFUSAL_MEMORY);
        }
    }
    return derivation->known[e.i];
}

rh_expr rh__expr_differentiate(rh_store *store, rh_expr e, rh_expr symbol)
{
    if (rh__expr_is_none(e) || rh__expr_is_none(symbol)) {
        return RH_EXPR_NONE;
    }
    RH_ASSERT(rh__expr_op(store, symbol) == RH_OP_SYMBOL);
    rh_walk walk;
    if (!rh__walk_begin(store, &e, 1, &walk)) {
        return RH_EXPR_NONE;
    }
    const uint32_t mask = rh__expr_mask(store, symbol);
    rh_expr result = store->zero;
    uint32_t visit = store->visit;
    for (uint32_t k = 0; !rh__expr_is_none(result) && k < walk.order.count; k++) {
        const rh_expr at = walk.order.data[k];
        if (rh__expr_op(store, at) == RH_OP_SYMBOL) {
            result = rh__expr_same(at, symbol) ? store->one : store->zero;
        } else if (mask != 0 && (rh__expr_mask(store, at) & mask) == 0) {
            result = store->zero;
        } else {
            result = derive_node(store, at, (known){NULL, &walk});
            result = resume(store, &walk, &visit) ? result : RH_EXPR_NONE;
        }
        walk.result[k] = result;
    }
    rh__walk_end(&walk);
    return result;
}

// --- backwards -------------------------------------------------------------------------------

// What flows back into a node from those that use it, as linked lists; added up when the node is
// reached.
typedef struct flow {
    rh_expr value;
    uint32_t next; // 0 is the end
} flow;

typedef struct flows {
    RH_ARRAY(flow) list; // [0] is unused
    uint32_t *heads;     // by place in the walk
} flows;

static bool push_flow(rh_store *store, rh_walk *walk, flows *back, rh_expr to, rh_expr value)
{
    const uint32_t place = store->places[to.i];
    const flow item = {value, back->heads[place]};
    if (rh__expr_is_none(value) || !rh__array_push(&walk->arena, &back->list, item)) {
        return false;
    }
    back->heads[place] = back->list.count - 1;
    return true;
}

// Add up what flowed into a node; the head of its list becomes free.
static rh_expr take_flow(rh_store *store, const flows *back, uint32_t place)
{
    uint32_t count = 0;
    for (uint32_t at = back->heads[place]; at != 0; at = back->list.data[at].next) {
        count++;
    }
    const rh_mark mark = rh__arena_mark(&store->scratch);
    rh_expr *parts = rh__arena_array(&store->scratch, rh_expr, count);
    rh_expr result = RH_EXPR_NONE;
    if (parts == NULL) {
        rh__store_refuse(store, RH_REFUSAL_MEMORY);
    } else {
        uint32_t size = 0;
        for (uint32_t at = back->heads[place]; at != 0; at = back->list.data[at].next) {
            parts[size++] = back->list.data[at].value;
        }
        result = rh__expr_sum(store, parts, size);
    }
    rh__arena_rewind(&store->scratch, mark);
    return result;
}

// Pass what flowed into `e` on to its arguments that hold wanted symbols.
static bool pass_flow(rh_store *store, rh_walk *walk, flows *back, rh_expr e, rh_expr value,
                      uint32_t mask)
{
    const rh_op op = rh__expr_op(store, e);
    const uint32_t count = count_active(store, e);
    const bool is_sum = op == RH_OP_ADD;
    uint32_t visit = store->visit;
    bool ok = true;
    for (uint32_t k = is_sum; ok && k < count; k += 1 + (uint32_t)is_sum) {
        const rh_expr argument = rh__expr_argument(store, e, k);
        if ((rh__expr_mask(store, argument) & mask) == 0 || (op == RH_OP_IF && k == 0)) {
            continue;
        }
        const rh_expr part =
            is_sum ? rh__expr_multiply(store, rh__expr_argument(store, e, k - 1), value)
                   : times_partial(store, e, k, value, MOST_GUARDS);
        ok = resume(store, walk, &visit) && push_flow(store, walk, back, argument, part);
    }
    return ok;
}

static bool flow_back(rh_store *store, rh_walk *walk, flows *back, uint32_t mask)
{
    for (uint32_t k = walk->order.count; k-- > 0;) {
        const rh_expr e = walk->order.data[k];
        if (back->heads[k] == 0) {
            walk->result[k] = store->zero;
            continue;
        }
        const rh_expr value = take_flow(store, back, k);
        walk->result[k] = value;
        if (rh__expr_is_none(value) ||
            (!rh__expr_is_zero(store, value) && !pass_flow(store, walk, back, e, value, mask))) {
            return false;
        }
    }
    return true;
}

// The wanted symbols of the walk with what reached them.
static bool gather_partials(rh_store *store, const rh_walk *walk, uint32_t mask, rh_arena *arena,
                            rh_gradient *out)
{
    uint32_t count = 0;
    for (uint32_t k = 0; k < walk->order.count; k++) {
        count += rh__expr_op(store, walk->order.data[k]) == RH_OP_SYMBOL;
    }
    out->data = rh__arena_array(arena, rh_partial, count);
    if (out->data == NULL) {
        return false;
    }
    for (uint32_t k = 0; k < walk->order.count; k++) {
        const rh_expr e = walk->order.data[k];
        if (rh__expr_op(store, e) == RH_OP_SYMBOL && (rh__expr_mask(store, e) & mask) != 0 &&
            !rh__expr_is_zero(store, walk->result[k])) {
            out->data[out->count++] = (rh_partial){e, walk->result[k]};
        }
    }
    return true;
}

static void sort_partials(const rh_store *store, rh_gradient *gradient)
{
    // shell sort: gradients are short, or nearly in order already
    for (uint32_t gap = gradient->count / 2; gap > 0; gap /= 2) {
        for (uint32_t i = gap; i < gradient->count; i++) {
            const rh_partial moving = gradient->data[i];
            uint32_t place = i;
            while (place >= gap &&
                   rh__expr_compare(store, gradient->data[place - gap].symbol, moving.symbol) > 0) {
                gradient->data[place] = gradient->data[place - gap];
                place -= gap;
            }
            gradient->data[place] = moving;
        }
    }
}

bool rh__expr_gradient(rh_store *store, rh_expr e, uint32_t mask, rh_arena *arena, rh_gradient *out)
{
    RH_ASSERT(mask != 0);
    *out = (rh_gradient){0};
    rh_walk walk;
    if (rh__expr_is_none(e) || !rh__walk_begin(store, &e, 1, &walk)) {
        return false;
    }
    flows back = {.heads = rh__arena_array(&walk.arena, uint32_t, walk.order.count)};
    const flow unused = {RH_EXPR_NONE, 0};
    const bool ok = back.heads != NULL && rh__array_push(&walk.arena, &back.list, unused) &&
                    push_flow(store, &walk, &back, e, store->one) &&
                    flow_back(store, &walk, &back, mask) &&
                    gather_partials(store, &walk, mask, arena, out);
    rh__walk_end(&walk);
    if (!ok) {
        rh__store_refuse(store, RH_REFUSAL_MEMORY);
        return false;
    }
    sort_partials(store, out);
    return true;
}

// --- substitution ----------------------------------------------------------------------------

rh_expr rh__walk_rebuild(rh_store *store, const rh_walk *walk, rh_expr e)
{
    const uint32_t count = rh__expr_count(store, e);
    const rh_mark mark = rh__arena_mark(&store->scratch);
    rh_expr *arguments = rh__arena_array(&store->scratch, rh_expr, count);
    if (arguments == NULL) {
        return rh__store_refuse(store, RH_REFUSAL_MEMORY);
    }
    bool is_changed = false;
    for (uint32_t k = 0; k < count; k++) {
        const rh_expr old = rh__expr_argument(store, e, k);
        arguments[k] = rh__walk_result(store, walk, old);
        is_changed = is_changed || !rh__expr_same(old, arguments[k]);
    }
    rh_expr result = e;
    if (is_changed && rh__expr_op(store, e) == RH_OP_ADD) {
        for (uint32_t k = 0; k < count / 2; k++) {
            arguments[k] = rh__expr_multiply(store, arguments[2 * k], arguments[2 * k + 1]);
        }
        result = rh__expr_sum(store, arguments, count / 2);
    } else if (is_changed) {
        result = rh__expr_apply(store, rh__expr_op(store, e), arguments, count);
    }
    rh__arena_rewind(&store->scratch, mark);
    return result;
}

// What replaces each symbol. Asking for it may visit the store itself: then the walk's places are
// written anew.
static bool ask_replacements(rh_store *store, rh_walk *walk, rh_seed *replacement, void *user)
{
    uint32_t visit = store->visit;
    for (uint32_t k = 0; k < walk->order.count; k++) {
        const rh_expr at = walk->order.data[k];
        if (rh__expr_op(store, at) == RH_OP_SYMBOL) {
            walk->result[k] = replacement(user, store, at);
            if (rh__expr_is_none(walk->result[k])) {
                return false;
            }
        }
    }
    return resume(store, walk, &visit);
}

rh_expr rh__expr_substitute(rh_store *store, rh_expr e, rh_seed *replacement, void *user)
{
    rh_walk walk;
    if (rh__expr_is_none(e) || !rh__walk_begin(store, &e, 1, &walk)) {
        return RH_EXPR_NONE;
    }
    rh_expr result = ask_replacements(store, &walk, replacement, user) ? e : RH_EXPR_NONE;
    uint32_t visit = store->visit;
    for (uint32_t k = 0; !rh__expr_is_none(result) && k < walk.order.count; k++) {
        const rh_expr at = walk.order.data[k];
        result = rh__expr_op(store, at) == RH_OP_SYMBOL ? walk.result[k]
                                                        : rh__walk_rebuild(store, &walk, at);
        result = resume(store, &walk, &visit) ? result : RH_EXPR_NONE;
        walk.result[k] = result;
    }
    rh__walk_end(&walk);
    return result;
}

rh_expr rh__expr_replace(rh_store *store, rh_expr e, rh_expr part, rh_expr by)
{
    rh_walk walk;
    if (rh__expr_is_none(e) || rh__expr_is_none(by) || !rh__walk_begin(store, &e, 1, &walk)) {
        return RH_EXPR_NONE;
    }
    rh_expr result = e;
    uint32_t visit = store->visit;
    for (uint32_t k = 0; !rh__expr_is_none(result) && k < walk.order.count; k++) {
        const rh_expr at = walk.order.data[k];
        result = rh__expr_same(at, part)                  ? by
                 : rh__expr_op(store, at) == RH_OP_SYMBOL ? at
                                                          : rh__walk_rebuild(store, &walk, at);
        result = resume(store, &walk, &visit) ? result : RH_EXPR_NONE;
        walk.result[k] = result;
    }
    rh__walk_end(&walk);
    return result;
}
