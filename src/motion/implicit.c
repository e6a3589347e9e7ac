// SPDX-License-Identifier: Apache-2.0
// What the guests from SUNDIALS share. Their steps go where they like; the motion uses the
// interpolating polynomial of the last one as far as it is asked to, and asks for the next step
// when it is used up.

#include "motion/implicit.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FADE 16.0    // halvings of what a variable was, in the time of the motion
#define LAST 0x1p-80 // of the largest unit: what is smaller need not be told from zero
#define ROUNDINGS 16.0
#define RAISED 16.0   // times: a unit with which constraints are to be measured anew
#define NEAR 1e-9     // of the time: places where steps are too short are one
#define FIRST 1e-10   // of the time: so long after a beginning steps may be short
#define ALGEBRAIC 1.0 // what is solved for is known less well than x: its size counts as so many
#define APART 100.0   // tolerances between x and the guest's y that are taken for the same

enum { CONTEXT_BYTES = 1 << 16 }; // many times what a context takes

static rh_status build(rh_implicit *data)
{
    // SUNContext_Create (6.4) does not survive a refusal of memory: what it needs must be there
    void *room = malloc(CONTEXT_BYTES);
    free(room);
    SUNContext context = NULL;
    if (room == NULL || SUNContext_Create(NULL, &context) != 0) {
        return RH_E_MEMORY;
    }
    data->context = context;
    return rh__implicit_vectors(data) ? RH_OK : RH_E_MEMORY;
}

rh_status rh__implicit_create(rh_motion *motion, uint32_t count, rh_implicit **out, rh_error *err)
{
    RH_ASSERT(count >= motion->n);
    rh_implicit *data = rh__arena_new(&motion->arena, rh_implicit);
    if (data == NULL) {
        return motion->arena.status;
    }
    data->count = count;
    data->renewed = (double)NAN;
    data->largest = rh__arena_array(&motion->arena, double, (size_t)count - motion->n + 1);
    if (data->largest == NULL) {
        return motion->arena.status;
    }
    const rh_status status = build(data);
    if (status != RH_OK) {
        rh__implicit_destroy(data);
        return rh__error_fill(err, status, "%s", rh_status_text(status));
    }
    *out = data;
    return RH_OK;
}

rh_status rh__implicit_matrix(rh_motion *motion, const rh_tape *tape, rh_jacobian_extra extra,
                              rh_implicit *data, rh_error *err)
{
    const sunindextype n = (sunindextype)data->count;
    RH_ASSERT(data->matrix == NULL && data->inner == NULL);
    RH_TRY(rh__jacobian_create_sparse(motion, tape, data->count, extra, &data->jacobian, err));
    RH_ASSERT(data->jacobian.rows == data->count && data->jacobian.columns == data->count);
    const bool is_sparse = data->jacobian.is_sparse;
    data->matrix = is_sparse ? SUNSparseMatrix(n, n, (sunindextype)data->jacobian.sparse.count,
                                               CSC_MAT, data->context)
                             : SUNDenseMatrix(n, n, data->context);
    if (data->matrix != NULL) {
        data->inner = is_sparse ? SUNLinSol_KLU(data->y, data->matrix, data->context)
                                : SUNLinSol_Dense(data->y, data->matrix, data->context);
    }
    // patterns of equations of motion are nearly symmetric: AMD leaves far fewer entries than
    // COLAMD
    if (data->inner != NULL && is_sparse) {
        enum { KLU_AMD = 0 };
        (void)SUNLinSol_KLUSetOrdering(data->inner, KLU_AMD);
    }
    return data->inner != NULL && rh__implicit_scale(motion, data)
               ? RH_OK
               : rh__error_fill(err, RH_E_MEMORY, "%s", rh_status_text(RH_E_MEMORY));
}

