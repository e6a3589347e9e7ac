// SPDX-License-Identifier: Apache-2.0
// Backward differences: CVODE on dx/dt = f(t, x) with the exact Jacobian from tangents and the
// constraints kept by projection within its steps.

#include "motion/implicit.h"

#include <cvode/cvode.h>
#include <cvode/cvode_ls.h>
#include <cvode/cvode_proj.h>
#include <math.h>

#define GROWTH 3.0 // of steps: units of what was fast fade as fast as steps grow

static int find_rate(realtype t, N_Vector y, N_Vector out, void *user)
{
    rh_motion *motion = user;
    RH_ASSERT(NV_LENGTH_S(y) == (sunindextype)motion->n && NV_DATA_S(y) != NV_DATA_S(out));
    // implicit steps are so long that what a sum loses by rounding counts
    motion->plain->is_exact = true;
    rh__motion_rate(motion, t, NV_DATA_S(y), NV_DATA_S(out));
    motion->plain->is_exact = false;
    const bool is_well =
        !motion->plain->quality.is_failed && rh__vector_is_finite(motion->n, NV_DATA_S(out));
    return is_well ? 0 : 1; // 1: try a shorter step
}

static int find_jacobian(realtype t, N_Vector y, N_Vector rate, SUNMatrix out, void *user,
                         N_Vector a, N_Vector b, N_Vector c)
{
    rh_motion *motion = user;
    rh_implicit *data = motion->stepper_data;
    (void)rate;
    (void)a;
    (void)b;
    (void)c;
    double *inputs = rh__jet_row(motion->plain, 0);
    inputs[0] = t;
    for (uint32_t k = 0; k < motion->n; k++) {
        inputs[1 + k] = NV_Ith_S(y, k);
    }
    return rh__implicit_fill(data, motion->plain, out) ? 0 : 1;
}

static int find_correction(realtype t, N_Vector y, N_Vector out, realtype enough, N_Vector error,
                           void *user)
{
    rh_motion *motion = user;
    double residual = 0.0;
    (void)enough;
    (void)error;
    RH_ASSERT(NV_DATA_S(y) != NV_DATA_S(out));
    N_VScale(1.0, y, out);
    if (rh__projector_apply(&motion->projector, t, NV_DATA_S(out), motion->mode.is_kept, &residual,
                            NULL) != RH_OK ||
        !(residual <= motion->drift)) {
        return 1;
    }
    rh__conserved_keep(motion, NV_DATA_S(out));
    N_VLinearSum(1.0, out, -1.0, y, out);
    return 0;
}

static int weigh(N_Vector y, N_Vector out, void *user)
{
    const rh_motion *motion = user;
    return rh__implicit_weigh(motion, motion->stepper_data, y, out);
}

static bool derive(void *memory, double time, int k, N_Vector out)
{
    return CVodeGetDky(memory, time, k, out) == CV_SUCCESS;
}

// --- making --------------------------------------------------------------------------------------

static bool set_up(rh_motion *motion, rh_implicit *data)
{
    void *memory = data->memory;
    const bool is_kept = motion->projector.stages[0].miss != NULL ||
                         motion->projector.stages[1].miss != NULL || motion->conserved.count > 0;
    return CVodeSetErrHandlerFn(memory, rh__implicit_listen, data) == CV_SUCCESS &&
           CVodeInit(memory, find_rate, motion->t, data->y) == CV_SUCCESS &&
           CVodeSetUserData(memory, motion) == CV_SUCCESS &&
           CVodeWFtolerances(memory, weigh) == CV_SUCCESS &&
           CVodeSetLinearSolver(memory, data->solver, data->matrix) == CV_SUCCESS &&
           CVodeSetJacFn(memory, find_jacobian) == CV_SUCCESS &&
           CVodeSetEtaMax(memory, GROWTH) == CV_SUCCESS &&
           (!is_kept || (CVodeSetProjFn(memory, find_correction) == CV_SUCCESS &&
                         CVodeSetProjErrEst(memory, SUNFALSE) == CV_SUCCESS));
}

static void destroy(rh_motion *motion)
{
    rh_implicit *data = motion->stepper_data;
    if (data != NULL) {
        CVodeFree(&data->memory);
        rh__implicit_destroy(data);
        motion->stepper_data = NULL;
    }
}

