// SPDX-License-Identifier: Apache-2.0
// Rows of length one, and the reduced echelon form of the columns of a matrix.

#include "numeric/numeric.h"

#include <math.h>

void rh__matrix_scale_rows(uint32_t rows, uint32_t columns, double *a)
{
    for (uint32_t i = 0; i < rows; i++) {
        double size = 0.0;
        for (uint32_t j = 0; j < columns; j++) {
            size = hypot(size, a[i + (size_t)j * rows]);
        }
        for (uint32_t j = 0; size > 0.0 && j < columns; j++) {
            a[i + (size_t)j * rows] /= size;
        }
    }
}

// The column from `done` on with the largest element in a row.
static uint32_t find_pivot(uint32_t rows, uint32_t columns, uint32_t row, uint32_t done,
                           const double *a)
{
    RH_ASSERT(row < rows && done < columns);
    uint32_t best = done;
    for (uint32_t j = done; j < columns; j++) {
        best = fabs(a[row + (size_t)j * rows]) > fabs(a[row + (size_t)best * rows]) ? j : best;
    }
    return best;
}

void rh__echelon(uint32_t rows, uint32_t columns, double tolerance, bool is_from_last, double *a)
{
    uint32_t done = 0;
    for (uint32_t k = 0; k < rows && done < columns; k++) {
        const uint32_t row = is_from_last ? rows - 1 - k : k;
        const uint32_t best = find_pivot(rows, columns, row, done, a);
        const double pivot = a[row + (size_t)best * rows];
        if (fabs(pivot) < tolerance) {
            continue;
        }
        for (uint32_t i = 0; i < rows; i++) {
            const double kept = a[i + (size_t)done * rows];
            a[i + (size_t)done * rows] = a[i + (size_t)best * rows];
            a[i + (size_t)best * rows] = kept;
        }
        for (uint32_t i = 0; i < rows; i++) {
            a[i + (size_t)done * rows] /= pivot;
        }
        for (uint32_t j = 0; j < columns; j++) {
            const double factor = a[row + (size_t)j * rows];
            for (uint32_t i = 0; j != done && i < rows; i++) {
                a[i + (size_t)j * rows] -= factor * a[i + (size_t)done * rows];
            }
        }
        done++;
    }
}
