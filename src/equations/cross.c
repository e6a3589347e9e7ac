// SPDX-License-Identifier: Apache-2.0
// `construct` builds equations from the program alone: unit inertia, and along the tangent c0 times
// the generalised cross product w of all rows S, the links' and the given vectors. w_i is the
// determinant of S with the unit row i above it: S w = 0 and |w|^2 = det(S S^T).
//
// Up to a few coordinates by minors, which are short and have no divisors. For more, Householder's
// reflections factor the first rows, S Q = [L 0; * S'], until few columns are left, n^3 operations;
// with w' the product of S', w is the product of the diagonal of L times Q [0; w'], whichever signs
// the reflections choose. They are chosen once, by the start, so that nothing cancels there and
// nothing jumps later.

#include "equations/derive.h"

#include <math.h>

enum {
    TANGENT_MINORS = 6, // columns that are left to minors: they need 2^n sums
    TANGENT_LIMIT = 40
};

#define LOST 1e-10 // singular values that are none, relative

// Entry (row, column) of S: the rows of the links, then the given vectors.
static rh_expr tangent_entry(const rh_derive *derive, uint32_t row, uint32_t column)
{
    const rh_equations *equations = derive->equations;
    const uint32_t links = equations->links.count;
    if (row < links) {
        return rh__grid_at(&equations->rows, row, column);
    }
    const rh_expr value =
        derive->model->construct.vectors[(row - links) * equations->coordinate_count + column];
    return rh__expr_is_zero(derive->store, value) ? RH_EXPR_NONE : value;
}

// --- the matrix ---------------------------------------------------------------------------------

typedef struct rows {
    rh_derive *derive;
    rh_store *store;
    uint32_t n;
    rh_expr *a;      // S^T, n x (n - 1): column j is row j of S
    rh_expr *v;      // by step: the vector of the reflection, from its own place on
    rh_expr *scale;  // by step: 2 / |v|^2
    rh_expr product; // of the diagonal
    rh_point point;  // the start as it is written
} rows;

static rh_status begin_rows(rh_derive *derive, uint32_t n, rh_layout *layout, rows *out)
{
    rh_arena *scratch = &derive->scratch;
    const size_t whole = (size_t)n * n;
    rh_expr *room = rh__arena_array(scratch, rh_expr, 2 * whole + n);
    *out = (rows){.derive = derive, .store = derive->store, .n = n, .a = room};
    if (room == NULL) {
        return scratch->status;
    }
    out->v = room + whole;
    out->scale = room + 2 * whole;
    out->product = rh__expr_integer(derive->store, 1);
    for (uint32_t j = 0; j + 1 < n; j++) {
        for (uint32_t i = 0; i < n; i++) {
            const rh_expr entry = tangent_entry(derive, j, i);
            room[i + (size_t)j * n] = entry.i != 0 ? entry : rh__expr_integer(derive->store, 0);
        }
    }
    RH_TRY(rh__layout_create(derive->equations, scratch, layout));
    RH_TRY(rh__point_create(layout, scratch, &out->point));
    return rh__start_draft(derive->equations, scratch, &out->point);
}

// --- by minors ----------------------------------------------------------------------------------

// Of rows and columns from `first` on. minor[set]: the determinant of the first |set| rows in the
// columns of the set, by expansion along the last row; shared by all larger sets.
static bool find_minors(const rows *in, uint32_t first, rh_expr *minor)
{
    rh_store *store = in->store;
    const uint32_t n = in->n - first;
    minor[0] = rh__expr_integer(store, 1);
    for (uint32_t set = 1; set < 1u << n; set++) {
        const uint32_t size = (uint32_t)__builtin_popcount(set);
        if (size >= n) {
            continue;
        }
        rh_expr sum = rh__expr_integer(store, 0);
        for (uint32_t column = 0; column < n; column++) {
            const rh_expr entry = in->a[first + column + (size_t)(first + size - 1) * in->n];
            const rh_expr rest = minor[set & ~(1u << column)];
            if ((set >> column & 1u) == 0 || rh__expr_is_zero(store, entry) ||
                rh__expr_is_zero(store, rest)) {
                continue;
            }
            // columns of the set to the right of this one
            const uint32_t after = (uint32_t)__builtin_popcount(set >> (column + 1));
            const rh_expr term = rh__expr_multiply(store, entry, rest);
            sum = after % 2 == 0 ? rh__expr_add(store, sum, term)
                                 : rh__expr_subtract(store, sum, term);
        }
        minor[set] = sum;
        if (sum.i == 0) {
            return false;
        }
    }
    return true;
}

