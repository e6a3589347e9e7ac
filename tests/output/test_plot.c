// SPDX-License-Identifier: Apache-2.0
// Unit and property tests of src/output/plot.c, axis.c and svg.c: pictures are well-formed whatever
// the names are, peaks survive, ticks are round and enclosed, and one small picture stays as it is
// (RH_REFRESH=1 writes it anew).

#define _XOPEN_SOURCE 700

#include "support.h"

#include "output/axis.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

// --- well-formed -------------------------------------------------------------------------------

// One tag from its `<`; returns the place behind its `>`. The depth of open elements changes.
static const char *read_tag(const char *at, int *depth)
{
    const bool is_end = at[1] == '/';
    bool is_quoted = false;
    for (at++; *at != '>' || is_quoted; at++) {
        assert_true(*at != '\0' && *at != '<');
        is_quoted = is_quoted != (*at == '"');
    }
    *depth += is_end ? -1 : at[-1] == '/' ? 0 : 1;
    return at + 1;
}

static void check_entity(const char *at)
{
    static const char *const KNOWN[] = {"&lt;", "&gt;", "&amp;", "&quot;"};
    bool is_known = false;
    for (size_t k = 0; k < sizeof KNOWN / sizeof *KNOWN; k++) {
        is_known = is_known || strncmp(at, KNOWN[k], strlen(KNOWN[k])) == 0;
    }
    assert_true(is_known);
}

static void check_well_formed(const char *svg)
{
    int depth = 0;
    const char *at = svg;
    while (*at != '\0') {
        assert_true((unsigned char)*at >= 0x20 || *at == '\n');
        if (*at == '<') {
            at = read_tag(at, &depth);
            assert_true(depth > 0 || *at == '\n');
            continue;
        }
        if (*at == '&') {
            check_entity(at);
        }
        at++;
    }
    assert_int_equal(depth, 0);
    assert_null(strstr(svg, "nan"));
    assert_null(strstr(svg, "inf"));
}

// A second judge, when there is one.
static void check_by_python(const char *svg)
{
    char path[] = "/tmp/rheonom-plot-XXXXXX";
    const int file = mkstemp(path);
    assert_true(file >= 0);
    assert_int_equal(write(file, svg, strlen(svg)), strlen(svg));
    (void)close(file);
    char command[256];
    (void)snprintf(command, sizeof command,
                   "command -v python3 >/dev/null || exit 0; "
                   "python3 -c 'import sys, xml.dom.minidom as m; m.parse(sys.argv[1])' %s",
                   path);
    const int status = system(command);
    (void)unlink(path);
    assert_int_equal(status, 0);
}

static char *draw(const rh_plot_def *def)
{
    support_text text = {0};
    rh_error err = {0};
    const rh_status status = rh_output_plot(def, support_text_sink(&text), &err);
    if (status != RH_OK) {
        fail_msg("%s", err.message);
    }
    check_well_formed(text.data);
    return text.data;
}

// --- one small picture -------------------------------------------------------------------------

enum { ROWS = 61 };

static void a_small_picture_stays_as_it_is(void **state)
{
    (void)state;
    static double table[ROWS][3];
    for (int k = 0; k < ROWS; k++) {
        // a parabola and a saw tooth: no function of the mathematical library decides a digit
        const double t = k / 8.0;
        table[k][0] = t;
        table[k][1] = (t - 3.0) * (t - 3.0) / 8.0 - 1.0;
        table[k][2] = 1e-7 * (k % 10);
    }
    table[30][1] = (double)NAN;
    const rh_plot_line lines[] = {{"x", &table[0][1], 3, 0},
                                  {"dev.rod[3] <&>", &table[0][2], 3, 1},
                                  {"y'", &table[0][0], 3, 0}};
    const rh_plot_mark marks[] = {{2.0, "leave floor"}, {5.5, "impact"}, {99.0, "outside"}};
    const char *const labels[] = {"position", "deviation"};
    rh_plot_def def = rh_plot_def_default();
    def.title = "a small picture";
    def.panel_count = 2;
    def.labels = labels;
    def.times = &table[0][0];
    def.time_stride = 3;
    def.row_count = ROWS;
    def.lines = lines;
    def.line_count = 3;
    def.marks = marks;
    def.mark_count = 3;
    char *svg = draw(&def);
    check_by_python(svg);
    char *again = draw(&def);
    assert_string_equal(svg, again);
    const char *path = RH_SOURCE_DIR "/tests/output/plot.svg";
    if (getenv("RH_REFRESH") != NULL) {
        FILE *stream = fopen(path, "w");
        assert_non_null(stream);
        assert_true(fputs(svg, stream) >= 0);
        assert_int_equal(fclose(stream), 0);
    }
    size_t size = 0;
    char *expected = support_read(path, &size);
    assert_string_equal(svg, expected);
    free(expected);
    free(again);
    free(svg);
}

// --- names -------------------------------------------------------------------------------------

