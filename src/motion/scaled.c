// SPDX-License-Identifier: Apache-2.0
// The linear solver of the guests from SUNDIALS: a dense or a sparse one of theirs for R A C, with
// powers of two on the diagonals of C, the sizes of the unknowns, and of R, so that the largest
// entry of each row is about 1. Pivots are then the same in all units.

#include "motion/implicit.h"

#include <math.h>

// The power of two next to a size, below it.
static double power_of(double size)
{
    return size > 0.0 && isfinite(size) ? ldexp(1.0, ilogb(size)) : 1.0;
}

static void find_columns(const rh_motion *motion, rh_implicit *data)
{
    for (uint32_t k = 0; k < data->count; k++) {
        const double own = k < motion->n ? motion->unit[k] : data->largest[k - motion->n];
        data->column[k] = power_of(fmax(own, fabs(NV_Ith_S(data->y, k))));
        data->row[k] = 0.0;
    }
}

// Entry after entry of a matrix, sparse or dense: `k` goes on from 0; false behind the last.
typedef struct entry {
    size_t k;
    sunindextype row, column;
    double *value;
} entry;

static bool next_entry(const rh_implicit *data, SUNMatrix a, entry *at)
{
    const size_t n = data->count;
    if (!data->jacobian.is_sparse) {
        at->row = (sunindextype)(at->k % n);
        at->column = (sunindextype)(at->k / n);
        at->value = SUNDenseMatrix_Data(a) + at->k;
        return at->k++ < n * n;
    }
    while (at->column < (sunindextype)n &&
           (sunindextype)at->k >= SM_INDEXPTRS_S(a)[at->column + 1]) {
        at->column++;
    }
    if (at->column == (sunindextype)n) {
        return false;
    }
    at->row = SM_INDEXVALS_S(a)[at->k];
    at->value = SM_DATA_S(a) + at->k++;
    return true;
}

static int set_up(SUNLinearSolver solver, SUNMatrix a)
{
    rh_implicit *data = solver->content;
    find_columns(data->motion, data);
    for (entry at = {0}; next_entry(data, a, &at);) {
        RH_ASSERT(at.row < (sunindextype)data->count && at.column < (sunindextype)data->count);
        *at.value *= data->column[at.column];
        data->row[at.row] = fmax(data->row[at.row], fabs(*at.value));
    }
    for (uint32_t k = 0; k < data->count; k++) {
        data->row[k] = 1.0 / power_of(data->row[k]);
    }
    for (entry at = {0}; next_entry(data, a, &at);) {
        *at.value *= data->row[at.row];
    }
    return SUNLinSolSetup(data->inner, a);
}

static int solve(SUNLinearSolver solver, SUNMatrix a, N_Vector x, N_Vector b, realtype tolerance)
{
    const rh_implicit *data = solver->content;
    for (uint32_t k = 0; k < data->count; k++) {
        NV_Ith_S(b, k) *= data->row[k];
    }
    const int flag = SUNLinSolSolve(data->inner, a, x, b, tolerance);
    for (uint32_t k = 0; k < data->count; k++) {
        NV_Ith_S(x, k) *= data->column[k];
    }
    return flag;
}

static SUNLinearSolver_Type type_of(SUNLinearSolver solver)
{
    (void)solver;
    return SUNLINEARSOLVER_DIRECT;
}

static SUNLinearSolver_ID id_of(SUNLinearSolver solver)
{
    (void)solver;
    return SUNLINEARSOLVER_CUSTOM;
}

static int initialise(SUNLinearSolver solver)
{
    const rh_implicit *data = solver->content;
    return SUNLinSolInitialize(data->inner);
}

static int destroy(SUNLinearSolver solver)
{
    solver->content = NULL; // the inner one is the guest's
    SUNLinSolFreeEmpty(solver);
    return SUNLS_SUCCESS;
}

bool rh__implicit_scale(rh_motion *motion, rh_implicit *data)
{
    RH_ASSERT(data->solver == NULL);
    data->motion = motion;
    data->column = rh__arena_array(&motion->arena, double, data->count);
    data->row = rh__arena_array(&motion->arena, double, data->count);
    data->solver = SUNLinSolNewEmpty(data->context);
    if (data->column == NULL || data->row == NULL || data->solver == NULL) {
        return false;
    }
    data->solver->content = data;
    data->solver->ops->gettype = type_of;
    data->solver->ops->getid = id_of;
    data->solver->ops->initialize = initialise;
    data->solver->ops->setup = set_up;
    data->solver->ops->solve = solve;
    data->solver->ops->free = destroy;
    return true;
}
