// SPDX-License-Identifier: Apache-2.0
// One-sided constraints. A gate acts or it does not; what happens next where it is touched is told
// by the rate of its last level g along the motion without it, k, and by what a unit of its
// multiplier does to that rate, G:
//     0 <= lambda  _|_  k + G lambda >= 0,
// for all touched ones together. Those for which both vanish are decided by the next derivatives,
// with those that act already acting. Directions in which G has a negative diagonal count with the
// opposite sign.

#include "motion/motion.h"

#include <math.h>

#define FAR 1e-9   // of its terms: on the wrong side by more than rounding
#define LOST 1e-12 // relative size of a response that is none
#define LOOSE 1e-8 // of the largest rate: how well a multiplier is known to vanish
#define SLOW                                                                                       \
    3e-8 // of its terms: a speed with which a flight rises no higher than rounding, which
         // only jets see
#define IMPLIED 1e-9 // of its own response: what is left of it when others act
#define CLEAR 1e-4   // of what the motion does: a rate whose sign needs no further look
#define NOISE 1e-10  // of a rate that is clear: less is rounding
#define REST 1e3     // roundings of forces in balance, where nothing moves

// --- making
// --------------------------------------------------------------------------------------

static uint32_t unknown_of(const rh_form *form, rh_expr symbol)
{
    uint32_t k = form->rate_count;
    while (k < form->unknowns.count && form->unknowns.data[k].i != symbol.i) {
        k++;
    }
    RH_ASSERT(k < form->unknowns.count);
    return k;
}

static rh_status find_restitution(const rh_motion *motion, const rh_constraint *constraint,
                                  double *out)
{
    rh_arena scratch = rh__arena_begin(motion->arena.allocator, motion->arena.limit);
    const rh_status status =
        constraint->impact.i == 0
            ? RH_OK
            : rh__point_evaluate(&motion->start.point, &constraint->impact, 1, &scratch, out);
    rh__arena_end(&scratch);
    return status;
}

// What does not change after a gate was made, and what a mode says of it.
static bool is_sound(const rh_motion *motion, const rh_gate *gate)
{
    const rh_system *system = motion->system;
    return gate->link < motion->equations->links.count && gate->hold < system->step->hold_count &&
           system->form.rate_count <= gate->unknown &&
           gate->unknown < system->form.unknowns.count && 0 < gate->level_count &&
           gate->level_count <= 2 &&
           gate->level + gate->level_count <= system->step->output_count &&
           (gate->held == UINT32_MAX || gate->held < motion->n) && -1 <= gate->sign &&
           gate->sign <= 1 && gate->zeros <= motion->order_chosen;
}

static rh_status make_gate(rh_motion *motion, uint32_t index, rh_gate *out)
{
    const rh_system *system = motion->system;
    const rh_link *link = &motion->equations->links.data[index];
    const rh_constraint *constraint = link->constraint;
    rh_text text = rh__text_begin(&motion->arena, NULL);
    rh__link_name(motion->equations, link, &text);
    *out = (rh_gate){
        .name = rh__text_print(&motion->arena, "%.*s", RH_SLICE_FORMAT(rh__text_slice(&text))),
        .link = index,
        .hold = system->hold_of[index],
        .unknown = unknown_of(&system->form, link->multiplier),
        .level = system->watch_of[index],
        .level_count = link->level_count,
        .held = system->held_of[index],
        .is_spinning = constraint->option == RH_OPTION_HOLD,
        .is_literal = constraint->option == RH_OPTION_LITERAL,
        .last_graze = -INFINITY};
    if (out->name == NULL) {
        return motion->arena.status;
    }
    return find_restitution(motion, constraint, &out->restitution);
}

