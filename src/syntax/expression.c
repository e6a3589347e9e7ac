// SPDX-License-Identifier: Apache-2.0
// Expressions from the loosest binding to powers. Sums and products of any length are one node made
// by a loop; what does recurse (brackets, signs, powers, `not`) is counted by rh__parser_enter.

#include "syntax/parser.h"

static rh_ast sum(rh_parser *p);

static bool is_logical(const rh_parser *p, rh_ast node)
{
    const rh_ast_kind kind = rh__parser_kind(p, node);
    return kind == RH_AST_COMPARE || kind == RH_AST_AND || kind == RH_AST_OR || kind == RH_AST_NOT;
}

static rh_span span_of(const rh_parser *p, rh_ast node)
{
    return p->tree->nodes.data[node.i].span;
}

// Hands the operand on when it has a number as value.
static rh_ast number_operand(rh_parser *p, rh_ast node)
{
    if (is_logical(p, node)) {
        rh__parser_fail(p, RH_DIAGNOSTIC_E030, span_of(p, node), "if(CONDITION, 1, 0)",
                        "a condition has no number as value and cannot be reckoned with");
    }
    return node;
}

// Hands the operand on when it is true or false.
static rh_ast logical_operand(rh_parser *p, rh_ast node)
{
    if (node.i != 0 && !is_logical(p, node)) {
        rh__parser_fail(p, RH_DIAGNOSTIC_E030, span_of(p, node), "a comparison such as x > 0",
                        "expected a comparison, found a number");
    }
    return node;
}

static const char *const STOPPERS[] = {"by",  "with",  "impact", "while", "in",   "and", "or",
                                       "not", "const", "else",   "elif",  "then", NULL};

// Does an operand begin here, though an operator should?
static bool begins_operand(const rh_parser *p)
{
    const rh_token token = rh__parser_peek(p);
    if (token.kind == RH_TOKEN_NAME) {
        const rh_slice word = rh__token_text(p->lexer, token);
        const bool may_follow = p->followers != NULL && rh__word_is_one_of(word, p->followers);
        return !may_follow && !rh__word_is_one_of(word, STOPPERS);
    }
    return token.kind == RH_TOKEN_NUMBER || token.kind == RH_TOKEN_OPEN_ROUND ||
           token.kind == RH_TOKEN_OPEN_SQUARE;
}

// `param a = 1 b = 2`: the next setting of a list.
static bool begins_setting(const rh_parser *p)
{
    if (!p->has_commas || p->is_bracketed || !rh__parser_at(p, RH_TOKEN_NAME)) {
        return false;
    }
    uint32_t after = p->at + 1;
    while (p->tokens[after].kind == RH_TOKEN_PRIME) {
        after++;
    }
    return p->tokens[after].kind == RH_TOKEN_EQUAL;
}

// `kinetic a potential b`
static bool begins_statement(const rh_parser *p, rh_token token)
{
    const rh_token_kind next = (rh_token_kind)rh__parser_peek_second(p).kind;
    return !p->is_bracketed && token.kind == RH_TOKEN_NAME &&
           rh__word_is_statement(rh__token_text(p->lexer, token)) &&
           (next == RH_TOKEN_NAME || next == RH_TOKEN_NUMBER || next == RH_TOKEN_STRING);
}

// Two operands without an operator between: reported once a statement, then read as a product.
static void report_product(rh_parser *p)
{
    const rh_token last = rh__parser_last(p);
    const rh_token next = rh__parser_peek(p);
    const rh_slice left = rh__token_text(p->lexer, last);
    const rh_slice right = rh__token_text(p->lexer, next);
    if (begins_statement(p, next)) {
        rh__parser_fail(
            p, RH_DIAGNOSTIC_E062, next.span,
            rh__text_print(p->scratch, "a new line before `%.*s`", RH_SLICE_FORMAT(right)),
            "a second statement begins on the line, at `%.*s`", RH_SLICE_FORMAT(right));
        return;
    }
    const bool is_known = ((last.flags | next.flags) & RH_TOKEN_FLAWED) != 0;
    if (p->has_product_report || is_known) {
        return;
    }
    if (begins_setting(p)) {
        rh__parser_fail(p, RH_DIAGNOSTIC_E060, rh__parser_gap(p),
                        rh__text_print(p->scratch, ", %.*s", RH_SLICE_FORMAT(right)),
                        "expected `,` before the next setting, found %s", rh__parser_show(p, next));
        return;
    }
    p->has_product_report = true;
    if (next.kind == RH_TOKEN_NAME) {
        rh__parser_lose(p, next); // perhaps a unit, perhaps half a name
    }
    rh__parser_report(
        p, RH_DIAGNOSTIC_E024, rh__parser_gap(p),
        rh__text_print(p->scratch, "%.*s*%.*s", RH_SLICE_FORMAT(left), RH_SLICE_FORMAT(right)),
        "expected an operator, found %s", rh__parser_show(p, next));
}

