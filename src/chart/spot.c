// SPDX-License-Identifier: Apache-2.0
// A spot: one point of a chart at a time, as one thread sees it: where it is, and what is judged
// there. How it moves is in stride.c.

#include "chart/chart.h"

#include <math.h>
#include <string.h>

#define ROUNDED 1e-9  // a distance that is none
#define SINGULAR 1e-5 // of roots, beside the largest
#define SMOOTH 0.02   // of a step: between places around its end
#define NEARBY 1e-3   // of an answer that is known badly
#define BLURRED 1e-3  // of the least root
#define DOUBT 1e-4    // real parts, relative to |root| and the pace, that call for error bars

// --- making --------------------------------------------------------------------------------------

// In any thread: large models take their time for one point.
static bool is_wanted(void *user)
{
    const rh_chart *chart = user;
    return !atomic_load(&chart->is_stopped);
}

static rh_status reserve(rh_spot *spot)
{
    const rh_chart *chart = spot->chart;
    const rh_reduction *reduction = chart->steady->reduction;
    const rh_wish *wish = &chart->steady->wish;
    const size_t n = (size_t)reduction->y_count + 1;
    RH_TRY(rh__workbench_create(reduction, &spot->bench));
    RH_TRY(rh__judgement_reserve(reduction, &spot->arena, &spot->judgement));
    spot->wanted = rh__arena_array(&spot->arena, double, (size_t)wish->observed_count + 1);
    spot->kept = rh__arena_array(&spot->arena, double, 6 * (size_t)chart->width + 1);
    spot->work = rh__arena_array(&spot->arena, double, 5 * n * n + 5 * n);
    spot->ends = rh__arena_array(&spot->arena, double, 2 * (size_t)chart->width + 1);
    spot->pivot = rh__arena_array(&spot->arena, uint32_t, n);
    spot->slots = rh__arena_array(&spot->arena, double, (size_t)reduction->slot_count + 1);
    spot->origin = rh__arena_array(&spot->arena, double, 4 * (size_t)chart->width + 1);
    if (spot->slots == NULL || spot->origin == NULL || spot->wanted == NULL || spot->kept == NULL ||
        spot->work == NULL || spot->pivot == NULL || spot->ends == NULL) {
        return spot->arena.status;
    }
    spot->slopes[0] = spot->kept + chart->width;
    spot->slopes[1] = spot->slopes[0] + chart->width;
    spot->move = spot->slopes[1] + chart->width;
    spot->noise = spot->move + chart->width;
    spot->span = spot->noise + chart->width;
    for (uint32_t k = 0; k < wish->observed_count; k++) {
        spot->wanted[k] = wish->wanted[k];
    }
    memcpy(spot->bench->values, wish->values, reduction->slot_count * sizeof(double));
    spot->query = rh__wish_query(wish);
    spot->query.wanted = spot->wanted;
    spot->query.is_wanted = is_wanted;
    spot->query.user = spot->chart;
    return RH_OK;
}

rh_status rh__spot_create(rh_chart *chart, rh_spot **out)
{
    rh_arena arena = rh__arena_begin(chart->arena.allocator, chart->arena.limit);
    rh_spot *spot = rh__arena_new(&arena, rh_spot);
    *out = NULL;
    if (spot == NULL) {
        rh__arena_end(&arena);
        return RH_E_MEMORY;
    }
    spot->arena = arena;
    spot->chart = chart;
    const rh_status status = reserve(spot);
    if (status != RH_OK) {
        rh__spot_destroy(spot);
        return status;
    }
    *out = spot;
    return RH_OK;
}

void rh__spot_destroy(rh_spot *spot)
{
    if (spot == NULL) {
        return;
    }
    rh__workbench_destroy(spot->bench);
    rh_arena arena = spot->arena;
    rh__arena_end(&arena);
}

// --- moving --------------------------------------------------------------------------------------

void rh__spot_load(rh_spot *spot, const double *places)
{
    const rh_reduction *reduction = spot->chart->steady->reduction;
    for (uint32_t k = 0; k < reduction->place_count; k++) {
        spot->bench->values[reduction->place[k]] = places[k];
    }
}

void rh__spot_save(const rh_spot *spot, double *places)
{
    const rh_reduction *reduction = spot->chart->steady->reduction;
    for (uint32_t k = 0; k < reduction->place_count; k++) {
        places[k] = spot->bench->values[reduction->place[k]];
    }
}

void rh__spot_turn(rh_spot *spot, const double at[2])
{
    for (int axis = 0; axis < 2; axis++) {
        const rh_spot_dial *dial = &spot->chart->dials[axis];
        if (dial->slot != UINT32_MAX) {
            spot->bench->values[dial->slot] = at[axis];
        } else {
            spot->wanted[dial->wanted] = at[axis];
        }
    }
}

