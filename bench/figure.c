// SPDX-License-Identifier: Apache-2.0
// The picture of a contest as SVG: error against time, both logarithmic, a line for each contender
// and a legend beside them. Names are those of CONTENDERS: they need no escapes.

#include "contest.h"

#include <math.h>

enum { WIDTH = 860, HEIGHT = 460, LEFT = 80, RIGHT = 590, TOP = 40, BOTTOM = 400, LEGEND = 610 };

static const char *const COLOURS[] = {"#2f7ed8", "#e0632e", "#2ca25f", "#b84dd6", "#b58900",
                                      "#17a2a2", "#e0457b", "#8a8f98", "#5b6ee1", "#7a5230"};
enum { COLOUR_COUNT = sizeof COLOURS / sizeof *COLOURS };

// Whole decades around what is there.
typedef struct decades {
    int low, high;
} decades;

static bool is_drawn(const point *at)
{
    return isfinite(at->error) && at->error > 0.0 && at->error < 10.0;
}

static void widen(decades *axis, double value)
{
    const int below = (int)floor(log10(value));
    axis->low = below < axis->low ? below : axis->low;
    axis->high = below + 1 > axis->high ? below + 1 : axis->high;
}

static double place(const decades *axis, double value, double first, double last)
{
    return first + (log10(value) - axis->low) / (axis->high - axis->low) * (last - first);
}

static bool find_decades(const contest *of, decades *error, decades *time)
{
    *error = *time = (decades){1000, -1000};
    for (size_t k = 0; k < of->count; k++) {
        for (uint32_t j = 0; j < of->entries[k].count; j++) {
            const point *at = &of->entries[k].points[j];
            if (is_drawn(at)) {
                widen(error, at->error);
                widen(time, 1e3 * contest_best(of, at));
            }
        }
    }
    return error->low < error->high && time->low < time->high;
}

static void put_axes(const bench_problem *problem, const decades *error, const decades *time,
                     FILE *to)
{
    for (int k = time->low; k <= time->high; k++) {
        const double y = place(time, pow(10.0, k), BOTTOM, TOP);
        (void)fprintf(to,
                      "<line x1=\"%d\" y1=\"%.1f\" x2=\"%d\" y2=\"%.1f\" stroke=\"#8886\"/>\n"
                      "<text x=\"%d\" y=\"%.1f\" text-anchor=\"end\">%g</text>\n",
                      LEFT, y, RIGHT, y, LEFT - 8, y + 4.0, pow(10.0, k));
    }
    for (int k = error->low; k <= error->high; k++) {
        const double x = place(error, pow(10.0, k), RIGHT, LEFT);
        (void)fprintf(to,
                      "<line x1=\"%.1f\" y1=\"%d\" x2=\"%.1f\" y2=\"%d\" stroke=\"#8886\"/>\n"
                      "<text x=\"%.1f\" y=\"%d\" text-anchor=\"middle\">1e%d</text>\n",
                      x, TOP, x, BOTTOM, x, BOTTOM + 18, k);
    }
    for (int k = 0; k < CONTEST_TARGETS && problem->targets[k] > 0.0; k++) {
        const double x = place(error, problem->targets[k], RIGHT, LEFT);
        if (x >= LEFT && x <= RIGHT) {
            (void)fprintf(to,
                          "<line x1=\"%.1f\" y1=\"%d\" x2=\"%.1f\" y2=\"%d\" stroke=\"#888\" "
                          "stroke-dasharray=\"4 3\"/>\n",
                          x, TOP, x, BOTTOM);
        }
    }
    (void)fprintf(to,
                  "<text x=\"%d\" y=\"%d\" text-anchor=\"middle\">error at the end "
                  "(tighter to the right)</text>\n"
                  "<text transform=\"translate(22,%d) rotate(-90)\" text-anchor=\"middle\">time, "
                  "ms</text>\n"
                  "<text x=\"%d\" y=\"24\" font-size=\"15\">%s, %g s</text>\n",
                  (LEFT + RIGHT) / 2, BOTTOM + 42, (TOP + BOTTOM) / 2, LEFT, problem->name,
                  problem->until);
}

static void put_entry(const contest *of, size_t index, const decades *error, const decades *time,
                      FILE *to)
{
    const entry *it = &of->entries[index];
    const char *colour = COLOURS[index % COLOUR_COUNT];
    const char *dashes = index < COLOUR_COUNT ? "" : " stroke-dasharray=\"6 3\"";
    (void)fprintf(to, "<polyline fill=\"none\" stroke=\"%s\" stroke-width=\"1.6\"%s points=\"",
                  colour, dashes);
    for (uint32_t j = 0; j < it->count; j++) {
        if (is_drawn(&it->points[j])) {
            (void)fprintf(to, "%.1f,%.1f ", place(error, it->points[j].error, RIGHT, LEFT),
                          place(time, 1e3 * contest_best(of, &it->points[j]), BOTTOM, TOP));
        }
    }
    (void)fprintf(to, "\"/>\n");
    for (uint32_t j = 0; j < it->count; j++) {
        if (is_drawn(&it->points[j])) {
            (void)fprintf(to, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"3\" fill=\"%s\"/>\n",
                          place(error, it->points[j].error, RIGHT, LEFT),
                          place(time, 1e3 * contest_best(of, &it->points[j]), BOTTOM, TOP), colour);
        }
    }
    const double y = TOP + 10.0 + 22.0 * (double)index;
    (void)fprintf(to,
                  "<line x1=\"%d\" y1=\"%.1f\" x2=\"%d\" y2=\"%.1f\" stroke=\"%s\" "
                  "stroke-width=\"2\"%s/>\n<text x=\"%d\" y=\"%.1f\">%s</text>\n",
                  LEGEND, y, LEGEND + 24, y, colour, dashes, LEGEND + 32, y + 4.0, it->who->name);
}

bool contest_draw(const contest *of, const results *to)
{
    decades error;
    decades time;
    if (to->folder == NULL || !find_decades(of, &error, &time)) {
        return true;
    }
    FILE *file = results_open(to, of->problem->name, "svg");
    if (file == NULL) {
        return false;
    }
    (void)fprintf(file,
                  "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" "
                  "viewBox=\"0 0 %d %d\" font-family=\"sans-serif\" font-size=\"12\" "
                  "fill=\"#777\">\n",
                  WIDTH, HEIGHT, WIDTH, HEIGHT);
    put_axes(of->problem, &error, &time, file);
    for (size_t k = 0; k < of->count; k++) {
        put_entry(of, k, &error, &time, file);
    }
    (void)fprintf(file, "</svg>\n");
    return fclose(file) == 0;
}
