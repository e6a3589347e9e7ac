// SPDX-License-Identifier: Apache-2.0
// The small system z' = Z(z, t) by Taylor series of its own, where the laws hold nothing but
// deviations and the time: what the deviations of any motion must do, and their extremes.

#include "program/program.h"

#include <math.h>
#include <string.h>

enum { MOST_STEPS = 600 };

#define SMALL 1e-9 // against the start: nothing more is to be expected

// --- making -------------------------------------------------------------------------------------

static bool stands_alone(rh_program *program)
{
    const uint32_t others = RH_ROLE_COORD | RH_ROLE_VELOCITY | RH_ROLE_STATE | RH_ROLE_INPUT |
                            RH_ROLE_ACCELERATION | RH_ROLE_RATE | RH_ROLE_HIGHER |
                            RH_ROLE_MULTIPLIER | RH_ROLE_LOCAL;
    for (uint32_t k = 0; k < program->laws.count; k++) {
        const rh_program_law *law = &program->laws.data[k];
        if ((rh__expr_mask(program->store, law->law) & others) != 0) {
            program->flow.reason = "a law depends on the state, not on deviations and time alone";
            return false;
        }
    }
    return true;
}

rh_status rh__flow_create(rh_program *program, rh_error *err)
{
    rh_program_flow *flow = &program->flow;
    const uint32_t n = program->size;
    if (!stands_alone(program)) {
        return RH_OK;
    }
    rh_expr *inputs = rh__arena_array(&program->arena, rh_expr, (size_t)n + 1);
    rh_expr *rates = rh__arena_array(&program->arena, rh_expr, (size_t)n + 1);
    flow->z = rh__arena_array(&program->arena, double, (size_t)n + 1);
    if (inputs == NULL || rates == NULL || flow->z == NULL) {
        return program->arena.status;
    }
    inputs[0] = rh__expr_symbol(program->store, program->equations->model->time, 0);
    memcpy(inputs + 1, program->symbols, n * sizeof *inputs);
    for (uint32_t k = 0; k < program->laws.count; k++) {
        const rh_program_law *law = &program->laws.data[k];
        for (uint32_t p = 0; p < law->order; p++) {
            rates[law->first + p] =
                p + 1 < law->order ? program->symbols[law->first + p + 1] : law->law;
        }
    }
    const rh_tape_def def = {.store = program->store,
                             .allocator = program->arena.allocator,
                             .memory_limit = program->arena.limit,
                             .inputs = inputs,
                             .input_count = n + 1,
                             .outputs = rates,
                             .output_count = n,
                             .value_of = rh__point_value,
                             .user = &program->start.point};
    RH_TRY(rh__tape_create(&def, &flow->tape, err));
    if (flow->tape->switch_count > 0) {
        flow->reason = "a law has conditions";
        rh__tape_destroy(flow->tape);
        flow->tape = NULL;
        return RH_OK;
    }
    RH_TRY(rh__tape_state_create(flow->tape, RH_PROGRAM_ORDER, program->arena.allocator,
                                 &flow->state));
    return rh__tape_bind(flow->state, rh__point_value, &program->start.point);
}

void rh__flow_destroy(rh_program_flow *flow)
{
    rh__tape_state_destroy(flow->state);
    rh__tape_destroy(flow->tape);
    flow->state = NULL;
    flow->tape = NULL;
}

// --- moving -------------------------------------------------------------------------------------

static double coefficient(const rh_program_flow *flow, uint32_t i, uint32_t k)
{
    return rh__jet_row(flow->state, k)[1 + i];
}

// Coefficients at (begin, z), and how far they can be trusted.
static bool expand(rh_program *program)
{
    rh_program_flow *flow = &program->flow;
    const uint32_t n = program->size;
    for (uint32_t k = 0; k <= RH_PROGRAM_ORDER; k++) {
        rh__jet_row(flow->state, k)[0] = k == 0 ? flow->begin : k == 1 ? 1.0 : 0.0;
    }
    memcpy(rh__jet_row(flow->state, 0) + 1, flow->z, n * sizeof *flow->z);
    for (uint32_t k = 0; k < RH_PROGRAM_ORDER; k++) {
        if (k == 0) {
            rh__tape_run(flow->state);
        } else {
            rh__jet_order(flow->state, k);
        }
        for (uint32_t i = 0; i < n; i++) {
            rh__jet_row(flow->state, k + 1)[1 + i] = rh__tape_output(flow->state, i, k) / (k + 1);
        }
    }
    double size = 1e-300;
    double last = 0.0;
    double prior = 0.0;
    for (uint32_t i = 0; i < n; i++) {
        size = fmax(size, fabs(flow->z[i]));
        last = fmax(last, fabs(coefficient(flow, i, RH_PROGRAM_ORDER)));
        prior = fmax(prior, fabs(coefficient(flow, i, RH_PROGRAM_ORDER - 1)));
    }
    const double goal = 1e-17 * size;
    const double far = 1e3 * (1.0 + fabs(flow->begin));
    flow->length = fmin(fmin(pow(goal / fmax(last, 1e-300), 1.0 / RH_PROGRAM_ORDER),
                             pow(goal / fmax(prior, 1e-300), 1.0 / (RH_PROGRAM_ORDER - 1))),
                        far);
    return isfinite(last) && isfinite(prior) && isfinite(size) && flow->length > 0.0;
}

static void evaluate(const rh_program *program, double time, double *out)
{
    const rh_program_flow *flow = &program->flow;
    const double h = time - flow->begin;
    for (uint32_t i = 0; i < program->size; i++) {
        double sum = coefficient(flow, i, RH_PROGRAM_ORDER);
        for (uint32_t k = RH_PROGRAM_ORDER; k-- > 0;) {
            sum = sum * h + coefficient(flow, i, k);
        }
        out[i] = sum;
    }
}

