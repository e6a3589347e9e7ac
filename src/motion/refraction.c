// SPDX-License-Identifier: Apache-2.0
// The jump of the velocities at a surface g = 0. `p dq - H dt` is the same on both sides for all
// (dq, dt) that stay on the surface and on the constraints (C dq + c dt = 0):
//     p+ - p- = sigma g_q + B mu,    H- - H+ = sigma g_t + c mu,    C+ y+ + c+ = 0.
// The momenta are affine in y, so that y+ = y0 + sigma w, and H+ - H- + ... is a polynomial of
// second degree in sigma whose derivative is the speed of the surface: of its two roots the one
// with the old sign is taken. If there is none the motion is reflected, on the old side. Where g
// holds no position sigma g_q is 0 and sigma has nothing to say. One-sided constraints that are
// closed push or are left.

#include "motion/jump.h"

#include <math.h>

#define EVEN 1e-12  // relative: a speed whose sign cannot be told, squared
#define STILL 1e-10 // relative: impulses and speeds that are none
#define STIFF 1e-12 // relative: a surface that no impulse moves across
#define AFFINE 1e-9 // relative: momenta and rows that do not bend with the velocities

// One side with some of the constraints.
typedef struct attempt {
    rh_jumping *in;
    const double *outputs; // of the side
    uint32_t rows;
    uint32_t *row;   // of the jump
    double *inertia; // n x n
    double *push;    // n x rows
    double *c;       // rows x n
    double *level;   // by row: the last level for y
    double *force, *demand;
    double *d0, *mu0; // without an impulse across the surface
    double *w, *m;    // by a unit of it
    double *d, *mu;   // the jump
    rh_impulse impulse;
} attempt;

static bool reserve(rh_jumping *in, attempt *out)
{
    const size_t n = in->n;
    const size_t rows = (size_t)in->row_count + 1;
    *out = (attempt){.in = in,
                     .row = rh__arena_array(in->scratch, uint32_t, rows),
                     .inertia = rh__arena_array(in->scratch, double, n *n + 1),
                     .push = rh__arena_array(in->scratch, double, n *rows),
                     .c = rh__arena_array(in->scratch, double, n *rows),
                     .level = rh__arena_array(in->scratch, double, 4 * rows),
                     .force = rh__arena_array(in->scratch, double, 4 * n + 1)};
    if (out->row == NULL || out->inertia == NULL || out->push == NULL || out->c == NULL ||
        out->level == NULL || out->force == NULL) {
        rh__jumping_fail(in, RH_DIAGNOSTIC_E515, "there is no memory");
        return false;
    }
    out->demand = out->level + rows;
    out->mu0 = out->level + 2 * rows;
    out->m = out->level + 3 * rows;
    out->d0 = out->force + n;
    out->w = out->force + 2 * n;
    out->d = out->force + 3 * n;
    out->mu = out->demand;
    return true;
}

// Is one-sided constraint k of the jump in `closed`? Where there are many no combinations are
// tried.
static bool is_closed(uint32_t closed, uint32_t k)
{
    return k < 32 && (closed >> k & 1) != 0;
}

// Two-sided constraints, and the one-sided ones in `closed`, on one side of the surface.
static bool factor(attempt *it, const double *outputs, uint32_t closed)
{
    const rh_jumping *in = it->in;
    double *row = it->d;
    it->outputs = outputs;
    it->rows = 0;
    for (uint32_t k = 0; k < in->row_count; k++) {
        if (k < in->two_sided || is_closed(closed, k - in->two_sided)) {
            it->row[it->rows++] = k;
        }
    }
    rh__jumping_inertia(in, outputs, it->inertia);
    for (uint32_t r = 0; r < it->rows; r++) {
        rh__jumping_row(in, it->row[r], outputs, row, it->push + (size_t)r * in->n);
        for (uint32_t i = 0; i < in->n; i++) {
            it->c[r + (size_t)i * it->rows] = row[i];
        }
        it->level[r] = rh__jumping_level(in, it->row[r], outputs);
    }
    const rh_impulse_def def = {in->n, it->rows, it->inertia, it->push, it->c};
    if (rh__impulse_create(in->scratch, &def, &it->impulse) != RH_OK) {
        rh__jumping_fail(in, RH_DIAGNOSTIC_E515, "there is no memory, or no finite number");
        return false;
    }
    return true;
}

