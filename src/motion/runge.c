// SPDX-License-Identifier: Apache-2.0
// Explicit Runge-Kutta steps of order 8 (tableau.c). The error is measured as in Hairer, Norsett,
// Wanner, section II.10: with e5 and e3 the differences to the embedded orders 5 and 3,
// e5^2 / sqrt(e5^2 + 0.01 e3^2), sizes relative to unit + |x|. Between the ends the polynomial
// of degree 7
//     r0 + s (r1 + (1 - s) (r2 + s (r3 + (1 - s) (r4 + ...)))),  s the share of the step.

#include "motion/motion.h"
#include "motion/tableau.h"

#include <math.h>

enum { MOST_TRIALS = 60, TERMS = RH_TABLEAU_DEGREE + 1 };

typedef struct runge {
    double *rate[RH_TABLEAU_STAGES];
    double *x;   // of a stage
    double *end; // x at the end of the step
    double step; // next length to try; 0: not known
} runge;

static rh_status create(rh_motion *motion, rh_error *err)
{
    (void)err;
    const size_t n = (size_t)motion->n + 1;
    runge *data = rh__arena_new(&motion->arena, runge);
    double *room = rh__arena_array(&motion->arena, double, n *(RH_TABLEAU_STAGES + 2));
    if (data == NULL || room == NULL) {
        return motion->arena.status;
    }
    for (uint32_t k = 0; k < RH_TABLEAU_STAGES; k++) {
        data->rate[k] = room + k * n;
    }
    data->x = room + RH_TABLEAU_STAGES * n;
    data->end = data->x + n;
    motion->stepper_data = data;
    return RH_OK;
}

// --- one step ------------------------------------------------------------------------------------

// Stage k: its place from the stages before, then its rate there.
static void run_stage(rh_motion *motion, runge *data, uint32_t k, double length)
{
    RH_ASSERT(0 < k && k < RH_TABLEAU_STAGES && length >= 0.0);
    const uint32_t n = motion->n;
    double *x = k == RH_TABLEAU_END ? data->end : data->x;
    for (uint32_t i = 0; i < n; i++) {
        x[i] = 0.0;
    }
    for (uint32_t j = 0; j < k; j++) {
        const double weight = rh__tableau.weight[k][j];
        for (uint32_t i = 0; weight != 0.0 && i < n; i++) {
            x[i] += weight * data->rate[j][i];
        }
    }
    for (uint32_t i = 0; i < n; i++) {
        x[i] = motion->x[i] + length * x[i];
    }
    rh__motion_rate(motion, motion->t + rh__tableau.node[k] * length, x, data->rate[k]);
}

// The error of a step relative to what is allowed; x at its end must be there.
static double measure(const rh_motion *motion, const runge *data, double length)
{
    const double *const *rate = (const double *const *)data->rate;
    const double *third = rh__tableau.third;
    double fifths = 0.0;
    double thirds = 0.0;
    for (uint32_t i = 0; i < motion->n; i++) {
        const double size = fmax(rh__unit_of(motion, i), motion->floor[i]) +
                            fmax(fabs(motion->x[i]), fabs(data->end[i]));
        double e5 = 0.0;
        double e3 = -third[0] * rate[0][i] - third[1] * rate[8][i] - third[2] * rate[11][i];
        for (uint32_t k = 0; k < RH_TABLEAU_STEP; k++) {
            e5 += rh__tableau.fifth[k] * rate[k][i];
            e3 += rh__tableau.weight[RH_TABLEAU_END][k] * rate[k][i];
        }
        e5 /= size;
        e3 /= size;
        fifths += e5 * e5;
        thirds += e3 * e3;
    }
    const double both = fifths + 0.01 * thirds;
    return both == 0.0 ? 0.0
                       : length * fifths / (motion->tolerance * sqrt(both * (double)motion->n));
}

