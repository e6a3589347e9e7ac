// SPDX-License-Identifier: Apache-2.0
// Zeros of f on the constraints: Gauss-Newton with exact derivatives, shortest steps where the
// answer is not unique, damped (Levenberg, Marquardt) where they do not lead down. Columns are in
// units of |z| and the size of z, rows in units of their own terms. A small residual is no answer
// yet: it is sharp where nothing is left of it but the rounding of its own terms (theory 3).

#include "steady/steady.h"

#include <float.h>
#include <math.h>
#include <string.h>

#define FLAT 1e-9     // of columns that depend on each other at an answer
#define RANK 1e-10    // of columns, relative
#define FOUND 1e-10   // residual of an answer
#define ROUGH 1e-4    // the same where nothing but rounding is left
#define DRIFT 1e-3    // a step that goes on where there is nothing left to solve
#define SETTLED 1e-5  // the last step of an answer
#define STILL 2e-15   // a step that changes nothing
#define ROUNDED 1e-15 // a value that is none
#define SMALL 1e-9    // a step from which on they must get smaller
#define FLOOR 1e-3    // least unit of a row, relative to its size at a generic state
#define MOST_WORK UINT64_C(2000000000) // operations of one search
#define CALM 40.0                      // roundings that may be left of a row
#define WITHIN 4.0                     // bounds of rounding that may be left of a row
#define NEARLY 1e-13  // a residual that may be rounding of what is not seen, in units of the row
#define STAYING 1e-11 // with such a step
#define DEPENDS 1e-11 // of rows in units of their largest slope
#define SNAP 1e-7     // a value that may be zero where convergence is slow
#define REACH 0.02    // the same where it has come to an end
enum { ROUNDS = 200, DAMPINGS = 14, SLOW = 20, SHAKES = 4, POLISHES = 160, STUCK = 8, STEPS = 12 };

typedef struct solving {
    rh_workbench *bench;
    const rh_rest_query *query;
    uint32_t rows, columns;
    uint32_t *column; // moving slots
    double *unit;     // by row
    double *scale;    // by column
    double *matrix;   // (rows + columns) x columns
    double *copy;     // the same
    double *residual, *right, *step, *kept, *diagonal, *factor;
    uint32_t *pivot;
    double merit;
    uint64_t work; // operations, about
} solving;

static double *slot_of(const solving *in, uint32_t j)
{
    RH_ASSERT(j < in->columns && in->column[j] < in->bench->reduction->moving_count);
    return &in->bench->values[in->bench->reduction->moving[in->column[j]]];
}

// The size of a column's variable.
static double unit_of(const solving *in, uint32_t j)
{
    const rh_reduction *reduction = in->bench->reduction;
    return reduction->engine.unit[reduction->moving[in->column[j]]];
}

static bool reserve(solving *in)
{
    const rh_reduction *reduction = in->bench->reduction;
    const rh_rest_query *query = in->query;
    rh_arena *arena = &in->bench->scratch;
    in->column = rh__arena_array(arena, uint32_t, (size_t)reduction->place_count + 2);
    for (uint32_t k = 0; in->column != NULL && k < reduction->place_count; k++) {
        if (!query->is_fixed[k]) {
            in->column[in->columns++] = k;
        }
    }
    if (in->column != NULL && query->extra != UINT32_MAX) {
        in->column[in->columns++] = query->extra;
    }
    in->rows = reduction->y_count + reduction->level_count + query->observed_count +
               (query->normal != NULL);
    const size_t rows = (size_t)in->rows + in->columns + 1;
    const size_t columns = (size_t)in->columns + 1;
    double *numbers = rh__arena_array(arena, double, 2 * rows * columns + 4 * rows + 6 * columns);
    in->pivot = rh__arena_array(arena, uint32_t, columns);
    if (in->column == NULL || numbers == NULL || in->pivot == NULL) {
        return false;
    }
    in->matrix = numbers;
    in->copy = in->matrix + rows * columns;
    in->unit = in->copy + rows * columns;
    in->residual = in->unit + rows;
    in->right = in->residual + rows;
    in->factor = in->right + rows;
    in->scale = in->factor + rows;
    in->step = in->scale + columns;
    in->kept = in->step + columns;
    in->diagonal = in->kept + columns;
    return true;
}

