// SPDX-License-Identifier: Apache-2.0
// Two-sided constraints that come and go by a condition. The condition is made of truths of
// surfaces, whose sides are kept during a step (switch.c); where a side changes, the condition is
// asked anew. Going off leaves velocities as they are. Coming on asks that all levels but the last
// hold already, and brings the last one to zero by impulses of all that come on, the others kept:
//     u + G P = 0,    x += push P,
// u being the last levels before. One-sided constraints that are closed take part as in an impact.

#include "motion/motion.h"

#include <math.h>
#include <string.h>

#define GAP 1e-9        // of its terms: what may be missed when it comes on
#define STILL 1e-10     // of the terms of its rate: less is no impulse
#define LOST 1e-8       // of the velocities to be changed: what no impulse changes
#define RANK 1e-11      // of impulses that are independent
#define STEEPNESS 1e-26 // of a gradient that vanishes, squared

// --- making
// --------------------------------------------------------------------------------------

static rh_expr constant_of(rh_motion *motion, const rh_constraint *constraint)
{
    rh_expr_list found = {0};
    rh_arena scratch = rh__arena_begin(motion->arena.allocator, motion->arena.limit);
    const bool ok = constraint->takes_constant &&
                    rh__expr_symbols(motion->equations->store, constraint->deviation,
                                     RH_ROLE_CONSTANT, &scratch, &found) &&
                    found.count == 1;
    const rh_expr symbol = ok ? found.data[0] : RH_EXPR_NONE;
    rh__arena_end(&scratch);
    return symbol;
}

static rh_status make(rh_motion *motion, uint32_t index, rh_intermittent *out)
{
    const rh_system *system = motion->system;
    const rh_link *link = &motion->equations->links.data[index];
    rh_text text = rh__text_begin(&motion->arena, NULL);
    rh__link_name(motion->equations, link, &text);
    *out = (rh_intermittent){
        .name = rh__text_print(&motion->arena, "%.*s", RH_SLICE_FORMAT(rh__text_slice(&text))),
        .link = index,
        .hold = system->hold_of[index],
        .level = system->watch_of[index],
        .level_count = link->level_count,
        .condition = system->condition_of[index],
        .constant = constant_of(motion, link->constraint),
        .has_law = link->constraint->has_law};
    RH_ASSERT(out->hold < system->step->hold_count && out->level_count > 0);
    RH_ASSERT(out->condition < system->step->output_count);
    return out->name != NULL ? RH_OK : motion->arena.status;
}

rh_status rh__intermittent_create(rh_motion *motion)
{
    const rh_equations *equations = motion->equations;
    rh_intermittents *all = &motion->mode.intermittents;
    for (uint32_t k = 0; k < equations->links.count; k++) {
        all->count += rh__link_is_intermittent(&equations->links.data[k]);
    }
    if (all->count == 0) {
        return RH_OK;
    }
    const size_t most = all->count < RH_GATE_OPEN ? all->count : RH_GATE_OPEN;
    rh_arena *arena = &motion->arena;
    all->data = rh__arena_array(arena, rh_intermittent, all->count);
    all->coming = rh__arena_array(arena, uint32_t, most);
    all->response = rh__arena_array(arena, double, most *most);
    all->push = rh__arena_array(arena, double, most *((size_t)motion->n + 1));
    all->speed = rh__arena_array(arena, double, 3 * most);
    all->was_true = rh__arena_array(arena, bool, all->count);
    all->rates = rh__arena_array(arena, double, (size_t)motion->system->step->switch_count + 1);
    all->scratch = rh__arena_begin(arena->allocator, arena->limit);
    if (all->data == NULL || all->coming == NULL || all->response == NULL || all->push == NULL ||
        all->speed == NULL || all->was_true == NULL || all->rates == NULL ||
        rh__arena_push(&all->scratch, 1) == NULL) {
        return arena->status != RH_OK ? arena->status : RH_E_MEMORY;
    }
    RH_TRY(rh__point_create(&motion->layout, arena, &all->point));
    uint32_t at = 0;
    for (uint32_t k = 0; k < equations->links.count; k++) {
        if (rh__link_is_intermittent(&equations->links.data[k])) {
            motion->mode.is_kept[k] = false;
            RH_TRY(make(motion, k, &all->data[at++]));
        }
    }
    RH_ASSERT(at == all->count);
    return RH_OK;
}

