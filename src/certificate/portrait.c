// SPDX-License-Identifier: Apache-2.0
// The linear part of a thesis at an anchor, in balls. At a steady motion rates vanish, so the
// slopes of rates = inertia^-1 right are inertia^-1 times the slopes of the right side. Variables
// that the levels determine are eliminated: the rest are coordinates of the manifold (theory,
// certificates 4).

#include "certificate/anchor.h"

#include <math.h>

// --- which variables depend ----------------------------------------------------------------------

typedef struct pivoting {
    double *slope; // level_count x count, row by row
    bool *is_done; // by level
    uint32_t rows, columns;
} pivoting;

static bool find_pivot(const pivoting *in, const bool *taken, uint32_t *row, uint32_t *column)
{
    double best = 0.0;
    for (uint32_t i = 0; i < in->rows; i++) {
        for (uint32_t j = 0; j < in->columns; j++) {
            const double size = fabs(in->slope[(size_t)i * in->columns + j]);
            if (!in->is_done[i] && !taken[j] && size > best) {
                best = size;
                *row = i;
                *column = j;
            }
        }
    }
    return best > 0.0;
}

static void eliminate(pivoting *in, uint32_t row, uint32_t column)
{
    RH_ASSERT(!in->is_done[row] && in->slope[(size_t)row * in->columns + column] != 0.0);
    const double *from = in->slope + (size_t)row * in->columns;
    in->is_done[row] = true;
    for (uint32_t i = 0; i < in->rows; i++) {
        double *to = in->slope + (size_t)i * in->columns;
        const double share = to[column] / from[column];
        for (uint32_t j = 0; !in->is_done[i] && j < in->columns; j++) {
            to[j] -= share * from[j];
        }
    }
}

rh_status rh__portrait_choose(rh_anchor *anchor, rh_arena *arena, bool *out, bool *out_is_found)
{
    RH_ASSERT(anchor->field->thesis->level_first <= anchor->field->thesis->demand_first);
    const rh_thesis *thesis = anchor->field->thesis;
    pivoting in = {.rows = thesis->demand_first - thesis->level_first,
                   .columns = thesis->state_count};
    *out_is_found = true;
    in.slope = rh__arena_array(arena, double, (size_t)in.rows *in.columns + 1);
    in.is_done = rh__arena_array(arena, bool, (size_t)in.rows + 1);
    if (in.slope == NULL || in.is_done == NULL) {
        return arena->status;
    }
    rh__field_look(anchor->field, anchor->box, RH_BALLS_PRECISION);
    for (uint32_t i = 0; i < in.rows; i++) {
        for (uint32_t j = 0; j < in.columns; j++) {
            const double slope = rh__balls_middle(
                anchor->field->values, rh__field_slope(anchor->field, thesis->level_first + i, j));
            in.slope[(size_t)i * in.columns + j] = isfinite(slope) ? slope : 0.0;
        }
    }
    for (uint32_t k = 0; k < in.rows && *out_is_found; k++) {
        uint32_t row = 0;
        uint32_t column = 0;
        *out_is_found = find_pivot(&in, out, &row, &column);
        if (*out_is_found) {
            out[column] = true;
            eliminate(&in, row, column);
        }
    }
    return RH_OK;
}

// --- drawing -------------------------------------------------------------------------------------

typedef struct drawing {
    rh_anchor *anchor;
    const bool *dependent;
    uint32_t *column; // independent variables
    uint32_t size, levels, count;
    rh_balls *rates;   // count x count: slopes of all rates by all variables
    rh_balls *tangent; // levels x size: how dependent variables follow
    rh_balls *matrix;  // size x size
    uint32_t precision;
} drawing;

// The row of a variable in the form; UINT32_MAX: its rate is a row of its own.
static uint32_t row_in_form(const rh_thesis *thesis, uint32_t variable)
{
    RH_ASSERT(variable < thesis->count);
    const uint32_t at = variable - thesis->unknown_first;
    return at < thesis->unknown_count ? at
           : variable >= thesis->state_count
               ? thesis->unknown_count + variable - thesis->state_count
               : UINT32_MAX;
}

