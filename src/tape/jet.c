// SPDX-License-Identifier: Apache-2.0
// Jets: coefficient k of every slot from the coefficients below k. First the sums over finished
// orders, sum_{j=1..k-1}, for the whole tape in flat lists; then the groups in order, which add the
// terms with orders 0 and k. S is the sum of products, Q of squares, W of moments (sum of
// j x_j y_{k-j}).

#include "tape/kernel.h"

#include <math.h>
#include <string.h>

// --- groups ----------------------------------------------------------------------------------

// What every kernel of one operand or two needs: a and b at order 0 and k, y at order 0.
typedef struct sight {
    const double *low, *high; // rows 0 and k
    const uint32_t *a, *b;    // first and last operands
    const double *sum, *other;
    const double *base; // outputs at order 0
    double *out;        // outputs at order k
    uint32_t count;
    double k;
} sight;

static sight look(rh_tape_state *state, const rh_tape_group *group, uint32_t k)
{
    RH_ASSERT(k > 0 && group->arity > 0);
    return (sight){.low = state->jet,
                   .high = rh__jet_row(state, k),
                   .a = rh__group_operands(state, group, 0),
                   .b = rh__group_operands(state, group, group->arity - 1),
                   .sum = state->sums + group->sum,
                   .other = state->sums + group->other,
                   .base = state->jet + group->first,
                   .out = rh__jet_row(state, k) + group->first,
                   .count = group->count,
                   .k = (double)k};
}

static void grow_linear(rh_tape_state *state, const rh_tape_group *group, uint32_t k)
{
    rh__group_linear(state, group, k, NULL);
}

// y_k = S + a_0 b_k + a_k b_0
static void grow_multiply(rh_tape_state *state, const rh_tape_group *group, uint32_t k)
{
    const sight on = look(state, group, k);
    for (uint32_t i = 0; i < on.count; i++) {
        const uint32_t a = on.a[i];
        const uint32_t b = on.b[i];
        on.out[i] = on.sum[i] + (on.low[a] * on.high[b] + on.high[a] * on.low[b]);
    }
}

// y_k = Q + 2 a_0 a_k
static void grow_square(rh_tape_state *state, const rh_tape_group *group, uint32_t k)
{
    const sight on = look(state, group, k);
    for (uint32_t i = 0; i < on.count; i++) {
        on.out[i] = on.sum[i] + 2.0 * (on.low[on.a[i]] * on.high[on.a[i]]);
    }
}

// b_0 y_k = a_k - S - b_k y_0
static void grow_divide(rh_tape_state *state, const rh_tape_group *group, uint32_t k)
{
    const sight on = look(state, group, k);
    for (uint32_t i = 0; i < on.count; i++) {
        const uint32_t b = on.b[i];
        on.out[i] = (on.high[on.a[i]] - on.sum[i] - on.high[b] * on.base[i]) / on.low[b];
    }
}

// a_0 y_k = -S - a_k y_0
static void grow_reciprocal(rh_tape_state *state, const rh_tape_group *group, uint32_t k)
{
    const sight on = look(state, group, k);
    for (uint32_t i = 0; i < on.count; i++) {
        on.out[i] = -(on.sum[i] + on.high[on.a[i]] * on.base[i]) * on.base[i];
    }
}

static const rh_tape_group *group_of(const rh_tape *tape, uint32_t slot)
{
    const rh_tape_group *found = NULL;
    for (uint32_t g = 0; found == NULL && g < tape->group_count; g++) {
        const rh_tape_group *group = &tape->groups[g];
        found = slot >= group->first && slot - group->first < group->count ? group : NULL;
    }
    return found;
}

// Is a slot zero as long as the truths stay, as max(0, x) where x < 0? `left`: slots that may still
// be looked at.
static bool stays_zero(const rh_tape_state *state, uint32_t slot, uint32_t *left)
{
    const rh_tape_group *group =
        state->jet[slot] == 0.0 && *left > 0 ? group_of(state->tape, slot) : NULL;
    if (group == NULL) {
        return false;
    }
    --*left;
    const uint32_t i = slot - group->first;
    const double *weight = state->weight + group->weight;
    const uint32_t *a = rh__group_operands(state, group, 0);
    bool stays = false;
    switch (group->code) {
    case RH_TAPE_CHOOSE: {
        const uint32_t which = state->jet[a[i]] != 0.0 ? 0 : 1;
        return weight[which * group->count + i] == 0.0 ||
               stays_zero(state, rh__group_operands(state, group, 1 + which)[i], left);
    }
    case RH_TAPE_LINEAR:
        stays = weight[group->arity * group->count + i] == 0.0;
        for (uint32_t j = 0; stays && j < group->arity; j++) {
            stays = weight[j * group->count + i] == 0.0 ||
                    stays_zero(state, rh__group_operands(state, group, j)[i], left);
        }
        return stays;
    case RH_TAPE_MULTIPLY:
        return stays_zero(state, a[i], left) ||
               stays_zero(state, rh__group_operands(state, group, 1)[i], left);
    case RH_TAPE_POWER:
        return weight[i] > 0.0 && stays_zero(state, a[i], left);
    case RH_TAPE_SQUARE:
    case RH_TAPE_DIVIDE:
    case RH_TAPE_ROOT:
        return stays_zero(state, a[i], left);
    default:
        return false;
    }
}

