// SPDX-License-Identifier: Apache-2.0
// Roots that meet. Where m roots coincide an error of the parameters or of rounding parts them by
// its m-th root, so the abscissa is known badly there, and its place not much better. But their
// mean and the coefficients of the polynomial they are roots of are smooth functions of the
// parameters: Newton's method makes the coefficients around the mean vanish. The abscissa is then
// the mean. Where more parameters are free than that takes, the place is moved along those for
// which the roots meet, down to the least mean, and to ends of ranges where it lies there.

#include "optimum/optimum.h"

#include <complex.h>
#include <float.h>
#include <math.h>
#include <string.h>

#define SPREAD 0.5    // of roots that may be meant to meet, relative to their size and the pace
#define STEP 1e-6     // of differences, of the range
#define MOVE 0.2      // of a parameter in one step, of the range
#define NARROW 1e-9   // a share of the ranges that is no step
#define ROUNDED 1e-13 // of coefficients, for each pair of roots
enum { ROUNDS = 16, SLIDES = 60, LARGEST = 8 };

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
    double gradient[RH_OPTIMUM_MOST]; // of the real part of the mean
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

static double range_of(const polishing *in, uint32_t k)
{
    return in->optimum->over[k].high - in->optimum->over[k].low;
}

static bool is_at_end(const polishing *in, const double *at, uint32_t k)
{
    return at[k] == in->optimum->over[k].low || at[k] == in->optimum->over[k].high;
}

// --- slopes --------------------------------------------------------------------------------------

// Derivatives by differences, columns in units of the ranges; at an end of a range to one side.
static bool find_jacobian(polishing *in, const double *at, const cluster *now)
{
    rh_optimum *optimum = in->optimum;
    for (uint32_t j = 0; j < optimum->count; j++) {
        const rh_optimum_range *range = &optimum->over[j];
        const double step = STEP * range_of(in, j);
        const double side = at[j] + step > range->high ? -1.0 : 1.0;
        const bool is_sided = side < 0.0 || at[j] - step < range->low;
        double moved[RH_OPTIMUM_MOST] = {0.0};
        cluster far = {.mean = 0.0};
        cluster near = {.mean = 0.0};
        memcpy(moved, at, sizeof moved);
        moved[j] = at[j] + (is_sided ? 2.0 * side : -1.0) * step;
        if (!gather_at(in, moved, &far)) {
            return false;
        }
        moved[j] = at[j] + side * step;
        if (!gather_at(in, moved, &near)) {
            return false;
        }
        const double unit = side / (2.0 * STEP);
        for (uint32_t i = 0; i < in->equation_count; i++) {
            in->jacobian[i + (size_t)j * in->equation_count] =
                unit * (is_sided
                            ? 4.0 * near.equations[i] - far.equations[i] - 3.0 * now->equations[i]
                            : near.equations[i] - far.equations[i]);
        }
        in->gradient[j] = unit * (is_sided ? creal(4.0 * near.mean - far.mean - 3.0 * now->mean)
                                           : creal(near.mean - far.mean));
    }
    return true;
}

static double residual_of(const polishing *in, const cluster *it)
{
    double most = 0.0;
    for (uint32_t k = 0; k < in->equation_count; k++) {
        most = fmax(most, fabs(it->equations[k]));
    }
    return most;
}

// What rounding leaves of the coefficients.
static double rounding_of(const polishing *in, const cluster *it)
{
    const rh_judgement *judgement = &in->optimum->judgement;
    double largest = 0.0;
    for (uint32_t k = 0; k < judgement->root_count; k++) {
        largest = fmax(largest, cabs(root_at(in->optimum, k)));
    }
    const double unit = in->optimum->steady->reduction->engine.pace + cabs(it->mean);
    return ROUNDED * in->size * in->size * fmax(1.0, largest / unit);
}

// The singular values of the slopes by the quantities that are free.
static rh_status factor(polishing *in, const bool *is_free, rh_svd *out)
{
    double a[2 * LARGEST * RH_OPTIMUM_MOST];
    for (uint32_t j = 0; j < in->optimum->count; j++) {
        for (uint32_t i = 0; i < in->equation_count; i++) {
            const size_t at = i + (size_t)j * in->equation_count;
            a[at] = is_free[j] ? in->jacobian[at] : 0.0;
        }
    }
    return rh__svd_create(&in->optimum->bench->scratch, in->equation_count, in->optimum->count, a,
                          out);
}

// --- meeting -------------------------------------------------------------------------------------

