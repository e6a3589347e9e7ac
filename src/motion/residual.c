// SPDX-License-Identifier: Apache-2.0
// The equations with multipliers as they stand, without solving them for the rates: IDA on
//     x' - g(t, x, z) = 0,   K(t, x) z - b(t, x) = 0,
// z the rates of velocities and the multipliers: a differential-algebraic system of index 1, with
// the constraints kept by projection between steps. Neither the presolve nor the solve blocks nor
// the series have a part in it, so it checks them. Conditions are decided by their surfaces.

#include "motion/implicit.h"

#include <ida/ida.h>
#include <ida/ida_ls.h>
#include <math.h>

typedef struct residual {
    rh_implicit *guest;
    N_Vector kind; // 1: a derivative of it appears
    rh_tape *tape; // g, then K z - b
    rh_tape_state *state;
} residual;

// --- the equations -------------------------------------------------------------------------------

static bool list_rates(const rh_motion *motion, rh_arena *scratch, rh_expr_list *out)
{
    const rh_system *system = motion->system;
    const rh_equations *equations = motion->equations;
    bool ok = true;
    for (uint32_t k = 0; ok && k < system->coordinates.count; k++) {
        ok = rh__array_push(scratch, out, equations->carriers.data[k].variable);
    }
    for (uint32_t k = 0; ok && k < system->variables.count; k++) {
        ok = rh__array_push(scratch, out, system->form.unknowns.data[k]);
    }
    for (uint32_t k = 0; ok && k < system->passives.count; k++) {
        ok = rh__array_push(scratch, out, system->form.passives.data[k].value);
    }
    for (uint32_t k = 0; ok && k < equations->links.count; k++) {
        ok = equations->links.data[k].held.i == 0 ||
             rh__array_push(scratch, out, equations->links.data[k].multiplier);
    }
    return ok;
}

static bool list_balances(const rh_motion *motion, rh_arena *scratch, rh_expr_list *out)
{
    const rh_form *form = &motion->system->form;
    rh_store *store = motion->equations->store;
    bool ok = true;
    for (uint32_t k = 0; ok && k < form->unknowns.count; k++) {
        rh_expr sum = rh__expr_negate(store, form->right[k]);
        for (uint32_t at = form->matrix.begin[k]; at < form->matrix.begin[k + 1]; at++) {
            const rh_entry *entry = &form->matrix.entries.data[at];
            sum = rh__expr_add(
                store, sum,
                rh__expr_multiply(store, entry->value, form->unknowns.data[entry->column]));
        }
        ok = sum.i != 0 && rh__array_push(scratch, out, sum);
    }
    return ok;
}

static rh_status make_tape(rh_motion *motion, residual *data, rh_error *err)
{
    rh_arena scratch = rh__arena_begin(motion->arena.allocator, motion->arena.limit);
    rh_expr_list outputs = {0};
    rh_status status = RH_E_MEMORY;
    if (list_rates(motion, &scratch, &outputs) && list_balances(motion, &scratch, &outputs)) {
        status = rh__system_extra(motion->system, outputs.data, outputs.count, &data->tape, err);
    }
    rh__arena_end(&scratch);
    RH_TRY(status);
    RH_TRY(rh__tape_state_create(data->tape, 0, motion->arena.allocator, &data->state));
    RH_TRY(rh__tape_bind(data->state, rh__point_value, &motion->start.point));
    data->state->feeds = motion->tracks.pieces;
    return rh__jacobian_create(motion, data->tape, data->guest->count, &data->guest->jacobian, err);
}

// --- what IDA asks -------------------------------------------------------------------------------

static bool is_released(const rh_motion *motion, uint32_t row)
{
    const uint32_t hold = motion->system->hold_row[row];
    return hold != UINT32_MAX && motion->plain->is_released[hold];
}

// What is left of a released row: its unknown has the value it was lent.
static double released(const rh_motion *motion, N_Vector y, uint32_t row)
{
    const rh_system *system = motion->system;
    return NV_Ith_S(y, motion->n + system->hold_column[row]) -
           motion->plain->lent[system->hold_row[row]];
}

static void set_inputs(const residual *data, double t, N_Vector y)
{
    double *inputs = rh__jet_row(data->state, 0);
    inputs[0] = t;
    for (uint32_t k = 0; k < data->guest->count; k++) {
        inputs[1 + k] = NV_Ith_S(y, k);
    }
}

static int find_residual(realtype t, N_Vector y, N_Vector rate, N_Vector out, void *user)
{
    rh_motion *motion = user;
    residual *data = motion->stepper_data;
    const uint32_t n = motion->n;
    set_inputs(data, t, y);
    rh__tape_run(data->state);
    for (uint32_t k = 0; k < data->guest->count; k++) {
        const double value = rh__tape_output(data->state, k, 0);
        NV_Ith_S(out, k) = k < n                        ? NV_Ith_S(rate, k) - value
                           : is_released(motion, k - n) ? released(motion, y, k - n)
                                                        : value;
    }
    return rh__vector_is_finite(data->guest->count, NV_DATA_S(out)) ? 0 : 1;
}

static int find_matrix(realtype t, realtype share, N_Vector y, N_Vector rate, N_Vector value,
                       SUNMatrix out, void *user, N_Vector a, N_Vector b, N_Vector c)
{
    rh_motion *motion = user;
    residual *data = motion->stepper_data;
    const uint32_t n = motion->n;
    const uint32_t count = data->guest->count;
    (void)rate;
    (void)value;
    (void)a;
    (void)b;
    (void)c;
    set_inputs(data, t, y);
    if (!rh__jacobian_run(&data->guest->jacobian, data->state, SUNDenseMatrix_Data(out))) {
        return 1;
    }
    for (uint32_t j = 0; j < count; j++) {
        double *column = SUNDenseMatrix_Column(out, j);
        for (uint32_t k = 0; k < n; k++) {
            column[k] = (k == j ? share : 0.0) - column[k];
        }
        for (uint32_t k = n; k < count; k++) {
            column[k] = is_released(motion, k - n) ? j == n + motion->system->hold_column[k - n]
                                                   : column[k];
        }
    }
    return 0;
}

