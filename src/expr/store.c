// SPDX-License-Identifier: Apache-2.0
// The store: nodes, numbers, families, and the index that makes equal expressions one. Slots hold
// ids, and hashes are made of ids, so two runs on the same text give the same store.

#include "expr/store.h"

#include <string.h>

// What says why the store is full: want of memory was noted by the arena.
static void note_limit(const rh_store *store, rh_refusal why)
{
    rh_guard *guard = rh__guard_of(store->arena->allocator);
    if (why == RH_REFUSAL_NODES) {
        rh__guard_pass_limit(guard, "there are more different expressions than a model may have",
                             RH_EXPR_NODES);
    } else if (why == RH_REFUSAL_NUMBER) {
        rh__guard_pass_limit(guard, "an exact number has more binary digits than it may have",
                             RH_EXPR_NUMBER_BITS);
    } else if (why == RH_REFUSAL_WORK) {
        rh__guard_pass_limit(guard, "sums and products have more parts than may be put in order",
                             RH_EXPR_WORK);
    }
}

rh_expr rh__store_refuse(rh_store *store, rh_refusal why)
{
    RH_ASSERT(why != RH_REFUSAL_NONE);
    if (store->refusal == RH_REFUSAL_NONE) {
        store->refusal = why;
        note_limit(store, why);
    }
    return RH_EXPR_NONE;
}

// New nodes, and questions for old ones, are counted: now and then the caller is asked.
static bool may_go_on(rh_store *store)
{
    return ++store->asked % RH_EXPR_POLL != 0 ||
           rh__guard_poll(rh__guard_of(store->arena->allocator));
}

static bool reserve_first(rh_store *store)
{
    const rh_node no_node = {.op = RH_OP_NONE};
    const rh_family_def no_family = {.dimensions = 0};
    const rh_shape_key no_shape = {0, 0, 0};
    return rh__array_push(store->arena, &store->nodes, no_node) &&
           rh__array_push(store->arena, &store->families, no_family) &&
           rh__array_push(store->arena, &store->shapes, no_shape);
}

rh_store *rh__store_create(rh_arena *arena)
{
    rh__rational_prepare();
    rh_store *store = rh__arena_new(arena, rh_store);
    if (store == NULL) {
        return NULL;
    }
    store->arena = arena;
    store->seed = rh__hash_seed();
    store->scratch = rh__arena_begin(arena->allocator, arena->limit);
    // a first chunk stays in scratch, or every builder would ask the allocator for one
    if (!reserve_first(store) || rh__arena_push(&store->scratch, 1) == NULL) {
        rh__arena_end(&store->scratch);
        return NULL;
    }
    store->zero = rh__expr_integer(store, 0);
    store->one = rh__expr_integer(store, 1);
    store->minus_one = rh__expr_integer(store, -1);
    if (store->refusal != RH_REFUSAL_NONE) {
        rh__arena_end(&store->scratch);
        return NULL;
    }
    return store;
}

void rh__store_destroy(rh_store *store)
{
    if (store != NULL) {
        rh__arena_end(&store->scratch);
    }
}

rh_refusal rh__store_refusal(const rh_store *store)
{
    return store->refusal;
}

uint32_t rh__store_work(const rh_store *store)
{
    return store->work;
}

void rh__store_repeat(rh_store *store, uint32_t work)
{
    RH_ASSERT(work <= store->work);
    store->work = work;
}

uint32_t rh__store_count(const rh_store *store)
{
    return store->nodes.count;
}

// --- interning -------------------------------------------------------------------------------

static uint64_t hash_words(rh_op op, const uint32_t *words, uint32_t count)
{
    return rh__hash_slot_bytes(words, count * sizeof *words, (uint64_t)op << 32 | count);
}

static uint64_t hash_node(const rh_store *store, uint32_t id)
{
    const rh_node *node = &store->nodes.data[id];
    if (node->op == RH_OP_NUMBER) {
        return rh__rational_hash(store->numbers.data[node->first], store->seed);
    }
    if (node->op == RH_OP_SYMBOL) {
        return hash_words(RH_OP_SYMBOL, (uint32_t[]){node->first, node->count}, 2);
    }
    return hash_words((rh_op)node->op, store->arguments.data + node->first, node->count);
}

