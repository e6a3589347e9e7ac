// SPDX-License-Identifier: Apache-2.0
// Unit and property tests of the complementarity solver of src/numeric (complement.c, active.c,
// piece.c, face.c, definite.c, lemke.c): known problems, all solutions of small ones, planted
// solutions, symmetries, degenerate and redundant sets, refused memory.

#include "numeric/corners.h"

enum { ROUNDS = 60 };

// --- matrices --------------------------------------------------------------------------------

// Far from definite, yet all principal minors are 1: triangular.
static double *random_p_matrix(bench *on, uint32_t n)
{
    double *matrix = random_numbers(on, (size_t)n * n);
    for (size_t i = 0; i < n; i++) {
        for (size_t j = 0; j < n; j++) {
            const bool is_upper = n % 2 == 0 ? i < j : i > j;
            matrix[i * n + j] = i == j ? 1.0 : is_upper ? 3.0 * matrix[i * n + j] : 0.0;
        }
    }
    return matrix;
}

// --- known problems --------------------------------------------------------------------------

static void check_two(const double *matrix, const double *constant, const double *multiplier,
                      const double *slack, bool is_unique)
{
    bench on = {rh__arena_begin(rh_allocator_default(), SIZE_MAX / 2), {0}};
    const rh_complement_problem problem = make_problem(&on, 2, matrix, constant);
    for (int method = RH_COMPLEMENT_AUTO; method <= RH_COMPLEMENT_LEMKE; method++) {
        const rh_complement_result result = solve_by(&on, problem, (rh_complement_method)method);
        check_answer(&result, RH_COMPLEMENT_ONE, 1);
        check_near(2, result.solutions[0].multiplier, multiplier, 1e-14);
        check_near(2, result.solutions[0].slack, slack, 1e-14);
        assert_true(result.solutions[0].is_unique == is_unique);
        check_conditions(&problem, &result.solutions[0], 1e-14);
    }
    end_bench(&on);
}

// Both multipliers of the problem with both active are negative, yet one has to stay.
static void one_of_two_stays(void **state)
{
    (void)state;
    check_two((const double[]){1, -0.9, -0.9, 1}, (const double[]){1, -0.5},
              (const double[]){0, 0.5}, (const double[]){0.55, 0}, true);
    check_two((const double[]){1, 0.9, 0.9, 1}, (const double[]){-1, -2}, (const double[]){0, 2},
              (const double[]){0.8, 0}, true);
}

static void a_doubled_constraint_shares_its_push(void **state)
{
    (void)state;
    check_two((const double[]){1, 2, 2, 4}, (const double[]){-3, -6}, (const double[]){0.6, 1.2},
              (const double[]){0, 0}, false);
}

// A unit mass with vx >= 0 and -0.6 vx + 0.8 vy >= 0, at rest, under the force (-cos t, -sin t): at
// t = 0 the second constraint is undecided, and the same problem for the rates decides.
static void derivatives_decide_the_undecided(void **state)
{
    (void)state;
    bench on = begin_bench("derivatives_decide_the_undecided");
    const double matrix[] = {1, -0.6, -0.6, 1};
    const double constant[] = {-1, 0.6};
    rh_complement_problem problem = make_problem(&on, 2, matrix, constant);
    rh_complement_result result = solve_by(&on, problem, RH_COMPLEMENT_AUTO);
    check_answer(&result, RH_COMPLEMENT_ONE, 1);
    check_near(2, result.solutions[0].multiplier, (const double[]){1, 0}, 1e-15);
    assert_int_equal(result.solutions[0].side[0], RH_COMPLEMENT_POSITIVE);
    assert_int_equal(result.solutions[0].side[1], RH_COMPLEMENT_UNDECIDED);
    const double reduced = 1.0 - 0.6 * 0.6; // the first constraint stays, its rate is eliminated
    const double rate = -0.8;
    problem = make_problem(&on, 1, &reduced, &rate);
    result = solve_by(&on, problem, RH_COMPLEMENT_AUTO);
    assert_int_equal(result.solutions[0].side[0], RH_COMPLEMENT_POSITIVE);
    assert_near(result.solutions[0].multiplier[0], 1.25, 1e-15);
    end_bench(&on);
}