// --- the equations at hand -----------------------------------------------------------------------

static uint32_t output_of(const solving *in, uint32_t row)
{
    RH_ASSERT(row < in->rows && !(in->query->normal != NULL && row + 1 == in->rows));
    const rh_reduction *reduction = in->bench->reduction;
    if (row < reduction->y_count) {
        return reduction->place[row] - 1;
    }
    row -= reduction->y_count;
    return row < reduction->level_count ? reduction->level[row]
                                        : in->query->observed[row - reduction->level_count];
}

// The left side of a row at the values of the bench.
static double value_of(const solving *in, uint32_t row)
{
    const rh_reduction *reduction = in->bench->reduction;
    const uint32_t plain = reduction->y_count + reduction->level_count;
    if (row < plain) {
        return in->bench->outputs[output_of(in, row)];
    }
    if (row < plain + in->query->observed_count) {
        return in->bench->outputs[output_of(in, row)] - in->query->wanted[row - plain];
    }
    RH_ASSERT(row + 1 == in->rows && in->query->normal != NULL);
    double sum = -in->query->level;
    for (uint32_t j = 0; j < in->columns; j++) {
        sum += in->query->normal[in->column[j]] * *slot_of(in, j);
    }
    return sum;
}

static double slope_of(const solving *in, uint32_t row, uint32_t j)
{
    const rh_workbench *bench = in->bench;
    return in->query->normal != NULL && row + 1 == in->rows
               ? in->query->normal[in->column[j]]
               : bench->jacobian[output_of(in, row) +
                                 (size_t)in->column[j] * bench->reduction->slopes.output_count];
}

// The size of the terms of the further equation, so that their rounding is none of the others.
static double size_of_extra(const solving *in)
{
    double size = 1.0;
    for (uint32_t j = 0; j < in->columns; j++) {
        size = fmax(size, fabs(in->query->normal[in->column[j]] * *slot_of(in, j)));
    }
    return size;
}

// Residual and matrix in units; hands back the largest residual in units of the terms at hand.
static double assemble(solving *in)
{
    const rh_reduction *reduction = in->bench->reduction;
    double worst = 0.0;
    for (uint32_t j = 0; j < in->columns; j++) {
        in->scale[j] =
            rh__engine_size(&reduction->engine, reduction->moving[in->column[j]], *slot_of(in, j));
    }
    in->merit = 0.0;
    for (uint32_t i = 0; i < in->rows; i++) {
        const bool is_extra = in->query->normal != NULL && i + 1 == in->rows;
        const double typical = is_extra ? size_of_extra(in) : reduction->typical[output_of(in, i)];
        const double value = value_of(in, i);
        double terms = FLOOR * typical;
        for (uint32_t j = 0; j < in->columns; j++) {
            const double slope = slope_of(in, i, j) * in->scale[j];
            in->matrix[i + (size_t)j * in->rows] = slope / typical;
            terms = fmax(terms, fabs(slope));
        }
        RH_ASSERT(typical > 0.0);
        in->unit[i] = typical;
        in->residual[i] = value / typical;
        in->merit += in->residual[i] * in->residual[i];
        worst = fmax(worst, fabs(value) / terms);
    }
    return worst;
}

// The sum of squares at the values of the bench, in the units of the last assembly.
static double merit_now(const solving *in)
{
    double sum = 0.0;
    for (uint32_t i = 0; i < in->rows; i++) {
        RH_ASSERT(in->unit[i] > 0.0);
        const double share = value_of(in, i) / in->unit[i];
        sum += share * share;
    }
    return sum;
}

// --- steps ---------------------------------------------------------------------------------------

// The shortest solution, where columns depend on each other.
static rh_status find_shortest(solving *in)
{
    RH_ASSERT(in->step != in->residual);
    rh_arena *arena = &in->bench->scratch;
    const rh_mark mark = rh__arena_mark(arena);
    rh_svd svd;
    const rh_status status = rh__svd_create(arena, in->rows, in->columns, in->matrix, &svd);
    if (status == RH_OK) {
        rh__svd_solve(&svd, rh__svd_rank(&svd, RANK), in->residual, in->step);
    }
    rh__arena_rewind(arena, mark);
    return status;
}

