// SPDX-License-Identifier: Apache-2.0
// Equations in quasi-velocities that are not those of the model. The model itself never changes: a
// copy of its record, with other rows, stands in its place while the form is made.

#include "equations/derive.h"

rh_status rh__form_create_in(rh_equations *equations, const rh_quasi *quasis, uint32_t count,
                             const double *speeds, rh_arena *arena, rh_form *out, rh_error *err)
{
    const rh_model *model = equations->model;
    const bool has_presolve = equations->has_presolve;
    rh_model *other = rh__arena_new(arena, rh_model);
    rh_quasi *rows = rh__arena_array(arena, rh_quasi, (size_t)count + 1);
    if (other == NULL || rows == NULL) {
        return rh__error_fill(err, arena->status, "%s", rh_status_text(arena->status));
    }
    for (uint32_t k = 0; k < count; k++) {
        rows[k] = quasis[k];
    }
    *other = *model;
    other->quasis.data = rows;
    other->quasis.count = other->quasis.capacity = count;
    equations->model = other;
    equations->has_presolve = false;
    equations->speeds = speeds;
    const rh_status status = rh__form_make(equations, RH_FORM_QUASI, arena, out, err);
    equations->model = model;
    equations->speeds = NULL;
    equations->has_presolve = has_presolve;
    return status;
}
