// SPDX-License-Identifier: Apache-2.0
// A form solved at a point. Regular systems by LU, dense or sparse; where pivots collapse
// (redundant constraints, singular configurations) the rank that is more than rounding tells what
// is unique: rates and reactions usually are, and the multipliers are those of least norm. All of
// it is done with the scales of equalise.c, whatever the units.

#include "equations/form.h"

#include <float.h>
#include <math.h>

enum { DENSE_LIMIT = 400, SVD_LIMIT = 500 };

#define REGULAR 1e-10  // reciprocal condition above which LU is trusted
#define ROUNDINGS 64.0 // of the equations, below which what they contradict each other is none

typedef struct solving {
    const rh_form *form;
    const rh_point *point;
    const bool *is_active;
    rh_arena *arena;
    uint32_t n;
    double *entries; // values of the matrix, in its order, scaled
    double *right;
    rh_form_scales by;
} solving;

// --- values ------------------------------------------------------------------------------------

static rh_status set_all(const solving *in, const rh_definition *data, uint32_t count, bool at_once)
{
    const rh_mark mark = rh__arena_mark(in->arena);
    rh_expr *roots = rh__arena_array(in->arena, rh_expr, count);
    double *values = rh__arena_array(in->arena, double, count);
    rh_status status = roots != NULL && values != NULL ? RH_OK : in->arena->status;
    for (uint32_t k = 0; status == RH_OK && k < count; k++) {
        roots[k] = data[k].value;
    }
    if (at_once && status == RH_OK) {
        status = rh__point_evaluate(in->point, roots, count, in->arena, values);
    }
    for (uint32_t k = 0; status == RH_OK && k < count; k++) {
        if (!at_once) {
            status = rh__point_evaluate(in->point, &roots[k], 1, in->arena, &values[k]);
        }
        const uint32_t slot = rh__layout_slot(in->point->layout, data[k].symbol);
        if (slot != UINT32_MAX) {
            in->point->values[slot] = values[k];
        }
    }
    rh__arena_rewind(in->arena, mark);
    return status;
}

static bool acts(const solving *in, uint32_t row)
{
    const uint32_t link = in->form->link_of[row];
    RH_ASSERT(row < in->n && link <= in->form->equations->links.count);
    return link == 0 || in->is_active == NULL || in->is_active[link - 1];
}

// Values of all entries and right sides.
static rh_status evaluate(solving *in)
{
    RH_ASSERT(in->n == in->form->unknowns.count);
    const rh_form *form = in->form;
    const uint32_t count = form->matrix.entries.count;
    rh_expr *roots = rh__arena_array(in->arena, rh_expr, (size_t)count + in->n);
    double *values = rh__arena_array(in->arena, double, (size_t)count + in->n);
    if (roots == NULL || values == NULL) {
        return in->arena->status;
    }
    for (uint32_t k = 0; k < count; k++) {
        roots[k] = form->matrix.entries.data[k].value;
    }
    for (uint32_t k = 0; k < in->n; k++) {
        roots[count + k] = form->right[k];
    }
    RH_TRY(rh__point_evaluate(in->point, roots, count + in->n, in->arena, values));
    in->entries = values;
    in->right = values + count;
    return RH_OK;
}

static rh_status scale(solving *in)
{
    const rh_grid *matrix = &in->form->matrix;
    RH_TRY(rh__form_scale(in->form, in->entries, in->arena, &in->by));
    for (uint32_t k = 0; k < matrix->entries.count; k++) {
        const rh_entry *entry = &matrix->entries.data[k];
        RH_ASSERT(entry->row < in->n && entry->column < in->n);
        in->entries[k] *= in->by.row[entry->row] * in->by.column[entry->column];
    }
    for (uint32_t k = 0; k < in->n; k++) {
        in->right[k] *= in->by.row[k];
    }
    return RH_OK;
}

// A constraint that does not act leaves the row "multiplier = 0".
static uint32_t column_of_link(const solving *in, uint32_t row)
{
    RH_ASSERT(in->form->link_of[row] != 0);
    const rh_form *form = in->form;
    const rh_expr multiplier = form->equations->links.data[form->link_of[row] - 1].multiplier;
    for (uint32_t k = form->rate_count; k < form->unknowns.count; k++) {
        if (form->unknowns.data[k].i == multiplier.i) {
            return k;
        }
    }
    return UINT32_MAX;
}

