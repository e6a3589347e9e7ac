// SPDX-License-Identifier: Apache-2.0
// Hoop and torus against the formulas of the rolling disc and 30-digit linearisations (the numbers
// of the READMEs of the examples); balls in a bowl and in a pipe by hand.

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

#define BALL                                                                                       \
    "param m = 1, r = 0.1, g = 9.81, h = 0.1\nparam I = 2/5*m*r^2\n"                               \
    "let R = rotz(a)*rotx(b)*rotz(c)\nlet w = R*spin(R)\n"

// The spin about the normal is constant, and no algebra shows it: its rate is rounding.
static void a_ball_in_a_bowl(void **state)
{
    (void)state;
    static const char BOWL[] =
        BALL "coord th, ps, a, b, c\nparam d = 0.9\nlet n = [sin(th)*cos(ps), sin(th)*sin(ps), "
             "-cos(th)]\nlet v = d*n'\n"
             "let u = v + r*cross(w, n)\n"
             "kinetic m/2*dot(v, v) + I/2*dot(w, w)\npotential -m*g*d*cos(th)\n"
             "dissipation h/2*th'^2\n"
             "constraint c1: dot(u, [cos(th)*cos(ps), cos(th)*sin(ps), sin(th)]) = 0\n"
             "constraint c2: dot(u, [-sin(ps), cos(ps), 0]) = 0\n"
             "quasi w1 = th'\nquasi w2 = ps'\nquasi w3 = dot(w, n)\nstart th = 0.5, b = 1\n";
    const resting_call call = {.fix = {{"th", 0.5}, {"w3", 2.0}}, .fix_count = 2};
    resting it = resting_begin(BOWL, &call);
    // 7/5 d cos(th) w2^2 - 2/5 r w3 w2 = g
    const double c = 1.4 * 0.9 * cos(0.5);
    const double root = sqrt(0.0064 + 4.0 * c * 9.81);
    const double wanted[] = {(0.08 - root) / (2.0 * c), (0.08 + root) / (2.0 * c)};
    assert_int_equal(rh_steady_summarise(it.steady).solution_count, 2);
    for (size_t k = 0; k < 2; k++) {
        const rh_steady_motion motion = rh_steady_solution(it.steady, k);
        const double turn = resting_value(&it, &motion, "w2");
        assert_near(turn, turn < 0.0 ? wanted[0] : wanted[1], 1e-12);
        assert_int_equal(motion.dimension, 2);
        assert_int_equal(motion.verdict, RH_STEADY_ASYMPTOTICALLY_STABLE);
    }
    resting_end(&it);
}

// In an upright pipe it does not fall: it goes up and down sqrt(2/7) times in a round.
static void a_ball_in_a_pipe(void **state)
{
    (void)state;
    static const char PIPE[] =
        BALL "coord ps, z, a, b, c\nparam d = 0.5\nlet n = [cos(ps), sin(ps), 0]\n"
             "let u = [d*cos(ps), d*sin(ps), z]' + r*cross(w, n)\n"
             "kinetic m/2*(d^2*ps'^2 + z'^2) + I/2*dot(w, w)\npotential m*g*z\n"
             "constraint c1: u.z = 0\n"
             "constraint c2: dot(u, [-sin(ps), cos(ps), 0]) = 0\n"
             "quasi w1 = z'\nquasi w2 = ps'\nquasi w3 = dot(w, n)\nstart b = 1\n";
    const resting_call call = {.fix = {{"w2", 5.0}}, .fix_count = 1};
    resting it = resting_begin(PIPE, &call);
    const rh_steady_motion motion = rh_steady_solution(it.steady, 0);
    // the spin carries it: 2/5 r w3 w2 = -g
    assert_near(resting_value(&it, &motion, "w3"), -9.81 / (0.4 * 0.1 * 5.0), 1e-11);
    assert_int_equal(motion.verdict, RH_STEADY_UNDECIDED);
    assert_near(fabs(motion.roots[motion.size - 1].imaginary), 5.0 * sqrt(2.0 / 7.0), 1e-12);
    resting_end(&it);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_hoop),
        cmocka_unit_test(the_torus),
        cmocka_unit_test(a_ball_in_a_bowl),
        cmocka_unit_test(a_ball_in_a_pipe),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
