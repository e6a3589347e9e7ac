// SPDX-License-Identifier: Apache-2.0
// The solution of g(x) = 0 nearest to a draft x0 in the metric W of the inertia. Newton's steps
// lead onto the constraints,
//     x <- x + d,   d the W-shortest with  J d = -g,
// and from there one goes along them until the draft lies straight off: x moves by a share of
//     x0 + d - x,   d the W-shortest with  J d = -g + J (x - x0),
// and then back onto them. The whole of it overshoots where the constraints are bent more than the
// draft is far; the share is found by Aitken's rule.
// Redundant equations do no harm: least squares by singular values, or a sparse saddle system while
// it is regular.
// Unknowns are numbers in units of their sizes (demand.c), and equations are divided by what these
// sizes make of them, so that nothing depends on the units of the model. Where all unknowns of a
// kind are zero the equations tell how large they will be.

#include "equations/consistent.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum { ITERATIONS = 80, NEWTON_STEPS = 40, DENSE_SIZE = 500, SVD_SIZE = 600 };

#define LEAST_SHARE 0x1p-40 // of a step along the constraints

// Without looking at what is no number.
static double larger(double a, double b)
{
    return b > a ? b : a;
}

// --- one stage -----------------------------------------------------------------------------------

static bool find_unknowns(rh_settling_stage *on)
{
    rh_settling *settling = on->settling;
    const uint32_t slots = settling->layout->symbols.count;
    on->slots = rh__arena_array(on->arena, uint32_t, (size_t)slots + 1);
    on->place = rh__arena_array(on->arena, uint32_t, (size_t)slots + 1);
    on->demands = rh__arena_array(on->arena, rh_demand *, (size_t)settling->demands.count + 1);
    if (on->slots == NULL || on->place == NULL || on->demands == NULL) {
        return false;
    }
    for (uint32_t slot = 0; slot < slots; slot++) {
        if (settling->is_moving[slot]) {
            on->slots[on->count++] = slot;
            on->place[slot] = on->count;
        }
    }
    for (uint32_t k = 0; k < settling->demands.count; k++) {
        rh_demand *demand = &settling->demands.data[k];
        if (rh__demand_moves(settling, demand) &&
            (settling->is_second || !demand->holds_velocity)) {
            on->demands[on->demand_count++] = demand;
        }
    }
    return true;
}

// The unknown that belongs to a carrier in this stage, + 1: its position or its variable.
static uint32_t unknown_of(const rh_settling_stage *on, uint32_t carrier, bool is_position)
{
    const rh_carrier *it = &on->settling->equations->carriers.data[carrier];
    const uint32_t slot =
        rh__layout_slot(on->settling->layout, is_position ? it->position : it->variable);
    return slot != UINT32_MAX ? on->place[slot] : 0;
}

