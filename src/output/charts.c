// SPDX-License-Identifier: Apache-2.0
// Charts as tables, as the object of `chart --json` and for a person.

#include "output/outcome.h"

#include "chart/chart.h"

#include "output/csv.h"
#include "output/digits.h"

#include <math.h>

enum { LABEL = 18 };

static rh_arena begin(const rh_chart *chart)
{
    const rh_model *model = chart->equations->model;
    return rh__arena_begin(rh__guard_base(model->arena.allocator), model->arena.limit);
}

// --- tables --------------------------------------------------------------------------------------

static void put_number(rh_text *out, double value)
{
    char digits[RH_DIGITS_SIZE];
    if (isfinite(value)) {
        (void)rh__digits_print(value, digits);
        rh__text_put(out, digits);
    }
}

// A bar that is written with two digits still holds what it held.
static double rounded_up(double bar)
{
    return 1.06 * bar;
}

static void put_point(rh_text *out, const rh_chart *chart, uint32_t i, uint32_t j)
{
    RH_ASSERT(i < chart->counts[0] && j < chart->counts[1]);
    const rh_chart_point point = rh_chart_at(chart, i, j);
    put_number(out, point.x);
    rh__text_put_char(out, ',');
    put_number(out, point.y);
    for (size_t k = 0; k < rh_chart_variable_count(chart); k++) {
        rh__text_put_char(out, ',');
        put_number(out, rh_chart_value(chart, i, j, k));
    }
    rh__text_put_char(out, ',');
    rh__text_put(out, rh_chart_kind_text(point.kind));
    rh__text_put_char(out, ',');
    put_number(out, point.abscissa);
    rh__text_put_char(out, '\n');
}

rh_status rh_output_chart_points(const rh_chart *chart, const char *reason, rh_sink sink,
                                 rh_error *err)
{
    RH_REQUIRE(chart != NULL && sink.write != NULL, err);
    const rh_chart_summary summary = rh_chart_summarise(chart);
    rh_arena arena = begin(chart);
    rh_text out = rh__text_begin(&arena, &sink);
    rh__csv_put(&out, summary.x.name);
    rh__text_put_char(&out, ',');
    rh__csv_put(&out, summary.y.name);
    for (size_t k = 0; k < rh_chart_variable_count(chart); k++) {
        rh__text_put_char(&out, ',');
        rh__csv_put(&out, rh_chart_variable_name(chart, k));
    }
    rh__text_put(&out, ",verdict,abscissa\n");
    for (uint32_t j = 0; out.ok && j < summary.y.count; j++) {
        for (uint32_t i = 0; out.ok && i < summary.x.count; i++) {
            put_point(&out, chart, i, j);
        }
    }
    if (reason != NULL) {
        rh__text_put(&out, "# interrupted: ");
        rh__csv_put_plain(&out, reason);
        rh__text_put_char(&out, '\n');
    }
    return rh__output_end(&out, &arena, err);
}

rh_status rh_output_chart_curves(const rh_chart *chart, rh_sink sink, rh_error *err)
{
    RH_REQUIRE(chart != NULL && sink.write != NULL, err);
    const rh_chart_summary summary = rh_chart_summarise(chart);
    rh_arena arena = begin(chart);
    rh_text out = rh__text_begin(&arena, &sink);
    rh__text_put(&out, "curve,");
    rh__csv_put(&out, summary.x.name);
    rh__text_put_char(&out, ',');
    rh__csv_put(&out, summary.y.name);
    rh__text_put(&out, ",between,and,closed,bar.");
    rh__csv_put(&out, summary.x.name);
    rh__text_put(&out, ",bar.");
    rh__csv_put(&out, summary.y.name);
    rh__text_put_char(&out, '\n');
    for (size_t k = 0; out.ok && k < summary.curve_count; k++) {
        const rh_chart_curve curve = rh_chart_curve_at(chart, k);
        for (size_t p = 0; out.ok && p < curve.count; p++) {
            rh__text_format(&out, "%zu,", k + 1);
            put_number(&out, curve.points[2 * p]);
            rh__text_put_char(&out, ',');
            put_number(&out, curve.points[2 * p + 1]);
            rh__text_format(&out, ",%s,%s,%d", rh_chart_kind_text(curve.kinds[0]),
                            rh_chart_kind_text(curve.kinds[1]), curve.is_closed ? 1 : 0);
            rh__text_format(&out, ",%.2g,%.2g\n", rounded_up(curve.bars[2 * p]),
                            rounded_up(curve.bars[2 * p + 1]));
        }
    }
    return rh__output_end(&out, &arena, err);
}

