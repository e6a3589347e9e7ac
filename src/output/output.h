// SPDX-License-Identifier: Apache-2.0
// Door of the room `output`: results as text for people and for other programs. What its files
// share stands here too.

#pragma once

#include "rheonom/output.h"

#include "model/model.h"

/// Pass on what is left, give back the arena, and turn the outcome into a status with its reason.
rh_status rh__output_end(rh_text *out, rh_arena *arena, rh_error *err);

const char *rh__output_rank(rh_rank rank); // "error" ...

/// The text with everything a terminal might obey, or that would hide what is written, shown as
/// `?`.
void rh__output_safe(rh_text *out, rh_slice text);

/// The source line of a place with its number, and below it `^~~~` under the place, between `begin`
/// and `end` (colour codes or empty). Long lines are cut around it.
void rh__output_excerpt(rh_text *out, const rh_place *place, const char *begin, const char *end);

/// All remarks of a model as a JSON array.
void rh__output_remarks(rh_text *out, const rh_model *model);
/// Remarks of another list about the model as a JSON array.
void rh__output_remark_list(rh_text *out, const rh_model *model, const rh_diagnostics *list);

/// How a model is shown by `check`: one plan of names for the parts of all its expressions.
typedef struct rh_summary {
    const rh_model *model;
    const rh_checkup *checkup; // NULL: only the model is known
    rh_text *out;
    rh_arena *scratch;
    rh_show *show;
} rh_summary;

/// `x[3]'`: the name of a row.
void rh__summary_name(const rh_row *row, const rh_store *store, rh_text *out);
/// `servo(psi: 1)`: the realisation with its arguments.
void rh__summary_realisation(const rh_summary *summary, const rh_constraint *constraint,
                             rh_text *out);
void rh__summary_text(const rh_summary *summary);
void rh__summary_json(const rh_summary *summary);
