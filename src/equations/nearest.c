// SPDX-License-Identifier: Apache-2.0
// The solution of g(x) = 0 nearest to a draft x0 in the metric W of the kinetic energy (identity
// for states and massless directions). Newton's steps lead onto the constraints,
//     x <- x + d,   d the W-shortest with  J d = -g,
// and from there one goes along them until the draft lies straight off: x moves by a share of
//     x0 + d - x,   d the W-shortest with  J d = -g + J (x - x0),
// and then back onto them. The whole of it overshoots where the constraints are bent more than the
// draft is far; the share is found by Aitken's rule.
// Redundant equations do no harm: least squares by singular values, or a sparse saddle system while
// it is regular.

#include "equations/consistent.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum { ITERATIONS = 80, NEWTON_STEPS = 40, DENSE_SIZE = 500, SVD_SIZE = 600 };

// --- values ------------------------------------------------------------------------------------

rh_status rh__demand_look(rh_settling *settling, rh_demand *demand)
{
    const uint32_t count = demand->recipe.count;
    const rh_mark mark = rh__arena_mark(&settling->scratch);
    double *values = rh__arena_array(&settling->scratch, double, count);
    if (values == NULL) {
        return settling->scratch.status;
    }
    RH_TRY(rh__point_values(&settling->point, &demand->recipe, &settling->scratch, values));
    demand->found = values[0] - demand->aim;
    demand->scale = 0.0;
    demand->floor = 0.0;
    for (uint32_t k = 1; k < count; k++) {
        const rh_expr symbol = demand->partials.data[k - 1].symbol;
        const uint32_t slot = rh__layout_slot(settling->layout, symbol);
        demand->scale += fabs(values[k] * rh__point_get(&settling->point, symbol));
        demand->floor += fabs(values[k]) * rh__settling_size(settling, slot);
    }
    rh__arena_rewind(&settling->scratch, mark);
    return RH_OK;
}

// Without looking at what is no number.
static double larger(double a, double b)
{
    return b > a ? b : a;
}

// Variables are weighed by their masses, so that their units do not count.
static rh_status weigh(rh_settling *settling)
{
    const rh_equations *equations = settling->equations;
    const uint32_t slots = settling->layout->symbols.count;
    const uint32_t count = equations->carriers.count;
    if (settling->weight == NULL) {
        settling->weight = rh__arena_array(&settling->keep, double, (size_t)slots + 1);
    }
    const rh_mark mark = rh__arena_mark(&settling->scratch);
    rh_expr *roots = rh__arena_array(&settling->scratch, rh_expr, (size_t)count + 1);
    double *masses = rh__arena_array(&settling->scratch, double, (size_t)count + 1);
    if (settling->weight == NULL || roots == NULL || masses == NULL) {
        return settling->weight == NULL ? settling->keep.status : settling->scratch.status;
    }
    for (uint32_t k = 0; k < slots; k++) {
        settling->weight[k] = 1.0;
    }
    for (uint32_t k = 0; k < count; k++) {
        const rh_expr mass = rh__grid_at(&equations->inertia, k, k);
        roots[k] = mass.i != 0 ? mass : rh__expr_integer(equations->store, 1);
    }
    RH_TRY(rh__point_evaluate(&settling->point, roots, count, &settling->scratch, masses));
    for (uint32_t k = 0; k < count; k++) {
        const rh_carrier *carrier = &equations->carriers.data[k];
        const uint32_t own[] = {rh__layout_slot(settling->layout, carrier->variable),
                                rh__layout_slot(settling->layout, carrier->position)};
        const double weight = 1.0 / sqrt(fabs(masses[k]));
        for (uint32_t i = 0; i < 2; i++) {
            if (own[i] != UINT32_MAX && isfinite(weight) && weight > 0.0) {
                settling->weight[own[i]] = weight;
            }
        }
    }
    rh__arena_rewind(&settling->scratch, mark);
    return RH_OK;
}

// Which of the sizes a slot has; 3: none.
static uint32_t kind_of(const rh_settling *settling, uint32_t slot)
{
    const uint32_t role = settling->roles[slot];
    return (role & RH_ROLE_COORD) != 0      ? 0
           : (role & RH_ROLE_VELOCITY) != 0 ? 1
           : (role & RH_ROLE_STATE) != 0    ? 2
                                            : 3;
}

double rh__settling_size(const rh_settling *settling, uint32_t slot)
{
    const uint32_t kind = slot != UINT32_MAX ? kind_of(settling, slot) : 3;
    return kind < 3 ? settling->size[kind] * settling->weight[slot] : settling->size[0];
}

