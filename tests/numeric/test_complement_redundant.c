// SPDX-License-Identifier: Apache-2.0
// Tests of the complementarity solver where data are redundant, contradictory, degenerate, of
// limited accuracy or of extreme size, and where memory or arguments are refused.

#include "numeric/corners.h"

enum { ROUNDS = 60 };

// --- redundant sets --------------------------------------------------------------------------

// Semidefinite matrices: the slack is that of the planted solution, whatever the multipliers.
static void redundant_sets_have_one_slack(void **state)
{
    (void)state;
    bench on = begin_bench("redundant_sets_have_one_slack");
    uint32_t free_count = 0;
    for (int round = 0; round < ROUNDS; round++) {
        const rh_mark mark = rh__arena_mark(&on.arena);
        const uint32_t n = 2 + support_random_below(&on.random, round % 3 == 0 ? 60 : 11);
        const uint32_t rank = 1 + support_random_below(&on.random, n - 1);
        const double *matrix = random_semidefinite(&on, n, rank);
        const plant planted = plant_solution(&on, n, matrix, support_random_below(&on.random, 9));
        const rh_complement_problem problem = make_problem(&on, n, matrix, planted.constant);
        for (int method = RH_COMPLEMENT_AUTO; method <= RH_COMPLEMENT_LEMKE; method++) {
            if (method == RH_COMPLEMENT_ENUMERATE && n > RH_COMPLEMENT_ENUMERATED) {
                continue;
            }
            const rh_complement_result result =
                solve_by(&on, problem, (rh_complement_method)method);
            check_answer(&result, RH_COMPLEMENT_ONE, 1);
            const rh_complement_solution *solution = &result.solutions[0];
            check_conditions(&problem, solution, 1e-9);
            check_near(n, solution->slack, planted.slack, 1e-7);
            const double length = rh__vector_norm(n, planted.multiplier);
            assert_true(rh__vector_norm(n, solution->multiplier) <= length * (1.0 + 1e-7) + 1e-7);
            free_count += solution->is_unique ? 0 : 1;
        }
        rh__arena_rewind(&on.arena, mark);
    }
    assert_true(free_count > ROUNDS / 4);
    end_bench(&on);
}

// Among all multipliers with that slack the shortest are listed, in the units of the caller.
static void the_shortest_multipliers_are_listed(void **state)
{
    (void)state;
    bench on = begin_bench("the_shortest_multipliers_are_listed");
    for (int round = 0; round < ROUNDS; round++) {
        const rh_mark mark = rh__arena_mark(&on.arena);
        const uint32_t n = 2 + support_random_below(&on.random, 5);
        double *matrix = random_semidefinite(&on, n, 1 + support_random_below(&on.random, n - 1));
        double *scale = new_numbers(&on, n);
        for (size_t i = 0; i < n; i++) {
            scale[i] = exp(support_random_real(&on.random, -2.0, 2.0));
        }
        for (size_t k = 0; k < (size_t)n * n; k++) {
            matrix[k] *= scale[k / n] * scale[k % n];
        }
        const plant planted = plant_solution(&on, n, matrix, 1);
        const rh_complement_problem problem = make_problem(&on, n, matrix, planted.constant);
        for (int method = RH_COMPLEMENT_AUTO; method <= RH_COMPLEMENT_LEMKE; method++) {
            const rh_complement_result result =
                solve_by(&on, problem, (rh_complement_method)method);
            check_answer(&result, RH_COMPLEMENT_ONE, 1);
            const double length = rh__vector_norm(n, result.solutions[0].multiplier);
            assert_near(length, judge_length(&on, &problem, planted.slack), 1e-7);
        }
        rh__arena_rewind(&on.arena, mark);
    }
    end_bench(&on);
}