// --- the object ----------------------------------------------------------------------------------

static void put_axis(rh_text *out, const char *key, const rh_chart_axis *axis)
{
    rh__text_format(out, "\"%s\": {\"name\": ", key);
    rh__text_put_json(out, rh__slice_of(axis->name));
    rh__text_put(out, ", \"low\": ");
    rh__outcome_number(out, axis->low);
    rh__text_put(out, ", \"high\": ");
    rh__outcome_number(out, axis->high);
    rh__text_format(out, ", \"count\": %u}, ", axis->count);
}

static void put_pairs(rh_text *out, const double *pairs, size_t count)
{
    for (size_t p = 0; out->ok && p < count; p++) {
        rh__text_put(out, p == 0 ? "[" : ", [");
        rh__outcome_number(out, pairs[2 * p]);
        rh__text_put(out, ", ");
        rh__outcome_number(out, pairs[2 * p + 1]);
        rh__text_put(out, "]");
    }
}

static void put_curve(rh_text *out, const rh_chart_curve *curve)
{
    rh__text_format(out, "{\"between\": [\"%s\", \"%s\"], \"closed\": %s, \"points\": [",
                    rh_chart_kind_text(curve->kinds[0]), rh_chart_kind_text(curve->kinds[1]),
                    curve->is_closed ? "true" : "false");
    put_pairs(out, curve->points, curve->count);
    rh__text_put(out, "], \"bars\": [");
    put_pairs(out, curve->bars, curve->count);
    rh__text_put(out, "]}");
}

static void put_object(rh_text *out, const rh_chart *chart, const rh_chart_summary *summary)
{
    rh__text_put(out, "{");
    put_axis(out, "x", &summary->x);
    put_axis(out, "y", &summary->y);
    rh__text_put(out, "\"solved\": [");
    for (size_t k = 0; k < rh_chart_variable_count(chart); k++) {
        rh__text_put(out, k == 0 ? "" : ", ");
        rh__text_put_json(out, rh__slice_of(rh_chart_variable_name(chart, k)));
    }
    rh__text_put(out, "], \"verdicts\": {");
    bool is_first = true;
    for (uint32_t kind = 0; kind < RH_CHART_KINDS; kind++) {
        if (summary->counts[kind] > 0) {
            rh__outcome_key(out, rh_chart_kind_text(kind), is_first);
            rh__text_format(out, "%llu", (unsigned long long)summary->counts[kind]);
            is_first = false;
        }
    }
    rh__text_put(out, "}, \"seed\": [");
    rh__outcome_number(out, summary->seed[0]);
    rh__text_put(out, ", ");
    rh__outcome_number(out, summary->seed[1]);
    rh__text_format(out, "], \"branches\": %u, \"regions\": %u, \"manifold_dimension\": ",
                    summary->branch_count, summary->region_count);
    if (summary->dimension == UINT32_MAX) {
        rh__text_put(out, "null");
    } else {
        rh__text_format(out, "%u", summary->dimension);
    }
    rh__text_format(out, ", \"complete\": %s, \"curves\": [",
                    summary->is_complete ? "true" : "false");
    for (size_t k = 0; out->ok && k < summary->curve_count; k++) {
        const rh_chart_curve curve = rh_chart_curve_at(chart, k);
        rh__text_put(out, k == 0 ? "" : ", ");
        put_curve(out, &curve);
    }
    rh__text_put(out, "]}\n");
}

