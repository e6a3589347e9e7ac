// SPDX-License-Identifier: Apache-2.0
// Hoop and torus against the formulas of the rolling disc and 30-digit linearisations (the numbers
// of the READMEs of the examples).

#include "resting.h"

static void check_pair(const rh_steady_motion *motion, double real, double imaginary)
{
    assert_int_equal(motion->size, 4);
    assert_int_equal(motion->dimension, 2);
    for (uint32_t k = 2; k < 4; k++) {
        assert_near(motion->roots[k].real, real, 1e-12);
        assert_near(fabs(motion->roots[k].imaginary), imaginary, 1e-12);
    }
}

static double threshold(const char *path, const resting_call *call, const char *name)
{
    resting it = resting_example(path, call);
    rh_walk *walk = NULL;
    rh_walk_def def = rh_walk_def_default();
    rh_walk_point point;
    bool is_there = true;
    double at = 0.0;
    def.name = name;
    def.from = 1.0;
    def.to = 5.0;
    assert_int_equal(rh_walk_create(it.steady, &def, &walk, &it.err), RH_OK);
    while (is_there) {
        assert_int_equal(rh_walk_step(walk, &point, &is_there, &it.err), RH_OK);
        at = is_there && point.mark == RH_WALK_CHANGE ? point.value : at;
    }
    rh_walk_destroy(walk);
    resting_end(&it);
    return at;
}

static void the_hoop(void **state)
{
    (void)state;
    const resting_call call = {.fix = {{"theta", 0.3}, {"w3", 4.0}},
                               .fix_count = 2,
                               .guess = {{"w2", 1.0}},
                               .guess_count = 1,
                               .set = {"h=0.1"},
                               .set_count = 1};
    resting it = resting_example("examples/hoop/model.rhe", &call);
    assert_int_equal(rh_steady_summarise(it.steady).solution_count, 2);
    const rh_steady_motion small = rh_steady_solution(it.steady, 0);
    const rh_steady_motion large = rh_steady_solution(it.steady, 1);
    assert_near(resting_value(&it, &small, "w2"), 0.74830468553768728, 1e-13);
    assert_near(resting_value(&it, &large, "w2"), -54.890118474723649, 1e-13);
    check_pair(&small, -0.13333333333333333, 5.7508143049680287);
    resting_end(&it);
    resting_call upright = {.fix = {{"theta", 0.0}, {"w2", 0.0}, {"w3", 1.0}},
                            .fix_count = 3,
                            .set = {"h=0.1"},
                            .set_count = 1};
    assert_near(threshold("examples/hoop/model.rhe", &upright, "w3"), 2.2147234590350102, 1e-12);
    upright.fix[1] = (rh_steady_value){"w3", 0.0};
    upright.fix[2] = (rh_steady_value){"w2", 1.0};
    assert_near(threshold("examples/hoop/model.rhe", &upright, "w2"), 3.6166282640050250, 1e-12);
}

static void the_torus(void **state)
{
    (void)state;
    const resting_call call = {.fix = {{"theta", 0.3}, {"w3", 6.0}},
                               .fix_count = 2,
                               .guess = {{"w2", 1.0}},
                               .guess_count = 1};
    resting it = resting_example("examples/rolling_torus/model.rhe", &call);
    const rh_steady_motion small = resting_near(&it, "w2", 0.48);
    const rh_steady_motion large = resting_near(&it, "w2", -63.0);
    assert_near(resting_value(&it, &small, "w2"), 0.48080181730339095, 1e-13);
    assert_near(resting_value(&it, &large, "w2"), -63.533422536970404, 1e-13);
    check_pair(&small, 0.0, 8.8905816939042780);
    assert_int_equal(small.verdict, RH_STEADY_UNDECIDED);
    resting_end(&it);
    resting_call upright = {.fix = {{"theta", 0.0}, {"w2", 0.0}, {"w3", 1.0}}, .fix_count = 3};
    assert_near(threshold("examples/rolling_torus/model.rhe", &upright, "w3"), 2.1999276875318226,
                1e-9);
    upright.fix[1] = (rh_steady_value){"w3", 0.0};
    upright.fix[2] = (rh_steady_value){"w2", 1.0};
    assert_near(threshold("examples/rolling_torus/model.rhe", &upright, "w2"), 3.4161218473345519,
                1e-9);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_hoop),
        cmocka_unit_test(the_torus),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
