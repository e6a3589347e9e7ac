// SPDX-License-Identifier: Apache-2.0
// rheonom chart: the verdict over a grid of two quantities, as a picture or a table.

#include "cli/run.h"
#include "cli/still.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct charting {
    const cli_options *options;
    cli_range x, y;
    const char **fix;   // of the call, and both axes
    char *texts;        // of the axes, and of --solve
    const char **solve; // names in `texts`
    size_t solve_count;
    long jobs, branch;
    double limit;
    bool is_picture, is_table_data;
    rh_file *out, *curves;
    cli_patience patience;
    const char *reason; // why it ends early; NULL: it does not
} charting;

// --- the call ------------------------------------------------------------------------------------

static bool read_files(charting *in)
{
    const char *path = in->options->out;
    if (path != NULL) {
        in->is_table_data = strcmp(path, "-") == 0;
        in->is_picture = cli_request_has_ending(path, ".svg");
        if (!in->is_table_data && !in->is_picture && !cli_request_has_ending(path, ".csv")) {
            cli_talk("--out wants a name that ends with .svg or .csv, or -, not \"%s\"", path);
            return false;
        }
        if (in->is_table_data && in->options->is_json) {
            cli_talk("--json and --out - cannot both have the standard output");
            return false;
        }
    }
    const char *curves = in->options->curves;
    if (curves != NULL && !cli_request_has_ending(curves, ".csv")) {
        cli_talk("--curves wants a name that ends with .csv, not \"%s\"", curves);
        return false;
    }
    return true;
}

static bool read_call(charting *in)
{
    const cli_options *options = in->options;
    if (options->x == NULL || options->y == NULL) {
        cli_talk("chart needs two quantities: --x NAME=LO:HI:N --y NAME=LO:HI:N");
        return false;
    }
    in->branch = 1;
    if (!cli_range_read("--x", options->x, true, &in->x) ||
        !cli_range_read("--y", options->y, true, &in->y) ||
        (options->jobs != NULL &&
         !cli_request_count("--jobs", options->jobs, 1, 1024, &in->jobs)) ||
        (options->branch != NULL &&
         !cli_request_count("--branch", options->branch, 1, 1000, &in->branch)) ||
        !cli_time_limit_read(options, &in->limit)) {
        return false;
    }
    return read_files(in);
}

// "a, b" into names; an empty one is wrong.
static bool split_solve(charting *in, char *text)
{
    in->solve_count = 0;
    for (char *at = text; at != NULL;) {
        char *comma = strchr(at, ',');
        if (comma != NULL) {
            *comma = '\0';
        }
        at += strspn(at, " \t");
        size_t size = strlen(at);
        while (size > 0 && (at[size - 1] == ' ' || at[size - 1] == '\t')) {
            at[--size] = '\0';
        }
        if (size == 0) {
            cli_talk("--solve wants names separated by commas, not \"%s\"", in->options->solve);
            return false;
        }
        RH_ASSERT(at[size] == '\0');
        in->solve[in->solve_count++] = at;
        at = comma != NULL ? comma + 1 : NULL;
    }
    return true;
}

enum { LONGEST = 200 }; // name and value of an axis

static bool reserve(charting *in)
{
    const cli_options *options = in->options;
    const size_t length = options->solve != NULL ? strlen(options->solve) : 0;
    in->fix = calloc(options->fix_count + 3, sizeof *in->fix);
    in->solve = calloc(length + 2, sizeof *in->solve);
    in->texts = calloc(2 * LONGEST + length + 1, 1);
    return in->fix != NULL && in->solve != NULL && in->texts != NULL;
}

// Axes are fixed quantities too: that is how expressions among them come into the model.
static bool list_names(charting *in)
{
    const cli_options *options = in->options;
    memcpy(in->fix, options->fix, options->fix_count * sizeof *in->fix);
    (void)snprintf(in->texts, LONGEST, "%s=%.17g", in->x.name, in->x.low);
    (void)snprintf(in->texts + LONGEST, LONGEST, "%s=%.17g", in->y.name, in->y.low);
    in->fix[options->fix_count] = in->texts;
    in->fix[options->fix_count + 1] = in->texts + LONGEST;
    if (options->solve == NULL) {
        return true;
    }
    char *list = in->texts + 2 * LONGEST;
    memcpy(list, options->solve, strlen(options->solve) + 1);
    return split_solve(in, list);
}

// --- files ---------------------------------------------------------------------------------------

// Better known before anything is computed.
static cli_exit begin_files(charting *in)
{
    rh_error err = RH_ZERO;
    const cli_options *options = in->options;
    const bool fails =
        (options->out != NULL && !in->is_table_data &&
         rh_file_begin(options->out, &in->out, &err) != RH_OK) ||
        (options->curves != NULL && rh_file_begin(options->curves, &in->curves, &err) != RH_OK);
    if (fails) {
        cli_talk("%s", err.message);
    }
    return fails ? CLI_WRONG_CALL : CLI_DONE;
}

