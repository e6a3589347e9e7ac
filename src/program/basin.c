// SPDX-License-Identifier: Apache-2.0
// A proof for a Lyapunov function of the caller's, V(z, t), over a box. Near zero V and -V' have
// positive definite second derivatives in balls, while V, its derivatives and the laws vanish at
// zero: both are no smaller than a multiple of |z|^2 there. Elsewhere the region is halved again
// and again until V > 0 and V' < 0 in every cell. z and the state are taken for independent: what
// is proved is more than is needed.

#include "program/program.h"

#include "proof/proof.h"

#include <math.h>
#include <string.h>

enum { BITS = 64, DEPTH = 1000, MOST_VARIABLES = 12, MOST = RH_PROGRAM_DIMENSIONS };

typedef struct basin {
    rh_program *program;
    rh_expr value, rate;
    rh_expr symbols[MOST]; // z, then what else the rate holds
    uint32_t n, count;     // of z, of all
    double low[MOST], high[MOST];
    double inner[MOST]; // half widths of the neighbourhood of zero, of z
    const double *cell_low, *cell_high;
    rh_enclosure *near, *far; // second derivatives and what they are made of; V and V'
    uint32_t near_count;
    rh_balls *near_balls, *far_balls, *matrix;
    const char *lack;
} basin;

// --- expressions --------------------------------------------------------------------------------

static rh_expr rate_of(basin *it)
{
    rh_program *program = it->program;
    rh_store *store = program->store;
    const rh_expr time = rh__expr_symbol(store, program->equations->model->time, 0);
    rh_expr sum = rh__expr_differentiate(store, it->value, time);
    for (uint32_t k = 0; k < program->laws.count; k++) {
        const rh_program_law *law = &program->laws.data[k];
        for (uint32_t p = 0; p < law->order; p++) {
            const rh_expr rate =
                p + 1 < law->order ? program->symbols[law->first + p + 1] : law->law;
            const rh_expr slope =
                rh__expr_differentiate(store, it->value, program->symbols[law->first + p]);
            sum = sum.i != 0 && slope.i != 0
                      ? rh__expr_add(store, sum, rh__expr_multiply(store, slope, rate))
                      : RH_EXPR_NONE;
        }
    }
    return sum.i != 0 ? rh__program_exact(program, rh__derive_fold(program->equations, sum)) : sum;
}

// V and its derivatives by z vanish on the program, and so do the laws.
static rh_status look_at_zero(basin *it)
{
    rh_program *program = it->program;
    bool is_zero = true;
    RH_TRY(rh__program_prove_zero(program, rh__program_on(program, it->value), &is_zero));
    it->lack = is_zero ? it->lack : "it is not proved that the function is 0 on the program";
    for (uint32_t k = 0; it->lack == NULL && k < program->size; k++) {
        const rh_expr slope =
            rh__expr_differentiate(program->store, it->value, program->symbols[k]);
        if (slope.i == 0) {
            return rh__program_refused(program);
        }
        RH_TRY(rh__program_prove_zero(program, rh__program_on(program, slope), &is_zero));
        it->lack = is_zero ? NULL
                           : "it is not proved that the derivatives of the function are 0 on the "
                             "program";
    }
    for (uint32_t k = 0; k < program->laws.count; k++) {
        if (program->laws.data[k].vanishing != RH_VANISHING_PROVED) {
            it->lack = "it is not proved that the laws vanish on the program";
        }
    }
    return RH_OK;
}

// --- the region ---------------------------------------------------------------------------------

static void start_ball(void *user, const rh_store *store, rh_expr symbol, rh_balls *out, uint32_t k)
{
    const rh_program *program = user;
    for (uint32_t j = 0; j < program->box.count; j++) {
        const rh_program_range *range = &program->box.data[j];
        if (range->symbol.i == symbol.i) {
            rh__balls_set_interval(out, k, (rh_interval){range->low, range->high});
            return;
        }
    }
    rh__balls_set_double(out, k, rh__point_value(&program->start.point, store, symbol));
}

