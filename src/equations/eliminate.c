// SPDX-License-Identifier: Apache-2.0
// Elimination of linear rows with expressions as coefficients (Gauss-Jordan, sparse). Coefficients
// are folded on the way, so that sums of squares of sines and cosines do not pile up.

#include "equations/eliminate.h"

#include <math.h>

#define NONE 1e-6 // of the largest pivot of a row at a sample, below which one is zero there

rh_status rh__elimination_begin(rh_elimination *elimination, uint32_t unknowns, uint32_t columns)
{
    RH_ASSERT(unknowns <= columns);
    rh_arena *scratch = &elimination->forming->scratch;
    elimination->unknown_count = unknowns;
    elimination->column_count = columns;
    elimination->solved = rh__arena_array(scratch, rh_linear, (size_t)unknowns + 1);
    elimination->is_solved = rh__arena_array(scratch, bool, (size_t)unknowns + 1);
    elimination->work = rh__arena_array(scratch, rh_expr, (size_t)columns + 1);
    elimination->touched = rh__arena_array(scratch, uint32_t, (size_t)columns + 1);
    elimination->is_touched = rh__arena_array(scratch, bool, (size_t)columns + 1);
    const bool ok = elimination->solved != NULL && elimination->is_solved != NULL &&
                    elimination->work != NULL && elimination->touched != NULL &&
                    elimination->is_touched != NULL;
    return ok ? RH_OK : scratch->status;
}

// --- a row under work ----------------------------------------------------------------------------

static void add_to(rh_elimination *elimination, uint32_t column, rh_expr value)
{
    RH_ASSERT(column < elimination->column_count);
    rh_store *store = elimination->forming->store;
    if (!elimination->is_touched[column]) {
        elimination->is_touched[column] = true;
        elimination->touched[elimination->touched_count++] = column;
        elimination->work[column] = value;
    } else {
        elimination->work[column] = rh__expr_add(store, elimination->work[column], value);
    }
}

// row += factor * form
static rh_expr add_form(rh_elimination *elimination, const rh_linear *form, rh_expr factor,
                        rh_expr rest)
{
    rh_store *store = elimination->forming->store;
    for (uint32_t k = 0; k < form->terms.count; k++) {
        add_to(elimination, form->terms.data[k].column,
               rh__expr_multiply(store, factor, form->terms.data[k].value));
    }
    return rh__expr_add(store, rest, rh__expr_multiply(store, factor, form->rest));
}

// Take the work back as a form in ascending columns, folded, zeros left out.
static bool take_form(rh_elimination *elimination, rh_linear *out)
{
    rh_forming *forming = elimination->forming;
    uint32_t *touched = elimination->touched;
    for (uint32_t k = 1; k < elimination->touched_count; k++) {
        const uint32_t column = touched[k];
        uint32_t at = k;
        for (; at > 0 && touched[at - 1] > column; at--) {
            touched[at] = touched[at - 1];
        }
        touched[at] = column;
    }
    bool ok = true;
    out->terms.count = 0;
    for (uint32_t k = 0; k < elimination->touched_count; k++) {
        const uint32_t column = touched[k];
        const rh_expr value = rh__derive_fold(forming->equations, elimination->work[column]);
        RH_ASSERT(k == 0 || touched[k - 1] < column); // each once
        elimination->is_touched[column] = false;
        elimination->work[column] = RH_EXPR_NONE;
        const rh_term term = {column, value};
        if (!rh__expr_is_zero(forming->store, value)) {
            ok = ok && rh__forming_refused(forming) == RH_OK &&
                 rh__array_push(&forming->scratch, &out->terms, term);
            elimination->size++;
        }
    }
    elimination->touched_count = 0;
    out->rest = rh__derive_fold(forming->equations, out->rest);
    return ok;
}

// Replace solved unknowns in `row`.
bool rh__elimination_reduce(rh_elimination *elimination, const rh_linear *row, rh_linear *out)
{
    RH_ASSERT(elimination->touched_count == 0 && row != out);
    rh_expr rest = row->rest;
    for (uint32_t k = 0; k < row->terms.count; k++) {
        const rh_term *term = &row->terms.data[k];
        if (term->column < elimination->unknown_count && elimination->is_solved[term->column]) {
            rest = add_form(elimination, &elimination->solved[term->column], term->value, rest);
        } else {
            add_to(elimination, term->column, term->value);
        }
    }
    out->rest = rest;
    return take_form(elimination, out);
}

