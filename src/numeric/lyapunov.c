// SPDX-License-Identifier: Apache-2.0
// Lyapunov's equation a^T c + c a = -q. With Schur's form a = Z T Z^T and c = Z x Z^T it is
// T^T x + x T = -Z^T q Z, which LAPACK solves column by column (Bartels, Stewart, CACM 15 (1972)
// 820).

#include "numeric/numeric.h"

#include "numeric/lapack.h"

#include <math.h>
#include <string.h>

typedef struct equation {
    int n;
    double *schur, *basis; // T, Z
    double *right;         // -Z^T q Z, then x
    double *product;       // work
    double *rest;          // what is missed
    double *real, *work;
} equation;

// out = op(a) b, all n x n.
static void multiply(uint32_t n, bool is_transposed, const double *a, const double *b, double *out)
{
    RH_ASSERT(out != a && out != b);
    for (uint32_t j = 0; j < n; j++) {
        for (uint32_t i = 0; i < n; i++) {
            double sum = 0.0;
            for (uint32_t k = 0; k < n; k++) {
                sum += (is_transposed ? a[k + (size_t)i * n] : a[i + (size_t)k * n]) *
                       b[k + (size_t)j * n];
            }
            out[i + (size_t)j * n] = sum;
        }
    }
}

// out = Z w Z^T, or Z^T w Z.
static void turn(const equation *it, bool is_back, const double *w, double *out)
{
    RH_ASSERT(w != it->product && out != it->product);
    const uint32_t n = (uint32_t)it->n;
    multiply(n, !is_back, it->basis, w, it->product);
    for (uint32_t j = 0; j < n; j++) {
        for (uint32_t i = 0; i < n; i++) {
            double sum = 0.0;
            for (uint32_t k = 0; k < n; k++) {
                sum += it->product[i + (size_t)k * n] *
                       (is_back ? it->basis[j + (size_t)k * n] : it->basis[k + (size_t)j * n]);
            }
            out[i + (size_t)j * n] = sum;
        }
    }
}

static bool find_schur(equation *it, const double *a)
{
    const int work_size = 8 * it->n;
    int found = 0;
    int info = 0;
    int unused = 0;
    memcpy(it->schur, a, sizeof *a * (size_t)it->n * (size_t)it->n);
    rh__lapack_enter();
    dgees_("V", "N", NULL, &it->n, it->schur, &it->n, &found, it->real, it->real + it->n, it->basis,
           &it->n, it->work, &work_size, &unused, &info, 1, 1);
    rh__lapack_leave();
    return info == 0;
}

// False when a sum of two eigenvalues is near zero.
static bool solve(equation *it)
{
    const int plus = 1;
    double scale = 1.0;
    int info = 0;
    rh__lapack_enter();
    dtrsyl_("T", "N", &plus, &it->n, &it->n, it->schur, &it->n, it->schur, &it->n, it->right,
            &it->n, &scale, &info, 1, 1);
    rh__lapack_leave();
    for (size_t k = 0; k < (size_t)it->n * (size_t)it->n; k++) {
        it->right[k] /= scale;
    }
    return info == 0 && scale > 0.0 &&
           rh__vector_is_finite((size_t)it->n * (size_t)it->n, it->right);
}

// What c misses: -(q + a^T c + c a), in long sums.
static void measure(uint32_t n, const double *a, const double *q, const double *c, double *out)
{
    for (uint32_t j = 0; j < n; j++) {
        for (uint32_t i = 0; i < n; i++) {
            long double sum = q[i + (size_t)j * n];
            for (uint32_t k = 0; k < n; k++) {
                sum += (long double)a[k + (size_t)i * n] * c[k + (size_t)j * n];
                sum += (long double)c[i + (size_t)k * n] * a[k + (size_t)j * n];
            }
            out[i + (size_t)j * n] = -(double)sum;
        }
    }
}

// c plus the solution for what it misses.
static bool improve(equation *it, double *c)
{
    const uint32_t n = (uint32_t)it->n;
    turn(it, false, it->rest, it->right);
    const bool is_well = solve(it);
    turn(it, true, it->right, it->rest);
    for (uint32_t j = 0; is_well && j < n; j++) {
        for (uint32_t i = 0; i < n; i++) { // symmetric but for rounding
            c[i + (size_t)j * n] +=
                (it->rest[i + (size_t)j * n] + it->rest[j + (size_t)i * n]) / 2.0;
        }
    }
    return is_well;
}

static bool reserve(rh_arena *arena, uint32_t n, equation *out)
{
    const size_t whole = (size_t)n * n;
    double *room = rh__arena_array(arena, double, 5 * whole + 10 * (size_t)n);
    *out = (equation){.n = (int)n, .schur = room};
    if (room != NULL) {
        out->basis = room + whole;
        out->right = room + 2 * whole;
        out->product = room + 3 * whole;
        out->rest = room + 4 * whole;
        out->real = room + 5 * whole;
        out->work = out->real + 2 * (size_t)n;
    }
    return room != NULL;
}

rh_status rh__lyapunov_solve(rh_arena *arena, uint32_t n, const double *a, const double *q,
                             double *out)
{
    const size_t whole = (size_t)n * n;
    if (n > RH_DENSE_LIMIT) {
        return RH_E_LIMIT;
    }
    if (!rh__vector_is_finite(whole, a) || !rh__vector_is_finite(whole, q)) {
        return RH_E_ARGUMENT;
    }
    if (n == 0) {
        return RH_OK;
    }
    const rh_mark mark = rh__arena_mark(arena);
    equation it;
    if (!reserve(arena, n, &it)) {
        return arena->status;
    }
    bool is_well = find_schur(&it, a);
    memset(out, 0, whole * sizeof *out);
    for (uint32_t round = 0; is_well && round < 2; round++) { // the second one refines
        measure(n, a, q, out, it.rest);
        is_well = improve(&it, out);
    }
    rh__arena_rewind(arena, mark);
    return is_well ? RH_OK : RH_E_LIMIT;
}
