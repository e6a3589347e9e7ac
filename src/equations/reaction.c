// SPDX-License-Identifier: Apache-2.0
// Reactions as formulas. The reduced form, A y = b for rates and multipliers, is solved block by
// block with expressions as entries; what left the system follows from its outputs, and new
// velocities are written by their definitions. What becomes too long is given up.

#include "equations/form.h"

enum {
    MOST_LINKS = 6,         // multipliers solved for
    MOST_BLOCK = 8,         // unknowns of one block
    WORK_LIMIT = 4000000,   // parts of sums and products put in order: a last resort
    ENTRY_LIMIT = 4 * 2000, // operations of the entries under way
    NO_PRICE = 1 << 30
};

// A small dense system; the last column is the right side. Rows and columns are struck out one by
// one as they get their pivots.
typedef struct block {
    rh_expr *entries; // by rows: size * (size + 1)
    uint32_t size;
    uint32_t rows[MOST_BLOCK];    // of the form
    uint32_t columns[MOST_BLOCK]; // of the form
    uint32_t row_of[MOST_BLOCK];  // by column: the row of its pivot; UINT32_MAX
    bool is_used[MOST_BLOCK];     // by row
} block;

typedef struct reacting {
    rh_forming forming; // for its budgets and scratch
    rh_equations *equations;
    rh_store *store;
    rh_form form; // the reduced one
    rh_reactions *out;
    uint32_t *block_of; // by unknown
    rh_marks known;     // symbol -> place in `values`
    rh_expr_list values;
    uint32_t work_limit;
} reacting;

static rh_status refused(const reacting *solve)
{
    return rh__store_work(solve->store) > solve->work_limit ? RH_E_LIMIT
                                                            : rh__forming_refused(&solve->forming);
}

static uint64_t count_operations(rh_cost cost)
{
    return cost.additions + cost.multiplications + cost.divisions + cost.functions;
}

// Is it proved that it is never zero, with the parameters as they are?
static bool is_safe(const reacting *solve, rh_expr e)
{
    return rh__expr_sign(solve->store, e, rh__values_parameter, &solve->equations->model->values) !=
           0;
}

static bool push_pivot(reacting *solve, rh_expr pivot)
{
    return is_safe(solve, pivot) ||
           rh__array_push(solve->forming.arena, &solve->out->pivots, pivot);
}

// --- elimination ---------------------------------------------------------------------------------

static rh_expr *at(const block *system, uint32_t row, uint32_t column)
{
    return &system->entries[row * (system->size + 1) + column];
}

// Entries of a row and of a column that a pivot would multiply: fewer are better.
static uint32_t count_fill(const reacting *solve, const block *system, uint32_t row,
                           uint32_t column)
{
    uint32_t in_row = 0;
    uint32_t in_column = 0;
    for (uint32_t k = 0; k < system->size; k++) {
        in_row += k != column && system->row_of[k] == UINT32_MAX &&
                  !rh__expr_is_zero(solve->store, *at(system, row, k));
        in_column += k != row && !system->is_used[k] &&
                     !rh__expr_is_zero(solve->store, *at(system, k, column));
    }
    return in_row * in_column;
}

// The lower the better; NO_PRICE: it is zero.
static uint64_t price(reacting *solve, const block *system, uint32_t row, uint32_t column)
{
    const rh_expr e = *at(system, row, column);
    rh_cost cost = {0};
    if (rh__expr_is_zero(solve->store, e)) {
        return NO_PRICE;
    }
    const rh_mark mark = rh__arena_mark(&solve->forming.scratch);
    (void)rh__expr_cost(solve->store, &e, 1, &solve->forming.scratch, &cost);
    rh__arena_rewind(&solve->forming.scratch, mark);
    const uint64_t doubt = rh__expr_is_number(solve->store, e) ? 0 : is_safe(solve, e) ? 1 : 1000;
    const uint64_t fill = count_fill(solve, system, row, column);
    const uint64_t size = count_operations(cost);
    return 10000 * doubt + 200 * fill + (size < 199 ? size : 199);
}

// The best pivot that does not vanish. False when there is none.
static bool choose_pivot(reacting *solve, const block *system, uint32_t *out_row,
                         uint32_t *out_column)
{
    while (true) {
        uint64_t lowest = NO_PRICE;
        for (uint32_t row = 0; row < system->size; row++) {
            for (uint32_t k = 0; !system->is_used[row] && k < system->size; k++) {
                const uint64_t cost =
                    system->row_of[k] == UINT32_MAX ? price(solve, system, row, k) : NO_PRICE;
                if (cost < lowest) {
                    lowest = cost;
                    *out_row = row;
                    *out_column = k;
                }
            }
        }
        if (lowest == NO_PRICE) {
            return false;
        }
        rh_expr *entry = at(system, *out_row, *out_column);
        if (!rh__derive_vanishes(solve->equations, *entry, &solve->forming.scratch)) {
            return true;
        }
        *entry = rh__expr_integer(solve->store, 0);
    }
}

