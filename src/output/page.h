// SPDX-License-Identifier: Apache-2.0
// Private to `output`: a page of lines, each made of texts and expressions. Lines of one section
// whose texts agree and whose expressions have one shape are a group; a group is written once in a
// running index where every symbol moves evenly, else line by line. Large shared parts have names.

#pragma once

#include "model/model.h"

typedef struct rh_page_piece {
    rh_expr expr; // none: a text
    rh_slice text;
} rh_page_piece;

typedef struct rh_page_line {
    uint32_t first, count; // pieces
    uint32_t next;         // line of the same group; UINT32_MAX: the last
} rh_page_line;

/// Lines of one shape, or a heading.
typedef struct rh_page_group {
    uint32_t first, last, count; // lines
    const char *heading;         // NULL: lines
    const char *indent;
    rh_slice rolled; // all lines as one; size 0: they could not be
} rh_page_group;

typedef struct rh_page {
    rh_store *store;
    rh_arena *arena;
    rh_arena *scratch;
    rh_slice letter; // the running index
    RH_ARRAY(rh_page_piece) pieces;
    RH_ARRAY(rh_page_line) lines;
    RH_ARRAY(rh_page_group) groups;
    const char *pending; // heading not written yet: a section without lines has none
    const char *indent;  // of the lines that follow
    uint32_t section;    // first group of the section
    uint32_t open;       // first piece of the line being put together
    rh_show *show;       // made by the plan
    uint64_t operations; // of all lines that are written in full; known after the plan
    bool ok;             // nothing was refused so far
} rh_page;

rh_page rh__page_begin(const rh_model *model, rh_arena *arena, rh_arena *scratch);
/// The heading is borrowed; it is written when a line follows.
void rh__page_section(rh_page *page, const char *heading);

/// Pieces of the open line; texts are borrowed.
void rh__page_text(rh_page *page, const char *text);
void rh__page_slice(rh_page *page, rh_slice text);
void rh__page_expr(rh_page *page, rh_expr e);
/// The name of a row with its index.
void rh__page_name(rh_page *page, const rh_row *row);
void rh__page_end(rh_page *page);

/// Lines `symbol = value`.
void rh__page_assign(rh_page *page, rh_expr symbol, rh_expr value);

/// Roll lines up, name parts and count operations: after the last line, before writing.
void rh__page_plan(rh_page *page);
/// Write everything, named parts last, until `out`, which is kept text, passes `limit` bytes.
void rh__page_write(const rh_page *page, size_t limit, rh_text *out);
