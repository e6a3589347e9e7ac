// SPDX-License-Identifier: Apache-2.0
// Cells: the surfaces on which a state lies part its neighbourhood. There is a linear part only if
// rates and slopes are the same in all cells, on the surfaces between them and at the state itself:
// f(x) = A (x - x0) + o(|x - x0|) however x comes near, so that a quadratic function of Lyapunov or
// Chetaev decides for motions in cells, on surfaces and for those that slide. Else roots of one
// cell decide nothing but this: where a real root is positive and its direction leads into the
// cell, or where the rate at the state does, motions stay in it and leave the state (theory 5).
//
// Directions are chosen by the signs that surfaces shall have: -, 0 and + in all combinations of a
// few, at random for more.

#include "steady/steady.h"

#include <float.h>
#include <math.h>
#include <string.h>

#define ASIDE 1e-6    // from the state, in units of |z| and the size of z
#define NARROW 0.0625 // of that: once more
#define GRAIN 1e-7    // of |z|: rounding must not show in a step
#define ROUNDED 1e-12 // a gap that is none
#define GRAZING 1e-3  // beside a surface, along it
#define ALIKE 1e-6    // gaps between cells that are none
#define INSIDE 1e-3   // of a direction, off all surfaces
#define CLEAR 1e-3    // of a positive root, beside its size and the pace
enum { ALL_SIGNS = 4, SEED = 1917 };

typedef struct parting {
    rh_workbench *bench;
    const rh_kink_query *query;
    uint32_t count;       // of surfaces
    uint32_t *surface;    // which they are
    double *normals;      // count x moving: of length one in units of |z| and the size of z
    double *from;         // by slot: the state
    double *values;       // outputs at the state
    double *slopes;       // there
    double *cell_values;  // rates at the state as the first cell has them
    double *cell_slopes;  // and slopes; both of the first open cell
    double *direction;    // by moving slot, in these units
    double *target, *sum; // by surface
    bool *is_right;       // by surface: the side of the cell at hand
    rh_svd svd;           // of the normals
    uint32_t rank;
    rh_random random;
    bool has_cell, is_one; // an open cell was seen; all of them are alike
} parting;

static double unit_of(const parting *on, uint32_t moving)
{
    const rh_reduction *reduction = on->bench->reduction;
    const uint32_t slot = reduction->moving[moving];
    const double size = rh__engine_size(&reduction->engine, slot, on->from[slot]);
    return fmax(size, GRAIN * fabs(on->from[slot]));
}

// --- directions ----------------------------------------------------------------------------------

// The normal of a surface; false: it has none.
static bool find_normal(parting *on, uint32_t surface)
{
    const rh_reduction *reduction = on->bench->reduction;
    const size_t outputs = reduction->slopes.output_count;
    const uint32_t output = reduction->engine.switch_first + surface;
    double square = 0.0;
    for (uint32_t j = 0; j < reduction->moving_count; j++) {
        const bool is_free = j < reduction->place_count || on->query->moves_dials;
        const double share = is_free ? unit_of(on, j) * on->slopes[output + j * outputs] : 0.0;
        on->direction[j] = share;
        square += share * share;
    }
    for (uint32_t j = 0; square > 0.0 && j < reduction->moving_count; j++) {
        on->normals[on->count + j * (size_t)reduction->engine.switch_count] =
            on->direction[j] / sqrt(square);
    }
    return square > 0.0;
}

// Normals without gaps between the rows, and their singular values.
static rh_status factor_normals(parting *on)
{
    const rh_reduction *reduction = on->bench->reduction;
    const size_t stride = reduction->engine.switch_count;
    for (uint32_t j = 0; j < reduction->moving_count; j++) {
        for (uint32_t k = 0; k < on->count; k++) {
            on->normals[k + (size_t)j * on->count] = on->normals[k + j * stride];
        }
    }
    RH_TRY(rh__svd_create(&on->bench->scratch, on->count, reduction->moving_count, on->normals,
                          &on->svd));
    on->rank = rh__svd_rank(&on->svd, 1e-9);
    return RH_OK;
}

// How much a direction leads across a surface.
static double across(const parting *on, uint32_t k, const double *direction)
{
    double sum = 0.0;
    for (uint32_t j = 0; j < on->bench->reduction->moving_count; j++) {
        sum += on->normals[k + (size_t)j * on->count] * direction[j];
    }
    return sum;
}

