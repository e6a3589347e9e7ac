// SPDX-License-Identifier: Apache-2.0
// Primaries: the tightest binding parts of an expression - literals, names, calls, brackets,
// vectors, sums over an index, choices - and the primes and members behind them.

#include "syntax/parser.h"

// NUMBER; a flawed literal stands in for a proper one, its value no longer matters
static rh_ast number(rh_parser *p)
{
    const rh_token token = rh__parser_peek(p);
    const rh_ast node = rh__parser_begin(p, RH_AST_NUMBER);
    const bool is_flawed = (token.flags & RH_TOKEN_FLAWED) != 0;
    rh__parser_set_text(p, node, is_flawed ? rh__slice_of("1") : rh__parser_text(p, token));
    rh__parser_advance(p);
    return rh__parser_close(p, node);
}

static void fail_empty(rh_parser *p, rh_token open, const char *repair)
{
    const rh_span span = rh__span_join(open.span, rh__parser_peek(p).span);
    rh__parser_fail(p, RH_DIAGNOSTIC_E035, span, repair, "nothing stands between these brackets");
}

// bracketed = "(" expression ")"
static rh_ast bracketed(rh_parser *p)
{
    const rh_token open = rh__parser_peek(p);
    const bool is_condition = p->is_condition;
    const rh_parser_scope scope = rh__parser_scope_begin(p);
    p->is_condition = is_condition;
    rh__parser_advance(p);
    if (rh__parser_at(p, RH_TOKEN_CLOSE_ROUND)) {
        fail_empty(p, open, "(EXPRESSION)");
    }
    const rh_ast inner = rh__parser_expression(p);
    if (rh__parser_at(p, RH_TOKEN_COMMA)) {
        rh__parser_fail(p, RH_DIAGNOSTIC_E019, rh__parser_peek(p).span, "[x, y]",
                        "expected `)`, found `,`; a vector is written with square brackets");
    }
    (void)rh__parser_expect(p, RH_TOKEN_CLOSE_ROUND, "to close the bracket");
    rh__parser_scope_end(p, scope);
    return inner;
}

// items = expression { "," expression }
static void items(rh_parser *p, rh_ast node)
{
    do {
        rh__parser_append(p, node, rh__parser_expression(p));
    } while (rh__parser_accept(p, RH_TOKEN_COMMA));
}

// vector = "[" items "]"
static rh_ast vector(rh_parser *p)
{
    const rh_token open = rh__parser_peek(p);
    const rh_parser_scope scope = rh__parser_scope_begin(p);
    const rh_ast node = rh__parser_begin(p, RH_AST_VECTOR);
    rh__parser_advance(p);
    if (rh__parser_at(p, RH_TOKEN_CLOSE_SQUARE)) {
        fail_empty(p, open, "[x, y]");
    }
    items(p, node);
    (void)rh__parser_expect(p, RH_TOKEN_CLOSE_SQUARE, "or `,` in the vector");
    rh__parser_scope_end(p, scope);
    return rh__parser_close(p, node);
}

// call = NAME "(" items ")"
static rh_ast call(rh_parser *p)
{
    const rh_ast node = rh__parser_begin(p, RH_AST_CALL);
    const rh_slice text = rh__parser_text(p, rh__parser_peek(p));
    rh__parser_set_text(p, node, text);
    rh__parser_advance(p);
    const rh_parser_scope scope = rh__parser_scope_begin(p);
    const rh_token open = rh__parser_peek(p);
    rh__parser_advance(p);
    if (rh__parser_at(p, RH_TOKEN_CLOSE_ROUND)) {
        fail_empty(p, open, rh__text_print(p->scratch, "%.*s(EXPRESSION)", RH_SLICE_FORMAT(text)));
    }
    items(p, node);
    (void)rh__parser_expect(p, RH_TOKEN_CLOSE_ROUND, "or `,` in the call");
    rh__parser_scope_end(p, scope);
    return rh__parser_close(p, node);
}

static const char IF_FORM[] = "if(CONDITION, VALUE, OTHER)";
static const char SUM_FORM[] = "sum(i in 1..N: EXPRESSION)";

