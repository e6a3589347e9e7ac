// SPDX-License-Identifier: Apache-2.0
// The equations with multipliers as they stand, without solving them for the rates: IDA on
//     x' - g(t, x, z) = 0,   K(t, x) z - b(t, x) = 0,
// z the rates of velocities and the multipliers: a differential-algebraic system of index 1, with
// the constraints kept by projection between steps. Neither the presolve nor the solve blocks nor
// the series have a part in it, so it checks them. Conditions keep the sides that they have in the
// mode: IDA goes beyond a surface before that is found, and a residual that jumps there would bend
// the polynomial of its step before it. Of redundant constraints only independent ones are left in;
// the multipliers of the others stay as they are.

#include "motion/implicit.h"

#include <ida/ida.h>
#include <ida/ida_ls.h>
#include <math.h>

typedef struct residual {
    rh_implicit *guest;
    N_Vector kind; // 1: a derivative of it appears
    rh_tape *tape; // g, then K z - b
    rh_tape_state *state;
    uint64_t changes; // of the values of the motion, when constants were bound last
    uint32_t *like; // by switch: twice that of the step with the same surface, plus one where it is
                    // turned; UINT32_MAX: there is none
    uint32_t *own;  // by row of K: the multiplier of its constraint; UINT32_MAX: there is none
    double *spare;  // by row of K: what that stays at when the row is redundant; NaN: it is not
    uint32_t *integral; // by x: the first integral that stands in place of its rate; UINT32_MAX
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

static rh_status find_like(rh_motion *motion, residual *data)
{
    const rh_tape *step = motion->system->step;
    data->like = rh__arena_array(&motion->arena, uint32_t, (size_t)data->tape->switch_count + 1);
    for (uint32_t k = 0; data->like != NULL && k < data->tape->switch_count; k++) {
        const rh_expr source = data->tape->switches[k].source;
        const rh_expr turned = rh__expr_negate(motion->equations->store, source);
        data->like[k] = UINT32_MAX;
        for (uint32_t j = 0; j < step->switch_count && data->like[k] == UINT32_MAX; j++) {
            const uint32_t own = step->switches[j].source.i;
            data->like[k] = own == source.i ? 2 * j : own == turned.i ? 2 * j + 1 : UINT32_MAX;
        }
    }
    return data->like != NULL ? RH_OK : motion->arena.status;
}

static rh_status make_tape(rh_motion *motion, residual *data, rh_error *err)
{
    rh_arena scratch = rh__arena_begin(motion->arena.allocator, motion->arena.limit);
    rh_expr_list outputs = {0};
    rh_status status = RH_E_MEMORY;
    if (list_rates(motion, &scratch, &outputs) && list_balances(motion, &scratch, &outputs)) {
        status = rh__system_extra(
            motion->system, &(rh_extra_def){.outputs = outputs.data, .output_count = outputs.count},
            &data->tape, err);
    }
    rh__arena_end(&scratch);
    RH_TRY(status);
    RH_ASSERT(data->tape->output_count == data->guest->count);
    RH_TRY(rh__tape_state_create(data->tape, 0, motion->arena.allocator, &data->state));
    RH_TRY(rh__tape_bind(data->state, rh__point_value, &motion->start.point));
    data->changes = motion->values.changes;
    data->state->feeds = motion->tracks.pieces;
    data->state->is_exact = true; // implicit steps are so long that what a sum loses counts
    return find_like(motion, data);
}

static void follow_sides(const rh_motion *motion, const residual *data)
{
    for (uint32_t k = 0; k < data->tape->switch_count; k++) {
        if (data->like[k] == UINT32_MAX) {
            continue;
        }
        RH_ASSERT(data->like[k] / 2 < motion->system->step->switch_count);
        const rh_condition *it = &motion->mode.conditions[data->like[k] / 2];
        const int side =
            (it->is_sliding || it->is_lent) && it->side == 0 ? 1 : it->side; // not what holds on it
        const int own = data->like[k] % 2 != 0 ? -side : side;
        rh__tape_force(data->state, k,
                       side == 0 ? (double)NAN
                                 : rh__switch_truth(data->tape->switches[k].rule, own));
    }
}

// --- redundant rows ------------------------------------------------------------------------------

static bool is_released(const rh_motion *motion, uint32_t row)
{
    const uint32_t hold = motion->system->hold_row[row];
    return hold != UINT32_MAX && motion->plain->is_released[hold];
}

static rh_status find_own(rh_motion *motion, residual *data)
{
    const rh_form *form = &motion->system->form;
    const size_t rows = (size_t)form->unknowns.count + 1;
    data->own = rh__arena_array(&motion->arena, uint32_t, rows);
    data->spare = rh__arena_array(&motion->arena, double, rows);
    if (data->own == NULL || data->spare == NULL) {
        return motion->arena.status;
    }
    // multipliers stand in the order of their rows, mostly: the search goes on behind the last
    const uint32_t multipliers = form->unknowns.count - form->rate_count;
    uint32_t last = 0;
    for (uint32_t k = 0; k < form->unknowns.count; k++) {
        const uint32_t link = form->link_of[k];
        data->own[k] = UINT32_MAX;
        data->spare[k] = (double)NAN;
        for (uint32_t j = 0; link > 0 && j < multipliers && data->own[k] == UINT32_MAX; j++) {
            const uint32_t at = form->rate_count + (last + j) % multipliers;
            const rh_expr multiplier = motion->equations->links.data[link - 1].multiplier;
            data->own[k] = form->unknowns.data[at].i == multiplier.i ? at : UINT32_MAX;
        }
        last = data->own[k] != UINT32_MAX ? data->own[k] - form->rate_count + 1 : last;
    }
    return RH_OK;
}

// A first integral may stand in place of the rate of each variable in it.
static uint32_t add_integrals(const rh_motion *motion, uint32_t *row, uint32_t *column,
                              uint32_t count)
{
    const uint32_t n = motion->n;
    for (uint32_t k = 0; k < motion->conserved.count; k++) {
        const double *weights = motion->conserved.weights + (size_t)k * n;
        for (uint32_t at = 0; at < n * n; at++) {
            if (weights[at / n] != 0.0 && weights[at % n] != 0.0) {
                row[count] = at / n;
                column[count++] = at % n;
            }
        }
    }
    return count;
}

// Entries besides those of the equations: y', the unknown that is given in place of a row, and
// first integrals.
static rh_status make_matrix(rh_motion *motion, residual *data, rh_error *err)
{
    const rh_system *system = motion->system;
    const uint32_t unknowns = system->form.unknowns.count;
    rh_arena scratch = rh__arena_begin(motion->arena.allocator, motion->arena.limit);
    const size_t n = motion->n;
    const size_t room = n + 2 * (size_t)unknowns + motion->conserved.count * n * n + 1;
    uint32_t *row = rh__arena_array(&scratch, uint32_t, room);
    uint32_t *column = rh__arena_array(&scratch, uint32_t, room);
    uint32_t count = 0;
    for (uint32_t k = 0; row != NULL && column != NULL && k < motion->n + unknowns; k++) {
        const uint32_t at = k - motion->n;
        const uint32_t given[] = {k < motion->n ? k : UINT32_MAX,
                                  k < motion->n || system->hold_row[at] == UINT32_MAX
                                      ? UINT32_MAX
                                      : system->hold_column[at],
                                  k < motion->n ? UINT32_MAX : data->own[at]};
        for (uint32_t j = 0; j < 3; j++) {
            if (given[j] != UINT32_MAX) {
                row[count] = k;
                column[count++] = j == 0 ? k : motion->n + given[j];
            }
        }
    }
    count = row != NULL && column != NULL ? add_integrals(motion, row, column, count) : 0;
    RH_ASSERT(count <= room);
    const rh_jacobian_extra extra = {.row = row, .column = column, .count = count};
    const rh_status status = row != NULL && column != NULL
                                 ? rh__implicit_matrix(motion, data->tape, extra, data->guest, err)
                                 : scratch.status;
    rh__arena_end(&scratch);
    return status;
}

static void set_inputs(const residual *data, double t, N_Vector y)
{
    double *inputs = rh__jet_row(data->state, 0);
    inputs[0] = t;
    for (uint32_t k = 0; k < data->guest->count; k++) {
        inputs[1 + k] = NV_Ith_S(y, k);
    }
}

// Of the rows of redundant constraints those that are not needed.
static void spare_rows(rh_motion *motion, residual *data)
{
    const uint32_t n = motion->n;
    for (uint32_t k = 0; k < motion->system->form.unknowns.count; k++) {
        const bool is_spare =
            motion->plain->quality.singular > 0 && data->own[k] != UINT32_MAX &&
            !is_released(motion, k) &&
            rh__tape_is_spare(motion->plain, motion->system->step->outputs[n + k]);
        data->spare[k] = is_spare ? NV_Ith_S(data->guest->y, n + data->own[k]) : (double)NAN;
    }
}

// --- first integrals ----------------------------------------------------------------------------

// Linear first integrals of laws hold but for rounding, which grows step by step and is that of the
// largest variable. So each stands in place of the rate of a large variable in it.
static rh_status make_integrals(rh_motion *motion, residual *data)
{
    data->integral = rh__arena_array(&motion->arena, uint32_t, (size_t)motion->n + 1);
    return data->integral != NULL ? RH_OK : motion->arena.status;
}

static void lead(rh_motion *motion, residual *data, const double *x)
{
    rh__conserved_lead(motion, x);
    for (uint32_t i = 0; i < motion->n; i++) {
        data->integral[i] = UINT32_MAX;
    }
    for (uint32_t k = 0; k < motion->conserved.count; k++) {
        const uint32_t leader = motion->conserved.leaders[k];
        if (leader != UINT32_MAX) {
            RH_ASSERT(data->integral[leader] == UINT32_MAX); // no two have the same
            data->integral[leader] = k;
        }
    }
}

// --- what IDA asks -------------------------------------------------------------------------------

// What is left of a released row: its unknown has the value it was lent.
static double released(const rh_motion *motion, N_Vector y, uint32_t row)
{
    const rh_system *system = motion->system;
    RH_ASSERT(system->hold_row[row] != UINT32_MAX && system->hold_column[row] != UINT32_MAX);
    return NV_Ith_S(y, motion->n + system->hold_column[row]) -
           motion->plain->lent[system->hold_row[row]];
}

static int find_residual(realtype t, N_Vector y, N_Vector rate, N_Vector out, void *user)
{
    rh_motion *motion = user;
    residual *data = motion->stepper_data;
    const uint32_t n = motion->n;
    RH_ASSERT(out != y && out != rate);
    rh__motion_bind_again(motion, data->state, &data->changes);
    set_inputs(data, t, y);
    rh__tape_run(data->state);
    for (uint32_t k = 0; k < data->guest->count; k++) {
        const double value = rh__tape_output(data->state, k, 0);
        const bool is_integral = k < n && data->integral[k] != UINT32_MAX;
        NV_Ith_S(out, k) = is_integral ? rh__conserved_miss(motion, data->integral[k], NV_DATA_S(y))
                           : k < n     ? NV_Ith_S(rate, k) - value
                           : is_released(motion, k - n) ? released(motion, y, k - n)
                           : !isnan(data->spare[k - n])
                               ? NV_Ith_S(y, n + data->own[k - n]) - data->spare[k - n]
                               : value;
    }
    return rh__vector_is_finite(data->guest->count, NV_DATA_S(out)) ? 0 : 1;
}

// What an entry of the derivative by y becomes: that of the residual by y, and `share` times that
// by y'.
static double entry_of(const rh_motion *motion, const residual *data, uint32_t k, uint32_t j,
                       double value, double share)
{
    if (k < motion->n && data->integral[k] != UINT32_MAX) {
        const double *weights = motion->conserved.weights + (size_t)data->integral[k] * motion->n;
        return j < motion->n ? weights[j] : 0.0;
    }
    if (k < motion->n) {
        return (k == j ? share : 0.0) - value;
    }
    const uint32_t row = k - motion->n;
    return is_released(motion, row)   ? j == motion->n + motion->system->hold_column[row]
           : !isnan(data->spare[row]) ? j == motion->n + data->own[row]
                                      : value;
}

static int find_matrix(realtype t, realtype share, N_Vector y, N_Vector rate, N_Vector value,
                       SUNMatrix out, void *user, N_Vector a, N_Vector b, N_Vector c)
{
    const rh_motion *motion = user;
    residual *data = motion->stepper_data;
    const uint32_t count = data->guest->count;
    const rh_sparse *sparse = &data->guest->jacobian.sparse;
    (void)rate;
    (void)value;
    (void)a;
    (void)b;
    (void)c;
    set_inputs(data, t, y);
    if (!rh__implicit_fill(data->guest, data->state, out)) {
        return 1;
    }
    for (uint32_t j = 0; data->guest->jacobian.is_sparse && j < count; j++) {
        for (uint32_t k = sparse->start[j]; k < sparse->start[j + 1]; k++) {
            double *entry = &SM_DATA_S(out)[k];
            *entry = entry_of(motion, data, sparse->row[k], j, *entry, share);
        }
    }
    for (uint32_t j = 0; !data->guest->jacobian.is_sparse && j < count; j++) {
        double *column = SUNDenseMatrix_Column(out, j);
        for (uint32_t k = 0; k < count; k++) {
            column[k] = entry_of(motion, data, k, j, column[k], share);
        }
    }
    return 0;
}

static bool derive(void *memory, double time, int k, N_Vector out)
{
    return IDAGetDky(memory, time, k, out) == IDA_SUCCESS;
}

static int weigh(N_Vector y, N_Vector out, void *user)
{
    const rh_motion *motion = user;
    const residual *data = motion->stepper_data;
    return rh__implicit_weigh(motion, data->guest, y, out);
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
    spare_rows(motion, data);
    lead(motion, data, motion->x);
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
           IDAWFtolerances(memory, weigh) == IDA_SUCCESS &&
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
    RH_TRY(find_own(motion, data));
    RH_TRY(make_integrals(motion, data));
    RH_TRY(make_matrix(motion, data, err));
    data->kind = N_VClone(data->guest->y);
    data->guest->memory = IDACreate(data->guest->context);
    if (data->kind == NULL || data->guest->memory == NULL) {
        return RH_E_MEMORY;
    }
    begin(motion, data);
    data->guest->is_begun = false;
    return set_up(motion, data) ? RH_OK : RH_E_MEMORY;
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

// The first step, no shorter than `least`; 0: the one that IDA chooses. It is that in which a
// variable changes by the tolerance. IDA knows the rates alone: where these vanish, as at rest, it
// would begin with one from which all attempts do not lead down.
static double first_step(rh_motion *motion, double least)
{
    const rh_tape_quality quality = motion->step->quality;
    double by_rates = INFINITY;
    double by_others = INFINITY;
    rh__system_series(motion->system, motion->step, motion->t, motion->x, motion->order);
    rh__jet_fill(motion->step);
    for (uint32_t i = 0; i < motion->n; i++) {
        const double size = fmax(motion->unit[i], fabs(motion->x[i]));
        for (uint32_t k = 1; size > 0.0 && k <= motion->order; k++) {
            const double share = fabs(rh__jet_row(motion->step, k)[1 + i]) / size;
            const double own = pow(motion->tolerance / share, 1.0 / k);
            double *shortest = k == 1 ? &by_rates : &by_others;
            *shortest = own < *shortest ? own : *shortest; // nor where it is no number
        }
    }
    motion->step->quality = quality;
    const double step = fmin(by_rates, by_others);
    return step < least ? least : by_others < by_rates ? by_others : 0.0;
}

// `least`: of the first step, shorter ones are too short for numbers.
static bool restart(rh_motion *motion, residual *data, double least)
{
    begin(motion, data);
    const double step = first_step(motion, least);
    return IDAReInit(data->guest->memory, motion->t, data->guest->y, data->guest->rate) ==
               IDA_SUCCESS &&
           IDASetInitStep(data->guest->memory, step) == IDA_SUCCESS;
}

// Nothing happened: it is still the same motion.
static bool renew(rh_motion *motion, residual *data, double least)
{
    const double since = data->guest->since;
    const bool is_well = restart(motion, data, least);
    data->guest->since = since;
    return is_well;
}

static bool go_on(rh_motion *motion, residual *data, double length)
{
    rh_implicit *guest = data->guest;
    const double target = motion->t + fmax(length, 1e-6 * fabs(motion->t));
    if (!rh__conserved_is_led(motion, NV_DATA_S(guest->y))) {
        lead(motion, data, NV_DATA_S(guest->y));
    }
    rh__implicit_follow(motion, guest, NV_DATA_S(guest->rate));
    return IDASolve(guest->memory, target, &guest->reached, guest->y, guest->rate, IDA_ONE_STEP) >=
           0;
}

static rh_expansion expand(rh_motion *motion, double *length)
{
    residual *data = motion->stepper_data;
    rh_implicit *guest = data->guest;
    follow_sides(motion, data);
    rh__motion_rate(motion, motion->t, motion->x, motion->x_try);
    motion->step->quality = motion->plain->quality;
    const double least = 1e-12 * fabs(motion->t);
    bool is_fresh = false;
    if (!rh__implicit_holds(motion, guest, derive)) {
        is_fresh = restart(motion, data, least);
    }
    if (rh__implicit_is_behind(motion, guest)) {
        bool is_well = go_on(motion, data, *length);
        // a history that misleads is forgotten once
        is_well =
            is_well || (!is_fresh && renew(motion, data, least) && go_on(motion, data, *length));
        if (is_well && !rh__implicit_gets_on(motion, guest) &&
            rh__implicit_may_renew(motion, guest)) {
            is_well = restart(motion, data, least) && go_on(motion, data, *length);
        }
        if (!is_well || !rh__implicit_gets_on(motion, guest)) {
            rh__implicit_fail(motion, guest, "IDA", is_well);
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
