// SPDX-License-Identifier: Apache-2.0
// Private to `output`: what `check` writes of a checkup.

#pragma once

#include "output/output.h"

#include "analysis/analysis.h"

/// A number with 17 digits; `null` when it is not finite.
void rh__doctor_number(rh_text *out, double value);
/// Expressions of the checkup that will be shown.
bool rh__doctor_roots(const rh_checkup *checkup, rh_arena *arena, rh_expr_list *roots);

// JSON, each beginning with a comma
void rh__doctor_constraint(const rh_summary *summary, uint32_t link);
void rh__doctor_counts(const rh_summary *summary);
void rh__doctor_reactions(const rh_summary *summary);
void rh__doctor_weights(const rh_summary *summary);
void rh__doctor_start(const rh_summary *summary);

/// All of it for a person.
void rh__doctor_text(const rh_summary *summary);
