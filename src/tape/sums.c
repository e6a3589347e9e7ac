// SPDX-License-Identifier: Apache-2.0
// Everything of an order that reads finished orders only, listed for the whole tape: products
// (sum of x_j y_{k-j}), squares (x = y), moments (sum of j x_j y_{k-j}), in the order of the
// groups.

#include "tape/schedule.h"

#include <stdlib.h>
#include <string.h>

typedef struct listing {
    rh_scheduling *in;
    RH_ARRAY(uint32_t) left;
    RH_ARRAY(uint32_t) right;
} listing;

static bool add_pair(listing *list, uint32_t left, uint32_t right)
{
    return rh__array_push(list->in->scratch, &list->left, left) &&
           rh__array_push(list->in->scratch, &list->right, right);
}

static uint32_t operand(const rh_scheduling *in, const rh_tape_group *group, uint32_t j, uint32_t k)
{
    RH_ASSERT(j < group->arity && k < group->count);
    return in->operands.data[group->operand + j * group->count + k];
}

typedef struct shared {
    uint32_t matrix, unknown, share;
} shared;

static int compare_shared(const void *left, const void *right)
{
    const shared *a = left;
    const shared *b = right;
    const uint32_t keys[3][2] = {{a->unknown - a->matrix, b->unknown - b->matrix},
                                 {a->matrix, b->matrix},
                                 {a->share, b->share}};
    for (uint32_t k = 0; k < 3; k++) {
        if (keys[k][0] != keys[k][1]) {
            return keys[k][0] < keys[k][1] ? -1 : 1;
        }
    }
    return 0;
}

// The sums of shares, families side by side; shares of the same pair have the same sum.
static bool add_share_pairs(listing *list, rh_tape_block *block)
{
    shared *sorted = rh__arena_array(list->in->scratch, shared, (size_t)block->share_count + 1);
    if (sorted == NULL) {
        return false;
    }
    for (uint32_t k = 0; k < block->share_count; k++) {
        sorted[k] = (shared){block->shares[k].matrix, block->shares[k].unknown, k};
    }
    qsort(sorted, block->share_count, sizeof *sorted, compare_shared);
    block->sums.first = list->left.count;
    for (uint32_t k = 0; k < block->share_count; k++) {
        const bool is_new = k == 0 || sorted[k].matrix != sorted[k - 1].matrix ||
                            sorted[k].unknown != sorted[k - 1].unknown;
        if (is_new && !add_pair(list, sorted[k].matrix, sorted[k].unknown)) {
            return false;
        }
        const uint32_t sum = list->left.count - 1 - block->sums.first;
        RH_ASSERT(list->left.count > block->sums.first);
        block->shares[sorted[k].share].sum = sum;
        block->share_sum[sorted[k].share] = sum;
    }
    block->sums.count = list->left.count - block->sums.first;
    return true;
}

static bool add_products(listing *list, rh_tape_group *group)
{
    const rh_scheduling *in = list->in;
    bool ok = true;
    if (group->code == RH_TAPE_SOLVE) {
        for (uint32_t k = 0; ok && k < group->count; k++) {
            ok = add_share_pairs(list, &in->tape->blocks[group->operand + k]);
        }
        return ok;
    }
    *(group->code == RH_TAPE_POWER ? &group->other : &group->sum) = list->left.count;
    for (uint32_t k = 0; ok && k < group->count; k++) {
        const uint32_t own = group->first + k;
        switch (group->code) {
        case RH_TAPE_MULTIPLY:
            ok = add_pair(list, operand(in, group, 0, k), operand(in, group, 1, k));
            break;
        case RH_TAPE_DIVIDE:
            ok = add_pair(list, operand(in, group, 1, k), own);
            break;
        case RH_TAPE_RECIPROCAL:
        case RH_TAPE_POWER:
            ok = add_pair(list, operand(in, group, 0, k), own);
            break;
        default:
            return true;
        }
    }
    return ok;
}

static bool add_squares(listing *list, rh_tape_group *group)
{
    const rh_scheduling *in = list->in;
    bool ok = true;
    if (group->code != RH_TAPE_SQUARE && group->code != RH_TAPE_ROOT &&
        group->code != RH_TAPE_TANH) {
        return true;
    }
    *(group->code == RH_TAPE_TANH ? &group->other : &group->sum) = list->left.count;
    for (uint32_t k = 0; ok && k < group->count; k++) {
        const uint32_t it =
            group->code == RH_TAPE_SQUARE ? operand(in, group, 0, k) : group->first + k;
        ok = add_pair(list, it, it);
    }
    return ok;
}

