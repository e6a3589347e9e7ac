// SPDX-License-Identifier: Apache-2.0
// The grid is filled from the seed: first its row, then every column from that row, then, round by
// round, points with neighbours that are known. A round sees only what was known before it, so the
// answer does not depend on threads.

#include "chart/chart.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define SHORTER 0.2 // of the way between points: steps where neighbours disagree

typedef struct filling {
    rh_chart *chart;
    uint32_t *list; // points of a round
    size_t count, capacity;
} filling;

void rh__chart_point(const rh_chart *chart, uint32_t point, double out[2])
{
    out[0] = rh__chart_coordinate(chart, 0, point % chart->counts[0]);
    out[1] = rh__chart_coordinate(chart, 1, point / chart->counts[0]);
}

static bool is_by_seed(const rh_chart *chart, uint32_t point)
{
    enum { NEAR = 2 };
    const int64_t i = point % chart->counts[0];
    const int64_t j = point / chart->counts[0];
    return llabs(i - chart->seed[0]) <= NEAR && llabs(j - chart->seed[1]) <= NEAR;
}

static void keep(rh_spot *spot, uint32_t point, uint32_t direction)
{
    rh_chart *chart = spot->chart;
    rh_spot_mark *mark = &chart->marks[point];
    mark->came = (uint8_t)direction;
    // around the seed every point speaks for itself: it may be a special one
    const bool is_asked = is_by_seed(chart, point) && chart->dimension > 0;
    spot->judgement.is_certain = false;
    mark->kind = (uint8_t)rh__spot_judge_there(spot, is_asked ? UINT32_MAX : chart->dimension);
    mark->is_singular = spot->is_singular;
    mark->nullity = (uint8_t)(spot->judgement.measured < 255 ? spot->judgement.measured : 255);
    mark->dimension = !is_asked                    ? RH_SPOT_UNASKED
                      : spot->judgement.is_certain ? rh__spot_dimension(&spot->judgement)
                                                   : RH_SPOT_UNCERTAIN;
    chart->abscissas[point] = spot->judgement.abscissa;
    rh__spot_save(spot, chart->places + (size_t)point * chart->width);
    atomic_fetch_add(&chart->done, 1);
}

// From a point that is known to a neighbour; the spot need not be there yet.
static bool step(rh_spot *spot, uint32_t from, uint32_t to)
{
    const rh_chart *chart = spot->chart;
    double begin[2];
    double end[2];
    rh__chart_point(chart, from, begin);
    rh__chart_point(chart, to, end);
    rh__spot_load(spot, chart->places + (size_t)from * chart->width);
    return rh__spot_reach(spot, begin, end);
}

// Where branches meet there is no slope to follow: from the point before it, over it. A branch that
// is upright there (a cusp) is met straight on from both; the spot must end next to where that
// leads.
static bool step_over(rh_spot *spot, uint32_t point, uint32_t direction)
{
    const rh_chart *chart = spot->chart;
    const uint32_t near = rh__chart_neighbour(chart, point, direction);
    const uint32_t far = rh__chart_neighbour(chart, near, direction);
    if (far == UINT32_MAX || !rh__spot_is_known(&chart->marks[far])) {
        return false;
    }
    if (!chart->marks[far].is_singular && step(spot, far, point)) {
        return true;
    }
    double to[2];
    rh__chart_point(chart, point, to);
    for (uint32_t k = 0; k < chart->width; k++) {
        spot->ends[k] = 2.0 * chart->places[(size_t)near * chart->width + k] -
                        chart->places[(size_t)far * chart->width + k];
    }
    rh__spot_load(spot, spot->ends);
    return rh__spot_leap(spot, chart->places + (size_t)near * chart->width, to);
}

// --- rows and columns ----------------------------------------------------------------------------