// The step with some damping, relative to the largest column; 0: none.
static rh_status find_step(solving *in, double damping)
{
    const uint32_t rows = damping > 0.0 ? in->rows + in->columns : in->rows;
    memset(in->right, 0, ((size_t)in->rows + in->columns) * sizeof *in->right);
    memcpy(in->right, in->residual, in->rows * sizeof *in->right);
    for (uint32_t j = 0; j < in->columns; j++) {
        double *column = in->copy + (size_t)j * rows;
        memcpy(column, in->matrix + (size_t)j * in->rows, in->rows * sizeof *column);
        for (uint32_t i = in->rows; i < rows; i++) {
            column[i] = i - in->rows == j ? damping : 0.0;
        }
    }
    rh__reflect(rows, in->columns, in->copy, in->pivot, in->diagonal, in->factor);
    if (rows < in->columns ||
        rh__reflect_rank(rows, in->columns, in->diagonal, RANK) < in->columns) {
        return find_shortest(in);
    }
    rh__reflect_solve(rows, in->columns, in->copy, in->pivot, in->diagonal, in->factor, in->right,
                      in->step);
    return RH_OK;
}

static double take_step(solving *in)
{
    double size = 0.0;
    for (uint32_t j = 0; j < in->columns; j++) {
        in->kept[j] = *slot_of(in, j);
        *slot_of(in, j) -= in->step[j] * in->scale[j];
        size = fmax(size, fabs(in->step[j]));
    }
    return size;
}

static void take_back(solving *in)
{
    for (uint32_t j = 0; j < in->columns; j++) {
        *slot_of(in, j) = in->kept[j];
    }
}

// Operations of one step: the runs of the tangent, and reflections.
static uint64_t work_of(const solving *in)
{
    const rh_slopes *slopes = &in->bench->reduction->slopes;
    const uint64_t runs =
        slopes->directions > 0 ? slopes->moving_count / slopes->directions + 1 : 1;
    const uint64_t slots = slopes->tape != NULL ? slopes->tape->slot_count : 1;
    const uint64_t rows = (uint64_t)in->rows + in->columns;
    return 4 * runs * slots + 4 * rows * in->columns * in->columns;
}

// One round: a step that leads down, with slopes at its end. False: there is none.
static rh_status go(solving *in, double *out_size, bool *out_is_down)
{
    // Near a family of answers some directions are hardly there, and would lead far away along it.
    // Damping by the residual keeps the step short and the convergence quadratic.
    double damping = fmin(sqrt(in->merit), 1.0);
    *out_is_down = false;
    for (uint32_t k = 0; k < DAMPINGS && !*out_is_down && in->work < MOST_WORK; k++) {
        const rh_status status = find_step(in, damping);
        in->work += work_of(in);
        if (status != RH_OK) {
            return status == RH_E_ARGUMENT || status == RH_E_LIMIT ? RH_OK : status;
        }
        *out_size = take_step(in);
        const bool is_sound = isfinite(*out_size) && rh__workbench_slope(in->bench);
        const double merit = is_sound ? merit_now(in) : INFINITY;
        // near the answer rounding decides: a step that is hardly one may lead anywhere
        *out_is_down = merit < in->merit * (1.0 - 1e-4) || (is_sound && *out_size < 1e-12) ||
                       (is_sound && merit < 1e-28);
        if (!*out_is_down) {
            take_back(in);
            damping = fmax(damping * 5.0, 1e-4);
        }
    }
    return RH_OK;
}

// What is zero but for rounding becomes zero, where that does no harm.
static bool round_off(solving *in, double residual)
{
    bool is_changed = false;
    for (uint32_t j = 0; j < in->columns; j++) {
        double *value = slot_of(in, j);
        in->kept[j] = *value;
        const bool is_small = fabs(*value) < ROUNDED * unit_of(in, j);
        is_changed = is_changed || (*value != 0.0 && is_small);
        *value = is_small ? 0.0 : *value;
    }
    if (!is_changed) {
        return true;
    }
    if (rh__workbench_slope(in->bench) && assemble(in) <= fmax(residual, 1e-12)) {
        return true;
    }
    take_back(in);
    return rh__workbench_slope(in->bench);
}

