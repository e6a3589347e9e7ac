// SPDX-License-Identifier: Apache-2.0
// Private to `model`: the canonical text of a sound model.

#pragma once

#include "model/model.h"

/// Write the canonical text of the stage `model`. When memory is refused `out` is no longer ok, and
/// its arena has the reason. The model's store may grow.
void rh__model_describe(const rh_model *model, rh_text *out);

/// Write how many rows the model has and how many shapes they have. False when the scratch arena
/// refused.
bool rh__model_census(const rh_model *model, rh_arena *scratch, rh_text *out);
