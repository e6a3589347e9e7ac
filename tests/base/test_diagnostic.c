// SPDX-License-Identifier: Apache-2.0
// Unit tests of src/base/diagnostic.c, and rules that every row of diagnostics.def keeps.

#include "support.h"

#include "base/base.h"

#include <ctype.h>

static const struct {
    const char *code;
    const char *severity;
    const char *title;
    const char *explanation;
} ROWS[] = {
#define RH_DIAGNOSTIC(code, severity, title, explanation) {#code, #severity, title, explanation},
#include "base/diagnostics.def"
#undef RH_DIAGNOSTIC
};

// Used where any code will do.
static const rh_diagnostic_code ANY = RH_DIAGNOSTIC_E900;

static void the_catalogue_is_what_the_table_says(void **state)
{
    (void)state;
    assert_int_equal(sizeof ROWS / sizeof ROWS[0], RH_DIAGNOSTIC_COUNT);
    for (unsigned i = 0; i < RH_DIAGNOSTIC_COUNT; i++) {
        const rh_diagnostic_code code = (rh_diagnostic_code)i;
        assert_string_equal(rh__diagnostic_name(code), ROWS[i].code);
        assert_string_equal(rh__diagnostic_title(code), ROWS[i].title);
        assert_string_equal(rh__diagnostic_explanation(code), ROWS[i].explanation);
        assert_int_equal(rh__diagnostic_find(rh__slice_of(ROWS[i].code)), code);
    }
    assert_int_equal(rh__diagnostic_find(rh__slice_of("e900")), RH_DIAGNOSTIC_E900);
    assert_int_equal(rh__diagnostic_find(rh__slice_of("E9")), RH_DIAGNOSTIC_COUNT);
    assert_int_equal(rh__diagnostic_find(rh__slice_of("E9000")), RH_DIAGNOSTIC_COUNT);
    assert_int_equal(rh__diagnostic_find(rh__slice_of("")), RH_DIAGNOSTIC_COUNT);
}

static void every_row_is_well_made(void **state)
{
    (void)state;
    for (unsigned i = 0; i < RH_DIAGNOSTIC_COUNT; i++) {
        const char *code = ROWS[i].code;
        const bool is_code = strlen(code) == 4 && strchr("EWN", code[0]) != NULL &&
                             isdigit((unsigned char)code[1]) && isdigit((unsigned char)code[2]) &&
                             isdigit((unsigned char)code[3]);
        // the letter is the rank
        const bool is_ranked = code[0] == ROWS[i].severity[0];
        const size_t title = strlen(ROWS[i].title);
        const bool is_titled = title > 0 && title <= 80 && ROWS[i].title[title - 1] != '.';
        if (!is_code || !is_ranked || !is_titled || strlen(ROWS[i].explanation) < 20) {
            fail_msg("the row of %s is not well made", code);
        }
    }
}

static void a_remark_holds_what_was_said(void **state)
{
    (void)state;
    rh_arena arena = rh__arena_begin(rh_allocator_default(), SIZE_MAX / 2);
    rh_diagnostics list = rh__diagnostics_begin(&arena);
    rh__diagnostics_add(&list, ANY, (rh_span){3, 4}, "%d is too many for %s", 7, "x");
    rh__diagnostics_repair(&list, "write %s", "y");
    rh__diagnostics_note(&list, (rh_span){0, 1}, "%s", "declared here");
    rh__diagnostics_add(&list, ANY, (rh_span){9, 1}, "another");
    assert_int_equal(list.remarks.count, 2);
    assert_int_equal(list.error_count, 2);
    const rh_remark *remark = &list.remarks.data[0];
    assert_string_equal(remark->message, "7 is too many for x");
    assert_string_equal(remark->repair, "write y");
    assert_string_equal(remark->note, "declared here");
    assert_int_equal(remark->note_span.size, 1);
    assert_int_equal(remark->span.offset, 3);
    assert_null(list.remarks.data[1].repair);
    assert_null(list.remarks.data[1].note);
    rh__arena_end(&arena);
}

static void remarks_beyond_the_limit_are_counted(void **state)
{
    (void)state;
    rh_arena arena = rh__arena_begin(rh_allocator_default(), SIZE_MAX / 2);
    rh_diagnostics list = rh__diagnostics_begin(&arena);
    for (int i = 0; i < RH_DIAGNOSTIC_LIMIT + 20; i++) {
        rh__diagnostics_add(&list, ANY, (rh_span){0, 1}, "number %d", i);
        rh__diagnostics_repair(&list, "repair %d", i);
    }
    assert_int_equal(list.remarks.count, RH_DIAGNOSTIC_LIMIT);
    assert_int_equal(list.dropped, 20);
    assert_int_equal(list.error_count, RH_DIAGNOSTIC_LIMIT + 20);
    // a repair of a dropped remark does not go to another
    assert_string_equal(list.remarks.data[RH_DIAGNOSTIC_LIMIT - 1].repair, "repair 99");
    rh__arena_end(&arena);
}

static void sorting_is_by_place_and_stable(void **state)
{
    (void)state;
    rh_arena arena = rh__arena_begin(rh_allocator_default(), SIZE_MAX / 2);
    rh_diagnostics list = rh__diagnostics_begin(&arena);
    static const uint32_t offsets[] = {7, 3, 7, 0, 3, 9, 3};
    for (uint32_t i = 0; i < 7; i++) {
        rh__diagnostics_add(&list, ANY, (rh_span){offsets[i], i}, "x");
    }
    rh__diagnostics_sort(&list);
    static const uint32_t order[] = {3, 1, 4, 6, 0, 2, 5};
    for (uint32_t i = 0; i < 7; i++) {
        assert_int_equal(list.remarks.data[i].span.size, order[i]);
    }
    rh__arena_end(&arena);
}

static void spans_join(void **state)
{
    (void)state;
    const rh_span joined = rh__span_join((rh_span){4, 3}, (rh_span){10, 5});
    assert_int_equal(joined.offset, 4);
    assert_int_equal(joined.size, 11);
    const rh_span same = rh__span_join((rh_span){4, 3}, (rh_span){4, 3});
    assert_int_equal(same.size, 3);
}

static void an_error_record_is_always_terminated(void **state)
{
    (void)state;
    rh_error err = RH_ZERO;
    assert_int_equal(rh__error_fill(NULL, RH_E_LIMIT, "%d", 1), RH_E_LIMIT);
    assert_int_equal(rh__error_fill(&err, RH_E_MEMORY, "%0*d", 1000, 7), RH_E_MEMORY);
    assert_int_equal(err.status, RH_E_MEMORY);
    assert_int_equal(strlen(err.message), sizeof err.message - 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_catalogue_is_what_the_table_says),
        cmocka_unit_test(every_row_is_well_made),
        cmocka_unit_test(a_remark_holds_what_was_said),
        cmocka_unit_test(remarks_beyond_the_limit_are_counted),
        cmocka_unit_test(sorting_is_by_place_and_stable),
        cmocka_unit_test(spans_join),
        cmocka_unit_test(an_error_record_is_always_terminated),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