static rh_status reserve(rh_motion *motion)
{
    rh_mode *mode = &motion->mode;
    rh_arena *arena = &motion->arena;
    const size_t count =
        (size_t)(mode->gate_count < RH_GATE_OPEN ? mode->gate_count : RH_GATE_OPEN) + 1;
    mode->open = rh__arena_array(arena, uint32_t, count);
    mode->response = rh__arena_array(arena, double, count *count);
    mode->push = rh__arena_array(arena, double, count *((size_t)motion->n + 1));
    mode->rate = rh__arena_array(arena, double, count);
    mode->noise = rh__arena_array(arena, double, 2 * count);
    mode->scratch = rh__arena_begin(arena->allocator, arena->limit);
    if (mode->gate_count > 1) {
        (void)rh__arena_push(&mode->scratch, 1); // its first piece of memory stays
    }
    const bool ok = mode->open != NULL && mode->response != NULL && mode->push != NULL &&
                    mode->rate != NULL && mode->noise != NULL;
    return ok ? RH_OK : arena->status;
}

rh_status rh__gate_create(rh_motion *motion)
{
    const rh_equations *equations = motion->equations;
    rh_mode *mode = &motion->mode;
    mode->is_kept = rh__arena_array(&motion->arena, bool, (size_t)equations->links.count + 1);
    mode->gates = rh__arena_array(&motion->arena, rh_gate, (size_t)equations->links.count + 1);
    mode->was_kept = rh__arena_array(&motion->arena, bool, (size_t)equations->links.count + 1);
    if (mode->is_kept == NULL || mode->was_kept == NULL || mode->gates == NULL) {
        return motion->arena.status;
    }
    for (uint32_t k = 0; k < equations->links.count; k++) {
        mode->is_kept[k] = !equations->links.data[k].constraint->is_one_sided;
        if (motion->system->hold_of[k] != UINT32_MAX &&
            equations->links.data[k].constraint->is_one_sided) {
            RH_TRY(make_gate(motion, k, &mode->gates[mode->gate_count++]));
        }
        RH_ASSERT(mode->gate_count <= equations->links.count);
    }
    return reserve(motion);
}

rh_status rh__gate_renew(rh_motion *motion)
{
    const rh_equations *equations = motion->equations;
    rh_mode *mode = &motion->mode;
    for (uint32_t k = 0; k < equations->links.count; k++) {
        mode->is_kept[k] = !equations->links.data[k].constraint->is_one_sided;
        mode->was_kept[k] = false;
    }
    for (uint32_t k = 0; k < mode->gate_count; k++) {
        const rh_gate old = mode->gates[k];
        rh_gate *gate = &mode->gates[k];
        *gate = (rh_gate){.name = old.name,
                          .link = old.link,
                          .hold = old.hold,
                          .unknown = old.unknown,
                          .level = old.level,
                          .level_count = old.level_count,
                          .held = old.held,
                          .is_spinning = old.is_spinning,
                          .is_literal = old.is_literal,
                          .last_graze = -INFINITY};
    }
    mode->open_count = 0;
    rh__intermittent_renew(motion);
    return rh__gate_find_restitutions(motion);
}

rh_status rh__gate_find_restitutions(rh_motion *motion)
{
    for (uint32_t k = 0; k < motion->mode.gate_count; k++) {
        rh_gate *gate = &motion->mode.gates[k];
        const rh_link *link = &motion->equations->links.data[gate->link];
        RH_TRY(find_restitution(motion, link->constraint, &gate->restitution));
        if (!(gate->restitution >= 0.0 && gate->restitution <= 1.0)) {
            return RH_E_UNAVAILABLE;
        }
    }
    return RH_OK;
}

void rh__gate_destroy(rh_motion *motion)
{
    rh__intermittent_destroy(motion);
    rh__arena_end(&motion->mode.scratch);
}

// --- what a gate does
// ----------------------------------------------------------------------------

static bool is_type_two(const rh_gate *gate)
{
    return gate->held != UINT32_MAX && !gate->is_spinning;
}

static void impose(rh_motion *motion, const rh_gate *gate, bool acts)
{
    RH_ASSERT(gate->hold < motion->system->step->hold_count);
    if (acts) {
        rh__tape_hold(motion->step, gate->hold);
    } else {
        rh__tape_release(motion->step, gate->hold, 0.0);
    }
}

