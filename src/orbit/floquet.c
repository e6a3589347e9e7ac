// SPDX-License-Identifier: Apache-2.0
// Floquet multipliers: the eigenvalues of the tangents over one period, on the constraints. Those
// that are 1 for every parameter are set aside: one for the flow, and one or two for every first
// integral. With S the symmetry and F the tangents over half a period, S^-1 F squared are those of
// the whole.

#include "orbit/orbit.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define NULL_SIZE 1e-10 // relative singular values of directions that come back as they were
#define NULL_MOST 1e-4  // at most, however large others are
#define PAIRED 1e-3     // of unit vectors whose product counts
#define ONE 1e-5        // how far from 1 a multiplier that is 1 may be, of the size of the map
#define ONE_MOST 0.1    // at most
#define ROUNDING 1e-14  // of tangents, relative to the largest
#define CERTAIN 1e-9    // of eigenvalues at a point of rest, relative to the largest

// --- the map -------------------------------------------------------------------------------------

// The tangents in the basis of the manifold: basis^T S^-1 tangents.
static rh_status find_map(rh_orbit *orbit, rh_arena *scratch, double **out)
{
    RH_ASSERT(orbit->passage.count <= orbit->n);
    const uint32_t n = orbit->n;
    const rh_passage *passage = &orbit->passage;
    const double *scale = passage->scale;
    double *turned = rh__arena_array(scratch, double, (size_t)n * passage->count + 1);
    *out = rh__arena_array(scratch, double, (size_t)passage->count * passage->count + 1);
    rh_lu lu;
    if (turned == NULL || *out == NULL) {
        return scratch->status;
    }
    for (size_t k = 0; k < (size_t)n * passage->count; k++) {
        turned[k] = passage->tangents[k];
    }
    RH_TRY(rh__lu_create(scratch, n, orbit->image.matrix, &lu));
    RH_TRY(rh__lu_solve(&lu, turned, passage->count));
    for (uint32_t k = 0; k < passage->count; k++) {
        for (uint32_t j = 0; j < passage->count; j++) {
            double sum = 0.0;
            for (uint32_t i = 0; i < n; i++) {
                sum += passage->basis[(size_t)j * n + i] * turned[(size_t)k * n + i] / scale[i];
            }
            (*out)[(size_t)k * passage->count + j] = sum;
        }
    }
    return RH_OK;
}

// The flow is the first direction of the basis and comes back as itself: that is known exactly. By
// how much it is measured is free: such that what the others have along it does not hide them.
static void settle_flow(const rh_orbit *orbit, double *map)
{
    const uint32_t n = orbit->passage.count;
    double largest = 1.0;
    if (orbit->is_timed || n == 0) {
        return;
    }
    for (uint32_t k = 1; k < n; k++) {
        largest = fmax(largest, fabs(map[(size_t)k * n]));
    }
    for (uint32_t k = 1; k < n; k++) {
        map[(size_t)k * n] /= largest;
        map[k] = 0.0;
    }
    map[0] = 1.0;
}

static double *multiply(rh_arena *arena, uint32_t n, const double *a, const double *b)
{
    double *out = rh__arena_array(arena, double, (size_t)n *n + 1);
    for (uint32_t k = 0; out != NULL && k < n; k++) {
        for (uint32_t j = 0; j < n; j++) {
            for (uint32_t i = 0; i < n; i++) {
                out[(size_t)k * n + i] += a[(size_t)j * n + i] * b[(size_t)k * n + j];
            }
        }
    }
    return out;
}

// --- trivial ones --------------------------------------------------------------------------------

// How many left null vectors of (map - 1) have a right one they are not orthogonal to.
static rh_status count_pairs(const rh_svd *svd, uint32_t rank, rh_arena *scratch, uint32_t *out)
{
    RH_ASSERT(rank <= svd->columns);
    const uint32_t n = svd->columns;
    const uint32_t count = n - rank;
    double *products = rh__arena_array(scratch, double, (size_t)count *count + 1);
    rh_svd pairs;
    if (products == NULL) {
        return scratch->status;
    }
    for (uint32_t k = 0; k < count; k++) {
        for (uint32_t j = 0; j < count; j++) {
            products[(size_t)k * count + j] =
                rh__vector_dot(n, svd->u + (size_t)(rank + j) * n, svd->v + (size_t)(rank + k) * n);
        }
    }
    RH_TRY(rh__svd_create(scratch, count, count, products, &pairs));
    *out = 0;
    while (*out < count && pairs.values[*out] > PAIRED) {
        ++*out;
    }
    return RH_OK;
}

