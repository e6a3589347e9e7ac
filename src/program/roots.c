// SPDX-License-Identifier: Apache-2.0
// Roots of the perturbation equations. A part is cut into blocks that follow each other (strongly
// connected components); a block of one or two is solved in closed form, with an exact discriminant
// where the numbers of the model are exact: double roots, which every program likes, would lose
// half of their digits otherwise. Then the verdict that the roots alone give.

#include "program/program.h"

#include <math.h>
#include <string.h>

#define MULTIPLE 1e-6    // distance of roots that count as one, relative
#define NEGLIGIBLE 1e-10 // singular values that are rounding, relative

// --- blocks -------------------------------------------------------------------------------------

typedef struct blocks {
    rh_program *program;
    rh_program_part *part;
    uint32_t n;
    bool *reach;      // n x n: does column act on row, by any way?
    uint32_t *chosen; // of the block at hand
    uint32_t count;
} blocks;

static void find_ways(const blocks *in)
{
    const uint32_t n = in->n;
    for (uint32_t k = 0; k < in->part->value_count; k++) {
        const uint32_t place = in->part->places[k];
        in->reach[place] = in->part->matrix[place] != 0.0;
    }
    for (uint32_t i = 0; i < n; i++) {
        in->reach[i + (size_t)i * n] = true;
    }
    for (uint32_t k = 0; k < n; k++) {
        for (uint32_t j = 0; j < n; j++) {
            for (uint32_t i = 0; in->reach[k + (size_t)j * n] && i < n; i++) {
                in->reach[i + (size_t)j * n] |= in->reach[i + (size_t)k * n];
            }
        }
    }
}

// An entry as an exact expression where it has one; none: it moves.
static rh_expr entry_of(const blocks *in, uint32_t row, uint32_t column)
{
    rh_store *store = in->program->store;
    const uint32_t place = row + column * in->n;
    rh_expr sum = rh__expr_integer(store, 0);
    for (uint32_t k = 0; k < in->part->value_count; k++) {
        if (in->part->places[k] == place) {
            sum = rh__expr_add(store, sum, rh__program_exact(in->program, in->part->values[k]));
        }
    }
    return sum;
}

static bool add_root(const blocks *in, double real, double imaginary, bool is_exact)
{
    const rh_program_root root = {real, imaginary};
    const uint32_t at = in->program->roots.count;
    in->program->is_exact[at < RH_PROGRAM_MOST ? at : 0] = is_exact;
    in->program->root_of[at < RH_PROGRAM_MOST ? at : 0] = in->part->index[in->chosen[0]];
    return rh__array_push(&in->program->arena, &in->program->roots, root);
}

// Half the trace, the determinant and the discriminant of a block of two.
static rh_status measure_pair(const blocks *in, double out[3])
{
    rh_store *store = in->program->store;
    const uint32_t i = in->chosen[0];
    const uint32_t j = in->chosen[1];
    const double *p = in->part->matrix;
    const size_t n = in->n;
    const double a = p[i + i * n];
    const double b = p[i + j * n];
    const double c = p[j + i * n];
    const double d = p[j + j * n];
    out[0] = (a + d) / 2.0;
    out[1] = a * d - b * c;
    out[2] = (a - d) * (a - d) / 4.0 + b * c;
    if (!in->part->is_constant) {
        return RH_OK;
    }
    const rh_expr aa = entry_of(in, i, i);
    const rh_expr dd = entry_of(in, j, j);
    const rh_expr both = rh__expr_multiply(store, entry_of(in, i, j), entry_of(in, j, i));
    const rh_expr half =
        rh__expr_multiply(store, rh__expr_ratio(store, 1, 2), rh__expr_subtract(store, aa, dd));
    const rh_expr what[3] = {
        rh__expr_multiply(store, rh__expr_ratio(store, 1, 2), rh__expr_add(store, aa, dd)),
        rh__expr_subtract(store, rh__expr_multiply(store, aa, dd), both),
        rh__expr_add(store, rh__expr_multiply(store, half, half), both)};
    for (uint32_t k = 0; k < 3; k++) {
        const rh_expr e = rh__derive_fold(in->program->equations, what[k]);
        if (e.i == 0) {
            return RH_OK; // the doubles serve
        }
        RH_TRY(rh__point_evaluate(&in->program->point, &e, 1, &in->program->scratch, &out[k]));
    }
    return RH_OK;
}

