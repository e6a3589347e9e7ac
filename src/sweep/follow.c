// SPDX-License-Identifier: Apache-2.0
// Peaks, lows and means of quantities along a motion. Over a step of Taylor series a quantity is a
// polynomial: its extremes are at the ends or where its derivative vanishes, its mean is exact.
// Where there is no such polynomial (another method, a condition in the quantity, a step with an
// event at its end) the quantity is interpolated at Chebyshev points, twice as many until the
// interpolation is as good as the motion is; where it never is, as at a kink, in parts. The same
// where the polynomial is not the quantity on the way: tanh(20*x) is constant to rounding for x
// = 2.

#include "sweep/sweep.h"

#include <math.h>
#include <string.h>

enum { LEAST = 8, MOST = 64, POINTS = MOST + 1, SEARCHES = 60, MOST_HALVINGS = 64 };

#define PI 3.14159265358979323846
#define GOLDEN 0.61803398874989485

rh_status rh__follower_create(const rh_plan *plan, double tolerance, rh_arena *arena,
                              rh_follower *out)
{
    const uint32_t count = plan->sources.count;
    const size_t room = (size_t)count + 1;
    const uint32_t degree = RH_POLYNOMIAL_DEGREE;
    *out = (rh_follower){.plan = plan,
                         .count = count,
                         .now = rh__arena_array(arena, double, room),
                         .peak = rh__arena_array(arena, double, room),
                         .low = rh__arena_array(arena, double, room),
                         .sum = rh__arena_array(arena, double, room),
                         .noise = rh__arena_array(arena, double, room),
                         .samples = rh__arena_array(arena, double, room *POINTS),
                         .polynomial = rh__arena_array(arena, double, degree + 2),
                         .slope = rh__arena_array(arena, double, degree + 2),
                         .spectrum = rh__arena_array(arena, double, POINTS),
                         .root_work = rh__arena_array(arena, double, RH_POLYNOMIAL_WORK(degree)),
                         .roots = rh__arena_array(arena, rh_root, degree + 2),
                         .tolerance = tolerance,
                         .is_open = rh__arena_array(arena, bool, room)};
    return arena->status;
}

static void note(rh_follower *follower, uint32_t source, double value)
{
    follower->peak[source] = fmax(follower->peak[source], value);
    follower->low[source] = fmin(follower->low[source], value);
}

void rh__follower_begin(rh_follower *follower, const rh_glance *glance)
{
    rh__glance_now(glance, follower->now);
    for (uint32_t k = 0; k < follower->count; k++) {
        follower->peak[k] = follower->low[k] = follower->now[k];
        follower->sum[k] = 0.0;
    }
}

// --- polynomials ---------------------------------------------------------------------------------

static void find_turns(rh_follower *follower, uint32_t source, uint32_t degree)
{
    const double *c = follower->polynomial;
    // nothing new can be met
    const double reach = degree > 0 ? rh__polynomial_bound(c + 1, degree - 1) : 0.0;
    if (c[0] + reach <= follower->peak[source] && c[0] - reach >= follower->low[source]) {
        return;
    }
    note(follower, source, c[0]);
    note(follower, source, rh__polynomial_value(c, degree, 1.0));
    rh__polynomial_derivative(c, degree, follower->slope);
    const uint32_t last = degree > 0 ? degree - 1 : 0;
    const double rest = last > 0 ? rh__polynomial_bound(follower->slope + 1, last - 1) : 0.0;
    const rh_root_query query = {.c = follower->slope, .degree = last};
    rh_root_list roots = {.data = follower->roots, .capacity = RH_POLYNOMIAL_DEGREE + 1};
    if (rest < fabs(follower->slope[0]) ||
        rh__polynomial_roots(&query, follower->root_work, &roots) != RH_OK) {
        return;
    }
    for (uint32_t k = 0; k < roots.count; k++) {
        note(follower, source, rh__polynomial_value(c, degree, roots.data[k].at));
    }
}

