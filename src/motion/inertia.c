// SPDX-License-Identifier: Apache-2.0
// The way back onto constraints that are missed by g, shortest in the metric W of the kinetic
// energy, as a solve block of a tape:
//     [W  J^T ] [dx]   [ 0 ]
//     [J  -eps] [y ] = [-g ],    eps relative to J W^-1 J^T and to the rounding of its terms.
// That is regular for redundant rows too, and leaves alone what is off by rounding only. Moved by
// W^-1 J^T, x goes where the reactions of the constraints would push it, and what the motion has
// along the constraints (its energy, its momenta) stays as it is. States, and what has no mass,
// have weights by their sizes, in units of what has mass.

#include "motion/motion.h"

typedef struct shaping {
    rh_system const *system;
    rh_store *store;
    rh_arena *arena;   // scratch
    rh_arena *keeping; // of the stage
    const rh_project_gap *gap;
    rh_project_stage *stage;
    uint32_t *column_of; // by index into x: column + 1
    rh_expr *mass;       // by column: the diagonal of W
    rh_expr metric;      // symbol: 1, or 0 for the weights alone
    rh_expr_list inputs; // the metric, then the weights by column
    rh_grid matrix;
    rh_expr_list right, unknowns;
    uint32_t *hold, *hold_column; // by row of the matrix
    uint32_t hold_count;
} shaping;

// Something about the matrix, in any order.
static void note(shaping *in, uint32_t row, uint32_t column, uint32_t value)
{
    const uint64_t where = (uint64_t)row << 32 | column;
    in->stage->likeness += rh__hash_mix(rh__hash_mix(where) + value);
}

static bool push(shaping *in, uint32_t row, uint32_t column, rh_expr value)
{
    return rh__grid_push(in->arena, &in->matrix, row, column, value);
}

// --- the metric ------------------------------------------------------------------------------

// The column of member `index` of a part of x, plus 1; 0: there is none.
static uint32_t column_of(const shaping *in, rh_range part, uint32_t index)
{
    const uint32_t x = part.first + index;
    RH_ASSERT(index >= part.count || x < in->system->x.count);
    const bool is_state = index < part.count &&
                          (rh__expr_mask(in->store, in->system->x.data[x]) & RH_ROLE_STATE) != 0;
    return index < part.count && !is_state ? in->column_of[x] : 0;
}

static rh_expr weight_of(const shaping *in, uint32_t column)
{
    RH_ASSERT(column < in->stage->columns && column + 1 < in->inputs.count);
    return in->inputs.data[1 + column];
}

// metric * W beside the diagonal, metric * W + (1 - metric) * weight on it.
static bool push_grid(shaping *in, const rh_grid *grid, rh_range part)
{
    bool ok = true;
    for (uint32_t k = 0; ok && k < grid->entries.count; k++) {
        const rh_entry *entry = &grid->entries.data[k];
        const uint32_t row = column_of(in, part, entry->row);
        const uint32_t column = column_of(in, part, entry->column);
        RH_ASSERT(row <= in->stage->columns && column <= in->stage->columns);
        if (row == 0 || column == 0) {
            continue;
        }
        note(in, row, column, entry->value.i);
        rh_expr value = rh__expr_multiply(in->store, in->metric, entry->value);
        if (row == column) {
            const rh_expr one = rh__expr_integer(in->store, 1);
            const rh_expr rest = rh__expr_subtract(in->store, one, in->metric);
            const rh_expr own = rh__expr_multiply(in->store, rest, weight_of(in, row - 1));
            value = rh__expr_add(in->store, value, own);
            in->mass[row - 1] = value;
        }
        ok = push(in, row - 1, column - 1, value);
    }
    return ok;
}

// The mean of W_kk size_k^2 of what has mass: in these units a weight by size stands beside masses
// whatever the units of the model. 1 where nothing has mass.
static rh_expr find_unit(const shaping *in)
{
    rh_expr sum = rh__expr_integer(in->store, 0);
    int64_t count = 0;
    for (uint32_t k = 0; k < in->stage->columns; k++) {
        if (in->mass[k].i != 0) {
            const rh_expr own = rh__expr_apply(in->store, RH_OP_ABS, &in->mass[k], 1);
            sum = rh__expr_add(in->store, sum, rh__expr_divide(in->store, own, weight_of(in, k)));
            count++;
        }
    }
    const rh_expr whole = rh__expr_integer(in->store, count > 0 ? count : 1);
    return count > 0 ? rh__expr_divide(in->store, sum, whole) : whole;
}