static bool derive(void *memory, double time, int k, N_Vector out)
{
    return IDAGetDky(memory, time, k, out) == IDA_SUCCESS;
}

// --- making --------------------------------------------------------------------------------------

// y and y' at (t, x).
static void begin(rh_motion *motion, residual *data)
{
    rh_implicit *guest = data->guest;
    rh__implicit_begin(motion, guest);
    N_VConst(0.0, guest->rate);
    rh__motion_rate(motion, motion->t, motion->x, NV_DATA_S(guest->rate));
    for (uint32_t k = motion->n; k < guest->count; k++) {
        NV_Ith_S(guest->y, k) = rh__tape_output(motion->plain, k, 0);
    }
}

static bool set_up(rh_motion *motion, residual *data)
{
    rh_implicit *guest = data->guest;
    void *memory = guest->memory;
    for (uint32_t k = 0; k < guest->count; k++) {
        NV_Ith_S(data->kind, k) = k < motion->n;
    }
    return IDASetErrHandlerFn(memory, rh__implicit_listen, guest) == IDA_SUCCESS &&
           IDAInit(memory, find_residual, motion->t, guest->y, guest->rate) == IDA_SUCCESS &&
           IDASetUserData(memory, motion) == IDA_SUCCESS &&
           IDASStolerances(memory, motion->tolerance, motion->tolerance) == IDA_SUCCESS &&
           IDASetId(memory, data->kind) == IDA_SUCCESS &&
           IDASetSuppressAlg(memory, SUNTRUE) == IDA_SUCCESS &&
           IDASetLinearSolver(memory, guest->solver, guest->matrix) == IDA_SUCCESS &&
           IDASetJacFn(memory, find_matrix) == IDA_SUCCESS;
}

static void destroy(rh_motion *motion)
{
    residual *data = motion->stepper_data;
    if (data == NULL) {
        return;
    }
    if (data->guest != NULL) {
        IDAFree(&data->guest->memory);
        if (data->kind != NULL) {
            N_VDestroy(data->kind);
        }
        rh__implicit_destroy(data->guest);
    }
    rh__tape_state_destroy(data->state);
    rh__tape_destroy(data->tape);
    motion->stepper_data = NULL;
}

static rh_status build(rh_motion *motion, residual *data, rh_error *err)
{
    const uint32_t count = motion->n + motion->system->form.unknowns.count;
    RH_TRY(rh__implicit_create(motion, count, &data->guest, err));
    RH_TRY(make_tape(motion, data, err));
    data->kind = N_VClone(data->guest->y);
    data->guest->memory = IDACreate(data->guest->context);
    begin(motion, data);
    data->guest->is_begun = false;
    return data->kind != NULL && data->guest->memory != NULL && set_up(motion, data) ? RH_OK
                                                                                     : RH_E_MEMORY;
}

static rh_status create(rh_motion *motion, rh_error *err)
{
    residual *data = rh__arena_new(&motion->arena, residual);
    if (data == NULL) {
        return motion->arena.status;
    }
    motion->stepper_data = data;
    const rh_status status = build(motion, data, err);
    if (status != RH_OK) {
        destroy(motion);
    }
    return status;
}

// --- steps ---------------------------------------------------------------------------------------

static bool restart(rh_motion *motion, residual *data)
{
    begin(motion, data);
    return IDAReInit(data->guest->memory, motion->t, data->guest->y, data->guest->rate) ==
           IDA_SUCCESS;
}

static bool go_on(rh_motion *motion, rh_implicit *guest, double length)
{
    const double target = motion->t + fmax(length, 1e-6 * (1.0 + fabs(motion->t)));
    return IDASolve(guest->memory, target, &guest->reached, guest->y, guest->rate, IDA_ONE_STEP) >=
           0;
}

static rh_expansion expand(rh_motion *motion, double *length)
{
    residual *data = motion->stepper_data;
    rh_implicit *guest = data->guest;
    rh__motion_rate(motion, motion->t, motion->x, motion->x_try);
    motion->step->quality = motion->plain->quality;
    bool is_fresh = false;
    if (!rh__implicit_holds(motion, guest, derive)) {
        is_fresh = restart(motion, data);
    }
    if (rh__implicit_is_behind(motion, guest)) {
        bool is_well = go_on(motion, guest, *length);
        is_well = is_well || (!is_fresh && restart(motion, data) && go_on(motion, guest, *length));
        if (!is_well) {
            rh__motion_fail(motion, RH_DIAGNOSTIC_E514, "IDA cannot go on at t = %.17g: %s",
                            motion->t, guest->message);
            return RH_EXPANSION_FAILED;
        }
    }
    int degree = 0;
    (void)IDAGetLastOrder(guest->memory, &degree);
    return rh__implicit_series(motion, guest, degree, derive, length);
}

static void forget(rh_motion *motion)
{
    residual *data = motion->stepper_data;
    data->guest->is_begun = false;
}

const rh_stepper rh__stepper_residual = {.name = "ida",
                                         .order = 5,
                                         .create = create,
                                         .destroy = destroy,
                                         .expand = expand,
                                         .forget = forget};