static uint32_t last_level(const rh_gate *gate)
{
    return gate->level + gate->level_count - 1;
}

// What is watched of a gate: its multiplier while it acts, else itself.
uint32_t rh__gate_slot(const rh_motion *motion, const rh_gate *gate)
{
    RH_ASSERT(is_sound(motion, gate));
    const uint32_t *outputs = motion->system->step->outputs;
    return !gate->is_active    ? outputs[gate->level]
           : is_type_two(gate) ? 1 + gate->held
                               : outputs[motion->n + gate->unknown];
}

// --- deciding
// ------------------------------------------------------------------------------------

// Coefficient `order` of the last levels into `rate`, with what is rounding in it. True when one of
// them is more than that. `is_expanded`: the series is there.
static bool look_at_rates(rh_motion *motion, uint32_t order, bool is_expanded)
{
    rh_mode *mode = &motion->mode;
    double largest = 0.0;
    RH_ASSERT(0 < order && order < motion->order);
    if (!is_expanded) {
        rh__system_series(motion->system, motion->step, motion->t, motion->x, motion->order);
        mode->span = rh__mode_span(motion);
    }
    for (uint32_t k = 0; k < mode->open_count; k++) {
        const rh_gate *gate = &mode->gates[mode->open[k]];
        const uint32_t slot = motion->system->step->outputs[last_level(gate)];
        mode->noise[k] = rh__mode_noise(motion, slot, order, mode->span);
        if (order == 1) {
            mode->noise[k] = fmax(mode->noise[k], REST * rh__unit_of_hold(motion, gate->hold));
        }
        mode->rate[k] = rh__jet_row(motion->step, order)[slot];
        mode->rate[k] = fabs(mode->rate[k]) <= mode->noise[k] ? 0.0 : mode->rate[k];
        largest = fmax(largest, fabs(mode->rate[k]));
    }
    // one that just let go is undecided by construction, whatever rounding says
    for (uint32_t k = 0; k < mode->open_count && order == 1; k++) {
        const rh_gate *gate = &mode->gates[mode->open[k]];
        mode->noise[k] = gate->is_loose ? fmax(mode->noise[k], LOOSE * largest) : mode->noise[k];
    }
    return largest > 0.0;
}

// The same for order 1 by a few orders alone. False: it takes the whole series to tell what is
// rounding. What is a fair share of what the motion does is none, unless the motion has times in it
// a million times shorter than its rates tell.
static bool look_briefly(rh_motion *motion)
{
    rh_mode *mode = &motion->mode;
    for (uint32_t k = 0; k < mode->open_count; k++) {
        if (mode->gates[mode->open[k]].is_loose) {
            return false;
        }
    }
    rh__gate_look(motion);
    const rh_tape_state *probe = motion->probe;
    const double *x = rh__jet_row(probe, 0) + 1;
    const double *rate = rh__jet_row(probe, 1) + 1;
    double speed = 0.0;
    bool is_clear = probe->quality.singular == 0 && !probe->quality.is_failed;
    for (uint32_t i = 0; i < motion->n; i++) {
        const double share = fabs(rate[i]) / rh__unit_size(motion, i, x[i]);
        speed = motion->unit[i] > 0.0 ? fmax(speed, share) : speed;
    }
    for (uint32_t k = 0; is_clear && k < mode->open_count; k++) {
        const rh_gate *gate = &mode->gates[mode->open[k]];
        const uint32_t slot = motion->system->step->outputs[last_level(gate)];
        const double size = rh__unit_of_slot(motion, slot);
        mode->rate[k] = rh__jet_row(probe, 1)[slot];
        mode->noise[k] = NOISE * fmax(speed * size, fabs(mode->rate[k]));
        is_clear = fabs(mode->rate[k]) >= CLEAR * speed * size &&
                   fabs(mode->rate[k]) > 1e3 * REST * rh__unit_of_hold(motion, gate->hold) &&
                   isfinite(speed * size);
    }
    return is_clear;
}