void rh__intermittent_destroy(rh_motion *motion)
{
    if (motion->mode.intermittents.count > 0) {
        rh__arena_end(&motion->mode.intermittents.scratch);
    }
}

void rh__intermittent_renew(rh_motion *motion)
{
    rh_intermittents *all = &motion->mode.intermittents;
    for (uint32_t k = 0; k < all->count; k++) {
        rh_intermittent *it = &all->data[k];
        it->is_on = it->was_on = it->began_on = it->has_changed = false;
        motion->mode.is_kept[it->link] = false;
    }
}

// --- conditions
// ----------------------------------------------------------------------------------

static void impose(rh_motion *motion, const rh_intermittent *it)
{
    if (it->is_on) {
        rh__tape_hold(motion->step, it->hold);
    } else {
        rh__tape_release(motion->step, it->hold, 0.0);
    }
    motion->mode.is_kept[it->link] = it->is_on;
}

static bool is_true(const rh_motion *motion, const rh_intermittent *it)
{
    return rh__tape_output(motion->step, it->condition, 0) != 0.0;
}

// The start was found with those that the text says are on there.
void rh__intermittent_open(rh_motion *motion)
{
    rh_intermittents *all = &motion->mode.intermittents;
    if (all->count == 0 || motion->mode.is_begun) {
        return;
    }
    memcpy(all->point.values, motion->start.point.values,
           motion->layout.symbols.count * sizeof *all->point.values);
    rh__switch_run_plainly(motion);
    for (uint32_t k = 0; k < all->count; k++) {
        rh_intermittent *it = &all->data[k];
        it->is_on = it->was_on = is_true(motion, it);
        impose(motion, it);
    }
}

void rh__intermittent_drop(rh_motion *motion)
{
    rh_intermittents *all = &motion->mode.intermittents;
    if (all->count == 0) {
        return;
    }
    rh__switch_run_plainly(motion);
    for (uint32_t k = 0; k < all->count; k++) {
        all->was_true[k] = is_true(motion, &all->data[k]);
    }
    for (uint32_t k = 0; k < all->count; k++) {
        rh_intermittent *it = &all->data[k];
        it->is_on = it->is_on && all->was_true[k];
        impose(motion, it);
    }
}

// While the motion slides on a surface, a condition made of it is neither true nor false.
static bool is_decided(rh_motion *motion)
{
    const rh_intermittents *all = &motion->mode.intermittents;
    for (uint32_t c = 0; c < motion->system->step->switch_count; c++) {
        bool *const low = all->was_true;
        if (!motion->mode.conditions[c].is_sliding) {
            continue;
        }
        for (int side = -1; side <= 1; side += 2) {
            rh__switch_run(motion, c, side);
            for (uint32_t k = 0; k < all->count; k++) {
                if (side > 0 && low[k] != is_true(motion, &all->data[k])) {
                    rh__motion_fail(motion, RH_DIAGNOSTIC_E521,
                                    "the motion slides on %s at t = %.17g, and whether %s holds "
                                    "depends on it: what it does there is not determined",
                                    motion->mode.conditions[c].name, motion->t, all->data[k].name);
                    return false;
                }
                low[k] = is_true(motion, &all->data[k]);
            }
        }
    }
    return true;
}

static void change(rh_motion *motion, rh_intermittent *it, bool is_on)
{
    RH_ASSERT(it->is_on != is_on);
    if (it->has_changed) {
        rh__motion_fail(motion, RH_DIAGNOSTIC_E521,
                        "%s would come on and go off at once at t = %.17g: with it the motion "
                        "leaves its condition, without it the motion meets it",
                        it->name, motion->t);
        return;
    }
    it->has_changed = true;
    it->is_on = is_on;
    impose(motion, it);
}

