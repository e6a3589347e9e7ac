// SPDX-License-Identifier: Apache-2.0
// Plots as SVG: panels from top to bottom over one time, each with its axis, its legend and its
// lines; marked moments run through all panels. Of many rows the first, least, largest and last of
// each stretch are drawn, so no peak is lost. Every text of the caller is escaped.

#include "output/output.h"

#include "output/axis.h"
#include "output/digits.h"
#include "output/svg.h"

#include <math.h>
#include <string.h>

enum {
    ARENA_LIMIT = 64 << 20,
    WIDTH = 800,
    LEFT = 90,
    RIGHT = WIDTH - 20,
    PANEL = 170, // height
    ABOVE = 14,  // free space over a panel, without its legend
    LEGEND_ROW = 16,
    LEGEND_ROWS = 3,
    TITLE = 34,
    BELOW = 46, // labels of the time under the last panel
    LETTER = 6, // about the width of one
    STRETCHES = RH_PLOT_POINTS / 4
};

// Between light and dark: each can be told from white, from black and from the others.
static const char *const COLOURS[] = {"#2f7ed8", "#e0632e", "#2ca25f", "#b84dd6",
                                      "#b58900", "#17a2a2", "#e0457b", "#8a8f98"};
enum { COLOUR_COUNT = sizeof COLOURS / sizeof *COLOURS };

typedef struct drawing {
    const rh_plot_def *def;
    rh_text *out;
    rh_arena *scratch;
    rh_axis time;
    double top; // of the panel being drawn
} drawing;

// --- pieces of SVG -----------------------------------------------------------------------------

static void put_name(const drawing *on, const char *text)
{
    rh__svg_put_name(on->out, on->scratch, text);
}

static void put_point(rh_text *out, const char *before, double x, double y)
{
    rh__text_put(out, before);
    rh__digits_put(out, x, 1);
    rh__text_put_char(out, ',');
    rh__digits_put(out, y, 1);
}

// The beginning of a text element: its place and then further attributes.
static void begin_text(const drawing *on, double x, double y, const char *attributes)
{
    rh__text_put(on->out, "<text x=\"");
    rh__digits_put(on->out, x, 1);
    rh__text_put(on->out, "\" y=\"");
    rh__digits_put(on->out, y, 1);
    rh__text_format(on->out, "\"%s>", attributes);
}

static void begin_turned_text(const drawing *on, double x, double y, const char *anchor)
{
    rh__text_put(on->out, "<text transform=\"translate(");
    put_point(on->out, "", x, y);
    rh__text_format(on->out, ") rotate(-90)\" text-anchor=\"%s\">", anchor);
}

static void end_text(const drawing *on)
{
    rh__text_put(on->out, "</text>\n");
}

// --- lines -------------------------------------------------------------------------------------

static bool can_be_drawn(double value)
{
    return fabs(value) <= RH_AXIS_LARGEST;
}

static double time_of(const drawing *on, size_t row)
{
    return on->def->times[row * on->def->time_stride];
}

static double value_of(const rh_plot_line *line, size_t row)
{
    RH_ASSERT(line->stride > 0 || row == 0);
    return line->values[row * line->stride];
}

static bool is_point(const drawing *on, const rh_plot_line *line, size_t row)
{
    return can_be_drawn(time_of(on, row)) && can_be_drawn(value_of(line, row));
}

// A line under way: connected points since the last gap.
typedef struct pen {
    const drawing *on;
    const rh_plot_line *line;
    const rh_axis *axis;
    size_t connected;
} pen;

static void lift_pen(pen *p)
{
    // a lone point is a dot
    rh__text_put(p->on->out, p->connected == 1 ? "h0" : "");
    p->connected = 0;
}

static void draw_point(pen *p, size_t row)
{
    RH_ASSERT(is_point(p->on, p->line, row));
    const double x = rh__axis_place(&p->on->time, time_of(p->on, row), LEFT, RIGHT);
    const double y =
        rh__axis_place(p->axis, value_of(p->line, row), p->on->top + PANEL, p->on->top);
    put_point(p->on->out, p->connected == 0 ? "M" : p->connected == 1 ? "L" : " ", x, y);
    p->connected++;
}

