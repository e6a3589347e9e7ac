// SPDX-License-Identifier: Apache-2.0
// Is the dissipation one? Judged is the power that is lost, P = v.dD/dv without the circulatory
// part of D. Where D is a quadratic form in the velocities that is the form of s = d2D/dv dv: a
// negative and a positive eigenvalue, enclosed by balls at points, show that it is indefinite; a
// matrix of numbers is decided by its exact minors; a diagonal one by the signs of its entries.
// Other powers are decided by the signs of their terms (lost.c). Otherwise the answer is what was
// seen at the points.

#include "inverse/inverse.h"

enum { MINOR_SIZE = 8 }; // larger matrices of numbers are judged at points too

static rh_status make_matrix(rh_inverse *inverse, const rh_trial *trial, rh_expr *s)
{
    const uint32_t n = inverse->n;
    rh_store *store = inverse->store;
    for (uint32_t i = 0; i < n; i++) {
        for (uint32_t k = 0; k < n; k++) {
            const rh_expr sum =
                rh__expr_add(store, rh__inverse_partial(inverse, trial->rest[i], inverse->v[k]),
                             rh__inverse_partial(inverse, trial->rest[k], inverse->v[i]));
            const rh_expr rate = rh__derivation_apply(inverse->drift, trial->inertia[i * n + k]);
            s[i * n + k] = rh__inverse_fold(
                inverse,
                rh__expr_subtract(store, rh__expr_multiply(store, rh__expr_ratio(store, 1, 2), sum),
                                  rate));
        }
    }
    return rh__inverse_refused(inverse);
}

// --- at points -----------------------------------------------------------------------------------

typedef struct sight {
    bool has_negative, has_positive; // an eigenvalue, rigorously
    bool is_definite;                // positive, at every point
    uint32_t points;
} sight;

static bool look(rh_inverse *inverse, const rh_balls *s, sight *out)
{
    const uint32_t n = inverse->n;
    uint32_t positive = 0;
    uint32_t negative = 0;
    for (uint32_t k = 0; k < n * n; k++) {
        if (!rh__balls_is_finite(s, k)) {
            return true;
        }
    }
    if (!rh__balls_inertia(n, s, RH_PROVER_PRECISION, &inverse->scratch, &positive, &negative)) {
        return false;
    }
    RH_ASSERT(positive + negative <= n);
    out->points++;
    out->is_definite = out->is_definite && positive == n;
    out->has_negative = out->has_negative || negative > 0;
    out->has_positive = out->has_positive || positive > 0;
    return true;
}

static rh_status look_at_points(rh_inverse *inverse, const rh_expr *s, sight *out)
{
    const uint32_t n = inverse->n;
    rh_balls *matrix = rh__balls_create(&inverse->scratch, n * n);
    bool ok = matrix != NULL;
    for (uint32_t point = 1; ok && point <= rh__prover_last(&inverse->prover); point++) {
        if ((point > 2 * RH_PROVER_POINTS && point <= RH_PROVER_TRIALS) ||
            !rh__inverse_goes_on(inverse)) {
            continue;
        }
        ok = rh__prover_balls(inverse->store, &inverse->prover, s, n * n, point, &inverse->scratch,
                              matrix) &&
             look(inverse, matrix, out);
    }
    rh__balls_destroy(matrix);
    return ok ? RH_OK : RH_E_MEMORY;
}

// At points, and at multiples of them until both signs were seen.
static rh_status look_around(rh_inverse *inverse, const rh_expr *s, sight *out)
{
    static const int64_t SCALES[] = {1, -1, 16, -16};
    const uint32_t count = inverse->n * inverse->n;
    rh_expr *there = rh__arena_array(&inverse->arena, rh_expr, count + 1);
    if (there == NULL) {
        return inverse->arena.status;
    }
    for (size_t k = 0; k < sizeof SCALES / sizeof *SCALES; k++) {
        for (uint32_t i = 0; i < count; i++) {
            there[i] = rh__ray_point(inverse, s[i], inverse->q,
                                     rh__expr_integer(inverse->store, SCALES[k]));
        }
        RH_TRY(rh__inverse_refused(inverse));
        if (!(out->has_negative && out->has_positive)) {
            RH_TRY(look_at_points(inverse, there, out));
        }
    }
    return RH_OK;
}