// Double the index when it is three quarters full.
static bool grow_index(rh_store *store)
{
    rh_index *index = &store->node_index;
    if (4 * (uint64_t)(index->used + 1) <= 3 * (uint64_t)index->count) {
        return true;
    }
    const uint32_t count = index->count == 0 ? 256 : 2 * index->count;
    uint32_t *slots = rh__arena_resize(store->arena, index->slots, index->count * sizeof *slots,
                                       count * sizeof *slots);
    if (slots == NULL) {
        return false;
    }
    memset(slots, 0, count * sizeof *slots);
    index->slots = slots;
    index->count = count;
    for (uint32_t id = 1; id < store->nodes.count; id++) {
        uint32_t slot = (uint32_t)hash_node(store, id) & (count - 1);
        while (slots[slot] != 0) {
            slot = (slot + 1) & (count - 1);
        }
        slots[slot] = id;
    }
    return true;
}

static rh_expr push_node(rh_store *store, uint32_t slot, rh_node node)
{
    if (store->nodes.count >= RH_EXPR_NODES) {
        return rh__store_refuse(store, RH_REFUSAL_NODES);
    }
    if (!rh__array_push(store->arena, &store->nodes, node)) {
        return rh__store_refuse(store, RH_REFUSAL_MEMORY);
    }
    const uint32_t id = store->nodes.count - 1;
    store->node_index.slots[slot] = id;
    store->node_index.used++;
    RH_ASSERT_LOAD(store->node_index.used, store->node_index.count);
    return (rh_expr){id};
}

static bool is_node(const rh_store *store, uint32_t id, rh_op op, const uint32_t *arguments,
                    uint32_t count)
{
    const rh_node *node = &store->nodes.data[id];
    return node->op == op && node->count == count &&
           (count == 0 ||
            memcmp(store->arguments.data + node->first, arguments, count * sizeof *arguments) == 0);
}

// The node that is equal, or none and the slot where it would go.
static rh_expr find_node(const rh_store *store, rh_op op, const uint32_t *arguments, uint32_t count,
                         uint32_t *out_slot)
{
    const uint32_t last = store->node_index.count - 1;
    uint32_t slot = (uint32_t)hash_words(op, arguments, count) & last;
    while (store->node_index.slots[slot] != 0) {
        const uint32_t id = store->node_index.slots[slot];
        if (is_node(store, id, op, arguments, count)) {
            return (rh_expr){id};
        }
        slot = (slot + 1) & last;
    }
    *out_slot = slot;
    return RH_EXPR_NONE;
}

rh_expr rh__store_intern(rh_store *store, rh_op op, const uint32_t *arguments, uint32_t count)
{
    RH_ASSERT(op > RH_OP_SYMBOL || op == RH_OP_PI);
    if (store->refusal != RH_REFUSAL_NONE) {
        return RH_EXPR_NONE;
    }
    if (!may_go_on(store) || !grow_index(store)) {
        return rh__store_refuse(store, RH_REFUSAL_MEMORY);
    }
    uint32_t slot = 0;
    const rh_expr old = find_node(store, op, arguments, count, &slot);
    if (old.i != 0) {
        return old;
    }
    uint32_t mask = 0;
    for (uint32_t k = 0; k < count; k++) {
        RH_ASSERT(arguments[k] > 0 && arguments[k] < store->nodes.count);
        mask |= store->nodes.data[arguments[k]].mask;
    }
    const uint32_t shape = rh__store_shape(store, op, arguments, count);
    if (shape == 0 || !rh__array_reserve(store->arena, &store->arguments, count)) {
        return rh__store_refuse(store, RH_REFUSAL_MEMORY);
    }
    const uint32_t first = store->arguments.count;
    if (count > 0) {
        memcpy(store->arguments.data + first, arguments, count * sizeof *arguments);
    }
    store->arguments.count += count;
    const rh_node node = {
        .op = (uint8_t)op, .mask = mask & 0xffffff, .count = count, .first = first, .shape = shape};
    return push_node(store, slot, node);
}