static void none_and_several_are_told(void **state)
{
    (void)state;
    bench on = begin_bench("none_and_several_are_told");
    const double constant[] = {-1, -1};
    const double none[] = {1, -2, -2, 1};
    rh_complement_result result = solve_by(&on, make_problem(&on, 2, none, constant), 0);
    check_answer(&result, RH_COMPLEMENT_NONE, 0);
    const double three[] = {1, 2, 2, 1};
    const double third = 1.0 / 3.0;
    result = solve_by(&on, make_problem(&on, 2, three, constant), 0);
    check_answer(&result, RH_COMPLEMENT_SEVERAL, 3);
    check_near(2, result.solutions[0].multiplier, (const double[]){1, 0}, 1e-14);
    check_near(2, result.solutions[1].multiplier, (const double[]){0, 1}, 1e-14);
    check_near(2, result.solutions[2].multiplier, (const double[]){third, third}, 1e-14);
    for (uint32_t k = 0; k < 3; k++) {
        assert_true(result.solutions[k].is_unique);
    }
    end_bench(&on);
}

static void the_limit_cuts_the_list(void **state)
{
    (void)state;
    bench on = begin_bench("the_limit_cuts_the_list");
    const double matrix[] = {-1, 0, 0, 0, -1, 0, 0, 0, -1};
    const double constant[] = {1, 2, 3};
    rh_complement_problem problem = make_problem(&on, 3, matrix, constant);
    problem.limit = 8;
    rh_complement_result result = solve_by(&on, problem, RH_COMPLEMENT_AUTO);
    check_answer(&result, RH_COMPLEMENT_SEVERAL, 8);
    for (uint32_t limit = 1; limit < 8; limit++) {
        problem.limit = limit;
        result = solve_by(&on, problem, RH_COMPLEMENT_AUTO);
        assert_int_equal(result.answer, RH_COMPLEMENT_SEVERAL);
        assert_int_equal(result.count, limit);
        assert_true(result.is_certain && !result.is_complete);
    }
    problem.limit = UINT32_MAX;
    result = solve_by(&on, problem, RH_COMPLEMENT_AUTO);
    check_answer(&result, RH_COMPLEMENT_SEVERAL, 8);
    end_bench(&on);
}

// The multiplier may be 1 or more, and the second slack follows it; no minor of any active set
// tells where that begins.
static void a_line_of_solutions_is_told(void **state)
{
    (void)state;
    bench on = begin_bench("a_line_of_solutions_is_told");
    const double matrix[] = {0, 0, 1, 0};
    const double constant[] = {0, -1};
    const rh_complement_problem problem = make_problem(&on, 2, matrix, constant);
    const rh_complement_result result = solve_by(&on, problem, RH_COMPLEMENT_AUTO);
    assert_int_equal(result.answer, RH_COMPLEMENT_SEVERAL);
    assert_true(result.is_continuous && result.is_certain && !result.is_complete);
    assert_int_equal(result.count, 2);
    for (uint32_t k = 0; k < 2; k++) {
        check_conditions(&problem, &result.solutions[k], 1e-14);
    }
    assert_near(result.solutions[0].slack[1], 0.0, 1e-14);
    assert_true(result.solutions[1].slack[1] > 0.5);
    end_bench(&on);
}

// --- all solutions of small problems ---------------------------------------------------------

static double random_integer(bench *on, uint32_t span)
{
    return (double)support_random_below(&on->random, 2 * span + 1) - span;
}

// Small integers: many minors vanish, many constants are zero, rows are often equal.
static rh_complement_problem random_integers(bench *on)
{
    const uint32_t n = 1 + support_random_below(&on->random, JUDGED);
    const uint32_t span = 1 + support_random_below(&on->random, 3);
    const uint32_t form = support_random_below(&on->random, 4);
    double *matrix = new_numbers(on, (size_t)n * n);
    double *constant = new_numbers(on, n);
    for (size_t i = 0; i < n; i++) {
        for (size_t j = 0; j < n; j++) {
            matrix[i * n + j] = random_integer(on, span);
            if (form == 1 && j < i) {
                matrix[i * n + j] = matrix[j * n + i];
            }
            if (form == 2 && i == 1) {
                matrix[i * n + j] = matrix[j];
            }
        }
        constant[i] = random_integer(on, span);
    }
    return make_problem(on, n, matrix, constant);
}

