// SPDX-License-Identifier: Apache-2.0
// rheonom orbit: a periodic orbit near the start, its period and its multipliers; with --continue
// the branch that it lies on (following.c).

#include "cli/run.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TOLERANCE 1e-15 // of the motion, unless --tol says otherwise
#define BESIDE 1e-6     // of the range of --continue: beside 0

static bool read_call(const cli_options *options, rh_orbit_def *out)
{
    *out = rh_orbit_def_default();
    out->free = options->free;
    out->symmetry = options->symmetry;
    out->is_period_fixed = options->is_period_fixed;
    out->has_whole_steps = options->has_whole_steps;
    // what is no number is a formula of parameters
    char *end = NULL;
    const double period = options->period != NULL ? strtod(options->period, &end) : 0.0;
    out->is_period_asked = end != NULL && *end != '\0';
    out->period = out->is_period_asked ? 0.0 : period;
    if (options->period != NULL && !out->is_period_asked && !(period > 0.0 && isfinite(period))) {
        cli_talk("--period wants a positive time, not %s", options->period);
        return false;
    }
    if (options->plot != NULL && !cli_request_has_ending(options->plot, ".svg")) {
        cli_talk("--plot wants a name that ends with .svg, not \"%s\"", options->plot);
        return false;
    }
    return cli_branch_out(options, "branch") && cli_request_can_write(options->out) &&
           cli_request_can_write(options->plot);
}

// --- the picture ---------------------------------------------------------------------------------

static rh_status follow(cli_mover *on, cli_picture *picture, double end, double *row, rh_error *err)
{
    rh_stop stop = RH_STOP_NONE;
    rh_status status = rh_motion_row(on->motion, rh_motion_time(on->motion), row, err);
    if (status == RH_OK) {
        cli_picture_keep(picture, row);
    }
    while (status == RH_OK && stop == RH_STOP_NONE) {
        const double before = rh_motion_time(on->motion);
        double moment = 0.0;
        status = rh_motion_step(on->motion, end, &stop, err);
        while (status == RH_OK &&
               cli_moments_pass(&picture->moments, rh_motion_time(on->motion), &moment)) {
            if (moment > before) {
                status = rh_motion_row(on->motion, moment, row, err);
                cli_picture_keep(picture, row);
            }
        }
    }
    return status;
}

// Once round, over time.
static cli_exit draw(const cli_options *options, cli_mover *on, rh_orbit *orbit)
{
    const rh_orbit_summary summary = rh_orbit_summarise(orbit);
    rh_error err = RH_ZERO;
    cli_picture picture;
    if (options->plot == NULL || summary.outcome != RH_ORBIT_FOUND) {
        return CLI_DONE;
    }
    rh_status status = rh_orbit_rewind(orbit, &err);
    if (status != RH_OK) {
        return cli_talk_status(status, &err);
    }
    const double end = rh_motion_time(on->motion) + summary.period;
    const cli_exit begun = cli_picture_begin(options->plot, on->motion, end, &picture);
    if (begun != CLI_DONE) {
        return begun;
    }
    double *row = calloc(rh_motion_column_count(on->motion) + 1, sizeof *row);
    status = row != NULL ? follow(on, &picture, end, row, &err) : RH_E_MEMORY;
    free(row);
    const cli_exit moved = cli_talk_status(status, &err);
    const cli_exit drawn = cli_picture_end(&picture, on->model, on->motion, status == RH_OK);
    return cli_worse(moved, drawn);
}

// --- the orbit -----------------------------------------------------------------------------------

static cli_exit tell(const cli_options *options, const rh_orbit *orbit)
{
    const rh_orbit_summary summary = rh_orbit_summarise(orbit);
    rh_error err = RH_ZERO;
    const rh_format format = options->is_json ? RH_FORMAT_JSON : RH_FORMAT_TEXT;
    const cli_exit shown =
        cli_talk_status(rh_output_orbit(orbit, format, cli_outlet_data(), &err), &err);
    if (summary.outcome == RH_ORBIT_FAILED) {
        cli_talk("no orbit was found: %s", summary.reason);
        return cli_worse(shown, CLI_STOPPED);
    }
    if (summary.outcome == RH_ORBIT_EQUILIBRIUM) {
        cli_talk("no orbit was found: the search fell onto a point of rest; an orbit needs another "
                 "start, or a period to begin with");
        return cli_worse(shown, CLI_STOPPED);
    }
    return shown;
}