bool rh__implicit_fill(rh_implicit *data, const rh_tape_state *like, SUNMatrix out)
{
    rh_jacobian *jacobian = &data->jacobian;
    const rh_sparse *sparse = &jacobian->sparse;
    if (!jacobian->is_sparse) {
        return rh__jacobian_run(jacobian, like, SUNDenseMatrix_Data(out));
    }
    // SUNDIALS clears the structure together with the values
    for (uint32_t j = 0; j <= sparse->columns; j++) {
        SM_INDEXPTRS_S(out)[j] = (sunindextype)sparse->start[j];
    }
    for (uint32_t k = 0; k < sparse->count; k++) {
        SM_INDEXVALS_S(out)[k] = (sunindextype)sparse->row[k];
    }
    return rh__jacobian_run_sparse(jacobian, like, SM_DATA_S(out));
}

void rh__implicit_destroy(rh_implicit *data)
{
    rh__jacobian_destroy(&data->jacobian);
    SUNLinearSolver const solvers[] = {data->solver, data->inner};
    for (uint32_t k = 0; k < 2; k++) {
        if (solvers[k] != NULL) {
            (void)SUNLinSolFree(solvers[k]);
        }
    }
    rh__implicit_drop_clones(data);
    if (data->context != NULL) {
        (void)SUNContext_Free(&data->context);
    }
}

void rh__implicit_listen(int code, const char *module, const char *function, char *message,
                         void *user)
{
    rh_implicit *data = user;
    (void)module;
    (void)function;
    if (code < 0) {
        (void)snprintf(data->message, sizeof data->message, "%s", message);
    }
}

static const char *complaint_of(const rh_implicit *data)
{
    const bool has_memory = !data->jacobian.is_sparse ||
                            SUNLinSol_KLUGetCommon(data->inner)->status != KLU_OUT_OF_MEMORY;
    return has_memory ? data->message : "there is no memory for the factors of the Jacobian";
}

void rh__implicit_fail(rh_motion *motion, const rh_implicit *data, const char *name, bool is_short)
{
    if (is_short && !motion->choice.is_free) {
        rh__fail_at_singularity(motion, RH_DIAGNOSTIC_E503, "the step size collapsed at");
        return;
    }
    rh__motion_fail(motion, RH_DIAGNOSTIC_E514, "%s cannot go on at t = %.17g: %s", name, motion->t,
                    is_short ? "its steps are too short for numbers" : complaint_of(data));
}

// --- the history ---------------------------------------------------------------------------------

void rh__implicit_begin(const rh_motion *motion, rh_implicit *data)
{
    data->is_begun = true;
    data->jumps = motion->jumps;
    data->reached = data->since = motion->t;
    memset(data->largest, 0, (data->count - motion->n) * sizeof *data->largest);
    for (uint32_t k = 0; k < motion->n; k++) {
        NV_Ith_S(data->y, k) = motion->x[k];
    }
}

bool rh__implicit_holds(const rh_motion *motion, rh_implicit *data, rh_implicit_derivative *derive)
{
    if (!data->is_begun || data->jumps != motion->jumps) {
        return false;
    }
    if (data->reached == motion->t) {
        N_VScale(1.0, data->y, data->work);
    } else if (!derive(data->memory, motion->t, 0, data->work)) {
        return false;
    }
    bool is_near = true;
    for (uint32_t k = 0; is_near && k < motion->n; k++) {
        is_near = fabs(NV_Ith_S(data->work, k) - motion->x[k]) <=
                  (APART * motion->tolerance + 1e-13) *
                      fmax(fmax(motion->unit[k], motion->most[k]), fabs(motion->x[k]));
    }
    return is_near;
}

#define NONE 1e-150 // a weight; its square is a number

int rh__implicit_weigh(const rh_motion *motion, const rh_implicit *data, N_Vector y, N_Vector out)
{
    RH_ASSERT(y != out);
    for (uint32_t k = 0; k < data->count; k++) {
        const double unit =
            k < motion->n ? motion->unit[k] : ALGEBRAIC * data->largest[k - motion->n];
        const double size = fmax(unit, fabs(NV_Ith_S(y, k)));
        NV_Ith_S(out, k) = size > 0.0 ? fmax(1.0 / (motion->tolerance * size), NONE) : NONE;
    }
    return 0;
}

