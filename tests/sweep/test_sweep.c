// SPDX-License-Identifier: Apache-2.0
// Sweeps: members are what a motion made from the text gives, whatever equations hold for them.

#include "sweeping.h"

#include "sweep/sweep.h"

// The final row of a motion made from the text.
static double make_and_run(const char *text, const char *setting, bool is_start, const char *column)
{
    rh_model *model = NULL;
    rh_equations *equations = NULL;
    rh_motion *motion = NULL;
    rh_error err = {.message = ""};
    rh_stop stop = RH_STOP_NONE;
    rh_model_def def = rh_model_def_default();
    def.text = text;
    def.text_size = strlen(text);
    def.set = def.start = &setting;
    def.set_count = !is_start;
    def.start_count = is_start;
    const rh_equations_def derive = rh_equations_def_default();
    rh_motion_def move = rh_motion_def_default();
    move.is_abreast = true; // only ends are observed
    if (rh_model_create(&def, &model, &err) != RH_OK) {
        fail_msg("%s: %s", setting, err.message);
    }
    assert_int_equal(rh_equations_create(model, &derive, &equations, &err), RH_OK);
    assert_int_equal(rh_motion_create(equations, &move, &motion, &err), RH_OK);
    assert_int_equal(rh_motion_advance(motion, 1.0, &stop, &err), RH_OK);
    const size_t width = rh_motion_column_count(motion);
    double *row = calloc(width, sizeof *row);
    assert_non_null(row);
    assert_int_equal(rh_motion_row(motion, rh_motion_time(motion), row, &err), RH_OK);
    double value = (double)NAN;
    for (size_t k = 0; k < width; k++) {
        value = strcmp(rh_motion_column_name(motion, k), column) == 0 ? row[k] : value;
    }
    free(row);
    rh_motion_destroy(motion);
    rh_equations_destroy(equations);
    rh_model_destroy(model);
    return value;
}

static void compare_grid(const char *text, const char *name, bool is_start, const char *grid,
                         const char *column)
{
    char observe[64];
    (void)snprintf(observe, sizeof observe, "final(%s)", column);
    rh_sweep_def def = sweeping_def(text);
    def.grids = &grid;
    def.grid_count = 1;
    def.observe = observe;
    rh_sweep *sweep = sweeping_run(&def);
    for (uint64_t k = 0; k < rh_sweep_member_count(sweep); k++) {
        const rh_sweep_member it = sweeping_next(sweep);
        char setting[64];
        (void)snprintf(setting, sizeof setting, "%s=%.17g", name, it.values[0]);
        const double wanted = make_and_run(text, setting, is_start, column);
        assert_int_equal(it.stop, RH_STOP_REACHED);
        assert_memory_equal(&it.values[1], &wanted, sizeof wanted);
    }
    rh_sweep_destroy(sweep);
}

// Exponents that become whole, signs, numbers that vanish, sizes: other equations hold for these.
static void members_are_motions_of_their_own(void **state)
{
    (void)state;
    static const char FORCE[] = "param n = 2, k = 1\nstate x\nlaw x' = k - x^n\nstart x = 1/2\n";
    compare_grid(FORCE, "n", false, "n=1:3:5", "x");
    compare_grid(FORCE, "k", false, "k=-1:1:9", "x");
    compare_grid(FORCE, "x", true, "x=0.1:0.9:5", "x");
    static const char CHAIN[] = "param N = 3\ncoord x[1..N]\n"
                                "kinetic sum(i in 1..N: x[i]'^2)/2\n"
                                "potential sum(i in 1..N: (x[i] - 1)^2)\n"
                                "start x = 0, x' = 1\n";
    compare_grid(CHAIN, "N", false, "N=1:4:4", "x[1]");
    static const char BLADE[] = "param a = 1\ncoord x, y, phi\n"
                                "kinetic (x'^2 + y'^2 + phi'^2)/2\n"
                                "constraint blade: x'*sin(phi) = a*y'*cos(phi)\n"
                                "start x = 0, y = 0, phi = 1/2, phi' = 1, x' = 1\n";
    compare_grid(BLADE, "a", false, "a=-1:1:4", "x");
    compare_grid(BLADE, "phi", true, "phi=0.2:1.2:5", "lambda.blade");
}

