// SPDX-License-Identifier: Apache-2.0
// The members of a sweep as a table, and what can be said of all of them together. Both go through
// the record once, in order, and hold one row at a time.

#include "output/output.h"

#include "output/csv.h"
#include "output/digits.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

enum { ARENA_LIMIT = 1 << 30, MOST_REASONS = 64, NAME_WIDTH = 24, CELL = 18, DIGITS = 10 };

static const char *const TAIL[] = {"status", "time", "steps", "events", "code", "reason"};

enum { TAIL_COUNT = sizeof TAIL / sizeof *TAIL };

static const char *word_of(rh_stop stop)
{
    RH_ASSERT(stop == RH_STOP_REACHED || stop == RH_STOP_EVENT || stop == RH_STOP_FAILED);
    return stop == RH_STOP_REACHED ? "reached" : stop == RH_STOP_EVENT ? "event" : "failed";
}

static void put_number(rh_text *out, double value, const char *missing)
{
    char digits[RH_DIGITS_SIZE];
    if (isfinite(value)) {
        (void)rh__digits_print(value, digits);
        rh__text_put(out, digits);
    } else {
        rh__text_put(out, missing);
    }
}

// --- rows ----------------------------------------------------------------------------------------

static void put_csv_head(const rh_sweep *sweep, rh_text *out)
{
    rh__text_put(out, "member");
    for (size_t k = 0; k < rh_sweep_column_count(sweep); k++) {
        rh__text_put_char(out, ',');
        rh__csv_put(out, rh_sweep_column_name(sweep, k));
    }
    for (size_t k = 0; k < TAIL_COUNT; k++) {
        rh__text_format(out, ",%s", TAIL[k]);
    }
    rh__text_put_char(out, '\n');
}

static void put_csv_row(const rh_sweep *sweep, const rh_sweep_member *it, rh_text *out)
{
    rh__text_format(out, "%" PRIu64, it->number);
    for (size_t k = 0; k < rh_sweep_column_count(sweep); k++) {
        rh__text_put_char(out, ',');
        put_number(out, it->values[k], "");
    }
    rh__text_format(out, ",%s,", word_of(it->stop));
    put_number(out, it->time, "");
    rh__text_format(out, ",%" PRIu64 ",%" PRIu64 ",%s,", it->steps, it->events, it->code);
    if (it->reason[0] != '\0') {
        rh__csv_put(out, it->reason);
    }
    rh__text_put_char(out, '\n');
}

static void put_json_row(const rh_sweep *sweep, const rh_sweep_member *it, rh_text *out)
{
    rh__text_format(out, "{\"member\": %" PRIu64, it->number);
    for (size_t k = 0; k < rh_sweep_column_count(sweep); k++) {
        rh__text_put(out, ", ");
        rh__text_put_json(out, rh__slice_of(rh_sweep_column_name(sweep, k)));
        rh__text_put(out, ": ");
        put_number(out, it->values[k], "null");
    }
    rh__text_format(out, ", \"status\": \"%s\", \"time\": ", word_of(it->stop));
    put_number(out, it->time, "null");
    rh__text_format(out,
                    ", \"steps\": %" PRIu64 ", \"events\": %" PRIu64 ", \"code\": \"%s\", "
                    "\"reason\": ",
                    it->steps, it->events, it->code);
    rh__text_put_json(out, rh__slice_of(it->reason));
    rh__text_put(out, "}\n");
}

