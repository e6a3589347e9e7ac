// SPDX-License-Identifier: Apache-2.0
// What the tests of `sweep` share: a sweep of a text, run to its end.

#pragma once

#include "support.h"

#include "rheonom/sweep.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static inline rh_sweep_def sweeping_def(const char *text)
{
    rh_sweep_def def = rh_sweep_def_default();
    def.model.text = text;
    def.model.text_size = strlen(text);
    def.until = 1.0;
    def.thread_count = 2;
    return def;
}

/// Run it; all members must be there.
static inline rh_sweep *sweeping_run(const rh_sweep_def *def)
{
    rh_sweep *sweep = NULL;
    rh_error err = {.message = ""};
    uint64_t done = 0;
    if (rh_sweep_create(def, &sweep, &err) != RH_OK) {
        fail_msg("%s", err.message);
    }
    const rh_sweep_run_def run = rh_sweep_run_def_default();
    if (rh_sweep_run(sweep, &run, &done, &err) != RH_OK) {
        fail_msg("%s", err.message);
    }
    assert_int_equal(done, rh_sweep_member_count(sweep));
    return sweep;
}

/// The next member; there must be one.
static inline rh_sweep_member sweeping_next(rh_sweep *sweep)
{
    rh_sweep_member member;
    rh_error err;
    bool is_there = false;
    assert_int_equal(rh_sweep_next(sweep, &member, &is_there, &err), RH_OK);
    assert_true(is_there);
    return member;
}
