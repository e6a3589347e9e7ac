// SPDX-License-Identifier: Apache-2.0
// Unit and property tests of src/base/table.c.

#include "support.h"

#include "base/base.h"

#include <stdio.h>

static void a_new_table_is_empty(void **state)
{
    (void)state;
    rh_arena arena = rh__arena_begin(rh_allocator_default(), SIZE_MAX / 2);
    const rh_table table = rh__table_begin(&arena);
    assert_null(rh__table_find(&table, rh__slice_of("x")));
    assert_null(rh__table_find(&table, rh__slice_of("")));
    rh__arena_end(&arena);
}

// Names whose hashes with the seed 0 agree in the bits that choose a slot: found by trying, as
// anybody can who knows the seed. In tables with seeds of their own they do not meet.
static void names_that_collide_elsewhere_do_not_here(void **state)
{
    (void)state;
    enum { COUNT = 300, BITS = 0x3ff };
    rh_arena arena = rh__arena_begin(rh_allocator_default(), SIZE_MAX / 2);
    const rh_table first = rh__table_begin(&arena);
    const rh_table second = rh__table_begin(&arena);
    assert_true(first.seed != second.seed || first.seed != 0);
    uint32_t together = 0;
    for (uint32_t i = 0, found = 0; found < COUNT; i++) {
        char name[16];
        const int size = snprintf(name, sizeof name, "n%07u", (unsigned)i);
        if ((rh__hash_bytes(name, (size_t)size, 0) & BITS) == 0) {
            found++;
            together += (rh__hash_bytes(name, (size_t)size, first.seed) & BITS) == 0;
        }
    }
    assert_true(together < COUNT / 10); // 0.3 are to be expected
    rh__arena_end(&arena);
}

static void what_goes_in_is_found(void **state)
{
    (void)state;
    rh_arena arena = rh__arena_begin(rh_allocator_default(), SIZE_MAX / 2);
    rh_table table = rh__table_begin(&arena);
    enum { COUNT = 20000 };
    for (uint32_t i = 0; i < COUNT; i++) {
        const char *name = rh__text_print(&arena, "x[%u]", (unsigned)i);
        assert_true(rh__table_insert(&table, rh__slice_of(name), 3 * i));
        assert_null(rh__table_find(&table, rh__slice_of("x[")));
    }
    for (uint32_t i = 0; i < COUNT; i++) {
        const char *name = rh__text_print(&arena, "x[%u]", (unsigned)i);
        const rh_table_entry *entry = rh__table_find(&table, rh__slice_of(name));
        assert_non_null(entry);
        assert_int_equal(entry->value, 3 * i);
        // the order of entries is the order of insertion
        assert_ptr_equal(entry, &table.entries.data[i]);
    }
    assert_null(rh__table_find(&table, rh__slice_of("x[20000]")));
    rh__arena_end(&arena);
}

static void a_refusing_arena_is_said(void **state)
{
    (void)state;
    rh_arena arena = rh__arena_begin(rh_allocator_default(), 100000);
    rh_table table = rh__table_begin(&arena);
    static char names[10000][2];
    uint32_t count = 0;
    bool is_in = true;
    while (is_in && count < 10000) {
        names[count][0] = (char)(count & 0xff);
        names[count][1] = (char)(count >> 8);
        is_in = rh__table_insert(&table, (rh_slice){names[count], 2}, count);
        count += is_in;
    }
    assert_false(is_in);
    assert_int_equal(arena.status, RH_E_LIMIT);
    // what is in stays in
    for (uint32_t i = 0; i < count; i++) {
        assert_int_equal(rh__table_find(&table, (rh_slice){names[i], 2})->value, i);
    }
    assert_null(rh__table_find(&table, (rh_slice){names[count], 2}));
    rh__arena_end(&arena);
}

static void hashes_differ_by_content_and_size(void **state)
{
    (void)state;
    const char zeros[32] = {0};
    for (size_t size = 0; size < sizeof zeros; size++) {
        assert_true(rh__hash_bytes(zeros, size, 0) != rh__hash_bytes(zeros, size + 1, 0));
        assert_true(rh__hash_bytes(zeros, size, 0) == rh__hash_bytes(zeros, size, 0));
        assert_true(rh__hash_bytes(zeros, size, 0) != rh__hash_bytes(zeros, size, 1));
    }
    assert_true(rh__hash_bytes("abcdefgh", 8, 0) != rh__hash_bytes("abcdefgi", 8, 0));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_new_table_is_empty),
        cmocka_unit_test(names_that_collide_elsewhere_do_not_here),
        cmocka_unit_test(what_goes_in_is_found),
        cmocka_unit_test(a_refusing_arena_is_said),
        cmocka_unit_test(hashes_differ_by_content_and_size),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
