// SPDX-License-Identifier: Apache-2.0
// rheonom run: the motion of a model, step by step. Rows go to the table while it moves; what was
// computed is kept, whatever ends it.

#include "cli/run.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct run {
    const cli_options *options;
    const cli_request *request;
    const rh_model *model;
    const rh_checkup *checkup;
    const cli_tables *tables;
    rh_equations *equations;
    rh_motion *motion;
    rh_work *work; // NULL: nobody wants it
    double time_start;
    double *row; // all columns
    size_t width;
    rh_table_writer *table; // NULL: nobody wants one
    cli_moments table_moments;
    bool is_by_steps; // the table has a row for each step
    double time_written;
    cli_moments at_moments;
    size_t at_skipped; // that lie before what was resumed
    double *at_rows;
    cli_picture picture;
    cli_checkpoint checkpoint;
    cli_patience *patience;
    cli_laws laws;
    cli_reversal reversal;
    bool is_reversed; // there is a verdict on the way back
    rh_stop stop;
    const char *reason; // why the program gave up; NULL: it did not
    rh_error err;       // of the first failed call
    rh_status status;
} run;

// --- rows --------------------------------------------------------------------------------------

static bool look(run *r, double time)
{
    r->status = rh_motion_row(r->motion, time, r->row, &r->err);
    return r->status == RH_OK;
}

static bool add_work(run *r)
{
    r->status = r->work != NULL ? rh_work_add(r->work, &r->err) : RH_OK;
    return r->status == RH_OK;
}

static bool write_row(run *r, double time)
{
    if (look(r, time)) {
        r->status = rh_table_writer_row(r->table, r->row, &r->err);
        r->time_written = time;
    }
    return r->status == RH_OK;
}

// A step may have been taken back: what is written stays, and is not written twice.
static bool write_steps(run *r)
{
    const double now = rh_motion_time(r->motion);
    return !r->is_by_steps || !(now > r->time_written) || write_row(r, now);
}

// Everything that is to be seen up to the present time.
static bool look_around(run *r)
{
    const double now = rh_motion_time(r->motion);
    const double before = rh_motion_time_before(r->motion);
    double moment = 0.0;
    bool is_fine = add_work(r) && write_steps(r);
    while (is_fine && cli_moments_pass(&r->table_moments, now, &moment)) {
        is_fine = write_row(r, fmax(moment, before));
    }
    while (is_fine && cli_moments_pass(&r->at_moments, now, &moment)) {
        is_fine = look(r, fmax(moment, before));
        for (size_t k = 0; is_fine && k < r->width; k++) {
            r->at_rows[(r->at_moments.next - 1) * r->width + k] = r->row[k];
        }
    }
    while (is_fine && cli_moments_pass(&r->picture.moments, now, &moment)) {
        is_fine = look(r, fmax(moment, before));
        if (is_fine) {
            cli_picture_keep(&r->picture, r->row);
        }
    }
    return is_fine;
}

// --- moving ------------------------------------------------------------------------------------

static double share_of(const run *r)
{
    const double whole = r->request->until - r->time_start;
    return whole > 0.0 ? (rh_motion_time(r->motion) - r->time_start) / whole : 1.0;
}

static bool leave_checkpoint(run *r)
{
    r->status = cli_checkpoint_pass(&r->checkpoint, r->motion, false, &r->err);
    if (r->status != RH_OK) {
        r->checkpoint.path = NULL; // it is said once
    }
    return r->status == RH_OK;
}

static void move(run *r)
{
    r->stop = RH_STOP_NONE;
    bool is_fine = look_around(r);
    while (is_fine && r->stop == RH_STOP_NONE && r->reason == NULL) {
        r->status = rh_motion_step(r->motion, r->request->until, &r->stop, &r->err);
        is_fine = r->status == RH_OK && look_around(r) && leave_checkpoint(r);
        if (r->stop == RH_STOP_NONE) {
            r->reason = cli_patience_check(r->patience, share_of(r), rh_motion_time(r->motion));
            r->reason = r->reason == NULL ? cli_laws_check(&r->laws, r->motion) : r->reason;
        }
    }
    if (!is_fine) {
        r->stop = RH_STOP_NONE;
        r->reason = r->err.message;
    }
    // the end of a motion that ends early is drawn too
    if (is_fine && r->picture.file != NULL && r->stop != RH_STOP_REACHED &&
        look(r, rh_motion_time(r->motion))) {
        cli_picture_keep(&r->picture, r->row);
    }
    cli_patience_end(r->patience);
}

// --- beginning and ending ----------------------------------------------------------------------

static cli_exit reserve(run *r)
{
    const cli_request *request = r->request;
    r->width = rh_motion_column_count(r->motion);
    r->row = calloc(r->width, sizeof *r->row);
    if (request->at != NULL) {
        r->at_rows = calloc(request->at_count * r->width, sizeof *r->at_rows);
    }
    if (r->row == NULL || (request->at != NULL && r->at_rows == NULL)) {
        cli_talk_memory();
        return CLI_STOPPED;
    }
    if (request->at != NULL) {
        r->at_moments = (cli_moments){.list = request->at, .count = request->at_count};
    }
    return CLI_DONE;
}

