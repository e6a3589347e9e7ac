// SPDX-License-Identifier: Apache-2.0
// Property tests of src/expr/rational.c. GMP's mpq is the judge of arithmetic, strtod of rounding.

#include "support.h"

#include "expr/rational.h"

#include <gmp.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { BITS = 65536, ROUNDS = 4000, LONGEST = 40000 };

typedef struct bench {
    rh_arena arena;
    support_random random;
} bench;

static bench begin_bench(const char *test)
{
    return (bench){rh__arena_begin(rh_allocator_default(), SIZE_MAX / 2),
                   support_random_begin(test)};
}

static void end_bench(bench *on)
{
    rh__arena_end(&on->arena);
}

// --- to and from the judge --------------------------------------------------------------------

// "-n/d", read by GMP as well.
static const char *write_rational(bench *on, rh_rational a)
{
    rh_text text = rh__text_begin(&on->arena, NULL);
    rh__text_put(&text, rh__rational_sign(a) < 0 ? "-" : "");
    rh__rational_digits(a, RH_PART_NUMERATOR, &text);
    rh__text_put(&text, "/");
    rh__rational_digits(a, RH_PART_DENOMINATOR, &text);
    assert_true(text.ok);
    return text.data;
}

static void to_mpq(bench *on, rh_rational a, mpq_t out)
{
    assert_int_equal(mpq_set_str(out, write_rational(on, a), 10), 0);
}

// In lowest terms, the denominator positive, and in words wherever it fits.
static void check_form(bench *on, rh_rational a)
{
    mpq_t value, reduced;
    mpq_inits(value, reduced, NULL);
    to_mpq(on, a, value);
    mpq_set(reduced, value);
    mpq_canonicalize(reduced);
    assert_true(mpz_cmp(mpq_numref(value), mpq_numref(reduced)) == 0);
    assert_true(mpz_cmp(mpq_denref(value), mpq_denref(reduced)) == 0);
    const bool fits =
        mpz_sizeinbase(mpq_numref(value), 2) <= 63 && mpz_sizeinbase(mpq_denref(value), 2) <= 63;
    assert_true(fits == (a.big == NULL));
    assert_int_equal(rh__rational_sign(a), mpq_sgn(value));
    assert_true(rh__rational_is_integer(a) == (mpz_cmp_ui(mpq_denref(value), 1) == 0));
    mpq_clears(value, reduced, NULL);
}

static void check_equal(bench *on, rh_rational a, mpq_srcptr expected)
{
    mpq_t value;
    mpq_init(value);
    to_mpq(on, a, value);
    if (mpq_equal(value, expected) == 0) {
        char *wanted = mpq_get_str(NULL, 10, expected);
        print_error("got %s, expected %s\n", write_rational(on, a), wanted);
        free(wanted);
        fail();
    }
    mpq_clear(value);
    check_form(on, a);
}

// --- operands ---------------------------------------------------------------------------------

// Words near the places where something overflows.
static int64_t random_word(support_random *random)
{
    static const int64_t EDGES[] = {INT64_MAX, 1LL << 62, 1LL << 53, 1LL << 32, 1LL << 31, 1};
    const uint32_t kind = support_random_below(random, 4);
    int64_t word;
    if (kind == 0) {
        const int64_t edge = EDGES[support_random_below(random, 6)];
        word = edge - support_random_below(random, 4);
    } else {
        word = (int64_t)(support_random_bits(random) >> (1 + support_random_below(random, 62)));
    }
    return support_random_below(random, 2) == 0 ? word : -word;
}

static rh_rational random_small(support_random *random)
{
    int64_t denominator = random_word(random);
    denominator = denominator == 0 ? 1 : denominator;
    return rh__rational_make(random_word(random), denominator);
}

// Small ones, and products of several small ones.
static rh_rational random_rational(bench *on)
{
    rh_rational value = random_small(&on->random);
    const uint32_t kind = support_random_below(&on->random, 8);
    for (uint32_t k = 0; k < (kind < 5 ? 0 : 3 * (kind - 4)); k++) {
        const rh_rational factor = random_small(&on->random);
        if (rh__rational_sign(factor) != 0) {
            assert_true(rh__rational_multiply(&on->arena, value, factor, BITS, &value));
        }
    }
    return value;
}

// --- arithmetic -------------------------------------------------------------------------------

