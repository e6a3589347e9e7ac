// SPDX-License-Identifier: Apache-2.0
// Names in their roles: declared, indexed, as target of a force, as place of a start value, as
// multiplier; and the ranges that declare arrays and drive loops.

#include "syntax/parser.h"

// NAME as written, whatever it means
rh_ast rh__parser_name(rh_parser *p)
{
    const rh_token token = rh__parser_peek(p);
    if (token.kind != RH_TOKEN_NAME) {
        rh__parser_fail_here(p, RH_DIAGNOSTIC_E042, "a name");
        return (rh_ast){0};
    }
    const rh_ast node = rh__parser_begin(p, RH_AST_NAME);
    rh__parser_set_text(p, node, rh__parser_text(p, token));
    rh__parser_advance(p);
    return rh__parser_close(p, node);
}

// `9,81`: digits on both sides of a comma without a blank.
static bool follows_decimal_comma(const rh_parser *p)
{
    return p->at >= 2 && p->tokens[p->at - 1].kind == RH_TOKEN_COMMA &&
           p->tokens[p->at - 2].kind == RH_TOKEN_NUMBER &&
           (p->tokens[p->at - 1].flags & p->tokens[p->at].flags & RH_TOKEN_GLUED) != 0;
}

// The name at the cursor is about to be declared as `what`.
static void check_declared(rh_parser *p, const char *what)
{
    const rh_token token = rh__parser_peek(p);
    if (token.kind == RH_TOKEN_NUMBER && rh__parser_peek_second(p).kind == RH_TOKEN_NAME) {
        const rh_slice digits = rh__token_text(p->lexer, token);
        const rh_slice rest = rh__token_text(p->lexer, rh__parser_peek_second(p));
        rh__parser_fail(
            p, RH_DIAGNOSTIC_E042, token.span,
            rh__text_print(p->scratch, "%.*s%.*s", RH_SLICE_FORMAT(rest), RH_SLICE_FORMAT(digits)),
            "the name of %s begins with a letter, not with a digit", what);
        return;
    }
    if (token.kind == RH_TOKEN_NUMBER && follows_decimal_comma(p)) {
        const rh_slice whole = rh__token_text(p->lexer, p->tokens[p->at - 2]);
        const rh_slice rest = rh__token_text(p->lexer, token);
        rh__parser_fail(
            p, RH_DIAGNOSTIC_E042, token.span,
            rh__text_print(p->scratch, "%.*s.%.*s", RH_SLICE_FORMAT(whole), RH_SLICE_FORMAT(rest)),
            "expected a name for %s, found %s; a number has a point, not a comma", what,
            rh__parser_show(p, token));
        return;
    }
    if (token.kind != RH_TOKEN_NAME) {
        const char *expected = rh__text_print(p->scratch, "a name for %s", what);
        rh__parser_fail_here(p, RH_DIAGNOSTIC_E042, expected);
        return;
    }
    const rh_slice word = rh__token_text(p->lexer, token);
    if (rh__word_is_reserved(word)) {
        rh__parser_report(p, RH_DIAGNOSTIC_E040, token.span,
                          rh__text_print(p->scratch, "%.*s_", RH_SLICE_FORMAT(word)),
                          "`%.*s` is a reserved word and cannot name %s", RH_SLICE_FORMAT(word),
                          what);
    }
}

// NAME that is declared here
rh_ast rh__parser_declared_name(rh_parser *p, const char *what)
{
    check_declared(p, what);
    return rh__parser_name(p);
}

static void warn_space(rh_parser *p, rh_ast name)
{
    const rh_token open = rh__parser_peek(p);
    if ((open.flags & RH_TOKEN_GLUED) == 0) {
        const rh_slice text = p->tree->nodes.data[name.i].text;
        rh__parser_report(p, RH_DIAGNOSTIC_W001, open.span,
                          rh__text_print(p->scratch, "%.*s[...], or %.*s*[...] for a product",
                                         RH_SLICE_FORMAT(text), RH_SLICE_FORMAT(text)),
                          "a blank stands between a name and what is read as its index");
    }
}

static void fail_range_as_index(rh_parser *p)
{
    rh__parser_fail(p, RH_DIAGNOSTIC_E061, rh__parser_peek(p).span, "for i in 1..N: ... NAME[i]",
                    "an index is one number, found a range");
}

// indices = "[" expression { "," expression } "]"
rh_ast rh__parser_indexed(rh_parser *p, rh_ast name, uint32_t offset)
{
    if (!rh__parser_at(p, RH_TOKEN_OPEN_SQUARE)) {
        return name;
    }
    warn_space(p, name);
    const rh_token open = rh__parser_peek(p);
    const rh_ast node = rh__parser_begin_at(p, RH_AST_INDEX, offset);
    rh__parser_append(p, node, name);
    const rh_parser_scope scope = rh__parser_scope_begin(p);
    rh__parser_advance(p);
    if (rh__parser_at(p, RH_TOKEN_CLOSE_SQUARE)) {
        rh__parser_fail(p, RH_DIAGNOSTIC_E035, rh__span_join(open.span, rh__parser_peek(p).span),
                        "[1]", "nothing stands between these brackets");
    }
    do {
        rh__parser_append(p, node, rh__parser_expression(p));
    } while (rh__parser_accept(p, RH_TOKEN_COMMA));
    if (rh__parser_at(p, RH_TOKEN_RANGE)) {
        fail_range_as_index(p);
    }
    (void)rh__parser_expect(p, RH_TOKEN_CLOSE_SQUARE, "or `,` after the index");
    rh__parser_scope_end(p, scope);
    return rh__parser_close(p, node);
}

