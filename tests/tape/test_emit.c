// SPDX-License-Identifier: Apache-2.0
// Emitted texts against the interpreter: every operation, blocks dense and sparse, holds, switches,
// feeds, whole systems; and lanes against single points, bit by bit.

#define _POSIX_C_SOURCE 200809L

#include "scribble.h"
#include "trial.h"

enum { ORDER = 10 }; // sums of orders 4 ... 7 are taken together, and those of 8 and 9

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

// --- sines ---------------------------------------------------------------------------------------

// How far a sine is off, in units of its last digit.
static double miss(double found, long double wanted)
{
    int exponent = 0;
    (void)frexpl(wanted, &exponent);
    return (double)(fabsl((long double)found - wanted) / ldexpl(1.0L, exponent - 53));
}

// Small and large arguments, those near multiples of a quarter turn, and what no sine has.
static double argument_of(uint32_t k, support_random *random)
{
    static const double SPECIAL[] = {0.0,   1e-300, 0x1p-27, 0x1.921fb54442d18p+0, 1e9, 1.1e9,
                                     1e300, -1e15,  -0.75,   0x1.921fb54442d18p+1};
    const uint32_t count = sizeof SPECIAL / sizeof *SPECIAL;
    const double quarter = 0x1.921fb54442d18p+0;
    const double size = pow(10.0, support_random_real(random, -6.0, 12.0));
    return k < count    ? SPECIAL[k]
           : k % 3 == 0 ? nextafter(quarter * rint(support_random_real(random, -1e6, 1e6)), 0.0)
                        : support_random_real(random, -size, size);
}

static void sines_are_right_to_the_last_digit(void **unused)
{
    (void)unused;
    support_random random = support_random_begin("emitted sines");
    page on;
    page_begin(&on);
    const rh_expr watched[] = {rh__expr_apply(on.store, RH_OP_SIN, &on.x[0], 1),
                               rh__expr_apply(on.store, RH_OP_COS, &on.x[0], 1)};
    rh_tape *tape = tape_of(&on, watched, 2);
    rh_tape_state *state = page_state(&on, tape, ORDER);
    compiled made = compile_series(state, 3, RH_EMIT_UNROLLED, "");
    _Alignas(64) double work[1024];
    for (uint32_t k = 0; k < 20000; k++) {
        const double x = argument_of(k, &random);
        rh_series_point point = point_of(state, work);
        double *row = rh__jet_row(state, 0);
        row[0] = row[2] = row[3] = 0.25;
        row[1] = x;
        (void)made.kernel(&point);
        const double sine = row[tape->outputs[3]];
        const double cosine = row[tape->outputs[4]];
        if (!(miss(sine, sinl(x)) <= 1.0 && miss(cosine, cosl(x)) <= 1.0)) {
            fail_msg("of %.17g: sine %.17g, cosine %.17g", x, sine, cosine);
        }
    }
    compiled_end(&made);
    rh__tape_state_destroy(state);
    rh__tape_destroy(tape);
    page_end(&on);
}

// --- systems -------------------------------------------------------------------------------------

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
        (void)check_system(&SYSTEMS[k], false, 0.0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_operation_is_emitted),
        cmocka_unit_test(random_expressions_are_emitted),
        cmocka_unit_test(sines_are_right_to_the_last_digit),
        cmocka_unit_test(systems_are_emitted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
