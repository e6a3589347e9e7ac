// SPDX-License-Identifier: Apache-2.0
// Families of steady motions over one quantity: a step along the tangent of the family, a
// correction across it, so that folds are no obstacle. Where a root passes the axis, and at folds,
// the place is found on the arc between two motions (arc.c); other changes of the verdict are
// enclosed between two motions with different verdicts.

#include "steady/family.h"

#include <float.h>
#include <math.h>
#include <string.h>

#define TURNED 1e-8  // arc next to a fold: the quantity changes by its square
#define STILL 1e-6   // of its range: a quantity that hardly changes
#define AWAY 2.0     // as large as before, and more: a variable that runs away meanwhile
#define SHORT 1e-3   // of the largest step
#define OUTSIDE 1e-5 // of a step: so far beyond its ends a mark is another one
#define OVER 1.3     // of a step that ends where nothing can be told
enum { HALVINGS = 30, BISECTIONS = 120, MOST_SHORT = 60, FEW = 6 };

typedef rh_walk_station station;

const char *rh_walk_mark_text(rh_walk_mark mark)
{
    static const char *const TEXTS[] = {"point", "change", "fold"};
    return TEXTS[mark];
}

const char *rh_walk_reason(const rh_walk *walk)
{
    return walk->reason;
}

// --- tangents ------------------------------------------------------------------------------------

double rh__walk_scale(const rh_walk *walk, const double *values, uint32_t moving)
{
    const rh_reduction *reduction = walk->steady->reduction;
    const uint32_t slot = reduction->moving[moving];
    RH_ASSERT(moving < reduction->moving_count && slot < reduction->slot_count);
    return moving == walk->moving ? walk->span
                                  : rh__engine_size(&reduction->engine, slot, values[slot]);
}

// How the quantity grows with a moving slot.
static double slope_of(const rh_walk *walk, uint32_t moving)
{
    const rh_workbench *bench = walk->steady->bench;
    return walk->moving != UINT32_MAX
               ? (moving == walk->moving ? 1.0 : 0.0)
               : bench->jacobian[walk->output +
                                 (size_t)moving * bench->reduction->slopes.output_count];
}

// How it grows along a direction at the state of the bench.
static double rise_along(const rh_walk *walk, const double *direction)
{
    RH_ASSERT(walk->moving == UINT32_MAX || walk->moving < walk->steady->reduction->moving_count);
    const rh_workbench *bench = walk->steady->bench;
    double sum = 0.0;
    for (uint32_t j = 0; j < bench->reduction->moving_count; j++) {
        sum += slope_of(walk, j) * rh__walk_scale(walk, bench->values, j) * direction[j];
    }
    return sum;
}

// The direction of the family at the state of the bench: in the kernel of all equations, as much
// along the quantity as there is, or on in the direction of `like`.
static rh_status find_tangent(rh_walk *walk, const double *like, double *out)
{
    rh_workbench *bench = walk->steady->bench;
    const rh_reduction *reduction = walk->steady->reduction;
    rh_arena *arena = &bench->scratch;
    const rh_mark mark = rh__arena_mark(arena);
    const uint32_t outputs = reduction->slopes.output_count;
    const uint32_t rows = reduction->y_count + reduction->level_count + walk->observed_count;
    uint32_t *column = rh__arena_array(arena, uint32_t, (size_t)reduction->moving_count + 1);
    double *a =
        rh__arena_array(arena, double, ((size_t)rows + 1) * ((size_t)reduction->place_count + 2));
    rh_svd svd;
    RH_TRY(column == NULL || a == NULL ? arena->status : RH_OK);
    uint32_t columns = 0;
    for (uint32_t k = 0; k < reduction->place_count; k++) {
        if (!walk->is_fixed[k] && k != walk->moving) {
            column[columns++] = k;
        }
    }
    if (walk->moving != UINT32_MAX) {
        column[columns++] = walk->moving;
    }
    for (uint32_t i = 0; i < rows; i++) {
        const uint32_t output =
            i < reduction->y_count ? reduction->place[i] - 1
            : i < reduction->y_count + reduction->level_count
                ? reduction->level[i - reduction->y_count]
                : walk->observed[i - reduction->y_count - reduction->level_count];
        for (uint32_t j = 0; j < columns; j++) {
            a[i + (size_t)j * rows] = bench->jacobian[output + (size_t)column[j] * outputs] *
                                      rh__walk_scale(walk, bench->values, column[j]) /
                                      reduction->typical[output];
        }
    }
    RH_TRY(rh__svd_create(arena, rows, columns, a, &svd));
    const uint32_t rank = rh__svd_rank(&svd, 1e-9);
    RH_ASSERT(columns <= reduction->place_count + 1 && rank <= columns);
    memset(out, 0, reduction->moving_count * sizeof *out);
    double along = 0.0;
    for (uint32_t k = rank; k < columns; k++) {
        const double *v = svd.v + (size_t)k * columns;
        double share = columns - rank == 1 ? 1.0 : 0.0;
        for (uint32_t j = 0; columns - rank > 1 && j < columns; j++) {
            share +=
                slope_of(walk, column[j]) * rh__walk_scale(walk, bench->values, column[j]) * v[j];
        }
        for (uint32_t j = 0; j < columns; j++) {
            out[column[j]] += share * v[j];
        }
    }
    const double length = rh__vector_norm(reduction->moving_count, out);
    for (uint32_t j = 0; j < reduction->moving_count; j++) {
        out[j] = length > 0.0 ? out[j] / length : 0.0;
        along += like != NULL ? like[j] * out[j] : 0.0;
    }
    along = like != NULL ? along : rise_along(walk, out) * walk->sign;
    for (uint32_t j = 0; along < 0.0 && j < reduction->moving_count; j++) {
        out[j] = -out[j];
    }
    rh__arena_rewind(arena, mark);
    return RH_OK;
}