// Other units for every slack and every multiplier, tolerances included.
static rh_complement_problem scale_problem(bench *on, const rh_complement_problem *from,
                                           const double *row, const double *column)
{
    const size_t n = from->n;
    double *matrix = new_numbers(on, n * n);
    double *constant = new_numbers(on, n);
    double *slack = new_numbers(on, n);
    double *multiplier = new_numbers(on, n);
    for (size_t i = 0; i < n; i++) {
        for (size_t j = 0; j < n; j++) {
            matrix[i * n + j] = row[i] * from->matrix[i * n + j] * column[j];
        }
        constant[i] = row[i] * from->constant[i];
        slack[i] = row[i] * from->slack_tolerance[i];
        multiplier[i] = from->multiplier_tolerance[i] / column[i];
    }
    return (rh_complement_problem){.n = from->n,
                                   .matrix = matrix,
                                   .constant = constant,
                                   .slack_tolerance = slack,
                                   .multiplier_tolerance = multiplier,
                                   .limit = from->limit};
}

static double *random_scales(bench *on, uint32_t n, double reach)
{
    double *scales = new_numbers(on, n);
    for (uint32_t i = 0; i < n; i++) {
        scales[i] = exp(support_random_real(&on->random, -reach, reach));
    }
    return scales;
}

static void compare_with_judge(const rh_complement_problem *problem,
                               const rh_complement_result *result, const judgement *all)
{
    const uint32_t n = problem->n;
    const rh_complement_answer answer = all->corner_count == 0 ? RH_COMPLEMENT_NONE
                                        : all->slack_count == 1 && !all->is_continuous
                                            ? RH_COMPLEMENT_ONE
                                            : RH_COMPLEMENT_SEVERAL;
    assert_int_equal(result->answer, answer);
    assert_true(result->is_certain);
    assert_int_equal(result->is_continuous, all->is_continuous);
    for (uint32_t k = 0; k < result->count; k++) {
        check_conditions(problem, &result->solutions[k], 1e-11);
    }
    if (all->is_continuous) {
        return;
    }
    assert_int_equal(result->count, all->slack_count);
    for (uint32_t k = 0; k < result->count; k++) {
        const rh_complement_solution *solution = &result->solutions[k];
        long double slack[JUDGED] = {0.0L};
        for (uint32_t i = 0; i < n; i++) {
            slack[i] = solution->slack[i];
        }
        assert_int_equal(solution->is_unique, judge_uniqueness(n, all, slack));
    }
}

static void small_problems_are_solved_wholly(void **state)
{
    (void)state;
    bench on = begin_bench("small_problems_are_solved_wholly");
    static judgement all;
    uint32_t line_count = 0;
    for (int round = 0; round < 100 * ROUNDS; round++) {
        const rh_mark mark = rh__arena_mark(&on.arena);
        rh_complement_problem problem = random_integers(&on);
        problem.limit = 100;
        judge(&problem, &all);
        line_count += all.is_continuous ? 1 : 0;
        rh_complement_result result = solve_by(&on, problem, RH_COMPLEMENT_AUTO);
        compare_with_judge(&problem, &result, &all);
        for (uint32_t k = 0; k < result.count; k++) {
            const double *slack = result.solutions[k].slack;
            const double length = rh__vector_norm(problem.n, result.solutions[k].multiplier);
            assert_near(length, judge_length(&on, &problem, slack), 1e-10);
        }
        // in other units it is the same, except for what is shortest
        const double *row = random_scales(&on, problem.n, 3.0);
        const double *column = random_scales(&on, problem.n, 3.0);
        result = solve_by(&on, scale_problem(&on, &problem, row, column), RH_COMPLEMENT_ENUMERATE);
        for (uint32_t k = 0; k < result.count; k++) {
            for (uint32_t i = 0; i < problem.n; i++) {
                result.solutions[k].multiplier[i] *= column[i];
                result.solutions[k].slack[i] /= row[i];
            }
        }
        compare_with_judge(&problem, &result, &all);
        rh__arena_rewind(&on.arena, mark);
    }
    assert_true(line_count > ROUNDS);
    end_bench(&on);
}

// --- unique solutions ------------------------------------------------------------------------

static void check_methods(bench *on, uint32_t n, const double *matrix, uint32_t degenerate)
{
    const plant planted = plant_solution(on, n, matrix, degenerate);
    const rh_complement_problem problem = make_problem(on, n, matrix, planted.constant);
    const bool is_small = n <= RH_COMPLEMENT_ENUMERATED;
    for (int method = RH_COMPLEMENT_AUTO; method <= RH_COMPLEMENT_LEMKE; method++) {
        if (method == RH_COMPLEMENT_ENUMERATE && !is_small) {
            continue;
        }
        const rh_complement_result result = solve_by(on, problem, (rh_complement_method)method);
        check_answer(&result, RH_COMPLEMENT_ONE, 1);
        const rh_complement_solution *solution = &result.solutions[0];
        check_conditions(&problem, solution, 1e-12);
        check_near(n, solution->multiplier, planted.multiplier, 1e-6);
        check_near(n, solution->slack, planted.slack, 1e-6);
        assert_true(solution->is_unique);
        for (uint32_t i = 0; i < n; i++) {
            assert_int_equal(solution->side[i], planted.multiplier[i] > 0.0 ? RH_COMPLEMENT_POSITIVE
                                                : planted.slack[i] > 0.0    ? RH_COMPLEMENT_LEAVING
                                                                         : RH_COMPLEMENT_UNDECIDED);
        }
    }
}

