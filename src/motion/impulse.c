// SPDX-License-Identifier: Apache-2.0
// Impulses of constraints that act together: the jump d of the velocities with
//     M d = f + B mu,   C d = r,
// M the inertia, B the pushes, C the rows. Scaled by the diagonal of M and the lengths of the rows,
// so that units have no part in what counts as singular. Rows that depend on each other are no
// obstacle: d is the same for all mu, and of these the shortest is taken.

#include "motion/impulse.h"

#include <math.h>

#define REGULAR 1e-11 // reciprocal condition above which the factors are used
#define RANK 1e-10    // of the largest singular value

static void find_scales(rh_impulse *it)
{
    const rh_impulse_def *def = &it->def;
    for (uint32_t i = 0; i < def->n; i++) {
        const double own = fabs(def->inertia[i + (size_t)i * def->n]);
        it->scale[i] = own > 0.0 ? 1.0 / sqrt(own) : 1.0;
    }
    for (uint32_t r = 0; r < def->rows; r++) {
        double row = 0.0;
        double push = 0.0;
        for (uint32_t i = 0; i < def->n; i++) {
            row = fmax(row, fabs(def->row[r + (size_t)i * def->rows]) * it->scale[i]);
            push = fmax(push, fabs(def->push[i + (size_t)r * def->n]) * it->scale[i]);
        }
        it->scale[def->n + r] = row > 0.0 ? 1.0 / row : 1.0;
        it->reach[r] = push > 0.0 ? 1.0 / push : 1.0;
    }
}

static void fill(const rh_impulse *it, double *matrix)
{
    const rh_impulse_def *def = &it->def;
    const size_t size = it->size;
    for (uint32_t j = 0; j < def->n; j++) {
        for (uint32_t i = 0; i < def->n; i++) {
            matrix[i + j * size] =
                def->inertia[i + (size_t)j * def->n] * it->scale[i] * it->scale[j];
        }
        for (uint32_t r = 0; r < def->rows; r++) {
            matrix[def->n + r + j * size] =
                def->row[r + (size_t)j * def->rows] * it->scale[def->n + r] * it->scale[j];
        }
    }
    for (uint32_t r = 0; r < def->rows; r++) {
        for (uint32_t i = 0; i < def->n; i++) {
            matrix[i + (def->n + r) * size] =
                -def->push[i + (size_t)r * def->n] * it->scale[i] * it->reach[r];
        }
        for (uint32_t s = 0; s < def->rows; s++) {
            matrix[def->n + s + (def->n + r) * size] = 0.0;
        }
    }
}

rh_status rh__impulse_create(rh_arena *arena, const rh_impulse_def *def, rh_impulse *out)
{
    const size_t size = (size_t)def->n + def->rows;
    *out = (rh_impulse){.def = *def,
                        .size = (uint32_t)size,
                        .scale = rh__arena_array(arena, double, size + 1),
                        .reach = rh__arena_array(arena, double, (size_t)def->rows + 1),
                        .matrix = rh__arena_array(arena, double, size *size + 1),
                        .right = rh__arena_array(arena, double, 2 * size + 1)};
    if (out->scale == NULL || out->reach == NULL || out->matrix == NULL || out->right == NULL) {
        return arena->status;
    }
    find_scales(out);
    fill(out, out->matrix);
    if (!rh__vector_is_finite(size * size, out->matrix)) {
        return RH_E_ARGUMENT;
    }
    RH_TRY(rh__lu_create(arena, (uint32_t)size, out->matrix, &out->lu));
    out->is_regular = out->lu.rcond > REGULAR;
    if (!out->is_regular) {
        RH_TRY(rh__svd_create(arena, (uint32_t)size, (uint32_t)size, out->matrix, &out->svd));
        out->rank = rh__svd_rank(&out->svd, RANK);
        RH_ASSERT(out->rank <= out->size);
    }
    return RH_OK;
}

// What is missed of the equations, relative to their right side.
static double residual(const rh_impulse *it, const double *x, const double *right)
{
    double missed = 0.0;
    double largest = 0.0;
    for (uint32_t i = 0; i < it->size; i++) {
        double sum = -right[i];
        for (uint32_t j = 0; j < it->size; j++) {
            sum += it->matrix[i + (size_t)j * it->size] * x[j];
        }
        missed = fmax(missed, fabs(sum));
        largest = fmax(largest, fabs(right[i]));
    }
    return missed > 0.0 ? missed / largest : 0.0;
}

bool rh__impulse_solve(const rh_impulse *it, const double *force, const double *rate, double *out_d,
                       double *out_mu)
{
    const rh_impulse_def *def = &it->def;
    RH_ASSERT(it->size == def->n + def->rows);
    double *right = it->right;
    double *x = it->right + it->size;
    for (uint32_t i = 0; i < def->n; i++) {
        right[i] = force[i] * it->scale[i];
    }
    for (uint32_t r = 0; r < def->rows; r++) {
        right[def->n + r] = rate[r] * it->scale[def->n + r];
    }
    if (it->is_regular) {
        for (uint32_t i = 0; i < it->size; i++) {
            x[i] = right[i];
        }
        if (rh__lu_solve(&it->lu, x, 1) != RH_OK) {
            return false;
        }
    } else {
        rh__svd_solve(&it->svd, it->rank, right, x);
    }
    for (uint32_t i = 0; i < def->n; i++) {
        out_d[i] = x[i] * it->scale[i];
    }
    for (uint32_t r = 0; r < def->rows; r++) {
        out_mu[r] = x[def->n + r] * it->reach[r];
    }
    return rh__vector_is_finite(it->size, x) &&
           (it->is_regular || residual(it, x, right) < RH_TAPE_INCONSISTENT);
}
