// SPDX-License-Identifier: Apache-2.0
// The picture of several motions with the same columns: a panel for each of the first variables,
// multipliers and observes, and in it a line for each motion.

#include "cli/run.h"

#include <math.h>
#include <stdlib.h>

enum { MOMENTS = 1601, MOST_PANELS = 24 };

typedef struct share_row {
    unsigned quantities; // set of 1u << rh_quantity
    size_t most;         // panels for them
} share_row;

static const share_row SHARES[] = {
    {1u << RH_QUANTITY_VARIABLE, 12},
    {1u << RH_QUANTITY_MULTIPLIER | 1u << RH_QUANTITY_HELD, 6},
    {1u << RH_QUANTITY_OBSERVE, 6},
};

enum { SHARE_COUNT = sizeof SHARES / sizeof SHARES[0] };

static void choose_panels(const rh_motion *motion, cli_overlay *out)
{
    for (size_t share = 0; share < SHARE_COUNT; share++) {
        size_t count = 0;
        for (size_t k = 0; k < rh_motion_column_count(motion); k++) {
            const rh_quantity quantity = rh_motion_column_quantity(motion, k);
            if ((SHARES[share].quantities >> quantity & 1u) != 0 && count++ < SHARES[share].most) {
                RH_ASSERT(out->panel_count < MOST_PANELS);
                out->columns[out->panel_count++] = k;
            }
        }
    }
}

static void forget(cli_overlay *overlay)
{
    free(overlay->columns);
    free(overlay->times);
    free(overlay->values);
    *overlay = (cli_overlay){.file = NULL};
}

static double *line_of(const cli_overlay *overlay, size_t panel, size_t motion)
{
    RH_ASSERT(panel < overlay->panel_count && motion < overlay->motion_count);
    return overlay->values + (panel * overlay->motion_count + motion) * MOMENTS;
}

static bool reserve(const rh_motion *motion, cli_overlay *out)
{
    out->columns = calloc(MOST_PANELS, sizeof *out->columns);
    out->times = calloc(MOMENTS, sizeof *out->times);
    if (out->columns != NULL) {
        choose_panels(motion, out);
        while (out->panel_count > 1 && out->panel_count * out->motion_count > RH_PLOT_LINES) {
            out->panel_count--;
        }
        const size_t count = out->panel_count * out->motion_count * MOMENTS;
        out->values = calloc(count + 1, sizeof *out->values);
        // what is not kept is a gap
        for (size_t k = 0; out->values != NULL && k < count; k++) {
            out->values[k] = NAN;
        }
    }
    for (size_t k = 0; out->times != NULL && k < MOMENTS; k++) {
        out->times[k] = NAN;
    }
    return out->columns != NULL && out->times != NULL && out->values != NULL;
}

cli_exit cli_overlay_begin(const char *path, const rh_motion *motion, size_t motion_count,
                           double until, cli_overlay *out)
{
    *out =
        (cli_overlay){.first = rh_motion_time(motion), .last = until, .motion_count = motion_count};
    if (path == NULL) {
        return CLI_DONE;
    }
    if (!reserve(motion, out)) {
        cli_talk_memory();
        forget(out);
        return CLI_STOPPED;
    }
    rh_error err = RH_ZERO;
    if (rh_file_begin(path, &out->file, &err) != RH_OK) {
        cli_talk("%s", err.message);
        forget(out);
        return CLI_WRONG_CALL;
    }
    return CLI_DONE;
}

cli_moments cli_overlay_moments(const cli_overlay *overlay)
{
    return (cli_moments){.first = overlay->first,
                         .last = overlay->last,
                         .count = overlay->file != NULL ? MOMENTS : 0};
}

void cli_overlay_keep(cli_overlay *overlay, size_t motion, size_t moment, const double *row)
{
    RH_ASSERT(moment < MOMENTS && motion < overlay->motion_count);
    overlay->times[moment] = row[0];
    for (size_t panel = 0; panel < overlay->panel_count; panel++) {
        line_of(overlay, panel, motion)[moment] = row[overlay->columns[panel]];
    }
}

// --- drawing -----------------------------------------------------------------------------------

static rh_status draw_lines(const cli_overlay *overlay, const char *title,
                            const char *const *labels, rh_plot_line *lines, rh_error *err)
{
    rh_plot_def def = rh_plot_def_default();
    def.title = title[0] != '\0' ? title : NULL;
    def.labels = labels;
    def.panel_count = overlay->panel_count > 0 ? (uint32_t)overlay->panel_count : 1;
    def.times = overlay->times;
    def.row_count = MOMENTS;
    def.lines = lines;
    def.line_count = overlay->panel_count * overlay->motion_count;
    return rh_output_plot(&def, rh_file_sink(overlay->file), err);
}

static rh_status draw(const cli_overlay *overlay, const rh_model *model, const rh_motion *motion,
                      const char *const *names, rh_error *err)
{
    RH_ASSERT(overlay->panel_count <= MOST_PANELS);
    char title[CLI_TITLE + 1];
    const char *labels[MOST_PANELS] = {""};
    const rh_status titled = cli_picture_title(model, title, err);
    if (titled != RH_OK) {
        return titled;
    }
    rh_plot_line *lines = calloc(overlay->panel_count * overlay->motion_count + 1, sizeof *lines);
    if (lines == NULL) {
        *err = (rh_error){.status = RH_E_MEMORY, .message = "out of memory"};
        return RH_E_MEMORY;
    }
    for (size_t panel = 0; panel < overlay->panel_count; panel++) {
        labels[panel] = rh_motion_column_name(motion, overlay->columns[panel]);
        for (size_t k = 0; k < overlay->motion_count; k++) {
            lines[panel * overlay->motion_count + k] = (rh_plot_line){
                .name = names[k],
                .values = line_of(overlay, panel, k),
                .stride = 1,
                .panel = (uint32_t)panel,
            };
        }
    }
    const rh_status status = draw_lines(overlay, title, labels, lines, err);
    free(lines);
    return status;
}

cli_exit cli_overlay_end(cli_overlay *overlay, const rh_model *model, const rh_motion *motion,
                         const char *const *names, bool is_kept)
{
    rh_error err = RH_ZERO;
    cli_exit result = CLI_DONE;
    if (overlay->file != NULL) {
        const rh_status drawn = is_kept ? draw(overlay, model, motion, names, &err) : RH_OK;
        result = cli_picture_close(overlay->file, drawn, is_kept, &err);
    }
    forget(overlay);
    return result;
}
