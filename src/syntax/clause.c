// SPDX-License-Identifier: Apache-2.0
// Statements with a name, two sides and clauses behind them: equation, constraint and event.

#include "syntax/parser.h"

// cname ":"; a statement of this kind needs both
static rh_ast title(rh_parser *p, const char *what)
{
    const rh_token first = rh__parser_peek(p);
    const rh_token_kind next = (rh_token_kind)rh__parser_peek_second(p).kind;
    const bool has_name =
        first.kind == RH_TOKEN_NAME &&
        (next == RH_TOKEN_COLON || next == RH_TOKEN_OPEN_SQUARE || next == RH_TOKEN_NAME ||
         next == RH_TOKEN_NUMBER || next == RH_TOKEN_OPEN_ROUND || next == RH_TOKEN_NEWLINE ||
         next == RH_TOKEN_END);
    if (!has_name) {
        rh__parser_fail(p, RH_DIAGNOSTIC_E043, rh__parser_gap(p), p->form,
                        "expected a name and `:` for %s", what);
    }
    const rh_ast name = rh__parser_cname(p, what);
    if (!rh__parser_accept(p, RH_TOKEN_COLON)) {
        const rh_slice text = rh__token_text(p->lexer, first);
        rh__parser_fail(p, RH_DIAGNOSTIC_E043, rh__parser_gap(p),
                        rh__text_print(p->scratch, "%.*s:", RH_SLICE_FORMAT(text)),
                        "expected `:` after the name of %s, found %s", what,
                        rh__parser_show(p, rh__parser_peek(p)));
    }
    return name;
}

// equation = "equation" cname ":" expression "=" expression
void rh__parser_equation(rh_parser *p, rh_ast node)
{
    rh__parser_set_kind(p, node, RH_AST_EQUATION);
    rh__parser_append(p, node, title(p, "an equation"));
    rh__parser_append(p, node, rh__parser_expression(p));
    rh__parser_equal(p);
    rh__parser_append(p, node, rh__parser_expression(p));
}

static void report_strict(rh_parser *p, rh_token token)
{
    const bool is_less = token.kind == RH_TOKEN_LESS;
    rh__parser_report(p, RH_DIAGNOSTIC_E046, token.span, is_less ? "<=" : ">=",
                      "a constraint cannot be strict: found `%s`, expected `%s`",
                      is_less ? "<" : ">", is_less ? "<=" : ">=");
}

// relation = "=" | ">=" | "<="
static rh_relation relation(rh_parser *p)
{
    const rh_token token = rh__parser_peek(p);
    rh_relation result = RH_RELATION_EQUAL;
    switch ((rh_token_kind)token.kind) {
    case RH_TOKEN_LESS:
    case RH_TOKEN_GREATER:
        report_strict(p, token);
        result = token.kind == RH_TOKEN_LESS ? RH_RELATION_LESS_EQUAL : RH_RELATION_GREATER_EQUAL;
        break;
    case RH_TOKEN_LESS_EQUAL:
        result = RH_RELATION_LESS_EQUAL;
        break;
    case RH_TOKEN_GREATER_EQUAL:
        result = RH_RELATION_GREATER_EQUAL;
        break;
    case RH_TOKEN_SAME:
        rh__parser_report(p, RH_DIAGNOSTIC_E045, token.span, "=",
                          "found `==`, expected `=`; `==` compares inside an `if`");
        break;
    case RH_TOKEN_EQUAL:
        break;
    default:
        rh__parser_fail(p, RH_DIAGNOSTIC_E044,
                        token.kind == RH_TOKEN_UNEQUAL ? token.span : rh__parser_gap(p), p->form,
                        "expected `=`, `>=` or `<=`, found %s", rh__parser_show(p, token));
        return result;
    }
    rh__parser_advance(p);
    return result;
}

