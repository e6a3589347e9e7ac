// SPDX-License-Identifier: Apache-2.0
// Unit and property tests of src/output/remark.c and src/output/excerpt.c. Remarks are put on
// models made by hand, so that every span can be tried.

#include "support.h"

#include "output/output.h"

#include "json.h"

#include <stdio.h>
#include <stdlib.h>

// A model that is only a text and remarks about it.
static void begin_model(rh_model *model, const char *text, size_t size)
{
    *model = (rh_model){.is_sound = true};
    model->arena = rh__arena_begin(rh_allocator_default(), (size_t)1 << 26);
    model->source = rh__source_begin(&model->arena);
    model->diagnostics = rh__diagnostics_begin(&model->arena);
    assert_true(rh__source_add(&model->source, "file.rhe", (rh_slice){text, size}));
}

static void end_model(rh_model *model)
{
    rh__arena_end(&model->arena);
}

static rh_diagnostic_code code_of(rh_rank rank)
{
    unsigned code = 0;
    while (code < RH_DIAGNOSTIC_COUNT && rh__diagnostic_rank((rh_diagnostic_code)code) != rank) {
        code++;
    }
    assert_true(code < RH_DIAGNOSTIC_COUNT);
    return (rh_diagnostic_code)code;
}

static void add_error(rh_model *model, uint32_t offset, uint32_t size)
{
    rh__diagnostics_add(&model->diagnostics, RH_DIAGNOSTIC_E900, (rh_span){offset, size}, "wrong");
    model->is_sound = false;
}

static support_text show(const rh_model *model, rh_format format, bool is_coloured)
{
    support_text text = {0};
    rh_error err = RH_ZERO;
    assert_int_equal(
        rh_output_diagnostics(model, format, is_coloured, support_text_sink(&text), &err), RH_OK);
    return text;
}

// The text for one error at [offset, offset + size) of `source`.
static void check_error(const char *source, uint32_t offset, uint32_t size, const char *expected)
{
    static rh_model model;
    begin_model(&model, source, strlen(source));
    add_error(&model, offset, size);
    support_text text = show(&model, RH_FORMAT_TEXT, false);
    assert_string_equal(text.data, expected);
    free(text.data);
    end_model(&model);
}

static void a_remark_shows_place_line_and_span(void **state)
{
    (void)state;
    check_error("coord x\nkinetic m*x'^2\n", 16, 1,
                "file.rhe:2:9: error[E900]: wrong\n"
                "   2 | kinetic m*x'^2\n"
                "     |         ^\n"
                "1 error (rheonom explain E900)\n");
    check_error("coord xyz", 6, 3,
                "file.rhe:1:7: error[E900]: wrong\n"
                "   1 | coord xyz\n"
                "     |       ^~~\n"
                "1 error (rheonom explain E900)\n");
}

static void columns_are_code_points(void **state)
{
    (void)state;
    check_error("let θ = αβ + δ", 9, 4,
                "file.rhe:1:9: error[E900]: wrong\n"
                "   1 | let θ = αβ + δ\n"
                "     |         ^~\n"
                "1 error (rheonom explain E900)\n");
}

static void tabs_are_repeated(void **state)
{
    (void)state;
    check_error("\tlet\ta = b\tc", 9, 3,
                "file.rhe:1:10: error[E900]: wrong\n"
                "   1 | \tlet\ta = b\tc\n"
                "     | \t   \t    ^\t~\n"
                "1 error (rheonom explain E900)\n");
}

static void a_span_of_several_lines_is_marked_in_the_first(void **state)
{
    (void)state;
    check_error("a = (b +\n    c)\nd", 4, 12,
                "file.rhe:1:5: error[E900]: wrong\n"
                "   1 | a = (b +\n"
                "     |     ^~~~\n"
                "1 error (rheonom explain E900)\n");
}

