// SPDX-License-Identifier: Apache-2.0
// Conditions (`if`, `abs`, `sign`, `min`, `max`): each has a surface and a side of it, which is
// kept during a step, so that every piece of the motion is smooth. Where both sides push back to
// the surface the motion slides on it: the value of the condition is then an unknown between its
// values on both sides, until it comes to one of them. A surface may hold other conditions: where
// one of those changes its side, all that hang on it are decided anew.

#include "motion/motion.h"

#include <math.h>

enum { MOST_ENUMERATED = 6 }; // conditions whose sides are tried all together
enum { MOST_CAUGHT = 4 };     // times that others are found on whose surfaces slides stay

#define EDGE 1e-9    // share of the range in which a value counts as one of its ends
#define MOMENT 1e-12 // of the time: two surfaces met within it are met together

// The first condition with the same surface.
static void find_borders(const rh_motion *motion, uint32_t *out)
{
    const rh_tape *tape = motion->system->step;
    for (uint32_t k = 0; k < tape->switch_count; k++) {
        const rh_expr source = tape->switches[k].source;
        const rh_expr back = rh__expr_negate(motion->equations->store, source);
        uint32_t first = 0;
        while (first < k && tape->switches[first].source.i != source.i &&
               tape->switches[first].source.i != back.i) {
            first++;
        }
        out[k] = 2 * first + (tape->switches[first].source.i != source.i);
    }
}

rh_status rh__switch_create(rh_motion *motion)
{
    rh_mode *mode = &motion->mode;
    mode->border_of =
        rh__arena_array(&motion->arena, uint32_t, (size_t)motion->system->step->switch_count + 1);
    if (mode->border_of == NULL) {
        return motion->arena.status;
    }
    find_borders(motion, mode->border_of);
    const rh_status status =
        rh__tape_nesting(motion->system->step, &motion->arena, &mode->inner, &mode->inner_words);
    return status == RH_E_LIMIT ? RH_OK : status;
}

// Does a condition decide about the surface of another one?
static bool is_inner(const rh_motion *motion, uint32_t inner, uint32_t outer)
{
    RH_ASSERT(inner / 64 < motion->mode.inner_words);
    const uint64_t word = motion->mode.inner[outer * motion->mode.inner_words + inner / 64];
    return inner != outer && (word >> inner % 64 & 1) != 0;
}

static bool is_nested(const rh_motion *motion, uint32_t index)
{
    bool found = false;
    for (uint32_t k = 0; !found && k < motion->system->step->switch_count; k++) {
        found = is_inner(motion, k, index);
    }
    return found;
}

static const rh_slide *slide_of(const rh_motion *motion, const rh_condition *it)
{
    return it->slide == UINT32_MAX ? NULL : &motion->system->slides[it->slide];
}

// On its surface for as long as others do not let go of it.
static bool is_held(const rh_condition *it)
{
    return it->is_sliding || it->is_lent;
}

// Only what may slide is held, and a side is one of three.
static bool is_sound(const rh_motion *motion, const rh_condition *it)
{
    return -1 <= it->side && it->side <= 1 && -1 <= it->side_noted && it->side_noted <= 1 &&
           it->known <= motion->order_chosen && it->zeros <= motion->order_chosen &&
           (it->slide < motion->system->slide_count || (it->slide == UINT32_MAX && !is_held(it)));
}

// The value of a condition that does not slide.
static double value_of(rh_switch_rule rule, const rh_condition *it, const rh_slide *slide)
{
    RH_ASSERT(-1 <= it->side && it->side <= 1);
    if (it->side != 0) {
        return it->side < 0 ? slide->low : slide->high;
    }
    if (it->is_lent) {
        return it->lent;
    }
    const double below = rh__switch_truth(rule, -1.0);
    const double range = rh__switch_truth(rule, 1.0) - below;
    const double share = range != 0.0 ? (rh__switch_truth(rule, 0.0) - below) / range : 0.0;
    return slide->low + share * (slide->high - slide->low);
}

// Have two conditions the same surface? 1; -1: it is turned round; 0: they have not.
static int turn_of(const rh_motion *motion, uint32_t one, uint32_t other)
{
    RH_ASSERT(one < motion->system->step->switch_count &&
              other < motion->system->step->switch_count);
    const uint32_t a = motion->mode.border_of[one];
    const uint32_t b = motion->mode.border_of[other];
    return a / 2 != b / 2 ? 0 : a == b ? 1 : -1;
}

