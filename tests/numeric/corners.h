// SPDX-License-Identifier: Apache-2.0
// What the tests of complementarity share: problems with their tolerances, the conditions a
// solution obeys, and a judge that knows all solutions of a small problem from the corners and rays
// of its polyhedra, by nothing but elimination in long double.

#pragma once

#include "numeric/helpers.h"

/// Tolerances of 1e-10 everywhere.
static inline rh_complement_problem make_problem(bench *on, uint32_t n, const double *matrix,
                                                 const double *constant)
{
    double *tolerance = new_numbers(on, n);
    for (uint32_t i = 0; i < n; i++) {
        tolerance[i] = 1e-10;
    }
    return (rh_complement_problem){.n = n,
                                   .matrix = matrix,
                                   .constant = constant,
                                   .slack_tolerance = tolerance,
                                   .multiplier_tolerance = tolerance};
}

static inline rh_complement_result solve_by(bench *on, rh_complement_problem problem,
                                            rh_complement_method method)
{
    rh_complement_result result;
    problem.method = method;
    assert_int_equal(rh__complement_solve(&on->arena, &problem, &result), RH_OK);
    return result;
}

/// Signs, slack and sides are what they say; sizes are about 1.
static inline void check_conditions(const rh_complement_problem *problem,
                                    const rh_complement_solution *solution, double tolerance)
{
    const size_t n = problem->n;
    assert_true(solution->violation >= 0.0 && solution->violation <= 1.0);
    for (size_t i = 0; i < n; i++) {
        long double sum = problem->constant[i];
        double size = 1.0;
        for (size_t j = 0; j < n; j++) {
            sum += (long double)problem->matrix[i * n + j] * solution->multiplier[j];
            size = fmax(size, fabs(problem->matrix[i * n + j] * solution->multiplier[j]));
        }
        assert_near_by(solution->slack[i], (double)sum, 0.0, tolerance * size);
        assert_true(solution->multiplier[i] >= -problem->multiplier_tolerance[i]);
        assert_true(solution->slack[i] >= -problem->slack_tolerance[i]);
        const bool is_pushed = solution->multiplier[i] > problem->multiplier_tolerance[i];
        const bool is_away = solution->slack[i] > problem->slack_tolerance[i];
        assert_false(is_pushed && is_away);
        // rounding may be larger than the tolerance, but not the other way round
        assert_true(is_pushed || solution->side[i] != RH_COMPLEMENT_POSITIVE);
        assert_true(is_away || solution->side[i] != RH_COMPLEMENT_LEAVING);
    }
}

// --- matrices and problems -------------------------------------------------------------------

/// C C^T with C of n x rank: semidefinite, of that rank.
static inline double *random_semidefinite(bench *on, uint32_t n, uint32_t rank)
{
    const double *c = random_numbers(on, (size_t)n * rank);
    double *matrix = new_numbers(on, (size_t)n * n);
    for (size_t i = 0; i < n; i++) {
        for (size_t j = 0; j < n; j++) {
            for (size_t k = 0; k < rank; k++) {
                matrix[i * n + j] += c[i + k * n] * c[j + k * n];
            }
        }
    }
    return matrix;
}

typedef struct plant {
    double *multiplier;
    double *slack;
    double *constant;
} plant;

/// Multipliers and slack between 1/10 and 2, or zero; `degenerate` of eight pairs are both zero.
static inline plant plant_solution(bench *on, uint32_t n, const double *matrix, uint32_t degenerate)
{
    plant out = {new_numbers(on, n), new_numbers(on, n), new_numbers(on, n)};
    for (uint32_t i = 0; i < n; i++) {
        const double value = support_random_real(&on->random, 0.1, 2.0);
        if (support_random_below(&on->random, 8) >= degenerate) {
            *(support_random_below(&on->random, 2) == 0 ? &out.multiplier[i] : &out.slack[i]) =
                value;
        }
    }
    for (size_t i = 0; i < n; i++) {
        out.constant[i] = out.slack[i] - rh__vector_dot(n, matrix + i * n, out.multiplier);
    }
    return out;
}

