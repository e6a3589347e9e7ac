// SPDX-License-Identifier: Apache-2.0
// Unit and property tests of src/numeric/polynomial.c: values, roots that were built in, counts by
// Sturm's theorem, signs of dense samples, degenerate input. Grazing and borders are in
// test_polynomial_touch.c.

#include "numeric/polynomials.h"

static double work[RH_POLYNOMIAL_WORK(DEGREE)];

// --- values ------------------------------------------------------------------------------------

static void values_have_twice_the_digits(void **state)
{
    (void)state;
    support_random random = support_random_begin("values_have_twice_the_digits");
    for (int round = 0; round < ROUNDS; round++) {
        product on = begin_product(&random);
        multiply_root(&on, support_random_real(&random, 0.0, 1.0), 3);
        multiply_positive(&on, &random, support_random_below(&random, 10));
        const poly p = round_product(&on);
        const double x = support_random_real(&random, 0.0, 1.0);
        const double scale = rh__polynomial_scale(p.c, p.degree, x);
        assert_near_by(rh__polynomial_value(p.c, p.degree, x), (double)value_of(&p, x), 1e-15,
                       1e-17 * scale);
        assert_true(rh__polynomial_bound(p.c, p.degree) >= (double)fabsl(value_of(&p, x)));
        double slope[DEGREE + 1];
        rh__polynomial_derivative(p.c, p.degree, slope);
        const double h = 1e-6;
        const double difference =
            (double)((value_of(&p, x + h) - value_of(&p, x - h)) / (2.0L * h));
        const double slope_scale = rh__polynomial_bound(slope, p.degree - 1);
        assert_near_by(rh__polynomial_value(slope, p.degree - 1, x), difference, 0.0,
                       1e-7 * slope_scale);
    }
    double constant = 3.0;
    rh__polynomial_derivative(&constant, 0, &constant);
    assert_true(constant == 0.0);
}

// --- roots -------------------------------------------------------------------------------------

static void small_examples(void **state)
{
    (void)state;
    search found;
    const poly line = {1, {-0.5, 2.0}};
    find(&line, &found);
    assert_int_equal(found.list.count, 1);
    assert_true(found.roots[0].at == 0.25 && found.roots[0].kind == RH_ROOT_UP);
    assert_true(found.list.first == -1 && found.list.last == 1);

    const poly square = {2, {0.25, -1.0, 1.0}};
    find(&square, &found);
    assert_int_equal(found.list.count, 1);
    assert_near(found.roots[0].at, 0.5, 1e-12);
    assert_int_equal(found.roots[0].kind, RH_ROOT_TOUCH);

    const poly apart = {2, {1.0, -1.0, 1.0}};
    find(&apart, &found);
    assert_int_equal(found.list.count, 0);
    assert_true(found.list.first == 1 && found.list.last == 1);

    const poly at_end = {1, {1.0, -1.0}};
    find(&at_end, &found);
    assert_int_equal(found.list.count, 1);
    assert_true(found.roots[0].at == 1.0 && found.roots[0].kind == RH_ROOT_DOWN);
    assert_int_equal(found.list.last, -1);

    const poly cube = {3, {-0.125, 0.75, -1.5, 1.0}};
    find(&cube, &found);
    assert_int_equal(found.list.count, 1);
    assert_near(found.roots[0].at, 0.5, 1e-12);
    assert_int_equal(found.roots[0].kind, RH_ROOT_UP);
}

static void roots_at_the_start_are_asked_for(void **state)
{
    (void)state;
    const rh_root_query asked = {.is_start_included = true};
    search found;
    const poly bounce = {2, {0.0, 1.0, -2.0}};
    find(&bounce, &found);
    assert_int_equal(found.list.count, 1);
    assert_true(found.roots[0].at == 0.5 && found.list.first == 1);
    find_with(&bounce, asked, &found);
    assert_int_equal(found.list.count, 2);
    assert_true(found.roots[0].at == 0.0 && found.roots[0].kind == RH_ROOT_UP);

    const poly graze = {2, {0.0, 0.0, 1.0}};
    find(&graze, &found);
    assert_int_equal(found.list.count, 0);
    find_with(&graze, asked, &found);
    assert_int_equal(found.list.count, 1);
    assert_true(found.roots[0].at == 0.0 && found.roots[0].kind == RH_ROOT_TOUCH);

    // a start that is zero up to rounding, on the wrong side
    const poly off = {2, {-1e-17, 1.0, -2.0}};
    find(&off, &found);
    assert_int_equal(found.list.count, 1);
    assert_int_equal(found.list.first, 1);
    assert_near(found.roots[0].at, 0.5, 1e-15);
    const poly far_off = {2, {-1e-12, 1.0, -2.0}};
    find(&far_off, &found);
    assert_int_equal(found.list.count, 2);
    find_with(&far_off, (rh_root_query){.floor = 1e-11}, &found);
    assert_int_equal(found.list.count, 1);
    assert_int_equal(found.list.first, 1);
}