// The first, least, largest and last point of the rows [from, to), in their order. A gap among them
// parts them from their neighbours.
static void draw_stretch(pen *p, size_t from, size_t to)
{
    RH_ASSERT(from < to && to <= p->on->def->row_count);
    size_t chosen[4] = {0};
    size_t count = 0;
    for (size_t row = from; row < to; row++) {
        if (!is_point(p->on, p->line, row)) {
            continue;
        }
        const double value = value_of(p->line, row);
        chosen[0] = count == 0 ? row : chosen[0];
        chosen[1] = count == 0 || value < value_of(p->line, chosen[1]) ? row : chosen[1];
        chosen[2] = count == 0 || value > value_of(p->line, chosen[2]) ? row : chosen[2];
        chosen[3] = row;
        count++;
    }
    RH_ASSERT(chosen[0] <= chosen[1] && chosen[1] <= chosen[3] && chosen[2] <= chosen[3]);
    const bool has_gap = count < to - from;
    if (has_gap) {
        lift_pen(p);
    }
    const bool is_least_first = chosen[1] < chosen[2];
    const size_t order[4] = {chosen[0], chosen[is_least_first ? 1 : 2],
                             chosen[is_least_first ? 2 : 1], chosen[3]};
    for (int k = 0; count > 0 && k < 4; k++) {
        if (k == 0 || order[k] != order[k - 1]) {
            draw_point(p, order[k]);
        }
    }
    if (has_gap) {
        lift_pen(p);
    }
}

static void draw_line(const drawing *on, const rh_plot_line *line, const rh_axis *axis,
                      const char *colour)
{
    pen p = {on, line, axis, 0};
    const size_t rows = on->def->row_count;
    const size_t stretches = rows <= RH_PLOT_POINTS ? rows : STRETCHES;
    rh__text_format(on->out, "<path fill=\"none\" stroke=\"%s\" stroke-width=\"1.5\" d=\"", colour);
    for (size_t k = 0; k < stretches; k++) {
        // rows are dealt out evenly, the rest to the first stretches
        const size_t size = rows / stretches;
        const size_t rest = rows % stretches;
        const size_t from = k * size + (k < rest ? k : rest);
        draw_stretch(&p, from, from + size + (k < rest ? 1 : 0));
    }
    lift_pen(&p);
    rh__text_put(on->out, "\"/>\n");
}

// --- axes --------------------------------------------------------------------------------------

static rh_axis choose_time(const drawing *on)
{
    double low = INFINITY;
    double high = -INFINITY;
    for (size_t row = 0; row < on->def->row_count; row++) {
        const double time = time_of(on, row);
        if (can_be_drawn(time)) {
            low = fmin(low, time);
            high = fmax(high, time);
        }
    }
    return rh__axis_choose(low, high, 8, 0.0);
}

static rh_axis choose_axis(const drawing *on, uint32_t panel)
{
    RH_ASSERT(panel < on->def->panel_count);
    double low = INFINITY;
    double high = -INFINITY;
    for (size_t k = 0; k < on->def->line_count; k++) {
        const rh_plot_line *line = &on->def->lines[k];
        for (size_t row = 0; line->panel == panel && row < on->def->row_count; row++) {
            if (is_point(on, line, row)) {
                low = fmin(low, value_of(line, row));
                high = fmax(high, value_of(line, row));
            }
        }
    }
    return rh__axis_choose(low, high, 5, 0.04);
}

static void draw_offset(const drawing *on, const rh_axis *axis, double x, double y,
                        const char *attributes)
{
    if (axis->has_offset) {
        begin_text(on, x, y, attributes);
        rh__text_put(on->out, "+ ");
        rh__digits_put_short(on->out, rh__axis_tick(axis, axis->first), 15);
        end_text(on);
    }
}

static void draw_grid(const drawing *on, const rh_axis *axis)
{
    rh__text_put(on->out, "<path stroke=\"#808080\" stroke-opacity=\".22\" d=\"");
    for (int64_t k = axis->first; k <= axis->last; k++) {
        const double y = rh__axis_place(axis, rh__axis_tick(axis, k), on->top + PANEL, on->top);
        put_point(on->out, "M", LEFT, y);
        rh__text_format(on->out, "H%d", RIGHT);
    }
    for (int64_t k = on->time.first; k <= on->time.last; k++) {
        put_point(on->out, "M", rh__axis_place(&on->time, rh__axis_tick(&on->time, k), LEFT, RIGHT),
                  on->top);
        rh__text_format(on->out, "v%d", PANEL);
    }
    rh__text_put(on->out, "\"/>\n<path fill=\"none\" stroke=\"#808080\" d=\"");
    put_point(on->out, "M", LEFT, on->top);
    rh__text_format(on->out, "v%dH%d\"/>\n", PANEL, RIGHT);
}