// A first length, section II.4: so that an Euler step is small, and its error.
static double guess_length(rh_motion *motion, runge *data, double limit)
{
    const uint32_t n = motion->n;
    double speed = 0.0;
    double bend = 0.0;
    for (uint32_t i = 0; i < n; i++) {
        speed = fmax(speed, fabs(data->rate[0][i]) / (rh__unit_of(motion, i) + fabs(motion->x[i])));
    }
    const double length = fmin(limit, speed > 0.0 ? 0.01 / speed : 0.01 * motion->unit_time);
    for (uint32_t i = 0; i < n; i++) {
        data->x[i] = motion->x[i] + length * data->rate[0][i];
    }
    rh__motion_rate(motion, motion->t + length, data->x, data->rate[1]);
    for (uint32_t i = 0; i < n; i++) {
        bend = fmax(bend, fabs(data->rate[1][i] - data->rate[0][i]) /
                              (rh__unit_of(motion, i) + fabs(motion->x[i])));
    }
    const double time = 1.0 / fmax(speed, sqrt(bend / length));
    const double fit = time * pow(motion->tolerance, 1.0 / 8.0);
    return fmin(limit, fmin(100.0 * length, isfinite(fit) ? fit : length));
}

// Try until the error is small enough; 0 when it never is.
static double find_step(rh_motion *motion, runge *data, double limit)
{
    double length = data->step > 0.0 ? data->step : guess_length(motion, data, limit);
    for (uint32_t trial = 0; trial < MOST_TRIALS; trial++) {
        const bool is_last = 1.01 * length >= limit;
        length = is_last ? limit : length;
        for (uint32_t k = 1; k <= RH_TABLEAU_END; k++) {
            run_stage(motion, data, k, length);
        }
        const double error = measure(motion, data, length);
        const double factor = isfinite(error) ? 0.9 * pow(fmax(error, 1e-10), -1.0 / 8.0) : 0.25;
        if (error <= 1.0) {
            RH_ASSERT(length <= limit);
            const double next =
                length * fmin(fmax(trial > 0 ? fmin(factor, 1.0) : factor, 0.333), 6.0);
            // a step cut by the caller says little about the next
            data->step = is_last ? fmax(next, data->step) : next;
            return length;
        }
        for (uint32_t i = 0; trial == 0 && i < motion->n; i++) { // something came into being
            const double size = fabs(data->end[i]);
            motion->unit[i] = motion->unit[i] > 0.0 || !isfinite(size) ? motion->unit[i] : size;
        }
        if (!(trial == 1 && rh__unit_find_floor(motion, length))) {
            length *= fmin(fmax(factor, 0.2), 0.9);
        }
        data->step = length;
    }
    return 0.0;
}

// --- the polynomial ------------------------------------------------------------------------------

// Coefficients in the share of the step from the nested ones.
static void unfold(const double *r, double *c)
{
    c[0] = r[TERMS - 1];
    for (uint32_t k = TERMS - 1; k-- > 0;) {
        const uint32_t degree = TERMS - 1 - k;
        c[degree] = 0.0;
        if (k % 2 == 0) { // s p
            for (uint32_t j = degree; j > 0; j--) {
                c[j] = c[j - 1];
            }
            c[0] = 0.0;
        } else { // (1 - s) p
            for (uint32_t j = degree; j > 0; j--) {
                c[j] -= c[j - 1];
            }
        }
        c[0] += r[k];
    }
}