rh_status rh_output_members(rh_sweep *sweep, rh_table_format format, rh_sink sink, rh_error *err)
{
    RH_REQUIRE(sweep != NULL && sink.write != NULL, err);
    RH_REQUIRE(format == RH_TABLE_CSV || format == RH_TABLE_JSON_LINES, err);
    rh_arena arena = rh__arena_begin(rh_allocator_default(), ARENA_LIMIT);
    rh_text out = rh__text_begin(&arena, &sink);
    rh_sweep_member member;
    bool is_there = true;
    rh_status status = RH_OK;
    if (format == RH_TABLE_CSV) {
        put_csv_head(sweep, &out);
    }
    rh_sweep_rewind(sweep);
    while (status == RH_OK && out.ok && is_there) {
        status = rh_sweep_next(sweep, &member, &is_there, err);
        if (status == RH_OK && is_there && format == RH_TABLE_CSV) {
            put_csv_row(sweep, &member, &out);
        } else if (status == RH_OK && is_there) {
            put_json_row(sweep, &member, &out);
        }
    }
    const rh_status ended = rh__output_end(&out, &arena, status == RH_OK ? err : NULL);
    return status != RH_OK ? status : ended;
}

// --- all together --------------------------------------------------------------------------------

typedef struct column_summary {
    double least, largest, sum;
    uint64_t count;
} column_summary;

typedef struct reason_count {
    char code[8];
    uint64_t count;
} reason_count;

typedef struct tally {
    uint64_t count[RH_STOP_FAILED + 1];
    column_summary *columns;
    reason_count reasons[MOST_REASONS]; // in order of appearance
    size_t reason_total;
} tally;

static void count_reason(tally *all, const char *code)
{
    size_t k = 0;
    while (k < all->reason_total && strcmp(all->reasons[k].code, code) != 0) {
        k++;
    }
    if (k == all->reason_total && k < MOST_REASONS) {
        memcpy(all->reasons[k].code, code, strlen(code) + 1);
        all->reason_total++;
    }
    if (k < all->reason_total) {
        all->reasons[k].count++;
    }
}

static void count_member(tally *all, const rh_sweep_member *it, size_t columns)
{
    all->count[it->stop]++;
    if (it->stop == RH_STOP_FAILED) {
        count_reason(all, it->code);
        return;
    }
    for (size_t k = 0; k < columns; k++) {
        column_summary *column = &all->columns[k];
        const double value = it->values[k];
        if (isfinite(value)) {
            column->least = column->count == 0 ? value : fmin(column->least, value);
            column->largest = column->count == 0 ? value : fmax(column->largest, value);
            column->sum += value;
            column->count++;
        }
    }
}

static rh_status count_all(rh_sweep *sweep, rh_arena *arena, tally *out, rh_error *err)
{
    const size_t columns = rh_sweep_column_count(sweep);
    rh_sweep_member member;
    bool is_there = true;
    out->columns = rh__arena_array(arena, column_summary, columns + 1);
    RH_TRY(arena->status);
    rh_sweep_rewind(sweep);
    for (;;) {
        RH_TRY(rh_sweep_next(sweep, &member, &is_there, err));
        if (!is_there) {
            return RH_OK;
        }
        count_member(out, &member, columns);
    }
}

static void put_json(const rh_sweep *sweep, const tally *all, rh_text *out)
{
    rh__text_format(out,
                    "{\"members\": %" PRIu64 ", \"reached\": %" PRIu64 ", \"stopped\": %" PRIu64
                    ", \"failed\": %" PRIu64 ", \"reasons\": {",
                    rh_sweep_member_count(sweep), all->count[RH_STOP_REACHED],
                    all->count[RH_STOP_EVENT], all->count[RH_STOP_FAILED]);
    for (size_t k = 0; k < all->reason_total; k++) {
        rh__text_format(out, "%s\"%s\": %" PRIu64, k > 0 ? ", " : "", all->reasons[k].code,
                        all->reasons[k].count);
    }
    rh__text_put(out, "}, \"columns\": {");
    for (size_t k = 0; k < rh_sweep_column_count(sweep); k++) {
        const column_summary *it = &all->columns[k];
        const double none = (double)NAN;
        rh__text_put(out, k > 0 ? ", " : "");
        rh__text_put_json(out, rh__slice_of(rh_sweep_column_name(sweep, k)));
        rh__text_put(out, ": {\"min\": ");
        put_number(out, it->count > 0 ? it->least : none, "null");
        rh__text_put(out, ", \"max\": ");
        put_number(out, it->count > 0 ? it->largest : none, "null");
        rh__text_put(out, ", \"mean\": ");
        put_number(out, it->count > 0 ? it->sum / (double)it->count : none, "null");
        rh__text_put(out, "}");
    }
    rh__text_put(out, "}}\n");
}

