// SPDX-License-Identifier: Apache-2.0
// What is different on the two sides of a surface: momenta, the Hamiltonian, the constraints. A
// kink is no difference: all is looked at on the surface itself. Some differences leave open how
// the motion goes on; then it ends, and says what to write.

#include "motion/jump.h"

#include <math.h>

#define SAME 1e-12   // relative: momenta, rates of constraints, rows
#define ENERGY 2e-13 // relative: the Hamiltonian
#define GAP 1e-10    // of positions: a value that does not jump
#define ALONG 1e-9   // relative: gradients that are parallel

static const rh_link *link_of(const rh_jumping *in, const rh_jump_row *row)
{
    return &in->motion->equations->links.data[row->link];
}

// --- energies ----------------------------------------------------------------------------------

static bool momenta_differ(const rh_jumping *in)
{
    const rh_grid *grid = in->jumps->inertia.grid;
    bool differs = false;
    for (uint32_t i = 0; i < in->q; i++) {
        const double before = in->before[in->jumps->momentum + i];
        const double after = in->after[in->jumps->momentum + i];
        double size = fabs(before) + fabs(after);
        for (uint32_t k = grid->begin[i]; k < grid->begin[i + 1]; k++) {
            size = fmax(size, fabs(in->before[in->jumps->inertia.first + k] *
                                   in->y[grid->entries.data[k].column]));
        }
        differs = differs || fabs(after - before) > SAME * size;
    }
    return differs;
}

static bool energies_differ(const rh_jumping *in)
{
    const double lagrangian = in->after[in->jumps->lagrangian] - in->before[in->jumps->lagrangian];
    double size = fabs(in->after[in->jumps->lagrangian]) + fabs(in->before[in->jumps->lagrangian]);
    double change = -lagrangian;
    for (uint32_t i = 0; i < in->q; i++) {
        const double before = in->before[in->jumps->momentum + i] * in->y[i];
        const double after = in->after[in->jumps->momentum + i] * in->y[i];
        change += after - before;
        size += fabs(before) + fabs(after);
    }
    return fabs(change) > ENERGY * size;
}

// --- constraints -------------------------------------------------------------------------------

// Rows on both sides, by carrier; and how large what they say of the velocities is.
typedef struct comparison {
    double *before, *after, *push;
    double level_before, level_after;
    double size;                    // of the terms of the rate
    double largest;                 // of the row
    double weight;                  // of positions
    bool is_other_row;              // the rows differ
    bool is_other_level;            // the rates differ
    double free_before, free_after; // what is left of the rates without velocities
} comparison;

static void compare(const rh_jumping *in, uint32_t row, comparison *out)
{
    double sum_before = 0.0;
    double sum_after = 0.0;
    double difference = 0.0;
    RH_ASSERT(row < in->row_count && out->before != out->after && out->before != out->push &&
              out->after != out->push);
    rh__jumping_row(in, row, in->before, out->before, out->push);
    rh__jumping_row(in, row, in->after, out->after, out->push);
    out->level_before = rh__jumping_level(in, row, in->before);
    out->level_after = rh__jumping_level(in, row, in->after);
    out->size = out->largest = out->weight = 0.0;
    for (uint32_t i = 0; i < in->n; i++) {
        const double before = out->before[i];
        const double after = out->after[i];
        sum_before += before * in->y[i];
        sum_after += after * in->y[i];
        out->size += (fabs(before) + fabs(after)) * fabs(in->y[i]);
        out->largest = fmax(out->largest, fmax(fabs(before), fabs(after)));
        out->weight += i < in->q ? fabs(after * in->motion->x[i]) : 0.0;
        difference = fmax(difference, fabs(after - before));
    }
    out->free_before = out->level_before - sum_before;
    out->free_after = out->level_after - sum_after;
    out->size += fabs(out->free_before) + fabs(out->free_after);
    out->is_other_row = difference > SAME * out->largest;
    out->is_other_level = fabs(out->level_after - out->level_before) > SAME * out->size;
}

// The time in which something may be missed by rounding.
static double moment(const rh_motion *motion)
{
    return 1e-11 * (fabs(motion->t) + motion->series.length);
}

// The jump of a value; 0: rounding.
static double gap_of(const rh_jumping *in, const comparison *it, double before, double after)
{
    const double met = GAP * it->weight + moment(in->motion) * it->size;
    return fabs(after - before) > met ? after - before : 0.0;
}

