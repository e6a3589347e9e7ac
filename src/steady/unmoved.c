// SPDX-License-Identifier: Apache-2.0
// Rates that vanish identically, by algebra: what the tape computes of them is rounding, and
// rounding has a rank. B11 omega' = right is zero in all rows that hang together through B11 when
// their right sides are.

#include "steady/choice.h"

static bool is_moved(const rh_form *form, const bool *moves, uint32_t row)
{
    for (uint32_t k = form->matrix.begin[row]; k < form->matrix.begin[row + 1]; k++) {
        const rh_entry *entry = &form->matrix.entries.data[k];
        if (entry->column < form->matrix.rows && moves[entry->column]) {
            return true;
        }
    }
    return false;
}

// By row of the closed form: something drives it, or a row that hangs together with it.
static void find_moves(const rh_equations *equations, const rh_form *form, bool *moves)
{
    const uint32_t rows = form->matrix.rows;
    for (uint32_t k = 0; k < rows; k++) {
        moves[k] =
            !rh__expr_is_zero(equations->store, form->right[k]) &&
            (equations->folder == NULL || !rh__folder_is_zero(equations->folder, form->right[k]));
    }
    for (bool grows = true; grows;) {
        grows = false;
        for (uint32_t k = 0; k < rows; k++) {
            if (!moves[k] && is_moved(form, moves, k)) {
                moves[k] = grows = true;
            }
        }
    }
}

rh_status rh__reduction_still(rh_reduction *reduction, const rh_engine *closed, rh_arena *scratch)
{
    const rh_form *form = &closed->form;
    const uint32_t count = closed->velocities.count;
    if (form->matrix.rows != form->unknowns.count || form->matrix.rows < count) {
        return RH_OK;
    }
    bool *moves = rh__arena_array(scratch, bool, (size_t)form->matrix.rows + 1);
    reduction->still = rh__arena_array(&reduction->arena, uint32_t, (size_t)count + 1);
    if (moves == NULL || reduction->still == NULL) {
        return RH_E_MEMORY;
    }
    find_moves(reduction->equations, form, moves);
    for (uint32_t k = 0; k < count; k++) {
        if (!moves[k]) {
            reduction->still[reduction->still_count++] = closed->velocities.first + k;
        }
    }
    return RH_OK;
}
