// SPDX-License-Identifier: Apache-2.0
// Cuts are joined through the cells of the grid. A cell with two cuts joins them; one with four and
// two kinds in opposite corners asks the motion in its middle which corners belong together; a cell
// in which three kinds or more meet is a knot, at whose edges curves end. Else a curve ends at the
// border of the grid, or where it began.

#include "chart/chart.h"

#include <float.h>
#include <math.h>

typedef struct joining {
    rh_chart *chart;
    bool *is_used; // by cut
} joining;

static void put_between(rh_chart *chart, const rh_verge *verge, double out[2], double bars[2])
{
    RH_ASSERT(0.0 <= verge->at && verge->at <= 1.0);
    const uint32_t i = verge->from % chart->counts[0];
    const uint32_t j = verge->from / chart->counts[0];
    out[0] = rh__chart_coordinate(chart, 0, i);
    out[1] = rh__chart_coordinate(chart, 1, j);
    const int axis = verge->is_upright ? 1 : 0;
    const double end = rh__chart_coordinate(chart, axis, (verge->is_upright ? j : i) + 1);
    const double length = end - out[axis];
    out[axis] += verge->at * length;
    bars[1 - axis] = 0.0;
    bars[axis] = fmax(verge->bar * fabs(length), DBL_EPSILON * fabs(out[axis]));
}

static void join(joining *in, uint32_t cut, uint32_t target)
{
    RH_ASSERT(0 < cut && cut <= in->chart->verges.count);
    rh_verge *verge = &in->chart->verges.data[cut - 1];
    RH_ASSERT(verge->next[0] == 0 || verge->next[1] == 0); // a cut lies between two cells
    verge->next[verge->next[0] == 0 ? 0 : 1] = target;
}

static void join_both(joining *in, uint32_t first, uint32_t second)
{
    join(in, first, second);
    join(in, second, first);
}

// --- cells ---------------------------------------------------------------------------------------

// The kind in the middle of a cell, reached from its first corner that has a motion.
static uint32_t middle_kind(rh_chart *chart, uint32_t i, uint32_t j)
{
    RH_ASSERT(i + 1 < chart->counts[0] && j + 1 < chart->counts[1]);
    rh_spot *spot = chart->spots[0];
    const double to[2] = {
        0.5 * (rh__chart_coordinate(chart, 0, i) + rh__chart_coordinate(chart, 0, i + 1)),
        0.5 * (rh__chart_coordinate(chart, 1, j) + rh__chart_coordinate(chart, 1, j + 1))};
    for (uint32_t k = 0; k < 4; k++) {
        const uint32_t column = i + k % 2;
        const uint32_t row = j + k / 2;
        const uint32_t p = rh__chart_index(chart, column, row);
        const double from[2] = {rh__chart_coordinate(chart, 0, column),
                                rh__chart_coordinate(chart, 1, row)};
        if (chart->marks[p].kind == RH_CHART_NONE) {
            continue;
        }
        rh__spot_load(spot, chart->places + (size_t)p * chart->width);
        if (rh__spot_reach(spot, from, to)) {
            return rh__spot_judge(spot, rh__chart_known(&chart->marks[p], &chart->marks[p]));
        }
    }
    return RH_CHART_NONE;
}

// Where more than two kinds meet nothing is a root: the curves end on the edges of the cell.
static void tie(joining *in, const uint32_t cuts[4])
{
    for (uint32_t k = 0; k < 4; k++) {
        if (cuts[k] != 0) {
            join(in, cuts[k], RH_VERGE_KNOT);
        }
    }
}

// Corners and edges: bottom, right, top, left.
static void join_cell(joining *in, uint32_t i, uint32_t j)
{
    RH_ASSERT(i + 1 < in->chart->counts[0] && j + 1 < in->chart->counts[1]);
    rh_chart *chart = in->chart;
    const uint32_t p = rh__chart_index(chart, i, j);
    const uint32_t above = p + chart->counts[0];
    const uint32_t cuts[4] = {chart->flat[p], chart->upright[p + 1], chart->flat[above],
                              chart->upright[p]};
    const uint8_t corner[4] = {chart->marks[p].traced, chart->marks[p + 1].traced,
                               chart->marks[above + 1].traced, chart->marks[above].traced};
    uint32_t listed[4];
    uint32_t count = 0;
    for (uint32_t k = 0; k < 4; k++) {
        if (corner[k] == RH_CHART_MISSING) {
            return;
        }
        if (cuts[k] != 0) {
            listed[count++] = cuts[k];
        }
    }
    if (count == 2) {
        join_both(in, listed[0], listed[1]);
    } else if (count == 4 && corner[0] == corner[2] && corner[1] == corner[3]) {
        const bool is_first = middle_kind(chart, i, j) == corner[0];
        join_both(in, cuts[0], cuts[is_first ? 1 : 3]);
        join_both(in, cuts[2], cuts[is_first ? 3 : 1]);
    } else if (count > 2) {
        tie(in, cuts);
    }
}

