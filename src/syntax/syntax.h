// SPDX-License-Identifier: Apache-2.0
// Door of the room `syntax`: model text -> abstract syntax tree with source spans.

#pragma once

#include "base/base.h"

// --- source ----------------------------------------------------------------------------------

/// One file, or one setting of the command line. `text` is borrowed.
typedef struct rh_source_part {
    const char *name; // as shown in messages
    rh_slice text;
    uint32_t offset;                    // of its first byte in the joined sources
    const struct rh_source_mark *marks; // known places, so that finding a column never rescans
} rh_source_part;

/// All text of a model. Spans count bytes in the joined parts; parts are one byte apart, so that a
/// span never crosses from one to the next.
typedef struct rh_source {
    rh_arena *arena;
    RH_ARRAY(rh_source_part) parts;
    uint32_t size;
} rh_source;

/// Where a span begins and ends, counted from 1, columns in code points; `end` is the column after
/// the last character, on the line of the end.
typedef struct rh_place {
    const char *name;
    uint32_t line, column;
    uint32_t end_line, end_column;
    rh_slice line_text; // the first line, without its end
} rh_place;

rh_source rh__source_begin(rh_arena *arena);
/// False when the arena refused or the sources would pass 4 GiB. Name and text are borrowed.
bool rh__source_add(rh_source *source, const char *name, rh_slice text);
rh_slice rh__source_slice(const rh_source *source, rh_span span);
rh_place rh__source_place(const rh_source *source, rh_span span);

// --- tree ------------------------------------------------------------------------------------

/// Identity of a node; 0 is none.
typedef struct rh_ast {
    uint32_t i;
} rh_ast;

