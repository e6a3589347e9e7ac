// SPDX-License-Identifier: Apache-2.0
// Matrices and polynomials of balls: solving, determinants, definiteness, eigenvalues, roots.
// Enclosures of eigenvalues are those of Rump as Arb has them; roots that cannot be told apart one
// by one are enclosed in clusters by Smith's disks.

#include "proof/arbs.h"

// How many matrices or vectors of a call's size FLINT has at one time, at most: real ones, and
// complex ones for eigenvalues and roots. Measured was less than a quarter of it.
enum { REAL_COPIES = 32, COMPLEX_COPIES = 96 };

static void load(arb_mat_t to, const rh_balls *from)
{
    const slong columns = arb_mat_ncols(to);
    for (slong i = 0; i < arb_mat_nrows(to); i++) {
        for (slong j = 0; j < columns; j++) {
            arb_set(arb_mat_entry(to, i, j), rh__balls_at(from, (uint32_t)(i * columns + j)));
        }
    }
}

static void store(rh_balls *to, const arb_mat_t from)
{
    const slong columns = arb_mat_ncols(from);
    for (slong i = 0; i < arb_mat_nrows(from); i++) {
        for (slong j = 0; j < columns; j++) {
            arb_set(rh__balls_at(to, (uint32_t)(i * columns + j)), arb_mat_entry(from, i, j));
        }
    }
}

static void forget(rh_balls *balls, uint32_t count)
{
    RH_ASSERT(count <= balls->count);
    for (uint32_t k = 0; k < count; k++) {
        rh__balls_set_indeterminate(balls, k);
    }
}

bool rh__balls_solve(uint32_t n, const rh_balls *a, uint32_t m, const rh_balls *b,
                     uint32_t precision, rh_balls *out)
{
    RH_ASSERT(n * m <= b->count && n * m <= out->count && n * n <= a->count);
    rh_pledge *pledge = NULL;
    if (!rh__balls_pledge(a, REAL_COPIES * ((double)n * n + (double)n * m), precision, &pledge)) {
        forget(out, n * m);
        return false;
    }
    arb_mat_t left, right, solution;
    arb_mat_init(left, n, n);
    arb_mat_init(right, n, m);
    arb_mat_init(solution, n, m);
    load(left, a);
    load(right, b);
    const bool ok = arb_mat_is_finite(left) && arb_mat_is_finite(right) &&
                    arb_mat_solve(solution, left, right, rh__balls_bits(precision)) != 0 &&
                    arb_mat_is_finite(solution);
    if (ok) {
        store(out, solution);
    } else {
        forget(out, n * m);
    }
    arb_mat_clear(left);
    arb_mat_clear(right);
    arb_mat_clear(solution);
    rh__reserve_redeem(pledge);
    return ok;
}

void rh__balls_determinant(uint32_t n, const rh_balls *a, uint32_t precision, rh_balls *out,
                           uint32_t k)
{
    RH_ASSERT(n * n <= a->count && k < out->count);
    rh_pledge *pledge = NULL;
    if (!rh__balls_pledge(a, REAL_COPIES * (double)n * n, precision, &pledge)) {
        rh__balls_set_indeterminate(out, k);
        return;
    }
    arb_mat_t matrix;
    arb_mat_init(matrix, n, n);
    load(matrix, a);
    arb_mat_det(rh__balls_at(out, k), matrix, rh__balls_bits(precision));
    if (!arb_is_finite(rh__balls_at(out, k))) {
        rh__balls_set_indeterminate(out, k);
    }
    arb_mat_clear(matrix);
    rh__reserve_redeem(pledge);
}

void rh__balls_multiply(uint32_t n, uint32_t m, uint32_t p, const rh_balls *a, const rh_balls *b,
                        uint32_t precision, rh_balls *out)
{
    RH_ASSERT(n * m <= a->count && m * p <= b->count && n * p <= out->count);
    rh_pledge *pledge = NULL;
    const double size = (double)n * m + (double)m * p + (double)n * p;
    if (!rh__balls_pledge(a, REAL_COPIES * size, precision, &pledge)) {
        forget(out, n * p);
        return;
    }
    arb_mat_t left, right, product;
    arb_mat_init(left, n, m);
    arb_mat_init(right, m, p);
    arb_mat_init(product, n, p);
    load(left, a);
    load(right, b);
    arb_mat_mul(product, left, right, rh__balls_bits(precision));
    store(out, product);
    arb_mat_clear(left);
    arb_mat_clear(right);
    arb_mat_clear(product);
    rh__reserve_redeem(pledge);
}

