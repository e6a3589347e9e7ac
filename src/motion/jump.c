// SPDX-License-Identifier: Apache-2.0
// A condition in an energy or a constraint changes its truth: velocities may jump. What differs
// behind the surface is found in disparity.c, the new velocities in refraction.c; here the two
// sides are set up over the released tape (tape/jumps.c), and the result is put into the motion.
// Other tapes than `step` follow the sides of these conditions too: on the surface itself rounding
// would decide.

#include "motion/jump.h"

#include <math.h>

#define PARALLEL 1e-9 // relative: surfaces that are one

// --- making ------------------------------------------------------------------------------------

static rh_status name_all(rh_motion *motion)
{
    const rh_jumps *jumps = &motion->system->jumps;
    const uint32_t links = motion->equations->links.count;
    rh_jump *jump = &motion->jump;
    jump->names = rh__arena_array(&motion->arena, const char *, (size_t)jumps->count + 1);
    jump->link_names = rh__arena_array(&motion->arena, const char *, (size_t)links + 1);
    jump->side = rh__arena_array(&motion->arena, int, (size_t)jumps->count + 1);
    if (jump->names == NULL || jump->link_names == NULL || jump->side == NULL) {
        return motion->arena.status;
    }
    for (uint32_t k = 0; k < jumps->count; k++) {
        jump->names[k] = rh__mode_condition_text(motion, jumps->conditions[k].condition);
    }
    for (uint32_t k = 0; k < links; k++) {
        rh_text text = rh__text_begin(&motion->arena, NULL);
        rh__link_name(motion->equations, &motion->equations->links.data[k], &text);
        jump->link_names[k] =
            rh__text_print(&motion->arena, "%.*s", RH_SLICE_FORMAT(rh__text_slice(&text)));
    }
    return motion->arena.status;
}

static rh_status find_sides(rh_motion *motion)
{
    rh_jump *jump = &motion->jump;
    const rh_project_stage *stages = motion->projector.stages;
    rh_tape_state *const states[RH_JUMP_FOLLOWERS] = {motion->output, stages[0].miss_state,
                                                      stages[0].shift_state, stages[1].miss_state,
                                                      stages[1].shift_state};
    for (uint32_t k = 0; k < RH_JUMP_FOLLOWERS; k++) {
        jump->followers[k] = states[k];
        if (states[k] != NULL) {
            RH_TRY(
                rh__system_sides(motion->system, states[k]->tape, &motion->arena, &jump->sides[k]));
        }
    }
    return RH_OK;
}

rh_status rh__jump_create(rh_motion *motion)
{
    const rh_jumps *jumps = &motion->system->jumps;
    rh_jump *jump = &motion->jump;
    jump->at = -INFINITY;
    if (jumps->tape == NULL) {
        return RH_OK;
    }
    RH_TRY(rh__tape_state_create(jumps->tape, 1, motion->arena.allocator, &jump->state));
    RH_TRY(rh__tape_bind(jump->state, rh__point_value, &motion->start.point));
    RH_TRY(rh__point_create(&motion->layout, &motion->arena, &jump->point));
    jump->scratch = rh__arena_begin(motion->arena.allocator, motion->arena.limit);
    (void)rh__arena_push(&jump->scratch, 1); // its first piece of memory stays
    RH_TRY(name_all(motion));
    return find_sides(motion);
}

void rh__jump_destroy(rh_motion *motion)
{
    rh__tape_state_destroy(motion->jump.state);
    rh__arena_end(&motion->jump.scratch);
}

void rh__jump_follow(rh_motion *motion, const rh_tape_state *like)
{
    const rh_jump *jump = &motion->jump;
    for (uint32_t k = 0; jump->state != NULL && k < RH_JUMP_FOLLOWERS; k++) {
        if (jump->followers[k] != NULL) {
            rh__system_follow(motion->system, jump->sides[k], like, jump->followers[k]);
        }
    }
}

