// SPDX-License-Identifier: Apache-2.0
// A start that violates constraints, moved to the nearest state that does not. Every value may
// move, given or not; the metric is that of nearest.c. Inequalities f >= 0 that are violated are
// met as f = 0: with Phi = f_v the velocities change by dv, A dv = Phi sigma, the least kinetic
// energy. Which of them are met so is found as in dual methods of quadratic programming: the one
// that is violated most comes in, and those go out again that hold without being asked for (their
// sigma would be negative).

#include "equations/consistent.h"

#include <string.h>

enum { MOST_TRIALS = 400 };

// --- inequalities --------------------------------------------------------------------------------

// Why there was no memory: the expressions may have been refused it too.
static rh_status why(const rh_settling *settling)
{
    return settling->scratch.status != RH_OK ? settling->scratch.status : RH_E_MEMORY;
}

bool rh__link_has_side(const rh_link *link)
{
    return link->constraint->is_one_sided && link->constraint->by != RH_BY_REACTION &&
           link->constraint->by != RH_BY_FRICTION;
}

// An inequality at the point.
typedef struct side {
    double value;
    double depth; // how far it is violated, relative; 0: it is not
} side;

static rh_status look_at_side(rh_settling *settling, uint32_t link, side *out)
{
    rh_demand *it = &settling->sides[link];
    RH_TRY(rh__demand_look(settling, it));
    const bool is_violated = it->found < 0.0 && !rh__demand_is_met(it);
    *out = (side){.value = it->found,
                  .depth = is_violated ? -it->found / (it->scale + it->floor) : 0.0};
    return RH_OK;
}

rh_status rh__settling_check_sides(rh_settling *settling, rh_diagnostics *list)
{
    const rh_equations *equations = settling->equations;
    for (uint32_t k = 0; k < equations->links.count; k++) {
        const rh_row *row = &equations->links.data[k].constraint->row;
        side found = {.depth = 0.0};
        if (rh__link_has_side(&equations->links.data[k])) {
            RH_TRY(look_at_side(settling, k, &found));
        }
        if (found.depth > 0.0) {
            rh__diagnostics_add(list, RH_DIAGNOSTIC_E408, row->span,
                                "the start violates %s >= 0: it is %.6g there",
                                rh__settling_name(settling, row->family, row->member), found.value);
            rh__diagnostics_repair(list, "start where it is zero or positive");
        }
    }
    return RH_OK;
}

// --- the nearest state ---------------------------------------------------------------------------

typedef struct mending {
    rh_settling *settling;
    uint32_t equation_count; // demands that are no inequalities
    bool *is_in;             // by link: the inequality is met as an equation
    double *depth;           // by link, at the point: how far it is violated
    bool is_met;             // all that is met as an equation
    bool fits;               // and no other inequality is violated
    uint32_t trials;
} mending;

static uint32_t link_count(const mending *on)
{
    return on->settling->equations->links.count;
}

// From the draft to the state nearest to it with these inequalities as equations.
static rh_status try_set(mending *on)
{
    rh_settling *settling = on->settling;
    const rh_equations *equations = settling->equations;
    settling->demands.count = on->equation_count;
    for (uint32_t k = 0; k < equations->links.count; k++) {
        const rh_demand asked = {.value = equations->links.data[k].constraint->deviation,
                                 .link = k + 1};
        if (on->is_in[k] && !rh__settling_add(settling, &settling->scratch, asked)) {
            return why(settling);
        }
    }
    for (uint32_t k = 0; k < settling->layout->symbols.count; k++) {
        settling->point.values[k] = settling->draft[k];
    }
    on->trials++;
    RH_TRY(rh__settling_settle(settling, true, &on->is_met));
    on->fits = on->is_met;
    for (uint32_t k = 0; k < equations->links.count; k++) {
        side found = {.depth = 0.0};
        if (rh__link_has_side(&equations->links.data[k])) {
            RH_TRY(look_at_side(settling, k, &found));
        }
        on->depth[k] = found.depth;
        on->fits = on->fits && found.depth == 0.0;
    }
    return RH_OK;
}

// Those that need not be equations; `newest` stays.
static rh_status leave_out(mending *on, uint32_t newest, bool *out_any)
{
    *out_any = false;
    for (uint32_t k = 0; k < link_count(on) && on->trials < MOST_TRIALS; k++) {
        if (on->is_in[k] && k != newest) {
            on->is_in[k] = false;
            RH_TRY(try_set(on));
            on->is_in[k] = !on->is_met || on->depth[k] > 0.0;
            *out_any = *out_any || !on->is_in[k];
        }
    }
    return RH_OK;
}

