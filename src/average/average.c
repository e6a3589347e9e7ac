// SPDX-License-Identifier: Apache-2.0
// Averages: the orbit through the start, and the search for those on which all means vanish, by
// Newton's method with exact derivatives from many starts in the box of the unknowns.

#include "average/average.h"

#include <math.h>
#include <string.h>

enum { ORDER = 24, HALVINGS = 6, MOST_STARTS = 100000, MOST_STALLS = 2, MOST_POLES = 1000 };

#define SAME 1e-7   // relative difference of solutions that are one
#define BEYOND 0.25 // of the width of the box: how far Newton's method may go beyond it
#define NEARBY 0.02 // of it: where others may be beside a solution
#define BESIDE 1e-3 // of it: so near to a solution it leads there
#define LONGEST 1e4 // times the pace of the motion: an orbit must close by then
#define STALL 0.2   // a share of a step that leads nowhere, if it is one of several

bool rh__average_is_over(rh_average *average)
{
    if (average->over == NULL && average->def.interrupt != NULL) {
        average->over = average->def.interrupt(average->def.user);
    }
    return average->over != NULL;
}

// --- making --------------------------------------------------------------------------------------

static rh_status name_restrictions(rh_average *average)
{
    const rh_equations *equations = average->motion->equations;
    average->link_names =
        rh__arena_array(&average->arena, const char *, (size_t)average->restrictions + 1);
    for (uint32_t k = 0; average->link_names != NULL && k < average->restrictions; k++) {
        rh_text text = rh__text_begin(&average->arena, NULL);
        rh__link_name(equations, &equations->links.data[k], &text);
        average->link_names[k] =
            rh__text_print(&average->arena, "%.*s", RH_SLICE_FORMAT(rh__text_slice(&text)));
    }
    return average->arena.status;
}

static rh_status read_unknowns(rh_average *average, rh_error *err)
{
    const rh_average_def *def = &average->def;
    average->sides = rh__arena_array(&average->arena, rh_box_side, def->unknown_count + 1);
    if (average->sides == NULL) {
        return average->arena.status;
    }
    if (def->unknown_count != 0 && def->unknown_count != average->restrictions) {
        return rh__error_fill(err, RH_E_ARGUMENT, "%u restrictions want as many unknowns, not %zu",
                              average->restrictions, def->unknown_count);
    }
    average->unknowns = (uint32_t)def->unknown_count;
    for (uint32_t k = 0; k < average->unknowns; k++) {
        RH_TRY(rh__box_read(def->unknowns[k], average->names, average->n, &average->sides[k], err));
        for (uint32_t j = 0; j < k; j++) {
            if (average->sides[j].variable == average->sides[k].variable) {
                return rh__error_fill(err, RH_E_ARGUMENT, "%s is an unknown twice",
                                      average->names[average->sides[k].variable]);
            }
        }
    }
    return RH_OK;
}

// Sizes of variables, by the first step of the motion, and the box.
static rh_status find_sizes(rh_average *average, rh_error *err)
{
    rh_motion *motion = average->motion;
    double *scale = average->scale;
    rh_stop stop = RH_STOP_NONE;
    memcpy(average->x, motion->x, average->n * sizeof *average->x);
    const double since = motion->t;
    RH_TRY(rh_motion_step(motion, since + motion->unit_time, &stop, err));
    average->pace = motion->unit_time > 0.0 ? motion->unit_time : motion->t - since;
    for (uint32_t i = 0; i < average->n; i++) {
        const double size = fmax(motion->unit[i], fabs(motion->x[i]));
        scale[i] = fmax(fabs(average->x[i]), isfinite(size) ? size : 0.0);
    }
    for (uint32_t u = 0; u < average->unknowns; u++) {
        const rh_box_side *side = &average->sides[u];
        const double size = fmax(fabs(side->low), fabs(side->high));
        scale[side->variable] = fmax(scale[side->variable], size);
    }
    for (uint32_t i = 0; i < average->n; i++) {
        scale[i] = scale[i] > 0.0 ? scale[i] : 1.0; // it was always zero
    }
    if (!(average->def.span > 0.0)) {
        average->def.span = LONGEST * average->pace;
    }
    return rh__motion_place(motion, average->x, err);
}

