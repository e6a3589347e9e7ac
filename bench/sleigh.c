// SPDX-License-Identifier: Apache-2.0
// Many sleighs by the library: one motion that is begun anew for each; the reference of their
// events, and errors of events.

#include "sleigh.h"

#include "rheonom/rheonom.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static bool complain(const char *why)
{
    (void)fprintf(stderr, "bench_motion: sleigh: %s\n", why);
    return false;
}

// --- random starts -------------------------------------------------------------------------------

bool sleigh_has_gravity(const bench_problem *problem)
{
    return problem->until < 15.0;
}

static double draw(uint64_t *state, double low, double high) // SplitMix64
{
    uint64_t z = (*state += UINT64_C(0x9e3779b97f4a7c15));
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    z ^= z >> 31;
    return low + (high - low) * (double)(z >> 11) * 0x1p-53;
}

sleigh sleigh_draw(const bench_problem *problem, uint64_t k)
{
    const bool has_gravity = sleigh_has_gravity(problem);
    uint64_t state = (has_gravity ? 1 : 2) + (k << 20);
    sleigh it = has_gravity ? (sleigh){.inertia = 0.1, .ahead = 0.3, .gravity = 1.0}
                            : (sleigh){.inertia = 1.0, .ahead = 0.2};
    it.torque = has_gravity ? 0.0 : draw(&state, -2.0, 2.0);
    it.angle = draw(&state, 0.0, 6.283185307179586);
    it.along = draw(&state, -2.0, 2.0);
    it.turning = draw(&state, -2.0, 2.0);
    return it;
}

// --- by the library ------------------------------------------------------------------------------

static const char GRAVITY[] =
    "param J = 0.1, a = 0.3, g = 1\ncoord x, y, th\n"
    "kinetic ((x' - a*th'*sin(th))^2 + (y' + a*th'*cos(th))^2)/2 + J*th'^2/2\n"
    "potential g*(y + a*sin(th))\n"
    "constraint blade: -x'*sin(th) + y'*cos(th) >= 0\n"
    "quasi lon = x'*cos(th) + y'*sin(th)\nquasi lat = -x'*sin(th) + y'*cos(th)\n"
    "start x = 0, y = 0, th = 1, lon = 1, lat = 0, th' = 1\n";

static const char TORQUE[] =
    "param J = 1, a = 0.2, c = 1\ncoord x, y, th\n"
    "kinetic ((x' - a*th'*sin(th))^2 + (y' + a*th'*cos(th))^2)/2 + J*th'^2/2\n"
    "force th: c*sin(t)\n"
    "constraint blade: -x'*sin(th) + y'*cos(th) >= 0\n"
    "quasi lon = x'*cos(th) + y'*sin(th)\nquasi lat = -x'*sin(th) + y'*cos(th)\n"
    "start x = 0, y = 0, th = 1, lon = 1, lat = 0, th' = 1\n";

typedef struct own {
    rh_model *model;
    rh_equations *equations;
    rh_motion *motion;
} own;

static bool make(const bench_problem *problem, double tolerance, uint32_t order, own *out)
{
    static const char *const SET[] = {"c=1"};
    static const char *const START[] = {"th=1", "lon=1", "th'=1"};
    const bool has_gravity = sleigh_has_gravity(problem);
    rh_model_def def = rh_model_def_default();
    const rh_equations_def derive = rh_equations_def_default();
    rh_motion_def move = rh_motion_def_default();
    rh_error err = {.message = ""};
    def.text = has_gravity ? GRAVITY : TORQUE;
    def.text_size = strlen(def.text);
    def.set = SET;
    def.set_count = has_gravity ? 0 : 1;
    def.start = START;
    def.start_count = 3;
    move.tolerance = tolerance;
    move.order = order;
    move.tier = RH_TIER_EMITTED;
    move.expected = problem->members;
    return (rh_model_create(&def, &out->model, &err) == RH_OK &&
            rh_equations_create(out->model, &derive, &out->equations, &err) == RH_OK &&
            rh_motion_create(out->equations, &move, &out->motion, &err) == RH_OK) ||
           complain(err.message);
}

static void destroy(own *it)
{
    rh_motion_destroy(it->motion);
    rh_equations_destroy(it->equations);
    rh_model_destroy(it->model);
}

void sleigh_note(double *run, double time, bool is_leave)
{
    run[0] += 1.0;
    if (run[0] < SLEIGH_ROOM) {
        run[(size_t)run[0]] = is_leave ? time : -time;
    }
}

static void note_events(const rh_motion *motion, double *run)
{
    run[0] = 0.0;
    for (size_t k = 0; k < rh_motion_occurrence_count(motion); k++) {
        const rh_occurrence at = rh_motion_occurrence(motion, k);
        if (at.kind == RH_OCCURRENCE_LEAVE || at.kind == RH_OCCURRENCE_ENGAGE) {
            sleigh_note(run, at.time, at.kind == RH_OCCURRENCE_LEAVE);
        }
    }
}

