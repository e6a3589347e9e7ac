// SPDX-License-Identifier: Apache-2.0
// Contenders of SUNDIALS on the right sides written by hand: ARKODE (explicit, order 8), CVODE
// (Adams, fixed-point iteration) on the reduced equations; IDA on the chain with multipliers (index
// 1: the constraints differentiated twice), with a band matrix. A run that fails is no point of the
// contest and says nothing.

#include "contest.h"
#include "rods.h"
#include "rolling.h"

#include <arkode/arkode_erkstep.h>
#include <cvode/cvode.h>
#include <ida/ida.h>
#include <nvector/nvector_serial.h>
#include <sunlinsol/sunlinsol_band.h>
#include <sunmatrix/sunmatrix_band.h>
#include <sunnonlinsol/sunnonlinsol_fixedpoint.h>

#include <stdlib.h>

typedef struct setting {
    const bench_problem *problem;
    SUNContext context;
    N_Vector y, rate;
    rods in;
    double *room;
} setting;

/// Alone in functions, so that a profiler can find them.
bool solver_erk_move(void *solver, double until, N_Vector y);
bool solver_adams_move(void *solver, double until, N_Vector y);
bool solver_residual_move(void *solver, double until, N_Vector y, N_Vector rate);

// --- settings ------------------------------------------------------------------------------------

static setting begin(const bench_problem *problem, uint32_t size)
{
    setting s = {.problem = problem};
    const uint32_t n = problem->rods;
    s.room = calloc(RODS_WORK(n) + 8 * (size_t)n + 8, sizeof *s.room);
    if (s.room == NULL || SUNContext_Create(NULL, &s.context) != 0) {
        abort();
    }
    s.y = N_VNew_Serial(size, s.context);
    s.rate = N_VNew_Serial(size, s.context);
    s.in = (rods){n, 1.0 / fmax(n, 1.0), 1.0 / fmax(n, 1.0), 9.81, s.room};
    return s;
}

static void end_setting(setting *s)
{
    N_VDestroy(s->y);
    N_VDestroy(s->rate);
    (void)SUNContext_Free(&s->context);
    free(s->room);
}

// The reduced start: the disc in quasi-velocities, the chain in angles.
static setting begin_reduced(const bench_problem *problem)
{
    static const double DISC[ROLLING_REDUCED] = {0.2, 0, 0, 0, 0, 0.1, 0.5};
    setting s = begin(problem, problem->rods == 0 ? ROLLING_REDUCED : 2 * problem->rods);
    double *y = N_VGetArrayPointer(s.y);
    if (problem->rods == 0) {
        memcpy(y, DISC, sizeof DISC);
        y[7] = 10.0 - 0.5 * sin(0.2);
    }
    for (uint32_t i = 0; i < problem->rods; i++) {
        y[i] = problem->angle;
        y[problem->rods + i] = 0.0;
    }
    return s;
}

static void tell_reduced(const setting *s, double *end)
{
    const double *y = N_VGetArrayPointer(s->y);
    const uint32_t n = s->in.n;
    if (n == 0) {
        memcpy(end, y, DISC_COUNT * sizeof *y);
        end[7] += sin(y[0]) * y[6];
    }
    for (uint32_t i = 0; i < n; i++) {
        end[i] = (i > 0 ? end[i - 1] : 0.0) + s->in.length * sin(y[i]);
        end[n + i] = (i > 0 ? end[n + i - 1] : 0.0) - s->in.length * cos(y[i]);
    }
}

static int find_rate(double t, N_Vector y, N_Vector out, void *user)
{
    (void)t;
    const setting *s = user;
    if (s->in.n == 0) {
        rolling_reduced(NULL, N_VGetArrayPointer(y), N_VGetArrayPointer(out));
    } else {
        rods_angles(&s->in, N_VGetArrayPointer(y), N_VGetArrayPointer(out));
    }
    return 0;
}

// --- ARKODE --------------------------------------------------------------------------------------

__attribute__((noinline)) bool solver_erk_move(void *solver, double until, N_Vector y)
{
    double t = 0.0;
    return ERKStepEvolve(solver, until, y, &t, ARK_NORMAL) >= 0;
}

