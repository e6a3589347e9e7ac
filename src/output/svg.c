// SPDX-License-Identifier: Apache-2.0
// Texts of the caller in SVG. Whatever a model calls its things, the picture stays well-formed XML
// and shows what the text is.

#include "output/svg.h"

#include "output/output.h"

#include <string.h>

enum { LONGEST_NAME = 48 };

static void put_escaped(rh_text *out, rh_slice text)
{
    for (size_t k = 0; k < text.size; k++) {
        switch (text.data[k]) {
        case '<':
            rh__text_put(out, "&lt;");
            break;
        case '>':
            rh__text_put(out, "&gt;");
            break;
        case '&':
            rh__text_put(out, "&amp;");
            break;
        case '"':
            rh__text_put(out, "&quot;");
            break;
        default:
            rh__text_put_char(out, text.data[k]);
        }
    }
}

// At most LONGEST_NAME characters of a text.
static rh_slice shorten(const char *text)
{
    rh_slice rest = rh__slice_of(text);
    size_t size = 0;
    for (int k = 0; k < LONGEST_NAME && size < rest.size; k++) {
        uint32_t code = 0;
        const int step = rh__utf8_read((rh_slice){rest.data + size, rest.size - size}, &code);
        size += step > 0 ? (size_t)step : 1;
    }
    RH_ASSERT(size <= rest.size);
    return (rh_slice){rest.data, size};
}

// U+FFFE and U+FFFF are characters that XML does not allow.
static bool is_forbidden(const char *bytes)
{
    return memcmp(bytes, "\xEF\xBF\xBE", 3) == 0 || memcmp(bytes, "\xEF\xBF\xBF", 3) == 0;
}

void rh__svg_put_name(rh_text *out, rh_arena *scratch, const char *text)
{
    const rh_mark mark = rh__arena_mark(scratch);
    rh_text safe = rh__text_begin(scratch, NULL);
    const rh_slice part = shorten(text);
    rh__output_safe(&safe, part);
    for (size_t k = 0; safe.ok && k + 3 <= safe.size; k++) {
        if (is_forbidden(safe.data + k)) {
            memcpy(safe.data + k, "\xEF\xBF\xBD", 3);
        }
    }
    put_escaped(out, rh__text_slice(&safe));
    rh__text_put(out, part.size < strlen(text) ? "..." : "");
    out->ok = out->ok && safe.ok;
    rh__arena_rewind(scratch, mark);
}

uint32_t rh__svg_name_length(const char *text)
{
    const rh_slice part = shorten(text);
    return rh__utf8_count(part) + (part.size < strlen(text) ? 3 : 0);
}
