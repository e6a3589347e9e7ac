// SPDX-License-Identifier: Apache-2.0
// Changing the unit of a variable, of time, of mass or of a constraint changes nothing but the
// scale of results: the quick questions of the table. And the rewriting itself: with a factor of 27
// results are those of the text as it stands.

#include "judging.h"
#include "moves.h"

#include <math.h>
#include <stdlib.h>

static size_t column_of(const units_track *track, const char *name)
{
    size_t k = 0;
    while (k < track->column_count && strcmp(track->names[k], name) != 0) {
        k++;
    }
    return k;
}

// Every column of the rewritten model is one of the original, times its factor.
static void check_columns(const units_text *it, const units_change *change, const char *path,
                          const units_track *original, const units_track *other)
{
    for (size_t k = 0; k < other->column_count; k++) {
        const size_t own = column_of(original, other->names[k]);
        const double factor = units_track_factor(it, change, other, k);
        assert_true(own < original->column_count);
        for (size_t s = 0; s < UNITS_SAMPLES; s++) {
            const double old = original->rows[s * original->column_count + own];
            const double new = other->rows[s * other->column_count + k] / factor;
            if (!(fabs(new - old) <= 1e-9 * (1.0 + fabs(old)))) {
                fail_msg("%s, %s: %s is %.17g, was %.17g", path, units_kind_word(change->kind),
                         other->names[k], new, old);
            }
        }
    }
}

static void the_rewritten_model_is_the_same(void **state)
{
    static const char *const MODELS[] = {
        "examples/double_pendulum/model.rhe",
        "examples/bouncing_ball/model.rhe",
        "examples/chetaev_system/mixed.rhe",
        "examples/rolling_disc/damped.rhe",
        "examples/pendulum_program/model.rhe",
        "examples/servo_rod/model.rhe",
        "examples/quarter_car/model.rhe",
        "tests/golden/models/language_by_inertia.rhe",
        "tests/golden/models/language_by_friction.rhe",
        "tests/golden/models/language_construct.rhe",
        "tests/golden/models/language_input_file.rhe",
        "tests/golden/models/language_program_baumgarte.rhe",
        "tests/golden/models/language_states_mixed.rhe",
        "tests/golden/models/language_torque_on.rhe",
    };
    static units_text it;
    (void)state;
    for (size_t m = 0; m < sizeof MODELS / sizeof *MODELS; m++) {
        const units_run run = {.path = MODELS[m], .span = 0.5, .method = RH_METHOD_TAYLOR};
        units_track original, other;
        if (!units_begin(&it, MODELS[m])) {
            fail_msg("%s: %s", MODELS[m], it.refusal);
        }
        units_track_text(&original, it.original, 1.0, &run);
        assert_int_equal(original.status, RH_OK);
        for (int kind = 0; kind < UNITS_KIND_COUNT; kind++) {
            const units_change change = {
                .kind = (units_kind)kind, .base = 3, .under = 1, .power = 3};
            if (units_applies(&it, &change)) {
                units_track_begin(&other, &it, &change, &run);
                assert_int_equal(other.status, RH_OK);
                check_columns(&it, &change, MODELS[m], &original, &other);
                units_track_end(&other);
            }
        }
        units_track_end(&original);
        units_end(&it);
    }
}

static void quick_questions(void **state)
{
    (void)state;
    units_judge_table(0, 1, true);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_rewritten_model_is_the_same),
        cmocka_unit_test(quick_questions),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
