// SPDX-License-Identifier: Apache-2.0
// Is an orbit one, or a motion that tends to a point of rest? Such a motion never returns; numbers
// leave the point of rest by rounding, and come back after a time that rounding has chosen. What
// passes a point of rest is therefore asked how its time round depends on where it begins: with d
// the distance from the separatrix the time changes by 1/d.

#include "orbit/orbit.h"

#include <math.h>
#include <string.h>

enum { POINTS = 8, MOST_STEPS = 4000, ENOUGH = 6 };

#define SLOW 1e-3      // of the largest speed: it may pass a point of rest
#define AWAKE 1e-2     // of the largest speed: it has left it again
#define LONGER 1.05    // than the stay before
#define APART 1e-3     // of sizes of variables: points of rest that are two
#define HORIZON 1e6    // of a step, times the pace
#define ROUNDING 1e-15 // of sizes of variables, on the way
#define UNSURE 1e-7    // of the time round, that it may be moved by
#define ZERO 1e-8      // of the size of a variable: told as 0

// Speeds along a motion, in sizes of variables.
typedef struct survey {
    rh_orbit *orbit;
    double fastest, slowest;
    double recent;       // the slowest of the last step
    double *fast, *slow; // n each: where
    double *x, *rate;    // n each: work
} survey;

static rh_status begin(rh_orbit *orbit, survey *out)
{
    const size_t n = orbit->n;
    double *room = rh__arena_array(&orbit->scratch, double, 4 * n + 1);
    *out = (survey){.orbit = orbit, .slowest = INFINITY};
    if (room == NULL) {
        return orbit->scratch.status != RH_OK ? orbit->scratch.status : RH_E_MEMORY;
    }
    out->fast = room;
    out->slow = room + n;
    out->x = room + 2 * n;
    out->rate = room + 3 * n;
    return RH_OK;
}

// The last step, which nothing happened in but at its end.
static void look_along(survey *in)
{
    const rh_orbit *orbit = in->orbit;
    const rh_motion *motion = orbit->motion;
    const double length = motion->t - motion->t_before;
    in->recent = INFINITY;
    for (uint32_t p = 0; p < POINTS; p++) {
        const double time = motion->t_before + length * (p + 0.5) / POINTS;
        double square = 0.0;
        rh__series_value(&motion->series, time, in->x);
        rh__series_slope(&motion->series, time, in->rate);
        for (uint32_t i = 0; i < orbit->n; i++) {
            const double part = in->rate[i] / orbit->manifold.scale[i];
            square += part * part;
        }
        const double speed = sqrt(square);
        in->recent = fmin(in->recent, speed);
        if (speed > in->fastest) {
            in->fastest = speed;
            memcpy(in->fast, in->x, orbit->n * sizeof *in->fast);
        }
        if (speed < in->slowest) {
            in->slowest = speed;
            memcpy(in->slow, in->x, orbit->n * sizeof *in->slow);
        }
    }
}

// Is there a point of rest where it is slowest? It replaces the place.
static rh_status find_rest(survey *in, bool *out_is_rest)
{
    rh_orbit *orbit = in->orbit;
    const size_t size = orbit->n * sizeof *in->x;
    const double residual = orbit->passage.residual;
    memcpy(in->x, orbit->passage.start, size);
    memcpy(orbit->passage.start, in->slow, size);
    RH_TRY(rh__shooting_rest(orbit, out_is_rest));
    memcpy(in->slow, orbit->passage.start, size);
    memcpy(orbit->passage.start, in->x, size);
    orbit->passage.residual = residual;
    return RH_OK;
}

// What rounding at a start moves the motion by along itself after a while, as a time: neighbours
// that are late by so much for each size of a variable.
static rh_status find_blur(rh_orbit *orbit, const double *start, double time, double *out)
{
    const double *scale = orbit->manifold.scale;
    rh_passage *passage = &orbit->trial;
    bool is_there = false;
    char why[sizeof orbit->reason];
    double square = 0.0;
    double sum = 0.0;
    *out = INFINITY;
    (void)rh__text_fill(why, sizeof why, "%s", orbit->reason);
    RH_TRY(rh__passage_run(orbit, start, time, passage, &is_there));
    (void)rh__text_fill(orbit->reason, sizeof orbit->reason, "%s", why);
    if (!is_there) {
        return RH_OK;
    }
    for (uint32_t i = 0; i < orbit->n; i++) {
        square += passage->rate[i] / scale[i] * passage->rate[i] / scale[i];
    }
    for (uint32_t k = 1; k < passage->count; k++) { // the first is the flow
        const double *tangent = passage->tangents + (size_t)k * orbit->n;
        double along = 0.0;
        for (uint32_t i = 0; i < orbit->n; i++) {
            along += passage->rate[i] / scale[i] * tangent[i] / scale[i];
            orbit->spread = fmax(orbit->spread, fabs(tangent[i] / scale[i]));
        }
        sum += along / square * along / square;
    }
    *out = ROUNDING * sqrt(sum);
    return RH_OK;
}

