// SPDX-License-Identifier: Apache-2.0
// Parser: one part of the source -> tree. Every line that begins a statement is tried on its own,
// so a mistake costs one statement; the names in a lost statement are kept, so that later stages do
// not complain of them.

#include "syntax/parser.h"

typedef struct statement_row {
    const char *word;
    const char *form;
    void (*rule)(rh_parser *p, rh_ast node);
} statement_row;

static const statement_row STATEMENTS[] = {
#define RH_STATEMENT_ROW(word, form) {#word, form, rh__parser_##word},
    RH_STATEMENT_LIST(RH_STATEMENT_ROW)
#undef RH_STATEMENT_ROW
};

static const statement_row *find_statement(rh_slice word)
{
    for (size_t i = 0; i < sizeof STATEMENTS / sizeof STATEMENTS[0]; i++) {
        if (rh__slice_is(word, STATEMENTS[i].word)) {
            return &STATEMENTS[i];
        }
    }
    return NULL;
}

// statement = the rule of its first word
rh_ast rh__parser_statement(rh_parser *p)
{
    const rh_token token = rh__parser_peek(p);
    if (token.kind != RH_TOKEN_NAME) {
        rh__parser_fail_line(p);
        return (rh_ast){0};
    }
    const statement_row *row = find_statement(rh__token_text(p->lexer, token));
    if (row == NULL) {
        rh__parser_fail_word(p);
        return (rh_ast){0};
    }
    p->form = row->form;
    const rh_ast node = rh__parser_begin(p, RH_AST_NONE);
    rh__parser_advance(p);
    row->rule(p, node);
    RH_ASSERT(p->is_panicking || rh__parser_kind(p, node) != RH_AST_NONE);
    return rh__parser_close(p, node);
}

static void calm(rh_parser *p)
{
    p->depth = 0;
    p->is_panicking = p->is_full;
    p->is_condition = false;
    p->expects_range = false;
    p->is_bracketed = false;
    p->has_commas = false;
    p->has_product_report = false;
    p->form = NULL;
    p->followers = NULL;
}

static bool ends_line(rh_token token)
{
    return token.kind == RH_TOKEN_NEWLINE || token.kind == RH_TOKEN_END;
}

static void expect_end(rh_parser *p)
{
    const rh_token token = rh__parser_peek(p);
    if (p->is_panicking || ends_line(token)) {
        return;
    }
    if (token.kind == RH_TOKEN_EQUAL) {
        rh__parser_fail(p, RH_DIAGNOSTIC_E019, token.span, p->form,
                        "expected the end of the line, found a second `=`");
    }
    rh__parser_fail_here(p, RH_DIAGNOSTIC_E019, "the end of the line");
}

void rh__parser_lose(rh_parser *p, rh_token token)
{
    if (token.kind != RH_TOKEN_NAME || p->is_full ||
        rh__word_is_reserved(rh__token_text(p->lexer, token))) {
        return;
    }
    const rh_slice name = rh__parser_text(p, token);
    if (!rh__array_push(p->tree->arena, &p->tree->lost, name)) {
        p->tree->status = p->tree->arena->status;
        p->is_full = true;
    }
}

// The names of a lost statement, from its first token to the end of the line.
static void lose_line(rh_parser *p, uint32_t start)
{
    for (p->at = start; !ends_line(p->tokens[p->at]); p->at++) {
        rh__parser_lose(p, p->tokens[p->at]);
    }
}

// Lists keep the items before the mistake.
static bool is_useful(const rh_parser *p, rh_ast node)
{
    switch (rh__parser_kind(p, node)) {
    case RH_AST_PARAM:
    case RH_AST_COORD:
    case RH_AST_STATE:
    case RH_AST_SELECT:
    case RH_AST_START:
    case RH_AST_GUESS:
    case RH_AST_SCALE:
        return p->tree->nodes.data[node.i].count > 0;
    default:
        return false;
    }
}

static void keep_items(rh_parser *p, rh_ast node)
{
    rh_ast_node *nodes = p->tree->nodes.data;
    const rh_span first = {nodes[node.i].span.offset, 0};
    nodes[node.i].span = rh__span_join(first, nodes[nodes[node.i].last.i].span);
}

