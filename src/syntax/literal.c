// SPDX-License-Identifier: Apache-2.0
// Literals: the lexer's rules for numbers and strings. A number is kept as text (it is an exact
// rational, not a double); its size and exponent are bounded so that later stages can afford it.

#include "syntax/lexer.h"

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

// May the byte go on a name? (Anything outside ASCII may.)
static bool is_name_byte(char c)
{
    return is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' ||
           (unsigned char)c >= 0x80;
}

static void digits(rh_lexer *lexer)
{
    while (is_digit(rh__lexer_byte(lexer, 0))) {
        lexer->at++;
    }
}

// How many bytes `e` and a sign take when digits follow them, else 0.
static uint32_t exponent_mark(const rh_lexer *lexer, uint32_t ahead)
{
    const char e = rh__lexer_byte(lexer, ahead);
    if (e != 'e' && e != 'E') {
        return 0;
    }
    const char sign = rh__lexer_byte(lexer, ahead + 1);
    const uint32_t size = sign == '+' || sign == '-' ? 2 : 1;
    return is_digit(rh__lexer_byte(lexer, ahead + size)) ? size : 0;
}

// fraction = "." digits; a point that is neither this nor part of a range or member is reported
static bool fraction(rh_lexer *lexer)
{
    if (rh__lexer_byte(lexer, 0) != '.' || rh__lexer_byte(lexer, 1) == '.') {
        return true;
    }
    if (is_digit(rh__lexer_byte(lexer, 1))) {
        lexer->at++;
        digits(lexer);
        return true;
    }
    if (is_name_byte(rh__lexer_byte(lexer, 1)) && exponent_mark(lexer, 1) == 0) {
        return true; // `1.N`: the parser knows whether a range was meant
    }
    lexer->at++;
    return false;
}

// exponent = ( "e" | "E" ) [ "+" | "-" ] digits; an `e` alone is reported
static bool exponent(rh_lexer *lexer, uint32_t *out_value)
{
    const uint32_t mark = exponent_mark(lexer, 0);
    if (mark > 0) {
        lexer->at += mark;
        for (; is_digit(rh__lexer_byte(lexer, 0)); lexer->at++) {
            const uint32_t digit = (uint32_t)(rh__lexer_byte(lexer, 0) - '0');
            *out_value = *out_value > RH_SYNTAX_EXPONENT ? *out_value : 10 * *out_value + digit;
        }
        return true;
    }
    const char e = rh__lexer_byte(lexer, 0);
    if ((e == 'e' || e == 'E') && !is_name_byte(rh__lexer_byte(lexer, 1))) {
        lexer->at++;
        return false;
    }
    return true;
}

// `1.2.3`: swallow the rest so that it is one mistake, not three.
static bool second_point(rh_lexer *lexer)
{
    bool is_found = false;
    while (rh__lexer_byte(lexer, 0) == '.' && is_digit(rh__lexer_byte(lexer, 1))) {
        is_found = true;
        lexer->at++;
        digits(lexer);
    }
    return is_found;
}

typedef struct number_flaws {
    bool has_bare_point;
    bool has_bare_exponent;
    bool has_second_point;
    uint32_t exponent;
} number_flaws;

static void report_point(rh_lexer *lexer, rh_span span, rh_slice text)
{
    RH_ASSERT(text.size > 1); // a digit stands on one side of it
    rh__diagnostics_add(lexer->diagnostics, RH_DIAGNOSTIC_E005, span,
                        "the point of `%.*s` needs a digit on both sides", RH_SLICE_FORMAT(text));
    if (text.data[0] == '.') {
        rh__diagnostics_repair(lexer->diagnostics, "0%.*s", RH_SLICE_FORMAT(text));
        return;
    }
    int whole = 0;
    while (text.data[whole] != '.') {
        whole++;
    }
    rh__diagnostics_repair(lexer->diagnostics, "%.*s.0%.*s", whole, text.data,
                           (int)text.size - whole - 1, text.data + whole + 1);
}

static void report_form(rh_lexer *lexer, rh_span span, rh_slice text, bool has_second_point)
{
    if (has_second_point) {
        rh__diagnostics_add(lexer->diagnostics, RH_DIAGNOSTIC_E006, span,
                            "the number `%.*s` has more than one point", RH_SLICE_FORMAT(text));
        rh__diagnostics_repair(lexer->diagnostics, "one number, or a range with `..`");
        return;
    }
    rh__diagnostics_add(lexer->diagnostics, RH_DIAGNOSTIC_E006, span,
                        "the exponent of `%.*s` has no digits", RH_SLICE_FORMAT(text));
    rh__diagnostics_repair(lexer->diagnostics, "%.*s0, or %.*s*%c for a product",
                           RH_SLICE_FORMAT(text), (int)text.size - 1, text.data,
                           text.data[text.size - 1]);
}

