// SPDX-License-Identifier: Apache-2.0
// From the MODEL of a call to a motion at its start, for verbs that look at motions rather than
// show them: without presolve, so that all variables are there by their names.

#include "cli/run.h"

#include <stdlib.h>

static cli_exit make_motion(const cli_options *options, double tolerance, cli_mover *out)
{
    rh_motion_def def = rh_motion_def_default();
    rh_error err = RH_ZERO;
    cli_atols atols;
    if (!cli_atols_read(options, &atols)) {
        return CLI_WRONG_CALL;
    }
    def.tolerance = tolerance;
    def.tolerances = atols.list;
    def.tolerance_count = atols.count;
    def.feeds = out->tables.feeds;
    def.feed_count = out->tables.count;
    def.tier = RH_TIER_INTERPRETED; // it is begun anew again and again
    cli_patience_phase("the motion was prepared");
    const rh_status status = rh_motion_create(out->equations, &def, &out->motion, &err);
    cli_atols_destroy(&atols);
    return cli_talk_status(status, &err);
}

cli_exit cli_mover_load(const cli_options *options, double tolerance, cli_mover *out)
{
    cli_options plain = *options;
    plain.has_no_presolve = true;
    *out = (cli_mover){.model = NULL};
    cli_exit result = cli_model_load(&plain, &out->model);
    if (result == CLI_DONE) {
        result = cli_equations_load(&plain, out->model, &out->equations);
        if (result == CLI_WRONG_MODEL) {
            cli_equations_excuse(&plain, out->equations);
        }
    }
    if (result == CLI_DONE) {
        result = cli_checkup_load_moved(&plain, out->equations, &out->checkup);
    }
    if (result == CLI_DONE) {
        result = cli_tables_load(&plain, out->model, &out->tables);
    }
    return result == CLI_DONE ? make_motion(&plain, tolerance, out) : result;
}

void cli_mover_destroy(cli_mover *mover)
{
    rh_motion_destroy(mover->motion);
    cli_tables_destroy(&mover->tables);
    rh_checkup_destroy(mover->checkup);
    rh_equations_destroy(mover->equations);
    rh_model_destroy(mover->model);
    *mover = (cli_mover){.model = NULL};
}