// --- pivots ------------------------------------------------------------------------------------

// How good a pivot is: 4 for +-1, 3 for another number, 2 for parameters, 1 where it is proved that
// it is never zero, 0 for the rest.
static int grade(const rh_elimination *elimination, rh_expr value)
{
    RH_ASSERT(value.i != 0);
    rh_store *store = elimination->forming->store;
    const rh_model *model = elimination->forming->equations->model;
    int64_t integer = 0;
    if (rh__expr_is_number(store, value)) {
        return rh__expr_as_integer(store, value, &integer) && (integer == 1 || integer == -1) ? 4
                                                                                              : 3;
    }
    if (rh__expr_sign(store, value, rh__values_parameter, &model->values) == 0) {
        return 0;
    }
    return (rh__expr_mask(store, value) & RH_EXPR_VARIABLE) == 0 ? 2 : 1;
}

// A value for every symbol, to compare the sizes of safe pivots.
static double any_value(const void *user, const rh_store *store, rh_expr symbol)
{
    const double given = rh__values_parameter(user, store, symbol);
    const uint64_t bits = rh__hash_mix((uint64_t)symbol.i << 20);
    return isfinite(given) ? given : 0.5 + (double)(bits >> 11) * 0x1p-53;
}

// A pivot times the size of its unknown, a velocity, as given or by its mass: so the units of
// unknowns do not count.
static double size_of(double pivot, double mass, double given)
{
    const double own = 1.0 / sqrt(mass != 0.0 && isfinite(mass) ? fabs(mass) : 1.0);
    const double size = fabs(pivot) * (given > 0.0 ? given : own);
    return isfinite(size) ? size : 0.0;
}

typedef struct candidate {
    int grade;
    double size;
    double near; // of an unsafe one: its size at the second sample
    double unit; // the size of its unknown; 0: its mass tells
} candidate;

// The terms of a row that could be solved for, judged.
typedef struct candidates {
    candidate *data;
    uint32_t *term;
    rh_expr *value; // and the masses of the unknowns behind them
    uint32_t count;
} candidates;

// Pivots and masses, one after the other, to sizes.
static bool find_sizes(rh_elimination *elimination, const candidates *list, const rh_point *point,
                       double *out)
{
    rh_forming *forming = elimination->forming;
    rh_arena *scratch = &forming->scratch;
    const uint32_t count = list->count;
    double *values = rh__arena_array(scratch, double, 2 * (size_t)count + 1);
    if (values == NULL) {
        return false;
    }
    const bool ok =
        point != NULL ? rh__point_evaluate(point, list->value, 2 * count, scratch, values) == RH_OK
                      : rh__expr_values(forming->store, list->value, 2 * count, any_value,
                                        &forming->equations->model->values, scratch, values);
    for (uint32_t k = 0; k < count; k++) {
        out[k] = ok ? size_of(values[k], values[count + k], list->data[k].unit) : 0.0;
    }
    return true;
}

// The size at the start; where it is zero there, a smaller mark for its size near it.
static void join_samples(candidates *list)
{
    double largest[2] = {0.0, 0.0};
    for (uint32_t k = 0; k < list->count; k++) {
        const bool is_unsafe = list->data[k].grade == 0;
        largest[0] = is_unsafe ? fmax(largest[0], list->data[k].size) : largest[0];
        largest[1] = is_unsafe ? fmax(largest[1], list->data[k].near) : largest[1];
    }
    const double unit = largest[0] > 0.0 ? largest[0] : 1.0;
    for (uint32_t k = 0; k < list->count; k++) {
        candidate *it = &list->data[k];
        if (it->grade == 0 && !(it->size > NONE * largest[0])) {
            it->size = it->near > NONE * largest[1] ? 1e-9 * unit * it->near / largest[1] : 0.0;
        }
    }
}

