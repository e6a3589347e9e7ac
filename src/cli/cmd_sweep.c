// SPDX-License-Identifier: Apache-2.0
// rheonom sweep: many members of one model. What is done goes into OUT.members block by block; when
// all is done it becomes the table. Started by mpirun, process 0 talks and writes for all.

#include "cli/run.h"

#include <limits.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char SUFFIX[] = ".members";

// How the table is written.
typedef enum sweep_table { TABLE_TEXT, TABLE_HDF5, TABLE_STDOUT } sweep_table;

typedef struct sweeping {
    const cli_options *options;
    const cli_request *request;
    rh_ranks *ranks;
    rh_sweep *sweep;
    sweep_table table;
    rh_table_format format;
    long members, seed, jobs, lanes;
    char *record; // NULL: without a name
    cli_patience *patience;
    const char *reason; // why it ends early; NULL: it does not
} sweeping;

// --- the call ------------------------------------------------------------------------------------

static bool read_out(const char *path, sweeping *out)
{
    if (path == NULL) {
        cli_talk("sweep needs a place for its table: --out FILE.csv, FILE.jsonl, FILE.h5, or - for "
                 "CSV on stdout");
        return false;
    }
    const bool is_json = cli_request_has_ending(path, ".jsonl");
    const bool is_hdf5 = cli_request_has_ending(path, ".h5");
    out->table = strcmp(path, "-") == 0 ? TABLE_STDOUT : is_hdf5 ? TABLE_HDF5 : TABLE_TEXT;
    out->format = is_json ? RH_TABLE_JSON_LINES : RH_TABLE_CSV;
    if (out->table == TABLE_STDOUT && out->options->is_json) {
        cli_talk("--json and --out - cannot both have the standard output");
        return false;
    }
    RH_ASSERT(!(is_json && is_hdf5));
    if (out->table == TABLE_STDOUT && out->options->goes_on) {
        cli_talk("--resume needs a file: --out FILE.csv");
        return false;
    }
    if (is_hdf5 && !rh_output_has_hdf5()) {
        cli_talk("%s: this rheonom was built without HDF5; write .csv or .jsonl", path);
        return false;
    }
    if (out->table == TABLE_TEXT && !is_json && !cli_request_has_ending(path, ".csv")) {
        cli_talk("--out wants a name that ends with .csv, .jsonl or .h5, or -, not \"%s\"", path);
        return false;
    }
    return true;
}

static bool read_lanes(const char *text, long *out)
{
    if (text == NULL || strcmp(text, "1") == 0 || strcmp(text, "4") == 0 ||
        strcmp(text, "8") == 0) {
        *out = text == NULL ? 0 : text[0] - '0';
        return true;
    }
    cli_talk("--lanes wants 1, 4 or 8, not \"%s\"", text);
    return false;
}

static bool read_call(sweeping *out)
{
    const cli_options *options = out->options;
    if (options->until == NULL) {
        cli_talk("sweep needs an end: --until T");
        return false;
    }
    return (options->members == NULL ||
            cli_request_count("--members", options->members, 1, 1000000000, &out->members)) &&
           (options->seed == NULL ||
            cli_request_count("--seed", options->seed, 0, LONG_MAX, &out->seed)) &&
           (options->jobs == NULL ||
            cli_request_count("--jobs", options->jobs, 1, 1024, &out->jobs)) &&
           read_lanes(options->lanes, &out->lanes) && read_out(options->out, out);
}

static bool name_record(sweeping *s)
{
    RH_ASSERT(s->record == NULL && s->options->out != NULL);
    const char *path = s->options->out;
    if (s->table == TABLE_STDOUT) {
        return true;
    }
    s->record = malloc(strlen(path) + sizeof SUFFIX);
    if (s->record == NULL) {
        cli_talk_memory();
        return false;
    }
    memcpy(s->record, path, strlen(path));
    memcpy(s->record + strlen(path), SUFFIX, sizeof SUFFIX);
    return true;
}

// --- the table -----------------------------------------------------------------------------------

// Can the table be written at all?
static cli_exit try_table(const sweeping *s)
{
    const bool is_ours = s->table != TABLE_STDOUT && rh_ranks_own(s->ranks) == 0;
    return !is_ours || cli_request_can_write(s->options->out) ? CLI_DONE : CLI_WRONG_CALL;
}

