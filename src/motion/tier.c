// SPDX-License-Identifier: Apache-2.0
// Who computes the series: the interpreter at once, or a compiled text once that pays. The step
// from which on it does follows from the sizes of the tape and the order alone, never from the
// clock or from what lies in the cache, so the same call gives the same bytes.

#include "motion/native.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define WORTH 2e9 // nanoseconds of interpreting that are as long as compiling takes

enum { LONG_TEXT = 1 << 20 }; // bytes from which on a compiler takes too long to look for the best

static const char *const SHORT_RUN = "compiling pays for longer motions";
static const char *const ASKED = "it was asked for";
static const char *const PAYS = "compiling pays for so many steps";
static const char *const TOO_LONG = "the text of the series would be too long for a compiler";
static const char *const NO_SERIES = "the method takes no Taylor series";

// What the interpreter takes for a series, about, in nanoseconds: 2130 for the rolling disc at
// order 16 and 9100 for the chain of 10 were measured, 2050 and 9430 come out.
static double cost_of(const rh_tape *tape, uint32_t order)
{
    double groups = 0.0;
    for (uint32_t g = 0; g < tape->group_count; g++) {
        groups += 5.0 + tape->groups[g].count * (1.2 + 0.2 * tape->groups[g].arity);
    }
    double blocks = 0.0;
    for (uint32_t k = 0; k < tape->block_count; k++) {
        blocks += 6.0 + 2.4 * tape->blocks[k].entry_count + 1.2 * tape->blocks[k].n;
    }
    return 100.0 + 0.36 * (double)rh__emit_work(tape, order) + order * (groups + blocks);
}

rh_tier rh__tier_asked(const rh_motion_def *def)
{
    const bool has_tier = def->struct_size >= offsetof(rh_motion_def, tier) + sizeof def->tier;
    const rh_tier asked = has_tier ? def->tier : RH_TIER_AUTO;
    const char *word = asked == RH_TIER_AUTO ? getenv("RHEONOM_TIER") : NULL;
    return word == NULL                       ? asked
           : strcmp(word, "emitted") == 0     ? RH_TIER_EMITTED
           : strcmp(word, "interpreted") == 0 ? RH_TIER_INTERPRETED
                                              : asked;
}

// Steps of all motions that are to come, about. What cannot begin anew is made anew, and would have
// to be loaded each time.
static double expected_steps(const rh_motion *motion, const rh_motion_def *def)
{
    enum { TYPICAL = 16 };
    const bool has_expected =
        def->struct_size >= offsetof(rh_motion_def, expected) + sizeof def->expected;
    return has_expected && rh__motion_can_restart(motion->equations)
               ? (double)TYPICAL * (double)def->expected
               : 0.0;
}

uint64_t rh__tier_worth(const rh_motion *motion)
{
    return (uint64_t)ceil(WORTH / cost_of(motion->system->step, motion->order_chosen));
}

rh_status rh__tier_create(rh_motion *motion, const rh_motion_def *def)
{
    rh_tiering *tier = &motion->tier;
    tier->asked = rh__tier_asked(def);
    tier->reason = tier->asked == RH_TIER_INTERPRETED ? ASKED : SHORT_RUN;
    tier->is_settled = tier->asked == RH_TIER_INTERPRETED;
    if (tier->asked == RH_TIER_AUTO) {
        const uint64_t steps = rh__tier_worth(motion);
        tier->switch_at = expected_steps(motion, def) >= (double)steps ? 0 : steps;
    }
    return RH_OK;
}

void rh__tier_destroy(rh_motion *motion)
{
    rh__native_destroy(&motion->tier.native);
}

// --- compiling ----------------------------------------------------------------------------------

// What a compiled series may leave out: nobody but the polynomial of the step reads it as long as
// there are no modes, no events and no compiled steps.
static rh_ladder_list ladders_of(const rh_motion *motion)
{
    const bool may = rh__taylor_may_lend(motion) && motion->equations->model->events.count == 0 &&
                     !rh__glider_is_free(motion);
    return may ? motion->ladders : (rh_ladder_list){.count = 0};
}

// `points`: room for further functions; NULL: without these.
static rh_emit_def def_of(const rh_motion *motion, rh_emit_point *points)
{
    return (rh_emit_def){.tape = motion->step->tape,
                         .points = points,
                         .point_count = points != NULL ? rh__points_list(motion, points) : 0,
                         .rate_count = motion->n,
                         .order = motion->order_chosen,
                         .stride = motion->step->stride,
                         .name = RH_NATIVE_NAME,
                         .has_steps = rh__glider_is_free(motion),
                         .ladders = ladders_of(motion),
                         .brief = motion->probe != motion->step ? RH_NATIVE_BRIEF : NULL};
}

