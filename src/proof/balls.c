// SPDX-License-Identifier: Apache-2.0
// Vectors of balls: putting numbers in, looking at them, single operations.

#include "proof/arbs.h"

#include <math.h>

slong rh__balls_bits(uint32_t precision)
{
    const uint32_t least = 32;
    return precision < least                     ? (slong)least
           : precision > RH_BALLS_PRECISION_MOST ? RH_BALLS_PRECISION_MOST
                                                 : (slong)precision;
}

rh_balls *rh__balls_create(rh_arena *arena, uint32_t count)
{
    rh__balls_prepare();
    rh_balls *balls = count <= RH_BALLS_MOST ? rh__arena_new(arena, rh_balls) : NULL;
    // zeroed memory is a ball that is exactly 0; only long numbers lie outside the arena
    arb_ptr data = balls != NULL ? rh__arena_array(arena, arb_struct, (size_t)count + 1) : NULL;
    if (data == NULL) {
        return NULL;
    }
    *balls = (rh_balls){data, count, rh__guard_of(arena->allocator)};
    return balls;
}

void rh__balls_destroy(rh_balls *balls)
{
    if (balls != NULL && balls->data != NULL) {
        for (uint32_t k = 0; k < balls->count; k++) {
            arb_clear(balls->data + k);
        }
        balls->data = NULL;
        balls->count = 0;
    }
}

uint32_t rh__balls_count(const rh_balls *balls)
{
    return balls->count;
}

void rh__balls_set_indeterminate(rh_balls *balls, uint32_t k)
{
    arb_indeterminate(rh__balls_at(balls, k));
}

void rh__balls_set_double(rh_balls *balls, uint32_t k, double value)
{
    if (isfinite(value)) {
        arb_set_d(rh__balls_at(balls, k), value);
    } else {
        rh__balls_set_indeterminate(balls, k);
    }
}

void rh__balls_set_interval(rh_balls *balls, uint32_t k, rh_interval interval)
{
    if (!isfinite(interval.lo) || !isfinite(interval.hi) || interval.lo > interval.hi) {
        rh__balls_set_indeterminate(balls, k);
        return;
    }
    arf_t lo, hi;
    arf_init(lo);
    arf_init(hi);
    arf_set_d(lo, interval.lo);
    arf_set_d(hi, interval.hi);
    // the middle of two doubles of like size is exact; whatever is not goes into the radius
    arb_set_interval_arf(rh__balls_at(balls, k), lo, hi, RH_BALLS_PRECISION_MOST);
    arf_clear(lo);
    arf_clear(hi);
}

void rh__fmpq_of_number(fmpq_t out, const rh_store *store, rh_expr number, rh_arena *scratch)
{
    const rh_mark mark = rh__arena_mark(scratch);
    rh_text text = rh__text_begin(scratch, NULL);
    rh__expr_number_text(store, number, &text);
    rh__text_put_char(&text, '\0');
    if (!text.ok || rh__reserve_is_low() || fmpq_set_str(out, text.data, 10) != 0) {
        // no memory for its digits: nothing true can be said, and 0/0 says so
        fmpz_zero(fmpq_numref(out));
        fmpz_zero(fmpq_denref(out));
    }
    rh__arena_rewind(scratch, mark);
}

void rh__balls_set_number(rh_balls *balls, uint32_t k, const rh_store *store, rh_expr number,
                          uint32_t precision, rh_arena *scratch)
{
    fmpq_t value;
    fmpq_init(value);
    rh__fmpq_of_number(value, store, number, scratch);
    if (fmpz_is_zero(fmpq_denref(value))) {
        rh__balls_set_indeterminate(balls, k);
    } else {
        arb_set_fmpq(rh__balls_at(balls, k), value, rh__balls_bits(precision));
    }
    fmpq_clear(value);
}

void rh__balls_times_pi(rh_balls *balls, uint32_t k, uint32_t precision)
{
    arb_t pi;
    arb_init(pi);
    arb_const_pi(pi, rh__balls_bits(precision));
    arb_mul(rh__balls_at(balls, k), rh__balls_at(balls, k), pi, rh__balls_bits(precision));
    arb_clear(pi);
}

void rh__balls_copy(rh_balls *to, uint32_t k, const rh_balls *from, uint32_t j)
{
    arb_set(rh__balls_at(to, k), rh__balls_at(from, j));
}

