// SPDX-License-Identifier: Apache-2.0
// Charts as SVG: regions filled by verdict, the curves between them, axes with ticks, a legend.
// Cells of one verdict are drawn as runs; the others are parted along the cuts of their edges, so
// what is filled ends at the curve. Every text of the caller is escaped.

#include "output/output.h"

#include "chart/chart.h"

#include "output/axis.h"
#include "output/digits.h"
#include "output/svg.h"

#include <math.h>
#include <string.h>

enum {
    ARENA_LIMIT = 64 << 20,
    WIDTH = 760,
    LEFT = 80,
    RIGHT = WIDTH - 24,
    PANEL = 480, // height
    TITLE = 34,
    LEGEND = 28,
    BELOW = 52,
    LETTER = 6
};

// By kind; told apart by people who see colours otherwise, and by their lightness.
static const char *const FILLS[RH_CHART_KINDS] = {"#2ca25f", "#2f7ed8", "#e0632e", "#e8c33c",
                                                  "#8a6d3b", "#b84dd6", "#9aa0a8", "#d8dade"};

typedef struct drawing {
    const rh_chart *chart;
    rh_text *out;
    rh_arena *scratch;
    rh_axis x, y;
    double top;
} drawing;

// --- pieces --------------------------------------------------------------------------------------

static void put_place(const drawing *on, const char *before, double x, double y)
{
    rh__text_put(on->out, before);
    rh__digits_put(on->out, rh__axis_place(&on->x, x, LEFT, RIGHT), 2);
    rh__text_put_char(on->out, ',');
    rh__digits_put(on->out, rh__axis_place(&on->y, y, on->top + PANEL, on->top), 2);
}

static void begin_text(const drawing *on, double x, double y, const char *attributes)
{
    rh__text_put(on->out, "<text x=\"");
    rh__digits_put(on->out, x, 1);
    rh__text_put(on->out, "\" y=\"");
    rh__digits_put(on->out, y, 1);
    rh__text_format(on->out, "\"%s>", attributes);
}

static void end_text(const drawing *on)
{
    rh__text_put(on->out, "</text>\n");
}

static double x_of(const drawing *on, uint32_t i)
{
    return rh__chart_coordinate(on->chart, 0, i);
}

static double y_of(const drawing *on, uint32_t j)
{
    return rh__chart_coordinate(on->chart, 1, j);
}

// A lone point on a curve is drawn as one of its sides.
static uint32_t kind_of(const drawing *on, uint32_t i, uint32_t j)
{
    RH_ASSERT(i < on->chart->counts[0] && j < on->chart->counts[1]);
    const rh_spot_mark *mark = &on->chart->marks[rh__chart_index(on->chart, i, j)];
    return on->chart->flat != NULL ? mark->traced : mark->kind;
}

static void count_kinds(const drawing *on, uint64_t counts[RH_CHART_KINDS])
{
    memset(counts, 0, RH_CHART_KINDS * sizeof *counts);
    for (uint32_t j = 0; j < on->chart->counts[1]; j++) {
        for (uint32_t i = 0; i < on->chart->counts[0]; i++) {
            counts[kind_of(on, i, j)]++;
        }
    }
}

// --- regions -------------------------------------------------------------------------------------

// Corners from the lower left one on, and the cuts behind each.
typedef struct cell {
    uint32_t i, j;
    uint32_t kinds[4];
    const rh_verge *cuts[4]; // NULL: none
    double corners[4][2];
} cell;

static cell look_at(const drawing *on, uint32_t i, uint32_t j)
{
    RH_ASSERT(i + 1 < on->chart->counts[0] && j + 1 < on->chart->counts[1]);
    const rh_chart *chart = on->chart;
    const uint32_t p = rh__chart_index(chart, i, j);
    const uint32_t above = p + chart->counts[0];
    cell it = {.i = i, .j = j};
    for (uint32_t k = 0; k < 4; k++) {
        const uint32_t column = i + (k == 1 || k == 2);
        const uint32_t row = j + (k >= 2);
        it.kinds[k] = kind_of(on, column, row);
        it.corners[k][0] = x_of(on, column);
        it.corners[k][1] = y_of(on, row);
    }
    if (chart->flat != NULL) {
        const uint32_t cuts[4] = {chart->flat[p], chart->upright[p + 1], chart->flat[above],
                                  chart->upright[p]};
        for (uint32_t k = 0; k < 4; k++) {
            RH_ASSERT(cuts[k] <= chart->verges.count);
            it.cuts[k] = cuts[k] != 0 ? &chart->verges.data[cuts[k] - 1] : NULL;
        }
    }
    return it;
}