static void expect_if_comma(rh_parser *p, const char *what)
{
    if (!rh__parser_at(p, RH_TOKEN_CLOSE_ROUND)) {
        (void)rh__parser_expect(p, RH_TOKEN_COMMA, what);
    } else {
        rh__parser_fail(p, RH_DIAGNOSTIC_E031, rh__parser_gap(p), IF_FORM,
                        "expected `,` %s, found `)`; `if` takes three arguments", what);
    }
}

// conditional = "if" "(" condition "," expression "," expression ")"
static rh_ast conditional(rh_parser *p)
{
    const rh_ast node = rh__parser_begin(p, RH_AST_CALL);
    rh__parser_set_text(p, node, rh__slice_of("if"));
    rh__parser_advance(p);
    const rh_parser_scope scope = rh__parser_scope_begin(p);
    if (!rh__parser_accept(p, RH_TOKEN_OPEN_ROUND)) {
        rh__parser_fail(p, RH_DIAGNOSTIC_E031, rh__parser_gap(p), IF_FORM,
                        "expected `(` after `if`, found %s",
                        rh__parser_show(p, rh__parser_peek(p)));
    }
    rh__parser_append(p, node, rh__parser_condition(p));
    expect_if_comma(p, "and the value when the condition holds");
    rh__parser_append(p, node, rh__parser_expression(p));
    expect_if_comma(p, "and the value when it does not hold");
    rh__parser_append(p, node, rh__parser_expression(p));
    if (rh__parser_at(p, RH_TOKEN_COMMA)) {
        rh__parser_fail(p, RH_DIAGNOSTIC_E031, rh__parser_peek(p).span, IF_FORM,
                        "expected `)`, found `,`; `if` takes three arguments");
    }
    (void)rh__parser_expect(p, RH_TOKEN_CLOSE_ROUND, "to close the `if`");
    rh__parser_scope_end(p, scope);
    return rh__parser_close(p, node);
}

static void fail_sum(rh_parser *p, const char *expected)
{
    rh__parser_fail(p, RH_DIAGNOSTIC_E032, rh__parser_gap(p), SUM_FORM, "expected %s, found %s",
                    expected, rh__parser_show(p, rh__parser_peek(p)));
}

// summation = "sum" "(" NAME "in" range ":" expression ")"
static rh_ast summation(rh_parser *p)
{
    const rh_ast node = rh__parser_begin(p, RH_AST_SUM);
    rh__parser_advance(p);
    const rh_parser_scope scope = rh__parser_scope_begin(p);
    if (!rh__parser_accept(p, RH_TOKEN_OPEN_ROUND)) {
        fail_sum(p, "`(` after `sum`");
    }
    if (!rh__parser_at(p, RH_TOKEN_NAME)) {
        fail_sum(p, "the name of the index");
    }
    rh__parser_append(p, node, rh__parser_declared_name(p, "an index"));
    if (!rh__parser_accept_word(p, "in")) {
        fail_sum(p, "`in` after the index");
    }
    rh__parser_append(p, node, rh__parser_range(p));
    if (!rh__parser_accept(p, RH_TOKEN_COLON)) {
        fail_sum(p, "`:` after the range");
    }
    rh__parser_append(p, node, rh__parser_expression(p));
    (void)rh__parser_expect(p, RH_TOKEN_CLOSE_ROUND, "to close the `sum`");
    rh__parser_scope_end(p, scope);
    return rh__parser_close(p, node);
}

// `sin x`, `sin`
static void fail_function(rh_parser *p, rh_token token)
{
    const rh_slice word = rh__token_text(p->lexer, token);
    const rh_token next = rh__parser_peek_second(p);
    const bool has_argument = next.kind == RH_TOKEN_NAME || next.kind == RH_TOKEN_NUMBER;
    const rh_slice argument =
        has_argument ? rh__token_text(p->lexer, next) : rh__slice_of("EXPRESSION");
    if (next.kind == RH_TOKEN_BAD) {
        p->is_panicking = true; // the bracket is there, but has no partner
        return;
    }
    rh__parser_fail(
        p, RH_DIAGNOSTIC_E025, token.span,
        rh__text_print(p->scratch, "%.*s(%.*s)", RH_SLICE_FORMAT(word), RH_SLICE_FORMAT(argument)),
        "the function `%.*s` needs its argument in brackets", RH_SLICE_FORMAT(word));
}

