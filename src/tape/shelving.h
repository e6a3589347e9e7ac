// SPDX-License-Identifier: Apache-2.0
// Private to `tape`: where the text of a sparse block keeps its numbers. Rows and columns have
// their own numbers, not their positions in the elimination, and the t-th number of each row lies
// beside the t-th of the next, so that what is done with a family of rows is done with numbers side
// by side.

#pragma once

#include "tape/saddle.h"

typedef struct rh_shelving {
    const rh_tape_block *block;
    const rh_saddle *saddle;
    uint32_t *upper_home; // as saddle->upper
    uint32_t *lower_home; // as saddle->lower
    uint32_t *ranked;     // as saddle->upper: of each row its places there, by number of the column
    uint32_t *entry_place; // by entry: in the array of their values
} rh_shelving;

/// How many numbers: factors (the diagonal first), and values of entries.
typedef struct rh_shelving_size {
    uint32_t homes, places;
} rh_shelving_size;

rh_shelving_size rh__shelving_measure(const rh_tape_block *block);
/// False when there was no memory.
RH_NODISCARD bool rh__shelving_create(const rh_tape_block *block, rh_arena *arena,
                                      rh_shelving *out);
/// Where the number of a row and a column is kept, both given by their positions.
uint32_t rh__shelving_home(const rh_shelving *shelving, uint32_t row, uint32_t column);
