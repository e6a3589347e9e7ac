// SPDX-License-Identifier: Apache-2.0
// Taylor series at s = 0 of expressions in the one variable s. In: an expression without other
// symbols; out: its coefficients. The rules are those of jets (docs/theory/motion.md): every
// operation gives coefficient k from lower ones, here for a whole series at once.

#include "expr/ratio.h"

#include <math.h>

typedef struct series {
    double c[RH_EXPANSION_TERMS];
} series;

typedef struct expanding {
    rh_store *store;
    rh_expr s;
    uint32_t count;
    series *of; // by place in the walk
} expanding;

static void multiply(const expanding *in, const series *a, const series *b, series *out)
{
    series made = {{0}};
    for (uint32_t k = 0; k < in->count; k++) {
        for (uint32_t j = 0; j <= k; j++) {
            made.c[k] += a->c[j] * b->c[k - j];
        }
    }
    *out = made;
}

// k y_k = sum j a_j w_(k-j) for y' = a' w, from y_0 on; `w` may grow together with y.
static double moment(const series *a, const series *w, uint32_t k)
{
    double sum = 0.0;
    for (uint32_t j = 1; j <= k; j++) {
        sum += j * a->c[j] * w->c[k - j];
    }
    return sum / k;
}

static void exponential(const expanding *in, const series *a, series *y)
{
    *y = (series){{exp(a->c[0])}};
    for (uint32_t k = 1; k < in->count; k++) {
        y->c[k] = moment(a, y, k);
    }
}

// sin and cos with sign -1, sinh and cosh with sign 1.
static void waves(const expanding *in, const series *a, double sign, series *s, series *c)
{
    *s = (series){{sign < 0 ? sin(a->c[0]) : sinh(a->c[0])}};
    *c = (series){{sign < 0 ? cos(a->c[0]) : cosh(a->c[0])}};
    for (uint32_t k = 1; k < in->count; k++) {
        s->c[k] = moment(a, c, k);
        c->c[k] = sign * moment(a, s, k);
    }
}

// y' = +-(1 -+ y^2) a': tanh and tan.
static void tangent(const expanding *in, const series *a, double sign, series *y)
{
    series w = {{0}};
    *y = (series){{sign < 0 ? tanh(a->c[0]) : tan(a->c[0])}};
    for (uint32_t k = 0; k < in->count; k++) {
        y->c[k] = k == 0 ? y->c[0] : moment(a, &w, k);
        w.c[k] = k == 0 ? 1.0 : 0.0;
        for (uint32_t j = 0; j <= k; j++) {
            w.c[k] += sign * y->c[j] * y->c[k - j];
        }
    }
}

// y' b = a' with y_0 given: log with b = a, asin, acos and atan with theirs.
static bool primitive(const expanding *in, const series *a, const series *b, double first,
                      series *y)
{
    *y = (series){{first}};
    for (uint32_t k = 1; k < in->count; k++) {
        double sum = k * a->c[k];
        for (uint32_t j = 1; j < k; j++) {
            sum -= j * y->c[j] * b->c[k - j];
        }
        y->c[k] = sum / (k * b->c[0]);
    }
    return b->c[0] != 0.0;
}

// a^e by k a_0 y_k = sum (e j - (k - j)) a_j y_(k-j); a whole exponent of a zero by products.
static bool power(const expanding *in, const series *a, double e, series *y)
{
    if (e >= 0.0 && e <= 64.0 && e == rint(e)) {
        series made = {{1.0}};
        for (int n = (int)e; n > 0; n--) {
            multiply(in, &made, a, &made);
        }
        *y = made;
        return true;
    }
    *y = (series){{pow(a->c[0], e)}};
    for (uint32_t k = 1; k < in->count; k++) {
        double sum = 0.0;
        for (uint32_t j = 1; j <= k; j++) {
            sum += (e * j - (double)(k - j)) * a->c[j] * y->c[k - j];
        }
        y->c[k] = sum / (k * a->c[0]);
    }
    return a->c[0] != 0.0;
}

static bool inverse_function(const expanding *in, rh_op op, const series *a, series *y)
{
    series b = *a;
    if (op == RH_OP_LOG) {
        return primitive(in, a, &b, log(a->c[0]), y);
    }
    multiply(in, a, a, &b);
    for (uint32_t k = 0; k < in->count; k++) {
        b.c[k] = (k == 0 ? 1.0 : 0.0) + (op == RH_OP_ATAN ? b.c[k] : -b.c[k]);
    }
    if (op == RH_OP_ATAN) {
        return primitive(in, a, &b, atan(a->c[0]), y);
    }
    series root;
    bool ok = power(in, &b, 0.5, &root) && primitive(in, a, &root, asin(a->c[0]), y);
    for (uint32_t k = 0; ok && op == RH_OP_ACOS && k < in->count; k++) {
        y->c[k] = k == 0 ? acos(a->c[0]) : -y->c[k];
    }
    return ok;
}

