// SPDX-License-Identifier: Apache-2.0
// Lexer: text -> tokens, in one pass without looking back. It knows characters, not statements.
// What it cannot read it reports once and hands on as BAD (the parser then skips that statement in
// silence) or, where the meaning is plain, as the token that was meant.

#include "syntax/lexer.h"

#include <string.h>

static const char *const SPELLINGS[] = {
#define RH_TOKEN_SPELLING(name, spelling) spelling,
    RH_TOKEN_LIST(RH_TOKEN_SPELLING)
#undef RH_TOKEN_SPELLING
};

const char *rh__token_spelling(rh_token_kind kind)
{
    return SPELLINGS[kind];
}

rh_slice rh__token_text(const rh_lexer *lexer, rh_token token)
{
    RH_ASSERT(token.span.offset >= lexer->base);
    RH_ASSERT(token.span.offset - lexer->base + token.span.size <= lexer->text.size);
    return (rh_slice){lexer->text.data + (token.span.offset - lexer->base), token.span.size};
}

rh_slice rh__lexer_rest(const rh_lexer *lexer)
{
    return (rh_slice){lexer->text.data + lexer->at, lexer->text.size - lexer->at};
}

rh_span rh__lexer_span(const rh_lexer *lexer, uint32_t start)
{
    return (rh_span){lexer->base + start, lexer->at - start};
}

// The byte `ahead` of the present one, or 0 behind the end.
char rh__lexer_byte(const rh_lexer *lexer, uint32_t ahead)
{
    return ahead < lexer->text.size - lexer->at ? lexer->text.data[lexer->at + ahead] : '\0';
}

// The token from `start` up to here.
void rh__lexer_emit(rh_lexer *lexer, rh_token_kind kind, uint32_t start, unsigned flags)
{
    const unsigned glued = lexer->is_glued ? (unsigned)RH_TOKEN_GLUED : 0u;
    const rh_token token = {rh__lexer_span(lexer, start), (uint8_t)kind, (uint8_t)(flags | glued)};
    if (!rh__array_push(lexer->scratch, &lexer->tokens, token)) {
        lexer->is_refused = true;
    }
    lexer->is_glued = true;
}

static bool last_is(const rh_lexer *lexer, rh_token_kind kind)
{
    return lexer->tokens.count > 0 && lexer->tokens.data[lexer->tokens.count - 1].kind == kind;
}

static bool is_control(uint32_t code)
{
    return (code < 0x20 && code != '\t') || code == 0x7f;
}

// Step over one byte that is no text at all.
static void report_encoding(rh_lexer *lexer)
{
    const uint32_t start = lexer->at++;
    if (!lexer->has_bad_encoding) {
        lexer->has_bad_encoding = true;
        rh__diagnostics_add(lexer->diagnostics, RH_DIAGNOSTIC_E003, rh__lexer_span(lexer, start),
                            "the byte 0x%02X is not UTF-8 text",
                            (unsigned)(unsigned char)lexer->text.data[start]);
        rh__diagnostics_repair(lexer->diagnostics, "save the file as UTF-8");
    }
}

static void report_control(rh_lexer *lexer, uint32_t code)
{
    const uint32_t start = lexer->at++;
    const rh_span span = rh__lexer_span(lexer, start);
    if (code == 0) {
        rh__diagnostics_add(lexer->diagnostics, RH_DIAGNOSTIC_E004, span,
                            "a NUL byte stands in the text");
    } else if (code == '\r') {
        rh__diagnostics_add(lexer->diagnostics, RH_DIAGNOSTIC_E001, span,
                            "a carriage return stands alone; lines end in LF or CR LF");
    } else {
        rh__diagnostics_add(lexer->diagnostics, RH_DIAGNOSTIC_E001, span,
                            "the control character U+%04X stands in the text", (unsigned)code);
    }
    rh__diagnostics_repair(lexer->diagnostics, "remove it");
}

// Step over one code point of a comment or a string; its bytes must still be text.
bool rh__lexer_pass(rh_lexer *lexer)
{
    uint32_t code = 0;
    const int size = rh__utf8_read(rh__lexer_rest(lexer), &code);
    if (size < 0) {
        report_encoding(lexer);
        return false;
    }
    const bool ends_line = code == '\r' && rh__lexer_byte(lexer, 1) == '\n';
    if (is_control(code) && !ends_line) {
        report_control(lexer, code);
        return false;
    }
    lexer->at += (uint32_t)size;
    return true;
}