static void an_empty_span_has_a_caret(void **state)
{
    (void)state;
    check_error("a =\nb", 3, 0,
                "file.rhe:1:4: error[E900]: wrong\n"
                "   1 | a =\n"
                "     |    ^\n"
                "1 error (rheonom explain E900)\n");
    check_error("", 0, 0,
                "file.rhe:1:1: error[E900]: wrong\n"
                "   1 | \n"
                "     | ^\n"
                "1 error (rheonom explain E900)\n");
}

static void long_lines_are_cut_around_the_span(void **state)
{
    (void)state;
    char source[402];
    memset(source, 'a', 400);
    memcpy(source + 200, "XYZ", 3);
    source[400] = '\0';
    static rh_model model;
    begin_model(&model, source, 400);
    add_error(&model, 200, 3);
    support_text text = show(&model, RH_FORMAT_TEXT, false);
    const char *line = strstr(text.data, "   1 | ...a");
    assert_non_null(line);
    const char *carets = strchr(line, '\n') + 1;
    const char *end = strchr(line, '\n');
    assert_memory_equal(end - 4, "a...", 4);
    assert_true(end - line < 120);
    assert_int_equal(strchr(carets, '^') - carets, strstr(line, "XYZ") - line);
    assert_non_null(strstr(carets, "^~~\n"));
    free(text.data);
    end_model(&model);
}

static void notes_and_repairs_follow(void **state)
{
    (void)state;
    static rh_model model;
    const char *source = "coord x\ncoord x\n";
    begin_model(&model, source, strlen(source));
    add_error(&model, 14, 1);
    rh__diagnostics_note(&model.diagnostics, (rh_span){6, 1}, "first declared here");
    rh__diagnostics_repair(&model.diagnostics, "leave it out\nor choose another");
    support_text text = show(&model, RH_FORMAT_TEXT, false);
    assert_string_equal(text.data, "file.rhe:2:7: error[E900]: wrong\n"
                                   "   2 | coord x\n"
                                   "     |       ^\n"
                                   "  note: file.rhe:1:7: first declared here\n"
                                   "  repair: leave it out\n"
                                   "          or choose another\n"
                                   "1 error (rheonom explain E900)\n");
    free(text.data);
    end_model(&model);
}

static void the_last_line_counts(void **state)
{
    (void)state;
    static rh_model model;
    begin_model(&model, "a", 1);
    support_text text = show(&model, RH_FORMAT_TEXT, false);
    assert_int_equal(text.size, 0);
    const rh_span span = {0, 1};
    rh__diagnostics_add(&model.diagnostics, code_of(RH_RANK_WARNING), span, "odd");
    add_error(&model, 0, 1);
    add_error(&model, 0, 1);
    rh__diagnostics_add(&model.diagnostics, code_of(RH_RANK_NOTE), span, "by the way");
    text = show(&model, RH_FORMAT_TEXT, false);
    const char *last = strstr(text.data, "2 errors");
    assert_non_null(last);
    assert_string_equal(last, "2 errors, 1 warning, 1 note (rheonom explain E900)\n");
    free(text.data);
    for (int k = 0; k < 200; k++) {
        add_error(&model, 0, 1);
    }
    text = show(&model, RH_FORMAT_TEXT, false);
    last = strstr(text.data, "202 errors");
    assert_non_null(last);
    // an error takes the place of a warning or note when the list is full
    assert_string_equal(last, "202 errors; 104 not shown (rheonom explain E900)\n");
    free(text.data);
    end_model(&model);
}

// Leave out ESC [ ... m.
static void strip_colours(char *text)
{
    char *out = text;
    for (const char *at = text; *at != '\0'; at++) {
        if (*at == '\033') {
            at = strchr(at, 'm');
            assert_non_null(at);
        } else {
            *out++ = *at;
        }
    }
    *out = '\0';
}

