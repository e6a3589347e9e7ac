// SPDX-License-Identifier: Apache-2.0
// Roots of a block with rational numbers, exactly as often as they occur: its characteristic
// polynomial (Faddeev, LeVerrier) is taken apart into factors without multiple roots (Yun), whose
// roots are found in balls. A root of multiplicity k would keep a k-th of its digits otherwise.

#include "program/program.h"

#include "proof/proof.h"

#include <math.h>

enum { MOST = RH_MULTIPLE_MOST, BITS = 256 };

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

static polynomial common_divisor(exact *in, polynomial a, polynomial b)
{
    while (!in->is_refused && !is_null(in, &b)) {
        (void)divide(in, &a, &b);
        const polynomial rest = a;
        a = b;
        b = rest;
    }
    for (uint32_t k = 0; k <= a.degree; k++) { // the leading coefficient is 1
        a.c[k] =
            k == a.degree ? in->one : kept(in, rh__expr_divide(in->store, a.c[k], a.c[a.degree]));
    }
    return a;
}

// --- the characteristic polynomial --------------------------------------------------------------

// det(x I - A): M_1 = A; c_(n-k) = -trace(M_k)/k; M_(k+1) = A (M_k + c_(n-k) I).
static polynomial characteristic(exact *in, uint32_t n, const rh_expr *a)
{
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

// Roots of a factor that has each once, in pairs; false when they are not found to all digits.
static bool find_simple(rh_program *program, const polynomial *p, rh_program_root *out)
{
    const uint32_t n = p->degree;
    rh_balls *c = rh__balls_create(&program->scratch, n + 1);
    rh_balls *re = rh__balls_create(&program->scratch, n);
    rh_balls *im = rh__balls_create(&program->scratch, n);
    bool ok = c != NULL && re != NULL && im != NULL;
    for (uint32_t k = 0; ok && k <= n; k++) {
        rh__balls_set_number(c, k, program->store, p->c[k], BITS, &program->scratch);
    }
    ok = ok && rh__balls_roots(n, c, BITS, re, im);
    uint32_t count = 0;
    for (uint32_t k = 0; ok && k < n; k++) {
        const double real = rh__balls_middle(re, k);
        const double imaginary = rh__balls_middle(im, k);
        ok = rh__balls_radius(re, k) < 1e-30 * (1.0 + fabs(real)) &&
             rh__balls_radius(im, k) < 1e-30 * (1.0 + fabs(real));
        // a polynomial with real coefficients: roots come in pairs, one of which is enough; what is
        // zero to thirty digits is zero
        const double height = fabs(imaginary) < 1e-30 * (1.0 + fabs(real)) ? 0.0 : imaginary;
        const double level = fabs(real) < 1e-30 * (1.0 + fabs(imaginary)) ? 0.0 : real;
        if (height >= 0.0) {
            out[count++] = (rh_program_root){level, height};
        }
        if (height > 0.0) {
            out[count++] = (rh_program_root){level, -height};
        }
        ok = ok && count <= n;
    }
    rh__balls_destroy(c);
    rh__balls_destroy(re);
    rh__balls_destroy(im);
    return ok && count == n;
}

bool rh__multiple_roots(rh_program *program, uint32_t n, const rh_expr *a, rh_program_root *out)
{
    exact in = {.store = program->store,
                .zero = rh__expr_integer(program->store, 0),
                .one = rh__expr_integer(program->store, 1)};
    uint32_t count = 0;
    bool ok = n > 0 && n <= MOST;
    for (uint32_t k = 0; ok && k < n * n; k++) {
        ok = a[k].i != 0 && rh__expr_is_number(program->store, a[k]);
    }
    if (!ok) {
        return false;
    }
    const polynomial f = characteristic(&in, n, a);
    polynomial c = derivative_of(&in, &f);
    const polynomial all = common_divisor(&in, f, c);
    polynomial rest = f;
    polynomial b = divide(&in, &rest, &all);
    polynomial quotient = divide(&in, &c, &all);
    for (uint32_t often = 1; ok && !in.is_refused && b.degree > 0 && often <= n; often++) {
        const polynomial slope = derivative_of(&in, &b);
        polynomial d = difference(&in, &quotient, &slope);
        const polynomial factor = common_divisor(&in, b, d);
        if (factor.degree > 0) {
            ok = count + often * factor.degree <= n && find_simple(program, &factor, out + count);
            for (uint32_t k = factor.degree; ok && k < often * factor.degree; k++) {
                out[count + k] = out[count + k - factor.degree];
            }
            count += often * factor.degree;
        }
        b = divide(&in, &b, &factor);
        quotient = divide(&in, &d, &factor);
    }
    return ok && !in.is_refused && count == n;
}