// comment = "#" up to the end of the line
static void comment(rh_lexer *lexer)
{
    while (lexer->at < lexer->text.size && rh__lexer_byte(lexer, 0) != '\n') {
        (void)rh__lexer_pass(lexer);
    }
}

static void foreign_comment(rh_lexer *lexer, const char *mark)
{
    const uint32_t start = lexer->at;
    lexer->at += (uint32_t)strlen(mark);
    const rh_span span = rh__lexer_span(lexer, start);
    if (mark[0] == '%') {
        rh__diagnostics_add(lexer->diagnostics, RH_DIAGNOSTIC_E010, span,
                            "`%%` is neither an operator nor the start of a comment");
    } else {
        rh__diagnostics_add(lexer->diagnostics, RH_DIAGNOSTIC_E010, span,
                            "`%s` does not start a comment here", mark);
    }
    rh__diagnostics_repair(lexer->diagnostics, "#");
    comment(lexer);
}

static bool is_ascii_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

// Length of the letter, digit or underscore here, 0 when there is none.
static uint32_t name_step(const rh_lexer *lexer, uint32_t *out_code)
{
    const int size = rh__utf8_read(rh__lexer_rest(lexer), out_code);
    if (size <= 0) {
        return 0;
    }
    const bool is_part = size == 1 ? is_ascii_letter((char)*out_code) || is_digit((char)*out_code)
                                   : rh__letter_is(*out_code);
    return is_part ? (uint32_t)size : 0;
}

static void check_scripts(rh_lexer *lexer, rh_span span, rh_slice name, bool has_latin,
                          bool has_cyrillic)
{
    if (has_latin && has_cyrillic) {
        rh__diagnostics_add(
            lexer->diagnostics, RH_DIAGNOSTIC_W002, span,
            "the name `%.*s` mixes Latin and Cyrillic letters, some of which look alike",
            RH_SLICE_FORMAT(name));
        rh__diagnostics_repair(lexer->diagnostics, "type the name again in one alphabet");
    }
}

// NAME = ( letter | "_" ) { letter | digit | "_" }
static void name(rh_lexer *lexer)
{
    const uint32_t start = lexer->at;
    unsigned flags = 0;
    bool has_latin = false;
    bool has_cyrillic = false;
    uint32_t code = 0;
    for (uint32_t size = name_step(lexer, &code); size > 0; size = name_step(lexer, &code)) {
        flags |= code == 0xb5 ? (unsigned)RH_TOKEN_MICRO : 0u;
        has_latin |= size == 1 && is_ascii_letter((char)code) && code != '_';
        has_cyrillic |= rh__letter_is_cyrillic(code);
        lexer->at += size;
    }
    const rh_span span = rh__lexer_span(lexer, start);
    if (span.size > RH_SYNTAX_NAME_SIZE) {
        rh__diagnostics_add(lexer->diagnostics, RH_DIAGNOSTIC_E903, span,
                            "a name of %u bytes is longer than the %d allowed", (unsigned)span.size,
                            RH_SYNTAX_NAME_SIZE);
        rh__diagnostics_repair(lexer->diagnostics, "a shorter name");
        rh__lexer_emit(lexer, RH_TOKEN_BAD, start, 0);
        return;
    }
    check_scripts(lexer, span, (rh_slice){lexer->text.data + start, span.size}, has_latin,
                  has_cyrillic);
    rh__lexer_emit(lexer, RH_TOKEN_NAME, start, flags);
}

// A run of points: one is a member, two a range, and a digit behind one makes it a number.
static void points(rh_lexer *lexer)
{
    const uint32_t start = lexer->at;
    uint32_t count = 0;
    while (rh__lexer_byte(lexer, count) == '.') {
        count++;
    }
    if (count == 1 && is_digit(rh__lexer_byte(lexer, 1))) {
        rh__lexer_number(lexer);
        return;
    }
    lexer->at += count;
    if (count > 2) {
        rh__diagnostics_add(lexer->diagnostics, RH_DIAGNOSTIC_E014, rh__lexer_span(lexer, start),
                            "a range has two points, not %u", (unsigned)count);
        rh__diagnostics_repair(lexer->diagnostics, "..");
    }
    rh__lexer_emit(lexer, count == 1 ? RH_TOKEN_POINT : RH_TOKEN_RANGE, start,
                   count > 2 ? (unsigned)RH_TOKEN_FLAWED : 0u);
}

typedef struct symbol_row {
    const char *spelling;
    uint8_t kind;
    const char *ours; // NULL: it is one of ours; else what to write instead
} symbol_row;

