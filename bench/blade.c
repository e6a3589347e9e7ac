// SPDX-License-Identifier: Apache-2.0
// A contender: the sleigh with a one-sided blade by hand with DOP853, in components along the
// blade, with steps repeated until they end at an event. It looks for changes of sign at the ends
// of its steps.

#include "sleigh.h"

#include "dormand.h"

enum { SIZE = 6, TRIALS = 60 };

// z = x, y, th; velocity of the centre of mass along and across the blade; th'
typedef struct by_hand {
    sleigh of;
    double t, z[SIZE];
    bool is_held;
    double next; // length to try
    double until, tolerance;
    uint64_t steps;
    double *run; // events
} by_hand;

DORMAND_INLINE double torque_at(const sleigh *of, double t)
{
    return of->torque != 0.0 ? of->torque * sin(t) : 0.0;
}

// Minus the rate of the lateral velocity without the blade, over what a unit of its force adds.
DORMAND_INLINE double force_of(const sleigh *of, double cosine, double torque, const double *z)
{
    const double pull = -z[5] * z[3] - of->gravity * cosine - of->ahead * torque / of->inertia;
    return -pull / (1.0 + of->ahead * of->ahead / of->inertia);
}

DORMAND_INLINE void find_rate(const by_hand *it, double t, const double *z, double *out)
{
    const sleigh *of = &it->of;
    const double s = sin(z[2]);
    const double c = cos(z[2]);
    const double torque = torque_at(of, t);
    const double across = z[4] - of->ahead * z[5];
    const double force = it->is_held ? force_of(of, c, torque, z) : 0.0;
    out[0] = z[3] * c - across * s;
    out[1] = z[3] * s + across * c;
    out[2] = z[5];
    out[3] = z[5] * z[4] - of->gravity * s;
    out[4] = -z[5] * z[3] - of->gravity * c + force;
    out[5] = (torque - of->ahead * force) / of->inertia;
}

// Where a stage stands: the sum of its weights.
static double node_of(uint32_t stage)
{
    double sum = 0.0;
    for (uint32_t j = 0; j < stage; j++) {
        sum += DORMAND_WEIGHT[stage][j];
    }
    return sum;
}

// One step of order 8; the error relative to what is allowed.
__attribute__((noinline)) static double take_step(const by_hand *it, double h, double *end)
{
    double rates[DORMAND_STAGES * SIZE];
    const dormand_task task = {.n = SIZE, .tolerance = it->tolerance};
    const bool has_time = it->of.torque != 0.0;
    find_rate(it, it->t, it->z, rates);
#pragma GCC unroll 12
    for (uint32_t k = 1; k < DORMAND_STAGES; k++) {
        dormand_place(SIZE, it->z, h, rates, k, end);
        find_rate(it, has_time ? it->t + node_of(k) * h : 0.0, end, rates + k * SIZE);
    }
    dormand_place(SIZE, it->z, h, rates, DORMAND_STAGES, end);
    return dormand_error(&task, it->z, end, h, rates);
}

// What is watched: positive until the event.
static double watch(const by_hand *it, double t, const double *z)
{
    return it->is_held ? force_of(&it->of, cos(z[2]), torque_at(&it->of, t), z)
                       : z[4] - it->of.ahead * z[5];
}

// The length of the step that ends at the event: regula falsi (Illinois), each trial a step.
static double find_event(const by_hand *it, double h, double first, double last, double *end)
{
    double low = 0.0;
    double high = h;
    double at = h;
    for (int k = 0; k < TRIALS && high - low > 1e-15 * (1.0 + fabs(it->t)); k++) {
        at = low - first * (high - low) / (last - first);
        (void)take_step(it, at, end);
        const double value = watch(it, it->t + at, end);
        if (value == 0.0) {
            return at;
        }
        if (value > 0.0) {
            low = at;
            first = value;
            last *= 0.5;
        } else {
            high = at;
            last = value;
            first *= 0.5;
        }
    }
    return at;
}

static void change_mode(by_hand *it)
{
    sleigh_note(it->run, it->t, it->is_held);
    it->is_held = !it->is_held;
    if (it->is_held) {
        it->z[4] = it->of.ahead * it->z[5];
    }
}

// One accepted step, or its part up to the event. Right after an event what is watched is zero: its
// sign at the end decides.
static void go_on(by_hand *it, bool *is_fresh)
{
    double end[SIZE];
    double h = fmin(it->next, it->until - it->t);
    double error = take_step(it, h, end);
    while (error > 1.0) {
        h *= fmax(0.2, 0.9 * pow(error, -1.0 / 8.0));
        error = take_step(it, h, end);
    }
    it->next = h * fmin(6.0, fmax(0.333, 0.9 * pow(fmax(error, 1e-10), -1.0 / 8.0)));
    const double first = *is_fresh ? 0.0 : watch(it, it->t, it->z);
    const double last = watch(it, it->t + h, end);
    const bool is_event = first > 0.0 && last < 0.0;
    if (is_event) {
        h = find_event(it, h, first, last, end);
    }
    it->t += h;
    it->steps++;
    memcpy(it->z, end, sizeof end);
    *is_fresh = is_event;
    if (is_event) {
        change_mode(it);
    }
}

/// Alone in a function, so that a profiler can find it.
void sleigh_by_hand_move(by_hand *it);

__attribute__((noinline)) void sleigh_by_hand_move(by_hand *it)
{
    it->is_held = force_of(&it->of, cos(it->z[2]), torque_at(&it->of, 0.0), it->z) > 0.0;
    bool is_fresh = !it->is_held;
    while (it->t < it->until) {
        go_on(it, &is_fresh);
    }
}

bench_finish sleigh_by_hand(const bench_problem *problem, double tolerance, double *end)
{
    bench_finish result = {.ok = true};
    for (uint64_t k = 0; k < problem->members; k++) {
        by_hand it = {.of = sleigh_draw(problem, k),
                      .next = 0.01,
                      .until = problem->until,
                      .tolerance = tolerance,
                      .run = end + k * SLEIGH_ROOM};
        it.z[2] = it.of.angle;
        it.z[3] = it.of.along;
        it.z[4] = it.of.ahead * it.of.turning;
        it.z[5] = it.of.turning;
        it.run[0] = 0.0;
        const double begin = contest_clock();
        sleigh_by_hand_move(&it);
        result.seconds += contest_clock() - begin;
        result.steps += it.steps;
    }
    return result;
}
