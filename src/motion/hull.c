// SPDX-License-Identifier: Apache-2.0
// Rest on several surfaces. Where rows of slides depend on each other, as those of sign(x) and
// sign(x') at x = x' = 0, one of them is enough to keep the motion there; the values of the others
// are free between their ends. They are lent values with which those that are left over come to lie
// in their own ranges. So the motion rests as long as 0 lies in the convex hull of all sides, and
// what is held stays held: no event of anything else opens it, and the state stays on all surfaces.

#include "motion/motion.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum { MOST = 12 }; // conditions that are shared out at once

#define EDGE 1e-9   // share of the range in which a value counts as one of its ends
#define STILL 1e-14 // of a range: a value that moves by less has come to its place
#define STEP 1e-6   // of the unit of a variable: for differences
#define OFF 0.01    // roundings, of its terms: a surface that is left by less is kept

// Shares of the ranges of slides, by those of what is lent.
typedef struct sharing {
    uint32_t held[MOST], lent[MOST];
    uint32_t held_count, lent_count;
    double base[MOST];         // by slide: its share where all that is lent is low
    double effect[MOST][MOST]; // by slide, by what is lent: how much it changes until that is high
    double before[MOST], part[MOST]; // by what is lent: its share
} sharing;

static const rh_slide *slide_of(const rh_motion *motion, uint32_t condition)
{
    RH_ASSERT(motion->mode.conditions[condition].slide < motion->system->slide_count);
    return &motion->system->slides[motion->mode.conditions[condition].slide];
}

static void run(rh_motion *motion)
{
    rh__switch_impose(motion);
    rh__system_series(motion->system, motion->step, motion->t, motion->x, 1);
}

static double share_of(const rh_motion *motion, uint32_t condition)
{
    const rh_slide *slide = slide_of(motion, condition);
    RH_ASSERT(slide->low != slide->high);
    const double u = rh__tape_output(motion->step, motion->n + slide->unknown, 0);
    return (u - slide->low) / (slide->high - slide->low);
}

static void lend(rh_motion *motion, uint32_t condition, double part)
{
    const rh_slide *slide = slide_of(motion, condition);
    motion->mode.conditions[condition].lent = slide->low + part * (slide->high - slide->low);
}

// --- sharing out ---------------------------------------------------------------------------------

static void list(const rh_motion *motion, uint32_t first, sharing *out)
{
    out->held[out->held_count++] = first;
    for (uint32_t k = 0; k < motion->system->step->switch_count; k++) {
        const rh_condition *it = &motion->mode.conditions[k];
        if (it->is_sliding && k != first && out->held_count < MOST) {
            out->held[out->held_count++] = k;
        }
        if (it->is_lent && out->lent_count < MOST) {
            const rh_slide *slide = slide_of(motion, k);
            out->before[out->lent_count] = (it->lent - slide->low) / (slide->high - slide->low);
            out->part[out->lent_count] = out->before[out->lent_count];
            out->lent[out->lent_count++] = k;
        }
    }
}

// What the values that are lent do to those of slides.
static void measure(rh_motion *motion, sharing *of)
{
    for (uint32_t j = 0; j < of->lent_count; j++) {
        lend(motion, of->lent[j], 0.0);
    }
    run(motion);
    for (uint32_t i = 0; i < of->held_count; i++) {
        of->base[i] = share_of(motion, of->held[i]);
    }
    for (uint32_t j = 0; j < of->lent_count; j++) {
        lend(motion, of->lent[j], 1.0);
        run(motion);
        for (uint32_t i = 0; i < of->held_count; i++) {
            const double effect = share_of(motion, of->held[i]) - of->base[i];
            const double size = fabs(of->base[i]) + fabs(effect);
            of->effect[i][j] = fabs(effect) > 16.0 * DBL_EPSILON * size ? effect : 0.0;
        }
        lend(motion, of->lent[j], 0.0);
    }
}

static double share_with(const sharing *of, uint32_t held, const double *part)
{
    RH_ASSERT(held < of->held_count);
    double share = of->base[held];
    for (uint32_t j = 0; j < of->lent_count; j++) {
        share += of->effect[held][j] * part[j];
    }
    return share;
}

static bool is_within(double share)
{
    return share > EDGE && share < 1.0 - EDGE;
}

// The slope of the sum of squares, by the share of what is lent, of what slides are farther than
// `reach` from the middle of their ranges.
static double slope_at(const sharing *of, uint32_t lent, double reach)
{
    RH_ASSERT(lent < of->lent_count && 0.0 <= reach && reach < 0.5);
    double slope = 0.0;
    for (uint32_t i = 0; i < of->held_count; i++) {
        const double off = share_with(of, i, of->part) - 0.5;
        const double excess = fmax(fabs(off) - reach, 0.0);
        slope += of->effect[i][lent] * copysign(excess, off);
    }
    return slope;
}

