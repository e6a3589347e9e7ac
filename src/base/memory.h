// SPDX-License-Identifier: Apache-2.0
// Memory: arenas, arrays, and a reserve for libraries that cannot fail.

#pragma once

#include "base/failure.h"

typedef struct rh_chunk rh_chunk;

/// A growing region that is given back as a whole. Refuses to grow beyond `limit` bytes.
typedef struct rh_arena {
    rh_allocator allocator;
    rh_chunk *chunks; // newest first
    rh_chunk *spare;  // one that was given back, for the next that is needed; or NULL
    size_t used;      // bytes asked from the allocator
    size_t limit;     // most bytes it may ask for
    uint32_t pushes;  // the guard is polled now and then
    rh_status status; // RH_OK, or why the first refused request was refused
} rh_arena;

/// A point of an arena to which it can be rewound.
typedef struct rh_mark {
    rh_chunk *chunk;
    size_t fill;
} rh_mark;

rh_arena rh__arena_begin(rh_allocator allocator, size_t limit);
void rh__arena_end(rh_arena *arena);

/// Zeroed memory aligned for any type, or NULL (then arena->status says why).
void *rh__arena_push(rh_arena *arena, size_t size);

/// Grow a block got from this arena; the new tail is zeroed. NULL leaves the old block as it was.
void *rh__arena_resize(rh_arena *arena, void *block, size_t old_size, size_t new_size);

rh_mark rh__arena_mark(const rh_arena *arena);
void rh__arena_rewind(rh_arena *arena, rh_mark mark);

#define rh__arena_new(arena, type) ((type *)rh__arena_push((arena), sizeof(type)))
#define rh__arena_array(arena, type, n) ((type *)rh__arena_items((arena), (n), sizeof(type)))

/// Room for `count` items; NULL also when the size does not fit a word.
void *rh__arena_items(rh_arena *arena, size_t count, size_t item_size);

/// A growing array of `type` in an arena; never shrinks.
#define RH_ARRAY(type)                                                                             \
    struct {                                                                                       \
        type *data;                                                                                \
        uint32_t count;                                                                            \
        uint32_t capacity;                                                                         \
    }

/// Make room for `extra` more items. False when the arena refused.
#define rh__array_reserve(arena, array, extra)                                                     \
    rh__array_grow((arena), (void **)&(array)->data, &(array)->capacity, (array)->count, (extra),  \
                   sizeof *(array)->data)

/// Append a value. False when the arena refused.
#define rh__array_push(arena, array, value)                                                        \
    (rh__array_reserve((arena), (array), 1) && ((array)->data[(array)->count++] = (value), true))

bool rh__array_grow(rh_arena *arena, void **data, uint32_t *capacity, uint32_t count,
                    uint32_t extra, size_t item_size);

// --- reserve ---------------------------------------------------------------------------------

enum { RH_RESERVE_CALL = 1 << 20 }; // bytes that a call of a guest may need without a pledge

/// malloc, calloc, realloc and free for guests that cannot be refused memory: what the system does
/// not give comes from a reserve. NULL only when that is used up as well.
void *rh__reserve_alloc(size_t size);
void *rh__reserve_zeroed(size_t count, size_t size);
void *rh__reserve_resize(void *memory, size_t size);
void rh__reserve_free(void *memory);
/// More than half of the reserve is in use: no further call of a guest is to begin.
bool rh__reserve_is_low(void);

/// Memory kept back for one call.
typedef struct rh_pledge rh_pledge;

/// Before a call that needs at most `size` bytes. False when it is not to begin, for want of
/// memory. Else `*out` is to be redeemed after the call; pieces that outlive it are safe.
bool rh__reserve_pledge(double size, rh_pledge **out);
/// NULL is allowed.
void rh__reserve_redeem(rh_pledge *pledge);
