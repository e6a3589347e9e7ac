// SPDX-License-Identifier: Apache-2.0
// Verdicts. The linear part G of x' = f(x) on the manifold of the constraints, in independent
// variables; its kernel; the steady set near the point, whose dimension k is certified by walking
// along the kernel; the roots that remain, which are those of G on the complement of the kernel:
// zero roots are never told by their size (theory 6).

#include "steady/steady.h"

#include <float.h>
#include <math.h>
#include <string.h>

#define RANK 1e-9      // of singular values, relative
#define PIVOT 1e-9     // of levels, relative
#define IMAGINARY 1e-9 // real parts below so much of |root| and the pace are none
#define UNCLEAR 1e-4   // real parts below so much of it are looked at closely
#define WALK 1e-3      // along the kernel
#define FAR_WALK 0.1   // the same where what is flat must show
#define BORDER 1e-9    // a force or a distance that is none, relative

rh_status rh__judgement_reserve(const rh_reduction *reduction, rh_arena *arena, rh_judgement *out)
{
    const size_t y = (size_t)reduction->y_count + 1;
    *out = (rh_judgement){.abscissa = -INFINITY};
    out->slots = rh__arena_array(arena, uint32_t, y);
    out->matrix = rh__arena_array(arena, double, y *y);
    out->tangent = rh__arena_array(
        arena, double, (y + reduction->moving_count) * ((size_t)reduction->place_count + 1));
    out->kernel = rh__arena_array(arena, double, y *y);
    out->roots = rh__arena_array(arena, rh_steady_root, y);
    return out->slots != NULL && out->matrix != NULL && out->tangent != NULL &&
                   out->kernel != NULL && out->roots != NULL
               ? RH_OK
               : arena->status;
}

// --- independent variables -----------------------------------------------------------------------

typedef struct eliminating {
    double *row;     // level_count x place_count
    bool *is_done;   // by level
    uint32_t *pivot; // by place: its level + 1; 0: independent
    uint32_t rows, columns;
    const double *unit;     // by slot
    const uint32_t *moving; // slots of the columns
    double *size;           // by level: its largest element at first, in units
} eliminating;

// The largest element that is left in columns first ... last - 1; false: nothing is left.
static bool find_pivot(const eliminating *in, uint32_t first, uint32_t last, uint32_t *out_row,
                       uint32_t *out_column)
{
    double best = PIVOT;
    bool is_found = false;
    for (uint32_t j = first; j < last; j++) {
        for (uint32_t i = 0; i < in->rows; i++) {
            const double size = fabs(in->row[i + (size_t)j * in->rows]) * in->unit[in->moving[j]];
            if (!in->is_done[i] && size > best) {
                best = size;
                *out_row = i;
                *out_column = j;
                is_found = true;
            }
        }
    }
    return is_found;
}

static void eliminate(eliminating *in, uint32_t first, uint32_t last)
{
    uint32_t at = 0;
    uint32_t j = 0;
    while (find_pivot(in, first, last, &at, &j)) {
        const double head = in->row[at + (size_t)j * in->rows];
        in->is_done[at] = true;
        in->pivot[j] = at + 1;
        for (uint32_t k = 0; k < in->columns; k++) {
            in->row[at + (size_t)k * in->rows] /= head;
        }
        for (uint32_t i = 0; i < in->rows; i++) {
            const double share = in->row[i + (size_t)j * in->rows];
            for (uint32_t k = 0; i != at && share != 0.0 && k < in->columns; k++) {
                in->row[i + (size_t)k * in->rows] -= share * in->row[at + (size_t)k * in->rows];
            }
        }
    }
}