void rh__jump_reset(rh_motion *motion)
{
    rh_jump *jump = &motion->jump;
    const rh_jumps *jumps = &motion->system->jumps;
    if (jump->state == NULL) {
        return;
    }
    rh__motion_rate(motion, motion->t, motion->x, motion->slope);
    rh__jump_follow(motion, motion->step);
    for (uint32_t k = 0; k < jumps->count; k++) {
        const uint32_t at = jumps->conditions[k].at;
        const uint32_t slot = motion->system->step->switches[at].surface;
        const bool is_met =
            fabs(motion->plain->jet[slot]) <= RH_MODE_MET * rh__unit_of_slot(motion, slot) &&
            !jumps->conditions[k].holds_velocity;
        jump->side[k] = is_met ? motion->mode.conditions[at].side : 0;
    }
    for (uint32_t k = 0; k < RH_JUMP_FOLLOWERS; k++) {
        rh_tape_state *state = jump->followers[k];
        for (uint32_t j = 0; state != NULL && j < state->tape->switch_count; j++) {
            const uint32_t found = jump->sides[k][j];
            if (found != UINT32_MAX && jump->side[found / 2] == 0) {
                rh__tape_force(state, j, NAN); // its surface decides
            }
        }
    }
}

void rh__jump_open(rh_motion *motion)
{
    const rh_jumps *jumps = &motion->system->jumps;
    for (uint32_t k = 0; k < jumps->count; k++) {
        rh_condition *it = &motion->mode.conditions[jumps->conditions[k].at];
        if (motion->jump.side[k] != 0) {
            it->side = motion->jump.side[k];
            it->is_open = false;
        }
    }
}

// --- one side of the surface
// -----------------------------------------------------------------------

void rh__jumping_fail(const rh_jumping *in, rh_diagnostic_code code, const char *what)
{
    if (in->motion->reason[0] == '\0') {
        rh__motion_fail(in->motion, code, "at t = %.17g, where %s changes, %s", in->motion->t,
                        in->motion->jump.names[in->index], what);
    }
}

static void set_inputs(const rh_jumping *in, const double *y)
{
    const rh_motion *motion = in->motion;
    const rh_system *system = motion->system;
    double *value = rh__jet_row(motion->jump.state, 0);
    double *slope = rh__jet_row(motion->jump.state, 1);
    uint32_t at = 0;
    value[at] = motion->t;
    slope[at++] = 1.0;
    for (uint32_t k = 0; k < in->q; k++) {
        value[at] = motion->x[k];
        slope[at++] = in->y[k];
    }
    for (uint32_t k = 0; k < in->n; k++) {
        value[at] = y[k];
        slope[at++] = in->y_rate[k];
    }
    for (uint32_t k = 0; k < system->passives.count + system->held.count; k++) {
        value[at] = motion->x[system->passives.first + k];
        slope[at++] = k < system->passives.count ? in->rate[system->passives.first + k] : 0.0;
    }
    RH_ASSERT(at <= motion->jump.state->tape->input_count);
}

static void force_sides(const rh_jumping *in, const int *side)
{
    rh_tape_state *state = in->motion->jump.state;
    for (uint32_t k = 0; k < state->tape->switch_count; k++) {
        const uint32_t found = in->jumps->side_of[k];
        RH_ASSERT(found == UINT32_MAX || found / 2 < in->jumps->count);
        const int its = found == UINT32_MAX ? 0 : side[found / 2];
        rh__tape_force(state, k,
                       its == 0 ? (double)NAN
                                : rh__switch_truth(state->tape->switches[k].rule,
                                                   found % 2 != 0 ? -its : its));
    }
}

void rh__jumping_look(const rh_jumping *in, const int *side, const double *y, double *out)
{
    rh_tape_state *state = in->motion->jump.state;
    set_inputs(in, y);
    force_sides(in, side);
    rh__tape_run(state);
    rh__jet_order(state, 1);
    for (uint32_t k = 0; k < state->tape->output_count; k++) {
        const double rate = rh__tape_output(state, k, 1);
        const double value = rh__tape_output(state, k, 0);
        out[k] = isfinite(rate) ? value + in->shift * rate : value;
    }
}

