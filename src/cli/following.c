// SPDX-License-Identifier: Apache-2.0
// rheonom orbit --continue: the orbit over a parameter, as a table, a picture and a list of the
// places where it turns round or changes its stability.

#include "cli/run.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_POINTS = 2100, MOST_MARKS = 64 };

// What is told of an orbit, in words and in JSON.
typedef enum stability { UNDECIDED, STABLE, UNSTABLE } stability;

static const char *const WORDS[] = {"not decided", "stable", "not stable"};
static const char *const KEYS[] = {"null", "true", "false"};

static stability judge(const rh_branch_point *point)
{
    RH_ASSERT(!(point->is_stable && point->is_unstable));
    return point->is_stable ? STABLE : point->is_unstable ? UNSTABLE : UNDECIDED;
}

// One place that is told.
typedef struct mark {
    rh_branch_mark kind;
    double parameter, width, period, period_error;
    stability from_there; // on
} mark;

typedef struct following {
    const cli_options *options;
    const cli_branch_range *range;
    const cli_mover *on;
    rh_orbit *orbit;
    cli_patience *patience;
    rh_branch *branch;
    rh_file *table, *picture;
    bool is_table_data; // it goes to stdout
    size_t width;       // of a kept row: parameter, period, variables, largest multiplier
    double *rows;
    size_t row_count;
    mark marks[MOST_MARKS];
    size_t mark_count, point_count;
    stability at_first;
    bool is_cut; // the table could not be written
    const char *reason;
    rh_error err;
} following;

bool cli_branch_out(const cli_options *options, const char *what)
{
    if (options->out == NULL) {
        return true;
    }
    const bool is_data = strcmp(options->out, "-") == 0;
    if (options->branch_of == NULL) {
        cli_talk("--out is for the table of a %s: --continue NAME=LO:HI", what);
        return false;
    }
    if (!is_data && !cli_request_has_ending(options->out, ".csv")) {
        cli_talk("--out wants a name that ends with .csv, or -, not \"%s\"", options->out);
        return false;
    }
    if (is_data && options->is_json) {
        cli_talk("--json and --out - cannot both have the standard output");
        return false;
    }
    return true;
}

bool cli_branch_read(const char *text, cli_branch_range *out)
{
    const char *equals = strchr(text, '=');
    const char *colon = equals != NULL ? strchr(equals, ':') : NULL;
    const size_t size = equals != NULL ? (size_t)(equals - text) : 0;
    char *end = NULL;
    char *last = NULL;
    if (colon != NULL) {
        out->from = strtod(equals + 1, &end);
        out->to = strtod(colon + 1, &last);
    }
    if (colon == NULL || size == 0 || size >= sizeof out->name || end != colon ||
        end == equals + 1 || last == colon + 1 || *last != '\0' || !isfinite(out->from) ||
        !isfinite(out->to) || out->from == out->to) {
        cli_talk("--continue wants NAME=LO:HI with two different numbers, not \"%s\"", text);
        return false;
    }
    RH_ASSERT(size < sizeof out->name && isfinite(out->from) && isfinite(out->to));
    memcpy(out->name, text, size);
    out->name[size] = '\0';
    return true;
}

// --- files ---------------------------------------------------------------------------------------

static cli_exit begin_files(following *f)
{
    const cli_options *options = f->options;
    f->is_table_data = options->out != NULL && strcmp(options->out, "-") == 0;
    const bool fails =
        (options->out != NULL && !f->is_table_data &&
         rh_file_begin(options->out, &f->table, &f->err) != RH_OK) ||
        (options->plot != NULL && rh_file_begin(options->plot, &f->picture, &f->err) != RH_OK);
    if (fails) {
        cli_talk("%s", f->err.message);
        return CLI_WRONG_CALL;
    }
    return CLI_DONE;
}

static rh_sink table_of(const following *f)
{
    RH_ASSERT(f->is_table_data || f->table != NULL);
    return f->is_table_data ? cli_outlet_data() : rh_file_sink(f->table);
}

static bool has_table(const following *f)
{
    return f->is_table_data || f->table != NULL;
}

