// SPDX-License-Identifier: Apache-2.0
// Neighbours that were not reached from each other must agree all the same: slopes at both explain
// how they differ, or one of them leads to the other. Where neither does, and each of them leads to
// another motion where the other one is, the branch was left on the way to one of them, or it has
// several sheets there. Nothing is changed here but `is_disputed`.

#include "chart/chart.h"

#include <math.h>

#define ALIKE 0.05 // of a difference: what slopes at both ends may leave unexplained
#define SAME 1e-4  // of a difference: motions that are one
#define SHARP 1e-9 // of a size: the same

typedef struct verifying {
    rh_chart *chart;
    bool is_upright;
    atomic_bool is_disputed;
} verifying;

static const double *places_of(const rh_chart *chart, uint32_t point)
{
    return chart->places + (size_t)point * chart->width;
}

// Is it worth a look: both are there, and neither was reached from the other?
static bool is_asked(const rh_chart *chart, uint32_t from, uint32_t to, bool is_upright)
{
    const rh_spot_mark *a = &chart->marks[from];
    const rh_spot_mark *b = &chart->marks[to];
    const uint8_t down = is_upright ? 2 : 0;
    return rh__spot_is_known(a) && rh__spot_is_known(b) && !a->is_singular && !b->is_singular &&
           b->came != down && a->came != down + 1;
}

// Do the slopes at both ends explain the difference?
static bool is_plain(rh_spot *spot, const uint32_t points[2])
{
    const rh_chart *chart = spot->chart;
    const double *first = places_of(chart, points[0]);
    const double *last = places_of(chart, points[1]);
    double ends[2][2];
    bool ok = true;
    for (int end = 0; end < 2; end++) {
        rh__chart_point(chart, points[end], ends[end]);
    }
    const double way[2] = {ends[1][0] - ends[0][0], ends[1][1] - ends[0][1]};
    for (int end = 0; ok && end < 2; end++) {
        rh__spot_load(spot, places_of(chart, points[end]));
        rh__spot_turn(spot, ends[end]);
        ok = rh__spot_slope(spot, way, spot->slopes[end]);
    }
    for (uint32_t k = 0; ok && k < chart->width; k++) {
        const double a = spot->slopes[0][k];
        const double b = spot->slopes[1][k];
        const double rounding = 1e-14 * (fabs(first[k]) + fabs(last[k]));
        ok = spot->query.is_fixed[k] ||
             fabs(last[k] - first[k] - 0.5 * (a + b)) <= ALIKE * fmax(fabs(a), fabs(b)) + rounding;
    }
    return ok;
}

// Does one of them lead to another motion where the other one is?
static bool leads_elsewhere(rh_spot *spot, uint32_t from, uint32_t to)
{
    const rh_chart *chart = spot->chart;
    const rh_reduction *reduction = chart->steady->reduction;
    double ends[2][2];
    rh__chart_point(chart, from, ends[0]);
    rh__chart_point(chart, to, ends[1]);
    rh__spot_load(spot, places_of(chart, from));
    if (!rh__spot_reach(spot, ends[0], ends[1])) {
        return false;
    }
    rh__spot_save(spot, spot->kept);
    for (uint32_t k = 0; k < chart->width; k++) {
        const double there = places_of(chart, to)[k];
        const double moved = fabs(there - places_of(chart, from)[k]);
        const double size =
            fmax(rh__engine_size(&reduction->engine, reduction->place[k], there), fabs(there));
        if (!spot->query.is_fixed[k] && fabs(spot->kept[k] - there) > SAME * moved + SHARP * size) {
            return true;
        }
    }
    return false;
}

// One row, or one column.
static void verify_line(rh_spot *spot, void *user, size_t item)
{
    verifying *in = user;
    rh_chart *chart = in->chart;
    const uint32_t step = in->is_upright ? chart->counts[0] : 1;
    const uint32_t count = chart->counts[in->is_upright ? 1 : 0];
    uint32_t from = (uint32_t)item * (in->is_upright ? 1 : chart->counts[0]);
    for (uint32_t k = 0; k + 1 < count && !atomic_load(&chart->is_stopped); k++, from += step) {
        const uint32_t points[2] = {from, from + step};
        if (is_asked(chart, from, from + step, in->is_upright) && !is_plain(spot, points) &&
            leads_elsewhere(spot, from, from + step) && leads_elsewhere(spot, from + step, from)) {
            chart->marks[from].is_disputed = true;
            chart->marks[from + step].is_disputed = true;
            atomic_store(&in->is_disputed, true);
        }
    }
}

rh_status rh__chart_verify(rh_chart *chart, bool *out_agree)
{
    verifying in = {.chart = chart};
    RH_TRY(rh__chart_for_each(chart, chart->counts[1], verify_line, &in));
    in.is_upright = true;
    RH_TRY(rh__chart_for_each(chart, chart->counts[0], verify_line, &in));
    *out_agree = !atomic_load(&in.is_disputed);
    return RH_OK;
}