static bool collect_entries(rh_settling_stage *on)
{
    rh_settling *settling = on->settling;
    const rh_grid *inertia = &settling->equations->inertia;
    size_t most = 2 * (size_t)inertia->entries.count + on->demand_count;
    for (uint32_t k = 0; k < on->demand_count; k++) {
        most += on->demands[k]->partials.count;
    }
    on->roots = rh__arena_array(on->arena, rh_expr, most + 1);
    on->row = rh__arena_array(on->arena, uint32_t, most + 1);
    on->column = rh__arena_array(on->arena, uint32_t, most + 1);
    on->values = rh__arena_array(on->arena, double, most + 1);
    on->unit = rh__arena_array(on->arena, double, (size_t)on->count + 1);
    on->row_scale = rh__arena_array(on->arena, double, (size_t)on->demand_count + 1);
    on->step = rh__arena_array(on->arena, double, (size_t)on->count + 1);
    on->last = rh__arena_array(on->arena, double, (size_t)on->count + 1);
    on->from = rh__arena_array(on->arena, double, (size_t)on->count + 1);
    on->metric = rh__arena_array(on->arena, double, most + on->count + 1);
    on->kept = rh__arena_array(on->arena, double, (size_t)on->count + 1);
    if (on->roots == NULL || on->row == NULL || on->column == NULL || on->values == NULL ||
        on->unit == NULL || on->row_scale == NULL || on->step == NULL || on->last == NULL ||
        on->from == NULL || on->metric == NULL || on->kept == NULL) {
        return false;
    }
    uint32_t at = 0;
    for (uint32_t k = 0; k < on->demand_count; k++) {
        const rh_gradient *partials = &on->demands[k]->partials;
        for (uint32_t j = 0; j < partials->count; j++) {
            const uint32_t slot = rh__layout_slot(settling->layout, partials->data[j].symbol);
            if (slot != UINT32_MAX && on->place[slot] != 0) {
                on->roots[at] = partials->data[j].value;
                on->row[at] = k;
                on->column[at++] = on->place[slot] - 1;
            }
        }
    }
    on->jacobian_count = at;
    for (uint32_t k = 0; k < 2 * inertia->entries.count; k++) {
        const rh_entry *entry = &inertia->entries.data[k / 2];
        const uint32_t row = unknown_of(on, entry->row, k % 2 == 1);
        const uint32_t column = unknown_of(on, entry->column, k % 2 == 1);
        if (row != 0 && column != 0) {
            on->roots[at] = entry->value;
            on->row[at] = row - 1;
            on->column[at++] = column - 1;
        }
    }
    on->metric_count = at - on->jacobian_count;
    const uint32_t first = at;
    for (uint32_t k = 0; k < on->demand_count; k++) {
        on->roots[at++] = on->demands[k]->value;
    }
    rh_store *store = settling->equations->store;
    on->is_collected = rh__recipe_create(store, on->roots, at, on->arena, &on->all) &&
                       rh__recipe_create(store, on->roots + first, at - first, on->arena, &on->g);
    return on->is_collected;
}

// --- equations -----------------------------------------------------------------------------------

// Values of the roots, g being the last of them; or of g alone.
static rh_status find_g(rh_settling_stage *on, bool is_alone)
{
    rh_settling *settling = on->settling;
    double *g = on->values + on->jacobian_count + on->metric_count;
    RH_TRY(rh__point_values(&settling->point, is_alone ? &on->g : &on->all, &settling->scratch,
                            is_alone ? g : on->values));
    for (uint32_t k = 0; k < on->demand_count; k++) {
        g[k] -= on->demands[k]->aim;
    }
    return RH_OK;
}

// -g, and for the nearest solution + J (x - x0), of the scaled equations.
static void find_right(const rh_settling_stage *on, bool is_nearest, double *right)
{
    const rh_settling *settling = on->settling;
    const double *g = on->values + on->jacobian_count + on->metric_count;
    for (uint32_t k = 0; k < on->demand_count; k++) {
        right[k] = -g[k];
    }
    for (uint32_t k = 0; is_nearest && k < on->jacobian_count; k++) {
        const uint32_t slot = on->slots[on->column[k]];
        right[on->row[k]] += on->values[k] * (settling->point.values[slot] - settling->draft[slot]);
    }
    for (uint32_t k = 0; k < on->demand_count; k++) {
        right[k] *= on->row_scale[k];
    }
}

// --- units ---------------------------------------------------------------------------------------

// The weight of an unknown, by its mass; 0: it has none.
static double weight_of(const rh_settling_stage *on, uint32_t unknown)
{
    return on->settling->weight[on->slots[unknown]];
}

static bool is_of_group(const rh_settling_stage *on, uint32_t unknown, uint32_t kind, uint32_t own)
{
    const uint32_t slot = on->slots[unknown];
    return kind < RH_SETTLING_KINDS
               ? on->settling->weight[slot] > 0.0 && rh__settling_kind(on->settling, slot) == kind
               : unknown == own;
}