static rh_status draw(const following *f, rh_error *err)
{
    char title[CLI_TITLE + 1];
    const char *labels[RH_PLOT_PANELS] = {"period"};
    rh_plot_mark marks[MOST_MARKS];
    const size_t lines = f->width - 1 < RH_PLOT_PANELS ? f->width - 1 : RH_PLOT_PANELS;
    rh_plot_line *list = calloc(lines, sizeof *list);
    const rh_status titled = cli_picture_title(f->on->model, title, err);
    if (list == NULL || titled != RH_OK) {
        free(list);
        return titled != RH_OK ? titled : RH_E_MEMORY;
    }
    for (size_t k = 0; k < lines; k++) {
        labels[k] = k == 0              ? "period"
                    : k == f->width - 2 ? "largest |multiplier|"
                                        : rh_orbit_variable_name(f->orbit, k - 1);
        list[k] = (rh_plot_line){
            .name = labels[k], .values = f->rows + 1 + k, .stride = f->width, .panel = (uint32_t)k};
    }
    for (size_t k = 0; k < f->mark_count; k++) {
        marks[k] = (rh_plot_mark){f->marks[k].parameter, rh_branch_mark_text(f->marks[k].kind)};
    }
    rh_plot_def def = rh_plot_def_default();
    def.title = title[0] != '\0' ? title : NULL;
    def.time_label = f->range->name;
    def.labels = labels;
    def.panel_count = (uint32_t)lines;
    def.times = f->rows;
    def.time_stride = f->width;
    def.row_count = f->row_count;
    def.lines = list;
    def.line_count = lines;
    def.marks = marks;
    def.mark_count = f->mark_count;
    const rh_status status = rh_output_plot(&def, rh_file_sink(f->picture), err);
    free(list);
    return status;
}

static cli_exit end_files(following *f, bool is_kept)
{
    rh_error err = RH_ZERO;
    cli_exit result = CLI_DONE;
    if (f->picture != NULL) {
        const rh_status drawn = is_kept ? draw(f, &err) : RH_OK;
        result = cli_picture_close(f->picture, drawn, is_kept, &err);
    }
    // the end of a file says what could not be written to it
    if (f->table != NULL && rh_file_end(f->table, is_kept || f->is_cut, &err) != RH_OK) {
        cli_talk("%s", err.message);
        result = CLI_STOPPED;
    }
    return result;
}

// --- following -----------------------------------------------------------------------------------

static void keep(following *f, const rh_branch_point *point)
{
    const size_t count = rh_orbit_variable_count(f->orbit);
    if (point->mark != RH_BRANCH_POINT && f->mark_count < MOST_MARKS) {
        f->marks[f->mark_count++] = (mark){.kind = point->mark,
                                           .parameter = point->parameter,
                                           .width = point->width,
                                           .period = point->period,
                                           .period_error = point->period_error,
                                           .from_there = judge(point)};
    }
    f->at_first = f->point_count == 0 ? judge(point) : f->at_first;
    f->point_count += point->mark == RH_BRANCH_POINT;
    if (f->row_count < MOST_POINTS) {
        double *row = f->rows + f->row_count++ * f->width;
        row[0] = point->parameter;
        row[1] = point->period;
        memcpy(row + 2, point->variables, count * sizeof *row);
        row[f->width - 1] = 0.0;
        for (size_t k = 0; k < rh_orbit_multiplier_count(f->orbit); k++) {
            const rh_multiplier *it = &point->multipliers[k];
            row[f->width - 1] = it->is_trivial
                                    ? row[f->width - 1]
                                    : fmax(row[f->width - 1], hypot(it->real, it->imaginary));
        }
    }
}

static rh_status walk(following *f)
{
    rh_branch_point point;
    bool is_there = true;
    rh_status status = RH_OK;
    if (has_table(f)) {
        status = rh_output_branch_head(f->orbit, f->range->name, table_of(f), &f->err);
    }
    while (status == RH_OK && is_there && f->reason == NULL) {
        status = rh_branch_step(f->branch, &point, &is_there, &f->err);
        if (status == RH_OK && is_there) {
            const double share =
                (point.parameter - f->range->from) / (f->range->to - f->range->from);
            keep(f, &point);
            f->reason =
                cli_patience_check(f->patience, fmin(fmax(share, 0.0), 1.0), point.parameter);
            if (has_table(f)) {
                status = rh_output_branch_row(f->orbit, &point, table_of(f), &f->err);
            }
        }
    }
    cli_patience_end(f->patience);
    if (f->reason == NULL && rh_branch_reason(f->branch)[0] != '\0') {
        f->reason = rh_branch_reason(f->branch);
    }
    return status;
}