// --- stations ------------------------------------------------------------------------------------

// Judge the state of the bench. k is certified everywhere: a place where the family begins, or that
// it passes, may be special. While a mark is enclosed it is what it is around it.
rh_status rh__walk_arrive(rh_walk *walk, const double *like, rh_walk_station *out)
{
    RH_ASSERT(out->values != walk->steady->bench->values);
    rh_steady *steady = walk->steady;
    rh_workbench *bench = steady->bench;
    RH_TRY(find_tangent(walk, like, out->tangent));
    out->rise = rise_along(walk, out->tangent);
    out->value =
        walk->moving != UINT32_MAX ? bench->values[walk->slot] : bench->outputs[walk->output];
    RH_TRY(rh__steady_fill(steady, bench, walk->dimension, &walk->arena, &out->found));
    rh__judgement_say(&out->found.judgement);
    memcpy(out->values, bench->values, steady->reduction->slot_count * sizeof *out->values);
    return RH_OK;
}

// A station at a distance from another one along its tangent. False: there is none.
rh_status rh__walk_step_from(rh_walk *walk, const rh_walk_station *from, double length,
                             rh_walk_station *out, bool *out_is_there)
{
    RH_ASSERT(from != out);
    rh_workbench *bench = walk->steady->bench;
    const rh_reduction *reduction = walk->steady->reduction;
    double level = 0.0;
    memcpy(bench->values, from->values, reduction->slot_count * sizeof *bench->values);
    for (uint32_t j = 0; j < reduction->moving_count; j++) {
        const double scale = rh__walk_scale(walk, from->values, j);
        double *value = &bench->values[reduction->moving[j]];
        *value += length * from->tangent[j] * scale;
        walk->normal[j] = from->tangent[j] / scale;
        level += walk->normal[j] * *value;
    }
    rh_rest_query query = rh__wish_query(&walk->steady->wish);
    query.is_fixed = walk->is_fixed;
    query.observed = walk->observed;
    query.wanted = walk->wanted;
    query.observed_count = walk->observed_count;
    query.round_limit = 12;
    query.normal = walk->normal;
    query.level = level;
    query.extra = walk->moving != UINT32_MAX && walk->moving >= reduction->place_count
                      ? walk->moving
                      : UINT32_MAX;
    rh_rest_answer answer;
    *out_is_there = false;
    RH_TRY(rh__rest_solve(bench, &query, &answer));
    RH_TRY(answer.is_found ? rh__rest_check(bench, &query, &answer) : RH_OK);
    walk->is_blurred = walk->is_blurred || answer.is_blurred;
    *out_is_there = answer.is_found;
    for (uint32_t j = 0; answer.is_found && j < reduction->moving_count; j++) {
        const double gap = bench->values[reduction->moving[j]] - from->values[reduction->moving[j]];
        *out_is_there = *out_is_there &&
                        fabs(gap) <= 3.0 * fabs(length) * rh__walk_scale(walk, from->values, j);
    }
    if (*out_is_there) {
        const rh_status status = rh__walk_arrive(walk, from->tangent, out);
        if (status == RH_E_ARGUMENT || status == RH_E_LIMIT) {
            *out_is_there = false; // numbers that are not finite, or do not converge
            return RH_OK;
        }
        RH_TRY(status);
        out->found.residual = answer.residual;
        out->found.loose = answer.loose > 0 ? answer.loose : 0;
    }
    return RH_OK;
}

