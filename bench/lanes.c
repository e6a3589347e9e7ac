// SPDX-License-Identifier: Apache-2.0
// Contenders: many discs by hand with DOP853, eight of them side by side in the lanes of a vector,
// or one after the other. Every lane has its own time, length and verdict about its step; one that
// has arrived takes the next disc of the queue. Sines of eight numbers are those of glibc's libmvec
// where it is there.

#include "discs.h"
#include "dormand.h"
#include "rolling.h"

#include <stdlib.h>

enum { LANES = 8, N = ROLLING_REDUCED };

typedef double lane __attribute__((vector_size(LANES * sizeof(double))));
typedef int64_t mask __attribute__((vector_size(LANES * sizeof(double))));

#define LANES_INLINE static inline __attribute__((always_inline))

// --- eight numbers -------------------------------------------------------------------------------

#if defined BENCH_MVEC && defined __AVX512F__
lane _ZGVeN8v_sin(lane x);
lane _ZGVeN8v_cos(lane x);
#define LANES_SIN _ZGVeN8v_sin
#define LANES_COS _ZGVeN8v_cos
#elif defined BENCH_MVEC && defined __AVX2__
typedef double half __attribute__((vector_size(LANES / 2 * sizeof(double))));
half _ZGVdN4v_sin(half x);
half _ZGVdN4v_cos(half x);
LANES_INLINE lane by_halves(lane x, half (*of)(half))
{
    half parts[2];
    memcpy(parts, &x, sizeof x);
    parts[0] = of(parts[0]);
    parts[1] = of(parts[1]);
    memcpy(&x, parts, sizeof x);
    return x;
}
#define LANES_SIN(x) by_halves(x, _ZGVdN4v_sin)
#define LANES_COS(x) by_halves(x, _ZGVdN4v_cos)
#else
LANES_INLINE lane one_by_one(lane x, double (*of)(double))
{
    for (int l = 0; l < LANES; l++) {
        x[l] = of(x[l]);
    }
    return x;
}
#define LANES_SIN(x) one_by_one(x, sin)
#define LANES_COS(x) one_by_one(x, cos)
#endif

LANES_INLINE lane all(double value)
{
    return (lane){value, value, value, value, value, value, value, value};
}

LANES_INLINE lane choose(mask which, lane yes, lane no)
{
    return (lane)((which & (mask)yes) | (~which & (mask)no));
}

LANES_INLINE lane least(lane a, lane b)
{
    return choose(a < b, a, b);
}

LANES_INLINE lane most(lane a, lane b)
{
    return choose(a > b, a, b);
}

LANES_INLINE lane size_of(lane a)
{
    return most(a, -a);
}

// A loop over an array is what a compiler turns into one instruction.
LANES_INLINE lane root(lane x)
{
    double parts[LANES];
    memcpy(parts, &x, sizeof x);
    for (int l = 0; l < LANES; l++) {
        parts[l] = sqrt(parts[l]);
    }
    memcpy(&x, parts, sizeof x);
    return x;
}

// --- eight discs ---------------------------------------------------------------------------------

// rolling_reduced() for eight.
LANES_INLINE void find_rates(const lane *y, lane *out)
{
    const double a = ROLLING_R;
    const double A = ROLLING_A;
    const double C = ROLLING_C;
    const lane s = LANES_SIN(y[0]);
    const lane c = LANES_COS(y[0]);
    const lane w1 = y[5];
    const lane w2 = y[6];
    const lane w3 = y[7];
    const lane spin = w3 + s * w2;
    out[0] = w1;
    out[1] = w2;
    out[2] = spin;
    out[3] = a * LANES_COS(y[1]) * spin;
    out[4] = a * LANES_SIN(y[1]) * spin;
    out[5] = (ROLLING_G * a * s - c * w2 * (A * s * w2 + (C + a * a) * w3)) * (1.0 / (A + a * a));
    out[6] = w1 * (2.0 * A * w2 * s + C * w3) / (A * c);
    out[7] = a * a / (C + a * a) * w1 * w2 * c;
}

typedef struct herd {
    lane y[N], end[N], rates[DORMAND_STAGES][N];
    lane t, length;
    mask was_refused;
    int64_t member[LANES]; // negative: none
    uint64_t next, count;  // of the queue
    uint64_t steps;
    double *out; // where the samples go
    uint32_t side;
} herd;

LANES_INLINE void find_place(const herd *in, lane length, uint32_t row, lane *out)
{
    for (int i = 0; i < N; i++) {
        lane sum = all(0.0);
#pragma GCC unroll 12
        for (uint32_t j = 0; j < row; j++) {
            if (DORMAND_WEIGHT[row][j] != 0.0) {
                sum += DORMAND_WEIGHT[row][j] * in->rates[j][i];
            }
        }
        out[i] = in->y[i] + length * sum;
    }
}

// dormand_error() for eight.
LANES_INLINE lane find_error(const herd *in, lane length, double tolerance)
{
    lane fifths = all(0.0);
    lane thirds = all(0.0);
    for (int i = 0; i < N; i++) {
        lane e5 = all(0.0);
        lane e3 = all(0.0);
#pragma GCC unroll 12
        for (uint32_t j = 0; j < DORMAND_STAGES; j++) {
            const double weight = DORMAND_WEIGHT[DORMAND_STAGES][j] - DORMAND_THIRD[j];
            if (weight != 0.0) {
                e3 += weight * in->rates[j][i];
            }
            if (DORMAND_FIFTH[j] != 0.0) {
                e5 += DORMAND_FIFTH[j] * in->rates[j][i];
            }
        }
        const lane share = 1.0 / (tolerance * (1.0 + most(size_of(in->y[i]), size_of(in->end[i]))));
        fifths += e5 * share * (e5 * share);
        thirds += e3 * share * (e3 * share);
    }
    const lane both = (fifths + 0.01 * thirds) * (double)N;
    return length * fifths / most(root(both), all(1e-300));
}

