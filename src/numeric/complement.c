// SPDX-License-Identifier: Apache-2.0
// Linear complementarity: 0 <= multiplier _|_ slack = constant + matrix multiplier >= 0. The
// problem is brought into balanced units, the kind of its matrix says what may be expected, and
// then either all active sets are tried (active.c, piece.c), the small ones first, or Lemke's
// method finds one (lemke.c). Theory: docs/theory/onesided.md, "Corners".

#include "numeric/complement.h"

#include "numeric/scale.h"

#include <math.h>
#include <string.h>

// --- points ----------------------------------------------------------------------------------

static rh_status create_point(rh_arena *arena, uint32_t n, rh_complement_point *out)
{
    *out = (rh_complement_point){.active = rh__arena_array(arena, uint32_t, n),
                                 .multiplier = rh__arena_array(arena, double, n),
                                 .slack = rh__arena_array(arena, double, n),
                                 .multiplier_error = rh__arena_array(arena, double, n),
                                 .slack_error = rh__arena_array(arena, double, n)};
    const bool is_ready = out->active != NULL && out->multiplier != NULL && out->slack != NULL &&
                          out->multiplier_error != NULL && out->slack_error != NULL;
    return is_ready ? RH_OK : arena->status;
}

static void swap_points(rh_complement_point *a, rh_complement_point *b)
{
    const rh_complement_point kept = *a;
    *a = *b;
    *b = kept;
}

// --- the frame -------------------------------------------------------------------------------

static bool is_sound(const rh_complement_problem *problem)
{
    const size_t n = problem->n;
    bool is_fine = rh__vector_is_finite(n * n, problem->matrix) &&
                   rh__vector_is_finite(n, problem->constant) &&
                   rh__vector_is_finite(n, problem->slack_tolerance) &&
                   rh__vector_is_finite(n, problem->multiplier_tolerance);
    for (size_t i = 0; i < n; i++) {
        is_fine = is_fine && problem->slack_tolerance[i] >= 0.0 &&
                  problem->multiplier_tolerance[i] >= 0.0;
    }
    for (size_t k = 0; k < n * n && problem->uncertainty != NULL; k++) {
        is_fine = is_fine && isfinite(problem->uncertainty[k]) && problem->uncertainty[k] >= 0.0;
    }
    return is_fine;
}

// Elements that are not known at all are zero.
static double known_element(const rh_complement_problem *problem, size_t place)
{
    const double value = problem->matrix[place];
    const bool is_known = problem->uncertainty == NULL || fabs(value) > problem->uncertainty[place];
    return is_known ? value : 0.0;
}

// The exponent that brings the largest element of a row, or of a column, to about 1.
static void take_largest(size_t n, const double *matrix, bool is_row, const int32_t *other,
                         int32_t *exponent)
{
    for (size_t i = 0; i < n; i++) {
        double largest = 0.0;
        for (size_t j = 0; j < n; j++) {
            const double element = matrix[is_row ? i * n + j : j * n + i];
            largest = fmax(largest, ldexp(fabs(element), other[j]));
        }
        exponent[i] = rh__scale_exponent(largest);
    }
}

// The same for the mean exponent of those that count: elements far below their row and column may
// be rounding. Rows and columns in turn, this undoes whatever units the caller has.
static void take_mean(size_t n, const double *matrix, bool is_row, const int32_t *other,
                      int32_t *exponent)
{
    for (size_t i = 0; i < n; i++) {
        int64_t sum = 0;
        int64_t count = 0;
        for (size_t j = 0; j < n; j++) {
            const double element = matrix[is_row ? i * n + j : j * n + i];
            const int32_t size = other[j] - rh__scale_exponent(element);
            if (element != 0.0 && size + exponent[i] > -40) {
                sum += size;
                count++;
            }
        }
        exponent[i] = count > 0 ? (int32_t)(-sum / count) : exponent[i];
    }
}

static void balance(const double *matrix, rh_complement_frame *frame)
{
    const size_t n = frame->n;
    take_largest(n, matrix, true, frame->column_exponent, frame->row_exponent);
    take_largest(n, matrix, false, frame->row_exponent, frame->column_exponent);
    for (uint32_t round = 0; round < 4; round++) {
        take_mean(n, matrix, true, frame->column_exponent, frame->row_exponent);
        take_mean(n, matrix, false, frame->row_exponent, frame->column_exponent);
    }
    take_largest(n, matrix, true, frame->column_exponent, frame->row_exponent);
    take_largest(n, matrix, false, frame->row_exponent, frame->column_exponent);
}

