// SPDX-License-Identifier: Apache-2.0
// The variables of a motion by their names.

#include "orbit/orbit.h"

rh_status rh__variable_names(const rh_motion *motion, rh_arena *arena, const char ***out)
{
    const rh_store *store = motion->equations->store;
    *out = rh__arena_array(arena, const char *, (size_t)motion->n + 1);
    for (uint32_t k = 0; *out != NULL && k < motion->n; k++) {
        const rh_expr symbol = motion->system->x.data[k];
        rh_text text = rh__text_begin(arena, NULL);
        rh__family_show(store, rh__expr_family(store, symbol), rh__expr_member(store, symbol),
                        &text);
        (*out)[k] = rh__text_print(arena, "%.*s", RH_SLICE_FORMAT(rh__text_slice(&text)));
    }
    return arena->status;
}

rh_status rh__variable_find(const char *const *names, uint32_t count, rh_slice name, uint32_t *out,
                            rh_error *err)
{
    rh_nearest nearest = rh__nearest_begin(name);
    for (uint32_t k = 0; k < count; k++) {
        if (rh__slice_is(name, names[k])) {
            *out = k;
            return RH_OK;
        }
        rh__nearest_offer(&nearest, rh__slice_of(names[k]));
    }
    return nearest.best.size > 0
               ? rh__error_fill(err, RH_E_ARGUMENT,
                                "\"%.*s\" is no variable of the motion; did you mean %.*s?",
                                RH_SLICE_FORMAT(name), RH_SLICE_FORMAT(nearest.best))
               : rh__error_fill(err, RH_E_ARGUMENT, "\"%.*s\" is no variable of the motion",
                                RH_SLICE_FORMAT(name));
}

static bool is_variable(const rh_motion *motion, size_t column)
{
    const rh_quantity quantity = rh_motion_column_quantity(motion, column);
    return quantity == RH_QUANTITY_VARIABLE || quantity == RH_QUANTITY_VELOCITY ||
           quantity == RH_QUANTITY_HELD;
}

rh_status rh__variable_order(const rh_motion *motion, const char *const *names, rh_arena *arena,
                             uint32_t **out)
{
    const uint32_t n = motion->n;
    bool *is_placed = rh__arena_array(arena, bool, (size_t)n + 1);
    uint32_t count = 0;
    *out = rh__arena_array(arena, uint32_t, (size_t)n + 1);
    if (*out == NULL || is_placed == NULL) {
        return arena->status;
    }
    for (size_t c = 0; c < motion->columns.count; c++) {
        const rh_slice name = rh__slice_of(motion->columns.data[c].name);
        for (uint32_t k = 0; is_variable(motion, c) && k < n; k++) {
            if (!is_placed[k] && rh__slice_is(name, names[k])) {
                is_placed[k] = true;
                (*out)[count++] = k;
            }
        }
    }
    // what the form brought along
    for (uint32_t k = 0; k < n; k++) {
        if (!is_placed[k]) {
            (*out)[count++] = k;
        }
    }
    return RH_OK;
}
