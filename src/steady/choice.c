// SPDX-License-Identifier: Apache-2.0
// The choice of a frame, where the model gives none: unit rows, then pairs of translations turned
// by an angle, then angular velocities of bodies, then lengths; the fewest positional coordinates
// win. Splits are found by tangents of equations
// that are solved as they stand, so that nothing is derived for a frame that is not taken.

#include "steady/choice.h"

#include <math.h>
#include <string.h>

#define TURN 0.7   // an angle like any other
#define ALIKE 1e-8 // relative
#define SLOW 1e-3  // least size of rates, in sizes of variables and the pace
#define MUCH 4.0   // times the condition of another frame
#define TOO_MUCH 10.0

// --- frames --------------------------------------------------------------------------------------

rh_engine_def rh__choice_engine(const rh_choosing *in, const rh_frame *frame, bool is_closed)
{
    return (rh_engine_def){.ground = &in->reduction->ground,
                           .frame = frame,
                           .is_closed = is_closed,
                           .dials = in->dials.data,
                           .dial_count = in->dials.count,
                           .extras = in->extras.data,
                           .extra_count = in->extras.count};
}

// How many rows are velocities of positional coordinates.
static uint32_t count_plain(const rh_choosing *in, const rh_frame *frame, const rh_split *split)
{
    const rh_equations *equations = in->reduction->equations;
    uint32_t count = 0;
    for (uint32_t k = 0; k < frame->count; k++) {
        for (uint32_t j = 0; j < split->n; j++) {
            count += split->is_positional[j] &&
                     equations->carriers.data[j].variable.i == frame->rows[k].value.i;
        }
    }
    return count;
}

// The size of the split in a frame; UINT32_MAX where the equations cannot be evaluated.
static rh_status try_frame(rh_choosing *in, rh_frame *frame, uint32_t *out, rh_error *err)
{
    rh_reduction *reduction = in->reduction;
    const rh_engine_def def = rh__choice_engine(in, frame, false);
    const rh_mark mark = rh__arena_mark(&in->scratch);
    rh_engine engine;
    rh_split split = {0};
    *out = UINT32_MAX;
    RH_TRY(rh__engine_create(&def, &engine, err));
    in->work += engine.tape->slot_count;
    double *start = rh__arena_array(&in->scratch, double, (size_t)engine.tape->input_count + 1);
    rh_status status =
        start == NULL ? in->scratch.status
                      : rh__engine_start(&engine, &reduction->ground, frame, &in->scratch, start);
    if (status == RH_OK) {
        status = rh__split_find(&reduction->ground, &engine, start, &in->scratch, &split, err);
        *out = status == RH_OK ? split.count : UINT32_MAX;
        frame->plain = status == RH_OK ? count_plain(in, frame, &split) : 0;
        status = status == RH_E_UNAVAILABLE ? RH_OK : status;
    }
    rh__engine_destroy(&engine);
    rh__arena_rewind(&in->scratch, mark);
    return status;
}

// Much better conditioned, or with more velocities of positional coordinates and not much worse?
static bool is_better(const rh_frame *a, const rh_frame *b)
{
    return a->condition * MUCH < b->condition ||
           (a->plain > b->plain && a->condition <= b->condition * TOO_MUCH);
}

// Frames of equal size in the order in which they were offered, but for one that is better: it
// comes first.
static void insert(rh_choosing *in, const rh_frame *frame)
{
    uint32_t at = in->best_count;
    if (at == RH_CHOICE_FRAMES) { // of many choices of velocities the last is the worst
        at--;
    }
    in->best_count = at + 1;
    while (at > 0 && is_better(frame, &in->best[at - 1])) {
        in->best[at] = in->best[at - 1];
        at--;
    }
    in->best[at] = *frame;
}

static rh_status offer(rh_choosing *in, rh_frame *list, uint32_t count, rh_error *err)
{
    for (uint32_t k = 0; k < count && (k == 0 || in->work < RH_CHOICE_WORK); k++) {
        uint32_t size = 0;
        RH_TRY(try_frame(in, &list[k], &size, err));
        if (size < in->best_size) {
            in->best_size = size;
            in->best_count = 0;
        }
        if (size == in->best_size && size != UINT32_MAX) {
            insert(in, &list[k]);
        }
    }
    return RH_OK;
}

// How many of the conditions (45), (66) ... (69) hold in a frame with so many positional
// coordinates; 0 without a short closed form.
static rh_status weigh(rh_choosing *in, const rh_frame *frame, uint32_t size, uint32_t *out)
{
    const rh_engine_def def = rh__choice_engine(in, frame, true);
    const rh_frame_ground *ground = &in->reduction->ground;
    const rh_mark mark = rh__arena_mark(&in->scratch);
    rh_engine engine;
    rh_split split = {0};
    rh_steady_condition conditions[RH_STEADY_CONDITIONS] = {{0}};
    *out = 0;
    if (rh__engine_create(&def, &engine, NULL) != RH_OK) {
        return RH_OK;
    }
    in->work += engine.tape->slot_count;
    double *start = rh__arena_array(&in->scratch, double, (size_t)engine.tape->input_count + 1);
    rh_status status = start == NULL ? in->scratch.status : RH_OK;
    if (status == RH_OK && engine.tape->slot_count <= RH_CHOICE_CLOSED &&
        rh__engine_start(&engine, ground, frame, &in->scratch, start) == RH_OK &&
        rh__split_find(ground, &engine, start, &in->scratch, &split, NULL) == RH_OK &&
        split.count <= size) {
        status = rh__split_examine(ground, &engine, &split, &in->scratch, conditions);
    }
    for (uint32_t k = 0; k < RH_STEADY_CONDITIONS; k++) {
        *out += conditions[k].is_asked && conditions[k].holds;
    }
    rh__engine_destroy(&engine);
    rh__arena_rewind(&in->scratch, mark);
    return status;
}

