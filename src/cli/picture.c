// SPDX-License-Identifier: Apache-2.0
// The picture of a motion: variables, velocities, multipliers and observes over time, a panel each,
// of each the first few. Only what is drawn is kept, at equally spaced moments.

#include "cli/run.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOMENTS = 1601, PANELS = 4, MOST_LINES = 8, MOST_MARKS = 60 };

typedef struct panel_row {
    const char *label;
    unsigned quantities; // set of 1u << rh_quantity
} panel_row;

static const panel_row PANEL_ROWS[PANELS] = {
    {"positions, states", 1u << RH_QUANTITY_VARIABLE},
    {"velocities", 1u << RH_QUANTITY_VELOCITY | 1u << RH_QUANTITY_QUASI},
    {"multipliers", 1u << RH_QUANTITY_MULTIPLIER | 1u << RH_QUANTITY_HELD},
    {"observes", 1u << RH_QUANTITY_OBSERVE},
};

static uint32_t panel_of(rh_quantity quantity)
{
    RH_ASSERT((unsigned)quantity < 8 * sizeof(unsigned));
    uint32_t panel = 0;
    while (panel < PANELS && (PANEL_ROWS[panel].quantities >> quantity & 1u) == 0) {
        panel++;
    }
    return panel;
}

// The first lines of each panel.
static void choose_lines(const rh_motion *motion, cli_picture *picture)
{
    size_t counts[PANELS] = {0};
    for (size_t k = 0; k < rh_motion_column_count(motion); k++) {
        const uint32_t panel = panel_of(rh_motion_column_quantity(motion, k));
        if (panel < PANELS && counts[panel]++ < MOST_LINES) {
            RH_ASSERT(picture->width <= (size_t)PANELS * MOST_LINES);
            const size_t line = picture->width - 1;
            picture->columns[line] = k;
            picture->lines[line].name = rh_motion_column_name(motion, k);
            picture->lines[line].panel = panel;
            picture->width++;
        }
    }
}

static void forget(cli_picture *picture)
{
    free(picture->rows);
    free(picture->columns);
    free(picture->lines);
    *picture = (cli_picture){.file = NULL};
}

static cli_exit reserve(const rh_motion *motion, cli_picture *out)
{
    out->width = 1;
    out->columns = calloc((size_t)PANELS * MOST_LINES, sizeof *out->columns);
    out->lines = calloc((size_t)PANELS * MOST_LINES, sizeof *out->lines);
    if (out->columns != NULL && out->lines != NULL) {
        choose_lines(motion, out);
        // one more for the last state of a motion that ends early
        out->rows = calloc((MOMENTS + 1) * out->width, sizeof *out->rows);
    }
    if (out->rows == NULL) {
        cli_talk_memory();
        forget(out);
        return CLI_STOPPED;
    }
    return CLI_DONE;
}

cli_exit cli_picture_begin(const char *path, const rh_motion *motion, double until,
                           cli_picture *out)
{
    *out = (cli_picture){.file = NULL};
    if (path == NULL) {
        return CLI_DONE;
    }
    const cli_exit reserved = reserve(motion, out);
    if (reserved != CLI_DONE) {
        return reserved;
    }
    out->moments = (cli_moments){.first = rh_motion_time(motion), .last = until, .count = MOMENTS};
    rh_error err = RH_ZERO;
    if (rh_file_begin(path, &out->file, &err) != RH_OK) {
        cli_talk("%s", err.message);
        forget(out);
        return CLI_WRONG_CALL;
    }
    return CLI_DONE;
}

void cli_picture_keep(cli_picture *picture, const double *row)
{
    if (picture->row_count > MOMENTS) {
        return;
    }
    RH_ASSERT(picture->width > 0);
    double *kept = picture->rows + picture->row_count * picture->width;
    kept[0] = row[0];
    for (size_t k = 1; k < picture->width; k++) {
        kept[k] = row[picture->columns[k - 1]];
    }
    picture->row_count++;
}

// --- drawing -----------------------------------------------------------------------------------

