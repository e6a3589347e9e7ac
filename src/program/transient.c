// SPDX-License-Identifier: Apache-2.0
// How much larger deviations may become before they decay: the largest 2-norm of exp(P t). With
// sigma the largest singular value and u its left vector, sigma' = sigma u^T P u; the maximum is
// where this changes its sign. First a look at times in geometric order, then one in steps that
// resolve oscillations, then bisection of the highest peaks.

#include "program/program.h"

#include <math.h>
#include <string.h>

enum { MOST_LOOKS = 4000, LEAST_STEPS = 400, BISECTIONS = 200, MOST_PEAKS = 16 };

#define WORK 2e8  // of matrix products that one scan may cost
#define SEEN 1e-9 // a peak is as good as a value that was seen beside it
#define FINE 0.05 // of a radian of the quickest root: one step of a scan

typedef struct transient {
    rh_program *program;
    const rh_program_part *part;
    rh_program_part *out;
    double *matrix; // exp(P t)
    double slope;   // u^T P u at the last look
} transient;

// The largest of what a scan has met.
typedef struct peaks {
    double time[MOST_PEAKS], value[MOST_PEAKS];
    uint32_t count;
} peaks;

// The largest singular value of a matrix, and the slope that its left vector tells.
static rh_status measure(transient *it, const double *matrix, double *out)
{
    rh_arena *scratch = &it->program->scratch;
    const uint32_t n = it->part->count;
    const rh_mark mark = rh__arena_mark(scratch);
    rh_svd svd;
    const rh_status status = rh__svd_create(scratch, n, n, matrix, &svd);
    if (status == RH_OK) {
        *out = svd.values[0];
        it->slope = 0.0;
        for (uint32_t j = 0; j < n; j++) {
            for (uint32_t i = 0; i < n; i++) {
                it->slope += svd.u[i] * it->part->matrix[i + (size_t)j * n] * svd.u[j];
            }
        }
    }
    rh__arena_rewind(scratch, mark);
    return status;
}

// exp(P t)
static rh_status power(transient *it, double t, double *out)
{
    rh_arena *scratch = &it->program->scratch;
    const rh_mark mark = rh__arena_mark(scratch);
    const rh_status status =
        rh__matrix_exponential(scratch, it->part->count, it->part->matrix, t, out);
    rh__arena_rewind(scratch, mark);
    return status;
}

// The norm at a time.
static rh_status look(transient *it, double t, double *out)
{
    RH_TRY(power(it, t, it->matrix));
    return measure(it, it->matrix, out);
}

// Between a time of growth and a time of decay.
static rh_status bisect(transient *it, double low, double high, double *out_time, double *out_norm)
{
    for (uint32_t k = 0; k < BISECTIONS && high - low > 0.0; k++) {
        const double middle = low + (high - low) / 2.0;
        if (!(middle > low && middle < high)) {
            break;
        }
        RH_TRY(look(it, middle, out_norm));
        low = it->slope > 0.0 ? middle : low;
        high = it->slope > 0.0 ? high : middle;
    }
    *out_time = low + (high - low) / 2.0;
    return look(it, *out_time, out_norm);
}

static void keep_peak(peaks *list, double time, double value)
{
    uint32_t at = list->count;
    if (at == MOST_PEAKS) {
        at = 0;
        for (uint32_t k = 1; k < MOST_PEAKS; k++) {
            at = list->value[k] < list->value[at] ? k : at;
        }
    }
    if (list->count < MOST_PEAKS || value > list->value[at]) {
        list->time[at] = time;
        list->value[at] = value;
        list->count += list->count < MOST_PEAKS ? 1 : 0;
    }
}

// One step of the scan: the matrix times that of the step, and the root of the sum of squares,
// which no norm exceeds.
static double advance(transient *it, const double *step, double *next)
{
    const uint32_t n = it->part->count;
    double squares = 0.0;
    for (uint32_t j = 0; j < n; j++) {
        for (uint32_t i = 0; i < n; i++) {
            double sum = 0.0;
            for (uint32_t k = 0; k < n; k++) {
                sum += it->matrix[i + (size_t)k * n] * step[k + (size_t)j * n];
            }
            next[i + (size_t)j * n] = sum;
            squares += sum * sum;
        }
    }
    memcpy(it->matrix, next, (size_t)n * n * sizeof *next);
    return sqrt(squares);
}