// `by`, `const` and the like inside an expression
static void fail_reserved(rh_parser *p, rh_token token)
{
    static const char *const NEVER_OPERANDS[] = {"const", "in", "friction", "dev", NULL};
    const rh_slice word = rh__token_text(p->lexer, token);
    if (!rh__word_is_one_of(word, NEVER_OPERANDS)) {
        rh__parser_fail_here(p, RH_DIAGNOSTIC_E020, "an expression");
        return;
    }
    const bool is_deviation = rh__slice_is(word, "dev");
    rh__parser_fail(p, RH_DIAGNOSTIC_E041, token.span,
                    is_deviation ? "the name of the constraint alone" : "another name",
                    "expected an expression, found the reserved word `%.*s`",
                    RH_SLICE_FORMAT(word));
}

// named = conditional | summation | multiplier | call | NAME [ indices ]
static rh_ast named(rh_parser *p)
{
    const rh_token token = rh__parser_peek(p);
    const rh_slice word = rh__token_text(p->lexer, token);
    const bool is_call = rh__parser_peek_second(p).kind == RH_TOKEN_OPEN_ROUND;
    if (rh__slice_is(word, "if")) {
        return conditional(p);
    }
    if (rh__slice_is(word, "sum")) {
        return summation(p);
    }
    if (rh__slice_is(word, "lambda")) {
        return rh__parser_multiplier(p);
    }
    if (rh__word_is_function(word) && !is_call) {
        fail_function(p, token);
        return (rh_ast){0};
    }
    const bool is_value = rh__slice_is(word, "t") || rh__slice_is(word, "pi");
    if (rh__word_is_reserved(word) && !rh__word_is_function(word) && !is_value) {
        fail_reserved(p, token);
        return (rh_ast){0};
    }
    return is_call ? call(p) : rh__parser_target(p);
}

// primary = NUMBER | named | bracketed | vector
static rh_ast primary(rh_parser *p)
{
    const rh_token token = rh__parser_peek(p);
    switch ((rh_token_kind)token.kind) {
    case RH_TOKEN_NUMBER:
        return number(p);
    case RH_TOKEN_NAME:
        return named(p);
    case RH_TOKEN_OPEN_ROUND:
        return bracketed(p);
    case RH_TOKEN_OPEN_SQUARE:
        return vector(p);
    case RH_TOKEN_PRIME:
        rh__parser_fail(p, RH_DIAGNOSTIC_E038, token.span, "x'",
                        "expected an expression before the prime");
        return (rh_ast){0};
    default:
        rh__parser_fail_here(p, RH_DIAGNOSTIC_E020, "an expression");
        return (rh_ast){0};
    }
}

// `1.N`: a range with one point, or a number with half a fraction.
static void fail_point_of_number(rh_parser *p)
{
    const rh_token token = rh__parser_peek(p);
    const rh_slice left = rh__token_text(p->lexer, rh__parser_last(p));
    const rh_slice right = rh__token_text(p->lexer, rh__parser_peek_second(p));
    if (p->expects_range) {
        rh__parser_fail(
            p, RH_DIAGNOSTIC_E014, token.span,
            rh__text_print(p->scratch, "%.*s..%.*s", RH_SLICE_FORMAT(left), RH_SLICE_FORMAT(right)),
            "a range has two points, not one");
    } else {
        rh__parser_fail(p, RH_DIAGNOSTIC_E005, token.span,
                        rh__text_print(p->scratch, "%.*s.0*%.*s", RH_SLICE_FORMAT(left),
                                       RH_SLICE_FORMAT(right)),
                        "the point of a number needs a digit on both sides");
    }
}

