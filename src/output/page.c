// SPDX-License-Identifier: Apache-2.0
// Pages: lines are gathered section by section into groups of one shape, rolled up in a running
// index where every symbol of a group moves evenly, and written. So the rows of a thousand rods
// take a line, and what no index can tell is written in full.

#include "output/page.h"

#include <inttypes.h>

enum {
    NEAR_GROUPS = 64, // how far back a line looks for lines like it
    LEAST_ROLLED = 3,
    MOST_LEAVES = 2000
};

rh_page rh__page_begin(const rh_model *model, rh_arena *arena, rh_arena *scratch)
{
    return (rh_page){.store = model->store,
                     .arena = arena,
                     .scratch = scratch,
                     .letter = rh__model_letter(model),
                     .indent = "  ",
                     .ok = true};
}

// --- gathering -------------------------------------------------------------------------------

void rh__page_section(rh_page *page, const char *heading)
{
    page->pending = heading;
}

static void push_piece(rh_page *page, rh_page_piece piece)
{
    page->ok = page->ok && rh__array_push(page->arena, &page->pieces, piece);
}

void rh__page_slice(rh_page *page, rh_slice text)
{
    push_piece(page, (rh_page_piece){.text = text});
}

void rh__page_text(rh_page *page, const char *text)
{
    rh__page_slice(page, rh__slice_of(text));
}

void rh__page_expr(rh_page *page, rh_expr e)
{
    page->ok = page->ok && e.i != 0;
    push_piece(page, (rh_page_piece){.expr = e});
}

void rh__page_name(rh_page *page, const rh_row *row)
{
    const bool is_array =
        row->family.i != 0 && rh__family_def(page->store, row->family)->dimensions > 0;
    if (is_array) {
        rh__page_expr(page, rh__expr_symbol(page->store, row->family, row->member));
    } else {
        rh__page_slice(page, row->name);
    }
}

void rh__page_assign(rh_page *page, rh_expr symbol, rh_expr value)
{
    rh__page_expr(page, symbol);
    rh__page_text(page, " = ");
    rh__page_expr(page, value);
    rh__page_end(page);
}

static bool same_piece(const rh_store *store, const rh_page_piece *a, const rh_page_piece *b)
{
    if (a->expr.i == 0 || b->expr.i == 0) {
        return a->expr.i == b->expr.i && rh__slice_equal(a->text, b->text);
    }
    return rh__expr_shape(store, a->expr).i == rh__expr_shape(store, b->expr).i;
}

static bool same_shape(const rh_page *page, const rh_page_line *a, const rh_page_line *b)
{
    RH_ASSERT(a->first + a->count <= page->pieces.count);
    RH_ASSERT(b->first + b->count <= page->pieces.count);
    bool is_same = a->count == b->count;
    for (uint32_t k = 0; is_same && k < a->count; k++) {
        is_same = same_piece(page->store, &page->pieces.data[a->first + k],
                             &page->pieces.data[b->first + k]);
    }
    return is_same;
}

static void push_group(rh_page *page, rh_page_group group)
{
    page->ok = page->ok && rh__array_push(page->arena, &page->groups, group);
}

// The group of the section that the line belongs to; NULL: it begins a new one.
static rh_page_group *find_group(rh_page *page, const rh_page_line *line)
{
    RH_ASSERT(page->section <= page->groups.count);
    const uint32_t end = page->groups.count;
    for (uint32_t k = end; k-- > page->section && end - k <= NEAR_GROUPS;) {
        rh_page_group *group = &page->groups.data[k];
        if (group->indent == page->indent &&
            same_shape(page, &page->lines.data[group->first], line)) {
            return group;
        }
    }
    return NULL;
}