/// Every kind of node with its word in `dump --stage ast` and its children, in order.
/// `?` optional, `*` any number; `text` and `number` say what the node itself carries.
#define RH_AST_LIST(X)                                                                             \
    /* expressions */                                                                              \
    X(NUMBER, "number")     /* text: the literal                                         */        \
    X(NAME, "name")         /* text                                                      */        \
    X(INDEX, "index")       /* NAME, expression*                                         */        \
    X(MULTIPLIER, "lambda") /* cname: lambda.NAME or lambda.NAME[i]                      */        \
    X(MEMBER, "member")     /* expression; text: x, y or z                               */        \
    X(PRIME, "prime")       /* expression; number: how many primes                       */        \
    X(CALL, "call")         /* expression*; text: the function (if, sin, user's own ...) */        \
    X(SUM, "sum")           /* NAME index, RANGE, expression                             */        \
    X(RANGE, "range")       /* first, last                                               */        \
    X(ADD, "+")             /* two or more; a subtracted one is wrapped in NEGATE        */        \
    X(MULTIPLY, "*")        /* two or more; a divisor is wrapped in INVERT               */        \
    X(NEGATE, "-")          /* one                                                       */        \
    X(INVERT, "/")          /* one, only inside MULTIPLY                                 */        \
    X(POWER, "^")           /* base, exponent                                            */        \
    X(COMPARE, "compare")   /* left, right; number: rh_relation                          */        \
    X(AND, "and")           /* two or more                                               */        \
    X(OR, "or")             /* two or more                                               */        \
    X(NOT, "not")           /* one                                                       */        \
    X(VECTOR, "vector")     /* one or more (VECTORs of equal length: a matrix)           */        \
    /* parts of statements */                                                                      \
    X(DECLARE, "declare")     /* RANGE*; text: the declared name                           */      \
    X(SETTING, "setting")     /* place (NAME, INDEX, PRIME or MULTIPLIER), expression      */      \
    X(COMPONENT, "component") /* target (NAME or INDEX), expression: `psi: 1`              */      \
    X(CONSTANT, "const")      /* the right side `const`                                    */      \
    X(IMPACT, "impact")       /* expression                                                */      \
    X(BY, "by")               /* COMPONENT* or expression?; text: ideal, servo, inertia,           \
                                 vakonomic, friction, reaction; number: rh_option          */      \
    X(WITH, "with")           /* PRIME of cname, expression; or CALL baumgarte             */      \
    X(WHILE, "while")         /* condition                                                 */      \
    X(ACTION, "action")       /* SETTING*; text: stop, record or reset                     */      \
    X(STRING, "string")       /* text: the contents, escapes undone                        */      \
    /* statements */                                                                               \
    X(MODEL, "model")             /* STRING                                                    */  \
    X(PARAM, "param")             /* (DECLARE, expression)*                                    */  \
    X(COORD, "coord")             /* DECLARE*                                                  */  \
    X(STATE, "state")             /* DECLARE*                                                  */  \
    X(LET, "let")                 /* NAME or INDEX, expression                                 */  \
    X(FUNCTION, "function")       /* NAME own, NAME* arguments, expression (let f(u) = ...)    */  \
    X(KINETIC, "kinetic")         /* expression                                                */  \
    X(POTENTIAL, "potential")     /* expression                                                */  \
    X(DISSIPATION, "dissipation") /* expression                                             */     \
    X(LAGRANGIAN, "lagrangian")   /* expression                                             */     \
    X(FORCE, "force")             /* target, expression                                        */  \
    X(FORCE_AT, "force_at")       /* position, expression                                      */  \
    X(TORQUE, "torque")           /* rotation, expression                                      */  \
    X(INPUT, "input")             /* NAME, expression or STRING                                */  \
    X(LAW, "law")                 /* left, right                                               */  \
    X(EQUATION, "equation")       /* cname (NAME or INDEX), left, right                        */  \
    X(CONSTRAINT, "constraint") /* cname, left, right or CONSTANT, then IMPACT? BY? WITH? WHILE?;  \
                                   number: rh_relation                                      */     \
    X(QUASI, "quasi")           /* NAME or INDEX, expression                                 */    \
    X(SELECT, "select")         /* target*                                                   */    \
    X(PAIR, "pair")             /* target, target                                            */    \
    X(CHANGE, "change")         /* SETTING*, INVERSE                                         */    \
    X(INVERSE, "inverse")       /* SETTING*                                                  */    \
    X(CONSTRUCT, "construct")   /* expression?, vector* (tangent c0 with ...)                */    \
    X(START, "start")           /* SETTING*                                                  */    \
    X(GUESS, "guess")           /* SETTING*                                                  */    \
    X(SCALE, "scale")           /* SETTING*                                                  */    \
    X(EVENT, "event")           /* cname, left, right, ACTION?; number: rh_direction         */    \
    X(OBSERVE, "observe")       /* NAME, expression?                                         */    \
    X(DRAW_POINT, "draw_point") /* vector                                                   */     \
    X(DRAW_LINE, "draw_line")   /* vector, vector                                            */    \
    X(DRAW_DISC, "draw_disc")   /* centre, normal, radius                                    */    \
    X(FOR, "for")               /* NAME index, RANGE, statement                              */    \
    X(FILE, "file")             /* statement*                                                */

typedef enum rh_ast_kind {
    RH_AST_NONE,
#define RH_AST_ENUM(name, word) RH_AST_##name,
    RH_AST_LIST(RH_AST_ENUM)
#undef RH_AST_ENUM
} rh_ast_kind;

typedef enum rh_relation {
    RH_RELATION_EQUAL,
    RH_RELATION_UNEQUAL,
    RH_RELATION_LESS,
    RH_RELATION_LESS_EQUAL,
    RH_RELATION_GREATER,
    RH_RELATION_GREATER_EQUAL
} rh_relation;

typedef enum rh_direction { RH_DIRECTION_BOTH, RH_DIRECTION_UP, RH_DIRECTION_DOWN } rh_direction;