static int32_t largest_constant(const rh_complement_frame *frame, const double *constant)
{
    int32_t shift = 0;
    bool is_zero = true;
    for (size_t i = 0; i < frame->n; i++) {
        const int32_t size = frame->row_exponent[i] - rh__scale_exponent(constant[i]);
        if (constant[i] != 0.0 && (is_zero || size > shift)) {
            shift = size;
            is_zero = false;
        }
    }
    return shift;
}

static void fill_frame(const rh_complement_problem *problem, rh_complement_frame *frame)
{
    const size_t n = frame->n;
    for (size_t k = 0; k < n * n; k++) {
        frame->matrix[k] = known_element(problem, k);
    }
    balance(frame->matrix, frame);
    frame->shift = largest_constant(frame, problem->constant);
    for (size_t i = 0; i < n; i++) {
        for (size_t j = 0; j < n; j++) {
            const size_t place = i * n + j;
            const int32_t exponent = frame->row_exponent[i] + frame->column_exponent[j];
            frame->matrix[place] = ldexp(frame->matrix[place], exponent);
            frame->magnitude[place] = fabs(frame->matrix[place]);
            if (problem->uncertainty != NULL) {
                const double unknown = ldexp(problem->uncertainty[place], exponent);
                frame->magnitude[place] =
                    fmax(frame->magnitude[place], unknown / RH_COMPLEMENT_LOST);
            }
        }
        for (size_t j = 0; j < n; j++) {
            frame->largest_magnitude = fmax(frame->largest_magnitude, frame->magnitude[i * n + j]);
        }
        const int32_t row = frame->row_exponent[i] - frame->shift;
        const int32_t column = -frame->column_exponent[i] - frame->shift;
        frame->constant[i] = ldexp(problem->constant[i], row);
        frame->slack_tolerance[i] = ldexp(problem->slack_tolerance[i], row);
        frame->multiplier_tolerance[i] = ldexp(problem->multiplier_tolerance[i], column);
    }
}

static rh_status create_frame(rh_arena *arena, const rh_complement_problem *problem,
                              rh_complement_frame *out)
{
    const size_t n = problem->n;
    *out = (rh_complement_frame){.n = problem->n,
                                 .matrix = rh__arena_array(arena, double, (n * n)),
                                 .magnitude = rh__arena_array(arena, double, (n * n)),
                                 .constant = rh__arena_array(arena, double, n),
                                 .slack_tolerance = rh__arena_array(arena, double, n),
                                 .multiplier_tolerance = rh__arena_array(arena, double, n),
                                 .row_exponent = rh__arena_array(arena, int32_t, n),
                                 .column_exponent = rh__arena_array(arena, int32_t, n)};
    if (out->matrix == NULL || out->magnitude == NULL || out->constant == NULL ||
        out->slack_tolerance == NULL || out->multiplier_tolerance == NULL ||
        out->row_exponent == NULL || out->column_exponent == NULL) {
        return arena->status;
    }
    fill_frame(problem, out);
    return RH_OK;
}

// --- the search ------------------------------------------------------------------------------

typedef struct search {
    rh_arena *arena;
    rh_complement_frame frame;
    rh_complement_work work;
    rh_complement_kind kind;
    bool is_strict; // conditions hold to rounding, not just to the tolerances
    bool has_loose; // a point was seen that holds to the tolerances only
    uint32_t limit;
    uint32_t count;
    rh_complement_point *points; // limit, made when needed; `count` of them are solutions
    rh_complement_point trial[2];
    bool is_full; // a solution more than the limit
    bool is_continuous;
} search;

static rh_status begin_search(rh_arena *arena, const rh_complement_problem *problem, uint32_t limit,
                              search *out)
{
    *out = (search){.arena = arena, .is_strict = true, .limit = limit};
    RH_TRY(create_frame(arena, problem, &out->frame));
    RH_TRY(rh__complement_work_create(arena, problem->n, &out->work));
    RH_TRY(rh__complement_kind(arena, &out->frame, &out->kind));
    out->points = rh__arena_array(arena, rh_complement_point, limit);
    if (out->points == NULL) {
        return arena->status;
    }
    RH_TRY(create_point(arena, problem->n, &out->trial[0]));
    return create_point(arena, problem->n, &out->trial[1]);
}

