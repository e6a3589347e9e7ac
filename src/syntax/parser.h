// SPDX-License-Identifier: Apache-2.0
// Private to `syntax`: the parser's state, its steps, and one function per grammar rule.
//
// After a mistake that ends a statement the parser panics: from then on it sees only the end of the
// file, so every rule runs out quietly, makes no nodes and reports nothing, until the next
// statement calms it.

#pragma once

#include "syntax/lexer.h"

/// Every statement: its word, and its form as shown in repairs. Each has a rule rh__parser_WORD.
#define RH_STATEMENT_LIST(X)                                                                       \
    X(model, "model \"TITLE\"")                                                                    \
    X(param, "param NAME = EXPRESSION, ...")                                                       \
    X(coord, "coord NAME, NAME[1..N], ...")                                                        \
    X(state, "state NAME, NAME[1..N], ...")                                                        \
    X(let, "let NAME = EXPRESSION")                                                                \
    X(kinetic, "kinetic EXPRESSION")                                                               \
    X(potential, "potential EXPRESSION")                                                           \
    X(dissipation, "dissipation EXPRESSION")                                                       \
    X(lagrangian, "lagrangian EXPRESSION")                                                         \
    X(force, "force NAME: EXPRESSION, or force at POINT: VECTOR")                                  \
    X(torque, "torque on ROTATION: VECTOR")                                                        \
    X(input, "input NAME = EXPRESSION, or input NAME from \"file.csv\"")                           \
    X(law, "law EXPRESSION = EXPRESSION")                                                          \
    X(equation, "equation NAME: EXPRESSION = EXPRESSION")                                          \
    X(constraint, "constraint NAME: EXPRESSION = EXPRESSION")                                      \
    X(quasi, "quasi NAME = EXPRESSION")                                                            \
    X(select, "select NAME, NAME, ...")                                                            \
    X(pair, "pair NAME, NAME")                                                                     \
    X(change, "change NAME = EXPRESSION, ... inverse NAME = EXPRESSION, ...")                      \
    X(construct, "construct, or construct tangent EXPRESSION with VECTOR, ...")                    \
    X(start, "start NAME = EXPRESSION, ...")                                                       \
    X(guess, "guess NAME = EXPRESSION, ...")                                                       \
    X(scale, "scale NAME = EXPRESSION, ...")                                                       \
    X(event, "event NAME: EXPRESSION = EXPRESSION down record")                                    \
    X(observe, "observe NAME = EXPRESSION")                                                        \
    X(draw, "draw point VECTOR, draw line VECTOR to VECTOR, or draw disc ...")                     \
    X(for, "for NAME in FIRST..LAST: STATEMENT")

typedef struct rh_parser {
    const rh_lexer *lexer;
    const rh_token *tokens;
    uint32_t at;
    rh_arena *scratch; // for texts of messages
    rh_tree *tree;
    rh_diagnostics *diagnostics;
    uint32_t depth;               // of rules inside one another
    bool is_panicking;            // the statement is lost
    bool is_full;                 // no more nodes
    bool is_condition;            // inside the condition of an `if`
    bool expects_range;           // `..` may end the expression
    bool is_bracketed;            // inside some bracket of the statement
    bool has_commas;              // the statement is a list of settings
    bool has_product_report;      // a missing operator was reported in this statement
    const char *form;             // of the statement, for repairs
    const char *const *followers; // words that may end an expression outside brackets; or NULL
} rh_parser;

/// What a rule inside brackets must put back.
typedef struct rh_parser_scope {
    bool is_condition, expects_range, is_bracketed;
    const char *const *followers;
} rh_parser_scope;

// words.c
bool rh__word_is_one_of(rh_slice word, const char *const *list);
bool rh__word_is_function(rh_slice word);
const char *const *rh__statement_words(void);
rh_slice rh__word_nearest(rh_slice wanted, const char *const *list);