// right_side = expression | "const"
static rh_ast right_side(rh_parser *p)
{
    rh_ast node;
    if (rh__parser_at_word(p, "const")) {
        node = rh__parser_begin(p, RH_AST_CONSTANT);
        rh__parser_advance(p);
        node = rh__parser_close(p, node);
    } else {
        node = rh__parser_expression(p);
    }
    const rh_token token = rh__parser_peek(p);
    if (token.kind >= RH_TOKEN_EQUAL && token.kind <= RH_TOKEN_GREATER_EQUAL) {
        rh__parser_fail(p, RH_DIAGNOSTIC_E029, token.span, "two constraints, one for each relation",
                        "a second relation %s follows the first", rh__parser_show(p, token));
    }
    return node;
}

// option = "hold" | "literal"
static rh_option option(rh_parser *p)
{
    if (rh__parser_accept_word(p, "hold")) {
        return RH_OPTION_HOLD;
    }
    if (rh__parser_accept_word(p, "literal")) {
        return RH_OPTION_LITERAL;
    }
    const rh_token token = rh__parser_peek(p);
    rh__parser_fail(p, RH_DIAGNOSTIC_E056, token.span, "hold, or literal",
                    "expected the option `hold` or `literal`, found %s", rh__parser_show(p, token));
    return RH_OPTION_NONE;
}

// component = target ":" expression
static rh_ast component(rh_parser *p, const char *form)
{
    const rh_ast node = rh__parser_begin(p, RH_AST_COMPONENT);
    rh__parser_append(p, node, rh__parser_target(p));
    if (!rh__parser_accept(p, RH_TOKEN_COLON)) {
        rh__parser_fail(p, RH_DIAGNOSTIC_E050, rh__parser_gap(p), form,
                        "expected `:` after the coordinate, found %s",
                        rh__parser_show(p, rh__parser_peek(p)));
    }
    rh__parser_append(p, node, rh__parser_expression(p));
    return rh__parser_close(p, node);
}

/// What stands in the brackets of a realisation.
typedef enum arguments_kind {
    ARGUMENTS_NONE,
    ARGUMENTS_OPTION,     // or no brackets
    ARGUMENTS_EXPRESSION, // one
    ARGUMENTS_PHI,        // an expression, then perhaps an option
    ARGUMENTS_COMPONENTS
} arguments_kind;

typedef struct realisation_row {
    const char *word;
    arguments_kind arguments;
    const char *form;
} realisation_row;

static const realisation_row REALISATIONS[] = {
    {"ideal", ARGUMENTS_NONE, "by ideal"},
    {"servo", ARGUMENTS_COMPONENTS, "by servo(psi: 1)"},
    {"inertia", ARGUMENTS_PHI, "by inertia(EXPRESSION)"},
    {"vakonomic", ARGUMENTS_OPTION, "by vakonomic"},
    {"friction", ARGUMENTS_EXPRESSION, "by friction(EXPRESSION)"},
    {"reaction", ARGUMENTS_COMPONENTS, "by reaction(x: EXPRESSION, y: EXPRESSION)"},
};

enum { REALISATION_COUNT = sizeof REALISATIONS / sizeof REALISATIONS[0] };

static void fail_realisation(rh_parser *p)
{
    const rh_token token = rh__parser_peek(p);
    rh_nearest nearest = rh__nearest_begin(rh__token_text(p->lexer, token));
    for (int i = 0; i < REALISATION_COUNT; i++) {
        rh__nearest_offer(&nearest, rh__slice_of(REALISATIONS[i].word));
    }
    const bool is_name = token.kind == RH_TOKEN_NAME;
    rh__parser_fail(p, RH_DIAGNOSTIC_E049, is_name ? token.span : rh__parser_gap(p),
                    is_name && nearest.best.size > 0
                        ? rh__text_print(p->scratch, "%.*s", RH_SLICE_FORMAT(nearest.best))
                        : "ideal, servo, inertia, vakonomic, friction or reaction",
                    "expected a realisation after `by`, found %s", rh__parser_show(p, token));
}