// --- dense ---------------------------------------------------------------------------------------

static double *fill_dense(const solving *in)
{
    const rh_grid *matrix = &in->form->matrix;
    const uint32_t n = in->n;
    double *a = rh__arena_array(in->arena, double, (size_t)n *n + 1);
    if (a == NULL) {
        return NULL;
    }
    for (uint32_t k = 0; k < matrix->entries.count; k++) {
        const rh_entry *entry = &matrix->entries.data[k];
        if (acts(in, entry->row)) {
            a[entry->row + (size_t)entry->column * n] = in->entries[k];
        }
    }
    for (uint32_t row = 0; row < n; row++) {
        const uint32_t column = acts(in, row) ? UINT32_MAX : column_of_link(in, row);
        if (column != UINT32_MAX) {
            a[row + (size_t)column * n] = 1.0;
            in->right[row] = 0.0;
        }
    }
    return a;
}

// What rounding may have done to the entries and the right sides.
static void find_noise(const solving *in, double *noise, double *right)
{
    RH_ASSERT(noise != right);
    const rh_form *form = in->form;
    rh_store *store = form->equations->store;
    const void *point = in->point;
    for (uint32_t k = 0; k < form->matrix.entries.count; k++) {
        const rh_entry *entry = &form->matrix.entries.data[k];
        if (acts(in, entry->row)) {
            noise[entry->row + (size_t)entry->column * in->n] =
                rh__expr_rounding(store, entry->value, rh__point_value, point, in->arena) *
                in->by.row[entry->row] * in->by.column[entry->column];
        }
    }
    for (uint32_t k = 0; k < in->n; k++) {
        right[k] = acts(in, k) ? rh__expr_rounding(store, form->right[k], rh__point_value, point,
                                                   in->arena) *
                                     in->by.row[k]
                               : 0.0;
    }
}

typedef struct singular {
    double *column_scale; // multipliers are least in the units of the model
    double *noise;        // n x n
    double *right_noise;  // n
    bool *is_own;         // by unknown: a rate
} singular;

static bool make_singular(const solving *in, singular *out)
{
    RH_ASSERT(in->form->rate_count <= in->n);
    const size_t n = in->n;
    *out = (singular){.column_scale = rh__arena_array(in->arena, double, n),
                      .noise = rh__arena_array(in->arena, double, n *n),
                      .right_noise = rh__arena_array(in->arena, double, n),
                      .is_own = rh__arena_array(in->arena, bool, n)};
    if (out->column_scale == NULL || out->noise == NULL || out->right_noise == NULL ||
        out->is_own == NULL) {
        return false;
    }
    double least = INFINITY;
    for (uint32_t k = in->form->rate_count; k < n; k++) {
        least = fmin(least, in->by.column[k]);
    }
    for (uint32_t k = 0; k < n; k++) {
        out->is_own[k] = k < in->form->rate_count;
        out->column_scale[k] = out->is_own[k] ? 1.0 : least / in->by.column[k];
    }
    find_noise(in, out->noise, out->right_noise);
    return true;
}

// What no unknowns can reach of the right side, relative to the parts of it that should cancel;
// nothing where it is no more than what rounding can do to these equations.
static double find_residual(const solving *in, const singular *by, const rh_reveal *reveal,
                            const double *x)
{
    RH_ASSERT(reveal->n == in->n && reveal->rank <= reveal->n);
    const size_t n = in->n;
    double size = 0.0;
    double noise = 0.0;
    for (uint32_t i = 0; i < n; i++) {
        double own = by->right_noise[i];
        double share = 0.0;
        for (uint32_t j = 0; j < n; j++) {
            own += by->noise[i + j * n] * fabs(x[j]);
        }
        for (uint32_t k = 0; k < n - reveal->rank; k++) {
            share = hypot(share, reveal->left[k * n + i]);
        }
        // which combination it is is known to the last digit
        own = share * own + DBL_EPSILON * fabs(in->right[i]);
        size = hypot(size, share * in->by.excess[i] * in->right[i]);
        noise = hypot(noise, in->by.excess[i] * own);
    }
    const double lost = rh__reveal_lost(reveal, in->by.excess, in->right);
    return lost > ROUNDINGS * noise ? lost / size : 0.0;
}