// row -= factor * pivot row
static void subtract_row(reacting *solve, const block *system, uint32_t row, uint32_t pivot_row,
                         uint32_t column)
{
    const rh_expr factor = *at(system, row, column);
    for (uint32_t k = 0; k <= system->size && !rh__expr_is_zero(solve->store, factor); k++) {
        const rh_expr other = *at(system, pivot_row, k);
        rh_expr *entry = at(system, row, k);
        if (k != column && !rh__expr_is_zero(solve->store, other)) {
            const rh_expr part = rh__expr_multiply(solve->store, factor, other);
            *entry =
                rh__derive_fold(solve->equations, rh__expr_subtract(solve->store, *entry, part));
        }
    }
    *at(system, row, column) = rh__expr_integer(solve->store, 0);
}

static rh_status check_size(reacting *solve, const block *system)
{
    rh_cost cost = {0};
    RH_TRY(refused(solve));
    if (!rh__expr_cost(solve->store, system->entries, system->size * (system->size + 1),
                       &solve->forming.scratch, &cost)) {
        return solve->forming.scratch.status;
    }
    return count_operations(cost) > ENTRY_LIMIT ? RH_E_LIMIT : RH_OK;
}

// Gauss-Jordan: the right sides become the solutions.
static rh_status eliminate(reacting *solve, block *system)
{
    for (uint32_t step = 0; step < system->size; step++) {
        uint32_t row = 0;
        uint32_t column = 0;
        if (!choose_pivot(solve, system, &row, &column)) {
            return refused(solve) == RH_OK ? RH_E_UNAVAILABLE : refused(solve);
        }
        const rh_expr pivot = *at(system, row, column);
        system->is_used[row] = true;
        system->row_of[column] = row;
        if (!push_pivot(solve, pivot)) {
            return solve->forming.arena->status;
        }
        for (uint32_t k = 0; k <= system->size; k++) {
            rh_expr *entry = at(system, row, k);
            *entry =
                rh__derive_fold(solve->equations, rh__expr_divide(solve->store, *entry, pivot));
        }
        for (uint32_t other = 0; other < system->size; other++) {
            if (other != row) {
                subtract_row(solve, system, other, row, column);
            }
        }
        RH_TRY(check_size(solve, system));
    }
    return RH_OK;
}

// --- blocks --------------------------------------------------------------------------------------

static uint32_t root_of(const reacting *solve, uint32_t unknown)
{
    while (solve->block_of[unknown] != unknown) {
        unknown = solve->block_of[unknown];
    }
    return unknown;
}

// Unknowns of one row belong together.
static void find_blocks(reacting *solve)
{
    const rh_grid *matrix = &solve->form.matrix;
    for (uint32_t k = 0; k < matrix->columns; k++) {
        solve->block_of[k] = k;
    }
    for (uint32_t k = 1; k < matrix->entries.count; k++) {
        const rh_entry *entry = &matrix->entries.data[k];
        if (entry->row == entry[-1].row) {
            const uint32_t a = root_of(solve, entry->column);
            const uint32_t b = root_of(solve, entry[-1].column);
            solve->block_of[a > b ? a : b] = a > b ? b : a;
        }
    }
    for (uint32_t k = 0; k < matrix->columns; k++) {
        solve->block_of[k] = root_of(solve, k);
    }
}

static rh_status gather_block(reacting *solve, uint32_t root, block *out)
{
    const rh_grid *matrix = &solve->form.matrix;
    uint32_t rows = 0;
    *out = (block){.size = 0};
    for (uint32_t k = root; k < matrix->columns; k++) {
        if (solve->block_of[k] == root) {
            if (out->size == MOST_BLOCK) {
                return RH_E_LIMIT;
            }
            out->row_of[out->size] = UINT32_MAX;
            out->columns[out->size++] = k;
        }
    }
    for (uint32_t row = 0; row < matrix->rows; row++) {
        const uint32_t first = matrix->begin[row];
        if (first < matrix->begin[row + 1] &&
            solve->block_of[matrix->entries.data[first].column] == root) {
            if (rows == out->size) {
                return RH_E_UNAVAILABLE;
            }
            out->rows[rows++] = row;
        }
    }
    return rows == out->size ? RH_OK : RH_E_UNAVAILABLE;
}

static bool keep(reacting *solve, rh_expr symbol, rh_expr value)
{
    return value.i != 0 &&
           rh__marks_put(&solve->forming.scratch, &solve->known, symbol, solve->values.count) &&
           rh__array_push(&solve->forming.scratch, &solve->values, value);
}