// Slopes of all unknowns of the form, multipliers too: inertia^-1 times those of its rows.
static bool solve_form(drawing *in, rh_arena *arena, rh_balls *out)
{
    const rh_field *field = in->anchor->field;
    const rh_thesis *thesis = field->thesis;
    const uint32_t n = thesis->size;
    rh_balls *inertia = rh__balls_create(arena, n * n);
    rh_balls *right = rh__balls_create(arena, n * in->count);
    bool ok = inertia != NULL && right != NULL;
    for (uint32_t k = 0; ok && k < n * n; k++) {
        rh__balls_copy(inertia, k, field->values, field->inertia_first + k);
    }
    for (uint32_t i = 0; ok && i < thesis->count; i++) {
        const uint32_t row = row_in_form(thesis, i);
        for (uint32_t j = 0; row != UINT32_MAX && j < in->count; j++) {
            RH_ASSERT(row < n);
            rh__balls_copy(right, row * in->count + j, field->values, rh__field_slope(field, i, j));
        }
    }
    ok = ok && (n == 0 || rh__balls_solve(n, inertia, in->count, right, in->precision, out));
    rh__balls_destroy(inertia);
    rh__balls_destroy(right);
    return ok;
}

// Slopes of a rate that has a row of its own: it may hold multipliers, which follow the variables.
static void follow(drawing *in, uint32_t i, const rh_balls *solved, rh_balls *share)
{
    const rh_field *field = in->anchor->field;
    const rh_thesis *thesis = field->thesis;
    for (uint32_t j = 0; j < in->count; j++) {
        const uint32_t to = i * in->count + j;
        rh__balls_copy(in->rates, to, field->values, rh__field_slope(field, i, j));
        for (uint32_t m = in->count; m < thesis->count; m++) {
            rh__balls_combine(share, 0, RH_BALL_MULTIPLY, field->values,
                              rh__field_slope(field, i, m), solved,
                              row_in_form(thesis, m) * in->count + j, in->precision);
            rh__balls_combine(in->rates, to, RH_BALL_ADD, in->rates, to, share, 0, in->precision);
        }
    }
}

static bool find_rates(drawing *in, rh_arena *arena)
{
    const rh_thesis *thesis = in->anchor->field->thesis;
    rh_balls *solved = rh__balls_create(arena, thesis->size * in->count);
    rh_balls *share = rh__balls_create(arena, 1);
    const bool ok = solved != NULL && share != NULL && solve_form(in, arena, solved);
    for (uint32_t i = 0; ok && i < in->count; i++) {
        const uint32_t row = row_in_form(thesis, i);
        for (uint32_t j = 0; row != UINT32_MAX && j < in->count; j++) {
            rh__balls_copy(in->rates, i * in->count + j, solved, row * in->count + j);
        }
        if (row == UINT32_MAX) {
            follow(in, i, solved, share);
        }
    }
    rh__balls_destroy(solved);
    rh__balls_destroy(share);
    return ok;
}

// Dependent variables through the others: - (levels by them)^-1 (levels by the others).
static bool find_tangent(drawing *in, rh_arena *arena)
{
    const rh_field *field = in->anchor->field;
    const uint32_t levels = in->levels;
    if (levels == 0) {
        return true;
    }
    rh_balls *left = rh__balls_create(arena, levels * levels);
    rh_balls *right = rh__balls_create(arena, levels * in->size);
    bool ok = left != NULL && right != NULL;
    for (uint32_t i = 0; ok && i < levels; i++) {
        uint32_t at[2] = {0, 0};
        for (uint32_t j = 0; j < in->count; j++) {
            RH_ASSERT(at[in->dependent[j]] < (in->dependent[j] ? levels : in->size));
            rh_balls *to = in->dependent[j] ? left : right;
            const uint32_t width = in->dependent[j] ? levels : in->size;
            const uint32_t row = field->thesis->level_first + i;
            rh__balls_copy(to, i * width + at[in->dependent[j]]++, field->values,
                           rh__field_slope(field, row, j));
        }
    }
    ok = ok && rh__balls_solve(levels, left, in->size, right, in->precision, in->tangent);
    rh__balls_destroy(left);
    rh__balls_destroy(right);
    return ok;
}

