// SPDX-License-Identifier: Apache-2.0
// Tables row by row, as CSV or as JSON lines, to a file (see draft.h) or a sink. Rows gather in a
// buffer that is passed on in whole lines; its size and the texts between the numbers are settled
// by `begin`, so a row allocates nothing.

#include "output/output.h"

#include "output/csv.h"
#include "output/digits.h"
#include "output/draft.h"

#include <math.h>
#include <string.h>

enum { BUFFER = 64 * 1024, ARENA_LIMIT = 1 << 30, LONGEST_REASON = 400 };

struct rh_table_writer {
    rh_arena arena;
    rh_table_format format;
    size_t column_count;
    const rh_slice *before; // what stands before each number
    const char *missing;    // for what is not finite
    const char *end;        // of a row
    char *buffer;
    size_t size;
    bool has_file;
    rh_draft draft;
    rh_sink sink;
    bool has_failed;
};

// --- texts settled at the beginning ----------------------------------------------------------

static rh_slice json_key(rh_arena *arena, const char *name, bool is_first)
{
    rh_text clean = rh__text_begin(arena, NULL);
    rh__csv_put_plain(&clean, name);
    rh_text key = rh__text_begin(arena, NULL);
    rh__text_put(&key, is_first ? "{" : ", ");
    rh__text_put_json(&key, rh__text_slice(&clean));
    rh__text_put(&key, ": ");
    return rh__text_slice(&key);
}

static rh_text header_of(rh_arena *arena, const rh_table_def *def)
{
    rh_text header = rh__text_begin(arena, NULL);
    for (size_t k = 0; def->format == RH_TABLE_CSV && k < def->column_count; k++) {
        rh__text_put(&header, k > 0 ? "," : "");
        rh__csv_put(&header, def->columns[k]);
    }
    rh__text_put(&header, def->format == RH_TABLE_CSV ? "\n" : "");
    return header;
}

// The buffer holds the header, or what is gathered and then one row more.
static bool reserve_buffer(rh_table_writer *writer, const rh_table_def *def)
{
    const rh_text header = header_of(&writer->arena, def);
    rh_slice *before = rh__arena_array(&writer->arena, rh_slice, def->column_count);
    if (before == NULL) {
        return false;
    }
    size_t row = strlen(writer->end);
    for (size_t k = 0; k < def->column_count; k++) {
        before[k] = def->format == RH_TABLE_CSV ? rh__slice_of(k > 0 ? "," : "")
                                                : json_key(&writer->arena, def->columns[k], k == 0);
        row += before[k].size + RH_DIGITS_SIZE;
    }
    writer->before = before;
    writer->buffer = rh__arena_array(&writer->arena, char, BUFFER + row + header.size);
    if (writer->buffer == NULL || writer->arena.status != RH_OK) {
        return false;
    }
    if (header.size > 0) {
        memcpy(writer->buffer, header.data, header.size);
    }
    RH_ASSERT(writer->end[0] != '\0');
    writer->size = header.size;
    return true;
}

static rh_status build_writer(rh_arena *arena, const rh_table_def *def, rh_table_writer **out,
                              rh_error *err)
{
    rh_table_writer *writer = rh__arena_new(arena, rh_table_writer);
    if (writer == NULL) {
        return rh__error_fill(err, arena->status, "%s", rh_status_text(arena->status));
    }
    const bool is_csv = def->format == RH_TABLE_CSV;
    writer->arena = *arena;
    writer->format = def->format;
    writer->column_count = def->column_count;
    writer->missing = is_csv ? "" : "null";
    writer->end = is_csv ? "\n" : "}\n";
    writer->sink = def->sink;
    writer->has_file = def->path != NULL;
    rh_status status = RH_OK;
    if (!reserve_buffer(writer, def)) {
        status =
            rh__error_fill(err, writer->arena.status, "%s", rh_status_text(writer->arena.status));
    } else if (writer->has_file) {
        status = rh__draft_begin(&writer->arena, def->path, &writer->draft, err);
    }
    // the arena grew in its copy; whoever owns it ends what is there now
    *arena = writer->arena;
    *out = status == RH_OK ? writer : NULL;
    return status;
}

static rh_status check_def(const rh_table_def *def, rh_error *err)
{
    RH_REQUIRE(def->path != NULL ? def->path[0] != '\0' : def->sink.write != NULL, err);
    RH_REQUIRE(def->columns != NULL && def->column_count > 0, err);
    RH_REQUIRE(def->format == RH_TABLE_CSV || def->format == RH_TABLE_JSON_LINES, err);
    for (size_t k = 0; k < def->column_count; k++) {
        RH_REQUIRE(def->columns[k] != NULL, err);
    }
    return RH_OK;
}

