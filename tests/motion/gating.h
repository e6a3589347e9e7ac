// SPDX-License-Identifier: Apache-2.0
// A motion with one-sided constraints as it should be, and how it is compared with what is found.

#pragma once

#include "moving.h"

typedef struct gating_event {
    rh_occurrence_kind kind;
    double time;
    const char *name;
} gating_event;

typedef struct gating_value {
    double time;
    const char *column;
    double value;
} gating_value;

enum { GATING_EVENTS = 10, GATING_VALUES = 24 };

typedef struct gating {
    const char *source, *text;
    double tolerance;   // of values, relative to 1 + |value|
    const char *acting; // at the start: names in the order of the model; NULL: none
    bool is_neutral;    // it could act or not
    bool is_redundant;  // multipliers are not determined: not for IDA, which solves for them
    double first;       // how well the first event is known; 0: as well as the others
    gating_event events[GATING_EVENTS];
    gating_value values[GATING_VALUES]; // in order of time; the last one is the end
} gating;

/// A way to move: values and events need not be better than `floor` and `events`; what happens
/// within `touches` of a graze does not count.
typedef struct gating_way {
    const char *name;
    rh_method method;
    bool is_plain;
    double tolerance; // of the motion; 0: the default
    double floor, events, touches;
} gating_way;

static const gating_way GATING_WAYS[] = {
    {"taylor", RH_METHOD_TAYLOR, false, 0.0, 0.0, 1e-12, 0.0},
    {"taylor without presolve", RH_METHOD_TAYLOR, true, 0.0, 0.0, 1e-12, 0.0},
    {"auto", RH_METHOD_AUTO, false, 0.0, 0.0, 1e-12, 0.0},
    {"dop853", RH_METHOD_DOP853, false, 1e-12, 1e-8, 1e-8, 1e-4},
    {"cvode", RH_METHOD_CVODE, false, 1e-12, 1e-6, 1e-6, 1e-3},
    {"ida", RH_METHOD_IDA, false, 1e-12, 1e-6, 1e-6, 1e-3},
};

static inline void gating_fail(const moving *it, const gating *of, const gating_way *way)
{
    for (size_t k = 0; k < rh_motion_occurrence_count(it->motion); k++) {
        const rh_occurrence at = rh_motion_occurrence(it->motion, k);
        print_error("    %s %.17g %s\n", rh_occurrence_kind_text(at.kind), at.time, at.name);
    }
    fail_msg("%s by %s:\n%s", of->source, way->name, of->text);
}

/// A graze is a matter of the error: without jets the motion may miss it, or press a little; and
/// where it lets go slowly it may seem to touch again.
static inline bool gating_is_doubtful(const gating *of, const gating_way *way,
                                      rh_occurrence_kind kind, double time)
{
    bool is_it = false;
    for (size_t k = 0; way->floor > 0.0 && k < GATING_EVENTS && of->events[k].name != NULL; k++) {
        const gating_event *wanted = &of->events[k];
        const bool is_loose = k == 0 && of->first > 0.0 && kind == RH_OCCURRENCE_GRAZE;
        is_it = is_it || ((wanted->kind == RH_OCCURRENCE_GRAZE || is_loose) &&
                          fabs(time - wanted->time) <= way->touches);
    }
    return is_it;
}

static inline size_t gating_skip(const moving *it, const gating *of, const gating_way *way,
                                 size_t at)
{
    for (; at < rh_motion_occurrence_count(it->motion); at++) {
        const rh_occurrence found = rh_motion_occurrence(it->motion, at);
        if (!gating_is_doubtful(of, way, found.kind, found.time)) {
            break;
        }
    }
    return at;
}

static inline bool gating_is_event(const gating_event *wanted, double tolerance, rh_occurrence at)
{
    const double allowed = tolerance * (1.0 + fabs(wanted->time));
    const bool is_it = at.kind == wanted->kind && strcmp(at.name, wanted->name) == 0 &&
                       fabs(at.time - wanted->time) <= allowed;
    if (!is_it) {
        print_error("expected %s of %s at %.17g\n", rh_occurrence_kind_text(wanted->kind),
                    wanted->name, wanted->time);
    }
    return is_it;
}