static rh_status reserve(rh_average *average)
{
    rh_arena *arena = &average->arena;
    const size_t n = (size_t)average->n + 1;
    const size_t s = (size_t)average->restrictions + 1;
    double **const vectors[] = {&average->x,    &average->ahead, &average->rate, &average->scale,
                                &average->slow, &average->aside, &average->went};
    double **const lists[] = {&average->sums, &average->sizes, &average->drifts, &average->offsets};
    bool ok = true;
    for (size_t k = 0; ok && k < sizeof vectors / sizeof *vectors; k++) {
        *vectors[k] = rh__arena_array(arena, double, n);
        ok = *vectors[k] != NULL;
    }
    for (size_t k = 0; ok && k < sizeof lists / sizeof *lists; k++) {
        *lists[k] = rh__arena_array(arena, double, s);
        ok = *lists[k] != NULL;
    }
    average->v = rh__arena_array(arena, double, n *(average->unknowns + 1));
    average->sum_slopes = rh__arena_array(arena, double, s *(average->unknowns + 1));
    if (!ok || average->v == NULL || average->sum_slopes == NULL) {
        return arena->status;
    }
    RH_TRY(rh__tour_reserve(average, arena, &average->begin));
    return rh__tour_reserve(average, arena, &average->trial);
}

static rh_status make_tape(rh_average *average, rh_error *err)
{
    const rh_motion *motion = average->motion;
    RH_TRY(rh__generating_create(motion, &average->tape, err));
    const rh_fan_def def = {
        .tape = average->tape, .n = average->n, .directions = average->unknowns, .order = ORDER};
    RH_TRY(rh__fan_create(&def, motion->arena.allocator, &average->fan, err));
    average->fan.integral_count = average->restrictions;
    average->fan.sizes = average->scale;
    RH_TRY(rh__tape_bind(average->fan.state, rh__point_value, &motion->start.point));
    // the level of `phi = const` is phi - const: what is told is phi
    rh_store *store = motion->equations->store;
    for (uint32_t k = 0; k < average->restrictions; k++) {
        rh_expr_list constants;
        if (!rh__expr_symbols(store, motion->equations->links.data[k].constraint->deviation,
                              RH_ROLE_CONSTANT, &average->arena, &constants)) {
            return average->arena.status;
        }
        for (uint32_t j = 0; j < constants.count; j++) {
            average->offsets[k] += rh__point_get(&motion->start.point, constants.data[j]);
        }
    }
    return RH_OK;
}

// --- Newton --------------------------------------------------------------------------------------

static bool is_near_box(const rh_average *average, const double *x)
{
    bool is_near = true;
    for (uint32_t u = 0; u < average->unknowns; u++) {
        const rh_box_side *side = &average->sides[u];
        const double margin = BEYOND * (side->high - side->low);
        is_near = is_near && x[side->variable] >= side->low - margin &&
                  x[side->variable] <= side->high + margin;
    }
    return is_near;
}

static bool is_in_box(const rh_average *average, const double *x)
{
    bool is_in = true;
    for (uint32_t u = 0; u < average->unknowns; u++) {
        const rh_box_side *side = &average->sides[u];
        is_in = is_in && x[side->variable] >= side->low && x[side->variable] <= side->high;
    }
    return is_in;
}

static bool has_values(const rh_tour *tour, uint32_t s)
{
    bool is_finite = isfinite(tour->residual);
    for (size_t k = 0; k < (size_t)s * s; k++) {
        is_finite = is_finite && isfinite(tour->slopes[k]) && isfinite(tour->means[k / s]);
    }
    return is_finite;
}

// Width of the box of an unknown, in which its changes are measured.
static double width_of(const rh_average *average, uint32_t u)
{
    return average->sides[u].high - average->sides[u].low;
}

