// SPDX-License-Identifier: Apache-2.0
// Expressions on one side of where they have branches. In: an expression and a sign for each u
// whose size or sign stands in it; out: an equal one where u has this sign or is zero: |u| is u or
// -u, log(u^2) is 2 log(u) or 2 log(-u), and a root of u^3 needs u >= 0. A root of a square is
// abs(u) by the canonical form. Besides, compositions without branches are opened: exp of a
// logarithm, cos(atan2(a, b)). So sqrt((p - 3)^2) - p + 3 is zero where p - 3 >= 0, exactly.

#include "expr/store.h"

enum { ROUNDS = 4 };

typedef struct opening {
    rh_store *store;
    rh_unfolding *with;
} opening;

// --- signs -----------------------------------------------------------------------------------

// What has the sign of a factor: its base, and what stands in odd functions that rise.
static rh_expr inside_of(rh_store *store, rh_expr part, bool is_whole)
{
    rh_op op = RH_OP_NUMBER;
    part = is_whole ? rh__expr_base(store, part) : part;
    do {
        op = rh__expr_op(store, part);
        const bool is_rising =
            op == RH_OP_SINH || op == RH_OP_TANH || op == RH_OP_ATAN || op == RH_OP_ASIN;
        part = is_rising ? rh__expr_argument(store, part, 0) : part;
    } while (op != rh__expr_op(store, part));
    return part;
}

// A sum without minus or number before its first term, so that 7 x - 21 and 3 - x are x - 3.
static rh_expr lead_by_one(rh_store *store, rh_expr part, int32_t *sign)
{
    if (rh__expr_op(store, part) != RH_OP_ADD || rh__expr_count(store, part) > RH_EXPR_FLATTEN) {
        return part;
    }
    const rh_expr lead = rh__expr_argument(store, part, 0);
    *sign *= rh__expr_number_sign(store, lead);
    return rh__expr_scale(store, rh__expr_divide(store, store->one, lead), part);
}

// Roots and sizes are never negative.
static bool is_size(const rh_store *store, rh_expr part)
{
    int64_t n = 0;
    const rh_expr exponent = rh__expr_exponent(store, part);
    return rh__expr_op(store, part) == RH_OP_ABS || rh__expr_op(store, part) == RH_OP_ACOS ||
           (rh__expr_is_number(store, exponent) && !rh__expr_as_integer(store, exponent, &n));
}

// u as a number times what is left without factors of known sign; NONE: nothing is left.
static rh_expr core_of(rh_store *store, rh_expr u, int32_t *sign)
{
    if (rh__expr_op(store, u) == RH_OP_ADD && rh__expr_count(store, u) == 2) {
        *sign *= rh__expr_number_sign(store, rh__expr_argument(store, u, 0));
        u = rh__expr_argument(store, u, 1);
    }
    rh_expr rest = store->one;
    for (uint32_t k = 0; k < rh__factor_count(store, u); k++) {
        rh_expr part = rh__factor(store, u, k);
        int64_t n = 1;
        const int known = rh__expr_sign(store, part, NULL, NULL);
        const bool is_whole =
            rh__expr_as_integer(store, rh__expr_exponent(store, part), &n) && n != 0;
        if (known != 0 || (is_whole && n % 2 == 0) || is_size(store, part)) {
            *sign *= known < 0 ? -1 : 1;
            continue;
        }
        part = inside_of(store, part, is_whole);
        rest = rh__expr_multiply(store, rest, lead_by_one(store, part, sign));
    }
    return rh__expr_is_one(store, rest) ? RH_EXPR_NONE : rest;
}

static rh_chosen_sign *find_sign(rh_unfolding *with, rh_expr of)
{
    for (uint32_t k = 0; k < with->count; k++) {
        if (rh__expr_same(with->signs[k].of, of)) {
            return &with->signs[k];
        }
    }
    return NULL;
}

// The sign chosen for u; 0: there is none.
static int32_t choose(const opening *in, rh_expr u)
{
    rh_unfolding *with = in->with;
    int32_t sign = 1;
    const rh_expr core = core_of(in->store, u, &sign);
    if (rh__expr_is_none(core)) {
        return in->store->refusal == RH_REFUSAL_NONE ? sign : 0;
    }
    const rh_chosen_sign *known = find_sign(with, core);
    if (known != NULL) {
        return sign * known->sign;
    }
    if (with->count == RH_UNFOLD_SIGNS) {
        return 0;
    }
    const int32_t chosen = (with->choice >> with->count & 1u) != 0 ? -1 : 1;
    with->signs[with->count++] = (rh_chosen_sign){core, chosen, false};
    return sign * chosen;
}

// There is a value only where u >= 0. False: that cannot be noted, or the other sign is chosen.
static bool need(const opening *in, rh_expr u)
{
    rh_unfolding *with = in->with;
    int32_t sign = 1;
    const rh_expr core = core_of(in->store, u, &sign);
    if (rh__expr_is_none(core)) {
        return sign > 0;
    }
    rh_chosen_sign *known = find_sign(with, core);
    if (known == NULL) {
        if (with->count == RH_UNFOLD_SIGNS) {
            return false;
        }
        known = &with->signs[with->count++];
        *known = (rh_chosen_sign){core, sign, true};
    }
    known->is_needed = known->is_needed || known->sign == sign;
    return known->sign == sign;
}

