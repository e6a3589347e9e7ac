// SPDX-License-Identifier: Apache-2.0
// rheonom compare: one model, several realisations of its constraints, a motion for each. All are
// made before the first one moves; they move one after the other, and a variant that stops keeps
// what it has.

#include "cli/run.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { DEFAULT_POINTS = 1001 };

static const char AS_WRITTEN[] = "as written";

typedef struct variant {
    const char *by; // NULL: the model as written
    rh_model *model;
    rh_equations *equations;
    rh_checkup *checkup;
    cli_tables tables;
    rh_motion *motion;
    rh_work *work;
    double *rows; // all columns at the moments
    cli_moments moments, picture_moments;
    rh_outcome_def outcome;
} variant;

typedef struct comparison {
    const cli_options *options;
    const cli_request *request;
    variant *variants;
    size_t count;
    const char **names; // of the variants
    double time_start;
    double *row;
    size_t width;
    rh_table_writer *table; // NULL: nobody wants one
    cli_overlay overlay;
    cli_patience *patience;
    const char *reason; // why the program gave up; NULL: it did not
    rh_error err;       // of the first failed call
} comparison;

// --- moving ------------------------------------------------------------------------------------

static bool look(comparison *c, variant *v, double time)
{
    return rh_motion_row(v->motion, time, c->row, &c->err) == RH_OK;
}

static bool look_around(comparison *c, variant *v)
{
    const double now = rh_motion_time(v->motion);
    const double before = rh_motion_time_before(v->motion);
    double moment = 0.0;
    bool is_fine = rh_work_add(v->work, &c->err) == RH_OK;
    while (is_fine && cli_moments_pass(&v->moments, now, &moment)) {
        is_fine = look(c, v, fmax(moment, before));
        RH_ASSERT(0 < v->moments.next && v->moments.next <= v->moments.count);
        memcpy(v->rows + (v->moments.next - 1) * c->width, c->row, c->width * sizeof *c->row);
    }
    while (is_fine && cli_moments_pass(&v->picture_moments, now, &moment)) {
        is_fine = look(c, v, fmax(moment, before));
        cli_overlay_keep(&c->overlay, (size_t)(v - c->variants), v->picture_moments.next - 1,
                         c->row);
    }
    return is_fine;
}

static double share_of(const comparison *c, const variant *v)
{
    RH_ASSERT(v >= c->variants && v < c->variants + c->count);
    const double whole = c->request->until - c->time_start;
    const double share = whole > 0.0 ? (rh_motion_time(v->motion) - c->time_start) / whole : 1.0;
    return ((double)(v - c->variants) + share) / (double)c->count;
}

static void move(comparison *c, variant *v)
{
    rh_stop *stop = &v->outcome.stop;
    *stop = RH_STOP_NONE;
    bool is_fine = look_around(c, v);
    while (is_fine && *stop == RH_STOP_NONE && c->reason == NULL) {
        is_fine = rh_motion_step(v->motion, c->request->until, stop, &c->err) == RH_OK &&
                  look_around(c, v);
        if (*stop == RH_STOP_NONE) {
            c->reason = cli_patience_check(c->patience, share_of(c, v), rh_motion_time(v->motion));
        }
    }
    if (!is_fine) {
        *stop = RH_STOP_NONE;
        c->reason = c->err.message;
    }
    v->outcome.reason = *stop == RH_STOP_NONE ? c->reason : NULL;
    v->outcome.row_count = v->outcome.rows != NULL ? v->moments.next : 0;
}

// Why not everything was computed; NULL when it was.
static const char *move_all(comparison *c)
{
    RH_ASSERT(c->reason == NULL);
    const char *first = NULL;
    for (size_t k = 0; k < c->count; k++) {
        variant *v = &c->variants[k];
        move(c, v);
        const char *reason =
            v->outcome.stop == RH_STOP_FAILED ? rh_motion_reason(v->motion) : v->outcome.reason;
        if (reason != NULL) {
            cli_patience_end(c->patience);
            cli_talk("%s: the motion ends at t = %.10g instead of %.10g: %s", c->names[k],
                     rh_motion_time(v->motion), c->request->until, reason);
            first = first != NULL ? first : reason;
        }
    }
    cli_patience_end(c->patience);
    return first;
}

// --- the table ---------------------------------------------------------------------------------

