// SPDX-License-Identifier: Apache-2.0
// Arenas: a list of chunks, newest first. Small requests share chunks of doubling size; a large one
// gets a chunk of its own, which can then grow in place. Memory is zeroed; the whole is given back
// at once. One chunk is kept back when marks are returned to: work between a mark and its return,
// done many times, may lie just behind the end of a chunk each time.

#include "base/base.h"

#include <stdlib.h>
#include <string.h>

struct rh_chunk {
    rh_chunk *older;
    rh_chunk *newer;
    size_t capacity; // bytes after the header
    size_t fill;
};

enum {
    ALIGNMENT = 16,
    FIRST_CHUNK = 16 * 1024,
    LAST_CHUNK = 1024 * 1024,
    LARGE = 64 * 1024,
    POLL = 256
};

#define MEMORY_LIMIT                                                                               \
    "one part of the work needs more MiB of memory than it may take (--memory-limit MIB, "         \
    "rh_model_def.memory_limit)"

static_assert(sizeof(rh_chunk) % ALIGNMENT == 0, "the bytes after a chunk's header are aligned");

static void *chunk_bytes(rh_chunk *chunk)
{
    return (char *)chunk + sizeof *chunk;
}

static size_t aligned(size_t size)
{
    return (size + (ALIGNMENT - 1)) & ~(size_t)(ALIGNMENT - 1);
}

rh_arena rh__arena_begin(rh_allocator allocator, size_t limit)
{
    return (rh_arena){.allocator = allocator, .limit = limit, .status = RH_OK};
}

static void free_chunk(rh_arena *arena, rh_chunk *chunk)
{
    const size_t size = sizeof *chunk + chunk->capacity;
    arena->used -= size;
    arena->allocator.free(arena->allocator.user, chunk, size);
}

static void drop_spare(rh_arena *arena)
{
    if (arena->spare != NULL) {
        free_chunk(arena, arena->spare);
        arena->spare = NULL;
    }
}

void rh__arena_end(rh_arena *arena)
{
    const rh_allocator allocator = arena->allocator;
    drop_spare(arena);
    rh_chunk *chunk = arena->chunks;
    while (chunk != NULL) {
        rh_chunk *older = chunk->older;
        allocator.free(allocator.user, chunk, sizeof *chunk + chunk->capacity);
        chunk = older;
    }
    *arena = (rh_arena){.allocator = allocator, .limit = arena->limit, .status = RH_OK};
}

static void *refuse(rh_arena *arena, rh_status status)
{
    rh_guard *guard = rh__guard_of(arena->allocator);
    if (status == RH_E_LIMIT) {
        rh__guard_pass_limit(guard, MEMORY_LIMIT, (double)arena->limit / (1024.0 * 1024.0));
    }
    if (arena->status == RH_OK) {
        arena->status = rh__guard_reason(guard) != NULL ? RH_E_INTERRUPTED : status;
    }
    return NULL;
}

// The limit counts the spare chunk too, unless it is in the way.
static bool has_room(rh_arena *arena, size_t size)
{
    if (arena->limit < arena->used || size > arena->limit - arena->used) {
        drop_spare(arena);
    }
    return arena->limit >= arena->used && size <= arena->limit - arena->used;
}

static rh_chunk *new_chunk(rh_arena *arena, size_t capacity)
{
    const size_t size = sizeof(rh_chunk) + capacity;
    if (!has_room(arena, size)) {
        return refuse(arena, RH_E_LIMIT);
    }
    rh_chunk *chunk = arena->allocator.alloc(arena->allocator.user, size);
    if (chunk == NULL) {
        return refuse(arena, RH_E_MEMORY);
    }
    chunk->capacity = capacity;
    arena->used += size;
    return chunk;
}

static rh_chunk *take_spare(rh_arena *arena)
{
    rh_chunk *chunk = arena->spare;
    arena->spare = NULL;
    return chunk;
}

static void add_chunk(rh_arena *arena, rh_chunk *chunk)
{
    *chunk = (rh_chunk){.older = arena->chunks, .capacity = chunk->capacity};
    if (chunk->older != NULL) {
        chunk->older->newer = chunk;
    }
    arena->chunks = chunk;
}

void *rh__arena_push(rh_arena *arena, size_t size)
{
    if (size > SIZE_MAX / 4) {
        return refuse(arena, RH_E_LIMIT);
    }
    // a chunk is asked for rarely; what works within one asks by counting
    if (++arena->pushes % POLL == 0 && !rh__guard_poll(rh__guard_of(arena->allocator))) {
        return refuse(arena, RH_E_INTERRUPTED);
    }
    const size_t need = aligned(size == 0 ? 1 : size);
    rh_chunk *chunk = arena->chunks;
    if (chunk == NULL || need >= LARGE || chunk->capacity - chunk->fill < need) {
        size_t capacity = need;
        if (need < LARGE) {
            const size_t last = chunk == NULL ? FIRST_CHUNK / 2 : chunk->capacity;
            capacity = 2 * last > LAST_CHUNK ? LAST_CHUNK : aligned(2 * last);
            capacity = capacity < need ? need : capacity;
        }
        const bool has_spare =
            need < LARGE && arena->spare != NULL && arena->spare->capacity >= need;
        chunk = has_spare ? take_spare(arena) : new_chunk(arena, capacity);
        if (chunk == NULL) {
            return NULL;
        }
        add_chunk(arena, chunk);
    }
    RH_ASSERT(chunk->fill + need <= chunk->capacity);
    void *block = (char *)chunk_bytes(chunk) + chunk->fill;
    chunk->fill += need;
    memset(block, 0, need);
    return block;
}

