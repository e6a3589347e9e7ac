// SPDX-License-Identifier: Apache-2.0
// Where deviations turn: the extremum of largest size of each after the start, a zero of the
// derivative of its series. What was not followed to its end says so.

#include "program/program.h"

#include <math.h>

enum { MOST_STEPS = 20000, LINEAR_STEPS = 2000 };

#define SMALL 1e-12 // against the largest: nothing more is to be expected
#define LARGE 1e9   // against the start: it grows
#define SHARE 1e-6  // of the largest: a deviation that is smaller does not grow with it

// Extremes of one deviation along the series at hand; false when it is none of numbers.
static bool find_extremes(rh_program *program, const rh_program_stream *stream, uint32_t i,
                          rh_program_law *law)
{
    double c[RH_PROGRAM_ORDER + 1];
    double slope[RH_PROGRAM_ORDER + 1];
    double work[RH_POLYNOMIAL_WORK(RH_PROGRAM_ORDER)];
    rh_root roots[RH_PROGRAM_ORDER + 1];
    rh__flow_series(stream, 1 + i, c);
    rh__polynomial_derivative(c, RH_PROGRAM_ORDER, slope);
    const rh_root_query query = {.c = slope, .degree = RH_PROGRAM_ORDER - 1};
    rh_root_list list = {.data = roots, .capacity = RH_PROGRAM_ORDER + 1};
    if (rh__polynomial_roots(&query, work, &list) != RH_OK) {
        return false;
    }
    for (uint32_t k = 0; !list.is_zero && k < list.count; k++) {
        const double value = rh__polynomial_value(c, RH_PROGRAM_ORDER, roots[k].at);
        if (roots[k].kind != RH_ROOT_TOUCH) {
            rh__program_turn(
                law, stream->begin + roots[k].at * stream->length - rh__flow_start(program), value);
        }
    }
    return true;
}

// The place of a law in a stream; its count: it is in another one.
static uint32_t place_of(const rh_program_stream *stream, const rh_program_law *law)
{
    uint32_t i = 0;
    while (i < stream->count && stream->index[i] != law->first) {
        i++;
    }
    return i;
}

static double size_of(const rh_program_stream *stream)
{
    double size = 0.0;
    for (uint32_t i = 0; i < stream->count; i++) {
        size = fmax(size, fabs(stream->z[i]));
    }
    return size;
}

// The largest of a deviation and its derivatives, which stand side by side.
static double own_size(const rh_program_stream *stream, const rh_program_law *law, uint32_t i)
{
    RH_ASSERT(i < stream->count && stream->index[i] == law->first);
    double size = 0.0;
    for (uint32_t k = i; k < stream->count && k < i + law->order; k++) {
        size = fmax(size, fabs(stream->z[k]));
    }
    return size;
}

// What is not known of a law, and why; NULL when all is.
static const char *reason_of(rh_program *program, const rh_program_stream *stream,
                             const rh_program_law *law, double own, bool is_ended)
{
    const bool is_known = !isnan(law->extremum) && own <= fabs(law->extremum) && !is_ended;
    if (own <= SMALL * fabs(law->extremum)) {
        return NULL;
    }
    return stream->reason != NULL
               ? rh__text_print(&program->arena, "not known further: %s at t = %.6g",
                                stream->reason, stream->begin)
           : is_known
               ? rh__text_print(&program->arena, "it has not vanished at t = %.6g", stream->begin)
               : rh__text_print(&program->arena,
                                "not known further: it was followed to t = %.6g only",
                                stream->begin);
}

// What is not known of the laws of a stream. Some may have vanished while others grow.
static void note(rh_program *program, const rh_program_stream *stream, bool is_grown, bool is_ended)
{
    const double size = size_of(stream);
    for (uint32_t k = 0; k < program->laws.count; k++) {
        rh_program_law *law = &program->laws.data[k];
        const uint32_t i = place_of(stream, law);
        if (i == stream->count) {
            continue;
        }
        const double own = own_size(stream, law, i);
        if (is_grown && !(own < SHARE * size)) {
            law->extremum = (double)NAN; // that of no moment in particular
            law->note = rh__text_print(
                &program->arena, "it grows: beyond 1e9 times the start at t = %.6g", stream->begin);
        } else {
            law->note = reason_of(program, stream, law, fabs(stream->z[i]), is_ended);
        }
    }
}

