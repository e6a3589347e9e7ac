// SPDX-License-Identifier: Apache-2.0
// Motions against numbers found without this code (references*.txt): every column that is given at
// every time that is given, events, ends and refusals. The format stands in references.txt.

#pragma once

#include "moving.h"

#include <glob.h>
#include <stdarg.h>

enum { REFERENCE_LINES = 256, REFERENCE_SETTINGS = 16 };

/// How the cases are run.
typedef struct reference_way {
    const char *name; // as in the line `methods`
    bool is_plain;    // without presolve
    bool is_singular; // the cases that lose rank, or the others
    bool is_guest;    // by cvode or ida: without those that leave switching surfaces
    rh_method method;
    double motion_tolerance; // 0: the default
    double looseness;        // factor upon the tolerances of the file
} reference_way;

typedef struct reference {
    char name[64], model[128], methods[128];
    char text[8192]; // a model written into the file
    char settings[REFERENCE_SETTINGS][96];
    char *lines[REFERENCE_LINES]; // from the first `at` on, and what is expected at the end
    uint32_t line_count;
    moving_conditions with;
    bool is_singular;           // it goes through configurations where the constraints lose rank
    bool is_sticky;             // it slides on switching surfaces and leaves them
    bool is_relative;           // tolerances are relative to |value|, else to 1 + |value|
    char refused[16];           // the code of a refusal before the motion; "": none is expected
    double states, multipliers; // tolerances
    // of the run
    moving on;
    bool is_stopped;
    double looseness;
    uint32_t failures;
    double worst; // error as a part of the tolerance
} reference;

// --- reading -------------------------------------------------------------------------------------

static void read_setting(reference *it, const char *word, const char *rest)
{
    const uint32_t at = it->with.set_count + it->with.start_count;
    assert_true(at < REFERENCE_SETTINGS);
    (void)snprintf(it->settings[at], sizeof it->settings[at], "%s", rest);
    if (strcmp(word, "set") == 0) {
        it->with.set[it->with.set_count++] = it->settings[at];
    } else {
        it->with.start[it->with.start_count++] = it->settings[at];
    }
}

// Everything in front of the first time; false: the line is not of that kind.
static bool read_head(reference *it, const char *word, const char *rest)
{
    if (strcmp(word, "case") == 0) {
        (void)snprintf(it->name, sizeof it->name, "%s", rest);
    } else if (strcmp(word, "model") == 0) {
        (void)snprintf(it->model, sizeof it->model, "%s", rest);
    } else if (strcmp(word, "set") == 0 || strcmp(word, "start") == 0) {
        read_setting(it, word, rest);
    } else if (strcmp(word, "singular") == 0) {
        it->is_singular = true;
    } else if (strcmp(word, "sticky") == 0) {
        it->is_sticky = true;
    } else if (strcmp(word, "relative") == 0) {
        it->is_relative = true;
    } else if (strcmp(word, "methods") == 0) {
        (void)snprintf(it->methods, sizeof it->methods, " %s ", rest);
    } else if (strcmp(word, "refused") == 0) {
        (void)snprintf(it->refused, sizeof it->refused, "%s", rest);
    } else if (strcmp(word, "tolerance") == 0) {
        assert_int_equal(sscanf(rest, "%lf %lf", &it->states, &it->multipliers), 2);
    } else if (strcmp(word, "|") == 0) {
        const size_t size = strlen(it->text);
        assert_true(size + strlen(rest) + 2 < sizeof it->text);
        (void)snprintf(it->text + size, sizeof it->text - size, "%s\n", rest);
    } else {
        return false;
    }
    return true;
}

// The next case of the text, which is cut into lines; false at its end.
static bool read_case(char **text, reference *out)
{
    *out = (reference){.states = 1e-10, .multipliers = 1e-8};
    while (**text != '\0') {
        char *line = *text;
        char *end = strchr(line, '\n');
        assert_non_null(end);
        *end = '\0';
        *text = end + 1;
        char word[64] = "";
        int size = 0;
        if (line[0] == '#' || sscanf(line, "%63s %n", word, &size) < 1) {
            if (line[0] == '\0' && out->name[0] != '\0') {
                break;
            }
        } else if (!read_head(out, word, line + size)) {
            assert_true(out->line_count < REFERENCE_LINES);
            out->lines[out->line_count++] = line;
        }
    }
    return out->name[0] != '\0';
}