// Directions in which y can still be moved: the kernel of all columns without that of the cyclic
// coordinates alone. The reflections of all columns are there; they are spoilt.
static uint32_t count_loose(solving *in)
{
    const uint32_t kernel =
        in->columns - rh__reflect_rank(in->rows, in->columns, in->diagonal, FLAT);
    uint32_t followers = 0;
    for (uint32_t j = 0; j < in->columns; j++) {
        const uint32_t place = in->column[j];
        if (place >= in->bench->reduction->y_count && place < in->bench->reduction->place_count) {
            memcpy(in->copy + (size_t)followers++ * in->rows, in->matrix + (size_t)j * in->rows,
                   in->rows * sizeof *in->copy);
        }
    }
    if (followers == 0 || kernel == 0) {
        return kernel;
    }
    rh__reflect(in->rows, followers, in->copy, in->pivot, in->diagonal, in->factor);
    const uint32_t own = followers - rh__reflect_rank(in->rows, followers, in->diagonal, FLAT);
    return kernel > own ? kernel - own : 0;
}

// --- sharpness -----------------------------------------------------------------------------------

// What is shaken besides the values of rows with slopes: nothing, values and parameters, or these
// alone, and no values at all.
typedef enum shaking { NOTHING, ALL, PARAMETERS } shaking;

// What rounding does to each row: of the values, by its slopes, and of its own evaluation, seen
// when values and parameters are shaken by a few roundings. A value of zero stays: so flat rows are
// not excused.
static bool find_rounding(solving *in, shaking what, double *out)
{
    rh_workbench *bench = in->bench;
    const rh_reduction *reduction = bench->reduction;
    const uint32_t outputs = reduction->slopes.output_count;
    for (uint32_t i = 0; i < in->rows; i++) {
        out[i] = 0.0;
        for (uint32_t j = 0; what != PARAMETERS && j < in->columns; j++) {
            out[i] += 4.0 * DBL_EPSILON * fabs(slope_of(in, i, j) * *slot_of(in, j));
        }
    }
    if (what == NOTHING) {
        return true;
    }
    const double share = what == ALL ? 4.0 * DBL_EPSILON : 0.0;
    rh_arena *arena = &bench->scratch;
    const rh_mark mark = rh__arena_mark(arena);
    double *values = rh__arena_array(arena, double, (size_t)reduction->slot_count + 1);
    double *kept = rh__arena_array(arena, double, (size_t)outputs + 1);
    if (values == NULL || kept == NULL) {
        return false;
    }
    rh_random random = rh__random_begin(4711);
    memcpy(values, bench->values, reduction->slot_count * sizeof *values);
    memcpy(kept, bench->outputs, outputs * sizeof *kept);
    for (uint32_t k = 0; k < SHAKES; k++) {
        for (uint32_t j = 1; j < reduction->slot_count; j++) {
            bench->values[j] = values[j] * (1.0 + share * rh__random_uniform(&random, -1.0, 1.0));
        }
        rh__tape_bind_like(bench->state, reduction->shaken[k % RH_STEADY_SHAKEN]);
        const bool is_sound = rh__workbench_look(bench);
        for (uint32_t i = 0; is_sound && i < in->rows; i++) {
            out[i] = fmax(out[i], fabs(value_of(in, i) - in->residual[i] * in->unit[i]));
        }
    }
    rh__tape_bind_like(bench->state, reduction->bound);
    memcpy(bench->values, values, reduction->slot_count * sizeof *values);
    memcpy(bench->outputs, kept, outputs * sizeof *kept);
    rh__arena_rewind(arena, mark);
    return true;
}

// By row: what its evaluation and the last digits of values may be off by. False: no bound.
static bool find_bounds(solving *in, double *out)
{
    const double *bounds = in->bench->output_bounds;
    const uint32_t plain = in->bench->reduction->y_count + in->bench->reduction->level_count;
    if (!rh__workbench_doubt(in->bench, NULL)) {
        return false;
    }
    for (uint32_t i = 0; i < in->rows; i++) {
        const bool is_extra = in->query->normal != NULL && i + 1 == in->rows;
        double bound = is_extra ? DBL_EPSILON * fabs(in->query->level) : bounds[output_of(in, i)];
        for (uint32_t j = 0; is_extra && j < in->columns; j++) {
            bound += DBL_EPSILON * fabs(in->query->normal[in->column[j]] * *slot_of(in, j));
        }
        bound += !is_extra && i >= plain ? DBL_EPSILON * fabs(in->query->wanted[i - plain]) : 0.0;
        out[i] = WITHIN * bound;
    }
    return true;
}

