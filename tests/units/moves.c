// SPDX-License-Identifier: Apache-2.0
// A run of a model in some units, and the comparison of two such runs.

#include "moves.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { SECONDS = 20 }; // a run that takes longer is ended

// --- running -----------------------------------------------------------------------------------

static const char *ask(void *user)
{
    return difftime(time(NULL), *(const time_t *)user) > SECONDS ? "it takes too long" : NULL;
}

/// What a run is made of.
typedef struct parts {
    rh_model *model;
    rh_equations *equations;
    rh_record *records[8];
    rh_feed feeds[8];
    size_t feed_count;
    rh_motion *motion;
    time_t began;
    rh_error err;
} parts;

static void parts_end(parts *it)
{
    rh_motion_destroy(it->motion);
    for (size_t k = 0; k < it->feed_count; k++) {
        rh_record_destroy(it->records[k]);
        free((void *)it->feeds[k].times);
    }
    rh_equations_destroy(it->equations);
    rh_model_destroy(it->model);
}

static void read_feed(parts *it, const char *path, double factor)
{
    const size_t index = it->feed_count;
    const char *slash = strrchr(path, '/');
    char file[512];
    (void)snprintf(file, sizeof file, "%.*s%s", slash != NULL ? (int)(slash - path + 1) : 0, path,
                   rh_model_feed_path(it->model, index));
    rh_record_def def = rh_record_def_default();
    def.model = it->model;
    def.index = index;
    char *text = support_read(file, &def.text_size);
    def.text = text;
    assert_int_equal(rh_record_create(&def, &it->records[index], &it->err), RH_OK);
    free(text);
    it->feeds[index] = rh_record_feed(it->records[index]);
    double *times = calloc(it->feeds[index].count, sizeof *times);
    assert_non_null(times);
    for (size_t k = 0; k < it->feeds[index].count; k++) {
        times[k] = it->feeds[index].times[k] * factor;
    }
    it->feeds[index].times = times;
    it->feed_count++;
}

static rh_status make(parts *out, const char *text, const units_run *run, double time_factor)
{
    *out = (parts){.began = time(NULL)};
    rh_model_def def = rh_model_def_default();
    def.text = text;
    def.text_size = strlen(text);
    def.interrupt = ask;
    def.interrupt_user = &out->began;
    RH_TRY(rh_model_create(&def, &out->model, &out->err));
    const rh_equations_def derive = rh_equations_def_default();
    RH_TRY(rh_equations_create(out->model, &derive, &out->equations, &out->err));
    while (out->feed_count < rh_model_feed_count(out->model)) {
        read_feed(out, run->path, time_factor);
    }
    rh_motion_def move = rh_motion_def_default();
    move.method = run->method;
    move.tier = RH_TIER_INTERPRETED;
    move.tolerance = run->tolerance > 0.0 ? run->tolerance : move.tolerance;
    move.feeds = out->feeds;
    move.feed_count = out->feed_count;
    return rh_motion_create(out->equations, &move, &out->motion, &out->err);
}

// Why the model could not be run: the code of an error, or the first words of the message.
static void tell_refusal(units_track *out, const parts *it)
{
    for (size_t k = 0; it->model != NULL && k < rh_model_diagnostic_count(it->model); k++) {
        const rh_diagnostic remark = rh_model_diagnostic(it->model, k);
        if (remark.code[0] == 'E') {
            (void)snprintf(out->refusal, sizeof out->refusal, "%s %s", remark.code, remark.message);
            return;
        }
    }
    for (size_t k = 0; it->equations != NULL && k < rh_equations_diagnostic_count(it->equations);
         k++) {
        const rh_diagnostic remark = rh_equations_diagnostic(it->equations, k);
        if (remark.code[0] == 'E') {
            (void)snprintf(out->refusal, sizeof out->refusal, "%s", remark.code);
            return;
        }
    }
    const size_t code = strncmp(it->err.message, "E", 1) == 0 ? 4 : sizeof out->refusal - 1;
    (void)snprintf(out->refusal, sizeof out->refusal, "%.*s", (int)code, it->err.message);
}