// What the equations ask of unknowns that are all zero: the largest size at which they change an
// equation by as much as it is off, or as the others do. The unknowns are those of a kind, by
// weights, or a single one.
static rh_status ask(const rh_settling_stage *on, uint32_t kind, uint32_t own, double *out)
{
    rh_arena *scratch = &on->settling->scratch;
    const double *g = on->values + on->jacobian_count + on->metric_count;
    double *asked = rh__arena_array(scratch, double, (size_t)on->demand_count + 1);
    double *given = rh__arena_array(scratch, double, (size_t)on->demand_count + 1);
    if (asked == NULL || given == NULL) {
        return scratch->status;
    }
    for (uint32_t k = 0; k < on->jacobian_count; k++) {
        const bool is_own = is_of_group(on, on->column[k], kind, own);
        const double weight = kind < RH_SETTLING_KINDS ? weight_of(on, on->column[k]) : 1.0;
        given[on->row[k]] += is_own ? fabs(on->values[k]) * weight : 0.0;
        asked[on->row[k]] += fabs(on->values[k]) * on->unit[on->column[k]];
    }
    *out = 0.0;
    for (uint32_t k = 0; k < on->demand_count; k++) {
        const double size = larger(asked[k], fabs(g[k])) / given[k];
        *out = isfinite(size) ? larger(*out, size) : *out;
    }
    *out = *out > 0.0 ? *out : 1.0; // whatever it is, nothing moves
    return RH_OK;
}

// Sizes of the unknowns, with J at the draft.
static rh_status find_units(rh_settling_stage *on)
{
    const rh_settling *settling = on->settling;
    const rh_mark mark = rh__arena_mark(&on->settling->scratch);
    RH_TRY(find_g(on, false));
    for (uint32_t k = 0; k < on->count; k++) {
        on->unit[k] = rh__settling_size(settling, on->slots[k]);
    }
    for (uint32_t k = 0; k < on->count; k++) {
        const double weight = weight_of(on, k);
        const uint32_t kind =
            weight > 0.0 ? rh__settling_kind(settling, on->slots[k]) : RH_SETTLING_KINDS;
        double size = 0.0;
        if (on->unit[k] > 0.0) {
            continue;
        }
        RH_TRY(ask(on, kind, k, &size));
        for (uint32_t i = k; i < on->count; i++) {
            if (is_of_group(on, i, kind, k)) {
                on->unit[i] = size * (kind < RH_SETTLING_KINDS ? weight_of(on, i) : 1.0);
            }
        }
    }
    rh__arena_rewind(&on->settling->scratch, mark);
    return RH_OK;
}

// Equations are divided by the length of their rows.
static void scale_rows(rh_settling_stage *on)
{
    memset(on->row_scale, 0, on->demand_count * sizeof *on->row_scale);
    for (uint32_t k = 0; k < on->jacobian_count; k++) {
        double *length = &on->row_scale[on->row[k]];
        *length = hypot(*length, on->values[k] * on->unit[on->column[k]]);
    }
    for (uint32_t k = 0; k < on->demand_count; k++) {
        const double scale = 1.0 / on->row_scale[k];
        on->row_scale[k] = isfinite(scale) ? scale : 0.0;
    }
}

// --- steps ---------------------------------------------------------------------------------------

// W of the unknowns in their units, without the diagonal of those that have no mass.
static double metric_entry(const rh_settling_stage *on, uint32_t k)
{
    return on->values[k] * weight_of(on, on->row[k]) * weight_of(on, on->column[k]);
}

// J of the scaled equations by the unknowns in their units.
static double jacobian_entry(const rh_settling_stage *on, uint32_t k)
{
    return on->row_scale[on->row[k]] * (on->values[k] * on->unit[on->column[k]]);
}

// W, or the identity where it is not positive definite.
static void fill_metric(rh_settling_stage *on, double *metric, double *factor)
{
    const uint32_t n = on->count;
    const uint32_t end = on->jacobian_count + on->metric_count;
    for (uint32_t k = on->jacobian_count; k < end; k++) {
        metric[on->row[k] + (size_t)on->column[k] * n] += metric_entry(on, k);
    }
    for (uint32_t k = 0; k < n; k++) {
        metric[k + (size_t)k * n] += weight_of(on, k) == 0.0 ? 1.0 : 0.0;
    }
    memcpy(factor, metric, (size_t)n * n * sizeof *metric);
    on->is_plain = !rh__cholesky(n, factor);
    for (size_t k = 0; on->is_plain && k < (size_t)n * n; k++) {
        metric[k] = k % (n + 1) == 0 ? 1.0 : 0.0;
    }
}

