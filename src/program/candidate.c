// SPDX-License-Identifier: Apache-2.0
// A Lyapunov function of the caller's for laws of any kind: V shall be positive and its rate along
// the motion negative wherever a deviation is not zero. Looked at in points of the box; variables
// without a range keep their start values, and constraints without a law are met.

#include "program/program.h"

#include <math.h>
#include <string.h>

#define NEAR_ZERO 1e-9 // deviations that are none

typedef struct candidate {
    rh_program *program;
    rh_form form;
    rh_expr value, rate;
    rh_point point;
    bool has_exact; // constraints that must be met
} candidate;

static rh_expr rate_of(void *user, rh_store *store, rh_expr symbol)
{
    const rh_program *program = user;
    const rh_equations *equations = program->equations;
    const uint32_t mask = rh__expr_mask(store, symbol);
    if ((mask & RH_ROLE_TIME) != 0) {
        return rh__expr_integer(store, 1);
    }
    for (uint32_t k = 0; k < equations->carriers.count; k++) {
        const rh_carrier *carrier = &equations->carriers.data[k];
        if (carrier->position.i == symbol.i) {
            return carrier->variable;
        }
        if (carrier->variable.i == symbol.i) {
            return carrier->rate;
        }
    }
    for (uint32_t k = 0; k < equations->passives.count; k++) {
        if (equations->passives.data[k].variable.i == symbol.i) {
            return equations->passives.data[k].rate;
        }
    }
    return (mask & RH_ROLE_INPUT) != 0 ? rh__derive_input_rate(equations, symbol)
                                       : rh__expr_integer(store, 0);
}

static rh_status prepare(candidate *it, rh_error *err)
{
    rh_program *program = it->program;
    const rh_model *model = program->equations->model;
    const uint32_t wrong =
        RH_ROLE_ACCELERATION | RH_ROLE_HIGHER | RH_ROLE_RATE | RH_ROLE_MULTIPLIER | RH_ROLE_LOCAL;
    it->value = model->observes.data[model->observes.count - 1].value;
    if ((rh__expr_mask(program->store, it->value) & wrong) != 0) {
        return rh__error_fill(err, RH_E_ARGUMENT,
                              "a Lyapunov function holds deviations, coordinates, velocities, "
                              "states and the time only");
    }
    rh_derivation *along = rh__derivation_create(program->store, &program->arena, rate_of, program);
    it->rate = along != NULL ? rh__derivation_apply(along, it->value) : RH_EXPR_NONE;
    if (it->rate.i == 0) {
        return program->arena.status != RH_OK ? program->arena.status : RH_E_LIMIT;
    }
    for (uint32_t k = 0; k < program->equations->links.count; k++) {
        it->has_exact = it->has_exact || rh__link_is_exact(&program->equations->links.data[k]);
    }
    RH_TRY(rh__point_create(&program->layout, &program->arena, &it->point));
    return rh__form_create(program->equations, RH_FORM_MULTIPLIERS, &program->arena, &it->form,
                           err);
}

// The squared length of z, V and its rate at a point of the box; false when it is no state.
static rh_status look(candidate *it, const double *at, double out[3], bool *out_is_state)
{
    rh_program *program = it->program;
    rh_arena *scratch = &program->scratch;
    rh_point point = it->point;
    bool is_met = true;
    if (point.values == NULL) { // it never is: the analyser must be told so
        return RH_E_MEMORY;
    }
    memcpy(point.values, program->start.point.values,
           program->layout.symbols.count * sizeof *point.values);
    rh__region_place(program, &point, at);
    if (it->has_exact) {
        rh_point met;
        RH_TRY(rh__start_wander(program->equations, &point, 0.0, 1, scratch, &met, &is_met));
        memcpy(point.values, met.values, program->layout.symbols.count * sizeof *point.values);
    }
    rh_form_result result;
    RH_TRY(rh__form_solve(&it->form, &point, NULL, scratch, &result));
    *out_is_state = is_met && result.residual <= RH_FORM_INCONSISTENT;
    out[0] = 0.0;
    for (uint32_t k = 0; k < program->laws.count; k++) {
        const rh_link *link = &program->equations->links.data[program->laws.data[k].link];
        for (uint32_t p = 0; p < program->laws.data[k].order; p++) {
            double z = 0.0;
            RH_TRY(rh__point_evaluate(&point, &link->levels[p], 1, scratch, &z));
            out[0] += z * z;
        }
    }
    const rh_expr both[2] = {it->value, it->rate};
    return rh__point_evaluate(&point, both, 2, scratch, out + 1);
}

static rh_status look_over(candidate *it)
{
    rh_program *program = it->program;
    rh_program_trial *trial = &program->trial;
    double at[RH_PROGRAM_DIMENSIONS] = {0.0};
    trial->least = INFINITY;
    trial->largest = -INFINITY;
    for (uint64_t k = 0; rh__region_point(program, k, at); k++) {
        double values[3];
        bool is_state = false;
        const rh_mark mark = rh__arena_mark(&program->scratch);
        RH_TRY(look(it, at, values, &is_state));
        rh__arena_rewind(&program->scratch, mark);
        if (rh__program_is_enough(program)) {
            break;
        }
        if (!is_state || values[0] <= NEAR_ZERO * NEAR_ZERO) {
            continue;
        }
        trial->count++;
        const double size = values[1] / values[0];
        const double rate = values[2] / values[0];
        trial->least = isnan(size) ? -INFINITY : fmin(trial->least, size);
        if (isnan(rate) || rate > trial->largest) {
            trial->largest = isnan(rate) ? INFINITY : rate;
            memcpy(trial->point, at, sizeof trial->point);
        }
    }
    return RH_OK;
}

rh_status rh__program_try(rh_program *program, rh_error *err)
{
    if (!program->def.has_function || program->equations->model->observes.count == 0) {
        return RH_OK;
    }
    if (program->box.count == 0) {
        return rh__error_fill(err, RH_E_ARGUMENT,
                              "a Lyapunov function is looked at in a region: give "
                              "--box \"NAME=LOW:HIGH, ...\"");
    }
    candidate it = {.program = program};
    RH_TRY(prepare(&it, err));
    program->is_every = true; // the motion may depend on what P does not
    RH_TRY(look_over(&it));
    rh_program_trial *trial = &program->trial;
    trial->is_made = true;
    // rounding of a rate that is zero
    const double level = 1e-12 * (1.0 + fabs(trial->least));
    const bool is_fine = trial->count > 0 && trial->least > 0.0 && trial->largest < -level &&
                         !program->summary.is_interrupted;
    trial->verdict = is_fine ? RH_PROGRAM_UNREFUTED : RH_PROGRAM_INCONCLUSIVE;
    if (is_fine && program->summary.verdict == RH_PROGRAM_INCONCLUSIVE) {
        program->summary.verdict = RH_PROGRAM_UNREFUTED;
        program->summary.is_local = false; // it holds in the box, and not only near zero
        rh__program_say(program,
                        "the given function is positive and decreases at all %llu points of the "
                        "box that were looked at",
                        (unsigned long long)trial->count);
    }
    return RH_OK;
}