static void take_columns(units_track *out, const parts *it)
{
    out->column_count = rh_motion_column_count(it->motion);
    out->names = calloc(out->column_count, sizeof *out->names);
    out->quantities = calloc(out->column_count, sizeof *out->quantities);
    out->rows = calloc(out->column_count * UNITS_SAMPLES, sizeof *out->rows);
    assert_true(out->names != NULL && out->quantities != NULL && out->rows != NULL);
    for (size_t k = 0; k < out->column_count; k++) {
        (void)snprintf(out->names[k], sizeof out->names[k], "%s",
                       rh_motion_column_name(it->motion, k));
        out->quantities[k] = rh_motion_column_quantity(it->motion, k);
    }
    for (size_t k = 0; k < out->column_count * UNITS_SAMPLES; k++) {
        out->rows[k] = (double)NAN;
    }
}

static void take_events(units_track *out, const parts *it)
{
    out->event_count = rh_motion_occurrence_count(it->motion);
    out->events = calloc(out->event_count + 1, sizeof *out->events);
    assert_non_null(out->events);
    for (size_t k = 0; k < out->event_count; k++) {
        const rh_occurrence o = rh_motion_occurrence(it->motion, k);
        out->events[k].time = o.time;
        out->events[k].kind = o.kind;
        (void)snprintf(out->events[k].name, sizeof out->events[k].name, "%s", o.name);
    }
}

static void follow(units_track *out, parts *it, const units_run *run, double time_factor)
{
    const double start = rh_motion_time(it->motion);
    for (uint32_t k = 0; k < UNITS_SAMPLES && out->stop == RH_STOP_NONE; k++) {
        const double moment = start + run->span * (k + 1) / UNITS_SAMPLES * time_factor;
        rh_stop stop = RH_STOP_NONE;
        while (stop == RH_STOP_NONE && ask(&it->began) == NULL) {
            if (rh_motion_step(it->motion, moment, &stop, &it->err) != RH_OK) {
                out->is_late = true;
                return;
            }
        }
        out->is_late = out->is_late || stop == RH_STOP_NONE;
        const bool is_at_end = stop != RH_STOP_REACHED || k + 1 == UNITS_SAMPLES;
        out->stop = is_at_end ? stop : RH_STOP_NONE;
        if (stop != RH_STOP_FAILED && stop != RH_STOP_NONE) {
            const rh_status status =
                rh_motion_row(it->motion, rh_motion_time(it->motion),
                              out->rows + (size_t)k * out->column_count, &it->err);
            out->is_late = out->is_late || status != RH_OK;
        }
        if (out->is_late) {
            return;
        }
    }
    out->end = rh_motion_time(it->motion);
}

void units_track_text(units_track *out, const char *text, double time_factor, const units_run *run)
{
    *out = (units_track){.status = RH_OK};
    parts run_parts;
    out->status = make(&run_parts, text, run, time_factor);
    if (out->status == RH_OK) {
        take_columns(out, &run_parts);
        follow(out, &run_parts, run, time_factor);
        take_events(out, &run_parts);
        (void)snprintf(out->reason, sizeof out->reason, "%s",
                       rh_motion_reason_code(run_parts.motion));
        const rh_motion_summary summary = rh_motion_summarise(run_parts.motion);
        out->steps = summary.steps;
        out->energy[0] = summary.energy_start;
        out->energy[1] = summary.energy_now;
    } else {
        tell_refusal(out, &run_parts);
    }
    parts_end(&run_parts);
}

void units_track_begin(units_track *out, const units_text *it, const units_change *change,
                       const units_run *run)
{
    char *text = units_write(it, change);
    units_track_text(out, text, units_of_time(change), run);
    free(text);
}

void units_track_end(units_track *it)
{
    free(it->names);
    free(it->quantities);
    free(it->rows);
    free(it->events);
    *it = (units_track){.status = RH_OK};
}

// --- comparing ---------------------------------------------------------------------------------

double units_track_factor(const units_text *it, const units_change *change,
                          const units_track *track, size_t column)
{
    const char *name = track->names[column];
    switch (track->quantities[column]) {
    case RH_QUANTITY_TIME:
        return units_of_time(change);
    case RH_QUANTITY_VARIABLE:
        return units_of_variable(it, change, name);
    case RH_QUANTITY_VELOCITY:
        return units_of_velocity(it, change, name);
    case RH_QUANTITY_QUASI:
        return units_of_quasi(change);
    case RH_QUANTITY_MULTIPLIER:
    case RH_QUANTITY_HELD:
        return units_of_multiplier(it, change, name);
    case RH_QUANTITY_DEVIATION:
        return units_of_deviation(change);
    case RH_QUANTITY_OBSERVE:
        return 1.0;
    }
    return 1.0;
}