// Where that sum is least, by this share alone.
static void settle_one(sharing *of, uint32_t lent, double reach)
{
    enum { HALVINGS = 60 };
    double *part = &of->part[lent];
    const double here = slope_at(of, lent, reach);
    double low = here > 0.0 ? 0.0 : *part;
    double high = here < 0.0 ? 1.0 : *part;
    if (here == 0.0) {
        return;
    }
    *part = here > 0.0 ? low : high;
    if (slope_at(of, lent, reach) * here >= 0.0) {
        return; // as far as it goes
    }
    for (uint32_t k = 0; k < HALVINGS; k++) {
        *part = 0.5 * (low + high);
        const bool is_above = slope_at(of, lent, reach) > 0.0;
        low = is_above ? low : *part;
        high = is_above ? *part : high;
    }
}

// The sum is convex and smooth: one share after the other leads to its least value.
static void settle_all(sharing *of, double reach)
{
    enum { ROUNDS = 200 };
    double moved = 1.0;
    for (uint32_t k = 0; k < ROUNDS && moved > STILL; k++) {
        moved = 0.0;
        for (uint32_t j = 0; j < of->lent_count; j++) {
            const double kept = of->part[j];
            settle_one(of, j, reach);
            moved = fmax(moved, fabs(of->part[j] - kept));
        }
    }
}

// Is the first slide in its range now, and none out of it that was not?
static bool is_shared_out(const sharing *of)
{
    bool is_well = is_within(share_with(of, 0, of->part));
    for (uint32_t i = 1; i < of->held_count && is_well; i++) {
        is_well =
            is_within(share_with(of, i, of->part)) || !is_within(share_with(of, i, of->before));
    }
    return is_well;
}

bool rh__rest_lend(rh_motion *motion, uint32_t index)
{
    sharing of = {.held_count = 0};
    list(motion, index, &of);
    if (of.lent_count == 0) {
        return false;
    }
    measure(motion, &of);
    settle_all(&of, 0.0); // in the middle of the ranges, if that can be
    if (!is_shared_out(&of)) {
        settle_all(&of, 0.5 - 2.0 * EDGE);
    }
    for (uint32_t j = 0; j < of.lent_count; j++) {
        lend(motion, of.lent[j], of.part[j]);
    }
    rh__switch_impose(motion);
    rh__system_series(motion->system, motion->step, motion->t, motion->x, motion->order);
    return is_shared_out(&of);
}

// --- what is lent --------------------------------------------------------------------------------

bool rh__rest_is_shared(rh_motion *motion, uint32_t index)
{
    const uint32_t unknown = slide_of(motion, index)->unknown;
    rh__switch_impose(motion);
    for (uint32_t k = 0; k < motion->system->step->switch_count; k++) {
        if (k != index && motion->mode.conditions[k].is_sliding) {
            rh__tape_release(motion->step, slide_of(motion, k)->hold, slide_of(motion, k)->low);
        }
    }
    rh__system_series(motion->system, motion->step, motion->t, motion->x, 1);
    return rh__tape_is_unique(motion->step, motion->system->step->outputs[motion->n + unknown]);
}

void rh__rest_begin(rh_motion *motion, uint32_t index)
{
    RH_ASSERT(index < motion->system->step->switch_count);
    rh_condition *it = &motion->mode.conditions[index];
    it->is_sliding = it->is_lifting = false;
    it->is_lent = true;
    it->side = 0;
    it->known = it->zeros = 0;
    lend(motion, index, 0.5);
}

void rh__rest_open(rh_motion *motion)
{
    for (uint32_t k = 0; k < motion->system->step->switch_count; k++) {
        rh_condition *it = &motion->mode.conditions[k];
        if (it->is_lent) {
            it->is_lent = false;
            it->is_open = it->is_sliding = it->is_lifting = true;
            it->known = 1 + (uint32_t)slide_of(motion, k)->is_second;
        }
    }
}

// --- leaving -------------------------------------------------------------------------------------

// Others that hold the motion where it is, with their own values, not lent ones.
static uint32_t take_back(rh_motion *motion, uint32_t index, uint32_t *out)
{
    uint32_t count = 0;
    for (uint32_t k = 0; k < motion->system->step->switch_count && count < MOST; k++) {
        rh_condition *it = &motion->mode.conditions[k];
        if (k != index && (it->is_sliding || it->is_lent)) {
            it->is_lent = false;
            it->is_sliding = true;
            it->known = 1 + (uint32_t)slide_of(motion, k)->is_second;
            out[count++] = k;
        }
    }
    return count;
}

