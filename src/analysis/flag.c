// SPDX-License-Identifier: Apache-2.0
// Integrable combinations of velocity rows. The first derived system is found with numbers,
//     n with  sum_i n_i Z^T (d w_i) Z = 0,
// Z spanning what the rows allow. When it holds just the holonomic rows, or all rows, that is the
// answer; in between the closure under brackets decides (closure.c).

#include "analysis/examine.h"

#include <math.h>
#include <stdlib.h>

enum { MOST_COORDINATES = 60, MOST_FORMS = 40 };

typedef struct flag {
    rh_checkup *checkup;
    rh_arena *scratch;
    bool *use; // by link
    uint32_t *link;
    uint32_t count; // forms
    uint32_t n;     // coordinates + 1
    rh_gradient *form;
    rh_pfaffian forms;
    double *length; // of the rows at the last point, before they were scaled to one
} flag;

// Column of a coordinate or of time.
static uint32_t column_of(const flag *in, rh_expr symbol)
{
    RH_ASSERT(in->n > 0);
    const rh_equations *equations = in->checkup->equations;
    for (uint32_t k = 0; k + 1 < in->n; k++) {
        if (equations->carriers.data[k].position.i == symbol.i) {
            return k;
        }
    }
    return in->n - 1;
}

static rh_status collect(flag *in)
{
    const rh_equations *equations = in->checkup->equations;
    const uint32_t links = equations->links.count;
    in->use = rh__arena_array(in->scratch, bool, (size_t)links + 1);
    in->link = rh__arena_array(in->scratch, uint32_t, (size_t)links + 1);
    in->form = rh__arena_array(in->scratch, rh_gradient, (size_t)links + 1);
    if (in->use == NULL || in->link == NULL || in->form == NULL) {
        return in->scratch->status;
    }
    for (uint32_t k = 0; k < links; k++) {
        in->use[k] = rh__checkup_keeps(in->checkup, k) && rh__checkup_is_form(in->checkup, k);
        if (in->use[k]) {
            RH_TRY(rh__link_differential(in->checkup, k, in->scratch, &in->form[in->count]));
            in->link[in->count++] = k;
        }
    }
    return RH_OK;
}

// --- all coefficients with their partials --------------------------------------------------------

static bool add_root(flag *in, rh_expr value, uint32_t row, uint32_t column, uint32_t variable)
{
    RH_ASSERT(row < in->count && column < in->n);
    RH_ASSERT(variable == UINT32_MAX || variable < in->n);
    rh_pfaffian *forms = &in->forms;
    const uint32_t at = forms->root_count++;
    forms->roots[at] = value;
    forms->row[at] = row;
    forms->column[at] = column;
    forms->variable[at] = variable;
    return true;
}

static rh_status collect_roots(flag *in)
{
    rh_store *store = in->checkup->equations->store;
    rh_pfaffian *forms = &in->forms;
    size_t most = 1;
    for (uint32_t i = 0; i < in->count; i++) {
        most += (size_t)in->form[i].count * (in->n + 1);
    }
    forms->roots = rh__arena_array(in->scratch, rh_expr, most);
    forms->row = rh__arena_array(in->scratch, uint32_t, most);
    forms->column = rh__arena_array(in->scratch, uint32_t, most);
    forms->variable = rh__arena_array(in->scratch, uint32_t, most);
    if (forms->roots == NULL || forms->row == NULL || forms->column == NULL ||
        forms->variable == NULL) {
        return in->scratch->status;
    }
    forms->checkup = in->checkup;
    forms->n = in->n;
    forms->count = in->count;
    forms->form = in->form;
    forms->size = rh__arena_array(in->scratch, double, in->n);
    RH_TRY(forms->size == NULL ? in->scratch->status : RH_OK);
    for (uint32_t k = 0; k < in->n; k++) {
        forms->size[k] = k + 1 < in->n ? rh__checkup_size(in->checkup, k) * in->checkup->time_size
                                       : in->checkup->time_size;
    }
    for (uint32_t i = 0; i < in->count; i++) {
        for (uint32_t k = 0; k < in->form[i].count; k++) {
            const rh_partial *part = &in->form[i].data[k];
            const uint32_t column = column_of(in, part->symbol);
            rh_gradient partials;
            add_root(in, part->value, i, column, UINT32_MAX);
            if (!rh__expr_gradient(store, part->value, RH_ROLE_COORD | RH_ROLE_TIME, in->scratch,
                                   &partials)) {
                return in->scratch->status;
            }
            for (uint32_t j = 0; j < partials.count; j++) {
                add_root(in, partials.data[j].value, i, column,
                         column_of(in, partials.data[j].symbol));
            }
        }
    }
    return RH_OK;
}