static bool has_one_slack(const search *on)
{
    return on->kind == RH_COMPLEMENT_UNIQUE || on->kind == RH_COMPLEMENT_GAUSSIAN;
}

// --- the same or another? --------------------------------------------------------------------

static bool has_same_slack(const rh_complement_frame *frame, const rh_complement_point *a,
                           const rh_complement_point *b)
{
    for (uint32_t i = 0; i < frame->n; i++) {
        const double unit =
            rh__complement_slack_unit(frame, a, i) + rh__complement_slack_unit(frame, b, i);
        if (!(fabs(a->slack[i] - b->slack[i]) <= unit)) {
            return false;
        }
    }
    return true;
}

static bool is_undecided(const rh_complement_frame *frame, const rh_complement_point *point,
                         uint32_t index)
{
    return fabs(point->slack[index]) <= rh__complement_slack_unit(frame, point, index) &&
           fabs(point->multiplier[index]) <= rh__complement_multiplier_unit(frame, point, index);
}

// Do the active sets differ in undecided indices only? Both lists ascend.
static bool has_same_decisions(const rh_complement_frame *frame, const rh_complement_point *a,
                               const rh_complement_point *b)
{
    uint32_t i = 0;
    uint32_t j = 0;
    while (i < a->active_count || j < b->active_count) {
        const uint32_t left = i < a->active_count ? a->active[i] : frame->n;
        const uint32_t right = j < b->active_count ? b->active[j] : frame->n;
        const uint32_t index = left < right ? left : right;
        if (left != right && !is_undecided(frame, a, index) && !is_undecided(frame, b, index)) {
            return false;
        }
        i += left == index ? 1 : 0;
        j += right == index ? 1 : 0;
    }
    return true;
}

// Points that miss the conditions by less than the tolerances may be several views of one solution
// that data of limited accuracy have split.
static bool is_same(const search *on, const rh_complement_point *a, const rh_complement_point *b)
{
    return has_same_slack(&on->frame, a, b) ||
           (!on->is_strict && (has_one_slack(on) || has_same_decisions(&on->frame, a, b)));
}

static bool has_same_multipliers(const rh_complement_frame *frame, const rh_complement_point *a,
                                 const rh_complement_point *b)
{
    for (uint32_t i = 0; i < frame->n; i++) {
        const double unit = rh__complement_multiplier_unit(frame, a, i) +
                            rh__complement_multiplier_unit(frame, b, i);
        if (!(fabs(a->multiplier[i] - b->multiplier[i]) <= unit)) {
            return false;
        }
    }
    return true;
}

// Enter a trial point into the list. The better one of two that are the same stays.
static rh_status admit(search *on, rh_complement_point *trial)
{
    for (uint32_t k = 0; k < on->count; k++) {
        rh_complement_point *known = &on->points[k];
        if (!is_same(on, trial, known)) {
            continue;
        }
        const bool is_twin = !has_same_multipliers(&on->frame, trial, known);
        trial->has_twin = trial->has_twin || known->has_twin || (on->is_strict && is_twin);
        if (on->is_strict || known->violation <= trial->violation) {
            known->has_twin = trial->has_twin;
            return RH_OK;
        }
        // the trial replaces this one, and may be the same as a later one as well
        swap_points(known, &on->points[--on->count]);
        k--;
    }
    if (on->count == on->limit) {
        on->is_full = true;
        return RH_OK;
    }
    rh_complement_point *place = &on->points[on->count];
    if (place->active == NULL) {
        RH_TRY(create_point(on->arena, on->frame.n, place));
    }
    swap_points(trial, place);
    on->count++;
    return RH_OK;
}

// Enter the trials that hold; one that does so to the tolerances only is kept in mind.
static rh_status admit_trials(search *on, uint32_t count)
{
    for (uint32_t k = 0; k < count; k++) {
        rh_complement_point *trial = &on->trial[k];
        if (trial->violation <= 1.0) {
            RH_TRY(admit(on, trial));
        } else if (on->is_strict) {
            rh__complement_point_judge(&on->frame, false, trial);
            on->has_loose = on->has_loose || trial->violation <= 1.0;
        }
    }
    return RH_OK;
}