// Cyclic coordinates leave first: they are free to satisfy a level. Then positional ones.
static rh_status find_tangent(rh_workbench *bench, rh_judgement *out)
{
    const rh_reduction *reduction = bench->reduction;
    const uint32_t places = reduction->place_count;
    const uint32_t y = reduction->y_count;
    const uint32_t dials = reduction->moving_count - places;
    eliminating in = {.rows = reduction->level_count,
                      .columns = reduction->moving_count,
                      .unit = reduction->engine.unit,
                      .moving = reduction->moving};
    const size_t outputs = reduction->slopes.output_count;
    in.row = rh__arena_array(&bench->scratch, double, (size_t)in.rows *in.columns + 1);
    in.is_done = rh__arena_array(&bench->scratch, bool, (size_t)in.rows + 1);
    in.pivot = rh__arena_array(&bench->scratch, uint32_t, (size_t)places + 1);
    in.size = rh__arena_array(&bench->scratch, double, (size_t)in.rows + 1);
    if (in.row == NULL || in.is_done == NULL || in.pivot == NULL || in.size == NULL) {
        return bench->scratch.status;
    }
    for (uint32_t i = 0; i < in.rows; i++) {
        for (uint32_t j = 0; j < in.columns; j++) {
            const double slope = bench->jacobian[reduction->level[i] + j * outputs];
            in.row[i + (size_t)j * in.rows] = slope;
            in.size[i] = j < places ? fmax(in.size[i], fabs(slope) * in.unit[reduction->moving[j]])
                                    : in.size[i];
        }
        for (uint32_t j = 0; in.size[i] > 0.0 && j < in.columns; j++) {
            in.row[i + (size_t)j * in.rows] /= in.size[i];
        }
    }
    eliminate(&in, y, places);
    eliminate(&in, 0, y);
    out->size = 0;
    for (uint32_t j = 0; j < y; j++) {
        if (in.pivot[j] == 0) {
            out->slots[out->size++] = j;
        }
    }
    memset(out->tangent, 0, ((size_t)out->size + dials) * places * sizeof *out->tangent);
    for (uint32_t k = 0; k < out->size + dials; k++) {
        double *column = out->tangent + (size_t)k * places;
        const uint32_t own = k < out->size ? out->slots[k] : places + k - out->size;
        if (k < out->size) {
            column[own] = 1.0;
        }
        for (uint32_t j = 0; j < places; j++) {
            if (in.pivot[j] != 0) {
                column[j] = -in.row[in.pivot[j] - 1 + (size_t)own * in.rows];
            }
        }
    }
    return RH_OK;
}

rh_status rh__judge_linear(rh_workbench *bench, rh_judgement *out)
{
    const rh_reduction *reduction = bench->reduction;
    const rh_mark mark = rh__arena_mark(&bench->scratch);
    const rh_status status = find_tangent(bench, out);
    rh__arena_rewind(&bench->scratch, mark);
    RH_TRY(status);
    const size_t outputs = reduction->slopes.output_count;
    for (uint32_t k = 0; k < out->size; k++) {
        for (uint32_t i = 0; i < out->size; i++) {
            const uint32_t rate = reduction->place[out->slots[i]] - 1;
            double sum = 0.0;
            for (uint32_t j = 0; j < reduction->place_count; j++) {
                sum += bench->jacobian[rate + j * outputs] *
                       out->tangent[j + (size_t)k * reduction->place_count];
            }
            out->matrix[i + (size_t)k * out->size] = sum;
        }
    }
    for (uint32_t k = 0; k < out->size; k++) {
        out->slots[k] = reduction->place[out->slots[k]];
    }
    return RH_OK;
}

// --- the kernel ----------------------------------------------------------------------------------

typedef struct judging {
    rh_workbench *bench;
    rh_judgement *out;
    double *balance;  // size
    double *balanced; // size x size
    double *basis;    // size x size: complement of the kernel first, then the kernel
    double norm;      // largest singular value
    double off;       // of what rounding may have done to the matrix
} judging;

// The power of two next to the size of a variable: nothing is rounded by it.
static double power_of(const rh_reduction *reduction, uint32_t slot)
{
    int power = 0;
    (void)frexp(reduction->engine.unit[slot], &power);
    return ldexp(1.0, power);
}

void rh__judge_balance(const rh_reduction *reduction, uint32_t n, const uint32_t *slots,
                       const double *matrix, double *out_balance, double *out)
{
    for (uint32_t j = 0; j < n; j++) {
        const double power = power_of(reduction, slots[j]);
        for (uint32_t i = 0; i < n; i++) {
            out[i + (size_t)j * n] =
                matrix[i + (size_t)j * n] * power / power_of(reduction, slots[i]);
        }
    }
    rh__eigen_balance(n, out, out_balance);
    for (uint32_t j = 0; j < n; j++) {
        out_balance[j] *= power_of(reduction, slots[j]);
    }
    for (uint32_t j = 0; j < n; j++) {
        for (uint32_t i = 0; i < n; i++) {
            out[i + (size_t)j * n] = matrix[i + (size_t)j * n] * out_balance[j] / out_balance[i];
        }
    }
}