static void any_name_is_escaped(void **state)
{
    (void)state;
    support_random random = support_random_begin("any_name_is_escaped");
    const double times[] = {0.0, 1.0};
    for (int round = 0; round < 300; round++) {
        char name[80] = {0};
        const uint32_t size = support_random_below(&random, sizeof name);
        for (uint32_t k = 0; k < size; k++) {
            static const char WICKED[] = "<>&\"'\\]]>\n\x01\x7f\xff\xef\xbf\xbe\xe2\x80\xae{}";
            const bool is_any = support_random_below(&random, 2) == 0;
            const char c = is_any ? (char)(1 + support_random_below(&random, 255))
                                  : WICKED[support_random_below(&random, sizeof WICKED - 1)];
            name[k] = c;
        }
        const rh_plot_line line = {name, times, 1, 0};
        const rh_plot_mark mark = {0.5, name};
        const char *const label = name;
        rh_plot_def def = rh_plot_def_default();
        def.title = name;
        def.time_label = name;
        def.labels = &label;
        def.times = times;
        def.row_count = 2;
        def.lines = &line;
        def.line_count = 1;
        def.marks = &mark;
        def.mark_count = 1;
        char *svg = draw(&def);
        if (round < 3) {
            check_by_python(svg);
        }
        free(svg);
    }
}

static void what_xml_forbids_is_replaced(void **state)
{
    (void)state;
    rh_plot_def def = rh_plot_def_default();
    def.title = "<script>alert(1)</script>\x01\xef\xbf\xbf";
    char *svg = draw(&def);
    check_by_python(svg);
    assert_non_null(strstr(svg, "&lt;script&gt;alert(1)&lt;/script&gt;?\xef\xbf\xbd<"));
    free(svg);
}

// --- points ------------------------------------------------------------------------------------

typedef struct drawn {
    size_t count;
    size_t parts;
    double least, most; // y
} drawn;

// The points of the first curve; curves alone are that wide.
static drawn read_curve(const char *svg)
{
    drawn found = {.least = 1e9, .most = -1e9};
    const char *at = strstr(svg, "stroke-width=\"1.5\"");
    assert_non_null(at);
    at = strstr(at, "d=\"") + 3;
    while (*at != '"') {
        if (*at == 'h') {
            at += 2;
            continue;
        }
        found.parts += *at == 'M';
        char *end = NULL;
        (void)strtod(at + 1, &end);
        assert_int_equal(*end, ',');
        const double y = strtod(end + 1, &end);
        found.least = fmin(found.least, y);
        found.most = fmax(found.most, y);
        found.count++;
        at = end;
    }
    return found;
}

// Single peaks in many rows are drawn where the axis ends, up to its margin.
static void peaks_survive_many_rows(void **state)
{
    (void)state;
    support_random random = support_random_begin("peaks_survive_many_rows");
    for (int round = 0; round < 20; round++) {
        const size_t rows = 1 + support_random_below(&random, 60000);
        double *table = calloc(rows, 2 * sizeof *table);
        assert_non_null(table);
        for (size_t k = 0; k < rows; k++) {
            table[2 * k] = (double)k;
            table[2 * k + 1] = support_random_real(&random, -1.0, 1.0);
        }
        const size_t high = support_random_below(&random, (uint32_t)rows);
        table[2 * high + 1] = 1000.0;
        const rh_plot_line line = {"x", table + 1, 2, 0};
        rh_plot_def def = rh_plot_def_default();
        def.times = table;
        def.time_stride = 2;
        def.row_count = rows;
        def.lines = &line;
        def.line_count = 1;
        char *svg = draw(&def);
        const drawn curve = read_curve(svg);
        assert_true(curve.count <= RH_PLOT_POINTS && curve.parts == 1);
        assert_true(rows > RH_PLOT_POINTS || curve.count == rows);
        // the panel is 170 high below 30 of legend and space; the margin is 4 % on both sides
        if (rows > 1) {
            assert_near_by(curve.least, 30.0 + 170.0 * 0.04 / 1.08, 0.0, 0.11);
            assert_near_by(curve.most, 30.0 + 170.0 * 1.04 / 1.08, 0.0, 0.11);
        }
        free(svg);
        free(table);
    }
}

static void gaps_part_a_line(void **state)
{
    (void)state;
    const double times[] = {0, 1, 2, 3, 4, 5, 6};
    const double values[] = {1, 2, (double)NAN, 4, (double)INFINITY, 1e305, 7};
    const rh_plot_line line = {"x", values, 1, 0};
    rh_plot_def def = rh_plot_def_default();
    def.times = times;
    def.row_count = 7;
    def.lines = &line;
    def.line_count = 1;
    char *svg = draw(&def);
    const drawn curve = read_curve(svg);
    assert_int_equal(curve.parts, 3);
    assert_int_equal(curve.count, 4);
    free(svg);
}