// Each constraint comes a second time, s times as large: of a push p, the parts p / (1 + s^2) and
// s p / (1 + s^2) are shortest.
static void doubled_sets_share_their_pushes(void **state)
{
    (void)state;
    bench on = begin_bench("doubled_sets_share_their_pushes");
    for (uint32_t half = 1; half <= 30; half += half < 8 ? 1 : 7) {
        const uint32_t n = 2 * half;
        const double s = support_random_real(&on.random, 0.3, 3.0);
        double *single = random_semidefinite(&on, half, half);
        for (size_t i = 0; i < half; i++) {
            single[i * half + i] += 0.3;
        }
        const plant planted = plant_solution(&on, half, single, 1);
        double *matrix = new_numbers(&on, (size_t)n * n);
        double *constant = new_numbers(&on, n);
        for (size_t i = 0; i < n; i++) {
            for (size_t j = 0; j < n; j++) {
                matrix[i * n + j] = single[i % half * half + j % half] * (i < half ? 1.0 : s) *
                                    (j < half ? 1.0 : s);
            }
            constant[i] = planted.constant[i % half] * (i < half ? 1.0 : s);
        }
        const rh_complement_problem problem = make_problem(&on, n, matrix, constant);
        const rh_complement_result result = solve_by(&on, problem, RH_COMPLEMENT_AUTO);
        check_answer(&result, RH_COMPLEMENT_ONE, 1);
        for (uint32_t i = 0; i < n; i++) {
            const double part = (i < half ? 1.0 : s) / (1.0 + s * s);
            const double expected = part * planted.multiplier[i % half];
            assert_near(result.solutions[0].multiplier[i], expected, 1e-9);
        }
        bool has_choice = false; // a push of zero cannot be shared otherwise
        for (uint32_t i = 0; i < half; i++) {
            has_choice = has_choice || planted.multiplier[i] > 0.0;
        }
        assert_int_equal(result.solutions[0].is_unique, !has_choice);
    }
    end_bench(&on);
}

// f >= 0 and -f >= gap at once.
static rh_complement_problem contradiction(bench *on, uint32_t half, double gap)
{
    const uint32_t n = 2 * half;
    const double *single = random_semidefinite(on, half, half + 3);
    double *matrix = new_numbers(on, (size_t)n * n);
    double *constant = new_numbers(on, n);
    for (size_t i = 0; i < n; i++) {
        for (size_t j = 0; j < n; j++) {
            matrix[i * n + j] =
                single[i % half * half + j % half] * ((i < half) == (j < half) ? 1.0 : -1.0);
        }
    }
    for (size_t i = 0; i < half; i++) {
        constant[i] = support_random_real(&on->random, -1.0, 1.0);
        constant[half + i] = -constant[i] - (i == half / 2 ? gap : 0.0);
    }
    return make_problem(on, n, matrix, constant);
}

static void contradictions_have_no_solution(void **state)
{
    (void)state;
    bench on = begin_bench("contradictions_have_no_solution");
    for (uint32_t half = 1; half <= 20; half += half < 6 ? 1 : 7) {
        const rh_complement_problem problem = contradiction(&on, half, 1e-3);
        rh_complement_result result = solve_by(&on, problem, RH_COMPLEMENT_AUTO);
        check_answer(&result, RH_COMPLEMENT_NONE, 0);
        result = solve_by(&on, problem, RH_COMPLEMENT_LEMKE);
        check_answer(&result, RH_COMPLEMENT_NONE, 0);
    }
    end_bench(&on);
}

// Below the tolerances a contradiction is none, and says how near it came.
static void small_contradictions_are_overlooked(void **state)
{
    (void)state;
    bench on = begin_bench("small_contradictions_are_overlooked");
    for (uint32_t half = 1; half <= 20; half += half < 6 ? 1 : 7) {
        const rh_complement_problem problem = contradiction(&on, half, 5e-11);
        const rh_complement_result result = solve_by(&on, problem, RH_COMPLEMENT_AUTO);
        check_answer(&result, RH_COMPLEMENT_ONE, 1);
        check_conditions(&problem, &result.solutions[0], 1e-9);
        assert_true(result.solutions[0].violation > 0.01);
        for (uint32_t i = 0; i < problem.n; i++) {
            assert_int_not_equal(result.solutions[0].side[i], RH_COMPLEMENT_LEAVING);
        }
    }
    end_bench(&on);
}