void rh__jumping_row(const rh_jumping *in, uint32_t row, const double *outputs, double *out_row,
                     double *out_push)
{
    RH_ASSERT(row < in->row_count && out_row != out_push);
    const uint32_t link = in->rows[row].link;
    const rh_jump_grid *const grids[] = {&in->jumps->rows, &in->jumps->push};
    double *const lists[] = {out_row, out_push};
    for (uint32_t g = 0; g < 2; g++) {
        const rh_grid *grid = grids[g]->grid;
        for (uint32_t i = 0; i < in->n; i++) {
            lists[g][i] = 0.0;
        }
        for (uint32_t k = grid->begin[link]; k < grid->begin[link + 1]; k++) {
            lists[g][grid->entries.data[k].column] = outputs[grids[g]->first + k];
        }
    }
}

double rh__jumping_level(const rh_jumping *in, uint32_t row, const double *outputs)
{
    const uint32_t link = in->rows[row].link;
    RH_ASSERT(in->jumps->level_of[link] != UINT32_MAX);
    const uint32_t last = in->motion->equations->links.data[link].level_count - 1;
    return outputs[in->jumps->level_of[link] + last];
}

void rh__jumping_inertia(const rh_jumping *in, const double *outputs, double *out)
{
    const rh_grid *grid = in->jumps->inertia.grid;
    for (size_t k = 0; k < (size_t)in->n * in->n; k++) {
        out[k] = 0.0;
    }
    for (uint32_t k = 0; k < grid->entries.count; k++) {
        const rh_entry *entry = &grid->entries.data[k];
        RH_ASSERT(entry->row < in->n && entry->column < in->n);
        out[entry->row + (size_t)entry->column * in->n] = outputs[in->jumps->inertia.first + k];
    }
}

// --- the surface
// -----------------------------------------------------------------------------------

// The gradient of a surface by carriers, and its rate without velocities. Gives the value.
static double gradient_of(const rh_jumping *in, uint32_t condition, double *out, double *out_drift)
{
    const rh_tape_state *state = in->motion->jump.state;
    const rh_jump_condition *it = &in->jumps->conditions[condition];
    *out_drift = rh__tape_output(state, it->value, 1);
    for (uint32_t i = 0; i < in->n; i++) {
        out[i] = 0.0;
    }
    for (uint32_t k = 0; k < it->slopes.count; k++) {
        RH_ASSERT(it->coordinate[k] < in->n);
        const double slope = rh__tape_output(state, it->slopes.first + k, 0);
        out[it->coordinate[k]] = slope;
        *out_drift -= slope * in->y[it->coordinate[k]];
    }
    return rh__tape_output(state, it->value, 0);
}

// The time within which two crossings are one.
static double moment(const rh_motion *motion)
{
    return 1e-12 * (fabs(motion->t) + motion->series.length);
}

// Is another surface this one? `out_is_met`: it is crossed at this time, whether it is or not.
static bool is_same_surface(const rh_jumping *in, uint32_t condition, double *other,
                            bool *out_is_met)
{
    double drift = 0.0;
    double along = in->drift * in->drift;
    double factor = 0.0;
    const double value = gradient_of(in, condition, other, &drift);
    const double speed = rh__vector_dot(in->n, other, in->y) + drift;
    *out_is_met = in->side[condition] != 0 && fabs(value) <= moment(in->motion) * fabs(speed) &&
                  in->side[condition] * speed < 0.0;
    for (uint32_t i = 0; i < in->n; i++) {
        along += in->slope[i] * in->slope[i];
        factor += in->slope[i] * other[i];
    }
    factor = along > 0.0 ? (factor + in->drift * drift) / along : 0.0;
    double off = fabs(drift - factor * in->drift);
    double size = fabs(drift);
    for (uint32_t i = 0; i < in->n; i++) {
        off = fmax(off, fabs(other[i] - factor * in->slope[i]));
        size = fmax(size, fabs(other[i]));
    }
    return *out_is_met && off <= PARALLEL * size;
}