static rh_status write_file(const sweeping *s, rh_error *err)
{
    rh_file *file = NULL;
    rh_status status = rh_file_begin(s->options->out, &file, err);
    if (status != RH_OK) {
        return status;
    }
    status = rh_output_members(s->sweep, s->format, rh_file_sink(file), err);
    rh_error reason = RH_ZERO;
    const rh_status ended = rh_file_end(file, status == RH_OK || status == RH_E_WRITE, &reason);
    if (ended != RH_OK) {
        *err = reason;
    }
    return ended != RH_OK ? ended : status;
}

static cli_exit write_table(const sweeping *s)
{
    rh_error err = RH_ZERO;
    const rh_status status =
        s->table == TABLE_STDOUT ? rh_output_members(s->sweep, s->format, cli_outlet_data(), &err)
        : s->table == TABLE_HDF5 ? rh_output_members_hdf5(s->sweep, s->options->out, &err)
                                 : write_file(s, &err);
    if (status != RH_OK && s->table != TABLE_STDOUT) {
        cli_talk("%s; the members are kept in %s", err.message, s->record);
    }
    return status == RH_OK ? CLI_DONE : CLI_STOPPED;
}

// The exit code of the first failure, as `run` ends with it: a member that did not begin has a
// wrong model.
static cli_exit judge_failures(const sweeping *s, uint64_t failed)
{
    rh_error err = RH_ZERO;
    rh_sweep_member member = RH_ZERO;
    bool is_there = true;
    rh_status status = RH_OK;
    if (failed == 0 || failed < rh_sweep_member_count(s->sweep)) {
        return CLI_DONE;
    }
    rh_sweep_rewind(s->sweep);
    status = rh_sweep_next(s->sweep, &member, &is_there, &err);
    return status != RH_OK                  ? cli_talk_status(status, &err)
           : is_there && isnan(member.time) ? CLI_WRONG_MODEL
                                            : CLI_STOPPED;
}

static cli_exit show(const sweeping *s)
{
    static const rh_sink NOWHERE = {NULL, NULL};
    rh_error err = RH_ZERO;
    uint64_t failed = 0;
    const rh_format format = s->options->is_json ? RH_FORMAT_JSON : RH_FORMAT_TEXT;
    const rh_sink sink = s->table == TABLE_STDOUT ? NOWHERE : cli_outlet_data();
    const rh_status status = rh_output_sweep(s->sweep, format, sink, &failed, &err);
    if (failed > 0 && !s->options->is_quiet) {
        cli_talk("%llu of %llu members failed; the columns `code` and `reason` say why",
                 (unsigned long long)failed, (unsigned long long)rh_sweep_member_count(s->sweep));
    }
    return status == RH_OK ? judge_failures(s, failed) : cli_talk_status(status, &err);
}

// --- running -------------------------------------------------------------------------------------

static bool go_on(void *user, uint64_t done, uint64_t count)
{
    sweeping *s = user;
    s->reason = cli_patience_count(s->patience, done, count);
    return s->reason == NULL;
}

static cli_exit finish(const sweeping *s, uint64_t done)
{
    const uint64_t count = rh_sweep_member_count(s->sweep);
    if (done < count) {
        cli_talk("the sweep ends after %llu of %llu members: %s%s", (unsigned long long)done,
                 (unsigned long long)count, s->reason != NULL ? s->reason : "nobody knows why",
                 s->record != NULL ? "; go on with --resume" : "");
        return CLI_STOPPED;
    }
    cli_exit result = write_table(s);
    if (result == CLI_DONE) {
        result = show(s);
        rh_sweep_forget(s->sweep);
    }
    return result;
}

static cli_exit run(sweeping *s)
{
    rh_error err = RH_ZERO;
    uint64_t done = 0;
    rh_sweep_run_def def = rh_sweep_run_def_default();
    def.record = s->record;
    def.is_resumed = s->options->goes_on;
    def.go_on = go_on;
    def.user = s;
    if (rh_ranks_own(s->ranks) == 0) {
        cli_patience_keep();
    }
    cli_patience_phase("members were run");
    const rh_status status = rh_sweep_run(s->sweep, &def, &done, &err);
    const char *reason = rh_sweep_tier_reason(s->sweep);
    cli_patience_end(s->patience);
    if (reason[0] != '\0') {
        cli_talk("members were interpreted: %s", reason);
    }
    if (status != RH_OK) {
        cli_talk("%s", err.message);
        return status == RH_E_ARGUMENT || (status == RH_E_WRITE && done == 0) ? CLI_WRONG_CALL
                                                                              : CLI_STOPPED;
    }
    return rh_ranks_own(s->ranks) == 0 ? finish(s, done) : CLI_DONE;
}

