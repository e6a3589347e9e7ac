// SPDX-License-Identifier: Apache-2.0
// Private to `model`: what the description of a model is made of. A digest gives large sums inside
// expressions a name
// (%sum[1], %sum[2], ...); a listing gathers rows of tokens and writes rows of one statement and
// one shape once.

#pragma once

#include "model/model.h"

// --- digest: expressions without their large sums ------------------------------------------------

/// What is known of a node: what it became, and the tree that would be written for it (both
/// capped).
typedef struct rh_digest_note {
    uint32_t expr; // 0: not met yet
    uint16_t size;
    uint16_t depth;
} rh_digest_note;

typedef struct rh_digest_frame {
    uint32_t id;
    uint32_t next;
} rh_digest_frame;

typedef struct rh_digest {
    rh_store *store;
    rh_arena *arena;
    rh_family family;               // %sum[1..]
    RH_ARRAY(rh_digest_note) notes; // by node id
    RH_ARRAY(rh_digest_frame) stack;
    rh_expr_list sums; // [k] is what %sum[k+1] stands for, inner sums named already
} rh_digest;

rh_digest rh__digest_begin(rh_store *store, rh_arena *arena);

/// The expression with every sum of more than RH_EXPR_FLATTEN terms named; none when memory was
/// refused. `out_is_small` says that it can be written without names for its parts.
rh_expr rh__digest_apply(rh_digest *digest, rh_expr e, bool *out_is_small);

/// The terms of an expression with those of the large sums among them, as long as there are not too
/// many; one term when it is no sum. False when memory was refused.
bool rh__digest_terms(rh_store *store, rh_expr e, rh_arena *arena, rh_expr_list *out);

// --- listing: rows of tokens
// -----------------------------------------------------------------------

typedef enum rh_token_kind {
    RH_TOKEN_TEXT,
    RH_TOKEN_EXPR,
    RH_TOKEN_PLACE, // `  @line:column`
    // where the range of the running index stands, if rows are written as one
    RH_TOKEN_TRAILING, // `, i = 2..9 (8 rows, one shape)`
    RH_TOKEN_LEADING,  // `i = 2..9 (8 rows, one shape): `
    RH_TOKEN_SUMMED    // `sum, i = 2..9: `
} rh_token_kind;

typedef struct rh_token {
    rh_token_kind kind;
    bool is_small;
    rh_expr expr;
    rh_slice text;
} rh_token;

typedef struct rh_entry {
    uint32_t first, count; // tokens
    uint32_t next;         // entry of the same batch; UINT32_MAX: the last
    rh_span span;
    uint32_t statement;
} rh_entry;

/// Rows of one statement and one shape, or a heading.
typedef struct rh_batch {
    uint32_t first, last; // entries
    uint32_t count;       // of rows; those beyond a limit are counted only
    const char *heading;  // NULL: rows
    bool is_term;         // of a sum: written further to the right
    bool is_rest;         // rows of too many shapes: not written
    rh_slice rolled;      // all rows as one; size 0: they could not be
} rh_batch;

typedef struct rh_listing {
    const rh_source *source;
    rh_store *store;
    rh_arena *arena;
    rh_arena *scratch;
    rh_slice letter; // the running index
    rh_digest digest;
    rh_show *show;
    RH_ARRAY(rh_token) tokens;
    RH_ARRAY(rh_entry) entries;
    RH_ARRAY(rh_batch) batches;
    rh_entry open; // the row being put together
    bool open_is_term;
    const char *pending; // heading not written yet: a section without rows has none
    uint32_t section;    // first batch of the section
    bool ok;             // nothing was refused so far
} rh_listing;

rh_listing rh__listing_begin(const rh_model *model, rh_arena *arena, rh_arena *scratch);
/// The heading is borrowed.
void rh__listing_section(rh_listing *listing, const char *heading);

/// Begin a row. Only rows of the same statement and span can be written as one.
void rh__listing_row(rh_listing *listing, uint32_t statement, rh_span span);
void rh__listing_text(rh_listing *listing, const char *text); // borrowed
void rh__listing_slice(rh_listing *listing, rh_slice text);   // borrowed
void rh__listing_expr(rh_listing *listing, rh_expr e);
void rh__listing_mark(rh_listing *listing, rh_token_kind kind);
void rh__listing_end(rh_listing *listing);

/// Terms of a sum, each a row, under the row ended last.
void rh__listing_terms(rh_listing *listing, const rh_expr_list *terms, uint32_t statement,
                       rh_span span);

/// The large sums that got a name, as a section.
void rh__listing_sums(rh_listing *listing);

/// Write everything, named parts last.
void rh__listing_write(rh_listing *listing, rh_text *out);