// Is no more left of any row than that?
static bool is_within_rounding(solving *in)
{
    bool is_fine = find_bounds(in, in->factor);
    for (uint32_t i = 0; is_fine && i < in->rows; i++) {
        is_fine = fabs(value_of(in, i)) <= in->factor[i];
    }
    return is_fine;
}

// Is nothing left of any row but rounding? What is left of it elsewhere may be left here too.
static bool is_sharp(solving *in, double *rounding)
{
    bool is_fine = false;
    (void)assemble(in);
    for (uint32_t pass = 0; pass < 2 && !is_fine; pass++) {
        if (!find_rounding(in, pass > 0 ? ALL : NOTHING, rounding)) {
            return false;
        }
        is_fine = true;
        for (uint32_t i = 0; is_fine && i < in->rows; i++) {
            const bool is_extra = in->query->normal != NULL && i + 1 == in->rows;
            const double base = in->query->base != NULL && !is_extra
                                    ? fabs(in->query->base[output_of(in, i)])
                                    : 0.0;
            is_fine = fabs(value_of(in, i)) <= CALM * rounding[i] + 1.2 * base;
        }
    }
    return is_fine;
}

// The whole step of Newton, with rows in units of their largest slopes: a row that is flat counts
// as much as any other.
static rh_status find_whole_step(solving *in)
{
    rh_arena *arena = &in->bench->scratch;
    const rh_mark mark = rh__arena_mark(arena);
    rh_svd svd;
    for (uint32_t i = 0; i < in->rows; i++) {
        double largest = 0.0;
        for (uint32_t j = 0; j < in->columns; j++) {
            largest = fmax(largest, fabs(in->matrix[i + (size_t)j * in->rows]));
        }
        const double unit = largest > 0.0 ? largest : 1.0;
        in->right[i] = in->residual[i] / unit;
        for (uint32_t j = 0; j < in->columns; j++) {
            in->copy[i + (size_t)j * in->rows] = in->matrix[i + (size_t)j * in->rows] / unit;
        }
    }
    const rh_status status = rh__svd_create(arena, in->rows, in->columns, in->copy, &svd);
    if (status == RH_OK) {
        rh__svd_solve(&svd, rh__svd_rank(&svd, DEPENDS), in->right, in->step);
    }
    rh__arena_rewind(arena, mark);
    return status;
}

// Values that slow convergence leads to zero become zero, if the answer is sharp then.
static bool snap(solving *in, double size, double *rounding)
{
    bool is_changed = false;
    for (uint32_t j = 0; j < in->columns; j++) {
        double *value = slot_of(in, j);
        in->kept[j] = *value;
        const bool is_small = fabs(*value) < size * unit_of(in, j);
        is_changed = is_changed || (*value != 0.0 && is_small);
        *value = is_small ? 0.0 : *value;
    }
    if (is_changed && rh__workbench_slope(in->bench) && is_sharp(in, rounding)) {
        return true;
    }
    take_back(in);
    return false;
}

// Whole steps until the answer is sharp. False: it does not become so.
static rh_status polish(solving *in, double *rounding, double *out_step, bool *out)
{
    double best = INFINITY;
    uint32_t stuck = 0;
    rh_status status = RH_OK;
    *out = is_sharp(in, rounding);
    for (uint32_t k = 0; k < POLISHES && !*out && stuck < STUCK && in->work < MOST_WORK; k++) {
        status = find_whole_step(in);
        if (status != RH_OK) {
            return status == RH_E_ARGUMENT || status == RH_E_LIMIT ? RH_OK : status;
        }
        in->work += work_of(in);
        stuck += in->merit > 0.9 * best;
        best = fmin(best, in->merit);
        const double size = take_step(in);
        *out_step = k == 0 ? size : *out_step;
        if (!isfinite(size) || !rh__workbench_slope(in->bench)) {
            return RH_OK;
        }
        *out = is_sharp(in, rounding) || (k >= SLOW && snap(in, SNAP, rounding));
        if (!*out && k >= SLOW) { // slopes as they were before snapping
            (void)rh__workbench_slope(in->bench);
            (void)assemble(in);
        }
    }
    // where families meet (x' = y - x, y' = x - y - y^3) a slope is lost in others long before
    // values are small
    for (double size = SNAP; !*out && size < REACH; size *= 10.0) {
        *out = snap(in, size, rounding);
    }
    return RH_OK;
}