// Peaks at equally spaced times, each with the top of the parabola through three of them: those of
// neighbouring oscillations differ by little. Where even the sum of squares is small nothing is
// looked at.
static rh_status scan(transient *it, double begin, double step, uint32_t count, peaks *out)
{
    double best = it->out->amplification;
    const size_t size = (size_t)it->part->count * it->part->count;
    double *by = rh__arena_array(&it->program->scratch, double, size);
    double *next = rh__arena_array(&it->program->scratch, double, size);
    double norms[3] = {0.0, 0.0, 0.0};
    if (by == NULL || next == NULL) {
        return it->program->scratch.status;
    }
    RH_TRY(power(it, step, by));
    RH_TRY(power(it, begin, it->matrix));
    RH_TRY(measure(it, it->matrix, &norms[2]));
    for (uint32_t k = 1; k <= count && !(k % 64 == 0 && rh__program_is_enough(it->program)); k++) {
        double norm = advance(it, by, next);
        if (norm >= 0.9 * best) {
            RH_TRY(measure(it, it->matrix, &norm));
        }
        best = fmax(best, norm);
        norms[0] = norms[1];
        norms[1] = norms[2];
        norms[2] = norm;
        const double bend = 2.0 * norms[1] - norms[0] - norms[2];
        if (k > 1 && norms[1] >= norms[0] && norms[1] > norms[2] && norms[1] >= 0.99 * best) {
            const double rise = norms[2] - norms[0];
            keep_peak(out, begin + (k - 1) * step, norms[1] + rise * rise / (8.0 * bend));
        }
    }
    return RH_OK;
}

// The highest of all peaks. With oscillations all times are scanned where that is not too much,
// else those around the best that was seen.
static rh_status climb(transient *it, double t, double last, double ratio, double quickest)
{
    rh_program_part *part = it->out;
    const double n = part->count;
    const double most = fmax(LEAST_STEPS, WORK / (n * n * n));
    const double fine = quickest > 0.0 ? FINE / quickest : INFINITY;
    const double around = ratio * ratio * ratio;
    const bool is_whole = last * ratio / fine <= most && quickest > 0.0;
    const double begin = is_whole ? 0.0 : t / around;
    const double length = (is_whole ? last * ratio : t * around) - begin;
    const double count = fmin(fmax(ceil(length / fine), LEAST_STEPS), most);
    double highest = part->amplification * (1.0 - SEEN);
    peaks list = {.count = 0};
    RH_TRY(scan(it, begin, length / count, (uint32_t)count, &list));
    for (uint32_t k = 0; k < list.count; k++) {
        const double low = fmax(list.time[k] - length / count, 0.0);
        double time = 0.0;
        double norm = 0.0;
        RH_TRY(bisect(it, low, list.time[k] + length / count, &time, &norm));
        if (norm > highest) {
            highest = norm;
            part->amplification = norm;
            part->amplification_time = time;
        }
    }
    return RH_OK;
}

rh_status rh__program_amplify(rh_program *program, rh_program_part *part)
{
    const rh_program_root *roots = program->roots.data + part->root;
    const double ratio = part->count <= 12 ? 1.05 : part->count <= 60 ? 1.2 : 1.5;
    double slowest = INFINITY;
    double quickest = 0.0;
    double fastest = 0.0;
    for (uint32_t k = 0; k < part->root_count; k++) {
        slowest = fmin(slowest, -roots[k].real);
        quickest = fmax(quickest, fabs(roots[k].imaginary));
    }
    for (size_t k = 0; k < (size_t)part->count * part->count; k++) {
        fastest = fmax(fastest, fabs(part->matrix[k]));
    }
    if (!(slowest > 0.0) || !(fastest > 0.0)) {
        return RH_OK;
    }
    transient it = {.program = program, .part = part, .out = part};
    it.matrix = rh__arena_array(&program->scratch, double, (size_t)part->count * part->count + 1);
    if (it.matrix == NULL) {
        return program->scratch.status;
    }
    double best = 1.0;
    double best_time = 0.0;
    double last = 0.0; // time at which it still mattered
    double norm = 1.0;
    double t = 1e-3 / fastest;
    for (uint32_t k = 0; k < MOST_LOOKS && t < 100.0 / slowest; k++, t *= ratio) {
        RH_TRY(look(&it, t, &norm));
        best_time = norm > best ? t : best_time;
        best = fmax(norm, best);
        last = norm > 0.1 * best ? t : last;
        if ((norm < 1e-3 * best && t * slowest > 1.0) || rh__program_is_enough(program)) {
            break;
        }
    }
    part->amplification = best > 1.0 + 1e-12 ? best : 1.0;
    part->amplification_time = best > 1.0 + 1e-12 ? best_time : 0.0;
    return best > 1.0 + 1e-12 ? climb(&it, best_time, last, ratio, quickest) : RH_OK;
}