static void make_series(rh_motion *motion, runge *data, double length)
{
    RH_ASSERT(length > 0.0);
    const uint32_t n = motion->n;
    for (uint32_t k = RH_TABLEAU_END + 1; k < RH_TABLEAU_STAGES; k++) {
        run_stage(motion, data, k, length);
    }
    double *own = rh__series_begin(&motion->series);
    motion->series.begin = motion->t;
    motion->series.degree = RH_TABLEAU_DEGREE;
    for (uint32_t i = 0; i < n; i++) {
        const double way = data->end[i] - motion->x[i];
        const double bend = length * data->rate[0][i] - way;
        double r[TERMS] = {motion->x[i], way, bend,
                           way - length * data->rate[RH_TABLEAU_END][i] - bend};
        double c[TERMS];
        for (uint32_t m = 0; m < RH_TABLEAU_TAIL; m++) {
            double sum = 0.0;
            for (uint32_t k = 0; k < RH_TABLEAU_STAGES; k++) {
                sum += rh__tableau.tail[m][k] * data->rate[k][i];
            }
            r[4 + m] = length * sum;
        }
        unfold(r, c);
        double power = 1.0;
        for (uint32_t k = 0; k < TERMS; k++, power *= length) {
            own[(size_t)k * n + i] = c[k] / power;
        }
    }
}

static bool is_finite(const rh_series *series)
{
    return rh__vector_is_finite((size_t)(series->degree + 1) * series->count, series->own);
}

// What is there to be done when the step cannot be taken.
static rh_expansion give_up(rh_motion *motion)
{
    (void)rh__taylor_series(motion);
    return rh__leap_retreat(motion, motion->t) ? RH_EXPANSION_TAKEN_BACK : RH_EXPANSION_FAILED;
}

// Near a pole: nothing but rounding tells how far to go.
static rh_expansion collapse(rh_motion *motion)
{
    const rh_expansion expansion = give_up(motion);
    if (expansion == RH_EXPANSION_FAILED) {
        rh__fail_at_singularity(motion, RH_DIAGNOSTIC_E503, "the step size collapsed at");
    }
    return expansion;
}

static bool retreat(rh_motion *motion, double place)
{
    (void)rh__taylor_series(motion);
    return rh__leap_retreat(motion, place);
}

// Where nothing moves the stages see one point only. Without a series there, as of a root at zero,
// there may be other motions.
static bool is_at_rest(const rh_motion *motion, const runge *data)
{
    bool is = true;
    for (uint32_t i = 0; is && i < motion->n; i++) {
        is = data->rate[0][i] == 0.0;
    }
    return is;
}

static rh_expansion expand(rh_motion *motion, double *length)
{
    runge *data = motion->stepper_data;
    rh_leap *leap = &motion->leap;
    if ((leap->is_due && leap->cap == 0.0) || leap->is_done) {
        return rh__stepper_taylor.expand(motion, length);
    }
    rh__motion_rate(motion, motion->t, motion->x, data->rate[0]);
    motion->step->quality = motion->plain->quality;
    const rh_tape_quality *quality = &motion->plain->quality;
    if (quality->is_failed || (quality->singular > 0 && quality->residual > RH_TAPE_INCONSISTENT)) {
        return give_up(motion);
    }
    if (is_at_rest(motion, data) && !rh__taylor_series(motion)) {
        return RH_EXPANSION_FAILED;
    }
    const double limit = leap->cap > 0.0 ? fmin(*length, leap->cap) : *length;
    const bool is_capped = limit < *length;
    leap->cap = 0.0;
    *length = find_step(motion, data, limit);
    if (*length == 0.0) {
        return give_up(motion);
    }
    if (!is_capped && rh__leap_escape(motion, *length, limit)) {
        return RH_EXPANSION_TAKEN_BACK;
    }
    if (*length < limit && *length < RH_STEP_LEAST * fabs(motion->t)) {
        return collapse(motion);
    }
    make_series(motion, data, *length);
    return is_finite(&motion->series) ? RH_EXPANSION_DONE : RH_EXPANSION_FAILED;
}

static double *memory(rh_motion *motion, uint32_t *out_count)
{
    runge *data = motion->stepper_data;
    *out_count = 1;
    return &data->step;
}

const rh_stepper rh__stepper_runge = {.name = "dop853",
                                      .order = 8,
                                      .create = create,
                                      .expand = expand,
                                      .retreat = retreat,
                                      .memory = memory};
