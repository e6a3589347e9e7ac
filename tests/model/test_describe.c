// SPDX-License-Identifier: Apache-2.0
// Unit tests of src/model/describe.c, listing.c, digest.c and census.c: the canonical text of a
// model, and above all that loops and large sums stay short in it.

#include "support.h"

#include "model/describe.h"

#include <stdlib.h>

static rh_model *make_model(const char *text, rh_allocator allocator)
{
    rh_model_def def = rh_model_def_default();
    def.allocator = allocator;
    def.text = text;
    def.text_size = strlen(text);
    rh_model *model = NULL;
    const rh_status status = rh_model_create(&def, &model, NULL);
    if (model != NULL && status != RH_OK) {
        print_error("%s\n", rh_model_diagnostic(model, 0).message);
    }
    assert_int_equal(status, RH_OK);
    return model;
}

static support_text describe(const rh_model *model)
{
    support_text text = {0};
    rh_error err = RH_ZERO;
    assert_int_equal(rh_model_dump(model, RH_STAGE_MODEL, support_text_sink(&text), &err), RH_OK);
    return text;
}

static size_t count_lines(const support_text *text)
{
    size_t lines = 0;
    for (size_t k = 0; k < text->size; k++) {
        lines += text->data[k] == '\n';
    }
    return lines;
}

// All expected pieces, in this order; at most so many lines; the same text again.
static void check_text(const char *source, size_t most_lines, const char *const *expected)
{
    rh_model *model = make_model(source, rh_allocator_default());
    support_text text = describe(model);
    const char *at = text.data;
    for (; *expected != NULL; expected++) {
        const char *found = strstr(at, *expected);
        if (found == NULL) {
            fail_msg("\"%s\" is missing or misplaced in:\n%s", *expected, text.data);
        }
        at = found;
    }
    if (count_lines(&text) > most_lines) {
        fail_msg("%zu lines:\n%.4000s", count_lines(&text), text.data);
    }
    support_text again = describe(model);
    assert_string_equal(text.data, again.data);
    free(text.data);
    free(again.data);
    rh_model_destroy(model);
}

static void a_thousand_rods_take_a_few_lines(void **state)
{
    (void)state;
    const char *const expected[] = {
        "N = 1000, structural  @1:7\n",
        "  x[1..1000]  @2:7\n",
        "  x[i]', i = 1..1000 (1000 rows, one shape)\n",
        "  kinetic: 1000 terms  @3:9\n    sum, i = 1..1000: m*(x[i]'^2 + y[i]'^2)/2\n",
        "  rod[1]: x[1]^2 + y[1]^2 - l^2 = 0  @4:12\n",
        "  rod[i], i = 2..1000 (999 rows, one shape): (x[i-1] - x[i])^2",
        "  x[i]' = 0, i = 1..1000 (1000 rows, one shape)",
        "  i = 1..999 (999 rows, one shape): line [x[i], y[i]] to [x[i+1], y[i+1]]",
        "  energy terms  1000 rows, 1 shape\n",
        "  constraints   1000 rows, 2 shapes\n",
        NULL};
    check_text("param N = 1000, m = 2, l = 1\n"
               "coord x[1..N], y[1..N]\n"
               "kinetic sum(i in 1..N: m*(x[i]'^2 + y[i]'^2)/2)\n"
               "constraint rod[1]: x[1]^2 + y[1]^2 = l^2\n"
               "for i in 2..N: constraint rod[i]: (x[i] - x[i-1])^2 + (y[i] - y[i-1])^2 = l^2\n"
               "for i in 1..N: start x[i] = i*l, y[i] = 0, x[i]' = 0\n"
               "for i in 2..N: draw line [x[i-1], y[i-1]] to [x[i], y[i]]\n",
               60, expected);
}

static void every_section_is_written(void **state)
{
    (void)state;
    const char *const expected[] = {"model \"All\"\n\nparameters\n",
                                    "  w = 2  @2:7\n",
                                    "inputs\n  u = sin(t)  @5:7\n",
                                    "selected as given\n",
                                    "energies\n  kinetic: x'^2/2 + y'^2/2  @7:9\n",
                                    "forces\n  x: u - x'  @8:1\n",
                                    "laws\n  w * s' = -s",
                                    "constraints\n  rod: x^2 + y^2 - 1 = 0  @11:12\n    holonomic,",
                                    "    with rod'' = -4*rod - 2*rod'\n",
                                    "  blade: x' - y' = 0  @12:12\n",
                                    "by servo(x: 1, y: w)\n",
                                    "starts\n  x = 1  @13:7\n",
                                    "guesses\n  y = 0.5",
                                    "events\n  top: x' = 0 down record  @15:7\n",
                                    "  back: y = 0 both reset x' = -x'  @16:7\n",
                                    "observes\n  e = x*y  @17:9\n",
                                    "drawings\n  point [x, y]  @18:1\n",
                                    "shapes\n  energy terms  2 rows, 2 shapes\n",
                                    NULL};
    check_text("model \"All\"\n"
               "param w = 2\n"
               "coord x, y\n"
               "state s\n"
               "input u = sin(t)\n"
               "select x, y, s\n"
               "kinetic (x'^2 + y'^2)/2\n"
               "force x: u - x'\n"
               "\n"
               "law w*s' = -s\n"
               "constraint rod: x^2 + y^2 = 1 with rod'' = -4*rod - 2*rod'\n"
               "constraint blade: x' = y' by servo(x: 1, y: w)\n"
               "start x = 1\n"
               "guess y = 1/2\n"
               "event top: x' = 0 down record\n"
               "event back: y = 0 both reset x' = -x'\n"
               "observe e = x*y\n"
               "draw point [x, y]\n",
               90, expected);
}