// What has no mass.
static bool push_weights(shaping *in)
{
    rh_expr unit = RH_EXPR_NONE;
    bool ok = true;
    for (uint32_t k = 0; ok && k < in->stage->columns; k++) {
        if (in->mass[k].i != 0) {
            continue;
        }
        unit = unit.i != 0 ? unit : find_unit(in);
        in->mass[k] = rh__expr_multiply(in->store, unit, weight_of(in, k));
        in->stage->has_weights = true;
        // sizes of positions are not those of velocities
        note(in, k + 1, k + 1, rh__expr_is_one(in->store, unit) ? 0 : 1 + in->gap->is_second);
        ok = push(in, k, k, in->mass[k]);
    }
    return ok;
}

static bool push_metric(shaping *in)
{
    const rh_system *system = in->system;
    const uint32_t n = in->stage->columns;
    for (uint32_t k = 0; k < n; k++) {
        in->column_of[in->stage->x_index[k]] = k + 1;
    }
    // the rates of the form stand first among its unknowns, and their equations among its rows
    const bool ok = in->gap->is_second
                        ? push_grid(in, &system->form.matrix, system->variables)
                        : push_grid(in, &system->equations->inertia, system->coordinates);
    return ok && push_weights(in);
}

// --- the rows --------------------------------------------------------------------------------

// The sum of the squares of the terms that a value is made of: where these cancel, rounding of them
// is all that is left of it. None for what has no terms that could.
static rh_expr square_of_terms(rh_store *store, rh_expr e)
{
    const rh_op op = rh__expr_op(store, e);
    RH_ASSERT(op != RH_OP_ADD || rh__expr_count(store, e) % 2 == 0);
    rh_expr out = rh__expr_multiply(store, e, e);
    if (op == RH_OP_ADD) {
        out = rh__expr_integer(store, 0);
    } else if (op == RH_OP_MUL) {
        out = rh__expr_integer(store, 1);
    }
    for (uint32_t k = 0; op == RH_OP_ADD && k < rh__expr_count(store, e); k += 2) {
        const rh_expr number = rh__expr_argument(store, e, k);
        const rh_expr part = square_of_terms(store, rh__expr_argument(store, e, k + 1));
        const rh_expr square = rh__expr_multiply(store, number, number);
        out = rh__expr_add(store, out, rh__expr_multiply(store, square, part));
    }
    for (uint32_t k = 0; op == RH_OP_MUL && k < rh__expr_count(store, e); k++) {
        const rh_expr part = square_of_terms(store, rh__expr_argument(store, e, k));
        out = rh__expr_multiply(store, out, part);
    }
    return out;
}

// What stands on the diagonal for an entry, before it is divided by the mass.
static rh_expr soften(const shaping *in, rh_expr entry)
{
    rh_store *store = in->store;
    const rh_expr square = rh__expr_multiply(store, entry, entry);
    const rh_expr terms = square_of_terms(store, entry);
    const rh_expr soft = rh__expr_literal(store, rh__slice_of("1e-11"));
    const rh_expr rounding = rh__expr_literal(store, rh__slice_of("1e-15"));
    const rh_expr own = rh__expr_multiply(store, soft, square);
    return terms.i == square.i
               ? own
               : rh__expr_add(store, own, rh__expr_multiply(store, rounding, terms));
}

// eps keeps redundant rows regular; the last addend, those that vanish.
static bool push_rows(shaping *in)
{
    const uint32_t n = in->stage->columns;
    rh_store *store = in->store;
    const rh_expr least = rh__expr_literal(store, rh__slice_of("1e-150"));
    rh_expr *size = rh__arena_array(in->arena, rh_expr, (size_t)in->stage->rows + 1);
    bool ok = size != NULL;
    for (uint32_t k = 0; ok && k < in->stage->rows; k++) {
        size[k] = least;
    }
    for (uint32_t k = 0; ok && k < in->gap->entry_count; k++) {
        const rh_entry *entry = &in->gap->entries[k];
        RH_ASSERT(entry->row < in->stage->rows && entry->column < n &&
                  in->mass[entry->column].i != 0);
        const rh_expr square = soften(in, entry->value);
        note(in, n + 1 + entry->row, entry->column, entry->value.i);
        size[entry->row] = rh__expr_add(store, size[entry->row],
                                        rh__expr_divide(store, square, in->mass[entry->column]));
        ok = push(in, n + entry->row, entry->column, entry->value) &&
             push(in, entry->column, n + entry->row, entry->value);
    }
    for (uint32_t k = 0; ok && k < in->stage->rows; k++) {
        ok = push(in, n + k, n + k, rh__expr_negate(store, size[k]));
    }
    return ok;
}

static bool push_right(shaping *in)
{
    const uint32_t n = in->stage->columns;
    bool ok = true;
    for (uint32_t k = 0; ok && k < n + in->stage->rows; k++) {
        const rh_expr e =
            k < n ? rh__expr_integer(in->store, 0) : rh__expr_negate(in->store, in->gap->g[k - n]);
        ok = e.i != 0 && rh__array_push(in->arena, &in->right, e);
    }
    return ok;
}

