// SPDX-License-Identifier: Apache-2.0
// Plain values: coefficient 0 of every slot, group after group. The order of summation is that of
// the terms.

#include "tape/kernel.h"

#include <math.h>

static void run_linear(rh_tape_state *state, const rh_tape_group *group, uint32_t k)
{
    rh__group_linear(state, group, k,
                     state->weight + group->weight + (size_t)group->arity * group->count);
}

// The same with the rounding of all products and sums added at the end (Ogita, Rump, Oishi 2005):
// what is left of terms that cancel is right to its last digit. Where the same terms stand in
// several rates with other signs, as those of reactions do, what they conserve is conserved.
static void run_linear_exactly(rh_tape_state *state, const rh_tape_group *group)
{
    const double *weight = state->weight + group->weight;
    for (uint32_t i = 0; i < group->count; i++) {
        double sum = weight[(size_t)group->arity * group->count + i];
        double rest = 0.0;
        for (uint32_t j = 0; j < group->arity; j++) {
            const double w = weight[(size_t)j * group->count + i];
            const double x = state->jet[rh__group_operands(state, group, j)[i]];
            const double product = w * x;
            const double total = sum + product;
            const double part = total - sum;
            rest += fma(w, x, -product) + ((sum - (total - part)) + (product - part));
            sum = total;
        }
        state->jet[group->first + i] = isfinite(rest) ? sum + rest : sum;
    }
}

/// Define a kernel of order 0 with operands a, b, c and output y.
#define RH_VALUE_KERNEL(name, expression)                                                          \
    static void name(rh_tape_state *state, const rh_tape_group *group, uint32_t k)                 \
    {                                                                                              \
        (void)k;                                                                                   \
        const double *x = state->jet;                                                              \
        double *out = state->jet + group->first;                                                   \
        const uint32_t *first = rh__group_operands(state, group, 0);                               \
        const uint32_t *last = rh__group_operands(state, group, group->arity - 1);                 \
        for (uint32_t i = 0; i < group->count; i++) {                                              \
            const double a = x[first[i]];                                                          \
            const double b = x[last[i]];                                                           \
            (void)a;                                                                               \
            (void)b;                                                                               \
            out[i] = (expression);                                                                 \
        }                                                                                          \
    }

RH_VALUE_KERNEL(run_multiply, a *b)
RH_VALUE_KERNEL(run_square, a *a)
RH_VALUE_KERNEL(run_divide, a / b)
RH_VALUE_KERNEL(run_reciprocal, 1.0 / a)
// Where a motion passes the zero of a base, at a surface, rounding may put it on the wrong side.
static double base_of(const rh_tape_state *state, double a)
{
    return a < 0.0 && a > -RH_TAPE_SPECK && state->tape->switch_count > 0 ? 0.0 : a;
}

RH_VALUE_KERNEL(run_root, sqrt(base_of(state, a)))
RH_VALUE_KERNEL(run_exp, exp(a))
RH_VALUE_KERNEL(run_log, log(a))
RH_VALUE_KERNEL(run_asin, asin(a))
RH_VALUE_KERNEL(run_acos, acos(a))
RH_VALUE_KERNEL(run_atan, atan(a))
RH_VALUE_KERNEL(run_and, (double)(a != 0 && b != 0))
RH_VALUE_KERNEL(run_or, (double)(a != 0 || b != 0))
RH_VALUE_KERNEL(run_not, (double)(a == 0))

static void run_power(rh_tape_state *state, const rh_tape_group *group, uint32_t k)
{
    (void)k;
    const uint32_t *a = rh__group_operands(state, group, 0);
    const double *exponent = state->weight + group->weight;
    for (uint32_t i = 0; i < group->count; i++) {
        state->jet[group->first + i] = pow(base_of(state, state->jet[a[i]]), exponent[i]);
    }
}

static void run_within(rh_tape_state *state, const rh_tape_group *group, uint32_t k)
{
    (void)k;
    const uint32_t *a = rh__group_operands(state, group, 0);
    const double *radius = state->weight + group->weight;
    for (uint32_t i = 0; i < group->count; i++) {
        state->jet[group->first + i] = (double)(fabs(state->jet[a[i]]) < radius[i]);
    }
}

static void run_angle(rh_tape_state *state, const rh_tape_group *group, uint32_t k)
{
    (void)k;
    const uint32_t *a = rh__group_operands(state, group, 0);
    const uint32_t *b = rh__group_operands(state, group, 1);
    for (uint32_t i = 0; i < group->count; i++) {
        state->jet[group->first + i] = atan2(state->jet[a[i]], state->jet[b[i]]);
    }
}

static void run_sincos(rh_tape_state *state, const rh_tape_group *group, uint32_t k)
{
    (void)k;
    const uint32_t *a = rh__group_operands(state, group, 0);
    double *out = state->jet + group->first;
    for (uint32_t i = 0; i < group->count; i++) {
        const double u = state->jet[a[i]];
        out[i] = sin(u);
        out[group->count + i] = cos(u);
    }
}

static void run_sinhcosh(rh_tape_state *state, const rh_tape_group *group, uint32_t k)
{
    (void)k;
    const uint32_t *a = rh__group_operands(state, group, 0);
    double *out = state->jet + group->first;
    for (uint32_t i = 0; i < group->count; i++) {
        const double u = state->jet[a[i]];
        out[i] = sinh(u);
        out[group->count + i] = cosh(u);
    }
}

