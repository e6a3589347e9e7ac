// SPDX-License-Identifier: Apache-2.0
// Rates that vanish identically: what the tape computes of them is rounding, and rounding has a
// rank. By algebra B11 omega' = right is zero in all rows that hang together through B11 when their
// right sides are. Where formulas are too long for algebra to tell, a rate that is tiny at random
// states and changes wholly when they are shaken by 1e-9 is rounding too.

#include "steady/choice.h"

#include <math.h>
#include <string.h>

#define SHAKE 1e-9 // of values, relative to |value| and its size
#define TINY 1e-9  // of rounding, relative to the largest rate
#define WHOLLY 0.3 // what rounding changes by, of itself

enum { STATES = 4, LOOKS = 8, SEED = 1871 };

static bool is_moved(const rh_form *form, const bool *moves, uint32_t row)
{
    for (uint32_t k = form->matrix.begin[row]; k < form->matrix.begin[row + 1]; k++) {
        const rh_entry *entry = &form->matrix.entries.data[k];
        if (entry->column < form->matrix.rows && moves[entry->column]) {
            return true;
        }
    }
    return false;
}

// By row of the closed form: something drives it, or a row that hangs together with it.
static void find_moves(const rh_equations *equations, const rh_form *form, bool *moves)
{
    const uint32_t rows = form->matrix.rows;
    for (uint32_t k = 0; k < rows; k++) {
        moves[k] =
            !rh__expr_is_zero(equations->store, form->right[k]) &&
            (equations->folder == NULL || !rh__folder_is_zero(equations->folder, form->right[k]));
    }
    for (bool grows = true; grows;) {
        grows = false;
        for (uint32_t k = 0; k < rows; k++) {
            if (!moves[k] && is_moved(form, moves, k)) {
                moves[k] = grows = true;
            }
        }
    }
}

rh_status rh__reduction_still(rh_reduction *reduction, const rh_engine *closed, rh_arena *scratch)
{
    const rh_form *form = &closed->form;
    const uint32_t count = closed->velocities.count;
    if (form->matrix.rows != form->unknowns.count || form->matrix.rows < count) {
        return RH_OK;
    }
    bool *moves = rh__arena_array(scratch, bool, (size_t)form->matrix.rows + 1);
    reduction->still = rh__arena_array(&reduction->arena, uint32_t, (size_t)count + 1);
    if (moves == NULL || reduction->still == NULL) {
        return RH_E_MEMORY;
    }
    find_moves(reduction->equations, form, moves);
    for (uint32_t k = 0; k < count; k++) {
        if (!moves[k]) {
            reduction->still[reduction->still_count++] = closed->velocities.first + k;
        }
    }
    return RH_OK;
}

// --- rounding ------------------------------------------------------------------------------------

typedef struct listening {
    rh_workbench *bench;
    rh_random random;
    double *values; // by slot: the state
    double *low, *high;
    bool *is_noise; // by quasi-velocity
    uint32_t first, count;
} listening;

// The rates of quasi-velocities beside one state, with parameters as other roundings give them.
static bool listen(listening *on)
{
    const rh_reduction *reduction = on->bench->reduction;
    for (uint32_t k = 0; k < LOOKS; k++) {
        rh__tape_bind_like(on->bench->state, reduction->shaken[k % RH_STEADY_SHAKEN]);
        for (uint32_t j = 0; j < reduction->slot_count; j++) {
            on->bench->values[j] =
                on->values[j] + SHAKE * rh__engine_size(&reduction->engine, j, on->values[j]) *
                                    rh__random_uniform(&on->random, -1.0, 1.0);
        }
        if (!rh__workbench_look(on->bench)) {
            return false;
        }
        for (uint32_t i = 0; i < on->count; i++) {
            const double rate = on->bench->outputs[on->first + i];
            on->low[i] = k == 0 ? rate : fmin(on->low[i], rate);
            on->high[i] = k == 0 ? rate : fmax(on->high[i], rate);
        }
    }
    return true;
}

static void judge(listening *on)
{
    double size = 0.0;
    for (uint32_t i = 0; i < on->count; i++) {
        size = fmax(size, fmax(fabs(on->low[i]), fabs(on->high[i])));
    }
    for (uint32_t i = 0; i < on->count; i++) {
        const double most = fmax(fabs(on->low[i]), fabs(on->high[i]));
        on->is_noise[i] = on->is_noise[i] && most > 0.0 && most < TINY * size &&
                          on->high[i] - on->low[i] > WHOLLY * most;
    }
}

static void visit(listening *on)
{
    const rh_reduction *reduction = on->bench->reduction;
    uint32_t heard = 0;
    for (uint32_t k = 0; k < STATES; k++) {
        on->values[0] = 0.0;
        for (uint32_t j = 1; j < reduction->slot_count; j++) {
            const double state = reduction->split.state[j - 1];
            const double away = k == 0 ? 0.0 : rh__random_uniform(&on->random, -0.2, 0.2);
            on->values[j] = state + away * rh__engine_size(&reduction->engine, j, state);
        }
        if (listen(on)) {
            judge(on);
            heard++;
        }
    }
    for (uint32_t i = 0; i < on->count; i++) {
        on->is_noise[i] = on->is_noise[i] && heard + 1 >= STATES;
    }
}

static rh_status list_noise(listening *on, rh_reduction *reduction)
{
    if (reduction->still == NULL) {
        reduction->still = rh__arena_array(&reduction->arena, uint32_t, (size_t)on->count + 1);
    }
    for (uint32_t i = 0; reduction->still != NULL && i < on->count; i++) {
        if (on->is_noise[i]) {
            reduction->still[reduction->still_count++] = on->first + i;
        }
    }
    return reduction->still != NULL ? RH_OK : reduction->arena.status;
}

rh_status rh__reduction_quiet(rh_reduction *reduction)
{
    listening on = {.first = reduction->engine.velocities.first,
                    .count = reduction->engine.velocities.count,
                    .random = rh__random_begin(SEED)};
    RH_TRY(rh__workbench_create(reduction, &on.bench));
    rh_arena *arena = &on.bench->scratch;
    on.values = rh__arena_array(arena, double, (size_t)reduction->slot_count + 1);
    on.low = rh__arena_array(arena, double, (size_t)on.count + 1);
    on.high = rh__arena_array(arena, double, (size_t)on.count + 1);
    on.is_noise = rh__arena_array(arena, bool, (size_t)on.count + 1);
    rh_status status = arena->status;
    if (status == RH_OK) {
        memset(on.is_noise, true, on.count * sizeof *on.is_noise);
        visit(&on);
        status = list_noise(&on, reduction);
    }
    rh__workbench_destroy(on.bench);
    return status;
}