static void definite_matrices_have_one_solution(void **state)
{
    (void)state;
    bench on = begin_bench("definite_matrices_have_one_solution");
    for (int round = 0; round < ROUNDS; round++) {
        const uint32_t n = 1 + support_random_below(&on.random, 40);
        double *matrix = random_semidefinite(&on, n, n);
        for (size_t i = 0; i < n; i++) {
            matrix[i * n + i] += 0.3; // rounding stays below the tolerances
        }
        // a skew part does not make it less definite
        for (size_t i = 0; i < n && round % 2 == 1; i++) {
            for (size_t j = 0; j < i; j++) {
                const double skew = support_random_real(&on.random, -2.0, 2.0);
                matrix[i * n + j] += skew;
                matrix[j * n + i] -= skew;
            }
        }
        check_methods(&on, n, matrix, support_random_below(&on.random, 8));
    }
    end_bench(&on);
}

static void p_matrices_have_one_solution(void **state)
{
    (void)state;
    bench on = begin_bench("p_matrices_have_one_solution");
    for (int round = 0; round < ROUNDS; round++) {
        const uint32_t n = 1 + support_random_below(&on.random, 7);
        const double *matrix = random_p_matrix(&on, n);
        assert_true(rh__complement_is_p_matrix(n, matrix));
        check_methods(&on, n, matrix, support_random_below(&on.random, 8));
    }
    end_bench(&on);
}

static long double minor_of(uint32_t n, const double *matrix, uint32_t subset)
{
    long double a[8][8];
    uint32_t m = 0;
    for (uint32_t i = 0; i < n; i++) {
        uint32_t column = 0;
        for (uint32_t j = 0; j < n; j++) {
            a[m][column] = matrix[i * n + j];
            column += subset >> j & 1U;
        }
        m += subset >> i & 1U;
    }
    long double value = 1.0L;
    for (uint32_t k = 0; k < m; k++) {
        uint32_t best = k;
        for (uint32_t i = k + 1; i < m; i++) {
            best = fabsl(a[i][k]) > fabsl(a[best][k]) ? i : best;
        }
        for (uint32_t j = k; j < m; j++) {
            const long double kept = a[k][j];
            a[k][j] = a[best][j];
            a[best][j] = kept;
        }
        value *= best == k ? a[k][k] : -a[k][k];
        for (uint32_t i = k + 1; i < m && a[k][k] != 0.0L; i++) {
            const long double factor = a[i][k] / a[k][k];
            for (uint32_t j = k; j < m; j++) {
                a[i][j] -= factor * a[k][j];
            }
        }
    }
    return value;
}

static void all_minors_of_p_matrices_are_positive(void **state)
{
    (void)state;
    bench on = begin_bench("all_minors_of_p_matrices_are_positive");
    uint32_t count[2] = {0, 0};
    for (int round = 0; round < 20 * ROUNDS; round++) {
        const uint32_t n = 1 + support_random_below(&on.random, 6);
        double *matrix = random_numbers(&on, (size_t)n * n);
        for (size_t i = 0; i < n; i++) {
            matrix[i * n + i] = support_random_real(&on.random, 0.2, 1.5);
        }
        long double least = 1.0L;
        for (uint32_t subset = 1; subset < 1U << n; subset++) {
            least = fminl(least, minor_of(n, matrix, subset));
        }
        if (fabsl(least) > 1e-9L) {
            assert_int_equal(rh__complement_is_p_matrix(n, matrix), least > 0.0L);
            count[least > 0.0L]++;
        }
    }
    assert_true(count[0] > ROUNDS && count[1] > ROUNDS);
    assert_true(rh__complement_is_p_matrix(0, NULL));
    const double zero[] = {0.0};
    const double singular[] = {1, 2, 2, 4};
    const double wide[] = {1e-200, 1e-250, -1e-250, 1e-200};
    assert_false(rh__complement_is_p_matrix(1, zero));
    assert_false(rh__complement_is_p_matrix(2, singular));
    assert_true(rh__complement_is_p_matrix(2, wide));
    for (uint32_t n = 12; n <= 13; n++) {
        double *identity = new_numbers(&on, (size_t)n * n);
        for (size_t i = 0; i < n; i++) {
            identity[i * n + i] = 1.0;
        }
        // the larger one is not examined
        assert_int_equal(rh__complement_is_p_matrix(n, identity), n == 12);
    }
    end_bench(&on);
}

