// SPDX-License-Identifier: Apache-2.0
// Steady motions of the thin rolling disc against closed forms evaluated at 30 digits (reference
// cases DISC-G, DISC-T, DISC-CHART of the theory; a0 of the characteristic polynomial decides).

#include "resting.h"

#define DISC "examples/rolling_disc/model.rhe"

static void the_split_of_the_disc(void **state)
{
    (void)state;
    const resting_call call = {.fix = {{"theta", 0.5}, {"w3", 6.0}}, .fix_count = 2};
    resting it = resting_example(DISC, &call);
    assert_int_equal(rh_steady_positional_count(it.steady), 1);
    assert_string_equal(rh_steady_positional(it.steady, 0), "theta");
    assert_int_equal(rh_steady_cyclic_count(it.steady), 4);
    assert_string_equal(rh_steady_cyclic(it.steady, 0), "psi");
    assert_string_equal(rh_steady_cyclic(it.steady, 3), "y");
    assert_true(rh_steady_summarise(it.steady).is_frame_given);
    for (size_t k = 0; k < RH_STEADY_CONDITIONS; k++) {
        const rh_steady_condition condition = rh_steady_condition_at(it.steady, k);
        assert_true(condition.is_asked && condition.holds && condition.is_proved);
    }
    resting_end(&it);
}

// --- DISC-G --------------------------------------------------------------------------------------

static void check_matrix(const rh_steady_motion *motion, const double row2[4], double g32,
                         double g42)
{
    static const double ROW1[] = {0.0, 1.0, 0.0, 0.0};
    assert_int_equal(motion->size, 4);
    for (uint32_t j = 0; j < 4; j++) {
        assert_near(resting_entry(motion, 0, j), ROW1[j], 1e-14);
        assert_near(resting_entry(motion, 1, j), row2[j], 1e-13);
        assert_near(resting_entry(motion, 2, j), j == 1 ? g32 : 0.0, 1e-13);
        assert_near(resting_entry(motion, 3, j), j == 1 ? g42 : 0.0, 1e-13);
    }
}

static void check_roots(const rh_steady_motion *motion, double real, double imaginary)
{
    assert_int_equal(motion->zero_count, 2);
    assert_int_equal(motion->dimension, 2);
    assert_true(motion->is_certain);
    for (uint32_t k = 0; k < 2; k++) {
        assert_true(motion->roots[k].real == 0.0 && motion->roots[k].imaginary == 0.0);
        assert_near(motion->roots[2 + k].real, real, 1e-13);
        assert_near(fabs(motion->roots[2 + k].imaginary), imaginary, 1e-13);
    }
}

static void two_motions_with_their_matrices(void **state)
{
    (void)state;
    static const double SMALL[] = {17.673696675566602166, -0.32, -6.5159408164065752609,
                                   -1.2348927303942436661};
    static const double LARGE[] = {-877.94940468079603577, -0.32, 6.5159408164065752609,
                                   80.311962308372166578};
    const resting_call call = {.fix = {{"theta", 0.5}, {"w3", 6.0}},
                               .fix_count = 2,
                               .guess = {{"w2", 1.0}},
                               .guess_count = 1,
                               .set = {"h=0.1"},
                               .set_count = 1};
    resting it = resting_example(DISC, &call);
    assert_int_equal(rh_steady_summarise(it.steady).solution_count, 2);
    const rh_steady_motion small = rh_steady_solution(it.steady, 0); // nearest to the guess
    const rh_steady_motion large = rh_steady_solution(it.steady, 1);
    assert_near(resting_value(&it, &small, "w2"), 1.1726273059845602709, 1e-14);
    assert_near(resting_value(&it, &large, "w2"), -76.262494451590134959, 1e-14);
    check_matrix(&small, SMALL, 14.955145561730952804, 0.68605151688569092562);
    check_matrix(&large, LARGE, -69.650854073309310675, -44.617756837984536988);
    check_roots(&small, -0.16, 8.9774576989421585609);
    check_roots(&large, -0.16, 70.107804509134209364);
    assert_int_equal(small.verdict, RH_STEADY_ASYMPTOTICALLY_STABLE);
    assert_int_equal(large.verdict, RH_STEADY_ASYMPTOTICALLY_STABLE);
    assert_non_null(strstr(small.reason, "Lyapunov-Malkin"));
    assert_true(small.dissipation == 0.0 && !small.is_rest);
    resting_end(&it);
}

