// SPDX-License-Identifier: Apache-2.0
// Private to `output`: texts of the caller in SVG.

#pragma once

#include "base/base.h"

/// A text, cut when it is long, without what XML forbids or what would hide something, escaped for
/// content and for attributes.
void rh__svg_put_name(rh_text *out, rh_arena *scratch, const char *text);

/// How many characters that shows.
uint32_t rh__svg_name_length(const char *text);