// Newton's step from `now`, solved for in widths of the box; false: there is none.
static rh_status find_step(const rh_average *average, const rh_tour *now, rh_arena *scratch,
                           double *out, bool *out_is_there)
{
    const uint32_t s = average->restrictions;
    double *matrix = rh__arena_array(scratch, double, (size_t)s *s + 1);
    rh_lu lu;
    if (matrix == NULL) {
        return scratch->status;
    }
    for (uint32_t u = 0; u < s; u++) {
        for (uint32_t j = 0; j < s; j++) {
            matrix[(size_t)u * s + j] = now->slopes[(size_t)u * s + j] * width_of(average, u);
        }
    }
    for (uint32_t j = 0; j < s; j++) {
        double size = 0.0;
        for (uint32_t u = 0; u < s; u++) {
            size = fmax(size, fabs(matrix[(size_t)u * s + j]));
        }
        for (uint32_t u = 0; size > 0.0 && u < s; u++) {
            matrix[(size_t)u * s + j] /= size;
        }
        out[j] = -now->means[j] / size;
    }
    RH_TRY(rh__lu_create(scratch, s, matrix, &lu));
    *out_is_there = lu.rcond >= 1e-15 && rh__lu_solve(&lu, out, 1) == RH_OK;
    for (uint32_t u = 0; u < s; u++) {
        out[u] *= width_of(average, u);
    }
    return RH_OK;
}

// A step from `now`, shortened until the means shrink: the result is in `average->trial`.
static rh_status improve(rh_average *average, const rh_tour *now, rh_arena *scratch,
                         double *out_share, const char **out_reason)
{
    const uint32_t s = average->restrictions;
    double *change = rh__arena_array(scratch, double, (size_t)s + 1);
    double *start = rh__arena_array(scratch, double, (size_t)average->n + 1);
    if (change == NULL || start == NULL) {
        return scratch->status;
    }
    if (!has_values(now, s)) {
        *out_reason = "the means have no finite value there, or no derivative";
        return RH_OK;
    }
    bool is_there = false;
    RH_TRY(find_step(average, now, scratch, change, &is_there));
    if (!is_there) {
        *out_reason = "the means do not depend on the unknowns there";
        return RH_OK;
    }
    const double stretch = rh__deflation_stretch(average, now->start, change);
    const double miss = now->residual * rh__deflation_weight(average, now->start);
    *out_reason = "no step leads nearer";
    const char *met = NULL;
    double share = 1.0;
    for (uint32_t k = 0; k < HALVINGS && *out_reason[0] != '\0'; k++, share /= 2.0) {
        memcpy(start, now->start, average->n * sizeof *start);
        for (uint32_t u = 0; u < s; u++) {
            start[average->sides[u].variable] += share * stretch * change[u];
        }
        if (!is_near_box(average, start)) {
            met = "it leaves the box";
            continue;
        }
        RH_TRY(rh__tour_run(average, start, &average->trial));
        met = average->trial.is_closed ? met : average->trial.reason;
        if (average->trial.is_closed &&
            average->trial.residual * rh__deflation_weight(average, start) <
                (1.0 - 0.1 * share) * miss) {
            *out_reason = "";
            *out_share = share;
        }
    }
    if (*out_reason[0] != '\0' && met != NULL) {
        *out_reason = met;
    }
    return RH_OK;
}

static rh_status find_eigenvalues(const rh_average *average, rh_tour *tour, rh_arena *scratch)
{
    const uint32_t s = average->restrictions;
    double *transposed = rh__arena_array(scratch, double, (size_t)s *s + 1);
    double *right = rh__arena_array(scratch, double, (size_t)s *s + 1);
    rh_lu lu;
    if (transposed == NULL || right == NULL) {
        return scratch->status;
    }
    // A G = -D, so G^T A^T = -D^T; the eigenvalues of A^T are those of A, also in other units
    for (uint32_t u = 0; u < s; u++) {
        for (uint32_t j = 0; j < s; j++) {
            const double unit = width_of(average, u) / tour->spans[j];
            transposed[(size_t)j * s + u] = tour->gradients[(size_t)u * s + j] * unit;
            right[(size_t)j * s + u] = -tour->slopes[(size_t)u * s + j] * unit;
        }
    }
    RH_TRY(rh__lu_create(scratch, s, transposed, &lu));
    if (lu.rcond < 1e-14 || rh__lu_solve(&lu, right, s) != RH_OK) {
        for (uint32_t j = 0; j < s; j++) {
            tour->real[j] = tour->imaginary[j] = (double)NAN;
        }
        return RH_OK;
    }
    return rh__eigen_values(scratch, s, right, tour->real, tour->imaginary);
}

