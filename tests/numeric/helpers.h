// SPDX-License-Identifier: Apache-2.0
// What the tests of src/numeric share: an arena with random numbers, and random matrices.

#pragma once

#include "support.h"

#include "numeric/numeric.h"

#include <float.h>
#include <math.h>

typedef struct bench {
    rh_arena arena;
    support_random random;
} bench;

static inline bench begin_bench(const char *test)
{
    return (bench){rh__arena_begin(rh_allocator_default(), SIZE_MAX / 2),
                   support_random_begin(test)};
}

static inline void end_bench(bench *on)
{
    rh__arena_end(&on->arena);
}

static inline double *new_numbers(bench *on, size_t count)
{
    double *numbers = rh__arena_array(&on->arena, double, count);
    assert_non_null(numbers);
    return numbers;
}

static inline double *random_numbers(bench *on, size_t count)
{
    double *numbers = new_numbers(on, count);
    for (size_t k = 0; k < count; k++) {
        numbers[k] = support_random_real(&on->random, -1.0, 1.0);
    }
    return numbers;
}

/// c = a b, with a of rows x inner, b of inner x columns.
static inline double *product(bench *on, uint32_t rows, uint32_t inner, uint32_t columns,
                              const double *a, const double *b)
{
    double *c = new_numbers(on, (size_t)rows * columns);
    for (size_t j = 0; j < columns; j++) {
        for (size_t k = 0; k < inner; k++) {
            for (size_t i = 0; i < rows; i++) {
                c[i + j * rows] += a[i + k * rows] * b[k + j * inner];
            }
        }
    }
    return c;
}

/// The largest componentwise backward error of a x = b: |b - a x|_i / (|a| |x| + |b|)_i.
static inline double backward_error(bench *on, uint32_t n, const double *a, const double *x,
                                    const double *b)
{
    double worst = 0.0;
    for (size_t i = 0; i < n; i++) {
        long double residual = b[i];
        long double size = fabs(b[i]);
        for (size_t j = 0; j < n; j++) {
            residual -= (long double)a[i + j * n] * x[j];
            size += fabsl((long double)a[i + j * n] * x[j]);
        }
        if (residual != 0.0L) {
            worst = fmax(worst, (double)(fabsl(residual) / size));
        }
    }
    (void)on;
    return worst;
}