void rh__walk_copy(const rh_walk *walk, const rh_walk_station *from, rh_walk_station *to)
{
    RH_ASSERT(from != to && from->values != to->values);
    const rh_reduction *reduction = walk->steady->reduction;
    to->value = from->value;
    to->rise = from->rise;
    memcpy(to->values, from->values, reduction->slot_count * sizeof *to->values);
    memcpy(to->tangent, from->tangent, reduction->moving_count * sizeof *to->tangent);
    rh_steady_found kept = to->found;
    const rh_judgement *source = &from->found.judgement;
    const uint32_t n = source->size;
    to->found = from->found;
    to->found.values = kept.values;
    to->found.variables = kept.variables;
    to->found.speeds = kept.speeds;
    to->found.roots = kept.roots;
    to->found.rows = kept.rows;
    memcpy(kept.values, from->found.values, reduction->slot_count * sizeof *kept.values);
    memcpy(kept.variables, from->found.variables, reduction->y_count * sizeof *kept.variables);
    memcpy(kept.speeds, from->found.speeds, walk->steady->cyclic_count * sizeof *kept.speeds);
    memcpy(kept.roots, from->found.roots, n * sizeof *kept.roots);
    memcpy((void *)kept.rows, (const void *)from->found.rows, n * sizeof *kept.rows);
    rh_judgement *judgement = &to->found.judgement;
    judgement->slots = kept.judgement.slots;
    judgement->matrix = kept.judgement.matrix;
    judgement->tangent = kept.judgement.tangent;
    judgement->kernel = kept.judgement.kernel;
    judgement->roots = kept.judgement.roots;
    memcpy(judgement->slots, source->slots, n * sizeof *judgement->slots);
    memcpy(judgement->matrix, source->matrix, (size_t)n * n * sizeof *judgement->matrix);
    memcpy(judgement->roots, source->roots, source->root_count * sizeof *judgement->roots);
}

// --- changes -------------------------------------------------------------------------------------

// Is a station still on the side of the first? One that is like neither is not.
static bool is_like(const station *first, const station *it)
{
    return it->found.judgement.verdict == first->found.judgement.verdict;
}

double rh__walk_arc(const rh_walk *walk, const rh_walk_station *from, const rh_walk_station *to)
{
    const rh_reduction *reduction = walk->steady->reduction;
    double length = 0.0;
    for (uint32_t j = 0; j < reduction->moving_count; j++) {
        const uint32_t slot = reduction->moving[j];
        length += from->tangent[j] * (to->values[slot] - from->values[slot]) /
                  rh__walk_scale(walk, from->values, j);
    }
    return length;
}

// Enclose the mark between `last` and `next` in low and high: a change of the verdict, or a fold,
// where the quantity stops to rise or to fall.
static rh_status enclose(rh_walk *walk, rh_walk_mark mark)
{
    const rh_judgement *first = &walk->last.found.judgement;
    const rh_judgement *second = &walk->next.found.judgement;
    rh__walk_copy(walk, &walk->last, &walk->low);
    rh__walk_copy(walk, &walk->next, &walk->high);
    // one that is special by its steady set alone cannot be told by its rank
    const uint32_t least = first->measured < second->measured ? first->measured : second->measured;
    const bool is_plain =
        first->measured != second->measured || (first->is_certain && second->is_certain);
    walk->dimension = is_plain ? least : UINT32_MAX;
    for (uint32_t k = 0; k < BISECTIONS; k++) {
        const double length = rh__walk_arc(walk, &walk->low, &walk->high);
        const double gap = fabs(walk->high.value - walk->low.value);
        const bool is_close = fabs(length) <= TURNED &&
                              (mark == RH_WALK_FOLD ||
                               gap <= walk->def.resolution * (walk->span + fabs(walk->low.value)));
        bool is_there = false;
        if (!(fabs(length) > 0.0) || is_close) {
            break;
        }
        RH_TRY(rh__walk_step_from(walk, &walk->low, 0.5 * length, &walk->middle, &is_there));
        const rh_steady_verdict verdict = walk->middle.found.judgement.verdict;
        // where roots cannot be told from the axis nothing closer is known
        const bool is_blurred = mark == RH_WALK_CHANGE && rh__walk_is_definite(first->verdict) &&
                                rh__walk_is_definite(second->verdict) &&
                                !rh__walk_is_definite(verdict);
        if (!is_there || is_blurred) {
            break;
        }
        const bool is_low = mark == RH_WALK_FOLD
                                ? (walk->middle.rise > 0.0) == (walk->last.rise > 0.0)
                                : is_like(&walk->last, &walk->middle);
        rh__walk_copy(walk, &walk->middle, is_low ? &walk->low : &walk->high);
    }
    RH_ASSERT(walk->low.values != walk->last.values);
    walk->dimension = walk->known;
    return RH_OK;
}