// member = "." ( "x" | "y" | "z" )
static rh_ast member(rh_parser *p, rh_ast inner, uint32_t offset)
{
    const rh_token point = rh__parser_peek(p);
    const rh_token token = rh__parser_peek_second(p);
    static const char *const MEMBERS[] = {"x", "y", "z", NULL};
    const rh_slice word = rh__token_text(p->lexer, token);
    if (token.kind != RH_TOKEN_NAME || !rh__word_is_one_of(word, MEMBERS)) {
        if (p->expects_range && !p->is_panicking) {
            rh__parser_fail(p, RH_DIAGNOSTIC_E014, point.span, "..",
                            "a range has two points, not one");
        }
        rh__parser_fail(p, RH_DIAGNOSTIC_E036, token.span, "x, y or z",
                        "expected `x`, `y` or `z` after the point, found %s",
                        rh__parser_show(p, token));
        return (rh_ast){0};
    }
    rh__parser_advance(p);
    rh__parser_advance(p);
    const rh_ast node = rh__parser_begin_at(p, RH_AST_MEMBER, offset);
    rh__parser_set_text(p, node, word);
    rh__parser_append(p, node, inner);
    return rh__parser_close(p, node);
}

static rh_ast primed(rh_parser *p, rh_ast inner, uint32_t offset)
{
    if (rh__parser_last(p).kind == RH_TOKEN_NUMBER) {
        rh__parser_fail(
            p, RH_DIAGNOSTIC_E038, rh__parser_peek(p).span, "(EXPRESSION)'",
            "a prime follows a name, an index, a call or a closing bracket, not a number");
    }
    const unsigned count = rh__parser_primes(p);
    const rh_ast node = rh__parser_begin_at(p, RH_AST_PRIME, offset);
    rh__parser_set_number(p, node, count);
    rh__parser_append(p, node, inner);
    return rh__parser_close(p, node);
}

// `v'[2]`, `f(u)[1]`, `(a)[1]`
static void fail_index(rh_parser *p, rh_ast inner)
{
    const rh_ast_kind kind = rh__parser_kind(p, inner);
    const rh_token token = rh__parser_peek(p);
    if (kind == RH_AST_PRIME) {
        rh__parser_fail(p, RH_DIAGNOSTIC_E039, token.span, "v[2]'",
                        "an index stands directly after the name, before the primes");
    } else {
        rh__parser_fail(p, RH_DIAGNOSTIC_E039, token.span, "let v = ..., then v[2]",
                        "only a name takes an index; for a product write `*`");
    }
}

static bool is_postfix(const rh_parser *p)
{
    return rh__parser_at(p, RH_TOKEN_PRIME) || rh__parser_at(p, RH_TOKEN_POINT) ||
           rh__parser_at(p, RH_TOKEN_OPEN_SQUARE);
}

// postfix = primary { primes | member }
rh_ast rh__parser_postfix(rh_parser *p)
{
    const uint32_t offset = rh__parser_offset(p);
    rh_ast node = primary(p);
    uint32_t wraps = 0;
    while (is_postfix(p) && !p->is_panicking) {
        const rh_ast_kind kind = rh__parser_kind(p, node);
        const bool is_literal = rh__parser_last(p).kind == RH_TOKEN_NUMBER;
        if (kind == RH_AST_COMPARE || kind == RH_AST_AND || kind == RH_AST_OR ||
            kind == RH_AST_NOT) {
            rh__parser_fail(p, RH_DIAGNOSTIC_E030, rh__parser_peek(p).span, "if(CONDITION, 1, 0)",
                            "a condition has neither derivative nor members");
        } else if (rh__parser_at(p, RH_TOKEN_OPEN_SQUARE) && is_literal) {
            break; // a missing operator
        } else if (rh__parser_at(p, RH_TOKEN_OPEN_SQUARE)) {
            fail_index(p, node);
        } else if (rh__parser_at(p, RH_TOKEN_POINT) && is_literal) {
            fail_point_of_number(p);
        } else {
            // each wraps the one before: as deep as nested brackets
            wraps++;
            (void)rh__parser_enter(p);
            node = rh__parser_at(p, RH_TOKEN_PRIME) ? primed(p, node, offset)
                                                    : member(p, node, offset);
        }
    }
    for (; wraps > 0; wraps--) {
        rh__parser_leave(p);
    }
    return node;
}
