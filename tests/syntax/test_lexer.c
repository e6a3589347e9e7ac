// SPDX-License-Identifier: Apache-2.0
// Unit and property tests of the lexer and the layout: src/syntax/lexer.c, literal.c, letter.c,
// layout.c.

#include "reading.h"

#include "syntax/lexer.h"

typedef struct lexing {
    rh_arena arena;
    rh_source source;
    rh_diagnostics diagnostics;
    rh_lexer lexer;
} lexing;

static void lexing_begin(lexing *l, rh_slice text, bool has_layout)
{
    *l = (lexing){.arena = rh__arena_begin(rh_allocator_default(), SIZE_MAX / 4)};
    l->source = rh__source_begin(&l->arena);
    l->diagnostics = rh__diagnostics_begin(&l->arena);
    assert_true(rh__source_add(&l->source, "text", text));
    l->lexer = (rh_lexer){.scratch = &l->arena, .diagnostics = &l->diagnostics};
    assert_true(rh__lexer_run(&l->lexer, &l->source.parts.data[0]));
    if (has_layout) {
        assert_true(rh__layout_run(&l->lexer));
    }
}

static void lexing_end(lexing *l)
{
    rh__arena_end(&l->arena);
}

// The tokens in a row: texts of names and numbers, spellings of the others, `|` for a line end.
static const char *tokens_of(lexing *l)
{
    rh_text out = rh__text_begin(&l->arena, NULL);
    for (uint32_t i = 0; i + 1 < l->lexer.tokens.count; i++) {
        const rh_token token = l->lexer.tokens.data[i];
        rh__text_put(&out, i > 0 ? " " : "");
        if (token.kind == RH_TOKEN_NEWLINE) {
            rh__text_put(&out, "|");
        } else if (token.kind == RH_TOKEN_BAD) {
            rh__text_put(&out, "BAD");
        } else if (token.kind < RH_TOKEN_PLUS) {
            rh__text_put_slice(&out, rh__token_text(&l->lexer, token));
        } else {
            rh__text_put(&out, rh__token_spelling((rh_token_kind)token.kind));
        }
    }
    return out.data == NULL ? "" : out.data;
}

static void check_tokens(const char *text, const char *expected, uint32_t remark_count)
{
    lexing l;
    lexing_begin(&l, rh__slice_of(text), true);
    assert_string_equal(tokens_of(&l), expected);
    assert_int_equal(l.diagnostics.remarks.count, remark_count);
    lexing_end(&l);
}

static void every_symbol_is_a_token(void **state)
{
    (void)state;
    check_tokens("+-*/^([,:])..'= x.y", "+ - * / ^ ( [ , : ] ) .. ' = x . y", 0);
    check_tokens("<<=>>=", "< <= > >=", 0);
    check_tokens("a==b!=c<=d>=e", "a == b != c <= d >= e", 0);
}

static void numbers_and_ranges(void **state)
{
    (void)state;
    check_tokens("1..N", "1 .. N", 0);
    check_tokens("1.5..2.5e-3", "1.5 .. 2.5e-3", 0);
    check_tokens("12e+3 1E5 0.1", "12e+3 1E5 0.1", 0);
    check_tokens("2eta", "2 eta", 0);
    check_tokens("1.N", "1 . N", 0);
    check_tokens("1...N", "1 .. N", 1);
    check_tokens("1.", "1.", 1);
    check_tokens("1.e5", "1.e5", 1);
    check_tokens(".5", ".5", 1);
    check_tokens("1e", "1e", 1);
    check_tokens("1e+", "1e +", 1);
    check_tokens("1.2.3", "1.2.3", 1);
    check_tokens("1e401", "BAD", 1);
    check_tokens("1e-400", "1e-400", 0);
    check_tokens("1e99999999999999999999", "BAD", 1);
    check_tokens("1e0000000000000000000000001", "1e0000000000000000000000001", 0);
}

static void comments_and_blanks_vanish(void **state)
{
    (void)state;
    check_tokens("\n\n# nothing\n  a # b\r\n\tc\n\n", "a | c |", 0);
    check_tokens("\xEF\xBB\xBF"
                 "a",
                 "a", 0);
    check_tokens("a // b\nc % d\ne /* f\n", "a | c | e |", 3);
}