static void expand(rh_motion *motion)
{
    rh__switch_impose(motion);
    rh__system_series(motion->system, motion->step, motion->t, motion->x, motion->order);
}

// Those of others that cannot hold the motion let go; how many do.
static uint32_t let_go(rh_motion *motion, const uint32_t *others, uint32_t count)
{
    uint32_t gone = 0;
    RH_ASSERT(count <= MOST);
    for (uint32_t k = 0; k < count; k++) {
        const double share = share_of(motion, others[k]);
        rh_condition *other = &motion->mode.conditions[others[k]];
        if (share < -EDGE || share > 1.0 + EDGE) {
            other->is_sliding = false;
            other->side = share > 0.5 ? 1 : -1;
            gone++;
        }
    }
    return gone;
}

// Does the motion leave the surface of a condition with this side? Only where something lets go
// that kept it there, and not where it cannot be told what the others do.
static bool leaves_to(rh_motion *motion, uint32_t index, int side)
{
    rh_condition *it = &motion->mode.conditions[index];
    uint32_t others[MOST];
    it->is_sliding = it->is_lent = false;
    RH_ASSERT(side == -1 || side == 1);
    it->side = side;
    const uint32_t count = take_back(motion, index, others);
    expand(motion);
    if (motion->step->quality.singular > 0 || let_go(motion, others, count) == 0) {
        return false;
    }
    expand(motion);
    const uint32_t slot = motion->system->step->switches[index].surface;
    const uint32_t from = 1 + (uint32_t)slide_of(motion, index)->is_second;
    return rh__mode_first(motion, slot, from, rh__mode_span(motion)).sign == side;
}

bool rh__rest_is_repelled(rh_motion *motion, uint32_t index)
{
    rh_condition kept[MOST];
    const uint32_t count = motion->system->step->switch_count;
    bool is_repelled = count <= MOST;
    memcpy(kept, motion->mode.conditions, (is_repelled ? count : 0) * sizeof *kept);
    for (int side = -1; side <= 1 && is_repelled; side += 2) {
        is_repelled = leaves_to(motion, index, side);
        memcpy(motion->mode.conditions, kept, count * sizeof *kept);
    }
    return is_repelled;
}

// --- the state -----------------------------------------------------------------------------------

// A coefficient of a surface at the present point.
static double surface_of(rh_motion *motion, uint32_t slot, uint32_t order)
{
    RH_ASSERT(slot < motion->probe->tape->slot_count && order < 2);
    rh__gate_look(motion);
    return rh__jet_row(motion->probe, order)[slot];
}

// The least change of the state that puts it onto a surface, or makes its rate vanish.
static void put_onto(rh_motion *motion, uint32_t condition, uint32_t order)
{
    const uint32_t slot = motion->system->step->switches[condition].surface;
    const double unit =
        order == 0 ? rh__unit_of_slot(motion, slot) : rh__unit_of_rate(motion, slot);
    const double value = surface_of(motion, slot, order);
    double sum = 0.0;
    if (!(fabs(value) > OFF * DBL_EPSILON * unit)) {
        return;
    }
    for (uint32_t i = 0; i < motion->n; i++) {
        const double kept = motion->x[i];
        motion->x[i] += STEP * rh__unit_size(motion, i, kept);
        motion->slope[i] = surface_of(motion, slot, order) - value;
        motion->x[i] = kept;
        sum += motion->slope[i] * motion->slope[i];
    }
    for (uint32_t i = 0; sum > 0.0 && isfinite(sum) && i < motion->n; i++) {
        const double size = STEP * rh__unit_size(motion, i, motion->x[i]);
        motion->x[i] -= value * motion->slope[i] / sum * size;
    }
}

static bool is_on(const rh_condition *it)
{
    return it->is_sliding || it->is_lent;
}

void rh__rest_keep(rh_motion *motion)
{
    const uint32_t switches = motion->system->step->switch_count;
    const rh_condition *conditions = motion->mode.conditions;
    uint32_t count = 0;
    for (uint32_t k = 0; k < switches; k++) {
        count += is_on(&conditions[k]);
    }
    for (uint32_t k = 0; k < switches && count > 1; k++) {
        if (!is_on(&conditions[k])) {
            continue;
        }
        put_onto(motion, k, 0);
        if (slide_of(motion, k)->is_second) {
            put_onto(motion, k, 1);
        }
    }
}