bool rh__spot_stand(rh_spot *spot, const double at[2])
{
    rh__spot_turn(spot, at);
    return rh__workbench_slope(spot->bench);
}

// Do two ways to interpolate agree with each other, and about with what was found?
static bool is_smooth(const rh_spot *spot, const double *sum, const double *less)
{
    const rh_reduction *reduction = spot->chart->steady->reduction;
    bool ok = true;
    for (uint32_t k = 0; ok && k < reduction->place_count; k++) {
        const double unit = rh__engine_size(&reduction->engine, reduction->place[k], sum[k]);
        ok = fabs(sum[k] - less[k]) <= ROUNDED * unit &&
             fabs(sum[k] - spot->ends[k]) <= NEARBY * unit;
    }
    return ok;
}

bool rh__spot_smooth(rh_spot *spot)
{
    // values in the middle of polynomials through places at these shares of the radius
    static const double SHARES[] = {-4.0, -3.0, -2.0, -1.0, 1.0, 2.0, 3.0, 4.0};
    static const double WEIGHTS[][2] = {{-1.0, 0.0},  {8.0, 1.0},    {-28.0, -6.0}, {56.0, 15.0},
                                        {56.0, 15.0}, {-28.0, -6.0}, {8.0, 1.0},    {-1.0, 0.0}};
    const uint32_t width = spot->chart->width;
    double came[2][2];
    memcpy(came, spot->came, sizeof came);
    double *sum = spot->origin + width;
    double *less = sum + width;
    double *there = less + width;
    bool ok = true;
    rh__spot_save(spot, spot->ends);
    memset(sum, 0, 2 * (size_t)width * sizeof *sum);
    spot->is_smoothing = true;
    for (size_t n = 0; ok && n < sizeof SHARES / sizeof *SHARES; n++) {
        double to[2];
        for (int axis = 0; axis < 2; axis++) {
            to[axis] = came[1][axis] + SMOOTH * SHARES[n] * (came[1][axis] - came[0][axis]);
        }
        rh__spot_load(spot, spot->origin);
        ok = rh__spot_reach(spot, came[0], to);
        rh__spot_save(spot, there);
        for (uint32_t k = 0; k < width; k++) {
            sum[k] += WEIGHTS[n][0] / 70.0 * there[k];
            less[k] += WEIGHTS[n][1] / 20.0 * there[k];
        }
    }
    spot->is_smoothing = false;
    ok = ok && is_smooth(spot, sum, less);
    memcpy(spot->came, came, sizeof came);
    rh__spot_load(spot, ok ? sum : spot->ends);
    rh__spot_turn(spot, came[1]);
    return rh__workbench_slope(spot->bench) && ok;
}

// --- judging -------------------------------------------------------------------------------------

// The least root beside the largest one.
static double least_share(const rh_judgement *it)
{
    double size = it->pace;
    double least = INFINITY;
    for (uint32_t k = 0; k < it->root_count; k++) {
        const double own = hypot(it->roots[k].real, it->roots[k].imaginary);
        size = fmax(size, own);
        least = fmin(least, own);
    }
    return least / size;
}

bool rh__judgement_is_singular(const rh_judgement *it)
{
    return least_share(it) <= SINGULAR;
}

// Is the motion known no better than the way to where branches meet? Then its least root says
// nothing.
static bool is_blurred(rh_spot *spot)
{
    const rh_reduction *reduction = spot->chart->steady->reduction;
    bool ok = false;
    double far = 0.0;
    const rh_status status =
        rh__rest_newton(spot->bench, &spot->query, spot->move, spot->noise, &ok);
    spot->status = status != RH_OK ? status : spot->status;
    for (uint32_t k = 0; k < reduction->place_count; k++) {
        const double off = fabs(spot->move[k]) + fabs(spot->noise[k]);
        far = fmax(far, off / reduction->engine.unit[reduction->place[k]]);
    }
    return !ok || !rh__workbench_slope(spot->bench) ||
           far > BLURRED * least_share(&spot->judgement);
}

// What rests on the least root of a motion that is known badly is undecided.
static uint32_t judge_blurred(rh_spot *spot)
{
    const bool is_known = !is_blurred(spot);
    const uint32_t kind = rh__spot_judge(spot, UINT32_MAX);
    const rh_judgement *it = &spot->judgement;
    const double size = it->root_count > 0 ? hypot(it->roots[0].real, it->roots[0].imaginary) : 0.0;
    const bool is_stable = kind == RH_STEADY_ASYMPTOTICALLY_STABLE || kind == RH_STEADY_STABLE;
    const bool is_close = kind == RH_STEADY_UNSTABLE && size <= SINGULAR * it->pace;
    return !is_known && (is_stable || is_close) ? RH_STEADY_UNDECIDED : kind;
}

