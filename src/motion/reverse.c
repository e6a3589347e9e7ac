// SPDX-License-Identifier: Apache-2.0
// The way back: a motion put to the present state of another one with all velocities reversed, and
// the verdict on where it comes to. Motions that meet a one-sided constraint do not go back the way
// they came (docs/theory/motion.md). Under reversal q stays, v changes its sign, and so does a
// multiplier that is a state (type II) where its phi is odd in v, for lambda phi must stay.

#include "motion/motion.h"

#include <math.h>
#include <stdio.h>

#define MET 1e-9 // what reversed velocities may miss a constraint by

// --- may it be asked? --------------------------------------------------------------------------

static bool has_time(const rh_equations *equations, rh_expr e)
{
    return e.i != 0 && (rh__expr_mask(equations->store, e) & (RH_ROLE_TIME | RH_ROLE_INPUT)) != 0;
}

static bool grid_has_time(const rh_equations *equations, const rh_grid *grid)
{
    bool found = false;
    for (uint32_t k = 0; !found && k < grid->entries.count; k++) {
        found = has_time(equations, grid->entries.data[k].value);
    }
    return found;
}

static bool link_has_time(const rh_equations *equations, const rh_link *link)
{
    bool found = has_time(equations, link->bias) || has_time(equations, link->target) ||
                 has_time(equations, link->given);
    for (uint32_t level = 0; !found && level < link->level_count; level++) {
        found = has_time(equations, link->levels[level]);
    }
    return found;
}

static bool equations_have_time(const rh_equations *equations)
{
    bool found = grid_has_time(equations, &equations->inertia) ||
                 grid_has_time(equations, &equations->rows) ||
                 grid_has_time(equations, &equations->push);
    for (uint32_t k = 0; !found && k < equations->carriers.count; k++) {
        found = has_time(equations, equations->force[k]);
    }
    for (uint32_t k = 0; !found && k < equations->passives.count; k++) {
        found = has_time(equations, equations->passives.data[k].value);
    }
    for (uint32_t k = 0; !found && k < equations->links.count; k++) {
        found = link_has_time(equations, &equations->links.data[k]);
    }
    return found;
}

static rh_expr reversed(void *user, rh_store *store, rh_expr symbol)
{
    (void)user;
    return (rh__expr_mask(store, symbol) & RH_ROLE_VELOCITY) != 0 ? rh__expr_negate(store, symbol)
                                                                  : symbol;
}

// 1: even in the velocities, -1: odd, 0: neither.
static int parity_of(const rh_motion *motion, const rh_link *link)
{
    rh_equations *equations = motion->equations;
    rh_store *store = equations->store;
    rh_arena scratch = rh__arena_begin(motion->arena.allocator, motion->arena.limit);
    const rh_expr phi = rh__link_phi(link);
    const rh_expr back = rh__expr_substitute(store, phi, reversed, NULL);
    const bool is_even =
        rh__derive_vanishes(equations, rh__expr_subtract(store, back, phi), &scratch);
    const bool is_odd = rh__derive_vanishes(equations, rh__expr_add(store, back, phi), &scratch);
    rh__arena_end(&scratch);
    return is_even ? 1 : is_odd ? -1 : 0;
}

rh_status rh_motion_can_turn(const rh_motion *motion, rh_error *err)
{
    RH_REQUIRE(motion != NULL, err);
    const rh_equations *equations = motion->equations;
    if (equations->coordinate_count == 0) {
        return rh__error_fill(err, RH_E_UNAVAILABLE,
                              "the model has no coordinates, so there are no velocities to "
                              "reverse");
    }
    if (equations_have_time(equations)) {
        return rh__error_fill(err, RH_E_UNAVAILABLE,
                              "the equations contain the time, which cannot run back");
    }
    for (uint32_t k = 0; k < equations->links.count; k++) {
        const rh_link *link = &equations->links.data[k];
        if (link->held.i != 0 && parity_of(motion, link) == 0) {
            return rh__error_fill(err, RH_E_UNAVAILABLE,
                                  "what the multiplier of %.*s goes with is neither even nor odd "
                                  "in the velocities, so nothing says how to reverse it",
                                  RH_SLICE_FORMAT(link->constraint->row.name));
        }
    }
    return RH_OK;
}