static bool is_plain(const cell *it)
{
    return it->kinds[0] == it->kinds[1] && it->kinds[0] == it->kinds[2] &&
           it->kinds[0] == it->kinds[3];
}

// Does a cut run to the middle of a cell, where more than two kinds meet?
static bool is_knotted(const cell *it)
{
    uint32_t count = 0;
    for (uint32_t k = 0; k < 4; k++) {
        count += it->cuts[k] != NULL;
    }
    return count == 3 ||
           (count == 4 && !(it->kinds[0] == it->kinds[2] && it->kinds[1] == it->kinds[3]));
}

static void put_cut(const drawing *on, const cell *it, uint32_t k, const char *before)
{
    RH_ASSERT(it->cuts[k] != NULL && 0.0 <= it->cuts[k]->at && it->cuts[k]->at <= 1.0);
    // edges 2 and 3 run against the order of the corners
    const double *from = it->corners[k < 2 ? k : (k + 1) % 4];
    const double *to = it->corners[k < 2 ? k + 1 : k];
    const double t = it->cuts[k]->at;
    put_place(on, before, from[0] + t * (to[0] - from[0]), from[1] + t * (to[1] - from[1]));
}

static bool has_another_cut(const cell *it, uint32_t k)
{
    bool is_there = false;
    for (uint32_t j = 1; j < 4; j++) {
        is_there = is_there || it->cuts[(k + j) % 4] != NULL;
    }
    return is_there;
}

// The part of the cell that begins behind cut `k` and ends at the next one.
static void draw_part(const drawing *on, const cell *it, uint32_t k)
{
    RH_ASSERT(has_another_cut(it, k));
    put_cut(on, it, k, "M");
    uint32_t at = (k + 1) % 4;
    put_place(on, "L", it->corners[at][0], it->corners[at][1]);
    while (it->cuts[at] == NULL) {
        at = (at + 1) % 4;
        put_place(on, " ", it->corners[at][0], it->corners[at][1]);
    }
    put_cut(on, it, at, " ");
    if (is_knotted(it)) {
        put_place(on, " ", 0.5 * (it->corners[0][0] + it->corners[2][0]),
                  0.5 * (it->corners[0][1] + it->corners[2][1]));
    }
    rh__text_put(on->out, "z");
}

// Does a cut of the cell lead to another one of it?
static bool leads(const drawing *on, const rh_verge *from, const rh_verge *to)
{
    RH_ASSERT(to >= on->chart->verges.data &&
              to < on->chart->verges.data + on->chart->verges.count);
    const uint32_t name = (uint32_t)(to - on->chart->verges.data) + 1;
    return from->next[0] == name || from->next[1] == name;
}

static void draw_box(const drawing *on, const cell *it, uint32_t until)
{
    RH_ASSERT(it->i < until && until < on->chart->counts[0]);
    put_place(on, "M", it->corners[0][0], it->corners[0][1]);
    put_place(on, "L", x_of(on, until), it->corners[0][1]);
    put_place(on, " ", x_of(on, until), it->corners[2][1]);
    put_place(on, " ", it->corners[0][0], it->corners[2][1]);
    rh__text_put(on->out, "z");
}

// What a mixed cell has of one kind.
static void draw_mixed(const drawing *on, const cell *it, uint32_t kind)
{
    const bool is_saddle = it->cuts[0] != NULL && it->cuts[1] != NULL && it->cuts[2] != NULL &&
                           it->cuts[3] != NULL && !is_knotted(it);
    if (is_saddle) {
        // two corners are cut off; the rest is of the kind of the other two
        const uint32_t off = leads(on, it->cuts[0], it->cuts[1]) ? 1 : 0;
        if (it->kinds[off] == kind) {
            draw_part(on, it, (off + 3) % 4);
            draw_part(on, it, (off + 1) % 4);
        } else if (it->kinds[1 - off] == kind) {
            put_place(on, "M", it->corners[1 - off][0], it->corners[1 - off][1]);
            put_cut(on, it, 1 - off, "L");
            put_cut(on, it, (2 - off) % 4, " ");
            put_place(on, " ", it->corners[3 - off][0], it->corners[3 - off][1]);
            put_cut(on, it, 3 - off, " ");
            put_cut(on, it, (4 - off) % 4, " ");
            rh__text_put(on->out, "z");
        }
        return;
    }
    for (uint32_t k = 0; k < 4; k++) {
        if (it->cuts[k] != NULL && it->kinds[(k + 1) % 4] == kind) {
            draw_part(on, it, k);
        }
    }
}

