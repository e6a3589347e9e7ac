// SPDX-License-Identifier: Apache-2.0
// What the tests of `orbit` share: an orbit of a text, its values by name.

#pragma once

#include "support.h"

#include "rheonom/orbit.h"

#include <complex.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct orbiting_conditions {
    const char *set[8];
    const char *start[8];
    uint32_t set_count, start_count;
    double tolerance; // of the motion; 0: 1e-15
    bool has_presolve;
    const char *observe; // besides; NULL: nothing
} orbiting_conditions;

typedef struct orbiting {
    rh_model *model;
    rh_equations *equations;
    rh_motion *motion;
    rh_orbit *orbit;
    rh_error err;
} orbiting;

static inline void orbiting_end(orbiting *it)
{
    rh_orbit_destroy(it->orbit);
    rh_motion_destroy(it->motion);
    rh_equations_destroy(it->equations);
    rh_model_destroy(it->model);
    *it = (orbiting){.orbit = NULL};
}

static inline rh_status orbiting_move(const char *text, const orbiting_conditions *with,
                                      orbiting *out)
{
    static const orbiting_conditions PLAIN = {.set_count = 0};
    with = with != NULL ? with : &PLAIN;
    *out = (orbiting){.orbit = NULL};
    rh_model_def def = rh_model_def_default();
    def.text = text;
    def.text_size = strlen(text);
    def.set = with->set;
    def.set_count = with->set_count;
    def.start = with->start;
    def.start_count = with->start_count;
    def.observe = with->observe != NULL ? &with->observe : NULL;
    def.observe_count = with->observe != NULL;
    rh_status status = rh_model_create(&def, &out->model, &out->err);
    for (size_t k = 0; status != RH_OK && k < rh_model_diagnostic_count(out->model); k++) {
        print_error("%s\n", rh_model_diagnostic(out->model, k).message);
    }
    if (status == RH_OK) {
        rh_equations_def derive = rh_equations_def_default();
        derive.has_presolve = with->has_presolve;
        status = rh_equations_create(out->model, &derive, &out->equations, &out->err);
    }
    if (status == RH_OK) {
        rh_motion_def move = rh_motion_def_default();
        move.tolerance = with->tolerance > 0.0 ? with->tolerance : 1e-15;
        move.tier = RH_TIER_INTERPRETED;
        status = rh_motion_create(out->equations, &move, &out->motion, &out->err);
    }
    return status;
}

static inline rh_status orbiting_try(const char *text, const orbiting_conditions *with,
                                     const rh_orbit_def *def, orbiting *out)
{
    rh_status status = orbiting_move(text, with, out);
    if (status == RH_OK) {
        status = rh_orbit_create(out->motion, def, &out->orbit, &out->err);
    }
    return status;
}

static inline orbiting orbiting_begin(const char *text, const orbiting_conditions *with,
                                      const rh_orbit_def *def)
{
    orbiting it;
    const rh_status status = orbiting_try(text, with, def, &it);
    if (status != RH_OK) {
        print_error("%s: %s, in:\n%s\n", rh_status_text(status), it.err.message, text);
        orbiting_end(&it);
        fail();
    }
    return it;
}

/// It must be a periodic orbit.
static inline orbiting orbiting_find(const char *text, const orbiting_conditions *with,
                                     const rh_orbit_def *def)
{
    orbiting it = orbiting_begin(text, with, def);
    const rh_orbit_summary summary = rh_orbit_summarise(it.orbit);
    if (summary.outcome != RH_ORBIT_FOUND) {
        fail_msg("no orbit (outcome %d): %s, in:\n%s", (int)summary.outcome, summary.reason, text);
    }
    return it;
}

static inline double orbiting_value(const orbiting *it, const char *name)
{
    for (size_t k = 0; k < rh_orbit_variable_count(it->orbit); k++) {
        if (strcmp(rh_orbit_variable_name(it->orbit, k), name) == 0) {
            return rh_orbit_variable(it->orbit, k);
        }
    }
    fail_msg("there is no variable %s", name);
    return NAN;
}

/// Some multiplier that is not trivial lies within `tolerance` of a number.
static inline void orbiting_has(const orbiting *it, double real, double imaginary, double tolerance)
{
    double nearest = INFINITY;
    for (size_t k = 0; k < rh_orbit_multiplier_count(it->orbit); k++) {
        const rh_multiplier m = rh_orbit_multiplier(it->orbit, k);
        if (!m.is_trivial) {
            nearest = fmin(nearest, hypot(m.real - real, m.imaginary - imaginary));
        }
    }
    if (!(nearest <= tolerance)) {
        fail_msg("no multiplier near %.15g + %.15g i: the nearest is %.3g away", real, imaginary,
                 nearest);
    }
}

static const char ORBITING_LORENZ[] =
    "param sigma = 10, b = 8/3, mu = 1/10\nstate xi, p, eta\n"
    "let f = (b*eta - (2*sigma - b)*xi^2)/(sigma + 1)\nlaw xi' = p\n"
    "law p' = -mu*p - (eta - 1)*xi - xi^3\nlaw eta' = -mu*f\n"
    "start xi = 0.5932806406231609, p = 0, eta = 0.8455779782789529\n";