// Where polynomials are compared with the quantities: nothing is symmetric there.
static const double SHARES[] = {0.27, 0.52, 0.79, 1.0};
enum { SHARE_COUNT = sizeof SHARES / sizeof *SHARES };

static rh_status take_checks(rh_follower *follower, const rh_glance *glance, double from, double to)
{
    double *noise = follower->now;
    memset(follower->noise, 0, follower->count * sizeof *noise);
    for (uint32_t j = 0; j < SHARE_COUNT; j++) {
        const double time = SHARES[j] < 1.0 ? from + SHARES[j] * (to - from) : to;
        RH_TRY(rh__glance_along(glance, time, follower->samples + (size_t)j * follower->count));
        rh__glance_noise(glance, noise);
        for (uint32_t k = 0; k < follower->count; k++) {
            follower->noise[k] = fmax(follower->noise[k], noise[k]);
        }
    }
    return RH_OK;
}

// What does not count in a quantity of some size.
static double fineness(const rh_follower *follower, uint32_t source, double size)
{
    const double known = fmax(fabs(follower->peak[source]), fabs(follower->low[source]));
    return fmax(follower->tolerance, 1e-12) * fmax(size, known) + 64.0 * follower->noise[source];
}

// Is the series good to its end? Its last terms tell, and the quantity on the way.
static bool is_good(const rh_follower *follower, uint32_t source, uint32_t degree)
{
    const double *c = follower->polynomial;
    double size = 0.0;
    double off = 0.0;
    for (uint32_t k = 0; k <= degree; k++) {
        size = fmax(size, fabs(c[k]));
        off = k + 1 >= degree ? off + fabs(c[k]) : off;
    }
    for (uint32_t j = 0; j < SHARE_COUNT; j++) {
        const double value = follower->samples[(size_t)j * follower->count + source];
        off = fmax(off, fabs(rh__polynomial_value(c, degree, SHARES[j]) - value));
    }
    return isfinite(size) && off <= 10.0 * fineness(follower, source, size);
}

static bool follow_polynomial(rh_follower *follower, const rh_glance *glance, uint32_t source,
                              double length)
{
    const rh_source_text *text = &follower->plan->sources.data[source];
    const uint32_t degree = rh__glance_polynomial(glance, source, follower->polynomial);
    if (degree > RH_POLYNOMIAL_DEGREE || !is_good(follower, source, degree)) {
        return false;
    }
    if (text->has_mean) {
        double mean = 0.0;
        for (uint32_t k = degree + 1; k-- > 0;) {
            mean += follower->polynomial[k] / (double)(k + 1);
        }
        follower->sum[source] += length * mean;
    }
    if (text->has_extremes) {
        find_turns(follower, source, degree);
    }
    return true;
}

// --- samples -------------------------------------------------------------------------------------

// Point j of n: the share of the step.
static double share_of(uint32_t j, uint32_t n)
{
    return j == 0 ? 0.0 : j == n ? 1.0 : 0.5 * (1.0 - cos(PI * (double)j / (double)n));
}

// Chebyshev coefficients of a source from n + 1 samples; those of x = 2 share - 1.
static void find_spectrum(rh_follower *follower, uint32_t source, uint32_t n)
{
    const uint32_t stride = MOST / n;
    for (uint32_t k = 0; k <= n; k++) {
        double sum = 0.0;
        for (uint32_t j = 0; j <= n; j++) {
            const double end = j == 0 || j == n ? 0.5 : 1.0;
            const double value = follower->samples[(size_t)j * stride * follower->count + source];
            sum += end * value * cos(PI * (double)((uint64_t)j * k) / (double)n);
        }
        const double half = k == 0 || k == n ? 1.0 : 2.0;
        follower->spectrum[k] = (k % 2 == 0 ? half : -half) / (double)n * sum;
    }
}

