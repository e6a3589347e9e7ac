// SPDX-License-Identifier: Apache-2.0
// Diagnostics of a model, of its equations and of its tables as text, each with its source line and
// a caret span, and as JSON.

#include "output/output.h"

#include "analysis/analysis.h"
#include "equations/equations.h"
#include "motion/motion.h"

#include <string.h>

rh_status rh__output_end(rh_text *out, rh_arena *arena, rh_error *err)
{
    const rh_status status = rh__text_end(out);
    rh__arena_end(arena);
    return status == RH_OK ? status : rh__error_fill(err, status, "%s", rh_status_text(status));
}

const char *rh__output_rank(rh_rank rank)
{
    switch (rank) {
    case RH_RANK_ERROR:
        return "error";
    case RH_RANK_WARNING:
        return "warning";
    case RH_RANK_NOTE:
        return "note";
    }
    return "";
}

// --- text ------------------------------------------------------------------------------------

typedef struct palette {
    const char *rank[RH_RANK_NOTE + 1];
    const char *strong;
    const char *end;
} palette;

static const palette COLOURED = {
    .rank = {[RH_RANK_ERROR] = "\033[1;31m",
             [RH_RANK_WARNING] = "\033[1;35m",
             [RH_RANK_NOTE] = "\033[1;36m"},
    .strong = "\033[1m",
    .end = "\033[0m",
};

static const palette PLAIN = {.rank = {"", "", ""}, .strong = "", .end = ""};

// Several lines stay several lines, indented.
static void put_lines(rh_text *out, const char *text, const char *indent)
{
    const char *line = text;
    for (const char *at = text;; at++) {
        if (*at == '\n' || *at == '\0') {
            rh__output_safe(out, (rh_slice){line, (size_t)(at - line)});
            rh__text_put(out, "\n");
            if (*at == '\0') {
                return;
            }
            rh__text_put(out, indent);
            line = at + 1;
        }
    }
}

static void put_location(rh_text *out, const rh_place *place)
{
    rh__output_safe(out, rh__slice_of(place->name));
    rh__text_format(out, ":%u:%u:", (unsigned)place->line, (unsigned)place->column);
}

static void put_remark(rh_text *out, const rh_source *source, const rh_remark *remark,
                       const palette *colours)
{
    const rh_place place = rh__source_place(source, remark->span);
    const rh_rank rank = rh__diagnostic_rank(remark->code);
    rh__text_put(out, colours->strong);
    put_location(out, &place);
    rh__text_format(out, "%s %s%s[%s]:%s ", colours->end, colours->rank[rank],
                    rh__output_rank(rank), rh__diagnostic_name(remark->code), colours->end);
    put_lines(out, remark->message, "    ");
    rh__output_excerpt(out, &place, colours->rank[rank], colours->end);
    if (remark->note != NULL) {
        const rh_place note_place = rh__source_place(source, remark->note_span);
        rh__text_format(out, "  %snote:%s ", colours->strong, colours->end);
        put_location(out, &note_place);
        rh__text_put(out, " ");
        put_lines(out, remark->note, "        ");
    }
    if (remark->repair != NULL) {
        rh__text_format(out, "  %srepair:%s ", colours->strong, colours->end);
        put_lines(out, remark->repair, "          ");
    }
}

// `2 errors`, with a comma when something stands before it.
static void put_count(rh_text *out, uint32_t count, rh_rank rank, bool *is_first)
{
    if (count > 0) {
        rh__text_format(out, "%s%u %s%s", *is_first ? "" : ", ", (unsigned)count,
                        rh__output_rank(rank), count == 1 ? "" : "s");
        *is_first = false;
    }
}

static void put_closing(rh_text *out, const rh_diagnostics *list)
{
    uint32_t counts[RH_RANK_NOTE + 1] = {0};
    const rh_remark *gravest = &list->remarks.data[0];
    for (uint32_t k = 0; k < list->remarks.count; k++) {
        const rh_remark *remark = &list->remarks.data[k];
        const rh_rank rank = rh__diagnostic_rank(remark->code);
        counts[rank]++;
        gravest = rank < rh__diagnostic_rank(gravest->code) ? remark : gravest;
    }
    bool is_first = true;
    put_count(out, list->error_count, RH_RANK_ERROR, &is_first);
    put_count(out, counts[RH_RANK_WARNING], RH_RANK_WARNING, &is_first);
    put_count(out, counts[RH_RANK_NOTE], RH_RANK_NOTE, &is_first);
    if (list->dropped > 0) {
        rh__text_format(out, "; %u not shown", (unsigned)list->dropped);
    }
    rh__text_format(out, " (rheonom explain %s)\n", rh__diagnostic_name(gravest->code));
}

static void put_text(rh_text *out, const rh_source *source, const rh_diagnostics *list,
                     const palette *colours)
{
    for (uint32_t k = 0; k < list->remarks.count; k++) {
        put_remark(out, source, &list->remarks.data[k], colours);
    }
    if (list->remarks.count > 0) {
        put_closing(out, list);
    }
}

// --- JSON ------------------------------------------------------------------------------------

static void put_string(rh_text *out, const char *key, const char *value)
{
    rh__text_format(out, "\"%s\": ", key);
    if (value == NULL) {
        rh__text_put(out, "null");
    } else {
        rh__text_put_json(out, rh__slice_of(value));
    }
}

static void put_where(rh_text *out, const rh_source *source, rh_span span)
{
    const rh_place place = rh__source_place(source, span);
    put_string(out, "file", place.name);
    rh__text_format(out, ", \"line\": %u, \"column\": %u, \"end_line\": %u, \"end_column\": %u, ",
                    (unsigned)place.line, (unsigned)place.column, (unsigned)place.end_line,
                    (unsigned)place.end_column);
}