static inline void check_near(uint32_t n, const double *actual, const double *expected,
                              double tolerance)
{
    for (uint32_t i = 0; i < n; i++) {
        assert_near(actual[i], expected[i], tolerance);
    }
}

static inline void check_answer(const rh_complement_result *result, rh_complement_answer answer,
                                uint32_t count)
{
    assert_int_equal(result->answer, answer);
    assert_int_equal(result->count, count);
    assert_true(result->is_certain && result->is_complete);
    assert_false(result->is_continuous);
}

// --- the judge -------------------------------------------------------------------------------

enum { JUDGED = 4, CORNERS = 512 };

typedef struct corner {
    long double multiplier[JUDGED];
    long double slack[JUDGED];
} corner;

typedef struct judgement {
    uint32_t slack_count;    // different ones at corners
    corner corners[CORNERS]; // of the polyhedra of all active sets
    uint32_t corner_count;
    corner rays[CORNERS];
    uint32_t ray_count;
    bool is_continuous; // some polyhedron has more than one slack
} judgement;

/// Solve `rows` equations in `columns` unknowns with independent columns: false when the columns
/// are dependent or the equations contradict each other. The matrix is [a | b], spoilt.
static inline bool eliminate_exactly(uint32_t rows, uint32_t columns,
                                     long double a[JUDGED + 1][JUDGED + 2], long double *x)
{
    for (uint32_t c = 0; c < columns; c++) {
        uint32_t best = c;
        for (uint32_t i = c + 1; i < rows; i++) {
            best = fabsl(a[i][c]) > fabsl(a[best][c]) ? i : best;
        }
        if (c >= rows || fabsl(a[best][c]) < 1e-12L) {
            return false;
        }
        for (uint32_t j = 0; j <= columns; j++) {
            const long double kept = a[c][j];
            a[c][j] = a[best][j];
            a[best][j] = kept;
        }
        for (uint32_t i = 0; i < rows; i++) {
            const long double factor = i == c ? 0.0L : a[i][c] / a[c][c];
            for (uint32_t j = 0; j <= columns; j++) {
                a[i][j] -= factor * a[c][j];
            }
        }
    }
    for (uint32_t i = columns; i < rows; i++) {
        if (fabsl(a[i][columns]) > 1e-12L) {
            return false;
        }
    }
    for (uint32_t c = 0; c < columns; c++) {
        x[c] = a[c][columns] / a[c][c];
    }
    return true;
}

/// The basic solution of B z = -constant with the support `used`, or of B z = 0 with sum 1.
static inline bool find_basic(const rh_complement_problem *problem, uint32_t active, uint32_t used,
                              bool is_ray, corner *out)
{
    const uint32_t n = problem->n;
    const uint32_t rows = n + (is_ray ? 1 : 0);
    long double a[JUDGED + 1][JUDGED + 2] = {{0.0L}};
    long double x[JUDGED] = {0.0L};
    uint32_t columns = 0;
    for (uint32_t j = 0; j < n; j++) {
        for (uint32_t i = 0; i < n && (used >> j & 1U) != 0; i++) {
            const bool is_active = (active >> j & 1U) != 0;
            a[i][columns] =
                is_active ? (long double)problem->matrix[i * n + j] : (i == j ? -1.0L : 0.0L);
            a[n][columns] = 1.0L;
        }
        columns += used >> j & 1U;
    }
    for (uint32_t i = 0; i < n; i++) {
        a[i][columns] = is_ray ? 0.0L : -(long double)problem->constant[i];
    }
    a[n][columns] = 1.0L;
    if (!eliminate_exactly(rows, columns, a, x)) {
        return false;
    }
    *out = (corner){.multiplier = {0.0L}};
    for (uint32_t j = 0, c = 0; j < n; j++) {
        if ((used >> j & 1U) == 0) {
            continue;
        }
        if (x[c] <= 1e-12L) {
            return false;
        }
        *((active >> j & 1U) != 0 ? &out->multiplier[j] : &out->slack[j]) = x[c];
        c++;
    }
    return true;
}

