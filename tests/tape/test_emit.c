// SPDX-License-Identifier: Apache-2.0
// Emitted texts against the interpreter: every operation, blocks dense and sparse, holds, switches,
// feeds, whole systems; and lanes against single points, bit by bit.

#define _POSIX_C_SOURCE 200809L

#include "compiling.h"
#include "scribble.h"
#include "workshop.h"

enum { MOST_LANES = 8, ORDER = 6 };

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
} trial;

static size_t jet_size(const rh_tape_state *state)
{
    return ((size_t)state->order + 1) * state->stride;
}

static void interpret(trial *it)
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
static bool is_read(const rh_tape *tape, uint32_t slot)
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

static void compare(const trial *it, uint32_t lane, const char *what)
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
            if (is_read(it->tape, s) && !(fabs(actual - expected) <= NEAR * size)) {
                fail_msg("%s: coefficient %u of slot %u is %.17g, not %.17g (size %.3g)", what, k,
                         s, actual, expected, size);
            }
        }
    }
}

static rh_series_point point_of(rh_tape_state *state, double *work)
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
static void run_kernel(trial *it, rh_series_kernel *kernel, uint32_t lanes, double *work)
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

static bool is_same(const trial *it, uint32_t lane)
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

static void check_form(trial *it, rh_emit_form form, const char *what)
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

// One jet for eight lanes, innermost: the bits of what one lane gave.
static void check_together(trial *it, rh_emit_form form, const char *what)
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
static void check_trial(trial *it, const char *what)
{
    it->first = calloc(MOST_LANES * jet_size(it->told[0]), sizeof(double));
    interpret(it);
    check_form(it, RH_EMIT_UNROLLED, what);
    if (it->tape->slot_count < 40) {
        check_together(it, RH_EMIT_UNROLLED, what);
    }
    check_form(it, RH_EMIT_LOOPS, what);
    if (it->tape->slot_count < 40) {
        check_together(it, RH_EMIT_LOOPS, what);
    }
    free(it->first);
}

static void end_trial(trial *it)
{
    for (uint32_t l = 0; l < MOST_LANES; l++) {
        rh__tape_state_destroy(it->told[l]);
        rh__tape_state_destroy(it->made[l]);
    }
    free(it->starts);
}

// --- single operations ---------------------------------------------------------------------------

// x' = y, y' = bounded, z' = 1, and then what is looked at.
static rh_tape *tape_of(page *on, const rh_expr *watched, uint32_t count)
{
    const rh_expr inputs[] = {on->t, on->x[0], on->x[1], on->x[2]};
    rh_expr outputs[64] = {on->x[1],
                           page_bounded(on, rh__expr_multiply(on->store, on->x[0], on->t)),
                           page_number(on, 1, 1)};
    assert_true(count <= 60);
    memcpy(outputs + 3, watched, count * sizeof *watched);
    const rh_tape_def def = {.store = on->store,
                             .allocator = rh_allocator_default(),
                             .memory_limit = (size_t)1 << 31,
                             .inputs = inputs,
                             .input_count = 4,
                             .outputs = outputs,
                             .output_count = 3 + count};
    rh_tape *tape = NULL;
    rh_error err = RH_ZERO;
    if (rh__tape_create(&def, &tape, &err) != RH_OK) {
        fail_msg("%s", err.message);
    }
    return tape;
}

static void check_page(page *on, rh_tape *tape, support_random *random, const char *what)
{
    trial it = {
        .tape = tape, .n = 3, .starts = calloc(4 * MOST_LANES, sizeof(double)), .has_four = true};
    for (uint32_t l = 0; l < MOST_LANES; l++) {
        on->parameter[0] = support_random_real(random, 0.5, 1.5);
        it.told[l] = page_state(on, tape, ORDER);
        it.made[l] = page_state(on, tape, ORDER);
        for (uint32_t k = 0; k < 4; k++) {
            it.starts[4 * l + k] = support_random_real(random, -1.0, 1.0);
        }
    }
    check_trial(&it, what);
    end_trial(&it);
}

static void every_operation_is_emitted(void **unused)
{
    (void)unused;
    support_random random = support_random_begin("emitted operations");
    page on;
    page_begin(&on);
    rh_expr watched[PAGE_KINDS];
    for (uint32_t kind = 0; kind < PAGE_KINDS; kind++) {
        watched[kind] = page_operation(&on, kind, on.x[kind % 2], on.x[2]);
    }
    rh_tape *tape = tape_of(&on, watched, PAGE_KINDS);
    check_page(&on, tape, &random, "operations");
    rh__tape_destroy(tape);
    page_end(&on);
}

static void random_expressions_are_emitted(void **unused)
{
    (void)unused;
    support_random random = support_random_begin("emitted expressions");
    page on;
    page_begin(&on);
    rh_expr watched[12];
    for (uint32_t k = 0; k < 12; k++) {
        watched[k] = page_random(&on, &random, 2);
    }
    rh_tape *tape = tape_of(&on, watched, 12);
    check_page(&on, tape, &random, "random expressions");
    rh__tape_destroy(tape);
    page_end(&on);
}

// --- systems -------------------------------------------------------------------------------------

typedef struct system_def {
    machine_def from;
    uint32_t order;
    int released; // a hold that is; -1: none
    double forced;
} system_def;

static void check_system(const system_def *def)
{
    machine on;
    support_random random = support_random_begin(def->from.path);
    static const rh_feed_piece PIECES[4] = {{-1.0, 0.3, 0.7}, {-2.0, 0.1, -0.2}};
    assert_true(machine_begin(&def->from, &on));
    const rh_tape *tape = on.system->step;
    const uint32_t n = on.system->x.count;
    const double *x = packed(&on, &on.start.point);
    trial it = {
        .tape = tape, .n = n, .starts = calloc((size_t)MOST_LANES * (1 + n), sizeof(double))};
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
}

static void systems_are_emitted(void **unused)
{
    (void)unused;
    static const system_def SYSTEMS[] = {
        {{.path = "examples/rolling_disc/model.rhe"}, 12, -1, NAN},
        {{.path = "examples/rolling_disc/model.rhe", .is_plain = true}, 9, -1, NAN},
        {{.path = "examples/chain/model.rhe"}, 8, -1, NAN}, // sparse
        {{.path = "examples/double_pendulum/model.rhe"}, 10, -1, NAN},
        {{.path = "examples/sleigh_one_sided/model.rhe"}, 8, -1, NAN},
        {{.path = "examples/sleigh_one_sided/model.rhe"}, 8, 0, NAN}, // released
        {{.path = "examples/stick_slip/model.rhe"}, 9, 0, 1.0},       // forced
        {{.path = "examples/quarter_car/model.rhe"}, 8, -1, NAN},     // fed
        {{.path = "examples/four_bar/model.rhe", .is_plain = true}, 7, -1, NAN},
    };
    for (uint32_t k = 0; k < sizeof SYSTEMS / sizeof SYSTEMS[0]; k++) {
        check_system(&SYSTEMS[k]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_operation_is_emitted),
        cmocka_unit_test(random_expressions_are_emitted),
        cmocka_unit_test(systems_are_emitted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