static uint32_t count_patterns(const parting *on)
{
    static const uint32_t POWERS[] = {1, 3, 9, 27, 81};
    return on->count <= ALL_SIGNS ? POWERS[on->count] : POWERS[ALL_SIGNS];
}

// The n-th direction: across one surface alone, then with all signs, then along each of them.
static bool choose(parting *on, uint32_t n)
{
    const rh_reduction *reduction = on->bench->reduction;
    const uint32_t singles = 2 * on->count;
    const uint32_t grazes = singles + count_patterns(on);
    if (n >= grazes + singles) {
        return false;
    }
    uint32_t code = n - singles;
    for (uint32_t k = 0; k < on->count; k++) {
        const double share = rh__random_uniform(&on->random, 0.2, 1.0);
        const double any = floor(rh__random_uniform(&on->random, -1.0, 2.0));
        const double sign = on->count <= ALL_SIGNS ? (double)(code % 3) - 1.0 : any;
        const bool is_own = k == (n < singles ? n : n - grazes) / 2;
        const double side = n % 2 == 0 ? 1.0 : -1.0;
        on->target[k] = n < singles  ? (is_own ? side : 0.0)
                        : n < grazes ? sign * share
                        : is_own     ? side * GRAZING
                                     : (any < 0.5 ? -share : share);
        code /= 3;
    }
    for (uint32_t j = 0; j < reduction->moving_count; j++) {
        const bool is_free = j < reduction->place_count || on->query->moves_dials;
        const double push = rh__random_uniform(&on->random, -0.5, 0.5);
        on->direction[j] = n >= singles && is_free ? push : 0.0;
    }
    for (uint32_t k = 0; k < on->count; k++) {
        on->sum[k] = on->target[k] - across(on, k, on->direction);
    }
    double *step = on->sum + on->count;
    rh__svd_solve(&on->svd, on->rank, on->sum, step);
    for (uint32_t j = 0; j < reduction->moving_count; j++) {
        on->direction[j] += step[j];
    }
    return true;
}

// --- looks ---------------------------------------------------------------------------------------

static bool look(parting *on, double length)
{
    const rh_reduction *reduction = on->bench->reduction;
    memcpy(on->bench->values, on->from, reduction->slot_count * sizeof *on->from);
    for (uint32_t j = 0; j < reduction->moving_count; j++) {
        on->bench->values[reduction->moving[j]] += length * unit_of(on, j) * on->direction[j];
    }
    return rh__workbench_slope(on->bench);
}

// What differs from some values and slopes at the state, in units of the rows; values are taken
// back to the state along the slopes.
static double gap_from(const parting *on, double length, const double *values, const double *slopes)
{
    const rh_workbench *bench = on->bench;
    const rh_reduction *reduction = bench->reduction;
    const size_t outputs = reduction->slopes.output_count;
    double gap = 0.0;
    for (uint32_t i = 0; i < on->query->row_count; i++) {
        double rise = 0.0;
        for (uint32_t j = 0; j < reduction->moving_count; j++) {
            const double unit = unit_of(on, j);
            const double slope = bench->jacobian[i + j * outputs];
            gap = fmax(gap, fabs(slope - slopes[i + j * outputs]) * unit / reduction->typical[i]);
            rise += slope * length * unit * on->direction[j];
        }
        gap = fmax(gap, fabs(bench->outputs[i] - rise - values[i]) / reduction->typical[i]);
    }
    return gap;
}

// Is there a gap that does not close nearer to the state, and is no rounding?
static bool has_gap(parting *on)
{
    const double wide = look(on, ASIDE) ? gap_from(on, ASIDE, on->values, on->slopes) : INFINITY;
    const double narrow =
        look(on, NARROW * ASIDE) ? gap_from(on, NARROW * ASIDE, on->values, on->slopes) : INFINITY;
    return narrow > ROUNDED && !(narrow <= 0.5 * wide);
}

// --- motions that leave --------------------------------------------------------------------------