static uint32_t deepest(const mending *on)
{
    uint32_t best = UINT32_MAX;
    for (uint32_t k = 0; k < link_count(on); k++) {
        const bool is_candidate = !on->is_in[k] && on->depth[k] > 0.0;
        best = is_candidate && (best == UINT32_MAX || on->depth[k] > on->depth[best]) ? k : best;
    }
    return best;
}

// One after the other.
static rh_status choose_set(mending *on)
{
    bool is_going = true;
    RH_TRY(try_set(on));
    while (is_going && !on->fits && on->trials < MOST_TRIALS) {
        const uint32_t newest = on->is_met ? deepest(on) : UINT32_MAX;
        bool has_left = false;
        if (newest != UINT32_MAX) {
            on->is_in[newest] = true;
        }
        RH_TRY(leave_out(on, newest, &has_left));
        is_going = newest != UINT32_MAX || has_left;
        RH_TRY(try_set(on));
    }
    return RH_OK;
}

// Too many for that: all that are violated, as equations.
static rh_status take_all(mending *on)
{
    bool is_going = true;
    for (uint32_t k = 0; k < link_count(on); k++) {
        on->is_in[k] = false;
    }
    RH_TRY(try_set(on));
    while (is_going && !on->fits) {
        is_going = false;
        for (uint32_t k = 0; k < link_count(on); k++) {
            is_going = is_going || (!on->is_in[k] && on->depth[k] > 0.0);
            on->is_in[k] = on->is_in[k] || on->depth[k] > 0.0;
        }
        RH_TRY(try_set(on));
    }
    return RH_OK;
}

static rh_status mend(mending *on)
{
    on->trials = 0;
    for (uint32_t k = 0; k < link_count(on); k++) {
        on->is_in[k] = false;
    }
    RH_TRY(choose_set(on));
    return on->fits || on->trials < MOST_TRIALS ? RH_OK : take_all(on);
}

// --- the repair ----------------------------------------------------------------------------------

// Start values of what is no variable are equations too; where they cannot be met they are given
// up. The demands of links come first.
static rh_status mend_all(mending *on)
{
    const rh_settling *settling = on->settling;
    const uint32_t all = on->equation_count;
    RH_TRY(mend(on));
    while (on->equation_count > 0 && settling->demands.data[on->equation_count - 1].link == 0) {
        on->equation_count--;
    }
    return on->fits || on->equation_count == all ? RH_OK : mend(on);
}

static rh_status is_in_need(rh_settling *settling, bool *out)
{
    for (uint32_t k = 0; k < settling->equations->links.count && !*out; k++) {
        side found = {.depth = 0.0};
        if (rh__link_has_side(&settling->equations->links.data[k])) {
            RH_TRY(look_at_side(settling, k, &found));
        }
        *out = found.depth > 0.0;
    }
    return RH_OK;
}

static rh_status repair(rh_settling *settling, bool *out_repaired)
{
    const size_t links = settling->equations->links.count;
    const size_t slots = settling->layout->symbols.count;
    mending on = {.settling = settling,
                  .equation_count = settling->demands.count,
                  .is_in = rh__arena_array(&settling->scratch, bool, links + 1),
                  .depth = rh__arena_array(&settling->scratch, double, links + 1)};
    const uint32_t count = settling->demands.count;
    rh_demand *const demands = settling->demands.data;
    const uint32_t capacity = settling->demands.capacity;
    double *kept = rh__arena_array(&settling->scratch, double, slots + 1);
    settling->demands.data = rh__arena_array(&settling->scratch, rh_demand, links + count + 1);
    settling->demands.capacity = (uint32_t)links + count + 1;
    if (on.is_in == NULL || on.depth == NULL || kept == NULL || settling->demands.data == NULL) {
        return settling->scratch.status;
    }
    memcpy(kept, settling->point.values, slots * sizeof *kept);
    if (count > 0) {
        memcpy(settling->demands.data, demands, count * sizeof *demands);
    }
    RH_TRY(mend_all(&on));
    *out_repaired = on.fits;
    settling->demands.data = demands;
    settling->demands.count = count;
    settling->demands.capacity = capacity;
    if (!on.fits) {
        memcpy(settling->point.values, kept, slots * sizeof *kept);
    }
    return rh__settling_look(settling);
}

rh_status rh__settling_repair(rh_settling *settling, bool *is_consistent, bool *out_repaired)
{
    bool needs = !*is_consistent;
    *out_repaired = false;
    if (settling->equations->is_start_repaired) {
        RH_TRY(is_in_need(settling, &needs));
        RH_TRY(needs ? repair(settling, out_repaired) : RH_OK);
    }
    *is_consistent = *is_consistent || *out_repaired;
    return RH_OK;
}