// All that a level of a constraint holds has a range.
static rh_status check_ranges(basin *it, rh_expr level)
{
    rh_program *program = it->program;
    rh_expr_list symbols = {0};
    if (!rh__expr_symbols(program->store, level, RH_EXPR_VARIABLE, &program->scratch, &symbols)) {
        return rh__program_refused(program);
    }
    for (uint32_t s = 0; it->lack == NULL && s < symbols.count; s++) {
        bool is_ranged = false;
        for (uint32_t j = 0; j < program->box.count; j++) {
            is_ranged = is_ranged || program->box.data[j].symbol.i == symbols.data[s].i;
        }
        if (!is_ranged) {
            it->lack = rh__text_print(&program->arena,
                                      "the deviations depend on %s: give its range in the box",
                                      rh__region_name(program, symbols.data[s]));
        }
    }
    return program->arena.status;
}

// The ranges of z over the box.
static rh_status enclose_deviations(basin *it)
{
    rh_program *program = it->program;
    rh_expr *levels = rh__arena_array(&program->scratch, rh_expr, program->size);
    if (levels == NULL) {
        return rh__program_refused(program);
    }
    for (uint32_t k = 0; k < program->laws.count; k++) {
        const rh_program_law *law = &program->laws.data[k];
        for (uint32_t p = 0; p < law->order; p++) {
            RH_TRY(check_ranges(it, program->equations->links.data[law->link].levels[p]));
            levels[law->first + p] =
                rh__program_exact(program, program->equations->links.data[law->link].levels[p]);
        }
    }
    rh_balls *balls = rh__balls_create(&program->scratch, program->size);
    rh_enclosure *enclosure =
        rh__enclosure_create(program->store, levels, program->size, &program->scratch);
    const bool ok = enclosure != NULL && balls != NULL;
    if (ok) {
        rh__enclosure_evaluate(enclosure, start_ball, program, BITS, balls);
    }
    for (uint32_t k = 0; ok && k < program->size; k++) {
        const rh_interval hull = rh__balls_interval(balls, k);
        it->symbols[k] = program->symbols[k];
        it->low[k] = hull.lo;
        it->high[k] = hull.hi;
        if (it->lack == NULL &&
            !(isfinite(hull.lo) && isfinite(hull.hi) && hull.lo < 0.0 && hull.hi > 0.0)) {
            it->lack = "the box does not hold the program with what is around it";
        }
    }
    rh__enclosure_destroy(enclosure);
    rh__balls_destroy(balls);
    return ok ? RH_OK : rh__program_refused(program);
}

// Variables besides z, with their ranges.
static rh_status add_others(basin *it)
{
    rh_program *program = it->program;
    const rh_expr both = rh__expr_add(program->store, it->value, it->rate);
    rh_expr_list symbols = {0};
    if (both.i == 0 ||
        !rh__expr_symbols(program->store, both, RH_EXPR_VARIABLE, &program->scratch, &symbols)) {
        return rh__program_refused(program);
    }
    for (uint32_t s = 0; s < symbols.count && it->lack == NULL; s++) {
        const bool is_own =
            (rh__expr_mask(program->store, symbols.data[s]) & RH_ROLE_DEVIATION) != 0;
        uint32_t j = 0;
        while (j < program->box.count && program->box.data[j].symbol.i != symbols.data[s].i) {
            j++;
        }
        if (!is_own && j < program->box.count && it->count < MOST) {
            it->symbols[it->count] = symbols.data[s];
            it->low[it->count] = program->box.data[j].low;
            it->high[it->count++] = program->box.data[j].high;
        } else if (!is_own) {
            it->lack = rh__text_print(&program->arena,
                                      "the rate of the function depends on %s: give its range in "
                                      "the box",
                                      rh__region_name(program, symbols.data[s]));
        }
    }
    return program->arena.status;
}

// --- cells --------------------------------------------------------------------------------------

