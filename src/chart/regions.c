// SPDX-License-Identifier: Apache-2.0
// The dimension k of the steady set, region by region. A region is a set of points side by side
// whose matrices have the same nullity. k is certified at many of its points, spread over it: one
// alone may be special, as where a parameter that makes all the difference is zero. Where they
// agree it holds for the region, else every point is judged by itself. The seed is a point like any
// other.

#include "chart/chart.h"

#include <math.h>

enum { SAMPLES = 256 };

typedef struct region {
    uint32_t *points;
    uint32_t count;
    uint32_t sample_count;
    uint32_t dimension; // k; UINT32_MAX: of each point by itself
    bool is_singular;   // at no point was k certain
} region;

static void coordinates_of(const rh_chart *chart, uint32_t point, double out[2])
{
    out[0] = rh__chart_coordinate(chart, 0, point % chart->counts[0]);
    out[1] = rh__chart_coordinate(chart, 1, point / chart->counts[0]);
}

static void judge_point(rh_spot *spot, const region *in, uint32_t point)
{
    rh_chart *chart = spot->chart;
    rh_spot_mark *mark = &chart->marks[point];
    double at[2];
    coordinates_of(chart, point, at);
    rh__spot_load(spot, chart->places + (size_t)point * chart->width);
    if (!rh__spot_stand(spot, at)) {
        return;
    }
    spot->judgement.is_certain = false;
    mark->kind = (uint8_t)rh__spot_judge(spot, in->dimension);
    if (in->is_singular && mark->kind != RH_STEADY_UNSTABLE) {
        mark->kind = RH_STEADY_DEGENERATE;
    }
    mark->dimension = spot->judgement.is_certain && !in->is_singular
                          ? rh__spot_dimension(&spot->judgement)
                          : RH_SPOT_UNCERTAIN;
    chart->abscissas[point] = spot->judgement.abscissa;
}

static void judge_again(rh_spot *spot, void *user, size_t item)
{
    const region *in = user;
    judge_point(spot, in, in->points[item]);
}

static size_t sample_at(const region *in, size_t k)
{
    return k * in->count / in->sample_count;
}

static void judge_sample(rh_spot *spot, void *user, size_t item)
{
    const region *in = user;
    judge_point(spot, in, in->points[sample_at(in, item)]);
}

// What the samples say of the region; true: they agree.
static bool ask_samples(const rh_chart *chart, region *in)
{
    const uint8_t first = chart->marks[in->points[0]].dimension;
    for (size_t k = 1; k < in->sample_count; k++) {
        if (chart->marks[in->points[sample_at(in, k)]].dimension != first) {
            return false;
        }
    }
    in->is_singular = first == RH_SPOT_UNCERTAIN;
    in->dimension = in->is_singular ? chart->marks[in->points[0]].nullity : first;
    return true;
}

// All points of the same nullity around a point, breadth first; they are marked by `is_new`.
static void grow(rh_chart *chart, region *out, uint32_t from)
{
    const uint8_t nullity = chart->marks[from].nullity;
    out->count = 1;
    out->points[0] = from;
    chart->marks[from].is_new = true;
    for (uint32_t k = 0; k < out->count; k++) {
        for (uint32_t d = 0; d < 4; d++) {
            const uint32_t next = rh__chart_neighbour(chart, out->points[k], d);
            if (next != UINT32_MAX && rh__spot_is_known(&chart->marks[next]) &&
                chart->marks[next].nullity == nullity) {
                chart->marks[next].is_new = true;
                out->points[out->count++] = next;
            }
        }
    }
}

static rh_status certify(rh_chart *chart, region *in)
{
    in->dimension = UINT32_MAX;
    in->is_singular = false;
    in->sample_count = in->count < SAMPLES ? in->count : SAMPLES;
    if (chart->marks[in->points[0]].nullity == 0) { // there is nothing to certify
        in->dimension = 0;
    } else {
        RH_TRY(rh__chart_for_each(chart, in->sample_count, judge_sample, in));
        (void)rh__chart_is_over(chart);
        if (in->sample_count == in->count || atomic_load(&chart->is_stopped)) {
            return RH_OK;
        }
        if (!ask_samples(chart, in)) {
            in->dimension = UINT32_MAX;
        }
    }
    if (in->dimension != chart->dimension || in->is_singular) {
        return rh__chart_for_each(chart, in->count, judge_again, in);
    }
    for (uint32_t k = 0; k < in->count; k++) { // they were judged with it
        chart->marks[in->points[k]].dimension = (uint8_t)in->dimension;
    }
    return RH_OK;
}

// Somebody did not want to wait. The verdicts of a region stay where all that was asked agrees with
// what they were judged by; else they are none.
static void give_up(rh_chart *chart, const region *in)
{
    uint32_t asked = 0;
    bool is_fine = chart->dimension == 0 && chart->marks[in->points[0]].nullity == 0;
    bool is_alike = true;
    for (uint32_t k = 0; k < in->count; k++) {
        const uint8_t dimension = chart->marks[in->points[k]].dimension;
        asked += dimension != RH_SPOT_UNASKED;
        is_alike = is_alike && (dimension == RH_SPOT_UNASKED || dimension == chart->dimension);
    }
    is_fine = is_fine || (asked > 0 && is_alike);
    for (uint32_t k = 0; !is_fine && k < in->count; k++) {
        rh_spot_mark *mark = &chart->marks[in->points[k]];
        if (mark->dimension == RH_SPOT_UNASKED) {
            mark->kind = RH_CHART_MISSING;
        }
    }
}

rh_status rh__chart_certify(rh_chart *chart)
{
    const uint32_t points = chart->counts[0] * chart->counts[1];
    const rh_mark mark = rh__arena_mark(&chart->arena);
    region in = {.points = rh__arena_array(&chart->arena, uint32_t, points)};
    rh_status status = RH_OK;
    uint32_t largest = 0;
    uint32_t dimension = chart->dimension;
    if (in.points == NULL) {
        return chart->arena.status;
    }
    for (uint32_t p = 0; status == RH_OK && p < points; p++) {
        if (!rh__spot_is_known(&chart->marks[p])) {
            continue;
        }
        grow(chart, &in, p);
        if (!atomic_load(&chart->is_stopped)) {
            status = certify(chart, &in);
        }
        if (atomic_load(&chart->is_stopped)) {
            give_up(chart, &in);
        }
        chart->regions++;
        if (in.count > largest) {
            const uint8_t found = chart->marks[in.points[in.count / 2]].dimension;
            largest = in.count;
            dimension = found < RH_SPOT_NO_DIMENSION ? found : RH_SPOT_NO_DIMENSION;
        }
    }
    for (uint32_t p = 0; p < points; p++) {
        chart->marks[p].is_new = false;
    }
    chart->dimension = atomic_load(&chart->is_stopped) ? chart->dimension : dimension;
    rh__arena_rewind(&chart->arena, mark);
    return status;
}