uint32_t rh__switch_held_by(const rh_motion *motion, uint32_t index)
{
    uint32_t found = UINT32_MAX;
    for (uint32_t k = 0; k < motion->system->step->switch_count && found == UINT32_MAX; k++) {
        const bool is_other = k != index && !is_held(&motion->mode.conditions[index]);
        found = is_other && is_held(&motion->mode.conditions[k]) && turn_of(motion, k, index) != 0
                    ? k
                    : UINT32_MAX;
    }
    return found;
}

// The side that a condition stands on. What slides may stand on either: it has the same motion on
// both, which is not the one of the surface itself. Others of its surface stand where it does.
static int standing(const rh_motion *motion, uint32_t index)
{
    const uint32_t by = rh__switch_held_by(motion, index);
    const rh_condition *it = &motion->mode.conditions[by != UINT32_MAX ? by : index];
    const int side = it->side == 0 && is_held(it) ? 1 : it->side;
    return by != UINT32_MAX ? turn_of(motion, by, index) * side : side;
}

// Let the tape work with the present sides.
static void impose(rh_motion *motion)
{
    const rh_tape *tape = motion->system->step;
    for (uint32_t k = 0; k < tape->switch_count; k++) {
        const rh_condition *it = &motion->mode.conditions[k];
        const rh_slide *slide = slide_of(motion, it);
        const int side = standing(motion, k);
        RH_ASSERT(is_sound(motion, it) && -1 <= side && side <= 1);
        const double truth =
            side == 0 ? (double)NAN : rh__switch_truth(tape->switches[k].rule, side);
        rh__tape_force(motion->step, k, truth);
        if (slide != NULL && it->is_sliding) {
            rh__tape_hold(motion->step, slide->hold);
        } else if (slide != NULL) {
            rh__tape_release(motion->step, slide->hold,
                             value_of(tape->switches[k].rule, it, slide));
        }
    }
}

void rh__switch_impose(rh_motion *motion)
{
    impose(motion);
}

static void run(rh_motion *motion)
{
    double *row = rh__jet_row(motion->step, 0);
    row[0] = motion->t;
    for (uint32_t k = 0; k < motion->n; k++) {
        row[1 + k] = motion->x[k];
    }
    motion->step->ready = 0;
    rh__tape_run(motion->step);
}

void rh__switch_run(rh_motion *motion, uint32_t index, int side)
{
    const rh_tape *tape = motion->system->step;
    RH_ASSERT(index == UINT32_MAX || (index < tape->switch_count && -1 <= side && side <= 1));
    impose(motion);
    for (uint32_t k = 0; k < tape->switch_count; k++) {
        const bool is_resting = motion->mode.conditions[k].side == 0;
        if (is_resting || k == index) {
            rh__tape_force(motion->step, k,
                           rh__switch_truth(tape->switches[k].rule, k == index ? side : 0));
        }
    }
    run(motion);
}

void rh__switch_run_plainly(rh_motion *motion)
{
    for (uint32_t k = 0; k < motion->system->step->switch_count; k++) {
        rh__tape_force(motion->step, k, NAN);
    }
    run(motion);
}

static void expand(rh_motion *motion)
{
    impose(motion);
    rh__system_series(motion->system, motion->step, motion->t, motion->x, motion->order);
}

// --- conditions that move nothing
// ----------------------------------------------------------------

// The first order of the motion that depends on the value of a condition; 0: none of the first
// does. So it is where a coefficient of friction is zero, or is zero for the time being: nothing
// can slide on such a surface.
static uint32_t find_effect(rh_motion *motion, const rh_slide *slide)
{
    rh_tape_state *probe = motion->probe;
    rh__tape_follow(probe, motion->step);
    for (uint32_t k = 0; k < motion->system->step->switch_count; k++) {
        const rh_condition *it = &motion->mode.conditions[k];
        const rh_slide *other = slide_of(motion, it);
        if (other != NULL) {
            const double value = value_of(motion->system->step->switches[k].rule, it, other);
            rh__tape_release(motion->step, other->hold, value);
            rh__tape_release(probe, other->hold, value);
        }
    }
    rh__tape_release(motion->step, slide->hold, slide->low);
    rh__tape_release(probe, slide->hold, slide->high);
    rh__system_series(motion->system, motion->step, motion->t, motion->x, RH_BRIEF_ORDER);
    rh__system_series(motion->system, probe, motion->t, motion->x, RH_BRIEF_ORDER);
    uint32_t first = slide->is_coupled;
    for (uint32_t order = 1; first == 0 && order <= RH_BRIEF_ORDER; order++) {
        const double *low = rh__jet_row(motion->step, order) + 1;
        const double *high = rh__jet_row(probe, order) + 1;
        for (uint32_t i = 0; first == 0 && i < motion->n; i++) {
            first = low[i] == high[i] ? 0 : order;
        }
    }
    motion->step->ready = 0;
    return first;
}

