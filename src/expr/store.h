// SPDX-License-Identifier: Apache-2.0
// Private to `expr`: the inside of a store, and what its files share.

#pragma once

#include "expr/expr.h"
#include "expr/rational.h"

typedef struct rh_node {
    uint32_t op : 8;    // rh_op
    uint32_t mask : 24; // union over the arguments
    uint32_t count;     // of arguments; SYMBOL: the member
    uint32_t first; // of them in `arguments`; SYMBOL: the family; NUMBER: its place in `numbers`
    uint32_t shape;
} rh_node;

typedef struct rh_shape_key {
    uint32_t first; // in `shape_words`
    uint32_t count;
    uint32_t depth; // of the tree; 1 for a leaf
} rh_shape_key;

typedef struct rh_index {
    uint32_t *slots; // id, 0 for empty
    uint32_t count;  // a power of two
    uint32_t used;
} rh_index;

/// A verdict that rests on values of symbols that do not move (witness.c).
typedef enum rh_witness_kind {
    RH_WITNESS_VANISHES,
    RH_WITNESS_SIGN,
    RH_WITNESS_CHOICE
} rh_witness_kind;

typedef struct rh_witness {
    rh_witness_kind kind;
    uint32_t count; // of parts
    const rh_expr *parts;
    rh_value_of *value_of;
    const void *user;
    rh_choice_of *choose;
    const void *data;
    int64_t verdict;
} rh_witness;

struct rh_store {
    rh_arena *arena;
    rh_arena scratch; // marked and rewound by whoever uses it
    RH_ARRAY(rh_node) nodes;
    RH_ARRAY(uint32_t) arguments;
    RH_ARRAY(rh_rational) numbers;
    RH_ARRAY(rh_family_def) families;
    RH_ARRAY(rh_shape_key) shapes;
    RH_ARRAY(uint32_t) shape_words;
    rh_index node_index;
    rh_index shape_index;
    uint32_t *stamps; // per node: the visit that saw it last
    uint32_t *places; // per node: where it stands in the list of that visit
    uint32_t stamp_capacity;
    uint32_t visit;
    uint64_t seed;  // of the hash of numbers, which a text may choose
    uint32_t work;  // parts of sums and products so far
    uint32_t asked; // nodes asked for
    rh_refusal refusal;
    rh_expr zero, one, minus_one;
    RH_ARRAY(rh_ratio) ratios;
    rh_expr ratio_symbol; // none while there is no ratio
    RH_ARRAY(rh_witness) witnesses;
    RH_ARRAY(uint8_t) witnessed; // per node: bits of the kinds that were noted of it
    uint32_t watched;            // mask; 0: nothing is noted
    bool is_blind;               // memory ran out: nobody knows whether the verdicts stand
};

/// Note a verdict on one expression, once.
void rh__store_note(rh_store *store, rh_witness_kind kind, rh_expr e, rh_value_of *value_of,
                    const void *user, int64_t verdict);

/// Note the first reason and give none.
rh_expr rh__store_refuse(rh_store *store, rh_refusal why);

/// The node with these parts, old or new.
rh_expr rh__store_intern(rh_store *store, rh_op op, const uint32_t *arguments, uint32_t count);
rh_expr rh__store_number(rh_store *store, rh_rational value);

static inline const rh_node *rh__store_node(const rh_store *store, rh_expr e)
{
    RH_ASSERT(e.i < store->nodes.count); // none is node 0: no operation, no arguments
    return &store->nodes.data[e.i];
}

static inline const uint32_t *rh__store_arguments(const rh_store *store, rh_expr e)
{
    return store->arguments.data + rh__store_node(store, e)->first;
}

static inline rh_rational rh__store_value(const rh_store *store, rh_expr number)
{
    RH_ASSERT(rh__store_node(store, number)->op == RH_OP_NUMBER);
    return store->numbers.data[rh__store_node(store, number)->first];
}

static inline bool rh__expr_same(rh_expr a, rh_expr b)
{
    return a.i == b.i;
}

