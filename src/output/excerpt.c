// SPDX-License-Identifier: Apache-2.0
// The source line of a remark with a caret span below it. Columns are code points; tabs are
// repeated below, so that both lines stand alike whatever a tab means to the terminal. Nothing that
// a terminal obeys gets through.

#include "output/output.h"

enum {
    WIDTH = 100, // code points of a line; longer ones are cut
    BEFORE = 40  // shown before the span when the line is cut
};

// Control characters, and what changes the direction or is not seen.
static bool is_unsafe(uint32_t code)
{
    return code < 0x20 || (code >= 0x7f && code <= 0x9f) || (code >= 0x200b && code <= 0x200f) ||
           (code >= 0x2028 && code <= 0x202e) || (code >= 0x2060 && code <= 0x206f) ||
           code == 0x061c || code == 0xfeff || (code >= 0xfff9 && code <= 0xfffb) ||
           (code >= 0xe0000 && code <= 0xe0fff);
}

// Step over one code point at `*at`; its bytes, or `?` for what is unsafe or no UTF-8.
static rh_slice next_character(rh_slice text, size_t *at)
{
    uint32_t code = 0;
    const rh_slice rest = {text.data + *at, text.size - *at};
    const int size = rh__utf8_read(rest, &code);
    *at += size > 0 ? (size_t)size : 1;
    const bool is_shown = size > 0 && !is_unsafe(code);
    return is_shown ? (rh_slice){rest.data, (size_t)size} : (rh_slice){"?", 1};
}

void rh__output_safe(rh_text *out, rh_slice text)
{
    size_t at = 0;
    while (at < text.size) {
        rh__text_put_slice(out, next_character(text, &at));
    }
}

// What is shown of a line, and what is marked: code points [from, to) and [first, last).
typedef struct view {
    uint32_t from, to;
    uint32_t first, last;
} view;

static view choose_view(const rh_place *place, uint32_t count)
{
    view chosen = {.from = 0, .to = count};
    const uint32_t begin = place->column - 1;
    chosen.first = begin < count ? begin : count;
    // a span that goes on is marked to the end of its first line; an empty one still has its caret
    const uint32_t end = place->end_line == place->line ? place->end_column - 1 : count;
    chosen.last = end < count ? end : count;
    chosen.last = chosen.last > chosen.first ? chosen.last : chosen.first + 1;
    if (count > WIDTH) {
        chosen.from = chosen.first > BEFORE ? chosen.first - BEFORE : 0;
        chosen.from = chosen.from > count - WIDTH ? count - WIDTH : chosen.from;
        chosen.to = chosen.from + WIDTH;
    }
    return chosen;
}

static void put_line(rh_text *out, rh_slice line, const view *shown)
{
    rh__text_put(out, shown->from > 0 ? "..." : "");
    size_t at = 0;
    for (uint32_t k = 0; k < shown->to; k++) {
        const bool is_tab = line.data[at] == '\t';
        const rh_slice character = next_character(line, &at);
        if (k >= shown->from) {
            rh__text_put_slice(out, is_tab ? (rh_slice){"\t", 1} : character);
        }
    }
    rh__text_put(out, at < line.size ? "...\n" : "\n");
}

static void put_carets(rh_text *out, rh_slice line, const view *shown, const char *begin,
                       const char *end)
{
    rh__text_put(out, shown->from > 0 ? "   " : "");
    size_t at = 0;
    for (uint32_t k = 0; k < shown->last && (k < shown->to || k == shown->first); k++) {
        const bool is_tab = at < line.size && line.data[at] == '\t';
        if (at < line.size) {
            (void)next_character(line, &at);
        }
        if (k < shown->from) {
            continue;
        }
        rh__text_put(out, k == shown->first ? begin : "");
        rh__text_put_char(out, k == shown->first  ? '^'
                               : is_tab           ? '\t'
                               : k > shown->first ? '~'
                                                  : ' ');
    }
    rh__text_put(out, end);
    rh__text_put(out, "\n");
}

void rh__output_excerpt(rh_text *out, const rh_place *place, const char *begin, const char *end)
{
    RH_ASSERT(place->line > 0 && place->column > 0);
    const view shown = choose_view(place, rh__utf8_count(place->line_text));
    const char *number = rh__text_print(out->arena, "%4u", (unsigned)place->line);
    rh__text_format(out, "%s | ", number);
    put_line(out, place->line_text, &shown);
    rh__text_format(out, "%*s | ", (int)rh__slice_of(number).size, "");
    put_carets(out, place->line_text, &shown, begin, end);
}
