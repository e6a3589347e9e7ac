// SPDX-License-Identifier: Apache-2.0
// run --reverse: from the end of a motion back with reversed velocities, for as long as it took. A
// second motion of the same equations does it; at its making it stands at the start.

#include "cli/run.h"

#include <stdio.h>
#include <stdlib.h>

// RH_E_LIMIT when somebody wants it to end, RH_E_MODEL when the motion ends before its time; `err`
// has the reason.
static rh_status go_back(rh_motion *back, double until, cli_patience *patience, rh_error *err)
{
    rh_stop stop = RH_STOP_NONE;
    const double from = rh_motion_time(back);
    const double whole = until > from ? until - from : 1.0;
    const char *given_up = NULL;
    while (stop == RH_STOP_NONE && given_up == NULL) {
        const rh_status status = rh_motion_step(back, until, &stop, err);
        if (status != RH_OK) {
            return status;
        }
        const double now = rh_motion_time(back);
        given_up =
            stop == RH_STOP_NONE ? cli_patience_check(patience, (now - from) / whole, now) : NULL;
    }
    cli_patience_end(patience);
    if (stop == RH_STOP_REACHED) {
        return RH_OK;
    }
    const char *reason = given_up != NULL        ? given_up
                         : stop == RH_STOP_EVENT ? "an event stops the motion"
                                                 : rh_motion_reason(back);
    *err = (rh_error){.status = given_up != NULL ? RH_E_LIMIT : RH_E_MODEL};
    (void)snprintf(err->message, sizeof err->message, "the way back ends after %.10g: %.180s",
                   rh_motion_time(back) - from, reason);
    return err->status;
}

// Reverse and move.
static rh_status try_back(rh_motion *there, rh_motion *back, cli_patience *patience,
                          cli_reversal *out, rh_error *err)
{
    rh_status status = rh_motion_turn(back, there, err);
    const double now = rh_motion_time(there);
    if (status == RH_OK) {
        status = go_back(back, now + (now - out->start[0]), patience, err);
    }
    return status == RH_OK ? rh_motion_row(back, rh_motion_time(back), out->end, err) : status;
}

static rh_status find_verdict(double tolerance, rh_motion *there, rh_motion *back,
                              cli_patience *patience, cli_reversal *out, rh_error *err)
{
    rh_status status = rh_motion_row(back, rh_motion_time(back), out->start, err);
    if (status != RH_OK) {
        return status;
    }
    rh_error why = RH_ZERO;
    status = try_back(there, back, patience, out, &why);
    if (status != RH_OK && status != RH_E_MODEL) {
        *err = why;
        return status;
    }
    const double *end = status == RH_OK ? out->end : NULL;
    status =
        rh_reversal_judge(there, out->start, end, tolerance, out->differences, &out->verdict, err);
    if (end == NULL && out->verdict.reason[0] == '\0') {
        (void)snprintf(out->verdict.reason, sizeof out->verdict.reason, "%.198s", why.message);
    }
    return status;
}

cli_exit cli_reversal_run(const cli_request *request, rh_equations *equations, rh_motion *there,
                          cli_patience *patience, cli_reversal *out)
{
    const size_t width = rh_motion_column_count(there);
    *out = (cli_reversal){.start = calloc(width, sizeof *out->start),
                          .end = calloc(width, sizeof *out->end),
                          .differences = calloc(width, sizeof *out->differences)};
    if (out->start == NULL || out->end == NULL || out->differences == NULL) {
        cli_talk_memory();
        return CLI_STOPPED;
    }
    rh_motion_def def = rh_motion_def_default();
    def.tolerance = request->tolerance;
    def.tolerances = request->atols.list;
    def.tolerance_count = request->atols.count;
    def.method = request->method;
    def.tier = request->tier;
    def.step = request->step;
    rh_motion *back = NULL;
    rh_error err = RH_ZERO;
    rh_status status = rh_motion_create(equations, &def, &back, &err);
    if (status == RH_OK) {
        status = find_verdict(request->tolerance, there, back, patience, out, &err);
    }
    rh_motion_destroy(back);
    return cli_talk_status(status, &err);
}

void cli_reversal_destroy(cli_reversal *reversal)
{
    free(reversal->start);
    free(reversal->end);
    free(reversal->differences);
}