static double spectrum_value(const rh_follower *follower, uint32_t n, double share)
{
    const double x = 2.0 * share - 1.0;
    double a = 0.0;
    double b = 0.0;
    for (uint32_t k = n; k > 0; k--) {
        const double next = 2.0 * x * a - b + follower->spectrum[k];
        b = a;
        a = next;
    }
    return x * a - b + follower->spectrum[0];
}

static bool is_resolved(const rh_follower *follower, uint32_t source, uint32_t n)
{
    double size = 0.0;
    double tail = 0.0;
    for (uint32_t k = 0; k <= n; k++) {
        size = fmax(size, fabs(follower->spectrum[k]));
        tail = k + 2 >= n ? fmax(tail, fabs(follower->spectrum[k])) : tail;
    }
    return !(tail > fineness(follower, source, size));
}

// The quantity at a share of the step: by interpolation, or itself where that is not good enough.
typedef struct probe {
    rh_follower *follower;
    const rh_glance *glance;
    double from, to;
    uint32_t source, n;
    bool is_resolved;
} probe;

static double probe_at(const probe *it, double share)
{
    if (it->is_resolved) {
        return spectrum_value(it->follower, it->n, share);
    }
    if (rh__glance_along(it->glance, it->from + share * (it->to - it->from), it->follower->now) !=
        RH_OK) {
        return (double)NAN;
    }
    return it->follower->now[it->source];
}

// The largest value (sign -1: the smallest) between two shares, by golden sections.
static double search(const probe *it, double low, double high, double sign)
{
    double a = high - GOLDEN * (high - low);
    double b = low + GOLDEN * (high - low);
    double at_a = sign * probe_at(it, a);
    double at_b = sign * probe_at(it, b);
    for (int k = 0; k < SEARCHES && b - a > 1e-10; k++) {
        if (at_a > at_b) {
            high = b;
            b = a;
            at_b = at_a;
            a = high - GOLDEN * (high - low);
            at_a = sign * probe_at(it, a);
        } else {
            low = a;
            a = b;
            at_a = at_b;
            b = low + GOLDEN * (high - low);
            at_b = sign * probe_at(it, b);
        }
    }
    return sign * fmax(at_a, at_b);
}

// Around each sample that is larger than its neighbours, or smaller.
static void search_all(const probe *it)
{
    rh_follower *follower = it->follower;
    const size_t step = (size_t)(MOST / it->n) * follower->count;
    const double *values = follower->samples + it->source;
    for (uint32_t j = 0; j <= it->n; j++) {
        note(follower, it->source, values[j * step]);
    }
    for (uint32_t j = 0; j <= it->n; j++) {
        const uint32_t before = j > 0 ? j - 1 : 0;
        const uint32_t after = j < it->n ? j + 1 : j;
        const double left = values[before * step];
        const double here = values[j * step];
        const double right = values[after * step];
        const double sign = here >= left && here >= right   ? 1.0
                            : here <= left && here <= right ? -1.0
                                                            : 0.0;
        if (sign != 0.0 && (here != left || here != right)) {
            note(follower, it->source,
                 search(it, share_of(before, it->n), share_of(after, it->n), sign));
        }
    }
}

// The mean over the step by Clenshaw and Curtis.
static double spectrum_mean(const rh_follower *follower, uint32_t n)
{
    double mean = 0.0;
    for (uint32_t k = 0; k <= n; k += 2) {
        mean += follower->spectrum[k] / (1.0 - (double)k * (double)k);
    }
    return mean;
}

static rh_status take_samples(rh_follower *follower, const rh_glance *glance, double from,
                              double to, uint32_t n, uint32_t before)
{
    const uint32_t stride = MOST / n;
    for (uint32_t j = 0; j <= n; j++) {
        if (before != 0 && j % (n / before) == 0) {
            continue; // it is there already
        }
        const double time = j == n ? to : from + share_of(j, n) * (to - from);
        RH_TRY(rh__glance_along(glance, time,
                                follower->samples + (size_t)j * stride * follower->count));
    }
    return RH_OK;
}