// --- symmetries ------------------------------------------------------------------------------

// The list of one problem, found again in that of the same problem in other words.
static void check_same_list(uint32_t n, const rh_complement_result *a,
                            const rh_complement_result *b, const uint32_t *place, const double *row,
                            const double *column)
{
    assert_int_equal(a->answer, b->answer);
    assert_int_equal(a->count, b->count);
    assert_int_equal(a->is_certain, b->is_certain);
    for (uint32_t k = 0; k < a->count; k++) {
        bool has_match = false;
        for (uint32_t m = 0; m < b->count && !has_match; m++) {
            has_match = true;
            for (uint32_t i = 0; i < n; i++) {
                const double multiplier = b->solutions[m].multiplier[place[i]] * column[i];
                const double slack = b->solutions[m].slack[place[i]] / row[i];
                const double expected = a->solutions[k].multiplier[i];
                has_match = has_match &&
                            a->solutions[k].side[i] == b->solutions[m].side[place[i]] &&
                            fabs(multiplier - expected) <= 1e-6 * (1.0 + fabs(expected)) &&
                            fabs(slack - a->solutions[k].slack[i]) <= 1e-6;
            }
        }
        assert_true(has_match);
    }
}

static void check_permutation(bench *on, const rh_complement_problem *problem,
                              const rh_complement_result *first)
{
    const uint32_t n = problem->n;
    uint32_t place[RH_COMPLEMENT_ENUMERATED];
    double *one = new_numbers(on, n);
    double *turned = new_numbers(on, (size_t)n * n);
    double *constant = new_numbers(on, n);
    const uint32_t start = support_random_below(&on->random, n);
    for (uint32_t i = 0; i < n; i++) {
        place[i] = n - 1 - (i + start) % n;
        one[i] = 1.0;
    }
    for (size_t i = 0; i < n; i++) {
        for (size_t j = 0; j < n; j++) {
            turned[place[i] * n + place[j]] = problem->matrix[i * n + j];
        }
        constant[place[i]] = problem->constant[i];
    }
    rh_complement_problem other = make_problem(on, n, turned, constant);
    other.limit = problem->limit;
    const rh_complement_result second = solve_by(on, other, RH_COMPLEMENT_AUTO);
    check_same_list(n, first, &second, place, one, one);
}

static void check_symmetries(bench *on, uint32_t n, const double *matrix, uint32_t degenerate)
{
    const plant planted = plant_solution(on, n, matrix, degenerate);
    rh_complement_problem problem = make_problem(on, n, matrix, planted.constant);
    problem.limit = 1000;
    const rh_complement_result first = solve_by(on, problem, RH_COMPLEMENT_AUTO);
    assert_true(first.count > 0);
    check_permutation(on, &problem, &first);

    uint32_t place[RH_COMPLEMENT_ENUMERATED];
    for (uint32_t i = 0; i < n; i++) {
        place[i] = i;
    }
    const double *row = random_scales(on, n, 20.0);
    const double *column = random_scales(on, n, 20.0);
    const rh_complement_problem scaled = scale_problem(on, &problem, row, column);
    const rh_complement_result second = solve_by(on, scaled, RH_COMPLEMENT_AUTO);
    check_same_list(n, &first, &second, place, row, column);
}

static void numbering_and_units_do_not_matter(void **state)
{
    (void)state;
    bench on = begin_bench("numbering_and_units_do_not_matter");
    for (int round = 0; round < ROUNDS; round++) {
        const uint32_t n = 1 + support_random_below(&on.random, 6);
        double *definite = random_semidefinite(&on, n, n);
        for (size_t i = 0; i < n; i++) {
            definite[i * n + i] += 0.3;
        }
        check_symmetries(&on, n, definite, 2);
        check_symmetries(&on, n, random_p_matrix(&on, n), 2);
        check_symmetries(&on, n, random_numbers(&on, (size_t)n * n), 0);
    }
    end_bench(&on);
}