// Is it on the way to one that was found?
static bool is_beside(const rh_average *average, const rh_tour *tour)
{
    bool found = false;
    for (uint32_t k = 0; !found && k < average->solutions.count; k++) {
        found = true;
        for (uint32_t u = 0; u < average->unknowns; u++) {
            const rh_box_side *side = &average->sides[u];
            const double away =
                tour->start[side->variable] - average->solutions.data[k].start[side->variable];
            found = found && fabs(away) <= BESIDE * (side->high - side->low);
        }
    }
    return found;
}

// Is it one of those that were found? The same orbit may be met at another point of it.
static bool is_known(rh_average *average, const rh_tour *tour)
{
    bool found = false;
    for (uint32_t k = 0; !found && k < average->solutions.count; k++) {
        const rh_tour *other = &average->solutions.data[k];
        bool is_like = fabs(tour->period - other->period) <= SAME * other->period;
        for (uint32_t j = 0; is_like && j < average->restrictions; j++) {
            is_like = fabs(tour->constants[j] - other->constants[j]) <= SAME * other->spans[j];
        }
        found = is_like && rh__tour_passes(average, tour->start, tour->period, other->start);
    }
    return found;
}

static rh_status keep(rh_average *average, const rh_tour *tour, rh_arena *scratch)
{
    rh_tour kept;
    RH_TRY(rh__tour_reserve(average, &average->arena, &kept));
    rh__tour_copy(average, tour, &kept);
    RH_TRY(find_eigenvalues(average, &kept, scratch));
    return rh__array_push(&average->arena, &average->solutions, kept) ? RH_OK
                                                                      : average->arena.status;
}

static rh_status give_up(rh_average *average, const double *start, const char *reason)
{
    rh_defeat defeat = {.reason = reason};
    defeat.unknowns = rh__arena_array(&average->arena, double, (size_t)average->unknowns + 1);
    if (defeat.unknowns == NULL) {
        return average->arena.status;
    }
    for (uint32_t u = 0; u < average->unknowns; u++) {
        defeat.unknowns[u] = start[average->sides[u].variable];
    }
    return rh__array_push(&average->arena, &average->defeats, defeat) ? RH_OK
                                                                      : average->arena.status;
}

// Newton's method from `now` until nothing more is won, or it is beside a solution that is known.
static rh_status iterate(rh_average *average, rh_tour *now, rh_arena *scratch, const char **reason,
                         bool *out_is_beside)
{
    uint32_t stalls = 0;
    *out_is_beside = false;
    for (uint32_t k = 0;
         *reason[0] == '\0' && now->residual > 1e-16 && !*out_is_beside && average->over == NULL &&
         k < average->def.iteration_limit && stalls < MOST_STALLS;
         k++) {
        double share = 1.0;
        RH_TRY(improve(average, now, scratch, &share, reason));
        if (*reason[0] == '\0') {
            rh__tour_copy(average, &average->trial, now);
            stalls = share < STALL ? stalls + 1 : 0;
        }
        *out_is_beside = !average->is_shy && is_beside(average, now);
    }
    return RH_OK;
}

static bool is_solved(const rh_average *average, const rh_tour *now)
{
    return now->is_closed && now->residual <= average->def.tolerance;
}

// What a search has led to.
static rh_status arrive(rh_average *average, const rh_tour *now, rh_arena *scratch)
{
    RH_TRY(rh__deflation_add(average, now->start));
    const bool is_new = is_in_box(average, now->start) && !is_known(average, now);
    return is_new ? keep(average, now, scratch) : RH_OK;
}

