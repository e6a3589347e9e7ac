// SPDX-License-Identifier: Apache-2.0
// Private to `output`: texts in tables.

#pragma once

#include "base/base.h"

/// A text without line breaks and the like, so that a line of the file is a row.
void rh__csv_put_plain(rh_text *out, const char *text);
/// The same as a field: quoted where it must be.
void rh__csv_put(rh_text *out, const char *text);