static void by_arguments(rh_parser *p, rh_ast node, const realisation_row *row)
{
    switch (row->arguments) {
    case ARGUMENTS_NONE:
        break;
    case ARGUMENTS_OPTION:
        rh__parser_set_number(p, node, option(p));
        break;
    case ARGUMENTS_EXPRESSION:
        rh__parser_append(p, node, rh__parser_expression(p));
        break;
    case ARGUMENTS_PHI:
        rh__parser_append(p, node, rh__parser_expression(p));
        if (rh__parser_accept(p, RH_TOKEN_COMMA)) {
            rh__parser_set_number(p, node, option(p));
        }
        break;
    case ARGUMENTS_COMPONENTS:
        do {
            rh__parser_append(p, node, component(p, row->form));
        } while (rh__parser_accept(p, RH_TOKEN_COMMA));
        break;
    }
}

// "(" arguments ")" of the realisation
static void by_brackets(rh_parser *p, rh_ast node, const realisation_row *row)
{
    const bool is_open = rh__parser_at(p, RH_TOKEN_OPEN_ROUND);
    if (!is_open && (row->arguments == ARGUMENTS_NONE || row->arguments == ARGUMENTS_OPTION)) {
        return;
    }
    if (!is_open || row->arguments == ARGUMENTS_NONE) {
        rh__parser_fail(p, RH_DIAGNOSTIC_E050, rh__parser_gap(p), row->form,
                        is_open ? "`%s` takes no arguments"
                                : "`%s` needs its arguments in brackets",
                        row->word);
        return;
    }
    const rh_parser_scope scope = rh__parser_scope_begin(p);
    rh__parser_advance(p);
    if (rh__parser_at(p, RH_TOKEN_CLOSE_ROUND)) {
        rh__parser_fail(p, RH_DIAGNOSTIC_E050, rh__parser_gap(p), row->form,
                        "nothing stands between the brackets of `%s`", row->word);
    }
    by_arguments(p, node, row);
    if (!rh__parser_accept(p, RH_TOKEN_CLOSE_ROUND)) {
        rh__parser_fail(p, RH_DIAGNOSTIC_E050, rh__parser_peek(p).span, row->form,
                        "expected `)` after the arguments of `%s`, found %s", row->word,
                        rh__parser_show(p, rh__parser_peek(p)));
    }
    rh__parser_scope_end(p, scope);
}

// A realisation, WORD [ "(" arguments ")" ], into a node that was begun.
static rh_ast realisation(rh_parser *p, rh_ast node)
{
    for (int i = 0; i < REALISATION_COUNT; i++) {
        if (rh__parser_accept_word(p, REALISATIONS[i].word)) {
            rh__parser_set_text(p, node, rh__slice_of(REALISATIONS[i].word));
            by_brackets(p, node, &REALISATIONS[i]);
            return rh__parser_close(p, node);
        }
    }
    fail_realisation(p);
    return (rh_ast){0};
}

// by = "by" realisation
static rh_ast by(rh_parser *p)
{
    const rh_ast node = rh__parser_begin(p, RH_AST_BY);
    rh__parser_advance(p);
    return realisation(p, node);
}

// One change, NAME "=" realisation.
static rh_ast by_change(rh_parser *p)
{
    p->form = "NAME=REALISATION";
    const rh_ast node = rh__parser_begin(p, RH_AST_SETTING);
    rh__parser_append(p, node, rh__parser_name(p));
    rh__parser_equal(p);
    rh__parser_append(p, node, realisation(p, rh__parser_begin(p, RH_AST_BY)));
    return rh__parser_close(p, node);
}

// What --by takes: changes, separated by commas.
rh_ast rh__parser_by_changes(rh_parser *p)
{
    const rh_ast node = rh__parser_begin(p, RH_AST_START);
    do {
        rh__parser_append(p, node, by_change(p));
    } while (!p->is_panicking && rh__parser_accept(p, RH_TOKEN_COMMA));
    return rh__parser_close(p, node);
}

// impact = "impact" expression
static rh_ast impact(rh_parser *p)
{
    const rh_ast node = rh__parser_begin(p, RH_AST_IMPACT);
    rh__parser_advance(p);
    rh__parser_append(p, node, rh__parser_expression(p));
    return rh__parser_close(p, node);
}