static inline bool is_near_corner(uint32_t n, const long double *a, const long double *b)
{
    for (uint32_t i = 0; i < n; i++) {
        if (fabsl(a[i] - b[i]) > 1e-9L) {
            return false;
        }
    }
    return true;
}

/// All corners and rays of the polyhedron of each active set; n at most JUDGED.
static inline void judge(const rh_complement_problem *problem, judgement *out)
{
    const uint32_t n = problem->n;
    const long double zero[JUDGED] = {0.0L};
    *out = (judgement){0};
    for (uint32_t active = 0; active < 1U << n; active++) {
        const uint32_t first = out->corner_count;
        for (uint32_t used = 0; used < 1U << n; used++) {
            if (find_basic(problem, active, used, false, &out->corners[out->corner_count])) {
                const corner *now = &out->corners[out->corner_count++];
                assert_true(out->corner_count < CORNERS);
                out->is_continuous |= !is_near_corner(n, now->slack, out->corners[first].slack);
            }
        }
        for (uint32_t used = 1; used < 1U << n && out->corner_count > first; used++) {
            if (find_basic(problem, active, used, true, &out->rays[out->ray_count])) {
                out->is_continuous |= !is_near_corner(n, out->rays[out->ray_count].slack, zero);
                assert_true(++out->ray_count < CORNERS);
            }
        }
    }
    for (uint32_t k = 0; k < out->corner_count; k++) {
        uint32_t same = 0;
        while (!is_near_corner(n, out->corners[k].slack, out->corners[same].slack)) {
            same++;
        }
        out->slack_count += same == k ? 1 : 0;
    }
}

/// Are there no other multipliers with this slack? Only when nothing is continuous.
static inline bool judge_uniqueness(uint32_t n, const judgement *all, const long double *slack)
{
    const corner *first = NULL;
    for (uint32_t k = 0; k < all->corner_count; k++) {
        const corner *now = &all->corners[k];
        if (is_near_corner(n, now->slack, slack)) {
            first = first == NULL ? now : first;
            if (!is_near_corner(n, now->multiplier, first->multiplier)) {
                return false;
            }
        }
    }
    assert_non_null(first);
    for (uint32_t k = 0; k < all->ray_count; k++) {
        bool is_barred = false;
        for (uint32_t i = 0; i < n; i++) {
            is_barred |= slack[i] > 1e-9L && all->rays[k].multiplier[i] > 1e-9L;
        }
        if (!is_barred) {
            return false;
        }
    }
    return true;
}

/// The length of the shortest multipliers with a slack: the best of all supports.
static inline double judge_length(bench *on, const rh_complement_problem *problem,
                                  const double *slack)
{
    const size_t n = problem->n;
    double best = (double)INFINITY;
    double *right = new_numbers(on, n);
    double *columns = new_numbers(on, n * n);
    double *x = new_numbers(on, n);
    for (size_t i = 0; i < n; i++) {
        right[i] = slack[i] - problem->constant[i];
    }
    for (uint32_t support = 0; support < 1U << n; support++) {
        uint32_t count = 0;
        bool is_fine = true;
        for (size_t j = 0; j < n; j++) {
            for (size_t i = 0; i < n && (support >> j & 1U) != 0; i++) {
                columns[i + count * n] = problem->matrix[i * n + j];
            }
            is_fine = is_fine && ((support >> j & 1U) == 0 || slack[j] < 1e-9);
            count += support >> j & 1U;
        }
        rh_svd svd;
        assert_int_equal(rh__svd_create(&on->arena, problem->n, count, columns, &svd), RH_OK);
        rh__svd_solve(&svd, rh__svd_rank(&svd, 1e-11), right, x);
        for (size_t i = 0; i < n; i++) {
            double gap = right[i];
            for (size_t k = 0; k < count; k++) {
                gap -= columns[i + k * n] * x[k];
                is_fine = is_fine && x[k] >= -1e-11;
            }
            is_fine = is_fine && fabs(gap) < 1e-9;
        }
        best = is_fine ? fmin(best, rh__vector_norm(count, x)) : best;
    }
    return best;
}
