// SPDX-License-Identifier: Apache-2.0
// A period as a formula of parameters, such as 2 pi / w: where the equations contain the time it
// follows their own period along a branch.

#include "orbit/orbit.h"

#include <math.h>

static double value_of(const rh_orbit *orbit, rh_expr e)
{
    const rh_motion *motion = orbit->motion;
    const rh_model *model = motion->equations->model;
    rh_arena scratch = rh__arena_begin(model->arena.allocator, model->arena.limit);
    double value = (double)NAN;
    if (!rh__expr_values(model->store, &e, 1, rh__values_parameter, &motion->values, &scratch,
                         &value)) {
        value = (double)NAN;
    }
    rh__arena_end(&scratch);
    return value;
}

static double share_of(const rh_orbit *orbit)
{
    return orbit->image.is_involution && !orbit->image.is_identity ? 0.5 : 1.0;
}

double rh__formula_time(const rh_orbit *orbit, double other)
{
    return orbit->formula.i == 0 ? other : share_of(orbit) * value_of(orbit, orbit->formula);
}

double rh__formula_slope(const rh_orbit *orbit)
{
    return orbit->formula_slope.i == 0 ? 0.0
                                       : share_of(orbit) * value_of(orbit, orbit->formula_slope);
}

rh_status rh__formula_create(rh_orbit *orbit, rh_error *err)
{
    const rh_model *model = orbit->motion->equations->model;
    if (!orbit->def.is_period_asked) {
        return RH_OK;
    }
    const rh_observe *asked = &model->observes.data[model->observes.count - 1];
    if ((rh__expr_mask(model->store, asked->value) & ~(uint32_t)RH_ROLE_PARAM) != 0) {
        return rh__error_fill(err, RH_E_ARGUMENT,
                              "the period %s is not made of numbers and parameters alone",
                              asked->name);
    }
    const double value = value_of(orbit, asked->value);
    if (!(value > 0.0) || !isfinite(value)) {
        return rh__error_fill(err, RH_E_ARGUMENT, "the period %s is no positive time but %.10g",
                              asked->name, value);
    }
    orbit->formula = asked->value;
    return RH_OK;
}

void rh__formula_turn(rh_orbit *orbit)
{
    const rh_motion *motion = orbit->motion;
    const rh_model *model = motion->equations->model;
    rh_arena scratch = rh__arena_begin(model->arena.allocator, model->arena.limit);
    orbit->formula_slope = (rh_expr){0};
    if (orbit->formula.i != 0 && orbit->slope.is_there) {
        rh_derivation *derivation =
            rh__derivation_create(model->store, &scratch, rh__drift_seed, &orbit->slope.drift);
        orbit->formula_slope =
            derivation != NULL ? rh__derivation_apply(derivation, orbit->formula) : (rh_expr){0};
    }
    rh__arena_end(&scratch);
}
