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

void rh__outcome_text(const rh_outcome *outcome);