static void put_object(rh_text *out, const rh_source *source, const rh_remark *remark)
{
    rh__text_put(out, "{");
    put_string(out, "code", rh__diagnostic_name(remark->code));
    rh__text_put(out, ", ");
    put_string(out, "severity", rh__output_rank(rh__diagnostic_rank(remark->code)));
    rh__text_put(out, ", ");
    put_where(out, source, remark->span);
    put_string(out, "message", remark->message);
    rh__text_put(out, ", ");
    put_string(out, "repair", remark->repair);
    if (remark->note == NULL) {
        rh__text_put(out, ", \"note\": null}");
    } else {
        rh__text_put(out, ", \"note\": {");
        put_where(out, source, remark->note_span);
        put_string(out, "message", remark->note);
        rh__text_put(out, "}}");
    }
}

static void put_list(rh_text *out, const rh_source *source, const rh_diagnostics *list)
{
    rh__text_put(out, "[");
    for (uint32_t k = 0; k < list->remarks.count; k++) {
        rh__text_put(out, k == 0 ? "" : ", ");
        put_object(out, source, &list->remarks.data[k]);
    }
    rh__text_put(out, "]");
}

void rh__output_remark_list(rh_text *out, const rh_model *model, const rh_diagnostics *list)
{
    put_list(out, &model->source, list);
}

void rh__output_remarks(rh_text *out, const rh_model *model)
{
    rh__output_remark_list(out, model, &model->diagnostics);
}

// --- both ------------------------------------------------------------------------------------

typedef struct remarks {
    const rh_model *model;
    const rh_source *source;
    const rh_diagnostics *list;
    bool is_sound; // what they are about
} remarks;

static rh_status write_remarks(const remarks *all, rh_format format, bool is_coloured, rh_sink sink,
                               rh_error *err)
{
    rh_arena arena =
        rh__arena_begin(rh__guard_base(all->model->arena.allocator), all->model->arena.limit);
    rh_text out = rh__text_begin(&arena, &sink);
    if (format == RH_FORMAT_TEXT) {
        put_text(&out, all->source, all->list, is_coloured ? &COLOURED : &PLAIN);
    } else {
        rh__text_format(
            &out, "{\"status\": \"%s\", \"diagnostics\": ", all->is_sound ? "sound" : "wrong");
        put_list(&out, all->source, all->list);
        rh__text_format(&out, ", \"dropped\": %u}\n", (unsigned)all->list->dropped);
    }
    return rh__output_end(&out, &arena, err);
}

rh_status rh_output_diagnostics(const rh_model *model, rh_format format, bool is_coloured,
                                rh_sink sink, rh_error *err)
{
    RH_REQUIRE(model != NULL && sink.write != NULL, err);
    RH_REQUIRE(format == RH_FORMAT_TEXT || format == RH_FORMAT_JSON, err);
    const remarks all = {model, &model->source, &model->diagnostics, model->is_sound};
    return write_remarks(&all, format, is_coloured, sink, err);
}

rh_status rh_output_refusal(const rh_model *model, const rh_error *why, rh_sink sink, rh_error *err)
{
    enum { CODE = 4 };
    RH_REQUIRE(model != NULL && why != NULL && sink.write != NULL, err);
    const char *message = why->message;
    const char *rest = strstr(message, ": ");
    const bool has_code = message[0] == 'E' && rest != NULL && rest - message == CODE;
    char code[CODE + 1] = "";
    if (has_code) {
        memcpy(code, message, CODE);
        message = rest + 2;
    }
    rh_arena arena = rh__arena_begin(rh__guard_base(model->arena.allocator), model->arena.limit);
    rh_text out = rh__text_begin(&arena, &sink);
    rh__text_put(&out, "{\"status\": \"wrong\", \"diagnostics\": [{");
    put_string(&out, "code", has_code ? code : NULL);
    rh__text_put(&out, ", \"severity\": \"error\", ");
    put_string(&out, "message", message);
    rh__text_put(&out, "}], \"dropped\": 0}\n");
    return rh__output_end(&out, &arena, err);
}

rh_status rh_output_equations_diagnostics(const rh_equations *equations, rh_format format,
                                          bool is_coloured, rh_sink sink, rh_error *err)
{
    RH_REQUIRE(equations != NULL && sink.write != NULL, err);
    RH_REQUIRE(format == RH_FORMAT_TEXT || format == RH_FORMAT_JSON, err);
    const rh_model *model = equations->model;
    const remarks all = {model, &model->source, &equations->diagnostics, equations->is_sound};
    return write_remarks(&all, format, is_coloured, sink, err);
}

rh_status rh_output_checkup_diagnostics(const rh_checkup *checkup, rh_format format,
                                        bool is_coloured, rh_sink sink, rh_error *err)
{
    RH_REQUIRE(checkup != NULL && sink.write != NULL, err);
    RH_REQUIRE(format == RH_FORMAT_TEXT || format == RH_FORMAT_JSON, err);
    const rh_model *model = checkup->equations->model;
    const remarks all = {model, &model->source, &checkup->diagnostics,
                         checkup->diagnostics.error_count == 0};
    return write_remarks(&all, format, is_coloured, sink, err);
}

rh_status rh_output_record_diagnostics(const rh_record *record, rh_format format, bool is_coloured,
                                       rh_sink sink, rh_error *err)
{
    RH_REQUIRE(record != NULL && sink.write != NULL, err);
    RH_REQUIRE(format == RH_FORMAT_TEXT || format == RH_FORMAT_JSON, err);
    const remarks all = {record->model, &record->source, &record->diagnostics,
                         record->diagnostics.error_count == 0};
    return write_remarks(&all, format, is_coloured, sink, err);
}