static rh_expr signed_as(rh_store *store, int32_t sign, rh_expr u)
{
    return sign > 0 ? u : rh__expr_negate(store, u);
}

// --- powers and logarithms -------------------------------------------------------------------

// The number before a term, and the term.
static rh_expr split(const rh_store *store, rh_expr e, rh_expr *out_term)
{
    const bool is_scaled = rh__expr_op(store, e) == RH_OP_ADD && rh__expr_count(store, e) == 2;
    *out_term = is_scaled ? rh__expr_argument(store, e, 1) : e;
    return is_scaled ? rh__expr_argument(store, e, 0) : store->one;
}

// (c u^n)^r with an odd n has a value for u >= 0, c > 0, and is c^r u^(n r).
static rh_expr open_power(const opening *in, rh_expr e)
{
    rh_store *store = in->store;
    const rh_expr exponent = rh__expr_argument(store, e, 1);
    rh_expr power = RH_EXPR_NONE;
    const rh_expr number = split(store, rh__expr_argument(store, e, 0), &power);
    int64_t n = 1;
    if (!rh__expr_is_number(store, exponent) || rh__expr_as_integer(store, exponent, &n) ||
        rh__expr_op(store, power) != RH_OP_POW || rh__expr_number_sign(store, number) <= 0 ||
        !rh__expr_as_integer(store, rh__expr_argument(store, power, 1), &n)) {
        return e;
    }
    const rh_expr u = rh__expr_argument(store, power, 0);
    const int32_t sign = n % 2 == 0 ? choose(in, u) : (int32_t)need(in, u);
    if (sign == 0) {
        return e;
    }
    const rh_expr whole = rh__expr_multiply(store, rh__expr_integer(store, n), exponent);
    return rh__expr_multiply(store, rh__expr_power(store, number, exponent),
                             rh__expr_power(store, signed_as(store, sign, u), whole));
}

// log(c u^n) = log(c) + n log(u), or of -u where n is even.
static rh_expr open_log(const opening *in, rh_expr e)
{
    rh_store *store = in->store;
    rh_expr power = RH_EXPR_NONE;
    const rh_expr number = split(store, rh__expr_argument(store, e, 0), &power);
    int64_t n = 1;
    if (rh__expr_op(store, power) != RH_OP_POW || rh__expr_number_sign(store, number) <= 0 ||
        !rh__expr_as_integer(store, rh__expr_argument(store, power, 1), &n)) {
        return e;
    }
    const rh_expr u = rh__expr_argument(store, power, 0);
    const int32_t sign = n % 2 == 0 ? choose(in, u) : 1;
    const rh_expr size = signed_as(store, sign, u);
    const rh_expr logs[] = {rh__expr_apply(store, RH_OP_LOG, &number, 1),
                            rh__expr_apply(store, RH_OP_LOG, &size, 1)};
    return sign == 0 ? e
                     : rh__expr_add(store, logs[0],
                                    rh__expr_multiply(store, rh__expr_integer(store, n), logs[1]));
}

// exp(c log(v) + rest) = v^c exp(rest): both have a value for v > 0.
static rh_expr open_exp(const opening *in, rh_expr e)
{
    rh_store *store = in->store;
    const rh_expr sum = rh__expr_argument(store, e, 0);
    const bool is_sum = rh__expr_op(store, sum) == RH_OP_ADD;
    rh_expr rest = store->zero;
    rh_expr product = store->one;
    for (uint32_t k = 0; is_sum && k < rh__expr_count(store, sum); k += 2) {
        const rh_expr number = rh__expr_argument(store, sum, k);
        const rh_expr term = rh__expr_argument(store, sum, k + 1);
        if (rh__expr_op(store, term) == RH_OP_LOG) {
            const rh_expr v = rh__expr_argument(store, term, 0);
            product = rh__expr_multiply(store, product, rh__expr_power(store, v, number));
        } else {
            rest = rh__expr_add(store, rest, rh__expr_multiply(store, number, term));
        }
    }
    return rh__expr_is_one(store, product)
               ? e
               : rh__expr_multiply(store, product, rh__expr_apply(store, RH_OP_EXP, &rest, 1));
}

// --- angles ----------------------------------------------------------------------------------

// sin and cos of an angle that is known by two sides of a triangle: opposite and adjacent.
static rh_expr open_angle(const opening *in, rh_expr e)
{
    rh_store *store = in->store;
    const rh_expr arc = rh__expr_argument(store, e, 0);
    const rh_op op = rh__expr_op(store, arc);
    const bool has_sides =
        op == RH_OP_ATAN2 || op == RH_OP_ATAN || op == RH_OP_ASIN || op == RH_OP_ACOS;
    if (!has_sides) {
        return e;
    }
    const rh_expr a = rh__expr_argument(store, arc, 0);
    const rh_expr b = op == RH_OP_ATAN2 ? rh__expr_argument(store, arc, 1) : store->one;
    const rh_expr squares[] = {rh__expr_multiply(store, a, a), rh__expr_multiply(store, b, b)};
    const bool is_sine = rh__expr_op(store, e) == RH_OP_SIN;
    if (op == RH_OP_ASIN || op == RH_OP_ACOS) {
        return is_sine == (op == RH_OP_ASIN)
                   ? a
                   : rh__expr_sqrt(store, rh__expr_subtract(store, store->one, squares[0]));
    }
    return rh__expr_divide(store, is_sine ? a : b,
                           rh__expr_sqrt(store, rh__expr_add(store, squares[0], squares[1])));
}

