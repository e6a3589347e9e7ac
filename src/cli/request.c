// SPDX-License-Identifier: Apache-2.0
// What is asked of `run`: numbers and names of files, read and judged before anything is computed.

#include "cli/run.h"

#include <ctype.h>
#include <errno.h>
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_POINTS = 100000000, MOST_STEPS = 1000000000 };

#define FINEST 1e-18 // tolerance; below it there are more steps, but no more digits

// --- numbers -----------------------------------------------------------------------------------

// A decimal number at the beginning of the text; NULL when there is none. What strtod knows
// besides (hexadecimal, inf, nan) is no number here.
static const char *read_number(const char *text, double *out)
{
    char *end = NULL;
    const size_t size = strspn(text, "0123456789.eE+-");
    *out = strtod(text, &end);
    const bool is_number = end != text && (size_t)(end - text) <= size &&
                           isspace((unsigned char)text[0]) == 0 && isfinite(*out);
    return is_number ? end : NULL;
}

bool cli_number_is(const char *text, double *out)
{
    const char *end = read_number(text, out);
    return end != NULL && *end == '\0';
}

bool cli_number_read(const char *word, const char *text, double *out)
{
    if (!cli_number_is(text, out)) {
        cli_talk("%s wants a number, not \"%s\"", word, text);
        return false;
    }
    return true;
}

static int compare(const void *a, const void *b)
{
    const double first = *(const double *)a;
    const double second = *(const double *)b;
    return (first > second) - (first < second);
}

// Times separated by commas, in any order.
static bool read_times(const char *text, cli_request *out)
{
    size_t most = 1;
    for (const char *at = text; *at != '\0'; at++) {
        most += *at == ',';
    }
    out->at = calloc(most, sizeof *out->at);
    if (out->at == NULL) {
        cli_talk_memory();
        return false;
    }
    for (const char *at = text; out->at_count < most; at++) {
        const char *end = read_number(at, &out->at[out->at_count]);
        if (end == NULL || (*end != ',' && *end != '\0')) {
            cli_talk("--at wants times separated by commas, not \"%s\"", text);
            return false;
        }
        out->at_count++;
        at = end;
    }
    qsort(out->at, out->at_count, sizeof *out->at, compare);
    return true;
}

bool cli_request_count(const char *word, const char *text, long least, long most, long *out)
{
    char *end = NULL;
    errno = 0;
    *out = isdigit((unsigned char)text[0]) != 0 ? strtol(text, &end, 10) : 0;
    if (end == NULL || *end != '\0' || errno != 0 || *out < least || *out > most) {
        cli_talk("%s wants a whole number from %ld to %ld, not \"%s\"", word, least, most, text);
        return false;
    }
    return true;
}

static bool read_points(const char *text, cli_request *out)
{
    long count = 0;
    const bool is_fine = cli_request_count("--points", text, 2, MOST_POINTS, &count);
    out->point_count = (size_t)count;
    return is_fine;
}

static bool read_every(const cli_options *options, cli_request *out)
{
    long count = 0;
    if (options->checkpoint_every == NULL) {
        return true;
    }
    if (options->checkpoint == NULL) {
        cli_talk("--checkpoint-every needs a file: --checkpoint FILE");
        return false;
    }
    const bool is_fine =
        cli_request_count("--checkpoint-every", options->checkpoint_every, 1, MOST_STEPS, &count);
    out->every = (uint64_t)count;
    return is_fine;
}

// --- parts of the call -------------------------------------------------------------------------

bool cli_request_has_ending(const char *path, const char *ending)
{
    const size_t size = strlen(path);
    const size_t tail = strlen(ending);
    return size > tail && strcmp(path + size - tail, ending) == 0;
}

bool cli_request_can_write(const char *path)
{
    rh_file *file = NULL;
    rh_error err = RH_ZERO;
    const bool is_file = path != NULL && strcmp(path, "-") != 0;
    const bool is_fine = !is_file || (rh_file_begin(path, &file, &err) == RH_OK &&
                                      rh_file_end(file, false, &err) == RH_OK);
    if (!is_fine) {
        cli_talk("%s", err.message);
    }
    return is_fine;
}