// One step of Newton's method, the shortest, with quantities at the ends of their ranges held; it
// ends at an end. False: it leads away.
static bool improve(polishing *in, const cluster *now, double *at, double *out_size)
{
    rh_optimum *optimum = in->optimum;
    rh_arena *arena = &optimum->bench->scratch;
    const rh_mark mark = rh__arena_mark(arena);
    double step[RH_OPTIMUM_MOST] = {0.0};
    bool is_free[RH_OPTIMUM_MOST] = {false};
    rh_svd svd;
    for (uint32_t k = 0; k < optimum->count; k++) {
        is_free[k] = !is_at_end(in, at, k);
    }
    const bool ok = find_jacobian(in, at, now) && factor(in, is_free, &svd) == RH_OK;
    if (ok) {
        rh__svd_solve(&svd, rh__svd_rank(&svd, 1e-7), now->equations, step);
    }
    rh__arena_rewind(arena, mark);
    *out_size = 0.0;
    for (uint32_t k = 0; ok && k < optimum->count; k++) {
        const rh_optimum_range *range = &optimum->over[k];
        *out_size = fmax(*out_size, is_free[k] ? fabs(step[k]) : 0.0);
        at[k] = is_free[k] ? fmin(fmax(at[k] - step[k] * range_of(in, k), range->low), range->high)
                           : at[k];
    }
    return ok && *out_size <= MOVE;
}

// Let the cluster meet from a place on, as well as rounding allows.
static bool restore(polishing *in, double *at, cluster *now)
{
    double size = INFINITY;
    bool ok = true;
    for (uint32_t k = 0; ok && k < ROUNDS && size > 1e-16 && !rh__trial_is_over(in->optimum); k++) {
        const double before = residual_of(in, now);
        double tried[RH_OPTIMUM_MOST] = {0.0};
        cluster next = {.mean = 0.0};
        memcpy(tried, at, sizeof tried);
        in->centre = in->is_real ? creal(now->mean) : now->mean;
        ok = improve(in, now, tried, &size) && gather_at(in, tried, &next);
        if (ok && !(residual_of(in, &next) < before)) {
            break; // what is left is rounding
        }
        if (ok) {
            memcpy(at, tried, sizeof tried);
            *now = next;
        }
    }
    return ok && residual_of(in, now) <= rounding_of(in, now);
}

// The direction in which the mean falls fastest while the cluster stays together and no range is
// left; its largest component. Zero: there is none.
static rh_status find_descent(polishing *in, const double *at, double *out, double *out_size)
{
    rh_optimum *optimum = in->optimum;
    rh_arena *arena = &optimum->bench->scratch;
    const uint32_t n = optimum->count;
    bool is_free[RH_OPTIMUM_MOST];
    memset(is_free, true, sizeof is_free);
    for (bool is_settled = false; !is_settled;) {
        const rh_mark mark = rh__arena_mark(arena);
        rh_svd svd;
        RH_TRY(factor(in, is_free, &svd));
        const uint32_t rank = rh__svd_rank(&svd, 1e-7);
        *out_size = 0.0;
        memset(out, 0, n * sizeof *out);
        for (uint32_t k = 0; k < n; k++) {
            out[k] = is_free[k] ? -in->gradient[k] : 0.0;
        }
        for (uint32_t r = 0; r < rank; r++) {
            const double *v = svd.v + (size_t)r * n;
            const double share = rh__vector_dot(n, v, out);
            for (uint32_t k = 0; k < n; k++) {
                out[k] -= share * v[k];
            }
        }
        rh__arena_rewind(arena, mark);
        is_settled = true;
        for (uint32_t k = 0; k < n; k++) {
            const bool is_out = (at[k] == optimum->over[k].low && out[k] < 0.0) ||
                                (at[k] == optimum->over[k].high && out[k] > 0.0);
            is_settled = is_settled && !(is_out && is_free[k]);
            is_free[k] = is_free[k] && !is_out;
            out[k] = is_free[k] ? out[k] : 0.0;
            *out_size = fmax(*out_size, fabs(out[k]));
        }
    }
    return RH_OK;
}

static double value_of(const cluster *it)
{
    return fmax(creal(it->mean), it->others);
}

// As far along a direction as a share of the ranges, or to the first end of a range, exactly.
static void move_along(const polishing *in, const double *direction, double length, double *at)
{
    double share = length;
    uint32_t first = UINT32_MAX;
    for (uint32_t k = 0; k < in->optimum->count; k++) {
        const rh_optimum_range *range = &in->optimum->over[k];
        const double room = (direction[k] > 0.0 ? range->high - at[k] : at[k] - range->low) /
                            (fabs(direction[k]) * range_of(in, k));
        if (direction[k] != 0.0 && room < share) {
            share = room;
            first = k;
        }
    }
    for (uint32_t k = 0; k < in->optimum->count; k++) {
        const rh_optimum_range *range = &in->optimum->over[k];
        const double next = at[k] + share * direction[k] * range_of(in, k);
        at[k] = k == first ? (direction[k] > 0.0 ? range->high : range->low)
                           : fmin(fmax(next, range->low), range->high);
    }
}

