// SPDX-License-Identifier: Apache-2.0
// Any bytes as a model text, and as settings of the command line: the parser must come back, every
// span must lie inside the text, children inside their parents, and the dump must be complete.

#include "syntax/syntax.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define CLAIM(claim)                                                                               \
    do {                                                                                           \
        if (!(claim)) {                                                                            \
            abort();                                                                               \
        }                                                                                          \
    } while (0)

static bool is_inside(rh_span inner, rh_span outer)
{
    return inner.offset >= outer.offset && inner.size <= outer.size &&
           inner.offset - outer.offset <= outer.size - inner.size;
}

static void check_node(const rh_tree *tree, rh_ast id, rh_span whole)
{
    const rh_ast_node *node = rh__tree_node(tree, id);
    CLAIM(is_inside(node->span, whole));
    CLAIM(node->text.size == 0 || node->text.data != NULL);
    uint32_t count = 0;
    for (rh_ast child = node->first; child.i != 0; child = rh__tree_next(tree, child)) {
        CLAIM(child.i < tree->nodes.count && child.i != id.i);
        CLAIM(++count <= node->count);
        CLAIM(count < node->count || child.i == node->last.i);
    }
    CLAIM(count == node->count);
}

// Spans of children, from the root down; orphans of lost statements are only checked against the
// whole.
static void check_children(const rh_tree *tree, rh_ast id, unsigned depth)
{
    CLAIM(depth < 4096);
    const rh_ast_node *node = rh__tree_node(tree, id);
    CLAIM(node->kind != RH_AST_NONE);
    for (rh_ast child = node->first; child.i != 0; child = rh__tree_next(tree, child)) {
        CLAIM(is_inside(rh__tree_node(tree, child)->span, node->span));
        check_children(tree, child, depth + 1);
    }
}

static void check_remarks(const rh_source *source, const rh_diagnostics *list, rh_span whole)
{
    uint32_t errors = 0;
    for (uint32_t i = 0; i < list->remarks.count; i++) {
        const rh_remark *remark = &list->remarks.data[i];
        CLAIM(is_inside(remark->span, whole));
        CLAIM(remark->message[0] != '\0' && remark->repair != NULL && remark->repair[0] != '\0');
        CLAIM(remark->note == NULL || is_inside(remark->note_span, whole));
        const rh_place place = rh__source_place(source, remark->span);
        CLAIM(place.line >= 1 && place.column >= 1 && place.end_line >= place.line);
        errors += rh__diagnostic_rank(remark->code) == RH_RANK_ERROR;
    }
    CLAIM(errors == list->error_count || list->dropped > 0);
}

static uint32_t count_lines(rh_slice text)
{
    uint32_t count = 0;
    for (size_t i = 0; i < text.size; i++) {
        count += text.data[i] == '\n';
    }
    return count;
}

static void check_dump(rh_arena *arena, const rh_source *source, const rh_tree *tree)
{
    rh_text dump = rh__text_begin(arena, NULL);
    rh__tree_dump(tree, source, &dump);
    CLAIM(dump.ok && count_lines(rh__text_slice(&dump)) <= tree->nodes.count);
}

typedef rh_status (*grammar)(const rh_source *, uint32_t, rh_arena *, rh_diagnostics *, rh_tree *);

static void check_text(rh_slice text, grammar parse)
{
    rh_arena arena = rh__arena_begin(rh_allocator_default(), (size_t)1 << 30);
    rh_source source = rh__source_begin(&arena);
    CLAIM(rh__source_add(&source, "before", rh__slice_of("#\n")));
    CLAIM(rh__source_add(&source, "fuzz", text));
    rh_diagnostics diagnostics = rh__diagnostics_begin(&arena);
    rh_tree tree;
    CLAIM(parse(&source, 1, &arena, &diagnostics, &tree) == RH_OK);
    const rh_span whole = {source.parts.data[1].offset, (uint32_t)text.size};
    for (uint32_t i = 1; i < tree.nodes.count; i++) {
        check_node(&tree, (rh_ast){i}, whole);
    }
    check_children(&tree, tree.root, 0);
    check_remarks(&source, &diagnostics, whole);
    check_dump(&arena, &source, &tree);
    CLAIM(tree.lost.count == 0 || diagnostics.error_count > 0);
    rh__arena_end(&arena);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const rh_slice text = {(const char *)data, size};
    check_text(text, rh__tree_parse);
    check_text(text, rh__tree_parse_settings);
    return 0;
}
