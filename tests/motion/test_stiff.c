// SPDX-License-Identifier: Apache-2.0
// Stiff and large systems: sparse Jacobians, and implicit methods on them.

#include "motion/moving.h"

#include "motion/motion.h"

// Diffusion and reaction on a line: 2 N unknowns.
static const char REACTION[] =
    "param N = 40, k = 0.02*(N + 1)^2\n"
    "state u[1..N], v[1..N]\n"
    "let p[0] = 1\nlet p[N+1] = 1\nlet q[0] = 3\nlet q[N+1] = 3\n"
    "for i in 1..N: let p[i] = u[i]\n"
    "for i in 1..N: let q[i] = v[i]\n"
    "for i in 1..N: law u[i]' = 1 + p[i]^2*q[i] - 4*p[i] + k*(p[i-1] - 2*p[i] + p[i+1])\n"
    "for i in 1..N: law v[i]' = 3*p[i] - p[i]^2*q[i] + k*(q[i-1] - 2*q[i] + q[i+1])\n"
    "for i in 1..N: start u[i] = 1 + sin(2*pi*i/(N+1)), v[i] = 3\n";

// Functions of all kinds, conditions, an input of the time, one unknown in all equations.
static const char MIXED[] =
    "param N = 48\n"
    "state s, x[1..N]\n"
    "law s' = -s + sin(t)\n"
    "for i in 2..N-1: law x[i]' = tanh(x[i-1]) - if(x[i] > 0.3, x[i+1]*s, exp(-x[i]^2)) + "
    "atan2(x[i], 2 + s)/(1 + x[i+1]^2)\n"
    "law x[1]' = -x[1]*s + abs(x[2])\n"
    "law x[N]' = -x[N]^3 + sqrt(1 + x[1]^2)\n"
    "start s = 0.4\n"
    "for i in 1..N: start x[i] = sin(i)\n";

// Separate pendulums with multipliers: a block for each.
static const char PENDULUMS[] =
    "param N = 20, g = 9.81\n"
    "coord x[1..N], y[1..N]\n"
    "kinetic sum(i in 1..N: (x[i]'^2 + y[i]'^2)/2)\n"
    "potential g*sum(i in 1..N: y[i])\n"
    "for i in 1..N: constraint rod[i]: x[i]^2 + y[i]^2 = i\n"
    "for i in 1..N: start x[i] = sqrt(i), y[i] = 0, x[i]' = 0, y[i]' = 0.1\n";

static const char *const MODELS[] = {REACTION, MIXED, PENDULUMS};

// --- Jacobians -----------------------------------------------------------------------------------

static void compare_jacobians(moving *it)
{
    rh_motion *motion = it->motion;
    const rh_tape *tape = motion->system->step;
    const uint32_t n = motion->n;
    rh_jacobian dense;
    rh_jacobian sparse;
    assert_int_equal(rh__jacobian_create(motion, tape, n, &dense, &it->err), RH_OK);
    assert_int_equal(
        rh__jacobian_create_sparse(motion, tape, n, (rh_jacobian_extra){.count = 0}, &sparse, NULL),
        RH_OK);
    assert_true(sparse.is_sparse);
    assert_true(sparse.colour_count < n / 2);
    double *whole = calloc((size_t)n * n, sizeof *whole);
    double *values = calloc((size_t)sparse.sparse.count + 1, sizeof *values);
    assert_true(whole != NULL && values != NULL);
    rh__motion_rate(motion, 0.3, motion->x, motion->x_try);
    assert_true(rh__jacobian_run(&dense, motion->plain, whole));
    assert_true(rh__jacobian_run_sparse(&sparse, motion->plain, values));
    for (uint32_t j = 0; j < n; j++) {
        for (uint32_t k = sparse.sparse.start[j]; k < sparse.sparse.start[j + 1]; k++) {
            double *entry = &whole[(size_t)j * n + sparse.sparse.row[k]];
            assert_true(*entry == values[k]);
            *entry = 0.0;
        }
    }
    for (size_t k = 0; k < (size_t)n * n; k++) {
        assert_true(whole[k] == 0.0); // nothing beside the structure
    }
    free(whole);
    free(values);
    rh__jacobian_destroy(&dense);
    rh__jacobian_destroy(&sparse);
}