static void ball_of(void *user, const rh_store *store, rh_expr symbol, rh_balls *out, uint32_t k)
{
    const basin *it = user;
    for (uint32_t j = 0; j < it->count; j++) {
        if (it->symbols[j].i == symbol.i) {
            rh__balls_set_interval(out, k, (rh_interval){it->cell_low[j], it->cell_high[j]});
            return;
        }
    }
    rh__balls_set_double(out, k, rh__point_value(&it->program->start.point, store, symbol));
}

// Expressions near zero: V, V', their gradients, their second derivatives, row by row.
static bool make_near(basin *it)
{
    rh_program *program = it->program;
    const uint32_t n = it->n;
    const rh_expr both[2] = {it->value, it->rate};
    it->near_count = 2 * (1 + n + n * n);
    rh_expr *all = rh__arena_array(&program->scratch, rh_expr, it->near_count);
    bool ok = all != NULL;
    for (uint32_t f = 0; ok && f < 2; f++) {
        rh_expr *at = all + f * (1 + n + n * n);
        at[0] = both[f];
        for (uint32_t i = 0; ok && i < n; i++) {
            at[1 + i] = rh__expr_differentiate(program->store, both[f], it->symbols[i]);
            for (uint32_t j = 0; ok && at[1 + i].i != 0 && j < n; j++) {
                at[1 + n + i * n + j] =
                    rh__expr_differentiate(program->store, at[1 + i], it->symbols[j]);
                ok = at[1 + n + i * n + j].i != 0;
            }
            ok = ok && at[1 + i].i != 0;
        }
    }
    it->near =
        ok ? rh__enclosure_create(program->store, all, it->near_count, &program->scratch) : NULL;
    it->far = rh__enclosure_create(program->store, both, 2, &program->scratch);
    it->near_balls = rh__balls_create(&program->scratch, it->near_count);
    it->far_balls = rh__balls_create(&program->scratch, 2);
    it->matrix = rh__balls_create(&program->scratch, n * n + 1);
    return it->near != NULL && it->far != NULL && it->near_balls != NULL && it->far_balls != NULL &&
           it->matrix != NULL;
}

// Over the cell: both matrices are definite, and all they are made of is smooth.
static bool is_curved(basin *it)
{
    const uint32_t n = it->n;
    bool ok = true;
    rh__enclosure_evaluate(it->near, ball_of, it, BITS, it->near_balls);
    for (uint32_t k = 0; ok && k < it->near_count; k++) {
        ok = rh__balls_is_finite(it->near_balls, k);
    }
    for (uint32_t f = 0; ok && f < 2; f++) {
        for (uint32_t k = 0; k < n * n; k++) {
            rh__balls_set_double(it->matrix, k, 0.0);
            rh__balls_combine(it->matrix, k, f == 0 ? RH_BALL_ADD : RH_BALL_SUBTRACT, it->matrix, k,
                              it->near_balls, f * (1 + n + n * n) + 1 + n + k, BITS);
        }
        ok = rh__balls_is_definite(n, it->matrix, BITS);
    }
    return ok;
}

static bool is_descending(basin *it)
{
    rh__enclosure_evaluate(it->far, ball_of, it, BITS, it->far_balls);
    return rh__balls_is_positive(it->far_balls, 0) && rh__balls_is_negative(it->far_balls, 1);
}

static bool is_inside(const basin *it)
{
    bool inside = true;
    for (uint32_t k = 0; k < it->n; k++) {
        inside = inside && it->cell_low[k] >= -it->inner[k] && it->cell_high[k] <= it->inner[k];
    }
    return inside;
}

// Halve the last cell of the stack along its longest side, as a share of the region; those of z
// stay as they are near zero.
static bool halve(const basin *it, double *low, double *high, bool is_near)
{
    uint32_t longest = it->count;
    double length = 0.0;
    for (uint32_t k = is_near ? it->n : 0; k < it->count; k++) {
        const double share = (high[k] - low[k]) / (it->high[k] - it->low[k]);
        if (share > length) {
            longest = k;
            length = share;
        }
    }
    if (longest == it->count || length < 1e-9) {
        return false;
    }
    memcpy(low + it->count, low, it->count * sizeof *low);
    memcpy(high + it->count, high, it->count * sizeof *high);
    high[longest] = low[it->count + longest] = low[longest] + (high[longest] - low[longest]) / 2.0;
    return true;
}