rh_status rh__choice_improve(rh_choosing *in, rh_frame *list, uint32_t count, rh_error *err)
{
    for (uint32_t k = 0; k < count && in->work < 2 * RH_CHOICE_WORK; k++) {
        uint32_t size = 0;
        uint32_t merit = 0;
        const bool is_open = in->merit < RH_STEADY_CONDITIONS; // a tie may still be broken
        if (in->best_size == 0 && !is_open) {
            break;
        }
        RH_TRY(try_frame(in, &list[k], &size, err));
        if (size > in->best_size || (size == in->best_size && !is_open)) {
            continue;
        }
        RH_TRY(weigh(in, &list[k], size, &merit));
        if (size < in->best_size || merit > in->merit) {
            in->best_size = size;
            in->merit = merit;
            in->best[0] = list[k];
            in->best_count = 1;
        }
    }
    return RH_OK;
}

// --- turned pairs --------------------------------------------------------------------------------

/// A frame of unit rows at a generic state, to ask for symmetries.
typedef struct turning {
    rh_choosing *in;
    const rh_frame *frame;
    rh_engine engine;
    rh_tape_state *state;
    rh_split split;
    double *inputs, *moved, *before, *after; // inputs; outputs there
    uint32_t *of;                            // by row of the frame: its coordinate
} turning;

static rh_status begin_turning(turning *on, rh_error *err)
{
    rh_choosing *in = on->in;
    const rh_frame_ground *ground = &in->reduction->ground;
    const rh_engine_def def = rh__choice_engine(in, on->frame, false);
    RH_TRY(rh__engine_create(&def, &on->engine, err));
    const rh_tape *tape = on->engine.tape;
    on->inputs = rh__arena_array(&in->scratch, double, (size_t)tape->input_count + 1);
    on->moved = rh__arena_array(&in->scratch, double, (size_t)tape->input_count + 1);
    on->before = rh__arena_array(&in->scratch, double, (size_t)tape->output_count + 1);
    on->after = rh__arena_array(&in->scratch, double, (size_t)tape->output_count + 1);
    on->of = rh__arena_array(&in->scratch, uint32_t, (size_t)on->frame->count + 1);
    if (on->inputs == NULL || on->moved == NULL || on->before == NULL || on->after == NULL ||
        on->of == NULL) {
        return in->scratch.status;
    }
    for (uint32_t k = 0; k < on->frame->count; k++) {
        for (uint32_t j = 0; j < ground->n; j++) {
            const rh_expr velocity = ground->equations->carriers.data[j].variable;
            on->of[k] = velocity.i == on->frame->rows[k].value.i ? j : on->of[k];
        }
    }
    RH_TRY(rh__engine_start(&on->engine, ground, on->frame, &in->scratch, on->inputs));
    RH_TRY(rh__split_find(ground, &on->engine, on->inputs, &in->scratch, &on->split, err));
    memcpy(on->inputs + 1, on->split.state, (tape->input_count - 1) * sizeof *on->inputs);
    RH_TRY(rh__tape_state_create(tape, 0, on->engine.arena.allocator, &on->state));
    return rh__tape_bind(on->state, rh__point_value, &ground->start);
}

static bool run(turning *on, const double *inputs, double *out)
{
    const rh_tape *tape = on->engine.tape;
    memcpy(rh__jet_row(on->state, 0), inputs, tape->input_count * sizeof *inputs);
    rh__tape_run(on->state);
    for (uint32_t k = 0; k < tape->output_count; k++) {
        out[k] = rh__tape_output(on->state, k, 0);
    }
    return rh__slopes_are_sound(on->state) && rh__vector_is_finite(tape->output_count, out);
}