// Simple roots; each is found, to the last digits of the given coefficients.
static void built_in_roots_are_found(void **state)
{
    (void)state;
    support_random random = support_random_begin("built_in_roots_are_found");
    for (int round = 0; round < ROUNDS; round++) {
        product on = begin_product(&random);
        const uint32_t count = support_random_below(&random, 6);
        const double start = support_random_real(&random, 0.05, 0.1);
        double known[8];
        for (uint32_t k = 0; k < count; k++) {
            known[k] = start + (k + support_random_real(&random, 0.0, 0.8)) * 0.9 / (count + 1);
            multiply_root(&on, known[k], 1);
        }
        multiply_positive(&on, &random, support_random_below(&random, (DEGREE - count) / 2));
        const poly p = round_product(&on);
        search found;
        find(&p, &found);
        check_all(&p, &found);
        assert_int_equal(found.list.count, count);
        for (uint32_t k = 0; k < count; k++) {
            check_simple(&p, found.roots[k].at, known[k]);
            assert_true(found.roots[k].kind != RH_ROOT_TOUCH);
        }
    }
}

// Any coefficients at all, among them the fast decay of a Taylor step.
static void no_change_of_sign_is_missed(void **state)
{
    (void)state;
    support_random random = support_random_begin("no_change_of_sign_is_missed");
    uint32_t count = 0;
    for (int round = 0; round < ROUNDS; round++) {
        poly p = {.degree = support_random_below(&random, DEGREE + 1)};
        const double decay = support_random_real(&random, 0.3, 1.5);
        for (uint32_t k = 0; k <= p.degree; k++) {
            p.c[k] = support_random_real(&random, -1.0, 1.0) * pow(decay, k);
        }
        if (support_random_below(&random, 3) == 0) {
            p.c[0] = 0.0;
        }
        search found;
        find(&p, &found);
        check_all(&p, &found);
        count += found.list.count;
    }
    assert_true(count > ROUNDS / 8);
}

// Up to twenty roots in the interval: the coefficients cancel, and clusters must stay honest.
static void crowded_intervals_keep_their_signs(void **state)
{
    (void)state;
    support_random random = support_random_begin("crowded_intervals_keep_their_signs");
    for (int round = 0; round < ROUNDS; round++) {
        product on = begin_product(&random);
        const uint32_t count = 1 + support_random_below(&random, 20);
        for (uint32_t k = 0; k < count; k++) {
            const int times = support_random_below(&random, 8) == 0 ? 2 : 1;
            multiply_root(&on, support_random_real(&random, 0.0, 1.0), times);
        }
        const poly p = round_product(&on);
        search found;
        find(&p, &found);
        check_all(&p, &found);
    }
}

// --- Sturm's theorem as the judge --------------------------------------------------------------

// The number of sign changes in Sturm's chain at x, or -1 when a sign is not sure.
static int count_changes(long double chain[][DEGREE + 1], int length, long double x)
{
    int changes = 0;
    long double last = 0.0L;
    for (int k = 0; k < length; k++) {
        long double value = 0.0L;
        long double scale = 0.0L;
        for (int j = length - 1 - k; j >= 0; j--) {
            value = value * x + chain[k][j];
            scale = scale * x + fabsl(chain[k][j]);
        }
        if (fabsl(value) <= 1e-12L * scale) {
            return -1;
        }
        changes += last * value < 0.0L;
        last = value;
    }
    return changes;
}