static void without_damping_nothing_is_decided(void **state)
{
    (void)state;
    const resting_call call = {.fix = {{"theta", 0.5}, {"w3", 6.0}}, .fix_count = 2};
    resting it = resting_example(DISC, &call);
    const rh_steady_motion small = resting_near(&it, "w2", 1.17);
    assert_int_equal(small.verdict, RH_STEADY_UNDECIDED);
    assert_non_null(strstr(small.reason, "spectrally stable"));
    assert_near(small.roots[2].real, 0.0, 1e-12);
    resting_end(&it);
}

// --- DISC-CHART ----------------------------------------------------------------------------------

typedef struct chart_point {
    double theta, w3, w2, a0;
} chart_point;

static const chart_point CHART[] = {
    {0.05, 0.5, 1.281722297304978, -13.37115406758926},
    {0.05, 1.5, 0.4353113800856129, -10.02180792421202},
    {0.05, 2.5, 0.2615902151143507, -0.5426527107471659},
    {0.05, 4.0, 0.1635806624607322, 22.81575281457828},
    {0.3, 0.5, 5.312311666600902, 14.40976047237534},
    {0.3, 1.5, 2.493289902147824, -1.385174394830017},
    {0.3, 2.5, 1.569892083208192, 4.703179572274228},
    {0.3, 4.0, 0.9992350258502263, 26.73098278234597},
    {0.6, 0.5, 7.450174169089105, 40.2788334063424},
    {0.6, 1.5, 4.624156356684612, 18.93442131870328},
    {0.6, 2.5, 3.195116735750647, 19.97288749858682},
    {0.6, 4.0, 2.130353345102222, 39.02826562035664},
    {0.9, 0.5, 9.483322091303518, 66.13185835815367},
    {0.9, 1.5, 6.874887760457271, 47.46262938938103},
    {0.9, 2.5, 5.187727756994467, 45.86874297114407},
    {0.9, 4.0, 3.678961532831151, 61.91062777933532},
    {1.2, 0.5, 13.19507156046311, 120.8211747072509},
    {1.2, 1.5, 10.66033384429994, 103.6742650946545},
    {1.2, 2.5, 8.726132295065403, 99.66439674376275},
    {1.2, 4.0, 6.678700671461291, 111.6166517395002},
};

// lambda^2 + a1 lambda + a0 with a1 = h / (A + m a^2) = 0.32.
static void check_point(const resting *it, const chart_point *point)
{
    const rh_steady_motion small = resting_near(it, "w2", point->w2);
    assert_near(resting_value(it, &small, "w2"), point->w2, 1e-13);
    const rh_steady_root *a = &small.roots[2];
    const rh_steady_root *b = &small.roots[3];
    assert_near(a->real * b->real - a->imaginary * b->imaginary, point->a0, 1e-12);
    assert_near(a->real + b->real, -0.32, 1e-12);
    assert_int_equal(small.verdict,
                     point->a0 > 0.0 ? RH_STEADY_ASYMPTOTICALLY_STABLE : RH_STEADY_UNSTABLE);
    for (uint32_t k = 0; k < rh_steady_summarise(it->steady).solution_count; k++) {
        const rh_steady_motion motion = rh_steady_solution(it->steady, k);
        if (fabs(resting_value(it, &motion, "w2") - point->w2) > 1e-6) { // the large one
            assert_int_equal(motion.verdict, RH_STEADY_ASYMPTOTICALLY_STABLE);
        }
    }
}

static void twenty_points_of_the_chart(void **state)
{
    (void)state;
    for (size_t k = 0; k < sizeof CHART / sizeof *CHART; k++) {
        const resting_call call = {.fix = {{"theta", CHART[k].theta}, {"w3", CHART[k].w3}},
                                   .fix_count = 2,
                                   .guess = {{"w2", 1.0}},
                                   .guess_count = 1,
                                   .set = {"h=0.1"},
                                   .set_count = 1};
        resting it = resting_example(DISC, &call);
        assert_int_equal(rh_steady_summarise(it.steady).solution_count, 2);
        check_point(&it, &CHART[k]);
        resting_end(&it);
    }
}