void rh__page_end(rh_page *page)
{
    if (page->pending != NULL) {
        push_group(page, (rh_page_group){.heading = page->pending});
        page->pending = NULL;
        page->section = page->groups.count;
    }
    if (!page->ok) {
        return;
    }
    const rh_page_line line = {
        .first = page->open, .count = page->pieces.count - page->open, .next = UINT32_MAX};
    RH_ASSERT(page->open <= page->pieces.count);
    const uint32_t place = page->lines.count;
    rh_page_group *group = find_group(page, &line);
    if (group != NULL) {
        RH_ASSERT(page->lines.data[group->last].next == UINT32_MAX);
        page->lines.data[group->last].next = place;
        group->last = place;
        group->count++;
    } else {
        push_group(page, (rh_page_group){
                             .first = place, .last = place, .count = 1, .indent = page->indent});
    }
    page->ok = page->ok && rh__array_push(page->arena, &page->lines, line);
    page->open = page->pieces.count;
}

// --- rolling: a group as one line in a running index -------------------------------------------

// The index from which the running one counts: that of the first symbol that moves, when it moves
// by 1.
static bool find_first(const rh_page *page, rh_expr a, rh_expr b, int64_t *out)
{
    const rh_store *store = page->store;
    rh_expr_list from, to;
    if (!rh__shape_leaves(store, a, MOST_LEAVES, page->scratch, &from) ||
        !rh__shape_leaves(store, b, MOST_LEAVES, page->scratch, &to)) {
        return false;
    }
    for (uint32_t k = 0; k < from.count && k < to.count; k++) {
        if (from.data[k].i == to.data[k].i || rh__expr_op(store, from.data[k]) != RH_OP_SYMBOL ||
            rh__expr_op(store, to.data[k]) != RH_OP_SYMBOL) {
            continue;
        }
        int64_t before[RH_EXPR_DIMENSIONS] = {0};
        int64_t after[RH_EXPR_DIMENSIONS] = {0};
        rh__family_index(store, rh__expr_family(store, from.data[k]),
                         rh__expr_member(store, from.data[k]), before);
        rh__family_index(store, rh__expr_family(store, to.data[k]),
                         rh__expr_member(store, to.data[k]), after);
        uint32_t d = 0;
        while (d + 1 < RH_EXPR_DIMENSIONS && before[d] == after[d]) {
            d++;
        }
        *out = after[d] - before[d] == 1 ? before[d] : 1;
        return true;
    }
    return false;
}

static int64_t first_index(const rh_page *page, const rh_page_group *group)
{
    RH_ASSERT(group->heading == NULL && group->count > 1);
    const rh_page_line *first = &page->lines.data[group->first];
    const rh_page_line *second = &page->lines.data[first->next];
    const rh_mark mark = rh__arena_mark(page->scratch);
    int64_t index = 1;
    bool is_found = false;
    for (uint32_t k = 0; !is_found && k < first->count; k++) {
        const rh_expr e = page->pieces.data[first->first + k].expr;
        is_found =
            e.i != 0 && find_first(page, e, page->pieces.data[second->first + k].expr, &index);
    }
    rh__arena_rewind(page->scratch, mark);
    return index;
}

// The k-th piece of all lines, in the running index. False when they do not move evenly.
static bool roll_column(rh_page *page, const rh_page_group *group, uint32_t k, int64_t first,
                        rh_text *out)
{
    const rh_mark mark = rh__arena_mark(page->scratch);
    rh_expr *column = rh__arena_array(page->scratch, rh_expr, group->count);
    uint32_t at = group->first;
    for (uint32_t row = 0; column != NULL && row < group->count; row++) {
        RH_ASSERT(at < page->lines.count && k < page->lines.data[at].count);
        column[row] = page->pieces.data[page->lines.data[at].first + k].expr;
        at = page->lines.data[at].next;
    }
    page->ok = page->ok && column != NULL;
    const bool is_even = column != NULL && rh__show_family(page->store, column, group->count,
                                                           page->letter, first, page->scratch, out);
    rh__arena_rewind(page->scratch, mark);
    return is_even;
}

static void roll_group(rh_page *page, rh_page_group *group)
{
    const rh_page_line *line = &page->lines.data[group->first];
    const int64_t first = first_index(page, group);
    rh_text out = rh__text_begin(page->arena, NULL);
    rh__text_format(&out, "for %.*s in %" PRId64 "..%" PRId64 ": ", RH_SLICE_FORMAT(page->letter),
                    first, first + group->count - 1);
    bool is_even = true;
    for (uint32_t k = 0; is_even && k < line->count; k++) {
        const rh_page_piece *piece = &page->pieces.data[line->first + k];
        if (piece->expr.i == 0) {
            rh__text_put_slice(&out, piece->text);
        } else {
            is_even = roll_column(page, group, k, first, &out);
        }
    }
    page->ok = page->ok && out.ok;
    group->rolled = is_even ? rh__text_slice(&out) : (rh_slice){NULL, 0};
}

