// SPDX-License-Identifier: Apache-2.0
// What rounding may have done to the values of slots: of the inputs the last digit, of an operation
// what its operands bring, to first order, and the rounding of its own. An entry like x^2 + y^2 - 1
// is then seen to be nothing, however small it is beside others.

#include "tape/kernel.h"
#include "tape/pivot.h"

#include <float.h>
#include <math.h>
#include <string.h>

#define LAST DBL_EPSILON
#define SOLVED (64 * DBL_EPSILON) // of the unknowns of blocks before

// The noise of y = f(a, b).
static double noise_of_one(rh_tape_code code, double y, double a, double b, double da, double db)
{
    switch (code) {
    case RH_TAPE_MULTIPLY:
        return (a == 0.0 && da == 0.0) || (b == 0.0 && db == 0.0) ? 0.0
                                                                  : fabs(a) * db + fabs(b) * da;
    case RH_TAPE_SQUARE:
        return 2.0 * fabs(a) * da;
    case RH_TAPE_DIVIDE:
        return (da + fabs(y) * db) / fabs(b);
    case RH_TAPE_RECIPROCAL:
        return y * y * da;
    case RH_TAPE_ROOT:
        return y > 0.0 ? 0.5 * da / y : sqrt(da);
    case RH_TAPE_EXP:
        return y * da;
    case RH_TAPE_LOG:
        return da / fabs(a);
    case RH_TAPE_ASIN:
    case RH_TAPE_ACOS:
        return da / sqrt(fmax(1.0 - a * a, LAST));
    case RH_TAPE_ATAN:
        return da / (1.0 + a * a);
    case RH_TAPE_ANGLE:
        return (fabs(b) * da + fabs(a) * db) / (a * a + b * b);
    case RH_TAPE_NEAR:
        return da;
    default:
        return 0.0; // truths
    }
}

static void pass_simple(const rh_tape_state *state, const rh_tape_group *group, double *noise)
{
    RH_ASSERT(group->arity > 0);
    const uint32_t *first = rh__group_operands(state, group, 0);
    const uint32_t *last =
        rh__group_operands(state, group, group->arity > 1 && group->code != RH_TAPE_NEAR ? 1 : 0);
    for (uint32_t i = 0; i < group->count; i++) {
        const double y = state->jet[group->first + i];
        noise[group->first + i] =
            LAST * fabs(y) + noise_of_one(group->code, y, state->jet[first[i]], state->jet[last[i]],
                                          noise[first[i]], noise[last[i]]);
    }
}

static void pass_linear(const rh_tape_state *state, const rh_tape_group *group, double *noise)
{
    const double *weight = state->weight + group->weight;
    for (uint32_t i = 0; i < group->count; i++) {
        double sum = LAST * fabs(weight[(size_t)group->arity * group->count + i]);
        for (uint32_t j = 0; j < group->arity; j++) {
            const uint32_t slot = rh__group_operands(state, group, j)[i];
            const double factor = fabs(weight[(size_t)j * group->count + i]);
            sum += factor == 0.0 ? 0.0 : factor * (noise[slot] + LAST * fabs(state->jet[slot]));
        }
        noise[group->first + i] = sum;
    }
}

static void pass_power(const rh_tape_state *state, const rh_tape_group *group, double *noise)
{
    const uint32_t *a = rh__group_operands(state, group, 0);
    const double *exponent = state->weight + group->weight;
    for (uint32_t i = 0; i < group->count; i++) {
        const double y = state->jet[group->first + i];
        const double base = fabs(state->jet[a[i]]);
        const double own = noise[a[i]];
        noise[group->first + i] = LAST * fabs(y) + (base > own ? fabs(exponent[i] * y) * own / base
                                                               : pow(own, exponent[i]));
    }
}

// Two outputs, each of which is the slope of the other up to its sign; of tanh and 1 - tanh^2 the
// second is the slope of the first.
static void pass_pair(const rh_tape_state *state, const rh_tape_group *group, double *noise)
{
    const uint32_t *a = rh__group_operands(state, group, 0);
    const bool is_tanh = group->code == RH_TAPE_TANH;
    for (uint32_t i = 0; i < group->count; i++) {
        const uint32_t one = group->first + i;
        const uint32_t two = one + group->count;
        const double y = fabs(state->jet[one]);
        const double z = fabs(state->jet[two]);
        noise[one] = z * noise[a[i]] + LAST * y;
        noise[two] = (is_tanh ? 2.0 * y * z : y) * noise[a[i]] + LAST * (is_tanh ? 1.0 : z);
    }
}