int rh_motion_column_parity(const rh_motion *motion, size_t index)
{
    const rh_quantity quantity = rh_motion_column_quantity(motion, index);
    if (quantity != RH_QUANTITY_HELD) {
        return quantity == RH_QUANTITY_VARIABLE ? 1 : quantity == RH_QUANTITY_VELOCITY ? -1 : 0;
    }
    for (uint32_t k = 0; k < motion->equations->links.count; k++) {
        const rh_link *link = &motion->equations->links.data[k];
        if (motion->columns.data[index].index == motion->system->held_of[k]) {
            return parity_of(motion, link);
        }
    }
    return 0;
}

// --- turning -----------------------------------------------------------------------------------

// Constraints that must hold and do not: RH_E_MODEL.
static rh_status check_kept(const rh_equations *equations, const rh_point *point, rh_arena *scratch,
                            rh_error *err)
{
    for (uint32_t k = 0; k < equations->links.count; k++) {
        const rh_link *link = &equations->links.data[k];
        double missed = 0.0;
        if (!rh__link_is_exact(link)) {
            continue;
        }
        RH_TRY(
            rh__point_evaluate(point, &link->levels[link->level_count - 1], 1, scratch, &missed));
        if (!(fabs(missed) <= MET)) {
            return rh__error_fill(err, RH_E_MODEL, "the reversed velocities break %.*s (by %.3g)",
                                  RH_SLICE_FORMAT(link->constraint->row.name), missed);
        }
    }
    return RH_OK;
}

static rh_status pack_reversed(rh_motion *motion, rh_motion *from, rh_arena *scratch, rh_error *err)
{
    const rh_equations *equations = from->equations;
    rh_point point;
    RH_TRY(rh__point_create(&from->layout, scratch, &point));
    rh__motion_evaluate(from, from->t, from->x);
    rh__motion_point(from, &point);
    for (uint32_t k = 0; k < equations->coordinate_count; k++) {
        const rh_expr velocity = equations->carriers.data[k].variable;
        rh__point_set(&point, velocity, -rh__point_get(&point, velocity));
    }
    for (uint32_t k = 0; k < equations->links.count; k++) {
        const rh_link *link = &equations->links.data[k];
        if (link->held.i != 0) {
            rh__point_set(&point, link->held,
                          parity_of(from, link) * rh__point_get(&point, link->held));
        }
    }
    // before they become variables of the form, which may not be able to break anything
    RH_TRY(check_kept(equations, &point, scratch, err));
    return rh__system_pack(motion->system, &point, scratch, motion->x);
}

// What acts is what acted; everything else is decided anew.
static void take_mode(rh_motion *motion, const rh_motion *from)
{
    rh_mode *mode = &motion->mode;
    RH_ASSERT(mode->gate_count == from->mode.gate_count);
    for (uint32_t k = 0; k < mode->gate_count; k++) {
        mode->gates[k].is_active = mode->gates[k].was_active = from->mode.gates[k].is_active;
        mode->gates[k].sign = 0;
    }
    mode->is_begun = false;
    motion->occurrences.count = 0;
}