// --- exactly -------------------------------------------------------------------------------------

// The determinant of the rows and columns of a set, of numbers; by expansion.
static rh_expr minor(rh_inverse *inverse, const rh_expr *s, uint32_t rows, uint32_t columns)
{
    RH_ASSERT(rows < 1u << inverse->n && columns < 1u << inverse->n);
    rh_store *store = inverse->store;
    if (rows == 0) {
        return rh__expr_integer(store, 1);
    }
    uint32_t row = 0;
    while ((rows & 1u << row) == 0) {
        row++;
    }
    rh_expr sum = rh__expr_integer(store, 0);
    int64_t sign = 1;
    for (uint32_t k = 0; k < inverse->n; k++) {
        if ((columns & 1u << k) == 0) {
            continue;
        }
        const rh_expr rest = minor(inverse, s, rows & ~(1u << row), columns & ~(1u << k));
        sum = rh__expr_add(store, sum,
                           rh__expr_product(store,
                                            (rh_expr[]){rh__expr_integer(store, sign),
                                                        s[row * inverse->n + k], rest},
                                            3));
        sign = -sign;
    }
    return sum;
}

// The lowest sign among the principal minors of s (scale 1) or of -s (scale -1).
static int lowest_minor(rh_inverse *inverse, const rh_expr *s, int scale)
{
    RH_ASSERT(inverse->n <= MINOR_SIZE && (scale == 1 || scale == -1));
    int lowest = 1;
    for (uint32_t set = 1; set < 1u << inverse->n; set++) {
        int size = 0;
        for (uint32_t k = 0; k < inverse->n; k++) {
            size += (set & 1u << k) != 0;
        }
        const rh_expr value = minor(inverse, s, set, set);
        if (value.i == 0 || !rh__expr_is_number(inverse->store, value)) {
            return -1;
        }
        const int sign = rh__expr_number_sign(inverse->store, value);
        const int seen = scale < 0 && size % 2 == 1 ? -sign : sign;
        lowest = seen < lowest ? seen : lowest;
    }
    RH_ASSERT(-1 <= lowest && lowest <= 1);
    return lowest;
}

static rh_definiteness judge_numbers(rh_inverse *inverse, const rh_expr *s)
{
    const int up = lowest_minor(inverse, s, 1);
    return up > 0                              ? RH_DEFINITE_POSITIVE
           : up == 0                           ? RH_SEMIDEFINITE
           : lowest_minor(inverse, s, -1) >= 0 ? RH_DEFINITE_NEGATIVE
                                               : RH_DEFINITE_NEITHER;
}

static bool are_numbers(rh_inverse *inverse, const rh_expr *s)
{
    bool result = inverse->n <= MINOR_SIZE;
    for (uint32_t k = 0; result && k < inverse->n * inverse->n; k++) {
        result = rh__expr_is_number(inverse->store, s[k]);
    }
    return result;
}

// Diagonal, every entry of one sign wherever it is defined.
static rh_definiteness judge_diagonal(rh_inverse *inverse, const rh_expr *s)
{
    const uint32_t n = inverse->n;
    bool is_positive = true;
    bool is_negative = true;
    for (uint32_t k = 0; k < n * n; k++) {
        if (k % (n + 1) != 0) {
            if (!rh__expr_is_zero(inverse->store, s[k])) {
                return RH_DEFINITE_UNKNOWN;
            }
            continue;
        }
        const int sign =
            rh__expr_sign(inverse->store, s[k], rh__values_parameter, &inverse->model->values);
        is_positive = is_positive && sign > 0;
        is_negative = is_negative && sign < 0;
    }
    return is_positive   ? RH_DEFINITE_POSITIVE
           : is_negative ? RH_DEFINITE_NEGATIVE
                         : RH_DEFINITE_UNKNOWN;
}