static rh_status note_led(rh_average *average, const double *start)
{
    double *kept = rh__arena_array(&average->arena, double, (size_t)average->n + 1);
    if (kept == NULL) {
        return average->arena.status;
    }
    memcpy(kept, start, average->n * sizeof *kept);
    return rh__array_push(&average->arena, &average->led, kept) ? RH_OK : average->arena.status;
}

static rh_status solve(rh_average *average, const double *start, rh_arena *scratch)
{
    rh_tour now;
    bool is_beside = false;
    RH_TRY(rh__tour_reserve(average, scratch, &now));
    RH_TRY(rh__tour_run(average, start, &now));
    const char *reason = now.reason;
    if (average->over != NULL) {
        return RH_OK; // of this start nothing is known
    }
    if (now.is_void) {
        average->void_count++;
        return give_up(average, start, "all means vanish there and around it");
    }
    RH_TRY(iterate(average, &now, scratch, &reason, &is_beside));
    if (average->over != NULL) {
        return RH_OK;
    }
    if (is_beside) {
        return note_led(average, start);
    }
    if (!is_solved(average, &now)) {
        return give_up(average, start, reason[0] != '\0' ? reason : "it does not converge");
    }
    RH_TRY(arrive(average, &now, scratch));
    return is_in_box(average, now.start)
               ? note_led(average, start)
               : give_up(average, start, "it leads to a solution outside the box");
}

// The same keeping away from all that was found: does it lead to something?
static rh_status solve_shyly(rh_average *average, const double *start, rh_arena *scratch,
                             bool *out_is_found)
{
    rh_tour now;
    bool is_beside = false;
    RH_TRY(rh__tour_reserve(average, scratch, &now));
    RH_TRY(rh__tour_run(average, start, &now));
    const char *reason = now.reason;
    average->is_shy = true;
    const rh_status status = iterate(average, &now, scratch, &reason, &is_beside);
    average->is_shy = false;
    *out_is_found = status == RH_OK && average->over == NULL && is_solved(average, &now);
    return *out_is_found ? arrive(average, &now, scratch) : status;
}

// --- the search ----------------------------------------------------------------------------------

static rh_status search(rh_average *average)
{
    const uint32_t side = average->def.start_count;
    const double *x = average->begin.start;
    double *start = rh__arena_array(&average->arena, double, (size_t)average->n + 1);
    uint64_t count = average->unknowns > 0 ? 1 : 0;
    if (start == NULL) {
        return average->arena.status;
    }
    for (uint32_t u = 0; u < average->unknowns; u++) {
        count = count * side > MOST_STARTS ? MOST_STARTS : count * side;
    }
    for (uint64_t k = 0; k < count && !rh__average_is_over(average); k++) {
        uint64_t rest = k;
        memcpy(start, x, average->n * sizeof *start);
        for (uint32_t u = 0; u < average->unknowns; u++, rest /= side) {
            const rh_box_side *range = &average->sides[u];
            start[range->variable] =
                range->low + (range->high - range->low) * ((double)(rest % side) + 0.5) / side;
        }
        const rh_mark mark = rh__arena_mark(&average->scratch);
        RH_TRY(solve(average, start, &average->scratch));
        rh__arena_rewind(&average->scratch, mark);
        average->tried += average->over == NULL;
    }
    return RH_OK;
}

// From one start away from what is known, as long as that leads to anything.
static rh_status search_from(rh_average *average, const double *start)
{
    bool goes_on = true;
    while (goes_on && average->poles.count < MOST_POLES && !rh__average_is_over(average)) {
        const rh_mark mark = rh__arena_mark(&average->scratch);
        RH_TRY(solve_shyly(average, start, &average->scratch, &goes_on));
        rh__arena_rewind(&average->scratch, mark);
    }
    return RH_OK;
}

