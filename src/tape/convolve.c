// SPDX-License-Identifier: Apache-2.0
// The flat loops: sums over finished orders, and linear combinations. Eight operations whose
// operands lie side by side run together; the compiler makes a version for each width of registers,
// and the machine picks one when the program starts. Every sum is taken in the same order in all of
// them, and nothing is fused, so they give the same bits.

#include "tape/kernel.h"

#include <string.h>

enum { PAIRS = 4 }; // series that are followed together where they do not lie side by side

typedef double lanes __attribute__((vector_size(RH_TAPE_LANES * sizeof(double))));

#define LOAD(vector, address) memcpy(&(vector), (address), sizeof(vector))
#define KEEP(vector, address) memcpy((address), &(vector), sizeof(vector))

// --- products --------------------------------------------------------------------------------

// sum of x_j y_{k-j}, j ascending
RH_WIDE static void sum_products(const rh_tape_state *state, uint32_t k, double *out)
{
    RH_ASSERT(0 < k && k <= state->order);
    const rh_tape_pairs *pairs = &state->tape->products;
    const size_t stride = state->stride;
    const double *jet = state->jet;
    uint32_t i = 0;
    while (i < pairs->count) {
        const bool is_whole = i % RH_TAPE_LANES == 0 && i + RH_TAPE_LANES <= pairs->count;
        if (is_whole && pairs->is_run[i / RH_TAPE_LANES]) {
            lanes sum = {0};
            for (uint32_t j = 1; j < k; j++) {
                lanes x;
                lanes y;
                LOAD(x, jet + j * stride + pairs->left[i]);
                LOAD(y, jet + (k - j) * stride + pairs->right[i]);
                sum += x * y;
            }
            KEEP(sum, out + i);
            i += RH_TAPE_LANES;
        } else if (i + PAIRS <= pairs->count) {
            double sum[PAIRS] = {0};
            const double *x0 = jet + pairs->left[i], *y0 = jet + pairs->right[i];
            const double *x1 = jet + pairs->left[i + 1], *y1 = jet + pairs->right[i + 1];
            const double *x2 = jet + pairs->left[i + 2], *y2 = jet + pairs->right[i + 2];
            const double *x3 = jet + pairs->left[i + 3], *y3 = jet + pairs->right[i + 3];
            for (size_t up = stride, down = (k - 1) * stride; down > 0;
                 up += stride, down -= stride) {
                sum[0] += x0[up] * y0[down];
                sum[1] += x1[up] * y1[down];
                sum[2] += x2[up] * y2[down];
                sum[3] += x3[up] * y3[down];
            }
            memcpy(out + i, sum, sizeof sum);
            i += PAIRS;
        } else {
            const double *x = jet + pairs->left[i];
            const double *y = jet + pairs->right[i];
            double sum = 0.0;
            for (uint32_t j = 1; j < k; j++) {
                sum += x[j * stride] * y[(k - j) * stride];
            }
            out[i++] = sum;
        }
    }
}

RH_WIDE static void finish_products(rh_tape_state *state, rh_range sums, uint32_t k)
{
    RH_ASSERT(sums.first + sums.count <= state->tape->products.count);
    const rh_tape_pairs *pairs = &state->tape->products;
    const double *low = state->jet;
    const double *high = rh__jet_row(state, k);
    uint32_t i = sums.first;
    const uint32_t end = sums.first + sums.count;
    while (i < end) {
        if (i % RH_TAPE_LANES == 0 && i + RH_TAPE_LANES <= end &&
            pairs->is_run[i / RH_TAPE_LANES]) {
            lanes x;
            lanes y;
            lanes sum;
            LOAD(x, high + pairs->left[i]);
            LOAD(y, low + pairs->right[i]);
            LOAD(sum, state->sums + i);
            sum += x * y;
            KEEP(sum, state->sums + i);
            i += RH_TAPE_LANES;
        } else {
            state->sums[i] += high[pairs->left[i]] * low[pairs->right[i]];
            i++;
        }
    }
}

void rh__products_finish(rh_tape_state *state, rh_range sums, uint32_t k)
{
    finish_products(state, sums, k);
}

// --- squares ---------------------------------------------------------------------------------

