// SPDX-License-Identifier: Apache-2.0
// Unit tests of src/proof/decimal.c: brackets in decimals hold the ball and have their width.

#include "support.h"

#include "proof/proof.h"

#include <math.h>
#include <stdlib.h>

typedef struct bracketing {
    rh_arena arena;
    rh_balls *balls;
    char low[600], high[600];
    bool is_found;
} bracketing;

static bracketing bracket(double low, double high, uint32_t digits)
{
    bracketing it = {.arena = rh__arena_begin(rh_allocator_default(), (size_t)1 << 24)};
    it.balls = rh__balls_create(&it.arena, 1);
    assert_non_null(it.balls);
    rh__balls_set_interval(it.balls, 0, (rh_interval){low, high});
    rh_text below = rh__text_begin(&it.arena, NULL);
    rh_text above = rh__text_begin(&it.arena, NULL);
    it.is_found = rh__balls_bracket(it.balls, 0, digits, &below, &above);
    if (it.is_found) {
        assert_true(below.size < sizeof it.low && above.size < sizeof it.high);
        memcpy(it.low, below.data, below.size);
        memcpy(it.high, above.data, above.size);
    }
    rh__balls_destroy(it.balls);
    rh__arena_end(&it.arena);
    return it;
}

static void expect(double value, uint32_t digits, const char *low, const char *high)
{
    const bracketing it = bracket(value, value, digits);
    assert_true(it.is_found);
    assert_string_equal(it.low, low);
    assert_string_equal(it.high, high);
}

static void brackets_have_their_width(void **state)
{
    (void)state;
    expect(0.0, 3, "-0.001", "0.001");
    expect(0.5, 3, "0.499", "0.501");
    expect(-0.5, 3, "-0.501", "-0.499");
    expect(0.25, 5, "0.24999", "0.25001");
    expect(12.5, 5, "12.499", "12.501");
    expect(-12.5, 5, "-12.501", "-12.499");
    expect(1.0, 4, "0.999", "1.001");
    expect(98.0, 2, "97", "99");
    expect(99.0, 2, "90", "110"); // 100 has three digits already
}

static void large_numbers_end_with_zeros(void **state)
{
    (void)state;
    expect(1e6, 3, "990000", "1010000");
    expect(-123456789.0, 4, "-123600000", "-123400000");
    expect(1e-9, 3, "-0.001", "0.001");
    expect(0.0009765625, 10, "0.0009765624", "0.0009765626");
}

static void wide_balls_have_none(void **state)
{
    (void)state;
    assert_false(bracket(0.0, 0.25, 3).is_found);
    assert_false(bracket(-INFINITY, INFINITY, 3).is_found);
    assert_true(bracket(0.25, nextafter(0.25, 1.0), 12).is_found);
}

// Whatever the number, it lies between, and the two are two units apart.
static void random_numbers_lie_between(void **state)
{
    (void)state;
    support_random random = support_random_begin("random_numbers_lie_between");
    for (int n = 0; n < 2000; n++) {
        const double scale = pow(10.0, support_random_real(&random, -20.0, 20.0));
        const double value = support_random_real(&random, -1.0, 1.0) * scale;
        const bracketing it = bracket(value, value, 12);
        assert_true(it.is_found);
        const double low = strtod(it.low, NULL);
        const double high = strtod(it.high, NULL);
        assert_true(low <= value && value <= high);
        const double unit = 1e-12 * fmax(1.0, 10.0 * fabs(value));
        assert_true(high - low <= 2.1 * unit + 1e-15 * fabs(value));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(brackets_have_their_width),
        cmocka_unit_test(large_numbers_end_with_zeros),
        cmocka_unit_test(wide_balls_have_none),
        cmocka_unit_test(random_numbers_lie_between),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
