// SPDX-License-Identifier: Apache-2.0
// Where a start may lie: the null space of the derivatives of all levels that are kept, in units in
// which every variable counts by its size.

#include "orbit/orbit.h"

#include <math.h>
#include <string.h>

#define DEPENDENT 1e-9   // relative size of what is no row of its own
#define NEGLIGIBLE 1e-13 // of sizes of variables: so near is on the constraints

static rh_status build(rh_manifold *manifold)
{
    const rh_motion *motion = manifold->motion;
    const size_t n = manifold->n;
    size_t rows = 0;
    for (uint32_t k = 0; k < 2; k++) {
        const rh_project_stage *stage = &motion->projector.stages[k];
        rows += stage->rows;
        if (stage->miss != NULL) {
            RH_TRY(
                rh__tape_state_create(stage->miss, 1, motion->arena.allocator, &manifold->rows[k]));
        }
    }
    manifold->scale = rh__arena_array(&manifold->arena, double, n + 1);
    manifold->basis = rh__arena_array(&manifold->arena, double, n *n + 1);
    manifold->matrix = rh__arena_array(&manifold->arena, double, (rows + 1) * (n + 1));
    return manifold->scale != NULL && manifold->basis != NULL && manifold->matrix != NULL
               ? RH_OK
               : manifold->arena.status;
}

rh_status rh__manifold_create(const rh_motion *motion, rh_manifold *out)
{
    *out = (rh_manifold){.motion = motion, .n = motion->n};
    out->arena = rh__arena_begin(motion->arena.allocator, motion->arena.limit);
    const rh_status status = build(out);
    if (status != RH_OK) {
        rh__manifold_destroy(out);
    }
    return status;
}

void rh__manifold_destroy(rh_manifold *manifold)
{
    rh__tape_state_destroy(manifold->rows[0]);
    rh__tape_state_destroy(manifold->rows[1]);
    rh__arena_end(&manifold->arena);
    *manifold = (rh_manifold){.n = 0};
}

// The derivative of all rows of a stage by variable `at`, into `column`.
static void differentiate(const rh_manifold *manifold, uint32_t s, const double *x, uint32_t at,
                          double *column)
{
    RH_ASSERT(at < manifold->n);
    const rh_project_stage *stage = &manifold->motion->projector.stages[s];
    rh_tape_state *state = manifold->rows[s];
    for (uint32_t k = 0; k < 2; k++) {
        double *row = rh__jet_row(state, k);
        memset(row, 0, stage->miss->input_count * sizeof *row);
        row[0] = k == 0 ? manifold->motion->t : 0.0;
        for (uint32_t i = 0; i < manifold->n; i++) {
            row[1 + i] = k == 0 ? x[i] : i == at ? 1.0 : 0.0;
        }
        if (k == 0) {
            rh__tape_run(state);
        } else {
            rh__jet_order(state, k);
        }
    }
    for (uint32_t k = 0; k < stage->rows; k++) {
        const bool is_kept = manifold->motion->mode.is_kept[stage->levels[k].link];
        column[k] = is_kept ? rh__tape_output(state, k, 1) : 0.0;
    }
}

// All rows by the free variables, in units of the scale.
static void fill(const rh_manifold *manifold, const double *x, const bool *is_free, uint32_t rows)
{
    double *column = manifold->matrix;
    for (uint32_t i = 0; i < manifold->n; i++) {
        if (is_free != NULL && !is_free[i]) {
            continue;
        }
        uint32_t first = 0;
        for (uint32_t s = 0; s < 2; s++) {
            if (manifold->rows[s] != NULL) {
                differentiate(manifold, s, x, i, column + first);
                first += manifold->motion->projector.stages[s].rows;
            }
        }
        for (uint32_t k = 0; k < rows; k++) {
            column[k] *= manifold->scale[i];
        }
        column += rows;
    }
}

// Columns of V beyond the rank, with zeros for what is not free.
static void spread(const rh_manifold *manifold, const rh_svd *svd, uint32_t rank,
                   const bool *is_free, double *out)
{
    RH_ASSERT(rank <= svd->columns && svd->columns <= manifold->n);
    const uint32_t free = svd->columns;
    for (uint32_t k = rank; k < free; k++) {
        double *column = out + (size_t)(k - rank) * manifold->n;
        uint32_t at = 0;
        for (uint32_t i = 0; i < manifold->n; i++) {
            const bool moves = is_free == NULL || is_free[i];
            column[i] = moves ? svd->v[(size_t)k * free + at] : 0.0;
            at += moves;
        }
    }
}

