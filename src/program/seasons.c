// SPDX-License-Identifier: Apache-2.0
// P that depends on the time with a period: the roots of P at single times decide nothing
// (Vinograd). z' = P(t) z is followed over one period from every unit vector; the eigenvalues of
// the matrix that comes out, the multipliers, say what becomes of deviations. The period is seen in
// the sines and cosines of P, or given.

#include "program/program.h"

#include <math.h>

enum {
    MOST_RATES = 64,
    MOST_RATIO = 1000,
    LOOKS = 48,
    MOST_STEPS = 100000,
    MOST_SIZE = 40,
    MOST_NODES = 4000
};

#define SAME 1e-12 // relative: the period is one

// --- the period ---------------------------------------------------------------------------------

typedef struct rates {
    double value[MOST_RATES];
    uint32_t count;
} rates;

// A sine or cosine whose argument holds the time: does it do so linearly?
static bool add_rate(rh_program *program, rh_expr argument, rates *out)
{
    const rh_expr time = rh__expr_symbol(program->store, program->equations->model->time, 0);
    const rh_expr rate = rh__expr_differentiate(program->store, argument, time);
    double value = 0.0;
    if (rate.i == 0 || (rh__expr_mask(program->store, rate) & RH_EXPR_VARIABLE) != 0 ||
        out->count == MOST_RATES ||
        rh__point_evaluate(&program->start.point, &rate, 1, &program->scratch, &value) != RH_OK) {
        return false;
    }
    out->value[out->count++] = fabs(value);
    return value != 0.0 && isfinite(value);
}

// Does a node hold the time nowhere but in sines and cosines? Its arguments are known.
static bool hides_time(rh_program *program, const rh_expr_list *all, const bool *is_hidden,
                       uint32_t k, rates *out)
{
    const rh_store *store = program->store;
    const rh_expr e = all->data[k];
    const rh_op op = rh__expr_op(store, e);
    if ((rh__expr_mask(store, e) & RH_ROLE_TIME) == 0) {
        return true;
    }
    if (op == RH_OP_SIN || op == RH_OP_COS || op == RH_OP_TAN) {
        return add_rate(program, rh__expr_argument(store, e, 0), out);
    }
    bool is_well = op != RH_OP_SYMBOL;
    for (uint32_t j = 0; is_well && j < rh__expr_count(store, e); j++) {
        uint32_t at = k;
        while (at > 0 && all->data[at].i != rh__expr_argument(store, e, j).i) {
            at--;
        }
        is_well = is_hidden[at];
    }
    return is_well;
}

static bool find_rates(rh_program *program, const rh_program_part *part, rates *out)
{
    rh_expr_list all = {0};
    bool ok =
        rh__expr_reach(program->store, part->values, part->value_count, &program->scratch, &all) &&
        all.count <= MOST_NODES;
    bool *is_hidden = ok ? rh__arena_array(&program->scratch, bool, (size_t)all.count + 1) : NULL;
    ok = is_hidden != NULL;
    for (uint32_t k = 0; ok && k < all.count; k++) {
        is_hidden[k] = hides_time(program, &all, is_hidden, k, out);
    }
    for (uint32_t v = 0; ok && v < part->value_count; v++) {
        for (uint32_t k = 0; k < all.count; k++) {
            ok = ok && (all.data[k].i != part->values[v].i || is_hidden[k]);
        }
    }
    return ok && out->count > 0;
}

