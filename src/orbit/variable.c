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