bool rh__balls_is_definite(uint32_t n, const rh_balls *a, uint32_t precision)
{
    rh_pledge *pledge = NULL;
    if (!rh__balls_pledge(a, REAL_COPIES * (double)n * n, precision, &pledge)) {
        return false;
    }
    arb_mat_t matrix, factor;
    arb_mat_init(matrix, n, n);
    arb_mat_init(factor, n, n);
    load(matrix, a);
    // the upper triangle is the mirror of the lower one, so that only symmetric matrices are meant
    for (slong i = 0; i < (slong)n; i++) {
        for (slong j = 0; j < i; j++) {
            arb_set(arb_mat_entry(matrix, j, i), arb_mat_entry(matrix, i, j));
        }
    }
    const bool is_definite =
        arb_mat_is_finite(matrix) && arb_mat_cho(factor, matrix, rh__balls_bits(precision)) != 0;
    arb_mat_clear(matrix);
    arb_mat_clear(factor);
    rh__reserve_redeem(pledge);
    return is_definite;
}

void rh__balls_characteristic(uint32_t n, const rh_balls *a, uint32_t precision, rh_balls *out)
{
    RH_ASSERT(n * n <= a->count && n + 1 <= out->count);
    rh_pledge *pledge = NULL;
    if (!rh__balls_pledge(a, REAL_COPIES * (n + 1.0) * (n + 1.0), precision, &pledge)) {
        forget(out, n + 1);
        return;
    }
    arb_mat_t matrix;
    arb_poly_t polynomial;
    arb_mat_init(matrix, n, n);
    arb_poly_init(polynomial);
    load(matrix, a);
    arb_mat_charpoly(polynomial, matrix, rh__balls_bits(precision));
    for (uint32_t k = 0; k <= n; k++) {
        arb_poly_get_coeff_arb(rh__balls_at(out, k), polynomial, (slong)k);
        if (!arb_is_finite(rh__balls_at(out, k))) {
            rh__balls_set_indeterminate(out, k);
        }
    }
    arb_poly_clear(polynomial);
    arb_mat_clear(matrix);
    rh__reserve_redeem(pledge);
}

// --- roots -----------------------------------------------------------------------------------

// Smith's disk of a guess z of one of n roots: radius n |p(z) / (lead prod (z - other guesses))|.
static bool set_disk(acb_t disk, const acb_poly_t poly, acb_srcptr guess, slong k, slong bits)
{
    const slong n = acb_poly_degree(poly);
    acb_t value, below, gap;
    acb_init(value);
    acb_init(below);
    acb_init(gap);
    acb_poly_evaluate(value, poly, guess + k, bits);
    acb_poly_get_coeff_acb(below, poly, n);
    for (slong j = 0; j < n; j++) {
        if (j != k) {
            acb_sub(gap, guess + k, guess + j, bits);
            acb_mul(below, below, gap, bits);
        }
    }
    acb_div(value, value, below, bits);
    acb_mul_ui(value, value, (ulong)n, bits);
    mag_t radius;
    mag_init(radius);
    acb_get_mag(radius, value);
    acb_set(disk, guess + k);
    acb_add_error_mag(disk, radius);
    const bool ok = acb_is_finite(disk) != 0;
    mag_clear(radius);
    acb_clear(value);
    acb_clear(below);
    acb_clear(gap);
    return ok;
}

// Disks that meet hold as many roots together as they are: each becomes the box around all that
// hang together with it.
static void merge_disks(acb_ptr disks, slong n, slong bits)
{
    slong *group = flint_malloc((size_t)n * sizeof *group);
    for (slong i = 0; i < n; i++) {
        group[i] = i;
        for (slong j = 0; j < i; j++) {
            if (group[j] != group[i] && acb_overlaps(disks + i, disks + j)) {
                const slong old = group[j];
                for (slong k = 0; k <= i; k++) {
                    group[k] = group[k] == old ? group[i] : group[k];
                }
            }
        }
    }
    acb_ptr boxes = _acb_vec_init(n);
    for (slong i = 0; i < n; i++) {
        acb_set(boxes + i, disks + i);
        for (slong j = 0; j < n; j++) {
            if (j != i && group[j] == group[i]) {
                acb_union(boxes + i, boxes + i, disks + j, bits);
            }
        }
    }
    _acb_vec_set(disks, boxes, n);
    _acb_vec_clear(boxes, n);
    flint_free(group);
}

