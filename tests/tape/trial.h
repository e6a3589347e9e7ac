// SPDX-License-Identifier: Apache-2.0
// What the tests of emitted texts share: tapes at several points by the interpreter and by kernels
// of both forms, single points and lanes.

#pragma once

#include "compiling.h"
#include "workshop.h"

enum { MOST_LANES = 8 };

#define NEAR 1e-13

// --- running -------------------------------------------------------------------------------------

// A tape at several points, by the interpreter.
typedef struct trial {
    const rh_tape *tape;
    uint32_t n;
    double *starts;                  // MOST_LANES x (1 + n): time and x
    rh_tape_state *told[MOST_LANES]; // by the interpreter
    rh_tape_state *made[MOST_LANES]; // by a kernel
    double *first;                   // what one lane gave, all points after another
    bool has_four;                   // try four lanes too
    bool has_loops;                  // try the form of loops alone
    uint32_t ladders;                // how many there were
    double near; // how far both may be apart, relative to the largest of an order
} trial;

static inline size_t jet_size(const rh_tape_state *state)
{
    return ((size_t)state->order + 1) * state->stride;
}

static inline void interpret(trial *it)
{
    const rh_system system = {.step = (rh_tape *)(uintptr_t)it->tape, .x = {.count = it->n}};
    for (uint32_t l = 0; l < MOST_LANES; l++) {
        const double *start = it->starts + (size_t)l * (1 + it->n);
        rh__system_series(&system, it->told[l], start[0], start + 1, it->told[l]->order);
        assert_int_equal(it->told[l]->quality.singular, 0);
        assert_false(it->told[l]->quality.is_failed);
    }
}

// Does anybody read this slot?
static inline bool is_read(const rh_tape *tape, uint32_t slot)
{
    bool found = slot < tape->input_count;
    for (uint32_t k = 0; k < tape->output_count; k++) {
        found = found || tape->outputs[k] == slot;
    }
    for (uint32_t k = 0; k < tape->switch_count; k++) {
        found = found || tape->switches[k].truth == slot || tape->switches[k].surface == slot;
    }
    return found;
}

static inline void compare(const trial *it, uint32_t lane, const char *what)
{
    const rh_tape_state *told = it->told[lane];
    const rh_tape_state *made = it->made[lane];
    const uint32_t inputs = 1 + it->n;
    for (uint32_t k = 0; k <= told->order; k++) {
        double size = 1e-3;
        for (uint32_t s = 0; s < it->tape->slot_count; s++) {
            size = k < told->order || s < inputs ? fmax(size, fabs(rh__jet_row(told, k)[s])) : size;
        }
        for (uint32_t s = 0; s < (k < told->order ? it->tape->slot_count : inputs); s++) {
            const double expected = rh__jet_row(told, k)[s];
            const double actual = rh__jet_row(made, k)[s];
            if (is_read(it->tape, s) && !(fabs(actual - expected) <= it->near * size)) {
                fail_msg("%s: coefficient %u of slot %u is %.17g, not %.17g (size %.3g)", what, k,
                         s, actual, expected, size);
            }
        }
    }
}

static inline rh_series_point point_of(rh_tape_state *state, double *work)
{
    return (rh_series_point){.jet = state->jet,
                             .weight = state->weight,
                             .forced = state->forced,
                             .lent = state->lent,
                             .feed = (const double *)state->feeds,
                             .released = (const unsigned char *)state->is_released,
                             .work = work};
}

// All points, `lanes` at a time; 1 lane goes through the state itself.
static inline void run_kernel(trial *it, rh_series_kernel *kernel, uint32_t lanes, double *work)
{
    for (uint32_t l = 0; l < MOST_LANES; l++) {
        rh_tape_state *state = it->made[l];
        memset(state->jet, 0x7f, jet_size(state) * sizeof(double));
        memcpy(state->jet, it->starts + (size_t)l * (1 + it->n), (1 + it->n) * sizeof(double));
    }
    for (uint32_t l = 0; l < MOST_LANES; l += lanes) {
        rh_series_point points[MOST_LANES];
        for (uint32_t k = 0; k < lanes; k++) {
            points[k] = point_of(it->made[l + k], work);
        }
        assert_int_equal(kernel(points), 0);
        for (uint32_t k = 0; k < lanes; k++) {
            assert_near(points[k].margin, it->told[l + k]->quality.rcond, 1e-9);
        }
    }
}

