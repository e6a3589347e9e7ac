// SPDX-License-Identifier: Apache-2.0
// The sleigh with a one-sided blade from many random starts: every event against a run with a
// tighter tolerance and a higher order - none missing, none too many - and the time it takes
// against DOP853 written by hand for this one system, with steps repeated until they end at the
// event.
//
//   bench_sleigh [RUNS]       10 000 runs of each kind unless told
//
// gravity: centre of mass 0.3 ahead of the blade, m = 1, J = 0.1, in-plane gravity 1 along -y;
// angle in 0 ... 2 pi, longitudinal and angular velocity in -2 ... 2, on the constraint; 10 s.
// torque: m = J = 1, centre of mass 0.2 ahead, torque c sin t with c in -2 ... 2, no gravity; 20 s.

#include "rheonom/rheonom.h"

#include "motion/tableau.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { SIZE = 6, MOST_EVENTS = 512 };

typedef struct sleigh {
    double inertia, ahead, gravity, torque; // mass 1
    double angle, along, turning;           // at the start
    double t_end;
} sleigh;

typedef struct event {
    double time;
    bool is_leave;
} event;

typedef struct event_list {
    event data[MOST_EVENTS];
    size_t count;
} event_list;

static double now(void)
{
    return (double)clock() / CLOCKS_PER_SEC;
}

// --- random starts -------------------------------------------------------------------------------

static double draw(uint64_t *state, double low, double high) // SplitMix64
{
    uint64_t z = (*state += UINT64_C(0x9e3779b97f4a7c15));
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    z ^= z >> 31;
    return low + (high - low) * (double)(z >> 11) * 0x1p-53;
}

static sleigh draw_sleigh(uint64_t *state, bool has_gravity)
{
    sleigh it = has_gravity ? (sleigh){.inertia = 0.1, .ahead = 0.3, .gravity = 1.0, .t_end = 10.0}
                            : (sleigh){.inertia = 1.0, .ahead = 0.2, .t_end = 20.0};
    it.torque = has_gravity ? 0.0 : draw(state, -2.0, 2.0);
    it.angle = draw(state, 0.0, 6.283185307179586);
    it.along = draw(state, -2.0, 2.0);
    it.turning = draw(state, -2.0, 2.0);
    return it;
}

// --- by the library ------------------------------------------------------------------------------

typedef struct run_result {
    double made, moved; // seconds
    bool is_reached;
    event_list events;
} run_result;

static void note_events(const rh_motion *motion, event_list *out)
{
    for (size_t k = 0; k < rh_motion_occurrence_count(motion); k++) {
        const rh_occurrence at = rh_motion_occurrence(motion, k);
        if ((at.kind == RH_OCCURRENCE_LEAVE || at.kind == RH_OCCURRENCE_ENGAGE) &&
            out->count < MOST_EVENTS) {
            out->data[out->count++] = (event){at.time, at.kind == RH_OCCURRENCE_LEAVE};
        }
    }
}

static void put_model(const sleigh *it, char *text, size_t size)
{
    (void)snprintf(text, size,
                   "param J = %.17g, a = %.17g, g = %.17g, c = %.17g\ncoord x, y, th\n"
                   "kinetic ((x' - a*th'*sin(th))^2 + (y' + a*th'*cos(th))^2)/2 + J*th'^2/2\n"
                   "potential g*(y + a*sin(th))\nforce th: c*sin(t)\n"
                   "constraint blade: -x'*sin(th) + y'*cos(th) >= 0\n"
                   "quasi lon = x'*cos(th) + y'*sin(th)\nquasi lat = -x'*sin(th) + y'*cos(th)\n"
                   "start x = 0, y = 0, th = %.17g, lon = %.17g, lat = 0, th' = %.17g\n",
                   it->inertia, it->ahead, it->gravity, it->torque, it->angle, it->along,
                   it->turning);
}

static run_result run_library(const sleigh *it, double tolerance, uint32_t order)
{
    char text[1024];
    run_result result = {.is_reached = false};
    put_model(it, text, sizeof text);
    rh_model_def def = rh_model_def_default();
    def.text = text;
    def.text_size = strlen(text);
    rh_model *model = NULL;
    rh_equations *equations = NULL;
    rh_motion *motion = NULL;
    rh_error err = {.message = ""};
    const rh_equations_def derive = rh_equations_def_default();
    rh_motion_def move = rh_motion_def_default();
    move.tolerance = tolerance > 0.0 ? tolerance : move.tolerance;
    move.order = order;
    rh_stop stop = RH_STOP_NONE;
    const double begin = now();
    const bool is_made = rh_model_create(&def, &model, &err) == RH_OK &&
                         rh_equations_create(model, &derive, &equations, &err) == RH_OK &&
                         rh_motion_create(equations, &move, &motion, &err) == RH_OK;
    const double middle = now();
    if (is_made && rh_motion_advance(motion, it->t_end, &stop, &err) == RH_OK) {
        result.is_reached = stop == RH_STOP_REACHED;
        result.moved = now() - middle;
        note_events(motion, &result.events);
    }
    if (!result.is_reached) {
        (void)fprintf(stderr, "%s %s\n%s", err.message,
                      motion != NULL ? rh_motion_reason(motion) : "", text);
    }
    result.made = middle - begin;
    rh_motion_destroy(motion);
    rh_equations_destroy(equations);
    rh_model_destroy(model);
    return result;
}