// Sources `first` to `last` that are open, each as a whole or in halves; none is open afterwards.
static rh_status follow_samples(rh_follower *follower, const rh_glance *glance, double from,
                                double to, rh_range sources)
{
    bool is_any = true;
    for (uint32_t n = LEAST, before = 0; is_any && n <= MOST; before = n, n *= 2) {
        RH_TRY(take_samples(follower, glance, from, to, n, before));
        is_any = false;
        for (uint32_t k = sources.first; k < sources.first + sources.count; k++) {
            const rh_source_text *text = &follower->plan->sources.data[k];
            if (!follower->is_open[k]) {
                continue;
            }
            find_spectrum(follower, k, n);
            const bool is_fine = is_resolved(follower, k, n);
            follower->is_open[k] = !is_fine && (n < MOST || follower->halvings > 0);
            is_any = is_any || follower->is_open[k];
            if (follower->is_open[k]) {
                continue;
            }
            follower->sum[k] += text->has_mean ? (to - from) * spectrum_mean(follower, n) : 0.0;
            const probe it = {follower, glance, from, to, k, n, is_fine};
            if (text->has_extremes) {
                search_all(&it);
            }
        }
    }
    const double middle = from + 0.5 * (to - from);
    for (uint32_t k = sources.first; k < sources.first + sources.count; k++) {
        if (follower->is_open[k]) {
            const rh_range only = {k, 1};
            follower->halvings -= follower->halvings > 0;
            RH_TRY(follow_samples(follower, glance, from, middle, only));
            follower->is_open[k] = true;
            RH_TRY(follow_samples(follower, glance, middle, to, only));
        }
    }
    return RH_OK;
}

// --- steps ---------------------------------------------------------------------------------------

rh_status rh__follower_step(rh_follower *follower, const rh_glance *glance)
{
    rh_motion *motion = glance->motion;
    const double from = rh_motion_time_before(motion);
    const double to = rh_motion_time(motion);
    uint32_t open = 0;
    for (uint32_t k = 0; k < follower->count; k++) {
        const rh_source_text *text = &follower->plan->sources.data[k];
        follower->is_open[k] = text->has_mean || text->has_extremes;
        open += follower->is_open[k];
    }
    if (open == 0 || !(to > from)) {
        return RH_OK;
    }
    const bool has_series = from == motion->t_before && rh__glance_series(glance);
    RH_TRY(take_checks(follower, glance, from, to));
    for (uint32_t k = 0; has_series && k < follower->count; k++) {
        if (follower->is_open[k] && follow_polynomial(follower, glance, k, to - from)) {
            follower->is_open[k] = false;
            open--;
        }
    }
    follower->halvings = MOST_HALVINGS * open;
    return open > 0 ? follow_samples(follower, glance, from, to, (rh_range){0, follower->count})
                    : RH_OK;
}

void rh__follower_end(rh_follower *follower, const rh_glance *glance, double duration, double *out)
{
    rh__glance_now(glance, follower->now);
    for (uint32_t k = 0; k < follower->count; k++) {
        note(follower, k, follower->now[k]);
    }
    for (uint32_t k = 0; k < follower->plan->reductions.count; k++) {
        const rh_reduction *it = &follower->plan->reductions.data[k];
        const double now = follower->now[it->source];
        switch (it->kind) {
        case RH_REDUCTION_PEAK:
            out[k] = follower->peak[it->source];
            break;
        case RH_REDUCTION_LOW:
            out[k] = follower->low[it->source];
            break;
        case RH_REDUCTION_MEAN:
            out[k] = duration > 0.0 ? follower->sum[it->source] / duration : now;
            break;
        default:
            out[k] = now;
            break;
        }
    }
}
