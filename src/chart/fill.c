// SPDX-License-Identifier: Apache-2.0
// The grid is filled from the seed: first its row, then every column from that row, then, round by
// round, points with neighbours that are known. A round sees only what was known before it, so the
// answer does not depend on threads.

#include "chart/chart.h"

#include <math.h>
#include <string.h>

typedef struct filling {
    rh_chart *chart;
    uint32_t *list; // points of a round
    size_t count, capacity;
} filling;

static void coordinates_of(const rh_chart *chart, uint32_t point, double out[2])
{
    out[0] = rh__chart_coordinate(chart, 0, point % chart->counts[0]);
    out[1] = rh__chart_coordinate(chart, 1, point / chart->counts[0]);
}

static void keep(rh_spot *spot, uint32_t point)
{
    rh_chart *chart = spot->chart;
    rh_spot_mark *mark = &chart->marks[point];
    mark->kind = (uint8_t)rh__spot_judge(spot, chart->dimension);
    mark->nullity = (uint8_t)(spot->judgement.nullity < 255 ? spot->judgement.nullity : 255);
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
    coordinates_of(chart, from, begin);
    coordinates_of(chart, to, end);
    rh__spot_load(spot, chart->places + (size_t)from * chart->width);
    return rh__spot_reach(spot, begin, end);
}

static bool is_known(const rh_spot_mark *mark)
{
    return mark->kind != RH_CHART_NONE && mark->kind != RH_CHART_MISSING && !mark->is_new;
}

// --- rows and columns ----------------------------------------------------------------------------

// From a point onwards while there are points and the motion can be followed.
static void march(rh_spot *spot, uint32_t from, uint32_t count, int64_t stride)
{
    rh_chart *chart = spot->chart;
    for (uint32_t k = 0; k < count && !atomic_load(&chart->is_stopped); k++) {
        const uint32_t to = (uint32_t)((int64_t)from + stride);
        if (!step(spot, from, to)) {
            return;
        }
        keep(spot, to);
        from = to;
    }
}

static void fill_column(rh_spot *spot, void *user, size_t item)
{
    rh_chart *chart = user;
    const uint32_t i = (uint32_t)item;
    const uint32_t middle = rh__chart_index(chart, i, chart->seed[1]);
    if (is_known(&chart->marks[middle])) {
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

// The neighbour in a direction; UINT32_MAX beyond the border.
static uint32_t neighbour_of(const rh_chart *chart, uint32_t point, uint32_t direction)
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
        const uint32_t next = neighbour_of(chart, point, d);
        if (next != UINT32_MAX && is_known(&chart->marks[next])) {
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
    for (uint32_t d = 0; d < 4 && !chart->marks[point].is_new; d++) {
        if ((hopes >> d & 1u) != 0) {
            chart->marks[point].tried |= (uint8_t)(1u << d);
            if (step(spot, neighbour_of(chart, point, d), point)) {
                chart->marks[point].is_new = true;
            }
        }
    }
    if (chart->marks[point].is_new) {
        keep(spot, point);
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
        for (uint32_t d = 0; ok && is_known(&chart->marks[in->list[k]]) && d < 4; d++) {
            const uint32_t next = neighbour_of(chart, in->list[k], d);
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
        RH_TRY(rh__team_run(chart, in.count, fill_point, &in));
        ok = list_next(&in);
    }
    return ok ? RH_OK : chart->arena.status;
}

rh_status rh__chart_fill(rh_chart *chart)
{
    RH_TRY(rh__team_run(chart, 2, fill_row, chart));
    RH_TRY(rh__team_run(chart, chart->counts[0], fill_column, chart));
    RH_TRY(fill_rest(chart));
    // what is left when nobody stopped it cannot be reached
    const uint32_t points = chart->counts[0] * chart->counts[1];
    for (uint32_t p = 0; !atomic_load(&chart->is_stopped) && p < points; p++) {
        if (chart->marks[p].kind == RH_CHART_MISSING) {
            chart->marks[p].kind = RH_CHART_NONE;
        }
    }
    return RH_OK;
}

// --- the dimension -------------------------------------------------------------------------------

typedef struct region {
    uint32_t *points;
    uint32_t count;
    uint32_t dimension;
} region;

static void judge_again(rh_spot *spot, void *user, size_t item)
{
    const region *in = user;
    rh_chart *chart = spot->chart;
    const uint32_t point = in->points[item];
    double at[2];
    coordinates_of(chart, point, at);
    rh__spot_load(spot, chart->places + (size_t)point * chart->width);
    if (rh__spot_solve(spot, at)) {
        chart->marks[point].kind = (uint8_t)rh__spot_judge(spot, in->dimension);
        chart->abscissas[point] = spot->judgement.abscissa;
    }
}

// All points of the same rank around a point, breadth first; they are marked by `is_new`.
static void grow(rh_chart *chart, region *out, uint32_t from)
{
    const uint8_t nullity = chart->marks[from].nullity;
    out->count = 1;
    out->points[0] = from;
    chart->marks[from].is_new = true;
    for (uint32_t k = 0; k < out->count; k++) {
        for (uint32_t d = 0; d < 4; d++) {
            const uint32_t next = neighbour_of(chart, out->points[k], d);
            if (next != UINT32_MAX && is_known(&chart->marks[next]) &&
                chart->marks[next].nullity == nullity) {
                chart->marks[next].is_new = true;
                out->points[out->count++] = next;
            }
        }
    }
}

rh_status rh__chart_certify(rh_chart *chart)
{
    const uint32_t points = chart->counts[0] * chart->counts[1];
    const rh_mark mark = rh__arena_mark(&chart->arena);
    region in = {.points = rh__arena_array(&chart->arena, uint32_t, points)};
    rh_status status = RH_OK;
    chart->regions = 1;
    if (in.points == NULL) {
        return chart->arena.status;
    }
    for (uint32_t p = 0; status == RH_OK && p < points && !atomic_load(&chart->is_stopped); p++) {
        if (!is_known(&chart->marks[p]) || chart->marks[p].nullity == chart->dimension) {
            continue;
        }
        grow(chart, &in, p);
        chart->regions++;
        in.dimension = UINT32_MAX;
        chart->spots[0]->judgement.is_certain = false;
        judge_again(chart->spots[0], &in, 0);
        (void)rh__chart_is_over(chart);
        if (chart->spots[0]->judgement.is_certain) {
            in.dimension = chart->spots[0]->judgement.dimension;
            status = rh__team_run(chart, in.count, judge_again, &in);
        }
    }
    for (uint32_t p = 0; p < points; p++) {
        chart->marks[p].is_new = false;
    }
    rh__arena_rewind(&chart->arena, mark);
    return status;
}
