// SPDX-License-Identifier: Apache-2.0
// Expressions as sums over the multiples of one angle,
//     e = a_0 + sum_k (a_k cos k x + b_k sin k x),
// with coefficients that are expressions without x. Parts without x are never opened, so the cost
// is in proportion to the expressions and not to what they are when multiplied out. e is free of x
// if all a_k and b_k with k > 0 vanish, and then it is a_0: what must vanish for that is listed, to
// be proved elsewhere. Most of it vanishes as it is put together, by the order of sums.

#include "proof/proof.h"

#include <stdlib.h>
#include <string.h>

enum {
    MOST_DEGREE = 16,       // of one part
    MOST_PRODUCTS = 1 << 17 // of coefficients, for one call
};

typedef enum progress { UNREAD, READ, FAILED } progress;

typedef struct series {
    rh_expr *cosine, *sine; // degree + 1 coefficients each; sine[0] is not used
    uint32_t degree;
    progress progress;
} series;

typedef struct expanding {
    rh_store *store;
    rh_arena *arena;
    rh_expr angle;
    rh_expr_list order;
    series *known; // by place in `order`
    bool *holds;   // by place in `order`: the angle stands in it
    rh_expr_list *duties;
    uint32_t products;
    bool is_short; // of memory
} expanding;

static const series NOTHING = {.progress = FAILED};

static int by_id(const void *a, const void *b)
{
    const uint32_t x = ((const rh_expr *)a)->i;
    const uint32_t y = ((const rh_expr *)b)->i;
    return (x > y) - (x < y);
}

static size_t place_of(const expanding *in, rh_expr e)
{
    const rh_expr *found = bsearch(&e, in->order.data, in->order.count, sizeof e, by_id);
    RH_ASSERT(found != NULL);
    return (size_t)(found - in->order.data);
}

// --- series --------------------------------------------------------------------------------------

static series begin(expanding *in, uint32_t degree)
{
    series out = {.degree = degree, .progress = READ};
    if (degree > MOST_DEGREE) {
        return NOTHING;
    }
    out.cosine = rh__arena_array(in->arena, rh_expr, (size_t)degree + 1);
    out.sine = rh__arena_array(in->arena, rh_expr, (size_t)degree + 1);
    in->is_short = in->is_short || out.cosine == NULL || out.sine == NULL;
    for (uint32_t k = 0; !in->is_short && k <= degree; k++) {
        out.cosine[k] = out.sine[k] = rh__expr_integer(in->store, 0);
    }
    return in->is_short ? NOTHING : out;
}

static series constant(expanding *in, rh_expr e)
{
    series out = begin(in, 0);
    if (out.progress == READ) {
        out.cosine[0] = e;
    }
    return out;
}

// Multiples whose coefficients vanished do not count.
static series trimmed(const expanding *in, series a)
{
    while (a.progress == READ && a.degree > 0 && rh__expr_is_zero(in->store, a.cosine[a.degree]) &&
           rh__expr_is_zero(in->store, a.sine[a.degree])) {
        a.degree--;
    }
    return a;
}

// to += factor * (a_i b_j) where the factor is +-1/2.
static void put(expanding *in, rh_expr *to, rh_expr product, bool is_minus)
{
    const rh_expr half = rh__expr_ratio(in->store, is_minus ? -1 : 1, 2);
    *to = rh__expr_add(in->store, *to, rh__expr_multiply(in->store, half, product));
}

static rh_expr times(expanding *in, rh_expr a, rh_expr b)
{
    in->products++;
    return rh__expr_multiply(in->store, a, b);
}

// One pair of multiples: cos i cos j, sin i sin j, sin i cos j, cos i sin j by their sum and
// difference.
static void multiply_pair(expanding *in, const series *a, uint32_t i, const series *b, uint32_t j,
                          series *out)
{
    const uint32_t sum = i + j;
    const uint32_t gap = i > j ? i - j : j - i;
    const rh_expr cc = times(in, a->cosine[i], b->cosine[j]);
    const rh_expr ss = times(in, a->sine[i], b->sine[j]);
    const rh_expr sc = times(in, a->sine[i], b->cosine[j]);
    const rh_expr cs = times(in, a->cosine[i], b->sine[j]);
    put(in, &out->cosine[sum], cc, false);
    put(in, &out->cosine[gap], cc, false);
    put(in, &out->cosine[sum], ss, true);
    put(in, &out->cosine[gap], ss, false);
    put(in, &out->sine[sum], sc, false);
    put(in, &out->sine[sum], cs, false);
    if (gap > 0) { // sin i cos j has sin(i - j), cos i sin j its opposite
        put(in, &out->sine[gap], sc, i < j);
        put(in, &out->sine[gap], cs, i > j);
    }
}