// Longer spellings before their own beginnings.
static const symbol_row SYMBOLS[] = {
    {"===", RH_TOKEN_SAME, "=="},         {"**", RH_TOKEN_CARET, "^"},
    {"==", RH_TOKEN_SAME, NULL},          {"=<", RH_TOKEN_LESS_EQUAL, "<="},
    {"=>", RH_TOKEN_GREATER_EQUAL, ">="}, {"=", RH_TOKEN_EQUAL, NULL},
    {"!=", RH_TOKEN_UNEQUAL, NULL},       {"~=", RH_TOKEN_UNEQUAL, "!="},
    {"<>", RH_TOKEN_UNEQUAL, "!="},       {"<=", RH_TOKEN_LESS_EQUAL, NULL},
    {"<", RH_TOKEN_LESS, NULL},           {">=", RH_TOKEN_GREATER_EQUAL, NULL},
    {">", RH_TOKEN_GREATER, NULL},        {":=", RH_TOKEN_EQUAL, "="},
    {":", RH_TOKEN_COLON, NULL},          {"&&", RH_TOKEN_BAD, "and"},
    {"||", RH_TOKEN_BAD, "or"},           {"+", RH_TOKEN_PLUS, NULL},
    {"-", RH_TOKEN_MINUS, NULL},          {"*", RH_TOKEN_STAR, NULL},
    {"/", RH_TOKEN_SLASH, NULL},          {"^", RH_TOKEN_CARET, NULL},
    {"(", RH_TOKEN_OPEN_ROUND, NULL},     {")", RH_TOKEN_CLOSE_ROUND, NULL},
    {"[", RH_TOKEN_OPEN_SQUARE, NULL},    {"]", RH_TOKEN_CLOSE_SQUARE, NULL},
    {",", RH_TOKEN_COMMA, NULL},          {";", RH_TOKEN_SEMICOLON, NULL},
    {"'", RH_TOKEN_PRIME, NULL},
};

static bool rest_begins(const rh_lexer *lexer, const char *spelling)
{
    for (uint32_t i = 0; spelling[i] != '\0'; i++) {
        if (rh__lexer_byte(lexer, i) != spelling[i]) {
            return false;
        }
    }
    return true;
}

static void foreign_symbol(rh_lexer *lexer, const symbol_row *row, rh_span span)
{
    if (row->kind == RH_TOKEN_CARET) {
        rh__diagnostics_add(lexer->diagnostics, RH_DIAGNOSTIC_E012, span,
                            "`**` is not an operator; a power is written with `^`");
    } else {
        rh__diagnostics_add(lexer->diagnostics, RH_DIAGNOSTIC_E013, span,
                            "`%s` is not an operator of this language, expected `%s`",
                            row->spelling, row->ours);
    }
    rh__diagnostics_repair(lexer->diagnostics, "%s", row->ours);
}

static bool symbol(rh_lexer *lexer)
{
    for (size_t i = 0; i < sizeof SYMBOLS / sizeof SYMBOLS[0]; i++) {
        const symbol_row *row = &SYMBOLS[i];
        if (rest_begins(lexer, row->spelling)) {
            const uint32_t start = lexer->at;
            lexer->at += (uint32_t)strlen(row->spelling);
            if (row->ours != NULL) {
                foreign_symbol(lexer, row, rh__lexer_span(lexer, start));
            }
            rh__lexer_emit(lexer, (rh_token_kind)row->kind, start,
                           row->ours != NULL ? (unsigned)RH_TOKEN_FLAWED : 0u);
            return true;
        }
    }
    return false;
}

static const char *hint_of(uint32_t code)
{
    switch (code) {
    case '{':
        return "( or [";
    case '}':
        return ") or ]";
    case '&':
        return "and";
    case '|':
        return "abs(...), or the word `or`";
    case '!':
        return "not";
    case '@':
        return "*";
    case '`':
        return "'";
    case '?':
        return "if(condition, a, b)";
    default:
        return "remove it";
    }
}

// Any character that belongs to no token; of several in a line the first is reported.
static void bad_character(rh_lexer *lexer, uint32_t code, uint32_t size)
{
    const uint32_t start = lexer->at;
    const bool is_first = !lexer->has_bad_character;
    lexer->has_bad_character = true;
    lexer->at += size;
    if (is_first) {
        rh__diagnostics_add(lexer->diagnostics, RH_DIAGNOSTIC_E001, rh__lexer_span(lexer, start),
                            "the character `%.*s` (U+%04X) is not part of the language", (int)size,
                            lexer->text.data + start, (unsigned)code);
        rh__diagnostics_repair(lexer->diagnostics, "%s", hint_of(code));
    }
    rh__lexer_emit(lexer, RH_TOKEN_BAD, start, 0);
}