// Does a direction lead into the cell at hand, off all of its surfaces? They are looked at there:
// one that is made of others (the lesser of two absolute values) has no normal of its own.
static bool leads_in(parting *on, const double *direction)
{
    const rh_workbench *bench = on->bench;
    const rh_reduction *reduction = bench->reduction;
    const size_t outputs = reduction->slopes.output_count;
    const double length = rh__vector_norm(reduction->moving_count, direction);
    bool is_in = length > 0.0;
    for (int pass = 0; is_in && pass < 2; pass++) {
        const double far = (pass == 0 ? 1.0 : NARROW) * ASIDE;
        memcpy(bench->values, on->from, reduction->slot_count * sizeof *on->from);
        for (uint32_t j = 0; j < reduction->moving_count; j++) {
            bench->values[reduction->moving[j]] += far * unit_of(on, j) * direction[j] / length;
        }
        is_in = rh__workbench_slope(on->bench);
        for (uint32_t k = 0; is_in && k < on->count; k++) {
            const uint32_t output = reduction->engine.switch_first + on->surface[k];
            double reach = 0.0;
            for (uint32_t j = 0; j < reduction->moving_count; j++) {
                reach += fabs(bench->jacobian[output + j * outputs]) * unit_of(on, j);
            }
            const double side = on->is_right[k] ? bench->outputs[output] : -bench->outputs[output];
            is_in = side > INSIDE * far * reach;
        }
    }
    return is_in;
}

// The rates at the state, as the cell at hand has them, lead into it.
static bool has_leaving_rate(parting *on, bool *out_is_still)
{
    const rh_workbench *bench = on->bench;
    const rh_reduction *reduction = bench->reduction;
    const size_t outputs = reduction->slopes.output_count;
    double *direction = on->sum + on->count;
    memset(direction, 0, reduction->moving_count * sizeof *direction);
    *out_is_still = true;
    for (uint32_t k = 0; k < reduction->y_count; k++) {
        const uint32_t rate = reduction->place[k] - 1;
        double value = bench->outputs[rate];
        for (uint32_t j = 0; j < reduction->moving_count; j++) {
            value -= bench->jacobian[rate + j * outputs] * NARROW * ASIDE * unit_of(on, j) *
                     on->direction[j];
        }
        *out_is_still = *out_is_still && fabs(value) <= ALIKE * NARROW * reduction->typical[rate];
        direction[k] = value / (unit_of(on, k) * reduction->engine.pace);
    }
    return !*out_is_still && leads_in(on, direction);
}

// The direction of a real root of a matrix in the variables of a judgement.
static rh_status find_direction(parting *on, const rh_judgement *it, double root)
{
    rh_arena *arena = &on->bench->scratch;
    const uint32_t n = it->size;
    const uint32_t places = on->bench->reduction->place_count;
    const rh_mark mark = rh__arena_mark(arena);
    double *a = rh__arena_array(arena, double, (size_t)n *n + 2 * (size_t)n + 1);
    RH_TRY(a == NULL ? arena->status : RH_OK);
    double *balance = a + (size_t)n * n;
    rh__judge_balance(on->bench->reduction, n, it->slots, it->matrix, balance, a);
    for (uint32_t k = 0; k < n; k++) {
        a[k + (size_t)k * n] -= root;
    }
    rh_svd svd;
    double *direction = on->sum + on->count;
    RH_TRY(rh__svd_create(arena, n, n, a, &svd));
    memset(direction, 0, on->bench->reduction->moving_count * sizeof *direction);
    for (uint32_t k = 0; k < n; k++) {
        const double share = svd.v[k + (size_t)(n - 1) * n] * balance[k];
        for (uint32_t j = 0; j < places; j++) {
            direction[j] += share * it->tangent[j + (size_t)k * places] / unit_of(on, j);
        }
    }
    rh__arena_rewind(arena, mark);
    return RH_OK;
}