// What slides is let go where its condition does nothing any more.
static void find_idle(rh_motion *motion)
{
    for (uint32_t k = 0; k < motion->system->step->switch_count; k++) {
        rh_condition *it = &motion->mode.conditions[k];
        const rh_slide *slide = slide_of(motion, it);
        it->is_idle = it->is_growing = false;
        if (slide == NULL || !(it->is_open || is_held(it))) {
            continue;
        }
        impose(motion);
        const uint32_t effect = find_effect(motion, slide);
        it->is_idle = effect == 0;
        it->is_growing = effect > 1;
        if (it->is_idle && is_held(it)) {
            it->is_sliding = it->is_lent = false;
            it->is_open = true;
            it->side = 0;
            it->known = 0;
        }
    }
}

// --- one condition
// -------------------------------------------------------------------------------

// Coefficient k of the value of a slide, as a share of the way from low to high.
static double share_of(const rh_motion *motion, const rh_slide *slide, uint32_t k)
{
    RH_ASSERT(slide->low != slide->high && k < motion->order);
    const double u = rh__tape_output(motion->step, motion->n + slide->unknown, k);
    return (u - (k == 0 ? slide->low : 0.0)) / (slide->high - slide->low);
}

// The side that a slide lets go to; 0: it goes on.
static int let_go(const rh_motion *motion, const rh_slide *slide, double span)
{
    const double share = share_of(motion, slide, 0);
    if (share > EDGE && share < 1.0 - EDGE) {
        return 0;
    }
    if (share < -EDGE || share > 1.0 + EDGE) {
        return share > 0.5 ? 1 : -1;
    }
    double power = span;
    for (uint32_t k = 1; k < motion->order; k++, power *= span) {
        const double term = share_of(motion, slide, k) * power;
        if (fabs(term) > EDGE) {
            return share > 0.5 ? (term > 0.0 ? 1 : 0) : (term < 0.0 ? -1 : 0);
        }
    }
    return 0;
}

// A slide of second order needs a surface whose rate vanishes too; else the side it goes to.
static int leaves_surface(rh_motion *motion, const rh_slide *slide, uint32_t slot, double span)
{
    const double rate = rh__jet_row(motion->step, 1)[slot];
    return slide->is_second && fabs(rate) > rh__mode_noise(motion, slot, 1, span)
               ? (rate > 0.0 ? 1 : -1)
               : 0;
}

// A condition changed: so may all whose surfaces hang on it.
static void open_outer(rh_motion *motion, uint32_t index)
{
    for (uint32_t k = 0; k < motion->system->step->switch_count; k++) {
        rh_condition *it = &motion->mode.conditions[k];
        if (is_inner(motion, index, k) && !it->is_open) {
            it->is_open = true;
            it->known = 0;
        }
    }
}

// Others of a surface on which the motion may slide leave it to the same side.
static void take_along(rh_motion *motion, uint32_t index)
{
    const rh_condition *it = &motion->mode.conditions[index];
    for (uint32_t k = 0; k < motion->system->step->switch_count; k++) {
        rh_condition *other = &motion->mode.conditions[k];
        const int turn = k != index && !other->is_sliding ? turn_of(motion, index, k) : 0;
        if (turn != 0 && (slide_of(motion, it) != NULL || slide_of(motion, other) != NULL)) {
            other->is_open = true;
            other->known = it->known;
            other->side = turn * it->side;
            other->is_lifting = other->is_lifting || it->was_sliding;
            open_outer(motion, k);
        }
    }
}

