// SPDX-License-Identifier: Apache-2.0
// Models without quasi-velocities: the frames that are found leave as few positional coordinates as
// those of a textbook, and the same motions have the same roots and verdicts in them.

#include "resting.h"

typedef struct frame_case {
    const char *name;
    const char *model; // without quasi-velocities
    const char *quasis;
    uint32_t positional;
    uint32_t dimension;
    rh_steady_verdict verdict;
    rh_steady_value fix[3];
    uint32_t fix_count;
    const char *row; // the first quasi-velocity that is found begins so; NULL: any
} frame_case;

static const char DISC[] =
    "param m = 1, a = 0.5, g = 9.81, h = 0.1\n"
    "param A = m*a^2/4, C = m*a^2/2\n"
    "coord theta, psi, phi, x, y\n"
    "let xc = x - a*sin(theta)*sin(psi)\n"
    "let yc = y + a*sin(theta)*cos(psi)\n"
    "let zc = a*cos(theta)\n"
    "let s = phi' - sin(theta)*psi'\n"
    "kinetic m/2*(xc'^2 + yc'^2 + zc'^2) + (A*theta'^2 + A*cos(theta)^2*psi'^2 + C*s^2)/2\n"
    "potential m*g*zc\n"
    "dissipation h*theta'^2/2\n"
    "constraint roll_x: x' = a*cos(psi)*phi'\n"
    "constraint roll_y: y' = a*sin(psi)*phi'\n"
    "start theta = 0.5, psi = 0.4, phi = 0, x = 0.1, y = -0.2\n"
    "start theta' = 0, psi' = 1, phi' = 6\n"
    "observe spun = s\n";

static const char TORUS[] =
    "param m = 1, a = 0.4, b = 0.1, g = 9.81, h = 0.05\n"
    "param A = m*(a^2/2 + 5*b^2/8), C = m*(a^2 + 3*b^2/4)\n"
    "coord theta, psi, phi, x, y\n"
    "let xc = x - a*sin(theta)*sin(psi)\n"
    "let yc = y + a*sin(theta)*cos(psi)\n"
    "let zc = b + a*cos(theta)\n"
    "let ro = a + b*cos(theta)\n"
    "let s = phi' - sin(theta)*psi'\n"
    "kinetic m/2*(xc'^2 + yc'^2 + zc'^2) + (A*theta'^2 + A*cos(theta)^2*psi'^2 + C*s^2)/2\n"
    "potential m*g*zc\n"
    "dissipation h*theta'^2/2\n"
    "constraint roll_x: x' = ro*cos(psi)*phi' - b*sin(psi)*theta'\n"
    "constraint roll_y: y' = ro*sin(psi)*phi' + b*cos(psi)*theta'\n"
    "start theta = 0.3, psi = 0.4, phi = 0, x = 0.1, y = -0.2\n"
    "start theta' = 0, psi' = 0.5, phi' = 6\n"
    "observe spun = s\n";

static const char RATTLEBACK[] = "param m = 1, g = 9.81, h = 0.002, a = 0.2, b = 0.03, c = 0.02\n"
                                 "param J1 = 0.0002, J2 = 0.0016, J3 = 0.0017, delta = 0.05\n"
                                 "coord al, be, ps, x, y\n"
                                 "let R = rotz(ps)*rotx(al)*roty(be)\n"
                                 "let w = spin(R)\n"
                                 "let n = transpose(R)*[0, 0, 1]\n"
                                 "let E = diag(a^2, b^2, c^2)\n"
                                 "let r = sqrt(dot(n, E*n))\n"
                                 "let rho = (-1/r)*(E*n)\n"
                                 "let J = rotz(delta)*diag(J1, J2, J3)*transpose(rotz(delta))\n"
                                 "let vc = [x', y', r'] + R*cross(w, rho)\n"
                                 "kinetic m/2*(x'^2 + y'^2 + r'^2) + dot(w, J*w)/2\n"
                                 "potential m*g*r\n"
                                 "dissipation h/2*(al'^2 + be'^2)\n"
                                 "constraint roll_x: vc.x = 0\n"
                                 "constraint roll_y: vc.y = 0\n"
                                 "start al = 0.01, be = 0.02, ps = 0.3, x = 0, y = 0\n"
                                 "start al' = 0, be' = 0, ps' = 3\n"
                                 "observe spun = w.z\n";