/// Options of type II realisations.
typedef enum rh_option { RH_OPTION_NONE, RH_OPTION_LITERAL, RH_OPTION_HOLD } rh_option;

typedef struct rh_ast_node {
    rh_span span;
    uint16_t kind;   // rh_ast_kind
    uint16_t number; // see RH_AST_LIST
    uint32_t count;  // of children
    rh_ast first;    // child
    rh_ast last;     // child
    rh_ast next;     // sibling
    rh_slice text;   // see RH_AST_LIST; borrowed from the source or the tree's arena
} rh_ast_node;

/// A tree. Nodes are reached through ids; id order is the order of making.
typedef struct rh_tree {
    rh_arena *arena;
    RH_ARRAY(rh_ast_node) nodes; // [0] is none
    rh_ast root;                 // a FILE
    rh_status status;            // RH_OK, or why the tree is not whole
    RH_ARRAY(rh_slice)
    lost; // names in statements that could not be read: nobody knows what they are
} rh_tree;

/// Most that a text may ask for; a breach has its own diagnostic.
enum {
    RH_SYNTAX_FILE_SIZE = 8 << 20, // bytes
    RH_SYNTAX_NESTING = 200,       // brackets, signs, powers, `for`s inside one another
    RH_SYNTAX_NODES = 4000000,
    RH_SYNTAX_NAME_SIZE = 128,   // bytes
    RH_SYNTAX_NUMBER_SIZE = 400, // characters of a literal
    RH_SYNTAX_EXPONENT = 400,    // largest decimal exponent of a literal
    RH_SYNTAX_PRIMES = 8
};

/// Parse part `part` of the source. Errors go to `diagnostics`; the tree holds every statement that
/// could be read, so that later stages can criticise those too. Fails only for want of memory or by
/// a limit.
RH_NODISCARD rh_status rh__tree_parse(const rh_source *source, uint32_t part, rh_arena *arena,
                                      rh_diagnostics *diagnostics, rh_tree *out);

/// Parse one part as settings `place = EXPR {, place = EXPR}` (what --set and --start take): the
/// root is a FILE with one START node.
RH_NODISCARD rh_status rh__tree_parse_settings(const rh_source *source, uint32_t part,
                                               rh_arena *arena, rh_diagnostics *diagnostics,
                                               rh_tree *out);

/// Parse one part as `NAME = REALISATION` (what --by takes): the root is a FILE with one SETTING
/// of the name and its BY.
RH_NODISCARD rh_status rh__tree_parse_by(const rh_source *source, uint32_t part, rh_arena *arena,
                                         rh_diagnostics *diagnostics, rh_tree *out);

/// Parse one part as an expression (what --observe takes): the root is a FILE with one OBSERVE of
/// it.
RH_NODISCARD rh_status rh__tree_parse_expression(const rh_source *source, uint32_t part,
                                                 rh_arena *arena, rh_diagnostics *diagnostics,
                                                 rh_tree *out);

const rh_ast_node *rh__tree_node(const rh_tree *tree, rh_ast id);
rh_ast_kind rh__tree_kind(const rh_tree *tree, rh_ast id);
/// The k-th child; none when there are not so many.
rh_ast rh__tree_child(const rh_tree *tree, rh_ast id, uint32_t k);
rh_ast rh__tree_next(const rh_tree *tree, rh_ast id);
const char *rh__ast_word(rh_ast_kind kind);

/// The canonical text of the tree: one node a line, two spaces a level,
/// `word text number @line:column-line:column`.
void rh__tree_dump(const rh_tree *tree, const rh_source *source, rh_text *out);

/// Is the word reserved everywhere (t, pi, lambda, dev, const, by, with, impact, friction, in, if,
/// sum, and or not, and every function)?
bool rh__word_is_reserved(rh_slice word);
/// Does the word begin a statement?
bool rh__word_is_statement(rh_slice word);
/// Built-in functions, NULL-terminated: for suggestions.
const char *const *rh__function_words(void);