static bool take_minors(const rows *in, uint32_t first, rh_expr *w)
{
    const uint32_t n = in->n - first;
    rh_expr *minor = rh__arena_array(&in->derive->scratch, rh_expr, (size_t)1 << n);
    if (minor == NULL || !find_minors(in, first, minor)) {
        return false;
    }
    for (uint32_t i = 0; i < in->n; i++) {
        const uint32_t own = i < first ? 0 : i - first;
        const rh_expr value =
            i < first ? rh__expr_integer(in->store, 0) : minor[((1u << n) - 1) & ~(1u << own)];
        w[i] = own % 2 == 0 ? value : rh__expr_negate(in->store, value);
    }
    return true;
}

// --- by reflections -----------------------------------------------------------------------------

// sum of x[i] y[i] from `first` on
static rh_expr dot(const rows *in, const rh_expr *x, const rh_expr *y, uint32_t first)
{
    rh_expr sum = rh__expr_integer(in->store, 0);
    for (uint32_t i = first; i < in->n; i++) {
        sum = rh__expr_add(in->store, sum, rh__expr_multiply(in->store, x[i], y[i]));
    }
    return sum;
}

// x -= v (2 v.x / |v|^2)
static void reflect(const rows *in, uint32_t step, rh_expr *x)
{
    const rh_expr *v = in->v + (size_t)step * in->n;
    const rh_expr factor = rh__expr_multiply(in->store, in->scale[step], dot(in, v, x, step));
    for (uint32_t i = step; i < in->n; i++) {
        x[i] = rh__expr_subtract(in->store, x[i], rh__expr_multiply(in->store, v[i], factor));
    }
}

// The reflection that takes row k to its diagonal, whose sign is against that of the element there
// at the start.
static rh_status make_reflection(rows *in, uint32_t k)
{
    rh_store *store = in->store;
    rh_expr *x = in->a + (size_t)k * in->n;
    rh_expr *v = in->v + (size_t)k * in->n;
    double element = 0.0;
    RH_TRY(rh__point_evaluate(&in->point, &x[k], 1, &in->derive->scratch, &element));
    const rh_expr squares = dot(in, x, x, k);
    const rh_expr length = rh__expr_sqrt(store, squares);
    const rh_expr diagonal = element < 0.0 ? length : rh__expr_negate(store, length);
    for (uint32_t i = k; i < in->n; i++) {
        v[i] = i == k ? rh__expr_subtract(store, x[i], diagonal) : x[i];
    }
    // |v|^2 = 2 (|x|^2 - diagonal x_k)
    const rh_expr half =
        rh__expr_subtract(store, squares, rh__expr_multiply(store, diagonal, x[k]));
    in->scale[k] = rh__expr_divide(store, rh__expr_integer(store, 1), half);
    in->product = rh__expr_multiply(store, in->product, diagonal);
    return RH_OK;
}