// preset = "baumgarte" "(" expression "," expression ")"
static rh_ast preset(rh_parser *p)
{
    const rh_token token = rh__parser_peek(p);
    if (!rh__parser_at_word(p, "baumgarte")) {
        rh__parser_fail(p, RH_DIAGNOSTIC_E051, token.span, "baumgarte(w, mu)",
                        "expected a perturbation law or `baumgarte` after `with`, found %s",
                        rh__parser_show(p, token));
    }
    const rh_ast node = rh__parser_begin(p, RH_AST_CALL);
    rh__parser_set_text(p, node, rh__slice_of("baumgarte"));
    rh__parser_advance(p);
    const rh_parser_scope scope = rh__parser_scope_begin(p);
    rh__parser_advance(p);
    rh__parser_append(p, node, rh__parser_expression(p));
    if (!rh__parser_accept(p, RH_TOKEN_COMMA)) {
        rh__parser_fail(p, RH_DIAGNOSTIC_E051, rh__parser_gap(p), "baumgarte(w, mu)",
                        "expected `,` and the damping of `baumgarte`, found %s",
                        rh__parser_show(p, rh__parser_peek(p)));
    }
    rh__parser_append(p, node, rh__parser_expression(p));
    (void)rh__parser_expect(p, RH_TOKEN_CLOSE_ROUND, "after the second argument of `baumgarte`");
    rh__parser_scope_end(p, scope);
    return rh__parser_close(p, node);
}

// with = "with" ( target primes "=" expression | preset )
static rh_ast with(rh_parser *p)
{
    const rh_ast node = rh__parser_begin(p, RH_AST_WITH);
    rh__parser_advance(p);
    if (rh__parser_at(p, RH_TOKEN_NAME) && rh__parser_peek_second(p).kind == RH_TOKEN_OPEN_ROUND) {
        rh__parser_append(p, node, preset(p));
        return rh__parser_close(p, node);
    }
    const rh_ast place = rh__parser_place(p);
    if (rh__parser_kind(p, place) != RH_AST_PRIME) {
        rh__parser_fail(p, RH_DIAGNOSTIC_E051, rh__parser_gap(p), "with NAME'' = EXPRESSION",
                        "a perturbation law gives a derivative of the constraint; expected `'`, "
                        "found %s",
                        rh__parser_show(p, rh__parser_peek(p)));
    }
    rh__parser_append(p, node, place);
    rh__parser_equal(p);
    rh__parser_append(p, node, rh__parser_expression(p));
    return rh__parser_close(p, node);
}

// while = "while" condition
static rh_ast while_clause(rh_parser *p)
{
    const rh_ast node = rh__parser_begin(p, RH_AST_WHILE);
    rh__parser_advance(p);
    rh__parser_append(p, node, rh__parser_condition(p));
    return rh__parser_close(p, node);
}

// The clauses of one statement, kept apart until all are read.
typedef struct clause_set {
    rh_ast impact, by, with, condition;
} clause_set;

static void keep_clause(rh_parser *p, rh_ast *kept, rh_ast clause, rh_token word)
{
    if (kept->i != 0) {
        rh__parser_report(p, RH_DIAGNOSTIC_E048, word.span, "one of the two clauses",
                          "the clause %s is given a second time", rh__parser_show(p, word));
        return;
    }
    *kept = clause;
}

// clauses = { impact | by | with | while }, each at most once
static clause_set clauses(rh_parser *p)
{
    clause_set set = {0};
    while (rh__parser_at(p, RH_TOKEN_NAME)) {
        const rh_token word = rh__parser_peek(p);
        if (rh__parser_at_word(p, "impact")) {
            keep_clause(p, &set.impact, impact(p), word);
        } else if (rh__parser_at_word(p, "by")) {
            keep_clause(p, &set.by, by(p), word);
        } else if (rh__parser_at_word(p, "with")) {
            keep_clause(p, &set.with, with(p), word);
        } else if (rh__parser_at_word(p, "while")) {
            keep_clause(p, &set.condition, while_clause(p), word);
        } else {
            break;
        }
    }
    return set;
}

