// SPDX-License-Identifier: Apache-2.0
// Compiled steps: one by one they are those in one go; what lies within a step can be asked for;
// the library takes over where they end, and they go on after it.

#include "tiering.h"

#include "motion/motion.h"

static const char DISC[] = "examples/rolling_disc/model.rhe";

static moving begin_emitted(const char *path)
{
    const course what = {.path = path};
    moving it = begin(&what, RH_TIER_EMITTED);
    rh_stop stop = RH_STOP_NONE;
    // the text is compiled by the first step
    assert_int_equal(rh_motion_step(it.motion, rh_motion_time(it.motion), &stop, NULL), RH_OK);
    assert_string_equal(rh_motion_tier(it.motion), "emitted");
    assert_non_null(it.motion->tier.native.steps);
    return it;
}

static void step_by_step(void **state)
{
    (void)state;
    moving single = begin_emitted(DISC);
    moving whole = begin_emitted(DISC);
    rh_stop stop = RH_STOP_NONE;
    double row[64];
    while (stop == RH_STOP_NONE) {
        const double from = rh_motion_time(single.motion);
        assert_int_equal(rh_motion_step(single.motion, 20.0, &stop, NULL), RH_OK);
        const double to = rh_motion_time(single.motion);
        assert_true(to > from);
        // looking does not change the way
        assert_int_equal(rh_motion_row(single.motion, from + 0.3 * (to - from), row, NULL), RH_OK);
    }
    advance(&whole, 20.0);
    assert_int_equal(whole.motion->steps, single.motion->steps);
    assert_memory_equal(whole.motion->x, single.motion->x, whole.motion->n * sizeof(double));
    moving_end(&single);
    moving_end(&whole);
}

// The polynomial of a compiled step is as good within it as at its end.
static void within_a_step(void **state)
{
    (void)state;
    moving it = begin_emitted(DISC);
    const course what = {.path = DISC};
    rh_stop stop = RH_STOP_NONE;
    advance(&it, 3.0);
    assert_int_equal(rh_motion_step(it.motion, 20.0, &stop, NULL), RH_OK);
    const double from = rh_motion_time_before(it.motion);
    const double middle = from + 0.41 * (rh_motion_time(it.motion) - from);
    double *made = moving_row(&it, middle);
    moving other = begin(&what, RH_TIER_INTERPRETED);
    advance(&other, middle);
    double *told = moving_row(&other, middle);
    for (size_t k = 0; k < rh_motion_column_count(it.motion); k++) {
        assert_near(made[k], told[k], 1e-11 * (1.0 + fabs(told[k])));
    }
    free(made);
    free(told);
    moving_end(&it);
    moving_end(&other);
}

// To a pole, to the end of a domain: the same places and reasons as in the interpreter.
static void to_the_end(void **state)
{
    (void)state;
    static const char *const TEXTS[] = {
        "state x\nlaw x' = x^2\nstart x = 1\n",
        "state x, y\nlaw x' = -1\nlaw y' = sqrt(x)\nstart x = 1, y = 0\n",
        "state x, y\nlaw x' = 1\nlaw y' = 1/(2 - x)^2\nstart x = 0, y = 0\n",
    };
    for (size_t k = 0; k < sizeof TEXTS / sizeof *TEXTS; k++) {
        moving plain = moving_begin(TEXTS[k], &(moving_conditions){.tier = RH_TIER_INTERPRETED});
        moving emitted = moving_begin(TEXTS[k], &(moving_conditions){.tier = RH_TIER_EMITTED});
        assert_int_equal(moving_advance(&plain, 3.0), RH_STOP_FAILED);
        assert_int_equal(moving_advance(&emitted, 3.0), RH_STOP_FAILED);
        assert_string_equal(rh_motion_reason_code(emitted.motion),
                            rh_motion_reason_code(plain.motion));
        assert_near(rh_motion_time(emitted.motion), rh_motion_time(plain.motion), 1e-5);
        moving_end(&plain);
        moving_end(&emitted);
    }
}