// Between which values of the quantity the mark lies, and the best of them. Where the quantity
// turns round between low and high it goes beyond both, by no more than the tangents let it.
static void bracket(const rh_walk *walk, rh_walk_point *out)
{
    RH_ASSERT(walk->span > 0.0);
    const double slack = 4.0 * DBL_EPSILON * (walk->span + fabs(walk->low.value));
    out->low = fmin(walk->low.value, walk->high.value);
    out->high = fmax(walk->low.value, walk->high.value);
    out->value = 0.5 * (out->low + out->high);
    if (walk->low.rise * walk->high.rise < 0.0) {
        const double beyond = fabs(rh__walk_arc(walk, &walk->low, &walk->high)) *
                              fmax(fabs(walk->low.rise), fabs(walk->high.rise));
        out->value = walk->low.rise > 0.0 ? out->high : out->low;
        out->high += walk->low.rise > 0.0 ? beyond : 0.0;
        out->low -= walk->low.rise > 0.0 ? 0.0 : beyond;
    }
    RH_ASSERT(!(out->value < out->low) && !(out->value > out->high));
    out->low -= slack;
    out->high += slack;
}

// --- arcs ----------------------------------------------------------------------------------------

// Of both ends of the arc at hand: on it one more root may be zero.
static uint32_t least_kernel(const rh_walk *walk)
{
    RH_ASSERT(walk->last.found.judgement.size == walk->next.found.judgement.size);
    const uint32_t first = walk->last.found.judgement.measured;
    const uint32_t second = walk->next.found.judgement.measured;
    return first < second ? first : second;
}

static uint32_t count_right(const station *it)
{
    uint32_t count = 0;
    for (uint32_t k = 0; k < it->found.judgement.root_count; k++) {
        count += it->found.judgement.roots[k].real > 0.0;
    }
    return count;
}

// What vanishes on the way from `last` to `next`; false: nothing that is smooth there.
static bool find_arc_mark(const rh_walk *walk, rh_walk_mark mark, rh_arc_mark *out)
{
    RH_ASSERT(mark != RH_WALK_POINT);
    const rh_judgement *first = &walk->last.found.judgement;
    const rh_judgement *second = &walk->next.found.judgement;
    if (mark == RH_WALK_FOLD) {
        *out = RH_ARC_FOLD;
        return true;
    }
    const uint32_t before = count_right(&walk->last);
    const uint32_t after = count_right(&walk->next);
    const uint32_t passed = before > after ? before - after : after - before;
    *out = passed == 2 ? RH_ARC_PAIR : RH_ARC_ROOT;
    return rh__walk_is_definite(first->verdict) && rh__walk_is_definite(second->verdict) &&
           first->kink.name == NULL && second->kink.name == NULL && (passed == 1 || passed == 2) &&
           (first->measured != second->measured || (first->is_certain && second->is_certain));
}

// The mark on the arc between two stations: the motion there is in `high`.
static rh_status pinpoint_between(rh_walk *walk, const station *first, const station *second,
                                  rh_arc_mark mark, rh_arc_answer *out)
{
    const rh_reduction *reduction = walk->steady->reduction;
    const station *ends[2] = {first, second};
    rh_rest_query query = rh__wish_query(&walk->steady->wish);
    rh_arc arc = {.query = &query,
                  .slot = walk->moving != UINT32_MAX ? walk->slot : UINT32_MAX,
                  .output = walk->output,
                  .extra = UINT32_MAX,
                  .mark = mark,
                  .scale = walk->scale};
    query.is_fixed = walk->is_fixed;
    query.observed = walk->observed;
    query.wanted = walk->wanted;
    query.observed_count = walk->observed_count;
    if (walk->moving != UINT32_MAX && walk->moving >= reduction->place_count) {
        arc.extra = walk->moving;
    }
    arc.dimension = least_kernel(walk);
    for (int end = 0; end < 2; end++) {
        arc.ends[end] = ends[end]->values;
        arc.slopes[end] = walk->slopes[end];
        for (uint32_t j = 0; j < reduction->moving_count; j++) {
            walk->scale[j] = rh__walk_scale(walk, first->values, j);
            walk->slopes[end][j] =
                ends[end]->tangent[j] * rh__walk_scale(walk, ends[end]->values, j);
        }
    }
    return rh__arc_pinpoint(walk->steady->bench, &arc, out);
}