// The map across the flow, which all multipliers but that of the flow are of, in units in which its
// rows and columns are equally large: where neighbours part by much, null vectors drown otherwise.
static double *balance(rh_arena *scratch, uint32_t n, const double *whole)
{
    RH_ASSERT(n > 0);
    enum { ROUNDS = 20 };
    const uint32_t m = n - 1;
    double *out = rh__arena_array(scratch, double, (size_t)m *m + 1);
    for (size_t k = 0; out != NULL && k < (size_t)m * m; k++) {
        out[k] = whole[(k / m + 1) * n + k % m + 1];
    }
    for (uint32_t round = 0; out != NULL && round < ROUNDS; round++) {
        for (uint32_t k = 0; k < m; k++) {
            double row = 0.0;
            double column = 0.0;
            for (uint32_t i = 0; i < m; i++) {
                row += i != k ? fabs(out[(size_t)i * m + k]) : 0.0;
                column += i != k ? fabs(out[(size_t)k * m + i]) : 0.0;
            }
            // powers of two change no digit
            const bool is_there = row > 0.0 && column > 0.0;
            const double by = is_there ? exp2(nearbyint(0.5 * log2(row / column))) : 1.0;
            for (uint32_t i = 0; i < m; i++) {
                out[(size_t)i * m + k] /= by;
                out[(size_t)k * m + i] *= by;
            }
        }
    }
    return out;
}

// Eigenvalues that may be 1: of two in one block rounding knows the square root.
static rh_status count_ones(uint32_t m, const double *map, rh_arena *scratch, uint32_t *out)
{
    double *real = rh__arena_array(scratch, double, 2 * (size_t)m + 1);
    double size = 1.0;
    if (real == NULL) {
        return scratch->status;
    }
    for (size_t k = 0; k < (size_t)m * m; k++) {
        size = fmax(size, fabs(map[k]));
    }
    RH_TRY(rh__eigen_values(scratch, m, map, real, real + m));
    *out = 0;
    for (uint32_t k = 0; k < m; k++) {
        *out += hypot(real[k] - 1.0, real[m + k]) < fmin(ONE * size, ONE_MOST);
    }
    return RH_OK;
}

// The flow has the multiplier 1. So has every first integral: its gradient is a left vector that
// comes back as it was, across the flow. One without a partner has the multiplier twice there.
static rh_status count_trivial(rh_orbit *orbit, const double *whole, double noise,
                               rh_arena *scratch)
{
    const uint32_t n = orbit->passage.count;
    const uint32_t m = n > 0 ? n - 1 : 0;
    rh_svd svd;
    uint32_t pairs = 0;
    uint32_t ones = 0;
    orbit->trivial_count = n > 0 ? 1 : 0;
    orbit->integral_count = 0;
    if (m == 0) {
        return RH_OK;
    }
    double *map = balance(scratch, n, whole);
    if (map == NULL) {
        return scratch->status;
    }
    RH_TRY(count_ones(m, map, scratch, &ones));
    for (uint32_t k = 0; k < m; k++) {
        map[(size_t)k * m + k] -= 1.0;
    }
    RH_TRY(rh__svd_create(scratch, m, m, map, &svd));
    uint32_t rank = 0;
    const double least = fmin(fmax(NULL_SIZE * fmax(1.0, svd.values[0]), noise), NULL_MOST);
    while (rank < m && svd.values[rank] > least) {
        rank++;
    }
    rank = m - rank > ones ? m - ones : rank;
    RH_TRY(count_pairs(&svd, rank, scratch, &pairs));
    const uint32_t count = m - rank;
    const uint32_t twice = 2 * count - pairs;
    orbit->integral_count = count;
    orbit->trivial_count += twice < ones ? twice : ones;
    return RH_OK;
}

