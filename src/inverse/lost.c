// SPDX-License-Identifier: Apache-2.0
// The sign of the power that is lost, P(q, v, t), where the dissipative function is no quadratic
// form. Proved by the signs of its terms: a factor counts with its parity, so that x'*sign(x') and
// x'^2/abs(x') are never negative; of one velocity alone, by the roots of a polynomial. Two points
// with balls of opposite sign show that it is indefinite. Otherwise it is what was seen at points
// and along the axes of the velocities.

#include "inverse/inverse.h"

enum { TERMS = 1500, MOST_ODD = 16, MOST_DEGREE = 24, MOST_COORDINATES = 64 };

// --- signs of terms --------------------------------------------------------------------------

// What is known of a product.
typedef struct product_sign {
    rh_expr odd[MOST_ODD]; // factors whose sign counts, each once
    uint32_t odd_count;
    int sign;
    bool is_known;
    rh_expr only;  // the one factor that may vanish; none: there is none yet
    bool is_mixed; // there are several
} product_sign;

static void turn(product_sign *of, rh_expr base)
{
    for (uint32_t k = 0; k < of->odd_count; k++) {
        if (of->odd[k].i == base.i) {
            of->odd[k] = of->odd[--of->odd_count];
            return;
        }
    }
    of->is_known = of->is_known && of->odd_count < MOST_ODD;
    if (of->is_known) {
        of->odd[of->odd_count++] = base;
    }
}

static void note_zero(product_sign *of, rh_expr base)
{
    of->is_mixed = of->is_mixed || (of->only.i != 0 && of->only.i != base.i);
    of->only = base;
}

static bool has_sign_of_argument(rh_op op)
{
    return op == RH_OP_SIGN || op == RH_OP_SINH || op == RH_OP_TANH || op == RH_OP_ATAN ||
           op == RH_OP_ASIN;
}

// max(0, x) and the like.
static bool is_never_negative(const rh_store *store, rh_expr e)
{
    bool result = false;
    for (uint32_t k = 0; rh__expr_op(store, e) == RH_OP_MAX && k < 2; k++) {
        const rh_expr bound = rh__expr_argument(store, e, k);
        result =
            result || (rh__expr_is_number(store, bound) && rh__expr_number_sign(store, bound) >= 0);
    }
    return result;
}

static void take_factor(rh_inverse *inverse, product_sign *of, rh_expr factor)
{
    rh_store *store = inverse->store;
    const rh_op op = rh__expr_op(store, factor);
    const int sign = rh__expr_sign(store, factor, rh__values_parameter, &inverse->model->values);
    int64_t n = 1;
    if (sign != 0) {
        of->sign *= sign;
        return;
    }
    rh_expr base = op == RH_OP_POW ? rh__expr_argument(store, factor, 0) : factor;
    const rh_expr exponent =
        op == RH_OP_POW ? rh__expr_argument(store, factor, 1) : rh__expr_integer(store, 1);
    const bool is_whole = rh__expr_as_integer(store, exponent, &n);
    const rh_op inner = rh__expr_op(store, base);
    of->is_known = of->is_known && (is_whole || rh__expr_is_number(store, exponent));
    if (inner == RH_OP_ABS || has_sign_of_argument(inner)) {
        base = rh__expr_argument(store, base, 0);
    }
    // a size is never negative, and neither is a root
    const bool is_odd =
        is_whole && n % 2 != 0 && inner != RH_OP_ABS && !is_never_negative(store, base);
    if (rh__expr_op(store, base) == RH_OP_ADD && rh__expr_count(store, base) == 2) { // 3*x
        const int number = rh__expr_number_sign(store, rh__expr_argument(store, base, 0));
        of->sign *= is_odd ? number : 1;
        base = rh__expr_argument(store, base, 1);
    }
    note_zero(of, base);
    if (is_odd) {
        turn(of, base);
    }
}

static product_sign sign_of_term(rh_inverse *inverse, rh_expr number, rh_expr term)
{
    rh_store *store = inverse->store;
    product_sign of = {.sign = rh__expr_number_sign(store, number), .is_known = true};
    if (rh__expr_op(store, term) != RH_OP_MUL) {
        take_factor(inverse, &of, term);
    }
    for (uint32_t k = 0; rh__expr_op(store, term) == RH_OP_MUL && k < rh__expr_count(store, term);
         k++) {
        take_factor(inverse, &of, rh__expr_argument(store, term, k));
    }
    of.is_known = of.is_known && of.odd_count == 0;
    return of;
}

