// SPDX-License-Identifier: Apache-2.0
// Private to `syntax`: tokens, the lexer that makes them from text, and the layout that decides
// which line ends are ends of statements.

#pragma once

#include "syntax/syntax.h"

/// Every kind of token with its spelling (or what it is called in messages).
#define RH_TOKEN_LIST(X)                                                                           \
    X(END, "the end of the file")                                                                  \
    X(NEWLINE, "the end of the line")                                                              \
    X(BAD, "a character that is not part of the language")                                         \
    X(NAME, "a name")                                                                              \
    X(NUMBER, "a number")                                                                          \
    X(STRING, "a string")                                                                          \
    X(PLUS, "+")                                                                                   \
    X(MINUS, "-")                                                                                  \
    X(STAR, "*")                                                                                   \
    X(SLASH, "/")                                                                                  \
    X(CARET, "^")                                                                                  \
    X(OPEN_ROUND, "(")                                                                             \
    X(CLOSE_ROUND, ")")                                                                            \
    X(OPEN_SQUARE, "[")                                                                            \
    X(CLOSE_SQUARE, "]")                                                                           \
    X(COMMA, ",")                                                                                  \
    X(COLON, ":")                                                                                  \
    X(SEMICOLON, ";")                                                                              \
    X(POINT, ".")                                                                                  \
    X(RANGE, "..")                                                                                 \
    X(PRIME, "'")                                                                                  \
    X(EQUAL, "=")                                                                                  \
    X(SAME, "==")                                                                                  \
    X(UNEQUAL, "!=")                                                                               \
    X(LESS, "<")                                                                                   \
    X(LESS_EQUAL, "<=")                                                                            \
    X(GREATER, ">")                                                                                \
    X(GREATER_EQUAL, ">=")

typedef enum rh_token_kind {
#define RH_TOKEN_ENUM(name, spelling) RH_TOKEN_##name,
    RH_TOKEN_LIST(RH_TOKEN_ENUM)
#undef RH_TOKEN_ENUM
} rh_token_kind;

enum {
    RH_TOKEN_GLUED = 1,  // nothing stands between it and the token before
    RH_TOKEN_FLAWED = 2, // already complained about; its text may not be a proper literal
    RH_TOKEN_MICRO = 4   // a name with a micro sign in it, which reads as mu
};

typedef struct rh_token {
    rh_span span;
    uint8_t kind;  // rh_token_kind
    uint8_t flags; // RH_TOKEN_*
} rh_token;

typedef RH_ARRAY(rh_token) rh_token_array;

/// What the lexer and the layout share.
typedef struct rh_lexer {
    rh_slice text;
    uint32_t base; // offset of the text in the joined sources
    uint32_t at;
    rh_arena *scratch;
    rh_diagnostics *diagnostics;
    rh_token_array tokens;
    bool is_glued;          // no blank since the last token
    bool has_bad_encoding;  // said once a file
    bool has_bad_character; // said once a line
    bool is_refused;        // the arena has no more
} rh_lexer;

/// Read all tokens of one part; a NEWLINE ends every line that holds a token, END comes last.
/// False when the arena refused.
bool rh__lexer_run(rh_lexer *lexer, const rh_source_part *part);

/// Drop the line ends inside statements and check the brackets. A bracket without partner becomes
/// BAD. False when the arena refused.
bool rh__layout_run(rh_lexer *lexer);

/// The text of a token, as written.
rh_slice rh__token_text(const rh_lexer *lexer, rh_token token);

/// The spelling of a kind.
const char *rh__token_spelling(rh_token_kind kind);

// Steps of the lexer, in several files.
rh_slice rh__lexer_rest(const rh_lexer *lexer);
rh_span rh__lexer_span(const rh_lexer *lexer, uint32_t start);
char rh__lexer_byte(const rh_lexer *lexer, uint32_t ahead);
bool rh__lexer_pass(rh_lexer *lexer);
void rh__lexer_emit(rh_lexer *lexer, rh_token_kind kind, uint32_t start, unsigned flags);
void rh__lexer_number(rh_lexer *lexer);
void rh__lexer_string(rh_lexer *lexer);

/// A character of another alphabet or keyboard that stands for one of ours.
typedef struct rh_lookalike {
    uint32_t code;
    uint8_t kind;      // rh_token_kind; RH_TOKEN_BAD when the statement cannot be read on
    uint8_t count;     // how many such tokens; 0: it is a blank; a STRING is a quote
    const char *ascii; // what to write
} rh_lookalike;

/// False when the code is no look-alike.
bool rh__lookalike_find(uint32_t code, rh_lookalike *out);
/// May the code point, outside ASCII, stand in a name?
bool rh__letter_is(uint32_t code);
bool rh__letter_is_cyrillic(uint32_t code);