static bool differ(units_difference *out, const char *format, ...)
{
    if (!out->is_other) {
        va_list arguments;
        va_start(arguments, format);
        (void)vsnprintf(out->what, sizeof out->what, format, arguments);
        va_end(arguments);
    }
    out->is_other = true;
    out->is_exact = false;
    return true;
}

static void compare_column(units_difference *out, size_t column, double factor,
                           const units_track *plain, const units_track *other)
{
    for (uint32_t k = 0; k < UNITS_SAMPLES; k++) {
        const double old = plain->rows[k * plain->column_count + column];
        const double new = other->rows[k * plain->column_count + column] / factor;
        if (isnan(old) != isnan(new)) {
            (void)differ(out, "%s: %g, was %g", plain->names[column], new, old);
            return;
        }
        if (isnan(old)) {
            continue;
        }
        out->is_exact = out->is_exact && old == new;
        out->columns[column] = fmax(out->columns[column], fabs(new - old));
        out->sizes[column] = fmax(out->sizes[column], fabs(old));
    }
}

static void compare_events(const units_change *change, const units_track *plain,
                           const units_track *other, double size, units_difference *out)
{
    if (plain->event_count != other->event_count) {
        (void)differ(out, "%zu events, were %zu", other->event_count, plain->event_count);
        return;
    }
    for (size_t k = 0; k < plain->event_count; k++) {
        const units_event *a = &plain->events[k], *b = &other->events[k];
        if (a->kind != b->kind || strcmp(a->name, b->name) != 0) {
            (void)differ(out, "event %s %s, was %s %s", rh_occurrence_kind_text(b->kind), b->name,
                         rh_occurrence_kind_text(a->kind), a->name);
            return;
        }
        const double gap = fabs(b->time / units_of_time(change) - a->time);
        out->is_exact = out->is_exact && gap == 0.0;
        out->time = fmax(out->time, gap / size);
    }
}

// False when there is nothing more to be compared.
static bool compare_kinds(const units_track *plain, const units_track *other, units_difference *out)
{
    if (plain->is_late || other->is_late) {
        return !differ(out, "it takes too long");
    }
    if (plain->status != other->status || strcmp(plain->refusal, other->refusal) != 0) {
        return !differ(out, "%s, was %s", other->status == RH_OK ? "it runs" : other->refusal,
                       plain->status == RH_OK ? "running" : plain->refusal);
    }
    if (plain->status != RH_OK) {
        return false;
    }
    if (plain->column_count != other->column_count) {
        return !differ(out, "%zu columns, were %zu", other->column_count, plain->column_count);
    }
    if (plain->stop != other->stop || strcmp(plain->reason, other->reason) != 0) {
        return !differ(out, "ends by %d %s, was %d %s", (int)other->stop, other->reason,
                       (int)plain->stop, plain->reason);
    }
    return true;
}

void units_compare(const units_text *it, const units_change *change, const units_track *plain,
                   const units_track *other, units_difference *out)
{
    *out = (units_difference){.is_exact = true};
    if (!compare_kinds(plain, other, out)) {
        return;
    }
    out->columns = calloc(plain->column_count, sizeof *out->columns);
    out->sizes = calloc(plain->column_count, sizeof *out->sizes);
    assert_true(out->columns != NULL && out->sizes != NULL);
    for (size_t k = 0; k < plain->column_count; k++) {
        compare_column(out, k, units_track_factor(it, change, plain, k), plain, other);
    }
    const double size = fabs(plain->end) > 0.0 ? fabs(plain->end) : 1.0;
    const double gap = fabs(other->end / units_of_time(change) - plain->end);
    out->time = gap / size;
    out->is_exact = out->is_exact && gap == 0.0 && plain->steps == other->steps;
    compare_events(change, plain, other, size, out);
    if (!isnan(plain->energy[0])) {
        const double scale = fmax(fabs(plain->energy[0]), fabs(plain->energy[1]));
        for (uint32_t k = 0; k < 2; k++) {
            const double change_of = fabs(other->energy[k] / units_of_energy(change) - //
                                          plain->energy[k]);
            out->energy = fmax(out->energy, scale > 0.0 ? change_of / scale : change_of);
        }
        out->is_exact = out->is_exact && out->energy == 0.0;
    }
}

void units_difference_end(units_difference *it)
{
    free(it->columns);
    free(it->sizes);
    *it = (units_difference){.is_other = false};
}