static void a_line_goes_on_after_an_operator_or_in_a_bracket(void **state)
{
    (void)state;
    check_tokens("a +\n\n# c\nb", "a + b", 0);
    check_tokens("a,\nb:\nc=\nd", "a , b : c = d", 0);
    check_tokens("f(a\nb)\nc", "f ( a b ) | c", 0);
    check_tokens("[a,\n(b\n)\n]\nc", "[ a , ( b ) ] | c", 0);
    check_tokens("a'\nb", "a ' | b", 0);
    check_tokens("a ..\nb", "a .. | b", 0);
}

static void a_statement_closes_what_was_left_open(void **state)
{
    (void)state;
    check_tokens("a = f(x\nkinetic m", "a = f BAD x | kinetic m", 1);
    check_tokens("a = f(x,\nkinetic m", "a = f BAD x , | kinetic m", 1);
    check_tokens("a = f(x\npotential -m*g", "a = f BAD x | potential - m * g", 1);
    check_tokens("a = ((x\nconstruct\nb", "a = BAD BAD x | construct | b", 1);
    // no statement: a name that is also a statement's word
    check_tokens("a = (x +\nstate*2)", "a = ( x + state * 2 )", 0);
    check_tokens("a = (x +\nstate)", "a = ( x + state )", 0);
    check_tokens("a = b +\nkinetic m", "a = b + | kinetic m", 0);
    check_tokens("for i in 1..N:\nkinetic m", "for i in 1 .. N : kinetic m", 0);
    check_tokens("param a = 1,\nstate = 2", "param a = 1 , state = 2", 0);
}

static void brackets_are_matched(void **state)
{
    (void)state;
    check_tokens("a)\nb", "a BAD | b", 1);
    check_tokens("(a]\nb", "BAD a BAD | b", 1);
    check_tokens("[(a]\nb", "[ BAD a ] | b", 1);
    check_tokens("(((", "BAD BAD BAD", 1);
    check_tokens("a; b;\n", "a | b |", 2);
    check_tokens("[a; b]", "[ a BAD b ]", 1);
}

static void look_alikes_are_read_as_what_they_mean(void **state)
{
    (void)state;
    check_tokens("a\xE2\x88\x92"
                 "b",
                 "a - b", 1);
    check_tokens("a\xC3\x97"
                 "b\xC2\xB7"
                 "c",
                 "a * b * c", 2);
    check_tokens("x\xE2\x80\xB2 x\xE2\x80\xB3 x\xE2\x80\x99", "x ' x ' ' x '", 3);
    check_tokens("a \xE2\x89\xA4 b \xE2\x89\xA5 c", "a <= b >= c", 2);
    check_tokens("a\xC2\xA0"
                 "b",
                 "a b", 1);
    check_tokens("1\xE2\x80\xA6N", "1 .. N", 1);
    check_tokens("\xE2\x80\x9Ctitle\xE2\x80\x9D x", "\xE2\x80\x9Ctitle\xE2\x80\x9D x", 1);
    check_tokens("x\xC2\xB2", "x BAD", 1);
    check_tokens("a**b:=c=>d=<e<>f", "a ^ b = c >= d <= e != f", 5);
    check_tokens("a && b || c", "a BAD b BAD c", 2);
}

static void letters_of_all_alphabets_are_letters(void **state)
{
    (void)state;
    check_tokens(
        "\xCE\xB8_1 \xC2\xB5 x\xE2\x82\x81 \xE2\x84\x93", // theta_1, micro, x subscript 1, script l
        "\xCE\xB8_1 \xC2\xB5 x\xE2\x82\x81 \xE2\x84\x93", 0);
    check_tokens("\xE2\x88\x9E", "BAD", 1);
    check_tokens("\xF0\x9F\x98\x80", "BAD", 1);
    check_tokens("$$$ a $", "BAD BAD BAD a BAD", 1);
    assert_true(rh__letter_is(0x3b8));
    assert_false(rh__letter_is(0xd7));
    assert_false(rh__letter_is(0x2212));
    assert_false(rh__letter_is('a'));
}

