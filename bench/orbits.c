// SPDX-License-Identifier: Apache-2.0
// What orbits and averages cost: tangents over one period (Floquet) against the same period without
// them, best of many; a branch over a wide range; and the averaged solution of the Lorenz system
// from its text.
//
//   bench_orbits              a line for each case; exit 1 when one is above its limit

#include "rheonom/rheonom.h"

#include "orbit/orbit.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { TRIES = 200 };

static double now(void)
{
    return (double)clock() / CLOCKS_PER_SEC;
}

typedef struct made {
    rh_model *model;
    rh_equations *equations;
    rh_motion *motion;
} made;

static bool make(const char *text, const char *setting, double tolerance, made *out)
{
    rh_error err = RH_ZERO;
    rh_model_def def = rh_model_def_default();
    *out = (made){.model = NULL};
    def.text = text;
    def.text_size = strlen(text);
    def.set = setting != NULL ? &setting : NULL;
    def.set_count = setting != NULL;
    rh_equations_def derive = rh_equations_def_default();
    derive.has_presolve = false;
    rh_motion_def move = rh_motion_def_default();
    move.tolerance = tolerance;
    move.tier = RH_TIER_INTERPRETED;
    const bool ok = rh_model_create(&def, &out->model, &err) == RH_OK &&
                    rh_equations_create(out->model, &derive, &out->equations, &err) == RH_OK &&
                    rh_motion_create(out->equations, &move, &out->motion, &err) == RH_OK;
    if (!ok) {
        (void)fprintf(stderr, "%s\n", err.message);
    }
    return ok;
}

static void destroy(made *it)
{
    rh_motion_destroy(it->motion);
    rh_equations_destroy(it->equations);
    rh_model_destroy(it->model);
}

// --- Floquet -------------------------------------------------------------------------------------

typedef struct floquet_case {
    const char *name, *text;
    double period; // 0: found
    bool is_large; // fewer tries
} floquet_case;

static const floquet_case CASES[] = {
    {"van der Pol",
     "state x, v\nlaw x' = v\nlaw v' = (1 - x^2)*v - x\nstart x = 2.008619860874843, v = 0\n", 0.0},
    {"Lorenz, Chetaev form",
     "param sigma = 10, b = 8/3, mu = 1/10\nstate xi, p, eta\nlaw xi' = p\n"
     "law p' = -mu*p - (eta - 1)*xi - xi^3\n"
     "law eta' = -mu*(b*eta - (2*sigma - b)*xi^2)/(sigma + 1)\n"
     "start xi = 0.59597642919780018, p = 0, eta = 0.84808163544787781\n",
     22.863435068893363},
    {"pendulum on a circle",
     "coord x, y\nkinetic (x'^2 + y'^2)/2\npotential y\nconstraint rod: x^2 + y^2 = 1\n"
     "guess y = -1\nstart x = 0.9, x' = 0\n",
     0.0},
    {"two coupled oscillators",
     "coord a, b\nkinetic (a'^2 + b'^2 + cos(a - b)*a'*b')/2\npotential -cos(a) - cos(b)\n"
     "force a: 0.3*cos(t) - a'/5\nforce b: -b'/5\nstart a = 0, b = 0, a' = 0, b' = 0\n",
     6.283185307179586},
    {"32 masses, nonlinear springs",
     "param N = 32\ncoord q[1..N]\nkinetic sum(i in 1..N: q[i]'^2/2)\n"
     "potential (q[1]^2 + q[N]^2)/2 + (q[1]^4 + q[N]^4)/40 +\n"
     "    sum(i in 2..N: (q[i] - q[i-1])^2/2 + (q[i] - q[i-1])^4/40)\n"
     "for i in 1..N: start q[i] = sin(pi*i/(N + 1))\n",
     0.0, true},
};

static double time_plain(rh_orbit *orbit, int tries)
{
    double best = INFINITY;
    for (int k = 0; k < tries; k++) {
        rh_stop stop = RH_STOP_NONE;
        const double begin = now();
        if (rh__motion_place(orbit->motion, orbit->passage.start, NULL) != RH_OK ||
            rh_motion_advance(orbit->motion, orbit->motion->t + orbit->passage.time, &stop, NULL) !=
                RH_OK) {
            return NAN;
        }
        best = fmin(best, now() - begin);
    }
    return best;
}

static double time_floquet(rh_orbit *orbit, int tries)
{
    double best = INFINITY;
    memcpy(orbit->trial.start, orbit->passage.start, orbit->n * sizeof(double));
    for (int k = 0; k < tries; k++) {
        bool is_there = false;
        const double begin = now();
        if (rh__passage_run(orbit, orbit->trial.start, orbit->passage.time, &orbit->passage,
                            &is_there) != RH_OK ||
            !is_there || rh__floquet_find(orbit) != RH_OK) {
            return NAN;
        }
        best = fmin(best, now() - begin);
    }
    return best;
}