static rh_status step_dense(rh_settling_stage *on, const double *right, double *step)
{
    rh_arena *scratch = &on->settling->scratch;
    double *metric = rh__arena_array(scratch, double, (size_t)on->count * on->count + 1);
    double *factor = rh__arena_array(scratch, double, (size_t)on->count * on->count + 1);
    double *matrix = rh__arena_array(scratch, double, (size_t)on->demand_count * on->count + 1);
    if (metric == NULL || factor == NULL || matrix == NULL) {
        return scratch->status;
    }
    fill_metric(on, metric, factor);
    for (uint32_t k = 0; k < on->jacobian_count; k++) {
        matrix[on->row[k] + (size_t)on->column[k] * on->demand_count] += jacobian_entry(on, k);
    }
    const rh_metric_problem problem = {.rows = on->demand_count,
                                       .columns = on->count,
                                       .matrix = matrix,
                                       .metric = metric,
                                       .right = right,
                                       .tolerance = 1e-10};
    uint32_t rank = 0;
    RH_TRY(rh__metric_solve(scratch, &problem, step, &rank));
    on->is_isolated = rank == on->count;
    return RH_OK;
}

// The entries of [W J^T; J 0], then the diagonal.
static uint32_t count_sparse(const rh_settling_stage *on)
{
    return 2 * on->jacobian_count + on->metric_count + on->count + on->demand_count;
}

static rh_status make_pattern(rh_settling_stage *on)
{
    rh_arena *scratch = &on->settling->scratch;
    const uint32_t n = on->count;
    const uint32_t size = n + on->demand_count;
    const uint32_t count = count_sparse(on);
    uint32_t *row = rh__arena_array(scratch, uint32_t, (size_t)count + 1);
    uint32_t *column = rh__arena_array(scratch, uint32_t, (size_t)count + 1);
    if (row == NULL || column == NULL) {
        return scratch->status;
    }
    uint32_t at = 0;
    for (uint32_t k = 0; k < on->jacobian_count + on->metric_count; k++) {
        const bool is_jacobian = k < on->jacobian_count;
        row[at] = is_jacobian ? n + on->row[k] : on->row[k];
        column[at++] = on->column[k];
        if (is_jacobian) {
            row[at] = on->column[k];
            column[at++] = n + on->row[k];
        }
    }
    for (uint32_t k = 0; k < size; k++) {
        row[at] = column[at] = k;
        at++;
    }
    return rh__sparse_create(scratch, size, size, count, row, column, &on->sparse);
}

// `soft` on the diagonal of the demands, whose rows have length 1, makes redundant ones harmless.
static void fill_values(const rh_settling_stage *on, double soft, double *value)
{
    const uint32_t n = on->count;
    uint32_t at = 0;
    for (uint32_t k = 0; k < on->jacobian_count; k++) {
        value[at] = value[at + 1] = jacobian_entry(on, k);
        at += 2;
    }
    for (uint32_t k = on->jacobian_count; k < on->jacobian_count + on->metric_count; k++) {
        value[at++] = metric_entry(on, k);
    }
    for (uint32_t k = 0; k < n + on->demand_count; k++) {
        value[at++] = k >= n ? -soft : weight_of(on, k) > 0.0 ? 0.0 : 1.0;
    }
}