static series multiply(expanding *in, series a, series b)
{
    if (a.progress != READ || b.progress != READ) {
        return NOTHING;
    }
    if (b.degree == 0) {
        const series other = a;
        a = b;
        b = other;
    }
    series out = begin(in, a.degree + b.degree);
    for (uint32_t i = 0; out.progress == READ && i <= a.degree; i++) {
        for (uint32_t j = 0; j <= b.degree && in->products < MOST_PRODUCTS; j++) {
            if (a.degree > 0) {
                multiply_pair(in, &a, i, &b, j, &out);
            } else {
                out.cosine[j] = times(in, a.cosine[0], b.cosine[j]);
                out.sine[j] = times(in, a.cosine[0], b.sine[j]);
            }
        }
    }
    return in->products < MOST_PRODUCTS ? trimmed(in, out) : NOTHING;
}

// --- parts ---------------------------------------------------------------------------------------

static series known(const expanding *in, rh_expr e)
{
    return in->known[place_of(in, e)];
}

// The part is taken to be free of the angle: what must vanish for that becomes a duty.
static rh_expr flatten(expanding *in, series a)
{
    if (a.progress != READ) {
        return RH_EXPR_NONE;
    }
    for (uint32_t k = 1; k <= a.degree; k++) {
        const rh_expr parts[] = {a.cosine[k], a.sine[k]};
        for (uint32_t s = 0; s < 2; s++) {
            if (!rh__expr_is_zero(in->store, parts[s]) &&
                !rh__array_push(in->arena, in->duties, parts[s])) {
                in->is_short = true;
            }
        }
    }
    return a.cosine[0];
}

static series read_sum(expanding *in, rh_expr e)
{
    const uint32_t count = rh__expr_count(in->store, e);
    uint32_t degree = 0;
    for (uint32_t k = 0; k < count; k += 2) {
        const series term = known(in, rh__expr_argument(in->store, e, k + 1));
        if (term.progress != READ) {
            return NOTHING;
        }
        degree = term.degree > degree ? term.degree : degree;
    }
    series out = begin(in, degree);
    rh_expr *shares = rh__arena_array(in->arena, rh_expr, (size_t)count + 1);
    in->is_short = in->is_short || shares == NULL;
    for (uint32_t d = 0; !in->is_short && out.progress == READ && d <= 2 * degree + 1; d++) {
        uint32_t found = 0;
        for (uint32_t k = 0; k < count; k += 2) {
            const series term = known(in, rh__expr_argument(in->store, e, k + 1));
            if (d / 2 <= term.degree) {
                const rh_expr *from = d % 2 == 0 ? term.cosine : term.sine;
                shares[found++] =
                    rh__expr_multiply(in->store, rh__expr_argument(in->store, e, k), from[d / 2]);
            }
        }
        rh_expr *to = d % 2 == 0 ? out.cosine : out.sine;
        to[d / 2] = rh__expr_sum(in->store, shares, found);
    }
    return trimmed(in, out);
}

static series read_product(expanding *in, rh_expr e)
{
    series out = constant(in, rh__expr_integer(in->store, 1));
    rh_expr free = rh__expr_integer(in->store, 1);
    for (uint32_t k = 0; k < rh__expr_count(in->store, e); k++) {
        const rh_expr factor = rh__expr_argument(in->store, e, k);
        if (in->holds[place_of(in, factor)]) {
            out = multiply(in, out, known(in, factor));
        } else {
            free = rh__expr_multiply(in->store, free, factor);
        }
    }
    return multiply(in, constant(in, free), out);
}

static series read_power(expanding *in, rh_expr e)
{
    const series base = known(in, rh__expr_argument(in->store, e, 0));
    const rh_expr exponent = rh__expr_argument(in->store, e, 1);
    int64_t n = 0;
    if (base.progress == READ && base.degree > 0 && rh__expr_as_integer(in->store, exponent, &n) &&
        n > 0 && n <= MOST_DEGREE) {
        series out = base;
        for (int64_t k = 1; k < n; k++) {
            out = multiply(in, out, base);
        }
        return out;
    }
    const rh_expr both[] = {flatten(in, base), flatten(in, known(in, exponent))};
    if (both[0].i == 0 || both[1].i == 0) {
        return NOTHING;
    }
    return constant(in, rh__expr_power(in->store, both[0], both[1]));
}

