// SPDX-License-Identifier: Apache-2.0
// Charts as bytes: the same whatever the number of threads; interrupted ones; calls that are wrong;
// memory that fails.

#include "../chart/charting.h"

#include "rheonom/output.h"

static const char DISC[] = "examples/rolling_disc/model.rhe";

static rh_chart_def disc_def(void)
{
    return charting_def((rh_chart_axis){"w3", 0.0, 5.0, 70},
                        (rh_chart_axis){"theta", 0.0, 0.7, 40});
}

// --- bytes ---------------------------------------------------------------------------------------

static void draw_all(charting *on, uint32_t threads, support_text out[4])
{
    rh_chart_def def = disc_def();
    def.thread_count = threads;
    rh_chart *chart = charting_draw(on, &def);
    assert_int_equal(
        rh_output_chart_picture(chart, "a <b> & \"c\"", support_text_sink(&out[0]), &on->err),
        RH_OK);
    assert_int_equal(rh_output_chart_points(chart, NULL, support_text_sink(&out[1]), &on->err),
                     RH_OK);
    assert_int_equal(rh_output_chart_curves(chart, support_text_sink(&out[2]), &on->err), RH_OK);
    assert_int_equal(rh_output_chart(chart, RH_FORMAT_JSON, support_text_sink(&out[3]), &on->err),
                     RH_OK);
    rh_chart_destroy(chart);
}

static void threads_change_no_byte(void **state)
{
    (void)state;
    charting on;
    support_text first[4] = {{0}};
    charting_begin_file(DISC, "h=0.1", &on);
    draw_all(&on, 1, first);
    for (uint32_t threads = 2; threads <= 7; threads += 5) {
        support_text other[4] = {{0}};
        draw_all(&on, threads, other);
        for (int k = 0; k < 4; k++) {
            assert_int_equal(first[k].size, other[k].size);
            assert_memory_equal(first[k].data, other[k].data, first[k].size);
            free(other[k].data);
        }
    }
    assert_non_null(strstr(first[0].data, "<title>a &lt;b&gt; &amp; &quot;c&quot;</title>"));
    assert_non_null(strstr(first[0].data, ">w3</text>"));
    assert_non_null(strstr(first[0].data, ">theta</text>"));
    assert_non_null(strstr(first[0].data, ">unstable</text>"));
    assert_non_null(strstr(first[1].data, "w3,theta,w1,w2,verdict,abscissa\n"));
    assert_non_null(strstr(first[2].data, "curve,w3,theta,between,and,closed,bar.w3,bar.theta\n"));
    for (int k = 0; k < 4; k++) {
        free(first[k].data);
    }
    charting_end(&on);
}

// --- interruption --------------------------------------------------------------------------------

static bool stop_after(void *user, uint64_t done, uint64_t count)
{
    assert_true(done <= count);
    return done < *(uint64_t *)user;
}

static void what_was_computed_is_kept(void **state)
{
    (void)state;
    charting on;
    uint64_t most = 50;
    charting_begin_file(DISC, "h=0.1", &on);
    rh_chart_def def = disc_def();
    def.go_on = stop_after;
    def.user = &most;
    rh_chart *chart = charting_draw(&on, &def);
    const rh_chart_summary summary = rh_chart_summarise(chart);
    assert_false(summary.is_complete);
    assert_true(summary.counts[RH_CHART_MISSING] > 0);
    assert_true(summary.counts[RH_CHART_MISSING] < 2800);
    support_text text = {0};
    assert_int_equal(rh_output_chart_points(chart, "enough", support_text_sink(&text), &on.err),
                     RH_OK);
    assert_non_null(strstr(text.data, ",not computed,\n"));
    assert_non_null(strstr(text.data, "\n# interrupted: enough\n"));
    free(text.data);
    text = (support_text){0};
    assert_int_equal(rh_output_chart_picture(chart, NULL, support_text_sink(&text), &on.err),
                     RH_OK);
    assert_non_null(strstr(text.data, ">not computed</text>"));
    free(text.data);
    rh_chart_destroy(chart);
    most = 0;
    assert_int_equal(rh_chart_create(on.equations, &def, &chart, &on.err), RH_E_LIMIT);
    assert_non_null(strstr(on.err.message, "before a steady motion was found"));
    charting_end(&on);
}

// --- wrong calls ---------------------------------------------------------------------------------

static void expect(charting *on, const rh_chart_def *def, rh_status status, const char *words)
{
    rh_chart *chart = NULL;
    assert_int_equal(rh_chart_create(on->equations, def, &chart, &on->err), status);
    assert_null(chart);
    if (strstr(on->err.message, words) == NULL) {
        fail_msg("\"%s\" has no \"%s\"", on->err.message, words);
    }
}