bench_finish solver_erk(const bench_problem *problem, double tolerance, double *end)
{
    setting s = begin_reduced(problem);
    bench_finish result = {.ok = false};
    long steps = 0;
    long rates = 0;
    void *solver = ERKStepCreate(find_rate, 0.0, s.y, s.context);
    if (solver != NULL && ERKStepSetErrFile(solver, NULL) == 0 &&
        ERKStepSetTableNum(solver, ARKODE_FEHLBERG_13_7_8) == 0 &&
        ERKStepSStolerances(solver, tolerance, tolerance) == 0 &&
        ERKStepSetUserData(solver, &s) == 0 && ERKStepSetMaxNumSteps(solver, 100000000) == 0 &&
        ERKStepSetStopTime(solver, problem->until) == 0) {
        const double begin_time = contest_clock();
        result.ok = solver_erk_move(solver, problem->until, s.y);
        result.seconds = contest_clock() - begin_time;
        (void)ERKStepGetNumSteps(solver, &steps);
        (void)ERKStepGetNumRhsEvals(solver, &rates);
    }
    result.steps = (uint64_t)steps;
    result.rates = (uint64_t)rates;
    tell_reduced(&s, end);
    ERKStepFree(&solver);
    end_setting(&s);
    return result;
}

// --- CVODE ---------------------------------------------------------------------------------------

__attribute__((noinline)) bool solver_adams_move(void *solver, double until, N_Vector y)
{
    double t = 0.0;
    return CVode(solver, until, y, &t, CV_NORMAL) >= 0;
}

bench_finish solver_adams(const bench_problem *problem, double tolerance, double *end)
{
    setting s = begin_reduced(problem);
    bench_finish result = {.ok = false};
    long steps = 0;
    long rates = 0;
    SUNNonlinearSolver fixed = SUNNonlinSol_FixedPoint(s.y, 0, s.context);
    void *solver = CVodeCreate(CV_ADAMS, s.context);
    if (solver != NULL && CVodeSetErrFile(solver, NULL) == 0 &&
        CVodeInit(solver, find_rate, 0.0, s.y) == 0 &&
        CVodeSStolerances(solver, tolerance, tolerance) == 0 &&
        CVodeSetNonlinearSolver(solver, fixed) == 0 && CVodeSetUserData(solver, &s) == 0 &&
        CVodeSetMaxNumSteps(solver, 100000000) == 0 &&
        CVodeSetStopTime(solver, problem->until) == 0) {
        const double begin_time = contest_clock();
        result.ok = solver_adams_move(solver, problem->until, s.y);
        result.seconds = contest_clock() - begin_time;
        (void)CVodeGetNumSteps(solver, &steps);
        (void)CVodeGetNumRhsEvals(solver, &rates);
    }
    result.steps = (uint64_t)steps;
    result.rates = (uint64_t)rates;
    tell_reduced(&s, end);
    CVodeFree(&solver);
    (void)SUNNonlinSolFree(fixed);
    end_setting(&s);
    return result;
}

// --- IDA -----------------------------------------------------------------------------------------

// By rod: x, y, u, v, and the force over the length z.
enum { RESIDUAL_WIDTH = 5, RESIDUAL_UPPER = 7, RESIDUAL_LOWER = 9 };

static int find_residual(double t, N_Vector y_vector, N_Vector rate_vector, N_Vector out_vector,
                         void *user)
{
    (void)t;
    static const double ORIGIN[RESIDUAL_WIDTH] = {0};
    const rods *in = &((const setting *)user)->in;
    const double *y = N_VGetArrayPointer(y_vector);
    const double *rate = N_VGetArrayPointer(rate_vector);
    double *out = N_VGetArrayPointer(out_vector);
    for (uint32_t i = 0; i < in->n; i++) {
        const double *p = y + (size_t)RESIDUAL_WIDTH * i;
        const double *q = i > 0 ? p - RESIDUAL_WIDTH : ORIGIN;
        const double *a = rate + (size_t)RESIDUAL_WIDTH * i;
        const double *b = i > 0 ? a - RESIDUAL_WIDTH : ORIGIN;
        double *r = out + (size_t)RESIDUAL_WIDTH * i;
        const double dx = p[0] - q[0];
        const double dy = p[1] - q[1];
        const double du = p[2] - q[2];
        const double dv = p[3] - q[3];
        const double fx = p[4] * dx;
        const double fy = p[4] * dy;
        r[0] = a[0] - p[2];
        r[1] = a[1] - p[3];
        r[2] = in->mass * a[2] + fx;
        r[3] = in->mass * (a[3] + in->gravity) + fy;
        r[4] = dx * (a[2] - b[2]) + dy * (a[3] - b[3]) + du * du + dv * dv;
        if (i > 0) {
            r[2 - RESIDUAL_WIDTH] -= fx;
            r[3 - RESIDUAL_WIDTH] -= fy;
        }
    }
    return 0;
}