static double across(const rh_jumping *in, const double *y)
{
    return rh__vector_dot(in->n, in->slope, y);
}

// The jump without an impulse across the surface: momenta change by those of the constraints alone.
static bool solve_plain(attempt *it)
{
    const rh_jumping *in = it->in;
    for (uint32_t i = 0; i < in->n; i++) {
        it->force[i] =
            i < in->q ? in->before[in->jumps->momentum + i] - it->outputs[in->jumps->momentum + i]
                      : 0.0;
    }
    for (uint32_t r = 0; r < it->rows; r++) {
        it->demand[r] = -it->level[r];
    }
    if (!rh__impulse_solve(&it->impulse, it->force, it->demand, it->d0, it->mu0)) {
        rh__jumping_fail(in, it->rows > 0 ? RH_DIAGNOSTIC_E502 : RH_DIAGNOSTIC_E501,
                         it->rows > 0 ? "the constraints contradict each other: no impulses bring "
                                        "the velocities to what they ask for"
                                      : "there are no velocities with the momenta of before");
        return false;
    }
    return true;
}

static bool solve_across(attempt *it)
{
    const rh_jumping *in = it->in;
    for (uint32_t r = 0; r < it->rows; r++) {
        it->demand[r] = 0.0;
    }
    if (!rh__impulse_solve(&it->impulse, in->slope, it->demand, it->w, it->m)) {
        rh__jumping_fail(in, RH_DIAGNOSTIC_E502,
                         "no velocities satisfy the constraints across the surface");
        return false;
    }
    return true;
}

// How easily the surface is moved across, against what it would be without constraints: 0 where
// these leave no way.
static double ease_of(const attempt *it)
{
    const rh_jumping *in = it->in;
    double free = 0.0;
    for (uint32_t i = 0; i < in->q; i++) {
        const double own = it->inertia[i + (size_t)i * in->n];
        free += own > 0.0 ? in->slope[i] * in->slope[i] / own : 0.0;
    }
    const double ease = across(in, it->w);
    return ease > STIFF * free ? ease : 0.0;
}

// x^T M y of the coordinates: that of states is in no energy.
static double product(const attempt *it, const double *x, const double *y)
{
    const size_t n = it->in->n;
    double sum = 0.0;
    for (uint32_t j = 0; j < it->in->q; j++) {
        sum += rh__vector_dot(it->in->q, x, it->inertia + j * n) * y[j];
    }
    return sum;
}

static double hamiltonian(const rh_jumping *in, const double *outputs)
{
    return rh__vector_dot(in->q, outputs + in->jumps->momentum, in->y) -
           outputs[in->jumps->lagrangian];
}

typedef enum outcome {
    OUTCOME_FAILED,
    OUTCOME_NONE, // it cannot be so
    OUTCOME_FOUND
} outcome;

static void put_together(attempt *it, double sigma)
{
    const rh_jumping *in = it->in;
    for (uint32_t i = 0; i < in->n; i++) {
        it->d[i] = it->d0[i] + sigma * it->w[i];
    }
    for (uint32_t r = 0; r < it->rows; r++) {
        it->mu[r] = it->mu0[r] + sigma * it->m[r];
    }
}