// Could the lines after this lost one be its rest? Not when it never was a statement.
static bool spills_over(const rh_parser *p, rh_token first)
{
    const rh_slice word = rh__token_text(p->lexer, first);
    const bool is_name = first.kind == RH_TOKEN_NAME;
    const bool is_unknown = is_name && !rh__word_is_statement(word) && !rh__word_is_reserved(word);
    return !is_unknown && first.kind != RH_TOKEN_NUMBER && first.kind != RH_TOKEN_STRING;
}

// After a lost statement: is this line worth a complaint, or does it only go on with the loss?
static bool begins_afresh(const rh_parser *p)
{
    const rh_token token = p->tokens[p->at];
    const rh_slice word = rh__token_text(p->lexer, token);
    if (token.kind != RH_TOKEN_NAME || rh__word_is_statement(word)) {
        return token.kind == RH_TOKEN_NAME;
    }
    const rh_token_kind next = (rh_token_kind)p->tokens[p->at + 1].kind;
    return (!rh__word_is_reserved(word) || rh__slice_is(word, "if")) &&
           (next == RH_TOKEN_NAME || next == RH_TOKEN_NUMBER || next == RH_TOKEN_STRING ||
            next == RH_TOKEN_EQUAL || next == RH_TOKEN_PRIME || next == RH_TOKEN_COLON);
}

// One line; true when it was read without loss.
static bool line(rh_parser *p, rh_ast (*rule)(rh_parser *))
{
    const uint32_t start = p->at;
    const uint32_t first_node = p->tree->nodes.count;
    calm(p);
    const rh_ast node = rule(p);
    expect_end(p);
    if (!p->is_panicking) {
        rh__parser_append(p, p->tree->root, node);
        return true;
    }
    lose_line(p, start);
    // the statement's own node is the first one made for it
    const rh_ast own = {first_node < p->tree->nodes.count ? first_node : 0};
    if (is_useful(p, own)) {
        keep_items(p, own);
        p->is_panicking = false;
        rh__parser_append(p, p->tree->root, own);
    }
    return false;
}

// file = { [ statement ] NEWLINE } END
static void file(rh_parser *p)
{
    bool is_spilling = false;
    while (p->tokens[p->at].kind != RH_TOKEN_END && !p->is_full) {
        if (p->tokens[p->at].kind == RH_TOKEN_NEWLINE) {
            p->at++;
        } else if (is_spilling && !begins_afresh(p)) {
            lose_line(p, p->at);
        } else {
            const rh_token first = p->tokens[p->at];
            is_spilling = !line(p, rh__parser_statement) && spills_over(p, first);
        }
    }
}

// start = settings, as on the command line
static rh_ast bare_settings(rh_parser *p)
{
    p->form = "NAME=VALUE";
    const rh_ast node = rh__parser_begin(p, RH_AST_START);
    rh__parser_settings(p, node);
    return rh__parser_close(p, node);
}

static void settings_only(rh_parser *p)
{
    (void)line(p, bare_settings);
    if (p->tokens[p->at].kind == RH_TOKEN_NEWLINE && p->tokens[p->at + 1].kind != RH_TOKEN_END &&
        !p->is_panicking) {
        p->at++;
        rh__parser_fail(p, RH_DIAGNOSTIC_E019, p->tokens[p->at].span, "NAME=VALUE, NAME=VALUE",
                        "expected one line of settings, found a second line");
    }
}

static void by_only(rh_parser *p)
{
    (void)line(p, rh__parser_by_changes);
    if (p->tokens[p->at].kind == RH_TOKEN_NEWLINE && p->tokens[p->at + 1].kind != RH_TOKEN_END &&
        !p->is_panicking) {
        p->at++;
        rh__parser_fail(p, RH_DIAGNOSTIC_E019, p->tokens[p->at].span,
                        "NAME=REALISATION, NAME=REALISATION",
                        "expected one line of realisations, found a second line");
    }
}

// An expression alone, as on the command line.
static rh_ast bare_expression(rh_parser *p)
{
    p->form = "EXPRESSION";
    const rh_ast node = rh__parser_begin(p, RH_AST_OBSERVE);
    rh__parser_append(p, node, rh__parser_expression(p));
    return rh__parser_close(p, node);
}