static void pass_choose(const rh_tape_state *state, const rh_tape_group *group, double *noise)
{
    const uint32_t *truth = rh__group_operands(state, group, 0);
    const double *weight = state->weight + group->weight;
    for (uint32_t i = 0; i < group->count; i++) {
        const bool is_true = state->jet[truth[i]] != 0.0;
        const uint32_t slot = rh__group_operands(state, group, is_true ? 1 : 2)[i];
        noise[group->first + i] = fabs(weight[is_true ? i : group->count + i]) *
                                  (noise[slot] + LAST * fabs(state->jet[slot]));
    }
}

static void pass_solve(const rh_tape_state *state, const rh_tape_group *group, double *noise)
{
    for (uint32_t i = 0; i < group->count; i++) {
        const rh_tape_block *block = &state->tape->blocks[group->operand + i];
        for (uint32_t k = 0; k < block->n; k++) {
            noise[block->first + k] = SOLVED * fabs(state->jet[block->first + k]);
        }
    }
}

static void pass(const rh_tape_state *state, const rh_tape_group *group, double *noise)
{
    switch (group->code) {
    case RH_TAPE_LINEAR:
        pass_linear(state, group, noise);
        return;
    case RH_TAPE_POWER:
        pass_power(state, group, noise);
        return;
    case RH_TAPE_SINCOS:
    case RH_TAPE_SINHCOSH:
    case RH_TAPE_TANH:
        pass_pair(state, group, noise);
        return;
    case RH_TAPE_CHOOSE:
        pass_choose(state, group, noise);
        return;
    case RH_TAPE_SOLVE:
        pass_solve(state, group, noise);
        return;
    default:
        pass_simple(state, group, noise);
    }
}

static bool holds_block(const rh_tape_group *group, uint32_t index)
{
    return group->code == RH_TAPE_SOLVE && index >= group->operand &&
           index - group->operand < group->count;
}

// Of all slots, or of those before the groups that hold a block.
static void pass_all(const rh_tape_state *state, uint32_t block, double *noise)
{
    const rh_tape *tape = state->tape;
    for (uint32_t k = 0; k < tape->input_count; k++) {
        noise[k] = LAST * fabs(state->jet[k]);
    }
    for (uint32_t g = 0; g < tape->group_count && !holds_block(&tape->groups[g], block); g++) {
        pass(state, &tape->groups[g], noise);
    }
}

void rh__tape_noise(const rh_tape_state *state, double *noise)
{
    pass_all(state, UINT32_MAX, noise);
}

// --- with errors of the inputs -------------------------------------------------------------------

enum { SIGNS = 2 };

// A product with something that is zero and exact is exact, whatever its other factor is.
static double times(double error, double factor)
{
    return error == 0.0 ? 0.0 : error * fabs(factor);
}

// What each row of K z = b may be off by, with z as it was found.
static void bound_rows(const rh_tape_state *state, const rh_tape_block *block, const double *bound,
                       double *row)
{
    const double *weight = state->weight + block->weight;
    const double *right = weight + block->entry_count;
    const double *z = state->jet + block->first;
    for (uint32_t k = 0; k < block->n; k++) {
        const uint32_t slot = block->right[k].slot;
        row[k] = slot == RH_SLOT_NONE
                     ? LAST * fabs(right[k])
                     : times(bound[slot], right[k]) + LAST * fabs(right[k] * state->jet[slot]);
    }
    for (uint32_t k = 0; k < block->entry_count; k++) {
        const rh_tape_entry *entry = &block->entries[k];
        const uint32_t slot = entry->value.slot;
        const double value = weight[k] * (slot == RH_SLOT_NONE ? 1.0 : state->jet[slot]);
        const double error = slot == RH_SLOT_NONE ? 0.0 : times(bound[slot], weight[k]);
        row[entry->row] += times(error, z[entry->column]) + LAST * fabs(value * z[entry->column]);
    }
}

