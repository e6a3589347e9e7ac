// SPDX-License-Identifier: Apache-2.0
// Stiff laws with constant coefficients, three variables and more: once the series have followed
// what is fast, exp(P h) leads on by steps that grow with the time, 64 of them to each doubling of
// it, as far as waves allow that have not died. Turns between two steps are bisected.

#include "program/program.h"

#include <math.h>
#include <string.h>

enum { STEPS = 64, ROUNDS = 300, BISECTIONS = 60 };

#define SLOW 0.5  // angle that a wave may turn in a step
#define DEAD 30.0 // decay, in powers of e, after which a wave does not count

typedef struct ride {
    rh_program *program;
    rh_program_stream *stream;
    double *p, *e; // P and exp(P h), n x n
    double *z, *next, *trial;
} ride;

static bool is_of(const rh_program_stream *stream, uint32_t variable)
{
    bool found = false;
    for (uint32_t i = 0; i < stream->count; i++) {
        found = found || stream->index[i] == variable;
    }
    return found;
}

// A step at this time after the start: no longer than waves allow that still count.
static double length_at(const ride *it, double time)
{
    RH_ASSERT(time > 0.0);
    const rh_program *program = it->program;
    double h = time / STEPS;
    for (uint32_t k = 0; k < program->roots.count; k++) {
        const rh_program_root *root = &program->roots.data[k];
        if (is_of(it->stream, program->root_of[k]) && root->imaginary != 0.0 &&
            root->real * time > -DEAD) {
            h = fmin(h, SLOW / fabs(root->imaginary));
        }
    }
    return h;
}

static void multiply(const ride *it, const double *m, const double *x, double *out)
{
    const uint32_t n = it->stream->count;
    for (uint32_t i = 0; i < n; i++) {
        out[i] = 0.0;
        for (uint32_t j = 0; j < n; j++) {
            out[i] += m[i + (size_t)j * n] * x[j];
        }
    }
}

static double rate_of(const ride *it, const double *z, uint32_t i)
{
    const uint32_t n = it->stream->count;
    double sum = 0.0;
    for (uint32_t j = 0; j < n; j++) {
        sum += it->p[i + (size_t)j * n] * z[j];
    }
    return sum;
}

// Where between z and the next one variable i turns.
static rh_status find_turn(ride *it, double time, double h, uint32_t i, rh_program_law *law)
{
    const uint32_t n = it->stream->count;
    const double before = rate_of(it, it->z, i);
    double low = 0.0;
    double high = h;
    const rh_mark mark = rh__arena_mark(&it->program->scratch);
    double *e = rh__arena_array(&it->program->scratch, double, (size_t)n *n);
    if (e == NULL) {
        return it->program->scratch.status;
    }
    for (uint32_t k = 0; k < BISECTIONS; k++) {
        const double middle = low + (high - low) / 2.0;
        RH_TRY(rh__matrix_exponential(&it->program->scratch, n, it->p, middle, e));
        multiply(it, e, it->z, it->trial);
        const bool is_before = (rate_of(it, it->trial, i) > 0.0) == (before > 0.0);
        low = is_before ? middle : low;
        high = is_before ? high : middle;
    }
    rh__arena_rewind(&it->program->scratch, mark);
    rh__program_turn(law, time + low, it->trial[i]);
    return RH_OK;
}

static rh_status take_step(ride *it, double time, double h)
{
    rh_program *program = it->program;
    multiply(it, it->e, it->z, it->next);
    for (uint32_t k = 0; k < program->laws.count; k++) {
        rh_program_law *law = &program->laws.data[k];
        for (uint32_t i = 0; i < it->stream->count; i++) {
            if (it->stream->index[i] == law->first &&
                rate_of(it, it->z, i) * rate_of(it, it->next, i) < 0.0) {
                RH_TRY(find_turn(it, time, h, i, law));
            }
        }
    }
    memcpy(it->z, it->next, it->stream->count * sizeof *it->z);
    return RH_OK;
}

static bool reserve(ride *it)
{
    const size_t n = it->stream->count;
    it->p = rh__arena_array(&it->program->scratch, double, 2 * n * n + 3 * n);
    if (it->p == NULL) {
        return false;
    }
    it->e = it->p + n * n;
    it->z = it->e + n * n;
    it->next = it->z + n;
    it->trial = it->next + n;
    memcpy(it->z, it->stream->z, n * sizeof *it->z);
    for (uint32_t k = 0; k < n * n; k++) {
        it->p[k] =
            rh_program_entry(it->program, it->stream->index[k % n], it->stream->index[k / n]);
    }
    return true;
}

rh_status rh__octaves_follow(rh_program *program, rh_program_stream *stream, double largest,
                             double small, bool *out_is_over)
{
    ride it = {.program = program, .stream = stream};
    const rh_mark mark = rh__arena_mark(&program->scratch);
    double time = stream->begin - rh__flow_start(program);
    *out_is_over = false;
    if (!reserve(&it)) {
        return program->scratch.status;
    }
    rh_status status = RH_OK;
    for (uint32_t o = 0; o < ROUNDS && !*out_is_over && status == RH_OK; o++) {
        const double h = length_at(&it, time);
        if (!(h > 0.0) || rh__program_is_enough(program)) {
            break;
        }
        status = rh__matrix_exponential(&program->scratch, stream->count, it.p, h, it.e);
        for (uint32_t s = 0; s < STEPS && status == RH_OK && !*out_is_over; s++, time += h) {
            double size = 0.0;
            status = take_step(&it, time, h);
            for (uint32_t i = 0; i < stream->count; i++) {
                size = fmax(size, fabs(it.z[i]));
            }
            largest = fmax(largest, size);
            *out_is_over = size <= small * largest;
        }
        stream->begin = rh__flow_start(program) + time;
        memcpy(stream->z, it.z, stream->count * sizeof *it.z);
    }
    rh__arena_rewind(&program->scratch, mark);
    return status == RH_E_ARGUMENT ? RH_OK : status; // not finite on the way: it is not over
}
