// SPDX-License-Identifier: Apache-2.0
// Digest: expressions in which every sum of more than RH_EXPR_FLATTEN terms is a name, so that a
// sum over a thousand bodies inside a product, or a recursion over a thousand links, is written in
// a few lines. Every node is looked at once, whatever the number of expressions that share it.

#include "model/listing.h"

enum {
    LARGEST = 60000,   // cap of sizes and depths
    SMALL_SIZE = 2000, // of a tree written in one piece
    SMALL_DEPTH = 100,
    MOST_TERMS = 20000, // inner sums are opened as long as there are not more terms
    MOST_SUMS = 1 << 30
};

rh_digest rh__digest_begin(rh_store *store, rh_arena *arena)
{
    rh_digest digest = {.store = store, .arena = arena};
    const rh_family_def def = {
        .name = rh__slice_of("%sum"), // no name of a model begins so
        .dimensions = 1,
        .first = {1},
        .extent = {MOST_SUMS},
        .sort = UINT8_MAX,
        .mask = RH_EXPR_VARIABLE,
    };
    digest.family = rh__family_create(store, &def);
    return digest;
}

static bool is_large(const rh_store *store, rh_expr e)
{
    RH_ASSERT(e.i != 0);
    return rh__expr_op(store, e) == RH_OP_ADD && rh__expr_count(store, e) / 2 > RH_EXPR_FLATTEN;
}

// The node with its arguments replaced.
static rh_expr rebuild(rh_digest *digest, rh_expr e)
{
    rh_store *store = digest->store;
    const uint32_t count = rh__expr_count(store, e);
    const rh_op op = rh__expr_op(store, e);
    const rh_mark mark = rh__arena_mark(digest->arena);
    rh_expr *parts = rh__arena_array(digest->arena, rh_expr, count);
    if (parts == NULL) {
        return RH_EXPR_NONE;
    }
    for (uint32_t k = 0; k < count; k++) {
        parts[k] = (rh_expr){digest->notes.data[rh__expr_argument(store, e, k).i].expr};
    }
    rh_expr result = RH_EXPR_NONE;
    if (op == RH_OP_ADD) {
        for (uint32_t k = 0; k < count / 2; k++) {
            parts[k] = rh__expr_multiply(store, parts[2 * k], parts[2 * k + 1]);
        }
        result = rh__expr_sum(store, parts, count / 2);
    } else {
        result = rh__expr_apply(store, op, parts, count);
    }
    rh__arena_rewind(digest->arena, mark);
    return result;
}

// The arguments have their notes: make that of the node. False when memory was refused.
static bool note_node(rh_digest *digest, rh_expr e)
{
    uint32_t size = 1;
    uint32_t depth = 1;
    bool is_changed = false;
    for (uint32_t k = 0; k < rh__expr_count(digest->store, e); k++) {
        const rh_expr argument = rh__expr_argument(digest->store, e, k);
        const rh_digest_note note = digest->notes.data[argument.i];
        size = size + note.size > LARGEST ? LARGEST : size + note.size;
        depth = note.depth >= depth ? note.depth + 1u : depth;
        is_changed = is_changed || note.expr != argument.i;
    }
    rh_expr result = is_changed ? rebuild(digest, e) : e;
    if (result.i != 0 && is_large(digest->store, result)) {
        const uint32_t member = digest->sums.count;
        if (!rh__array_push(digest->arena, &digest->sums, result)) {
            return false;
        }
        result = rh__expr_symbol(digest->store, digest->family, member);
        size = 1;
        depth = 1;
    }
    depth = depth > LARGEST ? LARGEST : depth;
    digest->notes.data[e.i] =
        (rh_digest_note){.expr = result.i, .size = (uint16_t)size, .depth = (uint16_t)depth};
    return result.i != 0;
}

static bool reserve_notes(rh_digest *digest, uint32_t count)
{
    const uint32_t missing = count > digest->notes.count ? count - digest->notes.count : 0;
    if (!rh__array_reserve(digest->arena, &digest->notes, missing)) {
        return false;
    }
    digest->notes.count += missing; // new memory is zero
    return true;
}

// Depth first with a stack of its own; what has a note is not entered again.
static bool visit(rh_digest *digest, rh_expr root)
{
    digest->stack.count = 0;
    const rh_digest_frame bottom = {root.i, 0};
    bool ok = rh__array_push(digest->arena, &digest->stack, bottom);
    while (ok && digest->stack.count > 0) {
        rh_digest_frame *top = &digest->stack.data[digest->stack.count - 1];
        const rh_expr e = {top->id};
        if (top->next < rh__expr_count(digest->store, e)) {
            const rh_digest_frame below = {rh__expr_argument(digest->store, e, top->next++).i, 0};
            if (digest->notes.data[below.id].expr == 0) {
                ok = rh__array_push(digest->arena, &digest->stack, below);
            }
        } else {
            digest->stack.count--;
            ok = note_node(digest, e);
        }
    }
    return ok;
}

rh_expr rh__digest_apply(rh_digest *digest, rh_expr e, bool *out_is_small)
{
    *out_is_small = false;
    if (e.i == 0 || digest->family.i == 0 || !reserve_notes(digest, e.i + 1)) {
        return RH_EXPR_NONE;
    }
    if (digest->notes.data[e.i].expr == 0 && !visit(digest, e)) {
        return RH_EXPR_NONE;
    }
    const rh_digest_note note = digest->notes.data[e.i];
    *out_is_small = note.size <= SMALL_SIZE && note.depth <= SMALL_DEPTH;
    return (rh_expr){note.expr};
}

// --- terms
// -----------------------------------------------------------------------------------------

// A sum being opened, with the number in front of it.
typedef struct opening {
    rh_expr sum;
    rh_expr number;
    uint32_t next;
} opening;

bool rh__digest_terms(rh_store *store, rh_expr e, rh_arena *arena, rh_expr_list *out)
{
    *out = (rh_expr_list){0};
    if (rh__expr_op(store, e) != RH_OP_ADD) {
        return rh__array_push(arena, out, e);
    }
    RH_ARRAY(opening) stack = {0};
    const opening bottom = {e, rh__expr_integer(store, 1), 0};
    bool ok = rh__array_push(arena, &stack, bottom);
    while (ok && stack.count > 0) {
        opening *top = &stack.data[stack.count - 1];
        if (top->next == rh__expr_count(store, top->sum)) {
            stack.count--;
            continue;
        }
        const rh_expr factor = rh__expr_argument(store, top->sum, top->next);
        const rh_expr term = rh__expr_argument(store, top->sum, top->next + 1);
        const rh_expr number = rh__expr_multiply(store, top->number, factor);
        top->next += 2;
        if (is_large(store, term) && out->count + rh__expr_count(store, term) / 2 <= MOST_TERMS) {
            const opening inner = {term, number, 0};
            ok = rh__array_push(arena, &stack, inner);
        } else {
            const rh_expr scaled = rh__expr_multiply(store, number, term);
            ok = scaled.i != 0 && rh__array_push(arena, out, scaled);
        }
    }
    return ok;
}
