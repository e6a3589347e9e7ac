// SPDX-License-Identifier: Apache-2.0
// What the tests of inputs from files share: signals as points, all methods, lists of events.

#pragma once

#include "moving.h"

enum { METHODS = 4 };

static const rh_method METHOD[METHODS] = {RH_METHOD_TAYLOR, RH_METHOD_DOP853, RH_METHOD_CVODE,
                                          RH_METHOD_IDA};
static const char *const METHOD_NAME[METHODS] = {"taylor", "dop853", "cvode", "ida"};
// of x after several time units, at the default tolerance 1e-13
static const double ERROR[METHODS] = {2e-14, 2e-12, 2e-10, 2e-10};

#define POINTS(...)                                                                                \
    (const double[]){__VA_ARGS__}, sizeof((const double[]){__VA_ARGS__}) / sizeof(double) / 2

/// Points as time, value, time, value, ...
typedef struct signal {
    double times[64], values[64];
    rh_feed feed;
} signal;

static inline rh_feed make_signal(signal *out, const char *name, const double *pairs, size_t count)
{
    assert_true(count <= 64);
    for (size_t k = 0; k < count; k++) {
        out->times[k] = pairs[2 * k];
        out->values[k] = pairs[2 * k + 1];
    }
    out->feed = (rh_feed){name, out->times, out->values, count};
    return out->feed;
}

static inline moving begin_with(const char *text, const rh_feed *feeds, size_t count,
                                rh_method method)
{
    const moving_conditions with = {.feeds = feeds, .feed_count = count, .method = method};
    return moving_begin(text, &with);
}

typedef struct expected_event {
    const char *name;
    double time;
} expected_event;

static inline void expect_events(moving *it, const expected_event *expected, size_t count,
                                 double tolerance)
{
    for (size_t k = 0; k < rh_motion_occurrence_count(it->motion) && k < count; k++) {
        const rh_occurrence found = rh_motion_occurrence(it->motion, k);
        assert_string_equal(found.name, expected[k].name);
        assert_near(found.time, expected[k].time, tolerance);
    }
    assert_int_equal(rh_motion_occurrence_count(it->motion), count);
}