// --- coming on
// -----------------------------------------------------------------------------------

// The size of the terms of a level: gaps and jumps are measured by it.
static double size_of(rh_motion *motion, const rh_intermittent *it, uint32_t level)
{
    RH_ASSERT(level < it->level_count);
    return rh__unit_of_slot(motion, motion->system->step->outputs[it->level + level]);
}

static double precision(const rh_motion *motion, double exact)
{
    const bool is_exact = motion->stepper == NULL || motion->stepper->has_jets;
    return is_exact ? exact : fmax(exact, 1e3 * motion->tolerance);
}

// `= const` takes the value that the left side has now.
static void take_constants(rh_motion *motion)
{
    rh_intermittents *all = &motion->mode.intermittents;
    bool is_taken = false;
    for (uint32_t k = 0; k < all->coming_count; k++) {
        const rh_intermittent *it = &all->data[all->coming[k]];
        if (it->constant.i != 0) {
            const double missed = rh__tape_output(motion->probe, it->level, 0);
            rh__point_set(&all->point, it->constant,
                          rh__point_get(&all->point, it->constant) + missed);
            is_taken = true;
        }
    }
    if (is_taken && rh__motion_bind(motion, &all->point) != RH_OK) {
        rh__motion_fail(motion, RH_DIAGNOSTIC_E515,
                        "there was no memory for a new constant at t = %.17g", motion->t);
    }
    if (is_taken) {
        rh__gate_look(motion);
    }
}

// All levels but the last must hold: no impulse changes them.
static bool is_there(rh_motion *motion, const rh_intermittent *it)
{
    for (uint32_t level = 0; !it->has_law && level < it->level_count; level++) {
        double steepness = 0.0;
        const double gap = rh__tape_output(motion->probe, it->level + level, 0);
        const bool is_last = level + 1 == it->level_count;
        const bool is_found = rh__projector_steepness(&motion->projector, motion->t, motion->x,
                                                      it->link, level, &steepness);
        if (is_found && is_last && !(steepness > STEEPNESS)) {
            rh__motion_fail(motion, RH_DIAGNOSTIC_E522,
                            "%s comes on at t = %.17g where its gradient vanishes: no impulse "
                            "can act there",
                            it->name, motion->t);
            return false;
        }
        if (!is_last && !(fabs(gap) <= precision(motion, GAP) * size_of(motion, it, level))) {
            rh__motion_fail(motion, RH_DIAGNOSTIC_E520,
                            "%s comes on at t = %.17g, and %s misses it by %.6g: nothing can "
                            "move it there at once",
                            it->name, motion->t, level == 0 ? "the state" : "its derivative", gap);
            return false;
        }
    }
    return true;
}

// Last levels that are not zero; false: velocities need not jump.
static bool find_speeds(rh_motion *motion)
{
    const rh_intermittents *all = &motion->mode.intermittents;
    bool is_hit = false;
    for (uint32_t k = 0; k < all->coming_count; k++) {
        const rh_intermittent *it = &all->data[all->coming[k]];
        const uint32_t last = it->level_count - 1;
        const double speed =
            it->has_law ? 0.0 : rh__tape_output(motion->probe, it->level + last, 0);
        is_hit = is_hit || fabs(speed) > precision(motion, STILL) * size_of(motion, it, last);
        all->speed[k] = speed;
    }
    return is_hit;
}

// The rates with `value` lent to one that comes on, the others released.
static void lend(rh_motion *motion, const rh_intermittent *it, double value)
{
    rh__tape_release(motion->probe, it->hold, value);
    rh__system_series(motion->system, motion->probe, motion->t, motion->x, RH_BRIEF_ORDER);
}

