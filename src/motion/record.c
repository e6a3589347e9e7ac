// SPDX-License-Identifier: Apache-2.0
// Records: the text of a table (CSV) -> the points of an input. Lines that are empty or begin with
// `#` are passed over. If the first line that is left does not begin with a number it names the
// columns: `time` and the input's name are looked for. Otherwise the first two columns are meant.
// The text may come from anywhere: every mistake in it is a remark with its place.

#include "motion/motion.h"

#include "motion/cell.h"

#include <math.h>
#include <string.h>

// --- remarks -------------------------------------------------------------------------------------

typedef struct reading {
    rh_record *record;
    rh_diagnostics *remarks;
    rh_slice text;
    uint32_t base; // offset of the text in the source
    size_t at;     // of the next line
    size_t seen;   // bytes up to the end of the last line with a remark
    rh_slice line;
    uint32_t time_column, value_column;
} reading;

static rh_span span_of(const reading *in, rh_slice part)
{
    RH_ASSERT(part.data >= in->text.data && part.data + part.size <= in->text.data + in->text.size);
    return (rh_span){in->base + (uint32_t)(part.data - in->text.data), (uint32_t)part.size};
}

static void point_at_input(reading *in)
{
    const rh_input *input = in->record->input;
    rh__diagnostics_note(in->remarks, input->path_span, "the table of the input %.*s",
                         RH_SLICE_FORMAT(input->name));
    in->seen = (size_t)(in->line.data - in->text.data) + in->line.size;
}

static bool is_other_csv(rh_slice line)
{
    return memchr(line.data, ',', line.size) == NULL &&
           (memchr(line.data, ';', line.size) != NULL ||
            memchr(line.data, '\t', line.size) != NULL);
}

#define OTHER_CSV "separate columns by commas, and write numbers with a point"

// --- lines ---------------------------------------------------------------------------------------

// The next line that says something, without its end and the blanks around it.
static bool read_line(reading *in)
{
    while (in->at < in->text.size) {
        const char *begin = in->text.data + in->at;
        const char *end = memchr(begin, '\n', in->text.size - in->at);
        size_t size = end == NULL ? in->text.size - in->at : (size_t)(end - begin);
        in->at += size + 1;
        size -= size > 0 && begin[size - 1] == '\r';
        size_t skip = 0;
        while (skip < size && (begin[skip] == ' ' || begin[skip] == '\t')) {
            skip++;
        }
        if (skip < size && begin[skip] != '#') {
            in->line = (rh_slice){begin, size};
            return true;
        }
    }
    return false;
}

static void skip_mark(reading *in)
{
    static const char BOM[] = "\xEF\xBB\xBF";
    if (in->text.size >= 3 && memcmp(in->text.data, BOM, 3) == 0) {
        in->at = 3;
    }
}

// --- columns -------------------------------------------------------------------------------------

// The column of a name; UINT32_MAX, with a remark, when there is not exactly one.
static uint32_t find_column(reading *in, rh_slice name)
{
    uint32_t found = UINT32_MAX;
    uint32_t count = 0;
    size_t at = 0;
    rh_slice cell = {NULL, 0};
    for (uint32_t k = 0; rh__cell_next(in->line, &at, &cell); k++) {
        if (rh__slice_equal(cell, name)) {
            found = k;
            count++;
        }
    }
    if (count == 1) {
        return found;
    }
    rh__diagnostics_add(in->remarks, RH_DIAGNOSTIC_E603, span_of(in, in->line),
                        "%s column of this table is called `%.*s`",
                        count == 0 ? "no" : "more than one", RH_SLICE_FORMAT(name));
    rh__diagnostics_repair(in->remarks, "%s",
                           is_other_csv(in->line) ? OTHER_CSV
                           : count == 0
                               ? "name the columns `time` and as the input, or leave this line out"
                               : "keep one of them");
    point_at_input(in);
    return UINT32_MAX;
}

// Does the present line name the columns?
static bool is_header(const reading *in)
{
    size_t at = 0;
    rh_slice cell = {NULL, 0};
    double ignored = 0.0;
    const rh_cell_kind kind =
        rh__cell_next(in->line, &at, &cell) ? rh__cell_number(cell, &ignored) : RH_CELL_TEXT;
    return kind == RH_CELL_TEXT || kind == RH_CELL_EMPTY;
}

static bool read_header(reading *in)
{
    in->time_column = find_column(in, rh__slice_of("time"));
    in->value_column = find_column(in, in->record->input->name);
    return in->time_column != UINT32_MAX && in->value_column != UINT32_MAX;
}

// --- rows ----------------------------------------------------------------------------------------