// --- ties ------------------------------------------------------------------------------------

static void check_path(bench *on, uint32_t n, const double *matrix, const double *constant)
{
    const rh_complement_problem problem = make_problem(on, n, matrix, constant);
    const rh_complement_result result = solve_by(on, problem, RH_COMPLEMENT_LEMKE);
    assert_int_equal(result.answer, RH_COMPLEMENT_ONE);
    check_conditions(&problem, &result.solutions[0], 1e-10);
}

// Every ratio is tied at every pivot: equal constants and equal rows. On the first matrix the rule
// "the first of equals" runs in circles.
static void ties_do_not_make_circles(void **state)
{
    (void)state;
    bench on = begin_bench("ties_do_not_make_circles");
    const double circle[] = {1, 2, 0, 0, 1, 2, 2, 0, 1};
    check_path(&on, 3, circle, (const double[]){-1, -1, -1});
    for (uint32_t n = 2; n <= 40; n++) {
        double *matrix = new_numbers(&on, (size_t)n * n);
        double *constant = new_numbers(&on, n);
        const uint32_t period = 1 + support_random_below(&on.random, n);
        const double *single = random_semidefinite(&on, period, period);
        for (size_t i = 0; i < n; i++) {
            for (size_t j = 0; j < n; j++) {
                matrix[i * n + j] = single[i % period * period + j % period];
            }
            // the constant of a push of 1 from each of the first copies: consistent
            for (size_t j = 0; j < period; j++) {
                constant[i] -= single[i % period * period + j];
            }
        }
        check_path(&on, n, matrix, constant);
        for (size_t i = 0; i < n; i++) {
            for (size_t j = 0; j < n; j++) {
                matrix[i * n + j] = i == j ? 1.0 : (i + 1) % n == j ? 0.5 : 0.0;
            }
            constant[i] = -1.0;
        }
        check_path(&on, n, matrix, constant);
        for (size_t i = 0; i < n; i++) {
            constant[i] = i % 2 == 0 ? -1.0 : 0.0;
        }
        check_path(&on, n, matrix, constant);
    }
    end_bench(&on);
}

// --- tolerances ------------------------------------------------------------------------------

static rh_complement_side side_at(bench *on, double element, double constant,
                                  double slack_tolerance, double multiplier_tolerance)
{
    const rh_complement_problem problem = {.n = 1,
                                           .matrix = &element,
                                           .constant = &constant,
                                           .slack_tolerance = &slack_tolerance,
                                           .multiplier_tolerance = &multiplier_tolerance};
    const rh_complement_result result = solve_by(on, problem, RH_COMPLEMENT_AUTO);
    check_answer(&result, RH_COMPLEMENT_ONE, 1);
    return result.solutions[0].side[0];
}

static void sides_are_decided_by_the_tolerances(void **state)
{
    (void)state;
    bench on = begin_bench("sides_are_decided_by_the_tolerances");
    assert_int_equal(side_at(&on, 2.0, 1e-9, 1e-8, 0.0), RH_COMPLEMENT_UNDECIDED);
    assert_int_equal(side_at(&on, 2.0, 1e-9, 1e-10, 0.0), RH_COMPLEMENT_LEAVING);
    assert_int_equal(side_at(&on, 2.0, -1e-9, 0.0, 1e-9), RH_COMPLEMENT_UNDECIDED);
    assert_int_equal(side_at(&on, 2.0, -1e-9, 1.0, 4e-10), RH_COMPLEMENT_POSITIVE);
    assert_int_equal(side_at(&on, 2.0, 0.0, 0.0, 0.0), RH_COMPLEMENT_UNDECIDED);
    // two solutions that the tolerances cannot tell apart, and two that have just vanished
    assert_int_equal(side_at(&on, -1.0, 1e-12, 1e-10, 1e-10), RH_COMPLEMENT_UNDECIDED);
    assert_int_equal(side_at(&on, -1.0, -1e-12, 1e-10, 1e-10), RH_COMPLEMENT_UNDECIDED);
    end_bench(&on);
}

