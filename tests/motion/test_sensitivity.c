// SPDX-License-Identifier: Apache-2.0
// How a motion changes with its start: the equations of variation, integrated through jets of the
// tangent tape, against differences of neighbouring motions and against the sensitivities of
// CVODES, whose right sides are its own difference quotients or Jacobians of the motion.

#include "moving.h"

#include "motion/motion.h"

#include <cvodes/cvodes.h>
#include <nvector/nvector_serial.h>
#include <sunlinsol/sunlinsol_dense.h>
#include <sunmatrix/sunmatrix_dense.h>

enum { ORDER = 18, MOST = 16 };

typedef struct varied {
    const char *path, *text;
    bool is_plain; // without presolve
    double time;
    uint32_t steps;
    bool is_on_constraints; // the motion has constraints that are kept by projection
    uint32_t count;         // of x
} varied;

static const char EGG[] = // positions tied and held to a surface, a velocity taken away
    "coord x, y, z, w, p\nkinetic (x'^2 + y'^2 + 2*z'^2 + w'^2 + x^2*p'^2)/2\n"
    "potential x^2/2 + y^2/2 + sin(p) + z\nconstraint tie: w = x + 2*y\n"
    "constraint roll: p' = x'*sin(z) + y'\nconstraint egg: 2*x^2 + y^2 + z^2 + x*z = 3\n"
    "start x = 0.5, y = 0.2, p = 0.3, x' = 0.4, y' = 0.2\nguess z = 1\n";

static const varied LIST[] = {
    {"examples/rolling_disc/model.rhe", NULL, false, 1.0, 20, false, 8},
    {"examples/rolling_disc/model.rhe", NULL, true, 1.0, 20, true, 10},
    {NULL, EGG, false, 1.0, 40, true, 8},
    {"examples/pendulum_cartesian/model.rhe", NULL, false, 1.0, 20, true, 4},
    {"examples/lorenz/model.rhe", NULL, false, 1.0, 400, false, 3},
    {"examples/pendulum_program/model.rhe", NULL, false, 1.0, 20, false, 4},
    {"examples/skate_on_incline/vakonomic.rhe", NULL, false, 1.0, 20, true, 7},
};

// One motion and what is found of it.
typedef struct variation {
    const varied *what;
    moving on;
    const rh_system *system;
    uint32_t n;
    double begin;
    double start[MOST], end[MOST];
    double matrix[MOST * MOST]; // d end / d start, by columns
    rh_jacobian jacobian;
} variation;

// --- our own -------------------------------------------------------------------------------------

// x at the end, from x at the beginning; Taylor steps without projection, so that it is smooth.
static void move_plainly(variation *it, double *x)
{
    rh_motion *motion = it->on.motion;
    rh_tape_state *state = NULL;
    const double h = it->what->time / it->what->steps;
    assert_int_equal(rh__tape_state_create(it->system->step, ORDER, rh_allocator_default(), &state),
                     RH_OK);
    rh__tape_bind_like(state, motion->step);
    for (uint32_t s = 0; s < it->what->steps; s++) {
        rh__system_series(it->system, state, it->begin + s * h, x, ORDER);
        for (uint32_t i = 0; i < it->n; i++) {
            double sum = 0.0;
            for (uint32_t k = ORDER + 1; k-- > 0;) {
                sum = sum * h + rh__jet_row(state, k)[1 + i];
            }
            x[i] = sum;
        }
    }
    rh__tape_state_destroy(state);
}

// Jets of x and of its tangents: inputs are t, x, then n tangents for each of n directions.
static void expand_tangents(const variation *it, rh_tape_state *both)
{
    const uint32_t n = it->n;
    const uint32_t outputs = it->system->step->output_count;
    for (uint32_t k = 0; k < ORDER; k++) {
        rh__jet_order(both, k);
        double *next = rh__jet_row(both, k + 1);
        next[0] = k == 0 ? 1.0 : 0.0;
        for (uint32_t i = 0; i < n; i++) {
            next[1 + i] = rh__tape_output(both, i, k) / (k + 1);
            for (uint32_t d = 0; d < n; d++) {
                next[1 + n + d * n + i] = rh__tape_output(both, outputs * (1 + d) + i, k) / (k + 1);
            }
        }
    }
}

