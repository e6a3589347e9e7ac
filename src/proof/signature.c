// SPDX-License-Identifier: Apache-2.0
// Signs of eigenvalues of symmetric matrices of balls, by elimination with pivots on the diagonal
// and, where all of them may be zero, of two by two with a negative determinant. Elimination is a
// congruence, so the pivots have the signs of as many eigenvalues (Sylvester); it ends where no
// pivot is known to be one.

#include "proof/arbs.h"

typedef struct elimination {
    arb_mat_t m;
    bool *is_done;
    slong n;
    slong bits;
} elimination;

static arb_ptr at(const elimination *on, slong i, slong k)
{
    return arb_mat_entry(on->m, i, k);
}

// The largest diagonal entry that is not zero; n when there is none.
static slong choose_one(const elimination *on)
{
    slong best = on->n;
    for (slong i = 0; i < on->n; i++) {
        if (!on->is_done[i] && arb_is_finite(at(on, i, i)) && !arb_contains_zero(at(on, i, i)) &&
            (best == on->n ||
             arf_cmpabs(arb_midref(at(on, i, i)), arb_midref(at(on, best, best))) > 0)) {
            best = i;
        }
    }
    return best;
}

static void eliminate_one(const elimination *on, slong pivot)
{
    arb_t factor;
    arb_init(factor);
    on->is_done[pivot] = true;
    for (slong i = 0; i < on->n; i++) {
        if (on->is_done[i] || arb_is_zero(at(on, i, pivot))) {
            continue;
        }
        arb_div(factor, at(on, i, pivot), at(on, pivot, pivot), on->bits);
        for (slong k = 0; k < on->n; k++) {
            if (!on->is_done[k]) {
                arb_submul(at(on, i, k), factor, at(on, pivot, k), on->bits);
            }
        }
    }
    arb_clear(factor);
}

// Two rows with a negative determinant: one eigenvalue of each sign.
static bool choose_two(const elimination *on, slong *out_i, slong *out_k, arb_t determinant)
{
    for (slong i = 0; i < on->n; i++) {
        for (slong k = i + 1; k < on->n; k++) {
            if (on->is_done[i] || on->is_done[k]) {
                continue;
            }
            arb_mul(determinant, at(on, i, i), at(on, k, k), on->bits);
            arb_submul(determinant, at(on, i, k), at(on, i, k), on->bits);
            if (arb_is_finite(determinant) && arb_is_negative(determinant)) {
                *out_i = i;
                *out_k = k;
                return true;
            }
        }
    }
    return false;
}

// m_ab -= (m_ai, m_ak) B^-1 (m_ib, m_kb)
static void eliminate_two(const elimination *on, slong i, slong k, const arb_t determinant)
{
    arb_t x, y;
    arb_init(x);
    arb_init(y);
    on->is_done[i] = on->is_done[k] = true;
    for (slong a = 0; a < on->n; a++) {
        if (on->is_done[a]) {
            continue;
        }
        arb_mul(x, at(on, a, i), at(on, k, k), on->bits);
        arb_submul(x, at(on, a, k), at(on, i, k), on->bits);
        arb_div(x, x, determinant, on->bits);
        arb_mul(y, at(on, a, k), at(on, i, i), on->bits);
        arb_submul(y, at(on, a, i), at(on, i, k), on->bits);
        arb_div(y, y, determinant, on->bits);
        for (slong b = 0; b < on->n; b++) {
            if (!on->is_done[b]) {
                arb_submul(at(on, a, b), x, at(on, i, b), on->bits);
                arb_submul(at(on, a, b), y, at(on, k, b), on->bits);
            }
        }
    }
    arb_clear(x);
    arb_clear(y);
}

static void load_symmetric(const elimination *on, const rh_balls *a)
{
    for (slong i = 0; i < on->n; i++) {
        for (slong k = 0; k <= i; k++) {
            arb_set(at(on, i, k), rh__balls_at(a, (uint32_t)(i * on->n + k)));
            arb_set(at(on, k, i), at(on, i, k));
        }
    }
}

bool rh__balls_inertia(uint32_t n, const rh_balls *a, uint32_t precision, rh_arena *scratch,
                       uint32_t *out_positive, uint32_t *out_negative)
{
    const rh_mark mark = rh__arena_mark(scratch);
    elimination on = {.n = (slong)n,
                      .bits = rh__balls_bits(precision),
                      .is_done = rh__arena_array(scratch, bool, (size_t)n + 1)};
    *out_positive = *out_negative = 0;
    rh_pledge *pledge = NULL;
    if (on.is_done == NULL || !rh__balls_pledge(a, 4.0 * n * n, precision, &pledge)) {
        rh__arena_rewind(scratch, mark);
        return false;
    }
    arb_t determinant;
    arb_init(determinant);
    arb_mat_init(on.m, on.n, on.n);
    load_symmetric(&on, a);
    bool goes_on = true;
    while (goes_on) {
        const slong pivot = choose_one(&on);
        slong i = 0;
        slong k = 0;
        if (pivot < on.n) {
            const bool is_positive = arb_is_positive(at(&on, pivot, pivot)) != 0;
            *out_positive += is_positive;
            *out_negative += !is_positive;
            eliminate_one(&on, pivot);
        } else if (choose_two(&on, &i, &k, determinant)) {
            ++*out_positive;
            ++*out_negative;
            eliminate_two(&on, i, k, determinant);
        } else {
            goes_on = false;
        }
    }
    arb_mat_clear(on.m);
    arb_clear(determinant);
    rh__reserve_redeem(pledge);
    rh__arena_rewind(scratch, mark);
    return true;
}