// --- multipliers ---------------------------------------------------------------------------------

static double modulus(const rh_multiplier *it)
{
    return hypot(it->real, it->imaginary);
}

// A real one, or the upper of a pair.
typedef struct entry {
    rh_multiplier whole, own;
    double keys[3]; // of its place in the list: the largest first
    uint32_t place; // as it was computed
} entry;

enum { BITS = 38 }; // digits by which things are put in order: rounding does not decide

static double shorten(double x)
{
    int exponent = 0;
    const double part = frexp(x, &exponent);
    return ldexp(nearbyint(ldexp(part, BITS)), exponent - BITS);
}

// The same beside something larger: what is nothing but its rounding becomes 0.
static double shorten_beside(double x, double size)
{
    const double unit = ldexp(size, -BITS);
    return unit > 0.0 ? unit * nearbyint(x / unit) : x;
}

static int by_key(const void *a, const void *b)
{
    const entry *first = a;
    const entry *second = b;
    for (size_t k = 0; k < sizeof first->keys / sizeof *first->keys; k++) {
        if (first->keys[k] != second->keys[k]) {
            return first->keys[k] > second->keys[k] ? -1 : 1;
        }
    }
    return first->place < second->place ? -1 : first->place > second->place;
}

static void set_aside(rh_orbit *orbit)
{
    for (uint32_t k = 0; k < orbit->trivial_count && k < orbit->multiplier_count; k++) {
        uint32_t best = UINT32_MAX;
        double nearest = INFINITY;
        for (uint32_t j = 0; j < orbit->multiplier_count; j++) {
            const rh_multiplier *it = &orbit->multipliers[j];
            const double away = hypot(it->real - 1.0, it->imaginary);
            if (!it->is_trivial && away < nearest) {
                nearest = away;
                best = j;
            }
        }
        if (best != UINT32_MAX) {
            // of several in one block tangents know the square root of rounding
            orbit->multipliers[best] = (rh_multiplier){.real = 1.0, .is_trivial = true};
            orbit->own[best].is_trivial = true;
        }
    }
}

// The size of the map across the flow, or with what others have along it.
static double find_size(const rh_orbit *orbit, const double *map, uint32_t n, bool is_across)
{
    const uint32_t first = orbit->is_timed || n == 0 ? 0 : 1;
    const uint32_t from = is_across ? first : 0;
    double sum = 1.0;
    for (uint32_t k = first; k < n; k++) {
        const double *column = map + (size_t)k * n + from;
        sum += rh__vector_dot(n - from, column, column);
    }
    RH_ASSERT(!(sum < 1.0));
    return sqrt(sum);
}

// What rounding may move multiplier k by: two that almost meet move by the square root of it.
static double find_blur(const rh_orbit *orbit, uint32_t k, double size, double noise)
{
    RH_ASSERT(k < orbit->multiplier_count && size >= 1.0);
    const rh_multiplier *it = &orbit->multipliers[k];
    double gap = INFINITY;
    for (uint32_t j = 0; j < orbit->multiplier_count; j++) {
        const rh_multiplier *other = &orbit->multipliers[j];
        if (j != k && !other->is_trivial) {
            gap = fmin(gap, hypot(it->real - other->real, it->imaginary - other->imaginary));
        }
    }
    return fmax(noise, fmin(sqrt(noise * size), noise * size / gap));
}

// Bars of all. One that comes from volumes is known as well as the others are.
static void find_bars(rh_orbit *orbit, double size, double noise, uint32_t settled)
{
    RH_ASSERT(settled == UINT32_MAX || settled < orbit->multiplier_count);
    double shares = ROUNDING;
    for (uint32_t k = 0; k < orbit->multiplier_count; k++) {
        rh_multiplier *it = &orbit->multipliers[k];
        it->bar = it->is_trivial ? 0.0 : find_blur(orbit, k, size, noise);
        shares += k != settled && it->bar > 0.0 ? it->bar / modulus(it) : 0.0;
    }
    if (settled != UINT32_MAX && modulus(&orbit->multipliers[settled]) > 0.0) {
        rh_multiplier *it = &orbit->multipliers[settled];
        it->bar = modulus(it) * (shares + ROUNDING * fabs(log(modulus(it))));
    }
}