// The guesses must differ: those that do not are moved apart by what rounding would do to a double
// root.
static void spread_guesses(acb_ptr guess, slong n, slong bits)
{
    for (slong k = 0; k < n; k++) {
        acb_get_mid(guess + k, guess + k);
        for (slong j = 0; j < k; j++) {
            if (acb_equal(guess + k, guess + j)) {
                arb_t shift;
                arb_init(shift);
                arb_set_ui(shift, (ulong)k);
                arb_mul_2exp_si(shift, shift, -bits / 2);
                arb_add(acb_realref(guess + k), acb_realref(guess + k), shift, bits);
                acb_get_mid(guess + k, guess + k);
                arb_clear(shift);
            }
        }
    }
}

static bool enclose_clusters(acb_ptr roots, const acb_poly_t poly, slong bits)
{
    const slong n = acb_poly_degree(poly);
    acb_ptr guess = _acb_vec_init(n);
    _acb_vec_set(guess, roots, n);
    spread_guesses(guess, n, bits);
    bool ok = true;
    for (slong k = 0; ok && k < n; k++) {
        ok = set_disk(roots + k, poly, guess, k, 2 * bits);
    }
    if (ok) {
        merge_disks(roots, n, bits);
    }
    _acb_vec_clear(guess, n);
    return ok;
}

// Roots of a polynomial whose leading coefficient excludes zero.
static bool enclose_roots(acb_ptr roots, const acb_poly_t poly, slong bits)
{
    const slong n = acb_poly_degree(poly);
    if (n <= 0 || acb_poly_find_roots(roots, poly, NULL, 0, bits) == n) {
        return true;
    }
    // guesses from the middle alone: wide coefficients spoil the iteration, not the disks
    acb_poly_t middle;
    acb_poly_init(middle);
    for (slong k = 0; k <= n; k++) {
        acb_t coefficient;
        acb_init(coefficient);
        acb_poly_get_coeff_acb(coefficient, poly, k);
        acb_get_mid(coefficient, coefficient);
        acb_poly_set_coeff_acb(middle, k, coefficient);
        acb_clear(coefficient);
    }
    acb_poly_find_roots(roots, middle, NULL, 0, bits);
    acb_poly_clear(middle);
    return enclose_clusters(roots, poly, bits);
}

static void store_complex(rh_balls *re, rh_balls *im, acb_srcptr from, uint32_t n, bool ok)
{
    for (uint32_t k = 0; k < n && ok; k++) {
        arb_set(rh__balls_at(re, k), acb_realref(from + k));
        arb_set(rh__balls_at(im, k), acb_imagref(from + k));
    }
    if (!ok) {
        forget(re, n);
        forget(im, n);
    }
}

bool rh__balls_roots(uint32_t n, const rh_balls *polynomial, uint32_t precision, rh_balls *re,
                     rh_balls *im)
{
    bool ok = rh__balls_is_nonzero(polynomial, n);
    rh_pledge *pledge = NULL;
    if (!rh__balls_pledge(polynomial, COMPLEX_COPIES * (n + 1.0), 2 * precision, &pledge)) {
        store_complex(re, im, NULL, n, false);
        return false;
    }
    acb_poly_t poly;
    acb_poly_init2(poly, (slong)n + 1);
    for (uint32_t k = 0; k <= n; k++) {
        acb_t coefficient;
        acb_init(coefficient);
        arb_set(acb_realref(coefficient), rh__balls_at(polynomial, k));
        ok = ok && arb_is_finite(acb_realref(coefficient));
        acb_poly_set_coeff_acb(poly, (slong)k, coefficient);
        acb_clear(coefficient);
    }
    acb_ptr roots = _acb_vec_init((slong)n);
    ok = ok && enclose_roots(roots, poly, rh__balls_bits(precision));
    store_complex(re, im, roots, n, ok);
    _acb_vec_clear(roots, (slong)n);
    acb_poly_clear(poly);
    rh__reserve_redeem(pledge);
    return ok;
}