static bool is_quote(uint32_t code)
{
    rh_lookalike row;
    return code == '"' || (rh__lookalike_find(code, &row) && row.kind == RH_TOKEN_STRING);
}

// A string between quotes of a word processor.
static void typographic_string(rh_lexer *lexer, uint32_t start)
{
    uint32_t code = 0;
    while (lexer->at < lexer->text.size && rh__lexer_byte(lexer, 0) != '\n' && !is_quote(code)) {
        (void)rh__utf8_read(rh__lexer_rest(lexer), &code);
        (void)rh__lexer_pass(lexer);
    }
    rh__lexer_emit(lexer, RH_TOKEN_STRING, start, RH_TOKEN_FLAWED);
}

static void lookalike(rh_lexer *lexer, const rh_lookalike *row, uint32_t size)
{
    const uint32_t start = lexer->at;
    lexer->at += size;
    const rh_span span = rh__lexer_span(lexer, start);
    const char *quote = row->count == 0 ? "" : "`";
    rh__diagnostics_add(lexer->diagnostics, RH_DIAGNOSTIC_E002, span,
                        "the character U+%04X stands where %s%s%s is meant", (unsigned)row->code,
                        quote, row->ascii, quote);
    rh__diagnostics_repair(lexer->diagnostics, "%s", row->ascii);
    if (row->count == 0) {
        lexer->is_glued = false;
    } else if (row->kind == RH_TOKEN_STRING) {
        typographic_string(lexer, start);
    } else {
        for (unsigned i = 0; i < row->count; i++) {
            rh__lexer_emit(lexer, (rh_token_kind)row->kind, start, RH_TOKEN_FLAWED);
        }
    }
}

// A character outside ASCII, or one that begins no token.
static void other(rh_lexer *lexer)
{
    uint32_t code = 0;
    const int size = rh__utf8_read(rh__lexer_rest(lexer), &code);
    const uint32_t start = lexer->at;
    rh_lookalike row;
    if (size < 0) {
        report_encoding(lexer);
        rh__lexer_emit(lexer, RH_TOKEN_BAD, start, 0);
    } else if (is_control(code)) {
        report_control(lexer, code);
        rh__lexer_emit(lexer, RH_TOKEN_BAD, start, 0);
    } else if (rh__lookalike_find(code, &row)) {
        lookalike(lexer, &row, (uint32_t)size);
    } else if (rh__letter_is(code)) {
        name(lexer);
    } else {
        bad_character(lexer, code, (uint32_t)size);
    }
}

static void newline(rh_lexer *lexer)
{
    const uint32_t start = lexer->at++;
    if (lexer->tokens.count > 0 && !last_is(lexer, RH_TOKEN_NEWLINE)) {
        rh__lexer_emit(lexer, RH_TOKEN_NEWLINE, start, 0);
    }
    lexer->is_glued = false;
    lexer->has_bad_character = false;
}

static void next_token(rh_lexer *lexer)
{
    const char c = rh__lexer_byte(lexer, 0);
    if (c == ' ' || c == '\t' || (c == '\r' && rh__lexer_byte(lexer, 1) == '\n')) {
        lexer->at++;
        lexer->is_glued = false;
    } else if (c == '\n') {
        newline(lexer);
    } else if (c == '#') {
        comment(lexer);
    } else if (is_ascii_letter(c)) {
        name(lexer);
    } else if (is_digit(c)) {
        rh__lexer_number(lexer);
    } else if (c == '"') {
        rh__lexer_string(lexer);
    } else if (c == '.') {
        points(lexer);
    } else if (c == '%') {
        foreign_comment(lexer, "%");
    } else if (rest_begins(lexer, "//") || rest_begins(lexer, "/*")) {
        foreign_comment(lexer, rest_begins(lexer, "//") ? "//" : "/*");
    } else if (!symbol(lexer)) {
        other(lexer);
    }
}

bool rh__lexer_run(rh_lexer *lexer, const rh_source_part *part)
{
    lexer->text = part->text;
    lexer->base = part->offset;
    if (rest_begins(lexer, "\xEF\xBB\xBF")) {
        lexer->at = 3; // a byte order mark
    }
    while (lexer->at < lexer->text.size && !lexer->is_refused) {
        next_token(lexer);
    }
    rh__lexer_emit(lexer, RH_TOKEN_END, lexer->at, 0);
    return !lexer->is_refused;
}