void rh__implicit_follow(rh_motion *motion, const rh_implicit *data, const double *rate)
{
    enum { OFTEN = 16 };
    const double time = fmax(motion->unit_time, motion->t - data->since);
    // at a beginning units are what the variables come to in the time of the motion, which may be
    // far more than they are: there they fade as behind a step of series
    const double left = motion->t == data->since
                            ? RH_GLIDE_FADE
                            : exp2(-FADE * motion->length_last / motion->unit_time);
    if (motion->steps % OFTEN == 0) {
        const double step = motion->length_last > 0.0 ? motion->length_last : motion->unit_time;
        (void)rh__unit_find_floor(motion, step);
    }
    bool is_raised = false;
    for (uint32_t i = 0; i < motion->n; i++) {
        const double before = motion->unit[i];
        motion->most[i] = fmax(motion->most[i], before);
        // what passes zero has the size that it comes from
        const double way = fmin(time * fabs(rate[i]), motion->most[i]);
        motion->unit[i] =
            fmax(fmax(left * before, way), fmax(LAST * motion->most[i], motion->floor[i]));
        is_raised = is_raised || motion->unit[i] > RAISED * before;
    }
    rh__unit_follow(motion);
    if (is_raised) { // projection within steps measures nothing itself
        rh__projector_measure(&motion->projector, motion->t, motion->x);
    }
    for (uint32_t k = motion->n; k < data->count; k++) {
        double *largest = &data->largest[k - motion->n];
        const double noise = rh__unit_of_slot(motion, motion->system->step->outputs[k]);
        *largest = fmax(*largest, fabs(NV_Ith_S(data->y, k)));
        *largest = fmax(*largest, ROUNDINGS * DBL_EPSILON * noise / motion->tolerance);
    }
}

bool rh__implicit_is_behind(const rh_motion *motion, const rh_implicit *data)
{
    return data->reached - motion->t <= RH_STEP_LEAST * fabs(motion->t);
}

bool rh__implicit_gets_on(const rh_motion *motion, const rh_implicit *data)
{
    return !rh__implicit_is_behind(motion, data) ||
           motion->t - data->since <= FIRST * fabs(motion->t);
}

bool rh__implicit_may_renew(const rh_motion *motion, rh_implicit *data)
{
    const bool is_kept =
        motion->projector.stages[0].miss != NULL || motion->projector.stages[1].miss != NULL;
    const bool is_new = !(fabs(motion->t - data->renewed) <= NEAR * fabs(motion->t));
    data->renewed = motion->t;
    return is_kept && is_new;
}

rh_expansion rh__implicit_series(rh_motion *motion, rh_implicit *data, int degree,
                                 rh_implicit_derivative *derive, double *limit)
{
    rh_series *series = &motion->series;
    const uint32_t n = motion->n;
    RH_ASSERT(0 < degree && degree <= 5);
    double factorial = 1.0;
    double *own = rh__series_begin(series);
    series->begin = motion->t;
    series->degree = (uint32_t)degree;
    for (int k = 0; k <= degree; k++) {
        factorial *= k > 0 ? k : 1;
        if (!derive(data->memory, motion->t, k, data->work)) {
            return RH_EXPANSION_FAILED;
        }
        for (uint32_t i = 0; i < n; i++) {
            own[(size_t)k * n + i] = NV_Ith_S(data->work, i) / factorial;
        }
    }
    *limit = fmin(*limit, data->reached - motion->t);
    return rh__vector_is_finite((size_t)n * (size_t)(degree + 1), own) ? RH_EXPANSION_DONE
                                                                       : RH_EXPANSION_FAILED;
}