// chain[2] = -(chain[0] modulo chain[1]), scaled to its largest coefficient; false when it is
// small.
static bool divide(long double chain[][DEGREE + 1], int degree)
{
    long double rest[DEGREE + 1];
    memcpy(rest, chain[0], sizeof rest);
    for (int shift = 1; shift >= 0; shift--) {
        const long double factor = rest[degree - 1 + shift] / chain[1][degree - 1];
        for (int j = 0; j < degree; j++) {
            rest[j + shift] -= factor * chain[1][j];
        }
    }
    long double largest = 0.0L;
    for (int j = 0; j <= degree - 2; j++) {
        largest = fmaxl(largest, fabsl(rest[j]));
    }
    for (int j = 0; j <= degree - 2; j++) {
        chain[2][j] = -rest[j] / largest;
    }
    return largest > 1e-4L && fabsl(chain[2][degree - 2]) > 1e-4L;
}

// The number of real roots in (0, 1), or -1 when the chain is not sure.
static int count_by_sturm(const poly *p)
{
    long double chain[DEGREE + 1][DEGREE + 1] = {{0.0L}};
    const int degree = (int)p->degree;
    for (int k = 0; k <= degree; k++) {
        chain[0][k] = p->c[k];
    }
    for (int k = 1; k <= degree; k++) {
        chain[1][k - 1] = k * chain[0][k];
    }
    for (int k = 0; k + 2 <= degree; k++) {
        if (!divide(&chain[k], degree - k)) {
            return -1;
        }
    }
    const int at_start = count_changes(chain, degree + 1, 0.0L);
    const int at_end = count_changes(chain, degree + 1, 1.0L);
    return at_start < 0 || at_end < 0 ? -1 : at_start - at_end;
}

static void counts_are_those_of_sturm(void **state)
{
    (void)state;
    support_random random = support_random_begin("counts_are_those_of_sturm");
    int judged = 0;
    int roots = 0;
    for (int round = 0; round < 10 * ROUNDS; round++) {
        // shifted Legendre polynomials and the like have many roots: alternating, growing terms
        poly p = {.degree = 1 + support_random_below(&random, 8)};
        double size = 1.0;
        for (uint32_t k = 0; k <= p.degree; k++) {
            p.c[k] = (k % 2 == 0 ? size : -size) * support_random_real(&random, 0.3, 1.0);
            size *= 2.5 * (p.degree - k) / (k + 1.0);
        }
        const int expected = count_by_sturm(&p);
        if (expected >= 0) {
            search found;
            find(&p, &found);
            uint32_t count = 0;
            for (uint32_t k = 0; k < found.list.count; k++) {
                count += found.roots[k].kind != RH_ROOT_TOUCH;
            }
            assert_int_equal(count, expected);
            judged++;
            roots += expected;
        }
    }
    assert_true(judged > ROUNDS && roots > ROUNDS);
}

// Up to the first crossing to the sign that is enough, the list is that of the whole search.
static void nothing_is_looked_for_behind_the_last_sign(void **state)
{
    (void)state;
    support_random random = support_random_begin("nothing_is_looked_for_behind_the_last_sign");
    int cut = 0;
    for (int round = 0; round < 2 * ROUNDS; round++) {
        product on = {.c = {1.0L}};
        const uint32_t roots = support_random_below(&random, 7);
        for (uint32_t k = 0; k < roots; k++) {
            multiply_root(&on, support_random_real(&random, -0.1, 1.1),
                          1 + (int)support_random_below(&random, 2));
        }
        const poly p = round_product(&on);
        const int sign = round % 2 == 0 ? 1 : -1;
        search whole;
        search part;
        find(&p, &whole);
        find_with(&p, (rh_root_query){.last_sign = sign}, &part);
        uint32_t count = 0;
        bool is_over = false;
        while (count < whole.list.count && !is_over) {
            const rh_root *root = &whole.roots[count++];
            is_over = root->kind != RH_ROOT_TOUCH && root->after == sign;
        }
        assert_int_equal(part.list.count, count);
        for (uint32_t k = 0; k < count; k++) {
            assert_true(part.roots[k].at == whole.roots[k].at);
            assert_int_equal(part.roots[k].kind, whole.roots[k].kind);
            assert_int_equal(part.roots[k].after, whole.roots[k].after);
        }
        assert_int_equal(part.list.first, whole.list.first);
        assert_int_equal(part.list.last, is_over ? 0 : whole.list.last);
        cut += count < whole.list.count;
    }
    assert_true(cut > ROUNDS / 4);
}

// --- degenerate input --------------------------------------------------------------------------

