// SPDX-License-Identifier: Apache-2.0
// Work along a motion: the powers of forces, drives and reactions, integrated over each step by a
// Gauss rule on its series (src/equations/power.c has the powers). Where the state jumps, the
// change of energy is counted apart. The tape has the inputs of `output`; its outputs are the
// energy, then the rate and the level of each power: forces, drive, then by link.

#include "motion/motion.h"

#include <math.h>

enum { FORCES, DRIVE, LINKS, MOST_NODES = 24 };

struct rh_work {
    rh_arena arena;
    rh_motion *motion; // borrowed
    rh_tape *tape;
    rh_tape_state *state;
    uint32_t *sides; // by switch: see rh__system_sides
    bool has_energy;
    uint32_t count;          // of powers
    double *sums;            // by power: the work so far
    double *fine, *coarse;   // by power: of a part of the step by two rules, then their sizes
    double *begin, *end;     // all outputs at the ends of the step
    double *nodes, *weights; // of the rules with 1, 2, ... nodes, one after another
    double energy_start, energy_now;
    double jumps;     // of the energy
    uint64_t steps;   // of the motion that were counted
    uint64_t changes; // of the values of the motion at the beginning
};

static uint32_t rate_at(uint32_t power)
{
    return 1 + 2 * power;
}

static uint32_t level_at(uint32_t power)
{
    return 2 + 2 * power;
}

// --- making ------------------------------------------------------------------------------------

static bool list_power(rh_arena *scratch, rh_expr_list *list, const rh_power *power)
{
    return rh__array_push(scratch, list, power->rate) &&
           rh__array_push(scratch, list, power->level);
}

static rh_status make_tape(rh_work *work, rh_arena *scratch, rh_error *err)
{
    rh_equations *equations = work->motion->equations;
    rh_powers powers;
    rh_expr_list outputs = {0};
    RH_TRY(rh__powers_create(equations, scratch, scratch, &powers));
    bool ok = rh__array_push(scratch, &outputs, powers.energy) &&
              list_power(scratch, &outputs, &powers.forces) &&
              list_power(scratch, &outputs, &powers.drive);
    for (uint32_t k = 0; ok && k < equations->links.count; k++) {
        ok = list_power(scratch, &outputs, &powers.links[k]);
    }
    if (!ok) {
        return scratch->status;
    }
    work->has_energy = powers.has_energy;
    RH_TRY(rh__system_extra(work->motion->system,
                            &(rh_extra_def){.outputs = outputs.data, .output_count = outputs.count},
                            &work->tape, err));
    RH_TRY(rh__tape_state_create(work->tape, 0, work->arena.allocator, &work->state));
    work->state->feeds = work->motion->tracks.pieces;
    RH_TRY(rh__system_sides(work->motion->system, work->tape, &work->arena, &work->sides));
    work->changes = work->motion->values.changes;
    return rh__tape_bind(work->state, rh__point_value, &work->motion->start.point);
}

static rh_status reserve(rh_work *work)
{
    const size_t outputs = work->tape->output_count;
    const size_t all = (size_t)MOST_NODES * (MOST_NODES + 1) / 2;
    work->count = LINKS + work->motion->equations->links.count;
    RH_ASSERT(outputs == 1 + 2 * (size_t)work->count);
    work->sums = rh__arena_array(&work->arena, double, work->count);
    work->fine = rh__arena_array(&work->arena, double, 2 * (size_t)work->count);
    work->coarse = rh__arena_array(&work->arena, double, 2 * (size_t)work->count);
    work->begin = rh__arena_array(&work->arena, double, outputs);
    work->end = rh__arena_array(&work->arena, double, outputs);
    work->nodes = rh__arena_array(&work->arena, double, all);
    work->weights = rh__arena_array(&work->arena, double, all);
    if (work->sums == NULL || work->fine == NULL || work->coarse == NULL || work->begin == NULL ||
        work->end == NULL || work->nodes == NULL || work->weights == NULL) {
        return work->arena.status;
    }
    for (uint32_t n = 1; n <= MOST_NODES; n++) {
        const size_t first = (size_t)n * (n - 1) / 2;
        rh__quadrature_gauss(n, work->nodes + first, work->weights + first);
    }
    return RH_OK;
}