// --- all active sets -------------------------------------------------------------------------

static rh_status try_active_set(search *on)
{
    rh_complement_point *trial = &on->trial[0];
    uint32_t rank = 0;
    uint32_t count = 1;
    trial->has_twin = false;
    on->trial[1].has_twin = false;
    switch (rh__complement_active_solve(&on->frame, &on->work, trial, &rank)) {
    case RH_COMPLEMENT_REGULAR:
        rh__complement_point_judge(&on->frame, on->is_strict, trial);
        break;
    case RH_COMPLEMENT_SINGULAR:
        RH_TRY(rh__complement_piece_solve(on->arena, &on->frame, rank, on->is_strict, on->trial,
                                          &count));
        break;
    case RH_COMPLEMENT_INCONSISTENT:
    case RH_COMPLEMENT_NEGATIVE:
        return RH_OK;
    }
    if (count == 2 && !has_same_slack(&on->frame, &on->trial[0], &on->trial[1])) {
        on->is_continuous = true;
    }
    return admit_trials(on, count);
}

// The next larger number with as many bits.
static uint32_t next_subset(uint32_t bits)
{
    const uint32_t lowest = bits & (0U - bits);
    const uint32_t carried = bits + lowest;
    return carried | (((bits ^ carried) / lowest) >> 2);
}

static bool is_finished(const search *on)
{
    return on->is_full || (on->is_continuous && on->count > 1) ||
           (on->is_strict && has_one_slack(on) && on->count > 0);
}

static rh_status try_all(search *on)
{
    const uint32_t n = on->frame.n;
    const uint32_t end = 1U << n;
    for (uint32_t size = 0; size <= n; size++) {
        uint32_t bits = (1U << size) - 1;
        while (bits < end && !is_finished(on)) {
            on->trial[0].active_count = 0;
            for (uint32_t i = 0; i < n; i++) {
                if ((bits >> i & 1U) != 0) {
                    on->trial[0].active[on->trial[0].active_count++] = i;
                }
            }
            RH_TRY(try_active_set(on));
            bits = size == 0 ? end : next_subset(bits);
        }
    }
    return RH_OK;
}

static rh_status enumerate(search *on)
{
    on->is_strict = true;
    on->has_loose = false;
    RH_TRY(try_all(on));
    if (on->count == 0 && on->has_loose) {
        on->is_strict = false;
        RH_TRY(try_all(on));
    }
    return RH_OK;
}

// --- one path --------------------------------------------------------------------------------

// With larger constants a problem that rounding has made unsolvable is solvable again; its active
// set is tried on the true ones.
static rh_status find_end(search *on, bool is_relaxed, rh_lemke_end *out)
{
    const uint32_t n = on->frame.n;
    const rh_mark mark = rh__arena_mark(on->arena);
    double *constant = rh__arena_array(on->arena, double, n);
    if (constant == NULL) {
        return on->arena->status;
    }
    for (uint32_t i = 0; i < n; i++) {
        constant[i] = on->frame.constant[i] + (is_relaxed ? on->frame.slack_tolerance[i] : 0.0);
    }
    RH_TRY(rh__lemke_run(on->arena, &on->frame, constant, &on->trial[0], out));
    rh__arena_rewind(on->arena, mark);
    return RH_OK;
}

static rh_status run_lemke(search *on, bool is_relaxed, rh_lemke_end *out)
{
    uint32_t rank = 0;
    uint32_t count = 0;
    rh_complement_point *trial = &on->trial[0];
    RH_TRY(find_end(on, is_relaxed, out));
    trial->has_twin = false;
    if (*out != RH_LEMKE_SOLVED) {
        return RH_OK;
    }
    on->is_strict = true;
    switch (rh__complement_active_solve(&on->frame, &on->work, trial, &rank)) {
    case RH_COMPLEMENT_REGULAR:
        break;
    case RH_COMPLEMENT_SINGULAR: // to rounding; no other slack is of interest here
        RH_TRY(rh__complement_piece_solve(on->arena, &on->frame, rank, true, on->trial, &count));
        break;
    case RH_COMPLEMENT_INCONSISTENT:
    case RH_COMPLEMENT_NEGATIVE:
        return RH_OK;
    }
    rh__complement_point_judge(&on->frame, true, trial);
    if (!(trial->violation <= 1.0)) {
        on->is_strict = false;
        rh__complement_point_judge(&on->frame, false, trial);
    }
    return trial->violation <= 1.0 ? admit(on, trial) : RH_OK;
}