rh_status rh__manifold_directions(rh_manifold *manifold, const double *x, const bool *is_free,
                                  double *out, uint32_t *out_count)
{
    const rh_motion *motion = manifold->motion;
    const uint32_t rows = motion->projector.stages[0].rows + motion->projector.stages[1].rows;
    uint32_t free = 0;
    for (uint32_t i = 0; i < manifold->n; i++) {
        free += is_free == NULL || is_free[i];
    }
    for (uint32_t s = 0; s < 2; s++) {
        if (manifold->rows[s] != NULL) {
            rh__tape_bind_like(manifold->rows[s], motion->projector.stages[s].miss_state);
        }
    }
    rh_arena scratch = rh__arena_begin(manifold->arena.allocator, manifold->arena.limit);
    rh_svd svd = {.columns = free};
    uint32_t rank = 0;
    fill(manifold, x, is_free, rows);
    rh__matrix_scale_rows(rows, free, manifold->matrix);
    const rh_status status = rh__svd_create(&scratch, rows, free, manifold->matrix, &svd);
    if (status == RH_OK) {
        rank = rows > 0 ? rh__svd_rank(&svd, DEPENDENT) : 0;
        spread(manifold, &svd, rank, is_free, out);
        *out_count = free - rank;
    }
    rh__arena_end(&scratch);
    return status;
}

rh_status rh__manifold_follow(rh_manifold *manifold, const double *x, const double *gap,
                              double *out)
{
    const rh_motion *motion = manifold->motion;
    const uint32_t rows = motion->projector.stages[0].rows + motion->projector.stages[1].rows;
    const uint32_t n = manifold->n;
    double *right = manifold->matrix + (size_t)rows * n;
    rh_svd svd;
    fill(manifold, x, NULL, rows);
    for (uint32_t k = 0; k < rows; k++) {
        right[k] = -gap[k];
    }
    rh__matrix_scale_rows(rows, n + 1, manifold->matrix);
    rh_arena scratch = rh__arena_begin(manifold->arena.allocator, manifold->arena.limit);
    const rh_status status = rh__svd_create(&scratch, rows, n, manifold->matrix, &svd);
    if (status == RH_OK) {
        rh__svd_solve(&svd, rh__svd_rank(&svd, DEPENDENT), right, out);
        for (uint32_t i = 0; i < n; i++) {
            out[i] *= manifold->scale[i];
        }
    }
    rh__arena_end(&scratch);
    return status;
}

// What all rows miss at x; 0 for those that are not kept.
static void find_misses(const rh_manifold *manifold, const double *x, double *out)
{
    const rh_motion *motion = manifold->motion;
    for (uint32_t s = 0; s < 2; s++) {
        const rh_project_stage *stage = &motion->projector.stages[s];
        rh_tape_state *state = manifold->rows[s];
        if (state == NULL) {
            continue;
        }
        rh__tape_bind_like(state, stage->miss_state);
        double *row = rh__jet_row(state, 0);
        memset(row, 0, stage->miss->input_count * sizeof *row);
        row[0] = motion->t;
        memcpy(row + 1, x, manifold->n * sizeof *row);
        rh__tape_run(state);
        for (uint32_t k = 0; k < stage->rows; k++) {
            const bool is_kept = motion->mode.is_kept[stage->levels[k].link];
            *out++ = is_kept ? rh__tape_output(state, k, 0) : 0.0;
        }
    }
}

rh_status rh__manifold_project(rh_manifold *manifold, double *x)
{
    enum { ROUNDS = 8 };
    const uint32_t n = manifold->n;
    const uint32_t rows =
        manifold->motion->projector.stages[0].rows + manifold->motion->projector.stages[1].rows;
    rh_arena scratch = rh__arena_begin(manifold->arena.allocator, manifold->arena.limit);
    double *miss = rh__arena_array(&scratch, double, (size_t)rows + n + 1);
    const rh_status refused = scratch.status != RH_OK ? scratch.status : RH_E_MEMORY;
    rh_status status = miss != NULL ? RH_OK : refused;
    double last = INFINITY;
    for (uint32_t k = 0; status == RH_OK && rows > 0 && k < ROUNDS; k++) {
        double *change = miss + rows;
        double largest = 0.0;
        find_misses(manifold, x, miss);
        status = rh__manifold_follow(manifold, x, miss, change);
        for (uint32_t i = 0; status == RH_OK && i < n; i++) {
            largest = fmax(largest, fabs(change[i]) / manifold->scale[i]);
        }
        if (!(largest > NEGLIGIBLE) || !(largest < last)) {
            break; // rounding
        }
        last = largest;
        for (uint32_t i = 0; i < n; i++) {
            x[i] += change[i];
        }
    }
    rh__arena_end(&scratch);
    return status;
}