static void let_act(rh_motion *motion, rh_gate *gate, uint32_t order)
{
    RH_ASSERT(order > 0);
    gate->is_neutral = false;
    if (gate->is_literal && gate->sign < 0) {
        rh__motion_fail(motion, RH_DIAGNOSTIC_E509,
                        "the motion has no continuation at t = %.17g: the multiplier of %s would "
                        "become negative (literal)",
                        motion->t, gate->name);
        return;
    }
    gate->is_active = true;
    // the multiplier of a touched gate vanishes as often as its rate does; that of type II is
    // integrated once more
    gate->zeros = is_type_two(gate) ? order : order - 1;
    impose(motion, gate, true);
}

static void let_go(rh_motion *motion, rh_gate *gate, uint32_t order)
{
    RH_ASSERT(!is_type_two(gate) || gate->held < motion->n);
    gate->is_active = gate->is_neutral = false;
    gate->zeros = order + gate->level_count - 1;
    gate->is_lifting = true;
    impose(motion, gate, false);
    if (is_type_two(gate)) {
        motion->x[gate->held] = 0.0;
    }
}

// A gate whose multiplier has no effect cannot be judged; but where other constraints leave it no
// freedom at all, and the first derivative tells, that is all there is.
static bool is_effective(rh_motion *motion, uint32_t order)
{
    const rh_mode *mode = &motion->mode;
    const uint32_t count = mode->open_count;
    RH_ASSERT(motion->system->form.rate_count <= motion->n);
    for (uint32_t j = 0; j < count; j++) {
        const rh_gate *gate = &mode->gates[mode->open[j]];
        double push = 0.0;
        for (uint32_t k = 0; k < motion->system->form.rate_count; k++) {
            push = fmax(push, fabs(mode->push[(size_t)j * motion->n + k]));
        }
        const bool is_ideal =
            motion->equations->links.data[gate->link].constraint->by == RH_BY_IDEAL;
        if (push == 0.0 && is_ideal && order > 1) {
            rh__motion_fail(motion, RH_DIAGNOSTIC_E512,
                            "%s is met at t = %.17g where its gradient vanishes, or other "
                            "constraints leave it no freedom: no reaction can act there",
                            gate->name, motion->t);
            return false;
        }
        if ((push > 0.0 || !is_ideal) && fabs(mode->response[j * count + j]) <= LOST * push &&
            mode->rate[j] < 0.0) {
            rh__motion_fail(motion, RH_DIAGNOSTIC_E511,
                            "control of %s is lost at t = %.17g: what its multiplier does leaves "
                            "it as it is",
                            gate->name, motion->t);
            return false;
        }
    }
    return true;
}

static bool is_open(const rh_mode *mode, uint32_t index)
{
    for (uint32_t k = 0; k < mode->open_count; k++) {
        if (mode->open[k] == index) {
            return true;
        }
    }
    return false;
}

static void impose_decided(rh_motion *motion, bool acts)
{
    RH_ASSERT(motion->mode.open_count <= motion->mode.gate_count);
    for (uint32_t k = 0; k < motion->mode.gate_count; k++) {
        const rh_gate *gate = &motion->mode.gates[k];
        if (gate->is_active && !is_type_two(gate) && !is_open(&motion->mode, k)) {
            impose(motion, gate, acts);
        }
    }
}

// Open gates whose rates are settled by those that act already, whatever their own multipliers:
// they need not act, and hold as long as the others do. Acting they would take over a share of the
// reaction, with any sign.
static void drop_implied(rh_motion *motion)
{
    rh_mode *mode = &motion->mode;
    const uint32_t count = mode->open_count;
    uint32_t left = 0;
    if (count == 0) {
        return;
    }
    impose_decided(motion, false);
    rh__gate_respond(motion);
    for (uint32_t k = 0; k < count; k++) {
        mode->noise[k] = fabs(mode->response[k * count + k]);
    }
    impose_decided(motion, true);
    rh__gate_respond(motion);
    for (uint32_t k = 0; k < count; k++) {
        rh_gate *gate = &mode->gates[mode->open[k]];
        if (fabs(mode->response[k * count + k]) < IMPLIED * mode->noise[k]) {
            gate->is_active = false;
            gate->is_lifting = true;
            gate->zeros = 0;
        } else {
            mode->open[left++] = mode->open[k];
        }
    }
    mode->open_count = left;
}