static void expression_only(rh_parser *p)
{
    (void)line(p, bare_expression);
    if (p->tokens[p->at].kind == RH_TOKEN_NEWLINE && p->tokens[p->at + 1].kind != RH_TOKEN_END &&
        !p->is_panicking) {
        p->at++;
        rh__parser_fail(p, RH_DIAGNOSTIC_E019, p->tokens[p->at].span, "EXPRESSION",
                        "expected one expression, found a second line");
    }
}

// A tree with its root alone.
static rh_status begin_tree(rh_tree *tree, rh_arena *arena, rh_span span)
{
    *tree = (rh_tree){.arena = arena};
    const rh_ast_node none = {0};
    const rh_ast_node root = {.span = span, .kind = RH_AST_FILE};
    if (!rh__array_push(arena, &tree->nodes, none) || !rh__array_push(arena, &tree->nodes, root)) {
        tree->status = arena->status;
        return tree->status;
    }
    tree->root = (rh_ast){1};
    return RH_OK;
}

// The passes: characters to tokens, lines to statements, statements to the tree.
static rh_status build_tree(const rh_source_part *part, void (*grammar)(rh_parser *),
                            rh_arena *scratch, rh_diagnostics *diagnostics, rh_tree *tree)
{
    rh_lexer lexer = {.scratch = scratch, .diagnostics = diagnostics};
    if (!rh__lexer_run(&lexer, part) || !rh__layout_run(&lexer)) {
        tree->status = scratch->status;
        return tree->status;
    }
    rh_parser parser = {.lexer = &lexer,
                        .tokens = lexer.tokens.data,
                        .scratch = scratch,
                        .tree = tree,
                        .diagnostics = diagnostics};
    grammar(&parser);
    if (tree->arena->status != RH_OK) {
        tree->status = tree->arena->status;
        return tree->status;
    }
    return RH_OK; // a limit of the language is in the diagnostics
}

static rh_status parse(const rh_source *source, uint32_t index, void (*grammar)(rh_parser *),
                       rh_arena *arena, rh_diagnostics *diagnostics, rh_tree *out)
{
    RH_ASSERT(index < source->parts.count);
    const rh_source_part *part = &source->parts.data[index];
    RH_TRY(begin_tree(out, arena, (rh_span){part->offset, (uint32_t)part->text.size}));
    if (part->text.size > RH_SYNTAX_FILE_SIZE) {
        rh__diagnostics_add(diagnostics, RH_DIAGNOSTIC_E900, (rh_span){part->offset, 0},
                            "the text has %u bytes, more than the %d allowed",
                            (unsigned)part->text.size, RH_SYNTAX_FILE_SIZE);
        rh__diagnostics_repair(diagnostics, "arrays and loops instead of repeated text");
        out->status = RH_E_LIMIT;
        return RH_OK;
    }
    const size_t room = arena->limit > arena->used ? arena->limit - arena->used : 0;
    rh_arena scratch = rh__arena_begin(arena->allocator, room);
    const rh_status status = build_tree(part, grammar, &scratch, diagnostics, out);
    rh__arena_end(&scratch);
    return status;
}

rh_status rh__tree_parse(const rh_source *source, uint32_t part, rh_arena *arena,
                         rh_diagnostics *diagnostics, rh_tree *out)
{
    return parse(source, part, file, arena, diagnostics, out);
}

rh_status rh__tree_parse_settings(const rh_source *source, uint32_t part, rh_arena *arena,
                                  rh_diagnostics *diagnostics, rh_tree *out)
{
    return parse(source, part, settings_only, arena, diagnostics, out);
}

rh_status rh__tree_parse_by(const rh_source *source, uint32_t part, rh_arena *arena,
                            rh_diagnostics *diagnostics, rh_tree *out)
{
    return parse(source, part, by_only, arena, diagnostics, out);
}

rh_status rh__tree_parse_expression(const rh_source *source, uint32_t part, rh_arena *arena,
                                    rh_diagnostics *diagnostics, rh_tree *out)
{
    return parse(source, part, expression_only, arena, diagnostics, out);
}
