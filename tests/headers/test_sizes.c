// SPDX-License-Identifier: Apache-2.0
// The size of every public struct on LP64 machines: a change of the binary interface cannot slip in
// unseen.

#include "support.h"

#include <assert.h>

#if defined(__LP64__)
static_assert(sizeof(rh_error) == 252, "rh_error");
static_assert(sizeof(rh_allocator) == 32, "rh_allocator");
static_assert(sizeof(rh_sink) == 16, "rh_sink");
static_assert(sizeof(rh_location) == 40, "rh_location");
static_assert(sizeof(rh_diagnostic) == 120, "rh_diagnostic");
static_assert(sizeof(rh_model_def) == 168, "rh_model_def");
static_assert(sizeof(rh_equations_def) == 8, "rh_equations_def");
static_assert(sizeof(rh_system_def) == 8, "rh_system_def");
static_assert(sizeof(rh_item) == 24, "rh_item");
static_assert(sizeof(rh_motion_def) == 112, "rh_motion_def");
static_assert(sizeof(rh_tolerance) == 16, "rh_tolerance");
static_assert(sizeof(rh_feed) == 32, "rh_feed");
static_assert(sizeof(rh_record_def) == 56, "rh_record_def");
static_assert(sizeof(rh_keep_def) == 24, "rh_keep_def");
static_assert(sizeof(rh_motion_summary) == 112, "rh_motion_summary");
static_assert(sizeof(rh_work_summary) == 56, "rh_work_summary");
static_assert(sizeof(rh_reversal) == 224, "rh_reversal");
static_assert(sizeof(rh_occurrence) == 32, "rh_occurrence");
static_assert(sizeof(rh_outcome_def) == 88, "rh_outcome_def");
static_assert(sizeof(rh_variant) == 32, "rh_variant");
static_assert(sizeof(rh_comparison_def) == 16, "rh_comparison_def");
static_assert(sizeof(rh_c_def) == 24, "rh_c_def");
static_assert(sizeof(rh_table_def) == 80, "rh_table_def");
static_assert(sizeof(rh_plot_def) == 88, "rh_plot_def");
static_assert(sizeof(rh_sweep_def) == 376, "rh_sweep_def");
static_assert(sizeof(rh_sweep_run_def) == 32, "rh_sweep_run_def");
static_assert(sizeof(rh_sweep_member) == 64, "rh_sweep_member");
static_assert(sizeof(rh_orbit_def) == 72, "rh_orbit_def");
static_assert(sizeof(rh_orbit_summary) == 88, "rh_orbit_summary");
static_assert(sizeof(rh_multiplier) == 32, "rh_multiplier");
static_assert(sizeof(rh_branch_def) == 72, "rh_branch_def");
static_assert(sizeof(rh_branch_point) == 72, "rh_branch_point");
static_assert(sizeof(rh_average_def) == 64, "rh_average_def");
static_assert(sizeof(rh_average_orbit) == 72, "rh_average_orbit");
static_assert(sizeof(rh_inverse_def) == 24, "rh_inverse_def");
static_assert(sizeof(rh_inverse_condition) == 16, "rh_inverse_condition");
static_assert(sizeof(rh_inverse_summary) == 152, "rh_inverse_summary");
static_assert(sizeof(rh_inverse_matrices) == 24, "rh_inverse_matrices");
static_assert(sizeof(rh_inverse_failure) == 48, "rh_inverse_failure");
static_assert(sizeof(rh_certificate_def) == 72, "rh_certificate_def");
static_assert(sizeof(rh_certificate_claim) == 24, "rh_certificate_claim");
static_assert(sizeof(rh_certificate_root) == 32, "rh_certificate_root");
static_assert(sizeof(rh_average_failure) == 24, "rh_average_failure");
static_assert(sizeof(rh_program_def) == 56, "rh_program_def");
static_assert(sizeof(rh_program_summary) == 168, "rh_program_summary");
static_assert(sizeof(rh_program_root) == 16, "rh_program_root");
static_assert(sizeof(rh_program_decay) == 40, "rh_program_decay");
static_assert(sizeof(rh_steady_value) == 16, "rh_steady_value");
static_assert(sizeof(rh_steady_def) == 80, "rh_steady_def");
static_assert(sizeof(rh_steady_root) == 24, "rh_steady_root");
static_assert(sizeof(rh_steady_condition) == 32, "rh_steady_condition");
static_assert(sizeof(rh_steady_summary) == 56, "rh_steady_summary");
static_assert(sizeof(rh_steady_motion) == 104, "rh_steady_motion");
static_assert(sizeof(rh_walk_def) == 56, "rh_walk_def");
static_assert(sizeof(rh_walk_point) == 144, "rh_walk_point");
static_assert(sizeof(rh_linear_system) == 136, "rh_linear_system");
static_assert(sizeof(rh_linear_def) == 120, "rh_linear_def");
static_assert(sizeof(rh_plot_line) == 32, "rh_plot_line");
static_assert(sizeof(rh_plot_mark) == 16, "rh_plot_mark");
static_assert(sizeof(rh_chart_axis) == 32, "rh_chart_axis");
static_assert(sizeof(rh_chart_def) == 192, "rh_chart_def");
static_assert(sizeof(rh_chart_summary) == 176, "rh_chart_summary");
static_assert(sizeof(rh_chart_point) == 32, "rh_chart_point");
static_assert(sizeof(rh_chart_curve) == 40, "rh_chart_curve");
static_assert(sizeof(rh_optimum_range) == 24, "rh_optimum_range");
static_assert(sizeof(rh_optimum_def) == 120, "rh_optimum_def");
static_assert(sizeof(rh_optimum_summary) == 32, "rh_optimum_summary");
#endif

static void a_default_knows_its_size(void **state)
{
    (void)state;
    const rh_model_def def = rh_model_def_default();
    assert_int_equal(def.struct_size, sizeof(rh_model_def));
    assert_non_null(def.allocator.alloc);
    assert_non_null(def.name);
    assert_true(def.memory_limit > 0);
}

static void every_status_has_a_sentence(void **state)
{
    (void)state;
#define CHECK_SENTENCE(name, sentence) assert_string_equal(rh_status_text(name), sentence);
    RH_STATUS_LIST(CHECK_SENTENCE)
#undef CHECK_SENTENCE
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_default_knows_its_size),
        cmocka_unit_test(every_status_has_a_sentence),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
