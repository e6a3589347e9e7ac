// SPDX-License-Identifier: Apache-2.0
// Unit and property tests of src/base/arena.c.

#include "support.h"

#include "base/base.h"

enum { LARGE = 64 * 1024 };

static bool is_filled(const unsigned char *bytes, size_t size, unsigned char value)
{
    for (size_t i = 0; i < size; i++) {
        if (bytes[i] != value) {
            return false;
        }
    }
    return true;
}

static void blocks_are_zeroed_and_aligned(void **state)
{
    (void)state;
    support_memory memory = {0};
    rh_arena arena = rh__arena_begin(support_memory_allocator(&memory), SIZE_MAX / 2);
    for (size_t size = 0; size < 3000; size += 7) {
        unsigned char *block = rh__arena_push(&arena, size);
        assert_non_null(block);
        assert_int_equal((uintptr_t)block % 16, 0);
        assert_true(is_filled(block, size, 0));
        memset(block, 0xff, size);
    }
    rh__arena_end(&arena);
    assert_int_equal(memory.block_count, 0);
}

static void an_ended_arena_can_begin_again(void **state)
{
    (void)state;
    support_memory memory = {0};
    rh_arena arena = rh__arena_begin(support_memory_allocator(&memory), SIZE_MAX / 2);
    rh__arena_end(&arena);
    assert_non_null(rh__arena_push(&arena, 10));
    rh__arena_end(&arena);
    rh__arena_end(&arena);
    assert_int_equal(memory.block_count, 0);
    assert_int_equal(arena.used, 0);
}

static void resize_keeps_bytes_and_zeroes_the_tail(void **state)
{
    (void)state;
    support_memory memory = {0};
    rh_arena arena = rh__arena_begin(support_memory_allocator(&memory), SIZE_MAX / 2);
    unsigned char *block = rh__arena_resize(&arena, NULL, 0, 5);
    size_t size = 5;
    memset(block, 7, size);
    // through the small sizes, over the border to chunks of their own, and on
    while (size < 4 * (size_t)LARGE) {
        const size_t grown = size * 3 / 2 + 1;
        block = rh__arena_resize(&arena, block, size, grown);
        assert_non_null(block);
        assert_true(is_filled(block, size, 7));
        assert_true(is_filled(block + size, grown - size, 0));
        memset(block, 7, grown);
        size = grown;
    }
    rh__arena_end(&arena);
    assert_int_equal(memory.block_count, 0);
}

static void a_large_block_in_the_middle_can_grow(void **state)
{
    (void)state;
    support_memory memory = {0};
    rh_arena arena = rh__arena_begin(support_memory_allocator(&memory), SIZE_MAX / 2);
    unsigned char *blocks[5];
    for (size_t i = 0; i < 5; i++) {
        blocks[i] = rh__arena_push(&arena, LARGE);
        memset(blocks[i], (int)i + 1, LARGE);
    }
    for (size_t i = 0; i < 5; i++) {
        const size_t which = (3 * i + 1) % 5;
        blocks[which] = rh__arena_resize(&arena, blocks[which], LARGE, (3 + i) * (size_t)LARGE);
        assert_non_null(blocks[which]);
    }
    for (size_t i = 0; i < 5; i++) {
        assert_true(is_filled(blocks[i], LARGE, (unsigned char)(i + 1)));
        assert_true(is_filled(blocks[i] + LARGE, LARGE, 0));
    }
    assert_int_equal(arena.used, memory.byte_count);
    rh__arena_end(&arena);
    assert_int_equal(memory.block_count, 0);
}

static void a_limit_is_kept_and_said(void **state)
{
    (void)state;
    support_memory memory = {0};
    const size_t limit = 300000;
    rh_arena arena = rh__arena_begin(support_memory_allocator(&memory), limit);
    while (rh__arena_push(&arena, 1000) != NULL) {
        assert_true(memory.byte_count <= limit);
    }
    assert_int_equal(arena.status, RH_E_LIMIT);
    assert_true(arena.used <= limit);
    assert_null(rh__arena_push(&arena, limit));
    assert_null(rh__arena_push(&arena, SIZE_MAX - 3));
    rh__arena_end(&arena);
    assert_int_equal(memory.block_count, 0);
    assert_int_equal(arena.status, RH_OK);
}