// constraint = "constraint" cname ":" expression relation right_side clauses
void rh__parser_constraint(rh_parser *p, rh_ast node)
{
    rh__parser_set_kind(p, node, RH_AST_CONSTRAINT);
    rh__parser_append(p, node, title(p, "a constraint"));
    rh__parser_append(p, node, rh__parser_expression(p));
    rh__parser_set_number(p, node, relation(p));
    rh__parser_append(p, node, right_side(p));
    const clause_set set = clauses(p);
    rh__parser_append(p, node, set.impact);
    rh__parser_append(p, node, set.by);
    rh__parser_append(p, node, set.with);
    rh__parser_append(p, node, set.condition);
}

static const char *const EVENT_WORDS[] = {"up", "down", "both", "stop", "record", "reset", NULL};

// direction = "up" | "down" | "both"
static bool direction(rh_parser *p, rh_direction *out)
{
    if (rh__parser_accept_word(p, "up")) {
        *out = RH_DIRECTION_UP;
    } else if (rh__parser_accept_word(p, "down")) {
        *out = RH_DIRECTION_DOWN;
    } else if (rh__parser_accept_word(p, "both")) {
        *out = RH_DIRECTION_BOTH;
    } else {
        return false;
    }
    return true;
}

// action = "stop" | "record" | "reset" settings
static rh_ast action(rh_parser *p)
{
    const rh_ast node = rh__parser_begin(p, RH_AST_ACTION);
    rh__parser_set_text(p, node, rh__token_text(p->lexer, rh__parser_peek(p)));
    if (rh__parser_accept_word(p, "reset")) {
        rh__parser_settings(p, node);
    } else {
        rh__parser_advance(p);
    }
    return rh__parser_close(p, node);
}

static bool at_one_of(const rh_parser *p, const char *const *words)
{
    const rh_token token = rh__parser_peek(p);
    return token.kind == RH_TOKEN_NAME &&
           rh__word_is_one_of(rh__token_text(p->lexer, token), words);
}

// What may not follow the action of an event.
static void check_event_end(rh_parser *p)
{
    static const char *const DIRECTIONS[] = {"up", "down", "both", NULL};
    const rh_token token = rh__parser_peek(p);
    if (at_one_of(p, DIRECTIONS)) {
        rh__parser_fail(p, RH_DIAGNOSTIC_E058, token.span, p->form,
                        "%s stands behind the action, expected it before",
                        rh__parser_show(p, token));
    } else if (at_one_of(p, EVENT_WORDS)) {
        rh__parser_fail(p, RH_DIAGNOSTIC_E048, token.span, "one action",
                        "a second action %s follows the first", rh__parser_show(p, token));
    }
}

// event = "event" cname ":" expression "=" expression [ direction ] [ action ]
void rh__parser_event(rh_parser *p, rh_ast node)
{
    static const char *const ACTIONS[] = {"stop", "record", "reset", NULL};
    rh__parser_set_kind(p, node, RH_AST_EVENT);
    rh__parser_append(p, node, title(p, "an event"));
    rh__parser_append(p, node, rh__parser_expression_before(p, EVENT_WORDS));
    rh__parser_equal(p);
    rh__parser_append(p, node, rh__parser_expression_before(p, EVENT_WORDS));
    rh_direction way = RH_DIRECTION_BOTH;
    rh_direction second = RH_DIRECTION_BOTH;
    const bool has_way = direction(p, &way);
    rh__parser_set_number(p, node, way);
    const rh_token token = rh__parser_peek(p);
    if (has_way && direction(p, &second)) {
        rh__parser_report(p, RH_DIAGNOSTIC_E048, token.span, "one of up, down, both",
                          "a second direction %s follows the first", rh__parser_show(p, token));
    }
    if (at_one_of(p, ACTIONS)) {
        rh__parser_append(p, node, action(p));
        check_event_end(p);
    }
}