static cli_exit write_out(charting *in, const rh_model *model, const rh_chart *chart)
{
    rh_error err = RH_ZERO;
    if (in->is_table_data) {
        return cli_talk_status(rh_output_chart_points(chart, in->reason, cli_outlet_data(), &err),
                               &err);
    }
    if (in->out == NULL) {
        return CLI_DONE;
    }
    char title[CLI_TITLE + 1];
    rh_status status = cli_picture_title(model, title, &err);
    if (status == RH_OK) {
        const rh_sink sink = rh_file_sink(in->out);
        status = in->is_picture ? rh_output_chart_picture(chart, title, sink, &err)
                                : rh_output_chart_points(chart, in->reason, sink, &err);
    }
    const cli_exit result = cli_picture_close(in->out, status, true, &err);
    in->out = NULL;
    return result;
}

static cli_exit write_curves(charting *in, const rh_chart *chart)
{
    rh_error err = RH_ZERO;
    if (in->curves == NULL) {
        return CLI_DONE;
    }
    const rh_status status = rh_output_chart_curves(chart, rh_file_sink(in->curves), &err);
    const cli_exit result = cli_picture_close(in->curves, status, true, &err);
    in->curves = NULL;
    return result;
}

static void drop_files(charting *in)
{
    rh_error err = RH_ZERO;
    (void)!rh_file_end(in->out, false, &err);
    (void)!rh_file_end(in->curves, false, &err);
}

// --- the chart -----------------------------------------------------------------------------------

static bool go_on(void *user, uint64_t done, uint64_t count)
{
    charting *in = user;
    if (done > 0) { // before that there is only the first motion
        cli_patience_keep();
    }
    in->reason = cli_patience_share(&in->patience, (double)done / (double)count);
    return in->reason == NULL;
}

static cli_exit tell(charting *in, const rh_model *model, const rh_chart *chart)
{
    rh_error err = RH_ZERO;
    cli_exit result = write_out(in, model, chart);
    result = cli_worse(result, write_curves(in, chart));
    if (!in->is_table_data) {
        const rh_format format = in->options->is_json ? RH_FORMAT_JSON : RH_FORMAT_TEXT;
        result = cli_worse(
            result, cli_talk_status(rh_output_chart(chart, format, cli_outlet_data(), &err), &err));
    }
    const rh_chart_summary summary = rh_chart_summarise(chart);
    if (!summary.is_complete) {
        cli_talk("the chart is not complete: %s; %llu of %llu points were not computed",
                 in->reason != NULL ? in->reason : "it was ended",
                 (unsigned long long)summary.counts[RH_CHART_MISSING],
                 (unsigned long long)summary.x.count * summary.y.count);
        return cli_worse(result, CLI_STOPPED);
    }
    return result;
}

static cli_exit compute(charting *in, cli_still *still)
{
    rh_error err = RH_ZERO;
    rh_chart *chart = NULL;
    rh_chart_def def = rh_chart_def_default();
    def.thread_count = (uint32_t)in->jobs;
    def.branch = (uint32_t)in->branch;
    def.steady = still->def;
    def.steady.fix_count = in->options->fix_count;
    def.x = (rh_chart_axis){in->x.name, in->x.low, in->x.high, in->x.count};
    def.y = (rh_chart_axis){in->y.name, in->y.low, in->y.high, in->y.count};
    def.solve = in->solve;
    def.solve_count = in->solve_count;
    def.go_on = go_on;
    def.user = in;
    in->patience = cli_patience_begin(in->options, in->limit);
    cli_patience_phase("the chart was drawn");
    const rh_status status = rh_chart_create(still->equations, &def, &chart, &err);
    cli_patience_keep();
    cli_patience_end(&in->patience);
    const cli_exit result = status == RH_OK ? tell(in, still->model, chart)
                                            : cli_still_talk(in->options, still, status, &err);
    rh_chart_destroy(chart);
    return result;
}

static cli_exit draw(charting *in)
{
    cli_still still = {.model = NULL};
    cli_exit result = begin_files(in);
    cli_patience_drop(rh_file_part(in->out));
    cli_patience_drop(rh_file_part(in->curves));
    if (result == CLI_DONE) {
        cli_options with = *in->options;
        with.fix = in->fix;
        with.fix_count = in->options->fix_count + 2;
        result = cli_still_load(&with, &still);
    }
    if (result == CLI_DONE) {
        result = compute(in, &still);
    }
    cli_still_destroy(&still);
    return result;
}

cli_exit cli_chart(const cli_options *options)
{
    charting in = {.options = options};
    cli_exit result = CLI_STOPPED;
    if (!reserve(&in)) {
        cli_talk_memory();
    } else {
        result = read_call(&in) && list_names(&in) ? draw(&in) : CLI_WRONG_CALL;
    }
    drop_files(&in);
    free(in.fix);
    free(in.solve);
    free(in.texts);
    return result;
}
