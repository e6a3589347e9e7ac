// SPDX-License-Identifier: Apache-2.0
// A frame of all velocities, for models whose constraints are better kept than solved: the reduced
// equations are then short, and hold multipliers. Pairs of velocities are taken along and across an
// angle where the energy stays the same when both are turned, and pairs of constraints with them
// (theory, certificates 2): all that is guessed at random states, and only written down here.

#include "certificate/propose.h"

#include <math.h>
#include <string.h>

#define SMALL 1e-6 // of a slope of a row of the user
enum { MOST_TRIALS = 600 };

typedef struct turning {
    rh_proposing *in;
    rh_equations *equations;
    rh_store *store;
    rh_arena scratch;
    uint32_t n;
    bool *is_cyclic; // by coordinate
    uint32_t *angle; // by coordinate: the one its velocity is turned by; UINT32_MAX
    uint32_t *other; // by coordinate: the other one of the pair
    bool *is_second; // by coordinate: across
    bool *is_mixed;  // by link
    uint32_t trials;
} turning;

// --- guessing ------------------------------------------------------------------------------------

static bool seems_zero(turning *on, rh_expr e)
{
    const rh_mark mark = rh__arena_mark(&on->scratch);
    const bool is_zero = e.i != 0 && rh__expr_vanishes(on->store, e, rh__values_parameter,
                                                       &on->equations->model->values,
                                                       &on->scratch) != RH_VANISHING_NO;
    rh__arena_rewind(&on->scratch, mark);
    return is_zero;
}

// The change of an expression when an angle grows and a pair of velocities turns with it.
static rh_expr change_of(turning *on, rh_expr e, const uint32_t turned[3])
{
    rh_store *store = on->store;
    const rh_carrier *carriers = on->equations->carriers.data;
    const rh_expr x = carriers[turned[0]].variable;
    const rh_expr y = carriers[turned[1]].variable;
    const rh_expr by_x = rh__expr_multiply(store, y, rh__expr_differentiate(store, e, x));
    const rh_expr by_y = rh__expr_multiply(store, x, rh__expr_differentiate(store, e, y));
    const rh_expr slope = rh__expr_differentiate(store, e, carriers[turned[2]].position);
    return rh__expr_add(store, slope, rh__expr_subtract(store, by_y, by_x));
}

static rh_expr last_level(const turning *on, uint32_t link)
{
    const rh_link *it = &on->equations->links.data[link];
    return it->levels[it->level_count - 1];
}

// Do energy and constraints depend on the coordinate, all velocities being what they are?
static bool depends(turning *on, uint32_t k)
{
    const rh_expr position = on->equations->carriers.data[k].position;
    bool is_free =
        seems_zero(on, rh__expr_differentiate(on->store, on->equations->kinetic, position));
    for (uint32_t link = 0; is_free && link < on->equations->links.count; link++) {
        is_free = seems_zero(on, rh__expr_differentiate(on->store, last_level(on, link), position));
    }
    return !is_free;
}

// The constraint that takes the place of this one after a quarter of a turn: f' = -g, g' = f.
static uint32_t find_partner(turning *on, uint32_t link, const uint32_t turned[3])
{
    const rh_expr f = last_level(on, link);
    const rh_expr change = change_of(on, f, turned);
    for (uint32_t k = 0; k < on->equations->links.count; k++) {
        const rh_expr g = last_level(on, k);
        if (k != link && !on->is_mixed[k] && seems_zero(on, rh__expr_add(on->store, change, g)) &&
            seems_zero(on, rh__expr_subtract(on->store, change_of(on, g, turned), f))) {
            return k;
        }
    }
    return UINT32_MAX;
}

// Is everything the same after the turn, or turns with it? Pairs of constraints go to the draft.
static bool push_mixing(turning *on, uint32_t first, uint32_t second, uint32_t angle)
{
    rh_arena *arena = on->in->on.arena;
    const uint32_t links[] = {first, second};
    rh_slice names[2];
    for (uint32_t s = 0; s < 2; s++) {
        rh_text text = rh__text_begin(arena, NULL);
        rh__link_name(on->equations, &on->equations->links.data[links[s]], &text);
        const char *copy = rh__slice_copy(arena, rh__text_slice(&text));
        names[s] = rh__slice_of(copy != NULL ? copy : "");
    }
    const rh_mixing mixing = {.first = names[0],
                              .second = names[1],
                              .angle = rh__slice_of(rh__thesis_name(
                                  arena, on->store, on->equations->carriers.data[angle].position))};
    on->is_mixed[first] = on->is_mixed[second] = true;
    return rh__array_push(arena, &on->in->draft.mixings, mixing);
}