static void sums_and_products_agree_with_gmp(void **state)
{
    (void)state;
    bench on = begin_bench("sums_and_products_agree_with_gmp");
    mpq_t x, y, z;
    mpq_inits(x, y, z, NULL);
    for (int round = 0; round < ROUNDS; round++) {
        const rh_rational a = random_rational(&on);
        const rh_rational b = random_rational(&on);
        check_form(&on, a);
        to_mpq(&on, a, x);
        to_mpq(&on, b, y);
        rh_rational result;
        mpq_add(z, x, y);
        assert_true(rh__rational_add(&on.arena, a, b, BITS, &result));
        check_equal(&on, result, z);
        mpq_mul(z, x, y);
        assert_true(rh__rational_multiply(&on.arena, a, b, BITS, &result));
        check_equal(&on, result, z);
        const int order = mpq_cmp(x, y);
        assert_int_equal(rh__rational_compare(a, b), (order > 0) - (order < 0));
        assert_true(rh__rational_equal(a, b) == (order == 0));
    }
    mpq_clears(x, y, z, NULL);
    end_bench(&on);
}

// What comes back from large numbers is the small number it was, with the same hash.
static void overflow_and_return_gives_the_same_number(void **state)
{
    (void)state;
    bench on = begin_bench("overflow_and_return_gives_the_same_number");
    for (int round = 0; round < ROUNDS; round++) {
        const rh_rational a = random_rational(&on);
        const rh_rational b = random_rational(&on);
        rh_rational back;
        rh_rational minus_b;
        assert_true(rh__rational_multiply(&on.arena, b, rh__rational_make(-1, 1), BITS, &minus_b));
        assert_true(rh__rational_add(&on.arena, a, b, BITS, &back));
        assert_true(rh__rational_add(&on.arena, back, minus_b, BITS, &back));
        assert_true(rh__rational_equal(a, back));
        assert_true(rh__rational_hash(a, 7) == rh__rational_hash(back, 7));
        if (rh__rational_sign(b) != 0) {
            rh_rational inverse;
            assert_true(rh__rational_power(&on.arena, b, -1, BITS, &inverse));
            assert_true(rh__rational_multiply(&on.arena, a, b, BITS, &back));
            assert_true(rh__rational_multiply(&on.arena, back, inverse, BITS, &back));
            assert_true(rh__rational_equal(a, back));
            assert_true(rh__rational_hash(a, 7) == rh__rational_hash(back, 7));
        }
    }
    end_bench(&on);
}

static void powers_agree_with_repeated_products_and_roots_undo_them(void **state)
{
    (void)state;
    bench on = begin_bench("powers_agree_with_repeated_products_and_roots_undo_them");
    for (int round = 0; round < ROUNDS / 4; round++) {
        const rh_rational a = random_rational(&on);
        const int64_t n = 1 + support_random_below(&on.random, 9);
        rh_rational product = rh__rational_make(1, 1);
        for (int64_t k = 0; k < n; k++) {
            assert_true(rh__rational_multiply(&on.arena, product, a, BITS, &product));
        }
        rh_rational power;
        assert_true(rh__rational_power(&on.arena, a, n, BITS, &power));
        check_form(&on, power);
        assert_true(rh__rational_equal(power, product));
        rh_rational root;
        if (rh__rational_sign(power) < 0) {
            assert_false(rh__rational_root(&on.arena, power, (uint32_t)n, BITS, &root));
            continue;
        }
        assert_true(rh__rational_root(&on.arena, power, (uint32_t)n, BITS, &root));
        check_form(&on, root);
        rh_rational back;
        assert_true(rh__rational_power(&on.arena, root, n, BITS, &back));
        assert_true(rh__rational_equal(back, power));
        assert_true(rh__rational_sign(root) >= 0);
        if (rh__rational_sign(a) == 0) {
            continue;
        }
        // the negative power is the inverse
        rh_rational inverse;
        assert_true(rh__rational_power(&on.arena, a, -n, BITS, &inverse));
        check_form(&on, inverse);
        assert_true(rh__rational_multiply(&on.arena, inverse, power, BITS, &back));
        assert_true(rh__rational_equal(back, rh__rational_make(1, 1)));
    }
    end_bench(&on);
}

