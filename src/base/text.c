// SPDX-License-Identifier: Apache-2.0
// Text: borrowed slices, growing buffers that may pass their bytes on to a sink, UTF-8, and the
// edit distance behind "did you mean".

#include "base/base.h"

#include <stdio.h>
#include <string.h>

enum { FLUSH_SIZE = 64 * 1024 };

rh_slice rh__slice_of(const char *terminated)
{
    return (rh_slice){terminated, strlen(terminated)};
}

bool rh__slice_equal(rh_slice a, rh_slice b)
{
    return a.size == b.size && (a.size == 0 || memcmp(a.data, b.data, a.size) == 0);
}

bool rh__slice_is(rh_slice slice, const char *terminated)
{
    return rh__slice_equal(slice, rh__slice_of(terminated));
}

bool rh__strings_are_there(const char *const *list, size_t count)
{
    bool ok = list != NULL || count == 0;
    for (size_t k = 0; ok && k < count; k++) {
        ok = list[k] != NULL;
    }
    return ok;
}

char *rh__slice_copy(rh_arena *arena, rh_slice slice)
{
    char *copy = rh__arena_array(arena, char, slice.size + 1);
    if (copy != NULL && slice.size > 0) {
        memcpy(copy, slice.data, slice.size);
    }
    return copy;
}

rh_text rh__text_begin(rh_arena *arena, const rh_sink *sink)
{
    return (rh_text){.arena = arena, .sink = sink, .ok = true};
}

static bool flush(rh_text *text)
{
    if (text->ok && text->sink != NULL && text->size > 0) {
        text->ok = text->sink->write(text->sink->user, text->data, text->size);
        text->size = 0;
    }
    return text->ok;
}

rh_status rh__text_end(rh_text *text)
{
    if (flush(text)) {
        return RH_OK;
    }
    return text->arena->status != RH_OK ? text->arena->status : RH_E_WRITE;
}

// Room for `extra` bytes and a terminator.
static bool reserve(rh_text *text, size_t extra)
{
    if (text->sink != NULL && text->size > FLUSH_SIZE) {
        flush(text);
    }
    if (!text->ok) {
        return false;
    }
    const size_t need = text->size + extra + 1;
    if (text->data != NULL && need <= text->capacity) {
        return true;
    }
    size_t capacity = text->capacity == 0 ? 256 : 2 * text->capacity;
    capacity = capacity < need ? need : capacity;
    char *grown = rh__arena_resize(text->arena, text->data, text->capacity, capacity);
    if (grown == NULL) {
        text->ok = false;
        return false;
    }
    text->data = grown;
    text->capacity = capacity;
    return true;
}

void rh__text_put_slice(rh_text *text, rh_slice slice)
{
    if (slice.size > 0 && reserve(text, slice.size)) {
        memcpy(text->data + text->size, slice.data, slice.size);
        text->size += slice.size;
        text->data[text->size] = '\0';
    }
}

void rh__text_put(rh_text *text, const char *terminated)
{
    rh__text_put_slice(text, rh__slice_of(terminated));
}

void rh__text_put_char(rh_text *text, char c)
{
    rh__text_put_slice(text, (rh_slice){&c, 1});
}

static void put_unsigned(rh_text *text, uint64_t value)
{
    char digits[24];
    size_t at = sizeof digits;
    do {
        digits[--at] = (char)('0' + value % 10);
        value /= 10;
    } while (value > 0);
    rh__text_put_slice(text, (rh_slice){digits + at, sizeof digits - at});
}

static bool is_plain(const char *format)
{
    bool is_plain = true;
    for (; is_plain && *format != '\0'; format++) {
        if (*format == '%') {
            format++;
            is_plain = *format != '\0' && strchr("usdc%", *format) != NULL;
        }
    }
    return is_plain;
}

// Words and whole numbers alone: most of what is written, and by far quicker than by printf.
static void format_plain(rh_text *text, const char *format, va_list arguments)
{
    while (*format != '\0') {
        const size_t size = strcspn(format, "%");
        rh__text_put_slice(text, (rh_slice){format, size});
        format += size;
        if (*format == '\0') {
            return;
        }
        if (format[1] == 'u') {
            put_unsigned(text, va_arg(arguments, unsigned));
        } else if (format[1] == 'd') {
            const int64_t value = va_arg(arguments, int);
            rh__text_put(text, value < 0 ? "-" : "");
            put_unsigned(text, (uint64_t)(value < 0 ? -value : value));
        } else if (format[1] == 's') {
            const char *word = va_arg(arguments, const char *);
            rh__text_put(text, word != NULL ? word : "(null)");
        } else {
            rh__text_put_char(text, format[1] == 'c' ? (char)va_arg(arguments, int) : '%');
        }
        format += 2;
    }
}

void rh__text_format_list(rh_text *text, const char *format, va_list arguments)
{
    if (!text->ok) {
        return;
    }
    if (is_plain(format)) {
        format_plain(text, format, arguments);
        return;
    }
    va_list again;
    va_copy(again, arguments);
    const int size = rh__text_fill_list(NULL, 0, format, again);
    va_end(again);
    if (size > 0 && reserve(text, (size_t)size)) {
        (void)rh__text_fill_list(text->data + text->size, (size_t)size + 1, format, arguments);
        text->size += (size_t)size;
    }
}

void rh__text_format(rh_text *text, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    rh__text_format_list(text, format, arguments);
    va_end(arguments);
}

static void put_json_code(rh_text *text, uint32_t code, rh_slice bytes)
{
    if (code == '"' || code == '\\') {
        rh__text_format(text, "\\%c", (char)code);
    } else if (code == '\n') {
        rh__text_put(text, "\\n");
    } else if (code == '\t') {
        rh__text_put(text, "\\t");
    } else if (code < 0x20 || code == 0x7f) {
        rh__text_format(text, "\\u%04x", (unsigned)code);
    } else {
        rh__text_put_slice(text, bytes);
    }
}

