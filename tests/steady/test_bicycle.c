// SPDX-License-Identifier: Apache-2.0
// The Whipple bicycle from its geometry against the published benchmark: eigenvalues of lean and
// steer and the range of speeds at which it is stable by itself (Meijaard, Papadopoulos, Ruina,
// Schwab 2007; state matrix as asserted to 1e-12 by SymPy's test of Kane's method).

#include "resting.h"

#define BICYCLE "examples/whipple_bicycle/model.rhe"

typedef struct ride {
    double speed;
    double roots[4][2]; // rightmost first
    rh_steady_verdict verdict;
} ride;

static const ride RIDES[] = {
    {0.0,
     {{5.5309437176539, 0.0},
      {3.1316432479066, 0.0},
      {-3.1316432479066, 0.0},
      {-5.5309437176539, 0.0}},
     RH_STEADY_UNSTABLE},
    {2.0,
     {{2.6823451751275, 1.6806629659067},
      {2.6823451751275, -1.6806629659067},
      {-3.0715864564151, 0.0},
      {-8.6738798483173, 0.0}},
     RH_STEADY_UNSTABLE},
    {4.0,
     {{0.41325331521127, 3.079108186032},
      {0.41325331521127, -3.079108186032},
      {-1.4294442736133, 0.0},
      {-12.158614265764, 0.0}},
     RH_STEADY_UNSTABLE},
    {5.0,
     {{-0.32286642900411, 0.0},
      {-0.77534188219581, 4.4648677137882},
      {-0.77534188219581, -4.4648677137882},
      {-14.078389692798, 0.0}},
     RH_STEADY_ASYMPTOTICALLY_STABLE},
    {6.0,
     {{-0.0040669007697147, 0.0},
      {-1.5264448658414, 5.876730605987},
      {-1.5264448658414, -5.876730605987},
      {-16.08537123098, 0.0}},
     RH_STEADY_ASYMPTOTICALLY_STABLE},
    {10.0,
     {{0.16105338653171, 0.0},
      {-3.7201684043728, 10.906811394763},
      {-3.7201684043728, -10.906811394763},
      {-24.624596350174, 0.0}},
     RH_STEADY_UNSTABLE},
};

static resting_call upright(double speed)
{
    return (resting_call){.fix = {{"speed", speed}, {"phi", 0.0}, {"delta", 0.0}}, .fix_count = 3};
}

static double matrix_at(const rh_steady_motion *motion, const char *row, const char *column)
{
    for (uint32_t i = 0; i < motion->size; i++) {
        for (uint32_t j = 0; j < motion->size; j++) {
            if (strcmp(motion->rows[i], row) == 0 && strcmp(motion->rows[j], column) == 0) {
                return resting_entry(motion, i, j);
            }
        }
    }
    fail();
    return 0.0;
}

static void check_matrix(const rh_steady_motion *motion, double v)
{
    const double lean[] = {9.48977444677355, -0.891197738059089 * v * v - 0.571523173729245,
                           -0.105522449805691 * v, -0.330515398992311 * v};
    const double steer[] = {11.7194768719633, -1.97171508499972 * v * v + 30.9087533932407,
                            3.67680523332152 * v, -3.08486552743311 * v};
    static const char *const COLUMNS[] = {"phi", "delta", "phi'", "delta'"};
    for (uint32_t k = 0; k < 4; k++) {
        assert_near(matrix_at(motion, "phi'", COLUMNS[k]), lean[k], 1e-11);
        assert_near(matrix_at(motion, "delta'", COLUMNS[k]), steer[k], 1e-11);
    }
}

static void eigenvalues_of_the_benchmark(void **state)
{
    (void)state;
    for (size_t k = 0; k < sizeof RIDES / sizeof *RIDES; k++) {
        const resting_call call = upright(RIDES[k].speed);
        resting it = resting_example(BICYCLE, &call);
        const rh_steady_motion motion = rh_steady_solution(it.steady, 0);
        assert_int_equal(rh_steady_positional_count(it.steady), 3);
        assert_int_equal(motion.size, 5);
        assert_int_equal(motion.dimension, RIDES[k].speed == 0.0 ? motion.dimension : 1);
        assert_int_equal(motion.verdict, RIDES[k].verdict);
        for (uint32_t j = 0; j < 4; j++) {
            assert_near(motion.roots[1 + j].real, RIDES[k].roots[j][0], 1e-12);
            assert_near(motion.roots[1 + j].imaginary, RIDES[k].roots[j][1], 1e-12);
        }
        check_matrix(&motion, RIDES[k].speed);
        resting_end(&it);
    }
}

static void it_is_stable_by_itself_in_a_range_of_speeds(void **state)
{
    (void)state;
    static const double WANTED[] = {4.292382536341, 6.024262015388};
    const resting_call call = upright(2.0);
    resting it = resting_example(BICYCLE, &call);
    rh_walk *walk = NULL;
    rh_walk_def def = rh_walk_def_default();
    rh_walk_point point;
    bool is_there = true;
    size_t count = 0;
    def.name = "speed"; // an observed quantity
    def.from = 2.0;
    def.to = 9.0;
    assert_int_equal(rh_walk_create(it.steady, &def, &walk, &it.err), RH_OK);
    while (is_there) {
        assert_int_equal(rh_walk_step(walk, &point, &is_there, &it.err), RH_OK);
        if (is_there && point.mark == RH_WALK_CHANGE) {
            assert_true(count < 2);
            assert_near(point.value, WANTED[count], 1e-11);
            assert_int_equal(point.motion.verdict,
                             count == 0 ? RH_STEADY_ASYMPTOTICALLY_STABLE : RH_STEADY_UNSTABLE);
            count++;
        }
    }
    assert_int_equal(count, 2);
    rh_walk_destroy(walk);
    resting_end(&it);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(eigenvalues_of_the_benchmark),
        cmocka_unit_test(it_is_stable_by_itself_in_a_range_of_speeds),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
