// SPDX-License-Identifier: Apache-2.0
// Cursor: the parser's small steps through the tokens and the small steps of building nodes. In a
// panic the present token is always END and nothing is built.

#include "syntax/parser.h"

#include <string.h>

static rh_token token_ahead(const rh_parser *p, uint32_t ahead)
{
    const uint32_t end = p->lexer->tokens.count - 1;
    const bool is_behind = p->is_panicking || ahead > end - p->at;
    return p->tokens[is_behind ? end : p->at + ahead];
}

rh_token rh__parser_peek(const rh_parser *p)
{
    return token_ahead(p, 0);
}

rh_token rh__parser_peek_second(const rh_parser *p)
{
    return token_ahead(p, 1);
}

bool rh__parser_at(const rh_parser *p, rh_token_kind kind)
{
    return rh__parser_peek(p).kind == kind;
}

bool rh__parser_at_word(const rh_parser *p, const char *word)
{
    const rh_token token = rh__parser_peek(p);
    return token.kind == RH_TOKEN_NAME && rh__slice_is(rh__token_text(p->lexer, token), word);
}

void rh__parser_advance(rh_parser *p)
{
    if (!p->is_panicking && p->at + 1 < p->lexer->tokens.count) {
        p->at++;
    }
}

bool rh__parser_accept(rh_parser *p, rh_token_kind kind)
{
    const bool is_there = !p->is_panicking && rh__parser_at(p, kind);
    if (is_there) {
        rh__parser_advance(p);
    }
    return is_there;
}

bool rh__parser_accept_word(rh_parser *p, const char *word)
{
    const bool is_there = rh__parser_at_word(p, word);
    if (is_there) {
        rh__parser_advance(p);
    }
    return is_there;
}

bool rh__parser_expect(rh_parser *p, rh_token_kind kind, const char *where)
{
    if (rh__parser_accept(p, kind)) {
        return true;
    }
    rh__parser_fail_here(p, RH_DIAGNOSTIC_E019,
                         rh__text_print(p->scratch, "`%s` %s", rh__token_spelling(kind), where));
    return false;
}

bool rh__parser_expect_word(rh_parser *p, const char *word, const char *where)
{
    if (rh__parser_accept_word(p, word)) {
        return true;
    }
    rh__parser_fail(p, RH_DIAGNOSTIC_E057, rh__parser_found(p), p->form,
                    "expected the word `%s` %s, found %s", word, where,
                    rh__parser_show(p, rh__parser_peek(p)));
    return false;
}

// A micro sign becomes mu; both take two bytes.
static rh_slice without_micro(rh_parser *p, rh_slice text)
{
    char *copy = rh__slice_copy(p->tree->arena, text);
    if (copy == NULL) {
        return text;
    }
    for (size_t i = 0; i + 1 < text.size; i++) {
        if (memcmp(copy + i, "\xC2\xB5", 2) == 0) {
            memcpy(copy + i, "\xCE\xBC", 2);
        }
    }
    return (rh_slice){copy, text.size};
}

rh_slice rh__parser_text(rh_parser *p, rh_token token)
{
    const rh_slice text = rh__token_text(p->lexer, token);
    return (token.flags & RH_TOKEN_MICRO) != 0 ? without_micro(p, text) : text;
}

rh_token rh__parser_last(const rh_parser *p)
{
    return p->tokens[p->at > 0 ? p->at - 1 : 0];
}

rh_span rh__parser_gap(const rh_parser *p)
{
    if (p->at == 0) {
        return (rh_span){p->tokens[0].span.offset, 0};
    }
    const rh_span last = rh__parser_last(p).span;
    return (rh_span){last.offset + last.size, 0};
}

rh_span rh__parser_found(const rh_parser *p)
{
    const rh_token token = rh__parser_peek(p);
    const bool is_end = token.kind == RH_TOKEN_NEWLINE || token.kind == RH_TOKEN_END;
    return is_end ? rh__parser_gap(p) : token.span;
}

uint32_t rh__parser_offset(const rh_parser *p)
{
    return rh__parser_peek(p).span.offset;
}

