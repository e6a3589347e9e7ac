// SPDX-License-Identifier: Apache-2.0
// Pairs of constraints along and across a direction. Two ideal constraints f = 0 and g = 0 that are
// linear in the velocities allow the same velocities, and push in the same directions, as
//     cos(a) f + sin(a) g = 0,   cos(a) g - sin(a) f = 0,
// for any angle a: the motions are the same, the multipliers are turned. Where f and g are
// components along axes at rest, these are components that turn with the body, and no equation
// holds the angle any more. The multipliers have new names: whatever else holds the old ones is not
// covered.

#include "certificate/thesis.h"

static rh_status refuse(rh_error *err, const char *why, rh_slice name)
{
    return rh__error_fill(err, RH_E_UNAVAILABLE, "%s: %.*s", why,
                          name.size < 80 ? (int)name.size : 80, name.data);
}

// A constraint of the kind that may be turned, by its name; NULL.
static rh_constraint *find_constraint(rh_thesis *thesis, rh_slice name)
{
    rh_model *model = thesis->model;
    for (uint32_t k = 0; k < model->constraints.count; k++) {
        rh_constraint *it = &model->constraints.data[k];
        if (it->row.family.i == 0) {
            continue;
        }
        const char *own =
            rh__thesis_name(&thesis->arena, model->store,
                            rh__expr_symbol(model->store, it->row.family, it->row.member));
        if (own != NULL && rh__slice_is(name, own)) {
            const bool is_plain = it->kind == RH_KIND_NONHOLONOMIC && it->by == RH_BY_IDEAL &&
                                  it->is_linear && !it->is_one_sided && !it->takes_constant &&
                                  !it->has_law && it->impact.i == 0 && it->component_count == 0 &&
                                  it->multiplier_rate.i == 0;
            return is_plain ? it : NULL;
        }
    }
    return NULL;
}

static rh_expr find_angle(rh_thesis *thesis, rh_slice name)
{
    const rh_model *model = thesis->model;
    for (uint32_t k = 0; k < model->coordinates.count; k++) {
        const rh_variable *it = &model->coordinates.data[k];
        for (uint32_t member = 0; member < it->size; member++) {
            const rh_expr symbol = rh__expr_symbol(model->store, it->family[0], member);
            const char *own = rh__thesis_name(&thesis->arena, model->store, symbol);
            if (own != NULL && rh__slice_is(name, own)) {
                return symbol;
            }
        }
    }
    return RH_EXPR_NONE;
}

static bool rename_multiplier(rh_thesis *thesis, rh_constraint *constraint)
{
    rh_store *store = thesis->model->store;
    rh_family_def def = *rh__family_def(store, constraint->multiplier);
    const char *name = rh__text_print(&thesis->arena, "turned.%.*s", RH_SLICE_FORMAT(def.name));
    if (name == NULL) {
        return false;
    }
    def.name = rh__slice_of(name);
    constraint->multiplier = rh__family_create(store, &def);
    return constraint->multiplier.i != 0;
}

static rh_status turn(rh_thesis *thesis, rh_constraint *first, rh_constraint *second, rh_expr angle)
{
    rh_store *store = thesis->model->store;
    const rh_expr c = rh__expr_apply(store, RH_OP_COS, &angle, 1);
    const rh_expr s = rh__expr_apply(store, RH_OP_SIN, &angle, 1);
    const rh_expr f = first->deviation;
    const rh_expr g = second->deviation;
    first->deviation =
        rh__expr_add(store, rh__expr_multiply(store, c, f), rh__expr_multiply(store, s, g));
    second->deviation =
        rh__expr_subtract(store, rh__expr_multiply(store, c, g), rh__expr_multiply(store, s, f));
    const bool ok = first->deviation.i != 0 && second->deviation.i != 0 &&
                    rename_multiplier(thesis, first) && rename_multiplier(thesis, second);
    return ok ? RH_OK : thesis->arena.status != RH_OK ? thesis->arena.status : RH_E_LIMIT;
}

rh_status rh__thesis_recombine(rh_thesis *thesis, const rh_wording *statement, rh_error *err)
{
    for (uint32_t k = 0; k < statement->mixings.count; k++) {
        const rh_mixing *it = &statement->mixings.data[k];
        rh_constraint *first = find_constraint(thesis, it->first);
        rh_constraint *second = find_constraint(thesis, it->second);
        const rh_expr angle = find_angle(thesis, it->angle);
        if (first == NULL || second == NULL || first == second) {
            return refuse(err,
                          "only two ideal constraints, linear in the velocities, can be turned",
                          first == NULL ? it->first : it->second);
        }
        if (angle.i == 0) {
            return refuse(err, "constraints are turned by a coordinate, and this is none",
                          it->angle);
        }
        RH_TRY(turn(thesis, first, second, angle));
    }
    return RH_OK;
}