rh_status rh_table_writer_begin(const rh_table_def *def, rh_table_writer **out, rh_error *err)
{
    RH_REQUIRE(def != NULL && out != NULL, err);
    *out = NULL;
    RH_REQUIRE(def->struct_size != 0 && def->struct_size <= sizeof *def, err);
    // an older program knows a shorter def
    rh_table_def whole = rh_table_def_default();
    memcpy(&whole, def, def->struct_size);
    RH_TRY(check_def(&whole, err));
    rh_arena arena = rh__arena_begin(rh__guard_base(whole.allocator), ARENA_LIMIT);
    const rh_status status = build_writer(&arena, &whole, out, err);
    if (status != RH_OK) {
        rh__arena_end(&arena);
    }
    return status;
}

// --- rows --------------------------------------------------------------------------------------

static bool pass_on(rh_table_writer *writer, const char *data, size_t size)
{
    return writer->has_file ? rh__draft_write(&writer->draft, data, size)
                            : writer->sink.write(writer->sink.user, data, size);
}

static void flush(rh_table_writer *writer)
{
    if (!writer->has_failed && writer->size > 0) {
        writer->has_failed = !pass_on(writer, writer->buffer, writer->size);
    }
    writer->size = 0;
}

static rh_status status_of(const rh_table_writer *writer, rh_error *err)
{
    if (!writer->has_failed) {
        return RH_OK;
    }
    return writer->has_file ? rh__draft_refuse(&writer->draft, err)
                            : rh__error_fill(err, RH_E_WRITE, "%s", rh_status_text(RH_E_WRITE));
}

static void put_bytes(rh_table_writer *writer, const char *data, size_t size)
{
    RH_ASSERT(data < writer->buffer || data >= writer->buffer + writer->size);
    if (size > 0) {
        memcpy(writer->buffer + writer->size, data, size);
        writer->size += size;
    }
}

rh_status rh_table_writer_row(rh_table_writer *writer, const double *values, rh_error *err)
{
    RH_REQUIRE(writer != NULL && values != NULL, err);
    if (writer->has_failed) {
        return status_of(writer, err);
    }
    for (size_t k = 0; k < writer->column_count; k++) {
        put_bytes(writer, writer->before[k].data, writer->before[k].size);
        if (isfinite(values[k])) {
            writer->size += rh__digits_print(values[k], writer->buffer + writer->size);
        } else {
            put_bytes(writer, writer->missing, strlen(writer->missing));
        }
    }
    RH_ASSERT(writer->size > 0);
    put_bytes(writer, writer->end, strlen(writer->end));
    if (writer->size >= BUFFER) {
        flush(writer);
    }
    return status_of(writer, err);
}

// --- the end -----------------------------------------------------------------------------------

// The last line of an interrupted table. After a failure it is tried all the same: the broken line
// that was cut off may have made room for it.
static void put_interruption(rh_table_writer *writer, const char *reason)
{
    const rh_mark mark = rh__arena_mark(&writer->arena);
    rh_text clean = rh__text_begin(&writer->arena, NULL);
    rh__csv_put_plain(&clean, reason);
    rh_slice shown = rh__text_slice(&clean);
    // not in the middle of a character
    while (shown.size > LONGEST_REASON ||
           (shown.size > 0 && shown.size < clean.size && (shown.data[shown.size] & 0xc0) == 0x80)) {
        shown.size--;
    }
    RH_ASSERT(shown.size <= LONGEST_REASON && shown.size <= clean.size);
    rh_text line = rh__text_begin(&writer->arena, NULL);
    if (writer->format == RH_TABLE_CSV) {
        rh__text_put(&line, "# interrupted: ");
        rh__text_put_slice(&line, shown);
        rh__text_put(&line, "\n");
    } else {
        rh__text_put(&line, "{\"interrupted\": ");
        rh__text_put_json(&line, shown);
        rh__text_put(&line, "}\n");
    }
    if (line.ok && line.size > 0) {
        writer->has_failed = !pass_on(writer, line.data, line.size) || writer->has_failed;
    }
    rh__arena_rewind(&writer->arena, mark);
}

static rh_status finish(rh_table_writer *writer, rh_table_end how, const char *reason,
                        rh_error *err)
{
    if (how == RH_TABLE_DISCARDED && writer->has_file) {
        rh__draft_discard(&writer->draft);
        return RH_OK;
    }
    flush(writer);
    const bool is_marked = how == RH_TABLE_INTERRUPTED && reason != NULL;
    if (writer->has_file && writer->has_failed) {
        // the failure itself interrupts; it is forgotten for one line and then told
        const int failure = writer->draft.reason;
        writer->draft.reason = 0;
        put_interruption(writer, is_marked ? reason : strerror(failure));
        writer->draft.reason = failure;
    } else if (!writer->has_failed && is_marked) {
        put_interruption(writer, reason);
    }
    return writer->has_file ? rh__draft_keep(&writer->draft, err) : status_of(writer, err);
}

rh_status rh_table_writer_end(rh_table_writer *writer, rh_table_end how, const char *reason,
                              rh_error *err)
{
    if (writer == NULL) {
        return RH_OK;
    }
    const rh_status status = finish(writer, how, reason, err);
    rh_arena arena = writer->arena;
    rh__arena_end(&arena);
    return status;
}