static void what_is_no_power_has_no_root(void **state)
{
    (void)state;
    bench on = begin_bench("what_is_no_power_has_no_root");
    rh_rational root;
    assert_false(rh__rational_root(&on.arena, rh__rational_make(2, 1), 2, BITS, &root));
    assert_false(rh__rational_root(&on.arena, rh__rational_make(4, 3), 2, BITS, &root));
    assert_false(rh__rational_root(&on.arena, rh__rational_make(3, 4), 2, BITS, &root));
    assert_false(rh__rational_root(&on.arena, rh__rational_make(4, 9), 3, BITS, &root));
    assert_true(rh__rational_root(&on.arena, rh__rational_make(0, 1), 5, BITS, &root));
    assert_int_equal(rh__rational_sign(root), 0);
    assert_true(rh__rational_root(&on.arena, rh__rational_make(8, 27), 3, BITS, &root));
    assert_true(rh__rational_equal(root, rh__rational_make(2, 3)));
    end_bench(&on);
}

// --- limits -----------------------------------------------------------------------------------

static void numbers_beyond_the_limit_are_refused(void **state)
{
    (void)state;
    bench on = begin_bench("numbers_beyond_the_limit_are_refused");
    const uint32_t bits = 1000;
    const rh_rational two = rh__rational_make(2, 1);
    const rh_rational half = rh__rational_make(1, 2);
    rh_rational big;
    rh_rational result;
    assert_true(rh__rational_power(&on.arena, two, 999, bits, &big));
    assert_true(rh__rational_power(&on.arena, half, 999, bits, &result));
    assert_true(rh__rational_power(&on.arena, two, -999, bits, &result));
    assert_false(rh__rational_power(&on.arena, two, 1000, bits, &result));
    assert_false(rh__rational_power(&on.arena, half, 1000, bits, &result));
    assert_false(rh__rational_power(&on.arena, two, -1000, bits, &result));
    assert_false(rh__rational_add(&on.arena, big, big, bits, &result));
    assert_false(rh__rational_multiply(&on.arena, big, two, bits, &result));
    assert_true(rh__rational_multiply(&on.arena, big, half, bits, &result));
    // towers end at once
    assert_false(rh__rational_power(&on.arena, two, INT64_MAX, bits, &result));
    assert_false(rh__rational_power(&on.arena, two, -INT64_MAX, bits, &result));
    assert_false(rh__rational_power(&on.arena, rh__rational_make(2, 3), INT64_MAX, bits, &result));
    // 0, 1 and -1 have powers of any size
    assert_true(rh__rational_power(&on.arena, rh__rational_make(0, 1), INT64_MAX, bits, &result));
    assert_int_equal(rh__rational_sign(result), 0);
    assert_true(rh__rational_power(&on.arena, rh__rational_make(-1, 1), INT64_MAX, bits, &result));
    assert_true(rh__rational_equal(result, rh__rational_make(-1, 1)));
    assert_true(rh__rational_power(&on.arena, rh__rational_make(-1, 1), -4, bits, &result));
    assert_true(rh__rational_equal(result, rh__rational_make(1, 1)));
    assert_false(rh__rational_literal(&on.arena, rh__slice_of("1e400"), bits, &result));
    assert_false(rh__rational_literal(&on.arena, rh__slice_of("1e-400"), bits, &result));
    assert_false(rh__rational_literal(&on.arena, rh__slice_of("1e999999999999"), BITS, &result));
    assert_false(rh__rational_literal(&on.arena, rh__slice_of("1e-999999999999"), BITS, &result));
    end_bench(&on);
}

static void want_of_memory_is_refused(void **state)
{
    (void)state;
    support_memory memory = {.fail_at = 1};
    rh_arena arena = rh__arena_begin(support_memory_allocator(&memory), SIZE_MAX / 2);
    rh_rational result;
    assert_false(rh__rational_power(&arena, rh__rational_make(3, 1), 100, BITS, &result));
    assert_int_equal(arena.status, RH_E_MEMORY);
    rh__arena_end(&arena);
    assert_int_equal(memory.block_count, 0);
}

// --- literals and doubles ---------------------------------------------------------------------

static rh_rational read_literal(bench *on, const char *text)
{
    rh_rational value;
    if (!rh__rational_literal(&on->arena, rh__slice_of(text), BITS, &value)) {
        fail_msg("%s is refused", text);
    }
    return value;
}

// strtod rounds correctly (glibc).
static void check_literal(bench *on, const char *text)
{
    const rh_rational value = read_literal(on, text);
    check_form(on, value);
    const double expected = strtod(text, NULL);
    const double actual = rh__rational_value(value);
    if (actual != expected) {
        fail_msg("%s is %a, expected %a", text, actual, expected);
    }
    rh_rational negative;
    assert_true(
        rh__rational_multiply(&on->arena, value, rh__rational_make(-1, 1), BITS, &negative));
    assert_true(rh__rational_value(negative) == -expected);
}