// From a point onwards while there are points and the motion can be followed.
static void march(rh_spot *spot, uint32_t from, uint32_t count, int64_t stride)
{
    rh_chart *chart = spot->chart;
    uint32_t to = from;
    for (uint32_t k = 0; k < count && !atomic_load(&chart->is_stopped); k++) {
        to = (uint32_t)((int64_t)to + stride);
        if (!step(spot, from, to)) {
            return;
        }
        keep(spot, to, stride == 1 ? 0 : stride == -1 ? 1 : stride > 0 ? 2 : 3);
        from = chart->marks[to].is_singular ? from : to; // where branches meet none is followed
    }
}

static void fill_column(rh_spot *spot, void *user, size_t item)
{
    rh_chart *chart = user;
    const uint32_t i = (uint32_t)item;
    const uint32_t middle = rh__chart_index(chart, i, chart->seed[1]);
    if (rh__spot_is_known(&chart->marks[middle]) && !chart->marks[middle].is_singular) {
        march(spot, middle, chart->counts[1] - 1 - chart->seed[1], chart->counts[0]);
        march(spot, middle, chart->seed[1], -(int64_t)chart->counts[0]);
    }
}

static void fill_row(rh_spot *spot, void *user, size_t item)
{
    rh_chart *chart = user;
    const uint32_t seed = rh__chart_index(chart, chart->seed[0], chart->seed[1]);
    if (item == 0) {
        march(spot, seed, chart->counts[0] - 1 - chart->seed[0], 1);
    } else {
        march(spot, seed, chart->seed[0], -1);
    }
}

// --- rounds --------------------------------------------------------------------------------------

uint32_t rh__chart_neighbour(const rh_chart *chart, uint32_t point, uint32_t direction)
{
    const uint32_t i = point % chart->counts[0];
    const uint32_t j = point / chart->counts[0];
    switch (direction) {
    case 0:
        return i > 0 ? point - 1 : UINT32_MAX;
    case 1:
        return i + 1 < chart->counts[0] ? point + 1 : UINT32_MAX;
    case 2:
        return j > 0 ? point - chart->counts[0] : UINT32_MAX;
    default:
        return j + 1 < chart->counts[1] ? point + chart->counts[0] : UINT32_MAX;
    }
}

// Directions in which a neighbour is known that was not tried yet.
static uint8_t hopes_of(const rh_chart *chart, uint32_t point)
{
    uint8_t hopes = 0;
    for (uint32_t d = 0; d < 4; d++) {
        const uint32_t next = rh__chart_neighbour(chart, point, d);
        if (next != UINT32_MAX && rh__spot_is_known(&chart->marks[next])) {
            hopes |= (uint8_t)(1u << d);
        }
    }
    return (uint8_t)(hopes & ~chart->marks[point].tried);
}

static void fill_point(rh_spot *spot, void *user, size_t item)
{
    const filling *in = user;
    rh_chart *chart = in->chart;
    const uint32_t point = in->list[item];
    const uint8_t hopes = chart->marks[point].hopes;
    uint32_t came = 4;
    for (uint32_t d = 0; d < 4 && !chart->marks[point].is_new; d++) {
        if ((hopes >> d & 1u) != 0) {
            chart->marks[point].tried |= (uint8_t)(1u << d);
            came = d;
            const uint32_t near = rh__chart_neighbour(chart, point, d);
            chart->marks[point].is_new = chart->marks[near].is_singular ? step_over(spot, point, d)
                                                                        : step(spot, near, point);
        }
    }
    if (chart->marks[point].is_new) {
        keep(spot, point, came);
    }
}

static bool add(filling *in, uint32_t point)
{
    if (in->count == in->capacity) {
        const size_t more = 2 * in->capacity + 256;
        uint32_t *list = rh__arena_resize(&in->chart->arena, in->list, in->capacity * sizeof *list,
                                          more * sizeof *list);
        if (list == NULL) {
            return false;
        }
        in->list = list;
        in->capacity = more;
    }
    in->chart->marks[point].hopes = hopes_of(in->chart, point);
    in->list[in->count++] = point;
    return true;
}

