// SPDX-License-Identifier: Apache-2.0
// The search for an orbit: does it stand still? -> period -> first passage -> Newton ->
// multipliers. A phase is as good as another where all start values are free: so a search that
// fails, or begins where something is just met, begins again further along the motion, which has
// come nearer to what attracts it.

#include "orbit/orbit.h"

#include <math.h>
#include <string.h>

enum { PERIODS = 20, MOST_ROUNDS = 6 };

#define MET 1e-9   // the value of a constraint that is met, of its terms
#define SHIFT 1e-9 // of the period: what happens so near to its end may happen at its start
#define AGAIN 1e-8 // of sizes of variables: so near it is there again

// May the start be taken elsewhere along the motion?
static bool is_movable(const rh_orbit *orbit)
{
    return orbit->is_free == NULL && !orbit->def.has_whole_steps;
}

// The time after which it comes back, in passage.time; 0 with a reason when it does not.
static rh_status watch(rh_orbit *orbit)
{
    rh_watch seen;
    RH_TRY(rh__orbit_recur(orbit, 0.0, &seen));
    if (seen.time <= 0.0 && is_movable(orbit) && !seen.is_rest && orbit->over == NULL &&
        orbit->motion->reason[0] == '\0') {
        RH_TRY(rh__orbit_lead(orbit, 0.0));
        RH_TRY(rh__orbit_recur(orbit, 0.0, &seen));
    }
    orbit->passage.time = seen.time;
    if (!(seen.time > 0.0)) {
        char where[80];
        rh__separatrix_name(orbit, orbit->motion->x, where, sizeof where);
        memcpy(orbit->passage.start, orbit->begin, orbit->n * sizeof *orbit->begin);
        orbit->led = 0.0;
        (void)rh__text_fill(
            orbit->reason, sizeof orbit->reason,
            orbit->over != NULL ? "%s"
            : seen.is_rest      ? "the motion from the start comes to rest at %s; an orbit needs "
                                  "another start, or a period to begin with"
                           : "the motion from the start does not come back near it; a period to "
                             "begin with may help",
            orbit->over != NULL ? orbit->over : where);
    }
    return RH_OK;
}

static rh_status find_period(rh_orbit *orbit, rh_error *err)
{
    orbit->is_fixed = orbit->is_timed || orbit->def.is_period_fixed;
    orbit->is_half = orbit->image.is_involution && !orbit->image.is_identity;
    const double near = rh__formula_time(orbit, orbit->def.period * (orbit->is_half ? 0.5 : 1.0));
    if (orbit->is_fixed && !(near > 0.0)) {
        return rh__error_fill(err, RH_E_ARGUMENT, "%s, so that it must be given",
                              orbit->is_timed
                                  ? "the equations contain the time, which fixes the period"
                                  : "the period is fixed");
    }
    // plain steps begin with what was given
    if (orbit->is_fixed || (near > 0.0 && orbit->def.has_whole_steps)) {
        orbit->passage.time = near;
        return RH_OK;
    }
    if (near > 0.0) {
        rh_watch seen;
        RH_TRY(rh__orbit_recur(orbit, near, &seen));
        orbit->passage.time = seen.time > 0.0 ? seen.time : near;
        return RH_OK;
    }
    return watch(orbit);
}

// Does the motion stand still where it starts?
static rh_status stand(rh_orbit *orbit, bool *out_is_rest)
{
    *out_is_rest = false;
    return !orbit->is_timed && rh__shooting_stands(orbit, &orbit->scratch)
               ? rh__shooting_rest(orbit, out_is_rest)
               : RH_OK;
}

// Is a constraint just met, or left, where it starts? Neighbours on the other side do not exist.
static bool is_on_surface(const rh_orbit *orbit)
{
    rh_motion *motion = orbit->motion;
    bool is_met = false;
    for (uint32_t k = 0; k < motion->mode.gate_count; k++) {
        const rh_gate *gate = &motion->mode.gates[k];
        const double level = rh__tape_output(motion->plain, gate->level, 0);
        const double size = rh__unit_of_slot(motion, motion->system->step->outputs[gate->level]);
        is_met = is_met || (!gate->is_active && (gate->is_lifting || fabs(level) <= MET * size));
    }
    return is_met;
}

// May the motion begin with a jump, or just after one? Then a start beside it is another motion.
static bool has_resets(const rh_motion *motion)
{
    const rh_model *model = motion->equations->model;
    bool found = false;
    for (uint32_t k = 0; k < model->events.count; k++) {
        found = found || model->events.data[k].reset_count > 0;
    }
    return found;
}