// [W J^T; J -soft] (d, mu) = (0, right)
static rh_status step_sparse(rh_settling_stage *on, double soft, const double *right, double *step,
                             bool *out_solved)
{
    rh_arena *scratch = &on->settling->scratch;
    const uint32_t n = on->count;
    double *value = rh__arena_array(scratch, double, (size_t)count_sparse(on) + 1);
    double *whole = rh__arena_array(scratch, double, (size_t)n + on->demand_count + 1);
    if (value == NULL || whole == NULL) {
        return scratch->status;
    }
    fill_values(on, soft, value);
    memcpy(whole + n, right, on->demand_count * sizeof *right);
    rh__sparse_fill(&on->sparse, value);
    RH_TRY(on->klu.core == NULL ? rh__klu_create(&on->sparse, &on->klu)
                                : rh__klu_factor(&on->klu, &on->sparse));
    *out_solved = on->klu.rcond > 1e-14 && rh__klu_solve(&on->klu, whole, 1) == RH_OK;
    memcpy(step, whole, n * sizeof *step);
    return RH_OK;
}

static rh_status find_step(rh_settling_stage *on, const double *right, double *step)
{
    const uint32_t size = on->count + on->demand_count;
    bool is_solved = false;
    if (size > DENSE_SIZE) {
        RH_TRY(step_sparse(on, 0.0, right, step, &is_solved));
    }
    if (!is_solved && size > SVD_SIZE) {
        RH_TRY(step_sparse(on, 1e-12, right, step, &is_solved));
    }
    return is_solved || size > SVD_SIZE ? RH_OK : step_dense(on, right, step);
}

// The step from where the point stands, onto the constraints or to the nearest solution.
// `out_size`: how long it is, relative; infinite when there is none.
static rh_status look_ahead(rh_settling_stage *on, bool is_nearest, double *out_size)
{
    rh_settling *settling = on->settling;
    const rh_mark mark = rh__arena_mark(&settling->scratch);
    const uint32_t all = on->jacobian_count + on->metric_count + on->demand_count;
    double *right = rh__arena_array(&settling->scratch, double, (size_t)on->demand_count + 1);
    if (right == NULL) {
        return settling->scratch.status;
    }
    RH_TRY(find_g(on, false));
    *out_size = INFINITY;
    if (rh__vector_is_finite(all, on->values)) {
        scale_rows(on);
        find_right(on, is_nearest, right);
        RH_TRY(find_step(on, right, on->step));
        *out_size = 0.0;
        for (uint32_t k = 0; k < on->count; k++) {
            const uint32_t slot = on->slots[k];
            const double from = settling->point.values[slot];
            on->step[k] =
                on->step[k] * on->unit[k] + (is_nearest ? settling->draft[slot] - from : 0.0);
            const double size = fabs(on->step[k]) / larger(on->unit[k], fabs(from + on->step[k]));
            *out_size = isnan(size) ? INFINITY : fmax(*out_size, size);
        }
    }
    rh__arena_rewind(&settling->scratch, mark);
    return RH_OK;
}

static void go(rh_settling_stage *on, double share)
{
    for (uint32_t k = 0; k < on->count; k++) {
        on->settling->point.values[on->slots[k]] += share * on->step[k];
    }
}

static void keep(const rh_settling_stage *on, double *out)
{
    for (uint32_t k = 0; k < on->count; k++) {
        out[k] = on->settling->point.values[on->slots[k]];
    }
}

// From the draft, in its unit.
static double way_of(const rh_settling_stage *on, uint32_t unknown)
{
    const uint32_t slot = on->slots[unknown];
    return (on->settling->point.values[slot] - on->settling->draft[slot]) / on->unit[unknown];
}

// The length of g, scaled as in the last step.
static double measured(const rh_settling_stage *on)
{
    const double *g = on->values + on->jacobian_count + on->metric_count;
    double sum = 0.0;
    for (uint32_t k = 0; k < on->demand_count; k++) {
        const double part = on->row_scale[k] * g[k];
        sum += part * part;
    }
    return sqrt(sum);
}

static rh_status measure(rh_settling_stage *on, double *out)
{
    RH_TRY(find_g(on, true));
    *out = measured(on);
    return RH_OK;
}

