// SPDX-License-Identifier: Apache-2.0
// Roots of a block with rational numbers, exactly as often as they occur: its characteristic
// polynomial (Faddeev, LeVerrier) is taken apart into factors without multiple roots (Yun), whose
// roots are found in balls. A root of multiplicity k would keep a k-th of its digits otherwise.

#include "program/program.h"

#include "proof/proof.h"

#include <string.h>

enum { MOST = RH_MULTIPLE_MOST, BITS = 256, MOST_BITS = 4096 };

/// Coefficients, lowest first.
typedef struct polynomial {
    rh_expr c[MOST + 2];
    uint32_t degree;
} polynomial;

typedef struct exact {
    rh_store *store;
    rh_expr zero, one;
    bool is_refused;
} exact;

// --- arithmetic ---------------------------------------------------------------------------------

static rh_expr kept(exact *in, rh_expr e)
{
    const bool is_number = e.i != 0 && rh__expr_is_number(in->store, e);
    in->is_refused = in->is_refused || !is_number;
    return is_number ? e : in->one;
}

static rh_expr times(exact *in, rh_expr a, rh_expr b)
{
    return kept(in, rh__expr_multiply(in->store, a, b));
}

static rh_expr minus(exact *in, rh_expr a, rh_expr b)
{
    return kept(in, rh__expr_subtract(in->store, a, b));
}

static bool is_null(const exact *in, const polynomial *p)
{
    return p->degree == 0 && rh__expr_is_zero(in->store, p->c[0]);
}

static void trim(const exact *in, polynomial *p)
{
    RH_ASSERT(p->degree <= MOST + 1);
    while (p->degree > 0 && rh__expr_is_zero(in->store, p->c[p->degree])) {
        p->degree--;
    }
}

static polynomial derivative_of(exact *in, const polynomial *p)
{
    polynomial out = {.degree = p->degree > 0 ? p->degree - 1 : 0};
    out.c[0] = in->zero;
    for (uint32_t k = 1; k <= p->degree; k++) {
        out.c[k - 1] = times(in, rh__expr_integer(in->store, k), p->c[k]);
    }
    trim(in, &out);
    return out;
}

static polynomial difference(exact *in, const polynomial *a, const polynomial *b)
{
    polynomial out = {.degree = a->degree > b->degree ? a->degree : b->degree};
    for (uint32_t k = 0; k <= out.degree; k++) {
        out.c[k] =
            minus(in, k <= a->degree ? a->c[k] : in->zero, k <= b->degree ? b->c[k] : in->zero);
    }
    trim(in, &out);
    return out;
}

// a = quotient * b + a'; what is left stands in `a`.
static polynomial divide(exact *in, polynomial *a, const polynomial *b)
{
    RH_ASSERT(in->is_refused || !is_null(in, b));
    polynomial quotient = {.degree = a->degree >= b->degree ? a->degree - b->degree : 0};
    for (uint32_t k = 0; k <= quotient.degree; k++) {
        quotient.c[k] = in->zero;
    }
    while (!in->is_refused && a->degree >= b->degree && !is_null(in, a)) {
        const uint32_t shift = a->degree - b->degree;
        const rh_expr factor =
            kept(in, rh__expr_divide(in->store, a->c[a->degree], b->c[b->degree]));
        quotient.c[shift] = factor;
        for (uint32_t k = 0; k < b->degree; k++) {
            a->c[shift + k] = minus(in, a->c[shift + k], times(in, factor, b->c[k]));
        }
        a->c[a->degree] = in->zero;
        if (a->degree == 0) {
            break;
        }
        trim(in, a);
    }
    return quotient;
}

// With the leading coefficient 1: remainders of such have numbers that grow slowly.
static void make_monic(exact *in, polynomial *p)
{
    for (uint32_t k = 0; !is_null(in, p) && k <= p->degree; k++) {
        p->c[k] = k == p->degree ? in->one
                                 : kept(in, rh__expr_divide(in->store, p->c[k], p->c[p->degree]));
    }
}

static polynomial common_divisor(exact *in, polynomial a, polynomial b)
{
    make_monic(in, &b);
    while (!in->is_refused && !is_null(in, &b)) {
        (void)divide(in, &a, &b);
        const polynomial rest = a;
        a = b;
        b = rest;
        make_monic(in, &b);
    }
    make_monic(in, &a);
    return a;
}