// digits [. digits] [e sign digits]
static void random_literal(support_random *random, char *out)
{
    size_t at = 0;
    const uint32_t whole = 1 + support_random_below(random, 25);
    for (uint32_t k = 0; k < whole; k++) {
        out[at++] = (char)('0' + support_random_below(random, 10));
    }
    const uint32_t places =
        support_random_below(random, 2) == 0 ? 0 : 1 + support_random_below(random, 25);
    if (places > 0) {
        out[at++] = '.';
        for (uint32_t k = 0; k < places; k++) {
            out[at++] = (char)('0' + support_random_below(random, 10));
        }
    }
    out[at] = '\0';
    if (support_random_below(random, 2) == 0) {
        static const char *const SIGNS[] = {"", "+", "-"};
        (void)sprintf(out + at, "%c%s%u", "eE"[support_random_below(random, 2)],
                      SIGNS[support_random_below(random, 3)], support_random_below(random, 330));
    }
}

static void literals_round_like_strtod(void **state)
{
    (void)state;
    bench on = begin_bench("literals_round_like_strtod");
    static const char *const SPECIAL[] = {"0",
                                          "0.0",
                                          "00012.50",
                                          "1e0",
                                          "1E+05",
                                          "0.1",
                                          "9.81",
                                          "1e-5",
                                          "1e308",
                                          "2e308",
                                          "1e400",
                                          "4.9e-324",
                                          "2.4e-324",
                                          "3e-324",
                                          "1e-400",
                                          "2.2250738585072011e-308",
                                          "2.2250738585072014e-308",
                                          "9007199254740993",
                                          "9007199254740993.0000000000000000000000001",
                                          "9007199254740992.999999",
                                          "1.7976931348623158e308",
                                          "1.7976931348623159e308",
                                          "18446744073709551616",
                                          "9223372036854775807",
                                          "9223372036854775808"};
    for (size_t k = 0; k < sizeof SPECIAL / sizeof *SPECIAL; k++) {
        check_literal(&on, SPECIAL[k]);
    }
    for (int round = 0; round < 2 * ROUNDS; round++) {
        char text[128];
        random_literal(&on.random, text);
        check_literal(&on, text);
    }
    end_bench(&on);
}

// m * 2^e with a positive integer m, as an exact decimal.
static void write_dyadic(mpz_srcptr m, long e, char *out)
{
    mpz_t digits;
    mpz_init_set(digits, m);
    if (e >= 0) {
        mpz_mul_2exp(digits, digits, (mp_bitcnt_t)e);
        (void)gmp_snprintf(out, LONGEST, "%Zd", digits);
    } else {
        // m * 2^e = (m * 5^-e) * 10^e
        mpz_t power;
        mpz_init(power);
        mpz_ui_pow_ui(power, 5, (unsigned long)-e);
        mpz_mul(digits, digits, power);
        (void)gmp_snprintf(out, LONGEST, "%Zde%ld", digits, e);
        mpz_clear(power);
    }
    mpz_clear(digits);
}

// Exactly between two doubles, and a hair to either side; subnormal ones among them.
static void halfway_cases_round_to_even(void **state)
{
    (void)state;
    bench on = begin_bench("halfway_cases_round_to_even");
    char *text = malloc(LONGEST);
    assert_non_null(text);
    mpz_t m;
    mpz_init(m);
    for (int round = 0; round < ROUNDS / 2; round++) {
        const bool is_tiny = round % 2 == 1;
        // subnormal: the last bit of the double is worth 2^-1074
        const uint32_t width = is_tiny ? 1 + support_random_below(&on.random, 54) : 54;
        uint64_t bits = support_random_bits(&on.random) >> (64 - width);
        bits |= (uint64_t)1 << (width - 1) | 1;
        const long e = is_tiny ? -1075 : (long)support_random_below(&on.random, 1000) - 500;
        for (int side = -1; side <= 1; side++) {
            mpz_set_ui(m, (unsigned long)bits);
            mpz_mul_2exp(m, m, 80);
            if (side < 0) {
                mpz_sub_ui(m, m, 1);
            } else if (side > 0) {
                mpz_add_ui(m, m, 1);
            }
            write_dyadic(m, e - 80, text);
            check_literal(&on, text);
        }
    }
    mpz_clear(m);
    free(text);
    end_bench(&on);
}

