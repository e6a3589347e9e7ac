// SPDX-License-Identifier: Apache-2.0
// Names of a model that have a factor in other units.

#pragma once

#include "rewrite.h"

/// NULL: the name has no factor.
const units_name *units_name_find(const units_text *it, rh_slice name);
/// Fill the table of names from the tree and from the equations of the model.
void units_name_all(units_text *it, const char *path);
/// Write the text with factors.
void units_rewrite(units_text *it);
/// After all else: which variables take reactions, as the rule for the original text says.
void units_name_selection(units_text *it);
