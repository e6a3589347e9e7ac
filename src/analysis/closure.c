// SPDX-License-Identifier: Apache-2.0
// The closure under brackets of the directions that linear forms allow, with numbers. Base fields
// near a point: with r independent rows and well chosen pivot columns P,
//     Z_F = 1,  Z_P = -C_P^-1 C_F,   dZ_P = -C_P^-1 (dC_F + dC_P Z_P),
// which are smooth functions with exact derivatives. [Z_a, Z_b] is exact; deeper brackets
// [Z_a, Y] = DY Z_a - DZ_a Y take DY Z_a by central differences of order six.

#include "analysis/examine.h"

#include <math.h>

enum { DEEPEST = 5 };

#define STEP 0.02

typedef struct closing {
    const rh_pfaffian *forms;
    rh_arena *scratch;
    rh_point point;  // moved about
    double *base;    // values of the point where the closure is looked at
    uint32_t *slots; // of coordinates and time
    uint32_t rank, free;
    uint32_t *rows;    // independent forms
    uint32_t *columns; // pivots first, then free ones
    double *vectors;   // orthonormal, found so far
    uint32_t count;
    bool is_doubtful; // some bracket is neither clearly new nor clearly old
} closing;

// A field: a base field, or a bracket of a base field with a field.
typedef struct field {
    uint32_t base;            // index of Z_a
    const struct field *with; // NULL: the base field itself
    uint32_t depth;
    double size; // divides a bracket, so that what is new in it has length one
} field;

// --- base fields -----------------------------------------------------------------------------

// Coefficients and partials at the present point.
typedef struct sheet {
    double *values; // of the roots
    rh_lu pivots;   // of C_P
    double *z;      // n x free
    bool is_good;
} sheet;

// Entry (i, j) of C, or of its derivative along `way` (NULL: C itself), in own numbering of rows.
static void gather(const closing *in, const sheet *at, const double *way, double *out)
{
    const rh_pfaffian *forms = in->forms;
    for (size_t k = 0; k < (size_t)in->rank * forms->n; k++) {
        out[k] = 0.0;
    }
    for (uint32_t k = 0; k < forms->root_count; k++) {
        const bool is_partial = forms->variable[k] != UINT32_MAX;
        if (is_partial != (way != NULL)) {
            continue;
        }
        const double entry = at->values[k] * forms->size[forms->column[k]];
        RH_ASSERT(forms->column[k] < forms->n && forms->size[forms->column[k]] > 0.0);
        const uint32_t by = forms->variable[k];
        const double value = is_partial ? entry * way[by] * forms->size[by] : entry;
        for (uint32_t i = 0; i < in->rank; i++) {
            if (in->rows[i] == forms->row[k]) {
                out[i + (size_t)forms->column[k] * in->rank] += value;
            }
        }
    }
}

static rh_status look(const closing *in, sheet *at)
{
    RH_ASSERT(in->rank + in->free == in->forms->n);
    const rh_pfaffian *forms = in->forms;
    const uint32_t n = forms->n;
    const uint32_t r = in->rank;
    double *c = rh__arena_array(in->scratch, double, (size_t)r *n + 1);
    double *cp = rh__arena_array(in->scratch, double, (size_t)r *r + 1);
    double *right = rh__arena_array(in->scratch, double, (size_t)r * in->free + 1);
    at->values = rh__arena_array(in->scratch, double, (size_t)forms->root_count + 1);
    at->z = rh__arena_array(in->scratch, double, (size_t)n * in->free + 1);
    if (c == NULL || cp == NULL || right == NULL || at->values == NULL || at->z == NULL) {
        return in->scratch->status;
    }
    RH_TRY(
        rh__point_evaluate(&in->point, forms->roots, forms->root_count, in->scratch, at->values));
    gather(in, at, NULL, c);
    for (uint32_t j = 0; j < r; j++) {
        for (uint32_t i = 0; i < r; i++) {
            cp[i + (size_t)j * r] = c[i + (size_t)in->columns[j] * r];
        }
    }
    for (uint32_t j = 0; j < in->free; j++) {
        for (uint32_t i = 0; i < r; i++) {
            right[i + (size_t)j * r] = -c[i + (size_t)in->columns[r + j] * r];
        }
    }
    RH_TRY(rh__lu_create(in->scratch, r, cp, &at->pivots));
    at->is_good = at->pivots.rcond > 1e-10 && rh__lu_solve(&at->pivots, right, in->free) == RH_OK;
    for (uint32_t j = 0; at->is_good && j < in->free; j++) {
        at->z[in->columns[r + j] + (size_t)j * n] = 1.0;
        for (uint32_t i = 0; i < r; i++) {
            at->z[in->columns[i] + (size_t)j * n] = right[i + (size_t)j * r];
        }
    }
    return RH_OK;
}

