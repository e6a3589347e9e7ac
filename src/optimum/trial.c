// SPDX-License-Identifier: Apache-2.0
// Trials: the steady motion at some parameters and its rightmost remaining root. The motion is
// followed from parameters where it is known, in as many steps as it takes to stay on its branch.

#include "optimum/optimum.h"

#include <math.h>
#include <string.h>

#define CHANGE 0.1 // of a place relative to its size, in one step
#define LEAST 1e-4 // part of the way
enum { TRIES = 60, ROUNDS = 20, REMEMBERED = 4096 };

bool rh__trial_is_over(rh_optimum *optimum)
{
    const rh_optimum_def *def = &optimum->def;
    if (!optimum->is_stopped && def->go_on != NULL &&
        !def->go_on(def->user, optimum->looks < optimum->most ? optimum->looks : optimum->most,
                    optimum->most)) {
        optimum->is_stopped = true;
    }
    return optimum->is_stopped || optimum->status != RH_OK;
}

static void load(rh_optimum *optimum, const double *places)
{
    const rh_reduction *reduction = optimum->steady->reduction;
    for (uint32_t k = 0; k < reduction->place_count; k++) {
        optimum->bench->values[reduction->place[k]] = places[k];
    }
}

static void save(const rh_optimum *optimum, double *places)
{
    const rh_reduction *reduction = optimum->steady->reduction;
    for (uint32_t k = 0; k < reduction->place_count; k++) {
        places[k] = optimum->bench->values[reduction->place[k]];
    }
}

static bool solve(rh_optimum *optimum, const double *at)
{
    const rh_reduction *reduction = optimum->steady->reduction;
    rh_rest_answer answer;
    double most = 0.0;
    save(optimum, optimum->kept);
    for (uint32_t k = 0; k < optimum->count; k++) {
        const rh_trial_dial *dial = &optimum->dials[k];
        RH_ASSERT(dial->slot == UINT32_MAX || dial->slot < reduction->slot_count);
        if (dial->slot != UINT32_MAX) {
            optimum->bench->values[dial->slot] = at[k];
        } else {
            optimum->wanted[dial->wanted] = at[k];
        }
    }
    const rh_status status = rh__rest_solve(optimum->bench, &optimum->query, &answer);
    optimum->status = status != RH_OK ? status : optimum->status;
    for (uint32_t k = 0; k < reduction->place_count; k++) {
        const double now = optimum->bench->values[reduction->place[k]];
        if (!optimum->query.is_fixed[k]) {
            most = fmax(most, fabs(now - optimum->kept[k]) / rh__engine_size(&reduction->engine,
                                                                             reduction->place[k],
                                                                             optimum->kept[k]));
        }
    }
    const bool is_near = status == RH_OK && answer.is_found && most <= CHANGE;
    if (!is_near) {
        load(optimum, optimum->kept);
    }
    return is_near;
}

static bool reach(rh_optimum *optimum, const rh_trial_place *from, const double *to)
{
    double done = 0.0;
    double step = 1.0;
    load(optimum, from->places);
    for (uint32_t tries = 0; done < 1.0 && tries < TRIES && step > LEAST; tries++) {
        const double next = done + step < 1.0 ? done + step : 1.0;
        RH_ASSERT(done < next && next <= 1.0);
        double at[RH_OPTIMUM_MOST];
        for (uint32_t k = 0; k < optimum->count; k++) {
            at[k] = next < 1.0 ? from->at[k] + next * (to[k] - from->at[k]) : to[k];
        }
        if (solve(optimum, at)) {
            done = next;
            step *= 2.0;
        } else {
            step = 0.5 * fmin(step, 1.0 - done);
        }
    }
    return done >= 1.0;
}

// The rightmost remaining root where the bench is. Remaining are those that do not belong to the
// steady set as it is almost everywhere in the ranges: where more roots are zero (a stiffness that
// vanishes) one of them is a root at zero, though there the steady set may be larger too.
static double judge(rh_optimum *optimum)
{
    rh_judgement *judgement = &optimum->judgement;
    rh_status status = rh__judge(optimum->bench, optimum->dimension, judgement);
    if (status == RH_OK && !judgement->is_certain && optimum->dimension != UINT32_MAX) {
        status = rh__judge(optimum->bench, UINT32_MAX, judgement);
    }
    if (status != RH_OK) {
        optimum->status = status == RH_E_LIMIT ? optimum->status : status;
        return INFINITY;
    }
    if (judgement->kink.name != NULL || judgement->border != NULL) {
        return INFINITY; // roots of one side push nothing
    }
    if (judgement->measured < optimum->nullity) { // all before this one was special
        optimum->nullity = judgement->measured;
        optimum->best.value = INFINITY;
    }
    const bool is_plain = judgement->is_certain && judgement->measured == optimum->nullity;
    const double value = is_plain ? judgement->abscissa : fmax(judgement->abscissa, 0.0);
    return isnan(value) ? INFINITY : value;
}

static void keep(rh_optimum *optimum, const double *at, double value, rh_trial_place *out)
{
    RH_ASSERT(out->places != optimum->kept);
    memcpy(out->at, at, optimum->count * sizeof *at);
    save(optimum, out->places);
    out->value = value;
}

static double look(rh_optimum *optimum, const double *at)
{
    const double value = judge(optimum);
    keep(optimum, at, value, &optimum->last);
    if (value < optimum->best.value) {
        keep(optimum, at, value, &optimum->best);
    }
    RH_ASSERT(optimum->best.value <= value || value != value);
    return value;
}

// The nearest that is known; of equals the first.
static const rh_trial_place *nearest(const rh_optimum *optimum, const double *at)
{
    const rh_trial_place *best = NULL;
    double least = INFINITY;
    for (uint32_t k = 0; k < optimum->known.count; k++) {
        const rh_trial_place *it = &optimum->known.data[k];
        double far = 0.0;
        for (uint32_t i = 0; i < optimum->count; i++) {
            far = hypot(far, (at[i] - it->at[i]) / (optimum->over[i].high - optimum->over[i].low));
        }
        if (far < least) {
            least = far;
            best = it;
        }
    }
    return best;
}

double rh__trial_far(rh_optimum *optimum, const double *at)
{
    const rh_trial_place *from = nearest(optimum, at);
    optimum->looks++;
    if (from == NULL || !reach(optimum, from, at)) {
        return INFINITY;
    }
    const double value = look(optimum, at);
    rh_trial_place place = {.places = NULL};
    const size_t width = (size_t)optimum->steady->reduction->place_count + 1;
    if (optimum->known.count < REMEMBERED) {
        place.places = rh__arena_array(&optimum->arena, double, width);
        if (place.places != NULL) {
            keep(optimum, at, value, &place);
        }
        if (place.places == NULL || !rh__array_push(&optimum->arena, &optimum->known, place)) {
            optimum->status = optimum->arena.status;
        }
    }
    return value;
}

double rh__trial_near(rh_optimum *optimum, const double *at)
{
    optimum->looks++;
    return reach(optimum, &optimum->last, at) || reach(optimum, &optimum->best, at)
               ? look(optimum, at)
               : INFINITY;
}

void rh__trial_take(rh_optimum *optimum)
{
    memcpy(optimum->best.at, optimum->last.at, sizeof optimum->best.at);
    memcpy(optimum->best.places, optimum->last.places,
           optimum->steady->reduction->place_count * sizeof(double));
    optimum->best.value = optimum->last.value;
}