static const char SLEIGH[] = "param m = 2, J = 0.3, l = 0.25\n"
                             "coord x, y, th\n"
                             "let xc = x + l*cos(th)\n"
                             "let yc = y + l*sin(th)\n"
                             "kinetic m/2*(xc'^2 + yc'^2) + J/2*th'^2\n"
                             "constraint blade: -sin(th)*x' + cos(th)*y' = 0\n"
                             "start x = 0, y = 0, th = 0.2, th' = 0.1\n"
                             "observe ahead = cos(th)*x' + sin(th)*y'\n";

static const char TOP[] = "param A = 1, C = 0.5, m = 1, g = 9.81, l = 0.3\n"
                          "coord psi, theta, phi\n"
                          "kinetic A/2*(theta'^2 + psi'^2*sin(theta)^2) + "
                          "C/2*(phi' + psi'*cos(theta))^2\n"
                          "potential m*g*l*cos(theta)\n"
                          "start theta = 0.5, psi = 0, phi = 0\n"
                          "start psi' = 0.3, phi' = 20\n"
                          "observe spun = phi' + psi'*cos(theta)\n";

// A ball, its energy multiplied out: no square of an angular velocity stands anywhere.
static const char BALL[] =
    "param m = 1, a = 0.5, I = 0.1\n"
    "coord x, y, psi, theta, phi\n"
    "kinetic m/2*(x'^2 + y'^2) + I/2*(theta'^2 + psi'^2 + phi'^2 + 2*psi'*phi'*cos(theta))\n"
    "constraint rx: x' = a*(theta'*sin(psi) - phi'*sin(theta)*cos(psi))\n"
    "constraint ry: y' = -a*(theta'*cos(psi) + phi'*sin(theta)*sin(psi))\n"
    "start theta = 1, psi = 0.3, phi = 0.2\n"
    "start x' = 1, y' = 0.3, psi' = 0.7\n";

// The same in other angles, out of order, some of them backwards.
static const char OTHER_BALL[] = "param m = 1, a = 0.5, I = 0.1\n"
                                 "coord r, x, p, y, q\n"
                                 "let R = rotx(-p)*roty(q)*rotz(-r)\n"
                                 "let W = R*spin(R)\n"
                                 "kinetic m/2*(x'^2 + y'^2) + I/2*dot(W, W)\n"
                                 "constraint rx: x' = a*W.y\n"
                                 "constraint ry: y' = -a*W.x\n"
                                 "start p = 0.1, q = 0.3, r = 0.2\n"
                                 "start x' = 1, y' = 0.3, r' = 0.7\n";

static const char BODY[] = "param A = 1, B = 2, C = 3\n"
                           "coord psi, theta, phi\n"
                           "let w1 = psi'*sin(theta)*sin(phi) + theta'*cos(phi)\n"
                           "let w2 = psi'*sin(theta)*cos(phi) - theta'*sin(phi)\n"
                           "let w3 = psi'*cos(theta) + phi'\n"
                           "kinetic A/2*w1^2 + B/2*w2^2 + C/2*w3^2\n"
                           "start psi = 0, theta = 1, phi = 0.5\n"
                           "start psi' = 1, theta' = -0.5, phi' = -0.6\n"
                           "observe first = w1\n"
                           "observe second = w2\n"
                           "observe third = w3\n";

// A body in flight with a principal system that is turned, and a force that brakes its place.
static const char FLIGHT[] = "coord c, x, a, y, b, z\n"
                             "let R = rotz(a)*rotx(-b)*rotz(c)\n"
                             "let w = spin(R)\n"
                             "let J = rotx(0.4)*diag(1, 2, 2.5)*transpose(rotx(0.4))\n"
                             "kinetic (x'^2 + y'^2 + z'^2)/2 + dot(w, J*w)/2\n"
                             "dissipation (x'^2 + y'^2 + z'^2)/2\n"
                             "start a = 0.2, b = 0.7, c = 0.5, x = 0, y = 0, z = 0\n"
                             "start a' = 0.1, b' = 0.2, c' = 1\n"
                             "observe first = w.x\n";