// The same between `last` and `next`. A station next to a place where branches cross has no
// direction that can be trusted: then between others, farther out, to both sides of one of them.
static rh_status pinpoint(rh_walk *walk, rh_arc_mark mark, rh_arc_answer *out)
{
    static const struct {
        bool is_from_next;
        double back, on; // in units of the arc
    } WAYS[] = {{false, -0.7, 1.7}, {true, -1.7, 0.7}, {false, -0.3, 3.0}, {true, -3.0, 0.3}};
    rh_workbench *bench = walk->steady->bench;
    RH_TRY(pinpoint_between(walk, &walk->last, &walk->next, mark, out));
    rh__walk_copy(walk, &walk->last, &walk->low);
    rh__walk_copy(walk, &walk->next, &walk->middle);
    rh__walk_copy(walk, &walk->next, &walk->high);
    const double length = rh__walk_arc(walk, &walk->low, &walk->high);
    for (size_t k = 0; !out->is_found && k < sizeof WAYS / sizeof *WAYS; k++) {
        const station *from = WAYS[k].is_from_next ? &walk->next : &walk->last;
        bool are_there[2] = {false, false};
        RH_TRY(rh__walk_step_from(walk, from, WAYS[k].back * length, &walk->low, &are_there[0]));
        RH_TRY(rh__walk_step_from(walk, from, WAYS[k].on * length, &walk->middle, &are_there[1]));
        if (are_there[0] && are_there[1]) {
            RH_TRY(pinpoint_between(walk, &walk->low, &walk->middle, mark, out));
        }
    }
    if (out->is_found) {
        const uint32_t slots = walk->steady->reduction->slot_count;
        memcpy(bench->values, out->values, slots * sizeof *bench->values);
        out->is_found = rh__workbench_slope(bench);
    }
    if (out->is_found) {
        walk->dimension = least_kernel(walk);
        const rh_status status = rh__walk_arrive(walk, walk->last.tangent, &walk->high);
        walk->dimension = walk->known;
        RH_TRY(status);
    }
    return RH_OK;
}

// --- walking -------------------------------------------------------------------------------------

static bool has_left(const rh_walk *walk, double value)
{
    const double low = fmin(walk->def.from, walk->def.to);
    const double high = fmax(walk->def.from, walk->def.to);
    const double slack = 1e-12 * (high - low);
    return value < low - slack || value > high + slack;
}

// A station exactly at a value of the quantity, from another one.
static rh_status land(rh_walk *walk, const station *from, double value, station *out,
                      bool *out_is_there)
{
    rh_workbench *bench = walk->steady->bench;
    const rh_reduction *reduction = walk->steady->reduction;
    const double length = from->rise != 0.0 ? (value - from->value) / from->rise : 0.0;
    memcpy(bench->values, from->values, reduction->slot_count * sizeof *bench->values);
    for (uint32_t j = 0; j < reduction->moving_count; j++) {
        bench->values[reduction->moving[j]] +=
            length * from->tangent[j] * rh__walk_scale(walk, from->values, j);
    }
    rh_rest_query query = rh__wish_query(&walk->steady->wish);
    if (walk->moving != UINT32_MAX) {
        bench->values[walk->slot] = value;
    } else {
        walk->landing[walk->wished] = value;
        query.wanted = walk->landing;
    }
    rh_rest_answer answer;
    RH_TRY(rh__rest_solve(bench, &query, &answer));
    RH_TRY(answer.is_found ? rh__rest_check(bench, &query, &answer) : RH_OK);
    *out_is_there = answer.is_found;
    if (answer.is_found) {
        RH_TRY(rh__walk_arrive(walk, from->tangent, out));
        out->found.residual = answer.residual;
        out->found.loose = answer.loose;
    }
    return RH_OK;
}