static void vary(variation *it)
{
    const uint32_t n = it->n;
    const double h = it->what->time / it->what->steps;
    uint32_t active[MOST];
    for (uint32_t k = 0; k < n; k++) {
        active[k] = 1 + k;
    }
    const rh_tangent_def def = {.direction_count = n, .active = active, .active_count = n};
    rh_tape *tangent = NULL;
    rh_tape_state *both = NULL;
    assert_int_equal(rh__tape_tangent(it->system->step, &def, &tangent, NULL), RH_OK);
    assert_int_equal(rh__tape_state_create(tangent, ORDER, rh_allocator_default(), &both), RH_OK);
    assert_int_equal(rh__tape_bind(both, rh__point_value, &it->on.motion->start.point), RH_OK);
    double all[1 + MOST + MOST * MOST] = {it->begin};
    memcpy(all + 1, it->start, n * sizeof *all);
    for (uint32_t d = 0; d < n; d++) {
        all[1 + n + d * n + d] = 1.0;
    }
    for (uint32_t s = 0; s < it->what->steps; s++) {
        all[0] = it->begin + s * h;
        memcpy(rh__jet_row(both, 0), all, (1 + n + n * n) * sizeof *all);
        expand_tangents(it, both);
        for (uint32_t i = 1; i < 1 + n + n * n; i++) {
            all[i] = 0.0;
            for (uint32_t k = ORDER + 1; k-- > 0;) {
                all[i] = all[i] * h + rh__jet_row(both, k)[i];
            }
        }
    }
    memcpy(it->end, all + 1, n * sizeof *all);
    memcpy(it->matrix, all + 1 + n, n * n * sizeof *all);
    rh__tape_state_destroy(both);
    rh__tape_destroy(tangent);
}

// --- comparing -----------------------------------------------------------------------------------

static double size_of(const variation *it)
{
    double size = 1.0;
    for (uint32_t k = 0; k < it->n * it->n; k++) {
        size = fmax(size, fabs(it->matrix[k]));
    }
    return size;
}

static void assert_column(const variation *it, uint32_t column, const double *found,
                          double tolerance, const char *by)
{
    for (uint32_t i = 0; i < it->n; i++) {
        const double expected = it->matrix[column * it->n + i];
        if (!(fabs(found[i] - expected) <= tolerance * size_of(it))) {
            fail_msg("%s: d x%u / d start%u is %.12g, by %s %.12g",
                     it->what->path != NULL ? it->what->path : it->what->text, i, column, expected,
                     by, found[i]);
        }
    }
}

// Central differences, extrapolated twice.
static void compare_with_neighbours(variation *it)
{
    for (uint32_t d = 0; d < it->n; d++) {
        double table[3][MOST];
        double h = 2e-3;
        for (uint32_t k = 0; k < 3; k++, h /= 2.0) {
            double above[MOST];
            double below[MOST];
            memcpy(above, it->start, sizeof above);
            memcpy(below, it->start, sizeof below);
            above[d] += h;
            below[d] -= h;
            move_plainly(it, above);
            move_plainly(it, below);
            for (uint32_t i = 0; i < it->n; i++) {
                table[k][i] = (above[i] - below[i]) / (2.0 * h);
            }
        }
        for (uint32_t i = 0; i < it->n; i++) {
            const double first = table[1][i] + (table[1][i] - table[0][i]) / 3.0;
            const double second = table[2][i] + (table[2][i] - table[1][i]) / 3.0;
            table[0][i] = second + (second - first) / 15.0;
        }
        assert_column(it, d, table[0], 1e-8, "differences");
    }
}

// --- CVODES --------------------------------------------------------------------------------------

