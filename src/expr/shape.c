// SPDX-License-Identifier: Apache-2.0
// Shapes: what is left of an expression when the members of its symbols and its numeric factors are
// forgotten. A shape is interned like a node, from a list of words, so equal shapes have equal ids.
// Two rows of one loop get the same shape, and one instruction over the family can serve both
// (docs/decisions/families.md).

#include "expr/store.h"

#include <string.h>

// A number that is an exponent stays itself: x^2 and x^3 are different operations. So do the
// factors 1 and -1.
static const uint32_t LITERAL = 0x80000000u;

static uint32_t shape_of(const rh_store *store, uint32_t id)
{
    return store->nodes.data[id].shape;
}

static uint32_t find_shape_slot(const rh_store *store, const uint32_t *words, uint32_t count)
{
    const uint32_t last = store->shape_index.count - 1;
    RH_ASSERT_LOAD(store->shape_index.used, store->shape_index.count);
    uint32_t slot = (uint32_t)rh__hash_slot_bytes(words, count * sizeof *words, count) & last;
    while (store->shape_index.slots[slot] != 0) {
        const rh_shape_key key = store->shapes.data[store->shape_index.slots[slot]];
        if (key.count == count &&
            memcmp(store->shape_words.data + key.first, words, count * sizeof *words) == 0) {
            break;
        }
        slot = (slot + 1) & last;
    }
    return slot;
}

static bool grow_shape_index(rh_store *store)
{
    rh_index *index = &store->shape_index;
    if (4 * (uint64_t)(index->used + 1) <= 3 * (uint64_t)index->count) {
        return true;
    }
    const uint32_t count = index->count == 0 ? 64 : 2 * index->count;
    uint32_t *slots = rh__arena_resize(store->arena, index->slots, index->count * sizeof *slots,
                                       count * sizeof *slots);
    if (slots == NULL) {
        return false;
    }
    memset(slots, 0, count * sizeof *slots);
    index->slots = slots;
    index->count = count;
    for (uint32_t id = 1; id < store->shapes.count; id++) {
        const rh_shape_key key = store->shapes.data[id];
        slots[find_shape_slot(store, store->shape_words.data + key.first, key.count)] = id;
    }
    return true;
}

static uint32_t intern_shape(rh_store *store, const uint32_t *words, uint32_t count, uint32_t depth)
{
    if (!grow_shape_index(store)) {
        return 0;
    }
    const uint32_t slot = find_shape_slot(store, words, count);
    if (store->shape_index.slots[slot] != 0) {
        return store->shape_index.slots[slot];
    }
    const rh_shape_key key = {store->shape_words.count, count, depth};
    if (!rh__array_reserve(store->arena, &store->shape_words, count) ||
        !rh__array_push(store->arena, &store->shapes, key)) {
        return 0;
    }
    memcpy(store->shape_words.data + key.first, words, count * sizeof *words);
    store->shape_words.count += count;
    store->shape_index.slots[slot] = store->shapes.count - 1;
    store->shape_index.used++;
    return store->shapes.count - 1;
}

// A sum of a thousand like terms is (their shape, 1000): like neighbours are counted. The order
// stays as it is stored, or the leaves of two sums of one shape would not agree place by place.
static uint32_t sum_words(const rh_store *store, const uint32_t *arguments, uint32_t count,
                          uint32_t *words)
{
    uint32_t size = 0;
    for (uint32_t k = 0; k < count; k += 2) {
        const uint32_t number = arguments[k];
        const uint32_t kind = number == store->one.i ? 1 : number == store->minus_one.i ? 2 : 0;
        const uint32_t part = shape_of(store, arguments[k + 1]);
        if (size > 0 && words[size - 3] == part && words[size - 2] == kind) {
            words[size - 1]++;
            continue;
        }
        words[size++] = part;
        words[size++] = kind;
        words[size++] = 1;
    }
    return size;
}

static uint32_t depth_above(const rh_store *store, rh_op op, const uint32_t *arguments,
                            uint32_t count)
{
    uint32_t depth = 0;
    for (uint32_t k = 0; op != RH_OP_SYMBOL && k < count; k++) {
        const uint32_t inner = store->shapes.data[shape_of(store, arguments[k])].depth;
        depth = inner > depth ? inner : depth;
    }
    return depth + 1;
}

uint32_t rh__store_shape(rh_store *store, rh_op op, const uint32_t *arguments, uint32_t count)
{
    const rh_mark mark = rh__arena_mark(&store->scratch);
    uint32_t small[64];
    const size_t need = 2 * (size_t)count + 4;
    uint32_t *words = need <= 64 ? small : rh__arena_array(&store->scratch, uint32_t, need);
    if (words == NULL) {
        rh__arena_rewind(&store->scratch, mark);
        return 0;
    }
    uint32_t size = 1;
    words[0] = (uint32_t)op;
    if (op == RH_OP_SYMBOL) {
        words[size++] = arguments[0];
    } else if (op == RH_OP_ADD) {
        size += sum_words(store, arguments, count, words + 1);
    } else {
        for (uint32_t k = 0; k < count; k++) {
            const bool is_exponent =
                op == RH_OP_POW && k == 1 && store->nodes.data[arguments[k]].op == RH_OP_NUMBER;
            words[size++] = is_exponent ? arguments[k] | LITERAL : shape_of(store, arguments[k]);
        }
    }
    const uint32_t depth = depth_above(store, op, arguments, count);
    const uint32_t shape = intern_shape(store, words, size, depth);
    rh__arena_rewind(&store->scratch, mark);
    return shape;
}

typedef struct frame {
    uint32_t id;
    uint32_t next;
} frame;

bool rh__shape_leaves(const rh_store *store, rh_expr e, uint32_t limit, rh_arena *arena,
                      rh_expr_list *out)
{
    *out = (rh_expr_list){0};
    RH_ARRAY(frame) stack = {0};
    const frame root = {e.i, 0};
    bool ok = rh__array_push(arena, &stack, root);
    uint32_t steps = 0;
    while (ok && stack.count > 0) {
        frame *top = &stack.data[stack.count - 1];
        const rh_expr at = {top->id};
        const uint32_t count = rh__expr_count(store, at);
        if (count == 0) {
            ok = out->count < limit && rh__array_push(arena, out, at);
            stack.count--;
        } else if (top->next == count) {
            stack.count--;
        } else {
            const frame below = {rh__store_arguments(store, at)[top->next++], 0};
            ok = ++steps <= 8 * limit && rh__array_push(arena, &stack, below);
        }
    }
    return ok;
}