// --- the characteristic polynomial --------------------------------------------------------------

// det(x I - A): M_1 = A; c_(n-k) = -trace(M_k)/k; M_(k+1) = A (M_k + c_(n-k) I).
static polynomial characteristic(exact *in, uint32_t n, const rh_expr *a)
{
    RH_ASSERT(0 < n && n <= MOST);
    rh_expr m[MOST * MOST] = {{0}};
    rh_expr next[MOST * MOST] = {{0}};
    polynomial out = {.degree = n};
    out.c[n] = in->one;
    for (uint32_t k = 0; k < n * n; k++) {
        m[k] = a[k];
    }
    for (uint32_t k = 1; k <= n; k++) {
        rh_expr trace = in->zero;
        for (uint32_t i = 0; i < n; i++) {
            trace = kept(in, rh__expr_add(in->store, trace, m[i * n + i]));
        }
        const rh_expr c = times(in, trace, rh__expr_ratio(in->store, -1, (int64_t)k));
        out.c[n - k] = c;
        for (uint32_t i = 0; i < n; i++) {
            m[i * n + i] = kept(in, rh__expr_add(in->store, m[i * n + i], c));
        }
        for (uint32_t i = 0; k < n && i < n; i++) {
            for (uint32_t j = 0; j < n; j++) {
                rh_expr sum = in->zero;
                for (uint32_t l = 0; l < n; l++) {
                    sum = kept(in,
                               rh__expr_add(in->store, sum, times(in, a[i * n + l], m[l * n + j])));
                }
                next[i * n + j] = sum;
            }
        }
        for (uint32_t i = 0; k < n && i < n * n; i++) {
            m[i] = next[i];
        }
    }
    return out;
}

// --- roots --------------------------------------------------------------------------------------

// f(-x).
static polynomial mirror(exact *in, const polynomial *p)
{
    polynomial out = *p;
    for (uint32_t k = 1; k <= p->degree; k += 2) {
        out.c[k] = minus(in, in->zero, p->c[k]);
    }
    return out;
}

// Root k of a polynomial whose roots lie symmetrically about the imaginary axis, its ball touching
// the axis: its mirror image is itself when it is none of the others.
static bool is_own_image(const rh_balls *re, const rh_balls *im, uint32_t n, uint32_t k,
                         rh_balls *work)
{
    bool is_alone = true;
    for (uint32_t j = 0; is_alone && j < n; j++) {
        rh__balls_combine(work, 0, RH_BALL_ADD, re, k, re, j, 4 * BITS);
        rh__balls_combine(work, 1, RH_BALL_SUBTRACT, im, k, im, j, 4 * BITS);
        is_alone = j == k || rh__balls_is_nonzero(work, 0) || rh__balls_is_nonzero(work, 1);
    }
    return is_alone;
}

// Roots of a factor that has each once.
static bool enclose_simple(rh_program *program, const exact *in, const polynomial *p,
                           bool is_symmetric, uint32_t bits, rh_program_root *out,
                           rh_side *out_side)
{
    const uint32_t n = p->degree;
    rh_balls *c = rh__balls_create(&program->scratch, n + 1);
    rh_balls *re = rh__balls_create(&program->scratch, n);
    rh_balls *im = rh__balls_create(&program->scratch, n);
    rh_balls *work = rh__balls_create(&program->scratch, 2);
    bool ok = c != NULL && re != NULL && im != NULL && work != NULL;
    for (uint32_t k = 0; ok && k <= n; k++) {
        rh__balls_set_number(c, k, in->store, p->c[k], bits, &program->scratch);
    }
    ok = ok && rh__balls_roots(n, c, bits, re, im);
    bool is_axis[MOST] = {false};
    for (uint32_t k = 0; ok && k < n; k++) {
        is_axis[k] =
            is_symmetric && !rh__balls_is_nonzero(re, k) && is_own_image(re, im, n, k, work);
    }
    for (uint32_t k = 0; ok && k < n; k++) {
        if (is_axis[k]) { // after all were compared
            rh__balls_set_double(re, k, 0.0);
        }
    }
    ok = ok && rh__side_collect(n, re, im, out, out_side);
    for (uint32_t k = 0; ok && k < n; k++) {
        ok = out_side[k] != RH_SIDE_OPEN;
    }
    rh__balls_destroy(c);
    rh__balls_destroy(re);
    rh__balls_destroy(im);
    rh__balls_destroy(work);
    return ok;
}