static int find_rate(realtype t, N_Vector y, N_Vector out, void *user)
{
    variation *it = user;
    rh__motion_rate(it->on.motion, t, NV_DATA_S(y), NV_DATA_S(out));
    return 0;
}

// J s with the Jacobian of the motion.
static int find_change(int count, realtype t, N_Vector y, N_Vector rate, int index, N_Vector s,
                       N_Vector out, void *user, N_Vector a, N_Vector b)
{
    variation *it = user;
    double matrix[MOST * MOST];
    (void)count;
    (void)index;
    (void)a;
    (void)b;
    rh__motion_rate(it->on.motion, t, NV_DATA_S(y), NV_DATA_S(rate));
    if (!rh__jacobian_run(&it->jacobian, it->on.motion->plain, matrix)) {
        return 1;
    }
    for (uint32_t i = 0; i < it->n; i++) {
        NV_Ith_S(out, i) = 0.0;
        for (uint32_t k = 0; k < it->n; k++) {
            NV_Ith_S(out, i) += matrix[k * it->n + i] * NV_Ith_S(s, k);
        }
    }
    return 0;
}

static void run_guest(variation *it, CVSensRhs1Fn change, double tolerance, double agree)
{
    SUNContext context = NULL;
    assert_int_equal(SUNContext_Create(NULL, &context), 0);
    N_Vector y = N_VNew_Serial((sunindextype)it->n, context);
    N_Vector *s = N_VCloneVectorArray((int)it->n, y);
    SUNMatrix matrix = SUNDenseMatrix((sunindextype)it->n, (sunindextype)it->n, context);
    SUNLinearSolver solver = SUNLinSol_Dense(y, matrix, context);
    void *memory = CVodeCreate(CV_BDF, context);
    double parameters[MOST];
    for (uint32_t d = 0; d < it->n; d++) {
        NV_Ith_S(y, d) = it->start[d];
        N_VConst(0.0, s[d]);
        NV_Ith_S(s[d], d) = 1.0;
        parameters[d] = 1.0; // of its own quotients: the rates depend on none
    }
    assert_int_equal(CVodeInit(memory, find_rate, it->begin, y), CV_SUCCESS);
    assert_int_equal(CVodeSetUserData(memory, it), CV_SUCCESS);
    assert_int_equal(CVodeSStolerances(memory, tolerance, tolerance), CV_SUCCESS);
    assert_int_equal(CVodeSetLinearSolver(memory, solver, matrix), CV_SUCCESS);
    assert_int_equal(CVodeSetMaxNumSteps(memory, 1000000), CV_SUCCESS);
    assert_int_equal(CVodeSensInit1(memory, (int)it->n, CV_STAGGERED, change, s), CV_SUCCESS);
    assert_int_equal(CVodeSetSensParams(memory, parameters, NULL, NULL), CV_SUCCESS);
    assert_int_equal(CVodeSensEEtolerances(memory), CV_SUCCESS);
    assert_int_equal(CVodeSetSensErrCon(memory, SUNTRUE), CV_SUCCESS);
    double reached = 0.0;
    assert_true(CVode(memory, it->begin + it->what->time, y, &reached, CV_NORMAL) >= 0);
    assert_int_equal(CVodeGetSens(memory, &reached, s), CV_SUCCESS);
    for (uint32_t d = 0; d < it->n; d++) {
        assert_near(NV_Ith_S(y, d), it->end[d], agree);
        assert_column(it, d, NV_DATA_S(s[d]), agree, change == NULL ? "CVODES" : "Jacobians");
    }
    CVodeFree(&memory);
    (void)SUNLinSolFree(solver);
    SUNMatDestroy(matrix);
    N_VDestroyVectorArray(s, (int)it->n);
    N_VDestroy(y);
    (void)SUNContext_Free(&context);
}

// --- the tests -----------------------------------------------------------------------------------

