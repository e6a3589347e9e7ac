// SPDX-License-Identifier: Apache-2.0
// The reduced form, what will be integrated: velocity rows with safe pivots are eliminated through
// v = Z(q) u + z0 (theory 1.5), multipliers and accelerations that left are outputs,
//     Z^T M Z u' = Z^T (h - M drift) + Z^T B lambda.
// A factor that a whole row shares is divided out: where it is zero the row was empty anyway.

#include "equations/basis.h"

// h - M drift of one carrier.
static rh_expr carried(rh_basis *basis, uint32_t carrier)
{
    rh_forming *forming = basis->forming;
    rh_store *store = forming->store;
    const rh_grid *inertia = &forming->equations->inertia;
    rh_expr sum = rh__basis_put(basis, rh__forming_force(forming, carrier));
    for (uint32_t k = inertia->begin[carrier]; k < inertia->begin[carrier + 1]; k++) {
        const rh_entry *entry = &inertia->entries.data[k];
        sum = rh__expr_subtract(store, sum,
                                rh__expr_multiply(store, rh__basis_put(basis, entry->value),
                                                  basis->drift[entry->column]));
    }
    return sum;
}

static bool add_motion(rh_basis *basis)
{
    rh_forming *forming = basis->forming;
    rh_store *store = forming->store;
    const uint32_t count = basis->variables.count;
    rh_expr *right = rh__arena_array(&forming->scratch, rh_expr, (size_t)count + 1);
    bool ok = right != NULL;
    for (uint32_t k = 0; ok && k < forming->equations->carriers.count; k++) {
        const rh_linear *carrier = &basis->carrier[k];
        const rh_expr value = carried(basis, k);
        for (uint32_t j = 0; j < carrier->terms.count; j++) {
            const rh_expr part = rh__expr_multiply(store, carrier->terms.data[j].value, value);
            rh_expr *sum = &right[carrier->terms.data[j].column];
            *sum = sum->i == 0 ? part : rh__expr_add(store, *sum, part);
        }
    }
    for (uint32_t k = 0; ok && k < count; k++) {
        ok = rh__forming_row(forming, rh__derive_fold(forming->equations, right[k]), 0);
    }
    return ok && rh__basis_square(basis, &forming->equations->inertia);
}

rh_status rh__form_reduced(rh_forming *forming)
{
    rh_basis basis;
    RH_TRY(
        rh__basis_create(forming, RH_PIVOT_SAFE, forming->equations->has_presolve, NULL, &basis));
    return rh__basis_form(&basis, add_motion);
}
