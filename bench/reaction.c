// SPDX-License-Identifier: Apache-2.0
// What a large stiff system costs: the Brusselator on a periodic square (Hairer and Wanner II,
// IV.10; alpha = 10 as in SciML's benchmark) to t = 11.5, from the text of its model, against CVODE
// with KLU and right sides and a sparse Jacobian written by hand.
//
//   bench_reaction [N [TOLERANCE]]     N x N points (32), 1e-6; exit 1 when a limit is passed

#include "rheonom/rheonom.h"

#include <cvode/cvode.h>
#include <cvode/cvode_ls.h>
#include <nvector/nvector_serial.h>
#include <sunlinsol/sunlinsol_klu.h>
#include <sunmatrix/sunmatrix_sparse.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static const double LIMIT = 3.0; // times the time of the contender
static const double ALPHA = 10.0;
static const double UNTIL = 11.5;
static const double LATE = 1.1; // when the source begins
enum { REPEATS = 3 };

static double now(void)
{
    return (double)clock() / CLOCKS_PER_SEC;
}

// --- by hand -------------------------------------------------------------------------------------

typedef struct plane {
    int n;
    double k;
    double late; // of the source: 0, then 5
    bool *is_in_spot;
} plane;

static int wrap(int i, int n)
{
    return i < 0 ? i + n : i >= n ? i - n : i;
}

static int find_rate(realtype t, N_Vector y, N_Vector out, void *user)
{
    const plane *on = user;
    const int n = on->n;
    const double *u = NV_DATA_S(y);
    const double *v = u + n * n;
    double *du = NV_DATA_S(out);
    double *dv = du + n * n;
    (void)t;
    for (int i = 0; i < n; i++) {
        const int up = wrap(i - 1, n) * n;
        const int down = wrap(i + 1, n) * n;
        for (int j = 0; j < n; j++) {
            const int at = i * n + j;
            const int left = i * n + wrap(j - 1, n);
            const int right = i * n + wrap(j + 1, n);
            const double uuv = u[at] * u[at] * v[at];
            const double su = u[up + j] + u[down + j] + u[left] + u[right] - 4.0 * u[at];
            const double sv = v[up + j] + v[down + j] + v[left] + v[right] - 4.0 * v[at];
            du[at] = 1.0 + uuv - 4.4 * u[at] + on->k * su + (on->is_in_spot[at] ? on->late : 0.0);
            dv[at] = 3.4 * u[at] - uuv + on->k * sv;
        }
    }
    return 0;
}

typedef struct entry {
    int row;
    double value;
} entry;

static int by_row(const void *a, const void *b)
{
    return ((const entry *)a)->row - ((const entry *)b)->row;
}

// Column `at` of u (shift 0) or v (shift n^2).
static void list_column(const plane *on, const double *u, const double *v, int at, bool is_v,
                        entry *out)
{
    const int n = on->n;
    const int i = at / n;
    const int j = at % n;
    const int shift = is_v ? n * n : 0;
    const int near[] = {wrap(i - 1, n) * n + j, wrap(i + 1, n) * n + j, i * n + wrap(j - 1, n),
                        i * n + wrap(j + 1, n)};
    for (int k = 0; k < 4; k++) {
        out[k] = (entry){shift + near[k], on->k};
    }
    const double uu = u[at] * u[at];
    const double uv = 2.0 * u[at] * v[at];
    out[4] = (entry){at, is_v ? uu : uv - 4.4 - 4.0 * on->k};
    out[5] = (entry){n * n + at, is_v ? -uu - 4.0 * on->k : 3.4 - uv};
    qsort(out, 6, sizeof *out, by_row);
}

static int find_jacobian(realtype t, N_Vector y, N_Vector rate, SUNMatrix out, void *user,
                         N_Vector a, N_Vector b, N_Vector c)
{
    const plane *on = user;
    const int points = on->n * on->n;
    const double *u = NV_DATA_S(y);
    (void)t;
    (void)rate;
    (void)a;
    (void)b;
    (void)c;
    for (int column = 0; column < 2 * points; column++) {
        entry list[6];
        list_column(on, u, u + points, column % points, column >= points, list);
        SM_INDEXPTRS_S(out)[column] = 6 * (sunindextype)column;
        for (int k = 0; k < 6; k++) {
            SM_INDEXVALS_S(out)[6 * column + k] = list[k].row;
            SM_DATA_S(out)[6 * column + k] = list[k].value;
        }
    }
    SM_INDEXPTRS_S(out)[2 * points] = 12 * (sunindextype)points;
    return 0;
}

