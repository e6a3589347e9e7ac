// SPDX-License-Identifier: Apache-2.0
// Eigenvalues with their condition numbers, balancing, and eigenvalues of small matrices by the
// double-shifted QR iteration on their Hessenberg form (Francis 1961).

#include "numeric/numeric.h"

#include "numeric/lapack.h"

#include <float.h>
#include <math.h>
#include <string.h>

// --- conditions ----------------------------------------------------------------------------------

// |y^H x| of the pair in columns k, k + 1 (real and imaginary parts), or of column k alone.
static double overlap(uint32_t n, const double *left, const double *right, uint32_t k, bool is_pair)
{
    const double *yr = left + (size_t)k * n;
    const double *xr = right + (size_t)k * n;
    if (!is_pair) {
        return fabs(rh__vector_dot(n, yr, xr)) / (rh__vector_norm(n, yr) * rh__vector_norm(n, xr));
    }
    const double *yi = yr + n;
    const double *xi = xr + n;
    const double re = rh__vector_dot(n, yr, xr) + rh__vector_dot(n, yi, xi);
    const double im = rh__vector_dot(n, yr, xi) - rh__vector_dot(n, yi, xr);
    const double y = hypot(rh__vector_norm(n, yr), rh__vector_norm(n, yi));
    const double x = hypot(rh__vector_norm(n, xr), rh__vector_norm(n, xi));
    return hypot(re, im) / (y * x);
}

rh_status rh__eigen_conditions(rh_arena *arena, uint32_t n, const double *a, double *out_real,
                               double *out_imaginary, double *out_condition)
{
    if (n > RH_DENSE_LIMIT) {
        return RH_E_LIMIT;
    }
    if (!rh__vector_is_finite((size_t)n * n, a)) {
        return RH_E_ARGUMENT;
    }
    if (n == 0) {
        return RH_OK;
    }
    const rh_mark mark = rh__arena_mark(arena);
    const int size = (int)n;
    const int work_size = 8 * size;
    int info = 0;
    double *copy = rh__arena_array(arena, double, (size_t)n *n * 3);
    double *work = rh__arena_array(arena, double, (size_t)work_size);
    if (copy == NULL || work == NULL) {
        return arena->status;
    }
    double *left = copy + (size_t)n * n;
    double *right = left + (size_t)n * n;
    memcpy(copy, a, sizeof *a * n * n);
    rh__lapack_enter();
    dgeev_("V", "V", &size, copy, &size, out_real, out_imaginary, left, &size, right, &size, work,
           &work_size, &info, 1, 1);
    rh__lapack_leave();
    for (uint32_t k = 0; info == 0 && k < n; k++) {
        const bool is_pair = out_imaginary[k] != 0.0 && k + 1 < n;
        const double share = overlap(n, left, right, k, is_pair);
        out_condition[k] = share > 0.0 ? 1.0 / share : INFINITY;
        if (is_pair) {
            out_condition[k + 1] = out_condition[k];
            k++;
        }
    }
    rh__arena_rewind(arena, mark);
    return info != 0 ? RH_E_LIMIT : RH_OK;
}

// --- balancing -----------------------------------------------------------------------------------

void rh__eigen_balance(uint32_t n, const double *a, double *out)
{
    RH_ASSERT(a != out);
    for (uint32_t k = 0; k < n; k++) {
        out[k] = 1.0;
    }
    for (uint32_t round = 0, is_changed = 1; is_changed != 0 && round < 40; round++) {
        is_changed = 0;
        for (uint32_t k = 0; k < n; k++) {
            double row = 0.0;
            double column = 0.0;
            for (uint32_t j = 0; j < n; j++) {
                row += j == k ? 0.0 : fabs(a[k + (size_t)j * n]) * out[j] / out[k];
                column += j == k ? 0.0 : fabs(a[j + (size_t)k * n]) * out[k] / out[j];
            }
            if (!(row > 0.0) || !(column > 0.0) || !isfinite(row) || !isfinite(column)) {
                continue;
            }
            int exponent = 0;
            (void)frexp(sqrt(row / column), &exponent);
            const double change = ldexp(1.0, exponent - 1);
            if (row / change + column * change < 0.95 * (row + column)) {
                out[k] *= change;
                is_changed = 1;
            }
        }
    }
}

// --- small matrices ------------------------------------------------------------------------------

#define AT(i, j) a[(i) + (size_t)(j)*n]

// To Hessenberg form by elimination with pivots: similarity, no memory.
static void make_hessenberg(uint32_t n, double *a)
{
    for (uint32_t m = 1; m + 1 < n; m++) {
        uint32_t best = m;
        for (uint32_t i = m + 1; i < n; i++) {
            best = fabs(AT(i, m - 1)) > fabs(AT(best, m - 1)) ? i : best;
        }
        if (AT(best, m - 1) == 0.0) {
            continue;
        }
        for (uint32_t j = 0; best != m && j < n; j++) {
            const double kept = AT(best, j);
            AT(best, j) = AT(m, j);
            AT(m, j) = kept;
        }
        for (uint32_t i = 0; best != m && i < n; i++) {
            const double kept = AT(i, best);
            AT(i, best) = AT(i, m);
            AT(i, m) = kept;
        }
        for (uint32_t i = m + 1; i < n; i++) {
            const double share = AT(i, m - 1) / AT(m, m - 1);
            if (share == 0.0) {
                continue;
            }
            for (uint32_t j = 0; j < n; j++) {
                AT(i, j) -= share * AT(m, j);
            }
            AT(i, m - 1) = 0.0;
            for (uint32_t k = 0; k < n; k++) {
                AT(k, m) += share * AT(k, i);
            }
        }
    }
}