static uint64_t common(uint64_t a, uint64_t b)
{
    while (b != 0) {
        const uint64_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

// The common period of sines with these rates; 0: they have none.
static double period_of(const rates *in)
{
    for (uint32_t q = 1; q <= MOST_RATIO; q++) {
        uint64_t divisor = 0;
        bool ok = true;
        for (uint32_t k = 0; ok && k < in->count; k++) {
            const double ratio = q * in->value[k] / in->value[0];
            ok = fabs(ratio - round(ratio)) <= 1e-12 * ratio && ratio < 1e15;
            divisor = ok ? common(divisor, (uint64_t)round(ratio)) : divisor;
        }
        if (ok && divisor > 0) {
            return 2.0 * acos(-1.0) * q / ((double)divisor * in->value[0]);
        }
    }
    return 0.0;
}

// Is P the same after the period, wherever it is looked at?
static rh_status repeats(rh_program *program, const rh_program_part *part, double period, bool *out)
{
    const rh_expr time = rh__expr_symbol(program->store, program->equations->model->time, 0);
    const size_t size = (size_t)part->count * part->count;
    const double start = rh__flow_start(program);
    double *p = rh__arena_array(&program->scratch, double, 2 * size + 1);
    if (p == NULL) {
        return program->scratch.status;
    }
    *out = true;
    for (uint32_t k = 0; *out && k < LOOKS; k++) {
        const double t = start + period * (k + 0.377) / LOOKS * (k % 3 == 2 ? 41.0 : 1.0);
        for (uint32_t s = 0; s < 2; s++) {
            rh__point_set(&program->point, time, s == 0 ? t : t + period);
            RH_TRY(rh__program_matrix(program, part, &program->point, p + s * size));
        }
        for (size_t j = 0; j < size; j++) {
            *out = *out &&
                   fabs(p[j] - p[size + j]) <= SAME * (1.0 + fabs(p[j])) * (1.0 + fabs(t) / period);
        }
    }
    rh__point_set(&program->point, time, start);
    return RH_OK;
}

static rh_status find_period(rh_program *program, const rh_program_part *part, double *out)
{
    rates in = {.count = 0};
    *out = 0.0;
    // a period that is given is believed of sines and cosines alone: points do not see all switches
    if (!find_rates(program, part, &in)) {
        return RH_OK;
    }
    *out = program->def.period > 0.0 ? program->def.period : period_of(&in);
    bool is_one = false;
    if (*out > 0.0) {
        RH_TRY(repeats(program, part, *out, &is_one));
    }
    *out = is_one ? *out : 0.0;
    return RH_OK;
}

// --- the multipliers ----------------------------------------------------------------------------

// z' = P(t) z of the part as a stream.
static rh_status make_stream(rh_program *program, const rh_program_part *part,
                             rh_program_stream *out)
{
    rh_store *store = program->store;
    rh_expr *rows = rh__arena_array(&program->scratch, rh_expr, (size_t)program->size + 1);
    rh_error unheard;
    if (rows == NULL || part->count == 0) { // it never is: the analyser must be told so
        return program->scratch.status;
    }
    for (uint32_t i = 0; i < part->count; i++) {
        rows[part->index[i]] = rh__expr_integer(store, 0);
    }
    for (uint32_t k = 0; k < part->value_count; k++) {
        const uint32_t row = part->index[part->places[k] % part->count];
        const uint32_t column = part->index[part->places[k] / part->count];
        const rh_expr term = rh__expr_multiply(store, part->values[k], program->symbols[column]);
        rows[row] = rh__expr_add(store, rows[row], term);
        if (rows[row].i == 0) {
            return rh__program_refused(program);
        }
    }
    *out = (rh_program_stream){.index = part->index, .count = part->count};
    return rh__flow_tape(program, out, rows, &unheard);
}

// One column: a unit vector over the period. False when it cannot be followed.
static bool follow(rh_program *program, rh_program_stream *stream, uint32_t column, double period,
                   double *out)
{
    const double end = rh__flow_start(program) + period;
    for (uint32_t i = 0; i < stream->count; i++) {
        stream->z[i] = i == column ? 1.0 : 0.0;
    }
    bool is_well = rh__flow_set_out(program, stream, rh__flow_start(program));
    for (uint32_t k = 0; is_well && stream->begin + stream->length < end && k < MOST_STEPS; k++) {
        is_well =
            rh__flow_go_on(program, stream) && !(k % 64 == 0 && rh__program_is_enough(program));
    }
    is_well = is_well && stream->begin + stream->length >= end;
    if (is_well) {
        rh__flow_evaluate(stream, end, out);
    }
    return is_well && rh__vector_is_finite(stream->count, out);
}

// What multipliers of largest size rho say, when they are known to so much.
static void judge(rh_program_part *part, double rho, double margin)
{
    if (rho < 1.0 - margin) {
        part->verdict = RH_PROGRAM_ASYMPTOTIC;
    } else if (rho > 1.0 + margin) {
        part->verdict = RH_PROGRAM_UNSTABLE;
    } else {
        part->verdict = RH_PROGRAM_INCONCLUSIVE;
        part->lack = "a multiplier over the period lies on the unit circle, or too near to it";
    }
}

static rh_status find_multipliers(rh_program *program, rh_program_part *part,
                                  rh_program_stream *stream)
{
    const uint32_t n = part->count;
    double *matrix = rh__arena_array(&program->scratch, double, (size_t)n *n + 2 * (size_t)n);
    bool is_well = matrix != NULL;
    double size = 1.0;
    for (uint32_t j = 0; is_well && j < n; j++) {
        is_well = follow(program, stream, j, part->period, matrix + (size_t)j * n);
    }
    if (!is_well) {
        part->period = (double)NAN;
        return program->scratch.status;
    }
    for (uint32_t k = 0; k < n * n; k++) {
        size = fmax(size, fabs(matrix[k]));
    }
    double *real = matrix + (size_t)n * n;
    RH_TRY(rh__eigen_values(&program->scratch, n, matrix, real, real + n));
    part->multiplier = 0.0;
    for (uint32_t k = 0; k < n; k++) {
        part->multiplier = fmax(part->multiplier, hypot(real[k], real[n + k]));
    }
    // an eigenvalue of multiplicity n moves by the n-th root of an error
    judge(part, part->multiplier, pow(1e-12 * n * size, 1.0 / n));
    return RH_OK;
}

static bool is_timed(const rh_program *program, const rh_program_part *part)
{
    uint32_t mask = 0;
    for (uint32_t k = 0; k < part->value_count; k++) {
        mask |= rh__expr_mask(program->store, part->values[k]);
    }
    const uint32_t state = RH_ROLE_COORD | RH_ROLE_VELOCITY | RH_ROLE_STATE | RH_ROLE_INPUT;
    return (mask & RH_ROLE_TIME) != 0 && (mask & state) == 0;
}

rh_status rh__program_floquet(rh_program *program, rh_program_part *part)
{
    if (part->is_constant || part->is_certified || part->count > MOST_SIZE ||
        !is_timed(program, part) || !rh__program_is_smooth(program, part)) {
        return RH_OK;
    }
    const rh_mark mark = rh__arena_mark(&program->scratch);
    double period = 0.0;
    rh_program_stream stream = {.count = 0};
    rh_status status = find_period(program, part, &period);
    if (status == RH_OK && period > 0.0) {
        part->period = period;
        status = make_stream(program, part, &stream);
        status = status == RH_OK ? find_multipliers(program, part, &stream) : status;
    }
    rh__tape_state_destroy(stream.state);
    rh__tape_destroy(stream.tape);
    rh__arena_rewind(&program->scratch, mark);
    return status;
}