// --- the text ------------------------------------------------------------------------------------

static void put_text_axis(rh_text *out, const char *label, const rh_chart_axis *axis)
{
    rh__text_format(out, "%-*s%s from ", LABEL, label, axis->name);
    rh__outcome_value(out, axis->low, 10);
    rh__text_put(out, " to ");
    rh__outcome_value(out, axis->high, 10);
    rh__text_format(out, ", %u points\n", axis->count);
}

// The largest bar of each quantity that a curve crosses lines with.
static void put_largest(rh_text *out, const rh_chart_curve *curve, const rh_chart_summary *summary)
{
    const char *const names[] = {summary->x.name, summary->y.name};
    bool is_first = true;
    for (int axis = 0; axis < 2; axis++) {
        double largest = 0.0;
        for (size_t p = 0; p < curve->count; p++) {
            largest = fmax(largest, curve->bars[2 * p + (size_t)axis]);
        }
        if (largest > 0.0) {
            rh__text_format(out, "%s%.1g in %s", is_first ? "" : " and ", 1.6 * largest,
                            names[axis]);
            is_first = false;
        }
    }
}

static void put_text(rh_text *out, const rh_chart *chart, const rh_chart_summary *summary)
{
    const double points = (double)summary->x.count * summary->y.count;
    put_text_axis(out, "x", &summary->x);
    put_text_axis(out, "y", &summary->y);
    rh__text_format(out, "%-*s", LABEL, "solved for");
    for (size_t k = 0; k < rh_chart_variable_count(chart); k++) {
        rh__text_format(out, "%s%s", k == 0 ? "" : ", ", rh_chart_variable_name(chart, k));
    }
    rh__text_put(out, rh_chart_variable_count(chart) == 0 ? "nothing\n" : "\n");
    rh__text_format(out, "%-*s%u steady motion%s at %s = ", LABEL, "branches",
                    summary->branch_count, summary->branch_count == 1 ? "" : "s", summary->x.name);
    rh__outcome_value(out, summary->seed[0], 10);
    rh__text_format(out, ", %s = ", summary->y.name);
    rh__outcome_value(out, summary->seed[1], 10);
    rh__text_put(out, "\nverdicts\n");
    for (uint32_t kind = 0; kind < RH_CHART_KINDS; kind++) {
        if (summary->counts[kind] > 0) {
            rh__text_format(out, "  %-22s %10llu points, %5.1f %%\n", rh_chart_kind_text(kind),
                            (unsigned long long)summary->counts[kind],
                            100.0 * (double)summary->counts[kind] / points);
        }
    }
    rh__text_format(out, "%-*s%zu\n", LABEL, "curves", summary->curve_count);
    for (size_t k = 0; k < summary->curve_count && k < 20; k++) {
        const rh_chart_curve curve = rh_chart_curve_at(chart, k);
        rh__text_format(out, "  %s | %s, %zu points%s, to ", rh_chart_kind_text(curve.kinds[0]),
                        rh_chart_kind_text(curve.kinds[1]), curve.count,
                        curve.is_closed ? ", closed" : "");
        put_largest(out, &curve, summary);
        rh__text_put_char(out, '\n');
    }
    rh__text_put(out, summary->curve_count > 20 ? "  ...\n" : "");
}

rh_status rh_output_chart(const rh_chart *chart, rh_format format, rh_sink sink, rh_error *err)
{
    RH_REQUIRE(chart != NULL && sink.write != NULL, err);
    RH_REQUIRE(format == RH_FORMAT_TEXT || format == RH_FORMAT_JSON, err);
    const rh_chart_summary summary = rh_chart_summarise(chart);
    rh_arena arena = begin(chart);
    rh_text out = rh__text_begin(&arena, &sink);
    if (format == RH_FORMAT_JSON) {
        put_object(&out, chart, &summary);
    } else {
        put_text(&out, chart, &summary);
    }
    return rh__output_end(&out, &arena, err);
}