// A single pair whose sign is clear is answered without a search, by what a search would find.
static void clear_pairs_are_as_if_searched(void **state)
{
    (void)state;
    bench on = begin_bench("clear_pairs_are_as_if_searched");
    for (int round = 0; round < 5 * ROUNDS; round++) {
        const double size = exp(support_random_real(&on.random, -40.0, 40.0));
        const double element = exp(support_random_real(&on.random, -40.0, 40.0)) *
                               (support_random_below(&on.random, 8) == 0 ? -1.0 : 1.0);
        const double constant = size * support_random_real(&on.random, -1.0, 1.0);
        const double slack = size * exp(support_random_real(&on.random, -30.0, 1.0));
        const double multiplier = slack / fabs(element);
        const rh_complement_problem problem = {.n = 1,
                                               .matrix = &element,
                                               .constant = &constant,
                                               .slack_tolerance = &slack,
                                               .multiplier_tolerance = &multiplier};
        const rh_complement_result quick = solve_by(&on, problem, RH_COMPLEMENT_AUTO);
        const rh_complement_result slow = solve_by(&on, problem, RH_COMPLEMENT_ENUMERATE);
        assert_int_equal(quick.answer, slow.answer);
        assert_int_equal(quick.count, slow.count);
        assert_int_equal(quick.is_certain, slow.is_certain);
        assert_int_equal(quick.is_complete, slow.is_complete);
        for (uint32_t k = 0; k < quick.count; k++) {
            const rh_complement_solution *a = &quick.solutions[k];
            const rh_complement_solution *b = &slow.solutions[k];
            assert_int_equal(a->side[0], b->side[0]);
            assert_int_equal(a->is_unique, b->is_unique);
            assert_true(fabs(a->slack[0] - b->slack[0]) <= 1e-14 * fabs(constant));
            assert_true(fabs(a->multiplier[0] - b->multiplier[0]) <=
                        1e-14 * fabs(constant / element));
        }
    }
    end_bench(&on);
}

// Without tolerances rounding decides what is zero: the pairs planted so are undecided.
static void rounding_takes_the_place_of_tolerances(void **state)
{
    (void)state;
    bench on = begin_bench("rounding_takes_the_place_of_tolerances");
    for (int round = 0; round < 5 * ROUNDS; round++) {
        const uint32_t n = 1 + support_random_below(&on.random, 8);
        double *matrix = random_semidefinite(&on, n, n);
        for (size_t i = 0; i < n; i++) {
            matrix[i * n + i] += 0.1;
        }
        const plant planted = plant_solution(&on, n, matrix, 4);
        rh_complement_problem problem = make_problem(&on, n, matrix, planted.constant);
        problem.slack_tolerance = problem.multiplier_tolerance = new_numbers(&on, n);
        for (int method = RH_COMPLEMENT_AUTO; method <= RH_COMPLEMENT_LEMKE; method++) {
            const rh_complement_result result =
                solve_by(&on, problem, (rh_complement_method)method);
            check_answer(&result, RH_COMPLEMENT_ONE, 1);
            for (uint32_t i = 0; i < n; i++) {
                assert_int_equal(result.solutions[0].side[i],
                                 planted.multiplier[i] > 0.0 ? RH_COMPLEMENT_POSITIVE
                                 : planted.slack[i] > 0.0    ? RH_COMPLEMENT_LEAVING
                                                             : RH_COMPLEMENT_UNDECIDED);
                assert_true(result.solutions[0].multiplier[i] >= 0.0);
                assert_true(result.solutions[0].slack[i] >= 0.0);
            }
        }
    }
    end_bench(&on);
}