// --- by hand -------------------------------------------------------------------------------------

// z = x, y, th; velocity of the centre of mass along and across the blade; th'
typedef struct by_hand {
    const sleigh *of;
    double t, z[SIZE];
    bool is_held;
    double next; // length to try
} by_hand;

// The rate of the lateral velocity without the blade, and what a unit of its force adds.
static double find_pull(const sleigh *of, double t, const double *z)
{
    return -z[5] * z[3] - of->gravity * cos(z[2]) - of->ahead * of->torque * sin(t) / of->inertia;
}

static double find_force(const sleigh *of, double t, const double *z)
{
    return -find_pull(of, t, z) / (1.0 + of->ahead * of->ahead / of->inertia);
}

static void find_rate(const by_hand *it, double t, const double *z, double *out)
{
    const sleigh *of = it->of;
    const double s = sin(z[2]);
    const double c = cos(z[2]);
    const double across = z[4] - of->ahead * z[5];
    const double force = it->is_held ? find_force(of, t, z) : 0.0;
    out[0] = z[3] * c - across * s;
    out[1] = z[3] * s + across * c;
    out[2] = z[5];
    out[3] = z[5] * z[4] - of->gravity * s;
    out[4] = -z[5] * z[3] - of->gravity * c + force;
    out[5] = (of->torque * sin(t) - of->ahead * force) / of->inertia;
}

// One step of order 8; the error relative to what is allowed.
static double take_step(const by_hand *it, double h, double tolerance, double *end)
{
    double rate[RH_TABLEAU_STEP][SIZE];
    double z[SIZE];
    double fifths = 0.0;
    double thirds = 0.0;
    for (int k = 0; k <= RH_TABLEAU_STEP; k++) {
        double *to = k == RH_TABLEAU_END ? end : z;
        for (int i = 0; i < SIZE; i++) {
            double sum = 0.0;
            for (int j = 0; j < k; j++) {
                sum += rh__tableau.weight[k][j] * rate[j][i];
            }
            to[i] = it->z[i] + h * sum;
        }
        if (k < RH_TABLEAU_STEP) {
            find_rate(it, it->t + rh__tableau.node[k] * h, z, rate[k]);
        }
    }
    for (int i = 0; i < SIZE; i++) {
        const double size = 1.0 + fmax(fabs(it->z[i]), fabs(end[i]));
        double e5 = 0.0;
        double e3 = -rh__tableau.third[0] * rate[0][i] - rh__tableau.third[1] * rate[8][i] -
                    rh__tableau.third[2] * rate[11][i];
        for (int k = 0; k < RH_TABLEAU_STEP; k++) {
            e5 += rh__tableau.fifth[k] * rate[k][i];
            e3 += rh__tableau.weight[RH_TABLEAU_END][k] * rate[k][i];
        }
        fifths += e5 * e5 / (size * size);
        thirds += e3 * e3 / (size * size);
    }
    const double both = fifths + 0.01 * thirds;
    return both == 0.0 ? 0.0 : h * fifths / (tolerance * sqrt(both * SIZE));
}

// What is watched: positive until the event.
static double watch(const by_hand *it, double t, const double *z)
{
    return it->is_held ? find_force(it->of, t, z) : z[4] - it->of->ahead * z[5];
}

// The length of the step that ends at the event: regula falsi (Illinois), each trial a step.
static double find_event(const by_hand *it, double h, double first, double last, double tolerance,
                         double *end)
{
    double low = 0.0;
    double high = h;
    double at = h;
    for (int k = 0; k < 60 && high - low > 1e-15 * (1.0 + fabs(it->t)); k++) {
        at = low - first * (high - low) / (last - first);
        (void)take_step(it, at, tolerance, end);
        const double value = watch(it, it->t + at, end);
        if (value == 0.0) {
            return at;
        }
        if (value > 0.0) {
            low = at;
            first = value;
            last *= 0.5;
        } else {
            high = at;
            last = value;
            first *= 0.5;
        }
    }
    return at;
}