// `x@2` is x of the second variant; they stand side by side.
static cli_exit begin_table(comparison *c)
{
    if (!c->request->has_table) {
        return CLI_DONE;
    }
    const size_t columns = 1 + (c->width - 1) * c->count;
    size_t longest = 0;
    for (size_t k = 0; k < c->width; k++) {
        const size_t size = strlen(rh_motion_column_name(c->variants[0].motion, k));
        longest = size > longest ? size : longest;
    }
    const size_t room = longest + 24;
    const char **names = calloc(columns, sizeof *names);
    char *texts = calloc(columns, room);
    if (names == NULL || texts == NULL) {
        free(names);
        free(texts);
        cli_talk_memory();
        return CLI_STOPPED;
    }
    names[0] = "time";
    for (size_t k = 1; k < columns; k++) {
        char *text = texts + k * room;
        const size_t column = 1 + (k - 1) / c->count;
        (void)snprintf(text, room, "%s@%zu", rh_motion_column_name(c->variants[0].motion, column),
                       1 + (k - 1) % c->count);
        names[k] = text;
    }
    rh_table_def def = rh_table_def_default();
    def.format = c->request->format;
    def.path = c->request->is_table_data ? NULL : c->options->out;
    def.sink = cli_outlet_data();
    def.columns = names;
    def.column_count = columns;
    const rh_status status = rh_table_writer_begin(&def, &c->table, &c->err);
    free(names);
    free(texts);
    if (status == RH_E_WRITE) {
        cli_talk("%s", c->err.message);
        return CLI_WRONG_CALL;
    }
    return cli_talk_status(status, &c->err);
}

// One row of all variants; those that did not come so far have gaps.
static void join_row(const comparison *c, size_t row, double *out)
{
    for (size_t k = 0; k < c->count; k++) {
        const variant *v = &c->variants[k];
        const bool is_there = row < v->moments.next;
        for (size_t column = 1; column < c->width; column++) {
            out[1 + (column - 1) * c->count + k] =
                is_there ? v->rows[row * c->width + column] : (double)NAN;
        }
        if (is_there) {
            out[0] = v->rows[row * c->width];
        }
    }
}

static cli_exit end_table(comparison *c, const char *reason)
{
    if (c->table == NULL) {
        return CLI_DONE;
    }
    size_t rows = 0;
    for (size_t k = 0; k < c->count; k++) {
        rows = c->variants[k].moments.next > rows ? c->variants[k].moments.next : rows;
    }
    double *joined = calloc(1 + (c->width - 1) * c->count, sizeof *joined);
    rh_error err = RH_ZERO;
    rh_status status = joined != NULL ? RH_OK : RH_E_MEMORY;
    for (size_t k = 0; status == RH_OK && k < rows; k++) {
        join_row(c, k, joined);
        status = rh_table_writer_row(c->table, joined, &err);
    }
    free(joined);
    const rh_table_end how = reason == NULL ? RH_TABLE_COMPLETE : RH_TABLE_INTERRUPTED;
    const rh_status ended = rh_table_writer_end(c->table, how, reason, &err);
    status = status != RH_OK ? status : ended;
    if (status != RH_OK && !c->request->is_table_data) {
        cli_talk("%s", err.message[0] != '\0' ? err.message : rh_status_text(status));
    }
    return status == RH_OK ? CLI_DONE : CLI_STOPPED;
}

// --- telling -----------------------------------------------------------------------------------

static cli_exit show(const comparison *c)
{
    if (c->request->is_table_data) {
        return CLI_DONE;
    }
    rh_variant *shown = calloc(c->count, sizeof *shown);
    if (shown == NULL) {
        cli_talk_memory();
        return CLI_STOPPED;
    }
    for (size_t k = 0; k < c->count; k++) {
        const variant *v = &c->variants[k];
        shown[k] = (rh_variant){.by = c->names[k],
                                .outcome = &v->outcome,
                                .rows = v->rows,
                                .row_count = v->moments.next};
    }
    rh_comparison_def def = rh_comparison_def_default();
    def.variants = shown;
    def.variant_count = (uint32_t)c->count;
    rh_error err = RH_ZERO;
    const rh_format format = c->options->is_json ? RH_FORMAT_JSON : RH_FORMAT_TEXT;
    const rh_status status = rh_output_comparison(&def, format, cli_outlet_data(), &err);
    free(shown);
    return cli_talk_status(status, &err);
}

static cli_exit move_and_tell(comparison *c)
{
    const variant *first = &c->variants[0];
    cli_exit result = cli_overlay_begin(c->options->plot, first->motion, c->count,
                                        c->request->until, &c->overlay);
    if (result == CLI_DONE) {
        result = begin_table(c);
    }
    if (result != CLI_DONE) {
        (void)cli_overlay_end(&c->overlay, first->model, first->motion, c->names, false);
        return result;
    }
    for (size_t k = 0; k < c->count; k++) {
        c->variants[k].picture_moments = cli_overlay_moments(&c->overlay);
    }
    const char *reason = move_all(c);
    result = reason == NULL ? CLI_DONE : CLI_STOPPED;
    result = cli_worse(result, end_table(c, reason));
    result = cli_worse(result,
                       cli_overlay_end(&c->overlay, first->model, first->motion, c->names, true));
    return cli_worse(result, show(c));
}

// --- making ------------------------------------------------------------------------------------

