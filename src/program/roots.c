// SPDX-License-Identifier: Apache-2.0
// Roots of the perturbation equations. A part is cut into blocks that follow each other (strongly
// connected components); a block of one or two is solved in closed form, with an exact discriminant
// where the numbers of the model are exact: double roots, which every program likes, would lose
// half of their digits otherwise. Then the verdict that the roots alone give.

#include "program/program.h"

#include <math.h>

enum { MOST_BRIEF = 10 }; // blocks beyond it need no exact roots where nobody wants a verdict

// --- blocks -------------------------------------------------------------------------------------

typedef struct blocks {
    rh_program *program;
    rh_program_part *part;
    uint32_t n;
    bool *reach;      // n x n: does column act on row, by any way?
    uint32_t *chosen; // of the block at hand
    uint32_t count;
} blocks;

// An entry of a constant matrix is there unless it is exactly 0: doubles may lose what is small.
static bool is_there(const blocks *in, uint32_t k)
{
    const rh_expr exact =
        in->part->is_constant ? rh__program_exact(in->program, in->part->values[k]) : RH_EXPR_NONE;
    return exact.i != 0 ? !rh__expr_is_zero(in->program->store, exact)
                        : in->part->matrix[in->part->places[k]] != 0.0;
}

static void find_ways(const blocks *in)
{
    const uint32_t n = in->n;
    for (uint32_t k = 0; k < in->part->value_count; k++) {
        RH_ASSERT(in->part->places[k] < in->n * in->n);
        in->reach[in->part->places[k]] = is_there(in, k);
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
    RH_ASSERT(row < in->n && column < in->n);
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

static bool add_root(const blocks *in, double real, double imaginary, rh_side side)
{
    RH_ASSERT(in->count > 0 && in->program->roots.count < RH_PROGRAM_MOST);
    const rh_program_root root = {real, imaginary};
    const uint32_t at = in->program->roots.count;
    in->program->side[at < RH_PROGRAM_MOST ? at : 0] = side;
    in->program->root_of[at < RH_PROGRAM_MOST ? at : 0] = in->part->index[in->chosen[0]];
    return rh__array_push(&in->program->arena, &in->program->roots, root);
}

// Half the trace, the determinant and the discriminant of a block of two, and the signs of the
// first two.
static rh_status measure_pair(const blocks *in, double out[3], int signs[2])
{
    RH_ASSERT(in->count == 2 && in->chosen[0] < in->n && in->chosen[1] < in->n);
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
    signs[0] = signs[1] = 2;
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
        if (k < 2) {
            signs[k] = rh__side_sign(in->program, e);
        }
    }
    return RH_OK;
}

// The sides of both roots from the signs of trace and determinant, the right one first.
static void find_sides(const int signs[2], rh_side out[2])
{
    RH_ASSERT(-1 <= signs[0] && signs[0] <= 2 && -1 <= signs[1] && signs[1] <= 2);
    static const rh_side BY_SIGN[] = {RH_SIDE_LEFT, RH_SIDE_AXIS, RH_SIDE_RIGHT, RH_SIDE_OPEN};
    const rh_side trace = BY_SIGN[signs[0] + 1];
    switch (signs[1]) {
    case -1: // two real ones
        out[0] = RH_SIDE_RIGHT;
        out[1] = RH_SIDE_LEFT;
        break;
    case 0: // 0 and the trace
        out[0] = trace == RH_SIDE_LEFT ? RH_SIDE_AXIS : trace;
        out[1] = trace == RH_SIDE_RIGHT ? RH_SIDE_AXIS : trace;
        break;
    case 1:
        out[0] = out[1] = trace;
        break;
    default:
        out[0] = trace == RH_SIDE_RIGHT ? RH_SIDE_RIGHT : RH_SIDE_OPEN;
        out[1] = RH_SIDE_OPEN;
    }
}

static rh_status solve_pair(const blocks *in)
{
    double it[3];
    int signs[2];
    rh_side sides[2];
    RH_TRY(measure_pair(in, it, signs));
    find_sides(signs, sides);
    const double root = sqrt(fabs(it[2]));
    bool ok = true;
    if (it[2] < 0.0) {
        const double real = sides[0] == RH_SIDE_AXIS ? 0.0 : it[0];
        ok = add_root(in, real, root, sides[0]) && add_root(in, real, -root, sides[1]);
    } else {
        const double far = it[0] + (it[0] < 0.0 ? -root : root);
        const double near = far != 0.0 ? it[1] / far : 0.0;
        ok = add_root(in, fmax(far, near), 0.0, sides[0]) &&
             add_root(in, fmin(far, near), 0.0, sides[1]);
    }
    return ok ? RH_OK : in->program->arena.status;
}

// The roots of a block by LAPACK.
static rh_status solve_roughly(const blocks *in, rh_program_root *out)
{
    RH_ASSERT(in->count <= in->n);
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
        out[k] = (rh_program_root){real[k], real[m + k]};
    }
    return RH_OK;
}