static void large_sums_inside_get_a_name(void **state)
{
    (void)state;
    const char *const expected[] = {"  k[1..100,1..100] = 1  @1:24\n",
                                    "    i*q[1]^2\n    sum, j = 1..100: q[j]'^2/2\n",
                                    "  q[j], j = 1..100 (100 rows, one shape): -i*q[j]*%sum[j]",
                                    "  total: %sum[101] - 1 = 0",
                                    "sums\n  %sum[1]: 100 terms (and 99 more sums of this shape)\n",
                                    "    sum, j = 1..100: k[1,j]*q[j]\n",
                                    "  %sum[101]: 100 terms\n    sum, j = 1..100: q[j]^2\n",
                                    NULL};
    // the running index avoids the parameter i
    check_text("param N = 100, i = 3,  k[1..N,1..N] = 1\n"
               "coord q[1..N]\n"
               "kinetic sum(a in 1..N: q[a]'^2/2) + i*q[1]^2\n"
               "for a in 1..N: force q[a]: -i*q[a]*sum(b in 1..N: k[a,b]*q[b])\n"
               "constraint total: sum(a in 1..N: q[a]^2) = 1\n",
               60, expected);
}

static void rows_of_many_shapes_are_counted(void **state)
{
    (void)state;
    const char *const expected[] = {"force", "... and 100 more rows of other shapes\n",
                                    "forces        300 rows, 300 shapes\n", NULL};
    check_text("param N = 300\n"
               "coord q[1..N]\n"
               "kinetic sum(i in 1..N: q[i]'^2)\n"
               "for i in 1..N: force q[i]: q[1]^(i+1)\n",
               250, expected);
}

static void uneven_rows_are_shown_by_the_first(void **state)
{
    (void)state;
    const char *const expected[] = {"  q[1] = 1  @3:24\n  ... and 99 more rows of this shape\n",
                                    NULL};
    check_text("coord q[1..100]\nkinetic sum(i in 1..100: q[i]'^2)\n"
               "for i in 1..100: start q[i] = i^2\n",
               50, expected);
}

// A deep recursion and a wide one: neither the C stack nor the text may grow with them.
static void recursions_stay_short(void **state)
{
    (void)state;
    const char *const expected[] = {"%sum[1]", NULL};
    check_text("param N = 2000\n"
               "coord q[1..3]\n"
               "kinetic sum(i in 1..3: q[i]'^2)\n"
               "for i in 0..0: let s[i] = q[1]\n"
               "for i in 1..N: let s[i] = sin(s[i-1])\n"
               "for i in 1..3: force q[i]: q[i]*s[N]\n"
               "for i in 0..0: let a[i] = sum(j in 1..3: sin(q[j]))\n"
               "for i in 1..200: let a[i] = a[i-1] + a[i-1]^2 + sum(j in 1..20: cos(j*q[1] + i))\n"
               "potential a[200]\n",
               500, expected);
}

static void want_of_memory_is_reported(void **state)
{
    (void)state;
    rh_status status = RH_E_MEMORY;
    for (size_t n = 1; status != RH_OK; n++) {
        support_memory memory = {0};
        rh_model *model = make_model("coord q[1..40]\nkinetic sum(i in 1..40: q[i]'^2)\n"
                                     "for i in 1..40: force q[i]: -q[i]*sum(j in 1..40: q[j])\n",
                                     support_memory_allocator(&memory));
        memory.fail_at = memory.request_count + n;
        support_text text = {0};
        status = rh_model_dump(model, RH_STAGE_MODEL, support_text_sink(&text), NULL);
        assert_true(status == RH_OK || status == RH_E_MEMORY);
        assert_true(n < 1000);
        free(text.data);
        rh_model_destroy(model);
        assert_int_equal(memory.block_count, 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_thousand_rods_take_a_few_lines),
        cmocka_unit_test(every_section_is_written),
        cmocka_unit_test(large_sums_inside_get_a_name),
        cmocka_unit_test(rows_of_many_shapes_are_counted),
        cmocka_unit_test(uneven_rows_are_shown_by_the_first),
        cmocka_unit_test(recursions_stay_short),
        cmocka_unit_test(want_of_memory_is_reported),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
