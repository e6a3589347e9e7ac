// SPDX-License-Identifier: Apache-2.0
// Tangents over what happens at the end of a step. A neighbour at distance d meets the surface
// h(t, x) = 0 later by
//     s = -(dh d) / (dh/dt + dh f-),
// so that just after it its distance is  DR (d + f- s, s) - f+ s,  R being the jump of the state
// and f-, f+ the rates before and after. Derivatives in one direction are coefficients of jets
// whose inputs move along that direction.

#include "orbit/orbit.h"

#include <math.h>
#include <string.h>

#define SAME 1e-9      // of the terms of rates that agree: nothing to do
#define TOUCHING 1e-10 // of the terms of a surface, in the time of the motion: less is no crossing

// What happened.
typedef struct salto {
    rh_transport *on;
    double time;
    const rh_gate *gate;  // that was hit; NULL: none
    uint32_t event;       // that changed the state; UINT32_MAX: none
    uint32_t surface;     // slot of the stepping tape; UINT32_MAX: none
    uint32_t event_count; // of surfaces
    double speed;         // dh/dt along the motion before
    double restitution;
} salto;

static bool refuse(const salto *it, const char *why)
{
    (void)rh__text_fill(it->on->reason, sizeof it->on->reason,
                        "tangents cannot pass t = %.10g, where %s", it->time, why);
    return false;
}

// --- derivatives in one direction ----------------------------------------------------------------

// Coefficients 0 ... order of all slots of the stepping tape, with x = before + s d and
// time + s d_time.
static void probe(const salto *it, const double *d, double d_time, uint32_t order)
{
    RH_ASSERT(order <= it->on->probe->order);
    rh_tape_state *state = it->on->probe;
    const uint32_t n = it->on->n;
    for (uint32_t k = 0; k <= order; k++) {
        double *row = rh__jet_row(state, k);
        row[0] = k == 0 ? it->time : k == 1 ? d_time : 0.0;
        for (uint32_t i = 0; i < n; i++) {
            row[1 + i] = k == 0 ? it->on->before[i] : k == 1 ? d[i] : 0.0;
        }
        if (k == 0) {
            rh__tape_run(state);
        } else {
            rh__jet_order(state, k);
        }
    }
}

static double coefficient(const salto *it, uint32_t slot, uint32_t k)
{
    return rh__jet_row(it->on->probe, k)[slot];
}

static double slope(const salto *it, uint32_t slot, const double *d, double d_time)
{
    probe(it, d, d_time, 1);
    return coefficient(it, slot, 1);
}

// The second derivative of a slot in two directions, the second of them without time.
static double bend(const salto *it, uint32_t slot, const double *a, double a_time, const double *b,
                   double *sum)
{
    for (uint32_t i = 0; i < it->on->n; i++) {
        sum[i] = a[i] + b[i];
    }
    probe(it, sum, a_time, 2);
    double both = coefficient(it, slot, 2);
    probe(it, a, a_time, 2);
    both -= coefficient(it, slot, 2);
    probe(it, b, 0.0, 2);
    return both - coefficient(it, slot, 2);
}

// --- impacts -------------------------------------------------------------------------------------

// What a unit of the multiplier of the gate does to the rates (order 0), or its derivative.
static void find_push(const salto *it, const double *d, double d_time, uint32_t order, double *out)
{
    const rh_system *system = it->on->motion->system;
    memset(out, 0, it->on->n * sizeof *out);
    for (int unit = 0; unit < 2; unit++) {
        rh__tape_release(it->on->probe, it->gate->hold, unit);
        probe(it, d, d_time, order);
        for (uint32_t j = 0; j < system->variables.count; j++) {
            out[system->variables.first + j] +=
                (unit == 0 ? -1.0 : 1.0) * rh__tape_output(it->on->probe, it->on->n + j, order);
        }
    }
    rh__tape_release(it->on->probe, it->gate->hold, 0.0);
}

// d of  x - (1 + e) push speed / response,  response = d speed . push.
static void hit(const salto *it, const double *d, double d_time, double *out)
{
    rh_transport *on = it->on;
    const uint32_t n = on->n;
    const uint32_t level = it->gate->level + it->gate->level_count - 1;
    const uint32_t slot = on->motion->system->step->outputs[level];
    double *push = on->x;
    double *change = on->work;
    find_push(it, d, d_time, 0, push);
    find_push(it, d, d_time, 1, change);
    const double response = slope(it, slot, push, 0.0);
    const double d_response =
        bend(it, slot, d, d_time, push, on->image) + slope(it, slot, change, 0.0);
    const double d_speed = slope(it, slot, d, d_time);
    const double speed = coefficient(it, slot, 0);
    const double impulse = -(1.0 + it->restitution) * speed / response;
    const double d_impulse =
        -(1.0 + it->restitution) * (d_speed - speed * d_response / response) / response;
    for (uint32_t i = 0; i < n; i++) {
        out[i] = d[i] + change[i] * impulse + push[i] * d_impulse;
    }
}

// --- resets --------------------------------------------------------------------------------------