// A surface that hangs on other conditions may be elsewhere than it was, or flat: true when its
// value tells the side.
static bool tell_by_value(rh_motion *motion, uint32_t index)
{
    rh_condition *it = &motion->mode.conditions[index];
    const uint32_t slot = motion->system->step->switches[index].surface;
    const double s = rh__jet_row(motion->step, 0)[slot];
    if (it->known > 0 || !is_nested(motion, index)) {
        return false;
    }
    if (fabs(s) > rh__mode_met(motion, slot)) {
        it->is_sliding = false;
        it->side = s > 0.0 ? 1 : -1;
        it->zeros = 0;
        return true;
    }
    return false;
}

// Does a condition agree with the motion? If not, it is changed to what the motion says.
static bool agree_once(rh_motion *motion, uint32_t index, double span)
{
    rh_condition *it = &motion->mode.conditions[index];
    const rh_slide *slide = slide_of(motion, it);
    const uint32_t slot = motion->system->step->switches[index].surface;
    if (it->is_sliding) {
        const int away = it->known > 1 ? 0 : leaves_surface(motion, slide, slot, span);
        int side = away != 0 ? away : let_go(motion, slide, span);
        side = away == 0 && side != 0 && rh__rest_lend(motion, index) ? 0 : side;
        it->is_sliding = side == 0;
        it->is_open = true;
        it->side = side == 0 ? it->side : side;
        it->known = side == 0 ? it->known : away != 0 ? 1 : 1 + (uint32_t)slide->is_second;
        if (side != 0) {
            rh__rest_open(motion);
        }
        return side == 0;
    }
    const bool is_hanging = it->known == 0 && is_nested(motion, index);
    const rh_mode_term first = rh__mode_first(motion, slot, is_hanging ? 1 : it->known, span);
    it->zeros = first.order;
    if (first.sign == 0 && is_hanging) {
        it->side = 0; // it is flat
    }
    if (first.sign == 0 || first.sign == it->side) {
        return true;
    }
    if (slide != NULL && !it->is_idle && it->side != 0 && it->known > 0 &&
        first.order > slide->is_second) {
        it->is_sliding = true; // it is pushed back
        return false;
    }
    const bool is_same =
        it->side == 0 && rh__switch_truth(motion->system->step->switches[index].rule, first.sign) ==
                             rh__tape_truth(motion->step, index);
    it->side = first.sign;
    it->known = is_hanging ? 1 : it->known; // now it is as if it were crossed
    return is_same && slide == NULL;
}

static bool agree(rh_motion *motion, uint32_t index, double span)
{
    const rh_condition *it = &motion->mode.conditions[index];
    const int side = it->side;
    const bool was_sliding = it->is_sliding;
    const bool is_told = tell_by_value(motion, index);
    const bool agrees = is_told || agree_once(motion, index, span);
    if (it->side == side && it->is_sliding == was_sliding) {
        return agrees;
    }
    open_outer(motion, index);
    if (was_sliding && !it->is_sliding) {
        take_along(motion, index);
    }
    return agrees && !is_told && it->side != 0;
}

// --- all of them
// ---------------------------------------------------------------------------------

static bool is_open(const rh_condition *it)
{
    return it->is_sliding || (it->is_open && !it->is_lent);
}

// What slides without need: others keep the motion on its surface. Where these slide too its value
// is lent; something else may keep it there although the condition does not move it: what would
// slide has no value then.
static void drop(rh_motion *motion, uint32_t index)
{
    rh_condition *it = &motion->mode.conditions[index];
    RH_ASSERT(it->is_sliding);
    const bool is_lent = rh__rest_is_shared(motion, index);
    it->is_sliding = false;
    it->side = 0;
    if (is_lent) {
        rh__rest_begin(motion, index);
    }
}

// The series, with rows that do not depend on each other. What grows from nothing has a row without
// a value; that it is held all the same is told later, if it would have to be.
static void expand_freely(rh_motion *motion, bool has_growing)
{
    const uint32_t *outputs = motion->system->step->outputs;
    expand(motion);
    for (uint32_t k = 0; k < motion->system->step->switch_count; k++) {
        const rh_condition *it = &motion->mode.conditions[k];
        const rh_slide *slide = slide_of(motion, it);
        if (motion->step->quality.singular > 0 && it->is_open && it->is_sliding &&
            (has_growing || !it->is_growing) &&
            !rh__tape_is_unique(motion->step, outputs[motion->n + slide->unknown])) {
            drop(motion, k);
            expand(motion);
        }
    }
}