// Balanced matrix and an orthonormal basis: the complement of its kernel, then the kernel.
static rh_status find_kernel(judging *in, uint32_t known)
{
    rh_judgement *out = in->out;
    const uint32_t n = out->size;
    rh_arena *arena = &in->bench->scratch;
    in->balance = rh__arena_array(arena, double, (size_t)n + 1);
    in->balanced = rh__arena_array(arena, double, (size_t)n *n + 1);
    in->basis = rh__arena_array(arena, double, (size_t)n *n + 1);
    if (in->balance == NULL || in->balanced == NULL || in->basis == NULL) {
        return arena->status;
    }
    rh__judge_balance(in->bench->reduction, n, out->slots, out->matrix, in->balance, in->balanced);
    if (known != UINT32_MAX) {
        double *work = rh__arena_array(arena, double, (size_t)n *n + 2 * (size_t)n + 1);
        uint32_t *pivot = rh__arena_array(arena, uint32_t, (size_t)n + 1);
        RH_TRY(work == NULL || pivot == NULL ? arena->status : RH_OK);
        for (uint32_t j = 0; j < n; j++) {
            for (uint32_t i = 0; i < n; i++) {
                work[i + (size_t)j * n] = in->balanced[j + (size_t)i * n];
            }
        }
        double *diagonal = work + (size_t)n * n;
        rh__reflect(n, n, work, pivot, diagonal, diagonal + n);
        in->norm = n > 0 ? diagonal[0] : 0.0;
        // the kernel has the size it is known to have; next to a change of stability a root is
        // nearly zero besides, and keeps its sign
        out->measured = n - rh__reflect_rank(n, n, diagonal, RANK);
        out->is_certain = out->measured == known;
        out->nullity = known < n ? known : n;
        for (uint32_t k = 0; k < n; k++) {
            in->basis[k + (size_t)k * n] = 1.0;
            rh__reflect_apply(n, n, work, diagonal + n, false, in->basis + (size_t)k * n);
        }
    } else {
        rh_svd svd;
        RH_TRY(rh__svd_create(arena, n, n, in->balanced, &svd));
        in->norm = n > 0 ? svd.values[0] : 0.0;
        out->measured = out->nullity = n - rh__svd_rank(&svd, RANK);
        memcpy(in->basis, svd.v, (size_t)n * n * sizeof *in->basis);
    }
    const uint32_t rank = n - out->nullity;
    for (uint32_t k = 0; k < out->nullity; k++) {
        for (uint32_t i = 0; i < n; i++) {
            out->kernel[i + (size_t)k * n] = in->balance[i] * in->basis[i + (size_t)(rank + k) * n];
        }
    }
    return RH_OK;
}

// --- the steady set ------------------------------------------------------------------------------

// Rank of the matrix at the state of the bench.
static rh_status nullity_here(rh_workbench *bench, rh_judgement *work, uint32_t *out)
{
    judging in = {.bench = bench, .out = work};
    RH_TRY(rh__judge_linear(bench, work));
    RH_TRY(find_kernel(&in, UINT32_MAX));
    *out = work->nullity;
    return RH_OK;
}

static double distance_to(const rh_workbench *bench, const double *from)
{
    const rh_reduction *reduction = bench->reduction;
    double far = 0.0;
    for (uint32_t k = 0; k < reduction->y_count; k++) {
        const uint32_t slot = reduction->place[k];
        far = fmax(far, fabs(bench->values[slot] - from[slot]) /
                            rh__engine_size(&reduction->engine, slot, from[slot]));
    }
    return far;
}

typedef struct walk_def {
    uint32_t direction; // of the kernel
    double length;
} walk_def;