rh_expr rh__store_number(rh_store *store, rh_rational value)
{
    if (store->refusal != RH_REFUSAL_NONE) {
        return RH_EXPR_NONE;
    }
    if (!may_go_on(store) || !grow_index(store)) {
        return rh__store_refuse(store, RH_REFUSAL_MEMORY);
    }
    const uint32_t last = store->node_index.count - 1;
    uint32_t slot = (uint32_t)rh__rational_hash(value, store->seed) & last;
    while (store->node_index.slots[slot] != 0) {
        const uint32_t id = store->node_index.slots[slot];
        const rh_node *node = &store->nodes.data[id];
        if (node->op == RH_OP_NUMBER &&
            rh__rational_equal(store->numbers.data[node->first], value)) {
            return (rh_expr){id};
        }
        slot = (slot + 1) & last;
    }
    const uint32_t shape = rh__store_shape(store, RH_OP_NUMBER, NULL, 0);
    if (shape == 0 || !rh__array_push(store->arena, &store->numbers, value)) {
        return rh__store_refuse(store, RH_REFUSAL_MEMORY);
    }
    const rh_node node = {.op = RH_OP_NUMBER, .first = store->numbers.count - 1, .shape = shape};
    return push_node(store, slot, node);
}

// --- families and symbols --------------------------------------------------------------------

rh_family rh__family_create(rh_store *store, const rh_family_def *def)
{
    RH_ASSERT(def->dimensions <= RH_EXPR_DIMENSIONS);
    if (!rh__array_push(store->arena, &store->families, *def)) {
        rh__store_refuse(store, RH_REFUSAL_MEMORY);
        return (rh_family){0};
    }
    return (rh_family){store->families.count - 1};
}

const rh_family_def *rh__family_def(const rh_store *store, rh_family family)
{
    RH_ASSERT(family.i > 0 && family.i < store->families.count);
    return &store->families.data[family.i];
}

uint32_t rh__family_size(const rh_store *store, rh_family family)
{
    const rh_family_def *def = rh__family_def(store, family);
    uint32_t size = 1;
    for (uint32_t d = 0; d < def->dimensions; d++) {
        size *= def->extent[d];
    }
    return size;
}

rh_expr rh__expr_symbol(rh_store *store, rh_family family, uint32_t member)
{
    if (store->refusal != RH_REFUSAL_NONE || family.i == 0) {
        return RH_EXPR_NONE;
    }
    RH_ASSERT(member < rh__family_size(store, family));
    if (!grow_index(store)) {
        return rh__store_refuse(store, RH_REFUSAL_MEMORY);
    }
    const uint32_t words[] = {family.i, member};
    const uint32_t last = store->node_index.count - 1;
    uint32_t slot = (uint32_t)hash_words(RH_OP_SYMBOL, words, 2) & last;
    while (store->node_index.slots[slot] != 0) {
        const uint32_t id = store->node_index.slots[slot];
        const rh_node *node = &store->nodes.data[id];
        if (node->op == RH_OP_SYMBOL && node->first == family.i && node->count == member) {
            return (rh_expr){id};
        }
        slot = (slot + 1) & last;
    }
    const uint32_t shape = rh__store_shape(store, RH_OP_SYMBOL, &family.i, 1);
    if (shape == 0) {
        return rh__store_refuse(store, RH_REFUSAL_MEMORY);
    }
    const rh_node node = {.op = RH_OP_SYMBOL,
                          .mask = rh__family_def(store, family)->mask & 0xffffff,
                          .count = member,
                          .first = family.i,
                          .shape = shape};
    return push_node(store, slot, node);
}

