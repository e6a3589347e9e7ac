// SPDX-License-Identifier: Apache-2.0
// The small system z' = Z(z, t), where the laws hold nothing but deviations and the time: what the
// deviations of any motion must do. Laws that do not act on each other are followed by themselves,
// each with steps of its own; by Taylor series, or in closed form (closed.c).

#include "program/program.h"

#include <math.h>
#include <string.h>

enum { MOST_PREDICTED = 20000 };

// --- making -------------------------------------------------------------------------------------

static uint32_t leader(uint32_t *parent, uint32_t k)
{
    while (parent[k] != k) {
        parent[k] = parent[parent[k]];
        k = parent[k];
    }
    return k;
}

// Which laws act on each other, linearly or not: leaders by law.
static rh_status join_laws(rh_program *program, uint32_t *parent)
{
    for (uint32_t k = 0; k < program->laws.count; k++) {
        parent[k] = k;
    }
    for (uint32_t k = 0; k < program->laws.count; k++) {
        const rh_mark mark = rh__arena_mark(&program->scratch);
        rh_expr_list symbols = {0};
        if (!rh__expr_symbols(program->store, program->laws.data[k].law, RH_ROLE_DEVIATION,
                              &program->scratch, &symbols)) {
            return rh__program_refused(program);
        }
        for (uint32_t j = 0; j < program->laws.count; j++) {
            const rh_program_law *law = &program->laws.data[j];
            bool acts = false;
            for (uint32_t s = 0; s < symbols.count; s++) {
                for (uint32_t p = 0; p < law->order; p++) {
                    acts = acts || program->symbols[law->first + p].i == symbols.data[s].i;
                }
            }
            const uint32_t a = leader(parent, k);
            const uint32_t b = leader(parent, j);
            if (acts) {
                parent[a > b ? a : b] = a < b ? a : b;
            }
        }
        rh__arena_rewind(&program->scratch, mark);
    }
    return RH_OK;
}

static const char *obstacle(const rh_program *program, const uint32_t *parent, uint32_t root)
{
    const uint32_t others = RH_ROLE_COORD | RH_ROLE_VELOCITY | RH_ROLE_STATE | RH_ROLE_INPUT |
                            RH_ROLE_ACCELERATION | RH_ROLE_RATE | RH_ROLE_HIGHER |
                            RH_ROLE_MULTIPLIER | RH_ROLE_LOCAL;
    uint32_t mask = 0;
    for (uint32_t k = 0; k < program->laws.count; k++) {
        mask |= parent[k] == root ? rh__expr_mask(program->store, program->laws.data[k].law) : 0;
    }
    return (mask & others) != 0 ? "its law depends on the state, not on deviations and time alone"
                                : NULL;
}

// A part of at most two that has a closed form and is all of the stream.
static const rh_program_part *closed_part(const rh_program *program,
                                          const rh_program_stream *stream)
{
    for (uint32_t k = 0; k < program->parts.count; k++) {
        const rh_program_part *part = &program->parts.data[k];
        if (part->index[0] == stream->index[0]) {
            return part->count == stream->count && part->count <= 2 && part->is_constant &&
                           part->root_count == part->count && rh__program_is_linear(program, part)
                       ? part
                       : NULL;
        }
    }
    return NULL;
}

