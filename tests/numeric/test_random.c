// SPDX-License-Identifier: Apache-2.0
// Tests of src/numeric/random.c: known bits, ranges, moments and the shape of the normal law.

#include "numeric/helpers.h"

enum { DRAWS = 200000 };

// The first outputs of xoshiro256** from the state 1, 2, 3, 4, as published with the generator.
static void bits_are_the_published_ones(void **state)
{
    (void)state;
    static const uint64_t EXPECTED[] = {11520u, 0u, 1509978240u, 1215971899390074240u};
    rh_random random = {{1, 2, 3, 4}};
    for (size_t k = 0; k < sizeof EXPECTED / sizeof *EXPECTED; k++) {
        assert_true(rh__random_bits(&random) == EXPECTED[k]);
    }
}

// splitmix64 from seed 0.
static void seeding_is_splitmix(void **state)
{
    (void)state;
    const rh_random random = rh__random_begin(0);
    assert_true(random.state[0] == 0xe220a8397b1dcdafu);
    assert_true(random.state[1] == 0x6e789e6aa1b965f4u);
}

// Pinned bits of a thousand pairs: another compiler or machine must not change them.
static void streams_are_the_same_everywhere(void **state)
{
    (void)state;
    rh_random random = rh__random_begin(7);
    uint64_t hash = 0;
    for (int k = 0; k < 1000; k++) {
        const double normal = rh__random_normal(&random);
        const double numbers[] = {normal, rh__random_uniform(&random, -3.0, 5.0)};
        hash = rh__hash_bytes(numbers, sizeof numbers, hash);
    }
    assert_true(hash == 0xd31151f27fbd9bc5u);
}

static void uniform_stays_in_its_range(void **state)
{
    (void)state;
    const support_random seed = support_random_begin("uniform_stays_in_its_range");
    rh_random random = rh__random_begin(seed.state);
    double sum = 0.0;
    double squares = 0.0;
    for (int k = 0; k < DRAWS; k++) {
        const double x = rh__random_uniform(&random, -1.0, 3.0);
        assert_true(x >= -1.0 && x < 3.0);
        sum += x;
        squares += (x - 1.0) * (x - 1.0);
        const double y = rh__random_uniform(&random, 1.0, 1.0 + DBL_EPSILON);
        assert_true(y == 1.0);
    }
    assert_true(rh__random_uniform(&random, 2.0, 2.0) == 2.0);
    assert_near(sum / DRAWS, 1.0, 0.01);
    assert_near(squares / DRAWS, 4.0 / 3.0, 0.01);
}

// Shares below some points against the normal distribution; six standard deviations are allowed.
static void normal_has_the_normal_law(void **state)
{
    (void)state;
    const support_random seed = support_random_begin("normal_has_the_normal_law");
    rh_random random = rh__random_begin(seed.state);
    static const double POINTS[] = {-3.0, -2.0, -1.5, -1.0, -0.5, 0.0, 0.25, 0.75, 1.0, 2.0, 2.5};
    enum { COUNT = sizeof POINTS / sizeof *POINTS };
    int below[COUNT] = {0};
    double sum = 0.0;
    double squares = 0.0;
    double fourths = 0.0;
    for (int k = 0; k < DRAWS; k++) {
        const double x = rh__random_normal(&random);
        sum += x;
        squares += x * x;
        fourths += x * x * x * x;
        for (int p = 0; p < COUNT; p++) {
            below[p] += x < POINTS[p];
        }
    }
    const double root = sqrt((double)DRAWS);
    assert_near_by(sum / DRAWS, 0.0, 0.0, 6.0 / root);
    assert_near_by(squares / DRAWS, 1.0, 0.0, 6.0 * sqrt(2.0) / root);
    assert_near_by(fourths / DRAWS, 3.0, 0.0, 6.0 * sqrt(96.0) / root);
    for (int p = 0; p < COUNT; p++) {
        const double share = 0.5 * erfc(-POINTS[p] / sqrt(2.0));
        const double deviation = sqrt(share * (1.0 - share)) / root;
        assert_near_by((double)below[p] / DRAWS, share, 0.0, 6.0 * deviation);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bits_are_the_published_ones),
        cmocka_unit_test(seeding_is_splitmix),
        cmocka_unit_test(streams_are_the_same_everywhere),
        cmocka_unit_test(uniform_stays_in_its_range),
        cmocka_unit_test(normal_has_the_normal_law),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