// atan2(w sin(u), w cos(u)) = u, up to a multiple of pi.
static rh_expr open_turn(const opening *in, rh_expr e)
{
    rh_store *store = in->store;
    const rh_expr a = rh__expr_argument(store, e, 0);
    rh_expr term = RH_EXPR_NONE;
    (void)split(store, a, &term);
    for (uint32_t k = 0; in->with->opens_arcs && k < rh__factor_count(store, term); k++) {
        const rh_expr part = rh__factor(store, term, k);
        if (rh__expr_op(store, part) != RH_OP_SIN) {
            continue;
        }
        const rh_expr u = rh__expr_argument(store, part, 0);
        const rh_expr other = rh__expr_apply(store, RH_OP_COS, &u, 1);
        const rh_expr b = rh__expr_multiply(store, rh__expr_divide(store, a, part), other);
        if (rh__expr_same(b, rh__expr_argument(store, e, 1))) {
            in->with->has_arcs = true;
            return u;
        }
    }
    return e;
}

// asin(sin(u)) and the like, up to a multiple of pi.
static rh_expr open_arc(const opening *in, rh_expr e)
{
    rh_store *store = in->store;
    const rh_op op = rh__expr_op(store, e);
    const rh_expr a = rh__expr_argument(store, e, 0);
    const rh_op inner = rh__expr_op(store, a);
    const bool is_pair = (op == RH_OP_ASIN && inner == RH_OP_SIN) ||
                         (op == RH_OP_ACOS && inner == RH_OP_COS) ||
                         (op == RH_OP_ATAN && inner == RH_OP_TAN);
    if (!is_pair || !in->with->opens_arcs) {
        return e;
    }
    const rh_expr u = rh__expr_argument(store, a, 0);
    const rh_expr turn = rh__expr_apply(store, op == RH_OP_ASIN ? RH_OP_COS : RH_OP_SIN, &u, 1);
    const int32_t sign = op == RH_OP_ATAN ? 1 : choose(in, turn);
    in->with->has_arcs = true;
    return sign == 0 ? e : signed_as(store, sign, u);
}

// --- all of it -------------------------------------------------------------------------------

static rh_expr open_node(const opening *in, rh_expr e)
{
    rh_store *store = in->store;
    int32_t sign = 0;
    switch (rh__expr_op(store, e)) {
    case RH_OP_ABS:
        sign = choose(in, rh__expr_argument(store, e, 0));
        return sign == 0 ? e : signed_as(store, sign, rh__expr_argument(store, e, 0));
    case RH_OP_SIGN:
        sign = choose(in, rh__expr_argument(store, e, 0));
        return sign == 0 ? e : rh__expr_integer(store, sign);
    case RH_OP_POW:
        return open_power(in, e);
    case RH_OP_LOG:
        return open_log(in, e);
    case RH_OP_EXP:
        return open_exp(in, e);
    case RH_OP_SIN:
    case RH_OP_COS:
        return open_angle(in, e);
    case RH_OP_ASIN:
    case RH_OP_ACOS:
    case RH_OP_ATAN:
        return open_arc(in, e);
    case RH_OP_ATAN2:
        return open_turn(in, e);
    default:
        return e;
    }
}

static rh_expr open_all(const opening *in, rh_expr e)
{
    rh_store *store = in->store;
    rh_walk walk;
    if (rh__expr_is_none(e) || !rh__walk_begin(store, &e, 1, &walk)) {
        return RH_EXPR_NONE;
    }
    rh_expr result = e;
    uint32_t visit = store->visit;
    for (uint32_t k = 0; !rh__expr_is_none(result) && k < walk.order.count; k++) {
        const rh_expr at = walk.order.data[k];
        if (store->visit != visit && !rh__walk_resume(store, &walk)) {
            result = RH_EXPR_NONE;
            break;
        }
        visit = store->visit;
        const rh_expr built = rh__walk_rebuild(store, &walk, at);
        result = rh__expr_is_none(built) ? built : open_node(in, built);
        walk.result[k] = result;
    }
    rh__walk_end(&walk);
    return result;
}

rh_expr rh__expr_unfold(rh_store *store, rh_expr e, rh_unfolding *with)
{
    const opening in = {store, with};
    rh_expr before = RH_EXPR_NONE;
    for (uint32_t round = 0; round < ROUNDS && !rh__expr_is_none(e) && e.i != before.i; round++) {
        before = e;
        e = open_all(&in, e);
    }
    return e;
}