// All terms of one sign; definite when each velocity has a term that vanishes with it alone.
static rh_definiteness judge_terms(rh_inverse *inverse, rh_expr power)
{
    rh_store *store = inverse->store;
    const rh_expr wide = rh__expr_expand(store, power, TERMS, &inverse->scratch);
    const rh_expr of = wide.i != 0 ? wide : power;
    const bool is_sum = rh__expr_op(store, of) == RH_OP_ADD;
    const uint32_t count = is_sum ? rh__expr_count(store, of) / 2 : 1;
    uint64_t covered = 0;
    int sign = 0;
    for (uint32_t k = 0; k < count; k++) {
        const product_sign term = is_sum
                                      ? sign_of_term(inverse, rh__expr_argument(store, of, 2 * k),
                                                     rh__expr_argument(store, of, 2 * k + 1))
                                      : sign_of_term(inverse, rh__expr_integer(store, 1), of);
        if (!term.is_known || (sign != 0 && term.sign != sign)) {
            return RH_DEFINITE_UNKNOWN;
        }
        sign = term.sign;
        for (uint32_t i = 0; i < inverse->n && i < MOST_COORDINATES && !term.is_mixed; i++) {
            covered |= term.only.i == inverse->v[i].i ? UINT64_C(1) << i : 0;
        }
    }
    const bool is_whole =
        inverse->n <= MOST_COORDINATES &&
        covered == (inverse->n == 64 ? UINT64_MAX : (UINT64_C(1) << inverse->n) - 1);
    return sign < 0 ? RH_DEFINITE_NEGATIVE : is_whole ? RH_DEFINITE_POSITIVE : RH_SEMIDEFINITE;
}

// --- one velocity alone ------------------------------------------------------------------------

// The coefficients of a polynomial in v; false when it is none, or holds anything else.
static bool read_polynomial(rh_inverse *inverse, rh_expr power, rh_expr *out, uint32_t *out_degree)
{
    rh_store *store = inverse->store;
    rh_expr e = power;
    int64_t factorial = 1;
    for (uint32_t k = 0; k <= MOST_DEGREE && e.i != 0; k++) {
        if (rh__expr_is_zero(store, e)) {
            return k > 0;
        }
        const rh_expr rest = rh__inverse_without(inverse, e, inverse->v, 1);
        if (rest.i == 0 || !rh__expr_is_number(store, rest) || k > 18) {
            return false;
        }
        factorial *= k > 0 ? (int64_t)k : 1;
        out[k] = rh__expr_multiply(store, rh__expr_ratio(store, 1, factorial), rest);
        *out_degree = k;
        e = rh__inverse_fold(inverse, rh__inverse_partial(inverse, e, inverse->v[0]));
    }
    return false;
}

// Is it the polynomial? Derivatives at one place say nothing of what switches.
static bool is_polynomial(rh_inverse *inverse, rh_expr power, const rh_expr *numbers,
                          uint32_t degree)
{
    rh_store *store = inverse->store;
    rh_inverse_condition is_zero = {0};
    rh_expr rest = power;
    for (uint32_t k = 0; k <= degree; k++) {
        const rh_expr monomial =
            rh__expr_power(store, inverse->v[0], rh__expr_integer(store, (int64_t)k));
        rest = rh__expr_subtract(store, rest, rh__expr_multiply(store, numbers[k], monomial));
    }
    return rest.i != 0 && rh__inverse_judge(inverse, &rest, 1, &is_zero) == RH_OK &&
           is_zero.verdict == RH_INVERSE_HOLDS && is_zero.is_proved;
}

static rh_definiteness judge_polynomial(rh_inverse *inverse, rh_expr power)
{
    rh_store *store = inverse->store;
    rh_expr numbers[MOST_DEGREE + 1];
    uint32_t degree = 0;
    uint32_t low = 0;
    if (inverse->n != 1 || !read_polynomial(inverse, power, numbers, &degree) ||
        !is_polynomial(inverse, power, numbers, degree)) {
        return RH_DEFINITE_UNKNOWN;
    }
    while (low < degree && rh__expr_is_zero(store, numbers[low])) {
        low++;
    }
    const uint32_t size = degree - low; // P = v^low times a polynomial that does not vanish at 0
    rh_balls *of = rh__balls_create(&inverse->scratch, size + 1);
    rh_balls *re = rh__balls_create(&inverse->scratch, size + 1);
    rh_balls *im = rh__balls_create(&inverse->scratch, size + 1);
    bool is_definite =
        low % 2 == 0 && low > 0 && size % 2 == 0 && of != NULL && re != NULL && im != NULL;
    for (uint32_t k = 0; is_definite && k <= size; k++) {
        rh__balls_set_number(of, k, store, numbers[low + k], RH_PROVER_PRECISION,
                             &inverse->scratch);
    }
    is_definite =
        is_definite && (size == 0 || rh__balls_roots(size, of, RH_PROVER_PRECISION, re, im));
    for (uint32_t k = 0; is_definite && k < size; k++) {
        is_definite = rh__balls_is_nonzero(im, k);
    }
    rh__balls_destroy(of);
    rh__balls_destroy(re);
    rh__balls_destroy(im);
    return !is_definite                                       ? RH_DEFINITE_UNKNOWN
           : rh__expr_number_sign(store, numbers[degree]) > 0 ? RH_DEFINITE_POSITIVE
                                                              : RH_DEFINITE_NEGATIVE;
}