// Walk along one direction of the kernel and come back to the steady set. `*out`: the nullity
// there; UINT32_MAX when there is no steady motion that far away, `*out_is_blind` when that cannot
// be seen because the equations cannot be evaluated there.
static rh_status walk(judging *in, rh_judgement *work, const double *from, const double *base,
                      walk_def how, uint32_t *out, bool *out_is_blind)
{
    rh_workbench *bench = in->bench;
    const rh_reduction *reduction = bench->reduction;
    const rh_judgement *at = in->out;
    const double *kernel = at->kernel + (size_t)how.direction * at->size;
    double *move = rh__arena_array(&bench->scratch, double, (size_t)reduction->place_count + 1);
    bool *is_fixed = rh__arena_array(&bench->scratch, bool, (size_t)reduction->place_count + 1);
    double longest = 0.0;
    RH_TRY(move == NULL || is_fixed == NULL ? bench->scratch.status : RH_OK);
    for (uint32_t j = 0; j < reduction->place_count; j++) {
        for (uint32_t k = 0; k < at->size; k++) {
            move[j] += at->tangent[j + (size_t)k * reduction->place_count] * kernel[k];
        }
        if (j < reduction->y_count) {
            const uint32_t slot = reduction->place[j];
            longest = fmax(longest,
                           fabs(move[j]) / rh__engine_size(&reduction->engine, slot, from[slot]));
        }
    }
    for (uint32_t j = 0; j < reduction->place_count && longest > 0.0; j++) {
        bench->values[reduction->place[j]] =
            from[reduction->place[j]] + how.length / longest * move[j];
    }
    const rh_rest_query query = {.is_fixed = is_fixed, .extra = UINT32_MAX, .base = base};
    rh_rest_answer answer;
    *out_is_blind = !rh__workbench_look(bench);
    RH_TRY(rh__rest_solve(bench, &query, &answer));
    // on a flat place a small residual is not yet a steady motion
    RH_TRY(answer.is_found ? rh__rest_confirm(bench, &query, &answer) : RH_OK);
    *out = UINT32_MAX;
    if (answer.is_found && answer.is_sharp && distance_to(bench, from) >= 0.5 * WALK) {
        RH_TRY(nullity_here(bench, work, out));
    }
    return RH_OK;
}

// The same from where the bench stands, and back to there. Whether an answer is sharp is seen
// through rounding, which may hide it at one distance; what is flat is so at all of them. Where
// conditions switch a family may go to one side only: then it must be there on both.
static rh_status walk_about(judging *in, rh_judgement *work, const double *base, walk_def how,
                            uint32_t *out, bool *out_is_blind)
{
    static const double LENGTHS[] = {1.0, -1.0, 1.6, -0.7};
    rh_workbench *bench = in->bench;
    const size_t slots = bench->reduction->slot_count;
    const rh_mark mark = rh__arena_mark(&bench->scratch);
    double *from = rh__arena_array(&bench->scratch, double, slots + 1);
    RH_TRY(from == NULL ? bench->scratch.status : RH_OK);
    memcpy(from, bench->values, slots * sizeof *from);
    *out = UINT32_MAX;
    const bool is_sided = bench->reduction->engine.switch_count > 0;
    bool is_missing[2] = {true, is_sided};
    for (size_t k = 0; k < sizeof LENGTHS / sizeof *LENGTHS && (is_missing[0] || is_missing[1]);
         k++) {
        const walk_def this_way = {how.direction, LENGTHS[k] * how.length};
        const bool is_back = is_sided && LENGTHS[k] < 0.0;
        bool is_blind = false;
        uint32_t there = UINT32_MAX;
        RH_TRY(walk(in, work, from, base, this_way, &there, &is_blind));
        is_missing[is_back] = is_missing[is_back] && there != in->out->nullity;
        *out = k == 0 || there == in->out->nullity ? there : *out;
        *out_is_blind = k == 0 ? is_blind : *out_is_blind;
        memcpy(bench->values, from, slots * sizeof *from);
    }
    *out = is_sided && (is_missing[0] || is_missing[1]) ? UINT32_MAX : *out;
    rh__arena_rewind(&bench->scratch, mark);
    return RH_OK;
}

