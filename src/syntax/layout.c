// SPDX-License-Identifier: Apache-2.0
// Layout: the tokens of all lines -> the tokens of all statements, in place. A line end inside a
// bracket or after an operator is dropped. Brackets are matched here, so that one forgotten bracket
// is one remark and costs one statement: a line that clearly begins a statement ends whatever is
// still open.

#include "syntax/parser.h"

typedef struct layout {
    rh_lexer *lexer;
    RH_ARRAY(uint32_t) open; // brackets, innermost last: their places among the tokens kept
    uint32_t round_count;    // of the open ones
    uint32_t square_count;
    uint32_t read, write;
    bool has_reported; // one remark about brackets a statement is enough
} layout;

static rh_token *token_at(const layout *l, uint32_t index)
{
    RH_ASSERT(index < l->lexer->tokens.count);
    return &l->lexer->tokens.data[index];
}

// The raw token `ahead` of the one being read.
static rh_token upcoming(const layout *l, uint32_t ahead)
{
    const uint32_t last = l->lexer->tokens.count - 1;
    RH_ASSERT(l->write <= l->read); // in place: what is read was not written over
    return *token_at(l, l->read + ahead < last ? l->read + ahead : last);
}

static bool is_word(const layout *l, rh_token token, const char *const *words)
{
    return token.kind == RH_TOKEN_NAME &&
           rh__word_is_one_of(rh__token_text(l->lexer, token), words);
}

static const char *const JOINTS[] = {"in", "and", "or", "not", "by", "with", "impact", NULL};

// Could the token be the last of an expression?
static bool ends_operand(const layout *l, rh_token token)
{
    switch ((rh_token_kind)token.kind) {
    case RH_TOKEN_NAME:
        return !is_word(l, token, JOINTS);
    case RH_TOKEN_NUMBER:
    case RH_TOKEN_STRING:
    case RH_TOKEN_PRIME:
    case RH_TOKEN_CLOSE_ROUND:
    case RH_TOKEN_CLOSE_SQUARE:
        return true;
    default:
        return false;
    }
}

// After these a statement goes on in the next line.
static bool goes_on(rh_token token)
{
    return (token.kind >= RH_TOKEN_PLUS && token.kind <= RH_TOKEN_CARET) ||
           token.kind == RH_TOKEN_COMMA || token.kind == RH_TOKEN_COLON ||
           (token.kind >= RH_TOKEN_EQUAL && token.kind <= RH_TOKEN_GREATER_EQUAL);
}

// Does the next line begin with a statement word and something that no expression could be?
static bool begins_statement_surely(const layout *l)
{
    const rh_token word = upcoming(l, 1);
    const rh_token next = upcoming(l, 2);
    if (!is_word(l, word, rh__statement_words())) {
        return false;
    }
    const bool is_bracket = next.kind == RH_TOKEN_OPEN_ROUND && (next.flags & RH_TOKEN_GLUED) == 0;
    return next.kind == RH_TOKEN_NUMBER || next.kind == RH_TOKEN_STRING || is_bracket ||
           (next.kind == RH_TOKEN_NAME && !is_word(l, next, JOINTS));
}

// The same, knowing that the line before ended in an operand, after which a name cannot follow.
static bool begins_statement_likely(const layout *l)
{
    const rh_token word = upcoming(l, 1);
    if (!is_word(l, word, rh__statement_words())) {
        return false;
    }
    const rh_token_kind next = (rh_token_kind)upcoming(l, 2).kind;
    const bool is_construct = rh__slice_is(rh__token_text(l->lexer, word), "construct");
    return next == RH_TOKEN_PLUS || next == RH_TOKEN_MINUS || next == RH_TOKEN_OPEN_ROUND ||
           next == RH_TOKEN_OPEN_SQUARE || (is_construct && next == RH_TOKEN_NEWLINE);
}

static bool begins_statement(const layout *l)
{
    const bool follows_operand = l->write > 0 && ends_operand(l, *token_at(l, l->write - 1));
    return begins_statement_surely(l) || (follows_operand && begins_statement_likely(l));
}

// Take the innermost open bracket off the list; `is_lost` when nothing closes it.
static rh_token *pop(layout *l, bool is_lost)
{
    RH_ASSERT(l->open.count == l->round_count + l->square_count);
    rh_token *token = token_at(l, l->open.data[--l->open.count]);
    if (token->kind == RH_TOKEN_OPEN_ROUND) {
        l->round_count--;
    } else {
        l->square_count--;
    }
    if (is_lost) {
        token->kind = RH_TOKEN_BAD;
    }
    return token;
}

static void report_unclosed(layout *l, rh_token open, const rh_token *next)
{
    if (l->has_reported) {
        return;
    }
    l->has_reported = true;
    rh_diagnostics *list = l->lexer->diagnostics;
    const bool is_round = open.kind == RH_TOKEN_OPEN_ROUND;
    rh__diagnostics_add(list, RH_DIAGNOSTIC_E021, open.span, "this `%s` is never closed",
                        is_round ? "(" : "[");
    rh__diagnostics_repair(list, "a `%s` where the bracket ends", is_round ? ")" : "]");
    if (next != NULL) {
        rh__diagnostics_note(list, next->span, "the next statement begins here");
    }
}

static void give_up_open(layout *l, const rh_token *next)
{
    if (l->open.count > 0) {
        report_unclosed(l, *token_at(l, l->open.data[l->open.count - 1]), next);
    }
    while (l->open.count > 0) {
        (void)pop(l, true);
    }
}

