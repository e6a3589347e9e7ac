// SPDX-License-Identifier: Apache-2.0
// Table: names to numbers by open addressing over an insertion-ordered list; order never depends on
// addresses, nor on the seed of the hash, which nobody can know who writes the names.

#define _DEFAULT_SOURCE // NOLINT(bugprone-reserved-identifier): its name is given

#include "base/base.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <time.h>

uint64_t rh__hash_mix(uint64_t value)
{
    value ^= value >> 30;
    value *= 0xbf58476d1ce4e5b9u;
    value ^= value >> 27;
    value *= 0x94d049bb133111ebu;
    return value ^ (value >> 31);
}

uint64_t rh__hash_bytes(const void *data, size_t size, uint64_t seed)
{
    const unsigned char *bytes = data;
    uint64_t hash = rh__hash_mix(seed ^ (0x9e3779b97f4a7c15u + size));
    while (size >= 8) {
        uint64_t word;
        memcpy(&word, bytes, sizeof word);
        hash = rh__hash_mix(hash ^ word) + 0x9e3779b97f4a7c15u;
        bytes += 8;
        size -= 8;
    }
    uint64_t tail = 0;
    if (size > 0) {
        memcpy(&tail, bytes, size);
    }
    return rh__hash_mix(hash ^ tail);
}

// From the system; where it has nothing to give, the clock and an address that most systems draw.
static uint64_t draw_seed(void)
{
    uint64_t seed = 0;
    const char *given = getenv("RHEONOM_HASH_SEED");
    if (given != NULL && given[0] != '\0') {
        seed = strtoull(given, NULL, 0);
    } else if (getrandom(&seed, sizeof seed, GRND_NONBLOCK) != (ssize_t)sizeof seed) {
        struct timespec now = {0};
        (void)timespec_get(&now, TIME_UTC);
        seed = rh__hash_mix((uint64_t)now.tv_sec * 1000000000U + (uint64_t)now.tv_nsec) ^
               rh__hash_mix((uint64_t)(uintptr_t)&now);
    }
    return rh__hash_mix(seed) | 1; // 0 means: not drawn
}

uint64_t rh__hash_seed(void)
{
    static _Atomic(uint64_t) drawn = 0;
    uint64_t seed = atomic_load_explicit(&drawn, memory_order_relaxed);
    if (seed == 0) {
        const uint64_t mine = draw_seed();
        // the first thread decides for all
        if (atomic_compare_exchange_strong(&drawn, &seed, mine)) {
            seed = mine;
        }
    }
    return seed;
}

uint64_t rh__hash_slot_bytes(const void *data, size_t size, uint64_t salt)
{
    return rh__hash_bytes(data, size, rh__hash_seed() ^ salt);
}

uint64_t rh__hash_slot(uint64_t word)
{
    return rh__hash_mix(rh__hash_seed() ^ word);
}

rh_table rh__table_begin(rh_arena *arena)
{
    return (rh_table){.arena = arena, .seed = rh__hash_seed()};
}

// The slot that holds the name, or the empty one where it would go. Slots hold entry index + 1.
static uint32_t find_slot(const rh_table *table, rh_slice name)
{
    RH_ASSERT_LOAD(table->entries.count, table->slot_count);
    const uint32_t mask = table->slot_count - 1;
    uint32_t slot = (uint32_t)rh__hash_bytes(name.data, name.size, table->seed) & mask;
    while (table->slots[slot] != 0 &&
           !rh__slice_equal(table->entries.data[table->slots[slot] - 1].name, name)) {
        slot = (slot + 1) & mask;
    }
    return slot;
}

static bool grow_slots(rh_table *table)
{
    const uint32_t count = table->slot_count == 0 ? 16 : 2 * table->slot_count;
    uint32_t *slots = rh__arena_array(table->arena, uint32_t, count);
    if (slots == NULL) {
        return false;
    }
    table->slots = slots;
    table->slot_count = count;
    for (uint32_t i = 0; i < table->entries.count; i++) {
        slots[find_slot(table, table->entries.data[i].name)] = i + 1;
    }
    return true;
}

bool rh__table_insert(rh_table *table, rh_slice name, uint32_t value)
{
    const bool is_crowded = 4 * (table->entries.count + 1) > 3 * table->slot_count;
    if (is_crowded && !grow_slots(table)) {
        return false;
    }
    const uint32_t slot = find_slot(table, name);
    RH_ASSERT(table->slots[slot] == 0);
    const rh_table_entry entry = {name, value};
    if (!rh__array_push(table->arena, &table->entries, entry)) {
        return false;
    }
    table->slots[slot] = table->entries.count;
    return true;
}

const rh_table_entry *rh__table_find(const rh_table *table, rh_slice name)
{
    if (table->slot_count == 0) {
        return NULL;
    }
    const uint32_t index = table->slots[find_slot(table, name)];
    return index == 0 ? NULL : &table->entries.data[index - 1];
}