// Linear with constant coefficients?
static bool is_linear(const rh_program *program, const rh_program_stream *stream)
{
    for (uint32_t k = 0; k < program->parts.count; k++) {
        const rh_program_part *part = &program->parts.data[k];
        for (uint32_t i = 0; i < stream->count; i++) {
            if (part->index[0] == stream->index[i] &&
                !(part->is_constant && part->root_count == part->count &&
                  rh__program_is_linear(program, part))) {
                return false;
            }
        }
    }
    return true;
}

// A stream until nothing more is to be expected of it.
static rh_status follow(rh_program *program, rh_program_stream *stream)
{
    // laws that have another way need not be followed so long
    const bool is_plain = is_linear(program, stream);
    const uint32_t most = is_plain ? LINEAR_STEPS : MOST_STEPS;
    bool is_well = rh__flow_begin(program, stream);
    const double first = size_of(stream);
    double size = first;
    double largest = first;
    uint32_t s = 0;
    while (is_well && s < most && size > SMALL * largest && size < LARGE * first &&
           !(s % 16 == 0 && rh__program_is_enough(program))) {
        for (uint32_t k = 0; k < program->laws.count; k++) {
            const uint32_t i = place_of(stream, &program->laws.data[k]);
            is_well = is_well && (i == stream->count ||
                                  find_extremes(program, stream, i, &program->laws.data[k]));
        }
        is_well = is_well && rh__flow_go_on(program, stream);
        size = size_of(stream);
        largest = fmax(size, largest);
        s++;
    }
    bool is_over = size <= SMALL * largest;
    if (s == most && is_plain) {
        RH_TRY(rh__octaves_follow(program, stream, largest, SMALL, &is_over));
    }
    if (!is_over) {
        note(program, stream, size >= LARGE * first || !isfinite(size), !is_well);
    }
    stream->length = 0.0; // the next question begins anew
    return program->arena.status;
}

static bool is_at_rest(const rh_program *program, const rh_program_stream *stream)
{
    bool is_zero = true;
    for (uint32_t i = 0; i < stream->count; i++) {
        is_zero = is_zero && program->z[stream->index[i]] == 0.0;
    }
    return is_zero;
}

static void close(rh_program *program, const rh_program_stream *stream)
{
    const rh_side *sides = program->side + stream->part->root;
    bool grows = false;
    for (uint32_t k = 0; k < stream->part->root_count; k++) {
        grows = grows || sides[k] == RH_SIDE_RIGHT;
    }
    for (uint32_t k = 0; k < program->laws.count; k++) {
        rh_program_law *law = &program->laws.data[k];
        const uint32_t i = place_of(stream, law);
        if (i < stream->count) {
            if (!grows) {
                (void)rh__closed_extremum(program, stream, i, &law->extremum_time, &law->extremum);
            }
            law->note = grows ? "it grows, unless the start lies on a root that decays" : NULL;
        }
    }
}

rh_status rh__program_overshoot(rh_program *program)
{
    for (uint32_t k = 0; k < program->streams.count; k++) {
        rh_program_stream *stream = &program->streams.data[k];
        if (is_at_rest(program, stream)) {
            continue;
        }
        if (stream->tape != NULL && stream->part != NULL) {
            close(program, stream);
        } else if (stream->tape != NULL) {
            RH_TRY(follow(program, stream));
        }
    }
    for (uint32_t k = 0; k < program->laws.count; k++) {
        const rh_program_stream *stream = &program->streams.data[program->stream_of[k]];
        rh_program_law *law = &program->laws.data[k];
        law->note = stream->tape == NULL
                        ? rh__text_print(&program->arena, "not known: %s", stream->reason)
                        : law->note;
    }
    return program->arena.status;
}