static rh_status solve_pair(const blocks *in)
{
    double it[3];
    RH_TRY(measure_pair(in, it));
    const double root = sqrt(fabs(it[2]));
    bool ok = true;
    if (it[2] < 0.0) {
        ok = add_root(in, it[0], root, true) && add_root(in, it[0], -root, true);
    } else {
        const double far = it[0] + (it[0] < 0.0 ? -root : root);
        const double near = far != 0.0 ? it[1] / far : 0.0;
        ok = add_root(in, fmax(far, near), 0.0, true) && add_root(in, fmin(far, near), 0.0, true);
    }
    return ok ? RH_OK : in->program->arena.status;
}

// A constant block of rational numbers, exactly; false when the doubles have to serve.
static bool solve_exactly(const blocks *in, rh_status *out)
{
    rh_program_root roots[RH_MULTIPLE_MOST] = {{0.0, 0.0}};
    rh_expr a[RH_MULTIPLE_MOST * RH_MULTIPLE_MOST] = {{0}};
    const uint32_t m = in->count;
    if (!in->part->is_constant || m > RH_MULTIPLE_MOST) {
        return false;
    }
    for (uint32_t k = 0; k < m * m; k++) {
        a[k] = entry_of(in, in->chosen[k / m], in->chosen[k % m]);
    }
    if (!rh__multiple_roots(in->program, m, a, roots)) {
        return false;
    }
    for (uint32_t k = 0; k < m; k++) {
        if (!add_root(in, roots[k].real, roots[k].imaginary, true)) {
            *out = in->program->arena.status;
        }
    }
    return true;
}

static rh_status solve_many(const blocks *in)
{
    rh_status status = RH_OK;
    if (solve_exactly(in, &status)) {
        return status;
    }
    rh_arena *scratch = &in->program->scratch;
    const uint32_t m = in->count;
    double *a = rh__arena_array(scratch, double, (size_t)m *m + 2 * (size_t)m);
    if (a == NULL) {
        return scratch->status;
    }
    double *real = a + (size_t)m * m;
    for (uint32_t j = 0; j < m; j++) {
        for (uint32_t i = 0; i < m; i++) {
            a[i + (size_t)j * m] = in->part->matrix[in->chosen[i] + (size_t)in->chosen[j] * in->n];
        }
    }
    RH_TRY(rh__eigen_values(scratch, m, a, real, real + m));
    for (uint32_t k = 0; k < m; k++) {
        if (!add_root(in, real[k], real[m + k], false)) {
            return in->program->arena.status;
        }
    }
    return RH_OK;
}

static rh_status solve_block(const blocks *in)
{
    const uint32_t i = in->chosen[0];
    if (in->count == 1) {
        return add_root(in, in->part->matrix[i + (size_t)i * in->n], 0.0, true)
                   ? RH_OK
                   : in->program->arena.status;
    }
    return in->count == 2 ? solve_pair(in) : solve_many(in);
}

rh_status rh__program_roots(rh_program *program, rh_program_part *part)
{
    const uint32_t n = part->count;
    const rh_mark mark = rh__arena_mark(&program->scratch);
    blocks in = {.program = program, .part = part, .n = n};
    in.reach = rh__arena_array(&program->scratch, bool, (size_t)n *n + n);
    in.chosen = rh__arena_array(&program->scratch, uint32_t, (size_t)n + 1);
    if (in.reach == NULL || in.chosen == NULL) {
        return program->scratch.status;
    }
    bool *is_done = in.reach + (size_t)n * n;
    part->root = program->roots.count;
    if (!rh__vector_is_finite((size_t)n * n, part->matrix)) {
        rh__arena_rewind(&program->scratch, mark);
        return RH_OK; // no roots: said by the verdict
    }
    find_ways(&in);
    rh_status status = RH_OK;
    for (uint32_t k = 0; status == RH_OK && k < n; k++) {
        in.count = 0;
        for (uint32_t j = k; !is_done[k] && j < n; j++) {
            if (in.reach[k + (size_t)j * n] && in.reach[j + (size_t)k * n]) {
                in.chosen[in.count++] = j;
            }
        }
        for (uint32_t j = 0; j < in.count; j++) {
            is_done[in.chosen[j]] = true;
        }
        status = in.count > 0 ? solve_block(&in) : RH_OK;
    }
    part->root_count = program->roots.count - part->root;
    rh__arena_rewind(&program->scratch, mark);
    return status;
}

// --- the verdict --------------------------------------------------------------------------------

