// SPDX-License-Identifier: Apache-2.0
// Sources: the texts of a model, joined into one line of byte offsets, and the way back from an
// offset to file, line and column. Every MARK_STRIDE bytes a mark remembers line and column, so a
// place is found by reading less than one stride.

#include "syntax/source.h"

#include <string.h>

enum { MARK_STRIDE = 64, BOM_SIZE = 3 };

/// A boundary between code points, the first at or after a multiple of MARK_STRIDE.
typedef struct rh_source_mark {
    uint32_t offset; // in the part
    rh_position position;
} rh_source_mark;

rh_source rh__source_begin(rh_arena *arena)
{
    return (rh_source){.arena = arena};
}

// Step over the code point at `offset`; what is not UTF-8 is passed byte by byte.
static uint32_t step(rh_slice text, uint32_t offset, rh_position *position)
{
    uint32_t code = 0;
    const int size = rh__utf8_read((rh_slice){text.data + offset, text.size - offset}, &code);
    const uint32_t next = offset + (size > 0 ? (uint32_t)size : 1);
    if (code == '\n') {
        *position = (rh_position){position->line + 1, 1, next};
    } else if (code != 0xfeff || offset != 0) {
        position->column++;
    }
    return next;
}

static const rh_source_mark *make_marks(rh_arena *arena, rh_slice text)
{
    const size_t count = text.size / MARK_STRIDE + 1;
    rh_source_mark *marks = rh__arena_array(arena, rh_source_mark, count);
    if (marks == NULL) {
        return NULL;
    }
    rh_position position = {1, 1, 0};
    uint32_t offset = 0;
    for (size_t k = 0; k < count; k++) {
        while (offset < k * MARK_STRIDE) {
            offset = step(text, offset, &position);
        }
        marks[k] = (rh_source_mark){offset, position};
    }
    return marks;
}

bool rh__source_add(rh_source *source, const char *name, rh_slice text)
{
    const uint32_t offset = source->parts.count == 0 ? 0 : source->size + 1;
    if (text.size >= UINT32_MAX - offset) {
        return false;
    }
    const rh_source_mark *marks = make_marks(source->arena, text);
    const rh_source_part part = {name, text, offset, marks};
    if (marks == NULL || !rh__array_push(source->arena, &source->parts, part)) {
        return false;
    }
    source->size = offset + (uint32_t)text.size;
    return true;
}

const rh_source_part *rh__source_part_at(const rh_source *source, uint32_t offset)
{
    RH_ASSERT(source->parts.count > 0 && offset <= source->size);
    uint32_t low = 0;
    uint32_t high = source->parts.count;
    while (high - low > 1) {
        const uint32_t middle = low + (high - low) / 2;
        if (source->parts.data[middle].offset <= offset) {
            low = middle;
        } else {
            high = middle;
        }
    }
    return &source->parts.data[low];
}

static rh_position find_position(const rh_source_part *part, uint32_t offset)
{
    RH_ASSERT(offset <= part->text.size);
    const rh_source_mark *mark = &part->marks[offset / MARK_STRIDE];
    if (mark->offset > offset) {
        mark--; // the code point of this byte began before the mark
    }
    rh_position position = mark->position;
    rh_position before = position;
    uint32_t at = mark->offset;
    while (at < offset) {
        before = position;
        at = step(part->text, at, &position);
    }
    return at > offset ? before : position;
}

rh_position rh__source_position(const rh_source *source, uint32_t offset)
{
    const rh_source_part *part = rh__source_part_at(source, offset);
    return find_position(part, offset - part->offset);
}

rh_slice rh__source_slice(const rh_source *source, rh_span span)
{
    const rh_source_part *part = rh__source_part_at(source, span.offset);
    const uint32_t offset = span.offset - part->offset;
    RH_ASSERT(offset <= part->text.size && span.size <= part->text.size - offset);
    return (rh_slice){part->text.data + offset, span.size};
}

// The line that begins at `start`, without its end and without a byte order mark.
static rh_slice line_at(rh_slice text, uint32_t start)
{
    if (start == 0 && text.size >= BOM_SIZE && memcmp(text.data, "\xEF\xBB\xBF", BOM_SIZE) == 0) {
        start = BOM_SIZE;
    }
    const size_t rest = text.size - start;
    if (rest == 0) {
        return (rh_slice){text.data, 0};
    }
    const char *end = memchr(text.data + start, '\n', rest);
    size_t size = end == NULL ? rest : (size_t)(end - (text.data + start));
    if (size > 0 && text.data[start + size - 1] == '\r') {
        size--;
    }
    return (rh_slice){text.data + start, size};
}

rh_place rh__source_place(const rh_source *source, rh_span span)
{
    const rh_source_part *part = rh__source_part_at(source, span.offset);
    const rh_position first = find_position(part, span.offset - part->offset);
    const rh_position last = find_position(part, span.offset + span.size - part->offset);
    return (rh_place){
        .name = part->name,
        .line = first.line,
        .column = first.column,
        .end_line = last.line,
        .end_column = last.column,
        .line_text = line_at(part->text, first.line_start),
    };
}