// Does the family go off to infinity, while the quantity hardly changes?
static void watch_running(rh_walk *walk)
{
    const rh_reduction *reduction = walk->steady->reduction;
    const station *now = &walk->next;
    if (fabs(now->value - walk->settled_value) > STILL * walk->span) {
        walk->settled_value = now->value;
        memcpy(walk->settled, now->values, reduction->slot_count * sizeof *walk->settled);
        return;
    }
    for (uint32_t k = 0; k < reduction->place_count && !walk->is_ended; k++) {
        const uint32_t slot = reduction->place[k];
        const double before = rh__engine_size(&reduction->engine, slot, walk->settled[slot]);
        const double after = fabs(now->values[slot] - reduction->engine.origin[slot]);
        if (!(reduction->period[k] > 0.0) && after > AWAY * before) {
            (void)rh__text_fill(
                walk->reason, sizeof walk->reason,
                "from %.6g on the quantity hardly changes, while %.60s goes from %.6g "
                "to %.6g: the family goes off to infinity",
                now->value, reduction->names[slot], walk->settled[slot], now->values[slot]);
            walk->is_ended = true;
        }
    }
}

// Next is beyond the range: at its end instead, on the same branch.
static rh_status land_at_end(rh_walk *walk, bool *out_is_there)
{
    const double end = walk->next.value > fmax(walk->def.from, walk->def.to)
                           ? fmax(walk->def.from, walk->def.to)
                           : fmin(walk->def.from, walk->def.to);
    walk->is_ended = true;
    if (fabs(end - walk->last.value) <= 1e-12 * walk->span) {
        return RH_OK; // it was there already
    }
    RH_TRY(land(walk, &walk->last, end, &walk->next, out_is_there));
    if (*out_is_there) {
        const double length = rh__walk_arc(walk, &walk->last, &walk->next);
        *out_is_there = rh__walk_stays(walk, &walk->last, &walk->next, length);
    }
    walk->is_ended = walk->has_next = *out_is_there;
    return RH_OK;
}

// Is it the same in all digits? Then the step was less than what values resolve.
static bool is_same(const rh_walk *walk, const station *one, const station *two)
{
    return memcmp(one->values, two->values,
                  walk->steady->reduction->slot_count * sizeof *one->values) == 0;
}

// A station after `last` that can be reached by its tangent.
static rh_status find_reachable(rh_walk *walk, bool *out_is_there)
{
    for (uint32_t k = 0; k < HALVINGS && !*out_is_there && !walk->is_ended; k++) {
        RH_TRY(rh__walk_step_from(walk, &walk->last, walk->length, &walk->next, out_is_there));
        if (*out_is_there && is_same(walk, &walk->last, &walk->next)) {
            walk->length = 0.0;
            walk->short_count = MOST_SHORT;
            return RH_OK;
        }
        if (*out_is_there) {
            const double turn = rh__vector_dot(walk->steady->reduction->moving_count,
                                               walk->last.tangent, walk->next.tangent);
            *out_is_there =
                (turn > 0.9 && rh__walk_stays(walk, &walk->last, &walk->next, walk->length)) ||
                k + 1 == HALVINGS;
        }
        if (*out_is_there && has_left(walk, walk->next.value)) {
            RH_TRY(land_at_end(walk, out_is_there));
        }
        walk->length *= *out_is_there ? 1.0 : 0.5;
    }
    return RH_OK;
}

// Next to a mark nothing can be told: a little farther on there may be a verdict again.
static rh_status step_over(rh_walk *walk)
{
    const double length = OVER * walk->length;
    bool is_there = false;
    if (walk->is_ended || !rh__walk_is_definite(walk->last.found.judgement.verdict) ||
        rh__walk_is_definite(walk->next.found.judgement.verdict)) {
        return RH_OK;
    }
    RH_TRY(rh__walk_step_from(walk, &walk->last, length, &walk->high, &is_there));
    if (!is_there || !rh__walk_is_definite(walk->high.found.judgement.verdict) ||
        has_left(walk, walk->high.value)) {
        return RH_OK;
    }
    rh__walk_copy(walk, &walk->next, &walk->low);
    rh__walk_copy(walk, &walk->high, &walk->next);
    const double turn = rh__vector_dot(walk->steady->reduction->moving_count, walk->last.tangent,
                                       walk->next.tangent);
    if (turn > 0.9 && rh__walk_stays(walk, &walk->last, &walk->next, length)) {
        walk->length = length;
    } else {
        rh__walk_copy(walk, &walk->low, &walk->next);
    }
    return RH_OK;
}