static cli_exit begin_table(run *r)
{
    const cli_request *request = r->request;
    if (!request->has_table) {
        return CLI_DONE;
    }
    const char **names = calloc(r->width, sizeof *names);
    if (names == NULL) {
        cli_talk_memory();
        return CLI_STOPPED;
    }
    for (size_t k = 0; k < r->width; k++) {
        names[k] = rh_motion_column_name(r->motion, k);
    }
    rh_table_def def = rh_table_def_default();
    def.format = request->format;
    def.path = request->is_table_data ? NULL : r->options->out;
    def.sink = cli_outlet_data();
    def.columns = names;
    def.column_count = r->width;
    const rh_status status = rh_table_writer_begin(&def, &r->table, &r->err);
    free(names);
    if (status == RH_E_WRITE) {
        cli_talk("%s", r->err.message);
        return CLI_WRONG_CALL;
    }
    r->is_by_steps = request->at == NULL && request->point_count == 0;
    r->time_written = -INFINITY;
    r->table_moments =
        (cli_moments){.first = r->time_start,
                      .last = request->until,
                      .list = request->at,
                      .count = request->at != NULL ? request->at_count : request->point_count};
    return cli_talk_status(status, &r->err);
}

// The table is whole when the motion came to its own end.
static cli_exit end_table(run *r, const char *reason)
{
    rh_error err = RH_ZERO;
    const rh_status status = rh_table_writer_end(
        r->table, reason == NULL ? RH_TABLE_COMPLETE : RH_TABLE_INTERRUPTED, reason, &err);
    r->table = NULL;
    // a failure that ended the motion has been said, but not where what could be written is
    const bool is_said = r->status != RH_OK && strcmp(err.message, r->err.message) == 0;
    if (status != RH_OK && !is_said && !r->request->is_table_data) {
        cli_talk("%s", err.message);
    }
    return status == RH_OK ? CLI_DONE : CLI_STOPPED;
}

// Whatever ended the motion, it can go on from here.
static cli_exit end_checkpoint(run *r)
{
    rh_error err = RH_ZERO;
    const rh_status status = cli_checkpoint_pass(&r->checkpoint, r->motion, true, &err);
    if (status != RH_OK) {
        cli_talk("%s", err.message);
    }
    return status == RH_OK ? CLI_DONE : CLI_STOPPED;
}

static cli_exit show(run *r)
{
    if (r->request->is_table_data) {
        return CLI_DONE;
    }
    rh_outcome_def def = rh_outcome_def_default();
    def.stop = r->stop;
    def.motion = r->motion;
    def.checkup = r->checkup;
    def.time_start = r->time_start;
    def.tolerance = r->request->tolerance;
    def.reason = r->reason;
    def.rows = r->at_rows != NULL ? r->at_rows + r->at_skipped * r->width : NULL;
    def.row_count = r->at_moments.next - r->at_skipped;
    def.work = r->work;
    def.reversal = r->is_reversed ? &r->reversal.verdict : NULL;
    def.program = r->laws.program;
    rh_error err = RH_ZERO;
    const rh_format format = r->options->is_json ? RH_FORMAT_JSON : RH_FORMAT_TEXT;
    return cli_talk_status(rh_output_outcome(&def, format, cli_outlet_data(), &err), &err);
}

// Say what ended the motion too early: NULL when nothing did.
static const char *lament(const run *r)
{
    const char *reason = r->stop == RH_STOP_FAILED ? rh_motion_reason(r->motion) : r->reason;
    if (reason != NULL) {
        cli_talk("the motion ends at t = %.10g instead of %.10g: %s", rh_motion_time(r->motion),
                 r->request->until, reason);
    }
    return reason;
}

// Only of a motion that came to its own end.
static cli_exit go_back(run *r)
{
    if (!r->options->is_reversed || (r->stop != RH_STOP_REACHED && r->stop != RH_STOP_EVENT)) {
        return CLI_DONE;
    }
    const cli_exit result =
        cli_reversal_run(r->request, r->equations, r->motion, r->patience, &r->reversal);
    r->is_reversed = result == CLI_DONE;
    return result;
}

static cli_exit begin_checkpoint(run *r)
{
    const cli_exit result = cli_checkpoint_begin(r->options, r->request, r->motion, &r->checkpoint);
    const double now = rh_motion_time(r->motion);
    if (result == CLI_DONE && r->request->until < now) {
        cli_talk("the checkpoint is at t = %.10g, and --until %.10g is before it", now,
                 r->request->until);
        return CLI_WRONG_CALL;
    }
    return result;
}