static bool function(const expanding *in, rh_op op, const series *a, series *y)
{
    series other;
    switch (op) {
    case RH_OP_EXP:
        exponential(in, a, y);
        return true;
    case RH_OP_SIN:
    case RH_OP_SINH:
        waves(in, a, op == RH_OP_SIN ? -1.0 : 1.0, y, &other);
        return true;
    case RH_OP_COS:
    case RH_OP_COSH:
        waves(in, a, op == RH_OP_COS ? -1.0 : 1.0, &other, y);
        return true;
    case RH_OP_TAN:
    case RH_OP_TANH:
        tangent(in, a, op == RH_OP_TANH ? -1.0 : 1.0, y);
        return true;
    case RH_OP_LOG:
    case RH_OP_ASIN:
    case RH_OP_ACOS:
    case RH_OP_ATAN:
        return inverse_function(in, op, a, y);
    default:
        return false; // conditions, and what jumps or has a corner
    }
}

static const series *argument(const expanding *in, rh_expr e, uint32_t k)
{
    return &in->of[in->store->places[rh__expr_argument(in->store, e, k).i]];
}

// A ratio whose argument vanishes at s = 0: sum c_j z^j, from the last term on.
static bool ratio(const expanding *in, rh_expr e, series *out)
{
    const series *z = argument(in, e, 0);
    const rh_ratio *of = rh__ratio_at(in->store, (uint32_t)argument(in, e, 2)->c[0]);
    const uint32_t n = (uint32_t)argument(in, e, 3)->c[0];
    double c[RH_RATIO_TERMS];
    *out = (series){{0}};
    rh__ratio_shift(of, n, 0.0, RH_RATIO_TERMS - n, c);
    for (uint32_t j = RH_RATIO_TERMS - n; j-- > 0;) {
        multiply(in, out, z, out);
        out->c[0] += c[j];
    }
    return z->c[0] == 0.0;
}

static bool expand(const expanding *in, rh_expr e, series *out)
{
    const rh_op op = rh__expr_op(in->store, e);
    const uint32_t count = rh__expr_count(in->store, e);
    *out = (series){{0}};
    switch (op) {
    case RH_OP_NUMBER:
        out->c[0] = rh__expr_number_value(in->store, e);
        return true;
    case RH_OP_PI:
        out->c[0] = 3.14159265358979323846;
        return true;
    case RH_OP_SYMBOL:
        out->c[1] = 1.0;
        return rh__expr_same(e, in->s);
    case RH_OP_ADD:
        for (uint32_t k = 0; k < count; k += 2) {
            for (uint32_t j = 0; j < in->count; j++) {
                out->c[j] += argument(in, e, k)->c[0] * argument(in, e, k + 1)->c[j];
            }
        }
        return true;
    case RH_OP_MUL:
        out->c[0] = 1.0;
        for (uint32_t k = 0; k < count; k++) {
            multiply(in, out, argument(in, e, k), out);
        }
        return true;
    case RH_OP_POW: {
        const rh_expr exponent = rh__expr_argument(in->store, e, 1);
        return rh__expr_is_number(in->store, exponent) &&
               power(in, argument(in, e, 0), rh__expr_number_value(in->store, exponent), out);
    }
    case RH_OP_RATIO:
        return ratio(in, e, out);
    default:
        return count == 1 && function(in, op, argument(in, e, 0), out);
    }
}

bool rh__expansion_find(rh_store *store, rh_expr e, rh_expr s, uint32_t count, rh_arena *scratch,
                        double *out)
{
    RH_ASSERT(count <= RH_EXPANSION_TERMS);
    rh_expr_list order;
    if (!rh__expr_reach(store, &e, 1, scratch, &order)) {
        return false;
    }
    const expanding in = {store, s, count, rh__arena_array(scratch, series, order.count)};
    for (uint32_t k = 0; in.of != NULL && k < order.count; k++) {
        if (!expand(&in, order.data[k], &in.of[k])) {
            in.of[k].c[0] = NAN; // it may be the quotient of a ratio, which is not looked at
        }
    }
    bool is_finite = in.of != NULL;
    for (uint32_t k = 0; is_finite && k < count; k++) {
        out[k] = in.of[order.count - 1].c[k];
        is_finite = isfinite(out[k]);
    }
    return is_finite;
}