static inline bool is_same(const trial *it, uint32_t lane)
{
    const rh_tape_state *state = it->made[lane];
    const double *first = it->first + lane * jet_size(state);
    bool same = true;
    for (size_t k = 0; k < jet_size(state); k++) {
        const size_t slot = k % state->stride;
        same = same && (slot >= it->tape->slot_count || !is_read(it->tape, (uint32_t)slot) ||
                        memcmp(&state->jet[k], &first[k], sizeof(double)) == 0);
    }
    return same;
}

static inline void check_form(trial *it, rh_emit_form form, const char *what)
{
    static const uint32_t LANES[] = {1, 4, 8};
    const rh_emit_def def = {.tape = it->tape,
                             .rate_count = it->n,
                             .order = it->told[0]->order,
                             .stride = it->told[0]->stride,
                             .name = "kernel",
                             .form = form};
    const size_t room = (rh__emit_room(&def) * MOST_LANES + 8) * sizeof(double);
    double *work = aligned_alloc(64, (room + 63) / 64 * 64);
    for (uint32_t k = 0; k < 3; k += k == 0 && !it->has_four ? 2 : 1) {
        char text[128];
        (void)snprintf(text, sizeof text, "%s, form %d, %u lanes", what, (int)form, LANES[k]);
        char define[32];
        (void)snprintf(define, sizeof define, "-DLANES=%u", LANES[k]);
        compiled made = compile_series(it->made[0], it->n, form, define);
        run_kernel(it, made.kernel, LANES[k], work);
        for (uint32_t l = 0; l < MOST_LANES; l++) {
            compare(it, l, text);
            if (k > 0 && !is_same(it, l)) {
                fail_msg("%s: other bits than one lane alone", text);
            }
            memcpy(it->first + l * jet_size(it->made[l]), it->made[l]->jet,
                   jet_size(it->made[l]) * sizeof(double));
        }
        compiled_end(&made);
    }
    free(work);
}

// One lane that leaves ladders out, which are filled in: the bits of what one lane gave.
static inline void check_ladders(trial *it, const char *what)
{
    rh_arena arena = rh__arena_begin(rh_allocator_default(), (size_t)1 << 30);
    rh_ladder_list ladders;
    assert_int_equal(rh__tape_ladders(it->tape, it->n, 2, &arena, &ladders), RH_OK);
    double *work = calloc((size_t)1 << 20, sizeof(double));
    for (uint32_t l = 0; l < MOST_LANES; l++) {
        it->made[l]->ladders = ladders;
        it->made[l]->kernel_order = it->made[l]->order;
        it->made[l]->is_lean = true;
    }
    if (ladders.count > 0) {
        compiled made = compile_series(it->made[0], it->n, RH_EMIT_LOOPS, "-DLANES=1");
        run_kernel(it, made.kernel, 1, work);
        compiled_end(&made);
    }
    for (uint32_t l = 0; ladders.count > 0 && l < MOST_LANES; l++) {
        rh__jet_fill(it->made[l]);
        if (!is_same(it, l)) {
            fail_msg("%s: other bits where ladders are left out", what);
        }
    }
    it->ladders = ladders.count;
    for (uint32_t l = 0; l < MOST_LANES; l++) {
        it->made[l]->ladders.count = 0;
    }
    free(work);
    rh__arena_end(&arena);
}