// What moves the surface: of velocities only where it holds some.
static void find_rates(rh_jumping *in)
{
    rh_motion *motion = in->motion;
    const bool holds_velocity = in->jumps->conditions[in->index].holds_velocity;
    if (holds_velocity) {
        rh__gate_look(motion);
    }
    for (uint32_t k = 0; k < in->n; k++) {
        in->y_rate[k] = k >= in->q       ? in->rate[in->place[k]]
                        : holds_velocity ? 2.0 * rh__jet_row(motion->probe, 2)[1 + k]
                                         : 0.0;
    }
}

// The surface that is crossed, and all conditions that change with it.
static bool find_surface(rh_jumping *in, int direction)
{
    RH_ASSERT((direction == -1 || direction == 1) && in->index < in->jumps->count);
    double *other = rh__arena_array(in->scratch, double, (size_t)in->n + 1);
    if (other == NULL) {
        return false;
    }
    find_rates(in);
    in->shift = 0.0;
    rh__jumping_look(in, in->side, in->y, in->before);
    const double value = gradient_of(in, in->index, in->slope, &in->drift);
    in->is_of_time = true;
    for (uint32_t i = 0; i < in->n; i++) {
        in->is_of_time = in->is_of_time && in->slope[i] == 0.0;
    }
    in->speed = rh__vector_dot(in->n, in->slope, in->y) + in->drift;
    in->other = UINT32_MAX;
    for (uint32_t k = 0; k < in->jumps->count; k++) {
        bool is_met = false;
        in->is_crossed[k] = k == in->index || (!in->jumps->conditions[k].holds_velocity &&
                                               is_same_surface(in, k, other, &is_met));
        in->side_after[k] = in->is_crossed[k] ? -in->side[k] : in->side[k];
        in->other = is_met && !in->is_crossed[k] ? k : in->other;
    }
    in->side_after[in->index] = direction;
    const double shift = -value / in->speed;
    in->shift = fabs(shift) <= 1e3 * moment(in->motion) ? shift : 0.0;
    return true;
}

// --- constraints that take part
// --------------------------------------------------------------------

// A one-sided constraint that is closed before: does it stay so? One that is just being hit is not.
static bool is_closed(rh_jumping *in, rh_gate *gate)
{
    const uint32_t first = in->jumps->level_of[gate->link];
    const double met = rh__gate_met(in->motion, gate, 0);
    const double still = rh__gate_met(in->motion, gate, gate->level_count - 1);
    const double value = in->before[first];
    const double speed = in->before[first + gate->level_count - 1];
    const bool is_touched = fabs(value) <= met && fabs(speed) <= still;
    const uint32_t last = first + gate->level_count - 1;
    if (!gate->is_active && gate->level_count > 1 && fabs(value) <= met && speed < -still &&
        fabs(in->after[last] - speed) > still) {
        rh__jumping_fail(in, RH_DIAGNOSTIC_E518,
                         "a one-sided constraint is hit at the same time: it matters which of the "
                         "two comes first");
    }
    if (!gate->is_active && !is_touched) {
        return false;
    }
    const double gap = gate->level_count > 1 ? in->after[first] - value : 0.0;
    if (gap > 1e3 * met) {
        gate->is_active = in->motion->mode.is_kept[gate->link] = false;
        return false;
    }
    if (gap < -1e3 * met) {
        rh__motion_fail(in->motion, RH_DIAGNOSTIC_E516,
                        "%s does not hold at t = %.17g, where %s changes: it is %.6g then",
                        gate->name, in->motion->t, in->motion->jump.names[in->index],
                        in->after[first]);
    }
    return true;
}

