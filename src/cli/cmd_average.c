// SPDX-License-Identifier: Apache-2.0
// rheonom average: mean reactions over generating orbits, and where all of them vanish.

#include "cli/run.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { CURVE = 201, MOST_CURVES = 4, LABEL = 96 };

#define TOLERANCE 1e-13 // of the motion that finds the start

// --- the picture ---------------------------------------------------------------------------------

// A panel for each restriction: its mean over the first unknown, the others being those of each
// solution, or in the middle of their ranges.
typedef struct curves {
    rh_average *average;
    size_t count, panels, unknowns;
    double *times;  // values of the first unknown
    double *values; // by panel, by curve, by value
    char (*labels)[LABEL];
    rh_plot_line *lines;
} curves;

static double *curve_of(const curves *c, size_t panel, size_t curve)
{
    return c->values + (panel * c->count + curve) * CURVE;
}

// The unknowns of a curve but the first.
static void choose(const curves *c, size_t curve, double *out)
{
    const bool is_solved = curve < rh_average_solution_count(c->average);
    int size = is_solved ? 0 : snprintf(c->labels[curve], LABEL, "middle");
    for (size_t u = 1; u < c->unknowns; u++) {
        const char *name = rh_average_unknown_name(c->average, u);
        double low = 0.0;
        double high = 0.0;
        rh_average_unknown_range(c->average, u, &low, &high);
        out[u] = 0.5 * (low + high);
        for (size_t k = 0; is_solved && k < rh_average_variable_count(c->average); k++) {
            if (rh_average_variable_name(c->average, k) == name) {
                out[u] = rh_average_solution(c->average, curve).start[k];
            }
        }
        if (size >= 0 && size < LABEL) {
            size += snprintf(c->labels[curve] + size, (size_t)(LABEL - size), "%s%s = %.6g",
                             size > 0 ? ", " : "", name, out[u]);
        }
    }
}

static rh_status fill(const curves *c, rh_error *err)
{
    double unknowns[64];
    double low = 0.0;
    double high = 0.0;
    rh_average_unknown_range(c->average, 0, &low, &high);
    for (size_t curve = 0; curve < c->count; curve++) {
        choose(c, curve, unknowns);
        for (size_t k = 0; k < CURVE; k++) {
            rh_average_orbit orbit;
            c->times[k] = unknowns[0] = low + (high - low) * (double)k / (CURVE - 1);
            const rh_status status = rh_average_at(c->average, unknowns, &orbit, err);
            if (status != RH_OK) {
                return status;
            }
            for (size_t panel = 0; panel < c->panels; panel++) {
                curve_of(c, panel, curve)[k] = orbit.is_closed ? orbit.means[panel] : (double)NAN;
            }
        }
    }
    return RH_OK;
}

static rh_status plot(const curves *c, const rh_model *model, rh_file *file, rh_error *err)
{
    char title[CLI_TITLE + 1];
    const char *labels[RH_PLOT_PANELS] = {""};
    rh_status status = fill(c, err);
    if (status == RH_OK) {
        status = cli_picture_title(model, title, err);
    }
    if (status != RH_OK) {
        return status;
    }
    for (size_t panel = 0; panel < c->panels; panel++) {
        labels[panel] = rh_average_restriction_name(c->average, panel);
        for (size_t curve = 0; curve < c->count; curve++) {
            c->lines[panel * c->count + curve] = (rh_plot_line){.name = c->labels[curve],
                                                                .values = curve_of(c, panel, curve),
                                                                .stride = 1,
                                                                .panel = (uint32_t)panel};
        }
    }
    rh_plot_def def = rh_plot_def_default();
    def.title = title[0] != '\0' ? title : NULL;
    def.time_label = rh_average_unknown_name(c->average, 0);
    def.labels = labels;
    def.panel_count = (uint32_t)c->panels;
    def.times = c->times;
    def.row_count = CURVE;
    def.lines = c->lines;
    def.line_count = c->panels * c->count;
    return rh_output_plot(&def, rh_file_sink(file), err);
}

