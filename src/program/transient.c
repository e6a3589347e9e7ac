// SPDX-License-Identifier: Apache-2.0
// How much larger deviations may become before they decay: the largest 2-norm of exp(P t). With
// sigma the largest singular value and u its left vector, sigma' = sigma u^T P u; the maximum is
// where this changes its sign. First a look at times in geometric order, then a closer one around
// the best, which resolves oscillations, then bisection.

#include "program/program.h"

#include <math.h>

enum { MOST_LOOKS = 4000, CLOSE_LOOKS = 400, BISECTIONS = 200 };

typedef struct transient {
    rh_program *program;
    const rh_program_part *part;
    double *matrix; // exp(P t)
    double slope;   // u^T P u at the last look
} transient;

// The norm at a time.
static rh_status look(transient *it, double t, double *out)
{
    rh_arena *scratch = &it->program->scratch;
    const uint32_t n = it->part->count;
    const rh_mark mark = rh__arena_mark(scratch);
    rh_svd svd;
    rh_status status = rh__matrix_exponential(scratch, n, it->part->matrix, t, it->matrix);
    if (status == RH_OK) {
        status = rh__svd_create(scratch, n, n, it->matrix, &svd);
    }
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

// The best of equally spaced times around t.
static rh_status look_closer(transient *it, double t, double ratio, double quickest,
                             double *out_low, double *out_high)
{
    const double first = t / ratio;
    const double fine = quickest > 0.0 ? 0.2 / quickest : INFINITY;
    const double step =
        fmax(fmin(fine, (t * ratio - first) / 40.0), (t * ratio - first) / CLOSE_LOOKS);
    double best = -1.0;
    double norm = 0.0;
    const uint32_t count = (uint32_t)((t * ratio - first) / step);
    for (uint32_t k = 0; k <= count; k++) {
        const double at = first + k * step;
        RH_TRY(look(it, at, &norm));
        if (norm > best) {
            best = norm;
            *out_low = fmax(at - step, 0.0);
            *out_high = at + step;
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
    transient it = {.program = program, .part = part};
    it.matrix = rh__arena_array(&program->scratch, double, (size_t)part->count * part->count + 1);
    if (it.matrix == NULL) {
        return program->scratch.status;
    }
    double best = 1.0;
    double best_time = 0.0;
    double norm = 1.0;
    double t = 1e-3 / fastest;
    for (uint32_t k = 0; k < MOST_LOOKS && t < 100.0 / slowest; k++, t *= ratio) {
        RH_TRY(look(&it, t, &norm));
        best_time = norm > best ? t : best_time;
        best = fmax(norm, best);
        if ((norm < 1e-3 * best && t * slowest > 1.0) || rh__program_is_enough(program)) {
            break;
        }
    }
    part->amplification = 1.0;
    part->amplification_time = 0.0;
    if (best > 1.0 + 1e-12) {
        double low = 0.0;
        double high = 0.0;
        RH_TRY(look_closer(&it, best_time, ratio, quickest, &low, &high));
        RH_TRY(bisect(&it, low, high, &part->amplification_time, &part->amplification));
    }
    return RH_OK;
}