static void find_rows(rh_jumping *in)
{
    const rh_equations *equations = in->motion->equations;
    rh_mode *mode = &in->motion->mode;
    in->row_count = 0;
    for (uint32_t k = 0; k < equations->links.count; k++) {
        const rh_link *link = &equations->links.data[k];
        if (in->jumps->level_of[k] != UINT32_MAX && !link->constraint->is_one_sided &&
            mode->is_kept[k]) {
            in->rows[in->row_count++] = (rh_jump_row){.link = k, .gate = UINT32_MAX};
        }
    }
    in->two_sided = in->row_count;
    for (uint32_t k = 0; k < mode->gate_count; k++) {
        if (is_closed(in, &mode->gates[k])) {
            in->rows[in->row_count++] = (rh_jump_row){.link = mode->gates[k].link, .gate = k};
        }
    }
    RH_ASSERT(in->two_sided <= in->row_count && in->row_count <= equations->links.count);
}

// --- into the motion
// -------------------------------------------------------------------------------

static bool put_velocities(const rh_jumping *in)
{
    rh_motion *motion = in->motion;
    const rh_equations *equations = motion->equations;
    const rh_point *point = &motion->jump.point;
    double *x = motion->x_try;
    for (uint32_t k = 0; k < motion->layout.symbols.count; k++) {
        point->values[k] = motion->start.point.values[k]; // constants of `= const`
    }
    rh__point_set(point, rh__expr_symbol(equations->store, equations->model->time, 0), motion->t);
    for (uint32_t k = 0; k < motion->n; k++) {
        rh__point_set(point, motion->system->x.data[k], motion->x[k]);
    }
    for (uint32_t k = 0; k < in->n; k++) {
        rh__point_set(point, equations->carriers.data[k].variable, in->y_after[k]);
    }
    if (rh__system_pack(motion->system, point, in->scratch, x) != RH_OK) {
        rh__jumping_fail(in, RH_DIAGNOSTIC_E515, "there is no memory");
        return false;
    }
    const rh_range *variables = &motion->system->variables;
    RH_ASSERT(variables->first + variables->count <= motion->n);
    for (uint32_t k = variables->first; k < variables->first + variables->count; k++) {
        motion->x[k] = x[k];
    }
    return true;
}

static void tell(const rh_jumping *in, rh_occurrence_kind kind)
{
    rh_motion *motion = in->motion;
    double largest = 0.0;
    for (uint32_t k = 0; k < in->row_count; k++) {
        largest = fmax(largest, fabs(in->impulse[k]));
    }
    if (kind != RH_OCCURRENCE_IMPACT) {
        rh__mode_record(motion, kind, motion->jump.names[in->index], motion->t);
    }
    for (uint32_t k = 0; k < in->row_count; k++) {
        const rh_jump_row *row = &in->rows[k];
        const bool pushes = in->impulse[k] > 1e-10 * largest;
        if (row->gate != UINT32_MAX && pushes) {
            rh__mode_record(motion, RH_OCCURRENCE_IMPACT, motion->mode.gates[row->gate].name,
                            motion->t);
        } else if (row->gate == UINT32_MAX && row->is_kinked && kind == RH_OCCURRENCE_IMPACT) {
            rh__mode_record(motion, RH_OCCURRENCE_IMPACT, motion->jump.link_names[row->link],
                            motion->t);
        }
    }
}

// One-sided constraints that velocities lead away from are open.
static void leave_gates(rh_jumping *in, bool is_reflected)
{
    rh_mode *mode = &in->motion->mode;
    double *out = is_reflected ? in->before : in->after;
    rh__jumping_look(in, is_reflected ? in->side : in->side_after, in->y_after, out);
    for (uint32_t k = in->two_sided; k < in->row_count; k++) {
        rh_gate *gate = &mode->gates[in->rows[k].gate];
        double *row = in->slope;
        double size = 0.0;
        rh__jumping_row(in, k, out, row, in->y);
        for (uint32_t i = 0; i < in->n; i++) {
            size += fabs(row[i] * in->y_after[i]);
        }
        if (rh__jumping_level(in, k, out) > 1e-12 * size) {
            gate->is_active = mode->is_kept[gate->link] = false;
        }
    }
}

