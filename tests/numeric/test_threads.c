// SPDX-License-Identifier: Apache-2.0
// Several threads in LAPACK at once give the numbers of one.

#include "support.h"

#include "numeric/numeric.h"

#include <threads.h>

enum { SIZE = 24, ROUNDS = 500, THREADS = 4 };

typedef struct task {
    uint64_t seed;
    double sum;
} task;

// Solutions and singular values of some matrices, folded into one number.
static int work(void *user)
{
    task *it = user;
    rh_random random = rh__random_begin(it->seed);
    it->sum = 0.0;
    for (int round = 0; round < ROUNDS; round++) {
        rh_arena arena = rh__arena_begin(rh_allocator_default(), (size_t)1 << 28);
        double *a = rh__arena_array(&arena, double, (size_t)SIZE *SIZE);
        double *b = rh__arena_array(&arena, double, SIZE);
        if (a == NULL || b == NULL) {
            return 1;
        }
        for (size_t k = 0; k < (size_t)SIZE * SIZE; k++) {
            a[k] = rh__random_uniform(&random, -1.0, 1.0) + (k % (SIZE + 1) == 0 ? 10.0 : 0.0);
        }
        for (size_t k = 0; k < SIZE; k++) {
            b[k] = rh__random_uniform(&random, -1.0, 1.0);
        }
        rh_lu lu;
        rh_svd svd;
        if (rh__lu_create(&arena, SIZE, a, &lu) != RH_OK) {
            return 1;
        }
        if (rh__lu_solve(&lu, b, 1) != RH_OK ||
            rh__svd_create(&arena, SIZE, SIZE, a, &svd) != RH_OK) {
            return 1;
        }
        for (size_t k = 0; k < SIZE; k++) {
            it->sum += b[k] * (double)(k + 1) + svd.values[k];
        }
        rh__arena_end(&arena);
    }
    return 0;
}

static void threads_do_not_disturb_each_other(void **state)
{
    (void)state;
    task alone[THREADS];
    task beside[THREADS];
    thrd_t threads[THREADS];
    for (uint64_t k = 0; k < THREADS; k++) {
        alone[k] = beside[k] = (task){.seed = k + 1};
        assert_int_equal(work(&alone[k]), 0);
    }
    for (int k = 0; k < THREADS; k++) {
        assert_int_equal(thrd_create(&threads[k], work, &beside[k]), thrd_success);
    }
    for (int k = 0; k < THREADS; k++) {
        int result = 1;
        assert_int_equal(thrd_join(threads[k], &result), thrd_success);
        assert_int_equal(result, 0);
        assert_memory_equal(&beside[k].sum, &alone[k].sum, sizeof(double));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(threads_do_not_disturb_each_other),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