// Does the way from `last` to `next` lead through a pole? Then the family ends before it. Or from
// one branch to another? Then the step was too long.
static rh_status stop_at_pole(rh_walk *walk, bool *out_is_apart)
{
    double at = 0.0;
    rh_walk_gap gap = RH_WALK_WHOLE;
    RH_TRY(rh__walk_find_pole(walk, &at, &gap));
    *out_is_apart = gap == RH_WALK_APART;
    if (gap == RH_WALK_POLE) {
        (void)rh__text_fill(
            walk->reason, sizeof walk->reason,
            "near %.6g it comes to a pole: the equations have no finite value there, and "
            "what lies beyond is another family",
            at);
        walk->is_ended = true;
        walk->has_next = false;
    }
    return RH_OK;
}

// `next` is a station after `last`; false: there is none.
static rh_status find_station(rh_walk *walk, bool *out_is_there)
{
    *out_is_there = false;
    RH_TRY(find_reachable(walk, out_is_there));
    if (walk->is_ended && !*out_is_there) {
        return RH_OK;
    }
    walk->short_count = walk->length < SHORT * walk->def.largest_step ? walk->short_count + 1 : 0;
    if (!*out_is_there || walk->short_count > MOST_SHORT) {
        (void)rh__text_fill(
            walk->reason, sizeof walk->reason,
            walk->is_blurred ? "at %.10g it comes so close to a place where the equations are "
                               "singular that the last digits of the variables decide"
            : *out_is_there  ? "at %.10g steps become too short: it cannot be followed further"
                             : "no steady motion was found beyond %.10g",
            walk->last.value);
        walk->is_ended = true;
        *out_is_there = false;
    }
    return RH_OK;
}

// The station after `last`.
static rh_status find_next(rh_walk *walk)
{
    bool is_apart = true;
    walk->is_blurred = false;
    for (uint32_t k = 0; k < HALVINGS && is_apart; k++) {
        const bool was_ended = walk->is_ended;
        RH_TRY(find_station(walk, &walk->has_next));
        if (!walk->has_next) {
            return RH_OK;
        }
        RH_TRY(step_over(walk));
        RH_TRY(stop_at_pole(walk, &is_apart));
        if (!walk->has_next) {
            return RH_OK;
        }
        walk->length *= is_apart ? 0.5 : 1.0;
        walk->is_ended = is_apart ? was_ended : walk->is_ended;
    }
    if (walk->is_ended && has_left(walk, walk->next.value)) {
        walk->has_next = false;
        return RH_OK;
    }
    walk->length = fmin(walk->length * 1.5, walk->def.largest_step);
    RH_TRY(rh__walk_split(walk));
    watch_running(walk);
    walk->is_due = walk->next.found.judgement.verdict != walk->last.found.judgement.verdict;
    walk->is_folded = walk->next.rise * walk->last.rise < 0.0;
    return RH_OK;
}

static void show(const rh_walk *walk, rh_walk_mark mark, const station *it, rh_walk_point *out)
{
    *out = (rh_walk_point){.struct_size = (uint32_t)sizeof *out,
                           .mark = mark,
                           .value = it->value,
                           .before = it->found.judgement.verdict,
                           .motion = rh__steady_show(walk->steady, &it->found)};
    out->low = out->high = out->value;
}

// Does the arc lead to another change, beyond its ends, or to none? It may be too long.
static bool is_astray(const rh_walk *walk, const rh_arc_answer *answer, uint32_t halvings)
{
    const double low = fmin(walk->last.value, walk->next.value);
    const double high = fmax(walk->last.value, walk->next.value);
    return answer->is_found
               ? fmax(low - answer->value, answer->value - high) > OUTSIDE * (high - low)
               : halvings < FEW;
}

// The half of the step from `last` to `next` that has the change.
static rh_status halve(rh_walk *walk, bool *out_is_there)
{
    const double length = 0.5 * rh__walk_arc(walk, &walk->last, &walk->next);
    RH_TRY(rh__walk_step_from(walk, &walk->last, length, &walk->middle, out_is_there));
    if (*out_is_there && is_like(&walk->last, &walk->middle)) {
        rh__walk_copy(walk, &walk->middle, &walk->last);
    } else if (*out_is_there) {
        rh__walk_copy(walk, &walk->middle, &walk->next);
        walk->length = fmin(walk->length, length);
        walk->is_ended = false;
    }
    return RH_OK;
}