// What lies before a checkpoint was seen by those who wrote it.
static void skip_seen(run *r)
{
    const double now = rh_motion_time(r->motion);
    if (r->options->resume != NULL) {
        (void)cli_moments_skip(&r->table_moments, now);
        (void)cli_moments_skip(&r->picture.moments, now);
        r->at_skipped = cli_moments_skip(&r->at_moments, now);
        r->time_written = now;
    }
}

static cli_exit move_and_tell(run *r)
{
    cli_exit result = reserve(r);
    if (result == CLI_DONE) {
        result = begin_checkpoint(r);
    }
    if (result == CLI_DONE && r->options->has_work) {
        result = cli_talk_status(rh_work_create(r->motion, &r->work, &r->err), &r->err);
    }
    if (result == CLI_DONE) {
        result = cli_picture_begin(r->options->plot, r->motion, r->request->until, &r->picture);
    }
    if (result == CLI_DONE) {
        result = begin_table(r);
    }
    if (result != CLI_DONE) {
        (void)cli_picture_end(&r->picture, r->model, r->motion, false);
        return result;
    }
    skip_seen(r);
    move(r);
    const char *reason = lament(r);
    result = reason == NULL ? CLI_DONE : CLI_STOPPED;
    result = cli_worse(result, end_table(r, reason));
    result = cli_worse(result, end_checkpoint(r));
    result = cli_worse(result, go_back(r));
    result = cli_worse(result, cli_picture_end(&r->picture, r->model, r->motion, true));
    return cli_worse(result, show(r));
}

static cli_exit make_motion(run *r, rh_equations *equations)
{
    rh_motion_def def = rh_motion_def_default();
    def.tolerance = r->request->tolerance;
    def.tolerances = r->request->atols.list;
    def.tolerance_count = r->request->atols.count;
    def.method = r->request->method;
    def.tier = r->request->tier;
    def.step = r->request->step;
    def.feeds = r->tables->feeds;
    def.feed_count = r->tables->count;
    cli_patience_phase("the motion was prepared");
    const rh_status status = rh_motion_create(equations, &def, &r->motion, &r->err);
    cli_patience_phase("the motion was computed");
    if (status == RH_E_UNAVAILABLE && r->options->method != NULL) {
        cli_talk("method %s is not built yet", r->options->method);
        return CLI_WRONG_CALL;
    }
    cli_exit result = cli_talk_status(status, &r->err);
    if (status == RH_E_MODEL && r->options->is_json) {
        rh_error err = RH_ZERO;
        result = cli_worse(
            result,
            cli_talk_status(rh_output_refusal(r->model, &r->err, cli_outlet_data(), &err), &err));
    }
    if (result == CLI_DONE && r->options->is_reversed) {
        result = cli_talk_status(rh_motion_can_turn(r->motion, &r->err), &r->err);
    }
    return result;
}

static cli_exit run_motion(run *r, rh_equations *equations)
{
    r->equations = equations;
    cli_exit result = make_motion(r, equations);
    if (result != CLI_DONE) {
        rh_motion_destroy(r->motion);
        return result;
    }
    r->time_start = rh_motion_time(r->motion);
    result = CLI_WRONG_CALL;
    if (cli_request_fits(r->request, r->time_start)) {
        cli_patience_keep();
        result = cli_laws_begin(r->options, r->request, equations, r->motion, &r->laws);
        result = result == CLI_DONE ? move_and_tell(r) : result;
        cli_laws_end(&r->laws);
    }
    free(r->row);
    free(r->at_rows);
    cli_reversal_destroy(&r->reversal);
    rh_work_destroy(r->work);
    rh_motion_destroy(r->motion);
    return result;
}

static cli_exit run_request(const cli_options *options, const cli_request *request)
{
    cli_patience patience = cli_patience_begin(options, request->time_limit);
    rh_model *model = NULL;
    rh_equations *equations = NULL;
    rh_checkup *checkup = NULL;
    cli_tables tables = {.count = 0};
    cli_exit result = cli_model_load(options, &model);
    if (result == CLI_DONE) {
        result = cli_equations_load(options, model, &equations);
        if (result == CLI_WRONG_MODEL) {
            cli_equations_excuse(options, equations);
        }
    }
    if (result == CLI_DONE) {
        result = cli_checkup_load_moved(options, equations, &checkup);
    }
    if (result == CLI_DONE) {
        result = cli_tables_load(options, model, &tables);
    }
    if (result == CLI_DONE) {
        run r = {.options = options,
                 .request = request,
                 .model = model,
                 .checkup = checkup,
                 .tables = &tables,
                 .patience = &patience};
        result = run_motion(&r, equations);
    }
    cli_tables_destroy(&tables);
    rh_checkup_destroy(checkup);
    rh_equations_destroy(equations);
    rh_model_destroy(model);
    return result;
}

cli_exit cli_run(const cli_options *options)
{
    cli_request request;
    if (!cli_request_read(options, &request)) {
        return CLI_WRONG_CALL;
    }
    const cli_exit result = run_request(options, &request);
    cli_request_destroy(&request);
    return result;
}