// All roots on the axis are roots of h = gcd(f(x), f(-x)), whose roots lie symmetrically; f/h has
// none there, so that enough digits decide. False when they do not.
static bool find_simple(rh_program *program, exact *in, const polynomial *p, rh_program_root *out,
                        rh_side *out_side)
{
    RH_ASSERT(p->degree > 0 && p->degree <= MOST);
    const polynomial image = mirror(in, p);
    const polynomial even = common_divisor(in, *p, image);
    polynomial copy = *p;
    const polynomial rest = divide(in, &copy, &even);
    bool has_even = even.degree == 0;
    bool has_rest = rest.degree == 0;
    for (uint32_t bits = BITS; !in->is_refused && bits <= MOST_BITS; bits *= 4) {
        has_even = has_even || enclose_simple(program, in, &even, true, bits, out, out_side);
        has_rest = has_rest || enclose_simple(program, in, &rest, false, bits, out + even.degree,
                                              out_side + even.degree);
    }
    return has_even && has_rest;
}

// Numbers may pass what a store allows: it is one of its own that refuses then.
static bool begin(rh_program *program, exact *out)
{
    rh_store *store = rh__store_create(&program->scratch);
    *out = (exact){.store = store};
    if (store != NULL) {
        out->zero = rh__expr_integer(store, 0);
        out->one = rh__expr_integer(store, 1);
    }
    return store != NULL && out->zero.i != 0 && out->one.i != 0;
}

// A number of the model in that store.
static rh_expr bring(rh_program *program, exact *in, rh_expr number)
{
    rh_text text = rh__text_begin(&program->scratch, NULL);
    rh__expr_number_text(program->store, number, &text);
    rh_slice top = rh__text_slice(&text);
    const bool is_negative = top.size > 0 && top.data[0] == '-';
    top.data += is_negative;
    top.size -= is_negative;
    const char *line = top.size > 0 ? memchr(top.data, '/', top.size) : NULL;
    rh_expr value = RH_EXPR_NONE;
    if (text.ok && line != NULL) {
        const size_t head = (size_t)(line - top.data);
        value =
            rh__expr_divide(in->store, rh__expr_literal(in->store, (rh_slice){top.data, head}),
                            rh__expr_literal(in->store, (rh_slice){line + 1, top.size - head - 1}));
    } else if (text.ok) {
        value = rh__expr_literal(in->store, top);
    }
    value = value.i != 0 && is_negative ? rh__expr_negate(in->store, value) : value;
    return kept(in, value);
}

static bool is_rational(const rh_program *program, uint32_t n, const rh_expr *a)
{
    bool ok = n > 0 && n <= MOST;
    for (uint32_t k = 0; ok && k < n * n; k++) {
        ok = a[k].i != 0 && rh__expr_is_number(program->store, a[k]);
    }
    return ok;
}

static bool find_roots(rh_program *program, exact *in, uint32_t n, const rh_expr *a,
                       rh_program_root *out, rh_side *out_side)
{
    uint32_t count = 0;
    bool ok = true;
    const polynomial f = characteristic(in, n, a);
    polynomial c = derivative_of(in, &f);
    const polynomial all = common_divisor(in, f, c);
    polynomial rest = f;
    polynomial b = divide(in, &rest, &all);
    polynomial quotient = divide(in, &c, &all);
    for (uint32_t often = 1; ok && !in->is_refused && b.degree > 0 && often <= n; often++) {
        RH_ASSERT(count <= n);
        const polynomial slope = derivative_of(in, &b);
        polynomial d = difference(in, &quotient, &slope);
        const polynomial factor = common_divisor(in, b, d);
        if (factor.degree > 0) {
            ok = count + often * factor.degree <= n &&
                 find_simple(program, in, &factor, out + count, out_side + count);
            for (uint32_t k = factor.degree; ok && k < often * factor.degree; k++) {
                out[count + k] = out[count + k - factor.degree];
                out_side[count + k] = out_side[count + k - factor.degree];
            }
            count += often * factor.degree;
        }
        b = divide(in, &b, &factor);
        quotient = divide(in, &d, &factor);
    }
    return ok && !in->is_refused && count == n;
}

