// SPDX-License-Identifier: Apache-2.0
// Step limits of explicit methods. A step h turns exp(h lambda) into R(h lambda), a polynomial; as
// long as |R| <= 1 nothing grows that should not. Along the ray h lambda, h > 0, |R|^2 - 1 is a
// polynomial in h whose first change of sign is the limit, whatever the angle of lambda is.

#include "program/program.h"

#include <math.h>

enum { MOST_TERMS = 7 };

#define REACH 8.0 // |h lambda|: all these methods fail before it

typedef struct method_row {
    const char *word;
    uint32_t degree;
    double coefficient[MOST_TERMS]; // of R
} method_row;

static const method_row METHODS[RH_PROGRAM_METHOD_COUNT] = {
    [RH_PROGRAM_EULER] = {"euler", 1, {1.0, 1.0}},
    [RH_PROGRAM_RK2] = {"rk2", 2, {1.0, 1.0, 1.0 / 2.0}},
    [RH_PROGRAM_RK3] = {"rk3", 3, {1.0, 1.0, 1.0 / 2.0, 1.0 / 6.0}},
    [RH_PROGRAM_RK4] = {"rk4", 4, {1.0, 1.0, 1.0 / 2.0, 1.0 / 6.0, 1.0 / 24.0}},
    [RH_PROGRAM_DP5] = {"dp5",
                        6,
                        {1.0, 1.0, 1.0 / 2.0, 1.0 / 6.0, 1.0 / 24.0, 1.0 / 120.0, 1.0 / 600.0}},
};

const char *rh_program_method_text(rh_program_method method)
{
    return (size_t)method < RH_PROGRAM_METHOD_COUNT ? METHODS[method].word : "";
}

// Coefficients of (|R(REACH s u)|^2 - 1) / s for the unit number u = real + i imaginary.
static uint32_t expand(const method_row *row, double real, double imaginary, double *out)
{
    RH_ASSERT(0 < row->degree && row->degree < MOST_TERMS);
    double re[MOST_TERMS]; // of the coefficients of R by powers of s
    double im[MOST_TERMS];
    double power_re = 1.0;
    double power_im = 0.0;
    for (uint32_t k = 0; k <= row->degree; k++) {
        re[k] = row->coefficient[k] * power_re;
        im[k] = row->coefficient[k] * power_im;
        const double next = REACH * (power_re * real - power_im * imaginary);
        power_im = REACH * (power_re * imaginary + power_im * real);
        power_re = next;
    }
    for (uint32_t k = 1; k <= 2 * row->degree; k++) {
        double sum = 0.0;
        double size = 0.0;
        for (uint32_t j = k > row->degree ? k - row->degree : 0; j <= k && j <= row->degree; j++) {
            sum += re[j] * re[k - j] + im[j] * im[k - j];
            size += fabs(re[j] * re[k - j]) + fabs(im[j] * im[k - j]);
        }
        out[k - 1] = fabs(sum) <= 1e-14 * size ? 0.0 : sum; // what cancels, cancels
    }
    return 2 * row->degree - 1;
}

double rh__program_limit(rh_program_method method, double real, double imaginary)
{
    const double size = hypot(real, imaginary);
    if (!(size > 0.0)) {
        return (double)INFINITY;
    }
    double c[2 * MOST_TERMS] = {0.0};
    double work[RH_POLYNOMIAL_WORK(2 * MOST_TERMS)];
    rh_root roots[2 * MOST_TERMS + 1];
    uint32_t degree = expand(&METHODS[method], real / size, imaginary / size, c);
    uint32_t first = 0;
    while (first < degree && c[first] == 0.0) {
        first++;
    }
    if (!(c[first] < 0.0)) {
        return 0.0;
    }
    rh_root_list list = {.data = roots, .capacity = 2 * MOST_TERMS + 1};
    const rh_root_query query = {.c = c + first, .degree = degree - first, .tolerance = 0.0};
    if (rh__polynomial_roots(&query, work, &list) != RH_OK) {
        return (double)NAN;
    }
    for (uint32_t k = 0; k < list.count; k++) {
        if (list.data[k].after > 0) {
            return list.data[k].at * REACH / size;
        }
    }
    return (double)NAN;
}

double rh__program_limits(rh_program_method method, const rh_program_root *roots, uint32_t count)
{
    double least = (double)INFINITY;
    for (uint32_t k = 0; k < count; k++) {
        if (roots[k].real <= 0.0) {
            least = fmin(least, rh__program_limit(method, roots[k].real, roots[k].imaginary));
        }
    }
    return isinf(least) ? (double)NAN : least;
}

// All roots of a part at a point; none where they are not finite.
static rh_status find_roots(rh_program *program, const rh_program_part *part, rh_program_root *out,
                            uint32_t *out_count)
{
    rh_arena *scratch = &program->scratch;
    const uint32_t n = part->count;
    double *p = rh__arena_array(scratch, double, (size_t)n *n + 2 * (size_t)n);
    *out_count = 0;
    if (p == NULL) {
        return scratch->status;
    }
    double *real = p + (size_t)n * n;
    RH_TRY(rh__program_matrix(program, part, &program->point, p));
    if (!rh__vector_is_finite((size_t)n * n, p)) {
        return RH_OK;
    }
    RH_TRY(rh__eigen_values(scratch, n, p, real, real + n));
    for (uint32_t k = 0; k < n; k++) {
        out[(*out_count)++] = (rh_program_root){real[k], real[n + k]};
    }
    return RH_OK;
}

rh_status rh__program_limit_box(rh_program *program)
{
    double at[RH_PROGRAM_DIMENSIONS] = {0.0};
    rh_program_root roots[RH_PROGRAM_MOST];
    rh_program_summary *summary = &program->summary;
    for (uint64_t k = 0; rh__region_point(program, k, at) && !rh__program_is_enough(program); k++) {
        rh__region_place(program, &program->point, at);
        summary->limit_count++;
        for (uint32_t j = 0; j < program->parts.count; j++) {
            uint32_t count = 0;
            const rh_mark mark = rh__arena_mark(&program->scratch);
            RH_TRY(find_roots(program, &program->parts.data[j], roots, &count));
            rh__arena_rewind(&program->scratch, mark);
            for (uint32_t m = 0; m < RH_PROGRAM_METHOD_COUNT; m++) {
                // fmin passes over NaN
                summary->step_limits[m] =
                    fmin(summary->step_limits[m],
                         rh__program_limits((rh_program_method)m, roots, count));
            }
        }
    }
    return RH_OK;
}
