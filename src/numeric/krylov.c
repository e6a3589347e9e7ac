// SPDX-License-Identifier: Apache-2.0
// Outer eigenvalues of a large matrix that is known by its products alone: Arnoldi's method. What
// lies at the border of the spectrum is found first, and well.

#include "numeric/numeric.h"

#include <math.h>

typedef struct arnoldi {
    uint32_t n, steps;
    double *basis;      // n x (steps + 1), orthonormal
    double *hessenberg; // steps x steps
} arnoldi;

// Numbers between -1 and 1 without a pattern; always the same.
static void begin_basis(const arnoldi *on)
{
    uint64_t word = 88172645463325252;
    for (uint32_t i = 0; i < on->n; i++) {
        word = word * 6364136223846793005 + 1442695040888963407;
        on->basis[i] = (double)(word >> 11) * 0x1p-52 - 1.0;
    }
    const double norm = rh__vector_norm(on->n, on->basis);
    for (uint32_t i = 0; i < on->n; i++) {
        on->basis[i] /= norm;
    }
}

// Take from column k + 1 of the basis what lies in those before it, twice; its norm is left.
static double orthogonalise(const arnoldi *on, uint32_t k)
{
    double *next = on->basis + (size_t)(k + 1) * on->n;
    for (uint32_t turn = 0; turn < 2; turn++) {
        for (uint32_t j = 0; j <= k; j++) {
            const double *other = on->basis + (size_t)j * on->n;
            const double share = rh__vector_dot(on->n, other, next);
            on->hessenberg[j + (size_t)k * on->steps] += share;
            for (uint32_t i = 0; i < on->n; i++) {
                next[i] -= share * other[i];
            }
        }
    }
    return rh__vector_norm(on->n, next);
}

// How many columns there are: fewer when they span a space that the matrix maps into itself.
static uint32_t fill_basis(const arnoldi *on, rh_multiply *multiply, void *user)
{
    double largest = 0.0;
    for (uint32_t k = 0; k < on->steps; k++) {
        double *next = on->basis + (size_t)(k + 1) * on->n;
        if (!multiply(user, on->basis + (size_t)k * on->n, next) ||
            !rh__vector_is_finite(on->n, next)) {
            return 0;
        }
        largest = fmax(largest, rh__vector_norm(on->n, next));
        const double norm = orthogonalise(on, k);
        if (!(norm > 1e-12 * largest) || k + 1 == on->steps) {
            return k + 1;
        }
        on->hessenberg[k + 1 + (size_t)k * on->steps] = norm;
        for (uint32_t i = 0; i < on->n; i++) {
            next[i] /= norm;
        }
    }
    return on->steps;
}

static rh_status find_values(arnoldi *on, rh_arena *arena, rh_multiply *multiply, void *user,
                             double *out_real, double *out_imaginary, uint32_t *out_count)
{
    on->basis = rh__arena_array(arena, double, (size_t)on->n *(on->steps + 1) + 1);
    on->hessenberg = rh__arena_array(arena, double, (size_t)on->steps * on->steps + 1);
    double *small = rh__arena_array(arena, double, (size_t)on->steps * on->steps + 1);
    if (on->basis == NULL || on->hessenberg == NULL || small == NULL) {
        return arena->status;
    }
    begin_basis(on);
    const uint32_t count = fill_basis(on, multiply, user);
    for (uint32_t j = 0; j < count; j++) {
        for (uint32_t i = 0; i < count; i++) {
            small[i + (size_t)j * count] = on->hessenberg[i + (size_t)j * on->steps];
        }
    }
    *out_count = count;
    return count == 0 ? RH_E_ARGUMENT
                      : rh__eigen_values(arena, count, small, out_real, out_imaginary);
}

rh_status rh__krylov_values(rh_arena *arena, uint32_t n, uint32_t steps, rh_multiply *multiply,
                            void *user, double *out_real, double *out_imaginary,
                            uint32_t *out_count)
{
    arnoldi on = {.n = n, .steps = steps < n ? steps : n};
    const rh_mark mark = rh__arena_mark(arena);
    *out_count = 0;
    const rh_status status =
        n == 0 ? RH_OK
               : find_values(&on, arena, multiply, user, out_real, out_imaginary, out_count);
    rh__arena_rewind(arena, mark);
    return status;
}