static void start_residual(setting *s, N_Vector id)
{
    const uint32_t n = s->in.n;
    double *cartesian = s->room + RODS_WORK(n);
    double *rate = cartesian + 4 * (size_t)n;
    for (uint32_t i = 0; i < n; i++) {
        cartesian[i] = (i + 1.0) * s->in.length * sin(s->problem->angle);
        cartesian[n + i] = -(i + 1.0) * s->in.length * cos(s->problem->angle);
    }
    rods_multipliers(&s->in, cartesian, rate);
    const double *z = s->in.work + 2 * ((size_t)n + 1);
    for (uint32_t i = 0; i < n; i++) {
        for (uint32_t k = 0; k < 4; k++) {
            N_VGetArrayPointer(s->y)[RESIDUAL_WIDTH * i + k] = cartesian[k * n + i];
            N_VGetArrayPointer(s->rate)[RESIDUAL_WIDTH * i + k] = rate[k * n + i];
            N_VGetArrayPointer(id)[RESIDUAL_WIDTH * i + k] = 1.0;
        }
        N_VGetArrayPointer(s->y)[RESIDUAL_WIDTH * i + 4] = z[i];
        N_VGetArrayPointer(s->rate)[RESIDUAL_WIDTH * i + 4] = 0.0;
        N_VGetArrayPointer(id)[RESIDUAL_WIDTH * i + 4] = 0.0;
    }
}

__attribute__((noinline)) bool solver_residual_move(void *solver, double until, N_Vector y,
                                                    N_Vector rate)
{
    double t = 0.0;
    return IDASolve(solver, until, &t, y, rate, IDA_NORMAL) >= 0;
}

bench_finish solver_residual(const bench_problem *problem, double tolerance, double *end)
{
    setting s = begin(problem, RESIDUAL_WIDTH * problem->rods);
    bench_finish result = {.ok = false};
    long steps = 0;
    long rates = 0;
    const sunindextype size = RESIDUAL_WIDTH * problem->rods;
    const sunindextype upper = size > RESIDUAL_UPPER ? RESIDUAL_UPPER : size - 1;
    const sunindextype lower = size > RESIDUAL_LOWER ? RESIDUAL_LOWER : size - 1;
    N_Vector id = N_VNew_Serial(size, s.context);
    SUNMatrix matrix = SUNBandMatrix(size, upper, lower, s.context);
    SUNLinearSolver band = SUNLinSol_Band(s.y, matrix, s.context);
    start_residual(&s, id);
    void *solver = IDACreate(s.context);
    if (solver != NULL && IDASetErrFile(solver, NULL) == 0 &&
        IDAInit(solver, find_residual, 0.0, s.y, s.rate) == 0 &&
        IDASStolerances(solver, tolerance, tolerance) == 0 && IDASetUserData(solver, &s) == 0 &&
        IDASetId(solver, id) == 0 && IDASetSuppressAlg(solver, 1) == 0 &&
        IDASetLinearSolver(solver, band, matrix) == 0 &&
        IDASetMaxNumSteps(solver, 100000000) == 0 && IDASetStopTime(solver, problem->until) == 0) {
        const double begin_time = contest_clock();
        result.ok = solver_residual_move(solver, problem->until, s.y, s.rate);
        result.seconds = contest_clock() - begin_time;
        (void)IDAGetNumSteps(solver, &steps);
        (void)IDAGetNumResEvals(solver, &rates);
    }
    result.steps = (uint64_t)steps;
    result.rates = (uint64_t)rates;
    for (uint32_t i = 0; i < problem->rods; i++) {
        end[i] = N_VGetArrayPointer(s.y)[RESIDUAL_WIDTH * i];
        end[problem->rods + i] = N_VGetArrayPointer(s.y)[RESIDUAL_WIDTH * i + 1];
    }
    IDAFree(&solver);
    (void)SUNLinSolFree(band);
    SUNMatDestroy(matrix);
    N_VDestroy(id);
    end_setting(&s);
    return result;
}
