// SPDX-License-Identifier: Apache-2.0
// Along a motion: what the roots of P at its present state say of a step.

#include "program/program.h"

#include <math.h>

static rh_status watch(rh_program *program, rh_motion *motion, rh_error *err)
{
    if (program->glance.tape != NULL && program->glance.motion == motion) {
        return rh__glance_bind(&program->glance);
    }
    if (program->glance.tape != NULL) {
        rh__glance_destroy(&program->glance);
    }
    rh_expr *what = rh__arena_array(&program->arena, rh_expr, (size_t)program->entries.count + 1);
    if (what == NULL) {
        return program->arena.status;
    }
    for (uint32_t k = 0; k < program->entries.count; k++) {
        what[k] = program->entries.data[k].value;
    }
    return rh__glance_create(motion, what, program->entries.count, &program->glance, err);
}

static rh_status find_part(rh_program *program, const rh_program_part *part, const double *values,
                           rh_program_method method, double *out_limit)
{
    rh_arena *scratch = &program->scratch;
    const uint32_t n = part->count;
    double *p = rh__arena_array(scratch, double, (size_t)n *n + 2 * (size_t)n + 1);
    if (p == NULL) {
        return scratch->status;
    }
    double *real = p + (size_t)n * n;
    for (uint32_t k = 0; k < program->entries.count; k++) {
        const rh_entry *entry = &program->entries.data[k];
        for (uint32_t i = 0; i < n; i++) {
            for (uint32_t j = 0; part->index[i] == entry->row && j < n; j++) {
                if (part->index[j] == entry->column) {
                    p[i + (size_t)j * n] = values[k];
                }
            }
        }
    }
    RH_TRY(rh__eigen_values(scratch, n, p, real, real + n));
    for (uint32_t k = 0; k < n; k++) {
        if (real[k] < 0.0) {
            *out_limit = fmin(*out_limit, rh__program_limit(method, real[k], real[n + k]));
        }
    }
    return RH_OK;
}

// Did something but the equations move the state?
static bool has_jumped(const rh_motion *motion)
{
    bool found = false;
    for (size_t k = 0; !found && k < rh_motion_occurrence_count(motion); k++) {
        const rh_occurrence_kind kind = rh_motion_occurrence(motion, k).kind;
        found = kind == RH_OCCURRENCE_RESET || kind == RH_OCCURRENCE_IMPACT ||
                kind == RH_OCCURRENCE_REFRACT || kind == RH_OCCURRENCE_REFLECT;
    }
    return found;
}

// The rightmost root of what acts on a variable, by any way.
static double slowest_root(const rh_program *program, uint32_t variable)
{
    bool acts[RH_PROGRAM_MOST] = {false};
    bool is_new = true;
    double slowest = -INFINITY;
    acts[variable] = true;
    while (is_new) {
        is_new = false;
        for (uint32_t k = 0; k < program->entries.count; k++) {
            const rh_entry *entry = &program->entries.data[k];
            if (acts[entry->row] && !acts[entry->column]) {
                acts[entry->column] = is_new = true;
            }
        }
    }
    for (uint32_t k = 0; k < program->roots.count; k++) {
        slowest = acts[program->root_of[k]] ? fmax(slowest, program->roots.data[k].real) : slowest;
    }
    return isinf(slowest) ? (double)NAN : slowest;
}

// The deviation of a law at a time by its small system; NaN: it cannot be had.
static double predict_law(rh_program *program, size_t law, double time, double *work)
{
    rh_program_stream *stream = &program->streams.data[program->stream_of[law]];
    double found = (double)NAN;
    if (time >= rh__flow_start(program) &&
        rh__flow_at(program, stream, time, work, NULL) == RH_OK) {
        for (uint32_t i = 0; i < stream->count; i++) {
            found = stream->index[i] == program->laws.data[law].first ? work[i] : found;
        }
    }
    return found;
}

rh_status rh_program_decay_of(rh_program *program, rh_motion *motion, size_t law,
                              rh_program_decay *out, rh_error *err)
{
    RH_REQUIRE(program != NULL && motion != NULL && out != NULL, err);
    RH_REQUIRE(law < program->laws.count && motion->equations == program->equations, err);
    const rh_program_law *it = &program->laws.data[law];
    *out = (rh_program_decay){.name = it->name,
                              .start = program->z[it->first],
                              .predicted = (double)NAN,
                              .slowest = slowest_root(program, it->first)};
    const rh_mark mark = rh__arena_mark(&program->scratch);
    double *room =
        rh__arena_array(&program->scratch, double, rh_motion_column_count(motion) + program->size);
    if (room == NULL) {
        return program->scratch.status;
    }
    const size_t width = rh_motion_column_count(motion);
    rh_status status = rh_motion_row(motion, rh_motion_time(motion), room, err);
    size_t link = 0;
    for (size_t k = 0; status == RH_OK && k < width; k++) {
        if (rh_motion_column_quantity(motion, k) == RH_QUANTITY_DEVIATION && link++ == it->link) {
            out->now = room[k];
        }
    }
    if (status == RH_OK && !has_jumped(motion)) {
        out->predicted = predict_law(program, law, rh_motion_time(motion), room + width);
    }
    rh__arena_rewind(&program->scratch, mark);
    return status;
}

rh_status rh_program_step_share(rh_program *program, rh_motion *motion, rh_program_method method,
                                double step, double *out, rh_error *err)
{
    RH_REQUIRE(program != NULL && motion != NULL && out != NULL, err);
    RH_REQUIRE(step > 0.0 && (size_t)method < RH_PROGRAM_METHOD_COUNT, err);
    RH_REQUIRE(motion->equations == program->equations, err);
    double limit = program->summary.step_limits[method];
    if (program->summary.kind != RH_PROGRAM_CONSTANT) {
        limit = INFINITY;
        RH_TRY(watch(program, motion, err));
        const rh_mark mark = rh__arena_mark(&program->scratch);
        double *values =
            rh__arena_array(&program->scratch, double, (size_t)program->entries.count + 1);
        rh_status status = values != NULL ? RH_OK : program->scratch.status;
        if (status == RH_OK) {
            rh__glance_now(&program->glance, values);
        }
        for (uint32_t k = 0; status == RH_OK && k < program->parts.count; k++) {
            status = find_part(program, &program->parts.data[k], values, method, &limit);
            status = status == RH_E_ARGUMENT ? RH_OK : status; // not finite: the motion says so
        }
        rh__arena_rewind(&program->scratch, mark);
        RH_TRY(status);
    }
    *out = isfinite(limit) ? (limit > 0.0 ? step / limit : INFINITY) : 0.0;
    return RH_OK;
}
