// SPDX-License-Identifier: Apache-2.0
// Property tests of src/numeric/polynomial.c where roots meet: grazing and what a small push makes
// of it, higher multiplicities, close pairs, and roots at the border of two steps.

#include "numeric/polynomials.h"

// --- grazing -----------------------------------------------------------------------------------

static poly grazing(support_random *random, double at, int times, long double *out_rest)
{
    product rest = begin_product(random);
    multiply_positive(&rest, random, support_random_below(random, 14));
    const poly rounded = round_product(&rest);
    *out_rest = value_of(&rounded, at);
    multiply_root(&rest, at, times);
    poly p = round_product(&rest);
    // noise of rounding, as a computation leaves it
    for (uint32_t k = 0; k <= p.degree; k++) {
        p.c[k] *= 1.0 + ((int)support_random_below(random, 3) - 1) * DBL_EPSILON;
    }
    return p;
}

static void double_roots_touch(void **state)
{
    (void)state;
    support_random random = support_random_begin("double_roots_touch");
    for (int round = 0; round < ROUNDS; round++) {
        const double at = support_random_real(&random, 0.05, 0.95);
        long double rest;
        poly p = grazing(&random, at, 2, &rest);
        search found;
        find(&p, &found);
        check_all(&p, &found);
        assert_int_equal(found.list.count, 1);
        assert_int_equal(found.roots[0].kind, RH_ROOT_TOUCH);
        assert_near(found.roots[0].at, at, 1e-9);

        // a push away leaves none, a push across makes two
        const double level = level_of(&p, at);
        const double push = copysign(support_random_real(&random, 4.0, 1e4) * level, (double)rest);
        p.c[0] += push;
        find(&p, &found);
        check_all(&p, &found);
        assert_int_equal(found.list.count, 0);
        p.c[0] -= 2 * push;
        find(&p, &found);
        check_all(&p, &found);
        assert_int_equal(found.list.count, 2);
        const double half = (double)sqrtl((long double)push / rest);
        assert_near_by(found.roots[0].at, at - half, 0.0, 0.3 * half);
        assert_near_by(found.roots[1].at, at + half, 0.0, 0.3 * half);
        const bool is_down = found.roots[0].kind == RH_ROOT_DOWN;
        assert_int_equal(is_down, rest > 0);
    }
}

static void higher_multiplicities_are_one_root(void **state)
{
    (void)state;
    support_random random = support_random_begin("higher_multiplicities_are_one_root");
    for (int round = 0; round < ROUNDS; round++) {
        const double at = support_random_real(&random, 0.2, 0.8);
        const int times = 3 + (int)support_random_below(&random, 3);
        long double rest;
        const poly p = grazing(&random, at, times, &rest);
        search found;
        find(&p, &found);
        check_all(&p, &found);
        assert_int_equal(found.list.count, 1);
        const rh_root_kind crossing = rest > 0 ? RH_ROOT_UP : RH_ROOT_DOWN;
        assert_int_equal(found.roots[0].kind, times % 2 == 0 ? RH_ROOT_TOUCH : crossing);
        const double doubt = pow(level_of(&p, at) / (double)fabsl(rest), 1.0 / times);
        assert_near_by(found.roots[0].at, at, 0.0, doubt);
    }
}

// Two roots 1e-3 ... 1e-8 apart: two crossings, or one touch when what lies between is below the
// level.
static void close_pairs_are_told_apart_above_the_level(void **state)
{
    (void)state;
    support_random random = support_random_begin("close_pairs_are_told_apart_above_the_level");
    int apart = 0;
    int together = 0;
    for (int round = 0; round < ROUNDS; round++) {
        const double at = support_random_real(&random, 0.05, 0.95);
        const double gap = pow(10.0, support_random_real(&random, -8.0, -3.0));
        product on = begin_product(&random);
        multiply_root(&on, at, 1);
        multiply_root(&on, at + gap, 1);
        multiply_positive(&on, &random, support_random_below(&random, 14));
        const poly p = round_product(&on);
        const double depth = (double)fabsl(value_of(&p, at + 0.5 * gap));
        const double level = level_of(&p, at);
        search found;
        find(&p, &found);
        check_all(&p, &found);
        if (depth > 2 * level) {
            assert_int_equal(found.list.count, 2);
            check_simple(&p, found.roots[0].at, at);
            check_simple(&p, found.roots[1].at, at + gap);
            apart++;
        } else if (depth < 0.5 * level) {
            assert_int_equal(found.list.count, 1);
            assert_int_equal(found.roots[0].kind, RH_ROOT_TOUCH);
            assert_near_by(found.roots[0].at, at + 0.5 * gap, 0.0, gap + 1e-9);
            together++;
        }
    }
    assert_true(apart > 0 && together > 0);
}