// One order: some act, some leave, some stay open.
static void decide(rh_motion *motion, uint32_t order)
{
    rh_mode *mode = &motion->mode;
    RH_ASSERT(0 < order && order < motion->order && mode->open_count > 0);
    rh__gate_respond(motion);
    rh__gate_turn(motion);
    const rh_mark mark = rh__arena_mark(&mode->scratch);
    const rh_complement_solution *found =
        is_effective(motion, order) ? rh__corner_solve(motion, mode->push, motion->n) : NULL;
    uint32_t left = 0;
    for (uint32_t k = 0; found != NULL && k < mode->open_count; k++) {
        rh_gate *gate = &mode->gates[mode->open[k]];
        if (found->side[k] == RH_COMPLEMENT_POSITIVE) {
            let_act(motion, gate, order);
        } else if (found->side[k] == RH_COMPLEMENT_LEAVING) {
            let_go(motion, gate, order);
        } else {
            mode->open[left++] = mode->open[k];
        }
    }
    const bool is_decided = left < mode->open_count;
    mode->open_count = found != NULL ? left : 0;
    rh__arena_rewind(&mode->scratch, mark);
    if (is_decided) {
        drop_implied(motion);
    }
}

// Those that no derivative tells anything about stay as they are; at the start they act.
static void leave_neutral(rh_motion *motion)
{
    rh_mode *mode = &motion->mode;
    while (mode->open_count > 0) {
        rh__gate_respond(motion);
        rh__gate_turn(motion);
        const uint32_t last = mode->open_count - 1;
        const double own = mode->response[(size_t)last * mode->open_count + last];
        rh_gate *gate = &mode->gates[mode->open[last]];
        // a surface that the motion slides on is kept by that: no multiplier has an effect on it
        const bool is_needed = own > 0.0;
        const bool acts = is_needed && (gate->was_active || !mode->is_begun);
        if (!gate->is_neutral && is_needed) {
            rh__mode_record(motion, RH_OCCURRENCE_NEUTRAL, gate->name, motion->t);
        }
        gate->is_neutral = is_needed;
        gate->is_active = acts;
        gate->is_lifting = !acts;
        gate->zeros = 0;
        impose(motion, gate, acts);
        mode->open_count--;
        if (acts) {
            drop_implied(motion);
        }
    }
}

// --- the touched ones
// ----------------------------------------------------------------------------

static bool is_touched(rh_motion *motion, const rh_gate *gate)
{
    for (uint32_t level = 0; level < gate->level_count; level++) {
        const double g = rh__gate_level(motion, gate, level);
        const uint32_t slot = motion->system->step->outputs[gate->level + level];
        const double slow = level > 0 && motion->stepper != NULL && !motion->stepper->has_jets
                                ? SLOW * rh__unit_of_slot(motion, slot)
                                : 0.0;
        if (!(fabs(g) <= fmax(slow, rh__mode_met(motion, slot))) && !(level == 0 && gate->is_met)) {
            return false;
        }
    }
    return true;
}

void rh__gate_put(rh_motion *motion, uint32_t index)
{
    rh_mode *mode = &motion->mode;
    RH_ASSERT(index < mode->gate_count && !is_open(mode, index));
    if (mode->open_count < RH_GATE_OPEN) {
        mode->open[mode->open_count++] = index;
    } else if (motion->reason[0] == '\0') {
        rh__motion_fail(motion, RH_DIAGNOSTIC_E515,
                        "more than %d one-sided constraints are touched at t = %.17g", RH_GATE_OPEN,
                        motion->t);
    }
}