// Coefficient k of a^e where a vanishes, a = a_p t^p + ...: none below order p e. From there on
// there is no series, unless p e is whole, which nobody waits for, or a stays zero. While no a_j
// but 0 is known p is larger.
static double grow_from_zero(rh_tape_state *state, uint32_t a, double e, uint32_t k)
{
    enum { MOST_SLOTS = 256 };
    uint32_t left = MOST_SLOTS;
    uint32_t p = 1;
    while (p <= k && rh__jet_row(state, p)[a] == 0.0) {
        p++;
    }
    RH_ASSERT(p > 0 && p <= k + 1);
    if (k < p * e || (p > k && e > 0.0 && stays_zero(state, a, &left))) {
        return 0.0;
    }
    state->quality.is_branched |= p <= k && isfinite(rh__jet_row(state, p)[a]);
    return NAN;
}

// 2 y_0 y_k = a_k - Q
static void grow_root(rh_tape_state *state, const rh_tape_group *group, uint32_t k)
{
    const sight on = look(state, group, k);
    for (uint32_t i = 0; i < on.count; i++) {
        on.out[i] = on.base[i] == 0.0 ? grow_from_zero(state, on.a[i], 0.5, k)
                                      : 0.5 * (on.high[on.a[i]] - on.sum[i]) / on.base[i];
    }
}

// k a_0 y_k = (e + 1) W - k S + e k a_k y_0
static void grow_power(rh_tape_state *state, const rh_tape_group *group, uint32_t k)
{
    const sight on = look(state, group, k);
    const double *exponent = state->weight + group->weight;
    for (uint32_t i = 0; i < on.count; i++) {
        const uint32_t a = on.a[i];
        if (on.base[i] == 0.0 && on.low[a] <= 0.0) {
            on.out[i] = grow_from_zero(state, a, exponent[i], k);
            continue;
        }
        on.out[i] = ((exponent[i] + 1.0) * on.sum[i] / on.k - on.other[i] +
                     exponent[i] * on.high[a] * on.base[i]) /
                    on.low[a];
    }
}

// k y_k = W + k a_k y_0
static void grow_exp(rh_tape_state *state, const rh_tape_group *group, uint32_t k)
{
    const sight on = look(state, group, k);
    for (uint32_t i = 0; i < on.count; i++) {
        on.out[i] = on.sum[i] / on.k + on.high[on.a[i]] * on.base[i];
    }
}

// k s_k = W(a, c) + k a_k c_0,  k c_k = -W(a, s) - k a_k s_0
static void grow_sincos(rh_tape_state *state, const rh_tape_group *group, uint32_t k)
{
    const sight on = look(state, group, k);
    const uint32_t n = on.count;
    for (uint32_t i = 0; i < n; i++) {
        const double a = on.high[on.a[i]];
        on.out[i] = on.sum[i] / on.k + a * on.base[n + i];
        on.out[n + i] = -(on.sum[n + i] / on.k + a * on.base[i]);
    }
}

static void grow_sinhcosh(rh_tape_state *state, const rh_tape_group *group, uint32_t k)
{
    const sight on = look(state, group, k);
    const uint32_t n = on.count;
    for (uint32_t i = 0; i < n; i++) {
        const double a = on.high[on.a[i]];
        on.out[i] = on.sum[i] / on.k + a * on.base[n + i];
        on.out[n + i] = on.sum[n + i] / on.k + a * on.base[i];
    }
}

// k y_k = W(a, w) + k a_k w_0,  w_k = -Q(y) - 2 y_0 y_k
static void grow_tanh(rh_tape_state *state, const rh_tape_group *group, uint32_t k)
{
    const sight on = look(state, group, k);
    const uint32_t n = on.count;
    for (uint32_t i = 0; i < n; i++) {
        on.out[i] = on.sum[i] / on.k + on.high[on.a[i]] * on.base[n + i];
        on.out[n + i] = -(on.other[i] + 2.0 * on.base[i] * on.out[i]);
    }
}