// Newton's method, and where that fails in legs. What is told of failures is that of the whole.
static rh_status shoot_in_legs(rh_orbit *orbit)
{
    const rh_mark mark = rh__arena_mark(&orbit->scratch);
    const double time = orbit->passage.time;
    double *start = rh__arena_array(&orbit->scratch, double, 2 * (size_t)orbit->n + 1);
    double *scale = start + orbit->n;
    char why[sizeof orbit->reason];
    if (start == NULL) {
        return orbit->scratch.status;
    }
    memcpy(start, orbit->passage.start, orbit->n * sizeof *start);
    memcpy(scale, orbit->manifold.scale, orbit->n * sizeof *scale);
    RH_TRY(rh__shooting_solve(orbit));
    if (orbit->outcome == RH_ORBIT_FAILED && !orbit->is_timed && !orbit->def.has_whole_steps &&
        orbit->over == NULL) {
        const uint32_t iterations = orbit->iterations;
        (void)rh__text_fill(why, sizeof why, "%s", orbit->reason);
        memcpy(orbit->manifold.scale, scale, orbit->n * sizeof *scale);
        RH_TRY(rh__relay_solve(orbit, start, time));
        const bool is_found = orbit->outcome == RH_ORBIT_FOUND;
        orbit->iterations = is_found ? orbit->iterations : iterations;
        (void)rh__text_fill(orbit->reason, sizeof orbit->reason, "%s",
                            is_found              ? ""
                            : orbit->over != NULL ? orbit->over
                                                  : why);
    }
    rh__arena_rewind(&orbit->scratch, mark);
    return RH_OK;
}

// Once more, from where the motion is after a while; `near`: the time after which it may come back,
// 0: any.
static rh_status shoot_later(rh_orbit *orbit, double time, double near)
{
    rh_error err = {.message = ""};
    const uint32_t before = orbit->iterations;
    const rh_status placed = rh__motion_place(orbit->motion, orbit->begin, &err);
    if (placed != RH_OK) {
        return placed == RH_E_MODEL ? RH_OK : placed;
    }
    orbit->led = 0.0;
    RH_TRY(rh__orbit_lead(orbit, PERIODS * time));
    if (orbit->over != NULL || orbit->motion->reason[0] != '\0') {
        return RH_OK;
    }
    orbit->passage.time = time;
    if (!orbit->is_fixed) {
        rh_watch seen;
        RH_TRY(rh__orbit_recur(orbit, near, &seen));
        orbit->passage.time = seen.time > 0.0 ? seen.time : time;
    }
    bool is_there = false;
    RH_TRY(rh__measure_find(orbit, &is_there));
    RH_TRY(is_there ? rh__shooting_solve(orbit) : RH_OK);
    orbit->iterations += before;
    return RH_OK;
}

// The largest number of equal parts in which the orbit comes back to its start; 1: only as a whole.
static rh_status count_rounds(rh_orbit *orbit, uint32_t *out)
{
    rh_motion *motion = orbit->motion;
    const rh_passage *passage = &orbit->passage;
    rh_error err;
    *out = 1;
    for (uint32_t k = MOST_ROUNDS; k > 1 && *out == 1 && !rh__orbit_is_over(orbit); k--) {
        rh_stop stop = RH_STOP_NONE;
        double away = 0.0;
        RH_TRY(rh__motion_place(motion, passage->start, &err));
        RH_TRY(rh_motion_advance(motion, motion->t + passage->time / k, &stop, &err));
        for (uint32_t i = 0; i < orbit->n; i++) {
            const double part = fabs(motion->x[i] - passage->start[i]);
            away = fmax(away, part / orbit->manifold.scale[i]);
        }
        *out = stop == RH_STOP_REACHED && away < AGAIN ? k : 1;
    }
    return RH_OK;
}

// What closes after several rounds of an orbit is that orbit.
static rh_status divide(rh_orbit *orbit)
{
    rh_passage *passage = &orbit->passage;
    uint32_t rounds = 1;
    bool is_there = false;
    if (orbit->is_fixed || !orbit->image.is_identity) {
        return RH_OK;
    }
    RH_TRY(count_rounds(orbit, &rounds));
    if (rounds == 1) {
        return RH_OK;
    }
    RH_TRY(
        rh__passage_run(orbit, passage->start, passage->time / rounds, &orbit->trial, &is_there));
    if (is_there && orbit->trial.residual <= orbit->def.tolerance) {
        const rh_passage whole = *passage;
        *passage = orbit->trial;
        orbit->trial = whole;
        orbit->leg_count = 0;
    }
    return RH_OK;
}