// The branch through an orbit that was found; other answers are told as they are.
static cli_exit go_on(const cli_options *options, const cli_branch_range *range, cli_mover *on,
                      rh_orbit *orbit, cli_patience *patience)
{
    if (range == NULL || rh_orbit_summarise(orbit).outcome != RH_ORBIT_FOUND) {
        const cli_exit told = tell(options, orbit);
        return cli_worse(told, range == NULL ? draw(options, on, orbit) : CLI_DONE);
    }
    return cli_branch_follow(options, range, on, orbit, patience);
}

static cli_exit search(const cli_options *options, const rh_orbit_def *def,
                       const cli_branch_range *range)
{
    rh_orbit *orbit = NULL;
    rh_error err = RH_ZERO;
    double tolerance = TOLERANCE;
    double limit = 0.0;
    cli_mover on;
    cli_options asking = *options;
    asking.asked = def->is_period_asked ? options->period : NULL;
    asking.asked_name = "--period";
    if (!cli_time_limit_read(options, &limit)) {
        return CLI_WRONG_CALL;
    }
    cli_patience patience = cli_patience_begin(options, limit);
    if (options->tolerance != NULL && !cli_tolerance_read(options->tolerance, &tolerance)) {
        return CLI_WRONG_CALL;
    }
    cli_exit result = cli_mover_load(&asking, tolerance, &on);
    if (result == CLI_DONE) {
        rh_orbit_def patient = *def;
        patient.interrupt = cli_patience_ask;
        patient.user = &patience;
        cli_patience_keep();
        cli_patience_phase("an orbit was sought");
        const rh_status status = rh_orbit_create(on.motion, &patient, &orbit, &err);
        result = cli_talk_status(status, &err);
        result = status == RH_E_ARGUMENT ? CLI_WRONG_CALL : result;
    }
    if (result == CLI_DONE) {
        result = go_on(options, range, &on, orbit, &patience);
    }
    rh_orbit_destroy(orbit);
    cli_mover_destroy(&on);
    return result;
}

// Where a parameter is exactly 0 terms vanish and other equations hold: a branch ends just beside
// it.
static void keep_from_zero(const cli_options *options, cli_branch_range *range)
{
    const double beside = BESIDE * (range->from + range->to);
    const bool is_zero = range->from == 0.0 || range->to == 0.0;
    range->from = range->from == 0.0 ? beside : range->from;
    range->to = range->to == 0.0 ? beside : range->to;
    if (is_zero && !options->is_quiet) {
        cli_talk("at %s = 0 other equations may hold: the branch keeps %.3g away from it",
                 range->name, beside);
    }
}

// The parameter begins as the last setting, by which it is changed later.
static cli_exit search_branch(const cli_options *options, const rh_orbit_def *def)
{
    cli_branch_range range;
    char setting[160];
    cli_options with = *options;
    if (!cli_branch_read(options->branch_of, &range)) {
        return CLI_WRONG_CALL;
    }
    keep_from_zero(options, &range);
    const char **set = calloc(options->set_count + 1, sizeof *set);
    if (set == NULL) {
        cli_talk_memory();
        return CLI_STOPPED;
    }
    (void)snprintf(setting, sizeof setting, "%s=%.17g", range.name, range.from);
    memcpy(set, options->set, options->set_count * sizeof *set);
    set[options->set_count] = setting;
    with.set = set;
    with.set_count = options->set_count + 1;
    with.last_set_name = "--continue";
    const cli_exit result = search(&with, def, &range);
    free(set);
    return result;
}

cli_exit cli_orbit(const cli_options *options)
{
    rh_orbit_def def;
    if (!read_call(options, &def)) {
        return CLI_WRONG_CALL;
    }
    return options->branch_of != NULL ? search_branch(options, &def) : search(options, &def, NULL);
}