// Time may run backwards, stand still, or be nowhere; values may be all alike, huge or tiny.
static void degenerate_data_are_drawn(void **state)
{
    (void)state;
    static const double SIZES[] = {0.0, 1e300, -1e300, 1e-300, 5e-324, DBL_MAX, -7.0, 1e-13};
    for (size_t k = 0; k < sizeof SIZES / sizeof *SIZES; k++) {
        for (size_t j = 0; j < sizeof SIZES / sizeof *SIZES; j++) {
            const double values[] = {SIZES[k], SIZES[j], SIZES[k] * (1.0 - 1e-15)};
            const rh_plot_line line = {"x", values, 1, 0};
            rh_plot_def def = rh_plot_def_default();
            def.times = values;
            def.row_count = 3;
            def.lines = &line;
            def.line_count = 1;
            free(draw(&def));
        }
    }
    rh_plot_def empty = rh_plot_def_default();
    empty.panel_count = RH_PLOT_PANELS;
    free(draw(&empty));
}

static void many_lines_have_a_short_legend(void **state)
{
    (void)state;
    static rh_plot_line lines[RH_PLOT_LINES];
    static const double VALUES[] = {0.0, 1.0};
    for (int k = 0; k < RH_PLOT_LINES; k++) {
        lines[k] =
            (rh_plot_line){"a name of some length that goes on and on and on and on", VALUES, 1, 0};
    }
    rh_plot_def def = rh_plot_def_default();
    def.times = VALUES;
    def.row_count = 2;
    def.lines = lines;
    def.line_count = RH_PLOT_LINES;
    char *svg = draw(&def);
    assert_non_null(strstr(svg, "... and 1018 more"));
    free(svg);
}

// --- axes --------------------------------------------------------------------------------------

static void check_axis(double low, double high)
{
    const rh_axis axis = rh__axis_choose(low, high, 6, 0.0);
    assert_true(axis.low <= low && axis.high >= high && axis.low < axis.high);
    const int64_t count = axis.last - axis.first + 1;
    assert_true(count >= 3 && count <= 12);
    rh_arena arena = rh__arena_begin(rh_allocator_default(), 1 << 20);
    char last[32] = {0};
    for (int64_t k = axis.first; k <= axis.last; k++) {
        const double size = axis.high - axis.low;
        assert_true(rh__axis_tick(&axis, k) >= axis.low - 1e-8 * size);
        assert_true(rh__axis_tick(&axis, k) <= axis.high + 1e-8 * size);
        rh_text label = rh__text_begin(&arena, NULL);
        rh__axis_put_label(&axis, k, &label);
        assert_true(label.size > 0 && label.size <= 12);
        // ticks differ to the reader too, and say what they are
        assert_string_not_equal(label.data, last);
        (void)snprintf(last, sizeof last, "%s", label.data);
        const double origin = axis.has_offset ? rh__axis_tick(&axis, axis.first) : 0.0;
        assert_near_by(strtod(label.data, NULL) + origin, rh__axis_tick(&axis, k), 1e-14,
                       1e-6 * size);
    }
    rh__arena_end(&arena);
}

static void ticks_are_enclosed_and_told_apart(void **state)
{
    (void)state;
    support_random random = support_random_begin("ticks_are_enclosed_and_told_apart");
    for (int round = 0; round < 20000; round++) {
        const double size = pow(10.0, support_random_real(&random, -250.0, 250.0));
        const double a = size * support_random_real(&random, -1.0, 1.0);
        const double ratio = pow(10.0, support_random_real(&random, -11.0, 3.0));
        const double b = a + fabs(a) * ratio;
        check_axis(a, b);
    }
    check_axis(0.0, 0.0);
    check_axis(5.0, 5.0);
    check_axis(0.0, 1.0);
    check_axis(-1e300, 1e300);
}

// --- calls -------------------------------------------------------------------------------------

static bool refuse_bytes(void *user, const char *data, size_t size)
{
    (void)user;
    (void)data;
    (void)size;
    return false;
}

static void wrong_calls_and_full_sinks_are_refused(void **state)
{
    (void)state;
    support_text text = {0};
    const rh_sink sink = support_text_sink(&text);
    rh_plot_def def = rh_plot_def_default();
    def.panel_count = 0;
    assert_int_equal(rh_output_plot(&def, sink, NULL), RH_E_ARGUMENT);
    def = rh_plot_def_default();
    def.row_count = 1;
    assert_int_equal(rh_output_plot(&def, sink, NULL), RH_E_ARGUMENT);
    def = rh_plot_def_default();
    const rh_plot_line line = {"x", NULL, 1, 1};
    def.lines = &line;
    def.line_count = 1;
    assert_int_equal(rh_output_plot(&def, sink, NULL), RH_E_ARGUMENT);
    assert_null(text.data);
    def = rh_plot_def_default();
    assert_int_equal(rh_output_plot(&def, (rh_sink){refuse_bytes, NULL}, NULL), RH_E_WRITE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_small_picture_stays_as_it_is),
        cmocka_unit_test(any_name_is_escaped),
        cmocka_unit_test(what_xml_forbids_is_replaced),
        cmocka_unit_test(peaks_survive_many_rows),
        cmocka_unit_test(gaps_part_a_line),
        cmocka_unit_test(degenerate_data_are_drawn),
        cmocka_unit_test(many_lines_have_a_short_legend),
        cmocka_unit_test(ticks_are_enclosed_and_told_apart),
        cmocka_unit_test(wrong_calls_and_full_sinks_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