static void put_cell(rh_text *out, bool is_there, double value)
{
    const size_t before = out->size;
    if (is_there && isfinite(value)) {
        rh__digits_put_short(out, value == 0.0 ? 0.0 : value, DIGITS);
    } else {
        rh__text_put(out, "-");
    }
    const size_t size = out->size > before ? out->size - before : 0;
    rh__text_format(out, "%*s", (int)(size < CELL ? CELL - size : 1), "");
}

static void put_text(const rh_sweep *sweep, const tally *all, rh_arena *scratch, rh_text *out)
{
    rh__text_format(out, "members   %" PRIu64 "\nreached   %" PRIu64 "\n",
                    rh_sweep_member_count(sweep), all->count[RH_STOP_REACHED]);
    rh__text_format(out, "stopped   %" PRIu64 "\nfailed    %" PRIu64 "\n",
                    all->count[RH_STOP_EVENT], all->count[RH_STOP_FAILED]);
    for (size_t k = 0; k < all->reason_total; k++) {
        const char *code = all->reasons[k].code;
        rh__text_format(out, "  %-6s  %" PRIu64 "\n", code[0] != '\0' ? code : "other",
                        all->reasons[k].count);
    }
    rh__text_format(out, "\n%-*s%-*s%-*s%s\n", NAME_WIDTH + 2, "column", CELL, "least", CELL,
                    "largest", "mean");
    for (size_t k = 0; k < rh_sweep_column_count(sweep); k++) {
        const column_summary *it = &all->columns[k];
        const rh_slice name = rh__slice_of(rh_sweep_column_name(sweep, k));
        const size_t size = rh__utf8_count(name);
        const rh_mark mark = rh__arena_mark(scratch);
        rh_text row = rh__text_begin(scratch, NULL);
        rh__output_safe(&row, name);
        rh__text_format(&row, "%*s", (int)(size < NAME_WIDTH ? NAME_WIDTH - size : 0) + 2, "");
        put_cell(&row, it->count > 0, it->least);
        put_cell(&row, it->count > 0, it->largest);
        put_cell(&row, it->count > 0, it->sum / (double)(it->count > 0 ? it->count : 1));
        rh_slice line = rh__text_slice(&row);
        while (line.size > 0 && line.data[line.size - 1] == ' ') {
            line.size--;
        }
        rh__text_put_slice(out, line);
        rh__text_put_char(out, '\n');
        rh__arena_rewind(scratch, mark);
    }
}

rh_status rh_output_sweep(rh_sweep *sweep, rh_format format, rh_sink sink, uint64_t *out_failed,
                          rh_error *err)
{
    RH_REQUIRE(sweep != NULL, err);
    RH_REQUIRE(format == RH_FORMAT_TEXT || format == RH_FORMAT_JSON, err);
    rh_arena arena = rh__arena_begin(rh_allocator_default(), ARENA_LIMIT);
    rh_arena scratch = rh__arena_begin(rh_allocator_default(), ARENA_LIMIT);
    rh_text out = rh__text_begin(&arena, &sink);
    tally all = {.reason_total = 0};
    const rh_status status = count_all(sweep, &scratch, &all, err);
    const bool is_shown = status == RH_OK && sink.write != NULL;
    if (is_shown && format == RH_FORMAT_JSON) {
        put_json(sweep, &all, &out);
    } else if (is_shown) {
        put_text(sweep, &all, &scratch, &out);
    }
    if (out_failed != NULL) {
        *out_failed = all.count[RH_STOP_FAILED];
    }
    rh__arena_end(&scratch);
    const rh_status ended = rh__output_end(&out, &arena, status == RH_OK ? err : NULL);
    return status != RH_OK ? status : ended;
}
