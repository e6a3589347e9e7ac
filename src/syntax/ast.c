// SPDX-License-Identifier: Apache-2.0
// Trees: access by id, and the canonical dump - one node a line, two spaces a level.

#include "syntax/source.h"

static const char *const WORDS[] = {"none",
#define RH_AST_WORD(name, word) word,
                                    RH_AST_LIST(RH_AST_WORD)
#undef RH_AST_WORD
};

const char *rh__ast_word(rh_ast_kind kind)
{
    RH_ASSERT((size_t)kind < sizeof WORDS / sizeof WORDS[0]);
    return WORDS[kind];
}

const rh_ast_node *rh__tree_node(const rh_tree *tree, rh_ast id)
{
    RH_ASSERT(id.i < tree->nodes.count);
    return &tree->nodes.data[id.i];
}

rh_ast_kind rh__tree_kind(const rh_tree *tree, rh_ast id)
{
    return (rh_ast_kind)rh__tree_node(tree, id)->kind;
}

rh_ast rh__tree_child(const rh_tree *tree, rh_ast id, uint32_t k)
{
    const rh_ast_node *node = rh__tree_node(tree, id);
    if (k >= node->count) {
        return (rh_ast){0};
    }
    if (k == node->count - 1) {
        return node->last;
    }
    rh_ast child = node->first;
    for (; k > 0; k--) {
        child = rh__tree_next(tree, child);
    }
    return child;
}

rh_ast rh__tree_next(const rh_tree *tree, rh_ast id)
{
    return rh__tree_node(tree, id)->next;
}

static const char *relation_text(unsigned relation)
{
    switch ((rh_relation)relation) {
    case RH_RELATION_EQUAL:
        return "=";
    case RH_RELATION_UNEQUAL:
        return "!=";
    case RH_RELATION_LESS:
        return "<";
    case RH_RELATION_LESS_EQUAL:
        return "<=";
    case RH_RELATION_GREATER:
        return ">";
    case RH_RELATION_GREATER_EQUAL:
        return ">=";
    }
    return "?";
}

static const char *direction_text(unsigned direction)
{
    switch ((rh_direction)direction) {
    case RH_DIRECTION_BOTH:
        return "both";
    case RH_DIRECTION_UP:
        return "up";
    case RH_DIRECTION_DOWN:
        return "down";
    }
    return "?";
}

static const char *option_text(unsigned option)
{
    switch ((rh_option)option) {
    case RH_OPTION_NONE:
        return "";
    case RH_OPTION_LITERAL:
        return " literal";
    case RH_OPTION_HOLD:
        return " hold";
    }
    return "?";
}

// What the number of a node says, in words where there are words.
static void put_number(rh_text *out, const rh_ast_node *node)
{
    if (node->kind == RH_AST_PRIME) {
        rh__text_format(out, " %u", (unsigned)node->number);
    } else if (node->kind == RH_AST_COMPARE || node->kind == RH_AST_CONSTRAINT) {
        rh__text_format(out, " %s", relation_text(node->number));
    } else if (node->kind == RH_AST_EVENT) {
        rh__text_format(out, " %s", direction_text(node->number));
    } else if (node->kind == RH_AST_BY) {
        rh__text_put(out, option_text(node->number));
    }
}

static void put_node(const rh_ast_node *node, const rh_source *source, uint32_t level, rh_text *out)
{
    for (uint32_t i = 0; i < level; i++) {
        rh__text_put(out, "  ");
    }
    rh__text_put(out, rh__ast_word((rh_ast_kind)node->kind));
    if (node->kind == RH_AST_STRING) {
        rh__text_put_char(out, ' ');
        rh__text_put_json(out, node->text);
    } else if (node->text.size > 0) {
        rh__text_put_char(out, ' ');
        rh__text_put_slice(out, node->text);
    }
    put_number(out, node);
    const rh_position first = rh__source_position(source, node->span.offset);
    const rh_position last = rh__source_position(source, node->span.offset + node->span.size);
    rh__text_format(out, " @%u:%u-%u:%u\n", (unsigned)first.line, (unsigned)first.column,
                    (unsigned)last.line, (unsigned)last.column);
}

// A level of nesting the parser counts makes at most this many levels of the tree.
enum { LEVELS_PER_NESTING = 12, MOST_LEVELS = LEVELS_PER_NESTING * (RH_SYNTAX_NESTING + 2) };

void rh__tree_dump(const rh_tree *tree, const rh_source *source, rh_text *out)
{
    rh_ast path[MOST_LEVELS]; // from the root to the node to show next
    uint32_t level = 0;
    if (tree->root.i == 0) {
        return;
    }
    path[0] = tree->root;
    for (;;) {
        const rh_ast_node *node = rh__tree_node(tree, path[level]);
        put_node(node, source, level, out);
        if (node->count > 0) {
            RH_ASSERT(level + 1 < MOST_LEVELS);
            path[++level] = node->first;
            continue;
        }
        while (level > 0 && rh__tree_next(tree, path[level]).i == 0) {
            level--;
        }
        if (level == 0) {
            return;
        }
        path[level] = rh__tree_next(tree, path[level]);
    }
}