// Roots that meet may do so for many parameters: along these to where they are farthest left, which
// may be at the end of a range.
static void slide(polishing *in, double *at, cluster *now)
{
    double trust = MOVE;
    const double slack =
        1e-14 * (in->optimum->steady->reduction->engine.pace + fabs(creal(now->mean)));
    for (uint32_t k = 0; k < SLIDES && trust > NARROW && !rh__trial_is_over(in->optimum); k++) {
        double direction[RH_OPTIMUM_MOST] = {0.0};
        double size = 0.0;
        in->centre = in->is_real ? creal(now->mean) : now->mean;
        if (!find_jacobian(in, at, now) || find_descent(in, at, direction, &size) != RH_OK ||
            !(size > 0.0)) {
            return;
        }
        double tried[RH_OPTIMUM_MOST] = {0.0};
        cluster next = {.mean = 0.0};
        memcpy(tried, at, sizeof tried);
        move_along(in, direction, trust / size, tried);
        const bool is_down = gather_at(in, tried, &next) && restore(in, tried, &next) &&
                             value_of(&next) < value_of(now) - slack;
        trust = is_down ? fmin(2.0 * trust, MOVE) : 0.25 * trust;
        if (is_down) {
            memcpy(at, tried, sizeof tried);
            *now = next;
        }
    }
}

// How far parameters and the mean may be off, where the equations and the ends of ranges determine
// them; false: they do not.
static bool find_bars(polishing *in, const double *at, const cluster *now, rh_trial_bars *out)
{
    rh_optimum *optimum = in->optimum;
    rh_arena *arena = &optimum->bench->scratch;
    const rh_mark mark = rh__arena_mark(arena);
    const double left = fmax(residual_of(in, now), rounding_of(in, now) / 8.0);
    bool is_free[RH_OPTIMUM_MOST] = {false};
    uint32_t free_count = 0;
    rh_svd svd;
    for (uint32_t k = 0; k < optimum->count; k++) {
        is_free[k] = !is_at_end(in, at, k);
        free_count += is_free[k];
    }
    bool ok = find_jacobian(in, at, now) && factor(in, is_free, &svd) == RH_OK;
    const uint32_t rank = ok ? rh__svd_rank(&svd, 1e-7) : 0;
    ok = ok && rank == free_count;
    out->value = left * (optimum->steady->reduction->engine.pace + fabs(creal(now->mean)));
    for (uint32_t k = 0; ok && k < optimum->count; k++) {
        double square = 0.0;
        for (uint32_t r = 0; r < rank; r++) {
            const double share = svd.v[k + (size_t)r * optimum->count] / svd.values[r];
            square += share * share;
        }
        const double off = left * sqrt(square * in->equation_count);
        out->at[k] = is_free[k] ? off * range_of(in, k) + 4.0 * DBL_EPSILON * fabs(at[k]) : 0.0;
        out->value += is_free[k] ? fabs(in->gradient[k]) * off : 0.0;
    }
    rh__arena_rewind(arena, mark);
    return ok;
}

// Let the cluster meet. True: it does, and that is no worse than the best.
static bool meet(polishing *in, const rh_trial_place *from)
{
    rh_optimum *optimum = in->optimum;
    double at[RH_OPTIMUM_MOST] = {0.0};
    cluster now = {.mean = 0.0};
    memcpy(at, from->at, sizeof at);
    bool ok = gather_at(in, at, &now) && now.spread <= SPREAD && restore(in, at, &now);
    if (ok) {
        slide(in, at, &now);
        in->centre = in->is_real ? creal(now.mean) : now.mean;
    }
    const double value = value_of(&now);
    const double slack = 1e-13 * (optimum->steady->reduction->engine.pace + fabs(value));
    const double least =
        optimum->met > 0 ? optimum->best.value - 10.0 * slack : optimum->best.value + slack;
    if (!ok || !(value <= least) || !gather_at(in, at, &now)) {
        return false;
    }
    memcpy(optimum->best.at, at, sizeof at);
    memcpy(optimum->best.places, optimum->last.places,
           optimum->steady->reduction->place_count * sizeof(double));
    optimum->best.value = value;
    optimum->met = in->is_real ? in->size : 2 * in->size;
    optimum->has_bars = find_bars(in, at, &now, &optimum->bars) && creal(now.mean) >= now.others;
    return true;
}

void rh__optimum_polish(rh_optimum *optimum)
{
    const double before = rh__trial_near(optimum, optimum->best.at);
    const uint32_t count = optimum->judgement.root_count;
    if (!isfinite(before) || count < 2) {
        return;
    }
    rh_trial_place from = {.value = 0.0};
    memcpy(from.at, optimum->best.at, sizeof from.at);
    const double complex first = root_at(optimum, 0);
    // the most that meet first; fewer only where that is better
    for (uint32_t m = count < LARGEST ? count : LARGEST; m >= 2; m--) {
        polishing in = {.optimum = optimum, .size = m, .equation_count = m - 1, .is_real = true};
        in.centre = creal(first);
        (void)meet(&in, &from);
        in = (polishing){.optimum = optimum, .size = m, .equation_count = 2 * (m - 1)};
        in.centre = creal(first) + fabs(cimag(first)) * I;
        if (cimag(first) != 0.0 && 2 * m <= count) {
            (void)meet(&in, &from);
        }
    }
}
