// SPDX-License-Identifier: Apache-2.0
// Scales of the rows and columns of a form at a point, after which its numbers do not depend on the
// units of variables, constraints, time and mass: rates and their equations by the roots of masses,
//     D M D with D = 1/sqrt(M_ii),
// constraints and multipliers by what they make of these. What has no mass follows from the rows
// and columns it meets.

#include "equations/form.h"

#include <math.h>

enum { PASSES = 8 };

// 1 over the largest entry of each row whose scale is not known, in columns whose scale is; or of
// each column. False: nothing was found.
static bool follow(const rh_grid *matrix, const double *entries, bool is_row, double *work,
                   const rh_form_scales *out)
{
    const uint32_t n = matrix->rows;
    double *own = is_row ? out->row : out->column;
    const double *other = is_row ? out->column : out->row;
    bool is_found = false;
    for (uint32_t k = 0; k < n; k++) {
        work[k] = 0.0;
    }
    for (uint32_t k = 0; k < matrix->entries.count; k++) {
        const rh_entry *entry = &matrix->entries.data[k];
        const uint32_t at = is_row ? entry->row : entry->column;
        const double part = fabs(entries[k]) * other[is_row ? entry->column : entry->row];
        work[at] = fmax(work[at], part);
    }
    for (uint32_t k = 0; k < n; k++) {
        const double scale = 1.0 / work[k];
        if (own[k] == 0.0 && isfinite(scale) && scale > 0.0) {
            own[k] = scale;
            is_found = true;
        }
    }
    return is_found;
}

static void begin(const rh_form *form, const double *entries, const rh_form_scales *out)
{
    const rh_grid *matrix = &form->matrix;
    for (uint32_t k = 0; k < matrix->rows; k++) {
        out->row[k] = out->column[k] = 0.0;
    }
    for (uint32_t k = 0; k < matrix->entries.count; k++) {
        const rh_entry *entry = &matrix->entries.data[k];
        const double scale = 1.0 / sqrt(fabs(entries[k]));
        if (entry->row == entry->column && entry->row < form->rate_count && isfinite(scale) &&
            scale > 0.0) {
            out->row[entry->row] = out->column[entry->row] = scale;
        }
    }
}

// The nearest smaller power of two, by which numbers are multiplied without rounding.
static double power_of_two(double scale)
{
    return ldexp(1.0, ilogb(scale));
}

rh_status rh__form_scale(const rh_form *form, const double *entries, rh_arena *arena,
                         rh_form_scales *out)
{
    const uint32_t n = form->matrix.rows;
    *out = (rh_form_scales){.row = rh__arena_array(arena, double, (size_t)n + 1),
                            .column = rh__arena_array(arena, double, (size_t)n + 1),
                            .excess = rh__arena_array(arena, double, (size_t)n + 1)};
    if (out->row == NULL || out->column == NULL || out->excess == NULL) {
        return arena->status;
    }
    begin(form, entries, out);
    bool is_going = true;
    for (uint32_t k = 0; k < PASSES && is_going; k++) {
        const bool has_rows = follow(&form->matrix, entries, true, out->excess, out);
        const bool has_columns = follow(&form->matrix, entries, false, out->excess, out);
        is_going = has_rows || has_columns;
    }
    for (uint32_t k = 0; k < n; k++) {
        const double row = out->row[k] > 0.0 ? out->row[k] : 1.0;
        const double column = out->column[k] > 0.0 ? out->column[k] : 1.0;
        out->row[k] = power_of_two(row);
        out->column[k] = power_of_two(column);
        out->excess[k] = row / out->row[k];
    }
    return RH_OK;
}