// Of the unknowns an estimate: solutions for some choices of signs of the errors of rows; and what
// is off in the row that an unknown is computed from, though other rows hold it where it is.
static void bound_block(rh_tape_state *state, uint32_t index, double *bound, double *work)
{
    RH_ASSERT(work >= bound + state->tape->slot_count); // behind the bounds
    const rh_tape_block *block = &state->tape->blocks[index];
    double *out = bound + block->first;
    double *row = work;
    double *solution = work + block->n;
    bound_rows(state, block, bound, row);
    memset(out, 0, block->n * sizeof *out);
    for (uint32_t k = 0; k < block->entry_count; k++) {
        const rh_tape_entry *entry = &block->entries[k];
        const uint32_t slot = entry->value.slot;
        const double value =
            (state->weight + block->weight)[k] * (slot == RH_SLOT_NONE ? 1.0 : state->jet[slot]);
        if (entry->row == entry->column && value != 0.0) {
            out[entry->row] = fmax(out[entry->row], row[entry->row] / fabs(value));
        }
    }
    for (uint32_t pass = 0; pass < SIGNS; pass++) {
        for (uint32_t k = 0; k < block->n; k++) {
            const bool is_turned = ((k >> pass) ^ (k * 5 >> 2)) & 1;
            solution[k] = is_turned ? -row[k] : row[k];
        }
        rh__block_solve(state, index, solution);
        for (uint32_t k = 0; k < block->n; k++) {
            out[k] = fmax(out[k], fabs(solution[k]));
        }
    }
}

double rh__tape_bound_of_row(const rh_tape_state *state, const double *bounds, uint32_t hold)
{
    double sum = 0.0;
    for (uint32_t b = 0; b < state->tape->block_count; b++) {
        const rh_tape_block *block = &state->tape->blocks[b];
        const double *weight = state->weight + block->weight;
        const double *right = weight + block->entry_count;
        for (uint32_t k = 0; k < block->n; k++) {
            const uint32_t slot = block->right[k].slot;
            if (block->hold[k] == hold) {
                sum += slot == RH_SLOT_NONE ? LAST * fabs(right[k])
                                            : times(bounds[slot], right[k]) +
                                                  LAST * fabs(right[k] * state->jet[slot]);
            }
        }
        for (uint32_t k = 0; k < block->entry_count; k++) {
            const rh_tape_entry *entry = &block->entries[k];
            const uint32_t slot = entry->value.slot;
            const double value = weight[k] * (slot == RH_SLOT_NONE ? 1.0 : state->jet[slot]);
            const double error = slot == RH_SLOT_NONE ? 0.0 : times(bounds[slot], weight[k]);
            const uint32_t z = block->first + entry->column;
            if (block->hold[entry->row] == hold) {
                sum += times(error, state->jet[z]) + times(bounds[z], value) +
                       LAST * fabs(value * state->jet[z]);
            }
        }
    }
    return sum;
}

size_t rh__tape_bounds_room(const rh_tape *tape)
{
    return (size_t)tape->slot_count + 2 * (size_t)tape->unknown_count + 1;
}

void rh__tape_bounds(rh_tape_state *state, double *bounds)
{
    const rh_tape *tape = state->tape;
    rh_series_kernel *point = state->point;
    state->point = NULL; // compiled text leaves slots out
    rh__tape_run(state);
    state->point = point;
    for (uint32_t g = 0; g < tape->group_count; g++) {
        const rh_tape_group *group = &tape->groups[g];
        if (group->code != RH_TAPE_SOLVE) {
            pass(state, group, bounds);
        }
        for (uint32_t i = 0; group->code == RH_TAPE_SOLVE && i < group->count; i++) {
            bound_block(state, group->operand + i, bounds, bounds + tape->slot_count);
        }
    }
}

rh_status rh__block_noise(rh_tape_state *state, uint32_t index, double *out, double *right)
{
    const rh_tape *tape = state->tape;
    const rh_tape_block *block = &tape->blocks[index];
    const rh_block_state *it = &state->blocks[index];
    const double *weight = state->weight + block->weight;
    const size_t n = block->n;
    double *noise = rh__arena_array(&state->rescue, double, (size_t)tape->slot_count + 1);
    if (noise == NULL) {
        return state->rescue.status;
    }
    pass_all(state, index, noise);
    memset(out, 0, n * n * sizeof *out);
    for (uint32_t k = 0; k < n; k++) {
        const uint32_t slot = block->right[k].slot;
        const double part =
            slot == RH_SLOT_NONE ? 0.0 : fabs(weight[block->entry_count + k]) * noise[slot];
        right[k] = isfinite(part) ? part : 0.0;
    }
    for (uint32_t k = 0; k < block->entry_count; k++) {
        const rh_tape_entry *entry = &block->entries[k];
        const uint32_t slot = entry->value.slot;
        if (slot != RH_SLOT_NONE && (it->is_released == NULL || !it->is_released[entry->row])) {
            const double part = fabs(weight[k]) * noise[slot];
            out[entry->row + n * entry->column] += isfinite(part) ? part : fabs(it->values[k]);
        }
    }
    return RH_OK;
}