static rh_ast signed_power(rh_parser *p);

// power = postfix [ "^" signed_power ]
static rh_ast power(rh_parser *p)
{
    const uint32_t offset = rh__parser_offset(p);
    const rh_ast base = rh__parser_postfix(p);
    if (!rh__parser_accept(p, RH_TOKEN_CARET)) {
        return base;
    }
    const rh_ast node = rh__parser_begin_at(p, RH_AST_POWER, offset);
    rh__parser_append(p, node, number_operand(p, base));
    rh__parser_append(p, node, number_operand(p, signed_power(p)));
    return rh__parser_close(p, node);
}

// signed_power = "-" signed_power | "+" signed_power | power
static rh_ast signed_power(rh_parser *p)
{
    rh_ast result = {0};
    if (rh__parser_enter(p)) {
        if (rh__parser_accept(p, RH_TOKEN_PLUS)) {
            result = number_operand(p, signed_power(p));
        } else if (rh__parser_at(p, RH_TOKEN_MINUS)) {
            result = rh__parser_begin(p, RH_AST_NEGATE);
            rh__parser_advance(p);
            rh__parser_append(p, result, number_operand(p, signed_power(p)));
            result = rh__parser_close(p, result);
        } else {
            result = power(p);
        }
    }
    rh__parser_leave(p);
    return result;
}

// unary = "-" unary | "+" unary | power
static rh_ast unary(rh_parser *p)
{
    if (!rh__parser_at(p, RH_TOKEN_MINUS) && !rh__parser_at(p, RH_TOKEN_PLUS)) {
        return power(p);
    }
    rh_ast result = {0};
    if (rh__parser_enter(p)) {
        if (rh__parser_accept(p, RH_TOKEN_PLUS)) {
            result = number_operand(p, unary(p));
        } else {
            result = rh__parser_begin(p, RH_AST_NEGATE);
            rh__parser_advance(p);
            rh__parser_append(p, result, number_operand(p, unary(p)));
            result = rh__parser_close(p, result);
        }
    }
    rh__parser_leave(p);
    return result;
}

// One factor behind the operator at the cursor (or behind a missing one).
static rh_ast factor(rh_parser *p)
{
    if (!rh__parser_at(p, RH_TOKEN_SLASH)) {
        if (!rh__parser_accept(p, RH_TOKEN_STAR)) {
            report_product(p);
        }
        return number_operand(p, unary(p));
    }
    const rh_ast invert = rh__parser_begin(p, RH_AST_INVERT);
    rh__parser_advance(p);
    rh__parser_append(p, invert, number_operand(p, unary(p)));
    return rh__parser_close(p, invert);
}

static bool goes_on_as_product(const rh_parser *p)
{
    return rh__parser_at(p, RH_TOKEN_STAR) || rh__parser_at(p, RH_TOKEN_SLASH) || begins_operand(p);
}

// term = unary { ( "*" | "/" ) unary }
static rh_ast term(rh_parser *p)
{
    const uint32_t offset = rh__parser_offset(p);
    const rh_ast first = unary(p);
    if (!goes_on_as_product(p)) {
        return first;
    }
    const rh_ast node = rh__parser_begin_at(p, RH_AST_MULTIPLY, offset);
    rh__parser_append(p, node, number_operand(p, first));
    while (goes_on_as_product(p)) {
        rh__parser_append(p, node, factor(p));
    }
    return rh__parser_close(p, node);
}

static bool goes_on_as_sum(const rh_parser *p)
{
    return rh__parser_at(p, RH_TOKEN_PLUS) || rh__parser_at(p, RH_TOKEN_MINUS);
}

// One summand behind the sign at the cursor.
static rh_ast summand(rh_parser *p)
{
    if (rh__parser_accept(p, RH_TOKEN_PLUS)) {
        return number_operand(p, term(p));
    }
    const rh_ast negate = rh__parser_begin(p, RH_AST_NEGATE);
    rh__parser_advance(p);
    rh__parser_append(p, negate, number_operand(p, term(p)));
    return rh__parser_close(p, negate);
}

// sum = term { ( "+" | "-" ) term }
static rh_ast sum(rh_parser *p)
{
    const uint32_t offset = rh__parser_offset(p);
    const rh_ast first = term(p);
    if (!goes_on_as_sum(p)) {
        return first;
    }
    const rh_ast node = rh__parser_begin_at(p, RH_AST_ADD, offset);
    rh__parser_append(p, node, number_operand(p, first));
    while (goes_on_as_sum(p)) {
        rh__parser_append(p, node, summand(p));
    }
    return rh__parser_close(p, node);
}