// Rows of one-sided constraints are kept at times.
static void find_holds(shaping *in)
{
    const uint32_t n = in->stage->columns;
    const rh_link *links = in->system->equations->links.data;
    for (uint32_t k = 0; k < n + in->stage->rows; k++) {
        const bool is_free = k >= n && !rh__link_is_kept(&links[in->stage->levels[k - n].link]);
        in->hold[k] = is_free ? in->hold_count++ : UINT32_MAX;
        in->hold_column[k] = k;
        note(in, k, UINT32_MAX, in->hold[k]);
        if (k >= n) {
            in->stage->hold[k - n] = in->hold[k];
            in->stage->can_release = in->stage->can_release || is_free;
        }
    }
}

// --- the tape --------------------------------------------------------------------------------

static bool make_symbols(shaping *in)
{
    const uint32_t count = in->stage->columns + in->stage->rows;
    const rh_family_def def = {.name = rh__slice_of("shift"),
                               .dimensions = 1,
                               .extent = {count + 1 + in->stage->columns},
                               .mask = RH_EXPR_VARIABLE};
    const rh_family family = rh__family_create(in->store, &def);
    bool ok = family.i != 0;
    for (uint32_t k = 0; ok && k < count; k++) {
        const rh_expr symbol = rh__expr_symbol(in->store, family, k);
        ok = symbol.i != 0 && rh__array_push(in->arena, &in->unknowns, symbol);
    }
    for (uint32_t k = 0; ok && k <= in->stage->columns; k++) {
        const rh_expr symbol = rh__expr_symbol(in->store, family, count + k);
        ok = symbol.i != 0 && rh__array_push(in->arena, &in->inputs, symbol);
    }
    in->metric = ok ? in->inputs.data[0] : RH_EXPR_NONE;
    return ok;
}

static rh_status make_room(shaping *in)
{
    const size_t n = in->stage->columns;
    const size_t rows = in->stage->rows;
    in->column_of = rh__arena_array(in->arena, uint32_t, (size_t)in->system->x.count + 1);
    in->mass = rh__arena_array(in->arena, rh_expr, n + 1);
    in->hold = rh__arena_array(in->arena, uint32_t, n + rows);
    in->hold_column = rh__arena_array(in->arena, uint32_t, n + rows);
    in->stage->hold = rh__arena_array(in->keeping, uint32_t, rows);
    const bool ok = in->column_of != NULL && in->mass != NULL && in->hold != NULL &&
                    in->hold_column != NULL && in->stage->hold != NULL;
    return ok ? RH_OK : RH_E_MEMORY;
}

static rh_status make_shift(shaping *in, rh_error *err)
{
    rh_project_stage *stage = in->stage;
    const uint32_t count = stage->columns + stage->rows;
    RH_TRY(make_room(in));
    if (!make_symbols(in) || !push_metric(in) || !push_rows(in) || !push_right(in) ||
        !rh__grid_finish(in->system->equations, in->arena, &in->matrix, count, count)) {
        return RH_E_MEMORY;
    }
    RH_ASSERT(in->right.count == count && in->unknowns.count == count &&
              in->inputs.count == stage->columns + 1);
    find_holds(in);
    const rh_tape_solve solve = {.matrix = &in->matrix,
                                 .right = in->right.data,
                                 .unknowns = in->unknowns.data,
                                 .count = count,
                                 .rate_count = stage->columns,
                                 .hold = in->hold,
                                 .hold_column = in->hold_column,
                                 .margin = 1e-13}; // that of eps is meant
    const rh_extra_def def = {.outputs = in->unknowns.data,
                              .output_count = stage->columns,
                              .inputs = in->inputs.data,
                              .input_count = in->inputs.count,
                              .solve = &solve,
                              .hold_count = in->hold_count};
    stage->metric = 1 + in->system->x.count + in->system->form.unknowns.count;
    return rh__system_extra(in->system, &def, &stage->shift, err);
}

rh_status rh__inertia_create(const rh_system *system, const rh_project_gap *gap, rh_arena *arena,
                             rh_project_stage *stage, rh_error *err)
{
    rh_arena scratch = rh__arena_begin(arena->allocator, arena->limit);
    shaping in = {.system = system,
                  .store = system->equations->store,
                  .arena = &scratch,
                  .keeping = arena,
                  .gap = gap,
                  .stage = stage};
    rh_status status = make_shift(&in, err);
    rh__arena_end(&scratch);
    if (status == RH_OK) {
        status = rh__tape_state_create(stage->shift, 0, arena->allocator, &stage->shift_state);
    }
    return status;
}
