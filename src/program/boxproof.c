// SPDX-License-Identifier: Apache-2.0
// Proofs. A constant part: the sides of its roots are exact (sides.c, multiple.c). A moving part:
// the box is halved again and again until in every cell the ball of -(C P + P^T C)/2 is proved
// positive definite.

#include "program/program.h"

#include "proof/proof.h"

#include <math.h>
#include <string.h>

enum { PRECISION = 128, COARSE = 64, DEPTH = 2000 };

typedef struct proof {
    rh_program *program;
    const rh_program_part *part;
    rh_enclosure *enclosure; // of the entries
    rh_balls *values;        // by entry
    rh_balls *matrix;        // P, or S
    rh_balls *weight, *product;
    const double *low, *high; // of the cell, by range
} proof;

// --- balls --------------------------------------------------------------------------------------

static void ball_of(void *user, const rh_store *store, rh_expr symbol, rh_balls *out, uint32_t k)
{
    const proof *it = user;
    const rh_program *program = it->program;
    for (uint32_t j = 0; j < program->box.count; j++) {
        if (program->box.data[j].symbol.i == symbol.i) {
            rh__balls_set_interval(out, k, (rh_interval){it->low[j], it->high[j]});
            return;
        }
    }
    // constants from the start, and parameters without a formula
    rh__balls_set_double(out, k, rh__point_value(&program->start.point, store, symbol));
}

static bool begin(proof *it)
{
    rh_program *program = it->program;
    const rh_program_part *part = it->part;
    const uint32_t n = part->count;
    rh_expr *exact = rh__arena_array(&program->scratch, rh_expr, (size_t)part->value_count + 1);
    if (exact == NULL) {
        return false;
    }
    for (uint32_t k = 0; k < part->value_count; k++) {
        exact[k] = rh__program_exact(program, part->values[k]);
        if (exact[k].i == 0) {
            return false;
        }
    }
    it->enclosure =
        rh__enclosure_create(program->store, exact, part->value_count, &program->scratch);
    it->values = rh__balls_create(&program->scratch, part->value_count);
    it->matrix = rh__balls_create(&program->scratch, n * n);
    it->weight = rh__balls_create(&program->scratch, n * n);
    it->product = rh__balls_create(&program->scratch, n * n);
    return it->enclosure != NULL && it->values != NULL && it->matrix != NULL &&
           it->weight != NULL && it->product != NULL;
}

static void end(proof *it)
{
    rh__enclosure_destroy(it->enclosure);
    rh__balls_destroy(it->values);
    rh__balls_destroy(it->matrix);
    rh__balls_destroy(it->weight);
    rh__balls_destroy(it->product);
}

// P over the cell, row by row.
static void enclose(proof *it, uint32_t precision)
{
    const uint32_t n = it->part->count;
    rh__enclosure_evaluate(it->enclosure, ball_of, it, precision, it->values);
    for (uint32_t k = 0; k < n * n; k++) {
        rh__balls_set_double(it->matrix, k, 0.0);
    }
    for (uint32_t k = 0; k < it->part->value_count; k++) {
        const uint32_t place = it->part->places[k];
        rh__balls_copy(it->matrix, place / n + (place % n) * n, it->values, k);
    }
}

// --- moving parts -------------------------------------------------------------------------------

// -(C P + P^T C)/2 over the cell is positive definite: proved?
static bool is_decreasing(proof *it)
{
    const uint32_t n = it->part->count;
    enclose(it, COARSE);
    rh__balls_multiply(n, n, n, it->weight, it->matrix, COARSE, it->product);
    rh_balls *s = it->matrix; // P is no longer needed
    for (uint32_t i = 0; i < n; i++) {
        for (uint32_t j = 0; j <= i; j++) {
            rh__balls_set_double(s, i * n + j, 0.0);
            rh__balls_combine(s, i * n + j, RH_BALL_SUBTRACT, s, i * n + j, it->product, i * n + j,
                              COARSE);
            rh__balls_combine(s, i * n + j, RH_BALL_SUBTRACT, s, i * n + j, it->product, j * n + i,
                              COARSE);
            rh__balls_copy(s, j * n + i, s, i * n + j);
        }
    }
    return rh__balls_is_definite(n, s, COARSE);
}

static bool is_weight_definite(proof *it)
{
    const uint32_t n = it->part->count;
    for (uint32_t k = 0; k < n * n; k++) {
        rh__balls_set_double(it->weight, k, it->part->lyapunov[k]);
    }
    return rh__balls_is_definite(n, it->weight, PRECISION);
}

// A stack of cells; each is proved or halved along its longest side, as shares of the box.
typedef struct cells {
    double *low, *high; // by cell, by range
    uint32_t count;
} cells;