static void add_rates(const rh_motion *motion, double factor, uint32_t j)
{
    const rh_intermittents *all = &motion->mode.intermittents;
    RH_ASSERT(j < all->coming_count);
    for (uint32_t i = 0; i < all->coming_count; i++) {
        const rh_intermittent *it = &all->data[all->coming[i]];
        all->response[(size_t)i * all->coming_count + j] +=
            factor * rh__tape_output(motion->probe, it->level + it->level_count - 1, 1);
    }
    for (uint32_t k = 0; k < motion->system->form.rate_count; k++) {
        all->push[(size_t)j * motion->n + k] +=
            factor * rh__tape_output(motion->probe, motion->n + k, 0);
    }
}

static void clear_column(const rh_motion *motion, uint32_t j)
{
    const rh_intermittents *all = &motion->mode.intermittents;
    for (uint32_t i = 0; i < all->coming_count; i++) {
        all->response[(size_t)i * all->coming_count + j] = 0.0;
    }
    for (uint32_t k = 0; k < motion->n; k++) {
        all->push[(size_t)j * motion->n + k] = 0.0;
    }
}

static double largest_push(const rh_motion *motion, uint32_t j)
{
    const double *push = motion->mode.intermittents.push + (size_t)j * motion->n;
    double most = 0.0;
    for (uint32_t k = 0; k < motion->system->form.rate_count; k++) {
        most = fmax(most, fabs(push[k]));
    }
    return most;
}

// The column of a multiplier, by what `unit` of it does.
static void find_column(rh_motion *motion, uint32_t j, double unit)
{
    RH_ASSERT(unit > 0.0);
    const rh_intermittents *all = &motion->mode.intermittents;
    const rh_intermittent *it = &all->data[all->coming[j]];
    clear_column(motion, j);
    lend(motion, it, 0.0);
    add_rates(motion, -1.0 / unit, j);
    lend(motion, it, unit);
    add_rates(motion, 1.0 / unit, j);
    lend(motion, it, 0.0);
}

// By a multiplier whose effect is of the size of the rates or more: differences lose no digits
// then. One that has none at all is told by larger ones having none.
static void respond_to(rh_motion *motion, uint32_t j)
{
    enum { MOST_TRIES = 6 };
    const rh_intermittents *all = &motion->mode.intermittents;
    clear_column(motion, j);
    lend(motion, &all->data[all->coming[j]], 0.0);
    add_rates(motion, 1.0, j);
    const double rate = largest_push(motion, j);
    double unit = fmax(1.0, rate);
    double push = 0.0;
    for (uint32_t k = 0; k < MOST_TRIES && push == 0.0; k++, unit *= 1e12) {
        find_column(motion, j, unit);
        push = largest_push(motion, j);
    }
    if (push > 0.0 && unit * push < rate * 1e12) {
        find_column(motion, j, ldexp(1.0, ilogb(rate / push)));
    }
}

// What units of the multipliers do to the last levels, and to the rates of the variables.
static void respond(rh_motion *motion)
{
    const rh_intermittents *all = &motion->mode.intermittents;
    rh__gate_look(motion);
    for (uint32_t j = 0; j < all->coming_count; j++) {
        respond_to(motion, j);
    }
}

// u + G P = 0 with the shortest P, in units in which the diagonal of G is 1.
static bool solve(rh_motion *motion)
{
    rh_intermittents *all = &motion->mode.intermittents;
    const uint32_t count = all->coming_count;
    RH_ASSERT(0 < count && count <= RH_GATE_OPEN);
    double *const unit = all->speed + count;
    double *const impulse = all->speed + 2 * (size_t)count;
    double size = 0.0;
    double missed = 0.0;
    for (uint32_t k = 0; k < count; k++) {
        const double own = fabs(all->response[(size_t)k * count + k]);
        unit[k] = own > 0.0 ? 1.0 / sqrt(own) : 1.0;
    }
    for (uint32_t i = 0; i < count; i++) {
        for (uint32_t j = 0; j < count; j++) {
            all->response[(size_t)i * count + j] *= unit[i] * unit[j];
        }
        all->speed[i] *= -unit[i];
        size = fmax(size, fabs(all->speed[i]));
    }
    rh_svd svd;
    const rh_mark mark = rh__arena_mark(&all->scratch);
    const bool ok = rh__svd_create(&all->scratch, count, count, all->response, &svd) == RH_OK;
    if (ok) {
        rh__svd_solve(&svd, rh__svd_rank(&svd, RANK), all->speed, impulse);
    }
    rh__arena_rewind(&all->scratch, mark);
    for (uint32_t i = 0; ok && i < count; i++) {
        const double *row = all->response + (size_t)i * count;
        missed = fmax(missed, fabs(rh__vector_dot(count, row, impulse) - all->speed[i]));
    }
    for (uint32_t k = 0; ok && k < count; k++) {
        impulse[k] *= unit[k];
    }
    return ok && missed <= LOST * size;
}