static bool list_hopeful(filling *in)
{
    const rh_chart *chart = in->chart;
    const uint32_t points = chart->counts[0] * chart->counts[1];
    bool ok = true;
    in->count = 0;
    for (uint32_t p = 0; ok && p < points; p++) {
        if (chart->marks[p].kind == RH_CHART_MISSING && hopes_of(chart, p) != 0) {
            ok = add(in, p);
        }
    }
    return ok;
}

// The next round looks only beside what this one found.
static bool list_next(filling *in)
{
    rh_chart *chart = in->chart;
    const size_t tried = in->count;
    for (size_t k = 0; k < tried; k++) {
        chart->marks[in->list[k]].is_new = false;
    }
    bool ok = true;
    for (size_t k = 0; ok && k < tried; k++) {
        for (uint32_t d = 0; ok && rh__spot_is_known(&chart->marks[in->list[k]]) && d < 4; d++) {
            const uint32_t next = rh__chart_neighbour(chart, in->list[k], d);
            if (next != UINT32_MAX && chart->marks[next].kind == RH_CHART_MISSING &&
                !chart->marks[next].is_new && hopes_of(chart, next) != 0) {
                chart->marks[next].is_new = true; // listed
                ok = add(in, next);
            }
        }
    }
    for (size_t k = tried; k < in->count; k++) {
        chart->marks[in->list[k]].is_new = false;
    }
    memmove(in->list, in->list + tried, (in->count - tried) * sizeof *in->list);
    in->count -= tried;
    return ok;
}

static rh_status fill_rest(rh_chart *chart)
{
    filling in = {.chart = chart};
    bool ok = list_hopeful(&in);
    while (ok && in.count > 0 && !atomic_load(&chart->is_stopped)) {
        RH_TRY(rh__chart_for_each(chart, in.count, fill_point, &in));
        ok = list_next(&in);
    }
    return ok ? RH_OK : chart->arena.status;
}

static rh_status fill_all(rh_chart *chart)
{
    RH_TRY(rh__chart_for_each(chart, 2, fill_row, chart));
    RH_TRY(rh__chart_for_each(chart, chart->counts[0], fill_column, chart));
    return fill_rest(chart);
}

// As before, but for the seed.
static void empty(rh_chart *chart)
{
    const uint32_t points = chart->counts[0] * chart->counts[1];
    const uint32_t seed = rh__chart_index(chart, chart->seed[0], chart->seed[1]);
    for (uint32_t p = 0; p < points; p++) {
        if (p != seed) {
            chart->marks[p] =
                (rh_spot_mark){.kind = RH_CHART_MISSING, .dimension = RH_SPOT_UNASKED};
            chart->abscissas[p] = NAN;
        }
    }
    chart->marks[seed].is_disputed = false;
    atomic_store(&chart->done, 0);
}

rh_status rh__chart_fill(rh_chart *chart)
{
    const uint32_t points = chart->counts[0] * chart->counts[1];
    bool agree = true;
    chart->longest = 1.0;
    chart->marks[rh__chart_index(chart, chart->seed[0], chart->seed[1])].came = 4;
    RH_TRY(fill_all(chart));
    RH_TRY(rh__chart_verify(chart, &agree));
    if (!agree && !rh__chart_is_over(chart)) { // once more, with shorter steps
        chart->longest = SHORTER;
        empty(chart);
        RH_TRY(fill_all(chart));
        RH_TRY(rh__chart_verify(chart, &agree));
    }
    // what is left when nobody stopped it cannot be reached
    for (uint32_t p = 0; !atomic_load(&chart->is_stopped) && p < points; p++) {
        if (chart->marks[p].kind == RH_CHART_MISSING) {
            chart->marks[p].kind = RH_CHART_NONE;
        }
    }
    return RH_OK;
}