// One moment for each pair (left, right), of which either is operand `k` or output -1 - k.
static bool add_moment(listing *list, const rh_tape_group *group, int left, int right)
{
    const rh_scheduling *in = list->in;
    bool ok = true;
    for (uint32_t k = 0; ok && k < group->count; k++) {
        const uint32_t a = left >= 0 ? operand(in, group, (uint32_t)left, k)
                                     : group->first + (uint32_t)(-1 - left) * group->count + k;
        const uint32_t b = right >= 0 ? operand(in, group, (uint32_t)right, k)
                                      : group->first + (uint32_t)(-1 - right) * group->count + k;
        ok = add_pair(list, a, b);
    }
    return ok;
}

static bool add_moments(listing *list, rh_tape_group *group)
{
    switch (group->code) {
    case RH_TAPE_POWER:
    case RH_TAPE_EXP:
        group->sum = list->left.count;
        return add_moment(list, group, 0, -1);
    case RH_TAPE_TANH:
        group->sum = list->left.count;
        return add_moment(list, group, 0, -2);
    case RH_TAPE_SINCOS:
    case RH_TAPE_SINHCOSH:
        group->sum = list->left.count;
        return add_moment(list, group, 0, -2) && add_moment(list, group, 0, -1);
    case RH_TAPE_LOG:
    case RH_TAPE_ASIN:
    case RH_TAPE_ACOS:
    case RH_TAPE_ATAN:
        group->sum = list->left.count;
        return add_moment(list, group, -1, 1);
    case RH_TAPE_ANGLE:
        group->sum = list->left.count;
        return add_moment(list, group, 0, 1) && add_moment(list, group, 1, 0) &&
               add_moment(list, group, -1, 2);
    default:
        return true;
    }
}

static bool keep_pairs(listing *list, rh_tape_pairs *out)
{
    RH_ASSERT(list->left.count == list->right.count);
    rh_arena *arena = &list->in->tape->arena;
    const size_t count = list->left.count;
    out->count = list->left.count;
    out->left = rh__arena_array(arena, uint32_t, count + 1);
    out->right = rh__arena_array(arena, uint32_t, count + 1);
    out->is_run = rh__arena_array(arena, bool, count / RH_TAPE_LANES + 1);
    if (out->left == NULL || out->right == NULL || out->is_run == NULL) {
        return false;
    }
    if (count > 0) {
        memcpy(out->left, list->left.data, count * sizeof *out->left);
        memcpy(out->right, list->right.data, count * sizeof *out->right);
    }
    for (size_t k = 0; k < count / RH_TAPE_LANES; k++) {
        out->is_run[k] = rh__schedule_is_run(out->left + k * RH_TAPE_LANES) &&
                         rh__schedule_is_run(out->right + k * RH_TAPE_LANES);
    }
    return true;
}

bool rh__schedule_sums(rh_scheduling *in)
{
    listing products = {.in = in};
    listing squares = {.in = in};
    listing moments = {.in = in};
    bool ok = true;
    for (uint32_t g = 0; ok && g < in->groups.count; g++) {
        rh_tape_group *group = &in->groups.data[g];
        ok = add_products(&products, group) && add_squares(&squares, group) &&
             add_moments(&moments, group);
    }
    rh_tape *tape = in->tape;
    ok = ok && keep_pairs(&products, &tape->products) && keep_pairs(&squares, &tape->squares) &&
         keep_pairs(&moments, &tape->moments);
    // one numbering for all: products, squares, moments
    for (uint32_t g = 0; ok && g < in->groups.count; g++) {
        rh_tape_group *group = &in->groups.data[g];
        const uint32_t squares_first = tape->products.count;
        const uint32_t moments_first = squares_first + tape->squares.count;
        if (group->code == RH_TAPE_SQUARE || group->code == RH_TAPE_ROOT) {
            group->sum += squares_first;
        } else if (group->code >= RH_TAPE_POWER && group->code <= RH_TAPE_ANGLE) {
            group->sum += moments_first;
            group->other += group->code == RH_TAPE_TANH ? squares_first : 0;
        }
    }
    return ok;
}