// Roots of the linear part on the bench: one that is positive and leads into the cell; or any on
// the right of the axis, where all cells are one.
static rh_status ask_roots(parting *on, rh_kink *out)
{
    rh_arena *arena = &on->bench->scratch;
    const rh_reduction *reduction = on->bench->reduction;
    rh_judgement it;
    RH_TRY(rh__judgement_reserve(reduction, arena, &it));
    RH_TRY(rh__judge_linear(on->bench, &it));
    const uint32_t n = it.size;
    double *balanced = rh__arena_array(arena, double, (size_t)n *n + n + 1);
    RH_TRY(balanced == NULL ? arena->status : RH_OK);
    rh__judge_balance(reduction, n, it.slots, it.matrix, balanced + (size_t)n * n, balanced);
    rh_matrix_size size = {.norm = rh__vector_norm((size_t)n * n, balanced),
                           .pace = reduction->engine.pace};
    RH_TRY(rh__bars_find(arena, n, balanced, size, it.roots));
    for (uint32_t k = 0; k < n && !out->is_left; k++) {
        const rh_steady_root *root = &it.roots[k];
        const double far = hypot(root->real, root->imaginary);
        if (!(root->real > fmax(root->bar, CLEAR * (reduction->engine.pace + far)))) {
            continue;
        }
        if (!on->is_one && root->imaginary == 0.0) {
            RH_TRY(find_direction(on, &it, root->real));
            double *direction = on->sum + on->count;
            out->is_left = leads_in(on, direction);
            for (uint32_t j = 0; j < reduction->moving_count; j++) {
                direction[j] = -direction[j];
            }
            out->is_left = out->is_left || leads_in(on, direction);
        }
        out->is_left = out->is_left || on->is_one;
        out->has_root = out->is_left;
        out->root = root->real;
        out->other = fabs(root->imaginary);
    }
    return RH_OK;
}

// The cell in which the last look was: is it open, and do motions leave in it?
static rh_status ask_cell(parting *on, bool is_last, rh_kink *out)
{
    const rh_reduction *reduction = on->bench->reduction;
    const size_t outputs = reduction->slopes.output_count;
    const size_t slopes = outputs * reduction->moving_count;
    for (uint32_t k = 0; k < on->count; k++) {
        const double side = on->bench->outputs[reduction->engine.switch_first + on->surface[k]];
        on->is_right[k] = side > 0.0;
        if (side == 0.0) {
            return RH_OK;
        }
    }
    if (!on->has_cell) {
        memcpy(on->cell_values, on->bench->outputs, outputs * sizeof *on->cell_values);
        memcpy(on->cell_slopes, on->bench->jacobian, slopes * sizeof *on->cell_slopes);
        for (size_t i = 0; i < outputs; i++) {
            for (uint32_t j = 0; j < reduction->moving_count; j++) {
                on->cell_values[i] -= on->bench->jacobian[i + j * outputs] * NARROW * ASIDE *
                                      unit_of(on, j) * on->direction[j];
            }
        }
        on->has_cell = on->is_one = true;
    }
    on->is_one =
        on->is_one && gap_from(on, NARROW * ASIDE, on->cell_values, on->cell_slopes) <= ALIKE;
    bool is_still = true;
    const bool is_one = on->is_one;
    out->is_left = has_leaving_rate(on, &is_still);
    on->is_one = is_one && is_last;
    const bool asks = is_still && !out->is_left && look(on, NARROW * ASIDE);
    const rh_status status = asks ? ask_roots(on, out) : RH_OK;
    on->is_one = is_one;
    return status == RH_E_LIMIT || status == RH_E_ARGUMENT ? RH_OK : status;
}

// --- all of it -----------------------------------------------------------------------------------

static const char *name_of(const parting *on, uint32_t n)
{
    const rh_reduction *reduction = on->bench->reduction;
    uint32_t at = n < 2 * on->count ? n / 2 : 0;
    while (n >= 2 * on->count && at + 1 < on->count && on->target[at] == 0.0) {
        at++;
    }
    return reduction->switch_names[on->surface[at]];
}

static rh_status compare(parting *on, rh_kink *out)
{
    uint32_t last = UINT32_MAX;
    for (uint32_t n = 0; choose(on, n) && (out->name == NULL || !out->is_left); n++) {
        const bool is_apart = has_gap(on);
        if (is_apart && out->name == NULL) {
            out->name = name_of(on, n);
            n = on->query->asks_leaving ? UINT32_MAX : n; // from the beginning, for a proof
        }
        if (out->name != NULL && !on->query->asks_leaving) {
            return RH_OK;
        }
        if (out->name != NULL && n != UINT32_MAX && look(on, NARROW * ASIDE)) {
            RH_TRY(ask_cell(on, false, out));
            last = on->has_cell ? n : last;
        }
    }
    if (out->name != NULL && !out->is_left && last != UINT32_MAX && on->is_one) {
        (void)choose(on, last);
        if (look(on, NARROW * ASIDE)) {
            RH_TRY(ask_cell(on, true, out));
        }
    }
    return RH_OK;
}

