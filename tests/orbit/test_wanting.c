// SPDX-License-Identifier: Apache-2.0
// Whichever request for memory fails while orbits, branches and averages are made, they say so and
// give everything back.

#include "orbiting.h"

#include "orbit/orbit.h"
#include "rheonom/average.h"

static const char PENDULUM[] =
    "param g = 1\ncoord x, y\nkinetic (x'^2 + y'^2)/2\npotential g*y\n"
    "constraint rod: x^2 + y^2 = 1\nguess y = -1\nstart x = 0.9, x' = 0\n";
static const char CIRCLE[] = "param m = 1\nstate x, v\nlaw x' = v\nlaw v' = -x + m*(1 - x^2)*v\n"
                             "start x = 2, v = 0\n";
static const char CHAIN[] = // more tangents than go through the tape together
    "param N = 6\ncoord q[1..N]\nkinetic sum(i in 1..N: q[i]'^2/2)\n"
    "potential q[1]^2 + sum(i in 2..N: (q[i] - q[i-1])^2/2 + (q[i] - q[i-1])^4/40 + q[i]^4/9)\n"
    "start q[1] = 0\n";
static const char HELD[] = "param m = 1\nstate x, v\nlaw x' = v\nlaw v' = -x + m*(1 - x^2)*v\n"
                           "select v\nconstraint size: x^2 + v^2 = const\nstart x = 2, v = 0\n";

typedef rh_status making(rh_motion *motion);

static rh_status make_transport(rh_motion *motion)
{
    rh_transport transport;
    RH_TRY(rh__transport_create(motion, motion->n, NULL, &transport, NULL));
    assert_true(transport.strain.colour_count > 0);
    rh__transport_destroy(&transport);
    return RH_OK;
}

static rh_status make_orbit(rh_motion *motion)
{
    rh_orbit *orbit = NULL;
    const rh_orbit_def def = rh_orbit_def_default();
    const rh_status status = rh_orbit_create(motion, &def, &orbit, NULL);
    rh_orbit_destroy(orbit);
    return status;
}

static rh_status make_branch(rh_motion *motion)
{
    rh_orbit *orbit = NULL;
    rh_branch *branch = NULL;
    rh_branch_point point;
    bool is_there = true;
    const rh_orbit_def def = rh_orbit_def_default();
    rh_branch_def follow = rh_branch_def_default();
    follow.set_count = 1;
    follow.from = 1.0;
    follow.to = 1.02;
    rh_status status = rh_orbit_create(motion, &def, &orbit, NULL);
    if (status == RH_OK) {
        status = rh_branch_create(orbit, &follow, &branch, NULL);
    }
    for (int k = 0; status == RH_OK && is_there && k < 3; k++) {
        status = rh_branch_step(branch, &point, &is_there, NULL);
    }
    rh_branch_destroy(branch);
    rh_orbit_destroy(orbit);
    return status;
}

static rh_status make_average(rh_motion *motion)
{
    static const char *const BOX[] = {"x=1.5:2.5"};
    rh_average *average = NULL;
    rh_average_def def = rh_average_def_default();
    def.unknowns = BOX;
    def.unknown_count = 1;
    def.start_count = 3;
    const rh_status status = rh_average_create(motion, &def, &average, NULL);
    rh_average_destroy(average);
    return status;
}

// All of it with an allocator that fails at a request after the motion was made; how many there
// were.
static size_t try_making(const char *text, making *make, size_t fail_at, rh_status *out)
{
    support_memory memory = {0};
    static const char *const SET[] = {"m=1"};
    rh_model_def def = rh_model_def_default();
    rh_model *model = NULL;
    rh_equations *equations = NULL;
    rh_motion *motion = NULL;
    def.text = text;
    def.text_size = strlen(text);
    def.set = SET;
    def.set_count = strstr(text, "param m") != NULL;
    def.allocator = support_memory_allocator(&memory);
    assert_int_equal(rh_model_create(&def, &model, NULL), RH_OK);
    rh_equations_def derive = rh_equations_def_default();
    derive.has_presolve = false;
    assert_int_equal(rh_equations_create(model, &derive, &equations, NULL), RH_OK);
    rh_motion_def move = rh_motion_def_default();
    move.tier = RH_TIER_INTERPRETED;
    assert_int_equal(rh_motion_create(equations, &move, &motion, NULL), RH_OK);
    const size_t before = memory.request_count;
    memory.fail_at = fail_at > 0 ? before + fail_at : 0;
    *out = make(motion);
    const size_t requests = memory.request_count - before;
    rh_motion_destroy(motion);
    rh_equations_destroy(equations);
    rh_model_destroy(model);
    assert_int_equal(memory.block_count, 0);
    return requests;
}

static void try_all(const char *text, making *make)
{
    rh_status status = RH_OK;
    const size_t count = try_making(text, make, 0, &status);
    assert_int_equal(status, RH_OK);
    // all of the first, then fewer and fewer; a few requests can be done without
    size_t tried = 0;
    size_t failed = 0;
    for (size_t k = 1; k <= count; k += 1 + k / 64) {
        (void)try_making(text, make, k, &status);
        tried++;
        failed += status == RH_E_MEMORY;
        if (status != RH_E_MEMORY && status != RH_OK) {
            fail_msg("request %zu of %zu: %s, in:\n%s", k, count, rh_status_text(status), text);
        }
    }
    assert_true(10 * failed >= 9 * tried);
    print_message("%zu requests\n", count);
}

static void any_request_may_fail(void **state)
{
    (void)state;
    try_all(CHAIN, make_transport);
    try_all(PENDULUM, make_orbit);
    try_all(CIRCLE, make_branch);
    try_all(HELD, make_average);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(any_request_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