static void draw_axis(const drawing *on, const rh_axis *axis, const char *label)
{
    draw_grid(on, axis);
    for (int64_t k = axis->first; k <= axis->last; k++) {
        const double y = rh__axis_place(axis, rh__axis_tick(axis, k), on->top + PANEL, on->top);
        begin_text(on, LEFT - 6, y + 4, " text-anchor=\"end\"");
        rh__axis_put_label(axis, k, on->out);
        end_text(on);
    }
    draw_offset(on, axis, 2, on->top - 4, "");
    if (label != NULL) {
        begin_turned_text(on, 14, on->top + 0.5 * PANEL, "middle");
        put_name(on, label);
        end_text(on);
    }
}

static void draw_time(const drawing *on)
{
    const double bottom = on->top + PANEL;
    for (int64_t k = on->time.first; k <= on->time.last; k++) {
        const double x = rh__axis_place(&on->time, rh__axis_tick(&on->time, k), LEFT, RIGHT);
        begin_text(on, x, bottom + 16, " text-anchor=\"middle\"");
        rh__axis_put_label(&on->time, k, on->out);
        end_text(on);
    }
    draw_offset(on, &on->time, RIGHT, bottom + 34, " text-anchor=\"end\"");
    if (on->def->time_label != NULL) {
        begin_text(on, 0.5 * (LEFT + RIGHT), bottom + 34, " text-anchor=\"middle\"");
        put_name(on, on->def->time_label);
        end_text(on);
    }
}

// --- legends and marks -------------------------------------------------------------------------

// Entries of a legend flow like words.
typedef struct flow {
    double x;
    uint32_t row;
} flow;

// The place of the next entry; `at` moves behind it.
static flow place_entry(flow *at, const char *name)
{
    const double width = 34.0 + (double)LETTER * rh__svg_name_length(name);
    RH_ASSERT(at->x >= LEFT);
    const bool is_full = at->x > LEFT && at->x + width > RIGHT;
    const flow place = is_full ? (flow){LEFT, at->row + 1} : *at;
    *at = (flow){place.x + width, place.row};
    return place;
}

static void draw_entry(const drawing *on, double x, double y, const rh_plot_line *line,
                       const char *colour)
{
    RH_ASSERT(line->panel < on->def->panel_count);
    rh__text_format(on->out, "<path stroke=\"%s\" stroke-width=\"2\" d=\"", colour);
    put_point(on->out, "M", x, y - 4);
    rh__text_put(on->out, "h16\"/>\n");
    begin_text(on, x + 21, y, "");
    put_name(on, line->name);
    end_text(on);
}

// The legend of a panel, from `y` downwards; returns how many rows it takes. Not drawn when `on`
// has nowhere to draw.
static uint32_t draw_legend(const drawing *on, uint32_t panel, double y)
{
    flow at = {LEFT, 0};
    size_t count = 0;
    size_t left_out = 0;
    for (size_t k = 0; k < on->def->line_count; k++) {
        const rh_plot_line *line = &on->def->lines[k];
        if (line->panel != panel) {
            continue;
        }
        const flow place = place_entry(&at, line->name);
        left_out += place.row >= LEGEND_ROWS;
        if (on->out != NULL && place.row < LEGEND_ROWS) {
            draw_entry(on, place.x, y + LEGEND_ROW * (place.row + 1.0), line,
                       COLOURS[count % COLOUR_COUNT]);
        }
        count++;
    }
    if (on->out != NULL && left_out > 0) {
        begin_text(on, LEFT, y + LEGEND_ROW * (LEGEND_ROWS + 1.0), "");
        rh__text_format(on->out, "... and %zu more", left_out);
        end_text(on);
    }
    RH_ASSERT(left_out <= count);
    return count == 0 ? 0 : left_out > 0 ? LEGEND_ROWS + 1 : at.row + 1;
}

static bool is_shown(const drawing *on, const rh_plot_mark *mark)
{
    return mark->time >= on->time.low && mark->time <= on->time.high;
}

// A mark that would hide behind the one drawn before is left out.
static void draw_marks(const drawing *on)
{
    double last = -WIDTH;
    rh__text_put(on->out,
                 "<path stroke=\"#808080\" stroke-opacity=\".8\" stroke-dasharray=\"2 4\" d=\"");
    for (size_t k = 0; k < on->def->mark_count; k++) {
        const rh_plot_mark *mark = &on->def->marks[k];
        const double x = rh__axis_place(&on->time, mark->time, LEFT, RIGHT);
        if (is_shown(on, mark) && fabs(x - last) >= 0.5) {
            put_point(on->out, "M", x, on->top);
            rh__text_format(on->out, "v%d", PANEL);
            last = x;
        }
    }
    rh__text_put(on->out, "\"/>\n");
}