static rh_status reserve(parting *on)
{
    const rh_reduction *reduction = on->bench->reduction;
    rh_arena *arena = &on->bench->scratch;
    const size_t outputs = (size_t)reduction->slopes.output_count + 1;
    const size_t moving = (size_t)reduction->moving_count + 1;
    const size_t surfaces = (size_t)reduction->engine.switch_count + 1;
    on->surface = rh__arena_array(arena, uint32_t, surfaces);
    on->is_right = rh__arena_array(arena, bool, surfaces);
    on->normals = rh__arena_array(arena, double, surfaces *moving);
    on->from = rh__arena_array(arena, double, (size_t)reduction->slot_count + 1);
    on->values = rh__arena_array(arena, double, 2 * outputs);
    on->slopes = rh__arena_array(arena, double, 2 * outputs * moving);
    on->direction = rh__arena_array(arena, double, moving);
    on->target = rh__arena_array(arena, double, 2 * surfaces + moving);
    if (on->surface == NULL || on->is_right == NULL || on->normals == NULL || on->from == NULL ||
        on->values == NULL || on->slopes == NULL || on->direction == NULL || on->target == NULL) {
        return arena->status;
    }
    on->cell_values = on->values + outputs;
    on->cell_slopes = on->slopes + outputs * moving;
    on->sum = on->target + surfaces;
    return RH_OK;
}

// Surfaces on which the state lies. One without a normal has no sides that could be compared.
static rh_status list_surfaces(parting *on, rh_kink *out)
{
    const rh_reduction *reduction = on->bench->reduction;
    const uint32_t still = RH_ROLE_PARAM | RH_ROLE_CONSTANT | RH_ROLE_INPUT | RH_ROLE_TIME;
    for (uint32_t k = rh__switches_at(on->bench, 0); k != UINT32_MAX;
         k = rh__switches_at(on->bench, k + 1)) {
        if (find_normal(on, k)) {
            on->surface[on->count++] = k;
        } else if ((rh__expr_mask(reduction->equations->store, reduction->engine.switches.data[k]) &
                    ~still) != 0 &&
                   out->name == NULL) {
            out->name = reduction->switch_names[k];
        }
    }
    return on->count > 0 ? factor_normals(on) : RH_OK;
}

rh_status rh__cells_compare(rh_workbench *bench, const rh_kink_query *query, rh_kink *out)
{
    const rh_reduction *reduction = bench->reduction;
    rh_arena *arena = &bench->scratch;
    const rh_mark mark = rh__arena_mark(arena);
    parting on = {.bench = bench, .query = query, .random = rh__random_begin(SEED)};
    *out = (rh_kink){.name = NULL};
    if (rh__switches_at(bench, 0) == UINT32_MAX) {
        return RH_OK;
    }
    const size_t outputs = reduction->slopes.output_count;
    const size_t slopes = outputs * reduction->moving_count;
    double *kept = rh__arena_array(arena, double, outputs + slopes + 1);
    RH_TRY(kept == NULL ? arena->status : RH_OK);
    memcpy(kept, bench->outputs, outputs * sizeof *kept);
    memcpy(kept + outputs, bench->jacobian, slopes * sizeof *kept);
    RH_TRY(reserve(&on));
    memcpy(on.from, bench->values, reduction->slot_count * sizeof *on.from);
    (void)rh__workbench_slope(bench); // with its rounding, as it is beside it
    memcpy(on.values, bench->outputs, outputs * sizeof *on.values);
    memcpy(on.slopes, bench->jacobian, slopes * sizeof *on.slopes);
    rh_status status = list_surfaces(&on, out);
    if (status == RH_OK && out->name == NULL && on.count > 0) {
        status = compare(&on, out);
    }
    memcpy(bench->values, on.from, reduction->slot_count * sizeof *on.from);
    memcpy(bench->outputs, kept, outputs * sizeof *kept);
    memcpy(bench->jacobian, kept + outputs, slopes * sizeof *kept);
    rh__arena_rewind(arena, mark);
    return status == RH_E_ARGUMENT || status == RH_E_LIMIT ? RH_OK : status;
}
