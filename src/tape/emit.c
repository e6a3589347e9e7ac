// SPDX-License-Identifier: Apache-2.0
// C text for the Taylor recurrences of a tape: one function that does for one point, or for several
// side by side, what the interpreter does with order 0, the decisions, the factors and all orders
// of a series. Nothing of the model's own words is in the text, only indices and numbers.
//
// Small systems are written in straight lines (unroll.c), large ones in loops (loops.c).

#include "tape/emit.h"
#include "tape/shelving.h"

#include <math.h>

enum {
    MOST_UNROLLED = 4000,   // operations of all convolutions, and others, up to which straight
                            // lines win
    MOST_OPERATIONS = 40000 // longer texts take a compiler too long
};

void rh__emit_count(rh_emission *in, uint64_t operations)
{
    in->count += operations;
}

void rh__emit_number(rh_emission *in, double value)
{
    rh__text_format(in->out, "K(%.17g%s)", value,
                    value == floor(value) && fabs(value) < 1e15 ? ".0" : "");
}

double rh__emit_literal(const rh_emission *in, uint32_t weight)
{
    const uint32_t constant = in->tape->weights[weight];
    return constant == RH_SLOT_NONE ? 0.0 : in->literal[constant];
}

void rh__emit_weight(rh_emission *in, uint32_t weight)
{
    const double literal = rh__emit_literal(in, weight);
    if (literal == literal) {
        rh__emit_number(in, literal);
    } else {
        rh__text_format(in->out, "W(%u)", weight);
    }
}

// --- the plan --------------------------------------------------------------------------------

static bool find_literals(rh_emission *in)
{
    const rh_tape *tape = in->tape;
    in->literal = rh__arena_array(in->scratch, double, (size_t)tape->constant_count + 1);
    for (uint32_t k = 0; in->literal != NULL && k < tape->constant_count; k++) {
        const bool is_number = rh__expr_is_number(tape->store, tape->constants[k]);
        const double value =
            is_number ? rh__expr_number_value(tape->store, tape->constants[k]) : NAN;
        in->literal[k] = isfinite(value) ? value : NAN;
    }
    return in->literal != NULL;
}

// Inputs, outputs, surfaces and truths: nobody reads more of a series.
static bool find_visible(rh_emission *in)
{
    const rh_tape *tape = in->tape;
    in->is_visible = rh__arena_array(in->scratch, bool, (size_t)tape->slot_count + 1);
    if (in->is_visible == NULL) {
        return false;
    }
    for (uint32_t k = 0; k < tape->input_count; k++) {
        in->is_visible[k] = true;
    }
    for (uint32_t k = 0; k < tape->output_count; k++) {
        in->is_visible[tape->outputs[k]] = true;
    }
    for (uint32_t k = 0; k < tape->switch_count; k++) {
        in->is_visible[tape->switches[k].surface] = in->is_visible[tape->switches[k].truth] = true;
    }
    return true;
}

uint64_t rh__emit_work(const rh_tape *tape, uint32_t order)
{
    const uint64_t sums =
        (uint64_t)tape->products.count + tape->squares.count / 2 + tape->moments.count;
    return sums * order * order / 2;
}

// What is written once for each order, without its sums.
static uint64_t lines_of(const rh_tape *tape, uint32_t order)
{
    return ((uint64_t)tape->slot_count + tape->operand_count + tape->weight_count) * order;
}

bool rh__emit_is_unrolled(const rh_emit_def *def)
{
    return def->form == RH_EMIT_UNROLLED ||
           (def->form == RH_EMIT_AUTO && rh__emit_work(def->tape, def->order) <= MOST_UNROLLED &&
            lines_of(def->tape, def->order) <= MOST_UNROLLED);
}

size_t rh__emit_room(const rh_emit_def *def)
{
    return rh__emit_is_unrolled(def)
               ? 1
               : rh__emit_loop_numbers(def->tape) + ((size_t)def->order + 1) * def->stride;
}