static bool open_bracket(layout *l, rh_token_kind kind)
{
    if (kind == RH_TOKEN_OPEN_ROUND) {
        l->round_count++;
    } else {
        l->square_count++;
    }
    return rh__array_push(l->lexer->scratch, &l->open, l->write);
}

static void report_unopened(layout *l, rh_token token)
{
    if (!l->has_reported) {
        l->has_reported = true;
        rh__diagnostics_add(l->lexer->diagnostics, RH_DIAGNOSTIC_E022, token.span,
                            "this `%s` closes nothing",
                            rh__token_spelling((rh_token_kind)token.kind));
        rh__diagnostics_repair(l->lexer->diagnostics, "remove it, or open the bracket before");
    }
}

static void report_crossed(layout *l, rh_token token, rh_token open)
{
    if (!l->has_reported) {
        l->has_reported = true;
        const bool is_round = open.kind == RH_TOKEN_OPEN_ROUND;
        rh__diagnostics_add(l->lexer->diagnostics, RH_DIAGNOSTIC_E023, token.span,
                            "found `%s`, expected `%s`",
                            rh__token_spelling((rh_token_kind)token.kind), is_round ? ")" : "]");
        rh__diagnostics_repair(l->lexer->diagnostics, "%s", is_round ? ")" : "]");
        rh__diagnostics_note(l->lexer->diagnostics, open.span, "the bracket was opened here");
    }
}

// The closing token, turned BAD when it does not belong to the innermost open bracket.
static void close_bracket(layout *l, rh_token *token)
{
    const rh_token_kind partner =
        token->kind == RH_TOKEN_CLOSE_ROUND ? RH_TOKEN_OPEN_ROUND : RH_TOKEN_OPEN_SQUARE;
    const uint32_t partner_count =
        partner == RH_TOKEN_OPEN_ROUND ? l->round_count : l->square_count;
    if (l->open.count == 0) {
        report_unopened(l, *token);
        token->kind = RH_TOKEN_BAD;
        return;
    }
    const rh_token innermost = *token_at(l, l->open.data[l->open.count - 1]);
    if (innermost.kind == partner) {
        (void)pop(l, false);
    } else if (partner_count == 0) {
        report_crossed(l, *token, innermost);
        (void)pop(l, true);
        token->kind = RH_TOKEN_BAD;
    } else {
        report_unclosed(l, innermost, NULL);
        while (token_at(l, l->open.data[l->open.count - 1])->kind != partner) {
            (void)pop(l, true);
        }
        (void)pop(l, false);
    }
}

static void semicolon(layout *l, rh_token *token)
{
    rh_diagnostics *list = l->lexer->diagnostics;
    if (l->open.count > 0) {
        rh__diagnostics_add(list, RH_DIAGNOSTIC_E011, token->span,
                            "a semicolon does not separate rows; a matrix is a vector of rows");
        rh__diagnostics_repair(list, "[[a, b], [c, d]]");
        token->kind = RH_TOKEN_BAD;
        return;
    }
    const rh_token_kind next = (rh_token_kind)upcoming(l, 1).kind;
    rh__diagnostics_add(list, RH_DIAGNOSTIC_E011, token->span,
                        "a statement ends with its line, not with a semicolon");
    rh__diagnostics_repair(list, next == RH_TOKEN_NEWLINE || next == RH_TOKEN_END
                                     ? "remove it"
                                     : "a new line for the next statement");
    token->kind = RH_TOKEN_NEWLINE;
}

// Is this line end the end of a statement?
static bool keeps_newline(layout *l)
{
    if (l->write == 0) {
        return false;
    }
    const rh_token before = *token_at(l, l->write - 1);
    if (l->open.count > 0) {
        if (!begins_statement(l)) {
            return false;
        }
        const rh_token next = upcoming(l, 1);
        give_up_open(l, &next);
        return true;
    }
    // `for ... :` takes its statement from the next line; otherwise a dangling operator is a
    // mistake
    const bool dangles = before.kind != RH_TOKEN_COLON && begins_statement_surely(l);
    return before.kind != RH_TOKEN_NEWLINE && (!goes_on(before) || dangles);
}

static bool place(layout *l, rh_token token)
{
    switch ((rh_token_kind)token.kind) {
    case RH_TOKEN_OPEN_ROUND:
    case RH_TOKEN_OPEN_SQUARE:
        if (!open_bracket(l, (rh_token_kind)token.kind)) {
            return false;
        }
        break;
    case RH_TOKEN_CLOSE_ROUND:
    case RH_TOKEN_CLOSE_SQUARE:
        close_bracket(l, &token);
        break;
    case RH_TOKEN_SEMICOLON:
        semicolon(l, &token);
        break;
    case RH_TOKEN_NEWLINE:
        if (!keeps_newline(l)) {
            return true;
        }
        break;
    case RH_TOKEN_END:
        give_up_open(l, NULL);
        break;
    default:
        break;
    }
    l->has_reported = l->has_reported && token.kind != RH_TOKEN_NEWLINE;
    RH_ASSERT(l->write <= l->read); // nothing that is still to be read is written over
    *token_at(l, l->write++) = token;
    return true;
}

bool rh__layout_run(rh_lexer *lexer)
{
    layout l = {.lexer = lexer};
    for (l.read = 0; l.read < lexer->tokens.count; l.read++) {
        if (!place(&l, *token_at(&l, l.read))) {
            return false;
        }
    }
    lexer->tokens.count = l.write;
    RH_ASSERT(lexer->tokens.data[l.write - 1].kind == RH_TOKEN_END);
    return true;
}