// Sides of the conditions behind the jump; those of velocities are open.
static void set_sides(rh_jumping *in, bool has_jumped, bool is_reflected)
{
    rh_motion *motion = in->motion;
    if (has_jumped) {
        rh__switch_let_go(motion);
        rh__switch_open(motion);
        rh__samples_forget(motion);
        motion->length_last = motion->t - motion->t_before; // elsewhere it may be another
    }
    for (uint32_t k = 0; k < in->jumps->count; k++) {
        const uint32_t at = in->jumps->conditions[k].at;
        rh_condition *it = &motion->mode.conditions[at];
        if (in->is_crossed[k]) {
            rh__switch_cross(motion, at, is_reflected ? -in->side_after[k] : in->side_after[k]);
            // without jets the first steps behind it are known to their error only
            it->is_lifting = has_jumped && motion->stepper != NULL && !motion->stepper->has_jets;
        } else if (has_jumped && !in->jumps->conditions[k].holds_velocity && in->side[k] != 0) {
            it->side = in->side[k];
            it->is_open = false;
        }
    }
}

static bool begin(rh_motion *motion, rh_jumping *in)
{
    rh_jump *jump = &motion->jump;
    const rh_jumps *jumps = &motion->system->jumps;
    const size_t outputs = (size_t)jumps->tape->output_count + 1;
    rh_arena *scratch = &jump->scratch;
    *in = (rh_jumping){.motion = motion,
                       .jumps = jumps,
                       .scratch = scratch,
                       .n = motion->equations->carriers.count,
                       .q = motion->equations->coordinate_count};
    RH_ASSERT(in->q <= in->n);
    const size_t n = (size_t)in->n + 1;
    double *rate = rh__arena_array(scratch, double, (size_t)motion->n + 1);
    in->y = rh__arena_array(scratch, double, n);
    in->y_after = rh__arena_array(scratch, double, n);
    in->y_rate = rh__arena_array(scratch, double, n);
    in->slope = rh__arena_array(scratch, double, n);
    in->before = rh__arena_array(scratch, double, outputs);
    in->after = rh__arena_array(scratch, double, outputs);
    in->place = rh__arena_array(scratch, uint32_t, n);
    in->side = rh__arena_array(scratch, int, (size_t)jumps->count + 1);
    in->side_after = rh__arena_array(scratch, int, (size_t)jumps->count + 1);
    in->is_crossed = rh__arena_array(scratch, bool, (size_t)jumps->count + 1);
    in->rows = rh__arena_array(scratch, rh_jump_row, (size_t)motion->equations->links.count + 1);
    in->impulse = rh__arena_array(scratch, double, (size_t)motion->equations->links.count + 1);
    if (scratch->status != RH_OK || rate == NULL || in->impulse == NULL) {
        return false;
    }
    rh__motion_rate(motion, motion->t, motion->x, rate);
    in->rate = rate;
    for (uint32_t k = 0; k < in->n; k++) {
        const rh_expr variable = motion->equations->carriers.data[k].variable;
        in->place[k] = k < in->q ? k : rh__system_index(motion->system, variable);
        RH_ASSERT(in->place[k] < motion->n);
        in->y[k] = k < in->q ? rate[k] : motion->x[in->place[k]];
    }
    for (uint32_t k = 0; k < jumps->count; k++) {
        in->side[k] = motion->mode.conditions[jumps->conditions[k].at].side;
    }
    return true;
}

static bool is_near(double a, double b, double size)
{
    return fabs(a - b) <= PARALLEL * size;
}