// `*out_regular`: the rank is full after all.
static rh_status solve_singular(const solving *in, const double *a, double *x, bool *out_regular,
                                rh_form_result *out)
{
    const uint32_t n = in->n;
    singular by;
    double *inverse = rh__arena_array(in->arena, double, (size_t)n *n);
    if (inverse == NULL || !make_singular(in, &by)) {
        return in->arena->status;
    }
    rh__reveal_metric(n, a, by.is_own, by.noise);
    const rh_reveal_problem problem = {.n = n,
                                       .matrix = a,
                                       .noise = by.noise,
                                       .row_scale = in->by.excess,
                                       .column_scale = by.column_scale,
                                       .inverse = inverse};
    rh_reveal reveal;
    RH_TRY(rh__reveal(in->arena, &problem, &reveal));
    *out_regular = reveal.rank == n;
    for (uint32_t j = 0; j < n; j++) {
        x[j] = rh__vector_dot(n, inverse + (size_t)j * n, in->right);
        out->is_unique[j] = !reveal.is_loose[j];
    }
    out->residual = find_residual(in, &by, &reveal, x);
    return RH_OK;
}

static rh_status solve_dense(const solving *in, double *x, rh_form_result *out)
{
    const double *a = fill_dense(in);
    rh_lu lu;
    bool is_regular = true;
    if (a == NULL) {
        return in->arena->status;
    }
    RH_TRY(rh__lu_create(in->arena, in->n, a, &lu));
    out->rcond = lu.rcond;
    if (!(lu.rcond > REGULAR)) {
        RH_TRY(solve_singular(in, a, x, &is_regular, out));
        out->rcond = is_regular ? fmax(lu.rcond, DBL_MIN) : 0.0;
    }
    if (is_regular && lu.rcond > 0.0) {
        for (uint32_t k = 0; k < in->n; k++) {
            x[k] = in->right[k];
        }
        return rh__lu_solve(&lu, x, 1);
    }
    return RH_OK;
}

// --- sparse --------------------------------------------------------------------------------------

// Triplets of the matrix, and of a small -soft on the diagonal of the multipliers, by which
// redundant rows do no harm.
static rh_status fill_sparse(const solving *in, double soft, rh_sparse *out)
{
    const rh_grid *matrix = &in->form->matrix;
    const size_t most = (size_t)matrix->entries.count + 2 * (size_t)in->n;
    uint32_t *row = rh__arena_array(in->arena, uint32_t, most);
    uint32_t *column = rh__arena_array(in->arena, uint32_t, most);
    double *value = rh__arena_array(in->arena, double, most);
    if (row == NULL || column == NULL || value == NULL) {
        return in->arena->status;
    }
    uint32_t count = 0;
    for (uint32_t k = 0; k < matrix->entries.count; k++) {
        const rh_entry *entry = &matrix->entries.data[k];
        if (acts(in, entry->row)) {
            row[count] = entry->row;
            column[count] = entry->column;
            value[count++] = in->entries[k];
        }
    }
    for (uint32_t k = 0; k < in->n; k++) {
        if (!acts(in, k)) {
            row[count] = k;
            column[count] = column_of_link(in, k);
            value[count++] = 1.0;
            in->right[k] = 0.0;
        } else if (soft > 0.0 && in->form->link_of[k] != 0) {
            row[count] = k;
            column[count] = column_of_link(in, k);
            value[count++] = soft;
        }
    }
    RH_TRY(rh__sparse_create(in->arena, in->n, in->n, count, row, column, out));
    rh__sparse_fill(out, value);
    return RH_OK;
}