static void a_refused_resize_leaves_the_block(void **state)
{
    (void)state;
    support_memory memory = {0};
    rh_arena arena = rh__arena_begin(support_memory_allocator(&memory), 4 * (size_t)LARGE);
    unsigned char *block = rh__arena_push(&arena, LARGE);
    memset(block, 9, LARGE);
    assert_null(rh__arena_resize(&arena, block, LARGE, 5 * (size_t)LARGE));
    assert_int_equal(arena.status, RH_E_LIMIT);
    assert_true(is_filled(block, LARGE, 9));
    assert_null(rh__arena_resize(&arena, block, LARGE, SIZE_MAX - 1));
    assert_non_null(rh__arena_resize(&arena, block, LARGE, 2 * (size_t)LARGE));
    rh__arena_end(&arena);
    assert_int_equal(memory.block_count, 0);
}

static void want_of_memory_is_said(void **state)
{
    (void)state;
    support_memory memory = {.fail_at = 2};
    rh_arena arena = rh__arena_begin(support_memory_allocator(&memory), SIZE_MAX / 2);
    unsigned char *block = rh__arena_push(&arena, LARGE);
    memset(block, 3, LARGE);
    assert_null(rh__arena_resize(&arena, block, LARGE, 2 * (size_t)LARGE));
    assert_int_equal(arena.status, RH_E_MEMORY);
    assert_true(is_filled(block, LARGE, 3));
    assert_int_equal(arena.used, memory.byte_count);
    rh__arena_end(&arena);
    assert_int_equal(memory.block_count, 0);
}

static void rewinding_gives_back_what_came_after(void **state)
{
    (void)state;
    const size_t one_chunk = (1 << 20) + 64; // is kept back
    support_memory memory = {0};
    rh_arena arena = rh__arena_begin(support_memory_allocator(&memory), SIZE_MAX / 2);
    const rh_mark empty = rh__arena_mark(&arena);
    unsigned char *kept = rh__arena_push(&arena, 100);
    memset(kept, 5, 100);
    const rh_mark mark = rh__arena_mark(&arena);
    const size_t used = arena.used;
    for (int round = 0; round < 3; round++) {
        for (size_t i = 0; i < 200; i++) {
            unsigned char *scratch = rh__arena_push(&arena, 10 + 37 * i * (i % 3));
            assert_true(is_filled(scratch, 10, 0));
            memset(scratch, 0xee, 10 + 37 * i * (i % 3));
        }
        assert_non_null(rh__arena_push(&arena, 3 * (size_t)LARGE));
        rh__arena_rewind(&arena, mark);
        assert_true(arena.used <= used + one_chunk);
        assert_int_equal(memory.byte_count, arena.used);
        assert_true(is_filled(kept, 100, 5));
    }
    rh__arena_rewind(&arena, empty);
    assert_true(memory.block_count <= 1);
    rh__arena_end(&arena);
    assert_int_equal(memory.block_count, 0);
}

static void arrays_grow_and_keep(void **state)
{
    (void)state;
    support_memory memory = {0};
    rh_arena arena = rh__arena_begin(support_memory_allocator(&memory), SIZE_MAX / 2);
    RH_ARRAY(uint64_t) numbers = {0};
    RH_ARRAY(char) letters = {0};
    for (uint32_t i = 0; i < 100000; i++) {
        assert_true(rh__array_push(&arena, &numbers, i * (uint64_t)i));
        assert_true(rh__array_push(&arena, &letters, (char)('a' + i % 26)));
    }
    for (uint32_t i = 0; i < 100000; i++) {
        assert_true(numbers.data[i] == i * (uint64_t)i);
        assert_true(letters.data[i] == (char)('a' + i % 26));
    }
    assert_false(rh__array_reserve(&arena, &numbers, UINT32_MAX));
    assert_int_equal(arena.status, RH_E_LIMIT);
    assert_int_equal(numbers.count, 100000);
    rh__arena_end(&arena);
    assert_int_equal(memory.block_count, 0);
}

static void an_array_too_large_to_count_is_refused(void **state)
{
    (void)state;
    rh_arena arena = rh__arena_begin(rh_allocator_default(), SIZE_MAX);
    volatile size_t count = SIZE_MAX / 4;
    assert_null(rh__arena_array(&arena, uint64_t, count));
    rh__arena_end(&arena);
}