// Does an impulse across this surface leave the speed of another one as it is? With constraints, or
// where the inertia changes, it goes everywhere.
static bool is_normal(const rh_jumping *in, const double *second, const double *slope)
{
    const uint32_t n = in->n;
    double *inertia = rh__arena_array(in->scratch, double, (size_t)n *n + 1);
    double *w = rh__arena_array(in->scratch, double, (size_t)n + 1);
    bool is_well = inertia != NULL && w != NULL && in->row_count == 0;
    for (uint32_t k = 0; is_well && k < in->jumps->inertia.grid->entries.count; k++) {
        const uint32_t at = in->jumps->inertia.first + k;
        is_well = in->before[at] == in->after[at] && in->before[at] == second[at];
    }
    if (!is_well) {
        return false;
    }
    rh__jumping_inertia(in, in->after, inertia);
    const rh_impulse_def def = {n, 0, inertia, NULL, NULL};
    rh_impulse impulse;
    is_well = rh__impulse_create(in->scratch, &def, &impulse) == RH_OK &&
              rh__impulse_solve(&impulse, in->slope, NULL, w, NULL);
    double size = 0.0;
    for (uint32_t i = 0; i < n; i++) {
        size += fabs(slope[i] * w[i]);
    }
    return is_well && fabs(rh__vector_dot(n, slope, w)) <= PARALLEL * size;
}

// Two surfaces at once: does what one of them changes depend on the side of the other, or does an
// impulse across one change the speed of the other one? Then the order matters.
static bool is_entangled(const rh_jumping *in, rh_disparity disparity)
{
    const uint32_t count = in->jumps->tape->output_count;
    if (in->other == UINT32_MAX) {
        return false;
    }
    RH_ASSERT(in->other < in->jumps->count && in->other != in->index);
    double *both = rh__arena_array(in->scratch, double, (size_t)count + 1);
    double *second = rh__arena_array(in->scratch, double, (size_t)count + 1);
    double *slope = rh__arena_array(in->scratch, double, (size_t)in->n + 1);
    if (both == NULL || second == NULL || slope == NULL) {
        return true;
    }
    double drift = 0.0;
    in->side[in->other] = -in->side[in->other];
    in->side_after[in->other] = -in->side_after[in->other];
    rh__jumping_look(in, in->side, in->y, second);
    rh__jumping_look(in, in->side_after, in->y, both);
    (void)gradient_of(in, in->other, slope, &drift);
    in->side[in->other] = -in->side[in->other];
    in->side_after[in->other] = -in->side_after[in->other];
    bool is_apart = true;
    bool is_idle = disparity == RH_DISPARITY_NONE;
    bool is_other_idle = true;
    for (uint32_t k = 0; k < count; k++) {
        const double size = fabs(in->before[k]) + fabs(in->after[k]) + fabs(second[k]);
        is_apart = is_apart && is_near(both[k] - second[k], in->after[k] - in->before[k], size);
        is_other_idle = is_other_idle && is_near(second[k], in->before[k], size);
    }
    return !is_apart || !(is_idle || is_other_idle || is_normal(in, second, slope));
}

// A surface of positions and of states moves with both: the rates of states must not jump too.
static bool is_steady(const rh_jumping *in)
{
    rh_motion *motion = in->motion;
    const rh_jump_condition *it = &in->jumps->conditions[in->index];
    const rh_range *passives = &motion->system->passives;
    if (in->is_of_time ||
        (rh__expr_mask(motion->equations->store, it->surface) & RH_ROLE_STATE) == 0) {
        return true;
    }
    bool is_same = true;
    rh__motion_rate(motion, motion->t, motion->x, motion->x_try);
    for (uint32_t k = 0; k < motion->n; k++) {
        const bool is_state = k >= passives->first && k < passives->first + passives->count;
        bool is_carrier = false;
        for (uint32_t j = in->q; j < in->n; j++) {
            is_carrier = is_carrier || in->place[j] == k;
        }
        const double size = fabs(in->rate[k]) + fabs(motion->x_try[k]);
        is_same = is_same && (!(is_state || is_carrier) ||
                              fabs(in->rate[k] - motion->x_try[k]) <= PARALLEL * size);
    }
    if (!is_same) {
        rh__jumping_fail(
            in, RH_DIAGNOSTIC_E518,
            "velocities jump, and with them the rate of a state that moves the surface");
    }
    return is_same;
}