// On the circle, as far as rounding tells, nothing is decided; nor by multipliers inside it where
// there are integrals, because neighbours on other levels may drift away.
static void judge(rh_orbit *orbit)
{
    bool is_inside = orbit->integral_count == 0;
    orbit->is_unstable = false;
    for (uint32_t k = 0; k < orbit->multiplier_count; k++) {
        const rh_multiplier *it = &orbit->multipliers[k];
        const double blur = orbit->multipliers[k].bar;
        is_inside = is_inside && (it->is_trivial || modulus(it) < 1.0 - blur);
        orbit->is_unstable = orbit->is_unstable || (!it->is_trivial && modulus(it) > 1.0 + blur);
    }
    orbit->is_stable = is_inside;
}

// Real ones and upper ones of pairs: multipliers by their size, then by their real parts; at a
// point of rest by real parts, without what is rounding beside the largest, then by imaginary
// parts.
static uint32_t list_entries(const rh_orbit *orbit, const double *real, const double *imaginary,
                             uint32_t n, bool is_rest, entry *out)
{
    uint32_t count = 0;
    double size = 0.0;
    for (uint32_t k = 0; k < n; k++) {
        size = fmax(size, hypot(real[k], imaginary[k]));
    }
    for (uint32_t k = 0; k < n; k++) {
        if (imaginary[k] < 0.0) {
            continue; // its conjugate is there
        }
        entry *it = &out[count++];
        it->place = k;
        it->own = it->whole = (rh_multiplier){.real = real[k], .imaginary = imaginary[k]};
        if (orbit->is_half && !is_rest) {
            it->whole.real = real[k] * real[k] - imaginary[k] * imaginary[k];
            it->whole.imaginary = 2.0 * real[k] * imaginary[k];
        }
        const double height = fabs(it->whole.imaginary);
        it->keys[0] = is_rest ? shorten_beside(real[k], size) : shorten(modulus(&it->whole));
        it->keys[1] = is_rest ? height : it->whole.real;
        it->keys[2] = is_rest ? it->whole.real : height;
    }
    return count;
}

// The next multiplier, or the conjugate of it.
static void put_entry(rh_orbit *orbit, const entry *it, bool is_as_listed)
{
    const uint32_t at = orbit->multiplier_count++;
    orbit->multipliers[at] = it->whole;
    orbit->own[at] = it->own;
    if (!is_as_listed) {
        orbit->multipliers[at].imaginary = 0.0 - it->whole.imaginary;
        orbit->own[at].imaginary = 0.0 - it->own.imaginary;
    }
}

static rh_status fill(rh_orbit *orbit, const double *map, uint32_t n, bool is_rest,
                      rh_arena *scratch)
{
    RH_ASSERT(n <= orbit->n);
    double *real = rh__arena_array(scratch, double, (size_t)n + 1);
    double *imaginary = rh__arena_array(scratch, double, (size_t)n + 1);
    entry *entries = rh__arena_array(scratch, entry, (size_t)n + 1);
    if (real == NULL || imaginary == NULL || entries == NULL) {
        return scratch->status;
    }
    if (orbit->leg_count > 0 && !is_rest) {
        memcpy(real, orbit->leg_real, n * sizeof *real);
        memcpy(imaginary, orbit->leg_imaginary, n * sizeof *imaginary);
    } else {
        RH_TRY(rh__eigen_values(scratch, n, map, real, imaginary));
    }
    const uint32_t count = list_entries(orbit, real, imaginary, n, is_rest, entries);
    qsort(entries, count, sizeof *entries, by_key);
    orbit->multiplier_count = 0;
    for (uint32_t k = 0; k < count; k++) {
        const bool is_pair = entries[k].own.imaginary != 0.0;
        const bool is_upper = entries[k].whole.imaginary >= 0.0; // the square may be the lower one
        put_entry(orbit, &entries[k], !is_pair || is_upper);
        if (is_pair) {
            put_entry(orbit, &entries[k], !is_upper);
        }
    }
    RH_ASSERT(orbit->multiplier_count == n);
    return RH_OK;
}