// All cells of the region, or of what is near zero.
static bool prove_cells(basin *it, double *low, double *high, bool is_near, uint64_t most)
{
    const uint32_t d = it->count;
    uint64_t tries = 0;
    uint32_t count = 1;
    for (uint32_t k = 0; k < d; k++) {
        const bool is_inner = is_near && k < it->n;
        low[k] = is_inner ? -it->inner[k] : it->low[k];
        high[k] = is_inner ? it->inner[k] : it->high[k];
    }
    while (count > 0 && tries < most && !(tries % 16 == 0 && rh__program_is_enough(it->program))) {
        it->cell_low = low + (size_t)(count - 1) * d;
        it->cell_high = high + (size_t)(count - 1) * d;
        tries++;
        if (is_near ? is_curved(it) : is_inside(it) || is_descending(it)) {
            count--;
            it->program->trial.cell_count++;
        } else if (count == DEPTH || !halve(it, low + (size_t)(count - 1) * d,
                                            high + (size_t)(count - 1) * d, is_near)) {
            return false;
        } else {
            count++;
        }
    }
    return count == 0;
}

static rh_status prove(basin *it)
{
    static const double SHARES[] = {0.5, 0.125, 0x1p-6, 0x1p-10};
    rh_program *program = it->program;
    double *low = rh__arena_array(&program->scratch, double, 2 * (size_t)it->count * (DEPTH + 1));
    if (low == NULL || !make_near(it)) {
        return rh__program_refused(program);
    }
    double *high = low + (size_t)it->count * (DEPTH + 1);
    bool is_near = false;
    for (size_t k = 0; !is_near && k < sizeof SHARES / sizeof *SHARES; k++) {
        for (uint32_t i = 0; i < it->n; i++) {
            it->inner[i] = SHARES[k] * fmin(-it->low[i], it->high[i]);
        }
        is_near = prove_cells(it, low, high, true, 2000);
    }
    if (!is_near) {
        it->lack = "near zero the function and its rate were not proved to grow and to fall as "
                   "|z|^2";
    } else if (!prove_cells(it, low, high, false, program->def.cell_limit)) {
        it->lack = "away from zero it was not proved everywhere that the function is positive and "
                   "decreases";
    }
    it->lack = program->summary.is_interrupted ? "the proof was interrupted" : it->lack;
    return RH_OK;
}

rh_status rh__basin_prove(rh_program *program, rh_expr value, const char **out_lack)
{
    const uint32_t others = RH_ROLE_COORD | RH_ROLE_VELOCITY | RH_ROLE_STATE | RH_ROLE_INPUT;
    basin it = {.program = program, .value = value, .n = program->size, .count = program->size};
    const rh_mark mark = rh__arena_mark(&program->scratch);
    rh_status status = RH_OK;
    if ((rh__expr_mask(program->store, value) & others) != 0) {
        it.lack = "a proof wants a function of deviations and the time alone";
    } else if (program->size > MOST_VARIABLES) {
        it.lack = "there are too many deviations for a proof";
    } else {
        status = look_at_zero(&it);
    }
    if (status == RH_OK && it.lack == NULL) {
        it.rate = rate_of(&it);
        status = it.rate.i != 0 ? enclose_deviations(&it) : rh__program_refused(program);
    }
    if (status == RH_OK && it.lack == NULL) {
        status = add_others(&it);
    }
    if (status == RH_OK && it.lack == NULL) {
        status = prove(&it);
    }
    rh__enclosure_destroy(it.near);
    rh__enclosure_destroy(it.far);
    rh__balls_destroy(it.near_balls);
    rh__balls_destroy(it.far_balls);
    rh__balls_destroy(it.matrix);
    rh__arena_rewind(&program->scratch, mark);
    *out_lack = it.lack;
    return status;
}
