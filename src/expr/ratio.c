// SPDX-License-Identifier: Apache-2.0
// Ratios F(z)/z^p with a removable singularity at z = 0: their table in the store, their values and
// Taylor series, their derivatives as expressions. With g = F/z^p the rule of Leibniz for
// F = g z^p gives the n-th derivative,
//     z^p g^(n) = F^(n) - sum_{i<n} C(n,i) g^(i) (z^p)^(n-i),
// where z is not small; where it is, the series of g at 0 does.

#include "expr/ratio.h"

#include <math.h>
#include <string.h>

enum { MOST_ORDER = 16 };

// --- values ----------------------------------------------------------------------------------

const rh_ratio *rh__ratio_at(const rh_store *store, uint32_t index)
{
    RH_ASSERT(index < store->ratios.count);
    return &store->ratios.data[index];
}

// Coefficients of the n-th derivative at 0; gives how many.
static uint32_t derive_series(const rh_ratio *ratio, uint32_t n, double *out)
{
    const uint32_t count = n < RH_RATIO_TERMS ? RH_RATIO_TERMS - n : 0;
    for (uint32_t j = 0; j < count; j++) {
        out[j] = ratio->coefficients[j + n];
        for (uint32_t i = 1; i <= n; i++) {
            out[j] *= (double)(j + i);
        }
    }
    return count;
}

void rh__ratio_shift(const rh_ratio *ratio, uint32_t n, double z, uint32_t count, double *out)
{
    double c[RH_RATIO_TERMS] = {0};
    const uint32_t terms = derive_series(ratio, n, c);
    for (uint32_t m = 0; m < count; m++) {
        for (uint32_t j = terms; j-- > m + 1;) {
            c[j - 1] += z * c[j];
        }
        out[m] = m < terms ? c[m] : 0.0;
    }
}

double rh__ratio_value(const rh_ratio *ratio, uint32_t n, double z, double far)
{
    double near = far;
    if (fabs(z) < ratio->radius) {
        rh__ratio_shift(ratio, n, z, 1, &near);
    }
    return near;
}

// --- the table -------------------------------------------------------------------------------

rh_expr rh__ratio_symbol(rh_store *store)
{
    if (rh__expr_is_none(store->ratio_symbol)) {
        static const char NAME[] = "argument";
        const rh_family_def def = {.name = {NAME, sizeof NAME - 1}};
        store->ratio_symbol = rh__expr_symbol(store, rh__family_create(store, &def), 0);
    }
    return store->ratio_symbol;
}

// Where the series is as good as exact: what is left out is below rounding up to half as far again
// (a jet looks beyond its point), and no digits cancel.
static bool is_within(const double *c, double r)
{
    double largest = 0.0;
    double rest = 0.0;
    for (uint32_t j = 0; j < RH_RATIO_TERMS; j++) {
        const double size = fabs(c[j]) * pow(1.5 * r, (double)j);
        largest = fmax(largest, size);
        rest += j > 0 ? fabs(c[j]) * pow(r, (double)j) : 0.0;
        if (j >= RH_RATIO_TERMS - 12 && !(size <= 0x1p-56 * largest)) {
            return false;
        }
    }
    return rest <= 0.5 * fabs(c[0]);
}

static double find_radius(const double *c)
{
    double r = INFINITY;
    for (uint32_t j = 1; j < RH_RATIO_TERMS; j++) {
        const double length = c[j] != 0.0 ? pow(fabs(c[0] / c[j]), 1.0 / j) : INFINITY;
        r = fmin(r, length);
    }
    r = isfinite(r) ? 4.0 * r : 0.0;
    for (int k = 0; k < 40 && r > 0.0 && !is_within(c, r); k++) {
        r *= 0.8;
    }
    return r > 0.0 && is_within(c, r) ? r : 0.0;
}

// Its index in the table; UINT32_MAX when there is no series that serves.
static uint32_t find_function(rh_store *store, rh_expr function, uint32_t order)
{
    for (uint32_t k = 0; k < store->ratios.count; k++) {
        if (rh__expr_same(store->ratios.data[k].function, function)) {
            return k;
        }
    }
    double c[RH_EXPANSION_TERMS];
    rh_arena scratch = rh__arena_begin(store->arena->allocator, store->scratch.limit);
    bool ok = order <= MOST_ORDER && rh__expansion_find(store, function, rh__ratio_symbol(store),
                                                        RH_RATIO_TERMS + order, &scratch, c);
    rh__arena_end(&scratch);
    for (uint32_t j = 0; ok && j < order; j++) {
        ok = fabs(c[j]) <= 1e-10 * fabs(c[order]); // they are zero
    }
    rh_ratio made = {.function = function, .order = order};
    if (ok) {
        memcpy(made.coefficients, c + order, sizeof made.coefficients);
        made.radius = find_radius(made.coefficients);
    }
    if (!ok || !(made.radius > 0.0) || !rh__array_push(store->arena, &store->ratios, made)) {
        return UINT32_MAX;
    }
    return store->ratios.count - 1;
}