// A short pulse on the way: long steps are looked at.
static void a_pulse_is_not_missed(void **state)
{
    (void)state;
    static const char TEXT[] = "state x, y\nlaw x' = -x\nlaw y' = exp(-60*(t - 6)^2)\n"
                               "start x = 1, y = 0\n";
    moving it = moving_begin(TEXT, &(moving_conditions){.tier = RH_TIER_EMITTED});
    assert_int_equal(moving_advance(&it, 10.0), RH_STOP_REACHED);
    assert_near(moving_value(&it, "y"), 1.7724538509055160273 / 7.7459666924148337704, 1e-11);
    moving_end(&it);
}

// A force that wakes up on the way leaves no trace in the coefficients before it, nor a large one
// at the end of the step: what rates are off there counts as an error. Interpreted and compiled.
static void a_force_that_wakes_up(void **state)
{
    (void)state;
    static const char *const TEXTS[] = {
        "state x\nlaw x' = 1/(1 + exp(-20*(t - 5)))\nstart x = 0\n",
        "state x\nlaw x' = 1/(1 + exp(-50*(t - 5)))\nstart x = 0\n",
        "state x\nlaw x' = (1 + tanh(60*(t - 5)))/2\nstart x = 0\n",
    };
    for (size_t k = 0; k < 2 * sizeof TEXTS / sizeof *TEXTS; k++) {
        const rh_tier tier = k % 2 == 0 ? RH_TIER_INTERPRETED : RH_TIER_EMITTED;
        moving it = moving_begin(TEXTS[k / 2], &(moving_conditions){.tier = tier});
        assert_int_equal(moving_advance(&it, 10.0), RH_STOP_REACHED);
        assert_near(moving_value(&it, "x"), 5.0, 2e-12);
        moving_end(&it);
    }
}

static void steps_are_limited(void **state)
{
    (void)state;
    moving it = begin_emitted(DISC);
    it.motion->step_limit = it.motion->steps + 7;
    assert_int_equal(moving_advance(&it, 100.0), RH_STOP_FAILED);
    assert_string_equal(rh_motion_reason_code(it.motion), "E506");
    assert_int_equal(it.motion->steps, it.motion->step_limit);
    moving_end(&it);
}

// Saved between compiled steps and loaded, it goes the same way.
typedef struct pile {
    char *bytes;
    size_t size;
} pile;

static bool put(void *user, const char *bytes, size_t size)
{
    pile *it = user;
    it->bytes = realloc(it->bytes, it->size + size + 1);
    assert_non_null(it->bytes);
    memcpy(it->bytes + it->size, bytes, size);
    it->size += size;
    return true;
}

static void saved_and_loaded(void **state)
{
    (void)state;
    const rh_keep_def keep = rh_keep_def_default();
    const course what = {.path = DISC};
    moving first = begin(&what, RH_TIER_EMITTED);
    moving second = begin(&what, RH_TIER_EMITTED);
    pile saved = {0};
    rh_stop stop = RH_STOP_NONE;
    assert_int_equal(rh_motion_keep(first.motion, &keep, NULL), RH_OK);
    assert_int_equal(rh_motion_keep(second.motion, &keep, NULL), RH_OK);
    while (rh_motion_time(first.motion) < 4.0) {
        assert_int_equal(rh_motion_step(first.motion, 20.0, &stop, NULL), RH_OK);
    }
    assert_int_equal(rh_motion_save(first.motion, (rh_sink){.write = put, .user = &saved}, NULL),
                     RH_OK);
    assert_int_equal(rh_motion_load(second.motion, saved.bytes, saved.size, NULL), RH_OK);
    advance(&first, 20.0);
    advance(&second, 20.0);
    assert_int_equal(first.motion->steps, second.motion->steps);
    assert_memory_equal(first.motion->x, second.motion->x, first.motion->n * sizeof(double));
    free(saved.bytes);
    moving_end(&first);
    moving_end(&second);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(step_by_step),
        cmocka_unit_test(within_a_step),
        cmocka_unit_test(to_the_end),
        cmocka_unit_test(a_pulse_is_not_missed),
        cmocka_unit_test(a_force_that_wakes_up),
        cmocka_unit_test(steps_are_limited),
        cmocka_unit_test(saved_and_loaded),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