static bool has_cuts(const cell *it)
{
    return it->cuts[0] != NULL || it->cuts[1] != NULL || it->cuts[2] != NULL || it->cuts[3] != NULL;
}

static void draw_region(const drawing *on, uint32_t kind)
{
    RH_ASSERT(kind < RH_CHART_KINDS);
    const rh_chart *chart = on->chart;
    rh__text_format(on->out, "<path fill=\"%s\" fill-opacity=\"%s\" d=\"", FILLS[kind],
                    kind >= RH_CHART_NONE ? ".35" : ".6");
    for (uint32_t j = 0; on->out->ok && j + 1 < chart->counts[1]; j++) {
        for (uint32_t i = 0; i + 1 < chart->counts[0]; i++) {
            const cell it = look_at(on, i, j);
            const bool is_whole = is_plain(&it) || !has_cuts(&it);
            if (is_whole && it.kinds[0] == kind) {
                cell next = it;
                uint32_t last = i + 1;
                while (last + 1 < chart->counts[0] &&
                       (next = look_at(on, last, j), is_plain(&next) && next.kinds[0] == kind)) {
                    last++;
                }
                draw_box(on, &it, last);
                i = last - 1;
            } else if (!is_whole) {
                draw_mixed(on, &it, kind);
            }
        }
    }
    rh__text_put(on->out, "\"/>\n");
}

static void draw_curves(const drawing *on)
{
    const size_t count = rh_chart_summarise(on->chart).curve_count;
    rh__text_put(on->out, "<path fill=\"none\" stroke=\"#404448\" stroke-width=\"1.4\" d=\"");
    for (size_t k = 0; on->out->ok && k < count; k++) {
        const rh_chart_curve curve = rh_chart_curve_at(on->chart, k);
        for (size_t p = 0; p < curve.count; p++) {
            put_place(on,
                      p == 0   ? "M"
                      : p == 1 ? "L"
                               : " ",
                      curve.points[2 * p], curve.points[2 * p + 1]);
        }
        rh__text_put(on->out, curve.is_closed ? "z" : "");
    }
    rh__text_put(on->out, "\"/>\n");
}

// --- axes and legend -----------------------------------------------------------------------------

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

static void draw_frame(const drawing *on)
{
    rh__text_put(on->out, "<path fill=\"none\" stroke=\"#808080\" d=\"");
    put_place(on, "M", on->x.low, on->y.low);
    rh__text_format(on->out, "H%dv-%dH%dz", RIGHT, PANEL, LEFT);
    for (int64_t k = on->x.first; k <= on->x.last; k++) {
        put_place(on, "M", rh__axis_tick(&on->x, k), on->y.low);
        rh__text_put(on->out, "v5");
    }
    for (int64_t k = on->y.first; k <= on->y.last; k++) {
        put_place(on, "M", on->x.low, rh__axis_tick(&on->y, k));
        rh__text_put(on->out, "h-5");
    }
    rh__text_put(on->out, "\"/>\n");
}