static void run_tanh(rh_tape_state *state, const rh_tape_group *group, uint32_t k)
{
    (void)k;
    const uint32_t *a = rh__group_operands(state, group, 0);
    double *out = state->jet + group->first;
    for (uint32_t i = 0; i < group->count; i++) {
        const double y = tanh(state->jet[a[i]]);
        out[i] = y;
        out[group->count + i] = 1.0 - y * y;
    }
}

// --- switches --------------------------------------------------------------------------------

static double decide(rh_switch_rule rule, double s)
{
    switch (rule) {
    case RH_SWITCH_BELOW:
        return s < 0.0;
    case RH_SWITCH_NOT_ABOVE:
        return s <= 0.0;
    case RH_SWITCH_ZERO:
        return s == 0.0;
    case RH_SWITCH_NOT_BELOW:
        return s >= 0.0;
    case RH_SWITCH_SIGN:
        return (double)((s > 0.0) - (s < 0.0));
    }
    return NAN;
}

static void run_switch(rh_tape_state *state, const rh_tape_group *group, uint32_t k)
{
    (void)k;
    for (uint32_t i = 0; i < group->count; i++) {
        const uint32_t index = group->weight + i;
        const rh_tape_switch *it = &state->tape->switches[index];
        const double forced = state->forced[index];
        RH_ASSERT(it->truth == group->first + i);
        RH_ASSERT(it->surface < it->truth);
        state->jet[it->truth] =
            forced == forced ? forced : decide(it->rule, state->jet[it->surface]);
    }
}

void rh__group_choose(rh_tape_state *state, const rh_tape_group *group, uint32_t k)
{
    const double *x = rh__jet_row(state, k);
    double *out = rh__jet_row(state, k) + group->first;
    const uint32_t *truth = rh__group_operands(state, group, 0);
    const uint32_t *yes = rh__group_operands(state, group, 1);
    const uint32_t *no = rh__group_operands(state, group, 2);
    const double *weight = state->weight + group->weight;
    for (uint32_t i = 0; i < group->count; i++) {
        out[i] = state->jet[truth[i]] != 0.0 ? weight[i] * x[yes[i]]
                                             : weight[group->count + i] * x[no[i]];
    }
}

// --- blocks ----------------------------------------------------------------------------------

static void run_solve(rh_tape_state *state, const rh_tape_group *group, uint32_t k)
{
    (void)k;
    for (uint32_t i = 0; i < group->count; i++) {
        const uint32_t index = group->operand + i;
        RH_ASSERT(state->tape->blocks[index].factor <= index);
        const rh_tape_block *block = &state->tape->blocks[index];
        const double *weight = state->weight + block->weight + block->entry_count;
        double *out = state->jet + block->first;
        for (uint32_t j = 0; j < block->n; j++) {
            const uint32_t slot = block->right[j].slot;
            out[j] = weight[j] * (slot == RH_SLOT_NONE ? 1.0 : state->jet[slot]);
        }
        if (block->factor == index) {
            rh__block_begin(state, index, out);
        } else {
            rh__block_solve(state, index, out);
        }
    }
}

// --- all -------------------------------------------------------------------------------------

static rh_kernel *const KERNELS[RH_TAPE_CODE_COUNT] = {[RH_TAPE_LINEAR] = run_linear,
                                                       [RH_TAPE_MULTIPLY] = run_multiply,
                                                       [RH_TAPE_SQUARE] = run_square,
                                                       [RH_TAPE_DIVIDE] = run_divide,
                                                       [RH_TAPE_RECIPROCAL] = run_reciprocal,
                                                       [RH_TAPE_ROOT] = run_root,
                                                       [RH_TAPE_POWER] = run_power,
                                                       [RH_TAPE_EXP] = run_exp,
                                                       [RH_TAPE_SINCOS] = run_sincos,
                                                       [RH_TAPE_SINHCOSH] = run_sinhcosh,
                                                       [RH_TAPE_TANH] = run_tanh,
                                                       [RH_TAPE_LOG] = run_log,
                                                       [RH_TAPE_ASIN] = run_asin,
                                                       [RH_TAPE_ACOS] = run_acos,
                                                       [RH_TAPE_ATAN] = run_atan,
                                                       [RH_TAPE_ANGLE] = run_angle,
                                                       [RH_TAPE_SWITCH] = run_switch,
                                                       [RH_TAPE_AND] = run_and,
                                                       [RH_TAPE_OR] = run_or,
                                                       [RH_TAPE_NOT] = run_not,
                                                       [RH_TAPE_WITHIN] = run_within,
                                                       [RH_TAPE_NEAR] = rh__group_near,
                                                       [RH_TAPE_CHOOSE] = rh__group_choose,
                                                       [RH_TAPE_SOLVE] = run_solve};

void rh__tape_run(rh_tape_state *state)
{
    const rh_tape *tape = state->tape;
    state->ready = 0;
    if (!state->is_exact && rh__point_run(state)) {
        return;
    }
    state->quality = (rh_tape_quality){.rcond = 1.0};
    state->is_defective = state->is_defective && !state->is_settled;
    rh__feed_fill(state, 0);
    for (uint32_t g = 0; g < tape->group_count; g++) {
        if (state->is_exact && tape->groups[g].code == RH_TAPE_LINEAR) {
            run_linear_exactly(state, &tape->groups[g]);
        } else {
            KERNELS[tape->groups[g].code](state, &tape->groups[g], 0);
        }
    }
}