// One round; true when all agree. With `is_single` only the first that does not is changed.
static bool go_round(rh_motion *motion, bool is_single)
{
    bool agrees = true;
    expand_freely(motion, false);
    const double span = rh__mode_span(motion);
    for (uint32_t k = 0; k < motion->system->step->switch_count && (agrees || !is_single); k++) {
        if (is_open(&motion->mode.conditions[k])) {
            agrees = agree(motion, k, span) && agrees;
        }
    }
    return agrees;
}

// Surfaces that are not met have their side.
static void see_sides(rh_motion *motion)
{
    const double *row = rh__jet_row(motion->step, 0);
    impose(motion);
    run(motion);
    for (uint32_t k = 0; k < motion->system->step->switch_count; k++) {
        rh_condition *it = &motion->mode.conditions[k];
        const uint32_t slot = motion->system->step->switches[k].surface;
        const double s = row[slot];
        if (it->is_lent && fabs(s) > rh__mode_met(motion, slot)) {
            it->is_lent = false;
            it->is_open = true;
        }
        if (!it->is_open || it->known > 0 || is_held(it)) {
            continue;
        }
        if (fabs(s) > RH_MODE_MET * rh__unit_of_slot(motion, slot)) {
            it->side = s > 0.0 ? 1 : -1;
            it->is_open = false;
            it->zeros = 0;
        } else if (slide_of(motion, it) != NULL && !it->is_idle && !is_nested(motion, k)) {
            it->is_sliding = it->is_tried = true; // try that first
            it->known = 1;
        }
    }
}

// Try all sides of the open ones together.
static bool enumerate(rh_motion *motion, const uint32_t *open, uint32_t count)
{
    RH_ASSERT(count <= MOST_ENUMERATED);
    uint32_t total = 1;
    for (uint32_t k = 0; k < count; k++) {
        total *= 3;
    }
    for (uint32_t trial = 0; trial < total; trial++) {
        uint32_t digits = trial;
        rh__rest_open(motion);
        for (uint32_t k = 0; k < count; k++, digits /= 3) {
            rh_condition *it = &motion->mode.conditions[open[k]];
            it->is_sliding = digits % 3 == 0 && it->slide != UINT32_MAX && !it->is_idle;
            it->side = digits % 3 == 1 ? -1 : 1;
            it->known = it->known > 0 || is_nested(motion, open[k]) ? it->known : 1;
        }
        if (go_round(motion, true)) {
            return true;
        }
    }
    return false;
}

static bool find_open_sides(rh_motion *motion)
{
    const uint32_t count = motion->system->step->switch_count;
    uint32_t open[MOST_ENUMERATED];
    uint32_t open_count = 0;
    for (uint32_t k = 0; k < count; k++) {
        if (is_open(&motion->mode.conditions[k])) {
            open[open_count % MOST_ENUMERATED] = k;
            open_count++;
        }
    }
    bool agrees = open_count == 0;
    for (uint32_t round = 0; !agrees && round < 8 + 4 * open_count; round++) {
        agrees = go_round(motion, round > 6);
    }
    return agrees || (open_count <= MOST_ENUMERATED && enumerate(motion, open, open_count));
}

// Does the motion lie on a surface, with a rate of it that vanishes too? `is_second`: or two rates.
static bool lies_on(rh_motion *motion, uint32_t slot, bool is_second, double span)
{
    bool lies = fabs(rh__jet_row(motion->step, 0)[slot]) <= rh__mode_met(motion, slot);
    for (uint32_t m = 1; lies && m <= 1 + (uint32_t)is_second; m++) {
        lies = fabs(rh__jet_row(motion->step, m)[slot]) <= rh__mode_noise(motion, slot, m, span);
    }
    return lies;
}

// Hold a condition that has a side too; false, and nothing: it would have a value then that keeps
// it there.
static bool catch_one(rh_motion *motion, uint32_t index)
{
    rh_condition *it = &motion->mode.conditions[index];
    const rh_slide *slide = slide_of(motion, it);
    const rh_condition kept = *it;
    RH_ASSERT(!is_held(it));
    it->is_open = it->is_sliding = true;
    it->known = 1 + (uint32_t)slide->is_second;
    expand(motion);
    const uint32_t unknown = motion->system->step->outputs[motion->n + slide->unknown];
    const bool is_caught =
        motion->step->quality.singular > 0 && !rh__tape_is_unique(motion->step, unknown);
    *it = is_caught ? *it : kept;
    return is_caught;
}

