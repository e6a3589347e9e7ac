// SPDX-License-Identifier: Apache-2.0
// Unit and property tests of src/tape/bend.c: rows that are second derivatives of squares, in
// families and alone, with other terms beside them, with weights that are parameters; and rows that
// only look so.

#define _POSIX_C_SOURCE 200809L

#include "trial.h"

// sums of four orders at once, three times, and those of the last ones by themselves
enum { ORDER = 15 };

#define BODIES                                                                                     \
    "kinetic sum(i in 1..N: (x[i]'^2 + y[i]'^2)/2)\npotential sum(i in 1..N: 9.81*y[i])\n"
#define STARTS                                                                                     \
    "for i in 1..N: start x[i] = i*sin(0.4), y[i] = -i*cos(0.4), x[i]' = 1/5, y[i]' = -1/7\n"

typedef struct rods {
    const char *name, *text;
    uint32_t bends; // how many there are
} rods;

// As many as the text finishes.
static uint32_t count_bends(const machine *on)
{
    const rh_emit_def def = {.tape = on->system->step,
                             .rate_count = on->system->x.count,
                             .order = ORDER,
                             .stride = on->system->step->slot_count,
                             .name = "kernel",
                             .form = RH_EMIT_LOOPS};
    rh_arena scratch = rh__arena_begin(rh_allocator_default(), (size_t)1 << 30);
    rh_text text = rh__text_begin(&scratch, NULL);
    assert_int_equal(rh__emit_series(&def, &scratch, &text), RH_OK);
    rh__text_put_char(&text, '\0');
    const char *at = rh__text_slice(&text).data;
    uint32_t count = 0;
    while ((at = strstr(at, "    bend_run(S +")) != NULL) {
        const char *last = strstr(at, ", k, ");
        assert_non_null(last);
        count += (uint32_t)strtoul(last + 5, NULL, 10);
        at = last;
    }
    rh__arena_end(&scratch);
    return count;
}

static void check_rods(const rods *it)
{
    const system_def def = {.from = {.path = it->name, .text = it->text},
                            .order = ORDER,
                            .released = -1,
                            .forced = NAN};
    machine on;
    assert_true(machine_begin(&def.from, &on));
    assert_int_equal(count_bends(&on), it->bends);
    machine_end(&on);
    (void)check_system(&def, true, 0.0);
}

static void rods_bend(void **unused)
{
    (void)unused;
    const rods chain = {
        "rods",
        "param N = 12\ncoord x[1..N], y[1..N]\n" BODIES "constraint rod[1]: x[1]^2 + y[1]^2 = 1\n"
        "for i in 2..N: constraint rod[i]: (x[i] - x[i-1])^2 + (y[i] - y[i-1])^2 = 1\n" STARTS,
        24};
    check_rods(&chain);
}

// Each length is another function of time, and what is drawn out has a weight.
static void what_stands_beside_a_bend_stays(void **unused)
{
    (void)unused;
    const rods drawn = {"drawn rods",
                        "param N = 10, a = 1.25\ncoord x[1..N], y[1..N]\n" BODIES
                        "constraint rod[1]: x[1]^2 + y[1]^2 = 1 + sin(t)/8\n"
                        "for i in 2..N: constraint rod[i]: (x[i] - x[i-1])^2/a + (y[i] - y[i-1])^2 "
                        "= 1 + sin(i*t)/8\n" STARTS,
                        20};
    check_rods(&drawn);
}

// One small block, dense; what the cosine gives x is no multiple of it.
static void a_single_mass_bends(void **unused)
{
    (void)unused;
    const rods bead = {"bead",
                       "coord x, y, z\nkinetic (x'^2 + y'^2 + z'^2)/2\npotential 9.81*z\n"
                       "constraint bowl: x^2/4 + y^2 + z^2*3 + cos(x)/50 = 1\n"
                       "start x = 0, y = 0.6, z = -0.4, x' = 1, y' = 0, z' = 0\n",
                       2};
    check_rods(&bead);
}

// A rate that is no velocity: the square beside it is that of another number.
static void other_squares_do_not_bend(void **unused)
{
    (void)unused;
    const rods other = {"other squares",
                        "coord x, y, z\nkinetic (x'^2 + y'^2 + z'^2)/2\npotential 9.81*z\n"
                        "constraint skew: x*x' - z'^2/9 + 2*y' = 0.5\n"
                        "start x = 1, y = 0.6, z = -0.4, x' = 1/2, y' = 0, z' = 0\n",
                        0};
    check_rods(&other);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rods_bend),
        cmocka_unit_test(what_stands_beside_a_bend_stays),
        cmocka_unit_test(a_single_mass_bends),
        cmocka_unit_test(other_squares_do_not_bend),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