// d Z_a along `way`.
static rh_status turn(const closing *in, const sheet *at, uint32_t a, const double *way,
                      double *out)
{
    const uint32_t n = in->forms->n;
    const uint32_t r = in->rank;
    double *c = rh__arena_array(in->scratch, double, (size_t)r *n + 1);
    double *right = rh__arena_array(in->scratch, double, (size_t)r + 1);
    if (c == NULL || right == NULL) {
        return in->scratch->status;
    }
    gather(in, at, way, c);
    for (uint32_t i = 0; i < r; i++) {
        for (uint32_t j = 0; j < n; j++) {
            right[i] -= c[i + (size_t)j * r] * at->z[j + (size_t)a * n];
        }
    }
    RH_TRY(rh__lu_solve(&at->pivots, right, 1));
    for (uint32_t j = 0; j < n; j++) {
        out[j] = 0.0;
    }
    for (uint32_t i = 0; i < r; i++) {
        out[in->columns[i]] = right[i];
    }
    return RH_OK;
}

// --- fields ------------------------------------------------------------------------------------

static void move_to(const closing *in, const double *x)
{
    for (uint32_t k = 0; k < in->forms->n; k++) {
        in->point.values[in->slots[k]] = x[k] * in->forms->size[k];
    }
}

static rh_status value_of(closing *in, const field *y, const double *x, double *out, bool *is_good);

// D Y along `way` at x, by differences of order six.
static rh_status differentiate(closing *in, const field *y, const double *x, const double *way,
                               double *out, bool *is_good)
{
    static const double WEIGHT[] = {45.0 / 60.0, -9.0 / 60.0, 1.0 / 60.0};
    const uint32_t n = in->forms->n;
    const double size = rh__vector_norm(n, way);
    const double step = size > 0.0 ? STEP / fmax(size, 1.0) : STEP;
    double *there = rh__arena_array(in->scratch, double, (size_t)n + 1);
    double *value = rh__arena_array(in->scratch, double, (size_t)n + 1);
    if (there == NULL || value == NULL) {
        return in->scratch->status;
    }
    for (uint32_t k = 0; k < n; k++) {
        out[k] = 0.0;
    }
    for (int side = -3; side <= 3 && *is_good; side++) {
        if (side == 0) {
            continue;
        }
        const double weight = (side < 0 ? -1.0 : 1.0) * WEIGHT[(side < 0 ? -side : side) - 1];
        for (uint32_t k = 0; k < n; k++) {
            there[k] = x[k] + side * step * way[k];
        }
        RH_TRY(value_of(in, y, there, value, is_good));
        for (uint32_t k = 0; k < n; k++) {
            out[k] += weight / step * value[k];
        }
    }
    return RH_OK;
}