// Velocities jump. Gates that are touched are released, and pressed when that is done.
static void jump(rh_motion *motion)
{
    rh_intermittents *all = &motion->mode.intermittents;
    const uint32_t first = motion->system->variables.first;
    RH_ASSERT(first + motion->system->variables.count <= motion->n);
    rh__switch_let_go(motion);
    rh__impact_release(motion);
    respond(motion);
    if (!solve(motion)) {
        rh__motion_fail(motion, RH_DIAGNOSTIC_E522,
                        "%s%s at t = %.17g, and no impulse of %s brings the velocities there with "
                        "the other constraints kept",
                        all->data[all->coming[0]].name,
                        all->coming_count > 1 ? " and others come on" : " comes on", motion->t,
                        all->coming_count > 1 ? "them" : "it");
        return;
    }
    for (uint32_t k = 0; k < all->coming_count; k++) {
        const double impulse = all->speed[2 * (size_t)all->coming_count + k];
        for (uint32_t j = 0; j < motion->system->variables.count; j++) {
            motion->x[first + j] += all->push[(size_t)k * motion->n + j] * impulse;
        }
    }
}

static void hold_coming(rh_motion *motion)
{
    rh_intermittents *all = &motion->mode.intermittents;
    for (uint32_t k = 0; k < all->coming_count; k++) {
        change(motion, &all->data[all->coming[k]], true);
    }
}

static void record(rh_motion *motion, rh_occurrence_kind kind)
{
    const rh_intermittents *all = &motion->mode.intermittents;
    for (uint32_t k = 0; k < all->coming_count; k++) {
        rh__mode_record(motion, kind, all->data[all->coming[k]].name, motion->t);
    }
}

// The rates of the surfaces that are met, before velocities jump.
static void note_rates(const rh_motion *motion)
{
    const rh_tape *tape = motion->system->step;
    for (uint32_t k = 0; k < tape->switch_count; k++) {
        motion->mode.intermittents.rates[k] =
            rh__jet_row(motion->probe, 1)[tape->switches[k].surface];
    }
}

static bool was_refracted(const rh_motion *motion)
{
    bool found = false;
    for (uint32_t k = motion->occurrences.count;
         !found && k-- > 0 && motion->occurrences.data[k].time == motion->t;) {
        const rh_occurrence_kind kind = motion->occurrences.data[k].kind;
        found = kind == RH_OCCURRENCE_REFRACT || kind == RH_OCCURRENCE_REFLECT;
    }
    return found;
}

// An energy that jumps at the same place has turned the motion already. If the impulse changes how
// fast the surface is passed, it matters which of the two comes first.
static void check_order(rh_motion *motion)
{
    const rh_tape *tape = motion->system->step;
    rh__gate_look(motion);
    for (uint32_t k = 0; was_refracted(motion) && k < tape->switch_count; k++) {
        const double before = motion->mode.intermittents.rates[k];
        const double after = rh__jet_row(motion->probe, 1)[tape->switches[k].surface];
        if (motion->mode.conditions[k].known > 0 &&
            fabs(after - before) > precision(motion, STILL) * fabs(before)) {
            rh__motion_fail(
                motion, RH_DIAGNOSTIC_E508,
                "the motion has several continuations at t = %.17g: an energy or a "
                "gradient jumps there and %s comes on, and it matters which is first",
                motion->t,
                motion->mode.intermittents.data[motion->mode.intermittents.coming[0]].name);
        }
    }
}