// What is left of a row after elimination may be nothing but rounding; the caller knows.
static void uncertain_elements_are_zero(void **state)
{
    (void)state;
    bench on = begin_bench("uncertain_elements_are_zero");
    const double matrix[] = {1.0, 0.0, 0.0, 3e-15};
    const double constant[] = {-1.0, -1.0};
    const double *uncertainty = (const double[]){1e-14, 1e-14, 1e-14, 1e-14};
    rh_complement_problem problem = make_problem(&on, 2, matrix, constant);
    rh_complement_result result = solve_by(&on, problem, RH_COMPLEMENT_AUTO);
    check_answer(&result, RH_COMPLEMENT_ONE, 1);
    assert_near(result.solutions[0].multiplier[1], 1.0 / 3e-15, 1e-12);
    problem.uncertainty = uncertainty;
    result = solve_by(&on, problem, RH_COMPLEMENT_AUTO);
    check_answer(&result, RH_COMPLEMENT_NONE, 0);
    problem.constant = (const double[]){-1.0, 0.0};
    result = solve_by(&on, problem, RH_COMPLEMENT_AUTO);
    check_answer(&result, RH_COMPLEMENT_ONE, 1);
    check_near(2, result.solutions[0].multiplier, (const double[]){1.0, 0.0}, 1e-14);
    assert_false(result.solutions[0].is_unique);

    // nearly the same constraint twice: whether it is twice, the uncertainty says
    const double twice[] = {1.0, 1.0, 1.0, 1.0 + 1e-8};
    const double *rough = (const double[]){1e-7, 1e-7, 1e-7, 1e-7};
    problem = make_problem(&on, 2, twice, (const double[]){-1.0, -1.0});
    result = solve_by(&on, problem, RH_COMPLEMENT_AUTO);
    assert_true(result.solutions[0].is_unique);
    double *tolerance = new_numbers(&on, 2);
    tolerance[0] = tolerance[1] = 1e-7;
    problem.slack_tolerance = tolerance;
    problem.uncertainty = rough;
    result = solve_by(&on, problem, RH_COMPLEMENT_AUTO);
    check_answer(&result, RH_COMPLEMENT_ONE, 1);
    assert_false(result.solutions[0].is_unique);
    check_near(2, result.solutions[0].multiplier, (const double[]){0.5, 0.5}, 1e-7);
    end_bench(&on);
}

// --- extremes --------------------------------------------------------------------------------

static void extreme_sizes_are_solved(void **state)
{
    (void)state;
    bench on = begin_bench("extreme_sizes_are_solved");
    const double sizes[] = {1e-150, 1e-30, 1e30, 1e150};
    for (size_t a = 0; a < 4; a++) {
        for (size_t b = 0; b < 4; b++) {
            const double matrix[] = {sizes[a], -0.9 * sizes[a], -0.9 * sizes[a], sizes[a]};
            const double constant[] = {sizes[b], -0.5 * sizes[b]};
            const double size = sizes[b] / sizes[a];
            const double zero[] = {0.0, 0.0};
            const rh_complement_problem problem = {.n = 2,
                                                   .matrix = matrix,
                                                   .constant = constant,
                                                   .slack_tolerance = zero,
                                                   .multiplier_tolerance = zero};
            const rh_complement_result result = solve_by(&on, problem, RH_COMPLEMENT_AUTO);
            check_answer(&result, RH_COMPLEMENT_ONE, 1);
            assert_near_by(result.solutions[0].multiplier[1], 0.5 * size, 1e-14, 0.0);
            assert_near_by(result.solutions[0].slack[0], 0.55 * sizes[b], 1e-14, 0.0);
        }
    }
    end_bench(&on);
}