static void draw_axes(const drawing *on, const rh_chart_summary *summary)
{
    const double bottom = on->top + PANEL;
    draw_frame(on);
    for (int64_t k = on->x.first; k <= on->x.last; k++) {
        begin_text(on, rh__axis_place(&on->x, rh__axis_tick(&on->x, k), LEFT, RIGHT), bottom + 19,
                   " text-anchor=\"middle\"");
        rh__axis_put_label(&on->x, k, on->out);
        end_text(on);
    }
    for (int64_t k = on->y.first; k <= on->y.last; k++) {
        begin_text(on, LEFT - 9,
                   rh__axis_place(&on->y, rh__axis_tick(&on->y, k), bottom, on->top) + 4,
                   " text-anchor=\"end\"");
        rh__axis_put_label(&on->y, k, on->out);
        end_text(on);
    }
    draw_offset(on, &on->x, RIGHT, bottom + 40, " text-anchor=\"end\"");
    draw_offset(on, &on->y, 2, on->top - 4, "");
    begin_text(on, 0.5 * (LEFT + RIGHT), bottom + 40, " text-anchor=\"middle\" font-size=\"13\"");
    rh__svg_put_name(on->out, on->scratch, summary->x.name);
    end_text(on);
    rh__text_format(on->out,
                    "<text transform=\"translate(20,%.1f) rotate(-90)\" text-anchor=\"middle\" "
                    "font-size=\"13\">",
                    on->top + 0.5 * PANEL);
    rh__svg_put_name(on->out, on->scratch, summary->y.name);
    end_text(on);
}

static void draw_legend(const drawing *on, const rh_chart_summary *summary)
{
    double x = LEFT;
    const double y = on->top - 12;
    for (uint32_t kind = 0; kind < RH_CHART_KINDS; kind++) {
        if (summary->counts[kind] == 0) {
            continue;
        }
        const char *text =
            kind == RH_CHART_NONE ? "no steady motion of this branch" : rh_chart_kind_text(kind);
        rh__text_format(on->out,
                        "<rect x=\"%.1f\" y=\"%.1f\" width=\"14\" height=\"11\" fill=\"%s\" "
                        "fill-opacity=\"%s\" stroke=\"#808080\"/>\n",
                        x, y - 9, FILLS[kind], kind >= RH_CHART_NONE ? ".35" : ".6");
        begin_text(on, x + 19, y, "");
        rh__text_put(on->out, text);
        end_text(on);
        x += 34.0 + LETTER * (double)strlen(text);
    }
}

// --- the whole -----------------------------------------------------------------------------------

static void draw_chart(drawing *on, const char *title)
{
    rh_chart_summary summary = rh_chart_summarise(on->chart);
    count_kinds(on, summary.counts);
    const bool has_title = title != NULL && title[0] != '\0';
    on->top = (has_title ? TITLE : 0) + LEGEND;
    const double height = on->top + PANEL + BELOW;
    on->x = rh__axis_choose(fmin(summary.x.low, summary.x.high),
                            fmax(summary.x.low, summary.x.high), 8, 0.0);
    on->y = rh__axis_choose(fmin(summary.y.low, summary.y.high),
                            fmax(summary.y.low, summary.y.high), 8, 0.0);
    rh__text_format(on->out,
                    "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%.0f\" "
                    "viewBox=\"0 0 %d %.0f\" role=\"img\" font-family=\"sans-serif\" "
                    "font-size=\"11\" fill=\"#767676\" stroke-linejoin=\"round\">\n",
                    WIDTH, height, WIDTH, height);
    if (has_title) {
        rh__text_put(on->out, "<title>");
        rh__svg_put_name(on->out, on->scratch, title);
        rh__text_put(on->out, "</title>\n");
        begin_text(on, 0.5 * WIDTH, 22, " text-anchor=\"middle\" font-size=\"15\"");
        rh__svg_put_name(on->out, on->scratch, title);
        end_text(on);
    }
    for (uint32_t kind = 0; kind < RH_CHART_KINDS; kind++) {
        if (summary.counts[kind] > 0) {
            draw_region(on, kind);
        }
    }
    draw_curves(on);
    draw_axes(on, &summary);
    draw_legend(on, &summary);
    rh__text_put(on->out, "</svg>\n");
}

rh_status rh_output_chart_picture(const rh_chart *chart, const char *title, rh_sink sink,
                                  rh_error *err)
{
    RH_REQUIRE(chart != NULL && sink.write != NULL, err);
    rh_arena arena = rh__arena_begin(rh_allocator_default(), ARENA_LIMIT);
    rh_arena scratch = rh__arena_begin(rh_allocator_default(), ARENA_LIMIT);
    rh_text out = rh__text_begin(&arena, &sink);
    drawing on = {.chart = chart, .out = &out, .scratch = &scratch};
    draw_chart(&on, title);
    if (scratch.status != RH_OK && arena.status == RH_OK) {
        arena.status = scratch.status;
    }
    rh__arena_end(&scratch);
    return rh__output_end(&out, &arena, err);
}