// How large coordinates, velocities and states are in this system, by their weights; 1 when all are
// zero.
static rh_status measure_sizes(rh_settling *settling)
{
    RH_TRY(weigh(settling));
    memset(settling->size, 0, sizeof settling->size);
    for (uint32_t k = 0; k < settling->layout->symbols.count; k++) {
        const uint32_t kind = kind_of(settling, k);
        if (kind < 3) {
            double *size = &settling->size[kind];
            *size = larger(*size, fabs(settling->draft[k]) / settling->weight[k]);
            *size = larger(*size, fabs(settling->point.values[k]) / settling->weight[k]);
        }
    }
    for (uint32_t k = 0; k < 3; k++) {
        settling->size[k] = settling->size[k] > 0.0 ? settling->size[k] : 1.0;
    }
    return RH_OK;
}

rh_status rh__settling_look(rh_settling *settling)
{
    RH_TRY(measure_sizes(settling));
    for (uint32_t k = 0; k < settling->demands.count; k++) {
        RH_TRY(rh__demand_look(settling, &settling->demands.data[k]));
    }
    return RH_OK;
}

bool rh__demand_is_met(const rh_demand *demand)
{
    return fabs(demand->found) <= 1e-9 * demand->scale + 1e-12 * demand->floor;
}

bool rh__demand_moves(const rh_settling *settling, const rh_demand *demand)
{
    bool moves = false;
    for (uint32_t k = 0; !moves && k < demand->partials.count; k++) {
        const uint32_t slot = rh__layout_slot(settling->layout, demand->partials.data[k].symbol);
        moves = slot != UINT32_MAX && settling->is_moving[slot];
    }
    return moves;
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

// The unknown that belongs to a carrier in this stage, + 1: its position or its velocity.
static uint32_t unknown_of(const rh_settling_stage *on, uint32_t carrier)
{
    const rh_carrier *it = &on->settling->equations->carriers.data[carrier];
    const uint32_t variable = rh__layout_slot(on->settling->layout, it->variable);
    const uint32_t position = rh__layout_slot(on->settling->layout, it->position);
    if (on->place[variable] != 0) {
        return on->place[variable];
    }
    return position != UINT32_MAX ? on->place[position] : 0;
}

static bool collect_entries(rh_settling_stage *on)
{
    rh_settling *settling = on->settling;
    const rh_grid *inertia = &settling->equations->inertia;
    size_t most = (size_t)inertia->entries.count + on->demand_count;
    for (uint32_t k = 0; k < on->demand_count; k++) {
        most += on->demands[k]->partials.count;
    }
    on->roots = rh__arena_array(on->arena, rh_expr, most + 1);
    on->row = rh__arena_array(on->arena, uint32_t, most + 1);
    on->column = rh__arena_array(on->arena, uint32_t, most + 1);
    on->values = rh__arena_array(on->arena, double, most + 1);
    on->step = rh__arena_array(on->arena, double, (size_t)on->count + 1);
    on->last = rh__arena_array(on->arena, double, (size_t)on->count + 1);
    on->kept = rh__arena_array(on->arena, double, (size_t)on->count + 1);
    if (on->roots == NULL || on->row == NULL || on->column == NULL || on->values == NULL ||
        on->step == NULL || on->last == NULL || on->kept == NULL) {
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
    for (uint32_t k = 0; k < inertia->entries.count; k++) {
        const uint32_t row = unknown_of(on, inertia->entries.data[k].row);
        const uint32_t column = unknown_of(on, inertia->entries.data[k].column);
        const bool is_state =
            inertia->entries.data[k].row >= settling->equations->coordinate_count ||
            inertia->entries.data[k].column >= settling->equations->coordinate_count;
        if (row != 0 && column != 0 && !is_state) {
            on->roots[at] = inertia->entries.data[k].value;
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

// --- steps ---------------------------------------------------------------------------------------

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

// -g, and for the nearest solution + J (x - x0).
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
}

// Massless directions and states have the metric 1.
static void fill_metric(const rh_settling_stage *on, double *metric)
{
    const uint32_t n = on->count;
    for (uint32_t k = on->jacobian_count; k < on->jacobian_count + on->metric_count; k++) {
        metric[on->row[k] + (size_t)on->column[k] * n] += on->values[k];
    }
    for (uint32_t k = 0; k < n; k++) {
        double size = 0.0;
        for (uint32_t i = 0; i < n; i++) {
            size = fmax(size, fabs(metric[i + (size_t)k * n]));
        }
        metric[k + (size_t)k * n] = size == 0.0 ? 1.0 : metric[k + (size_t)k * n];
    }
}

static rh_status step_dense(rh_settling_stage *on, const double *right, double *step)
{
    rh_arena *scratch = &on->settling->scratch;
    double *metric = rh__arena_array(scratch, double, (size_t)on->count * on->count + 1);
    double *matrix = rh__arena_array(scratch, double, (size_t)on->demand_count * on->count + 1);
    if (metric == NULL || matrix == NULL) {
        return scratch->status;
    }
    fill_metric(on, metric);
    for (uint32_t k = 0; k < on->jacobian_count; k++) {
        matrix[on->row[k] + (size_t)on->column[k] * on->demand_count] += on->values[k];
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

// `soft`, relative to J^2, on the diagonal of the demands makes redundant rows harmless; variables
// without mass get a unit.
static void fill_values(const rh_settling_stage *on, double soft, bool *has_mass, double *value)
{
    const uint32_t n = on->count;
    double largest = 0.0;
    uint32_t at = 0;
    for (uint32_t k = 0; k < on->jacobian_count; k++) {
        value[at] = value[at + 1] = on->values[k];
        at += 2;
        largest = fmax(largest, fabs(on->values[k]));
    }
    for (uint32_t k = on->jacobian_count; k < on->jacobian_count + on->metric_count; k++) {
        value[at++] = on->values[k];
        has_mass[on->row[k]] = has_mass[on->row[k]] || on->values[k] != 0.0;
    }
    for (uint32_t k = 0; k < n + on->demand_count; k++) {
        value[at++] = k >= n ? -soft * largest * largest : has_mass[k] ? 0.0 : 1.0;
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
    bool *has_mass = rh__arena_array(scratch, bool, (size_t)n + 1);
    if (value == NULL || whole == NULL || has_mass == NULL) {
        return scratch->status;
    }
    fill_values(on, soft, has_mass, value);
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
        find_right(on, is_nearest, right);
        RH_TRY(find_step(on, right, on->step));
        *out_size = 0.0;
        for (uint32_t k = 0; k < on->count; k++) {
            const uint32_t slot = on->slots[k];
            const double from = settling->point.values[slot];
            on->step[k] += is_nearest ? settling->draft[slot] - from : 0.0;
            const double size = fabs(on->step[k]) / (1.0 + fabs(from + on->step[k]));
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

static void keep(rh_settling_stage *on)
{
    for (uint32_t k = 0; k < on->count; k++) {
        on->kept[k] = on->settling->point.values[on->slots[k]];
    }
}

static void go_back(rh_settling_stage *on)
{
    for (uint32_t k = 0; k < on->count; k++) {
        on->settling->point.values[on->slots[k]] = on->kept[k];
    }
}

// The length of g.
static double measured(const rh_settling_stage *on)
{
    return rh__vector_norm(on->demand_count, on->values + on->jacobian_count + on->metric_count);
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
        if (size < 1e-12 && size >= before) {
            return RH_OK;
        }
        before = size;
    }
    return RH_OK;
}

// Aitken's rule: with the share s the steps r, r' followed each other; a share of
// -s r.(r' - r)/|r' - r|^2 would have made r' the shortest.
static double next_share(const rh_settling_stage *on, double share)
{
    double product = 0.0;
    double square = 0.0;
    for (uint32_t k = 0; k < on->count; k++) {
        const double change = on->step[k] - on->last[k];
        product += on->last[k] * change;
        square += change * change;
    }
    const double next = square > 0.0 ? -share * product / square : share;
    return fmin(fmax(next, 0x1p-20), 16.0);
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
            keep(on);
        }
        // done, or no longer getting better
        if (!isfinite(size) || size < 1e-15 || (size < 1e-12 && size >= best)) {
            break;
        }
        best = fmin(best, size);
        share = k > 0 ? next_share(on, share) : share;
        memcpy(on->last, on->step, on->count * sizeof *on->last);
        go(on, share);
        RH_TRY(restore(on, &rests));
        if (!rests) {
            break;
        }
    }
    go_back(on);
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
    RH_TRY(restore(on, &rests));
    return rests && !on->settling->is_loose && !on->is_isolated ? come_nearer(on) : RH_OK;
}

rh_status rh__settling_solve(rh_settling *settling)
{
    const rh_mark mark = rh__arena_mark(&settling->scratch);
    rh_settling_stage fresh = {.is_there = false};
    rh_settling_stage *on = NULL;
    RH_TRY(measure_sizes(settling));
    RH_TRY(find_stage(settling, &fresh, &on));
    const rh_status status = solve(on);
    rh__klu_destroy(&on->klu); // it stands on the pattern in `scratch`
    if (status == RH_OK) {
        rh__arena_rewind(&settling->scratch, mark);
    }
    return status;
}
