// SPDX-License-Identifier: Apache-2.0
// Complaints: how the parser words its mistakes. The rules say what they expected; here it is
// compared with what was found, so that the usual slips get their own answer.

#include "syntax/parser.h"

#include <string.h>

static void add(rh_parser *p, rh_diagnostic_code code, rh_span span, const char *repair,
                const char *format, va_list arguments)
{
    rh_text text = rh__text_begin(p->scratch, NULL);
    rh__text_format_list(&text, format, arguments);
    rh__diagnostics_add(p->diagnostics, code, span, "%.*s", RH_SLICE_FORMAT(rh__text_slice(&text)));
    if (repair != NULL) {
        rh__diagnostics_repair(p->diagnostics, "%s", repair);
    }
}

// What is BAD was reported by whoever made it so.
static bool is_silent(const rh_parser *p)
{
    return p->is_panicking || rh__parser_at(p, RH_TOKEN_BAD);
}

void rh__parser_report(rh_parser *p, rh_diagnostic_code code, rh_span span, const char *repair,
                       const char *format, ...)
{
    if (!is_silent(p)) {
        va_list arguments;
        va_start(arguments, format);
        add(p, code, span, repair, format, arguments);
        va_end(arguments);
    }
}

void rh__parser_fail(rh_parser *p, rh_diagnostic_code code, rh_span span, const char *repair,
                     const char *format, ...)
{
    if (!is_silent(p)) {
        va_list arguments;
        va_start(arguments, format);
        add(p, code, span, repair, format, arguments);
        va_end(arguments);
    }
    p->is_panicking = true;
}

const char *rh__parser_show(rh_parser *p, rh_token token)
{
    enum { LONGEST = 32 };
    const char *spelling = rh__token_spelling((rh_token_kind)token.kind);
    if (token.kind == RH_TOKEN_NAME) {
        return rh__text_print(p->scratch, "`%.*s`",
                              RH_SLICE_FORMAT(rh__token_text(p->lexer, token)));
    }
    if (token.kind == RH_TOKEN_NUMBER) {
        const rh_slice text = rh__token_text(p->lexer, token);
        const bool is_long = text.size > LONGEST;
        return rh__text_print(p->scratch, "the number `%.*s%s`", is_long ? LONGEST : (int)text.size,
                              text.data, is_long ? "..." : "");
    }
    return token.kind < RH_TOKEN_PLUS ? spelling : rh__text_print(p->scratch, "`%s`", spelling);
}

static const char *const LOGIC[] = {"and", "or", "not", NULL};
static const char *const CLAUSES[] = {"by", "with", "impact", NULL};
static const char *const BLOCKS[] = {"else",  "elif", "elseif", "then", "end",
                                     "endif", "if",   "return", NULL};

static void fail_comparison(rh_parser *p, rh_token token)
{
    rh__parser_fail(p, RH_DIAGNOSTIC_E027, token.span, "if(a < b, VALUE, OTHER)",
                    "the comparison %s stands outside the condition of an `if`",
                    rh__parser_show(p, token));
}

static void fail_logic(rh_parser *p, rh_token token, rh_slice word)
{
    static const char CONSTRAINT[] = "constraint";
    const bool is_constraint =
        p->form != NULL && strncmp(p->form, CONSTRAINT, sizeof CONSTRAINT - 1) == 0;
    rh__parser_fail(p, RH_DIAGNOSTIC_E028, token.span,
                    is_constraint ? "two constraints, one on each line"
                                  : "if(a < b and c < d, VALUE, OTHER)",
                    "`%.*s` joins comparisons and stands only in the condition of an `if`",
                    RH_SLICE_FORMAT(word));
}

// The usual slips; true when the token was one of them.
static bool fail_slip(rh_parser *p, rh_token token, const char *expected)
{
    const rh_slice word = rh__token_text(p->lexer, token);
    if (token.kind == RH_TOKEN_STRING) {
        rh__parser_fail(p, RH_DIAGNOSTIC_E054, token.span, p->form, "expected %s, found a string",
                        expected);
    } else if (token.kind >= RH_TOKEN_SAME && token.kind <= RH_TOKEN_GREATER_EQUAL) {
        fail_comparison(p, token);
    } else if (token.kind == RH_TOKEN_NAME && rh__word_is_one_of(word, LOGIC)) {
        fail_logic(p, token, word);
    } else if (token.kind == RH_TOKEN_NAME && rh__word_is_one_of(word, CLAUSES)) {
        rh__parser_fail(p, RH_DIAGNOSTIC_E059, token.span, p->form,
                        "expected %s, found `%.*s`, which begins a clause of a constraint",
                        expected, RH_SLICE_FORMAT(word));
    } else if (token.kind == RH_TOKEN_NAME && rh__word_is_one_of(word, BLOCKS)) {
        rh__parser_fail(
            p, RH_DIAGNOSTIC_E033, token.span, "if(CONDITION, VALUE, OTHER)",
            "`%.*s` is no word of this language; a choice is written with one `if(...)`",
            RH_SLICE_FORMAT(word));
    } else {
        return false;
    }
    return true;
}

void rh__parser_fail_here(rh_parser *p, rh_diagnostic_code code, const char *expected)
{
    const rh_token token = rh__parser_peek(p);
    if (p->is_panicking || fail_slip(p, token, expected)) {
        return;
    }
    rh__parser_fail(p, code, rh__parser_found(p), p->form, "expected %s, found %s", expected,
                    rh__parser_show(p, token));
}