void rh__balls_join(rh_balls *to, uint32_t k, const rh_balls *from, uint32_t j, uint32_t precision)
{
    arb_union(rh__balls_at(to, k), rh__balls_at(to, k), rh__balls_at(from, j),
              rh__balls_bits(precision));
}

void rh__balls_shrink(rh_balls *balls, uint32_t k)
{
    if (arb_is_finite(rh__balls_at(balls, k))) {
        mag_zero(arb_radref(rh__balls_at(balls, k)));
    }
}

// --- looking ---------------------------------------------------------------------------------

rh_interval rh__balls_interval(const rh_balls *balls, uint32_t k)
{
    const arb_srcptr ball = rh__balls_at(balls, k);
    if (!arb_is_finite(ball)) {
        return (rh_interval){-INFINITY, INFINITY};
    }
    arf_t end;
    arf_init(end);
    arb_get_lbound_arf(end, ball, RH_BALLS_PRECISION_MOST);
    const double lo = arf_get_d(end, ARF_RND_FLOOR);
    arb_get_ubound_arf(end, ball, RH_BALLS_PRECISION_MOST);
    const double hi = arf_get_d(end, ARF_RND_CEIL);
    arf_clear(end);
    return (rh_interval){lo, hi};
}

double rh__balls_middle(const rh_balls *balls, uint32_t k)
{
    const arb_srcptr ball = rh__balls_at(balls, k);
    return arb_is_finite(ball) ? arf_get_d(arb_midref(ball), ARF_RND_NEAR) : NAN;
}

double rh__balls_radius(const rh_balls *balls, uint32_t k)
{
    const arb_srcptr ball = rh__balls_at(balls, k);
    return arb_is_finite(ball) ? mag_get_d(arb_radref(ball)) : INFINITY;
}

bool rh__balls_is_finite(const rh_balls *balls, uint32_t k)
{
    return arb_is_finite(rh__balls_at(balls, k)) != 0;
}

bool rh__balls_is_zero(const rh_balls *balls, uint32_t k)
{
    return arb_is_zero(rh__balls_at(balls, k)) != 0;
}

bool rh__balls_is_nonzero(const rh_balls *balls, uint32_t k)
{
    const arb_srcptr ball = rh__balls_at(balls, k);
    return arb_is_finite(ball) && !arb_contains_zero(ball);
}

bool rh__balls_is_positive(const rh_balls *balls, uint32_t k)
{
    const arb_srcptr ball = rh__balls_at(balls, k);
    return arb_is_finite(ball) && arb_is_positive(ball);
}

bool rh__balls_is_negative(const rh_balls *balls, uint32_t k)
{
    const arb_srcptr ball = rh__balls_at(balls, k);
    return arb_is_finite(ball) && arb_is_negative(ball);
}

bool rh__balls_contains(const rh_balls *outer, uint32_t k, const rh_balls *inner, uint32_t j)
{
    const arb_srcptr a = rh__balls_at(outer, k);
    const arb_srcptr b = rh__balls_at(inner, j);
    return arb_is_finite(a) && arb_is_finite(b) && arb_contains(a, b);
}

// --- one operation at a time -----------------------------------------------------------------

void rh__balls_combine(rh_balls *to, uint32_t k, rh_ball_op op, const rh_balls *a, uint32_t i,
                       const rh_balls *b, uint32_t j, uint32_t precision)
{
    const slong bits = rh__balls_bits(precision);
    arb_ptr out = rh__balls_at(to, k);
    const arb_srcptr x = rh__balls_at(a, i);
    const arb_srcptr y = rh__balls_at(b, j);
    switch (op) {
    case RH_BALL_ADD:
        arb_add(out, x, y, bits);
        break;
    case RH_BALL_SUBTRACT:
        arb_sub(out, x, y, bits);
        break;
    case RH_BALL_MULTIPLY:
        arb_mul(out, x, y, bits);
        break;
    case RH_BALL_DIVIDE:
        arb_div(out, x, y, bits);
        break;
    }
    if (!arb_is_finite(out)) {
        arb_indeterminate(out);
    }
}

void rh__balls_sqrt(rh_balls *to, uint32_t k, const rh_balls *a, uint32_t i, uint32_t precision)
{
    arb_ptr out = rh__balls_at(to, k);
    arb_sqrt(out, rh__balls_at(a, i), rh__balls_bits(precision));
    if (!arb_is_finite(out)) {
        arb_indeterminate(out);
    }
}