// `is_start`: the motion begins on the surface.
static void pass(rh_jumping *in, int direction, bool is_start)
{
    rh_motion *motion = in->motion;
    rh_occurrence_kind kind = RH_OCCURRENCE_REFRACT;
    if (!find_surface(in, direction)) {
        rh__jumping_fail(in, RH_DIAGNOSTIC_E515, "there is no memory");
        return;
    }
    rh__jumping_look(in, in->side, in->y, in->before);
    rh__jumping_look(in, in->side_after, in->y, in->after);
    find_rows(in);
    const rh_disparity disparity =
        motion->reason[0] == '\0' ? rh__disparity_find(in) : RH_DISPARITY_FAILED;
    if (disparity != RH_DISPARITY_FAILED && is_entangled(in, disparity)) {
        rh__jumping_fail(in, RH_DIAGNOSTIC_E518,
                         "another condition of the energies or the constraints changes at the same "
                         "time, and it matters which of them comes first");
        return;
    }
    if (disparity == RH_DISPARITY_NONE && is_start) {
        return; // they are decided
    }
    if (disparity == RH_DISPARITY_NONE) {
        set_sides(in, false, false);
        return;
    }
    if (disparity != RH_DISPARITY_FAILED && is_start && !in->is_of_time) {
        rh__jumping_fail(
            in, RH_DIAGNOSTIC_E518,
            "the motion begins on the surface and leaves it to the other side than that "
            "on which it is: begin beside it");
        return;
    }
    if (disparity == RH_DISPARITY_FAILED || !rh__refraction_find(in, disparity, &kind) ||
        !put_velocities(in) || !is_steady(in)) {
        return;
    }
    tell(in, kind);
    motion->jump.at = motion->t;
    motion->jump.work = in->work;
    leave_gates(in, kind == RH_OCCURRENCE_REFLECT);
    set_sides(in, true, kind == RH_OCCURRENCE_REFLECT);
}

void rh__jump_cross(rh_motion *motion, uint32_t index, int direction)
{
    const rh_jumps *jumps = &motion->system->jumps;
    uint32_t found = 0;
    while (found < jumps->count && jumps->conditions[found].at != index) {
        found++;
    }
    if (found == jumps->count || motion->mode.conditions[index].is_sliding) {
        rh__switch_cross(motion, index, direction);
        return;
    }
    rh_jumping in;
    const rh_mark mark = rh__arena_mark(&motion->jump.scratch);
    if (begin(motion, &in)) {
        in.index = found;
        pass(&in, direction, false);
    } else {
        rh__motion_fail(motion, RH_DIAGNOSTIC_E515, "there was no memory at t = %.17g", motion->t);
    }
    rh__arena_rewind(&motion->jump.scratch, mark);
}

// Does the text say on the surface what it says on the side to which the motion leaves it?
static bool is_behind(rh_motion *motion, uint32_t condition)
{
    const rh_jump_condition *it = &motion->system->jumps.conditions[condition];
    const rh_tape_switch *at = &motion->system->step->switches[it->at];
    const int side = motion->mode.conditions[it->at].side;
    const double value = rh__jet_row(motion->step, 0)[at->surface];
    return side == 0 || it->holds_velocity ||
           fabs(value) > RH_MODE_MET * rh__unit_of_slot(motion, at->surface) ||
           rh__switch_truth(at->rule, 0.0) == rh__switch_truth(at->rule, side);
}

bool rh__jump_begin(rh_motion *motion)
{
    const rh_jumps *jumps = &motion->system->jumps;
    bool has_jumped = false;
    for (uint32_t k = 0; k < jumps->count && motion->reason[0] == '\0' && !has_jumped; k++) {
        rh_jumping in;
        if (is_behind(motion, k)) {
            continue;
        }
        const rh_mark mark = rh__arena_mark(&motion->jump.scratch);
        if (begin(motion, &in)) {
            const int side = in.side[k];
            in.index = k;
            for (uint32_t j = 0; j < jumps->count; j++) {
                in.side[j] = is_behind(motion, j) ? in.side[j] : -in.side[j];
            }
            pass(&in, side, true);
            has_jumped = motion->jump.at == motion->t;
        }
        rh__arena_rewind(&motion->jump.scratch, mark);
    }
    return has_jumped;
}