static bool judge(rh_elimination *elimination, candidates *list, rh_arena *arena)
{
    const rh_point *sample = elimination->sample;
    double *sizes = rh__arena_array(arena, double, 3 * (size_t)list->count + 1);
    double *start = sizes != NULL ? sizes + list->count : NULL;
    double *near = sizes != NULL ? start + list->count : NULL;
    if (sizes == NULL || !find_sizes(elimination, list, NULL, sizes) ||
        (sample != NULL && (!find_sizes(elimination, list, &sample[0], start) ||
                            !find_sizes(elimination, list, &sample[1], near)))) {
        return false;
    }
    for (uint32_t k = 0; k < list->count; k++) {
        candidate *it = &list->data[k];
        it->grade = grade(elimination, list->value[k]);
        it->size = it->grade > 0 ? sizes[k] : sample != NULL ? start[k] : 1.0;
        it->near = sample != NULL ? near[k] : 1.0;
    }
    join_samples(list);
    return true;
}

static bool find_candidates(rh_elimination *elimination, const rh_linear *row, rh_arena *arena,
                            candidates *out)
{
    const rh_equations *equations = elimination->forming->equations;
    const size_t room = (size_t)row->terms.count + 1;
    *out = (candidates){.data = rh__arena_array(arena, candidate, room),
                        .term = rh__arena_array(arena, uint32_t, room),
                        .value = rh__arena_array(arena, rh_expr, 2 * room)};
    if (out->data == NULL || out->term == NULL || out->value == NULL) {
        return false;
    }
    for (uint32_t k = 0; k < row->terms.count; k++) {
        if (row->terms.data[k].column < elimination->unknown_count) {
            out->term[out->count] = k;
            out->value[out->count++] = row->terms.data[k].value;
        }
    }
    for (uint32_t k = 0; k < out->count; k++) {
        const uint32_t carrier = row->terms.data[out->term[k]].column;
        RH_ASSERT(!elimination->is_solved[carrier]); // they were replaced
        const rh_expr mass = rh__grid_at(&equations->inertia, carrier, carrier);
        out->value[out->count + k] =
            mass.i != 0 ? mass : rh__expr_integer(elimination->forming->store, 1);
        out->data[k].unit = elimination->sizes != NULL ? elimination->sizes[carrier] : 0.0;
    }
    return judge(elimination, out, arena);
}

// The best one; UINT32_MAX when none may be taken. A pivot much smaller than another safe one is
// not taken for its simplicity.
static uint32_t pick(const candidate *list, uint32_t count, bool may_be_unsafe)
{
    uint32_t best = UINT32_MAX;
    candidate found = {.grade = 0};
    double largest = 0.0;
    for (uint32_t k = 0; k < count; k++) {
        largest = list[k].grade > 0 ? fmax(largest, list[k].size) : largest;
    }
    for (uint32_t k = 0; k < count; k++) {
        const candidate now = list[k];
        const bool may = now.grade > 0 ? now.size >= 0.1 * largest : may_be_unsafe;
        // among unsafe ones the largest at the sample, so that the form is valid there
        const bool is_better =
            best == UINT32_MAX || now.grade > found.grade ||
            (now.grade == found.grade && (now.grade > 0 || now.size >= 1.25 * found.size));
        if (may && is_better && now.size > 0.0) {
            best = k;
            found = now;
        }
    }
    RH_ASSERT(best == UINT32_MAX || best < count);
    return best;
}

// The choice again, for other values of parameters: an rh_choice_of. The grades follow from signs,
// which are noted by themselves.
static int64_t pick_again(const void *data, const double *values, uint32_t count)
{
    RH_ASSERT(count % 2 == 0); // pivots, then masses
    enum { MOST = 64 };
    const candidate *known = data;
    candidate list[MOST];
    for (uint32_t k = 0; 2 * k < count && k < MOST; k++) {
        list[k] = (candidate){.grade = known[k].grade,
                              .size = size_of(values[k], values[count / 2 + k], known[k].unit)};
    }
    return count <= 2 * MOST ? (int64_t)pick(list, count / 2, false) : 0;
}