// --- expressions -----------------------------------------------------------------------------

static rh_expr whole_power(rh_store *store, rh_expr z, int64_t n)
{
    return rh__expr_power(store, z, rh__expr_integer(store, n));
}

static rh_expr function_at(rh_store *store, const rh_ratio *ratio, uint32_t n, rh_expr z)
{
    const rh_expr s = store->ratio_symbol;
    rh_expr e = ratio->function;
    for (uint32_t k = 0; k < n; k++) {
        e = rh__expr_differentiate(store, e, s);
    }
    return rh__expr_replace(store, e, s, z);
}

// The n-th derivative where z is not small, from those below it.
static rh_expr quotient(rh_store *store, uint32_t index, uint32_t n, rh_expr z,
                        const rh_expr *lower)
{
    const rh_ratio ratio = store->ratios.data[index];
    const int64_t p = ratio.order;
    rh_expr sum = function_at(store, &ratio, n, z);
    for (uint32_t i = 0; i < n; i++) {
        int64_t factor = 1;
        for (int64_t k = 1; k <= i; k++) {
            factor = factor * ((int64_t)n - k + 1) / k; // C(n, i)
        }
        for (int64_t k = 0; k < (int64_t)n - i; k++) {
            factor *= p - k > 0 ? p - k : 0; // of (z^p)^(n-i)
        }
        if (factor != 0) {
            const rh_expr factors[] = {rh__expr_integer(store, -factor), lower[i],
                                       whole_power(store, z, p - (int64_t)n + i)};
            sum = rh__expr_add(store, sum, rh__expr_product(store, factors, 3));
        }
    }
    return rh__expr_multiply(store, sum, whole_power(store, z, -p));
}

// g^(n)(0) = F^(n+p)(0) n!/(n+p)!
static rh_expr value_at_zero(rh_store *store, const rh_expr arguments[4])
{
    int64_t index = 0;
    int64_t n = 0;
    if (!rh__expr_as_integer(store, arguments[2], &index) ||
        !rh__expr_as_integer(store, arguments[3], &n)) {
        return RH_EXPR_NONE;
    }
    const rh_ratio ratio = store->ratios.data[index];
    rh_expr value = function_at(store, &ratio, ratio.order + (uint32_t)n, store->zero);
    for (int64_t k = 1; k <= ratio.order; k++) {
        value = rh__expr_multiply(store, value, rh__expr_ratio(store, 1, n + k));
    }
    return value;
}

rh_expr rh__ratio_rebuild(rh_store *store, const rh_expr arguments[4])
{
    return rh__expr_is_zero(store, arguments[0])
               ? value_at_zero(store, arguments)
               : rh__store_intern(
                     store, RH_OP_RATIO,
                     (uint32_t[]){arguments[0].i, arguments[1].i, arguments[2].i, arguments[3].i},
                     4);
}

static rh_expr make(rh_store *store, uint32_t index, uint32_t n, rh_expr z)
{
    rh_expr nodes[MOST_ORDER + 1];
    RH_ASSERT(n <= MOST_ORDER);
    for (uint32_t k = 0; k <= n; k++) {
        const rh_expr arguments[] = {z, quotient(store, index, k, z, nodes),
                                     rh__expr_integer(store, index), rh__expr_integer(store, k)};
        nodes[k] = rh__expr_apply(store, RH_OP_RATIO, arguments, 4);
    }
    return nodes[n];
}

rh_expr rh__ratio_apply(rh_store *store, rh_expr function, uint32_t order, rh_expr z)
{
    const uint32_t index = find_function(store, function, order);
    return index == UINT32_MAX ? RH_EXPR_NONE : make(store, index, 0, z);
}

rh_expr rh__ratio_derivative(rh_store *store, rh_expr ratio)
{
    int64_t index = 0;
    int64_t n = 0;
    const bool ok = rh__expr_as_integer(store, rh__expr_argument(store, ratio, 2), &index) &&
                    rh__expr_as_integer(store, rh__expr_argument(store, ratio, 3), &n);
    RH_ASSERT(ok);
    (void)ok;
    return n < MOST_ORDER
               ? make(store, (uint32_t)index, (uint32_t)n + 1, rh__expr_argument(store, ratio, 0))
               : rh__store_refuse(store, RH_REFUSAL_WORK);
}