// A large singular system: softened, then what the solution leaves of the hard one.
static rh_status solve_soft(const solving *in, double *x, rh_form_result *out)
{
    rh_sparse soft;
    rh_sparse hard;
    rh_klu klu = {0};
    double *left = rh__arena_array(in->arena, double, (size_t)in->n + 1);
    RH_TRY(left == NULL ? in->arena->status : RH_OK);
    RH_TRY(fill_sparse(in, 1e-10, &soft));
    RH_TRY(fill_sparse(in, 0.0, &hard));
    RH_TRY(rh__klu_create(&soft, &klu));
    for (uint32_t k = 0; k < in->n; k++) {
        x[k] = in->right[k];
    }
    rh_status status = klu.rcond > 0.0 ? rh__klu_solve(&klu, x, 1) : RH_OK;
    out->residual = INFINITY;
    if (klu.rcond > 0.0 && status == RH_OK) {
        rh__sparse_multiply(&hard, x, left);
        double lost = 0.0;
        double whole = 0.0;
        for (uint32_t k = 0; k < in->n; k++) {
            lost = hypot(lost, in->by.excess[k] * (left[k] - in->right[k]));
            whole = hypot(whole, in->by.excess[k] * in->right[k]);
        }
        out->residual = lost > 1e-7 * whole ? lost / whole : 0.0;
    }
    for (uint32_t k = in->form->rate_count; k < in->n; k++) {
        out->is_unique[k] = false; // not told apart in so large a system
    }
    rh__klu_destroy(&klu);
    out->rcond = 0.0;
    return status;
}

static rh_status solve_sparse(const solving *in, double *x, rh_form_result *out)
{
    rh_sparse sparse;
    rh_klu klu = {0};
    RH_TRY(fill_sparse(in, 0.0, &sparse));
    RH_TRY(rh__klu_create(&sparse, &klu));
    rh_status status = RH_OK;
    const double rcond = klu.rcond;
    out->rcond = rcond;
    if (rcond > REGULAR) {
        for (uint32_t k = 0; k < in->n; k++) {
            x[k] = in->right[k];
        }
        status = rh__klu_solve(&klu, x, 1);
    }
    rh__klu_destroy(&klu);
    if (status != RH_OK || rcond > REGULAR) {
        return status;
    }
    if (in->n > SVD_LIMIT) {
        return solve_soft(in, x, out);
    }
    const double *a = fill_dense(in);
    bool is_regular = false;
    RH_TRY(a == NULL ? in->arena->status : solve_singular(in, a, x, &is_regular, out));
    out->rcond = is_regular ? fmax(rcond, DBL_MIN) : 0.0;
    return RH_OK;
}

// --- both ------------------------------------------------------------------------------------

rh_status rh__form_solve(const rh_form *form, const rh_point *point, const bool *is_active,
                         rh_arena *arena, rh_form_result *out)
{
    const uint32_t n = form->unknowns.count;
    solving in = {.form = form, .point = point, .is_active = is_active, .arena = arena, .n = n};
    RH_ASSERT(form->matrix.rows == n);
    *out = (rh_form_result){.rcond = 1.0, .is_unique = rh__arena_array(arena, bool, (size_t)n + 1)};
    double *x = rh__arena_array(arena, double, (size_t)n + 1);
    if (out->is_unique == NULL || x == NULL) {
        return arena->status;
    }
    for (uint32_t k = 0; k < n; k++) {
        out->is_unique[k] = true;
    }
    RH_TRY(set_all(&in, form->basis.data, form->basis.count, true));
    RH_TRY(set_all(&in, form->velocities.data, form->velocities.count, true));
    RH_TRY(set_all(&in, form->momenta.data, form->momenta.count, true));
    RH_TRY(evaluate(&in));
    if (!rh__vector_is_finite(form->matrix.entries.count, in.entries) ||
        !rh__vector_is_finite(n, in.right)) {
        out->rcond = 0.0;
        out->residual = INFINITY;
        return RH_OK;
    }
    if (n > 0) {
        RH_TRY(scale(&in));
        RH_TRY(n <= DENSE_LIMIT ? solve_dense(&in, x, out) : solve_sparse(&in, x, out));
    }
    for (uint32_t k = 0; k < n; k++) {
        rh__point_set(point, form->unknowns.data[k], in.by.column[k] * x[k]);
    }
    RH_TRY(set_all(&in, form->passives.data, form->passives.count, true));
    return set_all(&in, form->outputs.data, form->outputs.count, false);
}