// What the polynomial is at sigma = 0: H+ - H- + c mu0.
static double surplus(const attempt *it)
{
    const rh_jumping *in = it->in;
    double sum = hamiltonian(in, it->outputs) - hamiltonian(in, in->before) +
                 product(it, in->y, it->d0) + 0.5 * product(it, it->d0, it->d0);
    for (uint32_t r = 0; r < it->rows; r++) {
        double free = it->level[r];
        for (uint32_t i = 0; i < in->n; i++) {
            free -= it->c[r + (size_t)i * it->rows] * in->y[i];
        }
        sum += it->mu0[r] * free;
    }
    return sum;
}

static double fineness(const rh_motion *motion)
{
    return motion->stepper == NULL || motion->stepper->has_jets
               ? EVEN
               : fmax(EVEN, 10.0 * motion->tolerance);
}

static outcome refract(attempt *it)
{
    const rh_jumping *in = it->in;
    if (!solve_plain(it) || !solve_across(it)) {
        return OUTCOME_FAILED;
    }
    const double ease = ease_of(it);
    const double speed = in->speed + across(in, it->d0);
    if (ease == 0.0) { // the constraints carry it over, whatever happens
        put_together(it, 0.0);
        return speed * in->speed > 0.0 ? OUTCOME_FOUND : OUTCOME_NONE;
    }
    const double rest = surplus(it);
    const double square = speed * speed - 2.0 * ease * rest;
    const double size = speed * speed + 2.0 * ease * fabs(rest);
    if (fabs(square) <= fineness(in->motion) * size) {
        rh__jumping_fail(in, RH_DIAGNOSTIC_E508,
                         "the motion comes to rest on the surface: behind it, and before it, it "
                         "may go on");
        return OUTCOME_FAILED;
    }
    if (square < 0.0) {
        return OUTCOME_NONE;
    }
    const double after = copysign(sqrt(square), in->speed);
    put_together(it, speed * after > 0.0 ? -2.0 * rest / (after + speed) : (after - speed) / ease);
    return OUTCOME_FOUND;
}

static outcome reflect(attempt *it)
{
    const rh_jumping *in = it->in;
    if (!solve_across(it)) {
        return OUTCOME_FAILED;
    }
    const double ease = ease_of(it);
    for (uint32_t i = 0; i < in->n; i++) {
        it->d0[i] = 0.0;
    }
    for (uint32_t r = 0; r < it->rows; r++) {
        it->mu0[r] = 0.0;
    }
    if (ease == 0.0) {
        return OUTCOME_NONE;
    }
    put_together(it, -2.0 * in->speed / ease);
    return OUTCOME_FOUND;
}

// --- one-sided constraints -----------------------------------------------------------------------

// Those that take part push, those that do not are left.
static bool is_allowed(const attempt *it, uint32_t closed)
{
    const rh_jumping *in = it->in;
    double *row = it->force;
    double *push = it->w;
    double largest = 0.0;
    for (uint32_t r = 0; r < it->rows; r++) {
        largest = fmax(largest, fabs(it->mu[r]));
    }
    for (uint32_t r = 0; r < it->rows; r++) {
        if (it->row[r] >= in->two_sided && it->mu[r] < -STILL * largest) {
            return false;
        }
    }
    for (uint32_t k = in->two_sided; k < in->row_count; k++) {
        if (is_closed(closed, k - in->two_sided)) {
            continue;
        }
        double rate = rh__jumping_level(in, k, it->outputs);
        double size = fabs(rate);
        rh__jumping_row(in, k, it->outputs, row, push);
        for (uint32_t i = 0; i < in->n; i++) {
            rate += row[i] * it->d[i];
            size += fabs(row[i]) * (fabs(in->y[i]) + fabs(it->d[i]));
        }
        if (rate < -STILL * size) {
            return false;
        }
    }
    return true;
}

static void keep(const attempt *it)
{
    rh_jumping *in = it->in;
    for (uint32_t i = 0; i < in->n; i++) {
        in->y_after[i] = in->y[i] + it->d[i];
    }
    for (uint32_t k = 0; k < in->row_count; k++) {
        in->impulse[k] = 0.0;
    }
    for (uint32_t r = 0; r < it->rows; r++) {
        in->impulse[it->row[r]] = it->mu[r];
    }
}