static void nothing_is_found_where_nothing_is(void **state)
{
    (void)state;
    search found;
    const poly zero = {7, {0.0}};
    find(&zero, &found);
    assert_true(found.list.is_zero && found.list.count == 0);
    const poly constant = {0, {-1e-300}};
    find(&constant, &found);
    assert_true(!found.list.is_zero && found.list.count == 0);
    assert_true(found.list.first == -1 && found.list.last == -1);
    const poly small = {2, {1e-9, -1e-9, 1e-10}};
    find_with(&small, (rh_root_query){.floor = 1e-8}, &found);
    assert_true(found.list.is_zero && found.list.count == 0);
}

static void wrong_input_is_refused(void **state)
{
    (void)state;
    poly p = {3, {0.1, -1.0, 1.0, 1.0}};
    search found = {.list = {.data = found.roots, .capacity = 4, .count = 3}};
    const double wrong[] = {(double)NAN, (double)INFINITY, -(double)INFINITY};
    for (int k = 0; k < 3; k++) {
        poly q = p;
        q.c[k] = wrong[k];
        const rh_root_query query = {.c = q.c, .degree = 3};
        assert_int_equal(rh__polynomial_roots(&query, work, &found.list), RH_E_ARGUMENT);
        assert_int_equal(found.list.count, 0);
        const rh_root_query by_tolerance = {.c = p.c, .degree = 3, .tolerance = wrong[k]};
        assert_int_equal(rh__polynomial_roots(&by_tolerance, work, &found.list), RH_E_ARGUMENT);
        const rh_root_query by_floor = {.c = p.c, .degree = 3, .floor = wrong[k]};
        assert_int_equal(rh__polynomial_roots(&by_floor, work, &found.list), RH_E_ARGUMENT);
    }
    const rh_root_query high = {.c = p.c, .degree = DEGREE + 1};
    assert_int_equal(rh__polynomial_roots(&high, work, &found.list), RH_E_LIMIT);
}

static void a_short_list_has_the_first_roots(void **state)
{
    (void)state;
    product on = {.c = {1.0L}};
    multiply_root(&on, 0.2, 1);
    multiply_root(&on, 0.5, 1);
    multiply_root(&on, 0.9, 1);
    const poly p = round_product(&on);
    const rh_root_query query = {.c = p.c, .degree = p.degree};
    for (uint32_t capacity = 0; capacity <= 3; capacity++) {
        search found = {.list = {.data = found.roots, .capacity = capacity}};
        assert_int_equal(rh__polynomial_roots(&query, work, &found.list), RH_OK);
        assert_int_equal(found.list.count, capacity);
        assert_int_equal(found.list.is_complete, capacity == 3);
        assert_int_equal(found.list.last, capacity == 3 ? 1 : 0);
        if (capacity > 0) {
            assert_near(found.roots[0].at, 0.2, 1e-14);
        }
    }
}

// Arbitrary bit patterns: no crash, no endless loop, a list in order.
static void any_numbers_are_survived(void **state)
{
    (void)state;
    support_random random = support_random_begin("any_numbers_are_survived");
    for (int round = 0; round < ROUNDS; round++) {
        poly p = {.degree = support_random_below(&random, DEGREE + 1)};
        for (uint32_t k = 0; k <= p.degree; k++) {
            const int exponent = (int)support_random_below(&random, 2100) - 1075;
            p.c[k] = ldexp(support_random_real(&random, -1.0, 1.0), exponent);
        }
        search found;
        find_with(&p, (rh_root_query){.is_start_included = true}, &found);
        for (uint32_t k = 1; k < found.list.count; k++) {
            assert_true(found.roots[k - 1].at < found.roots[k].at);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values_have_twice_the_digits),
        cmocka_unit_test(small_examples),
        cmocka_unit_test(roots_at_the_start_are_asked_for),
        cmocka_unit_test(built_in_roots_are_found),
        cmocka_unit_test(no_change_of_sign_is_missed),
        cmocka_unit_test(crowded_intervals_keep_their_signs),
        cmocka_unit_test(counts_are_those_of_sturm),
        cmocka_unit_test(nothing_is_looked_for_behind_the_last_sign),
        cmocka_unit_test(nothing_is_found_where_nothing_is),
        cmocka_unit_test(wrong_input_is_refused),
        cmocka_unit_test(a_short_list_has_the_first_roots),
        cmocka_unit_test(any_numbers_are_survived),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