static rh_status certify(judging *in)
{
    rh_workbench *bench = in->bench;
    const rh_reduction *reduction = bench->reduction;
    rh_judgement *out = in->out;
    rh_judgement work;
    const uint32_t outputs = reduction->slopes.output_count;
    RH_TRY(rh__judgement_reserve(reduction, &bench->scratch, &work));
    double *base = rh__arena_array(&bench->scratch, double, (size_t)outputs + 1);
    RH_TRY(base == NULL ? bench->scratch.status : RH_OK);
    memcpy(base, bench->outputs, outputs * sizeof *base);
    out->is_certain = true;
    out->dimension = 0;
    for (uint32_t k = 0; k < out->nullity; k++) {
        for (uint32_t pass = 0; pass < 2 && (pass == 0 || out->is_certain); pass++) {
            const walk_def how = {k, pass == 0 ? WALK : FAR_WALK};
            uint32_t there = UINT32_MAX;
            bool is_blind = false;
            RH_TRY(walk_about(in, &work, base, how, &there, &is_blind));
            out->is_certain = out->is_certain && (there == out->nullity || (pass > 0 && is_blind));
            if (there != UINT32_MAX && there > out->dimension) {
                out->dimension = there;
            }
        }
    }
    if (out->nullity > 0) {
        (void)rh__workbench_slope(bench);
    }
    return RH_OK;
}

// --- roots ---------------------------------------------------------------------------------------

// The balanced matrix on the complement of its kernel.
static void find_rest(const judging *in, double *half, double *rest)
{
    const uint32_t n = in->out->size;
    const uint32_t r = n - in->out->nullity;
    for (uint32_t j = 0; j < r; j++) {
        for (uint32_t k = 0; k < n; k++) {
            const double share = in->basis[k + (size_t)j * n];
            for (uint32_t i = 0; i < n; i++) {
                half[i + (size_t)j * n] += in->balanced[i + (size_t)k * n] * share;
            }
        }
        for (uint32_t i = 0; i < r; i++) {
            rest[i + (size_t)j * r] =
                rh__vector_dot(n, in->basis + (size_t)i * n, half + (size_t)j * n);
        }
    }
}

// Without error bars; false where some root may lie on either side of the axis.
static rh_status find_quickly(judging *in, double *half, const double *rest, uint32_t *out_left,
                              bool *out_is_clear)
{
    rh_judgement *out = in->out;
    rh_arena *arena = &in->bench->scratch;
    const uint32_t r = out->size - out->nullity;
    double *re = rh__arena_array(arena, double, 2 * (size_t)r + 1);
    uint32_t *pivot = rh__arena_array(arena, uint32_t, (size_t)r + 1);
    RH_TRY(re == NULL || pivot == NULL ? arena->status : RH_OK);
    double *im = re + r;
    memcpy(half, rest, (size_t)r * r * sizeof *half);
    rh__reflect(r, r, half, pivot, re, im);
    while (*out_left < r && re[r - 1 - *out_left] <= RANK * in->norm) {
        (*out_left)++;
    }
    memcpy(half, rest, (size_t)r * r * sizeof *half);
    if (!rh__eigen_small(r, half, re, im)) {
        return RH_E_LIMIT;
    }
    *out_is_clear = true;
    for (uint32_t k = 0; k < r; k++) {
        const double size = out->pace + hypot(re[k], im[k]);
        out->roots[k] =
            (rh_steady_root){.real = re[k], .imaginary = im[k], .bar = DBL_EPSILON * in->norm};
        *out_is_clear =
            *out_is_clear && (fabs(re[k]) <= IMAGINARY * size || fabs(re[k]) > UNCLEAR * size);
    }
    return RH_OK;
}