// The value of a field at x.
static rh_status value_of(closing *in, const field *y, const double *x, double *out, bool *is_good)
{
    const uint32_t n = in->forms->n;
    const rh_mark mark = rh__arena_mark(in->scratch);
    sheet at = {0};
    move_to(in, x);
    RH_TRY(look(in, &at));
    *is_good = *is_good && at.is_good;
    const double *za = at.z + (size_t)y->base * n;
    if (!*is_good || y->with == NULL) {
        for (uint32_t k = 0; k < n; k++) {
            out[k] = za[k];
        }
        rh__arena_rewind(in->scratch, mark);
        return RH_OK;
    }
    double *inner = rh__arena_array(in->scratch, double, (size_t)n + 1);
    double *back = rh__arena_array(in->scratch, double, (size_t)n + 1);
    if (inner == NULL || back == NULL) {
        return in->scratch->status;
    }
    if (y->with->with == NULL) {
        RH_TRY(turn(in, &at, y->with->base, za, out));
        RH_TRY(turn(in, &at, y->base, at.z + (size_t)y->with->base * n, back));
    } else {
        RH_TRY(differentiate(in, y->with, x, za, out, is_good));
        RH_TRY(value_of(in, y->with, x, inner, is_good));
        RH_TRY(turn(in, &at, y->base, inner, back));
    }
    for (uint32_t k = 0; k < n; k++) {
        out[k] = (out[k] - back[k]) / y->size;
    }
    rh__arena_rewind(in->scratch, mark);
    return RH_OK;
}

// --- closing -------------------------------------------------------------------------------------

// Gram-Schmidt, twice. True when the field is new; its direction is kept, and the field is scaled:
// units in which brackets become smaller and smaller shall not hide them.
static bool is_new(closing *in, const double *field_value, field *made)
{
    // by depth: above it is new, below it is rounding
    static const double NEW[] = {1e-8, 1e-8, 1e-6, 1e-5, 1e-4, 1e-3};
    static const double OLD[] = {1e-13, 1e-13, 1e-8, 1e-7, 1e-6, 1e-5};
    const uint32_t n = in->forms->n;
    double *value = in->vectors + (size_t)in->count * n;
    if (in->count >= n || !rh__vector_is_finite(n, field_value)) {
        in->is_doubtful = true;
        return false;
    }
    for (uint32_t k = 0; k < n; k++) {
        value[k] = field_value[k];
    }
    for (uint32_t pass = 0; pass < 2; pass++) {
        for (uint32_t c = 0; c < in->count; c++) {
            const double *other = in->vectors + (size_t)c * n;
            const double part = rh__vector_dot(n, other, value);
            for (uint32_t k = 0; k < n; k++) {
                value[k] -= part * other[k];
            }
        }
    }
    const double left = rh__vector_norm(n, value);
    const double unit = fmax(1.0, rh__vector_norm(n, field_value));
    if (!(left > NEW[made->depth] * unit)) {
        in->is_doubtful = in->is_doubtful || left > OLD[made->depth] * unit;
        return false;
    }
    for (uint32_t k = 0; k < n; k++) {
        value[k] /= left;
    }
    made->size = left;
    in->count++;
    return true;
}

// Independent rows and well conditioned pivot columns at the point.
static rh_status choose_pivots(closing *in)
{
    const rh_pfaffian *forms = in->forms;
    const uint32_t n = forms->n;
    double *values = rh__arena_array(in->scratch, double, (size_t)forms->root_count + 1);
    double *c = rh__arena_array(in->scratch, double, (size_t)forms->count *n + 1);
    double *turned = rh__arena_array(in->scratch, double, (size_t)forms->count *n + 1);
    rh_qr rows;
    rh_qr columns;
    if (values == NULL || c == NULL || turned == NULL) {
        return in->scratch->status;
    }
    RH_TRY(rh__point_evaluate(&in->point, forms->roots, forms->root_count, in->scratch, values));
    for (uint32_t k = 0; k < forms->root_count; k++) {
        if (forms->variable[k] == UINT32_MAX) {
            turned[forms->column[k] + (size_t)forms->row[k] * n] =
                values[k] * forms->size[forms->column[k]];
        }
    }
    for (uint32_t i = 0; i < forms->count; i++) { // of length one
        const double length = rh__vector_norm(n, turned + (size_t)i * n);
        for (uint32_t j = 0; length > 0.0 && j < n; j++) {
            turned[j + (size_t)i * n] /= length;
        }
    }
    RH_TRY(rh__qr_create(in->scratch, n, forms->count, turned, &rows));
    in->rank = rh__qr_rank(&rows, 1e-9);
    in->free = n - in->rank;
    in->rows = rows.permutation;
    for (uint32_t i = 0; i < in->rank; i++) {
        for (uint32_t j = 0; j < n; j++) {
            c[i + (size_t)j * in->rank] = turned[j + (size_t)in->rows[i] * n];
        }
    }
    RH_TRY(rh__qr_create(in->scratch, in->rank, n, c, &columns));
    in->columns = columns.permutation;
    return RH_OK;
}

