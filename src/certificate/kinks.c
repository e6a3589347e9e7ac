// SPDX-License-Identifier: Apache-2.0
// Where the rows are not smooth. A ball of no width may lie exactly on a switching surface: a sign
// is 0 there and a choice is made, both finite, and neither says what holds beside it. So what
// switches must be proved not to vanish (theory, certificates 5).

#include "certificate/thesis.h"

bool rh__thesis_list_kinks(rh_thesis *thesis)
{
    rh_store *store = thesis->store;
    rh_expr_list roots = {0};
    rh_expr_list all = {0};
    bool ok = true;
    for (uint32_t k = 0; ok && k < thesis->rows.count; k++) {
        ok = rh__array_push(&thesis->arena, &roots, thesis->rows.data[k]);
    }
    for (size_t k = 0; ok && k < (size_t)thesis->size * thesis->size; k++) {
        ok =
            thesis->inertia[k].i == 0 || rh__array_push(&thesis->arena, &roots, thesis->inertia[k]);
    }
    ok = ok && rh__expr_reach(store, roots.data, roots.count, &thesis->arena, &all);
    for (uint32_t k = 0; ok && k < all.count; k++) {
        const rh_expr surface = rh__expr_surface(store, all.data[k]);
        ok = rh__store_refusal(store) == RH_REFUSAL_NONE &&
             (surface.i == 0 || rh__expr_is_number(store, surface) ||
              rh__array_push(&thesis->arena, &thesis->never_zero, surface));
    }
    return ok;
}