static cli_exit draw(const cli_options *options, const rh_model *model, rh_average *average)
{
    rh_file *file = NULL;
    rh_error err = RH_ZERO;
    if (options->plot == NULL) {
        return CLI_DONE;
    }
    const size_t found = rh_average_solution_count(average);
    curves c = {.average = average,
                .count = found == 0            ? 1
                         : found > MOST_CURVES ? MOST_CURVES
                                               : found,
                .panels = rh_average_restriction_count(average),
                .unknowns = rh_average_unknown_count(average)};
    c.panels = c.panels > RH_PLOT_PANELS ? RH_PLOT_PANELS : c.panels;
    if (rh_file_begin(options->plot, &file, &err) != RH_OK) {
        cli_talk("%s", err.message);
        return CLI_WRONG_CALL;
    }
    c.times = calloc(CURVE, sizeof *c.times);
    c.values = calloc(c.panels * c.count * CURVE, sizeof *c.values);
    c.labels = calloc(c.count, sizeof *c.labels);
    c.lines = calloc(c.panels * c.count, sizeof *c.lines);
    const bool ok = c.times != NULL && c.values != NULL && c.labels != NULL && c.lines != NULL;
    const rh_status drawn = ok ? plot(&c, model, file, &err) : RH_E_MEMORY;
    free(c.times);
    free(c.values);
    free(c.labels);
    free(c.lines);
    return cli_picture_close(file, drawn, true, &err);
}

// --- the averages --------------------------------------------------------------------------------

// What was found until then is told; without unknowns there is one orbit, or nothing.
static cli_exit end_early(const rh_average *average)
{
    const char *reason = rh_average_reason(average);
    const rh_average_orbit begin = rh_average_begin(average);
    if (reason[0] == '\0' && rh_average_unknown_count(average) == 0 && !begin.is_closed) {
        cli_talk("there is no generating orbit through the start: %s", begin.reason);
        return CLI_STOPPED;
    }
    if (reason[0] == '\0') {
        return CLI_DONE;
    }
    cli_talk("the search ends after %zu starts: %s", rh_average_start_count(average), reason);
    return CLI_STOPPED;
}

static cli_exit search(const cli_options *options, cli_mover *on, cli_patience *patience)
{
    rh_average *average = NULL;
    rh_error err = RH_ZERO;
    rh_average_def def = rh_average_def_default();
    def.unknowns = options->unknown;
    def.unknown_count = options->unknown_count;
    def.interrupt = cli_patience_ask;
    def.user = patience;
    cli_patience_keep();
    cli_patience_phase("averages were sought");
    const rh_status status = rh_average_create(on->motion, &def, &average, &err);
    if (status == RH_E_ARGUMENT || status == RH_E_UNAVAILABLE) {
        cli_talk("%s", err.message);
        return CLI_WRONG_CALL;
    }
    cli_exit result = cli_talk_status(status, &err);
    if (result == CLI_DONE) {
        const rh_format format = options->is_json ? RH_FORMAT_JSON : RH_FORMAT_TEXT;
        result = cli_talk_status(rh_output_average(average, format, cli_outlet_data(), &err), &err);
        result = cli_worse(result, end_early(average));
        result = cli_worse(result, draw(options, on->model, average));
    }
    rh_average_destroy(average);
    return result;
}

cli_exit cli_average(const cli_options *options)
{
    cli_mover on;
    double limit = 0.0;
    if (!cli_time_limit_read(options, &limit)) {
        return CLI_WRONG_CALL;
    }
    cli_patience patience = cli_patience_begin(options, limit);
    if (options->plot != NULL && !cli_request_has_ending(options->plot, ".svg")) {
        cli_talk("--plot wants a name that ends with .svg, not \"%s\"", options->plot);
        return CLI_WRONG_CALL;
    }
    if (options->plot != NULL && options->unknown_count == 0) {
        cli_talk("--plot needs an unknown to draw over: --unknown NAME=LO:HI");
        return CLI_WRONG_CALL;
    }
    if (!cli_request_can_write(options->plot)) {
        return CLI_WRONG_CALL;
    }
    cli_exit result = cli_mover_load(options, TOLERANCE, &on);
    if (result == CLI_DONE) {
        result = search(options, &on, &patience);
    }
    cli_mover_destroy(&on);
    return result;
}