static const char *fault_of(rh_cell_kind kind)
{
    switch (kind) {
    case RH_CELL_NUMBER:
        break;
    case RH_CELL_EMPTY:
        return "is missing";
    case RH_CELL_HUGE:
        return "is larger than any number here";
    case RH_CELL_TEXT:
        return "is not a finite number";
    }
    return "";
}

// One entry of the present line; `out_place` is where it stands.
static bool read_entry(reading *in, uint32_t column, const char *word, double *out,
                       rh_slice *out_place)
{
    size_t at = 0;
    rh_slice cell = {NULL, 0};
    rh_slice place = {in->line.data + in->line.size, 0};
    rh_cell_kind kind = RH_CELL_EMPTY;
    for (uint32_t k = 0; rh__cell_next(in->line, &at, &cell); k++) {
        if (k == column) {
            place = cell;
            kind = rh__cell_number(cell, out);
            break;
        }
    }
    *out_place = place;
    if (kind == RH_CELL_NUMBER) {
        return true;
    }
    rh__diagnostics_add(in->remarks, RH_DIAGNOSTIC_E604, span_of(in, place),
                        "the %s of this row %s", word, fault_of(kind));
    rh__diagnostics_repair(
        in->remarks, "%s",
        is_other_csv(in->line)
            ? OTHER_CSV
            : "write a number, or leave the row out: between rows the input is a "
              "straight line");
    point_at_input(in);
    return false;
}

// Does a point follow on the last one?
static bool follows(reading *in, double time, double value, rh_slice place)
{
    const rh_record *record = in->record;
    const size_t last = record->count - 1;
    const double step = record->count == 0 ? 1.0 : time - record->times[last];
    const double rise = record->count == 0 ? 0.0 : value - record->values[last];
    const bool is_steep = step > 0.0 && !isfinite(rise / step);
    if (step >= 0.0 && !is_steep) {
        return true;
    }
    RH_ASSERT(record->count > 0);
    rh__diagnostics_add(
        in->remarks, RH_DIAGNOSTIC_E605, span_of(in, place),
        is_steep ? "between the times %.17g and %.17g the slope is larger than any number"
                 : "after the time %.17g the time %.17g goes back",
        record->times[last], time);
    rh__diagnostics_repair(in->remarks, "%s",
                           is_steep ? "write the same time twice where the input jumps"
                                    : "put the rows in order of time");
    point_at_input(in);
    return false;
}

static void read_row(reading *in)
{
    rh_record *record = in->record;
    double time = 0.0;
    double value = 0.0;
    rh_slice place = {NULL, 0};
    rh_slice value_place = {NULL, 0};
    const bool has_time = read_entry(in, in->time_column, "time", &time, &place);
    const bool has_value = read_entry(in, in->value_column, "value", &value, &value_place);
    if (has_time && has_value) {
        RH_ASSERT(record->count < record->capacity);
        // what goes back is told once, not for all that follow
        (void)follows(in, time, value, place);
        record->times[record->count] = time;
        record->values[record->count] = value;
        record->count++;
    }
}

static void read_rows(reading *in)
{
    const size_t limit = in->record->capacity;
    do {
        if (in->record->count == limit) {
            rh__diagnostics_add(in->remarks, RH_DIAGNOSTIC_E607, span_of(in, in->line),
                                "this table has more than %zu rows", limit);
            rh__diagnostics_repair(in->remarks, "take fewer points: every row ends a step");
            point_at_input(in);
            return;
        }
        read_row(in);
    } while (in->remarks->error_count < RH_DIAGNOSTIC_LIMIT && read_line(in));
}

static void read_table(reading *in)
{
    skip_mark(in);
    bool has_row = read_line(in);
    if (has_row && is_header(in)) {
        if (!read_header(in)) {
            return;
        }
        has_row = read_line(in);
    } else {
        in->time_column = 0;
        in->value_column = 1;
    }
    if (has_row) {
        read_rows(in);
        return;
    }
    in->line = (rh_slice){in->text.data + in->text.size, 0};
    rh__diagnostics_add(in->remarks, RH_DIAGNOSTIC_E606, span_of(in, in->line),
                        "this table has no row of numbers");
    rh__diagnostics_repair(in->remarks, "give at least one row: a time and a value");
    point_at_input(in);
}

// --- the record ----------------------------------------------------------------------------------

static rh_status reserve_rows(rh_record *record, rh_slice text)
{
    size_t lines = 1;
    for (size_t k = 0; k < text.size; k++) {
        lines += text.data[k] == '\n';
    }
    record->capacity = lines < RH_RECORD_ROWS ? lines : RH_RECORD_ROWS;
    record->times = rh__arena_array(&record->arena, double, record->capacity);
    record->values = rh__arena_array(&record->arena, double, record->capacity);
    return record->times != NULL && record->values != NULL ? RH_OK : record->arena.status;
}