// --- the first derived system --------------------------------------------------------------------

typedef struct derived {
    uint32_t rank;      // of all rows
    uint32_t obstacles; // rank of the curls: combinations that are lost
} derived;

// Z^T dw Z of one form, pairs a < b, from dw (n x n).
static void pull_back(uint32_t n, const double *d, const double *z, uint32_t count, double *out)
{
    uint32_t at = 0;
    for (uint32_t p = 0; p < count; p++) {
        for (uint32_t q = p + 1; q < count; q++) {
            double sum = 0.0;
            for (uint32_t b = 0; b < n; b++) {
                sum +=
                    z[b + (size_t)q * n] * rh__vector_dot(n, z + (size_t)p * n, d + (size_t)b * n);
            }
            out[at++] = sum;
        }
    }
}

// Rows of length one; their curls by the same factor.
static void scale_rows(const flag *in, double *rows, double *curls)
{
    const size_t square = (size_t)in->n * in->n;
    for (uint32_t i = 0; i < in->count; i++) {
        in->length[i] = 0.0;
        for (uint32_t k = 0; k < in->n; k++) {
            in->length[i] = hypot(in->length[i], rows[i + (size_t)k * in->count]);
        }
        const double factor = in->length[i] > 0.0 ? 1.0 / in->length[i] : 1.0;
        for (uint32_t k = 0; k < in->n; k++) {
            rows[i + (size_t)k * in->count] *= factor;
        }
        for (size_t k = 0; k < square; k++) {
            curls[k + i * square] *= factor;
        }
    }
}

// Rows (count x n) and curls (n x n for each form) at a point, in sizes of coordinates.
static rh_status find_numbers(flag *in, const rh_point *point, double *rows, double *curls)
{
    const rh_pfaffian *forms = &in->forms;
    const uint32_t n = in->n;
    double *values = rh__arena_array(in->scratch, double, (size_t)forms->root_count + 1);
    in->length = rh__arena_array(in->scratch, double, (size_t)in->count + 1);
    RH_TRY(values == NULL || in->length == NULL ? in->scratch->status : RH_OK);
    RH_TRY(rh__point_evaluate(point, forms->roots, forms->root_count, in->scratch, values));
    for (uint32_t k = 0; k < forms->root_count; k++) {
        const uint32_t a = forms->variable[k];
        const uint32_t b = forms->column[k];
        if (a == UINT32_MAX) {
            rows[forms->row[k] + (size_t)b * in->count] = values[k] * forms->size[b];
        } else {
            double *d = curls + (size_t)forms->row[k] * n * n;
            d[a + (size_t)b * n] += values[k] * forms->size[a] * forms->size[b];
            d[b + (size_t)a * n] -= values[k] * forms->size[a] * forms->size[b];
        }
    }
    scale_rows(in, rows, curls);
    return RH_OK;
}

static rh_status find_derived(flag *in, const rh_point *point, derived *out)
{
    const uint32_t n = in->n;
    double *rows = rh__arena_array(in->scratch, double, (size_t)in->count *n + 1);
    double *curls = rh__arena_array(in->scratch, double, (size_t)in->count *n *n + 1);
    rh_svd svd;
    RH_TRY(rows == NULL || curls == NULL ? in->scratch->status : RH_OK);
    RH_TRY(find_numbers(in, point, rows, curls));
    RH_TRY(rh__svd_create(in->scratch, in->count, n, rows, &svd));
    out->rank = rh__svd_rank(&svd, 1e-9);
    RH_ASSERT(out->rank <= n && out->rank <= in->count);
    const uint32_t free = n - out->rank;
    const uint32_t pairs = free * (free - 1) / 2;
    double *parts = rh__arena_array(in->scratch, double, (size_t)pairs * in->count + 1);
    RH_TRY(parts == NULL ? in->scratch->status : RH_OK);
    double largest = 0.0;
    for (uint32_t i = 0; i < in->count; i++) {
        pull_back(n, curls + (size_t)i * n * n, svd.v + (size_t)out->rank * n, free,
                  parts + (size_t)i * pairs);
    }
    for (size_t k = 0; k < (size_t)pairs * in->count; k++) {
        largest = fmax(largest, fabs(parts[k]));
    }
    out->obstacles = 0;
    if (largest > 1e-9 * (svd.count > 0 ? svd.values[0] : 1.0)) {
        rh_svd lost;
        RH_TRY(rh__svd_create(in->scratch, pairs, in->count, parts, &lost));
        out->obstacles = rh__svd_rank(&lost, 1e-8);
    }
    return RH_OK;
}