// sin or cos of n x + rest.
static series read_turn(expanding *in, rh_op op, rh_expr argument, bool *out_is_turn)
{
    rh_store *store = in->store;
    int64_t n = 0;
    const rh_expr slope = rh__expr_differentiate(store, argument, in->angle);
    *out_is_turn =
        rh__expr_as_integer(store, slope, &n) && n != 0 && n <= MOST_DEGREE && n >= -MOST_DEGREE;
    if (!*out_is_turn) {
        return NOTHING;
    }
    const rh_expr turn = rh__expr_multiply(store, slope, in->angle);
    const rh_expr rest = rh__expr_subtract(store, argument, turn);
    const rh_expr back = rh__expr_replace(store, rest, in->angle, rh__expr_integer(store, 0));
    series out = begin(in, (uint32_t)(n > 0 ? n : -n));
    if (out.progress != READ || rest.i == 0 || back.i != rest.i) {
        return NOTHING;
    }
    const rh_expr c = rh__expr_apply(store, RH_OP_COS, &rest, 1);
    const rh_expr s = rh__expr_apply(store, RH_OP_SIN, &rest, 1);
    const rh_expr minus = rh__expr_negate(store, s);
    // sin(m + r) = sin m cos r + cos m sin r, cos(m + r) = cos m cos r - sin m sin r
    out.cosine[out.degree] = op == RH_OP_SIN ? s : c;
    out.sine[out.degree] = op == RH_OP_SIN ? c : minus;
    if (n < 0) {
        out.sine[out.degree] = rh__expr_negate(store, out.sine[out.degree]);
    }
    return out;
}

static series read_other(expanding *in, rh_expr e, rh_op op)
{
    rh_expr arguments[4];
    const uint32_t count = rh__expr_count(in->store, e);
    for (uint32_t k = 0; k < count; k++) {
        const rh_expr it =
            k < 4 ? flatten(in, known(in, rh__expr_argument(in->store, e, k))) : RH_EXPR_NONE;
        if (it.i == 0) {
            return NOTHING;
        }
        arguments[k] = it;
    }
    return constant(in, rh__expr_apply(in->store, op, arguments, count));
}

static series read_part(expanding *in, rh_expr e)
{
    const rh_op op = rh__expr_op(in->store, e);
    if (e.i == in->angle.i) {
        return NOTHING; // only its turns are of this kind
    }
    if (op == RH_OP_SIN || op == RH_OP_COS) {
        bool is_turn = false;
        const series turn = read_turn(in, op, rh__expr_argument(in->store, e, 0), &is_turn);
        return is_turn ? turn : read_other(in, e, op);
    }
    return op == RH_OP_ADD   ? read_sum(in, e)
           : op == RH_OP_MUL ? read_product(in, e)
           : op == RH_OP_POW ? read_power(in, e)
                             : read_other(in, e, op);
}

// --- all of them ---------------------------------------------------------------------------------

// Parts that hold the angle are read in order, arguments before users.
static void read_all(expanding *in)
{
    for (uint32_t k = 0; k < in->order.count && !in->is_short; k++) {
        const rh_expr e = in->order.data[k];
        in->holds[k] = e.i == in->angle.i;
        for (uint32_t j = 0; j < rh__expr_count(in->store, e); j++) {
            in->holds[k] =
                in->holds[k] || in->holds[place_of(in, rh__expr_argument(in->store, e, j))];
        }
        const uint32_t duties = in->duties->count;
        in->known[k] = in->holds[k] ? read_part(in, e) : constant(in, e);
        const series *it = &in->known[k];
        for (uint32_t d = 0; it->progress == READ && d <= it->degree; d++) {
            if (it->cosine[d].i == 0 || it->sine[d].i == 0) {
                in->known[k] = NOTHING; // the store refused
            }
        }
        if (in->known[k].progress != READ) {
            in->duties->count = duties;
        }
    }
}

bool rh__harmonic_free(rh_store *store, const rh_expr *expressions, uint32_t count, rh_expr angle,
                       rh_arena *arena, rh_expr *out, rh_expr_list *out_duties)
{
    expanding in = {.store = store, .arena = arena, .angle = angle, .duties = out_duties};
    if (!rh__expr_reach(store, expressions, count, arena, &in.order)) {
        return false;
    }
    qsort(in.order.data, in.order.count, sizeof *in.order.data, by_id);
    in.known = rh__arena_array(arena, series, (size_t)in.order.count + 1);
    in.holds = rh__arena_array(arena, bool, (size_t)in.order.count + 1);
    if (in.known == NULL || in.holds == NULL) {
        return false;
    }
    read_all(&in);
    for (uint32_t k = 0; k < count && !in.is_short; k++) {
        out[k] = flatten(&in, known(&in, expressions[k]));
    }
    return !in.is_short;
}