static inline bool rh__expr_is_none(rh_expr e)
{
    return e.i == 0;
}

static inline rh_expr rh__expr_base(const rh_store *store, rh_expr e)
{
    return rh__expr_op(store, e) == RH_OP_POW ? rh__expr_argument(store, e, 0) : e;
}

static inline rh_expr rh__expr_exponent(const rh_store *store, rh_expr e)
{
    return rh__expr_op(store, e) == RH_OP_POW ? rh__expr_argument(store, e, 1) : store->one;
}

/// A product to be opened; a long one is a part like any other.
static inline bool rh__expr_is_open(const rh_store *store, rh_expr e)
{
    return rh__expr_op(store, e) == RH_OP_MUL && rh__expr_count(store, e) <= RH_EXPR_FLATTEN;
}

/// A product as a list of factors; anything else is a list of one.
static inline uint32_t rh__factor_count(const rh_store *store, rh_expr e)
{
    return rh__expr_is_open(store, e) ? rh__expr_count(store, e) : 1;
}

static inline rh_expr rh__factor(const rh_store *store, rh_expr e, uint32_t k)
{
    return rh__expr_is_open(store, e) ? rh__expr_argument(store, e, k) : e;
}

/// The value of a line by those of the lines before it; its arguments stand at `from`.
double rh__recipe_line_value(const rh_store *store, const rh_recipe_line *line,
                             const uint32_t *from, const double *values);

/// Numbers.
rh_expr rh__number_result(rh_store *store, bool ok, rh_rational value);
int rh__number_compare(const rh_store *store, rh_expr a, rh_expr b);
rh_expr rh__number_add(rh_store *store, rh_expr a, rh_expr b);
rh_expr rh__number_multiply(rh_store *store, rh_expr a, rh_expr b);

/// q with number*q^2 = sum, for a sum that is such a square written out (square.c); NONE: it is
/// not.
rh_expr rh__expr_find_square(rh_store *store, rh_expr sum, rh_expr *out_number);

/// number * e, distributing over a small sum.
rh_expr rh__expr_scale(rh_store *store, rh_expr number, rh_expr e);

/// Does a sum, short enough to be flattened, begin with a negative number? Everything else does
/// not.
bool rh__expr_leads_negative(const rh_store *store, rh_expr e);

static inline uint32_t rh__shape_depth(const rh_store *store, rh_shape shape)
{
    return store->shapes.data[shape.i].depth;
}

/// The shape of a new node.
uint32_t rh__store_shape(rh_store *store, rh_op op, const uint32_t *arguments, uint32_t count);

/// What is reachable from the roots, arguments before users, with a result for each;
/// `store->places` maps node to place until the next visit begins.
typedef struct rh_walk {
    rh_arena arena;
    rh_expr_list order;
    rh_expr *result;
} rh_walk;

/// False when the arena refused; then there is nothing to end.
bool rh__walk_begin(rh_store *store, const rh_expr *roots, uint32_t count, rh_walk *out);
/// Another visit has begun since: write the places of this walk again. False when the arena
/// refused.
bool rh__walk_resume(rh_store *store, const rh_walk *walk);
void rh__walk_end(rh_walk *walk);
/// A node of the walk with the results for its arguments in their places.
rh_expr rh__walk_rebuild(rh_store *store, const rh_walk *walk, rh_expr e);

static inline rh_expr rh__walk_result(const rh_store *store, const rh_walk *walk, rh_expr e)
{
    RH_ASSERT(store->stamps[e.i] == store->visit);
    return walk->result[store->places[e.i]];
}

/// Begin a visit: then `rh__store_visit` is true the first time it meets a node. False when the
/// arena refused.
bool rh__store_begin_visit(rh_store *store);

static inline bool rh__store_visit(rh_store *store, uint32_t id)
{
    RH_ASSERT(id < store->stamp_capacity);
    const bool is_new = store->stamps[id] != store->visit;
    store->stamps[id] = store->visit;
    return is_new;
}