// 2 (x_1 x_{k-1} + ...) + x_{k/2}^2
RH_WIDE static void sum_squares(const rh_tape_state *state, uint32_t k, double *out)
{
    RH_ASSERT(0 < k && k <= state->order);
    const rh_tape_pairs *pairs = &state->tape->squares;
    const size_t stride = state->stride;
    const double *jet = state->jet;
    const size_t middle = k % 2 == 0 ? k / 2 * stride : 0;
    uint32_t i = 0;
    while (i < pairs->count) {
        const bool is_whole = i % RH_TAPE_LANES == 0 && i + RH_TAPE_LANES <= pairs->count;
        if (is_whole && pairs->is_run[i / RH_TAPE_LANES]) {
            const double *x = jet + pairs->left[i];
            lanes sum = {0};
            lanes a;
            lanes b;
            for (uint32_t j = 1; 2 * j < k; j++) {
                LOAD(a, x + j * stride);
                LOAD(b, x + (k - j) * stride);
                sum += a * b;
            }
            sum += sum;
            if (middle > 0) {
                LOAD(a, x + middle);
                sum += a * a;
            }
            KEEP(sum, out + i);
            i += RH_TAPE_LANES;
        } else {
            const double *x = jet + pairs->left[i];
            double sum = 0.0;
            for (uint32_t j = 1; 2 * j < k; j++) {
                sum += x[j * stride] * x[(k - j) * stride];
            }
            sum += sum;
            out[i++] = middle > 0 ? sum + x[middle] * x[middle] : sum;
        }
    }
}

// --- moments ---------------------------------------------------------------------------------

// sum of j x_j y_{k-j}, j ascending
RH_WIDE static void sum_moments(const rh_tape_state *state, uint32_t k, double *out)
{
    RH_ASSERT(0 < k && k <= state->order);
    const rh_tape_pairs *pairs = &state->tape->moments;
    const size_t stride = state->stride;
    const double *jet = state->jet;
    uint32_t i = 0;
    while (i < pairs->count) {
        const bool is_whole = i % RH_TAPE_LANES == 0 && i + RH_TAPE_LANES <= pairs->count;
        if (is_whole && pairs->is_run[i / RH_TAPE_LANES]) {
            lanes sum = {0};
            for (uint32_t j = 1; j < k; j++) {
                lanes x;
                lanes y;
                LOAD(x, jet + j * stride + pairs->left[i]);
                LOAD(y, jet + (k - j) * stride + pairs->right[i]);
                sum += (double)j * x * y;
            }
            KEEP(sum, out + i);
            i += RH_TAPE_LANES;
        } else if (i + 2 <= pairs->count) {
            const double *x0 = jet + pairs->left[i], *y0 = jet + pairs->right[i];
            const double *x1 = jet + pairs->left[i + 1], *y1 = jet + pairs->right[i + 1];
            double sum[2] = {0};
            for (uint32_t j = 1; j < k; j++) {
                sum[0] += (double)j * x0[j * stride] * y0[(k - j) * stride];
                sum[1] += (double)j * x1[j * stride] * y1[(k - j) * stride];
            }
            memcpy(out + i, sum, sizeof sum);
            i += 2;
        } else {
            const double *x = jet + pairs->left[i];
            const double *y = jet + pairs->right[i];
            double sum = 0.0;
            for (uint32_t j = 1; j < k; j++) {
                sum += (double)j * x[j * stride] * y[(k - j) * stride];
            }
            out[i++] = sum;
        }
    }
}

void rh__convolve_all(rh_tape_state *state, uint32_t k)
{
    const rh_tape *tape = state->tape;
    sum_products(state, k, state->sums);
    sum_squares(state, k, state->sums + tape->products.count);
    sum_moments(state, k, state->sums + tape->products.count + tape->squares.count);
}

// --- linear combinations -----------------------------------------------------------------------

RH_WIDE static void combine(rh_tape_state *state, const rh_tape_group *group, uint32_t k,
                            const double *bias)
{
    const double *x = rh__jet_row(state, k);
    double *out = rh__jet_row(state, k) + group->first;
    const uint32_t *operand = rh__group_operands(state, group, 0);
    const double *weight = state->weight + group->weight;
    const uint32_t count = group->count;
    const size_t terms = (size_t)group->arity * count;
    const uint32_t chunks = count / RH_TAPE_LANES;
    for (uint32_t c = 0; c < chunks; c++) {
        const bool *is_run = state->tape->chunks + group->chunk + c;
        const uint32_t i = c * RH_TAPE_LANES;
        lanes sum = {0};
        if (bias != NULL) {
            LOAD(sum, bias + i);
        }
        for (size_t t = i; t < terms; t += count, is_run += chunks) {
            lanes a;
            lanes w;
            LOAD(w, weight + t);
            if (*is_run) {
                LOAD(a, x + operand[t]);
            } else {
                for (uint32_t l = 0; l < RH_TAPE_LANES; l++) {
                    a[l] = x[operand[t + l]];
                }
            }
            sum += w * a;
        }
        KEEP(sum, out + i);
    }
    for (uint32_t i = chunks * RH_TAPE_LANES; i < count; i++) {
        double sum = bias != NULL ? bias[i] : 0.0;
        for (size_t t = i; t < terms; t += count) {
            sum += weight[t] * x[operand[t]];
        }
        out[i] = sum;
    }
}

// The versions of a function for several machines are not hidden by the linker: only static ones
// are.
void rh__group_linear(rh_tape_state *state, const rh_tape_group *group, uint32_t k,
                      const double *bias)
{
    combine(state, group, k, bias);
}