// Too much for later stages: such a number is not handed on.
static bool report_size(rh_lexer *lexer, rh_span span, uint32_t exponent_value)
{
    if (span.size > RH_SYNTAX_NUMBER_SIZE) {
        rh__diagnostics_add(lexer->diagnostics, RH_DIAGNOSTIC_E904, span,
                            "a number of %u characters is longer than the %d allowed",
                            (unsigned)span.size, RH_SYNTAX_NUMBER_SIZE);
        rh__diagnostics_repair(lexer->diagnostics, "a number with fewer digits");
        return true;
    }
    if (exponent_value > RH_SYNTAX_EXPONENT) {
        rh__diagnostics_add(lexer->diagnostics, RH_DIAGNOSTIC_E007, span,
                            "the exponent of `%.*s%s` lies outside -%d to %d",
                            span.size > 24 ? 24 : (int)span.size,
                            lexer->text.data + (span.offset - lexer->base),
                            span.size > 24 ? "..." : "", RH_SYNTAX_EXPONENT, RH_SYNTAX_EXPONENT);
        rh__diagnostics_repair(lexer->diagnostics, "a smaller exponent, or other units");
        return true;
    }
    return false;
}

// NUMBER = digits [ fraction ] [ exponent ]
void rh__lexer_number(rh_lexer *lexer)
{
    const uint32_t start = lexer->at;
    number_flaws flaws = {.has_bare_point = rh__lexer_byte(lexer, 0) == '.'};
    lexer->at += flaws.has_bare_point;
    digits(lexer);
    if (!flaws.has_bare_point) {
        flaws.has_bare_point = !fraction(lexer);
    }
    flaws.has_bare_exponent = !exponent(lexer, &flaws.exponent);
    flaws.has_second_point = second_point(lexer);

    const rh_span span = rh__lexer_span(lexer, start);
    const rh_slice text = {lexer->text.data + start, span.size};
    if (report_size(lexer, span, flaws.exponent)) {
        rh__lexer_emit(lexer, RH_TOKEN_BAD, start, 0);
        return;
    }
    const bool is_flawed =
        flaws.has_bare_point || flaws.has_bare_exponent || flaws.has_second_point;
    if (flaws.has_second_point || (flaws.has_bare_exponent && !flaws.has_bare_point)) {
        report_form(lexer, span, text, flaws.has_second_point);
    } else if (flaws.has_bare_point) {
        report_point(lexer, span, text);
    }
    rh__lexer_emit(lexer, RH_TOKEN_NUMBER, start, is_flawed ? (unsigned)RH_TOKEN_FLAWED : 0u);
}

// escape = "\" ( """ | "\" )
static bool escape(rh_lexer *lexer)
{
    const char c = rh__lexer_byte(lexer, 1);
    if (c == '"' || c == '\\') {
        lexer->at += 2;
        return true;
    }
    const uint32_t start = lexer->at++;
    rh__diagnostics_add(lexer->diagnostics, RH_DIAGNOSTIC_E009, rh__lexer_span(lexer, start),
                        "a backslash in a string is followed by `\"` or `\\`, nothing else");
    rh__diagnostics_repair(lexer->diagnostics, "\\\\");
    return false;
}

// STRING = """ { character | escape } """, on one line
void rh__lexer_string(rh_lexer *lexer)
{
    const uint32_t start = lexer->at++;
    bool is_clean = true;
    while (lexer->at < lexer->text.size && rh__lexer_byte(lexer, 0) != '"' &&
           rh__lexer_byte(lexer, 0) != '\n') {
        is_clean &= rh__lexer_byte(lexer, 0) == '\\' ? escape(lexer) : rh__lexer_pass(lexer);
    }
    if (rh__lexer_byte(lexer, 0) == '"') {
        lexer->at++;
    } else {
        is_clean = false;
        rh__diagnostics_add(lexer->diagnostics, RH_DIAGNOSTIC_E008, rh__lexer_span(lexer, start),
                            "the string that begins here is not closed on its line");
        rh__diagnostics_repair(lexer->diagnostics, "\" at the end of the string");
    }
    rh__lexer_emit(lexer, RH_TOKEN_STRING, start, is_clean ? 0u : (unsigned)RH_TOKEN_FLAWED);
}