static void put(const salto *it, const double *d, double d_time, double *out)
{
    rh_transport *on = it->on;
    const rh_motion *motion = on->motion;
    const rh_event *event = &motion->equations->model->events.data[it->event];
    rh_tape_state *state = on->probe_reset;
    probe(it, d, d_time, 1);
    for (uint32_t k = 0; k < 2; k++) {
        double *row = rh__jet_row(state, k);
        memcpy(row, rh__jet_row(on->probe, k), (1 + on->n) * sizeof *row);
        for (uint32_t i = 0; i < motion->system->form.unknowns.count; i++) {
            row[1 + on->n + i] = rh__tape_output(on->probe, on->n + i, k);
        }
        if (k == 0) {
            rh__tape_run(state);
        } else {
            rh__jet_order(state, k);
        }
    }
    memcpy(out, d, on->n * sizeof *d);
    for (uint32_t k = 0; k < event->reset_count; k++) {
        const uint32_t at = rh__system_index(motion->system, event->resets[k].target);
        out[at] = rh__tape_output(state, rh__reset_output(motion, it->event, k), 1);
    }
}

// A reset whose targets are all in x, and that no projection follows.
static bool can_put(const salto *it)
{
    const rh_motion *motion = it->on->motion;
    const rh_event *event = &motion->equations->model->events.data[it->event];
    bool ok = motion->projector.stages[0].rows + motion->projector.stages[1].rows == 0;
    for (uint32_t k = 0; ok && k < event->reset_count; k++) {
        ok = rh__system_index(motion->system, event->resets[k].target) != UINT32_MAX;
    }
    return ok;
}

// --- what happened -------------------------------------------------------------------------------

// Did velocities jump where a condition of the energies or the constraints changes?
static bool is_refracted(const salto *it)
{
    return it->on->motion->jump.at == it->time;
}

// Impacts and resets of the last step; false when there are several.
static bool find_jumps(salto *it)
{
    const rh_motion *motion = it->on->motion;
    uint32_t count = 0;
    for (uint32_t k = it->on->occurrence_count; k < motion->occurrences.count; k++) {
        const rh_occurrence *what = &motion->occurrences.data[k];
        for (uint32_t g = 0; what->kind == RH_OCCURRENCE_IMPACT && g < motion->mode.gate_count;
             g++) {
            it->gate = motion->mode.gates[g].name == what->name ? &motion->mode.gates[g] : it->gate;
        }
        for (uint32_t e = 0;
             what->kind == RH_OCCURRENCE_RESET && e < motion->equations->model->events.count; e++) {
            it->event = motion->event_names[e] == what->name ? e : it->event;
        }
        count += what->kind == RH_OCCURRENCE_IMPACT || what->kind == RH_OCCURRENCE_RESET;
    }
    return count <= 1;
}

// Have two conditions one surface? It may be turned round.
static bool is_same(const rh_motion *motion, rh_expr a, rh_expr b)
{
    rh_store *store = motion->equations->store;
    return a.i == b.i || rh__expr_negate(store, a).i == b.i;
}

// The surface that was met, of those that change the rates: a one-sided constraint, a condition.
static void find_surface(salto *it)
{
    const rh_motion *motion = it->on->motion;
    const rh_tape *step = motion->system->step;
    if (it->gate != NULL) {
        it->surface = step->outputs[it->gate->level];
        it->event_count = 1;
        return;
    }
    for (uint32_t k = 0; k < motion->mode.gate_count; k++) {
        const rh_gate *gate = &motion->mode.gates[k];
        if (gate->is_active && !it->on->was_active[k]) {
            it->surface = step->outputs[gate->level];
            it->event_count++;
        }
    }
    rh_expr source = RH_EXPR_NONE;
    const uint32_t switches = it->event_count == 0 ? step->switch_count : 0;
    for (uint32_t k = 0; k < switches; k++) {
        const rh_condition *now = &motion->mode.conditions[k];
        const int side = now->is_sliding ? 2 : now->side;
        const bool is_met = side != it->on->side[k] && it->on->side[k] != 2;
        if (is_met && (source.i == 0 || !is_same(motion, source, step->switches[k].source))) {
            it->surface = step->switches[k].surface;
            source = step->switches[k].source;
            it->event_count++;
        }
    }
}

// Are the rates the same before and after, as far as their terms tell?
static bool is_smooth(const salto *it, const double *after)
{
    rh_motion *motion = it->on->motion;
    const uint32_t *outputs = motion->system->step->outputs;
    bool is_same = true;
    for (uint32_t i = 0; i < it->on->n; i++) {
        const double size = rh__unit_of_slot(motion, outputs[i]);
        is_same = is_same && fabs(it->on->rate[i] - after[i]) <= SAME * size;
    }
    return is_same;
}

// Is what is met left again at once? Its terms, and the time in which the motion changes, tell what
// a speed is.
static bool is_touched(const salto *it)
{
    rh_motion *motion = it->on->motion;
    double size = 0.0;
    if (it->event == UINT32_MAX) {
        size = rh__unit_of_slot(motion, it->surface);
    }
    for (uint32_t k = 0; it->event != UINT32_MAX && k <= it->event; k++) { // in order
        size = rh__unit_of_event(motion, k);
    }
    return !(fabs(it->speed) * motion->unit_time > TOUCHING * size);
}