rh_status rh_motion_turn(rh_motion *motion, rh_motion *from, rh_error *err)
{
    RH_REQUIRE(motion != NULL && from != NULL && motion != from, err);
    RH_REQUIRE(motion->equations == from->equations && motion->steps == 0, err);
    RH_TRY(rh_motion_can_turn(from, err));
    rh_arena scratch = rh__arena_begin(from->arena.allocator, from->arena.limit);
    rh_error reason = {.status = RH_OK, .message = ""};
    const rh_status packed = pack_reversed(motion, from, &scratch, &reason);
    rh__arena_end(&scratch);
    if (packed != RH_OK) {
        return rh__error_fill(err, packed, "%s",
                              reason.message[0] != '\0' ? reason.message : rh_status_text(packed));
    }
    motion->t = motion->t_before = motion->t_seen = from->t;
    take_mode(motion, from);
    rh__samples_forget(motion);
    RH_TRY(rh__motion_begin(motion, err));
    return motion->reason[0] == '\0'
               ? RH_OK
               : rh__error_fill(err, RH_E_MODEL, "with reversed velocities %s", motion->reason);
}

// --- judging -----------------------------------------------------------------------------------

// The first occurrence of a kind after the start.
static const rh_occurrence *find_first(const rh_motion *motion, rh_occurrence_kind kind,
                                       double after)
{
    for (uint32_t k = 0; k < motion->occurrences.count; k++) {
        const rh_occurrence *occurrence = &motion->occurrences.data[k];
        if (occurrence->kind == kind && occurrence->time > after) {
            return occurrence;
        }
    }
    return NULL;
}

// What on the way there cannot be undone; the first kind of the list says most.
static const rh_occurrence *find_culprit(const rh_motion *there, double after, size_t kinds)
{
    static const rh_occurrence_kind KINDS[] = {RH_OCCURRENCE_ENGAGE, RH_OCCURRENCE_IMPACT,
                                               RH_OCCURRENCE_SLIDE, RH_OCCURRENCE_RESET};
    RH_ASSERT(kinds <= sizeof KINDS / sizeof *KINDS);
    const rh_occurrence *found = NULL;
    for (size_t k = 0; found == NULL && k < kinds; k++) {
        found = find_first(there, KINDS[k], after);
    }
    return found;
}

// Relative to 1 + |start|; returns the column that is worst, 0 when none was compared.
static size_t compare(const rh_motion *there, const double *start, const double *end,
                      double *differences, double *out_largest)
{
    size_t worst = 0;
    *out_largest = 0.0;
    for (size_t k = 0; k < there->columns.count; k++) {
        const int parity = rh_motion_column_parity(there, k);
        differences[k] = parity != 0 ? fabs(end[k] - parity * start[k]) : (double)NAN;
        const double relative = differences[k] / (1.0 + fabs(start[k]));
        if (parity != 0 && !(relative <= *out_largest)) {
            *out_largest = relative;
            worst = k;
        }
    }
    return worst;
}

rh_status rh_reversal_judge(const rh_motion *there, const double *start, const double *end,
                            double tolerance, double *differences, rh_reversal *out, rh_error *err)
{
    RH_REQUIRE(there != NULL && start != NULL && differences != NULL && out != NULL, err);
    enum { ALL = 4 };
    *out = (rh_reversal){.struct_size = (uint32_t)sizeof *out,
                         .largest = NAN,
                         .differences = end != NULL ? differences : NULL};
    const size_t worst = end != NULL ? compare(there, start, end, differences, &out->largest) : 0;
    const bool is_near = end != NULL && out->largest <= sqrt(tolerance);
    // after a meeting the way back is another one, however near it may still be
    const rh_occurrence *culprit = find_culprit(there, start[0], is_near ? 1 : ALL);
    out->holds = is_near && culprit == NULL;
    if (culprit != NULL) {
        (void)snprintf(out->reason, sizeof out->reason, "the motion met %s at t = %.10g (%s)",
                       culprit->name, culprit->time, rh_occurrence_kind_text(culprit->kind));
    } else if (end != NULL && !out->holds) {
        (void)snprintf(out->reason, sizeof out->reason, "%s comes back with a difference of %.2g",
                       there->columns.data[worst].name, differences[worst]);
    }
    return RH_OK;
}