static bool find_relation(rh_token_kind kind, rh_relation *out)
{
    switch (kind) {
    case RH_TOKEN_EQUAL:
    case RH_TOKEN_SAME:
        *out = RH_RELATION_EQUAL;
        return true;
    case RH_TOKEN_UNEQUAL:
        *out = RH_RELATION_UNEQUAL;
        return true;
    case RH_TOKEN_LESS:
        *out = RH_RELATION_LESS;
        return true;
    case RH_TOKEN_LESS_EQUAL:
        *out = RH_RELATION_LESS_EQUAL;
        return true;
    case RH_TOKEN_GREATER:
        *out = RH_RELATION_GREATER;
        return true;
    case RH_TOKEN_GREATER_EQUAL:
        *out = RH_RELATION_GREATER_EQUAL;
        return true;
    default:
        return false;
    }
}

// comparison = sum [ ( "<" | "<=" | ">" | ">=" | "==" | "!=" ) sum ]
static rh_ast comparison(rh_parser *p)
{
    const uint32_t offset = rh__parser_offset(p);
    const rh_ast left = sum(p);
    const rh_token token = rh__parser_peek(p);
    rh_relation relation;
    if (!find_relation((rh_token_kind)token.kind, &relation)) {
        return left;
    }
    if (token.kind == RH_TOKEN_EQUAL) {
        rh__parser_report(p, RH_DIAGNOSTIC_E026, token.span,
                          "==", "found `=` in a condition, expected `==`");
    }
    rh__parser_advance(p);
    const rh_ast node = rh__parser_begin_at(p, RH_AST_COMPARE, offset);
    rh__parser_set_number(p, node, relation);
    rh__parser_append(p, node, number_operand(p, left));
    rh__parser_append(p, node, number_operand(p, sum(p)));
    const rh_token second = rh__parser_peek(p);
    if (find_relation((rh_token_kind)second.kind, &relation)) {
        rh__parser_fail(p, RH_DIAGNOSTIC_E029, second.span, "a < b and b < c",
                        "a second comparison follows the first, expected `and` between two");
    }
    return rh__parser_close(p, node);
}

// negation = "not" negation | comparison
static rh_ast negation(rh_parser *p)
{
    if (!rh__parser_at_word(p, "not")) {
        return comparison(p);
    }
    rh_ast node = {0};
    if (rh__parser_enter(p)) {
        node = rh__parser_begin(p, RH_AST_NOT);
        rh__parser_advance(p);
        rh__parser_append(p, node, logical_operand(p, negation(p)));
        node = rh__parser_close(p, node);
    }
    rh__parser_leave(p);
    return node;
}

// conjunction = negation { "and" negation }
static rh_ast conjunction(rh_parser *p)
{
    const uint32_t offset = rh__parser_offset(p);
    const rh_ast first = negation(p);
    if (!rh__parser_at_word(p, "and")) {
        return first;
    }
    const rh_ast node = rh__parser_begin_at(p, RH_AST_AND, offset);
    rh__parser_append(p, node, logical_operand(p, first));
    while (rh__parser_accept_word(p, "and")) {
        rh__parser_append(p, node, logical_operand(p, negation(p)));
    }
    return rh__parser_close(p, node);
}

// disjunction = conjunction { "or" conjunction }
static rh_ast disjunction(rh_parser *p)
{
    const uint32_t offset = rh__parser_offset(p);
    const rh_ast first = conjunction(p);
    if (!rh__parser_at_word(p, "or")) {
        return first;
    }
    const rh_ast node = rh__parser_begin_at(p, RH_AST_OR, offset);
    rh__parser_append(p, node, logical_operand(p, first));
    while (rh__parser_accept_word(p, "or")) {
        rh__parser_append(p, node, logical_operand(p, conjunction(p)));
    }
    return rh__parser_close(p, node);
}

// expression = disjunction inside the condition of an `if`, else sum
rh_ast rh__parser_expression(rh_parser *p)
{
    rh_ast result = {0};
    if (rh__parser_enter(p)) {
        result = p->is_condition ? disjunction(p) : sum(p);
    }
    rh__parser_leave(p);
    return result;
}

// condition = disjunction
rh_ast rh__parser_condition(rh_parser *p)
{
    p->is_condition = true;
    const rh_ast result = logical_operand(p, rh__parser_expression(p));
    p->is_condition = false;
    return result;
}

rh_ast rh__parser_expression_before(rh_parser *p, const char *const *followers)
{
    const char *const *outer = p->followers;
    p->followers = followers;
    const rh_ast result = rh__parser_expression(p);
    p->followers = outer;
    return result;
}