static bool begin_plane(int n, plane *out, double *y)
{
    *out = (plane){
        .n = n, .k = ALPHA * n * n, .is_in_spot = calloc((size_t)n * (size_t)n, sizeof(bool))};
    for (int at = 0; out->is_in_spot != NULL && at < n * n; at++) {
        const double x = (double)(at / n) / n;
        const double z = (double)(at % n) / n;
        y[at] = 22.0 * z * pow(1.0 - z, 1.5);
        y[n * n + at] = 27.0 * x * pow(1.0 - x, 1.5);
        out->is_in_spot[at] = (x - 0.3) * (x - 0.3) + (z - 0.6) * (z - 0.6) <= 0.01;
    }
    return out->is_in_spot != NULL;
}

// The seconds; the state is left in `out`.
static double run_by_hand(int n, double tolerance, double *out, long *out_steps)
{
    plane on;
    const sunindextype size = 2 * (sunindextype)n * n;
    SUNContext context = NULL;
    if (!begin_plane(n, &on, out) || SUNContext_Create(NULL, &context) != 0) {
        abort();
    }
    const double begin = now();
    N_Vector y = N_VMake_Serial(size, out, context);
    SUNMatrix matrix = SUNSparseMatrix(size, size, 6 * size, CSC_MAT, context);
    SUNLinearSolver solver = SUNLinSol_KLU(y, matrix, context);
    void *memory = CVodeCreate(CV_BDF, context);
    double t = 0.0;
    bool ok = CVodeInit(memory, find_rate, 0.0, y) == 0 && CVodeSetUserData(memory, &on) == 0 &&
              CVodeSStolerances(memory, tolerance, tolerance) == 0 &&
              CVodeSetMaxNumSteps(memory, 100000) == 0 &&
              CVodeSetLinearSolver(memory, solver, matrix) == 0 &&
              CVodeSetJacFn(memory, find_jacobian) == 0 && CVodeSetStopTime(memory, LATE) == 0 &&
              CVode(memory, LATE, y, &t, CV_NORMAL) >= 0;
    long before = 0;
    (void)CVodeGetNumSteps(memory, &before);
    on.late = 5.0;
    ok = ok && CVodeReInit(memory, LATE, y) == 0 && CVodeSetStopTime(memory, UNTIL) == 0 &&
         CVode(memory, UNTIL, y, &t, CV_NORMAL) >= 0;
    (void)CVodeGetNumSteps(memory, out_steps);
    *out_steps += before;
    const double seconds = ok ? now() - begin : (double)NAN;
    CVodeFree(&memory);
    (void)SUNLinSolFree(solver);
    SUNMatDestroy(matrix);
    N_VDestroy(y);
    (void)SUNContext_Free(&context);
    free(on.is_in_spot);
    return seconds;
}

// --- from text -----------------------------------------------------------------------------------

static const char TEXT[] =
    "param N = 32, alpha = 10, k = alpha*N^2, M = N + 2\n"
    "state u[1..N*N], v[1..N*N]\n"
    "for i in 1..N: for j in 1..N: let p[i*M + j] = u[(i-1)*N + j]\n"
    "for i in 1..N: let p[i*M] = u[i*N]\n"
    "for i in 1..N: let p[i*M + N + 1] = u[(i-1)*N + 1]\n"
    "for j in 1..N: let p[j] = u[(N-1)*N + j]\n"
    "for j in 1..N: let p[(N+1)*M + j] = u[j]\n"
    "for i in 1..N: for j in 1..N: let q[i*M + j] = v[(i-1)*N + j]\n"
    "for i in 1..N: let q[i*M] = v[i*N]\n"
    "for i in 1..N: let q[i*M + N + 1] = v[(i-1)*N + 1]\n"
    "for j in 1..N: let q[j] = v[(N-1)*N + j]\n"
    "for j in 1..N: let q[(N+1)*M + j] = v[j]\n"
    "let late = if(t < 1.1, 0, 5)\n"
    "let spot(x, y) = if((x - 0.3)^2 + (y - 0.6)^2 <= 0.01, late, 0)\n"
    "for i in 1..N: for j in 1..N: law u[(i-1)*N + j]' = 1 + p[i*M+j]^2*q[i*M+j] - 4.4*p[i*M+j] + "
    "k*(p[(i-1)*M+j] + p[(i+1)*M+j] + p[i*M+j-1] + p[i*M+j+1] - 4*p[i*M+j]) + "
    "spot((i-1)/N, (j-1)/N)\n"
    "for i in 1..N: for j in 1..N: law v[(i-1)*N + j]' = 3.4*p[i*M+j] - p[i*M+j]^2*q[i*M+j] + "
    "k*(q[(i-1)*M+j] + q[(i+1)*M+j] + q[i*M+j-1] + q[i*M+j+1] - 4*q[i*M+j])\n"
    "for i in 1..N: for j in 1..N: start u[(i-1)*N + j] = 22*((j-1)/N)*(1 - (j-1)/N)^(3/2), "
    "v[(i-1)*N + j] = 27*((i-1)/N)*(1 - (i-1)/N)^(3/2)\n";