static void take_next(herd *in, int l)
{
    in->member[l] = in->next < in->count ? (int64_t)in->next++ : -1;
    if (in->member[l] >= 0) {
        const uint64_t i = (uint64_t)in->member[l] / in->side;
        const uint64_t j = (uint64_t)in->member[l] % in->side;
        const double turn = discs_spread(0.2, 0.8, i, in->side);
        const double start[N] = {
            0.2, 0, 0, 0, 0, 0.1, turn, discs_spread(8.0, 12.0, j, in->side) - sin(0.2) * turn};
        for (int k = 0; k < N; k++) {
            in->y[k][l] = start[k];
        }
        in->t[l] = 0.0;
    }
}

static void keep(const herd *in, int l)
{
    const int sample = discs_sample(in->side, (uint64_t)in->member[l]);
    if (sample >= 0) {
        double *end = in->out + (size_t)sample * DISC_COUNT;
        for (int k = 0; k < N; k++) {
            end[k] = in->y[k][l];
        }
        end[7] += sin(end[0]) * end[6];
    }
}

// Those that have arrived make room; the next begins with the length its neighbour had.
static bool refill(herd *in, double until)
{
    bool is_busy = false;
    for (int l = 0; l < LANES; l++) {
        if (in->member[l] >= 0 && in->t[l] >= until) {
            keep(in, l);
            take_next(in, l);
        }
        is_busy = is_busy || in->member[l] >= 0;
    }
    return is_busy;
}

// One step of each lane; lanes without a disc do not move.
LANES_INLINE void take_step(herd *in, double until, double tolerance)
{
    const lane rest = until - in->t;
    const mask is_last = 1.01 * in->length >= rest;
    const lane length = choose(is_last, rest, in->length);
    find_rates(in->y, in->rates[0]);
#pragma GCC unroll 12
    for (uint32_t k = 1; k < DORMAND_STAGES; k++) {
        find_place(in, length, k, in->end);
        find_rates(in->end, in->rates[k]);
    }
    find_place(in, length, DORMAND_STAGES, in->end);
    const lane error = find_error(in, length, tolerance);
    const lane eighth = root(root(root(most(error, all(1e-10)))));
    const lane factor = most(0.9 / eighth, all(0.333));
    const mask is_good = error <= 1.0;
    const lane grown = length * least(factor, choose(in->was_refused, all(1.0), all(6.0)));
    const lane next = choose(is_good, grown, length * choose(error == error, factor, all(0.25)));
    for (int i = 0; i < N; i++) {
        in->y[i] = choose(is_good, in->end[i], in->y[i]);
    }
    in->t = choose(is_good, choose(is_last, all(until), in->t + length), in->t);
    // a step that was cut by the end says little about the next
    in->length = choose(is_last & is_good, most(in->length, next), next);
    in->was_refused = ~is_good;
    for (int l = 0; l < LANES; l++) {
        in->steps += in->member[l] >= 0 && is_good[l] != 0;
    }
}

/// Alone in a function, so that a profiler can find it.
void discs_lanes_move(herd *in, double until, double tolerance);

__attribute__((noinline)) void discs_lanes_move(herd *in, double until, double tolerance)
{
    in->length = all(0.01);
    in->t = all(until);
    in->was_refused = in->t < 0.0;
    for (int l = 0; l < LANES; l++) {
        take_next(in, l);
    }
    while (refill(in, until)) {
        take_step(in, until, tolerance);
    }
}

bench_finish discs_lanes(const bench_problem *problem, double tolerance, double *end)
{
    herd *in = aligned_alloc(sizeof(lane), sizeof *in);
    if (in == NULL) {
        abort();
    }
    memset(in, 0, sizeof *in);
    in->side = discs_side(problem);
    in->count = (uint64_t)in->side * in->side;
    in->out = end;
    const double begin = contest_wall();
    discs_lanes_move(in, problem->until, tolerance);
    const bench_finish result = {.seconds = contest_wall() - begin, .steps = in->steps, .ok = true};
    free(in);
    return result;
}

bench_finish discs_single(const bench_problem *problem, double tolerance, double *end)
{
    const uint32_t side = discs_side(problem);
    bench_finish result = {.ok = true};
    const double begin = contest_wall();
    for (uint64_t member = 0; member < (uint64_t)side * side; member++) {
        double room[DORMAND_ROOM * N];
        const double turn = discs_spread(0.2, 0.8, member / side, side);
        const double roll = discs_spread(8.0, 12.0, member % side, side);
        double y[N] = {0.2, 0, 0, 0, 0, 0.1, turn, roll - sin(0.2) * turn};
        const dormand_task task = {N, rolling_reduced, NULL, problem->until, tolerance};
        const dormand_count count = dormand_run(task, y, room);
        const int sample = discs_sample(side, member);
        result.steps += count.steps;
        result.rates += count.rates;
        result.ok = result.ok && count.is_reached;
        if (sample >= 0) {
            y[7] += sin(y[0]) * y[6];
            memcpy(end + (size_t)sample * DISC_COUNT, y, sizeof y);
        }
    }
    result.seconds = contest_wall() - begin;
    return result;
}