static cli_exit load(const comparison *c, const cli_intake *text, variant *v)
{
    cli_options options = *c->options;
    options.by = &v->by;
    options.by_count = v->by != NULL ? 1 : 0;
    options.told = v > c->variants ? c->variants[0].model : NULL;
    cli_exit result = cli_model_make(text, &options, &v->model);
    if (result == CLI_DONE) {
        result = cli_equations_load(&options, v->model, &v->equations);
        if (result == CLI_WRONG_MODEL) {
            cli_equations_excuse(&options, v->equations);
        }
    }
    if (result == CLI_DONE) {
        result = cli_checkup_load_moved(&options, v->equations, &v->checkup);
    }
    if (result == CLI_DONE) {
        result = cli_tables_load(&options, v->model, &v->tables);
    }
    if (result == CLI_DONE) {
        rh_motion_def def = rh_motion_def_default();
        rh_error err = RH_ZERO;
        def.tolerance = c->request->tolerance;
        def.tolerances = c->request->atols.list;
        def.tolerance_count = c->request->atols.count;
        def.method = c->request->method;
        def.tier = c->request->tier;
        def.step = c->request->step;
        def.feeds = v->tables.feeds;
        def.feed_count = v->tables.count;
        cli_patience_phase("a motion was prepared");
        result = cli_talk_status(rh_motion_create(v->equations, &def, &v->motion, &err), &err);
        result = result == CLI_DONE
                     ? cli_talk_status(rh_work_create(v->motion, &v->work, &err), &err)
                     : result;
    }
    return result;
}

static cli_exit reserve(comparison *c)
{
    const cli_request *request = c->request;
    const size_t points = request->point_count != 0 ? request->point_count : DEFAULT_POINTS;
    const size_t moments = request->at != NULL ? request->at_count : points;
    c->width = rh_motion_column_count(c->variants[0].motion);
    c->time_start = rh_motion_time(c->variants[0].motion);
    c->row = calloc(c->width, sizeof *c->row);
    bool ok = c->row != NULL;
    for (size_t k = 0; ok && k < c->count; k++) {
        variant *v = &c->variants[k];
        v->rows = calloc(moments * c->width, sizeof *v->rows);
        ok = v->rows != NULL;
        v->moments = (cli_moments){
            .first = c->time_start, .last = request->until, .list = request->at, .count = moments};
        v->outcome = rh_outcome_def_default();
        v->outcome.motion = v->motion;
        v->outcome.checkup = v->checkup;
        v->outcome.time_start = c->time_start;
        v->outcome.tolerance = request->tolerance;
        v->outcome.rows = request->at != NULL ? v->rows : NULL;
        v->outcome.work = v->work;
    }
    if (!ok) {
        cli_talk_memory();
    }
    return ok ? CLI_DONE : CLI_STOPPED;
}

static cli_exit load_all(comparison *c)
{
    cli_intake text;
    cli_exit result = cli_model_read(c->options->subject, &text);
    for (size_t k = 0; result == CLI_DONE && k < c->count; k++) {
        result = load(c, &text, &c->variants[k]);
        if (result != CLI_DONE) {
            cli_talk("that is the variant %zu, %s", k + 1, c->names[k]);
        }
    }
    free(text.data);
    return result;
}

static cli_exit run_comparison(comparison *c)
{
    cli_exit result = load_all(c);
    if (result == CLI_DONE) {
        result = reserve(c);
    }
    if (result == CLI_DONE && !cli_request_fits(c->request, c->time_start)) {
        result = CLI_WRONG_CALL;
    }
    if (result == CLI_DONE) {
        cli_patience_keep();
        result = move_and_tell(c);
    }
    for (size_t k = 0; k < c->count; k++) {
        variant *v = &c->variants[k];
        free(v->rows);
        rh_work_destroy(v->work);
        rh_motion_destroy(v->motion);
        cli_tables_destroy(&v->tables);
        rh_checkup_destroy(v->checkup);
        rh_equations_destroy(v->equations);
        rh_model_destroy(v->model);
    }
    free(c->row);
    return result;
}

// Two variants at least: of one --by the other is the model as written.
static cli_exit compare_request(const cli_options *options, const cli_request *request)
{
    cli_patience patience = cli_patience_begin(options, request->time_limit);
    const size_t first = options->by_count == 1 ? 1 : 0;
    comparison c = {.options = options,
                    .request = request,
                    .count = options->by_count + first,
                    .patience = &patience};
    c.variants = calloc(c.count, sizeof *c.variants);
    c.names = calloc(c.count, sizeof *c.names);
    cli_exit result = CLI_STOPPED;
    if (c.variants != NULL && c.names != NULL) {
        for (size_t k = 0; k < c.count; k++) {
            c.variants[k].by = k >= first ? options->by[k - first] : NULL;
            c.names[k] = k >= first ? options->by[k - first] : AS_WRITTEN;
        }
        result = run_comparison(&c);
    } else {
        cli_talk_memory();
    }
    free(c.variants);
    free(c.names);
    return result;
}

cli_exit cli_compare(const cli_options *options)
{
    cli_request request;
    if (options->by_count == 0) {
        cli_talk("compare needs variants: --by NAME=REALISATION, once to compare with the model as "
                 "written, or several times");
        return CLI_WRONG_CALL;
    }
    if (!cli_request_read(options, &request)) {
        return CLI_WRONG_CALL;
    }
    const cli_exit result = compare_request(options, &request);
    cli_request_destroy(&request);
    return result;
}