// How many independent vectors a matrix P - lambda annihilates; for a complex lambda by the real
// matrix of twice the size.
static rh_status count_vectors(rh_program *program, const rh_program_part *part,
                               rh_program_root root, uint32_t *out)
{
    const uint32_t n = part->count;
    const uint32_t m = root.imaginary != 0.0 ? 2 * n : n;
    double *a = rh__arena_array(&program->scratch, double, (size_t)m *m + 1);
    rh_svd svd;
    if (a == NULL) {
        return program->scratch.status;
    }
    for (uint32_t j = 0; j < n; j++) {
        for (uint32_t i = 0; i < n; i++) {
            const double value = part->matrix[i + (size_t)j * n] - (i == j ? root.real : 0.0);
            a[i + (size_t)j * m] = value;
            if (m > n) {
                a[n + i + (size_t)(n + j) * m] = value;
            }
        }
        if (m > n) {
            a[j + (size_t)(n + j) * m] = root.imaginary;
            a[n + j + (size_t)j * m] = -root.imaginary;
        }
    }
    RH_TRY(rh__svd_create(&program->scratch, m, m, a, &svd));
    const uint32_t rank = rh__svd_rank(&svd, NEGLIGIBLE);
    *out = (m - rank) / (m / n);
    return RH_OK;
}

// Does a root on the axis have as many vectors as it is often?
static rh_status is_semisimple(rh_program *program, const rh_program_part *part, uint32_t at,
                               bool *out)
{
    const rh_program_root *roots = program->roots.data + part->root;
    uint32_t often = 0;
    uint32_t vectors = 0;
    for (uint32_t k = 0; k < part->root_count; k++) {
        const double away =
            hypot(roots[k].real - roots[at].real, roots[k].imaginary - roots[at].imaginary);
        often += away <= MULTIPLE * (1.0 + hypot(roots[at].real, roots[at].imaginary));
    }
    RH_TRY(count_vectors(program, part, roots[at], &vectors));
    *out = vectors >= often;
    return RH_OK;
}

static bool is_linear(const rh_program *program, const rh_program_part *part, bool *out_is_smooth)
{
    bool linear = true;
    *out_is_smooth = true;
    for (uint32_t k = 0; k < program->laws.count; k++) {
        const rh_program_law *law = &program->laws.data[k];
        for (uint32_t j = 0; j < part->count; j++) {
            if (part->index[j] == law->first) {
                linear = linear && law->is_linear;
                *out_is_smooth = *out_is_smooth && law->is_smooth;
            }
        }
    }
    return linear;
}

// On the axis the first approximation of a nonlinear law says nothing, nor do rounded roots.
static rh_status judge_axis(rh_program *program, rh_program_part *part, bool is_decidable)
{
    const rh_program_root *roots = program->roots.data + part->root;
    part->verdict = is_decidable ? RH_PROGRAM_STABLE : RH_PROGRAM_INCONCLUSIVE;
    for (uint32_t k = 0; is_decidable && k < part->root_count; k++) {
        bool is_simple = true;
        if (fabs(roots[k].real) <= 1e-14 * fabs(roots[k].imaginary)) {
            RH_TRY(is_semisimple(program, part, k, &is_simple));
            part->verdict = is_simple ? part->verdict : RH_PROGRAM_UNSTABLE;
        }
    }
    return RH_OK;
}

rh_status rh__program_judge(rh_program *program, rh_program_part *part)
{
    const rh_program_root *roots = program->roots.data + part->root;
    const bool *is_exact = program->is_exact + part->root;
    bool is_smooth = true;
    const bool linear = is_linear(program, part, &is_smooth);
    bool has_axis = false;
    bool is_known = linear;
    part->verdict = part->root_count == part->count && is_smooth ? RH_PROGRAM_ASYMPTOTIC
                                                                 : RH_PROGRAM_INCONCLUSIVE;
    for (uint32_t k = 0; part->verdict == RH_PROGRAM_ASYMPTOTIC && k < part->root_count; k++) {
        const double size = hypot(roots[k].real, roots[k].imaginary);
        const double margin = is_exact[k] ? 1e-14 * size : 1e-9 * (1.0 + size);
        part->verdict = roots[k].real > margin ? RH_PROGRAM_UNSTABLE : part->verdict;
        has_axis = has_axis || fabs(roots[k].real) <= margin;
        is_known = is_known && (is_exact[k] || fabs(roots[k].real) > margin);
    }
    const rh_mark mark = rh__arena_mark(&program->scratch);
    const rh_status status = part->verdict == RH_PROGRAM_ASYMPTOTIC && has_axis
                                 ? judge_axis(program, part, is_known)
                                 : RH_OK;
    rh__arena_rewind(&program->scratch, mark);
    return status;
}