// A quotient is rounded well when neither neighbour of its double is nearer.
static void values_of_quotients_are_the_nearest_doubles(void **state)
{
    (void)state;
    bench on = begin_bench("values_of_quotients_are_the_nearest_doubles");
    mpq_t x, near, other;
    mpq_inits(x, near, other, NULL);
    for (int round = 0; round < ROUNDS; round++) {
        const rh_rational a = random_rational(&on);
        const double value = rh__rational_value(a);
        to_mpq(&on, a, x);
        if (!isfinite(value)) {
            continue;
        }
        mpq_set_d(near, value);
        mpq_sub(near, near, x);
        mpq_abs(near, near);
        for (int side = -1; side <= 1; side += 2) {
            const double neighbour = nextafter(value, side < 0 ? -HUGE_VAL : HUGE_VAL);
            if (!isfinite(neighbour)) {
                continue;
            }
            mpq_set_d(other, neighbour);
            mpq_sub(other, other, x);
            mpq_abs(other, other);
            assert_true(mpq_cmp(near, other) <= 0);
        }
    }
    mpq_clears(x, near, other, NULL);
    end_bench(&on);
}

// --- writing ----------------------------------------------------------------------------------

// A decimal is exact, has at most 9 places, none of them idle; and it is found when there is one.
static void decimals_are_exact_and_short(void **state)
{
    (void)state;
    bench on = begin_bench("decimals_are_exact_and_short");
    for (int round = 0; round < ROUNDS; round++) {
        int64_t scale = 1;
        const uint32_t places = support_random_below(&on.random, 12);
        for (uint32_t k = 0; k < places; k++) {
            scale *= 10;
        }
        const bool is_decimal = round % 4 != 0;
        const int64_t size = (int64_t)(support_random_bits(&on.random) >> 30);
        const rh_rational a =
            is_decimal ? rh__rational_make(size, scale) : random_small(&on.random);
        rh_text text = rh__text_begin(&on.arena, NULL);
        const bool is_written = rh__rational_decimal(a, &text);
        if (!is_written) {
            assert_int_equal(text.size, 0);
            assert_true(!is_decimal || places > 9);
            continue;
        }
        rh_rational back = read_literal(&on, text.data);
        if (rh__rational_sign(a) < 0) {
            back.numerator = -back.numerator;
        }
        assert_true(rh__rational_equal(a, back));
        const char *point = strchr(text.data, '.');
        assert_true(point == NULL || (strlen(point) <= 10 && text.data[text.size - 1] != '0'));
    }
    end_bench(&on);
}

static void examples_are_written_as_expected(void **state)
{
    (void)state;
    bench on = begin_bench("examples_are_written_as_expected");
    assert_string_equal(write_rational(&on, rh__rational_make(6, -4)), "-3/2");
    assert_string_equal(write_rational(&on, rh__rational_make(0, -4)), "0/1");
    assert_string_equal(write_rational(&on, rh__rational_make(-INT64_MAX, 1)),
                        "-9223372036854775807/1");
    rh_rational big;
    assert_true(rh__rational_power(&on.arena, rh__rational_make(-10, 1), 21, BITS, &big));
    assert_string_equal(write_rational(&on, big), "-1000000000000000000000/1");
    assert_true(rh__rational_power(&on.arena, rh__rational_make(-10, 1), -21, BITS, &big));
    assert_string_equal(write_rational(&on, big), "-1/1000000000000000000000");
    end_bench(&on);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sums_and_products_agree_with_gmp),
        cmocka_unit_test(overflow_and_return_gives_the_same_number),
        cmocka_unit_test(powers_agree_with_repeated_products_and_roots_undo_them),
        cmocka_unit_test(what_is_no_power_has_no_root),
        cmocka_unit_test(numbers_beyond_the_limit_are_refused),
        cmocka_unit_test(want_of_memory_is_refused),
        cmocka_unit_test(literals_round_like_strtod),
        cmocka_unit_test(halfway_cases_round_to_even),
        cmocka_unit_test(values_of_quotients_are_the_nearest_doubles),
        cmocka_unit_test(decimals_are_exact_and_short),
        cmocka_unit_test(examples_are_written_as_expected),
    };
    return cmocka_run_group_tests_name("rational", tests, NULL, NULL);
}