// --- planning --------------------------------------------------------------------------------

// Expressions of the lines that are written in full.
static bool collect_roots(rh_page *page, rh_expr_list *roots)
{
    bool ok = page->ok;
    for (uint32_t k = 0; ok && k < page->groups.count; k++) {
        const rh_page_group *group = &page->groups.data[k];
        uint32_t at = group->first;
        const uint32_t count = group->heading != NULL || group->rolled.size > 0 ? 0 : group->count;
        for (uint32_t row = 0; ok && row < count; row++) {
            const rh_page_line *line = &page->lines.data[at];
            for (uint32_t j = 0; ok && j < line->count; j++) {
                const rh_expr e = page->pieces.data[line->first + j].expr;
                ok = e.i == 0 || rh__array_push(page->scratch, roots, e);
            }
            at = line->next;
        }
    }
    return ok;
}

void rh__page_plan(rh_page *page)
{
    for (uint32_t k = 0; page->ok && k < page->groups.count; k++) {
        rh_page_group *group = &page->groups.data[k];
        if (group->heading == NULL && group->count >= LEAST_ROLLED) {
            roll_group(page, group);
        }
    }
    // what is written in full shares names for its large parts
    const rh_mark mark = rh__arena_mark(page->scratch);
    rh_expr_list roots = {0};
    rh_cost cost = {0};
    page->ok = collect_roots(page, &roots) &&
               rh__expr_cost(page->store, roots.data, roots.count, page->scratch, &cost);
    page->show = page->ok ? rh__show_create(page->store, page->arena, RH_NOTATION_TEXT, roots.data,
                                            roots.count)
                          : NULL;
    page->ok = page->show != NULL;
    page->operations = cost.additions + cost.multiplications + cost.divisions + cost.functions;
    rh__arena_rewind(page->scratch, mark);
}

// --- writing ---------------------------------------------------------------------------------

static void write_line(const rh_page *page, const rh_page_line *line, rh_text *out)
{
    for (uint32_t k = 0; k < line->count; k++) {
        const rh_page_piece *piece = &page->pieces.data[line->first + k];
        if (piece->expr.i == 0) {
            rh__text_put_slice(out, piece->text);
        } else {
            rh__show_expr(page->show, piece->expr, out);
        }
    }
}

static void write_group(const rh_page *page, const rh_page_group *group, size_t limit, rh_text *out)
{
    if (group->heading != NULL) {
        rh__text_format(out, "\n%s\n", group->heading);
        return;
    }
    if (group->rolled.size > 0) {
        rh__text_format(out, "%s%.*s\n", group->indent, RH_SLICE_FORMAT(group->rolled));
        return;
    }
    uint32_t at = group->first;
    for (uint32_t row = 0; row < group->count && out->size <= limit; row++) {
        RH_ASSERT(at < page->lines.count);
        rh__text_put(out, group->indent);
        write_line(page, &page->lines.data[at], out);
        rh__text_put(out, "\n");
        at = page->lines.data[at].next;
    }
}

void rh__page_write(const rh_page *page, size_t limit, rh_text *out)
{
    RH_ASSERT(out->sink == NULL && (!page->ok || page->show != NULL));
    for (uint32_t k = 0; page->ok && k < page->groups.count && out->size <= limit; k++) {
        write_group(page, &page->groups.data[k], limit, out);
    }
    const uint32_t parts = page->ok ? rh__show_part_count(page->show) : 0;
    rh__text_put(out, parts > 0 ? "\nwhere\n" : "");
    for (uint32_t k = 0; k < parts && out->size <= limit; k++) {
        rh__text_put(out, "  ");
        rh__show_part(page->show, k, out);
        rh__text_put(out, "\n");
    }
}