// The mark on its arc; of a change on an arc with no other one.
static rh_status pinpoint_alone(rh_walk *walk, rh_walk_mark mark, rh_arc_mark kind,
                                rh_arc_answer *out)
{
    // at a fold the mark is beyond both ends
    bool is_there = mark == RH_WALK_CHANGE && walk->last.rise * walk->next.rise > 0.0;
    RH_TRY(pinpoint(walk, kind, out));
    for (uint32_t k = 0; k < HALVINGS && is_there && is_astray(walk, out, k); k++) {
        RH_TRY(halve(walk, &is_there));
        RH_TRY(is_there ? pinpoint(walk, kind, out) : RH_OK);
    }
    return RH_OK;
}

// A mark that is but the threshold of a decision reaches to where what decides may vanish.
static rh_status widen(rh_walk *walk, rh_walk_point *out)
{
    double far = 0.0;
    RH_TRY(rh__walk_find_blur(walk, &far));
    if (far < out->low || far > out->high) {
        out->low = fmin(out->low, far);
        out->high = fmax(out->high, far);
        out->value = 0.5 * (out->low + out->high);
    }
    return RH_OK;
}

// Where the quantity hardly changes, does it turn round by no more than its bar?
static bool is_still(const rh_walk *walk, const rh_walk_point *fold)
{
    const double low = fmin(walk->last.value, walk->next.value);
    const double high = fmax(walk->last.value, walk->next.value);
    return fabs(fold->value - walk->settled_value) <= STILL * walk->span && fold->low <= low &&
           high <= fold->high;
}

// The motion at the mark, with the verdict that holds from there on.
static rh_status tell_mark(rh_walk *walk, rh_walk_mark mark, rh_walk_point *out, bool *out_is_told)
{
    rh_arc_answer answer = {.values = walk->arc_values};
    rh_arc_mark kind;
    const bool is_smooth = find_arc_mark(walk, mark, &kind);
    if (is_smooth) {
        RH_TRY(pinpoint_alone(walk, mark, kind, &answer));
    }
    if (answer.is_found) {
        show(walk, mark, &walk->high, out);
        out->value = answer.value;
        out->low = answer.value - answer.bar;
        out->high = answer.value + answer.bar;
    } else {
        RH_TRY(enclose(walk, mark));
        show(walk, mark, &walk->high, out);
        bracket(walk, out);
        RH_TRY(mark == RH_WALK_CHANGE ? widen(walk, out) : RH_OK);
    }
    if (!answer.is_found && is_smooth && mark == RH_WALK_CHANGE) {
        // signs next to a place where branches cross tell nothing
        out->low = fmin(out->low, fmin(walk->last.value, walk->next.value));
        out->high = fmax(out->high, fmax(walk->last.value, walk->next.value));
    }
    *out_is_told = mark != RH_WALK_FOLD || !is_still(walk, out);
    const rh_steady_motion after = rh__steady_show(walk->steady, &walk->next.found);
    out->before = walk->last.found.judgement.verdict;
    out->motion.verdict = after.verdict;
    out->motion.reason = after.reason;
    out->motion.dimension = after.dimension;
    return RH_OK;
}

rh_status rh_walk_step(rh_walk *walk, rh_walk_point *out, bool *out_is_there, rh_error *err)
{
    RH_REQUIRE(walk != NULL && out != NULL && out_is_there != NULL, err);
    *out_is_there = true;
    if (!walk->is_begun) {
        walk->is_begun = true;
        show(walk, RH_WALK_POINT, &walk->last, out);
        return RH_OK;
    }
    if (!walk->has_next && !walk->is_ended) {
        if (walk->point_count++ >= walk->def.point_limit) {
            (void)rh__text_fill(walk->reason, sizeof walk->reason, "it has more than %u points",
                                walk->def.point_limit);
            walk->is_ended = true;
        } else {
            RH_TRY(find_next(walk));
        }
    }
    if (!walk->has_next) {
        *out_is_there = false;
        return RH_OK;
    }
    bool is_told = false;
    if (walk->is_folded) {
        walk->is_folded = false;
        RH_TRY(tell_mark(walk, RH_WALK_FOLD, out, &is_told));
    }
    if (!is_told && walk->is_due) {
        walk->is_due = false;
        RH_TRY(tell_mark(walk, RH_WALK_CHANGE, out, &is_told));
    }
    if (is_told) {
        return RH_OK;
    }
    for (int which = 0; which < 2; which++) {
        walk->before[which] = rh__walk_decider(&walk->last, which);
    }
    walk->before_length = rh__walk_arc(walk, &walk->last, &walk->next);
    rh__walk_copy(walk, &walk->next, &walk->last);
    walk->has_next = false;
    show(walk, RH_WALK_POINT, &walk->last, out);
    return RH_OK;
}