static void colour_adds_nothing_but_colour(void **state)
{
    (void)state;
    static rh_model model;
    begin_model(&model, "a = θ b", 8);
    add_error(&model, 4, 4);
    rh__diagnostics_note(&model.diagnostics, (rh_span){0, 1}, "note");
    rh__diagnostics_repair(&model.diagnostics, "repair");
    support_text plain = show(&model, RH_FORMAT_TEXT, false);
    support_text coloured = show(&model, RH_FORMAT_TEXT, true);
    assert_null(strchr(plain.data, '\033'));
    assert_non_null(strstr(coloured.data, "\033[1;31m"));
    strip_colours(coloured.data);
    assert_string_equal(coloured.data, plain.data);
    free(plain.data);
    free(coloured.data);
    end_model(&model);
}

static void nothing_reaches_the_terminal_that_it_obeys(void **state)
{
    (void)state;
    static rh_model model;
    const char source[] = "a\033[31m \xff b\r \xc2\x9b \xe2\x80\xae x";
    begin_model(&model, source, sizeof source - 1);
    rh__diagnostics_add(&model.diagnostics, RH_DIAGNOSTIC_E900, (rh_span){0, 1}, "bad \033[0m");
    support_text text = show(&model, RH_FORMAT_TEXT, false);
    assert_string_equal(text.data, "file.rhe:1:1: error[E900]: bad ?[0m\n"
                                   "   1 | a?[31m ? b? ? ? x\n"
                                   "     | ^\n"
                                   "1 error (rheonom explain E900)\n");
    free(text.data);
    end_model(&model);
}

static const char *const PIECES[] = {"a", "+", " ", "\t", "θ", "漢", "\xff", "\x01", "\n", "b"};

// Any text, any span: the caret stands below the first character of the span.
static void check_random_span(support_random *random)
{
    char source[2000] = "";
    size_t size = 0;
    const uint32_t pieces = support_random_below(random, 300);
    const uint32_t kinds = support_random_below(random, 2) == 0 ? 6 : 10;
    for (uint32_t k = 0; k < pieces; k++) {
        const char *piece = PIECES[support_random_below(random, kinds)];
        memcpy(source + size, piece, strlen(piece));
        size += strlen(piece);
    }
    static rh_model model;
    begin_model(&model, source, size);
    const uint32_t offset = support_random_below(random, (uint32_t)size + 1);
    add_error(&model, offset, support_random_below(random, (uint32_t)size - offset + 1));
    support_text text = show(&model, RH_FORMAT_TEXT, false);
    const char *line = strchr(text.data, '\n') + 1;
    const char *carets = strchr(line, '\n') + 1;
    const char *caret = strchr(carets, '^');
    assert_non_null(caret);
    const uint32_t column =
        rh__source_place(&model.source, model.diagnostics.remarks.data[0].span).column;
    const bool is_cut = strstr(line, " | ...") == line + 4;
    // step along both lines until the caret: tabs stand over tabs
    const char *above = line;
    for (const char *below = carets; below < caret; below++) {
        assert_int_equal(*above == '\t', *below == '\t');
        uint32_t ignored = 0;
        above += rh__utf8_read((rh_slice){above, (size_t)(carets - above)}, &ignored);
    }
    if (!is_cut) {
        assert_int_equal(caret - carets, 7 + column - 1);
    }
    const char first = offset < size ? source[offset] : '\n';
    if (first == 'a' || first == '+' || first == '\t' || first == 'b') {
        assert_int_equal(*above, first);
    }
    for (size_t k = 0; k < text.size; k++) {
        assert_true(text.data[k] == '\n' || text.data[k] == '\t' ||
                    (unsigned char)text.data[k] >= 0x20);
    }
    free(text.data);
    end_model(&model);
}

static void the_caret_is_below_the_span(void **state)
{
    (void)state;
    support_random random = support_random_begin("the_caret_is_below_the_span");
    for (int k = 0; k < 2000; k++) {
        check_random_span(&random);
    }
}

