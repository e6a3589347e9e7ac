// SPDX-License-Identifier: Apache-2.0
// Listing: rows of tokens, gathered section by section. Rows of one statement whose texts agree and
// whose expressions have one shape are a batch; a batch is written once in a running index where
// every symbol moves evenly, else by its first row. So a loop over a thousand rods takes a line,
// and no loop takes more than a few.

#include "model/listing.h"

#include <inttypes.h>

enum {
    NEAR_BATCHES = 256, // how far back a row looks for rows like it
    MOST_SHAPES = 200,  // of one statement; further rows are counted only
    FEW_ROWS = 8,       // of one shape but uneven: written one by one
    LEAST_ROLLED = 3,
    MOST_LEAVES = 2000,
    MOST_SUM_SHAPES = 1000
};

rh_listing rh__listing_begin(const rh_model *model, rh_arena *arena, rh_arena *scratch)
{
    return (rh_listing){
        .source = &model->source,
        .store = model->store,
        .arena = arena,
        .scratch = scratch,
        .letter = rh__model_letter(model),
        .digest = rh__digest_begin(model->store, arena),
        .ok = true,
    };
}

// --- gathering -------------------------------------------------------------------------------

void rh__listing_section(rh_listing *listing, const char *heading)
{
    listing->pending = heading;
}

static void push_token(rh_listing *listing, rh_token token)
{
    listing->ok = listing->ok && rh__array_push(listing->arena, &listing->tokens, token);
}

void rh__listing_text(rh_listing *listing, const char *text)
{
    rh__listing_slice(listing, rh__slice_of(text));
}

void rh__listing_slice(rh_listing *listing, rh_slice text)
{
    const rh_token token = {.kind = RH_TOKEN_TEXT, .text = text};
    push_token(listing, token);
}

void rh__listing_mark(rh_listing *listing, rh_token_kind kind)
{
    const rh_token token = {.kind = kind};
    push_token(listing, token);
}

void rh__listing_expr(rh_listing *listing, rh_expr e)
{
    rh_token token = {.kind = RH_TOKEN_EXPR};
    token.expr = rh__digest_apply(&listing->digest, e, &token.is_small);
    listing->ok = listing->ok && token.expr.i != 0;
    push_token(listing, token);
}

static void push_batch(rh_listing *listing, rh_batch batch)
{
    listing->ok = listing->ok && rh__array_push(listing->arena, &listing->batches, batch);
}

void rh__listing_row(rh_listing *listing, uint32_t statement, rh_span span)
{
    if (listing->pending != NULL) {
        const rh_batch heading = {.heading = listing->pending};
        push_batch(listing, heading);
        listing->pending = NULL;
        listing->section = listing->batches.count;
    }
    listing->open = (rh_entry){
        .first = listing->tokens.count, .next = UINT32_MAX, .span = span, .statement = statement};
    listing->open_is_term = false;
}

static bool same_token(const rh_store *store, const rh_token *a, const rh_token *b)
{
    if (a->kind != b->kind || a->is_small != b->is_small) {
        return false;
    }
    return a->kind == RH_TOKEN_EXPR
               ? rh__expr_shape(store, a->expr).i == rh__expr_shape(store, b->expr).i
               : rh__slice_equal(a->text, b->text);
}

static bool same_origin(const rh_entry *a, const rh_entry *b)
{
    return a->statement == b->statement && a->span.offset == b->span.offset &&
           a->span.size == b->span.size;
}

static bool same_shape(const rh_listing *listing, const rh_entry *a, const rh_entry *b)
{
    bool is_same = a->count == b->count;
    for (uint32_t k = 0; is_same && k < a->count; k++) {
        is_same = same_token(listing->store, &listing->tokens.data[a->first + k],
                             &listing->tokens.data[b->first + k]);
    }
    return is_same;
}

// The batch for the open row among the last ones of the section: one of its shape, or the one for
// the rest when its statement has too many shapes. NULL: it needs a new batch.
static rh_batch *find_batch(rh_listing *listing, bool *out_is_full)
{
    uint32_t shapes = 0;
    const uint32_t end = listing->batches.count;
    for (uint32_t k = end; k-- > listing->section && end - k <= NEAR_BATCHES;) {
        rh_batch *batch = &listing->batches.data[k];
        RH_ASSERT(batch->heading == NULL);
        const rh_entry *first = &listing->entries.data[batch->first];
        if (batch->is_term != listing->open_is_term || !same_origin(first, &listing->open)) {
            continue;
        }
        if (batch->is_rest || same_shape(listing, first, &listing->open)) {
            return batch;
        }
        shapes++;
    }
    *out_is_full = shapes >= MOST_SHAPES;
    return NULL;
}