static bool run_floquet(const floquet_case *of)
{
    made it;
    rh_orbit *orbit = NULL;
    rh_error err = RH_ZERO;
    rh_orbit_def def = rh_orbit_def_default();
    def.period = of->period;
    bool ok = make(of->text, NULL, 1e-13, &it);
    ok = ok && rh_orbit_create(it.motion, &def, &orbit, &err) == RH_OK &&
         rh_orbit_summarise(orbit).outcome == RH_ORBIT_FOUND;
    if (ok) {
        const int tries = of->is_large ? TRIES / 20 : TRIES;
        const double plain = time_plain(orbit, tries);
        const double tangents = time_floquet(orbit, tries);
        const double limit = orbit->n + 2.0;
        const bool is_below = tangents <= limit * plain;
        ok = is_below;
        (void)printf("%-26s states %u  orbit %.3g ms  with multipliers %.3g ms  ratio %.2f  limit "
                     "%.0f  %s\n",
                     of->name, orbit->n, 1e3 * plain, 1e3 * tangents, tangents / plain, limit,
                     is_below ? "ok" : "ABOVE");
    } else {
        (void)printf("%-26s no orbit %s\n", of->name, err.message);
    }
    rh_orbit_destroy(orbit);
    destroy(&it);
    return ok;
}

// --- branches ------------------------------------------------------------------------------------

// Van der Pol from a nearly harmonic oscillation to one that creeps and jumps.
static bool run_branch(void)
{
    static const char TEXT[] = "param mu = 1\nstate x, v\nlaw x' = v\n"
                               "law v' = mu*(1 - x^2)*v - x\nstart x = 2, v = 0\n";
    const uint32_t limit = 300;
    made it;
    rh_orbit *orbit = NULL;
    rh_branch *branch = NULL;
    const rh_orbit_def def = rh_orbit_def_default();
    rh_branch_def follow = rh_branch_def_default();
    follow.set_count = 1;
    follow.from = 0.1;
    follow.to = 60.0;
    const double begin = now();
    bool ok = make(TEXT, "mu=0.1", 1e-15, &it) &&
              rh_orbit_create(it.motion, &def, &orbit, NULL) == RH_OK &&
              rh_orbit_summarise(orbit).outcome == RH_ORBIT_FOUND &&
              rh_branch_create(orbit, &follow, &branch, NULL) == RH_OK;
    rh_branch_point point = {.parameter = 0.0};
    uint32_t count = 0;
    bool is_there = ok;
    while (is_there && count <= limit) {
        rh_branch_point next;
        ok = ok && rh_branch_step(branch, &next, &is_there, NULL) == RH_OK;
        is_there = is_there && ok;
        point = is_there ? next : point;
        count += is_there;
    }
    ok = ok && count <= limit && point.parameter == follow.to;
    (void)printf("%-26s mu 0.1 to %.3g  points %u  limit %u  %.2f s  %s\n", "branch of van der Pol",
                 point.parameter, count, limit, now() - begin, ok ? "ok" : "ABOVE");
    rh_branch_destroy(branch);
    rh_orbit_destroy(orbit);
    destroy(&it);
    return ok;
}

// --- averages ------------------------------------------------------------------------------------

static bool run_average(void)
{
    static const char TEXT[] =
        "param sigma = 10, b = 8/3, mu = 1/10\nstate xi, p, eta\n"
        "let f = (b*eta - (2*sigma - b)*xi^2)/(sigma + 1)\nlaw xi' = p\n"
        "law p' = -mu*p - (eta - 1)*xi - xi^3\nlaw eta' = -mu*f\nselect p, eta\n"
        "constraint level: p^2 + (eta - 1)*xi^2 + xi^4/2 = const\nconstraint held: eta = const\n"
        "start xi = 0.7, p = 0, eta = 0.8\n";
    static const char *const BOX[] = {"xi=0.3:1", "eta=0.5:1"};
    const double limit = 0.3;
    rh_average *average = NULL;
    made it;
    rh_average_def def = rh_average_def_default();
    def.unknowns = BOX;
    def.unknown_count = 2;
    const double begin = now();
    bool ok = make(TEXT, NULL, 1e-13, &it) &&
              rh_average_create(it.motion, &def, &average, NULL) == RH_OK &&
              rh_average_solution_count(average) == 1;
    const double seconds = now() - begin;
    ok = ok && seconds <= limit;
    (void)printf("%-26s from text %.3f s  limit %.1f s  %s\n", "averages of Lorenz", seconds, limit,
                 ok ? "ok" : "ABOVE");
    rh_average_destroy(average);
    destroy(&it);
    return ok;
}

int main(void)
{
    bool ok = true;
    for (size_t k = 0; k < sizeof CASES / sizeof *CASES; k++) {
        ok = run_floquet(&CASES[k]) && ok;
    }
    ok = run_branch() && ok;
    return run_average() && ok ? EXIT_SUCCESS : EXIT_FAILURE;
}