// What slides may stay on other surfaces too, which were not crossed yet or are met by that: their
// sides mean nothing. True when there are some, which are held now.
static bool catch_others(rh_motion *motion)
{
    const rh_tape *tape = motion->system->step;
    bool slides = false;
    bool is_caught = false;
    for (uint32_t k = 0; k < tape->switch_count; k++) {
        slides = slides || motion->mode.conditions[k].is_sliding;
    }
    bool is_expanded = false;
    for (uint32_t k = 0; k < tape->switch_count && slides; k++) {
        const rh_condition *it = &motion->mode.conditions[k];
        const rh_slide *slide = slide_of(motion, it);
        if (slide == NULL || it->is_idle || it->side == 0 || is_held(it) ||
            rh__switch_held_by(motion, k) != UINT32_MAX) {
            continue;
        }
        if (!is_expanded) {
            expand(motion);
            is_expanded = true;
        }
        const double span = rh__mode_span(motion);
        if (lies_on(motion, tape->switches[k].surface, slide->is_second, span)) {
            is_caught = catch_one(motion, k) || is_caught;
            is_expanded = false; // these are others
        }
    }
    return is_caught;
}

static bool find_sides(rh_motion *motion)
{
    bool agrees = find_open_sides(motion);
    for (uint32_t k = 0; agrees && k < MOST_CAUGHT && catch_others(motion); k++) {
        agrees = find_open_sides(motion);
    }
    return agrees;
}

static bool is_entangled(const rh_motion *motion)
{
    uint32_t sliding = 0;
    bool is_coupled = false;
    for (uint32_t k = 0; k < motion->system->step->switch_count; k++) {
        const rh_condition *it = &motion->mode.conditions[k];
        sliding += it->is_sliding;
        is_coupled = is_coupled || (it->is_sliding && slide_of(motion, it)->is_coupled);
    }
    return sliding > 1 && is_coupled;
}

// A slide that has nothing to be kept by.
static const rh_condition *find_growing(const rh_motion *motion)
{
    for (uint32_t k = 0; k < motion->system->step->switch_count; k++) {
        const rh_condition *it = &motion->mode.conditions[k];
        if (it->is_sliding && it->is_growing) {
            return it;
        }
    }
    return NULL;
}

// Does the motion leave a surface to this side of it?
static bool leads_away(rh_motion *motion, uint32_t index, int side)
{
    rh_condition *it = &motion->mode.conditions[index];
    RH_ASSERT(side == -1 || side == 1);
    const uint32_t slot = motion->system->step->switches[index].surface;
    const uint32_t from = 1 + (uint32_t)slide_of(motion, it)->is_second;
    const rh_condition kept = *it;
    it->is_sliding = false;
    it->side = side;
    expand(motion);
    const bool leads = rh__mode_first(motion, slot, from, rh__mode_span(motion)).sign == side;
    *it = kept;
    return leads;
}

// A surface that was not come to by the motion, and that both sides lead away from: it may stay
// there or leave to either of them.
static const rh_condition *find_repelling(rh_motion *motion)
{
    for (uint32_t k = 0; k < motion->system->step->switch_count; k++) {
        const rh_condition *it = &motion->mode.conditions[k];
        const bool leads =
            it->is_sliding && it->is_tried && leads_away(motion, k, -1) && leads_away(motion, k, 1);
        if (leads || (it->is_lent && it->is_tried && rh__rest_is_repelled(motion, k))) {
            return it;
        }
    }
    return NULL;
}

static void find_several(rh_motion *motion)
{
    const rh_condition *growing = find_growing(motion);
    const rh_condition *repelling = growing == NULL ? find_repelling(motion) : NULL;
    if (growing != NULL) {
        rh__motion_fail(motion, RH_DIAGNOSTIC_E508,
                        "the motion has several continuations at t = %.17g: what %s does is zero "
                        "there and grows from there on, and its value on the surface is not "
                        "determined",
                        motion->t, growing->name);
    } else if (repelling != NULL) {
        rh__motion_fail(motion, RH_DIAGNOSTIC_E508,
                        "the motion has several continuations at t = %.17g: it lies where %s "
                        "changes, and may leave to both sides: begin beside it",
                        motion->t, repelling->name);
    } else if (is_entangled(motion)) {
        rh__motion_fail(motion, RH_DIAGNOSTIC_E513,
                        "the motion slides on two surfaces at t = %.17g whose conditions multiply "
                        "each other: what it does there is not determined",
                        motion->t);
    }
}