// Eigenvalues of the balanced matrix on the complement of its kernel. `*out_left`: nullity there.
static rh_status find_roots(judging *in, bool is_quick, uint32_t *out_left)
{
    rh_judgement *out = in->out;
    rh_arena *arena = &in->bench->scratch;
    const uint32_t n = out->size;
    const uint32_t r = n - out->nullity;
    double *half = rh__arena_array(arena, double, (size_t)n *r + 1);
    double *rest = rh__arena_array(arena, double, (size_t)r *r + 1);
    RH_TRY(half == NULL || rest == NULL ? arena->status : RH_OK);
    find_rest(in, half, rest);
    *out_left = 0;
    bool is_clear = false;
    if (is_quick) {
        RH_TRY(find_quickly(in, half, rest, out_left, &is_clear));
    } else {
        rh_svd svd;
        RH_TRY(rh__svd_create(arena, r, r, rest, &svd));
        while (*out_left < r && svd.values[r - 1 - *out_left] <= RANK * in->norm) {
            (*out_left)++;
        }
    }
    if (!is_clear) {
        RH_TRY(rh__doubt_linear(in->bench, out, in->balance, &in->off));
        const rh_matrix_size size = {.norm = in->norm, .off = in->off, .pace = out->pace};
        RH_TRY(rh__bars_find(arena, r, rest, size, out->roots));
    }
    out->root_count = r;
    out->abscissa = -INFINITY;
    for (uint32_t k = 0; k < r; k++) {
        out->abscissa = fmax(out->abscissa, out->roots[k].real);
    }
    rh__roots_sort(out->roots, r);
    return RH_OK;
}

// Where the kernel is not certified it may not be one, and what is left on its complement may not
// be roots of the matrix: bars reach to those of the whole.
static rh_status widen_bars(judging *in)
{
    RH_ASSERT(in->out->root_count <= in->out->size);
    rh_judgement *out = in->out;
    rh_arena *arena = &in->bench->scratch;
    rh_steady_root *whole = rh__arena_array(arena, rh_steady_root, (size_t)out->size + 1);
    RH_TRY(whole == NULL ? arena->status : RH_OK);
    const rh_matrix_size size = {.norm = in->norm, .off = in->off, .pace = out->pace};
    RH_TRY(rh__bars_find(arena, out->size, in->balanced, size, whole));
    for (uint32_t k = 0; k < out->root_count; k++) {
        double nearest = INFINITY;
        for (uint32_t j = 0; j < out->size; j++) {
            const double gap = hypot(out->roots[k].real - whole[j].real,
                                     out->roots[k].imaginary - whole[j].imaginary);
            nearest = fmin(nearest, gap + whole[j].bar);
        }
        out->roots[k].bar = fmax(out->roots[k].bar, nearest);
    }
    return RH_OK;
}

// --- the verdict ---------------------------------------------------------------------------------

// -1: on the left, 1: on the right, 0: it cannot be told from the imaginary axis.
static int side_of(const rh_judgement *out, const rh_steady_root *root)
{
    RH_ASSERT(root->bar >= 0.0 || root->bar != root->bar);
    const double least =
        fmax(root->bar, IMAGINARY * (out->pace + hypot(root->real, root->imaginary)));
    return root->real > least ? 1 : root->real < -least ? -1 : 0;
}

static void say_stable(rh_judgement *out)
{
    RH_ASSERT(out->dimension + out->root_count >= out->size);
    if (out->dimension == 0) {
        (void)rh__text_fill(out->reason, sizeof out->reason,
                            "%s, so every motion that begins near this one tends to it",
                            out->root_count == 1 ? "the root is negative"
                                                 : "all roots have negative real parts");
    } else {
        char others[64] = "the other root has a negative real part";
        if (out->root_count != 1) {
            (void)rh__text_fill(others, sizeof others,
                                "the other %u roots have negative real parts", out->root_count);
        }
        (void)rh__text_fill(
            out->reason, sizeof out->reason,
            "%u zero root%s to the manifold of steady motions, of dimension %u, and %s: "
            "the motion is stable, and every motion near it tends to some steady motion "
            "of the manifold (Lyapunov-Malkin)",
            out->dimension, out->dimension == 1 ? " belongs" : "s belong", out->dimension, others);
    }
}

static uint32_t count_middle(const rh_judgement *it)
{
    uint32_t middle = 0;
    for (uint32_t k = 0; k < it->root_count; k++) {
        middle += side_of(it, &it->roots[k]) == 0;
    }
    return middle;
}

// The first root on the right of the axis; NULL: there is none.
static const rh_steady_root *find_right(const rh_judgement *it)
{
    for (uint32_t k = 0; k < it->root_count; k++) {
        if (side_of(it, &it->roots[k]) > 0) {
            return &it->roots[k];
        }
    }
    return NULL;
}

