// SPDX-License-Identifier: Apache-2.0
// Error bars of roots. What rounding does to a matrix A moves a simple root by eps |A| / |y^H x|,
// to first order. A root that is nearly multiple moves farther, like a root of eps: there the bar
// reaches as far as z can move along the real direction with the smallest singular value of A - z
// within rounding, so that some matrix indistinguishable from A has the root z.

#include "steady/steady.h"

#include <float.h>
#include <math.h>

#define ILL 1e4     // condition of a root from which on the first order is not trusted
#define CLOSE 1e-2  // real parts below so much of their size decide
#define ROUNDED 4.0 // roundings of each row
enum { LARGEST = 80, DOUBLINGS = 60 };

// The smallest singular value of A - z, as a real matrix of twice the size.
static rh_status smallest(rh_arena *arena, uint32_t n, const double *a, double re, double im,
                          double *out)
{
    const rh_mark mark = rh__arena_mark(arena);
    const uint32_t m = 2 * n;
    double *both = rh__arena_array(arena, double, (size_t)m *m + 1);
    rh_svd svd;
    RH_TRY(both == NULL ? arena->status : RH_OK);
    for (uint32_t j = 0; j < n; j++) {
        for (uint32_t i = 0; i < n; i++) {
            const double entry = a[i + (size_t)j * n] - (i == j ? re : 0.0);
            both[i + (size_t)j * m] = entry;
            both[i + n + (size_t)(j + n) * m] = entry;
        }
        both[j + n + (size_t)j * m] = -im;
        both[j + (size_t)(j + n) * m] = im;
    }
    RH_TRY(rh__svd_create(arena, m, m, both, &svd));
    *out = svd.values[m - 1];
    rh__arena_rewind(arena, mark);
    return RH_OK;
}

// How far the root reaches to either side.
static rh_status reach(rh_arena *arena, uint32_t n, const double *a, rh_matrix_size size,
                       rh_steady_root *root)
{
    const double least = fmax(ROUNDED * DBL_EPSILON * n * size.norm, size.off);
    bool is_within = true;
    root->bar = ILL * fmax(DBL_EPSILON * size.norm, size.off);
    for (uint32_t k = 0; k < DOUBLINGS && is_within && root->bar < size.norm; k++) {
        double left = 0.0;
        double right = 0.0;
        RH_TRY(smallest(arena, n, a, root->real - root->bar, root->imaginary, &left));
        RH_TRY(smallest(arena, n, a, root->real + root->bar, root->imaginary, &right));
        is_within = left <= least || right <= least;
        root->bar *= is_within ? 2.0 : 1.0;
    }
    return RH_OK;
}

rh_status rh__bars_find(rh_arena *arena, uint32_t n, const double *a, rh_matrix_size size,
                        rh_steady_root *out)
{
    const rh_mark mark = rh__arena_mark(arena);
    double *numbers = rh__arena_array(arena, double, 3 * (size_t)n + 1);
    RH_TRY(numbers == NULL ? arena->status : RH_OK);
    const double *re = numbers;
    const double *im = numbers + n;
    const double *condition = numbers + 2 * (size_t)n;
    RH_TRY(rh__eigen_conditions(arena, n, a, numbers, numbers + n, numbers + 2 * (size_t)n));
    for (uint32_t k = 0; k < n; k++) {
        out[k] = (rh_steady_root){.real = re[k],
                                  .imaginary = im[k],
                                  .bar = condition[k] * fmax(DBL_EPSILON * size.norm, size.off)};
        const bool is_close =
            fabs(re[k]) <= fmax(CLOSE * (size.pace + hypot(re[k], im[k])), out[k].bar);
        if (!(condition[k] > ILL) || !is_close) {
            continue;
        }
        if (n > LARGEST) { // too long: as for a double root
            out[k].bar = fmax(out[k].bar, sqrt(DBL_EPSILON * n) * size.norm);
        } else if (k > 0 && im[k] == -im[k - 1] && re[k] == re[k - 1]) {
            out[k].bar = out[k - 1].bar;
        } else {
            RH_TRY(reach(arena, n, a, size, &out[k]));
        }
    }
    rh__arena_rewind(arena, mark);
    return RH_OK;
}

rh_steady_root rh__root_cleared(rh_steady_root root)
{
    root.real = fabs(root.real) <= root.bar ? 0.0 : root.real;
    return root;
}

// --- order ---------------------------------------------------------------------------------------

static bool is_before(const rh_steady_root *a, const rh_steady_root *b, bool is_level)
{
    if (!is_level) {
        return a->real > b->real;
    }
    const double slack = fmax(a->bar, b->bar);
    const double gap = fabs(a->imaginary) - fabs(b->imaginary);
    return fabs(gap) > slack ? gap > 0.0 : a->imaginary - b->imaginary > slack;
}

static void insert(rh_steady_root *roots, uint32_t count, bool is_level)
{
    for (uint32_t k = 1; k < count; k++) {
        const rh_steady_root it = roots[k];
        uint32_t at = k;
        while (at > 0 && is_before(&it, &roots[at - 1], is_level)) {
            roots[at] = roots[at - 1];
            at--;
        }
        roots[at] = it;
    }
}

static bool are_conjugate(const rh_steady_root *a, const rh_steady_root *b)
{
    return a->real == b->real && a->imaginary == -b->imaginary;
}

// Each beside its conjugate, the upper one first: of pairs that bars do not tell apart the upper
// ones came before all lower ones.
static void join_pairs(rh_steady_root *roots, uint32_t count)
{
    for (uint32_t k = 0; k + 1 < count; k++) {
        uint32_t at = k + 1;
        while (at < count && !are_conjugate(&roots[k], &roots[at])) {
            at++;
        }
        if (roots[k].imaginary == 0.0 || at == count) {
            continue;
        }
        const rh_steady_root other = roots[at];
        for (; at > k + 1; at--) {
            roots[at] = roots[at - 1];
        }
        const bool is_upper = roots[k].imaginary > 0.0;
        roots[k + 1] = is_upper ? other : roots[k];
        roots[k] = is_upper ? roots[k] : other;
        k++;
    }
}

static bool stand_in_pairs(const rh_steady_root *roots, uint32_t count)
{
    bool ok = true;
    for (uint32_t k = 0; ok && k < count; k++) {
        const bool is_real = !(roots[k].imaginary != 0.0); // or no number
        ok = is_real || (k + 1 < count && are_conjugate(&roots[k], &roots[k + 1]));
        k += !is_real;
    }
    return ok;
}

void rh__roots_sort(rh_steady_root *roots, uint32_t count)
{
    insert(roots, count, false);
    for (uint32_t first = 0; first < count;) {
        uint32_t last = first + 1;
        while (last < count && roots[last - 1].real - roots[last].real <=
                                   2.0 * fmax(roots[last - 1].bar, roots[last].bar)) {
            last++;
        }
        insert(roots + first, last - first, true);
        first = last;
    }
    join_pairs(roots, count);
    RH_ASSERT(stand_in_pairs(roots, count)); // those of real matrices do
}
