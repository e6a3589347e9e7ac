// SPDX-License-Identifier: Apache-2.0
// The same bits: twice, after other motions, beside other motions, and whoever looks.

#include "moving.h"

typedef struct repeated {
    const char *path;
    double time;
    rh_method method;
    double tolerance;
} repeated;

static const repeated LIST[] = {
    {"examples/rolling_disc/model.rhe", 5.0, RH_METHOD_AUTO, 0.0},
    {"examples/rolling_disc/model.rhe", 5.0, RH_METHOD_DOP853, 0.0},
    {"examples/rolling_disc/model.rhe", 0.5, RH_METHOD_CVODE, 1e-8},
    {"examples/rolling_disc/model.rhe", 0.5, RH_METHOD_IDA, 1e-8},
    {"examples/four_bar/model.rhe", 3.0, RH_METHOD_AUTO, 0.0}, // leaps
    {"examples/bricard/model.rhe", 1.0, RH_METHOD_AUTO, 0.0},  // singular values
    {"examples/chain/model.rhe", 1.0, RH_METHOD_AUTO, 0.0},    // fixed pivots
    {"examples/chain/model.rhe", 1.0, RH_METHOD_DOP853, 0.0},
    {"examples/chain/model.rhe", 0.1, RH_METHOD_CVODE, 1e-8},
    {"examples/andrews/model.rhe", 0.02, RH_METHOD_AUTO, 0.0},
    {"examples/andrews/model.rhe", 0.002, RH_METHOD_IDA, 1e-8},
    {"examples/pendulum_cartesian/model.rhe", 5.0, RH_METHOD_AUTO, 0.0}, // events
    {"examples/pendulum_cartesian/model.rhe", 5.0, RH_METHOD_DOP853, 0.0},
    {"tests/motion/switching.rhe", 5.0, RH_METHOD_AUTO, 0.0},
    {"tests/motion/switching.rhe", 5.0, RH_METHOD_DOP853, 0.0},
    {"tests/motion/stiff.rhe", 2.0, RH_METHOD_AUTO, 0.0}, // changes its method
};

enum { LIST_COUNT = sizeof LIST / sizeof LIST[0] };

static moving begin(const repeated *what)
{
    const moving_conditions with = {.method = what->method, .tolerance = what->tolerance};
    return moving_file(what->path, &with);
}

// FNV-1a over the row at the end and all occurrences.
static uint64_t mix(uint64_t sum, const void *bytes, size_t size)
{
    for (size_t k = 0; k < size; k++) {
        sum = (sum ^ ((const unsigned char *)bytes)[k]) * 1099511628211u;
    }
    return sum;
}

static uint64_t bits_of(moving *it)
{
    double *row = moving_row(it, rh_motion_time(it->motion));
    const rh_motion_summary summary = rh_motion_summarise(it->motion);
    uint64_t sum = 1469598103934665603u;
    sum = mix(sum, row, rh_motion_column_count(it->motion) * sizeof *row);
    sum = mix(sum, &summary.steps, sizeof summary.steps);
    sum = mix(sum, &summary.residual, sizeof summary.residual);
    for (size_t k = 0; !isnan(rh_motion_residual(it->motion, k)); k++) {
        const double residual = rh_motion_residual(it->motion, k);
        sum = mix(sum, &residual, sizeof residual);
    }
    for (size_t k = 0; k < rh_motion_occurrence_count(it->motion); k++) {
        const double time = rh_motion_occurrence(it->motion, k).time;
        sum = mix(sum, &time, sizeof time);
    }
    free(row);
    return sum;
}

static uint64_t run_alone(const repeated *what)
{
    moving it = begin(what);
    moving_reach(&it, what->time);
    const uint64_t bits = bits_of(&it);
    moving_end(&it);
    return bits;
}

// Once each, then backwards through the list, each after all the others.
static void the_same_after_others(void **state)
{
    (void)state;
    uint64_t first[LIST_COUNT];
    for (size_t k = 0; k < LIST_COUNT; k++) {
        first[k] = run_alone(&LIST[k]);
    }
    for (size_t k = LIST_COUNT; k-- > 0;) {
        if (run_alone(&LIST[k]) != first[k]) {
            fail_msg("%s, method %d: other bits", LIST[k].path, (int)LIST[k].method);
        }
    }
}

// All at the same time, a step of each in turn.
static void the_same_beside_others(void **state)
{
    (void)state;
    moving all[LIST_COUNT];
    rh_stop stop[LIST_COUNT];
    for (size_t k = 0; k < LIST_COUNT; k++) {
        all[k] = begin(&LIST[k]);
        stop[k] = RH_STOP_NONE;
    }
    for (bool is_any = true; is_any;) {
        is_any = false;
        for (size_t k = 0; k < LIST_COUNT; k++) {
            if (stop[k] == RH_STOP_NONE) {
                assert_int_equal(rh_motion_step(all[k].motion, LIST[k].time, &stop[k], &all[k].err),
                                 RH_OK);
                is_any = true;
            }
        }
    }
    for (size_t k = 0; k < LIST_COUNT; k++) {
        const uint64_t bits = bits_of(&all[k]);
        moving_end(&all[k]);
        assert_int_equal(stop[k], RH_STOP_REACHED);
        if (bits != run_alone(&LIST[k])) {
            fail_msg("%s, method %d: other bits", LIST[k].path, (int)LIST[k].method);
        }
    }
}

// Two motions of the same equations share what does not change.
static void the_same_from_the_same_equations(void **state)
{
    (void)state;
    for (size_t k = 0; k < LIST_COUNT; k++) {
        moving it = begin(&LIST[k]);
        rh_motion_def def = rh_motion_def_default();
        def.method = LIST[k].method;
        def.tolerance = LIST[k].tolerance > 0.0 ? LIST[k].tolerance : def.tolerance;
        moving other = {.motion = NULL};
        moving_reach(&it, LIST[k].time / 2.0);
        assert_int_equal(rh_motion_create(it.equations, &def, &other.motion, &other.err), RH_OK);
        moving_reach(&other, LIST[k].time);
        const uint64_t bits = bits_of(&other);
        rh_motion_destroy(other.motion);
        moving_end(&it);
        assert_true(bits == run_alone(&LIST[k]));
    }
}

// Rows within each step, rows at its ends, summaries, residuals, occurrences.
static void looking_changes_nothing(void **state)
{
    (void)state;
    for (size_t k = 0; k < LIST_COUNT; k++) {
        moving it = begin(&LIST[k]);
        rh_stop stop = RH_STOP_NONE;
        while (stop == RH_STOP_NONE) {
            assert_int_equal(rh_motion_step(it.motion, LIST[k].time, &stop, &it.err), RH_OK);
            const double low = rh_motion_time_before(it.motion);
            const double high = rh_motion_time(it.motion);
            for (uint32_t j = 0; j <= 4; j++) {
                free(moving_row(&it, j == 4 ? high : low + (high - low) * j / 4.0));
            }
            (void)rh_motion_summarise(it.motion);
            (void)rh_motion_residual(it.motion, 0);
            (void)rh_motion_is_unique(it.motion, 0);
            (void)rh_motion_occurrence(it.motion, 0);
        }
        const uint64_t bits = bits_of(&it);
        moving_end(&it);
        if (bits != run_alone(&LIST[k])) {
            fail_msg("%s, method %d: other bits", LIST[k].path, (int)LIST[k].method);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_same_after_others),
        cmocka_unit_test(the_same_beside_others),
        cmocka_unit_test(the_same_from_the_same_equations),
        cmocka_unit_test(looking_changes_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
