// SPDX-License-Identifier: Apache-2.0
// Private to `motion`: the cells of a line of a table, and the numbers in them.

#pragma once

#include "base/base.h"

/// The cells of a line, separated by commas, without the blanks and quotes around them. Between
/// double quotes a comma is a letter; a quote that is not closed goes on to the end of the line.
/// `*at` begins at 0 and counts bytes; false when there is no further cell.
bool rh__cell_next(rh_slice line, size_t *at, rh_slice *out);

typedef enum rh_cell_kind {
    RH_CELL_NUMBER,
    RH_CELL_EMPTY,
    RH_CELL_HUGE, // a number that no double holds
    RH_CELL_TEXT
} rh_cell_kind;

/// The number in a cell, rounded to the nearest double; the same whatever the locale is.
rh_cell_kind rh__cell_number(rh_slice text, double *out);
