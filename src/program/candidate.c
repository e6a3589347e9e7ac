// SPDX-License-Identifier: Apache-2.0
// A Lyapunov function of the caller's for laws of any kind: V shall be 0 on the program, and
// wherever a deviation is not zero V positive and its rate along the motion negative. Looked at in
// points of the box; variables without a range keep their start values, and constraints without a
// law are met. A proof, where it is wanted: basin.c.

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

// V in deviations, as far as they are named or given by constraints.
static rh_expr form_of(candidate *it)
{
    rh_program *program = it->program;
    const rh_model *model = program->equations->model;
    const rh_expr kept = model->observes.data[model->observes.count - 1].kept;
    const rh_expr named = rh__program_in_deviations(program, kept.i != 0 ? kept : it->value);
    const rh_expr all = named.i != 0 ? rh__program_restate(program, named) : named;
    return all.i != 0 ? rh__program_exact(program, all) : all;
}

// Its value on the program: proved to be 0, or the largest at points of the box.
static rh_status look_on_program(candidate *it, rh_expr form)
{
    enum { MOST_LOOKS = 200 };
    rh_program *program = it->program;
    rh_program_trial *trial = &program->trial;
    const rh_expr there = rh__program_on(program, form);
    double at[RH_PROGRAM_DIMENSIONS] = {0.0};
    if (there.i == 0) {
        return rh__program_refused(program);
    }
    RH_TRY(rh__program_prove_zero(program, there, &trial->is_zero));
    for (uint64_t k = 0; !trial->is_zero && k < MOST_LOOKS && rh__region_point(program, k, at);
         k++) {
        const rh_mark mark = rh__arena_mark(&program->scratch);
        double value = 0.0;
        rh__region_place(program, &program->point, at);
        RH_TRY(rh__point_evaluate(&program->point, &there, 1, &program->scratch, &value));
        rh__arena_rewind(&program->scratch, mark);
        const bool is_larger = !(fabs(value) <= fabs(trial->zero));
        trial->zero = is_larger ? value : trial->zero;
    }
    return RH_OK;
}

// What speaks against it; NULL: nothing that was seen.
static const char *objection(rh_program *program)
{
    const rh_program_trial *trial = &program->trial;
    // rounding of a rate that is zero
    const double level = 1e-12 * (1.0 + fabs(trial->least));
    if (program->summary.is_interrupted) {
        return "it was interrupted before the box was looked over";
    }
    if (trial->count == 0) {
        return "no point of the box has a deviation";
    }
    if (!trial->is_zero && !(fabs(trial->zero) <= 1e-12 * (1.0 + fabs(trial->least)))) {
        return rh__text_print(&program->arena,
                              "it is %.6g on the program, and not 0: subtract that", trial->zero);
    }
    return !(trial->least > 0.0)        ? "it is not positive everywhere in the box"
           : !(trial->largest < -level) ? "it does not decrease everywhere in the box"
                                        : NULL;
}

// Where nothing else decides, it does.
static void conclude(rh_program *program)
{
    rh_program_trial *trial = &program->trial;
    rh_program_summary *summary = &program->summary;
    const bool is_open =
        summary->verdict == RH_PROGRAM_INCONCLUSIVE || summary->verdict == RH_PROGRAM_UNREFUTED;
    if (trial->is_proved && is_open) {
        summary->verdict = RH_PROGRAM_ASYMPTOTIC;
        summary->is_certified = true;
        summary->is_local = false; // it holds in the box, and not only near zero
        rh__program_say(program, "the given function is positive and decreases in the whole box, "
                                 "as long as the motion stays there");
    } else if (trial->verdict == RH_PROGRAM_UNREFUTED &&
               summary->verdict == RH_PROGRAM_INCONCLUSIVE) {
        summary->verdict = RH_PROGRAM_UNREFUTED;
        summary->is_local = false;
        rh__program_say(program,
                        "the given function is positive and decreases at all %llu points of the "
                        "box that were looked at; %s",
                        (unsigned long long)trial->count,
                        trial->lack != NULL ? trial->lack : "--certify looks for a proof");
    }
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
    rh_program_trial *trial = &program->trial;
    RH_TRY(prepare(&it, err));
    const rh_expr form = form_of(&it);
    if (form.i == 0) {
        return rh__program_refused(program);
    }
    program->is_every = true; // the motion may depend on what P does not
    RH_TRY(look_over(&it));
    RH_TRY(look_on_program(&it, form));
    trial->is_made = true;
    trial->lack = objection(program);
    trial->verdict = trial->lack == NULL ? RH_PROGRAM_UNREFUTED : RH_PROGRAM_INCONCLUSIVE;
    if (trial->lack == NULL && program->def.is_certified) {
        RH_TRY(rh__basin_prove(program, form, &trial->lack));
        trial->is_proved = trial->lack == NULL;
        trial->verdict = trial->is_proved ? RH_PROGRAM_ASYMPTOTIC : RH_PROGRAM_UNREFUTED;
    }
    conclude(program);
    return program->arena.status;
}