// Weights with one constant have one value, whatever it will be.
static bool find_canon(rh_emission *in)
{
    const rh_tape *tape = in->tape;
    uint32_t *first = rh__arena_array(in->scratch, uint32_t, (size_t)tape->constant_count + 1);
    in->canon = rh__arena_array(in->scratch, uint32_t, (size_t)tape->weight_count + 1);
    if (first == NULL || in->canon == NULL) {
        return false;
    }
    for (uint32_t k = 0; k < tape->weight_count; k++) {
        // weights that are 0 have the place behind all constants
        const uint32_t constant =
            tape->weights[k] == RH_SLOT_NONE ? tape->constant_count : tape->weights[k];
        first[constant] = first[constant] == 0 ? k + 1 : first[constant];
        in->canon[k] = first[constant] - 1;
    }
    return true;
}

static bool find_shelvings(rh_emission *in)
{
    const rh_tape *tape = in->tape;
    in->shelvings = rh__arena_array(in->scratch, rh_shelving, (size_t)tape->block_count + 1);
    bool ok = in->shelvings != NULL;
    for (uint32_t k = 0; ok && k < tape->block_count; k++) {
        ok = tape->blocks[k].saddle == NULL ||
             rh__shelving_create(&tape->blocks[k], in->scratch, &in->shelvings[k]);
    }
    return ok;
}

static rh_status prepare(rh_emission *in)
{
    const bool ok = find_literals(in) && find_visible(in) && find_canon(in) && find_shelvings(in);
    return ok ? RH_OK : in->scratch->status;
}

// The same series, a few orders of it.
static rh_status write_brief(const rh_emission *series, const rh_emit_def *def, uint64_t *count)
{
    rh_emission in = *series;
    in.order = RH_BRIEF_ORDER;
    in.count = 0;
    rh__text_format(in.out, "#if LANES == 1\n#undef NAME\n#define NAME %s\n", def->brief);
    RH_TRY(rh__emit_unrolled(&in));
    rh__text_put(in.out, "#endif\n");
    *count += in.count;
    return in.status;
}

// Order 0 of other tapes. Their names begin behind those of the series.
static rh_status write_points(const rh_emission *series, const rh_emit_def *def, uint64_t *count)
{
    uint32_t mark = def->tape->block_count + def->tape->operand_count;
    rh__text_put(series->out, def->point_count > 0 ? "#if LANES == 1\n" : "");
    for (uint32_t k = 0; k < def->point_count; k++) {
        const rh_tape *tape = def->points[k].tape;
        rh_emission in = {.tape = tape,
                          .scratch = series->scratch,
                          .out = series->out,
                          .has_loops = true,
                          .mark = mark};
        mark += tape->block_count + tape->operand_count;
        RH_TRY(prepare(&in));
        RH_TRY(rh__emit_point(&in, &def->points[k]));
        RH_TRY(in.status);
        *count += in.count;
    }
    rh__text_put(series->out, def->point_count > 0 ? "#endif\n" : "");
    return RH_OK;
}

size_t rh__emit_point_room(const rh_tape *tape)
{
    return rh__emit_loop_numbers(tape);
}

static rh_status write_all(rh_emission *in, const rh_emit_def *def)
{
    RH_TRY(prepare(in));
    rh__text_format(in->out, "#define STRIDE %u\n", def->stride);
    rh__text_format(in->out, "#define NAME %s\n", def->name);
    rh__emit_preamble(in, def);
    in->has_loops = !rh__emit_is_unrolled(def);
    RH_TRY(rh__emit_factors(in));
    RH_TRY(rh__emit_is_unrolled(def) ? rh__emit_unrolled(in) : rh__emit_loops(in));
    if (def->has_steps) {
        rh__emit_steps(in);
    }
    RH_TRY(in->status);
    if (def->brief != NULL && rh__emit_is_unrolled(def)) {
        RH_TRY(write_brief(in, def, &in->count));
    }
    RH_TRY(write_points(in, def, &in->count));
    return in->count > MOST_OPERATIONS ? RH_E_LIMIT : RH_OK;
}

rh_status rh__emit_series(const rh_emit_def *def, rh_arena *scratch, rh_text *out)
{
    const rh_tape *tape = def->tape;
    RH_ASSERT(def->order > 0 && def->rate_count <= tape->output_count);
    RH_ASSERT(def->rate_count + 1 + 2 * tape->feed_count == tape->input_count);
    rh_emission in = {.tape = tape,
                      .scratch = scratch,
                      .out = out,
                      .n = def->rate_count,
                      .order = def->order,
                      .ladders = def->ladders};
    RH_TRY(write_all(&in, def));
    return out->ok ? RH_OK : out->arena->status;
}