// b_0 y_k = +-a_k - W(y, b) / k
static void grow_primitive(rh_tape_state *state, const rh_tape_group *group, uint32_t k)
{
    RH_ASSERT(RH_TAPE_LOG <= group->code && group->code <= RH_TAPE_ATAN && group->arity == 2);
    const sight on = look(state, group, k);
    const double sign = group->code == RH_TAPE_ACOS ? -1.0 : 1.0;
    for (uint32_t i = 0; i < on.count; i++) {
        on.out[i] = (sign * on.high[on.a[i]] - on.sum[i] / on.k) / on.low[on.b[i]];
    }
}

// c_0 y_k = (W(a, b) - W(b, a) - W(y, c)) / k + a_k b_0 - b_k a_0
static void grow_angle(rh_tape_state *state, const rh_tape_group *group, uint32_t k)
{
    RH_ASSERT(group->code == RH_TAPE_ANGLE && group->arity == 3);
    const sight on = look(state, group, k);
    const uint32_t *b = rh__group_operands(state, group, 1);
    const uint32_t n = on.count;
    for (uint32_t i = 0; i < n; i++) {
        const double past = on.sum[i] - on.sum[n + i] - on.sum[2 * n + i];
        const double now = on.high[on.a[i]] * on.low[b[i]] - on.high[b[i]] * on.low[on.a[i]];
        on.out[i] = (past / on.k + now) / on.low[on.b[i]];
    }
}

// Truths do not change.
static void grow_truth(rh_tape_state *state, const rh_tape_group *group, uint32_t k)
{
    memset(rh__jet_row(state, k) + group->first, 0, group->count * sizeof(double));
}

// K_0 z_k = b_k - sum_{j=1..k} K_j z_{k-j}
static void grow_solve(rh_tape_state *state, const rh_tape_group *group, uint32_t k)
{
    double *high = rh__jet_row(state, k);
    for (uint32_t i = 0; i < group->count; i++) {
        const rh_tape_block *block = &state->tape->blocks[group->operand + i];
        rh__products_finish(state, block->sums, k);
        rh__block_grow(state, group->operand + i, high);
    }
}

static rh_kernel *const KERNELS[RH_TAPE_CODE_COUNT] = {[RH_TAPE_LINEAR] = grow_linear,
                                                       [RH_TAPE_MULTIPLY] = grow_multiply,
                                                       [RH_TAPE_SQUARE] = grow_square,
                                                       [RH_TAPE_DIVIDE] = grow_divide,
                                                       [RH_TAPE_RECIPROCAL] = grow_reciprocal,
                                                       [RH_TAPE_ROOT] = grow_root,
                                                       [RH_TAPE_POWER] = grow_power,
                                                       [RH_TAPE_EXP] = grow_exp,
                                                       [RH_TAPE_SINCOS] = grow_sincos,
                                                       [RH_TAPE_SINHCOSH] = grow_sinhcosh,
                                                       [RH_TAPE_TANH] = grow_tanh,
                                                       [RH_TAPE_LOG] = grow_primitive,
                                                       [RH_TAPE_ASIN] = grow_primitive,
                                                       [RH_TAPE_ACOS] = grow_primitive,
                                                       [RH_TAPE_ATAN] = grow_primitive,
                                                       [RH_TAPE_ANGLE] = grow_angle,
                                                       [RH_TAPE_SWITCH] = grow_truth,
                                                       [RH_TAPE_AND] = grow_truth,
                                                       [RH_TAPE_OR] = grow_truth,
                                                       [RH_TAPE_NOT] = grow_truth,
                                                       [RH_TAPE_WITHIN] = grow_truth,
                                                       [RH_TAPE_NEAR] = rh__group_near,
                                                       [RH_TAPE_CHOOSE] = rh__group_choose,
                                                       [RH_TAPE_SOLVE] = grow_solve};

void rh__jet_order(rh_tape_state *state, uint32_t k)
{
    RH_ASSERT(k <= state->order);
    if (k == 0) {
        rh__tape_run(state);
        return;
    }
    const rh_tape *tape = state->tape;
    rh__feed_fill(state, k);
    rh__convolve_all(state, k);
    for (uint32_t g = 0; g < tape->group_count; g++) {
        KERNELS[tape->groups[g].code](state, &tape->groups[g], k);
    }
}