// --- telling -------------------------------------------------------------------------------------

static void show_json(const following *f)
{
    const double *last = f->rows + (f->row_count - 1) * f->width;
    (void)printf("{\"parameter\": \"");
    rh_sink sink = cli_outlet_json();
    (void)sink.write(sink.user, f->range->name, strlen(f->range->name));
    (void)printf(
        "\", \"from\": %.17g, \"to\": %.17g, \"points\": %zu, \"stable\": %s, \"marks\": [",
        f->rows[0], last[0], f->point_count, KEYS[f->at_first]);
    for (size_t k = 0; k < f->mark_count; k++) {
        const mark *it = &f->marks[k];
        (void)printf(
            "%s{\"kind\": \"%s\", \"parameter\": %.17g, \"width\": %.3g, \"period\": %.17g, "
            "\"period_error\": %.3g, \"stable\": %s}",
            k > 0 ? ", " : "", rh_branch_mark_text(it->kind), it->parameter, it->width, it->period,
            it->period_error, KEYS[it->from_there]);
    }
    (void)printf("]");
    if (f->reason != NULL) {
        (void)printf(", \"reason\": \"");
        (void)sink.write(sink.user, f->reason, strlen(f->reason));
        (void)printf("\"");
    }
    (void)printf("}\n");
}

// A number with as many digits as its bar leaves it, ten at least where that is small.
static void put_barred(double value, double bar)
{
    const double share = fabs(value) / bar;
    const double digits = isfinite(share) && share > 1.0 ? ceil(log10(share)) + 1.0 : 10.0;
    (void)printf("%.*g", (int)fmin(fmax(digits, 10.0), 17.0), value);
    if (bar > 0.0) {
        (void)printf(" +- %.1g", bar);
    }
}

static void show(const following *f)
{
    if (f->is_table_data || f->row_count == 0) {
        return;
    }
    if (f->options->is_json) {
        show_json(f);
        return;
    }
    const double *last = f->rows + (f->row_count - 1) * f->width;
    (void)printf("branch            %zu orbit%s, %s from %.10g to %.10g\n", f->point_count,
                 f->point_count == 1 ? "" : "s", f->range->name, f->rows[0], last[0]);
    (void)printf("at first          %s\n", WORDS[f->at_first]);
    for (size_t k = 0; k < f->mark_count; k++) {
        const mark *it = &f->marks[k];
        (void)printf("%-17s %s = ", rh_branch_mark_text(it->kind), f->range->name);
        put_barred(it->parameter, it->width);
        (void)printf(", period ");
        put_barred(it->period, it->period_error);
        (void)printf(", %s from there on\n", WORDS[it->from_there]);
    }
}

static cli_exit follow(following *f)
{
    rh_branch_def def = rh_branch_def_default();
    def.set_count = f->options->set_count;
    def.set_index = f->options->set_count - 1;
    def.start_count = f->options->start_count;
    def.from = f->range->from;
    def.to = f->range->to;
    cli_exit result =
        cli_talk_status(rh_branch_create(f->orbit, &def, &f->branch, &f->err), &f->err);
    if (result != CLI_DONE) {
        return result;
    }
    const rh_status status = walk(f);
    f->is_cut = status == RH_E_WRITE;
    result = cli_talk_status(status, &f->err);
    if (result == CLI_DONE && f->reason != NULL) {
        cli_talk("the branch ends before %.10g: %s", f->range->to, f->reason);
        result = CLI_STOPPED;
    }
    show(f);
    return result;
}

cli_exit cli_branch_follow(const cli_options *options, const cli_branch_range *range,
                           const cli_mover *on, rh_orbit *orbit, cli_patience *patience)
{
    following f = {
        .options = options, .range = range, .on = on, .orbit = orbit, .patience = patience};
    f.width = rh_orbit_variable_count(orbit) + 3;
    f.rows = calloc(MOST_POINTS * f.width, sizeof *f.rows);
    if (f.rows == NULL) {
        cli_talk_memory();
        return CLI_STOPPED;
    }
    cli_exit result = begin_files(&f);
    const bool is_begun = result == CLI_DONE;
    if (is_begun) {
        result = follow(&f);
    }
    result = cli_worse(result, end_files(&f, is_begun && f.row_count > 0));
    rh_branch_destroy(f.branch);
    free(f.rows);
    return result;
}