static double start_time(const rh_program *program)
{
    return rh__point_get(&program->start.point,
                         rh__expr_symbol(program->store, program->equations->model->time, 0));
}

static bool begin_flow(rh_program *program)
{
    program->flow.begin = start_time(program);
    memcpy(program->flow.z, program->z, program->size * sizeof *program->z);
    return expand(program);
}

// To the end of the series at hand.
static bool go_on(rh_program *program)
{
    rh_program_flow *flow = &program->flow;
    const double end = flow->begin + flow->length;
    evaluate(program, end, flow->z);
    const bool is_well = end > flow->begin && rh__vector_is_finite(program->size, flow->z);
    flow->begin = end;
    return is_well && expand(program);
}

// exp(P t) z of the start, part by part: for stiff laws over long times.
static rh_status leap(rh_program *program, double time, double *out)
{
    const rh_mark mark = rh__arena_mark(&program->scratch);
    rh_status status = RH_OK;
    for (uint32_t k = 0; status == RH_OK && k < program->parts.count; k++) {
        const rh_program_part *part = &program->parts.data[k];
        const uint32_t n = part->count;
        double *e = rh__arena_array(&program->scratch, double, (size_t)n *n + 1);
        status = e != NULL ? rh__matrix_exponential(&program->scratch, n, part->matrix,
                                                    time - start_time(program), e)
                           : program->scratch.status;
        for (uint32_t i = 0; status == RH_OK && i < n; i++) {
            out[part->index[i]] = 0.0;
            for (uint32_t j = 0; j < n; j++) {
                out[part->index[i]] += e[i + (size_t)j * n] * program->z[part->index[j]];
            }
        }
    }
    rh__arena_rewind(&program->scratch, mark);
    return status;
}

rh_status rh_program_predict(rh_program *program, double time, double *out, rh_error *err)
{
    enum { MOST_PREDICTED = 20000 };
    RH_REQUIRE(program != NULL && out != NULL && isfinite(time), err);
    rh_program_flow *flow = &program->flow;
    RH_REQUIRE(time >= start_time(program), err);
    if (flow->tape == NULL) {
        return rh__error_fill(err, RH_E_UNAVAILABLE, "%s",
                              flow->reason != NULL ? flow->reason : "");
    }
    bool is_well = (time >= flow->begin && flow->length > 0.0) || begin_flow(program);
    for (uint32_t k = 0; is_well && time > flow->begin + flow->length && k < MOST_PREDICTED; k++) {
        is_well = go_on(program);
    }
    if (!is_well || time > flow->begin + flow->length) {
        flow->length = 0.0;
        if (is_well && program->summary.is_linear && program->summary.kind == RH_PROGRAM_CONSTANT) {
            return leap(program, time, out);
        }
        return rh__error_fill(err, RH_E_LIMIT, "the perturbation equations end at t = %.10g",
                              flow->begin);
    }
    evaluate(program, time, out);
    return RH_OK;
}

// --- extremes -----------------------------------------------------------------------------------

// Extremes of one deviation along the series at hand.
static rh_status find_extremes(rh_program *program, rh_program_law *law)
{
    const rh_program_flow *flow = &program->flow;
    double c[RH_PROGRAM_ORDER + 1];
    double slope[RH_PROGRAM_ORDER + 1];
    double work[RH_POLYNOMIAL_WORK(RH_PROGRAM_ORDER)];
    rh_root roots[RH_PROGRAM_ORDER + 1];
    double power = 1.0;
    for (uint32_t k = 0; k <= RH_PROGRAM_ORDER; k++, power *= flow->length) {
        c[k] = coefficient(flow, law->first, k) * power;
    }
    rh__polynomial_derivative(c, RH_PROGRAM_ORDER, slope);
    const rh_root_query query = {.c = slope, .degree = RH_PROGRAM_ORDER - 1};
    rh_root_list list = {.data = roots, .capacity = RH_PROGRAM_ORDER + 1};
    RH_TRY(rh__polynomial_roots(&query, work, &list));
    for (uint32_t k = 0; !list.is_zero && k < list.count; k++) {
        const double value = rh__polynomial_value(c, RH_PROGRAM_ORDER, roots[k].at);
        if (roots[k].kind != RH_ROOT_TOUCH &&
            (isnan(law->extremum) || fabs(value) > fabs(law->extremum))) {
            law->extremum = value;
            law->extremum_time = flow->begin + roots[k].at * flow->length - start_time(program);
        }
    }
    return RH_OK;
}

rh_status rh__flow_overshoot(rh_program *program)
{
    const rh_program_flow *flow = &program->flow;
    double first = 0.0;
    for (uint32_t i = 0; i < program->size; i++) {
        first = fmax(first, fabs(program->z[i]));
    }
    bool is_well = flow->tape != NULL && first > 0.0 && begin_flow(program);
    double size = first;
    for (uint32_t s = 0; is_well && s < MOST_STEPS && size > SMALL * first && size < 1e9 * first &&
                         !rh__program_is_enough(program);
         s++) {
        for (uint32_t k = 0; k < program->laws.count; k++) {
            RH_TRY(find_extremes(program, &program->laws.data[k]));
        }
        is_well = go_on(program);
        size = 0.0;
        for (uint32_t i = 0; i < program->size; i++) {
            size = fmax(size, fabs(flow->z[i]));
        }
    }
    program->flow.length = 0.0; // the next question begins anew
    return RH_OK;
}
