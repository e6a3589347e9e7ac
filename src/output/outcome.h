// SPDX-License-Identifier: Apache-2.0
// Private to `output`: what came of a motion, gathered before it is written.

#pragma once

#include "output/output.h"

#include "analysis/analysis.h"

typedef struct rh_outcome {
    const rh_outcome_def *def;
    const rh_model *model;
    const rh_checkup *checkup;
    rh_motion *motion;
    rh_text *out;
    rh_arena *scratch;
    size_t column_count;
    double *row; // the columns now
    rh_motion_summary summary;
    const char *reason; // why it stopped; "" when it reached its end
    bool is_reached;
} rh_outcome;

/// Did it happen after the start, and does it concern anybody? Switches do not.
bool rh__outcome_is_shown(const rh_outcome *outcome, const rh_occurrence *occurrence);

/// The name of a variable; lies in the scratch.
const char *rh__outcome_symbol(const rh_outcome *outcome, rh_expr symbol);

/// Was work counted, and can there be any?
bool rh__outcome_has_work(const rh_outcome *outcome);

/// The def with what an older program did not know; RH_E_ARGUMENT when it makes no sense.
rh_status rh__outcome_begin(const rh_outcome_def *def, rh_outcome_def *out, rh_error *err);
/// Ask the motion: from def, motion, checkup and scratch to all the rest.
rh_status rh__outcome_gather(rh_outcome *outcome, rh_error *err);

/// What stands between the braces of the JSON object.
void rh__outcome_keys(const rh_outcome *outcome);
void rh__outcome_text(const rh_outcome *outcome);

/// The deviations of program constraints, where somebody asked for them (decays.c).
void rh__decays_text(const rh_outcome *outcome);
void rh__decays_keys(const rh_outcome *outcome);

/// A number with 17 digits, or null.
void rh__outcome_number(rh_text *out, double value);
/// `"name": `, after a comma when it is not the first.
void rh__outcome_key(rh_text *out, const char *name, bool is_first);
/// `rod[3]` of `lambda.rod[3]` and of `dev.rod[3]`.
const char *rh__outcome_constraint(const char *column);

/// A number for a person; of small ones it says only that they are.
void rh__outcome_value(rh_text *out, double value, int digits);
void rh__outcome_small(rh_text *out, double value);