// "x = 3.14159, x' = 0"
void rh__separatrix_name(const rh_orbit *orbit, const double *x, char *out, size_t size)
{
    size_t used = 0;
    out[0] = '\0';
    for (uint32_t k = 0; k < orbit->n && used < size; k++) {
        const uint32_t i = orbit->order[k];
        const double value = fabs(x[i]) < ZERO * orbit->manifold.scale[i] ? 0.0 : x[i];
        const int more = rh__text_fill(out + used, size - used, "%s%s = %.6g", k > 0 ? ", " : "",
                                       orbit->names[i], value);
        used += more > 0 ? (size_t)more : 0;
    }
}

static void refuse(rh_orbit *orbit, const double *rest)
{
    char where[100];
    rh__separatrix_name(orbit, rest, where, sizeof where);
    orbit->outcome = RH_ORBIT_FAILED;
    orbit->passage.residual = (double)NAN;
    orbit->led = 0.0;
    memcpy(orbit->passage.start, orbit->begin, orbit->n * sizeof *orbit->begin);
    (void)rh__text_fill(
        orbit->reason, sizeof orbit->reason,
        "the motion tends to the equilibrium %s and does not return, as far as rounding "
        "can tell: it lies on a separatrix, or too near to one",
        where);
}

// --- from the start ------------------------------------------------------------------------------

// From the start of the motion to a point of rest, and beyond it.
static rh_status go_past(survey *in, double *out_time, bool *out_is_past)
{
    rh_motion *motion = in->orbit->motion;
    rh_stop stop = RH_STOP_NONE;
    rh_error err;
    *out_is_past = false;
    RH_TRY(rh__motion_place(motion, in->orbit->begin, &err));
    const double since = motion->t;
    for (uint32_t k = 0;
         k < MOST_STEPS && stop == RH_STOP_NONE && !*out_is_past && !rh__orbit_is_over(in->orbit);
         k++) {
        RH_TRY(rh_motion_step(motion, motion->t + HORIZON * in->orbit->pace, &stop, &err));
        stop = stop == RH_STOP_REACHED ? RH_STOP_NONE : stop;
        if (stop != RH_STOP_FAILED) {
            look_along(in);
        }
        *out_is_past = in->slowest < SLOW * in->fastest && in->recent > AWAKE * in->fastest;
    }
    *out_time = motion->t - since;
    return RH_OK;
}

// Stays near points of rest, one after the other.
typedef struct stays {
    uint32_t count;
    double lengths[2]; // of the last but one and the last
    double *places[2]; // n each
    uint32_t longer;   // how many of the last were longer than the one before
    double begin;      // of the one that goes on; NaN: none does
} stays;

static void end_stay(const survey *in, stays *it, double now)
{
    double *const place = it->places[0];
    it->places[0] = it->places[1];
    it->places[1] = place;
    memcpy(place, in->slow, in->orbit->n * sizeof *place);
    it->lengths[0] = it->lengths[1];
    it->lengths[1] = now - it->begin;
    it->longer = it->lengths[1] > LONGER * it->lengths[0] ? it->longer + 1 : 0;
    it->count++;
    it->begin = (double)NAN;
}

// The motion from its start on, as long as stays come one after the other and do not become far
// longer than all before.
static rh_status find_stays(survey *in, stays *it)
{
    rh_motion *motion = in->orbit->motion;
    rh_stop stop = RH_STOP_NONE;
    rh_error err;
    RH_TRY(rh__motion_place(motion, in->orbit->begin, &err));
    for (uint32_t k = 0; k < MOST_STEPS && stop == RH_STOP_NONE && it->longer < ENOUGH &&
                         !rh__orbit_is_over(in->orbit);
         k++) {
        RH_TRY(rh_motion_step(motion, motion->t + HORIZON * in->orbit->pace, &stop, &err));
        stop = stop == RH_STOP_REACHED ? RH_STOP_NONE : stop;
        if (stop == RH_STOP_FAILED) {
            break;
        }
        in->slowest = isnan(it->begin) ? INFINITY : in->slowest;
        look_along(in);
        const bool is_slow = in->recent < SLOW * in->fastest;
        if (isnan(it->begin) && is_slow) {
            it->begin = motion->t_before;
        } else if (!isnan(it->begin) && in->recent > AWAKE * in->fastest) {
            end_stay(in, it, motion->t);
        }
    }
    if (!isnan(it->begin)) {
        end_stay(in, it, motion->t);
    }
    return RH_OK;
}