void *rh__arena_items(rh_arena *arena, size_t count, size_t item_size)
{
    RH_ASSERT(item_size > 0);
    return count > SIZE_MAX / 4 / item_size ? refuse(arena, RH_E_LIMIT)
                                            : rh__arena_push(arena, count * item_size);
}

// A block that fills its chunk alone grows with the chunk, wherever the chunk stands in the list.
static void *resize_chunk(rh_arena *arena, rh_chunk *chunk, size_t old_size, size_t new_size)
{
    const size_t capacity = aligned(new_size);
    const size_t growth = capacity - chunk->capacity;
    if (!has_room(arena, growth)) {
        return refuse(arena, RH_E_LIMIT);
    }
    const bool is_newest = arena->chunks == chunk;
    rh_chunk *moved = arena->allocator.resize(
        arena->allocator.user, chunk, sizeof *chunk + chunk->capacity, sizeof *chunk + capacity);
    if (moved == NULL) {
        return refuse(arena, RH_E_MEMORY);
    }
    if (is_newest) {
        arena->chunks = moved;
    } else {
        moved->newer->older = moved;
    }
    if (moved->older != NULL) {
        moved->older->newer = moved;
    }
    arena->used += growth;
    moved->capacity = capacity;
    moved->fill = capacity;
    char *bytes = chunk_bytes(moved);
    memset(bytes + old_size, 0, capacity - old_size);
    return bytes;
}

void *rh__arena_resize(rh_arena *arena, void *block, size_t old_size, size_t new_size)
{
    RH_ASSERT(new_size >= old_size);
    if (new_size > SIZE_MAX / 4) {
        return refuse(arena, RH_E_LIMIT);
    }
    if (block == NULL) {
        return rh__arena_push(arena, new_size);
    }
    const size_t old_need = aligned(old_size);
    const size_t need = aligned(new_size);
    if (need == old_need) {
        return block;
    }
    if (old_need >= LARGE) {
        rh_chunk *chunk = (rh_chunk *)(void *)((char *)block - sizeof *chunk);
        return resize_chunk(arena, chunk, old_size, new_size);
    }

    // the last block of the newest chunk grows into the free tail
    rh_chunk *newest = arena->chunks;
    char *end = (char *)chunk_bytes(newest) + newest->fill;
    if ((char *)block + old_need == end && need < LARGE &&
        need - old_need <= newest->capacity - newest->fill) {
        memset(end, 0, need - old_need);
        newest->fill += need - old_need;
        return block;
    }

    void *moved = rh__arena_push(arena, new_size);
    if (moved != NULL) {
        memcpy(moved, block, old_size);
    }
    return moved;
}

rh_mark rh__arena_mark(const rh_arena *arena)
{
    return (rh_mark){arena->chunks, arena->chunks == NULL ? 0 : arena->chunks->fill};
}

// A block that was large when the mark was taken must not have been resized since.
void rh__arena_rewind(rh_arena *arena, rh_mark mark)
{
    while (arena->chunks != mark.chunk) {
        rh_chunk *chunk = arena->chunks;
        RH_ASSERT(chunk != NULL);
        arena->chunks = chunk->older;
        if (chunk->capacity > LAST_CHUNK ||
            (arena->spare != NULL && arena->spare->capacity >= chunk->capacity)) {
            free_chunk(arena, chunk);
        } else {
            drop_spare(arena);
            arena->spare = chunk;
        }
    }
    if (arena->chunks != NULL) {
        arena->chunks->newer = NULL;
        arena->chunks->fill = mark.fill;
    }
}

bool rh__array_grow(rh_arena *arena, void **data, uint32_t *capacity, uint32_t count,
                    uint32_t extra, size_t item_size)
{
    RH_ASSERT(count <= *capacity);
    if (extra <= *capacity - count) {
        return true;
    }
    if (extra > UINT32_MAX / 2 - count) {
        refuse(arena, RH_E_LIMIT);
        return false;
    }
    uint32_t wanted = *capacity < 8 ? 8 : *capacity + *capacity / 2;
    wanted = wanted < count + extra ? count + extra : wanted;
    void *grown = rh__arena_resize(arena, *data, *capacity * item_size, wanted * item_size);
    if (grown == NULL) {
        return false;
    }
    *data = grown;
    *capacity = wanted;
    return true;
}

static void *default_alloc(void *user, size_t size)
{
    (void)user;
    return malloc(size);
}

static void *default_resize(void *user, void *memory, size_t old_size, size_t new_size)
{
    (void)user;
    (void)old_size;
    return realloc(memory, new_size);
}

static void default_free(void *user, void *memory, size_t size)
{
    (void)user;
    (void)size;
    free(memory);
}

rh_allocator rh_allocator_default(void)
{
    return (rh_allocator){default_alloc, default_resize, default_free, NULL};
}