// --- combinations ------------------------------------------------------------------------------

static rh_status keep_combination(flag *in, const double *column)
{
    rh_checkup *checkup = in->checkup;
    const uint32_t links = checkup->equations->links.count;
    rh_combination combination = {.factor =
                                      rh__arena_array(&checkup->arena, double, (size_t)links + 1)};
    double largest = 0.0;
    RH_TRY(combination.factor == NULL ? checkup->arena.status : RH_OK);
    double most = 0.0;
    for (uint32_t i = 0; i < in->count; i++) {
        most = fmax(most, fabs(column[i]));
    }
    for (uint32_t i = 0; i < in->count; i++) {
        // of the rows as they are written
        const double factor = fabs(column[i]) < 1e-7 * most || !(in->length[i] > 0.0)
                                  ? 0.0
                                  : column[i] / in->length[i];
        combination.factor[in->link[i]] = factor;
        largest = fabs(factor) > fabs(largest) ? factor : largest;
    }
    for (uint32_t i = 0; i < in->count; i++) {
        combination.factor[in->link[i]] /= largest;
    }
    return rh__array_push(&checkup->arena, &checkup->combinations, combination)
               ? RH_OK
               : checkup->arena.status;
}

static uint32_t count_above(const rh_svd *svd, double threshold)
{
    uint32_t count = 0;
    while (count < svd->count && svd->values[count] >= threshold) {
        count++;
    }
    return count;
}

// n with n^T rows V = 0 at the start, V the closure there. Holonomic rows are nothing new: their
// factors are asked to be zero.
static rh_status keep_combinations(flag *in, const double *vectors, uint32_t count)
{
    rh_checkup *checkup = in->checkup;
    const uint32_t n = in->n;
    const uint32_t height = count + in->count;
    double *rows = rh__arena_array(in->scratch, double, (size_t)in->count *n + 1);
    double *curls = rh__arena_array(in->scratch, double, (size_t)in->count *n *n + 1);
    double *along = rh__arena_array(in->scratch, double, (size_t)in->count *height + 1);
    rh_svd svd;
    RH_TRY(rows == NULL || along == NULL || curls == NULL ? in->scratch->status : RH_OK);
    RH_TRY(find_numbers(in, &checkup->start.point, rows, curls));
    double largest = 0.0;
    for (uint32_t i = 0; i < in->count; i++) {
        for (uint32_t k = 0; k < n; k++) {
            largest = fmax(largest, fabs(rows[i + (size_t)k * in->count]));
            for (uint32_t c = 0; c < count; c++) {
                along[c + (size_t)i * height] +=
                    rows[i + (size_t)k * in->count] * vectors[k + (size_t)c * n];
            }
        }
    }
    for (uint32_t i = 0; i < in->count; i++) {
        const rh_link *link = &checkup->equations->links.data[in->link[i]];
        if (link->constraint->kind == RH_KIND_HOLONOMIC) {
            along[count + i + (size_t)i * height] = largest;
        }
    }
    RH_TRY(rh__svd_create(in->scratch, height, in->count, along, &svd));
    const uint32_t rank = largest > 0.0 ? count_above(&svd, 1e-6 * largest) : 0;
    double *null = svd.v + (size_t)rank * in->count;
    // singular vectors of zero are any of a space: each becomes the smallest set it can be
    rh__echelon(in->count, in->count - rank, 1e-6, false, null);
    for (uint32_t k = 0; k < in->count - rank; k++) {
        RH_TRY(keep_combination(in, null + (size_t)k * in->count));
    }
    return RH_OK;
}