// A multiplier that is a state and not zero keeps its gate whatever the rates say.
static bool is_firm(rh_motion *motion, rh_gate *gate)
{
    return is_type_two(gate) && gate->is_active &&
           fabs(motion->x[gate->held]) > rh__mode_met(motion, 1 + gate->held);
}

// The sign of such a multiplier, when it was not found yet: it stood at the start.
static void judge_firm(rh_motion *motion, uint32_t index)
{
    rh_mode *mode = &motion->mode;
    rh_gate *gate = &mode->gates[index];
    RH_ASSERT(is_type_two(gate));
    if (gate->sign == 0) {
        mode->open[0] = index;
        mode->open_count = 1;
        impose(motion, gate, false);
        rh__gate_respond(motion);
        rh__gate_turn(motion);
        const double needed = gate->is_literal ? 1.0 : gate->sign;
        const double value = motion->x[gate->held];
        const bool is_free = rh__gate_level(motion, gate, 0) > rh__gate_met(motion, gate, 0);
        if (is_free || needed * value < 0.0) {
            rh__motion_fail(motion, RH_DIAGNOSTIC_E413,
                            "the multiplier of %s is %.6g at the start, and it %s", gate->name,
                            value,
                            is_free        ? "must be zero where the constraint does not act"
                            : needed > 0.0 ? "may not be negative there"
                                           : "may not be positive there");
        }
    }
    impose(motion, gate, true);
    gate->zeros = 0;
}

static void judge_all_firm(rh_motion *motion)
{
    for (uint32_t k = 0; k < motion->mode.gate_count; k++) {
        if (is_firm(motion, &motion->mode.gates[k])) {
            judge_firm(motion, k);
        }
    }
}

static void open_touched(rh_motion *motion)
{
    rh_mode *mode = &motion->mode;
    const rh_tape *step = motion->system->step;
    judge_all_firm(motion);
    mode->open_count = 0;
    for (uint32_t k = 0; k < mode->gate_count; k++) {
        rh_gate *gate = &mode->gates[k];
        if (is_firm(motion, gate)) {
            continue;
        }
        impose(motion, gate, false);
        if (gate->is_active || is_touched(motion, gate)) {
            rh__gate_put(motion, k);
        } else {
            if (!gate->is_met && rh__gate_level(motion, gate, 0) <
                                     -FAR * rh__unit_of_slot(motion, step->outputs[gate->level])) {
                rh__motion_fail(motion, RH_DIAGNOSTIC_E516,
                                "%s does not hold at t = %.17g: it is %.6g there", gate->name,
                                motion->t, rh__gate_level(motion, gate, 0));
            }
            // those that bounce have met their surface
            gate->zeros = gate->is_met ||
                          fabs(rh__gate_level(motion, gate, 0)) <= rh__gate_met(motion, gate, 0);
        }
    }
}

// In its other mode the motion was before: steps as long as there are not new.
static void remember_reach(rh_motion *motion, rh_gate *gate)
{
    gate->reach[gate->was_active] = motion->series.length;
    motion->length_last = fmax(motion->length_last, gate->reach[gate->is_active]);
}

void rh__gate_say(rh_motion *motion)
{
    rh_mode *mode = &motion->mode;
    for (uint32_t k = 0; k < mode->gate_count; k++) {
        rh_gate *gate = &mode->gates[k];
        // at the start those that an impulse closed begin to act, and others did all the time
        const bool is_new = mode->is_begun || gate->impulse > 0.0;
        if (gate->is_active != gate->was_active && is_new) {
            rh__mode_record(motion, gate->is_active ? RH_OCCURRENCE_ENGAGE : RH_OCCURRENCE_LEAVE,
                            gate->name, motion->t + gate->delay);
        }
        if (gate->is_active != gate->was_active && mode->is_begun) {
            remember_reach(motion, gate);
        }
        gate->was_active = gate->is_active;
        gate->began_active = mode->is_begun ? gate->began_active : gate->is_active;
        gate->is_loose = gate->is_met = gate->is_settling = false;
        gate->delay = 0.0;
        RH_ASSERT(is_sound(motion, gate));
    }
}