// Both eigenvalues of the block at rows and columns k, k + 1.
static void split_pair(uint32_t n, const double *a, uint32_t k, double *re, double *im)
{
    RH_ASSERT(k + 1 < n);
    const double half = 0.5 * (AT(k, k) - AT(k + 1, k + 1));
    const double product = AT(k, k + 1) * AT(k + 1, k);
    const double square = half * half + product;
    const double root = sqrt(fabs(square));
    im[k] = im[k + 1] = 0.0;
    if (square >= 0.0) {
        const double far = half >= 0.0 ? half + root : half - root;
        re[k] = AT(k + 1, k + 1) + far;
        re[k + 1] = far != 0.0 ? AT(k + 1, k + 1) - product / far : re[k];
    } else {
        re[k] = re[k + 1] = AT(k + 1, k + 1) + half;
        im[k] = root;
        im[k + 1] = -root;
    }
}

// One double-shifted sweep on rows low ... high, shifts s (sum) and p (product).
static void sweep_once(uint32_t n, double *a, uint32_t low, uint32_t high, double s, double p)
{
    RH_ASSERT(low + 1 < high && high < n);
    double x =
        AT(low, low) * AT(low, low) + AT(low, low + 1) * AT(low + 1, low) - s * AT(low, low) + p;
    double y = AT(low + 1, low) * (AT(low, low) + AT(low + 1, low + 1) - s);
    double z = low + 2 <= high ? AT(low + 1, low) * AT(low + 2, low + 1) : 0.0;
    for (uint32_t k = low; k < high; k++) {
        const uint32_t last = k + 2 <= high ? k + 2 : high;
        const bool is_three = k + 2 <= high;
        const double length = sqrt(x * x + y * y + (is_three ? z * z : 0.0));
        if (length > 0.0 && isfinite(length)) {
            const double alpha = x > 0.0 ? -length : length;
            const double v[3] = {1.0, y / (x - alpha), is_three ? z / (x - alpha) : 0.0};
            const double factor = (alpha - x) / alpha;
            const uint32_t rows = last - k + 1;
            for (uint32_t j = k > low ? k - 1 : low; j < n; j++) {
                double sum = 0.0;
                for (uint32_t i = 0; i < rows; i++) {
                    sum += v[i] * AT(k + i, j);
                }
                for (uint32_t i = 0; i < rows; i++) {
                    AT(k + i, j) -= factor * sum * v[i];
                }
            }
            const uint32_t bottom = k + 3 < high ? k + 3 : high;
            for (uint32_t i = 0; i <= bottom; i++) {
                double sum = 0.0;
                for (uint32_t j = 0; j < rows; j++) {
                    sum += AT(i, k + j) * v[j];
                }
                for (uint32_t j = 0; j < rows; j++) {
                    AT(i, k + j) -= factor * sum * v[j];
                }
            }
        }
        if (k + 1 < high || is_three) {
            x = AT(k + 1, k);
            y = k + 2 <= high ? AT(k + 2, k) : 0.0;
            z = k + 3 <= high ? AT(k + 3, k) : 0.0;
        }
    }
    for (uint32_t i = low + 2; i <= high; i++) {
        for (uint32_t j = low; j + 1 < i; j++) {
            AT(i, j) = 0.0;
        }
    }
}

static uint32_t find_low(uint32_t n, double *a, uint32_t high)
{
    uint32_t low = high;
    while (low > 0) {
        const double size = fabs(AT(low, low)) + fabs(AT(low - 1, low - 1));
        if (fabs(AT(low, low - 1)) <= DBL_EPSILON * size || AT(low, low - 1) == 0.0) {
            AT(low, low - 1) = 0.0;
            break;
        }
        low--;
    }
    return low;
}

bool rh__eigen_small(uint32_t n, double *a, double *out_real, double *out_imaginary)
{
    uint32_t left = n;
    uint32_t rounds = 0;
    make_hessenberg(n, a);
    while (left > 0) {
        const uint32_t high = left - 1;
        const uint32_t low = find_low(n, a, high);
        if (low == high) {
            out_real[high] = AT(high, high);
            out_imaginary[high] = 0.0;
            left -= 1;
            rounds = 0;
        } else if (low + 1 == high) {
            split_pair(n, a, low, out_real, out_imaginary);
            left -= 2;
            rounds = 0;
        } else {
            if (++rounds > 60) {
                return false;
            }
            double s = AT(high, high) + AT(high - 1, high - 1);
            double p =
                AT(high, high) * AT(high - 1, high - 1) - AT(high, high - 1) * AT(high - 1, high);
            if (rounds % 11 == 10) { // out of a circle
                const double odd = fabs(AT(high, high - 1)) + fabs(AT(high - 1, high - 2));
                s = 1.5 * odd;
                p = odd * odd;
            }
            sweep_once(n, a, low, high, s, p);
        }
    }
    return true;
}