static rh_status solve_many(const blocks *in)
{
    rh_program *program = in->program;
    rh_arena *scratch = &program->scratch;
    const uint32_t m = in->count;
    rh_expr *a = rh__arena_array(scratch, rh_expr, (size_t)m * m);
    rh_program_root *roots = rh__arena_array(scratch, rh_program_root, m);
    rh_side *sides = rh__arena_array(scratch, rh_side, m); // all are open
    if (a == NULL || roots == NULL || sides == NULL) {
        return scratch->status;
    }
    bool is_found = false;
    if (in->part->is_constant && !(program->def.is_brief && m > MOST_BRIEF)) {
        for (uint32_t k = 0; k < m * m; k++) {
            a[k] = entry_of(in, in->chosen[k / m], in->chosen[k % m]);
        }
        is_found = rh__multiple_roots(program, m, a, roots, sides) ||
                   rh__side_roots(program, m, a, roots, sides);
    }
    if (!is_found) {
        RH_TRY(solve_roughly(in, roots));
    }
    for (uint32_t k = 0; k < m; k++) {
        if (!add_root(in, roots[k].real, roots[k].imaginary, sides[k])) {
            return program->arena.status;
        }
    }
    return RH_OK;
}

static rh_status solve_block(const blocks *in)
{
    static const rh_side BY_SIGN[] = {RH_SIDE_LEFT, RH_SIDE_AXIS, RH_SIDE_RIGHT, RH_SIDE_OPEN};
    const uint32_t i = in->chosen[0];
    if (in->count == 1) {
        const int sign = in->part->is_constant ? rh__side_sign(in->program, entry_of(in, i, i)) : 2;
        return add_root(in, in->part->matrix[i + (size_t)i * in->n], 0.0, BY_SIGN[sign + 1])
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

// Have the roots on the axis as many vectors as they are often? One root, or a pair, has.
static rh_program_verdict judge_axis(rh_program *program, rh_program_part *part, uint32_t often)
{
    const rh_program_root *roots = program->roots.data + part->root;
    const rh_side *sides = program->side + part->root;
    const uint32_t n = part->count;
    bool is_pair = often == 2;
    for (uint32_t k = 0; k < part->root_count; k++) {
        is_pair = is_pair && !(sides[k] == RH_SIDE_AXIS && roots[k].imaginary == 0.0);
    }
    if (often == 1 || is_pair) {
        return RH_PROGRAM_STABLE;
    }
    const blocks in = {.program = program, .part = part, .n = n};
    uint32_t vectors = 0;
    rh_expr *a =
        n <= RH_MULTIPLE_MOST ? rh__arena_array(&program->scratch, rh_expr, (size_t)n * n) : NULL;
    for (uint32_t k = 0; a != NULL && k < n * n; k++) {
        a[k] = entry_of(&in, k / n, k % n);
    }
    if (a == NULL || !rh__multiple_vectors(program, n, a, &vectors)) {
        part->lack = "several roots lie on the imaginary axis, and how many vectors they have is "
                     "not decided: their numbers are not rational, or they are too many";
        return RH_PROGRAM_INCONCLUSIVE;
    }
    return vectors == often ? RH_PROGRAM_STABLE : RH_PROGRAM_UNSTABLE;
}

// By the sides of the roots, which are proved: one on the right is enough to be unstable.
rh_status rh__program_judge(rh_program *program, rh_program_part *part)
{
    const rh_side *sides = program->side + part->root;
    uint32_t counts[] = {
        [RH_SIDE_OPEN] = 0, [RH_SIDE_LEFT] = 0, [RH_SIDE_AXIS] = 0, [RH_SIDE_RIGHT] = 0};
    part->verdict = RH_PROGRAM_INCONCLUSIVE;
    if (part->root_count != part->count || !rh__program_is_smooth(program, part)) {
        return program->scratch.status;
    }
    for (uint32_t k = 0; k < part->root_count; k++) {
        counts[sides[k]]++;
    }
    const rh_mark mark = rh__arena_mark(&program->scratch);
    if (counts[RH_SIDE_RIGHT] > 0) {
        part->verdict = RH_PROGRAM_UNSTABLE;
    } else if (counts[RH_SIDE_OPEN] > 0) {
        part->lack = "a root lies so near to the imaginary axis that its side is not decided";
    } else if (counts[RH_SIDE_AXIS] == 0) {
        part->verdict = RH_PROGRAM_ASYMPTOTIC;
    } else if (rh__program_is_linear(program, part)) {
        part->verdict = judge_axis(program, part, counts[RH_SIDE_AXIS]);
    } else {
        part->lack = "a root lies on the imaginary axis: the first approximation does not decide";
    }
    rh__arena_rewind(&program->scratch, mark);
    return program->scratch.status;
}
