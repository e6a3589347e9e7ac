// SPDX-License-Identifier: Apache-2.0
// Sparse square systems over KLU (Davis and Palamadai Natarajan, ACM TOMS 37, 3, 2010). KLU sees a
// copy of the values, equilibrated by powers of two as in dense.c, so its own scaling is off.
// Pivots that are kept stay as they are, whatever was factored since: what comes out depends on the
// values alone and not on those before.
// Invariant: rcond > 0 only while `numeric` holds factors of the values copied last (or n is 0).
// KLU takes memory from SuiteSparse's allocator; so does the core, since it lives as long.

#include "numeric/numeric.h"

#include "numeric/lapack.h"
#include "numeric/scale.h"

#include <klu.h>
#include <math.h>
#include <string.h>

struct rh_klu_core {
    klu_common common;
    klu_symbolic *symbolic;
    klu_numeric *home;    // with the pivots that are kept; NULL: there are none
    klu_numeric *spare;   // with those of values that they do not serve
    klu_numeric *numeric; // one of the two; NULL while there are no factors
    uint32_t count;
    uint32_t *start; // the pattern, borrowed
    uint32_t *row;
    double *value; // equilibrated
    double *y;     // n: the solution of the equilibrated system
    double *work;  // 2 n: residual; the estimate
    int32_t *row_exponent;
    int32_t *column_exponent;
    int32_t *signs; // n: work of the estimate
};

// Reciprocal growth of the pivots below which old pivots no longer serve.
static const double GROWTH_LIMIT = 1e-6;

static int *as_ints(uint32_t *words)
{
    return (int *)words;
}

static rh_status translate(int status)
{
    return status == KLU_TOO_LARGE ? RH_E_LIMIT
                                   : (status == KLU_OUT_OF_MEMORY ? RH_E_MEMORY : RH_E_ARGUMENT);
}

// At least one item, so that NULL always means refusal.
static void *take(size_t count, size_t item_size)
{
    return SuiteSparse_malloc(count == 0 ? 1 : count, item_size);
}

static bool take_core(const rh_sparse *sparse, rh_klu *klu)
{
    const size_t n = sparse->columns;
    rh_klu_core *core = take(1, sizeof *core);
    if (core == NULL) {
        return false;
    }
    *core = (rh_klu_core){.count = sparse->count, .start = sparse->start, .row = sparse->row};
    klu->core = core;
    core->value = take(sparse->count, sizeof *core->value);
    core->y = take(n, sizeof *core->y);
    core->work = take(2 * n, sizeof *core->work);
    core->row_exponent = take(n, sizeof *core->row_exponent);
    core->column_exponent = take(n, sizeof *core->column_exponent);
    core->signs = take(n, sizeof *core->signs);
    klu_defaults(&core->common);
    core->common.scale = 0;
    return core->value != NULL && core->y != NULL && core->work != NULL &&
           core->row_exponent != NULL && core->column_exponent != NULL && core->signs != NULL;
}

void rh__klu_destroy(rh_klu *klu)
{
    rh_klu_core *core = klu->core;
    *klu = (rh_klu){0};
    if (core == NULL) {
        return;
    }
    klu_free_numeric(&core->home, &core->common);
    klu_free_numeric(&core->spare, &core->common);
    klu_free_symbolic(&core->symbolic, &core->common);
    SuiteSparse_free(core->value);
    SuiteSparse_free(core->y);
    SuiteSparse_free(core->work);
    SuiteSparse_free(core->row_exponent);
    SuiteSparse_free(core->column_exponent);
    SuiteSparse_free(core->signs);
    SuiteSparse_free(core);
}

// --- equilibration ---------------------------------------------------------------------------

static void choose_exponents(rh_klu_core *core, uint32_t n, const double *value)
{
    // the largest of each row, in y for a moment
    memset(core->y, 0, sizeof *core->y * n);
    for (uint32_t k = 0; k < core->count; k++) {
        core->y[core->row[k]] = fmax(core->y[core->row[k]], fabs(value[k]));
    }
    for (uint32_t i = 0; i < n; i++) {
        core->row_exponent[i] = rh__scale_exponent(core->y[i]);
    }
    for (uint32_t j = 0; j < n; j++) {
        int32_t largest = INT32_MIN;
        for (uint32_t k = core->start[j]; k < core->start[j + 1]; k++) {
            const int32_t size = core->row_exponent[core->row[k]] - rh__scale_exponent(value[k]);
            largest = value[k] != 0.0 && size > largest ? size : largest;
        }
        core->column_exponent[j] = largest == INT32_MIN ? 0 : -largest;
    }
}

// Copy and equilibrate; returns the 1-norm.
static double scale_values(rh_klu_core *core, uint32_t n, const double *value)
{
    choose_exponents(core, n, value);
    double norm = 0.0;
    for (uint32_t j = 0; j < n; j++) {
        double sum = 0.0;
        for (uint32_t k = core->start[j]; k < core->start[j + 1]; k++) {
            core->value[k] =
                ldexp(value[k], core->row_exponent[core->row[k]] + core->column_exponent[j]);
            sum += fabs(core->value[k]);
        }
        norm = fmax(norm, sum);
    }
    return norm;
}

// --- factors ---------------------------------------------------------------------------------