// Safe pivots are compared by their size for the values of the parameters.
static void note_choice(const rh_elimination *elimination, const candidates *list)
{
    const rh_forming *forming = elimination->forming;
    const rh_model *model = forming->equations->model;
    if (elimination->pivoting == RH_PIVOT_SAFE && list->count > 1) {
        rh__store_note_choice(forming->store, list->value, 2 * list->count, any_value,
                              &model->values, pick_again, list->data,
                              list->count * sizeof *list->data);
    }
}

// The term of the best pivot; UINT32_MAX when none may be taken. `is_empty`: no unknown is left at
// all.
static bool choose(rh_elimination *elimination, const rh_linear *row, bool *is_empty, uint32_t *out)
{
    rh_arena *scratch = &elimination->forming->scratch;
    const rh_mark mark = rh__arena_mark(scratch);
    candidates list;
    const bool ok = find_candidates(elimination, row, scratch, &list);
    const uint32_t best =
        ok ? pick(list.data, list.count, elimination->pivoting == RH_PIVOT_ANY) : UINT32_MAX;
    if (ok) {
        note_choice(elimination, &list);
    }
    *is_empty = list.count == 0;
    *out = best != UINT32_MAX ? list.term[best] : UINT32_MAX;
    rh__arena_rewind(scratch, mark);
    return ok;
}

// --- using a row -------------------------------------------------------------------------------

// unknown = -(rest of the row) / pivot
static bool solve_row(rh_elimination *elimination, const rh_linear *row, uint32_t at)
{
    RH_ASSERT(at < row->terms.count && elimination->touched_count == 0);
    rh_store *store = elimination->forming->store;
    const rh_term pivot = row->terms.data[at];
    const rh_expr factor =
        rh__expr_negate(store, rh__expr_divide(store, rh__expr_integer(store, 1), pivot.value));
    rh_linear *solved = &elimination->solved[pivot.column];
    RH_ASSERT(pivot.column < elimination->unknown_count && !elimination->is_solved[pivot.column]);
    for (uint32_t k = 0; k < row->terms.count; k++) {
        if (k != at) {
            add_to(elimination, row->terms.data[k].column,
                   rh__expr_multiply(store, factor, row->terms.data[k].value));
        }
    }
    *solved = (rh_linear){.rest = rh__expr_multiply(store, factor, row->rest)};
    return take_form(elimination, solved);
}

// Put the newly solved unknown into the forms solved before.
static bool put_back(rh_elimination *elimination, uint32_t unknown)
{
    RH_ASSERT(elimination->is_solved[unknown]);
    bool ok = true;
    for (uint32_t other = 0; ok && other < elimination->unknown_count; other++) {
        rh_linear *form = &elimination->solved[other];
        bool holds = false;
        for (uint32_t k = 0; k < form->terms.count && !holds; k++) {
            holds = form->terms.data[k].column == unknown;
        }
        if (elimination->is_solved[other] && holds) {
            rh_linear replaced = {.rest = RH_EXPR_NONE};
            ok = rh__elimination_reduce(elimination, form, &replaced);
            *form = replaced;
        }
    }
    return ok;
}

rh_status rh__elimination_use(rh_elimination *elimination, const rh_linear *row, rh_eliminated *out)
{
    rh_forming *forming = elimination->forming;
    rh_linear left = {.rest = RH_EXPR_NONE};
    bool is_empty = false;
    uint32_t at = UINT32_MAX;
    if (!rh__elimination_reduce(elimination, row, &left) ||
        !choose(elimination, &left, &is_empty, &at)) {
        return rh__forming_refused(forming);
    }
    if (at == UINT32_MAX || left.terms.data == NULL) {
        *out = is_empty ? RH_ELIMINATED_DEPENDENT : RH_ELIMINATED_NOTHING;
        return RH_OK;
    }
    const rh_term pivot = left.terms.data[at];
    bool ok = solve_row(elimination, &left, at);
    elimination->is_solved[pivot.column] = ok;
    ok = ok && put_back(elimination, pivot.column);
    if (ok && !rh__expr_is_number(forming->store, pivot.value)) {
        ok = rh__array_push(forming->arena, &elimination->pivots, pivot.value);
    }
    *out = RH_ELIMINATED;
    return elimination->size > RH_ELIMINATION_LIMIT ? RH_E_LIMIT : rh__forming_refused(forming);
}