static rh_status solve_block(reacting *solve, uint32_t root)
{
    block system;
    RH_TRY(gather_block(solve, root, &system));
    system.entries =
        rh__arena_array(&solve->forming.scratch, rh_expr, (size_t)system.size * (system.size + 1));
    if (system.entries == NULL) {
        return solve->forming.scratch.status;
    }
    for (uint32_t row = 0; row < system.size; row++) {
        for (uint32_t k = 0; k < system.size; k++) {
            const rh_expr value =
                rh__grid_at(&solve->form.matrix, system.rows[row], system.columns[k]);
            *at(&system, row, k) = value.i != 0 ? value : rh__expr_integer(solve->store, 0);
        }
        *at(&system, row, system.size) = solve->form.right[system.rows[row]];
    }
    RH_TRY(eliminate(solve, &system));
    for (uint32_t k = 0; k < system.size; k++) {
        if (!keep(solve, solve->form.unknowns.data[system.columns[k]],
                  *at(&system, system.row_of[k], system.size))) {
            return refused(solve);
        }
    }
    return RH_OK;
}

// --- formulas ------------------------------------------------------------------------------------

static rh_expr replace(void *user, rh_store *store, rh_expr symbol)
{
    (void)store;
    const reacting *solve = user;
    const uint32_t place = rh__marks_find(&solve->known, symbol);
    return place == 0 ? symbol : solve->values.data[place - 1];
}

static rh_expr put_known(reacting *solve, rh_expr e)
{
    return rh__derive_fold(solve->equations, rh__expr_substitute(solve->store, e, replace, solve));
}

// What left the system, in its order; then the definitions of new velocities.
static rh_status follow_outputs(reacting *solve)
{
    const rh_form *form = &solve->form;
    bool ok = true;
    for (uint32_t k = 0; ok && k < form->outputs.count; k++) {
        ok = keep(solve, form->outputs.data[k].symbol,
                  put_known(solve, form->outputs.data[k].value)) &&
             refused(solve) == RH_OK;
    }
    for (uint32_t k = 0; ok && k < form->basis.count; k++) {
        ok = keep(solve, form->basis.data[k].symbol, form->basis.data[k].value);
    }
    return ok ? RH_OK : refused(solve);
}

static rh_status give_multipliers(reacting *solve)
{
    const rh_equations *equations = solve->equations;
    rh_expr values[MOST_LINKS];
    rh_cost cost = {0};
    uint32_t count = 0;
    for (uint32_t k = 0; k < equations->links.count; k++) {
        const rh_link *link = &equations->links.data[k];
        const uint32_t place = rh__marks_find(&solve->known, link->multiplier);
        if (!rh__link_is_enforced(link)) {
            continue;
        }
        if (place == 0) {
            return RH_E_UNAVAILABLE;
        }
        values[count] = put_known(solve, solve->values.data[place - 1]);
        const rh_definition made = {link->multiplier, values[count]};
        if (values[count++].i == 0 ||
            !rh__array_push(solve->forming.arena, &solve->out->values, made)) {
            return refused(solve);
        }
    }
    if (!rh__expr_cost(solve->store, values, count, &solve->forming.scratch, &cost)) {
        return solve->forming.scratch.status;
    }
    return count_operations(cost) > RH_REACTION_OPERATIONS ? RH_E_LIMIT : refused(solve);
}

static rh_status solve_all(reacting *solve)
{
    uint32_t links = 0;
    for (uint32_t k = 0; k < solve->equations->links.count; k++) {
        links += rh__link_is_enforced(&solve->equations->links.data[k]);
    }
    if (links > MOST_LINKS) {
        return RH_E_LIMIT;
    }
    RH_TRY(rh__form_create(solve->equations, RH_FORM_REDUCED, &solve->forming.scratch, &solve->form,
                           NULL));
    const uint32_t count = solve->form.matrix.columns;
    solve->work_limit = rh__store_work(solve->store) + WORK_LIMIT;
    solve->block_of = rh__arena_array(&solve->forming.scratch, uint32_t, (size_t)count + 1);
    if (solve->block_of == NULL) {
        return solve->forming.scratch.status;
    }
    find_blocks(solve);
    for (uint32_t k = 0; k < solve->form.pivots.count; k++) {
        if (!push_pivot(solve, solve->form.pivots.data[k])) {
            return solve->forming.arena->status;
        }
    }
    for (uint32_t k = 0; k < count; k++) {
        if (solve->block_of[k] == k) {
            RH_TRY(solve_block(solve, k));
        }
    }
    RH_TRY(follow_outputs(solve));
    return give_multipliers(solve);
}

rh_status rh__form_reactions(rh_equations *equations, rh_arena *arena, rh_reactions *out)
{
    *out = (rh_reactions){.pivots = {0}};
    reacting solve = {
        .forming = {.equations = equations,
                    .store = equations->store,
                    .arena = arena,
                    .scratch = rh__arena_begin(arena->allocator, arena->limit),
                    .budget = rh__store_count(equations->store) + RH_FORM_BUDGET,
                    .work_budget = rh__store_work(equations->store) + RH_FORM_WORK},
        .equations = equations,
        .store = equations->store,
        .out = out,
    };
    const rh_status status = solve_all(&solve);
    rh__arena_end(&solve.forming.scratch);
    return status;
}