// target = NAME [ indices ]
rh_ast rh__parser_target(rh_parser *p)
{
    const uint32_t offset = rh__parser_offset(p);
    const rh_ast name = rh__parser_name(p);
    return rh__parser_indexed(p, name, offset);
}

// cname = NAME [ indices ], declared here
rh_ast rh__parser_cname(rh_parser *p, const char *what)
{
    check_declared(p, what);
    return rh__parser_target(p);
}

// multiplier = "lambda" "." NAME [ indices ]
rh_ast rh__parser_multiplier(rh_parser *p)
{
    const rh_ast node = rh__parser_begin(p, RH_AST_MULTIPLIER);
    rh__parser_advance(p);
    if (!rh__parser_accept(p, RH_TOKEN_POINT)) {
        rh__parser_fail(p, RH_DIAGNOSTIC_E041, rh__parser_last(p).span,
                        "lambda.NAME, or lambda_ for a quantity of your own",
                        "`lambda` is reserved for multipliers and needs the name of a constraint");
    }
    rh__parser_append(p, node, rh__parser_target(p));
    return rh__parser_close(p, node);
}

// primes = "'" { "'" }
unsigned rh__parser_primes(rh_parser *p)
{
    const rh_token first = rh__parser_peek(p);
    rh_token last = first;
    unsigned count = 0;
    while (rh__parser_at(p, RH_TOKEN_PRIME)) {
        last = rh__parser_peek(p);
        rh__parser_advance(p);
        count += count <= RH_SYNTAX_PRIMES;
    }
    if (count > RH_SYNTAX_PRIMES) {
        rh__parser_fail(p, RH_DIAGNOSTIC_E037, rh__span_join(first.span, last.span),
                        "fewer primes; a coordinate takes two, a state one",
                        "there are more than %d primes", RH_SYNTAX_PRIMES);
    }
    return count;
}

// place = NAME [ indices ] { "'" } | multiplier
rh_ast rh__parser_place(rh_parser *p)
{
    if (rh__parser_at_word(p, "lambda")) {
        return rh__parser_multiplier(p);
    }
    const uint32_t offset = rh__parser_offset(p);
    const rh_ast target = rh__parser_target(p);
    if (!rh__parser_at(p, RH_TOKEN_PRIME)) {
        return target;
    }
    const unsigned count = rh__parser_primes(p);
    const rh_ast node = rh__parser_begin_at(p, RH_AST_PRIME, offset);
    rh__parser_set_number(p, node, count);
    rh__parser_append(p, node, target);
    return rh__parser_close(p, node);
}

static void fail_range(rh_parser *p, rh_ast first)
{
    const rh_span span = p->tree->nodes.data[first.i].span;
    const rh_slice text = rh__token_text(p->lexer, (rh_token){.span = span});
    const bool is_short = first.i != 0 && text.size <= 40;
    rh__parser_fail(
        p, RH_DIAGNOSTIC_E034, rh__parser_gap(p),
        is_short ? rh__text_print(p->scratch, "1..%.*s", RH_SLICE_FORMAT(text)) : "FIRST..LAST",
        "expected `..` and the end of the range, found %s", rh__parser_show(p, rh__parser_peek(p)));
}

// range = expression ".." expression
rh_ast rh__parser_range(rh_parser *p)
{
    const rh_ast node = rh__parser_begin(p, RH_AST_RANGE);
    p->expects_range = true;
    const rh_ast first = rh__parser_expression(p);
    p->expects_range = false;
    if (!p->is_panicking && !rh__parser_accept(p, RH_TOKEN_RANGE)) {
        fail_range(p, first);
    }
    rh__parser_append(p, node, first);
    rh__parser_append(p, node, rh__parser_expression(p));
    return rh__parser_close(p, node);
}

// declare = NAME [ "[" range { "," range } "]" ]
rh_ast rh__parser_declare(rh_parser *p, const char *what)
{
    check_declared(p, what);
    const rh_ast node = rh__parser_begin(p, RH_AST_DECLARE);
    rh__parser_set_text(p, node, rh__parser_text(p, rh__parser_peek(p)));
    rh__parser_advance(p);
    if (rh__parser_at(p, RH_TOKEN_OPEN_SQUARE)) {
        const rh_token open = rh__parser_peek(p);
        warn_space(p, node);
        const rh_parser_scope scope = rh__parser_scope_begin(p);
        rh__parser_advance(p);
        if (rh__parser_at(p, RH_TOKEN_CLOSE_SQUARE)) {
            rh__parser_fail(p, RH_DIAGNOSTIC_E035,
                            rh__span_join(open.span, rh__parser_peek(p).span), "[1..N]",
                            "nothing stands between these brackets");
        }
        do {
            rh__parser_append(p, node, rh__parser_range(p));
        } while (rh__parser_accept(p, RH_TOKEN_COMMA));
        (void)rh__parser_expect(p, RH_TOKEN_CLOSE_SQUARE, "or `,` after the range");
        rh__parser_scope_end(p, scope);
    }
    return rh__parser_close(p, node);
}