void rh__text_put_json(rh_text *text, rh_slice slice)
{
    rh__text_put_char(text, '"');
    size_t i = 0;
    while (i < slice.size) {
        uint32_t code = 0;
        const int size = rh__utf8_read((rh_slice){slice.data + i, slice.size - i}, &code);
        if (size <= 0) {
            rh__text_put(text, "\xEF\xBF\xBD");
            i++;
        } else {
            put_json_code(text, code, (rh_slice){slice.data + i, (size_t)size});
            i += (size_t)size;
        }
    }
    rh__text_put_char(text, '"');
}

rh_slice rh__text_slice(const rh_text *text)
{
    return (rh_slice){text->data, text->size};
}

const char *rh__text_print(rh_arena *arena, const char *format, ...)
{
    rh_text text = rh__text_begin(arena, NULL);
    va_list arguments;
    va_start(arguments, format);
    rh__text_format_list(&text, format, arguments);
    va_end(arguments);
    return text.ok && text.data != NULL ? text.data : "";
}

// Shortest form only, no surrogates, nothing above U+10FFFF.
int rh__utf8_read(rh_slice rest, uint32_t *out_code)
{
    if (rest.size == 0) {
        return 0;
    }
    const unsigned char *bytes = (const unsigned char *)rest.data;
    if (bytes[0] < 0x80) {
        *out_code = bytes[0];
        return 1;
    }
    const int size = bytes[0] >= 0xf0 ? 4 : bytes[0] >= 0xe0 ? 3 : 2;
    if (bytes[0] < 0xc2 || bytes[0] > 0xf4 || rest.size < (size_t)size) {
        return -1;
    }
    uint32_t code = bytes[0] & (0x7fu >> size);
    for (int i = 1; i < size; i++) {
        if ((bytes[i] & 0xc0) != 0x80) {
            return -1;
        }
        code = code << 6 | (bytes[i] & 0x3fu);
    }
    const uint32_t least = size == 2 ? 0x80 : size == 3 ? 0x800 : 0x10000;
    if (code < least || code > 0x10ffff || (code >= 0xd800 && code <= 0xdfff)) {
        return -1;
    }
    *out_code = code;
    return size;
}

uint32_t rh__utf8_count(rh_slice slice)
{
    uint32_t count = 0;
    size_t i = 0;
    while (i < slice.size) {
        uint32_t code = 0;
        const int size = rh__utf8_read((rh_slice){slice.data + i, slice.size - i}, &code);
        i += size > 0 ? (size_t)size : 1;
        count++;
    }
    return count;
}

enum { DISTANCE_LENGTH = 64 };

// Optimal string alignment over bytes, three rows of the usual table.
unsigned rh__text_distance(rh_slice a, rh_slice b, unsigned limit)
{
    const size_t difference = a.size > b.size ? a.size - b.size : b.size - a.size;
    if (a.size > DISTANCE_LENGTH || b.size > DISTANCE_LENGTH || difference > limit) {
        return limit + 1;
    }
    unsigned rows[3][DISTANCE_LENGTH + 1];
    for (size_t j = 0; j <= b.size; j++) {
        rows[0][j] = (unsigned)j;
    }
    for (size_t i = 1; i <= a.size; i++) {
        unsigned *row = rows[i % 3];
        const unsigned *above = rows[(i + 2) % 3];
        const unsigned *above2 = rows[(i + 1) % 3];
        row[0] = (unsigned)i;
        for (size_t j = 1; j <= b.size; j++) {
            const unsigned replace = above[j - 1] + (a.data[i - 1] != b.data[j - 1]);
            unsigned best = above[j] + 1 < row[j - 1] + 1 ? above[j] + 1 : row[j - 1] + 1;
            best = replace < best ? replace : best;
            const bool swapped =
                i > 1 && j > 1 && a.data[i - 1] == b.data[j - 2] && a.data[i - 2] == b.data[j - 1];
            if (swapped && above2[j - 2] + 1 < best) {
                best = above2[j - 2] + 1;
            }
            row[j] = best;
        }
    }
    const unsigned distance = rows[a.size % 3][b.size];
    return distance > limit ? limit + 1 : distance;
}

rh_nearest rh__nearest_begin(rh_slice wanted)
{
    // one slip in a short name, two or three in a long one
    const unsigned limit = wanted.size <= 2 ? 1 : wanted.size <= 6 ? 2 : 3;
    return (rh_nearest){.wanted = wanted, .distance = limit + 1};
}

static bool differs_in_case(rh_slice a, rh_slice b)
{
    if (a.size != b.size) {
        return false;
    }
    for (size_t i = 0; i < a.size; i++) {
        const char x = (char)(a.data[i] | 0x20);
        const bool is_letter = x >= 'a' && x <= 'z';
        if (a.data[i] != b.data[i] && (!is_letter || x != (char)(b.data[i] | 0x20))) {
            return false;
        }
    }
    return true;
}

void rh__nearest_offer(rh_nearest *nearest, rh_slice candidate)
{
    if (nearest->distance == 0) {
        return;
    }
    const unsigned distance =
        differs_in_case(nearest->wanted, candidate)
            ? 1
            : rh__text_distance(nearest->wanted, candidate, nearest->distance - 1);
    // a candidate that shares little with the name is no suggestion
    const size_t longer =
        candidate.size > nearest->wanted.size ? candidate.size : nearest->wanted.size;
    const bool is_like = 2 * distance <= longer || differs_in_case(nearest->wanted, candidate);
    if (distance < nearest->distance && is_like) {
        nearest->best = candidate;
        nearest->distance = distance;
    }
}