static bool is_kept(const attempt *it)
{
    const rh_jumping *in = it->in;
    double largest = 0.0;
    double off = 0.0;
    for (uint32_t i = 0; i < in->n; i++) {
        const double weight = sqrt(fabs(it->inertia[i + (size_t)i * in->n]));
        off = fmax(off, weight * fabs(in->y[i] + it->d[i] - in->y_after[i]));
        largest = fmax(largest, weight * fmax(fabs(in->y[i]), fabs(in->y_after[i])));
    }
    return off <= AFFINE * largest;
}

// All combinations of closed constraints on one side; how many different ends there are, the first
// of which is kept. -1: failed.
static int try_all(attempt *it, outcome (*find)(attempt *it), const double *outputs)
{
    const rh_jumping *in = it->in;
    RH_ASSERT(in->two_sided <= in->row_count);
    const uint32_t gates = in->row_count - in->two_sided;
    RH_ASSERT(gates <= RH_JUMP_GATES);
    int count = 0;
    for (uint32_t closed = 0; closed < (1u << gates); closed++) {
        const rh_mark mark = rh__arena_mark(in->scratch);
        outcome how = factor(it, outputs, closed) ? find(it) : OUTCOME_FAILED;
        how = how == OUTCOME_FOUND && !is_allowed(it, closed) ? OUTCOME_NONE : how;
        rh__arena_rewind(in->scratch, mark);
        if (how == OUTCOME_FAILED) {
            return -1;
        }
        if (how == OUTCOME_FOUND && (count == 0 || !is_kept(it))) {
            if (count == 0) {
                keep(it);
            }
            count++;
        }
    }
    return count;
}

// --- what cannot be decided ----------------------------------------------------------------------

static bool has_other_inertia(const rh_jumping *in)
{
    const rh_grid *grid = in->jumps->other.grid;
    bool found = false;
    for (uint32_t k = 0; k < grid->entries.count; k++) {
        const rh_entry *entry = &grid->entries.data[k];
        const bool is_of_coordinates = entry->row < in->q || entry->column < in->q;
        found = found || (is_of_coordinates && in->after[in->jumps->other.first + k] != 0.0);
    }
    return found;
}

static bool is_able(const rh_jumping *in, rh_disparity disparity)
{
    for (uint32_t k = 0; k < in->row_count; k++) {
        if (in->motion->equations->links.data[in->rows[k].link].held.i != 0) {
            rh__jumping_fail(in, RH_DIAGNOSTIC_E519,
                             "velocities jump, and with them the multiplier of a constraint by "
                             "inertia, which is a state");
            return false;
        }
    }
    if (disparity == RH_DISPARITY_GENERAL && has_other_inertia(in)) {
        rh__jumping_fail(in, RH_DIAGNOSTIC_E519,
                         "an energy jumps while laws or equations give inertia of their own");
        return false;
    }
    if (disparity == RH_DISPARITY_GENERAL && in->row_count - in->two_sided > RH_JUMP_GATES) {
        rh__jumping_fail(in, RH_DIAGNOSTIC_E519, "more than 8 one-sided constraints are closed");
        return false;
    }
    return true;
}

// Reactions that are not ideal, or act on states, have work to do that the ends do not tell.
static bool is_ideal(const rh_jumping *in)
{
    double largest = 0.0;
    for (uint32_t k = in->q; k < in->n; k++) {
        if (in->y_after[k] != in->y[k]) {
            rh__jumping_fail(in, RH_DIAGNOSTIC_E519,
                             "an energy or a gradient jumps, and states with it by a constraint");
            return false;
        }
    }
    for (uint32_t k = 0; k < in->row_count; k++) {
        largest = fmax(largest, fabs(in->impulse[k]));
    }
    for (uint32_t k = 0; k < in->row_count; k++) {
        const rh_link *link = &in->motion->equations->links.data[in->rows[k].link];
        if (link->constraint->by != RH_BY_IDEAL && fabs(in->impulse[k]) > STILL * largest) {
            rh__jumping_fail(in, RH_DIAGNOSTIC_E519,
                             "an energy or a gradient jumps while a constraint pushes along "
                             "another direction than its gradient");
            return false;
        }
    }
    return true;
}

