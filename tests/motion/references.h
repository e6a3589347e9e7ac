// SPDX-License-Identifier: Apache-2.0
// Motions against numbers found without this code (references.txt): every column that is given, at
// every time that is given.

#pragma once

#include "moving.h"

/// How the cases are run.
typedef struct reference_way {
    bool is_plain;    // without presolve
    bool is_singular; // the cases that lose rank, or the others
    bool is_guest;    // by cvode or ida: without those that leave switching surfaces
    rh_method method;
    double motion_tolerance; // 0: the default
    double looseness;        // factor upon the tolerances of the file
} reference_way;

typedef struct reference {
    char name[64], model[128];
    char text[4096];       // a model written into the file
    char settings[16][96]; // texts of `with`
    moving_conditions with;
    bool is_singular; // it goes through configurations where the constraints lose rank
    bool is_sticky;   // it slides on switching surfaces and leaves them
    bool is_stopped;
    double states, multipliers; // tolerances
    double looseness;
    moving *on;
    uint32_t failures;
    double worst; // error as a part of the tolerance
} reference;

// --- reading -------------------------------------------------------------------------------------

static void read_setting(reference *it, const char *word, const char *rest)
{
    const uint32_t at = it->with.set_count + it->with.start_count;
    assert_true(at < 16);
    (void)snprintf(it->settings[at], sizeof it->settings[at], "%s", rest);
    if (strcmp(word, "set") == 0) {
        it->with.set[it->with.set_count++] = it->settings[at];
    } else {
        it->with.start[it->with.start_count++] = it->settings[at];
    }
}

// Everything in front of the first time.
static void read_head(reference *it, const char *word, const char *rest)
{
    if (strcmp(word, "model") == 0) {
        (void)snprintf(it->model, sizeof it->model, "%s", rest);
    } else if (strcmp(word, "set") == 0 || strcmp(word, "start") == 0) {
        read_setting(it, word, rest);
    } else if (strcmp(word, "singular") == 0) {
        it->is_singular = true;
    } else if (strcmp(word, "sticky") == 0) {
        it->is_sticky = true;
    } else if (strcmp(word, "tolerance") == 0) {
        assert_int_equal(sscanf(rest, "%lf %lf", &it->states, &it->multipliers), 2);
    } else if (strcmp(word, "|") == 0) {
        const size_t size = strlen(it->text);
        assert_true(size + strlen(rest) + 2 < sizeof it->text);
        (void)snprintf(it->text + size, sizeof it->text - size, "%s\n", rest);
    } else {
        fail_msg("%s: unknown word %s", it->name, word);
    }
}

// --- comparing -----------------------------------------------------------------------------------

static void begin(reference *it)
{
    char *text = NULL;
    size_t size = 0;
    if (it->text[0] == '\0') {
        text = support_read(it->model, &size);
    }
    *it->on = moving_begin(text != NULL ? text : it->text, &it->with);
    print_message("%s%s, %s: ", it->name, it->with.is_plain ? ", without presolve" : "",
                  rh_motion_method(it->on->motion));
    free(text);
}

static void go(reference *it, const char *rest)
{
    double time = NAN;
    assert_int_equal(sscanf(rest, "%lf", &time), 1);
    if (it->on->motion == NULL) {
        begin(it);
    }
    if (!it->is_stopped && time > rh_motion_time(it->on->motion)) {
        const rh_stop stop = moving_advance(it->on, time);
        if (stop != RH_STOP_REACHED) {
            print_error("stopped on the way to %.17g: %s\n", time,
                        rh_motion_reason(it->on->motion));
            it->is_stopped = true;
            it->failures++;
        }
    }
}

static void compare(reference *it, const char *name, const char *rest)
{
    double expected = NAN;
    assert_int_equal(sscanf(rest, "%lf", &expected), 1);
    if (it->is_stopped) {
        return;
    }
    const double found = moving_value(it->on, name);
    const bool is_multiplier = strncmp(name, "lambda.", 7) == 0;
    const double tolerance = it->looseness * (is_multiplier ? it->multipliers : it->states);
    const double part = fabs(found - expected) / (1.0 + fabs(expected)) / tolerance;
    it->worst = isnan(part) ? INFINITY : fmax(it->worst, part);
    if (!(part <= 1.0)) {
        print_error("t = %.17g: %s is %.17g, expected %.17g (off by %.3g)\n",
                    rh_motion_time(it->on->motion), name, found, expected, found - expected);
        it->failures++;
    }
}

static uint32_t finish(reference *it)
{
    const rh_motion_summary summary = rh_motion_summarise(it->on->motion);
    print_message("%llu steps, %.2g of the tolerance, residual %.1g\n",
                  (unsigned long long)summary.steps, it->worst, summary.residual);
    moving_end(it->on);
    return it->failures;
}

static bool belongs_to(const reference *it, const reference_way *way)
{
    return it->is_singular == way->is_singular && !(it->is_sticky && way->is_guest);
}

// Read a case and run it while it is read. False at the end of the text.
static bool run_case(char **text, const reference_way *way, uint32_t *failures)
{
    moving on = {.motion = NULL};
    reference it = {.states = 1e-10, .multipliers = 1e-8, .looseness = way->looseness, .on = &on};
    it.with.is_plain = way->is_plain;
    it.with.method = way->method;
    it.with.tolerance = way->motion_tolerance;
    while (**text != '\0') {
        char *line = *text;
        char *end = strchr(line, '\n');
        assert_non_null(end);
        char copy[512] = "";
        char word[64] = "";
        int size = 0;
        memcpy(copy, line, (size_t)(end - line) < sizeof copy ? (size_t)(end - line) : 0);
        *text = end + 1;
        if (copy[0] == '#' || sscanf(copy, "%63s %n", word, &size) < 1) {
            if (copy[0] == '\0' && it.name[0] != '\0') {
                break;
            }
        } else if (strcmp(word, "case") == 0) {
            (void)snprintf(it.name, sizeof it.name, "%s", copy + size);
        } else if (strcmp(word, "at") == 0 && belongs_to(&it, way)) {
            go(&it, copy + size);
        } else if (on.motion != NULL) {
            compare(&it, word, copy + size);
        } else if (belongs_to(&it, way) || strcmp(word, "singular") == 0) {
            read_head(&it, word, copy + size);
        }
    }
    *failures += on.motion != NULL ? finish(&it) : 0;
    return it.name[0] != '\0';
}

/// Run all cases of the file that belong to the way.
static inline void reference_run(const reference_way *way)
{
    size_t size = 0;
    char *text = support_read("tests/motion/references.txt", &size);
    char *at = text;
    uint32_t failures = 0;
    while (run_case(&at, way, &failures)) {
    }
    free(text);
    assert_int_equal(failures, 0);
}