// One round: brackets of base fields with the fields found last.
static rh_status close_round(closing *in, field **fields, uint32_t *field_count, uint32_t *first)
{
    const uint32_t n = in->forms->n;
    const uint32_t end = *field_count;
    double *value = rh__arena_array(in->scratch, double, (size_t)n + 1);
    RH_TRY(value == NULL ? in->scratch->status : RH_OK);
    for (uint32_t y = *first; y < end; y++) {
        for (uint32_t a = 0; a < in->free && in->count < n; a++) {
            if (fields[y]->with == NULL && fields[y]->base <= a) {
                continue; // antisymmetric
            }
            field *made = rh__arena_new(in->scratch, field);
            bool is_good = true;
            RH_TRY(made == NULL ? in->scratch->status : RH_OK);
            *made = (field){a, fields[y], fields[y]->depth + 1, 1.0};
            RH_TRY(value_of(in, made, in->base, value, &is_good));
            in->is_doubtful = in->is_doubtful || !is_good;
            if (is_good && is_new(in, value, made)) {
                fields[(*field_count)++] = made;
            }
        }
    }
    *first = end;
    return RH_OK;
}

static rh_status close_up(closing *in, uint32_t *out_count)
{
    const uint32_t n = in->forms->n;
    field **fields = rh__arena_array(in->scratch, field *, (size_t)n + 1);
    double *value = rh__arena_array(in->scratch, double, (size_t)n + 1);
    uint32_t field_count = 0;
    uint32_t first = 0;
    RH_TRY(fields == NULL || value == NULL ? in->scratch->status : RH_OK);
    for (uint32_t a = 0; a < in->free; a++) {
        field *made = rh__arena_new(in->scratch, field);
        bool is_good = true;
        RH_TRY(made == NULL ? in->scratch->status : RH_OK);
        *made = (field){a, NULL, 0, 1.0};
        RH_TRY(value_of(in, made, in->base, value, &is_good));
        if (is_good && is_new(in, value, made)) {
            fields[field_count++] = made;
        }
    }
    for (uint32_t depth = 1; first < field_count && in->count < n; depth++) {
        if (depth > DEEPEST) {
            *out_count = UINT32_MAX;
            return RH_OK;
        }
        RH_TRY(close_round(in, fields, &field_count, &first));
    }
    *out_count = in->is_doubtful && in->count < n ? UINT32_MAX : in->count;
    return RH_OK;
}

rh_status rh__pfaffian_close(const rh_pfaffian *forms, const rh_point *point, rh_arena *scratch,
                             double *vectors, uint32_t *out_count)
{
    const rh_equations *equations = forms->checkup->equations;
    const uint32_t n = forms->n;
    closing in = {.forms = forms, .scratch = scratch, .vectors = vectors};
    RH_TRY(rh__point_create(point->layout, scratch, &in.point));
    in.slots = rh__arena_array(scratch, uint32_t, (size_t)n + 1);
    in.base = rh__arena_array(scratch, double, (size_t)n + 1);
    RH_TRY(in.slots == NULL || in.base == NULL ? scratch->status : RH_OK);
    for (uint32_t k = 0; k < point->layout->symbols.count; k++) {
        in.point.values[k] = point->values[k];
    }
    for (uint32_t k = 0; k < n; k++) {
        const rh_expr symbol = k + 1 < n
                                   ? equations->carriers.data[k].position
                                   : rh__expr_symbol(equations->store, equations->model->time, 0);
        in.slots[k] = rh__layout_slot(point->layout, symbol);
        RH_TRY(in.slots[k] == UINT32_MAX ? RH_E_MEMORY : RH_OK); // the store refused
        in.base[k] = point->values[in.slots[k]] / forms->size[k];
    }
    RH_TRY(choose_pivots(&in));
    return close_up(&in, out_count);
}