static inline bool gating_events_agree(const moving *it, const gating *of, const gating_way *way)
{
    const size_t count = rh_motion_occurrence_count(it->motion);
    bool ok = true;
    size_t at = gating_skip(it, of, way, 0);
    for (size_t k = 0; k < GATING_EVENTS && of->events[k].name != NULL; k++) {
        const gating_event *wanted = &of->events[k];
        if (!gating_is_doubtful(of, way, wanted->kind, wanted->time)) {
            const double tolerance = fmax(way->events, k == 0 ? of->first : 0.0);
            ok = gating_is_event(wanted, tolerance, rh_motion_occurrence(it->motion, at)) && ok;
            at = gating_skip(it, of, way, at + 1);
        }
    }
    if (at != count) {
        print_error("%zu events, expected %zu\n", count, at);
    }
    return ok && at == count;
}

static inline bool gating_value_agrees(moving *it, const gating *of, const gating_way *way,
                                       const gating_value *wanted)
{
    const double found = moving_value(it, wanted->column);
    const double allowed = fmax(of->tolerance, way->floor) * (1.0 + fabs(wanted->value));
    const bool is_near = fabs(found - wanted->value) <= allowed;
    if (!is_near) {
        print_error("%s is %.17g at %.17g, expected %.17g\n", wanted->column, found, wanted->time,
                    wanted->value);
    }
    return is_near;
}

/// The names of the one-sided constraints that act at the start, in the order of the model: that of
/// the columns `dev.NAME`.
static inline bool gating_start_agrees(const moving *it, const gating *of)
{
    char names[256] = "";
    size_t constraint = 0;
    for (size_t k = 0; k < rh_motion_column_count(it->motion); k++) {
        if (rh_motion_column_quantity(it->motion, k) != RH_QUANTITY_DEVIATION) {
            continue;
        }
        const size_t size = strlen(names);
        if (rh_motion_is_one_sided(it->motion, constraint) &&
            rh_motion_was_active(it->motion, constraint)) {
            (void)snprintf(names + size, sizeof names - size, "%s%s", size > 0 ? " " : "",
                           rh_motion_column_name(it->motion, k) + strlen("dev."));
        }
        constraint++;
    }
    const bool is_same = strcmp(names, of->acting != NULL ? of->acting : "") == 0;
    if (!is_same) {
        print_error("at the start act: \"%s\"\n", names);
    }
    return is_same && rh_motion_is_neutral(it->motion, 0) == of->is_neutral;
}

static inline void gating_try(const gating *of, const gating_way *way)
{
    const moving_conditions with = {
        .method = way->method, .is_plain = way->is_plain, .tolerance = way->tolerance};
    moving it = moving_begin(of->text, &with);
    bool ok = gating_start_agrees(&it, of);
    for (size_t k = 0; k < GATING_VALUES && of->values[k].column != NULL; k++) {
        if (moving_advance(&it, of->values[k].time) != RH_STOP_REACHED) {
            print_error("stopped at %.17g: %s\n", rh_motion_time(it.motion),
                        rh_motion_reason(it.motion));
            gating_fail(&it, of, way);
        }
        ok = gating_value_agrees(&it, of, way, &of->values[k]) && ok;
    }
    ok = gating_events_agree(&it, of, way) && ok;
    // the variational inequality: what acts pushes
    const double push = rh_motion_summarise(it.motion).push;
    if (push < -fmax(1e-12, way->floor)) {
        print_error("a reaction pulls: %.3g\n", push);
        ok = false;
    }
    if (!ok) {
        gating_fail(&it, of, way);
    }
    moving_end(&it);
}

static inline void gating_try_all(const gating *list, size_t count)
{
    for (size_t k = 0; k < count; k++) {
        for (size_t w = 0; w < sizeof GATING_WAYS / sizeof *GATING_WAYS; w++) {
            if (!list[k].is_redundant || GATING_WAYS[w].method != RH_METHOD_IDA) {
                gating_try(&list[k], &GATING_WAYS[w]);
            }
        }
    }
}
