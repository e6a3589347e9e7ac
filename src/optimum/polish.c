// SPDX-License-Identifier: Apache-2.0
// Roots that meet. Where m roots coincide an error of the parameters or of rounding parts them by
// its m-th root, so the abscissa is known badly there, and its place not much better. But their
// mean and the coefficients of the polynomial they are roots of are smooth functions of the
// parameters: Newton's method makes the coefficients around the mean vanish. The abscissa is then
// the mean.

#include "optimum/optimum.h"

#include <complex.h>
#include <math.h>
#include <string.h>

#define SPREAD 0.5 // of roots that may be meant to meet, relative to their size and the pace
#define STEP 1e-6  // of differences, of the range
#define MOVE 0.2   // of a parameter in one step, of the range
enum { ROUNDS = 16, LARGEST = 8 };

// m roots around a centre, as they are for some parameters.
typedef struct cluster {
    double complex mean;
    double spread;
    double others;                 // the rightmost real part of all others
    double equations[2 * LARGEST]; // coefficients around the mean, without units
} cluster;

typedef struct polishing {
    rh_optimum *optimum;
    uint32_t size; // of the cluster
    bool is_real;  // it lies around a real number: conjugates belong to it
    uint32_t equation_count;
    double complex centre;
    double jacobian[2 * LARGEST * RH_OPTIMUM_MOST];
} polishing;

static double complex root_at(const rh_optimum *optimum, uint32_t k)
{
    const rh_steady_root *root = &optimum->judgement.roots[k];
    return root->real + root->imaginary * I;
}

// The roots nearest to the centre, in the order of their distance; false: there are too few.
static bool choose(const polishing *in, double complex *out, double *out_others)
{
    const rh_optimum *optimum = in->optimum;
    const uint32_t count = optimum->judgement.root_count;
    bool is_taken[64] = {false};
    if (count < in->size || count > 64) {
        return false;
    }
    for (uint32_t m = 0; m < in->size; m++) {
        uint32_t best = UINT32_MAX;
        for (uint32_t k = 0; k < count; k++) {
            const double far = cabs(root_at(optimum, k) - in->centre);
            if (!is_taken[k] &&
                (best == UINT32_MAX || far < cabs(root_at(optimum, best) - in->centre))) {
                best = k;
            }
        }
        is_taken[best] = true;
        out[m] = root_at(optimum, best);
    }
    *out_others = -INFINITY;
    for (uint32_t k = 0; k < count; k++) {
        const bool is_partner = !in->is_real && cimag(root_at(optimum, k)) < 0.0;
        if (!is_taken[k] && !is_partner) {
            *out_others = fmax(*out_others, creal(root_at(optimum, k)));
        }
    }
    return true;
}

static bool gather(const polishing *in, cluster *out)
{
    double complex roots[LARGEST];
    double complex c[LARGEST + 1] = {1.0};
    *out = (cluster){.mean = 0.0};
    if (!choose(in, roots, &out->others)) {
        return false;
    }
    for (uint32_t m = 0; m < in->size; m++) {
        out->mean += roots[m] / in->size;
    }
    const double unit = in->optimum->steady->reduction->engine.pace + cabs(out->mean);
    for (uint32_t m = 0; m < in->size; m++) {
        const double complex gap = (roots[m] - out->mean) / unit;
        out->spread = fmax(out->spread, cabs(gap));
        for (uint32_t k = m + 1; k > 0; k--) {
            c[k] -= gap * c[k - 1];
        }
    }
    for (uint32_t k = 2; k <= in->size; k++) {
        if (in->is_real) {
            out->equations[k - 2] = creal(c[k]);
        } else {
            out->equations[2 * (k - 2)] = creal(c[k]);
            out->equations[2 * (k - 2) + 1] = cimag(c[k]);
        }
    }
    return true;
}

static bool gather_at(polishing *in, const double *at, cluster *out)
{
    return isfinite(rh__trial_near(in->optimum, at)) && gather(in, out);
}

// Derivatives by differences, for parameters that are not at an end of their range.
static bool find_jacobian(polishing *in, const double *at)
{
    rh_optimum *optimum = in->optimum;
    memset(in->jacobian, 0, sizeof in->jacobian);
    for (uint32_t j = 0; j < optimum->count; j++) {
        const rh_optimum_range *range = &optimum->over[j];
        const double step = STEP * (range->high - range->low);
        double moved[RH_OPTIMUM_MOST] = {0.0};
        cluster low;
        cluster high;
        if (at[j] - step < range->low || at[j] + step > range->high) {
            continue;
        }
        memcpy(moved, at, sizeof moved);
        moved[j] = at[j] - step;
        if (!gather_at(in, moved, &low)) {
            return false;
        }
        moved[j] = at[j] + step;
        if (!gather_at(in, moved, &high)) {
            return false;
        }
        // columns in units of the range
        for (uint32_t i = 0; i < in->equation_count; i++) {
            in->jacobian[i + (size_t)j * in->equation_count] =
                (high.equations[i] - low.equations[i]) / (2.0 * STEP);
        }
    }
    return true;
}

