// SPDX-License-Identifier: Apache-2.0
// Elimination of linear rows with expressions as coefficients (Gauss-Jordan, sparse). Coefficients
// are folded on the way, so that sums of squares of sines and cosines do not pile up.

#include "equations/eliminate.h"

#include <math.h>

#define VANISHING 1e-6 // of a pivot beside the largest of its row: it is zero
#define FARTHER 1e-9   // what one counts that is zero at the start alone

rh_status rh__elimination_begin(rh_elimination *elimination, uint32_t unknowns, uint32_t columns)
{
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
    rh_store *store = elimination->forming->store;
    const rh_model *model = elimination->forming->equations->model;
    int64_t integer = 0;
    if (rh__expr_is_number(store, value)) {
        return rh__expr_as_integer(store, value, &integer) && (integer == 1 || integer == -1) ? 4
                                                                                              : 3;
    }
    if (rh__expr_sign(store, value, rh__model_parameter_value, (void *)(uintptr_t)model) == 0) {
        return 0;
    }
    return (rh__expr_mask(store, value) & RH_EXPR_VARIABLE) == 0 ? 2 : 1;
}

// Sizes at the start and near it.
static void size_at_samples(rh_elimination *elimination, rh_expr value, double size[2])
{
    for (uint32_t k = 0; k < 2; k++) {
        size[k] = 1.0;
        if (elimination->sample != NULL &&
            (rh__point_evaluate(&elimination->sample[k], &value, 1, &elimination->forming->scratch,
                                &size[k]) != RH_OK ||
             !isfinite(size[k]))) {
            size[k] = 0.0;
        }
        size[k] = fabs(size[k]);
    }
}

// A value for every symbol, to compare the sizes of safe pivots.
static double any_value(void *user, const rh_store *store, rh_expr symbol)
{
    const double given = rh__model_parameter_value(user, store, symbol);
    const uint64_t bits = rh__hash_mix((uint64_t)symbol.i << 20);
    return isfinite(given) ? given : 0.5 + (double)(bits >> 11) * 0x1p-53;
}

static double size_anywhere(rh_elimination *elimination, rh_expr value)
{
    rh_forming *forming = elimination->forming;
    const rh_mark mark = rh__arena_mark(&forming->scratch);
    double size = 0.0;
    const bool ok =
        rh__expr_values(forming->store, &value, 1, any_value,
                        (void *)(uintptr_t)forming->equations->model, &forming->scratch, &size);
    rh__arena_rewind(&forming->scratch, mark);
    return ok && isfinite(size) ? fabs(size) : 0.0;
}

typedef struct candidate {
    int grade;
    double size;
    double near; // of one that may vanish: its size near the start
    double unit; // of its unknown
} candidate;

static candidate judge(rh_elimination *elimination, const rh_term *term)
{
    const double unit = elimination->sizes != NULL ? elimination->sizes[term->column] : 1.0;
    candidate result = {.grade = grade(elimination, term->value), .unit = unit};
    if (result.grade > 0) {
        result.size = unit * size_anywhere(elimination, term->value);
    } else {
        double size[2];
        size_at_samples(elimination, term->value, size);
        result.size = unit * size[0];
        result.near = unit * size[1];
    }
    return result;
}

// What is zero at the start, beside the largest of the row, has a smaller mark for its size near
// it.
static void settle(candidate *list, uint32_t count)
{
    double largest = 0.0;
    for (uint32_t k = 0; k < count; k++) {
        largest = fmax(largest, fmax(list[k].size, list[k].near));
    }
    for (uint32_t k = 0; k < count; k++) {
        candidate *it = &list[k];
        if (it->grade == 0 && it->size <= VANISHING * largest) {
            it->size = it->near > VANISHING * largest ? FARTHER * it->near : 0.0;
        }
    }
}

// The terms of a row that could be solved for, judged.
typedef struct candidates {
    candidate *data;
    uint32_t *term;
    rh_expr *value;
    uint32_t count;
} candidates;

static bool find_candidates(rh_elimination *elimination, const rh_linear *row, rh_arena *arena,
                            candidates *out)
{
    const size_t room = (size_t)row->terms.count + 1;
    *out = (candidates){.data = rh__arena_array(arena, candidate, room),
                        .term = rh__arena_array(arena, uint32_t, room),
                        .value = rh__arena_array(arena, rh_expr, room)};
    if (out->data == NULL || out->term == NULL || out->value == NULL) {
        return false;
    }
    for (uint32_t k = 0; k < row->terms.count; k++) {
        const rh_term *term = &row->terms.data[k];
        if (term->column < elimination->unknown_count) {
            out->data[out->count] = judge(elimination, term);
            out->term[out->count] = k;
            out->value[out->count++] = term->value;
        }
    }
    settle(out->data, out->count);
    return true;
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
    return best;
}

// The choice again, for other values of parameters: an rh_choice_of. The grades follow from signs,
// which are noted by themselves.
static int64_t pick_again(const void *data, const double *values, uint32_t count)
{
    enum { MOST = 64 };
    const candidate *known = data;
    candidate list[MOST];
    for (uint32_t k = 0; k < count && k < MOST; k++) {
        list[k] = (candidate){.grade = known[k].grade,
                              .size = isfinite(values[k]) ? known[k].unit * fabs(values[k]) : 0.0};
    }
    return count <= MOST ? (int64_t)pick(list, count, false) : 0;
}

// Safe pivots are compared by their size for the values of the parameters.
static void note_choice(const rh_elimination *elimination, const candidates *list)
{
    const rh_forming *forming = elimination->forming;
    const rh_model *model = forming->equations->model;
    if (elimination->pivoting == RH_PIVOT_SAFE && list->count > 1) {
        rh__store_note_choice(forming->store, list->value, list->count, any_value,
                              (void *)(uintptr_t)model, pick_again, list->data,
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
    rh_store *store = elimination->forming->store;
    const rh_term pivot = row->terms.data[at];
    const rh_expr factor =
        rh__expr_negate(store, rh__expr_divide(store, rh__expr_integer(store, 1), pivot.value));
    rh_linear *solved = &elimination->solved[pivot.column];
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