void rh__listing_end(rh_listing *listing)
{
    rh_entry *open = &listing->open;
    open->count = listing->tokens.count - open->first;
    if (!listing->ok) {
        return;
    }
    bool is_full = false;
    rh_batch *batch = find_batch(listing, &is_full);
    if (batch != NULL && batch->is_rest) {
        batch->count++;
        listing->tokens.count = open->first;
        return;
    }
    const uint32_t place = listing->entries.count;
    if (batch == NULL) {
        const rh_batch fresh = {.first = place,
                                .last = place,
                                .count = 1,
                                .is_term = listing->open_is_term,
                                .is_rest = is_full};
        push_batch(listing, fresh);
    } else {
        listing->entries.data[batch->last].next = place;
        batch->last = place;
        batch->count++;
    }
    listing->ok = listing->ok && rh__array_push(listing->arena, &listing->entries, *open);
}

void rh__listing_terms(rh_listing *listing, const rh_expr_list *terms, uint32_t statement,
                       rh_span span)
{
    for (uint32_t k = 0; listing->ok && k < terms->count; k++) {
        rh__listing_row(listing, statement, span);
        listing->open_is_term = true;
        rh__listing_mark(listing, RH_TOKEN_SUMMED);
        rh__listing_expr(listing, terms->data[k]);
        rh__listing_end(listing);
    }
}

// One large sum of each shape; sums are told apart by their number, which stands for the statement.
static void list_sum(rh_listing *listing, uint32_t k, uint32_t alike)
{
    rh_expr_list terms;
    const rh_expr sum = listing->digest.sums.data[k];
    if (!rh__digest_terms(listing->store, sum, listing->arena, &terms)) {
        listing->ok = false;
        return;
    }
    const rh_span nowhere = {0, 0};
    const char *more = alike == 1
                           ? ""
                           : rh__text_print(listing->arena, " (and %u more sums of this shape)",
                                            (unsigned)alike - 1);
    rh__listing_row(listing, k + 1, nowhere);
    rh__listing_text(listing, rh__text_print(listing->arena, "%%sum[%u]: %u terms%s",
                                             (unsigned)k + 1, (unsigned)terms.count, more));
    rh__listing_end(listing);
    rh__listing_terms(listing, &terms, k + 1, nowhere);
}

void rh__listing_sums(rh_listing *listing)
{
    rh__listing_section(listing, "sums");
    const uint32_t count = listing->digest.sums.count;
    uint32_t shapes = 0;
    for (uint32_t k = 0; listing->ok && k < count;) {
        const rh_expr *sums = listing->digest.sums.data;
        const rh_shape shape = rh__expr_shape(listing->store, sums[k]);
        uint32_t alike = 1;
        while (k + alike < count && rh__expr_shape(listing->store, sums[k + alike]).i == shape.i) {
            alike++;
        }
        if (shapes++ == MOST_SUM_SHAPES) {
            rh__listing_row(listing, UINT32_MAX, (rh_span){0, 0});
            rh__listing_text(listing, rh__text_print(listing->arena, "... and %u more sums",
                                                     (unsigned)(count - k)));
            rh__listing_end(listing);
            return;
        }
        list_sum(listing, k, alike);
        k += alike;
    }
}

// --- rolling: a batch as one row in a running index
// ------------------------------------------------