// Is what is left of g no more than the last digit of its own terms? J is that of the last step.
static bool is_rounding(const rh_settling_stage *on)
{
    const double *g = on->values + on->jacobian_count + on->metric_count;
    bool ok = true;
    for (uint32_t k = 0, at = 0; ok && k < on->demand_count; k++) {
        double size = 0.0;
        for (; at < on->jacobian_count && on->row[at] == k; at++) {
            size += fabs(on->values[at] * on->settling->point.values[on->slots[on->column[at]]]);
        }
        ok = fabs(g[k]) <= DBL_EPSILON * size;
    }
    return ok;
}

// Is it no more than what rounding can make of it?
static bool is_noise(const rh_settling_stage *on)
{
    const double *g = on->values + on->jacobian_count + on->metric_count;
    bool ok = true;
    for (uint32_t k = 0; ok && k < on->demand_count; k++) {
        ok = g[k] == 0.0 || fabs(g[k]) <= rh__demand_noise(on->settling, on->demands[k]);
    }
    return ok;
}

// Newton's steps onto the constraints, each halved while it leads away from them.
static rh_status restore(rh_settling_stage *on, bool *out_rests)
{
    double before = INFINITY;
    *out_rests = false;
    for (uint32_t k = 0; k < NEWTON_STEPS; k++) {
        double size = 0.0;
        double now = INFINITY;
        RH_TRY(look_ahead(on, false, &size));
        if (!isfinite(size)) {
            return RH_OK;
        }
        *out_rests = size < 1e-9;
        if (size < 1e-15) { // the last digit, which nobody has to look at
            go(on, 1.0);
            return RH_OK;
        }
        const double far = measured(on);
        double share = 1.0;
        go(on, share);
        RH_TRY(measure(on, &now));
        if (is_rounding(on)) {
            *out_rests = true;
            return RH_OK;
        }
        for (; !(now <= far) && share * size > 1e-8; share /= 2) {
            go(on, -share / 2);
            RH_TRY(measure(on, &now));
        }
        // done, or no longer getting better
        if (size >= before && (size < 1e-12 || is_noise(on))) {
            *out_rests = true;
            return RH_OK;
        }
        before = size;
    }
    return RH_OK;
}

// Aitken's rule: with the share s the steps r, r' followed each other; a share of
// -s r.(r' - r)/|r' - r|^2 would have made r' the shortest. Where steps grow on the way there is no
// such share, and one goes farther.
static double next_share(const rh_settling_stage *on, double share)
{
    double product = 0.0;
    double square = 0.0;
    for (uint32_t k = 0; k < on->count; k++) {
        const double last = on->last[k] / on->unit[k];
        const double change = on->step[k] / on->unit[k] - last;
        product += last * change;
        square += change * change;
    }
    const double next = product < 0.0 ? -share * product / square : 2.0 * share;
    return fmin(fmax(next, LEAST_SHARE), 16.0);
}

// W where the last step was found.
static void keep_metric(const rh_settling_stage *on)
{
    for (uint32_t k = 0; k < on->metric_count; k++) {
        on->metric[k] = on->is_plain ? 0.0 : metric_entry(on, on->jacobian_count + k);
    }
    for (uint32_t k = 0; k < on->count; k++) {
        on->metric[on->metric_count + k] = on->is_plain || weight_of(on, k) == 0.0 ? 1.0 : 0.0;
    }
}

// How far the point is from the draft, squared, in that metric.
static double distance(const rh_settling_stage *on)
{
    const uint32_t *row = on->row + on->jacobian_count;
    const uint32_t *column = on->column + on->jacobian_count;
    double sum = 0.0;
    for (uint32_t k = 0; k < on->metric_count; k++) {
        sum += on->metric[k] * way_of(on, row[k]) * way_of(on, column[k]);
    }
    for (uint32_t k = 0; k < on->count; k++) {
        sum += on->metric[on->metric_count + k] * way_of(on, k) * way_of(on, k);
    }
    return sum;
}