static void sparse_jacobians_are_the_dense_ones(void **state)
{
    (void)state;
    for (size_t k = 0; k < sizeof MODELS / sizeof *MODELS; k++) {
        const moving_conditions with = {.is_plain = true};
        moving it = moving_begin(MODELS[k], &with);
        compare_jacobians(&it);
        moving_end(&it);
    }
}

static void refused_memory_is_given_back(void **state)
{
    (void)state;
    static const rh_method METHODS[] = {RH_METHOD_CVODE, RH_METHOD_IDA};
    for (size_t m = 0; m < 2; m++) {
        support_memory memory = {0};
        const moving_conditions with = {.method = METHODS[m], .memory = &memory};
        rh_status status = RH_E_MEMORY;
        for (size_t at = 1; status != RH_OK; at += 1 + at / 64) {
            moving it;
            memory.request_count = 0;
            memory.fail_at = at;
            status = moving_try(REACTION, &with, &it);
            moving_end(&it);
            assert_int_equal(memory.block_count, 0);
            assert_true(status == RH_OK || status == RH_E_MEMORY);
        }
    }
}

// --- methods on them -----------------------------------------------------------------------------

static void sparse_methods_agree_with_series(void **state)
{
    (void)state;
    static const rh_method METHODS[] = {RH_METHOD_CVODE, RH_METHOD_IDA};
    for (size_t k = 0; k < 2 * sizeof MODELS / sizeof *MODELS; k++) {
        const moving_conditions with = {
            .method = METHODS[k % 2], .tolerance = 1e-9, .is_plain = true};
        const moving_conditions taylor = {.method = RH_METHOD_TAYLOR, .is_plain = true};
        moving it = moving_begin(MODELS[k / 2], &with);
        moving judge = moving_begin(MODELS[k / 2], &taylor);
        moving_reach(&it, 1.0);
        moving_reach(&judge, 1.0);
        assert_int_equal(it.motion->n, judge.motion->n);
        for (uint32_t i = 0; i < it.motion->n; i++) {
            assert_near(it.motion->x[i], judge.motion->x[i], 3e-6);
        }
        moving_end(&it);
        moving_end(&judge);
    }
}

// Heat on a line of 1500 points: sum of exp(-rate t) modes, the first of which is left at the end.
static const char HEAT[] = "param N = 1500, k = (N+1)^2\n"
                           "state u[1..N]\n"
                           "law u[1]' = k*(u[2] - 2*u[1])\n"
                           "for i in 2..N-1: law u[i]' = k*(u[i+1] - 2*u[i] + u[i-1])\n"
                           "law u[N]' = k*(u[N-1] - 2*u[N])\n"
                           "for i in 1..N: start u[i] = sin(pi*i/(N+1)) + sin(400*pi*i/(N+1))/4\n";

static void more_than_600_unknowns_are_moved(void **state)
{
    (void)state;
    static const rh_method METHODS[] = {RH_METHOD_CVODE, RH_METHOD_IDA};
    for (size_t k = 0; k < 2; k++) {
        const moving_conditions with = {.method = METHODS[k], .tolerance = 1e-8};
        moving it = moving_begin(HEAT, &with);
        const double width = 1501.0;
        const double pi = acos(-1.0);
        moving_reach(&it, 0.05);
        const double half = sin(pi / (2.0 * width));
        const double rate = 4.0 * width * width * half * half;
        for (uint32_t i = 0; i < it.motion->n; i += 37) {
            const double exact = exp(-rate * 0.05) * sin(pi * (i + 1) / width);
            assert_near(it.motion->x[i], exact, 1e-6);
        }
        moving_end(&it);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sparse_jacobians_are_the_dense_ones),
        cmocka_unit_test(refused_memory_is_given_back),
        cmocka_unit_test(sparse_methods_agree_with_series),
        cmocka_unit_test(more_than_600_unknowns_are_moved),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