static void the_tolerance_decides_what_touches(void **state)
{
    (void)state;
    const poly p = {2, {0.25 + 1e-8, -1.0, 1.0}};
    search found;
    find_with(&p, (rh_root_query){.tolerance = 1e-7}, &found);
    assert_int_equal(found.list.count, 1);
    assert_int_equal(found.roots[0].kind, RH_ROOT_TOUCH);
    assert_near(found.roots[0].at, 0.5, 1e-12);
    find_with(&p, (rh_root_query){.tolerance = 1e-9}, &found);
    assert_int_equal(found.list.count, 0);
    find_with(&p, (rh_root_query){.floor = 2e-8}, &found);
    assert_int_equal(found.list.count, 1);
}

// --- ends --------------------------------------------------------------------------------------

// q(x) = p(x + 1)
static poly shifted(const poly *p)
{
    long double c[DEGREE + 1];
    for (uint32_t k = 0; k <= p->degree; k++) {
        c[k] = p->c[k];
    }
    for (uint32_t k = 0; k < p->degree; k++) {
        for (uint32_t j = p->degree; j-- > k;) {
            c[j] += c[j + 1];
        }
    }
    poly q = {.degree = p->degree};
    for (uint32_t k = 0; k <= p->degree; k++) {
        q.c[k] = (double)c[k];
    }
    return q;
}

// Two steps over [0, 2] with a root at their border or a few roundings beside it: the first reports
// it, and only the first. Further beside, the steps may see it on different sides, and their signs
// tell.
static void a_root_at_the_border_is_found_once(void **state)
{
    (void)state;
    support_random random = support_random_begin("a_root_at_the_border_is_found_once");
    for (int round = 0; round < ROUNDS; round++) {
        const int times = 1 + (int)support_random_below(&random, 2);
        const int off = (int)support_random_below(&random, 17) - 8;
        product on = begin_product(&random);
        multiply_positive(&on, &random, support_random_below(&random, 6));
        multiply_root(&on, 1.0 + off * DBL_EPSILON, times);
        const poly p = round_product(&on);
        const poly q = shifted(&p);
        search first;
        search second;
        find(&p, &first);
        find_with(&q, (rh_root_query){.floor = level_of(&p, 1.0)}, &second);
        check_all(&p, &first);
        const bool is_again = second.list.count > 0 && second.roots[0].at < 0.4;
        if (off <= 2 || times == 2) {
            assert_int_equal(first.list.count, 1);
            assert_near(first.roots[0].at, 1.0, 1e-6);
            assert_int_equal(first.roots[0].kind == RH_ROOT_TOUCH, times == 2);
            assert_int_equal(first.list.last, second.list.first);
            assert_false(is_again);
        } else if (first.list.last == second.list.first) {
            assert_int_equal(first.list.count + is_again, 1);
        }
    }
}

// Multiplied by a power of two, even one at the edge of the range, the bits of the roots stay.
static void the_unit_does_not_matter(void **state)
{
    (void)state;
    support_random random = support_random_begin("the_unit_does_not_matter");
    for (int round = 0; round < 100; round++) {
        const double at = support_random_real(&random, 0.05, 0.95);
        long double rest;
        const poly p = grazing(&random, at, 1 + round % 2, &rest);
        const int shift = round % 3 == 0 ? 990 : round % 3 == 1 ? -900 : 17;
        poly q = p;
        for (uint32_t k = 0; k <= q.degree; k++) {
            q.c[k] = ldexp(q.c[k], shift);
        }
        search plain;
        search scaled;
        find(&p, &plain);
        find(&q, &scaled);
        assert_int_equal(plain.list.count, scaled.list.count);
        for (uint32_t k = 0; k < plain.list.count; k++) {
            assert_true(plain.roots[k].at == scaled.roots[k].at);
            assert_int_equal(plain.roots[k].kind, scaled.roots[k].kind);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(double_roots_touch),
        cmocka_unit_test(higher_multiplicities_are_one_root),
        cmocka_unit_test(close_pairs_are_told_apart_above_the_level),
        cmocka_unit_test(the_tolerance_decides_what_touches),
        cmocka_unit_test(a_root_at_the_border_is_found_once),
        cmocka_unit_test(the_unit_does_not_matter),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