// --- any matrix ------------------------------------------------------------------------------

// How many active sets have a solution, by elimination in long double; none may be singular.
static uint32_t count_plainly(const rh_complement_problem *problem)
{
    enum { WIDEST = 8 };
    const uint32_t n = problem->n;
    uint32_t count = 0;
    for (uint32_t active = 0; active < 1U << n; active++) {
        // one n x n system: rows of the active set, and multiplier = 0 for the others
        long double a[WIDEST][WIDEST + 1] = {{0.0L}};
        for (uint32_t i = 0; i < n; i++) {
            const bool is_active = (active >> i & 1U) != 0;
            for (uint32_t j = 0; j < n; j++) {
                a[i][j] =
                    is_active ? (long double)problem->matrix[i * n + j] : (i == j ? 1.0L : 0.0L);
            }
            a[i][n] = is_active ? -(long double)problem->constant[i] : 0.0L;
        }
        for (uint32_t k = 0; k < n; k++) {
            uint32_t best = k;
            for (uint32_t i = k + 1; i < n; i++) {
                best = fabsl(a[i][k]) > fabsl(a[best][k]) ? i : best;
            }
            for (uint32_t j = 0; j <= n; j++) {
                const long double kept = a[k][j];
                a[k][j] = a[best][j];
                a[best][j] = kept;
            }
            for (uint32_t i = 0; i < n; i++) {
                const long double factor = i == k ? 0.0L : a[i][k] / a[k][k];
                for (uint32_t j = 0; j <= n; j++) {
                    a[i][j] -= factor * a[k][j];
                }
            }
        }
        bool is_fine = true;
        for (uint32_t i = 0; i < n; i++) {
            long double slack = problem->constant[i];
            for (uint32_t j = 0; j < n; j++) {
                slack += problem->matrix[i * n + j] * a[j][n] / a[j][j];
            }
            is_fine = is_fine && a[i][n] / a[i][i] >= -1e-13L && slack >= -1e-13L;
        }
        count += is_fine ? 1 : 0;
    }
    return count;
}

static void planted_solutions_are_listed(void **state)
{
    (void)state;
    bench on = begin_bench("planted_solutions_are_listed");
    uint32_t several = 0;
    for (int round = 0; round < ROUNDS; round++) {
        const uint32_t n = 2 + support_random_below(&on.random, 7);
        const double *matrix = random_numbers(&on, (size_t)n * n);
        const plant planted = plant_solution(&on, n, matrix, 0);
        rh_complement_problem problem = make_problem(&on, n, matrix, planted.constant);
        problem.limit = 256;
        const rh_complement_result result = solve_by(&on, problem, RH_COMPLEMENT_AUTO);
        assert_true(result.is_certain && result.is_complete);
        assert_int_equal(result.count, count_plainly(&problem));
        several += result.answer == RH_COMPLEMENT_SEVERAL ? 1 : 0;
        bool is_listed = false;
        for (uint32_t k = 0; k < result.count; k++) {
            double gap = 0.0;
            check_conditions(&problem, &result.solutions[k], 1e-11);
            for (uint32_t i = 0; i < n; i++) {
                gap = fmax(gap, fabs(result.solutions[k].multiplier[i] - planted.multiplier[i]));
            }
            is_listed = is_listed || gap < 1e-7;
        }
        assert_true(is_listed);
        // one path finds one of them or none, and claims no more
        const rh_complement_result path = solve_by(&on, problem, RH_COMPLEMENT_LEMKE);
        assert_true(path.count <= 1 && (path.is_certain <= (result.count == 1)));
        if (path.count == 1) {
            check_conditions(&problem, &path.solutions[0], 1e-11);
        }
    }
    assert_true(several > ROUNDS / 10);
    end_bench(&on);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_of_two_stays),
        cmocka_unit_test(a_doubled_constraint_shares_its_push),
        cmocka_unit_test(derivatives_decide_the_undecided),
        cmocka_unit_test(none_and_several_are_told),
        cmocka_unit_test(the_limit_cuts_the_list),
        cmocka_unit_test(a_line_of_solutions_is_told),
        cmocka_unit_test(small_problems_are_solved_wholly),
        cmocka_unit_test(definite_matrices_have_one_solution),
        cmocka_unit_test(p_matrices_have_one_solution),
        cmocka_unit_test(all_minors_of_p_matrices_are_positive),
        cmocka_unit_test(numbering_and_units_do_not_matter),
        cmocka_unit_test(planted_solutions_are_listed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