// Take the velocities of a pair along and across, if that is a symmetry. False: memory.
static bool try_pair(turning *on, const uint32_t turned[3], bool *out)
{
    *out = seems_zero(on, change_of(on, on->equations->kinetic, turned));
    const uint32_t links = on->equations->links.count;
    bool ok = true;
    for (uint32_t link = 0; ok && *out && link < links; link++) {
        if (!on->is_mixed[link] && !seems_zero(on, change_of(on, last_level(on, link), turned))) {
            const uint32_t partner = find_partner(on, link, turned);
            if (partner != UINT32_MAX) {
                ok = push_mixing(on, link, partner, turned[2]);
            }
        }
    }
    for (uint32_t s = 0; *out && s < 2; s++) {
        on->angle[turned[s]] = turned[2];
        on->other[turned[s]] = turned[1 - s];
        on->is_second[turned[s]] = s == 1;
    }
    return ok;
}

static bool find_turns(turning *on)
{
    bool ok = true;
    for (uint32_t k = 0; ok && k < on->n; k++) {
        bool is_done = !on->is_cyclic[k] || !depends(on, k);
        for (uint32_t i = 0; ok && !is_done && i < on->n; i++) {
            for (uint32_t j = 0; ok && !is_done && j < on->n; j++) {
                const uint32_t turned[] = {i, j, k};
                const bool is_pair = i != j && i != k && j != k && on->is_cyclic[i] &&
                                     on->is_cyclic[j] && on->angle[i] == UINT32_MAX &&
                                     on->angle[j] == UINT32_MAX;
                if (is_pair && on->trials++ < MOST_TRIALS) {
                    ok = try_pair(on, turned, &is_done);
                }
            }
        }
    }
    return ok;
}

// --- writing -------------------------------------------------------------------------------------

static const char *name_of(const turning *on, rh_expr symbol)
{
    return rh__thesis_name(on->in->on.arena, on->store, symbol);
}

static const char *formula_of(const turning *on, uint32_t k)
{
    const rh_carrier *carriers = on->equations->carriers.data;
    const char *own = name_of(on, carriers[k].variable);
    if (on->angle[k] == UINT32_MAX) {
        return own;
    }
    const char *by = name_of(on, carriers[on->angle[k]].position);
    const char *other = name_of(on, carriers[on->other[k]].variable);
    return rh__text_print(on->in->on.arena, "cos(%s)*%s %c sin(%s)*%s", by, own,
                          on->is_second[k] ? '-' : '+', by, other);
}

// The velocity of a coordinate on the motion that was found.
static double speed_of(const turning *on, uint32_t k)
{
    const rh_steady *steady = on->in->steady;
    for (uint32_t c = 0; c < steady->cyclic_count; c++) {
        if (steady->cyclic[c] == k && on->is_cyclic[k]) {
            return on->in->found->speeds[c];
        }
    }
    return 0.0;
}

static double value_of(const turning *on, uint32_t k)
{
    const double own = speed_of(on, k);
    if (on->angle[k] == UINT32_MAX) {
        return own;
    }
    const double at = on->in->found->values[1 + on->angle[k]];
    const double other = speed_of(on, on->other[k]);
    return cos(at) * own + (on->is_second[k] ? -sin(at) : sin(at)) * other;
}

static bool begin(turning *on)
{
    rh_arena *arena = on->in->on.arena;
    const rh_reduction *reduction = on->in->steady->reduction;
    const size_t n = (size_t)on->n + 1;
    on->is_cyclic = rh__arena_array(arena, bool, n);
    on->is_second = rh__arena_array(arena, bool, n);
    on->angle = rh__arena_array(arena, uint32_t, n);
    on->other = rh__arena_array(arena, uint32_t, n);
    on->is_mixed = rh__arena_array(arena, bool, (size_t)on->equations->links.count + 1);
    on->in->whole = rh__arena_array(arena, double, n);
    on->in->whole_slot = rh__arena_array(arena, uint32_t, n);
    if (on->is_cyclic == NULL || on->is_second == NULL || on->angle == NULL || on->other == NULL ||
        on->is_mixed == NULL || on->in->whole == NULL || on->in->whole_slot == NULL) {
        return false;
    }
    for (uint32_t k = 0; k < on->n; k++) {
        on->angle[k] = on->in->whole_slot[k] = UINT32_MAX;
        on->is_cyclic[k] = true;
    }
    for (uint32_t k = 0; k < reduction->place_count; k++) { // slot 0 is the time
        const uint32_t slot = reduction->place[k];
        if (slot >= 1 && slot <= on->n) {
            on->is_cyclic[slot - 1] = false;
        }
    }
    return true;
}

// --- rows of the user ----------------------------------------------------------------------------