// The momenta and the constraints at the end, as they are: were they affine in the velocities?
static bool is_affine(rh_jumping *in, const double *side_outputs, const int *side)
{
    const uint32_t outputs = in->jumps->tape->output_count;
    double *there = rh__arena_array(in->scratch, double, (size_t)outputs + 1);
    double *rows = rh__arena_array(in->scratch, double, 3 * (size_t)in->n + 1);
    if (there == NULL || rows == NULL) {
        rh__jumping_fail(in, RH_DIAGNOSTIC_E515, "there is no memory");
        return false;
    }
    bool is_good = true;
    rh__jumping_look(in, side, in->y_after, there);
    for (uint32_t k = 0; k < in->jumps->inertia.grid->entries.count; k++) {
        const double before = side_outputs[in->jumps->inertia.first + k];
        const double after = there[in->jumps->inertia.first + k];
        is_good = is_good && fabs(after - before) <= AFFINE * (fabs(after) + fabs(before));
    }
    for (uint32_t k = 0; k < in->row_count; k++) {
        double *before = rows;
        double *after = rows + in->n;
        double largest = 0.0;
        double off = 0.0;
        rh__jumping_row(in, k, side_outputs, before, rows + 2 * (size_t)in->n);
        rh__jumping_row(in, k, there, after, rows + 2 * (size_t)in->n);
        for (uint32_t i = 0; i < in->n; i++) {
            largest = fmax(largest, fabs(before[i]) + fabs(after[i]));
            off = fmax(off, fabs(after[i] - before[i]));
        }
        is_good = is_good && off <= AFFINE * largest;
    }
    if (!is_good) {
        rh__jumping_fail(in, RH_DIAGNOSTIC_E519,
                         "velocities jump, and momenta or constraints are not linear in them");
    }
    return is_good;
}

// --- impulses of the constraints alone -----------------------------------------------------------

// G of the closed ones, and what their velocities are without them; true when it is solved.
static bool press(attempt *it, double *jumps)
{
    const rh_jumping *in = it->in;
    rh_mode *mode = &in->motion->mode;
    const uint32_t count = in->row_count - in->two_sided;
    RH_ASSERT(count <= RH_GATE_OPEN);
    double *row = it->force;
    double *push = it->w;
    for (uint32_t j = 0; j < count; j++) {
        rh__jumping_row(in, in->two_sided + j, it->outputs, row, push);
        for (uint32_t r = 0; r < it->rows; r++) {
            it->demand[r] = 0.0;
        }
        if (!rh__impulse_solve(&it->impulse, push, it->demand, jumps + (size_t)j * in->n, it->m)) {
            return false;
        }
    }
    mode->open_count = count;
    for (uint32_t i = 0; i < count; i++) {
        double size = 0.0;
        rh__jumping_row(in, in->two_sided + i, it->outputs, row, push);
        RH_ASSERT(in->rows[in->two_sided + i].gate < mode->gate_count);
        mode->open[i] = in->rows[in->two_sided + i].gate;
        mode->rate[i] = rh__jumping_level(in, in->two_sided + i, it->outputs);
        for (uint32_t k = 0; k < in->n; k++) {
            mode->rate[i] += row[k] * it->d0[k];
            size += fabs(row[k]) * (fabs(in->y[k]) + fabs(it->d0[k]));
        }
        mode->noise[i] = 1e-13 * size;
        for (uint32_t j = 0; j < count; j++) {
            mode->response[i * count + j] = rh__vector_dot(in->n, row, jumps + (size_t)j * in->n);
        }
    }
    return true;
}