// Is there something that slid when all was settled last and does not any more?
static bool has_let_go(const rh_motion *motion)
{
    bool has = false;
    for (uint32_t k = 0; k < motion->system->step->switch_count; k++) {
        const rh_condition *it = &motion->mode.conditions[k];
        has = has || (it->was_sliding && !it->is_sliding);
    }
    return has;
}

void rh__switch_decide(rh_motion *motion)
{
    if (motion->system->step->switch_count == 0) {
        return;
    }
    find_idle(motion);
    if (has_let_go(motion)) {
        rh__rest_open(motion);
    }
    see_sides(motion);
    expand_freely(motion, true);
    if (!find_sides(motion)) {
        rh__motion_fail(motion, RH_DIAGNOSTIC_E510,
                        "the motion has no continuation at t = %.17g: no sides of the conditions "
                        "that are met there agree with it (changes of them may accumulate)",
                        motion->t);
    } else {
        find_several(motion);
    }
    impose(motion);
}

// What acts now may keep the motion on a surface that was crossed when it began to: then it has no
// side, as dry friction at rest.
void rh__switch_rest(rh_motion *motion, bool is_all)
{
    bool is_expanded = false;
    for (uint32_t k = 0; k < motion->system->step->switch_count; k++) {
        rh_condition *it = &motion->mode.conditions[k];
        const uint32_t slot = motion->system->step->switches[k].surface;
        if (!it->is_open || it->is_sliding || it->side == 0 ||
            (!is_all && slide_of(motion, it) == NULL)) {
            continue;
        }
        if (!is_expanded) {
            expand(motion);
            is_expanded = true;
        }
        const bool is_met = fabs(rh__jet_row(motion->step, 0)[slot]) <=
                            RH_MODE_MET * rh__unit_of_slot(motion, slot);
        if (is_met && rh__mode_first(motion, slot, 1, rh__mode_span(motion)).sign == 0) {
            it->side = 0;
            it->known = it->zeros = 0;
            impose(motion);
        }
    }
}

void rh__switch_say(rh_motion *motion)
{
    for (uint32_t k = 0; k < motion->system->step->switch_count; k++) {
        rh_condition *it = &motion->mode.conditions[k];
        if (it->is_sliding != it->was_sliding) {
            rh__mode_record(motion, it->is_sliding ? RH_OCCURRENCE_SLIDE : RH_OCCURRENCE_LEAVE,
                            it->name, motion->t);
        }
        it->is_lifting = !it->is_sliding && (it->is_lifting || it->was_sliding);
        it->was_sliding = it->is_sliding;
        it->is_open = it->is_tried = false;
        it->known = 0;
        RH_ASSERT(is_sound(motion, it));
    }
}

void rh__switch_open(rh_motion *motion)
{
    for (uint32_t k = 0; k < motion->system->step->switch_count; k++) {
        rh_condition *it = &motion->mode.conditions[k];
        *it = (rh_condition){.slide = it->slide,
                             .name = it->name,
                             .was_sliding = it->was_sliding,
                             .is_open = true,
                             .rounds = it->rounds,
                             .side_noted = it->side_noted};
    }
    for (uint32_t k = 0; k < motion->system->watch->switch_count; k++) {
        motion->watch_side[k] = 0.0;
        rh__tape_force(motion->watch, k, NAN);
    }
}

// A surface on which the motion was all the time has no side yet; when the motion changes it may
// get one. Without jets it has none before it is left: its truth is asked at every point.
void rh__switch_reopen(rh_motion *motion)
{
    const bool is_exact = motion->stepper == NULL || motion->stepper->has_jets;
    for (uint32_t k = 0; k < motion->system->step->switch_count; k++) {
        rh_condition *it = &motion->mode.conditions[k];
        const bool is_told = is_exact || slide_of(motion, it) != NULL; // or asked at every point
        it->is_open = it->is_open || (is_told && it->side == 0 && !is_held(it));
    }
}