static rh_steady_verdict decide(const rh_judgement *it)
{
    return it->kink.is_left               ? RH_STEADY_UNSTABLE
           : it->kink.name != NULL        ? RH_STEADY_UNDECIDED
           : find_right(it) != NULL       ? RH_STEADY_UNSTABLE
           : it->border != NULL           ? RH_STEADY_UNDECIDED
           : !it->is_certain              ? RH_STEADY_DEGENERATE
           : it->zero_count > it->nullity ? RH_STEADY_NILPOTENT
           : it->root_count == 0          ? RH_STEADY_STABLE
           : count_middle(it) > 0         ? RH_STEADY_UNDECIDED
                                          : RH_STEADY_ASYMPTOTICALLY_STABLE;
}

// By one side of a surface.
static void say_leaving(rh_judgement *out)
{
    char roots[96] = "the rate there leads away from it";
    if (out->kink.has_root && out->kink.other == 0.0) {
        (void)rh__text_fill(roots, sizeof roots, "the root %.6g is positive", out->kink.root);
    } else if (out->kink.has_root) {
        (void)rh__text_fill(roots, sizeof roots,
                            "the roots %.6g +- %.6g i have a positive real part", out->kink.root,
                            out->kink.other);
    }
    (void)rh__text_fill(
        out->reason, sizeof out->reason,
        "the equations switch at this motion, where %.120s is zero; beside it %s, and "
        "motions that begin there leave it",
        out->kink.name, roots);
}

static void say_unstable(rh_judgement *out)
{
    if (out->kink.is_left) {
        say_leaving(out);
        return;
    }
    const rh_steady_root *root = find_right(out);
    if (root->imaginary == 0.0) {
        (void)rh__text_fill(out->reason, sizeof out->reason,
                            "the root %.10g is positive: motions near this one leave it",
                            root->real);
    } else {
        (void)rh__text_fill(
            out->reason, sizeof out->reason,
            "the roots %.10g +- %.10g i have a positive real part: oscillations around "
            "this motion grow",
            root->real, fabs(root->imaginary));
    }
}

static void say_undecided(rh_judgement *out)
{
    double widest = 0.0;
    if (out->kink.name != NULL) {
        (void)rh__text_fill(
            out->reason, sizeof out->reason,
            "the equations switch at this motion, where %.120s is zero: what holds "
            "there and on either side has no linear part in common, and roots decide "
            "nothing",
            out->kink.name);
        return;
    }
    if (out->border != NULL) {
        (void)rh__text_fill(
            out->reason, sizeof out->reason, "the one-sided constraint %.80s %s", out->border,
            out->is_elastic ? "throws back without loss: what has left it comes back to "
                              "it again and again, which roots do not see"
                            : "touches here without pressing: near this motion it acts "
                              "or it does not, and roots of one of both decide nothing");
        return;
    }
    for (uint32_t k = 0; k < out->root_count; k++) {
        const rh_steady_root *root = &out->roots[k];
        const double least = IMAGINARY * (out->pace + hypot(root->real, root->imaginary));
        widest = side_of(out, root) == 0 && root->bar > least ? fmax(widest, root->bar) : widest;
    }
    if (widest > 0.0) {
        (void)rh__text_fill(
            out->reason, sizeof out->reason,
            "%u of the remaining %u roots cannot be told from the imaginary axis: they "
            "are nearly multiple, and rounding moves them by %.1g; linearisation cannot "
            "decide",
            count_middle(out), out->root_count, widest);
    } else {
        (void)rh__text_fill(
            out->reason, sizeof out->reason,
            "%u of the remaining %u roots cannot be told from the imaginary axis and none "
            "is to the right of it: spectrally stable, but linearisation cannot decide; "
            "integrals, or dissipation that vanishes on the motion, may",
            count_middle(out), out->root_count);
    }
}