static void refuse_nodes(rh_parser *p)
{
    if (p->tree->nodes.count >= RH_SYNTAX_NODES) {
        rh__parser_fail(p, RH_DIAGNOSTIC_E902, rh__parser_peek(p).span,
                        "arrays and loops instead of repeated text",
                        "the model has more than %d nodes", RH_SYNTAX_NODES);
        p->tree->status = RH_E_LIMIT;
    } else {
        p->tree->status = p->tree->arena->status;
    }
    p->is_full = true;
    p->is_panicking = true;
}

rh_ast rh__parser_begin_at(rh_parser *p, rh_ast_kind kind, uint32_t offset)
{
    if (p->is_panicking) {
        return (rh_ast){0};
    }
    const rh_ast_node node = {.span = {offset, 0}, .kind = (uint16_t)kind};
    if (p->tree->nodes.count >= RH_SYNTAX_NODES ||
        !rh__array_push(p->tree->arena, &p->tree->nodes, node)) {
        refuse_nodes(p);
        return (rh_ast){0};
    }
    return (rh_ast){p->tree->nodes.count - 1};
}

rh_ast rh__parser_begin(rh_parser *p, rh_ast_kind kind)
{
    return rh__parser_begin_at(p, kind, rh__parser_offset(p));
}

void rh__parser_append(rh_parser *p, rh_ast parent, rh_ast child)
{
    if (p->is_panicking || parent.i == 0 || child.i == 0) {
        return;
    }
    rh_ast_node *nodes = p->tree->nodes.data;
    RH_ASSERT(nodes[child.i].next.i == 0 && parent.i != child.i);
    if (nodes[parent.i].count++ == 0) {
        nodes[parent.i].first = child;
    } else {
        nodes[nodes[parent.i].last.i].next = child;
    }
    nodes[parent.i].last = child;
}

rh_ast rh__parser_close(rh_parser *p, rh_ast node)
{
    if (!p->is_panicking && node.i != 0) {
        rh_span *span = &p->tree->nodes.data[node.i].span;
        const rh_span last = rh__parser_last(p).span;
        RH_ASSERT(last.offset + last.size >= span->offset);
        span->size = last.offset + last.size - span->offset;
    }
    return node;
}

void rh__parser_set_kind(rh_parser *p, rh_ast node, rh_ast_kind kind)
{
    if (node.i != 0) {
        p->tree->nodes.data[node.i].kind = (uint16_t)kind;
    }
}

void rh__parser_set_text(rh_parser *p, rh_ast node, rh_slice text)
{
    if (node.i != 0) {
        p->tree->nodes.data[node.i].text = text;
    }
}

void rh__parser_set_number(rh_parser *p, rh_ast node, unsigned number)
{
    if (node.i != 0) {
        p->tree->nodes.data[node.i].number = (uint16_t)number;
    }
}

rh_ast_kind rh__parser_kind(const rh_parser *p, rh_ast node)
{
    return (rh_ast_kind)p->tree->nodes.data[node.i].kind;
}

bool rh__parser_enter(rh_parser *p)
{
    if (p->depth > RH_SYNTAX_NESTING) { // the statement's own expression is the first
        rh__parser_fail(
            p, RH_DIAGNOSTIC_E901, rh__parser_peek(p).span, "a `let` for the inner part",
            "brackets, signs, powers or loops are nested more than %d deep", RH_SYNTAX_NESTING);
    }
    p->depth++;
    return !p->is_panicking;
}

void rh__parser_leave(rh_parser *p)
{
    RH_ASSERT(p->depth > 0);
    p->depth--;
}

rh_parser_scope rh__parser_scope_begin(rh_parser *p)
{
    const rh_parser_scope scope = {p->is_condition, p->expects_range, p->is_bracketed,
                                   p->followers};
    p->is_condition = false;
    p->expects_range = false;
    p->is_bracketed = true;
    p->followers = NULL;
    return scope;
}

void rh__parser_scope_end(rh_parser *p, rh_parser_scope scope)
{
    p->is_condition = scope.is_condition;
    p->expects_range = scope.expects_range;
    p->is_bracketed = scope.is_bracketed;
    p->followers = scope.followers;
}