// Surfaces that are met at the same time, as far as times are known, are met together.
void rh__switch_meet(rh_motion *motion)
{
    const rh_tape *tape = motion->system->step;
    const bool is_exact = motion->stepper == NULL || motion->stepper->has_jets;
    const double moment = (is_exact ? MOMENT : fmax(MOMENT, RH_MODE_CLEAR * motion->tolerance)) *
                          (fabs(motion->t) + motion->t - motion->t_before);
    impose(motion);
    rh__gate_look(motion);
    for (uint32_t k = 0; k < tape->switch_count; k++) {
        rh_condition *it = &motion->mode.conditions[k];
        const double s = rh__jet_row(motion->probe, 0)[tape->switches[k].surface];
        const double rate = rh__jet_row(motion->probe, 1)[tape->switches[k].surface];
        it->is_open = true;
        if (fabs(s) <= moment * fabs(rate)) {
            it->known = it->known > 0 ? it->known : 1;
        } else if (!it->is_sliding && fabs(s) > rh__mode_met(motion, tape->switches[k].surface)) {
            it->known = 0;
        }
    }
}

// What slides is kept there by a finite force, which has no impulse.
void rh__switch_let_go(rh_motion *motion)
{
    for (uint32_t k = 0; k < motion->system->step->switch_count; k++) {
        rh_condition *it = &motion->mode.conditions[k];
        it->side = it->is_sliding && it->side == 0 ? 1 : it->side;
        it->is_sliding = it->is_lent = false;
    }
    impose(motion);
}

// A surface was crossed, or a slide came to an end of its range.
void rh__switch_cross(rh_motion *motion, uint32_t index, int direction)
{
    RH_ASSERT(index < motion->system->step->switch_count && (direction == -1 || direction == 1));
    rh_condition *it = &motion->mode.conditions[index];
    const rh_slide *slide = slide_of(motion, it);
    it->is_open = true;
    if (it->is_sliding && rh__rest_lend(motion, index)) {
        return;
    }
    // a slide leaves a surface whose rate vanishes, or the first two of them
    it->known = !it->is_sliding ? 1 : slide->is_second ? 3 : 2;
    it->is_sliding = false;
    it->side = direction;
    open_outer(motion, index);
    take_along(motion, index);
}

// --- conditions inside event functions
// -----------------------------------------------------------

// Of a function along the step, by its coefficients: the first that is more than rounding.
static double first_sign(const rh_motion *motion, const double *row)
{
    const size_t stride = motion->watch->stride;
    const double length = motion->length_last > 0.0 ? motion->length_last : 1.0;
    double largest = 0.0;
    double power = 1.0;
    for (uint32_t m = 0; m < motion->order; m++, power *= length) {
        largest = fmax(largest, fabs(row[m * stride]) * power);
    }
    power = 1.0;
    for (uint32_t m = 0; m < motion->order; m++, power *= length) {
        const double c = row[m * stride] * power;
        if (fabs(c) > 1e-14 * largest) {
            return c > 0.0 ? 1.0 : -1.0;
        }
    }
    return 0.0;
}

// Nothing moves by them.
bool rh__switch_decide_watched(rh_motion *motion)
{
    const rh_tape *tape = motion->system->watch;
    bool is_changed = false;
    for (uint32_t k = 0; k < tape->switch_count; k++) {
        const double *row = rh__jet_row(motion->watch, 0) + tape->switches[k].surface;
        motion->watch_side[k] =
            motion->watch_side[k] == 0.0 ? first_sign(motion, row) : motion->watch_side[k];
        RH_ASSERT(fabs(motion->watch_side[k]) <= 1.0);
        const double truth = rh__switch_truth(tape->switches[k].rule, motion->watch_side[k]);
        if (motion->watch_side[k] != 0.0 && isnan(motion->watch->forced[k])) {
            is_changed = is_changed || truth != rh__tape_truth(motion->watch, k);
            rh__tape_force(motion->watch, k, truth);
        }
    }
    return is_changed;
}

void rh__switch_flip_watched(rh_motion *motion, uint32_t index, int direction)
{
    RH_ASSERT(index < motion->system->watch->switch_count && (direction == -1 || direction == 1));
    motion->watch_side[index] = direction;
    rh__tape_force(motion->watch, index,
                   rh__switch_truth(motion->system->watch->switches[index].rule, direction));
}