void rh__family_index(const rh_store *store, rh_family family, uint32_t member,
                      int64_t out[RH_EXPR_DIMENSIONS])
{
    const rh_family_def *def = rh__family_def(store, family);
    for (uint32_t d = def->dimensions; d-- > 0;) {
        out[d] = def->first[d] + member % def->extent[d];
        member /= def->extent[d];
    }
}

rh_family rh__expr_family(const rh_store *store, rh_expr symbol)
{
    RH_ASSERT(rh__store_node(store, symbol)->op == RH_OP_SYMBOL);
    return (rh_family){rh__store_node(store, symbol)->first};
}

uint32_t rh__expr_member(const rh_store *store, rh_expr symbol)
{
    RH_ASSERT(rh__store_node(store, symbol)->op == RH_OP_SYMBOL);
    return rh__store_node(store, symbol)->count;
}

// --- looking ---------------------------------------------------------------------------------

rh_op rh__expr_op(const rh_store *store, rh_expr e)
{
    return (rh_op)rh__store_node(store, e)->op;
}

uint32_t rh__expr_count(const rh_store *store, rh_expr e)
{
    const rh_node *node = rh__store_node(store, e);
    return node->op == RH_OP_SYMBOL ? 0 : node->count;
}

rh_expr rh__expr_argument(const rh_store *store, rh_expr e, uint32_t k)
{
    RH_ASSERT(k < rh__expr_count(store, e));
    return (rh_expr){rh__store_arguments(store, e)[k]};
}

uint32_t rh__expr_mask(const rh_store *store, rh_expr e)
{
    return rh__store_node(store, e)->mask;
}

rh_shape rh__expr_shape(const rh_store *store, rh_expr e)
{
    return (rh_shape){rh__store_node(store, e)->shape};
}

typedef struct op_row {
    const char *word;
    uint32_t arity;
} op_row;

static const op_row OPS[RH_OP_COUNT] = {
    [RH_OP_NONE] = {"none", 0},
#define RH_OP_CORE(name, word) [RH_OP_##name] = {word, 0},
#define RH_OP(name, word, arity, first, second, value, latex) [RH_OP_##name] = {word, arity},
#include "expr/ops.def"
};

const char *rh__op_word(rh_op op)
{
    RH_ASSERT(op < RH_OP_COUNT);
    return OPS[op].word;
}

uint32_t rh__op_arity(rh_op op)
{
    RH_ASSERT(op < RH_OP_COUNT);
    return OPS[op].arity;
}

rh_op rh__op_find(rh_slice word)
{
    for (unsigned op = RH_OP_IF + 1; op < RH_OP_COUNT; op++) {
        if (rh__slice_is(word, OPS[op].word)) {
            return (rh_op)op;
        }
    }
    return RH_OP_NONE;
}

// --- visiting --------------------------------------------------------------------------------

bool rh__store_begin_visit(rh_store *store)
{
    if (store->stamp_capacity < store->nodes.count) {
        const uint32_t capacity = store->nodes.capacity;
        const size_t old_size = store->stamp_capacity * sizeof(uint32_t);
        const size_t size = capacity * sizeof(uint32_t);
        uint32_t *stamps = rh__arena_resize(store->arena, store->stamps, old_size, size);
        if (stamps != NULL) {
            store->stamps = stamps;
        }
        uint32_t *places = rh__arena_resize(store->arena, store->places, old_size, size);
        if (places != NULL) {
            store->places = places;
        }
        if (stamps == NULL || places == NULL) {
            rh__store_refuse(store, RH_REFUSAL_MEMORY);
            return false;
        }
        store->stamp_capacity = capacity;
    }
    store->visit++;
    if (store->visit == 0) {
        memset(store->stamps, 0, store->stamp_capacity * sizeof *store->stamps);
        store->visit = 1;
    }
    return true;
}

typedef struct frame {
    uint32_t id;
    uint32_t next; // argument to look at
} frame;