static void engage(rh_motion *motion)
{
    rh_intermittents *all = &motion->mode.intermittents;
    double residual = 0.0;
    rh__gate_look(motion);
    take_constants(motion);
    for (uint32_t k = 0; k < all->coming_count; k++) {
        if (motion->reason[0] != '\0' || !is_there(motion, &all->data[all->coming[k]])) {
            return;
        }
    }
    const bool is_hit = find_speeds(motion);
    if (is_hit && !motion->mode.is_begun) {
        rh__motion_fail(motion, RH_DIAGNOSTIC_E522,
                        "the start lies on the border of the condition of %s, which comes on at "
                        "once, and the velocities do not hold it: give start values that do",
                        all->data[all->coming[0]].name);
        return;
    }
    if (is_hit) {
        note_rates(motion);
        jump(motion);
    }
    hold_coming(motion);
    if (motion->reason[0] == '\0' && is_hit) {
        motion->mode.has_jumped = true;
        motion->length_last = motion->t - motion->t_before;
        record(motion, RH_OCCURRENCE_IMPACT);
        rh__impact_press(motion);
        check_order(motion);
    }
    if (motion->reason[0] == '\0') {
        rh__projector_measure(&motion->projector, motion->t, motion->x);
        (void)rh__projector_apply(&motion->projector, motion->t, motion->x, motion->mode.is_kept,
                                  &residual, NULL);
    }
}

// --- deciding
// ------------------------------------------------------------------------------------

static void find_changes(rh_motion *motion)
{
    rh_intermittents *all = &motion->mode.intermittents;
    rh__switch_run(motion, UINT32_MAX, 0);
    all->coming_count = 0;
    for (uint32_t k = 0; k < all->count; k++) {
        all->was_true[k] = is_true(motion, &all->data[k]);
    }
    for (uint32_t k = 0; k < all->count && motion->reason[0] == '\0'; k++) {
        rh_intermittent *it = &all->data[k];
        if (it->is_on && !all->was_true[k]) {
            change(motion, it, false);
        } else if (!it->is_on && all->was_true[k] && all->coming_count < RH_GATE_OPEN) {
            all->coming[all->coming_count++] = k;
        } else if (!it->is_on && all->was_true[k]) {
            rh__motion_fail(motion, RH_DIAGNOSTIC_E515,
                            "more than %d constraints come on at once at t = %.17g", RH_GATE_OPEN,
                            motion->t);
        }
    }
}

void rh__intermittent_decide(rh_motion *motion)
{
    rh_intermittents *all = &motion->mode.intermittents;
    if (all->count == 0) {
        return;
    }
    if (is_decided(motion)) {
        find_changes(motion);
    }
    rh__switch_impose(motion);
    if (all->coming_count > 0 && motion->reason[0] == '\0') {
        engage(motion);
    }
}

void rh__intermittent_say(rh_motion *motion)
{
    rh_intermittents *all = &motion->mode.intermittents;
    for (uint32_t k = 0; k < all->count; k++) {
        rh_intermittent *it = &all->data[k];
        if (it->is_on != it->was_on) {
            rh__mode_record(motion, it->is_on ? RH_OCCURRENCE_ENGAGE : RH_OCCURRENCE_LEAVE,
                            it->name, motion->t);
        }
        it->was_on = it->is_on;
        it->began_on = motion->mode.is_begun ? it->began_on : it->is_on;
        it->has_changed = false;
    }
}

const rh_intermittent *rh__intermittent_find(const rh_motion *motion, size_t constraint)
{
    const rh_intermittents *all = &motion->mode.intermittents;
    for (uint32_t k = 0; k < all->count; k++) {
        if (all->data[k].link == constraint) {
            return &all->data[k];
        }
    }
    return NULL;
}
