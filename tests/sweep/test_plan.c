// SPDX-License-Identifier: Apache-2.0
// Plans: whatever is written in ranges, distributions and lists, it is refused with a reason or it
// is a plan.

#include "sweeping.h"

static const char MODEL[] = "param a = 1, b[1..2] = 2\nstate x\nlaw x' = a + b[1]\nstart x = 0\n"
                            "observe total = x + a\n";

static void put_piece(support_random *random, char *out, size_t room)
{
    static const char *const PIECES[] = {"a",
                                         "b[1]",
                                         "b",
                                         "x",
                                         "x'",
                                         "=",
                                         ":",
                                         "0",
                                         "1",
                                         "1e308",
                                         "-",
                                         "(",
                                         ")",
                                         "[",
                                         "]",
                                         ",",
                                         "'",
                                         "\"",
                                         "\n",
                                         "#",
                                         "peak",
                                         "low(",
                                         "mean(",
                                         "final(x)",
                                         "normal(",
                                         "uniform(1, 2)",
                                         "loguniform(",
                                         "dev.",
                                         "total",
                                         "\xff",
                                         "\xc3\xa4",
                                         "lambda.",
                                         "t",
                                         " ",
                                         "9999999999999999999",
                                         "1/0",
                                         "nan"};
    const size_t count = sizeof PIECES / sizeof *PIECES;
    out[0] = '\0';
    const uint32_t pieces = support_random_below(random, 12);
    for (uint32_t k = 0; k < pieces; k++) {
        const char *piece = PIECES[support_random_below(random, (uint32_t)count)];
        if (strlen(out) + strlen(piece) + 1 < room) {
            memcpy(out + strlen(out), piece, strlen(piece) + 1);
        }
    }
}

static void any_text_is_a_plan_or_refused(void **state)
{
    (void)state;
    support_random random = support_random_begin("any_text_is_a_plan_or_refused");
    for (int round = 0; round < 3000; round++) {
        char grid[200] = "a=0:1:3";
        char draw[200] = "x=uniform(0, 1)";
        char observe[200] = "final(x)";
        char *const texts[] = {grid, draw, observe};
        put_piece(&random, texts[support_random_below(&random, 3)], sizeof grid);
        const char *grids[] = {grid};
        const char *draws[] = {draw};
        rh_sweep_def def = sweeping_def(MODEL);
        def.grids = grids;
        def.grid_count = 1;
        def.randoms = draws;
        def.random_count = 1;
        def.draws = 2;
        def.observe = observe;
        rh_sweep *sweep = NULL;
        rh_error err = {.message = ""};
        const rh_status status = rh_sweep_create(&def, &sweep, &err);
        assert_true(status == RH_OK || status == RH_E_ARGUMENT || status == RH_E_MODEL ||
                    status == RH_E_LIMIT);
        assert_true(status == RH_OK || err.message[0] != '\0');
        if (status == RH_OK) {
            assert_true(rh_sweep_member_count(sweep) > 0);
        }
        rh_sweep_destroy(sweep);
    }
}

static void expect(const char *grid, const char *observe, rh_status wanted)
{
    rh_sweep_def def = sweeping_def(MODEL);
    def.grids = &grid;
    def.grid_count = 1;
    def.observe = observe;
    rh_sweep *sweep = NULL;
    rh_error err = {.message = ""};
    const rh_status status = rh_sweep_create(&def, &sweep, &err);
    if (status != wanted) {
        fail_msg("%s, %s: status %d (%s)", grid, observe, (int)status, err.message);
    }
    rh_sweep_destroy(sweep);
}

static void names_are_found(void **state)
{
    (void)state;
    expect("a=0:1:3", "final(x)", RH_OK);
    expect("b[2]=0:a:3", "final(total)", RH_OK);
    expect("b=0:1:3", "final(total), peak(x + t)", RH_OK);
    expect("x=-1:1:3", "final(2*x)", RH_OK);
    expect("t=0:0.5:3", NULL, RH_OK);
    expect("b[3]=0:1:3", "final(x)", RH_E_MODEL);
    expect("x'=0:1:3", "final(x)", RH_E_MODEL);
    expect("total=0:1:3", "final(x)", RH_E_MODEL);
    expect("a=0:x:3", "final(x)", RH_E_MODEL);
    expect("a=0:1:3", "final(y)", RH_E_MODEL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(any_text_is_a_plan_or_refused),
        cmocka_unit_test(names_are_found),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