static bool read_times_asked(const cli_options *options, cli_request *out)
{
    if (options->points != NULL && options->at != NULL) {
        cli_talk("--points and --at cannot both be had");
        return false;
    }
    if ((options->points != NULL && !read_points(options->points, out)) ||
        (options->at != NULL && !read_times(options->at, out))) {
        return false;
    }
    if (options->until != NULL) {
        return cli_number_read("--until", options->until, &out->until);
    }
    if (out->at == NULL) {
        cli_talk("%s needs an end: --until T, or times with --at", options->verb->name);
        return false;
    }
    out->until = out->at[out->at_count - 1];
    return true;
}

bool cli_tolerance_read(const char *text, double *out)
{
    if (!cli_number_read("--tol", text, out)) {
        return false;
    }
    if (!(*out >= FINEST && *out < 1.0)) {
        cli_talk("--tol wants a number between 1e-18 and 1, not %s", text);
        return false;
    }
    return true;
}

bool cli_time_limit_read(const cli_options *options, double *out)
{
    *out = 0.0;
    if (options->time_limit == NULL) {
        return true;
    }
    if (!cli_number_read("--time-limit", options->time_limit, out)) {
        return false;
    }
    if (!(*out > 0.0)) {
        cli_talk("--time-limit wants a positive number of seconds, not %s", options->time_limit);
        return false;
    }
    return true;
}

bool cli_memory_limit_read(cli_options *options)
{
    const double most = 1024.0 * 1024.0 * 1024.0; // MiB
    double mib = 0.0;
    if (options->memory_limit == NULL) {
        return true;
    }
    if (!cli_number_read("--memory-limit", options->memory_limit, &mib)) {
        return false;
    }
    if (!(mib >= 1.0 && mib <= most)) {
        cli_talk("--memory-limit wants MiB from 1 to %.0f, not %s", most, options->memory_limit);
        return false;
    }
    options->memory = mib * 1024.0 * 1024.0;
    return true;
}

static bool read_limits(const cli_options *options, cli_request *out)
{
    out->tolerance = rh_motion_def_default().tolerance;
    if (options->tolerance != NULL && !cli_tolerance_read(options->tolerance, &out->tolerance)) {
        return false;
    }
    return cli_atols_read(options, &out->atols) && cli_time_limit_read(options, &out->time_limit);
}

static bool read_files(const cli_options *options, cli_request *out)
{
    if (options->plot != NULL && !cli_request_has_ending(options->plot, ".svg")) {
        cli_talk("--plot wants a name that ends with .svg, not \"%s\"", options->plot);
        return false;
    }
    if (options->out == NULL) {
        return true;
    }
    out->has_table = true;
    out->is_table_data = strcmp(options->out, "-") == 0;
    out->format =
        cli_request_has_ending(options->out, ".jsonl") ? RH_TABLE_JSON_LINES : RH_TABLE_CSV;
    if (out->is_table_data && options->is_json) {
        cli_talk("--json and --out - cannot both have the standard output");
        return false;
    }
    if (!out->is_table_data && !cli_request_has_ending(options->out, ".csv") &&
        !cli_request_has_ending(options->out, ".jsonl")) {
        cli_talk("--out wants a name that ends with .csv or .jsonl, or -, not \"%s\"",
                 options->out);
        return false;
    }
    return true;
}

typedef struct method_row {
    const char *word;
    rh_method method;
} method_row;

static const method_row METHODS[] = {
    {"taylor", RH_METHOD_TAYLOR}, {"dop853", RH_METHOD_DOP853}, {"cvode", RH_METHOD_CVODE},
    {"ida", RH_METHOD_IDA},       {"euler", RH_METHOD_EULER},   {"rk2", RH_METHOD_RK2},
    {"rk3", RH_METHOD_RK3},       {"rk4", RH_METHOD_RK4},       {"dp5", RH_METHOD_DP5},
};

enum { METHOD_COUNT = sizeof METHODS / sizeof METHODS[0] };

