// SPDX-License-Identifier: Apache-2.0
// Private to `syntax`: where a byte of the joined sources stands, without the text of its line.

#pragma once

#include "syntax/syntax.h"

/// Line and column count from 1, columns in code points; `line_start` counts bytes in the part.
typedef struct rh_position {
    uint32_t line, column;
    uint32_t line_start;
} rh_position;

/// The part a byte belongs to; the byte after the last one still belongs to its part.
const rh_source_part *rh__source_part_at(const rh_source *source, uint32_t offset);

/// Takes a bounded number of steps, however long the text and its lines are.
rh_position rh__source_position(const rh_source *source, uint32_t offset);
