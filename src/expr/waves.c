// SPDX-License-Identifier: Apache-2.0
// Products of sines and cosines as sums: sin(u)^2 is (1 - cos(2 u))/2. In: a product; out: a sum of
// which every term has one sine or cosine at most.

#include "expr/inner.h"

enum { MOST_WAVES = 8 };

// sin(angle) or cos(angle), times a number.
typedef struct wave {
    bool is_sine;
    rh_expr number, angle;
} wave;

typedef struct waves {
    wave data[1 << MOST_WAVES];
    uint32_t count;
} waves;

// All terms times one more: each becomes half of two, with the sum and the difference of angles.
static void multiply(rh_store *store, waves *list, bool is_sine, rh_expr angle)
{
    const rh_expr half = rh__expr_ratio(store, 1, 2);
    for (uint32_t k = list->count; k-- > 0;) {
        const wave it = list->data[k];
        const rh_expr number = rh__expr_multiply(store, it.number, half);
        const rh_expr minus = rh__expr_negate(store, number);
        wave *sum = &list->data[2 * k];
        wave *difference = &list->data[2 * k + 1];
        sum->angle = rh__expr_add(store, it.angle, angle);
        difference->angle = rh__expr_subtract(store, it.angle, angle);
        sum->is_sine = it.is_sine != is_sine;
        difference->is_sine = sum->is_sine;
        sum->number = it.is_sine && is_sine ? minus : number;
        difference->number = !it.is_sine && is_sine ? minus : number;
    }
    list->count *= 2;
}

// sin(u)^n or cos(u)^n with n > 0?
static bool is_wave(const rh_store *store, rh_expr factor, int64_t *out_power)
{
    const rh_op op = rh__expr_op(store, rh__expr_base(store, factor));
    return (op == RH_OP_SIN || op == RH_OP_COS) &&
           rh__expr_as_integer(store, rh__expr_exponent(store, factor), out_power) &&
           *out_power > 0;
}

static rh_expr sum_up(rh_store *store, const waves *list)
{
    rh_expr parts[1 << MOST_WAVES];
    for (uint32_t k = 0; k < list->count; k++) {
        const wave *it = &list->data[k];
        const rh_op op = it->is_sine ? RH_OP_SIN : RH_OP_COS;
        parts[k] = rh__expr_multiply(store, it->number, rh__expr_apply(store, op, &it->angle, 1));
    }
    return rh__expr_sum(store, parts, list->count);
}

rh_expr rh__integral_waves(rh_store *store, rh_expr term)
{
    const uint32_t count = rh__factor_count(store, term);
    rh_expr rest = store->one;
    waves list = {.count = 1};
    list.data[0] = (wave){false, store->one, store->zero}; // cos(0)
    int64_t total = 0;
    for (uint32_t k = 0; k < count; k++) {
        const rh_expr factor = rh__factor(store, term, k);
        const rh_expr base = rh__expr_base(store, factor);
        int64_t power = 0;
        if (!is_wave(store, factor, &power)) {
            rest = rh__expr_multiply(store, rest, factor);
            continue;
        }
        total = power <= MOST_WAVES ? total + power : MOST_WAVES + 1;
        for (int64_t n = 0; n < power && total <= MOST_WAVES; n++) {
            multiply(store, &list, rh__expr_op(store, base) == RH_OP_SIN,
                     rh__expr_argument(store, base, 0));
        }
    }
    return total < 2 || total > MOST_WAVES ? RH_EXPR_NONE
                                           : rh__expr_multiply(store, rest, sum_up(store, &list));
}
