// SPDX-License-Identifier: Apache-2.0
// A run of a model in some units, and the comparison of two such runs.

#pragma once

#include "rewrite.h"

#include "rheonom/motion.h"

enum { UNITS_SAMPLES = 8, UNITS_WORD = 160 };

typedef struct units_event {
    double time;
    rh_occurrence_kind kind;
    char name[UNITS_WORD];
} units_event;

/// What came of a run.
typedef struct units_track {
    rh_status status;         // of its making
    char refusal[UNITS_WORD]; // its code or message
    rh_stop stop;
    char reason[UNITS_WORD]; // the code of a failure; ""
    double end;              // where it came to
    uint64_t steps;
    double energy[2];
    size_t column_count;
    char (*names)[UNITS_WORD];
    rh_quantity *quantities;
    double *rows; // by sample; NaN where there is none
    size_t event_count;
    units_event *events;
    bool is_late; // it took too long
} units_track;

/// How a model is run.
typedef struct units_run {
    const char *path; // of the model, for tables of inputs
    double span;      // in old units
    rh_method method;
    double tolerance;
} units_run;

/// Run the model in other units.
void units_track_begin(units_track *out, const units_text *it, const units_change *change,
                       const units_run *run);
/// The same with a text of its own.
void units_track_text(units_track *out, const char *text, double time_factor, const units_run *run);
void units_track_end(units_track *it);

/// The new value of a column is the old one times this.
double units_track_factor(const units_text *it, const units_change *change,
                          const units_track *track, size_t column);

/// How two runs differ.
typedef struct units_difference {
    bool is_other;             // something that is counted or named differs
    char what[2 * UNITS_WORD]; // that
    double *columns;           // by column: largest difference over the samples, in old units
    double *sizes;             // by column: largest size
    double time, energy;       // relative difference of event times (and of the end), of energies
    bool is_exact;             // every bit agrees
} units_difference;

/// `other` was run with `change`, `plain` without any.
void units_compare(const units_text *it, const units_change *change, const units_track *plain,
                   const units_track *other, units_difference *out);
void units_difference_end(units_difference *it);