uint32_t rh__spot_judge_there(rh_spot *spot, uint32_t dimension)
{
    const uint32_t kind = rh__spot_judge(spot, dimension);
    spot->is_singular = rh__judgement_is_singular(&spot->judgement);
    if (!spot->is_singular) {
        return kind;
    }
    return rh__spot_smooth(spot) ? rh__spot_judge(spot, UINT32_MAX) : judge_blurred(spot);
}

// Next to the axis roots that coincide are parted by rounding far more than others: only with their
// error bars is it known on which side they are.
static bool is_doubtful(const rh_judgement *it)
{
    const double size = it->root_count > 0 ? hypot(it->roots[0].real, it->roots[0].imaginary) : 0.0;
    return it->is_certain && it->root_count > 1 && it->verdict != RH_STEADY_UNDECIDED &&
           fabs(it->abscissa) < DOUBT * (it->pace + size);
}

uint32_t rh__spot_judge(rh_spot *spot, uint32_t dimension)
{
    rh_status status = rh__judge(spot->bench, dimension, &spot->judgement);
    if (status == RH_OK && dimension != UINT32_MAX && is_doubtful(&spot->judgement)) {
        status = rh__judge(spot->bench, UINT32_MAX, &spot->judgement);
    }
    if (status == RH_OK) {
        return (uint32_t)spot->judgement.verdict;
    }
    // roots that do not converge decide nothing; a lack of memory is one of all
    spot->status = status == RH_E_LIMIT ? spot->status : status;
    spot->judgement.abscissa = NAN;
    return RH_STEADY_UNDECIDED;
}

// The balanced matrix on the complement of its k least singular directions: r x r, into `out`.
static void deflate(rh_spot *spot, uint32_t k, double *out)
{
    const rh_judgement *judgement = &spot->judgement;
    const uint32_t n = judgement->size;
    const uint32_t r = n - k;
    double *balance = spot->work;
    double *matrix = balance + n;
    double *factors = matrix + (size_t)n * n;
    double *basis = factors + (size_t)n * n;
    double *diagonal = basis + (size_t)n * n;
    double *column = diagonal + 2 * (size_t)n;
    rh__judge_balance(spot->chart->steady->reduction, n, judgement->slots, judgement->matrix,
                      balance, matrix);
    for (uint32_t j = 0; j < n; j++) {
        for (uint32_t i = 0; i < n; i++) {
            factors[j + (size_t)i * n] = matrix[i + (size_t)j * n];
        }
    }
    // rows span the complement of the kernel; pivots put what is least at the end
    rh__reflect(n, n, factors, spot->pivot, diagonal, diagonal + n);
    for (uint32_t j = 0; j < r; j++) {
        double *b = basis + (size_t)j * n;
        memset(b, 0, n * sizeof *b);
        b[j] = 1.0;
        rh__reflect_apply(n, n, factors, diagonal + n, false, b);
    }
    for (uint32_t j = 0; j < r; j++) {
        for (uint32_t i = 0; i < n; i++) {
            column[i] = 0.0;
            for (uint32_t l = 0; l < n; l++) {
                column[i] += matrix[i + (size_t)l * n] * basis[l + (size_t)j * n];
            }
        }
        for (uint32_t i = 0; i < r; i++) {
            out[i + (size_t)j * r] = rh__vector_dot(n, basis + (size_t)i * n, column);
        }
    }
}

bool rh__spot_decide(rh_spot *spot, uint32_t dimension, rh_spot_signs *out)
{
    *out = (rh_spot_signs){.product = 1.0, .abscissa = -INFINITY};
    const rh_status status = rh__judge_linear(spot->bench, &spot->judgement);
    if (status != RH_OK) {
        spot->status = status;
        return false;
    }
    const uint32_t n = spot->judgement.size;
    if (n < dimension) {
        return false;
    }
    const uint32_t r = n - dimension;
    double *rest = spot->work + 3 * (size_t)n * n + 4 * (size_t)n;
    double *re = rest + (size_t)r * r;
    deflate(spot, dimension, rest);
    if (!rh__eigen_small(r, rest, re, spot->work)) {
        return false;
    }
    const double *im = spot->work;
    for (uint32_t k = 0; k < r; k++) {
        // a pair stands side by side: its product is real
        const bool is_pair = im[k] != 0.0 && k + 1 < r;
        out->product *= is_pair ? re[k] * re[k] + im[k] * im[k] : -re[k];
        out->abscissa = fmax(out->abscissa, re[k]);
        out->size = fmax(out->size, hypot(re[k], im[k]));
        out->right += (re[k] > 0.0) * (is_pair ? 2u : 1u);
        k += is_pair;
    }
    return isfinite(out->product) && isfinite(out->abscissa);
}