// --- the way over it -----------------------------------------------------------------------------

// The slope of what was met along a direction; of an event it is a function of its own tape.
static double meet(const salto *it, const double *d, double d_time)
{
    const rh_motion *motion = it->on->motion;
    if (it->event == UINT32_MAX) {
        return slope(it, it->surface, d, d_time);
    }
    rh_tape_state *watch = motion->watch;
    probe(it, d, d_time, 1);
    for (uint32_t k = 0; k < 2; k++) {
        double *row = rh__jet_row(watch, k);
        memcpy(row, rh__jet_row(it->on->probe, k), (1 + it->on->n) * sizeof *row);
        for (uint32_t i = 0; i < motion->system->form.unknowns.count; i++) {
            row[1 + it->on->n + i] = rh__tape_output(it->on->probe, it->on->n + i, k);
        }
        if (k == 0) {
            rh__tape_run(watch);
        } else {
            rh__jet_order(watch, k);
        }
    }
    return rh__tape_output(watch, it->event, 1);
}

static void pass(const salto *it, double *d, const double *after)
{
    rh_transport *on = it->on;
    const double delay = -meet(it, d, 0.0) / it->speed;
    for (uint32_t i = 0; i < on->n; i++) {
        on->direction[i] = d[i] + on->rate[i] * delay;
    }
    if (it->gate != NULL) {
        hit(it, on->direction, delay, d);
    } else if (it->event != UINT32_MAX) {
        put(it, on->direction, delay, d);
    } else {
        memcpy(d, on->direction, on->n * sizeof *d);
    }
    for (uint32_t i = 0; i < on->n; i++) {
        d[i] -= after[i] * delay;
    }
}

// The state just before, and the rates before and after, `after` being the last of the columns.
static void look(salto *it, double *after)
{
    rh_transport *on = it->on;
    rh_motion *motion = on->motion;
    double residual = 0.0;
    rh__series_value(&motion->series, motion->t, on->before);
    (void)rh__projector_apply(&motion->projector, motion->t, on->before, motion->mode.was_kept,
                              &residual, NULL);
    rh__tape_follow(on->probe, motion->step);
    double *row = rh__jet_row(on->probe, 0);
    row[0] = motion->t;
    memcpy(row + 1, motion->x, on->n * sizeof *row);
    rh__tape_run(on->probe);
    for (uint32_t i = 0; i < on->n; i++) {
        after[i] = rh__tape_output(on->probe, i, 0);
    }
    rh__tape_follow(on->probe, motion->plain);
    rh__motion_rate(motion, motion->t, on->before, on->rate);
}

// Does another one-sided constraint act while one is hit? Then impulses depend on each other.
static bool is_crowded(const salto *it)
{
    const rh_mode *mode = &it->on->motion->mode;
    bool found = false;
    for (uint32_t k = 0; k < mode->gate_count; k++) {
        found = found || (&mode->gates[k] != it->gate && it->on->was_active[k]);
    }
    return found;
}

bool rh__transport_jump(rh_transport *transport)
{
    const rh_motion *motion = transport->motion;
    salto it = {.on = transport, .time = motion->t, .event = UINT32_MAX, .surface = UINT32_MAX};
    double *after = transport->v + (size_t)transport->n * transport->count;
    if (is_refracted(&it)) {
        return refuse(&it, "a condition in an energy or a constraint lets velocities jump");
    }
    if (!find_jumps(&it)) {
        return refuse(&it, "several impacts or resets happen at once");
    }
    look(&it, after);
    const bool has_jumped = it.gate != NULL || it.event != UINT32_MAX;
    if (!has_jumped && is_smooth(&it, after)) {
        return true; // what changed makes no difference yet
    }
    if (transport->drift != NULL) {
        return refuse(&it, "surfaces may move with the parameter");
    }
    if (it.event != UINT32_MAX) {
        it.event_count = 1;
    } else {
        find_surface(&it);
    }
    if (it.event_count != 1) {
        return refuse(&it, it.event_count == 0 ? "the rates jump and nothing was met"
                                               : "several surfaces are met at once");
    }
    if (it.gate != NULL && is_crowded(&it)) {
        return refuse(&it, "one constraint is hit while another one acts");
    }
    if (it.event != UINT32_MAX && !can_put(&it)) {
        return refuse(&it, "a reset is followed by a projection, or changes what is no variable");
    }
    it.restitution = it.gate != NULL && !it.gate->is_active ? it.gate->restitution : 0.0;
    it.speed = meet(&it, transport->rate, 1.0);
    if (is_touched(&it)) {
        return refuse(&it, "a surface is touched, not crossed");
    }
    for (uint32_t k = 0; k < transport->count; k++) {
        pass(&it, transport->v + (size_t)k * transport->n, after);
    }
    return rh__vector_is_finite((size_t)transport->n * transport->count, transport->v) ||
           refuse(&it, "they are not finite");
}