// The tape at the place where the motion was evaluated last, with conditions as `like` has them.
static void run(rh_work *work, const rh_tape_state *like)
{
    const double *inputs = rh__jet_row(work->motion->output, 0);
    double *own = rh__jet_row(work->state, 0);
    rh__system_follow(work->motion->system, work->sides, like, work->state);
    RH_ASSERT(work->tape->input_count <= work->motion->output->tape->input_count);
    for (uint32_t k = 0; k < work->tape->input_count; k++) {
        own[k] = inputs[k];
    }
    rh__tape_run(work->state);
}

rh_status rh_work_create(rh_motion *motion, rh_work **out, rh_error *err)
{
    RH_REQUIRE(motion != NULL && out != NULL, err);
    *out = NULL;
    rh_arena arena = rh__arena_begin(motion->arena.allocator, motion->arena.limit);
    rh_work *work = rh__arena_new(&arena, rh_work);
    if (work == NULL) {
        rh__arena_end(&arena);
        return rh__guard_explain(
            arena.allocator, rh__error_fill(err, RH_E_MEMORY, "%s", rh_status_text(RH_E_MEMORY)),
            err);
    }
    work->arena = arena;
    work->motion = motion;
    rh_error reason = {.status = RH_OK, .message = ""};
    rh_arena scratch = rh__arena_begin(motion->arena.allocator, motion->arena.limit);
    rh_status status = make_tape(work, &scratch, &reason);
    rh__arena_end(&scratch);
    status = status == RH_OK ? reserve(work) : status;
    if (status != RH_OK) {
        rh_work_destroy(work);
        return rh__guard_explain(
            arena.allocator,
            rh__error_fill(err, status, "%s",
                           reason.message[0] != '\0' ? reason.message : rh_status_text(status)),
            err);
    }
    rh__motion_evaluate(motion, motion->t, motion->x);
    run(work, motion->step);
    work->energy_start = work->energy_now = rh__tape_output(work->state, 0, 0);
    work->steps = motion->steps;
    *out = work;
    return RH_OK;
}

void rh_work_destroy(rh_work *work)
{
    if (work == NULL) {
        return;
    }
    rh__tape_state_destroy(work->state);
    rh__tape_destroy(work->tape);
    rh_arena arena = work->arena; // the work lies in it
    rh__arena_end(&arena);
}

// --- adding up ---------------------------------------------------------------------------------

// All outputs at a time of the last step.
static void look(rh_work *work, double time)
{
    rh_motion *motion = work->motion;
    rh__series_value(&motion->series, time, motion->x_row);
    rh__motion_evaluate(motion, time, motion->x_row);
    run(work, motion->plain);
}

static void keep(const rh_work *work, double *out)
{
    for (uint32_t k = 0; k < work->tape->output_count; k++) {
        out[k] = rh__tape_output(work->state, k, 0);
    }
}

// All powers by a rule of n nodes into `out`, which then has their sizes too.
static void apply_rule(rh_work *work, double from, double to, uint32_t n, double *out)
{
    RH_ASSERT(0 < n && n <= MOST_NODES && from <= to);
    const size_t first = (size_t)n * (n - 1) / 2;
    for (uint32_t k = 0; k < 2 * work->count; k++) {
        out[k] = 0.0;
    }
    for (uint32_t k = 0; k < n; k++) {
        const double weight = (to - from) * work->weights[first + k];
        look(work, from + (to - from) * work->nodes[first + k]);
        for (uint32_t power = 0; power < work->count; power++) {
            const double part = weight * rh__tape_output(work->state, rate_at(power), 0);
            out[power] += part;
            out[work->count + power] += fabs(part);
        }
    }
}