// I - gamma J has a diagonal whatever J is.
static rh_status make_matrix(rh_motion *motion, rh_implicit *data, rh_error *err)
{
    rh_arena scratch = rh__arena_begin(motion->arena.allocator, motion->arena.limit);
    uint32_t *diagonal = rh__arena_array(&scratch, uint32_t, (size_t)motion->n + 1);
    for (uint32_t k = 0; diagonal != NULL && k < motion->n; k++) {
        diagonal[k] = k;
    }
    const rh_jacobian_extra extra = {.row = diagonal, .column = diagonal, .count = motion->n};
    const rh_status status =
        diagonal != NULL ? rh__implicit_matrix(motion, motion->system->step, extra, data, err)
                         : scratch.status;
    rh__arena_end(&scratch);
    return status;
}

static rh_status create(rh_motion *motion, rh_error *err)
{
    rh_implicit *data = NULL;
    RH_TRY(rh__implicit_create(motion, motion->n, &data, err));
    motion->stepper_data = data;
    rh__implicit_begin(motion, data);
    data->is_begun = false;
    rh_status status = make_matrix(motion, data, err);
    if (status == RH_OK && !rh__implicit_copy_matrix(motion, data)) {
        status = RH_E_MEMORY;
    }
    data->memory = status == RH_OK ? CVodeCreate(CV_BDF, data->context) : NULL;
    if (status == RH_OK && (data->memory == NULL || !set_up(motion, data))) {
        status = RH_E_MEMORY;
    }
    if (status != RH_OK) {
        destroy(motion);
    }
    return status;
}

// --- steps ---------------------------------------------------------------------------------------

static bool restart(rh_motion *motion, rh_implicit *data)
{
    rh__implicit_begin(motion, data);
    return CVodeReInit(data->memory, motion->t, data->y) == CV_SUCCESS;
}

// Nothing happened: it is still the same motion.
static bool renew(rh_motion *motion, rh_implicit *data)
{
    const double since = data->since;
    const bool is_well = restart(motion, data);
    data->since = since;
    return is_well;
}

// The first steps may be shorter than roundings of the time: those are taken together.
static bool go_on(rh_motion *motion, rh_implicit *data, double length)
{
    RH_ASSERT(length > 0.0);
    enum { MOST = 64 };
    const double target = motion->t + fmax(length, 1e-6 * fabs(motion->t));
    bool is_well = true;
    rh__implicit_follow(motion, data, motion->x_try);
    for (uint32_t k = 0; k < MOST && is_well && (k == 0 || !(data->reached > motion->t)); k++) {
        is_well = CVode(data->memory, target, data->y, &data->reached, CV_ONE_STEP) >= 0;
    }
    return is_well;
}

static rh_expansion expand(rh_motion *motion, double *length)
{
    rh_implicit *data = motion->stepper_data;
    rh__motion_rate(motion, motion->t, motion->x, motion->x_try);
    motion->step->quality = motion->plain->quality;
    bool is_fresh = false;
    if (!rh__implicit_holds(motion, data, derive)) {
        is_fresh = restart(motion, data);
    }
    if (rh__implicit_is_behind(motion, data)) {
        bool is_well = go_on(motion, data, *length);
        // a history that misleads is forgotten once
        is_well = is_well || (!is_fresh && renew(motion, data) && go_on(motion, data, *length));
        if (is_well && !rh__implicit_gets_on(motion, data) &&
            rh__implicit_may_renew(motion, data)) {
            is_well = restart(motion, data) && go_on(motion, data, *length);
        }
        if (!is_well || !rh__implicit_gets_on(motion, data)) {
            rh__implicit_fail(motion, data, "CVODE", is_well);
            return RH_EXPANSION_FAILED;
        }
    }
    int degree = 0;
    (void)CVodeGetLastOrder(data->memory, &degree);
    return rh__implicit_series(motion, data, degree, derive, length);
}

static void forget(rh_motion *motion)
{
    rh_implicit *data = motion->stepper_data;
    data->is_begun = false;
}

const rh_stepper rh__stepper_backward = {.name = "cvode",
                                         .order = 5,
                                         .create = create,
                                         .destroy = destroy,
                                         .expand = expand,
                                         .forget = forget};
