// SPDX-License-Identifier: Apache-2.0
// What orbits and averages cost: tangents over one period (Floquet) against the same period without
// them, best of many; and the averaged solution of the Lorenz system from its text.
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

static bool make(const char *text, double tolerance, made *out)
{
    rh_error err = RH_ZERO;
    rh_model_def def = rh_model_def_default();
    *out = (made){.model = NULL};
    def.text = text;
    def.text_size = strlen(text);
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
};

static double time_plain(rh_orbit *orbit)
{
    double best = INFINITY;
    for (int k = 0; k < TRIES; k++) {
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

static double time_floquet(rh_orbit *orbit)
{
    double best = INFINITY;
    memcpy(orbit->trial.start, orbit->passage.start, orbit->n * sizeof(double));
    for (int k = 0; k < TRIES; k++) {
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
    bool ok = make(of->text, 1e-13, &it);
    ok = ok && rh_orbit_create(it.motion, &def, &orbit, &err) == RH_OK &&
         rh_orbit_summarise(orbit).outcome == RH_ORBIT_FOUND;
    if (ok) {
        const double plain = time_plain(orbit);
        const double tangents = time_floquet(orbit);
        const double limit = orbit->n + 2.0;
        ok = tangents <= limit * plain;
        (void)printf("%-26s states %u  orbit %.3g ms  with multipliers %.3g ms  ratio %.2f  limit "
                     "%.0f  %s\n",
                     of->name, orbit->n, 1e3 * plain, 1e3 * tangents, tangents / plain, limit,
                     ok ? "ok" : "ABOVE");
    } else {
        (void)printf("%-26s no orbit %s\n", of->name, err.message);
    }
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
    bool ok = make(TEXT, 1e-13, &it) &&
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
    return run_average() && ok ? EXIT_SUCCESS : EXIT_FAILURE;
}