static rh_status find(rh_orbit *orbit, rh_arena *scratch)
{
    const uint32_t n = orbit->passage.count;
    double *map = NULL;
    RH_TRY(find_map(orbit, scratch, &map));
    // neighbours that are late by much have that rounding across the flow as well, wherever it is
    // that they part
    const double noise = ROUNDING * fmax(find_size(orbit, map, n, false), orbit->spread);
    settle_flow(orbit, map);
    const double *whole = orbit->is_half ? multiply(scratch, n, map, map) : map;
    if (whole == NULL) {
        return scratch->status;
    }
    if (!orbit->is_timed && orbit->trivial_count == 0) {
        RH_TRY(count_trivial(orbit, whole, noise, scratch));
    }
    RH_TRY(fill(orbit, map, n, false, scratch));
    set_aside(orbit);
    // those of many pieces come from factors, none of which is large
    const double size = orbit->leg_count > 0 ? 1.0 : find_size(orbit, whole, n, true);
    uint32_t settled = UINT32_MAX;
    RH_TRY(rh__volume_settle(orbit, size, scratch, &settled));
    find_bars(orbit, size, orbit->leg_count > 0 ? ROUNDING : noise, settled);
    judge(orbit);
    return RH_OK;
}

rh_status rh__floquet_find(rh_orbit *orbit)
{
    const rh_mark mark = rh__arena_mark(&orbit->scratch);
    const rh_status status = find(orbit, &orbit->scratch);
    rh__arena_rewind(&orbit->scratch, mark);
    return status;
}

// --- points of rest ------------------------------------------------------------------------------

// Eigenvalues on the imaginary axis decide nothing.
static void judge_rest(rh_orbit *orbit)
{
    double size = 0.0;
    for (uint32_t k = 0; k < orbit->multiplier_count; k++) {
        size = fmax(size, modulus(&orbit->multipliers[k]));
    }
    orbit->is_stable = true;
    orbit->is_unstable = false;
    for (uint32_t k = 0; k < orbit->multiplier_count; k++) {
        const double growth = orbit->multipliers[k].real;
        orbit->is_stable = orbit->is_stable && growth < -CERTAIN * size;
        orbit->is_unstable = orbit->is_unstable || growth > CERTAIN * size;
    }
}

static rh_status find_rest(rh_orbit *orbit, rh_arena *scratch)
{
    const uint32_t n = orbit->n;
    const double *scale = orbit->manifold.scale;
    double *derivative = rh__arena_array(scratch, double, (size_t)n *n + 1);
    double *basis = rh__arena_array(scratch, double, (size_t)n *n + 1);
    double *map = rh__arena_array(scratch, double, (size_t)n *n + 1);
    uint32_t count = 0;
    rh_error err;
    if (derivative == NULL || basis == NULL || map == NULL) {
        return scratch->status;
    }
    RH_TRY(rh__motion_place(orbit->motion, orbit->passage.start, &err));
    rh__motion_rate(orbit->motion, orbit->motion->t, orbit->motion->x, map);
    if (!rh__jacobian_run(&orbit->jacobian, orbit->motion->plain, derivative)) {
        return RH_OK;
    }
    RH_TRY(rh__manifold_directions(&orbit->manifold, orbit->motion->x, NULL, basis, &count));
    for (uint32_t k = 0; k < count; k++) {
        for (uint32_t j = 0; j < count; j++) {
            double sum = 0.0;
            for (uint32_t a = 0; a < n; a++) {
                for (uint32_t b = 0; b < n; b++) {
                    sum += basis[(size_t)j * n + a] / scale[a] * derivative[(size_t)b * n + a] *
                           scale[b] * basis[(size_t)k * n + b];
                }
            }
            map[(size_t)k * count + j] = sum;
        }
    }
    RH_TRY(fill(orbit, map, count, true, scratch));
    judge_rest(orbit);
    return RH_OK;
}

rh_status rh__floquet_rest(rh_orbit *orbit)
{
    const rh_mark mark = rh__arena_mark(&orbit->scratch);
    const rh_status status = find_rest(orbit, &orbit->scratch);
    rh__arena_rewind(&orbit->scratch, mark);
    return status;
}