static void draw_mark_labels(const drawing *on)
{
    double last = -WIDTH;
    for (size_t k = 0; k < on->def->mark_count; k++) {
        const rh_plot_mark *mark = &on->def->marks[k];
        const double x = rh__axis_place(&on->time, mark->time, LEFT, RIGHT);
        if (is_shown(on, mark) && mark->label != NULL && fabs(x - last) >= 12.0) {
            begin_turned_text(on, x - 3, on->top + 4, "end");
            put_name(on, mark->label);
            end_text(on);
            last = x;
        }
    }
}

// --- the whole ---------------------------------------------------------------------------------

static void draw_panel(const drawing *on, uint32_t panel)
{
    const rh_axis axis = choose_axis(on, panel);
    draw_axis(on, &axis, on->def->labels != NULL ? on->def->labels[panel] : NULL);
    draw_marks(on);
    size_t count = 0;
    for (size_t k = 0; k < on->def->line_count; k++) {
        if (on->def->lines[k].panel == panel) {
            draw_line(on, &on->def->lines[k], &axis, COLOURS[count % COLOUR_COUNT]);
            count++;
        }
    }
}

static double height_of(const rh_plot_def *def)
{
    const drawing nowhere = {.def = def};
    double height = (def->title != NULL ? TITLE : 0) + BELOW;
    for (uint32_t panel = 0; panel < def->panel_count; panel++) {
        height += ABOVE + PANEL + (double)LEGEND_ROW * draw_legend(&nowhere, panel, 0.0);
    }
    return height;
}

static void begin_picture(const drawing *on)
{
    const double height = height_of(on->def);
    rh__text_format(on->out,
                    "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%.0f\" "
                    "viewBox=\"0 0 %d %.0f\" role=\"img\" font-family=\"sans-serif\" "
                    "font-size=\"11\" fill=\"#767676\" stroke-linejoin=\"round\" "
                    "stroke-linecap=\"round\">\n",
                    WIDTH, height, WIDTH, height);
    if (on->def->title != NULL) {
        rh__text_put(on->out, "<title>");
        put_name(on, on->def->title);
        rh__text_put(on->out, "</title>\n");
        begin_text(on, 0.5 * WIDTH, 22, " text-anchor=\"middle\" font-size=\"15\"");
        put_name(on, on->def->title);
        end_text(on);
    }
}

static void draw_plot(drawing *on)
{
    begin_picture(on);
    on->time = choose_time(on);
    double y = on->def->title != NULL ? TITLE : 0;
    for (uint32_t panel = 0; panel < on->def->panel_count; panel++) {
        const uint32_t rows = draw_legend(on, panel, y);
        on->top = y + (double)LEGEND_ROW * rows + ABOVE;
        draw_panel(on, panel);
        if (panel == 0) {
            draw_mark_labels(on);
        }
        y = on->top + PANEL;
    }
    draw_time(on);
    rh__text_put(on->out, "</svg>\n");
}

static rh_status check_def(const rh_plot_def *def, rh_error *err)
{
    RH_REQUIRE(def->panel_count > 0 && def->panel_count <= RH_PLOT_PANELS, err);
    RH_REQUIRE(def->line_count <= RH_PLOT_LINES, err);
    RH_REQUIRE(def->lines != NULL || def->line_count == 0, err);
    RH_REQUIRE(def->marks != NULL || def->mark_count == 0, err);
    RH_REQUIRE(def->times != NULL || def->row_count == 0, err);
    for (size_t k = 0; k < def->line_count; k++) {
        RH_REQUIRE(def->lines[k].panel < def->panel_count, err);
        RH_REQUIRE(def->lines[k].name != NULL, err);
        RH_REQUIRE(def->lines[k].values != NULL || def->row_count == 0, err);
    }
    return RH_OK;
}

rh_status rh_output_plot(const rh_plot_def *def, rh_sink sink, rh_error *err)
{
    RH_REQUIRE(def != NULL && sink.write != NULL, err);
    RH_REQUIRE(def->struct_size != 0 && def->struct_size <= sizeof *def, err);
    // an older program knows a shorter def
    rh_plot_def whole = rh_plot_def_default();
    memcpy(&whole, def, def->struct_size);
    RH_TRY(check_def(&whole, err));
    rh_arena arena = rh__arena_begin(rh_allocator_default(), ARENA_LIMIT);
    rh_arena scratch = rh__arena_begin(rh_allocator_default(), ARENA_LIMIT);
    rh_text out = rh__text_begin(&arena, &sink);
    drawing on = {.def = &whole, .out = &out, .scratch = &scratch};
    draw_plot(&on);
    if (scratch.status != RH_OK && arena.status == RH_OK) {
        arena.status = scratch.status;
    }
    rh__arena_end(&scratch);
    return rh__output_end(&out, &arena, err);
}