void rh__judgement_say(rh_judgement *out)
{
    switch (out->verdict) {
    case RH_STEADY_UNSTABLE:
        say_unstable(out);
        break;
    case RH_STEADY_DEGENERATE:
        (void)rh__text_fill(
            out->reason, sizeof out->reason,
            "the linear part has %u zero roots with eigenvectors of their own, but the "
            "steady motions near this one form no smooth set of that dimension: it is a "
            "singular point of the steady set, and the linear part decides nothing",
            out->nullity);
        break;
    case RH_STEADY_NILPOTENT:
        (void)rh__text_fill(
            out->reason, sizeof out->reason,
            "the zero root is not semisimple: %u of its %u eigenvectors are missing, and "
            "in the linear approximation disturbances grow like a power of time",
            out->zero_count - out->nullity, out->zero_count);
        break;
    case RH_STEADY_STABLE:
        (void)rh__text_fill(out->reason, sizeof out->reason,
                            out->size == 0 ? "the constraints leave no other state near this one"
                                           : "every state near this one is steady (k = N_x = %u): "
                                             "stable, not asymptotically",
                            out->size);
        break;
    case RH_STEADY_UNDECIDED:
        say_undecided(out);
        break;
    case RH_STEADY_ASYMPTOTICALLY_STABLE:
        say_stable(out);
        break;
    }
}

// A one-sided constraint that is on the border between acting and not acting, or that motions
// leave and meet again for ever.
static rh_status find_border(rh_workbench *bench, rh_judgement *out)
{
    const rh_reduction *reduction = bench->reduction;
    const rh_equations *equations = reduction->equations;
    uint32_t output = reduction->side_first;
    out->border = NULL;
    out->is_elastic = false;
    for (uint32_t k = 0; reduction->side_count > 0 && k < equations->links.count; k++) {
        const rh_link *link = &equations->links.data[k];
        if (!link->constraint->is_one_sided || !rh__link_is_enforced(link)) {
            continue;
        }
        double back = 0.0;
        if (!reduction->ground.is_off[k] && link->constraint->impact.i != 0) {
            RH_TRY(rh__point_evaluate(&reduction->ground.start, &link->constraint->impact, 1,
                                      &bench->scratch, &back));
        }
        const bool is_at = fabs(bench->outputs[output]) <= BORDER * reduction->typical[output];
        if (out->border == NULL && (is_at || back >= 1.0)) {
            out->border = reduction->side_names[output - reduction->side_first];
            out->is_elastic = !is_at;
        }
        output++;
    }
    return RH_OK;
}

rh_status rh__judge(rh_workbench *bench, uint32_t dimension, rh_judgement *out)
{
    const rh_mark mark = rh__arena_mark(&bench->scratch);
    judging in = {.bench = bench, .out = out};
    out->pace = bench->reduction->engine.pace;
    uint32_t left = 0;
    const bool is_quick = dimension != UINT32_MAX;
    rh_status status = rh__judge_linear(bench, out);
    if (status == RH_OK) {
        status = find_kernel(&in, dimension);
    }
    if (status == RH_OK && is_quick) {
        out->dimension = dimension;
    } else if (status == RH_OK) {
        status = certify(&in);
    }
    if (status == RH_OK) {
        status = find_roots(&in, is_quick, &left);
    }
    if (status == RH_OK && !is_quick && !out->is_certain) {
        status = widen_bars(&in);
    }
    rh__arena_rewind(&bench->scratch, mark);
    RH_TRY(status);
    const rh_kink_query kinks = {.row_count = bench->reduction->engine.extra_first,
                                 .asks_leaving = true};
    RH_TRY(rh__cells_compare(bench, &kinks, &out->kink));
    out->abscissa = out->kink.has_root ? out->kink.root : out->abscissa;
    status = find_border(bench, out);
    rh__arena_rewind(&bench->scratch, mark);
    RH_TRY(status);
    out->zero_count = out->nullity + left;
    out->verdict = decide(out);
    out->reason[0] = '\0';
    if (!is_quick) {
        rh__judgement_say(out);
    }
    return RH_OK;
}

rh_status rh__steady_again(rh_workbench *bench, const rh_rest_query *query, uint32_t dimension,
                           rh_rest_answer *out_answer, rh_judgement *out)
{
    RH_TRY(rh__rest_solve(bench, query, out_answer));
    return out_answer->is_found ? rh__judge(bench, dimension, out) : RH_OK;
}

const char *rh_steady_verdict_text(rh_steady_verdict verdict)
{
    static const char *const TEXTS[] = {
        "asymptotically stable", "stable", "unstable", "undecided", "degenerate", "nilpotent zero"};
    return TEXTS[verdict];
}