// Factors that are small fractions everywhere may be taken as exact: try to integrate the sum.
static rh_status integrate_combination(flag *in, rh_combination *combination)
{
    rh_checkup *checkup = in->checkup;
    rh_store *store = checkup->equations->store;
    rh_partial *sum = rh__arena_array(in->scratch, rh_partial, in->n);
    RH_TRY(sum == NULL ? in->scratch->status : RH_OK);
    for (uint32_t k = 0; k < in->n; k++) {
        sum[k].symbol = k + 1 < in->n ? checkup->equations->carriers.data[k].position
                                      : rh__expr_symbol(store, checkup->equations->model->time, 0);
        sum[k].value = rh__expr_integer(store, 0);
    }
    for (uint32_t i = 0; i < in->count; i++) {
        const double factor = combination->factor[in->link[i]];
        const double twelfth = round(factor * 12.0);
        if (fabs(twelfth - factor * 12.0) > 1e-7 || fabs(twelfth) > 1e6) {
            return RH_OK;
        }
        const rh_expr exact = rh__expr_ratio(store, (int64_t)twelfth, 12);
        for (uint32_t k = 0; k < in->form[i].count; k++) {
            rh_partial *to = &sum[column_of(in, in->form[i].data[k].symbol)];
            to->value = rh__expr_add(store, to->value,
                                     rh__expr_multiply(store, exact, in->form[i].data[k].value));
        }
    }
    uint32_t kept = 0;
    for (uint32_t k = 0; k < in->n; k++) {
        const rh_expr value = rh__derive_fold(checkup->equations, sum[k].value);
        if (!rh__expr_is_zero(store, value)) {
            sum[kept++] = (rh_partial){sum[k].symbol, value};
        }
    }
    combination->integral = rh__form_integral(checkup, sum, kept, in->scratch);
    return RH_OK;
}

static rh_status look_closer(flag *in, const rh_point *point, uint32_t holonomic)
{
    rh_checkup *checkup = in->checkup;
    double *vectors = rh__arena_array(in->scratch, double, (size_t)in->n * in->n + 1);
    uint32_t count = 0;
    RH_TRY(vectors == NULL ? in->scratch->status : RH_OK);
    RH_TRY(rh__pfaffian_close(&in->forms, point, in->scratch, vectors, &count));
    if (count == UINT32_MAX) {
        return RH_OK;
    }
    const uint32_t integrals = in->n - count;
    checkup->is_flag_known = RH_ANSWER_YES;
    checkup->hidden_integrals = integrals > holonomic ? integrals - holonomic : 0;
    if (checkup->hidden_integrals > 0) {
        RH_TRY(rh__pfaffian_close(&in->forms, &checkup->start.point, in->scratch, vectors, &count));
        RH_TRY(count != in->n - integrals ? RH_OK : keep_combinations(in, vectors, count));
        for (uint32_t k = 0; k < checkup->combinations.count; k++) {
            RH_TRY(integrate_combination(in, &checkup->combinations.data[k]));
        }
    }
    return RH_OK;
}

rh_status rh__checkup_flag(rh_checkup *checkup, rh_arena *scratch)
{
    const rh_equations *equations = checkup->equations;
    flag in = {.checkup = checkup, .scratch = scratch, .n = equations->coordinate_count + 1};
    uint32_t nonholonomic = 0;
    for (uint32_t k = 0; k < equations->links.count; k++) {
        const rh_link *link = &equations->links.data[k];
        nonholonomic += rh__checkup_keeps(checkup, k) && rh__checkup_is_form(checkup, k) &&
                        link->constraint->kind == RH_KIND_NONHOLONOMIC;
    }
    if (nonholonomic == 0 || checkup->holonomic_rank == RH_RANK_UNKNOWN) {
        checkup->is_flag_known = RH_ANSWER_YES;
        return RH_OK;
    }
    checkup->is_flag_known = RH_ANSWER_UNKNOWN;
    if (equations->coordinate_count > MOST_COORDINATES) {
        return RH_OK;
    }
    const rh_mark mark = rh__arena_mark(scratch);
    const uint32_t state = checkup->general;
    RH_TRY(collect(&in));
    RH_TRY(in.count > MOST_FORMS ? RH_OK : collect_roots(&in));
    if (in.count <= MOST_FORMS) {
        derived first;
        RH_TRY(find_derived(&in, &checkup->states[state], &first));
        if (first.rank - first.obstacles <= checkup->holonomic_rank) {
            checkup->is_flag_known = RH_ANSWER_YES;
        } else {
            RH_TRY(look_closer(&in, &checkup->states[state], checkup->holonomic_rank));
        }
        // numbers that cannot be trusted at one state may be good at another
        if (checkup->is_flag_known != RH_ANSWER_YES && state != RH_CHECKUP_FAR &&
            checkup->rank[RH_CHECKUP_FAR] == checkup->rank[state]) {
            RH_TRY(look_closer(&in, &checkup->states[RH_CHECKUP_FAR], checkup->holonomic_rank));
        }
    }
    rh__arena_rewind(scratch, mark);
    return RH_OK;
}
