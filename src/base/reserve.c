// SPDX-License-Identifier: Apache-2.0
// A reserve for guests that end the process when they get no memory (GMP, FLINT). Their requests go
// to malloc; what malloc refuses is taken from a fixed region, and pieces of it are told from
// others by their address. A call that may need more than RH_RESERVE_CALL bytes has a region of its
// own pledged to it before, which goes back when the last piece in it does. So a call that was
// allowed to begin comes to its end; between calls whoever works looks whether the reserve is low.
// docs/decisions/reserve.md says where the bounds of calls stand. The fixed region is the one thing
// that is shared by the whole process; pages of it that were never used cost nothing.

#include "base/base.h"

#include <malloc.h>
#include <stdalign.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <threads.h>

// Pieces lie one behind the other; free neighbours are joined by the search that comes across them.
typedef struct piece {
    size_t size; // with this head
    size_t is_taken;
} piece;

struct rh_pledge {
    rh_pledge *next;
    char *bytes;
    size_t size;
    size_t taken; // bytes of taken pieces
    size_t rover; // where the next search begins
    bool is_held; // the call it was pledged to has not ended
};

enum { ALIGNMENT = 16, FIXED = 32 * RH_RESERVE_CALL };

static_assert(sizeof(piece) == ALIGNMENT, "the bytes after a piece's head are aligned");

static alignas(ALIGNMENT) char fixed_bytes[FIXED];
static rh_pledge fixed = {.bytes = fixed_bytes, .size = FIXED, .is_held = true};
static rh_pledge *pledges = &fixed; // the newest first, the fixed region last
static atomic_flag lock = ATOMIC_FLAG_INIT;
static atomic_bool has_pledges;
static atomic_bool is_low;

static void enter(void)
{
    while (atomic_flag_test_and_set_explicit(&lock, memory_order_acquire)) {
        thrd_yield();
    }
}

static void leave(void)
{
    atomic_flag_clear_explicit(&lock, memory_order_release);
}

static piece *piece_at(const rh_pledge *region, size_t at)
{
    return (piece *)(void *)(region->bytes + at);
}

// A free piece of `size` bytes between two places, or NULL.
static piece *search(rh_pledge *region, size_t from, size_t to, size_t size)
{
    for (size_t at = from; at < to;) {
        piece *here = piece_at(region, at);
        while (!here->is_taken && at + here->size < region->size &&
               !piece_at(region, at + here->size)->is_taken) {
            here->size += piece_at(region, at + here->size)->size;
        }
        if (!here->is_taken && here->size >= size) {
            region->rover = at;
            return here;
        }
        at += here->size;
    }
    return NULL;
}

static void *take(rh_pledge *region, size_t size)
{
    if (piece_at(region, 0)->size == 0) {
        piece_at(region, 0)->size = region->size;
    }
    const size_t rover = region->rover;
    piece *found = search(region, rover, region->size, size);
    if (found == NULL) {
        found = search(region, 0, rover, size);
    }
    if (found == NULL) {
        region->rover = 0; // the old place may lie inside a piece by now
        return NULL;
    }
    if (found->size > size) {
        *(piece *)(void *)((char *)found + size) = (piece){found->size - size, 0};
        found->size = size;
    }
    found->is_taken = 1;
    region->taken += size;
    return found + 1;
}

static bool is_inside(const rh_pledge *region, const void *memory)
{
    const uintptr_t at = (uintptr_t)memory;
    return at >= (uintptr_t)region->bytes && at - (uintptr_t)region->bytes < region->size;
}

static void look_at_level(void)
{
    atomic_store_explicit(&is_low, fixed.taken > FIXED / 2, memory_order_relaxed);
}

// Give a region back that nobody needs any more.
static void drop_empty(rh_pledge *region)
{
    if (region->is_held || region->taken > 0) {
        return;
    }
    rh_pledge **link = &pledges;
    while (*link != region) {
        link = &(*link)->next;
    }
    *link = region->next;
    atomic_store(&has_pledges, pledges != &fixed);
    free(region);
}