// --- the verdict
// -----------------------------------------------------------------------------------

static rh_status judge_points(rh_inverse *inverse, const rh_expr *s)
{
    sight seen = {.is_definite = true};
    RH_TRY(look_around(inverse, s, &seen));
    inverse->is_sign_proved = seen.has_negative && seen.has_positive;
    inverse->sign = seen.points == 0 ? RH_DEFINITE_UNKNOWN
                    : seen.has_negative
                        ? (seen.has_positive ? RH_DEFINITE_NEITHER : RH_DEFINITE_NEGATIVE)
                    : seen.is_definite ? RH_DEFINITE_POSITIVE
                                       : RH_SEMIDEFINITE;
    return RH_OK;
}

static rh_status judge_quadratic(rh_inverse *inverse, rh_expr *s)
{
    const uint32_t n = inverse->n;
    inverse->sign = judge_diagonal(inverse, s);
    for (uint32_t k = 0; k < n * n; k++) {
        s[k] = rh__expr_substitute(inverse->store, s[k], inverse->prover.value,
                                   inverse->prover.value_user);
    }
    RH_TRY(rh__inverse_refused(inverse));
    if (inverse->sign == RH_DEFINITE_UNKNOWN && are_numbers(inverse, s)) {
        inverse->sign = judge_numbers(inverse, s);
    }
    inverse->is_sign_proved = inverse->sign != RH_DEFINITE_UNKNOWN;
    return inverse->is_sign_proved ? RH_OK : judge_points(inverse, s);
}

// P = v.s v with s free of v? Where P is a sum over nodes that is seen, not proved.
static rh_status is_form(rh_inverse *inverse, const rh_expr *s, rh_inverse_condition *out)
{
    const uint32_t n = inverse->n;
    rh_store *store = inverse->store;
    rh_expr rest = inverse->power.closed;
    *out = (rh_inverse_condition){(uint32_t)sizeof *out, RH_INVERSE_HOLDS, false, 0};
    for (uint32_t k = 0; k < n * n; k++) {
        if ((rh__expr_mask(store, s[k]) & RH_ROLE_VELOCITY) != 0) {
            out->verdict = RH_INVERSE_FAILS;
            return RH_OK;
        }
        rest = rh__expr_subtract(
            store, rest,
            rh__expr_product(store, (rh_expr[]){s[k], inverse->v[k / n], inverse->v[k % n]}, 3));
    }
    RH_TRY(rh__inverse_refused(inverse));
    return inverse->power.rays.count > 0 ? RH_OK : rh__inverse_judge(inverse, &rest, 1, out);
}

rh_status rh__inverse_split(rh_inverse *inverse)
{
    const rh_trial *trial = &inverse->trials.data[inverse->chosen];
    const uint32_t n = inverse->n;
    rh_expr *s = rh__arena_array(&inverse->arena, rh_expr, (size_t)n * n + 1);
    rh_inverse_condition is_zero = {0};
    rh_inverse_condition is_quadratic = {0};
    if (s == NULL) {
        return inverse->arena.status;
    }
    if (!inverse->has_power) { // s alone does not know what it is the derivative of
        return RH_OK;
    }
    if (inverse->power.rays.count == 0) {
        RH_TRY(rh__inverse_judge(inverse, &inverse->power.closed, 1, &is_zero));
        if (is_zero.verdict == RH_INVERSE_HOLDS) {
            inverse->sign = RH_DEFINITE_ZERO;
            inverse->is_sign_proved = is_zero.is_proved;
            return RH_OK;
        }
    }
    RH_TRY(make_matrix(inverse, trial, s));
    RH_TRY(is_form(inverse, s, &is_quadratic));
    if (is_quadratic.verdict != RH_INVERSE_HOLDS) {
        return rh__inverse_lost(inverse);
    }
    RH_TRY(judge_quadratic(inverse, s));
    inverse->is_sign_proved = inverse->is_sign_proved && is_quadratic.is_proved;
    return inverse->is_sign_proved ? RH_OK : rh__inverse_prove_lost(inverse);
}