// Is the motion the same when the pair is turned together with the angle? Velocities must turn with
// them, and other rates stay: then the pair is better taken along and across the angle.
static bool is_symmetric(turning *on, const uint32_t turned[3])
{
    const rh_engine *engine = &on->engine;
    const rh_frame_ground *ground = &on->in->reduction->ground;
    const uint32_t n = engine->coordinates.count;
    double ratio = 1.0; // of the units of the pair
    if (!(ground->turn_value[turned[2]] > 0.0) ||
        rh__frame_ratio(ground, turned, NULL, &ratio) != RH_OK ||
        !run(on, on->inputs, on->before)) {
        return false;
    }
    double *v = on->before;
    const double x = cos(TURN) * v[turned[0]] - sin(TURN) * ratio * v[turned[1]];
    v[turned[1]] = sin(TURN) * v[turned[0]] / ratio + cos(TURN) * v[turned[1]];
    v[turned[0]] = x;
    memcpy(on->moved, on->inputs, engine->tape->input_count * sizeof *on->moved);
    on->moved[1 + turned[2]] += TURN / ground->turn_value[turned[2]];
    for (uint32_t k = 0; k < on->frame->count; k++) {
        on->moved[1 + engine->velocities.first + k] = v[on->of[k]];
    }
    bool is_same = run(on, on->moved, on->after);
    double size = SLOW;
    for (uint32_t k = 0; k < n; k++) {
        size = fmax(size, fabs(v[k]) / (engine->unit[1 + k] * engine->pace));
    }
    for (uint32_t k = 0; is_same && k < n; k++) {
        is_same = fabs(on->after[k] - v[k]) <= ALIKE * size * engine->unit[1 + k] * engine->pace;
    }
    for (uint32_t k = 0; is_same && k < on->frame->count; k++) {
        const uint32_t at = engine->velocities.first + k;
        const bool is_turned = on->of[k] == turned[0] || on->of[k] == turned[1];
        const double floor = SLOW * engine->unit[1 + at] * engine->pace;
        is_same = is_turned ||
                  fabs(on->after[at] - on->before[at]) <= ALIKE * (floor + fabs(on->before[at]));
    }
    return is_same;
}

// Of these only a few may be tried: those with velocities of positional coordinates come first.
static void put_plain_first(const turning *on, rh_frame *list, uint32_t count)
{
    for (uint32_t k = 0; k < count; k++) {
        rh_frame it = list[k];
        uint32_t at = k;
        it.plain = count_plain(on->in, &it, &on->split);
        for (; at > 0 && is_better(&it, &list[at - 1]); at--) {
            list[at] = list[at - 1];
        }
        list[at] = it;
    }
}

static rh_status offer_triples(turning *on, rh_error *err)
{
    const uint32_t n = on->split.n;
    const bool *is_positional = on->split.is_positional;
    uint32_t tries = 0;
    for (uint32_t k = 0; k < n; k++) {
        for (uint32_t i = 0; i < n; i++) {
            for (uint32_t j = i + 1; !is_positional[i] && j < n; j++) {
                rh_frame list[RH_CHOICE_FRAMES];
                uint32_t count = 0;
                const uint32_t turned[3] = {i, j, k};
                const bool is_triple = i != k && j != k && !is_positional[j];
                if (!is_triple || tries++ >= RH_CHOICE_TRIPLES || !is_symmetric(on, turned)) {
                    continue;
                }
                RH_TRY(rh__frame_turned(&on->in->reduction->ground, turned, RH_CHOICE_FRAMES, list,
                                        &count));
                put_plain_first(on, list, count);
                RH_TRY(offer(on->in, list, count, err));
            }
        }
    }
    return RH_OK;
}

// Pairs of cyclic translations, turned by an angle: a positional one may become cyclic by that,
// with a cyclic one the frame may be regular where velocities are not.
static rh_status offer_turned(rh_choosing *in, rh_error *err)
{
    if (in->best_count == 0) {
        return RH_OK;
    }
    const rh_frame frame = in->best[0];
    turning on = {.in = in, .frame = &frame};
    rh_status status = begin_turning(&on, err);
    if (status == RH_OK) {
        status = offer_triples(&on, err);
    }
    rh__tape_state_destroy(on.state);
    if (on.engine.tape != NULL) {
        rh__engine_destroy(&on.engine);
    }
    return status;
}

rh_status rh__choice_make(rh_choosing *in, rh_error *err)
{
    rh_reduction *reduction = in->reduction;
    rh_frame list[RH_CHOICE_FRAMES];
    uint32_t count = 1;
    if (reduction->equations->model->quasis.count > 0) {
        RH_TRY(rh__frame_given(&reduction->ground, &reduction->frame));
        if (reduction->frame.is_given) {
            return RH_OK;
        }
    }
    RH_TRY(rh__frame_units(&reduction->ground, RH_CHOICE_FRAMES, list, &count));
    in->best_size = UINT32_MAX;
    RH_TRY(offer(in, list, count, err));
    RH_TRY(offer_turned(in, err));
    in->merit = RH_STEADY_CONDITIONS; // ties among the simpler ones were broken by condition
    const bool is_cheap = in->work < RH_CHOICE_WORK;
    if (in->best_count > 0 && in->best_size > 0 && is_cheap && !in->def->keeps_velocities) {
        RH_TRY(rh__choice_bodies(in, err));
        RH_TRY(in->best_size > 0 ? rh__choice_lengths(in, err) : RH_OK);
    }
    if (in->best_count == 0) {
        return rh__error_fill(err, RH_E_UNAVAILABLE,
                              "the equations of motion cannot be evaluated near the start: try "
                              "another start");
    }
    const uint32_t at = in->def->rank < in->best_count ? in->def->rank : in->best_count - 1;
    reduction->frame = in->best[at];
    reduction->has_more = at + 1 < in->best_count;
    return RH_OK;
}
