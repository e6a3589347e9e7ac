// SPDX-License-Identifier: Apache-2.0
// What the tests of src/numeric/polynomial.c share: polynomials with built-in roots, a search that
// guards its work space, and what every list of roots must keep. The judge computes with long
// double.

#pragma once

#include "support.h"

#include "numeric/numeric.h"

#include <float.h>
#include <math.h>

enum { ROUNDS = 2000, DEGREE = RH_POLYNOMIAL_DEGREE, SAMPLES = 1009 };

typedef struct poly {
    uint32_t degree;
    double c[DEGREE + 1];
} poly;

typedef struct search {
    rh_root roots[DEGREE + 1];
    rh_root_list list;
} search;

static inline void find_with(const poly *p, rh_root_query query, search *out)
{
    static double work[RH_POLYNOMIAL_WORK(DEGREE)];
    query.c = p->c;
    query.degree = p->degree;
    // the places behind the work space given must stay as they are
    const size_t count = RH_POLYNOMIAL_WORK(p->degree);
    for (size_t k = 0; k < RH_POLYNOMIAL_WORK(DEGREE); k++) {
        work[k] = -77.0;
    }
    out->list = (rh_root_list){.data = out->roots, .capacity = p->degree + 1};
    assert_int_equal(rh__polynomial_roots(&query, work, &out->list), RH_OK);
    assert_true(out->list.is_complete);
    for (size_t k = count; k < RH_POLYNOMIAL_WORK(DEGREE); k++) {
        assert_true(work[k] == -77.0);
    }
}

static inline void find(const poly *p, search *out)
{
    find_with(p, (rh_root_query){.tolerance = 0.0}, out);
}

static inline long double value_of(const poly *p, long double x)
{
    long double sum = 0.0L;
    for (uint32_t k = p->degree + 1; k-- > 0;) {
        sum = sum * x + (long double)p->c[k];
    }
    return sum;
}

// The level of doubt for tolerance 0, as the header says it: rounding times the sum of terms.
static inline double level_of(const poly *p, double x)
{
    return (2.0 * p->degree + 4.0) * (DBL_EPSILON / 2) * rh__polynomial_scale(p->c, p->degree, x);
}

// --- products of factors -----------------------------------------------------------------------

typedef struct product {
    uint32_t degree;
    long double c[DEGREE + 1];
} product;

// Times a x^2 + b x + d.
static inline void multiply(product *on, long double a, long double b, long double d)
{
    on->degree += a == 0.0L ? 1 : 2;
    assert_true(on->degree <= DEGREE);
    for (uint32_t k = on->degree + 1; k-- > 0;) {
        on->c[k] =
            on->c[k] * d + (k > 0 ? on->c[k - 1] * b : 0.0L) + (k > 1 ? on->c[k - 2] * a : 0.0L);
    }
}

static inline void multiply_root(product *on, double root, int times)
{
    for (int k = 0; k < times; k++) {
        multiply(on, 0.0L, 1.0L, -(long double)root);
    }
}

// Factors that are positive on [0, 1]: pairs of complex roots, and real roots outside.
static inline void multiply_positive(product *on, support_random *random, uint32_t times)
{
    for (uint32_t k = 0; k < times; k++) {
        if (support_random_below(random, 2) == 0) {
            const double x = support_random_real(random, -2.0, 3.0);
            const double y = support_random_real(random, 0.5, 3.0);
            multiply(on, 1.0L / (x * x + y * y), -2.0L * x / (x * x + y * y), 1.0L);
        } else {
            multiply(on, 0.0L, 1.0L / support_random_real(random, 0.5, 9.0), 1.0L);
            multiply(on, 0.0L, -1.0L / support_random_real(random, 1.5, 9.0), 1.0L);
        }
    }
}

static inline product begin_product(support_random *random)
{
    const double size = support_random_real(random, 0.1, 10.0);
    return (product){.c = {support_random_below(random, 2) == 0 ? size : -size}};
}

static inline poly round_product(const product *on)
{
    poly p = {.degree = on->degree};
    for (uint32_t k = 0; k <= on->degree; k++) {
        p.c[k] = (double)on->c[k];
    }
    return p;
}

static inline long double slope_of(const poly *p, long double x)
{
    long double sum = 0.0L;
    for (uint32_t k = p->degree; k > 0; k--) {
        sum = sum * x + (long double)k * (long double)p->c[k];
    }
    return sum;
}

// Is `at` the simple root of the rounded polynomial next to `near`, as far as the judge can see?
static inline void check_simple(const poly *p, double at, long double near)
{
    long double x = near;
    for (int k = 0; k < 6; k++) {
        x -= value_of(p, x) / slope_of(p, x);
    }
    const long double noise = 64 * LDBL_EPSILON * rh__polynomial_scale(p->c, p->degree, at);
    assert_near_by(at, (double)x, 0.0, 1e-15 + (double)fabsl(noise / slope_of(p, x)));
}

// --- what every list must keep -----------------------------------------------------------------

static inline int told_sign(const search *found, double x)
{
    int sign = found->list.first;
    for (uint32_t k = 0; k < found->list.count && found->roots[k].at <= x; k++) {
        sign = found->roots[k].after;
    }
    return sign;
}

static inline bool is_in_doubt(const search *found, double x)
{
    bool is_inside = false;
    for (uint32_t k = 0; k < found->list.count; k++) {
        const rh_root *root = &found->roots[k];
        is_inside = is_inside || (x >= root->low - 1e-15 && x <= root->high + 1e-15);
    }
    return is_inside;
}

static inline void check_chain(const search *found)
{
    int sign = found->list.first;
    double last = 0.0;
    for (uint32_t k = 0; k < found->list.count; k++) {
        const rh_root *root = &found->roots[k];
        assert_true(root->at > last && root->at <= 1.0);
        assert_true(root->low <= root->at && root->at <= root->high);
        assert_int_equal(root->before, sign);
        assert_int_equal(root->before * root->after, root->kind == RH_ROOT_TOUCH ? 1 : -1);
        assert_int_equal(root->kind == RH_ROOT_UP, root->after > root->before);
        assert_int_equal(root->kind == RH_ROOT_DOWN, root->after < root->before);
        last = root->at;
        sign = root->after;
    }
    assert_int_equal(found->list.last, sign);
}

// No change of sign is missed, and none is invented.
static inline void check_samples(const poly *p, const search *found)
{
    for (int k = 1; k <= SAMPLES; k++) {
        const double x = (double)k / SAMPLES;
        const long double value = value_of(p, x);
        if (fabsl(value) > 2 * (long double)level_of(p, x) && !is_in_doubt(found, x)) {
            assert_int_equal(told_sign(found, x), value > 0 ? 1 : -1);
        }
    }
}

static inline void check_all(const poly *p, const search *found)
{
    if (!found->list.is_zero) {
        check_chain(found);
        check_samples(p, found);
    }
}