static rh_sweep_def describe(const sweeping *s, const cli_intake *text, const cli_tables *tables)
{
    const cli_options *options = s->options;
    rh_sweep_def def = rh_sweep_def_default();
    def.thread_count = (uint32_t)s->jobs;
    def.lane_count = (uint32_t)s->lanes;
    def.model.name = text->name;
    def.model.text = text->data;
    def.model.text_size = text->size;
    def.model.set = options->set;
    def.model.set_count = options->set_count;
    def.model.start = options->start;
    def.model.start_count = options->start_count;
    def.model.by = options->by;
    def.model.by_count = options->by_count;
    def.equations.has_presolve = !options->has_no_presolve;
    def.equations.is_start_repaired = options->has_repair;
    def.motion.tolerance = s->request->tolerance;
    def.motion.tolerances = s->request->atols.list;
    def.motion.tolerance_count = s->request->atols.count;
    def.motion.method = s->request->method;
    def.motion.tier = s->request->tier;
    def.motion.feeds = tables->feeds;
    def.motion.feed_count = tables->count;
    def.until = s->request->until;
    def.grids = options->grid;
    def.grid_count = options->grid_count;
    def.randoms = options->random;
    def.random_count = options->random_count;
    def.draws = (uint64_t)s->members;
    def.seed = (uint64_t)s->seed;
    def.observe = options->observe;
    def.ranks = s->ranks;
    return def;
}

static cli_exit plan(sweeping *s, const cli_intake *text, const cli_tables *tables)
{
    rh_error err = RH_ZERO;
    const rh_sweep_def def = describe(s, text, tables);
    const rh_status status = rh_sweep_create(&def, &s->sweep, &err);
    if (status == RH_E_MODEL && s->sweep != NULL) {
        return cli_model_show(rh_sweep_model(s->sweep), s->options, text->name);
    }
    return cli_talk_status(status, &err);
}

static cli_exit sweep_text(sweeping *s, const cli_intake *text)
{
    rh_model *model = NULL;
    cli_tables tables = {.count = 0};
    cli_exit result = cli_model_make(text, s->options, &model);
    if (result == CLI_DONE) {
        result = cli_tables_load(s->options, model, &tables);
    }
    if (result == CLI_DONE) {
        result = plan(s, text, &tables);
    }
    if (result == CLI_DONE) {
        result = try_table(s);
    }
    if (result == CLI_DONE) {
        result = run(s);
    }
    rh_sweep_destroy(s->sweep);
    cli_tables_destroy(&tables);
    rh_model_destroy(model);
    return result;
}

// --- processes -----------------------------------------------------------------------------------

// Process 0 speaks for all, and hears signals for all.
static cli_exit fall_silent(const sweeping *s)
{
    if (rh_ranks_count(s->ranks) > 1 && strcmp(s->options->subject, "-") == 0) {
        cli_talk("several processes cannot read one standard input: give the MODEL as a file");
        return CLI_WRONG_CALL;
    }
    if (rh_ranks_own(s->ranks) != 0) {
        (void)signal(SIGINT, SIG_IGN);
        (void)signal(SIGTERM, SIG_IGN);
        if (freopen("/dev/null", "w", stdout) == NULL ||
            freopen("/dev/null", "w", stderr) == NULL) {
            return CLI_STOPPED;
        }
    }
    return CLI_DONE;
}

static cli_exit sweep_request(sweeping *s)
{
    rh_error err = RH_ZERO;
    cli_intake text = {.data = NULL};
    cli_exit result = cli_talk_status(rh_ranks_create(&s->ranks, &err), &err);
    if (result == CLI_DONE) {
        result = fall_silent(s);
    }
    if (result == CLI_DONE) {
        result = cli_model_read(s->options->subject, &text);
    }
    if (result == CLI_DONE) {
        result = sweep_text(s, &text);
    }
    free(text.data);
    rh_ranks_destroy(s->ranks);
    return result;
}

cli_exit cli_sweep(const cli_options *options)
{
    cli_request request;
    cli_options without = *options; // the table is another one here
    without.out = NULL;
    sweeping s = {.options = options, .request = &request};
    if (!read_call(&s) || !cli_request_read(&without, &request)) {
        return CLI_WRONG_CALL;
    }
    cli_patience patience = cli_patience_begin(options, request.time_limit);
    s.patience = &patience;
    const cli_exit result = name_record(&s) ? sweep_request(&s) : CLI_STOPPED;
    free(s.record);
    cli_request_destroy(&request);
    return result;
}