static void wrong_calls_are_refused(void **state)
{
    (void)state;
    static const char *const UNKNOWN[] = {"w22"};
    static const char *const FIXED[] = {"theta"};
    const rh_steady_value fix[] = {{"w3", 1.0}};
    charting on;
    charting_begin_file(DISC, "h=0.1", &on);
    rh_chart_def def = disc_def();
    def.x.count = 1;
    expect(&on, &def, RH_E_ARGUMENT, "2 to 100000 points, not 1");
    def = disc_def();
    def.x.high = def.x.low;
    expect(&on, &def, RH_E_ARGUMENT, "two different numbers");
    def = disc_def();
    def.y.name = "w3";
    expect(&on, &def, RH_E_ARGUMENT, "both axes are w3");
    def.y.name = "";
    expect(&on, &def, RH_E_ARGUMENT, "has no name");
    def.y.name = "thetta";
    expect(&on, &def, RH_E_ARGUMENT, "theta");
    def = disc_def();
    def.steady.fix = fix;
    def.steady.fix_count = 1;
    expect(&on, &def, RH_E_ARGUMENT, "is fixed and is an axis");
    def = disc_def();
    def.branch = 0;
    expect(&on, &def, RH_E_ARGUMENT, "numbered from 1");
    def.branch = 9;
    expect(&on, &def, RH_E_LIMIT, "there is no branch 9");
    def = disc_def();
    def.solve_count = 1;
    def.solve = UNKNOWN;
    expect(&on, &def, RH_E_ARGUMENT, "did you mean w2?");
    def.solve = FIXED;
    expect(&on, &def, RH_E_ARGUMENT, "theta is fixed, or an axis");
    def = disc_def();
    def.x.count = def.y.count = 100000;
    expect(&on, &def, RH_E_ARGUMENT, "are more than");
    // one of many: nothing says which
    def = disc_def();
    def.y = (rh_chart_axis){"h", 0.1, 1.0, 4};
    expect(&on, &def, RH_E_UNAVAILABLE, "is one of a set of dimension 1");
    charting_end(&on);
    charting_begin("param a = 1, b = 1\nstate x\nlaw x' = a^2 + b^2 + x^2\nstart x = 0\n", NULL,
                   &on);
    def = charting_def((rh_chart_axis){"a", 1.0, 2.0, 4}, (rh_chart_axis){"b", 1.0, 2.0, 4});
    expect(&on, &def, RH_E_LIMIT, "no steady motion was found on the grid");
    charting_end(&on);
}

// With --solve all variables that nobody asked for keep their values, where that is needed.
static void what_is_not_asked_for_is_held(void **state)
{
    (void)state;
    static const char *const SOLVE[] = {"w2"};
    charting on;
    charting_begin_file(DISC, "h=0.1", &on);
    rh_chart_def def =
        charting_def((rh_chart_axis){"h", 0.1, 1.0, 4}, (rh_chart_axis){"theta", 0.3, 0.6, 4});
    def.solve = SOLVE;
    def.solve_count = 1;
    rh_chart *chart = charting_draw(&on, &def);
    // the start of the model has w3 = 6, and the last row theta = 0.6
    const double w2 = rh_chart_value(chart, 0, 3, 0);
    const double theta = 0.6;
    assert_near(0.0625 * sin(theta) * cos(theta) * w2 * w2 + 0.375 * w2 * 6.0 * cos(theta),
                9.81 * 0.5 * sin(theta), 1e-12);
    rh_chart_destroy(chart);
    charting_end(&on);
}

// --- memory --------------------------------------------------------------------------------------

static size_t try_chart(size_t fail_at, rh_status *out)
{
    static const char TEXT[] =
        "param a = 0, b = 0\nstate x\nlaw x' = (a^2 + b^2 - 1)*x - x^3\nstart x = 0\n";
    support_memory memory = {0};
    rh_model_def def = rh_model_def_default();
    rh_model *model = NULL;
    rh_equations *equations = NULL;
    rh_chart *chart = NULL;
    def.text = TEXT;
    def.text_size = sizeof TEXT - 1;
    def.allocator = support_memory_allocator(&memory);
    assert_int_equal(rh_model_create(&def, &model, NULL), RH_OK);
    const rh_equations_def derive = rh_equations_def_default();
    assert_int_equal(rh_equations_create(model, &derive, &equations, NULL), RH_OK);
    rh_chart_def call =
        charting_def((rh_chart_axis){"a", -1.5, 1.6, 6}, (rh_chart_axis){"b", -1.5, 1.7, 6});
    call.thread_count = 1;
    const size_t before = memory.request_count;
    memory.fail_at = fail_at > 0 ? before + fail_at : 0;
    *out = rh_chart_create(equations, &call, &chart, NULL);
    const size_t requests = memory.request_count - before;
    rh_chart_destroy(chart);
    rh_equations_destroy(equations);
    rh_model_destroy(model);
    assert_int_equal(memory.block_count, 0);
    return requests;
}

static void any_request_may_fail(void **state)
{
    (void)state;
    rh_status status = RH_OK;
    const size_t count = try_chart(0, &status);
    size_t failed = 0;
    size_t tried = 0;
    assert_int_equal(status, RH_OK);
    for (size_t k = 1; k <= count; k += 1 + k / 64) {
        (void)try_chart(k, &status);
        tried++;
        failed += status == RH_E_MEMORY;
        if (status != RH_E_MEMORY && status != RH_OK) {
            fail_msg("request %zu of %zu: %s", k, count, rh_status_text(status));
        }
    }
    assert_true(5 * failed >= 4 * tried); // of some a point can do without
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(threads_change_no_byte),  cmocka_unit_test(what_was_computed_is_kept),
        cmocka_unit_test(wrong_calls_are_refused), cmocka_unit_test(what_is_not_asked_for_is_held),
        cmocka_unit_test(any_request_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