typedef struct title_text {
    char data[CLI_TITLE + 1];
    size_t size;
} title_text;

static bool write_title(void *user, const char *data, size_t size)
{
    RH_ASSERT(((title_text *)user)->size <= CLI_TITLE);
    title_text *title = user;
    const size_t room = CLI_TITLE - title->size;
    const size_t taken = size < room ? size : room;
    memcpy(title->data + title->size, data, taken);
    title->size += taken;
    return true;
}

// Panels without lines are left out.
static void number_panels(cli_picture *picture, const char *labels[PANELS], rh_plot_def *def)
{
    uint32_t number[PANELS] = {0};
    bool is_used[PANELS] = {false};
    for (size_t k = 0; k + 1 < picture->width; k++) {
        is_used[picture->lines[k].panel] = true;
    }
    def->panel_count = 0;
    for (uint32_t panel = 0; panel < PANELS; panel++) {
        number[panel] = def->panel_count;
        if (is_used[panel]) {
            labels[def->panel_count++] = PANEL_ROWS[panel].label;
        }
    }
    for (size_t k = 0; k + 1 < picture->width; k++) {
        picture->lines[k].panel = number[picture->lines[k].panel];
        picture->lines[k].values = picture->rows + k + 1;
        picture->lines[k].stride = picture->width;
    }
    def->panel_count = def->panel_count > 0 ? def->panel_count : 1;
}

static size_t choose_marks(const rh_motion *motion, rh_plot_mark marks[MOST_MARKS])
{
    size_t count = 0;
    for (size_t k = 0; k < rh_motion_occurrence_count(motion) && count < MOST_MARKS; k++) {
        const rh_occurrence occurrence = rh_motion_occurrence(motion, k);
        marks[count++] = (rh_plot_mark){occurrence.time, occurrence.name};
    }
    return count;
}

rh_status cli_picture_title(const rh_model *model, char out[CLI_TITLE + 1], rh_error *err)
{
    title_text title = {.size = 0};
    const rh_status status = rh_output_title(model, (rh_sink){write_title, &title}, err);
    memcpy(out, title.data, sizeof title.data);
    return status;
}

static rh_status draw(cli_picture *picture, const rh_model *model, const rh_motion *motion,
                      rh_error *err)
{
    char title[CLI_TITLE + 1];
    const rh_status titled = cli_picture_title(model, title, err);
    if (titled != RH_OK) {
        return titled;
    }
    const char *labels[PANELS] = {"", "", "", ""};
    rh_plot_mark marks[MOST_MARKS];
    rh_plot_def def = rh_plot_def_default();
    number_panels(picture, labels, &def);
    def.title = title[0] != '\0' ? title : NULL;
    def.labels = labels;
    def.times = picture->rows;
    def.time_stride = picture->width;
    def.row_count = picture->row_count;
    def.lines = picture->lines;
    def.line_count = picture->width - 1;
    def.marks = marks;
    def.mark_count = choose_marks(motion, marks);
    return rh_output_plot(&def, rh_file_sink(picture->file), err);
}

cli_exit cli_picture_close(rh_file *file, rh_status drawn, bool is_kept, rh_error *err)
{
    // what could not be written is said by the end of the file
    const bool is_whole = drawn == RH_OK || drawn == RH_E_WRITE;
    const rh_status ended = rh_file_end(file, is_kept && is_whole, err);
    const rh_status status = is_whole ? ended : drawn;
    if (status != RH_OK) {
        cli_talk("%s", err->message);
    }
    return status == RH_OK ? CLI_DONE : CLI_STOPPED;
}

cli_exit cli_picture_end(cli_picture *picture, const rh_model *model, const rh_motion *motion,
                         bool is_kept)
{
    rh_error err = RH_ZERO;
    cli_exit result = CLI_DONE;
    if (picture->file != NULL) {
        const rh_status drawn = is_kept ? draw(picture, model, motion, &err) : RH_OK;
        result = cli_picture_close(picture->file, drawn, is_kept, &err);
    }
    forget(picture);
    return result;
}