// A share of the last step, from where it was found and back onto the constraints: less of it while
// that leads away from the draft.
static rh_status come_back(rh_settling_stage *on, double *share, bool *out_rests)
{
    keep(on, on->from);
    keep_metric(on);
    const double before = distance(on);
    for (bool is_nearer = false; !is_nearer && *share >= LEAST_SHARE;) {
        for (uint32_t k = 0; k < on->count; k++) {
            on->settling->point.values[on->slots[k]] = on->from[k] + *share * on->last[k];
        }
        RH_TRY(restore(on, out_rests));
        is_nearer = *out_rests && distance(on) <= before * (1.0 + 1e-10);
        *share = is_nearer ? *share : *share / 4.0;
        *out_rests = is_nearer;
    }
    return RH_OK;
}

// Along the constraints towards the draft. What was reached stays when going on does not help.
static rh_status come_nearer(rh_settling_stage *on)
{
    double share = 1.0;
    double best = INFINITY;
    for (uint32_t k = 0; k < ITERATIONS; k++) {
        double size = 0.0;
        bool rests = false;
        RH_TRY(look_ahead(on, true, &size));
        if (size < best) {
            keep(on, on->kept);
        }
        // done, or no longer getting better
        if (!isfinite(size) || size < 1e-15 || (size < 1e-12 && size >= best)) {
            break;
        }
        best = fmin(best, size);
        share = k > 0 ? next_share(on, share) : share;
        memcpy(on->last, on->step, on->count * sizeof *on->last);
        RH_TRY(come_back(on, &share, &rests));
        if (!rests) {
            break;
        }
    }
    for (uint32_t k = 0; k < on->count; k++) {
        on->settling->point.values[on->slots[k]] = on->kept[k];
    }
    return RH_OK;
}

// Exactly met as it stands: nothing has to move.
static rh_status is_exact(const rh_settling_stage *on, bool *out)
{
    *out = true;
    for (uint32_t k = 0; k < on->demand_count && *out; k++) {
        RH_TRY(rh__demand_look(on->settling, on->demands[k]));
        *out = fabs(on->demands[k]->found) <= 4e-16 * on->demands[k]->scale;
    }
    return RH_OK;
}

// That of the moving variables. Where start values bind it is the same each time.
static rh_status find_stage(rh_settling *settling, rh_settling_stage *fresh,
                            rh_settling_stage **out)
{
    const uint32_t index = settling->is_joint ? 2 : settling->is_second;
    const bool is_kept = settling->is_ready && !settling->may_unbind;
    *out = is_kept ? &settling->stages[index] : fresh;
    if ((*out)->is_there) {
        return RH_OK;
    }
    **out = (rh_settling_stage){.settling = settling,
                                .arena = is_kept ? &settling->keep : &settling->scratch};
    (*out)->is_there = find_unknowns(*out);
    return (*out)->is_there ? RH_OK : (*out)->arena->status;
}

static rh_status solve(rh_settling_stage *on)
{
    bool is_done = on->count == 0;
    bool rests = false;
    RH_TRY(is_done ? RH_OK : is_exact(on, &is_done));
    if (is_done) {
        return RH_OK;
    }
    if (!on->is_collected && !collect_entries(on)) {
        return on->arena->status != RH_OK ? on->arena->status : RH_E_MEMORY;
    }
    RH_TRY(on->count + on->demand_count > DENSE_SIZE ? make_pattern(on) : RH_OK);
    RH_TRY(find_units(on));
    RH_TRY(restore(on, &rests));
    return rests && !on->settling->is_loose && !on->is_isolated ? come_nearer(on) : RH_OK;
}

rh_status rh__settling_solve(rh_settling *settling)
{
    const rh_mark mark = rh__arena_mark(&settling->scratch);
    rh_settling_stage fresh = {.is_there = false};
    rh_settling_stage *on = NULL;
    RH_TRY(rh__settling_measure(settling));
    RH_TRY(find_stage(settling, &fresh, &on));
    const rh_status status = solve(on);
    rh__klu_destroy(&on->klu); // it stands on the pattern in `scratch`
    if (status == RH_OK) {
        rh__arena_rewind(&settling->scratch, mark);
    }
    return status;
}