static bool read_method(const char *word, cli_request *out)
{
    const char *known[METHOD_COUNT + 1] = {NULL};
    for (size_t k = 0; word != NULL && k < METHOD_COUNT; k++) {
        if (strcmp(METHODS[k].word, word) == 0) {
            out->method = METHODS[k].method;
            return true;
        }
        known[k] = METHODS[k].word;
    }
    if (word == NULL) {
        return true;
    }
    const char *near = cli_suggest(word, known);
    if (near != NULL) {
        cli_talk("there is no method \"%s\"; did you mean %s?", word, near);
    } else {
        cli_talk("there is no method \"%s\"; methods are taylor, dop853, cvode, ida, "
                 "and with --step euler, rk2, rk3, rk4, dp5",
                 word);
    }
    return false;
}

static bool read_step(const cli_options *options, cli_request *out)
{
    const bool is_fixed = out->method >= RH_METHOD_EULER;
    if (is_fixed && (options->verb->options >> CLI_OPTION_STEP & 1u) == 0) {
        cli_talk("%s has no methods with steps of one length", options->verb->name);
        return false;
    }
    if (options->step == NULL) {
        if (is_fixed) {
            cli_talk("--method %s needs the length of its steps: --step H", options->method);
        }
        return !is_fixed;
    }
    if (!is_fixed) {
        cli_talk("--step is for methods with steps of one length: --method euler, rk2, rk3, rk4 or "
                 "dp5");
        return false;
    }
    if (!cli_number_read("--step", options->step, &out->step)) {
        return false;
    }
    if (!(out->step > 0.0)) {
        cli_talk("--step wants a positive length, not %s", options->step);
        return false;
    }
    return true;
}

static bool read_tier(const char *word, cli_request *out)
{
    static const char *const WORDS[] = {"auto", "interpreted", "emitted", NULL};
    for (size_t k = 0; word != NULL && WORDS[k] != NULL; k++) {
        if (strcmp(WORDS[k], word) == 0) {
            out->tier = (rh_tier)k;
            return true;
        }
    }
    if (word == NULL) {
        return true;
    }
    const char *near = cli_suggest(word, WORDS);
    if (near != NULL) {
        cli_talk("there is no tier \"%s\"; did you mean %s?", word, near);
    } else {
        cli_talk("there is no tier \"%s\"; tiers are auto, interpreted, emitted", word);
    }
    return false;
}

bool cli_request_read(const cli_options *options, cli_request *out)
{
    *out = (cli_request){.method = rh_motion_def_default().method, .format = RH_TABLE_CSV};
    const bool is_fine = read_method(options->method, out) && read_step(options, out) &&
                         read_tier(options->tier, out) && read_times_asked(options, out) &&
                         read_limits(options, out) && read_every(options, out) &&
                         read_files(options, out);
    if (!is_fine) {
        cli_request_destroy(out);
    }
    return is_fine;
}

void cli_request_destroy(cli_request *request)
{
    free(request->at);
    request->at = NULL;
    cli_atols_destroy(&request->atols);
}

bool cli_request_fits(const cli_request *request, double start)
{
    if (request->until < start) {
        cli_talk("the motion begins at t = %.17g, and --until %.17g is before it", start,
                 request->until);
        return false;
    }
    // a step that the clock does not see does not lead to the end
    const double least = 4.0 * DBL_EPSILON * fmax(fabs(start), fabs(request->until));
    if (request->step > 0.0 && request->step < least && request->until > start) {
        cli_talk("steps of %.6g are too short: near t = %.6g the clock does not see steps below "
                 "%.3g; take longer ones, or a method that chooses them",
                 request->step, request->until, least);
        return false;
    }
    if (request->at == NULL) {
        return true;
    }
    const double first = request->at[0];
    const double last = request->at[request->at_count - 1];
    if (first < start || last > request->until) {
        cli_talk("--at %.17g is not between the start, t = %.17g, and the end, t = %.17g",
                 first < start ? first : last, start, request->until);
        return false;
    }
    return true;
}

cli_exit cli_worse(cli_exit a, cli_exit b)
{
    return a != CLI_DONE ? a : b;
}