// Whether or not the end of a chunk lies between a mark and its return.
static void work_done_again_asks_for_nothing(void **state)
{
    (void)state;
    support_memory memory = {0};
    rh_arena arena = rh__arena_begin(support_memory_allocator(&memory), SIZE_MAX / 2);
    for (int fill = 0; fill < 40; fill++) {
        memset(rh__arena_push(&arena, 4000), 5, 4000);
        size_t asked = 0;
        for (int round = 0; round < 4; round++) {
            const rh_mark mark = rh__arena_mark(&arena);
            unsigned char *block = rh__arena_push(&arena, 9000);
            assert_true(is_filled(block, 9000, 0));
            memset(block, 0xee, 9000);
            rh__arena_rewind(&arena, mark);
            asked = round == 0 ? memory.request_count : asked;
            assert_int_equal(memory.request_count, asked);
            assert_int_equal(arena.used, memory.byte_count);
        }
    }
    rh__arena_end(&arena);
    assert_int_equal(memory.block_count, 0);
}

static void what_is_kept_back_does_not_count_against_the_limit(void **state)
{
    (void)state;
    support_memory memory = {0};
    rh_arena arena = rh__arena_begin(support_memory_allocator(&memory), 5 * (size_t)LARGE);
    unsigned char *block = rh__arena_push(&arena, LARGE);
    const rh_mark mark = rh__arena_mark(&arena);
    assert_non_null(rh__arena_push(&arena, 2 * (size_t)LARGE));
    rh__arena_rewind(&arena, mark);
    assert_non_null(rh__arena_push(&arena, 3 * (size_t)LARGE)); // beside it there would be no room
    rh__arena_rewind(&arena, mark);
    assert_non_null(rh__arena_resize(&arena, block, LARGE, 4 * (size_t)LARGE));
    assert_int_equal(arena.status, RH_OK);
    rh__arena_end(&arena);
    assert_int_equal(memory.block_count, 0);
}

// A model of an arena: blocks with known contents, grown at random, scratch pushed and rewound
// between.
static void random_use_never_mixes_blocks(void **state)
{
    (void)state;
    support_random random = support_random_begin("random_use_never_mixes_blocks");
    support_memory memory = {0};
    rh_arena arena = rh__arena_begin(support_memory_allocator(&memory), SIZE_MAX / 2);
    struct {
        unsigned char *bytes;
        size_t size;
    } blocks[20] = {{0}};
    for (int round = 0; round < 1000; round++) {
        const uint32_t which = support_random_below(&random, 20);
        const uint32_t scale = support_random_below(&random, 10) == 0 ? 3 * LARGE : 2000;
        const size_t size = blocks[which].size + support_random_below(&random, scale);
        if (size < 4 * (size_t)LARGE) {
            blocks[which].bytes =
                rh__arena_resize(&arena, blocks[which].bytes, blocks[which].size, size);
            assert_true(
                is_filled(blocks[which].bytes + blocks[which].size, size - blocks[which].size, 0));
            blocks[which].size = size;
            memset(blocks[which].bytes, (int)which + 1, size);
        }
        const rh_mark mark = rh__arena_mark(&arena);
        const size_t scratch_size = support_random_below(&random, scale);
        memset(rh__arena_push(&arena, scratch_size), 0xee, scratch_size);
        rh__arena_rewind(&arena, mark);
        const uint32_t other = support_random_below(&random, 20);
        assert_true(is_filled(blocks[other].bytes, blocks[other].size, (unsigned char)(other + 1)));
        assert_int_equal(arena.used, memory.byte_count);
    }
    rh__arena_end(&arena);
    assert_int_equal(memory.block_count, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(blocks_are_zeroed_and_aligned),
        cmocka_unit_test(an_ended_arena_can_begin_again),
        cmocka_unit_test(resize_keeps_bytes_and_zeroes_the_tail),
        cmocka_unit_test(a_large_block_in_the_middle_can_grow),
        cmocka_unit_test(a_limit_is_kept_and_said),
        cmocka_unit_test(a_refused_resize_leaves_the_block),
        cmocka_unit_test(want_of_memory_is_said),
        cmocka_unit_test(rewinding_gives_back_what_came_after),
        cmocka_unit_test(arrays_grow_and_keep),
        cmocka_unit_test(an_array_too_large_to_count_is_refused),
        cmocka_unit_test(work_done_again_asks_for_nothing),
        cmocka_unit_test(what_is_kept_back_does_not_count_against_the_limit),
        cmocka_unit_test(random_use_never_mixes_blocks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