// Velocities of the angles are singular where the car goes straight.
static const char TRAILER[] =
    "param m = 2, J = 0.5, m2 = 1, J2 = 0.2, l = 1.2, d = 0.3\n"
    "coord x, y, th, be\n"
    "let xt = x - d*cos(th) - l*cos(th + be)\n"
    "let yt = y - d*sin(th) - l*sin(th + be)\n"
    "kinetic m/2*(x'^2 + y'^2) + J/2*th'^2 + m2/2*(xt'^2 + yt'^2) + J2/2*(th' + be')^2\n"
    "dissipation 0.3*be'^2/2\n"
    "constraint front: -sin(th)*x' + cos(th)*y' = 0\n"
    "constraint rear: -sin(th + be)*xt' + cos(th + be)*yt' = 0\n"
    "start x = 0, y = 0, th = 0.3, be = 0.1\n"
    "observe ahead = cos(th)*x' + sin(th)*y'\n";

static const char WIRE[] = "param m = 1\n"
                           "coord x\n"
                           "kinetic m/2*(1 + 4*x^2)*x'^2\n"
                           "start x = 0.3, x' = 1\n";

#define LEAN "quasi u1 = theta'\nquasi u2 = psi'\nquasi u3 = s\n"
#define SPACE                                                                                      \
    "quasi u1 = theta'*cos(psi) + phi'*sin(theta)*sin(psi)\n"                                      \
    "quasi u2 = theta'*sin(psi) - phi'*sin(theta)*cos(psi)\n"                                      \
    "quasi u3 = psi' + phi'*cos(theta)\n"
#define FREE "quasi u1 = w1\nquasi u2 = w2\nquasi u3 = w3\n"

static const frame_case CASES[] = {
    {"disc",
     DISC,
     LEAN,
     1,
     2,
     RH_STEADY_ASYMPTOTICALLY_STABLE,
     {{"theta", 0.5}, {"spun", 6.0}},
     2,
     NULL},
    {"torus",
     TORUS,
     LEAN,
     1,
     2,
     RH_STEADY_ASYMPTOTICALLY_STABLE,
     {{"theta", 0.3}, {"spun", 6.0}},
     2,
     NULL},
    {"rattleback",
     RATTLEBACK,
     "quasi u1 = w.x\nquasi u2 = w.y\nquasi u3 = w.z\n",
     2,
     1,
     RH_STEADY_ASYMPTOTICALLY_STABLE,
     {{"spun", 5.0}, {"al", 0.0}, {"be", 0.0}},
     3,
     NULL},
    {"rattleback the other way",
     RATTLEBACK,
     "quasi u1 = w.x\nquasi u2 = w.y\nquasi u3 = w.z\n",
     2,
     1,
     RH_STEADY_UNSTABLE,
     {{"spun", -5.0}, {"al", 0.0}, {"be", 0.0}},
     3,
     NULL},
    {"sleigh",
     SLEIGH,
     "quasi u1 = cos(th)*x' + sin(th)*y'\nquasi u2 = th'\n",
     0,
     1,
     RH_STEADY_ASYMPTOTICALLY_STABLE,
     {{"ahead", 1.5}},
     1,
     "along."},
    {"sleigh backwards",
     SLEIGH,
     "quasi u1 = cos(th)*x' + sin(th)*y'\nquasi u2 = th'\n",
     0,
     1,
     RH_STEADY_UNSTABLE,
     {{"ahead", -1.5}},
     1,
     "along."},
    {"top",
     TOP,
     "quasi u1 = theta'\nquasi u2 = psi'\nquasi u3 = phi' + psi'*cos(theta)\n",
     1,
     2,
     RH_STEADY_UNDECIDED,
     {{"theta", 0.5}, {"spun", 20.0}},
     2,
     NULL},
    {"ball", BALL, SPACE, 0, 3, RH_STEADY_STABLE, {{NULL, 0.0}}, 0, "spin."},
    {"another ball",
     OTHER_BALL,
     "quasi u1 = W.x\nquasi u2 = W.y\nquasi u3 = W.z\n",
     0,
     3,
     RH_STEADY_STABLE,
     {{NULL, 0.0}},
     0,
     "spin."},
    {"body about its middle axis",
     BODY,
     FREE,
     0,
     1,
     RH_STEADY_UNSTABLE,
     {{"first", 0.0}, {"second", 1.0}, {"third", 0.0}},
     3,
     "spin.body."},
    {"body about its short axis",
     BODY,
     FREE,
     0,
     1,
     RH_STEADY_UNDECIDED,
     {{"first", 0.0}, {"second", 0.0}, {"third", 1.0}},
     3,
     "spin.body."},
    {"body in flight",
     FLIGHT,
     "quasi u1 = w.x\nquasi u2 = w.y\nquasi u3 = w.z\nquasi u4 = x'\nquasi u5 = y'\nquasi u6 = "
     "z'\n",
     0,
     1,
     RH_STEADY_UNDECIDED,
     {{"first", 1.0}},
     1,
     "spin.body."},
    {"wire",
     WIRE,
     "quasi u1 = sqrt(1 + 4*x^2)*x'\n",
     0,
     1,
     RH_STEADY_STABLE,
     {{NULL, 0.0}},
     0,
     "length."},
};

