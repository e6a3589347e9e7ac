// SPDX-License-Identifier: Apache-2.0
// Unit and property tests of src/base/text.c: slices, growing text, JSON, UTF-8, distance.

#include "support.h"

#include "base/base.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>

static rh_arena arena;

static int begin_arena(void **state)
{
    (void)state;
    arena = rh__arena_begin(rh_allocator_default(), SIZE_MAX / 2);
    return 0;
}

static int end_arena(void **state)
{
    (void)state;
    rh__arena_end(&arena);
    return 0;
}

static void slices_compare_bytes(void **state)
{
    (void)state;
    assert_true(rh__slice_is(rh__slice_of("theta"), "theta"));
    assert_false(rh__slice_is(rh__slice_of("theta"), "thet"));
    assert_false(rh__slice_is(rh__slice_of("thet"), "theta"));
    assert_true(rh__slice_equal((rh_slice){NULL, 0}, rh__slice_of("")));
    assert_string_equal(rh__slice_copy(&arena, (rh_slice){"abcdef", 3}), "abc");
    assert_string_equal(rh__slice_copy(&arena, (rh_slice){NULL, 0}), "");
}

static void kept_text_is_what_was_put(void **state)
{
    (void)state;
    rh_text text = rh__text_begin(&arena, NULL);
    rh__text_put(&text, "q = ");
    rh__text_format(&text, "%d/%s", 8, "3");
    rh__text_put_char(&text, ';');
    rh__text_put_slice(&text, (rh_slice){"xyz", 2});
    rh__text_format(&text, "%s", "");
    assert_int_equal(rh__text_end(&text), RH_OK);
    assert_true(rh__slice_is(rh__text_slice(&text), "q = 8/3;xy"));
    assert_string_equal(text.data, "q = 8/3;xy");
}

// Words and whole numbers go another way than the rest: both write the same.
static void formats_are_those_of_printf(void **state)
{
    (void)state;
    static const int NUMBERS[] = {0, 7, -7, 10, -1000, INT_MAX, INT_MIN};
    for (size_t k = 0; k < sizeof NUMBERS / sizeof NUMBERS[0]; k++) {
        const int number = NUMBERS[k];
        char expected[200];
        rh_text text = rh__text_begin(&arena, NULL);
        rh__text_format(&text, "%d%u %%|%c%s|%s%%", number, (unsigned)number, 'z', "word", "");
        rh__text_format(&text, "%s, %.3g, %5d%%", "next", 0.5, number);
        (void)snprintf(expected, sizeof expected, "%d%u %%|%c%s|%s%%%s, %.3g, %5d%%", number,
                       (unsigned)number, 'z', "word", "", "next", 0.5, number);
        assert_true(rh__slice_is(rh__text_slice(&text), expected));
        assert_string_equal(text.data, expected);
    }
}

static void printed_text_is_terminated(void **state)
{
    (void)state;
    assert_string_equal(rh__text_print(&arena, "%s has %d", "x", 3), "x has 3");
    assert_string_equal(rh__text_print(&arena, "%s", ""), "");
}

static void a_sink_gets_every_byte_once(void **state)
{
    (void)state;
    support_text got = {0};
    const rh_sink sink = support_text_sink(&got);
    rh_text text = rh__text_begin(&arena, &sink);
    for (int i = 0; i < 50000; i++) {
        rh__text_format(&text, "%06d\n", i);
    }
    assert_int_equal(rh__text_end(&text), RH_OK);
    assert_int_equal(got.size, 350000);
    for (int i = 0; i < 50000; i++) {
        char line[16];
        (void)snprintf(line, sizeof line, "%06d\n", i);
        assert_memory_equal(got.data + 7 * (size_t)i, line, 7);
    }
    // what is on its way is bounded
    assert_true(text.capacity <= 256 * 1024);
    free(got.data);
}

static bool refuse(void *user, const char *data, size_t size)
{
    (void)data;
    (void)size;
    ++*(int *)user;
    return false;
}

static void a_refusing_sink_is_asked_once(void **state)
{
    (void)state;
    int asked = 0;
    const rh_sink sink = {refuse, &asked};
    rh_text text = rh__text_begin(&arena, &sink);
    for (int i = 0; i < 100000; i++) {
        rh__text_put(&text, "a line of some length\n");
    }
    assert_int_equal(rh__text_end(&text), RH_E_WRITE);
    assert_int_equal(asked, 1);
    assert_false(text.ok);
}

static void a_refusing_arena_is_said(void **state)
{
    (void)state;
    rh_arena small = rh__arena_begin(rh_allocator_default(), 100000);
    rh_text text = rh__text_begin(&small, NULL);
    for (int i = 0; i < 100000; i++) {
        rh__text_put(&text, "more and more ");
    }
    assert_int_equal(rh__text_end(&text), RH_E_LIMIT);
    rh__arena_end(&small);
}

static void check_json(const char *data, size_t size, const char *expected)
{
    rh_text text = rh__text_begin(&arena, NULL);
    rh__text_put_json(&text, (rh_slice){data, size});
    assert_true(rh__slice_is(rh__text_slice(&text), expected));
}

static void json_strings_are_escaped(void **state)
{
    (void)state;
    check_json("", 0, "\"\"");
    check_json("plain", 5, "\"plain\"");
    check_json("a\"b\\c", 5, "\"a\\\"b\\\\c\"");
    check_json("\n\t\r\0\x1f\x7f", 6, "\"\\n\\t\\u000d\\u0000\\u001f\\u007f\"");
    check_json("\xce\xb8'", 3, "\"\xce\xb8'\"");
    check_json("\xff\x80"
               "a",
               3,
               "\"\xef\xbf\xbd\xef\xbf\xbd"
               "a\"");
    check_json("\xce", 1, "\"\xef\xbf\xbd\"");
    check_json("\xf0\x9f\x9a\x80", 4, "\"\xf0\x9f\x9a\x80\"");
}