static void broken_bytes_are_reported(void **state)
{
    (void)state;
    check_tokens("a \xFF\xFE b", "a BAD BAD b", 1);
    check_tokens("# \xFF\n\"\xFE\"", "\"\xFE\"", 1);
    check_tokens("a\rb", "a BAD b", 1);
    lexing l;
    lexing_begin(&l, (rh_slice){"a\0b", 3}, true);
    assert_string_equal(tokens_of(&l), "a BAD b");
    assert_int_equal(l.diagnostics.remarks.data[0].code, RH_DIAGNOSTIC_E004);
    lexing_end(&l);
}

static void strings_stay_on_their_line(void **state)
{
    (void)state;
    check_tokens("\"a b\" \"\\\"\" \"\\\\\"", "\"a b\" \"\\\"\" \"\\\\\"", 0);
    check_tokens("\"a\nb", "\"a | b", 1);
    check_tokens("\"a\\nb\"", "\"a\\nb\"", 1);
    check_tokens("\"a\\", "\"a\\", 2);
}

static void sizes_are_bounded(void **state)
{
    (void)state;
    char text[RH_SYNTAX_NUMBER_SIZE + 3];
    memset(text, '7', sizeof text);
    text[RH_SYNTAX_NUMBER_SIZE] = '\0';
    check_tokens(text, text, 0);
    text[RH_SYNTAX_NUMBER_SIZE] = '7';
    text[RH_SYNTAX_NUMBER_SIZE + 1] = '\0';
    check_tokens(text, "BAD", 1);
    memset(text, 'n', sizeof text);
    text[RH_SYNTAX_NAME_SIZE] = '\0';
    check_tokens(text, text, 0);
    text[RH_SYNTAX_NAME_SIZE] = 'n';
    text[RH_SYNTAX_NAME_SIZE + 1] = '\0';
    check_tokens(text, "BAD", 1);
}

// Tokens stand in order, do not overlap (but for a double prime) and leave only blanks and comments
// between.
static void tokens_cover_any_bytes(void **state)
{
    (void)state;
    support_random random = support_random_begin(__func__);
    static const char BYTES[] =
        "abe01. .'=<>!*+-/^()[],:;#\"\\\n\r%$\xCE\xB8\xE2\x88\x92\xC2\xB5\xFF";
    for (int round = 0; round < 2000; round++) {
        char text[64];
        const uint32_t size = support_random_below(&random, sizeof text);
        for (uint32_t i = 0; i < size; i++) {
            text[i] = BYTES[support_random_below(&random, sizeof BYTES)];
        }
        lexing l;
        lexing_begin(&l, (rh_slice){text, size}, false);
        uint32_t end = 0;
        rh_span before = {0, 0};
        for (uint32_t i = 0; i < l.lexer.tokens.count; i++) {
            const rh_span span = l.lexer.tokens.data[i].span;
            const bool is_same = span.offset == before.offset && span.size == before.size;
            assert_true(span.offset >= end || is_same);
            assert_true(span.offset + span.size <= size);
            end = span.offset + span.size;
            before = span;
        }
        assert_true(rh__layout_run(&l.lexer));
        assert_int_equal(l.lexer.tokens.data[l.lexer.tokens.count - 1].kind, RH_TOKEN_END);
        lexing_end(&l);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_symbol_is_a_token),
        cmocka_unit_test(numbers_and_ranges),
        cmocka_unit_test(comments_and_blanks_vanish),
        cmocka_unit_test(a_line_goes_on_after_an_operator_or_in_a_bracket),
        cmocka_unit_test(a_statement_closes_what_was_left_open),
        cmocka_unit_test(brackets_are_matched),
        cmocka_unit_test(look_alikes_are_read_as_what_they_mean),
        cmocka_unit_test(letters_of_all_alphabets_are_letters),
        cmocka_unit_test(broken_bytes_are_reported),
        cmocka_unit_test(strings_stay_on_their_line),
        cmocka_unit_test(sizes_are_bounded),
        cmocka_unit_test(tokens_cover_any_bytes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