static resting look(const frame_case *of, const char *quasis)
{
    char text[4096];
    resting_call call = {.fix_count = of->fix_count};
    (void)snprintf(text, sizeof text, "%s%s", of->model, quasis);
    memcpy(call.fix, of->fix, sizeof of->fix);
    return resting_begin(text, &call);
}

static void check(const frame_case *of, const resting *it, const rh_steady_motion *motion)
{
    if (rh_steady_positional_count(it->steady) != of->positional) {
        fail_msg("%s: %zu positional", of->name, rh_steady_positional_count(it->steady));
    }
    if (motion->verdict != of->verdict || motion->dimension != of->dimension) {
        fail_msg("%s: %s, dimension %u: %s", of->name, rh_steady_verdict_text(motion->verdict),
                 motion->dimension, motion->reason);
    }
    for (size_t k = 0; k < RH_STEADY_CONDITIONS; k++) {
        const rh_steady_condition condition = rh_steady_condition_at(it->steady, k);
        if (!condition.is_asked || !condition.holds) {
            fail_msg("%s: (%s) %s", of->name, condition.name, condition.witness);
        }
    }
}

static void frames_that_are_found_serve_as_well(void **state)
{
    (void)state;
    for (size_t k = 0; k < sizeof CASES / sizeof *CASES; k++) {
        const frame_case *of = &CASES[k];
        resting given = look(of, of->quasis);
        resting found = look(of, "");
        assert_true(rh_steady_summarise(given.steady).is_frame_given);
        assert_false(rh_steady_summarise(found.steady).is_frame_given);
        const rh_steady_motion one = rh_steady_solution(given.steady, 0);
        const rh_steady_motion other = rh_steady_solution(found.steady, 0);
        check(of, &given, &one);
        check(of, &found, &other);
        const char *row = rh_steady_velocity_name(found.steady, 0);
        if (of->row != NULL && strncmp(row, of->row, strlen(of->row)) != 0) {
            fail_msg("%s: %s", of->name, row);
        }
        assert_int_equal(one.size, other.size);
        for (uint32_t j = 0; j < one.size; j++) {
            assert_near(one.roots[j].real, other.roots[j].real, 1e-8);
            assert_near(fabs(one.roots[j].imaginary), fabs(other.roots[j].imaginary), 1e-8);
        }
        resting_end(&given);
        resting_end(&found);
    }
}

// Straight ahead the velocities of the angles say nothing of the speed: a frame that is regular
// there is found, and its motion.
static void frames_are_regular_where_they_are_needed(void **state)
{
    (void)state;
    const resting_call call = {.fix = {{"ahead", 1.0}, {"be", 0.0}}, .fix_count = 2};
    resting it = resting_begin(TRAILER, &call);
    assert_true(rh_steady_summarise(it.steady).solution_count > 0);
    const rh_steady_motion motion = rh_steady_solution(it.steady, 0);
    assert_near(motion.roots[2].real, -1.6463414634146341, 1e-12);
    resting_end(&it);
}

// Whoever names velocities gets them.
static void velocities_that_are_named_are_kept(void **state)
{
    (void)state;
    const resting_call call = {.fix = {{"psi'", 1.0}, {"theta", 1.5707963267948966}},
                               .fix_count = 2};
    resting it = resting_begin(BODY, &call);
    assert_string_equal(rh_steady_velocity_name(it.steady, 0), "psi'");
    assert_int_equal(rh_steady_positional_count(it.steady), 2);
    resting_end(&it);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(frames_that_are_found_serve_as_well),
        cmocka_unit_test(frames_are_regular_where_they_are_needed),
        cmocka_unit_test(velocities_that_are_named_are_kept),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