// Estimate 1 / (norm |inverse|) by Higham's method; 0 when a solution overflows.
static double estimate_rcond(rh_klu_core *core, uint32_t n, double norm)
{
    const int size = (int)n;
    double *x = core->y;
    double inverse_norm = 0.0;
    int step = 0;
    int memory[3] = {0};
    dlacn2_(&size, core->work, x, core->signs, &inverse_norm, &step, memory);
    while (step != 0) {
        const int is_solved =
            step == 1 ? klu_solve(core->symbolic, core->numeric, size, 1, x, &core->common)
                      : klu_tsolve(core->symbolic, core->numeric, size, 1, x, &core->common);
        if (is_solved == 0 || !rh__vector_is_finite(n, x)) {
            return 0.0;
        }
        dlacn2_(&size, core->work, x, core->signs, &inverse_norm, &step, memory);
    }
    const double rcond = 1.0 / inverse_norm / norm;
    return isfinite(rcond) ? fmin(rcond, 1.0) : 0.0;
}

// New factors for the kept pivots; false when they do not serve.
static bool reuse_pivots(rh_klu_core *core)
{
    if (core->home == NULL) {
        return false;
    }
    const int is_done = klu_refactor(as_ints(core->start), as_ints(core->row), core->value,
                                     core->symbolic, core->home, &core->common);
    if (is_done == 0 || core->common.status != KLU_OK) {
        return false;
    }
    const int is_known = klu_rgrowth(as_ints(core->start), as_ints(core->row), core->value,
                                     core->symbolic, core->home, &core->common);
    return is_known != 0 && core->common.rgrowth >= GROWTH_LIMIT;
}

// Factors with pivots chosen for the values, in place of those at `place`; NULL there when the
// matrix is singular.
static rh_status choose_pivots(rh_klu_core *core, klu_numeric **place)
{
    klu_free_numeric(place, &core->common);
    *place = klu_factor(as_ints(core->start), as_ints(core->row), core->value, core->symbolic,
                        &core->common);
    if (*place == NULL && core->common.status != KLU_SINGULAR) {
        return translate(core->common.status);
    }
    return RH_OK;
}

static rh_status factor(rh_klu *klu, const rh_sparse *sparse, bool is_kept)
{
    rh_klu_core *core = klu->core;
    RH_ASSERT(core != NULL && sparse->columns == klu->n && sparse->rows == klu->n);
    RH_ASSERT(sparse->start == core->start && sparse->row == core->row);
    klu->rcond = klu->n == 0 ? 1.0 : 0.0;
    core->numeric = NULL;
    if (klu->n == 0 || !rh__vector_is_finite(core->count, sparse->value)) {
        return RH_OK;
    }
    const double norm = scale_values(core, klu->n, sparse->value);
    klu_numeric **place = is_kept || reuse_pivots(core) ? &core->home : &core->spare;
    if (is_kept || place == &core->spare) {
        RH_TRY(choose_pivots(core, place));
    }
    core->numeric = *place;
    klu->rcond = core->numeric == NULL ? 0.0 : estimate_rcond(core, klu->n, norm);
    return RH_OK;
}

rh_status rh__klu_factor(rh_klu *klu, const rh_sparse *sparse)
{
    return factor(klu, sparse, true);
}

rh_status rh__klu_refactor(rh_klu *klu, const rh_sparse *sparse)
{
    return factor(klu, sparse, false);
}

static rh_status build_klu(const rh_sparse *sparse, rh_klu *klu)
{
    if (!take_core(sparse, klu)) {
        return RH_E_MEMORY;
    }
    rh_klu_core *core = klu->core;
    if (klu->n > 0) {
        core->symbolic =
            klu_analyze((int)klu->n, as_ints(core->start), as_ints(core->row), &core->common);
        if (core->symbolic == NULL) {
            return translate(core->common.status);
        }
    }
    return rh__klu_factor(klu, sparse);
}

rh_status rh__klu_create(const rh_sparse *sparse, rh_klu *out)
{
    *out = (rh_klu){0};
    if (sparse->rows != sparse->columns) {
        return RH_E_ARGUMENT;
    }
    rh_klu klu = {.n = sparse->columns};
    const rh_status status = build_klu(sparse, &klu);
    if (status != RH_OK) {
        rh__klu_destroy(&klu);
        return status;
    }
    *out = klu;
    return RH_OK;
}

// --- solving ---------------------------------------------------------------------------------

static void solve_factored(rh_klu_core *core, uint32_t n, double *y)
{
    const int is_solved = klu_solve(core->symbolic, core->numeric, (int)n, 1, y, &core->common);
    RH_ASSERT(is_solved != 0);
    (void)is_solved;
}

static void solve_column(rh_klu_core *core, uint32_t n, double *b)
{
    double *y = core->y;
    double *residual = core->work;
    const int32_t shift = rh__scale_enter(n, core->row_exponent, b, y);
    memcpy(residual, y, sizeof *y * n);
    solve_factored(core, n, y);
    for (uint32_t j = 0; j < n; j++) {
        for (uint32_t k = core->start[j]; k < core->start[j + 1]; k++) {
            residual[core->row[k]] -= core->value[k] * y[j];
        }
    }
    solve_factored(core, n, residual);
    if (rh__vector_is_finite(n, residual)) {
        for (uint32_t j = 0; j < n; j++) {
            y[j] += residual[j];
        }
    }
    rh__scale_leave(n, core->column_exponent, shift, y, b);
}

rh_status rh__klu_solve(rh_klu *klu, double *b, uint32_t columns)
{
    if (!(klu->rcond > 0.0)) {
        return RH_E_ARGUMENT;
    }
    for (uint32_t c = 0; c < columns && klu->n > 0; c++) {
        double *column = b + (size_t)c * klu->n;
        if (rh__vector_is_finite(klu->n, column)) {
            solve_column(klu->core, klu->n, column);
        } else {
            for (uint32_t k = 0; k < klu->n; k++) {
                column[k] = (double)NAN;
            }
        }
    }
    return RH_OK;
}