static rh_status pursue(search *on, rh_lemke_end *out)
{
    RH_TRY(run_lemke(on, false, out));
    if (on->count == 0 && *out != RH_LEMKE_TIRED) {
        rh_lemke_end end = RH_LEMKE_TIRED;
        RH_TRY(run_lemke(on, true, &end));
    }
    return RH_OK;
}

// --- results ---------------------------------------------------------------------------------

static rh_complement_side side_of(const rh_complement_frame *frame,
                                  const rh_complement_point *point, uint32_t index)
{
    if (point->multiplier[index] > rh__complement_multiplier_unit(frame, point, index)) {
        return RH_COMPLEMENT_POSITIVE;
    }
    return point->slack[index] > rh__complement_slack_unit(frame, point, index)
               ? RH_COMPLEMENT_LEAVING
               : RH_COMPLEMENT_UNDECIDED;
}

static double without_rounding(double value, double error)
{
    return fabs(value) <= error ? fmax(value, 0.0) : value;
}

static void fill_solution(const rh_complement_frame *frame, rh_complement_point *point,
                          rh_complement_solution *out)
{
    rh__complement_point_judge(frame, false, point);
    RH_ASSERT(point->violation <= 1.0);
    out->violation = point->violation;
    out->is_unique = point->is_unique && !point->has_twin;
    for (uint32_t i = 0; i < frame->n; i++) {
        const double multiplier =
            without_rounding(point->multiplier[i], point->multiplier_error[i]);
        const double slack = without_rounding(point->slack[i], point->slack_error[i]);
        out->side[i] = side_of(frame, point, i);
        out->multiplier[i] = ldexp(multiplier, frame->column_exponent[i] + frame->shift);
        out->slack[i] = ldexp(slack, frame->shift - frame->row_exponent[i]);
    }
}

static rh_status create_solutions(rh_arena *arena, size_t n, uint32_t limit,
                                  rh_complement_solution **out)
{
    rh_complement_solution *solutions = rh__arena_array(arena, rh_complement_solution, limit);
    double *multiplier = rh__arena_array(arena, double, (limit * n));
    double *slack = rh__arena_array(arena, double, (limit * n));
    rh_complement_side *side = rh__arena_array(arena, rh_complement_side, (limit * n));
    if (solutions == NULL || multiplier == NULL || slack == NULL || side == NULL) {
        return arena->status != RH_OK ? arena->status : RH_E_MEMORY;
    }
    for (uint32_t k = 0; k < limit; k++) {
        solutions[k].multiplier = multiplier + k * n;
        solutions[k].slack = slack + k * n;
        solutions[k].side = side + k * n;
    }
    *out = solutions;
    return RH_OK;
}

static rh_status fill_result(search *on, rh_complement_result *out)
{
    for (uint32_t k = 0; k < on->count; k++) {
        if (on->kind != RH_COMPLEMENT_UNIQUE) {
            RH_TRY(rh__complement_face_shorten(on->arena, &on->frame, &on->points[k]));
        }
        fill_solution(&on->frame, &on->points[k], &out->solutions[k]);
    }
    out->count = on->count;
    out->is_continuous = on->is_continuous;
    out->answer = on->count == 0                                      ? RH_COMPLEMENT_NONE
                  : on->count > 1 || on->is_full || on->is_continuous ? RH_COMPLEMENT_SEVERAL
                                                                      : RH_COMPLEMENT_ONE;
    return RH_OK;
}

// --- a single pair ---------------------------------------------------------------------------

