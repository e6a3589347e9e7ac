// SPDX-License-Identifier: Apache-2.0
// A large stiff system from its text: the Brusselator on 32 x 32 points of a periodic square.

#include "motion/moving.h"

#include "motion/motion.h"

static const char BRUSSELATOR[] =
    "param N = 32, alpha = 10, k = alpha*N^2, M = N + 2\n"
    "state u[1..N*N], v[1..N*N]\n"
    "for i in 1..N: for j in 1..N: let p[i*M + j] = u[(i-1)*N + j]\n"
    "for i in 1..N: let p[i*M] = u[i*N]\n"
    "for i in 1..N: let p[i*M + N + 1] = u[(i-1)*N + 1]\n"
    "for j in 1..N: let p[j] = u[(N-1)*N + j]\n"
    "for j in 1..N: let p[(N+1)*M + j] = u[j]\n"
    "for i in 1..N: for j in 1..N: let q[i*M + j] = v[(i-1)*N + j]\n"
    "for i in 1..N: let q[i*M] = v[i*N]\n"
    "for i in 1..N: let q[i*M + N + 1] = v[(i-1)*N + 1]\n"
    "for j in 1..N: let q[j] = v[(N-1)*N + j]\n"
    "for j in 1..N: let q[(N+1)*M + j] = v[j]\n"
    "let late = if(t < 1.1, 0, 5)\n"
    "let spot(x, y) = if((x - 0.3)^2 + (y - 0.6)^2 <= 0.01, late, 0)\n"
    "for i in 1..N: for j in 1..N: law u[(i-1)*N + j]' = 1 + p[i*M+j]^2*q[i*M+j] - 4.4*p[i*M+j] + "
    "k*(p[(i-1)*M+j] + p[(i+1)*M+j] + p[i*M+j-1] + p[i*M+j+1] - 4*p[i*M+j]) + "
    "spot((i-1)/N, (j-1)/N)\n"
    "for i in 1..N: for j in 1..N: law v[(i-1)*N + j]' = 3.4*p[i*M+j] - p[i*M+j]^2*q[i*M+j] + "
    "k*(q[(i-1)*M+j] + q[(i+1)*M+j] + q[i*M+j-1] + q[i*M+j+1] - 4*q[i*M+j])\n"
    "for i in 1..N: for j in 1..N: start u[(i-1)*N + j] = 22*((j-1)/N)*(1 - (j-1)/N)^(3/2), "
    "v[(i-1)*N + j] = 27*((i-1)/N)*(1 - (i-1)/N)^(3/2)\n";

static void compare(const moving_conditions *with, moving *judge, double apart)
{
    moving it = moving_begin(BRUSSELATOR, with);
    moving_reach(&it, 11.5);
    print_message("%s, %llu steps\n", rh_motion_method(it.motion),
                  (unsigned long long)rh_motion_summarise(it.motion).steps);
    assert_string_equal(rh_motion_method(it.motion),
                        with->method == RH_METHOD_IDA ? "ida" : "cvode");
    assert_true(rh_motion_summarise(it.motion).steps < 3000);
    for (uint32_t k = 0; k < it.motion->n; k++) {
        assert_near(it.motion->x[k], judge->motion->x[k], apart);
    }
    moving_end(&it);
}

static void a_reaction_on_a_square(void **state)
{
    (void)state;
    const moving_conditions tight = {.method = RH_METHOD_CVODE, .tolerance = 1e-10};
    moving judge = moving_begin(BRUSSELATOR, &tight);
    moving_reach(&judge, 11.5);
    compare(&(moving_conditions){.tolerance = 1e-4}, &judge, 1e-2);
    compare(&(moving_conditions){.tolerance = 1e-6}, &judge, 1e-4);
    compare(&(moving_conditions){.tolerance = 1e-6, .method = RH_METHOD_IDA}, &judge, 1e-4);
    compare(&(moving_conditions){.tolerance = 1e-8}, &judge, 1e-6);
    moving_end(&judge);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_reaction_on_a_square),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