// Where a start led to one solution there may be others nearby that no start leads to: some of
// these starts are tried again, and the neighbourhood of all that was found.
static rh_status search_beside(rh_average *average)
{
    const uint32_t most = average->def.start_count * average->unknowns;
    const bool is_many = most > 0 && average->led.count > most;
    const uint32_t stride = 1 + (is_many ? average->led.count / most : 0);
    double *start = rh__arena_array(&average->arena, double, (size_t)average->n + 1);
    if (start == NULL) {
        return average->arena.status;
    }
    for (uint32_t k = 0; k < average->led.count; k += stride) {
        RH_TRY(search_from(average, average->led.data[k]));
    }
    for (uint32_t k = 0; k < average->poles.count; k++) {
        for (uint32_t d = 0; d < 2 * average->unknowns; d++) {
            memcpy(start, average->begin.start, average->n * sizeof *start);
            for (uint32_t u = 0; u < average->unknowns; u++) {
                const rh_box_side *side = &average->sides[u];
                const double step = d / 2 != u ? 0.0 : d % 2 == 0 ? NEARBY : -NEARBY;
                start[side->variable] = average->poles.data[k][u] + step * (side->high - side->low);
            }
            RH_TRY(is_near_box(average, start) ? search_from(average, start) : RH_OK);
        }
    }
    return RH_OK;
}

static rh_status build(rh_average *average, rh_error *err)
{
    RH_TRY(rh__generating_check(average->motion, err));
    RH_TRY(rh__variable_names(average->motion, &average->arena, &average->names));
    RH_TRY(rh__variable_order(average->motion, average->names, &average->arena, &average->order));
    RH_TRY(name_restrictions(average));
    RH_TRY(read_unknowns(average, err));
    RH_TRY(reserve(average));
    RH_TRY(find_sizes(average, err));
    RH_TRY(make_tape(average, err));
    // once for the sizes of variables, then by them
    RH_TRY(rh__tour_run(average, average->motion->x, &average->begin));
    RH_TRY(rh__tour_run(average, average->motion->x, &average->begin));
    RH_TRY(search(average));
    return search_beside(average);
}

rh_status rh_average_create(rh_motion *motion, const rh_average_def *def, rh_average **out,
                            rh_error *err)
{
    RH_REQUIRE(motion != NULL && def != NULL && out != NULL, err);
    RH_REQUIRE(def->struct_size == sizeof *def && def->tolerance > 0.0 && def->span >= 0.0, err);
    RH_REQUIRE(def->start_count > 0, err);
    RH_REQUIRE(rh__strings_are_there(def->unknowns, def->unknown_count), err);
    RH_REQUIRE(motion->steps == 0, err);
    *out = NULL;
    RH_TRY(rh__equations_refuse_intermittent(motion->equations, "averages", err));
    rh_arena arena = rh__arena_begin(motion->arena.allocator, motion->arena.limit);
    rh_average *average = rh__arena_new(&arena, rh_average);
    if (average == NULL) {
        rh__arena_end(&arena);
        return rh__guard_explain(
            arena.allocator, rh__error_fill(err, RH_E_MEMORY, "%s", rh_status_text(RH_E_MEMORY)),
            err);
    }
    average->arena = arena;
    average->scratch = rh__arena_begin(motion->arena.allocator, motion->arena.limit);
    average->motion = motion;
    average->def = *def;
    average->n = motion->n;
    average->restrictions = motion->equations->links.count;
    rh_error reason = {.message = ""};
    const rh_status status = rh__guard_settle(arena.allocator, build(average, &reason));
    average->def.unknowns = NULL; // borrowed
    if (status != RH_OK) {
        rh_average_destroy(average);
        return rh__guard_explain(
            arena.allocator,
            rh__error_fill(err, status, "%s",
                           reason.message[0] != '\0' ? reason.message : rh_status_text(status)),
            err);
    }
    *out = average;
    return RH_OK;
}

void rh_average_destroy(rh_average *average)
{
    if (average == NULL) {
        return;
    }
    rh__fan_destroy(&average->fan);
    rh__tape_destroy(average->tape);
    rh__arena_end(&average->scratch);
    rh_arena arena = average->arena;
    rh__arena_end(&arena);
}