static void nothing_has_one_solution(void **state)
{
    (void)state;
    bench on = begin_bench("nothing_has_one_solution");
    for (int method = RH_COMPLEMENT_AUTO; method <= RH_COMPLEMENT_LEMKE; method++) {
        const rh_complement_problem problem = {0};
        const rh_complement_result result = solve_by(&on, problem, (rh_complement_method)method);
        check_answer(&result, RH_COMPLEMENT_ONE, 1);
        assert_true(result.solutions[0].is_unique);
    }
    end_bench(&on);
}

static void check_refused(bench *on, rh_complement_problem problem, rh_status status)
{
    const size_t used = on->arena.used;
    rh_complement_result result = {.count = 7};
    assert_int_equal(rh__complement_solve(&on->arena, &problem, &result), status);
    assert_true(result.count == 0 && result.solutions == NULL);
    assert_true(on->arena.used == used);
}

static void wrong_arguments_are_refused(void **state)
{
    (void)state;
    bench on = begin_bench("wrong_arguments_are_refused");
    const double matrix[] = {1, 0, 0, 1};
    const double constant[] = {1, 2};
    const double *wrong[] = {(const double[]){1, (double)NAN, 0, 1},
                             (const double[]){1, 0, 0, (double)INFINITY},
                             (const double[]){1, -1e-300, 0, 1}};
    const rh_complement_problem sound = make_problem(&on, 2, matrix, constant);
    for (size_t k = 0; k < 3; k++) {
        const bool is_finite = k == 2; // a negative tolerance is wrong, a negative constant is not
        rh_complement_problem problem = sound;
        problem.matrix = wrong[k];
        if (!is_finite) {
            check_refused(&on, problem, RH_E_ARGUMENT);
        }
        problem = sound;
        problem.constant = k == 1 ? wrong[k] + 2 : wrong[k];
        if (!is_finite) {
            check_refused(&on, problem, RH_E_ARGUMENT);
        }
        problem = sound;
        problem.slack_tolerance = k == 1 ? wrong[k] + 2 : wrong[k];
        check_refused(&on, problem, RH_E_ARGUMENT);
        problem = sound;
        problem.multiplier_tolerance = k == 1 ? wrong[k] + 2 : wrong[k];
        check_refused(&on, problem, RH_E_ARGUMENT);
        problem = sound;
        problem.uncertainty = wrong[k];
        check_refused(&on, problem, RH_E_ARGUMENT);
    }
    check_refused(&on, (rh_complement_problem){.n = 13, .method = RH_COMPLEMENT_ENUMERATE},
                  RH_E_LIMIT);
    check_refused(&on, (rh_complement_problem){.n = RH_DENSE_LIMIT + 1}, RH_E_LIMIT);
    end_bench(&on);
}

static void same_input_gives_same_bits(void **state)
{
    (void)state;
    bench on = begin_bench("same_input_gives_same_bits");
    for (uint32_t n = 3; n <= 23; n += 5) {
        const double *matrix = random_semidefinite(&on, n, n / 2 + 1);
        const plant planted = plant_solution(&on, n, matrix, 2);
        const rh_complement_problem problem = make_problem(&on, n, matrix, planted.constant);
        const rh_complement_result first = solve_by(&on, problem, RH_COMPLEMENT_AUTO);
        (void)random_numbers(&on, n); // another place in memory
        const rh_complement_result second = solve_by(&on, problem, RH_COMPLEMENT_AUTO);
        assert_int_equal(first.count, 1);
        assert_int_equal(second.count, 1);
        assert_memory_equal(first.solutions[0].multiplier, second.solutions[0].multiplier,
                            sizeof(double) * n);
        assert_memory_equal(first.solutions[0].slack, second.solutions[0].slack,
                            sizeof(double) * n);
    }
    end_bench(&on);
}