// Words of other tools and of everyday speech.
static const char *translate(rh_slice word)
{
    static const char *const ROWS[][2] = {
        {"parameter", "param"},
        {"parameters", "param"},
        {"constant", "param"},
        {"const", "param"},
        {"var", "let"},
        {"variable", "coord"},
        {"coordinate", "coord"},
        {"coordinates", "coord"},
        {"states", "state"},
        {"def", "let"},
        {"function", "let"},
        {"define", "let"},
        {"init", "start"},
        {"initial", "start"},
        {"ode", "law"},
        {"equations", "equation"},
        {"constraints", "constraint"},
        {"restriction", "constraint"},
        {"plot", "draw"},
        {"output", "observe"},
        {"print", "observe"},
        {"title", "model"},
        {"name", "model"},
        {"energy", "kinetic"},
        {"moment", "torque"},
        {"velocity", "quasi"},
        {"when", "event"},
        {"foreach", "for"},
        {"loop", "for"},
    };
    for (size_t i = 0; i < sizeof ROWS / sizeof ROWS[0]; i++) {
        if (rh__slice_is(word, ROWS[i][0])) {
            return ROWS[i][1];
        }
    }
    return NULL;
}

// The statement word that was probably meant, or NULL.
static const char *meant_word(rh_parser *p, rh_slice word)
{
    const char *meant = translate(word);
    if (meant == NULL) {
        const rh_slice nearest = rh__word_nearest(word, rh__statement_words());
        meant =
            nearest.size > 0 ? rh__text_print(p->scratch, "%.*s", RH_SLICE_FORMAT(nearest)) : NULL;
    }
    return meant;
}

// `x = 3`: a declaration or an equation without its word.
static void fail_missing_word(rh_parser *p, rh_token name, rh_token next)
{
    const rh_slice text = rh__token_text(p->lexer, name);
    const char *word = "let";
    const char *rest = " = ...";
    if (next.kind == RH_TOKEN_PRIME) {
        word = "law";
        rest = "' = ...";
    } else if (next.kind == RH_TOKEN_COLON) {
        word = "constraint";
        rest = ": ...";
    } else if (next.kind == RH_TOKEN_OPEN_ROUND) {
        rest = "(...) = ...";
    } else if (next.kind == RH_TOKEN_OPEN_SQUARE) {
        rest = "[...] = ...";
    } else if (p->tokens[p->at + 2].kind == RH_TOKEN_NUMBER) {
        word = "param";
    }
    const char *repair = rh__text_print(p->scratch, "%s %.*s%s", word, RH_SLICE_FORMAT(text), rest);
    rh__parser_fail(p, RH_DIAGNOSTIC_E016, name.span, repair,
                    "the line begins with the name %s, expected a statement word",
                    rh__parser_show(p, name));
}

static const char *const CONTINUERS[] = {"by",  "with", "impact",  "while",
                                         "and", "or",   "inverse", NULL};

// A statement is expected, and a name stands there that begins none.
void rh__parser_fail_word(rh_parser *p)
{
    const rh_token token = rh__parser_peek(p);
    const rh_token next = rh__parser_peek_second(p);
    const rh_slice word = rh__token_text(p->lexer, token);
    const char *meant = meant_word(p, word);
    const bool is_bracket = next.kind == RH_TOKEN_OPEN_ROUND || next.kind == RH_TOKEN_OPEN_SQUARE;
    if (rh__word_is_one_of(word, CONTINUERS)) {
        rh__parser_fail(p, RH_DIAGNOSTIC_E018, token.span,
                        rh__text_print(p->scratch, "`%.*s ...` at the end of the line before",
                                       RH_SLICE_FORMAT(word)),
                        "a line cannot begin with `%.*s`; it belongs to the statement before",
                        RH_SLICE_FORMAT(word));
    } else if (rh__word_is_one_of(word, BLOCKS)) {
        rh__parser_fail(p, RH_DIAGNOSTIC_E033, token.span, "let NAME = if(CONDITION, VALUE, OTHER)",
                        "`%.*s` begins no statement; a choice is an expression `if(...)`",
                        RH_SLICE_FORMAT(word));
    } else if (next.kind == RH_TOKEN_EQUAL || next.kind == RH_TOKEN_PRIME ||
               next.kind == RH_TOKEN_COLON || (is_bracket && meant == NULL)) {
        fail_missing_word(p, token, next);
    } else {
        rh__parser_fail(p, RH_DIAGNOSTIC_E015, token.span,
                        meant != NULL ? meant : "a word such as `param`, `coord`, `let`",
                        "no statement begins with `%.*s`", RH_SLICE_FORMAT(word));
    }
}

// A statement is expected, and no name stands there.
void rh__parser_fail_line(rh_parser *p)
{
    const rh_token token = rh__parser_peek(p);
    const bool is_operand = token.kind == RH_TOKEN_NUMBER || token.kind == RH_TOKEN_STRING ||
                            token.kind == RH_TOKEN_OPEN_ROUND || token.kind == RH_TOKEN_OPEN_SQUARE;
    if (is_operand) {
        rh__parser_fail(p, RH_DIAGNOSTIC_E017, token.span,
                        token.kind == RH_TOKEN_STRING ? "model \"...\""
                                                      : "a word such as `param`, `coord`, `let`",
                        "a statement begins with its word, found %s", rh__parser_show(p, token));
    } else {
        const char *spelling = rh__token_spelling((rh_token_kind)token.kind);
        rh__parser_fail(p, RH_DIAGNOSTIC_E018, token.span,
                        rh__text_print(p->scratch, "`%s` at the end of the line before", spelling),
                        "a line cannot begin with `%s`", spelling);
    }
}