// --- at points ---------------------------------------------------------------------------------

typedef struct sight {
    bool has_negative, has_positive;
    bool has_zero; // or what is not told from zero
    uint32_t points;
} sight;

static rh_status look(rh_inverse *inverse, const rh_expr *e, uint32_t count, sight *out)
{
    rh_balls *balls = rh__balls_create(&inverse->scratch, count);
    bool ok = balls != NULL;
    for (uint32_t point = 1; ok && point <= rh__prover_last(&inverse->prover); point++) {
        if (!rh__inverse_goes_on(inverse)) {
            break;
        }
        ok = rh__prover_balls(inverse->store, &inverse->prover, e, count, point, &inverse->scratch,
                              balls);
        for (uint32_t k = 0; ok && k < count; k++) {
            if (rh__balls_is_finite(balls, k)) {
                const bool is_positive = rh__balls_is_positive(balls, k);
                const bool is_negative = rh__balls_is_negative(balls, k);
                out->points++;
                out->has_positive = out->has_positive || is_positive;
                out->has_negative = out->has_negative || is_negative;
                out->has_zero = out->has_zero || (!is_positive && !is_negative);
            }
        }
    }
    rh__balls_destroy(balls);
    return ok ? RH_OK : RH_E_MEMORY;
}

// P at multiples of v, small and large (a cubic term shows far out), and along each axis.
static rh_status look_along(rh_inverse *inverse, rh_expr power, sight *out)
{
    static const struct {
        int64_t over, under;
    } SCALES[] = {{1, 1}, {-1, 1}, {16, 1}, {-16, 1}, {1, 16}, {-1, 16}, {1024, 1}, {-1024, 1}};
    enum { COUNT = sizeof SCALES / sizeof *SCALES };
    const uint32_t n = inverse->n;
    rh_store *store = inverse->store;
    rh_expr *e = rh__arena_array(&inverse->scratch, rh_expr, n + COUNT);
    if (e == NULL) {
        return RH_E_MEMORY;
    }
    for (uint32_t k = 0; k < COUNT; k++) {
        e[k] = rh__ray_point(inverse, power, inverse->v,
                             rh__expr_ratio(store, SCALES[k].over, SCALES[k].under));
    }
    for (uint32_t i = 0; i < n && n > 1; i++) {
        rh_expr *axis = &e[COUNT + i];
        *axis = power;
        for (uint32_t k = 0; k < n && axis->i != 0; k++) {
            *axis = k == i
                        ? *axis
                        : rh__expr_replace(store, *axis, inverse->v[k], rh__expr_integer(store, 0));
        }
    }
    RH_TRY(rh__inverse_refused(inverse));
    return look(inverse, e, n > 1 ? n + COUNT : COUNT, out);
}

// The same at multiples of q, until both signs were seen.
static rh_status look_around(rh_inverse *inverse, rh_expr power, sight *out)
{
    static const int64_t SCALES[] = {1, -1, 16, -16};
    for (size_t k = 0; k < sizeof SCALES / sizeof *SCALES; k++) {
        if (!(out->has_negative && out->has_positive)) {
            const rh_expr scale = rh__expr_integer(inverse->store, SCALES[k]);
            RH_TRY(look_along(inverse, rh__ray_point(inverse, power, inverse->q, scale), out));
        }
    }
    return RH_OK;
}

rh_status rh__inverse_prove_lost(rh_inverse *inverse)
{
    if (inverse->power.rays.count > 0) {
        return RH_OK;
    }
    const rh_expr given = rh__inverse_fold(
        inverse, rh__expr_substitute(inverse->store, inverse->power.closed, inverse->prover.value,
                                     inverse->prover.value_user));
    RH_TRY(rh__inverse_refused(inverse));
    rh_definiteness sign = judge_terms(inverse, given);
    sign = sign == RH_DEFINITE_UNKNOWN ? judge_polynomial(inverse, given) : sign;
    if (sign != RH_DEFINITE_UNKNOWN) {
        inverse->sign = sign;
        inverse->is_sign_proved = true;
    }
    return rh__inverse_refused(inverse);
}

rh_status rh__inverse_lost(rh_inverse *inverse)
{
    sight seen = {0};
    RH_TRY(rh__inverse_prove_lost(inverse));
    if (inverse->is_sign_proved) {
        return RH_OK;
    }
    RH_TRY(look_around(inverse, rh__inverse_whole(inverse, &inverse->power), &seen));
    // a sum over nodes is not the integral: opposite signs prove only without one
    inverse->is_sign_proved =
        seen.has_negative && seen.has_positive && inverse->power.rays.count == 0;
    inverse->sign = seen.points == 0 ? RH_DEFINITE_UNKNOWN
                    : seen.has_negative
                        ? (seen.has_positive ? RH_DEFINITE_NEITHER : RH_DEFINITE_NEGATIVE)
                    : seen.has_zero ? RH_SEMIDEFINITE
                                    : RH_DEFINITE_POSITIVE;
    return RH_OK;
}