static void *take_anywhere(size_t size)
{
    const size_t need = sizeof(piece) + ((size + (ALIGNMENT - 1)) & ~(size_t)(ALIGNMENT - 1));
    void *found = NULL;
    enter();
    for (rh_pledge *region = pledges; found == NULL && region != NULL; region = region->next) {
        found = region->size - region->taken >= need ? take(region, need) : NULL;
    }
    look_at_level();
    leave();
    return found;
}

// Which region a piece lies in; NULL: malloc gave it.
static rh_pledge *region_of(const void *memory)
{
    if (!atomic_load(&has_pledges)) {
        return is_inside(&fixed, memory) ? &fixed : NULL;
    }
    enter();
    rh_pledge *region = pledges;
    while (region != NULL && !is_inside(region, memory)) {
        region = region->next;
    }
    leave();
    return region;
}

void *rh__reserve_alloc(size_t size)
{
    void *memory = malloc(size);
    return memory != NULL || size > SIZE_MAX / 4 ? memory : take_anywhere(size);
}

void *rh__reserve_zeroed(size_t count, size_t size)
{
    void *memory = calloc(count, size);
    if (memory == NULL && (size == 0 || count <= SIZE_MAX / 4 / size)) {
        memory = take_anywhere(count * size);
        if (memory != NULL) {
            memset(memory, 0, count * size);
        }
    }
    return memory;
}

void *rh__reserve_resize(void *memory, size_t size)
{
    if (memory == NULL) {
        return rh__reserve_alloc(size);
    }
    const bool is_ours = region_of(memory) != NULL;
    void *moved = is_ours ? NULL : realloc(memory, size == 0 ? 1 : size);
    if (moved != NULL) {
        return moved;
    }
    const size_t old_size =
        is_ours ? ((piece *)memory - 1)->size - sizeof(piece) : malloc_usable_size(memory);
    if (size <= old_size) {
        return memory;
    }
    moved = rh__reserve_alloc(size);
    if (moved != NULL) {
        memcpy(moved, memory, old_size);
        rh__reserve_free(memory);
    }
    return moved;
}

void rh__reserve_free(void *memory)
{
    rh_pledge *region = region_of(memory);
    if (region == NULL) {
        free(memory);
        return;
    }
    enter();
    piece *freed = (piece *)memory - 1;
    RH_ASSERT(freed->is_taken);
    freed->is_taken = 0;
    region->taken -= freed->size;
    look_at_level();
    drop_empty(region);
    leave();
}

bool rh__reserve_is_low(void)
{
    return atomic_load_explicit(&is_low, memory_order_relaxed);
}

bool rh__reserve_pledge(double size, rh_pledge **out)
{
    *out = NULL;
    if (size <= (double)RH_RESERVE_CALL) {
        return !rh__reserve_is_low();
    }
    if (!(size < (double)(SIZE_MAX / 4))) {
        return false;
    }
    const size_t bytes = ((size_t)size + ALIGNMENT) & ~(size_t)(ALIGNMENT - 1);
    const size_t head = (sizeof(rh_pledge) + ALIGNMENT - 1) & ~(size_t)(ALIGNMENT - 1);
    rh_pledge *region = malloc(head + bytes);
    if (region == NULL) {
        return false;
    }
    *region = (rh_pledge){.bytes = (char *)region + head, .size = bytes, .is_held = true};
    *piece_at(region, 0) = (piece){bytes, 0};
    enter();
    region->next = pledges;
    pledges = region;
    atomic_store(&has_pledges, true);
    leave();
    *out = region;
    return true;
}

void rh__reserve_redeem(rh_pledge *pledge)
{
    if (pledge != NULL) {
        enter();
        pledge->is_held = false;
        drop_empty(pledge);
        leave();
    }
}