// A rule that is exact for polynomials of the degree of the series and some more; where forces
// change faster than the state a smaller rule says so, and halves are taken.
static void integrate(rh_work *work, double from, double to, uint32_t depth)
{
    enum { MOST_DEPTH = 8, LESS = 3 };
    const uint32_t wanted = work->motion->series.degree / 2 + 2;
    const uint32_t n = wanted < MOST_NODES ? wanted : MOST_NODES;
    apply_rule(work, from, to, n, work->fine);
    apply_rule(work, from, to, n > LESS ? n - LESS : 1, work->coarse);
    bool agrees = true;
    for (uint32_t power = 0; power < work->count; power++) {
        const double size = work->fine[work->count + power];
        agrees = agrees && !(fabs(work->fine[power] - work->coarse[power]) > 1e-11 * size);
    }
    if (!agrees && depth < MOST_DEPTH) {
        const double middle = from + 0.5 * (to - from);
        integrate(work, from, middle, depth + 1);
        integrate(work, middle, to, depth + 1);
        return;
    }
    for (uint32_t power = 0; power < work->count; power++) {
        work->sums[power] += work->fine[power];
    }
}

static void add_step(rh_work *work, double from, double to)
{
    RH_ASSERT(from < to);
    rh__tracks_select(work->motion,
                      from + 0.5 * (to - from)); // one piece of each input, to its end
    look(work, from);
    keep(work, work->begin);
    look(work, to);
    keep(work, work->end);
    for (uint32_t power = 0; power < work->count; power++) {
        const uint32_t level = level_at(power);
        work->sums[power] += work->end[level] - work->begin[level];
    }
    integrate(work, from, to, 0);
}

// The energy now, against that at the end of the step before anything jumped there: on the
// constraints that were kept, as the state was when the step was taken.
static rh_status add_jump(rh_work *work)
{
    rh_motion *motion = work->motion;
    double residual = 0.0;
    rh__series_value(&motion->series, motion->t, motion->x_row);
    rh__jump_follow(motion, motion->plain);
    RH_TRY(rh__projector_apply(&motion->projector, motion->t, motion->x_row, motion->mode.was_kept,
                               &residual, NULL));
    rh__motion_evaluate(motion, motion->t, motion->x_row);
    run(work, motion->plain);
    const double before = rh__tape_output(work->state, 0, 0);
    rh__tracks_select(motion, motion->t);
    rh__motion_evaluate(motion, motion->t, motion->x);
    run(work, motion->step);
    work->energy_now = rh__tape_output(work->state, 0, 0);
    // where an energy jumps it is not the impulses alone that change it
    const bool is_driven = motion->jump.at == motion->t;
    const double rest = is_driven ? work->energy_now - before - motion->jump.work : 0.0;
    work->sums[DRIVE] += rest;
    work->jumps += work->energy_now - before - rest;
    return RH_OK;
}

rh_status rh_work_add(rh_work *work, rh_error *err)
{
    RH_REQUIRE(work != NULL, err);
    rh_motion *motion = work->motion;
    if (work->changes != motion->values.changes) {
        return rh__error_fill(err, RH_E_UNAVAILABLE,
                              "parameters of the motion were changed, and the energy with them: "
                              "make the works anew");
    }
    if (motion->steps == work->steps) {
        return RH_OK;
    }
    work->steps = motion->steps;
    const double from = rh_motion_time_before(motion);
    if (motion->t > from) {
        add_step(work, from, motion->t);
    }
    const rh_status status = add_jump(work);
    return status == RH_OK ? RH_OK : rh__error_fill(err, status, "%s", rh_status_text(status));
}

// --- telling -----------------------------------------------------------------------------------

double rh_work_constraint(const rh_work *work, size_t constraint)
{
    return constraint < work->count - LINKS ? work->sums[LINKS + constraint] : (double)NAN;
}

rh_work_summary rh_work_summarise(const rh_work *work)
{
    if (work == NULL) {
        return (rh_work_summary){.struct_size = (uint32_t)sizeof(rh_work_summary)};
    }
    rh_work_summary summary = {.struct_size = (uint32_t)sizeof summary,
                               .has_energy = work->has_energy,
                               .forces = work->sums[FORCES],
                               .drive = work->sums[DRIVE],
                               .impacts = work->jumps,
                               .energy = work->energy_now - work->energy_start};
    for (uint32_t k = LINKS; k < work->count; k++) {
        summary.constraints += work->sums[k];
    }
    summary.error =
        summary.energy - summary.forces - summary.drive - summary.impacts - summary.constraints;
    return summary;
}
