// SPDX-License-Identifier: Apache-2.0
// Quasi-velocities in which the inertia is the unit matrix: with B11 = L L^T of the best frame so
// far, L^T omega. Where a metric changes along a coordinate and nothing else does, its rate of
// change leaves the equations with it.

#include "steady/choice.h"

enum { MOST_ROWS = 6, MOST_COST = 600 }; // the latter: of one row, in additions

typedef struct factoring {
    rh_choosing *in;
    const rh_frame *frame;
    rh_store *store;
    uint32_t n;
    rh_expr lower[MOST_ROWS][MOST_ROWS]; // B11, then L
} factoring;

static bool take_inertia(factoring *on, const rh_form *form)
{
    const rh_expr zero = rh__expr_integer(on->store, 0);
    uint32_t mask = 0;
    for (uint32_t i = 0; i < on->n; i++) {
        for (uint32_t j = 0; j < on->n; j++) {
            on->lower[i][j] = zero;
        }
    }
    for (uint32_t k = 0; k < form->matrix.entries.count; k++) {
        const rh_entry *entry = &form->matrix.entries.data[k];
        if (entry->row < on->n && entry->column < on->n) {
            rh_expr *to = &on->lower[entry->row][entry->column];
            *to = rh__expr_add(on->store, *to, entry->value);
            mask |= rh__expr_mask(on->store, *to);
        }
    }
    // a constant one changes nothing, and one that holds velocities is no metric
    return (mask & RH_ROLE_COORD) != 0 && (mask & RH_ROLE_VELOCITY) == 0;
}

static bool factor(factoring *on)
{
    rh_equations *equations = on->in->reduction->equations;
    for (uint32_t j = 0; j < on->n; j++) {
        for (uint32_t i = j; i < on->n; i++) {
            rh_expr sum = on->lower[i][j];
            for (uint32_t k = 0; k < j; k++) {
                sum = rh__expr_subtract(
                    on->store, sum, rh__expr_multiply(on->store, on->lower[i][k], on->lower[j][k]));
            }
            sum = rh__derive_fold(equations, sum);
            on->lower[i][j] = i == j ? rh__expr_sqrt(on->store, sum)
                                     : rh__expr_divide(on->store, sum, on->lower[j][j]);
            if (on->lower[i][j].i == 0) {
                return false;
            }
        }
    }
    return true;
}

// sum_j L_ji omega_j, in velocities.
static rh_expr row_of(factoring *on, uint32_t i)
{
    rh_expr sum = rh__expr_integer(on->store, 0);
    for (uint32_t j = i; j < on->n; j++) {
        sum = rh__expr_add(on->store, sum,
                           rh__expr_multiply(on->store, on->lower[j][i], on->frame->rows[j].value));
    }
    return sum;
}

static rh_status offer_rows(factoring *on, rh_error *err)
{
    rh_frame_ground *ground = &on->in->reduction->ground;
    rh_frame frame = {.count = on->n};
    frame.rows = rh__arena_array(ground->arena, rh_quasi, (size_t)ground->n + 1);
    RH_TRY(frame.rows == NULL ? ground->arena->status : RH_OK);
    for (uint32_t i = 0; i < on->n; i++) {
        const rh_expr value = row_of(on, i);
        const char *name = rh__text_print(ground->arena, "length.%.*s",
                                          RH_SLICE_FORMAT(on->frame->rows[i].row.name));
        rh_cost cost;
        if (value.i == 0 || name == NULL || !rh__frame_row(ground, name, value, &frame.rows[i]) ||
            !rh__expr_cost(on->store, &value, 1, &on->in->scratch, &cost)) {
            return ground->arena->status != RH_OK ? ground->arena->status : RH_E_LIMIT;
        }
        if (rh__cost_total(cost) > MOST_COST) {
            return RH_OK; // nobody could read it
        }
    }
    RH_TRY(rh__frame_measure(ground, &frame));
    return rh__choice_improve(on->in, &frame, 1, err);
}

rh_status rh__choice_lengths(rh_choosing *in, rh_error *err)
{
    const rh_frame best = in->best[0];
    factoring on = {
        .in = in, .frame = &best, .store = in->reduction->equations->store, .n = best.count};
    if (best.count == 0 || best.count > MOST_ROWS) {
        return RH_OK;
    }
    const rh_engine_def def = rh__choice_engine(in, &best, true);
    rh_engine closed = {0};
    rh_status status = rh__engine_create(&def, &closed, NULL);
    if (status != RH_OK) { // there is no closed form
        return status == RH_E_MEMORY ? status : RH_OK;
    }
    in->work += closed.tape->slot_count;
    const bool serves = closed.tape->slot_count <= RH_CHOICE_CLOSED &&
                        closed.form.variables.count == best.count &&
                        take_inertia(&on, &closed.form) && factor(&on);
    status = serves ? offer_rows(&on, err) : RH_OK;
    rh__engine_destroy(&closed);
    return status;
}