static bool push_linearly(rh_jumping *in, attempt *it)
{
    rh_mode *mode = &in->motion->mode;
    const uint32_t count = in->row_count - in->two_sided;
    if (!factor(it, in->after, 0) || !solve_plain(it)) {
        return false;
    }
    for (uint32_t r = 0; r < it->rows; r++) {
        it->m[r] = 0.0;
    }
    put_together(it, 0.0);
    keep(it);
    if (count == 0) {
        return true;
    }
    double *jumps = rh__arena_array(in->scratch, double, (size_t)count * in->n + 1);
    if (jumps == NULL || count > RH_GATE_OPEN || !press(it, jumps)) {
        rh__jumping_fail(in, RH_DIAGNOSTIC_E515, "there is no memory, or no finite number");
        return false;
    }
    const rh_mark mark = rh__arena_mark(&mode->scratch);
    const rh_complement_solution *found = rh__corner_solve(in->motion, jumps, in->n);
    for (uint32_t k = 0; found != NULL && k < count; k++) {
        in->impulse[in->two_sided + k] = found->multiplier[k];
        for (uint32_t i = 0; i < in->n; i++) {
            in->y_after[i] += found->multiplier[k] * jumps[(size_t)k * in->n + i];
        }
    }
    rh__arena_rewind(&mode->scratch, mark);
    return found != NULL;
}

// The work of the impulses: each of them moves with the mean of the velocities.
static void find_work(rh_jumping *in, attempt *it)
{
    double *row = it->force;
    double *push = it->w;
    in->work = 0.0;
    for (uint32_t i = 0; i < in->n; i++) {
        it->d[i] = 0.5 * (in->y[i] + in->y_after[i]);
    }
    for (uint32_t k = 0; k < in->row_count; k++) {
        rh__jumping_row(in, k, in->after, row, push);
        in->work += in->impulse[k] * rh__vector_dot(in->n, push, it->d);
    }
}

bool rh__refraction_find(rh_jumping *in, rh_disparity disparity, rh_occurrence_kind *out_kind)
{
    RH_ASSERT(disparity == RH_DISPARITY_LINEAR || disparity == RH_DISPARITY_GENERAL);
    attempt it;
    *out_kind = in->has_energy ? RH_OCCURRENCE_REFRACT : RH_OCCURRENCE_IMPACT;
    in->work = 0.0;
    if (!is_able(in, disparity) || !reserve(in, &it)) {
        return false;
    }
    if (disparity == RH_DISPARITY_LINEAR) {
        if (!push_linearly(in, &it) || !is_affine(in, in->after, in->side_after)) {
            return false;
        }
        find_work(in, &it);
        const double speed = across(in, in->y_after) + in->drift;
        if (!in->is_of_time && speed * in->speed <= 0.0) {
            rh__jumping_fail(in, RH_DIAGNOSTIC_E518,
                             "the constraints behind the surface lead back to it");
            return false;
        }
        return true;
    }
    *out_kind = RH_OCCURRENCE_REFRACT;
    int count = try_all(&it, refract, in->after);
    if (count == 0) {
        *out_kind = RH_OCCURRENCE_REFLECT;
        count = try_all(&it, reflect, in->before);
    }
    if (count == 0 || count > 1) {
        rh__jumping_fail(in, count == 0 ? RH_DIAGNOSTIC_E507 : RH_DIAGNOSTIC_E508,
                         count == 0 ? "no velocities satisfy the constraints on either side"
                                    : "with some of the closed constraints it goes on in one way, "
                                      "with others in another");
        return false;
    }
    const bool is_back = *out_kind == RH_OCCURRENCE_REFLECT;
    return count > 0 && is_ideal(in) &&
           is_affine(in, is_back ? in->before : in->after, is_back ? in->side : in->side_after);
}