// Each request of the arena fails once; what was made until then is rewound.
static void refused_memory_is_a_status(void **state)
{
    (void)state;
    bench on = begin_bench("refused_memory_is_a_status");
    const uint32_t n = 200;
    const double *redundant = random_semidefinite(&on, n, n / 2);
    const plant planted = plant_solution(&on, n, redundant, 1);
    const rh_complement_problem problem = make_problem(&on, n, redundant, planted.constant);
    bool is_done = false;
    for (size_t fail_at = 1; !is_done; fail_at++) {
        assert_true(fail_at < 200);
        support_memory memory = {.fail_at = fail_at};
        rh_arena arena = rh__arena_begin(support_memory_allocator(&memory), SIZE_MAX / 2);
        rh_complement_result result;
        const rh_status status = rh__complement_solve(&arena, &problem, &result);
        is_done = status == RH_OK;
        assert_true(is_done || (status == RH_E_MEMORY && result.solutions == NULL));
        assert_true(is_done ? fail_at > 10 : arena.chunks == NULL);
        rh__arena_end(&arena);
        assert_int_equal(memory.block_count, 0);
    }
    end_bench(&on);
}

// One chunk with a little more room each time: every push is the first to be refused once.
static void check_narrow(const rh_complement_problem *problem)
{
    enum { CHUNK = 16384, STEP = 16 };
    bool is_done = false;
    for (size_t room = 0; !is_done; room += STEP) {
        assert_true(room <= CHUNK);
        support_memory memory = {.fail_at = 2};
        rh_arena arena = rh__arena_begin(support_memory_allocator(&memory), SIZE_MAX / 2);
        assert_non_null(rh__arena_push(&arena, CHUNK - room));
        const rh_mark mark = rh__arena_mark(&arena);
        rh_complement_result result;
        const rh_status status = rh__complement_solve(&arena, problem, &result);
        is_done = status == RH_OK;
        assert_true(is_done || (status == RH_E_MEMORY && result.solutions == NULL));
        assert_true(is_done || rh__arena_mark(&arena).fill == mark.fill);
        assert_true(!is_done || room > 40 * STEP);
        rh__arena_end(&arena);
    }
}

// Through lines of solutions, redundant sets with unequal shares, contradictions, one path.
static void every_push_may_be_refused(void **state)
{
    (void)state;
    bench on = begin_bench("every_push_may_be_refused");
    const double line[] = {0, 0, 0, 1, 0, 0, 0, 0, 1};
    const double share[] = {1, 1, -1, 1, 1, -1, -1, -1, 1};
    const double *constants[] = {(const double[]){0, -1, -1}, (const double[]){-1, -1, 1}};
    for (int method = RH_COMPLEMENT_AUTO; method <= RH_COMPLEMENT_LEMKE; method++) {
        for (size_t k = 0; k < 4; k++) {
            rh_complement_problem problem =
                make_problem(&on, 3, k % 2 == 0 ? line : share, constants[k / 2]);
            problem.limit = 3;
            problem.method = (rh_complement_method)method;
            check_narrow(&problem);
        }
    }
    end_bench(&on);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(redundant_sets_have_one_slack),
        cmocka_unit_test(the_shortest_multipliers_are_listed),
        cmocka_unit_test(doubled_sets_share_their_pushes),
        cmocka_unit_test(contradictions_have_no_solution),
        cmocka_unit_test(small_contradictions_are_overlooked),
        cmocka_unit_test(ties_do_not_make_circles),
        cmocka_unit_test(sides_are_decided_by_the_tolerances),
        cmocka_unit_test(clear_pairs_are_as_if_searched),
        cmocka_unit_test(rounding_takes_the_place_of_tolerances),
        cmocka_unit_test(uncertain_elements_are_zero),
        cmocka_unit_test(extreme_sizes_are_solved),
        cmocka_unit_test(nothing_has_one_solution),
        cmocka_unit_test(wrong_arguments_are_refused),
        cmocka_unit_test(same_input_gives_same_bits),
        cmocka_unit_test(refused_memory_is_a_status),
        cmocka_unit_test(every_push_may_be_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