// cursor.c: tokens
rh_token rh__parser_peek(const rh_parser *p);
rh_token rh__parser_peek_second(const rh_parser *p);
bool rh__parser_at(const rh_parser *p, rh_token_kind kind);
bool rh__parser_at_word(const rh_parser *p, const char *word);
void rh__parser_advance(rh_parser *p);
bool rh__parser_accept(rh_parser *p, rh_token_kind kind);
bool rh__parser_accept_word(rh_parser *p, const char *word);
/// The token, or panic; `where` says after or in what.
bool rh__parser_expect(rh_parser *p, rh_token_kind kind, const char *where);
bool rh__parser_expect_word(rh_parser *p, const char *word, const char *where);
rh_slice rh__parser_text(rh_parser *p, rh_token token);
/// The place just after the token read last.
rh_span rh__parser_gap(const rh_parser *p);
/// The present token, or the place just after the last one when the line ends there.
rh_span rh__parser_found(const rh_parser *p);
rh_token rh__parser_last(const rh_parser *p);

// cursor.c: nodes
rh_ast rh__parser_begin(rh_parser *p, rh_ast_kind kind);
rh_ast rh__parser_begin_at(rh_parser *p, rh_ast_kind kind, uint32_t offset);
/// A node begins where its first operand does.
uint32_t rh__parser_offset(const rh_parser *p);
void rh__parser_append(rh_parser *p, rh_ast parent, rh_ast child);
/// The node ends with the token read last.
rh_ast rh__parser_close(rh_parser *p, rh_ast node);
void rh__parser_set_kind(rh_parser *p, rh_ast node, rh_ast_kind kind);
void rh__parser_set_text(rh_parser *p, rh_ast node, rh_slice text);
void rh__parser_set_number(rh_parser *p, rh_ast node, unsigned number);
rh_ast_kind rh__parser_kind(const rh_parser *p, rh_ast node);
bool rh__parser_enter(rh_parser *p);
void rh__parser_leave(rh_parser *p);
rh_parser_scope rh__parser_scope_begin(rh_parser *p);
void rh__parser_scope_end(rh_parser *p, rh_parser_scope scope);

// complaint.c: reports
/// Report and go on as if the text were right.
void rh__parser_report(rh_parser *p, rh_diagnostic_code code, rh_span span, const char *repair,
                       const char *format, ...) __attribute__((format(printf, 5, 6)));
/// Report and give the statement up.
void rh__parser_fail(rh_parser *p, rh_diagnostic_code code, rh_span span, const char *repair,
                     const char *format, ...) __attribute__((format(printf, 5, 6)));
/// Complain about the present token where `expected` should stand.
void rh__parser_fail_here(rh_parser *p, rh_diagnostic_code code, const char *expected);
const char *rh__parser_show(rh_parser *p, rh_token token);
void rh__parser_fail_word(rh_parser *p);
void rh__parser_fail_line(rh_parser *p);

// expression.c
rh_ast rh__parser_expression(rh_parser *p);
rh_ast rh__parser_condition(rh_parser *p);
rh_ast rh__parser_expression_before(rh_parser *p, const char *const *followers);
// primary.c
rh_ast rh__parser_postfix(rh_parser *p);
// name.c
rh_ast rh__parser_declared_name(rh_parser *p, const char *what);
rh_ast rh__parser_declare(rh_parser *p, const char *what);
rh_ast rh__parser_cname(rh_parser *p, const char *what);
rh_ast rh__parser_target(rh_parser *p);
rh_ast rh__parser_place(rh_parser *p);
rh_ast rh__parser_multiplier(rh_parser *p);
rh_ast rh__parser_indexed(rh_parser *p, rh_ast name, uint32_t offset);
rh_ast rh__parser_name(rh_parser *p);
rh_ast rh__parser_range(rh_parser *p);
unsigned rh__parser_primes(rh_parser *p);
// parser.c
/// Nobody knows what this name is.
void rh__parser_lose(rh_parser *p, rh_token token);
// statement.c, clause.c
rh_ast rh__parser_statement(rh_parser *p);
rh_ast rh__parser_by_changes(rh_parser *p);
void rh__parser_settings(rh_parser *p, rh_ast list);
rh_ast rh__parser_setting(rh_parser *p);
rh_ast rh__parser_string(rh_parser *p, const char *what);
void rh__parser_equal(rh_parser *p);
#define RH_STATEMENT_RULE(word, form) void rh__parser_##word(rh_parser *p, rh_ast node);
RH_STATEMENT_LIST(RH_STATEMENT_RULE)
#undef RH_STATEMENT_RULE
