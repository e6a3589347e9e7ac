// SPDX-License-Identifier: Apache-2.0
// The system of a motion, with or without presolve. Where a constraint follows from others on the
// constraints only, its row in the velocities that the presolve leaves is what the text says of
// zero: sums whose terms cancel, or what is left when such a sum is divided out. Then rounding is
// all there is of the row, and the equations are taken as they stand, where the row has a size to
// compare with.

#include "motion/motion.h"

#include <math.h>

#define ROUNDINGS 64.0 // of its terms, below which an entry is nothing

// Is an expression nothing but rounding at the start?
static rh_status is_nothing(const rh_motion *motion, rh_expr e, rh_arena *scratch, bool *out)
{
    const rh_point *point = &motion->start.point;
    double value = 0.0;
    RH_TRY(rh__point_evaluate(point, &e, 1, scratch, &value));
    const double rounding =
        rh__expr_rounding(motion->equations->store, e, rh__point_value, point, scratch);
    *out = fabs(value) <= ROUNDINGS * rounding;
    return RH_OK;
}

// Is a row of a constraint that is left?
static rh_status is_empty(const rh_motion *motion, const rh_form *form, uint32_t row,
                          rh_arena *scratch, bool *out)
{
    const uint32_t begin = form->matrix.begin[row];
    const uint32_t end = form->matrix.begin[row + 1];
    RH_ASSERT(row < form->unknowns.count && begin <= end);
    *out = begin < end;
    for (uint32_t k = begin; *out && k < end; k++) {
        RH_TRY(is_nothing(motion, form->matrix.entries.data[k].value, scratch, out));
    }
    return RH_OK;
}

static rh_status loses_rows(const rh_motion *motion, bool *out)
{
    const rh_form *form = &motion->system->form;
    rh_arena scratch = rh__arena_begin(motion->arena.allocator, motion->arena.limit);
    rh_status status = RH_OK;
    *out = false;
    for (uint32_t k = 0; status == RH_OK && !*out && k < form->unknowns.count; k++) {
        const rh_mark mark = rh__arena_mark(&scratch);
        status = form->link_of[k] == 0 ? RH_OK : is_empty(motion, form, k, &scratch, out);
        rh__arena_rewind(&scratch, mark);
    }
    for (uint32_t k = 0; status == RH_OK && !*out && k < form->pivots.count; k++) {
        const rh_mark mark = rh__arena_mark(&scratch);
        status = is_nothing(motion, form->pivots.data[k], &scratch, out);
        rh__arena_rewind(&scratch, mark);
    }
    rh__arena_end(&scratch);
    return status;
}

rh_status rh__motion_make_system(rh_motion *motion, bool is_reduced, rh_error *err)
{
    const rh_tapes_def plain = {.form = RH_FORM_MULTIPLIERS, .has_outputs = true};
    const rh_tapes_def reduced = {.form = RH_FORM_REDUCED, .has_outputs = true};
    bool loses = false;
    RH_TRY(
        rh__system_create(motion->equations, is_reduced ? &reduced : &plain, &motion->system, err));
    if (is_reduced) {
        RH_TRY(loses_rows(motion, &loses));
    }
    if (loses) {
        rh__system_destroy(motion->system);
        motion->system = NULL;
        RH_TRY(rh__system_create(motion->equations, &plain, &motion->system, err));
    }
    return RH_OK;
}