// Is hardly anything left, beside what the slopes of each row do? Of a flat row that says nothing.
static bool is_nearly(const solving *in)
{
    bool is_fine = true;
    for (uint32_t i = 0; is_fine && i < in->rows; i++) {
        double largest = 0.0;
        for (uint32_t j = 0; j < in->columns; j++) {
            largest = fmax(largest, fabs(in->matrix[i + (size_t)j * in->rows]));
        }
        is_fine = fabs(in->residual[i]) <= NEARLY * largest;
    }
    return is_fine;
}

// Whole steps to where no more is left than bounds of rounding. False: as it was.
static rh_status come_within(solving *in, bool *out)
{
    rh_arena *arena = &in->bench->scratch;
    const rh_mark mark = rh__arena_mark(arena);
    const size_t slots = in->bench->reduction->slot_count;
    double *values = rh__arena_array(arena, double, slots + 1);
    double way = 0.0;
    rh_status status = values == NULL ? arena->status : RH_OK;
    *out = false;
    if (status == RH_OK) {
        memcpy(values, in->bench->values, slots * sizeof *values);
    }
    for (uint32_t k = 0; k < STEPS && status == RH_OK && !*out && way <= SETTLED; k++) {
        (void)assemble(in);
        status = find_whole_step(in);
        way += status == RH_OK ? take_step(in) : 0.0;
        *out = status == RH_OK && way <= SETTLED && rh__workbench_slope(in->bench) &&
               is_within_rounding(in);
    }
    if (!*out && values != NULL) {
        memcpy(in->bench->values, values, slots * sizeof *values);
        (void)rh__workbench_slope(in->bench);
    }
    rh__arena_rewind(arena, mark);
    return status == RH_E_ARGUMENT || status == RH_E_LIMIT ? RH_OK : status;
}

// Is nothing left of any row but rounding: within its bound, or beside what roundings of parameters
// do to it?
static bool is_rounding(solving *in, double *rounding)
{
    (void)assemble(in);
    bool is_fine = find_bounds(in, in->factor) && find_rounding(in, PARAMETERS, rounding);
    for (uint32_t i = 0; is_fine && i < in->rows; i++) {
        is_fine = fabs(value_of(in, i)) <= fmax(in->factor[i], CALM * rounding[i]);
    }
    return is_fine;
}

// The same with zero for what is zero but for rounding. False: as it was.
static bool is_known(solving *in, double *rounding)
{
    bool is_changed = false;
    for (uint32_t j = 0; j < in->columns; j++) {
        double *value = slot_of(in, j);
        in->kept[j] = *value;
        is_changed = is_changed || (*value != 0.0 && fabs(*value) < ROUNDED * unit_of(in, j));
        *value = fabs(*value) < ROUNDED * unit_of(in, j) ? 0.0 : *value;
    }
    if (is_changed && rh__workbench_slope(in->bench) && is_rounding(in, rounding)) {
        return true;
    }
    if (is_changed) {
        take_back(in);
        (void)rh__workbench_slope(in->bench);
    }
    return is_rounding(in, rounding);
}

// Next to a singular place there is no answer.
static void deny_blurred(rh_workbench *bench, rh_rest_answer *out)
{
    out->is_blurred = out->is_found && !rh__doubt_leaves_slopes(bench);
    out->is_found = out->is_found && !out->is_blurred;
    out->is_sharp = out->is_sharp && out->is_found;
}