// Most constraints that are met are met alone, and it is clear what they do: no search is needed.
static bool is_clear(const rh_complement_problem *problem)
{
    if (problem->n != 1 || problem->uncertainty != NULL || problem->method != RH_COMPLEMENT_AUTO) {
        return false;
    }
    const double constant = problem->constant[0];
    const double push = -constant / problem->matrix[0];
    const bool is_sized = problem->matrix[0] > 0.0 && isnormal(constant) && isnormal(push);
    return is_sized && (constant > 0.0 ? constant > 2.0 * problem->slack_tolerance[0]
                                       : push > 2.0 * problem->multiplier_tolerance[0]);
}

static void solve_clear(const rh_complement_problem *problem, rh_complement_result *out)
{
    const double constant = problem->constant[0];
    rh_complement_solution *solution = &out->solutions[0];
    const bool is_leaving = constant > 0.0;
    solution->multiplier[0] = is_leaving ? 0.0 : -constant / problem->matrix[0];
    solution->slack[0] = is_leaving ? constant : 0.0;
    solution->side[0] = is_leaving ? RH_COMPLEMENT_LEAVING : RH_COMPLEMENT_POSITIVE;
    solution->is_unique = true;
    out->count = 1;
    out->answer = RH_COMPLEMENT_ONE;
    out->is_certain = out->is_complete = true;
}

// --- the whole -------------------------------------------------------------------------------

static rh_status solve(rh_arena *arena, const rh_complement_problem *problem, uint32_t limit,
                       rh_complement_result *out)
{
    search on;
    rh_lemke_end end = RH_LEMKE_TIRED;
    RH_TRY(begin_search(arena, problem, limit, &on));
    const bool is_small = problem->n <= RH_COMPLEMENT_ENUMERATED;
    const bool is_auto = problem->method == RH_COMPLEMENT_AUTO;
    if (problem->method == RH_COMPLEMENT_LEMKE || (is_auto && (!is_small || has_one_slack(&on)))) {
        RH_TRY(pursue(&on, &end));
    }
    // nothing is left to look for when the only slack has been found, and that to rounding
    const bool is_found = has_one_slack(&on) && on.count > 0;
    const bool is_exhausted = problem->method == RH_COMPLEMENT_ENUMERATE ||
                              (is_auto && is_small && !(is_found && on.is_strict));
    if (is_exhausted) {
        on.count = 0;
        RH_TRY(enumerate(&on));
    }
    RH_TRY(fill_result(&on, out));
    const bool is_ray = end == RH_LEMKE_RAY && on.kind != RH_COMPLEMENT_GENERAL && on.count == 0;
    // with nothing found where there must be one, rounding has hidden it
    const bool is_hidden = on.kind == RH_COMPLEMENT_UNIQUE && on.count == 0;
    out->is_certain = (is_exhausted || is_found || is_ray) && !is_hidden;
    out->is_complete = out->is_certain && !on.is_full && !on.is_continuous;
    return RH_OK;
}

rh_status rh__complement_solve(rh_arena *arena, const rh_complement_problem *problem,
                               rh_complement_result *out)
{
    *out = (rh_complement_result){0};
    const bool is_small = problem->n <= RH_COMPLEMENT_ENUMERATED;
    if (problem->n > RH_DENSE_LIMIT || (!is_small && problem->method == RH_COMPLEMENT_ENUMERATE)) {
        return RH_E_LIMIT;
    }
    if (!is_sound(problem)) {
        return RH_E_ARGUMENT;
    }
    const rh_mark mark = rh__arena_mark(arena);
    const bool is_single = !is_small || problem->method == RH_COMPLEMENT_LEMKE;
    const uint32_t most = is_single ? 1 : 1U << RH_COMPLEMENT_ENUMERATED;
    const uint32_t wanted = problem->limit == 0 ? RH_COMPLEMENT_LIMIT : problem->limit;
    const uint32_t limit = wanted < most ? wanted : most;
    rh_complement_result result = {0};
    const bool is_plain = is_clear(problem);
    rh_status status = create_solutions(arena, problem->n, is_plain ? 1 : limit, &result.solutions);
    const rh_mark scratch = rh__arena_mark(arena);
    if (status == RH_OK && is_plain) {
        solve_clear(problem, &result);
    } else if (status == RH_OK) {
        status = solve(arena, problem, limit, &result);
    }
    rh__arena_rewind(arena, status == RH_OK ? scratch : mark);
    if (status == RH_OK) {
        *out = result;
    }
    return status;
}