// matrix = rates by independent variables - rates by dependent ones * tangent
static bool assemble(drawing *in, rh_arena *arena)
{
    rh_balls *share = rh__balls_create(arena, 1);
    for (uint32_t a = 0; share != NULL && a < in->size; a++) {
        const uint32_t i = in->column[a];
        for (uint32_t b = 0; b < in->size; b++) {
            const uint32_t to = a * in->size + b;
            rh__balls_copy(in->matrix, to, in->rates, i * in->count + in->column[b]);
            uint32_t level = 0;
            for (uint32_t j = 0; j < in->count; j++) {
                if (in->dependent[j]) {
                    rh__balls_combine(share, 0, RH_BALL_MULTIPLY, in->rates, i * in->count + j,
                                      in->tangent, level++ * in->size + b, in->precision);
                    rh__balls_combine(in->matrix, to, RH_BALL_SUBTRACT, in->matrix, to, share, 0,
                                      in->precision);
                }
            }
        }
    }
    rh__balls_destroy(share);
    return share != NULL;
}

// Everything is defined and smooth there, and no pivot vanishes.
static bool is_valid(const rh_field *field)
{
    for (uint32_t k = 0; k < field->never_first; k++) {
        if (!rh__balls_is_finite(field->values, k)) {
            return false;
        }
    }
    for (uint32_t k = field->never_first; k < field->written_first; k++) {
        if (!rh__balls_is_nonzero(field->values, k)) {
            return false;
        }
    }
    return true;
}

rh_status rh__portrait_draw(rh_anchor *anchor, const bool *dependent, uint32_t precision,
                            rh_arena *arena, rh_portrait *out)
{
    const rh_thesis *thesis = anchor->field->thesis;
    drawing in = {.anchor = anchor,
                  .dependent = dependent,
                  .levels = thesis->demand_first - thesis->level_first,
                  .count = thesis->state_count,
                  .precision = precision};
    in.column = rh__arena_array(arena, uint32_t, (size_t)in.count + 1);
    for (uint32_t k = 0; in.column != NULL && k < in.count; k++) {
        if (!dependent[k]) {
            in.column[in.size++] = k;
        }
    }
    *out = (rh_portrait){.size = in.size};
    out->polynomial = rh__balls_create(arena, in.size + 1);
    in.rates = rh__balls_create(arena, in.count * in.count);
    in.tangent = rh__balls_create(arena, in.levels * in.size);
    in.matrix = rh__balls_create(arena, in.size * in.size);
    const bool ok = in.column != NULL && out->polynomial != NULL && in.rates != NULL &&
                    in.tangent != NULL && in.matrix != NULL;
    if (ok) {
        rh__field_look(anchor->field, anchor->box, precision);
        out->is_regular = is_valid(anchor->field) && find_rates(&in, arena) &&
                          find_tangent(&in, arena) && assemble(&in, arena);
        if (out->is_regular) {
            rh__balls_characteristic(in.size, in.matrix, precision, out->polynomial);
        }
    }
    rh__balls_destroy(in.rates);
    rh__balls_destroy(in.tangent);
    rh__balls_destroy(in.matrix);
    return ok ? RH_OK : arena->status != RH_OK ? arena->status : RH_E_LIMIT;
}

void rh__portrait_destroy(rh_portrait *portrait)
{
    rh__balls_destroy(portrait->polynomial);
    portrait->polynomial = NULL;
}
