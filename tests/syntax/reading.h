// SPDX-License-Identifier: Apache-2.0
// What the tests of `syntax` share: a text read into a tree, the shape of a tree as one line, and
// the claims that hold for every text whatever.

#pragma once

#include "support.h"

#include "syntax/syntax.h"

#include <stdio.h>
#include <stdlib.h>

typedef struct reading {
    rh_arena arena;
    rh_source source;
    rh_diagnostics diagnostics;
    rh_tree tree;
    rh_status status;
} reading;

typedef rh_status (*reading_grammar)(const rh_source *, uint32_t, rh_arena *, rh_diagnostics *,
                                     rh_tree *);

// The arena lies in `r`, so `r` must not move.
static inline void reading_begin_with(reading *r, rh_slice text, reading_grammar grammar,
                                      rh_allocator allocator, size_t limit)
{
    *r = (reading){.arena = rh__arena_begin(allocator, limit)};
    r->source = rh__source_begin(&r->arena);
    r->diagnostics = rh__diagnostics_begin(&r->arena);
    if (!rh__source_add(&r->source, "first", rh__slice_of("# another part\n")) ||
        !rh__source_add(&r->source, "text", text)) {
        r->status = r->arena.status;
        return;
    }
    r->status = grammar(&r->source, 1, &r->arena, &r->diagnostics, &r->tree);
    rh__diagnostics_sort(&r->diagnostics);
}

static inline void reading_begin(reading *r, const char *text)
{
    reading_begin_with(r, rh__slice_of(text), rh__tree_parse, rh_allocator_default(), SIZE_MAX / 4);
    assert_int_equal(r->status, RH_OK);
}

static inline void reading_end(reading *r)
{
    rh__arena_end(&r->arena);
}

// (word text number child child ...); names and numbers are only their text.
static inline void reading_put_shape(const reading *r, rh_ast id, rh_text *out)
{
    const rh_ast_node *node = rh__tree_node(&r->tree, id);
    const rh_ast_kind kind = rh__tree_kind(&r->tree, id);
    if (kind == RH_AST_NAME || kind == RH_AST_NUMBER) {
        rh__text_put_slice(out, node->text);
        return;
    }
    rh__text_format(out, "(%s", rh__ast_word(kind));
    if (node->text.size > 0) {
        rh__text_format(out, " %.*s", RH_SLICE_FORMAT(node->text));
    }
    if (node->number > 0) {
        rh__text_format(out, " #%u", (unsigned)node->number);
    }
    for (rh_ast child = node->first; child.i != 0; child = rh__tree_next(&r->tree, child)) {
        rh__text_put_char(out, ' ');
        reading_put_shape(r, child, out);
    }
    rh__text_put_char(out, ')');
}

static inline const char *reading_shape(reading *r, rh_ast id)
{
    rh_text text = rh__text_begin(&r->arena, NULL);
    reading_put_shape(r, id, &text);
    return text.data;
}

static inline bool span_is_inside(rh_span inner, rh_span outer)
{
    return inner.offset >= outer.offset &&
           (uint64_t)inner.offset + inner.size <= (uint64_t)outer.offset + outer.size;
}

// Every node and every remark lies inside the part; children lie inside their parents.
static inline void reading_check_spans(const reading *r)
{
    const rh_source_part *part = &r->source.parts.data[1];
    const rh_span whole = {part->offset, (uint32_t)part->text.size};
    for (uint32_t i = 1; i < r->tree.nodes.count; i++) {
        const rh_ast_node *node = &r->tree.nodes.data[i];
        assert_true(span_is_inside(node->span, whole));
    }
    for (uint32_t i = 0; i < r->diagnostics.remarks.count; i++) {
        const rh_remark *remark = &r->diagnostics.remarks.data[i];
        assert_true(span_is_inside(remark->span, whole));
        assert_true(remark->message[0] != '\0');
        assert_non_null(remark->repair);
        assert_true(remark->repair[0] != '\0');
        assert_true(remark->note == NULL || span_is_inside(remark->note_span, whole));
    }
}

static inline void reading_check_nesting(const reading *r, rh_ast id)
{
    const rh_ast_node *node = rh__tree_node(&r->tree, id);
    uint32_t count = 0;
    for (rh_ast child = node->first; child.i != 0; child = rh__tree_next(&r->tree, child)) {
        assert_true(span_is_inside(rh__tree_node(&r->tree, child)->span, node->span));
        reading_check_nesting(r, child);
        count++;
    }
    assert_int_equal(count, node->count);
}
