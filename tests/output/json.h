// SPDX-License-Identifier: Apache-2.0
// For tests of `output`: is a text one JSON value in UTF-8, as RFC 8259 has it?

#pragma once

#include "base/base.h"

#include <ctype.h>
#include <string.h>

typedef struct json_reader {
    const char *at;
    const char *end;
} json_reader;

static bool json_value(json_reader *reader, unsigned depth);

static void json_space(json_reader *reader)
{
    while (reader->at < reader->end && strchr(" \t\r\n", *reader->at) != NULL) {
        reader->at++;
    }
}

static bool json_take(json_reader *reader, char c)
{
    json_space(reader);
    const bool is_there = reader->at < reader->end && *reader->at == c;
    reader->at += is_there;
    return is_there;
}

static bool json_word(json_reader *reader, const char *word)
{
    const size_t size = strlen(word);
    const bool is_there =
        (size_t)(reader->end - reader->at) >= size && memcmp(reader->at, word, size) == 0;
    reader->at += is_there ? size : 0;
    return is_there;
}

static bool json_escape(json_reader *reader)
{
    if (reader->at == reader->end) {
        return false;
    }
    const char c = *reader->at++;
    bool ok = c != '\0' && strchr("\"\\/bfnrtu", c) != NULL;
    for (int k = 0; c == 'u' && k < 4; k++) {
        ok = ok && reader->at < reader->end && isxdigit((unsigned char)*reader->at);
        reader->at += ok;
    }
    return ok;
}

static bool json_string(json_reader *reader)
{
    if (!json_take(reader, '"')) {
        return false;
    }
    while (reader->at < reader->end && *reader->at != '"') {
        uint32_t code = 0;
        const rh_slice rest = {reader->at, (size_t)(reader->end - reader->at)};
        const int size = rh__utf8_read(rest, &code);
        if (size <= 0 || code < 0x20) {
            return false;
        }
        reader->at += size;
        if (code == '\\' && !json_escape(reader)) {
            return false;
        }
    }
    return json_take(reader, '"');
}

static bool json_digits(json_reader *reader)
{
    const char *first = reader->at;
    while (reader->at < reader->end && isdigit((unsigned char)*reader->at)) {
        reader->at++;
    }
    return reader->at > first;
}

static bool json_number(json_reader *reader)
{
    (void)json_word(reader, "-");
    bool ok = json_digits(reader);
    if (ok && json_word(reader, ".")) {
        ok = json_digits(reader);
    }
    if (ok && (json_word(reader, "e") || json_word(reader, "E"))) {
        (void)(json_word(reader, "-") || json_word(reader, "+"));
        ok = json_digits(reader);
    }
    return ok;
}

static bool json_list(json_reader *reader, char close, unsigned depth)
{
    if (json_take(reader, close)) {
        return true;
    }
    do {
        if (close == '}' && !(json_string(reader) && json_take(reader, ':'))) {
            return false;
        }
        if (!json_value(reader, depth + 1)) {
            return false;
        }
    } while (json_take(reader, ','));
    return json_take(reader, close);
}

static bool json_value(json_reader *reader, unsigned depth)
{
    json_space(reader);
    if (reader->at == reader->end || depth > 100) {
        return false;
    }
    switch (*reader->at) {
    case '{':
        reader->at++;
        return json_list(reader, '}', depth);
    case '[':
        reader->at++;
        return json_list(reader, ']', depth);
    case '"':
        return json_string(reader);
    case 't':
        return json_word(reader, "true");
    case 'f':
        return json_word(reader, "false");
    case 'n':
        return json_word(reader, "null");
    default:
        return json_number(reader);
    }
}

static bool json_is_valid(const char *text, size_t size)
{
    json_reader reader = {text, text + size};
    const bool ok = json_value(&reader, 0);
    json_space(&reader);
    return ok && reader.at == reader.end;
}