// --- eigenvalues -----------------------------------------------------------------------------

static bool enclose_eigenvalues(acb_ptr out, const acb_mat_t matrix, slong bits)
{
    const slong n = acb_mat_nrows(matrix);
    acb_mat_t middle, vectors;
    acb_mat_init(middle, n, n);
    acb_mat_init(vectors, n, n);
    acb_mat_get_mid(middle, matrix);
    acb_ptr guess = _acb_vec_init(n);
    // an approximation that has not converged is a poor guess, no wrong answer
    acb_mat_approx_eig_qr(guess, NULL, vectors, middle, NULL, 0, bits);
    bool ok = acb_mat_eig_multiple(out, matrix, guess, vectors, bits) != 0;
    for (slong k = 0; k < n; k++) {
        ok = ok && acb_is_finite(out + k);
    }
    if (!ok) { // defective, or too wide a cluster
        acb_poly_t characteristic;
        acb_poly_init(characteristic);
        acb_mat_charpoly(characteristic, matrix, 2 * bits);
        ok = acb_poly_degree(characteristic) == n && enclose_roots(out, characteristic, bits);
        acb_poly_clear(characteristic);
    }
    _acb_vec_clear(guess, n);
    acb_mat_clear(middle);
    acb_mat_clear(vectors);
    return ok;
}

bool rh__balls_eigenvalues(uint32_t n, const rh_balls *a, uint32_t precision, rh_balls *re,
                           rh_balls *im)
{
    if (n == 0) {
        return true;
    }
    rh_pledge *pledge = NULL;
    if (!rh__balls_pledge(a, COMPLEX_COPIES * (n + 1.0) * (n + 1.0), 2 * precision, &pledge)) {
        store_complex(re, im, NULL, n, false);
        return false;
    }
    arb_mat_t real;
    acb_mat_t matrix;
    arb_mat_init(real, n, n);
    acb_mat_init(matrix, n, n);
    load(real, a);
    acb_mat_set_arb_mat(matrix, real);
    acb_ptr values = _acb_vec_init((slong)n);
    const bool ok =
        arb_mat_is_finite(real) && enclose_eigenvalues(values, matrix, rh__balls_bits(precision));
    store_complex(re, im, values, n, ok);
    _acb_vec_clear(values, (slong)n);
    acb_mat_clear(matrix);
    arb_mat_clear(real);
    rh__reserve_redeem(pledge);
    return ok;
}

// --- stability -------------------------------------------------------------------------------

// Two rows of Routh's table at a time: the first entry of each must have the sign of the leading
// coefficient.
bool rh__balls_is_hurwitz(uint32_t n, const rh_balls *polynomial, uint32_t precision,
                          rh_arena *scratch)
{
    const slong bits = rh__balls_bits(precision);
    const uint32_t width = n / 2 + 2;
    const rh_mark mark = rh__arena_mark(scratch);
    rh_balls *rows = rh__balls_create(scratch, 3 * width);
    bool ok = rows != NULL && rh__balls_is_nonzero(polynomial, n);
    const bool flips = ok && rh__balls_is_negative(polynomial, n);
    for (uint32_t k = 0; ok && k <= n; k++) {
        arb_ptr entry = rh__balls_at(rows, (k % 2) * width + k / 2);
        arb_set(entry, rh__balls_at(polynomial, n - k));
        if (flips) {
            arb_neg(entry, entry);
        }
    }
    for (uint32_t row = 1; ok && row <= n; row++) {
        const uint32_t above = ((row + 2) % 3) * width;
        const uint32_t here = (row % 3) * width;
        const uint32_t below = ((row + 1) % 3) * width;
        ok = rh__balls_is_positive(rows, here);
        for (uint32_t k = 0; ok && k + 1 < width; k++) {
            arb_ptr next = rh__balls_at(rows, below + k);
            arb_div(next, rh__balls_at(rows, above), rh__balls_at(rows, here), bits);
            arb_mul(next, next, rh__balls_at(rows, here + k + 1), bits);
            arb_sub(next, rh__balls_at(rows, above + k + 1), next, bits);
        }
        if (ok) {
            arb_zero(rh__balls_at(rows, below + width - 1));
        }
    }
    rh__balls_destroy(rows);
    rh__arena_rewind(scratch, mark);
    return ok;
}