// --- comparing -----------------------------------------------------------------------------------

__attribute__((format(printf, 2, 3))) static void complain(reference *it, const char *format, ...)
{
    char message[512];
    va_list arguments;
    va_start(arguments, format);
    (void)vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    print_error("%s: %s\n", it->name, message);
    it->failures++;
}

static void go(reference *it, const char *rest)
{
    double time = NAN;
    assert_int_equal(sscanf(rest, "%lf", &time), 1);
    if (it->is_stopped || time <= rh_motion_time(it->on.motion)) {
        return;
    }
    if (moving_advance(&it->on, time) != RH_STOP_REACHED) {
        complain(it, "stopped at %.17g on the way to %.17g: %s", rh_motion_time(it->on.motion),
                 time, rh_motion_reason(it->on.motion));
        it->is_stopped = true;
    }
}

static double size_of(const reference *it, double expected)
{
    return (it->is_relative ? 0.0 : 1.0) + fabs(expected);
}

static void compare(reference *it, const char *name, const char *rest)
{
    double expected = NAN;
    assert_int_equal(sscanf(rest, "%lf", &expected), 1);
    if (it->is_stopped) {
        return;
    }
    const double found = moving_value(&it->on, name);
    const bool is_multiplier = strncmp(name, "lambda.", 7) == 0;
    const double tolerance = it->looseness * (is_multiplier ? it->multipliers : it->states);
    const double miss = fabs(found - expected);
    const double part = miss > 0.0 ? miss / size_of(it, expected) / tolerance : miss;
    it->worst = isnan(part) ? INFINITY : fmax(it->worst, part);
    if (!(part <= 1.0)) {
        complain(it, "t = %.17g: %s is %.17g, expected %.17g (off by %.3g)",
                 rh_motion_time(it->on.motion), name, found, expected, found - expected);
    }
}

// event KIND TIME [NAME]: one of this kind was recorded, to `looseness` times 1e-9 of the time.
static void expect_event(reference *it, const char *rest)
{
    char kind[32] = "";
    char name[128] = "";
    double time = NAN;
    assert_true(sscanf(rest, "%31s %lf %127[^\n]", kind, &time, name) >= 2);
    const double margin = it->looseness * 1e-9 * size_of(it, time);
    const size_t count = rh_motion_occurrence_count(it->on.motion);
    double nearest = NAN;
    for (size_t k = 0; k < count; k++) {
        const rh_occurrence found = rh_motion_occurrence(it->on.motion, k);
        const bool is_like = strcmp(rh_occurrence_kind_text(found.kind), kind) == 0 &&
                             (name[0] == '\0' || strcmp(found.name, name) == 0);
        if (is_like && !(fabs(found.time - time) >= fabs(nearest - time))) {
            nearest = found.time;
        }
    }
    if (!it->is_stopped && !(fabs(nearest - time) <= margin)) {
        complain(it, "no event %s %s at %.17g; the nearest one is at %.17g", kind, name, time,
                 nearest);
    }
}

// stops CODE [TIME [UNTIL]]: it ends with this code, to 1e-6 of the time; UNTIL is asked for, else
// 1 + 2 TIME.
static void expect_stop(reference *it, const char *rest)
{
    char code[16] = "";
    double time = NAN;
    double until = NAN;
    const int count = sscanf(rest, "%15s %lf %lf", code, &time, &until);
    assert_true(count >= 1);
    until = count >= 3 ? until : count == 2 ? 1.0 + 2.0 * time : 1e3;
    const rh_stop stop = it->is_stopped ? RH_STOP_NONE : moving_advance(&it->on, until);
    const double end = rh_motion_time(it->on.motion);
    it->is_stopped = true;
    if (stop != RH_STOP_FAILED || strcmp(rh_motion_reason_code(it->on.motion), code) != 0) {
        complain(it, "expected to stop with %s, but at %.17g: %s %s", code, end,
                 rh_motion_reason_code(it->on.motion), rh_motion_reason(it->on.motion));
    } else if (count >= 2 && !(fabs(end - time) <= 1e-6 * it->looseness * size_of(it, time))) {
        complain(it, "%s at %.17g, expected at %.17g", code, end, time);
    }
}