static rh_status find_product(rows *in, rh_expr *w)
{
    const uint32_t n = in->n;
    const uint32_t steps = n > TANGENT_MINORS ? n - TANGENT_MINORS : 0;
    for (uint32_t k = 0; k < steps; k++) {
        RH_TRY(make_reflection(in, k));
        for (uint32_t j = k + 1; j + 1 < n; j++) {
            reflect(in, k, in->a + (size_t)j * n);
        }
    }
    bool ok = take_minors(in, steps, w);
    for (uint32_t k = steps; ok && k-- > 0;) {
        reflect(in, k, w);
    }
    for (uint32_t i = 0; ok && i < n; i++) {
        w[i] = rh__expr_multiply(in->store, in->product, w[i]);
        ok = w[i].i != 0;
    }
    return ok ? RH_OK : rh__derive_failed(in->derive);
}

// --- the start ----------------------------------------------------------------------------------

// Does S lose its rank where the motion begins? There w is 0, and near it small.
static rh_status look_at_start(rh_derive *derive, uint32_t n, const rh_point *point)
{
    rh_equations *equations = derive->equations;
    rh_arena *scratch = &derive->scratch;
    rh_svd svd;
    double *s = rh__arena_array(scratch, double, (size_t)n *n + 1);
    if (s == NULL) {
        return scratch->status;
    }
    for (uint32_t i = 0; i + 1 < n; i++) {
        for (uint32_t j = 0; j < n; j++) {
            const rh_expr entry = tangent_entry(derive, i, j);
            if (entry.i != 0) {
                RH_TRY(rh__point_evaluate(point, &entry, 1, scratch, &s[i + (size_t)j * (n - 1)]));
            }
        }
    }
    if (!rh__vector_is_finite((size_t)n * (n - 1), s)) {
        return RH_OK; // said by the checkup
    }
    rh__matrix_scale_rows(n - 1, n, s);
    RH_TRY(rh__svd_create(scratch, n - 1, n, s, &svd));
    const uint32_t rank = rh__svd_rank(&svd, LOST);
    if (rank < n - 1) {
        rh__diagnostics_add(&equations->diagnostics, RH_DIAGNOSTIC_W115,
                            derive->model->construct.span,
                            "the rows of the constraints and the vectors of `tangent` have rank %u "
                            "instead of %u at the start: the tangent part vanishes there",
                            rank, n - 1);
        rh__diagnostics_repair(&equations->diagnostics,
                               "give vectors that do not depend on the rows and on each other");
    }
    return RH_OK;
}

// --- the whole ----------------------------------------------------------------------------------

static rh_status add_tangent(rh_derive *derive)
{
    rh_equations *equations = derive->equations;
    const rh_construct *construct = &derive->model->construct;
    const uint32_t n = equations->coordinate_count;
    if (n > TANGENT_LIMIT) {
        rh__diagnostics_add(&equations->diagnostics, RH_DIAGNOSTIC_E914, construct->span,
                            "`tangent` is built for at most %d coordinates; there are %u",
                            TANGENT_LIMIT, n);
        return RH_OK;
    }
    rh_expr *w = rh__arena_array(&derive->scratch, rh_expr, (size_t)n + 1);
    rh_layout layout;
    rows in;
    if (w == NULL) {
        return rh__derive_refused(derive);
    }
    RH_TRY(begin_rows(derive, n, &layout, &in));
    RH_TRY(find_product(&in, w));
    for (uint32_t i = 0; i < n; i++) {
        const rh_expr force =
            rh__derive_fold(equations, rh__expr_multiply(derive->store, construct->tangent, w[i]));
        if (force.i == 0) {
            return rh__derive_refused(derive);
        }
        equations->force[i] = force;
        equations->rest[i] = force;
    }
    return look_at_start(derive, n, &in.point);
}

rh_status rh__derive_construct(rh_derive *derive)
{
    const rh_construct *construct = &derive->model->construct;
    if (!construct->is_given || construct->tangent.i == 0) {
        return RH_OK;
    }
    const uint32_t wanted = derive->equations->coordinate_count;
    if (derive->equations->links.count + construct->vector_count + 1 != wanted) {
        return RH_OK; // said by the model
    }
    return add_tangent(derive);
}