rh_status rh__rest_confirm(rh_workbench *bench, const rh_rest_query *query, rh_rest_answer *out)
{
    const rh_mark mark = rh__arena_mark(&bench->scratch);
    solving in = {.bench = bench, .query = query};
    const uint32_t slots = bench->reduction->slot_count;
    double *values = rh__arena_array(&bench->scratch, double, (size_t)slots + 1);
    out->is_sharp = false;
    if (values == NULL || !reserve(&in)) {
        return bench->scratch.status;
    }
    double *rounding = rh__arena_array(&bench->scratch, double, (size_t)in.rows + 1);
    RH_TRY(rounding == NULL ? bench->scratch.status : RH_OK);
    memcpy(values, bench->values, slots * sizeof *values);
    double step = INFINITY;
    const rh_status status = polish(&in, rounding, &step, &out->is_sharp);
    if (!out->is_sharp) {
        memcpy(bench->values, values, slots * sizeof *values);
        (void)rh__workbench_slope(bench);
    }
    out->residual = assemble(&in);
    out->is_found = out->is_sharp || (step <= STAYING && is_nearly(&in));
    deny_blurred(bench, out);
    out->work += in.work;
    rh__arena_rewind(&bench->scratch, mark);
    return status;
}

rh_status rh__rest_check(rh_workbench *bench, const rh_rest_query *query, rh_rest_answer *out)
{
    const rh_mark mark = rh__arena_mark(&bench->scratch);
    solving in = {.bench = bench, .query = query};
    if (!reserve(&in)) {
        return bench->scratch.status;
    }
    double *rounding = rh__arena_array(&bench->scratch, double, (size_t)in.rows + 1);
    RH_TRY(rounding == NULL ? bench->scratch.status : RH_OK);
    bool is_fine = is_within_rounding(&in);
    RH_TRY(is_fine ? RH_OK : come_within(&in, &is_fine));
    if (is_fine || is_known(&in, rounding)) {
        rh__arena_rewind(&bench->scratch, mark);
        deny_blurred(bench, out);
        return RH_OK;
    }
    double size = 0.0;
    for (uint32_t j = 0; j < in.columns; j++) {
        in.kept[j] = *slot_of(&in, j);
    }
    RH_TRY(rh__rest_confirm(bench, query, out));
    (void)assemble(&in);
    for (uint32_t j = 0; j < in.columns; j++) {
        size = fmax(size, fabs(*slot_of(&in, j) - in.kept[j]) / in.scale[j]);
    }
    if (!(size <= SETTLED)) { // to another answer
        take_back(&in);
        (void)rh__workbench_slope(bench);
    }
    out->is_found = out->is_sharp && size <= SETTLED;
    rh__arena_rewind(&bench->scratch, mark);
    return RH_OK;
}

rh_status rh__rest_predict(rh_workbench *bench, const rh_rest_query *query,
                           const rh_rest_change *changes, uint32_t count, bool *out)
{
    const rh_reduction *reduction = bench->reduction;
    const rh_mark mark = rh__arena_mark(&bench->scratch);
    solving in = {.bench = bench, .query = query};
    *out = false;
    if (!reserve(&in)) {
        return bench->scratch.status;
    }
    rh_status status = RH_OK;
    if (in.columns > 0 && rh__workbench_slope(bench)) {
        (void)assemble(&in);
        for (uint32_t i = 0; i < in.rows; i++) {
            double rise = 0.0;
            for (uint32_t k = 0; k < count; k++) {
                const uint32_t asked = i - reduction->y_count - reduction->level_count;
                const bool is_own = i >= reduction->y_count + reduction->level_count &&
                                    changes[k].slot == UINT32_MAX && changes[k].wanted == asked;
                rise -= is_own ? changes[k].amount : 0.0;
                for (uint32_t j = 0; j < reduction->moving_count; j++) {
                    rise += reduction->moving[j] == changes[k].slot
                                ? bench->jacobian[output_of(&in, i) +
                                                  (size_t)j * reduction->slopes.output_count] *
                                      changes[k].amount
                                : 0.0;
                }
            }
            in.residual[i] = rise / in.unit[i];
        }
        status = find_step(&in, 0.0);
        *out = status == RH_OK && isfinite(take_step(&in));
    }
    rh__arena_rewind(&bench->scratch, mark);
    return status == RH_E_ARGUMENT || status == RH_E_LIMIT ? RH_OK : status;
}