static size_t encode(uint32_t code, char bytes[4])
{
    if (code < 0x80) {
        bytes[0] = (char)code;
        return 1;
    }
    const size_t size = code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
    for (size_t i = size - 1; i > 0; i--) {
        bytes[i] = (char)(0x80 | (code & 0x3f));
        code >>= 6;
    }
    bytes[0] = (char)((0xf00 >> size & 0xff) | code);
    return size;
}

static void every_code_point_is_read(void **state)
{
    (void)state;
    for (uint32_t code = 0; code <= 0x10ffff; code++) {
        char bytes[4];
        const size_t size = encode(code, bytes);
        uint32_t read = 0;
        const int got = rh__utf8_read((rh_slice){bytes, size}, &read);
        const bool is_surrogate = code >= 0xd800 && code <= 0xdfff;
        assert_int_equal(got, is_surrogate ? -1 : (int)size);
        assert_true(is_surrogate || read == code);
        // one byte short is never right
        assert_int_equal(rh__utf8_read((rh_slice){bytes, size - 1}, &read), size == 1 ? 0 : -1);
    }
}

static void wrong_bytes_are_refused(void **state)
{
    (void)state;
    static const char *const wrong[] = {
        "\x80",         "\xbf",     "\xc0\x80",         "\xc1\xbf",         "\xe0\x80\x80",
        "\xe0\x9f\xbf", "\xff",     "\xf0\x8f\xbf\xbf", "\xf4\x90\x80\x80", "\xf5\x80\x80\x80",
        "\xc3(",        "\xe2\x82("};
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        uint32_t code = 0;
        assert_int_equal(rh__utf8_read(rh__slice_of(wrong[i]), &code), -1);
    }
    assert_int_equal(rh__utf8_count(rh__slice_of("\xce\xb8 = \xff\xfe 1")), 8);
    assert_int_equal(rh__utf8_count((rh_slice){NULL, 0}), 0);
}

static unsigned distance(const char *a, const char *b, unsigned limit)
{
    return rh__text_distance(rh__slice_of(a), rh__slice_of(b), limit);
}

static void distance_counts_slips(void **state)
{
    (void)state;
    assert_int_equal(distance("theta", "theta", 3), 0);
    assert_int_equal(distance("theta", "thta", 3), 1);
    assert_int_equal(distance("theta", "thetas", 3), 1);
    assert_int_equal(distance("theta", "tehta", 3), 1);
    assert_int_equal(distance("theta", "zeta", 3), 2);
    assert_int_equal(distance("kitten", "sitting", 9), 3);
    assert_int_equal(distance("", "abc", 9), 3);
    assert_int_equal(distance("", "", 9), 0);
    assert_int_equal(distance("theta", "omega", 2), 3);
    assert_int_equal(distance("a", "abcdefgh", 3), 4);
}

static void distance_is_a_metric_of_sorts(void **state)
{
    (void)state;
    support_random random = support_random_begin("distance_is_a_metric_of_sorts");
    for (int round = 0; round < 2000; round++) {
        char words[2][12] = {"", ""};
        for (int w = 0; w < 2; w++) {
            const uint32_t size = support_random_below(&random, 10);
            for (uint32_t i = 0; i < size; i++) {
                words[w][i] = (char)('a' + support_random_below(&random, 3));
            }
        }
        const unsigned there = distance(words[0], words[1], 20);
        const size_t a = strlen(words[0]);
        const size_t b = strlen(words[1]);
        assert_int_equal(there, distance(words[1], words[0], 20));
        assert_int_equal(there == 0, strcmp(words[0], words[1]) == 0);
        assert_true(there <= (a > b ? a : b));
        assert_true(there >= (a > b ? a - b : b - a));
        assert_int_equal(distance(words[0], words[1], 2), there > 2 ? 3 : there);
    }
}

static void check_nearest(const char *wanted, const char *expected)
{
    static const char *const names[] = {"theta", "thetas", "psi", "phi", "x", "y", "constraint"};
    rh_nearest nearest = rh__nearest_begin(rh__slice_of(wanted));
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        rh__nearest_offer(&nearest, rh__slice_of(names[i]));
    }
    if (!rh__slice_is(nearest.best, expected)) {
        fail_msg("nearest to %s is %.*s, expected %s", wanted, RH_SLICE_FORMAT(nearest.best),
                 expected);
    }
}

static void the_nearest_is_suggested(void **state)
{
    (void)state;
    check_nearest("thet", "theta");
    check_nearest("theta", "theta");
    check_nearest("thetass", "thetas");
    check_nearest("constrait", "constraint");
    check_nearest("psy", "psi");
    check_nearest("omega", "");
    check_nearest("zzzzzzzz", "");
    check_nearest("q", "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(slices_compare_bytes),
        cmocka_unit_test(kept_text_is_what_was_put),
        cmocka_unit_test(formats_are_those_of_printf),
        cmocka_unit_test(printed_text_is_terminated),
        cmocka_unit_test(a_sink_gets_every_byte_once),
        cmocka_unit_test(a_refusing_sink_is_asked_once),
        cmocka_unit_test(a_refusing_arena_is_said),
        cmocka_unit_test(json_strings_are_escaped),
        cmocka_unit_test(every_code_point_is_read),
        cmocka_unit_test(wrong_bytes_are_refused),
        cmocka_unit_test(distance_counts_slips),
        cmocka_unit_test(distance_is_a_metric_of_sorts),
        cmocka_unit_test(the_nearest_is_suggested),
    };
    return cmocka_run_group_tests(tests, begin_arena, end_arena);
}