static void change_mode(by_hand *it, event_list *out)
{
    if (out->count < MOST_EVENTS) {
        out->data[out->count++] = (event){it->t, it->is_held};
    }
    it->is_held = !it->is_held;
    if (it->is_held) {
        it->z[4] = it->of->ahead * it->z[5];
    }
}

// One accepted step, or its part up to the event. Right after an event what is watched is zero: its
// sign at the end decides.
static void go_on(by_hand *it, double tolerance, bool *is_fresh, event_list *out)
{
    double end[SIZE];
    double h = fmin(it->next, it->of->t_end - it->t);
    double error = take_step(it, h, tolerance, end);
    while (error > 1.0) {
        h *= fmax(0.2, 0.9 * pow(error, -1.0 / 8.0));
        error = take_step(it, h, tolerance, end);
    }
    it->next = h * fmin(6.0, fmax(0.333, 0.9 * pow(fmax(error, 1e-10), -1.0 / 8.0)));
    const double first = *is_fresh ? 0.0 : watch(it, it->t, it->z);
    const double last = watch(it, it->t + h, end);
    const bool is_event = first > 0.0 && last < 0.0;
    if (is_event) {
        h = find_event(it, h, first, last, tolerance, end);
    }
    it->t += h;
    memcpy(it->z, end, sizeof end);
    *is_fresh = is_event;
    if (is_event) {
        change_mode(it, out);
    }
}

static run_result run_by_hand(const sleigh *of, double tolerance)
{
    by_hand it = {.of = of, .next = 0.01};
    run_result result = {.is_reached = true};
    it.z[2] = of->angle;
    it.z[3] = of->along;
    it.z[4] = of->ahead * of->turning;
    it.z[5] = of->turning;
    it.is_held = find_force(of, 0.0, it.z) > 0.0;
    bool is_fresh = !it.is_held;
    const double begin = now();
    while (it.t < of->t_end) {
        go_on(&it, tolerance, &is_fresh, &result.events);
    }
    result.moved = now() - begin;
    return result;
}

// --- comparing -----------------------------------------------------------------------------------

typedef struct score {
    size_t runs, events, within, different; // within 1e-13 (1 + t)
    double worst;
    double made, moved;
} score;

static void compare(const run_result *found, const run_result *wanted, score *out)
{
    bool is_same = found->is_reached && found->events.count == wanted->events.count;
    for (size_t k = 0; is_same && k < wanted->events.count; k++) {
        is_same = found->events.data[k].is_leave == wanted->events.data[k].is_leave &&
                  fabs(found->events.data[k].time - wanted->events.data[k].time) < 1e-6;
    }
    out->runs++;
    out->made += found->made;
    out->moved += found->moved;
    out->different += !is_same;
    for (size_t k = 0; is_same && k < wanted->events.count; k++) {
        const double time = wanted->events.data[k].time;
        const double miss = fabs(found->events.data[k].time - time);
        out->events++;
        out->within += miss <= 1e-13 * (1.0 + time);
        out->worst = fmax(out->worst, miss);
    }
}

static void say(const char *name, const score *it)
{
    printf("%-22s %8zu runs %8zu events, %5zu runs differ, %6.2f %% within 1e-13, worst %.1e; "
           "%8.3f ms a run, made in %.3f ms\n",
           name, it->runs, it->events, it->different,
           100.0 * (double)it->within / (double)(it->events > 0 ? it->events : 1), it->worst,
           1e3 * it->moved / (double)it->runs, 1e3 * it->made / (double)it->runs);
}

static size_t try_kind(bool has_gravity, uint32_t runs)
{
    uint64_t state = has_gravity ? 1 : 2;
    score own = {0};
    score hand = {0};
    for (uint32_t k = 0; k < runs; k++) {
        const sleigh it = draw_sleigh(&state, has_gravity);
        const run_result wanted = run_library(&it, 1e-15, 28);
        const run_result found = run_library(&it, 0.0, 0);
        const run_result other = run_by_hand(&it, 1e-13);
        const size_t before = own.different;
        compare(&found, &wanted, &own);
        compare(&other, &wanted, &hand);
        if (own.different > before) {
            printf("differs: angle %.17g, along %.17g, turning %.17g, torque %.17g\n", it.angle,
                   it.along, it.turning, it.torque);
        }
    }
    printf("%s\n", has_gravity ? "gravity" : "torque");
    say("  taylor, 1e-13", &own);
    say("  dop853 by hand, 1e-13", &hand);
    printf("  ratio %.2f\n", hand.moved / own.moved);
    return own.different;
}

int main(int argc, char **argv)
{
    const uint32_t runs = argc > 1 ? (uint32_t)strtoul(argv[1], NULL, 10) : 10000;
    const size_t different = try_kind(true, runs) + try_kind(false, runs);
    return different == 0 ? 0 : 1;
}