// A motion that stays near points of rest for longer and longer tends to a cycle of them.
static rh_status explain_cycle(rh_orbit *orbit)
{
    survey in;
    stays it = {.begin = (double)NAN};
    char where[2][50];
    bool are_rests = true;
    double apart = 0.0;
    RH_TRY(begin(orbit, &in));
    for (int k = 0; k < 2; k++) {
        it.places[k] = rh__arena_array(&orbit->scratch, double, (size_t)orbit->n + 1);
        if (it.places[k] == NULL) {
            return orbit->scratch.status;
        }
    }
    RH_TRY(find_stays(&in, &it));
    if (it.longer < 2 || orbit->over != NULL) {
        return RH_OK;
    }
    for (int k = 0; k < 2; k++) {
        bool is_rest = false;
        memcpy(in.slow, it.places[k], orbit->n * sizeof *in.slow);
        RH_TRY(find_rest(&in, &is_rest));
        are_rests = are_rests && is_rest;
        memcpy(it.places[k], in.slow, orbit->n * sizeof *in.slow);
        rh__separatrix_name(orbit, in.slow, where[k], sizeof where[k]);
    }
    for (uint32_t i = 0; i < orbit->n; i++) {
        const double part = it.places[1][i] - it.places[0][i];
        apart = fmax(apart, fabs(part) / orbit->manifold.scale[i]);
    }
    if (are_rests && apart > APART && orbit->over == NULL) {
        orbit->outcome = RH_ORBIT_FAILED;
        orbit->passage.residual = (double)NAN;
        orbit->led = 0.0;
        memcpy(orbit->passage.start, orbit->begin, orbit->n * sizeof *orbit->begin);
        (void)rh__text_fill(
            orbit->reason, sizeof orbit->reason,
            "the motion from the start stays for longer and longer near equilibria, as "
            "near %s and then %s: it tends to a heteroclinic cycle, not to an orbit",
            where[0], where[1]);
    }
    return RH_OK;
}

static rh_status explain(rh_orbit *orbit)
{
    survey in;
    double time = 0.0;
    double blur = 0.0;
    bool is_past = false;
    bool is_rest = false;
    RH_TRY(begin(orbit, &in));
    RH_TRY(go_past(&in, &time, &is_past));
    RH_TRY(is_past ? find_rest(&in, &is_rest) : RH_OK);
    RH_TRY(is_rest ? find_blur(orbit, orbit->begin, time, &blur) : RH_OK);
    if (orbit->over == NULL && !(blur <= UNSURE * time)) {
        refuse(orbit, in.slow);
    }
    return RH_OK;
}

// --- what was found ------------------------------------------------------------------------------

// Once round what was found.
static rh_status go_round(survey *in)
{
    rh_motion *motion = in->orbit->motion;
    const rh_passage *passage = &in->orbit->passage;
    rh_stop stop = RH_STOP_NONE;
    rh_error err;
    RH_TRY(rh__motion_place(motion, passage->start, &err));
    const double end = motion->t + passage->time;
    while (stop == RH_STOP_NONE && !rh__orbit_is_over(in->orbit)) {
        RH_TRY(rh_motion_step(motion, end, &stop, &err));
        if (stop != RH_STOP_FAILED) {
            look_along(in);
        }
    }
    return RH_OK;
}

static rh_status judge(rh_orbit *orbit)
{
    survey in;
    bool is_rest = false;
    RH_TRY(begin(orbit, &in));
    RH_TRY(go_round(&in));
    if (!(in.slowest < SLOW * in.fastest)) {
        return RH_OK;
    }
    RH_TRY(find_rest(&in, &is_rest));
    if (!is_rest || orbit->over != NULL) {
        return RH_OK;
    }
    RH_TRY(find_blur(orbit, in.fast, orbit->passage.time, &orbit->blur));
    if (orbit->over != NULL || orbit->blur <= UNSURE * orbit->passage.time) {
        return RH_OK;
    }
    // it may pass several; the first one from the start is told
    RH_TRY(explain(orbit));
    if (orbit->outcome == RH_ORBIT_FOUND) {
        refuse(orbit, in.slow);
    }
    return RH_OK;
}

rh_status rh__separatrix_judge(rh_orbit *orbit)
{
    orbit->blur = orbit->spread = 0.0;
    if (orbit->is_timed) {
        return RH_OK;
    }
    const rh_mark mark = rh__arena_mark(&orbit->scratch);
    const rh_status status = judge(orbit);
    rh__arena_rewind(&orbit->scratch, mark);
    return status;
}

rh_status rh__separatrix_explain(rh_orbit *orbit)
{
    rh_error err;
    const rh_mark mark = rh__arena_mark(&orbit->scratch);
    const rh_status placed = rh__motion_place(orbit->motion, orbit->begin, &err);
    rh_status status = RH_OK;
    if (placed == RH_OK && !orbit->is_timed) {
        status = orbit->outcome == RH_ORBIT_FAILED ? explain(orbit) : RH_OK;
        status = status == RH_OK && orbit->over == NULL ? explain_cycle(orbit) : status;
    }
    rh__arena_rewind(&orbit->scratch, mark);
    return status;
}