// One that ends early lacks events, and differs by that.
static bool move_one(const bench_problem *problem, own *it, const sleigh *from, double *seconds)
{
    const double start[] = {from->angle, from->along, from->turning};
    const size_t set_count = sleigh_has_gravity(problem) ? 0 : 1;
    rh_stop stop = RH_STOP_NONE;
    const double begin = contest_clock();
    const bool ok =
        rh_motion_restart(it->motion, &from->torque, set_count, start, 3, NULL) == RH_OK &&
        rh_motion_advance(it->motion, problem->until, &stop, NULL) == RH_OK;
    *seconds += contest_clock() - begin;
    return ok && stop == RH_STOP_REACHED;
}

static bench_finish run(const bench_problem *problem, double tolerance, uint32_t order, double *end)
{
    own it = {NULL, NULL, NULL};
    bench_finish result = {.ok = false};
    const double begin = contest_clock();
    if (make(problem, tolerance, order, &it)) {
        result.preparation = contest_clock() - begin;
        result.ok = true;
        uint64_t failed = 0;
        for (uint64_t k = 0; k < problem->members; k++) {
            const sleigh from = sleigh_draw(problem, k);
            failed += !move_one(problem, &it, &from, &result.seconds);
            note_events(it.motion, end + k * SLEIGH_ROOM);
            const rh_motion_summary summary = rh_motion_summarise(it.motion);
            result.steps += summary.steps;
            result.order = summary.order;
        }
        if (failed > 0) {
            (void)fprintf(stderr, "bench_motion: %s, %.0e: %llu runs end early\n", problem->name,
                          tolerance, (unsigned long long)failed);
        }
    }
    destroy(&it);
    return result;
}

bench_finish sleigh_own(const bench_problem *problem, double tolerance, double *end)
{
    return run(problem, tolerance, 0, end);
}

bool sleigh_reference(bench_problem *problem)
{
    problem->count = (size_t)problem->members * SLEIGH_ROOM;
    problem->reference = calloc(problem->count, sizeof(double));
    return problem->reference != NULL && run(problem, 1e-15, 28, problem->reference).ok;
}

// --- comparing -----------------------------------------------------------------------------------

// The same events in the same order, but for small errors?
static bool is_same(const double *found, const double *wanted)
{
    bool same = found[0] == wanted[0] && wanted[0] < SLEIGH_ROOM;
    for (size_t k = 1; same && k <= (size_t)wanted[0]; k++) {
        same = fabs(found[k] - wanted[k]) < 1e-6;
    }
    return same;
}

typedef struct score {
    size_t different; // runs
    size_t events;
    double *errors; // of all events, relative to 1 + time; infinite in runs that differ
    double worst;   // absolute, of the others
} score;

static score compare(const bench_problem *problem, const double *end)
{
    score it = {.errors = calloc(problem->count, sizeof(double))};
    if (it.errors == NULL) {
        abort();
    }
    for (uint32_t r = 0; r < problem->members; r++) {
        const double *found = end + (size_t)r * SLEIGH_ROOM;
        const double *wanted = problem->reference + (size_t)r * SLEIGH_ROOM;
        const bool same = is_same(found, wanted);
        it.different += !same;
        for (size_t k = 1; k <= (size_t)wanted[0] && k < SLEIGH_ROOM; k++) {
            const double off = fabs(found[k] - wanted[k]);
            it.errors[it.events++] = same ? off / (1.0 + fabs(wanted[k])) : (double)INFINITY;
            it.worst = same ? fmax(it.worst, off) : it.worst;
        }
    }
    contest_sort(it.errors, it.events);
    return it;
}

double sleigh_error(const bench_problem *problem, const double *end)
{
    const score it = compare(problem, end);
    // what is below the resolution of times is not told apart
    const double error = it.events == 0 ? 0.0 : it.errors[(size_t)(0.99 * (double)it.events)];
    free(it.errors);
    return fmax(error, 1e-17);
}

static size_t tell_one(const bench_problem *problem, const char *key, double *end)
{
    const contender *who = contender_find(key);
    const bench_finish done = who->run(problem, 1e-13, end);
    const score it = compare(problem, end);
    size_t within = 0;
    while (within < it.events && it.errors[within] <= 1e-13) {
        within++;
    }
    printf("  %-23s %7u runs %8zu events, %5zu runs differ, %6.2f %% within 1e-13, worst %.1e; "
           "%.4f ms a run\n",
           who->name, problem->members, it.events, it.different,
           100.0 * (double)within / (double)(it.events > 0 ? it.events : 1), it.worst,
           1e3 * done.seconds / problem->members);
    free(it.errors);
    return done.ok ? it.different : problem->members;
}

bool sleigh_tell(const bench_problem *problem, results *to)
{
    double *end = calloc(problem->count, sizeof *end);
    if (end == NULL) {
        return false;
    }
    printf("%s, tolerance 1e-13, event by event\n", problem->name);
    const double different = (double)tell_one(problem, "sleigh", end);
    (void)tell_one(problem, "events", end);
    free(end);
    const goal_row row = {.name = problem->name,
                          .what = "runs of rheonom whose events differ",
                          .is_limit = true,
                          .figure = different,
                          .median = different,
                          .low = different,
                          .high = different};
    results_row(to, &row);
    return true;
}