// Levels tell nothing of gates in velocities that act already, unless a multiplier is a state.
static bool is_asked_for_levels(const rh_mode *mode)
{
    bool is_asked = false;
    for (uint32_t k = 0; k < mode->gate_count; k++) {
        const rh_gate *gate = &mode->gates[k];
        is_asked = is_asked || !gate->is_active || gate->level_count > 1 || is_type_two(gate);
    }
    return is_asked;
}

void rh__gate_decide(rh_motion *motion)
{
    rh_mode *mode = &motion->mode;
    if (mode->gate_count == 0) {
        return;
    }
    if (is_asked_for_levels(mode)) {
        rh__gate_look(motion);
        rh__impact_apply(motion);
    }
    open_touched(motion);
    bool is_expanded = false;
    for (uint32_t order = 1; mode->open_count > 0 && order < motion->order; order++) {
        const bool is_brief = order == 1 && look_briefly(motion);
        is_expanded = !is_brief && !look_at_rates(motion, order, is_expanded);
        if (!is_expanded) {
            decide(motion, order);
        }
    }
    leave_neutral(motion);
    for (uint32_t k = 0; k < mode->gate_count; k++) {
        mode->is_kept[mode->gates[k].link] = mode->gates[k].is_active;
    }
}

void rh__gate_open(rh_motion *motion)
{
    rh_mode *mode = &motion->mode;
    for (uint32_t k = 0; k < mode->gate_count; k++) {
        rh_gate *gate = &mode->gates[k];
        const bool is_set =
            is_type_two(gate) && fabs(motion->x[gate->held]) > rh__mode_met(motion, 1 + gate->held);
        gate->is_active = is_set;
        gate->is_neutral = false;
        impose(motion, gate, is_set);
    }
}

void rh__gate_cross(rh_motion *motion, uint32_t index)
{
    RH_ASSERT(index < motion->mode.gate_count);
    rh_gate *gate = &motion->mode.gates[index];
    if (!gate->is_active) {
        gate->is_met = true;
    } else if (is_type_two(gate)) {
        motion->x[gate->held] = 0.0;
    } else {
        gate->is_loose = true; // its multiplier vanishes
    }
}

// --- looking
// -------------------------------------------------------------------------------------

static const rh_gate *find(const rh_motion *motion, size_t constraint)
{
    for (uint32_t k = 0; k < motion->mode.gate_count; k++) {
        if (motion->mode.gates[k].link == constraint) {
            return &motion->mode.gates[k];
        }
    }
    return NULL;
}

bool rh_motion_is_one_sided(const rh_motion *motion, size_t constraint)
{
    return constraint < motion->equations->links.count &&
           motion->equations->links.data[constraint].constraint->is_one_sided;
}

// Two-sided ones; friction and given reactions have no mode.
static bool is_always_active(const rh_motion *motion, size_t constraint)
{
    return constraint < motion->equations->links.count &&
           !rh_motion_is_one_sided(motion, constraint);
}

bool rh_motion_is_active(const rh_motion *motion, size_t constraint)
{
    const rh_gate *gate = find(motion, constraint);
    const rh_intermittent *it = rh__intermittent_find(motion, constraint);
    return gate != NULL ? gate->is_active
           : it != NULL ? it->is_on
                        : is_always_active(motion, constraint);
}

bool rh_motion_was_active(const rh_motion *motion, size_t constraint)
{
    const rh_gate *gate = find(motion, constraint);
    const rh_intermittent *it = rh__intermittent_find(motion, constraint);
    return gate != NULL ? gate->began_active
           : it != NULL ? it->began_on
                        : is_always_active(motion, constraint);
}

bool rh_motion_is_neutral(const rh_motion *motion, size_t constraint)
{
    const rh_gate *gate = find(motion, constraint);
    return gate != NULL && gate->is_neutral;
}