// Of two searches that find no orbit the first one is told. One that fell onto a point of rest does
// not know a period: the motion may have another one.
static rh_status seek_later(rh_orbit *orbit, double time)
{
    const rh_mark mark = rh__arena_mark(&orbit->scratch);
    const rh_orbit_outcome outcome = orbit->outcome;
    const uint32_t iterations = orbit->iterations;
    char why[sizeof orbit->reason];
    rh_passage first;
    (void)rh__text_fill(why, sizeof why, "%s", orbit->reason);
    RH_TRY(rh__passage_reserve(&orbit->scratch, orbit->n, &first));
    rh__passage_copy(&orbit->passage, orbit->n, &first);
    orbit->outcome = RH_ORBIT_FAILED;
    RH_TRY(shoot_later(orbit, time, outcome == RH_ORBIT_EQUILIBRIUM ? 0.0 : time));
    if (orbit->outcome != RH_ORBIT_FOUND && orbit->over == NULL) {
        rh__passage_copy(&first, orbit->n, &orbit->passage);
        (void)rh__text_fill(orbit->reason, sizeof orbit->reason, "%s", why);
        orbit->outcome = outcome;
        orbit->iterations = iterations;
        orbit->led = 0.0;
    }
    rh__arena_rewind(&orbit->scratch, mark);
    return RH_OK;
}

static rh_status seek(rh_orbit *orbit, rh_error *err)
{
    bool is_rest = false;
    RH_TRY(stand(orbit, &is_rest));
    if (is_rest) {
        orbit->outcome = RH_ORBIT_EQUILIBRIUM;
        return RH_OK;
    }
    if (is_movable(orbit) && !orbit->is_timed &&
        (is_on_surface(orbit) || has_resets(orbit->motion))) {
        RH_TRY(rh__orbit_lead(orbit, 0.0));
    }
    RH_TRY(find_period(orbit, err));
    bool is_there = false;
    RH_TRY(orbit->reason[0] == '\0' ? rh__measure_find(orbit, &is_there) : RH_OK);
    RH_TRY(rh__orbit_check(orbit, err));
    const double time = orbit->passage.time;
    if (!(time > 0.0)) {
        return RH_OK;
    }
    RH_TRY(is_there ? shoot_in_legs(orbit) : RH_OK);
    if (orbit->outcome != RH_ORBIT_FOUND && is_movable(orbit) && orbit->over == NULL) {
        return seek_later(orbit, time);
    }
    return RH_OK;
}

// What happens on the way. At the start it happens at the end as well, a little before or after it
// by rounding: it counts once.
static rh_status count_events(rh_orbit *orbit)
{
    rh_motion *motion = orbit->motion;
    rh_passage *passage = &orbit->passage;
    rh_stop stop = RH_STOP_NONE;
    rh_error err;
    const double shift = SHIFT * passage->time;
    if (orbit->leg_count > 0) {
        return RH_OK; // it would lead elsewhere
    }
    RH_TRY(rh__motion_place(motion, passage->start, &err));
    const double since = motion->t + shift;
    RH_TRY(rh_motion_advance(motion, since + passage->time, &stop, &err));
    passage->event_count = 0;
    for (uint32_t k = 0; k < motion->occurrences.count; k++) {
        passage->event_count += motion->occurrences.data[k].time > since;
    }
    return RH_OK;
}

// What was asked to end has not converged, or was not judged: it is nothing that was found.
static void end_early(rh_orbit *orbit)
{
    orbit->outcome = RH_ORBIT_FAILED;
    (void)rh__text_fill(orbit->reason, sizeof orbit->reason,
                        "the search ended before it converged, after %u iteration%s: %s",
                        orbit->iterations, orbit->iterations == 1 ? "" : "s", orbit->over);
}

// A search that began elsewhere and ended at a point of rest.
static bool has_fallen(const rh_orbit *orbit)
{
    return orbit->outcome == RH_ORBIT_EQUILIBRIUM && orbit->iterations > 0;
}

rh_status rh__orbit_search(rh_orbit *orbit, rh_error *err)
{
    rh_passage *passage = &orbit->passage;
    orbit->outcome = RH_ORBIT_FAILED;
    passage->residual = (double)NAN;
    memcpy(passage->start, orbit->motion->x, orbit->n * sizeof *passage->start);
    memcpy(orbit->begin, passage->start, orbit->n * sizeof *passage->start);
    orbit->since = orbit->motion->t;
    RH_TRY(seek(orbit, err));
    RH_TRY(orbit->outcome == RH_ORBIT_FOUND ? divide(orbit) : RH_OK);
    RH_TRY(orbit->outcome == RH_ORBIT_FOUND                         ? rh__separatrix_judge(orbit)
           : orbit->outcome == RH_ORBIT_FAILED || has_fallen(orbit) ? rh__separatrix_explain(orbit)
                                                                    : RH_OK);
    RH_TRY(orbit->outcome == RH_ORBIT_FOUND ? rh__phase_settle(orbit) : RH_OK);
    RH_TRY(orbit->outcome == RH_ORBIT_FOUND ? count_events(orbit) : RH_OK);
    RH_TRY(orbit->outcome == RH_ORBIT_FOUND         ? rh__floquet_find(orbit)
           : orbit->outcome == RH_ORBIT_EQUILIBRIUM ? rh__floquet_rest(orbit)
                                                    : RH_OK);
    if (orbit->over != NULL) {
        end_early(orbit);
    }
    return RH_OK;
}
