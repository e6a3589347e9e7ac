// SPDX-License-Identifier: Apache-2.0
// How regular the linear systems of a tape are, whatever their units: rows and columns are scaled
// until all have the same sum of absolute values, a scaling that is unique (Sinkhorn and Knopp
// 1967), and the reciprocal condition is that of the scaled matrix.

#include "steady/steady.h"

#include <math.h>

enum { SWEEPS = 60, LARGEST = 300 };
#define EVEN 1e-2 // of sums: they are equal

// Divide rows or columns by their sums; hands back the largest change.
static double divide(uint32_t n, double *a, size_t along, size_t across)
{
    double change = 0.0;
    for (uint32_t i = 0; i < n; i++) {
        double sum = 0.0;
        for (uint32_t j = 0; j < n; j++) {
            sum += fabs(a[i * along + j * across]);
        }
        for (uint32_t j = 0; sum > 0.0 && j < n; j++) {
            a[i * along + j * across] /= sum;
        }
        change = fmax(change, sum > 0.0 ? fabs(log(sum)) : 0.0);
    }
    return change;
}

static rh_status find_condition(rh_arena *arena, uint32_t n, double *a, double *out)
{
    rh_lu lu;
    double change = INFINITY;
    for (uint32_t k = 0; k < SWEEPS && change > EVEN; k++) {
        change = divide(n, a, 1, n);
        change = fmax(change, divide(n, a, n, 1));
    }
    RH_TRY(rh__lu_create(arena, n, a, &lu));
    *out = lu.rcond;
    return RH_OK;
}

rh_status rh__regular_measure(const rh_tape_state *state, rh_arena *arena, double *out)
{
    const rh_tape *tape = state->tape;
    for (uint32_t b = 0; b < tape->block_count; b++) {
        const rh_tape_block *block = &tape->blocks[b];
        const size_t n = block->n;
        if (block->factor != b || n == 0 || n > LARGEST) {
            continue;
        }
        const rh_mark mark = rh__arena_mark(arena);
        double condition = 0.0;
        double *a = rh__arena_array(arena, double, n *n);
        RH_TRY(a == NULL ? arena->status : RH_OK);
        for (uint32_t k = 0; k < block->entry_count; k++) {
            const rh_tape_entry *entry = &block->entries[k];
            a[entry->row + entry->column * n] +=
                state->weight[block->weight + k] *
                (entry->value.slot == RH_SLOT_NONE ? 1.0 : state->jet[entry->value.slot]);
        }
        RH_TRY(find_condition(arena, block->n, a, &condition));
        rh__arena_rewind(arena, mark);
        *out = fmin(*out, condition);
    }
    return RH_OK;
}
