// SPDX-License-Identifier: Apache-2.0
// Expressions without an angle: what is free of it is found to be, with the same values, whatever
// is not leaves a duty that does not vanish, or is no sum over turns.

#include "expr/helpers.h"
#include "proof/proof.h"

static rh_expr sine(lab *on, rh_expr a)
{
    return call(on, RH_OP_SIN, a);
}

static rh_expr cosine(lab *on, rh_expr a)
{
    return call(on, RH_OP_COS, a);
}

/// What becomes of one expression.
typedef struct freed {
    rh_expr out;
    rh_expr_list duties;
    bool is_free; // all duties are proved to vanish
} freed;

static freed set_free(lab *on, rh_expr e, rh_expr angle)
{
    freed it = {.out = RH_EXPR_NONE};
    const rh_prover_def def = {0};
    assert_true(rh__harmonic_free(on->store, &e, 1, angle, &on->scratch, &it.out, &it.duties));
    it.is_free = it.out.i != 0;
    for (uint32_t k = 0; k < it.duties.count; k++) {
        rh_claim claim;
        assert_true(rh__prover_judge(on->store, &def, &it.duties.data[k], 1, &on->scratch, &claim));
        it.is_free = it.is_free && claim.identity == RH_IDENTITY_PROVED;
    }
    return it;
}

// The vector (a, b) turned by an angle: its components.
static rh_expr along(lab *on, rh_expr angle, rh_expr a, rh_expr b)
{
    return minus(on, times(on, cosine(on, angle), a), times(on, sine(on, angle), b));
}

static rh_expr across(lab *on, rh_expr angle, rh_expr a, rh_expr b)
{
    return plus(on, times(on, sine(on, angle), a), times(on, cosine(on, angle), b));
}

static rh_expr free_case(lab *on, int k, rh_expr x, rh_expr y, rh_expr z)
{
    const rh_expr a = plus(on, times(on, y, sine(on, z)), z);
    const rh_expr b = plus(on, power(on, y, 3), cosine(on, z));
    const rh_expr p = along(on, x, a, b);
    const rh_expr q = across(on, x, a, b);
    switch (k) {
    case 0: // the length of a vector
        return plus(on, power(on, p, 2), power(on, q, 2));
    case 1: // a root of it, and a function of that
        return call(on, RH_OP_LOG,
                    plus(on, whole(on, 1),
                         rh__expr_sqrt(on->store, plus(on, power(on, p, 2), power(on, q, 2)))));
    case 2: // turned back
        return plus(on, times(on, cosine(on, x), p), times(on, sine(on, x), q));
    case 3: // an angle less another
        return cosine(
            on, minus(on, plus(on, times(on, whole(on, 3), x), y), times(on, whole(on, 3), x)));
    case 4: // cos(2x + y) + 2 sin(x) sin(x + y) = cos(y)
        return plus(on, cosine(on, plus(on, times(on, whole(on, 2), x), y)),
                    times(on, whole(on, 2), times(on, sine(on, x), sine(on, plus(on, x, y)))));
    case 5: // sin(-x) + sin(x)
        return plus(on, plus(on, sine(on, rh__expr_negate(on->store, x)), sine(on, x)), y);
    case 6: // |vector|^4 by the parts of a product
        return times(on, plus(on, power(on, p, 2), power(on, q, 2)),
                     plus(on, power(on, p, 2), power(on, q, 2)));
    default:
        return RH_EXPR_NONE;
    }
}

static void what_is_free_is_set_free(void **state)
{
    (void)state;
    lab on;
    lab_begin(&on);
    const rh_expr x = on.symbol[2];
    const rh_prover_def def = {0};
    int k = 0;
    for (rh_expr e = free_case(&on, k, x, on.symbol[3], on.symbol[4]); e.i != 0;
         e = free_case(&on, ++k, x, on.symbol[3], on.symbol[4])) {
        const freed it = set_free(&on, e, x);
        rh_claim claim;
        if (!it.is_free) {
            fail_msg("case %d", k);
        }
        assert_int_equal(rh__expr_replace(on.store, it.out, x, whole(&on, 0)).i, it.out.i);
        const rh_expr difference = minus(&on, e, it.out);
        assert_true(rh__prover_judge(on.store, &def, &difference, 1, &on.scratch, &claim));
        assert_int_equal(claim.identity, RH_IDENTITY_PROVED);
    }
    assert_int_equal(k, 7);
    lab_end(&on);
}

static rh_expr bound_case(lab *on, int k, rh_expr x, rh_expr y, rh_expr z)
{
    const rh_expr p = along(on, x, y, z);
    const rh_expr q = across(on, x, y, z);
    switch (k) {
    case 0:
        return plus(on, power(on, p, 2), times(on, whole(on, 2), power(on, q, 2)));
    case 1:
        return sine(on, plus(on, x, y));
    case 2:
        return x;
    case 3:
        return plus(on, sine(on, times(on, x, y)), z);
    case 4:
        return rh__expr_divide(on->store, y, cosine(on, x));
    case 5:
        return call(on, RH_OP_ABS, sine(on, x));
    case 6:
        return call(on, RH_OP_TAN, x);
    case 7:
        return minus(on, power(on, plus(on, power(on, p, 2), power(on, q, 2)), 1),
                     times(on, rh__expr_ratio(on->store, 1, 1000000000), cosine(on, x)));
    case 8: // the turn is not whole
        return sine(on, times(on, rh__expr_ratio(on->store, 1, 2), x));
    default:
        return RH_EXPR_NONE;
    }
}

static void what_is_not_free_is_not(void **state)
{
    (void)state;
    lab on;
    lab_begin(&on);
    const rh_expr x = on.symbol[2];
    int k = 0;
    for (rh_expr e = bound_case(&on, k, x, on.symbol[3], on.symbol[4]); e.i != 0;
         e = bound_case(&on, ++k, x, on.symbol[3], on.symbol[4])) {
        if (set_free(&on, e, x).is_free) {
            fail_msg("case %d", k);
        }
    }
    assert_int_equal(k, 9);
    lab_end(&on);
}

// A power that would have thousands of multiples is left alone, soon.
static void large_turns_are_left_alone(void **state)
{
    (void)state;
    lab on;
    lab_begin(&on);
    const rh_expr x = on.symbol[2];
    rh_expr e = plus(&on, sine(&on, x), on.symbol[3]);
    for (int k = 0; k < 12; k++) {
        e = plus(&on, times(&on, e, e), cosine(&on, x));
    }
    const freed it = set_free(&on, e, x);
    assert_int_equal(it.out.i, 0);
    assert_int_equal(it.duties.count, 0);
    lab_end(&on);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_free_is_set_free),
        cmocka_unit_test(what_is_not_free_is_not),
        cmocka_unit_test(large_turns_are_left_alone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