// The compiled text; else the reason why there is none. What was compiled for other lanes has the
// same text, which is not made again.
static const char *make(const rh_motion *motion, uint32_t lanes, rh_native *out)
{
    const rh_native *made = &motion->tier.native;
    if (made->library != NULL && made->text != NULL) {
        const rh_native_def same = {.text = {made->text, made->text_size},
                                    .lanes = lanes,
                                    .is_long = made->text_size > LONG_TEXT,
                                    .guard = rh__guard_of(motion->arena.allocator)};
        return rh__native_create(&same, out) ? NULL : out->reason;
    }
    rh_emit_point points[RH_POINT_COUNT];
    const rh_emit_def def = def_of(motion, points);
    rh_arena scratch = rh__arena_begin(motion->arena.allocator, motion->arena.limit);
    rh_text text = rh__text_begin(&scratch, NULL);
    const rh_status status = rh__emit_series(&def, &scratch, &text);
    const char *reason = status == RH_E_LIMIT ? TOO_LONG
                         : status != RH_OK    ? "there was no memory for the text of the series"
                                              : NULL;
    const rh_native_def native_def = {.text = rh__text_slice(&text),
                                      .lanes = lanes,
                                      .is_long = text.size > LONG_TEXT,
                                      .guard = rh__guard_of(motion->arena.allocator)};
    if (reason == NULL && !rh__native_create(&native_def, out)) {
        reason = out->reason;
    }
    rh__arena_end(&scratch);
    return reason;
}

// A kernel for the states of a motion; false: there is no memory.
static bool install(rh_motion *motion, const rh_native *native)
{
    rh_tape_state *state = motion->step;
    RH_ASSERT(native->kernel != NULL && motion->order_chosen <= state->order);
    const rh_emit_def def = def_of(motion, NULL);
    double *work = rh__arena_array(&state->arena, double, rh__emit_room(&def));
    if (work == NULL || (native->steps != NULL && !rh__glider_create(motion))) {
        return false;
    }
    state->kernel = native->kernel;
    state->kernel_order = motion->order_chosen;
    state->kernel_work = work;
    state->ladders = def.ladders;
    rh__points_attach(motion, native);
    return true;
}

static const char *compile(rh_motion *motion)
{
    rh_native *native = &motion->tier.native;
    const char *reason = make(motion, 1, native);
    if (reason == NULL && !install(motion, native)) {
        rh__native_destroy(native);
        reason = "there was no memory for compiled series";
    }
    return reason != NULL ? reason : motion->tier.asked == RH_TIER_EMITTED ? ASKED : PAYS;
}

bool rh__tier_is_early(const rh_motion *motion)
{
    const rh_tiering *tier = &motion->tier;
    return tier->native.steps != NULL && (tier->asked == RH_TIER_EMITTED ||
                                          (tier->asked == RH_TIER_AUTO && tier->switch_at == 0));
}

bool rh__tier_widen(rh_motion *motion, uint32_t lanes, rh_native *out)
{
    *out = (rh_native){.reason = ""};
    return make(motion, lanes, out) == NULL && out->steps != NULL;
}

size_t rh__tier_room(const rh_motion *motion)
{
    const rh_emit_def def = def_of(motion, NULL);
    return rh__emit_room(&def);
}

bool rh__tier_lend(const rh_motion *motion, rh_motion *other)
{
    rh_tiering *tier = &other->tier;
    RH_ASSERT(motion->equations == other->equations && motion->n == other->n);
    tier->asked = motion->tier.asked;
    tier->switch_at = motion->tier.switch_at;
    tier->is_settled = motion->tier.is_settled;
    tier->reason = motion->tier.reason;
    if (!install(other, &motion->tier.native)) {
        return false;
    }
    tier->native = motion->tier.native;
    tier->native.is_lent = true;
    return true;
}

void rh__tier_forget(rh_motion *motion)
{
    rh_tiering *tier = &motion->tier;
    if (tier->asked == RH_TIER_AUTO) {
        motion->step->kernel = NULL;
        rh__points_detach(motion);
        tier->is_settled = false;
        tier->reason = SHORT_RUN;
    }
}

void rh__tier_follow(rh_motion *motion)
{
    rh_tiering *tier = &motion->tier;
    if (tier->is_settled || motion->steps < tier->switch_at) {
        return;
    }
    tier->is_settled = true;
    if (!motion->choice.is_free && motion->stepper != &rh__stepper_taylor) {
        tier->reason = NO_SERIES;
        return;
    }
    if (tier->native.kernel != NULL) { // from the time before it began anew
        motion->step->kernel = tier->native.kernel;
        rh__points_attach(motion, &tier->native);
        tier->reason = PAYS;
        return;
    }
    tier->reason = compile(motion);
}

// --- looking ------------------------------------------------------------------------------------

const char *rh_motion_tier(const rh_motion *motion)
{
    return motion->step->kernel != NULL ? "emitted" : "interpreted";
}

const char *rh_motion_tier_reason(const rh_motion *motion)
{
    return motion->tier.reason;
}

bool rh_motion_tier_matters(const rh_motion *motion)
{
    return motion->tier.reason != SHORT_RUN && motion->tier.reason != NO_SERIES;
}
