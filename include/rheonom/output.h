// SPDX-License-Identifier: Apache-2.0
// Results as text for people and for other programs.

#pragma once

#include "rheonom/base.h"
#include "rheonom/model.h"

RH_EXTERN_C_BEGIN

typedef enum rh_format { RH_FORMAT_TEXT, RH_FORMAT_JSON } rh_format;

/// What the model is: coordinates, states, constraints with kind, level, sidedness and realisation,
/// counts. A model with errors has only its diagnostics: RH_E_MODEL.
RH_API RH_NODISCARD rh_status rh_output_check(const rh_model *model, rh_format format, rh_sink sink,
                                              rh_error *err);

/// All diagnostics of a model: as text with the source line and a caret span (in colour when
/// `is_coloured`), or as one JSON object {"status", "diagnostics": [...]}.
RH_API RH_NODISCARD rh_status rh_output_diagnostics(const rh_model *model, rh_format format,
                                                    bool is_coloured, rh_sink sink, rh_error *err);

/// The long text of a diagnostic code. RH_E_ARGUMENT when there is no such code; `err` then
/// suggests the nearest.
RH_API RH_NODISCARD rh_status rh_output_explain(const char *code, rh_sink sink, rh_error *err);

/// All codes with their titles, one a line.
RH_API RH_NODISCARD rh_status rh_output_codes(rh_sink sink, rh_error *err);

RH_EXTERN_C_END