static bool halve(const rh_program *program, cells *stack)
{
    RH_ASSERT(stack->count > 0 && stack->count <= DEPTH);
    const uint32_t d = program->box.count;
    double *low = stack->low + (size_t)(stack->count - 1) * d;
    double *high = stack->high + (size_t)(stack->count - 1) * d;
    uint32_t longest = 0;
    double length = -1.0;
    for (uint32_t k = 0; k < d; k++) {
        const rh_program_range *range = &program->box.data[k];
        const bool counts = range->is_used && range->high > range->low;
        const double share = counts ? (high[k] - low[k]) / (range->high - range->low) : 0.0;
        longest = share > length ? k : longest;
        length = fmax(length, share);
    }
    const double middle = low[longest] + (high[longest] - low[longest]) / 2.0;
    if (!(middle > low[longest] && middle < high[longest]) || stack->count == DEPTH) {
        return false;
    }
    memcpy(low + d, low, d * sizeof *low);
    memcpy(high + d, high, d * sizeof *high);
    RH_ASSERT(d > 0 && low[longest] < middle && middle < high[longest]);
    high[longest] = middle;
    low[d + longest] = middle;
    stack->count++;
    return true;
}

// Does C fail in the middle of the cell? Points of the box may have missed it.
static rh_status look_inside(proof *it, rh_program_part *part, bool *out_fails)
{
    rh_program *program = it->program;
    double at[RH_PROGRAM_DIMENSIONS] = {0.0};
    double value = 0.0;
    for (uint32_t k = 0; k < program->box.count; k++) {
        at[k] = it->low[k] + (it->high[k] - it->low[k]) / 2.0;
    }
    RH_TRY(rh__region_value(program, part, part->lyapunov, at, &value));
    *out_fails = !(value < 0.0);
    if (*out_fails) {
        part->worst = value;
        part->verdict = RH_PROGRAM_INCONCLUSIVE;
        memcpy(part->worst_point, at, program->box.count * sizeof *at);
    }
    return RH_OK;
}

static rh_status prove_moving(proof *it, rh_program_part *part, bool *out)
{
    rh_program *program = it->program;
    const uint32_t d = program->box.count;
    cells stack = {.count = 1};
    stack.low = rh__arena_array(&program->scratch, double, 2 * (size_t)d * (DEPTH + 1) + 1);
    if (stack.low == NULL) {
        return program->scratch.status;
    }
    stack.high = stack.low + (size_t)d * (DEPTH + 1);
    for (uint32_t k = 0; k < d; k++) {
        stack.low[k] = program->box.data[k].low;
        stack.high[k] = program->box.data[k].high;
    }
    uint64_t tries = 0;
    bool is_well = it->part->verdict == RH_PROGRAM_UNREFUTED && is_weight_definite(it);
    while (is_well && stack.count > 0) {
        it->low = stack.low + (size_t)(stack.count - 1) * d;
        it->high = stack.high + (size_t)(stack.count - 1) * d;
        if (is_decreasing(it)) {
            stack.count--;
            program->summary.cell_count++;
        } else {
            bool fails = false;
            RH_TRY(look_inside(it, part, &fails));
            is_well = !fails && halve(program, &stack) && tries < program->def.cell_limit;
            part->lack = tries < program->def.cell_limit
                             ? "the proof came to parts of the box that are too small to go on"
                             : "the proof gave up: the box has too many parts";
        }
        tries++;
        if (is_well && tries % 16 == 0 && rh__program_is_enough(program)) {
            part->lack = "the proof was interrupted";
            is_well = false;
        }
    }
    *out = is_well && stack.count == 0;
    return RH_OK;
}

rh_status rh__program_certify(rh_program *program, rh_error *err)
{
    (void)err;
    for (uint32_t k = 0; k < program->parts.count; k++) {
        rh_program_part *part = &program->parts.data[k];
        const rh_mark mark = rh__arena_mark(&program->scratch);
        proof it = {.program = program, .part = part};
        rh_status status = RH_OK;
        bool is_proved = false;
        if (rh__program_is_sure(program, part) && begin(&it)) {
            // the sides of the roots of a constant part are proved already
            is_proved = part->is_constant && part->verdict != RH_PROGRAM_INCONCLUSIVE;
            status = part->is_constant ? RH_OK : prove_moving(&it, part, &is_proved);
        }
        end(&it);
        rh__arena_rewind(&program->scratch, mark);
        RH_TRY(status);
        part->is_certified = is_proved;
        if (!rh__program_is_sure(program, part) && !part->is_constant) {
            part->lack = "what a proof takes for granted of the laws is not proved";
        }
        if (is_proved && !part->is_constant) {
            part->verdict = RH_PROGRAM_ASYMPTOTIC;
        }
    }
    return program->scratch.status;
}