// One step of Newton's method, the shortest. False: it leads away.
static bool improve(polishing *in, const cluster *now, double *at, double *out_size)
{
    rh_optimum *optimum = in->optimum;
    rh_arena *arena = &optimum->bench->scratch;
    const rh_mark mark = rh__arena_mark(arena);
    double step[RH_OPTIMUM_MOST] = {0.0};
    rh_svd svd;
    bool ok = find_jacobian(in, at) && rh__svd_create(arena, in->equation_count, optimum->count,
                                                      in->jacobian, &svd) == RH_OK;
    if (ok) {
        rh__svd_solve(&svd, rh__svd_rank(&svd, 1e-7), now->equations, step);
    }
    rh__arena_rewind(arena, mark);
    *out_size = 0.0;
    for (uint32_t k = 0; ok && k < optimum->count; k++) {
        const rh_optimum_range *range = &optimum->over[k];
        const double next = at[k] - step[k] * (range->high - range->low);
        ok = fabs(step[k]) <= MOVE && next >= range->low && next <= range->high;
        at[k] = next;
        *out_size = fmax(*out_size, fabs(step[k]));
    }
    return ok;
}

static double residual_of(const polishing *in, const cluster *it)
{
    double most = 0.0;
    for (uint32_t k = 0; k < in->equation_count; k++) {
        most = fmax(most, fabs(it->equations[k]));
    }
    return most;
}

// Let the cluster meet. True: it does, and that is no worse than the best.
static bool meet(polishing *in)
{
    rh_optimum *optimum = in->optimum;
    double at[RH_OPTIMUM_MOST] = {0.0};
    double size = INFINITY;
    cluster now = {.mean = 0.0};
    memcpy(at, optimum->best.at, sizeof at);
    bool ok = gather_at(in, at, &now) && now.spread <= SPREAD;
    for (uint32_t k = 0; ok && k < ROUNDS && size > 1e-16 && !rh__trial_is_over(optimum); k++) {
        const double before = residual_of(in, &now);
        double tried[RH_OPTIMUM_MOST] = {0.0};
        memcpy(tried, at, sizeof tried);
        in->centre = in->is_real ? creal(now.mean) : now.mean;
        cluster next = {.mean = 0.0};
        ok = improve(in, &now, tried, &size) && gather_at(in, tried, &next);
        if (ok && !(residual_of(in, &next) < before)) {
            break; // what is left is rounding
        }
        if (ok) {
            memcpy(at, tried, sizeof at);
            now = next;
        }
    }
    // what rounding leaves of the coefficients, and no more
    ok = ok && residual_of(in, &now) <= 1e-13 * in->size * in->size;
    const double value = fmax(creal(now.mean), now.others);
    const double slack = 1e-13 * (optimum->steady->reduction->engine.pace + fabs(value));
    if (!ok || !(value <= optimum->best.value + slack) || !gather_at(in, at, &now)) {
        return false;
    }
    memcpy(optimum->best.at, at, sizeof at);
    memcpy(optimum->best.places, optimum->last.places,
           optimum->steady->reduction->place_count * sizeof(double));
    optimum->best.value = value;
    optimum->met = in->is_real ? in->size : 2 * in->size;
    return true;
}

void rh__optimum_polish(rh_optimum *optimum)
{
    const double before = rh__trial_near(optimum, optimum->best.at);
    const uint32_t count = optimum->judgement.root_count;
    if (!isfinite(before) || count < 2) {
        return;
    }
    const double complex first = root_at(optimum, 0);
    for (uint32_t m = count < LARGEST ? count : LARGEST; m >= 2; m--) {
        polishing in = {.optimum = optimum, .size = m, .equation_count = m - 1, .is_real = true};
        in.centre = creal(first);
        if (meet(&in)) {
            return;
        }
        in = (polishing){.optimum = optimum, .size = m, .equation_count = 2 * (m - 1)};
        in.centre = creal(first) + fabs(cimag(first)) * I;
        if (cimag(first) != 0.0 && 2 * m <= count && meet(&in)) {
            return;
        }
    }
}