bool rh__multiple_roots(rh_program *program, uint32_t n, const rh_expr *a, rh_program_root *out,
                        rh_side *out_side)
{
    exact in = {.store = NULL};
    rh_expr own[MOST * MOST] = {{0}};
    bool ok = is_rational(program, n, a) && begin(program, &in);
    for (uint32_t k = 0; ok && k < n * n; k++) {
        own[k] = bring(program, &in, a[k]);
        ok = !in.is_refused;
    }
    ok = ok && find_roots(program, &in, n, own, out, out_side);
    rh__store_destroy(in.store);
    return ok;
}

// --- vectors ------------------------------------------------------------------------------------

// to = A B + c I.
static void step(exact *in, uint32_t n, const rh_expr *a, const rh_expr *b, rh_expr c, rh_expr *to)
{
    for (uint32_t i = 0; i < n; i++) {
        for (uint32_t j = 0; j < n; j++) {
            rh_expr sum = i == j ? c : in->zero;
            for (uint32_t l = 0; l < n; l++) {
                sum = kept(in, rh__expr_add(in->store, sum, times(in, a[i * n + l], b[l * n + j])));
            }
            to[i * n + j] = sum;
        }
    }
}

static uint32_t rank_of(exact *in, uint32_t n, rh_expr *m)
{
    uint32_t rank = 0;
    for (uint32_t column = 0; column < n && rank < n; column++) {
        uint32_t row = rank;
        while (row < n && rh__expr_is_zero(in->store, m[row * n + column])) {
            row++;
        }
        for (uint32_t j = 0; row < n && j < n; j++) {
            const rh_expr kept_one = m[row * n + j];
            m[row * n + j] = m[rank * n + j];
            m[rank * n + j] = kept_one;
        }
        for (uint32_t i = rank + 1; row < n && i < n; i++) {
            const rh_expr factor =
                kept(in, rh__expr_divide(in->store, m[i * n + column], m[rank * n + column]));
            for (uint32_t j = column; j < n; j++) {
                m[i * n + j] = minus(in, m[i * n + j], times(in, factor, m[rank * n + j]));
            }
        }
        rank += row < n;
    }
    RH_ASSERT(rank <= n);
    return rank;
}

// h has all roots on the axis once, and no others when none lies on the right: what h(A)
// annihilates are the vectors of these roots.
static uint32_t count_vectors(exact *in, uint32_t n, const rh_expr *a)
{
    rh_expr m[2][MOST * MOST] = {{{0}}};
    polynomial f = characteristic(in, n, a);
    const polynomial slope = derivative_of(in, &f);
    const polynomial shared = common_divisor(in, f, slope);
    const polynomial simple = divide(in, &f, &shared);
    const polynomial image = mirror(in, &simple);
    const polynomial h = common_divisor(in, simple, image);
    uint32_t at = 0;
    for (uint32_t k = 0; k < n * n; k++) {
        m[0][k] = k % (n + 1) == 0 ? h.c[h.degree] : in->zero;
    }
    for (uint32_t k = h.degree; k-- > 0; at = 1 - at) {
        step(in, n, a, m[at], h.c[k], m[1 - at]);
    }
    RH_ASSERT(in->is_refused || h.degree <= n);
    return n - rank_of(in, n, m[at]);
}

bool rh__multiple_vectors(rh_program *program, uint32_t n, const rh_expr *a, uint32_t *out)
{
    exact in = {.store = NULL};
    rh_expr own[MOST * MOST] = {{0}};
    bool ok = is_rational(program, n, a) && begin(program, &in);
    for (uint32_t k = 0; ok && k < n * n; k++) {
        own[k] = bring(program, &in, a[k]);
        ok = !in.is_refused;
    }
    if (ok) {
        *out = count_vectors(&in, n, own);
        ok = !in.is_refused;
    }
    rh__store_destroy(in.store);
    return ok;
}