// One jet for eight lanes, innermost: the bits of what one lane gave.
static inline void check_together(trial *it, rh_emit_form form, const char *what)
{
    const size_t size = jet_size(it->made[0]);
    double *jet = aligned_alloc(64, size * MOST_LANES * sizeof(double));
    double *work = aligned_alloc(64, (size + (1 << 16)) * MOST_LANES * sizeof(double));
    rh_series_point points[MOST_LANES];
    memset(jet, 0x7f, size * MOST_LANES * sizeof(double));
    for (uint32_t l = 0; l < MOST_LANES; l++) {
        points[l] = point_of(it->made[l], work);
        points[l].jet = jet;
        for (uint32_t k = 0; k <= it->n; k++) {
            jet[k * MOST_LANES + l] = it->starts[(size_t)l * (1 + it->n) + k];
        }
    }
    compiled made = compile_series(it->made[0], it->n, form, "-DLANES=8 -DTOGETHER");
    assert_int_equal(made.kernel(points), 0);
    compiled_end(&made);
    for (uint32_t l = 0; l < MOST_LANES; l++) {
        for (size_t k = 0; k < size; k++) {
            it->made[l]->jet[k] = jet[k * MOST_LANES + l];
        }
        if (!is_same(it, l)) {
            fail_msg("%s, form %d: other bits in one jet", what, (int)form);
        }
    }
    free(work);
    free(jet);
}

// The states must be bound already.
static inline void check_trial(trial *it, const char *what)
{
    it->near = it->near > 0.0 ? it->near : NEAR;
    it->first = calloc(MOST_LANES * jet_size(it->told[0]), sizeof(double));
    interpret(it);
    if (!it->has_loops) {
        check_form(it, RH_EMIT_UNROLLED, what);
    }
    if (!it->has_loops && it->tape->slot_count < 40) {
        check_together(it, RH_EMIT_UNROLLED, what);
    }
    check_form(it, RH_EMIT_LOOPS, what);
    check_ladders(it, what);
    if (it->tape->slot_count < 40) {
        check_together(it, RH_EMIT_LOOPS, what);
    }
    free(it->first);
}

static inline void end_trial(trial *it)
{
    for (uint32_t l = 0; l < MOST_LANES; l++) {
        rh__tape_state_destroy(it->told[l]);
        rh__tape_state_destroy(it->made[l]);
    }
    free(it->starts);
}

// --- systems -------------------------------------------------------------------------------------

typedef struct system_def {
    machine_def from;
    uint32_t order;
    int released; // a hold that is; -1: none
    double forced;
} system_def;

// `has_loops`: the form of loops alone, and four lanes too; `near`: 0 for that of all others. Gives
// how many ladders there were.
static inline uint32_t check_system(const system_def *def, bool has_loops, double near)
{
    machine on;
    support_random random = support_random_begin(def->from.path);
    static const rh_feed_piece PIECES[4] = {{-1.0, 0.3, 0.7}, {-2.0, 0.1, -0.2}};
    assert_true(machine_begin(&def->from, &on));
    const rh_tape *tape = on.system->step;
    const uint32_t n = on.system->x.count;
    const double *x = packed(&on, &on.start.point);
    trial it = {.tape = tape,
                .n = n,
                .starts = calloc((size_t)MOST_LANES * (1 + n), sizeof(double)),
                .has_four = has_loops,
                .has_loops = has_loops,
                .near = near};
    for (uint32_t l = 0; l < MOST_LANES; l++) {
        it.told[l] = bound_state(tape, &on.start.point, def->order);
        it.made[l] = bound_state(tape, &on.start.point, def->order);
        rh_tape_state *const both[] = {it.told[l], it.made[l]};
        it.starts[l * (1 + n)] = time_at(&on, &on.start.point);
        for (uint32_t k = 0; k < n; k++) {
            it.starts[l * (1 + n) + 1 + k] = x[k] + 1e-3 * support_random_real(&random, -1.0, 1.0);
        }
        for (uint32_t j = 0; j < 2; j++) {
            both[j]->feeds = PIECES;
            for (uint32_t s = 0; s < tape->switch_count && def->forced == def->forced; s++) {
                rh__tape_force(both[j], s, def->forced);
            }
            if (def->released >= 0) {
                rh__tape_release(both[j], (uint32_t)def->released, 0.25 * l);
            }
        }
    }
    check_trial(&it, def->from.path);
    end_trial(&it);
    machine_end(&on);
    return it.ladders;
}