// Remarks show lines of the table: it is kept as far as they need it.
static rh_status keep_text(rh_record *record, const char *name, rh_slice text)
{
    const char *kept_name = rh__slice_copy(&record->arena, rh__slice_of(name));
    const char *kept = rh__slice_copy(&record->arena, text);
    return kept_name != NULL && kept != NULL &&
                   rh__source_add(&record->source, kept_name, (rh_slice){kept, text.size})
               ? RH_OK
           : record->arena.status != RH_OK ? record->arena.status
                                           : RH_E_MEMORY;
}

static rh_status refuse_file(rh_record *record, const char *name, const char *reason)
{
    const rh_input *input = record->input;
    rh__diagnostics_add(&record->diagnostics, RH_DIAGNOSTIC_E602, input->path_span,
                        "the file of the input %.*s cannot be read: %s: %s",
                        RH_SLICE_FORMAT(input->name), name, reason);
    rh__diagnostics_repair(&record->diagnostics,
                           "put the table in the folder of the model, under this name");
    return RH_E_MODEL;
}

static rh_status build(rh_record *record, const rh_record_def *def)
{
    const rh_source_part *model_text = &record->model->source.parts.data[0];
    const char *name = def->name != NULL ? def->name : record->input->file;
    const rh_slice text = {def->text, def->text_size};
    record->name = rh__slice_copy(&record->arena, record->input->name);
    if (record->name == NULL ||
        !rh__source_add(&record->source, model_text->name, model_text->text)) {
        return record->arena.status != RH_OK ? record->arena.status : RH_E_MEMORY;
    }
    if (def->reason != NULL) {
        return refuse_file(record, name, def->reason);
    }
    if (text.size > RH_RECORD_SIZE) {
        return refuse_file(record, name, "it is larger than 64 MiB");
    }
    RH_TRY(reserve_rows(record, text));
    reading in = {.record = record,
                  .remarks = &record->diagnostics,
                  .text = text,
                  .base = record->source.size + 1};
    read_table(&in);
    RH_ASSERT(in.seen <= text.size);
    if (record->diagnostics.error_count == 0) {
        return record->arena.status;
    }
    RH_TRY(keep_text(record, name, (rh_slice){text.data, in.seen}));
    return RH_E_MODEL;
}

rh_status rh_record_create(const rh_record_def *def, rh_record **out, rh_error *err)
{
    RH_REQUIRE(def != NULL && out != NULL && def->struct_size != 0, err);
    *out = NULL;
    const rh_input *input = rh__model_feed(def->model, def->index);
    RH_REQUIRE(input != NULL && (def->text != NULL || def->text_size == 0), err);
    rh_arena arena = rh__arena_begin(def->model->arena.allocator, def->model->arena.limit);
    rh_record *record = rh__arena_new(&arena, rh_record);
    if (record == NULL) {
        rh__arena_end(&arena);
        return rh__error_fill(err, RH_E_MEMORY, "%s", rh_status_text(RH_E_MEMORY));
    }
    record->arena = arena;
    record->model = def->model;
    record->input = input;
    record->source = rh__source_begin(&record->arena);
    record->diagnostics = rh__diagnostics_begin(&record->arena);
    const rh_status status = build(record, def);
    if (status != RH_OK && status != RH_E_MODEL) {
        rh_record_destroy(record);
        return rh__error_fill(err, status, "%s", rh_status_text(status));
    }
    *out = record;
    return status == RH_OK ? RH_OK
                           : rh__error_fill(err, status, "%s",
                                            record->diagnostics.remarks.count > 0
                                                ? record->diagnostics.remarks.data[0].message
                                                : rh_status_text(status));
}

void rh_record_destroy(rh_record *record)
{
    if (record != NULL) {
        rh_arena arena = record->arena; // the record lies in it
        rh__arena_end(&arena);
    }
}

rh_feed rh_record_feed(const rh_record *record)
{
    const bool is_sound = record != NULL && record->diagnostics.error_count == 0;
    return is_sound ? (rh_feed){.name = record->name,
                                .times = record->times,
                                .values = record->values,
                                .count = record->count}
                    : (rh_feed){.name = ""};
}

size_t rh_record_diagnostic_count(const rh_record *record)
{
    return record == NULL ? 0 : record->diagnostics.remarks.count;
}

rh_diagnostic rh_record_diagnostic(const rh_record *record, size_t index)
{
    return index >= rh_record_diagnostic_count(record)
               ? (rh_diagnostic){.code = "", .message = ""}
               : rh__model_remark_in(&record->source, &record->diagnostics.remarks.data[index]);
}