// What rounding of all that the rows are made of does to the residual.
static void find_trembling(solving *in)
{
    const rh_workbench *bench = in->bench;
    const rh_reduction *reduction = bench->reduction;
    for (uint32_t i = 0; i < in->rows; i++) {
        double sum = 0.0;
        for (uint32_t j = 0; j < reduction->moving_count; j++) {
            const double slope =
                bench->jacobian[output_of(in, i) + (size_t)j * reduction->slopes.output_count];
            sum += fabs(slope * bench->values[reduction->moving[j]]);
        }
        // signs like any others
        in->residual[i] = (i % 2 == 0 ? 2.0 : -2.0) * DBL_EPSILON * sum / in->unit[i];
    }
}

static void tell_step(const solving *in, double *out)
{
    memset(out, 0, in->bench->reduction->place_count * sizeof *out);
    for (uint32_t j = 0; j < in->columns; j++) {
        out[in->column[j]] = -in->step[j] * in->scale[j];
    }
}

rh_status rh__rest_newton(rh_workbench *bench, const rh_rest_query *query, double *out_step,
                          double *out_noise, bool *out)
{
    const rh_mark mark = rh__arena_mark(&bench->scratch);
    solving in = {.bench = bench, .query = query};
    rh_status status = RH_OK;
    *out = false;
    if (!reserve(&in)) {
        return bench->scratch.status;
    }
    if (rh__workbench_slope(bench)) {
        (void)assemble(&in);
        status = find_step(&in, 0.0);
        tell_step(&in, out_step);
        *out = status == RH_OK && isfinite(take_step(&in));
    }
    if (*out && out_noise != NULL) {
        find_trembling(&in);
        status = find_step(&in, 0.0);
        tell_step(&in, out_noise);
    }
    rh__arena_rewind(&bench->scratch, mark);
    return status == RH_E_ARGUMENT || status == RH_E_LIMIT ? RH_OK : status;
}

rh_status rh__rest_solve(rh_workbench *bench, const rh_rest_query *query, rh_rest_answer *out)
{
    const rh_mark mark = rh__arena_mark(&bench->scratch);
    solving in = {.bench = bench, .query = query};
    *out = (rh_rest_answer){.residual = INFINITY};
    if (!reserve(&in)) {
        return bench->scratch.status;
    }
    const uint32_t limit = query->round_limit > 0 ? query->round_limit : ROUNDS;
    bool is_sound = rh__workbench_slope(bench);
    double size = INFINITY;
    uint32_t adrift = 0;
    bool is_down = is_sound;
    rh_status status = RH_OK;
    while (status == RH_OK && is_down && size > STILL && out->rounds < limit &&
           in.work < MOST_WORK) {
        out->residual = assemble(&in);
        if (in.columns == 0 || out->residual == 0.0) {
            break;
        }
        if (query->is_wanted != NULL && !query->is_wanted(query->user)) {
            break;
        }
        out->rounds++;
        const double before = size;
        status = go(&in, &size, &is_down);
        adrift += out->residual <= FOUND && size > DRIFT;
        if (adrift > 3) {
            break; // a residual that is small far out, on the way to nowhere, is no answer
        }
        if (size < SMALL && size > 0.5 * before) {
            break; // what is left is rounding
        }
    }
    if (is_sound && !is_down) { // the last state again
        is_sound = rh__workbench_slope(bench);
    }
    if (status == RH_OK && is_sound) {
        out->residual = assemble(&in);
        if (query->round_limit == 0 && out->residual <= FOUND) {
            is_sound = round_off(&in, out->residual);
            out->residual = assemble(&in);
        }
        (void)find_step(&in, 0.0);
        out->loose = count_loose(&in);
    }
    const bool is_settled =
        adrift <= 3 && (in.columns == 0 || size <= SETTLED || out->residual == 0.0);
    out->is_found = status == RH_OK && is_sound && is_settled &&
                    (out->residual <= FOUND || (out->residual <= ROUGH && is_within_rounding(&in)));
    out->work = in.work;
    rh__arena_rewind(&bench->scratch, mark);
    return status;
}
