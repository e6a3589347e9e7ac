// SPDX-License-Identifier: Apache-2.0
// What charts and optima cost: a million points of the rolling disc on two threads, with its
// curves; and its best damping. Processor time counts: machines are shared.
//
//   bench_charts [POINTS]     points along each axis (default 1000); exit 1 above the limit

#include "rheonom/rheonom.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define LIMIT 20.0 // seconds for a million points on two cores
enum { THREADS = 2 };

static const char DISC[] =
    "param m = 1, a = 0.5, g = 9.81, h = 0.1\nparam A = m*a^2/4, C = m*a^2/2\n"
    "coord theta, psi, phi, x, y\nlet xc = x - a*sin(theta)*sin(psi)\n"
    "let yc = y + a*sin(theta)*cos(psi)\nlet zc = a*cos(theta)\n"
    "kinetic m/2*(xc'^2 + yc'^2 + zc'^2) + (A*theta'^2 + A*cos(theta)^2*psi'^2 + C*w3^2)/2\n"
    "potential m*g*zc\ndissipation h*theta'^2/2\n"
    "constraint roll_x: x' = a*cos(psi)*phi'\nconstraint roll_y: y' = a*sin(psi)*phi'\n"
    "quasi w1 = theta'\nquasi w2 = psi'\nquasi w3 = phi' - sin(theta)*psi'\n"
    "start theta = 0.3, psi = 0.4, phi = 0, x = 0.1, y = -0.2\n"
    "start theta' = 0.1, psi' = 0.8, w3 = 6\n";

static double wall(void)
{
    struct timespec at = {0};
    (void)timespec_get(&at, TIME_UTC);
    return (double)at.tv_sec + 1e-9 * (double)at.tv_nsec;
}

static double processor(void)
{
    return (double)clock() / CLOCKS_PER_SEC;
}

static bool chart(rh_equations *equations, uint32_t count)
{
    rh_error err = RH_ZERO;
    rh_chart *made = NULL;
    rh_chart_def def = rh_chart_def_default();
    def.thread_count = THREADS;
    def.x = (rh_chart_axis){"w3", 0.0, 10.0, count};
    def.y = (rh_chart_axis){"theta", 0.0, 1.2, count};
    const double wall_before = wall();
    const double before = processor();
    if (rh_chart_create(equations, &def, &made, &err) != RH_OK) {
        (void)fprintf(stderr, "%s\n", err.message);
        return false;
    }
    const double spent = processor() - before;
    const double points = (double)count * count;
    (void)printf(
        "chart of the disc       %8.0f points  %6.2f s of processors, %6.2f s by the clock, "
        "%5.2f us a point, %zu curves\n",
        points, spent, wall() - wall_before, 1e6 * spent / points,
        rh_chart_summarise(made).curve_count);
    rh_chart_destroy(made);
    const bool is_fast = spent / THREADS <= LIMIT * points / 1e6;
    if (!is_fast) {
        (void)printf("above the limit: %.0f s for a million points on two cores\n", LIMIT);
    }
    return is_fast;
}

static bool optimise(rh_equations *equations)
{
    rh_error err = RH_ZERO;
    rh_optimum *made = NULL;
    const rh_optimum_range over[] = {{"h", 0.0, 20.0}};
    const rh_steady_value fix[] = {{"theta", 0.5}, {"w3", 6.0}};
    rh_optimum_def def = rh_optimum_def_default();
    def.over = over;
    def.over_count = 1;
    def.steady.fix = fix;
    def.steady.fix_count = 2;
    const double before = processor();
    if (rh_optimum_create(equations, &def, &made, &err) != RH_OK) {
        (void)fprintf(stderr, "%s\n", err.message);
        return false;
    }
    (void)printf("best damping of the disc %7.0f looks   %6.3f s of processors\n",
                 (double)rh_optimum_summarise(made).looks, processor() - before);
    rh_optimum_destroy(made);
    return true;
}

int main(int count, char **arguments)
{
    rh_error err = RH_ZERO;
    rh_model *model = NULL;
    rh_equations *equations = NULL;
    rh_model_def def = rh_model_def_default();
    rh_equations_def derive = rh_equations_def_default();
    const long along = count > 1 ? strtol(arguments[1], NULL, 10) : 1000;
    def.text = DISC;
    def.text_size = strlen(DISC);
    derive.has_presolve = false;
    bool ok = along >= 2 && along <= 10000 && rh_model_create(&def, &model, &err) == RH_OK &&
              rh_equations_create(model, &derive, &equations, &err) == RH_OK;
    if (!ok) {
        (void)fprintf(stderr, "bench_charts [POINTS]: %s\n", err.message);
    }
    ok = ok && chart(equations, (uint32_t)along) && optimise(equations);
    rh_equations_destroy(equations);
    rh_model_destroy(model);
    return ok ? 0 : 1;
}
