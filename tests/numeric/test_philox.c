// SPDX-License-Identifier: Apache-2.0
// Random numbers by counting: known answers, and streams that have nothing to do with each other.

#include "support.h"

#include "numeric/numeric.h"

#include <math.h>

// From the test vectors of Random123, the code of Salmon, Moraes, Dror and Shaw (2011).
static void philox_gives_the_known_answers(void **state)
{
    (void)state;
    static const struct {
        uint32_t counter[4], key[2], answer[4];
    } KNOWN[] = {
        {{0, 0, 0, 0}, {0, 0}, {0x6627e8d5u, 0xe169c58du, 0xbc57ac4cu, 0x9b00dbd8u}},
        {{0xffffffffu, 0xffffffffu, 0xffffffffu, 0xffffffffu},
         {0xffffffffu, 0xffffffffu},
         {0x408f276du, 0x41c83b0eu, 0xa20bc7c6u, 0x6d5451fdu}},
        {{0x243f6a88u, 0x85a308d3u, 0x13198a2eu, 0x03707344u},
         {0xa4093822u, 0x299f31d0u},
         {0xd16cfe09u, 0x94fdccebu, 0x5001e420u, 0x24126ea1u}},
    };
    for (size_t k = 0; k < sizeof KNOWN / sizeof *KNOWN; k++) {
        uint32_t out[4];
        rh__philox(KNOWN[k].counter, KNOWN[k].key, out);
        assert_memory_equal(out, KNOWN[k].answer, sizeof out);
    }
}

static void a_stream_is_its_own(void **state)
{
    (void)state;
    rh_random a = rh__random_at(7, 11, 0);
    rh_random again = rh__random_at(7, 11, 0);
    rh_random others[] = {rh__random_at(8, 11, 0), rh__random_at(7, 12, 0), rh__random_at(7, 11, 1),
                          rh__random_at(7, 11 + (UINT64_C(1) << 32), 0),
                          rh__random_at(7 + (UINT64_C(1) << 32), 11, 0)};
    for (int k = 0; k < 10; k++) {
        const uint64_t bits = rh__random_bits(&a);
        assert_int_equal(bits, rh__random_bits(&again));
        for (size_t j = 0; j < sizeof others / sizeof *others; j++) {
            assert_true(bits != rh__random_bits(&others[j]));
        }
    }
}

// The first number of each of many streams: as good as the numbers of one.
static void first_numbers_are_spread(void **state)
{
    (void)state;
    enum { COUNT = 40000 };
    double sum = 0.0;
    double squares = 0.0;
    double cross = 0.0;
    double last = 0.0;
    for (uint64_t k = 0; k < COUNT; k++) {
        rh_random random = rh__random_at(1, k, 3);
        const double value = rh__random_normal(&random);
        sum += value;
        squares += value * value;
        cross += value * last;
        last = value;
    }
    // five standard deviations
    assert_true(fabs(sum / COUNT) < 5.0 / 200.0);
    assert_true(fabs(squares / COUNT - 1.0) < 5.0 * 1.5 / 200.0);
    assert_true(fabs(cross / COUNT) < 5.0 / 200.0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(philox_gives_the_known_answers),
        cmocka_unit_test(a_stream_is_its_own),
        cmocka_unit_test(first_numbers_are_spread),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