static void json_is_json(void **state)
{
    (void)state;
    static rh_model model;
    const char source[] = "a \"b\" \xff\n\tc\\";
    begin_model(&model, source, sizeof source - 1);
    support_text text = show(&model, RH_FORMAT_JSON, false);
    assert_string_equal(text.data,
                        "{\"status\": \"sound\", \"diagnostics\": [], \"dropped\": 0}\n");
    free(text.data);
    text = (support_text){0};
    rh__diagnostics_add(&model.diagnostics, RH_DIAGNOSTIC_E900, (rh_span){2, 8},
                        "bad \"b\" \\ \xff \n \x01");
    rh__diagnostics_note(&model.diagnostics, (rh_span){0, 1}, "no\tte");
    rh__diagnostics_add(&model.diagnostics, code_of(RH_RANK_WARNING), (rh_span){0, 1}, "odd");
    rh__diagnostics_repair(&model.diagnostics, "write \"c\"");
    model.is_sound = false;
    text = show(&model, RH_FORMAT_JSON, true);
    assert_true(json_is_valid(text.data, text.size));
    assert_non_null(
        strstr(text.data, "{\"status\": \"wrong\", \"diagnostics\": [{\"code\": \"E900\""));
    assert_non_null(strstr(text.data, "\"line\": 1, \"column\": 3, \"end_line\": 2"));
    assert_non_null(strstr(text.data, "\"repair\": \"write \\\"c\\\"\", \"note\": null}"));
    free(text.data);
    end_model(&model);
}

static bool refuse(void *user, const char *data, size_t size)
{
    (void)data;
    (void)size;
    ++*(int *)user;
    return false;
}

static void a_sink_that_fails_is_reported(void **state)
{
    (void)state;
    static rh_model model;
    begin_model(&model, "a", 1);
    add_error(&model, 0, 1);
    int calls = 0;
    const rh_sink sink = {refuse, &calls};
    rh_error err = RH_ZERO;
    assert_int_equal(rh_output_diagnostics(&model, RH_FORMAT_TEXT, false, sink, &err), RH_E_WRITE);
    assert_int_equal(err.status, RH_E_WRITE);
    assert_int_equal(rh_output_diagnostics(&model, RH_FORMAT_JSON, false, sink, NULL), RH_E_WRITE);
    assert_int_equal(calls, 2);
    end_model(&model);
}

static void wrong_calls_are_refused(void **state)
{
    (void)state;
    static rh_model model;
    begin_model(&model, "a", 1);
    support_text text = {0};
    const rh_sink sink = support_text_sink(&text);
    const rh_sink no_sink = RH_ZERO;
    rh_error err = RH_ZERO;
    assert_int_equal(rh_output_diagnostics(NULL, RH_FORMAT_TEXT, false, sink, &err), RH_E_ARGUMENT);
    assert_int_equal(rh_output_diagnostics(&model, RH_FORMAT_TEXT, false, no_sink, &err),
                     RH_E_ARGUMENT);
    assert_int_equal(rh_output_diagnostics(&model, (rh_format)7, false, sink, &err), RH_E_ARGUMENT);
    assert_int_equal(text.size, 0);
    end_model(&model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_remark_shows_place_line_and_span),
        cmocka_unit_test(columns_are_code_points),
        cmocka_unit_test(tabs_are_repeated),
        cmocka_unit_test(a_span_of_several_lines_is_marked_in_the_first),
        cmocka_unit_test(an_empty_span_has_a_caret),
        cmocka_unit_test(long_lines_are_cut_around_the_span),
        cmocka_unit_test(notes_and_repairs_follow),
        cmocka_unit_test(the_last_line_counts),
        cmocka_unit_test(colour_adds_nothing_but_colour),
        cmocka_unit_test(nothing_reaches_the_terminal_that_it_obeys),
        cmocka_unit_test(the_caret_is_below_the_span),
        cmocka_unit_test(json_is_json),
        cmocka_unit_test(a_sink_that_fails_is_reported),
        cmocka_unit_test(wrong_calls_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
