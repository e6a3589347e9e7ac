// SPDX-License-Identifier: Apache-2.0
// Eigenvalues of a product of matrices that is never formed: its parts are turned into triangles by
// orthogonal frames, round after round,
//     P_k Q_k = Q_(k+1) R_k,
// until the frames separate what grows differently. Then each eigenvalue, or each group of like
// moduli, is the product of diagonal blocks: the smallest as exact as the largest, as long as no
// factor has it below its rounding.

#include "orbit/orbit.h"

#include <math.h>
#include <string.h>

enum { ROUNDS = 80, FIRST = 16 }; // the first of them are not counted

#define APART 0.5 // difference of logarithms of moduli that ROUNDS separate to rounding

typedef struct frames {
    uint32_t n, count;
    const double *maps;  // n x n, one after the other
    double *triangles;   // the same
    double *frame, *old; // n x n: at the end and at the beginning of a round
    double *work;        // n x n
    double *mean;        // by index: logarithm of its growth in a round
} frames;

// frame := orthonormal columns of `work`, which is frame times triangle; twice, for rounding.
static void orthonormalise(const frames *in, double *triangle)
{
    RH_ASSERT(triangle != in->work);
    const uint32_t n = in->n;
    memset(triangle, 0, (size_t)n * n * sizeof *triangle);
    for (uint32_t c = 0; c < n; c++) {
        double *own = in->frame + (size_t)c * n;
        memcpy(own, in->work + (size_t)c * n, n * sizeof *own);
        for (uint32_t pass = 0; pass < 2; pass++) {
            for (uint32_t j = 0; j < c; j++) {
                const double *other = in->frame + (size_t)j * n;
                const double share = rh__vector_dot(n, other, own);
                triangle[(size_t)c * n + j] += share;
                for (uint32_t i = 0; i < n; i++) {
                    own[i] -= share * other[i];
                }
            }
        }
        const double size = rh__vector_norm(n, own);
        triangle[(size_t)c * n + c] = size;
        for (uint32_t i = 0; i < n; i++) {
            own[i] = size > 0.0 ? own[i] / size : 0.0;
        }
    }
}

static void multiply(uint32_t n, const double *a, const double *b, double *out)
{
    RH_ASSERT(out != a && out != b);
    for (uint32_t c = 0; c < n; c++) {
        for (uint32_t i = 0; i < n; i++) {
            double sum = 0.0;
            for (uint32_t j = 0; j < n; j++) {
                sum += a[(size_t)j * n + i] * b[(size_t)c * n + j];
            }
            out[(size_t)c * n + i] = sum;
        }
    }
}

static void turn(const frames *in)
{
    const size_t size = (size_t)in->n * in->n;
    for (uint32_t i = 0; i < in->n; i++) {
        in->frame[(size_t)i * in->n + i] = 1.0;
    }
    for (uint32_t round = 0; round < ROUNDS; round++) {
        memcpy(in->old, in->frame, size * sizeof *in->old);
        for (uint32_t k = 0; k < in->count; k++) {
            double *triangle = in->triangles + k * size;
            multiply(in->n, in->maps + k * size, in->frame, in->work);
            orthonormalise(in, triangle);
            for (uint32_t i = 0; round >= FIRST && i < in->n; i++) {
                in->mean[i] += log(triangle[(size_t)i * in->n + i]) / (ROUNDS - FIRST);
            }
        }
    }
}

// The product of the blocks from `first` on, `size` wide, into `out`; hands back the logarithm of
// what it is to be multiplied with.
static double multiply_blocks(const frames *in, uint32_t first, uint32_t size, double *out,
                              double *other)
{
    RH_ASSERT(first + size <= in->n);
    const uint32_t n = in->n;
    double scale = 0.0;
    for (uint32_t k = 0; k <= in->count; k++) {
        double largest = 0.0;
        // the frame of the end in that of the beginning is the last factor
        for (uint32_t c = 0; c < size; c++) {
            for (uint32_t i = 0; i < size; i++) {
                in->work[(size_t)c * size + i] =
                    k < in->count ? in->triangles[((size_t)k * n + first + c) * n + first + i]
                                  : rh__vector_dot(n, in->old + (size_t)(first + i) * n,
                                                   in->frame + (size_t)(first + c) * n);
            }
        }
        if (k == 0) {
            memcpy(out, in->work, (size_t)size * size * sizeof *out);
        } else {
            multiply(size, in->work, out, other);
            memcpy(out, other, (size_t)size * size * sizeof *out);
        }
        for (uint32_t i = 0; i < size * size; i++) {
            largest = fmax(largest, fabs(out[i]));
        }
        for (uint32_t i = 0; largest > 0.0 && i < size * size; i++) {
            out[i] /= largest;
        }
        scale += largest > 0.0 ? log(largest) : 0.0;
    }
    return scale;
}

rh_status rh__cycle_eigen(rh_arena *scratch, uint32_t n, uint32_t count, const double *maps,
                          double *real, double *imaginary)
{
    RH_ASSERT(count > 0);
    const size_t size = (size_t)n * n + 1;
    frames in = {.n = n, .count = count, .maps = maps};
    in.triangles = rh__arena_array(scratch, double, size *count);
    in.frame = rh__arena_array(scratch, double, size);
    in.old = rh__arena_array(scratch, double, size);
    in.work = rh__arena_array(scratch, double, size);
    in.mean = rh__arena_array(scratch, double, size);
    double *block = rh__arena_array(scratch, double, size);
    double *other = rh__arena_array(scratch, double, size);
    if (scratch->status != RH_OK) {
        return scratch->status;
    }
    turn(&in);
    for (uint32_t first = 0; first < n;) {
        uint32_t end = first + 1;
        while (end < n && in.mean[end - 1] - in.mean[end] <= APART) {
            end++;
        }
        const double scale = exp(multiply_blocks(&in, first, end - first, block, other));
        RH_TRY(rh__eigen_values(scratch, end - first, block, real + first, imaginary + first));
        for (; first < end; first++) {
            real[first] *= scale;
            imaginary[first] *= scale;
        }
    }
    return RH_OK;
}