typedef struct picking {
    double *rows;    // n x n, row by row: slopes of the rows by the velocities of the frame
    bool *is_taken;  // by velocity: a row of the user stands for it
    uint32_t *pivot; // by row: that velocity
} picking;

// Slopes of a row of the user by all velocities, at a generic state.
static rh_status find_row(turning *on, rh_expr value, double *out)
{
    const rh_reduction *reduction = on->in->steady->reduction;
    for (uint32_t k = 0; k < on->n; k++) {
        const rh_expr slope =
            rh__expr_differentiate(on->store, value, on->equations->carriers.data[k].variable);
        RH_TRY(slope.i == 0
                   ? RH_E_LIMIT
                   : rh__point_evaluate(&reduction->ground.near, &slope, 1, &on->scratch, &out[k]));
    }
    return RH_OK;
}

// The velocity that a row stands for: the one with the largest slope after elimination.
static bool pick(turning *on, picking *in, uint32_t count)
{
    double *row = in->rows + (size_t)count * on->n;
    uint32_t best = UINT32_MAX;
    for (uint32_t j = 0; j < on->n; j++) {
        if (!in->is_taken[j] && fabs(row[j]) > SMALL &&
            (best == UINT32_MAX || fabs(row[j]) > fabs(row[best]))) {
            best = j;
        }
    }
    if (best == UINT32_MAX) {
        return false;
    }
    const double pivot = row[best];
    in->is_taken[best] = true;
    for (uint32_t j = 0; j < on->n; j++) {
        row[j] /= pivot;
    }
    in->pivot[count] = best;
    return true;
}

static void reduce(const turning *on, const picking *in, uint32_t count)
{
    double *row = in->rows + (size_t)count * on->n;
    for (uint32_t k = 0; k < count; k++) {
        const double *from = in->rows + (size_t)k * on->n;
        const double share = row[in->pivot[k]];
        for (uint32_t j = 0; j < on->n; j++) {
            row[j] -= share * from[j];
        }
    }
}

// Rows of the user stand first; velocities that they stand for are left out.
static rh_status take_given(turning *on, picking *in)
{
    rh_proposing *to = on->in;
    const rh_reduction *reduction = to->steady->reduction;
    const size_t n = on->n;
    in->rows = rh__arena_array(to->on.arena, double, n *n + 1);
    in->is_taken = rh__arena_array(to->on.arena, bool, n + 1);
    in->pivot = rh__arena_array(to->on.arena, uint32_t, n + 1);
    if (in->rows == NULL || in->is_taken == NULL || in->pivot == NULL) {
        return to->on.arena->status;
    }
    uint32_t count = 0;
    for (uint32_t k = 0; k < reduction->frame.count && count < on->n; k++) {
        const char *name = rh__propose_given(to, &reduction->frame.rows[k]);
        if (name == NULL) {
            continue;
        }
        RH_TRY(find_row(on, reduction->frame.rows[k].value, in->rows + (size_t)count * n));
        reduce(on, in, count);
        if (pick(on, in, count)) {
            to->whole_slot[count] = 1 + reduction->engine.velocities.first + k;
            to->whole[count] = to->found->values[to->whole_slot[count]];
            count++;
            RH_TRY(rh__array_push(to->on.arena, &to->draft.frame, rh__slice_of(name))
                       ? RH_OK
                       : to->on.arena->status);
        }
    }
    return RH_OK;
}

static rh_status write_frame(turning *on)
{
    rh_proposing *in = on->in;
    picking given = {.rows = NULL};
    RH_TRY(take_given(on, &given));
    for (uint32_t k = 0; k < on->n; k++) {
        const char *name = NULL;
        if (given.is_taken[k]) {
            continue;
        }
        in->whole[in->draft.frame.count] = value_of(on, k);
        if (!rh__propose_quasi(in, formula_of(on, k), &name) ||
            !rh__array_push(in->on.arena, &in->draft.frame, rh__slice_of(name))) {
            return in->on.arena->status != RH_OK ? in->on.arena->status : RH_E_LIMIT;
        }
    }
    return RH_OK;
}

rh_status rh__propose_whole(rh_proposing *in)
{
    rh_equations *equations = in->steady->equations;
    turning on = {.in = in,
                  .equations = equations,
                  .store = equations->store,
                  .scratch = rh__arena_begin(in->on.arena->allocator, in->on.arena->limit),
                  .n = equations->coordinate_count};
    const bool ok = begin(&on) && find_turns(&on);
    const rh_status status = ok                              ? write_frame(&on)
                             : in->on.arena->status != RH_OK ? in->on.arena->status
                                                             : RH_E_LIMIT;
    rh__arena_end(&on.scratch);
    return status;
}