// A member that cannot begin is a row like others.
static void what_cannot_begin_is_said(void **state)
{
    (void)state;
    const char *grid = "y=0:2:3";
    rh_sweep_def def = sweeping_def("coord x, y\nkinetic (x'^2 + y'^2)/2\n"
                                    "constraint rod: x^2 + y^2 = 1\n"
                                    "start x = 0, x' = 1\n");
    def.grids = &grid;
    def.grid_count = 1;
    rh_sweep *sweep = sweeping_run(&def);
    const rh_stop wanted[] = {RH_STOP_FAILED, RH_STOP_REACHED, RH_STOP_FAILED};
    for (int k = 0; k < 3; k++) {
        const rh_sweep_member it = sweeping_next(sweep);
        assert_int_equal(it.stop, wanted[k]);
        assert_string_equal(it.code, k == 1 ? "" : "E407");
        assert_int_equal(it.reason[0] == '\0', k == 1);
        assert_int_equal(isnan(it.time), k != 1);
    }
    rh_sweep_destroy(sweep);
}

static void a_plan_counts_its_members(void **state)
{
    (void)state;
    const char *grids[] = {"a=0:1:3", "b=5:6:2"};
    const char *randoms[] = {"c=uniform(0, 1)"};
    rh_sweep_def def = sweeping_def("param a = 1, b = 1, c = 1\nstate x\nlaw x' = a + b + c\n"
                                    "start x = 0\n");
    def.grids = grids;
    def.grid_count = 2;
    def.randoms = randoms;
    def.random_count = 1;
    def.draws = 4;
    def.observe = "final(x)";
    rh_sweep *sweep = sweeping_run(&def);
    assert_int_equal(rh_sweep_member_count(sweep), 24);
    assert_int_equal(rh_sweep_varied_count(sweep), 3);
    assert_string_equal(rh_sweep_column_name(sweep, 3), "final(x)");
    for (int k = 0; k < 24; k++) {
        const rh_sweep_member it = sweeping_next(sweep);
        assert_int_equal(it.number, k);
        assert_near(it.values[0], 0.5 * (k / 8), 0.0);
        assert_near(it.values[1], 5.0 + k / 4 % 2, 0.0);
        assert_true(it.values[2] >= 0.0 && it.values[2] < 1.0);
        assert_near(it.values[3], it.values[0] + it.values[1] + it.values[2], 1e-12);
    }
    rh_sweep_destroy(sweep);
}

// As `run` refuses them: what the equations do not tell is not made up.
static void rates_that_are_not_determined_are_failures(void **state)
{
    (void)state;
    static const char *const GRIDS[] = {"m=0:1:3"};
    static const rh_tier TIERS[] = {RH_TIER_INTERPRETED, RH_TIER_EMITTED};
    for (int k = 0; k < 2; k++) {
        rh_sweep_def def = sweeping_def("param m = 1\ncoord x, y\n"
                                        "kinetic (x'^2 + m*(y' + x*x')^2)/2\npotential x^2\n"
                                        "start x = 1, x' = 0, y = 0, y' = 0\n");
        def.grids = GRIDS;
        def.grid_count = 1;
        def.until = 1.0;
        def.motion.tier = TIERS[k];
        rh_sweep *sweep = sweeping_run(&def);
        rh_sweep_rewind(sweep);
        const rh_sweep_member first = sweeping_next(sweep);
        assert_int_equal(first.stop, RH_STOP_FAILED);
        assert_string_equal(first.code, "E409");
        assert_non_null(strstr(first.reason, "y''"));
        assert_null(strstr(first.reason, "x''"));
        assert_int_equal(sweeping_next(sweep).stop, RH_STOP_REACHED);
        assert_int_equal(sweeping_next(sweep).stop, RH_STOP_REACHED);
        rh_sweep_destroy(sweep);
    }
}

// A name is written with an index, and with as many blanks as anybody likes.
static void names_of_any_length_are_varied(void **state)
{
    (void)state;
    static const char TEXT[] = "param N = 2\nstate x[1..N]\nfor i in 1..N:\n    law x[i]' = -x[i]\n"
                               "start x[1] = 1, x[2] = 1\n";
    char grid[1000];
    (void)snprintf(grid, sizeof grid, "x[%600s1]=1.5:3.5:3", "");
    const char *const grids[] = {grid};
    rh_sweep_def def = sweeping_def(TEXT);
    def.grids = grids;
    def.grid_count = 1;
    def.observe = "final(x[1])";
    rh_sweep *sweep = sweeping_run(&def);
    for (int k = 0; k < 3; k++) {
        const rh_sweep_member member = sweeping_next(sweep);
        assert_string_equal(member.reason, "");
        assert_near(member.values[1], (1.5 + k) * exp(-1.0), 1e-12);
    }
    rh_sweep_destroy(sweep);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rates_that_are_not_determined_are_failures),
        cmocka_unit_test(members_are_motions_of_their_own),
        cmocka_unit_test(what_cannot_begin_is_said),
        cmocka_unit_test(names_of_any_length_are_varied),
        cmocka_unit_test(a_plan_counts_its_members),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