static void follow(reference *it)
{
    for (uint32_t k = 0; k < it->line_count; k++) {
        char word[64] = "";
        int size = 0;
        assert_int_equal(sscanf(it->lines[k], "%63s %n", word, &size), 1);
        const char *rest = it->lines[k] + size;
        if (strcmp(word, "at") == 0) {
            go(it, rest);
        } else if (strcmp(word, "event") == 0) {
            expect_event(it, rest);
        } else if (strcmp(word, "stops") == 0) {
            expect_stop(it, rest);
        } else {
            compare(it, word, rest);
        }
    }
    const rh_motion_summary summary = rh_motion_summarise(it->on.motion);
    print_message("%llu steps, %.2g of the tolerance, residual %.1g\n",
                  (unsigned long long)summary.steps, it->worst, summary.residual);
}

// Some diagnostic has this code: of the model, of its equations, or as the first word of the error.
static bool is_refused_with(const moving *on, const char *code)
{
    for (size_t k = 0; on->model != NULL && k < rh_model_diagnostic_count(on->model); k++) {
        if (strcmp(rh_model_diagnostic(on->model, k).code, code) == 0) {
            return true;
        }
    }
    const size_t count = on->equations != NULL ? rh_equations_diagnostic_count(on->equations) : 0;
    for (size_t k = 0; k < count; k++) {
        if (strcmp(rh_equations_diagnostic(on->equations, k).code, code) == 0) {
            return true;
        }
    }
    return strstr(on->err.message, code) != NULL;
}

static void run_case(reference *it, const reference_way *way)
{
    char *text = NULL;
    size_t size = 0;
    if (it->text[0] == '\0') {
        text = support_read(it->model, &size);
    }
    it->looseness = way->looseness;
    it->with.is_plain = way->is_plain;
    it->with.method = way->method;
    it->with.tolerance = way->motion_tolerance;
    print_message("%s%s, %s: ", it->name, way->is_plain ? ", without presolve" : "", way->name);
    const rh_status status = moving_try(text != NULL ? text : it->text, &it->with, &it->on);
    if (it->refused[0] != '\0') {
        print_message("refused\n");
        if (status == RH_OK || !is_refused_with(&it->on, it->refused)) {
            complain(it, "expected to be refused with %s: %s, %s", it->refused,
                     rh_status_text(status), it->on.err.message);
        }
    } else if (status != RH_OK) {
        complain(it, "%s: %s", rh_status_text(status), it->on.err.message);
    } else {
        follow(it);
    }
    moving_end(&it->on);
    free(text);
}

static bool belongs_to(const reference *it, const reference_way *way)
{
    char method[32];
    (void)snprintf(method, sizeof method, " %s ", way->name);
    return it->is_singular == way->is_singular && !(it->is_sticky && way->is_guest) &&
           (it->methods[0] == '\0' || strstr(it->methods, method) != NULL);
}

/// Run all cases of all files that belong to the way.
static inline void reference_run(const reference_way *way)
{
    glob_t files;
    uint32_t failures = 0;
    assert_int_equal(glob(RH_SOURCE_DIR "/tests/motion/references*.txt", 0, NULL, &files), 0);
    for (size_t k = 0; k < files.gl_pathc; k++) {
        size_t size = 0;
        char *text = support_read(files.gl_pathv[k], &size);
        char *at = text;
        reference it;
        while (read_case(&at, &it)) {
            if (belongs_to(&it, way)) {
                run_case(&it, way);
                failures += it.failures;
            }
        }
        free(text);
    }
    globfree(&files);
    assert_int_equal(failures, 0);
}