// The index from which the running one counts: that of the first symbol that moves, when it moves
// by 1.
static bool find_first(const rh_listing *listing, rh_expr a, rh_expr b, int64_t *out)
{
    const rh_store *store = listing->store;
    rh_expr_list from, to;
    if (!rh__shape_leaves(store, a, MOST_LEAVES, listing->scratch, &from) ||
        !rh__shape_leaves(store, b, MOST_LEAVES, listing->scratch, &to)) {
        return false;
    }
    for (uint32_t k = 0; k < from.count && k < to.count; k++) {
        const bool is_moving = from.data[k].i != to.data[k].i &&
                               rh__expr_op(store, from.data[k]) == RH_OP_SYMBOL &&
                               rh__expr_op(store, to.data[k]) == RH_OP_SYMBOL;
        if (!is_moving) {
            continue;
        }
        const rh_family family = rh__expr_family(store, from.data[k]);
        int64_t before[RH_EXPR_DIMENSIONS] = {0};
        int64_t after[RH_EXPR_DIMENSIONS] = {0};
        rh__family_index(store, family, rh__expr_member(store, from.data[k]), before);
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

static int64_t first_index(const rh_listing *listing, const rh_batch *batch)
{
    const rh_entry *first = &listing->entries.data[batch->first];
    const rh_entry *second = &listing->entries.data[first->next];
    const rh_mark mark = rh__arena_mark(listing->scratch);
    int64_t index = 1;
    bool is_found = false;
    for (uint32_t k = 0; !is_found && k < first->count; k++) {
        const rh_token *token = &listing->tokens.data[first->first + k];
        if (token->kind == RH_TOKEN_EXPR) {
            is_found = find_first(listing, token->expr,
                                  listing->tokens.data[second->first + k].expr, &index);
        }
    }
    rh__arena_rewind(listing->scratch, mark);
    return index;
}

static void put_range(const rh_listing *listing, const rh_batch *batch, rh_token_kind kind,
                      int64_t first, rh_text *out)
{
    rh__text_put(out, kind == RH_TOKEN_TRAILING ? ", " : kind == RH_TOKEN_SUMMED ? "sum, " : "");
    rh__text_format(out, "%.*s = %" PRId64 "..%" PRId64, RH_SLICE_FORMAT(listing->letter), first,
                    first + batch->count - 1);
    if (kind != RH_TOKEN_SUMMED) {
        rh__text_format(out, " (%u rows, one shape)", (unsigned)batch->count);
    }
    rh__text_put(out, kind == RH_TOKEN_TRAILING ? "" : ": ");
}

static void put_place(const rh_listing *listing, rh_span span, rh_text *out)
{
    const rh_place place = rh__source_place(listing->source, span);
    rh__text_put(out, "  @");
    if (place.name != listing->source->parts.data[0].name) {
        rh__text_format(out, "%s:", place.name); // a setting of the command line
    }
    rh__text_format(out, "%u:%u", (unsigned)place.line, (unsigned)place.column);
}

// The k-th token of every row of the batch. NULL when memory was refused.
static rh_expr *make_column(rh_listing *listing, const rh_batch *batch, uint32_t k)
{
    rh_expr *column = rh__arena_array(listing->scratch, rh_expr, batch->count);
    uint32_t at = batch->first;
    for (uint32_t row = 0; column != NULL && row < batch->count; row++) {
        const rh_entry *entry = &listing->entries.data[at];
        column[row] = listing->tokens.data[entry->first + k].expr;
        at = entry->next;
    }
    listing->ok = listing->ok && column != NULL;
    return column;
}

// One expression of all rows, in the running index. False when they do not move evenly.
static bool roll_column(rh_listing *listing, const rh_batch *batch, uint32_t k, int64_t first,
                        rh_text *out)
{
    const rh_mark mark = rh__arena_mark(listing->scratch);
    const rh_expr *column = make_column(listing, batch, k);
    const bool ok =
        column != NULL && rh__show_family(listing->store, column, batch->count, listing->letter,
                                          first, listing->scratch, out);
    rh__arena_rewind(listing->scratch, mark);
    return ok;
}

static void roll_batch(rh_listing *listing, rh_batch *batch)
{
    const rh_entry *entry = &listing->entries.data[batch->first];
    const int64_t first = first_index(listing, batch);
    rh_text out = rh__text_begin(listing->arena, NULL);
    bool is_even = true;
    for (uint32_t k = 0; is_even && k < entry->count; k++) {
        const rh_token *token = &listing->tokens.data[entry->first + k];
        switch (token->kind) {
        case RH_TOKEN_TEXT:
            rh__text_put_slice(&out, token->text);
            break;
        case RH_TOKEN_EXPR:
            is_even = token->is_small && roll_column(listing, batch, k, first, &out);
            break;
        case RH_TOKEN_PLACE:
            put_place(listing, entry->span, &out);
            break;
        case RH_TOKEN_TRAILING:
        case RH_TOKEN_LEADING:
        case RH_TOKEN_SUMMED:
            put_range(listing, batch, token->kind, first, &out);
            break;
        }
    }
    listing->ok = listing->ok && out.ok;
    batch->rolled = is_even ? rh__text_slice(&out) : (rh_slice){NULL, 0};
}

// --- writing ---------------------------------------------------------------------------------

static uint32_t written_count(const rh_batch *batch)
{
    return batch->heading != NULL || batch->is_rest || batch->rolled.size > 0 ? 0
           : batch->count <= FEW_ROWS                                         ? batch->count
                                                                              : 1;
}

// What is written in full shares names for its large parts.
static void plan_parts(rh_listing *listing)
{
    rh_expr_list roots = {0};
    for (uint32_t k = 0; listing->ok && k < listing->batches.count; k++) {
        const rh_batch *batch = &listing->batches.data[k];
        uint32_t at = batch->first;
        for (uint32_t row = 0; listing->ok && row < written_count(batch); row++) {
            const rh_entry *entry = &listing->entries.data[at];
            for (uint32_t j = 0; listing->ok && j < entry->count; j++) {
                const rh_token *token = &listing->tokens.data[entry->first + j];
                listing->ok = token->kind != RH_TOKEN_EXPR ||
                              rh__array_push(listing->scratch, &roots, token->expr);
            }
            at = entry->next;
        }
    }
    if (listing->ok) {
        listing->show = rh__show_create(listing->store, listing->arena, RH_NOTATION_TEXT,
                                        roots.data, roots.count);
        listing->ok = listing->show != NULL;
    }
}

static void write_entry(const rh_listing *listing, const rh_entry *entry, rh_text *out)
{
    for (uint32_t k = 0; k < entry->count; k++) {
        const rh_token *token = &listing->tokens.data[entry->first + k];
        if (token->kind == RH_TOKEN_TEXT) {
            rh__text_put_slice(out, token->text);
        } else if (token->kind == RH_TOKEN_EXPR) {
            rh__show_expr(listing->show, token->expr, out);
        } else if (token->kind == RH_TOKEN_PLACE) {
            put_place(listing, entry->span, out);
        }
    }
}

static void write_batch(const rh_listing *listing, const rh_batch *batch, rh_text *out)
{
    const char *indent = batch->is_term ? "    " : "  ";
    const uint32_t count = written_count(batch);
    const uint32_t more = batch->count - (batch->is_rest ? 0 : count);
    const char *noun = batch->is_term ? (more == 1 ? "term" : "terms") : more == 1 ? "row" : "rows";
    if (batch->heading != NULL) {
        rh__text_format(out, "\n%s\n", batch->heading);
    } else if (batch->is_rest) {
        rh__text_format(out, "%s... and %u more %s of other shapes\n", indent, (unsigned)more,
                        noun);
    } else if (batch->rolled.size > 0) {
        rh__text_format(out, "%s%.*s\n", indent, RH_SLICE_FORMAT(batch->rolled));
    }
    uint32_t at = batch->first;
    for (uint32_t row = 0; row < count; row++) {
        rh__text_put(out, indent);
        write_entry(listing, &listing->entries.data[at], out);
        rh__text_put(out, "\n");
        at = listing->entries.data[at].next;
    }
    if (count == 1 && batch->count > 1) {
        rh__text_format(out, "%s... and %u more %s of this shape\n", indent, (unsigned)more, noun);
    }
}

void rh__listing_write(rh_listing *listing, rh_text *out)
{
    for (uint32_t k = 0; listing->ok && k < listing->batches.count; k++) {
        rh_batch *batch = &listing->batches.data[k];
        if (batch->heading == NULL && !batch->is_rest && batch->count >= LEAST_ROLLED) {
            roll_batch(listing, batch);
        }
    }
    plan_parts(listing);
    for (uint32_t k = 0; listing->ok && k < listing->batches.count; k++) {
        write_batch(listing, &listing->batches.data[k], out);
    }
    const uint32_t parts = listing->ok ? rh__show_part_count(listing->show) : 0;
    rh__text_put(out, parts > 0 ? "\nparts\n" : "");
    for (uint32_t k = 0; k < parts; k++) {
        rh__text_put(out, "  ");
        rh__show_part(listing->show, k, out);
        rh__text_put(out, "\n");
    }
}