// Depth first with a stack of its own: a deep expression must not overflow the C stack.
bool rh__expr_reach(rh_store *store, const rh_expr *roots, uint32_t count, rh_arena *arena,
                    rh_expr_list *out)
{
    *out = (rh_expr_list){0};
    if (!rh__store_begin_visit(store)) {
        return false;
    }
    const rh_mark mark = rh__arena_mark(&store->scratch);
    RH_ARRAY(frame) stack = {0};
    bool ok = true;
    for (uint32_t r = 0; ok && r < count; r++) {
        if (rh__expr_is_none(roots[r]) || !rh__store_visit(store, roots[r].i)) {
            continue;
        }
        const frame root = {roots[r].i, 0};
        ok = rh__array_push(&store->scratch, &stack, root);
        while (ok && stack.count > 0) {
            frame *top = &stack.data[stack.count - 1];
            const rh_expr e = {top->id};
            if (top->next < rh__expr_count(store, e)) {
                const uint32_t child = rh__store_arguments(store, e)[top->next++];
                if (rh__store_visit(store, child)) {
                    const frame below = {child, 0};
                    ok = rh__array_push(&store->scratch, &stack, below);
                }
            } else {
                stack.count--;
                store->places[e.i] = out->count;
                ok = rh__array_push(arena, out, e);
            }
        }
    }
    if (arena != &store->scratch) {
        rh__arena_rewind(&store->scratch, mark);
    }
    if (!ok) {
        rh__store_refuse(store, RH_REFUSAL_MEMORY);
    }
    return ok;
}

bool rh__walk_begin(rh_store *store, const rh_expr *roots, uint32_t count, rh_walk *out)
{
    out->arena = rh__arena_begin(store->arena->allocator, store->scratch.limit);
    const bool ok = rh__expr_reach(store, roots, count, &out->arena, &out->order);
    out->result = ok ? rh__arena_array(&out->arena, rh_expr, out->order.count) : NULL;
    if (out->result == NULL) {
        rh__arena_end(&out->arena);
        rh__store_refuse(store, RH_REFUSAL_MEMORY);
        return false;
    }
    return true;
}

bool rh__walk_resume(rh_store *store, const rh_walk *walk)
{
    if (!rh__store_begin_visit(store)) {
        return false;
    }
    for (uint32_t k = 0; k < walk->order.count; k++) {
        const uint32_t id = walk->order.data[k].i;
        (void)rh__store_visit(store, id);
        store->places[id] = k;
    }
    return true;
}

void rh__walk_end(rh_walk *walk)
{
    rh__arena_end(&walk->arena);
}

static void sort_list(const rh_store *store, rh_expr_list *list)
{
    // heap sort: in place, no worst case
    for (uint32_t half = list->count / 2, end = list->count; end > 1;) {
        rh_expr moving;
        if (half > 0) {
            moving = list->data[--half];
        } else {
            moving = list->data[--end];
            list->data[end] = list->data[0];
        }
        uint32_t hole = half;
        for (uint32_t child = 2 * hole + 1; child < end; child = 2 * hole + 1) {
            if (child + 1 < end &&
                rh__expr_compare(store, list->data[child], list->data[child + 1]) < 0) {
                child++;
            }
            if (rh__expr_compare(store, moving, list->data[child]) >= 0) {
                break;
            }
            list->data[hole] = list->data[child];
            hole = child;
        }
        list->data[hole] = moving;
    }
}

bool rh__expr_symbols(rh_store *store, rh_expr e, uint32_t mask, rh_arena *arena, rh_expr_list *out)
{
    *out = (rh_expr_list){0};
    rh_expr_list all;
    const rh_mark mark = rh__arena_mark(&store->scratch);
    bool ok = rh__expr_reach(store, &e, 1, &store->scratch, &all);
    for (uint32_t k = 0; ok && k < all.count; k++) {
        const rh_node *node = rh__store_node(store, all.data[k]);
        if (node->op == RH_OP_SYMBOL && (node->mask & mask) != 0) {
            ok = rh__array_push(arena, out, all.data[k]);
        }
    }
    rh__arena_rewind(&store->scratch, mark);
    if (ok) {
        sort_list(store, out);
    } else {
        rh__store_refuse(store, RH_REFUSAL_MEMORY);
    }
    return ok;
}
