// SPDX-License-Identifier: Apache-2.0
// Laws of program constraints along a run: steps of one length may not be too long for them.

#include "cli/run.h"

#include <math.h>

#define NEAR_LIMIT 0.6 // share of the limit from which on it is said

// How a step stands to its limit now: false when it is beyond it. Said once when it is near.
static rh_status measure(cli_laws *laws, rh_motion *motion, double *out, rh_error *err)
{
    *out = 0.0;
    return laws->program != NULL && laws->step > 0.0
               ? rh_program_step_share(laws->program, motion, laws->method, laws->step, out, err)
               : RH_OK;
}

cli_exit cli_laws_begin(const cli_options *options, const cli_request *request,
                        rh_equations *equations, rh_motion *motion, cli_laws *out)
{
    rh_program_def def = rh_program_def_default();
    rh_error err = RH_ZERO;
    double share = 0.0;
    def.is_brief = true;
    *out = (cli_laws){.is_quiet = options->is_quiet};
    if (rh_program_create(equations, &def, &out->program, &err) != RH_OK) {
        return CLI_DONE; // there are none, or more than it can judge: a motion needs no verdict
    }
    out->is_moving = rh_program_summarise(out->program).kind != RH_PROGRAM_CONSTANT;
    if (request->method >= RH_METHOD_EULER) {
        out->method = (rh_program_method)(request->method - RH_METHOD_EULER);
        out->step = request->step;
    }
    const rh_status status = measure(out, motion, &share, &err);
    if (status != RH_OK) {
        return cli_talk_status(status, &err);
    }
    if (share > 1.0) {
        cli_talk("steps of %.6g are too long: with %s the deviations from the program grow from "
                 "%.6g on; take shorter ones, or a method that chooses them",
                 out->step, options->method, out->step / share);
        return CLI_WRONG_CALL;
    }
    out->largest = share;
    return CLI_DONE;
}

const char *cli_laws_check(cli_laws *laws, rh_motion *motion)
{
    double share = 0.0;
    if (!laws->is_moving || measure(laws, motion, &share, NULL) != RH_OK) {
        return NULL;
    }
    laws->largest = fmax(laws->largest, share);
    return share > 1.0 ? "its steps are too long here: the deviations from the program would grow"
                       : NULL;
}

void cli_laws_end(cli_laws *laws)
{
    if (laws->largest > NEAR_LIMIT && !laws->is_quiet) {
        cli_talk(
            "warning: steps of %.6g come to %.0f %% of what the laws of the program allow with "
            "%s",
            laws->step, 100.0 * laws->largest, rh_program_method_text(laws->method));
    }
    rh_program_destroy(laws->program);
    laws->program = NULL;
}