typedef struct own {
    double preparation, motion; // seconds
    uint64_t steps;
    double off; // the largest difference to the contender
} own;

static double difference(rh_motion *motion, int n, const double *judge)
{
    rh_error err = RH_ZERO;
    double *row = calloc(rh_motion_column_count(motion) + 1, sizeof *row);
    double worst = 0.0;
    if (row == NULL || rh_motion_row(motion, UNTIL, row, &err) != RH_OK) {
        abort();
    }
    for (int k = 0; k < 2 * n * n; k++) {
        worst = fmax(worst, fabs(row[1 + k] - judge[k]));
    }
    free(row);
    return worst;
}

static bool run_own(int n, double tolerance, rh_method method, const double *judge, own *out)
{
    rh_error err = RH_ZERO;
    char setting[32];
    const char *settings[] = {setting};
    rh_model *model = NULL;
    rh_equations *equations = NULL;
    rh_motion *motion = NULL;
    rh_stop stop = RH_STOP_NONE;
    rh_model_def def = rh_model_def_default();
    (void)snprintf(setting, sizeof setting, "N=%d", n);
    def.text = TEXT;
    def.text_size = strlen(TEXT);
    def.set = settings;
    def.set_count = 1;
    const rh_equations_def derive = rh_equations_def_default();
    rh_motion_def move = rh_motion_def_default();
    move.tolerance = tolerance;
    move.method = method;
    const double begin = now();
    bool ok = rh_model_create(&def, &model, &err) == RH_OK &&
              rh_equations_create(model, &derive, &equations, &err) == RH_OK &&
              rh_motion_create(equations, &move, &motion, &err) == RH_OK;
    const double made = now();
    ok = ok && rh_motion_advance(motion, UNTIL, &stop, &err) == RH_OK && stop == RH_STOP_REACHED;
    if (ok) {
        *out = (own){.preparation = made - begin,
                     .motion = now() - made,
                     .steps = rh_motion_summarise(motion).steps,
                     .off = difference(motion, n, judge)};
    } else {
        (void)fprintf(stderr, "%s\n", motion != NULL ? rh_motion_reason(motion) : err.message);
    }
    rh_motion_destroy(motion);
    rh_equations_destroy(equations);
    rh_model_destroy(model);
    return ok;
}

int main(int count, char **arguments)
{
    static const struct {
        const char *name;
        rh_method method;
    } METHODS[] = {{"its own choice", RH_METHOD_AUTO}, {"cvode", RH_METHOD_CVODE}};
    const int n = count > 1 ? atoi(arguments[1]) : 32;
    const double tolerance = count > 2 ? strtod(arguments[2], NULL) : 1e-6;
    double *judge = calloc(2 * (size_t)n * (size_t)n, sizeof *judge);
    double best = INFINITY;
    long steps = 0;
    bool is_within = true;
    for (int k = 0; judge != NULL && k < REPEATS; k++) {
        best = fmin(best, run_by_hand(n, tolerance, judge, &steps));
    }
    (void)printf("%d unknowns, tolerance %g\n%-16s %9.3f s %33ld steps\n", 2 * n * n, tolerance,
                 "by hand", best, steps);
    for (size_t m = 0; judge != NULL && m < 2; m++) {
        own it = {.motion = INFINITY};
        for (int k = 0; k < REPEATS; k++) {
            own one;
            is_within = run_own(n, tolerance, METHODS[m].method, judge, &one) && is_within;
            it = is_within && one.motion < it.motion ? one : it;
        }
        const double ratio = it.motion / best;
        (void)printf("%-16s %9.3f s + %.3f s from text, ratio %.2f %6llu steps, differs by %.1e\n",
                     METHODS[m].name, it.motion, it.preparation, ratio,
                     (unsigned long long)it.steps, it.off);
        is_within = is_within && ratio <= LIMIT;
    }
    is_within = is_within && judge != NULL;
    free(judge);
    return is_within ? 0 : 1;
}