// --- DISC-T --------------------------------------------------------------------------------------

// All changes of the verdict along a walk; hands back how many.
static size_t walk_along(const resting_call *call, const char *name, double from, double to,
                         double *out, size_t limit)
{
    resting it = resting_example(DISC, call);
    rh_walk *walk = NULL;
    rh_walk_def def = rh_walk_def_default();
    rh_walk_point point;
    size_t count = 0;
    bool is_there = true;
    def.name = name;
    def.from = from;
    def.to = to;
    assert_int_equal(rh_walk_create(it.steady, &def, &walk, &it.err), RH_OK);
    double last = from;
    while (is_there) {
        assert_int_equal(rh_walk_step(walk, &point, &is_there, &it.err), RH_OK);
        if (is_there && point.mark == RH_WALK_CHANGE) {
            // where a verdict is given up the mark is a threshold, and what decides vanishes near
            // by
            const bool is_threshold =
                point.before == RH_STEADY_UNDECIDED || point.motion.verdict == RH_STEADY_UNDECIDED;
            assert_true(count < limit && point.high - point.low < (is_threshold ? 1e-7 : 1e-12));
            assert_true(point.before != point.motion.verdict);
            out[count++] = point.value;
        }
        last = is_there ? point.value : last;
    }
    assert_string_equal(rh_walk_reason(walk), "");
    assert_near(last, to, 1e-14);
    rh_walk_destroy(walk);
    resting_end(&it);
    return count;
}

static void thresholds_of_upright_motions(void **state)
{
    (void)state;
    double at[4];
    resting_call call = {.fix = {{"theta", 0.0}, {"w2", 0.0}, {"w3", 1.0}},
                         .fix_count = 3,
                         .set = {"h=0.1"},
                         .set_count = 1};
    assert_int_equal(walk_along(&call, "w3", 1.0, 5.0, at, 4), 1);
    assert_near(at[0], 2.5573423705088843657, 1e-12);
    call.fix[1] = (rh_steady_value){"w3", 0.0};
    call.fix[2] = (rh_steady_value){"w2", 1.0};
    assert_int_equal(walk_along(&call, "w2", 1.0, 5.0, at, 4), 1);
    assert_near(at[0], 3.9618177646126026729, 1e-12);
}

static void thresholds_of_leaning_motions(void **state)
{
    (void)state;
    double at[4];
    resting_call call = {.fix = {{"theta", 0.05}, {"w3", 0.01}},
                         .fix_count = 2,
                         .guess = {{"w2", 10.0}},
                         .guess_count = 1,
                         .set = {"h=0.1"},
                         .set_count = 1};
    assert_int_equal(walk_along(&call, "w3", 0.01, 5.0, at, 4), 2);
    assert_near(at[0], 0.13283866611445560855, 1e-12);
    assert_near(at[1], 2.545015027903908602, 1e-12);
    call.fix[0].value = 0.3;
    call.fix[1].value = 0.1;
    assert_int_equal(walk_along(&call, "w3", 0.1, 5.0, at, 4), 2);
    assert_near(at[0], 1.0972625322554901013, 1e-12);
    assert_near(at[1], 1.9193358146405227362, 1e-12);
    call.fix[0].value = 0.33; // beyond the critical lean there is no threshold
    assert_int_equal(walk_along(&call, "w3", 0.1, 5.0, at, 4), 0);
}

// Along the damping: with none nothing is decided, with any it is stable.
static void a_walk_along_a_parameter(void **state)
{
    (void)state;
    double at[4];
    const resting_call call = {.fix = {{"theta", 0.5}, {"w3", 6.0}, {"h", 0.0}},
                               .fix_count = 3,
                               .guess = {{"w2", 1.0}},
                               .guess_count = 1};
    assert_int_equal(walk_along(&call, "h", 0.0, 1.0, at, 4), 1);
    assert_near(at[0], 0.0, 1e-7);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_split_of_the_disc),
        cmocka_unit_test(two_motions_with_their_matrices),
        cmocka_unit_test(without_damping_nothing_is_decided),
        cmocka_unit_test(twenty_points_of_the_chart),
        cmocka_unit_test(thresholds_of_upright_motions),
        cmocka_unit_test(thresholds_of_leaning_motions),
        cmocka_unit_test(a_walk_along_a_parameter),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