static variation begin(const varied *what)
{
    const moving_conditions with = {.is_plain = what->is_plain, .method = RH_METHOD_TAYLOR};
    variation it = {.what = what};
    it.on = what->path != NULL ? moving_file(what->path, &with) : moving_begin(what->text, &with);
    const rh_motion *motion = it.on.motion;
    it.system = motion->system;
    it.n = motion->n;
    it.begin = motion->t;
    assert_int_equal(it.n, what->count);
    assert_true(it.n <= MOST);
    assert_true((motion->projector.stages[0].miss != NULL ||
                 motion->projector.stages[1].miss != NULL) == what->is_on_constraints);
    memcpy(it.start, motion->x, it.n * sizeof *it.start);
    vary(&it);
    return it;
}

// What is varied is the motion itself.
static void assert_same_motion(variation *it)
{
    moving_reach(&it->on, it->begin + it->what->time);
    for (uint32_t k = 0; k < it->n; k++) {
        assert_near(it->end[k], it->on.motion->x[k], 1e-10);
    }
}

static void tangents_agree_with_neighbours(void **state)
{
    (void)state;
    for (size_t k = 0; k < sizeof LIST / sizeof LIST[0]; k++) {
        variation it = begin(&LIST[k]);
        print_message("%s: %u, size %.3g\n", LIST[k].path != NULL ? LIST[k].path : "egg", it.n,
                      size_of(&it));
        compare_with_neighbours(&it);
        assert_same_motion(&it);
        moving_end(&it.on);
    }
}

static void tangents_agree_with_cvodes(void **state)
{
    (void)state;
    for (size_t k = 0; k < sizeof LIST / sizeof LIST[0]; k++) {
        variation it = begin(&LIST[k]);
        run_guest(&it, NULL, 1e-9, 1e-5);
        moving_end(&it.on);
    }
}

static void jacobians_agree_with_tangents(void **state)
{
    (void)state;
    for (size_t k = 0; k < sizeof LIST / sizeof LIST[0]; k++) {
        variation it = begin(&LIST[k]);
        assert_int_equal(
            rh__jacobian_create(it.on.motion, it.system->step, it.n, &it.jacobian, &it.on.err),
            RH_OK);
        run_guest(&it, find_change, 1e-11, 1e-7);
        rh__jacobian_destroy(&it.jacobian);
        moving_end(&it.on);
    }
}

// How far off the constraints the end is when the start is another one on them, `way` from here in
// direction d: the first order of the change is along them.
static double leave_constraints(variation *it, uint32_t d, double way)
{
    rh_projector *projector = &it->on.motion->projector;
    double x[MOST];
    double moved[MOST];
    double residual = 0.0;
    memcpy(x, it->start, sizeof x);
    x[d] += way;
    assert_int_equal(
        rh__projector_apply(projector, it->begin, x, it->on.motion->mode.is_kept, &residual, NULL),
        RH_OK);
    for (uint32_t i = 0; i < it->n; i++) {
        moved[i] = it->end[i];
        for (uint32_t j = 0; j < it->n; j++) {
            moved[i] += it->matrix[j * it->n + i] * (x[j] - it->start[j]);
        }
    }
    return rh__projector_residual(projector, it->begin + it->what->time, moved,
                                  it->on.motion->mode.is_kept);
}

static void variations_keep_constraints(void **state)
{
    (void)state;
    double most = 0.0;
    for (size_t k = 0; k < sizeof LIST / sizeof LIST[0]; k++) {
        variation it = begin(&LIST[k]);
        for (uint32_t d = 0; d < it.n; d++) {
            const double far = leave_constraints(&it, d, 1e-3);
            const double near = leave_constraints(&it, d, 1e-5);
            most = fmax(most, far);
            assert_true(far < 1e-4 && near < 1e-8);
        }
        moving_end(&it.on);
    }
    assert_true(most > 1e-8); // there is a second order
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tangents_agree_with_neighbours),
        cmocka_unit_test(tangents_agree_with_cvodes),
        cmocka_unit_test(jacobians_agree_with_tangents),
        cmocka_unit_test(variations_keep_constraints),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