// Is the change of the row, with the time, along the surface's normal? Then its value is the same
// on all of the surface.
static bool is_bent(const rh_jumping *in, const comparison *it)
{
    double along = 0.0;
    double square = in->drift * in->drift;
    for (uint32_t i = 0; i < in->n; i++) {
        along += (it->after[i] - it->before[i]) * in->slope[i];
        square += in->slope[i] * in->slope[i];
    }
    along += (it->free_after - it->free_before) * in->drift;
    const double factor = square > 0.0 ? along / square : 0.0;
    double missed = 0.0;
    double size = 0.0;
    for (uint32_t i = 0; i < in->n; i++) {
        const double change = it->after[i] - it->before[i];
        missed = fmax(missed, fabs(change - factor * in->slope[i]));
        size = fmax(size, fabs(change));
    }
    const double change = it->free_after - it->free_before;
    const bool is_free = fabs(change - factor * in->drift) <= ALONG * (fabs(change) + it->size);
    return missed <= ALONG * fmax(size, it->largest) && is_free;
}

static bool is_holonomic(const rh_jumping *in, const rh_link *link)
{
    const uint32_t mask = rh__expr_mask(in->motion->equations->store, link->levels[0]);
    return link->level_count == 2 && (mask & RH_ROLE_VELOCITY) == 0;
}

static bool judge_value(rh_jumping *in, const rh_jump_row *row, const comparison *it)
{
    RH_ASSERT(in->jumps->level_of[row->link] != UINT32_MAX);
    const rh_link *link = link_of(in, row);
    const uint32_t first = in->jumps->level_of[row->link];
    for (uint32_t level = 0; level + 1 < link->level_count; level++) {
        const double gap = gap_of(in, it, in->before[first + level], in->after[first + level]);
        if (gap != 0.0) {
            rh__motion_fail(in->motion, RH_DIAGNOSTIC_E517,
                            "the value of %s jumps by %.6g at t = %.17g, where %s changes: nothing "
                            "moves there in no time",
                            in->motion->jump.link_names[row->link], gap, in->motion->t,
                            in->motion->jump.names[in->index]);
            return false;
        }
    }
    return true;
}

// A constraint that takes part: is it kinked, or another one?
static bool judge_row(rh_jumping *in, uint32_t index, comparison *it, bool *out_is_bent)
{
    rh_jump_row *row = &in->rows[index];
    const rh_link *link = link_of(in, row);
    compare(in, index, it);
    if (!judge_value(in, row, it)) {
        return false;
    }
    row->is_kinked = it->is_other_level || it->is_other_row;
    if (!row->is_kinked) {
        return true;
    }
    const bool is_first_order = link->level_count == 1;
    const bool is_good = is_first_order           ? !it->is_other_row
                         : is_holonomic(in, link) ? is_bent(in, it)
                                                  : false;
    if (!is_good) {
        rh__jumping_fail(in, RH_DIAGNOSTIC_E518,
                         is_first_order ? "the coefficients of a constraint in velocities jump"
                                        : "a constraint becomes another one");
        return false;
    }
    *out_is_bent = *out_is_bent || (!is_first_order && it->is_other_row);
    return true;
}

// --- the whole -----------------------------------------------------------------------------------

rh_disparity rh__disparity_find(rh_jumping *in)
{
    RH_ASSERT(in->q <= in->n && in->two_sided <= in->row_count && in->index < in->jumps->count);
    comparison it = {.before = rh__arena_array(in->scratch, double, (size_t)in->n + 1),
                     .after = rh__arena_array(in->scratch, double, (size_t)in->n + 1),
                     .push = rh__arena_array(in->scratch, double, (size_t)in->n + 1)};
    if (it.before == NULL || it.after == NULL || it.push == NULL) {
        rh__jumping_fail(in, RH_DIAGNOSTIC_E515, "there is no memory");
        return RH_DISPARITY_FAILED;
    }
    bool has_bent = false;
    bool has_kinked = false;
    bool has_free = false; // one in velocities whose free term jumps
    for (uint32_t k = 0; k < in->row_count; k++) {
        if (!judge_row(in, k, &it, &has_bent)) {
            return RH_DISPARITY_FAILED;
        }
        has_kinked = has_kinked || in->rows[k].is_kinked;
        has_free =
            has_free || (in->rows[k].is_kinked && link_of(in, &in->rows[k])->level_count == 1);
    }
    const bool has_momenta = momenta_differ(in);
    // what jumps in time alone has no momentum: the Hamiltonian is whatever it is
    in->has_energy = has_momenta || (!in->is_of_time && energies_differ(in));
    if (!in->has_energy && !has_kinked) {
        return RH_DISPARITY_NONE;
    }
    if (in->jumps->conditions[in->index].holds_velocity) {
        rh__jumping_fail(in, RH_DIAGNOSTIC_E518,
                         "an energy or a constraint jumps by a condition of velocities");
        return RH_DISPARITY_FAILED;
    }
    if (!in->is_of_time && has_free && (in->has_energy || has_bent)) {
        rh__jumping_fail(in, RH_DIAGNOSTIC_E518,
                         "a constraint in velocities jumps together with an energy or with the "
                         "gradient of another constraint");
        return RH_DISPARITY_FAILED;
    }
    return !in->is_of_time && (in->has_energy || has_bent) ? RH_DISPARITY_GENERAL
                                                           : RH_DISPARITY_LINEAR;
}