// --- curves --------------------------------------------------------------------------------------

static bool put_point(joining *in, const double point[2], const double bars[2])
{
    rh_chart *chart = in->chart;
    return rh__array_push(&chart->arena, &chart->points, point[0]) &&
           rh__array_push(&chart->arena, &chart->points, point[1]) &&
           rh__array_push(&chart->arena, &chart->bars, bars[0]) &&
           rh__array_push(&chart->arena, &chart->bars, bars[1]);
}

static bool is_end(uint32_t target)
{
    return target == 0 || (target & RH_VERGE_KNOT) != 0;
}

// Along the cuts from one of them, away from what its slot `behind` leads to.
static bool walk(joining *in, uint32_t from, uint32_t behind)
{
    rh_chart *chart = in->chart;
    const rh_verge *first = &chart->verges.data[from];
    const bool is_sorted = first->kinds[0] < first->kinds[1];
    rh_chart_line line = {
        .first = chart->points.count / 2,
        .kinds = {first->kinds[is_sorted ? 0 : 1], first->kinds[is_sorted ? 1 : 0]}};
    bool ok = true;
    uint32_t at = from;
    while (ok) {
        RH_ASSERT(at < chart->verges.count && !in->is_used[at]);
        const rh_verge *verge = &chart->verges.data[at];
        const uint32_t target = verge->next[1 - behind];
        double point[2];
        double bars[2];
        put_between(chart, verge, point, bars);
        ok = put_point(in, point, bars);
        in->is_used[at] = true;
        if (is_end(target)) {
            break;
        }
        if (target - 1 == from) {
            line.is_closed = true;
            break;
        }
        behind = chart->verges.data[target - 1].next[0] == at + 1 ? 0 : 1;
        at = target - 1;
    }
    RH_ASSERT(!ok || chart->points.count == chart->bars.count);
    line.count = chart->points.count / 2 - line.first;
    return ok && rh__array_push(&chart->arena, &chart->lines, line);
}

static bool walk_all(joining *in)
{
    const rh_chart *chart = in->chart;
    bool ok = true;
    for (uint32_t k = 0; ok && k < chart->verges.count; k++) {
        const rh_verge *verge = &chart->verges.data[k];
        for (uint32_t slot = 0; ok && slot < 2; slot++) {
            if (!in->is_used[k] && is_end(verge->next[slot])) {
                ok = walk(in, k, slot);
            }
        }
    }
    for (uint32_t k = 0; ok && k < chart->verges.count; k++) {
        ok = in->is_used[k] || walk(in, k, 0);
    }
    return ok;
}

rh_status rh__chart_join(rh_chart *chart)
{
    rh_arena *arena = &chart->arena;
    const size_t points = (size_t)chart->counts[0] * chart->counts[1];
    joining in = {.chart = chart};
    chart->flat = rh__arena_array(arena, uint32_t, points);
    chart->upright = rh__arena_array(arena, uint32_t, points);
    in.is_used = rh__arena_array(arena, bool, (size_t)chart->verges.count + 1);
    if (chart->flat == NULL || chart->upright == NULL || in.is_used == NULL) {
        return arena->status;
    }
    for (uint32_t k = 0; k < chart->verges.count; k++) {
        const rh_verge *verge = &chart->verges.data[k];
        (verge->is_upright ? chart->upright : chart->flat)[verge->from] = k + 1;
    }
    for (uint32_t j = 0; j + 1 < chart->counts[1]; j++) {
        for (uint32_t i = 0; i + 1 < chart->counts[0]; i++) {
            join_cell(&in, i, j);
        }
    }
    return walk_all(&in) ? RH_OK : arena->status;
}
