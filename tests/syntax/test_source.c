// SPDX-License-Identifier: Apache-2.0
// Unit and property tests of src/syntax/source.c: offsets to places and back to text.

#include "support.h"

#include "syntax/syntax.h"

static rh_arena arena;
static rh_source source;

static int begin(void **state)
{
    (void)state;
    arena = rh__arena_begin(rh_allocator_default(), SIZE_MAX / 4);
    source = rh__source_begin(&arena);
    return 0;
}

static int end(void **state)
{
    (void)state;
    rh__arena_end(&arena);
    return 0;
}

static void check_place(rh_span span, const char *name, uint32_t line, uint32_t column)
{
    const rh_place place = rh__source_place(&source, span);
    assert_string_equal(place.name, name);
    assert_int_equal(place.line, line);
    assert_int_equal(place.column, column);
}

static void columns_count_code_points(void **state)
{
    (void)state;
    assert_true(rh__source_add(&source, "a", rh__slice_of("\xCE\xB8 = 1\n\tx\r\n")));
    check_place((rh_span){0, 2}, "a", 1, 1);
    check_place((rh_span){3, 1}, "a", 1, 3);
    check_place((rh_span){8, 1}, "a", 2, 2);
    check_place((rh_span){1, 0}, "a", 1, 1); // inside a code point: its own column
    const rh_place place = rh__source_place(&source, (rh_span){8, 1});
    assert_int_equal(place.end_line, 2);
    assert_int_equal(place.end_column, 3);
    assert_true(rh__slice_is(place.line_text, "\tx"));
}

static void a_byte_order_mark_has_no_column(void **state)
{
    (void)state;
    assert_true(rh__source_add(&source, "a", rh__slice_of("\xEF\xBB\xBFmodel\n")));
    check_place((rh_span){3, 5}, "a", 1, 1);
    assert_true(rh__slice_is(rh__source_place(&source, (rh_span){3, 5}).line_text, "model"));
}

static void parts_are_one_byte_apart(void **state)
{
    (void)state;
    assert_true(rh__source_add(&source, "a", rh__slice_of("ab")));
    assert_true(rh__source_add(&source, "b", rh__slice_of("")));
    assert_true(rh__source_add(&source, "c", rh__slice_of("x\ny")));
    assert_int_equal(source.size, 7);
    check_place((rh_span){2, 0}, "a", 1, 3);
    check_place((rh_span){3, 0}, "b", 1, 1);
    check_place((rh_span){4, 1}, "c", 1, 1);
    check_place((rh_span){7, 0}, "c", 2, 2);
    assert_true(rh__slice_is(rh__source_slice(&source, (rh_span){6, 1}), "y"));
    assert_true(rh__slice_is(rh__source_place(&source, (rh_span){3, 0}).line_text, ""));
}

static void an_end_may_lie_on_a_later_line(void **state)
{
    (void)state;
    assert_true(rh__source_add(&source, "a", rh__slice_of("f(x,\n  y)\n")));
    const rh_place place = rh__source_place(&source, (rh_span){0, 9});
    assert_int_equal(place.line, 1);
    assert_int_equal(place.end_line, 2);
    assert_int_equal(place.end_column, 5);
    assert_true(rh__slice_is(place.line_text, "f(x,"));
}

// Against counting from the beginning, over texts with long lines, wide characters and broken
// bytes.
static void places_agree_with_counting(void **state)
{
    (void)state;
    support_random random = support_random_begin(__func__);
    enum { SIZE = 3000 };
    static char text[SIZE];
    static const char BYTES[] = "aaaaaaa \n\xCE\xB8\xE2\x88\x92\xFF";
    for (size_t i = 0; i < SIZE; i++) {
        text[i] = BYTES[support_random_below(&random, sizeof BYTES - 1)];
    }
    assert_true(rh__source_add(&source, "a", (rh_slice){text, SIZE}));
    uint32_t line = 1;
    uint32_t line_start = 0;
    uint32_t at = 0;
    while (at < SIZE) {
        const uint32_t column = 1 + rh__utf8_count((rh_slice){text + line_start, at - line_start});
        check_place((rh_span){at, 0}, "a", line, column);
        uint32_t code = 0;
        const int size = rh__utf8_read((rh_slice){text + at, SIZE - at}, &code);
        at += size > 0 ? (uint32_t)size : 1;
        if (code == '\n') {
            line++;
            line_start = at;
        }
    }
}

static void a_refused_part_changes_nothing(void **state)
{
    (void)state;
    rh_arena small = rh__arena_begin(rh_allocator_default(), 64);
    rh_source refused = rh__source_begin(&small);
    assert_false(rh__source_add(&refused, "a", rh__slice_of("text")));
    assert_int_equal(refused.parts.count, 0);
    rh__arena_end(&small);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(columns_count_code_points, begin, end),
        cmocka_unit_test_setup_teardown(a_byte_order_mark_has_no_column, begin, end),
        cmocka_unit_test_setup_teardown(parts_are_one_byte_apart, begin, end),
        cmocka_unit_test_setup_teardown(an_end_may_lie_on_a_later_line, begin, end),
        cmocka_unit_test_setup_teardown(places_agree_with_counting, begin, end),
        cmocka_unit_test_setup_teardown(a_refused_part_changes_nothing, begin, end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