rh_status rh__flow_tape(rh_program *program, rh_program_stream *stream, const rh_expr *all_rates,
                        rh_error *err)
{
    const uint32_t n = stream->count;
    rh_expr *inputs = rh__arena_array(&program->scratch, rh_expr, (size_t)n + 1);
    rh_expr *rates = rh__arena_array(&program->scratch, rh_expr, (size_t)n + 1);
    if (inputs == NULL || rates == NULL) {
        return program->scratch.status;
    }
    inputs[0] = rh__expr_symbol(program->store, program->equations->model->time, 0);
    for (uint32_t k = 0; k < n; k++) {
        inputs[k + 1] = program->symbols[stream->index[k]];
        rates[k] = all_rates[stream->index[k]];
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
    RH_TRY(rh__tape_create(&def, &stream->tape, err));
    RH_TRY(rh__tape_state_create(stream->tape, RH_PROGRAM_ORDER, program->arena.allocator,
                                 &stream->state));
    const size_t switches = stream->tape->switch_count;
    stream->z = rh__arena_array(&program->arena, double, n);
    stream->side = rh__arena_array(&program->arena, int, switches + 1);
    stream->next = rh__arena_array(&program->arena, int, switches + 1);
    if (stream->z == NULL || stream->side == NULL || stream->next == NULL) {
        return program->arena.status;
    }
    return rh__tape_bind(stream->state, rh__point_value, &program->start.point);
}

static rh_status add_stream(rh_program *program, const uint32_t *parent, uint32_t root,
                            const rh_expr *rates, rh_error *err)
{
    rh_program_stream empty = {.reason = obstacle(program, parent, root)};
    empty.index = rh__arena_array(&program->arena, uint32_t, (size_t)program->size + 1);
    if (empty.index == NULL || !rh__array_push(&program->arena, &program->streams, empty)) {
        return program->arena.status;
    }
    rh_program_stream *stream = &program->streams.data[program->streams.count - 1];
    for (uint32_t k = 0; k < program->laws.count; k++) {
        const rh_program_law *law = &program->laws.data[k];
        for (uint32_t p = 0; parent[k] == root && p < law->order; p++) {
            stream->index[stream->count++] = law->first + p;
        }
        program->stream_of[k] =
            parent[k] == root ? program->streams.count - 1 : program->stream_of[k];
    }
    stream->part = closed_part(program, stream);
    return stream->reason == NULL ? rh__flow_tape(program, stream, rates, err) : RH_OK;
}

rh_status rh__flow_create(rh_program *program, rh_error *err)
{
    const rh_mark mark = rh__arena_mark(&program->scratch);
    uint32_t *parent = rh__arena_array(&program->scratch, uint32_t, program->laws.count);
    rh_expr *rates = rh__arena_array(&program->scratch, rh_expr, (size_t)program->size + 1);
    program->stream_of = rh__arena_array(&program->arena, uint32_t, program->laws.count);
    if (parent == NULL || rates == NULL || program->stream_of == NULL) {
        return rh__program_refused(program);
    }
    for (uint32_t k = 0; k < program->laws.count; k++) {
        const rh_program_law *law = &program->laws.data[k];
        for (uint32_t p = 0; p < law->order; p++) {
            rates[law->first + p] =
                p + 1 < law->order ? program->symbols[law->first + p + 1] : law->law;
        }
    }
    RH_TRY(join_laws(program, parent));
    for (uint32_t k = 0; k < program->laws.count; k++) {
        (void)leader(parent, k);
    }
    for (uint32_t k = 0; k < program->laws.count; k++) {
        parent[k] = leader(parent, k);
    }
    for (uint32_t k = 0; k < program->laws.count; k++) {
        if (parent[k] == k) {
            RH_TRY(add_stream(program, parent, k, rates, err));
        }
    }
    rh__arena_rewind(&program->scratch, mark);
    return RH_OK;
}

void rh__flow_destroy(rh_program *program)
{
    for (uint32_t k = 0; k < program->streams.count; k++) {
        rh__tape_state_destroy(program->streams.data[k].state);
        rh__tape_destroy(program->streams.data[k].tape);
    }
    program->streams.count = 0;
}

// --- moving -------------------------------------------------------------------------------------

void rh__flow_evaluate(const rh_program_stream *stream, double time, double *out)
{
    const double h = time - stream->begin;
    for (uint32_t i = 0; i < stream->count; i++) {
        double sum = rh__jet_row(stream->state, RH_PROGRAM_ORDER)[1 + i];
        for (uint32_t k = RH_PROGRAM_ORDER; k-- > 0;) {
            sum = sum * h + rh__jet_row(stream->state, k)[1 + i];
        }
        out[i] = sum;
    }
}

double rh__flow_start(const rh_program *program)
{
    return rh__point_get(&program->start.point,
                         rh__expr_symbol(program->store, program->equations->model->time, 0));
}

// Expand on the right sides, up to the first surface that is crossed.
static bool set_out(rh_program_stream *stream)
{
    if (stream->tape->switch_count == 0) {
        rh__flow_expand(stream);
        return stream->length > 0.0;
    }
    if (!rh__passing_settle(stream)) {
        stream->reason = "its law slides on a surface where it switches";
        stream->length = 0.0;
        return false;
    }
    return stream->length > 0.0 && rh__passing_cut(stream);
}

bool rh__flow_set_out(rh_program *program, rh_program_stream *stream, double time)
{
    (void)program;
    stream->begin = time;
    for (uint32_t k = 0; k < stream->tape->switch_count; k++) {
        stream->next[k] = 0;
    }
    return set_out(stream);
}

bool rh__flow_begin(rh_program *program, rh_program_stream *stream)
{
    for (uint32_t i = 0; i < stream->count; i++) {
        stream->z[i] = program->z[stream->index[i]];
    }
    return rh__flow_set_out(program, stream, rh__flow_start(program));
}

bool rh__flow_go_on(rh_program *program, rh_program_stream *stream)
{
    const double end = stream->begin + stream->length;
    (void)program;
    rh__flow_evaluate(stream, end, stream->z);
    const bool is_well = end > stream->begin && rh__vector_is_finite(stream->count, stream->z);
    stream->begin = end;
    return is_well && set_out(stream);
}

// exp(P t) z of the start, part by part: for stiff laws over long times.
static rh_status leap(rh_program *program, const rh_program_stream *stream, double time,
                      double *out)
{
    const rh_mark mark = rh__arena_mark(&program->scratch);
    const uint32_t n = stream->count;
    double *p = rh__arena_array(&program->scratch, double, 2 * (size_t)n * n + 1);
    if (p == NULL) {
        return program->scratch.status;
    }
    for (uint32_t k = 0; k < n * n; k++) {
        p[k] = rh_program_entry(program, stream->index[k % n], stream->index[k / n]);
    }
    double *e = p + (size_t)n * n;
    const rh_status status =
        rh__matrix_exponential(&program->scratch, n, p, time - rh__flow_start(program), e);
    for (uint32_t i = 0; status == RH_OK && i < n; i++) {
        out[i] = 0.0;
        for (uint32_t j = 0; j < n; j++) {
            out[i] += e[i + (size_t)j * n] * program->z[stream->index[j]];
        }
    }
    rh__arena_rewind(&program->scratch, mark);
    return status;
}

rh_status rh__flow_at(rh_program *program, rh_program_stream *stream, double time, double *out,
                      rh_error *err)
{
    if (stream->tape == NULL) {
        return rh__error_fill(err, RH_E_UNAVAILABLE, "%s", stream->reason);
    }
    if (stream->part != NULL) {
        rh__closed_at(program, stream, time - rh__flow_start(program), out);
        return RH_OK;
    }
    bool is_well =
        (time >= stream->begin && stream->length > 0.0) || rh__flow_begin(program, stream);
    for (uint32_t k = 0; is_well && time > stream->begin + stream->length && k < MOST_PREDICTED;
         k++) {
        is_well = rh__flow_go_on(program, stream);
    }
    if (!is_well || time > stream->begin + stream->length) {
        stream->length = 0.0; // the next question begins anew
        if (is_well && program->summary.is_linear && program->summary.kind == RH_PROGRAM_CONSTANT) {
            return leap(program, stream, time, out);
        }
        return rh__error_fill(err, RH_E_LIMIT, "%s at t = %.10g",
                              stream->reason != NULL ? stream->reason
                                                     : "the perturbation equations end",
                              stream->begin);
    }
    rh__flow_evaluate(stream, time, out);
    return RH_OK;
}

rh_status rh_program_predict(rh_program *program, double time, double *out, rh_error *err)
{
    RH_REQUIRE(program != NULL && out != NULL && isfinite(time), err);
    RH_REQUIRE(time >= rh__flow_start(program), err);
    const rh_mark mark = rh__arena_mark(&program->scratch);
    double *z = rh__arena_array(&program->scratch, double, (size_t)program->size + 1);
    rh_status status = z != NULL ? RH_OK : program->scratch.status;
    for (uint32_t k = 0; status == RH_OK && k < program->streams.count; k++) {
        rh_program_stream *stream = &program->streams.data[k];
        status = rh__flow_at(program, stream, time, z, err);
        for (uint32_t i = 0; status == RH_OK && i < stream->count; i++) {
            out[stream->index[i]] = z[i];
        }
    }
    rh__arena_rewind(&program->scratch, mark);
    return status;
}
